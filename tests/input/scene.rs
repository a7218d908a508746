//! Good scenes: units, poses, groups, ignore rules, shapes, and geometry files against readers
//! written anew here.

#![allow(clippy::print_stderr)] // a measured test says what it measured

use clearsweep_geometry::{Polyhedron, Vec3};
use clearsweep_scene::ignore::glob_matches;
use clearsweep_scene::{Missing, Model, Motion, Scene, SceneOverrides, Shape};
use clearsweep_testing::data::data;
use clearsweep_testing::random::Random;
use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn load(folder: &Path, text: &str) -> Scene {
    load_with(folder, text, &SceneOverrides::default())
}

fn load_with(folder: &Path, text: &str, overrides: &SceneOverrides) -> Scene {
    let path = folder.join("scene.toml");
    fs::write(&path, text).expect("a scene");
    clearsweep_scene::load_scene(&path, overrides).unwrap_or_else(|error| panic!("{error}: {}\n{text}", error.remedy))
}

fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn head(unit: &str) -> String {
    format!("[scene]\nlength_unit = \"{unit}\"\n[query]\nwithin = 1\n")
}

/// The shape of a scene with one static body of these lines.
fn shape(folder: &Path, unit: &str, lines: &str) -> Arc<Shape> {
    let text = format!("{}[[body]]\nname = \"a\"\nstatic = true\n{lines}\n", head(unit));
    Arc::clone(&load(folder, &text).bodies[0].shape)
}

fn volume(core: &Polyhedron) -> f64 {
    let mut sum = 0.0;
    for f in 0..core.face_count() {
        let corners = core.face(f as u32);
        for pair in corners[1..].windows(2) {
            let [a, b, c] = [corners[0], pair[0], pair[1]].map(|v| core.vertex(v));
            sum += a.dot(b.cross(c)) / 6.0;
        }
    }
    sum
}

/// Lowest and highest coordinates in the body's own frame.
fn extent(shape: &Shape) -> ([f64; 3], [f64; 3]) {
    let core = &shape.hull().core;
    let mut box_ = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for v in 0..core.count as u32 {
        for (axis, c) in (core.vertex(v) + shape.center).to_array().into_iter().enumerate() {
            box_.0[axis] = box_.0[axis].min(c);
            box_.1[axis] = box_.1[axis].max(c);
        }
    }
    box_
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
}

#[test]
fn every_key_is_lowered_to_si() {
    let folder = scratch();
    let text = "[scene]\nname = \"plant\"\nlength_unit = \"mm\"\ntrajectories = \"runs/*.parquet\"\nmissing = \"hold\"\n\
                frame_rate = 25\n[query]\nwithin = 200\nrequire = 50.0\ntouch = 0.5\n\
                [[body]]\nname = \"payload\"\nshape = { box = [400, 400, 200] }\noffset = 30\ngroup = \"moving\"\n\
                [[body]]\nname = \"wall\"\nstatic = true\nshape = { sphere = 1e3 }\nposition = [1500, 0, -2]\n\
                orientation = { qw = 0.0, qx = 1, qy = 0, qz = 0 }\ngroup = [\"z\", \"a\", \"z\"]\n";
    let scene = load(folder.path(), text);
    assert_eq!(scene.name, "plant");
    assert_eq!(scene.unit.word, "mm");
    assert_eq!(scene.trajectories, Some(folder.path().join("runs/*.parquet")));
    assert_eq!((scene.missing, scene.frame_rate), (Missing::Hold, Some(25.0)));
    assert_eq!((scene.query.within, scene.query.require, scene.query.touch), (0.2, Some(0.05), 0.0005));
    assert!(!scene.query.static_pairs);
    assert_eq!(scene.dynamic, [0]);
    assert_eq!(scene.bodies[0].motion, Motion::Dynamic { slot: 0 });
    assert_eq!(scene.bodies[0].groups[..], ["moving"]);
    assert_eq!(scene.bodies[0].shape.pieces[0].radius, 0.03);
    assert_eq!(scene.bodies[1].groups[..], ["a", "z"]);
    let Motion::Static(pose) = scene.bodies[1].motion else { panic!("the wall is static") };
    assert_eq!((pose.position, pose.q), (Vec3::new(1.5, 0.0, -0.002), [0.0, 1.0, 0.0, 0.0]));
    assert_eq!(scene.inputs.len(), 1);
    assert_eq!(scene.inputs[0].bytes, text.len() as u64);
    assert_eq!(scene.pair_counts().possible, 1);
}

