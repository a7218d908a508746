//! A result proven again: which frames and rows are looked at, and in which order.

use clearsweep_base::error::{Error, Result};
use clearsweep_model::{BetweenFrames, Motion, Scene};
use clearsweep_records::manifest::Manifest;
use clearsweep_records::{
    Distance, DistanceBracket, Interval, Penetration, RecheckOutcome, RecheckTable, RecheckWhat, Table, has_table,
};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::checked_body::CheckedBody;
use crate::count::Counter;
use crate::finding::{Finding, Place, Tally};
use crate::frames::{ByFrame, Frame, OfFrame, add_rows};
use crate::interval_check::{PosedEnds, Sampled, interval};
use crate::number::Number;
use crate::pair_truth::{Hint, PairAt};
use crate::row_check::{Posed, penetration};
use crate::stored_scene::{StoredScene, load_scene};

/// Placements that are kept of chosen frames, and bounds on the number of frames.
const MOST_PLACES: usize = 1_000_000;
const MOST_FRAMES: [usize; 2] = [16, 4096];

/// Worst rows that are always among those looked at.
const WORST: usize = 32;

/// Shares of the time for rows, pairs without a row, and intervals.
const SHARES: [f64; 3] = [0.45, 0.2, 0.35];

/// What is looked at.
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
    /// Which sample is drawn.
    pub seed: u64,
    /// Frames to leave out of everything: they were looked at before.
    pub skip_frames: u64,
}

/// Takes what is found, and says whether to go on.
pub trait Watch {
    /// Findings about a few frames, `frames` of them since the last call; `false`: stop.
    ///
    /// # Errors
    /// They cannot be stored.
    fn take(&mut self, findings: Vec<Finding>, frames: u64) -> Result<bool>;
}

/// Times of one kind of statement.
#[derive(Clone, Copy, Debug, Default)]
pub struct Speed {
    /// Statements.
    pub count: u64,
    /// Seconds of one thread.
    pub seconds: f64,
}

/// What was looked at.
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

/// A result whose scene is loaded again.
pub struct Recheck {
    dir: PathBuf,
    manifest: Manifest,
    stored: StoredScene,
    bodies: Vec<Arc<CheckedBody>>,
}

