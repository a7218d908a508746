//! Polygons of OBJ and PLY, convex or not, against their areas and crossing numbers, which this
//! file computes.

use super::{Random, single, six_volumes};
use clearsweep_scene::readers::{Fault, Mesh, read_mesh};
use std::fmt::Write;
use std::path::Path;

type SceneHeader = Vec<[i64; 2]>;

/// Twice the area of an outline; positive if it is counter-clockwise.
fn twice_area(outline: &[[i64; 2]]) -> i64 {
    (0..outline.len())
        .map(|k| (outline[k], outline[(k + 1) % outline.len()]))
        .map(|(a, b)| a[0] * b[1] - a[1] * b[0])
        .sum()
}

/// Whether a point with odd coordinates (those of outlines are even, at most 2^20) lies inside, by
/// the edges that a ray to the right crosses; `None`: on an edge.
fn is_inside(outline: &[[i64; 2]], p: [i64; 2]) -> Option<bool> {
    let mut inside = false;
    for k in 0..outline.len() {
        let (a, b) = (outline[k], outline[(k + 1) % outline.len()]);
        let side = (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
        let is_beside = (a[1] > p[1]) != (b[1] > p[1]);
        if side == 0 && is_beside {
            return None;
        }
        inside ^= is_beside && (side > 0) == (b[1] > a[1]);
    }
    Some(inside)
}

/// A polygon around the origin with corners in all directions, some of them far in.
fn star(random: &mut Random) -> SceneHeader {
    let corners = 5 + random.below(20);
    let corner = |k: usize, random: &mut Random| {
        let angle = std::f64::consts::TAU * k as f64 / corners as f64;
        let radius = 1000.0 + random.below(9000) as f64;
        [angle.cos(), angle.sin()].map(|c| 4 * (c * radius).round() as i64)
    };
    (0..corners).map(|k| corner(k, random)).collect()
}

/// A band that winds inward.
fn spiral(random: &mut Random) -> SceneHeader {
    let turns = 2 + random.below(4) as i64;
    let (mut outer, mut inner) = (Vec::new(), Vec::new());
    for k in 0..4 * turns {
        let at = |radius: i64| [[1, 1], [-1, 1], [-1, -1], [1, -1]][k as usize % 4].map(|c: i64| 4 * c * radius);
        outer.push(at(100 * (4 * turns - k) + 150));
        inner.push(at(100 * (4 * turns - k) + 110));
    }
    outer.extend(inner.into_iter().rev());
    outer
}

/// A comb of teeth of different lengths.
fn comb(random: &mut Random) -> SceneHeader {
    let teeth = 2 + random.below(12) as i64;
    let mut outline = vec![[8 * teeth + 8, 0], [8 * teeth + 8, -40], [0, -40]];
    outline.extend((0..teeth).flat_map(|k| {
        let length = 20 + 4 * random.below(30) as i64;
        [[8 * k, 0], [8 * k, length], [8 * k + 4, length], [8 * k + 4, 0]]
    }));
    outline.reverse();
    outline
}

/// A plate with square holes, each reached by a bridge. Half of them have bridges that lie on each
/// other.
fn pierced(random: &mut Random) -> SceneHeader {
    let rise = [0, 4][random.below(2)];
    pierced_by(rise, random)
}

/// Makes an outline like [`pierced`]; bridges bend at a height that grows by `rise` from hole to
/// hole.
fn pierced_by(rise: i64, random: &mut Random) -> SceneHeader {
    let holes = 1 + random.below(4) as i64;
    let mut outline = vec![[400 * holes, 0], [400 * holes, 400], [0, 400], [0, 0]];
    for k in (0..holes).rev() {
        let [low, high] = [400 * k + 100, 400 * k + 300];
        // From the corner at the origin, along a line that meets no other hole, and back.
        let mouth = if k == 0 { vec![] } else { vec![[400 * k, 4 + rise * (k - 1)]] };
        let ring = [[low, 100], [low, 300], [high, 300], [high, 100], [low, 100]];
        outline.extend(mouth.iter().chain(&ring).chain(mouth.iter().rev()));
        outline.push([0, 0]);
    }
    outline
}

/// The outline with more corners on its edges and some corners twice.
fn refined(outline: &SceneHeader, random: &mut Random) -> SceneHeader {
    let mut all = Vec::new();
    for k in 0..outline.len() {
        let (a, b) = (outline[k], outline[(k + 1) % outline.len()]);
        all.push(a);
        match random.below(4) {
            0 => all.push([(a[0] + b[0]) / 2, (a[1] + b[1]) / 2]),
            1 => all.push(a),
            _ => {}
        }
    }
    all
}

/// The outline in space: along the axes in one of three planes, in both senses, far away.
fn placed(outline: &[[i64; 2]], axis: usize, far: f64) -> Vec<[f64; 3]> {
    let place = |[u, v]: [i64; 2]| {
        let mut p = [far; 3];
        p[(axis + 1) % 3] += u as f64;
        p[(axis + 2) % 3] += v as f64;
        p
    };
    outline.iter().map(|&c| place(c)).collect()
}

/// A file of one face, vertices shared where `shared`.
fn read_face(points: &[[f64; 3]], ply: bool) -> Result<Mesh, Fault> {
    let mut text = String::new();
    if ply {
        let _ = write!(
            text,
            "ply\nformat ascii 1.0\nelement vertex {}\nproperty double x\nproperty double y\nproperty double z\n\
             element face 1\nproperty list int int vertex_indices\nend_header\n",
            points.len()
        );
    }
    for [x, y, z] in points {
        let _ = writeln!(text, "{}{x:?} {y:?} {z:?}", if ply { "" } else { "v " });
    }
    let first = usize::from(!ply);
    let corners: Vec<String> = (0..points.len()).map(|k| (k + first).to_string()).collect();
    let _ = writeln!(text, "{}{}", if ply { format!("{} ", points.len()) } else { "f ".to_owned() }, corners.join(" "));
    read_mesh(Path::new(if ply { "a.ply" } else { "a.obj" }), text.into_bytes())
}

/// Checks that triangles cover an outline once, by their areas and by points.
fn check_cover(mesh: &Mesh, outline: &[[i64; 2]], (axis, far): (usize, f64), random: &mut Random, what: &str) {
    let seen = |v: u32| {
        let p = mesh.vertices[v as usize];
        [(axis + 1) % 3, (axis + 2) % 3].map(|c| (p[c] - far) as i64)
    };
    let triangles: Vec<[[i64; 2]; 3]> = mesh.triangles.iter().map(|t| t.map(seen)).collect();
    let area = twice_area(outline);
    let areas: Vec<i64> = triangles.iter().map(|t| twice_area(t)).collect();
    assert!(areas.iter().all(|a| a * area.signum() >= 0), "{what}: a triangle runs the other way round");
    assert_eq!(areas.iter().sum::<i64>(), area, "{what}");
    // Each edge of the outline is an edge of one triangle more than runs against it.
    let mut runs = std::collections::HashMap::new();
    let mut run = |a: [i64; 2], b: [i64; 2], by: i64| {
        if a != b {
            *runs.entry((a.min(b), a.max(b))).or_insert(0) += if a < b { by } else { -by };
        }
    };
    triangles.iter().for_each(|t| (0..3).for_each(|k| run(t[k], t[(k + 1) % 3], 1)));
    (0..outline.len()).for_each(|k| run(outline[k], outline[(k + 1) % outline.len()], -1));
    assert!(runs.values().all(|&net| net == 0), "{what}: the edges are not those of the outline");
    let bound = outline.iter().flatten().map(|c| c.abs()).max().unwrap_or(0) as usize + 9;
    for _ in 0..60 {
        let p = [0; 2].map(|_| 2 * (random.below(bound) as i64 - bound as i64 / 2) + 1);
        let Some(expected) = is_inside(outline, p) else { continue };
        let around: Vec<Option<bool>> = triangles.iter().map(|t| is_inside(t, p)).collect();
        if around.iter().all(Option::is_some) {
            let count = around.iter().flatten().filter(|&&inside| inside).count();
            assert_eq!(count, usize::from(expected), "{what}: {p:?}");
        }
    }
}

#[test]
fn any_polygon_is_covered_once_from_every_corner_and_either_way() {
    let mut random = Random(33);
    let (mut faces, mut corners) = ([0; 4], 0);
    for round in 0..160 {
        let kind = round % 4;
        let outline = [star, spiral, comb, pierced][kind](&mut random);
        assert!(twice_area(&outline) != 0);
        let outline = if round % 8 < 4 { outline } else { refined(&outline, &mut random) };
        let step = 1 + outline.len() / 12;
        for begin in (0..outline.len()).step_by(step) {
            let mut turned = outline.clone();
            turned.rotate_left(begin);
            if begin % 2 == 1 {
                turned.reverse();
            }
            let (axis, far) = (random.below(3), [0.0, 5e6, -7e9][random.below(3)]);
            let what = format!("round {round}, corner {begin}");
            let mesh =
                read_face(&placed(&turned, axis, far), begin % 3 == 0).unwrap_or_else(|f| panic!("{what}: {f:?}"));
            assert!(mesh.warped.is_empty(), "{what}: {:?}", mesh.warped);
            check_cover(&mesh, &turned, (axis, far), &mut random, &what);
            faces[kind] += 1;
            corners += turned.len();
        }
    }
    assert!(faces.iter().all(|&n| n > 150) && corners > 15_000, "not representative: {faces:?}, {corners} corners");
}

#[test]
fn turned_polygons_keep_their_areas_and_are_flat() {
    let mut random = Random(4);
    let mut anew = 0;
    for round in 0..200 {
        let apart = |random: &mut Random| pierced_by(0, random);
        let outline = [star, spiral, comb, apart][round % 4](&mut random);
        // Two orthonormal directions, by one Gram-Schmidt step.
        let direction = |random: &mut Random| [0; 3].map(|_| f64::from(single(random)));
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let unit = |a: [f64; 3]| a.map(|c| c / dot(a, a).sqrt());
        let u = unit(direction(&mut random));
        let w = direction(&mut random);
        let v = unit([0, 1, 2].map(|c| w[c] - dot(u, w) * u[c]));
        let far = [0.0, 5e6][random.below(2)];
        let points: Vec<[f64; 3]> = outline
            .iter()
            .map(|[x, y]| [0, 1, 2].map(|c| far + (*x as f64 * u[c] + *y as f64 * v[c]) / 1000.0))
            .collect();
        let mesh = read_face(&points, round % 2 == 0).unwrap_or_else(|fault| panic!("round {round}: {fault:?}"));
        assert!(mesh.warped.is_empty(), "round {round}: {:?}", mesh.warped.first());
        let area = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| mesh.vertices[v as usize]);
            let (p, q) = ([0, 1, 2].map(|k| b[k] - a[k]), [0, 1, 2].map(|k| c[k] - a[k]));
            let cross = [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
            dot(cross, cross).sqrt()
        };
        let sum: f64 = mesh.triangles.iter().map(area).sum();
        let expected = twice_area(&outline).abs() as f64 / 1e6;
        assert!((sum - expected).abs() < 1e-6 * expected, "round {round}: {sum} instead of {expected}");
        anew += usize::from(mesh.triangles[0][0] != 0 || mesh.triangles[1][0] != 0);
    }
    assert!(anew > 80, "{anew}");
}

