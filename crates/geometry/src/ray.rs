//! Rays along +z against triangles, exactly.
//!
//! A ray along +z crosses a triangle if its start lies inside of the triangle seen from above, and
//! below it. Both are decided by exact predicates. Where the ray meets an edge or a vertex, its
//! start counts as moved a little along +x, and by much less along +y (Edelsbrunner and Mücke 1990,
//! "Simulation of simplicity"), so that it crosses each closed shell as often as a ray that meets
//! none.

use super::hull::{side, turn};
use super::triangle_tree::Corners;
use super::vec3::Vec3;

/// Relation of a ray to a triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RayCrossing {
    /// The ray does not meet it.
    None,
    /// The ray leaves through it (+1: a triangle that is counter-clockwise seen from above), or
    /// enters (-1).
    Through(i32),
    /// The ray begins on it.
    At,
}

/// Finds how a ray from `p` along +z meets a triangle.
pub fn crossing(p: Vec3<f64>, &[a, b, c]: &Corners) -> RayCrossing {
    let area = turn(a, b, c, 2);
    let turns = [left_of(p, a, b), left_of(p, b, c), left_of(p, c, a)];
    // A triangle that is seen from its side has no inside.
    if area == 0.0 || turns.iter().any(|&left| left != (area > 0.0)) {
        return RayCrossing::None;
    }
    match side(a, b, c, p) {
        0.0 => RayCrossing::At,
        above if (above > 0.0) == (area > 0.0) => RayCrossing::None,
        _ => RayCrossing::Through(if area > 0.0 { 1 } else { -1 }),
    }
}

/// Whether `p`, moved a little along +x and by much less along +y, lies to the left of the line
/// from `a` to `b`, seen from above.
fn left_of(p: Vec3<f64>, a: Vec3<f64>, b: Vec3<f64>) -> bool {
    let signs = [turn(a, b, p, 2), a.y - b.y, b.x - a.x];
    signs.into_iter().find(|&sign| sign != 0.0).is_some_and(|sign| sign > 0.0)
}
