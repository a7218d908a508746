//! The least distance of a pair between two neighbouring samples, with a proven bracket (docs/numerics.md, "Between the frames").
//!
//! ```text
//! path.rs             the path of one body: a pivot on a line, a constant angular velocity
//! relative_motion.rs  bounds of acceleration and speed of two bodies relative to each other
//! options.rs          what is asked: two motions, and down to what
//! node.rs             a pair at one time
//! support_gap.rs      the supporting planes of one direction over a part of the interval
//! subject.rs          bodies as one pair of hulls, or as pairs of pieces; their distance at a time
//! beyond.rs           proof that bodies are beyond the cut-off throughout, without a distance
//! search.rs           best-first bisection
//! contact.rs          the first contact
//! surfaces/           triangle meshes, node by node
//! answer.rs           what is proven of an interval
//! ```
//!
//! Source of conservative advancement by supporting planes: Mirtich 1996, "Impulse-based dynamic simulation of rigid body systems",
//! section 2.3; here the bound is of second order in the motion.
//!
//! *Architecture invariant*: times are shares of the interval; the stage knows no clock.

mod answer;
mod beyond;
mod contact;
mod node;
mod options;
mod path;
mod relative_motion;
mod search;
mod subject;
mod support_gap;
mod surfaces;

pub use answer::{IntervalMethod, IntervalProximity, IntervalStatus};
pub use options::{BodyMotion, IntervalOptions};

use self::beyond::is_beyond;
use self::contact::first_contact;
use self::node::Node;
use self::path::BodyPath;
use self::relative_motion::RelativeMotion;
use self::search::IntervalSearch;
use self::subject::Subjects;
use super::proximity::Proximity;
use super::routes::Routes;
use super::workspace::Workspace;
use crate::geometry::Pose;
use crate::scene::BetweenFrames;
use std::collections::BinaryHeap;

/// What is proven of a pair over an interval; `None` if the bodies are proven to be farther apart than `within` throughout.
/// The answer is a function of the arguments but `work` and `routes`. `rows`: the rows of the pair at both ends, in A's recentred
/// frame, where they are known: they change no answer.
pub fn interval_proximity<'a>(
    a: &BodyMotion<'a>,
    b: &BodyMotion<'a>,
    rows: [Option<&'a Proximity>; 2],
    options: &IntervalOptions,
    work: &mut Workspace,
    routes: &mut Routes,
) -> Option<IntervalProximity> {
    let subjects = Subjects::new(a, b, options.touch);
    if options.between == BetweenFrames::Hold {
        return held(&subjects, [a.ends, b.ends], options, work, routes);
    }
    let (Some(path_a), Some(path_b)) = (BodyPath::new(a, options.between), BodyPath::new(b, options.between)) else {
        return undefined([a, b], &subjects, options, work, routes);
    };
    let paths = [path_a, path_b];
    let motion = RelativeMotion::new(&paths[0], &paths[1], [&a.ends[0], &b.ends[0]]);
    // Bodies that are within the cut-off at one end are not beyond it throughout.
    let may_be_beyond = rows.iter().flatten().all(|row| row.upper > options.within);
    if may_be_beyond && is_beyond(&subjects, &paths, &motion, options.within) {
        return None;
    }
    let ends = [0, 1].map(|end| {
        let mut node = Node::of_poses(end as f64, [a.ends[end], b.ends[end]]);
        subjects.measure_bodies(&mut node, rows[end], work, routes);
        node
    });
    let upper = if ends[1].upper < ends[0].upper { ends[1].upper } else { ends[0].upper };
    if subjects.is_convex()
        && let Some(answer) = by_one_direction(&subjects, &motion, &ends, upper, options)
    {
        return answer;
    }
    let mut search = IntervalSearch {
        subjects,
        paths,
        motion,
        options: *options,
        ends,
        work,
        routes,
        leaves: Vec::new(),
        open: BinaryHeap::new(),
        surfaces: None,
        upper,
        computed: 2,
        divided: false,
        by_speed: false,
    };
    match search.subjects.has_trees() {
        true => search.push_nodes([0, 0], f64::NEG_INFINITY),
        false => search.begin_leaf([0, 0], f64::NEG_INFINITY),
    }
    answer(search)
}

/// The answer about convex bodies, if one direction decides it: that of the search, which ends where it begins. `Some(None)`: they are
/// beyond the cut-off.
fn by_one_direction(
    subjects: &Subjects<'_>,
    motion: &RelativeMotion,
    ends: &[Node; 2],
    upper: f64,
    options: &IntervalOptions,
) -> Option<Option<IntervalProximity>> {
    let is_enough = |least: f64| least > options.within || options.is_decided(least, upper);
    let bound = subjects.hulls().best_between([&ends[0], &ends[1]], motion, is_enough);
    let lower = bound.least();
    if lower > options.within {
        return Some(None);
    }
    let is_touching = upper <= options.touch;
    // Of a later contact the time is still to be found.
    if !options.is_decided(lower, upper) || (is_touching && ends[0].upper > options.touch) {
        return None;
    }
    let contact = if is_touching { [0.0, 0.0] } else { [f64::NAN; 2] };
    let (status, method) = (status(lower, upper, options.touch), IntervalMethod::Direction);
    Some(Some(IntervalProximity {
        sample: 0,
        status,
        method,
        lower,
        upper,
        closest: bound.where_below(upper),
        contact,
    }))
}

