//! `bodies`.

use super::atomic_file::AtomicFile;
use super::layout::TableLayout;
use super::output_dir::OutputDir;
use super::part_writer::parquet_error;
use super::rows_digest::{ReadColumns, RowsDigester, TableDigest};
use super::writer_properties::base_properties;
use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use clearsweep_base::error::{Error, Result};
use clearsweep_model::{Body, HullFit, MeshCondition, PoseSteps, Scene, Shape};
use clearsweep_records::{Contents, StoredRecord, table};
use parquet::arrow::ArrowWriter;
use parquet::file::metadata::SortingColumn;
use parquet::schema::types::ColumnPath;
use std::sync::Arc;

/// Name of the table.
pub(super) const BODIES: &str = clearsweep_records::Body::TABLE;

/// The rows of the table: one per body of the scene, in the order of body indices.
/// `pose_steps`: of moving bodies, if they are known.
pub(super) fn record_batch(scene: &Scene, pose_steps: Option<PoseSteps>, contents: &Contents) -> Result<RecordBatch> {
    let schema = Schema::new(table(BODIES)?.schema(contents).fields());
    let groups_field = Field::new("element", DataType::Utf8, false);
    let all = || scene.bodies.iter();
    let mut groups = ListBuilder::new(StringBuilder::new()).with_field(groups_field);
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
        Arc::new(StringArray::from_iter_values(all().map(|b| b.deviation_source.name()))),
    ];
    RecordBatch::try_new(Arc::new(schema), columns).map_err(|error| Error::internal(BODIES, error))
}

/// Returns the volume that the triangles of a body enclose, cubic metres; `None` if they do not
/// close up, or there are none.
fn mesh_volume(shape: &Shape) -> Option<f64> {
    match (shape.fit, shape.condition) {
        (Some(fit), _) => fit.mesh_volume,
        (None, condition) => condition?.volume,
    }
}

/// Writes the table as one file. Returns the digest of its rows.
pub(super) fn write(bodies: &RecordBatch, layout: &TableLayout, out: &Arc<OutputDir>) -> Result<TableDigest> {
    let file = AtomicFile::create(out, &table(BODIES)?.file_name())?;
    let path = file.target().to_owned();
    let schema = bodies.schema();
    let index = schema.index_of("index").map_err(|e| Error::internal(BODIES, e))?;
    let sorting = SortingColumn { column_idx: index as i32, descending: false, nulls_first: false };
    // A list whose items are in a dictionary is read by more readers; names of groups repeat
    // anyway.
    let groups = ColumnPath::new(["groups", "list", "element"].map(str::to_owned).to_vec());
    let properties = base_properties(BODIES, &schema, layout)
        .set_sorting_columns(Some(vec![sorting]))
        .set_column_dictionary_enabled(groups, true)
        .build();
    let written = ArrowWriter::try_new(file, schema, Some(properties)).and_then(|mut writer| {
        writer.write(bodies)?;
        writer.into_inner()
    });
    written.map_err(|e| parquet_error(out, &path, e))?.finish()?;
    let columns = ReadColumns::of(bodies).ok_or_else(|| Error::internal(BODIES, "columns of other types"))?;
    let mut digester = RowsDigester::default();
    let full = digester.take(&columns, bodies.num_rows());
    digester.add(full.hash());
    Ok(digester.finish())
}
