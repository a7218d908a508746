//! `bodies.parquet`.

use super::atomic_file::AtomicFile;
use super::layout::TableLayout;
use super::output_dir::OutputDir;
use super::part_writer::parquet_error;
use super::rows_digest::{ReadColumns, RowsDigester, TableDigest};
use super::schema::base_properties;
use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use clearsweep_base::error::{Error, Result};
use clearsweep_model::{Body, HullFit, MeshCondition, PoseSteps, Scene, Shape};
use parquet::arrow::ArrowWriter;
use parquet::file::metadata::SortingColumn;
use parquet::schema::types::ColumnPath;
use std::collections::HashMap;
use std::sync::Arc;

/// The element of the list column. The Parquet specification (LogicalTypes.md, "Lists") prescribes its name.
fn group_field() -> Field {
    Field::new("element", DataType::Utf8, false)
}

fn schema() -> Arc<Schema> {
    let required = |name: &str, data_type| Field::new(name, data_type, false);
    let unit = |unit: &str| HashMap::from([("unit".to_owned(), unit.to_owned())]);
    let of_mesh = |name: &str, of: &str| Field::new(name, DataType::Float64, true).with_metadata(unit(of));
    let count = |name: &str| Field::new(name, DataType::Int64, true);
    Arc::new(Schema::new(vec![
        required("body", DataType::Utf8),
        required("index", DataType::Int32),
        required("model", DataType::Utf8),
        required("vertices", DataType::Int64),
        required("triangles", DataType::Int64),
        required("pieces", DataType::Int32),
        Field::new("watertight", DataType::Boolean, true),
        required("radius_m", DataType::Float64).with_metadata(unit("m")),
        required("groups", DataType::List(Arc::new(group_field()))),
        Field::new("convex", DataType::Boolean, true),
        of_mesh("hull_excess_m", "m"),
        of_mesh("hull_volume_m3", "m3"),
        of_mesh("mesh_volume_m3", "m3"),
        required("deviation_m", DataType::Float64).with_metadata(unit("m")),
        Field::new("solid", DataType::Boolean, true),
        count("components"),
        count("boundary_edges"),
        count("nonmanifold_edges"),
        count("welded_vertices"),
        count("unused_vertices"),
        count("degenerate_triangles"),
        count("duplicate_triangles"),
        count("turned_triangles"),
        count("self_contacts"),
        Field::new("self_contacts_at_least", DataType::Boolean, true),
        of_mesh("decomposition_deviation_m", "m"),
        of_mesh("weld_shift_m", "m"),
        count("warped_triangles"),
        of_mesh("polygon_warp_m", "m"),
        required("inside", DataType::Utf8),
        Field::new("coordinate_step_m", DataType::Float64, true).with_metadata(unit("m")),
    ]))
}

