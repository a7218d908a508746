//! An object store in memory, which fails where a test wants it to.

use clearsweep::Result;
use clearsweep_store::{Address, ObjectAbout, Store, register};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A failure of a store: the operation of this number, from 0, and all after it, as if the process
/// or the network were gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// That operation has no effect.
    Before(u64),
    /// That operation has its effect, and its answer is lost.
    After(u64),
}

#[derive(Debug, Default)]
struct Contents {
    /// Bytes and version, by key.
    objects: BTreeMap<String, (Vec<u8>, u64)>,
    versions: u64,
    operations: u64,
    bytes_read: u64,
    fault: Option<Fault>,
}

/// A bucket in memory.
#[derive(Debug, Default)]
pub(super) struct MemoryStore(Mutex<Contents>);

static BUCKETS: Mutex<BTreeMap<String, Arc<MemoryStore>>> = Mutex::new(BTreeMap::new());

/// The new bucket of this name, with its address.
pub(super) fn bucket(name: &str) -> (Arc<MemoryStore>, PathBuf) {
    register(connect);
    let store = Arc::new(MemoryStore::default());
    let address = format!("s3://{name}");
    let before = BUCKETS.lock().expect("no panic").insert(address.clone(), Arc::clone(&store));
    assert!(before.is_none(), "{name} is taken");
    (store, PathBuf::from(address))
}

fn connect(address: &Address) -> Result<Arc<dyn Store>> {
    Ok(Arc::clone(&BUCKETS.lock().expect("no panic")[&address.bucket]) as _)
}

impl MemoryStore {
    fn contents(&self) -> MutexGuard<'_, Contents> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts operations anew, and fails where it is asked to.
    pub(super) fn fail(&self, fault: Option<Fault>) {
        let mut contents = self.contents();
        (contents.operations, contents.fault) = (0, fault);
    }

    /// Whether the fault has come.
    pub(super) fn has_failed(&self) -> bool {
        let contents = self.contents();
        contents.fault.is_some_and(|(Fault::Before(at) | Fault::After(at))| contents.operations > at)
    }

    pub(super) fn keys(&self) -> Vec<String> {
        self.contents().objects.keys().cloned().collect()
    }

    pub(super) fn get(&self, key: &str) -> Vec<u8> {
        self.contents().objects[key].0.clone()
    }

    pub(super) fn set(&self, key: &str, bytes: Vec<u8>) {
        let mut contents = self.contents();
        contents.versions += 1;
        let version = contents.versions;
        contents.objects.insert(key.to_owned(), (bytes, version));
    }

    pub(super) fn delete(&self, key: &str) {
        self.contents().objects.remove(key).expect("it is there");
    }

    /// Bytes that were read so far.
    pub(super) fn bytes_read(&self) -> u64 {
        self.contents().bytes_read
    }

    /// An operation, which fails if it is time.
    fn operation<T>(&self, work: impl FnOnce(&mut Contents) -> io::Result<T>) -> io::Result<T> {
        let mut contents = self.contents();
        let number = contents.operations;
        contents.operations += 1;
        let gone = || Err(io::Error::other("the network is gone"));
        match contents.fault {
            Some(Fault::Before(at)) if number >= at => gone(),
            Some(Fault::After(at)) if number > at => gone(),
            Some(Fault::After(at)) if number == at => work(&mut contents).and_then(|_| gone()),
            _ => work(&mut contents),
        }
    }
}

impl Store for MemoryStore {
    fn list(&self, folder: &str) -> io::Result<Vec<ObjectAbout>> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        self.operation(|contents| {
            let below = contents.objects.iter().filter(|(key, _)| key.starts_with(&prefix));
            Ok(below.map(|(key, object)| about(key, object)).collect())
        })
    }

    fn about(&self, key: &str) -> io::Result<Option<ObjectAbout>> {
        self.operation(|contents| Ok(contents.objects.get(key).map(|object| about(key, object))))
    }

    fn read(&self, object: &ObjectAbout, range: Range<u64>) -> io::Result<Vec<u8>> {
        self.operation(|contents| {
            let (bytes, version) = contents.objects.get(&object.key).ok_or(ErrorKind::NotFound)?;
            if object.version != Some(version.to_string()) {
                return Err(io::Error::new(
                    ErrorKind::InvalidData,
                    "it is another object by now than it was when it was found",
                ));
            }
            let found = bytes.get(range.start as usize..range.end as usize).ok_or(ErrorKind::UnexpectedEof)?.to_vec();
            contents.bytes_read += found.len() as u64;
            Ok(found)
        })
    }

    fn create(&self, key: &str, bytes: Vec<u8>) -> io::Result<bool> {
        self.operation(|contents| {
            if contents.objects.contains_key(key) {
                return Ok(false);
            }
            contents.versions += 1;
            let version = contents.versions;
            contents.objects.insert(key.to_owned(), (bytes, version));
            Ok(true)
        })
    }

    fn upload(&self, key: &str, file: &mut File, bytes: u64) -> io::Result<()> {
        let mut read = Vec::new();
        file.take(bytes).read_to_end(&mut read)?;
        assert_eq!(read.len() as u64, bytes);
        self.operation(|contents| {
            contents.versions += 1;
            let version = contents.versions;
            contents.objects.insert(key.to_owned(), (read, version));
            Ok(())
        })
    }

    fn remove(&self, keys: &[String]) -> io::Result<()> {
        self.operation(|contents| {
            for key in keys {
                contents.objects.remove(key);
            }
            Ok(())
        })
    }
}

fn about(key: &str, (bytes, version): &(Vec<u8>, u64)) -> ObjectAbout {
    ObjectAbout { key: key.to_owned(), bytes: bytes.len() as u64, version: Some(version.to_string()) }
}
