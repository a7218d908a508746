//! Wavefront OBJ: positions, faces, objects and groups.
//!
//! A reader of our own, because a published feature number is the vertex's index in the file: general readers renumber
//! vertices in order of use, drop those that no face uses, and cannot say which line is wrong. Normals, texture
//! coordinates and colours are skipped, and no material file is ever opened. Text need not be UTF-8 (comments and
//! names often are Latin-1); only the numbers are read.

use super::mesh::{Fault, Mesh, check_finite};
use std::collections::HashMap;

const REMEDY: &str = "export the file again, or mend this line";

/// Statements that define geometry which this reader would silently lose.
const FREE_FORM: [&str; 9] = ["curv", "curv2", "surf", "cstype", "deg", "bmat", "step", "parm", "bzp"];

/// Reads an OBJ file from memory.
///
/// # Errors
/// The first line that is malformed, by number.
pub(super) fn read(bytes: &[u8]) -> Result<Mesh, Fault> {
    if bytes.contains(&0) {
        return Err(Fault::new("the file is not text (it contains NUL bytes)", "check that it really is an OBJ file"));
    }
    let mut reader = ObjReader::default();
    for (line, text) in logical_lines(bytes) {
        reader.statement(line, &text).map_err(|problem| Fault::at(line, problem, REMEDY))?;
    }
    reader.finish()
}

/// Lines with their numbers from 1, without comments; a line that ends in a backslash goes on in the next one.
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
    String::from_utf8_lossy(line[..end].trim_ascii())
}

#[derive(Default)]
struct ObjReader {
    mesh: Mesh,
    object: String,
    group: String,
    pieces: HashMap<(String, String), u32>,
    piece: Option<u32>,
    /// The largest vertex that a face used before it was defined (legal, if it is defined later), and that line.
    ahead: Option<(u32, usize)>,
    corners: Vec<u32>,
}

impl ObjReader {
    fn statement(&mut self, line: usize, text: &str) -> Result<(), String> {
        let mut words = text.split_ascii_whitespace();
        let Some(keyword) = words.next() else { return Ok(()) };
        match keyword {
            "v" => self.vertex(words),
            "f" | "fo" => self.face(line, words),
            "o" | "g" => {
                let name = text[keyword.len()..].trim().to_owned();
                *(if keyword == "o" { &mut self.object } else { &mut self.group }) = name;
                self.piece = None;
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
        let index = self.mesh.vertices.len();
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
        for pair in corners[1..].windows(2) {
            self.mesh.triangles.push([corners[0], pair[0], pair[1]]);
            self.mesh.piece.push(piece);
        }
        self.corners = corners;
        Ok(())
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

    /// The number of the object and group that faces now belong to. The same names later are the same piece.
    fn current_piece(&mut self) -> u32 {
        if let Some(piece) = self.piece {
            return piece;
        }
        let next = self.mesh.pieces as u32; // at most one for each face
        let piece = *self.pieces.entry((self.object.clone(), self.group.clone())).or_insert(next);
        if piece == next {
            let parts = [self.object.as_str(), self.group.as_str()];
            self.mesh.names.push(parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/"));
        }
        self.mesh.pieces = self.mesh.pieces.max(piece as usize + 1);
        self.piece = Some(piece);
        piece
    }

    fn finish(self) -> Result<Mesh, Fault> {
        let count = self.mesh.vertices.len();
        match self.ahead {
            Some((index, line)) if index as usize >= count => {
                let problem =
                    format!("a face refers to vertex {}, but the file has {count} vertices", index as u64 + 1);
                Err(Fault::at(line, problem, REMEDY))
            }
            _ => Ok(self.mesh),
        }
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
