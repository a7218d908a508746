//! The elements `geom` and `mesh`.

use super::MjcfReader;
use super::defaults::Attributes;
use crate::model::{Collision, CollisionShape, Place};
use crate::rotation::{self, compose};
use crate::xml::{Element, check_unique};
use clearsweep_base::Result;
use clearsweep_base::error::nearest;
use std::collections::HashMap;

/// A mesh of the assets.
pub(super) struct MeshAsset {
    file: String,
    scale: [f64; 3],
}

const SIZE: &str = "give half lengths and radii above 0 in metres";

impl<'d> MjcfReader<'d, '_> {
    /// Reads the meshes of an `asset`.
    pub(super) fn assets(&mut self, asset: Element<'d>) -> Result<()> {
        let mut lines = HashMap::new();
        for element in self.files.children(asset).into_iter().filter(|child| child.name() == "mesh") {
            let attributes = self.defaults.attributes(element, 0)?;
            let Some(file) = attributes.text("file") else {
                let problem = "a mesh without `file` is not read";
                return Err(element.fault(problem, "write its vertices to an OBJ or STL file, and name that"));
            };
            if let Some(name) = ["refpos", "refquat"].into_iter().find(|name| attributes.holder(name).is_some()) {
                let remedy = "apply it to the vertices of the file, or to `pos` and `quat` of the geoms";
                return Err(element.fault(format!("`{name}` of a mesh is not read"), remedy));
            }
            let base = file.rsplit(['/', '\\']).next().unwrap_or(file);
            let stem = base.rsplit_once('.').map_or(base, |(stem, _)| stem);
            let name = element.attribute("name").unwrap_or(stem).trim().to_owned();
            check_unique(&mut lines, element, "mesh", &name)?;
            let scale = attributes.numbers("scale")?.unwrap_or([1.0; 3]);
            if scale.contains(&0.0) {
                return Err(
                    element.fault(format!("`scale` of the mesh `{name}` has a factor of 0"), "give other factors")
                );
            }
            self.meshes.insert(name, MeshAsset { file: self.compiler.mesh_file(file), scale });
        }
        Ok(())
    }

    /// The collision geometry of a geom; none if the geom is only seen, or is a plane or a height
    /// field.
    pub(super) fn geom(&mut self, element: Element<'d>, frame: &Place, class: usize) -> Result<Option<Collision>> {
        const KNOWN: [&str; 35] = [
            "name",
            "class",
            "type",
            "contype",
            "conaffinity",
            "condim",
            "group",
            "priority",
            "size",
            "material",
            "friction",
            "mass",
            "density",
            "shellinertia",
            "solmix",
            "solref",
            "solimp",
            "margin",
            "gap",
            "fromto",
            "pos",
            "quat",
            "axisangle",
            "xyaxes",
            "zaxis",
            "euler",
            "hfield",
            "mesh",
            "fitscale",
            "rgba",
            "fluidshape",
            "fluidcoef",
            "user",
            "octree",
            "surfacevel",
        ];
        self.check_attributes(element, &KNOWN)?;
        let attributes = self.defaults.attributes(element, class)?;
        let masks = [attributes.number("contype")?.unwrap_or(1.0), attributes.number("conaffinity")?.unwrap_or(1.0)];
        if masks == [0.0; 2] {
            self.note(element, "a `geom` with `contype` and `conaffinity` 0 is only seen: it is not read");
            return Ok(None);
        }
        let kind = attributes.text("type").unwrap_or("sphere");
        if ["plane", "hfield", "sdf"].contains(&kind) {
            self.note(element, &format!("a `geom` of the type `{kind}` is not read: add it to the scene as a body"));
            return Ok(None);
        }
        if masks != [1.0; 2] {
            self.note(element, "`contype` and `conaffinity` are not read as rules: all pairs of links are");
        }
        if attributes.number("margin")?.is_some_and(|margin| margin != 0.0) {
            self.note(element, "`margin` of geoms is not read: distances are those of the shapes");
        }
        let (place, shape) = match attributes.numbers::<6>("fromto")? {
            Some(ends) if kind != "sphere" && kind != "mesh" => self.between(&attributes, kind, ends)?,
            _ => (self.compiler.place(&attributes)?, self.shape(&attributes, kind)?),
        };
        let name = element.attribute("name").map(|name| name.trim().to_owned());
        Ok(Some(Collision { name, line: element.at(), place: compose(frame, &place), shape }))
    }

    fn shape(&mut self, attributes: &Attributes<'d, '_>, kind: &str) -> Result<CollisionShape> {
        if kind == "mesh" {
            return self.mesh(attributes);
        }
        let element = attributes.element;
        if attributes.holder("mesh").is_some() {
            let problem = format!("a {kind} that is fitted to a mesh is not read");
            return Err(element.fault(problem, "give the geom a `size`, or the type `mesh`"));
        }
        Ok(match kind {
            "sphere" => CollisionShape::Sphere { radius: sizes::<1>(attributes)?[0] },
            "box" => CollisionShape::Box { sides: sizes(attributes)?.map(|half| 2.0 * half) },
            "ellipsoid" => CollisionShape::Ellipsoid { half_axes: sizes(attributes)? },
            "cylinder" | "capsule" => {
                let [radius, half] = sizes(attributes)?;
                round(kind, radius, 2.0 * half)
            }
            _ => {
                let remedy = "give one of: sphere, capsule, cylinder, box, ellipsoid, mesh, plane, hfield";
                return Err(element.fault(format!("the geom type `{kind}` is not known"), remedy));
            }
        })
    }

    /// A geom between two points: its z axis leads from the second to the first one, as in MuJoCo.
    fn between(&self, attributes: &Attributes<'d, '_>, kind: &str, ends: [f64; 6]) -> Result<(Place, CollisionShape)> {
        let element = attributes.element;
        let ([a, b, c, d, e, f], [radius]) = (ends, sizes::<1>(attributes)?);
        let along = [a - d, b - e, c - f];
        let equal = || element.fault("the two points of `fromto` are equal", "give two different points");
        let axis = rotation::unit(along).ok_or_else(equal)?;
        let length = rotation::dot(along, axis);
        let position = [0.5 * (a + d), 0.5 * (b + e), 0.5 * (c + f)];
        let shape = match kind {
            "cylinder" | "capsule" => round(kind, radius, length),
            "box" => CollisionShape::Box { sides: [2.0 * radius, 2.0 * radius, length] },
            "ellipsoid" => CollisionShape::Ellipsoid { half_axes: [radius, radius, 0.5 * length] },
            _ => return Err(element.fault(format!("the geom type `{kind}` has no `fromto`"), "give `size` and `pos`")),
        };
        Ok((Place { position, orientation: rotation::from_z(axis) }, shape))
    }

    fn mesh(&mut self, attributes: &Attributes<'d, '_>) -> Result<CollisionShape> {
        let element = attributes.element;
        let Some(name) = attributes.text("mesh") else {
            return Err(element.fault("a geom of the type `mesh` has no `mesh`", "name a mesh of `asset`"));
        };
        let Some(asset) = self.meshes.get(name) else {
            let mut names: Vec<&str> = self.meshes.keys().map(String::as_str).collect();
            names.sort_unstable();
            let remedy = match nearest(name, names.into_iter()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("add `<mesh name=\"{name}\" file=\"...\"/>` to `asset`"),
            };
            return Err(element.fault(format!("the mesh `{name}` does not exist"), remedy));
        };
        let shape = CollisionShape::Mesh { file: asset.file.clone(), scale: asset.scale };
        self.note(element, "meshes are read as they are; MuJoCo checks their convex hulls");
        Ok(shape)
    }
}

