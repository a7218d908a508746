//! `intervals`: with `between` in `[motion]`.

use crate::record::{columns_of, record};
use clearsweep_model::{IntervalMethod, IntervalStatus};

record! {
    /// A pair that comes within `within` between two neighbouring frames.
    Interval in "intervals", sorted by [run, frame, a_index, b_index];
    /// Run.
    run: i64 => key, repeats;
    /// Frame.
    frame: i64 => key, repeats;
    /// The frame at the end of the interval.
    frame_next: i64 => key, repeats;
    /// Time of the frame.
    time_s: Option<f64> => unit("s"), null, repeats;
    /// Time of that frame.
    time_next_s: Option<f64> => unit("s"), null, repeats;
    /// Body index of a; a is before b in scene order.
    a_index: i32 => key;
    /// Body index of b.
    b_index: i32 => key;
    /// Name of a.
    body_a: T => name_of("a_index");
    /// Name of b.
    body_b: T => name_of("b_index");
    /// Lower end of the proven bracket of the least signed distance over the interval; null if
    /// nothing is proven.
    lower_m: Option<f64> => unit("m"), null;
    /// Upper end, likewise.
    upper_m: Option<f64> => unit("m"), null;
    /// All times of least distance lie at or after this share of the interval (0 at frame, 1 at
    /// frame_next).
    closest_lo: f64 => unit("1");
    /// And at or before this one; closest_lo <= closest_hi.
    closest_hi: f64 => unit("1");
    /// First contact, as a share: proven clear before it; null if no contact is proven.
    contact_lo: Option<f64> => unit("1"), null;
    /// Proven in contact at this share.
    contact_hi: Option<f64> => unit("1"), null;
    /// `clear` (lower_m > `touch`), `contact` (proven to touch or overlap at some time) or
    /// `undecided` (neither is proven).
    status: IntervalStatus;
    /// The class of proof: `direction`, `bisection`, `motion`, `hold`, or `limit` (the work limit
    /// was reached, or the motion is not defined).
    method: IntervalMethod;
    /// With rules: the rule that the pair is under; `default` if none matches.
    rule: Option<T> => texts(crate::Words::Rules), only_if(|job| job.rules);
    /// With rules: what is required of the pair; null if nothing is.
    required_m: Option<f64> => unit("m"), null, only_if(|job| job.rules);
    /// With a `[[sweep]]`: value of the swept joint at contact_lo; null if several joints move at
    /// once.
    joint_lo: Option<f64> => unit("rad or m"), null, only_if(|job| job.sweeps);
    /// With a `[[sweep]]`: value at contact_hi.
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
        contact_lo: Option<f64>,
        contact_hi: Option<f64>,
        status: IntervalStatus,
        method: IntervalMethod,
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
