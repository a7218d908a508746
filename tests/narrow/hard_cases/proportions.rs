//! Cases 10 to 16: extreme proportions, scales and places.

use clearsweep_narrow::{Status, query_one};

use super::{at, brought_to, turned};
use clearsweep_testing::bridge::{EVERYTHING, Solid, bits, pose};
use clearsweep_testing::invariants::{check_invariants, every_route};
use clearsweep_testing::oracle::families::{self, Random};
use clearsweep_testing::oracle::number::{add, times};
use clearsweep_testing::oracle::{self, Placement};

#[test]
fn case_10_thin_boxes_grazing() {
    let a = Solid::cuboid([0.5, 0.5, 5e-4]);
    for angle in [0.0, 1e-6, 0.03, 0.4] {
        for gap in [7.69e-7, -7.69e-7] {
            let pb = turned([0.3, 0.2, 0.4], [0.3, 1.0, 0.1], angle);
            let pb = brought_to(&a, &at(0.0, 0.0, 0.0), &a, &pb, 7.69e-7);
            let normal = oracle::signed_distance(&a.body, &at(0.0, 0.0, 0.0), &a.body, &pb).normal;
            let found =
                check_invariants(&a, &at(0.0, 0.0, 0.0), &a, &families::moved(&pb, times(normal, gap - 7.69e-7)));
            assert_eq!(found.row.distance > 0.0, gap > 0.0, "{:?}", found.row);
        }
    }
}

#[test]
fn case_11_small_cube_in_a_large_box() {
    let (large, small) = (Solid::cuboid([50.0, 50.0, 5.0]), Solid::cuboid([0.1; 3]));
    for (x, y) in [(0.0, 0.0), (12.3, -40.7), (49.95, 3.0), (49.95, 49.95)] {
        for angle in [0.0, 0.3, std::f64::consts::FRAC_PI_4] {
            let found = check_invariants(
                &large,
                &at(0.0, 0.0, 0.0),
                &small,
                &turned([x, y, 5.1 - 7.5e-4], [0.0, 0.0, 1.0], angle),
            );
            assert!((found.row.distance + 7.5e-4).abs() <= 1e-12 * found.size, "{:?}", found.row);
        }
    }
}

#[test]
fn case_12_long_thin_boxes() {
    let (long, cube) = (Solid::cuboid([0.5, 5e-4, 5e-4]), Solid::cuboid([0.1; 3]));
    let mut random = Random(12);
    for k in 0..120 {
        let other = if k % 2 == 0 { &long } else { &cube };
        let (pa, pb) = (
            Placement::new([0.0; 3], random.turn()),
            Placement::new(times(random.direction(), random.between(0.0, 0.3)), random.turn()),
        );
        check_invariants(&long, &pa, other, &pb);
    }
    // Side by side along their length, nearly parallel.
    for tilt in [0.0, 1e-9, 1e-6, 1e-4] {
        check_invariants(&long, &at(0.0, 0.0, 0.0), &long, &turned([0.2, 0.0009, 0.0002], [0.0, 1.0, 1.0], tilt));
    }
}

#[test]
fn case_13_triangle_with_a_long_edge() {
    let triangle = Solid::new("triangle", vec![[0.0; 3], [84.0, 0.0, 0.0], [41.0, 7.0, 0.0]], 0.0);
    let cube = Solid::cuboid([0.25; 3]);
    for (x, y) in [(42.0, 2.0), (10.0, 1.0), (42.0, 0.0), (84.0, 0.0)] {
        for angle in [0.0, 0.5] {
            let pb = turned([x, y, 0.4], [0.2, 0.1, 1.0], angle);
            let apart = brought_to(&triangle, &at(0.0, 0.0, 0.0), &cube, &pb, 1e-3);
            let lower = families::moved(&apart, [0.0, 0.0, -0.051]);
            let found = check_invariants(&triangle, &at(0.0, 0.0, 0.0), &cube, &lower).row;
            assert_eq!(found.status, Status::Penetrating);
        }
    }
}

