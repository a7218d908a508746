//! Bounding volumes against each other: trees of the same nodes over the same triangles, the same
//! search, and volumes of several kinds.
//!
//! `PX_WORK=DIR DUPLEX=DIR cargo bench --bench bounding_volumes`. PX_WORK: the work folder of the
//! peers' harness after `setup` and `inputs` (N3: two meshes of 20,480 triangles, at three gaps).
//! DUPLEX: a folder with folders of OBJ files, flat parts of a building. Either is left out if it
//! is missing. `VOLUMES_PASSES`: passes, of which the least time counts (3). One thread, nothing
//! remembered from query to query.
//!
//! A line a kind of volume: pairs of volumes compared, pairs of leaves, pairs of triangles whose
//! distance is computed and microseconds, all a query; and bytes a triangle. `library`: `Auto` with
//! a cold memory, as users have it. All kinds must find the same distances, and on small meshes
//! those of all pairs of triangles: else the program ends with a panic.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, reason = "a program for developers")]

#[path = "support/peers.rs"]
#[allow(dead_code, reason = "the sequences of queries are of no interest here")]
mod peers;
#[path = "support/volumes/mod.rs"]
mod volumes;

use clearsweep_geometry::{Pose, RelativePose, Vec3};
use clearsweep_narrow::{Auto, BodyPoses, NarrowPhase, PairCache, PairQuery, SolverStats, Workspace};
use clearsweep_scene::{Geometry, Model, QueryOptions, Shape};
use clearsweep_testing::random::Random;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use volumes::boxes::{AlignedBoxes, OrientedBoxes};
use volumes::dops::Slabs;
use volumes::search::{Memory, distance};
use volumes::separating::SeparatingAxes;
use volumes::spheres::Spheres;
use volumes::swept::SweptRectangles;
use volumes::tree::{Corners, Motion, Tree, Volumes};
use volumes::triangles;

/// Distances agree to this share of the size of a pair.
const AGREE: f64 = 1e-12;

/// Queries of a case, at most.
const QUERIES: usize = 100;

/// Two meshes at their poses.
#[derive(Clone, Copy)]
struct Query {
    meshes: [usize; 2],
    poses: [Pose; 2],
}

impl Query {
    fn motion(&self) -> Motion {
        let RelativePose { r, t } = RelativePose::between(&self.poses[0], &self.poses[1]);
        Motion { r, t }
    }
}

/// Meshes, and what is asked of them.
struct Case<'a> {
    name: String,
    shapes: &'a [Arc<Shape>],
    queries: Vec<Query>,
    /// Metres: infinite for distances, 0 for the question whether they cross.
    cutoff: f64,
}

/// The triangles of a mesh in the order of the library's tree.
fn corners(shape: &Shape) -> Vec<Corners> {
    let mesh = shape.mesh.as_ref().unwrap();
    mesh.triangles().iter().map(|t| t.map(|v| mesh.vertices()[v as usize])).collect()
}

/// Measures one kind of volume on a case; returns its distances, and a line of the table.
fn measured<V: Volumes<W>, const W: usize>(case: &Case<'_>) -> (Vec<f64>, String) {
    let used = |k: usize| case.queries.iter().any(|q| q.meshes.contains(&k));
    let trees: Vec<Option<Tree<V, W>>> =
        (0..case.shapes.len()).map(|k| used(k).then(|| Tree::new(corners(&case.shapes[k])))).collect();
    let pick = |q: &Query| q.meshes.map(|k| trees[k].as_ref().unwrap());
    let mut memories: Vec<Memory<V, W>> = case.queries.iter().map(|q| Memory::new(pick(q))).collect();
    let mut least = f64::INFINITY;
    let mut found = Vec::new();
    for _ in 0..passes() {
        found.clear();
        memories.iter_mut().for_each(|memory| memory.counts = Default::default());
        let start = Instant::now();
        for (q, memory) in case.queries.iter().zip(&mut memories) {
            found.push(distance(pick(q), &q.motion(), case.cutoff, memory));
        }
        least = least.min(start.elapsed().as_secs_f64());
    }
    let queries = case.queries.len() as f64;
    let sum = |of: fn(&Memory<V, W>) -> u64| memories.iter().map(of).sum::<u64>() as f64 / queries;
    let (triangles, bytes) = trees.iter().flatten().fold((0.0, 0.0), |(n, bytes), tree| {
        let own = tree.corners.len() as f64;
        (n + own, bytes + own * tree.bytes_per_triangle())
    });
    let line = format!(
        "{:48} {W:2} {:10.0} {:8.0} {:8.0} {:9.1} {:6.1}",
        V::NAME,
        sum(|m| m.counts.volumes),
        sum(|m| m.counts.leaves),
        sum(|m| m.counts.triangles),
        least * 1e6 / queries,
        bytes / triangles
    );
    (found, line)
}

