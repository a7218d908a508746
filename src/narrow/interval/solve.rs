//! One interval of one pair: by the directions of the rows, by the nodes that contain the nearest pieces, and by a search.

use super::answer::{IntervalMethod, IntervalProximity, IntervalStatus};
use super::beyond::{SeparatedCover, SeparationProof};
use super::contact::first_contact;
use super::node::Node;
use super::options::{BodyMotion, IntervalOptions, PartDivision};
use super::path::{BodyPath, PathTerms, displacement};
use super::relative_motion::{FixedIn, GapBound, RelativeMotion};
use super::search::IntervalSearch;
use super::subject::Subjects;
use super::support_gap::{Hulls, by_bend};
use crate::geometry::Pose;
use crate::narrow::cache::PieceCache;
use crate::narrow::proximity::Proximity;
use crate::narrow::routes::Routes;
use crate::narrow::workspace::Workspace;
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
    interval_proximity_divided(a, b, rows, options, PartDivision::default(), work, routes)
}

/// [`interval_proximity`], with a choice of where the search for the least distance divides a part: for comparisons.
pub fn interval_proximity_divided<'a>(
    a: &BodyMotion<'a>,
    b: &BodyMotion<'a>,
    rows: [Option<&'a Proximity>; 2],
    options: &IntervalOptions,
    division: PartDivision,
    work: &mut Workspace,
    routes: &mut Routes,
) -> Option<IntervalProximity> {
    match solve(a, b, rows, options, division, work, routes) {
        Solved::Answer(answer) | Solved::OfNodes(answer, _) => Some(answer),
        Solved::Beyond(_) => None,
    }
}

/// What became of an interval.
#[derive(Debug, Clone)]
pub(super) enum Solved {
    /// The bodies are beyond the cut-off throughout; with a proof that needs no distance, if such a one was found.
    Beyond(SeparatedCover),
    Answer(IntervalProximity),
    /// By two nodes of the trees.
    OfNodes(IntervalProximity, NearestNodes),
}

impl From<Option<IntervalProximity>> for Solved {
    fn from(answer: Option<IntervalProximity>) -> Self {
        answer.map_or_else(|| Self::Beyond(SeparatedCover::new()), Self::Answer)
    }
}

/// See [`interval_proximity_divided`].
pub(super) fn solve<'a>(
    a: &BodyMotion<'a>,
    b: &BodyMotion<'a>,
    rows: [Option<&'a Proximity>; 2],
    options: &IntervalOptions,
    division: PartDivision,
    work: &mut Workspace,
    routes: &mut Routes,
) -> Solved {
    let subjects = Subjects::new(a, b, options.touch);
    if options.between == BetweenFrames::Hold {
        return held(&subjects, [a.ends, b.ends], rows, options, work, routes).into();
    }
    let (Some(path_a), Some(path_b)) = (BodyPath::new(a, options.between), BodyPath::new(b, options.between)) else {
        return undefined([a, b], rows, &subjects, options, work, routes).into();
    };
    let paths = [path_a, path_b];
    let between = displacement(&(&a.ends[0]).into(), &(&b.ends[0]).into());
    let motion = RelativeMotion::new([&paths[0].terms(), &paths[1].terms()], between);
    // Bodies that are within the cut-off at one end are not beyond it throughout.
    let separation =
        |within, but| SeparationProof { subjects: &subjects, paths: &paths, motion: &motion, but, within }.prove();
    if rows.iter().flatten().all(|row| row.upper > options.within)
        && let Some(cover) = separation(options.within, None)
    {
        routes.intervals_beyond += 1;
        return Solved::Beyond(cover);
    }
    let mut cache = PieceCache::default();
    let ends = [0, 1].map(|end| {
        let mut node = Node::of_poses(end as f64, [a.ends[end], b.ends[end]]);
        subjects.measure_bodies(&mut node, rows[end], &mut cache, work, routes);
        node
    });
    if let Some(answer) = by_normals(&subjects, &motion, &ends, options) {
        return answer.into();
    }
    if let Some(answer) = by_nearest_nodes(&subjects, &motion, &ends, options, &separation) {
        return answer;
    }
    // What lies inside of an open mesh at an end has an answer, however far its surface is.
    let by_winding = ends.iter().any(|end| end.by_winding);
    let within = if by_winding { f64::INFINITY } else { options.within };
    let mut search = IntervalSearch {
        subjects,
        paths,
        motion,
        options: IntervalOptions { within, ..*options },
        division,
        upper: least(ends[0].upper, ends[1].upper),
        ends,
        cache,
        work,
        routes,
        leaves: Vec::new(),
        open: BinaryHeap::new(),
        surfaces: None,
        computed: 2,
        divided: false,
        by_speed: false,
    };
    match search.subjects.has_trees() {
        true => search.push_nodes([0, 0], f64::NEG_INFINITY),
        false => search.begin_leaf([0, 0], f64::NEG_INFINITY),
    }
    answer(search).into()
}

