//! An issue, and the sum of its events.

use super::events::LoggedEvent;
use clearsweep_geometry::Pose;
use clearsweep_model::{EventState, Severity};
use clearsweep_records::EventKind;
use sha2::{Digest, Sha256};

/// Hexadecimal digits of an id.
const ID_DIGITS: usize = 12;

/// A rule (index) with a pair of bodies (indices, ascending).
pub(super) type RulePair = (u32, u32, u32);

/// The sum of the events of a pair of bodies, or of an issue.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct EventSum {
    /// Number of events.
    pub(super) events: u64,
    /// Runs with an event; of an issue, of its pairs, each for itself.
    pub(super) runs: u64,
    last_run: i64,
    /// Bracket of the least distance, metres.
    pub(super) lower: f64,
    /// See `lower`.
    pub(super) upper: f64,
    /// First and last frame.
    pub(super) frames: [i64; 2],
    /// The state that needs people most.
    pub(super) state: EventState,
    /// The worst kind.
    pub(super) kind: EventKind,
    /// The deepest overlap of its events: the upper end of the distance (metres), the bodies and
    /// their poses; `None`: nothing overlaps.
    pub(super) deepest: Option<(f64, [u32; 2], [Pose; 2])>,
}

/// An issue.
#[derive(Debug, Clone)]
pub(super) struct Issue {
    /// A hash of the rule and the leading names, or the id of an earlier issue.
    pub(super) id: String,
    /// The thing that its events have in common: a body, both bodies, a node, or the rule.
    pub(super) group: String,
    /// The rule's name.
    pub(super) rule_name: String,
    /// How much it matters.
    pub(super) severity: Severity,
    /// Number of pairs.
    pub(super) pairs: u64,
    /// Its events; `None`: it has none any more, and is in this state.
    pub(super) sum: std::result::Result<EventSum, EventState>,
    /// Words of the rule, or what is known of a decision.
    pub(super) note: Option<String>,
}

impl Issue {
    /// Its state.
    pub(super) fn state(&self) -> EventState {
        self.sum.map_or_else(|state| state, |sum| sum.state)
    }
}

impl EventSum {
    pub(super) fn of(logged: &LoggedEvent, state: EventState) -> Self {
        let event = &logged.event;
        Self {
            events: 1,
            runs: 1,
            last_run: logged.run,
            lower: event.lower,
            upper: event.upper,
            frames: event.ends.map(|(frame, _)| frame),
            state,
            kind: event.kind,
            deepest: (event.kind >= EventKind::Crossing).then_some((event.upper, [event.a, event.b], event.poses)),
        }
    }

    /// Adds what comes later, or is of another pair.
    pub(super) fn add(&mut self, other: &Self) {
        self.events += other.events;
        self.runs += if other.runs == 1 && other.last_run == self.last_run { 0 } else { other.runs };
        self.last_run = other.last_run;
        (self.lower, self.upper) = (self.lower.min(other.lower), self.upper.min(other.upper));
        self.frames = [self.frames[0].min(other.frames[0]), self.frames[1].max(other.frames[1])];
        (self.state, self.kind) = (self.state.min(other.state), self.kind.max(other.kind));
        let depth = |sum: &Self| sum.deepest.map_or(f64::INFINITY, |(upper, ..)| upper);
        if depth(other) < depth(self) {
            self.deepest = other.deepest;
        }
    }

    /// Adds what another pair has.
    pub(super) fn add_pair(&mut self, other: &Self) {
        let runs = self.runs + other.runs;
        self.add(other);
        self.runs = runs;
    }
}

/// A hash of a rule and names.
pub(super) fn id(rule: &str, names: &[String]) -> String {
    let mut hash = Sha256::new();
    for text in std::iter::once(rule).chain(names.iter().map(String::as_str)) {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    let digits = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    digits[..ID_DIGITS].to_owned()
}
