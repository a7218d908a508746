//! Code that the tests of trajectories share: scenes of points, and a writer of Parquet files of
//! every shape.

pub mod oracle;

use crate::random::Random;
use arrow_array::{ArrayRef, Float32Array, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use clearsweep_geometry::hull::convex_hull;
use clearsweep_geometry::{Polyhedron, Pose, Vec3};
use clearsweep_model::{
    Body, DeviationSource, IgnoredPairs, LengthUnit, Missing, Model, Motion, NodeHierarchy, Piece, QueryOptions, Scene,
    SceneOverrides, SearchOptions, Shape,
};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use std::collections::HashMap;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// A point at `center` of its body's frame.
pub fn point(center: Vec3<f64>) -> Arc<Shape> {
    let core = Polyhedron {
        radius: if center == Vec3::ZERO { 0.0 } else { 0.5_f64.powi(23) }, // as of a scene: docs/reference/numerics.md, "Recentring"
        away: center.length(),
        ..convex_hull(&[Vec3::ZERO]).expect("a point")
    };
    let pieces = vec![Piece { core, radius: 0.0 }];
    Arc::new(Shape {
        model: Model::Hull,
        pieces,
        hull: None,
        center,
        middle: Vec3::ZERO,
        radius: 0.0,
        vertices: 1,
        triangles: 0,
        watertight: None,
        fit: None,
        deviation: 0.0,
        decomposition_deviation: None,
        uneven: None,
        coordinate_step: 0.0,
        mesh: None,
        faces: Default::default(),
        tree: Default::default(),
        parts: Default::default(),
        condition: None,
    })
}

/// A scene of points; names that begin with `wall` are static.
pub fn scene(names: &[&str]) -> Scene {
    let mut dynamic = Vec::new();
    let shape = point(Vec3::ZERO);
    let bodies = names
        .iter()
        .enumerate()
        .map(|(index, name)| {
            let motion = if name.starts_with("wall") {
                Motion::Static(Pose::IDENTITY)
            } else {
                dynamic.push(index as u32);
                Motion::Dynamic { slot: dynamic.len() as u32 - 1 }
            };
            Body {
                name: (*name).to_owned(),
                shape: Arc::clone(&shape),
                deviation_source: DeviationSource::Exact,
                motion,
                pivot: Default::default(),
                groups: Arc::default(),
                id: None,
                pose_steps: Default::default(),
                bounds: Default::default(),
            }
        })
        .collect();
    Scene {
        path: "scene.toml".into(),
        name: "test".to_owned(),
        unit: LengthUnit::ALL[0],
        require_unit: LengthUnit::ALL[0],
        bodies,
        dynamic,
        trajectories: None,
        columns: Default::default(),
        missing: Missing::Error,
        frame_rate: None,
        query: QueryOptions { within: 0.1, ..QueryOptions::EVERYTHING },
        direction: None,
        search: SearchOptions::default(),
        motion: Default::default(),
        ignored: IgnoredPairs::default(),
        ignore_rules: Vec::new(),
        rules: Default::default(),
        baselines: Default::default(),
        dispositions: Default::default(),
        earlier_issues: None,
        issue_group: Default::default(),
        expected: Default::default(),
        parents: Vec::new(),
        inputs: vec![],
        builder_digest: None,
        overrides: SceneOverrides::default(),
        joints: None,
        robots: Vec::new(),
        hierarchy: NodeHierarchy::default(),
        trees: Vec::new(),
        notes: Vec::new(),
    }
}

/// Names b000, b001, ...
pub fn names(count: usize) -> Vec<String> {
    (0..count).map(|index| format!("b{index:03}")).collect()
}

/// A row of a trajectory file, in the units of the file.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub run: i64,
    pub frame: i64,
    pub time: f64,
    pub body: String,
    pub pose: [f64; 7],
}

/// The pose of a row: a position in the cube from -50 to 50, and a unit quaternion.
pub fn random_pose(random: &mut Random) -> [f64; 7] {
    let q = random.quaternion().map(|c| c + 0.1);
    let norm = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    let ([x, y, z], [qw, qx, qy, qz]) = (random.vector().map(|c| 50.0 * c), q.map(|c| c / norm));
    [x, y, z, qw, qx, qy, qz]
}

