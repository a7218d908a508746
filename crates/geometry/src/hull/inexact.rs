//! The failure of predicates that are exact.

/// A structure that exact predicates cannot produce was found near this point.
#[derive(Debug)]
pub(super) struct Inexact {
    pub(super) point: u32,
}
