//! Opening the files of an input, in reading order.

use super::decode::{self, Defects};
use super::files;
use super::source::Source;
use clearsweep_base::error::Result;
use clearsweep_scene::model::LengthUnit;
use std::path::Path;

/// Opens every file of `path`, in reading order: by first key, then by path. Lengths are in `unit` unless a field says
/// otherwise.
pub(super) fn open_sources(path: &Path, unit: LengthUnit) -> Result<Vec<Source>> {
    open_while(path, unit, &|| true)
}

/// As [`open_sources`], as long as somebody `wants` them; what was opened until then is no answer.
pub(super) fn open_while(path: &Path, unit: LengthUnit, wants: &dyn Fn() -> bool) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    for found in files::find(path)? {
        if !wants() {
            return Ok(Vec::new());
        }
        sources.push(Source::open(&found, unit)?);
    }
    if sources.len() < 2 {
        return Ok(sources);
    }
    let mut keyed = Vec::with_capacity(sources.len());
    for source in sources {
        // Files without rows have no first key: they go last.
        let key = first_key(&source)?;
        keyed.push(((key.is_none(), key), source));
    }
    // Stable, and the files were sorted by path.
    keyed.sort_by_key(|(key, _)| *key);
    Ok(keyed.into_iter().map(|(_, source)| source).collect())
}

/// The key (run, frame) of the first row; `None` where there are no rows.
///
/// # Errors
/// The first group does not decode, or its first key is none.
fn first_key(source: &Source) -> Result<Option<(i64, i64)>> {
    let Some(group) = source.groups.first() else { return Ok(None) };
    let columns = source.columns.keys();
    let mut reader = source.read(group, &columns, 1)?;
    let Some((row, batch)) = reader.next()? else { return Ok(None) };
    let mut defects = Defects::new(source, row, batch.num_rows());
    let run = decode::runs(source, &columns, &batch, &mut defects)?;
    let frame = decode::frames(source, &columns, &batch, &mut defects)?;
    match defects.into_error() {
        Some(error) => Err(error),
        None => Ok(frame.first().map(|&frame| (run.at(0), frame))),
    }
}
