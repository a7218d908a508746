//! A model of what searches cost, nanoseconds, and the conditions under which the tree and the grid
//! change their ways.
//!
//! The constants are rounded from the fits that `cargo bench --bench broad_fit` prints
//! (docs/reference/broad-phase.md), measured on an Intel Xeon (Sapphire Rapids, AVX-512),
//! 2026-11-22. Only their ratios matter.

use super::box16::WIDTH;

/// The ratio of fixed to moving boxes above which the moving boxes count as few.
const FIXED_PER_MOVING: usize = 8;

/// Whether the boxes fit into one leaf of the tree. Then they are compared by brute force, without
/// a tree.
pub(super) fn is_leaf(boxes: usize) -> bool {
    boxes <= WIDTH
}

/// Whether there are few moving boxes beside the fixed boxes. Then the moving boxes are so far
/// apart that the bounds of a leaf of them would overlap most fixed boxes, and each is looked up on
/// its own.
pub(super) fn few_moving(moving: usize, fixed: usize) -> bool {
    FIXED_PER_MOVING * moving < fixed
}

/// Brute force: a constant, a cost per moving box, and a cost per comparison.
pub(super) fn brute(moving: usize, fixed: usize) -> f64 {
    let (n, m) = (moving as f64, fixed as f64);
    54.0 + 13.0 * n + 0.305 * (n * n / 2.0 + n * m)
}

/// The tree: building it from the moving boxes unless they are few, then searching the tree of the
/// fixed boxes leaf by leaf or box by box.
pub(super) fn tree(moving: usize, fixed: usize) -> f64 {
    let (n, m) = (moving as f64, fixed as f64);
    let few = few_moving(moving, fixed);
    let small = is_leaf(moving);
    let mut cost = if small { brute(moving, 0) } else { 0.0 };
    if !small || fixed > 0 && !few {
        cost += 1010.0 + 19.8 * n + 5.1 * n * (n + 1.0).log2();
    }
    let level = if few { 8.0 } else { 3.1 };
    cost + level * n * (m + 1.0).log2()
}

/// The grid, for boxes of similar size: building it and searching it.
pub(super) fn grid(moving: usize, fixed: usize) -> f64 {
    let (n, m) = (moving as f64, fixed as f64);
    840.0 + 39.0 * n + 1.9 * n * (n + 1.0).log2() + 3.1 * n * (m + 1.0).log2()
}
