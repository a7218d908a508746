//! The answer to a query: the row of a pair in a sample.

use clearsweep_geometry::Vec3;

/// The kind of a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FeatureKind {
    /// A vertex.
    Vertex,
    /// An edge.
    Edge,
    /// A face; of a round body a flat end.
    Face,
    /// A curved side of a round body.
    Round,
}

impl FeatureKind {
    /// The words of the tables, by discriminant.
    pub const NAMES: [&'static str; 4] = ["vertex", "edge", "face", "round"];
}

/// The relation of the two bodies of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// `lower > touch`.
    Separated,
    /// Neither separated nor penetrating.
    Touching,
    /// `upper < -touch`; or method [`Method::Winding`].
    Penetrating,
    /// No bracket could be proven.
    Uncertified,
}

impl Status {
    /// The words of the tables, by discriminant.
    pub const NAMES: [&'static str; 4] = ["separated", "touching", "penetrating", "uncertified"];
}

/// The class of proof of a row, independent of the route by which the answer was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    /// Every optimality test holds by more than twice its rounding bound: the optimum is unique.
    Strict,
    /// Several closest points or directions within rounding: the middle of the sets of closest
    /// points, or the choice of the published rule. The bracket is proven.
    Tie,
    /// Decided in extended precision.
    Exact,
    /// A triangle mesh under its tree.
    Mesh,
    /// The depth of a nonconvex body: a bracket, not a value.
    Bound,
    /// Not proven.
    None,
    /// The surfaces do not touch, and a part of one body lies inside of an open mesh by its winding
    /// number: the bracket reaches from minus the depth to the distance of the surfaces.
    Winding,
    /// Round bodies: the lower end by their supports along a direction, the upper end by a point of
    /// each, or by points of the difference around the origin.
    Round,
}

impl Method {
    /// The words of the tables, by discriminant.
    pub const NAMES: [&'static str; 8] = ["strict", "tie", "exact", "mesh", "bound", "none", "winding", "round"];
}

/// The answer to one query: lengths in metres.
#[derive(Debug, Clone, Copy)]
pub struct Proximity {
    /// The sample of the block.
    pub sample: u8,
    /// Relation of the bodies.
    pub status: Status,
    /// Class of proof.
    pub method: Method,
    /// Kind of the feature of A, of B.
    pub feature_kind: [FeatureKind; 2],
    /// Published number of the feature of A, of B (vertices: index in the file).
    pub feature: [i32; 2],
    /// Piece of A, of B.
    pub part: [i32; 2],
    /// Signed distance: separated > 0, penetrating < 0 (minus the depth).
    pub distance: f64,
    /// Proven lower end; NaN where uncertified.
    pub lower: f64,
    /// Proven upper end; NaN where uncertified.
    pub upper: f64,
    /// Witness point on A, metres: in A's recentred frame as the narrow phase answers, in the world
    /// frame in a table.
    pub point_a: Vec3<f64>,
    /// Witness point on B in the same frame: `point_a + distance * normal`.
    pub point_b: Vec3<f64>,
    /// Unit normal from A to B: moving B along it increases the distance.
    pub normal: Vec3<f64>,
    /// Depth as clash tools state it, metres: the distance from the innermost vertex of one body to
    /// the nearest face of the other. NaN unless the bodies penetrate and one of them is a mesh.
    pub protrusion: f64,
}

/// Number by number; a protrusion that is not known equals another.
impl PartialEq for Proximity {
    fn eq(&self, other: &Self) -> bool {
        let words = |p: &Self| (p.sample, p.status, p.method, p.feature_kind, p.feature, p.part);
        let numbers = |p: &Self| (p.distance, p.lower, p.upper, p.point_a, p.point_b, p.normal);
        let is_unknown = self.protrusion.is_nan() && other.protrusion.is_nan();
        words(self) == words(other)
            && numbers(self) == numbers(other)
            && (is_unknown || self.protrusion == other.protrusion)
    }
}
