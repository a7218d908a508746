//! The tables as other programs read them.
#![allow(clippy::print_stderr)] // reports skipped tests

use clearsweep_tables as lib;
#[path = "../support/table_fixture.rs"]
pub(crate) mod fixture;
mod intervals;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use clearsweep::ErrorKind;
use clearsweep_narrow::{FeatureKind, Method, Status};
use clearsweep_scene::model::IgnoredPairs;
use clearsweep_scene::{Candidate, FrameBlock, Motion, Scene};
use clearsweep_tables::{DistanceColumns, FinishedTables, Row, TableOptions, TableWriter, Totals};
use fixture::{Results, ResultsPlan, files, in_calls, moving, options, results, scene, write_all};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, Encoding};
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;

const PLAN: ResultsPlan = ResultsPlan { blocks: 6, run_length: 50, pairs: 60, gap: 5, seed: 3 };

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("pool")
}

fn write(s: &Scene, o: &TableOptions, results: &[Results]) -> FinishedTables {
    let mut writer = TableWriter::create(s, o).expect("create");
    write_all(&mut writer, results).expect("write");
    let done = writer.finish().expect("finish");
    let rows = done.totals.rows;
    let manifest = serde_json::json!({"program": "clearsweep", "version": "0", "schema_version": 1, "rows": rows});
    done.write_manifest(&manifest).expect("manifest");
    done
}

/// A whole table as one batch.
fn read(path: &Path) -> RecordBatch {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).expect("file")).expect("parquet");
    let schema = reader.schema().clone();
    let batches: Vec<_> = reader.with_batch_size(1 << 22).build().expect("reader").map(|b| b.expect("batch")).collect();
    assert!(batches.len() <= 1);
    batches.into_iter().next().unwrap_or_else(|| RecordBatch::new_empty(schema))
}

fn metadata(path: &Path) -> ParquetMetaData {
    let reader = ParquetMetaDataReader::new().with_page_index_policy(PageIndexPolicy::Required);
    reader.parse_and_finish(&File::open(path).expect("file")).expect("metadata")
}

fn f64s(batch: &RecordBatch, name: &str) -> Vec<Option<f64>> {
    batch[name].as_primitive::<Float64Type>().iter().collect()
}

/// Integers of either width.
fn ints(batch: &RecordBatch, name: &str) -> Vec<Option<i64>> {
    match batch[name].data_type() {
        DataType::Int32 => batch[name].as_primitive::<Int32Type>().iter().map(|v| v.map(i64::from)).collect(),
        _ => batch[name].as_primitive::<Int64Type>().iter().collect(),
    }
}

fn words(batch: &RecordBatch, name: &str) -> Vec<Option<String>> {
    let array = batch[name].as_dictionary::<Int32Type>();
    let values = array.values().as_string::<i32>();
    array.keys().iter().map(|k| k.map(|k| values.value(k as usize).to_owned())).collect()
}

