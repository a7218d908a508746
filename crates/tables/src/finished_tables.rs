//! Tables of an execution after its last row: first the disk still writes them, then they lack
//! their manifest alone.

use super::checkpoint_taker::CheckpointTaker;
use super::encoder::PendingTable;
use super::layout::TableLayout;
use super::output_dir::OutputDir;
use super::rows_digest::TableDigest;
use super::samples::SamplesTable;
use super::totals::Totals;
use super::{bodies, manifest};
use arrow_array::RecordBatch;
use clearsweep_base::error::Result;
use std::sync::Arc;

/// Tables that are encoded completely while the disk still writes them. Dropping this value is
/// dropping a [`TableWriter`](super::TableWriter).
#[must_use]
pub struct PendingTables {
    // Fields drop in order, as those of `TableWriter`.
    pub(super) tables: Vec<PendingTable>,
    /// Digests of tables whose parts were linked.
    pub(super) linked: Vec<(&'static str, TableDigest)>,
    pub(super) samples: Option<SamplesTable>,
    pub(super) bodies: RecordBatch,
    pub(super) layout: TableLayout,
    pub(super) totals: Totals,
    pub(super) checkpoints: Option<CheckpointTaker>,
    pub(super) out: Arc<OutputDir>,
}

impl PendingTables {
    /// The digest of the rows of a table; `None`: it was linked.
    pub(super) fn digest(&self, table: &str) -> Option<&TableDigest> {
        self.tables.iter().find_map(|pending| pending.digest_of(table))
    }

    /// Waits until all tables have their final names.
    ///
    /// # Errors
    /// A write failed.
    pub fn wait(self) -> Result<FinishedTables> {
        let Self { tables, linked, samples, bodies, layout, mut totals, checkpoints, out } = self;
        let of_samples = samples.map(SamplesTable::finish).transpose()?;
        let of_bodies = bodies::write(&bodies, &layout, &out)?;
        let others = linked.into_iter().chain([(bodies::BODIES, of_bodies)]);
        let others = others.chain(of_samples.map(|digest| ("samples", digest))).map(Ok);
        let digests = tables.into_iter().map(PendingTable::wait).chain(others);
        totals.digests =
            digests.map(|of| of.map(|(table, digest)| (table.to_owned(), digest))).collect::<Result<_>>()?;
        totals.bytes = out.bytes();
        Ok(FinishedTables { totals, _checkpoints: checkpoints, out })
    }
}

/// Complete tables without their manifest. Dropping this value before the manifest is written is
/// dropping a [`TableWriter`](super::TableWriter).
pub struct FinishedTables {
    /// Counts over all tables.
    pub totals: Totals,
    /// Dropped before `out`: lets what is written stay.
    _checkpoints: Option<CheckpointTaker>,
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
