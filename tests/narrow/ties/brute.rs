//! The oracle of ties against brute force: samples of the parts, and the oracle that enumerates
//! features in 104 bits.

use super::bodies::cuboid;
use super::cases::{self, Case, Regime};
use super::checks::allowed;
use super::closest::{self, Placed, difference, inner, length, product, unit};
use crate::exact::{Exact, values};
use clearsweep_testing::oracle::families::Random;
use clearsweep_testing::oracle::number::{Number, Wide};
use clearsweep_testing::oracle::{self, Placement};

/// Samples along each side.
const SAMPLES: usize = 300;

/// A polygon (or segment) of a plane, in `f64`.
type SceneHeader = Vec<[f64; 2]>;

/// The parts in the plane across the normal, and the map back to points of A's frame.
fn outlines(case: &Case, normal: [f64; 3]) -> ([SceneHeader; 2], impl Fn([f64; 2]) -> [f64; 3]) {
    let placed = Placed::new(&case.a.vertices, &case.pa, &case.b.vertices, &case.pb);
    let axis = if normal[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let u = unit(product(normal, axis));
    let v = product(normal, u);
    let on = |part: &super::bodies::Part, points: &[crate::exact::Vector]| -> Vec<[f64; 3]> {
        part.corners().iter().map(|&c| values(&points[c], &placed.weight)).collect()
    };
    let (on_a, on_b) = (on(&case.a.part, &placed.a), on(&case.b.part, &placed.b));
    let origin = on_a[0];
    let flat = move |points: &[[f64; 3]]| -> SceneHeader {
        points.iter().map(|&p| difference(p, origin)).map(|d| [inner(u, d), inner(v, d)]).collect()
    };
    let back = move |[s, t]: [f64; 2]| [0, 1, 2].map(|k: usize| origin[k] + s * u[k] + t * v[k]);
    ([flat(&on_a), flat(&on_b)], back)
}

fn area(o: [f64; 2], p: [f64; 2], q: [f64; 2]) -> f64 {
    (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0])
}

/// Whether a point lies in a polygon, either way round; or between the ends of a segment, however
/// far beside it.
fn inside(outline: &SceneHeader, x: [f64; 2]) -> bool {
    if let [p, q] = outline[..] {
        let along = |from: [f64; 2], to: [f64; 2]| {
            (to[0] - from[0]) * (x[0] - from[0]) + (to[1] - from[1]) * (x[1] - from[1]) >= 0.0
        };
        return along(p, q) && along(q, p);
    }
    let sides: Vec<f64> = (0..outline.len()).map(|i| area(outline[i], outline[(i + 1) % outline.len()], x)).collect();
    sides.iter().all(|s| *s >= 0.0) || sides.iter().all(|s| *s <= 0.0)
}

/// Points of the first part: along a segment, or on a grid over what both parts span.
fn samples([first, second]: [&SceneHeader; 2]) -> Vec<[f64; 2]> {
    if let [p, q] = first[..] {
        let count = SAMPLES * SAMPLES;
        let at = |i: usize| (i as f64 + 0.5) / count as f64;
        return (0..count).map(|i| [0, 1].map(|k: usize| p[k] + at(i) * (q[k] - p[k]))).collect();
    }
    let span = |k: usize| {
        let least = |o: &SceneHeader| o.iter().map(|c| c[k]).fold(f64::INFINITY, f64::min);
        let most = |o: &SceneHeader| o.iter().map(|c| c[k]).fold(f64::NEG_INFINITY, f64::max);
        [least(first).max(least(second)), most(first).min(most(second))]
    };
    let spans = [span(0), span(1)];
    let at = |k: usize, i: usize| spans[k][0] + (spans[k][1] - spans[k][0]) * (i as f64 + 0.5) / SAMPLES as f64;
    (0..SAMPLES * SAMPLES).map(|i| [at(0, i / SAMPLES), at(1, i % SAMPLES)]).filter(|&x| inside(first, x)).collect()
}

