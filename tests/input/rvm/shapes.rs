//! Primitives against points of their surfaces by the formulas of the format.

use super::{body, good, height, place, sample};
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_narrow::{Proximity, query_one};
use clearsweep_scene::{Body, Geometry};
use clearsweep_testing::bridge::EVERYTHING;
use clearsweep_testing::random::Random;
use clearsweep_testing::rvm::{Found, Rvm, UPRIGHT, placed, primitives};
use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_4, TAU};
use std::fs;

/// A point of a surface and its outward normal, in the frame of the primitive, millimetres.
type SurfacePoint = ([f64; 3], [f64; 3]);

fn unit(n: [f64; 3]) -> [f64; 3] {
    let length = n.iter().map(|c| c * c).sum::<f64>().sqrt();
    n.map(|c| c / length)
}

/// A point of the curved side, by two shares from 0 to 1; `None`: this test knows no formula.
fn curved(found: &Found, u: f64, v: f64) -> Option<SurfacePoint> {
    let (cos, sin) = ((u * TAU).cos(), (u * TAU).sin());
    Some(match (found.kind, &found.numbers[..]) {
        (3, &[inner, outer, height, angle]) => {
            let (cos, sin) = ((u * angle).cos(), (u * angle).sin());
            let (radius, sign) = if v < 0.5 && inner > 0.0 { (inner, -1.0) } else { (outer, 1.0) };
            ([radius * cos, radius * sin, (v - 0.5) * height], [sign * cos, sign * sin, 0.0])
        }
        (4, &[arc, tube, angle]) => {
            let (turn, round) = (u * angle, v * TAU);
            let out = arc + tube * round.cos();
            let normal = [round.cos() * turn.cos(), round.cos() * turn.sin(), round.sin()];
            ([out * turn.cos(), out * turn.sin(), tube * round.sin()], normal)
        }
        (5, &[radius, height]) => {
            let up = 0.25 * TAU * v;
            let [x, y, z] = [up.cos() * cos, up.cos() * sin, up.sin()];
            ([radius * x, radius * y, height * z], unit([x / radius, y / radius, z / height]))
        }
        (6, &[radius, height]) => {
            let sphere = (radius * radius + height * height) / (2.0 * height);
            let base = (sphere - height) / sphere;
            let z = base + v * (1.0 - base);
            let across = (1.0 - z * z).max(0.0).sqrt();
            let n = [across * cos, across * sin, z];
            ([sphere * n[0], sphere * n[1], sphere * n[2] - (sphere - height)], n)
        }
        (7, &[bottom, top, h, x, y, bx, by, tx, ty]) => {
            let end = |share: f64, radius: f64, rise: [f64; 2]| {
                let z = share * h + radius * (rise[0].tan() * cos + rise[1].tan() * sin);
                [share * x + radius * cos, share * y + radius * sin, z]
            };
            let (low, high) = (end(-0.5, bottom, [bx, by]), end(0.5, top, [tx, ty]));
            // Lines between points of one angle lie on the hull of parallel circles, and of
            // circles of one radius.
            if [bx, by, tx, ty].iter().any(|angle| *angle != 0.0) && bottom != top {
                return None;
            }
            let along = Vec3::from([0, 1, 2].map(|k| high[k] - low[k]));
            let normal = Vec3::new(-sin, cos, 0.0).cross(along).to_array();
            ([0, 1, 2].map(|k| low[k] + v * along[k]), unit(normal))
        }
        (8, &[radius, h]) => ([radius * cos, radius * sin, (v - 0.5) * h], [cos, sin, 0.0]),
        (9, &[diameter]) => {
            let z = 2.0 * v - 1.0;
            let across = (1.0 - z * z).sqrt();
            let n = [across * cos, across * sin, z];
            (n.map(|c| 0.5 * diameter * c), n)
        }
        _ => return None,
    })
}

/// The image of a point, and of a normal: by the transposed inverse, which the cofactors are but
/// for a factor.
fn in_world(found: &Found, (point, normal): SurfacePoint) -> (Vec3<f64>, Vec3<f64>) {
    let column = |k: usize| Vec3::from([0, 1, 2].map(|row| found.matrix[3 * k + row]));
    let [x, y, z, t] = [0, 1, 2, 3].map(column);
    let image = x.scale(point[0]) + y.scale(point[1]) + z.scale(point[2]) + t;
    let sign = x.cross(y).dot(z).signum();
    let cofactors = y.cross(z).scale(normal[0]) + z.cross(x).scale(normal[1]) + x.cross(y).scale(normal[2]);
    (image, cofactors.scale(sign).normalized())
}

