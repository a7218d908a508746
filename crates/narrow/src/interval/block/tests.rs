//! The intervals of a block against the same intervals asked alone.

use super::super::interval_proximity;
use super::*;
use crate::{Auto, NarrowPhase, PairQuery};
use clearsweep_model::block::COMPONENTS;
use clearsweep_model::{AnswerKind, QueryOptions, SampleColumn};
use clearsweep_scene::{BodyBuilder, Geometry, SceneBuilder};
use std::sync::Arc;

struct Random(u64);

impl Random {
    fn signed(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

fn shape(geometry: Geometry) -> Arc<Shape> {
    let body = BodyBuilder::new("a", geometry).fixed([0.0; 3], [1.0, 0.0, 0.0, 0.0]);
    Arc::clone(&SceneBuilder::new(1.0).body(body).build().expect("a scene").bodies[0].shape)
}

fn shapes() -> Vec<Arc<Shape>> {
    let corner = |k: usize, size: [f64; 3]| [0, 1, 2].map(|axis| if k >> axis & 1 == 1 { size[axis] } else { 0.0 });
    let bar = |size: [f64; 3]| (0..8).map(|k| corner(k, size)).collect::<Vec<_>>();
    vec![
        shape(Geometry::Box([0.4, 0.3, 0.5])),
        shape(Geometry::Box([1.5, 1.0, 0.002])),
        shape(Geometry::Sphere(0.25)),
        shape(Geometry::Cylinder { radius: 0.2, height: 0.7, sides: 24 }),
        shape(Geometry::Pieces(vec![bar([1.0, 0.1, 0.2]), bar([0.1, 0.1, 1.0])])),
    ]
}

/// Poses that wander, by a few centimetres and degrees a sample, with a body at rest and a jump now
/// and then.
fn wander(random: &mut Random, radius: f64, speed: f64) -> [SampleColumn; COMPONENTS] {
    let mut lanes = [SampleColumn::default(); COMPONENTS];
    let mut at = [random.signed(), random.signed(), random.signed()].map(|x| radius * x);
    let mut q = [1.0, random.signed(), random.signed(), random.signed()];
    for s in 0..SAMPLES {
        let step = if s % 17 == 16 { 10.0 * speed } else { speed };
        if s % 13 > 2 {
            at = at.map(|x| 0.98 * x + step * random.signed());
            q = q.map(|c| c + 0.5 * step * random.signed());
        }
        let norm = q.iter().map(|c| c * c).sum::<f64>().sqrt();
        let components = [at[0], at[1], at[2], q[0] / norm, q[1] / norm, q[2] / norm, q[3] / norm, 0.0, 0.0, 0.0];
        components.iter().zip(&mut lanes).for_each(|(c, lane)| lane.0[s] = *c);
    }
    lanes
}

/// Inputs of the queries of blocks.
struct Asking<'a> {
    bodies: [&'a Arc<Shape>; 2],
    poses: [&'a [SampleColumn; COMPONENTS]; 2],
    options: IntervalOptions,
    samples: usize,
    /// Acceleration of each body after each sample; empty unless it falls.
    falls: [Vec<Vec3<f64>>; 2],
}

impl Asking<'_> {
    fn query(&self) -> IntervalQuery<'_> {
        let bodies = [0, 1].map(|k| BlockMotion {
            shape: self.bodies[k],
            poses: BodyPoses::Moving(self.poses[k]),
            after: Some(BodyPoses::Moving(self.poses[k]).at(0)),
            pivot: Vec3::new(0.1, 0.0, -0.05),
            falls: &self.falls[k],
            bounds: Default::default(),
        });
        let all = u64::MAX >> (SAMPLES - self.samples);
        IntervalQuery { bodies, samples: self.samples, asked: all, intervals: all & !(1 << 5), joints: None }
    }

    /// In a block, with its rows and a cache.
    fn together(&self, cache: &mut PairCache, work: &mut Workspace, stats: &mut SolverStats) -> Vec<IntervalProximity> {
        let query = self.query();
        let [a, b] = query.bodies;
        let samples = query.asked;
        let pair = PairQuery { a: a.shape, b: b.shape, poses_a: a.poses, poses_b: b.poses, samples };
        let IntervalOptions { within, require, touch, .. } = self.options;
        let of_rows = QueryOptions { within, require, touch, ..QueryOptions::EVERYTHING };
        let (mut rows, mut found) = (Vec::new(), Vec::new());
        Auto.walk(&pair, &of_rows, cache, work, stats, &mut rows);
        walk_intervals(&query, &rows, &self.options, cache, work, stats, &mut found);
        found
    }

    /// One after the other.
    fn alone(&self, work: &mut Workspace) -> Vec<IntervalProximity> {
        let query = self.query();
        let asked = (0..self.samples).filter(|s| query.intervals >> s & 1 == 1);
        let mut answer = |sample: usize| {
            let [a, b] = query.over(sample);
            let found = interval_proximity(&a, &b, [None, None], &self.options, work, &mut SolverStats::default())?;
            Some(IntervalProximity { sample: sample as u8, ..found })
        };
        asked.filter_map(&mut answer).collect()
    }
}

/// Accelerations of two bodies that fall: both alike, or the second one stands.
fn falls(random: &mut Random, between: BetweenFrames) -> [Vec<Vec3<f64>>; 2] {
    if between != BetweenFrames::Ballistic {
        return [Vec::new(), Vec::new()];
    }
    let mut fall = || Vec3::new(random.signed(), random.signed(), random.signed()).scale(0.1);
    let falls: Vec<Vec3<f64>> = (0..SAMPLES).map(|_| fall()).collect();
    let other = if random.signed() < 0.0 { falls.clone() } else { Vec::new() };
    [falls, other]
}

#[test]
fn blocks_decide_what_intervals_alone_decide_bit_for_bit() {
    let (shapes, mut random) = (shapes(), Random(7));
    let (mut work, mut stats, mut answers) = (Workspace::default(), SolverStats::default(), 0);
    for round in 0..80 {
        let between =
            [BetweenFrames::Linear, BetweenFrames::Screw, BetweenFrames::Hold, BetweenFrames::Ballistic][round % 4];
        let speed = [0.002, 0.01, 0.05][round / 4 % 3];
        let (a, b) = (&shapes[round % shapes.len()], &shapes[(round / 2 + 1) % shapes.len()]);
        let poses = [wander(&mut random, 0.9, speed), wander(&mut random, 0.9, speed)];
        let mut cache = PairCache::default();
        let mut within = 0.3;
        for turn in 0..4 {
            let options = IntervalOptions {
                between,
                within,
                require: None,
                touch: 1e-6,
                tolerance: 1e-4,
                answer: AnswerKind::Depth,
                ..IntervalOptions::default()
            };
            let asking = Asking {
                bodies: [a, b],
                poses: [&poses[0], &poses[1]],
                options,
                samples: if turn == 1 { 40 } else { 64 },
                falls: falls(&mut random, between),
            };
            let found = asking.together(&mut cache, &mut work, &mut stats);
            assert_eq!(found, asking.alone(&mut work), "round {round}, within {within}, {between:?}");
            answers += found.len();
            // Then with a cut-off that is right beside a least distance.
            let Some(some) = found.iter().find(|answer| answer.lower > 0.01) else { break };
            within = some.lower + [1e-13, 1e-7, -1e-7][turn.min(2)];
        }
    }
    let SolverStats { intervals, intervals_by_row, intervals_by_block, intervals_beyond, .. } = stats;
    assert!(answers > 2000 && intervals > 8000, "{answers} of {intervals}");
    assert!(intervals_by_row > 1000, "{intervals_by_row} by rows");
    assert!(
        intervals_by_block > 1000 && intervals_beyond > 50,
        "{intervals_by_block} by blocks, {intervals_beyond} alone"
    );
}

#[test]
fn eight_bounds_are_those_of_single_intervals_bit_for_bit() {
    use super::super::eight::Directions;
    use super::super::node::Node;
    use super::super::pair_path::PairPath;
    use super::super::support_gap::by_bend;
    let (shapes, mut random) = (shapes(), Random(3));
    let mut compared = 0;
    for round in 0..40 {
        let between = [BetweenFrames::Linear, BetweenFrames::Screw, BetweenFrames::Ballistic][round % 3];
        let (a, b) = (&shapes[round % shapes.len()], &shapes[(round / 2 + 1) % shapes.len()]);
        let poses = [wander(&mut random, 2.0, 0.05), wander(&mut random, 2.0, 0.05)];
        let options = IntervalOptions {
            between,
            within: 1.0,
            require: None,
            touch: 1e-6,
            tolerance: 1e-4,
            answer: AnswerKind::Depth,
            ..IntervalOptions::default()
        };
        let falls = falls(&mut random, between);
        let asking = Asking { bodies: [a, b], poses: [&poses[0], &poses[1]], options, samples: SAMPLES, falls };
        let query = asking.query();
        let eight: [u8; WIDTH] = std::array::from_fn(|k| ((7 * round + 11 * k) % (SAMPLES - 1)) as u8);
        let (mut normals, mut at_end) = ([[0.0; WIDTH]; 3], [0.0; WIDTH]);
        for k in 0..WIDTH {
            let normal = Vec3::new(random.signed(), random.signed(), random.signed()).normalized();
            set(&mut normals, k, normal);
            at_end[k] = f64::from(u8::from(k % 3 == 0));
        }
        let directions = Directions::Given { normals, at_end };
        let terms = BlockTerms::new(&query, &options);
        let rank = round / 2 % 3;
        let found = terms.motions(&eight).bounds(&terms.bodies.hulls(), &directions, rank);
        for (k, &sample) in eight.iter().enumerate() {
            let [a, b] = query.over(usize::from(sample));
            let bodies = IntervalBodies::new(&a, &b, &options);
            let Some(path) = PairPath::new([&a, &b], None, &options) else {
                assert_eq!(found.defined >> k & 1, 0);
                continue;
            };
            let motion = path.relative_motion([&a, &b]);
            let (is_end, nodes) = (at_end[k] > 0.0, [0.0, 1.0].map(|share| Node::at(share, &path)));
            let ends = if is_end { [&nodes[1], &nodes[0]] } else { [&nodes[0], &nodes[1]] };
            let normal = Vec3::new(normals[0][k], normals[1][k], normals[2][k]);
            let fixed = by_bend(&motion, ends[0].to_world(normal))[rank];
            let alone = bodies.hulls().bound_along(ends, normal, fixed, &motion);
            let alone = if is_end { alone.reversed() } else { alone };
            let bits = |bound: &super::super::relative_motion::GapBound| {
                [bound.first, bound.last, bound.bend].map(f64::to_bits)
            };
            assert_eq!(bits(&found.of(k)), bits(&alone), "round {round}, lane {k}");
            compared += 1;
        }
    }
    assert!(compared > 250, "{compared}");
}
