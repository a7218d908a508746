//! Scenes in code: messages, names, and that a scene in code is the scene of the file that says the
//! same.

use super::*;
use std::fmt::{Display, Write};
use std::fs;

fn one(geometry: Geometry) -> Result<Scene> {
    SceneBuilder::new(1.0).body(BodyBuilder::new("part", geometry)).build()
}

#[test]
fn errors_name_the_body_the_key_and_the_remedy() {
    let error = one(Geometry::Sphere(-1.0)).expect_err("negative");
    assert_eq!(error.place, "scene in code, key `sphere` of `shape` of body `part`");
    assert_eq!(error.remedy, "lengths of a shape must be positive");
    let error = one(Geometry::Box([1.0, f64::NAN, 1.0])).expect_err("not a number");
    assert!(error.place.contains("key `box`") && error.problem.contains("NaN"), "{error}");
    let error = one(Geometry::Points(vec![])).expect_err("no points");
    assert!(error.place.contains("key `points`"), "{error}");
    for lists in [vec![], vec![vec![]], vec![vec![[0.0; 3]], vec![[f64::INFINITY, 0.0, 0.0]]]] {
        let error = one(Geometry::Pieces(lists)).expect_err("no pieces");
        assert!(error.place.contains("key `pieces` of `shape` of body `part`"), "{error}");
    }
    let error = one(Geometry::file("nowhere.obj", Some(Model::Hull))).expect_err("no file");
    assert!(error.place.contains("nowhere.obj") && error.place.contains("body `part`"), "{error}");
    let body = BodyBuilder::new("part", Geometry::Sphere(1.0));
    let error = SceneBuilder::new(1.0).body(body.clone()).body(body.clone()).build().expect_err("twice");
    assert!(error.problem.contains("`part` was used before"), "{error}");
    let error = SceneBuilder::new(1.0).body(body.clone().fixed([0.0; 3], [2.0, 0.0, 0.0, 0.0])).build();
    assert!(error.expect_err("not a rotation").place.contains("`orientation` of body `part`"));
    let error = SceneBuilder::new(f64::NAN).body(body.clone()).build().expect_err("no distance");
    assert!(error.place.contains("key `within` of [query]"), "{error}");
    let error = SceneBuilder::new(1.0).body(body).ignore("part", "prat").build().expect_err("no such body");
    assert!(error.place.contains("[[ignore]] number 1") && error.remedy.contains("`part`"), "{error}");
}

#[test]
fn names_of_any_text_are_kept() {
    for name in ["a\nb", "\"quoted\"", "é\\", "'", "'''", "\u{7}"] {
        let body = BodyBuilder::new(name, Geometry::Sphere(1.0)).group(name);
        let scene = SceneBuilder::new(1.0).name(name).body(body).build().expect(name);
        assert_eq!((scene.bodies[0].name.as_str(), scene.name.as_str()), (name, name));
        assert_eq!(scene.bodies[0].groups[..], [name]);
    }
    assert!(SceneBuilder::new(1.0).body(BodyBuilder::new("", Geometry::Sphere(1.0))).build().is_err());
}

