//! Building blocks of parallel sorting: partition into buckets, and concatenation.
//!
//! A parallel bucket sort splits the keys into ranges of about equal shares. Each task distributes
//! a part of the items to the buckets; then each bucket is sorted by one task. The result does not
//! depend on the number of threads.

use rayon::prelude::*;

/// The most keys in the sample by which keys are split into ranges.
const SAMPLE: usize = 1024;

/// The number of buckets for the current pool: several per thread, so that the threads finish at
/// about the same time.
pub(super) fn bucket_count() -> usize {
    (4 * rayon::current_num_threads()).min(usize::from(u16::MAX))
}

/// The bucket of each key in `0..keys`, ascending, so that each bucket gets about equally many
/// items. `sample(i)` is the key of item `i`, below `items`.
pub(super) fn bucket_table(keys: usize, buckets: usize, items: usize, sample: impl Fn(usize) -> u32) -> Vec<u16> {
    debug_assert!(buckets <= usize::from(u16::MAX));
    let mut sampled: Vec<u32> = (0..items).step_by(items.div_ceil(SAMPLE).max(1)).map(sample).collect();
    sampled.sort_unstable();
    let mut table = Vec::with_capacity(keys);
    for bucket in 1..buckets {
        let end = sampled.get(bucket * sampled.len() / buckets).map_or(0, |&key| key as usize);
        table.resize(end.clamp(table.len(), keys), bucket as u16 - 1);
    }
    table.resize(keys, buckets.max(1) as u16 - 1);
    table
}

/// The keys that [`bucket_table`] assigns to a bucket.
pub(super) fn keys_of(table: &[u16], bucket: usize) -> std::ops::Range<usize> {
    table.partition_point(|&b| usize::from(b) < bucket)..table.partition_point(|&b| usize::from(b) <= bucket)
}

/// Distributes items to buckets: `place` gives the bucket of an item and what is stored there. The
/// result is indexed by part and bucket, and each list keeps the order of its part.
pub(super) fn partition<P: AsRef<[T]> + Sync, T: Sync, U: Send>(
    parts: &[P],
    buckets: usize,
    place: impl Fn(&T) -> (usize, U) + Sync,
) -> Vec<Vec<Vec<U>>> {
    let distribute = |parts: &[P]| {
        let items: usize = parts.iter().map(|part| part.as_ref().len()).sum();
        let mut lists: Vec<Vec<U>> = (0..buckets).map(|_| Vec::with_capacity(items / buckets * 5 / 4)).collect();
        for part in parts {
            for item in part.as_ref() {
                let (bucket, value) = place(item);
                lists[bucket].push(value);
            }
        }
        lists
    };
    let tasks = 2 * rayon::current_num_threads();
    parts.par_chunks(parts.len().div_ceil(tasks).max(1)).map(distribute).collect()
}

/// The items of all parts in order. `filler` is any item.
pub(super) fn concat<T: Copy + Send + Sync>(parts: &[Vec<T>], filler: T) -> Vec<T> {
    let total = parts.iter().map(Vec::len).sum();
    // Each thread touches its own pages of the new memory first.
    let mut all = Vec::new();
    (0..total).into_par_iter().with_min_len(1 << 14).map(|_| filler).collect_into_vec(&mut all);
    let mut targets = Vec::with_capacity(parts.len());
    let mut rest = all.as_mut_slice();
    for part in parts {
        let (head, tail) = rest.split_at_mut(part.len());
        targets.push((head, part));
        rest = tail;
    }
    targets.into_par_iter().for_each(|(to, from)| to.copy_from_slice(from));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_cover_all_keys_in_order_and_share_the_items() {
        for (keys, items) in [(1, 0), (1, 10), (100, 10_000), (5000, 100), (1000, 1_000_000)] {
            let key = |i: usize| ((i * 7919) % keys) as u32 / 2;
            let table = bucket_table(keys, 8, items, key);
            assert!(table.len() == keys && table.is_sorted() && table.iter().all(|&b| b < 8));
            assert_eq!((0..8).map(|bucket| keys_of(&table, bucket).len()).sum::<usize>(), keys);
            let parts: Vec<Vec<u32>> =
                (0..items).map(key).collect::<Vec<_>>().chunks(100).map(<[u32]>::to_vec).collect();
            let lists = partition(&parts, 8, |&key| (usize::from(table[key as usize]), key));
            let mut sizes = [0; 8];
            for (bucket, list) in lists.iter().flat_map(|lists| lists.iter().enumerate()) {
                assert!(list.iter().all(|&key| keys_of(&table, bucket).contains(&(key as usize))));
                sizes[bucket] += list.len();
            }
            assert_eq!(sizes.iter().sum::<usize>(), items);
            assert!(items < 10_000 || keys < 100 || sizes.iter().all(|&size| size < items / 4), "{sizes:?}");
            assert_eq!(concat(&parts, 0), parts.concat());
        }
    }
}
