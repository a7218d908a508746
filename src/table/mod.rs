//! WRITE: the tables of an execution.
//!
//! Rows arrive block by block. `columns` turns them into columns, `encoder` encodes the columns of a page side by side
//! in rayon's current pool, `parts` hands whole row groups to the disk on a thread of its own, and `output_dir` lets
//! files appear whole or not at all. A column of a row group is a `chunk`: its `dictionary`, the `hybrid` encoding of
//! indices, the `ends` of its values for the page index, pages from the `packer` kept in `segments`; numbers lie in `floats`,
//! which can become pages. `sync` lets the disk begin before a file is whole. `summary` counts beside the encoder, with
//! `pair_stats` for the pairs of a run and `motion` for how far bodies move between frames. `report` reads the summaries
//! back. `sink` is the way out for callers: a trait that takes rows, of which the tables are one implementation;
//! `batches` makes record batches of rows, and `counter` the totals of rows that no table counts.
//!
//! *Architecture invariant*: with `trajectory`, the only stage that names arrow or parquet.

mod batches;
mod bodies;
mod chunk;
mod columns;
mod counter;
mod dictionary;
mod encoder;
mod ends;
mod floats;
mod hybrid;
mod manifest;
mod motion;
pub mod number_table;
mod output_dir;
mod packer;
mod pair_stats;
mod parts;
mod possible;
mod report;
mod schema;
mod segments;
mod settings;
mod sink;
mod summary;
mod sync;
#[cfg(test)]
mod tests;
pub mod trajectory_file;

pub use arrow_array::RecordBatch;
pub(crate) use batches::BatchMaker;
pub(crate) use counter::RowCounter;
pub use report::{RunLine, WorstPair, worst_pairs, worst_runs};
pub use sink::{BatchCollector, ParquetTables, RowBlock, RowSink, SinkContext};

use crate::error::{Error, Result};
use crate::narrow::{Proximity, Status};
use crate::scene::{Candidate, FrameBlock, Scene};
use encoder::{Finishing, TableEncoder};
use output_dir::OutputDir;
use parts::Naming;
use std::path::PathBuf;
use std::sync::Arc;
use summary::Summary;

/// Which columns of `distances` are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Columns {
    /// All of them.
    #[default]
    All,
    /// Keys, bodies, distance, bracket, status.
    Distance,
}

/// A row of `distances` before it is encoded; witness points and normal in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// Body of lower index.
    pub a: u32,
    /// Body of higher index.
    pub b: u32,
    /// The answer, in the world frame.
    pub proximity: Proximity,
}

/// Rows that are looked at together: as many as stay in the first-level cache while every column picks its field.
const TILE: usize = 256;

/// Where and what to write.
#[derive(Debug, Clone)]
pub struct TableOptions {
    /// The output directory.
    pub out: PathBuf,
    /// Columns of `distances`.
    pub columns: Columns,
    /// Replace what an earlier execution wrote there.
    pub force: bool,
    /// Bytes that per-pair summaries may take before they are spilled (at least a few MB are taken).
    pub memory: u64,
}

/// What an execution found, for the summary and the exit code.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Totals {
    /// Runs.
    pub runs: u64,
    /// Existing (run, frame) samples.
    pub samples: u64,
    /// Rows of `distances`.
    pub rows: u64,
    /// Rows of `penetrations`.
    pub penetrations: u64,
    /// Rows by status: separated, touching, penetrating, uncertified.
    pub by_status: [u64; 4],
    /// Rows by method (order of `Method::NAMES`).
    pub by_method: [u64; 6],
    /// Rows of `pairs`.
    pub pairs: u64,
    /// Pairs of bodies that could be near in the first run (the only one that has static pairs), ignored ones
    /// included.
    pub pairs_possible: u64,
    /// Of those, ignored by rules.
    pub pairs_ignored: u64,
    /// Rows with `upper_m < require`.
    pub violated: u64,
    /// Rows with `lower_m < require <= upper_m`.
    pub undecided: u64,
    /// Smallest distance with its run, frame and bodies.
    pub worst: Option<Worst>,
    /// Bytes of all tables.
    pub bytes: u64,
}

