//! Cases 17 and 28 to 30: swap, stale caches, tessellations, broken input.

use clearsweep_narrow::{Method, PairCache, Status, VClip, query_one};

use super::at;
use clearsweep_testing::bridge::{EVERYTHING, Solid, bits, check, opposite, pose};
use clearsweep_testing::invariants::{check_invariants, every_route, walk_by, walk_once};
use clearsweep_testing::oracle::Placement;
use clearsweep_testing::oracle::families::{self, Random, cuboid};
use clearsweep_testing::oracle::number::times;

#[test]
fn case_17_swapped_bodies() {
    let mut random = Random(17);
    let pool: Vec<Solid> = (0..40).map(|i| Solid::from_recipe(families::mixed(&mut random, i))).collect();
    let mut unique = 0;
    for k in 0..1000 {
        let (a, b) = (&pool[k % 40], &pool[random.below(40)]);
        let (pa, pb) = (
            Placement::new([0.0; 3], random.turn()),
            Placement::new(times(random.direction(), random.between(0.0, 1.5)), random.turn()),
        );
        // `check` compares the distances of both orders; unique optima must have opposite normals,
        // too.
        let found = check(a, &pa, b, &pb).unwrap_or_else(|report| panic!("{report}")).row;
        let swapped = query_one(&b.shape, &a.shape, &pose(&pb), &pose(&pa), &EVERYTHING);
        if found.method == Method::Strict && swapped.method == Method::Strict {
            unique += 1;
            if unique % 20 == 0 {
                every_route(&a.shape, &pa, &b.shape, &pb);
            }
            assert!(opposite(&pa, &found, &pb, &swapped), "{found:?}\n{swapped:?}");
            assert_eq!([found.feature[1], found.feature[0]], swapped.feature);
        }
    }
    assert!(unique > 500, "not representative: {unique} unique optima of 1000");
}

#[test]
fn case_28_stale_warm_start() {
    let mut random = Random(28);
    let pool: Vec<Solid> = (0..40).map(|i| Solid::from_recipe(families::mixed(&mut random, i))).collect();
    let (mut cache, mut clipped) = (PairCache::default(), PairCache::default());
    for number in 0..400 {
        // The cache is that of the pair before: other bodies, with other numbers of vertices.
        let (a, b) = (&pool[random.below(40)], &pool[random.below(40)]);
        let t = times(random.direction(), random.between(0.0, 1.0));
        let pa = Placement::new([0.0; 3], random.turn());
        for flip in [1.0, -1.0] {
            // Then B jumps to the opposite side, turned by 180 degrees about x.
            let [w, x, y, z] = pa.q;
            let q = if flip > 0.0 { pa.q } else { [-x, w, z, -y] };
            let pb = Placement::new(times(t, flip), q);
            let warm = walk_once(&a.shape, &pa, &b.shape, &pb, &mut cache);
            let cold = query_one(&a.shape, &b.shape, &pose(&pa), &pose(&pb), &EVERYTHING);
            assert_eq!(
                bits(&warm),
                bits(&cold),
                "{warm:?}\n{cold:?}\n{}",
                clearsweep_testing::bridge::recipe(a, &pa, b, &pb)
            );
            let warm = walk_by(&VClip, &a.shape, &pa, &b.shape, &pb, &mut clipped);
            assert_eq!(
                bits(&warm),
                bits(&cold),
                "{warm:?}\n{cold:?}\n{}",
                clearsweep_testing::bridge::recipe(a, &pa, b, &pb)
            );
            if number % 10 == 0 {
                every_route(&a.shape, &pa, &b.shape, &pb);
            }
        }
    }
}

/// The corners first, then all points of a grid on the faces: the vertices of a finer tessellation.
fn tessellated(half: [f64; 3], cells: usize) -> Vec<[f64; 3]> {
    let mut points = cuboid(half);
    let steps = || (0..=cells).map(|k| 2.0 * k as f64 / cells as f64 - 1.0);
    for x in steps() {
        for y in steps() {
            for z in steps() {
                if [x, y, z].iter().any(|c: &f64| c.abs() == 1.0) {
                    points.push([x * half[0], y * half[1], z * half[2]]);
                }
            }
        }
    }
    points
}

