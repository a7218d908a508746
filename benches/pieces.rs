//! Bodies of several convex pieces: the search through their trees against all pairs of pieces, in
//! the same run.
//!
//! `cargo bench --bench pieces`. Two bodies of `n` boxes each, strewn in a ball, pass each other:
//! apart, close by (a gap of a hundredth of a radius), or through each other. *Coherent*: one
//! memory through all samples; *cold*: none. All pairs: every pair of pieces is a query of its own,
//! with a memory of its own, and the least upper end so far as its cut-off. One thread. Prints a
//! line a case; the distances of both ways are compared.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for developers")]

use clearsweep_geometry::hull::convex_hull;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_narrow::{Auto, BodyPoses, NarrowPhase, PairCache, PairQuery, Proximity, SolverStats, Workspace};
use clearsweep_scene::{Geometry, QueryOptions, Shape};
use clearsweep_testing::random::Random;
use std::time::Instant;

/// The corners of boxes that fill about a tenth of a ball of radius 1 m, whatever their number.
fn boxes(count: usize, random: &mut Random) -> Vec<Vec<[f64; 3]>> {
    let half = 0.4 / (count as f64).cbrt();
    let mut boxes = Vec::new();
    while boxes.len() < count {
        let (at, q) = (random.vec3(), random.quaternion());
        if at.length() < 1.0 {
            let pose = Pose::new(at.to_array(), q);
            let sign = |i: i32, bit: i32| if i >> bit & 1 == 1 { half } else { -half };
            let corner = |i| pose.apply(Vec3::new(sign(i, 0), sign(i, 1), 0.5 * sign(i, 2))).to_array();
            boxes.push((0..8).map(corner).collect());
        }
    }
    boxes
}

/// A body, and each of its pieces in the body's frame as a body of its own.
struct Compound {
    whole: Shape,
    alone: Vec<Shape>,
}

fn compound(count: usize, random: &mut Random) -> Compound {
    let lists = boxes(count, random);
    let mut whole = (*Geometry::Pieces(lists).shape(0.0).unwrap()).clone();
    whole.center = Vec3::ZERO;
    let alone = whole.pieces.iter().map(|piece| {
        let points: Vec<_> = (0..piece.core.count as u32).map(|v| piece.core.vertex(v)).collect();
        let mut shape = (*Geometry::Box([1.0; 3]).shape(0.0).unwrap()).clone();
        shape.pieces[0].core = convex_hull(&points).unwrap();
        (shape.center, shape.radius) = (Vec3::ZERO, shape.pieces[0].core.radius);
        shape
    });
    let alone = alone.collect();
    Compound { whole, alone }
}

struct Asked<'a> {
    work: &'a mut Workspace,
    stats: SolverStats,
    out: Vec<Proximity>,
}

impl Asked<'_> {
    fn row(&mut self, a: &Shape, b: &Shape, pb: &Pose, within: f64, cache: &mut PairCache) -> Option<Proximity> {
        let options = QueryOptions { within, ..QueryOptions::EVERYTHING };
        let (poses_a, poses_b) = (BodyPoses::Fixed(&Pose::IDENTITY), BodyPoses::Fixed(pb));
        let query = PairQuery { a, b, poses_a, poses_b, samples: 1 };
        self.out.clear();
        Auto.walk(&query, &options, cache, self.work, &mut self.stats, &mut self.out);
        self.out.pop()
    }

    /// The least distance over all pairs of pieces, clipped at 0: overlaps are found and not
    /// measured against each other.
    fn all_pairs(&mut self, a: &Compound, b: &Compound, pb: &Pose, caches: &mut [PairCache]) -> f64 {
        let (mut cutoff, mut least) = (f64::INFINITY, f64::INFINITY);
        for (i, one) in a.alone.iter().enumerate() {
            for (j, other) in b.alone.iter().enumerate() {
                if let Some(row) = self.row(one, other, pb, cutoff, &mut caches[i * b.alone.len() + j]) {
                    least = least.min(row.distance);
                    cutoff = cutoff.min(row.upper.max(0.0));
                }
            }
        }
        least
    }
}

/// Samples of a pass by: `gap` metres between the balls at the nearest, less than 0 where they
/// overlap.
fn path(samples: usize, gap: f64) -> Vec<Pose> {
    let at = |k: usize| k as f64 / samples as f64 - 0.5;
    let pose = |s: f64| Pose::new([0.1 * s, (2.0 + gap) * (1.0 + 0.02 * s), 0.2 * s], [1.0, 0.05 * s, 0.1, 0.1 * s]);
    (0..samples).map(|k| pose(at(k))).collect()
}

fn main() {
    let mut random = Random(1);
    println!("pieces | place | memory | tree, us | all pairs, us | ratio | pairs visited of all, %");
    for count in [2, 8, 64, 512] {
        let (a, b) = (compound(count, &mut random), compound(count, &mut random));
        for (place, gap) in [("apart", 1.0), ("near", 0.01), ("through", -0.6)] {
            for coherent in [true, false] {
                let samples = if coherent {
                    512.min(400_000 / (count * count)).max(8)
                } else {
                    64.min(40_000 / (count * count)).max(2)
                };
                compare(&a, &b, (place, gap), coherent, samples);
            }
        }
    }
}

fn compare(a: &Compound, b: &Compound, (place, gap): (&str, f64), coherent: bool, samples: usize) {
    let poses = path(samples, gap);
    let mut work = Box::<Workspace>::default();
    let mut asked = Asked { work: &mut work, stats: SolverStats::default(), out: Vec::new() };
    let pairs = a.alone.len() * b.alone.len();
    let mut cache = PairCache::default();
    asked.row(&a.whole, &b.whole, &poses[0], f64::INFINITY, &mut cache);
    asked.stats = SolverStats::default();
    let start = Instant::now();
    let trees: Vec<f64> = poses
        .iter()
        .map(|pose| {
            if !coherent {
                cache = PairCache::default();
            }
            asked.row(&a.whole, &b.whole, pose, f64::INFINITY, &mut cache).unwrap().upper
        })
        .collect();
    let by_tree = start.elapsed().as_secs_f64() * 1e6 / samples as f64;
    let visited = asked.stats.entries().into_iter().find(|(name, _)| *name == "piece_pairs").map_or(0, |(_, n)| n);
    let mut caches = vec![PairCache::default(); pairs];
    asked.all_pairs(a, b, &poses[0], &mut caches);
    let start = Instant::now();
    let all: Vec<f64> = poses
        .iter()
        .map(|pose| {
            if !coherent {
                caches.fill(PairCache::default());
            }
            asked.all_pairs(a, b, pose, &mut caches)
        })
        .collect();
    let by_pairs = start.elapsed().as_secs_f64() * 1e6 / samples as f64;
    for (tree, pair) in trees.iter().zip(&all) {
        assert!((tree.max(0.0) - pair.max(0.0)).abs() < 1e-9, "{tree} against {pair}");
    }
    let overlap = all.iter().filter(|d| **d < 0.0).count();
    println!(
        "{} | {place} ({overlap} of {samples} overlap) | {} | {by_tree:.1} | {by_pairs:.1} | {:.1} | {:.2}",
        a.alone.len(),
        if coherent { "coherent" } else { "cold" },
        by_pairs / by_tree,
        100.0 * visited as f64 / (samples * pairs) as f64
    );
}
