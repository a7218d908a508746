//! Sorting trajectories by run, then frame, into one Parquet file, whatever their size.
//!
//! One line: `unify` finds the one schema that all files fit; batches of rows are gathered until
//! the memory given is full, sorted and spilled (`spill`) as a *stretch*; `merge` merges the
//! stretches, in several passes if there are many; `output` encodes the rows on a thread of its own
//! and lets the file appear whole or not at all (`temporary`). Input that is in order already goes
//! straight to `output`. Names of bodies travel as numbers (`names`).
//!
//! The sort is stable: rows of one frame stay in the order in which they were read, file after file
//! as `run` reads them (by first key, then by path).

mod budget;
mod merge;
mod names;
mod output;
mod spill;
mod temporary;
mod unify;
mod writable;

use super::column_format::ColumnFormat;
use super::decode;
use super::open::{InputPlace, open};
use super::rows::{Defects, Runs};
use super::source::Source;
use arrow_array::{Array, ArrayRef, RecordBatch};
use budget::Budget;
use clearsweep_base::error::{Error, ErrorKind, Result};
use clearsweep_model::{LengthUnit, TrajectoryColumns};
use merge::{Merge, SortKeys};
use names::BodyNumbers;
use output::{Encoding, SortOutput};
use spill::{Spill, SpillSection};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use unify::Unified;

/// The least memory that is of any use, bytes.
const LEAST_MEMORY: u64 = 1_000_000;

/// How to sort.
#[derive(Debug, Clone)]
pub struct SortOptions {
    /// Bytes that rows may take in memory: being gathered, merged and encoded, all together.
    pub memory: u64,
    /// The directory for temporary files; `None`: that of the file to be written.
    pub temp: Option<PathBuf>,
    /// Replace the file to be written, if it exists.
    pub force: bool,
    /// Names of the columns where they are not those of the format. The columns keep them.
    pub columns: TrajectoryColumns,
}

/// The work being done on the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SortPhase {
    /// Their keys are read, to see whether they are in order already.
    Checking,
    /// They are gathered, sorted and spilled.
    Sorting,
    /// Stretches are merged into fewer, longer ones.
    Merging,
    /// They are written to the file.
    Writing,
}

/// How far a sort is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SortStep {
    /// The work being done.
    pub phase: SortPhase,
    /// Rows of this phase that are done.
    pub rows: u64,
    /// All rows of this phase.
    pub total: u64,
}

/// The result of a sort.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sorted {
    /// Rows written.
    pub rows: u64,
    /// Files read.
    pub files: usize,
    /// Runs.
    pub runs: u64,
    /// Existing (run, frame) samples.
    pub samples: u64,
    /// Whether the rows were in order as they were read.
    pub was_sorted: bool,
    /// Sorted stretches that were spilled to temporary files; 0 where all rows fit into memory.
    pub stretches: u64,
    /// Bytes of all temporary files, one pass after the other.
    pub spilled_bytes: u64,
    /// Bytes of the file written.
    pub bytes: u64,
}

/// Told how far the sort is; `false` ends it, and nothing is left behind.
pub(super) type Watch<'a> = dyn FnMut(&SortStep) -> bool + 'a;

