//! Copies of objects in files, block by block, by several threads.

use super::store::{ObjectAbout, Store};
use std::fs::File;
use std::io;
use std::ops::Range;

/// Bytes of a block: the least that is asked for.
pub(crate) const BLOCK: u64 = 256 << 10;

/// Most blocks of a request.
pub(crate) const REQUEST: u64 = 32;

/// Requests at a time.
pub(crate) const AT_A_TIME: usize = 8;

/// Blocks of an object.
pub(crate) fn block_count(object: &ObjectAbout) -> u64 {
    object.bytes.div_ceil(BLOCK)
}

/// Copies blocks of an object to their places in a file, by one request.
pub(crate) fn copy_blocks(store: &dyn Store, object: &ObjectAbout, blocks: &Range<u64>, file: &File) -> io::Result<()> {
    let range = blocks.start * BLOCK..(blocks.end * BLOCK).min(object.bytes);
    let bytes = store.read(object, range.clone())?;
    if bytes.len() as u64 != range.end - range.start {
        let problem = format!("{} bytes at {} instead of {}", bytes.len(), range.start, range.end - range.start);
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, problem));
    }
    write_all_at(file, &bytes, range.start)
}

/// Reads at a place of a file, which other readers do not move.
///
/// # Errors
/// The disk failed.
#[cfg(unix)]
pub fn read_at(file: &File, to: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, to, at)
}

#[cfg(unix)]
fn write_all_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

/// See above.
///
/// # Errors
/// The disk failed.
#[cfg(windows)]
pub fn read_at(file: &File, to: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, to, at)
}

#[cfg(windows)]
fn write_all_at(file: &File, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let count = std::os::windows::fs::FileExt::seek_write(file, bytes, at)?;
        if count == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        bytes = &bytes[count..];
        at += count as u64;
    }
    Ok(())
}

/// See above.
///
/// # Errors
/// The disk failed.
#[cfg(not(any(unix, windows)))]
pub fn read_at(mut file: &File, to: &mut [u8], at: u64) -> io::Result<usize> {
    use std::io::{Read, Seek, SeekFrom};
    file.seek(SeekFrom::Start(at))?;
    file.read(to)
}

#[cfg(not(any(unix, windows)))]
fn write_all_at(mut file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    use std::io::{Seek, SeekFrom, Write};
    file.seek(SeekFrom::Start(at))?;
    file.write_all(bytes)
}
