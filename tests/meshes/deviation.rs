//! Bodies whose true surfaces are known up to a deviation: their brackets contain whatever these
//! may be.

use crate::program::expect;
use clearsweep::{BodyBuilder, Geometry, PairOptions, Pose, Proximity, ProximityQuery, SceneBuilder, Shape, Status};
use clearsweep_testing::folder::tables;
use clearsweep_testing::random::Random;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

fn pose(random: &mut Random, far: f64) -> Pose {
    Pose::new(random.in_cube(far), random.turn())
}

fn shape(points: &[[f64; 3]], offset: f64, deviation: f64) -> Arc<Shape> {
    let body = BodyBuilder::new("body", Geometry::Points(points.to_vec())).offset(offset).deviation(deviation);
    let scene = SceneBuilder::new(1.0).body(body.fixed([0.0; 3], [1.0, 0.0, 0.0, 0.0])).build().expect("a scene");
    Arc::clone(&scene.bodies[0].shape)
}

fn ask(a: &Shape, b: &Shape, poses: &[Pose; 2], within: Option<f64>) -> Option<Proximity> {
    let options = PairOptions { within, ..PairOptions::default() };
    ProximityQuery::new(a, b, &options).expect("options").proximity(&poses[0], &poses[1]).expect("poses")
}

/// Points moved by at most `by` each, most of them by all of it: the Hausdorff distance of the
/// hulls is at most `by`.
fn moved(random: &mut Random, points: &[[f64; 3]], by: f64) -> Vec<[f64; 3]> {
    let step = |random: &mut Random| {
        let d = random.vector();
        let n = d.iter().map(|c| c * c).sum::<f64>().sqrt();
        d.map(|c| if n > 0.1 { 0.999_999 * by * c / n } else { 0.0 })
    };
    points.iter().map(|&p| (p, step(random))).map(|(p, d)| [p[0] + d[0], p[1] + d[1], p[2] + d[2]]).collect()
}

#[test]
fn the_bracket_contains_the_distances_of_all_perturbed_bodies() {
    let mut random = Random(7);
    let (mut apart, mut deep, mut moved_far) = (0, 0, 0);
    for case in 0..150 {
        let points = [(); 2].map(|()| (0..8).map(|_| random.vector()).collect::<Vec<_>>());
        let deviations = [[0.02, 0.0], [0.0, 0.05], [0.01, 0.03]][case % 3];
        let offsets = [[0.0, 0.0], [0.1, 0.0]][case % 2];
        let [a, b] = [0, 1].map(|k| shape(&points[k], offsets[k], deviations[k]));
        let poses = [pose(&mut random, 0.1), pose(&mut random, if case % 5 == 0 { 0.3 } else { 2.5 })];
        let answer = ask(&a, &b, &poses, None).expect("any distance has an answer");
        let exact = [0, 1].map(|k| shape(&points[k], offsets[k], 0.0));
        let stored = ask(&exact[0], &exact[1], &poses, None).expect("an answer");
        let sum = deviations[0] + deviations[1];
        // All but the bracket and what follows from it is that of the stored bodies.
        assert_eq!(Proximity { lower: stored.lower, upper: stored.upper, status: stored.status, ..answer }, stored);
        assert!(answer.lower <= stored.lower - sum && answer.lower > stored.lower - sum - 1e-12, "{answer:?}");
        assert!(answer.upper >= stored.upper + sum && answer.upper < stored.upper + sum + 1e-12, "{answer:?}");
        for _ in 0..20 {
            let [c, d] = [0, 1].map(|k| shape(&moved(&mut random, &points[k], deviations[k]), offsets[k], 0.0));
            let truth = ask(&c, &d, &poses, None).expect("an answer");
            assert!(answer.lower <= truth.lower && truth.upper <= answer.upper, "{case}: {answer:?} {truth:?}");
            moved_far += usize::from((truth.distance - stored.distance).abs() > 0.5 * sum);
        }
        apart += usize::from(answer.status == Status::Separated);
        deep += usize::from(answer.status == Status::Penetrating);
        // A cut-off leaves the pair out exactly where the wide bracket is beyond it.
        for within in [answer.lower - 1e-9, answer.lower + 1e-9].into_iter().filter(|within| *within >= 0.0) {
            let found = ask(&a, &b, &poses, Some(within));
            assert_eq!(found.is_some(), answer.lower <= within, "{case}: within {within}");
            assert!(found.is_none_or(|found| found == answer), "{case}: {found:?} {answer:?}");
        }
    }
    assert!(apart > 40 && deep > 40 && moved_far > 200, "not representative: {apart} {deep} {moved_far}");
}

/// The cells of a table, by column.
fn read(dir: &Path, table: &str) -> BTreeMap<String, Vec<String>> {
    let file = fs::File::open(dir.join(table).join("part-00000.parquet")).expect("a table");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("a table").build().expect("a reader");
    let mut cells: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for batch in reader {
        let batch = batch.expect("a batch");
        for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
            let text = |row| arrow_cast::display::array_value_to_string(column, row).expect("a value");
            cells.entry(field.name().clone()).or_default().extend((0..batch.num_rows()).map(text));
        }
    }
    cells
}

