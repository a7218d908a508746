//! The hard cases about ties and rest, of two bodies each. (Case 39 is in `same_solid.rs`.)

use std::f64::consts::{PI, TAU};

use clearsweep_narrow::{FeatureKind, Method, PairCache, Proximity, Status};
use clearsweep_scene::SAMPLES;

use super::bodies::{Body, cuboid, lid};
use super::cases::product;
use super::checks::{allowed, centroid_error};
use super::closest::{self, difference, inner, length};
use super::rows::{self, Places};
use clearsweep_testing::bridge::bits;
use clearsweep_testing::oracle::families::{Random, moved};
use clearsweep_testing::oracle::{Placement, out_of_frame};

const STILL: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

/// A quaternion for a turn about z.
fn about_z(angle: f64) -> [f64; 4] {
    [libm::cos(0.5 * angle), 0.0, 0.0, libm::sin(0.5 * angle)]
}

/// A pair that lies in the frame of A turned by `q`: B at `t` in that frame, turned by `own`.
fn together(q: [f64; 4], t: [f64; 3], own: [f64; 4]) -> Places {
    let pa = Placement::new([3.0, -2.0, 1.0], q);
    let pb = moved(&pa, out_of_frame(&pa, t));
    (pa, Placement { q: product(q, own), ..pb })
}

/// The rows along a path, the same by every way.
#[track_caller]
fn rows_along(a: &Body, b: &Body, path: &[Places]) -> Vec<Proximity> {
    match rows::along([&rows::shape(a), &rows::shape(b)], path) {
        Ok(rows) => rows,
        Err(report) => panic!("{report}"),
    }
}

fn size(a: &Body, b: &Body, (pa, pb): &Places) -> f64 {
    a.reach() + b.reach() + length(difference(pb.position, pa.position))
}

/// A certified row whose witness point is the centroid.
#[track_caller]
fn is_the_tie(a: &Body, b: &Body, place: &Places, row: &Proximity) {
    let tie = closest::tie(a, &place.0, b, &place.1).expect("closest points");
    let allowed = allowed(&tie, size(a, b, place));
    let error = centroid_error(row, &tie, a.growth);
    assert!(
        error <= allowed,
        "{error:e} from the centroid {:?}, allowed {allowed:e}\n{row:?}\n{place:?}",
        tie.centroid
    );
    assert_eq!((row.method, row.feature_kind), (Method::Tie, [FeatureKind::Face; 2]), "{row:?}\n{place:?}");
}

#[test]
fn case_36_boxes_driving_in_a_plane() {
    let (a, b) = (cuboid([1.0, 0.5, 0.2]).flipped(), cuboid([0.4, 0.3, 0.25]));
    let mut random = Random(36);
    for (gap, spin) in [(0.1, 0.0), (0.1, 2.0), (0.0, 0.0), (0.0, 1.0), (-0.05, 0.0), (-0.05, 3.0)] {
        for q in [STILL, random.turn()] {
            let at = |k: usize| {
                let share = k as f64 / 256.0;
                let t = [0.9 * (2.0 * share - 1.0), 0.3 * libm::sin(TAU * share), 0.45 + gap];
                together(q, t, about_z(spin * share))
            };
            let path: Vec<Places> = (0..256).map(at).collect();
            for (row, place) in rows_along(&a, &b, &path).iter().zip(&path) {
                is_the_tie(&a, &b, place, row);
                assert!((row.distance - gap).abs() < 1e-14, "{row:?}");
            }
        }
    }
}

#[test]
fn case_37_off_by_units_in_the_last_place() {
    let (a, b) = (cuboid([0.5, 0.4, 0.2]).flipped(), cuboid([0.3, 0.6, 0.25]));
    let mut random = Random(37);
    for (number, gap) in [0.2, 1e-3, 1e-9, 0.0, -1e-9, -0.03].into_iter().cycle().take(60).enumerate() {
        let own = if number % 2 == 0 { STILL } else { about_z(random.between(0.0, PI)) };
        let t = [random.between(-0.4, 0.4), random.between(-0.4, 0.4), 0.45 + gap];
        let exact = together(random.turn(), t, own);
        let off = |component: usize, ulps: i32| {
            let mut place = exact;
            let q = &mut place.1.q[component];
            *q = (0..ulps.abs()).fold(*q, |x, _| if ulps > 0 { x.next_up() } else { x.next_down() });
            place
        };
        let path: Vec<Places> = (0..64).map(|k| off(k % 4, [-8, -3, -2, -1, 1, 2, 3, 8][k / 4 % 8])).collect();
        for (row, place) in rows_along(&a, &b, &path).iter().zip(&path) {
            is_the_tie(&a, &b, place, row);
        }
    }
}

