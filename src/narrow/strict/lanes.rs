//! Verify first: one check of a remembered feature pair in eight samples at once.
//!
//! While a feature pair stays optimal, all that a sample needs is [`super::local`]'s answer. Here the same formulas run
//! side by side for eight relative poses, one in each lane of a register. What they accept, [`super::local`] accepts
//! with the same bits (tests hold them to that); what they leave open is asked there.

#[cfg(test)]
use super::Strict;
use super::clear::{self, Around};
use super::columns::{Columns, at, set};
use super::many::OnePair;
use crate::geometry::{Polyhedron, RelativePose, Vec3};
use crate::narrow::epa::lanes::Claims;
use crate::narrow::epa::{self, Surface};
use crate::narrow::feature::{Feature, FeaturePair};
use crate::narrow::finisher::{
    Line, Side, edge_edge, face_vertex, out_and_in, vertex_edge, vertex_face, vertex_vertex,
};
use crate::narrow::pair::{VertexPair, bound_of, size_of};
use crate::narrow::proximity::FeatureKind::{Edge, Face, Vertex};
use crate::narrow::rows::{Extents, Proven, Ready};
use crate::simd::{Lane, Simd, WIDTH, dispatch};

/// What was found in eight samples.
#[derive(Debug, Clone, Copy)]
pub struct Eight {
    /// The feature pair that was checked.
    features: FeaturePair,
    closest: Columns,
    gap: Lane,
    size: Lane,
    /// Of the samples in which they are strictly optimal, and apart, or the depth proven by the remembered surface.
    pub ready: Ready<WIDTH>,
}

/// Eight relative poses.
struct Poses {
    r: [Lane; 9],
    t: [Lane; 3],
}

impl Poses {
    #[inline(always)]
    fn at(&self, i: usize) -> RelativePose<f64> {
        let row = |k: usize| Vec3 { x: self.r[k][i], y: self.r[k + 1][i], z: self.r[k + 2][i] };
        RelativePose { r: [row(0), row(3), row(6)], t: Vec3 { x: self.t[0][i], y: self.t[1][i], z: self.t[2][i] } }
    }
}

impl Eight {
    /// The feature pair that was checked.
    pub fn features(&self) -> FeaturePair {
        self.features
    }

    /// Whether it speaks about this sample.
    #[inline(always)]
    pub fn covers(&self, sample: usize) -> bool {
        (self.ready.first..self.ready.first + WIDTH).contains(&sample)
    }

    /// What the row of a sample that it covers was made of.
    #[cfg(test)]
    fn get(&self, sample: usize) -> Option<Strict> {
        let i = sample - self.ready.first;
        let (bound, closest) = (bound_of::<f64>(self.size[i]), self.closest.closest(i));
        let margin = super::margin(bound, closest.amplification);
        let strict = Strict { features: self.features, closest, gap: self.gap[i], margin, bound };
        (self.ready.proven >> i & 1 == 1).then_some(strict)
    }
}

/// The samples of a check.
#[derive(Clone, Copy)]
struct Query<'a> {
    a: &'a Polyhedron,
    b: &'a Polyhedron,
    of: &'a OnePair<'a>,
    features: FeaturePair,
    start: usize,
    surface: Option<&'a Surface>,
}

impl Default for Eight {
    fn default() -> Self {
        let (zero, none) = ([0.0; WIDTH], Feature::vertex(0));
        let features = FeaturePair { a: none, b: none };
        Self { features, closest: Columns::zero(), gap: zero, size: zero, ready: Ready::default() }
    }
}

#[inline(always)]
fn check_body<S: Simd>(q: &Query<'_>, out: &mut Eight) {
    out.features = q.features;
    out.ready.clear(q.start);
    let poses = Poses {
        r: std::array::from_fn(|k| q.of.poses.chunk(k, q.start)),
        t: std::array::from_fn(|k| q.of.poses.chunk(9 + k, q.start)),
    };
    let reach: Lane = q.of.poses.reaches(q.start);
    let growth = q.of.rows.growth();
    for (size, reach) in out.size.iter_mut().zip(reach) {
        *size = size_of(q.a, q.b, growth, reach);
    }
    closest(q, &poses, &out.size, &mut out.closest);
    let strict = decide(q, &poses, out);
    let accepted = accept(q, &poses, &strict, out);
    let features = [q.features.published(q.of.rows.cores); WIDTH];
    let extents = Extents { size: &out.size, reach: &reach };
    let proven = Proven { closest: &out.closest, gap: &out.gap, extents, features: &features };
    let samples = std::array::from_fn(|k| q.start + k);
    q.of.rows.ready::<S, _>(&proven, accepted, &samples, &mut out.ready);
}