#[test]
fn centroids_are_those_of_samples() {
    let mut compared = 0;
    for number in 0..150 {
        let case = cases::case(7, number);
        let tie = case.tie().expect("closest points");
        if tie.normal == [0.0; 3] {
            continue; // edges that touch have no normal of their own
        }
        let ([on_a, on_b], back) = outlines(&case, tie.normal);
        // An edge is sampled itself.
        let (first, second) = if on_b.len() == 2 { (&on_b, &on_a) } else { (&on_a, &on_b) };
        let hits: Vec<[f64; 2]> = samples([first, second]).into_iter().filter(|&x| inside(second, x)).collect();
        if hits.len() < 5_000 {
            continue; // too few for a mean
        }
        let mean = [0, 1].map(|k: usize| hits.iter().map(|h| h[k]).sum::<f64>() / hits.len() as f64);
        // Parts beside the normal's plane have heights of their own: only the components across it
        // are compared.
        let off = difference(back(mean), tie.centroid);
        let along = inner(tie.normal, off);
        let across = length([0, 1, 2].map(|k: usize| off[k] - along * tie.normal[k]));
        let reach = tie.corners.iter().map(|&c| length(difference(c, tie.corners[0]))).fold(0.0, f64::max);
        assert!(across <= 0.01 * reach, "case {number}: {across:e} of {reach:e}\n{}", case.recipe());
        compared += 1;
    }
    assert!(compared > 90, "not representative: {compared}");
}

/// Returns the part of a convex outline on the left of a line.
fn clipped(outline: &SceneHeader, [p, q]: [[f64; 2]; 2]) -> SceneHeader {
    let mut left = SceneHeader::new();
    for i in 0..outline.len() {
        let (x, y) = (outline[i], outline[(i + 1) % outline.len()]);
        let (s, t) = (area(p, q, x), area(p, q, y));
        if s >= 0.0 {
            left.push(x);
        }
        if s * t < 0.0 {
            left.push([0, 1].map(|k: usize| x[k] + (y[k] - x[k]) * (s / (s - t))));
        }
    }
    left
}

/// The centroid of a polygon's area, of a segment, or of two coincident ways along one.
fn middle(outline: &SceneHeader) -> [f64; 2] {
    let o = outline[0];
    let (mut total, mut sum) = (0.0, [0.0; 2]);
    for pair in outline[1..].windows(2) {
        let weight = area(o, pair[0], pair[1]);
        total += weight;
        for k in 0..2 {
            sum[k] += weight * (pair[0][k] + pair[1][k] - 2.0 * o[k]) / 3.0;
        }
    }
    [0, 1].map(|k: usize| o[k] + sum[k] / total)
}

/// The ends of what lies of a segment within a polygon.
fn within(segment: &SceneHeader, polygon: &SceneHeader) -> [f64; 2] {
    let (p, q) = (segment[0], segment[1]);
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for i in 0..polygon.len() {
        let (x, y) = (polygon[i], polygon[(i + 1) % polygon.len()]);
        let (s, t) = (area(x, y, p), area(x, y, q));
        if s < 0.0 && t > 0.0 {
            from = from.max(s / (s - t));
        } else if s > 0.0 && t < 0.0 {
            to = to.min(s / (s - t));
        }
    }
    [0, 1].map(|k: usize| p[k] + 0.5 * (from + to) * (q[k] - p[k]))
}

fn counter_clockwise(mut outline: SceneHeader) -> SceneHeader {
    if (2..outline.len()).map(|k| area(outline[0], outline[k - 1], outline[k])).sum::<f64>() < 0.0 {
        outline.reverse();
    }
    outline
}

/// The tolerance is one that plain arithmetic meets: clipping in `f64`, with corners that are off
/// by what a relative pose in `f64` may be off.
#[test]
fn plain_arithmetic_meets_the_tolerance() {
    let (mut compared, mut worst) = (0, 0.0_f64);
    for number in 0..2_000 {
        let case = cases::case(10, number);
        let tie = case.tie().expect("closest points");
        if case.kind == cases::Kind::EdgeEdge {
            continue;
        }
        let (outlines, back) = outlines(&case, tie.normal);
        let (size, mut random) = (case.size(), Random(number as u64));
        let mut off = |x: f64| x + random.between(-1.0, 1.0) * 64.0 * f64::EPSILON * size;
        let [on_a, on_b] = outlines.map(|o| counter_clockwise(o.iter().map(|p| p.map(&mut off)).collect()));
        let found = match (on_a.len(), on_b.len()) {
            (2, _) => within(&on_a, &on_b),
            (_, 2) => within(&on_b, &on_a),
            (_, sides) => {
                let side = |i: usize| [on_b[i], on_b[(i + 1) % sides]];
                middle(&(0..sides).fold(on_a, |left, i| clipped(&left, side(i))))
            }
        };
        let apart = difference(back(found), tie.centroid);
        let along = inner(apart, tie.normal);
        let error = length([0, 1, 2].map(|k: usize| apart[k] - along * tie.normal[k])) / allowed(&tie, size);
        assert!(error <= 1.0, "case {number}: {error:e} of the tolerance, width {:e}\n{}", tie.width, case.recipe());
        (compared, worst) = (compared + 1, worst.max(error));
    }
    eprintln!("plain arithmetic: {compared} ties, worst witness {worst:.3e} of what is allowed");
    assert!(compared > 1_000, "not representative: {compared}");
}

