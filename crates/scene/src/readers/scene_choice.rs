//! The scene of a glTF file that is taken.

use std::sync::Arc;

/// The scene of a glTF file that is taken.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum SceneChoice {
    /// By its number, from 0.
    Index(usize),
    /// By its name.
    Name(Arc<str>),
}