/// `name:type:unit`, `?` where nullable.
fn described(path: &Path) -> String {
    let batch = read(path);
    let field = |f: &std::sync::Arc<arrow_schema::Field>| {
        let kind = match f.data_type() {
            DataType::Int64 => "i64",
            DataType::Int32 => "i32",
            DataType::Float64 => "f64",
            DataType::Utf8 => "str",
            DataType::Boolean => "bool",
            DataType::Dictionary(k, v) if **k == DataType::Int32 && **v == DataType::Utf8 => "dict",
            DataType::List(e) if *e.data_type() == DataType::Utf8 && e.name() == "element" => "list",
            other => panic!("{other}"),
        };
        let unit = f.metadata().get("unit").map(|u| format!(":{u}")).unwrap_or_default();
        format!("{}:{kind}{}{unit}", f.name(), if f.is_nullable() { "?" } else { "" })
    };
    batch.schema().fields().iter().map(field).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_columns_are_those_of_the_contract() {
    let dir = tempfile::tempdir().expect("dir");
    let (all, few) = (dir.path().join("all"), dir.path().join("few"));
    let s = scene(20, true);
    let results = results(&s, PLAN);
    write(&s, &options(&all), &results);
    write(&s, &TableOptions { columns: DistanceColumns::Distance, ..options(&few) }, &results);
    let keys = "run:i64 frame:i64 time_s:f64?:s a_index:i32 b_index:i32 body_a:dict body_b:dict";
    let short = format!("{keys} distance_m:f64:m lower_m:f64?:m upper_m:f64?:m status:dict");
    let long = "a_x:f64:m a_y:f64:m a_z:f64:m b_x:f64:m b_y:f64:m b_z:f64:m n_x:f64:1 n_y:f64:1 n_z:f64:1 \
                part_a:i32 part_b:i32 feature_a:i32 feature_b:i32 feature_a_kind:dict feature_b_kind:dict method:dict";
    assert_eq!(described(&all.join("distances/part-00000.parquet")), format!("{short} {long}"));
    assert_eq!(described(&few.join("distances/part-00000.parquet")), short);
    let depth = "depth_m:f64:m depth_lower_m:f64:m depth_upper_m:f64:m d_x:f64:1 d_y:f64:1 d_z:f64:1 \
                 protrusion_m:f64?:m";
    assert_eq!(described(&all.join("penetrations/part-00000.parquet")), format!("{keys} {depth}"));
    assert_eq!(
        described(&all.join("pairs.parquet")),
        "run:i64 a_index:i32 b_index:i32 body_a:dict body_b:dict frames_candidate:i64 frames_within:i64 \
         frames_penetrating:i64 min_distance_m:f64:m lower_m:f64?:m upper_m:f64?:m frame_of_min:i64 \
         time_of_min_s:f64?:s place_x:f64?:m place_y:f64?:m place_z:f64?:m max_step_m:f64:m"
    );
    assert_eq!(
        described(&all.join("runs.parquet")),
        "run:i64 frames:i64 rows:i64 pairs_possible:i64 pairs_ignored:i64 pairs_candidate:i64 min_distance_m:f64?:m \
         a_index:i32? b_index:i32? body_a:dict? body_b:dict? frame_of_min:i64? violated:i64 violates:bool? undecided:i64 \
         uncertified:i64"
    );
    assert_eq!(
        described(&all.join("events.parquet")),
        "rule:dict severity:dict required_m:f64:m run:i64 a_index:i32 b_index:i32 body_a:dict body_b:dict \
         begin_frame:i64 begin_s:f64?:s end_frame:i64 end_s:f64?:s samples:i64 intervals:i64 lower_m:f64?:m \
         upper_m:f64?:m frame_of_least:i64 time_of_least_s:f64?:s place_x:f64?:m place_y:f64?:m place_z:f64?:m \
         kind:dict state:dict issue:dict"
    );
    assert_eq!(
        described(&all.join("issues.parquet")),
        "issue:dict group:dict rule:dict severity:dict state:dict kind:dict? events:i64 pairs:i64 runs:i64 \
         lower_m:f64?:m upper_m:f64?:m first_frame:i64? last_frame:i64? box_min_x:f64?:m box_min_y:f64?:m \
         box_min_z:f64?:m box_max_x:f64?:m box_max_y:f64?:m box_max_z:f64?:m volume_lower_m3:f64?:m3 \
         volume_upper_m3:f64?:m3 note:dict?"
    );
    assert_eq!(
        described(&all.join("bodies.parquet")),
        "body:str index:i32 model:str vertices:i64 triangles:i64 pieces:i32 watertight:bool? radius_m:f64:m groups:list \
         convex:bool? hull_excess_m:f64?:m hull_volume_m3:f64?:m3 mesh_volume_m3:f64?:m3 deviation_m:f64:m solid:bool? \
         components:i64? boundary_edges:i64? nonmanifold_edges:i64? welded_vertices:i64? unused_vertices:i64? \
         degenerate_triangles:i64? duplicate_triangles:i64? turned_triangles:i64? self_contacts:i64? \
         self_contacts_at_least:bool? decomposition_deviation_m:f64?:m weld_shift_m:f64?:m warped_triangles:i64? \
         polygon_warp_m:f64?:m inside:str coordinate_step_m:f64?:m deviation_source:str"
    );
}

#[test]
fn files_say_who_wrote_them_how_they_are_sorted_and_in_which_units() {
    let dir = tempfile::tempdir().expect("dir");
    let s = scene(20, true);
    write(&s, &options(&dir.path().join("out")), &results(&s, PLAN));
    let mut names = Vec::new();
    for (name, _) in files(dir.path()).iter().filter(|(name, _)| name.ends_with(".parquet")) {
        names.push(name.clone());
        let m = metadata(&dir.path().join(name));
        assert_eq!(m.file_metadata().created_by(), Some(concat!("clearsweep ", env!("CARGO_PKG_VERSION"))));
        let pairs = m.file_metadata().key_value_metadata().expect("metadata");
        let value = |key: &str| pairs.iter().find(|kv| kv.key == key).and_then(|kv| kv.value.clone());
        assert_eq!(value("clearsweep.schema_version").as_deref(), Some("1"));
        let units: serde_json::Value = serde_json::from_str(&value("clearsweep.units").expect("units")).expect("json");
        let row_group = m.row_group(0);
        for column in row_group.columns() {
            assert!(matches!(column.compression(), Compression::ZSTD(_)), "{name}");
            let path = column.column_path().string();
            let unit = if path.ends_with("_m") { Some("m") } else { None };
            assert!(unit.is_none() || units[&path] == "m", "{name} {path}");
            let dictionary = column.encodings().any(|e| e == Encoding::RLE_DICTIONARY);
            let expected = ["run", "frame", "a_index", "b_index", "body_a", "body_b", "status", "method"];
            let words = ["rule", "severity", "kind", "state", "issue", "group", "note"];
            let expected = expected.contains(&path.as_str())
                || words.contains(&path.as_str())
                || path.ends_with("_kind")
                || path == "groups.list.element";
            assert_eq!(dictionary, expected, "{name} {path}");
        }
        assert!(m.offset_index().is_some() && m.column_index().is_some(), "{name}");
        if name.contains("part-") {
            let sorted: Vec<_> = row_group.sorting_columns().expect("sorted").iter().map(|c| c.column_idx).collect();
            assert_eq!(sorted, [0, 1, 3, 4]);
            assert!(row_group.sorting_columns().expect("sorted").iter().all(|c| !c.descending));
        }
    }
    assert_eq!(names.len(), 7, "{names:?}");
}

#[test]
fn values_come_back_as_they_went_in() {
    let dir = tempfile::tempdir().expect("dir");
    let out = dir.path().join("out");
    let s = scene(20, true);
    let results = results(&s, PLAN);
    let totals = write(&s, &options(&out), &results).totals.clone();
    let rows: Vec<(&FrameBlock, &Row)> =
        results.iter().flat_map(|r| r.rows.iter().map(|row| (&r.block, row))).collect();
    let d = read(&out.join("distances/part-00000.parquet"));
    assert_eq!(d.num_rows(), rows.len());
    check_keys(&s, &d, &rows);
    check_rows(&d, &rows);
    let uncertified = rows.iter().filter(|(_, r)| r.proximity.status == Status::Uncertified).count();
    assert!(uncertified > 10 && f64s(&d, "upper_m").iter().filter(|v| v.is_none()).count() == uncertified);
    let deep: Vec<_> = rows.iter().filter(|(_, r)| r.proximity.status == Status::Penetrating).copied().collect();
    assert!(deep.len() > 10);
    assert_eq!(totals.penetrations, deep.len() as u64);
    let p = read(&out.join("penetrations/part-00000.parquet"));
    check_keys(&s, &p, &deep);
    check_f64(&p, "depth_m", &deep, |r| -r.proximity.distance);
    check_f64(&p, "depth_lower_m", &deep, |r| (-r.proximity.upper).max(0.0));
    check_f64(&p, "depth_upper_m", &deep, |r| -r.proximity.lower);
    for (i, name) in ["d_x", "d_y", "d_z"].into_iter().enumerate() {
        check_f64(&p, name, &deep, |r| r.proximity.normal[i]);
    }
    check_f64(&p, "protrusion_m", &deep, |r| r.proximity.protrusion);
    let unknown = f64s(&p, "protrusion_m").iter().filter(|value| value.is_none()).count();
    assert!(unknown > 3 && unknown + 3 < deep.len(), "{unknown} of {} protrusions are null", deep.len());
    let text = fs::read_to_string(out.join("manifest.json")).expect("manifest");
    let head = "{\n  \"program\": \"clearsweep\",\n  \"version\": \"0\",\n  \"schema_version\": 1,\n";
    let body = format!("{head}  \"rows\": {},\n  \"files\": {{\n", rows.len());
    assert!(text.starts_with(&body), "{text}");
    // Every other file is there with the CRC-32 of its bytes.
    let manifest: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let sums = manifest["files"].as_object().expect("files");
    let written: Vec<_> = files(&out).into_iter().filter(|(name, _)| name != "manifest.json").collect();
    assert_eq!(sums.len(), written.len(), "{text}");
    for (name, bytes) in written {
        assert_eq!(sums[&name], format!("{:08x}", crc32fast::hash(&bytes)), "{name}");
    }
}

fn check_keys(s: &Scene, batch: &RecordBatch, rows: &[(&FrameBlock, &Row)]) {
    let sample = |i: usize| rows[i].0.samples[usize::from(rows[i].1.proximity.sample)];
    let (run, frame, time) = (ints(batch, "run"), ints(batch, "frame"), f64s(batch, "time_s"));
    let (a, b) = (ints(batch, "a_index"), ints(batch, "b_index"));
    let (body_a, body_b) = (words(batch, "body_a"), words(batch, "body_b"));
    assert_eq!(batch.num_rows(), rows.len());
    let mut without_time = 0;
    for (i, (_, row)) in rows.iter().enumerate() {
        assert_eq!((run[i], frame[i], time[i]), (Some(sample(i).run), Some(sample(i).frame), sample(i).time_s));
        assert_eq!((a[i], b[i]), (Some(i64::from(row.a)), Some(i64::from(row.b))));
        assert_eq!(body_a[i].as_ref(), Some(&s.bodies[row.a as usize].name));
        assert_eq!(body_b[i].as_ref(), Some(&s.bodies[row.b as usize].name));
        without_time += usize::from(time[i].is_none());
    }
    assert!(without_time > 0 && without_time < rows.len());
}

fn check_f64(batch: &RecordBatch, name: &str, rows: &[(&FrameBlock, &Row)], of: impl Fn(&Row) -> f64) {
    let expected: Vec<_> = rows.iter().map(|(_, r)| Some(of(r)).filter(|v| !v.is_nan())).collect();
    assert_eq!(f64s(batch, name), expected, "{name}");
}

fn check_rows(d: &RecordBatch, rows: &[(&FrameBlock, &Row)]) {
    check_f64(d, "distance_m", rows, |r| r.proximity.distance);
    check_f64(d, "lower_m", rows, |r| r.proximity.lower);
    check_f64(d, "upper_m", rows, |r| r.proximity.upper);
    for (i, axis) in ["x", "y", "z"].into_iter().enumerate() {
        check_f64(d, &format!("a_{axis}"), rows, |r| r.proximity.point_a[i]);
        check_f64(d, &format!("b_{axis}"), rows, |r| r.proximity.point_b[i]);
        check_f64(d, &format!("n_{axis}"), rows, |r| r.proximity.normal[i]);
    }
    let check_word = |name: &str, of: &dyn Fn(&Row) -> &'static str| {
        let expected: Vec<_> = rows.iter().map(|(_, r)| Some(of(r).to_owned())).collect();
        assert!(words(d, name) == expected, "{name}");
    };
    check_word("status", &|r| Status::NAMES[r.proximity.status as usize]);
    check_word("method", &|r| Method::NAMES[r.proximity.method as usize]);
    for (i, side) in ["a", "b"].into_iter().enumerate() {
        check_word(&format!("feature_{side}_kind"), &|r| FeatureKind::NAMES[r.proximity.feature_kind[i] as usize]);
        let feature: Vec<_> = rows.iter().map(|(_, r)| Some(i64::from(r.proximity.feature[i]))).collect();
        assert_eq!(ints(d, &format!("feature_{side}")), feature);
        let part: Vec<_> = rows.iter().map(|(_, r)| Some(i64::from(r.proximity.part[i]))).collect();
        assert_eq!(ints(d, &format!("part_{side}")), part);
    }
}

