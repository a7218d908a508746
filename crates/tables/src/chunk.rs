//! A column chunk: the pages of a column in a row group, their dictionary and their metadata.
//!
//! The writer of the parquet crate serves any column: it hashes every value of a dictionary column
//! and copies every page several times. The columns of these tables are small integers or numbers
//! with full mantissas, which permits faster methods. This file encodes the content of pages; the
//! crate writes page headers, indices and footers.

use super::chunked_buffer::{ChunkedBuffer, ChunkedBytes};
use super::column_buffer::{ColumnBuffer, ColumnValues};
use super::dictionary::{Dictionary, DictionaryValues};
use super::min_max::{MinMax, statistics};
use super::page_compressor::{self, PageCompressor, StorePolicy, ZstdFrame};
use super::page_spill::{ParkingFile, StoredBytes};
use super::vocabularies::Vocabularies;
use super::{rle_bitpack, writer_properties};
use bytes::Bytes;
use clearsweep_records::{Column, ColumnType, Words};
use parquet::basic::{BoundaryOrder, Encoding, EncodingMask, PageType, Type};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::Result;
use parquet::file::metadata::{ColumnChunkMetaData, ColumnIndexBuilder, OffsetIndexBuilder, PageEncodingStats};
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use std::sync::Arc;

/// Size of a dictionary of integers, bytes, at which its column falls back to PLAIN encoding.
/// Dictionaries of codes have no limit of their own: the rows of a row group bound them.
const MOST_DICTIONARY_BYTES: usize = 1 << 20;

/// A column of the row group that is being encoded.
pub(super) struct ColumnChunk {
    physical_type: Type,
    nullable: bool,
    /// Whether the page index holds minimum and maximum: false for strings and booleans.
    indexed: bool,
    dictionary: Option<Dictionary>,
    policy: StorePolicy,
    open: OpenChunk,
    /// Scratch buffers: dictionary indices and definition levels of a page.
    indices: Vec<u32>,
    levels: Vec<u8>,
}

/// The encoded pages of the row group so far, and their statistics.
struct OpenChunk {
    sink: TrackedWrite<ChunkedBuffer>,
    pages: Vec<PageEntry>,
    uncompressed: usize,
    rows: usize,
    nulls: u64,
    min_max: Option<MinMax>,
    index: ColumnIndexBuilder,
    /// Minimum and maximum of the last page that had a value.
    last: Option<MinMax>,
    /// Whether the minima and the maxima of the pages are non-decreasing, and whether both are
    /// non-increasing.
    ascending: bool,
    descending: bool,
    /// Whether the dictionary reached its limit and further pages are PLAIN.
    plain: bool,
}

/// The location of a data page. `offset` counts from the first data page of the chunk; `size`
/// includes the header.
struct PageEntry {
    offset: u64,
    size: usize,
    rows: usize,
    encoding: Encoding,
}

impl OpenChunk {
    fn new(physical_type: Type, indexed: bool) -> Self {
        let mut index = ColumnIndexBuilder::new(physical_type);
        if !indexed {
            index.to_invalid();
        }
        Self {
            sink: TrackedWrite::new(ChunkedBuffer::default()),
            pages: Vec::new(),
            uncompressed: 0,
            rows: 0,
            nulls: 0,
            min_max: None,
            index,
            last: None,
            ascending: true,
            descending: true,
            plain: false,
        }
    }

    /// Adds the statistics of a page.
    fn add_statistics(&mut self, rows: usize, nulls: usize, min_max: Option<MinMax>) {
        self.rows += rows;
        self.nulls += nulls as u64;
        if !self.index.valid() {
            // The column has no page index, or lost it to a page that holds only NaN.
            self.min_max = self.min_max.map_or(min_max, |all| Some(min_max.map_or(all, |min_max| all.union(min_max))));
            return;
        }
        match min_max {
            Some(min_max) => {
                if let Some((ascending, descending)) = self.last.map(|last| last.boundary_order(min_max)) {
                    (self.ascending, self.descending) = (self.ascending && ascending, self.descending && descending);
                }
                self.last = Some(min_max);
                self.min_max = Some(self.min_max.map_or(min_max, |all| all.union(min_max)));
                let [low, high] = min_max.bytes();
                self.index.append(false, low, high, nulls as i64);
            }
            None if nulls == rows => self.index.append(true, Vec::new(), Vec::new(), nulls as i64),
            None => self.index.to_invalid(),
        }
    }
}

