//! Join of samples and intervals, one frame after another.

use super::finding::{AuditFinding, FindingKind};
use clearsweep_base::error::Result;
use clearsweep_model::{Dispositions, IntervalMethod, Requirements, Scene};
use clearsweep_records::{DistanceBracket, IntervalContact, OfPair, Rows, StoredRecord, Table};
use rustc_hash::{FxHashMap, FxHashSet};
use std::iter::Peekable;
use std::sync::Arc;

/// A run and a frame.
pub(super) type FrameKey = (i64, i64);

/// The rows of a table, frame by frame.
pub(super) struct FrameRows<R: StoredRecord>(Peekable<Rows<R>>);

impl<R: StoredRecord + OfPair> FrameRows<R> {
    pub(super) fn new(table: Table<R>) -> Self {
        Self(table.rows().peekable())
    }

    /// Run and frame of the next row.
    pub(super) fn key(&mut self) -> Result<Option<FrameKey>> {
        match self.0.peek() {
            Some(Ok(row)) => Ok(Some((row.pair().run, row.frame()))),
            Some(Err(_)) => self.0.next().transpose().map(|_| None),
            None => Ok(None),
        }
    }

    /// Puts the rows of a frame into `rows`, in place of others.
    pub(super) fn take(&mut self, key: FrameKey, rows: &mut Vec<R>) -> Result<()> {
        rows.clear();
        while self.key()? == Some(key) {
            rows.extend(self.0.next().transpose()?);
        }
        Ok(())
    }
}

/// Takes the findings.
type Tell<'a> = dyn FnMut(&AuditFinding) -> Result<()> + 'a;

/// Numbers of what was looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Seen {
    pub(super) rows: u64,
    pub(super) intervals: u64,
    /// Accepted tunnels and overlaps.
    pub(super) accepted: [u64; 2],
    pub(super) intervals_undecided: u64,
    pub(super) intervals_limited: u64,
    pub(super) rows_uncertified: u64,
    pub(super) rows_undecided: u64,
}

/// An overlap that may go on in the next frame.
struct Stretch {
    finding: AuditFinding,
    /// The frame in which it goes on, if it does.
    next: Option<i64>,
}

/// An interval that begins with bodies apart, and matters if it ends so, too.
struct OpenInterval {
    frame_next: i64,
    bodies: [u32; 2],
    answer: OpenAnswer,
}

/// The proven answer about an interval that begins with bodies apart.
enum OpenAnswer {
    Contact(AuditFinding),
    Accepted,
    Undecided { is_limited: bool },
}

/// Decisions of people about pairs.
pub(super) struct Decisions {
    requirements: Requirements,
    dispositions: Arc<Dispositions>,
}

impl Decisions {
    pub(super) fn of(scene: &Scene) -> Self {
        Self { requirements: scene.requirements(), dispositions: Arc::clone(&scene.dispositions) }
    }

    /// Whether an overlap of the pair is accepted. `lower`: proven lower bound of the distance,
    /// metres.
    fn accept(&self, [a, b]: [u32; 2], lower: Option<f64>) -> bool {
        if self.dispositions.is_empty() {
            return false;
        }
        let rule = self.requirements.rule(a, b) as u32;
        !self.dispositions.state(rule, a, b, lower.unwrap_or(f64::NEG_INFINITY)).is_open()
    }
}

/// State between two frames of a run.
pub(super) struct FrameJoin {
    touch: f64,
    /// Depth beyond which an overlap is a finding, metres.
    limit: f64,
    decisions: Decisions,
    run: Option<i64>,
    stretches: FxHashMap<[u32; 2], Stretch>,
    /// Pairs that are not proven to be apart in the frame.
    near: FxHashSet<[u32; 2]>,
    /// Overlaps that have ended.
    ended: Vec<AuditFinding>,
    open: Vec<OpenInterval>,
    seen: Seen,
}

impl FrameJoin {
    pub(super) fn new(touch: f64, allow: f64, decisions: Decisions) -> Self {
        Self {
            touch,
            limit: allow.max(touch),
            decisions,
            run: None,
            stretches: FxHashMap::default(),
            near: FxHashSet::default(),
            ended: Vec::new(),
            open: Vec::new(),
            seen: Seen::default(),
        }
    }

    pub(super) fn limit(&self) -> f64 {
        self.limit
    }

    pub(super) fn seen(&self) -> Seen {
        self.seen
    }

    /// Takes all rows of a frame, and the intervals that begin with it.
    pub(super) fn frame(
        &mut self,
        (run, frame): FrameKey,
        rows: &[DistanceBracket],
        intervals: &[IntervalContact],
        tell: &mut Tell<'_>,
    ) -> Result<()> {
        if self.run != Some(run) {
            self.end(tell)?;
            self.run = Some(run);
        }
        self.near.clear();
        rows.iter().for_each(|row| self.sample((run, frame), row));
        self.close_intervals(frame, tell)?;
        self.close_stretches(frame, tell)?;
        intervals.iter().for_each(|interval| self.interval((run, frame), interval));
        Ok(())
    }