/// The same where vertices of the faces are off: the faces fall into triangles, and are one face
/// all the same.
#[test]
fn case_37_faces_bent_by_units_in_the_last_place() {
    let mut random = Random(370);
    for number in 0..60 {
        let (a, b) = (cuboid([0.5, 0.4, 0.2]).flipped(), cuboid([0.3, 0.6, 0.25]));
        let gap = [0.2, 1e-3, 0.0, -0.03][number % 4];
        let t = [random.between(-0.4, 0.4), random.between(-0.4, 0.4), 0.45 + gap];
        let place = together(random.turn(), t, about_z(random.between(0.0, PI)));
        let mut bent = [a.clone(), b.clone()];
        for body in &mut bent {
            let corner = body.part.corners()[random.below(4)];
            let ulps = 1 + random.below(8) as u8;
            body.vertices[corner][2] = super::cases::nudged(&mut random, body.vertices[corner][2], ulps);
        }
        let rows = rows_along(&bent[0], &bent[1], &[place]);
        let tie = closest::tie(&a, &place.0, &b, &place.1).expect("closest points");
        let (error, allowed) = (centroid_error(&rows[0], &tie, 0.0), allowed(&tie, size(&a, &b, &place)));
        assert!(error <= allowed, "place {number}: {error:e} from the centroid, allowed {allowed:e}\n{:?}", rows[0]);
        assert_eq!(rows[0].feature_kind, [FeatureKind::Face; 2], "place {number}: {:?}", rows[0]);
    }
}

/// A way past and over A's face: out and back again in 1,000 frames. `steps`: how B's origin moves
/// in a frame, in A's frame.
fn out_and_back(q: [f64; 4], from: [f64; 3], step: [f64; 3], own: [f64; 4]) -> Vec<Places> {
    let at = |k: usize| {
        let k = if k <= 500 { k } else { 1000 - k } as f64;
        together(q, [0, 1, 2].map(|c: usize| from[c] + k * step[c]), own)
    };
    (0..1000).map(at).collect()
}

#[test]
fn case_38_a_polygon_shrinks_and_grows_again() {
    let a = cuboid([0.5, 0.5, 0.25]).flipped();
    let triangle = lid(&[[-0.5, -0.25], [0.5, -0.25], [0.0, 0.5]], 0.25);
    let mut random = Random(38);
    let step = 2_f64.powi(-8);
    let ways = [
        (cuboid([0.5, 0.25, 0.25]), [0.0, 0.0], [step, 0.0], STILL), // to a segment at 256 steps, and beyond
        (cuboid([0.5, 0.25, 0.25]), [0.0, 0.25], [step, 0.5 * step], STILL), // over a corner
        (cuboid([0.25, 0.25, 0.25]), [0.0, 0.0], [step, step], STILL), // to a point
        (cuboid([0.25, 0.25, 0.25]), [0.0, 0.0], [step, 0.25 * step], about_z(0.25 * PI)),
        (triangle, [0.0, 0.125], [0.0, step], STILL), // the base leaves first
        (cuboid([0.4, 0.3, 0.25]), [0.1, 0.0], [-step, 0.3 * step], about_z(0.7)),
    ];
    for (number, (b, from, by, own)) in ways.into_iter().enumerate() {
        for gap in [0.25, 0.0] {
            for q in [STILL, random.turn()] {
                let path = out_and_back(q, [from[0], from[1], 0.5 + gap], [by[0], by[1], 0.0], own);
                let rows = rows_along(&a, &b, &path);
                continuous(&a, &b, &path, &rows, &format!("way {number}, gap {gap}"));
            }
        }
    }
}

