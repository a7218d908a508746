//! Times of kernels by the device's own clock, if it has one.

use super::super::kernel::Kernel;
use std::collections::BTreeMap;
use std::time::Duration;

/// Dispatches of a submission that are timed.
const MOST_DISPATCHES: u32 = wgpu::QUERY_SET_MAX_QUERIES / 2;
/// Bytes of the two times of a dispatch.
pub(super) const TIMES_BYTES: u64 = 16;

/// Takes the time at both ends of each dispatch.
#[derive(Debug)]
pub(super) struct KernelClock {
    queries: wgpu::QuerySet,
    times: wgpu::Buffer,
    /// Nanoseconds of a tick.
    period: f64,
    /// Kernels dispatched since the last submission.
    dispatched: Vec<Kernel>,
    spent: BTreeMap<&'static str, Duration>,
}

impl KernelClock {
    /// The clock of a device that has one.
    pub(super) fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Option<Self> {
        if !device.features().contains(wgpu::Features::TIMESTAMP_QUERY) {
            return None;
        }
        let (label, count) = (Some("times"), 2 * MOST_DISPATCHES);
        let queries =
            device.create_query_set(&wgpu::QuerySetDescriptor { label, ty: wgpu::QueryType::Timestamp, count });
        let times = device.create_buffer(&wgpu::BufferDescriptor {
            label,
            size: TIMES_BYTES * u64::from(MOST_DISPATCHES),
            usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let period = f64::from(queue.get_timestamp_period());
        Some(Self { queries, times, period, dispatched: Vec::new(), spent: BTreeMap::new() })
    }

    /// Returns the place of the times of the next dispatch; dispatches beyond [`MOST_DISPATCHES`]
    /// are not timed.
    pub(super) fn next(&mut self, kernel: Kernel) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        let at = self.dispatched.len() as u32;
        if at == MOST_DISPATCHES {
            return None;
        }
        self.dispatched.push(kernel);
        Some(wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(2 * at),
            end_of_pass_write_index: Some(2 * at + 1),
        })
    }

    /// Bytes of the times of this submission.
    pub(super) fn bytes(&self) -> u64 {
        TIMES_BYTES * self.dispatched.len() as u64
    }

    /// Copies the times of this submission, and says what they are of.
    pub(super) fn end(&mut self, encoder: &mut wgpu::CommandEncoder, to: &wgpu::Buffer, at: u64) -> Vec<Kernel> {
        let dispatched = std::mem::take(&mut self.dispatched);
        if !dispatched.is_empty() {
            encoder.resolve_query_set(&self.queries, 0..2 * dispatched.len() as u32, &self.times, 0);
            let bytes = TIMES_BYTES * dispatched.len() as u64;
            encoder.copy_buffer_to_buffer(&self.times, 0, to, at, Some(bytes));
        }
        dispatched
    }

    /// Forgets the dispatches of a submission whose times nobody fetches.
    pub(super) fn skip(&mut self) {
        self.dispatched.clear();
    }

    /// Adds times that were fetched.
    pub(super) fn add(&mut self, kernels: &[Kernel], times: &[u8]) {
        let (times, _) = times.as_chunks::<8>();
        for (kernel, ends) in kernels.iter().zip(times.chunks_exact(2)) {
            let [begun, ended] = [ends[0], ends[1]].map(u64::from_le_bytes);
            // A clock that was set back in between tells nothing.
            let ticks = ended.saturating_sub(begun);
            *self.spent.entry(kernel.file()).or_default() += Duration::from_nanos((ticks as f64 * self.period) as u64);
        }
    }

    /// The time of all dispatches of each kernel.
    pub(super) fn spent(&self) -> Vec<(&'static str, Duration)> {
        self.spent.iter().map(|(kernel, time)| (*kernel, *time)).collect()
    }
}
