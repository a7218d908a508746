//! Motions of joints from tables of pieces: they are read whole, checked, and give the frames.

use super::column_format::{ColumnFormat, JointName, joint_names};
use super::digest::InputFile;
use super::input_bytes::InputBytes;
use super::open::{InputPlace, inputs_at};
use super::piece_rows::{self, PieceRow};
use super::read_options::ReadOptions;
use super::row_label::RowLabel;
use super::source::Source;
use clearsweep_base::error::{Error, Result};
use clearsweep_kinematics::{
    JointSpline, JointSplines, RANGE_SLACK, RunSplines, SplinePiece, TIME_SLACK_S, VALUE_SLACK, ValueCurve,
};
use clearsweep_model::{Scene, SceneJoints};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// Largest file in JSON, bytes.
const MOST_JSON: u64 = 1 << 28;

/// Halvings of a piece that look for the time at which it leaves the range of its joint.
const HALVINGS: u32 = 40;

/// The motions of the joints of a scene, with the files that they come from.
pub(super) struct ReadSplines {
    pub(super) splines: Arc<JointSplines>,
    pub(super) files: Vec<InputFile>,
    /// Rows of pieces.
    pub(super) rows: u64,
    /// Bytes of streams that were copied to a temporary file.
    pub(super) spooled_bytes: u64,
}

impl ReadSplines {
    /// Reads the pieces that the options or the scene name.
    ///
    /// # Errors
    /// None are named, a file cannot be read, or a piece does not fit.
    pub(super) fn of_files(scene: &Scene, joints: &SceneJoints, options: &ReadOptions) -> Result<Self> {
        let path = options.path.as_deref().or(scene.trajectories.as_deref());
        let place = match (&options.stream, path) {
            (Some(stream), _) => InputPlace::Stream(stream.clone()),
            (None, Some(path)) => InputPlace::Path(path.to_path_buf()),
            (None, None) => {
                let problem = "between = \"spline\" needs the pieces of the joints' motions, and the scene names none";
                let remedy = "write `joints = \"FILE\"` in [scene], or give --trajectories FILE";
                return Err(Error::input(scene.path.display(), problem, remedy));
            }
        };
        let format = ColumnFormat::of_scene(scene, options);
        let (names, mut rows, mut files, mut spooled_bytes) = (joint_names(joints), Vec::new(), Vec::new(), 0);
        for (bytes, run) in inputs_at(&place, options.temp.as_deref(), &|| true)? {
            let is_json = bytes.path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
            let size = if is_json {
                let label = RowLabel { path: Arc::clone(&bytes.path), array: None, csv: None };
                let text = text_of(&bytes)?;
                rows.extend(piece_rows::of_json(&text, &label, &names)?);
                files.push(InputFile {
                    path: bytes.path.to_path_buf(),
                    bytes: text.len() as u64,
                    levels: Vec::new(),
                    source: bytes.clone(),
                });
                text.len() as u64
            } else {
                let source = Source::open(bytes.clone(), run, &format)?;
                rows.extend(rows_of(&source, &names)?);
                files.extend(source.file());
                source.size
            };
            spooled_bytes += if bytes.is_spooled() { size } else { 0 };
        }
        let place = match &place {
            InputPlace::Path(path) => path.clone(),
            InputPlace::Stream(_) => scene.path.clone(),
        };
        let count = rows.len() as u64;
        Ok(Self { splines: assemble(rows, scene, joints, &names, &place)?, files, rows: count, spooled_bytes })
    }

    /// Takes the pieces of batches in memory.
    ///
    /// # Errors
    /// A piece does not fit.
    pub(super) fn of_batches(scene: &Scene, joints: &SceneJoints, batches: &[Source]) -> Result<Self> {
        let names = joint_names(joints);
        let rows: Vec<Vec<PieceRow>> = batches.iter().map(|batch| rows_of(batch, &names)).collect::<Result<_>>()?;
        let rows: Vec<PieceRow> = rows.into_iter().flatten().collect();
        let count = rows.len() as u64;
        let splines = assemble(rows, scene, joints, &names, Path::new("batches of pieces"))?;
        Ok(Self { splines, files: Vec::new(), rows: count, spooled_bytes: 0 })
    }
}

