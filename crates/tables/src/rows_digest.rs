//! Digests of the rows of a table, whatever their encoding, files or order of arrival.
//!
//! The rows of a run whose frames have the same number divided by [`FRAMES`] (tables without a
//! column `frame`: all rows of the run) are hashed together, at most [`CHUNK_ROWS`] at a time:
//! BLAKE3 of
//!
//! ```text
//! run i64 | frame / 64 i64 | number of the chunk among these rows u64 | rows u64 | for each column: its bytes u64, its values
//! ```
//! all little-endian. Integers and numbers are stored as they are, of a nullable column a null
//! number as the NaN 0x7ff8000000000000, a null integer or boolean as zero with a byte behind each
//! value that says whether it is there. A text is the first eight bytes of its BLAKE3; a list is
//! the number of its texts (u32) and these. Columns of body names in tables that have the indices
//! too are left out.
//!
//! The digest of several chunks is the sum of theirs modulo 2^256. So those of parts of a table add
//! up to that of the table, and a difference is found in the runs that it is in.

use super::column_buffer::{ColumnBuffer, ColumnValues};
use super::vocabularies::Vocabularies;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_buffer::ToByteSlice;
use arrow_schema::DataType;
use clearsweep_records::{ColumnType, TableSchema, index_column};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// Consecutive frames that are hashed together.
pub(super) const FRAMES: i64 = 64;

/// Most rows that are hashed together.
const CHUNK_ROWS: u64 = 16_384;

/// Most groups of runs that have a digest of their own.
const MOST_GROUPS: usize = 256;

/// Bits of a null number.
const NULL_NUMBER: u64 = 0x7ff8_0000_0000_0000;

/// A digest of rows: an integer modulo 2^256.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowsSum([u64; 4]);

impl RowsSum {
    fn of_chunk(bytes: &[u8]) -> Self {
        let hash = blake3::hash(bytes);
        let (words, _) = hash.as_bytes().as_chunks::<8>();
        Self(std::array::from_fn(|k| u64::from_le_bytes(words[k])))
    }

    fn add(&mut self, other: &Self) {
        let mut carry = false;
        for (own, more) in self.0.iter_mut().zip(other.0) {
            let (sum, first) = own.overflowing_add(more);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            (*own, carry) = (sum, first | second);
        }
    }
}

impl fmt::Display for RowsSum {
    /// The most significant digit first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().rev().try_for_each(|word| write!(f, "{word:016x}"))
    }
}

/// The digest of the rows of consecutive runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunsDigest {
    /// First and last run with a row.
    pub runs: [i64; 2],
    /// Runs with a row.
    pub count: u64,
    /// Rows.
    pub rows: u64,
    /// Sum of the digests of all chunks.
    pub sum: RowsSum,
}

impl RunsDigest {
    fn join(&mut self, later: &Self) {
        self.count += later.count - u64::from(later.runs[0] == self.runs[1]);
        self.runs[1] = later.runs[1];
        self.rows += later.rows;
        self.sum.add(&later.sum);
    }
}

impl fmt::Display for RunsDigest {
    /// `FIRST LAST RUNS ROWS DIGEST`, as the manifest has it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { runs: [first, last], count, rows, sum } = self;
        write!(f, "{first} {last} {count} {rows} {sum}")
    }
}

impl FromStr for RunsDigest {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let words: Vec<&str> = text.split(' ').collect();
        let [first, last, count, rows, digits] = words[..] else { return Err(()) };
        let number = |text: &str| text.parse().map_err(|_| ());
        let run = |text: &str| text.parse().map_err(|_| ());
        if digits.len() != 64 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(());
        }
        let word = |k: usize| u64::from_str_radix(&digits[64 - 16 * (k + 1)..64 - 16 * k], 16).map_err(|_| ());
        let sum = RowsSum([word(0)?, word(1)?, word(2)?, word(3)?]);
        Ok(Self { runs: [run(first)?, run(last)?], count: number(count)?, rows: number(rows)?, sum })
    }
}

/// The digests of a table: of at most 256 groups of consecutive runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableDigest {
    /// In the order of the runs, which no two groups share.
    pub groups: Vec<RunsDigest>,
    /// Runs of a group, as a power of two.
    doublings: u32,
}

impl TableDigest {
    /// The digests of groups as a manifest has them.
    pub fn of_groups(groups: Vec<RunsDigest>) -> Self {
        Self { groups, doublings: 0 }
    }

