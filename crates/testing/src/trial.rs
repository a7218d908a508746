//! A trial of the engine: bytes become a small scene of bodies of all kinds with motions and
//! rules. The scene is run, and all of its rows are proven again.
//!
//! The fuzzer gives the bytes (its target `engine`), a test gives random ones. Any bytes
//! are a scene: bytes that are missing count as 0.

use clearsweep_base::error::{Error, ErrorKind};
use clearsweep_engine::{Job, JobOptions};
use clearsweep_model::SceneOverrides;
use clearsweep_records::manifest::Manifest;
use clearsweep_tables::ParquetTables;
use clearsweep_verifier::finding::Tally;
use clearsweep_verifier::recheck::{Choice, Recheck, Summing};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::solids::Solid;

/// Bodies of a scene, at most.
const BODIES: usize = 4;

/// Frames of a run, at most.
const FRAMES: usize = 4;

/// A trial that was carried out.
pub struct Trial {
    /// The scene file.
    pub scene: String,
    /// The statements that were proven again; `None` if the scene was refused.
    pub tally: Option<Tally>,
}

/// Runs the scene that bytes stand for in a folder, and proves all rows again.
///
/// # Panics
/// The engine fails by an internal error, or what it wrote cannot be read again.
pub fn carry_out(folder: &Path, bytes: &[u8]) -> Trial {
    let mut files = Files { folder, count: 0 };
    let scene = text(&mut Bytes { left: bytes }, &mut files);
    let path = folder.join("scene.toml");
    fs::write(&path, &scene).expect("a scratch file");
    let tally = match run(&path, &folder.join("out")) {
        Ok(tally) => Some(tally),
        Err(error) => {
            assert!(error.kind != ErrorKind::Internal, "{error}\n{scene}");
            None
        }
    };
    Trial { scene, tally }
}

fn run(scene: &Path, out: &Path) -> Result<Tally, Error> {
    let loaded = clearsweep_scene::load_scene(scene, &SceneOverrides::default())?;
    let options = JobOptions { threads: Some(1), ..JobOptions::default() };
    let mut tables = ParquetTables::new(out).force(true);
    Job::new(&loaded).options(options).run(&mut tables)?;
    let manifest = Manifest::read(out).expect("a manifest");
    let recheck = Recheck::open(out, &manifest).expect("a scene that was read before");
    let mut all = Summing::default();
    recheck.run_on(Some(1), &Choice::ALL, &mut all).expect("tables that were just written");
    Ok(all.tally)
}

/// Bytes as numbers.
struct Bytes<'a> {
    left: &'a [u8],
}

impl Bytes<'_> {
    fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.left.split_first() else { return 0 };
        self.left = rest;
        first
    }

    fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n
    }

    /// Whether the next byte is less than `of`: true in `of` of 256 cases.
    fn chance(&mut self, of: u8) -> bool {
        self.byte() < of
    }

    /// A number from about -1 to 1, mostly on a grid of 1/16, which makes ties.
    fn signed(&mut self) -> f64 {
        let coarse = f64::from(i32::from(self.byte() % 33) - 16) / 16.0;
        if self.chance(64) { coarse + f64::from(i32::from(self.byte()) - 128) / 3000.0 } else { coarse }
    }

    /// A length from 1/16 to 1.
    fn length(&mut self) -> f64 {
        (self.signed().abs() + 0.0625).min(1.0)
    }

    fn vector(&mut self) -> [f64; 3] {
        [0; 3].map(|_| self.signed())
    }

    /// A quaternion: none, a quarter of a turn, or any.
    fn turn(&mut self) -> [f64; 4] {
        const HALF: f64 = std::f64::consts::FRAC_1_SQRT_2;
        match self.below(6) {
            0 | 1 => [1.0, 0.0, 0.0, 0.0],
            2 => [HALF, HALF, 0.0, 0.0],
            3 => [HALF, 0.0, 0.0, HALF],
            4 => [0.5, 0.5, 0.5, 0.5],
            _ => {
                let [x, y, z] = self.vector();
                let q = [1.0 + self.signed().abs(), x, y, z];
                let length = q.iter().map(|c| c * c).sum::<f64>().sqrt();
                q.map(|c| c / length)
            }
        }
    }
}

/// Geometry files of the scene.
struct Files<'a> {
    folder: &'a Path,
    count: usize,
}

impl Files<'_> {
    fn add(&mut self, text: &str) -> String {
        self.count += 1;
        let name = format!("g{}.obj", self.count);
        fs::write(self.folder.join(&name), text).expect("a scratch file");
        name
    }
}

