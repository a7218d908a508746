//! Intervals over which joints move the bodies: the verifier's own poses and bounds against
//! kinematics, results of scenes with joints, and rows of them that are falsified.

use super::falsified::{Way, checked, dataset, falsified, is_wrong, result};
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_kinematics::{CarriedBody, Joint, JointKind, JointTree, JointValue, ValueCurve};
use clearsweep_model::Motion as BodyMotion;
use clearsweep_records::{RecheckOutcome, RecheckTable, RecheckWhat};
use clearsweep_testing::random::Random;
use clearsweep_testing::recheck::place::Place;
use clearsweep_verifier::Placement;
use clearsweep_verifier::finding::Tally;
use clearsweep_verifier::joint_motion::{ColumnPath, JointMotion};
use clearsweep_verifier::motion::Motion;
use clearsweep_verifier::oracle::number::{Number, norm, sub, times};
use clearsweep_verifier::recheck::{Choice, Summing};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// No point of a body of [`tree`] is farther from its origin, metres.
const REACH: f64 = 0.4;

/// A branching tree of joints of all kinds that carry two bodies, some of which follow others.
fn tree(random: &mut Random, joints: usize) -> JointTree {
    let kinds =
        [JointKind::Revolute, JointKind::Prismatic, JointKind::Screw { lead: 0.2 * random.signed() }, JointKind::Fixed];
    let branch = random.below(joints);
    let joint = |k: usize, random: &mut Random| {
        let kind = kinds[[0, 0, 1, 2, 3][random.below(5)]];
        let follows = random.chance(0.3);
        let column = if follows { random.below(joints) } else { k } as u32;
        let [ratio, offset] = if follows { [random.below(5) as f64 - 2.0, random.signed()] } else { [1.0, 0.0] };
        let value =
            if kind == JointKind::Fixed { JointValue::None } else { JointValue::Column { column, ratio, offset } };
        let place = Pose { rest: random.vec3().scale(1e-18), ..Pose::new(random.vector(), random.turn()) };
        let axis = Vec3::from(random.direction());
        let parent = k.checked_sub(1 + random.below(2)).filter(|_| k != branch).map(|k| k as u32);
        Joint { name: k.to_string(), kind, parent, place, axis, range: None, value, wraps: random.chance(0.5) }
    };
    let all: Vec<Joint> = (0..joints).map(|k| joint(k, random)).collect();
    let body = |joint: usize, random: &mut Random| CarriedBody {
        joint: joint as u32,
        place: Pose::new(random.vector(), random.turn()),
        reach: REACH,
    };
    let bodies = vec![body(joints / 2, random), body(joints - 1, random)];
    JointTree::new(all, (0..joints as u32).collect(), bodies)
}

/// Values of columns on lines, or along polynomials.
fn paths(random: &mut Random, columns: usize) -> Vec<ColumnPath> {
    let is_spline = random.chance(0.5);
    let size = [0.1, 1.0, 7.0][random.below(3)];
    let mut value = |_| size * random.signed();
    let path = |column: usize| match is_spline {
        false => ColumnPath::Line([0, 1].map(&mut value)),
        true => ColumnPath::Spline { controls: (0..=column % 11).map(&mut value).collect(), error: 0.0 },
    };
    (0..columns).map(path).collect()
}

/// The poses of kinematics at a share of the interval.
fn poses_of_loader(tree: &JointTree, bodies: [Result<usize, Pose>; 2], paths: &[ColumnPath], share: f64) -> [Pose; 2] {
    use clearsweep_kinematics::JointMotion;
    let chain = tree.chain(bodies, [REACH; 2]);
    let curves: Vec<ValueCurve> = paths
        .iter()
        .map(|path| match path {
            ColumnPath::Line(ends) => ValueCurve::new(ends, 0.0),
            ColumnPath::Spline { controls, .. } => ValueCurve::new(controls, 0.0),
        })
        .collect();
    let end = |column: u32, end: usize| curves[column as usize].ends()[end];
    match paths[0] {
        ColumnPath::Line(_) => {
            JointMotion::new(&chain, [&|column| end(column, 0), &|column| end(column, 1)]).poses(share)
        }
        ColumnPath::Spline { .. } => JointMotion::along(&chain, &|column| &curves[column as usize]).poses(share),
    }
}

/// How far two relative places of bodies are apart, in metres and in the entries of the rotation.
fn difference(one: [&Placement; 2], other: [&Placement; 2]) -> f64 {
    let [one, other] = [one, other].map(|[a, b]| Place::new(a, b));
    let rows = one.rough_rows.into_iter().zip(other.rough_rows).map(|(p, q)| norm(sub(p, q)));
    rows.fold(norm(sub(one.rough_shift, other.rough_shift)), f64::max)
}

