//! Solids that are decomposed into convex pieces: what stands for them is as near as it says, and
//! brackets hold for the solids.

#![allow(clippy::print_stdout, reason = "the figures are for whoever runs the tests")]

mod naive;
mod shapes;

use clearsweep::{PairOptions, Pose, Proximity, ProximityQuery, Status};
use clearsweep_scene::{Model, Shape};
use clearsweep_testing::random::Random;
use clearsweep_testing::solids::Solid;
use naive::Point;
use shapes::{all, ell, plate_with_hole, scaled, turned};
use std::sync::{Arc, LazyLock};

/// A solid with its body of exact triangles and its body of pieces.
struct Decomposed {
    name: &'static str,
    solid: Solid,
    mesh: Arc<Shape>,
    pieces: Arc<Shape>,
}

/// All solids, decomposed once for all tests: a decomposition is the same every time.
static DECOMPOSED: LazyLock<Vec<Decomposed>> = LazyLock::new(|| {
    let decomposed = |(name, solid): (&'static str, Solid)| {
        let (mesh, pieces) = (solid.shape(Model::Mesh, 0.0), solid.shape(Model::Decomposition, 0.0));
        Decomposed { name, solid, mesh, pieces }
    };
    all().into_iter().map(decomposed).collect()
});

fn triangles(solid: &Solid) -> Vec<[Point; 3]> {
    solid.triangles.iter().map(|t| t.map(|v| solid.vertices[v])).collect()
}

/// The surface of each piece, in the frame of the file.
fn pieces(shape: &Shape) -> Vec<Vec<[Point; 3]>> {
    let center = shape.center.to_array();
    let of = |core: &clearsweep_geometry::Polyhedron| {
        let at = |v: u32| {
            let p = core.vertex(v).to_array();
            [0, 1, 2].map(|k| p[k] + center[k])
        };
        let fan = |f: u32| {
            let face = core.face(f);
            face[1..].windows(2).map(|pair| [face[0], pair[0], pair[1]].map(at)).collect::<Vec<_>>()
        };
        (0..core.normals.len() as u32).flat_map(fan).collect()
    };
    shape.pieces.iter().map(|piece| of(&piece.core)).collect()
}

fn corners_of_box(triangles: &[[Point; 3]]) -> [Point; 2] {
    let mut ends = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    for p in triangles.iter().flatten() {
        for k in 0..3 {
            ends[0][k] = ends[0][k].min(p[k]);
            ends[1][k] = ends[1][k].max(p[k]);
        }
    }
    ends
}

fn size(triangles: &[[Point; 3]]) -> f64 {
    let [low, high] = corners_of_box(triangles);
    (0..3).map(|k| (high[k] - low[k]).powi(2)).sum::<f64>().sqrt()
}

/// Points on the surface, spread by area, and points of the box that lie inside.
fn samples(triangles: &[[Point; 3]], count: usize, random: &mut Random) -> Vec<Point> {
    let areas: Vec<f64> = triangles.iter().map(|&t| naive::area(t)).collect();
    let total: f64 = areas.iter().sum();
    let mut points: Vec<Point> = triangles.iter().flatten().copied().collect();
    for (&t, area) in triangles.iter().zip(areas) {
        for _ in 0..1 + (count as f64 * area / total) as usize {
            points.push(naive::on(t, [random.unit(), random.unit()]));
        }
    }
    let [low, high] = corners_of_box(triangles);
    for _ in 0..count {
        let p = [0, 1, 2].map(|k| random.between(low[k], high[k]));
        if naive::is_inside(p, triangles) {
            points.push(p);
        }
    }
    points
}

/// The largest distance that is found between a solid and its pieces, both ways.
fn sampled(solid: &[[Point; 3]], pieces: &[Vec<[Point; 3]>], count: usize) -> [f64; 2] {
    let mut random = Random(11);
    let to_pieces = |p: Point| pieces.iter().map(|piece| naive::from_solid(p, piece)).fold(f64::INFINITY, f64::min);
    let missing = samples(solid, count, &mut random).into_iter().map(to_pieces).fold(0.0, f64::max);
    let of_piece = |piece: &Vec<[Point; 3]>| samples(piece, 1 + count / pieces.len(), &mut random);
    let excess = pieces.iter().flat_map(of_piece).map(|p| naive::from_solid(p, solid)).fold(0.0, f64::max);
    [missing, excess]
}

