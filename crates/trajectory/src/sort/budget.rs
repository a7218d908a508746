//! How the memory of a sort is shared out.

/// Rows that are decoded, merged or spilled at a time, at most.
const MOST_CHUNK: usize = 8192;
/// Rows of a chunk that are worth the trouble of encoding it.
const LEAST_CHUNK: usize = 128;
/// Stretches that are merged at once, at most; more would be read in pieces too small for a disk
/// that turns.
const MOST_FAN_IN: usize = 128;
/// Rows of a row group, at most, and at least.
const GROUP: (usize, usize) = (1024, 1 << 20);

/// Bytes to share out: half for the rows gathered; later, when these are gone, a third for the
/// chunks of the stretches that are merged and a fifth for the row group being encoded. The rest is
/// for chunks on their way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    pub(super) memory: u64,
    /// Bytes of a row in memory; 1 or more.
    pub(super) row_bytes: usize,
}

impl Budget {
    fn part(&self, of: u64) -> usize {
        usize::try_from(self.memory / of).unwrap_or(usize::MAX)
    }

    /// Bytes of the rows that are gathered before they are sorted.
    pub(super) fn gathered(&self) -> usize {
        self.part(2)
    }

    /// Rows that are decoded at a time.
    pub(super) fn batch_rows(&self) -> usize {
        (self.part(16) / self.row_bytes).clamp(1, MOST_CHUNK)
    }

    /// Rows of a chunk of a stretch.
    pub(super) fn chunk_rows(&self) -> usize {
        (self.part(6 * 64) / self.row_bytes).clamp(LEAST_CHUNK, MOST_CHUNK)
    }

    /// Stretches that are merged at once; a chunk is in memory twice, as it is read and decoded.
    pub(super) fn fan_in(&self) -> usize {
        (self.part(6) / (self.chunk_rows() * self.row_bytes)).clamp(2, MOST_FAN_IN)
    }

    /// Rows of a row group.
    pub(super) fn group_rows(&self) -> usize {
        (self.part(5) / self.row_bytes).clamp(GROUP.0, GROUP.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_fit_into_the_whole() {
        for memory in [1_000_000_u64, 64_000_000, 512_000_000, 64_000_000_000] {
            for row_bytes in [60, 100, 1000] {
                let b = Budget { memory, row_bytes };
                let merged = 2 * b.fan_in() * b.chunk_rows() * row_bytes + b.group_rows() * row_bytes;
                // The least sizes do not shrink any further.
                let least = 4 * LEAST_CHUNK * row_bytes + GROUP.0 * row_bytes;
                assert!(merged as u64 <= memory * 6 / 10 + least as u64, "{b:?}: {merged}");
                assert!((b.batch_rows() * row_bytes) as u64 <= memory / 10 + row_bytes as u64, "{b:?}");
            }
        }
        // Fifty million rows of 84 bytes in half a gigabyte: one pass.
        let b = Budget { memory: 512_000_000, row_bytes: 84 };
        let stretches = 50_000_000 * (84 + 24) / b.gathered();
        assert!(stretches < b.fan_in(), "{stretches} stretches, {} at once", b.fan_in());
        assert!(b.group_rows() == 1 << 20 && b.chunk_rows() > 8000);
    }
}
