//! The public sample: every count of its truth, and closed facet groups.

use super::{load, notes};
use clearsweep::Job;
use clearsweep_model::DeviationSource;
use clearsweep_scene::Scene;
use clearsweep_scene::readers::rvm::{Attribute, Kind, read_attributes, read_plant};
use clearsweep_testing::data::data;
use clearsweep_testing::rvm::{Found, primitives};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// The sample and its attributes.
pub(super) fn files() -> Option<[PathBuf; 2]> {
    let folder = data("rvm/plm-sample")?;
    Some(["rvm", "att"].map(|ending| folder.join(format!("plm-sample_11072013.{ending}"))))
}

pub(super) fn scene(each: &str) -> Option<(tempfile::TempDir, Scene)> {
    let [file, _] = files()?;
    let folder = tempfile::tempdir().expect("scratch");
    let text = format!("[[bodies]]\ngeometry = {:?}\neach = \"{each}\"\n", file.to_str().expect("UTF-8"));
    let scene = load(folder.path(), &text).unwrap_or_else(|error| panic!("{error}"));
    Some((folder, scene))
}

/// Whether a primitive is a solid: no line, and no rectangular torus whose section is a point.
pub(super) fn is_solid(found: &Found) -> bool {
    found.kind != 10 && !(found.kind == 3 && found.numbers[0] == found.numbers[1])
}

/// The truth that lies beside the sample.
fn truth() -> serde_json::Value {
    let path = data("rvm").expect("the folder of the sample").join("expected.json");
    let all: serde_json::Value = serde_json::from_slice(&fs::read(path).expect("read")).expect("JSON");
    all["plm-sample/plm-sample_11072013.rvm"].clone()
}

#[test]
fn every_chunk_group_and_primitive_of_the_sample_is_found() {
    let Some([file, _]) = files() else { return };
    let (bytes, truth) = (fs::read(file).expect("read"), truth());
    let plant = read_plant(&bytes).unwrap_or_else(|fault| panic!("{fault:?}"));
    for (name, count) in truth["chunks"].as_object().expect("chunks") {
        let name: [u8; 4] = name.as_bytes().try_into().expect("four letters");
        assert_eq!(plant.chunks.get(&name), count.as_u64().as_ref(), "{name:?}");
    }
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    for primitive in &plant.primitives {
        let word = match primitive.kind {
            Kind::FacetGroup => "facet group".to_owned(),
            kind => kind.word().replace('-', " "),
        };
        *kinds.entry(word).or_default() += 1;
    }
    assert_eq!(serde_json::json!(kinds), truth["primitives"]);
    assert_eq!(plant.groups.len() as u64, truth["groups"].as_u64().expect("groups"));
    let mut depths: Vec<usize> = Vec::new();
    for group in &plant.groups {
        depths.push(group.parent.map_or(0, |parent| depths[parent as usize] + 1));
    }
    for (depth, count) in truth["groups_by_depth"].as_object().expect("depths") {
        let depth: usize = depth.parse().expect("a number");
        assert_eq!(depths.iter().filter(|own| **own == depth).count() as u64, count.as_u64().expect("a count"));
    }
    let mut of_group = vec![0_u64; plant.groups.len()];
    plant.primitives.iter().for_each(|primitive| of_group[primitive.group as usize] += 1);
    let with = of_group.iter().filter(|count| **count > 0).count() as u64;
    assert_eq!(Some(with), truth["groups_with_primitives"].as_u64());
    assert_eq!(of_group.iter().max().copied(), truth["most_primitives_in_a_group"].as_u64());
    assert!(plant.remarks.is_empty() && plant.palette.is_empty(), "{:?}", plant.remarks);
}

