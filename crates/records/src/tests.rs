//! Rows that are appended by a declaration and decoded by it are the same rows.

use crate::*;
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
};
use arrow_schema::Schema;
use clearsweep_model::{ContactKind, EventState, Severity};
use std::sync::Arc;

/// A column in memory: integers, codes and booleans with their nulls, numbers with NaN for null.
#[derive(Default)]
struct MemoryColumn {
    integers: Vec<Option<i64>>,
    numbers: Vec<f64>,
}

impl ColumnSink for MemoryColumn {
    fn extend_i64(&mut self, values: impl Iterator<Item = i64>) {
        self.integers.extend(values.map(Some));
    }
    fn extend_i32(&mut self, values: impl Iterator<Item = i32>) {
        self.integers.extend(values.map(|value| Some(value.into())));
    }
    fn extend_f64(&mut self, values: impl Iterator<Item = f64>) {
        self.numbers.extend(values);
    }
    fn extend_bool(&mut self, values: impl Iterator<Item = bool>) {
        self.integers.extend(values.map(|value| Some(value.into())));
    }
    fn extend_optional_i64(&mut self, values: impl Iterator<Item = Option<i64>> + Clone) {
        self.integers.extend(values);
    }
    fn extend_optional_i32(&mut self, values: impl Iterator<Item = Option<i32>> + Clone) {
        self.integers.extend(values.map(|value| value.map(i64::from)));
    }
    fn extend_optional_bool(&mut self, values: impl Iterator<Item = Option<bool>> + Clone) {
        self.integers.extend(values.map(|value| value.map(i64::from)));
    }
    fn repeat_i64(&mut self, value: i64, count: usize) {
        self.extend_i64(std::iter::repeat_n(value, count));
    }
    fn repeat_f64(&mut self, value: f64, count: usize) {
        self.extend_f64(std::iter::repeat_n(value, count));
    }
}

/// The texts of open vocabularies: `body 0`, `body 1`, ...
fn texts() -> Vec<String> {
    (0..4).map(|code| format!("text {code}")).collect()
}

fn array(column: &Column, from: &MemoryColumn) -> ArrayRef {
    let narrow = || from.integers.iter().map(|value| value.map(|value| value as i32));
    match column.kind {
        ColumnType::Int64 => Arc::new(Int64Array::from(from.integers.clone())),
        ColumnType::Int32 => Arc::new(Int32Array::from_iter(narrow())),
        ColumnType::Boolean => {
            Arc::new(BooleanArray::from_iter(from.integers.iter().map(|value| value.map(|value| value != 0))))
        }
        ColumnType::Float64 if column.nullable => {
            Arc::new(Float64Array::from_iter(from.numbers.iter().map(|&value| (!value.is_nan()).then_some(value))))
        }
        ColumnType::Float64 => Arc::new(Float64Array::from(from.numbers.clone())),
        ColumnType::Text(words) => {
            let texts = match words {
                Words::Fixed(words) => words.iter().map(|word| (*word).to_owned()).collect(),
                _ => texts(),
            };
            let texts = Arc::new(StringArray::from(texts));
            Arc::new(DictionaryArray::<Int32Type>::try_new(Int32Array::from_iter(narrow()), texts).expect("codes"))
        }
        kind => panic!("no record has a column of {kind:?}"),
    }
}

/// The batch of some rows in a job.
fn batch<R: Record>(rows: &[R], job: &Contents) -> RecordBatch {
    let schema = R::schema(job);
    let mut columns: Vec<MemoryColumn> = schema.filled().map(|_| MemoryColumn::default()).collect();
    R::extend(rows, |row| *row, job, &mut columns);
    let filled: Vec<(&str, &MemoryColumn)> = schema.filled().map(|column| column.name).zip(&columns).collect();
    let arrays = schema.columns.iter().map(|column| {
        let name = column.index.unwrap_or(column.name);
        array(column, filled.iter().find(|(filled, _)| *filled == name).expect("a filled column").1)
    });
    let arrays = arrays.collect();
    RecordBatch::try_new(Arc::new(Schema::new(schema.fields())), arrays).expect("columns of their types")
}

fn job(is_full: bool) -> Contents {
    Contents {
        witnesses: is_full,
        directional: is_full,
        free_lengths: is_full,
        intervals: is_full,
        rules: is_full,
        requirements: is_full,
        known_pairs: is_full,
        contacts: is_full,
        joints: is_full,
        sweeps: is_full,
    }
}

fn run(run: i64, is_empty: bool) -> Run<Code> {
    let worst = (!is_empty).then_some(0.25);
    Run {
        run,
        frames: 7,
        rows: 3,
        pairs_possible: 6,
        pairs_ignored: 1,
        pairs_candidate: 2,
        min_distance_m: worst,
        a_index: worst.map(|_| 1),
        b_index: worst.map(|_| 3),
        body_a: worst.map(|_| Code(1)),
        body_b: worst.map(|_| Code(3)),
        frame_of_min: worst.map(|_| -4),
        violated: 1,
        violates: worst.map(|_| true),
        undecided: 0,
        uncertified: 0,
        min_between_lower_m: None,
        min_between_upper_m: worst,
        intervals: Some(5),
        intervals_contact: Some(0),
        intervals_undecided: Some(1),
        intervals_violated: Some(2),
        contact_frame: worst.map(|_| 9),
        contact_a_index: worst.map(|_| 0),
        contact_b_index: worst.map(|_| 2),
        contact_body_a: worst.map(|_| Code(0)),
        contact_body_b: worst.map(|_| Code(2)),
    }
}

