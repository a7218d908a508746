//! The intervals of a pair in a block: eight at a time by one direction, and what that does not
//! decide alone.
//!
//! - *Rows at both ends*: the directions of both rows, the nearer one first, which are the first
//!   that an interval alone would try. The interval alone decides the same, with the same bits.
//! - *No row at either end*: the direction that ruled out samples of the pair, and the line between
//!   the origins.
//! - *After an interval that was answered alone*: the directions that separated nodes of the trees
//!   there rule out others, or leave the nearest pieces to decide.
//!
//! The last two depend on what was asked before, so they separate nodes only by a margin, for which
//! the interval alone separates them as well (docs/reference/numerics.md).

use super::beyond::{PARTS, SeparatedNodes};
use super::bodies::{IntervalBodies, pieces_of};
use super::closest::are_explained;
use super::eight::{Directions, EightBounds, EightMotions, EightPoses};
use super::options::{BodyMotion, IntervalOptions, Lever, PartDivision};
use super::pair_path::JointedPath;
use super::relative_motion::FixedIn;
use super::solve::{EndRows, NearestNodes, Solved, TriedDirections, decided, solve, timed_by_rows};
use super::sought_times::SoughtTimes;
use crate::cache::PairCache;
use crate::query::BodyPoses;
use crate::solver_stats::SolverStats;
use crate::workspace::Workspace;
use clearsweep_base::simd::{Lane, WIDTH};
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_kinematics::{JointMotion, PairChain, ValueCurve};
use clearsweep_model::IntervalProximity;
use clearsweep_model::Proximity;
use clearsweep_model::{BetweenFrames, MotionBounds, SAMPLES, SampleColumn, Shape};
use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

/// Most pairs of nodes in a proof of one interval that is tried on others.
const COVER: usize = 32;

/// How often that is tried in a block.
const TRIES: usize = 6;

/// One body over the samples of a block.
#[derive(Debug, Clone, Copy)]
pub struct BlockMotion<'a> {
    /// Its shape.
    pub shape: &'a Shape,
    /// Its poses, of the recentred frame.
    pub poses: BodyPoses<'a>,
    /// Its pose in the sample that follows the block, where it has one.
    pub after: Option<Pose>,
    /// Point that moves on a line, or falls, in the recentred frame, metres.
    pub pivot: Vec3<f64>,
    /// The pivot's acceleration in the interval after each sample, metres over the square of the
    /// interval; empty: the body does not fall.
    pub falls: &'a [Vec3<f64>],
    /// All that is known of its motion under [`BetweenFrames::Bounded`], and the seconds of the
    /// interval after each sample; empty under other motions, and of a body that stands.
    pub bounds: (MotionBounds, &'a [f64]),
}

/// One pair over intervals of a block.
#[derive(Debug, Clone, Copy)]
pub struct IntervalQuery<'a> {
    /// A and B.
    pub bodies: [BlockMotion<'a>; 2],
    /// Number of samples of the block.
    pub samples: usize,
    /// Bit `s`: the rows of sample `s` are known. A pair without a row there is beyond the cut-off.
    pub asked: u64,
    /// Bit `s`: the interval after sample `s`, at both ends of which both bodies have a pose.
    pub intervals: u64,
    /// Joints that carry the bodies, if they do; then they alone move them between the samples.
    pub joints: Option<BlockJoints<'a>>,
}

/// The joints between two bodies over the samples of a block.
#[derive(Debug, Clone, Copy)]
pub struct BlockJoints<'a> {
    /// The joints.
    pub chain: &'a PairChain,
    /// Values of the samples, by column.
    pub values: &'a [SampleColumn],
    /// Values in the sample that follows the block, by column.
    pub after: Option<&'a [f64]>,
    /// Values from each sample to the next one, `[column * SAMPLES + sample]`; empty if they move
    /// on lines.
    pub curves: &'a [ValueCurve],
}

impl<'a> BlockJoints<'a> {
    /// The motion over the interval after `sample`, in a block of `samples` samples.
    fn over(&self, sample: usize, samples: usize) -> JointMotion<'a> {
        if !self.curves.is_empty() {
            return JointMotion::along(self.chain, &|column| &self.curves[column as usize * SAMPLES + sample]);
        }
        let from = |column: u32| self.values[column as usize].0[sample];
        let to = |column: u32| match self.after.filter(|_| sample + 1 == samples) {
            Some(after) => after[column as usize],
            None => self.values[column as usize].0[(sample + 1) % SAMPLES],
        };
        JointMotion::new(self.chain, [&from, &to])
    }
}

