//! Support planes in lanes against those of one feature at a time, bit by bit.

use super::super::draw::Draw;
use super::*;
use crate::simd::{Portable, dispatch};

/// Eight features of one body, and what their planes are held against.
struct Case<'a> {
    p: &'a Polyhedron,
    features: [Feature; WIDTH],
    d: [Lane; 3],
    margin: Lane,
    bound: Lane,
}

#[inline(always)]
fn heights_body<S: Simd>(case: &Case<'_>) -> (Lane, u8, u8) {
    let mut own = Own::new(case.p, case.p.planes(), case.features[0].kind, &case.features);
    own.read::<S>();
    let by = Directions { d: &case.d, margin: &case.margin, bound: &case.bound };
    let (max, good) = own.heights::<S>(&by, u8::MAX);
    let clear = match case.features[0].kind {
        Vertex => own.around::<S>(&by),
        Edge => own.beside::<S>(&by),
        Face => own.below::<S>(&by),
    };
    (max, good, clear.bits() & own.all)
}

dispatch!(heights, heights_body, (case: &Case<'_>) -> (Lane, u8, u8));

#[test]
fn heights_in_lanes_are_those_of_one_feature_at_a_time() {
    let mut draw = Draw(7);
    let (mut clear, mut asked, mut refused) = ([0; 3], [0; 3], [0; 3]);
    for case in 0..240 {
        let p = draw.body(case % 5);
        if p.dimension < 3 {
            continue;
        }
        let counts = [(Vertex, p.count), (Edge, p.edges.len()), (Face, p.face_count())];
        for (kind, count) in counts {
            let pick = |draw: &mut Draw| ((0.5 * (draw.next() + 1.0) * count as f64) as u32).min(count as u32 - 1);
            for _ in 0..8 {
                let features = std::array::from_fn(|_| Feature { kind, index: pick(&mut draw) });
                let d = features.map(|feature| draw.direction(&p, feature));
                let margin = std::array::from_fn(|_| p.radius * 10.0_f64.powf(-7.5 + 6.5 * draw.next()));
                let bound = margin.map(|margin| margin / 4.0);
                let d = [d.map(|d| d.x), d.map(|d| d.y), d.map(|d| d.z)];
                let of = Case { p: &p, features, d, margin, bound };
                let (max, good, sure) = heights(&of);
                assert_eq!(heights_body::<Portable>(&of).1, good);
                for k in 0..WIDTH {
                    let d = Vec3::new(d[0][k], d[1][k], d[2][k]);
                    let alone = super::super::alone(&p, features[k], d, margin[k], bound[k]);
                    let found = (good >> k & 1 == 1).then_some(max[k]);
                    assert_eq!(found.map(f64::to_bits), alone.map(f64::to_bits), "case {case}: {:?}", features[k]);
                    match (alone.is_some(), sure >> k & 1 == 1) {
                        (true, true) => clear[kind as usize] += 1,
                        (true, false) => asked[kind as usize] += 1,
                        _ => refused[kind as usize] += 1,
                    }
                }
            }
        }
    }
    let all = |seen: [i32; 3], least: i32| seen.iter().all(|&n| n > least);
    assert!(all(clear, 2000) && all(asked, 20) && all(refused, 1000), "{clear:?} {asked:?} {refused:?}");
}
