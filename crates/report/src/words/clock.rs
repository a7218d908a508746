//! Runs and moments for people: dates if the times of the input are dates, and values of joints in
//! a sweep.

use super::{Lengths, counted, moment, span, trimmed};
use crate::data::{Contact, Moment, Report};
use chrono::DateTime;
use clearsweep_records::manifest::{Options, Sweep, SweepJoint};

/// Decimals of an angle, degrees.
const DEGREES: i32 = 4;
/// Decimals of a time, seconds.
const SECONDS: i32 = 6;

/// Writes runs and moments of an execution.
#[derive(Debug, Clone)]
pub(crate) struct Clock {
    lengths: Lengths,
    runs: u64,
    has_dates: bool,
    sweeps: Vec<Sweep>,
}

/// Horizontal axis of a curve: `zero + step * x`, where x is a time or a frame.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scale {
    /// Name of the axis.
    pub(crate) name: String,
    /// Whether x is a time, seconds; else a frame.
    pub(crate) in_seconds: bool,
    /// Whether ticks stand at integers only.
    pub(crate) is_whole: bool,
    /// Value at x = 0.
    pub(crate) zero: f64,
    /// Value of a unit of x.
    pub(crate) step: f64,
}

/// A run of a sweep.
struct SweepRun<'a> {
    sweep: &'a Sweep,
    /// Its number in the sweep.
    number: u64,
}

impl Clock {
    /// The clock of a report.
    pub(crate) fn of(report: &Report) -> Self {
        let lengths = Lengths::to_five_digits(report.unit);
        Self { lengths, runs: report.runs, has_dates: report.has_dates, sweeps: report.sweeps.clone() }
    }

    /// The clock of an execution of `runs` runs.
    pub(crate) fn of_options(options: &Options, runs: u64, lengths: Lengths) -> Self {
        Self { lengths, runs, has_dates: options.time_origin.is_some(), sweeps: options.sweeps.clone() }
    }

    /// The clock of an execution without sweeps and dates.
    #[cfg(test)]
    pub(crate) fn plain(lengths: Lengths) -> Self {
        Self { lengths, runs: 1, has_dates: false, sweeps: Vec::new() }
    }

