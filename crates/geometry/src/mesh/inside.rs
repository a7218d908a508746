//! Knowledge of the inside of a body, and the winding number of a mesh that does not close up.
//!
//! Sources: van Oosterom and Strackee, "The solid angle of a plane triangle" (1983); Jacobson,
//! Kavan and Sorkine-Hornung, "Robust inside-outside segmentation using generalized winding
//! numbers" (2013), with the hierarchy of its section 4.

use crate::Vec3;
use crate::lazy::Lazy;
use crate::triangle_tree::bounds;
use clearsweep_base::simd::{Lane, Simd, V, WIDTH, dispatch};
use std::f64::consts::PI;
use std::ops::Range;

/// Knowledge of the inside of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inside {
    /// The surface closes up: inside and outside are known.
    Solid,
    /// The surface does not close up, or contradicts itself: the winding number decides.
    Winding,
    /// It is a sheet: nothing lies inside of it.
    Surface,
}

impl Inside {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Solid, Self::Winding, Self::Surface];

    /// The word of the scene file and of `bodies.parquet`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Solid => "solid",
            Self::Winding => "winding",
            Self::Surface => "surface",
        }
    }
}

/// Triangles of a part that is not divided.
const LEAF: u32 = 32;

/// Half a unit in the last place of 1.
const UNIT: f64 = f64::EPSILON / 2.0;

/// Bound on the error of the two terms of a solid angle together, and of the angle by them. Units:
/// rounding of the product of the three lengths; each of some 20 operations, twice.
const ROUNDING: f64 = 128.0;

/// Bound on the change of both terms and of the angle when the point moves by one length, in
/// products of two of the lengths.
const DISPLACEMENT: f64 = 8.0;

/// The open surface of a mesh: which triangles are to be turned so that neighbours agree, and a
/// tree over them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OpenSurface {
    /// Triangles to be turned, in the mesh's order.
    turned: Vec<bool>,
    tree: Lazy<Vec<WindingNode>>,
}

/// Consecutive triangles of the mesh.
#[derive(Debug)]
struct WindingNode {
    triangles: Range<u32>,
    /// The box around them.
    low: Vec3<f64>,
    high: Vec3<f64>,
    /// A cone over the edges at which they end; `None`: the triangles are as cheap.
    cone: Option<RimCone>,
    /// The parts of it; `None` of a leaf.
    parts: Option<[u32; 2]>,
}

/// The cone from a vertex over the rim of a part. From a point that its box does not hold it takes
/// the same part of the view.
#[derive(Debug)]
struct RimCone {
    apex: u32,
    /// The edges that the apex is not on, as they run, each so often as it does.
    edges: Vec<[u32; 2]>,
}

/// A winding number.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct WindingNumber {
    /// The sum of the solid angles of the triangles, in full spheres; positive behind them.
    pub value: f64,
    /// Bound on the error of `value`, from rounding and from the place of the point.
    pub error: f64,
}

impl WindingNumber {
    /// Sums the solid angles of triangles, seen from a point.
    pub(super) fn of_triangles(triangles: impl Iterator<Item = [Vec3<f64>; 3]>, p: Vec3<f64>) -> Self {
        let mut sum = AngleSum::new(0.0);
        triangles.for_each(|corners| sum.add(corners.map(|corner| corner - p)));
        sum.finish()
    }

    /// The winding number around a point beside a closed surface, which is an integer; `None` if
    /// rounding leaves it open.
    pub fn whole(self) -> Option<i64> {
        let nearest = self.value.round();
        (self.error < 0.25 && (self.value - nearest).abs() <= self.error).then_some(nearest as i64)
    }

    /// Whether the point counts as inside: half of its view is taken, but for rounding. NaN counts
    /// as inside.
    pub fn is_inside(self) -> bool {
        let most = self.value.abs() + self.error;
        most.is_nan() || most >= 0.5
    }
}

impl OpenSurface {
    /// Creates the open surface of a mesh. `turned`: which triangles are to be turned, in the
    /// mesh's order.
    pub(super) fn new(turned: Vec<bool>) -> Self {
        Self { turned, tree: Lazy::default() }
    }

