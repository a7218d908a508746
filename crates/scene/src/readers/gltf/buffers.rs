//! The bytes of a glTF file: the chunks of `.glb`, data in the text itself, and files beside it.

use super::limits::fault;
use super::schema::GltfRoot;
use crate::digest::InputReader;
use crate::readers::mesh::Fault;
use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use clearsweep_base::error::{Error, LARGE_INPUT};
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Whether this is the binary container.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    bytes.starts_with(b"glTF")
}

/// The JSON of a file, and its binary chunk (glTF 2.0, section 4.4).
pub(super) fn split(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), Fault> {
    if !is_binary(bytes) {
        return Ok((bytes, None));
    }
    let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let (Some(version), Some(length)) = (word(4), word(8)) else { return Err(fault("is truncated in its header")) };
    if version != 2 {
        return Err(Fault::new(format!("is glTF version {version}"), "export it as glTF 2.0"));
    }
    if length as usize > bytes.len() {
        return Err(fault(format!("is truncated: it has {} bytes of {length}", bytes.len())));
    }
    let (mut at, mut json, mut binary) = (12, None, None);
    while at < length as usize {
        let (Some(size), Some(kind)) = (word(at), bytes.get(at + 4..at + 8)) else {
            return Err(fault("is truncated in the header of a chunk"));
        };
        let end = (at + 8).checked_add(size as usize).filter(|&end| end <= length as usize);
        let end = end.ok_or_else(|| fault(format!("has a chunk of {size} bytes that reaches beyond its end")))?;
        match kind {
            b"JSON" if json.is_none() => json = Some(&bytes[at + 8..end]),
            b"BIN\0" if binary.is_none() => binary = Some(&bytes[at + 8..end]),
            _ => {} // readers ignore chunks that they do not know
        }
        at = end;
    }
    Ok((json.ok_or_else(|| fault("has no JSON chunk"))?, binary))
}

/// The buffers of a file, read when they are first asked for.
pub(super) struct Buffers<'a> {
    pub(super) root: &'a GltfRoot,
    path: &'a Path,
    binary: Option<&'a [u8]>,
    /// For each buffer, the first with the same reference: one that is named twice is read once.
    first: Vec<usize>,
    loaded: Vec<OnceCell<Vec<u8>>>,
    /// Reads files.
    read: RefCell<&'a mut InputReader>,
}

impl<'a> Buffers<'a> {
    pub(super) fn new(root: &'a GltfRoot, path: &'a Path, binary: Option<&'a [u8]>, read: &'a mut InputReader) -> Self {
        let mut known = HashMap::new();
        let first =
            root.buffers.iter().enumerate().map(|(at, buffer)| *known.entry(&buffer.uri).or_insert(at)).collect();
        Self { root, path, binary, first, loaded: vec![OnceCell::new(); root.buffers.len()], read: RefCell::new(read) }
    }

    /// The bytes of a buffer.
    pub(super) fn get(&self, index: usize) -> Result<&[u8], Fault> {
        let Some(about) = self.root.buffers.get(index) else {
            return Err(fault(format!("buffer {index} is named, but there are {}", self.root.buffers.len())));
        };
        let slot = &self.loaded[self.first[index]];
        let bytes = match (&about.uri, slot.get()) {
            (_, Some(bytes)) => Some(bytes.as_slice()),
            (Some(uri), None) => {
                let bytes = self.load(uri, index)?;
                Some(slot.get_or_init(|| bytes).as_slice())
            }
            (None, None) => self.binary.filter(|_| index == 0),
        };
        let bytes = bytes.ok_or_else(|| fault(format!("buffer {index} has no bytes: neither a uri nor a chunk")))?;
        let length = usize::try_from(about.byte_length).unwrap_or(usize::MAX);
        bytes
            .get(..length)
            .ok_or_else(|| fault(format!("buffer {index} is truncated: it has {} bytes of {length}", bytes.len())))
    }

    fn load(&self, uri: &str, index: usize) -> Result<Vec<u8>, Fault> {
        if let Some(data) = uri.strip_prefix("data:") {
            let Some((_, text)) = data.split_once(";base64,") else {
                return Err(fault(format!("buffer {index} has data that is not base64")));
            };
            let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
            let decoded = GeneralPurpose::new(&STANDARD, config).decode(text.trim());
            return decoded.map_err(|error| fault(format!("buffer {index} has bad base64 ({error})")));
        }
        let path = self.beside(uri).ok_or_else(|| {
            let problem = format!("buffer {index}: `{uri}` is no path relative to the file");
            Fault::new(problem, "export the file as .glb, or with its buffers beside it")
        })?;
        self.read.borrow_mut().read(&path).map_err(|error| {
            let remedy = if error.kind() == ErrorKind::FileTooLarge { LARGE_INPUT } else { REMEDY_FILE };
            let error = Error::unreadable(&path, &error);
            Fault::new(format!("its buffer {} {}", path.display(), error.problem), remedy)
        })
    }

    /// The path of a relative reference (RFC 3986), its escapes undone.
    fn beside(&self, uri: &str) -> Option<PathBuf> {
        let text = unescape(uri)?;
        // A colon before any slash would be a scheme such as https.
        let first = text.split('/').next().unwrap_or_default();
        if text.is_empty() || first.contains(':') || text.contains('\0') || Path::new(&text).has_root() {
            return None;
        }
        Some(self.path.parent().unwrap_or(Path::new("")).join(text))
    }
}

const REMEDY_FILE: &str = "keep the .bin files of a .gltf file beside it, or export the file as .glb";

/// A text with its `%XX` undone; `None` if one is malformed or the result is no UTF-8.
fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_relative_paths() {
        let root = GltfRoot::default();
        let mut read = InputReader::new(0);
        let buffers = Buffers::new(&root, Path::new("data/a.gltf"), None, &mut read);
        assert_eq!(buffers.beside("b%20c.bin"), Some(PathBuf::from("data/b c.bin")));
        assert_eq!(buffers.beside("../x/b.bin"), Some(PathBuf::from("data/../x/b.bin")));
        for uri in ["", "/etc/b.bin", "https://a.example/b.bin", "file:b.bin", "%2fb", "b%", "b%zz", "b%ff", "b%00"] {
            assert_eq!(buffers.beside(uri), None, "{uri}");
        }
    }

    #[test]
    fn containers_are_checked() {
        let chunk = |kind: &[u8], data: &[u8]| [&(data.len() as u32).to_le_bytes(), kind, data].concat();
        let glb = |version: u32, chunks: &[u8]| {
            [b"glTF", &version.to_le_bytes()[..], &(12 + chunks.len() as u32).to_le_bytes(), chunks].concat()
        };
        let chunks = [chunk(b"JSON", b"{}  "), chunk(b"ODD!", b"1234"), chunk(b"BIN\0", b"abcd")].concat();
        let good = glb(2, &chunks);
        assert_eq!(split(&good).expect("fits"), (&b"{}  "[..], Some(&b"abcd"[..])));
        assert!((4..good.len()).all(|end| split(&good[..end]).is_err()));
        assert!(split(&glb(1, &chunks)).expect_err("old").problem.contains("version 1"));
        assert!(split(&glb(2, &chunk(b"BIN\0", b"abcd"))).expect_err("no JSON").problem.contains("no JSON"));
    }
}
