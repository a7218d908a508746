//! Issues as topics of the BIM Collaboration Format (BCF), versions 2.1 and 3.0.
//!
//! A `.bcf` file is a zip archive: `bcf.version`, in 3.0 also `extensions.xml`, and a folder for each topic with
//! `markup.bcf`, `viewpoint.bcfv` and `snapshot.png`. GUIDs are hashes of the issue, so that a topic keeps its GUID over
//! revisions of a model. Lengths are metres, angles are degrees. Equal reports give equal bytes.
//!
//! The elements follow the schemas of buildingSMART (BCF-XML, `markup.xsd` and `visinfo.xsd` of each version).

mod markup;
mod topic;
mod viewpoint;
mod xml;

pub(crate) use xml::clean;

use crate::data::{Issue, Report};
use clearsweep_base::error::{Error, Result};
use std::collections::BTreeSet;
use std::io::{Cursor, Write};
use topic::{Topic, words};
use uuid::Uuid;
use xml::{document, element, empty, leaf};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// Version of the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BcfVersion {
    /// 2.1, which most programs import.
    V2_1,
    /// 3.0.
    V3_0,
}

impl BcfVersion {
    /// The version of a word: `2.1` or `3.0`.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::V2_1, Self::V3_0].into_iter().find(|version| version.word() == word)
    }

    /// The word of the version.
    pub fn word(self) -> &'static str {
        match self {
            Self::V2_1 => "2.1",
            Self::V3_0 => "3.0",
        }
    }
}

/// Options of a BCF file.
#[derive(Debug, Clone)]
pub struct BcfOptions {
    /// Version of the format.
    pub version: BcfVersion,
    /// E-mail address of the author.
    pub author: String,
    /// Date of creation of the topics, RFC 3339 in UTC: `2026-01-31T12:00:00Z`.
    pub date: String,
}

/// Namespace of our GUIDs (UUID version 5, RFC 9562, section 5.5). Other namespace, other topics: it never changes.
const NAMESPACE: Uuid = Uuid::from_u128(0x6b1f_3c52_90da_4e0e_9a57_c1ea_25e3_b8d4);

/// Files of a topic's folder.
const MARKUP_FILE: &str = "markup.bcf";
const SNAPSHOT_FILE: &str = "snapshot.png";
const VIEWPOINT_FILE: &str = "viewpoint.bcfv";

/// Returns the bytes of a BCF file: a topic for every issue with a pair, also a solved one, sorted
/// by GUID.
///
/// `pictures[i]` is the snapshot of issue `i`, a PNG; issues beyond the end have none.
///
/// # Errors
/// The author is no e-mail address, or two issues have the same id.
pub fn bcf(report: &Report, pictures: &[Option<Vec<u8>>], options: &BcfOptions) -> Result<Vec<u8>> {
    check_author(&options.author)?;
    check_date(&options.date)?;
    let topics = sorted_topics(report)?;
    let mut archive = Archive::new();
    archive.text("bcf.version", &version_file(options.version))?;
    if options.version == BcfVersion::V3_0 {
        archive.text("extensions.xml", &extensions_file(report, options))?;
    }
    for (guid, index) in topics {
        let picture = pictures.get(index).and_then(Option::as_deref);
        write_topic(&mut archive, report, (index, guid), picture, options)?;
    }
    archive.finish()
}

/// GUIDs of the topics and indices of their issues, ascending.
fn sorted_topics(report: &Report) -> Result<Vec<(Uuid, usize)>> {
    let issues = report.issues.iter().enumerate().filter(|(_, issue)| has_topic(issue));
    let mut topics: Vec<_> = issues.map(|(index, issue)| (guid("topic", &[&issue.id]), index)).collect();
    topics.sort_unstable();
    if let Some(equal) = topics.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        let problem = format!("two issues have the id `{}`", report.issues[equal[0].1].id);
        return Err(Error::input("issues.parquet", problem, "run the job again: ids of issues are unique"));
    }
    Ok(topics)
}

/// Whether an issue is a topic.
fn has_topic(issue: &Issue) -> bool {
    issue.names().is_some()
}

/// The issues whose topics have no snapshot: some programs refuse such a file.
pub fn topics_without_snapshot<'r>(report: &'r Report, pictures: &[Option<Vec<u8>>]) -> Vec<&'r Issue> {
    let issues = report.issues.iter().enumerate().filter(|(_, issue)| has_topic(issue));
    issues.filter(|(index, _)| pictures.get(*index).is_none_or(Option::is_none)).map(|(_, issue)| issue).collect()
}

