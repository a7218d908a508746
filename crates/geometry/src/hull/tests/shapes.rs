//! Shapes whose hulls are known.

use super::{HullError, Point, Random, checked_hull, convex_hull, distinct_normals, p};
use crate::hull::{LARGEST_COORDINATE, SMALLEST_COORDINATE};
use crate::polyhedron::{NO_FACE, Polyhedron};

fn box_corners(x: f64, y: f64, z: f64) -> Vec<Point> {
    (0..8)
        .map(|i| p(if i & 1 == 0 { -x } else { x }, if i & 2 == 0 { -y } else { y }, if i & 4 == 0 { -z } else { z }))
        .collect()
}

fn ring(count: usize, z: f64) -> impl Iterator<Item = Point> {
    (0..count).map(move |i| {
        let angle = std::f64::consts::TAU * i as f64 / count as f64;
        p(libm::cos(angle), libm::sin(angle), z)
    })
}

/// Numbers of vertices, edges, faces, and normals that differ by more than their sign.
fn counts(hull: &Polyhedron) -> [usize; 4] {
    [hull.count, hull.edges.len(), hull.face_count(), distinct_normals(hull)]
}

#[test]
fn a_box() {
    let hull = checked_hull(&box_corners(0.1, 0.7, 1.3));
    assert_eq!(counts(&hull), [8, 12, 6, 3]);
    assert_eq!(hull.source, (0..8).collect::<Vec<u32>>());
    assert_eq!(hull.mean, Point::ZERO);
    // By the sorted lists of vertices: 0123, 0145, 0246, 1357, 2367, 4567.
    let axes = [p(0., 0., -1.), p(0., -1., 0.), p(-1., 0., 0.), p(1., 0., 0.), p(0., 1., 0.), p(0., 0., 1.)];
    assert_eq!(hull.normals, axes);
    assert_eq!(hull.face(0), [0, 2, 3, 1]);
    assert_eq!(hull.face(5), [4, 5, 7, 6]);
    assert_eq!(hull.edges[0].v, [0, 1]);
    // Walking up x at the lower front edge, seen from outside: the front is to the left, above the
    // bottom.
    assert_eq!(hull.edges[0].f, [1, 0]);
    assert_eq!(hull.neighbours_of(0), [1, 2, 4]);
}

#[test]
fn a_forgotten_hull_is_built_again_as_it_was() {
    let mut random = Random(77);
    for case in 0..400_u32 {
        let [x, y, z] = [(); 3].map(|()| random.on_sphere());
        let turned = |q: Point| p(x.dot(q), y.dot(q), z.dot(q));
        let mut points: Vec<Point> = match case % 5 {
            0 => box_corners(0.1, 0.7, 1.3).into_iter().map(turned).collect(),
            1 => (0..20).map(|_| random.in_cube()).collect(),
            2 => ring(12, 0.0).chain(ring(12, 1.0)).map(turned).collect(),
            3 => ring(9, 0.5).map(turned).collect(),
            _ => (0..30).map(|_| [(); 3].map(|()| random.below(3) as f64)).map(Point::from).collect(),
        };
        let first = points[0];
        points.insert(1, first);
        points.truncate(if case % 40 == 0 { 4 } else { points.len() });
        let mut hull = checked_hull(&points);
        hull.source_mut().iter_mut().for_each(|source| *source = 3 * *source + 1);
        let forgotten = hull.clone().forgotten();
        assert!(!forgotten.is_built() && hull.is_built());
        assert_eq!(
            (forgotten.radius, forgotten.bounds(), forgotten.corners()),
            (hull.radius, hull.bounds(), hull.corners())
        );
        assert_eq!(forgotten.most_vertices(), hull.count);
        assert!(forgotten == hull && forgotten.is_built(), "{points:?}");
    }
}

#[test]
fn a_grid_is_its_box() {
    for [nx, ny, nz] in [[10, 10, 10], [2, 3, 40], [11, 11, 2]] {
        let mut points = Vec::new();
        for i in 0..nx * ny * nz {
            points.push(p((i % nx) as f64, (i / nx % ny) as f64, (i / nx / ny) as f64));
        }
        let hull = checked_hull(&points);
        assert_eq!(counts(&hull), [8, 12, 6, 3]);
        assert_eq!(hull.source[0], 0);
        assert_eq!(hull.source[7], nx * ny * nz - 1);
        assert_eq!(hull.mean, p((nx - 1) as f64, (ny - 1) as f64, (nz - 1) as f64) * 0.5);
    }
}