fn rows_of(source: &Source, joints: &[JointName]) -> Result<Vec<PieceRow>> {
    match source.columns.pieces() {
        Some(columns) => piece_rows::of_table(source, columns, joints),
        None => Err(Error::internal(source.path.display(), "values of joints are read as pieces")),
    }
}

fn text_of(bytes: &InputBytes) -> Result<Vec<u8>> {
    let (open, size) = bytes.open()?;
    if size > MOST_JSON {
        let problem = format!("has {size} bytes; JSON of pieces may have {MOST_JSON}");
        return Err(Error::input(bytes.path.display(), problem, "write the pieces as Parquet"));
    }
    let mut text = Vec::with_capacity(size as usize);
    open.take(MOST_JSON).read_to_end(&mut text).map_err(|error| Error::unreadable(&bytes.path, &error))?;
    Ok(text)
}

/// Puts rows together to motions, and checks these.
fn assemble(
    rows: Vec<PieceRow>,
    scene: &Scene,
    joints: &SceneJoints,
    names: &[JointName],
    place: &Path,
) -> Result<Arc<JointSplines>> {
    let mut runs: BTreeMap<i64, Vec<Vec<PieceRow>>> = BTreeMap::new();
    for row in rows {
        let of_run = runs.entry(row.run).or_insert_with(|| names.iter().map(|_| Vec::new()).collect());
        of_run[row.joint].push(row);
    }
    if runs.is_empty() {
        return Err(Error::input(place.display(), "holds no pieces", "write a row for each piece of each joint"));
    }
    let rest: Vec<f64> = names.iter().map(|joint| joint.posture.unwrap_or(0.0)).collect();
    let mut all = Vec::with_capacity(runs.len());
    for (run, of_run) in runs {
        let mut splines = Vec::with_capacity(names.len());
        for (rows, joint) in of_run.into_iter().zip(names) {
            let moves = !rows.is_empty();
            if !moves && joint.posture.is_none() {
                let problem = format!("the joint `{}` has no pieces in run {run}", joint.name);
                let remedy = "add them, or give the joint a value in [posture]: then it stands there";
                return Err(Error::input(place.display(), problem, remedy));
            }
            splines.push(if moves { Some(joined(rows, joint)?) } else { None });
        }
        check_spans(run, &splines, names, place)?;
        let motion = RunSplines::new(run, splines, rest.clone(), scene.motion.spline_frames);
        all.push(motion.ok_or_else(|| too_many(place))?);
    }
    debug_assert_eq!(joints.tree.columns().len(), names.len());
    JointSplines::new(all).map(Arc::new).ok_or_else(|| too_many(place))
}

fn too_many(place: &Path) -> Error {
    Error::input(
        place.display(),
        "has more than 1,000,000,000 frames",
        "give a longer `step_s` in [motion], or fewer `samples`",
    )
}

