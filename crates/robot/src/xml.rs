//! XML with lines: elements of a text, their attributes as numbers, and errors that name the line.

use crate::model::Line;
use clearsweep_base::error::nearest;
use clearsweep_base::{Error, Result};
use roxmltree::{Document, Node, ParsingOptions};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

/// Most elements, texts and comments of a document. A node takes about 100 bytes.
const MAX_NODES: u32 = 4_000_000;

/// Most declarations of namespaces: the parser copies those of the parents for each element that
/// declares one.
const MAX_NAMESPACES: usize = 1000;

/// Most equal signs between two `<`: the parser compares each attribute of an element with all
/// others.
const MAX_ATTRIBUTES: usize = 5000;

/// A text with its file name and the offsets of its lines.
pub(crate) struct Source<'t> {
    file: Arc<str>,
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Source<'t> {
    pub(crate) fn new(path: &Path, text: &'t str) -> Self {
        let ends = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        Self { file: path.display().to_string().into(), text, starts }
    }

    /// Parses the text; `kind` names the format in messages.
    pub(crate) fn parse(&self, kind: &str) -> Result<Document<'t>> {
        self.check_size()?;
        let options = ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
        Document::parse_with_options(self.text, options).map_err(|error| self.not_xml(kind, &error))
    }

    /// Refuses texts for which the parser takes more than linear time or memory.
    fn check_size(&self) -> Result<()> {
        let namespaces = self.text.matches("xmlns").take(MAX_NAMESPACES + 1).count();
        if namespaces > MAX_NAMESPACES {
            let problem = format!("more than {MAX_NAMESPACES} declarations of namespaces (`xmlns`)");
            return Err(Error::input(&self.file, problem, "delete the declarations that are not used"));
        }
        let mut at = 0;
        for part in self.text.split('<') {
            if part.bytes().filter(|&byte| byte == b'=').count() > MAX_ATTRIBUTES {
                let problem = format!("an element has more than {MAX_ATTRIBUTES} attributes");
                return Err(self.error_at(at, problem, "check that the file is what its name says"));
            }
            at += part.len() + 1;
        }
        Ok(())
    }

    fn not_xml(&self, kind: &str, error: &roxmltree::Error) -> Error {
        use roxmltree::Error as Xml;
        let (line, check) = (error.pos().row as usize, format!("check that the file is {kind}, and complete"));
        let at_line = |problem: String, remedy: String| Error::input(self.place(line), problem, remedy);
        match error {
            Xml::NoRootNode => Error::input(&self.file, "no XML element is in the file", check),
            Xml::UnclosedRootNode | Xml::UnexpectedEndOfStream => {
                let problem = "the XML ends before its root element is closed";
                Error::input(self.place(self.starts.len()), problem, check)
            }
            Xml::DtdDetected => {
                let problem =
                    "a document type definition (`<!DOCTYPE`) is not read: its entities may grow without bound";
                Error::input(&self.file, problem, "delete the `<!DOCTYPE ...>`, and write out entities that it defines")
            }
            Xml::NodesLimitReached | Xml::AttributesLimitReached | Xml::NamespacesLimitReached => {
                Error::input(&self.file, format!("more than {MAX_NODES} elements"), "give a smaller file")
            }
            Xml::UnknownNamespace(prefix, _) if prefix == "xacro" => self.not_expanded(line),
            Xml::UnknownNamespace(prefix, _) => {
                let remedy = format!("declare it in the root element: `xmlns:{prefix}=\"{prefix}\"`");
                at_line(format!("the prefix `{prefix}:` is not declared"), remedy)
            }
            _ => {
                // The message of the parser ends in its own form of the place.
                let text = error.to_string();
                let text = text.rsplit_once(" at ").map_or(text.as_str(), |(text, _)| text);
                at_line(format!("not XML ({text})"), check)
            }
        }
    }

    /// A xacro file where its expansion should be.
    fn not_expanded(&self, line: usize) -> Error {
        let remedy = "expand it first: `xacro robot.urdf.xacro > robot.urdf`, and name the result";
        Error::input(self.place(line), "xacro is not expanded", remedy)
    }

    /// Refuses macros, properties and substitutions of xacro.
    pub(crate) fn check_expanded(&self, document: &Document<'_>) -> Result<()> {
        let is_xacro = |node: Node<'_, '_>| {
            let namespace = node.tag_name().namespace().unwrap_or_default();
            namespace.contains("xacro")
                || node.attributes().any(|a| a.value().contains("${") || a.value().contains("$("))
        };
        match document.descendants().filter(Node::is_element).find(|&node| is_xacro(node)) {
            Some(node) => Err(self.not_expanded(self.line_at(node.range().start))),
            None => Ok(()),
        }
    }

    /// Line of an offset, from 1.
    fn line_at(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset)
    }

    /// Place of a line in messages.
    fn place(&self, line: usize) -> String {
        format!("{}:{line}", self.file)
    }

    fn error_at(&self, offset: usize, problem: impl Display, remedy: impl Display) -> Error {
        Error::input(self.place(self.line_at(offset)), problem, remedy)
    }

    /// The root element.
    pub(crate) fn root<'d>(&'d self, document: &'d Document<'d>) -> Element<'d> {
        Element { node: document.root_element(), source: self }
    }
}

