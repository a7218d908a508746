//! The distance along a direction against the oracle's signed distance at the moved poses, and
//! against closed formulas.
//!
//! The signed distance is a convex function of the length, and the oracle's is right to about 30
//! digits. So a bracket is checked at its ends, and a miss by a search for the least signed
//! distance on the way.

#![allow(clippy::print_stderr)] // the statistics are for whoever runs the tests

use clearsweep_geometry::{Pose, Vec3};
use clearsweep_narrow::{DirectionalDistance, DirectionalRelation, Workspace, directional_distance};
use clearsweep_scene::{Model, Piece, Shape};
use clearsweep_testing::bridge::{EVERYTHING, Solid, pose, recipe, shape};
use clearsweep_testing::oracle::families::{self, Random, Recipe, Regime, cuboid, moved, place};
use clearsweep_testing::oracle::number::{add, cross, norm, sub, times};
use clearsweep_testing::oracle::{self, Body, Placement, signed_distance, size};

const STILL: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

fn ask(a: &Shape, pa: &Placement, b: &Shape, pb: &Placement, d: [f64; 3]) -> DirectionalDistance {
    directional_distance(a, b, &pose(pa), &pose(pb), d.into(), &EVERYTHING, &mut Workspace::default())
}

/// The signed distance of two bodies where B is moved by `t` along `d`, by the oracle.
fn at(a: &Body, pa: &Placement, b: &Body, pb: &Placement, d: [f64; 3], t: f64) -> f64 {
    signed_distance(a, pa, b, &moved(pb, times(d, t))).distance.0
}

/// Results of a family by relation, and the brackets.
#[derive(Default)]
struct Tally {
    relations: [usize; 6],
    /// Width of each finite bracket, in sizes of the pair.
    widths: Vec<f64>,
}

impl Tally {
    /// Checks one answer. Lengths at which the oracle is asked are off by the rounding of the moved
    /// position at most.
    fn check(&mut self, a: &Solid, pa: &Placement, b: &Solid, pb: &Placement, d: [f64; 3]) {
        let found = ask(&a.shape, pa, &b.shape, pb, d);
        let s = size(&a.body, pa, &b.body, pb);
        let gap = |t: f64| at(&a.body, pa, &b.body, pb, d, t);
        let say = || format!("{found:?} along {d:?}\n{}", recipe(a, pa, b, pb));
        self.relations[found.relation as usize] += 1;
        let DirectionalDistance { lower, upper, value, .. } = found;
        let off = |t: f64| 1e-15 * (s + t);
        let now = gap(0.0);
        match found.relation {
            DirectionalRelation::Touches => {
                // Flat bodies touch at one length only, and are apart again after it.
                let met = least(&|further| gap(lower + further), upper - lower);
                assert!(now > 0.0 && gap(lower) >= -off(lower) && met <= off(upper), "{}", say());
            }
            DirectionalRelation::Leaves => {
                assert!(now < 0.0 && gap(lower) <= off(lower) && gap(upper) >= -off(upper), "{}", say());
            }
            DirectionalRelation::InContact => {
                assert!(now.abs() <= 1e-12 * s && lower == 0.0 && value == Some(0.0), "{}", say());
            }
            DirectionalRelation::Misses => {
                let least = least(&gap, 2.0 * s);
                assert!(least > 0.0 && upper == f64::INFINITY && value.is_none(), "{least:e} {}", say());
            }
            DirectionalRelation::Undecided => {
                let least = least(&gap, 2.0 * s);
                assert!(least.abs() <= 1e-9 * s && gap(lower) > -off(lower) && value.is_none(), "{least:e} {}", say());
            }
            DirectionalRelation::Unproven => panic!("{}", say()),
        }
        if let Some(value) = value {
            assert!(lower <= value && value <= upper, "{}", say());
        }
        if matches!(found.relation, DirectionalRelation::Touches | DirectionalRelation::Leaves) {
            self.widths.push((upper - lower) / s);
        }
    }

