//! Cylinders about perpendicular axes, segments and discs among them, in closed form.
//!
//! Let A lie about x with half length `l` and radius `r`, and B about y with `m` and `s`; the
//! middle of B is at `t`, made positive in all components. Where the axis of B passes A's length,
//! `p = l - t_x >= 0`, all of B's section across x faces A: the bodies are as far apart as a disc
//! of radius `r` and the rectangle of half sides `m` and `s` in the plane of y and z.
//!
//! If they overlap, the depth is that of this disc and rectangle, or along x, `p + s`. For a unit
//! direction `n = (x, sqrt(1 - x^2) m)` with a unit vector `m` of the plane, the depth is
//! `p x + k sqrt(1 - x^2) + s sqrt(m_z^2 + x^2 m_y^2)` with some `k(m)`. As a function of `x^2`
//! the first and the last term are concave and increase. The middle one is concave for `k >= 0`,
//! and increases for `k < 0`. So the least value is that at `x = 0`, in the plane, or at `x = 1`.
//!
//! An axis of B that is perpendicular but for rounding is turned into place, and the bracket opens
//! by as much as a point of B moves.

use super::Proven;
use super::parallel::{Solid, with_vertices};
use crate::pair::Pair;
use clearsweep_geometry::{Polyhedron, Vec3};

/// A cylinder about its middle, metres.
#[derive(Clone, Copy)]
struct Cylinder {
    middle: Vec3<f64>,
    axis: Vec3<f64>,
    half_length: f64,
    radius: f64,
    /// No point is farther from the middle.
    reach: f64,
}

impl Cylinder {
    fn of(core: &Polyhedron) -> Option<Self> {
        let solid = Solid::of(core)?;
        let points = solid.points();
        let (first, last) = (points.first()?, points.last()?);
        if solid.curved.is_some() || points.iter().any(|point| point[0] != first[0]) {
            return None;
        }
        let axis = solid.axis?;
        let middle = solid.middle + axis.scale(0.5 * (first[1] + last[1]));
        let (half_length, radius) = (0.5 * (last[1] - first[1]).abs(), first[0]);
        Some(Self { middle, axis, half_length, radius, reach: half_length.hypot(radius) })
    }
}

/// The signed distance of two bodies, and the direction in which B has to move.
struct Found {
    normal: Vec3<f64>,
    distance: f64,
    /// A point of A that is farthest along the direction.
    point_a: Vec3<f64>,
}

/// The answer in closed form; `None` if the bodies are not two such cylinders, or neither axis
/// passes the length of the other body.
pub(super) fn proven(pair: &Pair<'_, f64>) -> Option<Proven> {
    let (a, b) = (Cylinder::of(pair.a)?, Cylinder::of(pair.b)?);
    let axis = pair.pose.vector(b.axis);
    let cosine = a.axis.dot(axis);
    let opened = cosine.abs() * (1.0 + 1e-6) * b.reach;
    if opened.is_nan() || opened > 0.25 * pair.bound() {
        return None;
    }
    let b = Cylinder { middle: pair.pose.point(b.middle), axis: (axis - a.axis.scale(cosine)).normalized(), ..b };
    let found = match across(a, b) {
        Some(found) => found,
        None => {
            // The same with both bodies exchanged.
            let Found { normal, distance, point_a: on_b } = across(b, a)?;
            Found { normal: -normal, distance, point_a: on_b + normal.scale(distance) }
        }
    };
    let Found { normal, distance, point_a } = found;
    let opened = pair.bound() + opened;
    let (lower, upper) = (distance - opened, distance + opened);
    Some(with_vertices(Proven { normal, distance, point_a, lower, upper, vertices: [0; 4], count: 0 }, pair))
}

/// The answer if the axis of `b` passes the length of `a`.
fn across(a: Cylinder, b: Cylinder) -> Option<Found> {
    let [x, y] = [a.axis, b.axis];
    let z = x.cross(y);
    let between = b.middle - a.middle;
    let [along, across, above] = [x, y, z].map(|axis| between.dot(axis));
    let inside = a.half_length - along.abs();
    if inside.is_nan() || inside < 0.0 {
        return None;
    }
    let in_plane = disc_and_rectangle([across, above], [b.half_length, b.radius], a.radius);
    let at_axis = a.middle + x.scale(along);
    let normal = y.scale(in_plane.normal[0]) + z.scale(in_plane.normal[1]);
    let by_plane = Found { normal, distance: in_plane.distance, point_a: at_axis + normal.scale(a.radius) };
    let depth = inside + b.radius;
    if in_plane.distance >= -depth {
        return Some(by_plane);
    }
    let sign = if along < 0.0 { -1.0 } else { 1.0 };
    // The point of A's end nearest to B's side, or to its middle.
    let beside = [across - across.clamp(-b.half_length, b.half_length), above];
    let length = beside[0].hypot(beside[1]);
    let share = if length > a.radius { a.radius / length } else { 1.0 };
    let on_end = y.scale(share * beside[0]) + z.scale(share * beside[1]);
    let point_a = a.middle + x.scale(sign * a.half_length) + on_end;
    Some(Found { normal: x.scale(sign), distance: -depth, point_a })
}

/// The signed distance of a disc about the origin and a rectangle, and the unit direction in which
/// the rectangle has to move.
struct PlanarFound {
    normal: [f64; 2],
    distance: f64,
}

/// `half`: half the sides of the rectangle. Of equal depths the second axis wins over the first,
/// and the positive direction over the negative one.
fn disc_and_rectangle(middle: [f64; 2], half: [f64; 2], radius: f64) -> PlanarFound {
    let sign = middle.map(|c| if c < 0.0 { -1.0 } else { 1.0 });
    let beyond = [0, 1].map(|k| middle[k].abs() - half[k]);
    if beyond[0] <= 0.0 && beyond[1] <= 0.0 {
        let k = usize::from(beyond[1] >= beyond[0]);
        let mut normal = [0.0; 2];
        normal[k] = sign[k];
        return PlanarFound { normal, distance: beyond[k] - radius };
    }
    let beyond = beyond.map(|c| c.max(0.0));
    let length = beyond[0].hypot(beyond[1]);
    PlanarFound { normal: [0, 1].map(|k| sign[k] * beyond[k] / length), distance: length - radius }
}
