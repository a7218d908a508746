//! Turns the peer harness's case E1 (200 bodies, 2,000 frames) into a scene and trajectories of the
//! contract.
//!
//! `cargo xtask e1 PX_E1_DIR OUT_DIR` reads `bodies.parquet`, `hull_vertices.parquet` and
//! `poses.parquet` of `PX_E1_DIR` and writes `scene.toml` and `trajectories.parquet`. Then
//! `clearsweep run OUT_DIR/scene.toml --out DIR`, and `benches/e1_verify.py` compares the tables
//! with the references.

use std::fmt::Write as _;
use std::fs::File;
use std::path::{Path, PathBuf};

use crate::support::{Outcome, Trajectories};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type};
use arrow_array::{Array, Float64Array, Int32Array, RecordBatch};
use arrow_schema::DataType;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::process::ExitCode;

/// Seconds between two frames of E1.
const FRAME_S: f64 = 0.01;

pub(crate) fn main(arguments: &[String]) -> Outcome<ExitCode> {
    let arguments: Vec<PathBuf> = arguments.iter().map(PathBuf::from).collect();
    let [input, out] = arguments.as_slice() else {
        return Err("usage: e1 PX_E1_DIR OUT_DIR".into());
    };
    std::fs::create_dir_all(out)?;
    let shapes = read_shapes(input)?;
    let names: Vec<String> = (0..shapes.len()).map(|body| format!("b{body:03}")).collect();
    std::fs::write(out.join("scene.toml"), scene(&names, &shapes)?)?;
    let trajectories = read_trajectories(&input.join("poses.parquet"), shapes.len())?;
    eprintln!("{} bodies, {} poses -> {}", names.len(), trajectories.len(), out.display());
    trajectories.write(&out.join("trajectories.parquet"), &names)?;
    Ok(ExitCode::SUCCESS)
}

/// The geometry of a body of E1, metres.
enum Shape {
    /// Half the side lengths.
    Box([f64; 3]),
    /// The vertices of a hull, in the order of the file.
    Points(Vec<[f64; 3]>),
}

/// The shapes by body number; the files must list bodies from 0 without gaps.
fn read_shapes(input: &Path) -> Outcome<Vec<Shape>> {
    let mut shapes = Vec::new();
    for batch in read(&input.join("bodies.parquet"))? {
        let kind = arrow_cast::cast(column(&batch, "kind")?, &DataType::Utf8)?;
        let (body, kind) = (integers(&batch, "body")?, kind.as_string::<i32>());
        let half = [numbers(&batch, "hx")?, numbers(&batch, "hy")?, numbers(&batch, "hz")?];
        for row in 0..batch.num_rows() {
            if body.value(row) as usize != shapes.len() {
                return Err(format!("bodies.parquet: body {} where {} belongs", body.value(row), shapes.len()).into());
            }
            shapes.push(match kind.value(row) {
                "box" => Shape::Box([0, 1, 2].map(|k: usize| half[k].value(row))),
                "hull" => Shape::Points(Vec::new()),
                other => return Err(format!("bodies.parquet: unknown kind {other}").into()),
            });
        }
    }
    for batch in read(&input.join("hull_vertices.parquet"))? {
        let (body, vertex) = (integers(&batch, "body")?, integers(&batch, "vertex")?);
        let at = [numbers(&batch, "x")?, numbers(&batch, "y")?, numbers(&batch, "z")?];
        for row in 0..batch.num_rows() {
            let Some(Shape::Points(points)) = shapes.get_mut(body.value(row) as usize) else {
                return Err(format!("hull_vertices.parquet: body {} is no hull", body.value(row)).into());
            };
            if vertex.value(row) as usize != points.len() {
                return Err(format!("hull_vertices.parquet: vertices of body {} out of order", body.value(row)).into());
            }
            points.push([0, 1, 2].map(|k: usize| at[k].value(row)));
        }
    }
    Ok(shapes)
}

/// The scene file. Numbers are written with as many digits as bring back the same `f64`.
fn scene(names: &[String], shapes: &[Shape]) -> Outcome<String> {
    let mut text = String::from(
        "[scene]\nname = \"e1\"\nlength_unit = \"m\"\ntrajectories = \"trajectories.parquet\"\n\n[query]\nwithin = 0.2\n",
    );
    for (name, shape) in names.iter().zip(shapes) {
        write!(text, "\n[[body]]\nname = \"{name}\"\n")?;
        match shape {
            Shape::Box(half) => writeln!(text, "shape = {{ box = {:?} }}", half.map(|h| 2.0 * h))?, // doubling is exact
            Shape::Points(points) => writeln!(text, "shape = {{ points = {points:?} }}")?,
        }
    }
    Ok(text)
}

/// The poses, as they are.
fn read_trajectories(path: &Path, bodies: usize) -> Outcome<Trajectories> {
    let mut trajectories = Trajectories::default();
    for batch in read(path)? {
        let (frame, body) = (integers(&batch, "frame")?, integers(&batch, "body")?);
        let mut pose = Vec::new();
        for name in ["x", "y", "z", "qw", "qx", "qy", "qz"] {
            pose.push(numbers(&batch, name)?);
        }
        for row in 0..batch.num_rows() {
            let (frame, body) = (frame.value(row), body.value(row));
            if !usize::try_from(body).is_ok_and(|body| body < bodies) {
                return Err(format!("poses.parquet: unknown body {body}").into());
            }
            let pose = [0, 1, 2, 3, 4, 5, 6].map(|k: usize| pose[k].value(row));
            trajectories.push(i64::from(frame), f64::from(frame) * FRAME_S, body, pose);
        }
    }
    Ok(trajectories)
}

/// All batches of a Parquet file.
fn read(path: &Path) -> Outcome<Vec<RecordBatch>> {
    let file = File::open(path).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(ParquetRecordBatchReaderBuilder::try_new(file)?.build()?.collect::<Result<_, _>>()?)
}

fn column<'a>(batch: &'a RecordBatch, name: &str) -> Outcome<&'a dyn Array> {
    Ok(batch.column_by_name(name).ok_or_else(|| format!("there is no column {name}"))?.as_ref())
}

fn integers(batch: &RecordBatch, name: &str) -> Outcome<Int32Array> {
    Ok(arrow_cast::cast(column(batch, name)?, &DataType::Int32)?.as_primitive::<Int32Type>().clone())
}

fn numbers(batch: &RecordBatch, name: &str) -> Outcome<Float64Array> {
    Ok(arrow_cast::cast(column(batch, name)?, &DataType::Float64)?.as_primitive::<Float64Type>().clone())
}
