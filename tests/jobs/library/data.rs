//! The data sets of the repository in memory: rows, batches, scenes in code, and tables to compare.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, StringArray};
use arrow_schema::{DataType, Field, Schema};
use clearsweep::{BodyBuilder, Geometry, LengthUnit, Model, Pose, RecordBatch, Scene, SceneBuilder, SceneOverrides};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toml::Value;

/// A row of a trajectory.
#[derive(Debug, Clone)]
pub(crate) struct PoseRow {
    pub(crate) run: i64,
    pub(crate) frame: i64,
    pub(crate) time_s: f64,
    pub(crate) body: String,
    pub(crate) pose: [f64; 7],
}

/// A data set of the repository.
pub(crate) struct DataSet {
    pub(crate) folder: PathBuf,
    pub(crate) scene: Scene,
    /// Rows of the trajectories, if there are any.
    pub(crate) rows: Vec<PoseRow>,
    by_key: HashMap<(i64, i64, String), usize>,
}

impl DataSet {
    pub(crate) fn load(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets").join(name);
        let scene =
            clearsweep::SceneBuilder::load(&folder.join("scene.toml"), &SceneOverrides::default()).expect("a scene");
        let rows = scene.trajectories.as_deref().map(rows).unwrap_or_default();
        let key = |(at, row): (usize, &PoseRow)| ((row.run, row.frame, row.body.clone()), at);
        let by_key = rows.iter().enumerate().map(key).collect();
        Self { folder, scene, rows, by_key }
    }

    /// Batches of so many rows.
    pub(crate) fn batches(&self, size: usize) -> Vec<RecordBatch> {
        self.rows.chunks(size).map(batch).collect()
    }

    /// All (run, frame), in order.
    pub(crate) fn keys(&self) -> BTreeSet<(i64, i64)> {
        self.rows.iter().map(|row| (row.run, row.frame)).collect()
    }

    pub(crate) fn pose(&self, run: i64, frame: i64, body: &str) -> Pose {
        let [x, y, z, qw, qx, qy, qz] = self.rows[self.by_key[&(run, frame, body.to_owned())]].pose;
        Pose::new([x, y, z], [qw, qx, qy, qz])
    }
}

fn read(path: &Path) -> RecordBatch {
    let file = File::open(path).expect("a file");
    let batches: Vec<RecordBatch> = ParquetRecordBatchReaderBuilder::try_new(file)
        .expect("Parquet")
        .build()
        .expect("a reader")
        .map(Result::unwrap)
        .collect();
    joined(&batches)
}

/// Batches as one; of none, a batch without columns.
pub(crate) fn joined(batches: &[RecordBatch]) -> RecordBatch {
    match batches.first() {
        Some(first) => arrow_select::concat::concat_batches(&first.schema(), batches).expect("batches of one schema"),
        None => RecordBatch::new_empty(Arc::new(Schema::empty())),
    }
}

fn rows(path: &Path) -> Vec<PoseRow> {
    let batch = read(path);
    let column = |name: &str| batch.column_by_name(name).unwrap_or_else(|| panic!("column {name}"));
    let ints = |name| arrow_cast::cast(column(name), &DataType::Int64).expect("integers");
    let floats = |name| arrow_cast::cast(column(name), &DataType::Float64).expect("numbers");
    let (run, frame, time) = (ints("run"), ints("frame"), floats("time_s"));
    let body = arrow_cast::cast(column("body"), &DataType::Utf8).expect("names");
    let pose = ["x", "y", "z", "qw", "qx", "qy", "qz"].map(floats);
    let row = |at: usize| PoseRow {
        run: run.as_primitive::<Int64Type>().value(at),
        frame: frame.as_primitive::<Int64Type>().value(at),
        time_s: time.as_primitive::<Float64Type>().value(at),
        body: body.as_string::<i32>().value(at).to_owned(),
        pose: std::array::from_fn(|k| pose[k].as_primitive::<Float64Type>().value(at)),
    };
    (0..batch.num_rows()).map(row).collect()
}

/// Rows as a batch; lengths have no unit of their own.
pub(crate) fn batch(rows: &[PoseRow]) -> RecordBatch {
    let ints = |of: fn(&PoseRow) -> i64| -> ArrayRef { Arc::new(rows.iter().map(of).collect::<Int64Array>()) };
    let mut columns = vec![
        ("run", ints(|row| row.run)),
        ("frame", ints(|row| row.frame)),
        ("time_s", Arc::new(Float64Array::from_iter_values(rows.iter().map(|row| row.time_s))) as ArrayRef),
        ("body", Arc::new(StringArray::from_iter_values(rows.iter().map(|row| &row.body)))),
    ];
    for (k, name) in ["x", "y", "z", "qw", "qx", "qy", "qz"].into_iter().enumerate() {
        columns.push((name, Arc::new(Float64Array::from_iter_values(rows.iter().map(|row| row.pose[k])))));
    }
    let fields: Vec<Field> =
        columns.iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), false)).collect();
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).expect("columns of equal length")
}

