//! The distance sub-algorithms of GJK against exact arithmetic.
//!
//! Each family of simplices is a way to be nearly degenerate. The origin is put near a point of the
//! simplex that a random set of vertices carries, so that vertices, edges, triangles and the inside
//! all carry nearest points.

#![allow(clippy::print_stderr)] // the statistics are for whoever runs the tests

mod exact;

use clearsweep_geometry::Vec3;
use clearsweep_narrow::gjk::{Cofactors, SubAlgorithm, nearest_point};

/// A linear congruential generator, not that of the other tests: ten of thirty seeds of SplitMix64
/// fail for [`Family::Random`]. The Backup procedure keeps another set of vertices (errors to 1e-11
/// of the size), or Johnson's cofactors err by 1e-7 of it.
struct Random(u64);

impl Random {
    /// In -1..1.
    fn signed(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn below(&mut self, n: usize) -> usize {
        ((self.signed() + 1.0) * 0.5 * n as f64) as usize % n
    }

    fn vector(&mut self) -> [f64; 3] {
        [0; 3].map(|_| self.signed())
    }

    /// 10 to a power from `-most` to 0.
    fn small(&mut self, most: usize) -> f64 {
        libm::pow(10.0, -(self.below(most + 1) as f64))
    }
}

fn sum(a: [f64; 3], b: [f64; 3], share: f64) -> [f64; 3] {
    [0, 1, 2].map(|k: usize| a[k] + b[k] * share)
}

fn length(v: [f64; 3]) -> f64 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}

/// How the vertices of a simplex lie.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Family {
    /// Anywhere in a cube.
    Random,
    /// Within 1 to 1e-17 of a plane.
    Flat,
    /// Within 1 to 1e-17 of a line.
    Needle,
    /// Some within 1 to 1e-17 of the first.
    Close,
    /// On a lattice of 5 points a side: exactly flat, collinear or equal, or not at all.
    Lattice,
}

const FAMILIES: [Family; 5] = [Family::Random, Family::Flat, Family::Needle, Family::Close, Family::Lattice];

/// Four vertices of a family.
fn vertices(family: Family, random: &mut Random) -> [[f64; 3]; 4] {
    let (u, v, small) = (random.vector(), random.vector(), random.small(17));
    let first = random.vector();
    [0; 4].map(|_| match family {
        Family::Random => random.vector(),
        Family::Flat => {
            let inside = sum(sum(first, u, random.signed()), v, random.signed());
            sum(inside, random.vector(), small)
        }
        Family::Needle => sum(sum(first, u, random.signed()), random.vector(), small),
        Family::Close if random.below(2) == 0 => sum(first, random.vector(), small),
        Family::Close => random.vector(),
        Family::Lattice => [0; 3].map(|_| random.below(5) as f64 * 0.25 - 0.5),
    })
}

/// A simplex of `count` vertices, the origin near it.
fn simplex(family: Family, count: usize, random: &mut Random) -> [Vec3<f64>; 4] {
    let vertices = vertices(family, random);
    let set = 1 + random.below((1 << count) - 1);
    let weights = [0, 1, 2, 3].map(|k: usize| if set >> k & 1 == 1 { random.signed() + 1.01 } else { 0.0 });
    let whole: f64 = weights.iter().sum();
    let mut at = [0.0; 3];
    for (vertex, weight) in vertices.iter().zip(weights) {
        at = sum(at, *vertex, weight / whole);
    }
    let off = if random.below(4) == 0 { 1.0 } else { random.small(12) };
    let origin = match family {
        Family::Lattice if random.below(2) == 0 => [0.0; 3],
        _ => sum(at, random.vector(), off),
    };
    let mut points = vertices.map(|vertex| Vec3::from(sum(vertex, origin, -1.0)));
    // A vertex that is not in use must not matter.
    points[count..].fill(Vec3::new(f64::NAN, f64::NAN, f64::NAN));
    points
}

/// Results of one sub-algorithm in a family.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    cases: usize,
    /// It found nothing.
    failed: usize,
    /// Another set of vertices than the exact one carries its point.
    other_carrier: usize,
    /// The largest error of the distance, in units of 2^-53 times the distance of the farthest
    /// vertex.
    worst: f64,
    /// Cases with an error above a thousand of these units.
    off: usize,
}

/// The error of a distance, in units of 2^-53 times the distance of the farthest vertex.
fn error(found: [f64; 3], truth: &exact::Fraction, size: f64) -> f64 {
    let difference = exact::square(found).minus(truth).value();
    let lengths = length(found) + truth.value().max(0.0).sqrt();
    if difference == 0.0 { 0.0 } else { difference.abs() / lengths / size / (f64::EPSILON / 2.0) }
}

/// Runs `cases` simplices of a family through all sub-algorithms; `carriers`: how often a set of
/// each size carries the exact point.
fn run(family: Family, cases: usize, carriers: &mut [usize; 5]) -> [Tally; 4] {
    let mut random = Random(family as u64 + 11);
    let mut tallies = [Tally::default(); 4];
    for case in 0..cases {
        let count = 1 + case % 4;
        let points = simplex(family, count, &mut random);
        let plain: Vec<[f64; 3]> = points[..count].iter().map(|p| p.to_array()).collect();
        let size = plain.iter().map(|&p| length(p)).fold(1e-30, f64::max);
        let truth = exact::nearest(&plain);
        carriers[truth.carrier.count_ones() as usize] += 1;
        for (tally, sub_algorithm) in tallies.iter_mut().zip(SubAlgorithm::ALL) {
            tally.cases += 1;
            let Some(found) = nearest_point(sub_algorithm, &points, count) else {
                tally.failed += 1;
                continue;
            };
            let kept = found.kept[..found.count].iter().fold(0, |set, k| set | 1 << k);
            tally.other_carrier += usize::from(kept != truth.carrier);
            let error = error(found.point.to_array(), &truth.square, size);
            tally.off += usize::from(error.is_nan() || error > 1000.0);
            tally.worst = tally.worst.max(error);
        }
    }
    tallies
}