impl<'a> BlockMotion<'a> {
    /// The poses at both ends of the interval after `sample`, in a block of `samples` samples.
    fn ends(&self, sample: usize, samples: usize) -> [Pose; 2] {
        let start = self.poses.at(sample);
        match self.poses {
            BodyPoses::Moving(_) if sample + 1 == samples => [start, self.after.unwrap_or(start)],
            _ => [start, self.poses.at((sample + 1) % SAMPLES)],
        }
    }

    fn over(&self, sample: usize, samples: usize) -> BodyMotion<'a> {
        let fall = self.falls.get(sample).copied().unwrap_or(Vec3::ZERO);
        let (ends, (bounds, seconds)) = (self.ends(sample, samples), self.bounds);
        let departure = seconds.get(sample).map_or(0.0, |&seconds| {
            let seconds = if seconds.is_finite() { seconds } else { f64::MAX };
            bounds.departure(&ends, seconds, self.shape.reach(), self.pivot)
        });
        BodyMotion { shape: self.shape, ends, pivot: self.pivot, fall, departure }
    }
}

impl<'a> IntervalQuery<'a> {
    fn over(&self, sample: usize) -> [BodyMotion<'a>; 2] {
        self.bodies.map(|body| body.over(sample, self.samples))
    }

    /// The path by joints over an interval.
    fn joints_over(&self, sample: usize) -> Option<Rc<JointedPath<'a>>> {
        let motion = self.joints?.over(sample, self.samples);
        Some(Rc::new(JointedPath::new(self.bodies.map(|body| body.shape), motion)))
    }
}

impl EightPoses {
    /// The poses of up to eight intervals.
    fn of<'a>(intervals: &[u8], over: impl Fn(usize) -> [BodyMotion<'a>; 2]) -> Self {
        let mut eight = Self::default();
        for (k, &sample) in intervals.iter().enumerate() {
            let [a, b] = over(usize::from(sample));
            let falls = eight.falls.iter_mut().zip([a.fall, b.fall]);
            falls.for_each(|(lanes, fall)| set(lanes, k, fall));
            let [a, b] = [a.ends, b.ends];
            for (to, pose) in eight.poses.iter_mut().zip(a.iter().chain(&b)) {
                let (p, q, r) = (pose.position, pose.q, pose.rest);
                let components = [p.x, p.y, p.z, q[0], q[1], q[2], q[3], r.x, r.y, r.z];
                to.iter_mut().zip(components).for_each(|(lane, component)| lane[k] = component);
            }
        }
        eight
    }
}

/// Terms common to all intervals of a pair in a block.
struct BlockTerms<'q, 'a> {
    query: &'q IntervalQuery<'a>,
    options: &'q IntervalOptions,
    levers: [Lever; 2],
    /// Over the first interval: only their shapes matter.
    bodies: IntervalBodies<'a>,
    /// Paths by joints over the intervals after the samples, once asked for; empty without joints.
    jointed: Vec<OnceCell<Option<Rc<JointedPath<'a>>>>>,
}

impl<'q, 'a> BlockTerms<'q, 'a> {
    fn new(query: &'q IntervalQuery<'a>, options: &'q IntervalOptions) -> Self {
        let [a, b] = query.over(0);
        let levers = [&a, &b].map(|body| body.lever(options.between));
        let jointed = if query.joints.is_some() { vec![OnceCell::new(); SAMPLES] } else { Vec::new() };
        Self { query, options, levers, bodies: IntervalBodies::new(&a, &b, options), jointed }
    }

