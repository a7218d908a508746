//! The writer of all tables of an execution.

use super::encoder::{PendingTable, TableEncoder};
use super::layout::{TILE_ROWS, TableLayout};
use super::options::TableOptions;
use super::output_dir::OutputDir;
use super::part_writer::FileNaming;
use super::row::Row;
use super::summary::SummaryWriter;
use super::totals::Totals;
use super::vocabulary::Vocabularies;
use super::{bodies, fill, manifest, schema};
use crate::error::{Error, Result};
use crate::narrow::Status;
use crate::scene::{Candidate, FrameBlock, Scene};
use arrow_array::RecordBatch;
use std::sync::Arc;

/// Bytes of a row of `penetrations` in columns, rounded up.
const PENETRATION_BYTES: u64 = 96;

/// Number of pages of `penetrations` that may be held back unencoded: up to 32 MB, or 1/32 of `memory` if that is less.
///
/// At the end of the execution the disk is busy with `distances` and the processors are idle, so these pages are
/// encoded then.
pub(super) fn deferred_pages(memory: u64, layout: TableLayout) -> usize {
    ((memory / 32).min(32 << 20) / (PENETRATION_BYTES * layout.page as u64)) as usize
}

/// Sort key of a row: run, frame, a, b.
type RowKey = (i64, i64, u32, u32);

/// Writes the tables of one execution. If it is dropped before it is finished, it removes everything that it wrote.
pub struct TableWriter {
    // Fields drop in order: the encoders' threads must close their files before `out` removes them.
    distances: TableEncoder,
    penetrations: TableEncoder,
    pub(super) summary: SummaryWriter,
    bodies: RecordBatch,
    names: Vec<String>,
    layout: TableLayout,
    last: Option<RowKey>,
    tile: RowTile,
    pub(super) out: Arc<OutputDir>,
}

/// A contiguous copy of a tile of rows, and of the rows among them that penetrate. The buffers are reused.
#[derive(Default)]
struct RowTile {
    rows: Vec<Row>,
    penetrating: Vec<Row>,
}

impl RowTile {
    /// Copies scattered rows. One loop that only copies lets the cache misses of several rows overlap.
    fn gather(&mut self, rows: &[&Row]) {
        self.rows.clear();
        self.rows.extend(rows.iter().map(|row| **row));
        self.penetrating.clear();
        let penetrating = self.rows.iter().filter(|row| row.proximity.status == Status::Penetrating);
        self.penetrating.extend(penetrating.copied());
    }
}

impl TableWriter {
    /// Claims the output directory. No file has its final name yet.
    ///
    /// # Errors
    /// The directory is in use, holds foreign files, or is not writable.
    pub fn create(scene: &Scene, options: &TableOptions) -> Result<Self> {
        Self::with_layout(scene, options, TableLayout::CONTRACT)
    }

    pub(super) fn with_layout(scene: &Scene, options: &TableOptions, layout: TableLayout) -> Result<Self> {
        let bodies = bodies::record_batch(scene)?;
        let out = OutputDir::claim(&options.out, options.force, &options.inputs)?;
        let strings = Vocabularies::new(scene.bodies.iter().map(|body| body.name.as_str()));
        let table = |spec, name| TableEncoder::new(&spec, FileNaming::Parts(name), &strings, layout, &out);
        let deferred = deferred_pages(options.memory, layout);
        Ok(Self {
            distances: table(schema::distances(options.columns), "distances")?.within(options.memory, &out),
            penetrations: table(schema::penetrations(), "penetrations")?
                .within(options.memory, &out)
                .defer_pages(deferred),
            summary: SummaryWriter::new(scene, &strings, options.memory, layout, &out)?,
            bodies,
            names: scene.bodies.iter().map(|body| body.name.clone()).collect(),
            layout,
            last: None,
            tile: RowTile::default(),
            out,
        })
    }

