//! Structure of files, animations, and numbers that `f32` does not hold.

use super::{Glb, GlbBody, GlbColor, GlbScene, GlbTrack, glb};
use crate::bcf::tests::{HOSTILE, tetrahedron};
use crate::data::{DisplayMesh, Placement, own_colour};
use serde_json::{Value, json};

fn placement(x: f64) -> Placement {
    Placement { position: [x, 0.0, 0.0], q: [1.0, 0.0, 0.0, 0.0] }
}

/// Two bodies of one shape, and a third of a large one.
pub(crate) fn sample() -> GlbScene {
    let body = |name: &str, mesh, color| GlbBody { name: name.to_owned(), mesh, color, placement: placement(0.25) };
    let strip = |count: u32| DisplayMesh {
        vertices: (0..count).map(|n| [n as f32, (n % 2) as f32, 0.0]).collect(),
        triangles: (2..count).map(|n| [n - 2, n - 1, n]).collect(),
    };
    GlbScene {
        bodies: vec![
            body("pump-1", 0, GlbColor::Violating),
            body(HOSTILE, 0, GlbColor::Neutral),
            body("hall", 1, GlbColor::Neutral),
            body("point", 2, GlbColor::A),
        ],
        meshes: vec![tetrahedron(), strip(70_000), DisplayMesh::default(), tetrahedron()],
        origin: [1e6, -2e6, 3.5],
        tracks: Vec::new(),
        generator: "clearsweep 0.2.0".to_owned(),
        extras: json!({ "moment": "frame 15" }).as_object().cloned().expect("an object"),
    }
}

/// The same with motions: 1 turns all around, 0 is absent for two samples.
pub(crate) fn moving() -> GlbScene {
    let times: Vec<f64> = (0..40).map(|n| 1e5 + f64::from(n) * 0.25).collect();
    let turned = |n: u32| {
        let half = f64::from(n) * 0.2;
        Placement { position: [f64::from(n), 0.0, 0.0], q: [2.0 * half.cos(), 0.0, 0.0, 2.0 * half.sin()] }
    };
    let mut placements: Vec<Option<Placement>> = (0..40).map(|n| Some(placement(f64::from(n)))).collect();
    placements[0] = None;
    placements[20] = None;
    let tracks = vec![
        GlbTrack { body: 0, times_s: times.clone(), placements },
        GlbTrack { body: 1, times_s: times, placements: (0..40).map(|n| Some(turned(n))).collect() },
    ];
    GlbScene { tracks, ..sample() }
}

/// The JSON and the buffer of a file.
fn chunks(glb: &Glb) -> (Value, &[u8]) {
    let bytes = &glb.bytes;
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize;
    assert_eq!((&bytes[..4], number(4), number(8)), (&b"glTF"[..], 2, bytes.len()));
    let length = number(12);
    assert_eq!((&bytes[16..20], length % 4), (&b"JSON"[..], 0));
    let json = serde_json::from_slice(&bytes[20..20 + length]).expect("JSON");
    let rest = bytes.get(20 + length + 8..).unwrap_or_default();
    (json, rest)
}

/// The numbers of an accessor.
fn floats(json: &Value, buffer: &[u8], accessor: usize) -> Vec<f32> {
    let view = json["accessors"][accessor]["bufferView"].as_u64().expect("a view") as usize;
    let [offset, length] =
        ["byteOffset", "byteLength"].map(|key| json["bufferViews"][view][key].as_u64().expect("a number"));
    let bytes = &buffer[offset as usize..(offset + length) as usize];
    bytes.chunks(4).map(|bytes| f32::from_le_bytes(bytes.try_into().expect("four bytes"))).collect()
}

#[test]
fn a_moment_has_nodes_that_share_shapes() {
    let file = glb(&sample()).expect("a file");
    let (json, buffer) = chunks(&file);
    assert_eq!(file.held, 0);
    assert_eq!(json["asset"]["extras"], json!({ "moment": "frame 15", "origin_m": [1e6, -2e6, 3.5] }));
    assert_eq!(json["nodes"][0]["children"], json!([1, 2, 3, 4]));
    assert_eq!(json["nodes"][0]["extras"]["origin_m"][1], json!(-2e6));
    assert_eq!(json["nodes"][2]["name"], json!(HOSTILE));
    assert!(json["nodes"][4].get("mesh").is_none(), "a mesh without triangles");
    let [first, second] = [0, 1].map(|mesh| &json["meshes"][mesh]["primitives"][0]);
    assert_eq!((&first["attributes"], &first["indices"]), (&second["attributes"], &second["indices"]));
    assert_ne!(first["material"], second["material"]);
    assert_eq!(json["meshes"].as_array().map(Vec::len), Some(3));
    let accessors = json["accessors"].as_array().expect("accessors");
    let kinds: Vec<u64> = accessors.iter().filter_map(|accessor| accessor["componentType"].as_u64()).collect();
    assert_eq!(kinds, [5126, 5123, 5126, 5125]);
    assert_eq!((&accessors[0]["min"], &accessors[0]["count"]), (&json!([0.0, 0.0, 0.0]), &json!(4)));
    assert_eq!(json["materials"][1]["alphaMode"], json!("BLEND"));
    assert_eq!(json["buffers"][0]["byteLength"].as_u64(), Some(buffer.len() as u64));
    assert!(json.get("animations").is_none());
}

