//! STL, binary and ASCII, through `stl_io`: the raw triangle soup.
//!
//! The layout is checked here before a byte is handed on: what is binary (many binary files begin with "solid" too),
//! whether the promised number of triangles is what the file holds, and where each `solid` of an ASCII file begins and
//! ends (`stl_io` reads the first one only). Coordinates are single precision in both encodings, so the same mesh is
//! the same body whichever it was written in.

use super::components;
use super::mesh::{Fault, MAX_ELEMENTS, Mesh, check_finite, text};
use super::parts::NamedMesh;
use crate::preflight::guarded;
use std::io::Cursor;

const HEADER: usize = 84;
const TRIANGLE: usize = 50;
const REMEDY: &str = "export the file again; it may have been cut off or changed in transfer";

/// Reads an STL file from memory.
///
/// # Errors
/// Bytes that are neither a whole binary nor a well-formed ASCII file.
pub(super) fn read(bytes: Vec<u8>) -> Result<Mesh, Fault> {
    read_named(bytes).map(|(mesh, _)| mesh)
}

/// The solids of an STL file by their names; that of a binary file has none.
///
/// # Errors
/// As for [`read`].
pub(super) fn read_solids(bytes: Vec<u8>) -> Result<Vec<NamedMesh>, Fault> {
    let (mesh, names) = read_named(bytes)?;
    let meshes = components::by_piece(&mesh).into_iter();
    Ok(meshes.zip(names).map(|(mesh, name)| NamedMesh { name, groups: Vec::new(), mesh }).collect())
}

