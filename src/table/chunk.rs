//! A column of a row group: pages one after the other, then the dictionary and the metadata.
//!
//! Parquet's own writer is for any column: it hashes every value of a dictionary column and copies every page several
//! times. Here the values are known to be small numbers or full mantissas. What is in a page is put together here;
//! page headers, indices and footers stay with the library.

use super::columns::{Column, Values, Words};
use super::dictionary::{Dictionary, Distinct};
use super::ends::{Ends, statistics};
use super::hybrid;
use super::packer::{self, Frame, Packer, Trial};
use super::schema::{Kind, Spec, Vocabulary};
use super::segments::{ChunkBytes, Segments};
use super::settings;
use bytes::Bytes;
use parquet::basic::{BoundaryOrder, Encoding, EncodingMask, PageType, Type};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::Result;
use parquet::file::metadata::{ColumnChunkMetaData, ColumnIndexBuilder, OffsetIndexBuilder, PageEncodingStats};
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;

/// Bytes of a dictionary of numbers before a column gives it up. Codes keep theirs: a row group bounds it.
const NUMBERS_BYTES: usize = 1 << 20;

/// A column of the row group in progress.
pub(super) struct ColumnChunk {
    kind: Type,
    nullable: bool,
    /// Whether the page index holds least and greatest values.
    indexed: bool,
    dictionary: Option<Dictionary>,
    trial: Trial,
    open: Open,
    /// Dictionary indices and levels of the page in progress; kept for their memory.
    indices: Vec<u32>,
    levels: Vec<u8>,
}

/// What is encoded of the row group.
struct Open {
    sink: TrackedWrite<Segments>,
    pages: Vec<PageEntry>,
    uncompressed: usize,
    rows: usize,
    nulls: u64,
    ends: Option<Ends>,
    index: ColumnIndexBuilder,
    /// Ends of the last page that had a value, and whether the ends of all pages rise, and fall.
    last: Option<Ends>,
    rises: bool,
    falls: bool,
    /// The dictionary was given up.
    plain: bool,
}

/// A data page, header included; `offset` in the data pages of the chunk.
struct PageEntry {
    offset: u64,
    size: usize,
    rows: usize,
    encoding: Encoding,
}

impl Open {
    fn new(kind: Type, indexed: bool) -> Self {
        let mut index = ColumnIndexBuilder::new(kind);
        if !indexed {
            index.to_invalid();
        }
        Self {
            sink: TrackedWrite::new(Segments::default()),
            pages: Vec::new(),
            uncompressed: 0,
            rows: 0,
            nulls: 0,
            ends: None,
            index,
            last: None,
            rises: true,
            falls: true,
            plain: false,
        }
    }

    /// Notes the values of a page.
    fn note(&mut self, rows: usize, nulls: usize, ends: Option<Ends>) {
        self.rows += rows;
        self.nulls += nulls as u64;
        if !self.index.valid() {
            // Nothing is asked of this column, or it has a page of values that are no numbers.
            self.ends = self.ends.map_or(ends, |all| Some(ends.map_or(all, |ends| all.join(ends))));
            return;
        }
        match ends {
            Some(ends) => {
                if let Some((rises, falls)) = self.last.map(|last| last.rises_and_falls(ends)) {
                    (self.rises, self.falls) = (self.rises && rises, self.falls && falls);
                }
                self.last = Some(ends);
                self.ends = Some(self.ends.map_or(ends, |all| all.join(ends)));
                let [low, high] = ends.bytes();
                self.index.append(false, low, high, nulls as i64);
            }
            None if nulls == rows => self.index.append(true, Vec::new(), Vec::new(), nulls as i64),
            None => self.index.to_invalid(),
        }
    }
}

impl ColumnChunk {
    /// An empty chunk.
    pub(super) fn new(spec: &Spec) -> Self {
        let kind = match spec.kind {
            Kind::Int64 => Type::INT64,
            Kind::Int32 | Kind::Words(_) => Type::INT32,
            Kind::Float64 => Type::DOUBLE,
        };
        let is_word = matches!(spec.kind, Kind::Words(_));
        let dictionary = (spec.key || is_word).then(|| match spec.kind {
            Kind::Int64 => Dictionary::of_numbers(),
            _ => Dictionary::of_codes(),
        });
        let indexed = !is_word;
        Self {
            kind,
            nullable: spec.nullable,
            indexed,
            dictionary,
            trial: Trial::default(),
            open: Open::new(kind, indexed),
            indices: Vec::new(),
            levels: Vec::new(),
        }
    }