fn distance(body: &Body, point: Vec3<f64>) -> Proximity {
    let of_point = Geometry::Points(vec![[0.0; 3]]).shape(0.0).expect("a point");
    let at = Pose::new(point.to_array(), Pose::IDENTITY.q);
    query_one(&of_point, &body.shape, &at, &place(body), &EVERYTHING)
}

/// Points beside the surface are as far from the body as they were moved along the normal, and the
/// body reaches as far as the points of the surface.
fn assert_surface(body: &Body, found: &Found, random: &mut Random) {
    let size = body.shape.size();
    for round in 0..16 {
        // Depths of tori are bounds: the points lie outside. On the inner side of a tube, another
        // point of it may be nearer.
        let beside = if found.kind == 4 { [-0.3, 0.3] } else { [0.05, 0.95] };
        let (u, v) = (random.between(0.05, 0.95), random.between(beside[0], beside[1]));
        let Some(point) = curved(found, u, v) else { return };
        let (point, normal) = in_world(found, point);
        for truth in [1e-6 * size, 1e-3 * size] {
            let row = distance(body, point + normal.scale(truth));
            // The places of both round to half a unit of 310 m.
            let rounding = 1e-12 * size + 2e-13;
            let is_held = row.lower <= truth + rounding && truth - rounding <= row.upper;
            assert!(
                is_held && row.upper - row.lower <= 5e-9 * size,
                "{}: kind {}, {row:?} instead of {truth:e}",
                body.name,
                found.kind
            );
        }
        if round > 1 {
            continue;
        }
        // The fine tessellation reaches as far, but for its sagitta.
        let direction = Vec3::from([random.signed(), random.signed(), random.signed()]).normalized();
        let steps = 160;
        let shares =
            (0..=steps).flat_map(|i| (0..=steps).map(move |k| [i, k].map(|k| f64::from(k) / f64::from(steps))));
        let points = shares.filter_map(|[u, v]| Some(in_world(found, curved(found, u, v)?).0.dot(direction)));
        let highest = points.fold(f64::NEG_INFINITY, f64::max);
        let own = height(body, direction);
        assert!(own >= highest - 1e-12, "{}: {own} below {highest}", body.name);
        // The flat sides of a rectangular torus are no part of the tessellation.
        assert!(own - highest <= 2e-4 * size || found.kind == 3, "{}: {own} far above {highest}", body.name);
    }
}

#[test]
fn shapes_of_the_sample_have_the_surfaces_of_the_format() {
    let Some((_folder, scene)) = sample::scene("primitive") else { return };
    let [file, _] = sample::files().expect("as before");
    let groups = primitives(&fs::read(file).expect("read"));
    let found: Vec<&Found> = groups.iter().flatten().filter(|found| sample::is_solid(found)).collect();
    assert_eq!(found.len(), scene.bodies.len());
    let mut checked: BTreeMap<u32, usize> = BTreeMap::new();
    let mut random = Random(8);
    for (found, body) in found.into_iter().zip(&scene.bodies) {
        let count = checked.entry(found.kind).or_default();
        if *count < 20 && curved(found, 0.5, 0.5).is_some() {
            *count += 1;
            assert_surface(body, found, &mut random);
        }
    }
    assert_eq!(checked, BTreeMap::from([(1, 0), (2, 0), (3, 20), (4, 20), (5, 2), (7, 20), (8, 20), (11, 0)]));
}

/// Shapes under unequal scales, mirrored, and at the edges of what is a shape.
#[test]
fn shapes_of_no_public_file_have_the_surfaces_of_the_format() {
    let scaled = [0.001, 0.0, 0.0, 0.0, 0.002, 0.0, 0.0, 0.0, 0.0015];
    let mirrored = [0.0006, 0.0008, 0.0, 0.0008, -0.0006, 0.0, 0.0, 0.0, 0.001];
    let kinds: [(u32, &[f32]); 9] = [
        (4, &[100.0, 100.0, 1.5]),                                    // a horn torus
        (4, &[250.0, 50.0, 6.283_185_5]),                             // a full turn of single precision
        (7, &[80.0, 0.0, 200.0, 30.0, -10.0, 0.0, 0.0, 0.0, 0.0]),    // pointed, and beside its base
        (7, &[50.0, 50.0, 200.0, 0.0, 0.0, 0.25, -0.125, -0.5, 0.5]), // mitred
        (6, &[100.0, 30.0]),
        (6, &[100.0, 150.0]), // more than half of a sphere
        (9, &[120.0]),
        (3, &[0.0, 90.0, 40.0, 1.0]), // a sector of a disc
        (8, &[25.0, 400.0]),
    ];
    let mut file = Rvm::default();
    file.begin(b"/KINDS");
    for columns in [UPRIGHT, scaled, mirrored] {
        for (kind, numbers) in kinds {
            file.prim(kind, placed(columns, [310.25, -40.0, 7.5]), numbers);
        }
    }
    let bytes = file.end().finished();
    let folder = tempfile::tempdir().expect("scratch");
    let scene = good(&folder, &bytes, "each = \"primitive\"");
    let groups = primitives(&bytes);
    let found: Vec<&Found> = groups.iter().flatten().collect();
    assert_eq!(scene.bodies.len(), found.len());
    let mut random = Random(9);
    for (found, body) in found.into_iter().zip(&scene.bodies) {
        assert_surface(body, found, &mut random);
    }
}

