//! Issues: the events of a job, gathered into what somebody works off.

use super::carried_ids::Carrying;
use super::events::{EventLog, LoggedEvent};
use super::issue::{EventSum, Issue, RulePair, id};
use super::known_pairs::{KnownPair, decided, sorted};
use super::totals::IssueCounts;
use clearsweep_base::error::Result;
use clearsweep_model::{EventState, IssueGroup, Requirements, Scene, Severity, StaleDisposition};
use clearsweep_records::EventKind;
use rustc_hash::FxHashMap;
use std::collections::BinaryHeap;

/// Stale decisions that the summary of the job names.
const STALE_TOLD: usize = 20;

/// The issues of a job, and which of them each event belongs to.
pub(super) struct Issues {
    /// In the order of the table.
    pub(super) issues: Vec<Issue>,
    /// Index into `issues` of each pair under its rule.
    of_pair: FxHashMap<RulePair, u32>,
    /// Pairs that are known from before, in the order of their issues.
    pub(super) known: Vec<KnownPair>,
    /// How many there are, by state.
    pub(super) counts: IssueCounts,
}

impl Issues {
    /// Gathers the events of a log.
    ///
    /// # Errors
    /// The log cannot be read.
    pub(super) fn gather(log: &mut EventLog, scene: &Scene) -> Result<Self> {
        let mut counts = IssueCounts::default();
        let mut pairs: FxHashMap<RulePair, EventSum> = FxHashMap::default();
        log.read(&mut |events| {
            for logged in events {
                let state = state(scene, logged);
                counts.events[state as usize] += 1;
                let sum = EventSum::of(logged, state);
                pairs.entry(key(logged)).and_modify(|known| known.add(&sum)).or_insert(sum);
            }
            Ok(())
        })?;
        let mut sums: Vec<(RulePair, EventSum)> = pairs.into_iter().collect();
        sums.sort_unstable_by_key(|(pair, _)| *pair);
        let mut gathering =
            Gathering { scene, requirements: scene.requirements(), issues: Vec::new(), of_pair: FxHashMap::default() };
        for of_rule in sums.chunk_by(|one, next| one.0.0 == next.0.0) {
            gathering.rule(of_rule);
        }
        let Gathering { mut issues, of_pair, .. } = gathering;
        let (mut known, mut without) = decided(scene, &sums, &of_pair);
        if let Some(earlier) = &scene.earlier_issues {
            let carrying = Carrying { scene, earlier, sums: &sums, of_pair: &of_pair };
            carrying.carry(&mut issues, &mut known, &mut without);
        }
        for (mut pair, issue) in without {
            pair.issue = issues.len() as u32;
            known.push(pair);
            issues.push(issue);
        }
        counts.stale = scene.dispositions.stale.iter().take(STALE_TOLD).map(|row| told(row, &known)).collect();
        issues.iter().for_each(|issue| counts.issues[issue.state() as usize] += 1);
        let (issues, of_pair) = in_order(issues, of_pair, &mut known);
        known.sort_by_key(|pair| pair.issue);
        Ok(Self { issues, of_pair, known, counts })
    }

    /// The state and the issue of an event.
    pub(super) fn of(&self, logged: &LoggedEvent, scene: &Scene) -> (EventState, u32) {
        (state(scene, logged), self.of_pair.get(&key(logged)).copied().unwrap_or_default())
    }
}

/// The rule and the bodies of a stale decision, and what is no more.
fn told(row: &StaleDisposition, known: &[KnownPair]) -> [String; 4] {
    let [a, b] = sorted(row.bodies.clone());
    let pair = known.iter().find(|pair| pair.rule == row.rule && pair.bodies == [a.as_str(), b.as_str()]);
    let note = pair.and_then(|pair| pair.note.as_ref()).unwrap_or(&row.problem);
    [row.rule.clone(), a, b, note.clone()]
}

fn key(logged: &LoggedEvent) -> RulePair {
    let (a, b) = logged.event.pair_indices();
    (logged.rule, a, b)
}

fn state(scene: &Scene, logged: &LoggedEvent) -> EventState {
    let (a, b) = logged.event.pair_indices();
    scene.dispositions.state(logged.rule, a, b, logged.event.lower)
}

/// Issues while they are made.
struct Gathering<'a> {
    scene: &'a Scene,
    requirements: Requirements,
    issues: Vec<Issue>,
    of_pair: FxHashMap<RulePair, u32>,
}