/// The expected statistics of a pair of a run, counted row by row.
#[derive(Debug, Clone, Default)]
struct Expected {
    candidate: i64,
    within: i64,
    penetrating: i64,
    /// Distance, lower, upper, frame, time.
    least: Option<(f64, f64, f64, i64, Option<f64>)>,
    /// The middle of the witness points of that row.
    place: [f64; 3],
}

#[test]
fn summaries_agree_with_a_naive_count() {
    for (seed, run_length) in [(1, 50), (2, 1), (3, 500), (4, 64)] {
        let dir = tempfile::tempdir().expect("dir");
        let out = dir.path().join("out");
        let mut s = scene(20, true);
        // Bodies 0..10 are one class; pairs inside it are ignored.
        s.ignored = IgnoredPairs { class: (0..20).map(|i| u32::from(i >= 10)).collect(), classes: 2, matrix: vec![1] };
        let results = results(&s, ResultsPlan { run_length, seed, ..PLAN });
        let totals = write(&s, &options(&out), &in_calls(&results, 40)).totals.clone();
        check_pairs(&s, &out, &results, &totals);
        check_runs(&out, &results, &totals);
    }
}

fn check_pairs(s: &Scene, out: &Path, results: &[Results], totals: &Totals) {
    let mut expected: BTreeMap<(i64, u32, u32), Expected> = BTreeMap::new();
    for r in results {
        for (i, sample) in r.block.samples.iter().enumerate() {
            for c in r.candidates.iter().filter(|c| c.samples >> i & 1 == 1) {
                expected.entry((sample.run, c.a, c.b)).or_default().candidate += 1;
            }
            for row in r.rows.iter().filter(|row| usize::from(row.proximity.sample) == i) {
                let (e, p) = (expected.entry((sample.run, row.a, row.b)).or_default(), &row.proximity);
                e.within += 1;
                e.penetrating += i64::from(p.status == Status::Penetrating);
                if e.least.is_none_or(|least| p.distance < least.0) {
                    e.least = Some((p.distance, p.lower, p.upper, sample.frame, sample.time_s));
                    e.place = [0, 1, 2].map(|k: usize| 0.5 * (p.point_a[k] + p.point_b[k]));
                }
            }
        }
    }
    let steps = naive_steps(s, results);
    let pairs = read(&out.join("pairs.parquet"));
    let (min, lower, upper) = (f64s(&pairs, "min_distance_m"), f64s(&pairs, "lower_m"), f64s(&pairs, "upper_m"));
    let (frame, time, step) = (ints(&pairs, "frame_of_min"), f64s(&pairs, "time_of_min_s"), f64s(&pairs, "max_step_m"));
    let within: Vec<_> = expected.iter().filter(|(_, e)| e.within > 0).collect();
    assert!(within.len() < expected.len() || totals.runs < 100, "some pairs are candidates only");
    assert_eq!(totals.pairs, within.len() as u64);
    assert_eq!(pairs.num_rows(), within.len());
    for (i, ((run, a, b), e)) in within.into_iter().enumerate() {
        let int = |name: &str| ints(&pairs.slice(i, 1), name)[0].expect("not null");
        let key = (int("run"), int("a_index") as u32, int("b_index") as u32);
        assert_eq!(key, (*run, *a, *b));
        assert_eq!(words(&pairs.slice(i, 1), "body_b")[0].as_ref(), Some(&s.bodies[*b as usize].name));
        let counts = [int("frames_candidate"), int("frames_within"), int("frames_penetrating")];
        assert_eq!(counts, [e.candidate, e.within, e.penetrating]);
        let least = e.least.expect("rows");
        let number = |v: f64| Some(v).filter(|v| !v.is_nan());
        assert_eq!((min[i], lower[i], upper[i]), (number(least.0), number(least.1), number(least.2)));
        assert_eq!((frame[i], time[i]), (Some(least.3), least.4));
        for (axis, name) in ["place_x", "place_y", "place_z"].into_iter().enumerate() {
            let place = f64s(&pairs.slice(i, 1), name)[0].expect("a row has points");
            assert!((place - e.place[axis]).abs() <= 1e-12 * (1.0 + place.abs()), "{name}: {place} {}", e.place[axis]);
        }
        let moved = [a, b].map(|body| steps.get(&(*run, *body)).copied().unwrap_or(0.0));
        let (bound, truth) = (step[i].expect("not null"), moved[0] + moved[1]);
        assert!(bound >= truth * (1.0 - 1e-14) && bound <= truth * (1.0 + 1e-12) + 1e-12, "{bound} {truth}");
    }
}

