//! Values over ranges of motion: steps through them, or draws.

use std::f64::consts::PI;

/// Largest turn of a joint in a step, unless the number of steps is given, radians: intervals stay
/// small.
const TURN: f64 = PI / 60.0;

/// Samples of all sweeps together, at most.
pub const MOST_SAMPLES: u64 = 1_000_000_000;

/// Steps of a sweep in which no joint turns.
const SLIDES: u32 = 90;

/// The way through the ranges of several joints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SweepPath {
    /// All at once, each over its range.
    #[default]
    Together,
    /// A run for each joint, which moves alone.
    OneByOne,
    /// A run for each combination of the other joints' values, over which the first one moves.
    Grid,
    /// Runs of one frame, whose values are drawn from the ranges, each uniformly and independently.
    Random {
        /// Number of runs.
        samples: u64,
        /// The values depend on it alone.
        seed: u64,
    },
}

impl SweepPath {
    /// All, with the words of the contract. The random one has no draws.
    pub const WORDS: [(&'static str, Self); 4] = [
        ("together", Self::Together),
        ("one-by-one", Self::OneByOne),
        ("grid", Self::Grid),
        ("random", Self::Random { samples: 0, seed: 0 }),
    ];

    /// The word of the contract.
    pub fn name(self) -> &'static str {
        let place = match self {
            Self::Together => 0,
            Self::OneByOne => 1,
            Self::Grid => 2,
            Self::Random { .. } => 3,
        };
        Self::WORDS[place].0
    }
}

/// A joint of a sweep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SweptJoint {
    /// Column.
    pub column: u32,
    /// First and last value.
    pub range: [f64; 2],
    /// Whether its value is an angle.
    pub turns: bool,
}

/// A sweep of joints over their ranges.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// The joints that move.
    pub joints: Vec<SweptJoint>,
    /// The way through their ranges.
    pub path: SweepPath,
    /// Steps over a range; 0 if values are drawn.
    pub steps: u32,
    /// Values by column of the joints that do not move.
    pub rest: Vec<f64>,
}

impl Sweep {
    /// One sample at these values, by column: nothing moves.
    pub fn standing(values: Vec<f64>) -> Self {
        Self { joints: Vec::new(), path: SweepPath::Together, steps: 0, rest: values }
    }

    /// Steps over the ranges of joints such that none turns by more than 3 degrees in one of them.
    pub fn fine_steps(joints: &[SweptJoint]) -> u32 {
        let widest = joints.iter().filter(|joint| joint.turns).map(|joint| (joint.range[1] - joint.range[0]).abs());
        match widest.reduce(f64::max) {
            // A range that is a whole number of steps but for rounding.
            Some(widest) => ((widest / TURN * (1.0 - 1e-12)).ceil() as u32).max(1),
            None => SLIDES,
        }
    }

    /// Frames of each run.
    pub fn frames(&self) -> u64 {
        u64::from(self.steps) + 1
    }

    /// Number of runs; `None`: more than an integer holds.
    pub fn runs(&self) -> Option<u64> {
        match self.path {
            SweepPath::Together => Some(1),
            SweepPath::OneByOne => Some(self.joints.len() as u64),
            SweepPath::Random { samples, .. } => Some(samples),
            SweepPath::Grid => {
                let others = self.joints.len().saturating_sub(1) as u32;
                self.frames().checked_pow(others).filter(|&runs| runs <= i64::MAX as u64)
            }
        }
    }

    /// The swept joint that moves in a run, if it is one alone.
    pub fn only_joint(&self, run: u64) -> Option<&SweptJoint> {
        match self.path {
            SweepPath::Random { .. } => None,
            SweepPath::Together if self.joints.len() > 1 => None,
            SweepPath::OneByOne => self.joints.get(run as usize),
            SweepPath::Together | SweepPath::Grid => self.joints.first(),
        }
    }

