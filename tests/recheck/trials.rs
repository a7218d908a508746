//! Small scenes of bodies of all kinds, made of random bytes: the engine runs them, and all rows
//! are proven again. The fuzzer carries out the same trials (its target `engine`).

use clearsweep_records::{RecheckOutcome, RecheckTable, RecheckWhat};
use clearsweep_testing::random::Random;
use clearsweep_testing::trial::{Trial, carry_out};
use clearsweep_verifier::finding::Tally;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Scenes that are tried; `CLEARSWEEP_TRIALS` asks for another number. They meet every table and
/// statement: the bounds below are shares of this number. A thousand take some 80 seconds of a
/// processor.
fn seeds() -> u64 {
    std::env::var("CLEARSWEEP_TRIALS").map_or(300, |count| count.parse().expect("a number of scenes"))
}

/// Bytes of a scene: more than any takes.
const BYTES: usize = 220;

fn trial(folder: &std::path::Path, seed: u64) -> Trial {
    let mut random = Random(0x7_1a1 ^ seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let bytes: Vec<u8> = (0..BYTES).map(|_| random.below(256) as u8).collect();
    carry_out(folder, &bytes)
}

#[test]
fn no_row_of_a_random_scene_is_wrong() {
    let seeds = seeds();
    let (next, all) = (AtomicU64::new(0), Mutex::new((Tally::default(), 0)));
    let (reasons, wrong) = (Mutex::new(BTreeMap::new()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let folder = tempfile::tempdir().expect("a folder");
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds {
                        return;
                    }
                    let Trial { scene, tally } = trial(folder.path(), seed);
                    let mut all = all.lock().expect("no thread panics here");
                    let Some(tally) = tally else {
                        all.1 += 1;
                        continue;
                    };
                    if !tally.wrong.is_empty() {
                        eprintln!("seed {seed}: {:?}\n{scene}", tally.wrong);
                        wrong.lock().expect("no thread panics here").push(seed);
                    }
                    for (key, counts) in &tally.counts {
                        let sum = all.0.counts.entry(*key).or_default();
                        sum.by_outcome.iter_mut().zip(counts.by_outcome).for_each(|(sum, count)| *sum += count);
                    }
                    let mut reasons = reasons.lock().expect("no thread panics here");
                    for (key, count) in tally.reasons {
                        *reasons.entry(key).or_insert(0) += count;
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no thread panicked");
    assert!(wrong.is_empty(), "wrong rows: seeds {wrong:?}");
    let (all, refused) = all.into_inner().expect("no thread panicked");
    for (key, counts) in &all.counts {
        eprintln!("{key:?}: {:?}", counts.by_outcome);
    }
    for (key, count) in reasons.into_inner().expect("no thread panicked") {
        eprintln!("{count} {key:?}");
    }
    eprintln!("{refused} of {seeds} scenes refused");
    assert!(refused < seeds / 4, "{refused} scenes are refused");
    let proven = |table, what| all.counts.get(&(table, what)).map_or(0, |counts| counts.of(RecheckOutcome::Proven));
    for table in [RecheckTable::Distances, RecheckTable::Intervals] {
        assert!(proven(table, RecheckWhat::Missing) > seeds / 4, "{table:?}");
    }
    assert!(proven(RecheckTable::Distances, RecheckWhat::Bracket) > seeds / 4);
    assert!(proven(RecheckTable::Intervals, RecheckWhat::Least) > seeds / 8);
}
