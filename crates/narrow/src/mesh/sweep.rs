//! The ways out along one direction: the lengths by which B can be moved so that no triangles meet.
//!
//! The trees give the intervals of `way_out.rs` in the order of their begins, so the sweep has two
//! heaps: pairs that may meet at the present length, triangles before boxes, and pairs that may
//! meet later. Triangles that meet are followed to the end of their interval. This order over
//! lengths is no branch and bound: the limit moves forward with the lengths.

mod chords;

pub(super) use chords::SharedPoint;

use super::bounds::{IntervalCache, child_intervals, children};
use super::place::MeshPlace;
use super::triangle_pair::{self, TriangleCorners};
use crate::branch_and_bound::{BestFirst, Part};
use crate::way_out::{first_gap, interval_end};
use clearsweep_base::simd::dispatch;
use clearsweep_geometry::Vec3;
use clearsweep_geometry::mesh::{Child, Intervals, NodeId, SearchFrame, WIDTH};
use std::cmp::Ordering;

/// Steps towards the end of an interval, at most; any number of them leaves a length beyond it.
const STEPS: usize = 24;

/// Steps shorter than this end the approach, in widths of a sharp bracket.
const SHORT: f64 = 0.1;

/// Working memory of sweeps.
#[derive(Debug, Default)]
pub(super) struct SweepMemory {
    intervals: [IntervalCache; 2],
    meeting: BestFirst<Smallest>,
    later: BestFirst<BeginsFirst>,
    spans: Spans,
    /// Nodes that a ray still has to look at.
    open: Vec<NodeId>,
    /// The triangles that were followed.
    met: Vec<[u32; 2]>,
}

impl SweepMemory {
    /// The triangles that the last sweep followed, in order.
    pub(super) fn met(&self) -> &[[u32; 2]] {
        &self.met
    }
}

/// The first and the last length at which boxes meet: row `i` has child `i` of A against each child
/// of B. The last is below the first where they never do.
#[derive(Debug, Default)]
struct Spans {
    begin: [[f64; WIDTH]; WIDTH],
    end: [[f64; WIDTH]; WIDTH],
}

/// Two nodes or two triangles, and the lengths at which they may meet, metres.
#[derive(Debug, Clone, Copy)]
struct MeetingLengths {
    begin: f64,
    end: f64,
    /// Depth below the roots; 0 if the order does not use it.
    level: u32,
    pair: SweptPair,
}

/// Two nodes or two triangles that may meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SweptPair {
    Nodes([NodeId; 2]),
    Triangles([u32; 2]),
}

/// In the order of the present: what was opened most often comes first, then what ends last.
#[derive(Debug, Clone, Copy)]
struct Smallest(MeetingLengths);

/// In the order of the future: what begins first comes first.
#[derive(Debug, Clone, Copy)]
struct BeginsFirst(MeetingLengths);

impl Part for Smallest {
    fn order(&self, other: &Self) -> Ordering {
        self.0.level.cmp(&other.0.level).then(self.0.end.total_cmp(&other.0.end)).then(self.0.pair.cmp(&other.0.pair))
    }
}

impl Part for BeginsFirst {
    fn order(&self, other: &Self) -> Ordering {
        other.0.begin.total_cmp(&self.0.begin).then(self.0.pair.cmp(&other.0.pair))
    }
}

/// Lengths at which nothing meets, metres.
#[derive(Debug, Clone, Copy)]
pub(super) struct FreeLengths {
    pub from: f64,
    /// Infinite if nothing meets beyond.
    pub to: f64,
}

/// Order in which pairs that may meet at one length are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MeetingOrder {
    /// Triangles before boxes: a pair in the way is soon found, and its neighbours next.
    SmallestFirst,
    /// The pair that may be in the way for longest first.
    LastEndFirst,
}

/// A sweep of B along a direction.
pub(super) struct Sweep<'a> {
    place: &'a MeshPlace<'a>,
    n: Vec3<f64>,
    frames: [SearchFrame; 2],
    /// Triangles that are no farther apart meet, metres.
    reach: f64,
    /// Lengths from here on are of no interest, metres.
    limit: f64,
    /// All lengths before this one are dealt with, metres.
    at: f64,
    /// Least length at which a pair that was left out may begin to meet, metres.
    left_out: f64,
    /// Whether nothing met since free lengths were found.
    is_idle: bool,
    order: MeetingOrder,
    /// Across which plane the triangles part that met last: unit, A's frame.
    parted: Option<Vec3<f64>>,
    memory: &'a mut SweepMemory,
}

