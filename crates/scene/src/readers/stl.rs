//! STL, binary and ASCII: the raw triangle soup.
//!
//! A reader of our own: a record of a binary file is fifty bytes, and general readers round the
//! decimals of ASCII files to single precision and read the first `solid` only. Binary is what has
//! exactly the size that its count promises, as many binary files begin with "solid" too. Normals
//! are not used and may be anything.

use super::components;
use super::mesh::{Fault, MAX_ELEMENTS, Mesh, check_finite, text};
use super::parts::NamedMesh;
use clearsweep_model::single_step;

const HEADER: usize = 84;
const TRIANGLE: usize = 50;
const REMEDY: &str = "export the file again; it may have been cut off or changed in transfer";

/// Reads an STL file from memory.
///
/// # Errors
/// Bytes that are neither a whole binary nor a well-formed ASCII file.
pub(super) fn read(bytes: &[u8]) -> Result<Mesh, Fault> {
    read_named(bytes).map(|(mesh, _)| mesh)
}

/// The solids of an STL file by their names; that of a binary file has none.
///
/// # Errors
/// As for [`read`].
pub(super) fn read_solids(bytes: &[u8]) -> Result<Vec<NamedMesh>, Fault> {
    let (mesh, names) = read_named(bytes)?;
    let meshes = components::by_piece(&mesh).into_iter();
    Ok(meshes.zip(names).map(|(mesh, name)| NamedMesh { name, groups: Vec::new(), mesh }).collect())
}

/// The mesh, and the name of each of its pieces.
fn read_named(bytes: &[u8]) -> Result<(Mesh, Vec<String>), Fault> {
    if is_ascii(bytes) { read_ascii(bytes) } else { read_binary(bytes) }
}

/// The size that a binary file must have by its triangle count.
fn promised(bytes: &[u8]) -> Option<(u32, u64)> {
    let count = u32::from_le_bytes(bytes.get(80..HEADER)?.try_into().ok()?);
    Some((count, HEADER as u64 + TRIANGLE as u64 * u64::from(count)))
}

/// Binary is what has exactly the size that its count promises, whatever its header says.
fn is_ascii(bytes: &[u8]) -> bool {
    let text = bytes.trim_ascii_start();
    let whole_binary = promised(bytes).is_some_and(|(_, size)| size == bytes.len() as u64);
    !whole_binary && text.get(..5).is_some_and(|w| w.eq_ignore_ascii_case(b"solid")) && !text.contains(&0)
}

fn read_binary(bytes: &[u8]) -> Result<(Mesh, Vec<String>), Fault> {
    let size = bytes.len();
    let Some((count, expected)) = promised(bytes) else {
        let problem = format!("{size} bytes are too few for an STL file, and it does not begin with `solid`");
        return Err(Fault::new(problem, REMEDY));
    };
    if size as u64 != expected {
        let what = if (size as u64) < expected { "is truncated" } else { "has trailing bytes" };
        let problem = format!("the binary STL {what}: {count} triangles take {expected} bytes, the file has {size}");
        return Err(Fault::new(problem, REMEDY));
    }
    let mut mesh = Mesh { pieces: 1, ..Mesh::default() };
    let (records, _) = bytes[HEADER..].as_chunks::<TRIANGLE>();
    let mut largest = 0.0_f64;
    for record in records {
        // Twelve numbers, the normal first, and two bytes of attributes.
        let (numbers, _) = record.as_chunks::<4>();
        for corner in numbers[3..].chunks_exact(3) {
            let position = [corner[0], corner[1], corner[2]].map(|bytes| f64::from(f32::from_le_bytes(bytes)));
            largest = position.iter().fold(largest, |largest, c| largest.max(c.abs()));
            add_corner(&mut mesh, position).map_err(|problem| Fault::new(problem, REMEDY))?;
        }
        add_triangle(&mut mesh, 0);
    }
    mesh.coordinate_step = single_step(largest);
    finish(mesh, vec![String::new()])
}

fn add_corner(mesh: &mut Mesh, position: [f64; 3]) -> Result<(), String> {
    let vertex = mesh.vertices.len();
    check_finite(vertex, position)?;
    if vertex == MAX_ELEMENTS {
        return Err("there are more than 2^31 - 1 vertices".into());
    }
    mesh.vertices.push(position);
    Ok(())
}