/// Sorts the trajectories at `input` (a file, a directory or a glob) by run, then frame, into the
/// Parquet file `out`.
///
/// Columns of the format come out under the names of the format (those that `columns` names under
/// these), keys as `int64`, names of bodies as a dictionary; all other columns are kept. Lengths
/// keep their values and the metadata `unit` of their field.
///
/// # Errors
/// An input that `run` would refuse for its schema or its keys, or files whose columns do not fit
/// each other; an output that exists already (without `force`), is part of the input, or cannot be
/// written; the watch ended it.
pub fn sort(input: &Path, out: &Path, options: &SortOptions, watch: &mut Watch<'_>) -> Result<Sorted> {
    if options.memory < LEAST_MEMORY {
        return Err(Error::usage(
            "--memory",
            format!("{} bytes hold too few rows", options.memory),
            "give 64MB or more",
        ));
    }
    // The unit matters to the bounds of positions only, which nobody asks for here.
    let format = ColumnFormat {
        unit: LengthUnit::ALL[0],
        names: Arc::new(options.columns.clone()),
        joints: None,
        has_pieces: false,
        needs_times: false,
    };
    let told = RefCell::new(&mut *watch);
    let wants = || (told.borrow_mut())(&SortStep { phase: SortPhase::Checking, rows: 0, total: 0 });
    let folder = options.temp.as_deref().or(out.parent()).filter(|folder| !folder.as_os_str().is_empty());
    let sources = open(&InputPlace::Path(input.to_owned()), &format, folder, &wants);
    let sources = sources.map_err(|error| if error.kind == ErrorKind::Cancelled { interrupted() } else { error })?;
    if !wants() {
        return Err(interrupted());
    }
    let target = SortOutput::claim(input, &sources, out, options.force)?;
    let unified = Unified::of(&sources, &options.columns)?;
    let mut job = SortJob {
        names: BodyNumbers::new(options.memory / 8),
        budget: Budget { memory: options.memory, row_bytes: unified.least_row_bytes() },
        temp: options.temp.clone().unwrap_or_else(|| target.folder().to_owned()),
        steps: Steps { watch, phase: SortPhase::Checking, rows: 0, total: 0 },
        done: Sorted { files: sources.len(), ..Sorted::default() },
        sources: &sources,
        unified: &unified,
    };
    job.budget.row_bytes = job.row_bytes()?;
    job.done.was_sorted = job.is_sorted()?;
    if job.done.was_sorted {
        job.copy(&target)?;
    } else {
        job.sort(&target)?;
    }
    job.done.bytes = target.keep()?;
    Ok(job.done)
}

fn interrupted() -> Error {
    Error::output("sort", "was interrupted", "nothing was left behind: start it again")
}

/// Counts rows for whoever watches.
struct Steps<'a> {
    watch: &'a mut Watch<'a>,
    phase: SortPhase,
    rows: u64,
    total: u64,
}

impl Steps<'_> {
    fn begin(&mut self, phase: SortPhase, total: u64) -> Result<()> {
        (self.phase, self.rows, self.total) = (phase, 0, total);
        self.add(0)
    }

    fn add(&mut self, rows: usize) -> Result<()> {
        self.rows += rows as u64;
        match (self.watch)(&SortStep { phase: self.phase, rows: self.rows, total: self.total }) {
            true => Ok(()),
            false => Err(interrupted()),
        }
    }
}

struct SortJob<'a> {
    sources: &'a [Source],
    unified: &'a Unified,
    names: BodyNumbers,
    budget: Budget,
    temp: PathBuf,
    steps: Steps<'a>,
    done: Sorted,
}

