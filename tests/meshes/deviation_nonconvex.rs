//! Bodies of pieces and of triangles whose true surfaces are known up to a deviation: what
//! separates the stored bodies may press the true ones together elsewhere, and what crosses may be
//! thinner than it is known.

use clearsweep::{
    BodyBuilder, Geometry, Model, PairOptions, Pose, Proximity, ProximityQuery, SceneBuilder, Shape, Status,
};
use clearsweep_testing::random::Random;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// A vector of this length.
fn step(random: &mut Random, length: f64) -> [f64; 3] {
    random.direction().map(|c| length * c)
}

/// A prism over a polygon of convex quadrilaterals.
struct Prism {
    outline: Vec<[f64; 2]>,
    quads: Vec<[usize; 4]>,
    half_height: f64,
}

/// A channel 2 long: walls from 0.1 to 0.4 on both sides of a slot 0.2 wide and 1 deep.
fn channel() -> Prism {
    let outline =
        [[-0.4, -0.3], [0.4, -0.3], [0.4, 1.0], [0.1, 1.0], [0.1, 0.0], [-0.1, 0.0], [-0.1, 1.0], [-0.4, 1.0]];
    Prism { outline: outline.to_vec(), quads: vec![[0, 1, 4, 5], [1, 2, 3, 4], [0, 5, 6, 7]], half_height: 1.0 }
}

/// A rectangle of these half sides.
fn block([x, y, half_height]: [f64; 3]) -> Prism {
    Prism { outline: vec![[-x, -y], [x, -y], [x, y], [-x, y]], quads: vec![[0, 1, 2, 3]], half_height }
}

impl Prism {
    fn corner(&self, index: usize) -> [f64; 3] {
        let [x, y] = self.outline[index % self.outline.len()];
        [x, y, if index < self.outline.len() { -self.half_height } else { self.half_height }]
    }

    /// The triangles as OBJ, with each corner moved by `by`.
    fn obj(&self, random: &mut Random, by: f64) -> String {
        let n = self.outline.len();
        let mut text = String::new();
        for index in 0..2 * n {
            let (p, d) = (self.corner(index), step(random, by));
            writeln!(text, "v {:?} {:?} {:?}", p[0] + d[0], p[1] + d[1], p[2] + d[2]).expect("a string");
        }
        let mut quad = |a: usize, b: usize, c: usize, d: usize| {
            let [a, b, c, d] = [a, b, c, d].map(|i| i + 1);
            writeln!(text, "f {a} {b} {c}\nf {a} {c} {d}").expect("a string");
        };
        for &[a, b, c, d] in &self.quads {
            quad(d, c, b, a);
            quad(a + n, b + n, c + n, d + n);
        }
        for i in 0..n {
            let j = (i + 1) % n;
            quad(i, j, j + n, i + n);
        }
        text
    }

    /// The convex pieces, with each corner of each moved by `by`.
    fn pieces(&self, random: &mut Random, by: f64) -> Geometry {
        let n = self.outline.len();
        let corners = |quad: &[usize; 4]| quad.iter().flat_map(|&i| [i, i + n]).collect::<Vec<_>>();
        let mut moved = |index: usize| {
            let (p, d) = (self.corner(index), step(random, by));
            [0, 1, 2].map(|k| p[k] + d[k])
        };
        Geometry::Pieces(self.quads.iter().map(|quad| corners(quad).into_iter().map(&mut moved).collect()).collect())
    }

    /// Makes a shape of triangles or pieces, with corners moved by `by`, and with a deviation.
    fn shape(&self, dir: &Path, model: Model, random: &mut Random, [by, deviation]: [f64; 2]) -> Arc<Shape> {
        let geometry = if model == Model::Mesh {
            let path = dir.join("body.obj");
            fs::write(&path, self.obj(random, by)).expect("a file");
            Geometry::file(&path, Some(Model::Mesh))
        } else {
            self.pieces(random, by)
        };
        let body = BodyBuilder::new("body", geometry).deviation(deviation).fixed([0.0; 3], [1.0, 0.0, 0.0, 0.0]);
        let scene = SceneBuilder::new(1.0).body(body).build().expect("a scene");
        Arc::clone(&scene.bodies[0].shape)
    }
}

fn ask(a: &Shape, b: &Shape, at: &Pose, within: Option<f64>) -> Option<Proximity> {
    let options = PairOptions { within, ..PairOptions::default() };
    let first = Pose::new([0.0; 3], [1.0, 0.0, 0.0, 0.0]);
    ProximityQuery::new(a, b, &options).expect("options").proximity(&first, at).expect("poses")
}

fn at(position: [f64; 3]) -> Pose {
    Pose::new(position, [1.0, 0.0, 0.0, 0.0])
}

const MODELS: [Model; 2] = [Model::Mesh, Model::Pieces];

