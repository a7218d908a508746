//! Bodies that joints carry, against sampling in the values of the joints; kinematics and distances
//! share no code with the engine.

#![allow(clippy::print_stderr, reason = "the counts are for whoever runs the tests")]

use crate::oracle::{self, Placed, Solid, V, add};
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_kinematics::{CarriedBody, Joint, JointKind, JointMotion, JointTree, JointValue, PairChain};
use clearsweep_narrow::interval::{
    IntervalMethod, IntervalOptions, IntervalProximity, IntervalStatus, interval_proximity_of_joints,
};
use clearsweep_narrow::{SolverStats, Workspace};
use clearsweep_scene::{AnswerKind, BetweenFrames, SceneOverrides, Shape};
use clearsweep_testing::random::Random;
use clearsweep_testing::random_motions::{about, product};
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

pub(crate) const TOLERANCE: f64 = 1e-4;
pub(crate) const TOUCH: f64 = 1e-6;

/// A body for the engine, and the convex solids that it is for the oracle.
pub(crate) struct Body {
    pub(crate) kind: usize,
    pub(crate) shape: Arc<Shape>,
    solids: Vec<Solid>,
}

pub(crate) const KINDS: [&str; 4] = ["hull", "pieces", "rounded parts", "mesh"];

/// Boxes of a bracket whose hull is far from it.
const BRACKET: [([f64; 3], [f64; 3]); 3] =
    [([-0.2, -0.2, 0.0], [0.5, 0.2, 0.1]), ([-0.2, -0.2, 0.1], [-0.1, 0.2, 0.5]), ([-0.1, -0.2, 0.4], [0.3, 0.2, 0.5])];

fn corners((low, high): ([f64; 3], [f64; 3])) -> Vec<[f64; 3]> {
    (0..8).map(|k| [0, 1, 2].map(|axis| if k >> axis & 1 == 1 { high[axis] } else { low[axis] })).collect()
}

pub(crate) fn shape(text: &str) -> Arc<Shape> {
    let scene =
        format!("[scene]\nlength_unit = \"m\"\n[query]\nwithin = 1\n[[body]]\nname = \"a\"\nstatic = true\n{text}\n");
    let scene = clearsweep_scene::scene_of_text(&scene, &SceneOverrides::default()).expect("a scene");
    Arc::clone(&scene.bodies[0].shape)
}

fn solids(shape: &Shape) -> Vec<Solid> {
    shape.pieces.iter().map(|piece| Solid::new(&piece.core, shape.center.to_array(), piece.radius)).collect()
}

pub(crate) fn bodies(dir: &Path) -> Vec<Body> {
    let list = |points: &[[f64; 3]]| format!("{points:?}");
    let pieces = BRACKET.map(corners);
    let of_pieces =
        shape(&format!("shape = {{ pieces = [{}] }}", pieces.each_ref().map(|points| list(points)).join(", ")));
    let mut text = String::new();
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    for (at, points) in pieces.iter().enumerate() {
        points.iter().for_each(|[x, y, z]| text += &format!("v {x} {y} {z}\n"));
        for face in faces {
            let [a, b, c, d] = face.map(|v| v + 1 + 8 * at);
            text += &format!("f {a} {b} {c}\nf {a} {c} {d}\n");
        }
    }
    let file = dir.join("bracket.obj");
    fs::write(&file, text).expect("written");
    let mesh = shape(&format!("geometry = {file:?}\nmodel = \"mesh\""));
    let parts = "parts = [{ sphere = 0.15, position = [0.3, 0, 0] }, { capsule = [0.05, 0.4], orientation = { axis = [1, 0, 0], angle = 60 } }, \
         { box = [0.2, 0.3, 0.1], position = [-0.2, 0.1, 0.1], orientation = { rpy = [10, 20, 30] } }]";
    let parts = shape(parts);
    let of = |kind: usize, shape: Arc<Shape>| Body { kind, solids: solids(&shape), shape };
    vec![
        of(0, shape("shape = { box = [0.5, 0.3, 0.2] }")),
        of(0, shape("shape = { capsule = [0.1, 0.5] }")),
        of(
            0,
            shape("shape = { points = [[-0.3, 0, 0], [0.4, 0.1, 0], [0, 0.4, -0.1], [0, 0, 0.5], [0.1, -0.2, 0.2]] }"),
        ),
        of(1, Arc::clone(&of_pieces)),
        of(2, parts),
        Body { kind: 3, solids: solids(&of_pieces), shape: mesh },
    ]
}

