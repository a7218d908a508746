//! `recheck`: what `clearsweep recheck --out` proved again. It is no table of a result.

use crate::record::record;

/// A table of a result that is looked at again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecheckTable {
    /// `distances`.
    Distances,
    /// `penetrations`.
    Penetrations,
    /// `intervals`.
    Intervals,
    /// `contacts`.
    Contacts,
    /// `pairs`.
    Pairs,
    /// `runs`.
    Runs,
    /// `events`.
    Events,
    /// `issues`.
    Issues,
    /// `manifest.json`.
    Manifest,
}

impl RecheckTable {
    /// The words of the table, by discriminant.
    pub const NAMES: [&'static str; 9] =
        ["distances", "penetrations", "intervals", "contacts", "pairs", "runs", "events", "issues", "manifest"];
}

/// A statement of a result that is looked at again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecheckWhat {
    /// The bracket of the distance or the depth in a frame.
    Bracket,
    /// Columns that follow from others: status, normal, order of the ends, the cut-off.
    Form,
    /// Witness points.
    Witness,
    /// A pair without a row is farther apart than `within`.
    Missing,
    /// The bracket of the least distance between two frames.
    Least,
    /// Times of least distance.
    Times,
    /// The first contact between two frames.
    FirstContact,
    /// Distances along a direction.
    Direction,
    /// The protrusion of meshes.
    Protrusion,
    /// Regions of contact.
    Region,
    /// Numbers that are counted from other tables.
    Count,
}

impl RecheckWhat {
    /// The words of the table, by discriminant.
    pub const NAMES: [&'static str; 11] = [
        "bracket",
        "form",
        "witness",
        "missing",
        "least",
        "times",
        "first_contact",
        "direction",
        "protrusion",
        "region",
        "count",
    ];
}

/// How far a statement is proven again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecheckOutcome {
    /// The verifier's own bracket lies within that of the row.
    Proven,
    /// It contradicts nothing, and is not as narrow.
    Bounded,
    /// It contradicts the row.
    Wrong,
    /// Nobody looked.
    NotLookedAt,
}

impl RecheckOutcome {
    /// The words of the table, by discriminant.
    pub const NAMES: [&'static str; 4] = ["proven", "bounded", "wrong", "not_looked_at"];
}

record! {
    /// A statement of a result that was looked at again.
    Recheck in "recheck", sorted by [];
    /// The table that makes the statement; `manifest` for `manifest.json`.
    table: RecheckTable;
    /// Run; null if the statement is about all.
    run: Option<i64> => null;
    /// Frame; of an interval, the frame before it.
    frame: Option<i64> => null;
    /// Name of body A.
    a: Option<T> => texts(crate::Words::Bodies), null;
    /// Name of body B.
    b: Option<T> => texts(crate::Words::Bodies), null;
    /// The statement: see [recheck](../guide/recheck.md).
    what: RecheckWhat;
    /// `proven`, `bounded`, `wrong` or `not_looked_at`.
    outcome: RecheckOutcome;
    /// Lower end of the verifier's bracket; null if it has none.
    lower_m: Option<f64> => unit("m"), null;
    /// Upper end, likewise.
    upper_m: Option<f64> => unit("m"), null;
}
