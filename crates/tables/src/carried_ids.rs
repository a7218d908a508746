//! Ids that issues take over from those of an earlier result.
//!
//! An earlier id goes to the issue with which its issue has most pairs in common; ties go to the
//! earlier issue, then to the later one, that is listed first. Each id is used once: an earlier
//! issue whose id nobody takes over stays in the table without events.

use super::issue::{EventSum, Issue, RulePair, id};
use super::known_pairs::{KnownPair, NewPartners, UnseenPair, sorted, with_proposal};
use clearsweep_model::{Decision, EarlierIssue, EarlierIssues, EarlierPair, EventState, Scene};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A rule and a pair of bodies, by their names; those of the bodies are sorted.
type PairName<'a> = (&'a str, [&'a str; 2]);

/// An earlier pair: its issue and its place there.
type EarlierPlace = (usize, usize);

/// Names by which earlier pairs are looked up.
struct Now<'a> {
    /// Earlier pairs.
    places: FxHashMap<PairName<'a>, EarlierPlace>,
    /// The issue that an earlier pair belongs to now, by its index.
    issue_of: FxHashMap<PairName<'a>, usize>,
    /// Bodies of the scene.
    bodies: FxHashMap<&'a str, u32>,
    /// Decisions about earlier pairs that have no event.
    decisions: FxHashMap<PairName<'a>, Decision>,
    new: NewPartners,
}

/// The issues of a job, while those of an earlier result are compared with them.
pub(super) struct Carrying<'a> {
    pub(super) scene: &'a Scene,
    pub(super) earlier: &'a EarlierIssues,
    /// Sums of all pairs with events, sorted.
    pub(super) sums: &'a [(RulePair, EventSum)],
    /// Index of the issue of each pair with events.
    pub(super) of_pair: &'a FxHashMap<RulePair, u32>,
}

