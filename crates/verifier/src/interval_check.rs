//! A row of `intervals` proven again: the distance at many times, and between them a bound on the
//! speed.

use clearsweep_model::{BetweenFrames, IntervalMethod, IntervalStatus, MotionRule, QueryOptions};
use clearsweep_records::{Interval, RecheckOutcome, RecheckTable, RecheckWhat};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::checked_body::{CheckedBody, Parts, gap_of_balls};
use crate::finding::{Finding, Place};
use crate::joint_motion::JointMotion;
use crate::motion::{FreeMotion, Motion, speed};
use crate::oracle::number::{Number, Vector, dot, norm};
use crate::pair_truth::{Hint, PairAt};
use crate::placement::Placement;

/// Most distances that are computed for one interval.
const MOST: usize = 1_500;

/// Parts into which an interval is divided at first.
const FIRST: usize = 16;

/// Most directions that together prove an interval, each a part of it.
pub(crate) const MOST_COVERS: usize = 256;

/// Times that are looked at about the least one.
const REFINED: usize = 24;

/// Two bodies at both ends of an interval.
pub struct PosedEnds<'a> {
    /// A and B.
    pub bodies: [&'a CheckedBody; 2],
    /// Placements of each body at both ends.
    pub ends: [[Placement; 2]; 2],
    /// The points that move on a line, in the frames of the bodies, metres.
    pub pivots: [Vector<f64>; 2],
    /// Accelerations of these points, metres over the square of the interval.
    pub falls: [Vector<f64>; 2],
    /// Bound on how far points of both bodies together may be off the motion, metres: 0 unless only
    /// bounds of it are known.
    pub departure: f64,
    /// The motions of bodies that joints carry; `None`: the bodies are free, or their motion is
    /// not defined.
    pub joints: Option<[JointMotion; 2]>,
}

/// Two bodies that joints carry; `None`: their motion is not defined.
fn of_joints(of: &PosedEnds<'_>) -> Option<[Box<dyn Motion>; 2]> {
    let boxed = |motion: JointMotion| Box::new(motion) as Box<dyn Motion>;
    of.joints.clone().map(|motions| motions.map(boxed))
}

/// Two free bodies; `None`: their motion is not defined.
fn of_free(of: &PosedEnds<'_>, between: BetweenFrames) -> Option<[Box<dyn Motion>; 2]> {
    let around = of.ends[0][0];
    let motion = |k: usize| {
        let motion = FreeMotion::new(between, of.ends[k], (of.pivots[k], of.falls[k]), of.bodies[k].reach, &around)?;
        Some(Box::new(motion) as Box<dyn Motion>)
    };
    Some([motion(0)?, motion(1)?])
}

/// A part of the interval with the distances at its ends.
struct Part {
    lower: f64,
    times: [f64; 2],
    ends: [[f64; 2]; 2],
}

impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Part {}
impl PartialOrd for Part {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Part {
    /// The part of the least lower end is the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        other.lower.total_cmp(&self.lower)
    }
}

/// A direction that keeps two bodies apart over a part of an interval.
#[derive(Clone, Copy, Debug)]
pub struct Covered {
    /// The part, as shares of the interval.
    pub share: [f64; 2],
    /// Unit direction of the world, from A to B.
    pub direction: Vector<f64>,
    /// Lower bound on the gap of the hulls along the direction, metres.
    pub gap_m: f64,
}

/// The distance over an interval, as far as it was sampled.
pub struct Sampled<'a> {
    pair: [&'a CheckedBody; 2],
    ends: [[Placement; 2]; 2],
    motions: [Box<dyn Motion>; 2],
    speed: f64,
    /// Bound on the error of distances by that of the poses on the way, metres.
    slack: f64,
    /// The same for the poses at both ends.
    slack_at_ends: f64,
    /// Times, and both ends of the distance there.
    samples: Vec<(f64, [f64; 2])>,
}

impl<'a> Sampled<'a> {
    /// Begins with both ends; `None` if the motion is not defined.
    pub fn new(of: &PosedEnds<'a>, between: BetweenFrames) -> Option<Self> {
        let motions = if between.is_by_joints() { of_joints(of)? } else { of_free(of, between)? };
        let far = motions.iter().flat_map(|m| [m.at(0.0), m.at(1.0)]).map(|p| norm(p.position)).fold(0.0, f64::max);
        let reach: f64 = of.bodies.iter().zip(&of.pivots).map(|(body, pivot)| body.reach + norm(*pivot)).sum();
        let speed = speed(motions.each_ref().map(|motion| &**motion));
        // Rounding of the poses on the way.
        let fallen = of.falls.iter().map(|fall| norm(*fall)).sum::<f64>();
        let rounding = 64.0 * f64::EPSILON * (far + reach + speed + fallen);
        let slack = rounding + of.departure + motions.iter().map(|motion| motion.error()).sum::<f64>();
        // The stored poses have no rounding. Joints have values at the ends, and no stored poses.
        let (ends, slack_at_ends) = match between.is_by_joints() {
            true => (motions.each_ref().map(|motion| [0.0, 1.0].map(|share| motion.at(share))), slack),
            false => (of.ends, 0.0),
        };
        Some(Self { pair: of.bodies, ends, motions, speed, slack, slack_at_ends, samples: Vec::new() })
    }

