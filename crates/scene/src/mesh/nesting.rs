//! Nesting of a mesh's shells, by rays that cross them.
//!
//! A ray crosses each closed shell as often as a ray that meets none of its edges
//! (`crates/geometry/src/ray.rs`).

use clearsweep_geometry::Vec3;
use clearsweep_geometry::ray::{RayCrossing, crossing};
use clearsweep_geometry::triangle_tree::{Corners, TriangleTree};

/// Rays that have to agree for each shell, and triangles of it that are tried.
const RAYS: usize = 3;
const TRIED: usize = 12;

/// Most boxes of triangles that are visited: for each triangle, and in addition for any mesh.
const VISITS_EACH: usize = 256;
const VISITS: usize = 1 << 24;

/// For each shell the others that it lies inside of; `shell`: the shell of each triangle, below
/// `count`. `None`: shells cross each other, or it takes too much work to find out.
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

/// The shells other than its `own` that a point lies inside of, ascending; `None`: it lies on one,
/// or work ran out.
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
