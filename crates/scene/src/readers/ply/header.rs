//! The header of a PLY file: lines of text up to `end_header`.

use super::super::mesh::Fault;

pub(super) const REMEDY: &str = "export the file again; it may have been cut off or changed in transfer";

/// Longest header, bytes: real ones have a few hundred.
const MAX_HEADER: usize = 1 << 20;

/// Encoding of the values behind the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlyEncoding {
    Ascii,
    LittleEndian,
    BigEndian,
}

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlyScalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl PlyScalar {
    fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return None,
        })
    }

    fn is_integer(self) -> bool {
        !matches!(self, Self::F32 | Self::F64)
    }

    /// Bytes of a value in the binary encodings.
    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

/// A property of an element.
#[derive(Debug)]
pub(super) struct Property {
    name: String,
    /// Type of the value, or of the values of the list.
    pub(super) kind: PlyScalar,
    /// Type of the length; `None`: it is no list.
    pub(super) length: Option<PlyScalar>,
}

/// An element such as `vertex` or `face`.
#[derive(Debug)]
pub(super) struct Element {
    pub(super) name: String,
    /// As the header claims.
    pub(super) count: u64,
    pub(super) properties: Vec<Property>,
}

impl Element {
    /// Returns the index of a scalar property.
    pub(super) fn scalar(&self, name: &str) -> Result<usize, String> {
        self.properties
            .iter()
            .position(|property| property.name == name && property.length.is_none())
            .ok_or_else(|| format!("the element `{}` has no property `{name}`", self.name))
    }

    /// Returns the index of the list of vertices.
    pub(super) fn list(&self, names: &[&str]) -> Result<usize, String> {
        let fits = |property: &Property| {
            names.contains(&property.name.as_str()) && property.length.is_some() && property.kind.is_integer()
        };
        self.properties
            .iter()
            .position(fits)
            .ok_or_else(|| format!("the element `{}` has no list of integers `{}`", self.name, names[0]))
    }
}

/// The contents of a header.
#[derive(Debug)]
pub(super) struct PlyHeader {
    pub(super) encoding: PlyEncoding,
    pub(super) elements: Vec<Element>,
    /// Lines of the header.
    pub(super) lines: usize,
}

impl PlyHeader {
    /// The header, and the byte behind it.
    ///
    /// # Errors
    /// The first line that is malformed, by number.
    pub(super) fn parse(bytes: &[u8]) -> Result<(Self, usize), Fault> {
        let mut encoding = None;
        let mut elements: Vec<Element> = Vec::new();
        let (mut at, mut number) = (0, 0);
        loop {
            number += 1;
            let fault = |problem: String| Fault::at(number, problem, REMEDY);
            let Some((line, end)) = line(bytes, at).filter(|(_, end)| *end <= MAX_HEADER) else {
                return Err(fault("the header of the PLY file does not end (no `end_header`)".into()));
            };
            at = end;
            let text = String::from_utf8_lossy(line);
            let words: Vec<&str> = text.split_ascii_whitespace().collect();
            match words.as_slice() {
                ["ply"] if number == 1 => {}
                _ if number == 1 => return Err(fault("the file does not begin with `ply`".into())),
                [] | ["comment" | "obj_info", ..] => {}
                ["format", word, _version] => encoding = Some(format(word).map_err(fault)?),
                ["element", name, count] => elements.push(element(name, count).map_err(fault)?),
                ["property", rest @ ..] => {
                    let property = property(rest).map_err(fault)?;
                    let owner = elements.last_mut();
                    owner.ok_or_else(|| fault("a property before any element".into()))?.properties.push(property);
                }
                ["end_header"] => break,
                _ => return Err(fault(format!("`{}` is no statement of a PLY header", text.trim()))),
            }
        }
        let encoding = encoding.ok_or_else(|| Fault::at(number, "the header names no `format`", REMEDY))?;
        for name in ["vertex", "face", "tristrips"] {
            if elements.iter().filter(|element| element.name == name).count() > 1 {
                return Err(Fault::new(format!("the header has two elements `{name}`"), REMEDY));
            }
        }
        Ok((Self { encoding, elements, lines: number }, at))
    }
}

/// The line that begins at a byte, and where the next one does. Lines end in LF, CR LF or CR.
fn line(bytes: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let rest = bytes.get(at..)?;
    let length = rest.iter().position(|&b| b == b'\n' || b == b'\r')?;
    let end = at + length + if rest[length..].starts_with(b"\r\n") { 2 } else { 1 };
    Some((&rest[..length], end))
}

fn format(word: &str) -> Result<PlyEncoding, String> {
    match word {
        "ascii" => Ok(PlyEncoding::Ascii),
        "binary_little_endian" => Ok(PlyEncoding::LittleEndian),
        "binary_big_endian" => Ok(PlyEncoding::BigEndian),
        _ => Err(format!("`{word}` is no format of PLY")),
    }
}

fn element(name: &str, count: &str) -> Result<Element, String> {
    let count = count.parse().map_err(|_| format!("`{count}` is no number of elements"))?;
    Ok(Element { name: name.to_owned(), count, properties: Vec::new() })
}

fn property(words: &[&str]) -> Result<Property, String> {
    let kind = |word: &str| PlyScalar::parse(word).ok_or_else(|| format!("`{word}` is no type of PLY"));
    match words {
        ["list", length, value, name] => {
            let length_kind = kind(length)?;
            if !length_kind.is_integer() {
                return Err(format!("the length of a list has the type {length}"));
            }
            Ok(Property { name: (*name).to_owned(), kind: kind(value)?, length: Some(length_kind) })
        }
        [value, name] => Ok(Property { name: (*name).to_owned(), kind: kind(value)?, length: None }),
        _ => Err("a property needs a type and a name".into()),
    }
}