/// Writes the folder of a topic.
fn write_topic(
    archive: &mut Archive,
    report: &Report,
    (index, guid): (usize, Uuid),
    picture: Option<&[u8]>,
    options: &BcfOptions,
) -> Result<()> {
    let issue = &report.issues[index];
    let viewpoint = viewpoint::file(issue, picture, options.version);
    let topic = Topic::new(report, index, guid, viewpoint.is_some(), picture.is_some());
    archive.text(&format!("{guid}/{MARKUP_FILE}"), &markup::file(&topic, options))?;
    if let Some(picture) = picture {
        archive.picture(&format!("{guid}/{SNAPSHOT_FILE}"), picture)?;
    }
    if let Some(viewpoint) = viewpoint {
        archive.text(&format!("{guid}/{VIEWPOINT_FILE}"), &viewpoint)?;
    }
    Ok(())
}

/// GUID of a thing: the same for the same parts.
fn guid(kind: &str, parts: &[&str]) -> Uuid {
    let mut name = kind.as_bytes().to_vec();
    for part in parts {
        name.push(0); // no name holds it
        name.extend_from_slice(part.as_bytes());
    }
    Uuid::new_v5(&NAMESPACE, &name)
}

/// Refuses what is not of the form `name@example.com`.
fn check_author(author: &str) -> Result<()> {
    /// Longest address, bytes (RFC 5321, section 4.5.3.1).
    const LONGEST: usize = 254;
    let is_address = |(local, domain): (&str, &str)| {
        let parts: Vec<&str> = domain.split('.').collect();
        !local.is_empty() && !domain.contains('@') && parts.len() > 1 && parts.iter().all(|part| !part.is_empty())
    };
    let is_plain = author.len() <= LONGEST && !author.contains(|c: char| c.is_whitespace() || c.is_control());
    if is_plain && author.split_once('@').is_some_and(is_address) {
        return Ok(());
    }
    let problem = format!("`{author}` is not an e-mail address, which BCF asks for");
    Err(Error::usage("--author", problem, "give one such as `--author name@example.com`"))
}

/// Refuses a date that the caller did not write as `2026-01-31T12:00:00Z`.
fn check_date(date: &str) -> Result<()> {
    const FORM: &[u8] = b"0000-00-00T00:00:00Z";
    let fits = |(&byte, &form): (&u8, &u8)| if form == b'0' { byte.is_ascii_digit() } else { byte == form };
    if date.len() == FORM.len() && date.bytes().zip(FORM).all(|(byte, form)| fits((&byte, form))) {
        return Ok(());
    }
    Err(Error::internal("BCF", format!("the date `{date}` is not of the form 2026-01-31T12:00:00Z")))
}

/// `bcf.version`.
fn version_file(version: BcfVersion) -> Vec<u8> {
    let attributes = [("VersionId", version.word())];
    document(|xml| match version {
        BcfVersion::V2_1 => element(xml, "Version", &attributes, |xml| leaf(xml, "DetailedVersion", version.word())),
        BcfVersion::V3_0 => empty(xml, "Version", &attributes),
    })
}

/// `extensions.xml` of 3.0: the words that topics use.
fn extensions_file(report: &Report, options: &BcfOptions) -> Vec<u8> {
    let issues = report.issues.iter().filter(|issue| has_topic(issue));
    let labels: BTreeSet<String> = issues.flat_map(topic::labels).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let lists: [(&str, &str, &[&str]); 5] = [
        ("TopicTypes", "TopicType", &words::TYPES),
        ("TopicStatuses", "TopicStatus", &words::STATUSES),
        ("Priorities", "Priority", &words::PRIORITIES),
        ("TopicLabels", "TopicLabel", &labels),
        ("Users", "User", &[&options.author]),
    ];
    document(|xml| {
        element(xml, "Extensions", &[], |xml| {
            for (list, item, words) in lists {
                element(xml, list, &[], |xml| words.iter().try_for_each(|word| leaf(xml, item, word)))?;
            }
            Ok(())
        })
    })
}

/// A zip archive in memory. Its bytes depend on the files alone.
struct Archive {
    zip: ZipWriter<Cursor<Vec<u8>>>,
}

impl Archive {
    fn new() -> Self {
        Self { zip: ZipWriter::new(Cursor::new(Vec::new())) }
    }

    /// Adds a file that is compressed.
    fn text(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        self.add(name, bytes, CompressionMethod::Deflated)
    }

    /// Adds a file that is compressed in itself.
    fn picture(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        self.add(name, bytes, CompressionMethod::Stored)
    }

    fn add(&mut self, name: &str, bytes: &[u8], method: CompressionMethod) -> Result<()> {
        let options = SimpleFileOptions::default().last_modified_time(DateTime::default()).compression_method(method);
        self.zip.start_file(name, options).map_err(|error| Error::internal(name, error))?;
        self.zip.write_all(bytes).map_err(|error| Error::internal(name, error))
    }

    fn finish(self) -> Result<Vec<u8>> {
        let cursor = self.zip.finish().map_err(|error| Error::internal("BCF", error))?;
        Ok(cursor.into_inner())
    }
}

#[cfg(test)]
pub(crate) mod tests;