    /// Writes the results of the next block: `rows` sorted by (sample, a, b), `candidates` sorted by (a, b). Columns
    /// are encoded in rayon's current pool before this call returns; it may be called from inside the pool.
    ///
    /// The results of one block may come in several calls of ascending samples. The masks of `candidates` then hold
    /// only the samples of their call. The tables do not depend on how rows are divided into calls.
    ///
    /// # Errors
    /// A write failed, now or since the last call, or rows are out of order.
    pub fn write(&mut self, block: &FrameBlock, candidates: &[Candidate], rows: Vec<Row>) -> Result<()> {
        self.write_sorted(block, candidates, &rows.iter().collect::<Vec<_>>())
    }

    /// Writes like [`Self::write`] from references to rows, which need not be contiguous in memory.
    ///
    /// # Errors
    /// As for [`Self::write`].
    pub fn write_sorted(&mut self, block: &FrameBlock, candidates: &[Candidate], rows: &[&Row]) -> Result<()> {
        let Self { distances, penetrations, summary, last, names, tile, .. } = self;
        let samples = &block.samples;
        debug_assert!(candidates.is_sorted_by(|one, next| (one.a, one.b) < (next.a, next.b)), "one entry per pair");
        summary.begin(block)?;
        // Tile by tile, so that each row is loaded from memory once for all tables.
        for part in rows.chunks(TILE_ROWS) {
            tile.gather(part);
            check_order(last, names.len(), block, &tile.rows)?;
            distances.extend(&tile.rows, |columns, rows| fill::distances(columns, rows, samples))?;
            penetrations.extend(&tile.penetrating, |columns, rows| fill::penetrations(columns, rows, samples))?;
            summary.count(samples, candidates, &tile.rows)?;
        }
        summary.end(candidates)
    }

    /// Closes all tables but the manifest and waits until they have their final names.
    ///
    /// # Errors
    /// A write failed.
    pub fn finish(self) -> Result<FinishedTables> {
        self.end()?.wait()
    }

    /// Encodes the rest of all tables but the manifest. Writing to the disk may go on: [`PendingTables::wait`].
    ///
    /// # Errors
    /// A write failed.
    pub fn end(self) -> Result<PendingTables> {
        let Self { distances, penetrations, summary, bodies, names, layout, last: _, tile: _, out } = self;
        let penetrating = penetrations.rows();
        // The largest table goes to the disk first; the others are encoded and written beside it.
        let tables = [distances.finish()?, penetrations.finish()?];
        let (mut totals, summaries) = summary.finish(&names)?;
        totals.penetrations = penetrating;
        debug_assert_eq!(totals.penetrations, totals.by_status[Status::Penetrating as usize]);
        Ok(PendingTables { tables: tables.into_iter().chain(summaries).collect(), bodies, layout, totals, out })
    }
}

/// Tables that are encoded completely while the disk still writes them. Dropping this value removes them.
#[must_use]
pub struct PendingTables {
    // Fields drop in order: the tables' threads must close their files before `out` removes them.
    tables: Vec<PendingTable>,
    bodies: RecordBatch,
    layout: TableLayout,
    totals: Totals,
    out: Arc<OutputDir>,
}

impl PendingTables {
    /// Waits until all tables have their final names.
    ///
    /// # Errors
    /// A write failed.
    pub fn wait(self) -> Result<FinishedTables> {
        let Self { tables, bodies, layout, mut totals, out } = self;
        bodies::write(&bodies, &layout, &out)?;
        tables.into_iter().try_for_each(PendingTable::wait)?;
        totals.bytes = out.bytes();
        Ok(FinishedTables { totals, out })
    }
}

/// Checks the row order, which the metadata of the files declare. `last` is the key of the last row checked so far.
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

/// Complete tables without their manifest. Dropping this value before the manifest is written removes them.
pub struct FinishedTables {
    /// Counts over all tables.
    pub totals: Totals,
    out: Arc<OutputDir>,
}

impl FinishedTables {
    /// Writes `manifest.json` atomically, as the last file, and releases the directory.
    ///
    /// # Errors
    /// The write failed.
    pub fn write_manifest(&self, manifest: &serde_json::Value) -> Result<()> {
        manifest::write(manifest, &self.out)?;
        self.out.complete()
    }
}
