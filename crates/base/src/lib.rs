//! Foundations of all crates of clearsweep: the error type, the threads of loading, registers of eight numbers, shares with their
//! confidence, and open files.

pub mod error;
pub mod open_file;
pub mod share;
pub mod simd;
pub mod workers;

pub use error::{Error, ErrorKind, Result};