/// The motion of one joint in one run.
fn joined(mut rows: Vec<PieceRow>, joint: &JointName) -> Result<JointSpline> {
    // Equal keys stay in the order of the file, and are told as an overlap.
    rows.sort_by(|a, b| a.order.cmp(&b.order).then(a.span()[0].total_cmp(&b.span()[0])));
    for pair in rows.windows(2) {
        let ([start, end], [next, _]) = (pair[0].span(), pair[1].span());
        if (next - end).abs() > TIME_SLACK_S || next <= start {
            let word = if next > end { "a gap" } else { "an overlap" };
            let problem = format!(
                "{word} of joint `{}` in run {}: a piece is from {start} to {end} s, and the next one begins at {next} s",
                joint.name, pair[1].run
            );
            return Err(
                pair[1].error(problem, "pieces of a joint follow each other: t0_s of each is t1_s of the one before")
            );
        }
    }
    let mut pieces: Vec<(SplinePiece, usize)> = Vec::new();
    for (at, row) in rows.iter_mut().enumerate() {
        pieces.extend(std::mem::take(&mut row.pieces).into_iter().map(|piece| (piece, at)));
    }
    // A piece holds until the next one begins.
    for at in 1..pieces.len() {
        pieces[at - 1].0.span[1] = pieces[at].0.span[0];
    }
    let mut before: Option<(ValueCurve, f64)> = None;
    for (piece, at) in &pieces {
        let (row, span) = (&rows[*at], piece.span);
        let curve = piece.curve(span);
        check_values(row, joint, &curve, span)?;
        if let Some((before, time)) = before.replace((curve, span[1])) {
            let (left, right) = (before.ends()[1], curve.ends()[0]);
            if (left - right).abs() > VALUE_SLACK * left.abs().max(1.0) + before.error() + curve.error() {
                let problem =
                    format!("joint `{}` jumps from {left} to {right} at {time} s in run {}", joint.name, row.run);
                let remedy = "pieces go on where the one before ends, within 1e-9: write numbers in double precision";
                return Err(row.error(problem, remedy));
            }
        }
    }
    Ok(JointSpline::new(pieces.into_iter().map(|(piece, _)| piece).collect()))
}

/// Refuses a piece that leaves the range of its joint.
fn check_values(row: &PieceRow, joint: &JointName, curve: &ValueCurve, [start, end]: [f64; 2]) -> Result<()> {
    let unit = if joint.turns { "rad" } else { "m" };
    if !curve.most().iter().all(|most| most.is_finite()) || !curve.error().is_finite() {
        let problem = format!("joint `{}` is beyond every number from {start} to {end} s", joint.name);
        return Err(row.error(problem, "check the coefficients: they are of the time since t0_s, in seconds"));
    }
    let [least, greatest] = joint.allowed;
    let slack = RANGE_SLACK * (1.0 + least.abs().max(greatest.abs()));
    let Some((share, value)) = outside(curve, [least - slack, greatest + slack], HALVINGS) else { return Ok(()) };
    let problem = format!(
        "joint `{}` is {value} {unit} at {} s, outside of its range, {least} to {greatest} {unit}",
        joint.name,
        start + share * (end - start)
    );
    Err(row.error(
        problem,
        "coefficients are of the time since t0_s, in radians and metres; or correct the joint's `range`",
    ))
}

/// A share of the interval at which a value is outside of a range, and the value; `None`: there is
/// none that this number of halvings shows.
fn outside(curve: &ValueCurve, [least, greatest]: [f64; 2], halvings: u32) -> Option<(f64, f64)> {
    let [low, high] = curve.range();
    if low >= least && high <= greatest {
        return None;
    }
    for (value, share) in curve.ends().into_iter().zip([0.0, 1.0]) {
        if value < least || value > greatest {
            return Some((share, value));
        }
    }
    if halvings == 0 {
        return None;
    }
    let of = |half: &ValueCurve, from: f64| {
        outside(half, [least, greatest], halvings - 1).map(|(share, value)| (from + 0.5 * share, value))
    };
    let [first, second] = curve.halves();
    of(&first, 0.0).or_else(|| of(&second, 0.5))
}

/// Refuses joints of a run that do not begin and end together.
fn check_spans(run: i64, splines: &[Option<JointSpline>], names: &[JointName], place: &Path) -> Result<()> {
    let spans = splines.iter().zip(names).filter_map(|(spline, joint)| Some((spline.as_ref()?.span(), &joint.name)));
    let mut first: Option<([f64; 2], &String)> = None;
    for (span, name) in spans {
        let (known, other) = *first.get_or_insert((span, name));
        if (0..2).any(|end| (span[end] - known[end]).abs() > TIME_SLACK_S) {
            let ([from, to], [start, end]) = (span, known);
            let problem =
                format!("run {run}: joint `{name}` moves from {from} to {to} s, and `{other}` from {start} to {end} s");
            let remedy = "give all joints of a run pieces over the same time: a constant is a piece, too";
            return Err(Error::input(place.display(), problem, remedy));
        }
    }
    Ok(())
}
