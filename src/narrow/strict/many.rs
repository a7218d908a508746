//! Strictness of eight answers at once, each with features of its own: what eight searches side by side have found.
//!
//! [`super::lanes`] asks one feature pair in eight samples; here answers are gathered by the kinds of their features, so that
//! eight of a kind run through its formula side by side, and the supporting planes are tested lane by lane, eight vertices
//! at a time. They may be of one pair in several samples or each of a pair of its own ([`Source`]). What is accepted,
//! [`super::local`] accepts with the same bits.

use super::clear;
use super::supports::{Directions, Own, alone};
use super::{CONTACT, Strict, margin};
use crate::geometry::{Polyhedron, RelativePose, Vec3};
use crate::narrow::answer::Answer;
use crate::narrow::feature::{Feature, FeaturePair};
use crate::narrow::finisher::{
    Closest, Line, Side, edge_edge, face_vertex, out_and_in, vertex_edge, vertex_face, vertex_vertex,
};
use crate::narrow::pair::{Pair, bound_of};
use crate::narrow::proximity::FeatureKind::{Edge, Face, Vertex};
use crate::narrow::relative::RelativeLanes;
use crate::narrow::simd::{Lane, P3, Simd, V, WIDTH, dispatch};

/// Whose answers are proven.
pub trait Source: Copy {
    /// Puts the pose and the size of the answer that comes to be at `place` into a lane.
    fn put(&self, place: usize, k: usize, claims: &mut Claims);
    /// Proves what was put.
    fn prove(&self, kind: Kind, claims: &Claims, out: &mut [Option<Answer>]);
}

/// One pair in the samples of a block, which are the places of the answers.
#[derive(Clone, Copy)]
pub struct OnePair<'a> {
    /// Both cores.
    pub cores: [&'a Polyhedron; 2],
    /// By how much they grow together, metres.
    pub growth: f64,
    /// Their relative poses.
    pub poses: &'a RelativeLanes,
}

impl Source for OnePair<'_> {
    #[inline(always)]
    fn put(&self, place: usize, k: usize, claims: &mut Claims) {
        self.poses.copy(place, k, &mut claims.r, &mut claims.t);
        claims.size[k] = self.poses.size(self.cores[0], self.cores[1], self.growth, place);
    }

    #[inline(always)]
    fn prove(&self, kind: Kind, claims: &Claims, out: &mut [Option<Answer>]) {
        prove_one(kind, self, claims, out);
    }
}

/// A pair for each place.
impl Source for &[Pair<'_, f64>] {
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
    features: [FeaturePair; WIDTH],
    place: [usize; WIDTH],
    /// Lanes in use.
    count: usize,
}

impl Claims {
    fn new() -> Self {
        let none = FeaturePair { a: Feature::vertex(0), b: Feature::vertex(0) };
        let zero = [0.0; WIDTH];
        Self { r: [zero; 9], t: THREE, size: zero, features: [none; WIDTH], place: [0; WIDTH], count: 0 }
    }

    /// The features of A (0) or of B (1); those of the first lane where there is no answer.
    #[inline(always)]
    fn side(&self, side: usize) -> [Feature; WIDTH] {
        std::array::from_fn(|k| {
            let features = &self.features[if k < self.count { k } else { 0 }];
            if side == 0 { features.a } else { features.b }
        })
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
    pub fn push<C: Source>(&mut self, of: C, place: usize, features: FeaturePair, out: &mut [Option<Answer>]) {
        let Some(kind) = kind_of(&features) else { return };
        let claims = &mut self.of[kind as usize];
        let k = claims.count % WIDTH;
        of.put(place, k, claims);
        (claims.features[k], claims.place[k]) = (features, place);
        claims.count = k + 1;
        if claims.count == WIDTH {
            of.prove(kind, claims, out);
            claims.count = 0;
        }
    }

    /// Proves what is left of these pairs.
    pub fn finish<C: Source>(&mut self, of: C, out: &mut [Option<Answer>]) {
        for (kind, claims) in KINDS.into_iter().zip(&mut self.of) {
            if claims.count > 0 {
                of.prove(kind, claims, out);
                claims.count = 0;
            }
        }
    }
}

/// What was found in each lane: [`Closest`], and the gap of the supporting planes.
struct Columns {
    normal: [Lane; 3],
    distance: Lane,
    point_a: [Lane; 3],
    point_b: [Lane; 3],
    residual: Lane,
    interior: Lane,
    amplification: Lane,
}

const THREE: [Lane; 3] = [[0.0; WIDTH]; 3];

impl Columns {
    #[inline(always)]
    fn new() -> Self {
        let zero = [0.0; WIDTH];
        Self {
            normal: THREE,
            distance: zero,
            point_a: THREE,
            point_b: THREE,
            residual: zero,
            interior: zero,
            amplification: zero,
        }
    }

    #[inline(always)]
    fn set(&mut self, k: usize, c: &Closest<f64>) {
        set(&mut self.normal, k, c.normal);
        set(&mut self.point_a, k, c.point_a);
        set(&mut self.point_b, k, c.point_b);
        self.distance[k] = c.distance;
        self.residual[k] = c.residual;
        self.interior[k] = c.interior;
        self.amplification[k] = c.amplification;
    }