    /// The rows of all groups.
    pub fn rows(&self) -> u64 {
        self.groups.iter().map(|group| group.rows).sum()
    }

    /// The sum over all groups.
    pub fn sum(&self) -> RowsSum {
        let mut sum = RowsSum::default();
        self.groups.iter().for_each(|group| sum.add(&group.sum));
        sum
    }

    /// Adds rows that come later, of the last run or of later ones.
    pub fn push(&mut self, later: RunsDigest) {
        let most = 1_u64 << self.doublings;
        match self.groups.last_mut() {
            Some(last) if last.runs[1] == later.runs[0] || last.count + later.count <= most => {
                return last.join(&later);
            }
            _ => {}
        }
        if self.groups.len() == MOST_GROUPS {
            self.groups = self.groups.chunks(2).map(joined).collect();
            self.doublings += 1;
            return self.push(later);
        }
        self.groups.push(later);
    }

    /// Returns the runs, from the first to the second one, outside of which another digest has the
    /// same rows; `None`: they are the same everywhere.
    pub fn difference(&self, other: &Self) -> Option<[i64; 2]> {
        // Groups may be divided otherwise: sums are compared wherever both have an end.
        let (mut own, mut of_other) = (self.ends(), other.ends());
        let (mut a, mut b) = (own.next(), of_other.next());
        let mut last_equal = None;
        loop {
            match (a, b) {
                (Some((run, sum)), Some((other_run, other_sum))) if run == other_run => {
                    if sum != other_sum {
                        return Some([last_equal.map_or(self.first(other), |run: i64| run.saturating_add(1)), run]);
                    }
                    last_equal = Some(run);
                    (a, b) = (own.next(), of_other.next());
                }
                (Some((run, _)), Some((other_run, _))) if run < other_run => a = own.next(),
                (Some(_), Some(_)) => b = of_other.next(),
                _ => break,
            }
        }
        // Damaged runs may be out of order, so that no further ends meet: then the sums tell.
        let ends = [self, other].map(|digest| digest.groups.iter().map(|group| group.runs[1]).max());
        if ends[0] == ends[1] && (self.rows(), self.sum()) == (other.rows(), other.sum()) {
            return None;
        }
        let last = ends[0].max(ends[1])?;
        let first = last_equal.map_or(self.first(other), |run| run.saturating_add(1));
        Some([first.min(last), last])
    }

    fn first(&self, other: &Self) -> i64 {
        let firsts = [self, other].into_iter().filter_map(|digest| digest.groups.first());
        firsts.map(|group| group.runs[0]).min().unwrap_or_default()
    }

    /// The last run of each group, with rows and sum up to there.
    fn ends(&self) -> impl Iterator<Item = (i64, (u64, RowsSum))> {
        self.groups.iter().scan((0, RowsSum::default()), |(rows, sum), group| {
            *rows += group.rows;
            sum.add(&group.sum);
            Some((group.runs[1], (*rows, *sum)))
        })
    }
}

fn joined(groups: &[RunsDigest]) -> RunsDigest {
    let mut all = groups[0];
    groups[1..].iter().for_each(|later| all.join(later));
    all
}

/// The first eight bytes of the BLAKE3 of a text.
fn text_key(text: &str) -> [u8; 8] {
    let hash = blake3::hash(text.as_bytes());
    hash.as_bytes().first_chunk().copied().unwrap_or_default()
}

/// Columns whose values have a canonical form.
pub(super) trait CanonicalColumns {
    /// Number of columns.
    fn count(&self) -> usize;

    /// The run, and the frame, of each row; `None`: the table has no such column.
    fn keys(&self) -> [Option<&[i64]>; 2];

    /// Appends the canonical form of the values of a column.
    fn append(&self, column: usize, rows: Range<usize>, to: &mut Vec<u8>);
}

/// Rows that are hashed together.
struct Chunk {
    run: i64,
    rows: u64,
    bytes: Vec<u8>,
}

/// Digests rows as they come.
#[derive(Debug, Default)]
pub(super) struct RowsDigester {
    /// Run and frames of the chunk that is being filled, and how many chunks these have already.
    key: Option<(i64, i64)>,
    number: u64,
    rows: u64,
    /// Its values, column by column.
    columns: Vec<Vec<u8>>,
    digest: TableDigest,
}

/// Chunks that are full, and wait to be hashed.
#[must_use]
pub(super) struct FullChunks(Vec<Chunk>);

