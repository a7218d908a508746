//! Loading on all cores.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// `work` of each number below `count`, in order, by all cores; `per_thread`: how many make a thread worth its start.
pub(super) fn each<T: Send + Sync>(count: usize, per_thread: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
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
        for _ in 1..cores.min(count.div_ceil(per_thread)) {
            scope.spawn(work_off);
        }
        work_off();
    });
    slots.into_iter().map(|slot| slot.into_inner().expect("every number was handed out and worked off")).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_come_in_order() {
        for count in [0, 1, 7, 1000] {
            assert_eq!(super::each(count, 3, |n| n * n), (0..count).map(|n| n * n).collect::<Vec<_>>());
        }
    }
}
