//! A heavy pair over the samples of a block: threads that have nothing else to do take stretches of
//! it.
//!
//! The first samples are answered where the pair is, and tell what the others cost. If that is
//! worth it the rest is halved again and again; a half that no other thread takes goes on with the
//! memory of the one before it, so that it costs what it would have cost undivided. Answers do not
//! depend on memory, so they do not depend on who took what.

use rayon::join_context;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Samples of a stretch that is not divided any more: neighbours share more than the memory of a
/// pair.
pub(super) const STRETCH: u32 = 8;

/// Work that is worth handing to another thread.
const WORTH: Duration = Duration::from_millis(1);

/// The answers of stretches in the order of their samples, and the memory of the last one.
pub(super) struct Shared<M, R> {
    pub(super) found: Vec<R>,
    pub(super) memory: M,
}

/// Work over samples of one pair.
pub(super) struct Stretches<F, W> {
    /// Memory for a thread that takes a stretch.
    pub(super) fresh: F,
    /// Answers the samples of a mask.
    pub(super) answer: W,
}

impl<F, W> Stretches<F, W> {
    /// Answers all samples of a mask, with `memory` where they are first and not taken by other
    /// threads.
    pub(super) fn share<M, R>(&self, samples: u64, mut memory: M) -> Shared<M, R>
    where
        M: Send,
        R: Send,
        F: Fn() -> M + Sync,
        W: Fn(&mut M, u64) -> R + Sync,
    {
        if samples.count_ones() <= STRETCH || rayon::current_num_threads() == 1 {
            let found = vec![(self.answer)(&mut memory, samples)];
            return Shared { found, memory };
        }
        let first = lowest(samples, STRETCH);
        let begun = Instant::now();
        let mut found = vec![(self.answer)(&mut memory, first)];
        let left = samples & !first;
        if begun.elapsed() * left.count_ones() < WORTH * STRETCH {
            found.push((self.answer)(&mut memory, left));
            return Shared { found, memory };
        }
        let rest = self.halve(left, memory);
        found.extend(rest.found);
        Shared { found, memory: rest.memory }
    }

    fn halve<M, R>(&self, samples: u64, mut memory: M) -> Shared<M, R>
    where
        M: Send,
        R: Send,
        F: Fn() -> M + Sync,
        W: Fn(&mut M, u64) -> R + Sync,
    {
        let count = samples.count_ones();
        if count <= STRETCH {
            let found = vec![(self.answer)(&mut memory, samples)];
            return Shared { found, memory };
        }
        let first = lowest(samples, count.div_ceil(2));
        let left_behind = Mutex::new(Some(memory));
        let take = || left_behind.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (one, other) = join_context(
            |_| {
                let Shared { found, memory } = self.halve(first, take().unwrap_or_else(&self.fresh));
                *left_behind.lock().unwrap_or_else(PoisonError::into_inner) = Some(memory);
                found
            },
            |context| {
                let memory = if context.migrated() { None } else { take() };
                self.halve(samples & !first, memory.unwrap_or_else(&self.fresh))
            },
        );
        let found = one.into_iter().chain(other.found).collect();
        Shared { found, memory: other.memory }
    }
}

/// The lowest `count` bits of a mask.
fn lowest(mut mask: u64, count: u32) -> u64 {
    let all = mask;
    for _ in 0..count {
        mask &= mask.wrapping_sub(1);
    }
    all & !mask
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn all_samples_are_answered_once_and_in_order() {
        for samples in [0, 1, 0xff, 0x1ff, u64::MAX, 0x5555_5555_5555_5555, u64::MAX << 40] {
            for (threads, pause) in [(1, 0), (4, 0), (4, 400)] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
                let fresh = AtomicUsize::new(0);
                let stretches = Stretches {
                    fresh: || {
                        fresh.fetch_add(1, Ordering::Relaxed);
                        Vec::new()
                    },
                    answer: |memory: &mut Vec<u64>, part: u64| {
                        // Stretches that go on with a memory are later than those before.
                        assert!(
                            memory
                                .last()
                                .is_none_or(|last| part == 0 || last.leading_zeros() > 63 - part.trailing_zeros())
                        );
                        memory.push(part);
                        std::thread::sleep(Duration::from_micros(pause * u64::from(part.count_ones())));
                        part
                    },
                };
                let shared = pool.install(|| stretches.share(samples, Vec::new()));
                assert!(shared.found.is_sorted() && shared.found.iter().fold(0, |all, part| all | part) == samples);
                assert_eq!(shared.found.iter().map(|part| part.count_ones()).sum::<u32>(), samples.count_ones());
                assert_eq!(shared.memory.last(), shared.found.last(), "the memory of the last stretch is kept");
                assert!(threads > 1 || (shared.found.len() == 1 && fresh.load(Ordering::Relaxed) == 0));
                assert!(pause == 0 || samples.count_ones() < 20 || shared.found.len() >= 3, "{samples:x}");
                let stretches_with_memory = shared.memory.len() + fresh.load(Ordering::Relaxed);
                assert!(stretches_with_memory <= 2 * shared.found.len());
            }
        }
    }
}