impl RowsDigester {
    /// Takes the next rows.
    pub(super) fn take(&mut self, source: &dyn CanonicalColumns, rows: usize) -> FullChunks {
        let mut full = Vec::new();
        self.columns.resize(source.count(), Vec::new());
        let [runs, frames] = source.keys();
        let key =
            |row: usize| (runs.map_or(0, |runs| runs[row]), frames.map_or(0, |frames| frames[row].div_euclid(FRAMES)));
        let mut start = 0;
        while start < rows {
            let of_start = key(start);
            if self.key != Some(of_start) {
                full.extend(self.close());
                (self.key, self.number) = (Some(of_start), 0);
            }
            let most = start + (CHUNK_ROWS - self.rows).min((rows - start) as u64) as usize;
            let end = (start + 1..most).find(|&row| key(row) != of_start).unwrap_or(most);
            let columns = self.columns.iter_mut().enumerate();
            columns.for_each(|(column, to)| source.append(column, start..end, to));
            self.rows += (end - start) as u64;
            if self.rows == CHUNK_ROWS {
                full.extend(self.close());
            }
            start = end;
        }
        FullChunks(full)
    }

    /// Ends the chunk that is being filled.
    fn close(&mut self) -> Option<Chunk> {
        let (run, block) = self.key.filter(|_| self.rows > 0)?;
        let values: usize = self.columns.iter().map(|column| column.len() + 8).sum();
        let mut bytes = Vec::with_capacity(values + 32);
        [run.cast_unsigned(), block.cast_unsigned(), self.number, self.rows]
            .iter()
            .for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
        for column in &mut self.columns {
            bytes.extend_from_slice(&(column.len() as u64).to_le_bytes());
            bytes.append(column);
        }
        let rows = std::mem::take(&mut self.rows);
        self.number += 1;
        Some(Chunk { run, rows, bytes })
    }

    /// Adds chunks that were hashed, in their order.
    pub(super) fn add(&mut self, hashed: HashedChunks) {
        hashed.0.into_iter().for_each(|group| self.digest.push(group));
    }

    /// The digest of all rows.
    pub(super) fn finish(mut self) -> TableDigest {
        let last = FullChunks(self.close().into_iter().collect());
        self.add(last.hash());
        self.digest
    }
}

/// Digests of chunks.
pub(super) struct HashedChunks(Vec<RunsDigest>);

impl FullChunks {
    /// Hashes them in rayon's current pool.
    pub(super) fn hash(self) -> HashedChunks {
        let hash = |Chunk { run, rows, bytes }: &Chunk| RunsDigest {
            runs: [*run; 2],
            count: 1,
            rows: *rows,
            sum: RowsSum::of_chunk(bytes),
        };
        HashedChunks(self.0.par_iter().with_min_len(16).map(hash).collect())
    }
}

/// Columns of a table that is being written.
#[derive(Debug)]
pub(super) struct WrittenColumns {
    /// For each column of texts, their keys by code.
    texts: Vec<Option<Vec<[u8; 8]>>>,
    nullable: Vec<bool>,
    run: Option<usize>,
    frame: Option<usize>,
}

impl WrittenColumns {
    pub(super) fn new(schema: &TableSchema, strings: &Vocabularies) -> Self {
        let own: Vec<_> = schema.filled().collect();
        let keys = |kind: ColumnType| match kind {
            ColumnType::Text(words) => Some(strings.texts(words).map(text_key).collect()),
            _ => None,
        };
        let position = |name: &str| own.iter().position(|column| column.name == name);
        Self {
            texts: own.iter().map(|column| keys(column.kind)).collect(),
            nullable: own.iter().map(|column| column.nullable).collect(),
            run: position("run"),
            frame: position("frame"),
        }
    }

    /// The columns with their values.
    pub(super) fn of<'a>(&'a self, columns: &'a [ColumnBuffer]) -> impl CanonicalColumns + 'a {
        Written { about: self, columns }
    }
}

struct Written<'a> {
    about: &'a WrittenColumns,
    columns: &'a [ColumnBuffer],
}

