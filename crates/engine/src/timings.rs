//! Time of the stages of a job.

use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Time of each stage. Stages overlap, so they may sum to more than the job took.
#[derive(Debug, Clone, Copy, Default)]
pub struct Timings {
    /// Opening the input: schema, digests, bounds.
    pub open: Duration,
    /// Waiting for blocks of the reader, which decodes on a thread of its own.
    pub read: Duration,
    /// Broad phase.
    pub broad: Duration,
    /// Narrow phase.
    pub narrow: Duration,
    /// Narrow phase, all threads together.
    pub narrow_busy: Duration,
    /// Encoding and writing tables, closing them included.
    pub write: Duration,
    /// The whole job.
    pub total: Duration,
}

impl Timings {
    /// Seconds by stage, for the manifest.
    pub fn to_json(self) -> Value {
        json!({
            "open_s": self.open.as_secs_f64(),
            "read_wait_s": self.read.as_secs_f64(),
            "broad_s": self.broad.as_secs_f64(),
            "narrow_s": self.narrow.as_secs_f64(),
            "narrow_busy_s": self.narrow_busy.as_secs_f64(),
            "write_s": self.write.as_secs_f64(),
            "total_s": self.total.as_secs_f64(),
        })
    }
}

/// Does `work` and adds the time it took to `spent`.
pub(super) fn timed<T>(spent: &mut Duration, work: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let result = work();
    *spent += begun.elapsed();
    result
}
