//! The convex solids that a solid mesh is put together of, exactly as its vertices are stored.
//!
//! Triangles belong to one solid if they meet at an edge and enclose a wedge of at most 180 degrees
//! there. At an edge of more than two triangles, which solids share, triangles that other edges
//! connect belong together, and others in the narrowest wedge. All signs are exact, and the solids
//! found are tested as a whole.

use super::edges::{EdgeUse, by_edge, edge_uses};
use super::sets::ParitySets;
use crate::hull::{side, turn};
use crate::{TriangleMesh, Vec3};
use clearsweep_base::workers::Workers;

/// Solids of a mesh, at most.
pub const MOST_SOLIDS: usize = 64;

/// Tests of a vertex against the plane of a triangle, at most: some tenths of a second.
const MOST_SIDES: usize = 1 << 22;

/// The vertices of each convex solid of a mesh, ascending, in order of their first triangles in the
/// file. `None`: the mesh is not solid, a connected component is not convex or not oriented
/// outward, or there are more than [`MOST_SOLIDS`], or more tests than `MOST_SIDES`.
///
/// A closed surface, oriented outward, covers the boundary of its hull if every triangle lies on a
/// supporting plane.
pub fn convex_components(mesh: &TriangleMesh) -> Option<Vec<Vec<u32>>> {
    let all: Vec<u32> = (0..mesh.vertices().len() as u32).collect();
    let count = mesh.triangles().len();
    // A closed surface has half as many vertices as triangles, so larger meshes exceed the tests
    // however they split.
    if !mesh.is_solid() || count.saturating_mul(count) / (2 * MOST_SOLIDS) > MOST_SIDES {
        return None;
    }
    // Before edges are asked: triangles without an area, which the mesh lacks, may have closed it.
    if count * all.len() <= MOST_SIDES && is_convex(mesh, mesh.triangles().iter(), &all) {
        return Some(vec![all]);
    }
    let mut solids = components(mesh)?;
    let numbers = mesh.triangle_numbers();
    solids.sort_by_key(|triangles| triangles.iter().map(|&t| numbers[t as usize]).min());
    let of = |triangles: &[u32]| triangles.iter().map(|&t| &mesh.triangles()[t as usize]).collect::<Vec<_>>();
    let (mut found, mut tests) = (Vec::with_capacity(solids.len()), 0);
    for triangles in solids.iter().map(|solid| of(solid)) {
        let mut vertices: Vec<u32> = triangles.iter().copied().flatten().copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        tests += triangles.len() * vertices.len();
        if tests > MOST_SIDES || !is_convex(mesh, triangles.into_iter(), &vertices) {
            return None;
        }
        found.push(vertices);
    }
    Some(found)
}

/// Whether no vertex lies outside of any of the triangles.
fn is_convex<'a>(mesh: &TriangleMesh, mut triangles: impl Iterator<Item = &'a [u32; 3]>, vertices: &[u32]) -> bool {
    let at = |v: u32| mesh.vertices()[v as usize];
    triangles.all(|&[a, b, c]| vertices.iter().all(|&p| side(at(a), at(b), at(c), at(p)) <= 0.0))
}

/// The triangles of each solid; `None` if one has an edge that is not convex, or there are too
/// many.
fn components(mesh: &TriangleMesh) -> Option<Vec<Vec<u32>>> {
    if mesh.component_vertices().len() > MOST_SOLIDS {
        return None;
    }
    let uses = edge_uses(mesh.triangles(), &Workers::none());
    let patch = patches(mesh, &uses)?;
    let mut sets = ParitySets::new(patch.iter().max().map_or(0, |&most| most as usize + 1));
    for same in by_edge(&uses).filter(|same| same.len() > 2) {
        for [begin, end] in wedges(mesh, same, &patch)? {
            sets.join(patch[begin.triangle() as usize], patch[end.triangle() as usize], false);
        }
    }
    let (number, _) = sets.numbered();
    let mut found = vec![Vec::new(); number.iter().max().map_or(0, |&most| most as usize + 1)];
    (0..).zip(&patch).for_each(|(triangle, &patch)| found[number[patch as usize] as usize].push(triangle));
    (found.len() <= MOST_SOLIDS).then_some(found)
}

