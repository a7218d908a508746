//! The results of every reader: a mesh as read, or a fault.

use std::borrow::Cow;

/// A problem of a geometry file or a shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Line of the file, from 1, if it is known.
    pub line: Option<usize>,
    /// The problem, in words.
    pub problem: String,
    /// The action that the user can take.
    pub remedy: String,
}

impl Fault {
    /// A fault of the file as a whole.
    pub fn new(problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { line: None, problem: problem.into(), remedy: remedy.into() }
    }

    /// A fault of a line, counted from 1.
    pub fn at(line: usize, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { line: Some(line), problem: problem.into(), remedy: remedy.into() }
    }
}

/// A triangle mesh as read: coordinates in the file's own unit and axes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mesh {
    /// Positions; the index of a vertex is its order in the file (STL: 3 * triangle + corner). All
    /// finite.
    pub vertices: Vec<[f64; 3]>,
    /// Vertex indices of each triangle; convex polygons are cut into fans from their first vertex.
    pub triangles: Vec<[u32; 3]>,
    /// For each triangle: the object, group, solid or node that it belongs to, numbered from 0 in
    /// order of first use.
    pub piece: Vec<u32>,
    /// Number of pieces.
    pub pieces: usize,
    /// Names of the pieces as the file has them, long ones cut off; empty without names.
    pub names: Vec<String>,
    /// The largest rounding step of a coordinate as the file stores it, in the unit of `vertices`:
    /// of single precision the spacing at the largest magnitude, of integers 1, of `f64` and of
    /// decimals 0. A part of a file keeps that of the file.
    pub coordinate_step: f64,
    /// Triangles of polygons that are not flat, ascending: each with the length, in the unit of
    /// `vertices`, that any other way to cut its polygon may be off.
    pub warped: Vec<(u32, f64)>,
    /// Whether the file says that it is a sheet, which has no inside.
    pub is_sheet: bool,
}

impl Mesh {
    /// Returns the name of a piece in messages: its number from 0, and its name.
    pub(crate) fn piece_label(&self, piece: usize) -> String {
        match self.names.get(piece).filter(|name| !name.is_empty()) {
            Some(name) => format!("object {piece} (`{name}`)"),
            None => format!("object {piece}"),
        }
    }
}

/// Text of a file that says nothing of its encoding: UTF-8, or else Latin-1, in which every byte is
/// a character. Names that differ stay different in either.
pub(super) fn text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect::<String>().into(),
    }
}

/// Most vertices and triangles of a file: the published feature numbers are 32-bit signed.
pub(super) const MAX_ELEMENTS: usize = i32::MAX as usize;

/// The first coordinate that is not finite, as a fault naming its vertex.
pub(super) fn check_finite(vertex: usize, position: [f64; 3]) -> Result<(), String> {
    match position.iter().position(|c| !c.is_finite()) {
        None => Ok(()),
        Some(axis) => Err(format!("vertex {vertex} has the {} coordinate {}", ["x", "y", "z"][axis], position[axis])),
    }
}
