//! glTF files of others: what is known of each of their nodes against the bodies that are made of
//! them, and what a validator says of broken files against what is refused.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tests say what they found")]

use clearsweep_scene::readers::{Mesh, read_mesh};
use clearsweep_scene::{Body, Motion, Scene, SceneOverrides};
use clearsweep_testing::data::data;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A known node: its name, and the vertices, triangles and box of its primitives with triangles.
#[derive(Debug)]
struct KnownNode {
    node: usize,
    name: String,
    vertices: u64,
    triangles: u64,
    low: [f64; 3],
    high: [f64; 3],
    is_visible: bool,
    is_mirrored: bool,
    is_skinned: bool,
}

/// The table of what is known, by file.
fn known(folder: &Path) -> BTreeMap<String, Vec<KnownNode>> {
    let mut reader = csv::Reader::from_path(folder.join("expected.csv")).expect("the table");
    let mut files: BTreeMap<String, Vec<KnownNode>> = BTreeMap::new();
    for row in reader.deserialize::<BTreeMap<String, String>>() {
        let row = row.expect("a row");
        let number = |key: &str| row[key].parse::<f64>().unwrap_or(0.0);
        let nodes = files.entry(row["file"].clone()).or_default();
        if number("triangles") == 0.0 {
            continue;
        }
        let (low, high) = (["min_x", "min_y", "min_z"].map(number), ["max_x", "max_y", "max_z"].map(number));
        let node = number("node") as usize;
        match nodes.iter_mut().find(|known| known.node == node) {
            Some(known) => {
                known.vertices += number("vertices") as u64;
                known.triangles += number("triangles") as u64;
                for axis in 0..3 {
                    known.low[axis] = known.low[axis].min(low[axis]);
                    known.high[axis] = known.high[axis].max(high[axis]);
                }
            }
            None => nodes.push(KnownNode {
                node,
                name: row["name"].clone(),
                vertices: number("vertices") as u64,
                triangles: number("triangles") as u64,
                low,
                high,
                is_visible: row["visible"] == "True",
                is_mirrored: number("determinant") < 0.0,
                is_skinned: row["placed_by"] == "skin",
            }),
        }
    }
    files
}

fn load(folder: &Path, keys: &str) -> Result<Scene, clearsweep::Error> {
    let path = folder.join("scene.toml");
    let text = format!("[scene]\nlength_unit = \"m\"\n[query]\nwithin = 1\n{keys}");
    fs::write(&path, text).expect("a scene");
    clearsweep_scene::load_scene(&path, &SceneOverrides::default())
}

/// Lowest and highest coordinates of a static body.
fn bounds(body: &Body) -> [[f64; 3]; 2] {
    let Motion::Static(pose) = body.motion else { panic!("{} moves", body.name) };
    let core = &body.shape.hull().core;
    let mut ends = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    for ((&x, &y), &z) in core.x.iter().zip(&core.y).zip(&core.z) {
        let placed = pose.apply([x, y, z].into()).to_array();
        for axis in 0..3 {
            ends[0][axis] = ends[0][axis].min(placed[axis]);
            ends[1][axis] = ends[1][axis].max(placed[axis]);
        }
    }
    ends
}

/// Whether two boxes are the same but for the nine digits of the table and single precision.
fn is_same([low, high]: [[f64; 3]; 2], known: &KnownNode) -> bool {
    let size = known.low.iter().chain(&known.high).fold(1.0_f64, |size, c| size.max(c.abs()));
    (0..3).all(|i| (low[i] - known.low[i]).abs().max((high[i] - known.high[i]).abs()) < 3e-7 * size)
}

