//! Pairs that are known from before: by a decision, or as pairs of the issues of an earlier result.

use super::issue::{EventSum, Issue, RulePair, id};
use clearsweep_model::{Decision, EarlierPair, EventState, Requirements, Scene, Severity};
use rustc_hash::FxHashMap;

/// A pair that is known from before.
#[derive(Debug, Clone)]
pub(super) struct KnownPair {
    /// Index of its issue in the table.
    pub(super) issue: u32,
    pub(super) rule: String,
    /// Names, sorted.
    pub(super) bodies: [String; 2],
    /// The state of its events; `Resolved` or `Stale` without one.
    pub(super) state: EventState,
    pub(super) decision: Decision,
    /// The pair in the earlier result.
    pub(super) earlier: Option<EarlierPair>,
    /// The reason why it is stale, or that it is ignored.
    pub(super) note: Option<String>,
}

/// A decided pair without an event, and its issue unless an earlier one has the pair.
pub(super) type UnseenPair = (KnownPair, Issue);

/// Returns a pair for each row of the file of accepted pairs: those with events, and those without,
/// stale ones last.
pub(super) fn decided(
    scene: &Scene,
    sums: &[(RulePair, EventSum)],
    of_pair: &FxHashMap<RulePair, u32>,
) -> (Vec<KnownPair>, Vec<UnseenPair>) {
    let requirements = scene.requirements();
    let (mut with_events, mut without) = (Vec::new(), Vec::new());
    let mut by_pair: Vec<_> = scene.dispositions.by_pair.iter().collect();
    by_pair.sort_unstable_by_key(|(pair, _)| **pair);
    for (&pair, disposition) in by_pair {
        let (rule, a, b) = pair;
        let event = sums.binary_search_by_key(&pair, |(key, _)| *key).ok().map(|at| sums[at].1.state);
        let of = KnownPair {
            issue: of_pair.get(&pair).copied().unwrap_or_default(),
            rule: requirements.name(rule as usize).to_owned(),
            bodies: sorted([a, b].map(|body| scene.bodies[body as usize].name.clone())),
            state: event.unwrap_or(EventState::Resolved),
            decision: disposition.decision.clone(),
            earlier: None,
            note: None,
        };
        if event.is_some() {
            with_events.push(of);
        } else {
            let issue = without_events(&of, severity(&requirements, &of.rule), disposition.decision.reason.clone());
            without.push((of, issue));
        }
    }
    let new = NewPartners::of(sums);
    for stale in &scene.dispositions.stale {
        let proposed = stale.partner.zip(stale.accepted).and_then(|(partner, at)| new.nearest(partner, at, |_| true));
        let of = KnownPair {
            issue: 0,
            rule: stale.rule.clone(),
            bodies: sorted(stale.bodies.clone()),
            state: EventState::Stale,
            decision: stale.decision.clone(),
            earlier: None,
            note: Some(with_proposal(scene, stale.problem.clone(), proposed)),
        };
        let issue = without_events(&of, severity(&requirements, &of.rule), of.note.clone());
        without.push((of, issue));
    }
    (with_events, without)
}

/// The severity of the rule of this name; the default if there is none.
fn severity(requirements: &Requirements, rule: &str) -> Severity {
    let index = (0..requirements.count()).find(|&index| requirements.name(index) == rule);
    index.and_then(|index| requirements.rules().get(index)).map(|rule| rule.severity).unwrap_or_default()
}

/// An issue of one pair that has no event.
fn without_events(pair: &KnownPair, severity: Severity, note: Option<String>) -> Issue {
    Issue {
        id: id(&pair.rule, &pair.bodies),
        group: pair.bodies.join(" / "),
        rule_name: pair.rule.clone(),
        severity,
        pairs: 1,
        sum: Err(pair.state),
        note,
    }
}

pub(super) fn sorted(mut names: [String; 2]) -> [String; 2] {
    names.sort();
    names
}

/// A problem with a body, and the body that may be meant.
pub(super) fn with_proposal(scene: &Scene, problem: String, proposed: Option<u32>) -> String {
    match proposed {
        Some(body) => {
            let name = &scene.bodies[body as usize].name;
            format!("{problem}; is it `{name}` now, which is new and as near?")
        }
        None => problem,
    }
}

/// Pairs that nobody decided about: by rule and body, the partners with the lower ends of their
/// distances.
pub(super) struct NewPartners(FxHashMap<(u32, u32), Vec<(f64, u32)>>);

impl NewPartners {
    pub(super) fn of(sums: &[(RulePair, EventSum)]) -> Self {
        let mut partners: FxHashMap<(u32, u32), Vec<(f64, u32)>> = FxHashMap::default();
        for ((rule, a, b), sum) in sums.iter().filter(|(_, sum)| sum.state == EventState::New) {
            partners.entry((*rule, *a)).or_default().push((sum.lower, *b));
            partners.entry((*rule, *b)).or_default().push((sum.lower, *a));
        }
        Self(partners)
    }

    /// The body that may be one that is no more, under another name: it clashes with the same
    /// partner under the same rule, and it is as near, within a tenth of the distance `at` or of a
    /// millimetre.
    pub(super) fn nearest(&self, partner: (u32, u32), at: f64, may_be: impl Fn(u32) -> bool) -> Option<u32> {
        let off = |lower: f64| (lower - at).abs();
        let new = self.0.get(&partner)?.iter().filter(|(_, body)| may_be(*body));
        let (lower, body) = new.min_by(|one, other| off(one.0).total_cmp(&off(other.0)))?;
        (off(*lower) <= (0.1 * at.abs()).max(1e-4)).then_some(*body)
    }
}
