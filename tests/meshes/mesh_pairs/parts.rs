//! Meshes that are put together of convex solids: where they overlap, they are as deep as bodies of
//! pieces, or the bracket is narrower.

use super::depths::{is_apart, moved};
use super::{OPTIONS, at};
use crate::brute_force::surface_distance;
use clearsweep::Geometry;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_narrow::{Method, Proximity, Status, query_one};
use clearsweep_scene::{Model, Shape};
use clearsweep_testing::random::Random;
use clearsweep_testing::solids::Solid;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The least and the greatest corner of a box.
type Block = [[f64; 3]; 2];

/// How the solids of a body lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Layout {
    Apart,
    /// In a part of a face, or in a whole one.
    Touching,
    Crossing,
}

const LAYOUTS: [Layout; 3] = [Layout::Apart, Layout::Touching, Layout::Crossing];

/// Axis by axis, by how much two boxes overlap.
fn overlaps(a: &Block, b: &Block) -> [f64; 3] {
    [0, 1, 2].map(|k| a[1][k].min(b[1][k]) - a[0][k].max(b[0][k]))
}

fn lie(layout: Layout, block: &Block, others: &[Block]) -> bool {
    let least = |other: &Block| overlaps(block, other).into_iter().fold(f64::INFINITY, f64::min);
    let touches = |other: &Block| {
        let overlaps = overlaps(block, other);
        overlaps.iter().filter(|&&o| o > 0.0).count() == 2 && overlaps.contains(&0.0)
    };
    match layout {
        Layout::Apart => others.iter().all(|other| least(other) < 0.0),
        Layout::Touching => others.iter().all(|other| least(other) <= 0.0) && others.iter().any(touches),
        Layout::Crossing => others.iter().any(|other| least(other) > 0.0),
    }
}

/// Boxes between -1 and 1, with corners of few digits if they touch.
fn blocks(random: &mut Random, layout: Layout, count: usize) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    while found.len() < count {
        let mut ends = |_| {
            let pair = [random.signed(), random.signed()];
            let pair = if layout == Layout::Touching { pair.map(|c| (4.0 * c).round() / 4.0) } else { pair };
            [pair[0].min(pair[1]), pair[0].max(pair[1])]
        };
        let sides = [0, 1, 2].map(&mut ends);
        let block = [sides.map(|s| s[0]), sides.map(|s| s[1])];
        let is_thick = sides.iter().all(|s| s[1] - s[0] > 0.1);
        if is_thick && (found.is_empty() || lie(layout, &block, &found)) {
            found.push(block);
        }
    }
    found
}

/// The surface of a box: its eight corners, and two triangles for each side.
fn surface([low, high]: &Block) -> Solid {
    let vertices = (0..8).map(|k| [0, 1, 2].map(|i| if k >> i & 1 == 1 { high[i] } else { low[i] })).collect();
    let sides = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    Solid { vertices, triangles: sides.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect() }
}

/// Convex solids that are one body, and by how much it grows.
struct Parts {
    list: Vec<Solid>,
    growth: f64,
}

impl Parts {
    fn of_blocks(blocks: &[Block]) -> Self {
        Self { list: blocks.iter().map(surface).collect(), growth: 0.0 }
    }

    /// Double pyramids and boxes.
    fn random(random: &mut Random, count: usize, growth: f64) -> Self {
        let mut list = Vec::new();
        for number in 0..count {
            let size = (random.vec3() * 0.2 + Vec3::new(0.35, 0.35, 0.35)).to_array();
            let mut solid = match number % 2 {
                0 => Solid::ball(1.0, 2, 3 + number, |_| 0.0),
                _ => Solid::cuboid([1.0; 3], 1),
            };
            solid.vertices.iter_mut().for_each(|v| v.iter_mut().zip(size).for_each(|(c, s)| *c *= s));
            list.push(solid.moved((random.vec3() * 0.6).to_array()));
        }
        Self { list, growth }
    }

    fn as_mesh(&self) -> Arc<Shape> {
        self.list.iter().fold(Solid::default(), |all, solid| all.and(solid)).shape(Model::Mesh, self.growth)
    }