#[test]
fn convex_polygons_stay_fans_of_their_first_corner() {
    let mut random = Random(9);
    for round in 0..200 {
        let corners = 4 + random.below(12);
        let mut outline: SceneHeader = (0..corners)
            .map(|k| {
                let angle = std::f64::consts::TAU * k as f64 / corners as f64;
                [angle.cos(), angle.sin()].map(|c| 4 * (c * 1e5).round() as i64)
            })
            .collect();
        if round % 2 == 0 {
            outline = refined(&outline, &mut random);
        }
        let begin = random.below(outline.len());
        outline.rotate_left(begin);
        if round % 3 == 0 {
            outline.reverse();
        }
        let mesh = read_face(&placed(&outline, round % 3, 0.0), round % 2 == 1).expect("a mesh");
        let fan: Vec<[u32; 3]> = (2..outline.len() as u32).map(|k| [0, k - 1, k]).collect();
        assert_eq!((mesh.triangles, mesh.warped.len()), (fan, 0), "round {round}");
    }
}

#[test]
fn polygons_without_an_inside_are_refused_by_their_line_or_number() {
    let crossing = [[0, 0], [4, 4], [4, 0], [0, 4]].map(|[x, y]: [i64; 2]| [x, y]);
    let twice = [[0, 0], [8, 0], [8, 8], [0, 8], [0, 0], [8, 0], [8, 8], [0, 8]];
    let pentagram = [[0, 100], [58, -80], [-96, 30], [96, 30], [-58, -80]];
    for (outline, part) in [(&crossing[..], "crosses"), (&twice[..], "crosses"), (&pentagram[..], "crosses")] {
        for begin in 0..outline.len() {
            let mut outline = outline.to_vec();
            outline.rotate_left(begin);
            for ply in [false, true] {
                let fault = read_face(&placed(&outline, 2, 0.0), ply).expect_err(part);
                assert!(fault.problem.contains(part) && !fault.remedy.is_empty(), "{fault:?}");
                assert_eq!(fault.line, (!ply).then_some(outline.len() + 1), "{fault:?}");
                assert!(!ply || fault.problem.contains("face 0"), "{fault:?}");
            }
        }
    }
    let back = read_face(&placed(&[[0, 0], [8, 0], [8, 8], [8, 0]], 0, 0.0), false).expect_err("no area");
    assert!(back.problem.contains("no area"), "{back:?}");
    // All corners on a line: triangles without area, as any others.
    let line = read_face(&placed(&[[0, 0], [8, 8], [4, 4], [2, 2]], 0, 0.0), false).expect("a mesh");
    assert_eq!(line.triangles.len(), 2);
}

