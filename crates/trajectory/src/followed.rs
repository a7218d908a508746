//! Blocks that know the sample which follows them.

use super::read_part::ReadPart;
use super::stated_bounds::StatedBounds;
use clearsweep_base::error::Result;
use clearsweep_model::{FrameBlock, MotionRule, Sample};

/// Blocks one after the other, each with the first sample of the next one where that goes on with
/// its run. It reads one block ahead.
pub(super) struct FollowedBlocks<I> {
    blocks: I,
    /// The next item; `None` before the first one and after the last one.
    next: Option<Result<FrameBlock>>,
    /// Whether the first one was read.
    begun: bool,
    /// The part that is read: the sample behind it, a block of its own, is no item.
    part: Option<ReadPart>,
    /// Which intervals are gaps.
    rule: MotionRule,
    /// Bounds that the poses have to keep, if bodies state some.
    bounds: Option<StatedBounds>,
    /// The last sample that was given out.
    last: Option<Sample>,
}

impl<I> FollowedBlocks<I> {
    /// Returns the iterator over these blocks.
    pub(super) fn new(blocks: I, part: Option<ReadPart>, rule: MotionRule, bounds: Option<StatedBounds>) -> Self {
        Self { blocks, next: None, begun: false, part, rule, bounds, last: None }
    }

    /// Whether a block is the sample behind the part that is read.
    fn is_behind(&self, block: &FrameBlock) -> bool {
        let first = block.samples.first();
        let part = self.part.as_ref();
        first.is_some_and(|first| part.is_some_and(|part| part.is_followed_by(first.run, first.frame)))
    }
}

impl<I: Iterator<Item = Result<FrameBlock>>> Iterator for FollowedBlocks<I> {
    type Item = Result<FrameBlock>;

    fn next(&mut self) -> Option<Self::Item> {
        if !std::mem::replace(&mut self.begun, true) {
            self.next = self.blocks.next();
        }
        let mut item = self.next.take()?;
        if item.as_ref().is_ok_and(|block| self.is_behind(block)) {
            return None;
        }
        if let Ok(block) = &mut item {
            // An error that comes next is the next item.
            self.next = self.blocks.next();
            let mut behind = None;
            if let Some(Ok(next)) = &self.next {
                block.following = next.as_following();
                behind = next.samples.get(1).filter(|_| next.starts_run & 2 == 0).copied();
            }
            block.mark_gaps(&self.rule, self.last, behind);
            self.last = block.samples.last().copied();
            let broken = self.bounds.as_ref().map_or(Ok(()), |bounds| bounds.check(block));
            if let Err(broken) = broken {
                self.next = None;
                return Some(Err(broken));
            }
        }
        Some(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearsweep_base::error::Error;
    use clearsweep_geometry::Pose;

    fn block(index: u64, starts_run: u64, x: f64) -> FrameBlock {
        let mut block = FrameBlock::new(index, 2);
        for s in 0..2 {
            block.samples.push(Sample { run: 0, frame: 2 * index as i64 + s, time_s: None });
            block.set(1, s as usize, &Pose::new([x + s as f64, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]));
        }
        FrameBlock { starts_run, ..block }
    }

    #[test]
    fn a_block_has_the_first_sample_of_the_next_one_of_its_run() {
        let read = [Ok(block(0, 1, 0.0)), Ok(block(1, 0, 5.0)), Ok(block(2, 1, 7.0)), Ok(block(3, 2, 9.0))];
        let blocks: Vec<FrameBlock> = FollowedBlocks::new(read.into_iter(), None, MotionRule::default(), None)
            .collect::<Result<_>>()
            .expect("no error");
        let following: Vec<_> = blocks.iter().map(|block| block.following.as_deref()).collect();
        let keys: Vec<_> = following.iter().map(|following| following.map(|f| f.sample.frame)).collect();
        assert_eq!(keys, [Some(2), None, Some(6), None]);
        let poses = &following[0].expect("it goes on").poses;
        assert!(poses[0].is_none() && poses[1].is_some_and(|pose| pose.position.x == 5.0));
        assert_eq!(blocks.iter().map(|block| block.index).collect::<Vec<_>>(), [0, 1, 2, 3]);
    }

    #[test]
    fn the_block_before_an_error_is_given_out() {
        let error = || Error::internal("a test", "an error");
        let mut blocks =
            FollowedBlocks::new([Ok(block(0, 1, 0.0)), Err(error())].into_iter(), None, MotionRule::default(), None);
        assert!(blocks.next().is_some_and(|item| item.is_ok_and(|block| block.following.is_none())));
        assert!(blocks.next().is_some_and(|item| item.is_err()));
        assert!(blocks.next().is_none());
        assert!(
            FollowedBlocks::new(std::iter::empty::<Result<FrameBlock>>(), None, MotionRule::default(), None)
                .next()
                .is_none()
        );
    }
}
