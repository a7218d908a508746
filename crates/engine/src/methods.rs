//! Names on the command line to the methods of the stages.

use clearsweep_base::error::{Error, Result};
use clearsweep_broad::{BroadPhase, Unavailable};
use clearsweep_narrow::NarrowPhase;

/// The narrow phases that this version has.
const NARROW: [&str; 5] = ["auto", "gjk", "vclip", "lin-canny", "cd-dual"];

/// Why the name of a method on a device gives none here.
const NEEDS_DEVICE: &str = "this method needs a device, which is not used here";
/// Why another name gives none.
const UNKNOWN: &str = "there is no such method";

/// The broad phase of this name.
///
/// # Errors
/// No such method, or none in this version.
pub(super) fn broad(name: &str) -> Result<Box<dyn BroadPhase>> {
    clearsweep_broad::by_name(name).map_err(|reason| {
        let reason = match reason {
            Unavailable::Unknown => UNKNOWN,
            Unavailable::NeedsDevice => NEEDS_DEVICE,
        };
        unavailable("--broad", name, reason, &clearsweep_broad::NAMES)
    })
}

/// The narrow phase of this name.
///
/// # Errors
/// No such method.
pub(super) fn narrow(name: &str) -> Result<Box<dyn NarrowPhase>> {
    clearsweep_narrow::by_name(name).ok_or_else(|| unavailable("--narrow", name, UNKNOWN, &NARROW))
}

fn unavailable(flag: &str, name: &str, reason: &str, known: &[&str]) -> Error {
    let remedy = format!("use one of {}: the tables are the same, byte for byte", known.join(", "));
    Error::usage(format!("{flag} {name}"), reason, remedy)
}
