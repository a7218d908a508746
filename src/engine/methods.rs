//! Names on the command line to the methods of the stages.

use crate::broad::{self, BroadPhase};
use crate::error::Result;
use crate::narrow::{self, NarrowPhase};

/// The broad phase of this name.
///
/// # Errors
/// No such method, or none in this version.
pub(super) fn broad(name: &str) -> Result<Box<dyn BroadPhase>> {
    broad::by_name(name)
}

/// The narrow phase of this name.
///
/// # Errors
/// No such method, or none in this version.
pub(super) fn narrow(name: &str) -> Result<Box<dyn NarrowPhase>> {
    narrow::by_name(name)
}
