//! Tables of CSV that are compressed with gzip (RFC 1952), decompressed within bounds.
//!
//! A few bytes of gzip can stand for a thousand times as many. Rows of a table differ, at least in
//! their key, so tables do not come near that.

use clearsweep_base::error::{Error, LARGE_INPUT, Result};
use flate2::read::MultiGzDecoder;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// The first bytes of a gzip file.
pub const SIGNATURE: [u8; 2] = [0x1f, 0x8b];

/// Most bytes of a decompressed table: these, and [`PER_BYTE`] for each compressed one.
const ALLOWED: u64 = 16 << 20;
const PER_BYTE: u64 = 256;

/// The extension of a table of CSV that is compressed.
const EXTENSION: &str = ".csv.gz";

/// Whether a file is named as a compressed table of CSV (`.csv.gz`, in any case).
pub fn is_named(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().to_ascii_lowercase().ends_with(EXTENSION))
}

/// Fails if the name of a table and its first bytes disagree on compression. `head`: at least two
/// bytes, if there are as many.
///
/// # Errors
/// The name ends in `.csv.gz` and the file is not compressed, or the other way round.
pub fn check_name(path: &Path, head: &[u8]) -> Result<()> {
    match (is_named(path), head.starts_with(&SIGNATURE)) {
        (true, false) => {
            let problem = "is named as a .csv.gz file, and is not compressed with gzip";
            Err(Error::input(path.display(), problem, "name it with the extension .csv, or compress it with gzip"))
        }
        (false, true) => {
            let problem = "is compressed with gzip, and not named as a .csv.gz file";
            let remedy = "name CSV with the extension .csv.gz; unpack other files with gunzip";
            Err(Error::input(path.display(), problem, remedy))
        }
        _ => Ok(()),
    }
}

/// A table of CSV as text: a reader of its bytes, decompressed if its name says so.
pub enum TextBytes<R> {
    /// Bytes as they are.
    Plain(R),
    /// Bytes of gzip.
    Gzip(Box<Inflated<R>>),
}

impl<R: Read> TextBytes<R> {
    /// Reads the table of this name.
    pub fn new(path: &Path, bytes: R) -> Self {
        match is_named(path) {
            true => {
                Self::Gzip(Box::new(Inflated { decoder: MultiGzDecoder::new(Counted { bytes, count: 0 }), made: 0 }))
            }
            false => Self::Plain(bytes),
        }
    }
}

impl<R: Read> Read for TextBytes<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(bytes) => bytes.read(to),
            Self::Gzip(inflated) => inflated.read(to),
        }
    }
}

/// A decoder of gzip that stops at a bomb.
pub struct Inflated<R> {
    decoder: MultiGzDecoder<Counted<R>>,
    /// Bytes decompressed so far.
    made: u64,
}

impl<R: Read> Read for Inflated<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = self.decoder.read(to).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof | ErrorKind::InvalidInput | ErrorKind::InvalidData => {
                io::Error::new(error.kind(), "the gzip stream is damaged, or ends early")
            }
            _ => error,
        })?;
        self.made += count as u64;
        let compressed = self.decoder.get_ref().count;
        if self.made > ALLOWED + compressed.saturating_mul(PER_BYTE) {
            let problem =
                format!("{compressed} bytes of gzip stand for more than {} bytes, as no table does", self.made);
            return Err(io::Error::new(ErrorKind::InvalidData, problem));
        }
        Ok(count)
    }
}

/// A reader that counts its bytes.
struct Counted<R> {
    bytes: R,
    count: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read(to)?;
        self.count += count as u64;
        Ok(count)
    }
}

/// The text of a table of CSV of which all bytes are there, decompressed if its name says so;
/// `limit`: bytes that the text may have.
///
/// # Errors
/// As [`check_name`]; the compressed bytes are damaged, a bomb, or more than the limit.
pub fn text(path: &Path, bytes: Vec<u8>, limit: u64) -> Result<Vec<u8>> {
    check_name(path, &bytes)?;
    if !is_named(path) {
        return Ok(bytes);
    }
    let mut text = Vec::new();
    let read = TextBytes::new(path, bytes.as_slice()).take(limit.saturating_add(1)).read_to_end(&mut text);
    read.map_err(|error| unreadable(path, &error))?;
    if text.len() as u64 > limit {
        let problem = format!("holds more than {limit} bytes when it is unpacked, and that is the limit");
        return Err(Error::input(path.display(), problem, LARGE_INPUT));
    }
    Ok(text)
}

/// The error of a table whose bytes end in an error.
pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Error {
    let remedy = "write the file again, and compare its size with that of the original";
    Error::input(path.display(), format!("cannot be read to its end ({error})"), remedy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(text).expect("memory");
        encoder.finish().expect("memory")
    }

    fn unpacked(bytes: Vec<u8>, limit: u64) -> Result<Vec<u8>> {
        text(Path::new("t.CSV.gz"), bytes, limit)
    }

    #[test]
    fn tables_are_decompressed_up_to_the_limit() {
        let rows: Vec<u8> = (0..50_000).flat_map(|frame| format!("{frame},pump-1,0,0,0\n").into_bytes()).collect();
        let limit = rows.len() as u64;
        assert_eq!(unpacked(gzip(&rows), limit).expect("a table"), rows);
        let problem = unpacked(gzip(&rows), limit - 1).expect_err("too long").problem;
        assert!(problem.contains("when it is unpacked"), "{problem}");
        // Members one behind the other, as of several logs, are one table.
        assert_eq!(unpacked([gzip(b"a\n"), gzip(b"1\n")].concat(), limit).expect("a table"), b"a\n1\n");
    }

    #[test]
    fn bombs_and_damage_are_errors() {
        let bomb = gzip(&vec![b'0'; 64 << 20]);
        assert!(bomb.len() < 100 << 10);
        let problem = unpacked(bomb, u64::MAX).expect_err("a bomb").problem;
        assert!(problem.contains("as no table does"), "{problem}");
        let whole = gzip(b"body,geometry\na,a.obj\n");
        let mut flipped = whole.clone();
        let last = flipped.len() - 6;
        flipped[last] ^= 1; // the checksum
        for damaged in [whole[..whole.len() - 9].to_vec(), flipped] {
            let problem = unpacked(damaged, u64::MAX).expect_err("damaged").problem;
            assert!(problem.contains("damaged, or ends early"), "{problem}");
        }
    }

    #[test]
    fn names_and_bytes_have_to_agree() {
        let check = |name: &str, head: &[u8]| check_name(Path::new(name), head).map_err(|error| error.problem);
        assert_eq!((check("a.csv.gz", &SIGNATURE), check("a.csv", b"a,b")), (Ok(()), Ok(())));
        assert!(check("a.csv.gz", b"a,b").is_err_and(|problem| problem.contains("not compressed")));
        assert!(check("a.csv", &SIGNATURE).is_err_and(|problem| problem.contains("not named")));
    }
}
