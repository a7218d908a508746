//! Proven facts about a pair over an interval between two neighbouring samples.

/// Relation of the bodies over a closed interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum IntervalStatus {
    /// `lower > touch`: they are separated throughout.
    Clear,
    /// Proven to touch or overlap at some time (distance at most `touch`).
    Contact,
    /// Neither is proven.
    Undecided,
}

impl IntervalStatus {
    /// The words of the tables, by discriminant.
    pub const NAMES: [&'static str; 3] = ["clear", "contact", "undecided"];
}

/// The class of proof of an interval: a function of the bodies, their motion and the options alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum IntervalMethod {
    /// The supporting planes of one direction, or of one at each end, bound the whole interval.
    Direction,
    /// The interval is divided: each part is bounded like that.
    Bisection,
    /// The interval is divided: some part is bounded by the distance at its ends less the motion in
    /// it.
    Motion,
    /// The poses of the ends hold: the bracket is that of the rows at both ends.
    Hold,
    /// The work limit was reached, or the motion is not defined; the bracket is proven, but wider
    /// than the tolerance.
    Limit,
}

impl IntervalMethod {
    /// The words of the tables, by discriminant.
    pub const NAMES: [&'static str; 5] = ["direction", "bisection", "motion", "hold", "limit"];
}

/// The answer about one pair over one interval: lengths in metres, times as shares of the interval,
/// 0 at its first sample.
#[derive(Debug, Clone, Copy)]
pub struct IntervalProximity {
    /// The sample of the block after which the interval lies.
    pub sample: u8,
    /// Relation of the bodies.
    pub status: IntervalStatus,
    /// Class of proof.
    pub method: IntervalMethod,
    /// Proven lower end of the least signed distance over the closed interval; negative infinity
    /// where nothing is proven.
    pub lower: f64,
    /// Proven upper end of the least signed distance.
    pub upper: f64,
    /// All times of least distance lie between these shares.
    pub closest: [f64; 2],
    /// The first contact: proven clear before the first share, proven in contact at the second.
    /// NaN: no contact is proven.
    pub contact: [f64; 2],
}

impl IntervalProximity {
    /// Whether every pair of ends is in order; ends of a contact that is not there are.
    pub fn is_in_order(&self) -> bool {
        let are_in_order = |[from, to]: [f64; 2]| (from <= to) || from.is_nan() || to.is_nan();
        let shares =
            self.closest.iter().chain(&self.contact).all(|share| share.is_nan() || (0.0..=1.0).contains(share));
        self.lower <= self.upper && self.closest[0] <= self.closest[1] && are_in_order(self.contact) && shares
    }
}

/// Number by number; a contact that is not there equals another.
impl PartialEq for IntervalProximity {
    fn eq(&self, other: &Self) -> bool {
        let words = |p: &Self| (p.sample, p.status, p.method);
        let numbers = |p: &Self| (p.lower, p.upper, p.closest);
        let contact = |p: &Self| p.contact.map(|share| if share.is_nan() { -1.0 } else { share });
        words(self) == words(other) && numbers(self) == numbers(other) && contact(self) == contact(other)
    }
}
