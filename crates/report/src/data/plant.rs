//! The whole of an execution: rules, groups, runs, the bodies in their places, and earlier
//! decisions.

use super::{Moment, Placement};

/// Totals of a rule.
#[derive(Debug, Clone)]
pub struct RuleTotal {
    /// Name of the rule.
    pub rule: String,
    /// Word of its severity.
    pub severity: String,
    /// The clearance that it requires, metres; `None`: nothing.
    pub required_m: Option<f64>,
    /// Pairs of bodies under it.
    pub pairs: u64,
    /// Issues.
    pub issues: u64,
    /// Issues that somebody has to decide about.
    pub open: u64,
    /// Least upper end of the distances of its violations, metres.
    pub nearest_m: Option<f64>,
}

/// Violating pairs by the groups of both bodies.
#[derive(Debug, Clone, Default)]
pub struct GroupMatrix {
    /// Names of the groups, most violations first.
    pub groups: Vec<String>,
    /// Its cells that are not empty: numbers of two groups, ascending, and of pairs.
    pub cells: Vec<GroupCell>,
}

/// A cell of a [`GroupMatrix`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupCell {
    /// Numbers of both groups, ascending.
    pub groups: [usize; 2],
    /// Pairs of bodies that violate.
    pub pairs: u64,
    /// Pairs that are open.
    pub open: u64,
}

/// Properties of a body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Element {
    /// Its class.
    pub class: Option<String>,
    /// Its level, or storey.
    pub level: Option<String>,
    /// Other groups.
    pub groups: Vec<String>,
    /// Model that is measured: `hull`, `mesh`, ...
    pub model: Option<String>,
}

/// A run, with the nearest of what violates in it; of the nearest pair if nothing is required.
#[derive(Debug, Clone)]
pub struct RunRow {
    /// Number of the run.
    pub run: i64,
    /// Names of the bodies.
    pub names: [String; 2],
    /// Proven bracket of the distance, metres.
    pub bracket_m: [Option<f64>; 2],
    /// The clearance required, metres.
    pub required_m: Option<f64>,
    /// Moment of the least distance.
    pub least: Moment,
    /// Whether the distance is least between two samples.
    pub is_between: bool,
    /// Name of the rule.
    pub rule: Option<String>,
    /// Id of the issue.
    pub issue: Option<String>,
    /// Events in the run.
    pub events: u64,
}

/// All bodies as boxes, at the moment of the first issue.
#[derive(Debug, Clone)]
pub struct Plant {
    /// The world point that all points are relative to, metres.
    pub origin: [f64; 3],
    /// The boxes.
    pub boxes: Vec<PlantBox>,
    /// Smaller bodies that are left out.
    pub unlisted: u64,
    /// Run and moment at which bodies that move are shown; `None`: nothing moves.
    pub moment: Option<(i64, Moment)>,
}

/// The box of a body along its own axes.
#[derive(Debug, Clone, Copy)]
pub struct PlantBox {
    /// Index of the body.
    pub body: u32,
    /// Its centre and axes.
    pub placement: Placement,
    /// Half its sides, metres.
    pub half_m: [f64; 3],
}

/// The file of decisions that an execution read.
#[derive(Debug, Clone)]
pub struct EarlierDecisions {
    /// Its path.
    pub path: String,
    /// Its rows, with the columns of `accept`.
    pub rows: Vec<[String; 7]>,
}
