//! The tables and the manifest of a result, each declared once.
//!
//! - `manifest` holds the structs that `manifest.json` is written from and read into.

pub mod manifest;
