//! Times of several ways, taken in turns.

use std::hint::black_box;
use std::time::Instant;

/// Turns, of which the median counts.
const TURNS: usize = 9;

/// For each way: nanoseconds a call of `once`, the median of the turns. `calls`: calls a turn.
pub(crate) fn medians<W, R>(ways: &[W], calls: usize, mut once: impl FnMut(&W, usize) -> R) -> Vec<f64> {
    let mut taken = vec![Vec::new(); ways.len()];
    for turn in 0..=TURNS {
        for (way, taken) in ways.iter().zip(&mut taken) {
            let start = Instant::now();
            for call in 0..calls {
                black_box(once(black_box(way), call));
            }
            // The first turn warms the caches.
            if turn > 0 {
                taken.push(start.elapsed().as_secs_f64() * 1e9 / calls as f64);
            }
        }
    }
    let median = |mut taken: Vec<f64>| {
        taken.sort_by(f64::total_cmp);
        taken[taken.len() / 2]
    };
    taken.into_iter().map(median).collect()
}
