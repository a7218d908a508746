//! A family while it is asked: its walks through the engine, and each row to the verifier.

use clearsweep_model::{FrameBlock, QueryOptions, SAMPLES};
use std::time::Instant;

use clearsweep_narrow::{
    Auto, BodyPoses, Gjk, NarrowPhase, PairCache, PairQuery, Proximity, SolverStats, Status, VClip, Workspace,
};

use crate::bridge::EVERYTHING;
use crate::oracle::families::Random;
use crate::oracle::number::{Number, Wide};
use crate::recheck::families::{Family, Walk};
use crate::recheck::place::Pair;
use crate::recheck::tally::Tally;
use crate::recheck::verify::{By, Claim, ORACLE, cold};
use crate::recheck::ways;

/// Queries between two pools of bodies.
const RENEWAL: u64 = 20_000;
/// Misses shown in full, for each family.
const SHOWN: u64 = 5;

/// Rates of the checks beyond proving a row again: each is made for one query in this number.
#[derive(Clone, Copy)]
pub struct Effort {
    /// Asked in every way.
    pub ways: u64,
    /// LastPoses against the oracle, where the bodies have few points.
    pub known: u64,
    /// The row made false, above and below, to see that the verifier notices.
    pub deception: u64,
}

/// A family while it is asked.
pub struct Run {
    family: Family,
    random: Random,
    tally: Tally,
    /// Memory that the walk before left.
    memory: PairCache,
    walks: u64,
    effort: Effort,
}

impl Run {
    /// A family's queries depend on the seed and its name alone.
    pub fn new(family: Family, seed: u64, effort: Effort) -> Self {
        let start = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let random = Random(family.name.bytes().fold(start, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01B3)));
        Self { family, random, tally: Tally::default(), memory: PairCache::default(), walks: 0, effort }
    }

    pub fn ask(mut self, queries: u64) -> Tally {
        let start = Instant::now();
        let mut next = 0;
        let mut given = std::mem::take(&mut self.family.given).into_iter();
        while self.tally.queries < queries {
            if self.tally.queries >= next {
                self.family.renew(&mut self.random);
                next += RENEWAL;
            }
            let walk = given.next().unwrap_or_else(|| (self.family.step)(&mut self.random, &self.family.pool));
            self.walk(&walk);
            self.walks += 1;
        }
        self.tally.seconds = start.elapsed().as_secs_f64();
        self.tally
    }

    /// One walk, in blocks as the engine cuts them: by each method in turn, with a fresh memory or
    /// what the walk before left; one in four sample by sample, each from a cold start, every other
    /// such walk's samples handed over together.
    fn walk(&mut self, walk: &Walk) {
        let options = QueryOptions { within: walk.within, ..EVERYTHING };
        let methods: [&dyn NarrowPhase; 3] = [&Auto, &Gjk::DEFAULT, &VClip];
        // Each method in all the ways below.
        let method = methods[(self.walks / 4 % 3) as usize];
        if !self.walks.is_multiple_of(3) {
            self.memory = PairCache::default();
        }
        let singly = self.walks % 4 == 2;
        for (at, samples) in walk.samples.chunks(SAMPLES).enumerate() {
            let mut block = FrameBlock::new(0, 2);
            let [a, b] = walk.bodies.map(|i| &self.family.pool[i]);
            for (s, (pa, pb)) in samples.iter().enumerate() {
                block.set(0, s, &a.pose(pa));
                block.set(1, s, &b.pose(pb));
            }
            let (a, b) = (&*a.shape, &*b.shape);
            let (poses_a, poses_b) = (BodyPoses::Moving(block.slot(0)), BodyPoses::Moving(block.slot(1)));
            let mut rows = Vec::new();
            let (mut work, mut stats) = (Box::<Workspace>::default(), SolverStats::default());
            let query = |samples: u64| PairQuery { a, b, poses_a, poses_b, samples };
            let all = u64::MAX >> (SAMPLES - samples.len());
            if singly && self.walks % 8 == 2 {
                let queries: Vec<_> = (0..samples.len()).map(|s| query(1 << s)).collect();
                let mut caches = vec![PairCache::default(); queries.len()];
                method.query_batch(&queries, &options, &mut caches, &mut work, &mut stats, &mut rows, &mut Vec::new());
            } else if singly {
                for s in 0..samples.len() {
                    let mut cold = PairCache::default();
                    method.walk(&query(1 << s), &options, &mut cold, &mut work, &mut stats, &mut rows);
                }
            } else {
                method.walk(&query(all), &options, &mut self.memory, &mut work, &mut stats, &mut rows);
            }
            self.tally.stats.add(&stats);
            let mut found = rows.iter().peekable();
            for s in 0..samples.len() {
                let row = found.next_if(|r| usize::from(r.sample) == s);
                self.sample(walk, at * SAMPLES + s, row);
            }
        }
    }

    fn sample(&mut self, walk: &Walk, sample: usize, row: Option<&Proximity>) {
        let tally = &mut self.tally;
        tally.queries += 1;
        let [a, b] = walk.bodies.map(|i| &self.family.pool[i]);
        let (pa, pb) = &walk.samples[sample];
        let asked_in_every_way = tally.queries.is_multiple_of(self.effort.ways);
        let compared = if asked_in_every_way {
            ways::compare(&mut tally.ways, &mut self.random, &self.family.pool, walk, sample, row)
        } else {
            Ok(())
        };
        let row = row.map(|row| a.in_own_frame(row));
        let row = row.as_ref();
        // Without a row the bodies are beyond the cut-off, as a row without one proves.
        let fresh = row.is_none().then(|| cold(a, pa, b, pb));
        let asked = row.or(fresh.as_ref()).expect("one of the two");
        let claim =
            Claim { pair: Pair::new(a, pa, b, pb), solids: [a, b], places: [pa, pb], row: asked, last_resort: true };
        if let Err(report) = compared {
            eprintln!("{}, query {}: {report}\n  {}", self.family.name, tally.queries, claim.recipe());
        }
        let verdict = claim.verify().and_then(|proof| {
            let for_oracle = tally.queries.is_multiple_of(self.effort.known) || proof.lower == By::Oracle;
            let known = known(&claim, walk.known.get(sample).copied(), for_oracle);
            compare_known(tally, &claim, known)?;
            if tally.queries.is_multiple_of(self.effort.deception) {
                deceive(tally, &claim, known);
            }
            let beyond = row.is_some() || asked.lower > walk.within;
            if beyond { Ok(proof) } else { Err("it is not beyond the cut-off, and has no row".to_string()) }
        });
        match verdict {
            Ok(proof) => {
                tally.lower[proof.lower as usize] += 1;
                tally.upper[proof.upper as usize] += 1;
            }
            Err(report) => {
                tally.misses += 1;
                if tally.misses <= SHOWN {
                    eprintln!("{}, query {}: {report}\n  {}", self.family.name, tally.queries, claim.recipe());
                }
            }
        }
        if row.is_none() {
            tally.absent += 1;
            return;
        }
        tally.rows += 1;
        tally.statuses[asked.status as usize] += 1;
        tally.methods[asked.method as usize] += 1;
        tally.uncertified += u64::from(asked.status == Status::Uncertified);
        tally.widest = tally.widest.max((asked.upper - asked.lower) / claim.pair.size);
        tally.widest_m = tally.widest_m.max(asked.upper - asked.lower);
    }
}

