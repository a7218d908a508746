//! What searches cost, nanoseconds: the fit of `cargo bench --bench broad_fit`, see docs/broad-phase.md.

/// Brute force: a search, a box, a comparison.
pub(super) fn brute(moving: usize, fixed: usize) -> f64 {
    let (n, m) = (moving as f64, fixed as f64);
    54.0 + 13.6 * n + 0.307 * (n * n / 2.0 + n * m)
}

/// The tree: a search, a box, a level of both trees.
pub(super) fn tree(moving: usize, fixed: usize) -> f64 {
    let (n, m) = (moving as f64, fixed as f64);
    let against = if fixed > 0 { n * (m + 1.0).log2() } else { 0.0 };
    1010.0 + 19.8 * n + 5.1 * n * (n + 1.0).log2() + 2.9 * against
}
