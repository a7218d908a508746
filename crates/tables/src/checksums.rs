//! Checksums of the files of a result, which its manifest tells: damage that no row shows, in the
//! header of a page or a level, is found by them.

use clearsweep_base::error::{Error, Result};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Bytes that are read at a time.
const PIECE: usize = 1 << 20;

/// CRC-32 of the bytes of each file of a result, by its name relative to the directory.
pub type FileChecksums = BTreeMap<String, u32>;

/// The checksum of what is left of a file.
pub(super) fn checksum(mut file: File) -> io::Result<u32> {
    let (mut hasher, mut piece) = (crc32fast::Hasher::new(), vec![0; PIECE]);
    loop {
        match file.read(&mut piece) {
            Ok(0) => return Ok(hasher.finalize()),
            Ok(count) => hasher.update(&piece[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The files of the output directory `dir` whose bytes are not those that were written, by name.
///
/// # Errors
/// A file cannot be read.
pub fn altered_files(dir: &Path, written: &FileChecksums) -> Result<Vec<String>> {
    let is_altered = |(name, sum): (&String, &u32)| {
        let path = dir.join(name);
        let found = File::open(&path).and_then(checksum).map_err(|error| Error::unreadable(&path, &error));
        found.map(|found| (found != *sum).then(|| name.clone()))
    };
    let altered: Result<Vec<Option<String>>> = written.par_iter().map(is_altered).collect();
    Ok(altered?.into_iter().flatten().collect())
}