/// Largest step of each dynamic body in each run, in plain arithmetic.
fn naive_steps(s: &Scene, results: &[Results]) -> BTreeMap<(i64, u32), f64> {
    let mut steps: BTreeMap<(i64, u32), f64> = BTreeMap::new();
    for (slot, &body) in s.dynamic.iter().enumerate() {
        assert_eq!(s.bodies[body as usize].motion, Motion::Dynamic { slot: slot as u32 });
        let mut last = None;
        for r in results {
            for (i, sample) in r.block.samples.iter().enumerate().filter(|(i, _)| r.block.present[slot] >> i & 1 == 1) {
                let pose = r.block.pose(slot, i);
                if let Some((run, before)) = last.replace((sample.run, pose))
                    && run == sample.run
                {
                    let cosine: f64 = before.q.iter().zip(&pose.q).map(|(a, b)| a * b).sum();
                    let sign = cosine.signum();
                    let half: f64 =
                        before.q.iter().zip(&pose.q).map(|(a, b)| (a - sign * b).powi(2)).sum::<f64>().sqrt();
                    let angle = 4.0 * (half / 2.0).asin();
                    let step =
                        (pose.position - before.position).length() + angle * s.bodies[body as usize].shape.radius;
                    let largest = steps.entry((run, body)).or_default();
                    *largest = largest.max(step);
                }
            }
        }
    }
    steps
}

