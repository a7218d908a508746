//! A folder of objects: what it holds, and its copy on this machine.

use super::address::{Address, Location, location};
use super::blocks::{AT_A_TIME, REQUEST, block_count, copy_blocks};
use super::remote_file::RemoteFile;
use super::store::{ObjectAbout, Store, connect, unreadable};
use super::table_format::TableFormat;
use clearsweep_base::error::{Error, Result};
use glob::{MatchOptions, Pattern};
use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// As globs of paths are matched: wildcards stay within a name, `**` crosses folders.
const WITHIN_NAMES: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: false };

/// A folder of a store.
#[derive(Debug, Clone)]
pub struct RemoteFolder {
    pub(crate) address: Address,
    pub(crate) store: Arc<dyn Store>,
}

/// Finds the input files at an address: an object, those below a folder, or those that a glob
/// matches. Objects below a name that begins with `.` or `_` are left out, as Parquet data sets set
/// them aside. `temp`: the directory for copies. Returns them with the folder that they were looked
/// for in: that of the object, or the one before the first wildcard.
///
/// # Errors
/// Nothing is there; the store cannot be reached, or refuses.
pub fn find(address: &Address, temp: Option<&Path>) -> Result<(Address, Vec<Arc<RemoteFile>>)> {
    find_in(&connect(address)?, address, temp)
}

pub(crate) fn find_in(
    store: &Arc<dyn Store>,
    address: &Address,
    temp: Option<&Path>,
) -> Result<(Address, Vec<Arc<RemoteFile>>)> {
    let failed = |error: io::Error| unreadable(address, &error);
    let is_glob = address.key.contains(['*', '?', '[']);
    let one = match is_glob || address.is_folder {
        true => None,
        false => store.about(&address.key).map_err(failed)?,
    };
    let (root, mut found) = match one {
        Some(object) => (address.key.rsplit_once('/').map_or("", |(above, _)| above).to_owned(), vec![object]),
        None if is_glob => matches(&**store, address)?,
        None => {
            let mut below = store.list(&address.key).map_err(failed)?;
            let keys: Vec<&str> = below.iter().map(|object| &*object.key).collect();
            refuse_tables(address, &address.key, &keys, &keys)?;
            below.retain(|object| !is_set_aside(relative(&object.key, &address.key)));
            (address.key.clone(), below)
        }
    };
    // Some programs mark folders by empty objects.
    found.retain(|object| !object.key.ends_with('/'));
    if found.is_empty() {
        let remedy = "give the address of a Parquet, Arrow IPC or CSV file, of a folder of them, or a glob";
        return Err(Error::input(address, "names no object", remedy));
    }
    found.sort_by(|a, b| a.key.cmp(&b.key));
    let open = |object: ObjectAbout| {
        let at = address.with_key(&object.key);
        RemoteFile::new(at, Arc::clone(store), object, temp).map(Arc::new)
    };
    Ok((address.with_key(&root), found.into_iter().map(open).collect::<Result<_>>()?))
}

/// The objects that a glob matches, and the folder before its first wildcard.
fn matches(store: &dyn Store, address: &Address) -> Result<(String, Vec<ObjectAbout>)> {
    let pattern = Pattern::new(&address.key).map_err(|error| {
        let remedy = "check the glob: * and ? match within a name, ** across folders";
        Error::input(address, format!("is not a valid glob ({error})"), remedy)
    })?;
    let fixed: Vec<&str> = address.key.split('/').take_while(|name| !name.contains(['*', '?', '['])).collect();
    let fixed = fixed.join("/");
    let mut found = store.list(&fixed).map_err(|error| unreadable(address, &error))?;
    let all: Vec<String> = found.iter().map(|object| object.key.clone()).collect();
    found.retain(|object| pattern.matches_with(&object.key, WITHIN_NAMES));
    let (all, matched) = (all.iter().map(|key| &**key).collect::<Vec<_>>(), found.iter().map(|object| &*object.key));
    refuse_tables(address, &fixed, &all, &matched.collect::<Vec<_>>())?;
    Ok((fixed, found))
}

/// The key of an object relative to a folder.
fn relative<'k>(key: &'k str, folder: &str) -> &'k str {
    key.strip_prefix(folder).unwrap_or(key).trim_start_matches('/')
}

/// Refuses objects (`chosen`) that lie below a folder which `all` keys show to be a table with a
/// log.
fn refuse_tables(address: &Address, folder: &str, all: &[&str], chosen: &[&str]) -> Result<()> {
    let mut seen = HashSet::new();
    for key in all {
        let relative = relative(key, folder);
        let start = key.len() - relative.len();
        let names = std::iter::once(0).chain(relative.match_indices('/').map(|(at, _)| at + 1));
        for at in names.map(|at| start + at) {
            let (table, rest) = key.split_at(at);
            let entry = if rest.starts_with("metadata/") { rest } else { rest.split('/').next().unwrap_or_default() };
            let is_below = |chosen: &&str| chosen.starts_with(table) && !is_set_aside(&chosen[at..]);
            if let Some(format) = TableFormat::of_entry(entry)
                && seen.insert(table)
                && chosen.iter().any(is_below)
            {
                return Err(format.refused(address.with_key(table)));
            }
        }
    }
    Ok(())
}

