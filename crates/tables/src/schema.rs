//! The columns of each table, their Arrow schemas and their Parquet properties.

use super::layout::TableLayout;
use super::options::DistanceColumns;
use super::vocabulary::Vocabulary;
use super::writer_properties;
use arrow_schema::{DataType, Field, Schema};
use clearsweep_model::{BetweenFrames, Scene};
use parquet::arrow::add_encoded_arrow_schema_to_metadata;
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use std::collections::HashMap;
use std::sync::Arc;

/// Version of the columns, written to the metadata of every file.
const SCHEMA_VERSION: &str = "1";

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnType {
    /// Signed 64-bit integers.
    Int64,
    /// Signed 32-bit integers.
    Int32,
    /// Double precision numbers.
    Float64,
    /// True or false.
    Boolean,
    /// Strings of a vocabulary, dictionary encoded.
    String(Vocabulary),
}

/// The specification of a column.
#[derive(Debug, Clone, Copy)]
pub(super) struct ColumnSpec {
    /// Name. It ends in the unit if the column has a length or a time.
    pub(super) name: &'static str,
    /// Type of the values.
    pub(super) kind: ColumnType,
    /// Field metadata `unit`; `None` for columns without a unit.
    pub(super) unit: Option<&'static str>,
    /// Whether values may be null.
    pub(super) nullable: bool,
    /// Whether this is an integer key, which is dictionary encoded.
    pub(super) key: bool,
}

impl ColumnSpec {
    const fn new(name: &'static str, kind: ColumnType) -> Self {
        Self { name, kind, unit: None, nullable: false, key: false }
    }

    /// An integer key.
    pub(super) const fn key(name: &'static str, kind: ColumnType) -> Self {
        Self { key: true, ..Self::new(name, kind) }
    }

    const fn float(name: &'static str, unit: &'static str) -> Self {
        Self { unit: Some(unit), ..Self::new(name, ColumnType::Float64) }
    }

    const fn nullable(self) -> Self {
        Self { nullable: true, ..self }
    }

    fn field(&self) -> Field {
        let data_type = match self.kind {
            ColumnType::Int64 => DataType::Int64,
            ColumnType::Int32 => DataType::Int32,
            ColumnType::Float64 => DataType::Float64,
            ColumnType::Boolean => DataType::Boolean,
            ColumnType::String(_) => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
        };
        // The map has at most one entry, so its order cannot reach the file.
        let unit = self.unit.map(|unit| ("unit".to_owned(), unit.to_owned()));
        Field::new(self.name, data_type, self.nullable).with_metadata(HashMap::from_iter(unit))
    }
}

/// The specification of a table.
#[derive(Debug, Clone)]
pub(super) struct TableSpec {
    /// Name of the table in the metadata.
    pub(super) name: &'static str,
    /// Columns in the order of the file.
    pub(super) columns: Vec<ColumnSpec>,
    /// Names of the columns by which rows are sorted, most significant first.
    sorted_by: &'static [&'static str],
}

const BODY_A: ColumnSpec = ColumnSpec::new("body_a", ColumnType::String(Vocabulary::Bodies));
const BODY_B: ColumnSpec = ColumnSpec::new("body_b", ColumnType::String(Vocabulary::Bodies));
const RUN: ColumnSpec = ColumnSpec::key("run", ColumnType::Int64);
const A_INDEX: ColumnSpec = ColumnSpec::key("a_index", ColumnType::Int32);
const B_INDEX: ColumnSpec = ColumnSpec::key("b_index", ColumnType::Int32);
const LOWER: ColumnSpec = ColumnSpec::float("lower_m", "m").nullable();
const UPPER: ColumnSpec = ColumnSpec::float("upper_m", "m").nullable();

/// The bracket of the least distance over intervals, in summaries.
const LEAST_BETWEEN: [ColumnSpec; 2] = [
    ColumnSpec::float("min_between_lower_m", "m").nullable(),
    ColumnSpec::float("min_between_upper_m", "m").nullable(),
];
/// The first contact in an interval, as shares of it; null without contact.
const CONTACT_SHARES: [ColumnSpec; 2] =
    [ColumnSpec::float("contact_lo", "1").nullable(), ColumnSpec::float("contact_hi", "1").nullable()];

/// The leading columns of `distances` and `penetrations`.
const KEYS: [ColumnSpec; 7] = [
    RUN,
    ColumnSpec::key("frame", ColumnType::Int64),
    ColumnSpec::float("time_s", "s").nullable(),
    A_INDEX,
    B_INDEX,
    BODY_A,
    BODY_B,
];

