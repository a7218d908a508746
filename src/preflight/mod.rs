//! Checks of untrusted bytes before a third-party decoder sees them.
//!
//! Decoders of Parquet, Arrow IPC and STL trust the lengths and the structure that a file claims. Each part guards
//! against one kind of hostile or damaged input:
//!
//! - `parquet_footer`: a tree of columns nested without bound (stack overflow), and more row groups than the footer can
//!   hold (memory). Runs before the footer is decoded.
//! - `parquet_pages`: a compressed page that claims more bytes than its codec can produce (memory). Runs before a row
//!   group is decoded.
//! - `ipc_messages`: messages and buffers of an Arrow IPC file or stream that claim more bytes than the file holds
//!   (memory). Runs before the file is decoded.
//! - `csv_header`: a CSV table with another separator, which would read as one column; and the lines of its rows.
//! - `decoder`: a panic inside a decoder. Wraps the call of the decoder.
//!
//! *Architecture invariant*: knows `error` only; every stage that decodes bytes of a user may import it. It decodes no
//! column.

pub(crate) mod csv_header;
mod decoder;
pub(crate) mod ipc_messages;
pub(crate) mod parquet_footer;
pub(crate) mod parquet_pages;

pub(crate) use decoder::{DAMAGED, guarded, guarded_arrow};