    /// Winding number of the surface around a point of the mesh's frame that may be off by `error`
    /// (metres). It is a function of the mesh and the point: triangles are summed in their order. A
    /// part that does not hold the point counts by the cone over its rim.
    pub(super) fn winding(
        &self,
        vertices: &[Vec3<f64>],
        triangles: &[[u32; 3]],
        p: Vec3<f64>,
        error: f64,
    ) -> WindingNumber {
        let builder = WindingTreeBuilder { vertices, triangles, turned: &self.turned };
        let tree = self.tree.get_or_build(|| builder.build());
        let vertex = |v: u32| vertices[v as usize] - p;
        let is_beyond = |part: &WindingNode, k: usize| p[k] + error < part.low[k] || p[k] - error > part.high[k];
        let beyond = |part: &WindingNode| (0..3).any(|k| is_beyond(part, k));
        let mut sum = AngleSum::new(error);
        let mut open = vec![0_u32];
        while let Some(index) = open.pop() {
            let part = &tree[index as usize];
            match (&part.cone, part.parts) {
                (Some(cone), _) if beyond(part) => {
                    cone.edges.iter().for_each(|&[a, b]| sum.add([a, b, cone.apex].map(vertex)));
                }
                (_, Some([first, second])) => open.extend([second, first]),
                (_, None) => {
                    part.triangles.clone().for_each(|t| sum.add(builder.triangle(t).map(vertex)));
                }
            }
        }
        sum.finish()
    }
}

/// Input of the tree.
struct WindingTreeBuilder<'a> {
    vertices: &'a [Vec3<f64>],
    triangles: &'a [[u32; 3]],
    turned: &'a [bool],
}

impl WindingTreeBuilder<'_> {
    /// The vertices of a triangle, turned.
    fn triangle(&self, t: u32) -> [u32; 3] {
        let [a, b, c] = self.triangles[t as usize];
        if self.turned[t as usize] { [a, c, b] } else { [a, b, c] }
    }

    fn build(&self) -> Vec<WindingNode> {
        let mut parts = Vec::new();
        self.part(0..self.triangles.len() as u32, &mut parts);
        parts
    }

    /// Adds a part with those of it, and returns its rim: edges from the lower vertex to the higher
    /// one, ascending, and how often they run so, less how often the other way.
    fn part(&self, triangles: Range<u32>, all: &mut Vec<WindingNode>) -> Vec<([u32; 2], i64)> {
        let index = all.len();
        all.push(WindingNode {
            triangles: triangles.clone(),
            low: Vec3::ZERO,
            high: Vec3::ZERO,
            cone: None,
            parts: None,
        });
        let count = triangles.end - triangles.start;
        let (rim, (low, high)) = if count <= LEAF {
            let corners = triangles.map(|t| self.triangle(t));
            let points = corners.clone().flatten().map(|v| self.vertices[v as usize]);
            (summed(corners.flat_map(sides).collect()), bounds(points))
        } else {
            let middle = triangles.start + count / 2;
            let first = all.len() as u32;
            let mut rim = self.part(triangles.start..middle, all);
            let second = all.len() as u32;
            rim.extend(self.part(middle..triangles.end, all));
            all[index].parts = Some([first, second]);
            let ends = [first, second].map(|part| &all[part as usize]);
            (summed(rim), bounds(ends.into_iter().flat_map(|part| [part.low, part.high])))
        };
        let part = &mut all[index];
        (part.low, part.high) = (low, high);
        let edges: u64 = rim.iter().map(|(_, times)| times.unsigned_abs()).sum();
        if 2 * edges <= u64::from(count) {
            part.cone = Some(RimCone::over(&rim));
        }
        rim
    }
}

impl RimCone {
    /// Over edges, and how often each runs from the first vertex to the second, less how often the
    /// other way.
    fn over(rim: &[([u32; 2], i64)]) -> Self {
        let apex = rim.first().map_or(0, |&([apex, _], _)| apex);
        let runs = |&([p, q], times): &([u32; 2], i64)| {
            let edge = if times > 0 { [p, q] } else { [q, p] };
            std::iter::repeat_n(edge, times.unsigned_abs() as usize)
        };
        Self { apex, edges: rim.iter().filter(|(edge, _)| !edge.contains(&apex)).flat_map(runs).collect() }
    }
}

