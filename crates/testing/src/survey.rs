//! A survey of generated cases: each against the oracle, and each against memory from elsewhere.

use clearsweep_narrow::{PairCache, query_one};

use crate::bridge::{EVERYTHING, Solid, bits, check, pose, recipe};
use crate::invariants::walk_once;
use crate::oracle::Placement;
use crate::oracle::families::{Random, moved};
use crate::oracle::number::times;

/// Two bodies with their places.
pub type Case = (Solid, Placement, Solid, Placement);

/// Checks `pairs` cases against the oracle, and that a cache warmed elsewhere gives the same row.
/// `shares`: the least part of the cases that must be separated, and that must penetrate.
pub fn survey(name: &str, seed: u64, pairs: usize, shares: [f64; 2], mut make: impl FnMut(&mut Random, usize) -> Case) {
    let mut random = Random(seed);
    let (mut methods, mut statuses) = ([0; 6], [0; 4]);
    let mut failures = Vec::new();
    for number in 0..pairs {
        let (a, pa, b, pb) = make(&mut random, number);
        match check(&a, &pa, &b, &pb) {
            Ok(checked) => {
                methods[checked.row.method as usize] += 1;
                statuses[checked.row.status as usize] += 1;
            }
            Err(report) => failures.push(format!("{name}, seed {seed}, case {number}: {report}")),
        }
        if let Err(report) = the_way_does_not_matter(&mut random, &a, &pa, &b, &pb) {
            failures.push(format!("{name}, seed {seed}, case {number}: {report}"));
        }
    }
    eprintln!("{name}: {pairs} pairs, {} failures, methods {methods:?}, statuses {statuses:?}", failures.len());
    assert!(failures.is_empty(), "{} failures, the first: {}", failures.len(), failures[0]);
    let share = |status: usize| statuses[status] as f64 / pairs as f64;
    assert!(share(0) >= shares[0] && share(2) >= shares[1], "not representative: {statuses:?}");
}

/// The row after a walk from elsewhere is the cold one: from near, from another turn, from next to
/// it.
fn the_way_does_not_matter(
    random: &mut Random,
    a: &Solid,
    pa: &Placement,
    b: &Solid,
    pb: &Placement,
) -> Result<(), String> {
    let cold = query_one(&a.shape, &b.shape, &pose(pa), &pose(pb), &EVERYTHING);
    for step in 0..3 {
        let from = match step {
            0 => moved(pb, times(random.direction(), random.scale(1e-12, 0.1))),
            1 => Placement { q: random.turn(), ..*pb },
            _ => moved(pb, times(random.direction(), random.scale(1e-15, 1e-9))),
        };
        let mut cache = PairCache::default();
        walk_once(&a.shape, pa, &b.shape, &from, &mut cache);
        let warm = walk_once(&a.shape, pa, &b.shape, pb, &mut cache);
        if bits(&warm) != bits(&cold) {
            let rows = format!("  warm {warm:?}\n  cold {cold:?}");
            return Err(format!("from {from:?} (step {step}) the row differs\n{rows}\n{}", recipe(a, pa, b, pb)));
        }
    }
    Ok(())
}
