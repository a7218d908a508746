//! Convex pieces without radius.

use super::*;
use crate::real::{Dd, Real, Scalar};

type Plane = (Vec3<Dd>, Dd);

/// The half-spaces `n x <= c` of the faces at a pose, from three corners each, in double-double.
fn half_spaces(core: &Polyhedron, pose: &Pose) -> Vec<Plane> {
    let r = rotation(pose.q.map(Dd::from_f64));
    let place = |vertex: u32| {
        let p = Vec3::from_f64(core.vertex(vertex));
        Vec3::new(r[0].dot(p), r[1].dot(p), r[2].dot(p)) + Vec3::from_f64(pose.position)
    };
    let of_face = |f: u32| {
        let [a, b, c] = [0, 1, 2].map(|i| place(core.face(f)[i]));
        let n = (b - a).cross(c - a).normalized();
        (n, n.dot(a))
    };
    (0..core.face_count() as u32).map(of_face).collect()
}

/// The volume of the intersection of half-spaces: the hull of all points in which three planes meet
/// and that lie in all others.
fn volume_by_vertices(planes: &[Plane]) -> f64 {
    let mut points = Vec::new();
    for i in 0..planes.len() {
        for j in 0..i {
            for k in 0..j {
                let [(p, a), (q, b), (r, c)] = [planes[i], planes[j], planes[k]];
                let (qr, rp, pq) = (q.cross(r), r.cross(p), p.cross(q));
                let det = p.dot(qr);
                let x = (qr.scale(a) + rp.scale(b) + pq.scale(c)).scale(Dd::ONE / det);
                let is_below = |&(n, at): &Plane| (n.dot(x) - at).to_f64() <= 1e-15;
                if det.to_f64().abs() > 1e-20 && planes.iter().all(is_below) {
                    points.push(x.to_f64());
                }
            }
        }
    }
    let Ok(hull) = convex_hull(&points) else { return 0.0 };
    let of_fan = |[a, b, c]: [u32; 3]| {
        let [a, b, c] = [a, b, c].map(|i| hull.vertex(i) - hull.mean);
        a.dot(b.cross(c)) / 6.0
    };
    if hull.dimension < 3 { 0.0 } else { fans(&hull).map(|(_, t)| of_fan(t)).sum() }
}

#[test]
fn boxes_along_the_axes_are_exact() {
    let mut random = Random(1);
    let (mut met, mut apart, mut touching, mut held) = (0, 0, 0, 0);
    for _ in 0..400 {
        // Sixteenths: every product is exact.
        let mut grid = |count: f64| (random.unit() * count).floor() / 16.0 - count / 32.0;
        let (low_a, low_b) = (v(grid(16.0), grid(16.0), grid(16.0)), v(grid(16.0), grid(16.0), grid(16.0)));
        let [size_a, size_b] = [0; 2].map(|_| v(1.0, 1.0, 1.0) + v(grid(16.0), grid(16.0), grid(16.0)));
        let place = v(grid(64.0), grid(64.0), grid(64.0)).scale(1024.0);
        let by = v(grid(40.0), grid(40.0), grid(40.0));
        let (a, b) = (cuboid(low_a, low_a + size_a), cuboid(low_b, low_b + size_b));
        let poses = [place, place + by].map(|p| Pose::new(p.to_array(), [1.0, 0.0, 0.0, 0.0]));
        let found = of_two(&a, &b, &poses);
        let low = |k: usize| low_a[k].max(low_b[k] + by[k]);
        let high = |k: usize| (low_a[k] + size_a[k]).min(low_b[k] + size_b[k] + by[k]);
        let sides = [0, 1, 2].map(|k| high(k) - low(k));
        if sides.iter().any(|&side| side < 0.0) {
            assert_eq!(found, Overlap { bounds: None, volume: [0.0; 2] });
            apart += 1;
            continue;
        }
        let exact: f64 = sides.iter().product();
        assert!(found.volume[0] <= exact && exact <= found.volume[1], "{found:?} {exact}");
        let size = a.radius + b.radius + by.length();
        assert!(found.volume[1] - found.volume[0] <= 1e-12 * size * size * size, "{found:?}");
        assert!(exact == 0.0 || found.volume[1] - found.volume[0] < 1e-9 * exact, "{found:?}");
        let bounds = found.bounds.expect("they meet");
        for k in 0..3 {
            let [l, h] = [low(k) + place[k], high(k) + place[k]];
            assert!(bounds[0][k] <= l && l - bounds[0][k] < 1e-10 && bounds[1][k] >= h && bounds[1][k] - h < 1e-10);
        }
        met += 1;
        touching += usize::from(exact == 0.0);
        let is_all = |size: Vec3<f64>| exact == size.x * size.y * size.z;
        held += usize::from(is_all(size_a) || is_all(size_b));
    }
    assert!(met > 100 && apart > 50 && touching > 3, "{met} {apart} {touching} {held}");
}