    #[inline(always)]
    fn closest(&self, k: usize) -> Closest<f64> {
        Closest {
            normal: at(&self.normal, k),
            distance: self.distance[k],
            point_a: at(&self.point_a, k),
            point_b: at(&self.point_b, k),
            residual: self.residual[k],
            interior: self.interior[k],
            amplification: self.amplification[k],
        }
    }
}

#[inline(always)]
fn at(v: &[Lane; 3], k: usize) -> Vec3<f64> {
    Vec3 { x: v[0][k], y: v[1][k], z: v[2][k] }
}

#[inline(always)]
fn set(to: &mut [Lane; 3], k: usize, v: Vec3<f64>) {
    (to[0][k], to[1][k], to[2][k]) = (v.x, v.y, v.z);
}

/// A point or a line of each body, each in its own frame.
struct Given<'a> {
    a: &'a [Lane; 3],
    along_a: &'a [Lane; 3],
    b: &'a [Lane; 3],
    along_b: &'a [Lane; 3],
}

/// The kinds that have a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A vertex of each.
    VertexVertex,
    /// An edge of A and a vertex of B.
    EdgeVertex,
    /// A vertex of A and an edge of B.
    VertexEdge,
    /// An edge of each.
    EdgeEdge,
    /// A face of A and a vertex of B.
    FaceVertex,
    /// A vertex of A and a face of B.
    VertexFace,
}

/// In order of their values.
const KINDS: [Kind; 6] =
    [Kind::VertexVertex, Kind::EdgeVertex, Kind::VertexEdge, Kind::EdgeEdge, Kind::FaceVertex, Kind::VertexFace];

fn kind_of(f: &FeaturePair) -> Option<Kind> {
    Some(match (f.a.kind, f.b.kind) {
        (Vertex, Vertex) => Kind::VertexVertex,
        (Edge, Vertex) => Kind::EdgeVertex,
        (Vertex, Edge) => Kind::VertexEdge,
        (Edge, Edge) => Kind::EdgeEdge,
        (Face, Vertex) => Kind::FaceVertex,
        (Vertex, Face) => Kind::VertexFace,
        _ => return None,
    })
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
fn prove_one_body<S: Simd>(kind: Kind, of: &OnePair<'_>, q: &Claims, out: &mut [Option<Answer>]) {
    let [a, b] = of.cores;
    let (Some(of_a), Some(of_b)) = (a.formed_planes(), b.formed_planes()) else {
        return prove_each_body::<S>(kind, &[of.cores; WIDTH], q, out);
    };
    let (mut a, mut b) = (Own::new(a, of_a, q.side(0)), Own::new(b, of_b, q.side(1)));
    a.read::<S>();
    b.read::<S>();
    let given = Given { a: a.point(), along_a: &a.along, b: b.point(), along_b: &b.along };
    let found = by_formula(kind, &[of.cores; WIDTH], q, &given);
    decide::<S>([&a, &b], q, &found, &out_of_b(q, &found), out);
}

/// Of pairs that differ, or whose planes were not formed.
#[inline(always)]
fn prove_each_body<S: Simd>(kind: Kind, cores: &ByLane<'_>, q: &Claims, out: &mut [Option<Answer>]) {
    let (mut a, mut along_a, mut b, mut along_b) = (THREE, THREE, THREE, THREE);
    for k in 0..q.count {
        let f = &q.features[k];
        let (of_a, of_b) = (of_feature(cores[k][0], f.a), of_feature(cores[k][1], f.b));
        set(&mut a, k, of_a.0);
        set(&mut along_a, k, of_a.1);
        set(&mut b, k, of_b.0);
        set(&mut along_b, k, of_b.1);
    }
    let found = by_formula(kind, cores, q, &Given { a: &a, along_a: &along_a, b: &b, along_b: &along_b });
    let back = out_of_b(q, &found);
    for k in 0..q.count {
        out[q.place[k]] = strict::<S>(cores[k], q, k, &found, at(&back, k));
    }
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
    let mut out = Columns::new();
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
                out.interior[k] = inside(cores[k][0], q.features[k].a.index, at(&out.point_a, k), q.size[k]);
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
                out.interior[k] = inside(cores[k][1], q.features[k].b.index, at(&feet, k), q.size[k]);
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
    let features = q.features[k];
    let max_a = alone::<S>(cores[0], features.a, n, margin, bound)?;
    let max_b = alone::<S>(cores[1], features.b, back, margin, bound)?;
    let gap = n.dot(at(&q.t, k)) - max_b - max_a;
    if (gap - distance).abs() > bound {
        return None;
    }
    Some(Answer::strict(&Strict { features, closest: c.closest(k), gap, margin, bound }))
}

/// [`super::local`] of all lanes, from their closest points; `back`: out of B, in B's frame.
#[inline(always)]
fn decide<S: Simd>(sides: [&Own<'_>; 2], q: &Claims, c: &Columns, back: &[Lane; 3], out: &mut [Option<Answer>]) {
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
    let gap = gap.lanes();
    for k in 0..q.count {
        out[q.place[k]] = (good >> k & 1 == 1).then(|| {
            let (closest, features) = (c.closest(k), q.features[k]);
            Answer::strict(&Strict { features, closest, gap: gap[k], margin: margins[k], bound: bound[k] })
        });
    }
}

/// The first `count` lanes.
#[inline(always)]
fn used(count: usize) -> u8 {
    ((1_u32 << count) - 1) as u8
}

dispatch!(prove_one, prove_one_body, (kind: Kind, of: &OnePair<'_>, q: &Claims, out: &mut [Option<Answer>]) -> ());
dispatch!(prove_each, prove_each_body, (kind: Kind, cores: &ByLane<'_>, q: &Claims, out: &mut [Option<Answer>]) -> ());

#[cfg(test)]
mod tests;