    /// Ends the run: nothing goes on.
    pub(super) fn end(&mut self, tell: &mut Tell<'_>) -> Result<()> {
        self.near.clear();
        self.close_intervals(i64::MAX, tell)?;
        self.close_stretches(i64::MAX, tell)
    }

    fn sample(&mut self, (run, frame): FrameKey, row: &DistanceBracket) {
        let (bodies, time_s, [lower, upper]) = (row.bodies(), row.time_s, row.bracket_m());
        self.seen.rows += 1;
        if lower.is_none_or(|lower| lower <= self.touch) {
            self.near.insert(bodies);
        }
        let Some(upper) = upper else {
            self.seen.rows_uncertified += 1;
            return;
        };
        let depth_upper = lower.map(|lower| -lower);
        if -upper <= self.limit {
            self.seen.rows_undecided += u64::from(depth_upper.is_none_or(|depth| depth > self.limit));
            return;
        }
        if self.decisions.accept(bodies, lower) {
            self.seen.accepted[FindingKind::Overlap as usize] += 1;
            return;
        }
        let here = AuditFinding {
            kind: FindingKind::Overlap,
            run,
            bodies,
            frames: [frame, frame],
            times_s: [time_s, time_s],
            deepest: Some((frame, time_s)),
            depth_m: (-upper, depth_upper),
            contact: None,
        };
        match self.stretches.get_mut(&bodies) {
            Some(stretch) if stretch.next == Some(frame) => stretch.add(&here),
            open => {
                let ended = open.map(|stretch| stretch.finding);
                self.ended.extend(ended);
                self.stretches.insert(bodies, Stretch { finding: here, next: None });
            }
        }
    }

    fn interval(&mut self, (run, frame): FrameKey, interval: &IntervalContact) {
        let (bodies, frame_next, [lower, upper]) = (interval.bodies(), interval.frame_next, interval.bracket_m());
        let times_s = [interval.time_s, interval.time_next_s];
        let contact = interval.contact_lo.zip(interval.contact_hi).map(|(from, to)| [from, to]);
        self.seen.intervals += 1;
        if let Some(stretch) = self.stretches.get_mut(&bodies) {
            stretch.next = Some(frame_next);
        }
        let is_clear = contact.is_none() && lower.is_some_and(|lower| lower > self.touch);
        if is_clear || self.near.contains(&bodies) {
            return;
        }
        let answer = match contact {
            None => OpenAnswer::Undecided { is_limited: interval.method == IntervalMethod::Limit },
            Some(_) if self.decisions.accept(bodies, lower) => OpenAnswer::Accepted,
            Some(contact) => OpenAnswer::Contact(AuditFinding {
                kind: FindingKind::Tunnel,
                run,
                bodies,
                frames: [frame, frame_next],
                times_s,
                deepest: None,
                depth_m: (upper.map_or(0.0, |upper| (-upper).max(0.0)), lower.map(|lower| (-lower).max(0.0))),
                contact: Some(contact),
            }),
        };
        self.open.push(OpenInterval { frame_next, bodies, answer });
    }

    /// Judges the intervals that end at or before a frame, of which `near` has the pairs that are
    /// not apart.
    fn close_intervals(&mut self, frame: i64, tell: &mut Tell<'_>) -> Result<()> {
        let Self { open, near, seen, .. } = self;
        for interval in open.extract_if(.., |interval| interval.frame_next <= frame) {
            // A frame without rows shows all pairs apart.
            if interval.frame_next == frame && near.contains(&interval.bodies) {
                continue;
            }
            match interval.answer {
                OpenAnswer::Contact(finding) => tell(&finding)?,
                OpenAnswer::Accepted => seen.accepted[FindingKind::Tunnel as usize] += 1,
                OpenAnswer::Undecided { is_limited } => {
                    seen.intervals_undecided += 1;
                    seen.intervals_limited += u64::from(is_limited);
                }
            }
        }
        Ok(())
    }

    /// Tells the stretches that do not go on in a frame.
    fn close_stretches(&mut self, frame: i64, tell: &mut Tell<'_>) -> Result<()> {
        let Self { stretches, ended, .. } = self;
        stretches.retain(|_, stretch| {
            let goes_on = stretch.finding.frames[1] == frame;
            if !goes_on {
                ended.push(stretch.finding);
            }
            goes_on
        });
        ended.sort_unstable_by_key(|finding| (finding.bodies, finding.frames));
        ended.drain(..).try_for_each(|finding| tell(&finding))
    }
}