/// One joint as the oracle understands it: a place, and a turn or a way about an axis.
struct OracleJoint {
    place: (V, [f64; 4]),
    axis: V,
    turn: f64,
    slide: f64,
}

/// A chain from the world to a body.
pub(crate) struct Chain {
    /// The first of its joints among all, which are in a row.
    first: usize,
    joints: Vec<OracleJoint>,
    end: (V, [f64; 4]),
}

fn placed((position, q): (V, [f64; 4]), (by, turn): (V, [f64; 4])) -> (V, [f64; 4]) {
    (add(position, Placed { position, q }.turn(by)), product(q, turn))
}

impl Chain {
    fn at(&self, values: &[f64]) -> Placed {
        let mut pose = ([0.0; 3], [1.0, 0.0, 0.0, 0.0]);
        for (joint, value) in self.joints.iter().zip(&values[self.first..]) {
            pose = placed(pose, joint.place);
            let way = joint.axis.map(|c| c * joint.slide * value);
            pose = placed(pose, (way, about(joint.axis, joint.turn * value)));
        }
        let (position, q) = placed(pose, self.end);
        Placed { position, q }
    }

    /// A bound of the speed of any point within `reach` of the body's origin while the values move
    /// by `rates`.
    fn speed(&self, rates: &[f64], reach: f64) -> f64 {
        let lengths: f64 = self.joints.iter().map(|joint| oracle::norm(joint.place.0)).sum();
        // No way is longer than 3 m.
        let length = lengths + 3.0 * self.joints.len() as f64 * 0.3 + oracle::norm(self.end.0) + reach;
        self.joints
            .iter()
            .zip(&rates[self.first..])
            .map(|(joint, rate)| rate.abs() * (joint.turn * length + joint.slide.abs()))
            .sum()
    }
}

/// Two bodies on one chain: A somewhere on it, or in the world, and B at its end; or each on a
/// chain of its own.
pub(crate) struct Mechanism {
    pub(crate) tree: JointTree,
    /// Joints that carry A.
    pub(crate) of_a: usize,
    pub(crate) chains: [Chain; 2],
}

impl Mechanism {
    /// The joints between two bodies. `base`: the place of the chains in the world.
    pub(crate) fn chain(&self, pair: [&Body; 2], base: V) -> PairChain {
        let still = Pose::new(add(base, self.chains[0].end.0), self.chains[0].end.1);
        let carried = match self.of_a {
            0 => [Err(pair[0].shape.recentring().place(&still)), Ok(0)],
            _ => [Ok(0), Ok(1)],
        };
        self.tree.chain(carried, pair.map(|body| body.shape.reach()))
    }

    /// The distance of the bodies at these values of the joints.
    pub(crate) fn distance(&self, pair: [&Body; 2], values: &[f64]) -> f64 {
        let poses = self.chains.each_ref().map(|chain| chain.at(values));
        distance(pair, [&poses[0], &poses[1]])
    }

    /// A bound of the speed of any two points relative to each other while the values move by these
    /// rates.
    pub(crate) fn speed(&self, pair: [&Body; 2], rates: &[f64]) -> f64 {
        self.chains.iter().zip(pair).map(|(chain, body)| chain.speed(rates, body.shape.reach() + 0.5)).sum()
    }
}

/// A vector whose coordinates can be added to those of [`FAR`] without rounding.
fn coarse(v: V) -> V {
    v.map(|c| (c * 2.0_f64.powi(26)).round() / 2.0_f64.powi(26))
}

/// The places of a base far from the origin, metres.
const FAR: V = [1_048_576.0, -1_048_576.0, 1_048_576.0];