#[test]
fn case_29_tessellations_of_one_box() {
    let half = [0.5, 0.3, 0.75];
    let coarse = Solid::new("12 triangles", cuboid(half), 0.0);
    let finer = [Solid::new("48", tessellated(half, 2), 0.0), Solid::new("192", tessellated(half, 4), 0.0)];
    let other = Solid::from_recipe(families::compact(&mut Random(29), 1));
    let mut random = Random(30);
    for k in 0..60 {
        let (pa, pb) = if k < 8 {
            (at(0.0, 0.0, 0.0), at(0.25 * f64::from(k), 0.0, 0.0)) // flush
        } else {
            (
                Placement::new([0.0; 3], random.turn()),
                Placement::new(times(random.direction(), random.between(0.0, 1.5)), random.turn()),
            )
        };
        let row = query_one(&coarse.shape, &other.shape, &pose(&pa), &pose(&pb), &EVERYTHING);
        let own = query_one(&coarse.shape, &coarse.shape, &pose(&pa), &pose(&pb), &EVERYTHING);
        for fine in &finer {
            let same = query_one(&fine.shape, &other.shape, &pose(&pa), &pose(&pb), &EVERYTHING);
            assert_eq!(bits(&row), bits(&same), "{row:?}\n{same:?}");
            let same = query_one(&fine.shape, &fine.shape, &pose(&pa), &pose(&pb), &EVERYTHING);
            assert_eq!(bits(&own), bits(&same), "{own:?}\n{same:?}");
        }
        check_invariants(&coarse, &pa, &finer[1], &pb);
        every_route(&finer[0].shape, &pa, &other.shape, &pb);
    }
}

#[test]
fn case_30_broken_input_is_never_a_silent_zero() {
    let (a, b) = (Solid::cuboid([0.5; 3]), Solid::cuboid([0.25; 3]));
    let good = at(2.0, 0.0, 0.0);
    let mut broken = Vec::new();
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for k in 0..3 {
            let mut p = good;
            p.position[k] = bad;
            broken.push(p);
        }
        for k in 0..4 {
            let mut p = good;
            p.q[k] = bad;
            broken.push(p);
        }
    }
    broken.push(Placement { q: [0.0; 4], ..good });
    for p in &broken {
        for (pa, pb) in [(&at(0.0, 0.0, 0.0), p), (p, &at(0.0, 0.0, 0.0)), (p, p)] {
            let cold = query_one(&a.shape, &b.shape, &pose(pa), &pose(pb), &EVERYTHING);
            let warm = walk_once(&a.shape, pa, &b.shape, pb, &mut PairCache::default());
            let clipped = walk_by(&VClip, &a.shape, pa, &b.shape, pb, &mut PairCache::default());
            for row in [cold, warm, clipped] {
                assert_eq!((row.status, row.method), (Status::Uncertified, Method::None), "{p:?}: {row:?}");
                assert!(row.lower.is_nan() && row.upper.is_nan() && row.distance != 0.0, "{p:?}: {row:?}");
            }
        }
    }
    // A cache that saw broken poses is as good as any.
    let mut cache = PairCache::default();
    walk_once(&a.shape, &at(0.0, 0.0, 0.0), &b.shape, &broken[0], &mut cache);
    let warm = walk_once(&a.shape, &at(0.0, 0.0, 0.0), &b.shape, &good, &mut cache);
    let cold = query_one(&a.shape, &b.shape, &pose(&at(0.0, 0.0, 0.0)), &pose(&good), &EVERYTHING);
    assert_eq!(bits(&warm), bits(&cold));
    // BodyPoses so far apart, or so large, that numbers overflow: flagged, or right; no panic, no
    // zero.
    for far in [1e150, 1e200, 1e308] {
        let row = query_one(&a.shape, &b.shape, &pose(&at(0.0, 0.0, 0.0)), &pose(&at(far, 0.0, 0.0)), &EVERYTHING);
        assert!(row.status == Status::Uncertified || (row.distance / far - 1.0).abs() < 1e-12, "{row:?}");
    }
    // A quaternion off norm names the same rotation: exactly so for powers of two.
    let mut random = Random(31);
    for _ in 0..40 {
        let (qa, qb) = (random.turn(), random.turn());
        let t = times(random.direction(), random.between(0.0, 1.2));
        let row = |s: f64| {
            let (pa, pb) = (Placement::new([0.0; 3], qa.map(|c| c * s)), Placement::new(t, qb.map(|c| c * s)));
            query_one(&a.shape, &b.shape, &pose(&pa), &pose(&pb), &EVERYTHING)
        };
        assert_eq!(bits(&row(1.0)), bits(&row(2.0)));
        assert_eq!(bits(&row(1.0)), bits(&row(0.25)));
        let off = qb.map(|c| c * 1.0009);
        check_invariants(&a, &Placement::new([0.0; 3], qa), &b, &Placement::new(t, off));
    }
}