/// A generator of our own, so that a seed gives the same cases everywhere (splitmix64, Steele et
/// al. 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// A number from 0 to 1 with a full mantissa.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A length that is mostly positive, at times one of the numbers that are hard to write or
    /// wrong.
    fn length(&mut self) -> f64 {
        const HARD: [f64; 9] =
            [5e-324, 2.5e-310, 1e300, -1e300, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        match self.below(400) {
            0..6 => HARD[self.below(HARD.len())],
            6..60 => 0.1 + 0.2,
            _ => 10.0_f64.powf(4.0 * self.unit() - 2.0),
        }
    }

    fn coordinates(&mut self) -> [f64; 3] {
        [0; 3].map(|_| if self.one_in(2) { self.length() } else { self.unit() - 0.5 })
    }

    fn quaternion(&mut self) -> [f64; 4] {
        let q = [0; 4].map(|_| self.unit() - 0.5);
        let norm = q.iter().map(|c| c * c).sum::<f64>().sqrt();
        q.map(|c| if self.one_in(100) { self.length() } else { c / norm })
    }

    fn points(&mut self, count: usize) -> Vec<[f64; 3]> {
        (0..count).map(|_| self.coordinates()).collect()
    }

    /// An angle of a shear, rarely too large; degrees.
    fn angle(&mut self) -> f64 {
        if self.one_in(60) { 90.0 } else { 40.0 * (self.unit() - 0.5) }
    }

    /// The angle of a torus, rarely too large; degrees.
    fn turn(&mut self) -> f64 {
        if self.one_in(20) { 361.0 } else { 360.0 * self.unit() }
    }

    fn geometry(&mut self, file: &Path) -> Geometry {
        match self.below(12) {
            0 => Geometry::Box([self.length(), self.length(), self.length()]),
            1 => Geometry::Sphere(self.length()),
            2 => Geometry::Capsule { radius: self.length(), length: self.length() },
            3 => Geometry::Cylinder {
                radius: self.length(),
                height: self.length(),
                sides: if self.one_in(30) { 2 } else { 3 + self.below(60) as u32 },
            },
            4 => {
                let count = if self.one_in(30) { 0 } else { 1 + self.below(40) };
                Geometry::Points(self.points(count))
            }
            5 => Geometry::Shape(format!("{{ cylinder = [{}, {}] }}", toml(&self.length()), toml(&self.length()))),
            6 => Geometry::Shape(format!(
                "{{ cone = {}, offset_xy = {}, bottom_shear = [{}, 1] }}",
                toml(&[self.length(), self.length(), self.length()]),
                toml(&[self.unit(), self.unit()]),
                self.angle(),
            )),
            7 => Geometry::Shape(format!("{{ ellipsoid = {} }}", toml(&[self.length(), self.length(), self.length()]))),
            8 => {
                let kind = ["spherical", "elliptical", "flat"][self.below(3)];
                Geometry::Shape(format!("{{ dish = {}, kind = \"{kind}\" }}", toml(&[self.length(), self.length()])))
            }
            9 => Geometry::Shape(format!(
                "{{ torus = {}, angle = \"{}deg\" }}",
                toml(&[self.length(), self.length()]),
                self.turn()
            )),
            10 => Geometry::Shape(format!(
                "{{ rectangular_torus = {}, angle = {} }}",
                toml(&[self.length(), self.length(), self.length()]),
                self.turn()
            )),
            _ => {
                let model = [None, Some(Model::Hull), Some(Model::Mesh), Some(Model::Pieces)][self.below(4)];
                let unit = [None, LengthUnit::parse("in")][self.below(2)];
                Geometry::File { path: file.into(), model, unit, scale: self.length(), y_up: self.one_in(2) }
            }
        }
    }

    fn body(&mut self, number: usize, file: &Path) -> BodyBuilder {
        let name = if self.one_in(60) { ["", "b0"][self.below(2)].to_owned() } else { format!("b{number}") };
        let mut body = BodyBuilder::new(name, self.geometry(file));
        if self.one_in(2) {
            body = body.offset(self.length()).deviation(self.length());
        }
        if self.one_in(30) {
            body = body.deviation_source(["exact", "proven", "declared", "sure"][self.below(4)]);
        }
        if self.one_in(2) {
            body = body.fixed(self.coordinates(), self.quaternion());
        }
        if self.one_in(3) {
            body = body.group("pipes").group(["a", "pipes", "\"q\""][self.below(3)]).pivot_at_centre();
        }
        let is_file = matches!(body.geometry, Geometry::File { .. });
        match self.one_in(if is_file { 3 } else { 60 }) {
            true => body.inside(Inside::ALL[self.below(Inside::ALL.len())]),
            false => body,
        }
    }

    fn scene(&mut self, file: &Path) -> SceneBuilder {
        let mut scene = SceneBuilder::new(100.0 + self.length()).length_unit(LengthUnit::ALL[self.below(6)]);
        for number in 0..1 + self.below(4) {
            scene = scene.body(self.body(number, file));
        }
        if self.one_in(2) {
            scene = scene.require(self.length()).touch(self.length()).static_pairs(self.one_in(2));
        }
        if self.one_in(3) {
            scene = scene.direction(self.coordinates()).frame_rate(self.length()).missing(Missing::Hold).name("s");
        }
        if self.one_in(3) {
            scene = scene.between(BetweenFrames::ALL[self.below(4)]).between_tolerance(self.length());
        }
        for rule in 0..[0, 1 + self.below(4)][usize::from(self.one_in(3))] {
            let name =
                if self.one_in(20) { ["", "default", "r0"][self.below(3)].to_owned() } else { format!("r{rule}") };
            let selectors = ["b0", "b1", "b*", "group:pipes", "*"];
            let a = if self.one_in(10) { ["", "b9"][self.below(2)] } else { selectors[self.below(5)] };
            let b = Some(selectors[self.below(5)]).filter(|_| !self.one_in(3));
            let known = if self.one_in(9) { 4 } else { 3 };
            let severity = [None, Some("info"), Some("critical"), Some("grave")][self.below(known)];
            let require = if self.one_in(3) { -self.length() } else { self.length() };
            scene = scene.rule(name, a, b, require, severity);
            if self.one_in(3) {
                scene = scene.free_length(self.coordinates(), self.length());
            }
            if self.one_in(4) {
                let at = ["rest", "first", "frame:12", "none", "frame:-1", "last"][self.below(6)];
                let worse_by = self.one_in(2).then(|| self.length());
                scene = scene.baseline(at, worse_by);
            }
        }
        match self.below(6) {
            0 => scene.ignore("b0", None),
            1 => scene.ignore("b0", "b*"),
            2 => scene.ignore("b0", ["b9", ""][self.below(2)]),
            _ => scene,
        }
    }
}

