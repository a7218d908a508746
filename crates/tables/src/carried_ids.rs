//! Ids that issues take over from those of an earlier result.
//!
//! An earlier id goes to the issue with which its issue has most pairs in common; ties go to the
//! earlier issue, then to the later one, that is listed first. Issues with events come before those
//! without. Each id is used once: an earlier issue whose id nobody takes over stays in the table
//! without events.

use super::issue::{EventSum, Issue, RulePair, id};
use super::known_pairs::{KnownPair, NewPartners, sorted, with_proposal};
use clearsweep_model::{Decision, EarlierIssue, EarlierIssues, EarlierPair, EventState, Scene};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;

/// A rule and a pair of bodies, by their names; those of the bodies are sorted.
type PairName<'a> = (&'a str, [&'a str; 2]);

/// An earlier pair: its issue and its place there.
type EarlierPlace = (usize, usize);

/// Names by which pairs that are gone are looked up.
struct Now<'a> {
    /// Earlier pairs.
    places: FxHashMap<PairName<'a>, EarlierPlace>,
    /// Bodies of the scene.
    bodies: FxHashMap<&'a str, u32>,
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
    /// How many of the first issues have events.
    pub(super) with_events: usize,
}

impl Carrying<'_> {
    /// Gives issues their earlier ids, and adds the earlier issues and pairs that have no event any
    /// more.
    pub(super) fn carry(&self, issues: &mut Vec<Issue>, known: &mut Vec<KnownPair>) {
        let places = self.places();
        let mut shared: FxHashMap<(usize, usize), u64> = FxHashMap::default();
        let mut is_listed: FxHashSet<EarlierPlace> = FxHashSet::default();
        for (&(rule, a, b), &issue) in self.of_pair {
            let (name, requirements) =
                (|body: u32| self.scene.bodies[body as usize].name.as_str(), self.scene.requirements());
            let bodies = [name(a).min(name(b)), name(a).max(name(b))];
            if let Some(&at) = places.get(&(requirements.name(rule as usize), bodies)) {
                *shared.entry((at.0, issue as usize)).or_default() += 1;
                is_listed.insert(at);
            }
        }
        for pair in known.iter_mut() {
            let [a, b] = &pair.bodies;
            let Some(&at) = places.get(&(pair.rule.as_str(), [a.as_str(), b.as_str()])) else { continue };
            pair.earlier = Some(self.earlier.issues[at.0].pairs[at.1].clone());
            is_listed.insert(at);
            if pair.issue as usize >= self.with_events {
                *shared.entry((at.0, pair.issue as usize)).or_default() += 1;
            }
        }
        let owners = self.assign(&shared, issues);
        let names = self.scene.bodies.iter().zip(0..).map(|(body, index)| (body.name.as_str(), index));
        let now = Now { places, bodies: names.collect(), new: NewPartners::of(self.sums) };
        for (number, (earlier, owner)) in self.earlier.issues.iter().zip(owners).enumerate() {
            let issue = owner.unwrap_or(issues.len());
            let heirs = shared.iter().filter(|((from, to), _)| *from == number && *to < self.with_events);
            let heir = heirs.max_by_key(|((_, to), count)| (**count, Reverse(*to)));
            let heir = heir.filter(|_| owner.is_none()).map(|((_, to), _)| issues[*to].id.clone());
            let gone: Vec<KnownPair> = (earlier.pairs.iter().enumerate())
                .filter_map(|(at, pair)| match (is_listed.contains(&(number, at)), &heir) {
                    (false, _) => Some(self.gone(earlier, pair, issue, &now)),
                    (true, Some(heir)) => Some(moved(earlier, pair, issue, heir)),
                    (true, None) => None,
                })
                .collect();
            if owner.is_none() {
                issues.push(closed(earlier, &gone, heir.as_deref()));
            }
            known.extend(gone);
        }
    }

    /// Earlier pairs by their names.
    fn places(&self) -> FxHashMap<PairName<'_>, EarlierPlace> {
        let mut places = FxHashMap::default();
        for (number, issue) in self.earlier.issues.iter().enumerate() {
            for (at, pair) in issue.pairs.iter().enumerate() {
                let [a, b] = &pair.bodies;
                places.entry((issue.rule.as_str(), [a.as_str(), b.as_str()])).or_insert((number, at));
            }
        }
        places
    }

    /// Gives issues the ids of earlier issues, by the numbers of pairs that they share: returns the
    /// issue that has each earlier id.
    fn assign(&self, shared: &FxHashMap<(usize, usize), u64>, issues: &mut [Issue]) -> Vec<Option<usize>> {
        let mut offers: Vec<_> =
            shared.iter().map(|(&(from, to), &count)| (to >= self.with_events, Reverse(count), from, to)).collect();
        offers.sort_unstable();
        let mut owners = vec![None; self.earlier.issues.len()];
        let mut has_earlier_id = vec![false; issues.len()];
        for (_, _, from, to) in offers {
            if owners[from].is_none() && !has_earlier_id[to] {
                (owners[from], has_earlier_id[to]) = (Some(to), true);
                issues[to].id.clone_from(&self.earlier.issues[from].id);
            }
        }
        let mut taken: FxHashSet<String> = self.earlier.issues.iter().map(|issue| issue.id.clone()).collect();
        for (issue, _) in issues.iter_mut().zip(has_earlier_id).filter(|(_, has)| !has) {
            while !taken.insert(issue.id.clone()) {
                issue.id = id(&issue.id, &[]);
            }
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
            decision: Decision::default(),
            earlier: Some(pair.clone()),
            note,
        }
    }
}

/// A pair of an earlier issue that is closed, since another issue has the pair now.
fn moved(earlier: &EarlierIssue, pair: &EarlierPair, issue: usize, heir: &str) -> KnownPair {
    KnownPair {
        issue: issue as u32,
        rule: earlier.rule.clone(),
        bodies: sorted(pair.bodies.clone()),
        state: EventState::Resolved,
        decision: Decision::default(),
        earlier: Some(pair.clone()),
        note: Some(format!("it belongs to issue {heir} now")),
    }
}

/// An earlier issue whose id no issue has taken over. `heir`: the issue that has most of its pairs.
fn closed(earlier: &EarlierIssue, gone: &[KnownPair], heir: Option<&str>) -> Issue {
    let note = match (heir, gone) {
        (Some(heir), _) => format!("its pairs belong to issue {heir} now"),
        (None, [pair]) if pair.note.is_some() => pair.note.clone().unwrap_or_default(),
        (None, [_]) => "the pair does not violate the rule any more".to_owned(),
        (None, pairs) => format!("none of its {} pairs violates the rule any more", pairs.len()),
    };
    Issue {
        id: earlier.id.clone(),
        group: earlier.group.clone(),
        rule_name: earlier.rule.clone(),
        severity: earlier.severity,
        pairs: earlier.pairs.len() as u64,
        sum: Err(gone.iter().map(|pair| pair.state).min().unwrap_or(EventState::Resolved)),
        note: Some(note),
    }
}