/// Whether an object lies below, or has, a name that data sets set aside.
fn is_set_aside(relative: &str) -> bool {
    relative.split('/').any(|name| name.starts_with(['.', '_']))
}

impl RemoteFolder {
    /// The folder at a path; `None`: the path is of this machine.
    ///
    /// # Errors
    /// As for [`location`]; the program was built without clients, or the environment holds a key
    /// or an endpoint that is none.
    pub fn at(path: &Path) -> Result<Option<Self>> {
        match location(path)? {
            Location::Local(_) => Ok(None),
            Location::Remote(address) => Ok(Some(Self { store: connect(&address)?, address })),
        }
    }

    /// Address.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// A folder in it.
    #[must_use]
    pub fn folder(&self, name: &str) -> Self {
        Self { address: self.address.join(name), store: Arc::clone(&self.store) }
    }

    /// The objects below it: their names relative to it, and each as it was found; sorted.
    ///
    /// # Errors
    /// The store cannot be reached, or refuses.
    pub fn list(&self) -> Result<Vec<(String, ObjectAbout)>> {
        let found = self.store.list(&self.address.key).map_err(|error| unreadable(&self.address, &error))?;
        let named = |object: ObjectAbout| (relative(&object.key, &self.address.key).to_owned(), object);
        let mut found: Vec<_> = found.into_iter().map(named).filter(|(name, _)| !name.is_empty()).collect();
        found.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(found)
    }

    /// The bytes of an object in it; `None`: there is no such object.
    ///
    /// # Errors
    /// The store cannot be reached, or refuses.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let address = self.address.join(name);
        let read = || match self.store.about(&address.key)? {
            Some(object) => self.store.read(&object, 0..object.bytes).map(Some),
            None => Ok(None),
        };
        read().map_err(|error| unreadable(&address, &error))
    }

    /// Copies objects to files of these names below a directory.
    ///
    /// # Errors
    /// The store cannot be reached, or refuses; a file cannot be written; a name is none of a file.
    pub fn copy(&self, objects: &[(String, ObjectAbout)], to: &Path) -> Result<()> {
        for (name, object) in objects {
            let address = self.address.join(name);
            // The names of objects are no paths: `..` is a name like any other there.
            if name.split('/').any(|part| matches!(part, "" | "." | "..") || part.contains(['\\', ':'])) {
                return Err(Error::input(&address, "has a name that no file can have", "remove it"));
            }
            let path = to.join(name);
            let made = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| File::create(&path));
            let file = made.map_err(|error| Error::unwritable(&path, &error))?;
            copy_object(&*self.store, object, &file).map_err(|error| unreadable(&address, &error))?;
        }
        Ok(())
    }
}

/// Copies a whole object to an empty file.
fn copy_object(store: &dyn Store, object: &ObjectAbout, file: &File) -> io::Result<()> {
    file.set_len(object.bytes)?;
    let (blocks, next) = (block_count(object), AtomicU64::new(0));
    let copy = || {
        loop {
            let first = next.fetch_add(REQUEST, Ordering::Relaxed);
            if first >= blocks {
                return Ok(());
            }
            copy_blocks(store, object, &(first..(first + REQUEST).min(blocks)), file)?;
        }
    };
    std::thread::scope(|scope| {
        let threads = (blocks.div_ceil(REQUEST) as usize).min(AT_A_TIME).saturating_sub(1);
        let others: Vec<_> = (0..threads).map(|_| scope.spawn(copy)).collect();
        let own = copy();
        let failed = |_| Err(io::Error::other("a thread that copied it panicked"));
        others.into_iter().fold(own, |all, other| all.and(other.join().unwrap_or_else(failed)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_below_tables_with_a_log_are_refused() {
        let Ok(Location::Remote(address)) = location(Path::new("s3://b/data/")) else { panic!("an address") };
        let refused =
            |all: &[&str], chosen: &[&str]| refuse_tables(&address, "data", all, chosen).err().map(|error| error.place);
        let delta = ["data/t/_delta_log/0.json", "data/t/a.parquet", "data/u/a.parquet"];
        assert_eq!(refused(&delta, &delta).as_deref(), Some("s3://b/data/t/"));
        assert_eq!(refused(&delta, &["data/u/a.parquet"]), None, "another folder is chosen");
        let iceberg = ["data/data/a.parquet", "data/metadata/v1.metadata.json"];
        assert_eq!(refused(&iceberg, &iceberg).as_deref(), Some("s3://b/data/"));
        for plain in ["data/_SUCCESS", "data/metadata/notes.json", "data/x_delta_log/a.csv"] {
            let all = [plain, "data/a.parquet"];
            assert_eq!(refused(&all, &all), None, "{plain}");
        }
    }
}
