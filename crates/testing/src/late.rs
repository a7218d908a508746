//! Rows of a job that is begun late, as one that goes on is.

use clearsweep_engine::Job;
use clearsweep_model::Scene;
use clearsweep_tables::{BatchCollector, RowBlock, RowSink};

/// A sink that takes rows from a block on.
struct LateSink {
    from: u64,
    rows: BatchCollector,
}

impl RowSink for LateSink {
    fn rows(&mut self, rows: &RowBlock<'_>) -> clearsweep_base::Result<()> {
        self.rows.rows(rows)
    }

    fn resumes_at(&self) -> u64 {
        self.from
    }
}

/// Checks that a job begun at each of these blocks gives the last rows of `distances` of the whole
/// job, some and not all of them; and that one begun at `beyond` gives none.
pub fn check_late_starts(scene: &Scene, blocks: impl IntoIterator<Item = u64>, beyond: u64) {
    let of = |from: u64| {
        let mut sink = LateSink { from, rows: BatchCollector::default() };
        Job::new(scene).run(&mut sink).expect("done");
        let batches = sink.rows.distances.iter();
        batches
            .flat_map(|batch| (0..batch.num_rows()).map(|row| format!("{:?}", batch.slice(row, 1))))
            .collect::<Vec<_>>()
    };
    let all = of(0);
    for from in blocks {
        let late = of(from);
        let is_some = !late.is_empty() && late.len() < all.len();
        assert!(is_some && all.ends_with(&late), "from block {from}: {} of {} rows", late.len(), all.len());
    }
    assert!(of(beyond).is_empty());
}
