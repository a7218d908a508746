//! Pages into zstd frames.
//!
//! Coordinates and distances have full mantissas: zstd takes a twentieth off them, for a third of the time of writing. A
//! column whose pages hardly shrink is therefore stored: its next pages go into frames of raw blocks (RFC 8878, section
//! 3.1.1.2), which every decoder of zstd reads, until one is tried again. Which pages are tried depends on their place
//! in the row group and on what they hold only, so the bytes do not depend on threads.

use super::floats::{self, Floats};
use bytes::Bytes;
use std::io;
use std::sync::{Mutex, PoisonError};
use zstd::bulk::Compressor;
use zstd::zstd_safe::compress_bound;

/// Level of compression: the fastest that keeps what repeats small.
const LEVEL: i32 = 1;
/// A page that shrinks by less than one part in so many makes its column stored...
const LEAST_SAVING: usize = 10;
/// ...for so many pages.
const STORED_PAGES: u32 = 15;
/// Smaller pages are always compressed: there is no time to be won.
const SMALL: usize = 4096;

/// Most bytes of a block.
const BLOCK: usize = 128 << 10;
/// Begins every frame.
const MAGIC: [u8; 4] = 0xFD2F_B528_u32.to_le_bytes();
/// The content size follows in four bytes, and there is no window besides it.
const DESCRIPTOR: u8 = 2 << 6 | 1 << 5;

/// What a column remembers of its last pages.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Trial {
    /// Pages that are still to be stored without a trial.
    stored: u32,
}

/// A page as it lies in the file.
#[derive(Debug)]
pub(super) enum Frame {
    /// Of raw blocks, in memory of its own, to be kept as it is.
    Stored(Bytes),
    /// In memory of the packer: [`Packer::reuse`].
    Lent(Vec<u8>),
}

impl Frame {
    /// Its bytes.
    pub(super) fn into_bytes(self) -> Bytes {
        match self {
            Self::Stored(frame) => frame,
            Self::Lent(frame) => frame.into(),
        }
    }
}

/// A compressor with buffers to be used again.
pub(super) struct Packer {
    compressor: Compressor<'static>,
    /// What is put together before it is packed.
    pub(super) body: Vec<u8>,
    /// A prefix and its content in one piece.
    whole: Vec<u8>,
    /// The frame.
    packed: Vec<u8>,
}

impl Packer {
    fn new() -> io::Result<Self> {
        Ok(Self { compressor: Compressor::new(LEVEL)?, body: Vec::new(), whole: Vec::new(), packed: Vec::new() })
    }

    /// The frame of `prefix` (of at most a few bytes) and `content`.
    pub(super) fn pack(&mut self, prefix: &[u8], content: &[u8], trial: &mut Trial) -> io::Result<Frame> {
        let size = prefix.len() + content.len();
        if trial.stored > 0 && size >= SMALL {
            trial.stored -= 1;
            return Ok(Frame::Stored(stored(prefix, content).into()));
        }
        let mut packed = std::mem::take(&mut self.packed);
        packed.clear();
        packed.reserve(compress_bound(size));
        if prefix.is_empty() {
            self.compressor.compress_to_buffer(content, &mut packed)?;
        } else {
            self.whole.clear();
            self.whole.extend_from_slice(prefix);
            self.whole.extend_from_slice(content);
            self.compressor.compress_to_buffer(&self.whole, &mut packed)?;
        }
        if size >= SMALL && packed.len() > size - size / LEAST_SAVING {
            trial.stored = STORED_PAGES;
        }
        Ok(Frame::Lent(packed))
    }

    /// As [`Self::pack`], of `self.body`.
    pub(super) fn pack_body(&mut self, trial: &mut Trial) -> io::Result<Frame> {
        let body = std::mem::take(&mut self.body);
        let packed = self.pack(&[], &body, trial);
        self.body = body;
        packed
    }

    /// Takes a frame back for its memory.
    pub(super) fn reuse(&mut self, frame: Vec<u8>) {
        self.packed = frame;
    }
}

/// The frame of numbers without a prefix in their own memory, where it is to be stored and is one block; they are gone then.
pub(super) fn keep(values: &mut Floats, trial: &mut Trial) -> Option<Frame> {
    let size = size_of_val(&**values);
    if trial.stored == 0 || !(SMALL..=BLOCK).contains(&size) {
        return None;
    }
    trial.stored -= 1;
    let mut head = [0; floats::HEAD];
    head[..4].copy_from_slice(&MAGIC);
    head[4] = DESCRIPTOR;
    head[5..9].copy_from_slice(&(size as u32).to_le_bytes());
    head[9..].copy_from_slice(&block_header(size, true));
    Some(Frame::Stored(values.take(head)))
}

