//! Pairs of triangles, eight side by side: a lower bound of the distance of each, sharp but for
//! rounding where they are apart. Most pairs that no plane of their own rules out are left out by
//! it, at a fraction of what a proven distance costs.

use super::leaf_gaps::{Lanes, LeafTriangles};
use clearsweep_base::simd::{Mask, Simd, V, dispatch};
use clearsweep_geometry::Vec3;
use clearsweep_geometry::mesh::WIDTH;

/// Pairs of triangles that wait for their bounds.
#[derive(Debug, Default)]
pub(super) struct EightPairs {
    /// Corners of A's and of B's triangles by component, in A's frame, metres.
    corners: [[[Lanes; 3]; 3]; 2],
    /// Triangle indices in A's tree and in B's tree.
    pub(super) triangles: [[u32; 2]; WIDTH],
    pub(super) count: usize,
}

impl EightPairs {
    pub(super) fn is_full(&self) -> bool {
        self.count == WIDTH
    }

    /// Adds a pair: the triangles in two lanes of leaves, and their indices.
    #[inline]
    pub(super) fn push(&mut self, leaves: [&LeafTriangles; 2], lanes: [usize; 2], triangles: [u32; 2]) {
        let to = self.count % WIDTH;
        for side in 0..2 {
            for c in 0..3 {
                for k in 0..3 {
                    self.corners[side][c][k][to] = leaves[side].corner(c, k, lanes[side]);
                }
            }
        }
        self.triangles[to] = triangles;
        self.count += 1;
    }

    /// Lower bounds of the distances of all eight, metres; lanes that hold no pair hold numbers of
    /// no meaning. Not above 0, or not a number, where nothing is proven.
    pub(super) fn bounds(&self) -> Lanes {
        let mut lanes = [0.0; WIDTH];
        bounds(&mut lanes, &self.corners);
        lanes
    }
}

dispatch!(bounds, bounds_in, (to: &mut Lanes, corners: &[[[Lanes; 3]; 3]; 2]) -> ());

/// The corners of eight triangles, and the edges from each to the next.
pub(crate) struct Triangles<S: Simd> {
    corners: [Vec3<V<S>>; 3],
    edges: [Vec3<V<S>>; 3],
    /// Squares of the lengths of the edges.
    lengths2: [V<S>; 3],
}

impl<S: Simd> Triangles<S> {
    #[inline(always)]
    pub(crate) fn load(from: &[[Lanes; 3]; 3]) -> Self {
        Self::new(load(&from[0]), load(&from[1]), load(&from[2]))
    }

    /// Eight triangles of these corners.
    #[inline(always)]
    pub(crate) fn new(p: Vec3<V<S>>, q: Vec3<V<S>>, r: Vec3<V<S>>) -> Self {
        let edges = [q - p, r - q, p - r];
        let lengths2 = [edges[0].length2(), edges[1].length2(), edges[2].length2()];
        Self { corners: [p, q, r], edges, lengths2 }
    }

    /// The corners halfway to those of others.
    #[inline(always)]
    pub(crate) fn halfway(&self, to: &Self) -> Self {
        let half = V::splat(0.5);
        let ([p, q, r], [u, v, w]) = (self.corners, to.corners);
        Self::new((p + u).scale(half), (q + v).scale(half), (r + w).scale(half))
    }

    /// The heights of the corners along a direction: the least and the greatest.
    #[inline(always)]
    pub(crate) fn heights(&self, n: Vec3<V<S>>) -> [V<S>; 2] {
        let [p, q, r] = self.corners;
        let [x, y, z] = [p.dot(n), q.dot(n), r.dot(n)];
        [x.smaller(y).smaller(z), x.larger(y).larger(z)]
    }

    /// Whether points lie on the inner side of an edge. `normal`: of the triangles.
    #[inline(always)]
    fn is_within(&self, edge: usize, p: Vec3<V<S>>, normal: Vec3<V<S>>) -> Mask<S> {
        self.edges[edge].cross(p - self.corners[edge]).dot(normal).ge(V::splat(0.0))
    }
}

/// Eight vectors from memory, by component.
#[inline(always)]
pub(super) fn load<S: Simd>([x, y, z]: &[Lanes; 3]) -> Vec3<V<S>> {
    Vec3::new(V::load(x), V::load(y), V::load(z))
}

/// Numbers from 0 to 1: the nearest; 0 for what is no number.
#[inline(always)]
fn clamped<S: Simd>(x: V<S>) -> V<S> {
    // The larger of two numbers is the first where the second is none.
    V::splat(0.0).larger(x).smaller(V::splat(1.0))
}

