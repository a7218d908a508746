//! The f64 values of a page in a buffer with headroom, so that a page that is stored uncompressed
//! needs no copy.

use arrow_buffer::ToByteSlice;
use bytes::Bytes;
use std::ops::Deref;

/// Bytes of the frame header that [`F64Page::take_with_header`] puts in front of the values.
pub(super) const HEADER_BYTES: usize = 12;

/// Unused values at the front of the buffer, which have room for the header.
const HEADROOM: usize = HEADER_BYTES.div_ceil(size_of::<f64>());

/// A growable array of f64 with [`HEADROOM`] unused values at its front.
#[derive(Debug)]
pub(super) struct F64Page(Vec<f64>);

impl F64Page {
    /// An empty page with capacity for `count` values.
    pub(super) fn with_capacity(count: usize) -> Self {
        let mut all = Vec::with_capacity(HEADROOM + count);
        all.resize(HEADROOM, 0.0);
        Self(all)
    }

    /// Appends values.
    #[inline]
    pub(super) fn extend(&mut self, values: impl Iterator<Item = f64>) {
        self.0.extend(values);
    }

    /// Appends `value` `count` times.
    pub(super) fn repeat(&mut self, value: f64, count: usize) {
        self.0.resize(self.0.len() + count, value);
    }

    /// Removes all values and keeps the allocation.
    pub(super) fn clear(&mut self) {
        self.0.truncate(HEADROOM);
    }

    /// Keeps the values for which `keep` returns true. It is called once per value, in order.
    pub(super) fn retain(&mut self, mut keep: impl FnMut() -> bool) {
        let mut at = 0;
        self.0.retain(|_| {
            at += 1;
            at <= HEADROOM || keep()
        });
    }

    /// Moves the values out as bytes that follow `header`, without copying them. `self` becomes an
    /// empty page of the same capacity.
    pub(super) fn take_with_header(&mut self, header: [u8; HEADER_BYTES]) -> Bytes {
        let empty = Self::with_capacity(self.len());
        let mut all = std::mem::replace(self, empty).0;
        let mut headroom = [0; HEADROOM * size_of::<f64>()];
        let unused = headroom.len() - HEADER_BYTES;
        headroom[unused..].copy_from_slice(&header);
        debug_assert!(all.len() >= HEADROOM);
        for (to, from) in all.iter_mut().zip(headroom.as_chunks().0) {
            *to = f64::from_ne_bytes(*from);
        }
        Bytes::from_owner(PageMemory(all)).slice(unused..)
    }
}

impl From<Vec<f64>> for F64Page {
    fn from(values: Vec<f64>) -> Self {
        let mut page = Self::with_capacity(values.len());
        page.extend(values.into_iter());
        page
    }
}

impl Deref for F64Page {
    type Target = [f64];

    #[inline]
    fn deref(&self) -> &[f64] {
        &self.0[HEADROOM..]
    }
}

/// An owner of f64 values that [`Bytes`] can refer to.
struct PageMemory(Vec<f64>);

impl AsRef<[u8]> for PageMemory {
    fn as_ref(&self) -> &[u8] {
        self.0.to_byte_slice()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_bytes_where_they_are() {
        let mut page = F64Page::from(vec![1.5, f64::NAN, -0.0]);
        page.repeat(2.0, 2);
        let values = page.to_vec();
        let place = page.as_ptr();
        let header = std::array::from_fn(|i| 200 + i as u8);
        let bytes = page.take_with_header(header);
        assert_eq!((&bytes[..HEADER_BYTES], &bytes[HEADER_BYTES..]), (&header[..], values.to_byte_slice()));
        assert_eq!(bytes[HEADER_BYTES..].as_ptr(), place.cast());
        assert!(page.is_empty());
        page.extend([3.0, 4.0, 5.0].into_iter());
        let mut keep = [true, false, true].into_iter();
        page.retain(|| keep.next() == Some(true));
        assert_eq!(&page[..], [3.0, 5.0]);
        page.clear();
        assert_eq!(page.len(), 0);
    }
}
