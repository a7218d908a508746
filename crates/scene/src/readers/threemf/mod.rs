//! 3MF (3MF Consortium, Core Specification 1.3): the objects that its build places.
//!
//! A file is a ZIP archive (`package`) of XML parts (`model`): objects are meshes, or components
//! that place other objects; the items of the build place objects (`tree`). A transform and the
//! unit apply to vertices and to translations. Other parts are read where the Production Extension
//! refers to them. Materials are read as groups; colours, textures and slices are not. An extension
//! that a file requires and that is not known here is an error.

mod model;
mod package;
mod tree;
mod xml;

use super::mesh::{Fault, Mesh};
use super::parts::FileParts;
use clearsweep_model::GeometryNote;
use model::{ModelPart, Object};
use package::Package;
use std::collections::HashMap;

const REMEDY: &str = "export the file again; a validator of 3MF says more";

/// Most vertices, and most triangles, of all objects, and once every item has its copy: a small
/// file may place one object many times.
const MAX_ELEMENTS: usize = 1 << 26;

/// A fault of the file as a whole.
fn fault(problem: impl Into<String>) -> Fault {
    Fault::new(problem, REMEDY)
}

/// Reads a 3MF file as one mesh in metres, with what is left out. `limit`: bytes that it may unpack
/// to.
///
/// # Errors
/// It is malformed, requires an extension that is not known, or has sheets beside solids.
pub(super) fn read(bytes: &[u8], limit: u64) -> Result<(Mesh, Vec<GeometryNote>), Fault> {
    tree::merged(&Document::read(bytes, limit)?)
}

/// Reads the tree of a 3MF file, names not yet unique.
///
/// # Errors
/// As for [`read`], but for sheets.
pub(super) fn read_nodes(bytes: &[u8], limit: u64) -> Result<FileParts, Fault> {
    tree::parts(&Document::read(bytes, limit)?)
}

/// The parts of a package that its build needs.
struct Document {
    root: ModelPart,
    /// By name: the parts beside the root.
    others: HashMap<String, ModelPart>,
}

impl Document {
    fn read(bytes: &[u8], limit: u64) -> Result<Self, Fault> {
        let mut package = Package::open(bytes, limit)?;
        let name = package.start_part()?;
        let root = ModelPart::read(&mut package, &name, None)?;
        let mut document = Self { root, others: HashMap::new() };
        for path in &document.root.paths {
            let part = ModelPart::read(&mut package, path, Some(document.root.unit))?;
            document.others.insert(path.clone(), part);
        }
        let parts = || std::iter::once(&document.root).chain(document.others.values());
        let size = parts().map(|part| part.size).sum::<usize>();
        check_size(size)?;
        Ok(document)
    }

    /// The object that a reference of a part names.
    fn object<'d>(
        &'d self,
        from: &'d ModelPart,
        reference: &model::Reference,
    ) -> Result<(&'d ModelPart, &'d Object), Fault> {
        let part = match &reference.path {
            None => from,
            Some(path) => self.others.get(path).unwrap_or(&self.root),
        };
        let object = part
            .objects
            .get(&reference.id)
            .ok_or_else(|| fault(format!("{}: object {} is named, but there is none", part.name, reference.id)))?;
        Ok((part, object))
    }

    /// Names the extensions of objects that are left out.
    fn extensions(&self) -> Option<GeometryNote> {
        let parts = std::iter::once(&self.root).chain(self.root.paths.iter().filter_map(|path| self.others.get(path)));
        let mut names: Vec<&str> = parts.flat_map(|part| part.foreign.iter().map(String::as_str)).collect();
        names.sort_unstable();
        names.dedup();
        (!names.is_empty()).then(|| GeometryNote {
            kind: "extension",
            problem: format!(
                "its objects use extensions that are not read: {}",
                super::notes::listed(names.into_iter())
            ),
            remedy: "if they change shapes, export the file without them",
        })
    }
}

fn check_size(count: usize) -> Result<(), Fault> {
    if count <= MAX_ELEMENTS {
        return Ok(());
    }
    let problem = format!("the build has more than {MAX_ELEMENTS} vertices and triangles, copies of objects included");
    Err(Fault::new(problem, "split it into several files"))
}
