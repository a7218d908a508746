//! A row of `distances`, and of `penetrations`, proven again.

use clearsweep_model::{AnswerKind, Method, QueryOptions, Status};
use clearsweep_records::{Distance, Penetration, RecheckOutcome, RecheckTable, RecheckWhat};

use crate::checked_body::{CheckedBody, Parts};
use crate::finding::{Finding, Place};
use crate::number::{Number, Vector, Wide, add, dot, norm, sub, times, values, wide};
use crate::pair_truth::{Hint, PairAt, Truth, distance_of};
use crate::place::FINE;
use crate::placement::Placement;

/// How far witness points may be off their bodies, in sizes of the pair: apart, overlapping, round.
const ON_BODY: [f64; 3] = [1e-12, 1e-9, 1e-7];

/// Two bodies at their poses in a frame.
pub struct Posed<'a> {
    /// A and B.
    pub bodies: [&'a CheckedBody; 2],
    /// Their placements in the world.
    pub places: [&'a Placement; 2],
}

/// Compares a bracket that a row states with the truth: the outcome, and why it is no better.
pub fn compare(truth: &Truth, stated: [f64; 2], size: f64) -> (RecheckOutcome, Option<String>) {
    let [lower, upper] = stated.map(Wide::of);
    let error = Wide::of(FINE * size);
    if lower > truth.least + error {
        let why = format!("its lower end is above the distance by {:.3e} m", (lower - truth.least).value());
        return (RecheckOutcome::Wrong, Some(why));
    }
    if upper + error < truth.most {
        let why = format!("its upper end is below the distance by {:.3e} m", (truth.most - upper).value());
        return (RecheckOutcome::Wrong, Some(why));
    }
    let [is_lower, is_upper] = [truth.all[0] + error >= lower, truth.all[1] <= upper + error];
    let why = match [is_lower, is_upper] {
        [true, true] => return (RecheckOutcome::Proven, None),
        [true, false] => "upper end",
        [false, true] => "lower end",
        [false, false] => "both ends",
    };
    let why = truth.open.map_or_else(|| why.to_owned(), |open| format!("{why}: {open}"));
    (RecheckOutcome::Bounded, Some(why))
}

impl Posed<'_> {
    /// Looks at a row again.
    pub fn row(&self, row: &Distance, query: &QueryOptions) -> Vec<Finding> {
        let place =
            Place { run: Some(row.run), frame: Some(row.frame), pair: Some([row.a_index as u32, row.b_index as u32]) };
        let new = |what, outcome| Finding::new(RecheckTable::Distances, what, outcome, place);
        let mut findings = Vec::new();
        let ends = [row.lower_m, row.upper_m].map(|end| end.unwrap_or(f64::NAN));
        if row.status == Status::Uncertified {
            let finding = new(RecheckWhat::Bracket, RecheckOutcome::NotLookedAt);
            findings.push(finding.because("the row has no proven bracket"));
            return findings;
        }
        let pair = PairAt::new(self.bodies, self.places);
        let form = match form(row, ends, query, pair.size) {
            None => new(RecheckWhat::Form, RecheckOutcome::Proven),
            Some(why) => new(RecheckWhat::Form, RecheckOutcome::Wrong).because(why),
        };
        findings.push(Finding { stated: ends, ..form });
        let is_of_winding = row.method == Some(Method::Winding);
        let hint = Hint { normal: self.own_normal(row), lower: row.lower_m, upper: row.upper_m };
        let truth = pair.truth(&hint);
        let bracket = match (is_of_winding, ends.iter().any(|end| end.is_nan())) {
            (_, true) => new(RecheckWhat::Bracket, RecheckOutcome::Wrong).because("an end of its bracket is missing"),
            (true, _) => new(RecheckWhat::Bracket, RecheckOutcome::NotLookedAt).because("the inside of an open mesh"),
            (false, false) => {
                let (outcome, why) = compare(&truth, ends, pair.size);
                Finding { why, ..new(RecheckWhat::Bracket, outcome) }
            }
        };
        findings.push(Finding { proven: truth.ends(), stated: ends, ..bracket });
        findings.extend(match query.answer != AnswerKind::Depth && row.status != Status::Separated {
            true => {
                let finding = new(RecheckWhat::Witness, RecheckOutcome::NotLookedAt);
                Some(finding.because("witness points of overlaps whose depth is not asked"))
            }
            false => self.witness(row, &pair, place),
        });
        if row.directional_relation.is_some() {
            findings
                .push(new(RecheckWhat::Direction, RecheckOutcome::NotLookedAt).because("distances along a direction"));
        }
        findings
    }

    /// The normal of a row in A's frame.
    fn own_normal(&self, row: &Distance) -> Option<Vector<f64>> {
        let n = wide([row.n_x?, row.n_y?, row.n_z?]);
        let own = values(self.places[0].columns().map(|column| dot(column, n)));
        let length = norm(own);
        (length > 0.5 && length < 2.0).then_some(own)
    }

    /// Whether the witness points lie on their bodies.
    fn witness(&self, row: &Distance, pair: &PairAt<'_>, place: Place) -> Option<Finding> {
        let points = [[row.a_x?, row.a_y?, row.a_z?], [row.b_x?, row.b_y?, row.b_z?]];
        let new = |outcome| Finding::new(RecheckTable::Distances, RecheckWhat::Witness, outcome, place);
        let is_round = self.bodies.iter().any(|body| matches!(body.parts, Parts::Round));
        let is_mesh = self.bodies.iter().any(|body| matches!(body.parts, Parts::Mesh));
        if is_round && (is_mesh || row.status != Status::Separated) {
            let why = "witness points of round bodies that overlap or touch, or beside a mesh";
            return Some(new(RecheckOutcome::NotLookedAt).because(why));
        }
        let far = points.iter().flatten().fold(0.0_f64, |most, c| most.max(c.abs()));
        let room = match row.method {
            Some(Method::Round) => ON_BODY[2],
            _ if row.status == Status::Separated => ON_BODY[0],
            _ => ON_BODY[1],
        };
        let room = room * pair.size + 8.0 * f64::EPSILON * far;
        for (k, point) in points.into_iter().enumerate() {
            let Some([least, most]) = distance_of(self.bodies[k], self.places[k], point) else {
                return Some(
                    new(RecheckOutcome::NotLookedAt).because("the surface of the body is not known to the verifier"),
                );
            };
            // The points of overlaps may lie inside of other pieces of their own body.
            let is_inside = most < -room && (row.status == Status::Separated || self.bodies[k].is_convex());
            if least.is_nan() || least > room || is_inside {
                let off = if is_inside { most } else { least };
                let why = format!("the witness point on {} is {off:.3e} m off its body", ["a", "b"][k]);
                return Some(new(RecheckOutcome::Wrong).because(why));
            }
        }
        Some(new(RecheckOutcome::Proven))
    }
}

