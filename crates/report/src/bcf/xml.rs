//! XML documents in memory, by the writer of quick-xml.

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use std::borrow::Cow;
use std::io;

/// An XML document that is being written.
pub(super) type Xml = Writer<Vec<u8>>;

/// Attributes of an element: names and values.
pub(super) type Attributes<'a> = &'a [(&'a str, &'a str)];

/// Returns a document with the XML declaration and the elements that `content` writes.
pub(super) fn document(content: impl FnOnce(&mut Xml) -> io::Result<()>) -> Vec<u8> {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    let declaration = BytesDecl::new("1.0", Some("UTF-8"), None);
    let written = xml.write_event(Event::Decl(declaration)).and_then(|()| content(&mut xml));
    written.expect("a vector takes all bytes");
    let mut bytes = xml.into_inner();
    bytes.push(b'\n');
    bytes
}

/// Writes an element with elements inside.
pub(super) fn element(
    xml: &mut Xml,
    name: &str,
    attributes: Attributes<'_>,
    content: impl FnOnce(&mut Xml) -> io::Result<()>,
) -> io::Result<()> {
    let attributes = attributes.iter().map(|&(key, value)| (key, clean(value)));
    xml.create_element(name).with_attributes(attributes).write_inner_content(content)?;
    Ok(())
}

/// Writes an element without content.
pub(super) fn empty(xml: &mut Xml, name: &str, attributes: Attributes<'_>) -> io::Result<()> {
    let attributes = attributes.iter().map(|&(key, value)| (key, clean(value)));
    xml.create_element(name).with_attributes(attributes).write_empty()?;
    Ok(())
}

/// Writes an element with a text inside.
pub(super) fn leaf(xml: &mut Xml, name: &str, text: &str) -> io::Result<()> {
    xml.create_element(name).write_text_content(BytesText::new(&clean(text)))?;
    Ok(())
}

/// Returns the text with U+FFFD in place of the characters that XML 1.0 forbids (section 2.2).
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_allowed) {
        return Cow::Borrowed(text);
    }
    text.chars().map(|c| if is_allowed(c) { c } else { char::REPLACEMENT_CHARACTER }).collect()
}

fn is_allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

#[cfg(test)]
mod tests {
    use super::{clean, document, element, empty, leaf};

    #[test]
    fn texts_are_escaped_and_forbidden_characters_replaced() {
        let bytes = document(|xml| {
            element(xml, "a", &[("b", "\"<&'\u{1}\n")], |xml| {
                leaf(xml, "c", "<script>\r&\u{fffe}\0</script>")?;
                empty(xml, "d", &[])
            })
        });
        let expected = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a b=\"&quot;&lt;&amp;&apos;\u{fffd}&#10;\">\n  \
                        <c>&lt;script&gt;&#13;&amp;\u{fffd}\u{fffd}&lt;/script&gt;</c>\n  <d/>\n</a>\n";
        assert_eq!(String::from_utf8(bytes).expect("UTF-8"), expected);
    }

    #[test]
    fn allowed_texts_stay_as_they_are() {
        let text = "pump-1\t\n\r \u{7f}\u{5d0}\u{202e}\u{1f600}\u{fffd}";
        assert_eq!(clean(text), text);
    }
}
