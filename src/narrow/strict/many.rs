//! Strictness of eight answers at once, each with features of its own: what eight searches side by side have found.
//!
//! [`super::lanes`] asks one feature pair in eight samples; here answers are gathered by the kinds of their features, so that
//! eight of a kind run through its formula side by side, and the supporting planes are tested lane by lane, eight vertices
//! at a time. They may be of one pair in several samples or each of a pair of its own ([`Source`]). What is accepted,
//! [`super::local`] accepts with the same bits.

use super::clear;
use super::columns::{Columns, THREE, at, set};
use super::kinds::{KINDS, Kind, kind_of};
use super::supports::{Directions, Own, alone};
use super::{CONTACT, Strict, margin};
use crate::geometry::planes::Planes;
use crate::geometry::{Polyhedron, RelativePose, Vec3};
use crate::narrow::answer::Answer;
use crate::narrow::feature::{Feature, FeaturePair};
use crate::narrow::finisher::{
    Line, Side, edge_edge, face_vertex, out_and_in, vertex_edge, vertex_face, vertex_vertex,
};
use crate::narrow::pair::{Pair, bound_of};
use crate::narrow::proximity::FeatureKind::{Edge, Face, Vertex};
use crate::narrow::relative::RelativeLanes;
use crate::narrow::rows::{Extents, Proven, Ready, Rows};
use crate::scene::SAMPLES;
use crate::simd::{Lane, P3, Simd, V, WIDTH, dispatch};

/// Whose answers are proven.
pub trait Source: Copy {
    /// Where proven answers come to be.
    type Out: ?Sized;
    /// Puts the pose and the size of the answer that comes to be at `place` into a lane.
    fn put(&self, place: usize, k: usize, claims: &mut Claims);
    /// Proves what was put.
    fn prove(&self, kind: Kind, claims: &Claims, out: &mut Self::Out);
}

/// One pair in the samples of a block, which are the places of the answers.
#[derive(Debug, Clone, Copy)]
pub struct OnePair<'a> {
    /// What is asked of the pair.
    pub rows: Rows<'a>,
    /// Its relative poses.
    pub poses: &'a RelativeLanes,
}

impl OnePair<'_> {
    /// The size of the cores in a sample, and how far they are.
    #[inline(always)]
    pub fn extents(&self, sample: usize) -> Extents<f64> {
        let [a, b] = self.rows.cores;
        Extents { size: self.poses.size(a, b, self.rows.growth(), sample), reach: self.poses.reach(sample) }
    }
}

impl Source for OnePair<'_> {
    type Out = Ready<SAMPLES>;

    #[inline(always)]
    fn put(&self, place: usize, k: usize, claims: &mut Claims) {
        self.poses.copy(place, k, &mut claims.r, &mut claims.t);
        claims.size[k] = self.extents(place).size;
    }

    #[inline(always)]
    fn prove(&self, kind: Kind, claims: &Claims, out: &mut Ready<SAMPLES>) {
        prove_one(kind, self, claims, out);
    }
}

/// A pair for each place.
impl Source for &[Pair<'_, f64>] {
    type Out = [Option<Answer>];

    #[inline(always)]
    fn put(&self, place: usize, k: usize, claims: &mut Claims) {
        let pair = &self[place];
        for (row, r) in pair.pose.r.iter().enumerate() {
            (claims.r[3 * row][k], claims.r[3 * row + 1][k], claims.r[3 * row + 2][k]) = (r.x, r.y, r.z);
        }
        set(&mut claims.t, k, pair.pose.t);
        claims.size[k] = pair.size;
    }

    #[inline(always)]
    fn prove(&self, kind: Kind, claims: &Claims, out: &mut [Option<Answer>]) {
        let pair = |k: usize| &self[claims.place[if k < claims.count { k } else { 0 }]];
        prove_each(kind, &std::array::from_fn(|k| [pair(k).a, pair(k).b]), claims, out);
    }
}

/// Both cores of each lane.
type ByLane<'a> = [[&'a Polyhedron; 2]; WIDTH];

