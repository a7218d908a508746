//! COLLADA meshes, in metres.

use super::mesh::{Fault, Mesh};
use super::polygons::{self, Fan};
use clearsweep_base::error::Error;
use clearsweep_model::GeometryNote;
use std::path::Path;

/// Remedy for what the reader leaves out.
const REMEDY: &str = "export the mesh as STL or OBJ if it matters";

/// Reads the triangles of a COLLADA file, with what was left out of it. The axis that the file
/// calls up is not applied: tools of robot descriptions disagree, and the note says which axis it
/// is.
///
/// # Errors
/// The file is no COLLADA that can be read, or a polygon crosses itself.
pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<(Mesh, Vec<GeometryNote>), Fault> {
    let text = std::str::from_utf8(bytes).map_err(|_| Fault::new("the file is not UTF-8", "save it as UTF-8"))?;
    let found = clearsweep_robot::read_dae(path, text).map_err(fault)?;
    let count = found.triangles.len();
    let fans: Vec<Fan> = found
        .polygons
        .iter()
        .map(|polygon| Fan { first: polygon.first as u32, count: polygon.count as u32, place: polygon.line })
        .collect();
    let mut mesh = Mesh {
        vertices: found.vertices,
        triangles: found.triangles,
        piece: vec![0; count],
        pieces: usize::from(count > 0),
        ..Mesh::default()
    };
    polygons::cut(&mut mesh, &fans).map_err(|bad| Fault::at(bad.place, bad.problem, polygons::REMEDY))?;
    let note = |note: clearsweep_robot::Note| {
        let problem = format!("line {}: {}", note.line, note.text);
        GeometryNote { kind: "collada", problem, remedy: REMEDY }
    };
    Ok((mesh, found.notes.into_iter().map(note).collect()))
}

/// The fault of an error that names the file and its line.
fn fault(error: Error) -> Fault {
    match error.place.rsplit_once(':').and_then(|(_, line)| line.parse().ok()) {
        Some(line) => Fault::at(line, error.problem, error.remedy),
        None => Fault::new(error.problem, error.remedy),
    }
}