/// What comes before a raw block.
fn block_header(bytes: usize, is_last: bool) -> [u8; 3] {
    let [low, middle, high, _] = ((bytes as u32) << 3 | u32::from(is_last)).to_le_bytes();
    [low, middle, high]
}

/// A frame of raw blocks.
fn stored(prefix: &[u8], content: &[u8]) -> Vec<u8> {
    let size = prefix.len() + content.len();
    let mut out = Vec::with_capacity(MAGIC.len() + 5 + size + 3 * size.div_ceil(BLOCK).max(1));
    out.extend_from_slice(&MAGIC);
    out.push(DESCRIPTOR);
    out.extend_from_slice(&(size as u32).to_le_bytes());
    let mut left = size;
    let mut block = |parts: [&[u8]; 2]| {
        let bytes = parts[0].len() + parts[1].len();
        left -= bytes;
        out.extend_from_slice(&block_header(bytes, left == 0));
        parts.iter().for_each(|part| out.extend_from_slice(part));
    };
    let (head, rest) = content.split_at(content.len().min(BLOCK - prefix.len()));
    block([prefix, head]);
    rest.chunks(BLOCK).for_each(|part| block([&[], part]));
    out
}

/// Packers for as many threads as ask at once.
#[derive(Default)]
pub(super) struct Packers(Mutex<Vec<Packer>>);

impl Packers {
    /// Does `work` with a packer that nobody else has meanwhile.
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut Packer) -> T) -> io::Result<T> {
        let free = self.list().pop();
        let mut packer = free.map_or_else(Packer::new, Ok)?;
        let result = work(&mut packer);
        self.list().push(packer);
        Ok(result)
    }

    /// A poisoned list is still a list of packers: one in use is not in it.
    fn list(&self) -> std::sync::MutexGuard<'_, Vec<Packer>> {
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

    fn unpacked(frame: &[u8], bytes: usize) -> Vec<u8> {
        zstd::bulk::decompress(frame, bytes).expect("a frame")
    }

    #[test]
    fn what_does_not_shrink_is_stored_and_tried_again() {
        let mut packer = Packer::new().expect("a compressor");
        for (prefix, bytes) in [(0, SMALL), (0, BLOCK), (8, BLOCK), (4, 3 * BLOCK - 4), (8, 3 * BLOCK + 5)] {
            let (prefix, content) = (noise(prefix), noise(bytes));
            let whole = [prefix.clone(), content.clone()].concat();
            let mut trial = Trial::default();
            for page in 0..2 * (STORED_PAGES + 1) {
                assert_eq!(trial.stored, (STORED_PAGES + 1 - page % (STORED_PAGES + 1)) % (STORED_PAGES + 1));
                let frame = packer.pack(&prefix, &content, &mut trial).expect("packed").into_bytes();
                assert!(frame.len() <= whole.len() + 9 + 3 * whole.len().div_ceil(BLOCK));
                assert!(unpacked(&frame, whole.len()) == whole, "page {page} of {} bytes", whole.len());
                packer.reuse(frame.into());
            }
        }
    }

    #[test]
    fn numbers_are_stored_where_they_are_as_they_would_be_copied() {
        let mut packer = Packer::new().expect("a compressor");
        for bytes in [SMALL - 8, SMALL, SMALL + 8, BLOCK, BLOCK + 8] {
            let content = noise(bytes);
            let numbers: Vec<f64> = content.as_chunks().0.iter().map(|&eight| f64::from_le_bytes(eight)).collect();
            let mut trials = [0, 2].map(|stored| [Trial { stored }; 2]);
            for [copied, kept] in &mut trials {
                let mut values = Floats::from(numbers.clone());
                let frame = keep(&mut values, kept);
                assert_eq!(frame.is_some(), kept.stored == 1 && (SMALL..=BLOCK).contains(&bytes), "{bytes} bytes");
                assert_eq!(values.is_empty(), frame.is_some());
                let expected = packer.pack(&[], &content, copied).expect("packed");
                if let Some(frame) = frame {
                    assert_eq!((frame.into_bytes(), kept.stored), (expected.into_bytes(), copied.stored));
                }
            }
        }
    }

    #[test]
    fn what_shrinks_and_what_is_small_is_compressed() {
        let mut packer = Packer::new().expect("a compressor");
        let mut trial = Trial::default();
        let content: Vec<u8> = noise(1000).repeat(100);
        for _page in 0..3 {
            let frame = packer.pack(&[1, 2], &content, &mut trial).expect("packed").into_bytes();
            assert!(trial.stored == 0 && frame.len() < 3000);
            assert_eq!(unpacked(&frame, content.len() + 2)[2..], content);
        }
        packer.body = noise(SMALL - 1);
        let frame = packer.pack_body(&mut trial).expect("packed").into_bytes();
        assert!(trial.stored == 0 && unpacked(&frame, SMALL) == packer.body);
    }
}
