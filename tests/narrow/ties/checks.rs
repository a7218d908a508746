//! Rules that a row about a tie must keep, case by case.

use clearsweep_narrow::{Method, Proximity, Status};
use clearsweep_scene::{SAMPLES, Shape};

use super::cases::{Case, Kind, Regime};
use super::closest::{self, Tie, difference, inner, length};
use super::rows::{self, Places};
use crate::exact::{Exact, Root};
use clearsweep_testing::oracle::families::{Random, moved};
use clearsweep_testing::oracle::number::times;
use clearsweep_testing::oracle::{Placement, into_frame, out_of_frame};

/// How far a witness point may lie from the centroid, in sizes of the pair, where the set of
/// closest points is as wide as the pair. A rim that is off by the rounding bound of a pose moves
/// the centroid by as much times size over width. Plain arithmetic in `f64` needs a hundredth of
/// this (`brute.rs`).
pub const CENTROID: f64 = 1e-12;

/// The promised width of a bracket, in sizes of the pair.
const PROMISE: f64 = 1e-12;

/// By how much the distance of parts that are off parallel by eight units in the last place may
/// differ from that of their first corners, in sizes of the pair.
const OFF: f64 = 1.0 / (1_u64 << 46) as f64;

/// How far the normal may be off. Where edges are near, it is known to rounding over distance only.
const NORMAL: f64 = 1e-12;

/// Aspect of a row that can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aspect {
    /// The exact distance is outside the bracket.
    Bracket,
    /// The bracket is too wide, or there is none.
    Promise,
    Status,
    Witness,
    Features,
    Normal,
    Method,
    /// The row depends on the way to it.
    Way,
}

impl Aspect {
    pub const ALL: [Self; 8] = [
        Self::Bracket,
        Self::Promise,
        Self::Status,
        Self::Witness,
        Self::Features,
        Self::Normal,
        Self::Method,
        Self::Way,
    ];
}

/// Outcome of a case.
pub struct Outcome {
    pub number: usize,
    pub kind: Kind,
    pub regime: Regime,
    pub exact: bool,
    pub row: Proximity,
    /// Distance of the witness point from the centroid over what is allowed.
    pub error: f64,
    pub wrong: Vec<(Aspect, String)>,
}

/// The tolerance for a witness point, metres.
pub fn allowed(tie: &Tie, size: f64) -> f64 {
    CENTROID * size * (1.0 + size / tie.width) * tie.condition
}

/// How far the row's witness point on A is from the centroid, metres.
pub fn centroid_error(row: &Proximity, tie: &Tie, growth: f64) -> f64 {
    let expected = [0, 1, 2].map(|k: usize| tie.centroid[k] + growth * tie.normal[k]);
    length(difference(row.point_a.to_array(), expected))
}

/// Asks the engine about a case.
pub fn outcome(case: &Case, number: usize) -> Outcome {
    let tie = case.tie().expect("the parts face each other");
    let shapes = [rows::shape(&case.a), rows::shape(&case.b)];
    let row = rows::cold(&shapes[0], &case.pa, &shapes[1], &case.pb);
    let mut check = Check { case, tie: &tie, shapes: &shapes, row: &row, size: case.size(), wrong: Vec::new() };
    check.bracket();
    check.promise();
    check.status();
    let error = check.witness();
    check.features();
    check.normal();
    if row.method != Method::Tie {
        check.wrong.push((Aspect::Method, format!("{:?}", row.method)));
    }
    if let Err(report) = ways(case, &shapes, &row, number) {
        check.wrong.push((Aspect::Way, report));
    }
    Outcome { number, kind: case.kind, regime: case.regime, exact: tie.exact, row, error, wrong: check.wrong }
}

struct Check<'a> {
    case: &'a Case,
    tie: &'a Tie,
    shapes: &'a [Shape; 2],
    row: &'a Proximity,
    size: f64,
    wrong: Vec<(Aspect, String)>,
}

