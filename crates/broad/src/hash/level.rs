//! The levels (resolutions) of the hash tables: Mirtich 1997, section 2.1, constraint (2) and Lemma
//! 1, on an integer lattice.
//!
//! Let sz(X) be the longest side of a box X (highest minus lowest coordinate) and rho_l = 2^l the
//! side of a cell at level l, in lattice spacings. A box is stored at the one level where
//!
//! ```text
//! alpha <= sz(X) / rho_l < beta,     beta = 2^-spare,  alpha = beta / 2^steps
//! ```
//!
//! Since sz has b = bits(sz) binary digits exactly when 2^(b-1) <= sz < 2^b, that level is l = b +
//! spare if steps is 1, else the next multiple of steps. It follows:
//!
//! - **Ratio of adjacent resolutions.** For the ranges [alpha rho_l, beta rho_l) of adjacent levels
//!   to meet, rho_(l+1) / rho_l = beta / alpha. Here that is a power of two: cells nest, and a
//!   cell is found by a shift.
//! - **Cells of a box.** sz < rho_l as beta <= 1, so a box lies in at most two cells along each
//!   axis and in at most 2^3 cells; the same holds at coarser levels. Mirtich requires beta >= 1,
//!   which only says that cells need not be larger than boxes; his proofs use no more than sz <=
//!   beta rho. A beta below 1 gives a box fewer cells, (1 + sz/rho)^3 on average over positions:
//!   from 1.9 to 3.4 with spare 1, from 3.4 to 8 with spare 0.
//! - **Resolving power** (Theorem 3). Boxes that share a cell at the level of the larger one are
//!   nearer than its diagonal, sqrt(3) sz / alpha.
//! - **Number of levels** (Lemma 1). Mirtich starts at rho = sz_min / alpha and needs
//!   ceil(log_(beta/alpha)(sz_max / sz_min)). Powers of two do not start at a given size, which
//!   adds at most one level: sizes from sz_min to sz_max have at most ceil(log2(sz_max / sz_min)) +
//!   1 different numbers of digits. The bound is not tight: a search visits only levels at which
//!   some box is stored.
//!
//! The last level is 32, where one cell holds the whole lattice. Every box has sz < 2^32 and fits
//! there for any spare.

use super::super::boxes::LatticeBox;
use clearsweep_model::CellSizes;

/// The number of levels. At the last one, a single cell holds the whole lattice.
pub(super) const LEVELS: usize = 33;

/// The level of boxes whose longest side is `longest` lattice spacings.
#[inline]
pub(super) fn level_for(longest: u32, cells: CellSizes) -> u32 {
    cells.level(u32::BITS - longest.leading_zeros()).min(LEVELS as u32 - 1)
}

/// The level of a box.
#[inline]
pub(super) fn level_of(b: &LatticeBox, cells: CellSizes) -> u32 {
    level_for(longest_side(b), cells)
}

/// The longest side of a box, lattice spacings.
#[inline]
pub(super) fn longest_side(b: &LatticeBox) -> u32 {
    (0..3).fold(0, |l, k| l.max(b.max[k].wrapping_sub(b.min[k])))
}

/// The lowest and the highest cell that a box touches along each axis at a level.
#[inline]
pub(super) fn cell_range(b: &LatticeBox, level: u32) -> [[u32; 3]; 2] {
    [b.min, b.max].map(|ends| ends.map(|v| (u64::from(v) >> level) as u32))
}

/// Calls `each` with every level above `level` whose bit is set in `levels`.
#[inline]
pub(super) fn coarser_levels(levels: u64, level: u32, mut each: impl FnMut(u32)) {
    let mut rest = levels & (u64::MAX << (level + 1));
    while rest != 0 {
        each(rest.trailing_zeros());
        rest &= rest - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_satisfy_the_constraints_of_the_lemma() {
        let mut state = 5_u64;
        for (spare, steps) in (0..=4).flat_map(|spare| (1..=4).map(move |steps| (spare, steps))) {
            let (beta, alpha) = (0.5_f64.powi(spare), 0.5_f64.powi(spare + steps));
            let cells = CellSizes::new(alpha, beta).expect("powers of two");
            assert_eq!((cells.alpha(), cells.beta()), (alpha, beta));
            let mut clamped = 0;
            for case in 0..20_000 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let longest = ((state >> 32) as u32 >> (case % 32)).max(1);
                let level = level_for(longest, cells);
                let ratio = f64::from(longest) / (level as f64).exp2();
                assert!(ratio < beta.max(1.0), "{longest} at {level}");
                if level < LEVELS as u32 - 1 {
                    assert!((alpha..beta).contains(&ratio), "{longest} at {level}: {ratio}");
                } else {
                    clamped += 1;
                }
                // At most two cells along an axis at any position.
                let low = ((state as u32) >> 1).min(u32::MAX - longest);
                let b = LatticeBox { min: [low; 3], max: [low + longest; 3] };
                let [from, to] = cell_range(&b, level);
                assert!(longest_side(&b) == longest && (0..3).all(|k| to[k] - from[k] <= 1));
            }
            assert!((1..6_000).contains(&clamped), "{clamped}");
        }
    }

    #[test]
    fn the_number_of_levels_is_that_of_the_lemma_and_one_more() {
        for (smallest, largest) in
            [(1_u32, 1_000_000_u32), (7, 7), (3, 4), (4, 7), (1000, 1_000_000_000), (1, u32::MAX)]
        {
            let levels = level_for(largest, CellSizes::CLOSE) - level_for(smallest, CellSizes::CLOSE) + 1;
            let bound = (f64::from(largest) / f64::from(smallest)).log2().ceil() as u32 + 1;
            assert!(levels <= bound, "{smallest} to {largest}: {levels} levels, at most {bound}");
        }
    }
    #[test]
    fn sizes_are_powers_of_two_with_alpha_below_beta_and_beta_at_most_one() {
        for (alpha, beta) in [(0.5, 2.0), (1.0, 1.0), (0.3, 1.0), (0.5, 0.75), (0.0, 1.0), (0.25, 0.0), (f64::NAN, 1.0)]
        {
            assert_eq!(CellSizes::new(alpha, beta), None, "{alpha} and {beta}");
        }
        assert_eq!(CellSizes::new(0.25, 0.5), Some(CellSizes::WIDE));
        assert_eq!(CellSizes::new(0.5, 1.0), Some(CellSizes::CLOSE));
    }
}
