//! Scenes that two programs are compared by: the data sets of the repository, and scenes that are
//! written here.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// A scene, and how it is asked about.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) scene: &'static str,
    /// Flags of `run`.
    pub(crate) flags: &'static str,
}

const fn case(name: &'static str, scene: &'static str, flags: &'static str) -> Case {
    Case { name, scene, flags }
}

const CROWD: &str = "datasets/crowd/scene.toml";
const PIPE_RACK: &str = "datasets/pipe-rack/scene.toml";
const SEPARATION: &str = "datasets/separation/scene.toml";

/// Every case.
pub(crate) const CASES: [Case; 46] = [
    case("coherence", "datasets/coherence/scene.toml", ""),
    case("contact", "datasets/contact/scene.toml", "--require 1mm"),
    case("contact-contacts", "datasets/contact/scene.toml", "--require 1mm --contacts all"),
    case("first-check", "datasets/first-clash-check/scene.toml", ""),
    case("first-check-overlap", "datasets/first-clash-check/scene.toml", "--answer overlap --require 0"),
    case("cell", "datasets/joints/cell.toml", "--require 20mm"),
    case("lid", "datasets/joints/lid.toml", "--require 5mm"),
    case("lid-samples", "datasets/joints/lid.toml", "--require 5mm --between none"),
    case("linkage", "datasets/joints/linkage.toml", "--require 1mm"),
    case("simulator-log", "datasets/simulator-log/scene.toml", ""),
    case("crowd", CROWD, "--frames ..40"),
    case("crowd-require", CROWD, "--frames ..40 --require 20mm"),
    case("crowd-distance", CROWD, "--frames ..40 --answer distance"),
    case("crowd-columns", CROWD, "--frames ..40 --columns distance"),
    case("crowd-direction", CROWD, "--frames ..20 --direction 0,0,-1"),
    case("crowd-linear", CROWD, "--frames ..30 --between linear --require 20mm"),
    case("crowd-screw", CROWD, "--frames ..30 --between screw --require 20mm"),
    case("crowd-ballistic", CROWD, "--frames ..30 --between ballistic --require 20mm"),
    case("crowd-hold", CROWD, "--frames ..30 --between hold --require 20mm"),
    case("crowd-tree", CROWD, "--frames 3..30 --broad tree --narrow gjk"),
    case("crowd-sweep", CROWD, "--frames 3..30 --broad sweep --narrow vclip"),
    case("crowd-brute", CROWD, "--frames 3..30 --broad brute --narrow lin-canny"),
    case("crowd-dual", CROWD, "--frames 3..20 --broad coherent-hash --narrow cd-dual"),
    case("pipe-rack", PIPE_RACK, "--require 50mm"),
    case("pipe-rack-near", PIPE_RACK, "--within 60mm --require 50mm"),
    case("pipe-rack-linear", PIPE_RACK, "--require 50mm --between linear"),
    case("separation", SEPARATION, "--require 50mm"),
    case("separation-runs", SEPARATION, "--runs 3..50 --require 50mm"),
    case("separation-screw", SEPARATION, "--runs ..40 --require 50mm --between screw"),
    case("kinds", "own/kinds.toml", ""),
    case("kinds-contacts", "own/kinds.toml", "--contacts all --require 50mm"),
    case("kinds-overlap", "own/kinds.toml", "--answer overlap --require 0"),
    case("kinds-linear", "own/kinds.toml", "--between linear --require 50mm"),
    case("kinds-screw", "own/kinds.toml", "--between screw --require 50mm --contacts all"),
    case("round", "own/round.toml", "--require 50mm"),
    case("round-contacts", "own/round.toml", "--contacts all"),
    case("round-linear", "own/round.toml", "--between linear --require 50mm"),
    case("rules", "own/rules.toml", ""),
    case("rules-linear", "own/rules.toml", "--between linear"),
    case("rules-accepted", "own/rules.toml", "--accepted own/accepted.csv"),
    case("sweep-grid", "own/grid.toml", ""),
    case("sweep-one-by-one", "own/one-by-one.toml", ""),
    case("posture", "own/posture.toml", ""),
    case("gaps", "own/gaps.toml", "--between linear --require 50mm"),
    case("nothing", "own/nothing.toml", "--allow-empty"),
    case("refused", "own/refused.toml", ""),
];

