//! Progress of a running job, for its caller.

/// How far a job has come.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Advance {
    /// Samples (existing frames) searched and queried.
    pub samples: u64,
    /// Rows of `distances` found.
    pub rows: u64,
    /// Share of the input read, 0 to 1.
    pub read: f64,
}

/// Is told how far a job has come, after every block, on one thread at a time.
pub trait Progress: Sync {
    /// The job has come this far.
    fn advance(&self, advance: &Advance);
}

/// Tells nobody.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Silent;

impl Progress for Silent {
    fn advance(&self, _: &Advance) {}
}
