//! Time of the stages of a job.

use clearsweep_records::manifest::Named;
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
    pub(super) fn entries(self) -> Named<f64> {
        let stages = [
            ("open_s", self.open),
            ("read_wait_s", self.read),
            ("broad_s", self.broad),
            ("narrow_s", self.narrow),
            ("narrow_busy_s", self.narrow_busy),
            ("write_s", self.write),
            ("total_s", self.total),
        ];
        stages.map(|(stage, time)| (stage, time.as_secs_f64())).into_iter().collect()
    }
}

/// Does `work` and adds the time it took to `spent`.
pub(super) fn timed<T>(spent: &mut Duration, work: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let result = work();
    *spent += begun.elapsed();
    result
}
