//! `events`: where something is required.

use crate::record::record;
use crate::words::EventKind;
use clearsweep_model::{EventState, Severity};

record! {
    /// A longest stretch of frames and intervals of a run in which a pair violates what is required of it.
    Event in "events", sorted by [run];
    /// Rule (`default`: `require` of `[query]`).
    rule: T => texts(crate::Words::Rules);
    /// Severity of the rule.
    severity: Severity;
    /// Clearance that the rule requires of the pair in that run.
    required_m: f64 => unit("m");
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
    /// First frame that violates; of a stretch of intervals alone, the frame before them.
    begin_frame: i64;
    /// Time of `begin_frame`.
    begin_s: Option<f64> => unit("s"), null;
    /// Last frame that violates; of a stretch of intervals alone, the frame behind them.
    end_frame: i64;
    /// Time of `end_frame`.
    end_s: Option<f64> => unit("s"), null;
    /// Frames that violate.
    samples: i64;
    /// Intervals that violate.
    intervals: i64;
    /// Lower end of the proven bracket of the least distance.
    lower_m: Option<f64> => unit("m"), null;
    /// Upper end of the bracket.
    upper_m: Option<f64> => unit("m"), null;
    /// Frame in which `upper_m` is reached; of an interval, the frame before it.
    frame_of_least: i64;
    /// Time at which `upper_m` is reached; of an interval, the first at which it may be.
    time_of_least_s: Option<f64> => unit("s"), null;
    /// Middle of the witness points of the worst frame, world frame; null if no frame violates.
    place_x: Option<f64> => unit("m"), null;
    /// See `place_x`.
    place_y: Option<f64> => unit("m"), null;
    /// See `place_x`.
    place_z: Option<f64> => unit("m"), null;
    /// The worst of `near`, `touching`, `crossing`, `inside` (one body is proven to lie in the other) and
    /// `coincident` (both have the same shape at the same place, up to `touch`); the last two as in the
    /// worst frame.
    kind: EventKind;
    /// State: `worse`, `new`, `expired`, `active`, `approved`.
    state: EventState;
    /// Issue that the event belongs to.
    issue: T => texts(crate::Words::Issues);
    /// With a sweep: value of the swept joint at the begin; null if several joints move.
    joint_lo: Option<f64> => unit("rad or m"), null, only_if(|job| job.sweeps);
    /// With a sweep: value of the swept joint at the end.
    joint_hi: Option<f64> => unit("rad or m"), null, only_if(|job| job.sweeps);
}
