//! What searches cost, nanoseconds: the fit of `cargo bench --bench broad_fit`, see docs/broad-phase.md.

/// Brute force: a search, a box, a comparison.
pub(super) fn brute(moving: usize, fixed: usize) -> f64 {
    let (n, m) = (moving as f64, fixed as f64);
    60.0 + 14.0 * n + 0.3 * (n * n / 2.0 + n * m)
}

/// The tree: a search, a box, a level of both trees.
pub(super) fn tree(moving: usize, fixed: usize) -> f64 {
    let (n, m) = (moving as f64, fixed as f64);
    let against = if fixed > 0 { n * (m + 1.0).log2() } else { 0.0 };
    900.0 + 60.0 * n + 4.0 * n * (n + 1.0).log2() + 8.0 * against
}