    fn report(&mut self, family: &str) -> [f64; 2] {
        self.widths.sort_by(f64::total_cmp);
        let at = |share: f64| self.widths.get((share * self.widths.len() as f64) as usize).copied().unwrap_or(f64::NAN);
        let [median, most] = [at(0.5), at(0.99)];
        eprintln!(
            "{family}: touches, leaves, in contact, misses, undecided, unproven {:?}; width of the bracket: median {median:.1e} S, \
             99 % {most:.1e} S, largest {:.1e} S",
            self.relations,
            self.widths.last().copied().unwrap_or(f64::NAN)
        );
        [median, most]
    }
}

/// The least value of a convex function between 0 and `far`.
fn least(of: &impl Fn(f64) -> f64, far: f64) -> f64 {
    let (mut low, mut high) = (0.0, far);
    for _ in 0..90 {
        let [one, two] = [low + (high - low) / 3.0, high - (high - low) / 3.0];
        if of(one) <= of(two) { high = two } else { low = one }
    }
    of(0.5 * (low + high)).min(of(0.0)).min(of(low)).min(of(high))
}

/// A direction from B that hits A, misses it, or anything.
fn direction(random: &mut Random, a: &Solid, pa: &Placement, pb: &Placement, number: usize) -> [f64; 3] {
    let back = sub(pa.position, pb.position);
    let aside = times(random.direction(), random.between(0.0, 1.0) * a.body.reach);
    match number % 4 {
        0 | 1 if norm(back) > 0.0 => times(add(back, aside), random.scale(0.1, 10.0)),
        2 => {
            // Along an axis: exact, and often parallel to faces.
            let k = random.below(3);
            [0, 1, 2].map(|i| if i == k { [1.0, -1.0][random.below(2)] } else { 0.0 })
        }
        _ => random.direction(),
    }
}

fn unit(d: [f64; 3]) -> [f64; 3] {
    times(d, 1.0 / norm(d))
}

fn run(family: &str, seed: u64, pairs: usize, make: fn(&mut Random, usize) -> Recipe) -> (Tally, [f64; 2]) {
    let mut random = Random(seed);
    let pool: Vec<Solid> = (0..30).map(|i| Solid::from_recipe(make(&mut random, i))).collect();
    let mut tally = Tally::default();
    for number in 0..pairs {
        let (a, b) = (&pool[random.below(pool.len())], &pool[random.below(pool.len())]);
        let regime = if number % 3 == 0 { Regime::Overlapping } else { Regime::Separated };
        let (pa, pb) = place(&mut random, &a.body, &b.body, regime);
        let d = unit(direction(&mut random, a, &pa, &pb, number));
        if d.iter().all(|c| c.is_finite()) {
            tally.check(a, &pa, b, &pb, d);
        }
    }
    let widths = tally.report(family);
    (tally, widths)
}

#[test]
fn solids() {
    let (tally, [median, most]) = run("solids", 11, 1_500, families::compact);
    assert!(tally.relations[..2].iter().all(|&n| n > 300) && tally.relations[3] > 150, "{:?}", tally.relations);
    assert!(tally.relations[4] < 15, "{:?}", tally.relations);
    assert!(median < 2e-12 && most < 1e-10, "{median:e} {most:e}");
}

#[test]
fn ties() {
    let (tally, [median, _]) = run("ties", 12, 900, families::tied);
    assert!(tally.relations[..2].iter().all(|&n| n > 100) && tally.relations[3] > 100, "{:?}", tally.relations);
    assert!(median < 2e-12, "{median:e}");
}

#[test]
fn rounded_bodies() {
    let (tally, [median, most]) = run("rounded bodies", 13, 900, families::round);
    assert!(tally.relations[..2].iter().all(|&n| n > 100) && tally.relations[3] > 80, "{:?}", tally.relations);
    assert!(median < 2e-12 && most < 1e-9, "{median:e} {most:e}");
}