impl ColumnChunk {
    /// Creates an empty chunk.
    pub(super) fn new(spec: &Column) -> Self {
        let physical_type = match spec.kind {
            ColumnType::Int64 => Type::INT64,
            ColumnType::Int32 | ColumnType::Text(_) => Type::INT32,
            ColumnType::Float64 => Type::DOUBLE,
            ColumnType::Boolean => Type::BOOLEAN,
            ColumnType::PlainText | ColumnType::TextList => Type::BYTE_ARRAY,
        };
        let is_string = matches!(spec.kind, ColumnType::Text(_));
        let dictionary = (spec.is_key || is_string).then(|| match spec.kind {
            ColumnType::Int64 => Dictionary::of_numbers(),
            _ => Dictionary::of_codes(),
        });
        let indexed = !is_string && spec.kind != ColumnType::Boolean;
        Self {
            physical_type,
            nullable: spec.nullable,
            indexed,
            dictionary,
            policy: StorePolicy::default(),
            open: OpenChunk::new(physical_type, indexed),
            indices: Vec::new(),
            levels: Vec::new(),
        }
    }

    /// Parks further pages of the row group in a file.
    pub(super) fn park_in(&mut self, file: &Arc<ParkingFile>) {
        self.open.sink.inner_mut().park_in(file);
    }

    /// Encodes the values of `column` as one page and empties `column`.
    pub(super) fn encode_page(&mut self, column: &mut ColumnBuffer, compressor: &mut PageCompressor) -> Result<()> {
        let rows = column.values.len();
        self.levels.clear();
        let nulls = if self.nullable { self.encode_nulls(column) } else { 0 };
        let min_max = if self.indexed { column.min_max() } else { None };
        self.open.add_statistics(rows, nulls, min_max);
        let (frame, size, encoding) = match &mut self.dictionary {
            Some(dictionary) if !self.open.plain => {
                self.indices.clear();
                match &column.values {
                    ColumnValues::Int64(values) => dictionary.encode_numbers(values.iter().copied(), &mut self.indices),
                    ColumnValues::Int32(values) => dictionary.encode_codes(values.iter().copied(), &mut self.indices),
                    ColumnValues::Float64(_) | ColumnValues::Boolean(_) => {
                        unreachable!("such columns have no dictionary")
                    }
                }
                let width = rle_bitpack::bit_width(dictionary.len().saturating_sub(1) as u32);
                compressor.body.clear();
                compressor.body.extend_from_slice(&self.levels);
                compressor.body.push(width as u8);
                rle_bitpack::encode(&self.indices, width, &mut compressor.body);
                let is_number = matches!(dictionary, Dictionary::Numbers { .. });
                self.open.plain = is_number && dictionary.len() * size_of::<i64>() >= MOST_DICTIONARY_BYTES;
                (compressor.compress_body(&mut self.policy)?, compressor.body.len(), Encoding::RLE_DICTIONARY)
            }
            _ => {
                let size = self.levels.len() + column.values.bytes().len();
                let frame = match &mut column.values {
                    ColumnValues::Float64(values) if self.levels.is_empty() => {
                        page_compressor::store_in_place(values, &mut self.policy)
                    }
                    _ => None,
                };
                let frame = match frame {
                    Some(frame) => frame,
                    None => compressor.compress(&self.levels, &column.values.bytes(), &mut self.policy)?,
                };
                (frame, size, Encoding::PLAIN)
            }
        };
        column.clear();
        self.append_page(rows, frame, size, encoding, compressor)
    }

    /// Removes the nulls of a column and encodes their positions as definition levels. Returns the
    /// number of nulls.
    fn encode_nulls(&mut self, column: &mut ColumnBuffer) -> usize {
        let rows = column.values.len();
        let present = column.remove_nulls();
        self.levels.extend_from_slice(&[0; 4]); // their length in bytes, filled in below
        match present {
            None => rle_bitpack::rle_run(1, rows, 1, &mut self.levels),
            Some(present) => {
                self.indices.clear();
                self.indices.extend(present.iter().map(|&there| u32::from(there)));
                rle_bitpack::encode(&self.indices, 1, &mut self.levels);
            }
        }
        let bytes = self.levels.len() as u32 - 4;
        self.levels[..4].copy_from_slice(&bytes.to_le_bytes());
        rows - column.values.len()
    }