/// A body at a random place in the world, as the verifier and as kinematics take it; or that of a
/// slot.
fn carried(random: &mut Random, slot: usize) -> (BodyMotion, Result<usize, Pose>) {
    let pose = Pose::new(random.vector(), random.turn());
    match random.chance(0.2) {
        true => (BodyMotion::Static(pose), Err(pose)),
        false => (BodyMotion::Dynamic { slot: slot as u32 }, Ok(slot)),
    }
}

#[test]
fn poses_are_those_of_kinematics_and_bounds_hold() {
    let mut random = Random(17);
    let (mut largest, mut compared, mut tightest) = (0.0_f64, 0, 0.0_f64);
    for round in 0..600 {
        let joints = 1 + round % 9;
        let (tree, paths) = (tree(&mut random, joints), paths(&mut random, joints));
        let [(a, loaded_a), (b, loaded_b)] = [0, 1].map(|slot| carried(&mut random, slot));
        let Some(motions) = JointMotion::of_pair(&tree, &paths, [&a, &b], [REACH; 2]) else { continue };
        let shares = [0.0, 1.0, random.unit(), random.unit()];
        for share in shares {
            let own = motions.each_ref().map(|motion| motion.at(share));
            let theirs = poses_of_loader(&tree, [loaded_a, loaded_b], &paths, share).map(|pose| Placement::from(&pose));
            largest = largest.max(difference([&own[0], &own[1]], [&theirs[0], &theirs[1]]));
            compared += 1;
        }
        for motion in &motions {
            tightest = tightest.max(chord_ratio(motion, &mut random));
        }
    }
    eprintln!("{compared} pairs of poses differ by {largest:.1e} at most; {tightest:.2} of a bound is reached");
    assert!(largest < 1e-12 && compared > 2_000, "{largest:e}, {compared}");
    assert!(tightest > 0.5, "the bounds are far too wide: {tightest}");
}

/// How much of its bounds a point of the body uses: of the speed, and of the distance from a
/// chord.
fn chord_ratio(motion: &JointMotion, random: &mut Random) -> f64 {
    let mut most = 0.0_f64;
    for _ in 0..20 {
        let own = times(random.direction(), REACH);
        let at = |share: f64| {
            let place = motion.at(share);
            let columns = place.columns();
            [0, 1, 2].map(|k: usize| place.position[k] + (0..3).map(|m| columns[m][k].value() * own[m]).sum::<f64>())
        };
        let step = [1.0, 0.3, 0.01][random.below(3)];
        let from = random.between(0.0, 1.0 - step);
        let [begin, middle, end] = [0.0, 0.5, 1.0].map(|u| at(from + u * step));
        let chord = [0, 1, 2].map(|k: usize| 0.5 * (begin[k] + end[k]));
        let (off, way) = (norm(sub(middle, chord)), norm(sub(end, begin)));
        let [sagitta, speed] = [motion.sagitta(step), motion.spin() * step];
        assert!(off <= sagitta + 1e-13 && way <= speed + 1e-13, "{off:e} {sagitta:e}, {way:e} {speed:e}");
        most = most.max(if sagitta > 1e-9 { off / sagitta } else { 0.0 });
    }
    most
}

#[test]
fn half_a_turn_by_the_shortest_way_is_not_defined() {
    let joint = |wraps: bool| Joint {
        name: String::new(),
        kind: JointKind::Revolute,
        parent: None,
        place: Pose::IDENTITY,
        axis: Vec3::new(0.0, 0.0, 1.0),
        range: None,
        value: JointValue::Column { column: 0, ratio: 1.0, offset: 0.0 },
        wraps,
    };
    let body = CarriedBody { joint: 0, place: Pose::new([1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]), reach: REACH };
    let bodies = [BodyMotion::Static(Pose::IDENTITY), BodyMotion::Dynamic { slot: 0 }];
    let motion = |wraps: bool, to: f64| {
        let tree = JointTree::new(vec![joint(wraps)], vec![0], vec![body]);
        let path = ColumnPath::Line([0.25, to]);
        JointMotion::of_pair(&tree, &[path], bodies.each_ref(), [REACH; 2]).map(|motions| motions[1].at(0.5).position)
    };
    assert!(
        motion(true, 0.25 + std::f64::consts::PI).is_none() && motion(false, 0.25 + std::f64::consts::PI).is_some()
    );
    let [far, near] = [motion(false, 0.75), motion(true, 0.75 + std::f64::consts::TAU)].map(|at| at.expect("a turn"));
    assert!(norm(sub(far, near)) < 1e-15, "{far:?} {near:?}");
    let empty = ColumnPath::Spline { controls: Vec::new(), error: 0.0 };
    let tree = JointTree::new(vec![joint(false)], vec![0], vec![body]);
    assert!(JointMotion::of_pair(&tree, &[], bodies.each_ref(), [REACH; 2]).is_none(), "no values");
    assert!(JointMotion::of_pair(&tree, &[empty], bodies.each_ref(), [REACH; 2]).is_none(), "no control values");
}