/// Up to eight answers of one kind, to be proven.
#[derive(Debug, Clone, Copy)]
pub struct Claims {
    /// `a_from_b`: the rotation by rows.
    r: [Lane; 9],
    t: [Lane; 3],
    size: Lane,
    /// Features of A and of B; those of the first lane where there is no answer.
    features: [[Feature; WIDTH]; 2],
    place: [usize; WIDTH],
    /// Lanes in use.
    count: usize,
}

impl Claims {
    fn new() -> Self {
        let (zero, features) = ([0.0; WIDTH], [[Feature::vertex(0); WIDTH]; 2]);
        Self { r: [zero; 9], t: THREE, size: zero, features, place: [0; WIDTH], count: 0 }
    }

    /// The features in a lane.
    #[inline(always)]
    fn features(&self, k: usize) -> FeaturePair {
        FeaturePair { a: self.features[0][k], b: self.features[1][k] }
    }

    /// `a_from_b` in a lane.
    #[inline(always)]
    fn pose(&self, k: usize) -> RelativePose<f64> {
        let row = |i: usize| Vec3 { x: self.r[i][k], y: self.r[i + 1][k], z: self.r[i + 2][k] };
        RelativePose { r: [row(0), row(3), row(6)], t: at(&self.t, k) }
    }
}

/// Answers on their way to a proof.
#[derive(Debug, Clone)]
pub struct Prover {
    of: [Claims; KINDS.len()],
}

impl Default for Prover {
    fn default() -> Self {
        Self { of: [Claims::new(); KINDS.len()] }
    }
}

impl Prover {
    /// Takes the features found for a `place`. The answers that hold, the cores apart by more than rounding, come to be in
    /// `out`, each at its place, at the latest with [`Prover::finish`]: what [`super::local`] accepts of them.
    #[inline(always)]
    pub fn push<C: Source>(&mut self, of: C, place: usize, features: FeaturePair, out: &mut C::Out) {
        let Some(kind) = kind_of(&features) else { return };
        let claims = &mut self.of[kind as usize];
        let k = claims.count % WIDTH;
        of.put(place, k, claims);
        (claims.features[0][k], claims.features[1][k], claims.place[k]) = (features.a, features.b, place);
        claims.count = k + 1;
        if claims.count == WIDTH {
            of.prove(kind, claims, out);
            claims.count = 0;
        }
    }

    /// Proves what is left of these pairs.
    pub fn finish<C: Source>(&mut self, of: C, out: &mut C::Out) {
        for (kind, claims) in KINDS.into_iter().zip(&mut self.of) {
            if claims.count > 0 {
                for features in &mut claims.features {
                    let first = features[0];
                    features[claims.count..].fill(first);
                }
                of.prove(kind, claims, out);
                claims.count = 0;
            }
        }
    }
}

/// A point or a line of each body, each in its own frame.
struct Given<'a> {
    a: &'a [Lane; 3],
    along_a: &'a [Lane; 3],
    b: &'a [Lane; 3],
    along_b: &'a [Lane; 3],
}

/// A point of a feature, and for an edge its direction, for a face its normal.
#[inline(always)]
fn of_feature(p: &Polyhedron, f: Feature) -> (Vec3<f64>, Vec3<f64>) {
    match f.kind {
        Vertex => (p.vertex(f.index), Vec3::ZERO),
        Edge => {
            let [v, w] = p.edges[f.index as usize].v;
            (p.vertex(v), p.vertex(w) - p.vertex(v))
        }
        Face => (p.vertex(p.face(f.index)[0]), p.normals[f.index as usize]),
    }
}

