//! Promises beside the bracket of a row: the same answer for bodies that are swapped, moved
//! together, or scaled.

use clearsweep_narrow::Proximity;

use super::between::direction_fault;
use super::cold;
use super::gap::Soups;
use super::judge::Fault;
use super::make::Subject;
use super::motion::{product, rotated};
use super::round::Truth;
use crate::oracle::Placement;
use crate::oracle::families::Random;
use crate::oracle::number::{add, norm, times};

/// Factors by which bodies and positions are scaled.
pub const FACTORS: [f64; 4] = [1024.0, 1.0 / 1024.0, 10.0, 0.1];

/// Promise that is tried beside the bracket of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Promise {
    Swapped,
    Moved,
    Scaled,
    Direction,
    Between,
    Answer,
}

impl Promise {
    pub const ALL: [Self; 6] = [Self::Swapped, Self::Moved, Self::Scaled, Self::Direction, Self::Between, Self::Answer];
    /// Promises of one sample.
    pub const OF_ROWS: [Self; 4] = [Self::Swapped, Self::Moved, Self::Scaled, Self::Direction];
}

/// Two bodies, and the same ones scaled by a factor.
pub struct Others<'a> {
    pub pair: [&'a Subject; 2],
    pub scaled: Option<([&'a Subject; 2], f64)>,
}

impl Others<'_> {
    /// Tries a promise: `None` if it cannot be, `Some(None)` if it holds. `row`: that of the sample
    /// asked alone.
    pub fn breach(
        &self,
        promise: Promise,
        places: &[Placement; 2],
        row: &Proximity,
        (soups, truth): (&Soups<'_>, Option<&Truth<'_>>),
        random: &mut Random,
    ) -> Option<Option<Fault>> {
        let bracket = [row.lower, row.upper];
        let far = places.iter().map(|p| norm(p.position)).fold(soups.size, f64::max);
        Some(match promise {
            Promise::Swapped => {
                let [a, b] = *places;
                let other = cold([self.pair[1], self.pair[0]], &[b, a]);
                differ(bracket, [other.lower, other.upper], 0.0).then_some(Fault::Swapped)
            }
            Promise::Moved => {
                let (turn, by) = (random.turn(), times(random.direction(), far * random.between(0.0, 2.0)));
                let moved = |p: &Placement| Placement::new(add(rotated(turn, p.position), by), product(turn, p.q));
                let other = cold(self.pair, &places.each_ref().map(moved));
                // The moved poses are rounded.
                differ(bracket, [other.lower, other.upper], 64.0 * f64::EPSILON * far).then_some(Fault::Moved)
            }
            Promise::Scaled => {
                let (pair, factor) = self.scaled?;
                let scaled = |p: &Placement| Placement::new(times(p.position, factor), p.q);
                let other = cold(pair, &places.each_ref().map(scaled));
                let room = if factor.log2().fract() == 0.0 { 0.0 } else { 64.0 * f64::EPSILON * far };
                differ(bracket, [other.lower, other.upper].map(|end| end / factor), room).then_some(Fault::Scaled)
            }
            Promise::Direction => {
                direction_fault(self.pair, places, (soups, truth), random).then_some(Fault::Direction)
            }
            Promise::Between | Promise::Answer => return None,
        })
    }
}

/// Whether two brackets of one length have no length in common, but for `room`.
fn differ(one: [f64; 2], other: [f64; 2], room: f64) -> bool {
    // An end that is no number contradicts.
    !(one[0] <= other[1] + room && other[0] <= one[1] + room)
}
