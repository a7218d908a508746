//! The signed distance of two convex sets: by local search if its ends meet, else by branch and
//! bound.

use std::cell::Cell;

use super::Bracket;
use super::local;
use super::search::{Found, Until, signed_distance};
use super::sets::Convex;
use crate::number::{norm, sub};

/// Width at which ends meet, in sizes of the pair.
const MET: f64 = 2e-13;

/// Least depth that is proven, in sizes of the pair: sets that overlap by less count as touching.
const DEEP: f64 = 1e-11;

/// Width at which a depth is proven, in depths; and if no more is asked than that there is one.
const ROUGHLY: f64 = 0.03;
const HARDLY: f64 = 0.5;

/// Cells of the search that proves an overlap roughly.
const CELLS_OF_OVERLAP: usize = 3_000;

thread_local! {
    static LEFT_OPEN: Cell<u64> = const { Cell::new(0) };
}

/// The number of searches of this thread that the local search left to branch and bound.
pub fn left_open() -> u64 {
    LEFT_OPEN.get()
}

/// The signed distance of two sets. If they overlap, the lower end is the largest gap that local
/// searches found, and the upper end near to it.
pub fn signed(a: &Convex, b: &Convex, until: Until) -> Found {
    decided(a, b, until, ROUGHLY)
}

/// The distance of two sets, or a proof that they overlap, of which the bracket is wide.
pub fn distance(a: &Convex, b: &Convex, until: Until) -> Found {
    decided(a, b, until, HARDLY)
}

/// The upper end of the signed distance of two sets that overlap by much.
pub fn overlap(a: &Convex, b: &Convex) -> Option<f64> {
    let size = a.reach + b.reach + norm(sub(a.middle, b.middle));
    let found = local::from_outside(a, b, 0.0);
    let until = Until { width: -HARDLY * found.gap, above: -DEEP * size, cells: CELLS_OF_OVERLAP / 10 };
    let proven = || signed_distance(a, b, until, Some(found.normal)).bracket.upper;
    (found.gap < -1e-7 * size).then(proven).filter(|upper| *upper < 0.0)
}

fn decided(a: &Convex, b: &Convex, until: Until, depths: f64) -> Found {
    let (growth, size) = (a.growth + b.growth, a.reach + b.reach + norm(sub(a.middle, b.middle)));
    let ended = |lower: f64, upper: f64, normal| Found {
        bracket: Bracket { lower: lower - growth, upper: upper.max(lower) - growth },
        normal,
    };
    let mut best = local::from_outside(a, b, until.above + growth);
    let meet = |found: &local::Local| found.upper - found.gap <= until.width.max(MET * size);
    if best.gap > until.above + growth || meet(&best) {
        return ended(best.gap, best.upper, best.normal);
    }
    if best.gap <= 0.0 {
        if depths == ROUGHLY {
            let inside = local::from_inside(a, b, &[best.normal]);
            let upper = best.upper.min(inside.upper);
            best = if inside.gap > best.gap { inside } else { best };
            best.upper = upper;
        }
        if meet(&best) || (best.gap.abs() <= DEEP * size && best.upper <= 3.0 * DEEP * size) {
            return ended(best.gap, best.upper, best.normal);
        }
        let coarse = Until { width: depths * -best.gap, above: f64::INFINITY, cells: CELLS_OF_OVERLAP };
        let found = signed_distance(a, b, coarse, Some(best.normal));
        let Bracket { lower, upper } = found.bracket;
        if upper < -growth {
            if depths == ROUGHLY && lower > best.gap - growth {
                best = local::from_inside(a, b, &[found.normal]);
            }
            return Found { bracket: Bracket { lower: lower.max(best.gap - growth), upper }, normal: best.normal };
        }
    }
    LEFT_OPEN.set(LEFT_OPEN.get() + 1);
    let found = signed_distance(a, b, until, Some(best.normal));
    let Bracket { lower, upper } = found.bracket;
    Found { bracket: Bracket { lower, upper: upper.min(best.upper - growth).max(lower) }, ..found }
}