impl Carrying<'_> {
    /// Gives issues their earlier ids, and adds the earlier issues and pairs without an event. A
    /// decided pair without an event stays in its earlier issue, if there is one.
    pub(super) fn carry(&self, issues: &mut Vec<Issue>, known: &mut Vec<KnownPair>, without: &mut Vec<UnseenPair>) {
        let places = self.places();
        let mut shared: FxHashMap<(usize, usize), u64> = FxHashMap::default();
        let mut issue_of: FxHashMap<PairName<'_>, usize> = FxHashMap::default();
        let requirements = self.scene.requirements();
        let body = |body: u32| self.scene.bodies[body as usize].name.as_str();
        for (&(rule, a, b), &issue) in self.of_pair {
            let bodies = [body(a).min(body(b)), body(a).max(body(b))];
            if let Some(&at) = places.get(&(requirements.name(rule as usize), bodies)) {
                *shared.entry((at.0, issue as usize)).or_default() += 1;
                issue_of.insert(self.name(at), issue as usize);
            }
        }
        let place = |pair: &KnownPair| {
            let [a, b] = &pair.bodies;
            places.get(&(pair.rule.as_str(), [a.as_str(), b.as_str()])).copied()
        };
        for pair in known.iter_mut() {
            if let Some(at) = place(pair) {
                pair.earlier = Some(self.earlier.issues[at.0].pairs[at.1].clone());
            }
        }
        let mut decisions = FxHashMap::default();
        without.retain(|(pair, _)| {
            let at = place(pair);
            decisions.extend(at.map(|at| (self.name(at), pair.decision.clone())));
            at.is_none()
        });
        let owners = self.assign(&shared, issues);
        let names = self.scene.bodies.iter().zip(0..).map(|(body, index)| (body.name.as_str(), index));
        let new = NewPartners::of(self.sums);
        let now = Now { places, issue_of, bodies: names.collect(), decisions, new };
        for (earlier, owner) in self.earlier.issues.iter().zip(owners) {
            match owner {
                Some(issue) => self.add_solved(earlier, issue, known, &now),
                None => self.add_closed(earlier, issues, known, &now),
            }
        }
        let mut taken: FxHashSet<String> = issues.iter().map(|issue| issue.id.clone()).collect();
        without.iter_mut().for_each(|(_, issue)| make_unique(&mut issue.id, &mut taken));
    }

    /// Adds the pairs of an earlier issue that have no event any more to the issue that has its id.
    fn add_solved(&self, earlier: &EarlierIssue, issue: usize, known: &mut Vec<KnownPair>, now: &Now<'_>) {
        let gone = earlier.pairs.iter().filter(|pair| !now.issue_of.contains_key(&name(earlier, pair)));
        known.extend(gone.map(|pair| self.gone(earlier, pair, issue, now)));
    }

    /// Adds an earlier issue whose id no issue has taken over, with all its pairs.
    fn add_closed(&self, earlier: &EarlierIssue, issues: &mut Vec<Issue>, known: &mut Vec<KnownPair>, now: &Now<'_>) {
        let mut heirs: BTreeMap<usize, u64> = BTreeMap::new();
        let mut pairs = Vec::new();
        for pair in &earlier.pairs {
            let mut gone = self.gone(earlier, pair, issues.len(), now);
            if let Some(&heir) = now.issue_of.get(&name(earlier, pair)) {
                *heirs.entry(heir).or_default() += 1;
                (gone.state, gone.note) =
                    (EventState::Resolved, Some(format!("it belongs to issue {} now", issues[heir].id)));
            }
            pairs.push(gone);
        }
        let heir = heirs.into_iter().max_by_key(|(heir, count)| (*count, Reverse(*heir)));
        let note = closing_note(&pairs, heir.map(|(heir, count)| (issues[heir].id.as_str(), count)));
        issues.push(Issue {
            id: earlier.id.clone(),
            group: earlier.group.clone(),
            rule_name: earlier.rule.clone(),
            severity: earlier.severity,
            pairs: pairs.len() as u64,
            sum: Err(pairs.iter().map(|pair| pair.state).min().unwrap_or(EventState::Resolved)),
            note: Some(note),
        });
        known.extend(pairs);
    }

    /// The name of an earlier pair.
    fn name(&self, (issue, pair): EarlierPlace) -> PairName<'_> {
        let issue = &self.earlier.issues[issue];
        name(issue, &issue.pairs[pair])
    }

    /// Earlier pairs by their names.
    fn places(&self) -> FxHashMap<PairName<'_>, EarlierPlace> {
        let mut places = FxHashMap::default();
        for (number, issue) in self.earlier.issues.iter().enumerate() {
            for (at, pair) in issue.pairs.iter().enumerate() {
                places.entry(name(issue, pair)).or_insert((number, at));
            }
        }
        places
    }

    /// Gives issues the ids of earlier issues, by the numbers of pairs that they share: returns the
    /// issue that has each earlier id.
    fn assign(&self, shared: &FxHashMap<(usize, usize), u64>, issues: &mut [Issue]) -> Vec<Option<usize>> {
        let mut offers: Vec<_> = shared.iter().map(|(&(from, to), &count)| (Reverse(count), from, to)).collect();
        offers.sort_unstable();
        let mut owners = vec![None; self.earlier.issues.len()];
        let mut has_earlier_id = vec![false; issues.len()];
        for (_, from, to) in offers {
            if owners[from].is_none() && !has_earlier_id[to] {
                (owners[from], has_earlier_id[to]) = (Some(to), true);
                issues[to].id.clone_from(&self.earlier.issues[from].id);
            }
        }
        let mut taken: FxHashSet<String> = self.earlier.issues.iter().map(|issue| issue.id.clone()).collect();
        for (issue, _) in issues.iter_mut().zip(has_earlier_id).filter(|(_, has)| !has) {
            make_unique(&mut issue.id, &mut taken);
        }
        owners
    }

    /// An earlier pair that has no event any more.
    fn gone(&self, earlier: &EarlierIssue, pair: &EarlierPair, issue: usize, now: &Now<'_>) -> KnownPair {
        let requirements = self.scene.requirements();
        let rule = (0..requirements.count()).find(|&rule| requirements.name(rule) == earlier.rule);
        let [a, b] = pair.bodies.each_ref().map(|name| now.bodies.get(name.as_str()).copied());
        let (state, note) = match (rule, a, b) {
            (None, ..) => (EventState::Stale, Some(format!("no rule has the name `{}`", earlier.rule))),
            (_, Some(a), Some(b)) => {
                let is_ignored = self.scene.ignored.contains(a, b);
                (EventState::Resolved, is_ignored.then(|| "the pair is ignored".to_owned()))
            }
            (Some(rule), a, b) => {
                let partner = a.or(b);
                let is_new = |body: u32| {
                    let other = partner.map_or("", |partner| &self.scene.bodies[partner as usize].name);
                    let name = self.scene.bodies[body as usize].name.as_str();
                    !now.places.contains_key(&(earlier.rule.as_str(), [name.min(other), name.max(other)]))
                };
                let proposed = partner
                    .zip(pair.bracket_m[0])
                    .and_then(|(partner, at)| now.new.nearest((rule as u32, partner), at, is_new));
                let missing = &pair.bodies[usize::from(a.is_some())];
                (
                    EventState::Stale,
                    Some(with_proposal(self.scene, format!("no body has the name `{missing}`"), proposed)),
                )
            }
        };
        KnownPair {
            issue: issue as u32,
            rule: earlier.rule.clone(),
            bodies: sorted(pair.bodies.clone()),
            state,
            decision: now.decisions.get(&name(earlier, pair)).cloned().unwrap_or_default(),
            earlier: Some(pair.clone()),
            note,
        }
    }
}

/// The rule and the bodies of an earlier pair.
fn name<'a>(issue: &'a EarlierIssue, pair: &'a EarlierPair) -> PairName<'a> {
    let [a, b] = &pair.bodies;
    (&issue.rule, [a, b])
}

/// Replaces an id that is taken, and takes it.
fn make_unique(of: &mut String, taken: &mut FxHashSet<String>) {
    while !taken.insert(of.clone()) {
        *of = id(of, &[]);
    }
}

/// A note on what has become of the pairs of an earlier issue. `heir`: the issue that has most of
/// them, and how many.
fn closing_note(pairs: &[KnownPair], heir: Option<(&str, u64)>) -> String {
    let all = pairs.len();
    match (heir, pairs) {
        (Some((heir, count)), _) if count == all as u64 => format!("its pairs belong to issue {heir} now"),
        (Some((heir, count)), _) => format!("{count} of its {all} pairs belong to issue {heir} now"),
        (None, [KnownPair { note: Some(note), .. }]) => note.clone(),
        (None, [_]) => "the pair does not violate the rule any more".to_owned(),
        (None, _) => {
            let solved = format!("none of its {all} pairs violates the rule any more");
            let Some(note) = pairs.iter().find_map(|pair| pair.note.as_ref()) else { return solved };
            match pairs.iter().filter(|pair| pair.note.as_ref() == Some(note)).count() {
                count if count == all => format!("{solved}: {note}"),
                count => format!("{solved} ({count}: {note})"),
            }
        }
    }
}