impl SortJob<'_> {
    fn rows(&self) -> u64 {
        self.sources.iter().map(|source| source.rows).sum()
    }

    /// Bytes of a decoded row, from the first rows of some of the files.
    fn row_bytes(&mut self) -> Result<usize> {
        const ROWS: usize = 256;
        const FILES: usize = 8;
        let mut most = self.unified.least_row_bytes();
        for (index, source) in self.sources.iter().enumerate().take(FILES) {
            let Some(group) = source.groups.first() else { continue };
            let columns: Vec<usize> = (0..source.schema.fields().len()).collect();
            let mut reader = source.read(group, &columns, ROWS)?;
            if let Some((row, batch)) = reader.next()? {
                let batch = self.unified.batch(index, source, row, &batch, &mut self.names)?;
                most = most.max(batch_bytes(&batch) / batch.num_rows().max(1));
            }
        }
        Ok(most)
    }

    /// Whether the rows are in order as they are read. Stops at the first that is not.
    fn is_sorted(&mut self) -> Result<bool> {
        self.steps.begin(SortPhase::Checking, self.rows())?;
        let mut last: Option<(i64, i64)> = None;
        for source in self.sources {
            let columns = source.columns.keys();
            for group in &source.groups {
                let mut reader = source.read(group, &columns, self.budget.batch_rows())?;
                while let Some((row, batch)) = reader.next()? {
                    let mut defects = Defects::new(source, row, batch.num_rows());
                    let runs = decode::runs(source, &columns, &batch, &mut defects)?;
                    let frames = decode::frames(source, &columns, &batch, &mut defects)?;
                    if let Some(error) = defects.into_error() {
                        return Err(error);
                    }
                    if !ascends(&runs, &frames, &mut last) {
                        return Ok(false);
                    }
                    self.steps.add(batch.num_rows())?;
                }
            }
        }
        Ok(true)
    }

    /// Hands every batch of the input on, in order.
    fn each_batch(&mut self, mut take: impl FnMut(&mut Self, RecordBatch) -> Result<()>) -> Result<()> {
        for (index, source) in self.sources.iter().enumerate() {
            let columns: Vec<usize> = (0..source.schema.fields().len()).collect();
            for group in &source.groups {
                let mut reader = source.read(group, &columns, self.budget.batch_rows())?;
                while let Some((row, batch)) = reader.next()? {
                    let batch = self.unified.batch(index, source, row, &batch, &mut self.names)?;
                    take(self, batch)?;
                }
            }
        }
        Ok(())
    }

    /// Rows in order go straight to the file.
    fn copy(&mut self, target: &SortOutput) -> Result<()> {
        self.steps.begin(SortPhase::Writing, self.rows())?;
        let encoding = Encoding { unified: self.unified, group_rows: self.budget.group_rows() };
        output::encode(target, &encoding, |write| {
            let mut tally = Tally::default();
            self.each_batch(|job, batch| {
                tally.add(job.unified, &batch);
                let names = job.names.array();
                job.steps.add(batch.num_rows())?;
                write(batch, names)
            })?;
            tally.into(&mut self.done);
            Ok(())
        })
    }

    /// Gathers, sorts, spills and merges.
    fn sort(&mut self, target: &SortOutput) -> Result<()> {
        self.steps.begin(SortPhase::Sorting, self.rows())?;
        let mut gathered = Gathered::default();
        let mut spill: Option<Spill> = None;
        let mut sections = Vec::new();
        self.each_batch(|job, batch| {
            job.steps.add(batch.num_rows())?;
            gathered.push(batch);
            if gathered.bytes > job.budget.gathered() {
                let spill = match &mut spill {
                    Some(spill) => spill,
                    none => none.insert(Spill::new(&job.temp)?),
                };
                sections.push(job.spill(std::mem::take(&mut gathered), spill)?);
            }
            Ok(())
        })?;
        let Some(mut spill) = spill else {
            let chunks = gathered.sorted(self.unified, self.budget.chunk_rows());
            return self.write(target, chunks);
        };
        if gathered.rows > 0 {
            sections.push(self.spill(gathered, &mut spill)?);
        }
        self.done.stretches = sections.len() as u64;
        let (spill, sections) = self.merge_down(spill, sections)?;
        let merge = Merge::of(self.unified, &spill, &sections, self.budget.chunk_rows())?;
        self.write(target, merge)
    }

    /// Sorts what was gathered into a stretch.
    fn spill(&mut self, gathered: Gathered, spill: &mut Spill) -> Result<SpillSection> {
        let chunks = gathered.sorted(self.unified, self.budget.chunk_rows());
        let section = spill.write(&self.unified.inner, chunks)?;
        self.done.spilled_bytes += section.bytes();
        self.steps.add(0)?;
        Ok(section)
    }

    /// Merges neighbouring stretches until they can be merged at once: neighbours, so that equal
    /// keys stay in order.
    fn merge_down(&mut self, mut spill: Spill, mut sections: Vec<SpillSection>) -> Result<(Spill, Vec<SpillSection>)> {
        let most = self.budget.fan_in();
        while sections.len() > most {
            self.steps.begin(SortPhase::Merging, self.rows())?;
            let mut next = Spill::new(&self.temp)?;
            let mut merged = Vec::with_capacity(sections.len().div_ceil(most));
            for part in sections.chunks(most) {
                let merge = Merge::of(self.unified, &spill, part, self.budget.chunk_rows())?;
                let counted = merge.map(|batch| {
                    let batch = batch?;
                    self.steps.add(batch.num_rows())?;
                    Ok(batch)
                });
                let section = next.write(&self.unified.inner, counted)?;
                self.done.spilled_bytes += section.bytes();
                merged.push(section);
            }
            (spill, sections) = (next, merged);
        }
        Ok((spill, sections))
    }

    /// Writes sorted chunks of rows to the file.
    fn write(&mut self, target: &SortOutput, chunks: impl Iterator<Item = Result<RecordBatch>>) -> Result<()> {
        self.steps.begin(SortPhase::Writing, self.rows())?;
        let names = self.names.array();
        let encoding = Encoding { unified: self.unified, group_rows: self.budget.group_rows() };
        output::encode(target, &encoding, |write| {
            let mut tally = Tally::default();
            for batch in chunks {
                let batch = batch?;
                tally.add(self.unified, &batch);
                self.steps.add(batch.num_rows())?;
                write(batch, Arc::clone(&names))?;
            }
            tally.into(&mut self.done);
            Ok(())
        })
    }
}

