//! Bodies of convex pieces on a line: the pairs of pieces in the order in which their balls meet,
//! and the union of their intervals.

use super::convex::{self, MeetingInterval, StartOfLine, meeting_interval, start};
use super::line::{LineMemory, LineOfMotion, PiecesOnLine};
use crate::branch_and_bound::{BestFirst, Part};
use crate::pair::bound_of;
use crate::piece_trees::PieceTrees;
use crate::way_out::{NoProof, first_gap};
use clearsweep_model::{Piece, Shape};
use std::cmp::Ordering;

/// Two nodes of the trees, and the length from which on their balls meet, metres.
#[derive(Debug, Clone, Copy)]
struct BallsMeet {
    begin: f64,
    nodes: [u32; 2],
}

impl Part for BallsMeet {
    /// Balls that meet earlier come first.
    fn order(&self, other: &Self) -> Ordering {
        other.begin.total_cmp(&self.begin).then(other.nodes.cmp(&self.nodes))
    }
}

/// The pairs of pieces that may meet.
struct PairsOnLine<'a> {
    line: &'a LineOfMotion,
    bodies: [&'a Shape; 2],
    trees: PieceTrees<'a>,
    margin: f64,
    open: BestFirst<BallsMeet>,
}

impl<'a> PairsOnLine<'a> {
    fn new(line: &'a LineOfMotion, bodies: [&'a Shape; 2], margin: f64) -> Self {
        let size = bodies[0].radius + bodies[1].radius + line.relative.t.length();
        let mut pairs = Self {
            line,
            bodies,
            trees: PieceTrees::new(bodies),
            margin: margin + 2.0 * bound_of::<f64>(size),
            open: BestFirst::default(),
        };
        pairs.put([0, 0]);
        pairs
    }

    /// The next pair that may meet at a length up to `limit`, metres.
    fn next(&mut self, limit: f64) -> Option<[&'a Piece; 2]> {
        while let Some(BallsMeet { nodes, .. }) = self.open.next_unless(|part| part.begin > limit) {
            if let Some([i, j]) = self.trees.pieces(nodes) {
                return Some([&self.bodies[0].pieces[i as usize], &self.bodies[1].pieces[j as usize]]);
            }
            self.trees.children(nodes).into_iter().flatten().for_each(|nodes| self.put(nodes));
        }
        None
    }

    /// Keeps two nodes whose balls meet at a length from 0 on.
    fn put(&mut self, nodes: [u32; 2]) {
        let [a, b] = self.trees.nodes(nodes);
        let between = self.line.relative.point(b.middle) - a.middle;
        let middle = -between.dot(self.line.along);
        let aside = (between + self.line.along.scale(middle)).length();
        // The middle is off by the rounding of the pair, and by less than a unit of its own size.
        let reach = (a.radius + b.radius + self.margin) * (1.0 + 1e-12) + 1e-14 * middle.abs();
        if aside <= reach {
            let half = (reach * reach - aside * aside).sqrt() * (1.0 + 1e-12) + 1e-12 * reach;
            let (begin, end) = ((middle - half).max(0.0), middle + half);
            if end >= 0.0 {
                self.open.push(BallsMeet { begin, nodes });
            }
        }
    }
}

/// Bounds of the lengths at which two bodies meet.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnionOnLine {
    pub(super) start: StartOfLine,
    /// They meet not before the first, and by the second: metres, infinite without a proof.
    pub(super) first: [f64; 2],
    /// They overlap from 0 up to the first without a break, and at most to the second, metres.
    pub(super) chain: [f64; 2],
}

/// The union of the intervals of all pairs that matter. `margins`: see [`meeting_interval`].
///
/// # Errors
/// Nothing is proven.
pub(super) fn union(
    line: &LineOfMotion,
    bodies: [&Shape; 2],
    margins: [f64; 2],
    memory: &mut LineMemory,
) -> Result<UnionOnLine, NoProof> {
    let mut pairs = PairsOnLine::new(line, bodies, margins[0]);
    let mut intervals = PairIntervals { line, margins, memory, start: StartOfLine::Apart, all: Vec::new() };
    while let Some(pair) = pairs.next(0.0) {
        intervals.add(pair)?;
    }
    let mut first = intervals.first();
    if intervals.start != StartOfLine::Overlap {
        while let Some(pair) = pairs.next(first[1]) {
            intervals.add(pair)?;
            first = intervals.first();
        }
    }
    let mut end = 0.0;
    if intervals.start != StartOfLine::Apart {
        end = first_gap(intervals.chain_end(), |end| {
            while let Some(pair) = pairs.next(end) {
                intervals.add(pair)?;
            }
            Ok(intervals.chain_end())
        })?;
    }
    Ok(UnionOnLine { start: intervals.start, first, chain: [intervals.proven_chain().min(end), end] })
}

/// How two bodies begin, and when they meet first.
#[derive(Debug, Clone, Copy)]
pub(super) struct FirstMeeting {
    pub(super) start: StartOfLine,
    /// Before the first length they do not meet; they do by the second, at 0 or later: metres,
    /// infinite if never, or without a proof.
    pub(super) first: [f64; 2],
    /// They are proven to overlap by more than `depth` before the motion.
    pub(super) is_deep: bool,
    /// It is open whether contact before the motion is contact of the true bodies: deviations, a
    /// body inside of an open mesh.
    pub(super) is_vague: bool,
}