/// An element of a document.
#[derive(Clone, Copy)]
pub(crate) struct Element<'d> {
    node: Node<'d, 'd>,
    source: &'d Source<'d>,
}

impl<'d> Element<'d> {
    /// Name as the file writes it, with its prefix.
    pub(crate) fn name(&self) -> &'d str {
        let text = &self.source.text[self.node.range().start..];
        let text = text.strip_prefix('<').unwrap_or(text);
        let end = text.find(|c: char| c.is_ascii_whitespace() || c == '/' || c == '>').unwrap_or(text.len());
        &text[..end]
    }

    /// Line of the start tag, from 1.
    pub(crate) fn line(&self) -> usize {
        self.source.line_at(self.node.range().start)
    }

    /// Name of the file that holds the element.
    pub(crate) fn file(&self) -> &'d str {
        &self.source.file
    }

    /// Line of the start tag with its file.
    pub(crate) fn at(&self) -> Line {
        Line { file: Arc::clone(&self.source.file), number: self.line() }
    }

    /// An error at this element.
    pub(crate) fn fault(&self, problem: impl Display, remedy: impl Display) -> Error {
        Error::input(self.at(), problem, remedy)
    }

    pub(crate) fn children(&self) -> impl Iterator<Item = Self> + use<'d> {
        let source = self.source;
        self.node.children().filter(Node::is_element).map(move |node| Self { node, source })
    }

    /// The element and all elements within it.
    pub(crate) fn descendants(&self) -> impl Iterator<Item = Self> + use<'d> {
        let source = self.source;
        self.node.descendants().filter(Node::is_element).map(move |node| Self { node, source })
    }

    /// All children of a name.
    pub(crate) fn all(&self, name: &'d str) -> impl Iterator<Item = Self> + use<'d> {
        self.children().filter(move |child| child.name() == name)
    }

    /// The child of a name, which may stand once.
    pub(crate) fn child(&self, name: &str) -> Result<Option<Self>> {
        let mut found = self.children().filter(|child| child.name() == name);
        let first = found.next();
        match found.next() {
            None => Ok(first),
            Some(second) => {
                let problem = format!("a second `{name}` in `{}`, which may have one", self.name());
                Err(second.fault(problem, "delete one of the two"))
            }
        }
    }

    /// The child of a name, which must stand once.
    pub(crate) fn required_child(&self, name: &str) -> Result<Self> {
        let remedy = || format!("add the element `{name}`, or check that the file is complete");
        let missing = || self.fault(format!("`{}` has no `{name}`", self.name()), remedy());
        self.child(name)?.ok_or_else(missing)
    }

    /// The text in the element, without that of its children.
    pub(crate) fn text(&self) -> Cow<'d, str> {
        let mut texts = self.node.children().filter(Node::is_text).filter_map(|node| node.text());
        let first = texts.next().unwrap_or_default();
        // A comment divides a text.
        texts.fold(Cow::Borrowed(first), |all, text| all + " " + text)
    }

    /// The `N` finite numbers in the element.
    pub(crate) fn content<const N: usize>(&self) -> Result<[f64; N]> {
        let text = self.text();
        let words = text.split_ascii_whitespace().take(N + 1);
        let numbers = words.map(|word| self.parse_word(word)).collect::<Result<Vec<_>>>()?;
        let count = numbers.len();
        let wrong = |_| {
            let found = if count > N { format!("more than {N}") } else { format!("{count}") };
            let problem = format!("`{}` has {found} numbers instead of {N}", self.name());
            self.fault(problem, format!("give {N}, separated by blanks"))
        };
        numbers.try_into().map_err(wrong)
    }

    /// A word of the text in the element as a finite number.
    pub(crate) fn parse_word(&self, word: &str) -> Result<f64> {
        let wrong = |what: &str| self.fault(format!("`{}` has an entry that {what} (`{word}`)", self.name()), REMEDY);
        let value: f64 = word.parse().map_err(|_| wrong("is not a number"))?;
        if value.is_finite() { Ok(value) } else { Err(wrong("is not finite")) }
    }

    /// The attribute of a name without prefix.
    pub(crate) fn attribute(&self, name: &str) -> Option<&'d str> {
        self.node.attributes().find(|a| a.name() == name && a.namespace().is_none()).map(|a| a.value())
    }

    /// The attribute of a name, which must stand and must not be blank.
    pub(crate) fn required(&self, name: &str) -> Result<&'d str> {
        let problem = |what| format!("`{}` {what} `{name}`", self.name());
        let remedy = || format!("write `<{} {name}=\"...\">`", self.name());
        match self.attribute(name) {
            Some(value) if !value.trim().is_empty() => Ok(value.trim()),
            Some(_) => Err(self.fault(problem("has an empty"), remedy())),
            None => Err(self.fault(problem("has no"), remedy())),
        }
    }

    /// Finite numbers of an attribute, separated by blanks; `None` if the attribute is missing.
    pub(crate) fn list(&self, name: &str, counts: std::ops::RangeInclusive<usize>) -> Result<Option<Vec<f64>>> {
        let Some(value) = self.attribute(name) else { return Ok(None) };
        let mut numbers = Vec::new();
        for word in value.split_ascii_whitespace() {
            if numbers.len() == *counts.end() {
                return Err(self.wrong_count(name, &format!("more than {}", counts.end()), &counts));
            }
            numbers.push(self.parse(name, word)?);
        }
        if numbers.len() < *counts.start() {
            return Err(self.wrong_count(name, &numbers.len().to_string(), &counts));
        }
        Ok(Some(numbers))
    }

    fn wrong_count(&self, name: &str, found: &str, counts: &std::ops::RangeInclusive<usize>) -> Error {
        let (least, most) = (counts.start(), counts.end());
        let count = if least == most { format!("{least}") } else { format!("{least} to {most}") };
        let value = self.attribute(name).unwrap_or_default();
        let problem = format!("`{name}` of `{}` has {found} numbers instead of {count} (`{value}`)", self.name());
        self.fault(problem, format!("give {count}, separated by blanks"))
    }

    fn parse(&self, name: &str, word: &str) -> Result<f64> {
        let wrong = |what: &str| self.fault(format!("`{name}` of `{}` {what} (`{word}`)", self.name()), REMEDY);
        let value: f64 = word.parse().map_err(|_| wrong("is not a number"))?;
        if value.is_finite() { Ok(value) } else { Err(wrong("is not finite")) }
    }

    /// The `N` finite numbers of an attribute.
    pub(crate) fn numbers<const N: usize>(&self, name: &str) -> Result<Option<[f64; N]>> {
        let list = self.list(name, N..=N)?;
        Ok(list.and_then(|list| list.try_into().ok()))
    }

    /// The finite number of an attribute.
    pub(crate) fn number(&self, name: &str) -> Result<Option<f64>> {
        Ok(self.numbers::<1>(name)?.map(|[value]| value))
    }

    /// The `N` positive numbers of an attribute that must stand.
    pub(crate) fn positive<const N: usize>(&self, name: &str) -> Result<[f64; N]> {
        self.required(name)?;
        let values = self.numbers(name)?.unwrap_or([f64::NAN; N]);
        match values.iter().find(|&&value| value.is_nan() || value <= 0.0) {
            None => Ok(values),
            Some(value) => {
                let problem = format!("`{name}` of `{}` is not positive (`{value}`)", self.name());
                Err(self.fault(problem, "give a length above 0 in metres, or delete the geometry"))
            }
        }
    }

    /// Refuses attributes that look like a misspelt one of `known`; returns the first other one
    /// that is unknown.
    pub(crate) fn unknown_attribute(&self, known: &[&str]) -> Result<Option<&'d str>> {
        let mut first = None;
        for attribute in self.node.attributes().filter(|attribute| attribute.namespace().is_none()) {
            let name = attribute.name();
            if known.contains(&name) {
                continue;
            }
            let missing = known.iter().copied().filter(|&word| self.attribute(word).is_none());
            if let Some(near) = nearest(name, missing) {
                let problem = format!("`{}` has no attribute `{name}`", self.name());
                return Err(self.fault(problem, format!("did you mean `{near}`?")));
            }
            first = first.or(Some(name));
        }
        Ok(first)
    }
}

const REMEDY: &str = "give a decimal number such as `0.25`";

/// Checks that a name of a thing is new; `lines` holds the lines of the names so far.
pub(crate) fn check_unique(
    lines: &mut HashMap<String, Line>,
    element: Element<'_>,
    kind: &str,
    name: &str,
) -> Result<()> {
    match lines.insert(name.to_owned(), element.at()) {
        None => Ok(()),
        Some(first) => {
            let place = match *first.file == *element.file() {
                true => format!("on line {}", first.number),
                false => format!("in {first}"),
            };
            let problem = format!("{kind} `{name}` stands {place} already");
            Err(element.fault(problem, "rename one of the two, and what refers to it"))
        }
    }
}