/// A tongue has 0.02 of play on both sides of the slot, and both bodies together may be thicker by
/// 0.03: then no small translation frees it. The shortest one takes it through a wall, and leaves
/// 0.03 between.
#[test]
fn a_tongue_without_play_is_deep_in_its_groove() {
    let folder = tempfile::tempdir().expect("scratch");
    let mut random = Random(3);
    for model in MODELS {
        let groove = channel().shape(folder.path(), model, &mut random, [0.0, 0.02]);
        let tongue = block([0.08, 0.4, 0.5]).shape(folder.path(), model, &mut random, [0.0, 0.01]);
        for (x, distance) in [(0.0, 0.02), (0.03, -0.01), (-0.015, 0.005)] {
            let row = ask(&groove, &tongue, &at([x, 0.5, 0.0]), None).expect("a row");
            let through_a_wall = 0.4 + 0.03 + 0.08 - f64::abs(x);
            assert!((row.distance - distance).abs() < 1e-9, "{model:?} {x}: {row:?}");
            assert!((row.lower + through_a_wall).abs() < 1e-3 * through_a_wall + 1e-9, "{model:?} {x}: {row:?}");
            assert!((row.upper - (distance + 0.03)).abs() < 1e-9, "{model:?} {x}: {row:?}");
            assert_eq!(row.status, Status::Touching);
        }
        // With more play than deviation the bracket is as that of convex bodies.
        let tongue = block([0.06, 0.4, 0.5]).shape(folder.path(), model, &mut random, [0.0, 0.01]);
        let row = ask(&groove, &tongue, &at([0.0, 0.5, 0.0]), None).expect("a row");
        assert!((row.lower - 0.01).abs() < 1e-9 && (row.upper - 0.07).abs() < 1e-9, "{row:?}");
        assert_eq!(row.status, Status::Separated);
        // The row is left out where the bracket is beyond the cut-off.
        for within in [0.01 - 1e-9, 0.01 + 1e-9] {
            assert_eq!(ask(&groove, &tongue, &at([0.0, 0.5, 0.0]), Some(within)).is_some(), within > 0.01);
        }
    }
}

/// Sheets thinner than their deviation may have holes where they cross; thick blocks overlap for
/// certain.
#[test]
fn a_penetration_is_claimed_of_what_is_thicker_than_its_deviation() {
    let folder = tempfile::tempdir().expect("scratch");
    let mut random = Random(5);
    let shape =
        |half: [f64; 3], random: &mut Random| block(half).shape(folder.path(), Model::Mesh, random, [0.0, 0.05]);
    let (wall, fin) = (shape([1.0, 0.01, 1.0], &mut random), shape([0.01, 1.0, 0.5], &mut random));
    let row = ask(&wall, &fin, &at([0.0; 3]), None).expect("a row");
    // The value is the end near 0 of the bracket of the stored blocks.
    assert!(row.distance < -0.1 && row.distance > -0.2 && row.lower < -1.01 - 0.0999, "{row:?}");
    assert!(row.upper >= 0.0 && row.status == Status::Touching, "{row:?}");
    let (one, other) = (shape([0.5; 3], &mut random), shape([0.5; 3], &mut random));
    let row = ask(&one, &other, &at([0.6, 0.05, 0.02]), None).expect("a row");
    assert!((row.distance + 0.4).abs() < 1e-3 && (row.lower + 0.5).abs() < 1e-3, "{row:?}");
    assert!(row.upper < -0.25 && row.status == Status::Penetrating, "{row:?}");
}

/// Bodies whose corners are moved by less than their deviation.
#[test]
fn the_bracket_contains_the_signed_distances_of_all_perturbed_bodies() {
    let folder = tempfile::tempdir().expect("scratch");
    let mut random = Random(11);
    let (mut apart, mut near, mut deep) = (0, 0, 0);
    for case in 0..120 {
        let model = MODELS[case % 2];
        let deviations = [[0.02, 0.01], [0.0, 0.03], [0.03, 0.0]][case % 3];
        let bodies = [channel(), block([0.07, 0.4, 0.5])];
        let [a, b] = [0, 1].map(|k| bodies[k].shape(folder.path(), model, &mut random, [0.0, deviations[k]]));
        let reach = [0.035, 0.3, 1.2][case / 2 % 3];
        let turn = step(&mut random, 0.2 * reach);
        let norm = (1.0 + turn.iter().map(|c| c * c).sum::<f64>()).sqrt();
        let place = step(&mut random, reach);
        let pose = Pose::new([place[0], place[1] + 0.5, place[2]], [1.0, turn[0], turn[1], turn[2]].map(|c| c / norm));
        let row = ask(&a, &b, &pose, None).expect("a row");
        for _ in 0..5 {
            let [c, d] =
                [0, 1].map(|k| bodies[k].shape(folder.path(), model, &mut random, [0.999_999 * deviations[k], 0.0]));
            let truth = ask(&c, &d, &pose, None).expect("a row");
            // The true depth is somewhere in its own bracket; a true distance is known.
            assert!(row.lower <= truth.upper && truth.lower <= row.upper, "{case}: {row:?} {truth:?}");
            let is_apart = truth.lower > 0.0;
            assert!(!is_apart || (row.lower <= truth.lower && truth.upper <= row.upper), "{case}: {row:?} {truth:?}");
        }
        apart += usize::from(row.status == Status::Separated);
        near += usize::from(row.lower < 0.0 && row.distance > 0.0);
        deep += usize::from(row.status == Status::Penetrating);
    }
    assert!(apart > 15 && near > 15 && deep > 15, "not representative: {apart} {near} {deep}");
}