    /// Appends a page of `size` uncompressed bytes.
    fn append_page(
        &mut self,
        rows: usize,
        frame: ZstdFrame,
        size: usize,
        encoding: Encoding,
        compressor: &mut PageCompressor,
    ) -> Result<()> {
        let open = &mut self.open;
        let (frame, is_reusable) = match frame {
            ZstdFrame::Stored(frame) => (frame, false),
            ZstdFrame::Reusable(frame) => (Bytes::from(frame), true),
        };
        if !is_reusable {
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
        if is_reusable {
            compressor.reuse(Vec::from(frame));
        }
        open.uncompressed += written.uncompressed_size;
        open.pages.push(PageEntry { offset: written.offset, size: written.compressed_size, rows, encoding });
        Ok(())
    }

    /// Closes the chunk and prepares for the next row group.
    pub(super) fn close(&mut self) -> Result<ClosedChunk> {
        let open = std::mem::replace(&mut self.open, OpenChunk::new(self.physical_type, self.indexed));
        self.policy = StorePolicy::default();
        let size = open.sink.bytes_written();
        let order = match (open.ascending, open.descending) {
            (true, _) => BoundaryOrder::ASCENDING,
            (false, true) => BoundaryOrder::DESCENDING,
            (false, false) => BoundaryOrder::UNORDERED,
        };
        let mut index = open.index;
        index.set_boundary_order(order);
        Ok(ClosedChunk {
            physical_type: self.physical_type,
            dictionary: self.dictionary.as_mut().map(Dictionary::take),
            data: open.sink.into_inner()?.finish()?,
            size,
            pages: open.pages,
            uncompressed: open.uncompressed,
            rows: open.rows,
            nulls: open.nulls,
            min_max: open.min_max,
            index: index.valid().then_some(index),
        })
    }
}

/// The data pages of a column chunk and their statistics. A column of body names shares them with
/// the column of body indices: the dictionary indices are the same.
pub(super) struct ClosedChunk {
    physical_type: Type,
    dictionary: Option<DictionaryValues>,
    data: Vec<StoredBytes>,
    size: usize,
    pages: Vec<PageEntry>,
    uncompressed: usize,
    rows: usize,
    nulls: u64,
    min_max: Option<MinMax>,
    index: Option<ColumnIndexBuilder>,
}

impl ClosedChunk {
    /// The column chunk of `column`. With `strings`, its dictionary holds the strings that the
    /// codes stand for.
    pub(super) fn encode_column(
        &mut self,
        column: &ColumnDescPtr,
        strings: Option<(&Vocabularies, Words)>,
        compressor: &mut PageCompressor,
    ) -> Result<EncodedColumn> {
        let (mut dictionary_page, mut dictionary_size) = (TrackedWrite::new(ChunkedBuffer::default()), 0);
        if let Some(dictionary) = &self.dictionary {
            dictionary.encode_plain(strings, &mut compressor.body);
            let size = compressor.body.len();
            let page = Page::DictionaryPage {
                buf: compressor.compress_body(&mut StorePolicy::default())?.into_bytes(),
                num_values: dictionary.len() as u32,
                encoding: Encoding::PLAIN,
                is_sorted: false,
            };
            dictionary_size = SerializedPageWriter::new(&mut dictionary_page)
                .write_page(CompressedPage::new(page, size))?
                .uncompressed_size;
        }
        let shift = dictionary_page.bytes_written();
        let mut chunks = dictionary_page.into_inner()?.finish()?;
        chunks.extend(self.data.iter().cloned());
        let mut offsets = OffsetIndexBuilder::new();
        for page in &self.pages {
            offsets.append_row_count(page.rows as i64);
            offsets.append_offset_and_size((shift as u64 + page.offset) as i64, page.size as i32);
        }
        // The page index belongs to the column of integers; string columns have none.
        let index = if strings.is_none() { self.index.take() } else { None };
        let bytes = shift + self.size;
        debug_assert_eq!(chunks.iter().map(StoredBytes::size).sum::<usize>(), bytes);
        debug_assert_eq!(self.pages.iter().map(|page| page.rows).sum::<usize>(), self.rows);
        let mut metadata = ColumnChunkMetaData::builder(column.clone())
            .set_compression(writer_properties::compression())
            .set_encodings_mask(EncodingMask::new_from_encodings(self.encodings().iter()))
            .set_page_encoding_stats(self.encoding_stats())
            .set_total_compressed_size(bytes as i64)
            .set_total_uncompressed_size((dictionary_size + self.uncompressed) as i64)
            .set_num_values(self.rows as i64)
            .set_data_page_offset(shift as i64)
            .set_dictionary_page_offset(self.dictionary.as_ref().map(|_| 0));
        if strings.is_none() {
            metadata = metadata.set_statistics(statistics(self.physical_type, self.min_max, self.nulls));
        }
        let close = ColumnCloseResult {
            bytes_written: bytes as u64,
            rows_written: self.rows as u64,
            metadata: metadata.build()?,
            bloom_filter: None,
            column_index: index.map(ColumnIndexBuilder::build).transpose()?,
            offset_index: Some(offsets.build()),
        };
        Ok(EncodedColumn { bytes: ChunkedBytes { chunks, size: bytes }, close })
    }