    /// Whether one of the bodies is round and not convex: upper ends beside it are only sampled.
    fn has_torus(&self) -> bool {
        self.pair.iter().any(|body| matches!(body.parts, Parts::Round) && !body.is_convex())
    }

    /// Bound on the speed of two points of the bodies against each other, metres over the interval.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Lower bound on the distance at the start, by balls around the bodies, metres.
    pub fn ball_gap(&self) -> f64 {
        let [a, b] = [0, 1].map(|k: usize| self.pair[k].ball(&self.ends[k][0]));
        gap_of_balls([&a, &b]) - self.slack_at_ends
    }

    /// Twice the deviations of both bodies, metres: a true row may be off by this much more.
    pub fn open(&self) -> f64 {
        2.0 * self.deviation()
    }

    /// The sum of the deviations of both bodies, metres.
    fn deviation(&self) -> f64 {
        self.pair.iter().map(|body| body.deviation).sum::<f64>() * (1.0 + 1e-15)
    }

    /// Placements of both bodies at a share of the interval, in one frame.
    pub fn places(&self, t: f64) -> [Placement; 2] {
        [self.motions[0].at(t), self.motions[1].at(t)]
    }

    /// Both ends of the distance of all true bodies at a share of the interval, metres.
    pub fn at(&mut self, t: f64) -> [f64; 2] {
        let end = [0.0, 1.0].iter().position(|end| *end == t);
        let ends = match end {
            Some(end) => self.exactly([self.ends[0][end], self.ends[1][end]], None, self.slack_at_ends),
            None => {
                let places = self.places(t);
                let [lower, upper] = PairAt::new(self.pair, [&places[0], &places[1]]).rough();
                let open = self.slack + self.deviation();
                [lower - open, upper + open]
            }
        };
        self.samples.push((t, ends));
        ends
    }

    /// Both ends of the distance of all true bodies at their placements, as narrow as a row of
    /// `distances` has them, metres. `upper`: an end that helps to prove it.
    fn exactly(&self, places: [Placement; 2], upper: Option<f64>, slack: f64) -> [f64; 2] {
        let pair = PairAt::new(self.pair, [&places[0], &places[1]]);
        let hint = Hint { normal: pair.direction(), upper, ..Hint::default() };
        let [lower, upper] = pair.truth(&hint).ends();
        [lower - slack, upper + slack]
    }