impl<'a> Sweep<'a> {
    /// Along `n` (unit, A's frame), by lengths from `from` to below `limit`, metres.
    pub(super) fn new(
        place: &'a MeshPlace<'a>,
        n: Vec3<f64>,
        [from, limit]: [f64; 2],
        order: MeetingOrder,
        memory: &'a mut SweepMemory,
    ) -> Self {
        let axes = SearchFrame::along(n);
        memory.intervals.iter_mut().zip([place.a, place.b]).for_each(|(cache, mesh)| cache.clear(mesh));
        memory.meeting.clear();
        memory.later.clear();
        memory.met.clear();
        let mut sweep = Self {
            place,
            n,
            frames: [axes, axes.in_b(&place.pose)],
            reach: Self::reach(place, limit),
            limit,
            at: from,
            left_out: f64::INFINITY,
            is_idle: false,
            order,
            parted: None,
            memory,
        };
        sweep.put(MeetingLengths {
            begin: f64::NEG_INFINITY,
            end: f64::INFINITY,
            level: 0,
            pair: SweptPair::Nodes([place.a.root(), place.b.root()]),
        });
        sweep
    }

    /// Triangles that are farther apart than this are proven to be apart by more than the growth
    /// wherever B is moved by less than `limit`, metres.
    fn reach(place: &MeshPlace<'_>, limit: f64) -> f64 {
        let far = MeshPlace { size: place.size + limit, ..*place };
        place.growth + far.slack() + 2.0 * far.sharp()
    }

    /// The next lengths at which nothing meets, below the limit.
    pub(super) fn next_free(&mut self) -> Option<FreeLengths> {
        while self.at < self.limit {
            if let Some(span) = self.next_at_present() {
                self.open(span);
                continue;
            }
            let later = self.memory.later.first().map_or(f64::INFINITY, |span| span.0.begin);
            let free = FreeLengths { from: self.at, to: later.min(self.left_out) };
            if free.to.is_finite() && std::mem::replace(&mut self.is_idle, true) {
                // The same as before: what was inside then is inside now.
                self.skip_to(free.to);
                continue;
            }
            return Some(free);
        }
        None
    }

    /// Takes the next of what may meet at the present length.
    fn next_at_present(&mut self) -> Option<MeetingLengths> {
        while let Some(BeginsFirst(span)) = self.memory.later.next_unless(|span| span.0.begin > self.at) {
            self.memory.meeting.push(Smallest(span));
        }
        while let Some(Smallest(span)) = self.memory.meeting.next_unless(|_| false) {
            if span.end > self.at {
                return Some(span);
            }
        }
        None
    }

    /// The next triangles that meet, or are not proven to be apart, and the length from which on
    /// they are not, metres; `None` if there are none up to `last`. They are given once, and
    /// lengths before are dealt with.
    pub(super) fn first_meeting(&mut self, last: f64) -> Option<([u32; 2], f64)> {
        while self.at < self.limit && self.at <= last {
            let Some(span) = self.next_at_present() else {
                self.at = self.memory.later.first()?.0.begin;
                continue;
            };
            let SweptPair::Triangles(met) = span.pair else {
                self.open(span);
                continue;
            };
            let triangles = [self.place.a.corners(met[0]), self.place.corners_b(met[1])];
            match self.separation_at(&triangles, self.at) {
                None => return Some((met, self.at)),
                Some((normal, beyond)) => self.approach(span, normal, beyond),
            }
        }
        None
    }

    /// Follows triangles that are likely in the way, the last first, as long as one pair is.
    pub(super) fn try_first(&mut self, pairs: &[[u32; 2]]) {
        let followed = first_gap(self.at, |_| {
            self.follow_each(pairs);
            Ok(self.at)
        });
        self.at = followed.unwrap_or(self.at);
    }

    fn follow_each(&mut self, pairs: &[[u32; 2]]) {
        for &[a, b] in pairs.iter().rev() {
            if self.at >= self.limit {
                break;
            }
            let triangles = [self.place.a.corners(a), self.place.corners_b(b)];
            // Beyond it their supporting planes across the direction are as far apart as the reach.
            let end = self.reach - triangle_pair::separation(&triangles[0], &triangles[1], self.n);
            if end > self.at && self.separation_at(&triangles, self.at).is_none() {
                self.memory.met.push([a, b]);
                self.follow(&triangles, end);
            }
        }
    }

    /// The level of the parts of what is at `level`.
    fn next_level(&self, level: u32) -> u32 {
        match self.order {
            MeetingOrder::SmallestFirst => level + 1,
            MeetingOrder::LastEndFirst => 0,
        }
    }

