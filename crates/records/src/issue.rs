//! `issues`: where something is required.

use crate::record::record;
use crate::words::EventKind;
use clearsweep_model::{EventState, Severity};

record! {
    /// Events that belong together.
    Issue in "issues", sorted by [];
    /// 12 hexadecimal digits of the SHA-256 of the rule and the names that lead: the same over revisions of
    /// a model.
    issue: T => texts(crate::Words::Issues);
    /// Name of the body that leads, of both bodies (sorted, with ` / `), of the nodes above them, or of the
    /// rule.
    group: T => texts(crate::Words::Issues);
    /// Rule.
    rule: T => texts(crate::Words::Issues);
    /// Severity of the rule.
    severity: Severity;
    /// State of the event that needs somebody most.
    state: EventState;
    /// Worst kind of the events; null without events.
    kind: Option<EventKind> => null;
    /// Events.
    events: i64;
    /// Pairs.
    pairs: i64;
    /// Runs with an event, of each pair for itself.
    runs: i64;
    /// Lower end of the bracket of the least distance.
    lower_m: Option<f64> => unit("m"), null;
    /// Upper end of the bracket.
    upper_m: Option<f64> => unit("m"), null;
    /// First frame of the events.
    first_frame: Option<i64> => null;
    /// Last frame of the events.
    last_frame: Option<i64> => null;
    /// Least corner of a box along the axes of the world that contains the deepest overlap of a frame; null
    /// where none overlaps, where a body is known up to a deviation only, and of grown meshes.
    box_min_x: Option<f64> => unit("m"), null;
    /// See `box_min_x`.
    box_min_y: Option<f64> => unit("m"), null;
    /// See `box_min_x`.
    box_min_z: Option<f64> => unit("m"), null;
    /// Greatest corner of that box.
    box_max_x: Option<f64> => unit("m"), null;
    /// See `box_max_x`.
    box_max_y: Option<f64> => unit("m"), null;
    /// See `box_max_x`.
    box_max_z: Option<f64> => unit("m"), null;
    /// Lower end of the proven bracket of the volume of that overlap, of solids only.
    volume_lower_m3: Option<f64> => unit("m3"), null;
    /// Upper end of that bracket.
    volume_upper_m3: Option<f64> => unit("m3"), null;
    /// Note of the rule; the reason of a decision that is resolved; the part that is gone of one that is
    /// stale.
    note: Option<T> => texts(crate::Words::Issues), null;
}
