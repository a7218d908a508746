//! Foundations of all crates of clearsweep: the error type, the threads of loading, registers of
//! eight numbers, shares with their confidence, open files, and text that is safe to show.

pub mod error;
pub mod open_file;
pub mod share;
pub mod simd;
pub mod text;
pub mod workers;

pub use error::{Error, ErrorKind, Result};