impl CanonicalColumns for Written<'_> {
    fn count(&self) -> usize {
        self.columns.len()
    }

    fn keys(&self) -> [Option<&[i64]>; 2] {
        [self.about.run, self.about.frame].map(|at| match &self.columns[at?].values {
            ColumnValues::Int64(values) => Some(values.as_slice()),
            _ => None,
        })
    }

    fn append(&self, column: usize, rows: Range<usize>, to: &mut Vec<u8>) {
        let (buffer, nullable) = (&self.columns[column], self.about.nullable[column]);
        let valid =
            nullable.then(|| buffer.validity()).filter(|valid| !valid.is_empty()).map(|valid| &valid[rows.clone()]);
        let words = self.about.texts[column].as_deref();
        match &buffer.values {
            ColumnValues::Int64(values) if !nullable => to.extend_from_slice(values[rows].to_byte_slice()),
            ColumnValues::Int64(values) => {
                put(values[rows].iter().map(|value| value.to_le_bytes()), valid, nullable, to)
            }
            ColumnValues::Int32(codes) => match words {
                Some(words) => put(codes[rows].iter().map(|&code| words[code as usize]), valid, nullable, to),
                None if !nullable => to.extend_from_slice(codes[rows].to_byte_slice()),
                None => put(codes[rows].iter().map(|value| value.to_le_bytes()), valid, nullable, to),
            },
            ColumnValues::Float64(values) => put_numbers(&values[rows], nullable && buffer.has_null_number(), to),
            ColumnValues::Boolean(values) => {
                put(values[rows].iter().map(|&value| [u8::from(value)]), valid, nullable, to);
            }
        }
    }
}

/// Appends values; where the column is nullable, each with a byte behind it that says whether it is
/// there.
fn put<const N: usize>(
    values: impl ExactSizeIterator<Item = [u8; N]>,
    valid: Option<&[bool]>,
    nullable: bool,
    to: &mut Vec<u8>,
) {
    if !nullable {
        let start = to.len();
        to.resize(start + N * values.len(), 0);
        let (slots, _) = to[start..].as_chunks_mut::<N>();
        slots.iter_mut().zip(values).for_each(|(slot, value)| *slot = value);
        return;
    }
    for (row, value) in values.enumerate() {
        let is_there = valid.is_none_or(|valid| valid[row]);
        to.extend_from_slice(if is_there { &value } else { &[0; N] });
        to.push(u8::from(is_there));
    }
}

/// Appends numbers; where some of them may be null, NaN is.
fn put_numbers(values: &[f64], has_nulls: bool, to: &mut Vec<u8>) {
    if !has_nulls {
        return to.extend_from_slice(values.to_byte_slice());
    }
    let canonical = |value: &f64| if value.is_nan() { NULL_NUMBER } else { value.to_bits() };
    put(values.iter().map(|value| canonical(value).to_le_bytes()), None, false, to);
}

/// Columns of a batch that was read.
pub(super) struct ReadColumns {
    columns: Vec<(ArrayRef, bool)>,
    run: Option<usize>,
    frame: Option<usize>,
}

impl ReadColumns {
    /// The columns of a batch of a table; `None` if one is of a type that no table has.
    pub(super) fn of(batch: &RecordBatch) -> Option<Self> {
        let schema = batch.schema();
        let is_name = |name: &str| index_column(name).is_some_and(|index| schema.index_of(index).is_ok());
        let fields = schema.fields().iter().zip(batch.columns());
        let own: Vec<_> = fields.filter(|(field, _)| !is_name(field.name())).collect();
        let position = |name: &str| own.iter().position(|(field, _)| field.name() == name);
        let (run, frame) = (position("run"), position("frame"));
        let columns: Vec<(ArrayRef, bool)> =
            own.into_iter().map(|(field, array)| (ArrayRef::clone(array), field.is_nullable())).collect();
        let fits = columns.iter().all(|(array, _)| is_canonical(array.data_type()));
        let keys = [run, frame].into_iter().flatten();
        let has_keys =
            keys.map(|at| &columns[at]).all(|(array, nullable)| !nullable && *array.data_type() == DataType::Int64);
        (fits && has_keys).then_some(Self { columns, run, frame })
    }
}

fn is_canonical(kind: &DataType) -> bool {
    let is_text = |kind: &DataType| *kind == DataType::Utf8;
    match kind {
        DataType::Int64 | DataType::Int32 | DataType::Float64 | DataType::Boolean | DataType::Utf8 => true,
        DataType::Dictionary(keys, values) => **keys == DataType::Int32 && is_text(values),
        DataType::List(field) => is_text(field.data_type()),
        _ => false,
    }
}

impl CanonicalColumns for ReadColumns {
    fn count(&self) -> usize {
        self.columns.len()
    }

    fn keys(&self) -> [Option<&[i64]>; 2] {
        [self.run, self.frame].map(|at| Some(&**self.columns[at?].0.as_primitive_opt::<Int64Type>()?.values()))
    }