/// Of one pair.
#[inline(always)]
fn prove_one_body<S: Simd>(kind: Kind, of: &OnePair<'_>, q: &Claims, out: &mut Ready<SAMPLES>) {
    let [a, b] = of.rows.cores;
    let (Some(a), Some(b)) = (a.formed_planes(), b.formed_planes()) else {
        return prove_without_planes::<S>(kind, of, q, out);
    };
    // Each kind has code of its own: which of them comes next cannot be foreseen, and so is asked once.
    match kind {
        Kind::VertexVertex => prove_kind::<S>(Kind::VertexVertex, of, [a, b], q, out),
        Kind::EdgeVertex => prove_kind::<S>(Kind::EdgeVertex, of, [a, b], q, out),
        Kind::VertexEdge => prove_kind::<S>(Kind::VertexEdge, of, [a, b], q, out),
        Kind::EdgeEdge => prove_kind::<S>(Kind::EdgeEdge, of, [a, b], q, out),
        Kind::FaceVertex => prove_kind::<S>(Kind::FaceVertex, of, [a, b], q, out),
        Kind::VertexFace => prove_kind::<S>(Kind::VertexFace, of, [a, b], q, out),
    }
}

/// Of one pair with its planes.
#[inline(always)]
fn prove_kind<S: Simd>(kind: Kind, of: &OnePair<'_>, [of_a, of_b]: [&Planes; 2], q: &Claims, out: &mut Ready<SAMPLES>) {
    let cores = of.rows.cores;
    let ([a, b], [kind_a, kind_b], [at_a, at_b]) = (cores, kind.sides(), &q.features);
    let (mut a, mut b) = (Own::new(a, of_a, kind_a, at_a), Own::new(b, of_b, kind_b, at_b));
    a.read::<S>();
    b.read::<S>();
    let given = Given { a: a.point(), along_a: &a.along, b: b.point(), along_b: &b.along };
    let found = by_formula(kind, &[cores; WIDTH], q, &given);
    let (gap, good) = decide::<S>([&a, &b], q, &found, &out_of_b(q, &found));
    let (mut reach, none) = ([0.0; WIDTH], q.features(0).published(cores));
    let mut features = [none; WIDTH];
    for k in 0..q.count {
        (reach[k], features[k]) = (of.poses.reach(q.place[k]), q.features(k).published(cores));
    }
    let extents = Extents { size: &q.size, reach: &reach };
    let proven = Proven { closest: &found, gap: &gap, extents, features: &features };
    of.rows.ready::<S, _>(&proven, good, &q.place, out);
}

#[inline(always)]
fn prove_without_planes<S: Simd>(kind: Kind, of: &OnePair<'_>, q: &Claims, out: &mut Ready<SAMPLES>) {
    let (found, back) = by_lane(kind, &[of.rows.cores; WIDTH], q);
    for (k, &place) in q.place.iter().enumerate().take(q.count) {
        if let Some(answer) = strict::<S>(of.rows.cores, q, k, &found, at(&back, k)) {
            out.put(place, of.rows.row(&answer, place, &of.extents(place)));
        }
    }
}

/// Of pairs that differ.
#[inline(always)]
fn prove_each_body<S: Simd>(kind: Kind, cores: &ByLane<'_>, q: &Claims, out: &mut [Option<Answer>]) {
    let (found, back) = by_lane(kind, cores, q);
    for k in 0..q.count {
        out[q.place[k]] = strict::<S>(cores[k], q, k, &found, at(&back, k));
    }
}

/// The closest points of pairs that differ, or whose planes were not formed, and the directions out of B.
#[inline(always)]
fn by_lane(kind: Kind, cores: &ByLane<'_>, q: &Claims) -> (Columns, [Lane; 3]) {
    let (mut a, mut along_a, mut b, mut along_b) = (THREE, THREE, THREE, THREE);
    for k in 0..q.count {
        let f = q.features(k);
        let (of_a, of_b) = (of_feature(cores[k][0], f.a), of_feature(cores[k][1], f.b));
        set(&mut a, k, of_a.0);
        set(&mut along_a, k, of_a.1);
        set(&mut b, k, of_b.0);
        set(&mut along_b, k, of_b.1);
    }
    let found = by_formula(kind, cores, q, &Given { a: &a, along_a: &along_a, b: &b, along_b: &along_b });
    let back = out_of_b(q, &found);
    (found, back)
}

