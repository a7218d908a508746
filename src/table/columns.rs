//! Columns being filled, and how rows fall into them.

use super::Row;
use super::ends::Ends;
use super::floats::Floats;
use super::schema::{Kind, Spec, Vocabulary};
use crate::narrow::{FeatureKind, Method, Status};
use crate::scene::Sample;
use arrow_buffer::ToByteSlice;
use std::sync::Arc;

/// The words of all string columns.
#[derive(Debug, Clone)]
pub(super) struct Words {
    bodies: Arc<[Box<str>]>,
}

impl Words {
    /// `bodies`: the names, by body index.
    pub(super) fn new<'a>(bodies: impl Iterator<Item = &'a str>) -> Self {
        Self { bodies: bodies.map(Box::from).collect() }
    }

    /// The word of this number.
    pub(super) fn word(&self, vocabulary: Vocabulary, code: i32) -> &str {
        let code = code as usize;
        match vocabulary {
            Vocabulary::Bodies => &self.bodies[code],
            Vocabulary::Status => Status::NAMES[code],
            Vocabulary::Feature => FeatureKind::NAMES[code],
            Vocabulary::Method => Method::NAMES[code],
        }
    }
}

/// Values of one column that wait for encoding.
#[derive(Debug)]
pub(super) enum Values {
    Int64(Vec<i64>),
    /// Numbers, or those of words.
    Int32(Vec<i32>),
    /// NaN means null where the column is nullable.
    Float64(Floats),
}

impl Values {
    /// Number of values.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Int64(values) => values.len(),
            Self::Int32(values) => values.len(),
            Self::Float64(values) => values.len(),
        }
    }

    /// All of them, as Parquet's plain encoding has them.
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Int64(values) => values.to_byte_slice(),
            Self::Int32(values) => values.to_byte_slice(),
            Self::Float64(values) => values.to_byte_slice(),
        }
    }
}

/// A column being filled.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) values: Values,
    /// For each value of a nullable column of integers: whether it is there.
    valid: Vec<bool>,
    /// Least and greatest value, found tile by tile while the values are in the first-level cache; not of words, nor
    /// where integers may be missing.
    ends: Option<Ends>,
    follows_ends: bool,
    /// Whether a value may be missing, and of numbers whether one is none.
    nullable: bool,
    has_nan: bool,
}

impl Column {
    /// An empty column.
    pub(super) fn new(spec: &Spec) -> Self {
        let values = match spec.kind {
            Kind::Int64 => Values::Int64(Vec::new()),
            Kind::Int32 | Kind::Words(_) => Values::Int32(Vec::new()),
            Kind::Float64 => Values::Float64(Floats::with_capacity(0)),
        };
        let is_float = matches!(values, Values::Float64(_));
        let follows_ends = !matches!(spec.kind, Kind::Words(_)) && (is_float || !spec.nullable);
        Self { values, valid: Vec::new(), ends: None, follows_ends, nullable: spec.nullable, has_nan: false }
    }

    /// Removes all values; their memory stays.
    pub(super) fn clear(&mut self) {
        self.valid.clear();
        (self.ends, self.has_nan) = (None, false);
        match &mut self.values {
            Values::Int64(values) => values.clear(),
            Values::Int32(values) => values.clear(),
            Values::Float64(values) => values.clear(),
        }
    }

    /// An empty column of the same kind; the values go with the one returned.
    pub(super) fn take(&mut self) -> Self {
        let values = match &self.values {
            Values::Int64(values) => Values::Int64(Vec::with_capacity(values.len())),
            Values::Int32(values) => Values::Int32(Vec::with_capacity(values.len())),
            Values::Float64(values) => Values::Float64(Floats::with_capacity(values.len())),
        };
        let Self { follows_ends, nullable, .. } = *self;
        let empty = Self { values, valid: Vec::new(), ends: None, follows_ends, nullable, has_nan: false };
        std::mem::replace(self, empty)
    }

    /// Least and greatest value; of a column without nulls, or after [`Self::take_present`].
    pub(super) fn ends(&self) -> Option<Ends> {
        if self.follows_ends { self.ends } else { self.ends_from(0) }
    }

    /// Least and greatest of the values from `first` on.
    fn ends_from(&self, first: usize) -> Option<Ends> {
        match &self.values {
            Values::Int64(values) => Ends::of_int64(&values[first..]),
            Values::Int32(values) => Ends::of_int32(&values[first..]),
            Values::Float64(values) => Ends::of_float64(&values[first..]),
        }
    }

