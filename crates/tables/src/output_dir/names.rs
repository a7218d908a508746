//! The names that clearsweep gives in an output directory.

use clearsweep_records::{CATALOGUE, TableInfo};
use std::ffi::{OsStr, OsString};

/// The last file that is written, and the first that is removed.
pub(super) const MANIFEST: &str = "manifest.json";
/// The file of a shard that a merge needs beside its tables.
pub(crate) const SHARD_STATE: &str = "shard.state";
/// First bytes of that file.
pub(crate) const SHARD_HEAD: &[u8; 19] = b"clearsweep shard 1\n";
/// Directories in the output directory where the file system cannot exchange directories: the new
/// result until it is whole, and the old one until the new one has its place.
pub(super) const STAGING: [&str; 2] = [".clearsweep-new", ".clearsweep-old"];
/// The temporary name of the file to which summaries are spilled, for the moment in which it has
/// one.
pub(super) const SPILL: &str = ".pairs.parquet.tmp-spill";

/// Prefix and suffix of a file name until the file is complete: `.NAME.tmp`.
const TEMPORARY: (&str, &str) = (".", ".tmp");

/// The name of a file until it is complete.
pub(super) fn temporary(name: &str) -> String {
    format!("{}{name}{}", TEMPORARY.0, TEMPORARY.1)
}

/// The final name that a temporary name stands for; `None` for other names.
pub(super) fn of_temporary(name: &str) -> Option<&str> {
    let name = name.strip_suffix("-spill").unwrap_or(name);
    name.strip_prefix(TEMPORARY.0).and_then(|name| name.strip_suffix(TEMPORARY.1))
}

/// Whether a name is `part-NNNNN.parquet` with five or more digits.
pub(super) fn is_part(name: &str) -> bool {
    let digits = name.strip_prefix("part-").and_then(|n| n.strip_suffix(".parquet"));
    digits.is_some_and(|d| d.len() >= 5 && d.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether clearsweep gives this name, which is relative to the output directory, to a file or a
/// directory of a result.
pub(super) fn is_known(name: &str) -> bool {
    let fits = |name: &str, is_final: &dyn Fn(&str) -> bool| is_final(name) || of_temporary(name).is_some_and(is_final);
    match name.split_once('/') {
        Some((folder, file)) => is_part_table(folder) && fits(file, &is_part),
        None => is_part_table(name) || fits(name, &is_single),
    }
}

/// Whether a result has a file of this name, relative to its directory.
pub fn is_result_file(name: &str) -> bool {
    match name.split_once('/') {
        Some((folder, file)) => is_part_table(folder) && is_part(file),
        None => is_single(name),
    }
}

/// Whether a table of this name has several files, in a directory of its own.
pub fn is_part_table(name: &str) -> bool {
    CATALOGUE.iter().any(|table| table.has_parts && table.name == name)
}

/// The table that is the file of this name.
pub(super) fn table_of_file(name: &str) -> Option<&'static TableInfo> {
    CATALOGUE.iter().find(|table| !table.has_parts && table.file_name() == name)
}

/// Whether a file of a result has this name.
fn is_single(name: &str) -> bool {
    name == MANIFEST || name == SHARD_STATE || table_of_file(name).is_some()
}

/// The directory beside an output directory of this name in which the result that is to replace it
/// is written.
pub(super) fn beside(name: &OsStr) -> OsString {
    let mut staging = OsString::from(".");
    staging.push(name);
    staging.push(STAGING[0]);
    staging
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_names_lead_back_to_names() {
        assert_eq!(of_temporary(&temporary("pairs.parquet")), Some("pairs.parquet"));
        assert_eq!(of_temporary(SPILL), Some("pairs.parquet"));
        assert_eq!(of_temporary("pairs.parquet"), None);
        assert!(is_part("part-00012.parquet") && is_part("part-123456.parquet"));
        for name in ["pairs.parquet", ".manifest.json.tmp", "distances", "distances/part-00001.parquet", "intervals"] {
            assert!(is_known(name), "{name}");
        }
        assert!(!is_known("notes.txt") && !is_known("distances/notes.txt") && !is_known("part-00001.parquet"));
        assert!(!is_part("part-1.parquet") && !is_part("part-0000x.parquet") && !is_part("part-00001.csv"));
        assert_eq!(beside(OsStr::new("out")), ".out.clearsweep-new");
    }
}
