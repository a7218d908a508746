//! The file written: encoded on a thread of its own, and there whole or not at all.

use super::temporary::TemporaryOutput;
use super::unify::Unified;
use crate::source::Source;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, RecordBatch};
use arrow_schema::DataType;
use clearsweep_base::error::{Error, Result};
use clearsweep_store::glob_overlap;
use crossbeam_channel::{Receiver, bounded};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::SortingColumn;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Batches that may wait to be encoded.
const AHEAD: usize = 2;
/// Rows of a page: pages are skipped by their keys.
const PAGE_ROWS: usize = 16_384;

/// The file to be written, under a temporary name beside it. Dropped before it is kept, it is gone.
pub(super) struct SortOutput {
    path: PathBuf,
    file: TemporaryOutput,
    force: bool,
}

impl SortOutput {
    /// Checks that `out` can be written, and is no part of the input.
    ///
    /// # Errors
    /// It exists (without `force`), is no regular file, belongs to the input, or its folder cannot
    /// be written.
    pub(super) fn claim(input: &Path, sources: &[Source], out: &Path, force: bool) -> Result<Self> {
        let refuse = |problem: &str, remedy: &str| Err(Error::output(out.display(), problem, remedy));
        let Some(name) = out.file_name() else { return refuse("is not the name of a file", "name a file as OUT") };
        if out.is_dir() {
            return refuse("is a directory", "name a file in it as OUT");
        }
        check_kind(out)?;
        let folder = folder(out);
        let real = folder.canonicalize().map_err(|error| {
            let remedy = "create the folder of OUT, or name another";
            Error::output(folder.display(), format!("cannot be used ({error})"), remedy)
        })?;
        let is_out = |path: &Path| path.canonicalize().is_ok_and(|path| path == real.join(name));
        if sources.iter().any(|source| is_out(&source.path) || same_file(&source.path, out)) || same_file(input, out) {
            return refuse("is one of the files to be sorted", "name another file as OUT");
        }
        if glob_overlap::is_reached(input, &real.join(name)) {
            let what = if input.is_dir() { "lies in the directory" } else { "matches the glob" };
            return refuse(
                &format!("{what} to be sorted, and would be read with it the next time"),
                "name a file elsewhere as OUT",
            );
        }
        if !force && out.symlink_metadata().is_ok() {
            return refuse("exists already", "choose another name, or replace the file with --force");
        }
        let file = TemporaryOutput::create(folder, name).map_err(|error| failed(out, &error))?;
        Ok(Self { path: out.to_owned(), file, force })
    }

    /// The folder of the file.
    pub(super) fn folder(&self) -> &Path {
        folder(&self.path)
    }

    /// Gives the file its name; its size.
    ///
    /// # Errors
    /// It cannot be written; another of its name came up meanwhile (without `force`).
    pub(super) fn keep(self) -> Result<u64> {
        let Self { path, file, force } = self;
        file.as_file().sync_all().map_err(|error| failed(&path, &error))?;
        let bytes = file.as_file().metadata().map_err(|error| failed(&path, &error))?.len();
        // It may have become something else since it was claimed.
        check_kind(&path)?;
        file.keep(&path, force).map(|()| bytes).map_err(|error| failed(&path, &error))
    }
}

/// Fails unless the path is free or that of a regular file: only such files are replaced.
fn check_kind(out: &Path) -> Result<()> {
    let Ok(about) = out.symlink_metadata() else { return Ok(()) };
    let problem = match about.file_type() {
        kind if kind.is_file() => return Ok(()),
        kind if kind.is_symlink() => "is a symbolic link",
        kind if kind.is_dir() => "is a directory",
        _ => "is a pipe, a socket or a device",
    };
    Err(Error::output(out.display(), problem, "name a regular file as OUT, or one that does not exist"))
}