    /// The path by joints over an interval, if joints carry the bodies.
    fn jointed(&self, sample: usize) -> Option<&Rc<JointedPath<'a>>> {
        self.jointed.get(sample)?.get_or_init(|| self.query.joints_over(sample)).as_ref()
    }

    /// Both bodies over an interval.
    fn over(&self, sample: usize) -> [BodyMotion<'a>; 2] {
        self.jointed(sample).map_or_else(|| self.query.over(sample), |path| path.bodies())
    }

    /// The rows at both ends of an interval.
    fn end_rows<'r>(&self, rows: &RowsBySample<'r>, sample: usize) -> EndRows<'r> {
        let in_world = || {
            let bodies = self.query.over(sample);
            [0, 1].map(|end| bodies.each_ref().map(|body| body.ends[end]))
        };
        let mut ends = EndRows::new(rows.at_ends(sample));
        ends.poses = self.query.joints.map(|_| in_world());
        ends
    }

    fn motions(&self, eight: &[u8]) -> EightMotions {
        let poses = EightPoses::of(eight, |sample| self.over(sample));
        if self.jointed.is_empty() {
            return EightMotions::new(&self.levers, &poses);
        }
        let paths = eight.iter().filter_map(|&sample| self.jointed(usize::from(sample)));
        EightMotions::of_joints(&poses, paths.map(|path| &path.relative))
    }

    /// The upper ends of the rows at both ends, metres, with the rounding of poses by joints.
    fn uppers(&self, rows: &RowsBySample<'_>, sample: u8) -> [f64; 2] {
        let error = self.jointed(usize::from(sample)).map_or(0.0, |path| path.error());
        let upper = |upper: f64| if error > 0.0 { (upper + error).next_up() } else { upper };
        rows.uppers(sample).map(upper)
    }

    /// Whether nodes in lane `k` are apart by `within` (metres) and the margin of an interval
    /// alone.
    fn are_apart(&self, bounds: &EightBounds, k: usize, within: f64) -> bool {
        let margin = self.options.tolerance.max((bounds.speed[k] + bounds.most_bend[k]) * (2.0 / PARTS));
        let needed = within + margin + 4.0 * bounds.rounding[k];
        bounds.defined >> k & 1 == 1 && bounds.of(k).least() > needed
    }
}

/// The rows of a pair by sample.
struct RowsBySample<'a> {
    rows: &'a [Proximity],
    /// The samples that have one.
    samples: u64,
    /// Index of the row of each sample.
    at: [u8; SAMPLES],
}

impl<'a> RowsBySample<'a> {
    fn new(rows: &'a [Proximity]) -> Self {
        let (mut samples, mut at) = (0, [0; SAMPLES]);
        for (row, i) in rows.iter().zip(0..) {
            samples |= 1 << row.sample;
            at[usize::from(row.sample) % SAMPLES] = i;
        }
        Self { rows, samples, at }
    }

    fn of(&self, sample: usize) -> Option<&'a Proximity> {
        let is_there = sample < SAMPLES && self.samples >> sample & 1 == 1;
        is_there.then(|| &self.rows[usize::from(self.at[sample])])
    }

    fn at_ends(&self, sample: usize) -> [Option<&'a Proximity>; 2] {
        [self.of(sample), self.of(sample + 1)]
    }

    /// The nearer row of both ends of an interval, or the farther one; and whether it is the last.
    fn nearer(&self, sample: u8, is_nearer: bool) -> Option<(&'a Proximity, bool)> {
        let [Some(start), Some(end)] = self.at_ends(usize::from(sample)) else { return None };
        let is_end = (end.upper < start.upper) == is_nearer;
        Some((if is_end { end } else { start }, is_end))
    }

    /// The lower ends at both ends of an interval, metres.
    fn lowers(&self, sample: u8) -> [f64; 2] {
        self.at_ends(usize::from(sample)).map(|row| row.map_or(f64::INFINITY, |row| row.lower))
    }

    /// The upper ends at both ends of an interval, metres.
    fn uppers(&self, sample: u8) -> [f64; 2] {
        self.at_ends(usize::from(sample)).map(|row| row.map_or(f64::INFINITY, |row| row.upper))
    }

    /// The intervals of a set that have proven rows with directions at both ends.
    fn proven_at_both_ends(&self, of: u64) -> u64 {
        let is_proven = |row: &Proximity| {
            let has_direction = row.normal.is_finite() && row.normal != Vec3::ZERO;
            has_direction && !(row.lower.is_nan() || row.upper.is_nan())
        };
        let proven = self.rows.iter().filter(|row| is_proven(row)).fold(0_u64, |set, row| set | 1 << row.sample);
        of & proven & proven >> 1
    }

    /// The intervals of a set whose nearer row is that of two pieces.
    fn of_pieces(&self, of: u64, pieces: [u32; 2]) -> u64 {
        let is_of =
            |&s: &u8| of >> s & 1 == 1 && self.nearer(s, true).is_some_and(|(row, _)| pieces_of(row) == Some(pieces));
        (0..SAMPLES as u8).filter(is_of).fold(0, |set, s| set | 1 << s)
    }

    /// The normals of the nearer rows of up to eight intervals, or of the other ones.
    fn directions(&self, eight: &[u8], is_nearer: bool) -> Directions {
        let (mut normals, mut at_end) = ([[0.0; WIDTH]; 3], [0.0; WIDTH]);
        for (k, &sample) in eight.iter().enumerate() {
            if let Some((row, is_end)) = self.nearer(sample, is_nearer) {
                set(&mut normals, k, row.normal);
                at_end[k] = f64::from(u8::from(is_end));
            }
        }
        Directions::Given { normals, at_end }
    }
}