/// The values between which the joint of a sweep is at the first contact of an interval, or over an event: radians or metres; null where several joints
/// move. Tables have them where a scene has a sweep.
const SWEPT: [ColumnSpec; 2] =
    [ColumnSpec::float("joint_lo", "rad or m").nullable(), ColumnSpec::float("joint_hi", "rad or m").nullable()];

/// The rule that a pair is under, and what it requires. Tables have them where a scene has rules.
const RULE: [ColumnSpec; 2] =
    [ColumnSpec::new("rule", ColumnType::String(Vocabulary::Rules)), ColumnSpec::float("required_m", "m").nullable()];

const ROW_ORDER: &[&str] = &["run", "frame", "a_index", "b_index"];

/// What the columns of the tables depend on.
#[derive(Debug, Clone, Copy)]
pub(super) struct TableKind {
    /// Whether distances along a direction are asked.
    pub(super) directional: bool,
    /// Whether rules require free lengths: rows of other pairs may have nothing in these columns.
    pub(super) free_lengths: bool,
    /// Whether the job says something about intervals.
    pub(super) intervals: bool,
    /// Whether the scene has rules.
    pub(super) rules: bool,
    /// Whether all contacts are asked for.
    pub(super) contacts: bool,
    /// Whether joints are swept over their ranges.
    pub(super) sweeps: bool,
}

impl TableKind {
    /// The kind of the tables of a job on this scene.
    pub(super) fn of(scene: &Scene) -> Self {
        let free_lengths = scene.rules.all().iter().any(|rule| rule.free_length.is_some());
        Self {
            directional: scene.direction.is_some() || free_lengths,
            free_lengths,
            intervals: scene.motion.between != BetweenFrames::None,
            rules: !scene.rules.all().is_empty(),
            contacts: scene.query.contacts,
            sweeps: scene.joints.as_ref().is_some_and(|joints| joints.sweeps.is_some()),
        }
    }

    /// The columns of rules.
    fn rule_columns(self) -> impl Iterator<Item = ColumnSpec> {
        RULE.into_iter().filter(move |_| self.rules)
    }
}

/// `distances`.
pub(super) fn distances(columns: DistanceColumns, kind: TableKind) -> TableSpec {
    let mut list = KEYS.to_vec();
    list.extend([ColumnSpec::float("distance_m", "m"), LOWER, UPPER]);
    list.push(ColumnSpec::new("status", ColumnType::String(Vocabulary::Status)));
    if columns == DistanceColumns::All {
        list.extend(["a_x", "a_y", "a_z", "b_x", "b_y", "b_z"].map(|name| ColumnSpec::float(name, "m")));
        list.extend(["n_x", "n_y", "n_z"].map(|name| ColumnSpec::float(name, "1")));
        list.extend(
            ["part_a", "part_b", "feature_a", "feature_b"].map(|name| ColumnSpec::new(name, ColumnType::Int32)),
        );
        list.push(ColumnSpec::new("feature_a_kind", ColumnType::String(Vocabulary::Feature)));
        list.push(ColumnSpec::new("feature_b_kind", ColumnType::String(Vocabulary::Feature)));
        list.push(ColumnSpec::new("method", ColumnType::String(Vocabulary::Method)));
    }
    if kind.directional {
        let bounds = ["directional_m", "directional_lower_m", "directional_upper_m"];
        list.extend(bounds.map(|name| ColumnSpec::float(name, "m").nullable()));
        let relation = ColumnSpec::new("directional_relation", ColumnType::String(Vocabulary::Directional));
        list.push(if kind.free_lengths { relation.nullable() } else { relation });
    }
    list.extend(kind.rule_columns());
    TableSpec { name: "distances", columns: list, sorted_by: ROW_ORDER }
}

/// `penetrations`.
pub(super) fn penetrations() -> TableSpec {
    let mut list = KEYS.to_vec();
    list.extend(["depth_m", "depth_lower_m", "depth_upper_m"].map(|name| ColumnSpec::float(name, "m")));
    list.extend(["d_x", "d_y", "d_z"].map(|name| ColumnSpec::float(name, "1")));
    list.push(ColumnSpec::float("protrusion_m", "m").nullable());
    TableSpec { name: "penetrations", columns: list, sorted_by: ROW_ORDER }
}

