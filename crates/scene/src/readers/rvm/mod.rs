//! RVM files of plants (AVEVA PDMS, E3D) with their attribute files: exact shapes and closed
//! polygons of items in a tree.
//!
//! ```text
//! plant.rs       bytes to groups and primitives as stored
//! place.rs       the matrix of a primitive
//! kind.rs        kinds of primitives, and their exact shapes
//! facets.rs      facet groups to meshes
//! attributes.rs  the attribute file
//! items.rs       what attributes say of a group: its classes, level and groups
//! bodies.rs      groups or primitives to the parts of a file
//! ```

mod attributes;
mod bodies;
mod facets;
mod items;
mod kind;
mod place;
mod plant;

use super::mesh::Fault;
use super::parts::{Each, FileParts, PartGeometry};
use crate::digest::InputReader;
use crate::shapes::{ShapePart, ShapeSpec};
pub use attributes::{Attribute, PlantAttributes, PlantItem, read_attributes};
use clearsweep_model::GeometryNote;
pub use kind::Kind;
pub use place::Placement;
pub use plant::{Plant, PlantGroup, PlantPrimitive, PrimitiveChunk, end_of_chunk, read_plant};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Purpose of a primitive, by its chunk and the attributes of its item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum PlantClass {
    /// The item itself.
    Prim,
    /// A volume to be kept free, such as of a hard obstruction.
    ObstHard,
    /// A volume that may be entered, such as for maintenance.
    ObstSoft,
    /// Insulation.
    Insu,
}

impl PlantClass {
    /// Words of `classes`; `obst` stands for both of its kinds.
    pub(crate) const WORDS: [(&str, &[Self]); 5] = [
        ("prim", &[Self::Prim]),
        ("obst", &[Self::ObstHard, Self::ObstSoft]),
        ("obst-hard", &[Self::ObstHard]),
        ("obst-soft", &[Self::ObstSoft]),
        ("insu", &[Self::Insu]),
    ];

    /// The word of `class:` selectors.
    fn word(self) -> &'static str {
        match self {
            Self::Prim => "prim",
            Self::ObstHard => "obst-hard",
            Self::ObstSoft => "obst-soft",
            Self::Insu => "insulation",
        }
    }
}

/// Options of a scene for an RVM file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlantOptions {
    /// The attribute file; `None`: that of the same name, if there is one.
    pub(crate) attributes: Option<PathBuf>,
    /// The classes that become bodies.
    pub(crate) classes: Vec<PlantClass>,
}

impl Default for PlantOptions {
    fn default() -> Self {
        Self { attributes: None, classes: vec![PlantClass::Prim, PlantClass::ObstHard] }
    }
}

/// Whether a file is an RVM file, by its extension.
pub(crate) fn is_plant(path: &Path) -> bool {
    super::extension(path) == "rvm"
}

/// The fault of a plant that is to be a mesh.
pub(super) fn no_mesh() -> Fault {
    Fault::new("an RVM file holds exact shapes, and is no mesh", BODY_PER_GROUP)
}

/// Remedy for a plant that is no single body.
const BODY_PER_GROUP: &str =
    "make bodies of its groups: a `[[bodies]]` with `each = \"group\"` instead of a `[[body]]`";

/// A plant as one body.
pub(crate) struct WholePlant {
    /// The primitives, in the frame of the plant, metres.
    pub(crate) shape: ShapeSpec,
    /// Rounding step of their origins as the file stores them, metres.
    pub(crate) step: f64,
    /// Notes on the parts left out of the file.
    pub(crate) notes: Vec<GeometryNote>,
}

/// Reads the primitives of the default classes from memory as the parts of one body.
///
/// # Errors
/// As [`read_parts`]; or a primitive is a facet group, as a body is exact shapes or triangles.
pub(crate) fn read_whole(path: &Path, bytes: &[u8], companions: &mut InputReader) -> Result<WholePlant, Fault> {
    let FileParts { nodes, geometries, notes, .. } =
        read_parts(path, bytes, Each::Primitive, &PlantOptions::default(), companions)?;
    let (mut list, mut step, mut facets) = (Vec::new(), 0.0_f64, 0);
    for node in &nodes {
        match node.geometry.map(|geometry| &geometries[geometry as usize]) {
            None => {}
            Some(PartGeometry::Mesh(_)) => facets += 1,
            Some(PartGeometry::Shape { shape, step: own }) => {
                step = step.max(*own);
                let ShapeSpec::Parts(parts) = &**shape else { continue };
                // The origin of a primitive is that of its node.
                let placed = |part: &ShapePart| ShapePart { place: node.place, ..part.clone() };
                list.extend(parts.iter().map(placed));
            }
        }
    }
    if facets > 0 {
        let problem = format!("{facets} of its primitives are facets, and a body is exact shapes or triangles");
        return Err(Fault::new(problem, BODY_PER_GROUP));
    }
    Ok(WholePlant { shape: ShapeSpec::Parts(list), step, notes })
}