/// The mesh, and the name of each of its pieces.
fn read_named(bytes: Vec<u8>) -> Result<(Mesh, Vec<String>), Fault> {
    // A defect of the parser must not take the program down; there is no state to be left half changed.
    guarded(|| if is_ascii(&bytes) { read_ascii(&bytes) } else { read_binary(bytes) })
        .unwrap_or_else(|| Err(Fault::new("the STL parser failed on this file", REMEDY)))
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

fn read_binary(mut bytes: Vec<u8>) -> Result<(Mesh, Vec<String>), Fault> {
    let size = bytes.len();
    let Some((count, expected)) = promised(&bytes) else {
        let problem = format!("{size} bytes are too few for an STL file, and it does not begin with `solid`");
        return Err(Fault::new(problem, REMEDY));
    };
    if size as u64 != expected {
        let what = if (size as u64) < expected { "is truncated" } else { "has trailing bytes" };
        let problem = format!("the binary STL {what}: {count} triangles take {expected} bytes, the file has {size}");
        return Err(Fault::new(problem, REMEDY));
    }
    bytes[..6].fill(0); // so that a header that begins with "solid " is not taken for text
    let mut mesh = Mesh { pieces: 1, ..Mesh::default() };
    add_triangles(&mut mesh, 0, &bytes).map_err(|problem| Fault::new(problem, REMEDY))?;
    finish(mesh, vec![String::new()])
}

/// Appends the triangles of one binary file or of one ASCII solid.
fn add_triangles(mesh: &mut Mesh, piece: u32, bytes: &[u8]) -> Result<(), String> {
    let mut cursor = Cursor::new(bytes);
    let reader = stl_io::create_stl_reader(&mut cursor).map_err(|error| error.to_string())?;
    for (number, triangle) in reader.enumerate() {
        let triangle = triangle.map_err(|error| format!("triangle {number}: {error}"))?;
        let first = mesh.vertices.len();
        if first > MAX_ELEMENTS - 3 {
            return Err("there are more than 2^31 - 1 vertices".into());
        }
        for vertex in triangle.vertices {
            let position = vertex.0.map(f64::from);
            check_finite(mesh.vertices.len(), position)?;
            mesh.vertices.push(position);
        }
        let first = first as u32; // checked above
        mesh.triangles.push([first, first + 1, first + 2]);
        mesh.piece.push(piece);
    }
    Ok(())
}

/// Reads solid by solid; keywords in any case; the normals are not used and may be anything.
fn read_ascii(bytes: &[u8]) -> Result<(Mesh, Vec<String>), Fault> {
    let written = text(bytes);
    let text = written.to_ascii_lowercase(); // of the same lines
    let mut mesh = Mesh::default();
    let mut solid: Option<(usize, String)> = None;
    let (mut name, mut names) = (String::new(), Vec::new());
    let lines = text.lines().map(str::trim).zip(written.lines().map(str::trim)).enumerate();
    for (number, line, as_written) in lines.map(|(n, (line, as_written))| (n + 1, line, as_written)) {
        let keyword = line.split_ascii_whitespace().next().unwrap_or_default();
        match (&mut solid, keyword) {
            (_, "") => {}
            (None, "solid") => {
                name = as_written.get("solid".len()..).unwrap_or_default().trim().to_owned();
                solid = Some((number, "solid s\n".into()));
            }
            (None, _) => return Err(Fault::at(number, "text outside of `solid` ... `endsolid`", REMEDY)),
            (Some(_), "solid") => return Err(Fault::at(number, "`solid` before the last one's `endsolid`", REMEDY)),
            (Some((_, facets)), "facet") => facets.push_str("facet normal 0 0 0\n"),
            (Some((_, facets)), "endsolid") => {
                facets.push_str("endsolid\n");
                let facets = solid.take();
                if add_solid(&mut mesh, facets)? {
                    names.push(std::mem::take(&mut name));
                }
            }
            (Some((_, facets)), _) => {
                facets.push_str(line);
                facets.push('\n');
            }
        }
    }
    if add_solid(&mut mesh, solid)? {
        names.push(name); // without its `endsolid`: the reader says so
    }
    finish(mesh, names)
}

/// A solid that begins on a line, with its text; whether it is a piece: not without a triangle.
fn add_solid(mesh: &mut Mesh, solid: Option<(usize, String)>) -> Result<bool, Fault> {
    let Some((line, text)) = solid else { return Ok(false) };
    let before = mesh.triangles.len();
    add_triangles(mesh, mesh.pieces as u32, text.as_bytes())
        .map_err(|problem| Fault::at(line, format!("in the solid that begins here, {problem}"), REMEDY))?;
    let is_piece = mesh.triangles.len() > before;
    mesh.pieces += usize::from(is_piece);
    Ok(is_piece)
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
        let mesh = read(binary(b"solid exported by", &[t, t])).expect("a mesh");
        assert_eq!(mesh.triangles, [[0, 1, 2], [3, 4, 5]]);
        assert_eq!(mesh.vertices[3], [f64::from(0.1_f32), 0.0, 0.0]);
        let mut cut = binary(b"solid exported by", &[t, t]);
        cut.pop();
        assert!(read(cut).expect_err("truncated").problem.contains("truncated"));
    }

    #[test]
    fn several_ascii_solids_are_pieces() {
        let facet =
            "facet normal nan nan nan\n OUTER loop\nvertex 0 0 0\nvertex 1 0 0\n vertex 0 1 1e-1\nendloop\nendfacet\n";
        let text = format!("solid\n{facet}endsolid\n\nSOLID b\r\n{facet}{facet}EndSolid b\n");
        let mesh = read(text.clone().into_bytes()).expect("a mesh");
        assert_eq!((mesh.piece, mesh.pieces), (vec![0, 1, 1], 2));
        assert_eq!(mesh.vertices[2], [0.0, 1.0, f64::from(0.1_f32)]);
        let solids = read_solids(text.replace("SOLID b", "SOLID Left  Door").into_bytes()).expect("solids");
        let facts: Vec<_> = solids.iter().map(|solid| (solid.name.as_str(), solid.mesh.triangles.len())).collect();
        assert_eq!(facts, [("", 1), ("Left  Door", 2)]);
        let names = |names: [&[u8]; 2]| {
            let solids = names.map(|name| [b"solid ", name, b"\n", facet.as_bytes(), b"endsolid\n"].concat()).concat();
            read_solids(solids).expect("solids").into_iter().map(|solid| solid.name).collect::<Vec<_>>()
        };
        assert_eq!(names(["T\u{fc}r".as_bytes(), b"Tor"]), ["T\u{fc}r", "Tor"]);
        assert_eq!(names([b"T\xfcr", b"T\xf6r"]), ["T\u{fc}r", "T\u{f6}r"], "Latin-1");
        let fault = read(text.replace("EndSolid b", "").into_bytes()).expect_err("open end");
        assert_eq!(fault.line, Some(11), "{fault:?}");
        assert!(read(format!("{text}junk").into_bytes()).expect_err("junk").problem.contains("outside"));
    }

    #[test]
    fn bad_counts_and_numbers_are_refused() {
        let mut huge = binary(b"", &[]);
        huge[80..84].fill(0xff);
        assert!(read(huge).expect_err("huge").problem.contains("4294967295 triangles"));
        assert!(read(binary(b"", &[])).expect_err("empty").problem.contains("no triangles"));
        assert!(read(vec![1, 2, 3]).expect_err("short").problem.contains("too few"));
        let mut trailing = binary(b"", &[[0.0; 9]]);
        trailing.push(0);
        assert!(read(trailing).expect_err("trailing").problem.contains("trailing"));
        let mut t = [0.0; 9];
        t[7] = f32::NAN;
        assert!(read(binary(b"", &[t])).expect_err("nan").problem.contains("vertex 2 has the y coordinate NaN"));
    }
}
