//! The times of least distance. At all others the bodies are beyond the bracket.
//!
//! The parts that may reach the upper end are visited from both ends of the interval inward. The
//! outermost part is divided until a time near it is known at which the distance may be the least
//! one.

use super::search::{IntervalPart, IntervalSearch, PartOf};
use super::sought_times::SoughtTimes;
use crate::branch_and_bound::{BestFirst, Part};
use clearsweep_model::IntervalProximity;
use std::cmp::Ordering;

/// Shares of the interval to which the times are found.
const RESOLUTION: f64 = 1.0 / 256.0;

/// Distances computed for each end of them, at most.
const WORK_LIMIT: u32 = 24;

/// Parts divided for each end of them, at most.
const MOST_PARTS: u32 = 1024;

/// Whether the lower ends at both ends of the interval explain the times of an answer.
pub(super) fn are_explained(answer: &IntervalProximity, lowers: [f64; 2], sought: SoughtTimes) -> bool {
    let first = if lowers[0] <= sought.explained { 0.0 } else { 1.0 };
    let last = if lowers[1] <= sought.explained { 1.0 } else { 0.0 };
    let [from, to] = answer.closest;
    from >= first - RESOLUTION && to <= last + RESOLUTION
}

/// The shares that two spans of times have in common. Both contain the times of least distance.
pub(super) fn common([from, to]: [f64; 2], [first, last]: [f64; 2]) -> [f64; 2] {
    let both = [from.max(first), to.min(last)];
    debug_assert!(both[0] <= both[1], "no time of least distance: {from} .. {to} and {first} .. {last}");
    if both[0] <= both[1] { both } else { [0.0, 1.0] }
}

impl IntervalPart {
    /// The shares of the interval outside of which the part is above a level.
    fn times_below(&self, level: f64) -> [f64; 2] {
        let length = self.end - self.start;
        let [first, last] = self.bound.where_below(level);
        // Rounded outward.
        let from = if first > 0.0 { (self.start + first * length).next_down().max(self.start) } else { self.start };
        let to = if last < 1.0 { (self.start + last * length).next_up().min(self.end) } else { self.end };
        [from, to]
    }
}

/// One end of the times of least distance.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TimesEdge {
    First,
    Last,
}

impl TimesEdge {
    fn other(self) -> Self {
        if self == Self::First { Self::Last } else { Self::First }
    }

    /// The end of a span of times that is this one.
    fn of(self, span: [f64; 2]) -> f64 {
        span[self as usize]
    }

    /// Returns the outer one of two times.
    fn outer(self, one: f64, other: f64) -> f64 {
        if self == Self::First { one.min(other) } else { one.max(other) }
    }

    /// Returns the inner one of two times.
    fn inner(self, one: f64, other: f64) -> f64 {
        if self == Self::First { one.max(other) } else { one.min(other) }
    }

    /// Returns by how much a time is farther in than another one.
    fn depth(self, from: f64, to: f64) -> f64 {
        if self == Self::First { to - from } else { from - to }
    }
}

/// A part that may reach the level. The outermost comes first, and of equal ones the first found.
#[derive(Clone, Copy)]
struct OutermostFirst {
    part: IntervalPart,
    /// The shares of the interval outside of which the part is above the level.
    times: [f64; 2],
    edge: TimesEdge,
    number: u32,
}

impl Part for OutermostFirst {
    fn order(&self, other: &Self) -> Ordering {
        let [own, its] = [self, other].map(|part| part.edge.of(part.times));
        self.edge.depth(own, its).total_cmp(&0.0).then(other.number.cmp(&self.number))
    }
}

impl IntervalSearch<'_, '_> {
    /// The shares within `times` outside of which all parts (of the interval) are above the level.
    pub(super) fn times_below(
        &mut self,
        mut parts: Vec<IntervalPart>,
        sought: SoughtTimes,
        times: [f64; 2],
    ) -> [f64; 2] {
        self.sought = Some(sought);
        self.open.clear();
        let first = self.edge_of_times(TimesEdge::First, &mut parts, sought, times[0]);
        let last = self.edge_of_times(TimesEdge::Last, &mut parts, sought, times[1]);
        self.sought = None;
        common(times, [first, last])
    }

    /// One end of the times, not before `time`. Leaves the parts that may reach the level.
    fn edge_of_times(
        &mut self,
        edge: TimesEdge,
        parts: &mut Vec<IntervalPart>,
        sought: SoughtTimes,
        mut time: f64,
    ) -> f64 {
        let limit = self.computed + WORK_LIMIT;
        let (mut number, mut open) = (0, BestFirst::default());
        let mut push = |open: &mut BestFirst<OutermostFirst>, part: IntervalPart| {
            if part.lower <= sought.level {
                let times = part.times_below(sought.level);
                open.push(OutermostFirst { part, times, edge, number });
                number += 1;
            }
        };
        parts.drain(..).for_each(|part| push(&mut open, part));
        for _ in 0..MOST_PARTS {
            let Some(OutermostFirst { part, times, .. }) = open.next_unless(|_| false) else { break };
            if edge.depth(time, edge.other().of(times)) < 0.0 {
                continue;
            }
            time = edge.inner(time, edge.of(times));
            let explained = self.explained_times(sought).reduce(|one, other| edge.outer(one, other));
            let explained = explained.unwrap_or(edge.other().of([0.0, 1.0]));
            let is_done = edge.depth(time, explained) <= RESOLUTION || self.computed >= limit;
            if is_done || !self.divide_for_times(&part, edge, time, explained, times) {
                parts.push(part);
                break;
            }
            self.open.drain().for_each(|part| push(&mut open, part));
        }
        parts.extend(open.drain().map(|open| open.part));
        time
    }

    /// The times that are explained.
    fn explained_times(&self, sought: SoughtTimes) -> impl Iterator<Item = f64> {
        let nodes = self.leaves.iter().flat_map(|leaf| &leaf.nodes).chain(&self.ends);
        let nodes = nodes.filter(move |node| node.lower <= sought.explained && node.upper < f64::INFINITY);
        let measured = self.surfaces.iter().flat_map(move |surfaces| surfaces.times_within(sought.explained));
        nodes.map(|node| node.share).chain(measured)
    }

    /// Replaces a part by its parts: in time at the middle between the edge and the explained
    /// times. Returns false if it cannot be divided.
    fn divide_for_times(
        &mut self,
        part: &IntervalPart,
        edge: TimesEdge,
        time: f64,
        explained: f64,
        times: [f64; 2],
    ) -> bool {
        let PartOf::Leaf { leaf, from, to } = part.of else {
            self.divide(part);
            return true;
        };
        if self.has_surfaces() {
            self.begin_surfaces(part);
            return true;
        }
        if self.divide_sector(leaf, part) {
            return true;
        }
        let share = 0.5 * (time + edge.outer(explained, edge.other().of(times)));
        if share <= part.start || share >= part.end {
            return false;
        }
        let between = self.evaluate(leaf, share);
        self.push(leaf, [from, between], part.lower, false);
        self.push(leaf, [between, to], part.lower, false);
        true
    }
}