#[test]
fn a_sheared_grid_off_the_origin_is_its_parallelepiped() {
    // Dyadic steps, so that the sheared points are exactly coplanar; the coordinates need many
    // bits.
    let points: Vec<Point> = (0..512_u32)
        .map(|i| [i % 8, i / 8 % 8, i / 64].map(f64::from))
        .map(|[i, j, k]| p(1e5 + i * 0.375 + j * 0.0625, -3e4 + j * 0.5 + k * 0.03125, 7.0 + k * 0.25 - i * 0.125))
        .collect();
    let hull = checked_hull(&points);
    assert_eq!(counts(&hull), [8, 12, 6, 3]);
    for f in 0..6 {
        assert!(hull.normals.contains(&(Point::ZERO - hull.normals[f])), "opposite normals are exact negatives");
    }
}

#[test]
fn an_icosahedron() {
    let g = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let points: Vec<Point> = (0..12)
        .map(|i| (if i & 1 == 0 { -1.0 } else { 1.0 }, if i & 2 == 0 { -g } else { g }, i / 4))
        .map(|(a, b, axis)| [p(0.0, a, b), p(a, b, 0.0), p(b, 0.0, a)][axis])
        .collect();
    let hull = checked_hull(&points);
    assert_eq!(counts(&hull), [12, 30, 20, 10]);
}

#[test]
fn prisms_have_two_polygons_and_quadrilaterals() {
    for n in [3, 4, 5, 6, 60, 64, 1000] {
        let points: Vec<Point> = ring(n, -0.25).chain(ring(n, 0.5)).collect();
        let hull = checked_hull(&points);
        assert_eq!((hull.count, hull.edges.len(), hull.face_count()), (2 * n, 3 * n, n + 2));
        let sizes = (0..hull.face_count() as u32).map(|f| hull.face(f).len());
        assert_eq!(sizes.clone().filter(|s| *s == n).count(), if n == 4 { 6 } else { 2 });
        assert_eq!(sizes.max(), Some(n.max(4)));
        assert!(hull.normals.contains(&p(0., 0., 1.)) && hull.normals.contains(&p(0., 0., -1.)));
        assert!(distinct_normals(&hull) <= n + 1);
    }
}

#[test]
fn equal_points_count_once_and_the_first_is_the_source() {
    let mut points = vec![p(0.0, 0.0, 0.0)];
    points.extend(box_corners(1.0, 1.0, 1.0));
    points.extend(box_corners(1.0, 1.0, 1.0));
    points.reverse();
    points.extend(box_corners(1.0, 1.0, 1.0));
    let hull = checked_hull(&points);
    assert_eq!(hull.source, (0..8).collect::<Vec<u32>>());
    assert_eq!(counts(&hull), [8, 12, 6, 3]);
    let zeros = checked_hull(&[p(-0.0, 0.0, -0.0), p(0.0, -0.0, 0.0), p(1.0, 0.0, -0.0), p(1.0, -0.0, 0.0)]);
    assert_eq!((zeros.dimension, &zeros.source[..]), (1, &[0, 2][..]));
    assert!(zeros.y.iter().chain(&zeros.z).chain(&zeros.x[..1]).all(|c| c.to_bits() == 0));
}

#[test]
fn points_and_segments() {
    let hull = checked_hull(&[p(3.0, 0.0, 4.0); 5]);
    assert_eq!((hull.dimension, &hull.source[..], counts(&hull)), (0, &[0][..], [1, 0, 0, 0]));
    assert_eq!((hull.radius, hull.mean), (5.0, p(3.0, 0.0, 4.0)));
    let points: Vec<Point> = [3, 1, 4, 1, 5, 9, 2, 6].map(|t| p(1.0, 2.0, 3.0) * f64::from(t)).to_vec();
    let hull = checked_hull(&points);
    assert_eq!((hull.dimension, &hull.source[..], counts(&hull)), (1, &[1, 5][..], [2, 1, 0, 0]));
    assert_eq!(hull.edges[0].f, [NO_FACE; 2]);
    assert_eq!(hull.neighbours_of(1), [0]);
    // Off the line by the last bit of one coordinate: a triangle.
    let mut bent = points.clone();
    bent[0].x = bent[0].x.next_up();
    let hull = checked_hull(&bent);
    assert_eq!((hull.dimension, hull.count), (2, 3));
}

