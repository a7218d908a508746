//! Levels that the search for the times of least distance seeks.

/// Levels of distance that bound the times of least distance, metres.
#[derive(Debug, Clone, Copy)]
pub(super) struct SoughtTimes {
    /// Times at which the bodies are proven to be farther apart are left out.
    pub(super) level: f64,
    /// A time is explained if the lower end of its distance is at most this: nothing is gained by
    /// leaving it out.
    pub(super) explained: f64,
}

impl SoughtTimes {
    /// Derives the levels from a bracket of the least distance. While bodies that are not convex
    /// overlap, bounds of their parts say nothing of the depth: these tell that the bodies are
    /// apart. `touch`: up to which distance bodies touch.
    pub(super) fn of_bracket([lower, upper]: [f64; 2], is_convex: bool, touch: f64) -> Self {
        let level = if is_convex { upper } else { upper.max(0.0) };
        let least = if upper <= touch && !is_convex { touch } else { level };
        Self { level, explained: least.max(upper + (upper - lower)) }
    }
}