#[test]
fn rows_read_back_with_their_nulls() {
    let rows = [run(0, false), run(1, true), run(2, false)];
    let full = batch(&rows, &job(true));
    let read = Run::decode(&full).expect("its own columns");
    assert_eq!(read.len(), 3);
    assert_eq!((read[0].a_index, read[0].body_a.as_deref()), (Some(1), Some("text 1")));
    assert_eq!(read[0].contact_body_b.as_deref(), Some("text 2"));
    assert_eq!((read[1].min_distance_m, read[1].body_b.clone(), read[1].violates), (None, None, None));
    assert_eq!((read[2].run, read[2].intervals_violated, read[2].min_between_lower_m), (2, Some(2), None));
    let few = WorstRun::decode(&full).expect("columns of the table");
    assert_eq!(few, read.into_iter().map(WorstRun::from).collect::<Vec<_>>());
}

#[test]
fn columns_that_a_job_does_not_have_are_none_and_others_are_missed() {
    let batch = batch(&[run(5, false)], &job(false));
    assert!(batch.column_by_name("intervals").is_none(), "the job has no intervals");
    let read = Run::decode(&batch).expect("its own columns");
    assert_eq!((read[0].intervals, read[0].contact_frame, read[0].rows), (None, None, 3));
    let without = batch.schema().index_of("rows").expect("a column");
    let mut less = batch.clone();
    less.remove_column(without);
    assert_eq!(Run::decode(&less), Err(ColumnFault::Missing("rows")));
}

fn contact(frame: i64, time_s: Option<f64>, kind: ContactKind) -> Contact<Code> {
    Contact {
        run: 2,
        frame,
        time_s,
        a_index: 0,
        b_index: 1,
        body_a: Code(0),
        body_b: Code(1),
        contact: 4,
        kind,
        part_a: -1,
        part_b: 7,
        x: 1.0,
        y: f64::MIN_POSITIVE,
        z: -0.0,
        min_x: 0.5,
        min_y: 0.5,
        min_z: 0.5,
        max_x: 1.5,
        max_y: 1.5,
        max_z: 1.5,
        length_m: (kind == ContactKind::Crossing).then_some(3.5),
        closed: kind == ContactKind::Crossing,
    }
}

#[test]
fn neighbours_of_equal_values_are_repeated_as_they_are() {
    // Equal frames side by side and apart; times that are equal, differ, or are missing.
    let [crossing, inside] = [ContactKind::Crossing, ContactKind::Inside];
    let rows = [
        contact(0, Some(0.0), crossing),
        contact(0, Some(-0.0), inside),
        contact(1, None, crossing),
        contact(1, None, inside),
        contact(0, Some(0.5), inside),
    ];
    let read = Contact::decode(&batch(&rows, &job(true))).expect("its own columns");
    for (row, read) in rows.iter().zip(&read) {
        assert_eq!(read.time_s.map(f64::to_bits), row.time_s.map(f64::to_bits));
        assert_eq!(
            (read.frame, read.kind, read.length_m, read.closed),
            (row.frame, row.kind, row.length_m, row.closed)
        );
        assert_eq!(read.z.to_bits(), row.z.to_bits());
    }
}

#[test]
fn words_that_no_version_wrote_are_a_fault() {
    let issue = Issue {
        issue: Code(0),
        group: Code(1),
        rule: Code(2),
        severity: Severity::Critical,
        state: EventState::Stale,
        kind: None,
        events: 0,
        pairs: 1,
        runs: 0,
        lower_m: None,
        upper_m: None,
        first_frame: None,
        last_frame: None,
        box_min_x: None,
        box_min_y: None,
        box_min_z: None,
        box_max_x: None,
        box_max_y: None,
        box_max_z: None,
        volume_lower_m3: None,
        volume_upper_m3: None,
        note: Some(Code(3)),
    };
    let batch = batch(&[issue], &job(true));
    let read = &Issue::decode(&batch).expect("its own columns")[0];
    assert_eq!((read.severity, read.state, read.kind), (Severity::Critical, EventState::Stale, None));
    assert_eq!((&*read.group, read.note.as_deref()), ("text 1", Some("text 3")));
    let at = batch.schema().index_of("state").expect("a column");
    let words: DictionaryArray<Int32Type> = ["of another time"].into_iter().collect();
    let mut columns = batch.columns().to_vec();
    columns[at] = Arc::new(words);
    let altered = RecordBatch::try_new(batch.schema(), columns).expect("the same type");
    assert_eq!(Issue::decode(&altered), Err(ColumnFault::Type("state")));
}

#[test]
fn each_table_has_columns_of_its_own_names_and_can_be_sorted() {
    for table in &CATALOGUE {
        for job in [job(true), job(false)] {
            let schema = table.schema(&job);
            for (at, column) in schema.columns.iter().enumerate() {
                let twins = schema.columns.iter().filter(|twin| twin.name == column.name).count();
                assert_eq!(twins, 1, "{}.{}", table.name, column.name);
                if let Some(index) = column.index {
                    assert!(schema.position(index).is_some_and(|index| index < at), "{}.{index}", table.name);
                }
            }
            let keys = schema.sorted_by.iter().map(|key| schema.position(key));
            assert!(schema.columns.is_empty() || keys.into_iter().all(|key| key.is_some()), "{}", table.name);
        }
        assert!(table.columns.iter().all(|column| !column.meaning.trim().is_empty()), "{}", table.name);
        assert!(table.exists(&job(true)), "{}", table.name);
    }
    assert!(CATALOGUE.iter().any(|table| !table.exists(&job(false))));
}
