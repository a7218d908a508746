//! Cancelling a job from another thread.

use clearsweep_base::error::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Cancels the jobs that were given a clone of it. A job looks at it between blocks of up to 64
/// samples and between the batches it takes in; it then ends with
/// [`clearsweep_base::ErrorKind::Cancelled`], and its sink is told to abort.
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// A token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels; there is no way back.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether [`Self::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Goes on unless the job is cancelled.
    ///
    /// # Errors
    /// It is.
    pub(super) fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(Error::cancelled()) } else { Ok(()) }
    }
}
