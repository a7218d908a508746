//! Files that appear under their name when they are complete, or not at all.

use super::background_io::BackgroundSync;
use super::output_dir::{OutputDir, OutputFile};
use super::page_spill::StoredBytes;
use bytes::Bytes;
use clearsweep_base::error::Result;
use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, IoSlice, Write};
use std::path::Path;
use std::sync::Arc;

/// Bytes that are buffered before they are written: the system writes large pieces faster than
/// small ones.
const BUFFER_BYTES: usize = 64 << 10;
/// Largest number of bytes of a vectored write.
const MOST_VECTORED_BYTES: usize = 1 << 20;
/// Largest number of slices of a vectored write (`IOV_MAX` on Linux and macOS).
const MOST_SLICES: usize = 1024;

/// A file that is written under a temporary name and renamed when it is complete.
#[derive(Debug)]
pub(super) struct AtomicFile {
    buffered: BufWriter<TemporaryFile>,
    /// Bytes of [`Self::write_ahead`] that are to be skipped when they are written again.
    to_skip: u64,
}

/// A file under its temporary name.
#[derive(Debug)]
struct TemporaryFile {
    file: File,
    target: OutputFile,
    written: u64,
    /// The checksum of these bytes.
    checksum: crc32fast::Hasher,
    sync: BackgroundSync,
    out: Arc<OutputDir>,
}

impl AtomicFile {
    /// Creates a file in the output directory. `name` is relative to it, with at most one folder.
    ///
    /// # Errors
    /// The file or its folder cannot be created.
    pub(super) fn create(out: &Arc<OutputDir>, name: &str) -> Result<Self> {
        let (file, target) = out.create(name)?;
        let sync = BackgroundSync::default();
        let inner =
            TemporaryFile { file, target, written: 0, checksum: crc32fast::Hasher::new(), sync, out: Arc::clone(out) };
        Ok(Self { buffered: BufWriter::with_capacity(BUFFER_BYTES, inner), to_skip: 0 })
    }

    /// The path that the file gets when it is complete.
    pub(super) fn target(&self) -> &Path {
        &self.buffered.get_ref().target.path
    }

    /// Writes the next bytes of the file from where they are stored. As many bytes of later calls
    /// of `write` are skipped.
    ///
    /// The parquet crate copies bytes several times on their way to `write`. With this method they
    /// are written without copies, and the crate passes bytes of the same number afterwards for its
    /// own accounting.
    pub(super) fn write_ahead(&mut self, chunks: &[StoredBytes]) -> io::Result<()> {
        self.buffered.flush()?;
        let mut rest = chunks;
        while !rest.is_empty() {
            let mut bytes = 0;
            let fitting = rest.iter().take(MOST_SLICES).take_while(|chunk| {
                bytes += chunk.size();
                bytes <= MOST_VECTORED_BYTES
            });
            let (now, later) = rest.split_at(fitting.count().max(1));
            let now = now.iter().map(StoredBytes::load).collect::<io::Result<Vec<Bytes>>>()?;
            let mut slices: Vec<IoSlice<'_>> = now.iter().map(|chunk| IoSlice::new(chunk)).collect();
            write_all_vectored(self.buffered.get_mut(), &mut slices)?;
            self.to_skip += now.iter().map(|chunk| chunk.len() as u64).sum::<u64>();
            rest = later;
        }
        Ok(())
    }

    /// Bytes handed to the system. `None` while bytes that were written ahead are still to be
    /// skipped.
    pub(super) fn written(&self) -> Option<u64> {
        (self.to_skip == 0).then_some(self.buffered.get_ref().written)
    }

    /// Synchronises the file with the disk and renames it to its final name.
    ///
    /// # Errors
    /// A write or the renaming failed.
    pub(super) fn finish(mut self) -> Result<()> {
        debug_assert_eq!(self.to_skip, 0, "bytes that were written ahead were not written again");
        let flushed = self.buffered.flush();
        let (TemporaryFile { file, target, written, checksum, sync, out }, _) = self.buffered.into_parts();
        let synced = sync.end();
        flushed.and(synced).and_then(|()| file.sync_all()).map_err(|e| out.error(&target.path, &e))?;
        drop(file);
        out.rename(&target, written, Some(checksum.finalize()))
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.to_skip > 0 {
            let count = usize::try_from(self.to_skip).unwrap_or(usize::MAX).min(bytes.len());
            self.to_skip -= count as u64;
            return Ok(count);
        }
        self.buffered.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.buffered.flush()
    }
}

/// Writes all bytes of all slices (`Write::write_all_vectored` of the standard library is
/// unstable).
fn write_all_vectored(to: &mut impl Write, mut slices: &mut [IoSlice<'_>]) -> io::Result<()> {
    IoSlice::advance_slices(&mut slices, 0); // removes empty slices at the front
    while !slices.is_empty() {
        match to.write_vectored(slices) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(count) => IoSlice::advance_slices(&mut slices, count),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

impl TemporaryFile {
    fn write_some(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        self.out.take_space(slices.iter().map(|slice| slice.len() as u64).sum())?;
        self.file.write_vectored(slices)
    }

    /// Adds the first `count` bytes of the slices.
    fn add_to_checksum(&mut self, slices: &[IoSlice<'_>], mut count: usize) {
        for slice in slices {
            let part = &slice[..count.min(slice.len())];
            self.checksum.update(part);
            count -= part.len();
        }
    }
}

impl Write for TemporaryFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        match self.write_some(slices) {
            Ok(n) => {
                self.written += n as u64;
                self.add_to_checksum(slices, n);
                self.sync.written(&self.file, self.written);
                Ok(n)
            }
            Err(error) => {
                if error.kind() != ErrorKind::Interrupted {
                    let copy = error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error);
                    self.out.record_failure(&self.target.path, copy);
                }
                Err(error)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
