//! One interval of one pair: by the directions of the rows, by the nodes that contain the nearest
//! pieces, and by a search.

use super::beyond::{SeparatedCover, SeparationProof};
use super::bodies::IntervalBodies;
use super::closest::{are_explained, common};
use super::contact::first_contact;
use super::node::Node;
use super::options::{BodyMotion, IntervalOptions, PartDivision};
use super::pair_path::{JointedPath, PairPath};
use super::path::PathTerms;
use super::relative_motion::{FixedIn, GapBound, RelativeMotion};
use super::search::{IntervalSearch, least};
use super::sought_times::SoughtTimes;
use super::support_gap::{Hulls, by_bend};
use crate::cache::PieceCache;
use crate::solver_stats::SolverStats;
use crate::workspace::Workspace;
use clearsweep_geometry::Pose;
use clearsweep_kinematics::JointMotion;
use clearsweep_model::Proximity;
use clearsweep_model::{BetweenFrames, Shape};
use clearsweep_model::{IntervalMethod, IntervalProximity, IntervalStatus};
use std::rc::Rc;

/// Computes the proven answer of a pair over an interval; `None` if the bodies are proven to be
/// farther apart than `within` throughout. The answer is a function of the arguments but `work` and
/// `routes`. `rows`: the rows of the pair at both ends, in A's recentred frame, where they are
/// known: they change no answer.
pub fn interval_proximity<'a>(
    a: &BodyMotion<'a>,
    b: &BodyMotion<'a>,
    rows: [Option<&'a Proximity>; 2],
    options: &IntervalOptions,
    work: &mut Workspace,
    stats: &mut SolverStats,
) -> Option<IntervalProximity> {
    interval_proximity_divided(a, b, rows, options, PartDivision::default(), work, stats)
}

/// [`interval_proximity`], with a choice of the division of parts: for comparisons.
pub fn interval_proximity_divided<'a>(
    a: &BodyMotion<'a>,
    b: &BodyMotion<'a>,
    rows: [Option<&'a Proximity>; 2],
    options: &IntervalOptions,
    division: PartDivision,
    work: &mut Workspace,
    stats: &mut SolverStats,
) -> Option<IntervalProximity> {
    let options = &options.for_bodies(a.shape, b.shape);
    solve([a, b], None, &mut EndRows::new(rows), options, division, work, stats).answer()
}

/// [`interval_proximity`], of bodies that joints carry while their values move on lines. The
/// bracket holds for the exact kinematics of the values.
pub fn interval_proximity_of_joints<'a>(
    shapes: [&'a Shape; 2],
    joints: &JointMotion<'a>,
    options: &IntervalOptions,
    work: &mut Workspace,
    stats: &mut SolverStats,
) -> Option<IntervalProximity> {
    let path = Rc::new(JointedPath::new(shapes, joints.clone()));
    let [a, b] = path.bodies();
    let mut rows = EndRows::new([None, None]);
    let options = &options.for_bodies(shapes[0], shapes[1]);
    solve([&a, &b], Some(&path), &mut rows, options, PartDivision::default(), work, stats).answer()
}

/// Outcome of an interval.
#[derive(Debug, Clone)]
pub(super) enum Solved {
    /// The bodies are beyond the cut-off throughout; with a proof without distances, or empty.
    Beyond(SeparatedCover),
    Answer(IntervalProximity),
    /// Answer by two nodes of the trees.
    OfNodes(IntervalProximity, NearestNodes),
}

impl Solved {
    fn answer(self) -> Option<IntervalProximity> {
        match self {
            Self::Answer(answer) | Self::OfNodes(answer, _) => {
                debug_assert!(answer.is_in_order(), "ends out of order: {answer:?}");
                Some(answer)
            }
            Self::Beyond(_) => None,
        }
    }
}

impl From<Option<IntervalProximity>> for Solved {
    fn from(answer: Option<IntervalProximity>) -> Self {
        answer.map_or_else(|| Self::Beyond(SeparatedCover::new()), Self::Answer)
    }
}

