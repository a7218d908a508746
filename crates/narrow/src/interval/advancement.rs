//! Conservative advancement along one direction: from a time at which two convex pieces are clear,
//! until when the supporting planes of a direction keep them so.
//!
//! The gap along a direction that stands still in a frame costs a pose and two supports, no
//! distance. Its second derivative is at most `bend`. Between two times with known gaps the
//! parabola of [`GapBound`] proves until when the pieces are clear, and the mirror image of the
//! parabola about its chord estimates when they are not. Both times approach each other
//! quadratically.
//!
//! Source: Mirtich 1996, "Impulse-based dynamic simulation of rigid body systems", section 2.3;
//! here the bound is of second order.

use super::node::Node;
use super::pair_path::PairPath;
use super::relative_motion::{FixedIn, GapBound, RelativeMotion};
use super::support_gap::{Hulls, TURNED};
use super::two_directions::{AlongDirection, HullsBetween};
use clearsweep_geometry::Vec3;

/// Steps of one advancement, at most, each of one or two gaps.
const MOST_STEPS: u32 = 16;

/// Two convex pieces between two nodes.
pub(super) struct Advancement<'a> {
    pub(super) hulls: Hulls<'a>,
    pub(super) path: &'a PairPath<'a>,
    pub(super) motion: &'a RelativeMotion,
    pub(super) ends: [&'a Node; 2],
    /// Pieces are clear while they are farther apart than this, metres.
    pub(super) touch: f64,
    /// Distance of the two times, as a share of the interval, at which the advancement ends.
    pub(super) resolution: f64,
}

/// Progress of an advancement.
pub(super) struct Advanced {
    /// The pieces are proven clear from the first node to this one.
    pub(super) clear: Node,
    /// The time at which the distance is worth knowing; `None`: none before the limit.
    pub(super) next: Option<f64>,
}

/// A direction that stands still in a frame.
#[derive(Clone, Copy)]
struct StandingDirection<'n> {
    /// The node at which it is known.
    at: &'n Node,
    /// In A's frame there, unit.
    normal: Vec3<f64>,
    fixed: FixedIn,
    /// A bound of the second derivative of its gap, metres.
    bend: f64,
}

impl StandingDirection<'_> {
    /// The direction at another node, in A's frame there.
    fn turned(&self, to: &Node) -> Vec3<f64> {
        self.at.orientation().carried_to(&to.orientation(), self.normal, self.fixed)
    }
}

/// Two times and the gaps there. The method is to keep the first gap above the level and the second
/// one not above it.
struct GapBracket {
    shares: [f64; 2],
    gaps: [f64; 2],
    bend: f64,
    /// Until when the pieces are proven clear.
    clear: f64,
}

impl GapBracket {
    fn width(&self) -> f64 {
        self.shares[1] - self.shares[0]
    }

    /// The bound between both times.
    fn bound(&self) -> GapBound {
        GapBound { first: self.gaps[0], last: self.gaps[1], bend: self.bend * (self.width() * self.width()) }
    }

    /// Takes a gap at a time between both in place of one of them. False, and nothing is taken, if
    /// the gap is above the level then but not proven to be so until then.
    fn narrow(&mut self, share: f64, gap: f64, level: f64) -> bool {
        let [begin, first] = [self.shares[0], self.gaps[0]];
        if gap <= level {
            (self.shares[1], self.gaps[1]) = (share, gap);
        } else {
            let passed = Self { shares: [begin, share], gaps: [first, gap], ..*self };
            if share > self.clear && passed.bound().least() <= level {
                return false;
            }
            (self.shares[0], self.gaps[0]) = (share, gap);
        }
        self.prove(level);
        true
    }

    /// Until when the bound is above the level.
    fn prove(&mut self, level: f64) {
        let bound = self.bound();
        let until = match bound.least() > level {
            true => self.shares[1],
            false => later(self.shares[0], bound.where_below(level)[0] * self.width()),
        };
        self.clear = self.clear.max(until);
    }
}

/// The time `share + by`, rounded down.
pub(super) fn later(share: f64, by: f64) -> f64 {
    if by > 0.0 { (share + by).next_down().max(share) } else { share }
}

impl<'a> Advancement<'a> {
    /// Advances from the first node along the direction that proves the pieces clear for longest,
    /// to `limit` at most; `clear`: a time until which they are known to be clear.
    pub(super) fn run(&self, clear: f64, limit: f64) -> Option<Advanced> {
        let (direction, bound) = self.direction()?;
        let [from, to] = self.ends.map(|node| node.share);
        let last = if limit < to { self.gap(&direction, limit) } else { bound.last };
        let (shares, gaps) = ([from, limit], [bound.first, last]);
        let mut bracket = GapBracket { shares, gaps, bend: direction.bend, clear };
        bracket.prove(self.touch);
        let next = self.approach(&direction, &mut bracket);
        let mut node = Node::at(bracket.clear, self.path);
        node.add_normal(direction.turned(&node).normalized());
        let next = (next > bracket.clear && next < limit).then_some(next);
        Some(Advanced { clear: node, next })
    }

    /// Finds the direction, among those of both nodes in all frames, whose bound is above the level
    /// for longest; and the bound.
    fn direction(&self) -> Option<(StandingDirection<'a>, GapBound)> {
        let mut longest: Option<(f64, StandingDirection<'a>, GapBound)> = None;
        let span = self.ends[1].share - self.ends[0].share;
        HullsBetween::new(&self.hulls, self.ends, self.motion).visit([0, 1], |along| {
            let &AlongDirection { end, normal, fixed, bound } = along;
            let is_clear = bound.least() > self.touch;
            let until = if is_clear { 1.0 } else { bound.where_below(self.touch)[0] };
            if longest.is_none_or(|(best, ..)| until > best) {
                let bend = bound.bend / (span * span);
                longest = Some((until, StandingDirection { at: self.ends[end], normal, fixed, bend }, bound));
            }
            is_clear
        });
        longest.map(|(_, direction, bound)| (direction, bound))
    }

    /// The gap along a direction at a time, less rounding.
    fn gap(&self, direction: &StandingDirection<'_>, share: f64) -> f64 {
        let node = Node::at(share, self.path);
        let pair = self.hulls.pair(&node);
        let rounding = pair.bound() + TURNED * pair.size + self.motion.error;
        pair.gap(direction.turned(&node)) - (self.hulls.reach() + rounding)
    }

    /// Brings the two times of a bracket together; the time at which the distance is worth knowing.
    fn approach(&self, direction: &StandingDirection<'_>, bracket: &mut GapBracket) -> f64 {
        for _ in 0..MOST_STEPS {
            let ([begin, end], [first, last], clear) = (bracket.shares, bracket.gaps, bracket.clear);
            if last > self.touch || first <= self.touch {
                return begin + bracket.bound().share_of_least() * (end - begin);
            }
            if end - clear <= 0.5 * self.resolution {
                return end;
            }
            let on_chord = begin + (first - self.touch) / (first - last) * (end - begin);
            let mirrored = on_chord + (on_chord - clear) + 0.25 * self.resolution;
            let middle = 0.5 * (clear + end);
            let time = if mirrored > clear { mirrored.min(middle) } else { middle };
            if !bracket.narrow(time, self.gap(direction, time), self.touch) {
                return time;
            }
            let ([begin, end], clear) = (bracket.shares, bracket.clear);
            if end - clear > 0.5 * self.resolution && clear - begin > 0.125 * (end - begin) {
                let gap = self.gap(direction, clear);
                if gap > self.touch {
                    bracket.narrow(clear, gap, self.touch);
                }
            }
        }
        bracket.shares[1]
    }
}
