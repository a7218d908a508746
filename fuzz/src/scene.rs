//! Scene files, and the tables of their `[[bodies]]`.

use crate::geometry::{check_shape, load};
use clearsweep_scene::Scene;
use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

const TABLE: &str = "body,geometry,static\na,g.obj,true\nb,,1\n";

const TABLE_SCENE: &str = "[scene]\nlength_unit = \"mm\"\ntrajectories = \"none.parquet\"\n[query]\nwithin = 1\n\
                           [[ignore]]\na = \"group:g\"\nb = \"*\"\n[[bodies]]\n";

/// A folder with what scenes may name: `g.obj`, `t.csv`.
fn folder() -> &'static PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = crate::scratch();
        fs::write(folder.join("g.obj"), TETRAHEDRON).expect("a scratch file");
        fs::write(folder.join("t.csv"), TABLE).expect("a scratch file");
        for extension in ["csv", "parquet"] {
            let text = format!("{TABLE_SCENE}table = \"input.{extension}\"\n");
            fs::write(folder.join(format!("{extension}.toml")), text).expect("a scratch file");
        }
        folder
    })
}

/// Loads bytes as a scene file.
pub fn check(bytes: &[u8]) {
    // Shapes are asked for by numbers: a few bytes may name a prism of thousands of corners, many
    // times.
    if bytes.windows(8).filter(|window| *window == b"cylinder").count() > 4 {
        return;
    }
    fs::write(folder().join("scene.toml"), bytes).expect("a scratch file");
    load_twice("scene.toml");
}

/// Loads bytes as the table of a scene.
pub fn check_table(extension: &str, bytes: &[u8]) {
    if bytes.windows(8).filter(|window| *window == b"cylinder").count() > 4 {
        return;
    }
    fs::write(folder().join(format!("input.{extension}")), bytes).expect("a scratch file");
    load_twice(&format!("{extension}.toml"));
}

fn load_twice(name: &str) {
    let path = folder().join(name);
    let first = load(&path);
    let second = load(&path);
    match (first, second) {
        (Ok(scene), Ok(again)) => {
            assert_eq!(format!("{scene:?}"), format!("{again:?}"), "a second load gives another scene");
            sound(&scene);
        }
        (Err(error), Err(again)) => {
            assert_eq!(error.to_string(), again.to_string(), "a second load gives another error");
            assert!(!error.problem.is_empty() && !error.remedy.is_empty(), "{error:?}");
        }
        (first, second) => panic!("a second load disagrees: {:?} {:?}", first.err(), second.err()),
    }
}

fn sound(scene: &Scene) {
    let query = &scene.query;
    assert!(query.within.is_finite() && query.within >= 0.0 && query.touch.is_finite() && query.touch >= 0.0);
    assert!(query.require.is_none_or(|require| (0.0..=query.within).contains(&require)));
    assert!(scene.frame_rate.is_none_or(|rate| rate.is_finite() && rate > 0.0), "{:?}", scene.frame_rate);
    let mut names = HashSet::new();
    for (index, body) in scene.bodies.iter().enumerate() {
        assert!(!body.name.is_empty() && names.insert(&body.name), "`{}` is there twice, or empty", body.name);
        assert!(body.groups.is_sorted_by(|a, b| a < b), "groups are sorted, without duplicates");
        check_shape(&body.shape);
        match body.motion {
            clearsweep_scene::Motion::Static(pose) => {
                let norm: f64 = pose.q.iter().map(|c| c * c).sum();
                assert!(pose.position.is_finite() && (norm - 1.0).abs() < 1e-2, "{pose:?}");
            }
            clearsweep_scene::Motion::Dynamic { slot } => {
                assert_eq!(scene.dynamic[slot as usize], index as u32)
            }
        }
    }
    let count = scene.bodies.len() as u32;
    for a in 0..count.min(40) {
        for b in 0..count.min(40) {
            assert_eq!(scene.ignored.contains(a, b), scene.ignored.contains(b, a), "rules are symmetric");
        }
    }
}
