//! Proves a result again: chooses frames and rows, and the order in which they are looked at.

mod missing;
mod sample;

use clearsweep_base::error::{Error, Result};
use clearsweep_model::{BetweenFrames, Motion, Scene};
use clearsweep_records::manifest::Manifest;
use clearsweep_records::{
    Distance, DistanceBracket, Interval, Penetration, RecheckOutcome, RecheckTable, RecheckWhat, Table, has_table,
};
use rayon::prelude::*;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use crate::checked_body::CheckedBody;
use crate::count::Counter;
use crate::finding::{Finding, Place, Tally};
use crate::frames::{ByFrame, Frame, OfFrame, add_rows};
use crate::interval_check::{PosedEnds, interval};
use crate::joint_motion::JointMotion;
use crate::motion::departure;
use crate::row_check::{Posed, penetration};
use crate::stored_scene::{StoredScene, load_scene};

/// Worst rows that are always among those looked at.
const WORST: usize = 32;

/// The choice of rows, pairs and frames that are looked at.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The bodies of the only pair; `None`: all pairs.
    pub pair: Option<[u32; 2]>,
    /// Rows of `distances`, at most; `None`: as many as the time allows.
    pub rows: Option<usize>,
    /// Whether everything is looked at.
    pub all: bool,
    /// Seconds that a sample takes.
    pub seconds: f64,
    /// Seed of the sample.
    pub seed: u64,
    /// Counts of an earlier execution: with [`Self::all`], its frames are left out.
    pub before: Before,
}

impl Choice {
    /// Everything.
    pub const ALL: Self = Self {
        pair: None,
        rows: None,
        all: true,
        seconds: 0.0,
        seed: 0,
        before: Before { frames: 0, rows: 0, intervals: 0, missing: 0 },
    };
}

/// Counts of the frames, rows and pairs that an interrupted execution looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Before {
    /// Frames.
    pub frames: u64,
    /// Rows of `distances`.
    pub rows: u64,
    /// Rows of `intervals`.
    pub intervals: u64,
    /// Pairs without a row.
    pub missing: u64,
}

/// Takes what is found, and says whether to go on.
pub trait Watch {
    /// Takes findings; `false`: stop. `whole`: counts of all that was looked at so far, if the
    /// findings end with a whole frame. Without it, a later execution finds them again.
    ///
    /// # Errors
    /// They cannot be stored.
    fn take(&mut self, findings: Vec<Finding>, whole: Option<Before>) -> Result<bool>;
}

/// Times of one kind of statement.
#[derive(Clone, Copy, Debug, Default)]
pub struct Speed {
    /// Statements.
    pub count: u64,
    /// Seconds of one thread.
    pub seconds: f64,
}

/// Counts of what was looked at, and the speed.
#[derive(Clone, Debug, Default)]
pub struct Looked {
    /// Frames, and all that there are.
    pub frames: [u64; 2],
    /// Rows of `distances`, and all that there are.
    pub rows: [u64; 2],
    /// Rows of `intervals`, and all that there are.
    pub intervals: [u64; 2],
    /// Pairs without a row, in all frames that were looked at for them.
    pub missing: u64,
    /// Whether it ended before everything chosen was looked at.
    pub is_stopped: bool,
    /// Rows, pairs without a row, and intervals.
    pub speeds: [Speed; 3],
}

impl Looked {
    fn whole(&self) -> Before {
        Before { frames: self.frames[0], rows: self.rows[0], intervals: self.intervals[0], missing: self.missing }
    }
}

/// A result whose scene is loaded again.
pub struct Recheck {
    dir: PathBuf,
    manifest: Manifest,
    stored: StoredScene,
    bodies: Vec<Arc<CheckedBody>>,
}

