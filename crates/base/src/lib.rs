//! Foundations of all crates of clearsweep: the error type, the threads of loading, registers of eight numbers, and shares with their
//! confidence.

pub mod error;
pub mod share;
pub mod simd;
pub mod workers;

pub use error::{Error, ErrorKind, Result};