/// `base`: its place in the world; the oracle's stands at the origin.
pub(crate) fn mechanism(random: &mut Random, joints: usize, base: V, [a, b]: [&Body; 2]) -> Mechanism {
    let of_a = random.below(joints);
    let is_branched = random.chance(0.3);
    let mut list = Vec::new();
    let mut chain = Vec::new();
    for k in 0..joints {
        let kind = [JointKind::Revolute, JointKind::Revolute, JointKind::Prismatic, JointKind::Screw { lead: 0.05 }]
            [random.below(4)];
        let axis = if random.chance(0.4) {
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]][random.below(3)]
        } else {
            random.direction()
        };
        let position = coarse(random.vector().map(|c| 0.3 * c));
        let q = if random.chance(0.5) { [1.0, 0.0, 0.0, 0.0] } else { random.turn() };
        let (turn, slide) = match kind {
            JointKind::Revolute => (1.0, 0.0),
            JointKind::Prismatic => (0.0, 1.0),
            _ => (1.0, 0.05),
        };
        chain.push((position, q, axis, turn, slide));
        let parent = (k as u32).checked_sub(1).filter(|_| !(is_branched && k == of_a));
        list.push(Joint {
            name: k.to_string(),
            kind,
            parent,
            place: Pose::new(if parent.is_none() { add(base, position) } else { position }, q),
            axis: Vec3::from(axis),
            range: None,
            value: JointValue::Column { column: k as u32, ratio: 1.0, offset: 0.0 },
            wraps: false,
        });
    }
    let place = |random: &mut Random, away: f64| (coarse(random.direction().map(|c| away * c)), random.turn());
    let ends = [place(random, 0.7), place(random, 0.3)];
    let of = |joints: Range<usize>, end: (V, [f64; 4])| Chain {
        first: joints.start,
        joints: chain[joints]
            .iter()
            .map(|&(position, q, axis, turn, slide)| OracleJoint { place: (position, q), axis, turn, slide })
            .collect(),
        end,
    };
    let carried = |joint: usize, (position, q): (V, [f64; 4]), body: &Body| CarriedBody {
        joint: joint as u32,
        place: body.shape.recentring().place(&Pose::new(position, q)),
        reach: body.shape.reach(),
    };
    let slots = match of_a {
        0 => vec![carried(joints - 1, ends[1], b)],
        _ => vec![carried(of_a - 1, ends[0], a), carried(joints - 1, ends[1], b)],
    };
    let from = if is_branched { of_a } else { 0 };
    let chains = [of(0..of_a, ends[0]), of(from..joints, ends[1])];
    Mechanism { tree: JointTree::new(list, (0..joints as u32).collect(), slots), of_a, chains }
}

/// The least distance of any two solids of both bodies: their distance while they are apart.
fn distance([a, b]: [&Body; 2], poses: [&Placed; 2]) -> f64 {
    let pairs = a.solids.iter().flat_map(|one| b.solids.iter().map(move |other| (one, other)));
    pairs.map(|(one, other)| oracle::distance(one, other, poses[0], poses[1])).fold(f64::INFINITY, f64::min)
}

/// How many random intervals: `CLEARSWEEP_INTERVALS`.
fn count() -> usize {
    std::env::var("CLEARSWEEP_INTERVALS").ok().and_then(|text| text.parse().ok()).unwrap_or(2_400)
}

#[derive(Default)]
pub(crate) struct Tally {
    /// By kinds of both bodies, and by the number of joints: intervals clear, undecided and in
    /// contact.
    kinds: [[[usize; 3]; 4]; 4],
    joints: [[usize; 3]; 9],
    /// By the motion (at most one joint moves each body, or several do) and by the place (near the
    /// origin, far from it).
    motions: [[[usize; 3]; 2]; 2],
    method: [usize; 5],
    /// Contacts that no end of the interval shows.
    pub(crate) between: usize,
    pub(crate) misses: Vec<String>,
}