impl FirstMeeting {
    /// Nothing is known but that they may meet.
    pub(super) const OPEN: Self =
        Self { start: StartOfLine::Contact, first: [0.0, f64::INFINITY], is_deep: false, is_vague: true };

    /// They never meet.
    pub(super) const NEVER: Self =
        Self { start: StartOfLine::Apart, first: [f64::INFINITY; 2], is_deep: false, is_vague: false };

    /// The first meeting with either of two bodies.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            start: self.start.or(other.start),
            first: [0, 1].map(|k| self.first[k].min(other.first[k])),
            is_deep: self.is_deep || other.is_deep,
            is_vague: self.is_vague || other.is_vague,
        }
    }
}

/// Whether two pieces are proven to overlap before the motion. `margins`: as in
/// [`meeting_interval`].
///
/// # Errors
/// Nothing is proven.
pub(super) fn overlap(
    line: &LineOfMotion,
    bodies: [&Shape; 2],
    margins: [f64; 2],
    memory: &mut LineMemory,
) -> Result<bool, NoProof> {
    let mut pairs = PairsOnLine::new(line, bodies, margins[0]);
    while let Some([a, b]) = pairs.next(0.0) {
        if start(&mut PiecesOnLine::new(line, a, b, memory), margins)? == StartOfLine::Overlap {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The first meeting of all pairs of pieces. `margins`: as in [`meeting_interval`]; if the second
/// is minus infinity, only the lower end is looked for. `depth`: bodies that overlap are deep if
/// they overlap by more, metres.
///
/// # Errors
/// Nothing is proven.
pub(super) fn first_meeting(
    line: &LineOfMotion,
    bodies: [&Shape; 2],
    margins: [f64; 2],
    depth: f64,
    memory: &mut LineMemory,
) -> Result<FirstMeeting, NoProof> {
    let is_lower_only = margins[1] == f64::NEG_INFINITY;
    let mut pairs = PairsOnLine::new(line, bodies, margins[0]);
    let mut met = FirstMeeting::NEVER;
    // A pair that may only meet later does not move the end that is looked for.
    while let Some([a, b]) = pairs.next(met.first[usize::from(!is_lower_only)]) {
        let mut pieces = PiecesOnLine::new(line, a, b, memory);
        let now = start(&mut pieces, margins)?;
        if now == StartOfLine::Overlap {
            let is_deep = start(&mut pieces, [margins[0], margins[1] - depth])? == StartOfLine::Overlap;
            return Ok(FirstMeeting { start: now, first: [0.0; 2], is_deep, ..met });
        }
        if now == StartOfLine::Contact {
            met.start = now;
            met.first[0] = 0.0;
            if is_lower_only {
                return Ok(met);
            }
        }
        if let Some(meeting) = convex::first_meeting(&mut pieces, now, margins)? {
            met.first = [met.first[0].min(meeting[0]), met.first[1].min(meeting[1])];
        }
    }
    Ok(met)
}

/// The intervals of the pairs solved so far.
struct PairIntervals<'a> {
    line: &'a LineOfMotion,
    margins: [f64; 2],
    memory: &'a mut LineMemory,
    start: StartOfLine,
    all: Vec<MeetingInterval>,
}

impl PairIntervals<'_> {
    fn add(&mut self, [a, b]: [&Piece; 2]) -> Result<(), NoProof> {
        let mut pieces = PiecesOnLine::new(self.line, a, b, self.memory);
        let now = start(&mut pieces, self.margins)?;
        self.start = self.start.or(now);
        self.all.extend(meeting_interval(&mut pieces, now, self.margins)?);
        Ok(())
    }

    /// The first meeting of any pair: not before, and by.
    fn first(&self) -> [f64; 2] {
        let least = |end: fn(&MeetingInterval) -> f64| self.all.iter().map(end).fold(f64::INFINITY, f64::min);
        [least(|interval| interval.outer[0]), least(|interval| interval.inner[0])]
    }

    /// Returns the end of the intervals from 0 on without a proven gap, metres.
    fn chain_end(&self) -> f64 {
        reached(self.all.iter().map(|interval| interval.outer), |begin, end| begin <= end)
    }

    /// Returns the end of the proven intervals from 0 on, each beginning inside of those before.
    fn proven_chain(&self) -> f64 {
        let is_inside = |begin: f64, end: f64| begin < end || begin < 0.0;
        reached(self.all.iter().map(|interval| interval.inner), is_inside)
    }
}

/// The end of a chain of intervals from 0 on.
fn reached(intervals: impl Iterator<Item = [f64; 2]>, follows: impl Fn(f64, f64) -> bool) -> f64 {
    let mut sorted: Vec<[f64; 2]> = intervals.collect();
    sorted.sort_by(|x, y| x[0].total_cmp(&y[0]));
    let mut end = 0.0_f64;
    for [begin, last] in sorted {
        if !follows(begin, end) {
            break;
        }
        end = end.max(last);
    }
    end
}