/// The answer of a search that has begun.
fn answer(mut search: IntervalSearch<'_, '_>) -> Option<IntervalProximity> {
    let end = search.run();
    let least = search.open.peek().filter(|least| least.lower <= search.options.within)?.lower;
    let (method, upper, touch) = (search.method(end), search.upper, search.options.touch);
    let lower = if least > 0.0 || search.subjects.is_convex() { least } else { depth_bound(&search).min(least) };
    let mut closest = [1.0_f64, 0.0];
    for part in search.open.iter().filter(|part| part.lower <= upper) {
        let [first, last] = part.bound.where_below(upper).map(|share| part.start + share * (part.end - part.start));
        closest = [closest[0].min(first), closest[1].max(last)];
    }
    let contact = if upper <= touch { first_contact(&mut search) } else { [f64::NAN; 2] };
    let status = status(lower, upper, touch);
    Some(IntervalProximity { sample: 0, status, method, lower, upper, closest, contact })
}

fn status(lower: f64, upper: f64, touch: f64) -> IntervalStatus {
    if upper <= touch {
        IntervalStatus::Contact
    } else if lower > touch {
        IntervalStatus::Clear
    } else {
        IntervalStatus::Undecided
    }
}

/// A lower bound of the signed distance over the whole interval of bodies that are not convex and may overlap: that of their hulls, which
/// contain them.
fn depth_bound(search: &IntervalSearch<'_, '_>) -> f64 {
    let [mut start, mut end] = [0.0, 1.0].map(|share| Node::at(share, &search.paths));
    let directions = |share: f64, node: &mut Node| {
        let nodes = search.leaves.iter().flat_map(|leaf| &leaf.nodes).filter(|known| known.share == share);
        nodes.flat_map(|known| known.normals()).take(8).for_each(|&normal| node.add_normal(normal));
    };
    for (node, known) in [(&mut start, &search.ends[0]), (&mut end, &search.ends[1])] {
        known.normals().iter().for_each(|&normal| node.add_normal(normal));
    }
    directions(0.0, &mut start);
    directions(1.0, &mut end);
    search.subjects.hulls().best_between([&start, &end], &search.motion, |_| false).least()
}

/// The answer where both poses hold until the next one.
fn held(
    subjects: &Subjects<'_>,
    poses: [[Pose; 2]; 2],
    options: &IntervalOptions,
    work: &mut Workspace,
    routes: &mut Routes,
) -> Option<IntervalProximity> {
    let [start, end] = [0, 1].map(|at| {
        let mut node = Node::of_poses(at as f64, [poses[0][at], poses[1][at]]);
        subjects.measure_bodies(&mut node, None, work, routes);
        node
    });
    let (lower, upper) = (start.lower.min(end.lower), start.upper.min(end.upper));
    if lower > options.within {
        return None;
    }
    let is_first = |node: &Node| node.lower <= upper;
    let closest = [if is_first(&start) { 0.0 } else { 1.0 }, if is_first(&end) { 1.0 } else { 0.0 }];
    let touching = [&start, &end].into_iter().find(|node| node.upper <= options.touch);
    let contact = touching.map_or([f64::NAN; 2], |node| [node.share; 2]);
    let (status, method) = (status(lower, upper, options.touch), IntervalMethod::Hold);
    Some(IntervalProximity { sample: 0, status, method, lower, upper, closest, contact })
}

/// The answer where a body turns by 180 degrees, which has no shortest way: under `linear` the body stays in a ball about its pivot.
fn undefined(
    [a, b]: [&BodyMotion<'_>; 2],
    subjects: &Subjects<'_>,
    options: &IntervalOptions,
    work: &mut Workspace,
    routes: &mut Routes,
) -> Option<IntervalProximity> {
    let lower = match options.between {
        BetweenFrames::Linear => subjects.balls_of_pivots([a.pivot, b.pivot]),
        _ => f64::NEG_INFINITY,
    };
    let ends = held(subjects, [a.ends, b.ends], &IntervalOptions { within: f64::INFINITY, ..*options }, work, routes)?;
    if lower > options.within {
        return None;
    }
    let lower = lower.min(ends.lower);
    let status = match status(lower, ends.upper, options.touch) {
        IntervalStatus::Contact => IntervalStatus::Contact,
        _ => IntervalStatus::Undecided,
    };
    // Before the end at which contact is proven nothing is known.
    let contact = if ends.contact[1] > 0.0 { [0.0, ends.contact[1]] } else { ends.contact };
    Some(IntervalProximity { status, method: IntervalMethod::Limit, lower, closest: [0.0, 1.0], contact, ..ends })
}
