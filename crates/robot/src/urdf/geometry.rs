//! The elements `collision`, `origin` and `geometry`.

use super::UrdfReader;
use crate::model::{Collision, CollisionShape, Place};
use crate::rotation;
use crate::xml::Element;
use clearsweep_base::Result;

const SHAPES: &str = "box, sphere, cylinder, capsule, mesh";

impl UrdfReader {
    pub(super) fn collision(&mut self, element: Element<'_>) -> Result<Collision> {
        self.note_others(element, &["origin", "geometry", "material", "verbose"]);
        let name = element.attribute("name").map(str::trim).filter(|name| !name.is_empty());
        let place = self.origin(element)?;
        let geometry = element.required_child("geometry")?;
        let mut shapes = geometry.children();
        let remedy = format!("give one of: {SHAPES}");
        let shape = shapes.next().ok_or_else(|| geometry.fault("`geometry` has no shape", &remedy))?;
        if let Some(second) = shapes.next() {
            let problem = format!("`geometry` has a second shape (`{}`)", second.name());
            return Err(second.fault(problem, "write a `collision` for each shape"));
        }
        let shape = self.shape(shape)?;
        Ok(Collision { name: name.map(str::to_owned), line: element.at(), place, shape })
    }

    /// The `origin` in an element: identity if there is none.
    pub(super) fn origin(&mut self, element: Element<'_>) -> Result<Place> {
        let Some(origin) = element.child("origin")? else { return Ok(Place::IDENTITY) };
        self.check_attributes(origin, &["xyz", "rpy", "quat_xyzw"])?;
        let position = origin.numbers("xyz")?.unwrap_or_default();
        let rpy = origin.numbers("rpy")?;
        let orientation = match (rpy, origin.numbers("quat_xyzw")?) {
            (Some(_), Some(_)) => {
                return Err(origin.fault("`origin` has both `rpy` and `quat_xyzw`", "delete one of the two"));
            }
            (rpy, None) => rotation::from_rpy(rpy.unwrap_or_default()),
            (None, Some([x, y, z, w])) => rotation::unit([w, x, y, z])
                .ok_or_else(|| origin.fault("`quat_xyzw` of `origin` has length 0", "give a unit quaternion"))?,
        };
        Ok(Place { position, orientation })
    }

    fn shape(&mut self, element: Element<'_>) -> Result<CollisionShape> {
        let known: &[&str] = match element.name() {
            "box" => &["size"],
            "sphere" => &["radius"],
            "cylinder" | "capsule" => &["radius", "length"],
            "mesh" => &["filename", "scale"],
            name => {
                let problem = format!("the shape `{name}` is not known");
                return Err(element.fault(problem, format!("give one of: {SHAPES}")));
            }
        };
        self.check_attributes(element, known)?;
        let length = |name| element.positive::<1>(name).map(|[length]| length);
        Ok(match element.name() {
            "box" => CollisionShape::Box { sides: element.positive("size")? },
            "sphere" => CollisionShape::Sphere { radius: length("radius")? },
            "cylinder" => CollisionShape::Cylinder { radius: length("radius")?, length: length("length")? },
            "capsule" => CollisionShape::Capsule { radius: length("radius")?, length: length("length")? },
            _ => mesh(element)?,
        })
    }
}

fn mesh(element: Element<'_>) -> Result<CollisionShape> {
    let file = element.required("filename")?.to_owned();
    let scale = element.numbers("scale")?.unwrap_or([1.0; 3]);
    if scale.contains(&0.0) {
        let [x, y, z] = scale;
        let problem = format!("`scale` of the mesh `{file}` has a factor of 0 (`{x} {y} {z}`)");
        return Err(element.fault(problem, "give three factors that are not 0, for example `0.001 0.001 0.001`"));
    }
    Ok(CollisionShape::Mesh { file, scale })
}