/// Sets a lane of three.
fn set(lanes: &mut [Lane; 3], k: usize, v: Vec3<f64>) {
    lanes.iter_mut().zip(v.to_array()).for_each(|(lane, component)| lane[k] = component);
}

/// Up to eight of a set of samples, which are taken out of it.
fn take_eight(left: &mut u64) -> ([u8; WIDTH], usize) {
    let (mut eight, mut count) = ([0; WIDTH], 0);
    while *left != 0 && count < WIDTH {
        eight[count] = left.trailing_zeros() as u8;
        *left &= *left - 1;
        count += 1;
    }
    (eight, count)
}

/// Appends what is proven of the intervals of a pair, in order: one that is proven to be beyond the
/// cut-off throughout has no answer. `rows`: the rows of the pair that are known, in A's recentred
/// frame, by sample. The answers are those of [`super::interval_proximity`]: they are a function of
/// the bodies, the poses and the options alone.
pub fn walk_intervals(
    query: &IntervalQuery<'_>,
    rows: &[Proximity],
    options: &IntervalOptions,
    cache: &mut PairCache,
    work: &mut Workspace,
    stats: &mut SolverStats,
    out: &mut Vec<IntervalProximity>,
) {
    stats.intervals += u64::from(query.intervals.count_ones());
    let options = &options.for_bodies(query.bodies[0].shape, query.bodies[1].shape);
    let (rows, begin) = (RowsBySample::new(rows), out.len());
    let terms = BlockTerms::new(query, options);
    let mut left = query.intervals;
    let apart = left & !rows.samples & !(rows.samples >> 1);
    match options.between {
        // Both poses that hold are beyond the cut-off.
        BetweenFrames::Hold => left &= !(apart & query.asked & query.asked >> 1),
        // Each alone: how far a body departs differs from interval to interval.
        BetweenFrames::Bounded => {}
        _ => {
            left &= !terms.by_rows(&rows, stats, out);
            if let Some(beside) = cache.hulls.learned.axis {
                left &= !terms.by_axis(left & apart, beside, stats);
            }
        }
    }
    let mut timed = TimedAnswers { terms: &terms, rows: &rows, begin };
    timed.add(work, stats, out);
    let (mut tries, mut last) = (TRIES, None);
    while left != 0 {
        let sample = left.trailing_zeros() as usize;
        left &= left - 1;
        let [a, b] = terms.over(sample);
        let mut ends = terms.end_rows(&rows, sample);
        ends.computed[0] = last.take().filter(|&(at, _)| at == sample).map(|(_, row)| row);
        let solved = solve([&a, &b], terms.jointed(sample), &mut ends, options, PartDivision::default(), work, stats);
        last = ends.computed[1].map(|row| (sample + 1, row));
        let done = match solved {
            Solved::Answer(answer) => {
                timed.push(IntervalProximity { sample: sample as u8, ..answer }, out);
                continue;
            }
            Solved::OfNodes(answer, nearest) => {
                timed.push(IntervalProximity { sample: sample as u8, ..answer }, out);
                if tries == 0 || nearest.others.len() >= COVER {
                    continue;
                }
                let done = terms.by_nodes(left, &rows, &nearest, stats, out);
                timed.add(work, stats, out);
                done
            }
            Solved::Beyond(cover) => {
                if let [SeparatedNodes { nodes: [0, 0], beside }] = cover[..] {
                    let axis = &mut cache.hulls.learned.axis;
                    *axis = axis.map(|_| beside);
                }
                if tries == 0 || cover.is_empty() || cover.len() > COVER {
                    continue;
                }
                terms.by_cover(left & apart, &cover, stats)
            }
        };
        tries = if done == 0 { tries - 1 } else { tries };
        left &= !done;
    }
    debug_assert!(out[begin..].iter().all(IntervalProximity::is_in_order), "ends out of order: {:?}", &out[begin..]);
    out[begin..].sort_unstable_by_key(|answer| answer.sample);
}

