//! Which shells of a mesh lie inside of which others, by rays that cross them.
//!
//! A ray along +z crosses a triangle if its start lies inside of the triangle seen from above, and below it. Both are decided
//! by exact predicates. Where the ray meets an edge or a vertex, its start counts as moved a little along +x, and by much less
//! along +y (Edelsbrunner and Mücke 1990, "Simulation of simplicity"), so that it crosses each closed shell as often as a ray
//! that meets none.

use crate::geometry::Vec3;
use crate::geometry::hull::{side, turn};
use crate::geometry::triangle_tree::{Corners, TriangleTree};

/// Rays that have to agree for each shell, and triangles of it that are tried.
const RAYS: usize = 3;
const TRIED: usize = 12;

/// Boxes of triangles that may be looked at, for each triangle and for any mesh.
const VISITS_EACH: usize = 256;
const VISITS: usize = 1 << 24;

/// What a triangle is to a ray.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RayCrossing {
    /// The ray does not meet it.
    None,
    /// The ray leaves through it (+1: a triangle that is counter-clockwise seen from above), or enters (-1).
    Through(i32),
    /// The ray begins on it.
    At,
}

/// For each shell the others that it lies inside of; `shell`: that of each triangle, of `count`. `None`: shells cross
/// each other, or it takes too much work to find out.
pub(super) fn containers(triangles: Vec<Corners>, shell: &[u32], count: usize) -> Option<Vec<Vec<u32>>> {
    if count == 1 {
        return Some(vec![Vec::new()]);
    }
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); count];
    shell.iter().zip(0..).for_each(|(&shell, triangle)| members[shell as usize].push(triangle));
    let mut visits = VISITS + VISITS_EACH * triangles.len();
    let tree = TriangleTree::new(triangles);
    let mut all = Vec::with_capacity(count);
    for (own, members) in (0..).zip(&members) {
        let mut agreed: Option<Vec<u32>> = None;
        let step = members.len().div_ceil(TRIED);
        let tried = members.iter().step_by(step);
        let found = tried.filter_map(|&triangle| {
            let [a, b, c] = *tree.triangle(triangle);
            around((a + b + c).scale(1.0 / 3.0), own, (&tree, shell), &mut visits)
        });
        for around in found.take(RAYS) {
            match &agreed {
                Some(known) if *known != around => return None,
                Some(_) => {}
                None => agreed = Some(around),
            }
        }
        all.push(agreed?);
    }
    Some(all)
}

/// The shells other than its `own` that a point lies inside of, ascending; `None`: it lies on one, or work ran out.
fn around(p: Vec3<f64>, own: u32, (tree, shell): (&TriangleTree, &[u32]), visits: &mut usize) -> Option<Vec<u32>> {
    let mut crossed: Vec<(u32, i32)> = Vec::new();
    let mut is_on = false;
    let used = tree.above(p, *visits, |triangle| {
        let other = shell[triangle as usize];
        match crossing(p, tree.triangle(triangle)) {
            _ if other == own => {}
            RayCrossing::None => {}
            RayCrossing::Through(sign) => crossed.push((other, sign)),
            RayCrossing::At => is_on = true,
        }
    });
    *visits = visits.saturating_sub(used);
    if is_on || *visits == 0 {
        return None;
    }
    crossed.sort_unstable();
    let windings = crossed.chunk_by(|one, next| one.0 == next.0);
    let inside = windings.filter(|same| same.iter().map(|(_, sign)| sign).sum::<i32>() != 0);
    Some(inside.map(|same| same[0].0).collect())
}

/// How a ray from `p` along +z meets a triangle.
fn crossing(p: Vec3<f64>, &[a, b, c]: &Corners) -> RayCrossing {
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

/// Whether `p`, moved a little along +x and by much less along +y, lies to the left of the line from `a` to `b`, seen from
/// above.
fn left_of(p: Vec3<f64>, a: Vec3<f64>, b: Vec3<f64>) -> bool {
    let signs = [turn(a, b, p, 2), a.y - b.y, b.x - a.x];
    signs.into_iter().find(|&sign| sign != 0.0).is_some_and(|sign| sign > 0.0)
}
