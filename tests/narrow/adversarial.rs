//! Proportions and places chosen to break an engine, against the oracle and against memory from
//! elsewhere.

#![allow(clippy::print_stderr)] // the statistics are for whoever runs the tests

use clearsweep_narrow::query_one;
use clearsweep_testing::bridge::{self, EVERYTHING, Solid, pose};
use clearsweep_testing::oracle::Placement;
use clearsweep_testing::oracle::families::{self, Random, Regime, moved, place};
use clearsweep_testing::oracle::number::{Number, Wide, times};
use clearsweep_testing::survey::survey;

const STILL: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

/// A small body inside or near any other one.
#[test]
fn bodies_inside_bodies() {
    survey("inside", 77, 6_000, [0.2, 0.4], |r, k| {
        let a = Solid::from_recipe(families::mixed(r, k));
        let share = r.scale(1e-6, 0.2);
        let small = families::compact(r, k).points.iter().map(|p| p.map(|c| c * share)).collect();
        let (q, t) = (r.turn(), times(r.direction(), r.between(0.0, 0.2)));
        (a, Placement::new([0.0; 3], STILL), Solid::new("small", small, 0.0), Placement::new(t, q))
    });
}

/// Thousands of kilometres, a million, and 1e15 m away from the origin of the world.
#[test]
fn solids_far_away() {
    survey("far solids", 78, 6_000, [0.4, 0.25], |r, k| {
        let solid = |r: &mut Random, k: usize| match k % 3 {
            0 => families::compact(r, k),
            1 => families::medium(r, k),
            _ => families::round(r, 5),
        };
        let (a, b) = (Solid::from_recipe(solid(r, k)), Solid::from_recipe(solid(r, k / 3)));
        let regime = [Regime::Separated, Regime::Touching, Regime::Overlapping][r.below(3)];
        let (pa, pb) = place(r, &a.body, &b.body, regime);
        let far = times(r.direction(), [5e6, 1e9, 1e15][r.below(3)]);
        (a, moved(&pa, far), b, moved(&pb, far))
    });
}

/// Spheres about nearly one centre: the bracket is opened by no more than the rounding of the
/// radii.
#[test]
fn nearly_concentric_spheres() {
    let mut random = Random(3);
    for case in 0..100_000 {
        let radii = [0; 2].map(|_| random.between(0.25, 1.1));
        let [a, b] = radii.map(|r| bridge::shape(&[[0.0; 3]], r));
        let t = times(random.direction(), random.scale(1e-18, 1e-12));
        let here = Placement::new([0.0; 3], STILL);
        let row = query_one(&a, &b, &pose(&here), &pose(&Placement::new(t, STILL)), &EVERYTHING);
        let [x, y, z] = t.map(Wide::of);
        let truth = (x * x + y * y + z * z).root() - Wide::sum(radii[0], radii[1]);
        let (below, above) = ((truth - Wide::of(row.lower)).value(), (Wide::of(row.upper) - truth).value());
        assert!(below >= 0.0 && above >= 0.0, "case {case}: radii {radii:?}, {t:?}: {row:?}, truth {truth:?}");
    }
}
