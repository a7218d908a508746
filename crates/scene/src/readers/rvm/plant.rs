//! The chunks of an RVM file: its groups, and its primitives as stored.
//!
//! All numbers are big-endian words. A chunk says where the next one begins, and that is where the
//! reader goes on, whatever it understood of the chunk.

use super::kind::Kind;
use super::place::Placement;
use crate::readers::mesh::{Fault, text};
use std::collections::BTreeMap;
use std::ops::Range;

/// Bytes of the head of a chunk: four words of its name, the place of the next chunk, and a word
/// that is always 1.
const HEAD: usize = 24;

/// Most groups within each other.
const MAX_DEPTH: usize = 4096;

/// The action against a damaged file.
const EXPORT_AGAIN: &str = "export the file again, or copy it again: it is damaged or cut off";

/// The kind of a chunk that holds a primitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PrimitiveChunk {
    /// `PRIM`: an item as it is.
    Prim,
    /// `OBST`: a volume that is to be kept free.
    Obst,
    /// `INSU`: insulation.
    Insu,
}

/// A group (`CNTB`): an item of the plant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlantGroup {
    /// As the file has it.
    pub name: String,
    /// The group around it; always before it in the list.
    pub parent: Option<u32>,
    /// Index of its colour.
    pub material: u32,
}

/// A primitive as stored.
#[derive(Debug, Clone, PartialEq)]
pub struct PlantPrimitive {
    /// The group that it belongs to.
    pub group: u32,
    /// The kind of its chunk.
    pub chunk: PrimitiveChunk,
    /// The shape of the primitive.
    pub kind: Kind,
    /// Its place; `None`: the position of the matrix in the chunk is not clear.
    pub placement: Option<Placement>,
    /// The bytes of its numbers, or of its polygons.
    pub(super) numbers: Range<usize>,
}

/// The contents of an RVM file.
#[derive(Debug, Default)]
pub struct Plant {
    /// In the order of the file: depth first.
    pub groups: Vec<PlantGroup>,
    /// In the order of the file.
    pub primitives: Vec<PlantPrimitive>,
    /// Number of chunks by name.
    pub chunks: BTreeMap<[u8; 4], u64>,
    /// Entries of the palette, by index: red, green, blue.
    pub palette: BTreeMap<u32, [u8; 3]>,
    /// Facts that a user may want to know, in words.
    pub remarks: Vec<String>,
}

/// The place where a chunk ends that begins at `begin`, if it stores the lower 32 bits of its end.
/// Chunks are shorter than 4 GiB.
pub fn end_of_chunk(begin: u64, stored: u32) -> u64 {
    let low = 1_u64 << 32;
    let end = begin / low * low + u64::from(stored);
    if end > begin { end } else { end + low }
}

/// The fields of a chunk from a place on.
#[derive(Clone)]
pub(super) struct Fields<'b> {
    pub(super) bytes: &'b [u8],
    pub(super) at: usize,
}

impl<'b> Fields<'b> {
    pub(super) fn bytes(&mut self, count: usize) -> Option<&'b [u8]> {
        let found = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(found)
    }

    pub(super) fn word(&mut self) -> Option<u32> {
        self.bytes(4)?.try_into().ok().map(u32::from_be_bytes)
    }

    pub(super) fn float(&mut self) -> Option<f64> {
        self.word().map(|word| f64::from(f32::from_bits(word)))
    }

    pub(super) fn floats<const N: usize>(&mut self) -> Option<[f64; N]> {
        let mut found = [0.0; N];
        for number in &mut found {
            *number = self.float()?;
        }
        Some(found)
    }

    /// Passes over items of `size` bytes each, whose number comes first.
    pub(super) fn skip_items(&mut self, size: usize) -> Option<usize> {
        let count = self.word()? as usize;
        self.bytes(count.checked_mul(size)?)?;
        Some(count)
    }

    /// A text: its length in words, then its bytes, filled up with zeros.
    fn text(&mut self) -> Option<String> {
        let words = self.word()? as usize;
        let stored = self.bytes(words.checked_mul(4)?)?;
        let end = stored.iter().position(|&byte| byte == 0).unwrap_or(stored.len());
        Some(text(&stored[..end]).into_owned())
    }

    /// Bytes that are left.
    fn left(&self) -> usize {
        self.bytes.len() - self.at
    }
}