/// The sides of a triangle.
fn sides([a, b, c]: [u32; 3]) -> [([u32; 2], i64); 3] {
    [(a, b), (b, c), (c, a)].map(|(p, q)| if p < q { ([p, q], 1) } else { ([q, p], -1) })
}

/// Each edge once; those that cancel are left out.
fn summed(mut edges: Vec<([u32; 2], i64)>) -> Vec<([u32; 2], i64)> {
    edges.sort_unstable();
    edges.dedup_by(|next, one| {
        let same = next.0 == one.0;
        one.1 += if same { next.1 } else { 0 };
        same
    });
    edges.retain(|(_, times)| *times != 0);
    edges
}

/// A sum of the solid angles of triangles, seen from the origin, in the order in which they are
/// added.
///
/// Half of an angle is the argument of a complex number (van Oosterom and Strackee, equation 8).
/// Numbers of positive real part are multiplied, which adds their arguments, so that most triangles
/// take no arc tangent.
struct AngleSum {
    /// Bound on the error of the origin's place, metres.
    error: f64,
    /// Corners by component of the triangles that are not computed yet.
    waiting: [[Lane; 3]; 3],
    filled: usize,
    /// Product of complex numbers: its argument is less than pi.
    product: [f64; 2],
    /// Sum of the other arguments, radians.
    sum: f64,
    /// Bound on the error of the angles, steradians.
    off: f64,
    count: u32,
}

/// Solid angles of triangles: half of each is the argument of a complex number of length 1.
#[derive(Default)]
struct HalfAngles {
    real: Lane,
    imaginary: Lane,
    /// Bounds on the errors of the angles, steradians.
    off: Lane,
}

impl AngleSum {
    fn new(error: f64) -> Self {
        let waiting = [[[0.0; WIDTH]; 3]; 3];
        Self { error, waiting, filled: 0, product: [1.0, 0.0], sum: 0.0, off: 0.0, count: 0 }
    }

    /// Adds a triangle by its corners relative to the origin.
    fn add(&mut self, corners: [Vec3<f64>; 3]) {
        for (lanes, corner) in self.waiting.iter_mut().zip(corners) {
            for (component, value) in lanes.iter_mut().zip(corner.to_array()) {
                component[self.filled] = value;
            }
        }
        self.filled += 1;
        if self.filled == WIDTH {
            self.compute();
        }
    }

    /// Computes the angles of the waiting triangles.
    fn compute(&mut self) {
        let mut angles = HalfAngles::default();
        half_angles(&self.waiting, self.error, &mut angles);
        for lane in 0..self.filled {
            let (x, y) = (angles.real[lane], angles.imaginary[lane]);
            let [re, im] = self.product;
            if x > 0.0 && re > 0.0 {
                self.product = [re * x - im * y, re * y + im * x];
            } else {
                self.sum += libm::atan2(im, re);
                self.product = [x, y];
            }
            self.off += angles.off[lane];
        }
        self.count += self.filled as u32;
        self.filled = 0;
    }

    /// Returns the sum as a winding number.
    fn finish(mut self) -> WindingNumber {
        self.compute();
        let full = 4.0 * PI;
        let sum = 2.0 * (self.sum + libm::atan2(self.product[1], self.product[0]));
        // A product and a sum of angles each round by less than this.
        let off = self.off + 2.0 * f64::from(self.count + 1) * UNIT * full;
        WindingNumber { value: sum / full, error: off / full * (1.0 + 8.0 * UNIT) }
    }
}

dispatch!(half_angles, half_angles_in, (corners: &[[Lane; 3]; 3], error: f64, to: &mut HalfAngles) -> ());