/// Kinds of the joints of [`chain`], with names of their columns, and whether these are angles.
const JOINTS: [(&str, &[(&str, bool)]); 6] = [
    ("revolute", &[("", true)]),
    ("continuous", &[("", true)]),
    ("prismatic", &[("", false)]),
    ("screw", &[("", true)]),
    ("planar", &[("/x", false), ("/y", false), ("/theta", true)]),
    ("floating", &[("/x", false), ("/y", false), ("/z", false), ("/roll", true), ("/pitch", true), ("/yaw", true)]),
];

/// Writes a scene of a chain of joints among posts into a folder, and returns its path.
fn chain(folder: &Path, random: &mut Random, is_spline: bool) -> PathBuf {
    let between =
        if is_spline { "between = \"spline\"\nsamples = 5" } else { "between = \"joint\"\nwrap = \"shortest\"" };
    let mut scene =
        format!("[scene]\nlength_unit = \"m\"\njoints = \"values.csv\"\n[query]\nwithin = 0.3\n[motion]\n{between}\n");
    let mut columns: Vec<(String, bool)> = Vec::new();
    let (count, mut at) = (1 + random.below(5), [0.0; 3]);
    for k in 0..count {
        let (kind, names) = JOINTS[random.below(if k == 0 { 6 } else { 4 })];
        let parent = if k == 0 { String::new() } else { format!("parent = \"link{}\"\n", k - 1) };
        let origin = times(random.direction(), if k == 0 { 0.0 } else { 0.25 });
        let by = times(random.direction(), 0.25);
        at = [0, 1, 2].map(|m: usize| at[m] + origin[m] + by[m]);
        let shape = ["box = [0.3, 0.1, 0.2]", "capsule = [0.05, 0.3]", "sphere = 0.1"][random.below(3)];
        let _ = writeln!(scene, "[[body]]\nname = \"link{k}\"\nshape = {{ {shape} }}\nposition = {at:?}");
        let _ = writeln!(
            scene,
            "[[joint]]\nname = \"j{k}\"\ntype = \"{kind}\"\n{parent}child = \"link{k}\"\norigin = {origin:?}"
        );
        if kind != "floating" {
            let _ = writeln!(scene, "axis = {:?}", random.direction());
        }
        if kind == "screw" {
            scene += "pitch = \"50mm\"\n";
        }
        let turns = matches!(kind, "revolute" | "continuous");
        let follows = turns && columns.iter().any(|(name, _)| name == "j0") && random.chance(0.25);
        match follows {
            true => scene += "mimic = { joint = \"j0\", ratio = -1.0, offset = \"0.125rad\" }\n",
            false => columns.extend(names.iter().map(|(name, is_angle)| (format!("j{k}{name}"), *is_angle))),
        }
    }
    for k in 0..4 {
        let shape = ["box = [0.2, 0.2, 0.6]", "cylinder = [0.1, 0.5]"][random.below(2)];
        let at = times(random.direction(), random.between(0.3, 1.0));
        let _ =
            writeln!(scene, "[[body]]\nname = \"post{k}\"\nstatic = true\nshape = {{ {shape} }}\nposition = {at:?}");
    }
    let values = if is_spline { pieces(&columns, random) } else { rows(&columns, random) };
    fs::create_dir_all(folder).expect("a folder");
    fs::write(folder.join("values.csv"), values).expect("written");
    fs::write(folder.join("scene.toml"), scene).expect("written");
    folder.join("scene.toml")
}

/// A table of values in eight frames.
fn rows(columns: &[(String, bool)], random: &mut Random) -> String {
    let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
    let mut text = format!("frame,{}\n", names.join(","));
    let mut values = vec![0.0; columns.len()];
    for frame in 0..8 {
        for ((_, is_angle), value) in columns.iter().zip(&mut values) {
            *value += random.signed() * if *is_angle { 0.8 } else { 0.2 };
        }
        let cells: Vec<String> = values.iter().map(f64::to_string).collect();
        let _ = writeln!(text, "{frame},{}", cells.join(","));
    }
    text
}

