//! `pivot = "centre"`: bodies of every kind turn about the centre of the box around their geometry,
//! against distances sampled on that path. The oracle shares no code with the engine: it knows the
//! boxes that the geometry is made of, and the corner points alone.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use clearsweep::{BatchCollector, BodyBuilder, Geometry, Job, SceneBuilder};
use clearsweep_scene::{BetweenFrames, MotionRule, Scene, SceneOverrides};
use clearsweep_testing::glb::{BOX, GlbMesh, glb};
use clearsweep_testing::random::Random;
use clearsweep_testing::random_motions::product;
use std::fmt::Write;
use std::fs;
use std::path::Path;

type V = [f64; 3];

/// Low and high corners of an L of two blocks. The middle of its box is no mean of vertices, and in
/// neither block.
const BLOCKS: [[V; 2]; 2] = [[[0.0, 0.0, 0.0], [1.0, 0.5, 0.25]], [[0.0, 0.0, 0.25], [0.25, 0.5, 1.25]]];

/// The radius of the ball that stands still, metres.
const BALL: f64 = 0.125;

/// Runs of a scene, each an interval of its own.
const RUNS: usize = 12;

/// Places of the geometry in its file: near the origin, beyond the distance from which bodies are
/// recentred, and kilometres away.
const AWAY: [V; 3] = [[3.0, -1.5, 0.75], [-20.0, 9.5, 14.0], [4500.0, -2000.0, 750.5]];

fn map(f: impl Fn(usize) -> f64) -> V {
    std::array::from_fn(f)
}

fn add(a: V, b: V) -> V {
    map(|k| a[k] + b[k])
}

fn sub(a: V, b: V) -> V {
    map(|k| a[k] - b[k])
}

fn norm(a: V) -> f64 {
    a.iter().map(|c| c * c).sum::<f64>().sqrt()
}

/// A vector turned by a unit quaternion.
fn turn(q: [f64; 4], v: V) -> V {
    let [w, x, y, z] = q;
    let cross = |a: V, b: V| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let t = cross([x, y, z], v).map(|c| 2.0 * c);
    let u = cross([x, y, z], t);
    map(|k| v[k] + w * t[k] + u[k])
}

fn inverse([w, x, y, z]: [f64; 4]) -> [f64; 4] {
    [w, -x, -y, -z]
}

/// How a body is given.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// The hull of points, in the scene file.
    Points,
    /// Pieces, by the library.
    Built,
    /// An OBJ file, and its model.
    Obj(&'static str),
    /// The same in millimetres, doubled, with y up, grown.
    Converted,
    /// A GLB file as a whole.
    Glb,
    /// A node of a GLB file, moved by its own name.
    Node,
    /// A node that is carried by the moved one above it.
    Carried,
    /// Each object of an OBJ file.
    EachObject,
    /// A row of a table of bodies.
    Table,
}

const KINDS: [Kind; 14] = [
    Kind::Points,
    Kind::Built,
    Kind::Obj("hull"),
    Kind::Obj("pieces"),
    Kind::Obj("piece-hulls"),
    Kind::Obj("mesh"),
    Kind::Obj("decomposition"),
    Kind::Obj("auto"),
    Kind::Converted,
    Kind::Glb,
    Kind::Node,
    Kind::Carried,
    Kind::EachObject,
    Kind::Table,
];

/// A body as the oracle knows it: blocks in its own frame, grown by a length, and how far its
/// stored surface may be off.
struct Known {
    blocks: Vec<[V; 2]>,
    growth: f64,
    off: f64,
}

fn corners(&[low, high]: &[V; 2]) -> Vec<V> {
    (0..8).map(|i| map(|k| if i >> k & 1 == 1 { high[k] } else { low[k] })).collect()
}

/// The surface of the L without the wall between its blocks: vertices and triangles, closed.
fn outline(away: V) -> (Vec<V>, Vec<[usize; 3]>) {
    let [[low, foot], [_, post]] = BLOCKS;
    let side = [
        [low[0], low[2]],
        [foot[0], low[2]],
        [foot[0], foot[2]],
        [post[0], foot[2]],
        [post[0], post[2]],
        [low[0], post[2]],
    ];
    let vertices = [low[1], foot[1]].into_iter().flat_map(|y| side.map(|[x, z]| add([x, y, z], away))).collect();
    let ears = [[0, 1, 2], [0, 2, 3], [0, 3, 5], [3, 4, 5]];
    let mut triangles = Vec::new();
    for [a, b, c] in ears {
        triangles.extend([[a, b, c], [6 + a, 6 + c, 6 + b]]);
    }
    for a in 0..6 {
        let b = (a + 1) % 6;
        triangles.extend([[a, 6 + b, b], [a, 6 + a, 6 + b]]);
    }
    (vertices, triangles)
}

