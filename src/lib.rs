//! clearsweep: batch proximity of many rigid bodies over many frames.

pub mod broad;
pub mod engine;
pub mod error;
pub mod geometry;
pub mod narrow;
pub mod scene;
pub mod table;
pub mod trajectory;

pub use error::{Error, ErrorKind, Result};
