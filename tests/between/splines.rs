//! Values of joints along splines, against the same splines in numbers of 104 bits; and bodies that
//! joints carry along splines, against sampling.

#![allow(clippy::print_stderr, reason = "the counts are for whoever runs the tests")]

use super::joints::{Body, KINDS, Mechanism, TOLERANCE, TOUCH, Tally, bodies, check, mechanism};
use clearsweep_kinematics::{JointMotion, SplinePiece, ValueCurve};
use clearsweep_narrow::interval::{
    IntervalMethod, IntervalOptions, IntervalProximity, IntervalStatus, interval_proximity_of_joints,
};
use clearsweep_narrow::{SolverStats, Workspace};
use clearsweep_scene::{AnswerKind, BetweenFrames};
use clearsweep_testing::oracle::number::{Number, Wide};
use clearsweep_testing::random::Random;

/// A spline of one piece as the oracle understands it.
enum Oracle {
    /// Coefficients in the time since the start.
    Powers(f64, Vec<f64>),
    /// Degree, knots and control values.
    Knots(usize, Vec<f64>, Vec<f64>),
}

impl Oracle {
    /// The value and its first three derivatives by time.
    fn at(&self, time: Wide) -> [Wide; 4] {
        match self {
            Self::Powers(start, coefficients) => {
                let since = time - Wide::of(*start);
                let mut terms: Vec<Wide> = coefficients.iter().map(|&c| Wide::of(c)).collect();
                std::array::from_fn(|_| {
                    let value = terms.iter().rev().fold(Wide::of(0.0), |sum, &c| sum * since + c);
                    terms = terms.iter().enumerate().skip(1).map(|(k, &c)| c * Wide::of(k as f64)).collect();
                    value
                })
            }
            Self::Knots(degree, knots, control) => {
                // The derivative of a B-spline has the differences of its control values.
                let (mut degree, mut from) = (*degree, 0);
                let mut control: Vec<Wide> = control.iter().map(|&c| Wide::of(c)).collect();
                let knot = |k: usize| Wide::of(knots[k]);
                std::array::from_fn(|_| {
                    let basis = |k: usize| basis(&knots[from..knots.len() - from], degree, k, time);
                    let value = control.iter().enumerate().fold(Wide::of(0.0), |sum, (k, &c)| sum + c * basis(k));
                    control = match degree {
                        0 => vec![Wide::of(0.0); control.len()],
                        _ => (1..control.len())
                            .map(|k| {
                                let span = knot(from + k + degree) - knot(from + k);
                                let rise = control[k] - control[k - 1];
                                if span.value() > 0.0 { Wide::of(degree as f64) * rise / span } else { Wide::of(0.0) }
                            })
                            .collect(),
                    };
                    if degree > 0 {
                        (degree, from) = (degree - 1, from + 1);
                    }
                    value
                })
            }
        }
    }
}

/// A basis function of a B-spline by the recursion of Cox and de Boor.
fn basis(knots: &[f64], degree: usize, k: usize, time: Wide) -> Wide {
    let knot = |k: usize| Wide::of(knots[k]);
    if degree == 0 {
        // The last span is closed.
        let last = knots[knots.len() - 1];
        let is_last = knots[k + 1] == last && knots[k] < last;
        let inside = time >= knot(k) && (time < knot(k + 1) || (is_last && time <= knot(k + 1)));
        return Wide::of(f64::from(u8::from(inside)));
    }
    // Outside of its support it is zero.
    if time < knot(k) || time > knot(k + degree + 1) {
        return Wide::of(0.0);
    }
    let share = |low: usize, high: usize, from: Wide| {
        let span = knot(high) - knot(low);
        if span.value() > 0.0 { from / span } else { Wide::of(0.0) }
    };
    share(k, k + degree, time - knot(k)) * basis(knots, degree - 1, k, time)
        + share(k + 1, k + degree + 1, knot(k + degree + 1) - time) * basis(knots, degree - 1, k + 1, time)
}

