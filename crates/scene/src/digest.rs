//! Reading an input file once: its bytes, its size and its SHA-256.

use clearsweep_input_guard::regular_file;
use clearsweep_model::InputDigest;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::io;
use std::path::Path;

/// Default of the most bytes that a file may have: 16 GiB.
pub(super) const DEFAULT_MAX_INPUT: u64 = 16 << 30;

/// Reads whole files up to a limit, and keeps their digests in the order of reading.
pub(super) struct InputReader {
    /// Bytes that each file may have.
    pub(super) limit: u64,
    /// The files read.
    pub(super) digests: Vec<InputDigest>,
}

impl InputReader {
    pub(super) fn new(limit: u64) -> Self {
        Self { limit, digests: Vec::new() }
    }

    /// The bytes of a file.
    ///
    /// # Errors
    /// The file is missing or unreadable, it is no regular file (a directory; a device could be
    /// endless), or it is larger than the limit.
    pub(super) fn read(&mut self, path: &Path) -> io::Result<Vec<u8>> {
        let bytes = regular_file::read(path, self.limit)?;
        let digest = InputDigest { path: path.to_path_buf(), bytes: bytes.len() as u64, sha256: sha256(&bytes) };
        self.digests.push(digest);
        Ok(bytes)
    }
}

/// SHA-256 in lower-case hexadecimal.
pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a string cannot fail");
        text
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_digest_is_that_of_the_standard() {
        // FIPS 180-4, example of one block.
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(super::sha256(b"abc"), expected);
    }
}