/// `intervals`. A bound that is infinite is null.
pub(super) fn intervals(kind: TableKind) -> TableSpec {
    let mut list = KEYS.to_vec();
    list.insert(2, ColumnSpec::key("frame_next", ColumnType::Int64));
    list.insert(4, ColumnSpec::float("time_next_s", "s").nullable());
    list.extend([LOWER, UPPER]);
    list.extend(["closest_lo", "closest_hi"].map(|name| ColumnSpec::float(name, "1")));
    list.extend(CONTACT_SHARES);
    list.push(ColumnSpec::new("status", ColumnType::String(Vocabulary::IntervalStatus)));
    list.push(ColumnSpec::new("method", ColumnType::String(Vocabulary::IntervalMethod)));
    list.extend(kind.rule_columns());
    list.extend(SWEPT.into_iter().filter(|_| kind.sweeps));
    TableSpec { name: "intervals", columns: list, sorted_by: ROW_ORDER }
}

/// `contacts`.
pub(super) fn contacts() -> TableSpec {
    let mut list = KEYS.to_vec();
    list.push(ColumnSpec::new("contact", ColumnType::Int32));
    list.push(ColumnSpec::new("kind", ColumnType::String(Vocabulary::ContactKind)));
    list.extend(["part_a", "part_b"].map(|name| ColumnSpec::new(name, ColumnType::Int32)));
    let lengths = ["x", "y", "z", "min_x", "min_y", "min_z", "max_x", "max_y", "max_z"];
    list.extend(lengths.map(|name| ColumnSpec::float(name, "m")));
    list.push(ColumnSpec::float("length_m", "m").nullable());
    list.push(ColumnSpec::new("closed", ColumnType::Boolean));
    TableSpec { name: "contacts", columns: list, sorted_by: &["run", "frame", "a_index", "b_index", "contact"] }
}

/// `pairs`. With intervals, a pair may have no row in `distances`, and the columns of its smallest distance are null then.
pub(super) fn pairs(kind: TableKind) -> TableSpec {
    let with_intervals = kind.intervals;
    let count = |name| ColumnSpec::new(name, ColumnType::Int64);
    let of_min = |column: ColumnSpec| ColumnSpec { nullable: with_intervals, ..column };
    let mut columns = vec![
        RUN,
        A_INDEX,
        B_INDEX,
        BODY_A,
        BODY_B,
        count("frames_candidate"),
        count("frames_within"),
        count("frames_penetrating"),
        of_min(ColumnSpec::float("min_distance_m", "m")),
        LOWER,
        UPPER,
        of_min(count("frame_of_min")),
        ColumnSpec::float("time_of_min_s", "s").nullable(),
    ];
    columns.extend(["place_x", "place_y", "place_z"].map(|name| ColumnSpec::float(name, "m").nullable()));
    columns.push(ColumnSpec::float("max_step_m", "m"));
    if with_intervals {
        columns.extend(LEAST_BETWEEN);
        columns.push(count("frame_of_min_between").nullable());
        columns.push(count("contact_frame").nullable());
        columns.extend(CONTACT_SHARES);
        columns.extend(["contact_time_lo_s", "contact_time_hi_s"].map(|name| ColumnSpec::float(name, "s").nullable()));
    }
    columns.extend(kind.rule_columns());
    TableSpec { name: "pairs", columns, sorted_by: &["run", "a_index", "b_index"] }
}

/// `runs`. The columns of the smallest distance are null in a run without rows; `violates` is where nothing is required.
pub(super) fn runs(kind: TableKind) -> TableSpec {
    let count = |name| ColumnSpec::new(name, ColumnType::Int64);
    let mut columns = vec![
        RUN,
        count("frames"),
        count("rows"),
        count("pairs_possible"),
        count("pairs_ignored"),
        count("pairs_candidate"),
        ColumnSpec::float("min_distance_m", "m").nullable(),
        A_INDEX.nullable(),
        B_INDEX.nullable(),
        BODY_A.nullable(),
        BODY_B.nullable(),
        count("frame_of_min").nullable(),
        count("violated"),
        ColumnSpec::new("violates", ColumnType::Boolean).nullable(),
        count("undecided"),
        count("uncertified"),
    ];
    if kind.intervals {
        columns.extend(LEAST_BETWEEN);
        columns.extend(["intervals", "intervals_contact", "intervals_undecided", "intervals_violated"].map(count));
        columns.push(count("contact_frame").nullable());
        columns.extend(["contact_a_index", "contact_b_index"].map(|name| ColumnSpec { name, ..A_INDEX }.nullable()));
        columns.extend(["contact_body_a", "contact_body_b"].map(|name| ColumnSpec { name, ..BODY_A }.nullable()));
    }
    TableSpec { name: "runs", columns, sorted_by: &["run"] }
}