/// A random spline, with its pieces. `span`: how long it takes; `size`: how large its values are.
fn spline(random: &mut Random, most: usize, size: f64) -> (Oracle, Vec<SplinePiece>) {
    let start = [0.0, 1.0, 1000.0][random.below(3)] * random.signed();
    let long = [0.01, 1.0, 30.0][random.below(3)] * (0.1 + random.unit());
    let degree = random.below(most + 1);
    if random.chance(0.5) {
        let end = start + long;
        let long = end - start;
        let coefficients: Vec<f64> = (0..=degree).map(|k| size * random.signed() / long.powi(k as i32)).collect();
        let piece = SplinePiece::of_powers([start, end], &coefficients);
        return (Oracle::Powers(start, coefficients), vec![piece]);
    }
    let count = degree + 1 + random.below(5);
    let mut knots: Vec<f64> = vec![start; degree + 1];
    for _ in degree + 1..count {
        let last = knots[knots.len() - 1];
        knots.push(if random.chance(0.2) && degree > 0 { last } else { last + long * (0.05 + random.unit()) });
    }
    let end = knots[knots.len() - 1] + long * (0.05 + random.unit());
    knots.extend(vec![end; degree + 1]);
    if random.chance(0.3) {
        // No clamped ends.
        for k in 1..=degree {
            knots[degree - k] = knots[degree] - k as f64 * long * 0.3;
            let last = knots.len() - 1 - degree;
            knots[last + k] = knots[last] + k as f64 * long * 0.2;
        }
    }
    let control: Vec<f64> = (0..count).map(|_| size * random.signed()).collect();
    let pieces = SplinePiece::of_knots(degree, &knots, &control);
    (Oracle::Knots(degree, knots, control), pieces)
}

/// How many random pieces: `CLEARSWEEP_PIECES`.
fn count() -> usize {
    std::env::var("CLEARSWEEP_PIECES").ok().and_then(|text| text.parse().ok()).unwrap_or(4_000)
}

#[test]
fn curves_and_their_bounds_hold_random_splines() {
    let mut random = Random(41);
    // By derivative: the largest share of its bound, over the interval and over a part of it; and
    // that of the error.
    let (mut most, mut most_of_parts, mut most_error, mut seen) = ([0.0_f64; 4], [0.0_f64; 4], 0.0_f64, 0);
    while seen < count() {
        let size = [1e-3, 1.0, 300.0][random.below(3)];
        let (oracle, pieces) = spline(&mut random, 10, size);
        for piece in &pieces {
            seen += 1;
            let [start, end] = piece.span;
            let mut times = [random.unit(), random.unit()].map(|share| start + share * (end - start));
            if random.chance(0.3) || times[0] == times[1] {
                times = [start, end];
            }
            times.sort_by(f64::total_cmp);
            let curve = piece.curve(times);
            let part = [0.8 * random.unit(), 0.0];
            let part = [part[0], part[0] + (1.0 - part[0]) * (0.05 + 0.95 * random.unit())];
            let bounds = [curve.most(), curve.most_over(part)];
            let long = Wide::of(times[1]) - Wide::of(times[0]);
            for k in 0..=16 {
                let share = f64::from(k) / 16.0;
                for (of_part, bounds) in bounds.iter().enumerate() {
                    let share = if of_part == 1 { part[0] + share * (part[1] - part[0]) } else { share };
                    // A derivative jumps at a knot, and the oracle may take that of the next
                    // piece: the ends of a piece are left out.
                    if (share <= 0.0 && times[0] == start) || (share >= 1.0 && times[1] == end) {
                        continue;
                    }
                    let exact = oracle.at(Wide::of(times[0]) + Wide::of(share) * long);
                    let off = (exact[0] - Wide::of(curve.at(share))).value().abs();
                    assert!(off <= curve.error(), "{seen}: {off:e} off, {:e} said", curve.error());
                    most_error = most_error.max(off / curve.error());
                    let mut factor = Wide::of(1.0);
                    for order in 0..4 {
                        let found = (exact[order] * factor).value().abs();
                        // The computed value is off as well.
                        let slack = curve.error() * 40.0_f64.powi(order as i32);
                        assert!(
                            found <= bounds[order] + slack,
                            "{seen}: derivative {order} at {share}: {found:e} > {:e}, {curve:?}",
                            bounds[order]
                        );
                        let of = if of_part == 1 { &mut most_of_parts } else { &mut most };
                        if found > 1e3 * slack {
                            of[order] = of[order].max(found / bounds[order]);
                        }
                        factor = factor * long;
                    }
                }
            }
        }
    }
    eprintln!("{seen} pieces: {most:?} and {most_of_parts:?} of the bounds, {most_error} of the errors");
    assert!(most_error > 0.02 && most_error < 0.95, "{most_error}");
    assert!(most.iter().chain(&most_of_parts).all(|&most| most > 0.95), "{most:?} {most_of_parts:?}");
}

