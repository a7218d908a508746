//! Counts of the rows of `distances`.

use super::layout::TILE_ROWS;
use super::pair_stats::{is_smaller, rank};
use super::row::Row;
use super::sources::{RunRow, WorstRow};
use super::totals::{RuleTotals, Totals, UndecidedRow};
use clearsweep_model::{Method, Requirements, Sample, Status};

/// Counts a tile of rows for `runs` and the totals. `judged`: the bracket of a row that is compared
/// with the requirement, and the requirement, metres. Comparisons with NaN are false: NaN stands
/// for no requirement and for missing bounds. Returns the number of rows that violate the
/// requirement, and of those that a winding number decides.
pub(super) fn count_rows(
    run: &mut RunRow,
    totals: &mut Totals,
    rows: &[Row],
    samples: &[Sample],
    judged: impl Fn(&Row) -> ([f64; 2], f64),
) -> [u64; 2] {
    /// Bits of a counter. Several counters share a register; each counts at most the rows of a
    /// tile.
    const BITS: usize = 9;
    const { assert!(TILE_ROWS < 1 << BITS && Method::NAMES.len() * BITS <= 128) };
    debug_assert!(rows.len() <= TILE_ROWS);
    let (mut status, mut method, mut violated, mut undecided) = (0_u128, 0_u128, 0, 0);
    let mut worst = run.worst;
    for row in rows {
        let (p, ([lower, upper], require)) = (&row.proximity, judged(row));
        status += 1 << (BITS * p.status as usize);
        method += 1 << (BITS * p.method as usize);
        violated += u64::from(upper < require);
        if (lower < require) & (require <= upper) {
            undecided += 1;
            totals.undecided_row.add(UndecidedRow {
                run: run.run,
                frames: [samples[usize::from(p.sample)].frame; 2],
                bodies: [row.a, row.b],
                bracket_m: [lower, upper],
                required_m: require,
            });
        }
        if worst.is_none_or(|worst| is_smaller(rank(p), worst.rank)) {
            let frame = samples[usize::from(p.sample)].frame;
            let (rank, distance, bracket) = (rank(p), p.distance, [p.lower, p.upper]);
            worst = Some(WorstRow { rank, distance, bracket, a: row.a, b: row.b, frame });
        }
    }
    let counter = |counters: u128, k: usize| (counters >> (BITS * k)) as u64 & ((1 << BITS) - 1);
    totals.by_status.iter_mut().enumerate().for_each(|(k, all)| *all += counter(status, k));
    totals.by_method.iter_mut().enumerate().for_each(|(k, all)| *all += counter(method, k));
    totals.rows += rows.len() as u64;
    run.rows += rows.len() as u64;
    run.violated += violated;
    run.undecided += undecided;
    run.uncertified += counter(status, Status::Uncertified as usize);
    run.worst = worst;
    [violated, counter(method, Method::Winding as usize)]
}

/// Counts rows of a run by the rules that they are under.
pub(super) fn count_by_rule(counts: &mut Vec<RuleTotals>, run: i64, rows: &[Row], requirements: &Requirements) {
    counts.resize(requirements.count(), RuleTotals::default());
    for row in rows {
        let rule = requirements.rule(row.a, row.b);
        let [lower, upper] = row.measured(requirements, rule);
        let (of, require) = (&mut counts[rule], row.required(requirements, rule, run));
        of.rows += 1;
        of.violated += u64::from(upper < require);
        of.undecided += u64::from((lower < require) & (require <= upper));
    }
}
