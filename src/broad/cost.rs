//! What searches cost, nanoseconds: rounded from the fits that `cargo bench --bench broad_fit` prints, see
//! docs/broad-phase.md.
//!
//! Measured on an Intel Xeon (Sapphire Rapids, AVX-512), 2026-11-22. Only ratios matter.

use super::tree;

/// Brute force: a search, a box, a comparison.
pub(super) fn brute(moving: usize, fixed: usize) -> f64 {
    let (n, m) = (moving as f64, fixed as f64);
    54.0 + 13.0 * n + 0.305 * (n * n / 2.0 + n * m)
}

/// The tree: building it of the moving boxes where that is done; then the fixed tree, leaf by leaf or box by box.
pub(super) fn tree(moving: usize, fixed: usize) -> f64 {
    let (n, m) = (moving as f64, fixed as f64);
    let few = tree::are_few(moving, fixed);
    let small = tree::is_leaf(moving);
    let mut cost = if small { brute(moving, 0) } else { 0.0 };
    if !small || fixed > 0 && !few {
        cost += 1010.0 + 19.8 * n + 5.1 * n * (n + 1.0).log2();
    }
    let level = if few { 8.0 } else { 3.1 };
    cost + level * n * (m + 1.0).log2()
}

/// The grid, for boxes of like size: building it, and going through it.
pub(super) fn grid(moving: usize, fixed: usize) -> f64 {
    let (n, m) = (moving as f64, fixed as f64);
    840.0 + 39.0 * n + 1.9 * n * (n + 1.0).log2() + 3.1 * n * (m + 1.0).log2()
}