    /// Encodes the values of a column as one page; the column is empty afterwards.
    pub(super) fn page(&mut self, column: &mut Column, packer: &mut Packer) -> Result<()> {
        let rows = column.values.len();
        self.levels.clear();
        let nulls = if self.nullable { self.take_nulls(column) } else { 0 };
        let ends = if self.indexed { column.ends() } else { None };
        self.open.note(rows, nulls, ends);
        let (frame, size, encoding) = match &mut self.dictionary {
            Some(dictionary) if !self.open.plain => {
                self.indices.clear();
                match &column.values {
                    Values::Int64(values) => dictionary.numbers(values.iter().copied(), &mut self.indices),
                    Values::Int32(values) => dictionary.codes(values.iter().copied(), &mut self.indices),
                    Values::Float64(_) => unreachable!("no dictionary of these"),
                }
                let width = hybrid::width(dictionary.len().saturating_sub(1) as u32);
                packer.body.clear();
                packer.body.extend_from_slice(&self.levels);
                packer.body.push(width as u8);
                hybrid::encode(&self.indices, width, &mut packer.body);
                let is_number = matches!(dictionary, Dictionary::Numbers { .. });
                self.open.plain = is_number && dictionary.len() * size_of::<i64>() >= NUMBERS_BYTES;
                (packer.pack_body(&mut self.trial)?, packer.body.len(), Encoding::RLE_DICTIONARY)
            }
            _ => {
                let size = self.levels.len() + column.values.bytes().len();
                let frame = match &mut column.values {
                    Values::Float64(values) if self.levels.is_empty() => packer::keep(values, &mut self.trial),
                    _ => None,
                };
                let frame = match frame {
                    Some(frame) => frame,
                    None => packer.pack(&self.levels, column.values.bytes(), &mut self.trial)?,
                };
                (frame, size, Encoding::PLAIN)
            }
        };
        column.clear();
        self.append(rows, frame, size, encoding, packer)
    }

    /// Takes what is missing out of a column, and notes where it was; how many these are.
    fn take_nulls(&mut self, column: &mut Column) -> usize {
        let rows = column.values.len();
        let present = column.take_present();
        self.levels.extend_from_slice(&[0; 4]); // their length, once it is known
        match present {
            None => hybrid::run(1, rows, 1, &mut self.levels),
            Some(present) => {
                self.indices.clear();
                self.indices.extend(present.iter().map(|&there| u32::from(there)));
                hybrid::encode(&self.indices, 1, &mut self.levels);
            }
        }
        let bytes = self.levels.len() as u32 - 4;
        self.levels[..4].copy_from_slice(&bytes.to_le_bytes());
        rows - column.values.len()
    }

