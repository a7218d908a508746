//! Bounds of a body's motion that say nothing else of it.

use clearsweep_geometry::turn::{angle_at_most, translation};
use clearsweep_geometry::{Pose, Vec3};

/// Relative margin of what is computed here.
const MARGIN: f64 = 1.0 + 1e-9;

/// All that is known of the motion of a body between two poses
/// ([`BetweenFrames::Bounded`](crate::BetweenFrames::Bounded)): bounds of its pivot and of its
/// turn.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MotionBounds {
    /// Greatest speed of the pivot, m/s.
    pub speed: Option<f64>,
    /// Greatest acceleration of the pivot, m/s^2.
    pub acceleration: Option<f64>,
    /// Greatest angular velocity, rad/s; `None`: the body may turn in any way.
    pub turn: Option<f64>,
}

/// A motion that no body within its bounds makes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BrokenBound {
    /// The pivot is farther from its former place, metres, than its speed allows.
    Speed(f64),
    /// The body is turned by a greater angle, radians, than its angular velocity allows.
    Turn(f64),
}

impl MotionBounds {
    /// Whether something bounds the way of the pivot.
    pub fn bound_the_pivot(&self) -> bool {
        self.speed.or(self.acceleration).is_some()
    }

    /// Bound on the distance of any point of a body from its place under
    /// [`BetweenFrames::Linear`](crate::BetweenFrames::Linear), metres, at any time between two
    /// poses of its recentred frame, `seconds` apart. `reach`: of its points about the recentred
    /// origin; `pivot`: in the recentred frame; both in metres.
    ///
    /// At the share `s` a pivot is `a` from its first and `b` from its last place, and off the
    /// chord of the length `c` by `d`, with `d^2 = (1 - s) a^2 + s b^2 - s (1 - s) c^2`. If it goes
    /// at most `V` in all, `a <= s V` and `b <= (1 - s) V`, so that `d^2 <= (V^2 - c^2) / 4`. A
    /// turn is off the shortest one by at most half the sum of both angles.
    pub fn departure(&self, ends: &[Pose; 2], seconds: f64, reach: f64, pivot: Vec3<f64>) -> f64 {
        let seconds = seconds.abs();
        let chord = self.chord(ends, pivot);
        let by_speed = self.speed.map(|speed| {
            let most = speed * seconds * MARGIN;
            0.5 * ((most - chord).max(0.0) * (most + chord)).sqrt()
        });
        let by_acceleration = self.acceleration.map(|most| 0.125 * most * seconds * seconds);
        let of_pivot = by_speed.into_iter().chain(by_acceleration).fold(f64::INFINITY, f64::min);
        let angle = self.turn.map_or(2.0, |turn| {
            let turned = angle_at_most(ends[0].q, ends[1].q);
            (0.5 * (turn * seconds + turned)).min(2.0)
        });
        (of_pivot + angle * (reach + pivot.length())) * MARGIN
    }

    /// Finds the bound that no motion between these poses keeps, if there is one.
    pub fn broken(&self, ends: &[Pose; 2], seconds: f64, pivot: Vec3<f64>) -> Option<BrokenBound> {
        let seconds = seconds.abs();
        let chord = self.chord(ends, pivot);
        // Poses are rounded, as text or in single precision.
        let slack = 1e-6 + 2.5e-7 * ends.iter().map(|pose| pose.position.length() + pivot.length()).sum::<f64>();
        if self.speed.is_some_and(|speed| chord > speed * seconds * (1.0 + 1e-6) + slack) {
            return Some(BrokenBound::Speed(chord));
        }
        // The bound of the angle is at most 0.9 percent above it.
        let turned = angle_at_most(ends[0].q, ends[1].q) / 1.01;
        self.turn.filter(|turn| turned > turn * seconds + 1e-6).map(|_| BrokenBound::Turn(turned))
    }

    /// The way of the pivot from one pose to the other, rounded down, metres.
    fn chord(&self, ends: &[Pose; 2], pivot: Vec3<f64>) -> f64 {
        let [from, to] = ends.each_ref().map(|pose| pose.recentred(pivot));
        let size = from.position.length() + to.position.length();
        (translation(&from, &to) / MARGIN - 1e-12 * size).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UPRIGHT: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

    #[test]
    fn a_pivot_departs_as_far_as_its_speed_lets_it() {
        let ends = [Pose::new([0.0; 3], UPRIGHT), Pose::new([3.0, 0.0, 0.0], UPRIGHT)];
        let bounds = MotionBounds { speed: Some(5.0), turn: Some(0.0), ..MotionBounds::default() };
        // Half way it may be 2.5 from both ends: 2 beside the chord.
        let most = bounds.departure(&ends, 1.0, 0.5, Vec3::ZERO);
        assert!((2.0..2.0 + 1e-8).contains(&most), "{most}");
        let at_the_limit = bounds.departure(&ends, 0.6, 0.5, Vec3::ZERO);
        assert!(at_the_limit < 2e-4, "{at_the_limit}");
        assert_eq!(bounds.broken(&ends, 0.6, Vec3::ZERO), None);
        assert!(
            matches!(bounds.broken(&ends, 0.59, Vec3::ZERO), Some(BrokenBound::Speed(way)) if (way - 3.0).abs() < 1e-6)
        );
        let both = MotionBounds { acceleration: Some(0.8), ..bounds };
        assert!((both.departure(&ends, 1.0, 0.5, Vec3::ZERO) - 0.1).abs() < 1e-8);
    }

    #[test]
    fn no_motion_within_the_bounds_departs_farther() {
        let mut state = 5_u64;
        let mut unit = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut nearest = 0.0_f64;
        for _ in 0..2000 {
            // A path of two legs at full speed, by way of a point.
            let to = Vec3::new(unit(), unit(), unit());
            let by = Vec3::new(2.0 * unit() - 0.5, 2.0 * unit() - 0.5, 2.0 * unit() - 0.5);
            let speed = by.length() + (to - by).length();
            let ends = [Pose::new([0.0; 3], UPRIGHT), Pose::new(to.to_array(), UPRIGHT)];
            let bounds = MotionBounds { speed: Some(speed), turn: Some(0.0), ..MotionBounds::default() };
            let most = bounds.departure(&ends, 1.0, 0.0, Vec3::ZERO);
            let at = by.length() / speed;
            let off = (by - to.scale(at)).length();
            assert!(off <= most, "{off} {most}");
            nearest = nearest.max(off / most);
        }
        assert!(nearest > 0.99, "{nearest}");
    }

    #[test]
    fn what_may_turn_in_any_way_departs_by_its_diameter() {
        let ends = [Pose::new([0.0; 3], UPRIGHT); 2];
        let bounds = MotionBounds { speed: Some(0.0), ..MotionBounds::default() };
        assert!((bounds.departure(&ends, 1.0, 0.5, Vec3::new(0.0, 0.25, 0.0)) - 1.5).abs() < 1e-8);
        let slow = MotionBounds { turn: Some(0.1), ..bounds };
        assert!((slow.departure(&ends, 1.0, 0.5, Vec3::ZERO) - 0.025).abs() < 1e-6);
        let turned = [ends[0], Pose::new([0.0; 3], [0.9, 0.1, 0.0, 0.0])];
        assert!(matches!(slow.broken(&turned, 1.0, Vec3::ZERO), Some(BrokenBound::Turn(_))));
        assert_eq!(MotionBounds { turn: Some(0.3), ..bounds }.broken(&turned, 1.0, Vec3::ZERO), None);
    }
}
