//! The part of a box below a plane.

use super::aabb::Aabb;
use crate::Vec3;

/// The part of the volume of a box where an affine function is at most 0, from its values at the
/// corners (in the order of [`Aabb::corners`]); to a few units of rounding. The box is cut into the
/// six tetrahedra of its diagonal (Kuhn), so nothing cancels.
pub(super) fn share_below(values: &[f64; 8]) -> f64 {
    if values.iter().all(|&v| v <= 0.0) {
        return 1.0;
    }
    if values.iter().all(|&v| v > 0.0) {
        return 0.0;
    }
    let paths = [[1, 3], [1, 5], [2, 3], [2, 6], [4, 5], [4, 6]];
    let sum: f64 = paths.iter().map(|&[i, j]| of_tetrahedron([values[0], values[i], values[j], values[7]])).sum();
    (sum / 6.0).clamp(0.0, 1.0)
}

/// The same of a tetrahedron.
fn of_tetrahedron(mut v: [f64; 4]) -> f64 {
    v.sort_unstable_by(f64::total_cmp);
    let [a, b, c, d] = v;
    // Share of the edge between two corners that lies below.
    let share = |below: f64, above: f64| below / (below - above);
    match v.iter().filter(|&&v| v <= 0.0).count() {
        0 => 0.0,
        1 => share(a, b) * share(a, c) * share(a, d),
        2 => {
            let [ac, ad, bc, bd] = [share(a, c), share(a, d), share(b, c), share(b, d)];
            // The three tetrahedra of the prism, by their determinants.
            bc * bd + ac * ad * (1.0 - bd) + ac * (1.0 - bc) * bd
        }
        3 => 1.0 - share(d, a) * share(d, b) * share(d, c),
        _ => 1.0,
    }
}

/// Heights of the corners of a box along a direction.
pub(super) fn heights(cell: &Aabb, n: Vec3<f64>) -> [f64; 8] {
    cell.corners().map(|corner| n.dot(corner))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_those_of_a_count() {
        let cell = Aabb { low: Vec3::new(-1.0, 0.0, 2.0), high: Vec3::new(1.0, 3.0, 2.5) };
        let normals = [[1.0, 0.0, 0.0], [0.3, -0.8, 0.5], [-0.1, 0.2, 0.9], [0.6, 0.6, -0.5], [0.0, 0.7, 0.7]];
        let mut partial = 0;
        for (n, t) in normals.into_iter().flat_map(|n| (-8..8).map(move |t| (Vec3::from(n), 0.5 * f64::from(t)))) {
            let share = share_below(&heights(&cell, n).map(|height| height - t));
            let steps = 40;
            let mut count = 0;
            for i in 0..steps * steps * steps {
                let at = |k: i32, axis: usize| {
                    let part = (f64::from(k % steps) + 0.5) / f64::from(steps);
                    cell.low[axis] + part * (cell.high[axis] - cell.low[axis])
                };
                let p = Vec3::new(at(i, 0), at(i / steps, 1), at(i / steps / steps, 2));
                count += i32::from(n.dot(p) <= t);
            }
            let counted = f64::from(count) / f64::from(steps * steps * steps);
            assert!((share - counted).abs() < 0.02, "{n:?} {t}: {share} {counted}");
            partial += i32::from(share > 0.0 && share < 1.0);
        }
        assert!(partial > 20, "{partial}");
    }
}
