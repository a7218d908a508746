//! Bodies of which one is a triangle mesh.

use super::distance::DirectionalDistance;
use super::line::LineOfMotion;
use crate::narrow::workspace::Workspace;
use crate::scene::{QueryOptions, Shape};

/// The distance of two bodies on a line.
pub(super) fn distance(
    _line: &LineOfMotion,
    _bodies: [&Shape; 2],
    _options: &QueryOptions,
    _work: &mut Workspace,
) -> DirectionalDistance {
    DirectionalDistance::UNPROVEN
}