fn round(kind: &str, radius: f64, length: f64) -> CollisionShape {
    match kind {
        "cylinder" => CollisionShape::Cylinder { radius, length },
        _ => CollisionShape::Capsule { radius, length },
    }
}

/// The first `N` numbers of `size`, each positive; further ones have no meaning. An element that
/// gives fewer keeps the others of the class around it (MuJoCo, XML reference, `default`).
fn sizes<const N: usize>(attributes: &Attributes<'_, '_>) -> Result<[f64; N]> {
    let element = attributes.element;
    let missing = || element.fault(format!("`geom` has no `size` of {N} numbers"), SIZE);
    let holder = attributes.holder("size").ok_or_else(missing)?;
    let mut list = Vec::new();
    for element in attributes.holders("size") {
        let own = element.list("size", 1..=3)?.unwrap_or_default();
        list.extend(own.into_iter().skip(list.len()));
    }
    if list.len() < N {
        holder.list("size", N..=3)?;
    }
    let sizes: [f64; N] = list.get(..N).and_then(|list| list.try_into().ok()).ok_or_else(missing)?;
    match sizes.iter().find(|&&size| size <= 0.0) {
        None => Ok(sizes),
        Some(size) => Err(element.fault(format!("`size` of `geom` is not positive (`{size}`)"), SIZE)),
    }
}
