//! One file of the input, whatever its format: its columns, and its rows in groups, decoded batch
//! by batch.

use super::column_format::ColumnFormat;
use super::columns::Columns;
use super::csv_file::{CsvFile, CsvReader};
use super::digest::InputFile;
use super::files::HiveRun;
use super::frame_numbers::FrameNumbers;
use super::group::Group;
use super::input_bytes::InputBytes;
use super::ipc_file::{BatchReader, IpcFile};
use super::levels::LevelColumn;
use super::made_rows::{MadeRows, MadeValues};
use super::parquet_file::{ParquetFile, RowGroupReader, in_group};
use super::row_label::{ArrayRows, RowLabel};
use super::stream_batch::{StreamBatch, batch_name};
use arrow_array::RecordBatch;
use arrow_buffer::ScalarBuffer;
use arrow_schema::{DataType, SchemaRef};
use clearsweep_base::error::{Error, Result};
use clearsweep_input_guard::csv_header::{WORKBOOK, WORKBOOK_REMEDY};
use clearsweep_input_guard::{DAMAGED, gzip};
use clearsweep_model::SceneJoints;
use parquet::file::metadata::ColumnChunkMetaData;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// A checked file, or a batch in memory.
pub(super) struct Source {
    /// Its path, as found.
    pub(super) path: Arc<Path>,
    /// See [`RowLabel`].
    array: Option<ArrayRows>,
    /// The run that a directory level supplies.
    pub(super) run: Option<HiveRun>,
    /// Columns that directory levels supply, behind those of the file.
    levels: Vec<LevelColumn>,
    /// Its columns as they are decoded.
    pub(super) schema: SchemaRef,
    /// Which column is which.
    pub(super) columns: Columns,
    /// Its groups of rows that have rows, in order: row groups of Parquet, all of Arrow IPC or CSV.
    pub(super) groups: Vec<Group>,
    /// Rows.
    pub(super) rows: u64,
    /// Size, bytes.
    pub(super) size: u64,
    /// Frames of its rows, if it has no column of frames.
    numbers: Option<FrameNumbers>,
    /// The bytes of a file.
    bytes: Option<InputBytes>,
    format: Format,
}

enum Format {
    Parquet(Box<ParquetFile>),
    Ipc(IpcFile),
    Csv(CsvFile),
    Memory(RecordBatch),
    Made(MadeRows),
}

impl Source {
    /// The rows that a sweep or the splines of a scene's joints make.
    ///
    /// # Errors
    /// The columns do not fit.
    pub(super) fn of_made(joints: &SceneJoints, values: MadeValues) -> Result<Self> {
        let path: Arc<Path> = Arc::from(Path::new(values.name()));
        let (rows, schema, groups) = MadeRows::new(joints, values);
        let columns = Columns::resolve(&path, &schema, &ColumnFormat::of_made(joints))?;
        Ok(Self {
            path,
            array: None,
            run: None,
            levels: Vec::new(),
            schema,
            columns,
            rows: groups.iter().map(|group| group.rows).sum(),
            groups,
            size: 0,
            numbers: None,
            bytes: None,
            format: Format::Made(rows),
        })
    }

