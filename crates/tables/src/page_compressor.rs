//! Compression of pages into zstd frames.
//!
//! Coordinates and distances have full mantissas: zstd saves about a twentieth of their size and
//! takes a third of the time of writing. If a page hardly shrinks, the next pages of its column are
//! therefore stored in frames of raw blocks (RFC 8878, section 3.1.1.2), which every zstd decoder
//! reads. Then a page is compressed again as a trial. The choice depends only on the position of a
//! page in its row group and on the content, so the bytes do not depend on threads.

use super::f64_page::{self, F64Page};
use bytes::Bytes;
use std::io;
use std::sync::{Mutex, PoisonError};
use zstd::bulk::Compressor;
use zstd::zstd_safe::compress_bound;

/// Compression level: the fastest level that compresses repetitive data well.
const LEVEL: i32 = 1;
/// If compression saves less than this part of a page (one in so many bytes), the next
/// [`STORED_PAGES`] are stored.
const LEAST_SAVING: usize = 10;
/// Number of pages that are stored between two trials.
const STORED_PAGES: u32 = 15;
/// Pages of fewer bytes are always compressed: storing them saves no measurable time.
const SMALL: usize = 4096;

/// Largest size of a block, bytes (RFC 8878, section 3.1.1.2.4).
const BLOCK: usize = 128 << 10;
/// Magic number of a frame (RFC 8878, section 3.1.1).
const MAGIC: [u8; 4] = 0xFD2F_B528_u32.to_le_bytes();
/// Frame header descriptor (RFC 8878, section 3.1.1.1.1): single segment, content size in four
/// bytes.
const DESCRIPTOR: u8 = 2 << 6 | 1 << 5;

/// Decides which pages of a column are stored without a trial of compression.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StorePolicy {
    /// Pages to be stored before the next trial.
    stored: u32,
}

/// A page as it is written to the file.
#[derive(Debug)]
pub(super) enum ZstdFrame {
    /// A frame of raw blocks in a buffer of its own, which is kept until the file is written.
    Stored(Bytes),
    /// A compressed frame in a buffer that goes back to the compressor: [`PageCompressor::reuse`].
    Reusable(Vec<u8>),
}

impl ZstdFrame {
    /// The bytes of the frame.
    pub(super) fn into_bytes(self) -> Bytes {
        match self {
            Self::Stored(frame) => frame,
            Self::Reusable(frame) => frame.into(),
        }
    }
}

/// A compressor with reusable buffers.
pub(super) struct PageCompressor {
    compressor: Compressor<'static>,
    /// Scratch buffer in which a caller assembles a page for [`Self::compress_body`].
    pub(super) body: Vec<u8>,
    /// Scratch buffer that joins a prefix and its content.
    joined: Vec<u8>,
    /// Buffer of the next compressed frame.
    output: Vec<u8>,
}

impl PageCompressor {
    fn new() -> io::Result<Self> {
        Ok(Self { compressor: Compressor::new(LEVEL)?, body: Vec::new(), joined: Vec::new(), output: Vec::new() })
    }

    /// The frame of `prefix` followed by `content`. The prefix (definition levels) is shorter than
    /// a block.
    pub(super) fn compress(
        &mut self,
        prefix: &[u8],
        content: &[u8],
        policy: &mut StorePolicy,
    ) -> io::Result<ZstdFrame> {
        let size = prefix.len() + content.len();
        if policy.stored > 0 && size >= SMALL {
            policy.stored -= 1;
            return Ok(ZstdFrame::Stored(stored_frame(prefix, content).into()));
        }
        let mut frame = std::mem::take(&mut self.output);
        frame.clear();
        frame.reserve(compress_bound(size));
        if prefix.is_empty() {
            self.compressor.compress_to_buffer(content, &mut frame)?;
        } else {
            self.joined.clear();
            self.joined.extend_from_slice(prefix);
            self.joined.extend_from_slice(content);
            self.compressor.compress_to_buffer(&self.joined, &mut frame)?;
        }
        if size >= SMALL && frame.len() > size - size / LEAST_SAVING {
            policy.stored = STORED_PAGES;
        }
        Ok(ZstdFrame::Reusable(frame))
    }

    /// The frame of `self.body`. See [`Self::compress`].
    pub(super) fn compress_body(&mut self, policy: &mut StorePolicy) -> io::Result<ZstdFrame> {
        let body = std::mem::take(&mut self.body);
        let frame = self.compress(&[], &body, policy);
        self.body = body;
        frame
    }

    /// Takes back the buffer of a frame.
    pub(super) fn reuse(&mut self, frame: Vec<u8>) {
        self.output = frame;
    }
}

/// Turns f64 values into a stored frame without copying them and empties `values`. Returns `None`
/// and changes nothing if the page is due for compression or does not fit one block.
pub(super) fn store_in_place(values: &mut F64Page, policy: &mut StorePolicy) -> Option<ZstdFrame> {
    let size = size_of_val(&**values);
    if policy.stored == 0 || !(SMALL..=BLOCK).contains(&size) {
        return None;
    }
    policy.stored -= 1;
    let mut header = [0; f64_page::HEADER_BYTES];
    header[..4].copy_from_slice(&MAGIC);
    header[4] = DESCRIPTOR;
    header[5..9].copy_from_slice(&(size as u32).to_le_bytes());
    header[9..].copy_from_slice(&raw_block_header(size, true));
    Some(ZstdFrame::Stored(values.take_with_header(header)))
}

