//! Regions in which two bodies touch or overlap: `[query] contacts = "all"`.

use clearsweep_geometry::Vec3;

/// The kind of a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ContactKind {
    /// The surfaces come within `touch` of each other, and cross by no more than that.
    Touching,
    /// The surfaces cross: the region is a curve.
    Crossing,
    /// The surfaces of bodies that have grown overlap, and those of their cores do not cross.
    Grown,
    /// A part of one body lies inside of the other, and its surface does not come near to the
    /// other's.
    Inside,
}

impl ContactKind {
    /// The words of the tables, by discriminant.
    pub const NAMES: [&'static str; 4] = ["touching", "crossing", "grown", "inside"];
}

/// A region in which two bodies touch or overlap. Lengths in metres, points in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// The sample of the block.
    pub sample: u8,
    /// Kind of the region.
    pub kind: ContactKind,
    /// Part of A and of B at the point, as in `part_a` and `part_b` of a row: a piece, or a
    /// triangle of a mesh.
    pub part: [i32; 2],
    /// A point of the region.
    pub point: Vec3<f64>,
    /// Least coordinates of a box that holds the region.
    pub low: Vec3<f64>,
    /// Greatest coordinates of that box.
    pub high: Vec3<f64>,
    /// Length of the curve in which the surfaces cross; NaN for other kinds.
    pub length: f64,
    /// Whether the curve is closed.
    pub is_closed: bool,
}