/// The shortest ways from A to B that are known, and their squares.
pub(crate) struct Ways<S: Simd> {
    pub(crate) length2: V<S>,
    pub(crate) way: Vec3<V<S>>,
}

impl<S: Simd> Ways<S> {
    /// The ways between the closest points of each pair, which are found as in `triangle_pair.rs`,
    /// without branches. Where triangles cross these are some ways between their borders.
    #[inline(always)]
    pub(crate) fn between(a: &Triangles<S>, b: &Triangles<S>) -> Self {
        let zero = V::splat(0.0);
        let mut best = Self { length2: V::splat(f64::INFINITY), way: Vec3::new(zero, zero, zero) };
        for i in 0..3 {
            for j in 0..3 {
                best.take(between_edges((a, i), (b, j)), Mask::all(true));
            }
        }
        best.over_face(a, b, true);
        best.over_face(b, a, false);
        best
    }

    /// Takes a way where it is shorter.
    #[inline(always)]
    fn take(&mut self, way: Vec3<V<S>>, is_valid: Mask<S>) {
        let length2 = way.length2();
        let is_shorter = length2.lt(self.length2) & is_valid;
        self.length2 = is_shorter.pick(length2, self.length2);
        self.way = Vec3::select(is_shorter, way, self.way);
    }

    /// Takes the way from a corner of `own` to its foot, or back, if that is inside of `other`.
    #[inline(always)]
    fn over_face(&mut self, own: &Triangles<S>, other: &Triangles<S>, is_from_own: bool) {
        let normal = other.edges[0].cross(other.edges[1]);
        let share = V::splat(if is_from_own { -1.0 } else { 1.0 }) / normal.length2();
        for p in own.corners {
            let height = (p - other.corners[0]).dot(normal);
            let is_within = other.is_within(0, p, normal) & other.is_within(1, p, normal);
            self.take(normal.scale(height * share), is_within & other.is_within(2, p, normal));
        }
    }
}

/// The gap along the line between the closest points of each pair. Any line gives a lower bound, so
/// what rounding does to the points costs sharpness alone.
#[inline(always)] // into code for wider registers
fn bounds_in<S: Simd>(to: &mut Lanes, corners: &[[[Lanes; 3]; 3]; 2]) {
    let (a, b) = (Triangles::<S>::load(&corners[0]), Triangles::<S>::load(&corners[1]));
    let Ways { length2, way } = Ways::between(&a, &b);
    ((b.heights(way)[0] - a.heights(way)[1]) / length2.sqrt()).store(to);
}

