//! Intervals between two samples, and distances along a direction, against the brute force at many
//! places on the way.

use clearsweep_geometry::Vec3;
use clearsweep_model::{AnswerKind, BetweenFrames};
use clearsweep_narrow::interval::{BodyMotion, IntervalOptions, IntervalStatus, interval_proximity};
use clearsweep_narrow::{DirectionalRelation, SolverStats, Workspace, directional_distance};

use super::gap::{Gap, Soups};
use super::judge::Fault;
use super::make::Subject;
use super::motion::rotated;
use super::round::Truth;
use super::{EVERYTHING, pose};
use crate::oracle::Placement;
use crate::oracle::families::Random;
use crate::oracle::number::{Vector, add, norm, sub, times};
use crate::recheck::place::{FILTER, Place as Relative};

/// Times at which the distance is sampled.
const TIMES: usize = 32;

/// Largest distance that counts as contact, in sizes of the pair.
const TOUCH: f64 = 1e-6;

/// The poses of a body at a share of the interval: its origin moves on a line, its rotation along
/// the shorter arc.
fn between(ends: &[Placement; 2], t: f64) -> Placement {
    let [p, q] = ends;
    let cosine: f64 = (0..4).map(|k| p.q[k] * q.q[k]).sum();
    let end = if cosine < 0.0 { q.q.map(|c| -c) } else { q.q };
    let sine = (0..4).map(|k| (end[k] - p.q[k] * cosine.abs()).powi(2)).sum::<f64>().sqrt();
    let angle = libm::atan2(sine, cosine.abs());
    let (x, y) = match angle {
        _ if angle < 1e-9 => (1.0 - t, t),
        _ => (libm::sin((1.0 - t) * angle) / libm::sin(angle), libm::sin(t * angle) / libm::sin(angle)),
    };
    let blend = [0, 1, 2, 3].map(|k| x * p.q[k] + y * end[k]);
    let length = blend.iter().map(|c| c * c).sum::<f64>().sqrt();
    Placement::new(add(times(p.position, 1.0 - t), times(q.position, t)), blend.map(|c| c / length))
}

/// The same quaternions at unit length.
fn normalised(p: &Placement) -> Placement {
    let length = p.q.iter().map(|c| c * c).sum::<f64>().sqrt();
    Placement::new(p.position, p.q.map(|c| c / length))
}

/// Bound on the way of a point of a body over the interval, metres.
fn way(subject: &Subject, ends: &[Placement; 2]) -> f64 {
    let cosine: f64 = (0..4).map(|k| ends[0].q[k] * ends[1].q[k]).sum::<f64>().abs().min(1.0);
    let angle = 2.0 * libm::acos(cosine) + 1e-7;
    norm(sub(ends[1].position, ends[0].position)) + angle * (subject.body.reach + subject.body.growth)
}

/// The signed distance as far as brute force knows it: its ends, and whether the bodies overlap.
struct Known {
    lower: f64,
    upper: f64,
    overlaps: bool,
}

fn known(pair: [&Subject; 2], places: &[Placement; 2]) -> Known {
    if let Some(truth) = Truth::of(pair, places) {
        let (found, e) = (truth.bracket([0.0; 3]), FILTER * truth.size);
        return Known { lower: found.lower - e, upper: found.upper + e, overlaps: found.upper < -e };
    }
    let soups = Soups::new(&pair[0].body, &pair[1].body, Relative::new(&places[0], &places[1]));
    let (gap, growth, e) = (soups.gap([0.0; 3]), pair[0].body.growth + pair[1].body.growth, soups.doubt());
    let Gap { lower, upper, is_inside, crosses } = gap;
    Known {
        lower: lower - growth - e,
        upper: upper - growth + e,
        overlaps: is_inside || crosses || upper - growth + e < 0.0,
    }
}