/// `events`.
pub(super) fn events(kind: TableKind) -> TableSpec {
    let count = |name| ColumnSpec::new(name, ColumnType::Int64);
    let time = |name| ColumnSpec::float(name, "s").nullable();
    let word = |name, vocabulary| ColumnSpec::new(name, ColumnType::String(vocabulary));
    let mut columns = vec![
        word("rule", Vocabulary::Rules),
        word("severity", Vocabulary::Severity),
        ColumnSpec::float("required_m", "m"),
        RUN,
        A_INDEX,
        B_INDEX,
        BODY_A,
        BODY_B,
        count("begin_frame"),
        time("begin_s"),
        count("end_frame"),
        time("end_s"),
        count("samples"),
        count("intervals"),
        LOWER,
        UPPER,
        count("frame_of_least"),
        time("time_of_least_s"),
    ];
    columns.extend(["place_x", "place_y", "place_z"].map(|name| ColumnSpec::float(name, "m").nullable()));
    columns.push(word("kind", Vocabulary::EventKind));
    columns.push(word("state", Vocabulary::EventState));
    columns.push(word("issue", Vocabulary::Issues));
    columns.extend(SWEPT.into_iter().filter(|_| kind.sweeps));
    TableSpec { name: "events", columns, sorted_by: &["run"] }
}

/// `issues`. The columns of events are null where there are none any more.
pub(super) fn issues() -> TableSpec {
    let count = |name| ColumnSpec::new(name, ColumnType::Int64);
    let word = |name, vocabulary| ColumnSpec::new(name, ColumnType::String(vocabulary));
    let number = |name, unit| ColumnSpec::float(name, unit).nullable();
    let columns = vec![
        word("issue", Vocabulary::Issues),
        word("group", Vocabulary::Issues),
        word("rule", Vocabulary::Issues),
        word("severity", Vocabulary::Severity),
        word("state", Vocabulary::EventState),
        word("kind", Vocabulary::EventKind).nullable(),
        count("events"),
        count("pairs"),
        count("runs"),
        LOWER,
        UPPER,
        count("first_frame").nullable(),
        count("last_frame").nullable(),
        number("box_min_x", "m"),
        number("box_min_y", "m"),
        number("box_min_z", "m"),
        number("box_max_x", "m"),
        number("box_max_y", "m"),
        number("box_max_z", "m"),
        number("volume_lower_m3", "m3"),
        number("volume_upper_m3", "m3"),
        word("note", Vocabulary::Issues).nullable(),
    ];
    TableSpec { name: "issues", columns, sorted_by: &[] }
}

impl TableSpec {
    /// The Arrow schema.
    pub(super) fn schema(&self) -> Arc<Schema> {
        Arc::new(Schema::new(self.columns.iter().map(ColumnSpec::field).collect::<Vec<_>>()))
    }

    /// For a column of body names, the position of the column that holds the indices of these bodies. `None` for other
    /// columns.
    pub(super) fn body_index_column(&self, column: &ColumnSpec) -> Option<usize> {
        let index = match column.name {
            "body_a" => A_INDEX.name,
            "body_b" => B_INDEX.name,
            "contact_body_a" => "contact_a_index",
            "contact_body_b" => "contact_b_index",
            _ => return None,
        };
        self.columns.iter().position(|column| column.name == index)
    }

    /// Writer properties of the files of this table. `schema` is [`TableSpec::schema`].
    pub(super) fn properties(&self, schema: &Schema, layout: &TableLayout) -> WriterProperties {
        let sorting = self.sorted_by.iter().filter_map(|name| {
            let at = self.columns.iter().position(|c| c.name == *name)?;
            Some(SortingColumn { column_idx: at as i32, descending: false, nulls_first: false })
        });
        let builder = base_properties(self.name, schema, layout).set_sorting_columns(Some(sorting.collect()));
        let mut properties = builder.build();
        add_encoded_arrow_schema_to_metadata(schema, &mut properties);
        properties
    }
}

/// Properties that all tables share: compression, page index, author, schema version and units.
pub(super) fn base_properties(
    table: &str,
    schema: &Schema,
    layout: &TableLayout,
) -> parquet::file::properties::WriterPropertiesBuilder {
    let entry = |key: &str, value: String| KeyValue::new(key.to_owned(), value);
    writer_properties::common()
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
