//! Loading on several threads.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Threads that a machine of any size may be asked for.
const ALWAYS_ALLOWED: usize = 64;

/// Threads for each core beyond which more of them only wait for each other.
const THREADS_PER_CORE: usize = 4;

/// The threads that are started where so many are asked for (`None`: as many as there are cores): at least one, and at
/// most four for each core, or 64 on a small machine.
pub(crate) fn threads_within(asked: Option<usize>) -> usize {
    // Counted here, because rayon's own default reads the environment.
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let most = cores.saturating_mul(THREADS_PER_CORE).max(ALWAYS_ALLOWED);
    asked.unwrap_or(cores).clamp(1, most)
}

/// `work` of each number below `count`, in order, by at most `threads` threads (`None`: as many as there are cores), this one
/// included; `per_thread`: how many make a thread worth its start.
pub(super) fn each<T: Send + Sync>(
    threads: Option<usize>,
    count: usize,
    per_thread: usize,
    work: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let threads = threads_within(threads);
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
            // Where the system gives no further thread, those that there are do the work.
            if std::thread::Builder::new().spawn_scoped(scope, work_off).is_err() {
                break;
            }
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
    fn threads_are_bounded_by_the_cores() {
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        assert_eq!(super::threads_within(None), cores);
        assert_eq!((super::threads_within(Some(0)), super::threads_within(Some(3))), (1, 3));
        assert_eq!(super::threads_within(Some(64)), 64);
        assert_eq!(super::threads_within(Some(usize::MAX)), (4 * cores).max(64));
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