/// The faults of the answer about an interval.
pub fn interval_faults(pair: [&Subject; 2], ends: [[Placement; 2]; 2]) -> Vec<Fault> {
    let motions = [0, 1].map(|k: usize| [0, 1].map(|end: usize| normalised(&ends[end][k])));
    let of = |k: usize| BodyMotion {
        shape: &pair[k].shape,
        ends: motions[k].map(|p| pose(pair[k], &p)),
        pivot: Vec3::ZERO - pair[k].shape.center,
        fall: Vec3::ZERO,
        departure: 0.0,
    };
    let far = ends.iter().flatten().map(|p| norm(p.position)).fold(0.0, f64::max);
    let reach: f64 = pair.iter().map(|s| s.body.reach + s.body.growth).sum();
    let size = reach + (0..2).map(|e: usize| norm(sub(ends[e][0].position, ends[e][1].position))).fold(0.0, f64::max);
    let options = IntervalOptions {
        between: BetweenFrames::Linear,
        within: f64::MAX,
        require: None,
        touch: TOUCH * size,
        tolerance: 1e-3 * size,
        answer: AnswerKind::Depth,
        ..IntervalOptions::default()
    };
    let (mut work, mut stats) = (Workspace::default(), SolverStats::default());
    let Some(found) = interval_proximity(&of(0), &of(1), [None, None], &options, &mut work, &mut stats) else {
        return vec![Fault::Between];
    };
    if !found.is_in_order() {
        return vec![Fault::Between];
    }
    // The rounding of the poses on the way, and what the surfaces deviate.
    let slack: f64 = pair.iter().map(|s| s.shape.deviation).sum::<f64>() + 64.0 * f64::EPSILON * (far + size);
    let at = |t: f64| known(pair, &motions.each_ref().map(|ends| between(ends, t)));
    let rows: Vec<(f64, Known)> = (0..=TIMES).map(|k| k as f64 / TIMES as f64).map(|t| (t, at(t))).collect();
    let mut faults = Vec::new();
    let value = |row: &Known| if row.overlaps { 0.0 } else { row.upper };
    let is_below = rows.iter().any(|(_, row)| found.lower > value(row) + slack);
    let half_step: f64 = (0..2).map(|k| way(pair[k], &motions[k])).sum::<f64>() / (2 * TIMES) as f64;
    let floor = rows.iter().map(|(_, row)| if row.overlaps { f64::NEG_INFINITY } else { row.lower });
    let floor = floor.fold(f64::INFINITY, f64::min) - half_step;
    let is_clear = found.status == IntervalStatus::Clear && rows.iter().any(|(_, row)| row.overlaps);
    let is_contact = found.status == IntervalStatus::Contact && floor > options.touch + slack;
    if is_below || found.upper < floor - slack || is_clear || is_contact {
        faults.push(Fault::Between);
    }
    let [from, to] = found.closest;
    let is_nearer = |row: &Known| if row.overlaps { found.upper > slack } else { row.upper < found.upper - slack };
    let is_missed = rows.iter().any(|(t, row)| !(from..=to).contains(t) && is_nearer(row));
    let [first, by] = found.contact;
    let is_early = !first.is_nan() && rows.iter().any(|(t, row)| *t < first - 1e-12 && row.overlaps);
    let is_late = !by.is_nan() && {
        let row = at(by);
        !row.overlaps && row.lower > options.touch + slack
    };
    if is_missed || is_early || is_late {
        faults.push(Fault::Times);
    }
    faults
}

/// Whether the distance along a random direction is refuted.
pub fn direction_fault(
    pair: [&Subject; 2],
    places: &[Placement; 2],
    (soups, truth): (&Soups<'_>, Option<&Truth<'_>>),
    random: &mut Random,
) -> bool {
    let axis = random.below(3);
    let d = if random.chance(0.5) { [0, 1, 2].map(|k| f64::from(k == axis)) } else { random.direction() };
    let [a, b] = [0, 1].map(|k: usize| pose(pair[k], &places[k]));
    let (a_shape, b_shape) = (&pair[0].shape, &pair[1].shape);
    let found = directional_distance(a_shape, b_shape, &a, &b, d.into(), &EVERYTHING, &mut Workspace::default());
    // In A's frame, where the soups are.
    let [w, x, y, z] = normalised(&places[0]).q;
    let n = rotated([w, -x, -y, -z], d);
    let line = Line { soups, truth, n, growth: pair[0].body.growth + pair[1].body.growth };
    // As far as a row tells bodies apart from touching ones.
    let told = truth.map_or(1e-11, Truth::width_apart);
    let slack: f64 = pair.iter().map(|s| s.shape.deviation).sum::<f64>() + told * soups.size;
    let (lower, upper) = (found.lower, found.upper);
    let shares = [0.0, 0.1, 0.35, 0.6, 0.85, 0.999, 1.0];
    match found.relation {
        DirectionalRelation::Unproven => true,
        DirectionalRelation::Touches => {
            let meets_before = shares.iter().any(|share| line.overlaps(share * lower, slack));
            // On the last stretch they come together: from where they are surely apart.
            !(0.0..=upper).contains(&lower) || meets_before || line.is_apart(upper, slack)
        }
        DirectionalRelation::Leaves => {
            let is_free_before = shares.iter().any(|share| line.is_apart(share * lower, slack));
            !(0.0..=upper).contains(&lower) || is_free_before || line.overlaps(upper, slack)
        }
        DirectionalRelation::InContact => line.is_apart(0.0, slack) || line.overlaps(0.0, slack),
        DirectionalRelation::Misses => {
            let far = 2.0 * soups.size;
            (0..64).any(|k| line.overlaps(far * f64::from(k) / 63.0, slack))
        }
        DirectionalRelation::Undecided => shares.iter().any(|share| line.overlaps(share * lower, slack) && lower > 0.0),
    }
}

/// B on a line, in A's frame.
struct Line<'a> {
    soups: &'a Soups<'a>,
    truth: Option<&'a Truth<'a>>,
    n: Vector<f64>,
    growth: f64,
}

impl Line<'_> {
    /// Whether the bodies overlap by more than `room` where B is moved by `t`.
    fn overlaps(&self, t: f64, room: f64) -> bool {
        let by = times(self.n, t);
        self.truth.map_or_else(|| self.soups.overlap(by, self.growth, room), |truth| truth.overlaps(by, room))
    }

    /// Whether they are more than `room` apart there.
    fn is_apart(&self, t: f64, room: f64) -> bool {
        let by = times(self.n, t);
        if let Some(truth) = self.truth {
            return truth.is_apart(by, room);
        }
        let gap = self.soups.gap(by);
        !gap.is_inside && !gap.crosses && gap.lower - self.growth > room
    }
}
