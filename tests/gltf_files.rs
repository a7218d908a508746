//! glTF files of others: what is known of each of their nodes against the bodies that are made of them, and what a
//! validator says of broken files against what is refused.

use clearsweep::bench_support::scene::readers::{Fault, Mesh, read_mesh};
use clearsweep::bench_support::scene::{Body, Motion, Scene, SceneOverrides};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of glTF files; `None`: it is not here, which is said.
fn data() -> Option<PathBuf> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/gltf"));
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(std::env::var_os("CLEARSWEEP_REQUIRE_DATA").is_none(), "{} is required", folder.display());
    eprintln!("skipped: the glTF files of the shared data are not here");
    None
}

/// What is known of a node: its name, and of its primitives with triangles the vertices, triangles and box.
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
    Scene::load(&path, &SceneOverrides::default())
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
    let Some(folder) = data() else { return };
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
        for (piece, known) in in_order(&whole, &visible) {
            let found = piece_bounds(&whole, piece);
            assert!(is_same(found, known), "{file}: {found:?} {known:?}");
            // Of equal names the second has a number.
            let named = scene.bodies.iter().filter(|body| body.name.contains(&known.name));
            let alike: Vec<&Body> = named.filter(|body| is_same(bounds(body), known)).collect();
            assert!(!alike.is_empty(), "{file}: no body is {known:?}");
            let counts = (known.vertices, known.triangles);
            assert!(
                alike.iter().any(|body| (body.shape.vertices, body.shape.triangles) == counts),
                "{file}: {known:?}"
            );
            nodes += 1;
            skinned += usize::from(known.is_skinned);
            if file.contains("Node_NegativeScale") {
                let volume = six_volumes(&whole, piece);
                assert!(volume > 0.0, "{file}: the triangles look inward: {volume}");
                mirrored += usize::from(known.is_mirrored);
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

/// A file of the validator, the codes of its errors, and what became of it.
fn judged(folder: &Path) -> Vec<(String, BTreeSet<String>, Result<Mesh, Fault>)> {
    let mut open = vec![folder.to_owned()];
    let mut judged = Vec::new();
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
            let name = Path::new(file).strip_prefix(folder).expect("inside").display().to_string();
            judged.push((name, codes, read_mesh(Path::new(file), fs::read(file).expect("the file"))));
        }
    }
    judged.sort_by(|a, b| a.0.cmp(&b.0));
    judged
}

#[test]
fn files_that_a_validator_refuses() {
    let Some(folder) = data() else { return };
    for (name, codes, read) in judged(&folder.join("validator")) {
        let codes: Vec<String> = codes.into_iter().collect();
        let text = match read {
            Ok(mesh) => format!("READ {} vertices", mesh.vertices.len()),
            Err(fault) => format!("REFUSED {}", fault.problem),
        };
        println!("{name} | {} | {text}", codes.join(" "));
    }
}
