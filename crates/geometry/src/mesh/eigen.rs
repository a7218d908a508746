//! The eigenvectors of a symmetric matrix, by Jacobi's rotations.

use crate::Vec3;

/// Sweeps over the three pairs of axes: convergence is quadratic, and five or six reach rounding.
const SWEEPS: usize = 12;

/// Unit eigenvectors at right angles, but for rounding, for any symmetric matrix; the axes if it is
/// not finite. Source: Golub and Van Loan, *Matrix Computations*, 8.5.
pub(super) fn eigenvectors(mut m: [[f64; 3]; 3]) -> [Vec3<f64>; 3] {
    let mut axes = [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0)];
    for _ in 0..SWEEPS {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if m[p][q] == 0.0 || !m[p][q].is_finite() {
                continue;
            }
            let theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
            let t = if theta.is_finite() { theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt()) } else { 0.0 };
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            let (mp, mq) = (m[p], m[q]);
            for k in 0..3 {
                (m[p][k], m[q][k]) = (c * mp[k] - s * mq[k], s * mp[k] + c * mq[k]);
            }
            for row in &mut m {
                (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
            }
            (m[p][q], m[q][p]) = (0.0, 0.0);
            let (u, v) = (axes[p], axes[q]);
            (axes[p], axes[q]) = (u.scale(c) - v.scale(s), u.scale(s) + v.scale(c));
        }
    }
    // Gram and Schmidt once more: rounding of the rotations adds up.
    let first = axes[0].normalized();
    let second = (axes[1] - first.scale(first.dot(axes[1]))).normalized();
    let axes = [first, second, first.cross(second)];
    if axes.iter().all(|axis| axis.is_finite()) {
        axes
    } else {
        [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0)]
    }
}
