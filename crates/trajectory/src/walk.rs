//! Walks of folders: the files below one, or those that a glob matches.
//!
//! Every walk ends. A link to a folder that holds it is not followed: what lies there has a name
//! without the link. Depth and entries are bounded, since links can make two paths of each folder
//! on every level.

use clearsweep_base::error::{Error, Result};
use glob::{MatchOptions, Pattern, PatternError};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// Most folders within each other.
const MAX_DEPTH: usize = 64;

/// Most entries of folders that a walk looks at.
const MAX_ENTRIES: u64 = 1 << 20;

/// Most links to folders that a walk follows.
const MAX_LINKS: u64 = 1 << 14;

/// A folder on the way of a walk.
struct WalkedFolder<'a> {
    /// Its path, as found from the path given.
    path: PathBuf,
    /// Its path without links.
    real: PathBuf,
    /// The folder that the walk came from.
    above: Option<&'a WalkedFolder<'a>>,
    depth: usize,
}

/// An entry of a folder.
struct FolderEntry {
    path: PathBuf,
    name: OsString,
    is_link: bool,
}

impl<'a> WalkedFolder<'a> {
    /// Begins a walk.
    fn first(path: PathBuf) -> Result<Self> {
        let real = in_words(&path).canonicalize().map_err(|error| Error::unreadable(&path, &error))?;
        Ok(Self { path, real, above: None, depth: 0 })
    }

    /// The folder at an entry of this one.
    fn below(&'a self, entry: &FolderEntry) -> Result<Self> {
        let depth = self.depth + 1;
        if depth > MAX_DEPTH {
            let problem = format!("is nested more than {MAX_DEPTH} folders deep");
            return Err(Error::input(
                entry.path.display(),
                problem,
                "give a folder below it, or a glob with fewer `**`",
            ));
        }
        let real = match entry.is_link {
            true => entry.path.canonicalize().map_err(|error| Error::unreadable(&entry.path, &error))?,
            false => self.real.join(&entry.name),
        };
        Ok(Self { path: entry.path.clone(), real, above: Some(self), depth })
    }

    /// Whether a folder of this walk holds this one, so that the walk would go round.
    fn is_round(&self) -> bool {
        let way = std::iter::successors(self.above, |folder| folder.above);
        let mut reals = way.map(|folder| &folder.real);
        self.above.is_some_and(|above| above.real.starts_with(&self.real)) || reals.any(|real| *real == self.real)
    }
}

/// A path that the system takes; the empty one is the working directory.
fn in_words(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

/// A part of a glob between two slashes.
enum GlobPart {
    /// A name without wildcards, or `..`.
    Name(OsString),
    /// A name with wildcards.
    Wild(Pattern),
    /// `**`: folders of any depth.
    Folders,
}

impl GlobPart {
    fn new(part: &Component<'_>) -> std::result::Result<Self, PatternError> {
        let text = part.as_os_str().to_string_lossy();
        Ok(if text == "**" {
            Self::Folders
        } else if is_fixed(part) {
            Self::Name(part.as_os_str().to_owned())
        } else {
            Self::Wild(Pattern::new(&text)?)
        })
    }
}

fn is_fixed(part: &Component<'_>) -> bool {
    !part.as_os_str().to_string_lossy().contains(['*', '?', '['])
}

/// All files below a folder but those that Parquet data sets set aside: names that begin with `.`
/// or `_`.
///
/// # Errors
/// A folder or a file cannot be read, or the walk is too long.
pub(super) fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut walk = FolderWalk::default();
    walk.list(&WalkedFolder::first(folder.to_owned())?)?;
    Ok(walk.found)
}

/// The matches of a glob, folders opened; and the fixed folder before its first wildcard.
///
/// # Errors
/// The glob is not valid or matches nothing; as for [`files_below`].
pub(super) fn matches(glob: &Path, text: &str) -> Result<(PathBuf, Vec<PathBuf>)> {
    let bad = |problem: String| {
        Error::input(glob.display(), problem, "check the glob: * and ? match within a name, ** across directories")
    };
    let invalid = |error: PatternError| bad(format!("is not a valid glob ({error})"));
    Pattern::new(text).map_err(invalid)?;
    let fixed: PathBuf = glob.components().take_while(is_fixed).collect();
    let parts = glob.components().skip_while(is_fixed).map(|part| GlobPart::new(&part));
    let mut parts = parts.collect::<std::result::Result<Vec<_>, _>>().map_err(invalid)?;
    // Two `**` in a row match what one does.
    parts.dedup_by(|next, part| matches!((next, part), (GlobPart::Folders, GlobPart::Folders)));
    let mut walk = FolderWalk { folders_only: text.ends_with(std::path::is_separator), ..FolderWalk::default() };
    if in_words(&fixed).is_dir() {
        walk.follow(&WalkedFolder::first(fixed.clone())?, &parts)?;
    }
    if walk.found.is_empty() { Err(bad("matches no file".to_owned())) } else { Ok((fixed, walk.found)) }
}