#[test]
fn overrides_replace_the_scene_and_keep_its_unit() {
    let folder = scratch();
    let text = "\u{feff}[scene]\r\nlength_unit = \"mm\"\r\n[[body]]\r\nname = \"a\"\r\nshape = { sphere = 1 }\r\n";
    let overrides = SceneOverrides {
        trajectories: Some(PathBuf::from("elsewhere/t.parquet")),
        within: Some("0.5".into()),
        require: Some("0.1 mm".into()),
        ..SceneOverrides::default()
    };
    let scene = load_with(folder.path(), text, &overrides);
    assert_eq!(scene.trajectories, Some(PathBuf::from("elsewhere/t.parquet")));
    assert_eq!((scene.query.within, scene.query.require), (0.0005, Some(0.0001)));
    assert_eq!((scene.name.as_str(), scene.missing), ("scene", Missing::Error));
}

#[test]
fn a_scene_without_motion_pairs_its_static_bodies() {
    let body = |n: u32| format!("[[body]]\nname = \"b{n}\"\nstatic = true\nshape = {{ sphere = 1 }}\n");
    let scene = load(scratch().path(), &format!("{}{}{}{}", head("m"), body(0), body(1), body(2)));
    assert!(scene.query.static_pairs && scene.trajectories.is_none() && scene.dynamic.is_empty());
    assert_eq!((scene.pair_counts().possible, scene.pair_counts().ignored), (3, 0));
    let all = &scene.bodies;
    assert!(Arc::ptr_eq(&all[0].shape, &all[2].shape), "equal shapes are shared");
}

#[test]
fn shapes_have_their_volumes_extents_and_radii() {
    let folder = scratch();
    let shape = |unit: &str, lines: &str| shape(folder.path(), unit, lines);
    let cuboid = shape("cm", "shape = { box = [40, 60, 20] }");
    assert_eq!(extent(&cuboid), ([-0.2, -0.3, -0.1], [0.2, 0.3, 0.1]));
    assert!(close(volume(&cuboid.hull().core), 0.4 * 0.6 * 0.2));
    assert_eq!((cuboid.vertices, cuboid.triangles, cuboid.watertight), (8, 12, None));
    assert_eq!(cuboid.hull().core.vertex(5).to_array(), [0.2, -0.3, 0.1]); // bits x and z
    assert!(cuboid.radius >= 0.14_f64.sqrt() && cuboid.radius < 0.14_f64.sqrt() + 1e-15);

    let sphere = shape("m", "shape = { sphere = 0.3 }\noffset = 0.2");
    assert_eq!((sphere.hull().core.dimension, sphere.hull().core.count, sphere.hull().radius), (0, 1, 0.5));
    assert!(sphere.radius >= 0.5 && sphere.radius <= 0.5_f64.next_up() && sphere.hull.is_none());

    let capsule = shape("m", "shape = { capsule = [0.25, 3] }");
    let core = &capsule.hull().core;
    assert_eq!((core.dimension, core.edges.len(), capsule.hull().radius), (1, 1, 0.25));
    assert_eq!([core.vertex(0).z, core.vertex(1).z], [-1.5, 1.5]);
    assert!(capsule.radius >= 1.75 && capsule.radius < 1.75 + 1e-15);
    assert_eq!(shape("m", "shape = { capsule = [0.25, 0] }").hull().core.count, 1);

    for sides in [3, 4, 6, 17, 64] {
        let cylinder = shape("m", &format!("shape = {{ cylinder = [2, 5, {sides}] }}"));
        let core = &cylinder.hull().core;
        let n = f64::from(sides);
        let exact = n * 4.0 * (std::f64::consts::PI / n).tan() * 5.0; // n triangles of apothem 2
        assert!(volume(core) >= exact * (1.0 - 1e-15) && close(volume(core), exact), "{sides} sides");
        assert_eq!((core.count, core.face_count()), (2 * sides as usize, sides as usize + 2));
        assert!(core.vertex(0).x > 2.0 && core.vertex(0).y == 0.0 && core.vertex(0).z == -2.5);
        assert_eq!(core.source, (0..2 * sides).collect::<Vec<u32>>());
    }

    let points = shape("ft", "shape = { points = [[0,0,0], [1,0,0], [0,0,0], [0.2,0.2,0], [1,1,0], [0,1,0]] }");
    assert_eq!((points.hull().core.dimension, points.vertices), (2, 6));
    assert_eq!(points.hull().core.source, [0, 1, 4, 5]);
    assert_eq!(extent(&points).1, [0.3048, 0.3048, 0.0]);
}