#[test]
fn own_colours_are_materials_and_translucent_beside_others() {
    let own = GlbColor::Own([0x9a, 0xa3, 0xad]);
    let mut scene = sample();
    scene.bodies[1].color = own;
    let (json, _) = chunks(&glb(&scene).expect("a file"));
    let materials = json["materials"].as_array().expect("materials");
    let named = |name: &str| materials.iter().find(|material| material["name"] == name).expect("a material");
    assert_eq!((&named("#9aa3ad")["alphaMode"], &named("neutral")["alphaMode"]), (&json!("BLEND"), &json!("BLEND")));
    let light = |name: &str| {
        let factor = &named(name)["pbrMetallicRoughness"]["baseColorFactor"];
        [0, 1, 2].map(|k| factor[k].as_f64().expect("a number"))
    };
    // The grey of other bodies is this colour.
    let (own, grey) = (light("#9aa3ad"), light("neutral"));
    assert!((0..3).all(|k| (own[k] - grey[k]).abs() < 1e-4), "{own:?} {grey:?}");
    for component in 0..=255_u8 {
        let share = f64::from(component) / 255.0;
        let expected = if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) };
        assert!((f64::from(super::light(component)) - expected).abs() < 1e-7, "{component}");
    }
    // Alone, they hide what is behind them.
    scene.bodies.iter_mut().for_each(|body| body.color = GlbColor::Own([255, 0, 0]));
    let (json, _) = chunks(&glb(&scene).expect("a file"));
    assert_eq!(
        (&json["materials"][0]["name"], &json["materials"][0]["alphaMode"]),
        (&json!("#ff0000"), &json!("OPAQUE"))
    );
}

#[test]
fn a_colour_is_read_from_the_groups_of_a_body() {
    let of = |groups: &[&str]| own_colour(&groups.iter().map(|&group| group.to_owned()).collect::<Vec<_>>());
    assert_eq!(of(&["class:prim", "colour:#ff8000", "material:7"]), Some([255, 128, 0]));
    assert_eq!(of(&["material:#0000FF"]), Some([0, 0, 255]));
    for none in ["material:7", "colour:red", "colour:#ff", "colour:#+fffff", "#ff0000", "material:#1234567"] {
        assert_eq!(of(&[none]), None, "{none}");
    }
}

#[test]
fn an_animation_ascends_and_turns_the_short_way() {
    let file = glb(&moving()).expect("a file");
    let (json, buffer) = chunks(&file);
    assert_eq!(file.held, 1);
    let animation = &json["animations"][0];
    assert_eq!(animation["extras"]["start_s"], json!(1e5));
    let samplers = animation["samplers"].as_array().expect("samplers");
    assert_eq!((samplers.len(), &samplers[0]["input"]), (4, &samplers[3]["input"]));
    let paths: Vec<_> =
        (0..4).map(|n| animation["channels"][n]["target"]["path"].as_str().unwrap_or_default()).collect();
    assert_eq!(paths, ["translation", "rotation", "translation", "rotation"]);
    let accessor = |sampler: usize, key: &str| samplers[sampler][key].as_u64().expect("an accessor") as usize;
    let times = floats(&json, buffer, accessor(0, "input"));
    assert_eq!((times[0], times[39], times.len()), (0.0, 9.75, 40));
    assert_eq!(json["accessors"][accessor(0, "input")]["max"], json!([9.75]));
    let held = floats(&json, buffer, accessor(0, "output"));
    assert_eq!([held[0], held[3], held[3 * 20], held[3 * 21]], [1.0, 1.0, 19.0, 21.0]);
    let rotations = floats(&json, buffer, accessor(3, "output"));
    let rotations: Vec<&[f32]> = rotations.chunks(4).collect();
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    assert!(rotations.iter().all(|q| (dot(q, q) - 1.0).abs() < 1e-6));
    assert!(rotations.windows(2).all(|pair| dot(pair[0], pair[1]) > 0.9));
}

#[test]
fn times_that_are_equal_as_f32_are_dropped() {
    let times_s = vec![0.0, 1e-60, f64::NAN, 1.0, 1.0, 0.5, 2.0];
    let placements = (0..7).map(|n| Some(placement(f64::from(n)))).collect();
    let scene = GlbScene { tracks: vec![GlbTrack { body: 0, times_s, placements }], ..sample() };
    let file = glb(&scene).expect("a file");
    let (json, buffer) = chunks(&file);
    let input = json["animations"][0]["samplers"][0]["input"].as_u64().expect("an accessor");
    assert_eq!(floats(&json, buffer, input as usize), [0.0, 1.0, 2.0]);
}

#[test]
fn bodies_that_are_never_there_stay_where_they_are() {
    let track = GlbTrack { body: 0, times_s: vec![0.0, 1.0], placements: vec![None, None] };
    let file = glb(&GlbScene { tracks: vec![track], ..sample() }).expect("a file");
    assert!(chunks(&file).0.get("animations").is_none());
    assert_eq!(file.held, 1);
}

#[test]
fn files_repeat_and_an_empty_scene_is_one() {
    assert_eq!(glb(&moving()).expect("a file").bytes, glb(&moving()).expect("a file").bytes);
    let file = glb(&GlbScene::default()).expect("a file");
    let (json, buffer) = chunks(&file);
    assert!(json.get("buffers").is_none() && buffer.is_empty() && json["nodes"][0].get("children").is_none());
}

#[test]
fn broken_scenes_are_refused() {
    let mut scene = sample();
    scene.bodies[0].mesh = 9;
    assert!(glb(&scene).is_err());
    let mut scene = sample();
    scene.meshes[0].triangles[0][0] = 4;
    assert!(glb(&scene).is_err());
    let mut scene = sample();
    scene.meshes[0].vertices[0][0] = f32::NAN;
    assert!(glb(&scene).is_err());
    let scene =
        GlbScene { tracks: vec![GlbTrack { body: 4, times_s: Vec::new(), placements: Vec::new() }], ..sample() };
    assert!(glb(&scene).is_err());
}