#[test]
fn boxes_that_are_turned_alike_are_exact() {
    // The rotations are rational, with the denominator 9, 25 or 27; moved by multiples of it, the
    // positions are exact.
    let mut random = Random(2);
    for q in [[1.0, 2.0, 2.0, 0.0], [3.0, 0.0, 4.0, 0.0], [1.0, 1.0, 3.0, 4.0], [0.5, 0.5, -0.5, 0.5]] {
        let norm: f64 = q.iter().map(|c| c * c).sum();
        for _ in 0..40 {
            let mut whole = || (random.unit() * 5.0).floor() - 2.0;
            let by = v(whole(), whole(), whole()).scale(norm);
            let r = rotation(q);
            let moved = v(r[0].dot(by).round(), r[1].dot(by).round(), r[2].dot(by).round());
            let half = 2.0 * norm;
            let far = v(1e6, -3e6, 12345.0);
            let found = of_two(&cube(half), &cube(half), &[far, far + moved].map(|p| Pose::new(p.to_array(), q)));
            let exact: f64 = by.to_array().iter().map(|c| (2.0 * half - c.abs()).max(0.0)).product();
            assert!(found.volume[0] <= exact && exact <= found.volume[1], "{q:?} {by:?} {found:?} {exact}");
            assert!(found.volume[1] - found.volume[0] < 1e-9 * exact.max(8.0 * half * half * half * 1e-3));
        }
    }
}

#[test]
fn random_polytopes_have_the_volume_of_their_vertices() {
    let mut random = Random(3);
    let (mut met, mut apart, mut held, mut widest) = (0, 0, 0, 0.0_f64);
    for round in 0..150 {
        let (count_a, count_b) = (4 + round % 13, 4 + round / 13 % 9);
        let size = if round % 5 == 0 { 0.15 } else { 1.0 };
        let (a, b) = (random.ball(count_a, 1.0), random.ball(count_b, size));
        let mut poses = [random.pose(0.6), random.pose(0.6)];
        if round % 3 == 0 {
            poses = poses.map(|pose| Pose { position: pose.position + v(1e6, 2e6, -3e6), ..pose });
        }
        let found = of_two(&a, &b, &poses);
        let near = poses.map(|pose| Pose { position: pose.position - poses[0].position, ..pose });
        let planes = [half_spaces(&a, &near[0]), half_spaces(&b, &near[1])];
        let expected = volume_by_vertices(&planes.concat());
        assert!(found.volume[0] <= expected + 1e-13 && expected <= found.volume[1] + 1e-13, "{found:?} {expected}");
        if found.bounds.is_none() {
            assert!(expected == 0.0 && found.volume == [0.0; 2], "{expected}");
            apart += 1;
            continue;
        }
        let width = found.volume[1] - found.volume[0];
        assert!(width < 1e-10, "round {round}: {found:?}");
        if expected > 0.01 {
            assert!(width < 1e-9 * expected, "round {round}: {found:?}");
            widest = widest.max(width);
            let is_in = |p: Vec3<f64>| {
                let p = p - poses[0].position;
                planes.iter().flatten().all(|(n, c)| n.to_f64().dot(p) < c.to_f64() - 1e-9)
            };
            met += usize::from(assert_counted(&found, &mut random, is_in) > 1000);
        }
        held += usize::from((expected - volume_by_vertices(&planes[1])).abs() < 1e-10);
    }
    assert!(met > 60 && apart > 10 && held > 3, "{met} {apart} {held}");
    assert!(widest < 5e-11, "1e-12 of the sum of the radii cubed, 3.3e-11 is reached: {widest}");
}

#[test]
fn needles_and_plates_have_the_volume_of_their_vertices() {
    let mut random = Random(10);
    let (mut met, mut thin) = (0, 0);
    for round in 0..60 {
        let scales = [v(1.0, 1.0, 1e-3), v(1.0, 1e-2, 1e-2), v(1.0, 0.1, 1e-7), v(1.0, 1.0, 1.0)];
        let [a, b] = [scales[round % 4], scales[round / 4 % 4]].map(|scale| {
            let points: Vec<Vec3<f64>> = (0..6 + round % 5).map(|_| random.point()).collect();
            let points = points.iter().map(|p| v(p.x * scale.x, p.y * scale.y, p.z * scale.z));
            convex_hull(&points.collect::<Vec<_>>()).expect("a hull")
        });
        let pose = random.pose(0.1);
        // Nearly parallel in every third round.
        let other = if round % 3 == 0 {
            Pose { q: pose.q.map(|c| c + 1e-9 * random.signed()), ..pose }
        } else {
            Pose { q: random.quaternion(), ..pose }
        };
        let found = of_two(&a, &b, &[pose, other]);
        let expected = volume_by_vertices(&[half_spaces(&a, &pose), half_spaces(&b, &other)].concat());
        assert!(found.volume[0] <= expected + 1e-14 && expected <= found.volume[1] + 1e-14, "{found:?} {expected}");
        let size = a.radius + b.radius;
        assert!(found.volume[1] - found.volume[0] < 1e-12 * size * size * size, "{found:?}");
        met += usize::from(expected > 0.0);
        thin += usize::from(expected > 0.0 && expected < 1e-6);
    }
    assert!(met > 40 && thin > 10, "{met} {thin}");
}