fn text(bytes: &mut Bytes<'_>, files: &mut Files<'_>) -> String {
    let count = 2 + bytes.below(BODIES - 1);
    let mut bodies = String::new();
    let mut moving = Vec::new();
    for number in 0..count {
        let is_static = number > 0 && bytes.chance(110);
        let _ = writeln!(bodies, "\n[[body]]\nname = \"b{number}\"\ngroup = \"g{}\"", number % 2);
        bodies += &body(bytes, files);
        match is_static {
            true => {
                let ([x, y, z], [qw, qx, qy, qz]) = (bytes.vector(), bytes.turn());
                let _ = writeln!(
                    bodies,
                    "static = true\nposition = [{x:?}, {y:?}, {z:?}]\n\
                     orientation = {{ qw = {qw:?}, qx = {qx:?}, qy = {qy:?}, qz = {qz:?} }}"
                );
            }
            false => moving.push(number),
        }
    }
    let between = ["none", "linear", "screw", "hold", "ballistic", "bounded"][bytes.below(6)];
    if between == "bounded" {
        for number in &moving {
            let name = format!("name = \"b{number}\"\n");
            bodies = bodies.replace(&name, &format!("{name}max_acceleration = 1\nmax_turn = \"400deg/s\"\n"));
        }
    }
    fs::write(files.folder.join("poses.csv"), poses(bytes, &moving)).expect("a scratch file");
    let answer = ["depth", "depth", "depth", "distance", "overlap"][bytes.below(5)];
    let rate = if between.starts_with('b') { "frame_rate = 2\n" } else { "" };
    format!("{}{}{bodies}", head(bytes, rate, answer), motion(between)) + &rules(bytes, answer)
}

fn head(bytes: &mut Bytes<'_>, rate: &str, answer: &str) -> String {
    let mut text = format!(
        "[scene]\nname = \"trial\"\nlength_unit = \"m\"\ntrajectories = \"poses.csv\"\n{rate}[query]\nanswer = \"{answer}\"\n"
    );
    if answer != "overlap" {
        let within = bytes.length();
        let _ = writeln!(text, "within = {within:?}");
        if bytes.chance(96) {
            let _ = writeln!(text, "require = {:?}", 0.5 * within);
        }
        if bytes.chance(48) {
            let [x, y, z] = bytes.vector();
            let _ = writeln!(text, "direction = [{x:?}, {y:?}, {:?}]", if x == 0.0 && y == 0.0 { 1.0 } else { z });
        }
    }
    text += if bytes.chance(64) { "static_pairs = true\n" } else { "" };
    text += if answer == "depth" && bytes.chance(48) { "contacts = \"all\"\n" } else { "" };
    text
}

fn motion(between: &str) -> String {
    let gravity = if between == "ballistic" { "gravity = [0.5, 0, -4]\n" } else { "" };
    if between == "none" { String::new() } else { format!("[motion]\nbetween = \"{between}\"\n{gravity}") }
}

/// A rule of a pair, and a pair that is ignored.
fn rules(bytes: &mut Bytes<'_>, answer: &str) -> String {
    let mut text = String::new();
    if bytes.chance(48) {
        // Overlaps alone allow no more than an overlap.
        let require = if answer == "overlap" { -0.03125 } else { 0.03125 };
        let _ =
            writeln!(text, "\n[[rule]]\nname = \"near\"\na = \"group:g0\"\nb = \"group:g1\"\nrequire = {require:?}");
    }
    if bytes.chance(32) {
        text += "\n[[ignore]]\na = \"b0\"\nb = \"b1\"\n";
    }
    text
}

/// Poses of the moving bodies: they begin anywhere, and go on by steps.
fn poses(bytes: &mut Bytes<'_>, moving: &[usize]) -> String {
    let mut text = String::from("run,frame,body,x,y,z,qw,qx,qy,qz\n");
    let frames = 1 + bytes.below(FRAMES);
    let starts: Vec<([f64; 3], [f64; 4])> = moving.iter().map(|_| (bytes.vector(), bytes.turn())).collect();
    let steps: Vec<[f64; 3]> = moving.iter().map(|_| bytes.vector()).collect();
    let far = if bytes.chance(16) { 4096.0 } else { 0.0 };
    for frame in 0..frames {
        for ((body, (start, turn)), step) in moving.iter().zip(&starts).zip(&steps) {
            let share = 0.5 * frame as f64;
            let [x, y, z] = [0, 1, 2].map(|k: usize| start[k] + share * step[k] + far);
            let [qw, qx, qy, qz] = if frame % 2 == 1 && bytes.chance(128) { bytes.turn() } else { *turn };
            let _ = writeln!(text, "0,{frame},b{body},{x:?},{y:?},{z:?},{qw:?},{qx:?},{qy:?},{qz:?}");
        }
    }
    text
}

