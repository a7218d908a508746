//! Checks of the pages of a Parquet column before the decoder sees them.
//!
//! The decoder reserves, and fills with zeros, as many bytes as the header of a compressed page
//! claims: a few bytes can claim two gigabytes. This module walks the headers and refuses a claim
//! beyond what the codec's format can hold in the bytes of the page. It takes a short read for each
//! page.
//!
//! Texts and lists can take far more memory than space in the file, so pages of texts are bounded.
//! If the decoder writes out texts that many rows share, [`PageClaims::batch_rows`] says how many
//! rows to decode at a time.

use super::DAMAGED;
use super::parquet_footer::{PageHeader, read_at};
use clearsweep_base::error::{Error, Result};
use parquet::basic::{Compression, Type as PhysicalType};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use std::io::{Read, Seek};
use std::path::Path;

/// Bytes read for a header: nearly all are shorter.
const HEADER: usize = 512;

/// Longest header, bytes: statistics of long texts lie in it.
const MAX_HEADER: usize = 1 << 20;

/// Bytes that a page of texts may hold, whatever their number...
const MAX_TEXTS: u64 = 16 << 20;

/// ...and for each text more...
const MAX_MEAN_TEXT: u64 = 4 << 10;

/// ...but no more than this.
const MAX_TEXT_PAGE: u64 = 256 << 20;

/// Values of lists in a row group: in the file they may take no space at all.
const MAX_LISTED: u64 = 1 << 25;

/// Bytes that the texts of a batch may take in memory, where they take more than in the file; those
/// of one row may.
const MAX_BATCH: u64 = 256 << 20;

/// `Encoding.DELTA_BYTE_ARRAY`: each text names how much of the text before it begins it.
const SHARED_PREFIXES: i64 = 7;

/// `Encoding.PLAIN_DICTIONARY` and `Encoding.RLE_DICTIONARY`.
const OF_DICTIONARY: [i64; 2] = [2, 8];

/// The claims of the headers of pages.
#[derive(Debug, Default)]
pub struct PageClaims {
    /// Bytes, uncompressed.
    pub bytes: u64,
    /// Whether there is a dictionary of texts.
    pub has_dictionary: bool,
    /// Values, nulls included.
    values: u64,
    /// Bytes of the longest text that many rows may share in the file and not in memory.
    shared: u64,
}

impl PageClaims {
    /// Number of the wanted rows that may be decoded at a time, so that texts that they share take
    /// bounded memory.
    pub fn batch_rows(&self, wanted: usize) -> usize {
        let most = MAX_BATCH / self.shared.max(1);
        wanted.min(usize::try_from(most).unwrap_or(usize::MAX)).max(1)
    }

    /// Adds the claims of another column or row group.
    pub fn add(&mut self, other: &Self) {
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.values = self.values.saturating_add(other.values);
        self.has_dictionary |= other.has_dictionary;
        self.shared = self.shared.max(other.shared);
    }
}

/// Checks the pages of the columns with these root indices in a row group; what they claim.
///
/// # Errors
/// A page claims more than it can hold, its texts are too long, or its header makes no sense; the
/// pages of a column do not hold as many values as the row group claims to have rows; lists hold
/// too many values; the file cannot be read.
pub fn check<R: Read + Seek>(
    path: &Path,
    mut file: R,
    metadata: &ParquetMetaData,
    group: usize,
    roots: &[usize],
) -> Result<PageClaims> {
    let schema = metadata.file_metadata().schema_descr();
    let Some(about) = metadata.row_groups().get(group) else { return Ok(PageClaims::default()) };
    let mut claimed = PageClaims::default();
    for (leaf, chunk) in about.columns().iter().enumerate() {
        if leaf < schema.num_columns() && roots.contains(&schema.get_column_root_idx(leaf)) {
            check_codec(path, chunk)?;
            let found = check_chunk((path, group), &mut file, chunk)?;
            check_values((path, group), about.num_rows(), chunk, &found)?;
            claimed.add(&found);
        }
    }
    Ok(claimed)
}

/// The place of a row group, for messages.
fn in_group((path, group): (&Path, usize)) -> String {
    format!("{}, row group {group}", path.display())
}

/// Checks the number of values that a column's pages claim in a row group of `rows` rows.
fn check_values(of: (&Path, usize), rows: i64, chunk: &ColumnChunkMetaData, found: &PageClaims) -> Result<()> {
    let (column, values) = (chunk.column_path().string(), found.values);
    if chunk.column_descr().max_rep_level() == 0 {
        if u64::try_from(rows) == Ok(values) {
            return Ok(());
        }
        let problem = format!("claims to hold {rows} rows, and its column `{column}` holds {values} values");
        return Err(Error::input(in_group(of), problem, DAMAGED));
    }
    // Lists have more values than rows, and a list is decoded as a whole.
    if values > MAX_LISTED || found.shared.saturating_mul(values) > MAX_BATCH {
        let problem = format!("holds {values} values in the lists of its column `{column}`");
        return Err(Error::input(in_group(of), problem, "write row groups of fewer rows, with a dictionary"));
    }
    Ok(())
}