fn check_runs(out: &Path, results: &[Results], totals: &Totals) {
    let runs = read(&out.join("runs.parquet"));
    let mut order: Vec<i64> = results.iter().flat_map(|r| r.block.samples.iter().map(|s| s.run)).collect();
    assert_eq!(totals.samples, order.len() as u64);
    order.dedup();
    assert_eq!(ints(&runs, "run"), order.iter().map(|&r| Some(r)).collect::<Vec<_>>());
    assert_eq!(totals.runs, order.len() as u64);
    let (mut violated, mut undecided) = (0, 0);
    for (i, run) in order.iter().enumerate() {
        let of = |r: &Results, s: u8| r.block.samples[usize::from(s)];
        let rows: Vec<_> = results
            .iter()
            .flat_map(|r| r.rows.iter().map(move |row| (of(r, row.proximity.sample), row)))
            .filter(|(sample, _)| sample.run == *run)
            .collect();
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        let mut frames = 0;
        for r in results {
            let mask =
                (0..r.block.samples.len()).filter(|&s| r.block.samples[s].run == *run).fold(0_u64, |m, s| m | 1 << s);
            frames += i64::from(mask.count_ones());
            pairs.extend(r.candidates.iter().filter(|c: &&Candidate| c.samples & mask != 0).map(|c| (c.a, c.b)));
        }
        pairs.sort_unstable();
        pairs.dedup();
        let one = runs.slice(i, 1);
        let int = |name: &str| ints(&one, name)[0];
        let count = |keep: &dyn Fn(&Row) -> bool| Some(rows.iter().filter(|(_, r)| keep(r)).count() as i64);
        assert_eq!((int("frames"), int("rows")), (Some(frames), Some(rows.len() as i64)));
        assert_eq!(int("pairs_candidate"), Some(pairs.len() as i64));
        // 20 bodies, 7 of them static (1, 4, ... 19); of the 10 that ignore each other 3 are
        // static.
        assert_eq!((int("pairs_possible"), int("pairs_ignored")), (Some(190 - 21), Some(45 - 3)));
        assert_eq!(int("violated"), count(&|r| r.proximity.upper < 0.1));
        assert_eq!(int("undecided"), count(&|r| r.proximity.lower < 0.1 && r.proximity.upper >= 0.1));
        assert_eq!(int("uncertified"), count(&|r| r.proximity.status == Status::Uncertified));
        violated += int("violated").unwrap_or(0);
        undecided += int("undecided").unwrap_or(0);
        let worst = rows.iter().fold(None::<&(_, &Row)>, |w, r| {
            if w.is_none_or(|w| r.1.proximity.distance < w.1.proximity.distance) { Some(r) } else { w }
        });
        assert_eq!(f64s(&one, "min_distance_m")[0], worst.map(|w| w.1.proximity.distance));
        let (a, b) = (int("a_index").map(|v| v as u32), int("b_index").map(|v| v as u32));
        assert_eq!((a, b, int("frame_of_min")), (worst.map(|w| w.1.a), worst.map(|w| w.1.b), worst.map(|w| w.0.frame)));
    }
    assert!(violated > 100 && undecided > 0);
    assert_eq!((totals.violated, totals.undecided), (violated as u64, undecided as u64));
    let least = f64s(&runs, "min_distance_m").into_iter().flatten().fold(f64::INFINITY, f64::min);
    assert_eq!(totals.worst.as_ref().map(|w| w.distance_m), Some(least));
    assert_eq!(totals.rows, totals.by_status.iter().sum::<u64>());
    assert_eq!(totals.rows, totals.by_method.iter().sum::<u64>());
}