impl Stretch {
    /// Goes on with the overlap of the next frame.
    fn add(&mut self, here: &AuditFinding) {
        let finding = &mut self.finding;
        (finding.frames[1], finding.times_s[1]) = (here.frames[1], here.times_s[1]);
        if here.depth_m.0 > finding.depth_m.0 {
            (finding.depth_m, finding.deepest) = (here.depth_m, here.deepest);
        }
        self.next = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearsweep_model::PairRules;

    fn join(allow: f64) -> FrameJoin {
        let requirements = Requirements::new(&Arc::new(PairRules::default()), None, &Arc::default());
        FrameJoin::new(1e-6, allow, Decisions { requirements, dispositions: Arc::new(Dispositions::default()) })
    }

    fn row(a: i32, lower: f64, upper: f64) -> DistanceBracket {
        let (lower_m, upper_m) = (Some(lower), Some(upper));
        DistanceBracket { run: 0, frame: 0, a_index: a, b_index: 9, time_s: None, lower_m, upper_m }
    }

    fn between(a: i32, frame_next: i64, contact: bool) -> IntervalContact {
        IntervalContact {
            run: 0,
            frame: 0,
            frame_next,
            a_index: a,
            b_index: 9,
            time_s: Some(0.5),
            time_next_s: Some(0.75),
            lower_m: Some(-0.2),
            upper_m: Some(if contact { -0.1 } else { 0.1 }),
            contact_lo: contact.then_some(0.25),
            contact_hi: contact.then_some(0.5),
            method: if contact { IntervalMethod::Bisection } else { IntervalMethod::Limit },
        }
    }

    fn found(
        join: &mut FrameJoin,
        frames: &[(FrameKey, Vec<DistanceBracket>, Vec<IntervalContact>)],
    ) -> Vec<AuditFinding> {
        let mut found = Vec::new();
        let mut tell = |finding: &AuditFinding| {
            found.push(*finding);
            Ok(())
        };
        for (key, rows, intervals) in frames {
            join.frame(*key, rows, intervals, &mut tell).expect("taken");
        }
        join.end(&mut tell).expect("taken");
        found
    }

    #[test]
    fn a_contact_between_frames_counts_if_both_show_the_bodies_apart() {
        // Pairs 0 to 3: apart at both ends, near at the first, near at the second, undecided. Pair
        // 4 has no rows, and no frame ends it.
        let apart = |a| row(a, 0.5, 0.5);
        let frames = [
            (
                (0, 1),
                vec![apart(0), row(1, -0.1, 0.1), apart(2), apart(3)],
                (0..4).map(|a| between(a, 5, a < 3)).collect(),
            ),
            ((0, 5), vec![apart(0), apart(1), row(2, -0.1, 0.1), apart(3)], vec![between(4, 6, true)]),
            ((1, 5), vec![], vec![]),
        ];
        let mut join = join(0.0);
        let tunnels = found(&mut join, &frames);
        let told: Vec<_> = tunnels.iter().map(|one| (one.kind, one.bodies[0], one.frames, one.depth_m)).collect();
        let tunnel = |a, frames| (FindingKind::Tunnel, a, frames, (0.1, Some(0.2)));
        assert_eq!(told, [tunnel(0, [1, 5]), tunnel(4, [5, 6])]);
        assert_eq!(tunnels[0].contact, Some([0.25, 0.5]));
        let seen = join.seen();
        assert_eq!((seen.intervals, seen.intervals_undecided, seen.intervals_limited), (5, 1, 1));
        assert_eq!(seen.rows_undecided, 2, "rows whose bracket holds `touch`");
    }

    #[test]
    fn an_overlap_is_one_finding_for_each_stretch_of_frames() {
        let deep = |depth: f64| row(0, -depth - 0.01, -depth);
        let frames = [
            ((0, 0), vec![deep(0.2)], vec![between(0, 1, true)]),
            ((0, 1), vec![deep(0.4)], vec![between(0, 2, true)]),
            ((0, 2), vec![deep(0.3)], vec![between(0, 3, true)]),
            ((0, 3), vec![deep(0.05)], vec![between(0, 4, true)]),
            // A gap behind the next frame: nothing says that the overlap went on.
            ((0, 4), vec![deep(0.6)], vec![]),
            ((0, 9), vec![deep(0.7)], vec![between(0, 10, true)]),
            ((1, 10), vec![deep(0.8)], vec![]),
        ];
        let mut join = join(0.1);
        let overlaps = found(&mut join, &frames);
        let told: Vec<_> = overlaps.iter().map(|one| (one.run, one.frames, one.depth_m.0, one.deepest)).collect();
        let at = |frame| Some((frame, None));
        let expected =
            [(0, [0, 2], 0.4, at(1)), (0, [4, 4], 0.6, at(4)), (0, [9, 9], 0.7, at(9)), (1, [10, 10], 0.8, at(10))];
        assert_eq!(told, expected);
        assert_eq!(join.seen().rows_undecided, 0);
    }
}
