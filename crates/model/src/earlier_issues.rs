//! The issues of an earlier execution, whose ids a later one takes over.

use super::Severity;

/// Issues of an earlier execution, in the order of its table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EarlierIssues {
    /// Its directory, as the caller knows it.
    pub path: String,
    /// The issues.
    pub issues: Vec<EarlierIssue>,
}

/// An issue of an earlier execution.
#[derive(Debug, Clone, PartialEq)]
pub struct EarlierIssue {
    /// Its id.
    pub id: String,
    /// The name of what its events have in common.
    pub group: String,
    /// Name of the rule.
    pub rule: String,
    /// Severity of the rule.
    pub severity: Severity,
    /// Pairs that violate, or that an execution before knew as pairs of this issue.
    pub pairs: Vec<EarlierPair>,
}

/// A pair of an earlier issue.
#[derive(Debug, Clone, PartialEq)]
pub struct EarlierPair {
    /// Names of the bodies, sorted.
    pub bodies: [String; 2],
    /// Proven bracket of the least distance over all its events, metres; an end is `None` if it is
    /// not proven.
    pub bracket_m: [Option<f64>; 2],
    /// Run and frame of the least distance; `None`: not known.
    pub least: Option<(i64, i64)>,
}
