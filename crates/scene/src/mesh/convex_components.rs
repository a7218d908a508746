//! The convex solids that a solid mesh is put together of, exactly as its vertices are stored.
//!
//! Triangles belong to one solid if they meet at an edge and enclose a wedge of at most 180 degrees there. At an edge of more than two
//! triangles, which solids share, triangles that other edges connect belong together, and others in the narrowest wedge. All signs are
//! exact, and the solids found are tested as a whole.

use super::edges::{EdgeUse, by_edge, edge_uses};
use super::sets::ParitySets;
use clearsweep_base::workers::Workers;
use clearsweep_geometry::hull::{side, turn};
use clearsweep_geometry::{TriangleMesh, Vec3};

/// Solids of a mesh, at most.
const MOST_SOLIDS: usize = 64;

/// Tests of a vertex against the plane of a triangle, at most: some tenths of a second.
const MOST_SIDES: usize = 1 << 22;

/// The vertices of each convex solid of a mesh, ascending, in order of their first triangles in the file. `None`: the mesh is not solid, a
/// connected component is not convex or not oriented outward, or there are more than [`MOST_SOLIDS`], or more tests than [`MOST_SIDES`].
///
/// A closed surface, oriented outward, of which every triangle lies on a supporting plane covers the boundary of its hull.
pub(crate) fn convex_components(mesh: &TriangleMesh) -> Option<Vec<Vec<u32>>> {
    let all: Vec<u32> = (0..mesh.vertices().len() as u32).collect();
    let count = mesh.triangles().len();
    // A closed surface has half as many vertices as triangles, so larger meshes exceed the tests however they split.
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

/// The triangles of each solid; `None` if one has an edge that is not convex, or there are too many.
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

/// The patch of each triangle: those connected by edges of two triangles. `None` if such an edge is not convex.
fn patches(mesh: &TriangleMesh, uses: &[EdgeUse]) -> Option<Vec<u32>> {
    let mut sets = ParitySets::new(mesh.triangles().len());
    for same in by_edge(uses).filter(|same| same.len() <= 2) {
        let [[begin, end]] = wedges(mesh, same, &[])?[..] else { return None };
        sets.join(begin.triangle(), end.triangle(), false);
    }
    Some(sets.numbered().0)
}

/// Pairs of the triangles at an edge, each with its neighbour: one of its own patch if it has one, else the one of the narrowest wedge.
/// `None` if one is left over.
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

/// Which of `ends` has the narrowest wedge with the triangle of `begin`.
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

/// Whether two triangles that run against each other through an edge enclose more than 0 and at most 180 degrees.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::clean;

    /// Points that differ, and triangles over them.
    #[derive(Default)]
    struct Triangles {
        points: Vec<Vec3<f64>>,
        list: Vec<[u32; 3]>,
    }

    impl Triangles {
        fn add(mut self, corners: impl IntoIterator<Item = [[f64; 3]; 3]>) -> Self {
            for triangle in corners {
                let of_points = triangle.map(|p| {
                    let known = self.points.iter().position(|&other| other == p.into());
                    known.unwrap_or_else(|| {
                        self.points.push(p.into());
                        self.points.len() - 1
                    }) as u32
                });
                self.list.push(of_points);
            }
            self
        }

        /// A box around `at` of sides 2, with a point in the middle of its face +x that is `dent` inside; `sign`: -1 turns it inside out.
        fn cube(self, at: [f64; 3], half: f64, dent: f64, sign: i32) -> Self {
            let corner = |k: usize| [0, 1, 2].map(|i| at[i] + if k >> i & 1 == 1 { half } else { -half });
            let top = [at[0] + half - dent, at[1], at[2]];
            let sides = [[0, 4, 6, 2], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
            let flat = sides.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).map(|t| t.map(corner));
            let fan = [[1, 3], [3, 7], [7, 5], [5, 1]].map(|[a, b]| [corner(a), corner(b), top]);
            let turned = |[a, b, c]: [[f64; 3]; 3]| if sign < 0 { [a, c, b] } else { [a, b, c] };
            self.add(flat.chain(fan).map(turned).collect::<Vec<_>>())
        }

        /// A box from `at`, with such sides.
        fn stretched(self, at: [f64; 3], sides: [f64; 3]) -> Self {
            let cube = Self::default().cube([0.5; 3], 0.5, 0.0, 1);
            let place = |v: u32| {
                let p = cube.points[v as usize].to_array();
                [0, 1, 2].map(|i| at[i] + p[i] * sides[i])
            };
            let corners: Vec<_> = cube.list.iter().map(|t| t.map(place)).collect();
            self.add(corners)
        }

        /// The counts of vertices of its solids.
        fn solids(&self) -> Option<Vec<usize>> {
            let first: Vec<u32> = (0..self.points.len() as u32).collect();
            let made =
                clean(&self.points, &first, &self.list, first.len(), false, &Workers::none()).expect("triangles");
            convex_components(&made.mesh).map(|solids| solids.iter().map(Vec::len).collect())
        }
    }

    fn cube(dent: f64) -> Triangles {
        Triangles::default().cube([0.0; 3], 1.0, dent, 1)
    }

    #[test]
    fn a_dent_of_the_last_place_is_not_convex() {
        assert_eq!(cube(0.0).solids(), Some(vec![9]));
        assert_eq!(cube(-0.25).solids(), Some(vec![9]), "a low pyramid on a face");
        assert_eq!(cube(f64::EPSILON).solids(), None);
        assert_eq!(cube(0.25).solids(), None);
        let mut open = cube(0.0);
        open.list.pop();
        assert_eq!(open.solids(), None);
    }

    #[test]
    fn solids_are_told_apart_where_they_touch() {
        let beside = |at: [f64; 3], half: f64| cube(0.0).cube(at, half, 0.0, 1).solids();
        let both = Some(vec![9, 9]);
        assert_eq!(beside([4.0, 0.0, 0.0], 1.0), both, "apart");
        assert_eq!(beside([-2.0, 0.0, 0.0], 1.0), both, "a face, its diagonal included");
        assert_eq!(beside([2.0, 0.0, 0.0], 1.0), both, "a face that is cut otherwise");
        assert_eq!(beside([0.0, 2.0, 2.0], 1.0), both, "an edge");
        assert_eq!(beside([2.0, 2.0, 2.0], 1.0), both, "a corner");
        assert_eq!(beside([1.5, 0.5, 0.5], 0.5), both, "a part of a face");
        assert_eq!(beside([0.5, 0.25, 0.0], 1.0), both, "crossing");
        assert_eq!(beside([0.0, 0.0, 0.0], 0.5), both, "inside");
        assert_eq!(beside([-0.5, -0.5, -0.5], 0.5), both, "inside, from a corner");
        let block = |solids: Triangles, side: [f64; 3]| solids.stretched([-1.0; 3], side);
        let ell = block(block(Triangles::default(), [2.0, 0.5, 1.0]), [0.5, 2.0, 1.0]);
        assert_eq!(ell.solids(), both, "crossing, with a common edge");
        let flush = block(block(Triangles::default(), [2.0, 0.5, 1.0]), [2.0, 2.0, 0.5]);
        assert_eq!(flush.solids(), both, "crossing, with a common edge between coplanar sides");
        let four = [[0.0, 2.0], [2.0, 0.0], [2.0, 2.0]].into_iter();
        let grid = four.fold(cube(0.0), |grid, [y, z]| grid.cube([0.0, y, z], 1.0, 0.0, 1));
        assert_eq!(grid.solids(), Some(vec![9; 4]), "around one edge");
    }

    #[test]
    fn other_solids_stay_whole() {
        assert_eq!(cube(0.0).cube([0.0; 3], 0.5, 0.0, -1).solids(), None, "a cavity");
        assert_eq!(cube(0.0).cube([4.0, 0.0, 0.0], 1.0, 0.25, 1).solids(), None, "one is not convex");
        let row = |count: usize| {
            (1..count).fold(cube(0.0), |row, k| row.cube([4.0 * k as f64, 0.0, 0.0], 1.0, 0.0, 1)).solids()
        };
        assert_eq!(row(MOST_SOLIDS), Some(vec![9; MOST_SOLIDS]));
        assert_eq!(row(MOST_SOLIDS + 1), None, "too many");
    }
}