/// Holds an answer against distances at many times; `speed`: of any two points.
pub(crate) fn check(
    label: &str,
    found: &IntervalProximity,
    at: &dyn Fn(f64) -> f64,
    (speed, are_convex): (f64, bool),
    random: &mut Random,
    tally: &mut Tally,
) {
    const SLACK: f64 = 1e-11;
    const SAMPLES: usize = 32;
    let times: Vec<f64> = (0..=SAMPLES).map(|k| k as f64 / SAMPLES as f64).collect();
    let seen: Vec<f64> = times.iter().map(|&t| at(t)).collect();
    let mut miss = |what: &str| tally.misses.push(format!("{label}: {what}: {found:?}"));
    for (&t, &d) in times.iter().zip(&seen) {
        if d < found.lower - SLACK && (d > 0.0 || are_convex) {
            miss(&format!("at {t} they are {d} apart"));
        }
        if d <= 0.0 && found.status == IntervalStatus::Clear {
            miss(&format!("in contact at {t}"));
        }
        if t < found.contact[0] && d < TOUCH - SLACK {
            miss(&format!("in contact at {t}, before the first one"));
        }
        if (t < found.closest[0] || t > found.closest[1]) && d < found.upper - SLACK && (d > 0.0 || are_convex) {
            miss(&format!("nearer at {t}, outside of the times of least distance"));
        }
    }
    // Between two samples nothing comes nearer than by the speed: what is said to be near must be
    // near somewhere.
    let step = speed / SAMPLES as f64;
    let least = seen
        .windows(2)
        .map(|pair| (0.5 * (pair[0] + pair[1] - step)).min(pair[0].min(pair[1])))
        .fold(f64::INFINITY, f64::min);
    if least > 0.0 && found.upper < least - SLACK {
        miss(&format!("never nearer than {least}"));
    }
    if found.contact[1].is_finite() && at(found.contact[1]) > TOUCH + SLACK {
        miss("clear at the contact");
    }
    for _ in 0..8 {
        let t = random.unit();
        let d = at(t);
        if d < found.lower - SLACK && (d > 0.0 || are_convex) {
            miss(&format!("at {t} they are {d} apart"));
        }
    }
    tally.between += usize::from(found.status == IntervalStatus::Contact && seen[0] > TOUCH && seen[SAMPLES] > TOUCH);
}

#[test]
fn random_chains_hold_the_least_distance() {
    let dir = tempfile::tempdir().expect("scratch");
    let all = bodies(dir.path());
    let (mut random, mut tally) = (Random(29), Tally::default());
    let (mut work, mut stats) = (Workspace::default(), SolverStats::default());
    for number in 0..count() {
        let joints = 1 + number % 8;
        let pair = [(); 2].map(|()| &all[random.below(all.len())]);
        let is_far = number / 8 % 2 == 1;
        let base = if is_far { FAR } else { [0.0; 3] };
        let mechanism = mechanism(&mut random, joints, base, pair);
        let most = [3.0_f64, 20.0, 120.0][random.below(3)].to_radians();
        let from: Vec<f64> = (0..joints).map(|_| 0.9 * random.signed()).collect();
        // One joint on either side of the place of A, or most of them.
        let chosen = random
            .chance(0.3)
            .then(|| [random.below(mechanism.of_a.max(1)), mechanism.of_a + random.below(joints - mechanism.of_a)]);
        let to: Vec<f64> = (0..joints)
            .map(|k| {
                let stands = chosen.map_or_else(|| random.chance(0.1), |chosen| !chosen.contains(&k));
                from[k] + if stands { 0.0 } else { most * random.signed() }
            })
            .collect();
        let chain = mechanism.chain(pair, base);
        let motion = JointMotion::new(&chain, [&|column| from[column as usize], &|column| to[column as usize]]);
        let options = IntervalOptions {
            between: BetweenFrames::Joint,
            within: 1e6,
            require: None,
            touch: TOUCH,
            tolerance: TOLERANCE,
            answer: AnswerKind::Depth,
            ..IntervalOptions::default()
        };
        let shapes = [&*pair[0].shape, &*pair[1].shape];
        let found =
            interval_proximity_of_joints(shapes, &motion, &options, &mut work, &mut stats).expect("within a long way");
        let at = |t: f64| {
            let values: Vec<f64> = from.iter().zip(&to).map(|(from, to)| from + t * (to - from)).collect();
            mechanism.distance(pair, &values)
        };
        let rates: Vec<f64> = from.iter().zip(&to).map(|(from, to)| to - from).collect();
        let speed = mechanism.speed(pair, &rates);
        let label = format!("{number}: {joints} joints, {} and {}", KINDS[pair[0].kind], KINDS[pair[1].kind]);
        let are_convex = pair.iter().all(|body| body.kind == 0);
        check(&label, &found, &at, (speed, are_convex), &mut random, &mut tally);
        let status = found.status as usize;
        tally.kinds[pair[0].kind][pair[1].kind][status] += 1;
        tally.joints[joints][status] += 1;
        tally.motions[usize::from(motion.twists().is_none())][usize::from(is_far)][status] += 1;
        tally.method[found.method as usize] += 1;
    }
    report(&tally);
}

