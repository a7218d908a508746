//! Foundations of all crates of clearsweep: the error type, the threads of loading, and registers of eight numbers.

pub mod error;
pub mod simd;
pub mod workers;

pub use error::{Error, ErrorKind, Result};