    fn sweep_of(&self, run: i64) -> Option<SweepRun<'_>> {
        let mut number = u64::try_from(run).ok()?;
        for sweep in &self.sweeps {
            if number < sweep.runs {
                return Some(SweepRun { sweep, number }).filter(|of| of.sweep.steps > 0);
            }
            number -= sweep.runs;
        }
        None
    }

    /// `run 17`, in a sweep with what tells it from other runs: `run 2 (elbow alone)`, `run 17
    /// (flap at 30 deg)`.
    pub(crate) fn run(&self, run: i64) -> String {
        let what = self.sweep_of(run).map(|of| match of.sweep.path.as_str() {
            "one-by-one" => of.moving().map(|joint| format!("{} alone", joint.name)).collect(),
            "grid" => {
                of.others().map(|(joint, value)| format!("{} at {}", joint.name, self.value(joint, value))).collect()
            }
            _ => Vec::new(),
        });
        match what.filter(|what| !what.is_empty()) {
            Some(what) => format!("run {run} ({})", what.join(", ")),
            None => format!("run {run}"),
        }
    }

    /// As [`Self::run`], if there are several.
    pub(crate) fn run_of_several(&self, run: i64) -> Option<String> {
        (self.runs > 1).then(|| self.run(run))
    }

    /// `frame 176 (44 s)`, `frame 176 (2026-03-01 12:00:44 UTC)`, `hinge at 107.027 deg (frame
    /// 36)`.
    pub(crate) fn moment(&self, run: i64, at: Moment) -> String {
        if let Some(of) = self.sweep_of(run) {
            let values = of
                .moving()
                .map(|joint| format!("{} at {}", joint.name, self.value(joint, of.value(joint, at.frame as f64))));
            return format!("{} (frame {})", values.collect::<Vec<_>>().join(", "), at.frame);
        }
        match at.time_s.filter(|_| self.has_dates).and_then(|seconds| date(seconds, f64::round)) {
            Some(date) => format!("frame {} ({date})", at.frame),
            None => moment(at),
        }
    }

    /// The interval that begins at a sample.
    pub(crate) fn interval(&self, run: i64, at: Moment) -> String {
        let Some(of) = self.sweep_of(run) else {
            return format!("between {} and the next frame", self.moment(run, at));
        };
        let ends = [at.frame, at.frame.saturating_add(1)];
        let text = |joint: &SweepJoint| {
            let [from, to] = ends.map(|frame| self.value(joint, of.value(joint, frame as f64)));
            format!("{} between {from} and {to}", joint.name)
        };
        format!("{} (frames {} to {})", of.moving().map(text).collect::<Vec<_>>().join(", "), ends[0], ends[1])
    }

    /// The samples between two moments, or one of them.
    pub(crate) fn span(&self, run: i64, ends: [Moment; 2]) -> String {
        let [first, last] = ends;
        if first.frame == last.frame {
            return self.moment(run, first);
        }
        if let Some(of) = self.sweep_of(run) {
            let text = |joint: &SweepJoint| {
                let [from, to] = ends.map(|end| self.value(joint, of.value(joint, end.frame as f64)));
                format!("{} from {from} to {to}", joint.name)
            };
            let values: Vec<String> = of.moving().map(text).collect();
            return format!("{} (frames {} to {})", values.join(", "), first.frame, last.frame);
        }
        let dates = ends.map(|end| end.time_s.filter(|_| self.has_dates).and_then(|seconds| date(seconds, f64::round)));
        match dates {
            [Some(from), Some(to)] => format!("frames {} to {} ({from} to {to})", first.frame, last.frame),
            _ => span(ends),
        }
    }

    /// The first proven contact, ends rounded outward: `hinge clear to 96.0414 deg, contact by
    /// 96.0415 deg`.
    pub(crate) fn contact(&self, run: i64, contact: &Contact) -> String {
        let word = |lo: String, hi: String| {
            if contact.is_first { format!("clear to {lo}, contact by {hi}") } else { format!("contact by {hi}") }
        };
        let [first, next] = contact.ends.map(|end| end.frame as f64);
        let at = |share: f64| first + share * (next - first);
        let after = if contact.is_first { "" } else { "; an interval before it is undecided" };
        if let Some(of) = self.sweep_of(run) {
            let text = |joint: &SweepJoint| {
                let is_rising = joint.to >= joint.from;
                let [lo, hi] = contact.shares.map(|share| of.value(joint, at(share)));
                let ends = [self.rounded(joint, lo, !is_rising), self.rounded(joint, hi, is_rising)];
                let [lo, hi] = ends;
                format!("{} {}", joint.name, word(lo, hi))
            };
            return of.moving().map(text).collect::<Vec<_>>().join("; ") + after;
        }
        let [from, to] = contact.ends.map(|end| end.time_s.filter(|seconds| seconds.is_finite()));
        let text = match from.zip(to) {
            Some((from, to)) => {
                let [lo, hi] = contact.shares.map(|share| from + share * (to - from));
                let dates = date(lo, f64::floor).zip(date(hi, f64::ceil)).filter(|_| self.has_dates);
                let [lo, hi] = match dates {
                    Some((lo, hi)) => [lo, hi],
                    None => [outward(lo, SECONDS, false), outward(hi, SECONDS, true)].map(|text| format!("{text} s")),
                };
                word(lo, hi)
            }
            None => {
                let [lo, hi] = [(0, false), (1, true)].map(|(end, up)| outward(contact.shares[end], SECONDS, up));
                let frames = contact.ends.map(|end| end.frame);
                format!("between frames {} and {}, {} of the way", frames[0], frames[1], word(lo, hi))
            }
        };
        text + after
    }

    /// The sweeps in words: `hinge from 0 deg to 110 deg in 37 steps`, `elbow from 0 deg to 90 deg,
    /// 1,000 draws at random`.
    pub(crate) fn sweeps(&self) -> Vec<String> {
        let line = |sweep: &Sweep| {
            let joint =
                |of: &SweepJoint| format!("{} from {} to {}", of.name, self.value(of, of.from), self.value(of, of.to));
            let joints: Vec<String> = sweep.joints.iter().map(joint).collect();
            if sweep.is_random() {
                return format!("{}, {} at random", joints.join(", "), counted(sweep.runs, "draw"));
            }
            let path = if joints.len() > 1 { format!(", {},", sweep.path.replace('-', " ")) } else { String::new() };
            format!("{}{path} in {} steps", joints.join(", "), sweep.steps)
        };
        self.sweeps.iter().map(line).collect()
    }

    /// The axis of the curve of a run, whose samples have times or have none.
    pub(crate) fn scale(&self, run: i64, first: Moment, in_seconds: bool) -> Scale {
        let swept = self.sweep_of(run).filter(|of| of.moving().count() == 1);
        let swept =
            swept.as_ref().and_then(|of| Some((of, of.moving().next()?))).filter(|(_, joint)| joint.from < joint.to);
        if let Some((of, joint)) = swept {
            let ([zero, end], unit) = self.shown_range(joint);
            let step = (end - zero) / f64::from(of.sweep.steps);
            return Scale { name: format!("{}, {unit}", joint.name), in_seconds: false, is_whole: false, zero, step };
        }
        let start = first.time_s.filter(|_| self.has_dates && in_seconds).map(f64::floor);
        let start = start.and_then(|start| Some((start, date(start, f64::round)?)));
        let (zero, name) = match start {
            Some((start, date)) => (-start, format!("time since {date}, s")),
            None => (0.0, if in_seconds { "time, s" } else { "frame" }.to_owned()),
        };
        Scale { name, in_seconds, is_whole: !in_seconds, zero, step: 1.0 }
    }

    /// Joints that move in a run of a sweep, for a script: label, value at frame 0, value of a
    /// frame, unit.
    pub(crate) fn joints(&self, run: i64) -> Vec<(String, f64, f64, &'static str)> {
        let Some(of) = self.sweep_of(run) else { return Vec::new() };
        let entry = |joint: &'_ SweepJoint| {
            let ([from, to], unit) = self.shown_range(joint);
            (joint.name.clone(), from, (to - from) / f64::from(of.sweep.steps), unit)
        };
        of.moving().map(entry).collect()
    }

    /// Both ends of the range of a joint in degrees or in the unit of lengths, and the word of
    /// that.
    fn shown_range(&self, joint: &SweepJoint) -> ([f64; 2], &'static str) {
        let ends = [joint.from, joint.to];
        match joint.unit.as_str() {
            "rad" => (ends.map(f64::to_degrees), "deg"),
            _ => (ends.map(|value| self.lengths.value(value)), self.lengths.word()),
        }
    }

    /// A value of a joint: `107.027 deg`, `120 mm`.
    fn value(&self, joint: &SweepJoint, value: f64) -> String {
        match joint.unit.as_str() {
            "rad" => format!("{} deg", trimmed(&format!("{:.*}", DEGREES as usize, value.to_degrees()))),
            _ => self.lengths.text(value),
        }
    }

    /// A value of a joint, rounded up or down.
    fn rounded(&self, joint: &SweepJoint, value: f64, up: bool) -> String {
        match joint.unit.as_str() {
            "rad" => format!("{} deg", outward(value.to_degrees(), DEGREES, up)),
            _ if up => self.lengths.at_most(value),
            _ => self.lengths.at_least(value),
        }
    }
}

