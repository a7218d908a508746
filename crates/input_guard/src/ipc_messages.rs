//! Checks of an Arrow IPC file or stream before the decoder sees it.
//!
//! The decoder reserves memory for a message's body, and for a compressed buffer's contents, as
//! their headers claim. This module walks the messages (a stream one after the other, a file by the
//! blocks of its footer), compares every claim with the file, and counts the rows. No column is
//! decoded.

use super::MAX_NAME;
use super::decoder::guarded_arrow;
use arrow_ipc::{Block, CompressionType, MessageHeader, MetadataVersion, RecordBatch, root_as_footer, root_as_message};
use arrow_schema::ArrowError;
use clearsweep_base::error::{Error, Result};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Bytes that a compressed buffer may claim to hold, whatever its size: a column of half a billion
/// `f64`.
const MAX_BUFFER: u64 = 1 << 32;

/// Bytes that a compressed buffer may claim to hold, whatever its rows...
const MAX_FEW_ROWS: u64 = 16 << 20;

/// ...and for each row more: a name of the longest.
const MAX_ROW: u64 = MAX_NAME as u64;

/// Longest metadata of a message or a footer, bytes. In memory they take several times as much.
const MAX_METADATA: u64 = 256 << 20;

/// Bytes behind the footer of a file: its length and the magic.
const TAIL: u64 = 10;

/// Layout of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IpcLayout {
    /// A file with a footer.
    File,
    /// A stream in a file: its marker at the end may be left out.
    Stream,
    /// A stream that was copied from a pipe: only its marker tells that the writer came to the end.
    Pipe,
}

/// Checks all messages of a file of `bytes` bytes, and returns the number of its rows.
///
/// # Errors
/// It is cut off, claims more than it holds, or bytes follow its end.
pub fn check<R: Read + Seek>(path: &Path, file: R, bytes: u64, layout: IpcLayout) -> Result<u64> {
    let mut walk = Walk { file, bytes, rows: 0, message: 0, batches: 0, version: None };
    let mut done = Ok(());
    guarded_arrow(path, || {
        done = if layout == IpcLayout::File { walk.blocks() } else { walk.stream(layout == IpcLayout::Pipe) };
        Ok::<(), ArrowError>(())
    })?;
    let place = || {
        let batches = if walk.batches == 1 { "batch" } else { "batches" };
        format!("{}, message {} (after {} whole {batches} of rows)", path.display(), walk.message, walk.batches)
    };
    match done {
        Ok(()) => Ok(walk.rows),
        Err(MessageFault::Io(error)) => Err(Error::unreadable(path, &error)),
        Err(MessageFault::Claim(problem)) => {
            Err(Error::input(place(), problem, "the file is cut off or damaged: write or copy it again"))
        }
        Err(MessageFault::Unended) => Err(Error::input(
            place(),
            "the stream ends without its end marker",
            "its writer stopped early, or leaves the marker out: see its exit code, or write the stream to a file and give that",
        )),
        Err(MessageFault::Trailing(more)) => Err(Error::input(
            place(),
            format!("{more} bytes follow the end of the stream"),
            "give one stream: several are joined by a program that knows Arrow, or lie as files in a directory",
        )),
        Err(MessageFault::Version { file, message }) => {
            let problem = format!("has metadata of version {}, and the footer {}", version(message), version(file));
            Err(Error::input(place(), problem, "write the file with metadata of version 5, or as Parquet"))
        }
    }
}

enum MessageFault {
    Io(std::io::Error),
    Claim(String),
    /// A stream from a pipe has no end marker.
    Unended,
    /// Number of bytes behind the end of a stream.
    Trailing(u64),
    /// The footer and a message are of different versions, which the decoder does not read.
    Version {
        file: MetadataVersion,
        message: MetadataVersion,
    },
}

/// The number of a version, as writers call it.
fn version(version: MetadataVersion) -> i32 {
    i32::from(version.0) + 1
}

