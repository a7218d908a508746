//! The two bodies of a pair, and points of their Minkowski difference.

use crate::support;
use clearsweep_geometry::round::{OnSector, Sector};
use clearsweep_geometry::{Polyhedron, RelativePose, RoundBody, Vec3};

/// A convex body by its supports; of a sector its hull.
#[derive(Debug, Clone, Copy)]
pub(super) enum Side<'a> {
    /// A polyhedron, which is the body.
    Polyhedron(&'a Polyhedron),
    /// The hull of caps.
    Round(&'a RoundBody),
    /// A sector of a torus, or a part of one.
    Sector(Sector),
    /// A triangle, by its corners.
    Triangle([Vec3<f64>; 3]),
}

/// A point of one body.
#[derive(Debug, Clone, Copy)]
pub(super) struct SidePoint {
    /// The point, in A's frame, metres.
    pub(super) point: Vec3<f64>,
    /// The vertex of a polyhedron, or the corner of a triangle.
    pub(super) vertex: u32,
    /// Its place on a sector, in the sector's own frame.
    pub(super) on: Option<OnSector>,
}

/// A point `a - b` of the difference, with both points.
#[derive(Debug, Clone, Copy)]
pub(super) struct Difference {
    /// `a - b`, in A's frame, metres.
    pub(super) point: Vec3<f64>,
    /// The points of A and of B.
    pub(super) sides: [SidePoint; 2],
}

/// Two convex bodies at a relative pose.
#[derive(Debug, Clone, Copy)]
pub(super) struct ConvexPair<'a> {
    /// A and B, each in its own frame.
    pub(super) sides: [Side<'a>; 2],
    /// B's frame in A's.
    pub(super) pose: RelativePose<f64>,
    /// The rounding bound E of the pair, metres.
    pub(super) bound: f64,
    /// The size of the pair, metres.
    pub(super) size: f64,
}

impl<'a> Side<'a> {
    /// The body of a core.
    pub(super) fn of(core: &'a Polyhedron) -> Self {
        match core.round.as_deref().map(|round| &round.body) {
            None => Self::Polyhedron(core),
            Some(RoundBody::Sector(sector)) => Self::Sector(*sector),
            Some(body) => Self::Round(body),
        }
    }

    /// A point farthest along `d`, in the body's own frame.
    #[inline]
    fn support(&self, d: Vec3<f64>) -> SidePoint {
        match self {
            Self::Polyhedron(core) => {
                let (vertex, _) = support::scanned_one(core, d);
                SidePoint { point: core.vertex(vertex), vertex, on: None }
            }
            Self::Round(body) => SidePoint { point: body.support(d), vertex: 0, on: None },
            Self::Sector(sector) => {
                let on = sector.support(d);
                SidePoint { point: on.point, vertex: 0, on: Some(on) }
            }
            Self::Triangle(corners) => {
                let farther =
                    |best: usize, next: usize| if corners[next].dot(d) > corners[best].dot(d) { next } else { best };
                let vertex = farther(farther(0, 1), 2);
                SidePoint { point: corners[vertex], vertex: vertex as u32, on: None }
            }
        }
    }
}

impl ConvexPair<'_> {
    /// The point of the difference farthest along `d` (A's frame).
    #[inline]
    pub(super) fn support(&self, d: Vec3<f64>) -> Difference {
        let a = self.sides[0].support(d);
        let b = self.sides[1].support(-self.pose.inverse_vector(d));
        let b = SidePoint { point: self.pose.point(b.point), ..b };
        Difference { point: a.point - b.point, sides: [a, b] }
    }

    /// A segment of each body, in A's frame: of the hull of two caps that between their supports
    /// along `d`, of any other body no more than its point.
    ///
    /// Sides along which two such bodies are nearly parallel are supported by one end or the other,
    /// and the nearest points lie between these.
    pub(super) fn generators(&self, d: Vec3<f64>, points: [Vec3<f64>; 2]) -> [[Vec3<f64>; 2]; 2] {
        let directions = [d, -self.pose.inverse_vector(d)];
        [0, 1].map(|side| match self.sides[side] {
            Side::Round(RoundBody::Caps { caps, .. }) if caps.len() == 2 => [0, 1].map(|k| {
                let point = caps[k].image(caps[k].farthest(directions[side]));
                if side == 0 { point } else { self.pose.point(point) }
            }),
            _ => [points[side]; 2],
        })
    }

    /// Which body is a polyhedron or a triangle, if one is.
    pub(super) fn polyhedron(&self) -> Option<usize> {
        self.sides.iter().position(|side| matches!(side, Side::Polyhedron(_) | Side::Triangle(_)))
    }
}