/// The shortest ways from an edge of A to an edge of B.
#[inline(always)]
fn between_edges<S: Simd>((a, i): (&Triangles<S>, usize), (b, j): (&Triangles<S>, usize)) -> Vec3<V<S>> {
    let (d, e, r) = (a.edges[i], b.edges[j], a.corners[i] - b.corners[j]);
    let (along_a, along_b, across) = (d.dot(r), e.dot(r), d.dot(e));
    let (of_a, of_b) = (a.lengths2[i], b.lengths2[j]);
    let s = clamped((across * along_b - along_a * of_b) / (of_a * of_b - across * across));
    let t = clamped((across * s + along_b) / of_b);
    // The best point of the first edge: the same, unless the second was moved to an end.
    let s = clamped((across * t - along_a) / of_a);
    e.scale(t) - (r + d.scale(s))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact;
    use crate::mesh::pair_distance::tests::{hard, place};
    use crate::mesh::place::MeshPlace;
    use crate::mesh::point_bounds::tests::Draw;
    use clearsweep_base::workers::Workers;
    use clearsweep_geometry::Pose;
    use clearsweep_geometry::mesh::{Child, InsideOf, TriangleMesh};

    /// Triangles with axis-aligned edges and needles, flat ones and points, in leaves of a tree;
    /// bent strips of equal triangles if `conforms`.
    fn surface(draw: &mut Draw, triangles: u32, conforms: bool) -> TriangleMesh {
        let mut vertices = Vec::new();
        for number in 0..triangles {
            if conforms {
                let at = |i: u32, j: u32| {
                    let [x, y] = [0.1 * f64::from(i), 0.1 * f64::from(j)];
                    Vec3::new(x, y, 0.02 * (3.0 * x).sin() * (4.0 * y).cos())
                };
                let (i, j) = (number / 2 % 6, number / 12);
                let last = if number % 2 == 0 { at(i + 1, j) } else { at(i, j + 1) };
                vertices.extend([at(i, j), at(i + 1, j + 1), last]);
            } else {
                vertices.extend(hard(draw, number));
            }
        }
        let faces: Vec<[u32; 3]> = (0..triangles).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let numbers = [3 * triangles, triangles].map(|count| (0..count).collect());
        let [of_vertices, of_triangles] = numbers;
        TriangleMesh::new(vertices, faces, of_vertices, of_triangles, InsideOf::Surface, &Workers::none())
    }

    fn exact_distance(place: &MeshPlace<'_>, [a, b]: [u32; 2]) -> f64 {
        let [a, b] = [place.a.corners(a), place.b.corners(b)];
        exact::closest_hull_points([&a, &b], (&place.poses[0], &place.poses[1])).map_or(0.0, |found| found.distance)
    }

    #[test]
    fn bounds_of_leaves_and_of_eight_pairs_are_below_the_exact_distance_and_mostly_sharp() {
        let mut draw = Draw(71);
        let (mut ruled_out, mut close, mut apart, mut sharp, mut touching) = (0, 0, 0, 0, 0);
        for round in 0..12 {
            let conforms = round % 3 == 0;
            let [a, b] = [48, 41].map(|count| surface(&mut draw, count, conforms));
            let shift = if conforms { Vec3::new(0.003, 0.0, 0.01) } else { draw.point(1.0) };
            let q = if conforms { [1.0, 0.0, 0.0, 0.0] } else { [draw.next(), draw.next(), 0.2, 0.1] };
            let place = place(&a, &b, Pose::new(shift.to_array(), q));
            let reach = if conforms { 0.01 } else { 0.2 };
            for (i, j) in
                (0..a.node_counts()[1] as u32).flat_map(|i| (0..b.node_counts()[1] as u32).map(move |j| (i, j)))
            {
                let of_a = LeafTriangles::new(&a, i, |p| p);
                let of_b = LeafTriangles::new(&b, j, |p| place.pose.point(p));
                let (mut gaps, mut eight) = (crate::mesh::leaf_gaps::LeafGaps::default(), EightPairs::default());
                let mut lanes = [0; WIDTH];
                lanes[..a.leaf(i).len()].fill(u8::MAX >> (WIDTH - b.leaf(j).len()));
                gaps.compare([&of_a, &of_b], lanes, place.line(), reach);
                let mut far = f64::INFINITY;
                for (t, u) in a.leaf(i).flat_map(|t| b.leaf(j).map(move |u| (t, u))) {
                    let (row, column) = ((t - a.leaf(i).start) as usize, (u - b.leaf(j).start) as usize);
                    let distance = exact_distance(&place, [t, u]);
                    let is_near = gaps.near[row] >> column & 1 == 1;
                    assert!(is_near || distance > reach - place.error(), "{t} {u}: {distance}");
                    far = if is_near { far } else { far.min(distance) };
                    (ruled_out, close) = (ruled_out + usize::from(!is_near), close + usize::from(is_near));
                    eight.push([&of_a, &of_b], [row, column], [t, u]);
                    if !eight.is_full() {
                        continue;
                    }
                    for (bound, triangles) in eight.bounds().into_iter().zip(eight.triangles) {
                        let distance = exact_distance(&place, triangles);
                        assert!(
                            bound.is_nan() || bound <= distance + place.error(),
                            "{triangles:?}: {bound} {distance}"
                        );
                        if distance > 1e-3 {
                            apart += 1;
                            sharp += usize::from(bound >= distance - 1e-13);
                        } else {
                            touching += 1;
                        }
                    }
                    eight.count = 0;
                }
                assert!(gaps.far() <= far + place.error(), "{} {far}", gaps.far());
            }
        }
        assert!(
            ruled_out > 5_000 && close > 2_000 && apart > 10_000 && touching > 50,
            "{ruled_out} {close} {apart} {touching}"
        );
        assert!(sharp * 100 > apart * 95, "sharp: {sharp} of {apart}");
    }

    #[test]
    fn lanes_without_a_triangle_are_never_near() {
        let mesh = surface(&mut Draw(3), 3, true);
        let Child::Leaf(leaf) = mesh.root().get() else { panic!("three triangles are a leaf") };
        let of = LeafTriangles::new(&mesh, leaf, |p| p);
        let mut gaps = crate::mesh::leaf_gaps::LeafGaps::default();
        gaps.compare([&of, &of], [0b111, 0b111, 0b111, 0, 0, 0, 0, 0], Vec3::ZERO, 1.0);
        assert_eq!(gaps.near, [7, 7, 7, 0, 0, 0, 0, 0]);
        assert_eq!(gaps.far(), f64::INFINITY);
    }
}
