//! Which pairs of a robot's links need no check: the pairs that an SRDF disables.
//!
//! One job on the robot alone finds it. Its run 0 is the default posture. Runs of one frame follow,
//! whose values are drawn. Then each joint is swept alone over its range, with proofs between the
//! frames: if the pose of one link in another depends on one joint alone, that is a statement about
//! all values.

use super::cancel::CancelToken;
use super::job::Job;
use super::options::JobOptions;
use super::progress::Progress;
use clearsweep_base::error::{Error, Result};
use clearsweep_kinematics::{Joint, Sweep, SweepPath, SweepRuns, SweptJoint};
use clearsweep_model::{
    AnswerKind, BetweenFrames, IgnoredPairs, Motion, MotionRule, PairRules, QueryOptions, Scene, SceneJoints,
    SceneRobot, Status,
};
use clearsweep_tables::RowBlock;
use std::sync::Arc;

/// Why a pair of links needs no check, or that it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkPairKind {
    /// A joint joins the links.
    Adjacent,
    /// They touch or overlap in the default posture.
    Default,
    /// They touch or overlap in every draw.
    Always,
    /// They are apart in the default posture, in every draw, and wherever one joint alone moves.
    Never {
        /// Whether that is proven for all values of the joints.
        is_proven: bool,
    },
    /// They touch or overlap at some values.
    Sometimes,
}

/// A pair of links of a robot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkPairFound {
    /// Indices of the links, ascending.
    pub links: [usize; 2],
    /// Reason why they need no check, or that they need one.
    pub kind: LinkPairKind,
    /// Draws in which they touch or overlap; 0 of adjacent links, which are not looked at.
    pub contacts: u64,
}

/// All pairs of links with geometry of a robot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkPairs {
    /// The pairs, by their links.
    pub pairs: Vec<LinkPairFound>,
    /// Number of draws.
    pub samples: u64,
    /// Seed of the draws.
    pub seed: u64,
    /// Joints of the robot that stand still, as they have no range.
    pub still: Vec<String>,
}

/// Findings about one pair of links while rows come.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    default: bool,
    contacts: u64,
    /// Last draw counted, as a pair of links may be several pairs of bodies.
    last: i64,
    /// Whether they may touch at some value.
    is_near: bool,
}

/// Finds which pairs of the links of robot number `robot` need no check.
///
/// # Errors
/// The scene has no joints, or the job fails.
pub fn link_pairs(
    scene: &Scene,
    robot: usize,
    [samples, seed]: [u64; 2],
    progress: &dyn Progress,
    cancel: &CancelToken,
) -> Result<LinkPairs> {
    let described = &scene.robots[robot];
    let swept = ranges(scene, described);
    let link_of = links_by_body(scene, described);
    let alone = alone(scene, described, &link_of, &swept, [samples, seed])?;
    let count = described.links.len();
    let mut seen = vec![Seen::default(); count * count];
    let mut take = |rows: &RowBlock<'_>| -> Result<()> {
        let index = |[a, b]: [u32; 2]| {
            let links = [a, b].map(|body| link_of[body as usize]);
            links[0].min(links[1]) * count + links[0].max(links[1])
        };
        for (sample, row) in rows.iter() {
            let of = &mut seen[index([row.a, row.b])];
            of.is_near = true;
            let touches = matches!(row.proximity.status, Status::Touching | Status::Penetrating);
            match sample.run {
                _ if !touches => {}
                0 => of.default = true,
                run if run as u64 <= samples && of.last != run => {
                    of.last = run;
                    of.contacts += 1;
                }
                _ => {}
            }
        }
        rows.interval_bodies().for_each(|bodies| seen[index(bodies)].is_near = true);
        Ok(())
    };
    Job::new(&alone).options(JobOptions::default()).progress(progress).cancel(cancel).run(&mut take)?;
    let with_geometry = |link: &usize| !described.links[*link].bodies.is_empty();
    let mut pairs = Vec::new();
    for a in (0..count).filter(with_geometry) {
        for b in (a + 1..count).filter(with_geometry) {
            let Seen { default, contacts, is_near, .. } = seen[a * count + b];
            let columns = columns_between(scene, described, [a, b]);
            // The distance is proven at all values that were drawn or swept.
            let is_proven = match columns.as_slice() {
                [] => true,
                [column] => swept.iter().any(|joint| joint.column == *column),
                _ => false,
            };
            // Bodies that stand in the world have rows in the first run only.
            let contacts = if default && columns.is_empty() { samples } else { contacts };
            let kind = match is_near {
                _ if described.joined.contains(&[a, b]) => LinkPairKind::Adjacent,
                _ if default => LinkPairKind::Default,
                _ if contacts == samples => LinkPairKind::Always,
                false => LinkPairKind::Never { is_proven },
                true => LinkPairKind::Sometimes,
            };
            pairs.push(LinkPairFound { links: [a, b], kind, contacts });
        }
    }
    let columns = scene.joints.iter().flat_map(|joints| joints.tree.columns()).zip(0..);
    let still =
        columns.filter(|(joint, column)| is_of(joint, described) && !swept.iter().any(|of| of.column == *column));
    let still = still.map(|(joint, _)| joint.name.clone()).collect();
    Ok(LinkPairs { pairs, samples, seed, still })
}