    /// Goes on from a length, metres.
    pub(super) fn skip_to(&mut self, length: f64) {
        self.at = self.at.max(length);
    }

    /// The normal of the plane across which the triangles part that met last.
    pub(super) fn parted(&self) -> Option<Vec3<f64>> {
        self.parted
    }

    /// Keeps what may meet.
    fn put(&mut self, span: MeetingLengths) {
        if span.end <= self.at || span.end < span.begin {
            return;
        }
        if span.begin >= self.limit {
            self.left_out = self.left_out.min(span.begin);
        } else if span.begin <= self.at {
            self.memory.meeting.push(Smallest(span));
        } else {
            self.memory.later.push(BeginsFirst(span));
        }
    }

    /// Opens a pair that may meet at the present length: keeps its parts, or follows triangles.
    fn open(&mut self, span: MeetingLengths) {
        match span.pair {
            SweptPair::Nodes(nodes) => self.open_nodes(nodes, span.level),
            SweptPair::Triangles([a, b]) => {
                let triangles = [self.place.a.corners(a), self.place.corners_b(b)];
                match self.separation_at(&triangles, self.at) {
                    None => {
                        self.memory.met.push([a, b]);
                        self.follow(&triangles, span.end);
                    }
                    Some((normal, beyond)) => self.approach(span, normal, beyond),
                }
            }
        }
    }

    /// Keeps the children of two nodes, or those of one with the whole other: of a leaf, unless
    /// both are, and of what is much smaller than the other.
    fn open_nodes(&mut self, nodes: [NodeId; 2], level: u32) {
        let mut filled = std::mem::take(&mut self.memory.spans);
        let ([a, b], whole) = child_intervals(&mut self.memory.intervals, self.place, &self.frames, nodes);
        let rows = if whole[0] { 1 } else { WIDTH };
        spans(a, b, rows, self.reach, &mut filled);
        for i in 0..rows {
            for j in 0..WIDTH {
                let (begin, end) = (filled.begin[i][j], filled.end[i][j]);
                if begin <= end && end > self.at {
                    let pair = self.parts(nodes, whole, [i as u8, j as u8]);
                    self.put(MeetingLengths { begin, end, level: self.next_level(level), pair });
                }
            }
        }
        self.memory.spans = filled;
    }

    /// The children in two lanes, the triangles of two leaves, or the nodes that are taken whole.
    fn parts(&self, nodes: [NodeId; 2], whole: [bool; 2], lanes: [u8; 2]) -> SweptPair {
        if let [Child::Leaf(a), Child::Leaf(b)] = nodes.map(NodeId::get) {
            let starts = [self.place.a.leaf(a).start, self.place.b.leaf(b).start];
            return SweptPair::Triangles([0, 1].map(|k: usize| starts[k] + u32::from(lanes[k])));
        }
        SweptPair::Nodes(children(self.place, nodes, whole, lanes))
    }

    /// The unit normal, from A to B, of a plane that keeps two triangles apart by more than the
    /// reach where B's is moved by `length`, and by how much more, metres. `None`: they meet, or
    /// nothing proves that they do not.
    fn separation_at(&self, [a, b]: &[TriangleCorners<f64>; 2], length: f64) -> Option<(Vec3<f64>, f64)> {
        let shift = self.n.scale(length);
        let b = b.map(|p| p + shift);
        let closest = triangle_pair::closest_points(a, &b);
        let (normal, gap) = triangle_pair::separating(a, &b, &closest, self.reach)?;
        (gap > self.reach).then_some((normal, gap - self.reach))
    }

    /// Goes on to the end of the interval of triangles that meet now, and not beyond `end`.
    fn follow(&mut self, triangles: &[TriangleCorners<f64>; 2], end: f64) {
        self.is_idle = false;
        let short = SHORT * self.place.sharp();
        self.at = interval_end(end, self.at, short, STEPS, |length| {
            let (normal, beyond) = self.separation_at(triangles, length)?;
            let step = beyond / self.n.dot(normal);
            self.parted = if step >= 0.0 { Some(normal) } else { self.parted };
            Some(step)
        });
    }

    /// Keeps triangles that are apart at the present length until they may meet.
    fn approach(&mut self, span: MeetingLengths, normal: Vec3<f64>, beyond: f64) {
        // The distance is a convex function: what does not come nearer now never will.
        let nearing = -self.n.dot(normal);
        if nearing <= 0.0 {
            return;
        }
        let short = SHORT * self.place.sharp();
        self.put(MeetingLengths { begin: self.at + (beyond / nearing).max(short), ..span });
    }
}

