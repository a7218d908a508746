//! Issues: the events of a job, gathered into what somebody works off.

use super::carried_ids::Carrying;
use super::events::{EventLog, LoggedEvent};
use super::known_pairs::{KnownPair, decided};
use super::totals::IssueCounts;
use clearsweep_base::error::Result;
use clearsweep_geometry::Pose;
use clearsweep_model::{EventState, IssueGroup, Requirements, Scene, Severity};
use clearsweep_records::EventKind;
use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};
use std::collections::BinaryHeap;

/// Stale decisions that the summary of the job names.
const STALE_TOLD: usize = 20;

/// Hexadecimal digits of an id.
const ID_DIGITS: usize = 12;

/// A rule (index) with a pair of bodies (indices, ascending).
pub(super) type RulePair = (u32, u32, u32);

/// What a pair of bodies, or an issue, has of events.
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
    /// What its events have in common: a body, both bodies, a node, or the rule.
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
    /// An issue of one pair that has no event.
    pub(super) fn without_events(pair: &KnownPair, severity: Severity, note: Option<String>) -> Self {
        Self {
            id: id(&pair.rule, &pair.bodies),
            group: pair.bodies.join(" / "),
            rule_name: pair.rule.clone(),
            severity,
            pairs: 1,
            sum: Err(pair.state),
            note,
        }
    }

    /// Its state.
    pub(super) fn state(&self) -> EventState {
        self.sum.map_or_else(|state| state, |sum| sum.state)
    }
}

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
        let mut sorted: Vec<(RulePair, EventSum)> = pairs.into_iter().collect();
        sorted.sort_unstable_by_key(|(pair, _)| *pair);
        let mut gathering =
            Gathering { scene, requirements: scene.requirements(), issues: Vec::new(), of_pair: FxHashMap::default() };
        for of_rule in sorted.chunk_by(|one, next| one.0.0 == next.0.0) {
            gathering.rule(of_rule);
        }
        let Gathering { mut issues, of_pair, .. } = gathering;
        let with_events = issues.len();
        let mut known = decided(scene, &sorted, &of_pair, &mut issues);
        let stale = known.iter().filter(|pair| pair.state == EventState::Stale).take(STALE_TOLD).map(|pair| {
            let [a, b] = pair.bodies.clone();
            [pair.rule.clone(), a, b, pair.note.clone().unwrap_or_default()]
        });
        counts.stale = stale.collect();
        if let Some(earlier) = &scene.earlier_issues {
            let carrying = Carrying { scene, earlier, sums: &sorted, of_pair: &of_pair, with_events };
            carrying.carry(&mut issues, &mut known);
        }
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

fn key(logged: &LoggedEvent) -> RulePair {
    let (a, b) = logged.event.pair_indices();
    (logged.rule, a, b)
}

fn state(scene: &Scene, logged: &LoggedEvent) -> EventState {
    let (a, b) = logged.event.pair_indices();
    scene.dispositions.state(logged.rule, a, b, logged.event.lower)
}

impl EventSum {
    fn of(logged: &LoggedEvent, state: EventState) -> Self {
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
    fn add(&mut self, other: &Self) {
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

impl EventSum {
    /// Adds what another pair has.
    fn add_pair(&mut self, other: &Self) {
        let runs = self.runs + other.runs;
        self.add(other);
        self.runs = runs;
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
