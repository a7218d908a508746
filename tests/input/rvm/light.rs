//! Plants of many round bodies: what is not built, and a whole file as one body.

use super::{good, height, load, notes};
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type};
use clearsweep::{BatchCollector, Job};
use clearsweep_geometry::Vec3;
use clearsweep_model::{DeviationSource, Piece};
use clearsweep_scene::Scene;
use clearsweep_testing::random::Random;
use clearsweep_testing::rvm::{Rvm, UPRIGHT, placed};
use std::collections::HashSet;
use std::fs;

/// A whole file as one body.
const WHOLE: &str = "[[body]]\nname = \"a\"\nstatic = true\ngeometry = \"plant.rvm\"\n";

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

/// The rows of a job: both bodies, and the distance, metres.
fn rows(scene: &Scene) -> Vec<([usize; 2], f64)> {
    let mut found = BatchCollector::default();
    Job::new(scene).run(&mut found).expect("a run");
    let of_batch = |batch: &RecordBatch| {
        let index =
            |name: &str| batch.column_by_name(name).expect("a column").as_primitive::<Int32Type>().values().to_vec();
        let distance = batch.column_by_name("distance_m").expect("a column").as_primitive::<Float64Type>();
        let bodies = index("a_index").into_iter().zip(index("b_index"));
        let bodies = bodies.map(|(a, b)| [a as usize, b as usize]);
        bodies.zip(distance.values().to_vec()).collect::<Vec<_>>()
    };
    found.distances.iter().flat_map(of_batch).collect()
}

/// The search of static pairs asks round bodies for supports and boxes, never for a polyhedron,
/// which would take most of the memory and of the time of a large plant. The depth of bodies of
/// pieces is bounded by their hulls, and by their pieces, so that these are built.
#[test]
fn no_polyhedron_of_a_round_body_is_built_for_a_search() {
    let folder = tempfile::tempdir().expect("scratch");
    for (each, side) in [("primitive", 4.0), ("group", 5.0)] {
        let scene = good(&folder, &plant(60, side), &format!("each = \"{each}\""));
        let rows = rows(&scene);
        assert!(rows.len() > 5, "{each}: {rows:?}");
        let overlap = |index: usize| rows.iter().any(|(bodies, distance)| bodies.contains(&index) && *distance <= 0.0);
        let pieces = scene
            .bodies
            .iter()
            .enumerate()
            .flat_map(|(index, body)| body.shape.pieces.iter().map(move |piece| (index, piece)));
        let round: Vec<(usize, &Piece)> = pieces.filter(|(_, piece)| piece.core.round.is_some()).collect();
        let built: Vec<usize> =
            round.iter().filter(|(_, piece)| piece.core.is_built()).map(|&(index, _)| index).collect();
        assert!(built.iter().all(|&index| each == "group" && overlap(index)), "{each}: {built:?} of {rows:?}");
        assert!(round.len() == 120 && built.len() < 60, "{each}: {} of {}", built.len(), round.len());
        let hulls =
            scene.bodies.iter().enumerate().filter_map(|(index, body)| Some((index, body.shape.hull.as_ref()?)));
        let built: Vec<usize> = hulls.filter(|(_, hull)| hull.core.is_built()).map(|(index, _)| index).collect();
        assert!(built.iter().all(|&index| overlap(index)), "{each}: {built:?} of {rows:?}");
        assert!(built.len() < scene.bodies.len() / 2, "{each}: {built:?}");
    }
}

/// Boxes too are built when a search asks for them if shapes are many, and rows stay those of few.
#[test]
fn polyhedra_of_many_shapes_are_built_when_a_search_asks_for_them() {
    let folder = tempfile::tempdir().expect("scratch");
    let bytes = plant(2_600, 25.0);
    let many = good(&folder, &bytes, "each = \"primitive\"");
    let built = |scene: &Scene| scene.bodies.iter().filter(|body| body.shape.pieces[0].core.is_built()).count();
    assert_eq!((many.bodies.len(), built(&many)), (10_400, 0));
    let named = |scene: &Scene| {
        let name = |index: usize| scene.bodies[index].name.clone();
        rows(scene).into_iter().map(|(bodies, distance)| (bodies.map(name), distance)).collect::<Vec<_>>()
    };
    let of_many = named(&many);
    assert!(of_many.len() > 100 && built(&many) < 5_200, "{} rows, {} built", of_many.len(), built(&many));
    let few = good(&folder, &bytes, "each = \"primitive\"\ninclude = [\"SITE/ITEM-1*\"]");
    assert!(built(&few) > 2_000, "boxes and wedges of few shapes");
    let is_of_few = |(bodies, _): &([String; 2], f64)| bodies.iter().all(|name| name.starts_with("SITE/ITEM-1"));
    let of_many: Vec<_> = of_many.into_iter().filter(is_of_few).collect();
    assert!(of_many.len() > 20 && of_many == named(&few));
}

#[test]
fn a_whole_file_as_one_body_is_the_union_of_its_primitives() {
    let folder = tempfile::tempdir().expect("scratch");
    let bytes = plant(6, 3.0);
    let primitives = good(&folder, &bytes, "each = \"primitive\"");
    let scene = load(folder.path(), WHOLE).expect("one");
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
    // Spheres are as far from it as from the nearest primitive.
    let mut probes = String::new();
    for number in 0..120 {
        let place = [0.0; 3].map(|_| random.between(0.0, 4000.0));
        probes += &format!(
            "[[body]]\nname = \"p{number}\"\nstatic = true\ngroup = \"p\"\nshape = {{ sphere = 150 }}\nposition = {place:?}\n"
        );
    }
    let ignored = ["p", "SITE"].map(|group| format!("[[ignore]]\na = \"group:{group}\"\nb = \"group:{group}\"\n"));
    let one = load(folder.path(), &format!("{probes}{WHOLE}group = \"SITE\"\n{}", ignored[0])).expect("one");
    let section = "[[bodies]]\ngeometry = \"plant.rvm\"\neach = \"primitive\"\n";
    let many = load(folder.path(), &format!("{probes}{section}{}", ignored.concat())).expect("many");
    let (one, many) = (rows(&one), rows(&many));
    for (bodies, distance) in &one {
        // The least distance; of overlaps the deepest is no more than the depth of the union.
        let least =
            many.iter().filter(|(others, _)| others[0] == bodies[0]).map(|row| row.1).fold(f64::INFINITY, f64::min);
        let agrees = if least > 0.0 { (distance - least).abs() < 1e-12 } else { *distance <= least + 1e-9 };
        assert!(agrees, "{bodies:?}: {distance} instead of {least}");
    }
    let met: HashSet<usize> = many.iter().map(|(bodies, _)| bodies[0]).collect();
    assert!(one.len() == met.len() && one.len() > 3, "{} and {}", one.len(), met.len());
    // Lines are left out, with a note.
    let mut file = Rvm::default();
    file.begin(b"/A").prim(8, placed(UPRIGHT, [0.0; 3]), &[50.0, 100.0]);
    file.prim(10, placed(UPRIGHT, [0.0; 3]), &[5.0, 0.0]).end();
    fs::write(folder.path().join("lines.rvm"), file.finished()).expect("written");
    let scene = load(folder.path(), "[[body]]\nname = \"a\"\nstatic = true\ngeometry = \"lines.rvm\"\n").expect("one");
    assert!(notes(&scene).contains("lines are drawing aids and left out: 1"), "{}", notes(&scene));
}