#[test]
fn slivers() {
    let (tally, [median, _]) = run("slivers", 14, 600, families::sliver);
    assert!(tally.relations[0] > 80 && tally.relations[3] > 80, "{:?}", tally.relations);
    assert!(median < 1e-11, "{median:e}");
}

#[test]
fn flat_bodies() {
    let (tally, [median, _]) = run("flat bodies", 15, 900, families::flat);
    assert!(tally.relations[0] > 80 && tally.relations[3] > 80, "{:?}", tally.relations);
    assert!(median < 1e-11, "{median:e}");
}

#[test]
fn medium_hulls() {
    let (tally, [median, most]) = run("medium hulls", 16, 150, families::medium);
    assert!(tally.relations[..2].iter().all(|&n| n > 20), "{:?}", tally.relations);
    assert!(median < 2e-12 && most < 1e-10, "{median:e} {most:e}");
}

/// Lines that pass an edge or a vertex of the difference at 1e-15 to 1e-6 of the size.
#[test]
fn grazing() {
    let mut random = Random(17);
    let (a, b) = (Solid::cuboid([0.5, 0.25, 0.375]), Solid::cuboid([0.25, 0.5, 0.125]));
    let mut tally = Tally::default();
    for _ in 0..600 {
        let off = random.scale(1e-15, 1e-6) * if random.chance(0.5) { 1.0 } else { -1.0 };
        let still = Placement::new([0.0; 3], STILL);
        let y = if random.chance(0.3) { 0.75 } else { random.between(-0.5, 0.5) };
        let from = Placement::new([-3.0, y, 0.5 + off], STILL);
        tally.check(&a, &still, &b, &from, [1.0, 0.0, 0.0]);
    }
    tally.report("grazing");
    assert!([0, 3, 4].iter().all(|&k| tally.relations[k] > 60), "not representative: {:?}", tally.relations);
}

#[test]
fn balls_and_capsules_by_formulas() {
    let mut random = Random(18);
    let (mut touching, mut missing, mut leaving) = (0, 0, 0);
    for _ in 0..600 {
        let radii = [0.5_f64, 0.25].map(|r| r * random.between(0.5, 2.0));
        let (a, b) = (Solid::sphere(radii[0]), Solid::sphere(radii[1]));
        let still = Placement::new([0.0; 3], random.turn());
        let from = times(random.direction(), random.between(0.0, 4.0));
        let pb = Placement::new(from, random.turn());
        let aim = times(random.direction(), 1.2 * (radii[0] + radii[1]));
        let d = unit(sub(aim, from));
        let found = ask(&a.shape, &still, &b.shape, &pb, d);
        // |from + t d| = both radii.
        let (r, middle) = (radii[0] + radii[1], -oracle::number::dot(from, d));
        let aside = norm(cross(from, d));
        let off = 1e-12 * (norm(from) + r) / (1.0 - (aside / r).powi(2)).max(1e-12).sqrt();
        let half = (r * r - aside * aside).sqrt();
        let expected = if norm(from) < r { middle + half } else { middle - half };
        match found.relation {
            DirectionalRelation::Touches | DirectionalRelation::Leaves => {
                assert!((found.value.expect("a value") - expected).abs() <= off, "{found:?} {expected}");
                assert!(
                    found.lower <= expected + off && found.upper >= expected - off && found.upper - found.lower <= off
                );
                if norm(from) < r { leaving += 1 } else { touching += 1 }
            }
            DirectionalRelation::Misses => {
                assert!(aside > r || middle < 0.0, "{found:?}");
                missing += 1;
            }
            relation => panic!("{relation:?}: {aside} {r}"),
        }
    }
    assert!(touching > 100 && missing > 100 && leaving > 60, "not representative: {touching} {missing} {leaving}");
    // A capsule along z over a box: they meet where the end's ball meets the lid.
    let (lid, rod) = (Solid::cuboid([1.0, 1.0, 0.5]), Solid::capsule(0.125, 0.5));
    let above = Placement::new([0.25, 0.0, 4.0], STILL);
    let found = ask(&lid.shape, &Placement::new([0.0; 3], STILL), &rod.shape, &above, [0.0, 0.0, -2.0]);
    assert_eq!(found.relation, DirectionalRelation::Touches);
    assert!((found.value.expect("a value") - 2.875).abs() < 1e-13 && found.upper - found.lower < 1e-12, "{found:?}");
}

