//! Options of a job, resolved: no raw flag reaches the engine.

use clearsweep_base::error::{Error, Result};
use clearsweep_base::workers::threads_within;
use clearsweep_tables::DistanceColumns;
use clearsweep_trajectory::ReadOptions;
use std::path::PathBuf;

/// Bytes that blocks in flight may take where the caller says nothing: 2 GiB.
pub const DEFAULT_MEMORY: u64 = 2 << 30;

/// The processor on which the broad phase searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Device {
    /// The engine chooses by measuring: the CPU searches until a GPU that is no software is shown
    /// to search faster.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// A GPU: an error where there is none.
    Gpu,
}

impl Device {
    /// The word of the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Cpu => "cpu",
            Self::Gpu => "gpu",
        }
    }
}

/// The number of a shard, from 0, and how many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShardPosition {
    /// Its number, below `count`.
    pub index: u32,
    /// How many there are.
    pub count: u32,
}

/// How a job reads, searches and queries. What is asked of the pairs is in `Scene::query`; no row
/// depends on anything here but `read`.
#[derive(Debug, Clone)]
pub struct JobOptions {
    /// Which trajectories, runs and frames are read.
    pub read: ReadOptions,
    /// The broad phase, by the name of the command line.
    pub broad: String,
    /// The narrow phase, by the name of the command line.
    pub narrow: String,
    /// The processor on which the broad phase searches.
    #[doc(hidden)]
    pub device: Device,
    /// The GPU whose name contains this, whatever its case, software adapters too; `None`: the
    /// preferred one that is no software.
    #[doc(hidden)]
    pub adapter: Option<String>,
    /// Most bytes of the GPU's memory; `None`: 2 GiB.
    #[doc(hidden)]
    pub device_memory: Option<u64>,
    /// Threads of the pool; `None`: all cores.
    pub threads: Option<usize>,
    /// Bytes that may be taken by what grows with the number of pairs: rows in flight, what is
    /// remembered of pairs, summaries.
    pub memory: u64,
    /// Columns of `distances`.
    pub columns: DistanceColumns,
    /// Whether a requirement is kept where nothing was looked at. Else the verdict is then
    /// `nothing-checked`.
    pub allow_empty: bool,
    /// An earlier result, whose issues keep their ids as long as one of their pairs violates.
    pub previous: Option<PathBuf>,
    /// The shard that the job is; `read.part` says what it takes. [`run_shard`](super::run_shard)
    /// sets both.
    #[doc(hidden)]
    pub shard: Option<ShardPosition>,
    /// Measures the peak memory of the process, in bytes, for the manifest. The library asks the
    /// machine nothing, so the program hands the question in.
    #[doc(hidden)]
    pub peak_memory: Option<fn() -> Option<u64>>,
}

impl Default for JobOptions {
    fn default() -> Self {
        Self {
            read: ReadOptions::default(),
            broad: "auto".to_owned(),
            narrow: "auto".to_owned(),
            device: Device::Auto,
            adapter: None,
            device_memory: None,
            threads: None,
            memory: DEFAULT_MEMORY,
            columns: DistanceColumns::All,
            allow_empty: false,
            previous: None,
            shard: None,
            peak_memory: None,
        }
    }
}

/// Makes a pool of `threads` threads, as far as [`threads_within`] allows them; `None`: all cores.
pub(super) fn pool(threads: Option<usize>) -> Result<rayon::ThreadPool> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads_within(threads))
        .thread_name(|index| format!("clearsweep-{index}"))
        .build()
        .map_err(|error| Error::no_thread(&error))
}
