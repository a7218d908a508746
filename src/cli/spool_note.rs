//! Note of a run on streams that it copied to read them twice: on stderr.

use super::color::{Tone, paint};
use super::stdout::print_to_stderr;
use super::text::bytes;
use super::wrap::{width_of_stderr, wrapped};
use clearsweep_records::manifest::Manifest;

/// Prints what a manifest says of copies.
pub(crate) fn say(manifest: &Manifest) {
    let Some(copied) = manifest.spooled_bytes.filter(|&copied| copied > 0) else { return };
    let note = format!(
        "{} a stream of {} was copied to a temporary file: bounds are read before poses",
        paint(Tone::Title, "note:"),
        bytes(copied)
    );
    print_to_stderr(&format!("{}\n", wrapped(&note, width_of_stderr(), 0)));
}