/// What is wrong with the columns of a row that follow from others.
fn form(row: &Distance, [lower, upper]: [f64; 2], query: &QueryOptions, size: f64) -> Option<String> {
    let is_of_winding = row.method == Some(Method::Winding);
    let status = match () {
        () if is_of_winding => Status::Penetrating,
        () if lower > query.touch => Status::Separated,
        () if upper < -query.touch => Status::Penetrating,
        () => Status::Touching,
    };
    let is_in_order = lower <= upper;
    if !is_in_order {
        return Some("its lower end is above its upper end".to_owned());
    }
    if !(lower <= row.distance_m && row.distance_m <= upper) {
        return Some("its distance is not within its bracket".to_owned());
    }
    if row.status != status {
        return Some(format!("its status should be {}", Status::NAMES[status as usize]));
    }
    if !is_of_winding && lower > query.within {
        return Some("it is farther apart than `within`".to_owned());
    }
    let vector = |x: Option<f64>, y: Option<f64>, z: Option<f64>| Some([x?, y?, z?]);
    let n = vector(row.n_x, row.n_y, row.n_z)?;
    if (norm(n) - 1.0).abs() > 1e-14 {
        return Some("its normal is no unit vector".to_owned());
    }
    let [a, b] = [vector(row.a_x, row.a_y, row.a_z)?, vector(row.b_x, row.b_y, row.b_z)?];
    let far = a.iter().chain(&b).fold(0.0_f64, |most, c| most.max(c.abs()));
    let off = norm(sub(b, add(a, times(n, row.distance_m))));
    let is_exempt = matches!(row.method, Some(Method::Bound | Method::Winding));
    (!is_exempt && off > ON_BODY[0] * size + 8.0 * f64::EPSILON * far)
        .then(|| format!("b is {off:.3e} m off a + distance n"))
}

/// Compares a row of `penetrations` with that of `distances`, of the same pair in the same frame.
pub fn penetration(row: &Penetration, of: Option<&Distance>) -> Finding {
    let place =
        Place { run: Some(row.run), frame: Some(row.frame), pair: Some([row.a_index as u32, row.b_index as u32]) };
    let new = |outcome| Finding::new(RecheckTable::Penetrations, RecheckWhat::Form, outcome, place);
    let wrong = |why: &str| new(RecheckOutcome::Wrong).because(why);
    let Some(of) = of.filter(|of| of.status == Status::Penetrating) else {
        return wrong("`distances` has no row of this pair that penetrates");
    };
    let depth =
        [-of.distance_m, of.upper_m.map_or(f64::NAN, |upper| (-upper).max(0.0)), of.lower_m.map_or(f64::NAN, |l| -l)];
    let is_same = [row.depth_m, row.depth_lower_m, row.depth_upper_m].iter().zip(&depth).all(|(own, of)| own == of);
    let normal = [of.n_x, of.n_y, of.n_z].map(|c| c.unwrap_or(f64::NAN));
    let is_along = normal.iter().all(|c| c.is_nan()) || normal == [row.d_x, row.d_y, row.d_z];
    match (is_same, is_along) {
        (false, _) => wrong("its depth is not that of the row of `distances`"),
        (_, false) => wrong("its direction is not that of the row of `distances`"),
        _ => new(RecheckOutcome::Proven),
    }
}
