//! Names on the command line to the methods of the stages.

use clearsweep_base::error::{Error, Result};
use clearsweep_broad::{BroadPhase, Unavailable};
use clearsweep_model::SearchOptions;
use clearsweep_narrow::{Gjk, NarrowPhase};

/// The narrow phases that this version has.
const NARROW: [&str; 6] = ["auto", "gjk", "enhanced-gjk", "vclip", "lin-canny", "cd-dual"];

/// Why the name of a method on a device gives none here.
const NEEDS_DEVICE: &str = "this method needs a device, which is not used here";
/// Why another name gives none.
const UNKNOWN: &str = "there is no such method";

/// The broad phase of this name, with the cells of `search` where it has hash tables.
///
/// # Errors
/// No such method, or none in this version.
pub(super) fn broad(name: &str, search: &SearchOptions) -> Result<Box<dyn BroadPhase>> {
    clearsweep_broad::by_name_with(name, search.hash).map_err(|reason| {
        let reason = match reason {
            Unavailable::Unknown => UNKNOWN,
            Unavailable::NeedsDevice => NEEDS_DEVICE,
        };
        unavailable("--broad", name, reason, &clearsweep_broad::NAMES)
    })
}

/// The narrow phase of this name; GJK with the options of `search`.
///
/// # Errors
/// No such method.
pub(super) fn narrow(name: &str, search: &SearchOptions) -> Result<Box<dyn NarrowPhase>> {
    if let ("gjk", Some(options)) = (name, search.gjk) {
        return Ok(Box::new(Gjk { options }));
    }
    clearsweep_narrow::by_name(name).ok_or_else(|| unavailable("--narrow", name, UNKNOWN, &NARROW))
}

/// Whether the methods of a job look at what its scene says about searches.
///
/// # Errors
/// One does not.
pub(super) fn check_search(search: &SearchOptions, broad: &str, narrow: &str) -> Result<()> {
    let unused = |key: &str, flag: &str, name: &str, methods: &str| {
        let problem = format!("`{key}` of [query] says how {methods} search, and this method does not look at it");
        Error::usage(
            format!("{flag} {name}"),
            problem,
            format!("choose {methods}, or remove `{key}`: no row depends on it"),
        )
    };
    if search.gjk.is_some() && narrow != "gjk" {
        return Err(unused("gjk", "--narrow", narrow, "`--narrow gjk`"));
    }
    if search.hash.is_some() && !["hash", "coherent-hash"].contains(&broad) {
        return Err(unused("hash", "--broad", broad, "`--broad hash` and `--broad coherent-hash`"));
    }
    Ok(())
}

fn unavailable(flag: &str, name: &str, reason: &str, known: &[&str]) -> Error {
    let remedy = format!("use one of {}: the tables are the same, byte for byte", known.join(", "));
    Error::usage(format!("{flag} {name}"), reason, remedy)
}