/// Out of B, in its frame.
#[inline(always)]
fn out_of_b(q: &Claims, found: &Columns) -> [Lane; 3] {
    let mut back = THREE;
    for k in 0..WIDTH {
        let m = -q.pose(k).inverse_vector(at(&found.normal, k));
        set(&mut back, k, m);
    }
    back
}

/// The closest points of features of a kind; lanes not in use hold anything.
#[inline(always)]
fn by_formula(kind: Kind, cores: &ByLane<'_>, q: &Claims, g: &Given<'_>) -> Columns {
    let mut out = Columns::zero();
    match kind {
        Kind::VertexVertex => {
            for k in 0..WIDTH {
                out.set(k, &vertex_vertex(q.size[k], at(g.a, k), q.pose(k).point(at(g.b, k))));
            }
        }
        Kind::EdgeVertex => {
            for k in 0..WIDTH {
                let edge = Line { origin: at(g.a, k), along: at(g.along_a, k) };
                out.set(k, &vertex_edge(q.size[k], q.pose(k).point(at(g.b, k)), edge).seen_from_edge());
            }
        }
        Kind::VertexEdge => {
            for k in 0..WIDTH {
                out.set(k, &vertex_edge(q.size[k], at(g.a, k), moved(q, g, k)));
            }
        }
        Kind::EdgeEdge => edges(cores, q, g, &mut out),
        Kind::FaceVertex => {
            for k in 0..WIDTH {
                out.set(k, &face_vertex(at(g.along_a, k), at(g.a, k), q.pose(k).point(at(g.b, k))));
            }
            for k in 0..q.count {
                out.interior[k] = inside(cores[k][0], q.features[0][k].index, at(&out.point_a, k), q.size[k]);
            }
        }
        Kind::VertexFace => {
            let mut feet = THREE;
            for k in 0..WIDTH {
                let (closest, foot) = vertex_face(&q.pose(k), at(g.along_b, k), at(g.b, k), at(g.a, k));
                set(&mut feet, k, foot);
                out.set(k, &closest);
            }
            for k in 0..q.count {
                out.interior[k] = inside(cores[k][1], q.features[1][k].index, at(&feet, k), q.size[k]);
            }
        }
    }
    out
}

#[inline(always)]
fn moved(q: &Claims, g: &Given<'_>, k: usize) -> Line<f64> {
    let pose = q.pose(k);
    Line { origin: pose.point(at(g.b, k)), along: pose.vector(at(g.along_b, k)) }
}

#[inline(always)]
fn edges(cores: &ByLane<'_>, q: &Claims, g: &Given<'_>, out: &mut Columns) {
    let (mut mean_a, mut mean_b) = (THREE, THREE);
    for k in 0..WIDTH {
        set(&mut mean_a, k, cores[k][0].mean);
        set(&mut mean_b, k, cores[k][1].mean);
    }
    for k in 0..WIDTH {
        let (edge_a, edge_b) = (Line { origin: at(g.a, k), along: at(g.along_a, k) }, moved(q, g, k));
        let mut sum = 0.0;
        let mut found = edge_edge(edge_a, edge_b, |n| {
            sum = out_and_in(n, edge_a.origin, edge_b.origin, at(&mean_a, k), q.pose(k).point(at(&mean_b, k)));
            sum
        });
        // Which way is out is settled by further questions where the bodies are too flat to tell.
        let told = sum.abs() > bound_of::<f64>(q.size[k]);
        found.interior = if told { found.interior } else { f64::NEG_INFINITY };
        out.set(k, &found);
    }
}

/// How far a foot lies inside a face, at least, or exactly: at least where that is more than the margin.
#[inline(always)]
fn inside(p: &Polyhedron, face: u32, foot: Vec3<f64>, size: f64) -> f64 {
    if let Some(planes) = p.formed_planes() {
        let depth = clear::depth(planes, face, foot, size);
        if depth > margin(bound_of::<f64>(size), 1.0) {
            return depth;
        }
    }
    depth(p, face, foot)
}

