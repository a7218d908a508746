//! `intervals`: with `between` in `[motion]`.

use crate::record::{columns_of, record};
use clearsweep_model::{IntervalMethod, IntervalStatus};

record! {
    /// A pair that comes within `within` between two neighbouring frames.
    Interval in "intervals", sorted by [run, frame, a_index, b_index];
    /// Run.
    run: i64 => key, repeats;
    /// Frame at the begin.
    frame: i64 => key, repeats;
    /// Frame at the end.
    frame_next: i64 => key, repeats;
    /// Time of `frame`.
    time_s: Option<f64> => unit("s"), null, repeats;
    /// Time of `frame_next`.
    time_next_s: Option<f64> => unit("s"), null, repeats;
    /// Index of body A, which comes before B in the order of the scene.
    a_index: i32 => key;
    /// Index of body B.
    b_index: i32 => key;
    /// Name of body A.
    body_a: T => name_of("a_index");
    /// Name of body B.
    body_b: T => name_of("b_index");
    /// Lower end of the proven bracket of the least signed distance over the interval; null if nothing is
    /// proven.
    lower_m: Option<f64> => unit("m"), null;
    /// Upper end of the bracket.
    upper_m: Option<f64> => unit("m"), null;
    /// Share of the interval (0 at `frame`, 1 at `frame_next`) before which no time of least distance lies.
    closest_lo: f64 => unit("1");
    /// Share after which none lies.
    closest_hi: f64 => unit("1");
    /// Share of the interval before which the pair is proven clear; null if no contact is proven.
    contact_lo: Option<f64> => unit("1"), null;
    /// Share at which the pair is proven in contact.
    contact_hi: Option<f64> => unit("1"), null;
    /// `clear` (`lower_m` > `touch`), `contact` (proven to touch or overlap at some time) or `undecided`.
    status: IntervalStatus;
    /// Class of proof: `direction`, `bisection`, `motion`, `hold`, or `limit` (the work limit was reached,
    /// or the motion is not defined).
    method: IntervalMethod;
    /// With rules: the rule that the pair is under.
    rule: Option<T> => texts(crate::Words::Rules), only_if(|job| job.rules);
    /// With rules: the clearance that the rule requires; null if none.
    required_m: Option<f64> => unit("m"), null, only_if(|job| job.rules);
    /// With a sweep: value of the swept joint at `contact_lo`; null if several joints move.
    joint_lo: Option<f64> => unit("rad or m"), null, only_if(|job| job.sweeps);
    /// With a sweep: value of the swept joint at `contact_hi`.
    joint_hi: Option<f64> => unit("rad or m"), null, only_if(|job| job.sweeps);
}

columns_of! { Interval:
    /// The bracket of a pair between two frames, and the times of least distance.
    IntervalLine {
        run: i64,
        frame: i64,
        frame_next: i64,
        a_index: i32,
        b_index: i32,
        time_s: Option<f64>,
        time_next_s: Option<f64>,
        lower_m: Option<f64>,
        upper_m: Option<f64>,
        closest_lo: f64,
        closest_hi: f64,
    }
}

columns_of! { Interval:
    /// The bracket of a pair between two frames, and its first contact.
    IntervalContact {
        run: i64,
        frame: i64,
        frame_next: i64,
        a_index: i32,
        b_index: i32,
        time_s: Option<f64>,
        time_next_s: Option<f64>,
        lower_m: Option<f64>,
        upper_m: Option<f64>,
        contact_lo: Option<f64>,
        contact_hi: Option<f64>,
        method: IntervalMethod,
    }
}
