//! Wavefront OBJ: positions, faces, objects and groups.
//!
//! A reader of our own, because a published feature number is the vertex's index in the file:
//! general readers renumber vertices in order of use, drop those that no face uses, and cannot say
//! which line is wrong. Normals, texture coordinates and colours are skipped, and no material file
//! is ever opened. Text need not be UTF-8: comments and names often are Latin-1.

use super::components;
use super::mesh::{Fault, Mesh, check_finite, text};
use super::parts::NamedMesh;
use super::polygons::{self, Fan};
use std::collections::HashMap;
use std::sync::Arc;

const REMEDY: &str = "export the file again, or mend this line";

/// Statements that define geometry which this reader would silently lose.
const FREE_FORM: [&str; 9] = ["curv", "curv2", "surf", "cstype", "deg", "bmat", "step", "parm", "bzp"];

/// Reads an OBJ file from memory.
///
/// # Errors
/// The first line that is malformed, by number.
pub(super) fn read(bytes: &[u8]) -> Result<Mesh, Fault> {
    read_with(bytes, ObjReader::default()).map(|reader| reader.mesh)
}

/// The objects of an OBJ file, each begun by an `o`; without any `o`, its groups, which `g` may
/// take up again. The groups of an object are its pieces. Groups of a part are the `g` of its faces
/// and `material:NAME` of `usemtl`.
///
/// # Errors
/// As for [`read`].
pub(super) fn read_objects(bytes: &[u8]) -> Result<Vec<NamedMesh>, Fault> {
    let reader = ObjReader { labels: Some(ObjLabels::default()), ..ObjReader::default() };
    let reader = read_with(bytes, reader)?;
    let Some(labels) = reader.labels else { return Ok(Vec::new()) };
    Ok(labels.into_parts(&reader.mesh, &reader.names, reader.objects))
}

fn read_with(bytes: &[u8], mut reader: ObjReader) -> Result<ObjReader, Fault> {
    if bytes.contains(&0) {
        return Err(Fault::new("the file is not text (it contains NUL bytes)", "check that it really is an OBJ file"));
    }
    for (line, text) in logical_lines(bytes) {
        reader.statement(line, &text).map_err(|problem| Fault::at(line, problem, REMEDY))?;
    }
    reader.finish()
}

/// Lines with their numbers from 1, without comments; a line that ends in a backslash goes on in
/// the next one.
fn logical_lines(bytes: &[u8]) -> impl Iterator<Item = (usize, std::borrow::Cow<'_, str>)> {
    let mut lines = bytes.split(|&b| b == b'\n').enumerate();
    std::iter::from_fn(move || {
        let (first, line) = lines.next()?;
        let mut text = content(line);
        while text.ends_with('\\') {
            // Grows in place: a line may go on over millions of others.
            let mut joined = text.into_owned();
            joined.pop();
            joined.push(' ');
            if let Some((_, next)) = lines.next() {
                joined.push_str(&content(next));
            }
            text = joined.into();
        }
        Some((first + 1, text))
    })
}

/// A line without its comment and the blanks around it.
fn content(line: &[u8]) -> std::borrow::Cow<'_, str> {
    let end = line.iter().position(|&b| b == b'#').unwrap_or(line.len());
    text(line[..end].trim_ascii())
}

#[derive(Default)]
struct ObjReader {
    mesh: Mesh,
    names: ObjNames,
    object: u32,
    group: u32,
    pieces: HashMap<(u32, u32), u32>,
    piece: Option<u32>,
    /// The largest vertex that a face used before it was defined (legal, if it is defined later),
    /// and that line.
    ahead: Option<(u32, usize)>,
    corners: Vec<u32>,
    /// Polygons of more than three corners; `place` is their line.
    fans: Vec<Fan>,
    material: u32,
    /// The `o` so far.
    objects: u32,
    /// Labels of the triangles, if they are asked for.
    labels: Option<ObjLabels>,
}

/// Names of objects, groups and materials, each kept once: a short file may say a long name once
/// and use it in many combinations with others.
struct ObjNames {
    known: HashMap<Arc<str>, u32>,
    /// The first one is empty.
    list: Vec<Arc<str>>,
}