/// The answers of a pair. Their times of least distance are as narrow as their brackets explain.
struct TimedAnswers<'q, 'a> {
    terms: &'q BlockTerms<'q, 'a>,
    rows: &'q RowsBySample<'a>,
    /// Index of the first answer whose times are not narrowed yet.
    begin: usize,
}

impl TimedAnswers<'_, '_> {
    /// Appends an answer whose times are already narrow.
    fn push(&mut self, answer: IntervalProximity, out: &mut Vec<IntervalProximity>) {
        out.push(answer);
        self.begin = out.len();
    }

    /// Narrows the times of the appended answers of rows.
    fn add(&mut self, work: &mut Workspace, stats: &mut SolverStats, out: &mut [IntervalProximity]) {
        let (options, is_convex) = (self.terms.options, self.terms.bodies.is_convex());
        for answer in &mut out[self.begin..] {
            let sample = usize::from(answer.sample);
            let sought = SoughtTimes::of_bracket([answer.lower, answer.upper], is_convex, options.touch);
            if are_explained(answer, self.rows.lowers(answer.sample), sought) {
                continue;
            }
            let ([a, b], mut rows) = (self.terms.over(sample), self.terms.end_rows(self.rows, sample));
            let joints = self.terms.jointed(sample);
            *answer = timed_by_rows(*answer, [&a, &b], joints, &mut rows, options, work, stats);
        }
        self.begin = out.len();
    }
}

impl BlockTerms<'_, '_> {
    /// Decides intervals with rows at both ends by the directions of the rows; returns the set of
    /// the decided ones. See [`super::solve`].
    fn by_rows(&self, rows: &RowsBySample<'_>, stats: &mut SolverStats, out: &mut Vec<IntervalProximity>) -> u64 {
        let all = rows.proven_at_both_ends(self.query.intervals);
        if all == 0 {
            return 0;
        }
        let is_convex = self.bodies.is_convex();
        let mut tried = [TriedDirections::new([0.0; 2], is_convex); SAMPLES];
        for sample in (0..SAMPLES as u8).filter(|sample| all >> sample & 1 == 1) {
            tried[usize::from(sample)] = TriedDirections::new(self.uppers(rows, sample), is_convex);
        }
        let mut open = all;
        open &= !self.along_normals(rows, open, 0..1, &mut tried, out);
        if is_convex {
            open &= !self.along_normals(rows, open, 1..FixedIn::ALL.len(), &mut tried, out);
        }
        let done = all & !open;
        stats.intervals_by_row += u64::from(done.count_ones());
        done
    }

    /// Decides intervals by the directions of their rows in these frames; returns the decided ones.
    fn along_normals(
        &self,
        rows: &RowsBySample<'_>,
        of: u64,
        ranks: Range<usize>,
        tried: &mut [TriedDirections; SAMPLES],
        out: &mut Vec<IntervalProximity>,
    ) -> u64 {
        let (hulls, is_convex) = (self.bodies.hulls(), self.bodies.is_convex());
        let (mut done, mut left) = (0_u64, of);
        while left != 0 {
            let (eight, count) = take_eight(&mut left);
            let eight = &eight[..count];
            let motions = self.motions(eight);
            let directions = [true, false].map(|is_nearer| rows.directions(eight, is_nearer));
            let mut open = u8::MAX >> (WIDTH - count);
            for (rank, directions) in ranks.clone().flat_map(|rank| directions.iter().map(move |of| (rank, of))) {
                let bounds = motions.bounds(&hulls, directions, rank);
                open &= bounds.defined;
                for (k, &sample) in eight.iter().enumerate().filter(|(k, _)| open >> k & 1 == 1) {
                    let tried = &mut tried[usize::from(sample)];
                    if let Some(answer) = tried.take(directions.end(k), &bounds.of(k), self.options) {
                        done |= 1 << sample;
                        out.extend(answer.map(|answer| IntervalProximity { sample, ..answer }));
                    }
                }
                open = eight.iter().zip(0..).fold(open, |set, (s, k)| set & !(u8::from(done >> s & 1 == 1) << k));
                if open == 0 || !is_convex {
                    break;
                }
            }
        }
        done
    }

