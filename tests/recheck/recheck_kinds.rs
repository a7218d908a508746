//! The campaign of all kinds of bodies (`cargo xtask recheck --kinds`) on a small scale, and its
//! verifier against known distances.

use clearsweep::Geometry;
use clearsweep_narrow::Proximity;
use clearsweep_testing::oracle::Placement;
use clearsweep_testing::oracle::families::{Random, cuboid};
use clearsweep_testing::oracle::number::{Number, times};
use clearsweep_testing::recheck::kinds;
use clearsweep_testing::recheck::kinds::body::Body;
use clearsweep_testing::recheck::kinds::gap::Soups;
use clearsweep_testing::recheck::kinds::judge::{Claim, Fault, Place as Relation};
use clearsweep_testing::recheck::kinds::make::{Kind, Subject, make};
use clearsweep_testing::recheck::kinds::motion::{self, Memory};
use clearsweep_testing::recheck::kinds::tally::{Record, Tally, Terms, pairs, summary, unaligned, uncovered, untried};
use clearsweep_testing::recheck::place::Place;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

fn is_round(kind: &Kind) -> bool {
    matches!(kind, Kind::Round | Kind::Torus | Kind::RoundParts)
}

/// Whether rows of two kinds take the oracle long: tori, and bodies with tori among their parts,
/// beside each other and beside triangles. `recheck_round` asks few of them, and a campaign many.
fn is_slow(pair: &[Kind; 2]) -> bool {
    let has_torus = |kind: &Kind| matches!(kind, Kind::Torus | Kind::RoundParts);
    let is_quick = |kind: &Kind| matches!(kind, Kind::Hull | Kind::Pieces | Kind::Sphere | Kind::Capsule);
    pair.iter().any(has_torus) && !pair.iter().any(is_quick)
}

/// Rows of a pair of kinds until every place has some with every memory, and every promise was
/// tried.
fn covered(pair: [Kind; 2]) -> Tally {
    let mut tally = Tally::default();
    for seed in 0..40 {
        tally.add(&kinds::ask(pair, seed, 216, 1));
        let is_covered = uncovered(pair, &tally).is_empty() && unaligned(pair, &tally).next().is_none();
        if is_covered && untried(pair, &tally).next().is_none() {
            break;
        }
    }
    tally
}

#[test]
fn every_pair_of_kinds_is_proven_again_in_every_place() {
    let pairs: Vec<[Kind; 2]> = pairs().into_iter().filter(|pair| !is_slow(pair)).collect();
    let (next, sums) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(&pair) = pairs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let tally = covered(pair);
                    eprintln!("{} {:.1} s, {} left open", tally.line(pair), tally.seconds, tally.left_open);
                    sums.lock().expect("no thread panics here").push((pair, tally));
                }
            });
        }
    });
    let sums = sums.into_inner().expect("no thread panics here");
    assert_eq!(sums.len(), pairs.len());
    let wrong = summary(&sums);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn at(offset: [f64; 3]) -> Place {
    Place::new(&Placement::new([0.0; 3], [1.0, 0.0, 0.0, 0.0]), &Placement::new(offset, [1.0, 0.0, 0.0, 0.0]))
}

#[test]
fn the_verifier_knows_distances_of_boxes_and_balls() {
    let (cube, ball) = (Body::hull(cuboid([0.5; 3])), Body { growth: 0.5, ..Body::flat(vec![[0.0; 3]]) });
    for (offset, distance) in
        [([2.0, 0.0, 0.0], 1.0), ([1.25, 1.25, 0.0], 0.25 * 2.0_f64.sqrt()), ([1.0, 0.0, 0.0], 0.0)]
    {
        let soups = Soups::new(&cube, &cube, at(offset));
        let gap = soups.gap([0.0; 3]);
        assert!((gap.lower - distance).abs() < 1e-15 && (gap.upper - distance).abs() < 1e-15, "{offset:?} {gap:?}");
        assert!((soups.fine().value() - distance).abs() < 1e-15, "{offset:?}");
        assert!(!soups.overlap([0.0; 3], 0.0, 1e-12), "{offset:?}");
        // The same boxes with sides in common planes overlap by half a side, and fit at its end.
        assert!(soups.overlap(times(offset, -0.5 / offset[0]), 0.0, 1e-12) == (offset[0] < 1.5), "{offset:?}");
    }
    assert!(Soups::new(&cube, &cube, at([0.0; 3])).overlap([0.0; 3], 0.0, 1e-12), "one box in the place of another");
    let soups = Soups::new(&cube, &ball, at([0.8, 0.8, 0.0]));
    assert!((soups.gap([0.0; 3]).upper - 0.3 * 2.0_f64.sqrt()).abs() < 1e-15);
    let inner = Body::hull(cuboid([0.125; 3]));
    let gap = Soups::new(&cube, &inner, at([0.1, 0.0, 0.0])).gap([0.0; 3]);
    assert!(gap.is_inside && gap.upper == 0.0, "{gap:?}");
    let mut random = Random(5);
    let hollow = (0..200).map(|_| make(Kind::Pieces, &mut random, 1.0)).find(|s| !s.body.filled.is_empty());
    let walls = hollow.expect("one in three");
    let soups = Soups::new(&walls.body, &inner, at([0.1, 0.0, 0.0]));
    let gap = soups.gap([0.0; 3]);
    assert!(!gap.is_inside && gap.lower > 0.1 && soups.in_cavity(), "{gap:?}");
}

