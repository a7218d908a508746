//! Checks of a Parquet file before the decoder sees it.
//!
//! The decoder reserves memory for as many row groups as the footer claims, and walks the tree of
//! columns by recursion. Hostile bytes could make both numbers as large as they like. This module
//! finds both in the footer (Thrift compact protocol, struct `FileMetaData` of the format's
//! `parquet.thrift`) and refuses numbers that no writer makes.

use clearsweep_base::error::{Error, Result};
use std::collections::BTreeSet;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Structures nested deeper than this are refused, in the tree of columns and in the footer itself.
const MAX_DEPTH: usize = 64;

/// Longest footer, bytes: a quarter of a million row groups. In memory it takes several times as
/// much.
const MAX_FOOTER: u64 = 256 << 20;

/// Bytes of the tail: the footer's length, and the magic.
const TAIL: u64 = 8;

/// Checks the magic and the footer of a file of `bytes` bytes. Returns the leaf columns that are
/// encrypted, ascending.
///
/// # Errors
/// It is no Parquet file, or its footer is damaged.
pub fn check<R: Read + Seek>(path: &Path, mut file: R, bytes: u64) -> Result<Vec<usize>> {
    let unreadable = |error| Error::unreadable(path, &error);
    let mut head = [0; 4];
    read_at(&mut file, 0, &mut head).map_err(unreadable)?;
    if head != *b"PAR1" && head != *b"PARE" {
        return Err(Error::input(
            path.display(),
            "is not a Parquet file",
            "check that the name of the file says what it is; a glob such as DIR/**/*.parquet leaves other files out",
        ));
    }
    let damaged =
        |problem: &str| Error::input(path.display(), problem, "the file is cut off or damaged: write or copy it again");
    let mut tail = [0; TAIL as usize];
    let end = bytes.saturating_sub(TAIL);
    if bytes < 12 || read_at(&mut file, end, &mut tail).map_err(unreadable)? < tail.len() {
        return Err(damaged("is truncated: it has no footer"));
    }
    let [a, b, c, d, magic @ ..] = tail;
    if magic == *b"PARE" {
        return Err(Error::input(path.display(), "is encrypted", "write it without encryption"));
    }
    if magic != *b"PAR1" {
        return Err(damaged("is truncated: it does not end with the magic bytes PAR1"));
    }
    let length = u64::from(u32::from_le_bytes([a, b, c, d]));
    let start = end.checked_sub(length).ok_or_else(|| damaged("is truncated: its footer is longer than the file"))?;
    if length > MAX_FOOTER {
        let problem = format!("has a footer of {length} bytes, more than {MAX_FOOTER}");
        return Err(Error::input(path.display(), problem, "write larger row groups, or several files"));
    }
    let mut footer = vec![0; length as usize];
    if read_at(&mut file, start, &mut footer).map_err(unreadable)? < footer.len() {
        return Err(damaged("is truncated: its footer cannot be read"));
    }
    Cursor { bytes: &footer }.file_metadata().ok_or_else(|| damaged("has a damaged footer"))
}

