//! `--device auto`: a GPU where there is one and the job is large enough, else the processor. It never fails.

use clearsweep_broad::BroadPhase;
use serde_json::Value;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Seconds of searching on the processor, on all threads, from which on a GPU is looked for.
///
/// A guess until a GPU has been measured: to find an adapter, to open it and to compile the kernels takes some tenths of a second.
const PAYS_FROM_S: f64 = 2.0;
/// How long a driver may take to open.
const PATIENCE: Duration = Duration::from_secs(30);

/// A device that was opened.
pub(super) struct FoundDevice {
    /// The broad phase that it searches with.
    pub(super) broad: Box<dyn BroadPhase>,
    /// The adapter, as in the manifest.
    pub(super) adapter: Value,
}

/// The figures that decided the choice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct AutoChoice {
    /// Estimated seconds of searching on the processor.
    pub(super) search_s: f64,
    /// From so many on a GPU is looked for.
    pub(super) pays_from_s: f64,
}

/// The device for a job that the processor would search for so many seconds, and why this one. `open` is asked on a thread of
/// its own, and only for a large job: a driver that panics or hangs leaves the job to the processor.
pub(super) fn choose(
    search_s: f64,
    open: impl FnOnce() -> Result<FoundDevice, String> + Send + 'static,
) -> (Option<FoundDevice>, String, AutoChoice) {
    let auto = AutoChoice { search_s, pays_from_s: PAYS_FROM_S };
    // An estimate that is no number is no reason either.
    if search_s.partial_cmp(&PAYS_FROM_S).is_none_or(std::cmp::Ordering::is_lt) {
        let reason = format!("the CPU searches for an estimated {search_s:.4} s; a GPU pays from {PAYS_FROM_S} s on");
        return (None, reason, auto);
    }
    match open_within(PATIENCE, open) {
        Ok(found) => (Some(found), format!("the CPU would search for an estimated {search_s:.0} s"), auto),
        Err(reason) => (None, reason, auto),
    }
}

/// Calls `open` on another thread, and waits at most `patience` for its result.
fn open_within<T: Send + 'static>(
    patience: Duration,
    open: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    let (sender, opened) = channel();
    let opening = std::thread::Builder::new().name("clearsweep-device".to_owned());
    // A thread that hangs in a driver is left behind.
    let thread = opening.spawn(move || drop(sender.send(open()))).map_err(|error| format!("no thread: {error}"))?;
    match opened.recv_timeout(patience) {
        Ok(found) => {
            let _ = thread.join();
            found
        }
        Err(RecvTimeoutError::Disconnected) => Err("the graphics driver failed while it was opened".to_owned()),
        Err(RecvTimeoutError::Timeout) => {
            Err(format!("the graphics driver did not answer within {} s", patience.as_secs()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearsweep_broad::by_name;
    use serde_json::json;

    fn found() -> Result<FoundDevice, String> {
        Ok(FoundDevice { broad: by_name("brute").expect("a method"), adapter: json!({ "name": "card" }) })
    }

    #[test]
    fn small_jobs_ask_no_driver() {
        for search_s in [0.0, 1.9, f64::NAN] {
            let (device, reason, auto) = choose(search_s, || unreachable!("it is not asked"));
            assert!(device.is_none() && reason.contains("pays from 2 s on"), "{reason}");
            assert_eq!(auto.pays_from_s, PAYS_FROM_S);
        }
    }

    #[test]
    fn large_jobs_take_a_device_that_is_there() {
        let (device, reason, _) = choose(7.0, found);
        assert_eq!(device.expect("the card").adapter["name"], "card");
        assert!(reason.contains("7 s"), "{reason}");
        let (device, reason, _) = choose(2.0, || Err("there is no adapter".to_owned()));
        assert!(device.is_none() && reason == "there is no adapter");
    }

    #[test]
    fn a_driver_that_panics_or_hangs_leaves_the_job_to_the_processor() {
        let (device, reason, _) = choose(7.0, || panic!("a broken driver, on purpose"));
        assert!(device.is_none() && reason.contains("failed while it was opened"), "{reason}");
        let (release, wait) = channel::<()>();
        let hang = move || wait.recv().map_err(|error| error.to_string());
        let found = open_within(Duration::from_millis(10), hang);
        assert!(found.is_err_and(|reason| reason.contains("did not answer")));
        drop(release);
    }
}
