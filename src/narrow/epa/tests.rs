use super::*;
use crate::geometry::hull::convex_hull;
use crate::geometry::{Polyhedron, Pose, RelativePose};
use crate::narrow::gjk;
use crate::narrow::resolver::directions;
use crate::narrow::simd::Portable;

struct Draw(u64);

impl Draw {
    /// In -1..1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn point(&mut self) -> Vec3<f64> {
        Vec3::new(self.next(), self.next(), self.next())
    }

    /// A hull of points in a cube or on a sphere, a box, or a double cone with many sides at its tips.
    fn body(&mut self, kind: usize) -> Polyhedron {
        let signs = |k: usize| [0, 1, 2].map(|axis| if k >> axis & 1 == 1 { 1.0 } else { -0.6 });
        let points: Vec<Vec3<f64>> = match kind % 5 {
            0 => (0..8).map(|k| signs(k).into()).collect(),
            1 => (0..12).map(|_| self.point()).collect(),
            2 => (0..60).map(|_| self.point().normalized()).collect(),
            3 => (0..300).map(|_| self.point().normalized()).collect(),
            _ => {
                let side = |k: i32| (0.31 * f64::from(k)).sin_cos();
                let ring = (0..20).map(|k| Vec3::new(side(k).0, side(k).1, 0.01 * self.next()));
                ring.chain([Vec3::new(0.1, 0.0, 1.0), Vec3::new(0.0, 0.2, -1.0)]).collect()
            }
        };
        convex_hull(&points).expect("finite points")
    }

    fn pose(&mut self) -> RelativePose<f64> {
        let at = self.point().normalized().scale(0.9 + 0.7 * self.next());
        let q = [self.next(), self.next(), self.next(), self.next()];
        RelativePose::between(&Pose::IDENTITY, &Pose::new(at.to_array(), q))
    }
}

/// A polytope around the origin, where the bodies overlap.
fn start(pair: &Pair<'_, f64>) -> Option<Polytope> {
    let found = gjk::search(pair, &Simplex::default(), f64::INFINITY);
    let mut polytope = Polytope::default();
    (found.end == gjk::End::Overlap && polytope.start(pair, tetrahedron(pair, &found.simplex)?)).then_some(polytope)
}

fn found(grown: Grown) -> Option<Strict> {
    match grown {
        Grown::Deepest(strict) => Some(strict),
        _ => None,
    }
}

fn bits(s: &Strict) -> Vec<u64> {
    let c = &s.closest;
    let vectors = [c.normal, c.point_a, c.point_b].into_iter().flat_map(Vec3::to_array);
    vectors.chain([c.distance, c.residual, c.interior, s.gap, s.margin]).map(f64::to_bits).collect()
}

/// Against the complete list of directions, which shares no code with the search.
#[test]
fn the_depth_is_the_best_gap_of_all_directions() {
    let mut draw = Draw(17);
    let (mut overlaps, mut strict, mut climbing, mut grown) = (0, 0, 0, 0);
    let mut last = Polytope::default();
    for case in 0..900 {
        let (a, b) = (draw.body(case), draw.body(case / 5));
        let pair = Pair::new(&a, &b, draw.pose(), 0.0);
        let Some(mut polytope) = start(&pair) else { continue };
        overlaps += 1;
        let Some(answer) = deepest(&pair, &mut polytope).filter(|s| !s.in_contact_band()) else { continue };
        strict += 1;
        climbing += u32::from(pair.climbs());
        let (near, _) = directions::best(&pair, 1.0);
        let best = near.iter().map(|d| d.gap).fold(f64::NEG_INFINITY, f64::max);
        let off = (answer.closest.distance - best).abs();
        assert!(off <= pair.bound(), "case {case}: {} and {best}", answer.closest.distance);
        // What is remembered is closed, and proves the same at the same pose, alone and when it is taken up again.
        let mut surface = Surface::default();
        if !polytope.remember(&mut surface) {
            continue;
        }
        assert!(surface.is_closed() && surface.triangles().len() + 4 == 2 * surface.pairs().len(), "case {case}");
        let facet = |t: &[VertexPair; 3]| is_of_facet(&pair, &answer.features, t);
        let points = last.place(&pair, &surface).to_vec();
        assert!(surface.proves(&points, &strict::claim(&answer), facet), "case {case}");
        last.restore(&surface);
        assert!(last.proves(&strict::claim(&answer), facet), "case {case}");
        // Looked up at a pose near by it need not be convex any more; what it grows to is the answer there.
        let mut pose = pair.pose;
        pose.t = pose.t + draw.point().scale(0.05);
        let moved = Pair::new(&a, &b, pose, 0.0);
        last.place(&moved, &surface);
        last.restore(&surface);
        let Some(warm) = deepest(&moved, &mut last).filter(|s| !s.in_contact_band()) else { continue };
        let cold = start(&moved).and_then(|mut polytope| deepest(&moved, &mut polytope));
        let cold = cold.expect("what a warm start proves is strict");
        assert_eq!((warm.features, bits(&warm)), (cold.features, bits(&cold)), "case {case}");
        grown += 1;
    }
    assert!(overlaps > 400 && strict * 10 > overlaps * 8 && climbing > 80, "{overlaps}, {strict}, {climbing}");
    assert!(grown * 2 > strict, "{grown} of {strict} grown");
}

