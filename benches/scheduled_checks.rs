//! Queries saved by a schedule of checks, by a motion bound along known poses, and by nothing, on
//! the same motions.
//!
//! `cargo bench --bench scheduled_checks`
//!
//! Source: Mirtich 1997, "Efficient algorithms for two-phase collision detection", section 4; Lin's
//! survey, section 4.2: pairs wait in a heap by the earliest time at which they may collide, from
//! their distance and bounds of velocity and acceleration. A simulator knows the velocities of the
//! present and bounds of what may change them. Here all poses are known, so that the motion itself
//! bounds the distance (*skip-ahead*), and a direction that stands still in the world bounds it
//! too, at the frames and between them. Each way has to find the same frames in which a pair is
//! within the cut-off, which is asserted.

#![allow(clippy::print_stdout, reason = "a program for developers")]

use clearsweep::{PairOptions, ProximityQuery};
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_scene::{BodyBuilder, Geometry, SceneBuilder, Shape};
use clearsweep_testing::random::Random;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

const BODIES: usize = 24;
const FRAMES: usize = 2_000;
const WITHIN: f64 = 0.02;
/// Sides of each box, metres.
const SIZE: [f64; 3] = [0.5, 0.3, 0.2];

/// The poses of all bodies, by body and frame, with bounds of their motion over a frame: of the
/// speed of any point at a frame, and of what may change in it a frame later.
struct Motions {
    poses: Vec<Vec<Pose>>,
    radius: f64,
    /// A bound of the acceleration of any point of a body, metres a frame and frame: what a
    /// simulator knows from its forces.
    acceleration: f64,
}

/// Bodies that swing to and fro in a box of side 6 m, each at rates of its own, so that they are
/// fast at times and nearly at rest at others.
fn motions(step: f64, radius: f64) -> Motions {
    let mut random = Random(3);
    let mut acceleration = 0.0_f64;
    let poses = (0..BODIES).map(|_| {
        // The speed of a body swells and ebbs: its phase is t + 0.95 sin(t), in units of its own.
        let (rate, start) = (step / 3.0 * (0.3 + 0.7 * random.signed().abs()), 3.0 * random.signed());
        let phases = random.in_cube(3.0);
        let axis = Vec3::from(random.direction());
        // Second derivatives of 3 sin(phase) along three axes, and of the turn, by the chain rule.
        let reach = 3.0 * 3.0_f64.sqrt();
        acceleration = acceleration.max(rate * rate * (reach * (1.95 * 1.95 + 0.95) + radius * 0.95));
        (0..FRAMES)
            .map(|frame| {
                let t = rate * frame as f64 + start;
                let phase = t + 0.95 * t.sin();
                let (s, c) = (0.5 * phase).sin_cos();
                Pose::new(phases.map(|p| 3.0 * (phase + p).sin()), [c, axis.x * s, axis.y * s, axis.z * s])
            })
            .collect()
    });
    Motions { poses: poses.collect(), radius, acceleration }
}

impl Motions {
    /// How far any point of a body moves from one frame to the next, at most, metres.
    fn moved(&self, body: usize, frame: usize) -> f64 {
        let [a, b] = [&self.poses[body][frame], &self.poses[body][frame + 1]];
        let dot: f64 = (0..4).map(|k| a.q[k] * b.q[k]).sum();
        (b.position - a.position).length() + 2.0 * dot.abs().min(1.0).acos() * self.radius * (1.0 + 1e-9)
    }

    /// How far a point of a body leaves its chord from one frame to the next, at most, metres: an
    /// eighth of its acceleration.
    fn off_chord(&self, body: usize, frame: usize) -> f64 {
        let [a, b] = [&self.poses[body][frame], &self.poses[body][frame + 1]];
        let dot: f64 = (0..4).map(|k| a.q[k] * b.q[k]).sum();
        let angle = 2.0 * dot.abs().min(1.0).acos();
        0.125 * angle * angle * self.radius * (1.0 + 1e-9)
    }

    /// The gap of the supporting planes of two bodies along a direction of the world at a frame,
    /// metres.
    fn gap(&self, [a, b]: [usize; 2], frame: usize, normal: Vec3<f64>) -> f64 {
        let [a, b] = [a, b].map(|body| &self.poses[body][frame]);
        let reach = |pose: &Pose| {
            let rows = [Vec3::new(0.5, 0.0, 0.0), Vec3::new(0.0, 0.5, 0.0), Vec3::new(0.0, 0.0, 0.5)];
            let along = |k: usize| (pose.apply(rows[k]) - pose.position).dot(normal).abs() * SIZE[k];
            along(0) + along(1) + along(2)
        };
        normal.dot(b.position - a.position) - reach(a) - reach(b) - 1e-12
    }

    /// After how many frames a direction no longer proves a pair to be farther apart than the
    /// cut-off, at the frames and, if `between`, between them.
    fn along(&self, pair: [usize; 2], frame: usize, normal: Vec3<f64>, between: bool) -> usize {
        for next in frame + 1..FRAMES {
            let off = if between { pair.map(|body| self.off_chord(body, next - 1)).iter().sum() } else { 0.0 };
            if self.gap(pair, next, normal) - off <= WITHIN {
                return next - frame;
            }
        }
        FRAMES
    }

    /// The largest way of any point of a body from one frame to the next, metres.
    fn speed(&self, body: usize) -> f64 {
        (0..FRAMES - 1).map(|frame| self.moved(body, frame)).fold(0.0, f64::max)
    }
}

