//! The loop: read -> broad -> narrow -> write. The only module that sees all four stages and fans
//! work out.
//!
//! ```text
//!            thread of its own          the pool
//! block k+1: [ decode ]
//! block k  :             [ broad | narrow, a task per few candidates ]
//! block k-1:             [ encode and write                          ]
//! ```
//! If few bodies move, "block" is a batch of blocks, and each thread goes through a stretch of
//! them.
//!
//! `job` is the job as its caller sets it up, `running` its steps, `pipeline` the loop, and
//! `block_search` the search and the queries of a batch.
//!
//! `shard` computes a part of a job for a merge (`merge`), which may happen elsewhere. `remote`
//! gives results in object stores a directory here.
//!
//! Nothing here may change a row: the order of tasks, the caches that pairs carry from block to
//! block and the place where a large block is cut for memory only decide how long it takes.
//!
//! *Architecture invariant*: knows every stage by its interface only; the stages do not know it.

mod baselines;
mod block_candidates;
mod block_search;
mod caches;
mod cancel;
mod check;
mod coverage;
mod device;
mod device_trial;
mod earlier_issues;
mod identity;
mod interval_queries;
mod job;
mod link_pairs;
mod manifest;
mod manifest_intervals;
mod manifest_pairs;
mod manifest_summary;
mod merge;
mod merged_manifest;
mod methods;
mod motion_query;
mod narrowing;
mod options;
mod pair;
mod pipeline;
mod progress;
mod query;
mod remote;
mod running;
mod shard;
mod shard_note;
mod slice_rows;
mod slices;
mod static_stage;
mod stretches;
mod timings;
mod verify;
mod warning;
mod workspaces;
mod world;

pub use cancel::CancelToken;
pub use check::{Checked, GroupFound, LargestJointStep, LargestStep, LastingContact, MeshFound, check, ignore_words};
pub use check::{REST_COLUMNS, input_name, rest_row, rule_terms};
pub use coverage::NothingChecked;
pub use coverage::RunVerdict;
pub use device::{adapters, check_device};
pub use job::{Job, Loaded};
pub use link_pairs::{LinkPairFound, LinkPairKind, LinkPairs, link_pairs};
pub use manifest::{limit_simd, simd_features, simd_level};
pub use manifest_summary::pairs_by_deviation_source;
pub use merge::{MergeOptions, Merged, merge};
pub use motion_query::MotionQuery;
pub use options::{DEFAULT_MEMORY, Device, JobOptions, ShardPosition};
pub use pair::{PairOptions, ProximityQuery};
pub use progress::{Advance, Progress};
pub use query::{Explained, explain};
pub use remote::{FetchedResults, RemoteResult, fetch_results};
pub use running::Outcome;
pub use shard::{StoodOrWritten, run_shard, shard_folder};
pub use verify::{Difference, compare, verify};
pub use warning::Warning;