impl From<std::io::Error> for MessageFault {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

type MessageResult<T> = std::result::Result<T, MessageFault>;

fn claim<T>(problem: impl Into<String>) -> MessageResult<T> {
    Err(MessageFault::Claim(problem.into()))
}

/// A message: where its metadata lies.
struct MessagePlace {
    start: u64,
    length: u64,
}

struct Walk<R> {
    file: R,
    bytes: u64,
    rows: u64,
    /// The message that is being checked, from 0, for errors.
    message: usize,
    /// Batches of rows before it.
    batches: usize,
    /// The version of the footer of a file.
    version: Option<MetadataVersion>,
}

impl<R: Read + Seek> Walk<R> {
    /// Bytes of the file, once it is known that it has them.
    fn read(&mut self, start: u64, length: u64) -> MessageResult<Vec<u8>> {
        if start.checked_add(length).is_none_or(|end| end > self.bytes) {
            return claim("is truncated: it reaches beyond the end of the file");
        }
        if length > MAX_METADATA {
            return claim(format!("has metadata of {length} bytes"));
        }
        let mut bytes = vec![0; length as usize];
        self.file.seek(SeekFrom::Start(start))?;
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn word(&mut self, start: u64) -> MessageResult<i32> {
        let bytes = self.read(start, 4)?;
        Ok(bytes.try_into().map_or(0, i32::from_le_bytes))
    }

    /// A stream: a schema, then batches, each behind its length, until a length of 0 or the end of
    /// the file.
    fn stream(&mut self, needs_end: bool) -> MessageResult<()> {
        let (mut at, mut is_ended) = (0, false);
        while at < self.bytes {
            let mut length = self.word(at)?;
            at += 4;
            if length == -1 {
                length = self.word(at)?;
                at += 4;
            }
            if length == 0 {
                is_ended = true;
                break;
            }
            let Ok(length) = u64::try_from(length) else { return claim("has a negative length") };
            at = self.message(&MessagePlace { start: at, length }, None)?;
            self.message += 1;
        }
        match self.bytes - at {
            _ if self.message == 0 => claim("has no schema"),
            0 if needs_end && !is_ended => Err(MessageFault::Unended),
            0 => Ok(()),
            // The marker was four bytes once, and may be filled up to eight.
            4 if self.word(at)? == 0 => Ok(()),
            more => Err(MessageFault::Trailing(more)),
        }
    }

    /// A file: the blocks that its footer names.
    fn blocks(&mut self) -> MessageResult<()> {
        let end = self.bytes.saturating_sub(TAIL);
        let tail = if self.bytes > 2 * TAIL { self.read(end, TAIL)? } else { Vec::new() };
        if tail.get(4..) != Some(b"ARROW1") {
            return claim("is truncated: the file does not end with the magic bytes ARROW1");
        }
        let length = u64::try_from(self.word(end)?).ok();
        let Some((length, start)) = length.and_then(|length| Some((length, end.checked_sub(length)?))) else {
            return claim("is truncated: the footer is longer than the file");
        };
        let footer = self.read(start, length)?;
        let Ok(footer) = root_as_footer(&footer) else { return claim("the footer is damaged") };
        if footer.schema().is_none() {
            return claim("the footer has no schema");
        }
        self.version = Some(footer.version());
        let dictionaries = footer.dictionaries().into_iter().flatten().copied();
        let blocks: Vec<Block> = dictionaries.chain(footer.recordBatches().into_iter().flatten().copied()).collect();
        let mut total = 0_u64;
        for block in blocks {
            let fits = (
                u64::try_from(block.offset()),
                u64::try_from(block.metaDataLength()),
                u64::try_from(block.bodyLength()),
            );
            let (Ok(start), Ok(length), Ok(body)) = fits else { return claim("has a negative length") };
            // Blocks do not share bytes: a footer cannot name one batch again and again.
            total = total.saturating_add(length).saturating_add(body);
            if total > self.bytes {
                return claim("is truncated: the blocks of the footer take more bytes than the file has");
            }
            let prefix = if self.word(start)? == -1 { 8 } else { 4 };
            let Some(length) = length.checked_sub(prefix) else { return claim("has no metadata") };
            self.message(&MessagePlace { start: start + prefix, length }, Some(body))?;
            self.message += 1;
        }
        Ok(())
    }

    /// Checks a message; the byte behind its body, whose length a footer may say too.
    fn message(&mut self, place: &MessagePlace, expected_body: Option<u64>) -> MessageResult<u64> {
        let metadata = self.read(place.start, place.length)?;
        let Ok(message) = root_as_message(&metadata) else { return claim("has damaged metadata") };
        if let Some(file) = self.version.filter(|file| *file != MetadataVersion::V1 && *file != message.version()) {
            return Err(MessageFault::Version { file, message: message.version() });
        }
        let start = place.start + place.length;
        let body = u64::try_from(message.bodyLength()).ok().filter(|&body| body <= self.bytes - start);
        let Some(body) = body else { return claim("is truncated: its body reaches beyond the end of the file") };
        if expected_body.is_some_and(|expected| expected > self.bytes - start) {
            return claim("is truncated: its block reaches beyond the end of the file");
        }
        let body = expected_body.unwrap_or(body);
        match message.header_type() {
            MessageHeader::Schema if expected_body.is_none() && self.message == 0 => {}
            MessageHeader::RecordBatch => {
                let Some(batch) = message.header_as_record_batch() else { return claim("has damaged metadata") };
                self.batch(batch, start, body)?;
                let rows = u64::try_from(batch.length()).ok().filter(|&rows| rows <= i64::MAX as u64 - self.rows);
                let Some(rows) = rows else { return claim(format!("claims to hold {} rows", batch.length())) };
                self.rows += rows;
                self.batches += 1;
            }
            MessageHeader::DictionaryBatch => {
                let batch = message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data());
                let Some(batch) = batch else { return claim("has damaged metadata") };
                self.batch(batch, start, body)?;
            }
            _ => return claim("is neither a batch of rows nor a dictionary"),
        }
        Ok(start + body)
    }