/// Numbers of no pattern (Knuth's multiplier of 64 bits).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// Boxes as objects of one OBJ file; `faces`: how many of each.
fn boxes(parts: &[[[f64; 3]; 2]], faces: usize) -> String {
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let mut text = String::new();
    for (number, ends) in parts.iter().enumerate() {
        let _ = writeln!(text, "o part-{number}");
        for k in 0..8_usize {
            let [x, y, z] = [0, 1, 2].map(|axis: usize| ends[k >> axis & 1][axis]);
            let _ = writeln!(text, "v {x} {y} {z}");
        }
        for side in &sides[..faces] {
            let [a, b, c, d] = side.map(|v: usize| v + 1 + 8 * number);
            let _ = writeln!(text, "f {a} {b} {c}\nf {a} {c} {d}");
        }
    }
    text
}

/// Rows of poses of bodies on a lattice, which slide and turn; `is_there`: whether a frame is.
fn poses(names: &[&str], runs: i64, frames: i64, is_there: &dyn Fn(i64) -> bool) -> String {
    let (mut numbers, mut text) = (Numbers(7), "run,frame,time_s,body,x,y,z,qw,qx,qy,qz\n".to_owned());
    for run in 0..runs {
        let mut places: Vec<[u64; 3]> = names.iter().map(|_| [0; 3].map(|_| numbers.below(12))).collect();
        for frame in (0..frames).filter(|&frame| is_there(frame)) {
            for (slot, (name, place)) in names.iter().zip(&mut places).enumerate() {
                let axis = numbers.below(3) as usize;
                place[axis] = (place[axis] + numbers.below(3)).saturating_sub(1);
                let [x, y, z] = place.map(|at| at as f64 / 8.0);
                let angle = if slot % 2 == 0 { 0.0 } else { frame as f64 * 0.02 };
                let (sine, cosine) = angle.sin_cos();
                let time = frame as f64 / 8.0;
                let _ = writeln!(text, "{run},{frame},{time},{name},{x},{y},{z},{cosine},0,0,{sine}");
            }
        }
    }
    text
}

const NAMES: [&str; 12] = [
    "mesh",
    "mesh-2",
    "open",
    "grown-mesh",
    "hull",
    "grown-hull",
    "pieces",
    "piece-hulls",
    "parts",
    "ball",
    "capsule",
    "flat",
];

/// Round bodies, and what they meet.
const ROUND: [(&str, &str); 8] = [
    ("pipe", "shape = { cylinder = [0.1, 0.6] }"),
    ("sleeve", "shape = { cylinder = [0.15, 0.25] }"),
    ("cone", "shape = { cone = [0.2, 0.05, 0.4], offset_xy = [0.05, 0] }"),
    ("ellipsoid", "shape = { ellipsoid = [0.3, 0.2, 0.1] }"),
    ("dish", "shape = { dish = [0.2, 0.1], kind = \"elliptical\" }"),
    ("elbow", "shape = { torus = [0.3, 0.06], angle = \"90deg\" }"),
    ("duct", "shape = { rectangular_torus = [0.1, 0.25, 0.1], angle = \"60deg\" }"),
    ("bracket", "geometry = \"bracket.obj\"\nmodel = \"mesh\""),
];

/// Two joints, and what they carry.
const ARM: &str = "[[body]]\nname = \"a\"\nshape = { box = [0.1, 0.12, 0.25] }\nposition = [0.1, 0, 0.2]\n\
    [[joint]]\nname = \"ja\"\ntype = \"revolute\"\nchild = \"a\"\naxis = [0.1, 1, 0.2]\nrange = [\"-60deg\", \"60deg\"]\n\
    [[body]]\nname = \"b\"\nshape = { capsule = [0.05, 0.2] }\nposition = [0.1, 0, 0.5]\n\
    [[joint]]\nname = \"jb\"\ntype = \"revolute\"\nparent = \"a\"\nchild = \"b\"\norigin = [0.1, 0, 0.15]\naxis = [1, 0, 0]\n\
    range = [\"-60deg\", \"60deg\"]\n\
    [[body]]\nname = \"c\"\nshape = { sphere = 0.05 }\nposition = [0.3, 0, 0.3]\n\
    [[joint]]\nname = \"jc\"\ntype = \"prismatic\"\nchild = \"c\"\naxis = [0, 0, 1]\nmimic = { joint = \"ja\", ratio = 0.1 }\n\
    [[body]]\nname = \"wall\"\nstatic = true\nshape = { box = [1.0, 0.02, 1.0] }\nposition = [0.1, 0.3, 0.4]\n";