/// Reads the chunks of a file.
///
/// # Errors
/// The file is no RVM file, or it is damaged.
pub fn read_plant(bytes: &[u8]) -> Result<Plant, Fault> {
    let mut reading = Reading::default();
    let mut at = 0;
    loop {
        let (name, end) = head(bytes, at)?;
        if at == 0 && name != *b"HEAD" {
            return Err(Fault::new("the file does not begin with the chunk `HEAD`", EXPORT_AGAIN));
        }
        *reading.plant.chunks.entry(name).or_default() += 1;
        if name == *b"END:" {
            reading.finish(bytes.get(end..).unwrap_or_default());
            return Ok(reading.plant);
        }
        let fields = Fields { bytes: &bytes[..end], at: at + HEAD };
        if reading.chunk(name, fields).map_err(|problem| at_chunk(name, at, &problem))?.is_none() {
            return Err(at_chunk(name, at, "ends within its fields"));
        }
        at = end;
    }
}

/// The name of the chunk that begins at a place, and its end.
fn head(bytes: &[u8], at: usize) -> Result<([u8; 4], usize), Fault> {
    let Some(head) = bytes.get(at..at.saturating_add(HEAD)) else {
        let problem = match at {
            0 => "the file is no RVM file: it is too short".to_owned(),
            _ => format!("the file ends at byte {} without the chunk `END:`", bytes.len()),
        };
        return Err(Fault::new(problem, EXPORT_AGAIN));
    };
    let word = |index: usize| u32::from_be_bytes([0, 1, 2, 3].map(|k| head[4 * index + k]));
    let letters = [0, 1, 2, 3].map(|index| u8::try_from(word(index)).ok().filter(u8::is_ascii_graphic));
    let [Some(a), Some(b), Some(c), Some(d)] = letters else {
        let problem = match at {
            0 => "the file is no binary RVM file".to_owned(),
            _ => format!("no chunk begins at byte {at}"),
        };
        return Err(Fault::new(problem, EXPORT_AGAIN));
    };
    let name = [a, b, c, d];
    let end = end_of_chunk(at as u64, word(4));
    let size = bytes.len() as u64;
    // The last chunk needs no end.
    if name == *b"END:" {
        return Ok((name, end.min(size) as usize));
    }
    match end > size || end < (at + HEAD) as u64 {
        true => Err(at_chunk(name, at, &format!("ends at byte {end}, and the file has {size}"))),
        false => Ok((name, end as usize)),
    }
}

fn at_chunk(name: [u8; 4], at: usize, problem: &str) -> Fault {
    Fault::new(format!("the chunk `{}` at byte {at} {problem}", shown(name)), EXPORT_AGAIN)
}

/// The name of a chunk for a message.
fn shown(name: [u8; 4]) -> String {
    name.iter().map(|&letter| char::from(letter)).collect()
}

/// A file while it is read.
#[derive(Default)]
struct Reading {
    plant: Plant,
    /// The groups that are open.
    open: Vec<u32>,
    /// Chunks `CNTE` without a group.
    surplus_ends: u64,
    /// The group of primitives outside of all groups.
    root: Option<u32>,
    /// Unknown chunks by name.
    unknown: BTreeMap<[u8; 4], u64>,
    /// Chunks with more bytes than fields that are known.
    longer: BTreeMap<[u8; 4], u64>,
}

impl Reading {
    /// Reads a chunk; `None`: it ends within its fields.
    ///
    /// # Errors
    /// A predicate that says what is wrong with the chunk.
    fn chunk(&mut self, name: [u8; 4], mut fields: Fields<'_>) -> Result<Option<()>, String> {
        let read = match &name {
            b"HEAD" => {
                self.fields_of_head(fields);
                return Ok(Some(()));
            }
            b"CNTB" => {
                if self.open.len() >= MAX_DEPTH {
                    return Err(format!("begins the {}th group within each other", MAX_DEPTH + 1));
                }
                self.begin(&mut fields)
            }
            b"CNTE" => {
                self.surplus_ends += u64::from(self.open.pop().is_none());
                fields.word().map(|_| ())
            }
            b"PRIM" => self.primitive(PrimitiveChunk::Prim, &mut fields),
            b"OBST" => self.primitive(PrimitiveChunk::Obst, &mut fields),
            b"INSU" => self.primitive(PrimitiveChunk::Insu, &mut fields),
            b"COLR" => self.colour(&mut fields),
            b"MODL" => return Ok(Some(())),
            _ => {
                *self.unknown.entry(name).or_default() += 1;
                return Ok(Some(()));
            }
        };
        if read.is_some() && fields.left() > 0 {
            *self.longer.entry(name).or_default() += 1;
        }
        Ok(read)
    }

