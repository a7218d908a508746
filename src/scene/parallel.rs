//! Loading on several threads.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// `work` of each number below `count`, in order, by at most `threads` threads (`None`: as many as there are cores), this one
/// included; `per_thread`: how many make a thread worth its start.
pub(super) fn each<T: Send + Sync>(
    threads: Option<usize>,
    count: usize,
    per_thread: usize,
    work: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let cores = || std::thread::available_parallelism().map_or(1, |n| n.get());
    let threads = threads.unwrap_or_else(cores);
    let slots: Vec<OnceLock<T>> = (0..count).map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let work_off = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed); // hands each number out once
            let Some(slot) = slots.get(index) else { break };
            let _ = slot.set(work(index));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(count.div_ceil(per_thread)) {
            scope.spawn(work_off);
        }
        work_off();
    });
    slots.into_iter().map(|slot| slot.into_inner().expect("every number was handed out and worked off")).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Mutex;

    #[test]
    fn results_come_in_order() {
        for (count, threads) in [0, 1, 7, 1000].into_iter().flat_map(|n| [(n, None), (n, Some(1)), (n, Some(5))]) {
            assert_eq!(super::each(threads, count, 3, |n| n * n), (0..count).map(|n| n * n).collect::<Vec<_>>());
        }
    }

    #[test]
    fn no_more_threads_work_than_are_allowed() {
        for allowed in 1..5 {
            let seen = Mutex::new(HashSet::new());
            super::each(Some(allowed), 64, 1, |_| {
                seen.lock().expect("no panic").insert(std::thread::current().id());
                std::thread::sleep(std::time::Duration::from_millis(1));
            });
            let seen = seen.into_inner().expect("no panic");
            assert!((1..=allowed).contains(&seen.len()), "{} threads of {allowed}", seen.len());
            assert!(allowed > 1 || seen.contains(&std::thread::current().id()), "one thread is the caller's");
        }
    }
}