#[test]
fn every_item_of_the_attributes_is_found_and_every_group_has_one() {
    let Some([_, file]) = files() else { return };
    let truth = &truth()["attributes"];
    let found = read_attributes(&fs::read(file).expect("read")).unwrap_or_else(|fault| panic!("{fault:?}"));
    // The truth counts the block at the top, too.
    assert_eq!(found.items.len() as u64 + 1, truth["items"].as_u64().expect("items"));
    let count = |attribute: Attribute| {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for value in found.items.iter().filter_map(|item| item.value(attribute)) {
            *counts.entry(value.to_string()).or_default() += 1;
        }
        serde_json::json!(counts)
    };
    assert_eq!(count(Attribute::Type), truth["types"]);
    assert_eq!(count(Attribute::Obstruction), truth["obstruction"]);
    assert!(found.remarks.is_empty(), "{:?}", found.remarks);
    let Some((_folder, scene)) = scene("group") else { return };
    // 315 of 315 groups have an item: else a note would tell.
    assert!(!notes(&scene).contains("attribute"), "{}", notes(&scene));
    let of = |group: &str| scene.bodies.iter().filter(|body| body.groups.iter().any(|own| own == group)).count();
    assert_eq!(of("class:prim"), scene.bodies.len());
    let elbows = of("class:ELBO");
    assert!(elbows > 20 && of("in:PIPE") > elbows && of("level:0-10") > 50, "{elbows}");
    assert!(of("class:obst-hard") > 50 && of("class:obst-soft") == 0);
}

/// Six times the volume of the triangles of a body.
fn six_volumes(body: &clearsweep_scene::Body) -> f64 {
    let mesh = body.shape.mesh.as_ref().expect("a mesh");
    let corner = |v: u32| mesh.vertices()[v as usize];
    mesh.triangles().iter().map(|&[a, b, c]| corner(a).dot(corner(b).cross(corner(c)))).sum()
}

#[test]
fn the_sample_becomes_exact_shapes_and_closed_meshes() {
    let Some((_folder, by_group)) = scene("group") else { return };
    // 210 groups have solids; 14 of them have facets beside exact shapes.
    assert_eq!(by_group.bodies.len(), 224);
    let [file, _] = files().expect("as before");
    let bytes = fs::read(file).expect("read");
    let (_folder, by_primitive) = scene("primitive").expect("as before");
    let groups = primitives(&bytes);
    assert_eq!(by_primitive.bodies.len(), groups.iter().flatten().filter(|found| is_solid(found)).count());
    assert_eq!(by_primitive.bodies.len(), 658 - 12 - 10);
    for scene in [&by_group, &by_primitive] {
        let said = notes(scene);
        assert!(said.contains("lines are drawing aids and left out: 12, in `") && said.lines().count() == 2, "{said}");
        assert!(said.contains("primitives that cannot be taken: 10, `") && said.contains("inner radius"), "{said}");
        for body in &scene.bodies {
            assert_ne!(body.shape.watertight, Some(false), "{}", body.name);
            if body.shape.mesh.is_some() {
                assert!(body.shape.condition.is_some_and(|condition| condition.is_solid()), "{}", body.name);
                assert!(six_volumes(body) > 0.0, "{}", body.name);
                assert!(body.shape.deviation < 2e-5, "polygons are flat to 0.017 mm: {}", body.shape.deviation);
            } else {
                assert!(body.shape.deviation < 1e-12, "{}: {:e}", body.name, body.shape.deviation);
            }
        }
    }
    let facets = by_primitive.bodies.iter().filter(|body| body.name.contains("/facets-"));
    assert_eq!(facets.count(), 80);
    // Facets may be triangles of something round; everything else is what the plant says.
    for body in &by_primitive.bodies {
        let is_facets = body.name.contains("/facets-");
        let source = if is_facets { DeviationSource::Unknown } else { DeviationSource::Exact };
        assert_eq!(body.deviation_source, source, "{}", body.name);
    }
}

/// The stored steps of coordinates tell how coarse single precision is there.
#[test]
fn coordinates_have_the_steps_of_single_precision() {
    let Some((_folder, scene)) = scene("group") else { return };
    let steps = || scene.bodies.iter().map(|body| body.coordinate_step(None).expect("a static body"));
    let most = steps().fold(0.0, f64::max);
    // Up to 7.84 m, and 12 m long bodies.
    assert!(most > 2e-7 && most < 2e-6 && steps().all(|step| step > 0.0), "{most:e}");
}

#[test]
fn pairs_of_the_sample_have_sound_brackets() {
    let Some((_folder, scene)) = scene("group") else { return };
    let mut found = clearsweep::BatchCollector::default();
    Job::new(&scene).run(&mut found).expect("a run");
    let rows: usize = found.distances.iter().map(arrow_array::RecordBatch::num_rows).sum();
    assert!(rows > 500, "{rows} rows");
}