/// The rows of the table: one per body of the scene, in the order of body indices.
/// `pose_steps`: of moving bodies, if they are known.
pub(super) fn record_batch(scene: &Scene, pose_steps: Option<PoseSteps>) -> Result<RecordBatch> {
    let all = || scene.bodies.iter();
    let mut groups = ListBuilder::new(StringBuilder::new()).with_field(group_field());
    for body in all() {
        body.groups.iter().for_each(|group| groups.values().append_value(group));
        groups.append(true);
    }
    let int64 = |of: fn(&Body) -> u64| Arc::new(Int64Array::from_iter_values(all().map(|b| of(b) as i64))) as ArrayRef;
    let fits = || all().map(|body| body.shape.fit);
    let float64 = |of: fn(HullFit) -> Option<f64>| {
        Arc::new(Float64Array::from_iter(fits().map(|fit| fit.and_then(of)))) as ArrayRef
    };
    let conditions = || all().map(|body| body.shape.condition);
    let count = |of: fn(MeshCondition) -> u64| {
        Arc::new(Int64Array::from_iter(conditions().map(|found| found.map(|found| of(found) as i64)))) as ArrayRef
    };
    let length = |of: fn(MeshCondition) -> f64| {
        Arc::new(Float64Array::from_iter(conditions().map(|found| found.map(of)))) as ArrayRef
    };
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from_iter_values(all().map(|b| &b.name))),
        Arc::new(Int32Array::from_iter_values((0..scene.bodies.len()).map(|i| i as i32))),
        Arc::new(StringArray::from_iter_values(all().map(|b| b.shape.model.name()))),
        int64(|b| b.shape.vertices),
        int64(|b| b.shape.triangles),
        Arc::new(Int32Array::from_iter_values(all().map(|b| b.shape.pieces.len() as i32))),
        Arc::new(BooleanArray::from_iter(all().map(|b| b.shape.watertight))),
        Arc::new(Float64Array::from_iter_values(all().map(|b| b.shape.radius))),
        Arc::new(groups.finish()),
        Arc::new(BooleanArray::from_iter(fits().map(|fit| fit.map(|fit| fit.convex)))),
        float64(|fit| Some(fit.excess)),
        float64(|fit| Some(fit.hull_volume)),
        Arc::new(Float64Array::from_iter(all().map(|b| mesh_volume(&b.shape)))),
        Arc::new(Float64Array::from_iter_values(all().map(|b| b.shape.deviation))),
        Arc::new(BooleanArray::from_iter(conditions().map(|found| found.map(|found| found.is_solid())))),
        count(|found| found.components),
        count(|found| found.boundary_edges),
        count(|found| found.nonmanifold_edges),
        count(|found| found.welded_vertices),
        count(|found| found.unused_vertices),
        count(|found| found.degenerate_triangles),
        count(|found| found.duplicate_triangles),
        count(|found| found.turned_triangles),
        count(|found| found.self_contacts),
        Arc::new(BooleanArray::from_iter(conditions().map(|found| found.map(|found| found.self_contacts_at_least)))),
        Arc::new(Float64Array::from_iter(all().map(|b| b.shape.decomposition_deviation))),
        length(|found| found.weld_shift),
        count(|found| found.warped_triangles),
        length(|found| found.polygon_warp),
        Arc::new(StringArray::from_iter_values(all().map(|b| b.shape.inside().name()))),
        Arc::new(Float64Array::from_iter(all().map(|b| b.coordinate_step(pose_steps)))),
    ];
    RecordBatch::try_new(schema(), columns).map_err(|e| Error::internal("bodies", e))
}

/// Returns the volume that the triangles of a body enclose, cubic metres; `None` if they do not close up, or there are
/// none.
fn mesh_volume(shape: &Shape) -> Option<f64> {
    match (shape.fit, shape.condition) {
        (Some(fit), _) => fit.mesh_volume,
        (None, condition) => condition?.volume,
    }
}

/// Writes the table as one file. Returns the digest of its rows.
pub(super) fn write(bodies: &RecordBatch, layout: &TableLayout, out: &Arc<OutputDir>) -> Result<TableDigest> {
    let file = AtomicFile::create(out, "bodies.parquet")?;
    let path = file.target().to_owned();
    let schema = bodies.schema();
    let index = schema.index_of("index").map_err(|e| Error::internal("bodies", e))?;
    let sorting = SortingColumn { column_idx: index as i32, descending: false, nulls_first: false };
    // A list whose items are in a dictionary is read by more readers; names of groups repeat anyway.
    let groups = ColumnPath::new(["groups", "list", "element"].map(str::to_owned).to_vec());
    let properties = base_properties("bodies", &schema, layout)
        .set_sorting_columns(Some(vec![sorting]))
        .set_column_dictionary_enabled(groups, true)
        .build();
    let written = ArrowWriter::try_new(file, schema, Some(properties)).and_then(|mut writer| {
        writer.write(bodies)?;
        writer.into_inner()
    });
    written.map_err(|e| parquet_error(out, &path, e))?.finish()?;
    let columns = ReadColumns::of(bodies).ok_or_else(|| Error::internal("bodies", "columns of other types"))?;
    let mut digester = RowsDigester::default();
    let full = digester.take(&columns, bodies.num_rows());
    digester.add(full.hash());
    Ok(digester.finish())
}
