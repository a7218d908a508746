//! Results in a store, where nothing can be renamed.
//!
//! A result is whole once its manifest is there, which is written last and at once.
//!
//! Several workers may write the same shard. Each writes its files to a folder of its own, an
//! attempt, and the manifest tells which attempt counts: it is created by a write that fails if it
//! is there already, so that the first one stays, and no file of it is ever written again.
//!
//! The files of any other result have the names that they have on a disk, for the programs that
//! read them. Whoever writes them holds a claim, an object as well.

use super::address::Address;
use super::remote_folder::RemoteFolder;
use super::store::{ObjectAbout, unreadable, unwritable};
use clearsweep_base::error::{Error, Result};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::Path;

/// The name of the object that says that a result is whole.
pub const MANIFEST: &str = "manifest.json";

/// The name of the object that says that somebody writes a result.
pub const CLAIM: &str = "_writing";

/// Beginning of the name of an attempt.
const ATTEMPT: &str = "attempt-";

/// A file of a result.
struct ResultFile {
    /// Relative to the directory of the result.
    name: String,
    bytes: u64,
}

/// The files below a directory, by name, without the manifest.
fn files(dir: &Path) -> Result<Vec<ResultFile>> {
    fn add(dir: &Path, above: &str, found: &mut Vec<ResultFile>) -> io::Result<()> {
        for entry in fs::read_dir(dir)? {
            let entry = entry?;
            let name = format!("{above}{}", entry.file_name().to_string_lossy());
            let about = entry.metadata()?;
            match about.is_dir() {
                true => add(&entry.path(), &format!("{name}/"), found)?,
                false => found.push(ResultFile { name, bytes: about.len() }),
            }
        }
        Ok(())
    }
    let mut found = Vec::new();
    add(dir, "", &mut found).map_err(|error| Error::unreadable(dir, &error))?;
    found.retain(|file| file.name != MANIFEST);
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

/// A name that no other attempt has.
fn unique() -> String {
    let part = || RandomState::new().hash_one(std::process::id());
    format!("{:016x}{:016x}", part(), part())
}

/// Copies the files of a directory to a folder. `go_on` is asked before each, and may end it with
/// an error.
fn upload(to: &RemoteFolder, dir: &Path, files: &[ResultFile], go_on: &dyn Fn() -> Result<()>) -> Result<()> {
    for ResultFile { name, bytes } in files {
        go_on()?;
        let (path, address) = (dir.join(name), to.address.join(name));
        let mut file = File::open(&path).map_err(|error| Error::unreadable(&path, &error))?;
        to.store.upload(&address.key, &mut file, *bytes).map_err(|error| unwritable(&address, &error))?;
    }
    Ok(())
}

/// Creates an object; whether none was there.
fn create(at: &Address, folder: &RemoteFolder, bytes: Vec<u8>) -> Result<bool> {
    folder.store.create(&at.key, bytes).map_err(|error| unwritable(at, &error))
}

impl RemoteFolder {
    /// Writes a new object; returns whether none was there.
    ///
    /// # Errors
    /// The store cannot be reached, or refuses.
    pub fn create(&self, name: &str, bytes: Vec<u8>) -> Result<bool> {
        create(&self.address.join(name), self, bytes)
    }

    /// Removes objects below it.
    ///
    /// # Errors
    /// The store cannot be reached, or refuses.
    pub fn remove(&self, objects: &[(String, ObjectAbout)]) -> Result<()> {
        let keys: Vec<String> = objects.iter().map(|(_, object)| object.key.clone()).collect();
        if keys.is_empty() {
            return Ok(());
        }
        self.store.remove(&keys).map_err(|error| unwritable(&self.address, &error))
    }

    /// Copies the shard that stands in this folder to a directory, with its manifest as it was on
    /// the disk of the worker. `wanted`: the files that are copied. Returns false if there is no
    /// shard.
    ///
    /// # Errors
    /// An object that the manifest names is missing; the store cannot be reached; the directory
    /// cannot be written.
    pub fn copy_attempt(&self, to: &Path, wanted: &dyn Fn(&str) -> bool) -> Result<bool> {
        let address = self.address.join(MANIFEST);
        let Some(text) = self.read(MANIFEST)? else { return Ok(false) };
        let damaged = |problem: &str| Error::input(&address, problem, "remove the folder, and run the shard again");
        let mut manifest: Value = serde_json::from_slice(&text).map_err(|_| damaged("is damaged"))?;
        let objects = manifest.as_object_mut().and_then(|object| object.remove("objects")).unwrap_or_default();
        let attempt = objects["folder"].as_str().filter(|name| name.starts_with(ATTEMPT));
        let attempt = self.folder(attempt.ok_or_else(|| damaged("names no attempt: it is not that of a shard"))?);
        let mut found = attempt.list()?;
        for file in objects["files"].as_array().into_iter().flatten() {
            let (name, bytes) = (file["name"].as_str().unwrap_or_default(), file["bytes"].as_u64());
            if !found.iter().any(|(known, object)| known == name && Some(object.bytes) == bytes) {
                let place = attempt.address.join(name);
                return Err(Error::input(
                    place,
                    "is missing, or has another size",
                    "remove the shard's folder, and run it again",
                ));
            }
        }
        found.retain(|(name, _)| wanted(name));
        attempt.copy(&found, to)?;
        let path = to.join(MANIFEST);
        fs::write(&path, format!("{manifest:#}\n")).map_err(|error| Error::unwritable(&path, &error))?;
        Ok(true)
    }
}

/// Publishes the result in a directory as the shard of a folder. Returns false if a shard stood
/// there already, or another worker was faster: then nothing of this attempt is left.
///
/// # Errors
/// The store cannot be reached, or refuses; `go_on`, which is asked before each file, ends it.
pub fn publish_attempt(folder: &RemoteFolder, dir: &Path, go_on: &dyn Fn() -> Result<()>) -> Result<bool> {
    let files = files(dir)?;
    let name = format!("{ATTEMPT}{}", unique());
    let attempt = folder.folder(&name);
    let path = dir.join(MANIFEST);
    let text = fs::read(&path).map_err(|error| Error::unreadable(&path, &error))?;
    let mut manifest: Value = serde_json::from_slice(&text).map_err(|error| Error::internal(path.display(), error))?;
    let listed = files.iter().map(|file| json!({ "name": file.name, "bytes": file.bytes }));
    manifest["objects"] = json!({ "folder": name, "files": listed.collect::<Vec<_>>() });
    let published = upload(&attempt, dir, &files, go_on).and_then(|()| {
        go_on()?;
        folder.create(MANIFEST, format!("{manifest:#}\n").into_bytes())
    });
    match published {
        Ok(true) => {}
        // An answer that was lost is tried again, and finds what the first one wrote.
        _ if standing_attempt(folder).as_ref() == Some(&name) => return Ok(true),
        _ => {
            let _ = attempt.list().and_then(|left| attempt.remove(&left));
        }
    }
    published
}

/// The attempt that the manifest of a folder names.
fn standing_attempt(folder: &RemoteFolder) -> Option<String> {
    let manifest: Value = serde_json::from_slice(&folder.read(MANIFEST).ok()??).ok()?;
    manifest["objects"]["folder"].as_str().map(str::to_owned)
}

/// Removes the attempts of workers on a shard that stands which were killed, or came too late.
///
/// # Errors
/// The store cannot be reached, or refuses.
pub fn remove_attempts(folder: &RemoteFolder) -> Result<()> {
    let Some(counts) = standing_attempt(folder) else { return Ok(()) };
    let mut left = folder.list()?;
    left.retain(|(name, _)| name.starts_with(ATTEMPT) && name.split('/').next() != Some(&counts));
    folder.remove(&left)
}

/// The place of a result in a store.
#[derive(Debug)]
pub struct Publication {
    folder: RemoteFolder,
    force: bool,
}

impl Publication {
    /// Looks whether a result can be written to a folder: nothing is there; or, with `force`,
    /// nothing but what `is_ours` says of names.
    ///
    /// # Errors
    /// Something is there; the store cannot be reached, or refuses.
    pub fn prepare(folder: RemoteFolder, force: bool, is_ours: &dyn Fn(&str) -> bool) -> Result<Self> {
        let place = Self { folder, force };
        place.check(&place.folder.list()?, is_ours)?;
        Ok(place)
    }

    fn check(&self, found: &[(String, ObjectAbout)], is_ours: &dyn Fn(&str) -> bool) -> Result<()> {
        let address = &self.folder.address;
        let told = |problem: String, remedy: &str| Err(Error::output(address, problem, remedy));
        match found.iter().find(|(name, _)| name != CLAIM && !is_ours(name)) {
            Some((name, _)) => told(format!("holds `{name}`, which is no part of a result"), "give another address"),
            None if self.force || found.is_empty() => Ok(()),
            None if found.iter().all(|(name, _)| name == CLAIM) => told(CLAIMED.to_owned(), CLAIMED_REMEDY),
            None => told("holds a result already".to_owned(), "give another address, or --force to replace it"),
        }
    }

    /// Writes the result in a directory: an earlier one goes first, and the manifest comes last.
    /// `go_on` is asked before each file.
    ///
    /// # Errors
    /// Somebody else writes there; the store cannot be reached, or refuses; `go_on` ends it. What
    /// was written is removed again.
    pub fn publish(self, dir: &Path, is_ours: &dyn Fn(&str) -> bool, go_on: &dyn Fn() -> Result<()>) -> Result<()> {
        let Self { folder, force } = &self;
        let files = files(dir)?;
        let earlier = folder.list()?;
        self.check(&earlier, is_ours)?;
        if *force {
            // The manifest goes first: what stands without it is no result.
            let (manifest, others): (Vec<_>, Vec<_>) = earlier.into_iter().partition(|(name, _)| name == MANIFEST);
            folder.remove(&manifest)?;
            folder.remove(&others)?;
        }
        let (claim, own) = (folder.address.join(CLAIM), unique());
        if !create(&claim, folder, own.clone().into_bytes())? && !self.is_claimed_by(&own) {
            return Err(Error::output(&folder.address, CLAIMED, CLAIMED_REMEDY));
        }
        let published = upload(folder, dir, &files, go_on).and_then(|()| self.write_manifest(dir, &own, go_on));
        if published.is_err() && self.is_claimed_by(&own) {
            let mut left = folder.list().unwrap_or_default();
            left.retain(|(name, _)| files.iter().any(|file| file.name == *name));
            let _ = folder.remove(&left);
        }
        if self.is_claimed_by(&own) {
            folder.store.remove(std::slice::from_ref(&claim.key)).map_err(|error| unwritable(&claim, &error))?;
        }
        published
    }

    /// Writes the manifest, unless somebody has taken the place.
    fn write_manifest(&self, dir: &Path, own: &str, go_on: &dyn Fn() -> Result<()>) -> Result<()> {
        go_on()?;
        let (path, address) = (dir.join(MANIFEST), self.folder.address.join(MANIFEST));
        let text = fs::read(&path).map_err(|error| Error::unreadable(&path, &error))?;
        let taken =
            || Error::output(&self.folder.address, "was taken by another job meanwhile", "give another address");
        if !self.is_claimed_by(own) {
            return Err(taken());
        }
        if create(&address, &self.folder, text.clone())? {
            return Ok(());
        }
        // An answer that was lost is tried again, and finds what the first one wrote.
        match self.folder.read(MANIFEST)? {
            Some(found) if found == text => Ok(()),
            _ => Err(taken()),
        }
    }

    /// Whether the claim is that of this job.
    fn is_claimed_by(&self, own: &str) -> bool {
        self.folder.read(CLAIM).ok().flatten().is_some_and(|found| found == own.as_bytes())
    }
}

/// The problem of a place that somebody writes to.
const CLAIMED: &str = "is being written by another job";
const CLAIMED_REMEDY: &str = "wait for its end; if it was killed, --force takes its place";

/// Copies the result in a folder to a directory: the manifest, and the files that `wanted` says of
/// names. Returns false if there is no whole result.
///
/// # Errors
/// The store cannot be reached, or refuses; the directory cannot be written.
pub fn copy_result(folder: &RemoteFolder, to: &Path, wanted: &dyn Fn(&str) -> bool) -> Result<bool> {
    let Some(text) = folder.read(MANIFEST)? else { return Ok(false) };
    let manifest: Value = serde_json::from_slice(&text).map_err(|error| {
        unreadable(&folder.address.join(MANIFEST), &io::Error::new(io::ErrorKind::InvalidData, error))
    })?;
    if manifest["objects"].is_object() {
        return folder.copy_attempt(to, wanted);
    }
    let mut found = folder.list()?;
    found.retain(|(name, _)| name != MANIFEST && name != CLAIM && wanted(name));
    folder.copy(&found, to)?;
    let path = to.join(MANIFEST);
    fs::write(&path, text).map_err(|error| Error::unwritable(&path, &error))?;
    Ok(true)
}