fn obj(dir: &Path, kind: Kind, away: V) {
    let mut text = String::new();
    let mut from = 1;
    let mut object = |vertices: &[V], triangles: &[[usize; 3]]| {
        writeln!(text, "o part-{from}").expect("text");
        vertices.iter().for_each(|[x, y, z]| writeln!(text, "v {x} {y} {z}").expect("text"));
        triangles
            .iter()
            .for_each(|t| writeln!(text, "f {} {} {}", t[0] + from, t[1] + from, t[2] + from).expect("text"));
        from += vertices.len();
    };
    match kind {
        Kind::Obj("pieces" | "piece-hulls") => {
            let triangles = BOX.map(|t| t.map(|v| v as usize));
            BLOCKS.iter().for_each(|block| object(&corners(&block.map(|c| add(c, away))), &triangles));
        }
        Kind::Obj("hull" | "auto") => {
            object(&corners(&BLOCKS[0].map(|c| add(c, away))), &BOX.map(|t| t.map(|v| v as usize)));
        }
        // Millimetres, half as large, y up: x, z, -y.
        Kind::Converted => {
            let (vertices, triangles) = outline(away);
            let vertices: Vec<V> = vertices.iter().map(|&[x, y, z]| [500.0 * x, 500.0 * z, -500.0 * y]).collect();
            object(&vertices, &triangles);
        }
        _ => {
            let (vertices, triangles) = outline(away);
            object(&vertices, &triangles);
        }
    }
    fs::write(dir.join("body.obj"), text).expect("written");
}

fn write_glb(dir: &Path, away: V) {
    let (vertices, triangles) = outline(away);
    let positions = vertices.iter().map(|v| v.map(|c| c as f32)).collect();
    let triangles = triangles.iter().map(|t| t.map(|v| v as u32)).collect();
    let nodes = [
        r#"{"name": "arm", "children": [1]}"#.to_owned(),
        r#"{"name": "part", "mesh": 0, "translation": [0.5, 0, -0.25], "rotation": [0.5, 0.5, 0.5, 0.5]}"#.to_owned(),
    ];
    let mesh = GlbMesh { name: "part", positions, triangles, material: None };
    fs::write(dir.join("body.glb"), glb(&nodes, &[0], &[mesh], &[])).expect("written");
}

/// The place of the node in the arm.
const IN_ARM: (V, [f64; 4]) = ([0.5, 0.0, -0.25], [0.5; 4]);

