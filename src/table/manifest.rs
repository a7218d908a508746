//! `manifest.json`.

use super::output_dir::OutputDir;
use crate::error::Result;
use std::io::Write;
use std::sync::Arc;

/// Writes the manifest, readable by people, with a newline at its end.
pub(super) fn write(manifest: &serde_json::Value, out: &Arc<OutputDir>) -> Result<()> {
    let mut file = out.create("manifest.json")?;
    // The alternate form of a JSON value is its pretty form; it cannot fail.
    let text = format!("{manifest:#}\n");
    file.write_all(text.as_bytes()).map_err(|e| out.error(file.target(), &e))?;
    file.finish()
}
