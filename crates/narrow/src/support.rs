//! Supports of convex polyhedra: the vertex farthest along a direction, by scans over all vertices
//! or by climbs along edges.
//!
//! A scan is a proof. A climb is good for a search only: in rounding it may stop at a vertex that
//! is farthest only to within a few ulp. Every lane does the same operations in the same order and
//! nothing is contracted, so all levels return the same bits.

use clearsweep_base::simd::{Simd, V, WIDTH, dispatch};
use clearsweep_geometry::polyhedron::LANES;
use clearsweep_geometry::{Polyhedron, Real, Vec3};
use clearsweep_model::SupportSearch;
use smallvec::SmallVec;

/// Vertices above which a search climbs along edges instead of scanning.
pub(super) const CLIMB_ABOVE: usize = 192;

/// Indices of features of one kind: few of them, as a rule.
pub(super) type FeatureIndices = SmallVec<[u32; 8]>;

/// A vertex of the Minkowski difference `A - B` (the configuration space obstacle): which vertices
/// it is made of.
pub type VertexPair = [u32; 2];

#[inline(always)]
fn max_dot_body(x: &[f64], y: &[f64], z: &[f64], d: [f64; 3]) -> f64 {
    let mut best = [f64::NEG_INFINITY; LANES];
    let chunks = x.chunks_exact(LANES).zip(y.chunks_exact(LANES)).zip(z.chunks_exact(LANES));
    for ((x, y), z) in chunks {
        for i in 0..LANES {
            let dot = x[i] * d[0] + y[i] * d[1] + z[i] * d[2];
            best[i] = if dot > best[i] { dot } else { best[i] };
        }
    }
    best.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

dispatch!(loops max_dot_wide, max_dot_body, (x: &[f64], y: &[f64], z: &[f64], d: [f64; 3]) -> f64);

/// The largest `d . v` over all vertices, of a round body over all its points: a proof.
#[inline]
pub(super) fn max_dot(p: &Polyhedron, d: Vec3<f64>) -> f64 {
    if let Some(round) = &p.round {
        return round.body.height(d);
    }
    max_dot_wide(&p.x, &p.y, &p.z, d.to_array())
}

/// The largest `d . v` over all vertices, of a round body over all its points, for the direction of
/// each lane: a proof.
#[inline(always)]
pub(super) fn max_dot_each<S: Simd>(p: &Polyhedron, d: Vec3<V<S>>) -> V<S> {
    if let Some(round) = &p.round {
        let [x, y, z] = d.to_array().map(V::lanes);
        return V::load(&std::array::from_fn(|i| round.body.height(Vec3::new(x[i], y[i], z[i]))));
    }
    let mut most = V::splat(f64::NEG_INFINITY);
    for ((&x, &y), &z) in p.x.iter().zip(&p.y).zip(&p.z).take(p.count) {
        most = most.larger(Vec3::from_f64(Vec3 { x, y, z }).dot(d));
    }
    most
}

/// A vertex farthest along `d`, and how far that is; a climb starts at `start`. Of several
/// such vertices a scan takes the one of the lowest lane (index modulo 8), then the lowest.
#[inline(always)]
pub(super) fn support<S: Simd>(p: &Polyhedron, d: Vec3<f64>, start: u32) -> (u32, f64) {
    if p.count > CLIMB_ABOVE && !p.neighbour_block_start.is_empty() {
        climb::<S>(p, d, start, true)
    } else {
        scan::<S>(p, d)
    }
}

/// A vertex farthest along the direction of each lane, as a number, and how far that is.
#[inline(always)]
pub(super) fn support_each<S: Simd>(p: &Polyhedron, d: Vec3<V<S>>) -> (V<S>, V<S>) {
    let (mut best, mut at) = (V::<S>::splat(f64::NEG_INFINITY), V::<S>::splat(0.0));
    let (mut number, one) = (V::<S>::splat(0.0), V::splat(1.0));
    for ((&x, &y), &z) in p.x[..p.count].iter().zip(&p.y[..p.count]).zip(&p.z[..p.count]) {
        let height = d.x.scaled(x) + d.y.scaled(y) + d.z.scaled(z);
        at = best.lt(height).pick(number, at);
        best = height.larger(best);
        number = number + one;
    }
    (at, best)
}

#[inline(always)]
fn scan<S: Simd>(p: &Polyhedron, d: Vec3<f64>) -> (u32, f64) {
    let d = Vec3::<V<S>>::from_f64(d);
    if let (&[x], &[y], &[z]) = (p.x.as_chunks().0, p.y.as_chunks().0, p.z.as_chunks().0) {
        let height = Vec3 { x: V::load(&x), y: V::load(&y), z: V::load(&z) }.dot(d);
        let max = height.max_lane();
        let at = height.equals(V::splat(max)).bits().trailing_zeros();
        // The padding repeats vertex 0, which comes first.
        return (at % WIDTH as u32, max);
    }
    let blocks = p.x.as_chunks().0.iter().zip(p.y.as_chunks().0).zip(p.z.as_chunks().0);
    let (mut best, mut block) = (V::<S>::splat(f64::NEG_INFINITY), V::<S>::splat(0.0));
    // Counted in a register: turning an index into a number costs more than the products.
    let (mut number, one) = (V::<S>::splat(0.0), V::splat(1.0));
    for ((x, y), z) in blocks {
        let height = Vec3 { x: V::load(x), y: V::load(y), z: V::load(z) }.dot(d);
        let higher = best.lt(height);
        best = higher.pick(height, best);
        block = higher.pick(number, block);
        number = number + one;
    }
    let max = best.max_lane();
    let lane = best.equals(V::splat(max)).bits().trailing_zeros() as usize;
    let at = block.lanes()[lane.min(WIDTH - 1)] as usize * WIDTH + lane;
    // The padding repeats vertex 0, and no lane is found where `d` is no number.
    (if at < p.count { at as u32 } else { 0 }, max)
}

/// A vertex farthest along a direction, by steps along edges from `start`. The coordinates of
/// neighbours must be stored. `table`: whether to ask the polyhedron's table where the start is not
/// yet the top, since it most likely names a vertex nearer to it.
#[inline(always)]
pub(super) fn climb<S: Simd>(p: &Polyhedron, direction: Vec3<f64>, start: u32, mut table: bool) -> (u32, f64) {
    let (mut at, mut max) = (start, p.vertex(start).dot(direction));
    let lanes = Vec3::<V<S>>::from_f64(direction);
    loop {
        let from = at;
        for (i, planes_of_vertex) in p.neighbour_blocks_of(from).iter().enumerate() {
            let height = Vec3::load(planes_of_vertex).dot(lanes);
            let top = height.max_lane();
            if top > max {
                let lane = height.equals(V::splat(top)).bits().trailing_zeros() as usize;
                if let Some(&v) = p.neighbours_of(from).get(i * WIDTH + lane) {
                    (at, max) = (v, top);
                }
            }
        }
        if at == from {
            return (at, max);
        }
        if std::mem::take(&mut table)
            && let Some(near) = p.near(direction)
        {
            let height = p.vertex(near).dot(direction);
            (at, max) = if height > max { (near, height) } else { (at, max) };
        }
    }
}

#[inline(always)]
fn supports_body<S: Simd>(
    (a, d): (&Polyhedron, Vec3<f64>),
    (b, m): (&Polyhedron, Vec3<f64>),
    start: VertexPair,
) -> [(u32, f64); 2] {
    [support::<S>(a, d, start[0]), support::<S>(b, m, start[1])]
}

dispatch!(supports_wide, supports_body, (of_a: (&Polyhedron, Vec3<f64>), of_b: (&Polyhedron, Vec3<f64>), start: VertexPair) -> [(u32, f64); 2]);

/// [`support`] of A along `d` and of B along `m`.
#[inline]
pub(super) fn supports(
    of_a: (&Polyhedron, Vec3<f64>),
    of_b: (&Polyhedron, Vec3<f64>),
    start: VertexPair,
) -> [(u32, f64); 2] {
    supports_wide(of_a, of_b, start)
}

#[inline(always)]
fn scanned_body<S: Simd>((a, d): (&Polyhedron, Vec3<f64>), (b, m): (&Polyhedron, Vec3<f64>)) -> [(u32, f64); 2] {
    [scan::<S>(a, d), scan::<S>(b, m)]
}

dispatch!(scanned_wide, scanned_body, (of_a: (&Polyhedron, Vec3<f64>), of_b: (&Polyhedron, Vec3<f64>)) -> [(u32, f64); 2]);

/// The vertex of A farthest along `d` and that of B farthest along `m`, by scans, whatever their
/// size.
pub(super) fn scanned(of_a: (&Polyhedron, Vec3<f64>), of_b: (&Polyhedron, Vec3<f64>)) -> [(u32, f64); 2] {
    scanned_wide(of_a, of_b)
}

#[inline(always)]
fn scanned_one_body<S: Simd>(p: &Polyhedron, d: Vec3<f64>) -> (u32, f64) {
    scan::<S>(p, d)
}

dispatch!(scanned_one_wide, scanned_one_body, (p: &Polyhedron, d: Vec3<f64>) -> (u32, f64));

/// The vertex farthest along `d`, by a scan, and how far that is.
pub(super) fn scanned_one(p: &Polyhedron, d: Vec3<f64>) -> (u32, f64) {
    scanned_one_wide(p, d)
}

#[inline(always)]
fn climbed_body<S: Simd>(
    (a, d): (&Polyhedron, Vec3<f64>),
    (b, m): (&Polyhedron, Vec3<f64>),
    start: VertexPair,
) -> [(u32, f64); 2] {
    [climb_edges_wide::<S>(a, d, start[0]), climb_edges_wide::<S>(b, m, start[1])]
}

#[inline(always)]
fn climb_edges_wide<S: Simd>(p: &Polyhedron, d: Vec3<f64>, start: u32) -> (u32, f64) {
    if p.neighbour_block_start.is_empty() {
        let climbed = climb_edges(p, d, start, false);
        return (climbed.vertex, climbed.height);
    }
    climb::<S>(p, d, start, false)
}

dispatch!(climbed_wide, climbed_body, (of_a: (&Polyhedron, Vec3<f64>), of_b: (&Polyhedron, Vec3<f64>), start: VertexPair) -> [(u32, f64); 2]);

/// A vertex of A farthest along `d` and one of B farthest along `m`, by climbs along edges from
/// `start`, whatever their size.
pub(super) fn climbed(
    of_a: (&Polyhedron, Vec3<f64>),
    of_b: (&Polyhedron, Vec3<f64>),
    start: VertexPair,
) -> [(u32, f64); 2] {
    climbed_wide(of_a, of_b, start)
}

/// End of a climb.
pub(super) struct Climbed<T> {
    /// A vertex that none of its neighbours surpasses.
    pub(super) vertex: u32,
    /// Its `d . v`.
    pub(super) height: T,
    /// The number of `d . v` that were formed.
    pub(super) dot_products: u32,
}

/// The climb of [`SupportSearch::Climb`], one neighbour after the other: to the highest
/// neighbour, until none is higher. `table`: with the help of the polyhedron's table.
pub(super) fn climb_edges<T: Real>(p: &Polyhedron, d: Vec3<T>, start: u32, mut table: bool) -> Climbed<T> {
    let height = |v: u32| Vec3::from_f64(p.vertex(v)).dot(d);
    let mut top = Climbed { vertex: start, height: height(start), dot_products: 1 };
    let visit = |top: &mut Climbed<T>, v: u32| {
        let h = height(v);
        top.dot_products += 1;
        if h > top.height {
            (top.vertex, top.height) = (v, h);
        }
    };
    loop {
        let from = top.vertex;
        for &v in p.neighbours_of(from) {
            visit(&mut top, v);
        }
        if top.vertex == from {
            return top;
        }
        if std::mem::take(&mut table)
            && let Some(near) = p.near(d.to_f64())
        {
            visit(&mut top, near);
        }
    }
}

/// The number of `d . v` that a search forms to find the vertex farthest along `d`.
pub(super) fn dot_products(search: SupportSearch, p: &Polyhedron, d: Vec3<f64>, start: u32) -> u32 {
    let climbs = p.count > CLIMB_ABOVE && !p.neighbour_block_start.is_empty();
    match search {
        SupportSearch::BySize if climbs => climb_edges(p, d, start, true).dot_products,
        SupportSearch::Climb => climb_edges(p, d, start, false).dot_products,
        SupportSearch::BySize | SupportSearch::Scan => p.count as u32,
    }
}

#[inline(always)]
fn reaching_body<S: Simd>(p: &Polyhedron, d: Vec3<f64>, least: f64, out: &mut FeatureIndices) {
    let (d, least) = (Vec3::<V<S>>::from_f64(d), V::<S>::splat(least));
    let blocks = p.x.as_chunks().0.iter().zip(p.y.as_chunks().0).zip(p.z.as_chunks().0);
    for (i, ((x, y), z)) in blocks.enumerate() {
        let mut bits = Vec3 { x: V::load(x), y: V::load(y), z: V::load(z) }.dot(d).ge(least).bits();
        while bits != 0 {
            let v = i * WIDTH + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            // The padding repeats vertex 0.
            if v < p.count {
                out.push(v as u32);
            }
        }
    }
}

dispatch!(reaching_wide, reaching_body, (p: &Polyhedron, d: Vec3<f64>, least: f64, out: &mut FeatureIndices) -> ());

/// The vertices with `d . v >= least`, ascending.
pub(super) fn reaching(p: &Polyhedron, d: Vec3<f64>, least: f64) -> FeatureIndices {
    let mut out = FeatureIndices::new();
    reaching_wide(p, d, least, &mut out);
    out
}
