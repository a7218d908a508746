//! Which scene of a glTF file is taken.

use std::sync::Arc;

/// Which scene of a glTF file is taken.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum SceneChoice {
    /// By its number, from 0.
    Index(usize),
    /// By its name.
    Name(Arc<str>),
}