    fn as_pieces(&self) -> Arc<Shape> {
        let lists = self.list.iter().map(|solid| solid.vertices.clone()).collect();
        Geometry::Pieces(lists).shape(self.growth).expect("a body")
    }

    fn as_hull(&self) -> Arc<Shape> {
        assert_eq!(self.list.len(), 1, "one solid");
        self.list[0].shape(Model::Hull, self.growth)
    }
}

/// The row of two bodies; witness points are the matter of `witness_points`.
fn ask(a: &Shape, b: &Shape, pose: &Pose) -> Proximity {
    assert!(a.center == Vec3::ZERO && b.center == Vec3::ZERO);
    let row = query_one(a, b, &Pose::IDENTITY, pose, &OPTIONS);
    assert!(
        row.lower <= row.distance && row.lower <= row.upper && (row.normal.length() - 1.0).abs() < 1e-12,
        "{row:?}"
    );
    row
}

/// Holds the row of a mesh against that of the same bodies of pieces.
fn is_no_wider(row: &Proximity, pieces: &Proximity) {
    assert!(row.lower >= pieces.lower - 1e-14 && row.upper <= pieces.upper + 1e-14, "{row:?} {pieces:?}");
}

/// The least length by which boxes `b` have to be moved to meet no inside of boxes `a`; 0 if they
/// do not overlap.
///
/// A translation is blocked by the insides of the differences of pairs of boxes. The nearest one
/// that is free lies at a side of one of these, or at 0, along each axis: it is the nearest point
/// of a closed cell of the grid of all sides.
fn depth_of_blocks(a: &[Block], b: &[Block], offset: Vec3<f64>) -> f64 {
    let offset = offset.to_array();
    let difference = |x: &Block, y: &Block| {
        [[0, 1, 2].map(|k| x[0][k] - y[1][k] - offset[k]), [0, 1, 2].map(|k| x[1][k] - y[0][k] - offset[k])]
    };
    let blocked: Vec<Block> = a.iter().flat_map(|x| b.iter().map(move |y| difference(x, y))).collect();
    let lines = [0, 1, 2].map(|k| {
        let sides = blocked.iter().flat_map(|block| [block[0][k], block[1][k]]);
        let mut lines: Vec<f64> = sides.chain([0.0]).collect();
        lines.sort_by(|p, q| p.abs().total_cmp(&q.abs()));
        lines
    });
    let mut best = f64::INFINITY;
    for &x in &lines[0] {
        for &y in &lines[1] {
            if x.hypot(y) >= best {
                continue;
            }
            for &z in &lines[2] {
                let (t, length) = ([x, y, z], (x * x + y * y + z * z).sqrt());
                let is_in = |block: &Block| (0..3).all(|k| block[0][k] < t[k] && t[k] < block[1][k]);
                if length < best && !blocked.iter().any(is_in) {
                    best = length;
                }
            }
        }
    }
    best
}

#[test]
fn boxes_of_one_mesh_are_as_deep_as_their_pairs_tell() {
    let mut random = Random(31);
    let mut counts: BTreeMap<(Layout, &str), [usize; 2]> = BTreeMap::new();
    let mut apart = 0;
    for number in 0..360 {
        let layout = LAYOUTS[number % 3];
        let a = blocks(&mut random, layout, 2 + number % 5);
        let (kind, of_b) =
            [("mesh", 2 + number % 4), ("pieces", 2 + number % 3), ("hull", 1), ("box", 1)][number / 3 % 4];
        let b = blocks(&mut random, LAYOUTS[number / 12 % 3], of_b);
        let (of_a, of_b) = (Parts::of_blocks(&a), Parts::of_blocks(&b));
        let (x, pieces) = (of_a.as_mesh(), [of_a.as_pieces(), of_b.as_pieces()]);
        let y = match kind {
            "mesh" | "box" => of_b.as_mesh(),
            "pieces" => of_b.as_pieces(),
            _ => of_b.as_hull(),
        };
        let offset = random.vec3() * 0.7;
        let depth = depth_of_blocks(&a, &b, offset);
        let of_pieces = ask(&pieces[0], &pieces[1], &at(offset.x, offset.y, offset.z));
        for (x, y, offset, pieces) in [
            (&x, &y, offset, of_pieces),
            (&y, &x, -offset, ask(&pieces[1], &pieces[0], &at(-offset.x, -offset.y, -offset.z))),
        ] {
            let row = ask(x, y, &at(offset.x, offset.y, offset.z));
            if depth == 0.0 {
                assert!(row.status != Status::Penetrating, "{row:?}");
                apart += 1;
                continue;
            }
            assert!(
                row.lower <= -depth && -depth <= row.upper,
                "{number} {kind} {layout:?} {depth}\n{row:?}\n{pieces:?}"
            );
            assert!(row.method == Method::Bound && row.part.iter().all(|&part| part >= 0), "{row:?}");
            is_no_wider(&row, &pieces);
            let count = counts.entry((layout, kind)).or_default();
            count[0] += 1;
            count[1] += usize::from(row.upper - row.lower < 1e-11);
        }
    }
    let all = counts.values().fold([0; 2], |sum, count| [sum[0] + count[0], sum[1] + count[1]]);
    assert!(counts.len() == 12 && counts.values().all(|count| count[0] >= 20), "not representative: {counts:?}");
    assert!(apart >= 100 && all[1] >= 150, "not representative: {apart} {counts:?}");
}