const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n\
                    f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";

#[test]
fn geometry_is_scaled_turned_and_shared() {
    let folder = scratch();
    fs::write(folder.path().join("cube.OBJ"), CUBE.replace("v 0 1 ", "v 0 3 ").replace("v 1 1 ", "v 1 3 "))
        .expect("a file");
    let body = |name: &str, file: &str, keys: &str| {
        format!("[[body]]\nname = \"{name}\"\nstatic = true\ngeometry = \"{file}\"\n{keys}\n")
    };
    let text = head("m")
        + &body("a", "cube.OBJ", "")
        + &body("b", "./cube.OBJ", "scale = 1.0\nunit = \"m\"\nup = \"z\"")
        + &body("c", "cube.OBJ", "unit = \"in\"\nscale = 2")
        + &body("d", "cube.OBJ", "up = \"y\"")
        + &body("e", "cube.OBJ", "offset = 0.125");
    let scene = load(folder.path(), &text);
    let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|i| &scene.bodies[i].shape);
    assert!(Arc::ptr_eq(a, b) && !Arc::ptr_eq(a, c) && !Arc::ptr_eq(a, e));
    assert_eq!(scene.inputs.len(), 2, "the file is read once");
    assert_eq!(extent(a).1, [1.0, 3.0, 1.0]);
    assert_eq!(extent(c).1, [2.0 * 254.0 / 1e4, 6.0 * 254.0 / 1e4, 2.0 * 254.0 / 1e4]);
    assert_eq!(extent(d), ([0.0, -1.0, 0.0], [1.0, 0.0, 3.0]));
    assert_eq!((a.model, a.watertight, a.vertices, a.triangles), (Model::Hull, Some(true), 8, 12));
    assert_eq!((e.hull().radius, e.hull().core.clone()), (0.125, a.hull().core.clone()));
    assert_eq!(a.hull().core.face_count(), 6);
}

#[test]
fn a_body_far_from_its_origin_is_recentred_without_loss() {
    let folder = scratch();
    let far = |line: &str| -> String {
        let c: Vec<f64> = line.split(' ').skip(1).map(|c| c.parse().expect("a number")).collect();
        format!("v {} {} {}\n", c[0] * 0.75 + 5e6, c[1] * 0.75 - 4e5, c[2] * 0.75)
    };
    let text: String =
        CUBE.lines().map(|line| if line.starts_with('v') { far(line) } else { format!("{line}\n") }).collect();
    fs::write(folder.path().join("far.obj"), text).expect("a file");
    let scene = load(
        folder.path(),
        &format!(
            "{}[[body]]\nname = \"a\"\nstatic = true\ngeometry = \"far.obj\"\nposition = [-5e6, 0, 7]\n\
             orientation = {{ qw = 0, qx = 0, qy = 0, qz = 1 }}\n",
            head("m")
        ),
    );
    let shape = &scene.bodies[0].shape;
    assert!(shape.center.x > 4.9e6 && shape.radius < 1.0);
    assert_eq!(extent(shape), ([5e6, -4e5, 0.0], [5e6 + 0.75, -4e5 + 0.75, 0.75]));
    let Motion::Static(pose) = scene.bodies[0].motion else { panic!("static") };
    let corner = pose.apply(Vec3::new(5e6, -4e5, 0.0) + -shape.center);
    assert_eq!(corner.to_array(), [-1e7, 4e5, 7.0]);
}

