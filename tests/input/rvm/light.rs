//! Plants of many round bodies: what is not built, and a whole file as one body.

use super::{good, height, load, notes};
use clearsweep::{BatchCollector, Job};
use clearsweep_geometry::Vec3;
use clearsweep_model::{DeviationSource, Piece};
use clearsweep_scene::{Body, Scene};
use clearsweep_testing::random::Random;
use clearsweep_testing::rvm::{Rvm, UPRIGHT, placed};
use std::fs;

/// A plant of groups of four primitives: cylinder, box, snout and wedge.
pub(super) fn plant(groups: u32, side: f64) -> Vec<u8> {
    let mut file = Rvm::default();
    let mut random = Random(1);
    file.begin(b"/SITE");
    for group in 0..groups {
        file.begin(format!("/ITEM-{group}").as_bytes());
        let base = [0.0; 3].map(|low| random.between(low, side) as f32);
        for number in 0..4_u8 {
            let matrix = placed(UPRIGHT, [base[0] + f32::from(number), base[1], base[2]]);
            let size = random.between(10.0, 900.0) as f32;
            match number {
                0 => file.prim(8, matrix, &[50.0, size]),
                1 => file.prim(2, matrix, &[size, 100.0, 100.0]),
                2 => file.prim(7, matrix, &[80.0, 50.0, size, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
                _ => file.prim(1, matrix, &[size, 100.0, 0.0, 0.0, 50.0, 0.0, 100.0]),
            };
        }
        file.end();
    }
    file.end().finished()
}

/// The round pieces of a scene, and the hulls of bodies with such, that are built.
fn built(scene: &Scene) -> usize {
    let is_round = |piece: &&Piece| piece.core.round.is_some();
    let of_body = |body: &Body| {
        let pieces = body.shape.pieces.iter().filter(is_round);
        let hull = body.shape.hull.iter().filter(|_| body.shape.pieces.iter().any(|piece| is_round(&piece)));
        pieces.chain(hull).filter(|piece| piece.core.is_built()).count()
    };
    scene.bodies.iter().map(of_body).sum()
}

/// The search of static pairs asks round bodies for supports and boxes, never for a polyhedron,
/// which would take most of the memory and of the time of a large plant.
#[test]
fn no_polyhedron_of_a_round_body_is_built_for_a_search() {
    let folder = tempfile::tempdir().expect("scratch");
    for each in ["primitive", "group"] {
        let scene = good(&folder, &plant(60, 4.0), &format!("each = \"{each}\""));
        let mut found = BatchCollector::default();
        Job::new(&scene).run(&mut found).expect("a run");
        let rows: usize = found.distances.iter().map(arrow_array::RecordBatch::num_rows).sum();
        assert!(rows > 20, "{each}: {rows} rows");
        assert_eq!(built(&scene), 0, "{each}: of {} bodies", scene.bodies.len());
    }
}

#[test]
fn a_whole_file_as_one_body_is_the_union_of_its_primitives() {
    let folder = tempfile::tempdir().expect("scratch");
    let bytes = plant(6, 3.0);
    let primitives = good(&folder, &bytes, "each = \"primitive\"");
    let scene = load(folder.path(), "[[body]]\nname = \"a\"\nstatic = true\ngeometry = \"plant.rvm\"\n").expect("one");
    let [whole] = &scene.bodies[..] else { panic!("one body") };
    assert_eq!(whole.shape.pieces.len(), primitives.bodies.len());
    assert_eq!(whole.deviation_source, DeviationSource::Exact);
    let steps = primitives.bodies.iter().filter_map(|body| body.coordinate_step(None));
    assert_eq!(whole.shape.coordinate_step, steps.fold(0.0, f64::max));
    let mut random = Random(3);
    for _ in 0..200 {
        let d = Vec3::from([0.0; 3].map(|_| random.between(-1.0, 1.0))).normalized();
        let most = primitives.bodies.iter().map(|body| height(body, d)).fold(f64::NEG_INFINITY, f64::max);
        assert!((height(whole, d) - most).abs() < 1e-12, "{} instead of {most}", height(whole, d));
    }
    // A moving body meets it where it meets one of the primitives.
    let near = |scene: &Scene| {
        let mut found = BatchCollector::default();
        Job::new(scene).run(&mut found).expect("a run");
        let columns = found.distances.iter().filter_map(|batch| batch.column_by_name("distance_m"));
        let numbers = columns.flat_map(|column| {
            column.as_any().downcast_ref::<arrow_array::Float64Array>().expect("numbers").values().to_vec()
        });
        numbers.collect::<Vec<f64>>()
    };
    let probe = "[[body]]\nname = \"p\"\nstatic = true\nshape = { sphere = 700 }\nposition = [1500, 1500, 1500]\n";
    let ignore = "[[ignore]]\na = \"group:SITE\"\nb = \"group:SITE\"\nreason = \"r\"\n";
    let one = load(folder.path(), &format!("[[body]]\nname = \"a\"\nstatic = true\ngeometry = \"plant.rvm\"\n{probe}"));
    let section = "[[bodies]]\ngeometry = \"plant.rvm\"\neach = \"primitive\"\n";
    let many = load(folder.path(), &format!("{section}{probe}{ignore}")).expect("many");
    let (one, many) = (near(&one.expect("one")), near(&many));
    let least = many.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(one.len() == 1 && many.len() > 1, "{one:?} {many:?}");
    assert!(least > 0.0 && (one[0] - least).abs() < 1e-12 || least < 0.0 && one[0] < 0.0, "{one:?} {least}");
    // Lines are left out by a note, and its numbers are those of the attributes beside it, too.
    let mut file = Rvm::default();
    file.begin(b"/A").prim(8, placed(UPRIGHT, [0.0; 3]), &[50.0, 100.0]);
    file.prim(10, placed(UPRIGHT, [0.0; 3]), &[5.0, 0.0]).end();
    fs::write(folder.path().join("lines.rvm"), file.finished()).expect("written");
    let scene = load(folder.path(), "[[body]]\nname = \"a\"\nstatic = true\ngeometry = \"lines.rvm\"\n").expect("one");
    assert!(notes(&scene).contains("lines are drawing aids and left out: 1"), "{}", notes(&scene));
}