impl Default for ObjNames {
    fn default() -> Self {
        let empty: Arc<str> = Arc::from("");
        Self { known: HashMap::from([(Arc::clone(&empty), 0)]), list: vec![empty] }
    }
}

impl ObjNames {
    /// Longest part of a name in a message, characters.
    const SHOWN: usize = 100;

    /// The number of a name.
    fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.known.get(name) {
            return number;
        }
        let (name, number) = (Arc::<str>::from(name), self.list.len() as u32); // at most one for each line
        self.list.push(Arc::clone(&name));
        self.known.insert(name, number);
        number
    }

    /// Returns the name of a piece in messages.
    fn piece(&self, object: u32, group: u32) -> String {
        let shown = |name: u32| self.list[name as usize].chars().take(Self::SHOWN).collect::<String>();
        [object, group].map(shown).into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
    }
}

/// Label of faces: the number of the `o` before them, and the numbers of its name, of the group and
/// of the material.
type ObjLabel = (u32, u32, u32, u32);

/// The labels of the triangles.
#[derive(Default)]
struct ObjLabels {
    known: HashMap<ObjLabel, u32>,
    list: Vec<ObjLabel>,
    of_triangle: Vec<u32>,
    /// The label of the faces that come, until a statement changes it.
    current: Option<u32>,
}

impl ObjLabels {
    /// Labels triangles up to `count`.
    fn label(&mut self, count: usize, label: ObjLabel) {
        let current = self.current.unwrap_or_else(|| {
            *self.known.entry(label).or_insert_with(|| {
                self.list.push(label);
                self.list.len() as u32 - 1 // at most one for each triangle
            })
        });
        self.current = Some(current);
        self.of_triangle.resize(count, current);
    }

    /// Returns the parts of the file in order of their first faces; an object without a face is
    /// none. `objects`: number of `o`.
    fn into_parts(self, mesh: &Mesh, names: &ObjNames, objects: u32) -> Vec<NamedMesh> {
        let mut numbers: HashMap<(u32, u32), u32> = HashMap::new();
        let mut parts: Vec<(String, Vec<Arc<str>>)> = Vec::new();
        let mut materials: HashMap<u32, Arc<str>> = HashMap::new();
        let mut of_label = Vec::with_capacity(self.list.len());
        for &(object, name, group, material) in &self.list {
            let (key, name) = if objects > 0 { ((object, 0), name) } else { ((0, group), group) };
            let number = *numbers.entry(key).or_insert_with(|| {
                parts.push((names.list[name as usize].to_string(), Vec::new()));
                parts.len() as u32 - 1
            });
            of_label.push(number);
            let groups = &mut parts[number as usize].1;
            let word = |name: u32| Some(&names.list[name as usize]).filter(|name| !name.is_empty());
            let group = word(group).filter(|_| objects > 0).cloned();
            let material = word(material)
                .map(|name| Arc::clone(materials.entry(material).or_insert_with(|| format!("material:{name}").into())));
            groups.extend(group.into_iter().chain(material));
        }
        let numbers: Vec<u32> = self.of_triangle.iter().map(|&label| of_label[label as usize]).collect();
        let meshes = components::group(mesh, &numbers, parts.len());
        let named = parts.into_iter().zip(meshes);
        named.map(|((name, groups), mesh)| NamedMesh { name, groups, mesh }).collect()
    }
}

impl ObjReader {
    fn statement(&mut self, line: usize, text: &str) -> Result<(), String> {
        let mut words = text.split_ascii_whitespace();
        let Some(keyword) = words.next() else { return Ok(()) };
        match keyword {
            "v" => self.vertex(words),
            "f" | "fo" => self.face(line, words),
            "o" | "g" => {
                let name = self.names.number(text[keyword.len()..].trim());
                self.objects += u32::from(keyword == "o");
                *(if keyword == "o" { &mut self.object } else { &mut self.group }) = name;
                self.piece = None;
                self.relabel();
                Ok(())
            }
            "usemtl" => {
                self.material = self.names.number(text[keyword.len()..].trim());
                self.relabel();
                Ok(())
            }
            _ if FREE_FORM.contains(&keyword) => {
                Err(format!("`{keyword}`: free-form curves and surfaces are not supported, only polygons"))
            }
            _ => Ok(()), // normals, texture coordinates, materials, smoothing, lines, points, vendors' own statements
        }
    }

