//! Two meshes at their poses, in integers: the distance of their surfaces by all pairs of
//! triangles, and which holds the other.
//!
//! A rotation is `M(q) / |q|^2`, so that every point times `|q_A|^2 |q_B|^2` and a power of two is
//! one of integers. In `f64` pairs are only left out: where balls, or the planes across some
//! direction, are farther apart than `reach`. In the end it is checked that none of these is the
//! nearest one: the exact distance must be below `reach`.

use super::integers::{Fraction, Point, cross, dot, integer, lowest_bit, nearest_f64, sign, sub, triangle_distance2};
use crate::brute_force::{Corners, triangle_bracket};
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_testing::solids::Solid;
use num_bigint::BigInt;
use std::cmp::Ordering;

/// Bound on the error of coordinates and gaps in `f64`, in parts of the largest coordinate:
/// hundreds of roundings.
const SLACK: f64 = 1e-13;

/// How far above the least distance in `f64` pairs are compared exactly, in the same parts.
const MARGIN: f64 = 1e-10;

/// Two meshes at their poses.
pub(crate) struct Placed {
    /// Integers in a metre are `scale`.
    scale: BigInt,
    points: [Vec<Point>; 2],
    triangles: [Vec<[usize; 3]>; 2],
    /// The points from one of A's, metres, rounded.
    near: [Vec<Vec3<f64>>; 2],
    /// The largest coordinate of these.
    size: f64,
}

/// How two meshes lie.
pub(crate) enum Answer {
    /// Their surfaces are apart, and no part of one is inside of the other.
    Apart(Distance),
    /// Likewise, but one is.
    Holds(Distance),
    /// Their surfaces meet.
    Meets,
}

/// A distance, as its square.
#[derive(Debug, Clone)]
pub(crate) struct Distance {
    /// Square metres.
    square: Fraction,
}

impl Distance {
    /// Against a finite number of metres.
    pub(crate) fn compare(&self, x: f64) -> Ordering {
        if x < 0.0 {
            return Ordering::Greater;
        }
        self.square.compare(&square(x))
    }

    /// `x` less the distance, metres; exact but for one rounding, and a relative 1e-15.
    pub(crate) fn excess(&self, x: f64) -> f64 {
        let x2 = square(x);
        let (above, below) =
            (&x2.above * &self.square.below - &self.square.above * &x2.below, &x2.below * &self.square.below);
        nearest_f64(&above, &below) / (x + self.metres())
    }

    /// Rounded.
    pub(crate) fn metres(&self) -> f64 {
        nearest_f64(&self.square.above, &self.square.below).sqrt()
    }
}

/// The square of a number that is not negative.
fn square(x: f64) -> Fraction {
    let up = -lowest_bit(x).unwrap_or(0).min(0);
    let root = integer(x, up);
    Fraction { above: &root * &root, below: BigInt::from(1) << (2 * up) as u64 }
}

/// The rows of `M(q)`, and `|q|^2`, of a quaternion scaled to integers.
fn rotation(q: [f64; 4]) -> ([Point; 3], BigInt) {
    let up = -q.iter().filter_map(|&c| lowest_bit(c)).min().expect("a quaternion");
    let [w, x, y, z] = q.map(|c| integer(c, up));
    let norm2 = &w * &w + &x * &x + &y * &y + &z * &z;
    // 2 u u^T + (w^2 - u^2) + 2 w [u], u = (x, y, z).
    let diagonal = &w * &w - &x * &x - &y * &y - &z * &z;
    let twice = |p: BigInt| p * 2;
    let rows = [
        [&diagonal + twice(&x * &x), twice(&x * &y - &w * &z), twice(&x * &z + &w * &y)],
        [twice(&x * &y + &w * &z), &diagonal + twice(&y * &y), twice(&y * &z - &w * &x)],
        [twice(&x * &z - &w * &y), twice(&y * &z + &w * &x), &diagonal + twice(&z * &z)],
    ];
    (rows, norm2)
}