    /// The least upper end that was found, metres, with its time.
    fn least_upper(&self) -> (f64, f64) {
        let ends = self.samples.iter().map(|(t, ends)| (*t, ends[1]));
        ends.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0.0, f64::INFINITY))
    }

    /// Computes narrow distances at the time of the least one and at other times until an upper
    /// end is at most `upper`: the quick ones are coarse if bodies overlap.
    fn sharpen(&mut self, upper: f64, times: [f64; 3]) {
        let (least, _) = self.least_upper();
        for t in std::iter::once(least).chain(times) {
            if self.least_upper().1 > upper {
                let places = self.places(t);
                let ends = self.exactly(places, Some(upper), self.slack);
                self.samples.push((t, ends));
            }
        }
    }

    fn part(&self, times: [f64; 2], ends: [[f64; 2]; 2]) -> Part {
        let way = self.speed * (times[1] - times[0]);
        let lower = (0.5 * (ends[0][0] + ends[1][0] - way)).min(ends[0][0]).min(ends[1][0]);
        Part { lower, times, ends }
    }

    /// Both ends of the least distance from `from` to `to`, divided until the lower end is at least
    /// `aim` metres, or `most` distances were computed.
    pub fn least(&mut self, [from, to]: [f64; 2], aim: f64, most: usize) -> [f64; 2] {
        let mut parts = BinaryHeap::new();
        let at = |k: usize| from + (to - from) * k as f64 / FIRST as f64;
        let mut last = self.at(from);
        let mut upper = last[1];
        for k in 1..=FIRST {
            let next = self.at(at(k));
            upper = upper.min(next[1]);
            parts.push(self.part([at(k - 1), at(k)], [last, next]));
            last = next;
        }
        let mut computed = FIRST + 1;
        loop {
            let Some(part) = parts.pop() else { return [upper, upper] };
            let [begin, end] = part.times;
            if part.lower >= aim || computed >= most || end - begin < 1e-12 || upper < aim {
                return [part.lower.min(upper), upper];
            }
            let middle = 0.5 * (begin + end);
            let found = self.at(middle);
            upper = upper.min(found[1]);
            computed += 1;
            parts.push(self.part([begin, middle], [part.ends[0], found]));
            parts.push(self.part([middle, end], [found, part.ends[1]]));
        }
    }

    /// The gap of both hulls along a direction of the world at a share of the interval, metres:
    /// growth, deviations and rounding taken off.
    fn gap_along(&self, n: Vector<f64>, t: f64) -> f64 {
        let height = |k: usize, n: Vector<f64>| {
            let place = self.motions[k].at(t);
            let own = place.columns().map(|column| (0..3).map(|m| column[m].value() * n[m]).sum::<f64>());
            self.pair[k].height(own) + dot(n, place.position)
        };
        -height(1, n.map(|c| -c)) - height(0, n) - self.slack - self.deviation()
    }

    /// A direction of the world from A to B at a share of the interval.
    fn direction(&self, t: f64) -> Option<Vector<f64>> {
        let places = self.places(t);
        let own = PairAt::new(self.pair, [&places[0], &places[1]]).direction()?;
        let columns = places[0].columns();
        Some([0, 1, 2].map(|m: usize| (0..3).map(|k| columns[k][m].value() * own[k]).sum::<f64>()))
    }

    /// Directions that keep the hulls at least `aim` metres apart. Each covers a part of the time
    /// between two shares, and together they cover all of it. `None` if there are none, or more
    /// than `most`.
    pub fn cover(&self, between: [f64; 2], aim: f64, most: usize) -> Option<Vec<Covered>> {
        let (mut covers, mut open, mut tried) = (Vec::new(), vec![between], 0);
        let mut at_from = (between[0], self.direction(between[0])?);
        while let Some([from, to]) = open.pop() {
            if at_from.0 < from {
                at_from = (from, self.direction(from)?);
            }
            // No other direction has a larger gap there.
            if self.gap_along(at_from.1, from) < aim {
                return None;
            }
            tried += 1;
            let middle = 0.5 * (from + to);
            let others = [to, middle].into_iter().filter_map(|t| self.direction(t));
            let gaps = std::iter::once(at_from.1).chain(others).map(|n| (n, self.gap_over(n, [from, to])));
            match gaps.into_iter().find(|(_, gap)| *gap >= aim) {
                Some((direction, gap_m)) => covers.push(Covered { share: [from, to], direction, gap_m }),
                None if to - from < 1e-6 => return None,
                None => open.extend([[middle, to], [from, middle]]),
            }
            if covers.len() > most || tried > 2 * most {
                return None;
            }
        }
        Some(covers)
    }

    /// The least gap of both hulls along a direction over a part of the interval, metres. Points
    /// leave the chord from one end to the other by at most `4 s u (1 - u)`, with the sagitta `s`
    /// and the share `u` of the part. Supports of points on chords lie below the chord of the
    /// supports.
    fn gap_over(&self, n: Vector<f64>, [from, to]: [f64; 2]) -> f64 {
        let [begin, end] = [from, to].map(|t| self.gap_along(n, t));
        let sagitta: f64 = self.motions.iter().map(|motion| motion.sagitta(to - from)).sum();
        if sagitta == f64::INFINITY {
            return f64::NEG_INFINITY;
        }
        let u = 0.5 + (begin - end) / (8.0 * sagitta);
        match u > 0.0 && u < 1.0 {
            true => (1.0 - u) * begin + u * end - 4.0 * sagitta * u * (1.0 - u),
            false => begin.min(end),
        }
    }

    /// Looks closer about the least distance found, between two times.
    fn refine(&mut self, [from, to]: [f64; 2]) {
        let (mut low, mut high) = (from, to);
        for _ in 0..REFINED {
            let third = (high - low) / 3.0;
            let (p, q) = (low + third, high - third);
            if third <= 0.0 {
                return;
            }
            if self.at(p)[1] < self.at(q)[1] { high = q } else { low = p }
        }
    }
}

