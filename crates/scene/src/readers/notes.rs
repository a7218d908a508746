//! Notes on the parts that a reader leaves out of a sound file, for people to know.

/// Names that a note lists.
const LISTED: usize = 3;

/// Something of a geometry file that is no part of any body, or that was chosen without a word of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeometryNote {
    /// The kind of its warning.
    pub kind: &'static str,
    /// The part that is left out, or the choice that was made.
    pub problem: String,
    /// The action that the user can take.
    pub remedy: &'static str,
}

/// The first of some names, and how many more there are.
pub(super) fn listed<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    let more = names.len().saturating_sub(LISTED);
    let first: Vec<String> = names.take(LISTED).map(|name| format!("`{name}`")).collect();
    let first = first.join(", ");
    if more > 0 { format!("{first} and {more} more") } else { first }
}
