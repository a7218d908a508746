//! WRITE: the tables of an execution.
//!
//! *Architecture invariant*: with `trajectory`, the only stage that names arrow or parquet.

pub mod trajectory_file;

use crate::error::Result;
use crate::narrow::Proximity;
use crate::scene::{Candidate, FrameBlock, Scene};
use std::path::PathBuf;

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

/// Where and what to write.
#[derive(Debug, Clone)]
pub struct TableOptions {
    /// The output directory.
    pub out: PathBuf,
    /// Columns of `distances`.
    pub columns: Columns,
    /// Replace what an earlier execution wrote there.
    pub force: bool,
    /// Bytes that per-pair summaries may take before they are spilled.
    pub memory: u64,
}

/// What an execution found, for the summary and the exit code.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Totals {
    /// Runs, samples, rows of `distances`, of `penetrations`.
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
    /// Pairs of bodies that could be near, not counting ignored ones twice: one run.
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

/// Writes the tables of one execution.
pub struct TableWriter {}

impl TableWriter {
    /// Claims the output directory and writes nothing visible yet.
    ///
    /// # Errors
    /// The directory is in use, foreign, or not writable.
    pub fn create(scene: &Scene, options: &TableOptions) -> Result<Self> {
        let _ = (scene, options);
        todo!("table")
    }

    /// Takes the results of the next block: `rows` sorted by (sample, a, b). Encoding runs in rayon's pool beside
    /// the caller; this call blocks only when too much is queued.
    ///
    /// # Errors
    /// A write failed, now or since the last call.
    pub fn write(&mut self, block: &FrameBlock, candidates: &[Candidate], rows: Vec<Row>) -> Result<()> {
        let _ = (block, candidates, rows);
        todo!("table")
    }

    /// Closes and renames all tables but the manifest.
    ///
    /// # Errors
    /// A write failed.
    pub fn finish(self) -> Result<Finished> {
        todo!("table")
    }
}

/// All tables are whole; the manifest is still to come.
pub struct Finished {
    /// What was found.
    pub totals: Totals,
}

impl Finished {
    /// Writes `manifest.json`, last, whole or not at all.
    ///
    /// # Errors
    /// The write failed.
    pub fn write_manifest(&self, manifest: &serde_json::Value) -> Result<()> {
        let _ = manifest;
        todo!("table")
    }
}
