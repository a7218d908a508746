//! The columns of every table, their Arrow schemas and how Parquet stores them.

use super::{Columns, Sizes, settings};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::add_encoded_arrow_schema_to_metadata;
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use std::collections::HashMap;
use std::sync::Arc;

/// Version of the tables' columns, in the metadata of every file.
pub(super) const SCHEMA_VERSION: &str = "1";

/// The words that a string column chooses from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Vocabulary {
    /// Names of the bodies, by body index.
    Bodies,
    /// `Status::NAMES`.
    Status,
    /// `FeatureKind::NAMES`.
    Feature,
    /// `Method::NAMES`.
    Method,
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// 64-bit signed integers.
    Int64,
    /// 32-bit signed integers.
    Int32,
    /// Double precision.
    Float64,
    /// Strings out of a fixed list.
    Words(Vocabulary),
}

/// A column of a table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spec {
    /// Its name; ends in the unit where it has one.
    pub(super) name: &'static str,
    /// What it holds.
    pub(super) kind: Kind,
    /// Field metadata `unit`.
    pub(super) unit: Option<&'static str>,
    /// Whether values may be missing.
    pub(super) nullable: bool,
    /// An integer key: dictionary encoded.
    pub(super) key: bool,
}

impl Spec {
    const fn new(name: &'static str, kind: Kind) -> Self {
        Self { name, kind, unit: None, nullable: false, key: false }
    }

    pub(super) const fn key(name: &'static str, kind: Kind) -> Self {
        Self { key: true, ..Self::new(name, kind) }
    }

    const fn float(name: &'static str, unit: &'static str) -> Self {
        Self { unit: Some(unit), ..Self::new(name, Kind::Float64) }
    }

    const fn nullable(self) -> Self {
        Self { nullable: true, ..self }
    }

    fn field(&self) -> Field {
        let data_type = match self.kind {
            Kind::Int64 => DataType::Int64,
            Kind::Int32 => DataType::Int32,
            Kind::Float64 => DataType::Float64,
            Kind::Words(_) => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
        };
        // One entry at most: the map's order never reaches the file.
        let unit = self.unit.map(|unit| ("unit".to_owned(), unit.to_owned()));
        Field::new(self.name, data_type, self.nullable).with_metadata(HashMap::from_iter(unit))
    }
}

/// A table: its name in the metadata, its columns, and by which it is sorted.
#[derive(Debug, Clone)]
pub(super) struct TableSpec {
    /// The name.
    pub(super) name: &'static str,
    /// The columns in order.
    pub(super) columns: Vec<Spec>,
    /// Names of the columns that sort it.
    sorted_by: &'static [&'static str],
}

const BODY_A: Spec = Spec::new("body_a", Kind::Words(Vocabulary::Bodies));
const BODY_B: Spec = Spec::new("body_b", Kind::Words(Vocabulary::Bodies));
const RUN: Spec = Spec::key("run", Kind::Int64);
const A_INDEX: Spec = Spec::key("a_index", Kind::Int32);
const B_INDEX: Spec = Spec::key("b_index", Kind::Int32);
const LOWER: Spec = Spec::float("lower_m", "m").nullable();
const UPPER: Spec = Spec::float("upper_m", "m").nullable();

/// run, frame, time_s, a_index, b_index, body_a, body_b.
const KEYS: [Spec; 7] =
    [RUN, Spec::key("frame", Kind::Int64), Spec::float("time_s", "s").nullable(), A_INDEX, B_INDEX, BODY_A, BODY_B];

const ROW_ORDER: &[&str] = &["run", "frame", "a_index", "b_index"];

/// `distances`.
pub(super) fn distances(columns: Columns) -> TableSpec {
    let mut list = KEYS.to_vec();
    list.extend([Spec::float("distance_m", "m"), LOWER, UPPER]);
    list.push(Spec::new("status", Kind::Words(Vocabulary::Status)));
    if columns == Columns::All {
        list.extend(["a_x", "a_y", "a_z", "b_x", "b_y", "b_z"].map(|name| Spec::float(name, "m")));
        list.extend(["n_x", "n_y", "n_z"].map(|name| Spec::float(name, "1")));
        list.extend(["part_a", "part_b", "feature_a", "feature_b"].map(|name| Spec::new(name, Kind::Int32)));
        list.push(Spec::new("feature_a_kind", Kind::Words(Vocabulary::Feature)));
        list.push(Spec::new("feature_b_kind", Kind::Words(Vocabulary::Feature)));
        list.push(Spec::new("method", Kind::Words(Vocabulary::Method)));
    }
    TableSpec { name: "distances", columns: list, sorted_by: ROW_ORDER }
}

