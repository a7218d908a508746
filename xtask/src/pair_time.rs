//! Nanoseconds a query of one pair: the shapes and poses of `python/benches/pair_queries.py`,
//! without Python.

use super::support::Outcome;
use clearsweep::{Geometry, PairOptions, Pose, ProximityQuery};
use std::process::ExitCode;
use std::time::Instant;

/// Poses of a pass.
const COUNT: usize = 1_000_000;

/// Prints the least of five passes, and the mean distance.
pub(super) fn main(_: &[String]) -> Outcome<ExitCode> {
    let a = Geometry::Box([1.0, 2.0, 3.0]).shape(0.0)?;
    let b = Geometry::Box([0.5, 0.7, 0.9]).shape(0.0)?;
    let pose = |k: usize| {
        let t = 200.0 * k as f64 / (COUNT - 1) as f64;
        Pose::new([3.0 * t.cos(), 3.0 * t.sin(), (0.3 * t).sin()], [(t / 7.0).cos(), (t / 7.0).sin(), 0.0, 0.0])
    };
    let poses: Vec<Pose> = (0..COUNT).map(pose).collect();
    let (mut best, mut total) = (f64::INFINITY, 0.0);
    for _ in 0..5 {
        let mut query = ProximityQuery::new(&a, &b, &PairOptions::default())?;
        let begun = Instant::now();
        total = 0.0;
        for pose in &poses {
            total += query.proximity(&Pose::IDENTITY, pose)?.map_or(f64::NAN, |found| found.distance);
        }
        best = best.min(begun.elapsed().as_secs_f64());
    }
    println!("{:.0} ns a query, mean {:.9} m", 1e9 * best / COUNT as f64, total / COUNT as f64);
    Ok(ExitCode::SUCCESS)
}