#[test]
fn pieces_are_objects_and_their_hull_holds_them_all() {
    let folder = scratch();
    let second: String = CUBE
        .lines()
        .map(|line| match line.strip_prefix("v ") {
            Some(rest) => format!("v {}{}\n", if rest.starts_with('0') { 4 } else { 5 }, &rest[1..]),
            None => {
                let corners = line[2..].split(' ').map(|c| (c.parse::<i32>().expect("an index") + 8).to_string());
                format!("f {}\n", corners.collect::<Vec<_>>().join(" "))
            }
        })
        .collect();
    fs::write(folder.path().join("two.obj"), format!("o one\n{CUBE}o two\n{second}v 99 99 99\n")).expect("a file");
    let two = shape(folder.path(), "m", "geometry = \"two.obj\"\nmodel = \"pieces\"\noffset = 0.5");
    assert_eq!((two.model, two.pieces.len(), two.vertices, two.watertight), (Model::Pieces, 2, 17, Some(true)));
    assert_eq!(two.pieces[1].core.source, (8..16).collect::<Vec<u32>>());
    assert!(close(volume(&two.pieces[1].core), 1.0) && close(volume(&two.hull().core), 5.0));
    assert!(two.pieces.iter().all(|piece| piece.radius == 0.5) && two.hull().radius == 0.5);
    assert!(two.radius >= 27.0_f64.sqrt() + 0.5);
    let hull = shape(folder.path(), "m", "geometry = \"two.obj\"\nmodel = \"hull\"");
    assert_eq!((hull.pieces.len(), extent(&hull).1), (1, [99.0; 3])); // of the vertices, used by a face or not
}

