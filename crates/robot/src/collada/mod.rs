//! COLLADA 1.4 and 1.5 (<https://www.khronos.org/collada/>): the triangles of a scene.

mod geometry;
mod nodes;

use crate::model::Note;
use crate::notes::Notes;
use crate::xml::{Element, Source};
use clearsweep_base::Result;
use std::collections::HashMap;
use std::path::Path;

/// The axis that points up in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpAxis {
    /// X up, -Y to the right.
    X,
    /// Y up, X to the right; the default of COLLADA.
    Y,
    /// Z up, X to the right, as in URDF.
    Z,
}

impl UpAxis {
    /// Turns a point into axes whose z points up (COLLADA 1.4.1, `up_axis`).
    pub fn to_z_up(self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        match self {
            Self::X => [-y, -z, x],
            Self::Y => [x, -z, y],
            Self::Z => [x, y, z],
        }
    }
}

/// A polygon of more than three corners among the triangles of a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DaePolygon {
    /// Index of its first triangle.
    pub first: usize,
    /// Count of its triangles: a fan around its first corner.
    pub count: usize,
    /// Line of the file, from 1.
    pub line: usize,
}

/// The triangles of a COLLADA scene.
#[derive(Debug, Clone, PartialEq)]
pub struct DaeMesh {
    /// Vertices in metres, in the axes of the file: see `up_axis`.
    pub vertices: Vec<[f64; 3]>,
    /// Triangles as indices of vertices, anticlockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Polygons of more than three corners. A fan is right for a convex flat polygon only: the
    /// caller cuts the others anew.
    pub polygons: Vec<DaePolygon>,
    /// The axis that the file calls up. It is not applied: RViz and MoveIt ignore it, Gazebo turns
    /// the mesh.
    pub up_axis: UpAxis,
    /// Parts of the file that were not read and may matter for proximity.
    pub notes: Vec<Note>,
}

/// Reads a COLLADA file from its `text`; `path` names it in messages.
///
/// The mesh is that of the scene: all instances of geometries, moved by their nodes and scaled to
/// metres (`unit`). A node that mirrors turns the triangles round, so that they stay anticlockwise.
///
/// # Errors
/// The first thing that is wrong, with its line; and skins and morphs (`instance_controller`),
/// strips and fans of triangles, polygons with holes, geometries other than meshes, `lookat` and
/// `skew`.
pub fn read_dae(path: &Path, text: &str) -> Result<DaeMesh> {
    let source = Source::new(path, text);
    let document = source.parse("COLLADA")?;
    let root = source.root(&document);
    if root.name() != "COLLADA" {
        let problem = format!("the root element is `{}`, not `COLLADA`", root.name());
        return Err(root.fault(problem, "give a COLLADA file, or name the file by the ending of its format"));
    }
    let mut reader = DaeReader::new(root)?;
    reader.scene(root)?;
    let mut mesh = reader.mesh;
    mesh.notes = reader.notes.finish();
    Ok(mesh)
}

struct DaeReader<'d> {
    /// Elements by `id`, and the second one of an `id` that stands twice.
    ids: HashMap<&'d str, (Element<'d>, Option<Element<'d>>)>,
    /// Metres for one unit of length.
    unit: f64,
    /// Geometries that were read already, by `id`.
    geometries: HashMap<&'d str, geometry::Geometry>,
    mesh: DaeMesh,
    notes: Notes,
}

impl<'d> DaeReader<'d> {
    fn new(root: Element<'d>) -> Result<Self> {
        let mut notes = Notes::default();
        let mut ids: HashMap<&str, (Element<'d>, Option<Element<'d>>)> = HashMap::new();
        for element in root.descendants() {
            if let Some(id) = element.attribute("id") {
                // A fault only if something refers to it.
                ids.entry(id).and_modify(|(_, second)| *second = second.or(Some(element))).or_insert((element, None));
            }
        }
        let asset = root.child("asset")?;
        let child = |name| asset.map_or(Ok(None), |asset| asset.child(name));
        let unit = match child("unit")? {
            Some(unit) if unit.attribute("meter").is_some() => unit.positive::<1>("meter")?[0],
            _ => 1.0,
        };
        let up_axis = match child("up_axis")? {
            None => UpAxis::Y,
            Some(element) => match element.text().trim() {
                "X_UP" => UpAxis::X,
                "Y_UP" => UpAxis::Y,
                "Z_UP" => UpAxis::Z,
                other => return Err(element.fault(format!("unknown `up_axis` (`{other}`)"), "give `Z_UP`")),
            },
        };
        if up_axis != UpAxis::Z {
            let text = "`up_axis` is not Z_UP, and not applied: RViz and MoveIt ignore it too, Gazebo turns the mesh";
            notes.add(asset.map_or(1, |asset| asset.line()), text);
        }
        let (vertices, triangles, polygons) = (Vec::new(), Vec::new(), Vec::new());
        let mesh = DaeMesh { vertices, triangles, polygons, up_axis, notes: Vec::new() };
        Ok(Self { ids, unit, geometries: HashMap::new(), mesh, notes })
    }

    /// The element of a kind that an attribute of an element refers to by `#id`.
    fn target(&self, element: Element<'d>, attribute: &str, kind: &str) -> Result<Element<'d>> {
        let address = element.required(attribute)?;
        let found = address.strip_prefix('#').and_then(|id| self.ids.get(id));
        if let Some((_, Some(second))) = found {
            let problem = format!("a second element with the id `{}`, which is referred to", &address[1..]);
            return Err(second.fault(problem, "rename one of the two"));
        }
        let found = found.map(|(first, _)| first);
        let missing = || {
            let problem = format!("`{}` refers to `{address}`, which is no `{kind}` of the file", element.name());
            element.fault(problem, "export the mesh anew, as one file")
        };
        found.copied().filter(|found| found.name() == kind).ok_or_else(missing)
    }
}
