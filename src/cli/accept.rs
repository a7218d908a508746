//! `clearsweep accept`: violations that somebody has decided about, written where later executions
//! read them.

use super::args::AcceptArgs;
use super::exit::ProgramEnd;
use super::text::{self, counted};
use super::{results, stdout};
use clearsweep::{Error, Result};
use clearsweep_base::open_file::is_at;
pub(super) use clearsweep_base::text::csv_cell as quoted;
use clearsweep_base::text::marked;
use clearsweep_model::LengthUnit;
use clearsweep_records::manifest::Manifest;
use clearsweep_records::{Event, Table};
use clearsweep_scene::dispositions::{COLUMNS, DispositionRow, read_rows};
use clearsweep_scene::ignore::glob_matches;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Bytes that an existing file may have.
const MOST_BYTES: u64 = 1 << 30;

/// A pair under a rule: its name, and the names of the bodies in order.
type RulePair = (String, [String; 2]);

/// Adds the chosen violations to the file, and prints how many.
pub(crate) fn accept(args: &AcceptArgs) -> Result<ProgramEnd> {
    if !args.all && args.rule.is_none() && args.pair.is_none() && args.issue.is_none() {
        let problem = "nothing is chosen";
        return Err(Error::usage(
            "accept",
            problem,
            "choose by --rule, --pair, --issue, or all open violations by --all",
        ));
    }
    let place = results::one(&args.dir, false)?;
    let args = &AcceptArgs { dir: place.dir.clone(), ..args.clone() };
    let unit = LengthUnit::parse(&Manifest::read(&args.dir)?.scene.length_unit)
        .ok_or_else(|| Error::input(args.dir.display(), "the manifest names no length unit", "run the scene again"))?;
    let (chosen, open) = chosen(args)?;
    if chosen.is_empty() {
        return Err(nothing_chosen(args, &open));
    }
    let file = LockedFile::open(&args.to)?;
    let mut rows = earlier(&file.path, unit)?;
    rows.retain(|row| !chosen.contains_key(&key(&row.rule, &row.bodies)));
    let count = chosen.len() as u64;
    rows.extend(chosen.into_iter().map(|((rule, bodies), lower)| DispositionRow {
        rule,
        bodies,
        accepted: Some((lower, format!("{lower:?}m"))),
        until: args.until.clone(),
        by: args.by.clone(),
        reason: Some(args.reason.clone()),
        line: 0,
    }));
    write(&file.path, &rows)?;
    drop(file);
    if args.json {
        let to = args.to.display().to_string();
        stdout::print_json(&json!({ "pairs": count, "pairs_open": open.len(), "to": to }))?;
    } else {
        let matched = match &args.pair {
            Some(_) => format!(
                ": --pair matches {} of {} with an open violation",
                text::count(count),
                counted(open.len() as u64, "pair")
            ),
            None => String::new(),
        };
        stdout::print(&format!("{} accepted in {}{matched}\n", counted(count, "pair"), args.to.display()))?;
    }
    Ok(ProgramEnd::Clear)
}

fn key(rule: &str, [a, b]: &[String; 2]) -> RulePair {
    (rule.to_owned(), [a.min(b).clone(), a.max(b).clone()])
}

/// The error if no open violation is chosen, with one that could be.
fn nothing_chosen(args: &AcceptArgs, open: &BTreeSet<RulePair>) -> Error {
    let place = args.dir.display();
    let Some((rule, [a, b])) = open.first() else {
        let remedy = "there is nothing to accept: `clearsweep summary DIR` shows the verdict";
        return Error::input(place, "no open violation is chosen: the result has none", remedy);
    };
    let problem = match args.pair.as_deref() {
        Some([first, second]) => format!(
            "no open violation is chosen: --pair `{first}` `{second}` matches none of {} that have one",
            counted(open.len() as u64, "pair")
        ),
        _ => format!("no open violation is chosen of {} that have one", counted(open.len() as u64, "pair")),
    };
    let remedy = format!(
        "choose for example --pair '{a}' '{b}' (globs too, in quotes) or --rule '{rule}'; \
         `clearsweep export DIR --csv --table issues --to -` lists what is open"
    );
    Error::input(place, problem, remedy)
}

/// The open violations that are chosen, with the least proven lower end of each pair, metres; and
/// all that are open.
fn chosen(args: &AcceptArgs) -> Result<(BTreeMap<RulePair, f64>, BTreeSet<RulePair>)> {
    let (mut chosen, mut open) = (BTreeMap::<RulePair, f64>::new(), BTreeSet::new());
    for event in Table::<Event>::open(&args.dir)?.rows() {
        let event = event?;
        if !event.state.is_open() {
            continue;
        }
        let bodies = [&event.body_a, &event.body_b].map(|name| name.to_string());
        let key = key(&event.rule, &bodies);
        open.insert(key.clone());
        if !is_chosen(args, &event) {
            continue;
        }
        let Some(lower) = event.lower_m else {
            let problem = format!("nothing is proven of how near `{}` and `{}` come", event.body_a, event.body_b);
            return Err(Error::input(args.dir.display(), problem, "it cannot be accepted: choose other pairs"));
        };
        let least = chosen.entry(key).or_insert(lower);
        *least = least.min(lower);
    }
    Ok((chosen, open))
}

