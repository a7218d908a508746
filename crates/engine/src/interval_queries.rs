//! Handing the narrow phase the intervals of a pair: its poses at both ends, and the rows that are
//! known there.

use super::slice_rows::ChunkRows;
use clearsweep_geometry::Vec3;
use clearsweep_kinematics::{PairChain, ValueCurve};
use clearsweep_model::{BetweenFrames, Body, Candidate, FrameBlock, Motion, Requirements, SAMPLES, Scene};
use clearsweep_narrow::interval::{
    BlockJoints, BlockMotion, IntervalOptions, IntervalProximity, IntervalQuery, walk_intervals,
};
use clearsweep_narrow::{BodyPoses, PairCache, Proximity, SolverStats, Workspace};
use clearsweep_tables::IntervalRow;

/// The intervals of a slice.
pub(super) struct IntervalQueries<'a> {
    scene: &'a Scene,
    block: &'a FrameBlock,
    /// Options of all pairs; each pair has its own requirement.
    options: IntervalOptions,
    requirements: Requirements,
    /// Acceleration of the pivots that fall in the interval after each sample, metres over the
    /// square of the interval; empty unless bodies fall.
    falls: Vec<Vec3<f64>>,
    /// Seconds of the interval after each sample; empty unless bounds are all that is known.
    seconds: Vec<f64>,
    /// The intervals of each pair of the slice, as a mask of samples.
    masks: &'a [u64],
}

/// The proven results for the intervals of a task's pairs.
#[derive(Default)]
pub(super) struct IntervalRows {
    /// Answers for one pair; empty between pairs.
    answers: Vec<IntervalProximity>,
    /// By (a, b, sample).
    rows: Vec<IntervalRow>,
    samples: Vec<u8>,
}

impl IntervalRows {
    /// Adds later intervals of the pair that was answered last.
    pub(super) fn append(&mut self, later: Self) {
        self.rows.extend(later.rows);
        self.samples.extend(later.samples);
    }

    /// In the order of the tables; `None` where there is no row.
    pub(super) fn finish(self) -> Option<ChunkRows<IntervalRow>> {
        (!self.rows.is_empty()).then(|| ChunkRows::new(self.rows, &self.samples))
    }
}

impl<'a> IntervalQueries<'a> {
    /// Returns the queries for a slice of `block` whose pairs have these intervals; `None` if they
    /// have none.
    pub(super) fn new(scene: &'a Scene, block: &'a FrameBlock, masks: &'a [u64]) -> Option<Self> {
        let (query, motion) = (&scene.query, &scene.motion);
        let options = IntervalOptions {
            between: motion.between,
            within: query.within,
            require: None,
            touch: query.touch,
            tolerance: motion.tolerance,
            work: motion.work,
            answer: query.answer,
        };
        let falling = if motion.between == BetweenFrames::Ballistic { block.samples.len() } else { 0 };
        let falls = || (0..falling).map(|sample| block.fall_after(sample, motion)).collect();
        let bounded = if motion.between == BetweenFrames::Bounded { block.samples.len() } else { 0 };
        let seconds = || (0..bounded).map(|sample| block.seconds_after(sample).unwrap_or(f64::INFINITY)).collect();
        (!masks.is_empty()).then(|| Self {
            scene,
            block,
            options,
            requirements: scene.requirements(),
            falls: falls(),
            seconds: seconds(),
            masks,
        })
    }

    /// The intervals of the pair at `at` in the slice, as a mask of samples.
    pub(super) fn of(&self, at: usize) -> u64 {
        self.masks[at]
    }

