//! `manifest.json`.

use super::atomic_file::AtomicFile;
use super::output_dir::OutputDir;
use clearsweep_base::error::Result;
use clearsweep_records::manifest::with_checksums;
use std::io::Write;
use std::sync::Arc;

/// Writes the manifest, with the checksums of all other files, as indented JSON with a newline at
/// its end, once these are whole.
pub(super) fn write(manifest: &serde_json::Value, out: &Arc<OutputDir>) -> Result<()> {
    out.seal()?;
    let manifest = with_checksums(manifest, &out.checksums()?);
    let mut file = AtomicFile::create(out, "manifest.json")?;
    // `{:#}` is the indented form of a JSON value; formatting it cannot fail.
    let text = format!("{manifest:#}\n");
    file.write_all(text.as_bytes()).map_err(|e| out.error(file.target(), &e))?;
    file.finish()
}
