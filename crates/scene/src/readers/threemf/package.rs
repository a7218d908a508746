//! The ZIP archive of a 3MF file (Open Packaging Conventions): its parts by name, each unpacked as
//! it is read, and its start part.

use super::xml::{XmlReader, attributes, resolved};
use super::{REMEDY, fault};
use crate::readers::mesh::Fault;
use quick_xml::events::Event;
use std::io::{self, BufReader, Cursor, Read};
use zip::ZipArchive;
use zip::result::ZipError;

/// Bytes that the parts of any file may unpack to; beyond, [`PER_BYTE`] for each packed one: XML of
/// meshes shrinks to a fifth to a tenth.
const ALLOWED: u64 = 16 << 20;
const PER_BYTE: u64 = 256;

/// The relationship of the start part (Core Specification, section 2.1.1).
const START: &str = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel";

/// Namespace of the relationships.
const RELATIONSHIPS: &str = "http://schemas.openxmlformats.org/package/2006/relationships";

/// The archive, and how many bytes its parts may still unpack to.
pub(super) struct Package<'b> {
    archive: ZipArchive<Cursor<&'b [u8]>>,
    left: u64,
}

impl<'b> Package<'b> {
    pub(super) fn open(bytes: &'b [u8], limit: u64) -> Result<Self, Fault> {
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| {
            Fault::new(
                format!("the file is no 3MF: it cannot be read as a ZIP archive ({error})"),
                "check that the file is complete, or export it again",
            )
        })?;
        let left = limit.min(ALLOWED.saturating_add(PER_BYTE.saturating_mul(bytes.len() as u64)));
        Ok(Self { archive, left })
    }

    /// The name of the part that holds the build, as the relationships of the package say.
    pub(super) fn start_part(&mut self) -> Result<String, Fault> {
        let name = "_rels/.rels";
        let mut found = None;
        self.read(name, |reader| {
            let mut buffer = Vec::new();
            loop {
                buffer.clear();
                let event = reader.event(&mut buffer)?;
                let start = match &event {
                    Event::Start(start) | Event::Empty(start) => start,
                    Event::Eof => return Ok(()),
                    _ => continue,
                };
                let is_relationship = resolved(reader.resolver(), start) == Some((RELATIONSHIPS, "Relationship"));
                if is_relationship {
                    let [kind, target, mode] = attributes(start, ["Type", "Target", "TargetMode"])?;
                    let is_inside = mode.as_deref() != Some("External");
                    if is_inside && kind.as_deref() == Some(START) {
                        let target = target.map(|target| part_name(&target));
                        if found.is_some() && found != target {
                            return Err(fault("names several 3D models of the package, which has one"));
                        }
                        found = target;
                    }
                }
            }
        })?;
        found.ok_or_else(|| fault(format!("{name} names no 3D model of the package")))
    }

    /// Hands the XML of a part to `take`, whose fault then names the part.
    pub(super) fn read(
        &mut self,
        name: &str,
        take: impl FnOnce(&mut XmlReader<'_>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let index = self.archive.index_for_name_raw(name.as_bytes()).or_else(|| {
            // Names of parts are equal without regard to case (OPC, section 6.2.2.3).
            self.archive.file_names_raw().position(|raw| raw.eq_ignore_ascii_case(name.as_bytes()))
        });
        let index = index.ok_or_else(|| fault(format!("the package has no part `{name}`")))?;
        let entry = self.archive.by_index(index).map_err(|error| match error {
            ZipError::UnsupportedArchive(why) => Fault::new(
                format!("{name} cannot be unpacked: {why}"),
                "pack it anew, with deflate and without a password",
            ),
            error => Fault::new(format!("{name} cannot be unpacked: {error}"), REMEDY),
        })?;
        let mut unpacked = Unpacked { inner: entry, left: &mut self.left };
        let mut reader = XmlReader::new(BufReader::new(&mut unpacked as &mut dyn Read));
        take(&mut reader).map_err(|fault| Fault { problem: format!("{name}: {}", fault.problem), ..fault })
    }
}

/// The name of a part in the archive: without the slash at its beginning.
pub(super) fn part_name(path: &str) -> String {
    path.strip_prefix('/').unwrap_or(path).to_owned()
}

/// The bytes of a part; reading on is an error once all parts together are too large.
struct Unpacked<'l, R> {
    inner: R,
    left: &'l mut u64,
}

impl<R: Read> Read for Unpacked<'_, R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(to)?;
        match self.left.checked_sub(count as u64) {
            Some(left) => *self.left = left,
            None => return Err(io::Error::other("the package unpacks to more bytes than any model does")),
        }
        Ok(count)
    }
}