#[test]
fn a_coplanar_polygon_has_two_faces() {
    let mut random = Random(4);
    // A hexagon in the plane x + y + z = 6, with points inside it and inside its edges.
    let corners = [[4, 2, 0], [2, 4, 0], [0, 4, 2], [0, 2, 4], [2, 0, 4], [4, 0, 2]].map(|c| c.map(f64::from));
    let mut points: Vec<Point> = corners.iter().map(|c| Point::from(*c)).collect();
    for i in 0..6 {
        points.push((points[i] + points[(i + 1) % 6]) * 0.5);
    }
    for _ in 0..100 {
        let x = 1.0 + random.below(1024) as f64 / 1024.0;
        let y = 1.0 + random.below(1024) as f64 / 1024.0;
        points.push(p(x, y, 6.0 - x - y));
    }
    let hull = checked_hull(&points);
    assert_eq!((hull.dimension, counts(&hull), hull.distinct_edges.len()), (2, [6, 6, 2, 1], 3));
    assert_eq!(hull.face(0), [0, 1, 2, 3, 4, 5]);
    assert_eq!(hull.face(1), [0, 5, 4, 3, 2, 1]);
    assert_eq!(hull.normals[0], Point::ZERO - hull.normals[1]);
    assert!((hull.normals[0].x - 1.0 / 3.0_f64.sqrt()).abs() <= f64::EPSILON);
    // One of the inner points off the plane, by the least possible: a solid.
    points[50].z = points[50].z.next_up();
    assert_eq!(checked_hull(&points).dimension, 3);
}

#[test]
fn slivers_are_solids() {
    let tiny = 1e-60;
    let hull = checked_hull(&[p(0., 0., 0.), p(1., 0., 0.), p(0.5, tiny, 0.), p(0.5, 0., tiny)]);
    assert_eq!(counts(&hull), [4, 6, 4, 4]);
    let root = 0.5_f64.sqrt();
    assert!(hull.normals.iter().any(|n| (n.y - root).abs() < 1e-15 && (n.z - root).abs() < 1e-15));
    // Nearly flat, nearly collinear, far from the origin: every coordinate differs by a few last
    // bits only.
    let mut random = Random(5);
    let mut solids = 0;
    for _ in 0..300 {
        let last_bits = |random: &mut Random, c: f64| c + random.below(4) as f64 * (c.next_up() - c);
        let points: Vec<Point> = (0..20)
            .map(|_| {
                let t = random.unit();
                [1e3 + t, 1e3 - 0.3 * t, 2e3 + 0.7 * t].map(|c| last_bits(&mut random, c)).into()
            })
            .collect();
        solids += u32::from(checked_hull(&points).dimension == 3);
    }
    assert!(solids > 250, "{solids}");
}

#[test]
fn errors_name_the_point() {
    assert_eq!(convex_hull(&[]), Err(HullError::Empty));
    let with = |c: f64| convex_hull(&[p(1.0, 0.0, 0.0), p(0.0, c, 0.0)]);
    assert_eq!(with(f64::NAN), Err(HullError::NotFinite { index: 1 }));
    assert_eq!(with(f64::NEG_INFINITY), Err(HullError::NotFinite { index: 1 }));
    assert_eq!(with(-LARGEST_COORDINATE.next_up()), Err(HullError::OutOfRange { index: 1 }));
    assert_eq!(with(SMALLEST_COORDINATE.next_down()), Err(HullError::OutOfRange { index: 1 }));
    assert_eq!(with(5e-324), Err(HullError::OutOfRange { index: 1 }));
    assert!(with(-LARGEST_COORDINATE).is_ok() && with(SMALLEST_COORDINATE).is_ok());
}

#[test]
fn scaling_to_the_ends_of_the_range_changes_nothing() {
    let mut random = Random(6);
    // Coordinates of 1 to 2 bear any power of two.
    let points: Vec<Point> = (0..60)
        .map(|i| {
            let v = if i % 2 == 0 { random.on_sphere() } else { random.in_cube() };
            p(1.5 + 0.5 * v.x, 1.5 + 0.5 * v.y, if i % 5 == 0 { 1.0 } else { 1.5 + 0.5 * v.z })
        })
        .collect();
    let hull = checked_hull(&points);
    for scale in [SMALLEST_COORDINATE, LARGEST_COORDINATE * 0.5, 2.0_f64.powi(-100)] {
        let scaled: Vec<Point> = points.iter().map(|q| *q * scale).collect();
        let other = checked_hull(&scaled);
        assert_eq!((&other.source, &other.face_vertices), (&hull.source, &hull.face_vertices));
        assert_eq!((&other.edges, &other.normals), (&hull.edges, &hull.normals));
    }
    // Both ends at once.
    let (s, l) = (SMALLEST_COORDINATE, LARGEST_COORDINATE);
    assert_eq!(checked_hull(&[p(0., 0., 0.), p(l, 0., 0.), p(0., s, 0.), p(0., 0., l), p(l, s, l)]).count, 5);
    assert_eq!(counts(&checked_hull(&box_corners(l, s, 1.0))), [8, 12, 6, 3]);
}