    /// The encodings of levels, dictionary and values.
    fn encodings(&self) -> Vec<Encoding> {
        let mut all = vec![Encoding::RLE];
        all.extend(self.dictionary.as_ref().map(|_| Encoding::PLAIN));
        all.extend(self.pages.iter().map(|page| page.encoding));
        all
    }

    /// The number of pages of each type and encoding, in the order of the file.
    fn encoding_stats(&self) -> Vec<PageEncodingStats> {
        let of = |page_type, encoding| PageEncodingStats { page_type, encoding, count: 1 };
        let mut all: Vec<_> = self.dictionary.iter().map(|_| of(PageType::DICTIONARY_PAGE, Encoding::PLAIN)).collect();
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

/// A column chunk that is ready to be written.
pub(super) struct EncodedColumn {
    pub(super) bytes: ChunkedBytes,
    /// Metadata for the footer. Offsets count from the start of the chunk.
    pub(super) close: ColumnCloseResult,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page_compressor::CompressorPool;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Float64Type, Int64Type};
    use arrow_array::{Array, ArrayRef};
    use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
    use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData};
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    /// Writes a file of one column and one row group with these pages. Returns what the parquet
    /// crate reads from it.
    fn written(message: &str, spec: &Column, pages: Vec<ColumnValues>) -> (ArrayRef, Arc<ParquetMetaData>) {
        let mut chunk = ColumnChunk::new(spec);
        let pool = CompressorPool::default();
        for values in pages {
            let mut column = ColumnBuffer::of(spec, values);
            pool.with(|compressor| chunk.encode_page(&mut column, compressor)).expect("a compressor").expect("a page");
        }
        let schema = Arc::new(parse_message_type(message).expect("a schema"));
        let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).expect("a file");
        let descriptor = file.schema_descr().column(0);
        let mut closed = chunk.close().expect("closed");
        let encoded = pool.with(|compressor| closed.encode_column(&descriptor, None, compressor));
        let EncodedColumn { bytes, close } = encoded.expect("a compressor").expect("a chunk");
        let mut group = file.next_row_group().expect("a row group");
        let chunks: Vec<Bytes> = bytes.chunks.iter().map(|chunk| chunk.load().expect("loaded")).collect();
        group.append_column(&Bytes::from(chunks.concat()), close).expect("appended");
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
    fn a_dictionary_that_reaches_its_limit_is_replaced_by_plain_pages() {
        let spec = Column::new("run", ColumnType::Int64, "").key();
        let page = |first: i64| (first..first + 50_000).map(|i| i * 1_000_003).collect::<Vec<_>>();
        let pages: Vec<_> = (0..5).map(|k| page(k * 49_000)).collect();
        let expected = pages.concat();
        let (read, metadata) =
            written("message t { required int64 run; }", &spec, pages.into_iter().map(ColumnValues::Int64).collect());
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
    fn pages_of_nulls_and_pages_of_nan() {
        let nan = f64::NAN;
        let pages = || {
            vec![ColumnValues::Float64(vec![nan; 9].into()), ColumnValues::Float64(vec![nan, 2.5, nan, -1.0].into())]
        };
        let mut nullable = Column::new("x", ColumnType::Float64, "");
        nullable.nullable = true;
        let (read, metadata) = written("message t { optional double x; }", &nullable, pages());
        let read: Vec<_> = read.as_primitive::<Float64Type>().iter().collect();
        assert_eq!(read, [vec![None; 10], vec![Some(2.5), None, Some(-1.0)]].concat());
        let column = metadata.row_group(0).column(0);
        let statistics = column.statistics().expect("statistics");
        assert_eq!(statistics.null_count_opt(), Some(11));
        let index = &metadata.column_index().expect("an index")[0][0];
        assert!(index.is_null_page(0) && !index.is_null_page(1));

        let required = Column::new("x", ColumnType::Float64, "");
        let (read, metadata) = written("message t { required double x; }", &required, pages());
        assert_eq!(read.null_count(), 0);
        assert_eq!(read.as_primitive::<Float64Type>().values()[10], 2.5);
        let column = metadata.row_group(0).column(0);
        assert!(column.statistics().expect("statistics").min_bytes_opt().is_some());
        assert!(column.column_index_offset().is_none(), "a page without min and max would hide its rows from a search");
    }
}