/// A signed distance from elsewhere: given with the query, or by the oracle for some; and how far
/// it may be off, metres.
fn known(claim: &Claim<'_>, given: Option<f64>, for_oracle: bool) -> Option<(Wide, f64)> {
    if let Some(given) = given.filter(|d| !d.is_nan()) {
        // Rounded to f64.
        return Some((Wide::of(given), given.abs() * f64::EPSILON));
    }
    let truth = if for_oracle { claim.oracle() } else { None };
    truth.map(|d| (d, ORACLE * claim.pair.size))
}

fn compare_known(tally: &mut Tally, claim: &Claim<'_>, known: Option<(Wide, f64)>) -> Result<(), String> {
    let Some((truth, doubt)) = known else { return Ok(()) };
    let row = claim.row;
    tally.known += 1;
    let error = (Wide::of(row.distance) - truth).value().abs() / claim.pair.size;
    tally.worst = tally.worst.max(error);
    let below = (truth - Wide::of(row.lower)).value();
    let above = (Wide::of(row.upper) - truth).value();
    if below >= -doubt && above >= -doubt {
        return Ok(());
    }
    Err(format!("its bracket misses {truth:?} (lower end {below:e}, upper end {above:e} on the right side)"))
}

/// Brackets that miss the truth (as far as it is known) by 1e-15 of the size must not be proven.
fn deceive(tally: &mut Tally, claim: &Claim<'_>, known: Option<(Wide, f64)>) {
    let (from, to) = known.map_or((claim.row.lower, claim.row.upper), |(truth, doubt)| {
        (truth.value().next_down() - doubt, truth.value().next_up() + doubt)
    });
    tally.false_ends += 2;
    let deceived = claim.deceived(from, to);
    tally.deceived += deceived;
    if deceived > 0 && tally.deceived <= SHOWN {
        eprintln!("the VERIFIER takes a false bracket for proven, around {from:e} {to:e}\n  {}", claim.recipe());
    }
}