#[test]
fn every_node_has_the_box_and_the_counts_that_are_known() {
    let Some(folder) = data("gltf") else { return };
    let scratch = tempfile::tempdir().expect("scratch");
    let (mut nodes, mut hidden, mut skinned, mut mirrored, mut shapeless) = (0, 0, 0, 0, 0);
    let files = known(&folder);
    assert_eq!(files.len(), 85, "files of the table");
    for (file, known) in files {
        let visible: Vec<&KnownNode> = known.iter().filter(|known| known.is_visible).collect();
        let path = folder.join(&file);
        let section = format!("[[bodies]]\ngeometry = '{}'\neach = \"node\"\nmodel = \"hull\"\n", path.display());
        let scene = load(scratch.path(), &section);
        let whole = read_mesh(&path, fs::read(&path).expect("the file"));
        if visible.is_empty() {
            assert!(scene.is_err(), "{file} has no triangle");
            shapeless += 1;
            continue;
        }
        let scene = scene.unwrap_or_else(|error| panic!("{file}: {error}"));
        let whole = whole.unwrap_or_else(|fault| panic!("{file}: {fault:?}"));
        assert_eq!(scene.bodies.len(), visible.len(), "{file}");
        let count = |of: fn(&KnownNode) -> u64| visible.iter().map(|known| of(known)).sum::<u64>();
        assert_eq!(
            (whole.triangles.len() as u64, whole.pieces),
            (count(|known| known.triangles), visible.len()),
            "{file}"
        );
        assert_eq!(whole.vertices.len() as u64, count(|known| known.vertices), "{file}");
        for (piece, known) in in_order(&whole, &visible) {
            let found = piece_bounds(&whole, piece);
            assert!(is_same(found, known), "{file}: {found:?} {known:?}");
            // The second of equal names has a number.
            let named = scene.bodies.iter().filter(|body| body.name.contains(&known.name));
            let alike: Vec<&Body> = named.filter(|body| is_same(bounds(body), known)).collect();
            assert!(!alike.is_empty(), "{file}: no body is {known:?}");
            // Vertices that no triangle uses are left out of bodies.
            let fits = |body: &&&Body| body.shape.vertices <= known.vertices && body.shape.triangles == known.triangles;
            assert!(alike.iter().any(|body| fits(&body)), "{file}: {known:?}");
            nodes += 1;
            skinned += usize::from(known.is_skinned);
            if file.contains("Node_NegativeScale") {
                let volume = six_volumes(&whole, piece);
                // A flat mesh looks nowhere inward.
                assert!(volume >= 0.0, "{file}: the triangles look inward: {volume}");
                mirrored += usize::from(known.is_mirrored && volume > 0.0);
            }
        }
        let of_file = known.len() - visible.len();
        hidden += of_file;
        let said = scene.notes.iter().filter(|(_, note)| note.kind == "hidden").count();
        assert_eq!(said, usize::from(of_file > 0), "{file}: {:?}", scene.notes);
    }
    println!(
        "{nodes} nodes: {skinned} skinned, {mirrored} mirrored; {hidden} hidden; {shapeless} files without triangles"
    );
    assert!(nodes > 100 && hidden == 3 && skinned > 20 && mirrored > 3, "{nodes} {hidden} {skinned} {mirrored}");
}

/// The pieces of a file with what is known of their nodes.
fn in_order<'k>(mesh: &Mesh, known: &[&'k KnownNode]) -> Vec<(u32, &'k KnownNode)> {
    let node = |name: &String| name.strip_prefix("node ").and_then(|index| index.parse::<usize>().ok());
    let found = |name| known.iter().find(|known| Some(known.node) == node(name)).copied();
    mesh.names.iter().zip(0..).map(|(name, piece)| (piece, found(name).expect("a known node"))).collect()
}

fn piece_bounds(mesh: &Mesh, piece: u32) -> [[f64; 3]; 2] {
    let triangles = mesh.triangles.iter().zip(&mesh.piece).filter(|(_, of)| **of == piece);
    triangles.flat_map(|(triangle, _)| triangle).fold(
        [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]],
        |[low, high], &v| {
            let at = mesh.vertices[v as usize];
            [[0, 1, 2].map(|i| low[i].min(at[i])), [0, 1, 2].map(|i| high[i].max(at[i]))]
        },
    )
}

/// Six times the volume of a piece; positive if its triangles are counter-clockwise from outside.
fn six_volumes(mesh: &Mesh, piece: u32) -> f64 {
    let triangles = mesh.triangles.iter().zip(&mesh.piece).filter(|(_, of)| **of == piece);
    let [low, _] = piece_bounds(mesh, piece);
    let corner = |v: u32| [0, 1, 2].map(|i| mesh.vertices[v as usize][i] - low[i]);
    let det = |[a, b, c]: [[f64; 3]; 3]| {
        a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])
    };
    triangles.map(|(triangle, _)| det(triangle.map(corner))).sum()
}

/// The files of the validator, each with the codes of its errors.
fn reports(folder: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut open = vec![folder.to_owned()];
    let mut found = BTreeMap::new();
    while let Some(path) = open.pop() {
        for entry in fs::read_dir(&path).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let Some(file) = path.to_str().and_then(|name| name.strip_suffix(".report.json")) else { continue };
            let report: Value = serde_json::from_slice(&fs::read(&path).expect("a report")).expect("JSON");
            let messages = report["issues"]["messages"].as_array().cloned().unwrap_or_default();
            let errors = messages.iter().filter(|message| message["severity"] == 0);
            let codes = errors.filter_map(|message| message["code"].as_str().map(str::to_owned)).collect();
            found.insert(Path::new(file).strip_prefix(folder).expect("inside").display().to_string(), codes);
        }
    }
    found
}

