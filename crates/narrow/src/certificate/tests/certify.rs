//! The certificate of eight lanes against that of one sample, in every bit, on every level of
//! registers.

use super::*;
use crate::certificate::random_bodies::RandomBodies;
use crate::feature::Feature;
use crate::feature::FeatureKind;
use clearsweep_base::simd::{Lane, Level, Mask, Simd, V, WIDTH, dispatch};
use clearsweep_geometry::Pose;

/// One feature pair at eight poses.
struct Case<'a> {
    pairs: &'a [Pair<'a, f64>; WIDTH],
    features: FeaturePair,
}

/// The numbers of a certificate in each lane, and the lanes that are strict.
type Numbers = ([Lane; 14], u8);

#[inline(always)]
fn certified_body<S: Simd>(case: &Case<'_>) -> Numbers {
    let kind = PairKind::Unique(FormulaKind::of(&case.features).expect("a kind with a formula"));
    let (mut r, mut t, mut size) = ([[0.0; WIDTH]; 9], [[0.0; WIDTH]; 3], [0.0; WIDTH]);
    for (k, pair) in case.pairs.iter().enumerate() {
        let entries = pair.pose.r.iter().flat_map(|row| row.to_array());
        r.iter_mut().zip(entries).for_each(|(lane, value)| lane[k] = value);
        t.iter_mut().zip(pair.pose.t.to_array()).for_each(|(lane, value)| lane[k] = value);
        size[k] = pair.size;
    }
    let pose = RelativePose::<V<S>>::load(&r, &t);
    let [a, b] = [case.pairs[0].a, case.pairs[0].b];
    let sides = [&OneFeature::new(a, case.features.a), &OneFeature::new(b, case.features.b)];
    let found = certify(kind, sides, &pose, V::load(&size), Mask::all(true), true);
    let c = &found.closest;
    let vectors = [c.normal, c.point_a, c.point_b].map(|v| v.to_array().map(|x| x.lanes()));
    let mut numbers = [[0.0; WIDTH]; 14];
    let scalars = [c.distance, c.residual, c.amplification, found.gap].map(|x| x.lanes());
    let all = vectors.into_iter().flatten().chain(scalars);
    numbers.iter_mut().zip(all).for_each(|(to, from)| *to = from);
    (numbers, found.strict.bits())
}

dispatch!(at certified, certified_body, (case: &Case<'_>) -> Numbers);

fn numbers(s: &Certificate) -> Vec<u64> {
    let c = &s.closest;
    let vectors = [c.normal, c.point_a, c.point_b].map(Vec3::to_array);
    let scalars = [c.distance, c.residual, c.amplification, s.gap];
    vectors.into_iter().flatten().chain(scalars).map(f64::to_bits).collect()
}

#[test]
fn lanes_certify_what_one_sample_certifies_with_the_same_bits() {
    let mut draw = RandomBodies(41);
    let (mut strict, mut refused) = ([0; 6], 0);
    for case in 0..6000 {
        let (a, b) = (draw.body(case % 5), draw.body(case / 5 % 5));
        if case % 3 > 0 {
            a.planes();
            b.planes();
        }
        // B in front of a feature of A, turned a little from pose to pose.
        let q = [draw.next(), draw.next(), draw.next(), draw.next()];
        let at = [0; 3].map(|_| 1.6 * draw.next());
        let pairs: [Pair<'_, f64>; WIDTH] = std::array::from_fn(|_| {
            let pose = Pose::new(at.map(|x| x + 0.02 * draw.next()), q.map(|x| x + 0.01 * draw.next()));
            Pair::new(&a, &b, RelativePose::between(&Pose::IDENTITY, &pose), 0.0)
        });
        let vertex = crate::vclip::cold_start(&pairs[0]);
        let found = crate::vclip::search(&pairs[0], vertex).features;
        let features = if case % 7 == 0 { FeaturePair { a: Feature::vertex(0), b: found.b } } else { found };
        let Some(kind) = FormulaKind::of(&features) else { continue };
        for level in Level::available() {
            let (lanes, good) = certified(level, &Case { pairs: &pairs, features });
            for (k, pair) in pairs.iter().enumerate() {
                let bound = pair.bound();
                let decided = apart(lanes[9][k], bound) | deep(lanes[9][k], bound);
                let in_lanes = good >> k & 1 == 1 && decided;
                let alone = local(pair, &features);
                assert_eq!(in_lanes, alone.is_some(), "case {case}, {features:?}, lane {k}, {level:?}");
                let Some(alone) = alone else {
                    refused += 1;
                    continue;
                };
                let of_lane: Vec<u64> = lanes[..13].iter().map(|lane| lane[k].to_bits()).collect();
                assert_eq!(of_lane, numbers(&alone), "case {case}, {features:?}, {level:?}");
                strict[kind as usize] += 1;
            }
        }
    }
    assert!(strict.iter().all(|&n| n > 500) && refused > 2000, "not representative: {strict:?}, {refused} refused");
    assert_eq!(FeatureKind::Face as usize, 2, "kinds are told apart by number");
}