    /// Opens and checks a file; its first bytes, or the extension `.csv` or `.csv.gz`, say what it
    /// is.
    ///
    /// # Errors
    /// The file is unreadable, neither Parquet nor Arrow IPC nor CSV, or its columns do not fit.
    pub(super) fn open(bytes: InputBytes, run: Option<HiveRun>, column_format: &ColumnFormat) -> Result<Self> {
        let (kind, size) = kind(&bytes)?;
        let (format, schema, columns, mut groups) = match kind {
            SourceFormat::Parquet => {
                let (file, columns, groups) = ParquetFile::open(bytes.clone(), column_format)?;
                let schema = file.schema();
                (Format::Parquet(Box::new(file)), schema, columns, groups)
            }
            SourceFormat::IpcFile | SourceFormat::IpcStream => {
                let (file, schema, columns, rows) =
                    IpcFile::open(bytes.clone(), kind == SourceFormat::IpcStream, column_format)?;
                let group = Group { index: 0, first_row: 0, rows, runs: None, frames: None };
                (Format::Ipc(file), schema, columns, if rows > 0 { vec![group] } else { Vec::new() })
            }
            SourceFormat::Csv => {
                let (file, schema, columns, rows) = CsvFile::open(bytes.clone(), column_format)?;
                let group = Group { index: 0, first_row: 0, rows, runs: None, frames: None };
                (Format::Csv(file), schema, columns, if rows > 0 { vec![group] } else { Vec::new() })
            }
        };
        let levels = LevelColumn::of(&bytes.path, &schema, column_format)?;
        if let Some(frame) = levels.iter().find_map(LevelColumn::frame) {
            groups.iter_mut().for_each(|group| group.frames = Some((frame, frame)));
        }
        let schema = LevelColumn::extend(&schema, &levels);
        let source = Self {
            rows: groups.iter().map(|group| group.rows).sum(),
            size,
            levels,
            run: run.filter(|run| run.inside || columns.run.is_none()),
            path: Arc::clone(&bytes.path),
            bytes: Some(bytes),
            array: None,
            schema,
            columns,
            groups,
            numbers: None,
            format,
        };
        source.numbered(None)
    }

    /// Numbers the samples if there is no column of frames. `before`: the batch before it.
    fn numbered(self, before: Option<&Self>) -> Result<Self> {
        if self.columns.frame.is_some() || self.columns.pieces().is_some() {
            return Ok(self);
        }
        let numbers = FrameNumbers::of(&self, before.and_then(|before| before.numbers.as_ref()))?;
        let mut source = self;
        source.groups.iter_mut().for_each(|group| group.frames = numbers.range(group.first_row, group.rows));
        source.numbers = Some(numbers);
        Ok(source)
    }

    /// Returns the numbers of rows that have no frame.
    ///
    /// # Errors
    /// The rows were not numbered.
    pub(super) fn numbered_frames(&self, first_row: u64, count: usize) -> Result<ScalarBuffer<i64>> {
        let frames = self.numbers.as_ref().and_then(|numbers| numbers.rows(first_row, count));
        frames.ok_or_else(|| Error::internal(self.path.display(), "rows without a frame were not numbered"))
    }

    /// Checks the columns of a batch in memory. `before`: the batch before it, whose columns are
    /// mostly the same.
    ///
    /// # Errors
    /// Its columns do not fit.
    pub(super) fn of_batch(
        number: u64,
        batch: RecordBatch,
        format: &ColumnFormat,
        before: Option<&Self>,
    ) -> Result<Self> {
        let name = Arc::from(batch_name(number));
        Self::of_given(StreamBatch { first_row: 0, name, rows: None, batch }, format, before)
    }

    /// As [`Self::of_batch`], of one that has a name.
    pub(super) fn of_given(given: StreamBatch, format: &ColumnFormat, before: Option<&Self>) -> Result<Self> {
        let StreamBatch { first_row, name, rows: array, batch } = given;
        let path: Arc<Path> = Arc::from(Path::new(&*name));
        let schema = batch.schema();
        let columns = match before.filter(|before| before.schema == schema) {
            Some(before) => before.columns.clone(),
            None => Columns::resolve(&path, &schema, format)?,
        };
        if let Some(before) = before {
            check_orientation((&before.path, &before.columns), (&path, &columns))?;
        }
        let rows = batch.num_rows() as u64;
        let group = Group { index: 0, first_row, rows, runs: None, frames: None };
        let groups = if rows > 0 { vec![group] } else { Vec::new() };
        let format = Format::Memory(batch);
        let levels = Vec::new();
        let numbers = None;
        let (run, size, bytes) = (None, 0, None);
        Self { path, array, run, levels, schema, columns, groups, rows, size, numbers, bytes, format }.numbered(before)
    }

    /// Whether its times are dates: timestamps, which count from 1970.
    pub(super) fn has_dates(&self) -> bool {
        let field = self.columns.time.as_ref().and_then(|column| self.schema.fields().get(column.index));
        match &self.format {
            Format::Csv(file) => file.has_dates,
            _ => field.is_some_and(|field| matches!(field.data_type(), DataType::Timestamp(..))),
        }
    }

