//! Object stores: input that is read in ranges, and results that appear whole.
//!
//! An `address` (`s3://bucket/key`) names an object or a folder of objects. `store` has the few
//! operations of a store, which wait for their ends; the program registers who does them
//! ([`register`]). A `remote_file` is a copy of an object that is filled on demand, block by block
//! (`blocks`); a `remote_folder` is a folder of objects, copied as a whole. `table_format` knows
//! folders that are tables with a log. `publish` writes results: the manifest comes last, by a
//! write that fails if another was faster.
//!
//! Nothing here is trusted to be there twice: an object is known by its version (entity tag), and
//! every read asks for that one.
//!
//! *Architecture invariant*: imports no crate of clearsweep but `clearsweep-base`, and speaks to no
//! network itself.

mod address;
mod blocks;
pub mod glob_overlap;
mod publish;
mod remote_file;
mod remote_folder;
mod store;
mod table_format;

pub use address::{Address, Location, local, location};
pub use blocks::read_at;
pub use publish::{CLAIM, MANIFEST, Publication, copy_result, publish_attempt, remove_attempts};
pub use remote_file::RemoteFile;
pub use remote_folder::{RemoteFolder, find};
pub use store::{Connect, ObjectAbout, Store, register};
pub use table_format::TableFormat;
