//! The loop: broad and narrow phase of a block beside the encoding of the one before; the reader decodes the next
//! one on a thread of its own.

use super::caches::Caches;
use super::narrowing::{Narrowed, narrow};
use super::progress::{Advance, Progress};
use super::slices;
use super::timings::{Timings, timed};
use crate::broad::{BroadPhase, BroadScene};
use crate::error::Result;
use crate::narrow::{NarrowPhase, Routes};
use crate::scene::{Candidate, FrameBlock, Scene};
use crate::table::{Row, TableWriter};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Searching and querying: all that one block after the other goes through, in order.
pub(super) struct Search<'a> {
    pub(super) scene: &'a Scene,
    pub(super) broad: Box<dyn BroadPhase>,
    pub(super) boxes: BroadScene,
    pub(super) narrow: Box<dyn NarrowPhase>,
    pub(super) caches: Caches,
    /// Most rows of a slice.
    pub(super) rows_limit: usize,
    pub(super) routes: Routes,
    pub(super) timings: Timings,
    /// Set bits of all candidates.
    pub(super) candidate_samples: u64,
    /// Candidates of all blocks.
    pub(super) candidates: u64,
}

/// A slice that waits to be written while the next one is computed.
struct Pending {
    block: Arc<FrameBlock>,
    candidates: Vec<Candidate>,
    rows: Vec<Row>,
}

/// Drives all blocks through the stages, inside the current pool.
///
/// # Errors
/// What reading or writing meets first.
pub(super) fn drive(
    search: &mut Search<'_>,
    blocks: &mut dyn Iterator<Item = Result<FrameBlock>>,
    read: &AtomicU64,
    writer: &mut TableWriter,
    progress: &dyn Progress,
) -> Result<()> {
    let mut waiting = Waiting { writer, pending: None, spent: std::time::Duration::ZERO };
    let mut advance = Advance::default();
    while let Some(block) = timed(&mut search.timings.read, || blocks.next()) {
        let block = Arc::new(block?);
        advance.rows += one_block(search, &block, &mut waiting)?;
        advance.samples += block.samples.len() as u64;
        advance.read = read.load(Ordering::Relaxed) as f64 / 1000.0;
        progress.advance(&advance);
    }
    waiting.write()?;
    search.timings.write += waiting.spent;
    Ok(())
}

/// One block: its first slice (with the search for candidates) and then each further one, always beside the
/// encoding of the slice before. Returns its rows.
fn one_block(search: &mut Search<'_>, block: &Arc<FrameBlock>, waiting: &mut Waiting<'_>) -> Result<u64> {
    let mut slices = Vec::new().into_iter();
    let mut begun = false;
    let mut rows = 0;
    loop {
        let compute = || {
            if !begun {
                slices = search.candidates(block).into_iter();
            }
            let candidates = slices.next()?;
            let rows = search.rows(block, &candidates);
            Some(Pending { block: Arc::clone(block), candidates, rows })
        };
        let (computed, written) = rayon::join(compute, || waiting.write());
        written?;
        let Some(pending) = computed else { return Ok(rows) };
        begun = true;
        rows += pending.rows.len() as u64;
        let last = slices.len() == 0;
        waiting.pending = Some(pending);
        if last {
            return Ok(rows); // it is written beside the next block
        }
    }
}

impl Search<'_> {
    /// The candidates of a block, in slices that fit into memory.
    fn candidates(&mut self, block: &FrameBlock) -> Vec<Vec<Candidate>> {
        let candidates = timed(&mut self.timings.broad, || self.broad.candidates(&self.boxes, self.scene, block));
        self.candidates += candidates.len() as u64;
        self.candidate_samples += candidates.iter().map(|c| u64::from(c.samples.count_ones())).sum::<u64>();
        slices::cut(candidates, self.rows_limit)
    }

    /// The rows of a slice, sorted by (sample, a, b).
    fn rows(&mut self, block: &FrameBlock, candidates: &[Candidate]) -> Vec<Row> {
        let Narrowed { rows, routes, busy } = timed(&mut self.timings.narrow, || {
            narrow(self.scene, block, self.narrow.as_ref(), &mut self.caches, candidates)
        });
        self.routes.add(&routes);
        self.timings.narrow_busy += busy;
        rows
    }
}

/// The writer, and the slice that waits for it.
struct Waiting<'a> {
    writer: &'a mut TableWriter,
    pending: Option<Pending>,
    spent: std::time::Duration,
}

impl Waiting<'_> {
    /// Writes the slice that waits, if one does.
    fn write(&mut self) -> Result<()> {
        let Some(Pending { block, candidates, rows }) = self.pending.take() else { return Ok(()) };
        timed(&mut self.spent, || self.writer.write(&block, &candidates, rows))
    }
}