    /// Checks the buffers of a batch against its body: where they lie, and what they claim to
    /// decompress to.
    fn batch(&mut self, batch: RecordBatch<'_>, start: u64, body: u64) -> MessageResult<()> {
        let codec = batch.compression().map(|compression| compression.codec());
        let rows = u64::try_from(batch.length()).unwrap_or(0);
        let by_rows = MAX_FEW_ROWS.saturating_add(rows.saturating_mul(MAX_ROW));
        for buffer in batch.buffers().into_iter().flatten() {
            let fits = (u64::try_from(buffer.offset()), u64::try_from(buffer.length()));
            let (Ok(offset), Ok(length)) = fits else { return claim("has a buffer of negative length") };
            if offset.checked_add(length).is_none_or(|end| end > body) {
                return claim("has a buffer that reaches beyond its body");
            }
            if let Some(codec) = codec.filter(|_| length >= 8) {
                let claimed = self.read(start + offset, 8)?.try_into().map_or(0, i64::from_le_bytes);
                // -1: not compressed after all.
                let most = most(codec, length - 8).min(by_rows);
                if claimed != -1 && u64::try_from(claimed).map_or(true, |claimed| claimed > most) {
                    let problem =
                        format!("has a compressed buffer that claims to hold {claimed} bytes for {rows} rows");
                    return claim(problem);
                }
            }
        }
        Ok(())
    }
}

/// Returns the most bytes that `compressed` compressed bytes can hold.
fn most(codec: CompressionType, compressed: u64) -> u64 {
    let by_format = match codec {
        // Every byte adds at most 255 to the length of a match (LZ4 block format, "sequences").
        CompressionType::LZ4_FRAME => compressed.saturating_mul(255),
        // A block begins with three bytes and holds at most 128 KiB (RFC 8878, section 3.1.1.2).
        _ => (compressed / 3).saturating_mul(128 << 10),
    };
    by_format.min(MAX_BUFFER)
}
