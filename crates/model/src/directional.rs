//! The answer: what happens along a direction, and the bracket of the distance.

/// Result of the motion along a direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DirectionalRelation {
    /// The bodies are apart, and touch after the distance.
    Touches,
    /// The bodies overlap, and are free of each other after the distance.
    Leaves,
    /// The bodies touch as they are, or are so near to it that the signs of their distance and
    /// their depth are not known.
    InContact,
    /// The bodies are apart, and never touch.
    Misses,
    /// It is not decided whether the bodies touch: they graze each other at most; only one end of
    /// the bracket is proven (deviations, nonconvex bodies); deviations leave open whether they
    /// touch already; or a body lies inside of an open mesh.
    Undecided,
    /// Numbers are not finite, or the direction has no length.
    Unproven,
}

impl DirectionalRelation {
    /// The words of the tables, by discriminant.
    pub const NAMES: [&'static str; 6] = ["touches", "leaves", "in-contact", "misses", "undecided", "unproven"];
}

/// The distance along a direction: the least `t >= 0` such that B moved by `t` along the unit
/// direction touches A (if they are apart), or is free of it (if they overlap: the insides of the
/// moved bodies have no point in common, for the first time).
///
/// Lengths in metres. `lower <= t <= upper` is proven, rounding included; infinity stands for
/// never.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DirectionalDistance {
    /// Result of the motion.
    pub relation: DirectionalRelation,
    /// The distance, between `lower` and `upper`: 0 in contact. `None` if they never touch, or that
    /// is not decided.
    pub value: Option<f64>,
    /// The distance is at least this: infinite if they never touch, NaN without a proof.
    pub lower: f64,
    /// The distance is at most this: infinite if they never touch, or may not; NaN without a proof.
    pub upper: f64,
}

impl DirectionalDistance {
    /// Nothing is known.
    #[doc(hidden)]
    pub const UNPROVEN: Self =
        Self { relation: DirectionalRelation::Unproven, value: None, lower: f64::NAN, upper: f64::NAN };

    /// Returns the answer if it is not known whether the bodies touch already, touch later or
    /// separate within `upper`, metres.
    #[doc(hidden)]
    pub fn undecided(upper: f64) -> Self {
        Self { relation: DirectionalRelation::Undecided, value: None, lower: 0.0, upper }
    }

    /// Returns the answer for separated bodies, from the bracket of the first contact.
    #[doc(hidden)]
    pub fn apart([lower, upper]: [f64; 2]) -> Self {
        match (lower.is_infinite(), upper.is_infinite()) {
            (true, _) => Self { relation: DirectionalRelation::Misses, value: None, lower, upper },
            (false, true) => Self { relation: DirectionalRelation::Undecided, value: None, lower, upper },
            (false, false) => Self::valued(DirectionalRelation::Touches, lower, upper.max(lower)),
        }
    }

    /// The lesser of two lengths: bracket and relation of what ends first.
    #[doc(hidden)]
    pub fn lesser(&self, other: &Self) -> Self {
        if self.lower.is_nan() || other.lower.is_nan() {
            return Self::UNPROVEN;
        }
        let (lower, upper) = (self.lower.min(other.lower), self.upper.min(other.upper));
        let first = if other.upper < self.upper { other } else { self };
        match first.value {
            // It may be the other one, which is not known as well.
            Some(_) if first.lower > lower => Self::valued(first.relation, lower, upper),
            _ => Self { lower, upper, ..*first },
        }
    }

    /// Creates the answer of a finite bracket, metres; its value is the middle.
    #[doc(hidden)]
    pub fn valued(relation: DirectionalRelation, lower: f64, upper: f64) -> Self {
        Self { relation, value: Some(lower + 0.5 * (upper - lower)), lower, upper }
    }
}