    /// Sets `values`, by column, to the values of a frame of a run.
    pub fn values(&self, run: u64, frame: u64, values: &mut [f64]) {
        values.copy_from_slice(&self.rest);
        let mut number = run;
        for (at, joint) in self.joints.iter().enumerate() {
            let step = match self.path {
                SweepPath::Together => frame,
                SweepPath::OneByOne if at as u64 == run => frame,
                SweepPath::OneByOne => continue,
                SweepPath::Grid if at == 0 => frame,
                SweepPath::Grid => {
                    let step = number % self.frames();
                    number /= self.frames();
                    step
                }
                SweepPath::Random { seed, .. } => {
                    let draw = run.wrapping_mul(self.joints.len() as u64).wrapping_add(at as u64);
                    values[joint.column as usize] = joint.between(unit_draw(seed, draw));
                    continue;
                }
            };
            values[joint.column as usize] = joint.at(step, self.steps);
        }
    }
}

impl SweptJoint {
    /// Returns the value at step `step` of `steps`: both ends exactly.
    pub fn at(&self, step: u64, steps: u32) -> f64 {
        let [from, to] = self.range;
        if step == u64::from(steps) { to } else { from + (to - from) * (step as f64 / f64::from(steps)) }
    }

    /// Returns the value at a share of the range.
    fn between(&self, share: f64) -> f64 {
        let [from, to] = self.range;
        (from + (to - from) * share).min(to)
    }
}

