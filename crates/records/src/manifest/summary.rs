//! `summary`: what was found, in the figures that a person or a script asks for first.

#![expect(missing_docs, reason = "docs/reference/manifest.md says what each key holds")]

use super::named::Named;
use serde::{Deserialize, Deserializer, Serialize};

/// The figures that a person or a script asks for first.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct Summary {
    pub verdict: Option<String>,
    /// Why nothing was checked; `None`: something was.
    pub nothing_checked: Option<String>,
    pub sampled_frames_only: bool,
    pub between: Option<String>,
    pub answer: Option<String>,
    pub bodies: u64,
    pub bodies_dynamic: Option<u64>,
    pub runs: u64,
    pub frames: u64,
    /// Pairs that can be near in a run, ignored ones too.
    pub pairs_possible: u64,
    pub pairs_ignored: u64,
    /// Pairs that are not ignored, by the weaker source of both bodies' deviations.
    pub deviation: Named<u64>,
    /// Rows of `pairs`.
    pub pairs_within: u64,
    pub within_m: Option<f64>,
    pub require_m: Option<f64>,
    pub require_unit: Option<String>,
    /// Findings of each rule, the default last; `None` without rules.
    pub rules: Option<Vec<RuleFindings>>,
    pub rows: u64,
    pub penetrations: u64,
    /// Rows of `contacts`; `None`: not asked for.
    pub contacts: Option<u64>,
    pub rows_by_status: Named<u64>,
    /// Rows that violate.
    pub violated: u64,
    /// Pairs with such a row, over all runs.
    pub pairs_violated: Option<u64>,
    /// The worst of these pairs, nearest first.
    pub violating_pairs: Vec<ListedPair>,
    pub runs_violated: Option<u64>,
    /// Share of the runs, and its interval; `None`: nothing is required.
    pub runs_violated_share: Option<f64>,
    pub runs_violated_interval: Option<[f64; 2]>,
    /// Rows that violate and are not accepted.
    pub open: u64,
    /// Events by state; `None`: nothing is required.
    pub events: Option<Named<u64>>,
    /// Issues by state; `None`: nothing is required.
    pub issues: Option<Named<u64>>,
    pub dispositions: Option<Dispositions>,
    /// Rows whose bracket holds the limit.
    pub undecided: u64,
    /// The row of these that may be nearest.
    pub undecided_row: Option<Undecided>,
    /// Rows without a proven bracket.
    pub uncertified: u64,
    /// Bodies whose inside the winding number decides; `None`: there are none.
    pub open_meshes: Option<OpenMeshes>,
    pub worst: Option<Worst>,
    /// Findings between frames; `None` without motion.
    pub intervals: Option<Intervals>,
    /// Bodies that stand for meshes that are not convex; `None`: there are none.
    pub hulls: Option<Hulls>,
    pub bytes: u64,
    pub seconds: f64,
    pub frames_per_s: f64,
    pub rows_per_s: f64,
}

impl Summary {
    /// Whether a body moves: without one, frames and runs say nothing.
    pub fn moves(&self) -> bool {
        self.bodies_dynamic != Some(0)
    }

    /// Whether something is required of all pairs, or by a rule.
    pub fn is_something_required(&self) -> bool {
        self.require_m.is_some() || self.rules.is_some()
    }
}

/// The requirement of a rule.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct RuleTerms {
    pub rule: String,
    /// The selector `a`; `None` for the default.
    pub a: Option<String>,
    /// The selector `b`; `None`: everything.
    pub b: Option<String>,
    pub require_m: Option<f64>,
    pub severity: String,
    pub direction: Option<[f64; 3]>,
    /// Width of the free length.
    pub footprint_m: Option<f64>,
    /// The pose from which pairs may come nearer than required.
    pub baseline: Option<String>,
    /// By how much they may come nearer than at that pose.
    pub worse_by_m: Option<f64>,
    pub note: Option<String>,
    pub pairs: u64,
}

/// A rule, and what violates it.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct RuleFindings {
    #[serde(flatten)]
    pub terms: RuleTerms,
    pub rows: u64,
    pub nearer_at_baseline: Option<u64>,
    pub violated: u64,
    /// Rows whose bracket holds the limit.
    pub undecided: u64,
    pub pairs_violated: u64,
    /// Intervals of its pairs; `None` without motion, as the next three.
    pub intervals: Option<u64>,
    pub intervals_violated: Option<u64>,
    pub intervals_undecided: Option<u64>,
    pub pairs_violated_between: Option<u64>,
}

/// The bodies of a pair, by name.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct NamedPair {
    #[serde(default = "unknown")]
    pub body_a: String,
    #[serde(default = "unknown")]
    pub body_b: String,
    /// Whether a body of the pair stands for a mesh that is not convex.
    pub of_hulls: bool,
}

/// A name that is missing.
fn unknown() -> String {
    "?".to_owned()
}