#[test]
fn static_pairs_are_possible_in_the_first_run_only() {
    let dir = tempfile::tempdir().expect("dir");
    let mut s = scene(20, true);
    s.query.static_pairs = true;
    let done = write(&s, &options(dir.path()), &results(&s, PLAN));
    let possible = ints(&read(&dir.path().join("runs.parquet")), "pairs_possible");
    assert!(possible[0] == Some(190) && possible[1..].iter().all(|&p| p == Some(190 - 21)));
    assert_eq!(done.totals.pairs_possible, 190);
}

#[test]
fn no_rows_give_whole_and_empty_files() {
    for blocks in [0, 2] {
        let dir = tempfile::tempdir().expect("dir");
        let s = scene(5, false);
        let mut results = results(&s, ResultsPlan { blocks, ..PLAN });
        results.iter_mut().for_each(|r| r.rows.clear());
        let totals = write(&s, &options(dir.path()), &results).totals.clone();
        assert_eq!((totals.rows, totals.pairs, totals.worst), (0, 0, None));
        let names: Vec<_> = files(dir.path()).into_iter().map(|(name, _)| name).collect();
        assert_eq!(
            names,
            [
                "bodies.parquet",
                "distances/part-00000.parquet",
                "events.parquet",
                "issues.parquet",
                "manifest.json",
                "pairs.parquet",
                "penetrations/part-00000.parquet",
                "runs.parquet"
            ]
        );
        assert_eq!(read(&dir.path().join("distances/part-00000.parquet")).num_rows(), 0);
        assert_eq!(read(&dir.path().join("bodies.parquet")).num_rows(), 5);
        let runs = read(&dir.path().join("runs.parquet"));
        assert_eq!(runs.num_rows(), 3 * blocks / 2);
        assert!(ints(&runs, "frame_of_min").iter().all(Option::is_none));
        assert!(words(&runs, "body_a").iter().all(Option::is_none));
    }
    let dir = tempfile::tempdir().expect("dir");
    write(&moving(scene(5, false)), &options(dir.path()), &[]);
    assert_eq!(read(&dir.path().join("intervals/part-00000.parquet")).num_rows(), 0);
}