/// The keys of the body, its name in the trajectory, and what the oracle knows of it.
fn body(dir: &Path, kind: Kind, away: V) -> (String, &'static str, Known) {
    let placed = |blocks: &[[V; 2]]| blocks.iter().map(|block| block.map(|c| add(c, away))).collect::<Vec<_>>();
    let (both, one) = (placed(&BLOCKS), placed(&BLOCKS[..1]));
    let list = |points: Vec<V>| format!("{points:?}");
    let known = |blocks: &Vec<[V; 2]>| Known { blocks: blocks.clone(), growth: 0.0, off: 0.0 };
    obj(dir, kind, away);
    write_glb(dir, away);
    let each = "[[bodies]]\ngeometry = \"body.glb\"\neach = \"node\"\npivot = \"centre\"\n";
    match kind {
        Kind::Points => {
            (format!("[[body]]\nname = \"a\"\nshape = {{ points = {} }}\n", list(corners(&one[0]))), "a", known(&one))
        }
        Kind::Built => (String::new(), "a", known(&both)),
        Kind::Obj("auto") => ("[[body]]\nname = \"a\"\ngeometry = \"body.obj\"\n".to_owned(), "a", known(&one)),
        Kind::Obj(model) => {
            let blocks = if model == "hull" { &one } else { &both };
            let off = if model == "decomposition" { 0.1 } else { 0.0 };
            let text = format!("[[body]]\nname = \"a\"\ngeometry = \"body.obj\"\nmodel = \"{model}\"\n");
            (text, "a", Known { off, ..known(blocks) })
        }
        Kind::Converted => {
            let keys = "unit = \"mm\"\nscale = 2\nup = \"y\"\noffset = 0.0625\nmodel = \"mesh\"";
            let text = format!("[[body]]\nname = \"a\"\ngeometry = \"body.obj\"\n{keys}\n");
            (text, "a", Known { growth: 0.0625, ..known(&both) })
        }
        Kind::Glb => {
            // The part is turned in the file.
            ("[[body]]\nname = \"a\"\ngeometry = \"body.glb\"\nmodel = \"mesh\"\n".to_owned(), "a", known(&both))
        }
        Kind::Node => (format!("{each}moving = [\"arm/part\"]\n"), "arm/part", known(&both)),
        Kind::Carried => (format!("{each}moving = [\"arm\"]\n"), "arm", known(&both)),
        Kind::EachObject => {
            let text = "[[bodies]]\ngeometry = \"body.obj\"\neach = \"object\"\nmoving = [\"*\"]\nmodel = \"mesh\"\n";
            (text.to_owned(), "part-1", known(&both))
        }
        Kind::Table => {
            fs::write(dir.join("bodies.csv"), "body,geometry,model,pivot\na,body.obj,mesh,centre\n").expect("written");
            ("[[bodies]]\ntable = \"bodies.csv\"\n".to_owned(), "a", known(&both))
        }
    }
}

/// The frame of the boxes in the frame of the body: only of the file as a whole it is another.
fn boxes_in_body(kind: Kind) -> (V, [f64; 4]) {
    if kind == Kind::Glb { IN_ARM } else { ([0.0; 3], [1.0, 0.0, 0.0, 0.0]) }
}

/// The centre of the box around the corners, in the body's own frame.
fn centre(kind: Kind, known: &Known) -> V {
    let (position, q) = boxes_in_body(kind);
    let points: Vec<V> = known.blocks.iter().flat_map(corners).map(|p| add(position, turn(q, p))).collect();
    let end = |k: usize, fold: fn(f64, f64) -> f64| points.iter().map(|p| p[k]).reduce(fold).expect("points");
    map(|k| 0.5 * (end(k, f64::min) + end(k, f64::max)))
}

/// Poses of a body at both ends.
type Ends = [(V, [f64; 4]); 2];

/// The signed distance of the ball at a time while a point of the body moves on a line; below 0 it
/// says no more than that they overlap.
fn distance(kind: Kind, known: &Known, ends: &Ends, pivot: V, t: f64) -> f64 {
    let [(p, q), (r, s)] = *ends;
    let cosine: f64 = (0..4).map(|k| q[k] * s[k]).sum();
    let s = if cosine < 0.0 { s.map(|c| -c) } else { s };
    let half = cosine.abs().min(1.0).acos();
    let weights = [((1.0 - t) * half).sin(), (t * half).sin()];
    let blend: [f64; 4] = std::array::from_fn(|k| weights[0] * q[k] + weights[1] * s[k]);
    let length = blend.iter().map(|c| c * c).sum::<f64>().sqrt();
    let now = blend.map(|c| c / length);
    let [from, to] = [add(p, turn(q, pivot)), add(r, turn(s, pivot))];
    let at = map(|k| (1.0 - t) * from[k] + t * to[k]);
    // The ball stands at the origin of the world.
    let in_body = add(pivot, turn(inverse(now), at.map(|c| -c)));
    let (position, in_boxes) = boxes_in_body(kind);
    let ball = turn(inverse(in_boxes), sub(in_body, position));
    let to_block = |[low, high]: &[V; 2]| norm(map(|k| (low[k] - ball[k]).max(ball[k] - high[k]).max(0.0)));
    known.blocks.iter().map(to_block).fold(f64::INFINITY, f64::min) - BALL - known.growth
}

/// The least of distances over the interval: the best of many, and what is near it.
fn least(at: impl Fn(f64) -> f64) -> f64 {
    let times = 2_000;
    let (mut best, mut when) = (f64::INFINITY, 0.0);
    for i in 0..=times {
        let t = f64::from(i) / f64::from(times);
        if at(t) < best {
            (best, when) = (at(t), t);
        }
    }
    let mut step = 1.0 / f64::from(times);
    while step > 1e-9 {
        for t in [when - step, when + step].map(|t: f64| t.clamp(0.0, 1.0)) {
            if at(t) < best {
                (best, when) = (at(t), t);
            }
        }
        step *= 0.7;
    }
    best
}

