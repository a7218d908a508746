//! Bytes that grow without ever being moved: pages until their row group is whole.

use bytes::Bytes;
use std::io::{self, Write};

/// Bytes of the first segment, and by what each is larger than the one before...
const FIRST: usize = 4 << 10;
/// See [`FIRST`].
const GROWTH: usize = 4;
/// ...up to so many: two pages.
const MOST: usize = 256 << 10;

/// Segments being filled.
#[derive(Debug, Default)]
pub(super) struct Segments {
    full: Vec<Bytes>,
    open: Vec<u8>,
    /// What is kept as it is when it is written.
    expected: Option<Bytes>,
}

impl Segments {
    /// All of them.
    pub(super) fn finish(mut self) -> Vec<Bytes> {
        self.end();
        self.full
    }

    /// These bytes are written next, and need not be copied if they come in one piece.
    pub(super) fn expect(&mut self, bytes: Bytes) {
        self.expected = Some(bytes);
    }

    fn end(&mut self) {
        if !self.open.is_empty() {
            let mut open = std::mem::take(&mut self.open);
            open.shrink_to_fit();
            self.full.push(open.into());
        }
    }
}

impl Write for Segments {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(expected) = self.expected.take_if(|expected| std::ptr::eq(&raw const **expected, bytes)) {
            self.end();
            self.full.push(expected);
            return Ok(bytes.len());
        }
        if self.open.len() == self.open.capacity() {
            let size = (self.open.capacity() * GROWTH).clamp(FIRST, MOST);
            self.end();
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

/// The bytes of a column chunk, in segments.
#[derive(Debug)]
pub(super) struct ChunkBytes {
    pub(super) segments: Vec<Bytes>,
    /// All of them together.
    pub(super) size: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expected_bytes_are_kept_and_others_are_copied() {
        let mut segments = Segments::default();
        let page = Bytes::from(vec![7; 20_000]);
        for rest in [&page[..], &page[..50], &page[..]] {
            segments.write_all(b"head").expect("memory");
            segments.expect(page.clone());
            segments.write_all(rest).expect("memory");
        }
        let segments = segments.finish();
        let kept = segments.iter().filter(|segment| segment.as_ptr() == page.as_ptr()).count();
        assert_eq!((kept, segments.iter().map(Bytes::len).sum::<usize>()), (2, 3 * 4 + 40_050));
        assert_eq!(segments.concat()[4..].iter().filter(|&&byte| byte != 7).count(), 8);
    }

    #[test]
    fn bytes_come_back_in_order() {
        let all: Vec<u8> = (0..700_000_u32).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect();
        let mut segments = Segments::default();
        let mut rest = all.as_slice();
        for size in [1, 5000, 3, 100_000, 300_000, usize::MAX] {
            let (head, later) = rest.split_at(size.min(rest.len()));
            segments.write_all(head).expect("memory");
            rest = later;
        }
        let segments = segments.finish();
        assert!(segments.len() > 3 && segments.iter().all(|segment| segment.len() <= MOST));
        assert!(segments.concat() == all);
        assert_eq!(Segments::default().finish().len(), 0);
    }
}