    /// Appends a page of `size` bytes, packed.
    fn append(
        &mut self,
        rows: usize,
        frame: Frame,
        size: usize,
        encoding: Encoding,
        packer: &mut Packer,
    ) -> Result<()> {
        let open = &mut self.open;
        let (frame, is_lent) = match frame {
            Frame::Stored(frame) => (frame, false),
            Frame::Lent(frame) => (Bytes::from(frame), true),
        };
        if !is_lent {
            open.sink.inner_mut().expect(frame.clone());
        }
        let page = Page::DataPage {
            buf: frame.clone(),
            num_values: rows as u32,
            encoding,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        let written = SerializedPageWriter::new(&mut open.sink).write_page(CompressedPage::new(page, size))?;
        if is_lent {
            packer.reuse(Vec::from(frame));
        }
        open.uncompressed += written.uncompressed_size;
        open.pages.push(PageEntry { offset: written.offset, size: written.compressed_size, rows, encoding });
        Ok(())
    }

    /// Ends the row group; the next one may follow.
    pub(super) fn close(&mut self) -> Result<ClosedChunk> {
        let open = std::mem::replace(&mut self.open, Open::new(self.kind, self.indexed));
        self.trial = Trial::default();
        let size = open.sink.bytes_written();
        let order = match (open.rises, open.falls) {
            (true, _) => BoundaryOrder::ASCENDING,
            (false, true) => BoundaryOrder::DESCENDING,
            (false, false) => BoundaryOrder::UNORDERED,
        };
        let mut index = open.index;
        index.set_boundary_order(order);
        Ok(ClosedChunk {
            kind: self.kind,
            distinct: self.dictionary.as_mut().map(Dictionary::take),
            data: open.sink.into_inner()?.finish(),
            size,
            pages: open.pages,
            uncompressed: open.uncompressed,
            rows: open.rows,
            nulls: open.nulls,
            ends: open.ends,
            index: index.valid().then_some(index),
        })
    }
}

/// The data pages of a column chunk, with what is known of them. Columns of words beside their numbers share it.
pub(super) struct ClosedChunk {
    kind: Type,
    distinct: Option<Distinct>,
    data: Vec<Bytes>,
    size: usize,
    pages: Vec<PageEntry>,
    uncompressed: usize,
    rows: usize,
    nulls: u64,
    ends: Option<Ends>,
    index: Option<ColumnIndexBuilder>,
}

impl ClosedChunk {
    /// The column chunk of `column`: with the words that its numbers stand for, where it has some.
    pub(super) fn column(
        &mut self,
        column: &ColumnDescPtr,
        words: Option<(&Words, Vocabulary)>,
        packer: &mut Packer,
    ) -> Result<EncodedColumn> {
        let (mut head, mut head_size) = (TrackedWrite::new(Segments::default()), 0);
        if let Some(distinct) = &self.distinct {
            distinct.plain(words, &mut packer.body);
            let size = packer.body.len();
            let page = Page::DictionaryPage {
                buf: packer.pack_body(&mut Trial::default())?.into_bytes(),
                num_values: distinct.len() as u32,
                encoding: Encoding::PLAIN,
                is_sorted: false,
            };
            head_size =
                SerializedPageWriter::new(&mut head).write_page(CompressedPage::new(page, size))?.uncompressed_size;
        }
        let shift = head.bytes_written();
        let mut segments = head.into_inner()?.finish();
        segments.extend(self.data.iter().cloned());
        let mut offsets = OffsetIndexBuilder::new();
        for page in &self.pages {
            offsets.append_row_count(page.rows as i64);
            offsets.append_offset_and_size((shift as u64 + page.offset) as i64, page.size as i32);
        }
        // The index goes to the column of the numbers: words have none.
        let index = if words.is_none() { self.index.take() } else { None };
        let bytes = shift + self.size;
        let mut metadata = ColumnChunkMetaData::builder(column.clone())
            .set_compression(settings::compression())
            .set_encodings_mask(EncodingMask::new_from_encodings(self.encodings().iter()))
            .set_page_encoding_stats(self.encoding_stats())
            .set_total_compressed_size(bytes as i64)
            .set_total_uncompressed_size((head_size + self.uncompressed) as i64)
            .set_num_values(self.rows as i64)
            .set_data_page_offset(shift as i64)
            .set_dictionary_page_offset(self.distinct.as_ref().map(|_| 0));
        if words.is_none() {
            metadata = metadata.set_statistics(statistics(self.kind, self.ends, self.nulls));
        }
        let close = ColumnCloseResult {
            bytes_written: bytes as u64,
            rows_written: self.rows as u64,
            metadata: metadata.build()?,
            bloom_filter: None,
            column_index: index.map(ColumnIndexBuilder::build).transpose()?,
            offset_index: Some(offsets.build()),
        };
        Ok(EncodedColumn { bytes: ChunkBytes { segments, size: bytes }, close })
    }

    /// The encodings of levels, the dictionary and values.
    fn encodings(&self) -> Vec<Encoding> {
        let mut all = vec![Encoding::RLE];
        all.extend(self.distinct.as_ref().map(|_| Encoding::PLAIN));
        all.extend(self.pages.iter().map(|page| page.encoding));
        all
    }