/// If the polygon has an area, the witness point is its centroid, and it does not jump.
#[track_caller]
fn continuous(a: &Body, b: &Body, path: &[Places], rows: &[Proximity], what: &str) {
    let ties: Vec<_> = path.iter().map(|(pa, pb)| closest::tie(a, pa, b, pb)).collect();
    let width = |k: usize| ties[k].as_ref().filter(|t| t.corners.len() > 2).map_or(0.0, |t| t.width);
    let (mut areas, mut none) = (0, 0);
    for k in 0..path.len() {
        let (row, s) = (&rows[k], size(a, b, &path[k]));
        assert!(row.status != Status::Uncertified && row.upper - row.lower <= 1e-12 * s, "{what}, frame {k}: {row:?}");
        none += usize::from(ties[k].is_none());
        if width(k) < 1e-6 * s {
            continue;
        }
        areas += 1;
        let tie = ties[k].as_ref().expect("it has a width");
        let (error, allowed) = (centroid_error(row, tie, 0.0), allowed(tie, s));
        assert!(error <= allowed, "{what}, frame {k}: {error:e} from the centroid, allowed {allowed:e}\n{row:?}");
        if k > 0 && width(k - 1) >= 1e-6 * s {
            // A corner of the polygon moves at most a few times as fast as B: its sides meet at 20
            // degrees and more.
            let jump = length(difference(row.point_a.to_array(), rows[k - 1].point_a.to_array()));
            let motion = length(difference(path[k].1.position, path[k - 1].1.position));
            assert!(jump <= 4.0 * motion + 1e-9 * s, "{what}, frame {k}: a jump of {jump:e} after {motion:e}");
        }
    }
    assert!(areas > 200 && none > 100, "{what}: not representative: {areas} with an area, {none} with nothing");
}

/// Flush along a side or at a corner the set is a segment or a point, exactly.
#[test]
fn case_38_a_segment_and_a_point() {
    let (a, b) = (cuboid([0.5, 0.5, 0.25]).flipped(), cuboid([0.5, 0.25, 0.25]));
    for gap in [0.25, 0.0] {
        for t in [[1.0, 0.0], [1.0, 0.125], [1.0, 0.5], [-1.0, 0.0], [0.25, 0.75], [1.0, 0.75], [-1.0, -0.75]] {
            let place = (Placement::new([0.0; 3], STILL), Placement::new([t[0], t[1], 0.5 + gap], STILL));
            let row = rows_along(&a, &b, &[place])[0];
            let tie = closest::tie(&a, &place.0, &b, &place.1).expect("closest points");
            assert!(tie.exact && tie.corners.len() < 3);
            let error = length(difference(row.point_a.to_array(), tie.centroid));
            assert!(error < 1e-12, "{t:?}, gap {gap}: {error:e} from {:?}\n{row:?}", tie.centroid);
            assert!(row.lower <= gap && gap <= row.upper && row.status != Status::Uncertified, "{row:?}");
        }
    }
}

/// A prism of 24 sides about z, circumscribed about nothing in particular.
fn pipe(phase: f64) -> Body {
    let at = |i: usize| TAU * (i as f64 + phase) / 24.0;
    let corners: Vec<[f64; 2]> = (0..24).map(|i| [0.25 * libm::cos(at(i)), 0.25 * libm::sin(at(i))]).collect();
    lid(&corners, 0.75)
}

#[test]
fn case_40_pipes_end_to_end() {
    let mut random = Random(40);
    for phase in [0.0, 0.5] {
        for gap in [0.1, 1e-6, 0.0, -0.01] {
            for (q, own) in [(STILL, STILL), (random.turn(), STILL), (random.turn(), about_z(TAU / 48.0))] {
                let (a, b) = (pipe(0.0).flipped(), pipe(phase));
                let place = together(q, [0.0, 0.0, 1.5 + gap], own);
                let row = rows_along(&a, &b, &[place])[0];
                is_the_tie(&a, &b, &place, &row);
                let off = length(difference(row.point_a.to_array(), [0.0, 0.0, 0.75]));
                assert!(off < 1e-11, "{off:e} from the axis: {row:?}");
            }
        }
    }
}