/// Whether the bodies are apart, by all pairs of their solids, as far as rounding lets it be told.
fn are_apart(a: &Parts, b: &Parts, pose: &Pose) -> bool {
    let growth = a.growth + b.growth;
    a.list
        .iter()
        .all(|x| b.list.iter().all(|y| is_apart(x, y, pose) && surface_distance(x, y, pose)[0] >= growth - 1e-12))
}

#[test]
fn turned_and_rounded_solids_are_as_deep_as_translations_tell() {
    let mut random = Random(37);
    let mut counts: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for number in 0..210 {
        let kind = ["mesh", "pieces", "hull", "rounded hull", "sphere", "rounded mesh", "rounded pieces"][number % 7];
        let growth = if kind.starts_with("rounded") { 0.05 + 0.1 * random.signed().abs() } else { 0.0 };
        let a = Parts::random(&mut random, 2 + number / 7 % 5, if number % 3 == 0 { 0.04 } else { 0.0 });
        let mut b = Parts::random(&mut random, if kind.ends_with("hull") { 1 } else { 2 + number / 7 % 3 }, growth);
        if kind == "sphere" {
            let point = Solid { vertices: vec![[0.0; 3]], triangles: vec![[0; 3]] };
            b = Parts { list: vec![point], growth: 0.1 + 0.2 * random.signed().abs() };
        }
        let (pieces_a, pieces_b) = (a.as_pieces(), b.as_pieces());
        let y = match kind {
            "mesh" | "rounded mesh" => b.as_mesh(),
            "pieces" | "rounded pieces" => b.as_pieces(),
            "sphere" => Geometry::Sphere(b.growth).shape(0.0).expect("a body"),
            _ => b.as_hull(),
        };
        let (x, pose) = (a.as_mesh(), random.pose(0.7));
        let there = Pose::new(pose.position.to_array(), pose.q);
        let row = ask(&x, &y, &there);
        if row.status != Status::Penetrating {
            assert!(row.distance < 1e-6 || are_apart(&a, &b, &pose), "{row:?}");
            continue;
        }
        is_no_wider(&row, &ask(&pieces_a, &pieces_b, &pose));
        assert!(are_apart(&a, &b, &moved(&pose, row.normal * -row.lower)), "{number} {kind} {row:?}");
        let mut shorter = 0;
        for turn in 0..12 {
            let n = (row.normal + random.vec3() * if turn % 2 == 0 { 0.5 } else { 4.0 }).normalized();
            let by = n * (-row.upper * (0.6 + 0.399_999 * random.signed().abs()));
            assert!(!are_apart(&a, &b, &moved(&pose, by)), "{number} {kind} {row:?} {by:?}");
            shorter += 1;
        }
        // The other order: A in the frame of B.
        let back = inverse(&pose);
        let swapped = ask(&y, &x, &back);
        is_no_wider(&swapped, &ask(&pieces_b, &pieces_a, &back));
        assert!(swapped.lower <= row.upper + 1e-12 && row.lower <= swapped.upper + 1e-12, "{row:?} {swapped:?}");
        let count = counts.entry(kind).or_default();
        *count = [count[0] + 1, count[1] + shorter, count[2] + usize::from(row.upper - row.lower < 1e-11)];
    }
    assert!(counts.len() == 7 && counts.values().all(|count| count[0] >= 15 && count[1] >= 150), "{counts:?}");
}