/// Joints that move along splines over one interval.
struct Moving {
    oracles: Vec<Oracle>,
    curves: Vec<ValueCurve>,
    times: Vec<[f64; 2]>,
}

impl Moving {
    fn new(random: &mut Random, joints: usize, size: f64) -> Self {
        let mut all = Self { oracles: Vec::new(), curves: Vec::new(), times: Vec::new() };
        for _ in 0..joints {
            let (oracle, pieces) = spline(random, 5, size);
            let piece = &pieces[random.below(pieces.len())];
            all.curves.push(piece.curve(piece.span));
            all.times.push(piece.span);
            all.oracles.push(oracle);
        }
        all
    }

    /// The values at a share of the interval.
    fn values(&self, share: f64) -> Vec<f64> {
        // At the end of a piece a derivative may jump, and the value does not.
        let value = |(oracle, &[from, to]): (&Oracle, &[f64; 2])| {
            let share = share.clamp(1e-15, 1.0 - 1e-15);
            let time = Wide::of(from) + Wide::of(share) * (Wide::of(to) - Wide::of(from));
            oracle.at(time)[0].value()
        };
        self.oracles.iter().zip(&self.times).map(value).collect()
    }

    /// Bounds of the rates, by differences.
    fn rates(&self) -> Vec<f64> {
        let steps: Vec<Vec<f64>> = (0..=64).map(|k| self.values(f64::from(k) / 64.0)).collect();
        let rate = |joint: usize| {
            let steepest = steps.windows(2).map(|pair| (pair[1][joint] - pair[0][joint]).abs()).fold(0.0, f64::max);
            steepest * 64.0 * 1.2
        };
        (0..self.oracles.len()).map(rate).collect()
    }
}

fn options() -> IntervalOptions {
    IntervalOptions {
        between: BetweenFrames::Spline,
        within: 1e6,
        require: None,
        touch: TOUCH,
        tolerance: TOLERANCE,
        answer: AnswerKind::Depth,
        ..IntervalOptions::default()
    }
}

fn found(pair: [&Body; 2], motion: &JointMotion<'_>) -> IntervalProximity {
    let shapes = [&*pair[0].shape, &*pair[1].shape];
    let (mut work, mut stats) = (Workspace::default(), SolverStats::default());
    interval_proximity_of_joints(shapes, motion, &options(), &mut work, &mut stats).expect("within a long way")
}

fn random_mechanism(random: &mut Random, joints: usize, pair: [&Body; 2]) -> Mechanism {
    mechanism(random, joints, [0.0; 3], pair)
}