/// A motion whose pivot passes near the ball while the body turns by up to 150 degrees.
fn motion(random: &mut Random, pivot: V) -> Ends {
    let angle = 3.0 * random.unit();
    let q = random.turn_by(angle);
    let angle = (30.0 + 120.0 * random.unit()).to_radians();
    let by = random.turn_by(angle);
    let near = random.in_cube(1.2);
    let far = add(near, random.in_cube(0.8));
    let ends = [(near, q), (far, product(by, q))];
    ends.map(|(at, q)| (sub(at, turn(q, pivot)), q))
}

/// The scene of a kind of body, with its motions written.
fn scene(dir: &Path, kind: Kind, away: V, motions: &[Ends]) -> (Scene, String) {
    let (keys, name, _) = body(dir, kind, away);
    let mut csv = String::from("run,frame,body,x,y,z,qw,qx,qy,qz\n");
    for (run, ends) in motions.iter().enumerate() {
        for (frame, (p, q)) in ends.iter().enumerate() {
            let numbers: Vec<String> = p.iter().chain(q).map(f64::to_string).collect();
            writeln!(csv, "{run},{frame},{name},{}", numbers.join(",")).expect("text");
        }
    }
    fs::write(dir.join("t.csv"), csv).expect("written");
    if kind == Kind::Built {
        let pieces = BLOCKS.iter().map(|block| corners(&block.map(|c| add(c, away)))).collect();
        let a = BodyBuilder::new("a", Geometry::Pieces(pieces)).pivot_at_centre();
        let s = BodyBuilder::new("s", Geometry::Sphere(BALL)).fixed([0.0; 3], [1.0, 0.0, 0.0, 0.0]);
        let mut scene =
            SceneBuilder::new(8.0).trajectories(dir.join("t.csv")).body(a).body(s).build().expect("a scene");
        scene.motion = MotionRule { between: BetweenFrames::Linear, ..MotionRule::default() };
        return (scene, name.to_owned());
    }
    let text = format!(
        "[scene]\nlength_unit = \"m\"\ntrajectories = \"t.csv\"\n[query]\nwithin = 8\n[motion]\nbetween = \"linear\"\npivot = \"centre\"\n\
         {keys}\n[[body]]\nname = \"s\"\nshape = {{ sphere = {BALL} }}\nstatic = true\n"
    );
    fs::write(dir.join("scene.toml"), text).expect("written");
    let scene = clearsweep_scene::load_scene(&dir.join("scene.toml"), &SceneOverrides::default());
    (scene.unwrap_or_else(|error| panic!("{kind:?}: {error}: {}", error.remedy)), name.to_owned())
}

/// Returns the lower and upper end of the least distance of each run.
fn brackets(scene: &Scene) -> Vec<(i64, f64, f64)> {
    let mut found = BatchCollector::default();
    Job::new(scene).run(&mut found).expect("a job that runs");
    let column = |batch: &clearsweep::RecordBatch, name: &str| {
        batch.column_by_name(name).expect(name).as_primitive::<Float64Type>().values().to_vec()
    };
    let rows = found.intervals.iter().flat_map(|batch| {
        let runs = batch.column_by_name("run").expect("run").as_primitive::<Int64Type>().values().to_vec();
        let (lower, upper) = (column(batch, "lower_m"), column(batch, "upper_m"));
        (0..batch.num_rows()).map(move |row| (runs[row], lower[row], upper[row])).collect::<Vec<_>>()
    });
    rows.collect()
}