/// Whether a joint is one of a robot.
fn is_of(joint: &Joint, robot: &SceneRobot) -> bool {
    joint.name.strip_prefix(&*robot.name).is_some_and(|rest| rest.starts_with('/'))
}

/// The joints of a robot that have a range.
fn ranges(scene: &Scene, robot: &SceneRobot) -> Vec<SweptJoint> {
    let Some(joints) = &scene.joints else { return Vec::new() };
    let columns = joints.tree.columns().zip(&joints.allowed).zip(0..);
    let range = |((joint, [least, greatest]), column): ((&Joint, &[f64; 2]), u32)| {
        let range = joint.range?;
        let range = [range[0].max(*least), range[1].min(*greatest)];
        is_of(joint, robot).then_some(SweptJoint { column, range, turns: joint.kind.turns() })
    };
    columns.filter_map(range).collect()
}

/// The link of each body; bodies that are none of the robot's have the number of its links.
fn links_by_body(scene: &Scene, robot: &SceneRobot) -> Vec<usize> {
    let mut links = vec![robot.links.len(); scene.bodies.len()];
    for (link, of) in robot.links.iter().enumerate() {
        of.bodies.iter().for_each(|&body| links[body as usize] = link);
    }
    links
}

/// The scene of the job: pairs of links that no joint joins are asked for overlap, and nothing
/// else.
fn alone(
    scene: &Scene,
    robot: &SceneRobot,
    link_of: &[usize],
    swept: &[SweptJoint],
    [samples, seed]: [u64; 2],
) -> Result<Scene> {
    let no_joints = || {
        let problem = "no joint moves a link with collision geometry, so there are no postures to draw";
        Error::input(scene.path.display(), problem, "name a robot whose joints have limits")
    };
    let joints = scene.joints.as_ref().filter(|_| !swept.is_empty()).ok_or_else(no_joints)?;
    let classes = robot.links.len() + 1;
    let mut ignored = IgnoredPairs {
        class: link_of.iter().map(|&link| link as u32).collect(),
        classes,
        matrix: vec![0; (classes * classes).div_ceil(64)],
    };
    for link in 0..classes {
        ignored.mark(link, link);
        ignored.mark(link, classes - 1);
        ignored.mark(classes - 1, link);
    }
    for &[a, b] in &robot.joined {
        ignored.mark(a, b);
        ignored.mark(b, a);
    }
    let rest: Vec<f64> = joints
        .posture
        .iter()
        .enumerate()
        .map(|(column, posture)| {
            let range =
                swept.iter().find(|joint| joint.column as usize == column).map_or([0.0; 2], |joint| joint.range);
            posture.unwrap_or_else(|| 0.0_f64.clamp(range[0], range[1]))
        })
        .collect();
    let sweep = |path, steps| Sweep { joints: swept.to_vec(), path, steps, rest: rest.clone() };
    let sweeps = vec![
        Sweep::standing(rest.clone()),
        sweep(SweepPath::Random { samples, seed }, 0),
        sweep(SweepPath::OneByOne, Sweep::fine_steps(swept)),
    ];
    let sweeps = SweepRuns::new(sweeps).ok_or_else(|| {
        let problem = format!("{samples} draws are too many beside the sweeps of {} joints", swept.len());
        Error::usage("--srdf-samples", problem, "draw fewer")
    })?;
    let joints = SceneJoints { sweeps: Some(sweeps), ..SceneJoints::clone(joints) };
    let (within, answer) = (scene.query.touch, AnswerKind::Overlap);
    let query = QueryOptions { within, require: None, static_pairs: true, answer, contacts: false, ..scene.query };
    Ok(Scene {
        trajectories: None,
        query,
        direction: None,
        motion: MotionRule { between: BetweenFrames::Joint, ..MotionRule::default() },
        ignored,
        ignore_rules: Vec::new(),
        rules: Arc::new(PairRules::default()),
        dispositions: Arc::default(),
        joints: Some(Arc::new(joints)),
        ..scene.clone()
    })
}

/// The columns of values on which the pose of one link in another depends.
fn columns_between(scene: &Scene, robot: &SceneRobot, links: [usize; 2]) -> Vec<u32> {
    let slots = links.map(|link| {
        let body = robot.links[link].bodies.first()?;
        match scene.bodies[*body as usize].motion {
            Motion::Dynamic { slot } => Some(slot as usize),
            Motion::Static(_) => None,
        }
    });
    scene.joints.as_ref().map_or(Vec::new(), |joints| joints.tree.columns_between(slots).to_vec())
}