#[test]
fn bodies_along_splines_hold_the_least_distance() {
    let dir = tempfile::tempdir().expect("scratch");
    let all = bodies(dir.path());
    let (mut random, mut tally) = (Random(43), Tally::default());
    let (mut statuses, mut limits) = ([0; 3], 0);
    let intervals = count() / 10;
    for number in 0..intervals {
        let joints = 1 + number % 6;
        let pair = [(); 2].map(|()| &all[random.below(all.len())]);
        let mechanism = random_mechanism(&mut random, joints, pair);
        let size = [0.05, 0.3, 1.0][random.below(3)];
        let moving = Moving::new(&mut random, joints, size);
        let chain = mechanism.chain(pair, [0.0; 3]);
        let motion = JointMotion::along(&chain, &|column| &moving.curves[column as usize]);
        let found = found(pair, &motion);
        let at = |share: f64| mechanism.distance(pair, &moving.values(share));
        let speed = mechanism.speed(pair, &moving.rates());
        let label = format!("{number}: {joints} joints, {} and {}", KINDS[pair[0].kind], KINDS[pair[1].kind]);
        let are_convex = pair.iter().all(|body| body.kind == 0);
        check(&label, &found, &at, (speed, are_convex), &mut random, &mut tally);
        statuses[found.status as usize] += 1;
        limits += usize::from(found.method == IntervalMethod::Limit);
    }
    let Tally { between, misses, .. } = &tally;
    eprintln!("{intervals} intervals: {statuses:?}, {limits} at the limit, {between} contacts between clear ends");
    assert!(misses.is_empty(), "{}: {}", misses.len(), misses.iter().take(5).cloned().collect::<Vec<_>>().join("\n"));
    let [clear, contact, undecided] =
        [IntervalStatus::Clear, IntervalStatus::Contact, IntervalStatus::Undecided].map(|of| statuses[of as usize]);
    assert!(clear * 5 > intervals && contact * 8 > intervals && undecided * 40 < intervals, "{statuses:?}");
    assert!(limits * 10 < intervals && between * 100 > intervals, "{limits} {between}");
}

/// Values on a line, written as a spline: the answers are those of `between = "joint"`, but for the
/// rounding of the spline.
#[test]
fn lines_are_answered_as_joints_on_lines() {
    let dir = tempfile::tempdir().expect("scratch");
    let all = bodies(dir.path());
    let mut random = Random(47);
    let mut statuses = [0; 3];
    for number in 0..count() / 10 {
        let joints = 1 + number % 6;
        let pair = [(); 2].map(|()| &all[random.below(all.len())]);
        let mechanism = random_mechanism(&mut random, joints, pair);
        let span = [2.0, 2.5];
        let pieces: Vec<SplinePiece> = (0..joints)
            .map(|k| {
                let [from, rise] = [random.signed(), 0.8 * random.signed()];
                match k % 3 {
                    0 => SplinePiece::of_powers(span, &[from, 2.0 * rise]),
                    1 => SplinePiece::of_powers(span, &[from, 2.0 * rise, 0.0, 0.0]),
                    _ => SplinePiece::of_knots(1, &[2.0, 2.0, 2.5, 2.5], &[from, from + rise])[0].clone(),
                }
            })
            .collect();
        let curves: Vec<ValueCurve> = pieces.iter().map(|piece| piece.curve(span)).collect();
        let chain = mechanism.chain(pair, [0.0; 3]);
        let along = found(pair, &JointMotion::along(&chain, &|column| &curves[column as usize]));
        let end = |end: usize| {
            let curves = &curves;
            move |column: u32| curves[column as usize].ends()[end]
        };
        let on_line = found(pair, &JointMotion::new(&chain, [&end(0), &end(1)]));
        assert_eq!((along.status, along.method), (on_line.status, on_line.method), "{number}");
        assert!((along.lower - on_line.lower).abs() < 1e-9 && (along.upper - on_line.upper).abs() < 1e-9, "{number}");
        for (a, b) in along.contact.iter().zip(on_line.contact) {
            assert!((a - b).abs() < 1e-6 || (a.is_nan() && b.is_nan()) || *a == b, "{number}: {along:?} {on_line:?}");
        }
        statuses[along.status as usize] += 1;
    }
    assert!(statuses[IntervalStatus::Clear as usize] > 50 && statuses[IntervalStatus::Contact as usize] > 50);
}
