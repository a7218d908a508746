//! The exact rung against the oracle and against every other rung, on pairs that the others decide
//! too.

use clearsweep_narrow::answer::Answer;
use clearsweep_narrow::{Method, exact, query_one};
use clearsweep_testing::bridge::{EVERYTHING, Solid, pose, recipe};
use clearsweep_testing::oracle::families::{self, Random, Recipe, Regime, place};
use clearsweep_testing::oracle::number::{Number, Wide};
use clearsweep_testing::oracle::{self, Placement, signed_distance};

fn exactly(a: &Solid, pa: &Placement, b: &Solid, pb: &Placement) -> Answer {
    let cores = (&a.shape.pieces[0].core, &b.shape.pieces[0].core);
    exact::resolve(cores.0, cores.1, (&pose(pa), &pose(pb))).unwrap_or_else(|| panic!("{}", recipe(a, pa, b, pb)))
}

/// Results of a family of pairs.
#[derive(Default, Debug)]
struct Tally {
    regimes: [u32; 3],
    ties: u32,
    zero: u32,
    same_features: u32,
    strict: u32,
}

fn run(seed: u64, pairs: usize, make: fn(&mut Random, usize) -> Recipe) -> Tally {
    let mut random = Random(seed);
    let pool: Vec<Solid> = (0..24).map(|i| Solid::from_recipe(make(&mut random, i))).collect();
    let mut tally = Tally::default();
    for number in 0..pairs {
        let (a, b) = (&pool[random.below(24)], &pool[random.below(24)]);
        let (pa, pb) = place(
            &mut random,
            &a.body,
            &b.body,
            [Regime::Separated, Regime::Touching, Regime::Overlapping][number % 3],
        );
        let case = || recipe(a, &pa, b, &pb);
        let answer = exactly(a, &pa, b, &pb);
        // The oracle's 104 bits: its distance is that of the grown bodies.
        let growth = a.growth + b.growth;
        let truth = signed_distance(&a.body, &pa, &b.body, &pb).distance + Wide::sum(a.growth, b.growth);
        let size = oracle::size(&a.body, &pa, &b.body, &pb);
        let slack = 1e-29 * size + f64::MIN_POSITIVE;
        let (below, above) = (truth - Wide::of(answer.lower), Wide::of(answer.upper) - truth);
        assert!(below.value() >= -slack && above.value() >= -slack, "{answer:?}, not {truth:?}\n{}", case());
        let ulp = answer.distance.abs().next_up() - answer.distance.abs();
        assert!(answer.upper - answer.lower <= 4.0 * ulp, "{answer:?}");
        assert!(answer.lower <= answer.distance && answer.distance <= answer.upper, "{answer:?}");
        assert!((answer.normal.length() - 1.0).abs() < 1e-15, "{answer:?}");
        // The ladder's row: its bracket holds the exact distance, and a unique optimum has the same
        // features.
        let row = query_one(&a.shape, &b.shape, &pose(&pa), &pose(&pb), &EVERYTHING);
        let off = 4.0 * f64::EPSILON * size;
        assert!(
            row.lower <= answer.upper - growth + off && answer.lower - growth - off <= row.upper,
            "{row:?}, {answer:?}\n{}",
            case()
        );
        if row.method == Method::Strict {
            tally.strict += 1;
            let published = answer.features.published([&a, &b].map(|body| &body.shape.pieces[0].core));
            assert_eq!((published.kind, published.number), (row.feature_kind, row.feature), "{answer:?}\n{}", case());
            tally.same_features += 1;
        }
        tally.regimes[if truth.value().abs() <= 2e-9 {
            1
        } else if truth.value() > 0.0 {
            0
        } else {
            2
        }] += 1;
        tally.ties += u32::from(answer.method == Method::Tie);
        tally.zero += u32::from(answer.distance == 0.0);
    }
    tally
}

fn representative(tally: &Tally) {
    assert!(tally.regimes.iter().all(|&n| n >= 40), "{tally:?}");
}

#[test]
fn compact_bodies() {
    let tally = run(1, 450, families::compact);
    representative(&tally);
    assert!(tally.strict > 200, "{tally:?}");
}

#[test]
fn ties() {
    let tally = run(2, 1200, families::tied);
    representative(&tally);
    assert!(tally.ties > 80 && tally.zero > 3, "{tally:?}");
}

#[test]
fn slivers_disks_and_flat_bodies() {
    for (seed, make) in
        [(3, families::sliver as fn(&mut Random, usize) -> Recipe), (4, families::disks), (5, families::flat)]
    {
        let tally = run(seed, 180, make);
        assert!(tally.regimes.iter().all(|&n| n >= 20), "{tally:?}");
    }
}

#[test]
fn a_sign_below_every_other_resolution_is_decided() {
    // Boxes a face of which lies 2^-200 m above, in and 2^-200 m below the other's: far below f64
    // and double-double.
    let solid = Solid::cuboid([0.5; 3]);
    for (rest, sign) in [(2_f64.powi(-200), 1.0), (0.0, 0.0), (-(2_f64.powi(-200)), -1.0)] {
        let pa = Placement::new([0.25, 0.125, 0.0], [1.0, 0.0, 0.0, 0.0]);
        let mut pb = Placement::new([0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0]);
        pb.rest = [0.0, 0.0, rest];
        let answer = exactly(&solid, &pa, &solid, &pb);
        assert_eq!(answer.distance, sign * 2_f64.powi(-200), "{answer:?}");
        assert_eq!(answer.normal.to_array(), [0.0, 0.0, 1.0]);
        assert!(answer.lower * sign >= 0.0 && answer.upper * sign >= 0.0, "the sign is proven: {answer:?}");
    }
}

#[test]
fn extreme_scales_and_degenerate_bodies_have_answers() {
    let point = |p: [f64; 3]| Solid::new("point", vec![p], 0.0);
    let segment = Solid::new("segment", vec![[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]], 0.0);
    let square =
        Solid::new("square", vec![[1.0, 1.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0], [1.0, -1.0, 0.0]], 0.0);
    let origin = Placement::new([0.0; 3], [1.0, 0.0, 0.0, 0.0]);
    let quarter = Placement::new([0.0; 3], [1.0, 1.0, 0.0, 0.0]);
    let solids = [point([0.0; 3]), segment, square, Solid::cuboid([1.0; 3])];
    for a in &solids {
        for b in &solids {
            for pb in [&origin, &quarter] {
                let answer = exactly(a, &origin, b, pb);
                let truth = signed_distance(&a.body, &origin, &b.body, pb).distance.value();
                assert_eq!(answer.distance, truth, "{} {}: {answer:?}", a.name, b.name);
                let n = answer.normal.length();
                assert!((n - 1.0).abs() < 1e-15, "{answer:?}");
            }
        }
    }
    for scale in [1e-60, 1e-20, 1e20, 1e60] {
        let a = Solid::cuboid([scale; 3]);
        let far = Placement::new([0.0, 3.0 * scale, 0.0], [0.5, 0.5, 0.5, 0.5]);
        let answer = exactly(&a, &origin, &a, &far);
        assert!((answer.distance / scale - 1.0).abs() < 1e-15, "{scale}: {answer:?}");
    }
    let bad = pose(&Placement::new([f64::NAN, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]));
    let core = &solids[3].shape.pieces[0].core;
    assert!(exact::resolve(core, core, (&bad, &bad)).is_none(), "defective input has no answer");
}
