//! XML as a stream of elements with resolved names. Entities are never expanded beyond the five
//! that XML predefines, and a document type definition is refused.

use super::fault;
use crate::readers::mesh::Fault;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::{NamespaceResolver, ResolveResult};
use quick_xml::{NsReader, XmlVersion};
use std::borrow::Cow;
use std::fmt::Display;
use std::io::{BufReader, Read};

/// Elements of a part.
pub(super) struct XmlReader<'r> {
    inner: NsReader<BufReader<&'r mut dyn Read>>,
}

impl<'r> XmlReader<'r> {
    pub(super) fn new(bytes: BufReader<&'r mut dyn Read>) -> Self {
        Self { inner: NsReader::from_reader(bytes) }
    }

    /// The next event; `buffer` is empty.
    pub(super) fn event<'b>(&mut self, buffer: &'b mut Vec<u8>) -> Result<Event<'b>, Fault> {
        match self.inner.read_event_into(buffer) {
            Ok(Event::DocType(_)) => Err(fault("a document type definition (`<!DOCTYPE`) is not read")),
            Ok(event) => Ok(event),
            Err(quick_xml::Error::Io(error)) => Err(fault(format!("cannot be unpacked ({error})"))),
            Err(error) => Err(not_xml(error)),
        }
    }

    pub(super) fn resolver(&self) -> &NamespaceResolver {
        self.inner.resolver()
    }
}

/// Namespace and local name of an element; `None`: it has no namespace.
pub(super) fn resolved<'r>(resolver: &'r NamespaceResolver, start: &'r BytesStart<'_>) -> Option<(&'r str, &'r str)> {
    match resolver.resolve_element(start.name()) {
        (ResolveResult::Bound(namespace), local) => Some((namespace.into_inner(), local.into_inner())),
        _ => None,
    }
}

/// The values of attributes by their names, as the file writes them.
pub(super) fn attributes<'s, const N: usize>(
    start: &'s BytesStart<'_>,
    names: [&str; N],
) -> Result<[Option<Cow<'s, str>>; N], Fault> {
    let mut values = [const { None }; N];
    each_attribute(start, |key, value| {
        let Some(at) = names.iter().position(|name| *name == key) else { return Ok(()) };
        match values[at].replace(value) {
            None => Ok(()),
            Some(_) => Err(fault(format!("an element has the attribute `{key}` twice"))),
        }
    })?;
    Ok(values)
}

/// Hands the name and the value of each attribute to `take`.
pub(super) fn each_attribute<'s>(
    start: &'s BytesStart<'_>,
    mut take: impl FnMut(&'s str, Cow<'s, str>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    // The check for attributes that stand twice takes quadratic time.
    for attribute in start.attributes().with_checks(false) {
        let attribute = attribute.map_err(not_xml)?;
        take(attribute.key.into_inner(), attribute.normalized_value(XmlVersion::Implicit1_0).map_err(not_xml)?)?;
    }
    Ok(())
}

fn not_xml(error: impl Display) -> Fault {
    fault(format!("is not XML ({error})"))
}