#[test]
fn row_groups_hold_two_to_the_twenty_rows_and_threads_change_no_byte() {
    let s = scene(300, true);
    let results = results(&s, ResultsPlan { blocks: 5, run_length: 100, pairs: 5500, gap: 20, seed: 9 });
    let written = |calls: &[Results], threads: usize| {
        let dir = tempfile::tempdir().expect("dir");
        let o = TableOptions { columns: DistanceColumns::Distance, ..options(&dir.path().join("out")) };
        let done = pool(threads).install(|| write(&s, &o, calls));
        let m = metadata(&o.out.join("distances/part-00000.parquet"));
        let groups: Vec<_> = m.row_groups().iter().map(|g| g.num_rows()).collect();
        assert_eq!(groups, [1 << 20, done.totals.rows as i64 - (1 << 20)]);
        files(&o.out)
    };
    let one = written(&results, 1);
    assert!(written(&in_calls(&results, 9), 3) == one);
}

#[test]
fn directories_are_claimed_with_care() {
    let dir = tempfile::tempdir().expect("dir");
    let s = scene(5, false);
    let results = results(&s, PLAN);
    let out = dir.path().join("a/b/out");
    let force = |force: bool| TableOptions { force, ..options(&out) };
    let refused = |o: &TableOptions| match TableWriter::create(&s, o) {
        Ok(_) => panic!("not refused"),
        Err(error) => {
            assert_eq!(error.kind, ErrorKind::Output);
            format!("{error}; {}", error.remedy)
        }
    };
    // A directory in use is refused even with --force, which would remove the files of the other
    // execution.
    let busy = TableWriter::create(&s, &force(false)).expect("create");
    for forced in [false, true] {
        let message = refused(&force(forced));
        assert!(message.contains("another execution") && message.contains("wait"), "{message}");
    }
    drop(busy);
    assert!(!dir.path().join("a").exists());
    write(&s, &force(false), &results);
    let message = refused(&force(false));
    assert!(message.contains("not empty") && message.contains("--force"), "{message}");
    // The lock file of an execution that was killed.
    fs::write(out.join(".clearsweep.lock"), "process 7\n").expect("lock");
    let message = refused(&force(false));
    assert!(message.contains("interrupted") && message.contains("--force"), "{message}");
    fs::write(out.join("distances/.part-00007.parquet.tmp"), "half").expect("temporary");
    fs::copy(out.join("distances/part-00000.parquet"), out.join("distances/part-00009.parquet")).expect("part");
    write(&s, &force(true), &results);
    assert_eq!(files(&out).len(), 8);
    // The error names a foreign file, and no file changes.
    for foreign in ["notes.txt", "distances/part-x.parquet", "penetrations/readme"] {
        fs::write(out.join(foreign), "mine").expect("foreign");
        let before = files(&out);
        let message = refused(&force(true));
        assert!(message.contains(foreign.rsplit('/').next().expect("name")), "{message}");
        assert!(files(&out) == before);
        fs::remove_file(out.join(foreign)).expect("remove");
    }
    write(&s, &force(true), &results);
    let file = dir.path().join("file");
    fs::write(&file, "x").expect("file");
    assert!(refused(&options(&file)).contains("is a file"));
    assert!(refused(&options(&file.join("below"))).contains("cannot be"));
    #[cfg(unix)]
    {
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(&out, &link).expect("link");
        assert!(refused(&options(&link)).contains("symbolic link"));
        fs::remove_file(out.join("runs.parquet")).expect("remove");
        std::os::unix::fs::symlink(&file, out.join("runs.parquet")).expect("link");
        assert!(refused(&force(true)).contains("runs.parquet"));
        assert_eq!(fs::read_to_string(&file).expect("untouched"), "x");
    }
}

/// Needs the permission to mount a file system; skipped without it.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_really_full_leaves_nothing() {
    let dir = tempfile::tempdir().expect("dir");
    let mount = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=200k", "tmpfs"])
        .arg(dir.path())
        .stderr(std::process::Stdio::null())
        .status();
    if !mount.is_ok_and(|status| status.success()) {
        eprintln!("skipped: no right to mount a small disk");
        return;
    }
    let s = scene(20, true);
    let out = dir.path().join("out");
    let mut writer = TableWriter::create(&s, &options(&out)).expect("create");
    let result = write_all(&mut writer, &results(&s, PLAN)).and_then(|()| writer.finish().map(|_| ()));
    let left = files(dir.path());
    let unmounted = std::process::Command::new("umount").arg(dir.path()).status();
    let error = result.expect_err("300 kB do not fit");
    assert!(error.remedy.contains("free space") && error.place.contains(".parquet"), "{error}");
    assert_eq!(left, []);
    assert!(unmounted.is_ok_and(|status| status.success()));
}
