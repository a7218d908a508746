//! A sample of a result: frames that a seed draws, and as many of their rows as the time allows.

use clearsweep_base::error::Result;
use clearsweep_records::{Distance, Interval, Penetration, has_table};
use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use super::{Choice, Looked, Recheck, Task, Watch};
use crate::frames::{Frame, OfFrame, add_rows};

/// Placements that are kept of chosen frames, and bounds on the number of frames.
const MOST_PLACES: usize = 1_000_000;
const MOST_FRAMES: [usize; 2] = [16, 4096];

/// Shares of the time for rows, pairs without a row, and intervals.
const SHARES: [f64; 3] = [0.45, 0.2, 0.35];

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
    /// Draws frames, and looks at their rows until the time is over.
    pub(super) fn sample(
        &self,
        choice: &Choice,
        worst: &[(i64, i64)],
        looked: &mut Looked,
        watch: &mut impl Watch,
    ) -> Result<()> {
        let mut frames = self.draw(choice, worst, looked)?;
        add_rows::<Distance>(&self.dir, &mut frames)?;
        add_rows::<Penetration>(&self.dir, &mut frames)?;
        if has_table(&self.dir, "intervals") {
            add_rows::<Interval>(&self.dir, &mut frames)?;
        }
        let is_chosen = |(a, b): (i32, i32)| choice.pair.is_none_or(|pair| pair == [a as u32, b as u32]);
        let order = |(run, frame): (i64, i64), (a, b): (i32, i32)| {
            mixed(choice.seed, &[run, frame, i64::from(a), i64::from(b)])
        };
        let mut rows: Vec<(bool, f64, u64, Task<'_>)> = Vec::new();
        let mut depths: Vec<Task<'_>> = Vec::new();
        let mut intervals: Vec<(u64, Task<'_>)> = Vec::new();
        let mut missing: Vec<(u64, Task<'_>)> = Vec::new();
        for (key, frame) in &frames {
            let is_worst = worst.contains(key);
            for row in frame.rows.iter().filter(|row| is_chosen(row.pair())) {
                let upper = if is_worst { row.upper_m.unwrap_or(f64::NEG_INFINITY) } else { 0.0 };
                rows.push((!is_worst, upper, order(row.key(), row.pair()), Task::Row(frame, row)));
            }
            depths.extend(frame.depths.iter().filter(|row| is_chosen(row.pair())).map(|row| Task::Depth(frame, row)));
            let chosen = frame.intervals.iter().filter(|row| is_chosen(row.pair()));
            intervals.extend(chosen.map(|row| (order(row.key(), row.pair()), Task::Interval(frame, row))));
            missing.push((mixed(choice.seed, &[key.0, key.1]), Task::Missing(frame)));
            if frame.next.is_some() {
                missing.push((mixed(choice.seed, &[key.1, key.0]), Task::MissingIntervals(frame)));
            }
        }
        rows.sort_by(|x, y| (x.0.cmp(&y.0)).then(x.1.total_cmp(&y.1)).then(x.2.cmp(&y.2)));
        rows.truncate(choice.rows.unwrap_or(usize::MAX));
        intervals.sort_by_key(|(order, _)| *order);
        missing.sort_by_key(|(order, _)| *order);
        let mut left: [VecDeque<Task<'_>>; 3] = [
            rows.into_iter().map(|(.., task)| task).collect(),
            missing.into_iter().map(|(_, task)| task).collect(),
            intervals.into_iter().map(|(_, task)| task).collect(),
        ];
        // Rows of depths are compared with those of distances, in no time.
        let mut goes_on = watch.take(self.look(&depths, choice, looked), None)?;
        let begun = Instant::now();
        // Some tasks of each kind are always done. Time that one kind leaves goes to the next
        // kind. Time that is left in the end goes to the first.
        let mut share = 0.0;
        for (kind, of) in SHARES.iter().enumerate() {
            share += of;
            goes_on = goes_on && self.some(&mut left[kind], choice, looked, watch)?;
            let until = begun + Duration::from_secs_f64(share * choice.seconds);
            while goes_on && !left[kind].is_empty() && Instant::now() < until {
                goes_on = self.some(&mut left[kind], choice, looked, watch)?;
            }
        }
        let until = begun + Duration::from_secs_f64(choice.seconds);
        for tasks in &mut left {
            while goes_on && !tasks.is_empty() && Instant::now() < until {
                goes_on = self.some(tasks, choice, looked, watch)?;
            }
        }
        looked.is_stopped = left.iter().any(|tasks| !tasks.is_empty());
        Ok(())
    }

    /// Looks at the next few tasks, and says whether to go on.
    fn some(
        &self,
        tasks: &mut VecDeque<Task<'_>>,
        choice: &Choice,
        looked: &mut Looked,
        watch: &mut impl Watch,
    ) -> Result<bool> {
        let at_once = 4 * rayon::current_num_threads().max(1);
        let now: Vec<Task<'_>> = tasks.drain(..at_once.min(tasks.len())).collect();
        watch.take(self.look(&now, choice, looked), None)
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
}