    fn append(&self, column: usize, rows: Range<usize>, to: &mut Vec<u8>) {
        let (array, nullable) = &self.columns[column];
        let array = array.slice(rows.start, rows.len());
        let valid: Option<Vec<bool>> = array.nulls().map(|nulls| nulls.iter().collect());
        let (valid, nullable) = (valid.as_deref(), *nullable);
        match array.data_type() {
            DataType::Int64 => {
                put(array.as_primitive::<Int64Type>().values().iter().map(|v| v.to_le_bytes()), valid, nullable, to);
            }
            DataType::Int32 => {
                put(array.as_primitive::<Int32Type>().values().iter().map(|v| v.to_le_bytes()), valid, nullable, to);
            }
            DataType::Float64 => {
                let numbers = array.as_primitive::<Float64Type>();
                let values: Vec<f64> = numbers.iter().map(|value| value.unwrap_or(f64::NAN)).collect();
                put_numbers(&values, nullable, to);
            }
            DataType::Boolean => {
                let values = array.as_boolean();
                put((0..values.len()).map(|row| [u8::from(values.value(row))]), valid, nullable, to);
            }
            DataType::Dictionary(..) => {
                let texts = array.as_dictionary::<Int32Type>();
                let keys: Vec<[u8; 8]> =
                    texts.values().as_string::<i32>().iter().map(|text| text_key(text.unwrap_or(""))).collect();
                let codes = texts.keys().values().iter();
                put(codes.map(|&code| keys.get(code as usize).copied().unwrap_or_default()), valid, nullable, to);
            }
            DataType::Utf8 => put(text_keys(array.as_string()), valid, nullable, to),
            _ => {
                for texts in array.as_list::<i32>().iter() {
                    let texts = texts.as_ref().map(|texts| texts.as_string::<i32>());
                    to.extend_from_slice(&(texts.map_or(0, StringArray::len) as u32).to_le_bytes());
                    texts.into_iter().flat_map(text_keys).for_each(|key| to.extend_from_slice(&key));
                }
            }
        }
    }
}

fn text_keys(texts: &StringArray) -> impl ExactSizeIterator<Item = [u8; 8]> {
    texts.iter().map(|text| text_key(text.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(run: i64, rows: u64, word: u64) -> RunsDigest {
        RunsDigest { runs: [run; 2], count: 1, rows, sum: RowsSum([word, u64::MAX, u64::MAX, word]) }
    }

    #[test]
    fn groups_stay_few_and_sums_stay() {
        let (mut digest, mut sum) = (TableDigest::default(), RowsSum::default());
        for run in 0..100_000 {
            let next = group(run, 2, (run as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            sum.add(&next.sum);
            digest.push(next);
        }
        assert!(digest.groups.len() <= MOST_GROUPS && digest.groups.len() > MOST_GROUPS / 4);
        assert_eq!((digest.rows(), digest.sum()), (200_000, sum));
        assert_eq!(digest.groups.iter().map(|group| group.count).sum::<u64>(), 100_000);
        let text = digest.groups[7].to_string();
        assert_eq!(text.parse(), Ok(digest.groups[7]));
        assert!(
            text.replace(' ', "").parse::<RunsDigest>().is_err() && format!("{text}0").parse::<RunsDigest>().is_err()
        );
    }

    #[test]
    fn differences_are_found_in_their_runs_however_groups_are_divided() {
        let of = |runs: &[(i64, u64)]| {
            let mut digest = TableDigest::default();
            runs.iter().for_each(|&(run, word)| digest.push(group(run, 1, word)));
            digest
        };
        let all: Vec<(i64, u64)> = (0..1000).map(|run| (run, run as u64 * 77)).collect();
        let one = of(&all);
        let fine = TableDigest::of_groups(all.iter().map(|&(run, word)| group(run, 1, word)).collect());
        assert_eq!(one.difference(&fine), None);
        let mut changed = all.clone();
        changed[501].1 += 1;
        let [first, last] = one.difference(&of(&changed)).expect("they differ");
        assert!(first <= 501 && 501 <= last && last - first < 8, "{first} {last}");
        assert!(fine.difference(&of(&all[..999])).is_some_and(|[_, last]| last == 999));
        let mut turned = fine.groups.clone();
        turned[3].runs = [5; 2];
        turned[3].sum = RowsSum([9, 9, 9, 9]);
        assert!(fine.difference(&TableDigest::of_groups(turned)).is_some(), "runs that are out of order");
        assert!(one.difference(&TableDigest::default()) == Some([0, 999]));
        assert_eq!(TableDigest::default().difference(&TableDigest::default()), None);
    }
}
