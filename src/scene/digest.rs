//! Reading an input file once: its bytes, its size and its SHA-256.

use super::model::InputDigest;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::io;
use std::path::Path;

/// The bytes of a file with their digest.
///
/// # Errors
/// The file is missing or unreadable, or it is no regular file (a directory; a device could be endless).
pub(super) fn read_input(path: &Path) -> io::Result<(Vec<u8>, InputDigest)> {
    let kind = std::fs::metadata(path)?;
    if kind.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
    }
    if !kind.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    let bytes = std::fs::read(path)?;
    let digest = InputDigest { path: path.to_path_buf(), bytes: bytes.len() as u64, sha256: sha256(&bytes) };
    Ok((bytes, digest))
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