    /// Notes the values from `first` on.
    fn note(&mut self, first: usize) {
        if !self.follows_ends {
            return;
        }
        self.join(self.ends_from(first));
        if let Values::Float64(values) = &self.values
            && self.nullable
        {
            self.has_nan |= values[first..].iter().fold(false, |nan, value| nan | value.is_nan());
        }
    }

    /// Notes the ends of new values.
    fn join(&mut self, new: Option<Ends>) {
        self.ends = match (self.ends, new) {
            (Some(ends), Some(new)) => Some(ends.join(new)),
            (ends, new) => ends.or(new),
        };
    }

    /// A column of these values.
    #[cfg(test)]
    pub(super) fn of(spec: &Spec, values: Values) -> Self {
        let mut column = Self { values, ..Self::new(spec) };
        column.note(0);
        column
    }

    /// Of a nullable column: removes what is null, and says for each value whether it was there; `None` where all were.
    pub(super) fn take_present(&mut self) -> Option<Vec<bool>> {
        let mut present = std::mem::take(&mut self.valid);
        if let Values::Float64(values) = &self.values
            && self.has_nan
        {
            present = values.iter().map(|value| !value.is_nan()).collect();
        }
        if present.iter().all(|&there| there) {
            return None;
        }
        let mut at = present.iter();
        let mut is_there = || *at.next().expect("a mark for each value");
        match &mut self.values {
            Values::Int64(values) => values.retain(|_| is_there()),
            Values::Int32(values) => values.retain(|_| is_there()),
            Values::Float64(values) => values.retain(is_there),
        }
        Some(present)
    }

    fn int64(&mut self, values: impl Iterator<Item = i64>) {
        let Values::Int64(v) = &mut self.values else { unreachable!("the filler follows the schema") };
        let first = v.len();
        v.extend(values);
        self.note(first);
    }

    fn int32(&mut self, values: impl Iterator<Item = i32>) {
        let Values::Int32(v) = &mut self.values else { unreachable!("the filler follows the schema") };
        let first = v.len();
        v.extend(values);
        self.note(first);
    }

    fn float64(&mut self, values: impl Iterator<Item = f64>) {
        let Values::Float64(v) = &mut self.values else { unreachable!("the filler follows the schema") };
        let first = v.len();
        v.extend(values);
        self.note(first);
    }

    /// Appends the same number `count` times, in a column without nulls.
    fn repeat_int64(&mut self, value: i64, count: usize) {
        let Values::Int64(v) = &mut self.values else { unreachable!("the filler follows the schema") };
        v.resize(v.len() + count, value);
        self.join(Ends::of_int64(&[value]));
    }

    /// Appends the same number `count` times; NaN where there is none.
    fn repeat_float64(&mut self, value: f64, count: usize) {
        let Values::Float64(v) = &mut self.values else { unreachable!("the filler follows the schema") };
        v.repeat(value, count);
        self.has_nan |= value.is_nan();
        self.join(Ends::of_float64(&[value]));
    }

    fn int64_or_null(&mut self, values: impl Iterator<Item = Option<i64>> + Clone) {
        self.valid.extend(values.clone().map(|v| v.is_some()));
        self.int64(values.map(Option::unwrap_or_default));
    }

    fn int32_or_null(&mut self, values: impl Iterator<Item = Option<i32>> + Clone) {
        self.valid.extend(values.clone().map(|v| v.is_some()));
        self.int32(values.map(Option::unwrap_or_default));
    }
}

/// The columns of a table one after the other, in the order of its schema, without the names of bodies.
struct Cursor<'a>(std::slice::IterMut<'a, Column>);

impl<'a> Cursor<'a> {
    fn next(&mut self) -> &'a mut Column {
        self.0.next().expect("the filler follows the schema")
    }
}

fn fill_keys(c: &mut Cursor<'_>, rows: &[Row], samples: &[Sample]) {
    let [run, frame, time] = [c.next(), c.next(), c.next()];
    // Rows are sorted by sample: most of a tile are of one or two.
    for part in rows.chunk_by(|one, next| one.proximity.sample == next.proximity.sample) {
        let sample = &samples[usize::from(part[0].proximity.sample)];
        run.repeat_int64(sample.run, part.len());
        frame.repeat_int64(sample.frame, part.len());
        time.repeat_float64(sample.time_s.unwrap_or(f64::NAN), part.len());
    }
    c.next().int32(rows.iter().map(|r| r.a as i32));
    c.next().int32(rows.iter().map(|r| r.b as i32));
}

