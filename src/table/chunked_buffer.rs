//! A growable byte buffer that consists of chunks and never moves its content. It holds the pages of a row group until
//! the row group is complete.

use bytes::Bytes;
use std::io::{self, Write};

/// Capacity of the first chunk, bytes.
const FIRST: usize = 4 << 10;
/// Ratio of the capacities of consecutive chunks.
const GROWTH: usize = 4;
/// Largest capacity of a chunk, bytes: two pages of f64.
const MOST: usize = 256 << 10;

/// A chunked buffer that is being filled.
#[derive(Debug, Default)]
pub(super) struct ChunkedBuffer {
    full: Vec<Bytes>,
    /// The chunk that is being filled. It never grows beyond its capacity.
    open: Vec<u8>,
    /// A buffer that becomes a chunk without a copy when exactly it is written next.
    expected: Option<Bytes>,
}

impl ChunkedBuffer {
    /// All chunks in order. None is empty.
    pub(super) fn finish(mut self) -> Vec<Bytes> {
        self.close_chunk();
        debug_assert!(self.full.iter().all(|chunk| !chunk.is_empty()));
        self.full
    }

    /// Announces a buffer that is written next. It is kept without a copy if it is written in one piece.
    pub(super) fn expect(&mut self, bytes: Bytes) {
        self.expected = Some(bytes);
    }

    fn close_chunk(&mut self) {
        if !self.open.is_empty() {
            let mut open = std::mem::take(&mut self.open);
            open.shrink_to_fit();
            self.full.push(open.into());
        }
    }
}

impl Write for ChunkedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(expected) = self.expected.take_if(|expected| std::ptr::eq(&raw const **expected, bytes)) {
            self.close_chunk();
            self.full.push(expected);
            return Ok(bytes.len());
        }
        if self.open.len() == self.open.capacity() {
            let size = (self.open.capacity() * GROWTH).clamp(FIRST, MOST);
            self.close_chunk();
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
    pub(super) chunks: Vec<Bytes>,
    /// Sum of the lengths of `chunks`.
    pub(super) size: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announced_bytes_are_kept_and_others_are_copied() {
        let mut chunks = ChunkedBuffer::default();
        let page = Bytes::from(vec![7; 20_000]);
        for rest in [&page[..], &page[..50], &page[..]] {
            chunks.write_all(b"head").expect("memory");
            chunks.expect(page.clone());
            chunks.write_all(rest).expect("memory");
        }
        let chunks = chunks.finish();
        let kept = chunks.iter().filter(|chunk| chunk.as_ptr() == page.as_ptr()).count();
        assert_eq!((kept, chunks.iter().map(Bytes::len).sum::<usize>()), (2, 3 * 4 + 40_050));
        assert_eq!(chunks.concat()[4..].iter().filter(|&&byte| byte != 7).count(), 8);
    }

    #[test]
    fn bytes_come_back_in_order() {
        let all: Vec<u8> = (0..700_000_u32).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect();
        let mut chunks = ChunkedBuffer::default();
        let mut rest = all.as_slice();
        for size in [1, 5000, 3, 100_000, 300_000, usize::MAX] {
            let (head, later) = rest.split_at(size.min(rest.len()));
            chunks.write_all(head).expect("memory");
            rest = later;
        }
        let chunks = chunks.finish();
        assert!(chunks.len() > 3 && chunks.iter().all(|chunk| chunk.len() <= MOST));
        assert!(chunks.concat() == all);
        assert_eq!(ChunkedBuffer::default().finish().len(), 0);
    }
}