/// A row to be looked at, or the pairs of a frame without a row.
#[derive(Clone, Copy)]
enum Task<'a> {
    Row(&'a Frame, &'a Distance),
    Depth(&'a Frame, &'a Penetration),
    Missing(&'a Frame),
    Interval(&'a Frame, &'a Interval),
    MissingIntervals(&'a Frame),
}

impl Recheck {
    /// Opens a result, and loads its scene again.
    ///
    /// # Errors
    /// The scene cannot be loaded, or a file is not what the execution read.
    pub fn open(dir: &Path, manifest: &Manifest) -> Result<Self> {
        let stored = load_scene(manifest, None)?;
        let mut known: HashMap<*const clearsweep_model::Shape, Arc<CheckedBody>> = HashMap::new();
        let bodies = stored.scene.bodies.iter().map(|body| {
            let make = || Arc::new(CheckedBody::new(&body.shape));
            Arc::clone(known.entry(Arc::as_ptr(&body.shape)).or_insert_with(make))
        });
        let bodies = bodies.collect();
        let recheck = Self { dir: dir.to_owned(), manifest: manifest.clone(), stored, bodies };
        recheck.check_names()?;
        Ok(recheck)
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.stored.scene
    }

    /// A body as the verifier understands it.
    pub fn body(&self, index: u32) -> &CheckedBody {
        &self.bodies[index as usize]
    }

    /// Fails if the result has other bodies than the scene: rows name bodies by index.
    fn check_names(&self) -> Result<()> {
        let names = Table::<clearsweep_records::Body>::open(&self.dir)?.rows().collect::<Result<Vec<_>>>()?;
        let are_same = names.len() == self.scene().bodies.len()
            && names.iter().zip(&self.scene().bodies).all(|(row, body)| *row.body == *body.name);
        match are_same {
            true => Ok(()),
            false => Err(Error::input(
                self.dir.join("bodies.parquet").display(),
                "has other bodies than the scene of the manifest",
                "run the scene again",
            )),
        }
    }

    fn bodies_of(&self, pair: [u32; 2]) -> [&CheckedBody; 2] {
        pair.map(|body| &*self.bodies[body as usize])
    }

    /// Reads a frame with its rows.
    ///
    /// # Errors
    /// There is no such frame, or a file cannot be read.
    pub fn frame(&self, run: i64, frame: i64) -> Result<Frame> {
        let mut frames = BTreeMap::new();
        let next = frame.saturating_add(self.scene().motion.max_gap).saturating_add(2);
        let first = self.stored.open([None, None])?.followed_blocks().next().transpose()?;
        let first = first.and_then(|block| block.samples.first().map(|sample| (sample.run, sample.frame)));
        for block in self.stored.open([Some(run..run.saturating_add(1)), Some(frame..next)])?.followed_blocks() {
            let block = block?;
            for (s, sample) in block.samples.iter().enumerate().filter(|(_, sample)| sample.frame == frame) {
                let key = (sample.run, sample.frame);
                let found = Frame::of_block(self.scene(), &block, s);
                frames.insert(key, Frame { is_first: first == Some(key), ..found });
            }
        }
        add_rows::<Distance>(&self.dir, &mut frames)?;
        add_rows::<Penetration>(&self.dir, &mut frames)?;
        if has_table(&self.dir, "intervals") {
            add_rows::<Interval>(&self.dir, &mut frames)?;
        }
        frames.remove(&(run, frame)).ok_or_else(|| {
            let problem = format!("the input has no frame {frame} in run {run}");
            Error::usage("--frame", problem, "give a frame that the tables have")
        })
    }

    /// Looks at what is chosen, on this number of threads; `None`: as many as there are cores.
    ///
    /// # Errors
    /// As for [`Self::run`], or the system gives no threads.
    pub fn run_on(&self, threads: Option<usize>, choice: &Choice, watch: &mut (impl Watch + Send)) -> Result<Looked> {
        let Some(threads) = threads else { return self.run(choice, watch) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.map_err(|error| Error::internal("threads", error))?.install(|| self.run(choice, watch))
    }

    /// Looks at what is chosen, and hands it to `watch`.
    ///
    /// # Errors
    /// A table or the trajectories cannot be read, or `watch` fails.
    pub fn run(&self, choice: &Choice, watch: &mut impl Watch) -> Result<Looked> {
        let Before { frames, rows, intervals, missing } = choice.before;
        let mut looked = Looked { missing, ..Looked::default() };
        (looked.frames[0], looked.rows[0], looked.intervals[0]) = (frames, rows, intervals);
        let worst = self.count(choice, &mut looked, watch)?;
        self.not_looked_at(watch)?;
        match choice.all {
            true => self.everything(choice, &mut looked, watch)?,
            false => self.sample(choice, &worst, &mut looked, watch)?,
        }
        Ok(looked)
    }

    /// Reports the tables and columns of the result that no check covers.
    fn not_looked_at(&self, watch: &mut impl Watch) -> Result<()> {
        let mut findings = Vec::new();
        let mut add = |table, what, why: &str| {
            findings.push(Finding::new(table, what, RecheckOutcome::NotLookedAt, Place::default()).because(why));
        };
        if has_table(&self.dir, "contacts") {
            add(RecheckTable::Contacts, RecheckWhat::Region, "regions of contact");
        }
        if self.bodies.iter().any(|body| body.is_open) {
            add(
                RecheckTable::Distances,
                RecheckWhat::Missing,
                "whether a body lies in an open mesh, by its winding number",
            );
        }
        let has_mesh = self.scene().bodies.iter().any(|body| body.shape.mesh.is_some());
        if has_mesh && self.manifest.summary.penetrations > 0 {
            add(RecheckTable::Penetrations, RecheckWhat::Protrusion, "protrusions of meshes");
        }
        watch.take(findings, None).map(|_| ())
    }

    /// Counts all rows, and returns the frames of the worst ones.
    fn count(&self, choice: &Choice, looked: &mut Looked, watch: &mut impl Watch) -> Result<Vec<(i64, i64)>> {
        let mut counter = Counter::new(&self.dir, self.scene())?;
        // The greatest upper end of those kept comes first.
        let mut worst: BinaryHeap<(u64, i64, i64)> = BinaryHeap::new();
        for row in Table::<DistanceBracket>::open(&self.dir)?.rows() {
            let row = row?;
            counter.add(&row);
            looked.rows[1] += 1;
            let pair = [row.a_index as u32, row.b_index as u32];
            if choice.pair.is_some_and(|only| only != pair) {
                continue;
            }
            let upper = row.upper_m.unwrap_or(f64::NEG_INFINITY);
            // The order of numbers as that of integers.
            let bits = upper.to_bits();
            let order = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
            if worst.len() < WORST || worst.peek().is_some_and(|&(least, ..)| order < least) {
                worst.push((order, row.run, row.frame));
                if worst.len() > WORST {
                    worst.pop();
                }
            }
        }
        if has_table(&self.dir, "intervals") {
            looked.intervals[1] = self.manifest.summary.intervals.as_ref().map_or(0, |intervals| intervals.rows);
        }
        if self.manifest.shard.is_none() {
            watch.take(counter.finish(&self.dir, &self.manifest)?, None)?;
        } else {
            let finding =
                Finding::new(RecheckTable::Manifest, RecheckWhat::Count, RecheckOutcome::NotLookedAt, Place::default());
            watch.take(vec![finding.because("counts of a shard: those of the merged result count")], None)?;
        }
        Ok(worst.into_iter().map(|(_, run, frame)| (run, frame)).collect())
    }

    /// Looks at everything, block by block.
    fn everything(&self, choice: &Choice, looked: &mut Looked, watch: &mut impl Watch) -> Result<()> {
        let mut rows = ByFrame::<Distance>::open(&self.dir)?;
        let mut depths = ByFrame::<Penetration>::open(&self.dir)?;
        let has_intervals = has_table(&self.dir, "intervals");
        let mut intervals = has_intervals.then(|| ByFrame::<Interval>::open(&self.dir)).transpose()?;
        for block in self.stored.open([None, None])?.followed_blocks() {
            let block = block?;
            let mut findings = Vec::new();
            let mut frames = Vec::new();
            for s in 0..block.samples.len() {
                let mut frame = Frame::of_block(self.scene(), &block, s);
                findings.extend(strays(rows.take(&mut frame)?, RecheckTable::Distances));
                findings.extend(strays(depths.take(&mut frame)?, RecheckTable::Penetrations));
                if let Some(intervals) = &mut intervals {
                    findings.extend(strays(intervals.take(&mut frame)?, RecheckTable::Intervals));
                }
                looked.frames[1] += 1;
                frames.push(frame);
            }
            if looked.frames[1] <= choice.before.frames {
                continue;
            }
            looked.frames[0] += frames.len() as u64;
            let tasks: Vec<Task<'_>> = frames.iter().flat_map(|frame| tasks_of(frame, choice)).collect();
            findings.extend(self.look(&tasks, choice, looked));
            if !watch.take(findings, Some(looked.whole()))? {
                looked.is_stopped = true;
                return Ok(());
            }
        }
        let mut findings = strays(rows.rest()?, RecheckTable::Distances);
        findings.extend(strays(depths.rest()?, RecheckTable::Penetrations));
        if let Some(intervals) = intervals {
            findings.extend(strays(intervals.rest()?, RecheckTable::Intervals));
        }
        watch.take(findings, None).map(|_| ())
    }

    /// Looks at all rows of a frame, at the pairs without one, and at the interval behind it.
    pub fn check_frame(&self, frame: &Frame, pair: Option<[u32; 2]>) -> Vec<Finding> {
        let choice = Choice { pair, ..Choice::ALL };
        self.look(&tasks_of(frame, &choice), &choice, &mut Looked::default())
    }

    /// Looks at tasks on all threads; findings come in their order.
    fn look(&self, tasks: &[Task<'_>], choice: &Choice, looked: &mut Looked) -> Vec<Finding> {
        let timed = |task: &Task<'_>| {
            let begun = Instant::now();
            let (findings, count) = self.task(task, choice);
            (findings, count, begun.elapsed().as_secs_f64())
        };
        let found: Vec<_> = tasks.par_iter().with_max_len(1).map(timed).collect();
        let mut all = Vec::new();
        for (task, (findings, count, seconds)) in tasks.iter().zip(found) {
            let kind = match task {
                Task::Row(..) | Task::Depth(..) => 0,
                Task::Missing(..) => 1,
                Task::Interval(..) | Task::MissingIntervals(..) => 2,
            };
            looked.speeds[kind].count += count;
            looked.speeds[kind].seconds += seconds;
            match task {
                Task::Row(..) => looked.rows[0] += 1,
                Task::Interval(..) => looked.intervals[0] += 1,
                Task::Missing(..) | Task::MissingIntervals(..) => looked.missing += count,
                Task::Depth(..) => {}
            }
            all.extend(findings);
        }
        all
    }

    /// The findings of a task, and the number of rows or pairs that it is about.
    fn task(&self, task: &Task<'_>, choice: &Choice) -> (Vec<Finding>, u64) {
        let scene = self.scene();
        match *task {
            Task::Row(frame, row) => {
                let pair = [row.a_index as u32, row.b_index as u32];
                let places = pair.map(|body| frame.places.get(body as usize).and_then(Option::as_ref));
                let ([Some(a), Some(b)], true) = (places, self.is_asked(frame, pair)) else {
                    return (vec![unasked(frame, pair, RecheckTable::Distances)], 1);
                };
                let posed = Posed { bodies: self.bodies_of(pair), places: [a, b] };
                (posed.row(row, &scene.query), 1)
            }
            Task::Depth(frame, row) => {
                let of = frame.rows.binary_search_by_key(&row.pair(), OfFrame::pair).ok().map(|at| &frame.rows[at]);
                (vec![penetration(row, of)], 0)
            }
            Task::Missing(frame) => self.missing(frame, choice),
            Task::Interval(frame, row) => {
                let pair = [row.a_index as u32, row.b_index as u32];
                if !self.is_asked(frame, pair) {
                    return (vec![unasked(frame, pair, RecheckTable::Intervals)], 1);
                }
                let of = frame.next.as_ref().filter(|next| next.frame == row.frame_next);
                let ends = of.and_then(|_| self.ends(frame, pair));
                (interval(row, ends.as_ref(), &scene.query, &scene.motion), 1)
            }
            Task::MissingIntervals(frame) => self.missing_intervals(frame, choice),
        }
    }

    /// Two bodies at both ends of the interval after a frame; `None`: a pose is missing.
    pub fn ends(&self, frame: &Frame, pair: [u32; 2]) -> Option<PosedEnds<'_>> {
        let next = frame.next.as_ref()?;
        let of = |body: u32| Some([frame.places[body as usize]?, next.places[body as usize]?]);
        let (scene, bodies) = (self.scene(), self.bodies_of(pair));
        let pivot = |body: u32| {
            let body = &scene.bodies[body as usize];
            body.pivot.of(&body.shape).to_array()
        };
        let joints = scene.joints.as_ref().filter(|_| scene.motion.between.is_by_joints()).and_then(|joints| {
            let motions = pair.map(|body| &scene.bodies[body as usize].motion);
            JointMotion::of_pair(&joints.tree, &next.paths, motions, bodies.map(|body| body.reach))
        });
        let falls = match scene.motion.between {
            BetweenFrames::Ballistic => {
                let seconds = next.seconds?;
                let fall = scene.motion.gravity.to_array().map(|g| g * seconds * seconds);
                pair.map(|body| match scene.bodies[body as usize].motion {
                    Motion::Static(_) => [0.0; 3],
                    Motion::Dynamic { .. } => fall,
                })
            }
            _ => [[0.0; 3]; 2],
        };
        let (ends, pivots) = ([of(pair[0])?, of(pair[1])?], pair.map(pivot));
        let mut departs = 0.0;
        for (k, body) in pair.map(|body| &scene.bodies[body as usize]).into_iter().enumerate() {
            if scene.motion.between == BetweenFrames::Bounded && matches!(body.motion, Motion::Dynamic { .. }) {
                departs += departure(&body.bounds, &ends[k], next.seconds?, pivots[k], bodies[k].reach);
            }
        }
        Some(PosedEnds { bodies, ends, pivots, falls, departure: departs, joints })
    }

    /// Whether a pair may have a row in a frame: both bodies are there, and it is not ignored.
    /// Pairs of static bodies are asked about once, in the first frame of the job.
    fn is_asked(&self, frame: &Frame, [a, b]: [u32; 2]) -> bool {
        let scene = self.scene();
        let is_static = |body: u32| matches!(scene.bodies[body as usize].motion, Motion::Static(_));
        let is_there = |body: u32| frame.places.get(body as usize).is_some_and(Option::is_some);
        let is_of_job = self.manifest.shard.as_ref().is_none_or(|shard| shard.index == 0);
        let has_static = scene.query.static_pairs && frame.is_first && is_of_job;
        a < b
            && is_there(a)
            && is_there(b)
            && (has_static || !is_static(a) || !is_static(b))
            && !scene.ignored.contains(a, b)
    }
}

/// All that is looked at in a frame.
fn tasks_of<'a>(frame: &'a Frame, choice: &Choice) -> Vec<Task<'a>> {
    let is_chosen = |a: i32, b: i32| choice.pair.is_none_or(|pair| pair == [a as u32, b as u32]);
    let rows = frame.rows.iter().filter(|row| is_chosen(row.a_index, row.b_index)).map(|row| Task::Row(frame, row));
    let depths = frame.depths.iter().filter(|row| is_chosen(row.a_index, row.b_index));
    let intervals = frame.intervals.iter().filter(|row| is_chosen(row.a_index, row.b_index));
    rows.chain(depths.map(|row| Task::Depth(frame, row)))
        .chain(intervals.map(|row| Task::Interval(frame, row)))
        .chain([Task::Missing(frame)])
        .chain(frame.next.as_ref().map(|_| Task::MissingIntervals(frame)))
        .collect()
}

/// Rows of frames that the input does not have.
fn strays<R: OfFrame>(rows: Vec<R>, table: RecheckTable) -> Vec<Finding> {
    let stray = |row: R| {
        let (run, frame) = row.key();
        let place = Place { run: Some(run), frame: Some(frame), pair: None };
        Finding::new(table, RecheckWhat::Form, RecheckOutcome::Wrong, place).because("the input has no such frame")
    };
    rows.into_iter().map(stray).collect()
}

/// A row of a pair that is not asked about in its frame.
fn unasked(frame: &Frame, pair: [u32; 2], table: RecheckTable) -> Finding {
    let place = Place { run: Some(frame.run), frame: Some(frame.frame), pair: Some(pair) };
    let why = "a body is absent in this frame, or the pair is ignored, or of two static bodies";
    Finding::new(table, RecheckWhat::Form, RecheckOutcome::Wrong, place).because(why)
}

/// Adds up findings without storing them.
#[derive(Default)]
pub struct Summing {
    /// The counted findings.
    pub tally: Tally,
}

impl Watch for Summing {
    fn take(&mut self, findings: Vec<Finding>, _: Option<Before>) -> Result<bool> {
        findings.iter().for_each(|finding| self.tally.add(finding));
        Ok(true)
    }
}