/// Whether keys ascend from `last` on, which becomes the last of them.
fn ascends(runs: &Runs, frames: &[i64], last: &mut Option<(i64, i64)>) -> bool {
    for (row, &frame) in frames.iter().enumerate() {
        let key = (runs.at(row), frame);
        if last.is_some_and(|last| key < last) {
            return false;
        }
        *last = Some(key);
    }
    true
}

/// Bytes that a batch takes in memory. Slices of a larger batch count for what they are: they are
/// gathered together.
fn batch_bytes(batch: &RecordBatch) -> usize {
    let bytes =
        |column: &ArrayRef| column.to_data().get_slice_memory_size().unwrap_or_else(|_| column.get_array_memory_size());
    batch.columns().iter().map(bytes).sum()
}

/// Counts runs and samples of rows in order.
#[derive(Default)]
struct Tally {
    rows: u64,
    runs: u64,
    samples: u64,
    last: Option<(i64, i64)>,
}

impl Tally {
    fn add(&mut self, unified: &Unified, batch: &RecordBatch) {
        let keys = SortKeys::of(unified, batch);
        for row in 0..batch.num_rows() {
            let key = keys.at(row);
            if self.last != Some(key) {
                self.samples += 1;
                self.runs += u64::from(self.last.is_none_or(|last| last.0 != key.0));
                self.last = Some(key);
            }
        }
        self.rows += batch.num_rows() as u64;
    }

    fn into(self, done: &mut Sorted) {
        (done.rows, done.runs, done.samples) = (self.rows, self.runs, self.samples);
    }
}

/// Place of a gathered row, with its key; ordered by key, then as read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct SortedRowPlace {
    run: i64,
    frame: i64,
    batch: u32,
    row: u32,
}

/// Rows gathered to be sorted.
#[derive(Default)]
struct Gathered {
    batches: Vec<RecordBatch>,
    rows: usize,
    /// Bytes that they and their [`SortedRowPlace`]s take.
    bytes: usize,
}

impl Gathered {
    fn push(&mut self, batch: RecordBatch) {
        self.rows += batch.num_rows();
        self.bytes += batch_bytes(&batch) + batch.num_rows() * size_of::<SortedRowPlace>();
        self.batches.push(batch);
    }

    /// The rows in order, in chunks.
    fn sorted(self, unified: &Unified, chunk_rows: usize) -> impl Iterator<Item = Result<RecordBatch>> {
        let mut places = Vec::with_capacity(self.rows);
        for (batch, index) in self.batches.iter().zip(0..) {
            let keys = SortKeys::of(unified, batch);
            places.extend((0..batch.num_rows()).map(|row| {
                let (run, frame) = keys.at(row);
                SortedRowPlace { run, frame, batch: index, row: row as u32 }
            }));
        }
        places.sort_unstable();
        let batches = self.batches;
        let mut at = 0;
        std::iter::from_fn(move || {
            let chunk = &places[at..places.len().min(at + chunk_rows)];
            at += chunk.len();
            (!chunk.is_empty()).then(|| {
                let rows: Vec<(usize, usize)> = chunk.iter().map(|p| (p.batch as usize, p.row as usize)).collect();
                merge::interleave(&batches, &rows)
            })
        })
    }
}
