//! `events`: where something is required.

use crate::record::{columns_of, record};
use crate::words::EventKind;
use clearsweep_model::{EventState, Severity};

record! {
    /// A longest stretch of frames and intervals of a run in which a pair violates what is required
    /// of it.
    Event in "events", sorted by [run];
    /// The rule (`default`: `require` of `[query]`).
    rule: T => texts(crate::Words::Rules);
    /// `info`, `minor`, `major` or `critical`.
    severity: Severity;
    /// Clearance that the rule requires of the pair in that run.
    required_m: f64 => unit("m");
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
    /// First sample that violates; of intervals alone, the frame before the first.
    begin_frame: i64;
    /// Its time.
    begin_s: Option<f64> => unit("s"), null;
    /// Last sample that violates; of intervals alone, the frame behind the last.
    end_frame: i64;
    /// Its time.
    end_s: Option<f64> => unit("s"), null;
    /// Samples that violate.
    samples: i64;
    /// Intervals that violate.
    intervals: i64;
    /// Proven bracket of the least distance, lower end.
    lower_m: Option<f64> => unit("m"), null;
    /// Upper end.
    upper_m: Option<f64> => unit("m"), null;
    /// Frame where upper_m is reached; of an interval, the frame before it.
    frame_of_least: i64;
    /// Its time; of an interval, the first time at which it may be.
    time_of_least_s: Option<f64> => unit("s"), null;
    /// The middle of the witness points of the worst sample, world frame; null without a sample.
    place_x: Option<f64> => unit("m"), null;
    /// See `place_x`.
    place_y: Option<f64> => unit("m"), null;
    /// See `place_x`.
    place_z: Option<f64> => unit("m"), null;
    /// The worst: `near`, `touching`, `crossing`, `inside` or `coincident`.
    kind: EventKind;
    /// [state of acceptance](scene.md#dispositions-accepted-pairs).
    state: EventState;
    /// The issue that it belongs to.
    issue: T => texts(crate::Words::Issues);
    /// With a `[[sweep]]`: value of the swept joint at the first sample; null if several joints
    /// move at once.
    joint_lo: Option<f64> => unit("rad or m"), null, only_if(|job| job.sweeps);
    /// With a `[[sweep]]`: value at the last sample.
    joint_hi: Option<f64> => unit("rad or m"), null, only_if(|job| job.sweeps);
}

columns_of! { Event:
    /// The bracket of an event.
    LeastOfEvent {
        run: i64,
        body_a: crate::Text,
        body_b: crate::Text,
        lower_m: Option<f64>,
        upper_m: Option<f64>,
        frame_of_least: i64,
        state: EventState,
    }
}
