//! The numbers of a page, in memory that can become the page itself.

use arrow_buffer::ToByteSlice;
use bytes::Bytes;
use std::ops::Deref;

/// Bytes of a frame that come before its content: see [`Floats::take`].
pub(super) const HEAD: usize = 12;

/// Places kept free in front for them.
const FREE: usize = HEAD.div_ceil(size_of::<f64>());

/// Numbers after a little room. A page that is stored as it is need not be copied then.
#[derive(Debug)]
pub(super) struct Floats(Vec<f64>);

impl Floats {
    /// None yet; room for so many.
    pub(super) fn with_capacity(count: usize) -> Self {
        let mut all = Vec::with_capacity(FREE + count);
        all.resize(FREE, 0.0);
        Self(all)
    }

    /// Appends numbers.
    #[inline]
    pub(super) fn extend(&mut self, values: impl Iterator<Item = f64>) {
        self.0.extend(values);
    }

    /// Appends the same number `count` times.
    pub(super) fn repeat(&mut self, value: f64, count: usize) {
        self.0.resize(self.0.len() + count, value);
    }

    /// Removes all; the memory stays.
    pub(super) fn clear(&mut self) {
        self.0.truncate(FREE);
    }

    /// Keeps those for which `keep`, asked of one after the other, is true.
    pub(super) fn retain(&mut self, mut keep: impl FnMut() -> bool) {
        let mut at = 0;
        self.0.retain(|_| {
            at += 1;
            at <= FREE || keep()
        });
    }

    /// All of them as bytes, after `head`, in the memory where they are; room for as many is left.
    pub(super) fn take(&mut self, head: [u8; HEAD]) -> Bytes {
        let empty = Self::with_capacity(self.len());
        let mut all = std::mem::replace(self, empty).0;
        let mut free = [0; FREE * size_of::<f64>()];
        let unused = free.len() - HEAD;
        free[unused..].copy_from_slice(&head);
        for (to, from) in all.iter_mut().zip(free.as_chunks().0) {
            *to = f64::from_ne_bytes(*from);
        }
        Bytes::from_owner(Memory(all)).slice(unused..)
    }
}

impl From<Vec<f64>> for Floats {
    fn from(values: Vec<f64>) -> Self {
        let mut floats = Self::with_capacity(values.len());
        floats.extend(values.into_iter());
        floats
    }
}

impl Deref for Floats {
    type Target = [f64];

    #[inline]
    fn deref(&self) -> &[f64] {
        &self.0[FREE..]
    }
}

/// Numbers seen as bytes.
struct Memory(Vec<f64>);

impl AsRef<[u8]> for Memory {
    fn as_ref(&self) -> &[u8] {
        self.0.to_byte_slice()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_bytes_where_they_are() {
        let mut floats = Floats::from(vec![1.5, f64::NAN, -0.0]);
        floats.repeat(2.0, 2);
        let values = floats.to_vec();
        let place = floats.as_ptr();
        let head = std::array::from_fn(|i| 200 + i as u8);
        let bytes = floats.take(head);
        assert_eq!((&bytes[..HEAD], &bytes[HEAD..]), (&head[..], values.to_byte_slice()));
        assert_eq!(bytes[HEAD..].as_ptr(), place.cast());
        assert!(floats.is_empty());
        floats.extend([3.0, 4.0, 5.0].into_iter());
        let mut keep = [true, false, true].into_iter();
        floats.retain(|| keep.next() == Some(true));
        assert_eq!(&floats[..], [3.0, 5.0]);
        floats.clear();
        assert_eq!(floats.len(), 0);
    }
}
