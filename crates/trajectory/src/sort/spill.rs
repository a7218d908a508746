//! Stretches of sorted rows in a temporary file without a name: it vanishes with the process,
//! however that ends.

use arrow_array::RecordBatch;
use arrow_ipc::CompressionType;
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::{IpcWriteOptions, StreamWriter};
use arrow_schema::{ArrowError, SchemaRef};
use clearsweep_base::error::{Error, Result};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Bytes written, and read from a stretch, at a time.
const WRITE: usize = 1 << 18;
const READ: usize = 1 << 15;

/// The file of one pass: stretches one behind the other, each an Arrow IPC stream.
pub(super) struct Spill {
    file: File,
    end: u64,
    folder: PathBuf,
}

/// A stretch: where it begins and ends in its file.
#[derive(Debug, Clone, Copy)]
pub(super) struct SpillSection {
    start: u64,
    end: u64,
}

impl SpillSection {
    /// Its size in the file.
    pub(super) fn bytes(self) -> u64 {
        self.end - self.start
    }
}

impl Spill {
    /// A new file in `folder`.
    ///
    /// # Errors
    /// It cannot be created.
    pub(super) fn new(folder: &Path) -> Result<Self> {
        // An empty folder is what remains of the bare name of a file.
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let file = tempfile::tempfile_in(folder).map_err(|error| failed(folder, &error))?;
        Ok(Self { file, end: 0, folder: folder.to_owned() })
    }

    /// Writes sorted rows as a stretch.
    ///
    /// # Errors
    /// The disk is full or broken, or what `rows` says.
    pub(super) fn write(
        &mut self,
        schema: &SchemaRef,
        rows: impl Iterator<Item = Result<RecordBatch>>,
    ) -> Result<SpillSection> {
        let broken = |error: ArrowError| failed(&self.folder, &error);
        let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::LZ4_FRAME));
        let options = options.map_err(broken)?;
        let buffered = BufWriter::with_capacity(WRITE, &self.file);
        let mut writer = StreamWriter::try_new_with_options(buffered, schema, options).map_err(broken)?;
        for batch in rows {
            writer.write(&batch?).map_err(broken)?;
        }
        let buffered = writer.into_inner().map_err(broken)?;
        buffered.into_inner().map_err(|error| failed(&self.folder, error.error()))?;
        let end = (&self.file).stream_position().map_err(|error| failed(&self.folder, &error))?;
        Ok(SpillSection { start: std::mem::replace(&mut self.end, end), end })
    }

    /// Begins to read a stretch.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn read(&self, section: SpillSection) -> Result<SectionReader<'_>> {
        let part = SpilledPart { file: &self.file, at: section.start, end: section.end };
        let reader = StreamReader::try_new(BufReader::with_capacity(READ, part), None);
        Ok(SectionReader { reader: reader.map_err(|error| failed(&self.folder, &error))?, folder: &self.folder })
    }
}

/// Reads a stretch, batch by batch.
pub(super) struct SectionReader<'a> {
    reader: StreamReader<BufReader<SpilledPart<'a>>>,
    folder: &'a Path,
}

impl SectionReader<'_> {
    /// The next batch.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn next(&mut self) -> Result<Option<RecordBatch>> {
        self.reader.next().transpose().map_err(|error| failed(self.folder, &error))
    }
}

/// A part of a file that others read from too: its place is its own.
struct SpilledPart<'a> {
    file: &'a File,
    at: u64,
    end: u64,
}

impl Read for SpilledPart<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.end - self.at).unwrap_or(usize::MAX).min(buffer.len());
        self.file.seek(SeekFrom::Start(self.at))?;
        let count = self.file.read(&mut buffer[..most])?;
        self.at += count as u64;
        Ok(count)
    }
}

fn failed(folder: &Path, error: &dyn std::fmt::Display) -> Error {
    Error::output(
        format!("{}, a temporary file", folder.display()),
        format!("cannot be written or read ({error})"),
        "free space on that disk (about the size of the input, uncompressed), or choose another with --temp DIR",
    )
}