    /// Answers those intervals of the pair at `at` in the slice that are in the mask `of`. `rows`
    /// are its rows in the samples of the slice, in A's recentred frame, by sample.
    pub(super) fn answer(
        &self,
        (at, pair, of): (usize, &Candidate, u64),
        rows: &[Proximity],
        cache: &mut PairCache,
        work: &mut Workspace,
        stats: &mut SolverStats,
        found: &mut IntervalRows,
    ) {
        let bodies = [pair.a, pair.b].map(|body| &self.scene.bodies[body as usize]);
        let intervals = bodies.iter().fold(self.masks[at] & of, |mask, body| mask & self.present(body));
        if intervals == 0 {
            return;
        }
        let chain = self.chain(bodies);
        let joints = chain.as_ref().map(|chain| BlockJoints {
            chain,
            values: &self.block.joints,
            after: self.block.following.as_ref().map(|following| &*following.joints),
            curves: &self.block.curves,
        });
        let bodies = bodies.map(|body| self.motion(body));
        let mut answers = std::mem::take(&mut found.answers);
        let standing = self.standing(pair, &bodies, intervals);
        let mut left = intervals;
        while left != 0 {
            let stands = standing & left & left.wrapping_neg() != 0;
            let (require, intervals) = self.required(pair, left);
            // The next intervals that are alike.
            let others = if stands { left & !standing } else { left & standing };
            let intervals = intervals & (others & others.wrapping_neg()).wrapping_sub(1);
            let require = require.filter(|_| !stands);
            left &= !intervals;
            let query =
                IntervalQuery { bodies, samples: self.block.samples.len(), asked: pair.samples, intervals, joints };
            let options = IntervalOptions { require, ..self.options };
            walk_intervals(&query, rows, &options, cache, work, stats, &mut answers);
            found.samples.extend(answers.iter().map(|interval| interval.sample));
            found.rows.extend(answers.drain(..).map(|interval| IntervalRow { a: pair.a, b: pair.b, interval, stands }));
        }
        found.answers = answers;
    }

    /// The joints between two bodies, if joints move them between the samples.
    fn chain(&self, bodies: [&Body; 2]) -> Option<PairChain> {
        let joints = self.scene.joints.as_ref().filter(|_| self.options.between.is_by_joints())?;
        let carried = bodies.map(|body| match body.motion {
            Motion::Dynamic { slot } => Ok(slot as usize),
            Motion::Static(pose) => Err(pose),
        });
        Some(joints.tree.chain(carried, bodies.map(|body| body.shape.reach())))
    }

    /// The intervals at both ends of which a pair stands where it did at the baseline of its rule:
    /// it does not move between them. Intervals with a moving spline are left out, those in which a
    /// body falls, and those of which only bounds are known.
    fn standing(&self, pair: &Candidate, bodies: &[BlockMotion<'_>; 2], intervals: u64) -> u64 {
        if !self.requirements.has_baselines() || self.options.between == BetweenFrames::Bounded {
            return 0;
        }
        let moves = |at: usize| {
            let falls = bodies.iter().filter_map(|body| body.falls.get(at)).any(|&fall| fall != Vec3::ZERO);
            falls || self.block.curves.iter().skip(at).step_by(SAMPLES).any(ValueCurve::moves)
        };
        let samples = &self.block.samples;
        let pose = |body: &BlockMotion<'_>, at: usize| match body.after {
            Some(after) if at == samples.len() => after,
            _ => body.poses.at(at),
        };
        let stands =
            |run, at| self.requirements.stands(run, pair.a, pair.b, || bodies.each_ref().map(|body| pose(body, at)));
        let both_ends = |&at: &usize| stands(samples[at].run, at) && stands(samples[at].run, at + 1);
        let asked = (0..samples.len()).filter(|&at| intervals >> at & 1 == 1 && !moves(at));
        asked.filter(both_ends).fold(0, |mask, at| mask | 1 << at)
    }

    /// Returns the requirement of a pair in the first of some intervals, metres, and the intervals
    /// that share it: if the rule has a baseline in each run, those of the same run.
    fn required(&self, pair: &Candidate, intervals: u64) -> (Option<f64>, u64) {
        let samples = &self.block.samples;
        let run = samples[intervals.trailing_zeros() as usize].run;
        let required = self.requirements.of_distance(run, pair.a, pair.b);
        let same = match self.requirements.depends_on_run(pair.a, pair.b) {
            true => {
                let of_run = samples.iter().zip(0..).filter(|(sample, _)| sample.run == run);
                intervals & of_run.fold(0_u64, |mask, (_, sample)| mask | 1 << sample)
            }
            false => intervals,
        };
        (Some(required).filter(|require| !require.is_nan()), same)
    }