/// Format of a written file.
#[derive(Clone)]
pub struct Shaping {
    /// Type of the runs; `None`: no such column.
    pub run: Option<DataType>,
    pub frame: DataType,
    pub time: bool,
    pub body: DataType,
    pub float: DataType,
    /// Names of columns that are not those of the format.
    pub renamed: Vec<(&'static str, &'static str)>,
    /// Metadata `unit` of columns.
    pub units: Vec<(&'static str, &'static str)>,
    /// Rows of the row groups, again and again.
    pub groups: Vec<usize>,
    pub statistics: bool,
    pub dictionary: bool,
    pub compression: Compression,
    /// A column that nobody asked for.
    pub extra: bool,
}

impl Default for Shaping {
    fn default() -> Self {
        Self {
            run: Some(DataType::Int64),
            frame: DataType::Int64,
            time: true,
            body: DataType::Utf8,
            float: DataType::Float64,
            renamed: vec![],
            units: vec![],
            groups: vec![1 << 20],
            statistics: true,
            dictionary: true,
            compression: Compression::UNCOMPRESSED,
            extra: false,
        }
    }
}

/// The columns of rows.
pub fn batch(rows: &[Row], shaping: &Shaping) -> RecordBatch {
    let mut columns: Vec<(&str, ArrayRef)> = Vec::new();
    let cast = |array: ArrayRef, kind: &DataType| arrow_cast::cast(&array, kind).expect("a cast that fits");
    if let Some(kind) = &shaping.run {
        columns.push(("run", cast(Arc::new(rows.iter().map(|r| r.run).collect::<Int64Array>()), kind)));
    }
    columns.push(("frame", cast(Arc::new(rows.iter().map(|r| r.frame).collect::<Int64Array>()), &shaping.frame)));
    if shaping.extra {
        columns.push(("note", Arc::new(StringArray::from(vec!["?"; rows.len()]))));
    }
    if shaping.time {
        columns.push(("time_s", Arc::new(Float64Array::from_iter_values(rows.iter().map(|r| r.time)))));
    }
    let body: ArrayRef = Arc::new(StringArray::from_iter_values(rows.iter().map(|r| &r.body)));
    columns.push(("body", cast(body, &shaping.body)));
    for (index, name) in ["x", "y", "z", "qw", "qx", "qy", "qz"].into_iter().enumerate() {
        let values: ArrayRef = match shaping.float {
            DataType::Float32 => Arc::new(Float32Array::from_iter_values(rows.iter().map(|r| r.pose[index] as f32))),
            _ => Arc::new(Float64Array::from_iter_values(rows.iter().map(|r| r.pose[index]))),
        };
        columns.push((name, values));
    }
    let fields: Vec<Field> = columns
        .iter()
        .map(|(name, array)| {
            let new = shaping.renamed.iter().find(|(old, _)| old == name).map_or(*name, |(_, new)| new);
            let unit = shaping.units.iter().find(|(of, _)| of == name);
            let metadata: HashMap<String, String> =
                unit.map(|(_, unit)| ("unit".to_owned(), (*unit).to_owned())).into_iter().collect();
            Field::new(new, array.data_type().clone(), true).with_metadata(metadata)
        })
        .collect();
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).expect("columns of equal length")
}

/// Writes a batch in row groups.
pub fn write_batch(path: &Path, batch: &RecordBatch, shaping: &Shaping) {
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
    let statistics = if shaping.statistics { EnabledStatistics::Page } else { EnabledStatistics::None };
    let properties = WriterProperties::builder()
        .set_statistics_enabled(statistics)
        .set_dictionary_enabled(shaping.dictionary)
        .set_compression(shaping.compression)
        .set_data_page_row_count_limit(1000)
        .build();
    let file = File::create(path).expect("a new file");
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).expect("a writer");
    let (mut start, mut group) = (0, 0);
    while start < batch.num_rows() {
        let count = shaping.groups[group % shaping.groups.len()].min(batch.num_rows() - start);
        writer.write(&batch.slice(start, count)).expect("written");
        writer.flush().expect("flushed");
        start += count;
        group += 1;
    }
    writer.close().expect("closed");
}

/// Writes rows.
pub fn write(path: &Path, rows: &[Row], shaping: &Shaping) {
    write_batch(path, &batch(rows, shaping), shaping);
}