/// The lesser of two upper ends, the first of equal ones.
fn least(one: f64, other: f64) -> f64 {
    if other < one { other } else { one }
}

/// The answer by the normals of both ends, if they decide: the frames of the least bend and the nearer end first; of bodies that are not convex
/// the first of these directions only.
fn by_normals(
    subjects: &Subjects<'_>,
    motion: &RelativeMotion,
    ends: &[Node; 2],
    options: &IntervalOptions,
) -> Option<Option<IntervalProximity>> {
    let hulls = subjects.hulls();
    let mut directions = TriedDirections::new([ends[0].upper, ends[1].upper], subjects.is_convex());
    let nearer = usize::from(ends[1].upper < ends[0].upper);
    for rank in 0..FixedIn::ALL.len() {
        for end in [nearer, 1 - nearer] {
            let Some(&normal) = ends[end].normals().first() else { continue };
            let fixed = by_bend(motion, ends[end].to_world(normal))[rank];
            let bound = hulls.bound_along([&ends[end], &ends[1 - end]], normal, fixed, motion);
            let bound = if end == 0 { bound } else { bound.reversed() };
            if let Some(answer) = directions.take(end, &bound, options) {
                return Some(answer);
            }
            if !subjects.is_convex() {
                return None;
            }
        }
    }
    None
}

/// The directions of both ends that were tried.
#[derive(Debug, Clone, Copy)]
pub(super) struct TriedDirections {
    uppers: [f64; 2],
    is_convex: bool,
    /// The best bound of each end.
    best: [GapBound; 2],
}

impl TriedDirections {
    /// None yet, of bodies with these upper ends at both ends, metres.
    pub(super) fn new(uppers: [f64; 2], is_convex: bool) -> Self {
        Self { uppers, is_convex, best: [GapBound::NONE; 2] }
    }

    /// What the bound along a direction of an end decides, alone or together with the best one of the other end: see [`decided`].
    pub(super) fn take(
        &mut self,
        end: usize,
        bound: &GapBound,
        options: &IntervalOptions,
    ) -> Option<Option<IntervalProximity>> {
        let is_better = bound.least() > self.best[end].least();
        if !is_better {
            return None;
        }
        self.best[end] = *bound;
        let alone = decided(bound, self.uppers, self.is_convex, options);
        let [first, last] = &self.best;
        alone.or_else(|| decided(&first.combined(last).0, self.uppers, self.is_convex, options))
    }
}

/// The answer of bodies of pieces by two nodes of their trees that contain the nearest pieces of the nearer end, along their normal: by the
/// first nodes on the way down that decide, if all other pieces are farther apart throughout than the answer's upper end.
fn by_nearest_nodes(
    subjects: &Subjects<'_>,
    motion: &RelativeMotion,
    ends: &[Node; 2],
    options: &IntervalOptions,
    separation: &impl Fn(f64, Option<[u32; 2]>) -> Option<SeparatedCover>,
) -> Option<Solved> {
    let is_end = ends[1].upper < ends[0].upper;
    let (near, far) = if is_end { (&ends[1], &ends[0]) } else { (&ends[0], &ends[1]) };
    let (pieces, &normal) = (near.pieces.filter(|_| subjects.has_trees())?, near.normals().first()?);
    let [fixed, ..] = by_bend(motion, near.to_world(normal));
    let uppers = [ends[0].upper, ends[1].upper];
    let decide = |hulls: &Hulls<'_>| {
        let bound = hulls.bound_along([near, far], normal, fixed, motion);
        decided(&if is_end { bound.reversed() } else { bound }, uppers, false, options)
    };
    let nodes = subjects.nodes_with(pieces);
    let (nodes, answer) = nodes.iter().find_map(|(nodes, hulls)| Some((*nodes, decide(hulls)?)))?;
    let within = answer.map_or(options.within, |answer| answer.upper);
    let cover = separation(within, Some(nodes))?;
    Some(match answer {
        Some(answer) => Solved::OfNodes(answer, NearestNodes { pieces, nodes, others: cover }),
        // The others alone are no proof for another interval.
        None => Solved::Beyond(SeparatedCover::new()),
    })
}

