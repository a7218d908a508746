//! `pairs`.

use crate::record::{columns_of, record};

record! {
    /// A pair in a run with at least one row in `distances` or `intervals`.
    Pair in "pairs", sorted by [run, a_index, b_index];
    /// Run.
    run: i64 => key;
    /// Body index of a; a is before b in scene order.
    a_index: i32 => key;
    /// Body index of b.
    b_index: i32 => key;
    /// Name of a.
    body_a: T => name_of("a_index");
    /// Name of b.
    body_b: T => name_of("b_index");
    /// Frames in which the pair is a candidate of the broad phase.
    frames_candidate: i64;
    /// Frames in which it is within `within`; 0 for a pair without a row in `distances`.
    frames_within: i64;
    /// Frames in which it penetrates.
    frames_penetrating: i64;
    /// `distance_m` of the worst row of the pair ([ranks](#ranks)); null only if it has no row in
    /// `distances`.
    min_distance_m: Option<f64> => unit("m"), null_if(|job| job.intervals);
    /// Bracket of the worst row, lower end.
    lower_m: Option<f64> => unit("m"), null;
    /// Upper end.
    upper_m: Option<f64> => unit("m"), null;
    /// Frame of the worst row; null as min_distance_m.
    frame_of_min: Option<i64> => null_if(|job| job.intervals);
    /// Its time.
    time_of_min_s: Option<f64> => unit("s"), null;
    /// The middle of the witness points of the worst row, world frame.
    place_x: Option<f64> => unit("m"), null;
    /// See `place_x`.
    place_y: Option<f64> => unit("m"), null;
    /// See `place_x`.
    place_z: Option<f64> => unit("m"), null;
    /// Upper bound of the relative motion between neighbouring frames: the sum of both bodies'
    /// largest steps in the run. If the minimum exceeds it, the pair stays apart between frames,
    /// too.
    max_step_m: f64 => unit("m");
    /// With motion: bracket of the least distance over all intervals, lower end.
    min_between_lower_m: Option<f64> => unit("m"), null, only_if(|job| job.intervals);
    /// With motion: upper end.
    min_between_upper_m: Option<f64> => unit("m"), null, only_if(|job| job.intervals);
    /// With motion: the frame before the interval of the least upper end.
    frame_of_min_between: Option<i64> => null, only_if(|job| job.intervals);
    /// With motion: the frame before the interval of the first proven contact.
    contact_frame: Option<i64> => null, only_if(|job| job.intervals);
    /// With motion: the first proven contact, share of its interval.
    contact_lo: Option<f64> => unit("1"), null, only_if(|job| job.intervals);
    /// With motion: proven in contact at this share.
    contact_hi: Option<f64> => unit("1"), null, only_if(|job| job.intervals);
    /// With motion: its time, rounded down.
    contact_time_lo_s: Option<f64> => unit("s"), null, only_if(|job| job.intervals);
    /// With motion: likewise, rounded up.
    contact_time_hi_s: Option<f64> => unit("s"), null, only_if(|job| job.intervals);
    /// With rules: the rule that the pair is under; `default` if none matches.
    rule: Option<T> => texts(crate::Words::Rules), only_if(|job| job.rules);
    /// With rules: what is required of the pair; null if nothing is.
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
        lower_m: Option<f64>,
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
    /// The least distances of a pair in a run, at its frames and between them.
    LeastOfPair {
        run: i64,
        body_a: crate::Text,
        body_b: crate::Text,
        min_distance_m: Option<f64>,
        lower_m: Option<f64>,
        upper_m: Option<f64>,
        frame_of_min: Option<i64>,
        min_between_lower_m: Option<f64>,
        min_between_upper_m: Option<f64>,
        frame_of_min_between: Option<i64>,
    }
}

columns_of! { Pair:
    /// The least distances of a pair in a run.
    PairOfRun {
        run: i64,
        a_index: i32,
        b_index: i32,
        upper_m: Option<f64>,
        min_between_upper_m: Option<f64>,
    }
}

impl PairOfRun {
    /// Returns the upper end of the least distance over samples and intervals, metres; `None` if
    /// nothing is proven.
    pub fn least_upper_m(&self) -> Option<f64> {
        let ends = [self.upper_m, self.min_between_upper_m].into_iter().flatten().filter(|end| end.is_finite());
        ends.reduce(f64::min)
    }
}