fn passes() -> usize {
    std::env::var("VOLUMES_PASSES").map_or(3, |n| n.parse().unwrap())
}

/// The library's own rows with a cold memory: distances, and a line.
fn library(case: &Case<'_>) -> (Vec<f64>, String) {
    let options = QueryOptions::EVERYTHING;
    let mut work = Box::<Workspace>::default();
    let mut least = f64::INFINITY;
    let (mut found, mut pairs) = (Vec::new(), 0);
    for _ in 0..passes() {
        found.clear();
        let mut stats = SolverStats::default();
        let start = Instant::now();
        for q in &case.queries {
            let query = PairQuery {
                a: &case.shapes[q.meshes[0]],
                b: &case.shapes[q.meshes[1]],
                poses_a: BodyPoses::Fixed(&q.poses[0]),
                poses_b: BodyPoses::Fixed(&q.poses[1]),
                samples: 1,
            };
            let mut rows = Vec::new();
            Auto.walk(&query, &options, &mut PairCache::default(), &mut work, &mut stats, &mut rows);
            found.push(rows[0].distance);
        }
        least = least.min(start.elapsed().as_secs_f64());
        pairs = stats.entries().into_iter().find(|(name, _)| *name == "triangle_pairs").map_or(0, |entry| entry.1);
    }
    let queries = case.queries.len() as f64;
    let each = pairs as f64 / queries;
    let line = format!("{:48}  8 {:>10} {:>8} {each:8.0} {:9.1} {:>6}", "library", "", "", least * 1e6 / queries, "");
    (found, line)
}

/// The largest extent of two meshes and the way between them, metres.
fn size(case: &Case<'_>, q: &Query) -> f64 {
    q.meshes.iter().map(|&k| case.shapes[k].radius).sum::<f64>() + q.motion().t.length()
}

fn agree(case: &Case<'_>, name: &str, found: &[f64], expected: &[f64]) {
    for (number, (q, (x, y))) in case.queries.iter().zip(found.iter().zip(expected)).enumerate() {
        assert!(
            x == y || (x - y).abs() <= AGREE * size(case, q),
            "{}, query {number}: {name}: {x:e}, expected {y:e}",
            case.name
        );
    }
}

/// Prints the table of a case.
fn compare(case: &Case<'_>) {
    if case.queries.is_empty() {
        println!("\n{}: no queries", case.name);
        return;
    }
    println!("\n{}: {} queries", case.name, case.queries.len());
    println!("{:48} {:>2} {:>10} {:>8} {:>8} {:>9} {:>6}", "volumes", "w", "volumes", "leaves", "pairs", "us", "B/tri");
    let (expected, line) = measured::<OrientedBoxes, 8>(case);
    println!("{line}");
    macro_rules! others {
        ($($kind:ty, $width:literal);* $(;)?) => {
            $(
                let (found, line) = measured::<$kind, $width>(case);
                println!("{line}");
                agree(case, <$kind as Volumes<$width>>::NAME, &found, &expected);
            )*
        };
    }
    others! {
        SeparatingAxes, 8;
        AlignedBoxes<true>, 8;
        AlignedBoxes<false>, 8;
        SweptRectangles, 8;
        Spheres, 8;
        Slabs<7>, 8;
        Slabs<9>, 8;
        Slabs<13>, 8;
        OrientedBoxes, 2;
        SeparatingAxes, 2;
        SweptRectangles, 2;
    }
    if case.cutoff > 0.0 {
        let (mut found, line) = library(case);
        println!("{line}");
        // A body within another is apart from its surface, and has a depth.
        found.iter_mut().zip(&expected).for_each(|(x, &y)| *x = if *x < 0.0 { y } else { *x });
        agree(case, "library", &found, &expected);
    }
}

