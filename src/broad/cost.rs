//! What searches cost, nanoseconds: fitted to measurements, see docs/broad-phase.md.

/// Brute force.
pub(super) fn brute(moving: usize, fixed: usize) -> f64 {
    let comparisons = moving as f64 * (moving as f64 / 2.0 + fixed as f64);
    30.0 * moving as f64 + 0.3 * comparisons
}

/// The tree.
pub(super) fn tree(moving: usize, fixed: usize) -> f64 {
    let n = moving as f64;
    let levels = if fixed > 0 { (fixed as f64).log2() } else { 0.0 };
    500.0 + n * (60.0 + levels)
}