#[test]
fn a_polygon_that_is_not_flat_says_how_far_its_surfaces_are_apart() {
    let mut random = Random(71);
    for round in 0..100 {
        let rise = 1e-9 * 10_f64.powi(random.below(9) as i32);
        let mut points = placed(&[[0, 0], [4, 0], [4, 4], [0, 4]], round % 3, 0.0);
        points[2][round % 3] += rise;
        points.rotate_left(random.below(4));
        let mesh = read_face(&points, round % 2 == 0).expect("a mesh");
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
        // The two ways to cut it are farthest apart in the middle.
        let apart = rise / 2.0;
        assert_eq!(mesh.warped.iter().map(|warp| warp.0).collect::<Vec<_>>(), [0, 1]);
        let warp = mesh.warped[0].1;
        assert!(warp >= apart && warp < 2.001 * apart, "{warp} for {apart}");
    }
}

/// A prism between two copies of an outline, as polygons or as triangles over the same vertices.
fn prism(outline: &[[i64; 2]], begin: usize, ply: bool) -> Mesh {
    let n = outline.len();
    let mut faces: Vec<Vec<usize>> = vec![(0..n).rev().collect(), (n..2 * n).collect()];
    faces.iter_mut().for_each(|face| face.rotate_left(begin % n));
    faces.extend((0..n).map(|k| vec![k, (k + 1) % n, n + (k + 1) % n, n + k]));
    let mut text = String::new();
    let vertex = |[x, y]: [i64; 2], z: i64| format!("{x} {y} {z}\n");
    let vertices = outline.iter().map(|&c| vertex(c, 0)).chain(outline.iter().map(|&c| vertex(c, 8)));
    if ply {
        let _ = write!(
            text,
            "ply\nformat ascii 1.0\nelement face {}\nproperty list int int vertex_index\nelement vertex {}\n\
             property float x\nproperty float y\nproperty float z\nend_header\n",
            faces.len(),
            2 * n
        );
        faces.iter().for_each(|f| {
            text += &format!("{} {}\n", f.len(), f.iter().map(usize::to_string).collect::<Vec<_>>().join(" "))
        });
        vertices.for_each(|line| text += &line);
        return read_mesh(Path::new("a.ply"), text.into_bytes()).expect("a mesh");
    }
    // Faces first: the vertices that they name come later.
    for (number, face) in faces.iter().enumerate() {
        let _ =
            writeln!(text, "g {number}\nf {}", face.iter().map(|v| (v + 1).to_string()).collect::<Vec<_>>().join(" "));
    }
    vertices.for_each(|line| text += &format!("v {line}"));
    read_mesh(Path::new("a.obj"), text.into_bytes()).expect("a mesh")
}

#[test]
fn prisms_enclose_the_volume_of_their_outline_in_pieces_that_stay_with_their_faces() {
    let mut random = Random(8);
    for round in 0..80 {
        let mut outline = [star, spiral, comb, pierced][round % 4](&mut random);
        if twice_area(&outline) < 0 {
            outline.reverse();
        }
        for begin in 0..3 {
            let mesh = prism(&outline, begin * 7, round % 2 == 0);
            assert_eq!(six_volumes(&mesh), (3 * 8 * twice_area(&outline)) as f64, "round {round}");
            assert_eq!(mesh.piece.len(), mesh.triangles.len());
            if round % 2 == 1 {
                // Each face is a group: its triangles stay in its plane.
                for (triangle, &piece) in mesh.triangles.iter().zip(&mesh.piece) {
                    let heights = triangle.map(|v| mesh.vertices[v as usize][2]);
                    assert!(
                        piece > 1 || heights == [8.0 * f64::from(piece); 3],
                        "round {round}: {heights:?} of {piece}"
                    );
                }
            }
        }
    }
}