/// A duct of two snouts whose ends are cut at 45 degrees: they touch at the joint.
#[test]
fn a_mitred_duct_touches_at_its_joint() {
    let shear = FRAC_PI_4 as f32;
    // Lengths that single precision has, so that the shears alone are rounded.
    let (milli, duct) = (1.0 / 1024.0, [10.0, 10.0, 128.0, 0.0, 0.0]);
    let numbers = |bottom: f32, top: f32| [&duct[..], &[bottom, 0.0, top, 0.0]].concat();
    let upright = [milli, 0.0, 0.0, 0.0, milli, 0.0, 0.0, 0.0, milli];
    // The second one goes on along -x: its middle is half its height beside the joint.
    let columns = [0.0, 0.0, milli, 0.0, milli, 0.0, -milli, 0.0, 0.0];
    let mut file = Rvm::default();
    file.begin(b"/A").prim(7, placed(upright, [2.0, 1.0, 3.0 - 0.0625]), &numbers(0.0, shear)).end();
    file.begin(b"/B").prim(7, placed(columns, [2.0 - 0.0625, 1.0, 3.0]), &numbers(-shear, 0.0)).end();
    let bytes = file.finished();
    let folder = tempfile::tempdir().expect("scratch");
    let scene = good(&folder, &bytes, "each = \"group\"");
    let (a, b) = (body(&scene, "A"), body(&scene, "B"));
    let row = query_one(&a.shape, &b.shape, &place(a), &place(b), &EVERYTHING);
    assert!(row.upper.abs() <= 1e-9 && row.lower.abs() <= 1e-9, "{row:?}");
}

/// Plates, edges and sectors without a thickness are bodies.
#[test]
fn bodies_without_a_thickness_are_where_they_are() {
    let mut file = Rvm::default();
    let at = |x: f32| placed(UPRIGHT, [x, 0.0, 0.0]);
    file.begin(b"/FLAT");
    file.prim(2, at(0.0), &[500.0, 500.0, 0.0]); // a plate
    file.prim(1, at(2.0), &[0.0, 300.0, 0.0, 100.0, 0.0, 0.0, 400.0]); // an upright trapezium
    file.prim(1, at(4.0), &[300.0, 200.0, 0.0, 0.0, 50.0, 0.0, 400.0]); // an eccentric apex
    file.prim(3, at(6.0), &[100.0, 200.0, 0.0, 1.5]); // a flat ring
    let bytes = file.end().finished();
    let folder = tempfile::tempdir().expect("scratch");
    let scene = good(&folder, &bytes, "each = \"primitive\"");
    assert_eq!(scene.bodies.len(), 4);
    let truths = [
        (0, [0.1, 0.2, 0.3], 0.3),
        (0, [0.0, 0.25, 0.0], 0.0),
        (1, [2.1, 0.0, 0.0], 0.1),
        (2, [4.0 + 0.025, 0.0, 0.2 + 0.1], 0.1),
        (3, [6.15, 0.0 + 1e-9, 0.25], 0.25),
        (3, [6.05, 0.0, 0.0], 0.05),
    ];
    for (index, point, truth) in truths {
        let row = distance(&scene.bodies[index], Vec3::from(point));
        // 0.001 of single precision is 0.001 to 5e-8.
        assert!(row.lower <= truth + 2e-8 && truth - 2e-8 <= row.upper, "{index} {point:?}: {row:?}, not {truth}");
        assert!(row.upper - row.lower <= 1e-8, "{row:?}");
    }
    // The sign of the offset: the apex lies towards +x, the base towards -x.
    let apex = &scene.bodies[2];
    assert!((height(apex, Vec3::new(-1.0, 0.0, 0.0)) - (0.15 + 0.025 - 4.0)).abs() < 1e-6);
}
