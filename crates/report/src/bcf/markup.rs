//! `markup.bcf`: the topic, its comment and its viewpoint. The order of elements is that of
//! `markup.xsd`.

use super::topic::{Topic, Viewpoint};
use super::xml::{Xml, document, element, empty, leaf};
use super::{BcfOptions, BcfVersion, SNAPSHOT_FILE, VIEWPOINT_FILE};
use std::io;
use uuid::Uuid;

/// Returns the file.
pub(super) fn file(topic: &Topic, options: &BcfOptions) -> Vec<u8> {
    let guid = topic.guid.to_string();
    let attributes = [("Guid", guid.as_str()), ("TopicType", topic.kind), ("TopicStatus", topic.status)];
    document(|xml| {
        element(xml, "Markup", &[], |xml| match options.version {
            BcfVersion::V2_1 => {
                element(xml, "Topic", &attributes, |xml| properties(xml, topic, options))?;
                comment(xml, topic, options)?;
                viewpoint(xml, "Viewpoints", topic.viewpoint)
            }
            BcfVersion::V3_0 => element(xml, "Topic", &attributes, |xml| {
                properties(xml, topic, options)?;
                if topic.comment.is_some() {
                    element(xml, "Comments", &[], |xml| comment(xml, topic, options))?;
                }
                if !is_written(topic.viewpoint) {
                    return Ok(());
                }
                element(xml, "Viewpoints", &[], |xml| viewpoint(xml, "ViewPoint", topic.viewpoint))
            }),
        })
    })
}

/// The elements that both versions have in common.
fn properties(xml: &mut Xml, topic: &Topic, options: &BcfOptions) -> io::Result<()> {
    leaf(xml, "Title", &topic.title)?;
    leaf(xml, "Priority", topic.priority)?;
    leaf(xml, "Index", &topic.index.to_string())?;
    match options.version {
        BcfVersion::V2_1 => topic.labels.iter().try_for_each(|label| leaf(xml, "Labels", label))?,
        BcfVersion::V3_0 => {
            element(xml, "Labels", &[], |xml| topic.labels.iter().try_for_each(|label| leaf(xml, "Label", label)))?;
        }
    }
    leaf(xml, "CreationDate", &options.date)?;
    leaf(xml, "CreationAuthor", &options.author)?;
    leaf(xml, "Description", &topic.description)
}

fn comment(xml: &mut Xml, topic: &Topic, options: &BcfOptions) -> io::Result<()> {
    let Some((guid, text)) = &topic.comment else { return Ok(()) };
    element(xml, "Comment", &[("Guid", &guid.to_string())], |xml| {
        leaf(xml, "Date", &options.date)?;
        leaf(xml, "Author", &options.author)?;
        leaf(xml, "Comment", text)?;
        let shown = topic.viewpoint;
        if is_written(shown) { reference(xml, shown.guid) } else { Ok(()) }
    })
}

/// Names the viewpoint that a comment speaks of.
fn reference(xml: &mut Xml, viewpoint: Uuid) -> io::Result<()> {
    empty(xml, "Viewpoint", &[("Guid", &viewpoint.to_string())])
}

fn viewpoint(xml: &mut Xml, name: &str, viewpoint: Viewpoint) -> io::Result<()> {
    if !is_written(viewpoint) {
        return Ok(());
    }
    element(xml, name, &[("Guid", &viewpoint.guid.to_string())], |xml| {
        if viewpoint.has_file {
            leaf(xml, "Viewpoint", VIEWPOINT_FILE)?;
        }
        if viewpoint.has_snapshot {
            leaf(xml, "Snapshot", SNAPSHOT_FILE)?;
        }
        leaf(xml, "Index", "0")
    })
}

fn is_written(viewpoint: Viewpoint) -> bool {
    viewpoint.has_file || viewpoint.has_snapshot
}