    /// A bound of the magnitude of the values of a column of joints whose rows are made; `None`:
    /// they are read.
    pub(super) fn largest_made(&self, column: usize) -> Option<f64> {
        match &self.format {
            Format::Made(rows) => Some(rows.largest(column)),
            _ => None,
        }
    }

    /// Whether it is the copy of a stream.
    pub(super) fn is_spooled(&self) -> bool {
        self.bytes.as_ref().is_some_and(InputBytes::is_spooled)
    }

    /// Returns the record of a file that is kept once its rows are read; `None`: it is in memory.
    pub(super) fn file(&self) -> Option<InputFile> {
        let run = self.run.map(|run| format!("run={}", run.value)).into_iter();
        let levels = run.chain(self.levels.iter().map(|level| level.level.clone())).collect();
        Some(InputFile { path: self.path.to_path_buf(), bytes: self.size, levels, source: self.bytes.clone()? })
    }

    /// The name of the format in messages.
    pub(super) fn label(&self) -> RowLabel {
        let csv = self.bytes.clone().filter(|_| matches!(self.format, Format::Csv(_)));
        RowLabel { path: Arc::clone(&self.path), array: self.array.clone(), csv }
    }

    /// Begins to decode columns (root indices, ascending) of a group.
    ///
    /// # Errors
    /// The file cannot be opened any more, or does not decode.
    pub(super) fn read(&self, group: &Group, columns: &[usize], batch_rows: usize) -> Result<GroupReader<'_>> {
        let own = self.schema.fields().len() - self.levels.len();
        let (columns, of_levels) = columns.split_at(columns.partition_point(|&column| column < own));
        let levels = of_levels.iter().map(|&column| &self.levels[column - own]).collect();
        let batches = match &self.format {
            Format::Parquet(file) => Batches::Parquet(file.read(group, columns, batch_rows)?),
            Format::Ipc(file) => Batches::Ipc(Box::new(file.read(columns, batch_rows)?)),
            Format::Csv(file) => Batches::Csv(Box::new(file.read(columns, batch_rows)?)),
            Format::Made(rows) => {
                let (rows, columns) = (rows.clone(), columns.to_vec());
                Batches::Made { rows, columns, at: 0, left: group.rows, most: batch_rows.max(1) }
            }
            Format::Memory(batch) => {
                let batch = batch.project(columns).map_err(|error| Error::internal(self.path.display(), error))?;
                Batches::Memory { batch, at: 0, most: batch_rows.max(1) }
            }
        };
        Ok(GroupReader {
            path: &self.path,
            group: group.index,
            left: group.rows,
            row: group.first_row,
            batches,
            levels,
        })
    }

    /// The chunk of a root column in a row group of Parquet; `None` if it is nested, or the file is
    /// no Parquet.
    pub(super) fn chunk(&self, group: &Group, root: usize) -> Option<&ColumnChunkMetaData> {
        match &self.format {
            Format::Parquet(file) => file.chunk(group, root),
            Format::Ipc(_) | Format::Csv(_) | Format::Memory(_) | Format::Made(_) => None,
        }
    }
}

/// Refuses two parts of an input of which one has an orientation and the other none: its bodies
/// would not turn there.
pub(super) fn check_orientation(before: (&Path, &Columns), next: (&Path, &Columns)) -> Result<()> {
    let is_turned = |columns: &Columns| columns.poses().is_ok_and(|poses| poses.orientation.is_some());
    let (with, without) = match (is_turned(before.1), is_turned(next.1)) {
        (true, false) => (before.0, next.0),
        (false, true) => (next.0, before.0),
        _ => return Ok(()),
    };
    let problem = format!("has no columns of an orientation, but {} has", with.display());
    Err(Error::input(without.display(), problem, "write qw, qx, qy, qz in all parts of the input, or in none"))
}

#[derive(Clone, Copy, PartialEq)]
enum SourceFormat {
    Parquet,
    IpcFile,
    IpcStream,
    Csv,
}

