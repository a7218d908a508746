//! Why a device can no longer be used.

use thiserror::Error;

/// Why a device can no longer be used.
#[derive(Debug, Clone, Error, PartialEq, Eq)]
pub(crate) enum DeviceFailure {
    /// The device or its driver gave up.
    #[error("the device was lost: {0}")]
    Lost(String),
    /// It has less memory than is needed.
    #[error("the device is out of memory: {0}")]
    OutOfMemory(String),
    /// It cannot hold what has to be there at once, however little else is.
    #[error("the device is too small: {0}")]
    TooLarge(String),
}
