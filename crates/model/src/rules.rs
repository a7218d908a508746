//! Requirements of pairs of bodies: the first rule that matches a pair counts, as in a firewall.

use crate::baselines::{Baseline, BaselineAt, BaselinePair, Baselines};
use crate::body::{Body, Motion};
use crate::ignored_pairs::{IgnoredPairs, own_pairs};
use clearsweep_geometry::{Pose, Vec3};
use std::collections::HashMap;
use std::sync::Arc;

/// The name of the rule of all pairs that no other rule matches.
pub const DEFAULT_RULE: &str = "default";

/// How much a violation matters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// To be known.
    Info,
    /// To be looked at.
    Minor,
    /// To be solved.
    #[default]
    Major,
    /// To be solved at once.
    Critical,
}

impl Severity {
    /// The words of the contract, in ascending order.
    pub const NAMES: [&'static str; 4] = ["info", "minor", "major", "critical"];

    /// The word of the contract.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

/// A rule's `direction` and `footprint`: the rule requires a free length instead of a distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FreeLength {
    /// Unit vector of the world along which the bodies of `a` move.
    pub direction: Vec3<f64>,
    /// Radius by which these bodies grow across it, metres, 0 or more.
    pub footprint: f64,
}

/// A rule: what is required of the pairs that it is the first to match.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Unique name.
    pub name: String,
    /// The selector `a`, as written.
    pub a: String,
    /// The selector `b`; `None`: everything.
    pub b: Option<String>,
    /// The clearance required, metres: violated iff `upper_m < require`. Negative: an overlap up to
    /// that depth is allowed.
    pub require: f64,
    /// How much a violation matters.
    pub severity: Severity,
    /// `None`: the distance is required.
    pub free_length: Option<FreeLength>,
    /// The moment to which a pair is compared that is nearer than required by design.
    pub baseline: Option<Baseline>,
    /// Words of whoever wrote the rule.
    pub note: Option<String>,
    /// Why a text of a selector names no body, and the remedy, for each of them.
    pub unmatched: Vec<[String; 2]>,
}

/// The rules of a scene, and which one each pair is under, made for a question per row.
///
/// Bodies that every rule treats alike share a class; a matrix over the classes has the rule of
/// each pair of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PairRules {
    rules: Vec<Rule>,
    /// Class of each body; empty where there is no rule.
    class: Vec<u32>,
    classes: usize,
    /// Entry `c * classes + d`: the rule of pairs of the classes `c` and `d` (symmetric).
    matrix: Vec<u16>,
    /// Entry `c * classes + d`: whether `a` of that rule selects the bodies of class `c`, and `b`
    /// those of class `d`. Empty if no rule requires a free length.
    is_first: Vec<bool>,
}

impl PairRules {
    /// Rules in their order; the classes of the bodies and their number; the rule of each pair of
    /// classes, where `rules.len()` stands for none of them; `is_first`: whether `a` of that rule
    /// selects the first class, empty if no rule requires a free length.
    pub fn new(rules: Vec<Rule>, (class, classes): (Vec<u32>, usize), matrix: Vec<u16>, is_first: Vec<bool>) -> Self {
        debug_assert_eq!(matrix.len(), classes * classes);
        Self { rules, class, classes, matrix, is_first }
    }

    /// Returns the rule of a pair that requires a free length, that length, and which of the two
    /// bodies it moves; `None` if the rule requires a distance.
    #[inline]
    pub fn free_length(&self, a: u32, b: u32) -> Option<(usize, FreeLength, [bool; 2])> {
        if self.is_first.is_empty() {
            return None;
        }
        let rule = self.of(a, b);
        let free = self.rules.get(rule)?.free_length?;
        let [c, d] = [a, b].map(|body| self.class[body as usize] as usize);
        Some((rule, free, [self.is_first[c * self.classes + d], self.is_first[d * self.classes + c]]))
    }

    /// The rules in their order.
    pub fn all(&self) -> &[Rule] {
        &self.rules
    }

    /// The index of the rule of a pair; the number of rules where none matches.
    #[inline]
    pub fn of(&self, a: u32, b: u32) -> usize {
        if self.class.is_empty() {
            return self.rules.len();
        }
        usize::from(self.matrix[self.class[a as usize] as usize * self.classes + self.class[b as usize] as usize])
    }

    /// Whether a body may have a partner of which this rule is the first to match.
    pub fn covers(&self, rule: usize, body: u32) -> bool {
        let class = self.class[body as usize] as usize;
        self.matrix[class * self.classes..][..self.classes].iter().any(|&of| usize::from(of) == rule)
    }

    /// Number of pairs under each rule, and at last under none, ignored ones left out, by classes
    /// and not one by one; pairs of two static bodies count with `static_pairs`.
    pub fn count_pairs(&self, bodies: &[Body], ignored: &IgnoredPairs, static_pairs: bool) -> Vec<u64> {
        // Bodies that are alike for the rules and for what is ignored: one of them, and how many
        // move and rest.
        let mut alike: HashMap<[u32; 2], (u32, [u64; 2])> = HashMap::new();
        for (body, index) in bodies.iter().zip(0..) {
            let class = |of: &[u32]| of.get(index as usize).copied().unwrap_or(0);
            let (_, members) = alike.entry([class(&self.class), class(&ignored.class)]).or_insert((index, [0; 2]));
            members[usize::from(matches!(body.motion, Motion::Static(_)))] += 1;
        }
        let alike: Vec<_> = alike.into_values().collect();
        let mut counts = vec![0; self.rules.len() + 1];
        for (at, &(one, [dynamic, fixed])) in alike.iter().enumerate() {
            if !ignored.contains(one, one) {
                counts[self.of(one, one)] += own_pairs(dynamic, fixed, static_pairs);
            }
            for &(other, [moving, still]) in alike[at + 1..].iter().filter(|(other, _)| !ignored.contains(one, *other))
            {
                let of_static = if static_pairs { fixed * still } else { 0 };
                counts[self.of(one, other)] += dynamic * (moving + still) + fixed * moving + of_static;
            }
        }
        counts
    }
}

