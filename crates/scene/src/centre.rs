//! Recentred origin of a body: no vertex moves, and its coordinates are about as large as the body.

use clearsweep_geometry::Vec3;
use clearsweep_geometry::real::two_sum;

/// A body is recentred if the centre of its box lies farther from its origin, in half-diagonals.
const NEAR_ORIGIN: f64 = 8.0;

/// The centre and the half-diagonal of the box around points; zero without points.
fn half_diagonal(mut points: impl Iterator<Item = Vec3<f64>>) -> (Vec3<f64>, f64) {
    let Some(first) = points.next() else { return (Vec3::ZERO, 0.0) };
    let (mut low, mut high) = (first, first);
    for p in points {
        low = Vec3::new(low.x.min(p.x), low.y.min(p.y), low.z.min(p.z));
        high = Vec3::new(high.x.max(p.x), high.y.max(p.y), high.z.max(p.z));
    }
    ((low + high) * 0.5, (high - low).length() * 0.5)
}

/// Returns the recentred origin: the body's own origin, if the body is near it, else the centre of
/// its box, rounded to a grid of an eighth of the half-diagonal (a power of two), along the axes
/// where subtracting it is exact for all points.
///
/// It is along every axis on which the box is four half-diagonals away: the coordinates are then
/// within a factor of two of the centre. On other axes the body's own origin is near.
pub(super) fn centre(points: impl Iterator<Item = Vec3<f64>> + Clone) -> Vec3<f64> {
    let (middle, half) = half_diagonal(points.clone());
    if middle.length() <= NEAR_ORIGIN * half {
        return Vec3::ZERO;
    }
    let grid = power_of_two_below(half / 8.0);
    let round = |c: f64| {
        let steps = c / grid;
        // Beyond 2^52 steps (or with no grid at all) the number is a multiple of the grid already.
        if steps.abs() < 4_503_599_627_370_496.0 { steps.round() * grid } else { c }
    };
    let along = |axis: usize| {
        let c = round(middle[axis]);
        let exact = points.clone().all(|point| two_sum(point[axis], -c).1 == 0.0);
        if exact { c } else { 0.0 }
    };
    Vec3::new(along(0), along(1), along(2))
}

/// The largest power of two not above a positive normal number; 0 for anything smaller.
fn power_of_two_below(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & f64::INFINITY.to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_far_bodies_are_recentred_and_on_a_grid() {
        let near: Vec<Vec3<f64>> = [[1.0, 0.0, 0.0], [2.0, 1.0, 1.0]].map(Vec3::from).to_vec();
        assert_eq!(centre(near.into_iter()), Vec3::ZERO);
        let far: Vec<Vec3<f64>> = [[5e6, 0.1, -3.3], [5e6 + 0.7, 0.9, -2.9]].map(Vec3::from).to_vec();
        let c = centre(far.iter().copied());
        assert!((c - half_diagonal(far.into_iter()).0).length() < 0.6 && c.x != 0.0);
        assert!(c.to_array().iter().all(|c| (c * 16.0).fract() == 0.0), "{c:?}");
        // 0.1 - 0.5 is no `f64`.
        assert!(c.y == 0.0 && c.z != 0.0, "{c:?}");
        assert_eq!(centre([Vec3::new(0.3, 0.0, -7.0)].into_iter()), Vec3::new(0.3, 0.0, -7.0));
        assert_eq!(centre([Vec3::ZERO].into_iter()), Vec3::ZERO);
    }

    #[test]
    fn a_centre_is_subtracted_without_loss_and_with_gain() {
        let mut state = 1_u64;
        let mut draw = |low: f64, high: f64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            low + (high - low) * ((state >> 11) as f64 / (1_u64 << 53) as f64)
        };
        let (mut recentred, mut partly) = (0, 0);
        for _ in 0..5_000 {
            let size = 10_f64.powf(draw(-12.0, 3.0));
            let far = 10_f64.powf(draw(-3.0, 6.0));
            let offset = [0; 3].map(|_| draw(-1.0, 1.0) * far * if draw(0.0, 1.0) < 0.4 { size / far } else { 1.0 });
            let point = |draw: &mut dyn FnMut(f64, f64) -> f64| offset.map(|o| o + size * draw(-1.0, 1.0));
            let points: Vec<Vec3<f64>> = (0..6).map(|_| point(&mut draw).into()).collect();
            let (c, half) = (centre(points.iter().copied()), half_diagonal(points.iter().copied()).1);
            let longest = points.iter().map(|p| (*p - c).length()).fold(0.0, f64::max);
            for p in &points {
                let rests = [0, 1, 2].map(|axis: usize| two_sum(p[axis], -c[axis]).1);
                assert_eq!(rests, [0.0; 3], "{p:?} less {c:?}");
            }
            assert!(longest <= 9.0 * half, "{longest:e} with a half-diagonal of {half:e}: {points:?}");
            let zeros = c.to_array().into_iter().filter(|&c| c == 0.0).count();
            recentred += usize::from(zeros < 3);
            partly += usize::from(zeros == 1 || zeros == 2);
        }
        assert!(recentred > 2_000 && partly > 500, "not representative: {recentred} {partly}");
    }
}
