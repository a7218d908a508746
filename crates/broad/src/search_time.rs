//! How long the processor would search for the pairs of a whole job: what decides whether a device is worth its start.

use super::cost;
use clearsweep_scene::SAMPLES;

/// Nanoseconds for the masks of a body's pairs over a block, and for what is found of them.
///
/// A guess: five pairs a body, of which a mask takes 20 ns.
const MASKS_NS: f64 = 100.0;

/// Seconds that one thread searches for so many moving bodies among so many fixed ones, with so many poses in all, by the
/// model of `cost`. Boxes are left aside, as the processor makes them whatever searches. Blocks that hold many short runs, or
/// are split because bodies move fast, take longer.
pub fn search_seconds(moving: usize, fixed: usize, poses: u64) -> f64 {
    if moving == 0 {
        return 0.0;
    }
    let blocks = poses as f64 / (moving * SAMPLES) as f64;
    let pairs = cost::brute(moving, fixed).min(cost::tree(moving, fixed)).min(cost::grid(moving, fixed));
    blocks * (pairs + MASKS_NS * moving as f64) * 1e-9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_grow_with_poses_and_bodies() {
        assert_eq!(search_seconds(0, 100, 0), 0.0);
        assert_eq!(search_seconds(10, 0, 0), 0.0);
        let crowd = search_seconds(100_000, 0, 6_400_000);
        assert!((0.01..0.1).contains(&crowd), "one block of a crowd takes {crowd} s");
        assert!((search_seconds(100_000, 0, 64_000_000) / crowd - 10.0).abs() < 1e-9);
        assert!(search_seconds(100_000, 100_000, 6_400_000) > crowd);
    }
}
