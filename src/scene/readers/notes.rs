//! What a reader leaves out of a file that is sound, for people to know.

/// Names that a note lists.
const LISTED: usize = 3;

/// Something of a geometry file that is no part of any body, or that was chosen without a word of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeometryNote {
    /// The kind of its warning.
    pub kind: &'static str,
    /// What is left out, or was chosen.
    pub problem: String,
    /// What to do about it.
    pub remedy: &'static str,
}

/// The first of some names, and how many more there are.
pub(super) fn listed<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    let more = names.len().saturating_sub(LISTED);
    let first: Vec<String> = names.take(LISTED).map(|name| format!("`{name}`")).collect();
    let first = first.join(", ");
    if more > 0 { format!("{first} and {more} more") } else { first }
}
