//! Names on the command line to the methods of the stages.

use crate::broad::BroadPhase;
use crate::error::{Error, Result};
use crate::narrow::NarrowPhase;

/// The broad phase of this name.
///
/// # Errors
/// No such method, or none in this version.
pub(super) fn broad(name: &str) -> Result<Box<dyn BroadPhase>> {
    Err(Error::internal("broad", format!("{name} is not merged yet")))
}

/// The narrow phase of this name.
///
/// # Errors
/// No such method, or none in this version.
pub(super) fn narrow(name: &str) -> Result<Box<dyn NarrowPhase>> {
    Err(Error::internal("narrow", format!("{name} is not merged yet")))
}