/// `penetrations`.
pub(super) fn penetrations() -> TableSpec {
    let mut list = KEYS.to_vec();
    list.extend(["depth_m", "depth_lower_m", "depth_upper_m"].map(|name| Spec::float(name, "m")));
    list.extend(["d_x", "d_y", "d_z"].map(|name| Spec::float(name, "1")));
    TableSpec { name: "penetrations", columns: list, sorted_by: ROW_ORDER }
}

/// `pairs`.
pub(super) fn pairs() -> TableSpec {
    let count = |name| Spec::new(name, Kind::Int64);
    let columns = vec![
        RUN,
        A_INDEX,
        B_INDEX,
        BODY_A,
        BODY_B,
        count("frames_candidate"),
        count("frames_within"),
        count("frames_penetrating"),
        Spec::float("min_distance_m", "m"),
        LOWER,
        UPPER,
        Spec::new("frame_of_min", Kind::Int64),
        Spec::float("time_of_min_s", "s").nullable(),
        Spec::float("max_step_m", "m"),
    ];
    TableSpec { name: "pairs", columns, sorted_by: &["run", "a_index", "b_index"] }
}

/// `runs`. The bodies of the smallest distance are null in a run without rows.
pub(super) fn runs() -> TableSpec {
    let count = |name| Spec::new(name, Kind::Int64);
    let columns = vec![
        RUN,
        count("frames"),
        count("rows"),
        count("pairs_possible"),
        count("pairs_ignored"),
        count("pairs_candidate"),
        Spec::float("min_distance_m", "m").nullable(),
        A_INDEX.nullable(),
        B_INDEX.nullable(),
        BODY_A.nullable(),
        BODY_B.nullable(),
        count("frame_of_min").nullable(),
        count("violated"),
        count("undecided"),
        count("uncertified"),
    ];
    TableSpec { name: "runs", columns, sorted_by: &["run"] }
}

impl TableSpec {
    /// The Arrow schema.
    pub(super) fn schema(&self) -> Arc<Schema> {
        Arc::new(Schema::new(self.columns.iter().map(Spec::field).collect::<Vec<_>>()))
    }

    /// Where the index of the body is that the names in `column` are of; `None` for other columns.
    pub(super) fn index_of_names(&self, column: &Spec) -> Option<usize> {
        let index = match column.name {
            "body_a" => A_INDEX.name,
            "body_b" => B_INDEX.name,
            _ => return None,
        };
        self.columns.iter().position(|column| column.name == index)
    }

    /// What the metadata of its files say; `schema` as of [`TableSpec::schema`].
    pub(super) fn properties(&self, schema: &Schema, sizes: &Sizes) -> WriterProperties {
        let sorting = self.sorted_by.iter().filter_map(|name| {
            let at = self.columns.iter().position(|c| c.name == *name)?;
            Some(SortingColumn { column_idx: at as i32, descending: false, nulls_first: false })
        });
        let builder = base_properties(self.name, schema, sizes).set_sorting_columns(Some(sorting.collect()));
        let mut properties = builder.build();
        add_encoded_arrow_schema_to_metadata(schema, &mut properties);
        properties
    }
}

/// What all files share: compression, page index, author, schema version and units.
pub(super) fn base_properties(
    table: &str,
    schema: &Schema,
    sizes: &Sizes,
) -> parquet::file::properties::WriterPropertiesBuilder {
    let entry = |key: &str, value: String| KeyValue::new(key.to_owned(), value);
    settings::every_file()
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_max_row_group_row_count(Some(sizes.row_group))
        .set_data_page_row_count_limit(sizes.page)
        .set_data_page_size_limit(sizes.page * 16)
        .set_key_value_metadata(Some(vec![
            entry("clearsweep.table", table.to_owned()),
            entry("clearsweep.schema_version", SCHEMA_VERSION.to_owned()),
            entry("clearsweep.units", units(schema)),
        ]))
}

/// The units as a JSON object, in column order.
fn units(schema: &Schema) -> String {
    let with_unit =
        schema.fields().iter().filter_map(|f| Some((f.name().clone(), f.metadata().get("unit")?.as_str().into())));
    serde_json::Value::Object(with_unit.collect()).to_string()
}