impl Placed {
    /// Two solids at their poses, the second moved by `shift` (metres, world) besides.
    pub(crate) fn new(solids: [&Solid; 2], poses: [&Pose; 2], shift: Vec3<f64>) -> Self {
        let shifts = [Vec3::ZERO, shift];
        let offsets = |k: usize| [poses[k].position, poses[k].rest, shifts[k]].map(Vec3::to_array);
        let lengths = (0..2).flat_map(|k| solids[k].vertices.iter().copied().chain(offsets(k)).flatten());
        let up = -lengths.filter_map(lowest_bit).min().unwrap_or(0).min(0);
        let turns = poses.map(|pose| rotation(pose.q));
        let points = [0, 1].map(|k| {
            let ((rows, own), other) = (&turns[k], &turns[1 - k].1);
            let at: Point = std::array::from_fn(|i| offsets(k).iter().map(|o| integer(o[i], up)).sum::<BigInt>() * own);
            let place = |v: &[f64; 3]| {
                let v = v.map(|c| integer(c, up));
                std::array::from_fn(|i| (dot(&rows[i], &v) + &at[i]) * other)
            };
            solids[k].vertices.iter().map(place).collect::<Vec<Point>>()
        });
        let scale = (&turns[0].1 * &turns[1].1) << up as u64;
        let origin = points[0][0].clone();
        let near = [0, 1].map(|k: usize| {
            let place = |p: &Point| Vec3::from(sub(p, &origin).map(|c| nearest_f64(&c, &scale)));
            points[k].iter().map(place).collect::<Vec<_>>()
        });
        let size = near.iter().flatten().flat_map(|p| p.to_array()).fold(0.0, |most: f64, c| most.max(c.abs()));
        Self { scale, points, triangles: solids.map(|s| s.triangles.clone()), near, size }
    }

    fn corners(&self, k: usize, t: usize) -> [&Point; 3] {
        self.triangles[k][t].map(|v| &self.points[k][v])
    }

    /// How they lie. `closed`: which of them has an inside.
    pub(crate) fn answer(&self, closed: [bool; 2]) -> Answer {
        let square = self.surfaces();
        if square.is_zero() {
            return Answer::Meets;
        }
        let distance = Distance { square: Fraction { below: square.below * &self.scale * &self.scale, ..square } };
        let holds =
            |k: usize| closed[k] && components(&self.triangles[1 - k]).into_iter().any(|v| self.winds(k, v) > 0);
        if holds(0) || holds(1) { Answer::Holds(distance) } else { Answer::Apart(distance) }
    }

    /// The square of the distance of the surfaces, in integers.
    fn surfaces(&self) -> Fraction {
        let corners = [0, 1]
            .map(|k: usize| self.triangles[k].iter().map(|t| t.map(|v| self.near[k][v])).collect::<Vec<Corners>>());
        let balls = [0, 1].map(|k: usize| corners[k].iter().map(ball).collect::<Vec<_>>());
        let (slack, margin) = (SLACK * self.size, MARGIN * self.size);
        // The centroids are points of the triangles.
        let mut reach = f64::INFINITY;
        for (p, _) in &balls[0] {
            reach = balls[1].iter().map(|(q, _)| (*q - *p).length2()).fold(reach, f64::min);
        }
        let mut reach = reach.sqrt() + margin;
        let mut open: Vec<(f64, [usize; 2])> = Vec::new();
        for (i, (p, r)) in balls[0].iter().enumerate() {
            for (j, (q, s)) in balls[1].iter().enumerate() {
                let far = reach + r + s + slack;
                if (*q - *p).length2() > far * far {
                    continue;
                }
                let [lower, upper] = triangle_bracket(&corners[0][i], &corners[1][j]);
                reach = reach.min(upper + margin);
                if lower <= reach + slack {
                    open.push((lower, [i, j]));
                }
            }
        }
        open.sort_by(|x, y| x.0.total_cmp(&y.0));
        let mut best: Option<Fraction> = None;
        for (_, [i, j]) in open.iter().filter(|(lower, _)| *lower <= reach + slack) {
            let found = triangle_distance2(self.corners(0, *i), self.corners(1, *j));
            let is_zero = found.is_zero();
            best = Some(best.map_or(found.clone(), |best| best.min(found)));
            if is_zero {
                break;
            }
        }
        let best = best.expect("a pair within reach");
        let metres = nearest_f64(&best.above, &(&best.below * &self.scale * &self.scale)).sqrt();
        assert!(metres <= reach, "a pair left out may be nearer: {metres} {reach}");
        best
    }