    /// How many pages there are of each kind, in the order of the file.
    fn encoding_stats(&self) -> Vec<PageEncodingStats> {
        let of = |page_type, encoding| PageEncodingStats { page_type, encoding, count: 1 };
        let mut all: Vec<_> = self.distinct.iter().map(|_| of(PageType::DICTIONARY_PAGE, Encoding::PLAIN)).collect();
        for page in &self.pages {
            match all.last_mut() {
                Some(last) if last.page_type == PageType::DATA_PAGE && last.encoding == page.encoding => {
                    last.count += 1
                }
                _ => all.push(of(PageType::DATA_PAGE, page.encoding)),
            }
        }
        all
    }
}

/// A column chunk, ready for its file.
pub(super) struct EncodedColumn {
    pub(super) bytes: ChunkBytes,
    /// What the file's metadata say of it; offsets from its start.
    pub(super) close: ColumnCloseResult,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::packer::Packers;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Float64Type, Int64Type};
    use arrow_array::{Array, ArrayRef};
    use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
    use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData};
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    use std::sync::Arc;

    /// A file of one column, of a row group of these pages; what a reader makes of it.
    fn written(message: &str, spec: &Spec, pages: Vec<Values>) -> (ArrayRef, Arc<ParquetMetaData>) {
        let mut chunk = ColumnChunk::new(spec);
        let packers = Packers::default();
        for values in pages {
            let mut column = Column::of(spec, values);
            packers.with(|packer| chunk.page(&mut column, packer)).expect("a packer").expect("a page");
        }
        let schema = Arc::new(parse_message_type(message).expect("a schema"));
        let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).expect("a file");
        let descriptor = file.schema_descr().column(0);
        let mut closed = chunk.close().expect("closed");
        let encoded = packers.with(|packer| closed.column(&descriptor, None, packer));
        let EncodedColumn { bytes, close } = encoded.expect("a packer").expect("a chunk");
        let mut group = file.next_row_group().expect("a row group");
        group.append_column(&Bytes::from(bytes.segments.concat()), close).expect("appended");
        group.close().expect("closed");
        let bytes = Bytes::from(file.into_inner().expect("a file"));
        let options = ArrowReaderOptions::new();
        let options = options.with_page_index_policy(PageIndexPolicy::Optional).with_encoding_stats_as_mask(false);
        let builder = ParquetRecordBatchReaderBuilder::try_new_with_options(bytes, options).expect("Parquet");
        let metadata = Arc::clone(builder.metadata());
        let batch = builder.with_batch_size(1 << 22).build().expect("a reader").next().expect("rows").expect("a batch");
        (Arc::clone(batch.column(0)), metadata)
    }

    #[test]
    fn a_dictionary_that_grows_too_long_is_given_up() {
        let spec = Spec::key("run", Kind::Int64);
        let page = |first: i64| (first..first + 50_000).map(|i| i * 1_000_003).collect::<Vec<_>>();
        let pages: Vec<_> = (0..5).map(|k| page(k * 49_000)).collect();
        let expected = pages.concat();
        let (read, metadata) =
            written("message t { required int64 run; }", &spec, pages.into_iter().map(Values::Int64).collect());
        assert_eq!(read.as_primitive::<Int64Type>().values(), expected.as_slice());
        let stats = metadata.row_group(0).column(0).page_encoding_stats().cloned().unwrap_or_default();
        let counts: Vec<_> = stats.iter().map(|s| (s.page_type, s.encoding, s.count)).collect();
        assert_eq!(
            counts,
            [
                (PageType::DICTIONARY_PAGE, Encoding::PLAIN, 1),
                (PageType::DATA_PAGE, Encoding::RLE_DICTIONARY, 3),
                (PageType::DATA_PAGE, Encoding::PLAIN, 2)
            ]
        );
        let index = &metadata.column_index().expect("an index")[0][0];
        assert_eq!(index.get_boundary_order(), Some(BoundaryOrder::ASCENDING));
    }

    #[test]
    fn pages_without_values_and_pages_of_no_numbers() {
        let nan = f64::NAN;
        let pages = || vec![Values::Float64(vec![nan; 9].into()), Values::Float64(vec![nan, 2.5, nan, -1.0].into())];
        let nullable = Spec { nullable: true, key: false, ..Spec::key("x", Kind::Float64) };
        let (read, metadata) = written("message t { optional double x; }", &nullable, pages());
        let read: Vec<_> = read.as_primitive::<Float64Type>().iter().collect();
        assert_eq!(read, [vec![None; 10], vec![Some(2.5), None, Some(-1.0)]].concat());
        let column = metadata.row_group(0).column(0);
        let statistics = column.statistics().expect("statistics");
        assert_eq!(statistics.null_count_opt(), Some(11));
        let index = &metadata.column_index().expect("an index")[0][0];
        assert!(index.is_null_page(0) && !index.is_null_page(1));

        let required = Spec { nullable: false, ..nullable };
        let (read, metadata) = written("message t { required double x; }", &required, pages());
        assert_eq!(read.null_count(), 0);
        assert_eq!(read.as_primitive::<Float64Type>().values()[10], 2.5);
        let column = metadata.row_group(0).column(0);
        assert!(column.statistics().expect("statistics").min_bytes_opt().is_some());
        assert!(column.column_index_offset().is_none(), "a page without ends would hide its rows from a search");
    }
}
