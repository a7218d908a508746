//! The columns of a table of bodies: their names, and what they hold.

/// The type of the values of a column.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum BodiesTableFormat {
    Text,
    Number,
    /// A number in the scene's unit, or a text with its own.
    Length,
    Bool,
    /// A whole number; any other value is not meant for clearsweep.
    Integer,
    Texts,
}

/// The columns, by the keys of `[[body]]` that they stand for, and what they hold. The first is
/// required.
pub(super) const COLUMNS: [(&[&str], BodiesTableFormat); 23] = [
    (&["body", "name"], BodiesTableFormat::Text),
    (&["geometry"], BodiesTableFormat::Text),
    (&["shape"], BodiesTableFormat::Text),
    (&["model"], BodiesTableFormat::Text),
    (&["inside"], BodiesTableFormat::Text),
    (&["unit"], BodiesTableFormat::Text),
    (&["scale"], BodiesTableFormat::Number),
    (&["up"], BodiesTableFormat::Text),
    (&["offset"], BodiesTableFormat::Length),
    (&["deviation"], BodiesTableFormat::Length),
    (&["pivot"], BodiesTableFormat::Text),
    (&["group"], BodiesTableFormat::Texts),
    (&["class"], BodiesTableFormat::Text),
    (&["level"], BodiesTableFormat::Text),
    (&["static"], BodiesTableFormat::Bool),
    (&["id"], BodiesTableFormat::Integer),
    (&["x"], BodiesTableFormat::Length),
    (&["y"], BodiesTableFormat::Length),
    (&["z"], BodiesTableFormat::Length),
    (&["qw"], BodiesTableFormat::Number),
    (&["qx"], BodiesTableFormat::Number),
    (&["qy"], BodiesTableFormat::Number),
    (&["qz"], BodiesTableFormat::Number),
];

/// The columns `geometry` and `shape` in [`COLUMNS`].
pub(super) const GEOMETRY: usize = 1;
pub(super) const SHAPE: usize = 2;

/// The column `static`.
pub(super) const STATIC: usize = 14;

/// The column `id`: integers that stand for names.
pub(super) const ID: usize = 15;

/// The first column of the position, and of the orientation.
pub(super) const POSITION: usize = 16;
pub(super) const ORIENTATION: usize = 19;

/// Columns of the pose, which are the last.
pub(super) const POSE_COLUMNS: usize = 7;

const _: () = assert!(POSITION + POSE_COLUMNS == COLUMNS.len(), "the pose comes last");