/// Looks at a row again.
pub fn interval(row: &Interval, of: Option<&PosedEnds<'_>>, query: &QueryOptions, motion: &MotionRule) -> Vec<Finding> {
    let place =
        Place { run: Some(row.run), frame: Some(row.frame), pair: Some([row.a_index as u32, row.b_index as u32]) };
    let new = |what, outcome| Finding::new(RecheckTable::Intervals, what, outcome, place);
    let stated = [row.lower_m, row.upper_m].map(|end| end.unwrap_or(f64::NAN));
    let mut findings = Vec::new();
    findings.push(match form(row, stated, query) {
        None => new(RecheckWhat::Form, RecheckOutcome::Proven),
        Some(why) => new(RecheckWhat::Form, RecheckOutcome::Wrong).because(why),
    });
    let none = |why: &str| {
        let all = [RecheckWhat::Least, RecheckWhat::Times, RecheckWhat::FirstContact];
        all.map(|what| new(what, RecheckOutcome::NotLookedAt).because(why))
    };
    let sampled = of.and_then(|of| Sampled::new(of, motion.between));
    let Some(mut sampled) = sampled else {
        findings.extend(none("the poses at the end of the interval were not read, or half a turn lies between them"));
        return findings;
    };
    findings.extend(look(row, stated, &mut sampled, query, motion).into_iter().map(|(what, outcome, proven, why)| {
        let finding = Finding { proven, stated, ..new(what, outcome) };
        Finding { why, ..finding }
    }));
    findings
}

type Looked = (RecheckWhat, RecheckOutcome, [f64; 2], Option<String>);

fn look(
    row: &Interval,
    [lower, upper]: [f64; 2],
    sampled: &mut Sampled<'_>,
    query: &QueryOptions,
    motion: &MotionRule,
) -> Vec<Looked> {
    let why = |text: String| Some(text);
    let open = sampled.open();
    if motion.between == BetweenFrames::Hold {
        // The poses of both frames are all that there are.
        let [a, b] = [sampled.at(0.0), sampled.at(1.0)];
        let found = [a[0].min(b[0]), a[1].min(b[1])];
        return vec![of_ends([lower, upper], found, open)];
    }
    let [from, to] = [row.closest_lo, row.closest_hi];
    sampled.refine([from, to]);
    let ends = [sampled.at(0.0), sampled.at(1.0)];
    sampled.sharpen(upper, [0.5 * (from + to), from, to]);
    if !sampled.has_torus()
        && let Some(found) = beyond(sampled, upper)
    {
        let text = format!("its upper end is below the least distance by {:.3e} m", found[0] - upper);
        return vec![(RecheckWhat::Least, RecheckOutcome::Wrong, found, why(text))];
    }
    let aim = if lower.is_nan() { f64::NEG_INFINITY } else { lower };
    let is_covered = aim.is_finite() && sampled.cover([0.0, 1.0], aim, MOST_COVERS).is_some();
    let found = match is_covered {
        true => [lower, ends[0][1].min(ends[1][1])],
        false => sampled.least([0.0, 1.0], aim, MOST),
    };
    let least = sampled.least_upper().1.min(found[1]);
    let mut looked = vec![of_ends([lower, upper], [found[0], least], open)];
    // A time outside at which the bodies are nearer than at any time inside.
    let inside = sampled.least([from, to], least + open, 64);
    let is_outside = |t: f64| t < from - 1e-12 || t > to + 1e-12;
    let nearer = sampled.samples.iter().find(|(t, ends)| is_outside(*t) && ends[1] + open < inside[0]);
    looked.push(match nearer {
        Some((t, ends)) => {
            let text =
                format!("at {t} of the interval the distance is {:.6e} m, less than between the times stated", ends[1]);
            (RecheckWhat::Times, RecheckOutcome::Wrong, *ends, why(text))
        }
        None => (RecheckWhat::Times, RecheckOutcome::Bounded, [f64::NAN; 2], why("sampled".to_owned())),
    });
    let contact = [row.contact_lo, row.contact_hi];
    if let [Some(clear), Some(touching)] = contact {
        looked.push(first_contact([clear, touching], sampled, query.touch, open));
    } else {
        // Contact at a time, and none is stated.
        let overlap = sampled
            .samples
            .iter()
            .find(|(_, ends)| row.status == IntervalStatus::Clear && ends[1] + open < query.touch.min(0.0));
        if let Some((t, ends)) = overlap {
            let text = format!("at {t} of the interval the bodies overlap");
            looked.push((RecheckWhat::FirstContact, RecheckOutcome::Wrong, *ends, why(text)));
        }
    }
    looked
}

/// A least distance counts as above an upper end only if it is by more than this, in sizes of the
/// pair.
const RESOLUTION: f64 = 1e-10;

