//! Enumerations whose words are texts of tables.

use crate::recheck::{RecheckOutcome, RecheckTable, RecheckWhat};
use clearsweep_model::{
    ContactKind, DirectionalRelation, EventState, FeatureKind, IntervalMethod, IntervalStatus, Method, Severity, Status,
};

/// An enumeration that tables hold by its words.
pub trait Word: Copy + 'static {
    /// All values, by discriminant.
    const ALL: &'static [Self];
    /// Their words.
    const NAMES: &'static [&'static str];

    /// Discriminant.
    fn code(self) -> i32;

    /// Word.
    fn name(self) -> &'static str {
        Self::NAMES[self.code() as usize]
    }
}

/// How two bodies clash, the worse later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventKind {
    /// They are apart, and nearer than required.
    Near,
    /// They touch.
    Touching,
    /// They overlap.
    Crossing,
    /// One lies inside of the other.
    Inside,
    /// They have the same shape and the same place: one of them is there twice.
    Coincident,
}

impl EventKind {
    /// The words of the tables, by discriminant.
    pub const NAMES: [&'static str; 5] = ["near", "touching", "crossing", "inside", "coincident"];
}

macro_rules! words {
    ($($enum:ident { $($value:ident),* })*) => {
        $(impl Word for $enum {
            const ALL: &'static [Self] = &[$(Self::$value),*];
            const NAMES: &'static [&'static str] = {
                assert!($enum::NAMES.len() == Self::ALL.len(), "a word for each value");
                &$enum::NAMES
            };

            fn code(self) -> i32 {
                self as i32
            }
        })*
    };
}

words! {
    ContactKind { Touching, Crossing, Grown, Inside }
    DirectionalRelation { Touches, Leaves, InContact, Misses, Undecided, Unproven }
    EventKind { Near, Touching, Crossing, Inside, Coincident }
    EventState { Worse, New, Expired, Active, Approved, Resolved, Stale }
    FeatureKind { Vertex, Edge, Face, Round }
    IntervalMethod { Direction, Bisection, Motion, Hold, Limit }
    IntervalStatus { Clear, Contact, Undecided }
    Method { Strict, Tie, Exact, Mesh, Bound, None, Winding, Round }
    RecheckOutcome { Proven, Bounded, Wrong, NotLookedAt }
    RecheckTable { Distances, Penetrations, Intervals, Contacts, Pairs, Runs, Events, Issues, Manifest }
    RecheckWhat { Bracket, Form, Witness, Missing, Least, Times, FirstContact, Direction, Protrusion, Region, Count }
    Severity { Info, Minor, Major, Critical }
    Status { Separated, Touching, Penetrating, Uncertified }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<W: Word>() {
        assert!(W::ALL.iter().map(|value| value.code()).eq(0..W::NAMES.len() as i32));
    }

    #[test]
    fn values_are_in_the_order_of_their_words() {
        check::<ContactKind>();
        check::<DirectionalRelation>();
        check::<EventKind>();
        check::<EventState>();
        check::<FeatureKind>();
        check::<IntervalMethod>();
        check::<IntervalStatus>();
        check::<Method>();
        check::<RecheckOutcome>();
        check::<RecheckTable>();
        check::<RecheckWhat>();
        check::<Severity>();
        check::<Status>();
    }
}
