//! Work on a thread of its own, while the calling thread answers signals and shows progress.

use crate::error::{Raise, raised};
use clearsweep::{Error, Result};
use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// Time between two looks at signals: an interrupt has to stop the work within 0.1 s.
pub(crate) const EVERY: Duration = Duration::from_millis(20);

/// The effect of an interrupt on the work.
pub(crate) enum AtInterrupt<'a> {
    /// Asks it to stop, and waits until it has.
    Stop(&'a dyn Fn()),
    /// Lets it end by itself, unheard: it leaves nothing.
    Abandon,
}

/// Calls `work`, and turns a panic into an error.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message");
        Err(Error::internal("clearsweep", format!("panicked: {text}")))
    })
}

/// Starts `work` on a thread, and returns where its result will arrive.
pub(crate) fn start<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> PyResult<Receiver<Result<T>>> {
    let (done, result) = bounded(1);
    let run = move || {
        // Nobody may be left to hear of it.
        let _ = done.send(guarded(work));
    };
    std::thread::Builder::new()
        .name("clearsweep-call".to_owned())
        .spawn(run)
        .map_err(|error| raised(py, Error::no_thread(&error)))?;
    Ok(result)
}

/// Does `work` on another thread without the GIL. Meanwhile signals are answered, and `tick` is
/// called now and then.
pub(crate) fn call<T: Send + 'static>(
    py: Python<'_>,
    at_interrupt: &AtInterrupt<'_>,
    tick: &mut dyn FnMut(Python<'_>) -> PyResult<()>,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let result = start(py, work)?;
    loop {
        match py.detach(|| result.recv_timeout(EVERY)) {
            Ok(done) => return done.raise(py),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(raised(py, Error::internal("clearsweep", "a thread ended without a result")));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(interrupt) = py.check_signals().and_then(|()| tick(py)) {
            if let AtInterrupt::Stop(stop) = at_interrupt {
                stop();
                let _ = py.detach(|| result.recv());
            }
            return Err(interrupt);
        }
    }
}

/// As [`call`], of work that leaves nothing and has nothing to show.
pub(crate) fn call_plain<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> PyResult<T> {
    call(py, &AtInterrupt::Abandon, &mut |_| Ok(()), work)
}
