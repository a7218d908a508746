//! Checks of untrusted bytes before a third-party decoder sees them.
//!
//! Decoders of Parquet, Arrow IPC and STL trust the lengths and the structure that a file claims. Each part guards
//! against one kind of hostile or damaged input:
//!
//! | part | runs before | guards against |
//! | --- | --- | --- |
//! | `parquet_footer` | the Parquet footer is decoded | a tree of columns nested without bound (stack overflow), more row groups than the footer can hold (memory) |
//! | `parquet_pages` | a row group is decoded | a compressed page that claims more bytes than its codec can produce (memory) |
//! | `ipc_messages` | an Arrow IPC file or stream is decoded | messages and buffers that claim more bytes than the file holds (memory) |
//! | `decoder` | (around a decoder) | a panic inside the decoder |
//!
//! *Architecture invariant*: knows `error` only; every stage that decodes bytes of a user may import it. It decodes no
//! column.

mod decoder;
pub(crate) mod ipc_messages;
pub(crate) mod parquet_footer;
pub(crate) mod parquet_pages;

pub(crate) use decoder::{DAMAGED, guarded, guarded_arrow};