/// Returns the format and the size of a file. Its first bytes decide the format, or its extension
/// if they belong to no known format.
fn kind(bytes: &InputBytes) -> Result<(SourceFormat, u64)> {
    let path = &*bytes.path;
    let (open, bytes) = bytes.open()?;
    let mut head = Vec::with_capacity(8);
    open.take(8).read_to_end(&mut head).map_err(|error| Error::unreadable(path, &error))?;
    let refuse = |problem: &str, remedy: &str| Err(Error::input(path.display(), problem, remedy));
    match head.as_slice() {
        [] => refuse("is empty (0 bytes)", "write the trajectories again"),
        [b'P', b'A', b'R', b'1' | b'E', ..] => Ok((SourceFormat::Parquet, bytes)),
        [b'A', b'R', b'R', b'O', b'W', b'1', ..] => Ok((SourceFormat::IpcFile, bytes)),
        [0xff, 0xff, 0xff, 0xff, ..] => Ok((SourceFormat::IpcStream, bytes)),
        [b'F', b'E', b'A', b'1', ..] => {
            refuse("is a Feather file of version 1", "write it as Feather version 2 or Parquet")
        }
        _ if gzip::is_named(path) || head.starts_with(&gzip::SIGNATURE) => {
            gzip::check_name(path, &head).map(|()| (SourceFormat::Csv, bytes))
        }
        _ if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv")) => {
            Ok((SourceFormat::Csv, bytes))
        }
        [b'P', b'K', 3, 4, ..] | [0xd0, 0xcf, 0x11, 0xe0, ..] => refuse(WORKBOOK, WORKBOOK_REMEDY),
        _ => refuse(
            "is not a Parquet file, nor an Arrow IPC file or stream, nor named as a .csv or .csv.gz file",
            "give such files; a glob such as DIR/**/*.parquet leaves other files out",
        ),
    }
}

/// Decodes a group in batches.
pub(super) struct GroupReader<'a> {
    path: &'a Path,
    group: usize,
    left: u64,
    row: u64,
    batches: Batches<'a>,
    levels: Vec<&'a LevelColumn>,
}

enum Batches<'a> {
    Parquet(RowGroupReader<'a>),
    Ipc(Box<BatchReader>),
    Csv(Box<CsvReader>),
    Memory { batch: RecordBatch, at: usize, most: usize },
    Made { rows: MadeRows, columns: Vec<usize>, at: u64, left: u64, most: usize },
}

impl GroupReader<'_> {
    /// The next batch, with the row of the file it begins with.
    ///
    /// # Errors
    /// The group does not decode, or holds another number of rows than its metadata says.
    pub(super) fn next(&mut self) -> Result<Option<(u64, RecordBatch)>> {
        let batch = match &mut self.batches {
            Batches::Parquet(reader) => reader.next()?,
            Batches::Ipc(reader) => reader.next()?,
            Batches::Csv(reader) => reader.next()?,
            Batches::Memory { batch, at, most } => {
                let count = (*most).min(batch.num_rows() - *at);
                let slice = (count > 0).then(|| batch.slice(*at, count));
                *at += count;
                slice
            }
            Batches::Made { rows, columns, at, left, most } => {
                let count = (*most as u64).min(*left);
                let first = *at;
                (*at, *left) = (*at + count, *left - count);
                match count {
                    0 => None,
                    _ => Some(rows.batch(self.group, first, count as usize, columns)?),
                }
            }
        };
        let rows = batch.as_ref().map_or(0, |batch| batch.num_rows() as u64);
        if rows > self.left || (batch.is_none() && self.left > 0) {
            let place = match self.batches {
                Batches::Parquet(_) => in_group(self.path, self.group),
                Batches::Ipc(_) | Batches::Csv(_) | Batches::Memory { .. } | Batches::Made { .. } => {
                    self.path.display().to_string()
                }
            };
            return Err(Error::input(place, "does not hold as many rows as its metadata says", DAMAGED));
        }
        let first = self.row;
        self.left -= rows;
        self.row += rows;
        let batch = match batch {
            Some(batch) if !self.levels.is_empty() => Some(LevelColumn::add(&batch, self.levels.iter().copied())?),
            batch => batch,
        };
        Ok(batch.map(|batch| (first, batch)))
    }
}
