//! Spill of the entries that do not fit in memory: an unnamed temporary file, sorted by pair. A
//! merge reads it again (Knuth, The Art of Computer Programming, vol. 3, section 5.4).

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;

/// Entries of a sequence that are read at a time, at the least and at the most.
const LEAST_BUFFERED: usize = 16;
const MOST_BUFFERED: usize = 4096;

/// A pair as it is spilled.
pub(super) trait SpillEntry: Copy {
    /// Bytes of an entry in a file.
    const BYTES: usize;

    /// Returns the pair, by which entries are sorted.
    fn pair(&self) -> (u32, u32);

    /// Appends [`Self::BYTES`] bytes.
    fn write(&self, bytes: &mut Vec<u8>);

    /// The entry of as many bytes.
    fn read(bytes: &[u8]) -> Self;
}

/// Appends numbers as they are stored.
pub(super) fn put_words(words: &[u64], bytes: &mut Vec<u8>) {
    words.iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
}

/// The numbers that [`put_words`] stored.
pub(super) fn words<const N: usize>(bytes: &[u8]) -> [u64; N] {
    let mut words = [0_u64; N];
    for (word, slot) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        *word = slot.iter().rev().fold(0, |w, &byte| w << 8 | u64::from(byte));
    }
    words
}

/// A pair as one number.
pub(super) fn pair_word((a, b): (u32, u32)) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

/// The pair of [`pair_word`].
pub(super) fn pair_of(word: u64) -> (u32, u32) {
    ((word >> 32) as u32, word as u32)
}

/// Sorted sequences of entries in an unnamed temporary file.
#[derive(Debug)]
pub(super) struct SpillFile<E> {
    file: File,
    sequences: Vec<Sequence>,
    /// Length of the file, bytes.
    end: u64,
    entries: PhantomData<E>,
}

/// A sorted sequence.
#[derive(Debug)]
struct Sequence {
    /// Bytes at which it starts and ends.
    start: u64,
    end: u64,
    last: (u32, u32),
}

impl<E: SpillEntry> SpillFile<E> {
    /// Nothing spilled yet; `file` is empty.
    pub(super) fn new(file: File) -> Self {
        Self { file, sequences: Vec::new(), end: 0, entries: PhantomData }
    }

    /// Appends entries of later samples, sorted by pair. Where they go on from those before, both
    /// are one sequence: the pairs of a frame that is cut into slices are a single one.
    pub(super) fn write(&mut self, entries: impl Iterator<Item = E>) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(MOST_BUFFERED * E::BYTES);
        let mut before = None;
        for entry in entries {
            debug_assert!(before.is_none_or(|before| before <= entry.pair()), "entries are sorted");
            match self.sequences.last_mut() {
                Some(sequence) if before.is_some() || sequence.last < entry.pair() => sequence.last = entry.pair(),
                _ => self.sequences.push(Sequence { start: self.end, end: self.end, last: entry.pair() }),
            }
            before = Some(entry.pair());
            entry.write(&mut bytes);
            if bytes.len() >= MOST_BUFFERED * E::BYTES {
                self.append(&mut bytes)?;
            }
        }
        self.append(&mut bytes)
    }

    /// Writes bytes of the last sequence, and clears them.
    fn append(&mut self, bytes: &mut Vec<u8>) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.end += bytes.len() as u64;
        bytes.clear();
        if let Some(sequence) = self.sequences.last_mut() {
            sequence.end = self.end;
        }
        Ok(())
    }

    /// Number of entries.
    pub(super) fn len(&self) -> u64 {
        self.end / E::BYTES as u64
    }

    /// Copies all entries, as they are stored, one sequence after the other.
    pub(super) fn copy_to(&mut self, to: &mut dyn Write) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(0))?;
        let copied = io::copy(&mut Read::by_ref(&mut self.file).take(self.end), &mut &mut *to)?;
        self.file.seek(SeekFrom::Start(self.end))?;
        if copied == self.end { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    /// The merge of all sequences and of `last`, the entries of the latest samples; of sequences,
    /// about `limit` entries are in memory.
    pub(super) fn merge(self, last: Vec<E>, limit: usize) -> MergeReader<E> {
        let buffered = (limit / self.sequences.len().max(1)).clamp(LEAST_BUFFERED, MOST_BUFFERED);
        let source = |s: &Sequence| MergeSource { ready: Vec::new(), next: 0, at: s.start, end: s.end };
        let mut sources: Vec<MergeSource<E>> = self.sequences.iter().map(source).collect();
        sources.push(MergeSource { ready: last, next: 0, at: 0, end: 0 });
        MergeReader { file: self.file, sources, buffered, heap: None }
    }
}