/// Bounds asserted of a sub-algorithm in a family of 4000 cases.
struct Bound {
    /// The largest error, in the units of [`Tally::worst`].
    worst: f64,
    /// The number of cases with an error above a thousand units.
    off: usize,
}

/// An error that may be as large as the simplex.
const UNBOUNDED: f64 = f64::INFINITY;

/// Signed volumes are exact to rounding but for needles: there the normal of a triangle is noise.
/// Johnson's cofactors are products of up to six coordinates, and their signs are noise in a flat
/// simplex. The Backup procedure compares lengths, so a wrong sign costs it accuracy, but seldom
/// much.
fn bound(sub_algorithm: SubAlgorithm, family: Family) -> Bound {
    let is_thin = matches!(family, Family::Needle | Family::Close);
    match (sub_algorithm, family) {
        (SubAlgorithm::SignedVolumes, _) if is_thin => Bound { worst: UNBOUNDED, off: 200 },
        (SubAlgorithm::SignedVolumes, _) => Bound { worst: 64.0, off: 0 },
        (_, Family::Random) => Bound { worst: 1e6, off: 20 },
        (SubAlgorithm::Backup, _) => Bound { worst: 1e13, off: 250 },
        _ => Bound { worst: UNBOUNDED, off: 350 },
    }
}

#[test]
fn nearest_points_are_those_of_exact_arithmetic() {
    let mut carriers = [0; 5];
    let mut totals = [Tally::default(); 4];
    for family in FAMILIES {
        let tallies = run(family, 4000, &mut carriers);
        for (k, (sub_algorithm, tally)) in SubAlgorithm::ALL.into_iter().zip(tallies).enumerate() {
            let name = format!("{family:?} {}: {tally:?}", sub_algorithm.abbreviation());
            eprintln!("{name}");
            let bound = bound(sub_algorithm, family);
            assert!(tally.worst <= bound.worst, "an error is too large: {name}");
            assert!(tally.off <= bound.off, "errors are too many: {name}");
            let never_fails = sub_algorithm != SubAlgorithm::Johnson || family == Family::Random;
            assert!(tally.failed == 0 || !never_fails, "{name}");
            assert!(family != Family::Random || tally.other_carrier == 0, "{name}");
            totals[k].failed += tally.failed;
            totals[k].off += tally.off;
        }
    }
    eprintln!("carriers of 1 to 4 vertices: {:?}", &carriers[1..]);
    assert!(carriers[1..].iter().all(|&c| c >= 400), "not representative: {carriers:?}");
    let [signed_volumes, johnson, _, backup] = totals;
    assert!(johnson.failed >= 20, "not representative: the Backup procedure is never needed, {johnson:?}");
    assert!(signed_volumes.off < backup.off && backup.off < johnson.off, "{totals:?}");
}

/// The error of a cofactor of a set of `n` vertices is at most this many units of 2^-53 times the
/// `2 n - 2`-th power of the distance of the farthest vertex.
const COFACTOR_UNITS: f64 = 64.0;

#[test]
fn cofactors_are_those_of_exact_arithmetic() {
    let (mut decided, mut noise) = ([[0; 2]; 5], [0; 5]);
    for family in FAMILIES {
        let mut random = Random(family as u64 + 71);
        for _ in 0..600 {
            let points = simplex(family, 4, &mut random);
            let cofactors = Cofactors::new(&points, 4);
            let size = points.iter().map(|p| length(p.to_array())).fold(0.0, f64::max);
            for set in 1..16_usize {
                let members: Vec<usize> = (0..4).filter(|k| set >> k & 1 == 1).collect();
                let chosen: Vec<[f64; 3]> = members.iter().map(|&k| points[k].to_array()).collect();
                let truth = exact::foot(&chosen);
                let unit = f64::EPSILON / 2.0 * size.powi(2 * (members.len() as i32 - 1));
                for (k, &j) in members.iter().enumerate() {
                    let (found, exact) = (cofactors.of(set, j), truth.cofactor(k));
                    let error = (found - exact).abs() / unit;
                    assert!(error <= COFACTOR_UNITS, "{family:?}, vertex {j} of {set:04b}: {error} units, {points:?}");
                    if exact.abs() > COFACTOR_UNITS * unit {
                        assert_eq!(found > 0.0, exact > 0.0);
                        decided[members.len()][usize::from(exact > 0.0)] += 1;
                    } else {
                        noise[members.len()] += usize::from((found > 0.0) != (exact > 0.0));
                    }
                }
            }
        }
    }
    eprintln!("signs by the size of the set: decided {decided:?}, wrong {noise:?}");
    assert!(decided[2..].iter().flatten().all(|&n| n >= 400), "not representative: {decided:?}");
    assert!(noise[3] >= 50 && noise[4] >= 50, "not representative: rounding never turns a sign, {noise:?}");
}