/// Of the strict answers, those apart, and those whose depth the surface proves.
#[inline(always)]
fn accept(q: &Query<'_>, poses: &Poses, strict: &[u64; WIDTH], out: &Eight) -> u8 {
    let mut accepted = [0_u64; WIDTH];
    for k in 0..WIDTH {
        let apart = out.closest.distance[k] > super::CONTACT * bound_of::<f64>(out.size[k]);
        accepted[k] = strict[k] & u64::from(apart);
    }
    if let Some(surface) = q.surface {
        deep(q, surface, poses, strict, out, &mut accepted);
    }
    accepted.iter().enumerate().fold(0, |bits, (k, &accepted)| bits | (accepted as u8) << k)
}

/// Adds the strict answers whose depth the surface proves.
#[inline(always)]
fn deep(
    q: &Query<'_>,
    surface: &Surface,
    poses: &Poses,
    strict: &[u64; WIDTH],
    out: &Eight,
    accepted: &mut [u64; WIDTH],
) {
    let never = [f64::INFINITY; WIDTH];
    let mut claims = Claims { facet: never, others: never };
    let mut deep = 0;
    for k in 0..WIDTH {
        let (bound, distance) = (bound_of::<f64>(out.size[k]), out.closest.distance[k]);
        let overlaps = strict[k] & u64::from(distance < -super::BAND * bound);
        let claim = super::claimed(distance, bound, super::margin(bound, out.closest.amplification[k]));
        claims.facet[k] = if overlaps != 0 { claim.facet } else { f64::INFINITY };
        claims.others[k] = if overlaps != 0 { claim.others } else { f64::INFINITY };
        deep |= overlaps;
    }
    if deep == 0 {
        return;
    }
    let in_facet = |t: &[VertexPair; 3]| {
        t.iter().all(|&[i, j]| q.features.a.has_vertex(q.a, i) && q.features.b.has_vertex(q.b, j))
    };
    let vertices = |[i, j]: VertexPair| (q.a.vertex(i), q.b.vertex(j));
    let proven = epa::lanes::proves(surface, vertices, |k| poses.at(k), &claims, in_facet);
    for k in 0..WIDTH {
        accepted[k] |= proven[k];
    }
}

/// The closest points of the features, by the finisher's formulas.
#[inline(always)]
fn closest(q: &Query<'_>, poses: &Poses, size: &Lane, out: &mut Columns) {
    let (i, j) = (q.features.a.index, q.features.b.index);
    let vertex = |p: &Polyhedron, v: u32| p.vertex(v);
    match (q.features.a.kind, q.features.b.kind) {
        (Vertex, Vertex) => {
            let (a, b) = (vertex(q.a, i), vertex(q.b, j));
            for k in 0..WIDTH {
                let found = vertex_vertex(size[k], a, poses.at(k).point(b));
                out.set(k, &found);
            }
        }
        (Edge, Vertex) => {
            let (edge, b) = (line(q.a, i), vertex(q.b, j));
            for k in 0..WIDTH {
                let found = vertex_edge(size[k], poses.at(k).point(b), edge).seen_from_edge();
                out.set(k, &found);
            }
        }
        (Vertex, Edge) => {
            let (a, edge) = (vertex(q.a, i), line(q.b, j));
            for k in 0..WIDTH {
                let found = vertex_edge(size[k], a, moved(&poses.at(k), edge));
                out.set(k, &found);
            }
        }
        (Edge, Edge) => {
            let (a, b) = (line(q.a, i), line(q.b, j));
            // Read here, since `out` might be the same memory for all that the compiler knows.
            let (mean_a, mean_b) = (q.a.mean, q.b.mean);
            for k in 0..WIDTH {
                let (pose, mut sum) = (poses.at(k), 0.0);
                let edge = moved(&pose, b);
                let mut found = edge_edge(a, edge, |n| {
                    sum = out_and_in(n, a.origin, edge.origin, mean_a, pose.point(mean_b));
                    sum
                });
                // Which way is out is settled by further questions where the bodies are too flat to tell.
                let told = sum.abs() > bound_of::<f64>(size[k]);
                found.interior = if told { found.interior } else { f64::NEG_INFINITY };
                out.set(k, &found);
            }
        }
        (Face, Vertex) => {
            let (normal, b) = (q.a.normals[i as usize], vertex(q.b, j));
            let on_face = vertex(q.a, q.a.face(i)[0]);
            for k in 0..WIDTH {
                out.set(k, &face_vertex(normal, on_face, poses.at(k).point(b)));
            }
            let foot = out.point_a;
            inside(q.a, i, &foot, size, &mut out.interior);
        }
        (Vertex, Face) => {
            let (a, normal) = (vertex(q.a, i), q.b.normals[j as usize]);
            let on_face = vertex(q.b, q.b.face(j)[0]);
            let mut foot = [[0.0; WIDTH]; 3];
            for k in 0..WIDTH {
                let (found, at) = vertex_face(&poses.at(k), normal, on_face, a);
                set(&mut foot, k, at);
                out.set(k, &found);
            }
            inside(q.b, j, &foot, size, &mut out.interior);
        }
        _ => out.interior = [f64::NEG_INFINITY; WIDTH],
    }
}