/// Points of a sphere in turn, and then far ones that see many triangles: each step leaves their hull.
#[test]
fn an_expanding_polytope_is_the_hull_of_its_vertices() {
    let mut draw = Draw(23);
    let (mut steps, mut wide) = (0, 0);
    for case in 0..60 {
        // The hull of all, of which the search for its vertices is skipped: each is handed in.
        let count = 8 + case % 70;
        let mut points: Vec<_> = (0..count).map(|_| draw.point().normalized()).collect();
        points.extend((0..3).map(|_| draw.point().normalized().scale(1.5)));
        let a = convex_hull(&points).expect("finite points");
        let b = convex_hull(&[Vec3::ZERO]).expect("a point");
        let pair = Pair::new(&a, &b, RelativePose::between(&Pose::IDENTITY, &Pose::IDENTITY), 0.0);
        let mut order: Vec<u32> = (0..a.count as u32).collect();
        order.sort_by_key(|&v| a.vertex(v).length() > 1.2);
        let mut polytope = Polytope::default();
        let corners = [order[0], order[1], order[2], order[3]].map(|v| [v, 0]);
        assert!(polytope.start(&pair, corners), "case {case}");
        for (n, &v) in order.iter().enumerate().skip(4) {
            let p = a.vertex(v);
            let height = |t: usize| polytope.normal(t).dot(p - pair.difference(polytope.vertex_pairs(t)[0]));
            let living = living(&polytope);
            let highest = living.iter().copied().reduce(|t, u| if height(u) > height(t) { u } else { t });
            let highest = highest.expect("a surface");
            if height(highest) < 1e-9 {
                continue;
            }
            let seen = living.iter().filter(|&&t| height(t) > 1e-12).count();
            assert!(polytope.expand(&pair, highest, [v, 0]), "case {case}, step {n}");
            steps += 1;
            wide += u32::from(seen > 6);
            for t in self::living(&polytope) {
                let corner = pair.difference(polytope.vertex_pairs(t)[0]);
                for &w in &order[..=n] {
                    let above = polytope.normal(t).dot(a.vertex(w) - corner);
                    assert!(above < 1e-12, "case {case}, step {n}: {w} is {above:e} above");
                }
            }
            let mut surface = Surface::default();
            if polytope.remember(&mut surface) {
                assert!(surface.is_closed(), "case {case}, step {n}");
            }
            assert!(!polytope.clone().expand(&pair, highest, [v, 0]), "a vertex twice");
        }
    }
    assert!(steps > 1200 && wide > 60, "{steps} steps, {wide} with wide holes");
}

/// All triangles of a polytope, by their numbers.
fn living(polytope: &Polytope) -> Vec<usize> {
    let mut found: Vec<(usize, [VertexPair; 3])> = Vec::new();
    while let Some((t, _)) = polytope.nearest(|v| found.iter().any(|(_, known)| known == v)) {
        found.push((t, polytope.vertex_pairs(t)));
    }
    found.into_iter().map(|(t, _)| t).collect()
}

/// In registers of four lanes; `None` where the processor has none.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "entered only where the processor has the instructions")]
fn by_avx2(pair: &Pair<'_, f64>, work: &mut Work) -> Option<Grown> {
    #[target_feature(enable = "avx2")]
    unsafe fn run(pair: &Pair<'_, f64>, work: &mut Work) -> Grown {
        grow_body::<crate::narrow::simd::Avx2>(pair, work)
    }
    // SAFETY: the feature was asked for.
    is_x86_feature_detected!("avx2").then(|| unsafe { run(pair, work) })
}

/// The same steps in the widest registers, in narrower ones, and in none.
#[test]
fn all_levels_give_the_same_bits() {
    let mut draw = Draw(29);
    let mut compared = 0;
    for case in 0..300 {
        let (a, b) = (draw.body(case), draw.body(case / 5));
        let pair = Pair::new(&a, &b, draw.pose(), 0.0);
        let (Some(mut wide), Some(mut plain)) = (start(&pair), start(&pair)) else { continue };
        let answers = [deepest(&pair, &mut wide), found(grow_body::<Portable>(&pair, plain.work()))];
        let [x, y] = answers.map(|s| s.map(|s| (s.features, bits(&s))));
        assert_eq!(x, y, "case {case}");
        #[cfg(target_arch = "x86_64")]
        if let Some(z) = start(&pair).and_then(|mut middle| by_avx2(&pair, middle.work())) {
            assert_eq!(x, found(z).map(|s| (s.features, bits(&s))), "case {case}");
        }
        let mut surfaces = [Surface::default(), Surface::default()];
        let kept = [wide.remember(&mut surfaces[0]), plain.remember(&mut surfaces[1])];
        assert_eq!((kept[0], &surfaces[0]), (kept[1], &surfaces[1]), "case {case}");
        compared += u32::from(x.is_some());
    }
    assert!(compared > 100, "{compared} overlaps");
}