#[test]
fn the_deviation_covers_every_sampled_point_and_is_not_much_more() {
    for Decomposed { name, solid, pieces: shape, .. } in DECOMPOSED.iter() {
        let (solid, pieces) = (triangles(solid), pieces(shape));
        let (size, [missing, excess]) = (size(&solid), sampled(&solid, &pieces, 6000));
        let deviation = shape.decomposition_deviation.expect("a decomposition");
        let vertices: Vec<usize> = shape.pieces.iter().map(|piece| piece.core.count).collect();
        println!(
            "{name}: {} pieces of {vertices:?} vertices, deviation {:.2e} of the size, sampled {:.2e} missing and {:.2e} excess",
            pieces.len(),
            deviation / size,
            missing / size,
            excess / size
        );
        assert!(missing.max(excess) <= deviation * (1.0 + 1e-12) + 1e-14 * size, "{name}");
        // Samples miss the farthest point: of the gear they see two thirds of the bound.
        assert!(deviation <= 2.0 * missing.max(excess) + 1e-6 * size, "{name}: the bound is loose");
        // A few voxels of 1/64 of the longest side; a bent pipe has the most.
        assert!(deviation <= 0.1 * size, "{name}: {} of the size", deviation / size);
        assert_eq!(shape.deviation, deviation);
    }
}

/// Pieces fill a closed cavity, which no surface of theirs shows: its middle counts.
#[test]
fn a_closed_cavity_counts_in_the_deviation() {
    let solid = Solid::cuboid([0.5; 3], 1).and(&Solid::cuboid([0.3; 3], 1).flipped());
    let shape = solid.shape(Model::Decomposition, 0.0);
    let (list, pieces) = (triangles(&solid), pieces(&shape));
    let to_solid = |p: Point| naive::from_solid(p, &list);
    let is_filled = pieces.iter().any(|piece| naive::from_solid([0.01, 0.02, 0.03], piece) == 0.0);
    let deviation = shape.decomposition_deviation.expect("a decomposition");
    println!("cavity: {} pieces, deviation {deviation}, filled {is_filled}", pieces.len());
    assert!(is_filled && deviation >= to_solid([0.0; 3]) && deviation < 0.31, "{is_filled} {deviation}");
}

fn ask(a: &Shape, b: &Shape, at: &Pose) -> Proximity {
    let mut query = ProximityQuery::new(a, b, &PairOptions::default()).expect("options");
    query.proximity(&Pose::IDENTITY, at).expect("poses").expect("a row")
}

/// Asserts that two brackets of one distance agree, rounding aside.
fn agree(exact: &Proximity, row: &Proximity, what: &str) {
    assert!(!row.lower.is_nan() && row.lower <= row.upper, "{what}: {row:?}");
    assert!(row.lower <= exact.upper && exact.lower <= row.upper, "{what}: {exact:?} {row:?}");
    assert!(row.status != Status::Penetrating || exact.status != Status::Separated, "{what}: {exact:?} {row:?}");
    assert!(row.status != Status::Separated || exact.status != Status::Penetrating, "{what}: {exact:?} {row:?}");
}

#[test]
fn rows_of_decompositions_bracket_those_of_the_exact_solids() {
    let mut random = Random(4);
    let bodies = &*DECOMPOSED;
    let (mut apart, mut overlapping, mut rows, mut sharp) = (0, 0, 0, 0);
    for (i, Decomposed { name, mesh, pieces, .. }) in bodies.iter().enumerate() {
        for k in 0..12 {
            let Decomposed { name: other, mesh: other_mesh, pieces: other_pieces, .. } =
                &bodies[(i + k) % bodies.len()];
            let reach = mesh.radius + other_mesh.radius;
            let position = random.in_cube(0.6 * reach);
            let pose = Pose::new(position, random.turn());
            let what = format!("{name} and {other} at {pose:?}");
            let exact = ask(mesh, other_mesh, &pose);
            // Beside pieces, and beside the exact triangles.
            for beside in [other_pieces, other_mesh] {
                let row = ask(pieces, beside, &pose);
                agree(&exact, &row, &what);
                let deviation = pieces.deviation + beside.deviation;
                if exact.lower > 0.0 {
                    assert!(row.lower <= exact.distance && exact.distance <= row.upper, "{what}: {exact:?} {row:?}");
                    sharp += i32::from(row.upper - row.lower <= 2.0 * deviation + 1e-9);
                    apart += 1;
                }
                overlapping += i32::from(exact.upper < 0.0);
                rows += 1;
            }
        }
    }
    println!("{rows} rows, {apart} apart, {overlapping} overlapping, {sharp} no wider than the deviations");
    assert!(
        5 * apart > rows && 5 * overlapping > rows && 10 * sharp > 8 * apart,
        "{apart} {overlapping} {sharp} of {rows}"
    );
}