/// The triangle of the last three corners.
fn add_triangle(mesh: &mut Mesh, piece: u32) {
    let last = mesh.vertices.len() as u32; // checked for each corner
    mesh.triangles.push([last - 3, last - 2, last - 1]);
    mesh.piece.push(piece);
}

/// Reads solid by solid; keywords in any case.
fn read_ascii(bytes: &[u8]) -> Result<(Mesh, Vec<String>), Fault> {
    let mut reader = AsciiStl::default();
    let text = text(bytes);
    for (number, line) in (1..).zip(text.lines()) {
        reader.line(line.trim()).map_err(|problem| Fault::at(number, problem, REMEDY))?;
        reader.lines = number;
    }
    if reader.place != AsciiPlace::Outside {
        return Err(Fault::at(reader.lines, "the file ends before the `endsolid` of its last solid", REMEDY));
    }
    finish(reader.mesh, reader.names)
}

/// State of the reader of an ASCII file in its grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum AsciiPlace {
    #[default]
    Outside,
    Solid,
    Facet,
    /// In a loop, after this number of corners.
    Loop(usize),
    /// Behind a loop.
    Closed,
}

impl AsciiPlace {
    /// The statement that has to come.
    fn wanted(self) -> &'static str {
        match self {
            Self::Outside => "solid",
            Self::Solid => "facet` or `endsolid",
            Self::Facet => "outer loop",
            Self::Loop(3) => "endloop",
            Self::Loop(_) => "vertex X Y Z",
            Self::Closed => "endfacet",
        }
    }
}

#[derive(Default)]
struct AsciiStl {
    mesh: Mesh,
    place: AsciiPlace,
    /// The name of the solid that is read, and of those before it with triangles.
    name: String,
    names: Vec<String>,
    lines: usize,
}

impl AsciiStl {
    fn line(&mut self, line: &str) -> Result<(), String> {
        let mut words = line.split_ascii_whitespace();
        let Some(keyword) = words.next() else { return Ok(()) };
        let is = |word: &str| keyword.eq_ignore_ascii_case(word);
        self.place = match self.place {
            AsciiPlace::Outside if is("solid") => {
                line["solid".len()..].trim().clone_into(&mut self.name);
                AsciiPlace::Solid
            }
            AsciiPlace::Outside => return Err("text outside of `solid` ... `endsolid`".into()),
            _ if is("solid") => return Err("`solid` before the last one's `endsolid`".into()),
            AsciiPlace::Solid if is("facet") => AsciiPlace::Facet,
            AsciiPlace::Solid if is("endsolid") => {
                self.end_solid();
                AsciiPlace::Outside
            }
            AsciiPlace::Facet if is("outer") => AsciiPlace::Loop(0),
            AsciiPlace::Loop(corners @ 0..3) if is("vertex") => {
                self.corner(words)?;
                AsciiPlace::Loop(corners + 1)
            }
            AsciiPlace::Loop(3) if is("endloop") => AsciiPlace::Closed,
            AsciiPlace::Closed if is("endfacet") => {
                add_triangle(&mut self.mesh, self.names.len() as u32); // at most one for each triangle
                AsciiPlace::Solid
            }
            place => {
                let shown: String = line.chars().take(40).collect();
                let triangle = self.mesh.triangles.len();
                return Err(format!("triangle {triangle}: `{shown}` instead of `{}`", place.wanted()));
            }
        };
        Ok(())
    }

    /// `x y z` of a vertex.
    fn corner<'t>(&mut self, words: impl Iterator<Item = &'t str>) -> Result<(), String> {
        let index = self.mesh.vertices.len();
        let (mut position, mut count) = ([0.0; 3], 0);
        for word in words {
            let value = word.parse().map_err(|_| format!("vertex {index}: `{word}` is not a number"))?;
            *position.get_mut(count).ok_or_else(|| format!("vertex {index} has more than three numbers"))? = value;
            count += 1;
        }
        if count < 3 {
            return Err(format!("vertex {index} has {count} coordinates instead of three"));
        }
        add_corner(&mut self.mesh, position)
    }

    /// A solid is a piece, if it has a triangle.
    fn end_solid(&mut self) {
        let name = std::mem::take(&mut self.name);
        if self.mesh.piece.last().is_some_and(|&piece| piece as usize == self.names.len()) {
            self.names.push(name);
            self.mesh.pieces += 1;
        }
    }
}