/// Checks that a file claims to hold as many rows as its row groups do.
///
/// # Errors
/// It does not: some of its rows would go unread, or there are none.
pub fn check_rows(path: &Path, metadata: &ParquetMetaData) -> Result<()> {
    let groups: i128 = metadata.row_groups().iter().map(|group| i128::from(group.num_rows())).sum();
    let claimed = metadata.file_metadata().num_rows();
    if i128::from(claimed) == groups {
        return Ok(());
    }
    let problem = format!("claims to hold {claimed} rows, and its row groups {groups}");
    Err(Error::input(path.display(), problem, DAMAGED))
}

/// Refuses encrypted columns among the root columns `roots`; `encrypted`: leaf columns, as
/// `parquet_footer::check` finds them.
///
/// # Errors
/// One of them is encrypted.
pub fn refuse_encrypted(path: &Path, metadata: &ParquetMetaData, encrypted: &[usize], roots: &[usize]) -> Result<()> {
    let schema = metadata.file_metadata().schema_descr();
    let wanted = |leaf: usize| leaf < schema.num_columns() && roots.contains(&schema.get_column_root_idx(leaf));
    let Some(&leaf) = encrypted.iter().find(|leaf| wanted(**leaf)) else { return Ok(()) };
    let problem = format!("column `{}` is encrypted", schema.column(leaf).path().string());
    Err(Error::input(path.display(), problem, "write the file without encryption"))
}

/// Checks that the columns with these root indices are compressed by codecs that the decoder has,
/// in all row groups.
///
/// # Errors
/// A column is compressed otherwise: the file is sound, but cannot be read.
pub fn check_codecs(path: &Path, metadata: &ParquetMetaData, roots: &[usize]) -> Result<()> {
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

fn check_chunk<R: Read + Seek>(of: (&Path, usize), file: &mut R, chunk: &ColumnChunkMetaData) -> Result<PageClaims> {
    let most = most(chunk.compression());
    let is_text = chunk.column_descr().physical_type() == PhysicalType::BYTE_ARRAY;
    let damaged = |problem: String| {
        let column = chunk.column_path().string();
        Error::input(in_group(of), format!("column `{column}` {problem}"), DAMAGED)
    };
    let start = chunk.dictionary_page_offset().unwrap_or_else(|| chunk.data_page_offset());
    let (Ok(mut at), Ok(length)) = (u64::try_from(start), u64::try_from(chunk.compressed_size())) else {
        return Err(damaged("lies at a negative place".to_owned()));
    };
    let end = at.saturating_add(length);
    let mut bytes = Vec::new();
    let mut claims = PageClaims::default();
    let (mut dictionary, mut is_mixed) = (0, false);
    while at < end {
        let header = header(file, at, end, &mut bytes).map_err(|error| Error::unreadable(of.0, &error))?;
        let header = header.ok_or_else(|| damaged("has a page whose header makes no sense".to_owned()))?;
        if most.is_some_and(|most| header.uncompressed > most(header.compressed)) {
            return Err(damaged(format!(
                "has a page of {} bytes that claims to hold {}",
                header.compressed, header.uncompressed
            )));
        }
        let texts = header.values.or(header.entries).unwrap_or(0);
        if is_text && header.uncompressed > most_texts(texts) {
            let column = chunk.column_path().string();
            let problem =
                format!("column `{column}` has a page of {} bytes of text (values: {texts})", header.uncompressed);
            let remedy = "write shorter texts (names have at most 65536 bytes), or pages of fewer rows";
            return Err(Error::input(in_group(of), problem, remedy));
        }
        claims.bytes = claims.bytes.saturating_add(header.uncompressed);
        claims.values = claims.values.saturating_add(header.values.unwrap_or(0));
        if is_text && header.entries.is_some() {
            claims.has_dictionary = true;
            dictionary = header.uncompressed.max(dictionary);
        } else if is_text {
            is_mixed |= header.encoding.is_none_or(|how| !OF_DICTIONARY.contains(&how));
            let prefixes = header.encoding.is_none_or(|how| how == SHARED_PREFIXES);
            claims.shared = claims.shared.max(if prefixes { header.uncompressed } else { 0 });
        }
        at = at.saturating_add(header.length).saturating_add(header.compressed);
    }
    // The decoder writes out the texts of a dictionary where a batch also has texts beside it.
    claims.shared = claims.shared.max(if is_mixed { dictionary } else { 0 });
    Ok(claims)
}

/// Returns the most bytes that a page of `texts` texts may hold.
fn most_texts(texts: u64) -> u64 {
    MAX_TEXTS.saturating_add(texts.saturating_mul(MAX_MEAN_TEXT)).min(MAX_TEXT_PAGE)
}

/// The header at a byte, read again with more bytes if it does not fit; `None` if it makes no
/// sense.
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

/// Returns the function from compressed bytes to the most bytes that they can hold; `None` if
/// nothing is reserved.
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