/// A ball with bumps, of rings and sectors.
fn ball(rings: u32, sectors: u32, bumps: f64) -> Arc<Shape> {
    let point = |i: u32, j: u32| {
        let (s, c) = (std::f64::consts::PI * f64::from(i) / f64::from(rings)).sin_cos();
        let (y, x) = (2.0 * std::f64::consts::PI * f64::from(j) / f64::from(sectors)).sin_cos();
        Vec3::new(s * x, s * y, c) * (1.0 + bumps * (7.0 * s * x).sin() * (5.0 * c).cos())
    };
    let points: Vec<_> =
        (0..=rings).flat_map(|i| (0..sectors).map(move |j| (i, j))).map(|(i, j)| point(i, j)).collect();
    let at = |i: u32, j: u32| i * sectors + j % sectors;
    let triangles = (0..rings).flat_map(|i| (0..sectors).map(move |j| (i, j))).flat_map(|(i, j)| {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        [[a, b, c], [a, c, d]]
    });
    let distinct = triangles.filter(|t| (0..3).all(|k| points[t[k] as usize] != points[t[(k + 1) % 3] as usize]));
    Arc::new(peers::mesh(&points, distinct))
}

/// All kinds against all pairs of triangles, on small meshes.
fn check() {
    let shapes = [ball(8, 11, 0.3), ball(5, 7, 0.0), ball(2, 4, 0.0)];
    let mut random = Random(9);
    let queries = (0..60)
        .map(|k| Query { meshes: [k % 3, k / 3 % 3], poses: [random.pose(1.0), random.pose(1.0 + 0.05 * k as f64)] });
    let mut case =
        Case { name: "check".to_owned(), shapes: &shapes, queries: queries.collect(), cutoff: f64::INFINITY };
    for q in &case.queries.clone() {
        let motion = q.motion();
        let b: Vec<Corners> = corners(&shapes[q.meshes[1]]).iter().map(|t| t.map(|p| motion.point(p))).collect();
        let of_pairs = corners(&shapes[q.meshes[0]])
            .iter()
            .flat_map(|ta| b.iter().map(|tb| triangles::between(ta, tb).0))
            .fold(f64::INFINITY, f64::min)
            .sqrt();
        case.queries = vec![*q];
        agree(&case, "oriented boxes against all pairs", &measured::<OrientedBoxes, 8>(&case).0, &[of_pairs]);
        macro_rules! each {
            ($($kind:ty, $width:literal);* $(;)?) => {
                $(agree(&case, <$kind as Volumes<$width>>::NAME, &measured::<$kind, $width>(&case).0, &[of_pairs]);)*
            };
        }
        each! {
            SeparatingAxes, 8; AlignedBoxes<true>, 8; AlignedBoxes<false>, 8; SweptRectangles, 8; Spheres, 8; Slabs<7>, 8;
            Slabs<9>, 8; Slabs<13>, 8; OrientedBoxes, 2; SeparatingAxes, 2; SweptRectangles, 2;
        }
    }
}

/// Meshes of the peers' harness: at its gaps, and pushed into each other.
fn peers_cases(work: &Path) {
    let shapes: Vec<Arc<Shape>> = peers::read_shapes(&work.join("in/n3.pxs")).into_iter().map(Arc::new).collect();
    for name in ["ico", "bumpy"] {
        for gap in ["0.01", "0.1", "1"] {
            let queries: Vec<Query> = peers::read_queries(&work.join(format!("in/n3_{name}_{gap}.pxq")))
                .into_iter()
                .map(|q| Query { meshes: q.shapes, poses: q.poses })
                .take(QUERIES)
                .collect();
            let title = |what: &str| format!("n3 {name}, gap {gap}: {what}");
            let case = Case { name: title("distance"), shapes: &shapes, queries, cutoff: f64::INFINITY };
            compare(&case);
            if gap == "0.01" {
                let pushed = case.queries.iter().map(|q| pushed(&shapes, q)).collect();
                compare(&Case { name: title("do they cross? (no)"), cutoff: 0.0, ..case });
                let name = format!("n3 {name}, overlapping by 0.01: do they cross? (yes)");
                compare(&Case { name, shapes: &shapes, queries: pushed, cutoff: 0.0 });
            }
        }
    }
}

/// B pushed into A by a hundredth of the radii of both, along the normal between them.
fn pushed(shapes: &[Arc<Shape>], q: &Query) -> Query {
    let [a, b] = q.meshes.map(|k| &shapes[k]);
    let options = QueryOptions::EVERYTHING;
    let row = clearsweep_narrow::query_one(a, b, &q.poses[0], &q.poses[1], &options);
    // The normal is one of A's frame.
    let n = Pose { position: Vec3::ZERO, rest: Vec3::ZERO, ..q.poses[0] }.apply(row.normal);
    let step = n * -(row.distance + 0.01 * (a.radius + b.radius));
    let position = q.poses[1].position + step;
    Query { poses: [q.poses[0], Pose { position, ..q.poses[1] }], ..*q }
}

