//! Bounds of both directions against points.

use super::tetrahedron::Tetrahedron;
use super::*;
use crate::Polyhedron;
use crate::hull::convex_hull;
use crate::mesh::fans;
use crate::triangle_tree::Corners;

const SETTLED: f64 = 1e-9;

struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn point(&mut self) -> Vec3<f64> {
        Vec3::new(2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0)
    }
}

fn v(x: f64, y: f64, z: f64) -> Vec3<f64> {
    Vec3::new(x, y, z)
}

fn cuboid(low: Vec3<f64>, high: Vec3<f64>) -> Polyhedron {
    let corners: Vec<Vec3<f64>> = (0..8)
        .map(|i| {
            let pick = |k: usize| if i >> k & 1 == 1 { high[k] } else { low[k] };
            v(pick(0), pick(1), pick(2))
        })
        .collect();
    convex_hull(&corners).expect("a hull")
}

fn surface(core: &Polyhedron) -> Vec<Corners> {
    fans(core).map(|(_, fan)| fan.map(|v| core.vertex(v))).collect()
}

fn both(solid: Vec<Corners>, pieces: &[Polyhedron]) -> [SolidReach; 2] {
    let (solid, pieces) = (TriangleSolid::new(solid), PieceUnion::new(pieces));
    [out_of_pieces(&solid, &pieces, SETTLED), out_of_solid(&pieces, &solid, SETTLED)]
}

#[test]
fn a_solid_and_pieces_that_fill_it_are_as_near_as_rounding() {
    let unit = cuboid(v(0.0, 0.0, 0.0), v(1.0, 1.0, 1.0));
    // Cut where no cell is: between the pieces nothing is lost.
    let halves = [cuboid(v(0.0, 0.0, 0.0), v(0.37, 1.0, 1.0)), cuboid(v(0.37, 0.0, 0.0), v(1.0, 1.0, 1.0))];
    for pieces in [&halves[..], std::slice::from_ref(&unit)] {
        let [missing, excess] = both(surface(&unit), pieces);
        assert!(missing.upper <= 2.0 * SETTLED && excess.upper <= 2.0 * SETTLED, "{missing:?} {excess:?}");
        assert!(missing.upper > 0.0 && excess.upper > 0.0);
    }
}

#[test]
fn gaps_and_excess_are_measured_to_their_middle() {
    let unit = cuboid(v(0.0, 0.0, 0.0), v(1.0, 1.0, 1.0));
    // A slab of 0.1 is missing in the middle, which no surface of the solid shows but its border.
    // Each cell is bounded by one piece, so that all cells at the middle of the slab have to be
    // small: the work ends before the bound is sharp.
    let pieces = [cuboid(v(0.0, 0.0, 0.0), v(0.4, 1.0, 1.0)), cuboid(v(0.5, 0.0, 0.0), v(1.0, 1.0, 1.0))];
    let [missing, excess] = both(surface(&unit), &pieces);
    assert!(
        missing.upper >= 0.05 && missing.upper < 0.06 && missing.lower > 0.049 && excess.upper < 2.0 * SETTLED,
        "{missing:?} {excess:?}"
    );
    // Pieces that reach beyond a side by 0.2.
    let [missing, excess] = both(surface(&unit), &[cuboid(v(0.0, 0.0, 0.0), v(1.2, 1.0, 1.0))]);
    assert!(excess.upper >= 0.2 && excess.upper < 0.204 && missing.upper < 2.0 * SETTLED, "{missing:?} {excess:?}");
}