#[test]
fn bodies_of_every_kind_turn_about_the_centre_of_their_box() {
    let mut random = Random(33);
    let (mut clear, mut contacts, mut others, mut loose) = (0, 0, 0, 0);
    for kind in KINDS {
        for away in AWAY {
            let dir = tempfile::tempdir().expect("scratch");
            let (_, _, known) = body(dir.path(), kind, away);
            let pivot = centre(kind, &known);
            let motions: Vec<Ends> = (0..RUNS).map(|_| motion(&mut random, pivot)).collect();
            // The trajectory names the arm, whose place carries that of the body.
            let written = motions.iter().map(|ends| match kind {
                Kind::Carried => ends.map(|(p, q)| {
                    let q = product(q, inverse(IN_ARM.1));
                    (sub(p, turn(q, IN_ARM.0)), q)
                }),
                _ => *ends,
            });
            let (scene, _) = scene(dir.path(), kind, away, &written.collect::<Vec<_>>());
            let found = brackets(&scene);
            assert_eq!(found.len(), RUNS, "{kind:?} {away:?}: an interval of each run");
            for (run, lower, upper) in found {
                let ends = &motions[run as usize];
                let truth = least(|t| distance(kind, &known, ends, pivot, t));
                let about_origin = least(|t| distance(kind, &known, ends, [0.0; 3], t));
                let say = || format!("{kind:?} {away:?}, run {run}: {lower} .. {upper}, sampled {truth}");
                others += usize::from((truth - about_origin).abs() > 1e-3);
                // Five kilometres from its pivot a turn is rounded by 1e-12 m.
                let slack = 1e-9;
                if truth > slack {
                    clear += 1;
                    assert!(lower <= truth + known.off + slack && upper >= truth - known.off - slack, "{}", say());
                    loose += usize::from(upper - lower > 1.1e-4 + 2.0 * known.off);
                } else {
                    contacts += 1;
                    assert!(upper <= known.off + slack && lower < slack, "{}", say());
                }
            }
        }
    }
    let all = KINDS.len() * AWAY.len() * RUNS;
    assert_eq!(clear + contacts, all);
    assert!(clear * 3 > all && contacts * 10 > all, "not representative: {clear} clear, {contacts} in contact");
    assert!(loose * 50 < all, "{loose} of {all} reach the work limit");
    assert!(others * 2 > all, "not representative: {others} of {all} differ from a turn about the origin");
}

#[test]
fn shapes_about_the_origin_turn_about_it_and_a_prism_about_its_box() {
    let middle = |geometry: Geometry| {
        let shape = geometry.shape(0.25).expect("a shape");
        add(shape.middle.to_array(), shape.center.to_array())
    };
    for geometry in [
        Geometry::Box([1.0, 2.0, 3.0]),
        Geometry::Sphere(0.3),
        Geometry::Capsule { radius: 0.2, length: 1.5 },
        Geometry::Cylinder { radius: 0.5, height: 1.0, sides: 8 },
    ] {
        assert_eq!(middle(geometry.clone()), [0.0; 3], "{geometry:?}");
    }
    // The circle of a prism of three sides is not about the middle of its box.
    let [x, y, z] = middle(Geometry::Cylinder { radius: 0.5, height: 1.0, sides: 3 });
    assert!((x - 0.25).abs() < 1e-12 && y.abs() < 1e-12 && z == 0.0, "{x} {y} {z}");
}

#[test]
fn a_box_six_metres_from_its_origin_turns_about_its_middle() {
    let boxed = corners(&[[5.5, -0.5, -0.5], [6.5, 0.5, 0.5]]);
    let dir = tempfile::tempdir().expect("scratch");
    let half = 0.5_f64.sqrt();
    fs::write(
        dir.path().join("t.csv"),
        format!("frame,body,x,y,z,qw,qx,qy,qz\n0,a,-5,2,3,1,0,0,0\n1,a,1,-4,3,{half},0,0,{half}\n"),
    )
    .expect("written");
    let a = BodyBuilder::new("a", Geometry::Points(boxed)).pivot_at_centre();
    let s = BodyBuilder::new("s", Geometry::Sphere(0.1)).fixed([2.5, 2.0, 3.0], [1.0, 0.0, 0.0, 0.0]);
    let scene = SceneBuilder::new(5.0).trajectories(dir.path().join("t.csv")).body(a).body(s);
    let mut scene = scene.build().expect("a scene");
    scene.motion = MotionRule { between: BetweenFrames::Linear, ..MotionRule::default() };
    let [(0, lower, upper)] = brackets(&scene)[..] else { panic!("one interval") };
    // An edge points at the ball halfway.
    let exact = 1.4 - half;
    assert!(lower <= exact + 1e-12 && exact <= upper + 1e-12 && upper - lower < 1.1e-4, "{lower} .. {upper}");
}