dispatch!(loops spans, spans_in, (a: &Intervals, b: &Intervals, rows: usize, reach: f64, to: &mut Spans) -> ());

#[inline(always)] // into code for wider registers
fn spans_in(a: &Intervals, b: &Intervals, rows: usize, reach: f64, to: &mut Spans) {
    for i in 0..rows {
        let (mut begin, mut end) = ([0.0; WIDTH], [0.0; WIDTH]);
        for j in 0..WIDTH {
            begin[j] = a.low[0][i] - b.high[0][j] - reach;
            end[j] = a.high[0][i] - b.low[0][j] + reach;
        }
        for k in 1..3 {
            let (low, high) = (a.low[k][i] - reach, a.high[k][i] + reach);
            for j in 0..WIDTH {
                let misses = b.low[k][j] > high || low > b.high[k][j];
                end[j] = if misses { f64::NEG_INFINITY } else { end[j] };
            }
        }
        (to.begin[i], to.end[i]) = (begin, end);
    }
}

#[cfg(test)]
mod tests {
    use super::super::point_bounds::tests::{Draw, soup};
    use super::*;
    use clearsweep_geometry::{Pose, RelativePose};

    /// Whether any triangles are nearer than `reach` when B is moved by `shift`: tests all pairs
    /// but those whose boxes are farther apart.
    fn meets(place: &MeshPlace<'_>, shift: Vec3<f64>, reach: f64) -> bool {
        let b: Vec<_> = (0..place.b.triangles().len())
            .map(|index| place.corners_b(index as u32).map(|p| p + shift))
            .map(|corners| (corners, bounds(&corners)))
            .collect();
        (0..place.a.triangles().len()).any(|index| {
            let a = place.a.corners(index as u32);
            let [low, high] = bounds(&a);
            b.iter().any(|(b, [low_b, high_b])| {
                let are_near = (0..3).all(|k| low_b[k] - high[k] <= reach && low[k] - high_b[k] <= reach);
                are_near && triangle_pair::closest_points(&a, b).distance2 <= reach * reach
            })
        })
    }

    /// Returns the lowest and the highest coordinates of a triangle.
    fn bounds(corners: &TriangleCorners<f64>) -> [[f64; 3]; 2] {
        let [p, q, r] = corners.map(|corner| corner.to_array());
        [std::array::from_fn(|k| p[k].min(q[k]).min(r[k])), std::array::from_fn(|k| p[k].max(q[k]).max(r[k]))]
    }

    #[test]
    fn free_lengths_are_those_of_all_pairs_of_triangles() {
        let mut draw = Draw(23);
        let (mut free, mut gaps, mut met) = (0, 0, 0);
        for number in 0..150 {
            let (a, b) = (soup(&mut draw, 30), soup(&mut draw, 24));
            let growth = if number % 3 == 0 { 0.02 } else { 0.0 };
            let poses = [Pose::IDENTITY, Pose::new(draw.point(0.3).to_array(), [1.0, draw.next(), draw.next(), 0.3])];
            let place = MeshPlace::new([&a, &b], poses, RelativePose::between(&poses[0], &poses[1]), growth);
            let n = draw.point(1.0).normalized();
            let mut memory = SweepMemory::default();
            let order = [MeetingOrder::SmallestFirst, MeetingOrder::LastEndFirst][number / 2 % 2];
            let mut sweep = Sweep::new(&place, n, [0.01, 6.0], order, &mut memory);
            let mut from = 0.01;
            while let Some(found) = sweep.next_free() {
                // Something meets at every length before.
                for k in 0..8 {
                    let length = from + (found.from - from) * (f64::from(k) + 0.5) / 8.0;
                    if found.from - from > 1e-6 {
                        assert!(meets(&place, n.scale(length), growth + 1e-9), "{number}: {length} {found:?}");
                        met += 1;
                    }
                }
                let to = found.to.min(6.0);
                for share in [0.0, 0.3, 0.9] {
                    let length = found.from + share * (to - found.from);
                    assert!(!meets(&place, n.scale(length), growth), "{number}: {length} {found:?}");
                    free += 1;
                }
                if found.to.is_infinite() {
                    break;
                }
                gaps += 1;
                // A range that stays free is passed over: the next one begins after triangles met.
                sweep.skip_to(found.to);
                let mut start = found.to;
                while !meets(&place, n.scale(start), growth + 1e-9) && start < 6.0 {
                    start += 1e-3;
                }
                from = start;
            }
        }
        assert!(free > 300 && gaps > 30 && met > 1_000, "not representative: {free} {gaps} {met}");
    }
}
