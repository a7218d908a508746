//! Clearances without the disk: a scene in code, poses from record batches, rows to record batches.
//!
//! A gripper moves along x past a post, over two runs at different heights.
//!
//!     cargo run --release --example embed_scene
#![allow(clippy::print_stdout, reason = "an example shows what it found")]

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{ArrayRef, Float64Array, Int64Array, StringArray};
use clearsweep::{
    BatchCollector, BodyBuilder, Bounds, Geometry, Job, PoseSource, RecordBatch, Result, RowBlock, SceneBuilder,
};
use std::sync::Arc;

const FRAMES: i64 = 100;

/// The poses of the gripper in one run: x from -1 m to 1 m.
fn run(number: i64, height: f64) -> RecordBatch {
    let floats =
        |of: &dyn Fn(i64) -> f64| -> ArrayRef { Arc::new(Float64Array::from_iter_values((0..FRAMES).map(of))) };
    let columns: [(&str, ArrayRef); 10] = [
        ("run", Arc::new(Int64Array::from_iter_values((0..FRAMES).map(|_| number)))),
        ("frame", Arc::new(Int64Array::from_iter_values(0..FRAMES))),
        ("body", Arc::new(StringArray::from_iter_values((0..FRAMES).map(|_| "gripper")))),
        ("x", floats(&|frame| -1.0 + 2.0 * frame as f64 / (FRAMES - 1) as f64)),
        ("y", floats(&|_| 0.0)),
        ("z", floats(&|_| height)),
        ("qw", floats(&|_| 1.0)),
        ("qx", floats(&|_| 0.0)),
        ("qy", floats(&|_| 0.0)),
        ("qz", floats(&|_| 0.0)),
    ];
    RecordBatch::try_from_iter(columns).expect("columns of equal length")
}

fn main() -> Result<()> {
    // A row for every pair within 0.5 m, and a clearance of 0.1 m that is required. Lengths are in
    // metres.
    let still = [1.0, 0.0, 0.0, 0.0];
    let scene = SceneBuilder::new(0.5)
        .require(0.1)
        .body(BodyBuilder::new("floor", Geometry::Box([4.0, 4.0, 0.1])).fixed([0.0, 0.0, -0.05], still))
        .body(BodyBuilder::new("post", Geometry::Box([0.2, 0.2, 1.0])).fixed([0.0, 0.0, 0.5], still))
        .body(BodyBuilder::new("gripper", Geometry::Capsule { radius: 0.05, length: 0.2 }))
        .build()?;

    // All rows in memory. Without bounds the batches are kept until the last one is there.
    let runs = || [(0, 1.35), (1, 1.1)].into_iter().map(|(number, height)| run(number, height));
    let mut rows = BatchCollector::default();
    let outcome = Job::new(&scene).poses(PoseSource::batches(runs())).run(&mut rows)?;
    let distances: Vec<f64> = rows
        .distances
        .iter()
        .flat_map(|batch| batch["distance_m"].as_primitive::<Float64Type>().values().to_vec())
        .collect();
    let nearest = distances.iter().copied().fold(f64::INFINITY, f64::min);
    println!("{} rows in {} batches, the nearest at {nearest:.3} m", distances.len(), rows.distances.len());
    println!("{} of them nearer than required", outcome.totals.violated);
    assert_eq!(outcome.totals.rows, distances.len() as u64);
    // In run 1 the gripper's lower end, at 1.1 - 0.1 - 0.05 m, reaches 0.05 m into the post.
    let worst = outcome.totals.worst.as_ref().expect("a row");
    assert_eq!((worst.run, worst.body_a.as_str(), worst.body_b.as_str()), (1, "post", "gripper"));
    assert!((nearest + 0.05).abs() < 1e-12 && worst.distance_m == nearest);
    assert!(outcome.is_violated() && !rows.penetrations.is_empty());

    // The same with a closure as the sink, and with batches that pass one by one: the bounds of the
    // positions are known.
    let bounds = Bounds { min: [-1.0, 0.0, 1.1], max: [1.0, 0.0, 1.35] };
    let mut count = 0;
    let mut sink = |block: &RowBlock<'_>| {
        count += block.distances()?.num_rows();
        Ok(())
    };
    Job::new(&scene).poses(PoseSource::batches(runs()).bounded(bounds)).run(&mut sink)?;
    assert_eq!(count, distances.len());
    Ok(())
}
