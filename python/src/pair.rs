//! One pair of shapes at many poses.

use crate::arrow::Batch;
use crate::background::{AtInterrupt, call};
use crate::buffer::HeldArray;
use crate::error::raised;
use crate::scene::LoadedScene;
use arrow_array::{ArrayRef, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use clearsweep::{
    Error, FeatureKind, LengthUnit, Method, PairOptions, Pose, PoseArray, Proximity, ProximityQuery, Result, Shape,
    Status,
};
use pyo3::prelude::*;
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Poses of a chunk: neighbours are answered one from the other, and an interrupt is heard between
/// chunks.
const CHUNK: usize = 1024;

/// Two shapes.
#[pyclass(frozen)]
pub(crate) struct ShapePair {
    shapes: [Arc<Shape>; 2],
    unit: LengthUnit,
    options: PairOptions,
}

/// The pair of two bodies of a scene; lengths in metres.
#[pyfunction]
pub(crate) fn shape_pair(
    py: Python<'_>,
    scene: &LoadedScene,
    names: [String; 2],
    within: Option<f64>,
    touch: Option<f64>,
) -> PyResult<ShapePair> {
    let scene = &scene.scene;
    let shape = |name: &String| {
        let body = scene.bodies.iter().find(|body| body.name == *name);
        let missing = || {
            let help = "see `scene.bodies` for the names";
            raised(py, Error::usage(scene.path.display(), format!("the scene has no body `{name}`"), help))
        };
        body.map(|body| Arc::clone(&body.shape)).ok_or_else(missing)
    };
    let shapes = [shape(&names[0])?, shape(&names[1])?];
    let defaults = PairOptions::default();
    let options = PairOptions { within, touch: touch.unwrap_or(defaults.touch), ..defaults };
    ProximityQuery::new(&shapes[0], &shapes[1], &options).map_err(|error| raised(py, error))?;
    Ok(ShapePair { shapes, unit: scene.unit, options })
}

/// Poses of one body, or one pose for all.
struct BodyPoses(Vec<Pose>);

impl BodyPoses {
    /// Takes an array `(n, 1, 7)` or `(n, 1, 4, 4)`; `None`: the identity.
    fn new(py: Python<'_>, poses: Option<&Bound<'_, PyAny>>, order: Option<&str>, unit: LengthUnit) -> PyResult<Self> {
        let Some(poses) = poses else { return Ok(Self(vec![Pose::IDENTITY])) };
        let array = HeldArray::new(poses, order)?;
        let names: Vec<String> = (0..array.bodies()).map(|index| index.to_string()).collect();
        let array = PoseArray::of_numbers(array.numbers(), array.layout, names).with_runs(false);
        let columns = array.to_components().map_err(|error| raised(py, error))?;
        let pose = |at: usize| {
            let [x, y, z, qw, qx, qy, qz] = [0, 1, 2, 3, 4, 5, 6].map(|column| columns[column][at]);
            Pose::new([x, y, z].map(|length| unit.metres(length)), [qw, qx, qy, qz])
        };
        Ok(Self((0..columns[0].len()).map(pose).collect()))
    }

    fn get(&self, index: usize) -> &Pose {
        if self.0.len() == 1 { &self.0[0] } else { &self.0[index] }
    }
}

#[pymethods]
impl ShapePair {
    /// Answers the pair at all poses: a record batch with a row for each.
    #[pyo3(signature = (a_poses, b_poses, order=None))]
    fn query(
        &self,
        py: Python<'_>,
        a_poses: Option<Bound<'_, PyAny>>,
        b_poses: Option<Bound<'_, PyAny>>,
        order: Option<&str>,
    ) -> PyResult<Batch> {
        let a = BodyPoses::new(py, a_poses.as_ref(), order, self.unit)?;
        let b = BodyPoses::new(py, b_poses.as_ref(), order, self.unit)?;
        let count = match (a.0.len(), b.0.len()) {
            (1, count) | (count, 1) => count,
            (one, other) if one == other => one,
            (one, other) => {
                let problem = format!("{one} poses of A, but {other} of B");
                return Err(raised(py, Error::usage("poses of a pair", problem, "give as many, or one for all")));
            }
        };
        let (shapes, options) = (self.shapes.clone(), self.options.clone());
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let work = move || {
            let answers = answers(&shapes, &options, (&a, &b), count, &stopped)?;
            batch(&answers).map_err(|error| Error::internal("answers of a pair", error))
        };
        let stop = || stop.store(true, Ordering::Relaxed);
        call(py, &AtInterrupt::Stop(&stop), &mut |_| Ok(()), work).map(Batch)
    }
}

fn answers(
    shapes: &[Arc<Shape>; 2],
    options: &PairOptions,
    (a, b): (&BodyPoses, &BodyPoses),
    count: usize,
    stopped: &AtomicBool,
) -> Result<Vec<Option<Proximity>>> {
    let chunk = |from: usize| {
        if stopped.load(Ordering::Relaxed) {
            return Err(Error::usage("the query", "was interrupted", "run it again"));
        }
        let mut query = ProximityQuery::new(&shapes[0], &shapes[1], options)?;
        let answer = |index: usize| {
            query
                .proximity(a.get(index), b.get(index))
                .map_err(|error| Error { place: format!("pose {index} (from 0), {}", error.place), ..error })
        };
        (from..count.min(from + CHUNK)).map(answer).collect::<Result<Vec<_>>>()
    };
    let starts: Vec<usize> = (0..count).step_by(CHUNK).collect();
    let found = starts.into_par_iter().map(chunk).collect::<Result<Vec<_>>>()?;
    Ok(found.into_iter().flatten().collect())
}

/// The answers with the columns of `distances`; a pose that is proven to be beyond `within` has
/// nulls.
fn batch(answers: &[Option<Proximity>]) -> std::result::Result<RecordBatch, arrow_schema::ArrowError> {
    type Found<'a> = &'a Proximity;
    let finite = |value: f64| Some(value).filter(|value| !value.is_nan());
    let floats = |of: fn(Found<'_>) -> f64| -> ArrayRef {
        Arc::new(Float64Array::from_iter(
            answers.iter().map(|answer| answer.as_ref().and_then(|found| finite(of(found)))),
        ))
    };
    let integers = |of: fn(Found<'_>) -> i32| -> ArrayRef {
        Arc::new(Int32Array::from_iter(answers.iter().map(|answer| answer.as_ref().map(of))))
    };
    let words =
        |names: &[&str], of: fn(Found<'_>) -> usize| -> std::result::Result<ArrayRef, arrow_schema::ArrowError> {
            let codes = answers.iter().map(|answer| answer.as_ref().map(|found| of(found) as i32));
            let names = Arc::new(StringArray::from_iter_values(names));
            Ok(Arc::new(DictionaryArray::try_new(Int32Array::from_iter(codes), names)?))
        };
    macro_rules! vector {
        ($field:ident, $names:expr) => {{
            let parts: [fn(Found<'_>) -> f64; 3] = [|f| f.$field.x, |f| f.$field.y, |f| f.$field.z];
            $names.into_iter().zip(parts).map(|(name, of)| (name, floats(of))).collect::<Vec<(&str, ArrayRef)>>()
        }};
    }
    let index: ArrayRef = Arc::new(Int64Array::from_iter_values(0..answers.len() as i64));
    let mut columns = vec![
        ("index", index),
        ("distance_m", floats(|f| f.distance)),
        ("lower_m", floats(|f| f.lower)),
        ("upper_m", floats(|f| f.upper)),
        ("status", words(&Status::NAMES, |f| f.status as usize)?),
    ];
    columns.extend(vector!(point_a, ["a_x", "a_y", "a_z"]));
    columns.extend(vector!(point_b, ["b_x", "b_y", "b_z"]));
    columns.extend(vector!(normal, ["n_x", "n_y", "n_z"]));
    columns.extend([
        ("part_a", integers(|f| f.part[0])),
        ("part_b", integers(|f| f.part[1])),
        ("feature_a", integers(|f| f.feature[0])),
        ("feature_b", integers(|f| f.feature[1])),
        ("feature_a_kind", words(&FeatureKind::NAMES, |f| f.feature_kind[0] as usize)?),
        ("feature_b_kind", words(&FeatureKind::NAMES, |f| f.feature_kind[1] as usize)?),
        ("method", words(&Method::NAMES, |f| f.method as usize)?),
    ]);
    let nullable = |name: &str, data_type: &DataType| Field::new(name, data_type.clone(), name != "index");
    let fields: Vec<Field> = columns.iter().map(|(name, array)| nullable(name, array.data_type())).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns.into_iter().map(|(_, array)| array).collect())
}