/// The next pair of a source, and the number of the source.
type HeapEntry = ((u32, u32), usize);

/// The multiway merge of sorted sequences: by pair, and those of a pair in the order of time.
pub(super) struct MergeReader<E> {
    file: File,
    sources: Vec<MergeSource<E>>,
    /// Entries of a source that are read at a time.
    buffered: usize,
    /// An entry for each source that is not exhausted; `None` before the first call of
    /// [`Self::next`].
    heap: Option<BinaryHeap<Reverse<HeapEntry>>>,
}

impl<E: SpillEntry> MergeReader<E> {
    /// The next entry in order.
    pub(super) fn next(&mut self) -> io::Result<Option<E>> {
        let Self { file, sources, buffered, heap } = self;
        let heap = match heap {
            Some(heap) => heap,
            none => {
                let heap = none.insert(BinaryHeap::with_capacity(sources.len()));
                for (order, source) in sources.iter_mut().enumerate() {
                    heap.extend(source.peek(file, *buffered)?.map(|entry| Reverse((entry.pair(), order))));
                }
                heap
            }
        };
        let Some(mut top) = heap.peek_mut() else { return Ok(None) };
        let Reverse((_, order)) = *top;
        let source = &mut sources[order];
        let entry = source.peek(file, *buffered)?;
        source.next += 1;
        match source.peek(file, *buffered)? {
            Some(next) => *top = Reverse((next.pair(), order)),
            None => {
                std::collections::binary_heap::PeekMut::pop(top);
            }
        }
        Ok(entry)
    }
}

/// A sorted sequence that is being read.
struct MergeSource<E> {
    /// Entries in memory, of which the first `next` are consumed.
    ready: Vec<E>,
    next: usize,
    /// Start and end in the spill file of the entries that are not read yet, bytes.
    at: u64,
    end: u64,
}

impl<E: SpillEntry> MergeSource<E> {
    /// The next entry; `None` at the end. Of the file, `buffered` entries are read at a time.
    fn peek(&mut self, file: &mut File, buffered: usize) -> io::Result<Option<E>> {
        if self.next == self.ready.len() && self.at < self.end {
            let bytes = (self.end - self.at).min((buffered * E::BYTES) as u64);
            let mut buffer = vec![0; bytes as usize];
            file.seek(SeekFrom::Start(self.at))?;
            file.read_exact(&mut buffer)?;
            self.at += bytes;
            self.ready.clear();
            self.ready.extend(buffer.chunks_exact(E::BYTES).map(E::read));
            self.next = 0;
        }
        Ok(self.ready.get(self.next).copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Copy, PartialEq)]
    struct Numbered((u32, u32), u64);

    impl SpillEntry for Numbered {
        const BYTES: usize = 16;
        fn pair(&self) -> (u32, u32) {
            self.0
        }
        fn write(&self, bytes: &mut Vec<u8>) {
            put_words(&[pair_word(self.0), self.1], bytes);
        }
        fn read(bytes: &[u8]) -> Self {
            let [pair, number] = words(bytes);
            Self(pair_of(pair), number)
        }
    }

    #[test]
    fn entries_come_back_by_pair_and_those_of_a_pair_in_the_order_of_time() {
        let mut state = 5_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for limit in [0, 100, 100_000] {
            let mut spill = SpillFile::new(tempfile::tempfile().expect("a file"));
            let (mut all, mut last) = (Vec::new(), Vec::new());
            for time in 0..30 {
                let mut part: Vec<Numbered> =
                    (0..random(9000)).map(|_| Numbered((random(60) as u32, random(90) as u32), time)).collect();
                part.sort_by_key(Numbered::pair);
                all.extend_from_slice(&part);
                match time {
                    29 => last = part,
                    _ => spill.write(part.into_iter()).expect("written"),
                }
            }
            all.sort_by_key(Numbered::pair);
            let mut merge = spill.merge(last, limit);
            let merged: Vec<Numbered> = std::iter::from_fn(|| merge.next().expect("read")).collect();
            assert!(all.len() > 50_000 && merged == all, "limit {limit}");
        }
    }

    #[test]
    fn entries_that_go_on_are_one_sequence() {
        let mut spill = SpillFile::new(tempfile::tempfile().expect("a file"));
        for (first, sequences) in [(0, 1), (10, 1), (20, 1), (30, 1), (25, 2), (35, 2), (44, 3)] {
            spill.write((first..first + 10).map(|a| Numbered((a, a + 1), 0))).expect("written");
            assert_eq!(spill.sequences.len(), sequences, "from {first}");
        }
        spill.write(std::iter::empty()).expect("written");
        assert_eq!((spill.sequences.len(), spill.end), (3, 70 * 16));
    }
}
