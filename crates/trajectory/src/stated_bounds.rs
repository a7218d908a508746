//! Poses held against the bounds that bodies state of their motion (`between = "bounded"`).

use clearsweep_base::error::{Error, Result};
use clearsweep_geometry::Vec3;
use clearsweep_model::{BetweenFrames, BrokenBound, FrameBlock, MotionBounds, Scene};

/// The bounds of all slots.
#[derive(Debug)]
pub(super) struct StatedBounds {
    /// Name of the input.
    place: String,
    /// The body of each slot, what it states, and its pivot in the recentred frame.
    slots: Vec<(String, MotionBounds, Vec3<f64>)>,
    max_gap: i64,
}

impl StatedBounds {
    /// Returns the bounds of a scene's bodies; `None` where motion does not depend on them.
    /// `place`: name of the input.
    pub(super) fn new(scene: &Scene, place: String) -> Option<Self> {
        let slot = |&body: &u32| {
            let body = &scene.bodies[body as usize];
            (body.name.clone(), body.bounds, body.pivot.of(&body.shape))
        };
        let slots = || scene.dynamic.iter().map(slot).collect();
        let max_gap = scene.motion.max_gap;
        (scene.motion.between == BetweenFrames::Bounded).then(|| Self { place, slots: slots(), max_gap })
    }

    /// Looks at all intervals of a block.
    ///
    /// # Errors
    /// A body is elsewhere than any motion within its bounds would bring it.
    pub(super) fn check(&self, block: &FrameBlock) -> Result<()> {
        let intervals = block.intervals(self.max_gap)[0];
        for (slot, (name, bounds, pivot)) in self.slots.iter().enumerate() {
            let asked = intervals & block.present_at_both_ends(slot);
            for s in (0..block.samples.len()).filter(|s| asked >> s & 1 == 1) {
                let Some((ends, seconds)) = block.ends(slot, s).zip(block.seconds_after(s)) else { continue };
                let Some(broken) = bounds.broken(&ends, seconds, *pivot) else { continue };
                let sample = &block.samples[s];
                let what = match broken {
                    BrokenBound::Speed(way) => format!("moves {way:.6} m, which is faster than its `max_speed`"),
                    BrokenBound::Turn(angle) => {
                        format!("turns by {:.3} degrees, which is faster than its `max_turn`", angle.to_degrees())
                    }
                };
                let (run, frame) = (sample.run, sample.frame);
                let problem = format!("body `{name}` of run {run} {what}: from frame {frame} on, in {seconds} s");
                return Err(Error::input(
                    &self.place,
                    problem,
                    "correct the poses or the times, or state a greater bound",
                ));
            }
        }
        Ok(())
    }
}