/// Requirements of each pair: the rules, and as the last rule the clearance required of pairs that
/// none of them matches.
#[derive(Debug, Clone)]
pub struct Requirements {
    rules: Arc<PairRules>,
    /// By rule, metres; NaN, with which every comparison is false, where nothing is required.
    required: Vec<f64>,
    baselines: Arc<Baselines>,
}

impl Requirements {
    /// `default`: what is required where no rule matches, metres. `baselines`: what is required
    /// instead of pairs that were nearer.
    pub fn new(rules: &Arc<PairRules>, default: Option<f64>, baselines: &Arc<Baselines>) -> Self {
        let required = rules.all().iter().map(|rule| rule.require).chain([default.unwrap_or(f64::NAN)]);
        Self { required: required.collect(), rules: Arc::clone(rules), baselines: Arc::clone(baselines) }
    }

    /// The rules but the default.
    pub fn rules(&self) -> &[Rule] {
        self.rules.all()
    }

    /// Number of rules, the default included.
    pub fn count(&self) -> usize {
        self.required.len()
    }

    /// The name of a rule.
    pub fn name(&self, rule: usize) -> &str {
        self.rules().get(rule).map_or(DEFAULT_RULE, |rule| &rule.name)
    }

    /// The requirement of all pairs, metres (NaN: none), where the default is the only rule.
    pub fn uniform(&self) -> Option<f64> {
        match self.required[..] {
            [required] => Some(required),
            _ => None,
        }
    }

    /// Whether something is required of some pair.
    pub fn is_something(&self) -> bool {
        self.required.iter().any(|required| !required.is_nan())
    }

    /// The index of the rule of a pair.
    #[inline]
    pub fn rule(&self, a: u32, b: u32) -> usize {
        self.rules.of(a, b)
    }

    /// Returns the requirement of a pair in a run, metres; NaN if there is none.
    #[inline]
    pub fn of(&self, run: i64, a: u32, b: u32) -> f64 {
        self.under(self.rules.of(a, b), run, a, b)
    }

    /// Returns the requirement of a pair under its rule in a run, metres; NaN if there is none. It
    /// is less if the pair was nearer at the baseline.
    #[inline]
    pub fn under(&self, rule: usize, run: i64, a: u32, b: u32) -> f64 {
        let required = self.required[rule];
        if self.baselines.is_empty() {
            return required;
        }
        self.at_baseline(rule, run, a, b).map_or(required, |pair| pair.required)
    }

    /// Returns a pair in a run at the baseline of its rule; `None` if it was not nearer than
    /// required there.
    fn at_baseline(&self, rule: usize, run: i64, a: u32, b: u32) -> Option<&BaselinePair> {
        let baseline = self.rules().get(rule)?.baseline?;
        self.baselines.pair(baseline.at, run, a, b)
    }

    /// Whether some pair was nearer than required at the baseline of its rule.
    #[inline]
    pub fn has_baselines(&self) -> bool {
        !self.baselines.is_empty()
    }

    /// Whether a pair stands at the very poses that it had at the baseline of its rule, where a
    /// bracket does not tell whether it is nearer: nothing is required of it there. `poses`: of the
    /// recentred frames of A and B in the world.
    pub fn stands(&self, run: i64, a: u32, b: u32, poses: impl FnOnce() -> [Pose; 2]) -> bool {
        let of_pair = || self.at_baseline(self.rule(a, b), run, a, b)?.poses.as_deref();
        self.has_baselines() && of_pair().is_some_and(|known| *known == poses())
    }

    /// Whether what is required of a pair may differ between runs: its rule has a baseline in each
    /// of them.
    #[inline]
    pub fn depends_on_run(&self, a: u32, b: u32) -> bool {
        let baseline = || self.rules().get(self.rule(a, b)).and_then(|rule| rule.baseline);
        !self.baselines.is_empty() && baseline().is_some_and(|baseline| baseline.at != BaselineAt::Rest)
    }

    /// Returns the clearance that the rule of a pair requires in a run, metres; NaN if it requires
    /// none, or a free length.
    #[inline]
    pub fn of_distance(&self, run: i64, a: u32, b: u32) -> f64 {
        let rule = self.rule(a, b);
        if self.is_of_free_length(rule) { f64::NAN } else { self.under(rule, run, a, b) }
    }

    /// Whether a rule requires a free length instead of a distance.
    #[inline]
    pub fn is_of_free_length(&self, rule: usize) -> bool {
        self.rules().get(rule).is_some_and(|rule| rule.free_length.is_some())
    }

    /// Returns the requirement of a rule without baselines, metres; NaN if there is none.
    #[inline]
    pub fn by(&self, rule: usize) -> f64 {
        self.required[rule]
    }
}