#[test]
fn contact_and_directions_that_are_none() {
    let (a, b) = (Solid::cuboid([0.5; 3]), Solid::cuboid([0.5; 3]));
    let still = Placement::new([0.0; 3], STILL);
    let beside = Placement::new([1.0, 0.25, 0.0], STILL);
    let found = ask(&a.shape, &still, &b.shape, &beside, [-1.0, 0.0, 0.0]);
    assert_eq!((found.relation, found.value, found.lower), (DirectionalRelation::InContact, Some(0.0), 0.0));
    assert!(found.upper >= 2.0, "they may overlap by rounding: {found:?}");
    for none in [[0.0; 3], [f64::NAN, 0.0, 0.0], [f64::INFINITY, 0.0, 0.0]] {
        let found = ask(&a.shape, &still, &b.shape, &beside, none);
        assert!(found.relation == DirectionalRelation::Unproven && found.lower.is_nan(), "{found:?}");
    }
    // The direction may have any length.
    for length in [1e-300, 1e300] {
        let apart = Placement::new([3.0, 0.0, 0.0], STILL);
        let found = ask(&a.shape, &still, &b.shape, &apart, [-length, 0.0, 0.0]);
        assert!((found.value.expect("a value") - 2.0).abs() < 1e-12, "{found:?}");
    }
}

#[test]
fn deviations_widen_the_bracket_by_what_they_come_to_along_the_direction() {
    let (a, b) = (Solid::cuboid([0.5; 3]), Solid::cuboid([0.5; 3]));
    let known = Shape { deviation: 0.01, ..a.shape.clone() };
    let still = Placement::new([0.0; 3], STILL);
    let found = ask(&known, &still, &b.shape, &Placement::new([3.0, 0.1, 0.0], STILL), [-1.0, 0.0, 0.0]);
    assert!((found.lower - 1.99).abs() < 1e-12 && (found.upper - 2.01).abs() < 1e-12, "{found:?}");
    let found = ask(&known, &still, &b.shape, &Placement::new([0.75, 0.1, 0.0], STILL), [1.0, 0.0, 0.0]);
    assert!((found.lower - 0.24).abs() < 1e-12 && (found.upper - 0.26).abs() < 1e-12, "{found:?}");
    assert_eq!(found.relation, DirectionalRelation::Leaves);
    // Closer than the deviation: the true bodies may touch or overlap.
    let found = ask(&known, &still, &b.shape, &Placement::new([1.005, 0.1, 0.0], STILL), [1.0, 0.0, 0.0]);
    assert_eq!((found.relation, found.value, found.lower), (DirectionalRelation::Undecided, None, 0.0));
    // The smaller bodies miss each other, the larger ones touch.
    let found = ask(&known, &still, &b.shape, &Placement::new([3.0, 1.0, 0.0], STILL), [-1.0, 0.0, 0.0]);
    assert!(found.relation == DirectionalRelation::Undecided && (found.lower - 2.0).abs() < 0.02, "{found:?}");
}

/// Bodies of pieces, for the engine and, piece by piece, for the oracle.
struct Pieces {
    shape: Shape,
    bodies: Vec<Body>,
}

