//! Writes the two data sets by which the scaling of the program is measured: a million bodies of
//! which a thousand move, and a hundred thousand short runs of twelve bodies.
//!
//! `cargo xtask scale OUT [BODIES MOVING FRAMES RUNS]`, by default 1000000 1000 640 100000; then
//! `clearsweep run OUT/plant/scene.toml --out ...` and `clearsweep run OUT/runs/scene.toml --out
//! ...`.

use crate::support::Outcome;
use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray};
use clearsweep_datasets::Crowd;
use clearsweep_tables::trajectory_file::{TrajectoryFile, TrajectoryRow};
use clearsweep_testing::random::Random;
use parquet::arrow::ArrowWriter;
use std::f64::consts::TAU;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// The edge of a body, metres.
const EDGE: f64 = 0.5;
/// The bodies per cubic metre; about one in a hundred static ones is near another.
const DENSITY: f64 = 0.1;
/// The distance that a moving body covers in a frame, metres.
const STEP: f64 = 0.02;

/// A point of the cube from 0 to `edge`, metres.
fn point(random: &mut Random, edge: f64) -> [f64; 3] {
    std::array::from_fn(|_| edge * random.unit())
}

/// Writes the first data set: every `bodies / moving`th body moves along a straight line and
/// rotates about z.
fn plant(out: &Path, bodies: usize, moving: usize, frames: u32) -> Outcome<()> {
    fs::create_dir_all(out)?;
    let mut random = Random(1);
    let edge = (bodies as f64 / DENSITY).cbrt();
    let names: Vec<String> = (0..bodies).map(|i| format!("part-{i:07}")).collect();
    let places: Vec<[f64; 3]> = names.iter().map(|_| point(&mut random, edge)).collect();
    let every = (bodies / moving.max(1)).max(1);
    let moves = |i: usize| i.is_multiple_of(every) && i / every < moving;

    let column = |k: usize| -> ArrayRef {
        // A dynamic body has no pose in the scene.
        Arc::new((0..bodies).map(|i| (!moves(i)).then(|| places[i][k])).collect::<Float64Array>())
    };
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("body", Arc::new(StringArray::from_iter_values(&names))),
        ("static", Arc::new((0..bodies).map(|i| Some(!moves(i))).collect::<BooleanArray>())),
        ("x", column(0)),
        ("y", column(1)),
        ("z", column(2)),
    ];
    let batch = RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, c)| (name, c, true)))?;
    let mut writer = ArrowWriter::try_new(fs::File::create(out.join("bodies.parquet"))?, batch.schema(), None)?;
    writer.write(&batch)?;
    writer.close()?;

    let movers: Vec<usize> = (0..bodies).filter(|&i| moves(i)).collect();
    let mover_names: Vec<String> = movers.iter().map(|&i| names[i].clone()).collect();
    let ways: Vec<f64> = movers.iter().map(|_| TAU * random.unit()).collect();
    let mut file = TrajectoryFile::create(&out.join("trajectories.parquet"), &mover_names)?;
    for frame in 0..frames {
        for (body, (&i, way)) in movers.iter().zip(&ways).enumerate() {
            let [x, y, z] = places[i];
            let (at, half) = (STEP * f64::from(frame), 0.005 * f64::from(frame));
            file.push(&TrajectoryRow {
                run: 0,
                frame: i64::from(frame),
                time_s: f64::from(frame) / 60.0,
                body: body as u32,
                position: [x + at * way.cos(), y + at * way.sin(), z],
                q: [half.cos(), 0.0, 0.0, half.sin()],
            })?;
        }
    }
    file.finish()?;
    let scene = format!(
        "[scene]\nlength_unit = \"m\"\ntrajectories = \"trajectories.parquet\"\n\n[query]\nwithin = 0.1\n\n\
         [[bodies]]\ntable = \"bodies.parquet\"\nshape = {{ box = [{EDGE}, {EDGE}, {EDGE}] }}\n"
    );
    fs::write(out.join("scene.toml"), scene)?;
    Ok(())
}

pub(crate) fn main(arguments: &[String]) -> Outcome<ExitCode> {
    let Some(out) = arguments.first() else { return Err("usage: scale OUT [BODIES MOVING FRAMES RUNS]".into()) };
    let number = |at: usize, default: u32| arguments.get(at).map_or(Ok(default), |a| a.parse());
    let (bodies, moving) = (number(1, 1_000_000)?, number(2, 1000)?);
    plant(&Path::new(out).join("plant"), bodies as usize, moving as usize, number(3, 640)?)?;
    let runs = Crowd { bodies: 12, frames: 64, runs: number(4, 100_000)?, density: 0.05, seed: 1 };
    runs.write(&Path::new(out).join("runs"))?;
    Ok(ExitCode::SUCCESS)
}