/// Random points near a sphere: their order, duplicates and unused vertices must survive in the
/// source indices.
#[test]
fn vertex_numbers_are_those_of_the_file() {
    let folder = scratch();
    let mut random = Random(7);
    for round in 0..40 {
        let mut points: Vec<[f64; 3]> = Vec::new();
        for i in 0..20 + random.below(60) {
            let fresh = random.vector();
            let again = points.get(random.below(i.max(1))).copied();
            points.push(if random.below(4) == 0 { again.unwrap_or(fresh) } else { fresh });
        }
        let triangles: Vec<[usize; 3]> = (0..30).map(|_| [0; 3].map(|_| random.below(points.len()))).collect();
        let mut obj: String = points.iter().map(|[x, y, z]| format!("v {x:?} {y:?} {z:?}\n")).collect();
        let mut stl = [&[b'x'; 80][..], &(triangles.len() as u32).to_le_bytes()].concat();
        let mut ascii = String::from("solid\n");
        let mut soup: Vec<[f64; 3]> = Vec::new();
        for t in &triangles {
            obj += &format!("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] as i64 - points.len() as i64);
            stl.extend([0; 12]);
            ascii += "facet normal 0 0 1\nouter loop\n";
            for &v in t {
                let single = points[v].map(|c| c as f32);
                stl.extend(single.iter().flat_map(|c| c.to_le_bytes()));
                let [x, y, z] = single.map(f64::from); // decimals are read in double precision
                ascii += &format!("vertex {x} {y:e} {z}\n");
                soup.push(single.map(f64::from));
            }
            stl.extend([1, 2]);
            ascii += "endloop\nendfacet\n";
        }
        ascii += "endsolid\n";
        for (file, bytes, truth) in
            [("p.obj", obj.into_bytes(), &points), ("p.stl", stl, &soup), ("q.stl", ascii.into_bytes(), &soup)]
        {
            fs::write(folder.path().join(file), bytes).expect("a file");
            let shape = shape(folder.path(), "m", &format!("geometry = \"{file}\"\nmodel = \"hull\""));
            assert_eq!((shape.vertices as usize, shape.triangles), (truth.len(), 30), "round {round}");
            let core = &shape.hull().core;
            assert!(core.source.is_sorted() && core.count > 8);
            for v in 0..core.count as u32 {
                let point = truth[core.source[v as usize] as usize];
                assert_eq!((core.vertex(v) + shape.center).to_array(), point, "{file}");
                let first = truth.iter().position(|p| *p == point);
                assert_eq!(first, Some(core.source[v as usize] as usize), "{file}: the first of duplicates");
            }
        }
    }
}

/// The rules as the contract words them, for one pair.
fn ignored(bodies: &[(String, Vec<String>)], rules: &[(String, Option<String>)], i: usize, j: usize) -> bool {
    let fits = |selector: &str, body: usize| {
        if bodies.iter().any(|(name, _)| name == selector) {
            return bodies[body].0 == selector;
        }
        match selector.strip_prefix("group:") {
            Some(group) => bodies[body].1.iter().any(|g| g == group),
            None => glob_matches(selector, &bodies[body].0),
        }
    };
    rules.iter().any(|(a, b)| {
        let other = |body: usize| b.as_ref().is_none_or(|b| fits(b, body));
        fits(a, i) && other(j) || fits(a, j) && other(i)
    })
}

#[test]
fn selectors_take_lists_and_globs_over_groups() {
    let folder = scratch();
    let classes = ["IfcWall", "IfcWallStandardCase", "IfcSlab", "IfcDoor"];
    let bodies: String = (0..8)
        .map(|i| {
            let keys = format!("group = \"g{}\"\nclass = \"{}\"\nlevel = \"L{}\"\n", i % 2, classes[i % 4], i / 4);
            format!("[[body]]\nname = \"b{i}\"\nstatic = true\nshape = {{ sphere = 1 }}\n{keys}")
        })
        .collect();
    let head = format!("[scene]\nlength_unit = \"m\"\n[query]\nwithin = 1\n{bodies}");
    let covered = |selector: &str| {
        let text = format!("{head}[[ignore]]\na = {selector}\n[[rule]]\nname = \"r\"\na = {selector}\nrequire = 0.5\n");
        let scene = load(folder.path(), &text);
        let alone: Vec<u32> = (0..8).filter(|&i| (0..8).all(|j| i == j || scene.ignored.contains(i, j))).collect();
        let of_rule: Vec<u32> = (0..8).filter(|&i| (0..8).all(|j| i == j || scene.rules.of(i, j) == 0)).collect();
        assert_eq!(alone, of_rule, "{selector}");
        (alone, scene.ignore_rules[0].a.clone().expect("a selector"), scene.rules.all()[0].a.clone())
    };
    for (selector, bodies, written) in [
        ("\"class:IfcWall*\"", vec![0, 1, 4, 5], "class:IfcWall*"),
        ("\"group:?1\"", vec![1, 3, 5, 7], "group:?1"),
        ("\"level:?1\"", vec![4, 5, 6, 7], "level:?1"),
        // A name in a list of one is that name, and a body of two items counts once.
        ("[\"b3\"]", vec![3], "[\"b3\"]"),
        (
            "['class:IfcWall', \"class:IfcSlab\", \"b0\"]",
            vec![0, 2, 4, 6],
            "[\"class:IfcWall\", \"class:IfcSlab\", \"b0\"]",
        ),
        ("[\"level:L0\", \"b?\"]", vec![0, 1, 2, 3, 4, 5, 6, 7], "[\"level:L0\", \"b?\"]"),
    ] {
        assert_eq!(covered(selector), (bodies, written.to_owned(), written.to_owned()), "{selector}");
    }
}

#[test]
fn classes_of_ignore_rules_and_rules_equal_these_pair_by_pair() {
    let folder = scratch();
    let mut random = Random(11);
    let (mut some, mut pairs, mut by_rule) = (0, 0, [0; 2]);
    for round in 0..60 {
        let bodies: Vec<(String, Vec<String>)> = (0..6 + random.below(25))
            .map(|i| {
                let kind = ["duct", "pipe", "duct[x]", "group:g0"][random.below(4)];
                let groups = (0..random.below(3)).map(|_| format!("g{}", random.below(4))).collect();
                (if i == 0 { "group:g0".into() } else { format!("{kind}-{i}") }, groups)
            })
            .collect();
        let fixed: Vec<bool> = bodies.iter().map(|_| random.below(3) == 0).collect();
        let moving = fixed.iter().any(|f| !f);
        let selector = |random: &mut Random| match random.below(6) {
            0 => bodies[random.below(bodies.len())].0.clone(),
            1 | 2 => format!("group:g{}", random.below(4)),
            3 => "duct*".to_owned(),
            4 => "duct[x]-?".to_owned(),
            _ => format!("*{}", random.below(10)),
        };
        let all: Vec<(String, Option<String>)> = (0..1 + random.below(5))
            .map(|_| (selector(&mut random), (random.below(4) > 0).then(|| selector(&mut random))))
            .collect();
        let static_pairs = random.below(2) == 0;
        let mut text = format!("[scene]\nlength_unit = \"m\"\n{}", if moving { "trajectories = \"t\"\n" } else { "" });
        text += &format!("[query]\nwithin = 1\nstatic_pairs = {static_pairs}\n");
        for ((name, groups), fixed) in bodies.iter().zip(&fixed) {
            text += &format!(
                "[[body]]\nname = \"{name}\"\nstatic = {fixed}\ngroup = {groups:?}\nshape = {{ sphere = 1 }}\n"
            );
        }
        // Rules that cover nothing are errors: they are left out here.
        let counts = |rule: &(String, Option<String>)| {
            let one = std::slice::from_ref(rule);
            (0..bodies.len())
                .flat_map(|i| (i + 1..bodies.len()).map(move |j| (i, j)))
                .filter(|&(i, j)| ignored(&bodies, one, i, j))
                .count()
        };
        let rules: Vec<_> = all.iter().filter(|rule| counts(rule) > 0).cloned().collect();
        for (a, b) in &rules {
            text += &format!("[[ignore]]\na = \"{a}\"\n");
            if let Some(b) = b {
                text += &format!("b = \"{b}\"\n");
            }
        }
        let required: Vec<_> = (0..random.below(6)).map(|_| all[random.below(all.len())].clone()).collect();
        let required: Vec<_> = required.into_iter().filter(|rule| counts(rule) > 0).collect();
        for (number, (a, b)) in required.iter().enumerate() {
            text += &format!("[[rule]]\nname = \"r{number}\"\na = \"{a}\"\nrequire = 0.{number}\n");
            if let Some(b) = b {
                text += &format!("b = \"{b}\"\n");
            }
        }
        let path = folder.path().join("scene.toml");
        fs::write(&path, &text).expect("a scene");
        let scene = clearsweep_scene::load_scene(&path, &SceneOverrides::default())
            .unwrap_or_else(|error| panic!("{error}: {}\n{text}", error.remedy));
        let mut under = vec![0; required.len() + 1];
        assert_eq!(scene.ignore_rules.len(), rules.len());
        for (rule, described) in rules.iter().zip(&scene.ignore_rules) {
            assert_eq!(described.pairs, counts(rule) as u64, "{rule:?}");
        }
        let (mut possible, mut count) = (0, 0);
        for i in 0..bodies.len() {
            for j in i + 1..bodies.len() {
                let expected = ignored(&bodies, &rules, i, j);
                assert_eq!(scene.ignored.contains(i as u32, j as u32), expected, "round {round}: {i} {j}\n{text}");
                assert_eq!(scene.ignored.contains(j as u32, i as u32), expected);
                let counted = scene.query.static_pairs || !(fixed[i] && fixed[j]);
                possible += u64::from(counted);
                count += u64::from(counted && expected);
                // The first rule that matches counts.
                let matches = |rule: &(String, Option<String>)| ignored(&bodies, std::slice::from_ref(rule), i, j);
                let rule = required.iter().position(matches).unwrap_or(required.len());
                let (i, j) = (i as u32, j as u32);
                assert_eq!([scene.rules.of(i, j), scene.rules.of(j, i)], [rule; 2], "round {round}: {i} {j}\n{text}");
                under[rule] += u64::from(counted && !expected);
                by_rule[rule.min(1)] += 1;
            }
        }
        let found = scene.rules.count_pairs(&scene.bodies, &scene.ignored, scene.query.static_pairs);
        assert_eq!(found, under, "round {round}\n{text}");
        assert_eq!((scene.pair_counts().possible, scene.pair_counts().ignored), (possible, count), "round {round}");
        some += count;
        pairs += possible;
    }
    assert!(some > pairs / 10 && some < pairs * 9 / 10, "{some} of {pairs} pairs ignored: not representative");
    assert!(by_rule.iter().all(|&pairs| pairs > 1000), "{by_rule:?}: not representative");
}

/// A comma-separated line; commas inside of double quotes belong to the value.
fn fields(line: &str) -> Vec<String> {
    let mut quoted = false;
    let cut = |c: char| {
        quoted ^= c == '"';
        c == ',' && !quoted
    };
    line.split(cut).map(str::to_owned).collect()
}

/// Row of parts.csv about a file of the duplex: vertices, triangles, closed, lowest and highest
/// coordinates.
type Part = (PathBuf, u64, u64, bool, [f64; 6]);

fn duplex_parts(folder: &Path) -> Vec<Part> {
    let mut parts = Vec::new();
    for kind in ["mep_parts", "architecture_parts"] {
        let table = fs::read_to_string(folder.join(kind).join("parts.csv")).expect("the table of parts");
        for line in table.lines().skip(1).filter(|line| !line.is_empty()) {
            let row = fields(line);
            let number = |i: usize| row[i].parse::<f64>().expect("a number");
            let (path, closed) = (folder.join(kind).join(&row[0]), row[6] == "1" && row[7] == "1");
            parts.push((path, number(4) as u64, number(5) as u64, closed, [8, 9, 10, 11, 12, 13].map(number)));
        }
    }
    parts
}

#[test]
fn the_duplex_loads_as_its_table_says() {
    let Some(folder) = data("duplex") else { return };
    let parts = duplex_parts(&folder);
    assert_eq!(parts.len(), 1141);
    let mut text = head("m");
    for (i, (path, ..)) in parts.iter().enumerate() {
        text += &format!("[[body]]\nname = \"{i}\"\nstatic = true\ngeometry = {path:?}\nmodel = \"hull\"\n");
    }
    let scratch = scratch();
    let start = std::time::Instant::now();
    let scene = load(scratch.path(), &text);
    eprintln!("1141 parts in {:?}", start.elapsed());
    assert_eq!(scene.inputs.len(), 1142);
    let mut watertight = 0;
    for (body, (path, vertices, triangles, closed, bounds)) in scene.bodies.iter().zip(&parts) {
        let shape = &body.shape;
        assert_eq!((shape.vertices, shape.triangles), (*vertices, *triangles), "{path:?}");
        let (low, high) = extent(shape);
        for axis in 0..3 {
            assert!(
                (low[axis] - bounds[axis]).abs() <= 6e-5 && (high[axis] - bounds[3 + axis]).abs() <= 6e-5,
                "{path:?}"
            );
        }
        watertight += u32::from(shape.watertight == Some(true));
        // The table counts edges by index, so that it calls some meshes with doubled vertices open;
        // never the reverse.
        assert!(shape.watertight == Some(true) || !closed, "{path:?}");
    }
    assert!(watertight > 150, "{watertight} watertight parts");
}

/// `tobj`, which renumbers vertices, as a second opinion on faces and groups.
#[test]
fn another_reader_sees_the_same_triangles() {
    let Some(folder) = data("duplex") else { return };
    let options = tobj::LoadOptions { triangulate: true, ..Default::default() };
    for (path, _, triangles, ..) in duplex_parts(&folder).iter().step_by(40) {
        let bytes = fs::read(path).expect("a file");
        let mesh = clearsweep_scene::readers::read_mesh(path, bytes.clone()).expect("a mesh");
        let (models, _) = tobj::load_obj_buf(&mut bytes.as_slice(), &options, |_| Err(tobj::LoadError::GenericFailure))
            .expect("the other reader reads it");
        let bits = |p: [f64; 3]| p.map(f64::to_bits);
        let theirs: Vec<[[u64; 3]; 3]> = models
            .iter()
            .flat_map(|model| model.mesh.indices.chunks(3).map(|t| (t, &model.mesh.positions)))
            .map(|(t, p)| [0, 1, 2].map(|k| t[k] as usize * 3).map(|at| bits([p[at], p[at + 1], p[at + 2]])))
            .collect();
        let ours: Vec<_> = mesh.triangles.iter().map(|t| t.map(|v| bits(mesh.vertices[v as usize]))).collect();
        assert_eq!(ours, theirs, "{path:?}");
        assert_eq!((ours.len() as u64, mesh.pieces), (*triangles, models.len()));
    }
}

#[test]
fn the_links_of_the_fetch_robot_load() {
    let Some(folder) = data("fetch_links") else { return };
    let mut files: Vec<PathBuf> =
        fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "stl"));
    files.sort();
    assert_eq!(files.len(), 18);
    let (mut convex, mut watertight) = (0, 0);
    for path in &files {
        let scratch = scratch();
        let hull = shape(scratch.path(), "m", &format!("geometry = {path:?}\nmodel = \"hull\""));
        let bytes = fs::read(path).expect("a file");
        let count = u32::from_le_bytes(bytes[80..84].try_into().expect("four bytes"));
        assert_eq!((hull.triangles, hull.vertices), (u64::from(count), 3 * u64::from(count)));
        // Independently: every corner of the file lies in the hull, and the hull's vertices are
        // among them.
        let mut corners = HashSet::new();
        let core = &hull.hull().core;
        for triangle in bytes[84..].chunks(50) {
            for corner in triangle[12..48].chunks(12) {
                let c = [0, 4, 8].map(|at| f32::from_le_bytes(corner[at..at + 4].try_into().expect("four bytes")));
                corners.insert(c.map(|c| f64::from(c + 0.0).to_bits()));
                let p = Vec3::from(c.map(f64::from)) + -hull.center;
                for f in (0..core.face_count()).step_by(1 + core.face_count() / 50) {
                    assert!(core.normals[f].dot(p - core.vertex(core.face(f as u32)[0])) <= 1e-14, "{path:?}");
                }
            }
        }
        assert!(
            (0..core.count as u32)
                .all(|v| { corners.contains(&(core.vertex(v) + hull.center).to_array().map(|c| (c + 0.0).to_bits())) })
        );
        watertight += u32::from(hull.watertight == Some(true));
        let scene = scratch.path().join("default.toml");
        let body = format!("[[body]]\nname = \"a\"\nstatic = true\ngeometry = {path:?}\n");
        fs::write(&scene, head("m") + &body).expect("a scene");
        let result = clearsweep_scene::load_scene(&scene, &SceneOverrides::default());
        convex += u32::from(result.is_ok());
        eprintln!(
            "{:?}: watertight {:?}, {}",
            path.file_name(),
            hull.watertight,
            match &result {
                Ok(_) => "convex".to_owned(),
                Err(error) => error.problem.clone(),
            }
        );
    }
    eprintln!("{watertight} watertight, {convex} convex within 1e-9");
    assert!(watertight >= 14);
}

#[test]
fn the_same_scene_loads_the_same_every_time() {
    let folder = scratch();
    let mut text = head("m");
    let mut random = Random(5);
    for i in 0..60 {
        let points: String =
            (0..50).map(|_| format!("v {} {} {}\n", random.unit(), random.unit(), random.unit())).collect();
        fs::write(folder.path().join(format!("p{}.obj", i % 50)), points).expect("a file");
        text += &format!(
            "[[body]]\nname = \"b{i}\"\nstatic = true\ngeometry = \"p{}.obj\"\nmodel = \"hull\"\n",
            (i * 7) % 50
        );
    }
    let first = load(folder.path(), &text);
    let again = load(folder.path(), &text);
    assert_eq!(first.bodies, again.bodies);
    assert_eq!(first.inputs, again.inputs);
    let order: Vec<_> = first.inputs.iter().skip(1).map(|input| input.path.clone()).collect();
    let expected: Vec<_> = (0..50).map(|i| folder.path().join(format!("p{}.obj", (i * 7) % 50))).collect();
    assert_eq!(order, expected, "inputs are in order of first use");
    assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), 50);
}
