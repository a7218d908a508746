//! Boxes of bodies: which ones stand near a point, and where two come near.

use super::shapes::ShapeKey;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_model::Shape;
use rustc_hash::FxHashMap;

/// The box of each shape.
pub(super) type Boxes = FxHashMap<ShapeKey, LocalBox>;

/// The box of a body along the axes of its recentred frame, growth included, metres.
#[derive(Debug, Clone, Copy)]
pub(super) struct LocalBox {
    least: [f64; 3],
    greatest: [f64; 3],
}

impl LocalBox {
    pub(super) fn of(shape: &Shape) -> Self {
        let hull = shape.hull();
        let [low, high] = hull.core.bounds();
        Self { least: low.to_array().map(|c| c - hull.radius), greatest: high.to_array().map(|c| c + hull.radius) }
    }

    /// Its middle, and half its sides, metres.
    pub(super) fn middle(&self) -> (Vec3<f64>, [f64; 3]) {
        let half = [0, 1, 2].map(|axis| 0.5 * (self.greatest[axis] - self.least[axis]));
        ([0, 1, 2].map(|axis| self.least[axis] + half[axis]).into(), half)
    }

    /// Its sides, ascending, metres.
    pub(super) fn sides(&self) -> [f64; 3] {
        let mut sides = [0, 1, 2].map(|axis| self.greatest[axis] - self.least[axis]);
        sides.sort_by(f64::total_cmp);
        sides
    }

    /// The point of the placed box nearest to a world point.
    pub(super) fn nearest(&self, pose: &Pose, point: Vec3<f64>) -> Vec3<f64> {
        let turned_back = Pose { q: [pose.q[0], -pose.q[1], -pose.q[2], -pose.q[3]], ..Pose::IDENTITY };
        let local = turned_back.apply((point - pose.position) - pose.rest).to_array();
        pose.apply([0, 1, 2].map(|axis| local[axis].max(self.least[axis]).min(self.greatest[axis])).into())
    }

    /// The distance of the placed box from a world point, metres.
    pub(super) fn distance(&self, pose: &Pose, point: Vec3<f64>) -> f64 {
        (self.nearest(pose, point) - point).length()
    }
}

/// A point between two placed boxes where they are nearest: alternating projections, from `start`.
pub(super) fn meeting_point(boxes: [(&LocalBox, &Pose); 2], start: Vec3<f64>) -> Vec3<f64> {
    /// Convergence is linear, and a view needs a percent of the sizes.
    const ROUNDS: usize = 32;
    let [(a, pose_a), (b, pose_b)] = boxes;
    let (mut on_a, mut on_b) = (start, start);
    for _ in 0..ROUNDS {
        on_a = a.nearest(pose_a, on_b);
        on_b = b.nearest(pose_b, on_a);
    }
    on_a + (on_b - on_a).scale(0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_meet_between_their_nearest_faces() {
        let unit = LocalBox { least: [-1.0; 3], greatest: [1.0; 3] };
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let (a, b) = (Pose::IDENTITY, Pose::new([5.0, 0.0, 0.0], [half, 0.0, 0.0, half]));
        let point = meeting_point([(&unit, &a), (&unit, &b)], b.position);
        assert!((point.x - 2.5).abs() < 1e-9, "between x = 1 and x = 4: {point:?}");
        assert_eq!(unit.distance(&b, Vec3::new(7.0, 0.0, 0.0)), 1.0);
        assert_eq!(unit.distance(&a, Vec3::ZERO), 0.0, "inside");
    }
}
