//! Opening a file of a user without waiting for it, and reading it without taking more than its
//! share.
//!
//! Opening a pipe waits for a writer that may never come, and a device may be endless.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// Opens a regular file; with its size, bytes.
///
/// # Errors
/// It cannot be opened, or is no regular file.
pub fn open(path: &Path) -> Result<(File, u64)> {
    check(&std::fs::metadata(path)?)?;
    let file = File::open(path)?;
    // Another one may have taken its place.
    let about = file.metadata()?;
    check(&about)?;
    Ok((file, about.len()))
}

fn check(about: &std::fs::Metadata) -> Result<()> {
    match () {
        () if about.is_file() => Ok(()),
        () if about.is_dir() => Err(Error::new(ErrorKind::IsADirectory, "it is a directory")),
        () => Err(Error::new(ErrorKind::InvalidInput, "it is not a regular file")),
    }
}

/// The bytes of a regular file that has at most `limit` of them.
///
/// # Errors
/// As for [`open`]; [`ErrorKind::FileTooLarge`].
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let too_large = |bytes: u64| {
        let problem = format!("it has {bytes} bytes or more, and the limit is {limit}");
        Error::new(ErrorKind::FileTooLarge, problem)
    };
    let (file, claimed) = open(path)?;
    if claimed > limit {
        return Err(too_large(claimed));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(claimed).unwrap_or(0));
    // A file may grow while it is read, and some file systems claim no size.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(too_large(bytes.len() as u64)) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_within_the_limit_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        std::fs::write(&path, b"four").expect("written");
        assert_eq!(read(&path, 4).expect("fits"), b"four");
        let kind = |path: &Path, limit| read(path, limit).expect_err("refused").kind();
        assert_eq!(kind(&path, 3), ErrorKind::FileTooLarge);
        assert_eq!(kind(folder.path(), 9), ErrorKind::IsADirectory);
        assert_eq!(kind(&folder.path().join("b"), 9), ErrorKind::NotFound);
        #[cfg(unix)]
        assert_eq!(kind(Path::new("/dev/zero"), 9), ErrorKind::InvalidInput);
    }
}