/// A pair of the worst ones: with rows or intervals that violate, or with rows of method `winding`.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct ListedPair {
    #[serde(flatten)]
    pub pair: NamedPair,
    /// Its rule; `None` without rules.
    pub rule: Option<String>,
    pub required_m: Option<f64>,
    /// Smallest distance over all runs. Pairs with rows alone have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_distance_m: Option<f64>,
    /// Least upper end of a bracket over all runs. Pairs with intervals alone have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_upper_m: Option<f64>,
    /// Bracket of the least distance over all runs, or of the least free length where that is
    /// required; an end is `None` if it is not proven.
    pub lower_m: Option<f64>,
    pub upper_m: Option<f64>,
    /// The run of that distance, to which `spans` to `to_time_s` belong.
    pub run: i64,
    pub frame: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intervals: Option<u64>,
    pub runs: u64,
    pub spans: u64,
    pub from_frame: i64,
    pub to_frame: i64,
    /// Time of the first frame; `None` without times.
    pub from_time_s: Option<f64>,
    pub to_time_s: Option<f64>,
}

/// The file of accepted pairs.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct Dispositions {
    pub day: String,
    pub pairs: u64,
    /// Rows of the file that belong to nothing any more.
    pub stale: u64,
    /// The first of these, with those whose pair violates nothing any more.
    pub stale_pairs: Vec<StalePair>,
}

/// A row of the file of accepted pairs that belongs to nothing any more.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct StalePair {
    pub rule: String,
    pub body_a: String,
    pub body_b: String,
    pub problem: String,
}

/// Bodies whose inside the winding number decides.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct OpenMeshes {
    pub bodies: u64,
    pub rows: u64,
    pub pairs: u64,
    /// The worst of these pairs, nearest first.
    pub winding_pairs: Vec<ListedPair>,
}

/// A row or an interval whose bracket holds what is required.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct Undecided {
    #[serde(flatten)]
    pub pair: NamedPair,
    /// Its rule; `None` without rules.
    pub rule: Option<String>,
    pub required_m: Option<f64>,
    /// Bracket of the distance, or of the free length where that is required.
    pub lower_m: Option<f64>,
    pub upper_m: Option<f64>,
    pub run: i64,
    pub frame: i64,
    /// The frame behind an interval; `None` of a row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame_next: Option<i64>,
}

/// The row of smallest distance.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct Worst {
    pub distance_m: Option<f64>,
    /// Its bracket; an end is `None` if it is not proven.
    pub lower_m: Option<f64>,
    pub upper_m: Option<f64>,
    pub run: i64,
    pub frame: i64,
    #[serde(flatten)]
    pub pair: NamedPair,
}

/// Bodies that stand for meshes that are not convex.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct Hulls {
    pub bodies: u64,
    /// How far a hull reaches beyond its mesh, at most.
    pub hull_excess_m: Option<f64>,
    pub body: String,
}

/// Findings between frames.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct Intervals {
    pub tolerance_m: Option<f64>,
    pub max_gap: i64,
    /// Longest time of an interval; null: 100 times that of the intervals beside it. An older
    /// version wrote none.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub max_gap_s: Option<Option<MaxGap>>,
    pub rows: u64,
    /// Neighbouring frames that are farther apart: the motion between them was not checked.
    pub skipped: u64,
    pub by_status: Named<u64>,
    /// Intervals that violate.
    pub violated: u64,
    /// Other intervals that are undecided, or whose bracket holds the limit.
    pub undecided: u64,
    /// The interval of these that may be nearest.
    pub undecided_interval: Option<Undecided>,
    /// Pairs with an interval that violates, over all runs.
    pub pairs_violated: Option<u64>,
    /// The worst of these pairs, least upper end first.
    pub violating_pairs: Vec<ListedPair>,
    /// Rows of `pairs` with a contact in an interval.
    pub pairs_contact: u64,
    /// Rows of these that touch between frames only.
    pub pairs_contact_only: u64,
    pub least: Option<Least>,
    pub first_contact: Option<FirstContact>,
}

impl Intervals {
    /// Intervals of which neither clear nor in contact is proven.
    pub fn unproven(&self) -> u64 {
        self.by_status.get("undecided").copied().unwrap_or(0)
    }
}

/// Tells a null from a missing key.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// The longest time of an interval.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(untagged)]
pub enum MaxGap {
    /// Seconds.
    Seconds(f64),
    /// `none`: no interval is too long.
    Word(String),
}

/// The pair of the least upper end in a run.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct Least {
    /// Lower end of the least distance in that run; `None`: nothing is proven.
    pub lower_m: Option<f64>,
    pub upper_m: Option<f64>,
    pub run: i64,
    /// Frame before the interval of the upper end.
    pub frame: i64,
    pub frame_next: i64,
    #[serde(flatten)]
    pub pair: NamedPair,
}

/// The first contact of a run.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct FirstContact {
    pub run: i64,
    /// Frame before the interval.
    pub frame: i64,
    pub frame_next: i64,
    /// Share of the interval before which the pair is proven clear.
    pub contact_lo: Option<f64>,
    /// Share of the interval at which the pair is proven in contact.
    pub contact_hi: Option<f64>,
    pub joint: Option<SweptJoint>,
    /// Time of `contact_lo`; `None` without times.
    pub time_lo_s: Option<f64>,
    pub time_hi_s: Option<f64>,
    #[serde(flatten)]
    pub pair: NamedPair,
}

/// A joint that is swept alone, and its values at a contact.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct SweptJoint {
    pub name: String,
    /// `rad` or `m`.
    pub unit: String,
    pub lo: Option<f64>,
    pub hi: Option<f64>,
}
