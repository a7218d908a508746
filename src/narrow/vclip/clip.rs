//! Clipping an edge against planes of a Voronoi region, and where its nearest point lies then (Mirtich 1997,
//! Algorithms 1 and 2).
//!
//! A point of the edge is `e(lambda) = (1 - lambda) tail + lambda head`. Every function of `lambda` that is needed is
//! linear, so its values at both ends stand for it, and equal tests of two states give equal signs.

use super::super::feature::Feature;
use super::super::proximity::FeatureKind;
use super::regions::{Plane, Segment, support_plane};
use crate::geometry::{Polyhedron, Vec3};

/// The part of an edge that is left, and the features beyond the planes that bound it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clip {
    pub(super) low: f64,
    pub(super) high: f64,
    /// Where the edge enters: the neighbour beyond that plane; `None` at the tail.
    pub(super) entry: Option<Feature>,
    /// Where it leaves; `None` at the head.
    pub(super) exit: Option<Feature>,
}

/// What a plane leaves of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// Something.
    Kept,
    /// Nothing: both ends lie beyond this plane.
    Simple,
    /// Nothing together with the planes before.
    Compound,
}

impl Clip {
    /// The whole edge.
    pub(super) const WHOLE: Self = Self { low: 0.0, high: 1.0, entry: None, exit: None };

    /// Clips against a plane with the signed distances `tail` and `head` of the ends, negative beyond it, where
    /// `beyond` is the neighbouring feature. The divisor is never smaller than the dividend.
    #[inline]
    pub(super) fn cut(&mut self, tail: f64, head: f64, beyond: Feature) -> Cut {
        if tail < 0.0 && head < 0.0 {
            return Cut::Simple;
        }
        if tail < 0.0 {
            let at = tail / (tail - head);
            if at > self.low {
                (self.low, self.entry) = (at, Some(beyond));
            }
        } else if head < 0.0 {
            let at = tail / (tail - head);
            if at < self.high {
                (self.high, self.exit) = (at, Some(beyond));
            }
        }
        if self.low > self.high { Cut::Compound } else { Cut::Kept }
    }

    /// Algorithm 2: the neighbour to go on to, if the nearest point lies beyond an end of what is left. `slope` is the
    /// derivative, at a `lambda`, of the distance to the feature beyond the plane that is crossed there.
    #[inline]
    pub(super) fn check(&self, slope: impl Fn(Feature, f64) -> Slope<f64>) -> Slope<Feature> {
        if let Some(entry) = self.entry {
            match slope(entry, self.low) {
                Slope::Touching => return Slope::Touching,
                Slope::Of(slope) if slope > 0.0 => return Slope::Of(entry),
                Slope::Of(_) | Slope::None => {}
            }
        }
        if let Some(exit) = self.exit {
            match slope(exit, self.high) {
                Slope::Touching => return Slope::Touching,
                Slope::Of(slope) if slope < 0.0 => return Slope::Of(exit),
                Slope::Of(_) | Slope::None => {}
            }
        }
        Slope::None
    }
}

/// A derivative, or what follows from one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Slope<T> {
    /// Nothing.
    None,
    /// This.
    Of(T),
    /// The edge meets the feature there: the distance is zero and has no derivative.
    Touching,
}

/// The value at `lambda` of a linear function of given values at the ends: of their sign if both have the same.
#[inline]
pub(super) fn between(tail: f64, head: f64, lambda: f64) -> f64 {
    (1.0 - lambda) * tail + lambda * head
}

/// The derivative of the distance to an edge where a plane of it is crossed: that of the distance to its neighbour
/// beyond, a vertex or a face.
pub(super) fn slope_to_neighbour(home: &Polyhedron, neighbour: Feature, edge: &Segment, lambda: f64) -> Slope<f64> {
    match neighbour.kind {
        FeatureKind::Vertex => slope_to_vertex(home, neighbour.index, edge, lambda),
        FeatureKind::Face => slope_to_plane(&support_plane(home, neighbour.index), edge, lambda),
        FeatureKind::Edge => Slope::None,
    }
}

/// A number with the sign of the derivative of the distance to a vertex (Equation 2).
pub(super) fn slope_to_vertex(home: &Polyhedron, v: u32, edge: &Segment, lambda: f64) -> Slope<f64> {
    let u = edge.head - edge.tail;
    let v = home.vertex(v);
    let (tail, head) = (edge.tail - v, edge.head - v);
    let slope = between(u.dot(tail), u.dot(head), lambda);
    if slope == 0.0 && tail.scale(1.0 - lambda) + head.scale(lambda) == Vec3::ZERO {
        return Slope::Touching;
    }
    Slope::Of(slope)
}

/// A number with the sign of the derivative of the distance to a face within its prism (Equation 3).
pub(super) fn slope_to_plane(plane: &Plane, edge: &Segment, lambda: f64) -> Slope<f64> {
    let (tail, head) = (plane.side(edge.tail), plane.side(edge.head));
    let at = between(tail, head, lambda);
    if at == 0.0 {
        return Slope::Touching;
    }
    Slope::Of(if at > 0.0 { head - tail } else { tail - head })
}