/// An L of two boxes as one surface.
fn ell() -> (Solid, [Block; 2]) {
    let outline = [[-1.0, -1.0], [1.0, -1.0], [1.0, -0.5], [-0.5, -0.5], [-0.5, 1.0], [-1.0, 1.0]];
    let vertices = [-0.25, 0.25].iter().flat_map(|&z| outline.map(|[x, y]| [x, y, z])).collect();
    let mut triangles: Vec<[usize; 3]> = (1..5).flat_map(|i| [[0, i + 1, i], [6, 6 + i, 7 + i]]).collect();
    triangles.extend((0..6).flat_map(|i| {
        let next = (i + 1) % 6;
        [[i, next, 6 + next], [i, 6 + next, 6 + i]]
    }));
    let [lying, standing] = [[1.0, -0.5], [-0.5, 1.0]];
    let block = |[x, y]: [f64; 2]| [[-1.0, -1.0, -0.25], [x, y, 0.25]];
    (Solid { vertices, triangles }, [block(lying), block(standing)])
}

#[test]
fn solids_with_a_cavity_or_a_hollow_edge_are_cut_into_cells() {
    let mut random = Random(41);
    let (shell, ell) = ([[-1.0; 3], [1.0; 3]], ell());
    let hollow = surface(&shell).and(&surface(&[[-0.5; 3], [0.5; 3]]).flipped());
    let walls = (0..3).flat_map(|axis| {
        [(-1.0, -0.5), (0.5, 1.0)].map(|(low, high)| {
            let mut wall = shell;
            (wall[0][axis], wall[1][axis]) = (low, high);
            wall
        })
    });
    let beside = [[1.25, -1.0, -0.25], [1.5, 1.0, 0.25]];
    let bodies =
        [(hollow, walls.collect::<Vec<_>>()), (ell.0.and(&surface(&beside)), [&ell.1[..], &[beside]].concat())];
    let (mut counts, mut sharp) = ([[0; 2]; 2], [0; 2]);
    for number in 0..120 {
        let (solid, of_a) = &bodies[number % 2];
        let size = if number % 4 < 2 { 0.3 } else { 1.0 };
        let scaled = |block: Block| block.map(|corner| corner.map(|c| size * c));
        let of_b: Vec<Block> = blocks(&mut random, LAYOUTS[number % 3], 2).into_iter().map(scaled).collect();
        let offset = random.vec3() * if size < 1.0 { 0.3 + 0.7 * f64::from(u8::from(number % 8 > 3)) } else { 0.9 };
        let (x, y) = (solid.shape(Model::Mesh, 0.0), Parts::of_blocks(&of_b).as_mesh());
        let depth = depth_of_blocks(of_a, &of_b, offset);
        for row in [ask(&x, &y, &at(offset.x, offset.y, offset.z)), ask(&y, &x, &at(-offset.x, -offset.y, -offset.z))] {
            if depth == 0.0 {
                assert!(row.status != Status::Penetrating && row.upper >= 0.0, "{number} {row:?}");
            } else {
                assert!(row.lower <= -depth && -depth <= row.upper, "{number} {depth} {row:?}");
                sharp[number % 2] += usize::from(row.upper - row.lower < 1e-11);
            }
            counts[number % 2][usize::from(depth > 0.0)] += 1;
        }
    }
    assert!(counts.iter().flatten().all(|&n| n >= 10), "not representative: {counts:?}");
    // Walls around a cavity push together in several directions, as pieces do.
    assert!(4 * sharp[0] >= counts[0][1] && 2 * sharp[1] >= counts[1][1], "{sharp:?} of {counts:?} are sharp");
}

/// The pose of A's frame in B's.
fn inverse(pose: &Pose) -> Pose {
    let [w, x, y, z] = pose.q;
    let turn = Pose::new([0.0; 3], [w, -x, -y, -z]);
    Pose::new((-turn.apply(pose.position)).to_array(), turn.q)
}
