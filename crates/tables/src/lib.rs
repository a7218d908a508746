//! WRITE: the tables of an execution.
//!
//! A [`TableWriter`] (`writer`) takes sorted rows, block by block, and hands them tile by tile to
//! the tables of the catalogue (`clearsweep_records`), of which each has an encoder:
//!
//! - `part_tables` holds the tables of many parts. `sources` turns rows into the records that these
//!   tables declare; their fields go into `column_buffer`s.
//! - `encoder` encodes the columns of a page in parallel in rayon's current pool. A column of a row
//!   group is a `chunk`; it uses `dictionary`, `rle_bitpack`, `min_max` statistics, `f64_page`,
//!   `page_compressor` and `chunked_buffer`.
//! - `part_writer` writes whole row groups to files on a thread of its own. `atomic_file` gives a
//!   file its name when it is complete, `background_io` starts to synchronise it before that, and
//!   `output_dir` owns the directory, which it reaches through one handle (`folder`).
//! - `summary` accumulates `pairs` and `runs`, with `row_counts`, `pair_stats` (external merge
//!   sort), `pair_counts`, `motion_bound` and `notable_pairs` (two lists of `violations`, of
//!   `violating_stretch`es). `interval_summary` accumulates the proven answers between samples,
//!   with `interval_stats` and `interval_findings`.
//! - `events` joins violations into stretches of time, `issues` gathers these at the end, and
//!   `issue_tables` writes both. `known_pairs` are those that somebody decided about, or of an
//!   earlier result, whose ids `carried_ids` takes over.
//! - `resume` keeps the state from which another execution goes on after this one was killed.
//! - `rows_digest` digests the rows of each table while they are encoded, and `verify` those that
//!   are stored.
//! - `shard_state` stores what a shard of a job accumulated; `merge` puts shards together, from
//!   their `stored_rows` and these states. `shard_table` writes a plan.
//! - `worst` lists the worst pairs and runs of a result, `export` writes tables as CSV, and
//!   `table_reader` hands them out as record batches. `audit` joins samples and intervals: contacts
//!   that no frame shows, and overlaps that are too deep.
//!
//! `sink` is the interface for callers: a trait that receives rows, of which the Parquet tables are
//! one implementation, and `stream_sink`, an Arrow IPC stream of `distances`, another. `batches`
//! turns rows into record batches, and `counter` computes the totals of rows that are not written
//! to tables.
//!
//! *Architecture invariant*: with `trajectory`, the only stage that names arrow or parquet.

mod atomic_file;
mod audit;
mod background_io;
mod batches;
mod bodies;
mod carried_ids;
mod checkpoint_taker;
mod checksums;
mod chunk;
mod chunked_buffer;
mod column_buffer;
mod counter;
mod dictionary;
mod encoder;
mod events;
mod export;
mod f64_page;
mod finished_tables;
mod folder;
mod interval_findings;
mod interval_stats;
mod interval_summary;
mod issue;
mod issue_tables;
mod issues;
mod known_pairs;
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
mod part_tables;
mod part_writer;
mod recheck_table;
mod resume;
mod rle_bitpack;
mod row;
mod row_counts;
mod rows_digest;
mod samples;
mod shard_state;
pub mod shard_table;
mod sink;
mod sources;
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
mod vocabularies;
mod worst;
mod writer;
mod writer_properties;

pub use arrow_array::RecordBatch;
pub use audit::{AuditCsv, AuditFinding, AuditSummary, AuditTerms, FindingKind, KindSummary, audit};
pub use batches::BatchMaker;
pub use checksums::{FileChecksums, altered_files};
pub use clearsweep_records::DistanceColumns;
pub use counter::RowCounter;
pub use export::{EXPORT_PLACE, ExportFormat, Exported, export};
pub use finished_tables::{FinishedTables, PendingTables};
#[doc(hidden)]
pub use layout::TableLayout;
pub use merge::{StoredShard, TableMerger};
pub use options::TableOptions;
pub use output_dir::{JobInputs, check_local, is_part_table, is_result_file};
pub use recheck_table::write_recheck;
pub use row::{ContactRow, IntervalRow, Row, SortedRows};
pub use rows_digest::{RowsSum, RunsDigest, TableDigest};
pub use samples::swept_span;
pub use sink::{BatchCollector, ParquetTables, RowBlock, RowSink, SinkContext};
pub use stream_sink::DistanceStream;
#[doc(hidden)]
pub use table_reader::{StoredTable, TableReader};
pub use totals::{BetweenTotals, FirstContact, LeastBetween};
pub use totals::{IssueCounts, RuleTotals, Totals, UndecidedRow, Worst};
pub use verify::{digest_all, digest_of, tables_of};
pub use violations::ViolatingPair;
pub use worst::{LeastOfRun, RankedRun, nearest_between, worst_pairs, worst_runs};
pub use writer::TableWriter;