/// The least distance, if all of it is proven to be above an upper end that no sample shows.
fn beyond(sampled: &mut Sampled<'_>, upper: f64) -> Option<[f64; 2]> {
    let above = upper + sampled.open();
    let (_, least) = sampled.least_upper();
    let is_possible = above < least;
    if !is_possible {
        return None;
    }
    // The aim is above the end by more than the resolution of this check, so that rounding alone
    // does not reach it.
    let size = PairAt::new(sampled.pair, [&sampled.ends[0][0], &sampled.ends[1][0]]).size;
    let aim = above + (1e-9 * (least - above)).max(RESOLUTION * size);
    let is_above = sampled.cover([0.0, 1.0], aim, 64).is_some() || sampled.least([0.0, 1.0], aim, 200)[0] >= aim;
    is_above.then_some([aim, least])
}

/// Compares both ends with those that were found. `open`: twice the deviations, metres.
fn of_ends([lower, upper]: [f64; 2], found: [f64; 2], open: f64) -> Looked {
    let what = RecheckWhat::Least;
    if lower > found[1] {
        let text = format!("its lower end is above the least distance by {:.3e} m", lower - found[1]);
        return (what, RecheckOutcome::Wrong, found, Some(text));
    }
    if upper + open < found[0] {
        let text = format!("its upper end is below the least distance by {:.3e} m", found[0] - upper);
        return (what, RecheckOutcome::Wrong, found, Some(text));
    }
    match [lower.is_nan() || found[0] >= lower, found[1] <= upper] {
        [true, true] => (what, RecheckOutcome::Proven, found, None),
        [true, false] => (what, RecheckOutcome::Bounded, found, Some("upper end: sampled".to_owned())),
        [false, true] => (what, RecheckOutcome::Bounded, found, Some("lower end: as far as sampled".to_owned())),
        [false, false] => (what, RecheckOutcome::Bounded, found, Some("both ends: as far as sampled".to_owned())),
    }
}

/// Checks that the bodies are clear before the first time and in contact at the second.
fn first_contact([clear, touching]: [f64; 2], sampled: &mut Sampled<'_>, touch: f64, open: f64) -> Looked {
    let what = RecheckWhat::FirstContact;
    let there = sampled.at(touching);
    if there[0] > touch {
        let text = format!("at contact_hi the bodies are {:.6e} m apart", there[0]);
        return (what, RecheckOutcome::Wrong, there, Some(text));
    }
    let before = if clear > 0.0 { sampled.least([0.0, clear], 0.0, 256) } else { [0.0; 2] };
    let is_clear = before[0] >= 0.0 || sampled.cover([0.0, clear], 0.0, MOST_COVERS).is_some();
    let early = sampled.samples.iter().find(|(t, ends)| *t < clear && ends[1] + open < 0.0);
    if let Some((t, ends)) = early {
        return (
            what,
            RecheckOutcome::Wrong,
            *ends,
            Some(format!("the bodies overlap at {t} of the interval, before contact_lo")),
        );
    }
    match there[1] <= touch && is_clear {
        true => (what, RecheckOutcome::Proven, there, None),
        false => (what, RecheckOutcome::Bounded, there, Some("as far as sampled".to_owned())),
    }
}

/// Returns the fault of the columns of a row that follow from others.
fn form(row: &Interval, [lower, upper]: [f64; 2], query: &QueryOptions) -> Option<String> {
    let are_shares = [Some(row.closest_lo), Some(row.closest_hi), row.contact_lo, row.contact_hi];
    let is_share = |share: &Option<f64>| share.is_none_or(|share| (0.0..=1.0).contains(&share));
    match () {
        () if lower > upper => Some("its lower end is above its upper end".to_owned()),
        () if !are_shares.iter().all(is_share) || row.closest_lo > row.closest_hi => {
            Some("its times are not shares in order".to_owned())
        }
        () if row.contact_lo.zip(row.contact_hi).is_some_and(|(lo, hi)| lo > hi) => {
            Some("its first contact ends before it begins".to_owned())
        }
        () if (row.status == IntervalStatus::Clear) != (lower > query.touch) => {
            Some("its status does not follow from its lower end".to_owned())
        }
        () if (row.status == IntervalStatus::Contact) != row.contact_hi.is_some() => {
            Some("its status does not follow from its contact".to_owned())
        }
        () if lower > query.within => Some("it is farther apart than `within`".to_owned()),
        () if row.frame_next <= row.frame => Some("it ends before it begins".to_owned()),
        () if row.method == IntervalMethod::Limit && row.status == IntervalStatus::Clear => None,
        () => None,
    }
}
