//! The operations of a store.

use super::address::Address;
use clearsweep_base::error::{Error, Result};
use std::fmt;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// An object as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectAbout {
    /// Key in the bucket.
    pub key: String,
    /// Length, bytes.
    pub bytes: u64,
    /// The version that reads ask for (entity tag); `None`: the store tells none.
    pub version: Option<String>,
}

/// A bucket of an object store. Every operation waits for its end, and is tried again if that may
/// help.
pub trait Store: fmt::Debug + Send + Sync {
    /// The objects whose keys begin with `folder`, then a slash; all of the bucket if it is empty.
    ///
    /// # Errors
    /// The store cannot be reached, or refuses.
    fn list(&self, folder: &str) -> io::Result<Vec<ObjectAbout>>;

    /// An object; `None`: there is none with this key.
    ///
    /// # Errors
    /// As for [`Self::list`].
    fn about(&self, key: &str) -> io::Result<Option<ObjectAbout>>;

    /// Bytes of an object of this version.
    ///
    /// # Errors
    /// As for [`Self::list`]; the object is gone, or of another version by now.
    fn read(&self, object: &ObjectAbout, range: Range<u64>) -> io::Result<Vec<u8>>;

    /// Writes a new object at once; returns whether none was there.
    ///
    /// # Errors
    /// As for [`Self::list`].
    fn create(&self, key: &str, bytes: Vec<u8>) -> io::Result<bool>;

    /// Writes an object of `bytes` bytes from a file, at once however large it is.
    ///
    /// # Errors
    /// As for [`Self::list`]; the file cannot be read.
    fn upload(&self, key: &str, file: &mut File, bytes: u64) -> io::Result<()>;

    /// Removes objects. Objects that are gone count as removed.
    ///
    /// # Errors
    /// As for [`Self::list`].
    fn remove(&self, keys: &[String]) -> io::Result<()>;
}

/// Connects to the bucket of an address.
pub type Connect = fn(&Address) -> Result<Arc<dyn Store>>;

static CONNECT: OnceLock<Connect> = OnceLock::new();

/// Says how buckets are connected to, for the whole process; the first one counts. Without, every
/// address is an error.
pub fn register(connect: Connect) {
    let _ = CONNECT.set(connect);
}

/// Connects to the bucket of an address.
///
/// # Errors
/// No clients are registered, or theirs: the environment holds a key or an endpoint that is none.
pub(crate) fn connect(address: &Address) -> Result<Arc<dyn Store>> {
    let Some(connect) = CONNECT.get() else {
        let problem = "is in an object store, and this program was built without clients of them";
        return Err(Error::usage(address, problem, "build it with `--features object-store`, or copy the files"));
    };
    connect(address)
}

/// The error of a store about input.
pub(crate) fn unreadable(address: &Address, error: &io::Error) -> Error {
    let remedy = match error.kind() {
        io::ErrorKind::NotFound => "check the bucket and the key",
        io::ErrorKind::PermissionDenied => ACCESS,
        io::ErrorKind::InvalidData => "keep the objects unchanged while they are read",
        _ => REACH,
    };
    Error::input(address, format!("cannot be read ({error})"), remedy)
}

/// The error of a store about output.
pub(crate) fn unwritable(address: &Address, error: &io::Error) -> Error {
    let remedy = match error.kind() {
        io::ErrorKind::PermissionDenied => ACCESS,
        _ => REACH,
    };
    Error::output(address, format!("cannot be written ({error})"), remedy)
}

/// The remedy where a store refuses.
const ACCESS: &str =
    "check the keys in the environment (AWS_ACCESS_KEY_ID, AZURE_STORAGE_..., GOOGLE_...) and what they may do";

/// The remedy where a store does not answer.
const REACH: &str =
    "check the network, and the region and the endpoint in the environment (AWS_REGION, AWS_ENDPOINT_URL)";
