//! Lists of entries in a checkpoint, written and read piece by piece, since they may be larger than
//! memory.

use crate::spill::SpillEntry;
use std::io::{self, Read, Write};

/// Entries that are written or read at a time.
const PIECE: u64 = 4096;

/// Something with a list of entries, which a checkpoint takes down.
pub(crate) trait StoredEntries {
    /// Number of entries that [`Self::store`] writes.
    fn count(&mut self) -> u64;

    /// Writes all entries.
    ///
    /// # Errors
    /// A spill file cannot be read, or `to` fails.
    fn store(&mut self, to: &mut dyn Write) -> io::Result<()>;
}

/// Writes entries one after the other.
pub(crate) fn store_entries<E: SpillEntry>(entries: impl Iterator<Item = E>, to: &mut dyn Write) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(PIECE as usize * E::BYTES);
    for entry in entries {
        entry.write(&mut bytes);
        if bytes.len() == bytes.capacity() {
            to.write_all(&bytes)?;
            bytes.clear();
        }
    }
    to.write_all(&bytes)
}

/// Reads a list with its number, and hands it to `each` in pieces.
///
/// # Errors
/// `from` ends too early.
pub(crate) fn read_entries<E: SpillEntry>(
    from: &mut impl Read,
    each: &mut dyn FnMut(&[E]) -> clearsweep_base::Result<()>,
) -> io::Result<clearsweep_base::Result<()>> {
    let mut word = [0; 8];
    from.read_exact(&mut word)?;
    let mut left = u64::from_le_bytes(word);
    while left > 0 {
        let mut bytes = vec![0; left.min(PIECE) as usize * E::BYTES];
        from.read_exact(&mut bytes)?;
        let entries: Vec<E> = bytes.chunks_exact(E::BYTES).map(E::read).collect();
        if let Err(error) = each(&entries) {
            return Ok(Err(error));
        }
        left -= entries.len() as u64;
    }
    Ok(Ok(()))
}
