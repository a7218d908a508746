//! The verdict on a row: each end of its bracket is proven again, from the input points and poses
//! alone.
//!
//! - *Lower end*: the gap of the supporting planes over all input points along the row's normal
//!   (any direction is a witness); where rounding the normal to `f64` costs too much, along a
//!   direction made from the named features, or any of the list below.
//! - *Upper end, cores apart*: the distance of two points inside the named features.
//! - *Upper end, cores overlapping*: a complete list of directions (`depth.rs`). It also shows that
//!   cores overlap by less than rounding, where no two points of the features do.
//!
//! `f64` with a bound of its error comes first, [`Wide`] where it cannot tell, and the oracle where
//! neither can.

use clearsweep_narrow::{Method, Proximity, Status};
use clearsweep_verifier::ConvexCore;

use crate::bridge;
use crate::oracle::number::{Number, Vector, Wide, add, dot, norm, sub, times, wide};
use crate::oracle::{self, Placement};
use crate::recheck::depth;
use crate::recheck::features::{self, Feature};
use crate::recheck::place::{FILTER, FINE, Pair};
use crate::recheck::solid::Solid;

/// The promised width of a bracket, and how far witnesses may lie off their features, in sizes of
/// the pair.
const PROMISE: f64 = 1e-12;

/// Bound on the oracle's error, in sizes of the pair: the direction of edges that are parallel but
/// for 1e-13 is known to 1e-18 in its 104 bits, and the separation along it as much too small. (The
/// verifier has its own way for these.)
pub const ORACLE: f64 = 1e-18;

/// Least distance by which a false bracket misses the truth, in sizes of the pair (see
/// [`Claim::deceived`]).
const DECEIT: f64 = 1e-15;

/// Proof of an end of a bracket.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    /// `f64` with a bound of its error.
    Filter,
    /// [`Wide`], along the row's normal or between points of its features.
    Wide,
    /// [`Wide`], along a direction made from the features, or between points of the parts of
    /// parallel ones.
    Features,
    /// The complete list of directions.
    List,
    /// The oracle.
    Oracle,
}