#[test]
fn polytopes_on_themselves_and_nearly_so() {
    let mut random = Random(4);
    for round in 0..40 {
        let a = random.ball(8 + round, 1.0);
        let pose = random.pose(3.0);
        let expected = volume_by_vertices(&half_spaces(&a, &at(0.0, 0.0, 0.0)));
        // A turn and a step of some units in the last place: all faces nearly coincide.
        let off = f64::from(round as u32 % 4) * 1e-15;
        let nearly = Pose { position: pose.position + random.point().scale(off), q: pose.q.map(|c| c + off), ..pose };
        let found = of_two(&a, &a, &[pose, nearly]);
        assert!(found.volume[0] <= expected + 1e-11 && expected - 1e-11 <= found.volume[1], "{found:?} {expected}");
        assert!(found.volume[1] - found.volume[0] < 1e-10 * expected, "{found:?} {expected}");
    }
}

#[test]
fn unions_are_bounded_by_pairs_and_triples() {
    // Four boxes that fill the cube of side 2, and a cube across all of them.
    let quarter = |x: f64, y: f64| cuboid(v(x, y, -1.0), v(x + 1.0, y + 1.0, 1.0));
    let quarters = [quarter(-1.0, -1.0), quarter(0.0, -1.0), quarter(-1.0, 0.0), quarter(0.0, 0.0)];
    let pieces = quarters.each_ref().map(|core| (core, 0.0));
    let half = cube(0.5);
    let turned = Pose::new([0.01, 0.02, 0.0], [0.9, 0.1, 0.2, 0.3]);
    for poses in [[turned, turned], [turned, Pose { q: [0.2, 0.5, -0.3, 0.4], ..turned }]] {
        let found = overlap(Solid::Pieces(&pieces), Solid::Pieces(&[(&half, 0.0)]), &poses[0], &poses[1], 0);
        assert!(found.volume[0] <= 1.0 && 1.0 <= found.volume[1], "{found:?}");
        assert!(found.volume[1] - found.volume[0] < 1e-10, "{found:?}");
    }
    // Both are unions, and fill each other.
    let found = overlap(Solid::Pieces(&pieces), Solid::Pieces(&pieces), &turned, &turned, 0);
    assert!(found.volume[0] <= 8.0 && 8.0 <= found.volume[1] && found.volume[1] - found.volume[0] < 1e-9, "{found:?}");
    // Pieces that overlap by half: the lower end is exact, the upper end takes the octree.
    let twice = [cuboid(v(-1.0, -1.0, -1.0), v(0.5, 1.0, 1.0)), cuboid(v(-0.5, -1.0, -1.0), v(1.0, 1.0, 1.0))];
    let pieces = twice.each_ref().map(|core| (core, 0.0));
    let big = cube(3.0);
    let mut widths = Vec::new();
    for budget in [0, 4096] {
        let poses = [at(0.1, 0.0, 0.0), at(0.0, 0.0, 0.0)];
        let found = overlap(Solid::Pieces(&pieces), Solid::Pieces(&[(&big, 0.0)]), &poses[0], &poses[1], budget);
        assert!(found.volume[0] <= 8.0 && 8.0 <= found.volume[1], "{found:?}");
        assert!(8.0 - found.volume[0] < 1e-9, "{found:?}");
        widths.push(found.volume[1] - found.volume[0]);
    }
    assert!(widths[0] <= 1e-10 && widths[1] <= 1e-10, "the box of both ends the sum: {widths:?}");
    let turned = Pose::new([0.1, 0.0, 0.0], [0.9, 0.3, 0.2, 0.1]);
    let found = overlap(Solid::Pieces(&pieces), Solid::Pieces(&[(&big, 0.0)]), &turned, &at(0.0, 0.0, 0.0), 4096);
    assert!(found.volume[0] <= 8.0 && 8.0 <= found.volume[1] && found.volume[1] < 8.8, "{found:?}");
}
