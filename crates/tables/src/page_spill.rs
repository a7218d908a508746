//! Bytes that wait in an unnamed file instead of in memory: the pages of a row group that is not
//! complete, where memory is short.

use super::output_dir::OutputDir;
use bytes::Bytes;
use clearsweep_base::error::Result;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// A file that several threads park bytes in. It vanishes with the last of them.
#[derive(Debug)]
pub(super) struct ParkingFile {
    space: Mutex<ParkingSpace>,
    out: Arc<OutputDir>,
}

#[derive(Debug)]
struct ParkingSpace {
    file: File,
    /// Length of the file, bytes.
    end: u64,
}

impl ParkingFile {
    /// An unnamed file in the output directory.
    ///
    /// # Errors
    /// It cannot be created.
    pub(super) fn create(out: &Arc<OutputDir>) -> Result<Self> {
        let file = out.spill_file().map_err(|e| out.error(out.root(), &e))?;
        Ok(Self { space: Mutex::new(ParkingSpace { file, end: 0 }), out: Arc::clone(out) })
    }

    /// Writes bytes to the end of the file.
    pub(super) fn park(self: &Arc<Self>, bytes: &[u8]) -> io::Result<ParkedBytes> {
        let start = self.with(|ParkingSpace { file, end }| {
            let start = *end;
            file.seek(SeekFrom::Start(start))?;
            file.write_all(bytes)?;
            *end += bytes.len() as u64;
            Ok(start)
        })?;
        Ok(ParkedBytes { file: Arc::clone(self), start, size: bytes.len() })
    }

    /// Works with the file. The output directory remembers what fails, because the parquet crate
    /// does not pass causes on.
    fn with<T>(&self, work: impl FnOnce(&mut ParkingSpace) -> io::Result<T>) -> io::Result<T> {
        let mut space = self.space.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut space).inspect_err(|e| self.out.record_failure(self.out.root(), copy_of(e)))
    }
}

/// The same error once more.
fn copy_of(error: &io::Error) -> io::Error {
    error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error)
}

/// Bytes in a [`ParkingFile`].
#[derive(Debug, Clone)]
pub(super) struct ParkedBytes {
    file: Arc<ParkingFile>,
    start: u64,
    size: usize,
}

/// Bytes in memory, or parked.
#[derive(Debug, Clone)]
pub(super) enum StoredBytes {
    /// In memory.
    Kept(Bytes),
    /// In a file.
    Parked(ParkedBytes),
}

impl StoredBytes {
    /// Number of bytes.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Kept(bytes) => bytes.len(),
            Self::Parked(parked) => parked.size,
        }
    }

    /// The bytes, in memory.
    pub(super) fn load(&self) -> io::Result<Bytes> {
        match self {
            Self::Kept(bytes) => Ok(bytes.clone()),
            Self::Parked(ParkedBytes { file, start, size }) => {
                let mut bytes = vec![0; *size];
                file.with(|ParkingSpace { file, .. }| {
                    file.seek(SeekFrom::Start(*start))?;
                    file.read_exact(&mut bytes)
                })?;
                Ok(bytes.into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JobInputs;
    use crate::output_dir::ClaimMode;

    #[test]
    fn parked_bytes_come_back() {
        let dir = tempfile::tempdir().expect("scratch");
        let out =
            OutputDir::claim(&dir.path().join("out"), ClaimMode::default(), &JobInputs::default()).expect("claimed");
        let file = Arc::new(ParkingFile::create(&out).expect("a file"));
        let parts: Vec<Vec<u8>> = (0..50_u8).map(|k| vec![k; 1000 * usize::from(k)]).collect();
        let parked: Vec<StoredBytes> =
            parts.iter().map(|part| StoredBytes::Parked(file.park(part).expect("written"))).collect();
        for (part, parked) in parts.iter().zip(&parked).rev() {
            assert_eq!(parked.size(), part.len());
            assert!(parked.load().expect("read") == part);
            assert!(file.park(b"more").is_ok());
        }
    }
}
