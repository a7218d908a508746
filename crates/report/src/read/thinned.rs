//! A series of bounded length: where too many entries come, the worst of each stretch stays.

/// Entries of which at most twice `most` are kept: neighbours are merged once there are more.
#[derive(Debug, Clone)]
pub(super) struct Thinned<T> {
    kept: Vec<T>,
    most: usize,
    /// Entries that each kept one stands for.
    stride: u64,
    /// All entries so far.
    pub(super) count: u64,
}

impl<T: Clone> Thinned<T> {
    /// `most`: 1 or more.
    pub(super) fn new(most: usize) -> Self {
        Self { kept: Vec::new(), most, stride: 1, count: 0 }
    }

    /// Adds an entry; `worse` returns the one of two that stays.
    pub(super) fn push(&mut self, entry: T, worse: impl Fn(T, T) -> T) {
        if self.count.is_multiple_of(self.stride) {
            if self.kept.len() == 2 * self.most {
                self.kept = self.kept.chunks(2).map(|two| merged(two, &worse)).collect();
                self.stride *= 2;
            }
            // After a merge the last stretch may be open still.
            if self.count.is_multiple_of(self.stride) {
                self.kept.push(entry);
                self.count += 1;
                return;
            }
        }
        let last = self.kept.pop().map_or_else(|| entry.clone(), |last| worse(last, entry.clone()));
        self.kept.push(last);
        self.count += 1;
    }

    /// The entries, in order.
    pub(super) fn into_kept(self) -> Vec<T> {
        self.kept
    }
}

fn merged<T: Clone>(entries: &[T], worse: impl Fn(T, T) -> T) -> T {
    entries[1..].iter().cloned().fold(entries[0].clone(), worse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_all_stays_and_the_length_is_bounded() {
        for count in [0, 1, 7, 8, 9, 63, 64, 1000, 12345_u64] {
            let value = |at: u64| (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as i64;
            let mut thinned = Thinned::new(4);
            (0..count).for_each(|at| thinned.push((at, value(at)), |a, b| if b.1 < a.1 { b } else { a }));
            assert_eq!(thinned.count, count);
            let kept = thinned.into_kept();
            assert!(kept.len() <= 8 && (count == 0 || kept.len() as u64 >= count.min(4)), "{} of {count}", kept.len());
            assert!(kept.is_sorted_by_key(|entry| entry.0), "in order");
            assert_eq!(kept.iter().map(|entry| entry.1).min(), (0..count).map(value).min(), "the least of {count}");
        }
    }
}
