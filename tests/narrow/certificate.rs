//! The certificate fed with wrong answers: it rejects each, or what it accepts is true all the
//! same.
//!
//! Truth is the oracle's, which shares no code with the engine. Every count that makes a test worth
//! its name is asserted.

use clearsweep_geometry::{Polyhedron, RelativePose, Vec3};
use clearsweep_narrow::answer::Answer;
use clearsweep_narrow::certificate::Claim;
use clearsweep_narrow::certificate::{self, Certificate};
use clearsweep_narrow::epa::{Polytope, ProvenDepth, Surface, is_of_facet, penetration, tetrahedron};
use clearsweep_narrow::feature::{Feature, FeaturePair};
use clearsweep_narrow::gjk::{self, Simplex};
use clearsweep_narrow::pair::{Pair, VertexPair};
use clearsweep_narrow::{FeatureKind, Method, Proximity, query_one};
use clearsweep_testing::bridge::{EVERYTHING, Solid, pose, recipe};
use clearsweep_testing::oracle::families::{self, Random, Regime, moved, place};
use clearsweep_testing::oracle::number::{Number, Wide, times};
use clearsweep_testing::oracle::{self, Body, Placement};

/// A pair of bodies at its poses, with the truth.
struct Case {
    a: Solid,
    b: Solid,
    pa: Placement,
    pb: Placement,
    truth: Wide,
}

impl Case {
    fn random(random: &mut Random, number: usize) -> Self {
        let regime = [Regime::Separated, Regime::Touching, Regime::Overlapping][number % 3];
        let [a, b] = [0; 2].map(|_| {
            let make = [families::compact, families::tied, families::flat, families::sliver][random.below(4)];
            let recipe = make(random, number);
            Solid::new(recipe.name, recipe.points, 0.0)
        });
        let (pa, pb) = place(random, &a.body, &b.body, regime);
        let truth = distance(&a.body, &pa, &b.body, &pb);
        Self { a, b, pa, pb, truth }
    }

    fn pair(&self) -> Pair<'_, f64> {
        self.pair_at(&self.pb)
    }

    fn pair_at(&self, pb: &Placement) -> Pair<'_, f64> {
        Pair::new(core(&self.a), core(&self.b), RelativePose::between(&pose(&self.pa), &pose(pb)), 0.0)
    }

    fn row(&self) -> Proximity {
        query_one(&self.a.shape, &self.b.shape, &pose(&self.pa), &pose(&self.pb), &EVERYTHING)
    }

    fn recipe(&self) -> String {
        recipe(&self.a, &self.pa, &self.b, &self.pb)
    }
}

fn core(solid: &Solid) -> &Polyhedron {
    &solid.shape.pieces[0].core
}

fn distance(a: &Body, pa: &Placement, b: &Body, pb: &Placement) -> Wide {
    oracle::signed_distance(a, pa, b, pb).distance
}

/// Every feature of a body.
fn features(p: &Polyhedron) -> Vec<Feature> {
    let vertices = (0..p.count as u32).map(Feature::vertex);
    let edges = (0..p.edges.len() as u32).map(Feature::edge);
    vertices.chain(edges).chain((0..p.face_count() as u32).map(Feature::face)).collect()
}

/// Whether the proven bracket of an accepted answer contains the truth. Where the cores overlap by
/// more than the contact band, local optimality does not claim a depth yet: only the lower end is
/// proven.
fn bracket_holds(answer: &Certificate, truth: Wide) -> bool {
    let (lower, upper) = answer.bracket();
    let below = (truth - Wide::of(lower)).value() >= 0.0;
    below && (!answer.in_contact_band() || (Wide::of(upper) - truth).value() >= 0.0)
}

/// The number and kind that a row names.
fn named(case: &Case, f: &FeaturePair) -> ([FeatureKind; 2], [i32; 2]) {
    let published = f.published([core(&case.a), core(&case.b)]);
    (published.kind, published.number)
}

