//! Decisions of people about pairs: violations that are accepted down to a distance, until a day.

use std::collections::HashMap;

/// A decision about a pair under a rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Disposition {
    /// The distance down to which violations are accepted, less `touch`, metres: a last digit that
    /// another version rounds otherwise opens nothing again. `None`: they are known, and not
    /// accepted.
    pub accepted: Option<f64>,
    /// Whether the day until which that holds is over.
    pub is_expired: bool,
    /// Who decided, why, and until when.
    pub decision: Decision,
}

/// The words of a decision, as written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Decision {
    /// Who decided.
    pub by: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// The last day on which it holds: `2026-03-31`.
    pub until: Option<String>,
}

/// A disposition of a rule or a body that is no more.
#[derive(Debug, Clone, PartialEq)]
pub struct StaleDisposition {
    /// Name of the rule.
    pub rule: String,
    /// Names of the bodies.
    pub bodies: [String; 2],
    /// Message that names the rule or body that is missing.
    pub problem: String,
    /// The accepted distance, metres.
    pub accepted: Option<f64>,
    /// The rule (index) and the body (index) that are still there, where the other body is what is
    /// no more.
    pub partner: Option<(u32, u32)>,
    /// Who decided, why, and until when.
    pub decision: Decision,
}

/// All dispositions of a job.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Dispositions {
    /// By rule (index, the default last) and bodies (indices, ascending).
    pub by_pair: HashMap<(u32, u32, u32), Disposition>,
    /// Those that belong to nothing, in the order of the file.
    pub stale: Vec<StaleDisposition>,
    /// The day on which they were read, which decides what is expired: `2026-03-01`; empty where no
    /// file was.
    pub day: String,
}

impl Dispositions {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.by_pair.is_empty() && self.stale.is_empty()
    }

    /// The state of a violation of a pair (a before b) under a rule, of a proven lower end
    /// (metres).
    pub fn state(&self, rule: u32, a: u32, b: u32, lower: f64) -> EventState {
        match self.by_pair.get(&(rule, a, b)) {
            None => EventState::New,
            Some(Disposition { is_expired: true, .. }) => EventState::Expired,
            Some(Disposition { accepted: None, .. }) => EventState::Active,
            Some(Disposition { accepted: Some(accepted), .. }) if lower >= *accepted => EventState::Approved,
            Some(_) => EventState::Worse,
        }
    }
}

/// State of a violation beside the decisions about its pair. The state that needs people most comes
/// first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventState {
    /// It is nearer than what was accepted, or not proven to be no nearer.
    Worse,
    /// Nobody decided about it.
    New,
    /// It was accepted until a day that is over.
    Expired,
    /// It is known, and not accepted.
    Active,
    /// It is accepted, and proven to be no nearer than that.
    Approved,
    /// There is none any more.
    Resolved,
    /// Its rule or one of its bodies is no more.
    Stale,
}

impl EventState {
    /// All of them, in their order.
    pub const ALL: [Self; 7] =
        [Self::Worse, Self::New, Self::Expired, Self::Active, Self::Approved, Self::Resolved, Self::Stale];

    /// The words of the contract, in their order.
    pub const NAMES: [&'static str; 7] = ["worse", "new", "expired", "active", "approved", "resolved", "stale"];

    /// The word of the contract.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// Whether somebody has to work on it: it counts as a violation.
    pub fn is_open(self) -> bool {
        self <= Self::Active
    }
}

/// The key by which violations are gathered into issues.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum IssueGroup {
    /// The body that is in most of them.
    #[default]
    Element,
    /// Each pair by itself.
    Pair,
    /// The nodes above both bodies in the tree of their file.
    Parent,
    /// The rule.
    Rule,
}

impl IssueGroup {
    /// All, with the words of the contract.
    pub const WORDS: [(&'static str, Self); 4] =
        [("element", Self::Element), ("pair", Self::Pair), ("parent", Self::Parent), ("rule", Self::Rule)];

    /// The word of the contract.
    pub fn name(self) -> &'static str {
        Self::WORDS[self as usize].0
    }
}