#[inline(always)]
fn line(p: &Polyhedron, e: u32) -> Line<f64> {
    let [v, w] = p.edges[e as usize].v;
    Line { origin: p.vertex(v), along: p.vertex(w) - p.vertex(v) }
}

#[inline(always)]
fn moved(pose: &RelativePose<f64>, edge: Line<f64>) -> Line<f64> {
    Line { origin: pose.point(edge.origin), along: pose.vector(edge.along) }
}

/// How far the feet lie inside the face, at least, or exactly: at least where that is more than the margin in all lanes.
#[inline(always)]
fn inside(p: &Polyhedron, face: u32, foot: &[Lane; 3], size: &Lane, interior: &mut Lane) {
    if let Some(planes) = p.formed_planes() {
        for side in planes.walls(face).iter().flat_map(|four| [0, 1, 2, 3].map(|lane| four.plane(lane))) {
            for k in 0..WIDTH {
                let depth = side.side(at(foot, k));
                interior[k] = if depth < interior[k] { depth } else { interior[k] };
            }
        }
        let mut open = 0;
        for k in 0..WIDTH {
            interior[k] -= clear::rounding(size[k]);
            open |= u64::from(interior[k] <= super::margin(bound_of::<f64>(size[k]), 1.0));
        }
        if open == 0 {
            return;
        }
        *interior = [f64::INFINITY; WIDTH];
    }
    let ring = p.face(face);
    let mut from = p.vertex(ring[ring.len() - 1]);
    for &v in ring {
        let to = p.vertex(v);
        let side = Side::new(p.normals[face as usize], from, to);
        for k in 0..WIDTH {
            let depth = side.depth(at(foot, k));
            interior[k] = if depth < interior[k] { depth } else { interior[k] };
        }
        from = to;
    }
}

/// Strictness, test by test as in [`super::local`]: 1 where it holds.
#[inline(always)]
fn decide(q: &Query<'_>, poses: &Poses, out: &mut Eight) -> [u64; WIDTH] {
    let c = &out.closest;
    let (mut back, mut margin, mut good) = ([[0.0; WIDTH]; 3], [0.0; WIDTH], [1_u64; WIDTH]);
    for k in 0..WIDTH {
        let n = at(&c.normal, k);
        let m = -poses.at(k).inverse_vector(n);
        set(&mut back, k, m);
        let bound = bound_of::<f64>(out.size[k]);
        margin[k] = super::margin(bound, out.closest.amplification[k]);
        let finite = c.distance[k].abs() < f64::INFINITY;
        let inside = c.interior[k] > margin[k] && c.residual[k] <= bound;
        good[k] &= u64::from(finite) & u64::from(inside);
    }
    if good == [0; WIDTH] {
        return good;
    }
    let max_a = alone(q.a, q.features.a, &c.normal, &margin, &out.size, &mut good);
    let max_b = alone(q.b, q.features.b, &back, &margin, &out.size, &mut good);
    for k in 0..WIDTH {
        let n = at(&c.normal, k);
        out.gap[k] = n.dot(poses.at(k).t) - max_b[k] - max_a[k];
        let agrees = (out.gap[k] - c.distance[k]).abs() <= bound_of::<f64>(out.size[k]);
        good[k] &= u64::from(agrees);
    }
    good
}