/// Draw number `draw` of a seed, uniform in [0, 1): the upper 53 bits of that number of the
/// generator SplitMix64 whose state begins with the seed (Steele, Lea, Flood 2014, "Fast splittable
/// pseudorandom number generators"). It depends on no draw before it.
fn unit_draw(seed: u64, draw: u64) -> f64 {
    let state = seed.wrapping_add(draw.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((state ^ (state >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Sweeps one after another: the runs of each follow those of the one before.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SweepRuns {
    sweeps: Vec<Sweep>,
    /// The first run of each sweep, and the number of all runs.
    firsts: Vec<u64>,
}

impl SweepRuns {
    /// `None`: there are more than [`MOST_SAMPLES`].
    pub fn new(sweeps: Vec<Sweep>) -> Option<Self> {
        let (mut firsts, mut runs, mut samples) = (vec![0], 0_u64, 0_u64);
        for sweep in &sweeps {
            let of_sweep = sweep.runs()?;
            runs = runs.checked_add(of_sweep)?;
            samples = samples.checked_add(of_sweep.checked_mul(sweep.frames())?)?;
            firsts.push(runs);
        }
        (samples <= MOST_SAMPLES).then_some(Self { sweeps, firsts })
    }

    /// Number of runs.
    pub fn runs(&self) -> u64 {
        self.firsts.last().copied().unwrap_or(0)
    }

    /// The sweep of a run, and the run's number in it.
    pub fn of_run(&self, run: u64) -> (&Sweep, u64) {
        let at = self.firsts.partition_point(|&first| first <= run) - 1;
        (&self.sweeps[at], run - self.firsts[at])
    }

    /// The sweeps.
    pub fn sweeps(&self) -> &[Sweep] {
        &self.sweeps
    }

    /// Largest value of a column.
    pub fn largest(&self, column: u32) -> f64 {
        let of = |sweep: &Sweep| {
            let swept = sweep.joints.iter().filter(|joint| joint.column == column);
            let swept = swept.map(|joint| joint.range[0].abs().max(joint.range[1].abs()));
            swept.fold(sweep.rest[column as usize].abs(), f64::max)
        };
        self.sweeps.iter().map(of).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sweep(path: SweepPath, ranges: &[[f64; 2]], steps: u32) -> Sweep {
        let joints =
            ranges.iter().zip(0..).map(|(&range, k)| SweptJoint { column: 2 * k, range, turns: true }).collect();
        Sweep { joints, path, steps, rest: vec![0.5; 2 * ranges.len()] }
    }

    #[test]
    fn a_grid_has_every_combination_once_and_ends_are_exact() {
        let grid = sweep(SweepPath::Grid, &[[0.0, 0.3], [-1.0, 2.0], [5.0, 4.0]], 3);
        let mut seen = Vec::new();
        for run in 0..grid.runs().expect("few") {
            for frame in 0..grid.frames() {
                let mut values = vec![0.0; 6];
                grid.values(run, frame, &mut values);
                assert_eq!([values[1], values[3], values[5]], [0.5; 3]);
                assert_eq!(values[0], if frame == 3 { 0.3 } else { 0.3 * (frame as f64 / 3.0) });
                seen.push(values.iter().map(|value| value.to_bits()).collect::<Vec<_>>());
            }
        }
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 64);
        assert_eq!(grid.only_joint(7).map(|joint| joint.column), Some(0));
    }

    #[test]
    fn runs_of_sweeps_follow_each_other() {
        let all = vec![
            sweep(SweepPath::Together, &[[0.0, 1.0], [0.0, 2.0]], 4),
            sweep(SweepPath::OneByOne, &[[0.0, 1.0], [3.0, 2.0]], 2),
        ];
        let runs = SweepRuns::new(all).expect("few");
        assert_eq!(runs.runs(), 3);
        let moves = |run| runs.of_run(run).0.only_joint(runs.of_run(run).1).map(|joint| joint.column);
        assert_eq!([0, 1, 2].map(moves), [None, Some(0), Some(2)]);
        let mut values = vec![0.0; 4];
        let (sweep, run) = runs.of_run(2);
        sweep.values(run, 2, &mut values);
        assert_eq!(values, [0.5, 0.5, 2.0, 0.5]);
        assert_eq!([runs.largest(0), runs.largest(2), runs.largest(1)], [1.0, 3.0, 0.5]);
        let huge = sweep_of_many();
        assert!(huge.runs().is_none() && SweepRuns::new(vec![huge]).is_none());
    }

    #[test]
    fn draws_are_those_of_the_published_generator_within_the_ranges() {
        // The first numbers of the reference implementation, seed 1234567.
        let published = [6_457_827_717_110_365_317_u64, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        for (draw, number) in (0..).zip(published) {
            assert_eq!(unit_draw(1_234_567, draw), (number >> 11) as f64 / 2_f64.powi(53));
        }
        let path = SweepPath::Random { samples: 1000, seed: 7 };
        let draws = sweep(path, &[[-1.0, 3.0], [5.0, 5.0]], 0);
        assert_eq!((draws.runs(), draws.frames(), draws.only_joint(3)), (Some(1000), 1, None));
        let mut mean = 0.0;
        for run in 0..1000 {
            let mut values = [0.0; 4];
            draws.values(run, 0, &mut values);
            assert!((-1.0..=3.0).contains(&values[0]) && values[1..] == [0.5, 5.0, 0.5], "{values:?}");
            mean += values[0] / 1000.0;
        }
        // Six standard errors of the mean: 4 / sqrt(12 * 1000).
        assert!((mean - 1.0).abs() < 6.0 * 0.0366, "{mean}");
    }

    fn sweep_of_many() -> Sweep {
        sweep(SweepPath::Grid, &[[0.0, 1.0]; 12], 99_999)
    }

    #[test]
    fn steps_are_of_three_degrees_at_most() {
        let turn = |degrees: f64| [SweptJoint { column: 0, range: [0.0, degrees.to_radians()], turns: true }];
        assert_eq!([270.0, 3.0, 3.1, 0.0].map(|degrees| Sweep::fine_steps(&turn(degrees))), [90, 1, 2, 1]);
        assert_eq!(Sweep::fine_steps(&[SweptJoint { column: 0, range: [0.0, 2.0], turns: false }]), 90);
    }
}