fn report(tally: &Tally) {
    let Tally { kinds, joints, motions, method, between, misses } = tally;
    let undecided: usize = joints.iter().map(|status| status[IntervalStatus::Undecided as usize]).sum();
    eprintln!(
        "{} intervals, {undecided} undecided; method {method:?} ({:?}); {between} contacts between clear ends",
        count(),
        IntervalMethod::NAMES
    );
    assert!(misses.is_empty(), "{}: {}", misses.len(), misses.iter().take(5).cloned().collect::<Vec<_>>().join("\n"));
    let (clear, contact) = (IntervalStatus::Clear as usize, IntervalStatus::Contact as usize);
    for (a, row) in kinds.iter().enumerate() {
        for (b, found) in row.iter().enumerate() {
            assert!(found[clear] > 0 && found[contact] > 0, "{} and {} are not there: {found:?}", KINDS[a], KINDS[b]);
        }
    }
    for (number, found) in joints.iter().enumerate().skip(1) {
        assert!(found[clear] * 20 > count() / 8 && found[contact] * 20 > count() / 8, "{number} joints: {found:?}");
    }
    assert!(between * 100 > count(), "not representative: {between}");
    let is_there = |found: &[usize; 3]| found[clear] * 40 > count() && found[contact] * 40 > count();
    assert!(motions.iter().flatten().all(is_there), "{motions:?}");
    assert!(
        undecided * 50 < count() && method[IntervalMethod::Limit as usize] * 20 < count(),
        "{undecided} {method:?}"
    );
}

/// A plate turns above a drum, 10 mm away throughout: what the deviations add to a bracket is not
/// searched for, and still decided where it can be.
#[test]
fn deviations_are_not_searched_away() {
    let ring = |z: f64| {
        (0..24).map(move |k| {
            let angle = f64::from(k) * std::f64::consts::TAU / 24.0;
            [0.08 * angle.cos(), 0.08 * angle.sin(), z]
        })
    };
    let drum: Vec<[f64; 3]> = ring(-0.1).chain(ring(0.0)).collect();
    let drum = shape(&format!("shape = {{ points = {drum:?} }}\ndeviation = 0.001"));
    let plate = shape("shape = { box = [0.5, 0.08, 0.02] }");
    let joint = |name: &str, parent, height: f64, column| Joint {
        name: name.to_owned(),
        kind: JointKind::Revolute,
        parent,
        place: Pose::new([0.0, 0.0, height], [1.0, 0.0, 0.0, 0.0]),
        axis: Vec3::new(0.0, 0.0, 1.0),
        range: None,
        value: JointValue::Column { column, ratio: 1.0, offset: 0.0 },
        wraps: false,
    };
    let place = plate.recentring().place(&Pose::new([0.0; 3], [1.0, 0.0, 0.0, 0.0]));
    let tree = JointTree::new(
        vec![joint("a", None, 0.01, 0), joint("b", Some(0), 0.01, 1)],
        vec![0, 1],
        vec![CarriedBody { joint: 1, place, reach: plate.reach() }],
    );
    let still = drum.recentring().place(&Pose::new([0.0; 3], [1.0, 0.0, 0.0, 0.0]));
    let chain = tree.chain([Err(still), Ok(0)], [drum.reach(), plate.reach()]);
    // One joint moves, whose axis is the direction of the gap, or both.
    for (to, most) in [([0.5, 0.0], 2), ([0.5, 0.7], 300)] {
        let motion = JointMotion::new(&chain, [&|_| 0.0, &|column| to[column as usize]]);
        // The distance of the triangles is 10 mm, that of the bodies 9 to 11 mm.
        for (require, within, is_met) in
            [(None, 1.0, false), (Some(0.0089), 1.0, true), (Some(0.0095), 1.0, false), (None, 0.0095, false)]
        {
            let options = IntervalOptions {
                between: BetweenFrames::Joint,
                within,
                require,
                touch: TOUCH,
                tolerance: 1e-6,
                answer: AnswerKind::Distance,
                ..IntervalOptions::default()
            };
            let mut stats = SolverStats::default();
            let found = interval_proximity_of_joints(
                [&*drum, &*plate],
                &motion,
                &options,
                &mut Workspace::default(),
                &mut stats,
            )
            .expect("near");
            assert!(found.method != IntervalMethod::Limit && found.status == IntervalStatus::Clear, "{found:?}");
            assert!(
                found.lower > 0.009 - 2e-6
                    && found.lower <= 0.009
                    && found.upper >= 0.011
                    && found.upper < 0.011 + 2e-6,
                "{found:?}"
            );
            assert_eq!(require.is_some_and(|require| found.lower >= require), is_met, "{found:?}");
            assert!(stats.queries <= most, "{stats:?}");
        }
    }
}
