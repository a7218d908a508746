//! WRITE: the tables of an execution.
//!
//! A [`TableWriter`] (`writer`) takes sorted rows, block by block, and hands them tile by tile to the following files:
//!
//! - `fill` copies the fields of rows into `column_buffer`s, in the order of `schema`.
//! - `encoder` encodes the columns of a page in parallel in rayon's current pool. A column of a row group is a `chunk`;
//!   it uses `dictionary`, `rle_bitpack`, `min_max` statistics, `f64_page`, `page_compressor` and `chunked_buffer`.
//! - `part_writer` writes whole row groups to files on a thread of its own. `atomic_file` gives a file its name when it
//!   is complete, `background_io` starts to synchronise it before that, and `output_dir` owns the directory, which it reaches through one handle
//!   (`folder`).
//! - `summary` accumulates `pairs` and `runs`, with `row_counts`, `pair_stats` (external merge sort), `pair_counts`,
//!   `motion_bound` and `notable_pairs` (two lists of `violations`, of `violating_stretch`es).
//! - `block_table` writes what is proven between samples, and all contacts; `interval_summary` accumulates the former, with `interval_stats` and
//!   `interval_findings`.
//! - `events` joins what violates into stretches of time, `issues` gathers these at the end, and `issue_tables` writes both; `event_reader` reads
//!   them back.
//! - `resume` keeps what another execution needs to go on after this one was killed.
//! - `rows_digest` digests the rows of each table while they are encoded, and `verify` those that are stored.
//! - `shard_state` stores what a shard of a job accumulated; `merge` puts shards together, from their `stored_rows` and these states.
//!   `shard_table` writes a plan.
//! - `report` reads the summaries back, `issue_reader` the issues, `chosen_rows` the rows of chosen pairs, `export` the tables as CSV, and
//!   `table_reader` as record batches; `body_reader` what the bodies are. `audit` joins samples and intervals: contacts that no frame shows, and overlaps that are
//!   too deep.
//!
//! `sink` is the interface for callers: a trait that receives rows, of which the Parquet tables are one implementation, and
//! `stream_sink`, an Arrow IPC stream of `distances`, another.
//! `batches` turns rows into record batches, and `counter` computes the totals of rows that are not written to tables.
//!
//! *Architecture invariant*: with `trajectory`, the only stage that names arrow or parquet.

mod atomic_file;
mod audit;
mod background_io;
mod batches;
mod block_table;
mod bodies;
mod body_reader;
mod checksums;
mod chosen_rows;
mod chunk;
mod chunked_buffer;
mod column_buffer;
mod counter;
mod dictionary;
mod encoder;
mod event_reader;
mod events;
mod export;
mod f64_page;
mod fill;
mod finished_tables;
mod folder;
mod interval_findings;
mod interval_stats;
mod interval_summary;
mod issue_reader;
mod issue_tables;
mod issues;
mod layout;
mod manifest;
mod merge;
mod min_max;
mod motion_bound;
mod notable_pairs;
pub mod number_table;
mod options;
mod output_dir;
mod overlaps;
mod page_compressor;
mod page_spill;
mod pair_counts;
mod pair_keys;
mod pair_stats;
mod part_writer;
mod report;
mod resume;
mod rle_bitpack;
mod row;
mod row_counts;
mod rows_digest;
mod samples;
mod schema;
mod shard_state;
pub mod shard_table;
mod sink;
mod spill;
mod stored_rows;
mod stream_sink;
mod summary;
mod table_reader;
#[cfg(test)]
mod tests;
mod totals;
pub mod trajectory_file;
mod verify;
mod violating_stretch;
mod violations;
mod vocabulary;
mod writer;
mod writer_properties;

pub use arrow_array::RecordBatch;
pub use audit::{AuditCsv, AuditFinding, AuditSummary, AuditTerms, FindingKind, KindSummary, audit};
pub use batches::BatchMaker;
pub use body_reader::{BodyLine, filled_bodies, read_bodies};
pub use checksums::{FileChecksums, altered_files};
pub use chosen_rows::{DistanceLine, IntervalLine, RunPair, read_distances, read_intervals};
pub use counter::RowCounter;
pub use event_reader::{EventLine, read_events};
pub use export::{CSV_PLACE, Exported, TABLE_NAMES, export_csv, has_table};
pub use finished_tables::{FinishedTables, PendingTables};
pub use issue_reader::{IssueLine, read_issues};
#[doc(hidden)]
pub use layout::TableLayout;
pub use merge::{StoredShard, TableMerger};
pub use options::{DistanceColumns, TableOptions};
pub use output_dir::{JobInputs, check_local, is_part_table, is_result_file};
pub use report::{PairBetween, PairOfRun, nearest_between, read_pairs};
pub use report::{RunLine, WorstPair, worst_pairs, worst_runs};
pub use row::{ContactRow, IntervalRow, Row};
pub use rows_digest::{RowsSum, RunsDigest, TableDigest};
pub use samples::swept_span;
pub use sink::{BatchCollector, ParquetTables, RowBlock, RowSink, SinkContext, SortedRows};
pub use stream_sink::DistanceStream;
#[doc(hidden)]
pub use table_reader::{StoredTable, TableReader};
pub use totals::{BetweenTotals, FirstContact, LeastBetween};
pub use totals::{IssueCounts, RuleTotals, Totals, Worst};
pub use verify::{digest_all, digest_of, tables_of};
pub use violations::ViolatingPair;
pub use writer::TableWriter;