/// The header of a raw block (RFC 8878, section 3.1.1.2).
fn raw_block_header(bytes: usize, is_last: bool) -> [u8; 3] {
    debug_assert!(bytes <= BLOCK);
    let [low, middle, high, _] = ((bytes as u32) << 3 | u32::from(is_last)).to_le_bytes();
    [low, middle, high]
}

/// A frame of raw blocks.
fn stored_frame(prefix: &[u8], content: &[u8]) -> Vec<u8> {
    debug_assert!(prefix.len() <= BLOCK, "the prefix lies in the first block");
    let size = prefix.len() + content.len();
    let mut out = Vec::with_capacity(MAGIC.len() + 5 + size + 3 * size.div_ceil(BLOCK).max(1));
    out.extend_from_slice(&MAGIC);
    out.push(DESCRIPTOR);
    out.extend_from_slice(&(size as u32).to_le_bytes());
    let mut left = size;
    let mut block = |parts: [&[u8]; 2]| {
        let bytes = parts[0].len() + parts[1].len();
        left -= bytes;
        out.extend_from_slice(&raw_block_header(bytes, left == 0));
        parts.iter().for_each(|part| out.extend_from_slice(part));
    };
    let (head, rest) = content.split_at(content.len().min(BLOCK - prefix.len()));
    block([prefix, head]);
    rest.chunks(BLOCK).for_each(|part| block([&[], part]));
    out
}

/// A pool of compressors, as many as threads use at once.
#[derive(Default)]
pub(super) struct CompressorPool(Mutex<Vec<PageCompressor>>);

impl CompressorPool {
    /// Calls `work` with a compressor that no other thread uses meanwhile.
    ///
    /// # Errors
    /// A compressor cannot be created.
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut PageCompressor) -> T) -> io::Result<T> {
        let free = self.free().pop();
        let mut compressor = free.map_or_else(PageCompressor::new, Ok)?;
        let result = work(&mut compressor);
        self.free().push(compressor);
        Ok(result)
    }

    /// The compressors that are not in use. A poisoned list stays valid, because a compressor in
    /// use is not in it.
    fn free(&self) -> std::sync::MutexGuard<'_, Vec<PageCompressor>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(bytes: usize) -> Vec<u8> {
        let mut state = 9_u64;
        let next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        };
        std::iter::repeat_with(next).take(bytes).collect()
    }

    fn decompressed(frame: &[u8], bytes: usize) -> Vec<u8> {
        zstd::bulk::decompress(frame, bytes).expect("a frame")
    }

    #[test]
    fn what_does_not_shrink_is_stored_and_tried_again() {
        let mut compressor = PageCompressor::new().expect("a compressor");
        for (prefix, bytes) in [(0, SMALL), (0, BLOCK), (8, BLOCK), (4, 3 * BLOCK - 4), (8, 3 * BLOCK + 5)] {
            let (prefix, content) = (noise(prefix), noise(bytes));
            let whole = [prefix.clone(), content.clone()].concat();
            let mut policy = StorePolicy::default();
            for page in 0..2 * (STORED_PAGES + 1) {
                assert_eq!(policy.stored, (STORED_PAGES + 1 - page % (STORED_PAGES + 1)) % (STORED_PAGES + 1));
                let frame = compressor.compress(&prefix, &content, &mut policy).expect("compressed").into_bytes();
                assert!(frame.len() <= whole.len() + 9 + 3 * whole.len().div_ceil(BLOCK));
                assert!(decompressed(&frame, whole.len()) == whole, "page {page} of {} bytes", whole.len());
                compressor.reuse(frame.into());
            }
        }
    }

    #[test]
    fn storing_in_place_gives_the_bytes_of_a_copy() {
        let mut compressor = PageCompressor::new().expect("a compressor");
        for bytes in [SMALL - 8, SMALL, SMALL + 8, BLOCK, BLOCK + 8] {
            let content = noise(bytes);
            let numbers: Vec<f64> = content.as_chunks().0.iter().map(|&eight| f64::from_le_bytes(eight)).collect();
            let mut policies = [0, 2].map(|stored| [StorePolicy { stored }; 2]);
            for [copied, kept] in &mut policies {
                let mut values = F64Page::from(numbers.clone());
                let frame = store_in_place(&mut values, kept);
                assert_eq!(frame.is_some(), kept.stored == 1 && (SMALL..=BLOCK).contains(&bytes), "{bytes} bytes");
                assert_eq!(values.is_empty(), frame.is_some());
                let expected = compressor.compress(&[], &content, copied).expect("compressed");
                if let Some(frame) = frame {
                    assert_eq!((frame.into_bytes(), kept.stored), (expected.into_bytes(), copied.stored));
                }
            }
        }
    }

    #[test]
    fn what_shrinks_and_what_is_small_is_compressed() {
        let mut compressor = PageCompressor::new().expect("a compressor");
        let mut policy = StorePolicy::default();
        let content: Vec<u8> = noise(1000).repeat(100);
        for _page in 0..3 {
            let frame = compressor.compress(&[1, 2], &content, &mut policy).expect("compressed").into_bytes();
            assert!(policy.stored == 0 && frame.len() < 3000);
            assert_eq!(decompressed(&frame, content.len() + 2)[2..], content);
        }
        compressor.body = noise(SMALL - 1);
        let frame = compressor.compress_body(&mut policy).expect("compressed").into_bytes();
        assert!(policy.stored == 0 && decompressed(&frame, SMALL) == compressor.body);
    }
}