impl By {
    pub const NAMES: [&'static str; 5] = ["filter", "wide", "features", "list", "oracle"];
}

/// Proofs of both ends.
pub struct Proof {
    pub lower: By,
    pub upper: By,
}

/// A row to be verified, and where its bodies are.
pub struct Claim<'a> {
    pub pair: Pair<'a>,
    /// The bodies of the pair, for the oracle.
    pub solids: [&'a Solid; 2],
    pub places: [&'a Placement; 2],
    pub row: &'a Proximity,
    /// Whether a list of any length is worth it for an end that nothing else proves: rare, unless
    /// it is false.
    pub last_resort: bool,
}

/// Longest list of pairs of edges that is gone through for an end that is false on purpose.
const LIST: usize = 200_000;

impl Claim<'_> {
    /// The proof, or what is wrong.
    pub fn verify(&self) -> Result<Proof, String> {
        self.check_numbers()?;
        let named = features::named(&self.pair, self.row).ok_or("it names a feature that its body does not have")?;
        self.check_witnesses(named)?;
        Ok(Proof { lower: self.lower(named)?, upper: self.upper(named)? })
    }

    /// Counts the ends that are taken for proven of two brackets that both miss the truth, one
    /// above and one below it. None are, if the verifier is worth anything. `from`, `to`: metres,
    /// the truth is between them.
    pub fn deceived(&self, from: f64, to: f64) -> u64 {
        let step = DECEIT * self.pair.size;
        let row = Proximity { lower: to + step, upper: from - step, ..*self.row };
        let pair = Pair::new(self.pair.a, self.places[0], self.pair.b, self.places[1]);
        let claim = Claim { pair, row: &row, last_resort: false, ..*self };
        let Some(named) = features::named(&claim.pair, &row) else { return 0 };
        u64::from(claim.lower(named).is_ok()) + u64::from(claim.upper(named).is_ok())
    }

    /// Checks everything that can be seen without geometry.
    fn check_numbers(&self) -> Result<(), String> {
        let row = self.row;
        if row.method == Method::None || row.status == Status::Uncertified {
            return Err("it is uncertified".into());
        }
        let status = match () {
            () if row.lower > 0.0 => Status::Separated,
            () if row.upper < 0.0 => Status::Penetrating,
            () => Status::Touching,
        };
        let inside = row.lower <= row.distance && row.distance <= row.upper;
        let width = (row.upper - row.lower) / self.pair.size;
        let n = row.normal.to_array();
        // Twice the promise on the square; `f64` is off by less than 4 units.
        let square = (dot(n, n) - 1.0).abs() <= 1e-15;
        let unit = square || (norm(wide(n)).value() - 1.0).abs() <= 1e-15;
        let [a, b] = [row.point_a, row.point_b].map(|p| p.to_array());
        let identity = norm(sub(b, add(a, times(n, row.distance)))) <= PROMISE * self.pair.size;
        match () {
            () if !inside => Err("its distance is not inside its bracket".into()),
            () if width > PROMISE => Err(format!("its bracket is {width:e} of the size wide")),
            () if row.status != status => Err(format!("its status should be {status:?}")),
            () if !unit => Err("its normal is not of unit length".into()),
            () if !identity => Err("b is not a + distance n".into()),
            () => Ok(()),
        }
    }

    /// Less their growth, the witness points lie on the named features.
    fn check_witnesses(&self, named: [Feature<'_>; 2]) -> Result<(), String> {
        let off = features::off(&self.pair, named, self.witnesses());
        if off <= PROMISE * self.pair.size {
            return Ok(());
        }
        Err(format!("its witnesses are {:e} of the size off their features", off / self.pair.size))
    }

    /// The witness points on the cores, in A's frame.
    fn witnesses(&self) -> [Vector<f64>; 2] {
        let n = self.row.normal.to_array();
        let a = sub(self.row.point_a.to_array(), times(n, self.pair.a.growth));
        [a, add(self.row.point_b.to_array(), times(n, self.pair.b.growth))]
    }

    fn lower(&self, named: [Feature<'_>; 2]) -> Result<By, String> {
        let (n, size) = (self.row.normal.to_array(), self.pair.size);
        let lower = Wide::of(self.row.lower) + self.pair.growth();
        if self.pair.rough_gap(n) - FILTER * size >= lower.value() {
            return Ok(By::Filter);
        }
        let holds = |gap: Wide| (gap - lower).value() >= -FINE * size;
        if holds(self.pair.gap(wide(n))) {
            return Ok(By::Wide);
        }
        let mut directions = features::directions(&self.pair, named, self.witnesses()[0], n).into_iter();
        if directions.any(|n| holds(self.pair.gap(n))) {
            return Ok(By::Features);
        }
        if (self.list() <= LIST || self.last_resort) && depth::shows(&self.pair, lower) {
            return Ok(By::List);
        }
        let truth = self.oracle().ok_or("its lower end is not proven")?;
        let holds = (truth - Wide::of(self.row.lower)).value() >= -ORACLE * size;
        if holds { Ok(By::Oracle) } else { Err(format!("its lower end is too large: the distance is {truth:?}")) }
    }

    fn upper(&self, named: [Feature<'_>; 2]) -> Result<By, String> {
        let size = self.pair.size;
        let upper = Wide::of(self.row.upper) + self.pair.growth();
        if upper.value() >= 0.0 {
            let near = self.witnesses()[0];
            let rough = features::rough_distance(&self.pair, named, near);
            if rough.is_some_and(|d| d + FILTER * size <= upper.value()) {
                return Ok(By::Filter);
            }
            let fine = features::fine_distance(&self.pair, named, near);
            if fine.is_some_and(|d| (d - upper).value() <= FINE * size) {
                return Ok(By::Wide);
            }
            if features::parts_reach(&self.pair, named, upper) {
                return Ok(By::Features);
            }
            // Cores that touch may overlap by less than rounding; no two points of their features
            // show it.
            let overlap = Wide::of(-2.0 * FINE * size);
            if (self.list() <= LIST || self.last_resort) && depth::reaches(&self.pair, overlap).is_ok() {
                return Ok(By::List);
            }
            let truth = self.oracle().ok_or("its upper end is not proven")?;
            let holds = (truth - Wide::of(self.row.upper)).value() <= ORACLE * size;
            let wrong = || format!("its upper end is too small: the distance is {truth:?}");
            return if holds { Ok(By::Oracle) } else { Err(wrong()) };
        }
        match depth::reaches(&self.pair, upper) {
            Ok(()) => Ok(By::List),
            Err((n, gap)) => Err(format!("along {n:?} the cores overlap by {:e} only", -gap)),
        }
    }

    /// Pairs of edges of the complete list of directions.
    fn list(&self) -> usize {
        self.pair.a.hull().edges.len() * self.pair.b.hull().edges.len()
    }

    /// The signed distance by the oracle, if the bodies have few enough points for it.
    pub fn oracle(&self) -> Option<Wide> {
        let [a, b] = self.solids;
        let (a, b) = (a.body()?, b.body()?);
        let truth = oracle::signed_distance(a, self.places[0], b, self.places[1]);
        (truth.gap <= 1e-15 * self.pair.size).then_some(truth.distance)
    }

    /// All that is needed to bring the case back.
    pub fn recipe(&self) -> String {
        let body = |s: &ConvexCore| format!("growth {:?} points {:?}", s.growth, s.points);
        let [pa, pb] = self.places;
        format!("A {}\n  at {pa:?}\n  B {}\n  at {pb:?}\n  row {:?}", body(self.pair.a), body(self.pair.b), self.row)
    }
}

/// A fresh answer about a pair, from a cold start.
pub fn cold(a: &Solid, pa: &Placement, b: &Solid, pb: &Placement) -> Proximity {
    let (from_a, from_b) = (a.pose(pa), b.pose(pb));
    let everything = &bridge::EVERYTHING;
    a.in_own_frame(&clearsweep_narrow::query_one(&a.shape, &b.shape, &from_a, &from_b, everything))
}