/// Shape or geometry, offset and deviation of a body.
fn body(bytes: &mut Bytes<'_>, files: &mut Files<'_>) -> String {
    let mut text = match bytes.below(16) {
        kind @ 0..=10 => shape(bytes, kind),
        11 => {
            let (first, second) = (shape_value(bytes, 0), shape_value(bytes, 4));
            let [x, y, z] = bytes.vector();
            let second = second.trim_end_matches(" }");
            format!("parts = [{first}, {second}, position = [{x:?}, {y:?}, {z:?}] }}]\n")
        }
        kind => mesh(bytes, files, kind),
    };
    if bytes.chance(40) {
        let _ = writeln!(text, "offset = {:?}", 0.125 * bytes.length());
    }
    if bytes.chance(40) {
        let _ = writeln!(text, "deviation = {:?}", 0.015625 * bytes.length());
    }
    text
}

fn shape(bytes: &mut Bytes<'_>, kind: usize) -> String {
    format!("shape = {}\n", shape_value(bytes, kind))
}

fn shape_value(bytes: &mut Bytes<'_>, kind: usize) -> String {
    let [a, b, c] = [0; 3].map(|_| bytes.length());
    match kind {
        0 => format!("{{ box = [{a:?}, {b:?}, {c:?}] }}"),
        1 => format!("{{ sphere = {a:?} }}"),
        2 => format!("{{ capsule = [{a:?}, {b:?}] }}"),
        3 => format!("{{ cylinder = [{a:?}, {b:?}, {}] }}", 3 + bytes.below(6)),
        4 => format!("{{ cylinder = [{a:?}, {b:?}] }}"),
        5 => format!("{{ cone = [{a:?}, {:?}, {c:?}] }}", if bytes.chance(64) { 0.0 } else { b }),
        6 => format!("{{ ellipsoid = [{a:?}, {b:?}, {c:?}] }}"),
        7 => {
            let kind = if bytes.chance(128) { "spherical" } else { "elliptical" };
            format!("{{ dish = [{a:?}, {b:?}], kind = \"{kind}\" }}")
        }
        8 => format!(
            "{{ torus = [{:?}, {:?}], angle = \"{}deg\" }}",
            a + 0.25 * b,
            0.25 * b,
            [90, 180, 360][bytes.below(3)]
        ),
        9 => format!("{{ rectangular_torus = [{a:?}, {:?}, {c:?}], angle = \"90deg\" }}", a + b),
        _ => {
            let corners = [[0.0; 3], [a, 0.0, 0.0], [0.0, b, 0.0], [0.0, 0.0, c]];
            let more: Vec<[f64; 3]> = (0..bytes.below(5)).map(|_| bytes.vector()).collect();
            let points: Vec<String> =
                corners.iter().chain(&more).map(|[x, y, z]| format!("[{x:?}, {y:?}, {z:?}]")).collect();
            format!("{{ points = [{}] }}", points.join(", "))
        }
    }
}

fn mesh(bytes: &mut Bytes<'_>, files: &mut Files<'_>, kind: usize) -> String {
    let [a, b, c] = [0; 3].map(|_| 0.5 * bytes.length());
    let slab = || Solid::cuboid([a, b, 0.25 * c], 1);
    let post = || Solid::cuboid([0.25 * a, b, c], 1).moved([0.5 * a, 0.0, c]);
    let (solid, model) = match kind {
        // An L of two boxes through each other, as a surface.
        12 => (slab().and(&post()), "mesh"),
        13 => match bytes.below(3) {
            0 => (Solid::ring(a + 0.25, 0.25 * b, 6, 4), "mesh"),
            1 => (Solid::cuboid([a, b, c], 1).and(&Solid::cuboid([0.5 * a, 0.5 * b, 0.5 * c], 1).flipped()), "mesh"),
            _ => (Solid::ball(a, 4, 6, |d| 0.3 * (d[0] + d[1] * d[2])), "mesh"),
        },
        // Open: without its upper side.
        14 => (Solid::cuboid([a, b, c], 1).without(|corners| corners.iter().all(|p| p[2] > 0.0)), "mesh"),
        _ => {
            let objects = [slab(), post()];
            let mut text = String::new();
            let mut first = 0;
            for (number, solid) in objects.iter().enumerate() {
                let _ = writeln!(text, "o part{number}");
                solid.vertices.iter().for_each(|[x, y, z]| {
                    let _ = writeln!(text, "v {x:?} {y:?} {z:?}");
                });
                solid.triangles.iter().for_each(|t| {
                    let _ = writeln!(text, "f {} {} {}", t[0] + first + 1, t[1] + first + 1, t[2] + first + 1);
                });
                first += solid.vertices.len();
            }
            let model = ["pieces", "hull"][bytes.below(2)];
            return format!("geometry = \"{}\"\nmodel = \"{model}\"\n", files.add(&text));
        }
    };
    let inside = ["", "inside = \"surface\"\n"][bytes.below(2)];
    format!("geometry = \"{}\"\nmodel = \"{model}\"\n{inside}", files.add(&solid.obj()))
}