/// A table of a job.
pub(crate) fn table(out: &Path, name: &str) -> RecordBatch {
    let part = out.join(name).join("part-00000.parquet");
    assert!(!out.join(name).join("part-00001.parquet").exists());
    if part.exists() { read(&part) } else { joined(&[]) }
}

/// Asserts that two batches have one schema and the same values, bit for bit. A table without rows
/// has no file.
pub(crate) fn assert_same(one: &RecordBatch, other: &RecordBatch, what: &str) {
    if one.num_rows() == 0 {
        return assert_eq!(other.num_rows(), 0, "{what}");
    }
    assert_eq!(one.schema().fields(), other.schema().fields(), "{what}");
    assert_eq!(one.num_rows(), other.num_rows(), "{what}");
    for ((a, b), field) in one.columns().iter().zip(other.columns()).zip(one.schema().fields()) {
        let at = format!("{what}, column {}", field.name());
        match a.data_type() {
            DataType::Float64 => {
                let bits = |array: &ArrayRef| -> Vec<Option<u64>> {
                    array.as_primitive::<Float64Type>().iter().map(|value| value.map(f64::to_bits)).collect()
                };
                assert_eq!(bits(a), bits(b), "{at}");
            }
            DataType::Dictionary(..) => {
                let [a, b] = [a, b].map(|array| arrow_cast::cast(array, &DataType::Utf8).expect("words"));
                assert_eq!(&a, &b, "{at}");
            }
            _ => assert_eq!(a, b, "{at}"),
        }
    }
}

/// A scene of the repository, built in code key by key.
pub(crate) fn in_code(folder: &Path) -> SceneBuilder {
    let text = std::fs::read_to_string(folder.join("scene.toml")).expect("a scene file");
    let file: toml::Table = text.parse().expect("TOML");
    let (head, query) = (&file["scene"], &file["query"]);
    let number = |value: &Value| value.as_float().or(value.as_integer().map(|n| n as f64)).expect("a number");
    let unit = |value: &Value| LengthUnit::parse(value.as_str().expect("a word")).expect("a unit");
    let mut scene = SceneBuilder::new(number(&query["within"])).length_unit(unit(&head["length_unit"]));
    scene = scene.name(head["name"].as_str().expect("a name"));
    if let Some(require) = query.get("require") {
        scene = scene.require(number(require));
    }
    if let Some(path) = head.get("trajectories") {
        scene = scene.trajectories(folder.join(path.as_str().expect("a path")));
    }
    for body in file["body"].as_array().expect("bodies") {
        let mut part = BodyBuilder::new(body["name"].as_str().expect("a name"), geometry(body, folder));
        if let Some(offset) = body.get("offset") {
            part = part.offset(number(offset));
        }
        let one = |group: &Value| group.as_str().expect("a group").to_owned();
        let groups = body
            .get("group")
            .map(|group| group.as_array().map_or_else(|| vec![one(group)], |list| list.iter().map(one).collect()));
        for group in groups.unwrap_or_default() {
            part = part.group(group);
        }
        if body.get("static").is_some() {
            let list = |value: &Value| value.as_array().expect("a list").iter().map(number).collect::<Vec<f64>>();
            let at = body.get("position").map_or(vec![0.0; 3], list);
            let q = body
                .get("orientation")
                .map_or([1.0, 0.0, 0.0, 0.0], |q| ["qw", "qx", "qy", "qz"].map(|k| number(&q[k])));
            part = part.fixed([at[0], at[1], at[2]], q);
        }
        scene = scene.body(part);
    }
    for rule in file.get("ignore").and_then(Value::as_array).into_iter().flatten() {
        scene = scene.ignore(rule["a"].as_str().expect("a selector"), rule.get("b").and_then(Value::as_str));
    }
    scene
}

fn geometry(body: &Value, folder: &Path) -> Geometry {
    let number = |value: &Value| value.as_float().or(value.as_integer().map(|n| n as f64)).expect("a number");
    let list = |value: &Value| value.as_array().expect("a list").iter().map(number).collect::<Vec<f64>>();
    if let Some(path) = body.get("geometry") {
        let model = body.get("model").map(|word| match word.as_str() {
            Some("pieces") => Model::Pieces,
            _ => Model::Hull,
        });
        let unit = body.get("unit").map(|word| LengthUnit::parse(word.as_str().expect("a word")).expect("a unit"));
        let path = folder.join(path.as_str().expect("a path"));
        return Geometry::File { path, model, unit, scale: 1.0, y_up: false };
    }
    let (kind, value) = body["shape"].as_table().expect("a shape").iter().next().expect("a kind");
    match kind.as_str() {
        "box" => Geometry::Box(list(value).try_into().expect("three")),
        "sphere" => Geometry::Sphere(number(value)),
        "capsule" => Geometry::Capsule { radius: list(value)[0], length: list(value)[1] },
        "cylinder" => {
            let [radius, height, sides] = list(value)[..] else { panic!("three numbers") };
            Geometry::Cylinder { radius, height, sides: sides as u32 }
        }
        "points" => {
            let point = |value: &Value| list(value).try_into().expect("three");
            Geometry::Points(value.as_array().expect("points").iter().map(point).collect())
        }
        other => panic!("no shape is {other}"),
    }
}