impl Check<'_> {
    fn note(&mut self, aspect: Aspect, what: String) {
        self.wrong.push((aspect, what));
    }

    /// The signed distance of the cores, and by how much it may be off, in metres.
    fn truth(&self) -> (Root, f64) {
        let Case { a, pa, b, pb, kind, .. } = self.case;
        let across = || self.tie.across.clone();
        if *kind == Kind::EdgeEdge || across().sign > 0 {
            return (across(), if self.tie.exact { 0.0 } else { OFF * self.size });
        }
        (closest::depth(a, pa, b, pb).unwrap_or_else(across), 0.0)
    }

    fn bracket(&mut self) {
        let (truth, doubt) = self.truth();
        let growth = Exact::of(self.case.a.growth).add(&Exact::of(self.case.b.growth));
        let end = |x: f64, doubt: f64| Exact::of(x).add(&Exact::of(doubt)).add(&growth);
        let (lower, upper) = (self.row.lower, self.row.upper);
        let holds = lower.is_finite()
            && upper.is_finite()
            && truth.compare_with(&end(lower, -doubt)).is_ge()
            && truth.compare_with(&end(upper, doubt)).is_le();
        let between = lower <= self.row.distance && self.row.distance <= upper;
        if !(holds && between) {
            let truth = truth.value() - growth.value();
            self.note(Aspect::Bracket, format!("the truth is {truth:e}, the bracket {lower:e} to {upper:e}"));
        }
    }

    fn promise(&mut self) {
        let width = self.row.upper - self.row.lower;
        if width.is_nan() || width > PROMISE * self.size || self.row.method == Method::None {
            self.note(Aspect::Promise, format!("the bracket is {:e} of the size wide", width / self.size));
        }
    }

    fn status(&mut self) {
        let by_bracket = match (self.row.lower, self.row.upper) {
            (lower, _) if lower > 0.0 => Status::Separated,
            (_, upper) if upper < 0.0 => Status::Penetrating,
            _ => Status::Touching,
        };
        let by_regime = match self.case.regime {
            Regime::Apart => self.row.status == Status::Separated,
            Regime::Overlapping => self.row.status == Status::Penetrating,
            // Rounding of the places leaves a gap, or not: of either sign.
            Regime::Touching => self.tie.across.sign != 0 || self.row.status == Status::Touching,
        };
        if self.row.status != by_bracket || !by_regime {
            self.note(Aspect::Status, format!("{:?}, meant to be {:?}", self.row.status, self.case.regime));
        }
    }

    /// Returns the error over what is allowed.
    fn witness(&mut self) -> f64 {
        let (row, growth) = (self.row, self.case.a.growth);
        let allowed = allowed(self.tie, self.size);
        let error = if self.free_normal() {
            length(difference(row.point_a.to_array(), self.tie.centroid))
        } else {
            centroid_error(row, self.tie, growth)
        };
        if error.is_nan() || error > allowed {
            self.note(Aspect::Witness, format!("{error:e} from the centroid, allowed {allowed:e}"));
        }
        let on_b = [0, 1, 2].map(|k: usize| row.point_a.to_array()[k] + row.distance * row.normal.to_array()[k]);
        let off = length(difference(on_b, row.point_b.to_array()));
        if off.is_nan() || off > 1e-15 * self.size {
            self.note(Aspect::Witness, format!("b is {off:e} from a + d n"));
        }
        error / allowed
    }

    /// Edges that touch have a whole fan of normals.
    fn free_normal(&self) -> bool {
        self.case.kind == Kind::EdgeEdge && self.case.regime == Regime::Touching
    }

    fn features(&mut self) {
        let back = out_of_frame(&self.case.pa, self.tie.normal).map(|c| -c);
        let of_b = into_frame(&self.case.pb, back);
        let expected = [
            rows::published(&self.shapes[0], &self.case.a.part, self.tie.normal),
            rows::published(&self.shapes[1], &self.case.b.part, of_b),
        ];
        assert!(expected.iter().all(Option::is_some), "a part is no feature of its hull\n{}", self.case.recipe());
        let found = [0, 1].map(|k: usize| Some((self.row.feature_kind[k], self.row.feature[k])));
        // If edges touch, a face beside one of them reaches the same points.
        let vertices = self.row.feature_kind.iter().any(|k| *k as u8 == 0);
        if (found != expected && !self.free_normal()) || vertices {
            self.note(Aspect::Features, format!("{found:?}, not {expected:?}"));
        }
    }

    fn normal(&mut self) {
        if self.free_normal() {
            return;
        }
        let off = length(difference(self.row.normal.to_array(), self.tie.normal));
        let edges = self.case.kind == Kind::EdgeEdge;
        let room = if edges { 1.0 + self.size / self.tie.across.value() } else { 1.0 };
        if off.is_nan() || off > NORMAL * room {
            self.note(Aspect::Normal, format!("the normal is off by {off:e}"));
        }
        let longer = length(self.row.normal.to_array()) - 1.0;
        if longer.is_nan() || longer.abs() > 1e-15 {
            self.note(Aspect::Normal, format!("the normal is longer than 1 by {longer:e}"));
        }
    }
}

/// The row by every way; for one case in sixteen along a path, too.
fn ways(case: &Case, shapes: &[Shape; 2], row: &Proximity, number: usize) -> Result<(), String> {
    let mut random = Random(number as u64);
    let place = (case.pa, case.pb);
    let shapes = [&shapes[0], &shapes[1]];
    rows::alone(&mut random, shapes, &place, row)?;
    if number.is_multiple_of(16) { rows::along(shapes, &path(&mut random, case)).map(drop) } else { Ok(()) }
}

/// Sixty-four samples: the case's own place, B slid across the normal (a tie again, mostly),
/// turned, or moved anyhow.
fn path(random: &mut Random, case: &Case) -> Vec<Places> {
    let reach = case.a.reach() + case.b.reach();
    let step = |random: &mut Random, k: usize| -> Placement {
        let by = times(random.direction(), random.between(0.0, 0.1) * reach);
        match k % 4 {
            0 => case.pb,
            1 => moved(&case.pb, across(case, by)),
            2 => Placement { q: random.turn(), ..case.pb },
            _ => moved(&case.pb, by),
        }
    };
    (0..SAMPLES).map(|k| (case.pa, step(random, k / 3))).collect()
}

/// The part of a vector of the world across the tie's normal.
fn across(case: &Case, by: [f64; 3]) -> [f64; 3] {
    let normal = case.tie().map_or([0.0, 0.0, 1.0], |t| t.normal);
    let n = out_of_frame(&case.pa, normal);
    let along = inner(n, by);
    [0, 1, 2].map(|k: usize| by[k] - along * n[k])
}
