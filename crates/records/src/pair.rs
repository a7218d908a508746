//! `pairs`.

use crate::record::{columns_of, record};

record! {
    /// A pair in a run with at least one row in `distances` or `intervals`.
    Pair in "pairs", sorted by [run, a_index, b_index];
    /// Run.
    run: i64 => key;
    /// Index of body A, which comes before B in the order of the scene.
    a_index: i32 => key;
    /// Index of body B.
    b_index: i32 => key;
    /// Name of body A.
    body_a: T => name_of("a_index");
    /// Name of body B.
    body_b: T => name_of("b_index");
    /// Frames in which the pair is a candidate of the broad phase.
    frames_candidate: i64;
    /// Frames in which the pair is within `within`.
    frames_within: i64;
    /// Frames in which the pair penetrates.
    frames_penetrating: i64;
    /// Signed distance in the worst row of the pair; null if it comes near between frames only.
    min_distance_m: Option<f64> => unit("m"), null_if(|job| job.intervals);
    /// Lower end of the bracket of the worst row; null if uncertified.
    lower_m: Option<f64> => unit("m"), null;
    /// Upper end of the bracket of the worst row.
    upper_m: Option<f64> => unit("m"), null;
    /// Frame of the worst row.
    frame_of_min: Option<i64> => null_if(|job| job.intervals);
    /// Time of the worst row.
    time_of_min_s: Option<f64> => unit("s"), null;
    /// Middle of the witness points of the worst row, world frame.
    place_x: Option<f64> => unit("m"), null;
    /// See `place_x`.
    place_y: Option<f64> => unit("m"), null;
    /// See `place_x`.
    place_z: Option<f64> => unit("m"), null;
    /// Upper bound of the relative motion of the pair between neighbouring frames: the sum of both bodies'
    /// largest steps in the run. A minimum above it clears the gaps too.
    max_step_m: f64 => unit("m");
    /// With `intervals`: lower end of the bracket of the least distance over all intervals.
    min_between_lower_m: Option<f64> => unit("m"), null, only_if(|job| job.intervals);
    /// With `intervals`: upper end of that bracket.
    min_between_upper_m: Option<f64> => unit("m"), null, only_if(|job| job.intervals);
    /// With `intervals`: the frame before the interval of the least upper end.
    frame_of_min_between: Option<i64> => null, only_if(|job| job.intervals);
    /// With `intervals`: the frame before the interval of the first proven contact.
    contact_frame: Option<i64> => null, only_if(|job| job.intervals);
    /// With `intervals`: share of that interval before which the pair is clear.
    contact_lo: Option<f64> => unit("1"), null, only_if(|job| job.intervals);
    /// With `intervals`: share of that interval at which the pair is in contact.
    contact_hi: Option<f64> => unit("1"), null, only_if(|job| job.intervals);
    /// With `intervals`: time of `contact_lo`, rounded down.
    contact_time_lo_s: Option<f64> => unit("s"), null, only_if(|job| job.intervals);
    /// With `intervals`: time of `contact_hi`, rounded up.
    contact_time_hi_s: Option<f64> => unit("s"), null, only_if(|job| job.intervals);
    /// With rules: the rule that the pair is under.
    rule: Option<T> => texts(crate::Words::Rules), only_if(|job| job.rules);
    /// With rules: the clearance that the rule requires; null if none.
    required_m: Option<f64> => unit("m"), null, only_if(|job| job.rules);
}

columns_of! { Pair:
    /// The worst row of a pair in a run.
    WorstPair {
        run: i64,
        body_a: crate::Text,
        body_b: crate::Text,
        frames_within: i64,
        frames_penetrating: i64,
        min_distance_m: Option<f64>,
        upper_m: Option<f64>,
        frame_of_min: Option<i64>,
    }
}

columns_of! { Pair:
    /// The least distance of a pair between the frames of a run.
    PairBetween {
        run: i64,
        body_a: crate::Text,
        body_b: crate::Text,
        min_between_lower_m: Option<f64>,
        min_between_upper_m: Option<f64>,
        frame_of_min_between: Option<i64>,
        contact_frame: Option<i64>,
    }
}

columns_of! { Pair:
    /// The least distances of a pair in a run.
    PairOfRun {
        run: i64,
        a_index: i32,
        b_index: i32,
        min_distance_m: Option<f64>,
        upper_m: Option<f64>,
        min_between_upper_m: Option<f64>,
    }
}