#[test]
fn distances_are_those_of_the_enumerating_oracle() {
    let (mut apart, mut deep) = (0, 0);
    for number in 0..400 {
        let case = cases::case(8, number);
        if case.a.vertices.len() + case.b.vertices.len() > 30 || !case.turn.is_exact() {
            continue;
        }
        let tie = case.tie().expect("closest points");
        let [a, b] = [&case.a, &case.b].map(|s| oracle::Body::new(&s.vertices, 0.0));
        let other = oracle::signed_distance(&a, &case.pa, &b, &case.pb);
        if other.gap > 1e-20 * case.size() {
            continue; // in doubt about itself
        }
        let is_apart = tie.across.sign > 0;
        let own = if is_apart {
            tie.across
        } else {
            closest::depth(&case.a, &case.pa, &case.b, &case.pb).unwrap_or(tie.across)
        };
        let Wide(high, low) = other.distance;
        let slack = Exact::of(1e-25 * case.size());
        let value = Exact::of(high).add(&Exact::of(low));
        let holds = own.compare_with(&value.sub(&slack)).is_ge() && own.compare_with(&value.add(&slack)).is_le();
        assert!(holds, "case {number}: {}, not {}\n{}", own.value(), other.distance.value(), case.recipe());
        if is_apart { apart += 1 } else { deep += 1 }
    }
    assert!(apart > 20 && deep > 20, "not representative: {apart} {deep}");
}

#[test]
fn overlapping_ties_are_the_depth() {
    let mut found = 0;
    for number in 0..200 {
        let case = cases::case(9, number);
        let tie = case.tie().expect("closest points");
        if case.regime != Regime::Overlapping || tie.across.sign >= 0 || !tie.exact {
            continue;
        }
        let depth = closest::depth(&case.a, &case.pa, &case.b, &case.pb).expect("solids");
        assert!(depth.compare(&tie.across).is_eq(), "case {number}: {} {}", depth.value(), tie.across.value());
        found += 1;
    }
    assert!(found > 15, "not representative: {found}");
}

#[test]
fn known_sets() {
    let at = |t: [f64; 3]| Placement::new(t, [1.0, 0.0, 0.0, 0.0]);
    let (a, b) = (cuboid([1.0, 0.5, 0.25]).flipped(), cuboid([0.5, 2.0, 0.25]));
    let tie = closest::tie(&a, &at([0.0; 3]), &b, &at([1.0, 0.25, 1.0])).expect("they overlap");
    assert_eq!(tie.centroid, [0.75, 0.0, 0.25]);
    assert_eq!((tie.corners.len(), tie.width, tie.normal), (4, 0.5, [0.0, 0.0, 1.0]));
    assert!(tie.exact && tie.across.value() == 0.5);
    // Turned by a half, flush along a side, corner over corner, beside each other.
    let half = Placement::new([0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.5]);
    let tie = closest::tie(&a, &at([0.0; 3]), &b, &half).expect("they overlap");
    assert_eq!((tie.centroid, tie.corners.len()), ([0.0, 0.0, 0.25], 4));
    let tie = closest::tie(&a, &at([0.0; 3]), &b, &at([1.5, 0.0, 1.0])).expect("a segment");
    assert_eq!((tie.centroid, tie.corners.len(), tie.width), ([1.0, 0.0, 0.25], 2, 1.0));
    let tie = closest::tie(&a, &at([0.0; 3]), &b, &at([1.5, 2.5, 1.0])).expect("a point");
    assert_eq!((tie.centroid, tie.corners.len()), ([1.0, 0.5, 0.25], 1));
    assert!(closest::tie(&a, &at([0.0; 3]), &b, &at([1.75, 2.5, 1.0])).is_none());
}

#[test]
fn exact_numbers() {
    let mut random = Random(1);
    for _ in 0..2_000 {
        let [x, y] = [0; 2].map(|_| random.between(-2.0, 2.0) * random.scale(1e-30, 1e30));
        let (a, b) = (Exact::of(x), Exact::of(y));
        assert_eq!((a.value(), a.add(&b).sub(&a).value(), a.mul(&b).quotient(&a).compare(&b).is_eq()), (x, y, true));
        let close = |found: f64, expected: f64| (found - expected).abs() <= 4e-16 * expected.abs();
        assert!(
            close(a.add(&b).value(), x + y) && close(a.mul(&b).value(), x * y) && close(a.quotient(&b).value(), x / y)
        );
    }
    for x in [0.0, 5e-324, -f64::MIN_POSITIVE, f64::MAX] {
        assert_eq!(Exact::of(x).value(), x);
    }
}