#[test]
fn case_14_millimetre_boxes_and_a_sphere() {
    let (cube, ball) = (Solid::cuboid([0.0025; 3]), Solid::sphere(0.01));
    let mut random = Random(14);
    let mut met = 0;
    for _ in 0..100 {
        let center = random.direction();
        let t = times(random.direction(), random.between(0.0, 0.016));
        let (pa, pb) = (Placement::new(center, random.turn()), Placement::new(add(center, t), random.turn()));
        met += usize::from(check_invariants(&cube, &pa, &ball, &pb).row.status == Status::Penetrating);
    }
    assert!((30..100).contains(&met), "{met}");
}

#[test]
fn case_15_dyadic_offsets_change_no_bit() {
    let mut random = Random(15);
    let grid = |x: f64| (x * 1_048_576.0).round() / 1_048_576.0;
    for k in 0..60 {
        let a = Solid::from_recipe(families::mixed(&mut random, k));
        let b = Solid::from_recipe(families::mixed(&mut random, k + 3));
        let (qa, qb) = (random.turn(), random.turn());
        let t = times(random.direction(), random.between(0.0, 1.0)).map(grid);
        let row = |offset: [f64; 3]| {
            let (pa, pb) = (Placement::new(offset, qa), Placement::new(add(offset, t), qb));
            query_one(&a.shape, &b.shape, &pose(&pa), &pose(&pb), &EVERYTHING)
        };
        let home = row([0.0; 3]);
        every_route(&a.shape, &Placement::new([0.0; 3], qa), &b.shape, &Placement::new(t, qb));
        for offset in [[1.0, -1.0, 1.0], [1024.0, 512.0, -1024.0], [1_048_576.0, -1_048_576.0, 2_097_152.0]] {
            assert_eq!(bits(&home), bits(&row(offset)), "{offset:?}\n{home:?}\n{:?}", row(offset));
        }
        let far = [1_048_576.0, -1_048_576.0, 2_097_152.0];
        let found = every_route(&a.shape, &Placement::new(far, qa), &b.shape, &Placement::new(add(far, t), qb));
        assert_eq!(bits(&home), bits(&found));
    }
}

#[test]
fn case_16_scale_is_exact() {
    let mut random = Random(16);
    for k in 0..60 {
        let (one, two) = (families::mixed(&mut random, k), families::mixed(&mut random, k + 5));
        let (qa, qb) = (random.turn(), random.turn());
        let t = times(random.direction(), random.between(0.0, 1.0));
        let row = |exponent: i32| {
            let s = libm::ldexp(1.0, exponent);
            let grown = |r: &families::Recipe| {
                let points: Vec<[f64; 3]> = r.points.iter().map(|&p| times(p, s)).collect();
                clearsweep_testing::bridge::shape(&points, r.growth * s)
            };
            let (pa, pb) = (Placement::new([0.0; 3], qa), Placement::new(times(t, s), qb));
            let (one, two) = (grown(&one), grown(&two));
            let row = match exponent {
                -20 | 20 => every_route(&one, &pa, &two, &pb),
                _ => query_one(&one, &two, &pose(&pa), &pose(&pb), &EVERYTHING),
            };
            (row, s)
        };
        let (home, _) = row(0);
        for exponent in -20..=20 {
            let (mut scaled, s) = row(exponent);
            for length in [&mut scaled.distance, &mut scaled.lower, &mut scaled.upper] {
                *length /= s;
            }
            for point in [&mut scaled.point_a, &mut scaled.point_b] {
                *point = point.scale(1.0 / s);
            }
            assert_eq!(bits(&home), bits(&scaled), "2^{exponent}, {} {}:\n{home:?}\n{scaled:?}", one.name, two.name);
        }
    }
    // The scaled rows are right, too, not only alike.
    let (a, b) = (Solid::cuboid([libm::ldexp(0.5, 20); 3]), Solid::cuboid([libm::ldexp(0.3, 20); 3]));
    let found = check_invariants(&a, &at(0.0, 0.0, 0.0), &b, &turned([1e6, 3e5, 2e5], [1.0, 1.0, 0.0], 0.5));
    assert!(found.truth > 0.0);
}