    /// Notes a `HEAD` that is shorter or longer than its fields: some programs add a field.
    fn fields_of_head(&mut self, mut fields: Fields<'_>) {
        let mut read = || {
            let version = fields.word()?;
            (0..if version >= 2 { 5 } else { 4 }).try_for_each(|_| fields.text().map(|_| ()))
        };
        let is_whole = read().is_some();
        match (is_whole, fields.left()) {
            (true, 0) => {}
            (true, left) => self.plant.remarks.push(format!("`HEAD` has {left} bytes more than its fields")),
            (false, _) => self.plant.remarks.push("`HEAD` ends within its fields".to_owned()),
        }
    }

    fn begin(&mut self, fields: &mut Fields<'_>) -> Option<()> {
        let version = fields.word()?;
        let name = fields.text()?;
        let _reference_point: [f64; 3] = fields.floats()?;
        let material = fields.word()?;
        // Version 3 adds a word of transparency, version 4 seven words that nobody explains.
        if version > 2 {
            fields.at = fields.bytes.len();
        }
        let index = u32::try_from(self.plant.groups.len()).ok()?;
        self.plant.groups.push(PlantGroup { name, parent: self.open.last().copied(), material });
        self.open.push(index);
        Some(())
    }

    fn primitive(&mut self, chunk: PrimitiveChunk, fields: &mut Fields<'_>) -> Option<()> {
        fields.word()?;
        let kind = Kind::of(fields.word()?);
        let placement = match chunk {
            PrimitiveChunk::Prim => Some(Placement::read(fields)?),
            PrimitiveChunk::Obst | PrimitiveChunk::Insu => Placement::with_transparency(fields)?,
        };
        let begin = fields.at;
        kind.skip_numbers(fields)?;
        let numbers = begin..fields.at;
        let group = self.open.last().copied().map_or_else(|| self.root(), Some)?;
        self.plant.primitives.push(PlantPrimitive { group, chunk, kind, placement, numbers });
        Some(())
    }

    /// The group of primitives that belong to none.
    fn root(&mut self) -> Option<u32> {
        if self.root.is_none() {
            self.root = Some(u32::try_from(self.plant.groups.len()).ok()?);
            self.plant.groups.push(PlantGroup { name: String::new(), parent: None, material: 0 });
        }
        self.root
    }

    fn colour(&mut self, fields: &mut Fields<'_>) -> Option<()> {
        fields.word()?;
        let index = fields.word()?;
        let colour = fields.bytes(4)?;
        self.plant.palette.insert(index, [colour[0], colour[1], colour[2]]);
        Some(())
    }

    /// Remarks on the whole file; `rest`: the bytes behind its end.
    fn finish(&mut self, rest: &[u8]) {
        let counted = |chunks: &BTreeMap<[u8; 4], u64>| {
            let each = chunks.iter().map(|(name, count)| format!("{count} `{}`", shown(*name)));
            each.collect::<Vec<_>>().join(", ")
        };
        let remarks = &mut self.plant.remarks;
        if !self.unknown.is_empty() {
            remarks.push(format!("chunks of unknown kinds are passed over: {}", counted(&self.unknown)));
        }
        if !self.longer.is_empty() {
            remarks.push(format!("chunks have more bytes than their fields: {}", counted(&self.longer)));
        }
        if self.surplus_ends > 0 {
            remarks.push(format!("chunks `CNTE` that end no group: {}", self.surplus_ends));
        }
        if !self.open.is_empty() {
            remarks.push(format!("groups that are open at the end: {}", self.open.len()));
        }
        if rest.iter().any(|&byte| byte != 0) {
            remarks.push(format!("{} bytes behind `END:` are not read", rest.len()));
        }
    }
}
