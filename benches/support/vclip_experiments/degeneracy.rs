//! Mirtich 1997 (V-Clip), Algorithm 10: two cubes of two units a side; bisection between two poses,
//! nearly aligned most of the time, down to where the features, or the simplex, change.
//!
//! Each search bisects on its own; Lin-Canny does so with several tolerances. A distance counts as
//! wrong if it is off the proven row's by more than the given share of the size of the pair. The
//! averages of orientations are those of quaternions.

use super::bodies::{core, cube};
use super::report::Report;
use super::searches::{ByGjk, ByLinCanny, ByVClip, Search};
use clearsweep_geometry::{Pose, RelativePose};
use clearsweep_narrow::pair::Pair;
use clearsweep_narrow::search::SearchEnd;
use clearsweep_narrow::{BodyPoses, Gjk, NarrowPhase, PairCache, PairQuery, SolverStats, Workspace};
use clearsweep_scene::{QueryOptions, Shape};
use clearsweep_testing::random::Random;
use clearsweep_testing::random_motions::about;

/// The tolerances of Lin-Canny, in shares of the size of the pair.
const TOLERANCES: [f64; 9] = [0.0, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-10, 1e-8, 1e-6];

/// The tolerances of enhanced GJK that the paper names in section 6.2: 10^-5 as it came, 10^-7, and
/// 10^-8, with which it reports distances of zero.
const TOLERANCES_OF_GJK: [f64; 3] = [1e-5, 1e-7, 1e-8];

const COLUMNS: [&str; 14] = [
    "search",
    "tolerance",
    "trials",
    "calls",
    "steps",
    "trials_with_cycles",
    "cycles",
    "stalls",
    "overlaps",
    "trials_off_1e6",
    "off_1e6",
    "off_1e9",
    "off_1e12",
    "worst",
];

pub fn run(quick: bool) -> Report {
    let trials = if quick { 500 } else { 100_000 };
    let mut report = Report::new(&COLUMNS);
    trial_all(&mut report, trials, "", &mut ByVClip::default());
    for tolerance in TOLERANCES {
        trial_all(&mut report, trials, &format!("{tolerance:.0e}"), &mut ByLinCanny::new(tolerance));
    }
    trial_all(&mut report, trials, "", &mut ByGjk::enhanced());
    for tolerance in TOLERANCES_OF_GJK {
        trial_all(&mut report, trials, &format!("{tolerance:.0e}"), &mut ByGjk::enhanced().within(tolerance));
    }
    trial_all(&mut report, trials, "", &mut ByGjk::signed_volumes());
    report
}

/// Steps 3 to 9: a position and a quaternion.
fn place(random: &mut Random) -> ([f64; 3], [f64; 4]) {
    let position = [random.between(-4.0, 4.0), random.between(-4.0, 4.0), 4.0];
    let axis = random.direction();
    let angle = libm::exp(-random.between(0.0, 20.0));
    (position, about(axis, angle))
}

#[derive(Default)]
struct Tally {
    calls: u64,
    steps: u64,
    /// Trials with a cycle, and with a distance off by 1e-6.
    trials: [u64; 2],
    cycles: u64,
    stalls: u64,
    overlaps: u64,
    /// By 1e-6, 1e-9, 1e-12 of the size.
    off: [u64; 3],
    worst: f64,
}

struct Prover<'a> {
    cube: &'a Shape,
    cache: PairCache,
    work: Box<Workspace>,
}

impl Prover<'_> {
    fn distance(&mut self, pose: &Pose) -> f64 {
        let options = QueryOptions::EVERYTHING;
        let (poses_a, poses_b) = (BodyPoses::Fixed(&Pose::IDENTITY), BodyPoses::Fixed(pose));
        let query = PairQuery { a: self.cube, b: self.cube, poses_a, poses_b, samples: 1 };
        let mut rows = Vec::with_capacity(1);
        Gjk::DEFAULT.walk(&query, &options, &mut self.cache, &mut self.work, &mut SolverStats::default(), &mut rows);
        rows[0].distance
    }
}

fn trial_all(report: &mut Report, trials: u64, tolerance: &str, search: &mut dyn Search) {
    let cube = cube(1.0);
    let mut random = Random(1997);
    let mut tally = Tally::default();
    let mut prover = Prover { cube: &cube, cache: PairCache::default(), work: Box::default() };
    for _ in 0..trials {
        trial(&mut tally, &mut random, &cube, &mut prover, search);
    }
    let mut cells = vec![search.name(), tolerance.to_owned(), trials.to_string(), tally.calls.to_string()];
    cells.push(format!("{:.3}", tally.steps as f64 / tally.calls as f64));
    let counts = [tally.trials[0], tally.cycles, tally.stalls, tally.overlaps, tally.trials[1]];
    cells.extend(counts.iter().chain(&tally.off).map(u64::to_string));
    cells.push(format!("{:.1e}", tally.worst));
    report.row(&cells);
}

fn trial(tally: &mut Tally, random: &mut Random, cube: &Shape, prover: &mut Prover<'_>, search: &mut dyn Search) {
    let (mut low, mut high) = (place(random), place(random));
    let before = (tally.cycles, tally.off[0]);
    let mut ask = |at: &([f64; 3], [f64; 4])| {
        let pose = Pose::new(at.0, at.1);
        let relative = RelativePose::between(&Pose::IDENTITY, &pose);
        let pair = Pair::new(core(cube), core(cube), relative, 0.0);
        let found = search.ask(&pair);
        tally.calls += 1;
        tally.steps += u64::from(found.steps);
        tally.cycles += u64::from(found.end == SearchEnd::Cycle);
        tally.stalls += u64::from(found.end == SearchEnd::Stalled && found.distance.is_nan());
        tally.overlaps += u64::from(found.end == SearchEnd::Overlap);
        if !found.distance.is_nan() {
            let off = (found.distance - prover.distance(&pose)).abs() / pair.size;
            for (count, limit) in tally.off.iter_mut().zip([1e-6, 1e-9, 1e-12]) {
                *count += u64::from(off > limit);
            }
            tally.worst = tally.worst.max(off);
        }
        search.device()
    };
    let first = ask(&low);
    loop {
        let middle = (
            [0, 1, 2].map(|k: usize| 0.5 * (low.0[k] + high.0[k])),
            [0, 1, 2, 3].map(|k: usize| 0.5 * (low.1[k] + high.1[k])),
        );
        if middle == low || middle == high {
            break;
        }
        if ask(&middle) == first { low = middle } else { high = middle }
    }
    tally.trials[0] += u64::from(tally.cycles > before.0);
    tally.trials[1] += u64::from(tally.off[0] > before.1);
}
