//! Notes on the parts that a reader leaves out of a sound file, for people to know.

/// Names that a note lists.
const LISTED: usize = 3;

/// The first of some names, and how many more there are.
pub(super) fn listed<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    let more = names.len().saturating_sub(LISTED);
    let first: Vec<String> = names.take(LISTED).map(|name| format!("`{name}`")).collect();
    let first = first.join(", ");
    if more > 0 { format!("{first} and {more} more") } else { first }
}
