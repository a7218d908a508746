//! `clearsweep export`: tables of an execution in another format.

use super::args::ExportArgs;
use super::exit::ProgramEnd;
use super::files::{check_beside, check_target, keep, temporary};
use super::text::{bytes, counted, table};
use super::{interrupt, results, stdout};
use clearsweep::{Error, Result};
use clearsweep_records::manifest::Manifest;
use clearsweep_records::{TABLE_NAMES, has_table};
use clearsweep_tables::{EXPORT_PLACE, ExportFormat, Exported};
use serde_json::json;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A file that was written.
struct ExportedFile {
    table: &'static str,
    path: PathBuf,
    rows: u64,
    bytes: u64,
}

/// Exports, and prints what was written.
pub(crate) fn export(args: &ExportArgs) -> Result<ProgramEnd> {
    let place = results::one(&args.dir, true)?;
    if args.to.is_none() && place.name != place.dir {
        let problem = "is in an object store, and files are written to a directory";
        return Err(Error::usage(args.dir.display(), problem, "name it: --to DIR"));
    }
    let args = &ExportArgs { dir: place.dir.clone(), ..args.clone() };
    Manifest::read(&args.dir)?; // only a finished execution has one
    let is_wanted = |name: &&str| match args.table.as_slice() {
        [] => has_table(&args.dir, name),
        named => named.iter().any(|wanted| wanted == name),
    };
    let tables: Vec<&str> = TABLE_NAMES.iter().copied().filter(is_wanted).collect();
    if args.to.as_deref() == Some(Path::new("-")) {
        return to_stdout(args, &tables);
    }
    let to = args.to.clone().unwrap_or_else(|| beside(&args.dir, format(args).0.extension()));
    check_folder(&to, &args.dir)?;
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stop);
    interrupt::at_first(move || asked.store(true, Ordering::Relaxed));
    let targets: Vec<PathBuf> = tables.iter().map(|table| to.join(format!("{table}.{}", extension(args)))).collect();
    targets.iter().try_for_each(|target| check_target(target, args.force))?;
    std::fs::create_dir_all(&to).map_err(|error| Error::unwritable(&to, &error))?;
    let mut written = Vec::new();
    for (&table, path) in tables.iter().zip(targets) {
        match to_file(args, table, path, &stop)? {
            Some(file) => written.push(file),
            None => return Ok(ProgramEnd::Interrupted),
        }
    }
    report(args, &written)?;
    Ok(ProgramEnd::Clear)
}

/// The format, and whether it is compressed.
fn format(args: &ExportArgs) -> (ExportFormat, bool) {
    let format = if args.ndjson { ExportFormat::Ndjson } else { ExportFormat::Csv { is_raw: args.raw } };
    (format, args.gzip)
}

/// The extension of the files.
fn extension(args: &ExportArgs) -> String {
    let (format, is_compressed) = format(args);
    format!("{}{}", format.extension(), if is_compressed { ".gz" } else { "" })
}

/// The folder for the files is one, or is yet to be made, and is not the output itself.
fn check_folder(to: &Path, dir: &Path) -> Result<()> {
    let place = || format!("--to {}", to.display());
    if to.exists() && !to.is_dir() {
        return Err(Error::usage(place(), "is a file, not a folder", "name another folder"));
    }
    check_beside(to, dir).map_err(|error| Error { place: place(), ..error })
}

/// The folder of the files unless another is given: that of the output, with `-csv` or `-ndjson`
/// after its name.
fn beside(dir: &Path, extension: &str) -> PathBuf {
    let real = dir.canonicalize();
    let named = real.as_deref().unwrap_or(dir);
    let name = named.file_name().map_or_else(|| "out".into(), |name| name.to_string_lossy().into_owned());
    // `out`, but not `.`, has a name of its own to stay beside.
    let folder = match dir.file_name() {
        Some(_) => dir.parent(),
        None => named.parent(),
    };
    folder.unwrap_or(Path::new("")).join(format!("{name}-{extension}"))
}

fn to_stdout(args: &ExportArgs, tables: &[&str]) -> Result<ProgramEnd> {
    let [table] = tables else {
        return Err(Error::usage("--to -", "takes one table", "name it with --table, or name a folder with --to"));
    };
    let mut out = Pipe { stdout: std::io::stdout().lock(), closed: false };
    let done = clearsweep_tables::export(&args.dir, table, format(args), &mut out, &|| true);
    // A reader that has seen enough closes the pipe; that is no failure.
    if out.closed { Ok(ProgramEnd::Clear) } else { done.map(|_| ProgramEnd::Clear) }
}

/// Stdout, which remembers whether its reader has gone.
struct Pipe {
    stdout: std::io::StdoutLock<'static>,
    closed: bool,
}

impl Pipe {
    fn note<T>(&mut self, done: std::io::Result<T>) -> std::io::Result<T> {
        self.closed |= done.as_ref().is_err_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe);
        done
    }
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let done = self.stdout.write(bytes);
        self.note(done)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let done = self.stdout.flush();
        self.note(done)
    }
}

/// Writes a table under a temporary name, which becomes its own when it is whole. `None`:
/// interrupted.
fn to_file(args: &ExportArgs, table: &'static str, path: PathBuf, stop: &AtomicBool) -> Result<Option<ExportedFile>> {
    let mut file = temporary(&path).map_err(|error| Error::unwritable(&path, &error))?;
    let mut buffered = BufWriter::new(file.as_file_mut());
    let of_file = |error: Error| match error.place == EXPORT_PLACE {
        true => Error { place: path.display().to_string(), ..error },
        false => error,
    };
    let go_on = || !stop.load(Ordering::Relaxed);
    let exported = clearsweep_tables::export(&args.dir, table, format(args), &mut buffered, &go_on).map_err(of_file)?;
    let Exported::Rows(rows) = exported else { return Ok(None) };
    buffered.flush().map_err(|error| Error::unwritable(&path, &error))?;
    drop(buffered);
    let bytes = file.as_file().metadata().map_err(|error| Error::unwritable(&path, &error))?.len();
    keep(file, &path, args.force)?;
    Ok(Some(ExportedFile { table, path, rows, bytes }))
}

fn report(args: &ExportArgs, written: &[ExportedFile]) -> Result<()> {
    if args.json {
        let files = written.iter().map(|file| {
            json!({ "table": file.table, "path": file.path.display().to_string(), "rows": file.rows, "bytes": file.bytes })
        });
        return stdout::print_json(&json!({ "files": files.collect::<Vec<_>>() }));
    }
    let line = |file: &ExportedFile| {
        let text = format!("{}, {}: {}", counted(file.rows, "row"), bytes(file.bytes), file.path.display());
        (file.table, text)
    };
    stdout::print(&table(&written.iter().map(line).collect::<Vec<_>>()))
}
