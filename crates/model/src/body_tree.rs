//! Tree of the bodies that `each` made of a geometry file, for people to look at.

use std::path::PathBuf;

/// The nodes, objects or components of a file, and which of them are bodies.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyTree {
    /// The geometry file.
    pub file: PathBuf,
    /// `each`: node, object or component.
    pub each: &'static str,
    /// Depth first, in the order of the file.
    pub nodes: Vec<TreeNode>,
    /// Number of different geometries among the bodies.
    pub geometries: usize,
    /// Names that the file has more than once, as they are now.
    pub renamed: Vec<String>,
    /// Parts that `include` and `exclude` leave out.
    pub left_out: u64,
    /// Parts without a triangle.
    pub empty: u64,
}

/// A node of a [`BodyTree`].
#[derive(Debug, Clone, PartialEq)]
pub struct TreeNode {
    /// Its name: the path in the file.
    pub name: String,
    /// Number of nodes above it.
    pub depth: u32,
    /// Whether it is a body.
    pub is_body: bool,
    /// Whether trajectories may move it.
    pub moves: bool,
    /// Bodies that it and the nodes below it are.
    pub bodies: u64,
}