/// The folder of a file; that of a bare name is the working directory.
fn folder(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Whether two paths lead to one file, by whatever links.
fn same_file(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    if let (Ok(a), Ok(b)) = (a.metadata(), b.metadata()) {
        use std::os::unix::fs::MetadataExt;
        return (a.dev(), a.ino()) == (b.dev(), b.ino());
    }
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// How rows are encoded.
pub(super) struct Encoding<'a> {
    pub(super) unified: &'a Unified,
    /// Rows of a row group.
    pub(super) group_rows: usize,
}

/// Takes rows in order, names as numbers, with the names.
pub(super) type Write<'a> = dyn FnMut(RecordBatch, ArrayRef) -> Result<()> + 'a;

/// Writes to `target` what `produce` hands in, while it goes on producing.
///
/// # Errors
/// An error of `produce`, or the file cannot be written.
pub(super) fn encode(
    target: &SortOutput,
    encoding: &Encoding<'_>,
    produce: impl FnOnce(&mut Write<'_>) -> Result<()>,
) -> Result<()> {
    let (sender, receiver) = bounded(AHEAD);
    std::thread::scope(|scope| {
        let encoder = std::thread::Builder::new().name("clearsweep-encode".to_owned());
        let encoder = encoder.spawn_scoped(scope, || consume(target.file.as_file(), encoding, receiver));
        let encoder = encoder.map_err(|error| Error::no_thread(&error))?;
        let produced = produce(&mut |batch, names| {
            sender.send((batch, names)).map_err(|_| Error::internal("sort", "the encoding thread is gone"))
        });
        drop(sender);
        let written = encoder.join().map_err(|_| Error::internal("sort", "the encoding thread panicked"))?;
        // Why the thread is gone comes before that it is.
        written.map_err(|error| failed(&target.path, &error))?;
        produced
    })
}

fn consume(
    file: &File,
    encoding: &Encoding<'_>,
    receiver: Receiver<(RecordBatch, ArrayRef)>,
) -> std::result::Result<(), ParquetError> {
    let unified = encoding.unified;
    let mut writer = ArrowWriter::try_new(file, Arc::clone(&unified.schema), Some(properties(encoding)))?;
    for (batch, names) in receiver {
        let mut columns = batch.columns().to_vec();
        let numbers = columns[unified.body].as_primitive::<Int32Type>().clone();
        columns[unified.body] = Arc::new(DictionaryArray::try_new(numbers, names)?);
        writer.write(&RecordBatch::try_new(Arc::clone(&unified.schema), columns)?)?;
    }
    writer.close().map(|_| ())
}

fn properties(encoding: &Encoding<'_>) -> WriterProperties {
    let unified = encoding.unified;
    let mut builder = WriterProperties::builder()
        .set_created_by(concat!("clearsweep ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_max_row_group_row_count(Some(encoding.group_rows))
        .set_data_page_row_count_limit(PAGE_ROWS);
    for name in unified.poses() {
        builder = builder.set_column_dictionary_enabled(ColumnPath::from(name), false);
    }
    let sorting = [unified.run, Some(unified.frame)].into_iter().flatten().map(|column| SortingColumn {
        column_idx: leaf(unified, column),
        descending: false,
        nulls_first: false,
    });
    let sorting = sorting.collect();
    builder.set_sorting_columns(Some(sorting)).build()
}

/// The leaf of Parquet that a root column of no depth is: nested columns before it have several.
fn leaf(unified: &Unified, root: usize) -> i32 {
    fn leaves(kind: &DataType) -> i32 {
        match kind {
            DataType::Struct(fields) => fields.iter().map(|field| leaves(field.data_type())).sum(),
            DataType::List(field)
            | DataType::LargeList(field)
            | DataType::FixedSizeList(field, _)
            | DataType::Map(field, _) => leaves(field.data_type()),
            _ => 1,
        }
    }
    unified.schema.fields().iter().take(root).map(|field| leaves(field.data_type())).sum()
}

fn failed(path: &Path, error: &dyn std::fmt::Display) -> Error {
    Error::output(
        path.display(),
        format!("cannot be written ({error})"),
        "check the folder of OUT, its permissions and the free space; nothing was left behind",
    )
}