fn pieces(random: &mut Random, kind: usize) -> Pieces {
    let block = |center: [f64; 3], half: [f64; 3]| cuboid(half).into_iter().map(|p| add(p, center)).collect::<Vec<_>>();
    let parts = match kind % 3 {
        // An arch, a chain of overlapping blocks, blocks anywhere.
        0 => vec![
            block([0.0, 0.0, 0.5], [0.625, 0.125, 0.125]),
            block([-0.5, 0.0, 0.0], [0.125, 0.125, 0.5]),
            block([0.5, 0.0, 0.0], [0.125, 0.125, 0.5]),
        ],
        1 => (0..4).map(|k| block([0.25 * f64::from(k) - 0.5, 0.0, 0.0], [0.15, 0.0625, 0.25])).collect(),
        _ => (0..5).map(|_| block([0; 3].map(|_| random.between(-0.6, 0.6)), [0.2, 0.1, 0.15])).collect(),
    };
    let growth = if kind.is_multiple_of(5) { 0.03125 } else { 0.0 };
    let whole = shape(&parts.concat(), growth);
    let cores = parts.iter().map(|p| shape(p, growth).pieces.remove(0)).collect::<Vec<Piece>>();
    let hull = Some(Box::new(whole.pieces[0].clone()));
    let bodies = parts.iter().map(|p| Body::new(p, growth)).collect();
    Pieces { shape: Shape { model: Model::Pieces, pieces: cores, hull, ..whole }, bodies }
}

#[test]
fn bodies_of_pieces_by_all_their_pairs() {
    let mut random = Random(19);
    let mut relations = [0; 6];
    let mut chained = 0;
    for number in 0..240 {
        let (a, b) = (pieces(&mut random, number), pieces(&mut random, number / 3));
        let pa = Placement::new([0.1, 0.2, -0.1], random.turn());
        let away = if number % 2 == 0 { random.between(0.0, 0.7) } else { random.between(1.0, 3.0) };
        let pb = Placement::new(add(pa.position, times(random.direction(), away)), random.turn());
        let aside = times(random.direction(), 0.6);
        let d = unit(if number % 4 < 2 { random.direction() } else { add(sub(pa.position, pb.position), aside) });
        let found = ask(&a.shape, &pa, &b.shape, &pb, d);
        let gap = |t: f64| {
            let of = |x: &Body| b.bodies.iter().map(|y| at(x, &pa, y, &pb, d, t)).fold(f64::INFINITY, f64::min);
            a.bodies.iter().map(of).fold(f64::INFINITY, f64::min)
        };
        relations[found.relation as usize] += 1;
        let DirectionalDistance { lower, upper, .. } = found;
        let off = 1e-14;
        let before = |end: f64| (0..40).map(move |k| end * f64::from(k) / 40.0);
        match found.relation {
            DirectionalRelation::Touches => {
                assert!(gap(upper) <= off && before(lower).all(|t| gap(t) > 0.0), "{found:?}");
                assert!(upper - lower < 1e-10, "{found:?}");
            }
            DirectionalRelation::Leaves => {
                assert!(gap(upper) >= -off && before(lower).all(|t| gap(t) < off), "{found:?}");
                chained += usize::from(upper - lower < 1e-10);
            }
            DirectionalRelation::Misses => assert!(before(6.0).all(|t| gap(t) > 0.0), "{found:?}"),
            relation => panic!("{relation:?}"),
        }
    }
    let [touches, leaves, _, misses, ..] = relations;
    assert!(touches > 50 && leaves > 50 && misses > 30, "not representative: {relations:?}");
    assert!(chained * 10 >= leaves * 9, "most brackets are sharp: {chained} of {leaves}");
}

#[test]
fn a_position_far_from_the_origin_costs_no_accuracy() {
    let (a, b) = (Solid::cuboid([0.5; 3]), Solid::cuboid([0.5, 0.25, 0.125]));
    let far = [6.4e6, -3.2e6, 1.0e6];
    let pa = Pose { position: Vec3::from(far), rest: Vec3::ZERO, q: STILL };
    let pb = Pose { position: Vec3::from(add(far, [4.0, 0.0, 0.25])), rest: Vec3::ZERO, q: STILL };
    let d = Vec3::new(-1.0, 0.0, 0.0);
    let found = directional_distance(&a.shape, &b.shape, &pa, &pb, d, &EVERYTHING, &mut Workspace::default());
    assert!((found.value.expect("a value") - 3.0).abs() < 1e-12 && found.upper - found.lower < 1e-11, "{found:?}");
}