    /// The intervals at both ends of which a body has a pose.
    fn present(&self, body: &Body) -> u64 {
        match body.motion {
            Motion::Static(_) => u64::MAX,
            Motion::Dynamic { slot } => self.block.present_at_both_ends(slot as usize),
        }
    }

    /// How a body moves in the block.
    fn motion<'s>(&'s self, body: &'s Body) -> BlockMotion<'s> {
        let (poses, after, falls, seconds) = match &body.motion {
            Motion::Static(pose) => (BodyPoses::Fixed(pose), None, &[][..], &[][..]),
            Motion::Dynamic { slot } => {
                let slot = *slot as usize;
                let after = self.block.following.as_ref().and_then(|following| following.poses[slot]);
                (BodyPoses::Moving(self.block.slot(slot)), after, &*self.falls, &*self.seconds)
            }
        };
        let (pivot, bounds) = (body.pivot.of(&body.shape), (body.bounds, seconds));
        BlockMotion { shape: &body.shape, poses, after, pivot, falls, bounds }
    }
}

#[cfg(test)]
mod tests {
    use super::super::block_candidates::BlockCandidates;
    use super::super::caches::Caches;
    use super::super::narrowing::{narrow, narrow_alone};
    use super::super::slices::Slices;
    use super::*;
    use clearsweep_broad::{BroadScene, by_name};
    use clearsweep_geometry::Pose;
    use clearsweep_model::Sample;
    use clearsweep_narrow::{Auto, IntervalProximity, IntervalStatus};
    use clearsweep_scene::{BodyBuilder, Geometry, SceneBuilder};
    use clearsweep_trajectory::Bounds;

    /// A plate, and needles and balls that fly about it.
    fn scene(between: BetweenFrames) -> Scene {
        let mut scene = SceneBuilder::new(0.05);
        let plate = BodyBuilder::new("plate", Geometry::Box([4.0, 4.0, 1e-3]));
        scene = scene.body(plate.fixed([0.0; 3], [1.0, 0.0, 0.0, 0.0]));
        for needle in 0..4 {
            scene = scene.body(BodyBuilder::new(format!("needle-{needle}"), Geometry::Box([1e-3, 0.01, 0.4])));
        }
        scene = scene.body(BodyBuilder::new("ball", Geometry::Sphere(0.3)));
        let mut scene = scene.build().expect("a scene");
        scene.motion.between = between;
        scene
    }

    /// Poses of each sample and slot. The second body is away now and then.
    fn flights(samples: usize, slots: usize) -> Vec<Vec<Option<Pose>>> {
        let mut state = 5_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let mut pose = |s: usize, slot: usize| {
            let pose = Pose::new([1.5 * next(), 1.5 * next(), next()], [1.0, 0.5 * next(), 0.5 * next(), 0.5 * next()]);
            let norm = pose.q.iter().map(|c| c * c).sum::<f64>().sqrt();
            (slot != 1 || s % 7 != 3).then_some(Pose { q: pose.q.map(|c| c / norm), ..pose })
        };
        (0..samples).map(|s| (0..slots).map(|slot| pose(s, slot)).collect()).collect()
    }

    /// The samples in blocks of so many; a run has 50 samples.
    fn blocks(flights: &[Vec<Option<Pose>>], most: usize) -> Vec<FrameBlock> {
        let slots = flights[0].len();
        let mut blocks: Vec<FrameBlock> = Vec::new();
        for (index, part) in flights.chunks(most).enumerate() {
            let mut block = FrameBlock::new(index as u64, slots);
            for (s, poses) in part.iter().enumerate() {
                let frame = index * most + s;
                block.samples.push(Sample { run: frame as i64 / 50, frame: frame as i64, time_s: None });
                block.starts_run |= u64::from(frame.is_multiple_of(50)) << s;
                poses.iter().enumerate().for_each(|(slot, pose)| pose.iter().for_each(|pose| block.set(slot, s, pose)));
            }
            if let Some(before) = blocks.last_mut() {
                before.following = block.as_following();
            }
            blocks.push(block);
        }
        blocks
    }