/// Rows that miss by a little are refuted, and the row itself is not.
#[test]
fn the_verifier_refutes_false_ends() {
    let mut random = Random(11);
    let mut refuted = [0; 2];
    for pair in pairs().into_iter().filter(|pair| !pair.iter().any(is_round)) {
        let subjects = pair.map(|kind| make(kind, &mut random, 1.0));
        let two = [&subjects[0], &subjects[1]];
        let samples: Vec<_> =
            (0..20).flat_map(|_| motion::samples(&mut random, two, Memory::Single, Relation::Apart, 1.0)).collect();
        for places in samples {
            let soups = Soups::new(&two[0].body, &two[1].body, Place::new(&places[0], &places[1]));
            let (gap, growth) = (soups.sharp_gap(), two[0].body.growth + two[1].body.growth);
            if gap.lower - growth <= 1e-6 {
                continue;
            }
            let distance = gap.lower - growth;
            let row = kinds::cold(two, &places);
            let step = 1e-13 * soups.size;
            for (k, (lower, upper, fault)) in [
                (distance + step, distance + 2.0 * step, Fault::Lower),
                (distance - 2.0 * step, distance - step, Fault::Upper),
            ]
            .into_iter()
            .enumerate()
            {
                let row = Proximity { lower, upper, distance: lower, ..row };
                let claim = Claim { soups: &soups, row: &row, slack: 0.0, has_protrusion: false };
                assert!(claim.faults(&gap, &mut random).contains(&fault), "{pair:?} {row:?} {gap:?}");
                refuted[k] += 1;
            }
        }
    }
    assert!(refuted.iter().all(|&n| n > 300), "not representative: {refuted:?}");
    // A depth that is too large: a shorter translation separates. One that is too small: its
    // translation does not.
    let points = cuboid([0.5; 3]);
    let shape = Geometry::Points(points.clone()).shape(0.0).expect("a body");
    let cube = Subject { body: Body::hull(points), shape, recipe: String::new(), round: None };
    let offset = [0.75, 0.0, 0.0];
    let soups = Soups::new(&cube.body, &cube.body, at(offset));
    let row = kinds::cold([&cube, &cube], &[[0.0; 3], offset].map(|p| Placement::new(p, [1.0, 0.0, 0.0, 0.0])));
    let gap = soups.gap([0.0; 3]);
    let mut faults = |by: f64| {
        let row = Proximity { lower: by * row.lower, upper: by * row.upper, distance: by * row.distance, ..row };
        Claim { soups: &soups, row: &row, slack: 0.0, has_protrusion: false }.faults(&gap, &mut random)
    };
    assert!(faults(1.0).is_empty() && faults(2.0) == [Fault::TooDeep] && faults(0.5) == [Fault::NotSeparated]);
}

#[test]
fn a_record_that_was_cut_short_is_gone_on_with() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("record");
    let terms = Terms { seed: 3, chunk: 20, commit: "a".into() };
    let some = pairs().into_iter().filter(|pair| !pair.contains(&Kind::Decomposition)).take(8).collect::<Vec<_>>();
    let run = || kinds::campaign(&path, terms.clone(), &some, 20, 2, f64::INFINITY).expect("it runs");
    let lines = || {
        let text = std::fs::read_to_string(&path).expect("a record");
        let mut lines: Vec<String> =
            text.lines().map(|l| l.split(",\"seconds\"").next().expect("a part").to_string()).collect();
        lines.sort();
        lines
    };
    drop(run());
    let whole = lines();
    assert_eq!(whole.len(), some.len());
    let text = std::fs::read_to_string(&path).expect("a record");
    let cut = text.match_indices('\n').nth(4).expect("lines").0 + 40;
    std::fs::write(&path, &text[..cut]).expect("written");
    drop(run());
    assert_eq!(lines(), whole, "the same chunks, once each");
    let other = Record::open(&path, Terms { commit: "b".into(), ..terms.clone() }).err().expect("another commit");
    assert!(other.contains("line 1"), "{other}");
}