/// Rows by their keys: the columns of these names.
fn by_key(cells: &BTreeMap<String, Vec<String>>, columns: &[&str]) -> BTreeMap<Vec<i64>, Vec<String>> {
    let key = |row: usize| {
        ["run", "frame", "a_index", "b_index"].map(|name| cells[name][row].parse().expect("an integer")).to_vec()
    };
    let values = |row: usize| columns.iter().map(|name| cells[*name][row].clone()).collect();
    (0..cells["run"].len()).map(|row| (key(row), values(row))).collect()
}

/// The crowd of the repository, with these keys added to some of its bodies, and a wider cut-off.
fn crowd(dir: &Path, within: f64, keys: impl Fn(usize) -> String) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/crowd");
    let text = fs::read_to_string(from.join("scene.toml")).expect("the crowd");
    let mut body = 0..;
    let add = |line: &str| match line {
        "[[body]]" => format!("{line}\n{}", keys(body.next().unwrap_or(0))),
        _ if line.starts_with("within = ") => format!("within = {within:?}"),
        _ => line.to_owned(),
    };
    let lines: Vec<String> = text.lines().map(add).collect();
    fs::create_dir(dir).expect("a folder");
    fs::write(dir.join("scene.toml"), lines.join("\n")).expect("written");
    fs::copy(from.join("trajectories.parquet"), dir.join("trajectories.parquet")).expect("copied");
}

#[test]
fn tables_are_those_of_the_stored_bodies_with_wider_brackets() {
    let scratch = tempfile::tempdir().expect("scratch");
    let dir = scratch.path();
    let deviation = |body: usize| [0.0, 0.02, 0.0, 0.005, 0.0][body % 5];
    let keys =
        |body: usize| if deviation(body) > 0.0 { format!("deviation = {:?}", deviation(body)) } else { String::new() };
    crowd(&dir.join("wide"), 0.05, keys);
    // All rows that a deviation can bring.
    crowd(&dir.join("stored"), 0.0901, |_| String::new());
    expect(dir, "run wide/scene.toml --out o", 0);
    expect(dir, "run stored/scene.toml --out s", 0);
    let (wide, stored) = (read(&dir.join("o"), "distances"), read(&dir.join("s"), "distances"));
    let same = ["distance_m", "a_x", "b_z", "n_y", "feature_a", "feature_b_kind", "method", "part_b"];
    let (found, all) = (by_key(&wide, &same), by_key(&stored, &same));
    let ends = |cells| by_key(cells, &["lower_m", "upper_m", "status"]);
    let (found_ends, all_ends) = (ends(&wide), ends(&stored));
    let (mut widened, mut more, mut expected) = (0, 0, 0);
    for (key, of_stored) in &all_ends {
        let sum = deviation(key[2] as usize) + deviation(key[3] as usize);
        let number = |text: &str| text.parse::<f64>().expect("a number");
        let (lower, upper) = (number(&of_stored[0]), number(&of_stored[1]));
        let Some(ends) = found_ends.get(key) else {
            assert!(lower - sum > 0.05 - 1e-12, "{key:?}: a row is missing at {lower} less {sum}");
            continue;
        };
        expected += 1;
        assert_eq!(found[key], all[key], "{key:?}");
        let (low, high) = (number(&ends[0]), number(&ends[1]));
        assert!(low <= lower - sum && low > lower - sum - 1e-12, "{key:?}");
        assert!(high >= upper + sum && high < upper + sum + 1e-12, "{key:?}");
        let status = if low > 1e-6 {
            "separated"
        } else if high < -1e-6 {
            "penetrating"
        } else {
            "touching"
        };
        assert_eq!(ends[2], status, "{key:?}");
        widened += usize::from(sum > 0.0);
        more += usize::from(lower > 0.05);
    }
    assert_eq!(found_ends.len(), expected, "rows of no stored pair");
    assert!(widened > 500 && more > 20, "not representative: {widened} {more}");
    let (deep, of_status) = (read(&dir.join("o"), "penetrations"), &wide["status"]);
    assert_eq!(deep["run"].len(), of_status.iter().filter(|status| *status == "penetrating").count());
    let least = deep["depth_lower_m"].iter().map(|text| text.parse::<f64>().expect("a number"));
    assert!(least.fold(f64::INFINITY, f64::min) >= 0.0);

    let first = tables(&dir.join("o"));
    let ways = [
        "--threads 1 --narrow gjk",
        "--threads 3 --narrow vclip --broad brute",
        "--broad coherent-hash",
        "--broad sweep",
        "--broad tree",
    ];
    for (number, way) in ways.iter().enumerate() {
        expect(dir, &format!("run wide/scene.toml --out o{number} {way}"), 0);
        let other = tables(&dir.join(format!("o{number}")));
        assert!(first.keys().eq(other.keys()), "{way}");
        for (name, bytes) in &first {
            assert!(other[name] == *bytes, "{way}: {} differs", name.display());
        }
    }
}