/// Reads the parts of an RVM file from memory, names not yet unique; the attribute file is read by
/// `companions`.
///
/// # Errors
/// The file or the attribute file is damaged, or no primitive is left.
pub(super) fn read_parts(
    path: &Path,
    bytes: &[u8],
    each: Each,
    options: &PlantOptions,
    companions: &mut InputReader,
) -> Result<FileParts, Fault> {
    let plant = read_plant(bytes)?;
    let (attributes, remark) = attributes_of(path, options, companions)?;
    let mut parts = bodies::parts(bytes, &plant, attributes.as_ref(), each == Each::Primitive, &options.classes)?;
    let said = |of: &'static str| move |remark: &String| format!("{of}{remark}");
    let remarks = plant.remarks.iter().map(said(""));
    let of_attributes = attributes.iter().flat_map(|found| &found.remarks).map(said("attributes: "));
    let notes = remarks.chain(of_attributes).chain(remark).map(|problem| note(problem, CHECK_EXPORT));
    parts.notes.extend(notes);
    Ok(parts)
}

/// Reads the parts of an RVM file and of its attributes from memory, and returns their number with
/// the notes: what a scene with all classes makes of them, before anything is built.
///
/// # Errors
/// As for a scene.
#[doc(hidden)]
pub fn count_parts(
    bytes: &[u8],
    attributes: Option<&[u8]>,
    by_primitive: bool,
) -> Result<(usize, Vec<GeometryNote>), Fault> {
    let plant = read_plant(bytes)?;
    let attributes = attributes.map(read_attributes).transpose()?;
    let classes = [PlantClass::Prim, PlantClass::ObstHard, PlantClass::ObstSoft, PlantClass::Insu];
    let found = bodies::parts(bytes, &plant, attributes.as_ref(), by_primitive, &classes)?;
    let each = if by_primitive { Each::Primitive } else { Each::Group };
    let found = super::parts::finish(found, each, "plant")?;
    Ok((found.geometries.len(), found.notes))
}

/// Remedy for what a file has and this reader does not know.
const CHECK_EXPORT: &str = "check that the export is whole";

/// A note of this reader.
fn note(problem: String, remedy: &'static str) -> GeometryNote {
    GeometryNote { kind: "rvm", problem, remedy }
}

/// The attributes of a plant, and a remark on a file beside it that was not read.
fn attributes_of(
    path: &Path,
    options: &PlantOptions,
    companions: &mut InputReader,
) -> Result<(Option<PlantAttributes>, Option<String>), Fault> {
    let beside = || ["att", "ATT", "txt", "TXT"].map(|ending| path.with_extension(ending)).into_iter();
    let file = match &options.attributes {
        Some(file) => file.clone(),
        None => match beside().find(|file| file.is_file()) {
            Some(file) if is_marked(&file) => file,
            Some(file) => {
                let remark = format!("{} is no attribute file, and is not read", file.display());
                return Ok((None, Some(remark)));
            }
            None => return Ok((None, None)),
        },
    };
    let named = |problem: String| format!("attributes in {}: {problem}", file.display());
    let bytes = companions.read(&file).map_err(|error| {
        let remedy = "check the path in `attributes`; it is relative to the scene";
        Fault::new(named(format!("the file cannot be read ({error})")), remedy)
    })?;
    let found = read_attributes(&bytes).map_err(|fault| Fault::new(named(fault.problem), fault.remedy))?;
    Ok((Some(found), None))
}

/// Whether a file begins as an attribute file does.
fn is_marked(file: &Path) -> bool {
    let mut begin = [0; 3 + attributes::MARK.len()];
    let read = std::fs::File::open(file).and_then(|mut file| file.read_exact(&mut begin));
    read.is_ok() && begin.windows(attributes::MARK.len()).any(|window| window == attributes::MARK)
}