/// (a) All feature pairs of a pair of bodies: at most one is accepted where they are apart, it is
/// the row's, and no accepted bracket misses the truth.
#[test]
fn wrong_features_are_refused() {
    let mut random = Random(1);
    let (mut tried, mut accepted, mut overlapping) = (0_usize, 0_usize, 0_usize);
    let (mut unique, mut parallel) = (0_usize, 0_usize);
    let mut regimes = [0; 3];
    for number in 0..3000 {
        let case = Case::random(&mut random, number);
        let pair = case.pair();
        let row = case.row();
        let bound = pair.bound();
        let truth = case.truth.value();
        let regime = if truth > 64.0 * bound { 0 } else { 1 + usize::from(truth < -64.0 * bound) };
        regimes[regime] += 1;
        let mut apart = Vec::new();
        for a in features(core(&case.a)) {
            for b in features(core(&case.b)) {
                let pair_of_features = FeaturePair { a, b };
                tried += 1;
                let Some(answer) = certificate::local(&pair, &pair_of_features) else { continue };
                accepted += 1;
                assert!(bracket_holds(&answer, case.truth), "{number}: {answer:?}, truth {truth:e}\n{}", case.recipe());
                if regime == 0 && answer.closest.distance > 0.0 {
                    apart.push((pair_of_features, Answer::certified(&answer).method));
                }
                overlapping += usize::from(!answer.in_contact_band());
            }
        }
        if regime == 0 {
            assert!(apart.len() <= 1, "{number}: two optima: {apart:?}\n{}", case.recipe());
            if let [(only, method)] = apart[..] {
                unique += usize::from(method == Method::Strict);
                parallel += usize::from(method == Method::Tie);
                assert_eq!(row.method, method, "{number}: {row:?}\n{}", case.recipe());
                assert_eq!((row.feature_kind, row.feature), named(&case, &only), "{number}\n{}", case.recipe());
            }
        }
    }
    assert!(tried > 1_000_000 && accepted * 100 < tried, "{tried} tried, {accepted} accepted");
    assert!(unique > 500 && overlapping > 500, "{unique} unique, {overlapping} overlapping");
    assert!(parallel > 50, "{parallel} parallel");
    assert!(regimes[0] > 900 && regimes[1] > 150 && regimes[2] > 900, "not representative: {regimes:?}");
}

/// (b) The right features at another pose: accepted only where they are optimal there.
#[test]
fn features_of_another_pose_are_refused_or_right() {
    let mut random = Random(2);
    let (mut refused, mut kept) = (0, 0);
    for number in 0..3000 {
        let case = Case::random(&mut random, number);
        let all: Vec<FeaturePair> = features(core(&case.a))
            .into_iter()
            .flat_map(|a| features(core(&case.b)).into_iter().map(move |b| FeaturePair { a, b }))
            .filter(|f| certificate::local(&case.pair(), f).is_some())
            .collect();
        for _ in 0..6 {
            let step = random.scale(1e-14, 1.0) * (case.a.body.reach + case.b.body.reach);
            let mut pb = moved(&case.pb, times(random.direction(), step));
            if random.chance(0.5) {
                let turn = random.scale(1e-12, 1.0);
                pb.q = [0, 1, 2, 3].map(|k: usize| pb.q[k] + turn * random.between(-1.0, 1.0));
            }
            let pair = case.pair_at(&pb);
            for f in &all {
                match certificate::local(&pair, f) {
                    None => refused += 1,
                    Some(answer) => {
                        kept += 1;
                        let truth = distance(&case.a.body, &case.pa, &case.b.body, &pb);
                        assert!(bracket_holds(&answer, truth), "{number}: {answer:?}, {truth:?}\n{}", case.recipe());
                    }
                }
            }
        }
    }
    assert!(refused > 2000 && kept > 2000, "{refused} refused, {kept} kept");
}

/// A surface of the Minkowski difference around the origin, and what it proves.
struct Shell {
    surface: Surface,
    answer: Certificate,
}

fn shell(pair: &Pair<'_, f64>) -> Option<Shell> {
    let found = gjk::search(pair, &Simplex::default(), f64::INFINITY);
    let mut polytope = Polytope::default();
    if !polytope.start(pair, tetrahedron(pair, &found.simplex)?) {
        return None;
    }
    let ProvenDepth { answer, rival } = penetration(pair, &mut polytope)?;
    if answer.in_contact_band() || rival.is_some() {
        return None;
    }
    let mut surface = Surface::default();
    polytope.remember(&mut surface).then_some(Shell { surface, answer })
}

impl Shell {
    fn points(&self, pair: &Pair<'_, f64>) -> Vec<Vec3<f64>> {
        self.surface.pairs().iter().map(|&p| pair.difference(p)).collect()
    }

    fn proves(&self, pair: &Pair<'_, f64>, claim: &Claim) -> bool {
        proves(&self.surface, &self.points(pair), pair, claim, &self.answer.features)
    }
}

fn proves(surface: &Surface, points: &[Vec3<f64>], pair: &Pair<'_, f64>, claim: &Claim, facet: &FeaturePair) -> bool {
    surface.proves(points, claim, |t| is_of_facet([pair.a, pair.b], facet, t))
}