    /// `v x y z`, perhaps with a weight of 1 or three or four colour components behind.
    fn vertex<'t>(&mut self, words: impl Iterator<Item = &'t str>) -> Result<(), String> {
        // As OBJ counts them.
        let index = self.mesh.vertices.len() + 1;
        let mut values = [0.0; 7];
        let mut count = 0;
        for word in words {
            let value = word.parse().map_err(|_| format!("vertex {index}: `{word}` is not a number"))?;
            *values.get_mut(count).ok_or_else(|| format!("vertex {index} has more than seven numbers"))? = value;
            count += 1;
        }
        match count {
            0..=2 => return Err(format!("vertex {index} has {count} coordinates instead of three")),
            4 if values[3] != 1.0 => {
                return Err(format!("vertex {index} has the weight {}: only weight 1 is supported", values[3]));
            }
            5 => return Err(format!("vertex {index} has five numbers: neither a weight nor a colour")),
            _ => {}
        }
        let position = [values[0], values[1], values[2]];
        check_finite(index, position)?;
        self.mesh.vertices.push(position);
        Ok(())
    }

    /// `f a b c ...`, each corner `v`, `v/vt`, `v//vn` or `v/vt/vn`.
    fn face<'t>(&mut self, line: usize, words: impl Iterator<Item = &'t str>) -> Result<(), String> {
        let mut corners = std::mem::take(&mut self.corners);
        corners.clear();
        for word in words {
            corners.push(self.corner(line, word)?);
        }
        if corners.len() < 3 {
            return Err(format!("a face has {} vertices: it needs at least three", corners.len()));
        }
        let piece = self.current_piece();
        if corners.len() > 3 {
            let first = self.mesh.triangles.len() as u32; // readers refuse more than 2^31 - 1
            self.fans.push(Fan { first, count: corners.len() as u32 - 2, place: line });
        }
        for pair in corners[1..].windows(2) {
            self.mesh.triangles.push([corners[0], pair[0], pair[1]]);
            self.mesh.piece.push(piece);
        }
        self.corners = corners;
        if let Some(labels) = &mut self.labels {
            labels.label(self.mesh.triangles.len(), (self.objects, self.object, self.group, self.material));
        }
        Ok(())
    }

    /// Forgets the current label: the faces that follow may have another one.
    fn relabel(&mut self) {
        if let Some(labels) = &mut self.labels {
            labels.current = None;
        }
    }

    /// The vertex index, from 0, of a corner of a face.
    fn corner(&mut self, line: usize, word: &str) -> Result<u32, String> {
        let count = self.mesh.vertices.len();
        let number = word.split('/').next().unwrap_or_default();
        let value: i64 = number.parse().map_err(|_| format!("`{word}` is not a vertex of a face"))?;
        let index = match value {
            0 => return Err("a face refers to vertex 0: OBJ counts vertices from 1".into()),
            1.. => value - 1,
            _ => value.saturating_add(i64::try_from(count).unwrap_or(i64::MAX)),
        };
        let missing = || format!("a face refers to vertex {value}, but there are {count} vertices");
        let index = u32::try_from(index).map_err(|_| missing())?;
        if index as usize >= count && self.ahead.is_none_or(|(highest, _)| index > highest) {
            self.ahead = Some((index, line));
        }
        Ok(index)
    }

    /// The number of the object and group that faces now belong to. The same names later are the
    /// same piece.
    fn current_piece(&mut self) -> u32 {
        if let Some(piece) = self.piece {
            return piece;
        }
        let next = self.mesh.pieces as u32; // at most one for each face
        let piece = *self.pieces.entry((self.object, self.group)).or_insert(next);
        if piece == next {
            self.mesh.names.push(self.names.piece(self.object, self.group));
        }
        self.mesh.pieces = self.mesh.pieces.max(piece as usize + 1);
        self.piece = Some(piece);
        piece
    }

    fn finish(mut self) -> Result<Self, Fault> {
        let count = self.mesh.vertices.len();
        if let Some((index, line)) = self.ahead.filter(|(index, _)| *index as usize >= count) {
            let problem = format!("a face refers to vertex {}, but the file has {count} vertices", index as u64 + 1);
            return Err(Fault::at(line, problem, REMEDY));
        }
        let former = polygons::cut(&mut self.mesh, &self.fans)
            .map_err(|bad| Fault::at(bad.place, bad.problem, polygons::REMEDY))?;
        if let (Some(labels), Some(former)) = (&mut self.labels, former) {
            labels.of_triangle = former.iter().map(|&triangle| labels.of_triangle[triangle as usize]).collect();
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_keep_their_order_and_pieces_their_names() {
        let text = "mtllib x.mtl\nv 9 9 9\nv 0 0 0 # unused before\nv 1 0 0 1.0\nv 0 1 0 .1 .2 .3\no one\nf 4/1 3//2 \\\n 2\n\
                    g left\nf -1 -2 -3\ng right\nf 2 3 4\ng left\nf 2 4 3\n";
        let mesh = read(text.as_bytes()).expect("a mesh");
        assert_eq!(mesh.vertices, [[9.0, 9.0, 9.0], [0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        assert_eq!(mesh.triangles, [[3, 2, 1], [3, 2, 1], [1, 2, 3], [1, 3, 2]]);
        assert_eq!((mesh.piece, mesh.pieces), (vec![0, 1, 2, 1], 3));
        assert_eq!(mesh.names, ["one", "one/left", "one/right"]);
    }

    #[test]
    fn names_in_latin_1_stay_different() {
        let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\no T\xfcr\nf 1 2 3\no T\xf6r\nf 1 2 3\no T\xc3\xbcr\nf 1 2 3\n";
        assert_eq!(read(text).expect("a mesh").names, ["T\u{fc}r", "T\u{f6}r"], "the third is the first, in UTF-8");
        assert_eq!(read_objects(text).expect("parts").len(), 3);
    }

    #[test]
    fn objects_begin_anew_and_groups_are_taken_up_again() {
        let vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
        let facts = |text: &str| {
            let parts = read_objects(format!("{vertices}{text}").as_bytes()).expect("parts");
            let fact =
                |part: NamedMesh| (part.name, part.mesh.triangles.len(), part.mesh.pieces, part.groups.join(";"));
            parts.into_iter().map(fact).collect::<Vec<_>>()
        };
        let fact = |name: &str, n: usize, pieces: usize, groups: &str| (name.to_owned(), n, pieces, groups.to_owned());
        let text = "o a\ng left arm\nusemtl steel\nf 1 2 3\ng right\nf 2 3 4\no b\no a\nusemtl red\nf 1 2 3\nf 1 2 4\n";
        let expected =
            [fact("a", 2, 2, "left arm;material:steel;right;material:steel"), fact("a", 2, 1, "right;material:red")];
        assert_eq!(facts(text), expected);
        let text = "f 1 2 3\ng x\nf 1 2 4\ng y\nf 1 3 4\ng x\nf 2 3 4\n";
        assert_eq!(facts(text), [fact("", 1, 1, ""), fact("x", 2, 1, ""), fact("y", 1, 1, "")]);
    }

    #[test]
    fn faults_name_their_line() {
        for (text, line, part) in [
            ("v 1 2\n", 1, "2 coordinates"),
            ("\nv 1 x 2\n", 2, "`x`"),
            ("v 1 2 nan\n", 1, "z coordinate NaN"),
            ("v 1 2 3\nf 1 1 2\n", 2, "vertex 2"),
            ("v 1 2 3\nf 1 1 -2\n", 2, "-2"),
            ("v 1 2 3\nf 0 1 1\n", 2, "from 1"),
            ("v 1 2 3\nf 1 1\n", 2, "at least three"),
            ("v 1 2 3 0.5\n", 1, "weight"),
            ("v 1 2 3\ncstype bezier\n", 2, "free-form"),
            ("v 1 2 3\nf 1 1 99999999999999999999\n", 2, "not a vertex"),
            ("v 1 2 3\nf 1 1 -9223372036854775808\n", 2, "refers to"),
        ] {
            let fault = read(text.as_bytes()).expect_err(text);
            assert_eq!(fault.line, Some(line), "{text}");
            assert!(fault.problem.contains(part), "{text}: {}", fault.problem);
        }
    }
}