/// Two nodes that decide an interval.
#[derive(Debug, Clone)]
pub(super) struct NearestNodes {
    /// The nearest pieces.
    pub(super) pieces: [u32; 2],
    /// These contain them.
    pub(super) nodes: [u32; 2],
    /// All others are apart.
    pub(super) others: SeparatedCover,
}

/// What a bound over the whole interval decides of bodies with these upper ends at its ends. `Some(None)`: they are beyond the cut-off
/// throughout.
pub(super) fn decided(
    bound: &GapBound,
    uppers: [f64; 2],
    is_convex: bool,
    options: &IntervalOptions,
) -> Option<Option<IntervalProximity>> {
    let (lower, upper) = (bound.least(), least(uppers[0], uppers[1]));
    if lower > options.within {
        return Some(None);
    }
    let is_touching = upper <= options.touch;
    // Of a later contact the time is still to be found; the depth of bodies that are not convex is not that of their hulls.
    let is_open = is_touching && (uppers[0] > options.touch || !is_convex);
    if is_open || !options.is_decided(lower, upper) {
        return None;
    }
    let contact = if is_touching { [0.0, 0.0] } else { [f64::NAN; 2] };
    let (status, method) = (status(lower, upper, options.touch), IntervalMethod::Direction);
    let closest = bound.where_below(upper);
    Some(Some(IntervalProximity { sample: 0, status, method, lower, upper, closest, contact }))
}

/// The answer of a search that has begun.
fn answer(mut search: IntervalSearch<'_, '_>) -> Option<IntervalProximity> {
    let end = search.run();
    let least = search.open.peek().filter(|least| least.lower <= search.options.within)?.lower;
    let (method, upper, touch) = (search.method(end, least), search.upper, search.options.touch);
    let lower = if least > 0.0 || search.subjects.is_convex() { least } else { depth_bound(&search).min(least) };
    let mut closest = [1.0_f64, 0.0];
    for part in search.open.iter().filter(|part| part.lower <= upper) {
        let [first, last] = part.bound.where_below(upper).map(|share| part.start + share * (part.end - part.start));
        closest = [closest[0].min(first), closest[1].max(last)];
    }
    let contact = if upper <= touch { first_contact(&mut search) } else { [f64::NAN; 2] };
    let nodes = || search.ends.iter().chain(search.leaves.iter().flat_map(|leaf| &leaf.nodes));
    if nodes().any(|node| node.by_winding) {
        // The surfaces are apart, which says nothing of the inside.
        let lower = nodes().fold(depth_bound(&search).min(lower), |lower, node| lower.min(node.lower));
        let status = status(lower, upper, touch);
        return Some(IntervalProximity { sample: 0, status, method, lower, upper, closest: [0.0, 1.0], contact });
    }
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
    rows: [Option<&Proximity>; 2],
    options: &IntervalOptions,
    work: &mut Workspace,
    routes: &mut Routes,
) -> Option<IntervalProximity> {
    let mut cache = PieceCache::default();
    let [start, end] = [0, 1].map(|at| {
        let mut node = Node::of_poses(at as f64, [poses[0][at], poses[1][at]]);
        subjects.measure_bodies(&mut node, rows[at], &mut cache, work, routes);
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

/// The answer where a body turns by 180 degrees, which has no shortest way: whichever way it turns, it stays in a ball about its pivot.
fn undefined(
    [a, b]: [&BodyMotion<'_>; 2],
    rows: [Option<&Proximity>; 2],
    subjects: &Subjects<'_>,
    options: &IntervalOptions,
    work: &mut Workspace,
    routes: &mut Routes,
) -> Option<IntervalProximity> {
    let lower = subjects.balls_of_pivots([a, b].map(|body| PathTerms::of_either_way(body, options.between)));
    let lower = if lower.is_nan() { f64::NEG_INFINITY } else { lower };
    let ends =
        held(subjects, [a.ends, b.ends], rows, &IntervalOptions { within: f64::INFINITY, ..*options }, work, routes)?;
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