/// The OBJ files of all folders of a folder that have at least `least` triangles.
fn parts(folder: &Path, least: u64) -> Vec<Arc<Shape>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        files.extend(std::fs::read_dir(entry).unwrap().map(|entry| entry.unwrap().path()));
    }
    files.retain(|path| path.extension().is_some_and(|ext| ext == "obj"));
    files.sort();
    let shapes = files.into_iter().map(|path| Geometry::file(path, Some(Model::Mesh)).shape(0.0).unwrap());
    shapes.filter(|shape| shape.triangles >= least).collect()
}

/// Flat parts of a building whose boxes are less than 0.2 m apart: as they stand, and with one of
/// them turned.
fn building_cases(folder: &Path) {
    let shapes = parts(folder, 100);
    let ends: Vec<_> = shapes
        .iter()
        .map(|shape| {
            let (vertices, center) = (shape.mesh.as_ref().unwrap().vertices(), shape.center);
            let points = || vertices.iter().map(move |&p| p + center);
            let low = points().fold([f64::INFINITY; 3], |low, p| [0, 1, 2].map(|k: usize| low[k].min(p[k])));
            (low, points().fold([f64::NEG_INFINITY; 3], |high, p| [0, 1, 2].map(|k: usize| high[k].max(p[k]))))
        })
        .collect();
    let near =
        |i: usize, j: usize| (0..3).all(|k| ends[i].0[k] - 0.2 <= ends[j].1[k] && ends[j].0[k] - 0.2 <= ends[i].1[k]);
    let pairs: Vec<[usize; 2]> =
        (0..shapes.len()).flat_map(|i| (0..i).map(move |j| [j, i])).filter(|&[j, i]| near(i, j)).collect();
    let mut random = Random(4);
    let stride = pairs.len().div_ceil(4 * QUERIES).max(1);
    let place = |k: usize| Pose::IDENTITY.recentred(shapes[k].center);
    let still: Vec<Query> =
        pairs.iter().step_by(stride).map(|&meshes| Query { meshes, poses: meshes.map(place) }).collect();
    // About the middle of its box.
    let mut turn = |q: &Query| {
        let k = q.meshes[1];
        let middle = Vec3::from([0, 1, 2].map(|c: usize| 0.5 * (ends[k].0[c] + ends[k].1[c]))) - shapes[k].center;
        let about = Pose::new([0.0; 3], random.turn());
        let position = q.poses[1].position + (middle - about.apply(middle));
        Query { poses: [q.poses[0], Pose { position, q: about.q, ..q.poses[1] }], ..*q }
    };
    let turned: Vec<Query> = still.iter().map(&mut turn).collect();
    println!("\n{} parts of 100 triangles or more, {} pairs near each other", shapes.len(), pairs.len());
    for (name, queries) in [("as they stand", still), ("one of them turned", turned)] {
        let case = Case { name: String::new(), shapes: &shapes, queries, cutoff: 0.0 };
        let crosses = measured::<OrientedBoxes, 8>(&case).0;
        let which = |yes: bool| {
            let chosen = case.queries.iter().zip(&crosses).filter(|(_, d)| (**d == 0.0) == yes);
            chosen.map(|(q, _)| *q).take(QUERIES).collect::<Vec<_>>()
        };
        for (what, yes, cutoff) in [
            ("distance", false, f64::INFINITY),
            ("do they cross? (no)", false, 0.0),
            ("do they cross? (yes)", true, 0.0),
        ] {
            compare(&Case { name: format!("building, {name}: {what}"), shapes: &shapes, queries: which(yes), cutoff });
        }
    }
}

fn main() {
    check();
    match std::env::var_os("PX_WORK") {
        Some(work) => peers_cases(Path::new(&work)),
        None => eprintln!("left out: PX_WORK does not name a folder of the peers' harness"),
    }
    match std::env::var_os("DUPLEX").filter(|folder| Path::new(folder).is_dir()) {
        Some(folder) => building_cases(Path::new(&folder)),
        None => eprintln!("left out: DUPLEX does not name a folder of parts"),
    }
}
