//! Parquet writer properties: those of every file of this program, of all tables, and of one.

use super::layout::TableLayout;
use arrow_schema::Schema;
use clearsweep_records::TableSchema;
use parquet::arrow::add_encoded_arrow_schema_to_metadata;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};

/// Version of the columns, written to the metadata of every file.
const SCHEMA_VERSION: &str = "1";

/// Metadata field `created_by`: program and version.
const CREATED_BY: &str = concat!("clearsweep ", env!("CARGO_PKG_VERSION"));

/// Compression of pages: zstd at level 1, the default of the parquet crate. It compresses
/// repetitive data well and spends little time on data that do not shrink.
pub(super) fn compression() -> Compression {
    Compression::ZSTD(ZstdLevel::default())
}

/// Properties with author and compression set.
pub(super) fn common() -> WriterPropertiesBuilder {
    WriterProperties::builder().set_created_by(CREATED_BY.to_owned()).set_compression(compression())
}

/// Properties of the files of a table. `arrow`: its Arrow schema.
pub(super) fn of_table(table: &TableSchema, arrow: &Schema, layout: &TableLayout) -> WriterProperties {
    let sorting = table.sorted_by.iter().filter_map(|name| {
        let at = table.position(name)?;
        Some(SortingColumn { column_idx: at as i32, descending: false, nulls_first: false })
    });
    let builder = base_properties(table.name, arrow, layout).set_sorting_columns(Some(sorting.collect()));
    let mut properties = builder.build();
    add_encoded_arrow_schema_to_metadata(arrow, &mut properties);
    properties
}

/// Properties that all tables share: compression, page index, author, schema version and units.
pub(super) fn base_properties(table: &str, schema: &Schema, layout: &TableLayout) -> WriterPropertiesBuilder {
    let entry = |key: &str, value: String| KeyValue::new(key.to_owned(), value);
    common()
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_max_row_group_row_count(Some(layout.row_group))
        .set_data_page_row_count_limit(layout.page)
        .set_data_page_size_limit(layout.page * 16)
        .set_key_value_metadata(Some(vec![
            entry("clearsweep.table", table.to_owned()),
            entry("clearsweep.schema_version", SCHEMA_VERSION.to_owned()),
            entry("clearsweep.units", units(schema)),
        ]))
}

/// The units of the columns as a JSON object, in column order.
fn units(schema: &Schema) -> String {
    let with_unit =
        schema.fields().iter().filter_map(|f| Some((f.name().clone(), f.metadata().get("unit")?.as_str().into())));
    serde_json::Value::Object(with_unit.collect()).to_string()
}