/// A piece that fills a cavity is as far from the solid as the middle of the cavity; a gap inside
/// of a solid is as wide as it is.
#[test]
fn what_no_surface_shows_is_measured() {
    let outer = cuboid(v(-1.0, -1.0, -1.0), v(1.0, 1.0, 1.0));
    let inner = cuboid(v(-0.25, -0.25, -0.25), v(0.25, 0.25, 0.25));
    let cavity = surface(&inner).into_iter().map(|[a, b, c]| [a, c, b]);
    let hollow: Vec<Corners> = surface(&outer).into_iter().chain(cavity).collect();
    let [missing, excess] = both(hollow, std::slice::from_ref(&outer));
    assert!(excess.upper >= 0.25 && excess.upper < 0.255, "{excess:?}");
    assert!(missing.upper < 2.0 * SETTLED, "{missing:?}");
    // Six slabs around a gap of the size of the inner cube.
    let (l, h) = (0.25, 1.0);
    let slabs = [
        cuboid(v(-h, -h, -h), v(h, h, -l)),
        cuboid(v(-h, -h, l), v(h, h, h)),
        cuboid(v(-h, -h, -l), v(h, -l, l)),
        cuboid(v(-h, l, -l), v(h, h, l)),
        cuboid(v(-h, -l, -l), v(-l, l, l)),
        cuboid(v(l, -l, -l), v(h, l, l)),
    ];
    let [missing, excess] = both(surface(&outer), &slabs);
    assert!(missing.upper >= 0.25 && missing.upper < 0.255, "{missing:?}");
    assert!(excess.upper < 2.0 * SETTLED, "{excess:?}");
}

#[test]
fn bounds_hold_for_random_pieces_and_are_tight() {
    let mut random = Random(3);
    let ball = |random: &mut Random, at: Vec3<f64>, size: f64| {
        let points: Vec<Vec3<f64>> = (0..12).map(|_| at + random.point().normalized().scale(size)).collect();
        convex_hull(&points).expect("a hull")
    };
    let mut loose = 0;
    for round in 0..12 {
        let body = ball(&mut random, Vec3::ZERO, 1.0);
        let pieces: Vec<Polyhedron> = (0..3)
            .map(|_| {
                let at = random.point().scale(0.4);
                ball(&mut random, at, 0.8)
            })
            .collect();
        let [missing, excess] = both(surface(&body), &pieces);
        let (solid, union) = (TriangleSolid::new(surface(&body)), PieceUnion::new(&pieces));
        for _ in 0..4000 {
            let p = random.point().scale(1.3);
            let (inside, of_pieces) = (solid.contains(p).0, union.nearest(p, 1)[0].0);
            if inside {
                assert!(of_pieces <= missing.upper, "round {round}: {p:?}");
            }
            if of_pieces == 0.0 && !inside {
                assert!(solid.tree.nearest(p, usize::MAX).d2.sqrt() <= excess.upper, "round {round}: {p:?}");
            }
        }
        for reach in [missing, excess] {
            loose += i32::from(reach.upper > reach.lower * 1.02 + 2.0 * SETTLED);
        }
    }
    assert_eq!(loose, 0, "each is within the excess of a point");
}

#[test]
fn a_cut_keeps_the_volume() {
    let volume = |t: &Tetrahedron| {
        let [a, b, c, d] = t.0;
        (b - a).dot((c - a).cross(d - a)).abs()
    };
    let mut random = Random(9);
    for _ in 0..500 {
        let whole = Tetrahedron([0; 4].map(|_| random.point()));
        let (n, at) = (random.point(), random.point().scale(0.3));
        let values = whole.0.map(|p| n.dot(p - at));
        let mut parts = Vec::new();
        whole.cut(values, &mut parts);
        let sum: f64 = parts.iter().map(volume).sum();
        assert!((sum - volume(&whole)).abs() < 1e-12, "{values:?}: {} parts", parts.len());
        for part in &parts {
            let sides = part.0.map(|p| n.dot(p - at));
            assert!(sides.iter().all(|&s| s < 1e-12) || sides.iter().all(|&s| s > -1e-12), "{sides:?}");
        }
    }
    let sum: f64 = Tetrahedron::of_box(v(0.0, 0.0, 0.0), v(1.0, 2.0, 3.0)).iter().map(volume).sum();
    assert!((sum - 36.0).abs() < 1e-12);
}
