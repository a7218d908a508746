//! Notes of the readers of geometry files: parts that they left out, choices that they made.

/// Something of a geometry file that is no part of any body, or that was chosen without a word of
/// the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeometryNote {
    /// The kind of its warning.
    pub kind: &'static str,
    /// The part that is left out, or the choice that was made.
    pub problem: String,
    /// The action that the user can take.
    pub remedy: &'static str,
}