/// A hole far narrower than any voxel: pieces fill it, and a peg in it is apart all the same.
#[test]
fn a_peg_in_a_hole_that_pieces_fill_does_not_penetrate() {
    let plate = plate_with_hole(0.002);
    let (mesh, pieces) = (plate.shape(Model::Mesh, 0.0), plate.shape(Model::Decomposition, 0.0));
    let peg = Solid::cuboid([0.001, 0.001, 0.3], 1);
    for model in [Model::Hull, Model::Mesh, Model::Decomposition] {
        let peg = peg.shape(model, 0.0);
        for x in [0.0, 0.0005, -0.0009] {
            let pose = Pose::new([x, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]);
            let (exact, row) = (ask(&mesh, &peg, &pose), ask(&pieces, &peg, &pose));
            assert_eq!(exact.status, Status::Separated);
            assert!(row.distance < 0.0 && row.upper >= exact.distance, "{model:?}: {row:?}");
            assert!(row.lower <= exact.distance && row.status != Status::Penetrating, "{model:?}: {row:?}");
        }
    }
    // What grows by more than the deviation is proven to overlap.
    let thick = Solid::cuboid([0.001, 0.001, 0.3], 1).shape(Model::Hull, pieces.deviation + 0.01);
    let pose = Pose::new([0.0; 3], [1.0, 0.0, 0.0, 0.0]);
    let row = ask(&pieces, &thick, &pose);
    assert_eq!(row.status, Status::Penetrating, "{row:?}");
    assert!(ask(&mesh, &thick, &pose).lower <= row.upper, "{row:?}");
}

/// A convex mesh is one piece, and its rows are no sharper than it is known.
#[test]
fn a_convex_solid_is_one_piece() {
    let shape = Solid::cuboid([0.3, 0.4, 0.5], 2).shape(Model::Decomposition, 0.0);
    assert_eq!(shape.pieces.len(), 1);
    assert!(shape.deviation < 1e-8, "{}", shape.deviation);
    let other = Solid::cuboid([0.1; 3], 1).shape(Model::Hull, 0.0);
    let row = ask(&shape, &other, &Pose::new([0.35, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]));
    assert!((row.distance + 0.05).abs() < 1e-9 && row.upper > 0.0 && row.lower < -0.05, "{row:?}");
    let row = ask(&shape, &other, &Pose::new([0.45, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]));
    assert!((row.lower - 0.05).abs() < 1e-8 && (row.upper - 0.05).abs() < 1e-8, "{row:?}");
}

#[test]
fn hard_sizes_and_places_change_nothing() {
    let deviation = |solid: &Solid| {
        let shape = solid.shape(Model::Decomposition, 0.0);
        let (list, pieces) = (triangles(solid), pieces(&shape));
        let [missing, excess] = sampled(&list, &pieces, 1500);
        let (size, deviation) = (size(&list), shape.deviation);
        // The oracle rounds as its coordinates do.
        let rounding = list.iter().flatten().flatten().fold(0.0, |most: f64, c| most.max(c.abs())) * 1e-14;
        assert!(missing.max(excess) <= deviation + rounding, "{missing} {excess} {deviation}");
        (pieces.len(), deviation / size)
    };
    let plain = deviation(&ell());
    for by in [1.0 / 1_048_576.0, 1024.0] {
        let (pieces, share) = deviation(&scaled(ell(), by));
        assert_eq!(pieces, plain.0);
        assert!((share - plain.1).abs() < 1e-3 * plain.1 + 1e-9, "{by}: {share} {plain:?}");
    }
    // Five kilometres off: coordinates have a millionth of a micrometre.
    let (_, share) = deviation(&turned(ell(), [1.0, 1.0, 0.0], 20.0).moved([5e3, -5e3, 100.0]));
    assert!(share < 0.03, "{share}");
    // A needle, and a bent one.
    let needle = deviation(&Solid::cuboid([0.5, 0.0005, 0.0005], 1));
    let bent = deviation(&shapes::blocks([&[0.0, 0.001, 1.0], &[0.0, 0.001, 1.0], &[0.0, 0.001]], |[i, j, _]| {
        i == 0 || j == 0
    }));
    println!("needle {needle:?}, bent needle {bent:?}");
    assert!(needle.1 < 1e-6 && bent.1 < 0.03);
}

#[test]
fn what_is_no_solid_is_refused() {
    let refused = |solid: &Solid| {
        let folder = tempfile::tempdir().expect("scratch");
        let path = folder.path().join("part.obj");
        std::fs::write(&path, solid.obj()).expect("a file");
        clearsweep::Geometry::file(path, Some(Model::Decomposition)).shape(0.0).expect_err("no solid").to_string()
    };
    let mut open = ell();
    open.triangles.pop();
    for (solid, why) in [(open, "do not close up"), (Solid { triangles: vec![[0, 1, 2]], ..ell() }, "do not close up")]
    {
        let message = refused(&solid);
        for part in ["part.obj", "only a solid can be decomposed", why] {
            assert!(message.contains(part), "no `{part}` in: {message}");
        }
    }
}

#[test]
fn a_decomposition_is_the_same_every_time() {
    let solid = shapes::gear(9, [0.4, 0.5], 0.1);
    let [one, other] = [0; 2].map(|_| solid.shape(Model::Decomposition, 0.0));
    assert_eq!(one.pieces.len(), other.pieces.len());
    assert_eq!(one.deviation.to_bits(), other.deviation.to_bits());
    assert!(one.pieces.iter().zip(&other.pieces).all(|(x, y)| x.core.x == y.core.x && x.core.source == y.core.source));
}
