//! Names from files, made fit for a page: nothing in them is invisible, and none is endless.

use super::count;
use crate::bcf::ifc_guid;
use clearsweep_base::text::visible;

/// Characters of a name that are shown.
const SHOWN: usize = 200;
/// Characters of a longer name that its tooltip shows.
const TOOLTIP: usize = 400;

/// A name for a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Name {
    /// The name, without its middle if it is long.
    pub(crate) text: String,
    /// More of a long name; empty if `text` is all of it.
    pub(crate) title: String,
    /// The GUID at the end of the name, which `text` is without; empty if there is none.
    pub(crate) guid: String,
}

impl Name {
    /// The name as it stands in a file.
    pub(crate) fn of(raw: &str) -> Self {
        let (raw, guid) = split_guid(raw);
        let text = clipped(raw, SHOWN);
        let characters = raw.chars().count();
        let title = if characters <= SHOWN {
            String::new()
        } else if characters <= TOOLTIP {
            visible(raw).into_owned()
        } else {
            format!("{} (a name of {} characters)", clipped(raw, TOOLTIP), count(characters as u64))
        };
        Self { text, title, guid: guid.to_owned() }
    }
}

/// A name without the GUID of IFC that is the last node of its path, and that GUID.
fn split_guid(raw: &str) -> (&str, &str) {
    match raw.rsplit_once('/') {
        Some((before, last)) if !before.is_empty() && ifc_guid(last) == Some(last) => (before, last),
        _ => (raw, ""),
    }
}

/// A text of at most `most` characters, visible: the middle of a longer one is replaced by an
/// ellipsis.
pub(crate) fn clipped(raw: &str, most: usize) -> String {
    let Some((beyond, _)) = raw.char_indices().nth(most) else {
        return visible(raw).into_owned();
    };
    let tail = most / 3;
    let head = most - tail - 1;
    let end = raw.char_indices().nth(head).map_or(beyond, |(at, _)| at);
    let start = raw.char_indices().rev().nth(tail.max(1) - 1).map_or(beyond, |(at, _)| at);
    format!("{}\u{2026}{}", visible(&raw[..end]), visible(&raw[start..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_lose_their_middle() {
        assert_eq!(Name::of("pump"), Name { text: "pump".to_owned(), ..Name::default() });
        let door = Name::of("hall/door/3LIQL2UvjC6xkGKOQxhhVW");
        assert_eq!((&*door.text, &*door.guid), ("hall/door", "3LIQL2UvjC6xkGKOQxhhVW"));
        assert_eq!(Name::of("3LIQL2UvjC6xkGKOQxhhVW").guid, "", "nothing else to know it by");
        let long = Name::of(&format!("{}END", "\u{e9}".repeat(300)));
        assert_eq!(long.text.chars().count(), SHOWN);
        assert!(long.text.ends_with("END") && long.text.contains('\u{2026}'));
        assert!(long.title.ends_with("END") && long.title.chars().count() == 303);
        let huge = Name::of(&"x".repeat(65_536));
        assert!(huge.title.ends_with("(a name of 65,536 characters)") && huge.title.len() < 500);
        assert_eq!(clipped("abcdef", 6), "abcdef");
        assert_eq!(clipped("abcdefg", 6), "abc\u{2026}fg");
    }
}