/// Computes the angles of eight triangles; positive where the origin lies behind them. `error`:
/// bound on the error of the origin's place, metres.
#[inline(always)] // into code for wider registers
fn half_angles_in<S: Simd>(corners: &[[Lane; 3]; 3], error: f64, to: &mut HalfAngles) {
    let a = Vec3::<V<S>>::load(&corners[0]);
    let b = Vec3::<V<S>>::load(&corners[1]);
    let c = Vec3::<V<S>>::load(&corners[2]);
    let (x, y, z) = (a.length(), b.length(), c.length());
    let volume = a.dot(b.cross(c));
    let rest = x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y;
    let size = (volume * volume + rest * rest).sqrt();
    (rest / size).store(&mut to.real);
    (volume / size).store(&mut to.imaginary);
    let off = (x * y * z).scaled(ROUNDING * UNIT) + (x * y + y * z + z * x).scaled(DISPLACEMENT * error);
    (off / size).store(&mut to.off);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A torus around z, outward.
    fn torus(around: u32, across: u32) -> (Vec<Vec3<f64>>, Vec<[u32; 3]>) {
        let turn = |k: u32, of: u32| (2.0 * PI * f64::from(k) / f64::from(of)).sin_cos();
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for (i, j) in (0..around).flat_map(|i| (0..across).map(move |j| (i, j))) {
            let ((s, c), (z, r)) = (turn(i, around), turn(j, across));
            vertices.push(Vec3::new((1.0 + 0.4 * r) * c, (1.0 + 0.4 * r) * s, 0.4 * z));
            let at = |i: u32, j: u32| i % around * across + j % across;
            let [p, q, r, s] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend([[p, q, r], [p, r, s]]);
        }
        (vertices, triangles)
    }

    /// The solid angle from the angles between the sides (L'Huilier), in full spheres.
    fn angle(corners: [Vec3<f64>; 3]) -> f64 {
        let [a, b, c] = corners.map(|p| p.normalized());
        let between = |p: Vec3<f64>, q: Vec3<f64>| p.cross(q).length().atan2(p.dot(q));
        let [x, y, z] = [between(b, c), between(c, a), between(a, b)];
        let s = 0.5 * (x + y + z);
        let tangents = [s, s - x, s - y, s - z].map(|angle| (0.5 * angle.max(0.0)).tan());
        let excess = 4.0 * tangents.iter().product::<f64>().max(0.0).sqrt().atan();
        (if a.dot(b.cross(c)) > 0.0 { excess } else { -excess }) / (4.0 * PI)
    }

    #[test]
    fn cones_stand_for_triangles() {
        let (vertices, triangles) = torus(60, 40);
        let mut state = 3_u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        // One in eight is missing, and one in three of the others stands the wrong way round.
        let kept: Vec<[u32; 3]> = triangles.iter().copied().filter(|_| draw() < 0.75).collect();
        let turned: Vec<bool> = kept.iter().map(|_| draw() > 0.33).collect();
        let given = kept.iter().zip(&turned).map(|(&[a, b, c], &turn)| if turn { [a, c, b] } else { [a, b, c] });
        let whole = OpenSurface::new(vec![false; triangles.len()]);
        let (given, holes) = (given.collect::<Vec<_>>(), OpenSurface::new(turned.clone()));
        let mut inside = 0;
        for _ in 0..500 {
            let p = Vec3::new(1.5 * draw(), 1.5 * draw(), 0.5 * draw());
            let corners = |t: &[u32; 3]| t.map(|v| vertices[v as usize] - p);
            let (closed, found) =
                (whole.winding(&vertices, &triangles, p, 0.0), holes.winding(&vertices, &given, p, 0.0));
            assert!((closed.value - closed.value.round()).abs() <= closed.error, "{p:?} {closed:?}");
            let expected: f64 = kept.iter().map(|t| angle(corners(t))).sum();
            assert!((found.value - expected).abs() < 1e-7, "{p:?} {found:?} {expected}");
            assert!(closed.error < 1e-9 && found.error < 1e-9 && found.error > 0.0, "{p:?} {closed:?} {found:?}");
            // Outside of the box of a closed surface nothing is left to be off.
            let off = whole.winding(&vertices, &triangles, p, 1e-3).error;
            assert!(off >= closed.error && (off > closed.error || !closed.is_inside()), "{p:?} {closed:?} {off}");
            inside += usize::from(closed.is_inside());
        }
        assert!(inside > 100 && inside < 400, "{inside}");
        let nowhere = whole.winding(&vertices, &triangles, Vec3::new(f64::NAN, 0.0, 0.0), 0.0);
        assert!(nowhere.is_inside(), "what is no number is not known to be outside");
    }
}