    /// An interval with the frame that it follows.
    type Found = (i64, u32, u32, IntervalProximity);

    /// All rows of intervals, and how many of the samples' rows there are.
    fn run(scene: &Scene, blocks: &[FrameBlock], limit: usize, alone: bool) -> (Vec<Found>, usize) {
        let bounds = Bounds { min: [-2.0; 3], max: [2.0; 3] };
        let job = BroadScene::new(scene, Some(bounds), scene.query.within);
        let mut broad = by_name("brute").expect("it is there");
        let (mut caches, mut found, mut rows) = (Caches::new(1 << 20), Vec::new(), 0);
        for block in blocks {
            let intervals = broad.interval_candidates(&job, scene, block);
            let pairs = BlockCandidates::new(broad.candidates(&job, scene, block), &intervals);
            for slice in Slices::new(pairs, limit) {
                let ask = if alone { narrow_alone } else { narrow };
                let narrowed = ask(scene, block, &Auto, &mut caches, &slice);
                rows += narrowed.rows.len();
                found.extend(narrowed.rows.sorted_intervals().into_iter().map(|row| {
                    let frame = block.samples[usize::from(row.interval.sample)].frame;
                    (frame, row.a, row.b, IntervalProximity { sample: 0, ..row.interval })
                }));
            }
        }
        (found, rows)
    }

    #[test]
    fn rows_of_intervals_depend_on_neither_blocks_nor_slices_nor_threads() {
        for between in [BetweenFrames::Linear, BetweenFrames::Screw, BetweenFrames::Hold] {
            let scene = scene(between);
            let flights = flights(130, scene.dynamic.len());
            let (whole, rows) = run(&scene, &blocks(&flights, 64), 1 << 20, false);
            assert!(
                whole.is_sorted_by_key(|(frame, a, b, _)| (*frame, *a, *b)) && whole.len() > 100,
                "{}",
                whole.len()
            );
            assert!(whole.iter().all(|(frame, ..)| frame % 50 != 49), "no interval leads from run to run");
            assert!(whole.iter().any(|(frame, ..)| *frame == 63), "one leads from block to block");
            let contacts = whole.iter().filter(|(.., found)| found.status == IntervalStatus::Contact).count();
            assert!(contacts > 20, "{between:?}: {contacts} contacts");
            for (samples, limit, alone, threads) in [
                (64, 1 << 20, true, 1),
                (64, 5, false, 2),
                (10, 1 << 20, false, 3),
                (1, 1, true, 1),
                (33, 64, false, 1),
            ] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
                let again = pool.install(|| run(&scene, &blocks(&flights, samples), limit, alone));
                assert_eq!(again.1, rows);
                assert!(again.0 == whole, "{between:?}: blocks of {samples}, slices of {limit}");
            }
        }
    }

    #[test]
    fn a_needle_through_a_plate_touches_between_two_clear_frames() {
        let scene = scene(BetweenFrames::Linear);
        let away = |slot: usize, z: f64| Pose::new([0.3 + slot as f64, 0.2, z], [1.0, 0.0, 0.0, 0.0]);
        let flight = |z: f64| -> Vec<Option<Pose>> { (0..5).map(|slot| (slot == 0).then(|| away(slot, z))).collect() };
        let (found, rows) = run(&scene, &blocks(&[flight(-1.0), flight(1.0)], 64), 1 << 20, false);
        assert_eq!(rows, 0, "both frames are clear");
        let [(0, 0, 1, interval)] = found[..] else { panic!("{found:?}") };
        assert_eq!(interval.status, IntervalStatus::Contact);
        assert!(interval.contact[0] < 0.4 && interval.contact[1] >= 0.39, "{:?}", interval.contact);
        assert_eq!(Vec3::ZERO, scene.bodies[1].shape.center);
    }
}