/// Asks pairs in frames, and counts.
struct Asked<'a> {
    motions: &'a Motions,
    queries: Vec<ProximityQuery<'a>>,
    pairs: Vec<[usize; 2]>,
    count: u64,
    near: u64,
}

impl<'a> Asked<'a> {
    fn new(motions: &'a Motions, shape: &'a Shape) -> Self {
        let pairs: Vec<[usize; 2]> = (0..BODIES).flat_map(|a| (a + 1..BODIES).map(move |b| [a, b])).collect();
        let query = || ProximityQuery::new(shape, shape, &PairOptions::default()).expect("options");
        Self { motions, queries: pairs.iter().map(|_| query()).collect(), pairs, count: 0, near: 0 }
    }

    /// The proven distance beyond the cut-off, and the normal in the world; counts frames within
    /// the cut-off.
    fn slack(&mut self, pair: usize, frame: usize) -> (f64, Vec3<f64>) {
        let [a, b] = self.pairs[pair].map(|body| &self.motions.poses[body][frame]);
        let row = self.queries[pair].proximity(a, b).expect("poses").expect("any distance has an answer");
        self.count += 1;
        self.near += u64::from(row.lower <= WITHIN);
        (row.lower - WITHIN, row.normal)
    }
}

/// Every pair in every frame.
fn all(asked: &mut Asked<'_>) {
    for frame in 0..FRAMES {
        for pair in 0..asked.pairs.len() {
            asked.slack(pair, frame);
        }
    }
}

/// Pairs in a heap by the earliest frame in which they may be near; `frames(pair, frame, (slack,
/// normal))`: after how many frames that is.
fn scheduled(asked: &mut Asked<'_>, frames: impl Fn([usize; 2], usize, (f64, Vec3<f64>)) -> usize) {
    let mut heap: BinaryHeap<Reverse<(usize, usize)>> = (0..asked.pairs.len()).map(|pair| Reverse((0, pair))).collect();
    while let Some(Reverse((frame, pair))) = heap.pop() {
        let slack = asked.slack(pair, frame);
        let next = frame + frames(asked.pairs[pair], frame, slack).max(1);
        if next < FRAMES {
            heap.push(Reverse((next, pair)));
        }
    }
}

/// Whole frames until `slack` may be used up at the speed of the present and a bound of the
/// acceleration.
fn by_acceleration(motions: &Motions, [a, b]: [usize; 2], frame: usize, slack: f64) -> usize {
    if slack <= 0.0 || frame + 1 >= FRAMES {
        return 1;
    }
    // Over a frame the speed changes by the acceleration at most.
    let speed = motions.moved(a, frame) + motions.moved(b, frame) + 2.0 * motions.acceleration;
    // slack = speed t + acceleration t^2, of both bodies: half of twice the bound.
    let bend = motions.acceleration.max(1e-12);
    let root = (speed * speed + 4.0 * bend * slack).sqrt();
    (2.0 * slack / (speed + root)).floor() as usize
}

fn main() {
    let scene = SceneBuilder::new(1.0)
        .body(BodyBuilder::new("box", Geometry::Box(SIZE)).fixed([0.0; 3], [1.0, 0.0, 0.0, 0.0]))
        .build()
        .expect("a scene");
    let shape: Arc<Shape> = Arc::clone(&scene.bodies[0].shape);
    println!("{BODIES} boxes, {FRAMES} frames, pairs nearer than {WITHIN} m\n");
    println!(
        "| metres a frame | pairs and frames | near | no schedule | schedule, largest speed | schedule, speed and acceleration | skip-ahead | one direction | and between |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for step in [0.001, 0.01, 0.05, 0.2] {
        let motions = motions(step, shape.radius);
        let speeds: Vec<f64> = (0..BODIES).map(|body| motions.speed(body)).collect();
        let run = |way: &dyn Fn(&mut Asked<'_>)| {
            let mut asked = Asked::new(&motions, &shape);
            way(&mut asked);
            (asked.count, asked.near)
        };
        let (every, near) = run(&|asked| all(asked));
        let found = [
            run(&|asked| {
                scheduled(asked, |[a, b], _, (slack, _)| (slack.max(0.0) / (speeds[a] + speeds[b])).floor() as usize);
            }),
            run(&|asked| scheduled(asked, |pair, frame, (slack, _)| by_acceleration(&motions, pair, frame, slack))),
            run(&|asked| {
                scheduled(asked, |[a, b], frame, (slack, _)| {
                    let mut left = slack;
                    let mut frames = 0;
                    while frame + frames + 1 < FRAMES {
                        left -= motions.moved(a, frame + frames) + motions.moved(b, frame + frames);
                        if left <= 0.0 {
                            return frames;
                        }
                        frames += 1;
                    }
                    FRAMES
                });
            }),
            run(&|asked| {
                scheduled(
                    asked,
                    |pair, frame, (slack, normal)| {
                        if slack > 0.0 { motions.along(pair, frame, normal, false) } else { 1 }
                    },
                );
            }),
            run(&|asked| {
                scheduled(
                    asked,
                    |pair, frame, (slack, normal)| {
                        if slack > 0.0 { motions.along(pair, frame, normal, true) } else { 1 }
                    },
                );
            }),
        ];
        for (_, of) in found {
            assert_eq!(of, near, "no near frame is lost");
        }
        let share = |count: u64| format!("{count} ({:.2} %)", 100.0 * count as f64 / every as f64);
        let [fastest, accelerated, known, along, between] = found.map(|(count, _)| share(count));
        println!("| {step} | {every} | {near} | {every} | {fastest} | {accelerated} | {known} | {along} | {between} |");
    }
}
