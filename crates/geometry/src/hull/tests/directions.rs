//! Normals against an independent computation, and parallel directions.

use super::{Point, Random, checked_hull, distinct_normals, p};
use crate::real::{Dd, Real, Scalar};

/// The unit vector of an integer vector, each component to within an ulp of 1.
fn unit(v: [i128; 3]) -> [f64; 3] {
    let dd = v.map(|c| {
        let hi = c as f64;
        Dd { hi, lo: (c - hi as i128) as f64 }
    });
    let length = (dd[0] * dd[0] + dd[1] * dd[1] + dd[2] * dd[2]).sqrt();
    dd.map(|c| (c / length).to_f64())
}

#[test]
fn normals_are_within_two_ulp_of_the_planes() {
    let mut random = Random(7);
    let mut slivers = 0;
    for case in 0..400 {
        // Coordinates of 40 bits: vector products of 82 bits, exact in i128. Every other case is a
        // thin needle.
        let wide = 1_u64 << 40;
        let thin = if case % 2 == 0 { wide } else { 4 };
        let points: Vec<[i128; 3]> = (0..12)
            .map(|_| {
                let t = random.below(wide) as i128;
                let mut off = || random.below(thin) as i128;
                [t + off(), 3 * t / 7 + off(), off() - t]
            })
            .collect();
        let scaled: Vec<Point> = points.iter().map(|q| Point::from(q.map(|c| c as f64 / 1024.0))).collect();
        let hull = checked_hull(&scaled);
        for f in 0..hull.face_count() as u32 {
            let at = |i: usize| points[hull.source[hull.face(f)[i] as usize] as usize];
            let minus = |a: [i128; 3], b: [i128; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
            let (u, v) = (minus(at(1), at(0)), minus(at(2), at(0)));
            let n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
            let size = |w: [i128; 3]| w.map(|c| c as f64).iter().fold(0.0_f64, |m, c| m.max(c.abs()));
            slivers += u32::from(size(n) < 1e-8 * size(u) * size(v));
            for (got, expected) in hull.normals[f as usize].to_array().iter().zip(unit(n)) {
                assert!((got - expected).abs() <= 2.0 * f64::EPSILON / 2.0, "{got} {expected}");
            }
        }
    }
    assert!(slivers > 300, "{slivers}");
}

#[test]
fn normals_of_wildly_mixed_magnitudes_are_right() {
    // Differences that need two doubles: 1 - 1e-30 is not one. The plane through (1, 0, 0), (0, e,
    // 0), (0, 0, e) has the normal (e, 1, 1), all but.
    let e = 1e-30;
    let hull = checked_hull(&[p(1., 0., 0.), p(e, 1., 0.), p(e, 0., 1.), p(e, 0., 0.)]);
    let third = (1.0 / 3.0_f64).sqrt();
    let slanted = hull.normals.iter().find(|n| n.x > 0.0).expect("one faces outward");
    assert!(slanted.to_array().iter().all(|c| (c - third).abs() <= f64::EPSILON));
    assert!(hull.normals.contains(&p(-1., 0., 0.)));
}

#[test]
fn directions_that_only_round_to_the_same_are_distinct() {
    // (1, 1) and (1 - 1e-30, 1) have the same rounded unit vector.
    let quadrilateral = [[0., 0.], [1., 1.], [1., -4.], [1e-30, -5.]];
    let hull = checked_hull(&quadrilateral.map(|[x, y]| p(x, y, 0.)));
    assert_eq!((hull.dimension, hull.count, hull.distinct_edges.len()), (2, 4, 4));
    let parallelogram = [[0., 0.], [1., 1.], [1., -4.], [0., -5.]];
    let hull = checked_hull(&parallelogram.map(|[x, y]| p(x, y, 0.)));
    assert_eq!((hull.dimension, hull.count, hull.distinct_edges.len()), (2, 4, 2));
    // The same as prisms: the normals of two sides round to opposite ones.
    let prism = |ring: [[f64; 2]; 4]| -> Vec<Point> {
        ring.iter().flat_map(|[x, y]| [-1., 1.].map(|z| p(*x, *y, z))).collect()
    };
    let hull = checked_hull(&prism(quadrilateral));
    assert_eq!((hull.face_count(), distinct_normals(&hull)), (6, 4));
    let hull = checked_hull(&prism(parallelogram));
    assert_eq!((hull.face_count(), distinct_normals(&hull)), (6, 3));
}
