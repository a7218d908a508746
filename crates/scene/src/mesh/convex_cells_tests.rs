//! Tests of the exact splitting of meshes (`convex_cells`).

use crate::mesh::clean;
use clearsweep_base::workers::Workers;
use clearsweep_geometry::convex_split::*;
use clearsweep_geometry::hull::convex_hull;
use clearsweep_geometry::{TriangleMesh, Vec3};

type Point = Vec3<f64>;

/// The surface of unit cubes of a grid, each side as two triangles, stretched by `scale`.
fn cubes(cubes: &[[i32; 3]], scale: [f64; 3]) -> Option<TriangleMesh> {
    let mut points: Vec<[i32; 3]> = Vec::new();
    let mut list = Vec::new();
    for &cube in cubes {
        for (axis, up) in (0..3).flat_map(|axis| [(axis, 0), (axis, 1)]) {
            let mut beside = cube;
            beside[axis] += 2 * up - 1;
            if cubes.contains(&beside) {
                continue;
            }
            let corner = |u: i32, v: i32| {
                let mut corner = cube;
                corner[axis] += up;
                corner[(axis + 1) % 3] += u;
                corner[(axis + 2) % 3] += v;
                corner
            };
            let around = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
            let side = around.map(|corner| {
                let known = points.iter().position(|&p| p == corner);
                known.unwrap_or_else(|| {
                    points.push(corner);
                    points.len() - 1
                }) as u32
            });
            let [a, b, c, d] = if up == 1 { side } else { [side[3], side[2], side[1], side[0]] };
            list.extend([[a, b, c], [a, c, d]]);
        }
    }
    let points: Vec<Point> = points.iter().map(|p| [0, 1, 2].map(|k| f64::from(p[k]) * scale[k]).into()).collect();
    let first: Vec<u32> = (0..points.len() as u32).collect();
    let made = clean(&points, &first, &list, first.len(), false, &Workers::none())?;
    made.mesh.is_solid().then_some(made.mesh)
}

/// The volume of a convex solid, by tetrahedra from its middle.
fn volume(vertices: &[Point]) -> f64 {
    let hull = convex_hull(vertices).expect("a cell");
    let fan = |f: usize| {
        let face = hull.face(f as u32);
        let at = |k: usize| hull.vertex(face[k]) - hull.mean;
        (2..face.len()).map(|k| at(0).dot(at(k - 1).cross(at(k))) / 6.0).sum::<f64>()
    };
    (0..hull.face_count()).map(fan).sum()
}

#[test]
fn unions_of_cubes_are_cut_into_cells_of_their_volume() {
    let mut state = 7_u64;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let (mut split, mut joined) = (0, 0);
    for _ in 0..300 {
        let mut list: Vec<[i32; 3]> = vec![[1; 3]];
        for _ in 0..2 + draw(12) {
            let mut next = list[draw(list.len() as u64) as usize];
            next[draw(3) as usize] += [1, -1][draw(2) as usize];
            if next.iter().all(|c| (0..4).contains(c)) && !list.contains(&next) {
                list.push(next);
            }
        }
        // Numbers whose sums are not exact.
        let scale = [[1.0; 3], [0.1, 0.3, 0.7]][draw(2) as usize];
        let Some(cells) = cubes(&list, scale).and_then(|mesh| convex_cells(&mesh)) else { continue };
        let whole = list.len() as f64 * scale.iter().product::<f64>();
        let sum: f64 = cells.iter().map(|cell| volume(cell)).sum();
        assert!((sum - whole).abs() < 1e-12 * whole, "{sum} of {whole}: {list:?}");
        for (k, one) in cells.iter().enumerate() {
            let middle = one.iter().fold(Vec3::ZERO, |sum, &p| sum + p).scale(1.0 / one.len() as f64);
            let place = [0, 1, 2].map(|axis| middle.to_array()[axis] / scale[axis]);
            let is_in = |cube: &[i32; 3]| {
                (0..3).all(|axis| {
                    (f64::from(cube[axis]) - 1e-9..=f64::from(cube[axis]) + 1.000_000_001).contains(&place[axis])
                })
            };
            assert!(list.iter().any(is_in), "cell {k} at {place:?}: {list:?}");
        }
        split += 1;
        joined += usize::from(cells.len() < list.len());
    }
    assert!(split > 200 && joined > 150, "not representative: {split} {joined}");
}

#[test]
fn few_cells_are_found() {
    let count = |list: &[[i32; 3]]| convex_cells(&cubes(list, [1.0; 3]).expect("a solid")).map(|cells| cells.len());
    assert_eq!(count(&[[0, 0, 0]]), Some(1));
    assert_eq!(count(&[[0, 0, 0], [1, 0, 0], [0, 1, 0]]), Some(2), "an L");
    assert_eq!(count(&[[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [2, 1, 0]]), Some(3), "a U");
    let cube = (0..27).map(|k| [k % 3, k / 3 % 3, k / 9]);
    let hollow: Vec<_> = cube.filter(|&cell| cell != [1; 3]).collect();
    assert!(count(&hollow).is_some_and(|count| (6..=8).contains(&count)), "a cavity: {:?}", count(&hollow));
}

#[test]
fn cuts_beside_the_numbers_leave_a_solid_whole() {
    let ell = cubes(&[[0, 0, 0], [1, 0, 0], [0, 1, 0]], [1.0; 3]).expect("a solid");
    let turn = |p: &Point| Vec3::new(0.8 * p.x - 0.6 * p.y, 0.6 * p.x + 0.8 * p.y, p.z);
    let points: Vec<Point> = ell.vertices().iter().map(turn).collect();
    let first: Vec<u32> = (0..points.len() as u32).collect();
    let turned = clean(&points, &first, ell.triangles(), first.len(), false, &Workers::none()).expect("triangles");
    assert_eq!(convex_cells(&turned.mesh), None);
}
