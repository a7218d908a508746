//! Hulls of discs that are solids of revolution.

use super::Cap;
use crate::vec3::Vec3;

/// A solid of revolution whose profile is a segment beside the axis: cylinder, cone, frustum, disc.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Revolution {
    /// A point of the axis, metres.
    pub middle: Vec3<f64>,
    /// Direction of the axis, unit.
    pub axis: Vec3<f64>,
    /// Both ends of the profile: distance from the axis, and position along the axis from the
    /// middle, metres.
    pub profile: [[f64; 2]; 2],
}

/// How far numbers that are equal but for rounding may differ, as a share of them.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

impl Revolution {
    /// The hull of circles about one axis; `None` if the caps are no circles, or not about one.
    pub(super) fn of(caps: &[Cap]) -> Option<Self> {
        let (first, last) = (caps.first()?, caps.last()?);
        if caps.len() > 2 || !caps.iter().all(Cap::is_flat) {
            return None;
        }
        let radii = [circle(first)?, circle(last)?];
        let wider = if radii[0] >= radii[1] { first } else { last };
        let normal = wider.axes[0].cross(wider.axes[1]);
        let axis = Some(normal.normalized()).filter(|axis| axis.is_finite())?;
        // Both lie across the axis, and their middles on it.
        let size = radii[0] + radii[1] + (last.middle - first.middle).length();
        let is_across = |cap: &Cap| cap.axes[..2].iter().all(|half| half.dot(axis).abs() <= ROUNDING * size);
        let between = last.middle - first.middle;
        let along = between.dot(axis);
        let is_about = (between - axis.scale(along)).length() <= ROUNDING * size;
        (caps.iter().all(is_across) && is_about).then_some(Self {
            middle: first.middle,
            axis,
            profile: [[radii[0], 0.0], [radii[1], along]],
        })
    }
}

/// The radius of a disc that is a circle; 0 of a point.
fn circle(cap: &Cap) -> Option<f64> {
    let [x, y, _] = cap.axes;
    let (a, b) = (x.length(), y.length());
    let is_circle = (a - b).abs() <= ROUNDING * a && x.dot(y).abs() <= ROUNDING * a * a;
    is_circle.then_some(0.5 * (a + b))
}
