//! `within`: how far apart pairs are reported.

use super::file::SceneFile;
use super::keys::SceneSource;
use super::overrides::QueryOverrides;
use super::rules::RuleSpec;
use clearsweep_base::error::{Error, Result};

/// `within`, if it is left out, in largest requirements: a pair that comes near to one is seen
/// before it violates it.
const SHOWN_AROUND: f64 = 1.25;

/// Returns `within` if the answer is whether bodies overlap, metres: `touch`. The key of a file
/// whose answer the command line replaces is not used.
pub(super) fn of_overlaps(source: &SceneSource<'_>, file: &SceneFile, command_line: &QueryOverrides) -> Result<f64> {
    let problem = "`within` needs distances, and `answer = \"overlap\"` computes none: only bodies that touch or overlap have rows";
    let remedy = match command_line.answer {
        Some(_) => "leave `within` out, or say `--answer distance`",
        None => "leave `within` out, or say `answer = \"distance\"`",
    };
    match (command_line.within, file.query.within, command_line.answer) {
        (Some(_), ..) => Err(Error::usage("--within", problem, remedy)),
        (None, Some(_), None) => Err(Error::input(source.place(file.query.at), problem, remedy)),
        (None, ..) => Ok(file.query.touch),
    }
}

/// Returns `within` if distances are answered, metres: what the command line says, else the file.
/// If neither says it, it follows from what is required (then `true`): the largest requirement, and
/// a margin around it.
pub(super) fn of_distances(
    source: &SceneSource<'_>,
    file: &SceneFile,
    command_line: &QueryOverrides,
    require: Option<f64>,
    is_for_audit: bool,
) -> Result<(f64, bool)> {
    let largest = file.rules.iter().map(RuleSpec::reach).chain(require).reduce(f64::max);
    match (command_line.within, file.query.within, largest) {
        (Some(within), ..) | (None, Some(within), _) => Ok((within, false)),
        (None, None, _) if is_for_audit && file.rules.is_empty() => {
            Ok((require.unwrap_or(0.0).max(file.query.touch), false))
        }
        (None, None, Some(largest)) => Ok((largest.max(0.0) * SHOWN_AROUND + file.query.touch, true)),
        (None, None, None) => {
            let remedy = "add `within = LENGTH` to [query] (or --within): pairs farther apart are not reported; or add \
                `require = LENGTH`, from which `within` follows";
            Err(Error::input(source.place(file.query.at), "the key `within` is missing in [query]", remedy))
        }
    }
}