/// Writes a key.
fn line(text: &mut String, key: &str, value: impl Display) {
    writeln!(text, "{key} = {value}").expect("text");
}

/// Numbers, points or lists of them as TOML writes them.
fn toml(values: &impl std::fmt::Debug) -> String {
    format!("{values:?}").replace("NaN", "nan")
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// The scene file that says the same.
fn text(scene: &SceneBuilder) -> String {
    let mut text = "[scene]\n".to_owned();
    line(&mut text, "length_unit", quoted(scene.unit.word));
    line(&mut text, "missing", quoted(["error", "absent", "hold"][scene.missing as usize]));
    scene.name.iter().for_each(|name| line(&mut text, "name", quoted(name)));
    scene.frame_rate.iter().for_each(|rate| line(&mut text, "frame_rate", toml(rate)));
    if scene.bodies.iter().any(|body| body.pose.is_none()) {
        line(&mut text, "trajectories", quoted("t.parquet"));
    }
    text += "[query]\n";
    line(&mut text, "within", toml(&scene.within));
    line(&mut text, "static_pairs", scene.static_pairs);
    scene.require.iter().for_each(|require| line(&mut text, "require", toml(require)));
    scene.touch.iter().for_each(|touch| line(&mut text, "touch", toml(touch)));
    scene.direction.iter().for_each(|direction| line(&mut text, "direction", toml(direction)));
    text += "[motion]\n";
    line(&mut text, "between", quoted(scene.motion.between.name()));
    scene.motion.tolerance.iter().for_each(|tolerance| line(&mut text, "tolerance", toml(tolerance)));
    scene.bodies.iter().for_each(|body| text += &body_text(body));
    for rule in &scene.rules {
        text += "[[rule]]\n";
        line(&mut text, "name", quoted(&rule.name));
        line(&mut text, "a", quoted(&rule.a));
        rule.b.iter().for_each(|b| line(&mut text, "b", quoted(b)));
        line(&mut text, "require", toml(&rule.require));
        rule.severity.iter().for_each(|severity| line(&mut text, "severity", quoted(severity)));
        if let Some((direction, footprint)) = &rule.free_length {
            line(&mut text, "direction", toml(direction));
            line(&mut text, "footprint", toml(footprint));
        }
        if let Some((at, worse_by)) = &rule.baseline {
            line(&mut text, "baseline", quoted(at));
            worse_by.iter().for_each(|worse_by| line(&mut text, "worse_by", toml(worse_by)));
        }
    }
    for (a, b) in &scene.ignores {
        text += "[[ignore]]\n";
        line(&mut text, "a", quoted(a));
        b.iter().for_each(|b| line(&mut text, "b", quoted(b)));
    }
    text
}

fn body_text(body: &BodyBuilder) -> String {
    let mut text = "[[body]]\n".to_owned();
    line(&mut text, "name", quoted(&body.name));
    let shape = match &body.geometry {
        Geometry::Box(sides) => format!("box = {}", toml(sides)),
        Geometry::Sphere(radius) => format!("sphere = {}", toml(radius)),
        Geometry::Capsule { radius, length } => format!("capsule = {}", toml(&[radius, length])),
        Geometry::Cylinder { radius, height, sides } => {
            format!("cylinder = [{}, {}, {sides}]", toml(radius), toml(height))
        }
        Geometry::Shape(text) => text.trim_matches(['{', '}', ' ']).to_owned(),
        Geometry::Points(points) => format!("points = {}", toml(points)),
        Geometry::Pieces(_) => panic!("a scene file has no such shape"),
        Geometry::File { path, model, unit, scale, y_up } => {
            line(&mut text, "geometry", quoted(path.to_str().expect("UTF-8")));
            model.iter().for_each(|model| line(&mut text, "model", quoted(model.name())));
            unit.iter().for_each(|unit| line(&mut text, "unit", quoted(unit.word)));
            line(&mut text, "scale", toml(scale));
            line(&mut text, "up", quoted(if *y_up { "y" } else { "z" }));
            String::new()
        }
    };
    if !shape.is_empty() {
        line(&mut text, "shape", format_args!("{{ {shape} }}"));
    }
    line(&mut text, "offset", toml(&body.offset));
    body.deviation.iter().for_each(|deviation| line(&mut text, "deviation", toml(deviation)));
    body.deviation_source.iter().for_each(|source| line(&mut text, "deviation_source", quoted(source)));
    line(&mut text, "group", toml(&body.groups));
    if body.pivot == Pivot::Centre {
        line(&mut text, "pivot", quoted("centre"));
    }
    body.inside.iter().for_each(|inside| line(&mut text, "inside", quoted(inside.name())));
    if let Some((position, q)) = &body.pose {
        let [w, x, y, z] = q.map(|c| toml(&c));
        line(&mut text, "static", true);
        line(&mut text, "position", toml(position));
        line(&mut text, "orientation", format_args!("{{ qw = {w}, qx = {x}, qy = {y}, qz = {z} }}"));
    }
    text
}

/// Loads the file that says the same.
fn of_file(path: &Path, scene: &SceneBuilder) -> Result<Scene> {
    fs::write(path, text(scene)).expect("a file");
    crate::load::load_scene(path, &SceneOverrides::default())
}

/// All that a scene says, but for its files and the numbers of its meshes; zeros of both signs are
/// told apart.
fn facts(scene: &Scene) -> String {
    let Scene { name, unit, bodies, dynamic, missing, frame_rate, query, direction, motion, .. } = scene;
    let facts = (name, unit, bodies, dynamic, missing, frame_rate, query, direction, motion);
    let text = format!("{facts:?}{:?}", (&scene.ignored, &scene.ignore_rules, &scene.rules));
    let parts = text.split("MeshIdentity(").map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit()));
    parts.collect()
}