/// How far a foot lies inside a face: eight sides at a time.
#[inline(always)]
fn depth(p: &Polyhedron, face: u32, foot: Vec3<f64>) -> f64 {
    let (ring, normal) = (p.face(face), p.normals[face as usize]);
    let mut least = [f64::INFINITY; WIDTH];
    let mut last = p.vertex(ring[ring.len() - 1]);
    for eight in ring.chunks(WIDTH) {
        let (mut from, mut to) = (THREE, THREE);
        for k in 0..WIDTH {
            // The last side again where there are fewer.
            if let Some(&v) = eight.get(k) {
                set(&mut from, k, last);
                last = p.vertex(v);
                set(&mut to, k, last);
            } else {
                let (a, b) = (at(&from, k - 1), at(&to, k - 1));
                set(&mut from, k, a);
                set(&mut to, k, b);
            }
        }
        for k in 0..WIDTH {
            let depth = Side::new(normal, at(&from, k), at(&to, k)).depth(foot);
            least[k] = if depth < least[k] { depth } else { least[k] };
        }
    }
    least.into_iter().fold(f64::INFINITY, |least, depth| if depth < least { depth } else { least })
}

/// [`super::local`] of one lane, from its closest points.
#[inline(always)]
fn strict<S: Simd>(cores: [&Polyhedron; 2], q: &Claims, k: usize, c: &Columns, back: Vec3<f64>) -> Option<Answer> {
    let bound = bound_of::<f64>(q.size[k]);
    let margin = margin(bound, c.amplification[k]);
    let (n, distance) = (at(&c.normal, k), c.distance[k]);
    let holds = distance.abs() < f64::INFINITY && c.interior[k] > margin && c.residual[k] <= bound;
    if !holds || distance <= CONTACT * bound {
        return None;
    }
    let features = q.features(k);
    let max_a = alone::<S>(cores[0], features.a, n, margin, bound)?;
    let max_b = alone::<S>(cores[1], features.b, back, margin, bound)?;
    let gap = n.dot(at(&q.t, k)) - max_b - max_a;
    if (gap - distance).abs() > bound {
        return None;
    }
    Some(Answer::strict(&Strict { features, closest: c.closest(k), gap, margin, bound }))
}

/// [`super::local`] of all lanes, from their closest points: the gaps of the supporting planes, and the lanes that are strict.
/// `back`: out of B, in B's frame.
#[inline(always)]
fn decide<S: Simd>(sides: [&Own<'_>; 2], q: &Claims, c: &Columns, back: &[Lane; 3]) -> (Lane, u8) {
    let (mut bound, mut margins) = ([0.0; WIDTH], [0.0; WIDTH]);
    for k in 0..WIDTH {
        bound[k] = bound_of::<f64>(q.size[k]);
        margins[k] = margin(bound[k], c.amplification[k]);
    }
    let (distance, bounds) = (V::<S>::load(&c.distance), V::load(&bound));
    let holds = distance.abs().lt(V::splat(f64::INFINITY))
        & V::load(&c.interior).gt(V::load(&margins))
        & V::load(&c.residual).le(bounds)
        & distance.gt(V::splat(CONTACT) * bounds);
    let mut good = holds.bits() & used(q.count);
    let mut max = [[0.0; WIDTH]; 2];
    for (side, d) in [&c.normal, back].into_iter().enumerate() {
        let by = Directions { d, margin: &margins, bound: &bound };
        (max[side], good) = sides[side].heights::<S>(&by, good);
    }
    let gap = P3::load(&c.normal).dot(P3::load(&q.t)) - V::load(&max[1]) - V::load(&max[0]);
    good &= (gap - distance).abs().le(bounds).bits();
    (gap.lanes(), good)
}

/// The first `count` lanes.
#[inline(always)]
fn used(count: usize) -> u8 {
    ((1_u32 << count) - 1) as u8
}

dispatch!(prove_one, prove_one_body, (kind: Kind, of: &OnePair<'_>, q: &Claims, out: &mut Ready<SAMPLES>) -> ());
dispatch!(prove_each, prove_each_body, (kind: Kind, cores: &ByLane<'_>, q: &Claims, out: &mut [Option<Answer>]) -> ());

#[cfg(test)]
mod tests;