/// A thing to be looked at.
#[derive(Clone, Copy)]
enum Task<'a> {
    Row(&'a Frame, &'a Distance),
    Depth(&'a Frame, &'a Penetration),
    Missing(&'a Frame),
    Interval(&'a Frame, &'a Interval),
    MissingIntervals(&'a Frame),
}

/// A number that looks random, of a seed and keys (SplitMix64).
fn mixed(seed: u64, keys: &[i64]) -> u64 {
    keys.iter().fold(seed, |state, &key| {
        let mut z = (state ^ key as u64).wrapping_add(0x9E37_79B9_7F4A_7C15);
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    })
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

    /// The scene with its poses.
    pub fn stored(&self) -> &StoredScene {
        &self.stored
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
        for block in self.stored.open([Some(run..run.saturating_add(1)), Some(frame..next)])?.followed_blocks() {
            let block = block?;
            for (s, sample) in block.samples.iter().enumerate().filter(|(_, sample)| sample.frame == frame) {
                frames.insert((sample.run, sample.frame), Frame::of_block(self.scene(), &block, s));
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

    /// Looks at what is chosen on so many threads; `None`: as many as there are cores.
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
        let mut looked = Looked::default();
        let worst = self.count(choice, &mut looked, watch)?;
        self.not_looked_at(watch)?;
        match choice.all {
            true => self.everything(choice, &mut looked, watch)?,
            false => self.sample(choice, &worst, &mut looked, watch)?,
        }
        Ok(looked)
    }

    /// Tables and columns that nobody looks at yet.
    fn not_looked_at(&self, watch: &mut impl Watch) -> Result<()> {
        let mut findings = Vec::new();
        let mut add = |table, what, why: &str| {
            findings.push(Finding::new(table, what, RecheckOutcome::NotLookedAt, Place::default()).because(why));
        };
        if has_table(&self.dir, "contacts") {
            add(RecheckTable::Contacts, RecheckWhat::Region, "regions of contact");
        }
        let has_mesh = self.scene().bodies.iter().any(|body| body.shape.mesh.is_some());
        if has_mesh && self.manifest.summary.penetrations > 0 {
            add(RecheckTable::Penetrations, RecheckWhat::Protrusion, "protrusions of meshes");
        }
        watch.take(findings, 0).map(|_| ())
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
            watch.take(counter.finish(&self.dir, &self.manifest)?, 0)?;
        } else {
            let finding = Finding::new(RecheckTable::Manifest, RecheckWhat::Count, RecheckOutcome::NotLookedAt, Place::default());
            watch.take(vec![finding.because("counts of a shard: those of the merged result count")], 0)?;
        }
        Ok(worst.into_iter().map(|(_, run, frame)| (run, frame)).collect())
    }

    /// Draws frames, and looks at their rows until the time is over.
    fn sample(&self, choice: &Choice, worst: &[(i64, i64)], looked: &mut Looked, watch: &mut impl Watch) -> Result<()> {
        let mut frames = self.draw(choice, worst, looked)?;
        add_rows::<Distance>(&self.dir, &mut frames)?;
        add_rows::<Penetration>(&self.dir, &mut frames)?;
        if has_table(&self.dir, "intervals") {
            add_rows::<Interval>(&self.dir, &mut frames)?;
        }
        let is_chosen = |a: i32, b: i32| choice.pair.is_none_or(|pair| pair == [a as u32, b as u32]);
        let order = |run: i64, frame: i64, a: i32, b: i32| mixed(choice.seed, &[run, frame, i64::from(a), i64::from(b)]);
        let mut rows: Vec<(bool, f64, u64, Task<'_>)> = Vec::new();
        let mut intervals: Vec<(u64, Task<'_>)> = Vec::new();
        let mut missing: Vec<(u64, Task<'_>)> = Vec::new();
        for (key, frame) in &frames {
            let is_worst = worst.contains(key);
            for row in frame.rows.iter().filter(|row| is_chosen(row.a_index, row.b_index)) {
                let upper = if is_worst { row.upper_m.unwrap_or(f64::NEG_INFINITY) } else { 0.0 };
                let place = order(row.run, row.frame, row.a_index, row.b_index);
                rows.push((!is_worst, upper, place, Task::Row(frame, row)));
            }
            let depths = frame.depths.iter().filter(|row| is_chosen(row.a_index, row.b_index));
            rows.extend(depths.map(|row| (true, 0.0, order(row.run, row.frame, row.b_index, row.a_index), Task::Depth(frame, row))));
            for row in frame.intervals.iter().filter(|row| is_chosen(row.a_index, row.b_index)) {
                intervals.push((order(row.run, row.frame, row.a_index, row.b_index), Task::Interval(frame, row)));
            }
            missing.push((mixed(choice.seed, &[key.0, key.1]), Task::Missing(frame)));
            if frame.next.is_some() {
                missing.push((mixed(choice.seed, &[key.1, key.0]), Task::MissingIntervals(frame)));
            }
        }
        rows.sort_by(|x, y| (x.0.cmp(&y.0)).then(x.1.total_cmp(&y.1)).then(x.2.cmp(&y.2)));
        if let Some(most) = choice.rows {
            rows.truncate(most);
        }
        intervals.sort_by_key(|(order, _)| *order);
        missing.sort_by_key(|(order, _)| *order);
        let lists = [
            rows.into_iter().map(|(.., task)| task).collect::<Vec<_>>(),
            missing.into_iter().map(|(_, task)| task).collect(),
            intervals.into_iter().map(|(_, task)| task).collect(),
        ];
        let begun = Instant::now();
        // Time that one kind leaves goes to the next; what is left in the end, to the first.
        let mut left: Vec<std::collections::VecDeque<Task<'_>>> = lists.into_iter().map(Into::into).collect();
        let mut until = 0.0;
        for round in 0..2 {
            for (kind, share) in SHARES.iter().enumerate() {
                until = if round == 0 { until + share * choice.seconds } else { choice.seconds };
                self.until(&mut left[kind], choice, begun, Duration::from_secs_f64(until), looked, watch)?;
            }
        }
        looked.is_stopped = left.iter().any(|tasks| !tasks.is_empty());
        Ok(())
    }

    /// Looks at tasks in their order until the time is over; the first few in any case.
    fn until(
        &self,
        tasks: &mut std::collections::VecDeque<Task<'_>>,
        choice: &Choice,
        begun: Instant,
        until: Duration,
        looked: &mut Looked,
        watch: &mut impl Watch,
    ) -> Result<()> {
        let at_once = 4 * rayon::current_num_threads().max(1);
        let mut is_first = true;
        while !tasks.is_empty() && (begun.elapsed() < until || (is_first && until.as_secs_f64() < choice.seconds)) {
            is_first = false;
            let now: Vec<Task<'_>> = tasks.drain(..at_once.min(tasks.len())).collect();
            let findings = self.look(&now, choice, looked);
            if !watch.take(findings, 0)? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Draws frames by the seed, those of the worst rows among them.
    fn draw(&self, choice: &Choice, worst: &[(i64, i64)], looked: &mut Looked) -> Result<BTreeMap<(i64, i64), Frame>> {
        let most = (MOST_PLACES / self.bodies.len().max(1)).clamp(MOST_FRAMES[0], MOST_FRAMES[1]);
        let mut drawn: BTreeMap<Reverse<u64>, (i64, i64)> = BTreeMap::new();
        let mut frames: BTreeMap<(i64, i64), Frame> = BTreeMap::new();
        for block in self.stored.open([None, None])?.followed_blocks() {
            let block = block?;
            for (s, sample) in block.samples.iter().enumerate() {
                looked.frames[1] += 1;
                let key = (sample.run, sample.frame);
                if worst.contains(&key) {
                    frames.insert(key, Frame::of_block(self.scene(), &block, s));
                    continue;
                }
                let order = Reverse(mixed(choice.seed, &[key.0, key.1]));
                if drawn.len() < most || drawn.first_key_value().is_some_and(|(last, _)| order > *last) {
                    frames.insert(key, Frame::of_block(self.scene(), &block, s));
                    drawn.insert(order, key);
                    if drawn.len() > most
                        && let Some((_, key)) = drawn.pop_first()
                    {
                        frames.remove(&key);
                    }
                }
            }
        }
        looked.frames[0] = frames.len() as u64;
        Ok(frames)
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
            if looked.frames[1] <= choice.skip_frames {
                continue;
            }
            looked.frames[0] += frames.len() as u64;
            let tasks: Vec<Task<'_>> = frames.iter().flat_map(|frame| tasks_of(frame, choice)).collect();
            findings.extend(self.look(&tasks, choice, looked));
            if !watch.take(findings, frames.len() as u64)? {
                looked.is_stopped = true;
                return Ok(());
            }
        }
        let mut findings = strays(rows.rest()?, RecheckTable::Distances);
        findings.extend(strays(depths.rest()?, RecheckTable::Penetrations));
        if let Some(intervals) = intervals {
            findings.extend(strays(intervals.rest()?, RecheckTable::Intervals));
        }
        watch.take(findings, 0).map(|_| ())
    }

    /// Looks at all rows of a frame, at the pairs without one, and at the interval behind it.
    pub fn check_frame(&self, frame: &Frame, pair: Option<[u32; 2]>) -> Vec<Finding> {
        let choice = Choice { pair, rows: None, all: true, seconds: 0.0, seed: 0, skip_frames: 0 };
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
                let [Some(a), Some(b)] = places else { return (vec![absent(frame, pair, RecheckTable::Distances)], 1) };
                let posed = Posed { bodies: self.bodies_of(pair), places: [a, b] };
                (posed.row(row, &scene.query), 1)
            }
            Task::Depth(frame, row) => {
                let of = frame.rows.iter().find(|of| (of.a_index, of.b_index) == (row.a_index, row.b_index));
                (vec![penetration(row, of)], 0)
            }
            Task::Missing(frame) => self.missing(frame, choice),
            Task::Interval(frame, row) => {
                let pair = [row.a_index as u32, row.b_index as u32];
                let of = frame.next.as_ref().filter(|next| next.frame == row.frame_next);
                let ends = of.and_then(|_| self.ends(frame, pair));
                (interval(row, ends.as_ref(), &scene.query, &scene.motion), 1)
            }
            Task::MissingIntervals(frame) => self.missing_intervals(frame, choice),
        }
    }

    fn ends(&self, frame: &Frame, pair: [u32; 2]) -> Option<PosedEnds<'_>> {
        let next = frame.next.as_ref()?;
        let of = |body: u32| Some([frame.places[body as usize]?, next.places[body as usize]?]);
        let pivot = |body: u32| {
            let body = &self.scene().bodies[body as usize];
            body.pivot.of(&body.shape).to_array()
        };
        Some(PosedEnds { bodies: self.bodies_of(pair), ends: [of(pair[0])?, of(pair[1])?], pivots: pair.map(pivot) })
    }

    /// Two bodies at both ends of the interval after a frame; `None`: a pose is missing.
    pub fn ends_of(&self, frame: &Frame, pair: [u32; 2]) -> Option<PosedEnds<'_>> {
        self.ends(frame, pair)
    }

    /// Pairs that may have rows, of which both bodies are there.
    fn pairs<'f>(&'f self, frame: &'f Frame, choice: &'f Choice) -> impl Iterator<Item = [u32; 2]> + 'f {
        let scene = self.scene();
        let is_static = |body: u32| matches!(scene.bodies[body as usize].motion, Motion::Static(_));
        let is_there = |body: u32| frame.places[body as usize].is_some();
        let is_asked = move |&[a, b]: &[u32; 2]| {
            is_there(a)
                && is_there(b)
                && (scene.query.static_pairs || !is_static(a) || !is_static(b))
                && !scene.ignored.contains(a, b)
        };
        let all = (0..scene.bodies.len() as u32).flat_map(|a| (a + 1..scene.bodies.len() as u32).map(move |b| [a, b]));
        let only = choice.pair;
        let pairs: Box<dyn Iterator<Item = [u32; 2]>> = match only {
            Some(pair) => Box::new(std::iter::once(pair)),
            None => Box::new(all),
        };
        pairs.filter(is_asked)
    }

    /// Whether all pairs of a frame without a row are farther apart than `within`.
    fn missing(&self, frame: &Frame, choice: &Choice) -> (Vec<Finding>, u64) {
        let within = self.scene().query.within;
        let place = |pair| Place { run: Some(frame.run), frame: Some(frame.frame), pair };
        let new = |outcome, pair| Finding::new(RecheckTable::Distances, RecheckWhat::Missing, outcome, place(pair));
        let balls = self.balls(frame);
        let (mut findings, mut count) = (Vec::new(), 0);
        for [a, b] in self.pairs(frame, choice) {
            let key = (a as i32, b as i32);
            if frame.rows.binary_search_by_key(&key, |row| (row.a_index, row.b_index)).is_ok() {
                continue;
            }
            count += 1;
            if ball_gap(&balls, [a, b]) > within {
                continue;
            }
            let places = [a, b].map(|body| &frame.places[body as usize]);
            let [Some(pa), Some(pb)] = places else { continue };
            let pair = PairAt::new(self.bodies_of([a, b]), [pa, pb]);
            let deviation = pair.deviation();
            let rough = pair.rough();
            if rough[0] - deviation > within {
                continue;
            }
            let truth = pair.truth(&Hint::default());
            let proven = truth.all.map(Number::value);
            let finding = match () {
                () if truth.least.value() < within && self.answers(truth.least.value()) => new(RecheckOutcome::Wrong, Some([a, b]))
                    .because(format!("there is no row, and the bodies are {:.6e} m apart at most", truth.least.value())),
                () if proven[0] >= within => continue,
                () => new(RecheckOutcome::Bounded, Some([a, b])).because("whether it is within the cut-off is not known"),
            };
            findings.push(Finding { proven, ..finding });
        }
        if findings.is_empty() {
            findings.push(new(RecheckOutcome::Proven, choice.pair));
        }
        (findings, count)
    }

    /// Whether bodies at this distance have a row, whatever is asked.
    fn answers(&self, distance: f64) -> bool {
        distance < self.scene().query.within
    }

    /// Middle of the box around each body in the world, and how far the body reaches from it.
    fn balls(&self, frame: &Frame) -> Vec<([f64; 3], f64)> {
        let ball = |(place, body): (&Option<crate::Placement>, &Arc<CheckedBody>)| {
            let Some(place) = place else { return ([f64::NAN; 3], 0.0) };
            let [low, high] = body.bounds;
            let own: [f64; 3] = [0, 1, 2].map(|k: usize| 0.5 * (low[k] + high[k]));
            let half: f64 = (0..3).map(|k: usize| (0.5 * (high[k] - low[k])).powi(2)).sum::<f64>().sqrt();
            let columns = place.columns();
            let middle = [0, 1, 2].map(|k: usize| {
                place.position[k] + (0..3).map(|m| columns[m][k].value() * own[m]).sum::<f64>() + place.rest[k]
            });
            let far = place.position.iter().fold(0.0_f64, |most, c| most.max(c.abs()));
            (middle, (half + body.radius + body.deviation) * (1.0 + 1e-12) + 1e-14 * (far + body.reach))
        };
        frame.places.iter().zip(&self.bodies).map(ball).collect()
    }

    /// Whether all pairs without a row of intervals stay farther apart than `within`.
    fn missing_intervals(&self, frame: &Frame, choice: &Choice) -> (Vec<Finding>, u64) {
        let scene = self.scene();
        let within = scene.query.within;
        let place = |pair| Place { run: Some(frame.run), frame: Some(frame.frame), pair };
        let new = |outcome, pair| Finding::new(RecheckTable::Intervals, RecheckWhat::Missing, outcome, place(pair));
        if scene.motion.between == BetweenFrames::Joint {
            return (vec![new(RecheckOutcome::NotLookedAt, None).because("joints move the bodies between the frames")], 0);
        }
        let balls = self.balls(frame);
        let is_static = |body: u32| matches!(scene.bodies[body as usize].motion, Motion::Static(_));
        let (mut findings, mut count) = (Vec::new(), 0);
        for pair in self.pairs(frame, choice) {
            let key = (pair[0] as i32, pair[1] as i32);
            let has_row = frame.intervals.binary_search_by_key(&key, |row| (row.a_index, row.b_index)).is_ok();
            if has_row || pair.into_iter().all(is_static) {
                continue;
            }
            let Some(ends) = self.ends(frame, pair) else { continue };
            count += 1;
            let Some(mut sampled) = Sampled::new(&ends, scene.motion.between) else {
                findings.push(new(RecheckOutcome::NotLookedAt, Some(pair)).because("half a turn lies between the frames"));
                continue;
            };
            if ball_gap(&balls, pair) - sampled.speed() > within {
                continue;
            }
            let [lower, upper] = sampled.least([0.0, 1.0], within, 400);
            let open = sampled.open();
            let finding = match () {
                () if lower >= within => continue,
                () if upper + open < within => new(RecheckOutcome::Wrong, Some(pair))
                    .because(format!("there is no row, and the bodies come within {upper:.6e} m")),
                () => new(RecheckOutcome::Bounded, Some(pair)).because("as far as sampled"),
            };
            findings.push(Finding { proven: [lower, upper], ..finding });
        }
        if findings.is_empty() {
            findings.push(new(RecheckOutcome::Proven, choice.pair));
        }
        (findings, count)
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

/// Lower bound on the distance of two bodies by the balls around them, metres.
fn ball_gap(balls: &[([f64; 3], f64)], [a, b]: [u32; 2]) -> f64 {
    let ((p, r), (q, s)) = (&balls[a as usize], &balls[b as usize]);
    let square: f64 = (0..3).map(|k: usize| (p[k] - q[k]).powi(2)).sum();
    square.sqrt() * (1.0 - 1e-12) - r - s
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

fn absent(frame: &Frame, pair: [u32; 2], table: RecheckTable) -> Finding {
    let place = Place { run: Some(frame.run), frame: Some(frame.frame), pair: Some(pair) };
    Finding::new(table, RecheckWhat::Form, RecheckOutcome::Wrong, place).because("a body is absent in this frame")
}

/// Adds up findings without storing them.
#[derive(Default)]
pub struct Summing {
    /// What was found.
    pub tally: Tally,
}

impl Watch for Summing {
    fn take(&mut self, findings: Vec<Finding>, _: u64) -> Result<bool> {
        findings.iter().for_each(|finding| self.tally.add(finding));
        Ok(true)
    }
}
