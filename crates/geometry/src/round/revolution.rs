//! Hulls of caps that are solids of revolution.

use super::Cap;
use crate::vec3::Vec3;

/// A solid of revolution: cylinder, cone, frustum, disc, dish, ellipsoid of two equal half axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Revolution {
    /// A point of the axis, metres.
    pub middle: Vec3<f64>,
    /// Direction of the axis, unit.
    pub axis: Vec3<f64>,
    /// Points of the outline beside the axis: distance from the axis, and position along the axis
    /// from the middle, metres. The first `count` are valid.
    pub profile: [[f64; 2]; 6],
    /// Number of the points.
    pub count: usize,
    /// Whether the solid is the hull of the circles through these points: no side is curved along
    /// the axis.
    pub is_straight: bool,
    /// No point is farther from the middle, metres.
    pub reach: f64,
}

/// How far numbers that are equal but for rounding may differ, as a share of them.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

impl Revolution {
    /// The hull of caps about one axis; `None` if they are not round about it.
    pub(super) fn of(caps: &[Cap]) -> Option<Self> {
        let (first, last) = (caps.first()?, caps.last()?);
        if caps.len() > 2 {
            return None;
        }
        let radii = [circle(first)?, circle(last)?];
        let wider = if radii[0] >= radii[1] { first } else { last };
        let normal = wider.axes[0].cross(wider.axes[1]);
        let axis = Some(normal.normalized()).filter(|axis| axis.is_finite())?;
        // All lie across the axis, and their middles and tops on it.
        let size = radii[0] + radii[1] + (last.middle - first.middle).length();
        let is_across = |cap: &Cap| cap.axes[..2].iter().all(|half| half.dot(axis).abs() <= ROUNDING * size);
        let is_along = |v: Vec3<f64>| (v - axis.scale(v.dot(axis))).length() <= ROUNDING * size;
        let between = last.middle - first.middle;
        if !caps.iter().all(|cap| is_across(cap) && is_along(cap.axes[2])) || !is_along(between) {
            return None;
        }
        let mut solid = Self {
            middle: first.middle,
            axis,
            profile: [[0.0; 2]; 6],
            count: 0,
            is_straight: caps.iter().all(Cap::is_flat),
            reach: 0.0,
        };
        for (cap, radius) in caps.iter().zip(radii) {
            let along = if std::ptr::eq(cap, first) { 0.0 } else { between.dot(axis) };
            let (up, top) = (cap.axes[2].dot(axis), cap.height.min(1.0));
            let widest = if cap.height >= 1.0 { radius } else { radius * cap.rim() };
            solid.add([widest, along]);
            // The flat end below a cap that is more than half of the ball.
            if cap.height > 1.0 && cap.height < 2.0 {
                solid.add([radius * cap.rim(), along + up * cap.lowest()]);
            }
            if cap.is_flat() {
                solid.reach = solid.reach.max(radius.hypot(along));
            } else {
                solid.add([0.0, along + up * top]);
                solid.reach = solid.reach.max(along.abs() + radius.hypot(up));
            }
        }
        Some(solid)
    }

    fn add(&mut self, point: [f64; 2]) {
        self.profile[self.count] = point;
        self.count += 1;
    }
}

/// The radius of a cap whose rim is a circle; 0 of a point.
fn circle(cap: &Cap) -> Option<f64> {
    let [x, y, _] = cap.axes;
    let (a, b) = (x.length(), y.length());
    let is_circle = (a - b).abs() <= ROUNDING * a && x.dot(y).abs() <= ROUNDING * a * a;
    is_circle.then_some(0.5 * (a + b))
}
