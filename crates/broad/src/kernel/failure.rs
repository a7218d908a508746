//! Why a device can no longer be used.

use std::time::Duration;
use thiserror::Error;

/// Why a device can no longer be used.
#[derive(Debug, Clone, Error, PartialEq, Eq)]
pub(crate) enum DeviceFailure {
    /// The device or its driver gave up.
    #[error("the device was lost: {0}")]
    Lost(String),
    /// The driver refused a command.
    #[error("the driver reported an error: {0}")]
    Refused(String),
    /// It has less memory than is needed.
    #[error("the device is out of memory: {0}")]
    OutOfMemory(String),
    /// It cannot hold what has to be there at once, however little else is.
    #[error("the device is too small: {0}")]
    TooLarge(String),
}

impl DeviceFailure {
    /// A device that did not answer within a time counts as lost.
    pub(crate) fn no_answer(patience: Duration) -> String {
        format!("it did not answer within {} s", patience.as_secs_f64())
    }

    /// Returns its name in the manifest.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Lost(_) => "lost",
            Self::Refused(_) => "refused",
            Self::OutOfMemory(_) => "out-of-memory",
            Self::TooLarge(_) => "too-small",
        }
    }
}
