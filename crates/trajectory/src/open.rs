//! Opening the files of an input, in reading order.

use super::column_format::ColumnFormat;
use super::decode;
use super::files::{self, Found, HiveRun};
use super::input_bytes::InputBytes;
use super::rows::Defects;
use super::source::{Source, check_orientation};
use super::spool::{InputStream, spool_pipe};
use clearsweep_base::error::Result;
use clearsweep_store::{Location, RemoteFile, location};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The place of the bytes of an input.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum InputPlace {
    /// A file, a directory, a glob or a pipe.
    Path(PathBuf),
    /// A stream.
    Stream(InputStream),
}

/// A file of an input.
enum FoundAt {
    File(PathBuf),
    Pipe(PathBuf),
    Object(Arc<RemoteFile>),
}

/// The files at a path or an address, each with the run that a directory level supplies.
fn find(path: &Path, temp: Option<&Path>) -> Result<Vec<(FoundAt, Option<HiveRun>)>> {
    let address = match location(path)? {
        Location::Local(path) => {
            let at = |path: PathBuf, is_pipe: bool| if is_pipe { FoundAt::Pipe(path) } else { FoundAt::File(path) };
            let found = files::find(&path)?.into_iter();
            return Ok(found.map(|Found { path, run, is_pipe }| (at(path, is_pipe), run)).collect());
        }
        Location::Remote(address) => address,
    };
    let (root, objects) = clearsweep_store::find(&address, temp)?;
    let run = |object: &RemoteFile| files::hive_run(&root.to_path(), &object.address().to_path());
    objects.into_iter().map(|object| run(&object).map(|run| (FoundAt::Object(object), run))).collect()
}

/// The bytes of every file of an input, by path, each with the run that a directory level supplies.
/// Streams, pipes and what is read of objects are copied to `temp`; none as soon as nobody `wants`
/// them.
///
/// # Errors
/// A file is missing, or a stream cannot be copied.
pub(super) fn inputs_at(
    place: &InputPlace,
    temp: Option<&Path>,
    wants: &dyn Fn() -> bool,
) -> Result<Vec<(InputBytes, Option<HiveRun>)>> {
    let found = match place {
        InputPlace::Path(path) => find(path, temp)?,
        InputPlace::Stream(stream) => return Ok(vec![(stream.spool(temp, wants)?, None)]),
    };
    let bytes = |at: FoundAt| match at {
        FoundAt::File(path) => Ok(InputBytes::of_file(&path)),
        FoundAt::Pipe(path) => spool_pipe(&path, temp, wants),
        FoundAt::Object(object) => Ok(InputBytes::of_object(object)),
    };
    let wanted = found.into_iter().take_while(|_| wants());
    wanted.map(|(at, run)| Ok((bytes(at)?, run))).collect()
}

/// Opens every file of an input, in reading order: by first key, then by path; as long as somebody
/// `wants` them: what was opened until then is no answer. Streams, pipes and what is read of
/// objects are copied to `temp`.
///
/// # Errors
/// A file is missing or unreadable, or its columns do not fit.
pub(super) fn open(
    place: &InputPlace,
    format: &ColumnFormat,
    temp: Option<&Path>,
    wants: &dyn Fn() -> bool,
) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    for (bytes, run) in inputs_at(place, temp, wants)? {
        if !wants() {
            return Ok(Vec::new());
        }
        sources.push(Source::open(bytes, run, format)?);
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
    let sources: Vec<Source> = keyed.into_iter().map(|(_, source)| source).collect();
    for pair in sources.windows(2) {
        check_orientation((&pair[0].path, &pair[0].columns), (&pair[1].path, &pair[1].columns))?;
    }
    Ok(sources)
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