/// [`super::alone`]: the supporting planes' heights; lanes where a vertex stands out of line are no longer `good`.
#[inline(always)]
fn alone(p: &Polyhedron, feature: Feature, d: &[Lane; 3], margin: &Lane, size: &Lane, good: &mut [u64; WIDTH]) -> Lane {
    let height = |v: u32| -> Lane {
        let v = p.vertex(v);
        std::array::from_fn(|k| at(d, k).dot(v))
    };
    let at = height(feature.first_vertex(p));
    let mut least = [0.0; WIDTH];
    for k in 0..WIDTH {
        least[k] = at[k] - margin[k];
    }
    let mut max = [f64::NEG_INFINITY; WIDTH];
    let mut few = [0; 2];
    let (own, all) = (feature.vertices(p, &mut few), super::scans(p, feature));
    let clear = is_clear(p, feature, d, margin, good);
    if all && !clear {
        let mut near = [0_u64; WIDTH];
        for v in 0..p.count as u32 {
            let height = height(v);
            for k in 0..WIDTH {
                max[k] = if height[k] > max[k] { height[k] } else { max[k] };
                near[k] += u64::from(height[k] >= least[k]);
            }
        }
        for k in 0..WIDTH {
            good[k] &= u64::from(near[k] == own.len() as u64);
        }
    }
    for &v in own {
        let height_of_v = height(v);
        for k in 0..WIDTH {
            max[k] = if height_of_v[k] > max[k] { height_of_v[k] } else { max[k] };
            good[k] &= u64::from(height_of_v[k] >= least[k]);
        }
        if !all && !clear {
            for &w in p.neighbours_of(v).iter().filter(|&&w| !feature.has_vertex(p, w)) {
                let height = height(w);
                for k in 0..WIDTH {
                    good[k] &= u64::from(height[k] < least[k]);
                }
            }
        }
    }
    for k in 0..WIDTH {
        good[k] &= u64::from(max[k] - at[k] <= bound_of::<f64>(size[k]));
    }
    max
}

/// Whether no good lane needs a look at other vertices.
#[inline(always)]
fn is_clear(p: &Polyhedron, feature: Feature, d: &[Lane; 3], margin: &Lane, good: &[u64; WIDTH]) -> bool {
    let mut open = 0;
    match Around::of(p, feature) {
        Around::Face(face) => {
            for k in 0..WIDTH {
                let d = at(d, k);
                open |= good[k] & u64::from(!face.is_clear(d, margin[k], p.radius));
            }
        }
        Around::Edge(edge) => {
            for k in 0..WIDTH {
                let d = at(d, k);
                open |= good[k] & u64::from(!edge.is_clear(d, margin[k], p.radius));
            }
        }
        Around::Vertex(vertex) => {
            let mut needed = [0.0; WIDTH];
            for k in 0..WIDTH {
                needed[k] = vertex.needed(margin[k], p.radius);
            }
            for normal in vertex.normals() {
                for k in 0..WIDTH {
                    let d = at(d, k);
                    open |= good[k] & u64::from(!vertex.is_below(d, normal, needed[k]));
                }
            }
        }
        Around::Unknown => return false,
    }
    open == 0
}

dispatch!(check_wide, check_body, (q: &Query<'_>, out: &mut Eight) -> ());

/// Checks a feature pair in the samples from `start`, of which there are [`WIDTH`] in the block. `surface`: a closed one
/// around an overlap, remembered from a polytope.
pub fn check(of: &OnePair<'_>, features: &FeaturePair, surface: Option<&Surface>, start: usize, out: &mut Eight) {
    let [a, b] = of.rows.cores;
    let q = Query { a, b, of, features: *features, start, surface };
    check_wide(&q, out);
}

#[cfg(test)]
mod tests;