/// The error of a walk that has gone on for too long.
fn too_long(folder: &WalkedFolder<'_>, what: &str) -> Error {
    let remedy = "name a folder that holds the trajectories alone, and look for links between folders";
    Error::input(in_words(&folder.path).display(), format!("the search for trajectories {what}"), remedy)
}

#[derive(Default)]
struct FolderWalk {
    /// Entries looked at.
    entries: u64,
    /// Links to folders that were followed.
    links: u64,
    /// Whether a glob matches folders only.
    folders_only: bool,
    found: Vec<PathBuf>,
}

impl FolderWalk {
    /// The entries of a folder.
    fn entries(&mut self, folder: &WalkedFolder<'_>) -> Result<Vec<FolderEntry>> {
        let unreadable = |error| Error::unreadable(in_words(&folder.path), &error);
        let mut entries = Vec::new();
        for entry in std::fs::read_dir(in_words(&folder.path)).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let name = entry.file_name();
            let is_link = entry.file_type().map_err(unreadable)?.is_symlink();
            entries.push(FolderEntry { path: folder.path.join(&name), name, is_link });
            self.entries += 1;
            if self.entries > MAX_ENTRIES {
                return Err(too_long(folder, &format!("looks at more than {MAX_ENTRIES} files and folders")));
            }
        }
        Ok(entries)
    }

    /// Finds all files below a folder.
    fn list(&mut self, folder: &WalkedFolder<'_>) -> Result<()> {
        for entry in self.entries(folder)? {
            if !entry.name.to_string_lossy().starts_with(['.', '_']) {
                self.take(folder, &entry)?;
            }
        }
        Ok(())
    }

    /// Finds a file, or all files below a folder.
    fn take(&mut self, folder: &WalkedFolder<'_>, entry: &FolderEntry) -> Result<()> {
        // Follows links.
        let about = std::fs::metadata(&entry.path).map_err(|error| Error::unreadable(&entry.path, &error))?;
        if !about.is_dir() {
            self.found.push(entry.path.clone());
            return Ok(());
        }
        self.below(folder, entry)?.map_or(Ok(()), |below| self.list(&below))
    }

    /// The folder at an entry; `None`: a link that leads back.
    fn below<'f>(&mut self, folder: &'f WalkedFolder<'f>, entry: &FolderEntry) -> Result<Option<WalkedFolder<'f>>> {
        let below = folder.below(entry)?;
        self.links += u64::from(entry.is_link);
        if self.links > MAX_LINKS {
            return Err(too_long(folder, &format!("follows more than {MAX_LINKS} links to folders")));
        }
        Ok((!below.is_round()).then_some(below))
    }

    /// Finds what the rest of a glob matches from a folder on.
    fn follow(&mut self, folder: &WalkedFolder<'_>, parts: &[GlobPart]) -> Result<()> {
        let Some((part, rest)) = parts.split_first() else { return self.list(folder) };
        match part {
            GlobPart::Name(name) => {
                let path = folder.path.join(name);
                if std::fs::symlink_metadata(&path).is_err() {
                    return Ok(());
                }
                // `..` leads elsewhere, as a link does.
                self.matched(folder, &FolderEntry { path, name: name.clone(), is_link: true }, rest)
            }
            GlobPart::Wild(pattern) => {
                let fits =
                    |entry: &FolderEntry| pattern.matches_with(&entry.name.to_string_lossy(), MatchOptions::new());
                let entries = self.entries(folder)?;
                entries.iter().filter(|entry| fits(entry)).try_for_each(|entry| self.matched(folder, entry, rest))
            }
            GlobPart::Folders => {
                self.follow(folder, rest)?;
                for entry in self.entries(folder)? {
                    if entry.path.is_dir() {
                        self.below(folder, &entry)?.map_or(Ok(()), |below| self.follow(&below, parts))?;
                    }
                }
                Ok(())
            }
        }
    }

    /// Goes on with an entry that a part of a glob matches.
    fn matched(&mut self, folder: &WalkedFolder<'_>, entry: &FolderEntry, rest: &[GlobPart]) -> Result<()> {
        let is_dir = entry.path.is_dir();
        match (rest.is_empty(), is_dir) {
            (true, false) if self.folders_only => Ok(()),
            (true, _) => self.take(folder, entry),
            (false, true) => self.follow(&folder.below(entry)?, rest),
            (false, false) => Ok(()),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    /// The files of a folder and below it, by the definition: relative names without links to
    /// folders.
    fn plain(folder: &Path, below: &str, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder.join(below)).expect("a folder").map(|entry| entry.expect("an entry")) {
            let name = format!("{below}{}", entry.file_name().to_string_lossy());
            match entry.file_type().expect("a type") {
                kind if kind.is_dir() => plain(folder, &format!("{name}/"), found),
                kind if kind.is_file() => found.push(name),
                _ => {}
            }
        }
    }

    fn names(root: &Path, mut found: Vec<PathBuf>) -> Vec<String> {
        found.sort();
        found.dedup();
        found.iter().map(|path| path.strip_prefix(root).expect("below").to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn links_to_folders_above_are_not_followed() {
        let dir = tempfile::tempdir().expect("scratch");
        let root = dir.path();
        for folder in ["a/b/c", "d"] {
            fs::create_dir_all(root.join(folder)).expect("made");
        }
        for file in ["t.csv", "a/t.csv", "a/b/t.csv", "a/b/c/t.csv", "d/t.csv", "a/u.csv"] {
            fs::write(root.join(file), "").expect("written");
        }
        for (target, link) in [(".", "x"), (".", "y"), ("..", "a/up"), ("../..", "a/b/top"), ("../../a", "a/b/own")] {
            symlink(target, root.join(link)).expect("linked");
        }
        let mut all = Vec::new();
        plain(root, "", &mut all);
        all.sort();
        assert_eq!(names(root, files_below(root).expect("it ends")), all);
        let glob = |pattern: &str| {
            let path = root.join(pattern);
            matches(&path, &path.to_string_lossy()).map(|(_, found)| names(root, found))
        };
        let of = |end: &str| all.iter().filter(|name| name.ends_with(end)).cloned().collect::<Vec<_>>();
        assert_eq!(glob("**/t.csv").expect("it ends"), of("t.csv"));
        assert_eq!(glob("**/**/u.csv").expect("it ends"), of("u.csv"));
        assert_eq!(glob("**").expect("it ends"), all);
        assert_eq!(glob("**/c/../t.csv").expect("it ends"), ["a/b/c/../t.csv"]);
        assert_eq!(glob("?/*.csv").expect("it ends").len(), 5, "links that are named are followed");
        // Two folders that link to each other.
        symlink("../d", root.join("a/other")).expect("linked");
        symlink("../a", root.join("d/other")).expect("linked");
        let both = glob("**/t.csv").expect("it ends");
        assert!(both.contains(&"a/other/t.csv".to_owned()) && both.contains(&"d/other/t.csv".to_owned()), "{both:?}");
    }

    #[test]
    fn folders_doubled_by_links_on_every_level_are_told() {
        let dir = tempfile::tempdir().expect("scratch");
        let mut at = dir.path().to_owned();
        for _ in 0..40 {
            let next = at.join("n");
            fs::create_dir(&next).expect("made");
            symlink("n", at.join("m")).expect("linked");
            at = next;
        }
        fs::write(at.join("t.csv"), "").expect("written");
        let error = files_below(dir.path()).expect_err("2^40 paths").to_string();
        assert!(error.contains("more than 16384 links to folders"), "{error}");
    }

    #[test]
    fn a_link_to_itself_and_deep_folders_are_told() {
        let dir = tempfile::tempdir().expect("scratch");
        symlink("self", dir.path().join("self")).expect("linked");
        let error = files_below(dir.path()).expect_err("no file").to_string();
        assert!(error.contains("self: cannot be read"), "{error}");
        let glob = dir.path().join("**/*.csv");
        let error = matches(&glob, &glob.to_string_lossy()).expect_err("no file").to_string();
        assert!(error.contains("matches no file"), "{error}");
        fs::remove_file(dir.path().join("self")).expect("removed");
        fs::create_dir_all(dir.path().join("n/".repeat(MAX_DEPTH + 1))).expect("made");
        let error = files_below(dir.path()).expect_err("too deep").to_string();
        assert!(error.contains("64 folders deep"), "{error}");
    }
}
