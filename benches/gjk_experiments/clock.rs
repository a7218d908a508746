//! Times of several ways, taken in turns.

use std::hint::black_box;
use std::time::Instant;

/// Turns. A turn is short, so one that another program interrupts shows many times its own time;
/// the lower quartile has none of them as long as a quarter of the turns run alone.
const TURNS: usize = 24;

/// For each way: nanoseconds a call of `once`, the lower quartile of the turns. `calls`: calls a
/// turn.
pub(crate) fn quartiles<W, R>(ways: &[W], calls: usize, mut once: impl FnMut(&W, usize) -> R) -> Vec<f64> {
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
    let quartile = |mut taken: Vec<f64>| {
        taken.sort_by(f64::total_cmp);
        taken[taken.len() / 4]
    };
    taken.into_iter().map(quartile).collect()
}