fn finish(mesh: Mesh, names: Vec<String>) -> Result<(Mesh, Vec<String>), Fault> {
    if mesh.triangles.is_empty() {
        return Err(Fault::new("the STL file has no triangles and so no vertices", "export the geometry again"));
    }
    Ok((mesh, names))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binary(header: &[u8], triangles: &[[f32; 9]]) -> Vec<u8> {
        let mut bytes = header.to_vec();
        bytes.resize(80, b' ');
        bytes.extend((triangles.len() as u32).to_le_bytes());
        for t in triangles {
            bytes.extend([0; 12]);
            bytes.extend(t.iter().flat_map(|c| c.to_le_bytes()));
            bytes.extend([0, 0]);
        }
        bytes
    }

    #[test]
    fn a_binary_file_that_begins_with_solid_is_binary() {
        let t = [0.1, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        let mesh = read(&binary(b"solid exported by", &[t, t])).expect("a mesh");
        assert_eq!(mesh.triangles, [[0, 1, 2], [3, 4, 5]]);
        assert_eq!(mesh.vertices[3], [f64::from(0.1_f32), 0.0, 0.0]);
        assert_eq!(mesh.coordinate_step, f64::from(f32::EPSILON));
        let mut cut = binary(b"solid exported by", &[t, t]);
        cut.pop();
        assert!(read(&cut).expect_err("truncated").problem.contains("truncated"));
    }

    #[test]
    fn several_ascii_solids_are_pieces() {
        let facet =
            "facet normal nan nan nan\n OUTER loop\nvertex 0 0 0\nvertex 1 0 0\n vertex 0 1 1e-1\nendloop\nendfacet\n";
        let text = format!("solid\n{facet}endsolid\n\nSOLID b\r\n{facet}{facet}EndSolid b\n");
        let mesh = read(text.as_bytes()).expect("a mesh");
        assert_eq!((mesh.piece, mesh.pieces), (vec![0, 1, 1], 2));
        assert_eq!((mesh.vertices[2], mesh.coordinate_step), ([0.0, 1.0, 0.1], 0.0));
        let solids = read_solids(text.replace("SOLID b", "SOLID Left  Door").as_bytes()).expect("solids");
        let facts: Vec<_> = solids.iter().map(|solid| (solid.name.as_str(), solid.mesh.triangles.len())).collect();
        assert_eq!(facts, [("", 1), ("Left  Door", 2)]);
        let names = |names: [&[u8]; 2]| {
            let solids = names.map(|name| [b"solid ", name, b"\n", facet.as_bytes(), b"endsolid\n"].concat()).concat();
            read_solids(&solids).expect("solids").into_iter().map(|solid| solid.name).collect::<Vec<_>>()
        };
        assert_eq!(names(["T\u{fc}r".as_bytes(), b"Tor"]), ["T\u{fc}r", "Tor"]);
        assert_eq!(names([b"T\xfcr", b"T\xf6r"]), ["T\u{fc}r", "T\u{f6}r"], "Latin-1");
        let fault = read(text.replace("EndSolid b", "").as_bytes()).expect_err("open end");
        assert_eq!(fault.line, Some(26), "{fault:?}");
        assert!(read(format!("{text}junk").as_bytes()).expect_err("junk").problem.contains("outside"));
    }

    #[test]
    fn bad_counts_and_numbers_are_refused() {
        let mut huge = binary(b"", &[]);
        huge[80..84].fill(0xff);
        assert!(read(&huge).expect_err("huge").problem.contains("4294967295 triangles"));
        assert!(read(&binary(b"", &[])).expect_err("empty").problem.contains("no triangles"));
        assert!(read(&[1, 2, 3]).expect_err("short").problem.contains("too few"));
        let mut trailing = binary(b"", &[[0.0; 9]]);
        trailing.push(0);
        assert!(read(&trailing).expect_err("trailing").problem.contains("trailing"));
        let mut t = [0.0; 9];
        t[7] = f32::NAN;
        assert!(read(&binary(b"", &[t])).expect_err("nan").problem.contains("vertex 2 has the y coordinate NaN"));
    }
}