/// Appends `rows` to the columns of `distances`; fills as many columns as the table has.
pub(super) fn fill_distances(columns: &mut [Column], rows: &[Row], samples: &[Sample]) {
    let all = columns.len() > 9;
    let mut c = Cursor(columns.iter_mut());
    fill_keys(&mut c, rows, samples);
    let p = || rows.iter().map(|r| &r.proximity);
    c.next().float64(p().map(|p| p.distance));
    c.next().float64(p().map(|p| p.lower));
    c.next().float64(p().map(|p| p.upper));
    c.next().int32(p().map(|p| p.status as i32));
    if !all {
        return;
    }
    for axis in 0..3 {
        c.next().float64(p().map(|p| p.point_a[axis]));
    }
    for axis in 0..3 {
        c.next().float64(p().map(|p| p.point_b[axis]));
    }
    for axis in 0..3 {
        c.next().float64(p().map(|p| p.normal[axis]));
    }
    for side in 0..2 {
        c.next().int32(p().map(|p| p.part[side]));
    }
    for side in 0..2 {
        c.next().int32(p().map(|p| p.feature[side]));
    }
    for side in 0..2 {
        c.next().int32(p().map(|p| p.feature_kind[side] as i32));
    }
    c.next().int32(p().map(|p| p.method as i32));
}

/// Appends `rows`, all of them penetrating, to the columns of `penetrations`.
pub(super) fn fill_penetrations(columns: &mut [Column], rows: &[Row], samples: &[Sample]) {
    let mut c = Cursor(columns.iter_mut());
    fill_keys(&mut c, rows, samples);
    let p = || rows.iter().map(|r| &r.proximity);
    c.next().float64(p().map(|p| -p.distance));
    c.next().float64(p().map(|p| (-p.upper).max(0.0)));
    c.next().float64(p().map(|p| -p.lower));
    for axis in 0..3 {
        c.next().float64(p().map(|p| p.normal[axis]));
    }
}

/// A row of `pairs`.
#[derive(Debug, Clone, Copy)]
pub(super) struct PairRow {
    /// Run.
    pub(super) run: i64,
    /// What was counted.
    pub(super) stat: super::pair_stats::PairStat,
    /// Metres.
    pub(super) max_step: f64,
}

/// Appends rows to the columns of `pairs`.
pub(super) fn fill_pairs(columns: &mut [Column], rows: &[PairRow]) {
    let mut c = Cursor(columns.iter_mut());
    let s = || rows.iter().map(|r| &r.stat);
    c.next().int64(rows.iter().map(|r| r.run));
    c.next().int32(s().map(|s| s.a as i32));
    c.next().int32(s().map(|s| s.b as i32));
    c.next().int64(s().map(|s| s.candidate as i64));
    c.next().int64(s().map(|s| s.within as i64));
    c.next().int64(s().map(|s| s.penetrating as i64));
    c.next().float64(s().map(|s| s.distance));
    c.next().float64(s().map(|s| s.lower));
    c.next().float64(s().map(|s| s.upper));
    c.next().int64(s().map(|s| s.frame));
    c.next().float64(s().map(|s| s.time));
    c.next().float64(rows.iter().map(|r| r.max_step));
}

/// A row of `runs`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RunRow {
    pub(super) run: i64,
    pub(super) frames: u64,
    pub(super) rows: u64,
    pub(super) pairs_possible: u64,
    pub(super) pairs_ignored: u64,
    pub(super) pairs_candidate: u64,
    pub(super) worst: Option<WorstRow>,
    pub(super) violated: u64,
    pub(super) undecided: u64,
    pub(super) uncertified: u64,
}

/// The row of smallest distance of a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct WorstRow {
    pub(super) distance: f64,
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) frame: i64,
}

/// Appends rows to the columns of `runs`.
pub(super) fn fill_runs(columns: &mut [Column], rows: &[RunRow]) {
    let mut c = Cursor(columns.iter_mut());
    c.next().int64(rows.iter().map(|r| r.run));
    c.next().int64(rows.iter().map(|r| r.frames as i64));
    c.next().int64(rows.iter().map(|r| r.rows as i64));
    c.next().int64(rows.iter().map(|r| r.pairs_possible as i64));
    c.next().int64(rows.iter().map(|r| r.pairs_ignored as i64));
    c.next().int64(rows.iter().map(|r| r.pairs_candidate as i64));
    let w = || rows.iter().map(|r| r.worst);
    c.next().float64(w().map(|w| w.map_or(f64::NAN, |w| w.distance)));
    c.next().int32_or_null(w().map(|w| Some(w?.a as i32)));
    c.next().int32_or_null(w().map(|w| Some(w?.b as i32)));
    c.next().int64_or_null(w().map(|w| Some(w?.frame)));
    c.next().int64(rows.iter().map(|r| r.violated as i64));
    c.next().int64(rows.iter().map(|r| r.undecided as i64));
    c.next().int64(rows.iter().map(|r| r.uncertified as i64));
}
