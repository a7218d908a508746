//! Addresses of objects and of folders of objects.

use clearsweep_base::error::{Error, Result};
use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

/// The schemes of object stores.
const SCHEMES: [&str; 7] = ["s3", "s3a", "gs", "az", "azure", "abfs", "abfss"];

/// The place that a path of the user names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// A path of this machine.
    Local(PathBuf),
    /// Objects in a store.
    Remote(Address),
}

/// An address: `scheme://bucket/key`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// The scheme with the bucket: `s3://bucket`.
    pub bucket: String,
    /// The key, without slashes at its ends.
    pub(crate) key: String,
    /// Whether the address ends with a slash: it names a folder.
    pub(crate) is_folder: bool,
}

impl Address {
    /// The address of an object below this one.
    #[must_use]
    pub fn join(&self, name: &str) -> Self {
        let is_bare = self.key.is_empty() || name.is_empty();
        let key = if is_bare { format!("{}{name}", self.key) } else { format!("{}/{name}", self.key) };
        Self { bucket: self.bucket.clone(), key, is_folder: false }
    }

    /// The address of another key of the same bucket.
    pub(crate) fn with_key(&self, key: &str) -> Self {
        Self { bucket: self.bucket.clone(), key: key.to_owned(), is_folder: false }
    }

    /// The address as a path, for messages and tables.
    pub fn to_path(&self) -> PathBuf {
        PathBuf::from(self.to_string())
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.bucket, self.key)
    }
}

/// Whether a path is of this machine, or the address of objects. `file:///PATH` and `file:/PATH`
/// (RFC 8089) are of this machine.
///
/// # Errors
/// The scheme of the address is not known, or it has no bucket.
pub fn location(path: &Path) -> Result<Location> {
    let text = path.to_string_lossy();
    let text = match text.strip_prefix("file:/") {
        Some(rest) if !rest.starts_with('/') => Cow::from(format!("file:///{rest}")),
        _ => text,
    };
    let Some((scheme, rest)) = text.split_once("://").filter(|(scheme, _)| is_scheme(scheme)) else {
        return Ok(Location::Local(path.to_owned()));
    };
    if scheme == "file" {
        let rest = rest.strip_prefix("localhost").unwrap_or(rest);
        return match rest.starts_with('/') && !rest.contains('%') {
            true => Ok(Location::Local(PathBuf::from(rest))),
            false => Err(Error::usage(path.display(), "is no address of a file of this machine", "give its path")),
        };
    }
    if !SCHEMES.contains(&scheme) {
        let problem = format!("is an address of a kind that is not known ({scheme}://)");
        return Err(Error::usage(
            path.display(),
            problem,
            "give a path, or s3://, gs:// or az:// with a bucket and a key",
        ));
    }
    let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
    if bucket.is_empty() {
        return Err(Error::usage(path.display(), "names no bucket", format!("give {scheme}://BUCKET/KEY")));
    }
    let is_folder = key.is_empty() || key.ends_with('/');
    let key = key.trim_matches('/').to_owned();
    Ok(Location::Remote(Address { bucket: format!("{scheme}://{bucket}"), key, is_folder }))
}

/// A path of this machine that is written as an address, as a path; others stay as they are.
///
/// # Errors
/// As for [`location`].
pub fn local(path: &Path) -> Result<PathBuf> {
    Ok(match location(path)? {
        Location::Local(path) => path,
        Location::Remote(_) => path.to_owned(),
    })
}

/// Whether a text is a scheme, and no drive or directory.
fn is_scheme(text: &str) -> bool {
    text.len() > 1 && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_addresses_are_told_apart() {
        let remote = |text: &str| match location(Path::new(text)) {
            Ok(Location::Remote(address)) => (address.to_string(), address.is_folder),
            other => (format!("{other:?}"), false),
        };
        assert_eq!(remote("s3://b/a/t.parquet"), ("s3://b/a/t.parquet".to_owned(), false));
        assert_eq!(remote("gs://b/a/"), ("gs://b/a".to_owned(), true));
        assert_eq!(remote("az://b"), ("az://b/".to_owned(), true));
        let local = |text: &str| location(Path::new(text)).expect("known");
        for path in ["a/b.csv", "c://x", "/s3:/b", "s3:/b/c", "./a b://c"] {
            assert_eq!(local(path), Location::Local(PathBuf::from(path)), "{path}");
        }
        assert_eq!(local("file:///a/b"), Location::Local(PathBuf::from("/a/b")));
        assert_eq!(local("file:/a/b"), Location::Local(PathBuf::from("/a/b")));
        for (text, problem) in
            [("hdfs://a/b", "not known"), ("s3:///b", "no bucket"), ("file://a/b", "of this machine")]
        {
            let error = location(Path::new(text)).expect_err(text).to_string();
            assert!(error.contains(problem), "{error}");
        }
    }

    #[test]
    fn names_are_joined_by_one_slash() {
        let Ok(Location::Remote(address)) = location(Path::new("s3://b/a/")) else { panic!("an address") };
        assert_eq!(address.join("t/u").to_string(), "s3://b/a/t/u");
        let Ok(Location::Remote(bucket)) = location(Path::new("s3://b")) else { panic!("an address") };
        assert_eq!(bucket.join("t").to_string(), "s3://b/t");
    }
}
