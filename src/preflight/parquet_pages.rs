//! What is checked of the pages of a Parquet column before the decoder sees them.
//!
//! The decoder reserves, and fills with zeros, as many bytes as the header of a compressed page claims: two gigabytes, if
//! so few bytes say so. Here the headers are walked, and a claim beyond what the codec's format can hold in the bytes of
//! the page is refused. It takes a short read for each page.

use super::parquet_footer::{PageHeader, read_at};
use crate::error::{Error, Result};
use parquet::basic::Compression;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use std::io::{Read, Seek};
use std::path::Path;

/// Bytes read for a header: nearly all are shorter.
const HEADER: usize = 512;

/// Longest header, bytes: statistics of long texts lie in it.
const MAX_HEADER: usize = 1 << 20;

/// Checks the pages of the columns with these root indices in a row group.
///
/// # Errors
/// A page claims more than it can hold, or its header makes no sense; the file cannot be read.
pub(crate) fn check<R: Read + Seek>(
    path: &Path,
    mut file: R,
    metadata: &ParquetMetaData,
    group: usize,
    roots: &[usize],
) -> Result<()> {
    let schema = metadata.file_metadata().schema_descr();
    let Some(group) = metadata.row_groups().get(group) else { return Ok(()) };
    for (leaf, chunk) in group.columns().iter().enumerate() {
        if leaf < schema.num_columns() && roots.contains(&schema.get_column_root_idx(leaf)) {
            check_chunk(path, &mut file, chunk)?;
        }
    }
    Ok(())
}

/// Checks that the columns with these root indices are compressed by codecs that the decoder has, in all row groups.
///
/// # Errors
/// A column is compressed otherwise: the file is sound, but cannot be read.
pub(crate) fn check_codecs(path: &Path, metadata: &ParquetMetaData, roots: &[usize]) -> Result<()> {
    let schema = metadata.file_metadata().schema_descr();
    let chunks = metadata.row_groups().iter().flat_map(|group| group.columns().iter().enumerate());
    let wanted = |leaf: usize| leaf < schema.num_columns() && roots.contains(&schema.get_column_root_idx(leaf));
    chunks.filter(|(leaf, _)| wanted(*leaf)).try_for_each(|(_, chunk)| check_codec(path, chunk))
}

fn check_codec(path: &Path, chunk: &ColumnChunkMetaData) -> Result<()> {
    let codec = match chunk.compression() {
        Compression::BROTLI(_) => "brotli",
        Compression::LZO => "lzo",
        _ => return Ok(()),
    };
    Err(Error::input(
        path.display(),
        format!("column `{}` is compressed with {codec}, which is not supported", chunk.column_path().string()),
        "write the file with zstd, snappy, gzip, lz4 or without compression (pandas: compression=\"zstd\")",
    ))
}

fn check_chunk<R: Read + Seek>(path: &Path, file: &mut R, chunk: &ColumnChunkMetaData) -> Result<()> {
    check_codec(path, chunk)?;
    let Some(most) = most(chunk.compression()) else { return Ok(()) };
    let damaged = |problem: String| {
        let column = chunk.column_path().string();
        Error::input(path.display(), format!("column `{column}` {problem}"), "the file is damaged: write it again")
    };
    let start = chunk.dictionary_page_offset().unwrap_or_else(|| chunk.data_page_offset());
    let (Ok(mut at), Ok(length)) = (u64::try_from(start), u64::try_from(chunk.compressed_size())) else {
        return Err(damaged("lies at a negative place".to_owned()));
    };
    let end = at.saturating_add(length);
    let mut bytes = Vec::new();
    while at < end {
        let header = header(file, at, end, &mut bytes).map_err(|error| Error::unreadable(path, &error))?;
        let header = header.ok_or_else(|| damaged("has a page whose header makes no sense".to_owned()))?;
        if header.uncompressed > most(header.compressed) {
            return Err(damaged(format!(
                "has a page of {} bytes that claims to hold {}",
                header.compressed, header.uncompressed
            )));
        }
        at = at.saturating_add(header.length).saturating_add(header.compressed);
    }
    Ok(())
}

/// The header at a byte, read further where it does not fit; `None` if it makes no sense.
fn header<R: Read + Seek>(file: &mut R, at: u64, end: u64, bytes: &mut Vec<u8>) -> std::io::Result<Option<PageHeader>> {
    let left = usize::try_from(end - at).unwrap_or(usize::MAX);
    for most in [HEADER, MAX_HEADER] {
        bytes.resize(left.min(most), 0);
        let count = read_at(file, at, bytes)?;
        let header = PageHeader::parse(&bytes[..count]);
        if header.is_some() || count < most {
            return Ok(header);
        }
    }
    Ok(None)
}

/// The most bytes that so many compressed ones can hold; `None` where nothing is reserved.
fn most(codec: Compression) -> Option<fn(u64) -> u64> {
    match codec {
        // A copy of at most 64 bytes takes three (format description of Snappy, section 2.2).
        Compression::SNAPPY => Some(|bytes| 22 * bytes + 64),
        // A match of at most 258 bytes takes two bits (RFC 1951, section 3.2.5).
        Compression::GZIP(_) => Some(|bytes| 1032 * bytes + 64),
        // Every byte adds at most 255 to the length of a match (LZ4 block format, "sequences").
        Compression::LZ4 | Compression::LZ4_RAW => Some(|bytes| 255 * bytes + 64),
        // A block begins with three bytes and holds at most 128 KiB (RFC 8878, section 3.1.1.2).
        Compression::ZSTD(_) => Some(|bytes| (bytes / 3 + 1) * (128 << 10)),
        // Not compressed; or by a codec that the decoder does not have.
        _ => None,
    }
}