/// Writes the scenes that are no data sets into the folder `own`.
pub(crate) fn write_own(own: &Path) -> std::io::Result<()> {
    let bracket = [[[0.0; 3], [0.5, 0.25, 0.125]], [[0.0, 0.0, 0.125], [0.125, 0.25, 0.5]]];
    let head = "[scene]\nlength_unit = \"m\"\n";
    let kinds = [
        "geometry = \"bracket.obj\"\nmodel = \"mesh\"",
        "geometry = \"cube.obj\"\nmodel = \"mesh\"",
        "geometry = \"open.obj\"\nmodel = \"mesh\"",
        "geometry = \"bracket.obj\"\nmodel = \"mesh\"\noffset = 0.03125",
        "geometry = \"bracket.obj\"\nmodel = \"hull\"",
        "geometry = \"cube.obj\"\nmodel = \"hull\"\noffset = 0.03125",
        "geometry = \"bracket.obj\"\nmodel = \"pieces\"",
        "geometry = \"bracket.obj\"\nmodel = \"piece-hulls\"",
        "parts = [{ sphere = 0.15, position = [0.3, 0, 0] }, { box = [0.2, 0.3, 0.1] }]",
        "shape = { sphere = 0.25 }",
        "shape = { capsule = [0.1, 0.5] }",
        "shape = { points = [[0, 0, 0], [0.5, 0, 0], [0, 0.5, 0]] }",
    ];
    let bodies = NAMES.iter().zip(kinds).map(|(name, keys)| format!("[[body]]\nname = \"{name}\"\n{keys}\n"));
    let bodies: String = bodies.collect();
    let round: String = ROUND.iter().map(|(name, shape)| format!("[[body]]\nname = \"{name}\"\n{shape}\n")).collect();
    let small = "[[body]]\nname = \"ball\"\nshape = { sphere = 0.1 }\n[[body]]\nname = \"hull\"\nshape = { box = [0.2, 0.1, 0.3] }\n\
                 [[body]]\nname = \"floor\"\nstatic = true\nshape = { box = [3, 3, 0.1] }\nposition = [1, 1, 0]\n";
    let rules = "[[rule]]\nname = \"balls\"\na = \"ball\"\nrequire = 0.1\nseverity = \"critical\"\nbaseline = \"first\"\n\
                 [[rule]]\nname = \"above\"\na = \"hull\"\nb = \"flat\"\nrequire = 0.05\ndirection = [0, 0, 1]\nfootprint = 0.02\n\
                 [[rule]]\nname = \"meshes\"\na = \"mesh*\"\nrequire = -0.01\n\
                 [[ignore]]\na = \"capsule\"\nb = \"parts\"\nreason = \"one machine\"\n";
    let query = "[query]\nwithin = 0.3\n";
    let scene = |trajectories: &str, rest: &str| format!("{head}trajectories = \"{trajectories}\"\n{rest}");
    let files = [
        ("bracket.obj", boxes(&bracket, 6)),
        ("cube.obj", boxes(&[[[-0.25; 3], [0.25; 3]]], 6)),
        ("open.obj", boxes(&[[[-0.25; 3], [0.25; 3]]], 5)),
        ("kinds.csv", poses(&NAMES, 2, 90, &|_| true)),
        ("gaps.csv", poses(&["ball", "hull"], 3, 200, &|frame| frame % 50 < 40 && !(90..140).contains(&frame))),
        ("round.csv", poses(&ROUND.map(|(name, _)| name), 1, 60, &|_| true)),
        ("round.toml", scene("round.csv", &format!("{query}{round}"))),
        ("nothing.csv", "frame,body,x,y,z,qw,qx,qy,qz\n".to_owned()),
        (
            "accepted.csv",
            "rule,a,b,accepted,until,by,reason\nballs,ball,mesh,-1,,me,known\nmeshes,mesh,gone,0,,me,old\n".to_owned(),
        ),
        ("kinds.toml", scene("kinds.csv", &format!("{query}{bodies}"))),
        ("rules.toml", scene("kinds.csv", &format!("{query}require = 0.02\n{bodies}{rules}"))),
        ("gaps.toml", scene("gaps.csv", &format!("missing = \"hold\"\n{query}static_pairs = true\n{small}"))),
        ("nothing.toml", scene("nothing.csv", &format!("{query}require = 0.1\n{small}"))),
        (
            "refused.toml",
            scene("kinds.csv", &format!("{query}{bodies}[[body]]\nname = \"ball\"\nshape = {{ sphere = 0 }}\n")),
        ),
        ("grid.toml", format!("{head}{query}require = 0.01\n{ARM}[[sweep]]\npath = \"grid\"\nsteps = 12\n")),
        (
            "one-by-one.toml",
            format!("{head}{query}require = 0.01\n{ARM}[[sweep]]\npath = \"one-by-one\"\nsteps = 70\n"),
        ),
        ("posture.toml", format!("{head}{query}require = 0.01\n{ARM}[posture]\nja = \"20deg\"\njb = \"-10deg\"\n")),
    ];
    fs::create_dir_all(own)?;
    files.iter().try_for_each(|(name, text)| fs::write(own.join(name), text))
}