/// (c) Surfaces that prove nothing, and claims that are too bold.
#[test]
fn wrong_surfaces_and_claims_are_refused() {
    let mut random = Random(3);
    let (mut shells, mut moved_away, mut replaced, mut replaced_kept) = (0, 0, 0, 0);
    for number in 0..6000 {
        let case = Case::random(&mut random, 3 * number + 2);
        let pair = case.pair();
        let Some(shell) = shell(&pair) else { continue };
        shells += 1;
        let right = certificate::claim(&shell.answer);
        assert!(shell.proves(&pair, &right), "{number}: what was found is proven");
        let depth = -case.truth.value();
        let bound = pair.bound();
        // Too deep by more than the bound.
        for more in [bound, 4.0 * bound, 1e-9 * pair.size, 0.5 * depth, depth, f64::INFINITY, f64::NAN] {
            let bold = Claim { facet: depth + more, others: depth + more };
            assert!(!shell.proves(&pair, &bold), "{number}: claims {more:e} too much\n{}", case.recipe());
        }
        // A triangle seen from inside.
        let remade = |pairs: &[VertexPair], triangles: &[[u8; 3]]| Surface::new(pairs, triangles).expect("as many");
        let (vertices, triangles) = (shell.surface.pairs(), shell.surface.triangles());
        for t in 0..triangles.len() {
            let mut turned = triangles.to_vec();
            turned[t].swap(0, 1);
            let turned = remade(vertices, &turned);
            assert!(!proves(&turned, &shell.points(&pair), &pair, &right, &shell.answer.features), "{number}: turned");
        }
        // Inside out, and none at all.
        let turned: Vec<_> = triangles.iter().map(|&[a, b, c]| [b, a, c]).collect();
        let turned = remade(vertices, &turned);
        assert!(!proves(&turned, &shell.points(&pair), &pair, &right, &shell.answer.features), "{number}: inside out");
        assert!(!proves(&Surface::default(), &[], &pair, &right, &shell.answer.features), "{number}: empty");
        // The same surface about a pose where the bodies are apart, or less deep than claimed.
        let truth = oracle::signed_distance(&case.a.body, &case.pa, &case.b.body, &case.pb);
        for share in [0.25, 0.9, 1.0, 1.5, 10.0] {
            let pb = moved(&case.pb, times(truth.normal, share * depth + 4.0 * bound));
            moved_away += 1;
            let there = case.pair_at(&pb);
            assert!(!shell.proves(&there, &right), "{number}: moved by {share} of the depth\n{}", case.recipe());
        }
        // A vertex replaced by another one: mostly refused; what is left is closed, so it may prove
        // what is true.
        for v in 0..vertices.len() {
            let mut other = vertices.to_vec();
            other[v] = [random.below(pair.a.count) as u32, random.below(pair.b.count) as u32];
            let points: Vec<_> = other.iter().map(|&p| pair.difference(p)).collect();
            let other = remade(&other, &triangles);
            for more in [0.0, 2.0 * bound] {
                let claim = Claim { facet: depth + more, others: depth + more };
                let kept = proves(&other, &points, &pair, &claim, &shell.answer.features);
                assert!(!kept || more == 0.0, "{number}: a replaced vertex proves too much\n{}", case.recipe());
                replaced += 1;
                replaced_kept += usize::from(kept);
            }
        }
    }
    assert!(shells > 2000 && moved_away > 10_000 && replaced > 20_000, "{shells} {moved_away} {replaced}");
    assert!(replaced_kept * 2 < replaced, "{replaced_kept} of {replaced}");
}

/// (d) Any direction at all bounds the distance from below.
#[test]
fn any_direction_bounds_from_below() {
    let mut random = Random(4);
    let mut near = 0;
    for number in 0..3000 {
        let case = Case::random(&mut random, number);
        let pair = case.pair();
        let truth = oracle::signed_distance(&case.a.body, &case.pa, &case.b.body, &case.pb);
        let along = oracle::into_frame(&case.pa, truth.normal);
        for k in 0..60 {
            // Also next to the best direction, where the bound is nearly attained.
            let d = random.direction();
            let d = if k % 2 == 0 { d } else { [0, 1, 2].map(|c: usize| along[c] + d[c] * random.scale(1e-17, 1e-2)) };
            let n = Vec3::from(d).normalized();
            let lower = pair.gap(n) - pair.bound();
            assert!(
                (case.truth - Wide::of(lower)).value() >= 0.0,
                "{number}: {n:?} gives {lower:e}\n{}",
                case.recipe()
            );
            near += usize::from(case.truth.value() - lower < 4.0 * pair.bound());
        }
    }
    assert!(near > 10_000, "the bound is to be attained often: {near}");
}

/// A surface with a hole.
#[test]
fn a_surface_with_a_hole_proves_nothing() {
    let mut random = Random(3);
    let mut tried = 0;
    for number in 0..200 {
        let case = Case::random(&mut random, 3 * number + 2);
        let pair = case.pair();
        let Some(shell) = shell(&pair) else { continue };
        let right = certificate::claim(&shell.answer);
        for t in 0..shell.surface.triangles().len() {
            let mut open = shell.surface.triangles().to_vec();
            open.remove(t);
            let open = Surface::new(shell.surface.pairs(), &open).expect("fewer");
            tried += 1;
            assert!(!proves(&open, &shell.points(&pair), &pair, &right, &shell.answer.features), "{number}: a hole");
        }
    }
    assert!(tried > 500);
}
