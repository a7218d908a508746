//! Threads for loading: pieces of work are handed out to as many threads as are free.
//!
//! Work may have parts that are handed out too: a thread that finds no further file to read helps
//! with the triangles of the largest one. What is computed never depends on how many threads there
//! are: pieces are cut by the amount of work alone, and results come in their order.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

/// Threads that a machine of any size may be asked for.
const ALWAYS_ALLOWED: usize = 64;

/// Threads for each core beyond which more of them only wait for each other.
const THREADS_PER_CORE: usize = 4;

/// Returns the number of threads to start if `asked` threads are asked for (`None`: one for each
/// core): at least one, and at most four for each core, or 64 on a small machine.
pub fn threads_within(asked: Option<usize>) -> usize {
    // Counted here, because rayon's own default reads the environment.
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let most = cores.saturating_mul(THREADS_PER_CORE).max(ALWAYS_ALLOWED);
    asked.unwrap_or(cores).clamp(1, most)
}

/// The threads that may be started beside the one that asks.
#[derive(Debug)]
pub struct Workers {
    spare: AtomicUsize,
}

impl Workers {
    /// Creates `threads` threads in all (`None`: one for each core), this one included.
    pub fn new(threads: Option<usize>) -> Self {
        Self { spare: AtomicUsize::new(threads_within(threads) - 1) }
    }

    /// This thread alone.
    pub fn none() -> Self {
        Self { spare: AtomicUsize::new(0) }
    }

    /// `work` of each number below `count`, in order of the numbers; `per_thread`: how many make a
    /// thread worth its start. Numbers are handed out in ascending order.
    pub fn each<T: Send + Sync>(&self, count: usize, per_thread: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
        let slots: Vec<OnceLock<T>> = (0..count).map(|_| OnceLock::new()).collect();
        let next = AtomicUsize::new(0);
        let work_off = || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed); // hands each number out once
                let Some(slot) = slots.get(index) else { break };
                let _ = slot.set(work(index));
            }
        };
        let mut taken = self.take(count.div_ceil(per_thread).saturating_sub(1));
        std::thread::scope(|scope| {
            let help = || {
                work_off();
                self.give(1);
            };
            // If the system gives no further thread, the threads at hand do the work.
            while taken > 0 && std::thread::Builder::new().spawn_scoped(scope, help).is_ok() {
                taken -= 1;
            }
            self.give(taken);
            work_off();
        });
        slots.into_iter().map(|slot| slot.into_inner().expect("every number was handed out and worked off")).collect()
    }

    /// `work` of each input, in order; each is worth a thread.
    pub fn map<I: Send, T: Send + Sync>(&self, inputs: Vec<I>, work: impl Fn(I) -> T + Sync) -> Vec<T> {
        let inputs: Vec<Mutex<Option<I>>> = inputs.into_iter().map(|input| Mutex::new(Some(input))).collect();
        self.each(inputs.len(), 1, |index| work(take(&inputs[index])))
    }

    /// Both results.
    pub fn both<A: Send + Sync, B: Send + Sync>(
        &self,
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        let (a, b) = (Mutex::new(Some(a)), Mutex::new(Some(b)));
        let (of_a, of_b) = (OnceLock::new(), OnceLock::new());
        self.each(2, 1, |index| {
            let _ = if index == 0 { of_a.set(take(&a)()).is_ok() } else { of_b.set(take(&b)()).is_ok() };
        });
        let done = "both were worked off";
        (of_a.into_inner().expect(done), of_b.into_inner().expect(done))
    }

    /// Takes up to `wanted` threads.
    fn take(&self, wanted: usize) -> usize {
        let left = |spare: usize| Some(spare - spare.min(wanted));
        let before = self.spare.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left); // a count: nothing is read through it
        before.map_or(0, |spare| spare.min(wanted))
    }

    fn give(&self, threads: usize) {
        self.spare.fetch_add(threads, Ordering::Relaxed);
    }
}

/// Takes the item out of its slot, which is done once.
fn take<I>(slot: &Mutex<Option<I>>) -> I {
    slot.lock().ok().and_then(|mut slot| slot.take()).expect("each number is handed out once")
}

#[cfg(test)]
mod tests {
    use super::Workers;
    use std::collections::HashSet;
    use std::sync::Mutex;

    #[test]
    fn results_come_in_order() {
        for (count, threads) in [0, 1, 7, 1000].into_iter().flat_map(|n| [(n, None), (n, Some(1)), (n, Some(5))]) {
            let workers = Workers::new(threads);
            let expected: Vec<usize> = (0..count).map(|n| n * n).collect();
            assert_eq!(workers.each(count, 3, |n| n * n), expected);
            assert_eq!(workers.map((0..count).collect(), |n| n * n), expected);
            assert_eq!(workers.both(|| count, || "b"), (count, "b"));
        }
        let within = Workers::new(Some(3)).each(20, 1, |n| Workers::none().each(n, 1, |m| m).len());
        assert_eq!(within, (0..20).collect::<Vec<_>>());
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
            let workers = Workers::new(Some(allowed));
            // Threads that are done elsewhere help within.
            workers.each(8, 1, |_| {
                workers.each(8, 1, |_| {
                    seen.lock().expect("no panic").insert(std::thread::current().id());
                    std::thread::sleep(std::time::Duration::from_millis(1));
                });
            });
            assert_eq!(workers.spare.into_inner(), allowed - 1, "all are given back");
            let seen = seen.into_inner().expect("no panic");
            assert!(allowed > 1 || seen.len() == 1, "{} threads of {allowed}", seen.len());
            let workers = Workers::new(Some(allowed));
            let seen = Mutex::new(HashSet::new());
            workers.each(64, 1, |_| {
                seen.lock().expect("no panic").insert(std::thread::current().id());
                std::thread::sleep(std::time::Duration::from_millis(1));
            });
            let seen = seen.into_inner().expect("no panic");
            assert!((1..=allowed).contains(&seen.len()), "{} threads of {allowed}", seen.len());
            assert!(allowed > 1 || seen.contains(&std::thread::current().id()), "one thread is the caller's");
        }
    }
}