impl Gathering<'_> {
    /// Gathers the pairs of a rule, which are sorted.
    fn rule(&mut self, pairs: &[(RulePair, EventSum)]) {
        match self.scene.issue_group {
            IssueGroup::Rule => {
                let all: Vec<usize> = (0..pairs.len()).collect();
                let name = self.requirements.name(pairs[0].0.0 as usize).to_owned();
                self.add(pairs, &all, &[], name);
            }
            IssueGroup::Pair => (0..pairs.len()).for_each(|pair| self.pair(pairs, pair)),
            IssueGroup::Parent => self.by_parents(pairs),
            IssueGroup::Element => self.by_elements(pairs),
        }
    }

    fn name(&self, body: u32) -> &str {
        &self.scene.bodies[body as usize].name
    }

    /// An issue of one pair.
    fn pair(&mut self, pairs: &[(RulePair, EventSum)], pair: usize) {
        let (_, a, b) = pairs[pair].0;
        let mut names = [self.name(a).to_owned(), self.name(b).to_owned()];
        names.sort();
        let group = names.join(" / ");
        self.add(pairs, &[pair], &names, group);
    }

    /// Issues by the nodes above both bodies; a body without one stands for itself.
    fn by_parents(&mut self, pairs: &[(RulePair, EventSum)]) {
        let above = |body: u32| {
            let name = self.scene.parent_name(body).unwrap_or_else(|| self.name(body));
            name.to_owned()
        };
        let mut groups: std::collections::BTreeMap<[String; 2], Vec<usize>> = std::collections::BTreeMap::new();
        for (index, ((_, a, b), _)) in pairs.iter().enumerate() {
            let mut names = [above(*a), above(*b)];
            names.sort();
            groups.entry(names).or_default().push(index);
        }
        for (names, of) in groups {
            let group = if names[0] == names[1] { names[0].clone() } else { names.join(" / ") };
            self.add(pairs, &of, &names, group);
        }
    }

    /// Issues by the body that is in most of the pairs that are left, then the next one, and so on.
    /// A body of a single pair leads nothing.
    fn by_elements(&mut self, pairs: &[(RulePair, EventSum)]) {
        let mut of_body: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for (index, ((_, a, b), _)) in pairs.iter().enumerate() {
            of_body.entry(*a).or_default().push(index);
            of_body.entry(*b).or_default().push(index);
        }
        let mut left: FxHashMap<u32, usize> = of_body.iter().map(|(&body, of)| (body, of.len())).collect();
        // Most pairs first, of equal numbers the first name, so that an id stays over revisions.
        let entry = |scene: &Scene, count: usize, body: u32| {
            (count, std::cmp::Reverse(scene.bodies[body as usize].name.clone()), body)
        };
        let mut heap: BinaryHeap<_> = left.iter().map(|(&body, &count)| entry(self.scene, count, body)).collect();
        let mut is_taken = vec![false; pairs.len()];
        while let Some((count, _, body)) = heap.pop() {
            let now = left[&body];
            if now < count {
                if now > 0 {
                    heap.push(entry(self.scene, now, body));
                }
                continue;
            }
            let of: Vec<usize> = of_body[&body].iter().copied().filter(|&pair| !is_taken[pair]).collect();
            for &pair in &of {
                is_taken[pair] = true;
                let (_, a, b) = pairs[pair].0;
                for body in [a, b] {
                    left.entry(body).and_modify(|left| *left -= 1);
                }
            }
            match of[..] {
                [] => {}
                [pair] => self.pair(pairs, pair),
                _ => {
                    let name = self.name(body).to_owned();
                    self.add(pairs, &of, std::slice::from_ref(&name), name.clone());
                }
            }
        }
    }

    fn add(&mut self, pairs: &[(RulePair, EventSum)], of: &[usize], leading: &[String], group: String) {
        let rule = pairs[of[0]].0.0;
        let mut sum = pairs[of[0]].1;
        of[1..].iter().for_each(|&pair| sum.add_pair(&pairs[pair].1));
        let written = self.requirements.rules().get(rule as usize);
        let rule_name = self.requirements.name(rule as usize).to_owned();
        let number = self.issues.len() as u32;
        self.of_pair.extend(of.iter().map(|&pair| (pairs[pair].0, number)));
        self.issues.push(Issue {
            id: id(&rule_name, leading),
            group,
            severity: written.map_or(Severity::default(), |rule| rule.severity),
            note: written.and_then(|rule| rule.note.clone()),
            rule_name,
            pairs: of.len() as u64,
            sum: Ok(sum),
        });
    }
}

/// Duplicates first, then what needs people most, what matters most, and what is nearest.
fn in_order(
    issues: Vec<Issue>,
    of_pair: FxHashMap<RulePair, u32>,
    known: &mut [KnownPair],
) -> (Vec<Issue>, FxHashMap<RulePair, u32>) {
    let mut order: Vec<u32> = (0..issues.len() as u32).collect();
    let rank = |index: u32| {
        let issue = &issues[index as usize];
        let (kind, upper) = issue.sum.map_or((EventKind::Near, f64::INFINITY), |sum| (sum.kind, sum.upper));
        (kind != EventKind::Coincident, issue.state(), std::cmp::Reverse(issue.severity), upper)
    };
    order.sort_by(|&one, &other| {
        let ((a, b, c, upper), (d, e, f, other_upper)) = (rank(one), rank(other));
        (a, b, c)
            .cmp(&(d, e, f))
            .then(upper.total_cmp(&other_upper))
            .then_with(|| issues[one as usize].id.cmp(&issues[other as usize].id))
    });
    let mut place = vec![0; issues.len()];
    order.iter().zip(0..).for_each(|(&index, at)| place[index as usize] = at);
    let of_pair = of_pair.into_iter().map(|(pair, index)| (pair, place[index as usize])).collect();
    known.iter_mut().for_each(|pair| pair.issue = place[pair.issue as usize]);
    let mut issues: Vec<Option<Issue>> = issues.into_iter().map(Some).collect();
    (order.iter().filter_map(|&index| issues[index as usize].take()).collect(), of_pair)
}
