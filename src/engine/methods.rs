//! Names on the command line to the methods of the stages.

use crate::broad::{self, BroadPhase};
use crate::error::{Error, Result};
use crate::narrow::NarrowPhase;

/// The broad phase of this name.
///
/// # Errors
/// No such method, or none in this version.
pub(super) fn broad(name: &str) -> Result<Box<dyn BroadPhase>> {
    broad::by_name(name).map_err(|reason| unavailable("--broad", name, &reason, &broad::NAMES))
}

/// The narrow phase of this name.
///
/// # Errors
/// No such method, or none in this version.
pub(super) fn narrow(name: &str) -> Result<Box<dyn NarrowPhase>> {
    Err(unavailable("--narrow", name, &"it is not merged yet", &["auto", "gjk"]))
}

fn unavailable(flag: &str, name: &str, reason: &dyn std::fmt::Display, known: &[&str]) -> Error {
    let remedy = format!("use one of {}: the tables are the same, byte for byte", known.join(", "));
    Error::usage(format!("{flag} {name}"), reason, remedy)
}