/// Reads at an offset until the buffer or the file is full; the number of bytes read.
pub(super) fn read_at(file: &mut (impl Read + Seek), start: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
    file.seek(SeekFrom::Start(start))?;
    let mut count = 0;
    while count < buffer.len() {
        match file.read(&mut buffer[count..]) {
            Ok(0) => break,
            Ok(read) => count += read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(count)
}

/// The wire types of the Thrift compact protocol.
mod wire {
    pub(super) const STOP: u8 = 0;
    pub(super) const TRUE: u8 = 1;
    pub(super) const FALSE: u8 = 2;
    pub(super) const BYTE: u8 = 3;
    pub(super) const I16: u8 = 4;
    pub(super) const I32: u8 = 5;
    pub(super) const I64: u8 = 6;
    pub(super) const DOUBLE: u8 = 7;
    pub(super) const BINARY: u8 = 8;
    pub(super) const LIST: u8 = 9;
    pub(super) const SET: u8 = 10;
    pub(super) const MAP: u8 = 11;
    pub(super) const STRUCT: u8 = 12;
    pub(super) const UUID: u8 = 13;
}

/// `FileMetaData.schema`, a list of `SchemaElement`.
const FIELD_SCHEMA: i64 = 2;
/// `FileMetaData.row_groups`, a list of `RowGroup`.
const FIELD_ROW_GROUPS: i64 = 4;
/// `RowGroup.columns`, a list of `ColumnChunk`.
const FIELD_COLUMNS: i64 = 1;
/// `ColumnChunk.crypto_metadata`: the chunk is encrypted.
const FIELD_CRYPTO: i64 = 8;
/// `SchemaElement.num_children`.
const FIELD_CHILDREN: i64 = 5;

/// `PageHeader.uncompressed_page_size` and `PageHeader.compressed_page_size`.
const FIELDS_SIZES: [i64; 2] = [2, 3];
/// `PageHeader.data_page_header` and `PageHeader.data_page_header_v2`, each with the number of its
/// `encoding`.
const FIELDS_DATA: [(i64, i64); 2] = [(5, 2), (8, 4)];
/// `PageHeader.dictionary_page_header`, with the number of its `encoding`.
const FIELD_DICTIONARY: (i64, i64) = (7, 2);
/// `num_values` in each of the three.
const FIELD_VALUES: i64 = 1;

/// Sizes (bytes), counts of values and encoding from the header of a page.
#[derive(Debug, PartialEq)]
pub(super) struct PageHeader {
    /// Length of the header itself.
    pub(super) length: u64,
    /// Size of the page after the header, compressed.
    pub(super) compressed: u64,
    /// Size of the page's contents, uncompressed.
    pub(super) uncompressed: u64,
    /// The values of the column that it holds, nulls included; `None` if it is no data page.
    pub(super) values: Option<u64>,
    /// The values of the dictionary that it holds.
    pub(super) entries: Option<u64>,
    /// Encoding of its values: a number of the format's `Encoding`.
    pub(super) encoding: Option<i64>,
}

impl PageHeader {
    /// Returns the header that bytes begin with; `None` if they end early or make no sense.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let mut cursor = Cursor { bytes };
        let (mut id, mut sizes, mut values, mut entries, mut encoding) = (0, [None; 2], None, None, None);
        while let Some(kind) = cursor.field(&mut id)? {
            let data = FIELDS_DATA.iter().find(|(field, _)| *field == id);
            match (kind, data, FIELDS_SIZES.iter().position(|field| *field == id)) {
                (wire::I32, _, Some(which)) => {
                    let size = i32::try_from(cursor.zigzag()?).ok()?;
                    sizes[which] = Some(u64::try_from(size).ok()?);
                }
                (wire::STRUCT, Some(&(_, field)), _) => {
                    let (count, how) = cursor.page_values(field)?;
                    (values, encoding) = (Some(count), how);
                }
                (wire::STRUCT, ..) if id == FIELD_DICTIONARY.0 => {
                    let (count, how) = cursor.page_values(FIELD_DICTIONARY.1)?;
                    (entries, encoding) = (Some(count), how);
                }
                _ => cursor.skip(kind, 0)?,
            }
        }
        let length = (bytes.len() - cursor.bytes.len()) as u64;
        Some(Self { length, compressed: sizes[1]?, uncompressed: sizes[0]?, values, entries, encoding })
    }
}

/// Walks a footer; `None` if it ends early or makes no sense.
struct Cursor<'a> {
    bytes: &'a [u8],
}

