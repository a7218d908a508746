//! `within`: how far apart pairs are reported.

use super::file::SceneFile;
use super::keys::SceneSource;
use super::load::override_length;
use super::rules::RuleSpec;
use clearsweep_base::error::{Error, Result};
use clearsweep_model::SceneOverrides;

/// Distance up to which pairs are reported if there are rules and `within` is left out, in largest
/// requirements: a pair that comes near to a requirement is seen before it violates it.
const SHOWN_AROUND: f64 = 1.25;

/// `within` where the answer is whether bodies overlap, metres: `touch`. The key of a file whose
/// answer the command line replaces is not used.
pub(super) fn of_overlaps(source: &SceneSource<'_>, file: &SceneFile, overrides: &SceneOverrides) -> Result<f64> {
    let problem = "`within` needs distances, and `answer = \"overlap\"` computes none: only bodies that touch or overlap have rows";
    let remedy = match overrides.answer {
        Some(_) => "leave `within` out, or say `--answer distance`",
        None => "leave `within` out, or say `answer = \"distance\"`",
    };
    match (&overrides.within, file.query.within, &overrides.answer) {
        (Some(_), ..) => Err(Error::usage("--within", problem, remedy)),
        (None, Some(_), None) => Err(Error::input(source.place(file.query.at), problem, remedy)),
        (None, ..) => Ok(file.query.touch),
    }
}

/// `within` where distances are answered, metres: what the command line says, else the file. Where
/// there are rules and neither says it, all that rules require, and what is around it.
pub(super) fn of_distances(
    source: &SceneSource<'_>,
    file: &SceneFile,
    overrides: &SceneOverrides,
    require: Option<f64>,
) -> Result<f64> {
    let largest = file.rules.iter().map(RuleSpec::reach).chain(require).reduce(f64::max);
    match (&overrides.within, file.query.within, largest.filter(|_| !file.rules.is_empty())) {
        (Some(text), ..) => override_length("--within", text, file.head.unit),
        (None, Some(within), _) => Ok(within),
        (None, None, Some(largest)) => Ok(largest.max(0.0) * SHOWN_AROUND + file.query.touch),
        (None, None, None) if overrides.for_audit => Ok(require.unwrap_or(0.0).max(file.query.touch)),
        (None, None, None) => {
            let remedy = "add `within = LENGTH` to [query] (or --within): pairs farther apart are not reported";
            Err(Error::input(source.place(file.query.at), "the key `within` is missing in [query]", remedy))
        }
    }
}
