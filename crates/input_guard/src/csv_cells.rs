//! Cells of CSV as they are meant: blanks around a cell are no part of it, and blanks within quotes
//! are.
//!
//! The parser does not say which cells were quoted. So the bytes of a record are kept, and looked
//! at where a cell begins or ends with a blank.

use csv::Position;
use std::io::Read;

/// Longest record, bytes: a table has no longer one, and a file of zeros or a bomb of gzip has no
/// end of line.
const MAX_RECORD: usize = 256 << 20;

/// A reader that keeps the bytes of the record that is being parsed.
pub struct KeptBytes<R> {
    inner: R,
    kept: Vec<u8>,
    /// Offset of the first byte kept.
    start: u64,
    /// Offset of the record that is being parsed.
    needed: u64,
}

impl<R: Read> Read for KeptBytes<R> {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        let done = ((self.needed - self.start) as usize).min(self.kept.len());
        self.kept.drain(..done);
        self.start += done as u64;
        if self.kept.len() > MAX_RECORD {
            let problem = format!("a row of more than {} MiB", MAX_RECORD >> 20);
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, problem));
        }
        let count = self.inner.read(to)?;
        self.kept.extend_from_slice(&to[..count]);
        Ok(count)
    }
}

impl<R> KeptBytes<R> {
    fn between(&self, begin: u64, end: u64) -> &[u8] {
        let at = |offset: u64| offset.checked_sub(self.start).and_then(|at| usize::try_from(at).ok());
        at(begin).zip(at(end)).and_then(|(begin, end)| self.kept.get(begin..end)).unwrap_or(&[])
    }
}

/// A parser of CSV that keeps blanks: [`text`] leaves them out.
pub fn parser<R: Read>(inner: R, buffer: usize) -> csv::Reader<KeptBytes<R>> {
    let kept = KeptBytes { inner, kept: Vec::new(), start: 0, needed: 0 };
    csv::ReaderBuilder::new().trim(csv::Trim::None).buffer_capacity(buffer).from_reader(kept)
}

/// Before a record is parsed: the bytes of those before it are no longer needed.
pub fn begin<R: Read>(reader: &mut csv::Reader<KeptBytes<R>>) {
    let at = reader.position().byte();
    reader.get_mut().needed = at;
}

/// The text of a cell of the record that was parsed last, which begins at `record`: without the
/// blanks outside of quotes.
pub fn text<'c, R: Read>(
    reader: &csv::Reader<KeptBytes<R>>,
    record: Option<&Position>,
    (index, cell): (usize, &'c str),
) -> &'c str {
    let trimmed = cell.trim();
    let Some(record) = record.filter(|_| trimmed.len() < cell.len()) else { return trimmed };
    match blanks_behind_quotes(reader.get_ref().between(record.byte(), reader.position().byte()), index) {
        Some(blanks) => cell.get(..cell.len().saturating_sub(blanks)).unwrap_or(trimmed),
        None => trimmed,
    }
}

/// The blanks between the quotes and the end of a cell in the bytes of a record; `None`: it is not
/// quoted.
fn blanks_behind_quotes(record: &[u8], index: usize) -> Option<usize> {
    let is_end = |byte: &u8| matches!(byte, b',' | b'\r' | b'\n');
    let begin = record.iter().position(|byte| !matches!(byte, b'\r' | b'\n'))?;
    let mut rest = &record[begin..];
    for number in 0.. {
        let mut end = 0;
        if rest.first() == Some(&b'"') {
            end = 1;
            // A doubled quote is one within the text.
            while end < rest.len() && (rest[end] != b'"' || rest.get(end + 1) == Some(&b'"')) {
                end += if rest[end] == b'"' { 2 } else { 1 };
            }
            end = (end + 1).min(rest.len());
        }
        let outside = &rest[end..];
        let length = outside.iter().position(is_end).unwrap_or(outside.len());
        if number == index {
            let blanks = length - outside[..length].trim_ascii_end().len();
            return (end > 0).then_some(blanks);
        }
        rest = outside.get(length + 1..)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{begin, parser, text};

    #[test]
    fn blanks_within_quotes_stay() {
        let table = "\u{feff}a,b,c\r\n  x , \" y \",\" z \"\n\r\n\"p, \"\"q\"\" \"  ,\" \n\",\"r\"\t\n\"\",\t, \n\" 1\" u ,2,\" \"\" \"";
        for buffer in [1, 7, 1 << 16] {
            let mut reader = parser(table.as_bytes(), buffer);
            reader.headers().expect("names");
            let mut record = csv::StringRecord::new();
            let mut found: Vec<Vec<String>> = Vec::new();
            loop {
                begin(&mut reader);
                if !reader.read_record(&mut record).expect("CSV") {
                    break;
                }
                let cell = |cell| text(&reader, record.position(), cell).to_owned();
                found.push(record.iter().enumerate().map(cell).collect());
            }
            let expected = [["x", "\" y \"", " z "], ["p, \"q\" ", " \n", "r"], ["", "", ""], [" 1 u", "2", " \" "]];
            assert_eq!(found, expected, "{buffer}");
        }
    }
}