/// The row of smallest distance.
#[derive(Debug, Clone, PartialEq)]
pub struct Worst {
    /// Distance, metres.
    pub distance_m: f64,
    /// Its run.
    pub run: i64,
    /// Its frame.
    pub frame: i64,
    /// Body A.
    pub body_a: String,
    /// Body B.
    pub body_b: String,
}

/// Sizes that the contract fixes; tests take smaller ones.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    /// Rows of a page.
    page: usize,
    /// Rows of a row group: a multiple of `page`.
    row_group: usize,
    /// Row groups of a part.
    groups_per_part: usize,
    /// Pairs of a run that are kept in memory whatever `memory` says.
    least_pairs: usize,
}

impl Sizes {
    const CONTRACT: Self = Self { page: 16_384, row_group: 1 << 20, groups_per_part: 16, least_pairs: 65_536 };
}

/// Bytes of a row of `penetrations` in columns, rounded up.
const PENETRATION_BYTES: u64 = 96;

/// Pages of `penetrations` that are kept for when the disk takes `distances`, and the processors have nothing to do:
/// 32 MB of them, unless a fraction of the memory that may be taken is less.
fn pages_waiting(memory: u64, sizes: Sizes) -> usize {
    ((memory / 32).min(32 << 20) / (PENETRATION_BYTES * sizes.page as u64)) as usize
}

/// Run, frame, a, b.
type RowKey = (i64, i64, u32, u32);

/// Writes the tables of one execution. Dropped before it is finished, it takes back everything it wrote.
pub struct TableWriter {
    // Before `out`: their threads must have let go of their files first.
    distances: TableEncoder,
    penetrations: TableEncoder,
    summary: Summary,
    bodies: RecordBatch,
    names: Vec<String>,
    sizes: Sizes,
    last: Option<RowKey>,
    tile: Tile,
    out: Arc<OutputDir>,
}

/// A tile of rows side by side, and those of them that overlap; kept for their memory.
#[derive(Default)]
struct Tile {
    rows: Vec<Row>,
    overlapping: Vec<Row>,
}

impl Tile {
    /// Takes rows that lie anywhere: copied one after the other, their way through the caches overlaps.
    fn gather(&mut self, rows: &[&Row]) {
        self.rows.clear();
        self.rows.extend(rows.iter().map(|row| **row));
        self.overlapping.clear();
        let overlapping = self.rows.iter().filter(|row| row.proximity.status == Status::Penetrating);
        self.overlapping.extend(overlapping.copied());
    }
}

impl TableWriter {
    /// Claims the output directory and writes nothing visible yet.
    ///
    /// # Errors
    /// The directory is in use, foreign, or not writable.
    pub fn create(scene: &Scene, options: &TableOptions) -> Result<Self> {
        Self::with_sizes(scene, options, Sizes::CONTRACT)
    }

    fn with_sizes(scene: &Scene, options: &TableOptions, sizes: Sizes) -> Result<Self> {
        let bodies = bodies::bodies(scene)?;
        let out = OutputDir::claim(&options.out, options.force)?;
        let words = columns::Words::new(scene.bodies.iter().map(|body| body.name.as_str()));
        let table = |spec, name| TableEncoder::new(&spec, Naming::Parts(name), &words, sizes, &out);
        Ok(Self {
            distances: table(schema::distances(options.columns), "distances")?,
            penetrations: table(schema::penetrations(), "penetrations")?.let_wait(pages_waiting(options.memory, sizes)),
            summary: Summary::new(scene, &words, options.memory, sizes, &out)?,
            bodies,
            names: scene.bodies.iter().map(|body| body.name.clone()).collect(),
            sizes,
            last: None,
            tile: Tile::default(),
            out,
        })
    }

    /// Takes the results of the next block: `rows` sorted by (sample, a, b), `candidates` by (a, b). Columns are
    /// encoded in rayon's current pool before this call returns; it may be called from inside the pool.
    ///
    /// The results of one block may come in several calls, of ascending samples; the masks of `candidates` then hold
    /// only the samples of their call. The tables are the same however rows are spread over calls.
    ///
    /// # Errors
    /// A write failed, now or since the last call, or rows are out of order.
    pub fn write(&mut self, block: &FrameBlock, candidates: &[Candidate], rows: Vec<Row>) -> Result<()> {
        self.write_sorted(block, candidates, &rows.iter().collect::<Vec<_>>())
    }