    /// How often mesh `k` winds around a vertex of the other that is not on it: crossings of a ray,
    /// outward ones less inward ones.
    fn winds(&self, k: usize, vertex: usize) -> i32 {
        let directions: [[i32; 3]; 4] = [[3, 1, 997], [-991, 7, 5], [11, 983, -13], [577, -571, 569]];
        let found = directions.iter().find_map(|&u| self.winds_along(k, vertex, u));
        found.expect("a ray that meets no edge")
    }

    /// `None`: the ray meets an edge.
    fn winds_along(&self, k: usize, vertex: usize, u: [i32; 3]) -> Option<i32> {
        let (p, near) = (&self.points[1 - k][vertex], self.near[1 - k][vertex]);
        let along = Vec3::from(u.map(f64::from)).normalized();
        let side = along.cross(Vec3::from(u.map(|c| f64::from(c).abs())) + Vec3::new(1.0, 2.0, 3.0)).normalized();
        let sides = [side, along.cross(side)];
        let u = u.map(BigInt::from);
        let slack = 4.0 * SLACK * self.size;
        let mut winding = 0;
        for t in &self.triangles[k] {
            let beside = |n: &Vec3<f64>| {
                let c = t.map(|v| (self.near[k][v] - near).dot(*n));
                c.iter().all(|&c| c > slack) || c.iter().all(|&c| c < -slack)
            };
            if sides.iter().any(beside) {
                continue;
            }
            let c = t.map(|v| sub(&self.points[k][v], p));
            let around = [0, 1, 2].map(|i| sign(&dot(&u, &cross(&c[i], &c[(i + 1) % 3]))));
            if around.contains(&1) && around.contains(&-1) {
                continue;
            }
            let n = cross(&sub(&c[1], &c[0]), &sub(&c[2], &c[0]));
            let (through, ahead) = (sign(&dot(&n, &u)), sign(&dot(&n, &c[0])));
            if around.contains(&0) {
                return None;
            }
            winding += if through * ahead > 0 { through } else { 0 };
        }
        Some(winding)
    }
}

/// A ball around a triangle: its centroid, and its radius.
fn ball(t: &Corners) -> (Vec3<f64>, f64) {
    let middle = (t[0] + t[1] + t[2]) * (1.0 / 3.0);
    (middle, t.iter().map(|p| (*p - middle).length()).fold(0.0, f64::max))
}

/// A vertex of each connected part.
fn components(triangles: &[[usize; 3]]) -> Vec<usize> {
    let most = triangles.iter().flatten().max().map_or(0, |v| v + 1);
    let mut part: Vec<usize> = (0..most).collect();
    // The lowest vertex of a part spreads until nothing changes.
    loop {
        let mut changed = false;
        for t in triangles {
            let least = t.iter().map(|&v| part[v]).min().expect("three corners");
            for &v in t {
                changed |= std::mem::replace(&mut part[v], least) != least;
            }
        }
        if !changed {
            break;
        }
    }
    let used: std::collections::BTreeSet<usize> = triangles.iter().flatten().map(|&v| part[v]).collect();
    used.into_iter().collect()
}
