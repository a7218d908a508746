//! `runs`.

use crate::record::{columns_of, record};

record! {
    /// A run.
    Run in "runs", sorted by [run];
    /// Run.
    run: i64 => key;
    /// Frames.
    frames: i64;
    /// Rows of `distances`.
    rows: i64;
    /// Pairs of bodies of which one moves, ignored pairs too.
    pairs_possible: i64;
    /// Pairs of `pairs_possible` that the rules of the scene ignore.
    pairs_ignored: i64;
    /// Pairs that are candidates of the broad phase in some frame.
    pairs_candidate: i64;
    /// Signed distance in the worst row; null in a run without rows.
    min_distance_m: Option<f64> => unit("m"), null;
    /// Index of body A in the worst row.
    a_index: Option<i32> => key, null;
    /// Index of body B in the worst row.
    b_index: Option<i32> => key, null;
    /// Name of body A in the worst row.
    body_a: Option<T> => name_of("a_index"), null;
    /// Name of body B in the worst row.
    body_b: Option<T> => name_of("b_index"), null;
    /// Frame of the worst row.
    frame_of_min: Option<i64> => null;
    /// Rows that violate `require`.
    violated: i64;
    /// Whether the run has a violation: the mean over runs is the probability; null if nothing is required.
    violates: Option<bool> => null;
    /// Rows whose bracket holds what is required.
    undecided: i64;
    /// Rows of status `uncertified`.
    uncertified: i64;
    /// With `intervals`: lower end of the bracket of the least distance over all intervals.
    min_between_lower_m: Option<f64> => unit("m"), null, only_if(|job| job.intervals);
    /// With `intervals`: upper end of that bracket.
    min_between_upper_m: Option<f64> => unit("m"), null, only_if(|job| job.intervals);
    /// With `intervals`: rows of that table.
    intervals: Option<i64> => only_if(|job| job.intervals);
    /// With `intervals`: rows of status `contact`.
    intervals_contact: Option<i64> => only_if(|job| job.intervals);
    /// With `intervals`: rows that are not decided.
    intervals_undecided: Option<i64> => only_if(|job| job.intervals);
    /// With `intervals`: rows that violate `require`; `violates` counts them too.
    intervals_violated: Option<i64> => only_if(|job| job.intervals);
    /// With `intervals`: the frame before the interval of the first proven contact of the run.
    contact_frame: Option<i64> => null, only_if(|job| job.intervals);
    /// With `intervals`: index of body A in that contact.
    contact_a_index: Option<i32> => key, null, only_if(|job| job.intervals);
    /// With `intervals`: index of body B in that contact.
    contact_b_index: Option<i32> => key, null, only_if(|job| job.intervals);
    /// With `intervals`: name of body A in that contact.
    contact_body_a: Option<T> => name_of("contact_a_index"), null, only_if(|job| job.intervals);
    /// With `intervals`: name of body B in that contact.
    contact_body_b: Option<T> => name_of("contact_b_index"), null, only_if(|job| job.intervals);
}

columns_of! { Run:
    /// The counts and the worst row of a run.
    WorstRun {
        run: i64,
        frames: i64,
        rows: i64,
        violated: i64,
        intervals_violated: Option<i64>,
        min_distance_m: Option<f64>,
        body_a: Option<crate::Text>,
        body_b: Option<crate::Text>,
        frame_of_min: Option<i64>,
    }
}
