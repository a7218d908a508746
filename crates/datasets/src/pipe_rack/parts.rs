//! The parts of a plant, and the tables they are written to.

use crate::models::thousandth;
use crate::space::{Point3, Quaternion, along};
use clearsweep_base::error::{Error, Result};

/// Millimetres.
pub(super) type Mm = f64;

/// The geometry of a part.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Form {
    /// The value of `shape`, millimetres.
    Shape(String),
    /// Convex pieces of a file in `geometry/`, millimetres.
    Pieces(String),
    /// The dished end of a vessel of this diameter.
    DishedEnd(Mm),
    /// A glTF file, metres and y up.
    Gltf(String),
}

/// A part that does not move.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PlantPart {
    pub(super) name: String,
    pub(super) form: Form,
    /// Insulation, millimetres.
    pub(super) offset: Mm,
    /// Groups.
    pub(super) groups: Vec<String>,
    pub(super) position: Point3,
    pub(super) q: Quaternion,
}

/// No rotation.
pub(super) const UPRIGHT: Quaternion = [1.0, 0.0, 0.0, 0.0];

impl PlantPart {
    pub(super) fn new(name: impl Into<String>, form: Form, groups: &[&str], position: Point3) -> Self {
        let groups = groups.iter().map(|&group| group.to_owned()).collect();
        Self { name: name.into(), form, offset: 0.0, groups, position, q: UPRIGHT }
    }

    /// A box with sides along the axes.
    pub(super) fn cuboid(name: impl Into<String>, groups: &[&str], sides: Point3, center: Point3) -> Self {
        let [x, y, z] = sides.map(thousandth);
        Self::new(name, Form::Shape(format!("{{ box = [{x}, {y}, {z}] }}")), groups, center)
    }

    /// A prism that contains the cylinder of `radius` between two points.
    pub(super) fn cylinder(
        name: impl Into<String>,
        groups: &[&str],
        [from, to]: [Point3; 2],
        radius: Mm,
        sides: u32,
    ) -> Self {
        let axis = crate::space::sub(to, from);
        let length = crate::space::length(axis);
        let (r, l) = (thousandth(radius), thousandth(length));
        let form = Form::Shape(format!("{{ cylinder = [{r}, {l}, {sides}] }}"));
        let middle = [0, 1, 2].map(|k| (from[k] + to[k]) / 2.0);
        Self::new(name, form, groups, middle).turned(along(axis.map(|x| x / length)))
    }

    pub(super) fn turned(self, q: Quaternion) -> Self {
        Self { q, ..self }
    }

    pub(super) fn insulated(self, offset: Mm) -> Self {
        Self { offset, ..self }
    }
}

/// The columns of a table of parts.
const COLUMNS: [&str; 15] =
    ["body", "shape", "geometry", "model", "scale", "up", "offset", "group", "x", "y", "z", "qw", "qx", "qy", "qz"];

/// A table of parts as CSV; columns that no part of it needs are left out.
pub(super) fn table(parts: &[PlantPart]) -> Result<String> {
    let rows: Vec<Vec<String>> = parts.iter().map(cells).collect();
    let used: Vec<usize> = (0..COLUMNS.len()).filter(|&c| rows.iter().any(|row| !row[c].is_empty())).collect();
    let failed = |error: csv::Error| Error::internal("a table of parts", error);
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(used.iter().map(|&c| COLUMNS[c])).map_err(failed)?;
    for row in &rows {
        writer.write_record(used.iter().map(|&c| &row[c])).map_err(failed)?;
    }
    let bytes = writer.into_inner().map_err(|error| Error::internal("a table of parts", error))?;
    String::from_utf8(bytes).map_err(|error| Error::internal("a table of parts", error))
}

fn cells(part: &PlantPart) -> Vec<String> {
    let none = String::new;
    let mut cells = match &part.form {
        Form::Shape(shape) => vec![part.name.clone(), shape.clone(), none(), none(), none(), none()],
        Form::Pieces(file) => {
            vec![part.name.clone(), none(), format!("geometry/{file}"), "pieces".into(), none(), none()]
        }
        Form::DishedEnd(diameter) => {
            let file = "geometry/dished-end.stl".to_owned();
            vec![part.name.clone(), none(), file, "hull".into(), thousandth(*diameter).to_string(), none()]
        }
        Form::Gltf(file) => {
            vec![part.name.clone(), none(), format!("geometry/{file}"), "pieces".into(), none(), "y".into()]
        }
    };
    cells.push(if part.offset > 0.0 { thousandth(part.offset).to_string() } else { none() });
    cells.push(part.groups.join(";"));
    cells.extend(part.position.map(|x| thousandth(x).to_string()));
    let turned = part.q != UPRIGHT;
    cells.extend(part.q.map(|c| if turned { c.to_string() } else { none() }));
    cells
}
