//! `manifest.json`.