/// The face of a box of this outward normal, as published.
fn face_of(body: &Body, outward: [f64; 3]) -> i32 {
    let shape = rows::shape(body);
    let found = shape.pieces[0].core.normals.iter().position(|n| inner(n.to_array(), outward) > 0.9);
    found.expect("a box") as i32
}

/// The direction of the rule: of equal depths the one nearest to `c_b - c_a`, then the lowest
/// faces.
fn chosen(a: &Body, b: &Body, pb: &Placement, equal: &[[f64; 3]]) -> [f64; 3] {
    let order = |n: &[f64; 3]| {
        let inward = clearsweep_testing::oracle::into_frame(pb, n.map(|c| -c));
        (inner(*n, pb.position), face_of(a, *n), face_of(b, inward))
    };
    let better = |x: &&[f64; 3], y: &&[f64; 3]| {
        let (x, y) = (order(x), order(y));
        y.0.total_cmp(&x.0).then((x.1, x.2).cmp(&(y.1, y.2)))
    };
    *equal.iter().min_by(better).expect("directions")
}

const WAYS: [[f64; 3]; 6] =
    [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]];

/// Asks for the row of boxes with equal depths along these ways, and for the one that the rule
/// chooses.
#[track_caller]
fn equal_depths(half_a: [f64; 3], half_b: [f64; 3], t: [f64; 3], q: [f64; 4], depth: f64) -> [f64; 3] {
    let (a, b) = (cuboid(half_a), cuboid(half_b));
    let place = (Placement::new([0.0; 3], STILL), Placement::new(t, q));
    let turned = |n: [f64; 3]| clearsweep_testing::oracle::into_frame(&place.1, n).map(f64::abs);
    let reach = |n: [f64; 3]| inner(n.map(f64::abs), half_a) + inner(turned(n), half_b) - inner(n, t);
    let equal: Vec<[f64; 3]> = WAYS.into_iter().filter(|&n| (reach(n) - depth).abs() < 1e-15).collect();
    assert!(equal.len() > 1 && WAYS.into_iter().all(|n| reach(n) > depth - 1e-15), "the case itself: {equal:?}");
    let row = rows_along(&a, &b, &[place])[0];
    let n = chosen(&a, &b, &place.1, &equal);
    assert_eq!(row.normal.to_array(), n, "of {equal:?}: {row:?}");
    assert!(row.lower <= -depth && -depth <= row.upper && row.method == Method::Tie, "{row:?}");
    let inward = clearsweep_testing::oracle::into_frame(&place.1, n.map(|c| -c));
    assert_eq!((row.feature_kind, row.feature), ([FeatureKind::Face; 2], [face_of(&a, n), face_of(&b, inward)]));
    // The smaller box lies within A seen along the normal: the centroid is over its middle.
    let expected = [0, 1, 2].map(|k: usize| if n[k] == 0.0 { t[k] } else { n[k] * half_a[k] });
    assert!(length(difference(row.point_a.to_array(), expected)) < 1e-13, "{expected:?}: {row:?}");
    n
}

#[test]
fn case_40_a_cube_in_the_middle_of_a_cube() {
    let turns = [STILL, [0.0, 1.0, 0.0, 0.0], [0.5, 0.5, 0.5, 0.5], [0.5, -0.5, 0.5, 0.5]];
    for q in turns {
        equal_depths([1.0; 3], [0.25; 3], [0.0; 3], q, 1.25);
    }
}

#[test]
fn case_40_equal_depths_along_several_directions() {
    // Along x and y, x nearer to the line between the centres; then y; then both as near, and all
    // three.
    let (wide, narrow, deep) = (0.5, 0.25, 0.875);
    for sign in [1.0, -1.0] {
        let n = equal_depths([1.0; 3], [wide, narrow, deep], [0.5 * sign, 0.25, 0.0], STILL, 1.0);
        assert_eq!(n, [sign, 0.0, 0.0]);
        let n = equal_depths([1.0; 3], [narrow, wide, deep], [0.25, 0.5 * sign, 0.0], STILL, 1.0);
        assert_eq!(n, [0.0, sign, 0.0]);
        let n = equal_depths([1.0; 3], [deep, narrow, wide], [0.0, 0.25, 0.5 * sign], STILL, 1.0);
        assert_eq!(n, [0.0, 0.0, sign]);
        equal_depths([1.0; 3], [0.25; 3], [0.25 * sign, 0.25, 0.0], STILL, 1.0);
        equal_depths([1.0; 3], [0.25; 3], [0.25 * sign, -0.25, 0.25], STILL, 1.0);
    }
}

