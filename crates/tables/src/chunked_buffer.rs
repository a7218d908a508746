//! A growable byte buffer that consists of chunks and never moves its content. It holds the pages
//! of a row group until the row group is complete, in memory or parked in a file.

use super::page_spill::{ParkingFile, StoredBytes};
use bytes::Bytes;
use std::io::{self, Write};
use std::sync::Arc;

/// Capacity of the first chunk, bytes.
const FIRST: usize = 4 << 10;
/// Ratio of the capacities of consecutive chunks.
const GROWTH: usize = 4;
/// Largest capacity of a chunk, bytes: two pages of f64.
const MOST: usize = 256 << 10;
/// The same where chunks are parked: less, since every column fills one.
const MOST_PARKED: usize = 64 << 10;

/// A chunked buffer that is being filled.
#[derive(Debug, Default)]
pub(super) struct ChunkedBuffer {
    full: Vec<StoredBytes>,
    /// The chunk that is being filled. It never grows beyond its capacity.
    open: Vec<u8>,
    /// A buffer that becomes a chunk without a copy when exactly it is written next.
    expected: Option<Bytes>,
    /// File in which further chunks are parked; `None`: they stay in memory.
    parking: Option<Arc<ParkingFile>>,
}

impl ChunkedBuffer {
    /// All chunks in order. None is empty.
    ///
    /// # Errors
    /// The last chunk cannot be parked.
    pub(super) fn finish(mut self) -> io::Result<Vec<StoredBytes>> {
        self.close_chunk()?;
        debug_assert!(self.full.iter().all(|chunk| chunk.size() > 0));
        Ok(self.full)
    }

    /// Parks further chunks in a file.
    pub(super) fn park_in(&mut self, file: &Arc<ParkingFile>) {
        self.parking = Some(Arc::clone(file));
    }

    /// Announces a buffer that is written next. It is kept without a copy if it is written in one
    /// piece.
    pub(super) fn expect(&mut self, bytes: Bytes) {
        self.expected = Some(bytes);
    }

    fn close_chunk(&mut self) -> io::Result<()> {
        if !self.open.is_empty() {
            let mut open = std::mem::take(&mut self.open);
            open.shrink_to_fit();
            self.store(open.into())?;
        }
        Ok(())
    }

    /// Adds a chunk.
    fn store(&mut self, chunk: Bytes) -> io::Result<()> {
        self.full.push(match &self.parking {
            Some(file) => StoredBytes::Parked(file.park(&chunk)?),
            None => StoredBytes::Kept(chunk),
        });
        Ok(())
    }
}

impl Write for ChunkedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(expected) = self.expected.take_if(|expected| std::ptr::eq(&raw const **expected, bytes)) {
            self.close_chunk()?;
            self.store(expected)?;
            return Ok(bytes.len());
        }
        if self.open.len() == self.open.capacity() {
            let most = if self.parking.is_some() { MOST_PARKED } else { MOST };
            let size = (self.open.capacity() * GROWTH).clamp(FIRST, most);
            self.close_chunk()?;
            self.open = Vec::with_capacity(size);
        }
        let count = bytes.len().min(self.open.capacity() - self.open.len());
        self.open.extend_from_slice(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The content of a finished [`ChunkedBuffer`].
#[derive(Debug)]
pub(super) struct ChunkedBytes {
    pub(super) chunks: Vec<StoredBytes>,
    /// Sum of the sizes of `chunks`.
    pub(super) size: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JobInputs;
    use crate::output_dir::{ClaimMode, OutputDir};

    fn finished(chunks: ChunkedBuffer) -> Vec<Bytes> {
        let chunks = chunks.finish().expect("finished");
        chunks.iter().map(|chunk| chunk.load().expect("loaded")).collect()
    }

    #[test]
    fn announced_bytes_are_kept_and_others_are_copied() {
        let mut chunks = ChunkedBuffer::default();
        let page = Bytes::from(vec![7; 20_000]);
        for rest in [&page[..], &page[..50], &page[..]] {
            chunks.write_all(b"head").expect("memory");
            chunks.expect(page.clone());
            chunks.write_all(rest).expect("memory");
        }
        let chunks = finished(chunks);
        let kept = chunks.iter().filter(|chunk| chunk.as_ptr() == page.as_ptr()).count();
        assert_eq!((kept, chunks.iter().map(Bytes::len).sum::<usize>()), (2, 3 * 4 + 40_050));
        assert_eq!(chunks.concat()[4..].iter().filter(|&&byte| byte != 7).count(), 8);
    }

    #[test]
    fn bytes_come_back_in_order() {
        let all: Vec<u8> = (0..700_000_u32).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect();
        let dir = tempfile::tempdir().expect("scratch");
        let out =
            OutputDir::claim(&dir.path().join("out"), ClaimMode::default(), &JobInputs::default()).expect("claimed");
        for parks in [false, true] {
            let mut chunks = ChunkedBuffer::default();
            let mut rest = all.as_slice();
            for size in [1, 5000, 3, 100_000, 300_000, usize::MAX] {
                let (head, later) = rest.split_at(size.min(rest.len()));
                chunks.write_all(head).expect("memory");
                rest = later;
                if parks && size == 3 {
                    chunks.park_in(&Arc::new(ParkingFile::create(&out).expect("a file")));
                }
            }
            let stored = chunks.finish().expect("finished");
            let parked = stored.iter().filter(|chunk| matches!(chunk, StoredBytes::Parked(_))).count();
            assert!(if parks { parked > 3 && parked < stored.len() } else { parked == 0 });
            let chunks: Vec<Bytes> = stored.iter().map(|chunk| chunk.load().expect("loaded")).collect();
            assert!(chunks.len() > 3 && chunks.iter().all(|chunk| chunk.len() <= MOST));
            assert!(chunks.concat() == all);
        }
        assert_eq!(finished(ChunkedBuffer::default()).len(), 0);
    }
}