/// A table of two cubics for each joint.
fn pieces(columns: &[(String, bool)], random: &mut Random) -> String {
    let mut text = "joint,t0_s,t1_s,c0,c1,c2,c3\n".to_owned();
    for (name, is_angle) in columns {
        let size = if *is_angle { 1.0 } else { 0.2 };
        let mut value = 0.0;
        for t in 0..2 {
            let [b, c, d] = random.vector().map(|x| size * x);
            let _ = writeln!(text, "{name},{t},{},{value},{b},{c},{d}", t + 1);
            value += b + c + d;
        }
    }
    text
}

/// Statements about intervals: those proven, and all.
fn counts(tally: &Tally, what: RecheckWhat) -> [u64; 2] {
    let counts = tally.counts.get(&(RecheckTable::Intervals, what));
    counts.map_or([0; 2], |counts| [counts.of(RecheckOutcome::Proven), counts.by_outcome.iter().sum()])
}

/// All statements of a scene's result; the verifier's poses at its frames agree with the loader's.
fn looked_at(scene: &Path, frames: i64) -> Tally {
    let (_dir, recheck, _) = result(scene, None, frames);
    let mut all = Summing::default();
    recheck.run(&Choice::ALL, &mut all).expect("looked at");
    assert!(all.tally.wrong.is_empty(), "{}: {:?}", fs::read_to_string(scene).expect("a scene"), all.tally.wrong);
    let count = recheck.scene().bodies.len() as u32;
    for frame in (0..3).filter_map(|frame| recheck.frame(0, frame).ok()) {
        for (a, b) in (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b))) {
            let Some(ends) = recheck.ends(&frame, [a, b]) else { continue };
            let motions = ends.joints.expect("joints move the bodies");
            for (end, share) in [0.0, 1.0].into_iter().enumerate() {
                let own = motions.each_ref().map(|motion| motion.at(share));
                let off = difference([&own[0], &own[1]], [&ends.ends[0][end], &ends.ends[1][end]]);
                assert!(off < 1e-12, "{a} {b}: {off:e}");
            }
        }
    }
    all.tally
}

#[test]
fn results_of_joints_are_proven_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = Random(23);
    let mut sums: BTreeMap<RecheckWhat, [u64; 2]> = BTreeMap::new();
    let sets = ["arm", "cell", "lid", "linkage", "spline"].map(|name| dataset(&format!("joints/{name}.toml")));
    let whats = [RecheckWhat::Least, RecheckWhat::FirstContact, RecheckWhat::Missing];
    for k in 0..sets.len() + 40 {
        let scene = match sets.get(k) {
            Some(scene) => scene.clone(),
            None => chain(folder.path(), &mut random, k % 2 == 0),
        };
        let tally = looked_at(&scene, 60);
        for what in whats {
            let [proven, all] = counts(&tally, what);
            let sum = sums.entry(what).or_default();
            *sum = [sum[0] + proven, sum[1] + all];
        }
    }
    for (what, [proven, all]) in sums {
        eprintln!("{what:?}: {proven} of {all} proven");
        assert!(all > 100 && proven * 10 >= all * 9, "{what:?}: {proven} of {all}");
    }
}

#[test]
fn false_intervals_of_joints_are_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = Random(29);
    let mut sets: Vec<_> = ["cell", "lid", "linkage", "spline"]
        .map(|name| checked(&dataset(&format!("joints/{name}.toml")), None, 60))
        .into();
    sets.extend((0..6).map(|k| checked(&chain(&folder.path().join(k.to_string()), &mut random, k % 2 == 0), None, 60)));
    sets.retain(|set| !set.frames.is_empty());
    let ways = [Way::IntervalDropped, Way::IntervalLower, Way::IntervalUpper, Way::IntervalStatus, Way::ContactLate];
    let (mut counts, mut turn) = (BTreeMap::new(), 0);
    let mut choice = clearsweep_testing::oracle::families::Random(31);
    while turn < 4_000 && counts.values().sum::<u32>() < 300 {
        turn += 1;
        let set = &sets[turn % sets.len()];
        let way = ways[choice.below(ways.len())];
        let frame = &set.frames[choice.below(set.frames.len())];
        let Some((false_frame, pair)) = falsified(set, frame, way, &mut choice) else { continue };
        let findings = set.recheck.check_frame(&false_frame, Some(pair));
        assert!(is_wrong(&findings, pair), "{way:?} is overlooked: {findings:?}");
        *counts.entry(way).or_insert(0) += 1;
    }
    eprintln!("{counts:?}");
    assert!(counts.len() == ways.len() && counts.values().all(|&tried| tried > 5), "{counts:?}");
}
