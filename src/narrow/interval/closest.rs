//! The times of least distance: at all others the bodies are proven to be farther apart than the upper end of the bracket.
//!
//! The parts that may reach the upper end are looked at from both ends of the interval inward. The outermost part is divided until a time
//! near it is known at which the bracket leaves open whether the distance is the least one.

use super::answer::IntervalProximity;
use super::search::{IntervalPart, IntervalSearch, PartOf};

/// Shares of the interval to which the times are found.
const RESOLUTION: f64 = 1.0 / 256.0;

/// Distances computed for them, at most.
const WORK_LIMIT: u32 = 48;

/// Parts divided for them, at most.
const MOST_PARTS: u32 = 1024;

/// What is sought of the times of least distance, metres.
#[derive(Debug, Clone, Copy)]
pub(super) struct SoughtTimes {
    /// Times at which the bodies are proven to be farther apart are left out.
    pub(super) level: f64,
    /// A time is explained if the lower end of its distance is at most this: nothing is gained by leaving it out.
    pub(super) explained: f64,
}

impl SoughtTimes {
    /// Of a bracket of the least distance. While bodies that are not convex overlap, bounds of their parts say nothing of the depth: these
    /// tell that the bodies are apart.
    /// `touch`: up to which distance bodies touch.
    pub(super) fn of_bracket([lower, upper]: [f64; 2], is_convex: bool, touch: f64) -> Self {
        let level = if is_convex { upper } else { upper.max(0.0) };
        let least = if upper <= touch && !is_convex { touch } else { level };
        Self { level, explained: least.max(upper + (upper - lower)) }
    }
}

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
enum Edge {
    First,
    Last,
}

impl Edge {
    /// The end of a span of times that is this one.
    fn of(self, span: [f64; 2]) -> f64 {
        span[self as usize]
    }

    /// Of two times the one farther out.
    fn outer(self, one: f64, other: f64) -> f64 {
        if self == Self::First { one.min(other) } else { one.max(other) }
    }

    /// Of two times the one farther in.
    fn inner(self, one: f64, other: f64) -> f64 {
        if self == Self::First { one.max(other) } else { one.min(other) }
    }

    /// How much farther in a time is than another one.
    fn depth(self, from: f64, to: f64) -> f64 {
        if self == Self::First { to - from } else { from - to }
    }
}

impl IntervalSearch<'_, '_> {
    /// The shares within `times` outside of which all parts are above what is sought. `parts`: those that cover the interval.
    pub(super) fn times_below(
        &mut self,
        parts: impl IntoIterator<Item = IntervalPart>,
        sought: SoughtTimes,
        times: [f64; 2],
    ) -> [f64; 2] {
        let mut parts: Vec<_> = parts.into_iter().filter(|part| part.lower <= sought.level).collect();
        (self.sought, self.divided_for_times) = (Some(sought), 0);
        self.open.clear();
        let limit = self.computed + WORK_LIMIT / 2;
        let first = self.edge_of_times(Edge::First, &mut parts, sought, (times[0], limit));
        let limit = self.computed + WORK_LIMIT / 2;
        let last = self.edge_of_times(Edge::Last, &mut parts, sought, (times[1], limit));
        self.sought = None;
        common(times, [first, last])
    }

    /// One end of the times; `known`: no time is farther out.
    fn edge_of_times(
        &mut self,
        edge: Edge,
        parts: &mut Vec<IntervalPart>,
        sought: SoughtTimes,
        (known, limit): (f64, u32),
    ) -> f64 {
        let mut time = known;
        loop {
            let inner = Edge::of(if edge == Edge::First { Edge::Last } else { Edge::First }, [0.0, 1.0]);
            parts.retain(|part| {
                let [from, to] = part.times_below(sought.level);
                from <= to && edge.depth(time, if edge == Edge::First { to } else { from }) >= 0.0
            });
            let ends = |part: &IntervalPart| edge.inner(time, edge.of(part.times_below(sought.level)));
            let Some(outermost) = parts.iter().map(ends).reduce(|one, other| edge.outer(one, other)) else {
                return time;
            };
            let at = parts.iter().position(|part| ends(part) == outermost).unwrap_or(0);
            time = outermost;
            let explained = self.explained_times(sought).reduce(|one, other| edge.outer(one, other)).unwrap_or(inner);
            let is_done = edge.depth(time, explained) <= RESOLUTION;
            if is_done || self.computed >= limit || self.divided_for_times >= MOST_PARTS {
                return time;
            }
            self.divided_for_times += 1;
            let part = parts[at];
            if !self.divide_for_times(&part, (edge, time, explained), sought) {
                return time;
            }
            parts.swap_remove(at);
            parts.extend(self.open.drain().filter(|part| part.lower <= sought.level));
        }
    }

    /// The times that are explained.
    fn explained_times(&self, sought: SoughtTimes) -> impl Iterator<Item = f64> {
        let nodes = self.leaves.iter().flat_map(|leaf| &leaf.nodes).chain(&self.ends);
        let nodes = nodes.filter(move |node| node.lower <= sought.explained && node.upper < f64::INFINITY);
        let measured = self.surfaces.iter().flat_map(move |surfaces| surfaces.times_within(sought.explained));
        nodes.map(|node| node.share).chain(measured)
    }

    /// Replaces a part by its parts, a part in time at the middle between the edge and what is explained; false if it cannot be divided.
    fn divide_for_times(
        &mut self,
        part: &IntervalPart,
        (edge, time, explained): (Edge, f64, f64),
        sought: SoughtTimes,
    ) -> bool {
        let PartOf::Leaf { leaf, from, to } = part.of else {
            self.divide(part);
            return true;
        };
        if self.has_surfaces() {
            self.begin_surfaces(part);
            return true;
        }
        let [first, last] = part.times_below(sought.level);
        let inner = edge.outer(explained, if edge == Edge::First { last } else { first });
        let share = 0.5 * (time + inner);
        if share <= part.start || share >= part.end {
            return false;
        }
        let between = self.evaluate(leaf, share);
        self.push(leaf, [from, between], part.lower, false);
        self.push(leaf, [between, to], part.lower, false);
        true
    }
}
