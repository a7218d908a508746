//! How much text all bodies of a scene have: a short file may give a long list of groups to each of
//! many bodies.

use super::body_spec::BodySpec;

/// The bytes of the texts of the bodies so far.
#[derive(Debug, Default)]
pub(super) struct BodyTexts {
    names: usize,
    groups: usize,
}

impl BodyTexts {
    /// The most bytes of all names, and of all groups with what their list takes. A column of texts
    /// in memory holds less than 2^31.
    pub(super) const MOST: usize = 1 << 30;

    /// Counts the texts of the next body; which of them are too many with those of the bodies
    /// before.
    pub(super) fn add(&mut self, body: &BodySpec) -> Option<&'static str> {
        self.add_texts(&body.name, &body.groups)
    }

    fn add_texts(&mut self, name: &str, groups: &[String]) -> Option<&'static str> {
        self.names += name.len();
        self.groups += groups.iter().map(|group| group.len() + size_of::<String>()).sum::<usize>();
        match () {
            () if self.names > Self::MOST => Some("names"),
            () if self.groups > Self::MOST => Some("groups"),
            () => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_groups_are_counted_apart() {
        let mut texts = BodyTexts { names: BodyTexts::MOST - 4, groups: BodyTexts::MOST - 30 };
        assert_eq!(texts.add_texts("ab", &[]), None);
        assert_eq!(texts.add_texts("ab", &["123456".to_owned()]), None);
        assert_eq!(texts.add_texts("", &[String::new()]), Some("groups"));
        assert_eq!(texts.add_texts("a", &[]), Some("names"));
    }
}
