//! The key `orientation` of a static body: a quaternion, roll, pitch and yaw, an axis with an
//! angle, or a matrix.

use super::keys::{Field, Keys};
use super::values::Value;
use clearsweep_base::error::Result;
use clearsweep_geometry::Vec3;
use clearsweep_geometry::angles::{AngleUnit, cos_sin_degrees, from_roll_pitch_yaw, from_rotation};

/// Quaternions may be off norm, and matrices off orthonormal, by this much.
const TOLERANCE: f64 = 1e-3;

/// Forms of an orientation that may be written, for messages.
const FORMS: &str = "write such as `{ qw = 1, qx = 0, qy = 0, qz = 0 }`, `{ rpy = [0, 0, 90] }` (degrees), \
                     `{ axis = [0, 0, 1], angle = 90 }` (degrees) or `{ matrix = [[1, 0, 0], [0, 1, 0], [0, 0, 1]] }`";

/// The quaternion `w, x, y, z` of an orientation, of norm 1 within 1e-3.
///
/// # Errors
/// Keys of several forms, or none; a quaternion off norm; a matrix that is no rotation.
pub(super) fn orientation(field: &Field<'_>) -> Result<[f64; 4]> {
    let table = field.table()?;
    table.only(&["qw", "qx", "qy", "qz", "rpy", "axis", "angle", "matrix"])?;
    let given = |keys: &[&str]| keys.iter().any(|key| table.get(key).is_some());
    let forms = [given(&["qw", "qx", "qy", "qz"]), given(&["rpy"]), given(&["axis", "angle"]), given(&["matrix"])];
    match forms {
        [true, false, false, false] => quaternion(field, &table),
        [false, true, false, false] => {
            let key = table.required("rpy", FORMS)?;
            let items = key.items(Some(3), "angles [roll, pitch, yaw]")?;
            let angles = [degrees(&items[0])?, degrees(&items[1])?, degrees(&items[2])?];
            Ok(from_roll_pitch_yaw(angles.map(|angle| AngleUnit::Degrees.cos_sin_of_half(angle))))
        }
        [false, false, true, false] => from_axis_and_angle(&table),
        [false, false, false, true] => from_matrix(&table.required("matrix", FORMS)?),
        [false, false, false, false] => Err(field.error("the orientation is empty", FORMS)),
        _ => Err(field.error("the orientation is given in several forms", format!("keep one: {FORMS}"))),
    }
}

/// Named components; kept as written, since the rotation is that of the quaternion normalised.
fn quaternion(field: &Field<'_>, table: &Keys<'_>) -> Result<[f64; 4]> {
    let mut q = [0.0; 4];
    for (component, name) in q.iter_mut().zip(["qw", "qx", "qy", "qz"]) {
        *component = table.required(name, "give all of qw, qx, qy, qz")?.number()?;
    }
    if is_unit(&q) {
        return Ok(q);
    }
    let remedy = "give a unit quaternion (qw is the scalar part)";
    Err(field.error(format!("the quaternion has the norm {}, not 1 within 1e-3", norm(&q)), remedy))
}

/// Whether a quaternion has the norm 1 within 1e-3; one with NaN or an infinity has not.
pub(super) fn is_unit(q: &[f64; 4]) -> bool {
    (norm(q) - 1.0).abs() <= TOLERANCE
}

fn norm(q: &[f64; 4]) -> f64 {
    q.iter().map(|c| c * c).sum::<f64>().sqrt()
}

/// An angle in degrees: a number, or a text such as `"90deg"` or `"1.57rad"`.
pub(super) fn degrees(field: &Field<'_>) -> Result<f64> {
    let Value::Text(text) = field.value else { return field.number() };
    let trimmed = text.trim();
    let (number, factor) = match (trimmed.strip_suffix("deg"), trimmed.strip_suffix("rad")) {
        (Some(number), _) => (number, 1.0),
        (_, Some(number)) => (number, 180.0 / std::f64::consts::PI),
        _ => (trimmed, 1.0),
    };
    let value = number.trim().parse::<f64>().ok().map(|value| value * factor).filter(|value| value.is_finite());
    value.ok_or_else(|| {
        field.error(format!("`{text}` is not an angle"), "give degrees as a number, or a text such as \"1.57rad\"")
    })
}

fn from_axis_and_angle(table: &Keys<'_>) -> Result<[f64; 4]> {
    let remedy = "give both, such as { axis = [0, 0, 1], angle = 90 }";
    let (axis, angle) = (table.required("axis", remedy)?, table.required("angle", remedy)?);
    let components = axis.numbers(3)?;
    // Divided by the largest first, so that no square leaves the range of numbers.
    let largest = components.iter().fold(0.0_f64, |most, c| most.max(c.abs()));
    if largest == 0.0 {
        return Err(axis.error("the axis has no direction", "give a direction, such as [0, 0, 1]"));
    }
    let direction = Vec3::new(components[0] / largest, components[1] / largest, components[2] / largest);
    let (cos, sin) = cos_sin_degrees(degrees(&angle)? / 2.0);
    let [x, y, z] = (direction * (sin / direction.length())).to_array();
    Ok([cos, x, y, z])
}

/// The quaternion of a matrix of three rows, whose columns are the body's axes in the world.
fn from_matrix(field: &Field<'_>) -> Result<[f64; 4]> {
    let wanted = "give the three rows of a rotation, [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]]; the columns are the \
                  body's axes, and the translation goes into `position`";
    let mut m = [[0.0; 3]; 3];
    let rows = field.items(Some(3), "rows").map_err(|error| field.error(error.problem, wanted))?;
    for (to, row) in m.iter_mut().zip(rows) {
        let numbers = row.numbers(3).map_err(|error| field.error(error.problem, wanted))?;
        to.copy_from_slice(&numbers);
    }
    let rows = m.map(Vec3::from);
    for (i, row) in rows.iter().enumerate() {
        let length = row.length();
        if (length - 1.0).abs() > TOLERANCE || !length.is_finite() {
            let remedy = "give a rotation: rows of length 1; a scale goes into the key `scale`";
            return Err(
                field.error(format!("row {i} of the matrix has the length {length}, not 1 within 1e-3"), remedy)
            );
        }
        let across = row.dot(rows[(i + 1) % 3]);
        if across.abs() > TOLERANCE {
            let problem = format!("rows {i} and {} of the matrix are not at right angles", (i + 1) % 3);
            return Err(field.error(problem, "give a rotation: rows of length 1 at right angles to each other"));
        }
    }
    if rows[0].cross(rows[1]).dot(rows[2]) < 0.0 {
        let remedy = "give a rotation; mirror the geometry in its file";
        return Err(field.error("the matrix mirrors: its determinant is -1", remedy));
    }
    Ok(from_rotation(m))
}
