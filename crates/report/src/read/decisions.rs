//! The file of decisions that a scene names, as it is now.

use crate::data::EarlierDecisions;
use clearsweep_base::error::{Error, Result};
use clearsweep_model::{InputDigest, Scene};
use clearsweep_scene::dispositions::{DispositionRow, read_rows};

/// The rows of the file of decisions that a scene names, as it is now; `None`: it names none.
pub(super) fn decisions(scene: &Scene) -> Result<Option<EarlierDecisions>> {
    let is_read = !scene.dispositions.day.is_empty();
    let Some(InputDigest { path, .. }) = scene.inputs.last().filter(|_| is_read) else { return Ok(None) };
    let bytes = std::fs::read(path).map_err(|error| Error::unreadable(path, &error))?;
    let cells = |row: DispositionRow| {
        let [a, b] = row.bodies;
        let accepted = row.accepted.map(|(_, written)| written);
        let [accepted, until, by, reason] = [accepted, row.until, row.by, row.reason].map(Option::unwrap_or_default);
        [row.rule, a, b, accepted, until, by, reason]
    };
    let rows = read_rows(path, &bytes, scene.unit)?.into_iter().map(cells).collect();
    Ok(Some(EarlierDecisions { path: path.display().to_string(), rows }))
}