/// Returns the patch of each triangle: triangles connected by edges of two triangles. `None` if
/// such an edge is not convex.
fn patches(mesh: &TriangleMesh, uses: &[EdgeUse]) -> Option<Vec<u32>> {
    let mut sets = ParitySets::new(mesh.triangles().len());
    for same in by_edge(uses).filter(|same| same.len() <= 2) {
        let [[begin, end]] = wedges(mesh, same, &[])?[..] else { return None };
        sets.join(begin.triangle(), end.triangle(), false);
    }
    Some(sets.numbered().0)
}

/// Pairs of the triangles at an edge, each with its neighbour: one of its own patch if it has one,
/// else the one of the narrowest wedge. `None` if one is left over.
fn wedges(mesh: &TriangleMesh, same: &[EdgeUse], patch: &[u32]) -> Option<Vec<[EdgeUse; 2]>> {
    let (mut begins, mut ends): (Vec<EdgeUse>, Vec<EdgeUse>) = same.iter().partition(|one| one.is_forward());
    if begins.len() != ends.len() {
        return None;
    }
    let of = |one: &EdgeUse| patch.get(one.triangle() as usize);
    let mut found = Vec::with_capacity(begins.len());
    if !patch.is_empty() {
        begins.retain(|begin| {
            let own = ends.iter().position(|end| of(end) == of(begin) && is_convex_wedge(mesh, *begin, *end));
            found.extend(own.map(|end| [*begin, ends.swap_remove(end)]));
            own.is_none()
        });
    }
    for begin in begins {
        let end = narrowest(mesh, begin, &ends)?;
        found.push([begin, ends.swap_remove(end)]);
    }
    Some(found)
}

/// Returns the index in `ends` with the narrowest wedge to the triangle of `begin`.
fn narrowest(mesh: &TriangleMesh, begin: EdgeUse, ends: &[EdgeUse]) -> Option<usize> {
    let is_outside = |one: EdgeUse, p: Vec3<f64>| {
        let [a, b, c] = mesh.corners(one.triangle());
        side(a, b, c, p)
    };
    let is_within = |end: usize, other: usize| is_outside(ends[other], apex(mesh, ends[end])) < 0.0;
    (0..ends.len())
        .filter(|&end| is_convex_wedge(mesh, begin, ends[end]))
        .reduce(|narrowest, end| if is_within(end, narrowest) { end } else { narrowest })
}

/// Whether two triangles that run against each other through an edge enclose more than 0 and at
/// most 180 degrees.
fn is_convex_wedge(mesh: &TriangleMesh, begin: EdgeUse, end: EdgeUse) -> bool {
    let [a, b, c] = mesh.corners(begin.triangle());
    let (own, other) = (apex(mesh, begin), apex(mesh, end));
    let height = side(a, b, c, other);
    let [p, q] = begin.vertices().map(|v| mesh.vertices()[v as usize]);
    // In one plane they lie on both sides of the edge, or on each other.
    let is_beyond = || (0..3).any(|axis| turn(p, q, own, axis) * turn(p, q, other, axis).signum() < 0.0);
    height < 0.0 || (height == 0.0 && is_beyond())
}

/// The corner of a triangle that is not on the edge.
fn apex(mesh: &TriangleMesh, of: EdgeUse) -> Vec3<f64> {
    let ends = of.vertices();
    let corners = mesh.triangles()[of.triangle() as usize];
    let apex = corners.into_iter().find(|corner| !ends.contains(corner)).unwrap_or(corners[0]);
    mesh.vertices()[apex as usize]
}
