//! Checks of untrusted bytes before a third-party decoder sees them.
//!
//! Decoders of Parquet, Arrow IPC and STL trust the lengths and the structure that a file claims.
//! Each part guards against one kind of hostile or damaged input:
//!
//! - `parquet_footer`: a tree of columns nested without bound (stack overflow), and more row groups
//!   than the footer can hold (memory). Runs before the footer is decoded.
//! - `parquet_pages`: a compressed page that claims more bytes than its codec can produce, and
//!   texts and lists that take far more in memory than in the file (memory); pages, row groups and
//!   footers that do not agree on the rows (rows that go unread). Runs before a row group is
//!   decoded.
//! - `ipc_messages`: messages and buffers of an Arrow IPC file or stream that claim more bytes than
//!   the file holds (memory). Runs before the file is decoded.
//! - `csv_cells`: blanks of CSV that are within quotes, and those that are not.
//! - `csv_header`: a CSV table with another separator, which would read as one column; and the
//!   lines of its rows.
//! - `gzip`: compressed CSV that stands for far more bytes than a table has (memory, time).
//! - `regular_file`: a pipe or a device where a file should be (waiting, memory), and a file beyond
//!   a limit.
//! - `decoder`: a panic inside a decoder. Wraps the call of the decoder.
//!
//! *Architecture invariant*: imports no crate of clearsweep but `clearsweep-base`; every crate that
//! decodes bytes of a user may import it. It decodes no column.

pub mod csv_cells;
pub mod csv_header;
mod decoder;
pub mod gzip;
pub mod ipc_messages;
pub mod parquet_footer;
pub mod parquet_pages;
pub mod regular_file;

/// Longest name of a body, a group, a node or an object, bytes of UTF-8; so long may any text of a
/// scene be.
pub const MAX_NAME: usize = 1 << 16;

pub use decoder::{DAMAGED, guarded, guarded_arrow};
