//! Bounds of all positions: from the statistics of the columns, else by a scan of them.

use super::decode;
use super::file_schema::Column;
use super::group::Group;
use super::joint_columns::{JointColumns, JointSource};
use super::rows::Defects;
use super::source::Source;
use super::stream_batch::BATCH_ROWS;
use clearsweep_base::error::Result;
use clearsweep_model::{Bounds, PoseSteps, SceneJoints};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::statistics::Statistics;

/// Bounds of x, y, z over all rows of all files, metres; `None` where there is no row.
///
/// # Errors
/// A row group without statistics does not decode, or holds a null or non-finite position.
pub(super) fn of(sources: &[Source]) -> Result<Option<Bounds>> {
    let mut bounds: Option<Bounds> = None;
    for source in sources {
        for group in &source.groups {
            let found = match from_statistics(source, group) {
                Some(found) => found,
                None => scan(source, group)?,
            };
            bounds = Some(bounds.map_or(found, |bounds| union(bounds, found)));
        }
    }
    Ok(bounds)
}

/// Bounds of the origins of bodies that joints carry over all rows of all files (metres; `None`
/// where there is no row), and the rounding steps of their poses.
///
/// # Errors
/// As for [`of`], of the columns of values.
pub(super) fn of_joints(joints: &SceneJoints, sources: &[Source]) -> Result<(Option<Bounds>, PoseSteps)> {
    let mut most = vec![0.0_f64; joints.tree.columns().len()];
    for source in sources {
        let Some(columns) = source.columns.joints() else { continue };
        match columns {
            JointColumns::Long { value, factors, .. } => {
                let value = largest(source, value)?;
                most.iter_mut().zip(factors).for_each(|(most, factor)| *most = most.max(value * factor));
            }
            JointColumns::Wide(sources) => {
                for (at, (most, of)) in most.iter_mut().zip(sources).enumerate() {
                    *most = most.max(match (of, source.largest_made(at)) {
                        // Nothing is scanned that is known.
                        (JointSource::Column(..), Some(largest)) => largest,
                        (JointSource::Column(column, factor), None) => largest(source, column)? * factor,
                        (JointSource::Posture(value), _) => value.abs(),
                    });
                }
            }
        }
    }
    let has_rows = sources.iter().any(|source| source.rows > 0);
    let (bounds, steps) = of_joint_values(joints, &most);
    Ok((bounds.filter(|_| has_rows), steps))
}

/// As [`of_joints`], of joints whose values are no larger than `most` (radians and metres, by
/// column).
pub(super) fn of_joint_values(joints: &SceneJoints, most: &[f64]) -> (Option<Bounds>, PoseSteps) {
    let most = |column: u32| most[column as usize];
    let (mut bounds, mut steps): (Option<Bounds>, _) = (None, PoseSteps::default());
    for slot in 0..joints.tree.bodies().len() {
        let (middle, radius) = joints.tree.origins(slot, &most);
        let of_slot = Bounds { min: middle.map(|at| at - radius), max: middle.map(|at| at + radius) };
        bounds = Some(bounds.map_or(of_slot, |bounds| union(bounds, of_slot)));
        let [position_m, turn_rad] = joints.tree.rounding(slot, &most);
        steps = steps.max(PoseSteps { position_m, turn_rad });
    }
    (bounds, steps)
}

fn union(a: Bounds, b: Bounds) -> Bounds {
    Bounds {
        min: std::array::from_fn(|axis| a.min[axis].min(b.min[axis])),
        max: std::array::from_fn(|axis| a.max[axis].max(b.max[axis])),
    }
}

/// Bounds of a row group from its statistics; `None` where they are missing or not finite (the scan
/// says why).
fn from_statistics(source: &Source, group: &Group) -> Option<Bounds> {
    let columns = source.columns.poses().ok()?;
    let mut bounds = Bounds { min: [0.0; 3], max: [0.0; 3] };
    for axis in 0..3 {
        let (min, max) = range(source.chunk(group, columns.position[axis].index)?)?;
        let metres = |value: f64| columns.units[axis].metres(value) + 0.0;
        // Monotone, so the bounds of the metres are the metres of the bounds. Writers store a zero
        // as -0 and +0.
        (bounds.min[axis], bounds.max[axis]) = (metres(min), metres(max));
        if !(bounds.min[axis].is_finite() && bounds.max[axis].is_finite()) {
            return None;
        }
    }
    Some(bounds)
}

/// Least and greatest value of a chunk of floating-point numbers. Numbers of fixed width are never
/// shortened, so the values are exact whether or not the writer says so; the deprecated statistics
/// order floats in no defined way.
fn range(chunk: &ColumnChunkMetaData) -> Option<(f64, f64)> {
    let statistics = chunk.statistics()?;
    if statistics.is_min_max_deprecated() {
        return None;
    }
    let (min, max) = match statistics {
        Statistics::Double(s) => (*s.min_opt()?, *s.max_opt()?),
        Statistics::Float(s) => (f64::from(*s.min_opt()?), f64::from(*s.max_opt()?)),
        _ => return None,
    };
    (min <= max).then_some((min, max))
}

/// The largest magnitude of a column of floating-point numbers over all rows of a file.
///
/// # Errors
/// A row group without statistics does not decode, or holds a null or a number that is not finite.
pub(super) fn largest(source: &Source, column: &Column) -> Result<f64> {
    let mut largest = 0.0_f64;
    for group in &source.groups {
        if let Some((min, max)) = source.chunk(group, column.index).and_then(range)
            && min.is_finite()
            && max.is_finite()
        {
            largest = largest.max(min.abs()).max(max.abs());
            continue;
        }
        let mut reader = source.read(group, &[column.index], BATCH_ROWS)?;
        while let Some((row, batch)) = reader.next()? {
            let mut defects = Defects::new(source, row, batch.num_rows());
            let values = decode::numbers(source, &[column.index], &batch, column, &mut defects)?;
            if let Some(error) = defects.into_error() {
                return Err(error);
            }
            largest = values.iter().fold(largest, |largest, value| largest.max(value.abs()));
        }
    }
    Ok(largest)
}

/// Bounds of a row group by decoding its positions.
fn scan(source: &Source, group: &Group) -> Result<Bounds> {
    let columns = source.columns.poses()?.positions();
    let mut bounds = Bounds { min: [f64::INFINITY; 3], max: [f64::NEG_INFINITY; 3] };
    let mut reader = source.read(group, &columns, BATCH_ROWS)?;
    while let Some((row, batch)) = reader.next()? {
        let mut defects = Defects::new(source, row, batch.num_rows());
        let positions = decode::positions(source, &columns, &batch, &mut defects)?;
        if let Some(error) = defects.into_error() {
            return Err(error);
        }
        for (axis, values) in positions.iter().enumerate() {
            bounds.min[axis] = values.iter().fold(bounds.min[axis], |least, &value| least.min(value)) + 0.0;
            bounds.max[axis] = values.iter().fold(bounds.max[axis], |greatest, &value| greatest.max(value)) + 0.0;
        }
    }
    Ok(bounds)
}