    /// Rules out intervals by a direction beside the line between the origins, and by that line.
    fn by_axis(&self, of: u64, beside: Vec3<f64>, stats: &mut SolverStats) -> u64 {
        let Some(hulls) = self.bodies.hulls_of_nodes([0, 0]) else { return 0 };
        let (mut done, mut left) = (0_u64, of);
        while left != 0 {
            let (eight, count) = take_eight(&mut left);
            let motions = self.motions(&eight[..count]);
            let mut open = u8::MAX >> (WIDTH - count);
            for beside in [beside, Vec3::ZERO] {
                let bounds = motions.bounds(&hulls, &Directions::Beside { middles: [Vec3::ZERO; 2], beside }, 0);
                for (k, &sample) in eight[..count].iter().enumerate() {
                    if open >> k & 1 == 1 && self.are_apart(&bounds, k, self.options.within) {
                        (done, open) = (done | 1 << sample, open & !(1 << k));
                    }
                }
                if open == 0 || beside == Vec3::ZERO {
                    break;
                }
            }
        }
        stats.intervals_by_block += u64::from(done.count_ones());
        done
    }

    /// Rules out intervals by the directions that separated nodes in another one; returns them.
    fn by_cover(&self, of: u64, cover: &[SeparatedNodes], stats: &mut SolverStats) -> u64 {
        let (mut done, mut left) = (0_u64, of);
        while left != 0 {
            let (eight, count) = take_eight(&mut left);
            let motions = self.motions(&eight[..count]);
            let open = self.separated(&motions, cover, [self.options.within; WIDTH], u8::MAX >> (WIDTH - count));
            for (k, &sample) in eight[..count].iter().enumerate() {
                done |= u64::from(open >> k & 1) << sample;
            }
        }
        stats.intervals_by_block += u64::from(done.count_ones());
        done
    }

    /// The lanes in which all nodes of a cover are apart by `within` (metres) and the margin.
    fn separated(&self, motions: &EightMotions, cover: &[SeparatedNodes], within: Lane, of: u8) -> u8 {
        let mut apart = of;
        for &SeparatedNodes { nodes, beside } in cover {
            let Some(hulls) = self.bodies.hulls_of_nodes(nodes) else { return 0 };
            let directions = Directions::Beside { middles: self.bodies.middles(nodes), beside };
            let bounds = motions.bounds(&hulls, &directions, 0);
            for k in 0..WIDTH {
                if apart >> k & 1 == 1 && !self.are_apart(&bounds, k, within[k]) {
                    apart &= !(1 << k);
                }
            }
            if apart == 0 {
                break;
            }
        }
        apart
    }

    /// Decides intervals whose nearer end has the same nearest pieces, by the same nodes; returns
    /// the decided ones. See [`super::solve`].
    fn by_nodes(
        &self,
        of: u64,
        rows: &RowsBySample<'_>,
        nearest: &NearestNodes,
        stats: &mut SolverStats,
        out: &mut Vec<IntervalProximity>,
    ) -> u64 {
        let path = self.bodies.nodes_with(nearest.pieces);
        let mut left = rows.of_pieces(rows.proven_at_both_ends(of), nearest.pieces);
        let mut done = 0_u64;
        while left != 0 {
            let (eight, count) = take_eight(&mut left);
            let eight = &eight[..count];
            let (motions, directions) = (self.motions(eight), rows.directions(eight, true));
            let (mut answers, mut within) = ([None; WIDTH], [0.0; WIDTH]);
            let mut open = u8::MAX >> (WIDTH - count);
            for (nodes, hulls) in &path {
                let (bounds, is_last) = (motions.bounds(hulls, &directions, 0), *nodes == nearest.nodes);
                open &= bounds.defined;
                let mut here = 0;
                for (k, &sample) in eight.iter().enumerate().filter(|(k, _)| open >> k & 1 == 1) {
                    if let Some(answer) = decided(&bounds.of(k), self.uppers(rows, sample), false, self.options) {
                        here |= 1 << k;
                        (answers[k], within[k]) = (answer, answer.map_or(self.options.within, |answer| answer.upper));
                    }
                }
                if is_last {
                    open &= here;
                    break;
                }
                // Nodes above decide these.
                open &= !here;
            }
            let apart = self.separated(&motions, &nearest.others, within, open);
            for (k, &sample) in eight.iter().enumerate().filter(|(k, _)| apart >> k & 1 == 1) {
                done |= 1 << sample;
                out.extend(answers[k].map(|answer| IntervalProximity { sample, ..answer }));
            }
        }
        stats.intervals_by_row += u64::from(done.count_ones());
        done
    }
}

#[cfg(test)]
mod tests;