/// An error, with its places in the scene file called as those of a scene in code.
fn message(error: &Error, file: &Path) -> String {
    let text = format!("{} | {} | {}", error.place, error.problem, error.remedy).replace("[[body]] `", "body `");
    // A line says where a name was used before.
    let text = text.split(" was used before").next().unwrap_or_default();
    let mut parts = text.split(file.to_str().expect("UTF-8"));
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let lines = part.strip_prefix(':').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        text + IN_CODE + lines.map_or(part, |rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()))
    })
}

#[test]
fn scenes_in_code_are_those_of_files_bit_for_bit_and_fail_alike() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("c.obj");
    let faces = "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
    let vertices: String = (0..8).map(|i| format!("v {} {} 0.{}\n", i & 1, i >> 1 & 1, i >> 2)).collect();
    fs::write(&file, vertices + faces).expect("a file");
    let mut random = Random(11);
    let path = folder.path().join("s.toml");
    let (mut good, mut problems) = (0, std::collections::BTreeSet::new());
    for case in 0..1500 {
        let scene = random.scene(&file);
        match (scene.build(), of_file(&path, &scene)) {
            (Ok(built), Ok(loaded)) => {
                // The name of a scene is by default that of its file.
                let name = scene.name.clone().unwrap_or_else(|| IN_CODE.to_owned());
                let loaded = Scene { name, ..loaded };
                assert!(facts(&built) == facts(&loaded), "case {case}: {}", text(&scene));
                good += 1;
            }
            (Err(built), Err(loaded)) => {
                assert_eq!(message(&built, &path), message(&loaded, &path), "case {case}");
                problems.insert(built.problem);
            }
            (built, loaded) => panic!("case {case}: {:?} in code, {:?} of {}", built.err(), loaded.err(), text(&scene)),
        }
    }
    assert!(good > 300 && problems.len() > 30, "not representative: {good} good, {problems:?}");
}