impl<'a> SweepRun<'a> {
    /// The joints that move in the run.
    fn moving(&self) -> impl Iterator<Item = &'a SweepJoint> + use<'a> {
        let (first, count) = match self.sweep.path.as_str() {
            "one-by-one" => (self.number as usize, 1),
            "grid" => (0, 1),
            _ => (0, usize::MAX),
        };
        self.sweep.joints.iter().skip(first).take(count)
    }

    /// The joints of a grid that stand in the run, with their values.
    fn others(&self) -> impl Iterator<Item = (&'a SweepJoint, f64)> + use<'a> {
        let frames = u64::from(self.sweep.steps) + 1;
        let (mut number, steps) = (self.number, f64::from(self.sweep.steps));
        self.sweep.joints.iter().skip(1).map(move |joint| {
            let step = number % frames;
            number /= frames;
            (joint, at(joint, step as f64, steps))
        })
    }

    fn value(&self, joint: &SweepJoint, frame: f64) -> f64 {
        let steps = f64::from(self.sweep.steps);
        at(joint, frame.clamp(0.0, steps), steps)
    }
}

/// The value of a joint at a step of its range, as the engine computes it.
fn at(joint: &SweepJoint, step: f64, steps: f64) -> f64 {
    if step == steps { joint.to } else { joint.from + (joint.to - joint.from) * (step / steps) }
}

/// A number with `decimals` decimals at most, not below it (`up`), or not above it.
pub fn outward(value: f64, decimals: i32, up: bool) -> String {
    let scale = 10_f64.powi(decimals);
    let scaled = value * scale;
    let rounded = match scaled.round() {
        // A value that was written with these decimals.
        near if (scaled - near).abs() <= 1e-9 * scaled.abs().max(1e-3) => near,
        _ if up => scaled.ceil(),
        _ => scaled.floor(),
    };
    trimmed(&format!("{:.*}", decimals as usize, rounded / scale)).to_owned()
}

/// `2026-03-01 12:00:44.25 UTC` of seconds since 1970, rounded to milliseconds; `None`: no date.
fn date(seconds: f64, round: fn(f64) -> f64) -> Option<String> {
    let milliseconds = round(seconds * 1e3);
    if milliseconds.is_nan() || milliseconds.abs() > 1e15 {
        return None;
    }
    let date = DateTime::from_timestamp_millis(milliseconds as i64)?;
    let text = date.format("%Y-%m-%d %H:%M:%S%.3f").to_string();
    Some(format!("{} UTC", trimmed(&text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearsweep_model::LengthUnit;

    fn joint(name: &str, unit: &str, to: f64) -> SweepJoint {
        SweepJoint { name: name.to_owned(), unit: unit.to_owned(), from: 0.0, to, rest: 0.0 }
    }

    fn clock(path: &str, runs: u64) -> Clock {
        let joints = vec![joint("lid", "rad", std::f64::consts::PI), joint("drawer", "m", 0.4)];
        let sweep = Sweep { path: path.to_owned(), steps: 4, runs, joints };
        let lengths = Lengths::to_five_digits(LengthUnit::parse("mm").expect("a unit"));
        Clock { lengths, runs, has_dates: false, sweeps: vec![sweep] }
    }

    fn frame(frame: i64) -> Moment {
        Moment { frame, time_s: None }
    }

    #[test]
    fn sweeps_speak_in_values_of_their_joints() {
        let together = clock("together", 1);
        assert_eq!(together.moment(0, frame(1)), "lid at 45 deg, drawer at 100 mm (frame 1)");
        let single = clock("one-by-one", 2);
        assert_eq!(single.run(1), "run 1 (drawer alone)");
        assert_eq!(single.span(1, [frame(1), frame(3)]), "drawer from 100 mm to 300 mm (frames 1 to 3)");
        assert_eq!(single.interval(0, frame(3)), "lid between 135 deg and 180 deg (frames 3 to 4)");
        let grid = clock("grid", 5);
        assert_eq!(grid.run(3), "run 3 (drawer at 300 mm)");
        let scale = grid.scale(3, frame(0), false);
        assert_eq!((scale.name.as_str(), scale.zero, scale.step), ("lid, deg", 0.0, 45.0));
        assert_eq!(grid.run(5), "run 5", "no run of the sweep");
    }

    #[test]
    fn ends_of_a_contact_are_rounded_outward() {
        let of = |is_first| Contact { ends: [frame(1), frame(2)], shares: [0.123_456, 0.123_457], is_first };
        let grid = clock("grid", 5);
        assert_eq!(grid.contact(0, &of(true)), "lid clear to 50.5555 deg, contact by 50.5556 deg");
        assert!(grid.contact(0, &of(false)).starts_with("lid contact by 50.5556 deg; an interval before"));
        let plain = Clock::plain(grid.lengths);
        assert_eq!(
            plain.contact(0, &of(true)),
            "between frames 1 and 2, clear to 0.123456, contact by 0.123457 of the way"
        );
    }

    #[test]
    fn dates_stand_where_the_input_has_dates() {
        let mut clock = Clock::plain(clock("grid", 1).lengths);
        let at = |seconds| Moment { frame: 7, time_s: Some(seconds) };
        assert_eq!(clock.moment(0, at(1_772_366_444.25)), "frame 7 (1772366444.25 s)");
        clock.has_dates = true;
        assert_eq!(clock.moment(0, at(1_772_366_444.25)), "frame 7 (2026-03-01 12:00:44.25 UTC)");
        assert_eq!(clock.moment(0, at(f64::MAX)), moment(at(f64::MAX)));
        let scale = clock.scale(0, at(1_772_366_444.25), true);
        assert_eq!((scale.name.as_str(), scale.zero), ("time since 2026-03-01 12:00:44 UTC, s", -1_772_366_444.0));
    }
}
