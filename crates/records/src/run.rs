//! `runs`.

use crate::record::{columns_of, record};

record! {
    /// A run.
    Run in "runs", sorted by [run];
    /// Run.
    run: i64 => key;
    /// Number of frames.
    frames: i64;
    /// Number of rows of `distances`.
    rows: i64;
    /// Pairs of bodies of which one moves, ignored pairs too.
    pairs_possible: i64;
    /// Pairs that are ignored.
    pairs_ignored: i64;
    /// Pairs that are a candidate in some frame.
    pairs_candidate: i64;
    /// The worst row of the run ([ranks](#ranks)); null in a run without rows.
    min_distance_m: Option<f64> => unit("m"), null;
    /// Body of that row.
    a_index: Option<i32> => key, null;
    /// Body of that row.
    b_index: Option<i32> => key, null;
    /// Its name.
    body_a: Option<T> => name_of("a_index"), null;
    /// Its name.
    body_b: Option<T> => name_of("b_index"), null;
    /// Frame of that row.
    frame_of_min: Option<i64> => null;
    /// Rows that violate `require`.
    violated: i64;
    /// Whether the run has a violation, with motion also in an interval: its mean over runs is the
    /// probability; null if nothing is required.
    violates: Option<bool> => null;
    /// Rows that are undecided.
    undecided: i64;
    /// Rows without a proven bracket.
    uncertified: i64;
    /// With motion: bracket of the least distance over all intervals, lower end.
    min_between_lower_m: Option<f64> => unit("m"), null, only_if(|job| job.intervals);
    /// With motion: upper end.
    min_between_upper_m: Option<f64> => unit("m"), null, only_if(|job| job.intervals);
    /// With motion: rows of `intervals`.
    intervals: Option<i64> => only_if(|job| job.intervals);
    /// With motion: those in contact.
    intervals_contact: Option<i64> => only_if(|job| job.intervals);
    /// With motion: those that are undecided.
    intervals_undecided: Option<i64> => only_if(|job| job.intervals);
    /// With motion: those that violate.
    intervals_violated: Option<i64> => only_if(|job| job.intervals);
    /// With motion: the first proven contact of the run, the frame before its interval.
    contact_frame: Option<i64> => null, only_if(|job| job.intervals);
    /// With motion: body of that contact.
    contact_a_index: Option<i32> => key, null, only_if(|job| job.intervals);
    /// With motion: body of that contact.
    contact_b_index: Option<i32> => key, null, only_if(|job| job.intervals);
    /// With motion: its name.
    contact_body_a: Option<T> => name_of("contact_a_index"), null, only_if(|job| job.intervals);
    /// With motion: its name.
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
        min_between_upper_m: Option<f64>,
        min_distance_m: Option<f64>,
        body_a: Option<crate::Text>,
        body_b: Option<crate::Text>,
        frame_of_min: Option<i64>,
    }
}