#[test]
fn clouds_of_points_keep_their_bits() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = Random(5);
    let mut points: Vec<[f64; 3]> = (0..10_000).map(|_| [0; 3].map(|_| random.unit() - 0.5)).collect();
    points[9] = [0.1 + 0.2, 1.0 / 3.0, -0.0];
    let scene = |points| SceneBuilder::new(1.0).body(BodyBuilder::new("cloud", Geometry::Points(points)));
    let cloud = scene(points.clone());
    let (built, loaded) =
        (cloud.build().expect("a scene"), of_file(&folder.path().join("s.toml"), &cloud).expect("a scene"));
    assert_eq!(built.bodies, loaded.bodies);
    assert_eq!(built.bodies[0].shape.vertices, 10_000);
    let digest = |points: &[[f64; 3]]| scene(points.to_vec()).build().expect("a scene").builder_digest;
    assert_eq!(built.builder_digest, digest(&points));
    // A point within the hull counts, and so does the sign of its zero.
    points[9][2] = 0.0;
    assert_ne!(built.builder_digest, digest(&points));
}

#[test]
fn pieces_keep_their_bits() {
    let lists = vec![vec![[0.1 + 0.2, 5e-324, -0.0]; 2], vec![[1e17, 1.0 / 3.0, 7.0]]];
    let scene = SceneBuilder::new(1.0).body(BodyBuilder::new("two", Geometry::Pieces(lists.clone())));
    let file = scene.lower(&SceneSource::in_code(Path::new(IN_CODE), "")).expect("a scene");
    let GeometrySpec::Shape(shape) = &file.bodies[0].geometry else { panic!("no shape") };
    assert_eq!(format!("{shape:?}"), format!("{:?}", crate::shapes::ShapeSpec::Pieces(lists)));
}

#[test]
fn columns_are_those_of_a_scene_file() {
    let dir = tempfile::tempdir().expect("scratch");
    let path = dir.path().join("scene.toml");
    let text = "[scene]\nlength_unit = \"m\"\ntrajectories = \"t\"\n[columns]\nbody = \"who\"\ntime_s = { name = \"stamp\", unit = \"ns\" }\n\
                orientation = \"none\"\n[query]\nwithin = 1.0\n[[body]]\nname = \"a\"\nid = 7\nshape = { sphere = 1.0 }\n";
    std::fs::write(&path, text).expect("written");
    let file = crate::load::load_scene(&path, &SceneOverrides::default()).expect("a scene");
    let body = BodyBuilder::new("a", Geometry::Sphere(1.0)).id(7);
    let builder = SceneBuilder::new(1.0).column("time_s", "stamp", "ns").column("body", "who", None).body(body);
    let built = builder.clone().column("orientation", "none", None).build().expect("a scene");
    for role in crate::ColumnRole::ALL {
        assert_eq!(built.columns.get(role), file.columns.get(role));
    }
    assert!(built.columns.is_unturned() && file.columns.is_unturned());
    assert_eq!((built.bodies[0].id, file.bodies[0].id), (Some(7), Some(7)));
    let error = builder.column("x", "who", None).build().expect_err("a name of two meanings");
    assert!(error.problem.contains("column `x`: is `who`, and so is `body`"), "{error}");
}