fn is_chosen(args: &AcceptArgs, event: &Event) -> bool {
    let by_rule = args.rule.as_ref().is_none_or(|rule| **rule == *event.rule);
    let by_issue = args.issue.as_ref().is_none_or(|issue| **issue == *event.issue);
    let by_pair = args.pair.as_ref().is_none_or(|pair| {
        let (a, b) = (&*event.body_a, &*event.body_b);
        // A name may hold `*` and `?` itself.
        let is_one = |glob: &str, name: &str| glob == name || glob_matches(glob, name);
        let [first, second] = &pair[..] else { return false };
        is_one(first, a) && is_one(second, b) || is_one(first, b) && is_one(second, a)
    });
    by_rule && by_issue && by_pair
}

/// The file of accepted pairs, with a lock of its own beside it, so that of several programs each
/// reads what the one before wrote.
struct LockedFile {
    /// The file; what a link leads to.
    path: PathBuf,
    lock: PathBuf,
    /// Holds the lock until it is dropped.
    _held: File,
}

impl LockedFile {
    /// Waits until no other program changes the file.
    fn open(path: &Path) -> Result<Self> {
        let failed = |error: std::io::Error| unwritable(path, error);
        let path = target(path).map_err(failed)?;
        let name = path.file_name().filter(|_| !path.is_dir()).ok_or_else(|| no_file(&path))?;
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(".lock");
        let lock = path.with_file_name(hidden);
        loop {
            let held = File::options().create(true).truncate(false).write(true).open(&lock).map_err(failed)?;
            held.lock().map_err(failed)?;
            // The program before may have removed the file while this one waited for its lock.
            if is_at(&held, &lock) {
                return Ok(Self { path, lock, _held: held });
            }
        }
    }
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        // Before the lock is given back. If it fails, an empty file stays, which locks nothing.
        let _ = std::fs::remove_file(&self.lock);
    }
}

/// Returns the end of a chain of links, which need not exist.
fn target(path: &Path) -> std::io::Result<PathBuf> {
    const MOST_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match std::fs::read_link(&path) {
            Ok(link) => path = path.parent().unwrap_or(Path::new("")).join(link),
            Err(_) => return Ok(path),
        }
    }
    Err(std::io::Error::other("a chain of too many links"))
}

fn no_file(path: &Path) -> Error {
    Error::input(path.display(), "is no regular file, or larger than 1 GiB", "name the file of accepted pairs")
}

fn unwritable(path: &Path, error: std::io::Error) -> Error {
    Error::output(path.display(), error, "check the folder, its permissions and the space on its disk")
}

/// The rows of the file as it is; none if there is no file.
fn earlier(path: &Path, unit: LengthUnit) -> Result<Vec<DispositionRow>> {
    match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::unreadable(path, &error)),
        Ok(about) if !about.is_file() || about.len() > MOST_BYTES => return Err(no_file(path)),
        Ok(_) => {}
    }
    let bytes = std::fs::read(path).map_err(|error| Error::unreadable(path, &error))?;
    read_rows(path, &bytes, unit)
}

/// Writes the file whole: what was there stays until then. It keeps its permissions.
fn write(path: &Path, rows: &[DispositionRow]) -> Result<()> {
    let failed = |error: std::io::Error| unwritable(path, error);
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut file = temporary(folder).map_err(failed)?;
    match std::fs::metadata(path) {
        Ok(about) => file.as_file().set_permissions(about.permissions()).map_err(failed)?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    let mut csv = String::new();
    csv.push_str(&COLUMNS.join(","));
    csv.push('\n');
    for row in rows {
        let text = |text: &Option<String>| marked(text.as_deref().unwrap_or_default()).into_owned();
        let name = |name: &str| marked(name).into_owned();
        let accepted = row.accepted.as_ref().map_or_else(String::new, |(_, written)| written.clone());
        let [a, b] = &row.bodies;
        let cells = [name(&row.rule), name(a), name(b), accepted, text(&row.until), text(&row.by), text(&row.reason)];
        csv.push_str(&cells.map(|cell| quoted(&cell)).join(","));
        csv.push('\n');
    }
    file.write_all(csv.as_bytes()).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

/// A file that vanishes unless it gets a name, with the permissions that any new file has.
fn temporary(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666)); // less the umask
    builder.tempfile_in(folder)
}