/// Boxes of one height that drive through each other, as on a floor: the depths up and down are
/// equal wherever that is the least depth, and the rule chooses by the means alone. Off by units in
/// the last place, and by more than a tie allows.
#[test]
fn case_40_boxes_of_one_height() {
    const HEIGHT: f64 = 0.25;
    let (a, b) = (cuboid([1.0, 0.7, HEIGHT]).flipped(), cuboid([0.8, 0.9, HEIGHT]));
    let mut random = Random(40);
    let mut of_height = 0;
    for (rise, spin) in [(0.0, 0.0), (0.0, 0.7), (1e-16, 0.7), (-1e-16, 0.3), (1e-13, 0.3), (-1e-10, 0.3), (1e-3, 0.3)]
    {
        for q in [STILL, random.turn()] {
            let at = |k: usize| {
                let share = k as f64 / 256.0;
                // Up and down through the level, in units of the rise.
                let z = rise * libm::cos(3.0 * TAU * share);
                together(q, [1.6 * share - 0.8, 0.2 * libm::sin(TAU * share), z], about_z(spin * share))
            };
            let path: Vec<Places> = (0..256).map(at).collect();
            for (k, (row, (pa, pb))) in rows_along(&a, &b, &path).iter().zip(&path).enumerate() {
                assert!(row.lower <= row.distance && row.upper - row.lower <= 1e-12 * size(&a, &b, &(*pa, *pb)));
                let up = inner(row.normal.to_array(), [0.0, 0.0, 1.0]);
                if up.abs() < 0.9 {
                    continue;
                }
                of_height += 1;
                assert_eq!(row.method, Method::Tie, "{k}: {row:?}");
                let t = clearsweep_testing::oracle::into_frame(pa, difference(pb.position, pa.position));
                // Up and down are equal up to rounding for a rise below that: either will do.
                let level = t[2].abs() < 1e-12;
                let off = (row.distance + 2.0 * HEIGHT - t[2].abs()).abs();
                assert!(off < if level { 2.0 * t[2].abs() + 1e-14 } else { 1e-14 }, "{k}: {row:?}");
                assert!(level || up * t[2] > 0.0, "{k}: {row:?}");
            }
        }
    }
    assert!(of_height > 7 * 2 * 256 / 3, "not representative: {of_height}");
}

#[test]
fn case_41_bodies_at_rest() {
    let (a, b) = (cuboid([0.5, 0.4, 0.2]).flipped(), cuboid([0.3, 0.6, 0.25]));
    let mut random = Random(41);
    for gap in [0.2, 0.0, -0.03] {
        let rest = together(random.turn(), [0.1, -0.2, 0.45 + gap], about_z(0.3));
        let mut off = rest;
        off.1.position[0] = off.1.position[0].next_up();
        let mut turned = rest;
        turned.1.q[1] = turned.1.q[1].next_up();
        let shapes = [&rows::shape(&a), &rows::shape(&b)];
        let known = [rest, off, turned].map(|(pa, pb)| bits(&rows::cold(shapes[0], &pa, shapes[1], &pb)));
        let which = |k: usize| if k % 97 != 50 { 0 } else { 1 + k / 97 % 2 };
        for method in rows::METHODS {
            let mut cache = PairCache::default();
            let frames: Vec<usize> = (0..10_000).map(which).collect();
            for (block, frames) in frames.chunks(SAMPLES).enumerate() {
                let places: Vec<Places> = frames.iter().map(|&k| [rest, off, turned][k]).collect();
                let found = rows::walk(method.1, shapes, &places, &mut cache);
                for (k, row) in found.iter().enumerate() {
                    assert_eq!(bits(row), known[frames[k]], "{}, frame {}: {row:?}", method.0, block * SAMPLES + k);
                }
            }
        }
        let row = rows::cold(shapes[0], &rest.0, shapes[1], &rest.1);
        is_the_tie(&a, &b, &rest, &row);
    }
}