/// Errors of the validator that no place of a vertex depends on, and why.
const SOUND: [(&str, &str); 19] = [
    ("ACCESSOR_INVALID_SIGN", "of tangents"),
    ("ACCESSOR_NON_CLAMPED", "of colours"),
    ("ACCESSOR_VECTOR3_NON_UNIT", "of normals"),
    ("MESH_PRIMITIVE_ACCESSOR_UNALIGNED", "bytes are read wherever they lie"),
    ("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_UNSIGNED_INT", "of another attribute; positions are refused"),
    ("MESH_PRIMITIVE_INDEXED_SEMANTIC_CONTINUITY", "of texture coordinates, and of joints without a skin"),
    ("MESH_PRIMITIVE_INVALID_ATTRIBUTE", "an attribute that is not read"),
    ("MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH", "without a skin joints are not read"),
    ("MESH_PRIMITIVE_MORPH_TARGET_INVALID_ATTRIBUTE_COUNT", "its weight is 0"),
    ("MESH_PRIMITIVE_MORPH_TARGET_NO_BASE_ACCESSOR", "its weight is 0"),
    ("MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS", "bounds are not read"),
    ("MESH_PRIMITIVE_TOO_FEW_TEXCOORDS", "of texture coordinates"),
    ("MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT", "of another attribute; joints and weights are refused"),
    ("NODE_SKIN_NO_SCENE", "the node is not shown"),
    ("NODE_SKIN_WITH_NON_SKINNED_MESH", "the node is not shown"),
    ("NODE_WEIGHTS_INVALID", "the node is not shown"),
    ("mesh/unresolved_material.gltf", "materials move nothing"),
    ("mesh/unresolved_morph_positions.gltf", "its weight is 0"),
    ("NODE_LOOP", "the nodes are not shown"),
];

/// Files without errors that are refused, and what the message says.
const REFUSED: [(&str, &str); 8] = [
    ("asset/min_version_valid.gltf", "version `2.1`"),
    ("json/integer_written_as_float.gltf", "floating point"),
    ("node/valid.gltf", "add up to 0"), // weights without data are zeros
    ("root/named_objects.gltf", "has no bytes"),
    ("root/unused_objects.gltf", "has no bytes"),
    ("skin/ignored_animated_transform.gltf", "add up to 0"),
    ("skin/ignored_local_transform.gltf", "add up to 0"),
    ("skin/ignored_parent_transform.gltf", "add up to 0"),
];

/// A file of text with a scene in which every one of its meshes is shown; `None`: it has no list of
/// meshes.
fn with_all_meshes(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut json: Value = serde_json::from_slice(bytes).ok()?;
    let meshes = json.get("meshes")?.as_array()?.len();
    let mut nodes = json.get("nodes").and_then(Value::as_array).cloned().unwrap_or_default();
    let first = nodes.len();
    nodes.extend((0..meshes).map(|mesh| serde_json::json!({ "mesh": mesh })));
    json["nodes"] = nodes.into();
    json["scenes"] = serde_json::json!([{ "nodes": (first..first + meshes).collect::<Vec<_>>() }]);
    json["scene"] = 0.into();
    Some(json.to_string().into_bytes())
}

#[test]
fn files_that_a_validator_refuses_are_refused_or_sound() {
    let Some(folder) = data("gltf") else { return };
    let folder = folder.join("validator");
    let (mut refused, mut read, mut nothing, mut files, mut differ) = (0, 0, 0, 0, BTreeSet::new());
    for (name, codes) in reports(&folder) {
        files += 1;
        let path = folder.join(&name);
        let bytes = fs::read(&path).expect("the file");
        let shown = if name.ends_with(".gltf") { with_all_meshes(&bytes) } else { None };
        for bytes in [Some(bytes), shown].into_iter().flatten() {
            match read_mesh(&path, bytes) {
                // Nothing of it is used, whatever is wrong with it.
                Err(fault) if fault.problem.contains("no vertices") => nothing += 1,
                Err(fault) if codes.is_empty() => {
                    let known = REFUSED.iter().find(|(known, part)| *known == name && fault.problem.contains(part));
                    assert!(known.is_some(), "{name} is valid, and is refused: {fault:?}");
                    differ.insert(format!("valid, refused: {name}: {}", fault.problem));
                }
                Err(fault) => {
                    assert!(!fault.remedy.is_empty(), "{name}: {fault:?}");
                    refused += 1;
                }
                Ok(mesh) => {
                    read += 1;
                    assert!(mesh.vertices.as_flattened().iter().all(|c| c.is_finite()), "{name}");
                    let is_sound = |code: &String| SOUND.iter().any(|(known, _)| known == code || *known == name);
                    let bad: Vec<&String> = codes.iter().filter(|code| !is_sound(code)).collect();
                    assert!(bad.is_empty(), "{name} is read, in spite of {bad:?}");
                    differ.extend(codes.iter().map(|code| format!("wrong, read: {name}: {code}")));
                }
            }
        }
    }
    differ.iter().for_each(|line| println!("{line}"));
    println!("{files} files: {refused} refused, {read} read, {nothing} show nothing");
    assert!(files == 193 && refused > 60 && read > 20, "{files} {refused} {read} {nothing}");
}
