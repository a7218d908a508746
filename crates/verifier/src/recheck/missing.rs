//! Pairs without a row: whether all of them are farther apart than `within`.

use clearsweep_model::Motion;
use clearsweep_records::{RecheckOutcome, RecheckTable, RecheckWhat};
use std::sync::Arc;

use super::{Choice, Recheck};
use crate::checked_body::{Ball, CheckedBody, gap_of_balls};
use crate::finding::{Finding, Place};
use crate::frames::{Frame, OfFrame};
use crate::interval_check::{MOST_COVERS, Sampled};
use crate::oracle::number::Number;
use crate::pair_truth::{Hint, PairAt};

impl Recheck {
    /// Pairs that may have rows.
    fn pairs<'f>(&'f self, frame: &'f Frame, choice: &'f Choice) -> impl Iterator<Item = [u32; 2]> + 'f {
        let count = self.scene().bodies.len() as u32;
        let all = (0..count).flat_map(move |a| (a + 1..count).map(move |b| [a, b]));
        let pairs: Box<dyn Iterator<Item = [u32; 2]>> = match choice.pair {
            Some(pair) => Box::new(std::iter::once(pair)),
            None => Box::new(all),
        };
        pairs.filter(|pair| self.is_asked(frame, *pair))
    }

    /// Whether all pairs of a frame without a row are farther apart than `within`.
    pub(super) fn missing(&self, frame: &Frame, choice: &Choice) -> (Vec<Finding>, u64) {
        let within = self.scene().query.within;
        let place = |pair| Place { run: Some(frame.run), frame: Some(frame.frame), pair };
        let new = |outcome, pair| Finding::new(RecheckTable::Distances, RecheckWhat::Missing, outcome, place(pair));
        let balls = self.balls(frame);
        let mut findings = out_of_order(&frame.rows, RecheckTable::Distances);
        findings.extend(out_of_order(&frame.depths, RecheckTable::Penetrations));
        let (mut count, before) = (0, findings.len());
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
            let proven = truth.ends();
            let finding = match () {
                () if truth.least.value() < within => new(RecheckOutcome::Wrong, Some([a, b])).because(format!(
                    "there is no row, and the bodies are {:.6e} m apart at most",
                    truth.least.value()
                )),
                () if proven[0] >= within => continue,
                () => {
                    new(RecheckOutcome::Bounded, Some([a, b])).because("whether it is within the cut-off is not known")
                }
            };
            findings.push(Finding { proven, ..finding });
        }
        if findings.len() == before {
            findings.push(new(RecheckOutcome::Proven, choice.pair));
        }
        (findings, count)
    }

    /// Middle of the box around each body in the world, and how far the body reaches from it.
    fn balls(&self, frame: &Frame) -> Vec<Ball> {
        let ball = |(place, body): (&Option<crate::Placement>, &Arc<CheckedBody>)| match place {
            Some(place) => body.ball(place),
            None => ([f64::NAN; 3], 0.0),
        };
        frame.places.iter().zip(&self.bodies).map(ball).collect()
    }

    /// Whether all pairs without a row of intervals stay farther apart than `within`.
    pub(super) fn missing_intervals(&self, frame: &Frame, choice: &Choice) -> (Vec<Finding>, u64) {
        let scene = self.scene();
        let within = scene.query.within;
        let place = |pair| Place { run: Some(frame.run), frame: Some(frame.frame), pair };
        let new = |outcome, pair| Finding::new(RecheckTable::Intervals, RecheckWhat::Missing, outcome, place(pair));
        let balls = self.balls(frame);
        let is_static = |body: u32| matches!(scene.bodies[body as usize].motion, Motion::Static(_));
        let is_by_joints = scene.motion.between.is_by_joints();
        let mut findings = out_of_order(&frame.intervals, RecheckTable::Intervals);
        let (mut count, before) = (0, findings.len());
        for pair in self.pairs(frame, choice) {
            let key = (pair[0] as i32, pair[1] as i32);
            let has_row = frame.intervals.binary_search_by_key(&key, |row| (row.a_index, row.b_index)).is_ok();
            if has_row || pair.into_iter().all(is_static) {
                continue;
            }
            let Some(ends) = self.ends(frame, pair) else { continue };
            count += 1;
            let Some(mut sampled) = Sampled::new(&ends, scene.motion.between) else {
                findings
                    .push(new(RecheckOutcome::NotLookedAt, Some(pair)).because("half a turn lies between the frames"));
                continue;
            };
            // Joints have no stored poses between which they move.
            let gap = if is_by_joints { sampled.ball_gap() } else { ball_gap(&balls, pair) };
            if gap - sampled.speed() > within
                || is_by_joints && sampled.cover([0.0, 1.0], within, MOST_COVERS).is_some()
            {
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
        if findings.len() == before {
            findings.push(new(RecheckOutcome::Proven, choice.pair));
        }
        (findings, count)
    }
}

/// Lower bound on the distance of two bodies by the balls around them, metres.
fn ball_gap(balls: &[Ball], [a, b]: [u32; 2]) -> f64 {
    gap_of_balls([&balls[a as usize], &balls[b as usize]])
}

/// Rows of a frame that are there twice, or not sorted by pair.
fn out_of_order<R: OfFrame>(rows: &[R], table: RecheckTable) -> Vec<Finding> {
    let wrong = |two: &[R]| {
        let ((run, frame), (a, b)) = (two[1].key(), two[1].pair());
        let place = Place { run: Some(run), frame: Some(frame), pair: Some([a as u32, b as u32]) };
        Finding::new(table, RecheckWhat::Form, RecheckOutcome::Wrong, place)
            .because("the pair is there twice, or rows are not sorted by pair")
    };
    rows.windows(2).filter(|two| two[0].pair() >= two[1].pair()).map(wrong).collect()
}