impl Cursor<'_> {
    /// The leaf columns that are encrypted, ascending.
    fn file_metadata(mut self) -> Option<Vec<usize>> {
        let (mut id, mut encrypted) = (0, BTreeSet::new());
        while let Some(kind) = self.field(&mut id)? {
            match (id, kind) {
                (FIELD_SCHEMA, wire::LIST) => self.schema()?,
                (FIELD_ROW_GROUPS, wire::LIST) => {
                    for _ in 0..self.structs()? {
                        self.row_group(&mut encrypted)?;
                    }
                }
                _ => self.skip(kind, 0)?,
            }
        }
        Some(encrypted.into_iter().collect())
    }

    /// The length of a list of structs.
    fn structs(&mut self) -> Option<u64> {
        let (kind, count) = self.list()?;
        (kind == wire::STRUCT || count == 0).then_some(count)
    }

    /// Adds the columns that a row group has encrypted.
    fn row_group(&mut self, encrypted: &mut BTreeSet<usize>) -> Option<()> {
        let mut id = 0;
        while let Some(kind) = self.field(&mut id)? {
            if id != FIELD_COLUMNS || kind != wire::LIST {
                self.skip(kind, 0)?;
                continue;
            }
            for column in 0..self.structs()? {
                let mut id = 0;
                while let Some(kind) = self.field(&mut id)? {
                    if id == FIELD_CRYPTO {
                        encrypted.insert(usize::try_from(column).ok()?);
                    }
                    self.skip(kind, 0)?;
                }
            }
        }
        Some(())
    }

    /// The list of schema elements is the tree in depth-first order.
    fn schema(&mut self) -> Option<()> {
        let (kind, count) = self.list()?;
        if kind != wire::STRUCT {
            return None;
        }
        // For every open level: how many children are still to come.
        let mut open: Vec<u64> = Vec::new();
        for _ in 0..count {
            let children = self.schema_element()?;
            if let Some(left) = open.last_mut() {
                *left = left.checked_sub(1)?;
            }
            if children > 0 {
                open.push(children);
            }
            while open.last() == Some(&0) {
                open.pop();
            }
            if open.len() > MAX_DEPTH {
                return None;
            }
        }
        Some(())
    }

    /// The number of children of an element.
    fn schema_element(&mut self) -> Option<u64> {
        let (mut id, mut children) = (0, 0);
        while let Some(kind) = self.field(&mut id)? {
            if id == FIELD_CHILDREN && kind == wire::I32 {
                children = u64::try_from(self.zigzag()?).ok()?;
            } else {
                self.skip(kind, 0)?;
            }
        }
        Some(children)
    }

    /// The number of values in the header of a page of a kind, and how they are encoded, as the
    /// field of this number says.
    fn page_values(&mut self, encoding: i64) -> Option<(u64, Option<i64>)> {
        let (mut id, mut values, mut how) = (0, None, None);
        while let Some(kind) = self.field(&mut id)? {
            match kind {
                wire::I32 if id == FIELD_VALUES => values = Some(u64::try_from(self.zigzag()?).ok()?),
                wire::I32 if id == encoding => how = Some(self.zigzag()?),
                _ => self.skip(kind, 0)?,
            }
        }
        Some((values?, how))
    }

    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(first)
    }

    fn advance(&mut self, count: u64) -> Option<()> {
        self.bytes = self.bytes.get(usize::try_from(count).ok()?..)?;
        Some(())
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..70).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn zigzag(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }

    /// The wire type of the next field of a struct, and its number in `id`; `Some(None)` at the end
    /// of the struct.
    fn field(&mut self, id: &mut i64) -> Option<Option<u8>> {
        let header = self.byte()?;
        let kind = header & 0x0f;
        if kind == wire::STOP {
            return Some(None);
        }
        *id = match header >> 4 {
            0 => self.zigzag()?,
            delta => id.checked_add(i64::from(delta))?,
        };
        Some(Some(kind))
    }

    /// The wire type and number of the elements of a list. Every element takes a byte at least.
    fn list(&mut self) -> Option<(u8, u64)> {
        let header = self.byte()?;
        let count = match header >> 4 {
            15 => self.varint()?,
            count => u64::from(count),
        };
        (count <= self.bytes.len() as u64).then_some((header & 0x0f, count))
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        match kind {
            wire::TRUE | wire::FALSE => Some(()),
            wire::BYTE => self.advance(1),
            wire::I16 | wire::I32 | wire::I64 => self.varint().map(|_| ()),
            wire::DOUBLE => self.advance(8),
            wire::UUID => self.advance(16),
            wire::BINARY => {
                let length = self.varint()?;
                self.advance(length)
            }
            wire::LIST | wire::SET => {
                let (kind, count) = self.list()?;
                (0..count).try_for_each(|_| self.skip_element(kind, depth + 1))
            }
            wire::MAP => self.skip_map(depth),
            wire::STRUCT => {
                let mut id = 0;
                while let Some(kind) = self.field(&mut id)? {
                    self.skip(kind, depth + 1)?;
                }
                Some(())
            }
            _ => None,
        }
    }

    /// Inside a list or map a truth value takes a byte; in a struct it lies in the field's header.
    fn skip_element(&mut self, kind: u8, depth: usize) -> Option<()> {
        match kind {
            wire::TRUE | wire::FALSE => self.advance(1),
            kind => self.skip(kind, depth),
        }
    }

    fn skip_map(&mut self, depth: usize) -> Option<()> {
        let count = self.varint()?;
        if count == 0 {
            return Some(());
        }
        if count > self.bytes.len() as u64 {
            return None;
        }
        let kinds = self.byte()?;
        (0..count).try_for_each(|_| {
            self.skip_element(kinds >> 4, depth + 1)?;
            self.skip_element(kinds & 0x0f, depth + 1)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a schema element with `children` children, and nothing else.
    fn element(children: u8) -> [u8; 3] {
        [0x55, 2 * children, wire::STOP]
    }

    /// A footer with a schema of up to 127 elements.
    fn footer(elements: &[[u8; 3]]) -> Vec<u8> {
        let mut bytes = vec![0x29, 0xfc, elements.len() as u8];
        bytes.extend(elements.iter().flatten());
        bytes.push(wire::STOP);
        bytes
    }

    fn fits(bytes: &[u8]) -> bool {
        Cursor { bytes }.file_metadata().is_some()
    }

    #[test]
    fn flat_schemas_fit_and_deep_ones_do_not() {
        assert!(fits(&footer(&[element(2), element(0), element(0)])));
        let mut chain = vec![element(1); MAX_DEPTH];
        chain.push(element(0));
        assert!(fits(&footer(&chain)));
        chain.insert(0, element(1));
        assert!(!fits(&footer(&chain)));
    }

    #[test]
    fn a_list_cannot_claim_more_elements_than_bytes_follow() {
        // Field 4, the row groups: a list of structs, i32::MAX of them.
        assert!(!fits(&[0x49, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07, 0, 0]));
        assert!(fits(&[0x49, 0x1c, 0, 0]));
        assert!(!fits(&[0x49, 0x3c, 0, 0]));
    }

    #[test]
    fn page_headers_say_their_sizes() {
        // A data page (type 0) of 300 bytes that hold 1,000; then its own header, with two numbers
        // in it.
        let bytes = [0x15, 0, 0x15, 0xd0, 0x0f, 0x15, 0xd8, 0x04, 0x2c, 0x15, 6, 0x15, 14, 0, 0, 99];
        let header = PageHeader {
            length: 15,
            compressed: 300,
            uncompressed: 1000,
            values: Some(3),
            entries: None,
            encoding: Some(7),
        };
        assert_eq!(PageHeader::parse(&bytes), Some(header));
        assert!((0..15).all(|end| PageHeader::parse(&bytes[..end]).is_none()));
        assert_eq!(PageHeader::parse(&[0x25, 1, 0x15, 2, 0]), None, "negative");
        assert_eq!(PageHeader::parse(&[0x15, 0, 0x15, 2, 0]), None, "without a size");
    }

    #[test]
    fn every_cut_is_noticed() {
        let whole = footer(&[element(2), element(0), element(0)]);
        assert!((0..whole.len()).all(|end| !fits(&whole[..end])));
    }
}
