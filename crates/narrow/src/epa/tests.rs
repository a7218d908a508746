//! The depth against the complete list of directions; starts, steps and surfaces; equal bits at
//! every SIMD level.

use super::lanes::ClaimLanes;
use super::*;
use crate::cache::PieceCache;
use crate::certificate::Claim;
use crate::gjk;
use crate::pair_solver::{PairSolver, Parts, SearchMethod, solve};
use crate::resolver::directions;
use crate::search::SearchEnd;
use crate::solver_stats::SolverStats;
use clearsweep_base::simd::{Level, Portable, WIDTH, dispatch};
use clearsweep_geometry::hull::convex_hull;
use clearsweep_geometry::{Polyhedron, Pose, RelativePose};

struct RandomBodies(u64);

impl RandomBodies {
    /// In -1..1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn point(&mut self) -> Vec3<f64> {
        Vec3::new(self.next(), self.next(), self.next())
    }

    /// A hull of points in a cube or on a sphere, a box, or a double cone with many sides at its
    /// tips.
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
    (found.end == SearchEnd::Overlap && polytope.start(pair, tetrahedron(pair, &found.simplex)?)).then_some(polytope)
}

dispatch!(at lanes_at_level, lanes_body, (pair: &Pair<'_, f64>, surface: &Surface, claims: &ClaimLanes, answer: &Certificate) -> u8);

#[inline(always)]
fn lanes_body<S: Simd>(pair: &Pair<'_, f64>, surface: &Surface, claims: &ClaimLanes, answer: &Certificate) -> u8 {
    let vertices = |[i, j]: VertexPair| (pair.a.vertex(i), pair.b.vertex(j));
    let in_facet = |t: &[VertexPair; 3]| is_of_facet([pair.a, pair.b], &answer.features, t);
    lanes::proves::<S>(surface, vertices, &gather::broadcast(&pair.pose), claims, in_facet)
}

/// The proof in lanes against the proof of one pose: the claim itself, an easier one, and one that
/// is out of reach. They differ only where the filter of an exact sign is undecided, which is when
/// the origin is almost on a triangle's plane.
fn agrees_in_lanes(pair: &Pair<'_, f64>, surface: &Surface, answer: &Certificate, proven: bool) {
    let claim = certificate::claim(answer);
    let mut claims = ClaimLanes { facet: [claim.facet; WIDTH], others: [claim.others; WIDTH] };
    (claims.facet[2], claims.others[2]) = (0.5 * claim.facet, 0.5 * claim.facet);
    claims.facet[5] = f64::INFINITY;
    let easier = Claim { facet: claims.facet[2], others: claims.others[2] };
    let facet = |t: &[VertexPair; 3]| is_of_facet([pair.a, pair.b], &answer.features, t);
    let easier = surface.proves(&points(pair, surface), &easier, facet);
    for level in Level::available() {
        let lanes = lanes_at_level(level, pair, surface, &claims, answer);
        let expected = if proven { 0b1101_1011 } else { 0 } | u8::from(easier) << 2;
        assert_eq!(lanes & !0b10_0000, expected, "{level:?}");
        assert_eq!(lanes >> 5 & 1, u8::from(others_alone(pair, surface, &claim)), "{level:?}");
    }
}

/// Whether no triangle needs to belong to the facet for the claim.
fn others_alone(pair: &Pair<'_, f64>, surface: &Surface, claim: &Claim) -> bool {
    surface.proves(&points(pair, surface), claim, |_| false)
}

/// The vertices of a surface at a pose.
fn points(pair: &Pair<'_, f64>, surface: &Surface) -> Vec<Vec3<f64>> {
    surface.pairs().iter().map(|&vertices| pair.difference(vertices)).collect()
}

fn depth_of(grown: ExpansionEnd) -> Option<Certificate> {
    match grown {
        ExpansionEnd::Depth(proven) => Some(proven.answer),
        _ => None,
    }
}

fn bits(s: &Certificate) -> Vec<u64> {
    let c = &s.closest;
    let vectors = [c.normal, c.point_a, c.point_b].into_iter().flat_map(Vec3::to_array);
    vectors.chain([c.distance, c.residual, c.interior, s.gap, s.margin]).map(f64::to_bits).collect()
}

/// The expansion against the complete list of directions, which shares no code with it.
#[test]
fn the_depth_is_the_best_gap_of_all_directions() {
    let mut draw = RandomBodies(17);
    let (mut overlaps, mut strict, mut climbing, mut grown, mut still, mut no_longer) = (0, 0, 0, 0, 0, 0);
    let mut last = Polytope::default();
    for case in 0..900 {
        let (a, b) = (draw.body(case), draw.body(case / 5));
        let pair = Pair::new(&a, &b, draw.pose(), 0.0);
        let Some(mut polytope) = start(&pair) else { continue };
        overlaps += 1;
        let deepest = penetration(&pair, &mut polytope).map(|proven| proven.answer);
        let Some(answer) = deepest.filter(|s| !s.in_contact_band()) else { continue };
        strict += 1;
        climbing += u32::from(pair.climbs());
        let (near, _) = directions::best_directions(&pair, 1.0);
        let best = near.iter().map(|d| d.gap).fold(f64::NEG_INFINITY, f64::max);
        let off = (answer.closest.distance - best).abs();
        assert!(off <= pair.bound(), "case {case}: {} and {best}", answer.closest.distance);
        // The remembered surface is closed, and proves the same at the same pose: alone, in lanes,
        // and in a polytope again.
        let mut surface = Surface::default();
        if !polytope.remember(&mut surface) {
            continue;
        }
        assert!(surface.is_closed() && surface.triangles().len() + 4 == 2 * surface.pairs().len(), "case {case}");
        let facet = |t: &[VertexPair; 3]| is_of_facet([pair.a, pair.b], &answer.features, t);
        assert!(surface.proves(&points(&pair, &surface), &certificate::claim(&answer), facet), "case {case}");
        assert!(last.verifies(&pair, &surface, &answer), "case {case}");
        agrees_in_lanes(&pair, &surface, &answer, true);
        assert!(last.proves(&certificate::claim(&answer), facet), "case {case}");
        // At a pose near by it need not be convex; it expands to the answer of that pose.
        let mut pose = pair.pose;
        pose.t = pose.t + draw.point().scale(0.05);
        let moved = Pair::new(&a, &b, pose, 0.0);
        if let Some(there) = certificate::local(&moved, &answer.features).filter(|s| !s.in_contact_band()) {
            let facet = |t: &[VertexPair; 3]| is_of_facet([moved.a, moved.b], &there.features, t);
            let proven = surface.proves(&points(&moved, &surface), &certificate::claim(&there), facet);
            assert_eq!(last.verifies(&moved, &surface, &there), proven, "case {case}");
            agrees_in_lanes(&moved, &surface, &there, proven);
            if proven { still += 1 } else { no_longer += 1 }
        }
        last.restore(&moved, &surface);
        let warm = penetration(&moved, &mut last).map(|proven| proven.answer);
        let Some(warm) = warm.filter(|s| !s.in_contact_band()) else { continue };
        let cold =
            start(&moved).and_then(|mut polytope| penetration(&moved, &mut polytope)).map(|proven| proven.answer);
        let cold = cold.expect("what a warm start proves is strict");
        assert_eq!((warm.features, bits(&warm)), (cold.features, bits(&cold)), "case {case}");
        grown += 1;
    }
    assert!(overlaps > 400 && strict * 10 > overlaps * 8 && climbing > 80, "{overlaps}, {strict}, {climbing}");
    assert!(grown * 2 > strict, "{grown} of {strict} grown");
    assert!(still > 100 && no_longer > 100, "{still} still proven, {no_longer} no longer");
}

/// A start without GJK against the complete list of directions and against the start from GJK's
/// tetrahedron. Bodies that are apart have no depth, and leave a triangle for GJK.
#[test]
fn a_start_from_supports_finds_the_depth() {
    let mut draw = RandomBodies(37);
    let (mut overlaps, mut found, mut strict, mut climbing, mut apart, mut triangles) = (0, 0, 0, 0, 0, 0);
    for case in 0..1500 {
        let (a, b) = (draw.body(case), draw.body(case / 5));
        let mut pose = draw.pose();
        pose.t = pose.t.scale(if case % 3 == 0 { 1.7 } else { 1.0 });
        let pair = Pair::new(&a, &b, pose, 0.0);
        // Any axis is a valid start.
        let axis = [pair.pose.t, draw.point(), Vec3::ZERO][[0, 0, 0, 1, 2][case / 7 % 5]];
        let (mut polytope, mut simplex) = (Polytope::default(), Simplex::default());
        let around = depth_of(penetration_from_supports(&pair, axis, &mut polytope, &mut simplex));
        let around = around.filter(|s| !s.in_contact_band());
        let Some(mut tetrahedron) = start(&pair) else {
            assert!(around.is_none(), "case {case}");
            apart += 1;
            triangles += u32::from(simplex.count == 3);
            continue;
        };
        overlaps += 1;
        assert!(simplex.count == 0, "case {case}");
        let by_gjk = penetration(&pair, &mut tetrahedron).map(|proven| proven.answer).filter(|s| !s.in_contact_band());
        strict += u32::from(by_gjk.is_some());
        let Some(answer) = around else { continue };
        found += 1;
        climbing += u32::from(pair.climbs());
        let by_gjk = by_gjk.expect("strict from one start, strict from the other");
        assert_eq!((answer.features, bits(&answer)), (by_gjk.features, bits(&by_gjk)), "case {case}");
        let (near, _) = directions::best_directions(&pair, 1.0);
        let best = near.iter().map(|d| d.gap).fold(f64::NEG_INFINITY, f64::max);
        assert!((answer.closest.distance - best).abs() <= pair.bound(), "case {case}: {best}");
        let mut surface = Surface::default();
        if polytope.remember(&mut surface) {
            assert!(surface.is_closed(), "case {case}");
        }
    }
    assert!(overlaps > 600 && found * 10 > strict * 9 && climbing > 100, "{found}, {strict} of {overlaps}, {climbing}");
    assert!(apart > 150 && triangles * 10 > apart * 8, "{triangles} of {apart} apart");
}

/// Supports of small bodies coincide: the start is closed all the same.
#[test]
fn starts_with_equal_supports_are_closed() {
    let mut draw = RandomBodies(41);
    let mut counts = [0; 7];
    for case in 0..600 {
        let few: Vec<_> = (0..4).map(|_| draw.point()).collect();
        let (a, b) = (convex_hull(&few).expect("finite points"), draw.body([0, 1][case % 2]));
        let pair = Pair::new(&a, &b, draw.pose(), 0.0);
        let (mut polytope, mut surface) = (Polytope::default(), Surface::default());
        polytope.mesh().start_from_supports::<Portable>(&pair, pair.pose.t);
        assert!(polytope.remember(&mut surface), "case {case}");
        let vertices = surface.pairs().len();
        counts[vertices] += 1;
        assert!(vertices == 0 || surface.is_closed(), "case {case}");
        assert!(surface.triangles().len() + 4 == 2 * vertices || vertices == 0, "case {case}: {surface:?}");
    }
    assert!(counts[4] > 20 && counts[5] > 50 && counts[6] > 100 && counts[0] < 10, "{counts:?}");
}

/// A pair that is asked once for one sample keeps its features only; asked again, also its surface.
#[test]
fn a_surface_is_remembered_from_the_second_sample_on() {
    let mut draw = RandomBodies(43);
    let mut verified = 0;
    for case in 0..60 {
        let [a, b] = [draw.body(1), draw.body(2)];
        let (pose_a, pose_b) = (Pose::IDENTITY, Pose::new(draw.point().scale(0.2).to_array(), [1.0, 0.2, 0.3, 0.4]));
        let relative = RelativePose::between(&pose_a, &pose_b);
        let parts = Parts { cores: [&a, &b], growth: 0.0, pose_a: &pose_a, pose_b: &pose_b, relative: &relative };
        let (mut cache, mut polytope, mut stats) = (PieceCache::default(), Polytope::default(), SolverStats::default());
        for asked in 0..3 {
            let search = [SearchMethod::Auto, SearchMethod::Gjk(gjk::GjkOptions::DEFAULT)][case % 2];
            let mut solver = PairSolver { search, single: true, polytope: &mut polytope, overlap: None };
            let answer = solve(&parts, f64::INFINITY, &mut cache, &mut solver, &mut stats).answered();
            assert!(answer.is_some_and(|answer| answer.distance < 0.0), "case {case}");
            assert_eq!(cache.surface().is_some(), asked > 0, "case {case}, asked {asked} times before");
        }
        verified += stats.surface_verified;
        let mut cache = PieceCache::default();
        let mut solver =
            PairSolver { search: SearchMethod::Auto, single: false, polytope: &mut polytope, overlap: None };
        solve(&parts, f64::INFINITY, &mut cache, &mut solver, &mut stats);
        assert!(cache.surface().is_some(), "case {case}: more samples are to come");
    }
    assert!(verified > 50, "{verified}");
}

/// Points of a sphere one by one, and then far points that see many triangles: after each step the
/// polytope is their hull.
#[test]
fn an_expanding_polytope_is_the_hull_of_its_vertices() {
    let mut draw = RandomBodies(23);
    let (mut steps, mut wide) = (0, 0);
    for case in 0..60 {
        // The vertices are given, instead of being found as supports.
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

/// The numbers of all live triangles of a polytope.
fn living(polytope: &Polytope) -> Vec<usize> {
    let mut found: Vec<(usize, [VertexPair; 3])> = Vec::new();
    while let Some((t, _)) = polytope.nearest(|v| found.iter().any(|(_, known)| known == v)) {
        found.push((t, polytope.vertex_pairs(t)));
    }
    found.into_iter().map(|(t, _)| t).collect()
}

dispatch!(at expand_at_level, expand_to_boundary_body, (pair: &Pair<'_, f64>, mesh: &mut PolytopeMesh) -> ExpansionEnd);
dispatch!(at start_at_level, start_and_expand_body, (pair: &Pair<'_, f64>, axis: Vec3<f64>, mesh: &mut PolytopeMesh) -> ExpansionEnd);

/// The expansion takes the same steps at every SIMD level.
#[test]
fn all_levels_give_the_same_bits() {
    let mut draw = RandomBodies(29);
    let (mut compared, mut around) = (0, 0);
    for case in 0..300 {
        let (a, b) = (draw.body(case), draw.body(case / 5));
        let pair = Pair::new(&a, &b, draw.pose(), 0.0);
        let (Some(mut wide), Some(mut plain)) = (start(&pair), start(&pair)) else { continue };
        let deepest = penetration(&pair, &mut wide).map(|proven| proven.answer);
        let answers = [deepest, depth_of(expand_to_boundary_body::<Portable>(&pair, plain.mesh()))];
        let [x, y] = answers.map(|s| s.map(|s| (s.features, bits(&s))));
        assert_eq!(x, y, "case {case}");
        for level in Level::available() {
            let Some(mut again) = start(&pair) else { continue };
            let z = expand_at_level(level, &pair, again.mesh());
            assert_eq!(x, depth_of(z).map(|s| (s.features, bits(&s))), "case {case}, {level:?}");
        }
        let mut surfaces = [Surface::default(), Surface::default()];
        let kept = [wide.remember(&mut surfaces[0]), plain.remember(&mut surfaces[1])];
        assert_eq!((kept[0], &surfaces[0]), (kept[1], &surfaces[1]), "case {case}");
        compared += u32::from(x.is_some());
        let (mut wide, mut plain) = (Polytope::default(), Polytope::default());
        let mut grown = vec![
            start_and_expand(&pair, pair.pose.t, wide.mesh()),
            start_and_expand_body::<Portable>(&pair, pair.pose.t, plain.mesh()),
        ];
        for level in Level::available() {
            grown.push(start_at_level(level, &pair, pair.pose.t, plain.mesh()));
        }
        let all: Vec<_> = grown.into_iter().map(|s| depth_of(s).map(|s| (s.features, bits(&s)))).collect();
        assert!(all.iter().all(|s| *s == all[0]), "case {case}");
        around += u32::from(all[0].is_some());
    }
    assert!(compared > 100 && around > 100, "{compared} and {around} overlaps");
}
