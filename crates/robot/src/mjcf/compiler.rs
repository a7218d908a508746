//! The element `compiler`: units, conventions, the folder of meshes; and poses, which depend on
//! them.

use super::defaults::Attributes;
use crate::model::Place;
use crate::rotation;
use crate::xml::Element;
use clearsweep_base::Result;

pub(super) struct Compiler<'d> {
    /// Radians for one unit of an angle.
    angle: f64,
    /// Axes of `euler`: lower case turns with the frame, upper case is fixed.
    eulerseq: [char; 3],
    meshdir: &'d str,
    strips_paths: bool,
    pub(super) has_autolimits: bool,
}

impl<'d> Compiler<'d> {
    /// Reads all elements `compiler`: a later attribute overrides an earlier one.
    pub(super) fn read(elements: impl Iterator<Item = Element<'d>>) -> Result<Self> {
        let degree = std::f64::consts::PI / 180.0;
        let mut own =
            Self { angle: degree, eulerseq: ['x', 'y', 'z'], meshdir: "", strips_paths: false, has_autolimits: true };
        for element in elements {
            match element.attribute("angle") {
                None => {}
                Some("radian") => own.angle = 1.0,
                Some("degree") => own.angle = degree,
                Some(other) => {
                    return Err(element.fault(format!("unknown `angle` (`{other}`)"), "give degree or radian"));
                }
            }
            if element.attribute("coordinate").is_some_and(|value| value != "local") {
                let remedy = "load the model in MuJoCo 2.3.3 or older, and save it: the result has local coordinates";
                return Err(element.fault("coordinates that are not local are not read", remedy));
            }
            if let Some(sequence) = element.attribute("eulerseq") {
                let wrong =
                    || element.fault(format!("`eulerseq` is not three axes (`{sequence}`)"), "give such as `xyz`");
                let axes: Vec<char> = sequence.chars().filter(|c| "xyzXYZ".contains(*c)).collect();
                own.eulerseq = axes.try_into().map_err(|_| wrong())?;
            }
            own.meshdir = element.attribute("meshdir").or(element.attribute("assetdir")).unwrap_or(own.meshdir);
            own.strips_paths = flag(element, "strippath")?.unwrap_or(own.strips_paths);
            own.has_autolimits = flag(element, "autolimits")?.unwrap_or(own.has_autolimits);
        }
        Ok(own)
    }

    /// The file of a mesh, relative to the folder of the main file.
    pub(super) fn mesh_file(&self, file: &str) -> String {
        let file = if self.strips_paths { file.rsplit(['/', '\\']).next().unwrap_or(file) } else { file };
        match self.meshdir.trim_end_matches('/') {
            "" if self.meshdir.is_empty() => file.to_owned(),
            _ if file.starts_with('/') => file.to_owned(),
            folder => format!("{folder}/{file}"),
        }
    }

    pub(super) fn radians(&self, angle: f64) -> f64 {
        self.angle * angle
    }

    /// The pose of an element: `pos`, and one of `quat`, `axisangle`, `xyaxes`, `zaxis`, `euler`.
    pub(super) fn place(&self, attributes: &Attributes<'d, '_>) -> Result<Place> {
        let position = attributes.numbers("pos")?.unwrap_or_default();
        let orientation = self.orientation(attributes)?.unwrap_or([1.0, 0.0, 0.0, 0.0]);
        Ok(Place { position, orientation })
    }

    fn orientation(&self, attributes: &Attributes<'d, '_>) -> Result<Option<[f64; 4]>> {
        const NAMES: [&str; 5] = ["quat", "axisangle", "xyaxes", "zaxis", "euler"];
        let element = attributes.element;
        let mut own = NAMES.into_iter().filter(|name| element.attribute(name).is_some());
        // The element's own orientation overrides one of another form in its class.
        let name = own.next().or_else(|| NAMES.into_iter().find(|name| attributes.holder(name).is_some()));
        let Some(name) = name else { return Ok(None) };
        if let Some(second) = own.next() {
            let problem = format!("`{}` has both `{name}` and `{second}`", element.name());
            return Err(element.fault(problem, "delete one of the two"));
        }
        let zero = || {
            let problem = format!("`{name}` of `{}` has no direction", element.name());
            element.fault(problem, "give vectors that are not 0 and not parallel")
        };
        let quaternion = match name {
            "quat" => attributes.numbers(name)?.and_then(rotation::unit),
            "axisangle" => attributes.numbers(name)?.and_then(|[x, y, z, angle]| {
                rotation::unit([x, y, z]).map(|axis| rotation::about(axis, self.radians(angle)))
            }),
            "xyaxes" => attributes.numbers(name)?.and_then(|[a, b, c, d, e, f]| from_xy([a, b, c], [d, e, f])),
            "zaxis" => attributes.numbers(name)?.and_then(rotation::unit).map(rotation::from_z),
            _ => attributes.numbers(name)?.map(|angles| self.euler(angles)),
        };
        quaternion.map(Some).ok_or_else(zero)
    }

    fn euler(&self, angles: [f64; 3]) -> [f64; 4] {
        let mut turned = [1.0, 0.0, 0.0, 0.0];
        for (axis, angle) in self.eulerseq.into_iter().zip(angles) {
            let unit = match axis.to_ascii_lowercase() {
                'x' => [1.0, 0.0, 0.0],
                'y' => [0.0, 1.0, 0.0],
                _ => [0.0, 0.0, 1.0],
            };
            let one = rotation::about(unit, self.radians(angle));
            let is_fixed = axis.is_ascii_uppercase();
            turned = if is_fixed { rotation::product(one, turned) } else { rotation::product(turned, one) };
        }
        rotation::unit(turned).unwrap_or(turned)
    }
}

/// The rotation that takes x to `x`, and y as near to `y` as it can.
fn from_xy(x: [f64; 3], y: [f64; 3]) -> Option<[f64; 4]> {
    let (x, y) = (rotation::unit(x)?, rotation::unit(y)?);
    let along = rotation::dot(x, y);
    let y = rotation::unit(std::array::from_fn(|k| y[k] - along * x[k]))?;
    Some(rotation::from_axes([x, y, rotation::cross(x, y)]))
}

/// The attribute of a name as a truth value.
pub(super) fn flag(element: Element<'_>, name: &str) -> Result<Option<bool>> {
    match element.attribute(name).map(str::trim) {
        None | Some("auto") => Ok(None),
        Some("true") => Ok(Some(true)),
        Some("false") => Ok(Some(false)),
        Some(other) => {
            let problem = format!("`{name}` of `{}` is neither true nor false (`{other}`)", element.name());
            Err(element.fault(problem, "give true or false"))
        }
    }
}