    /// As [`Self::write`], of rows that lie anywhere.
    ///
    /// # Errors
    /// As for [`Self::write`].
    pub fn write_sorted(&mut self, block: &FrameBlock, candidates: &[Candidate], rows: &[&Row]) -> Result<()> {
        let Self { distances, penetrations, summary, last, names, tile, .. } = self;
        let samples = &block.samples;
        summary.begin(block)?;
        // Each row is brought from memory once, for all tables.
        for part in rows.chunks(TILE) {
            tile.gather(part);
            check_order(last, names.len(), block, &tile.rows)?;
            distances.extend(&tile.rows, |columns, rows| columns::fill_distances(columns, rows, samples))?;
            penetrations
                .extend(&tile.overlapping, |columns, rows| columns::fill_penetrations(columns, rows, samples))?;
            summary.count(samples, candidates, &tile.rows)?;
        }
        summary.end(candidates)
    }

    /// Closes and renames all tables but the manifest.
    ///
    /// # Errors
    /// A write failed.
    pub fn finish(self) -> Result<Finished> {
        self.end()?.wait()
    }

    /// Closes all tables but the manifest. The disk still takes them: [`Ending::wait`].
    ///
    /// # Errors
    /// A write failed.
    pub fn end(self) -> Result<Ending> {
        let Self { distances, penetrations, summary, bodies, names, sizes, last: _, tile: _, out } = self;
        let penetrating = penetrations.rows();
        // The largest goes to the disk first, and the others beside it.
        let tables = [distances.finish()?, penetrations.finish()?];
        let (mut totals, summaries) = summary.finish(&names)?;
        totals.penetrations = penetrating;
        Ok(Ending { tables: tables.into_iter().chain(summaries).collect(), bodies, sizes, totals, out })
    }
}

/// All tables are encoded, on their way to the disk. Dropped before they are whole, it takes them back.
#[must_use]
pub struct Ending {
    // Before `out`: their threads must have let go of their files first.
    tables: Vec<Finishing>,
    bodies: RecordBatch,
    sizes: Sizes,
    totals: Totals,
    out: Arc<OutputDir>,
}

impl Ending {
    /// Waits until all tables have their names.
    ///
    /// # Errors
    /// A write failed.
    pub fn wait(self) -> Result<Finished> {
        let Self { tables, bodies, sizes, mut totals, out } = self;
        bodies::write(&bodies, &sizes, &out)?;
        tables.into_iter().try_for_each(Finishing::wait)?;
        totals.bytes = out.bytes();
        Ok(Finished { totals, out })
    }
}

/// The order of rows is promised in the metadata of the files. `last`: the key of the last row of the call before.
fn check_order(last: &mut Option<RowKey>, bodies: usize, block: &FrameBlock, rows: &[Row]) -> Result<()> {
    for row in rows {
        let sample = block.samples.get(usize::from(row.proximity.sample));
        let key = sample.map(|s| (s.run, s.frame, row.a, row.b));
        if key.is_none() || key <= *last || row.a >= row.b || row.b as usize >= bodies {
            let place = format!("distances, row {:?}", (block.index, row.proximity.sample, row.a, row.b));
            return Err(Error::internal(place, "rows are out of order"));
        }
        *last = key;
    }
    Ok(())
}

/// All tables are whole; the manifest is still to come. Dropped without one, it takes the tables back.
pub struct Finished {
    /// What was found.
    pub totals: Totals,
    out: Arc<OutputDir>,
}

impl Finished {
    /// Writes `manifest.json`, last, whole or not at all, and gives the directory free.
    ///
    /// # Errors
    /// The write failed.
    pub fn write_manifest(&self, manifest: &serde_json::Value) -> Result<()> {
        manifest::write(manifest, &self.out)?;
        self.out.complete()
    }
}