/// The rows of a pair at both ends of an interval, in A's recentred frame: they change no answer.
pub(super) struct EndRows<'a> {
    /// Those that the table has.
    known: [Option<&'a Proximity>; 2],
    /// Those that were computed for intervals, whatever their distance.
    pub(super) computed: [Option<Proximity>; 2],
    /// The poses of both bodies that rows are computed from, by end; `None`: those of the path.
    /// Joints give the path in the frame of the link that carries both bodies: a row in the frame
    /// of the world rounds otherwise, and a row that the table lacks must be the one it would have.
    pub(super) poses: Option<[[Pose; 2]; 2]>,
}

impl<'a> EndRows<'a> {
    pub(super) fn new(known: [Option<&'a Proximity>; 2]) -> Self {
        Self { known, computed: [None; 2], poses: None }
    }
}

/// See [`interval_proximity_divided`]; `joints`: those that carry the bodies, if any do.
pub(super) fn solve<'a>(
    [a, b]: [&BodyMotion<'a>; 2],
    joints: Option<&Rc<JointedPath<'a>>>,
    rows: &mut EndRows<'a>,
    options: &IntervalOptions,
    division: PartDivision,
    work: &mut Workspace,
    stats: &mut SolverStats,
) -> Solved {
    let bodies = IntervalBodies::new(a, b, options);
    if options.between == BetweenFrames::Hold {
        return held(&bodies, [a, b], rows, options, work, stats).into();
    }
    if options.between == BetweenFrames::Bounded {
        return bounded(&bodies, [a, b], rows, options, division, work, stats).into();
    }
    let Some(path) = PairPath::new([a, b], joints, options) else {
        return undefined([a, b], rows, &bodies, options, work, stats).into();
    };
    let motion = path.relative_motion([a, b]);
    // Bodies that are within the cut-off at one end are not beyond it throughout.
    let separation =
        |within, but| SeparationProof { bodies: &bodies, path: &path, motion: &motion, but, within }.prove();
    if rows.known.iter().flatten().all(|row| row.upper > options.within)
        && let Some(cover) = separation(options.within, None)
    {
        stats.intervals_beyond += 1;
        return Solved::Beyond(cover);
    }
    let mut cache = PieceCache::default();
    let ends = measured_ends(&bodies, [a, b], path.error_at_ends(), rows, &mut cache, work, stats);
    let known = by_normals(&bodies, &motion, &ends, options).map(Solved::from);
    let known = known.or_else(|| by_nearest_nodes(&bodies, &motion, &ends, options, &separation));
    // A body inside an open mesh at an end has an answer, however far the surface is.
    let by_winding = ends.iter().any(|end| end.by_winding);
    let options = &IntervalOptions { within: if by_winding { f64::INFINITY } else { options.within }, ..*options };
    let mut search = IntervalSearch::new(bodies, path, motion, options, division, ends, cache, work, stats);
    match known {
        None => {
            search.begin();
            answer(search).into()
        }
        Some(Solved::Answer(answer)) => Solved::Answer(timed(answer, search)),
        Some(Solved::OfNodes(answer, nearest)) => Solved::OfNodes(timed(answer, search), nearest),
        Some(beyond) => beyond,
    }
}

impl IntervalSearch<'_, '_> {
    /// Adds the bodies as a whole.
    fn begin(&mut self) {
        match self.bodies.has_trees() {
            true => self.push_nodes([0, 0], f64::NEG_INFINITY),
            false => self.begin_leaf([0, 0], f64::NEG_INFINITY),
        }
    }
}

/// Narrows the times of least distance of an answer of directions. `search`: without parts.
fn timed(answer: IntervalProximity, mut search: IntervalSearch<'_, '_>) -> IntervalProximity {
    let (bracket, is_convex) = ([answer.lower, answer.upper], search.bodies.is_convex());
    let sought = SoughtTimes::of_bracket(bracket, is_convex, search.options.touch);
    if are_explained(&answer, search.ends.each_ref().map(|end| end.lower), sought) {
        return answer;
    }
    search.sought = Some(sought);
    search.begin();
    let parts = search.open.drain().collect::<Vec<_>>();
    IntervalProximity { closest: search.times_below(parts, sought, answer.closest), ..answer }
}

/// [`timed`], of an answer of the directions of the rows at both ends.
pub(super) fn timed_by_rows<'a>(
    answer: IntervalProximity,
    [a, b]: [&BodyMotion<'a>; 2],
    joints: Option<&Rc<JointedPath<'a>>>,
    rows: &mut EndRows<'a>,
    options: &IntervalOptions,
    work: &mut Workspace,
    stats: &mut SolverStats,
) -> IntervalProximity {
    let bodies = IntervalBodies::new(a, b, options);
    let Some(path) = PairPath::new([a, b], joints, options) else { return answer };
    let motion = path.relative_motion([a, b]);
    let (mut cache, division) = (PieceCache::default(), PartDivision::default());
    let ends = measured_ends(&bodies, [a, b], path.error_at_ends(), rows, &mut cache, work, stats);
    timed(answer, IntervalSearch::new(bodies, path, motion, options, division, ends, cache, work, stats))
}

/// The bodies at both ends, with their distances; `error`: of their poses, metres.
fn measured_ends(
    bodies: &IntervalBodies<'_>,
    [a, b]: [&BodyMotion<'_>; 2],
    error: f64,
    rows: &mut EndRows<'_>,
    cache: &mut PieceCache,
    work: &mut Workspace,
    stats: &mut SolverStats,
) -> [Node; 2] {
    [0, 1].map(|end| {
        let mut node = Node::of_poses(end as f64, [a.ends[end], b.ends[end]]);
        let known = rows.known[end].copied().or(rows.computed[end]);
        let row = known.or_else(|| {
            let mut there = Node::of_poses(end as f64, rows.poses?[end]);
            bodies.measure_bodies(&mut there, None, cache, work, stats)
        });
        node.error = error;
        rows.computed[end] = bodies.measure_bodies(&mut node, row.as_ref(), cache, work, stats);
        node
    })
}

/// The answer by the normals of both ends, if they decide: the frames of the least bend and the
/// nearer end first; of bodies that are not convex the first of these directions only.
fn by_normals(
    bodies: &IntervalBodies<'_>,
    motion: &RelativeMotion,
    ends: &[Node; 2],
    options: &IntervalOptions,
) -> Option<Option<IntervalProximity>> {
    let hulls = bodies.hulls();
    let mut directions = TriedDirections::new([ends[0].upper, ends[1].upper], bodies.is_convex());
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
            if !bodies.is_convex() {
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
    /// No direction tried yet. `uppers`: upper distance bounds at both ends, metres.
    pub(super) fn new(uppers: [f64; 2], is_convex: bool) -> Self {
        Self { uppers, is_convex, best: [GapBound::NONE; 2] }
    }

    /// Takes the bound along a direction of an end; returns what it decides, alone or together with
    /// the other end's best one: see [`decided`].
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
        let answer = alone.or_else(|| decided(&first.combined(last).0, self.uppers, self.is_convex, options))?;
        // Each of both bounds holds.
        let below = |answer: &IntervalProximity| {
            let both = [first, last].map(|bound| bound.where_below(answer.upper));
            common(answer.closest, common(both[0], both[1]))
        };
        Some(answer.map(|answer| IntervalProximity { closest: below(&answer), ..answer }))
    }
}

/// The answer of bodies of pieces by two nodes of their trees that contain the nearest pieces of
/// the nearer end, along their normal: by the first nodes on the way down that decide, if all other
/// pieces are farther apart throughout than the answer's upper end.
fn by_nearest_nodes(
    bodies: &IntervalBodies<'_>,
    motion: &RelativeMotion,
    ends: &[Node; 2],
    options: &IntervalOptions,
    separation: &impl Fn(f64, Option<[u32; 2]>) -> Option<SeparatedCover>,
) -> Option<Solved> {
    let is_end = ends[1].upper < ends[0].upper;
    let (near, far) = if is_end { (&ends[1], &ends[0]) } else { (&ends[0], &ends[1]) };
    let (pieces, &normal) = (near.pieces.filter(|_| bodies.has_trees())?, near.normals().first()?);
    let [fixed, ..] = by_bend(motion, near.to_world(normal));
    let uppers = [ends[0].upper, ends[1].upper];
    let decide = |hulls: &Hulls<'_>| {
        let bound = hulls.bound_along([near, far], normal, fixed, motion);
        decided(&if is_end { bound.reversed() } else { bound }, uppers, false, options)
    };
    let nodes = bodies.nodes_with(pieces);
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

/// Returns the answer that a bound over the whole interval decides, for bodies with these upper
/// ends at its ends. `Some(None)`: they are beyond the cut-off throughout.
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
    // The time of a later contact is open, and hulls do not show the depth of nonconvex bodies.
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
    let least = search.open.first().filter(|least| least.lower <= search.options.within)?.lower;
    let (method, upper, touch) = (search.method(end, least), search.upper, search.options.touch);
    let is_convex = search.bodies.is_convex();
    let (lower, mut times) = match least > 0.0 || is_convex {
        true => (least, [0.0, 1.0]),
        false => depth_of_hulls(&mut search, upper),
    };
    let sought = SoughtTimes::of_bracket([lower, upper], is_convex, touch);
    let parts: Vec<_> = search.open.iter().filter(|part| part.lower <= sought.level).collect();
    let contact = if upper <= touch { first_contact(&mut search) } else { [f64::NAN; 2] };
    let nodes = || search.ends.iter().chain(search.leaves.iter().flat_map(|leaf| &leaf.nodes));
    if nodes().any(|node| node.by_winding) {
        // The surfaces are apart, which says nothing of the inside.
        let lower = nodes().fold(lower, |lower, node| lower.min(node.lower));
        let lower = if is_convex { lower } else { lower.min(depth_of_hulls(&mut search, upper).0) };
        let status = status(lower, upper, touch);
        return Some(IntervalProximity { sample: 0, status, method, lower, upper, closest: [0.0, 1.0], contact });
    }
    // Before the first contact they are clear.
    times[0] = times[0].max(contact[0]);
    let closest = search.times_below(parts, sought, times);
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

/// A lower bound of the signed distance over the whole interval of bodies that are not convex and
/// may overlap, from their hulls, which contain them; and the times outside of which the hulls are
/// farther apart than `upper` (metres).
fn depth_of_hulls(search: &mut IntervalSearch<'_, '_>, upper: f64) -> (f64, [f64; 2]) {
    let bodies = search.bodies.as_hulls();
    let ends = search.ends.each_ref().map(|end| {
        let mut node = Node::of_poses(end.share, end.poses);
        node.error = search.path.error_at_ends();
        bodies.measure_bodies(&mut node, None, &mut PieceCache::default(), search.work, search.stats);
        node
    });
    // Nothing but the tolerance ends it.
    let options = IntervalOptions { within: f64::INFINITY, require: None, touch: f64::NEG_INFINITY, ..search.options };
    let (path, motion, division) = (search.path.clone(), search.motion, search.division);
    let (cache, work, stats) = (PieceCache::default(), &mut *search.work, &mut *search.stats);
    let mut hulls = IntervalSearch::new(bodies, path, motion, &options, division, ends, cache, work, stats);
    hulls.begin();
    hulls.run();
    let lower = hulls.open.first().map_or(f64::NEG_INFINITY, |least| least.lower);
    let parts: Vec<_> = hulls.open.drain().collect();
    (lower, hulls.times_below(parts, SoughtTimes { level: upper, explained: upper }, [0.0, 1.0]))
}

/// The answer where both poses hold until the next one.
fn held(
    bodies: &IntervalBodies<'_>,
    motions: [&BodyMotion<'_>; 2],
    rows: &mut EndRows<'_>,
    options: &IntervalOptions,
    work: &mut Workspace,
    stats: &mut SolverStats,
) -> Option<IntervalProximity> {
    let [start, end] = measured_ends(bodies, motions, 0.0, rows, &mut PieceCache::default(), work, stats);
    let (lower, upper) = (start.lower.min(end.lower), start.upper.min(end.upper));
    if lower > options.within {
        return None;
    }
    // The first pose holds until the end.
    let closest = if start.lower <= upper { [0.0, 1.0] } else { [1.0, 1.0] };
    let touching = [&start, &end].into_iter().find(|node| node.upper <= options.touch);
    let contact = touching.map_or([f64::NAN; 2], |node| [node.share; 2]);
    let (status, method) = (status(lower, upper, options.touch), IntervalMethod::Hold);
    Some(IntervalProximity { sample: 0, status, method, lower, upper, closest, contact })
}

/// The answer for every motion within the bounds of both bodies: they are nowhere nearer than on
/// lines, less both departures, and at both ends where the poses say.
fn bounded<'a>(
    bodies: &IntervalBodies<'a>,
    [a, b]: [&BodyMotion<'a>; 2],
    rows: &mut EndRows<'a>,
    options: &IntervalOptions,
    division: PartDivision,
    work: &mut Workspace,
    stats: &mut SolverStats,
) -> Option<IntervalProximity> {
    let off = (a.departure + b.departure).next_up();
    let farther = |length: f64| (length + off).next_up();
    let straight = IntervalOptions {
        between: BetweenFrames::Linear,
        within: farther(options.within),
        require: options.require.map(farther),
        ..*options
    };
    let linear = match solve([a, b], None, rows, &straight, division, work, stats) {
        Solved::Answer(answer) | Solved::OfNodes(answer, _) => answer,
        Solved::Beyond(_) => return None,
    };
    let ends = held(bodies, [a, b], rows, &IntervalOptions { within: f64::INFINITY, ..*options }, work, stats)?;
    let lower = (linear.lower - off).next_down();
    let lower = if lower.is_nan() { f64::NEG_INFINITY } else { lower.min(ends.lower) };
    if lower > options.within {
        return None;
    }
    Some(IntervalProximity { method: linear.method, ..unknown_between(lower, ends, options) })
}

/// The answer where nothing but a lower end is known between both ends.
fn unknown_between(lower: f64, ends: IntervalProximity, options: &IntervalOptions) -> IntervalProximity {
    let status = status(lower, ends.upper, options.touch);
    // Before the end at which contact is proven nothing is known.
    let contact = if ends.contact[1] > 0.0 { [0.0, ends.contact[1]] } else { ends.contact };
    IntervalProximity { status, lower, closest: [0.0, 1.0], contact, ..ends }
}

/// The answer where a body turns by 180 degrees, which has no shortest way: whichever way it turns,
/// it stays in a ball about its pivot.
fn undefined(
    [a, b]: [&BodyMotion<'_>; 2],
    rows: &mut EndRows<'_>,
    bodies: &IntervalBodies<'_>,
    options: &IntervalOptions,
    work: &mut Workspace,
    stats: &mut SolverStats,
) -> Option<IntervalProximity> {
    let lower =
        bodies.balls_of_pivots([a, b].map(|body| PathTerms::of_either_way(body, options.between)), b.fall - a.fall);
    let lower = if lower.is_nan() { f64::NEG_INFINITY } else { lower };
    let ends = held(bodies, [a, b], rows, &IntervalOptions { within: f64::INFINITY, ..*options }, work, stats)?;
    if lower > options.within {
        return None;
    }
    let found = unknown_between(lower.min(ends.lower), ends, options);
    let is_contact = found.status == IntervalStatus::Contact;
    let status = if is_contact { IntervalStatus::Contact } else { IntervalStatus::Undecided };
    Some(IntervalProximity { status, method: IntervalMethod::Limit, ..found })
}
