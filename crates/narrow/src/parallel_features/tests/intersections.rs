//! The two ways to the centroid of an intersection, held against each other and against known
//! figures.

use super::chains::intersection_of_chains;
use super::outline::{Intersection, PlaneOutline, PlanePoint, intersection};
use crate::certificate::random_bodies::RandomBodies;
use clearsweep_geometry::Vec3;

type Many = PlaneOutline<f64, 32>;

fn outline(vertices: &[PlanePoint<f64>]) -> Many {
    let mut outline = PlaneOutline::empty();
    for (i, &[x, y]) in vertices.iter().enumerate() {
        let [u, v] = vertices[(i + 1) % vertices.len()];
        outline.push([x, y], Vec3::new(u - x, v - y, 0.0));
    }
    outline
}

/// A polygon with vertices on a turned ellipse.
fn polygon(draw: &mut RandomBodies, count: usize) -> Many {
    let (phase, turn) = (3.0 * draw.next(), 3.0 * draw.next());
    let radii = [1.0 + 0.9 * draw.next(), 1.0 + 0.9 * draw.next()];
    let centre = [draw.next(), draw.next()];
    let place = |k: usize| {
        let angle = phase + std::f64::consts::TAU * k as f64 / count as f64;
        let (x, y) = (radii[0] * angle.cos(), radii[1] * angle.sin());
        [centre[0] + x * turn.cos() - y * turn.sin(), centre[1] + x * turn.sin() + y * turn.cos()]
    };
    outline(&(0..count).map(place).collect::<Vec<_>>())
}

fn is_near(found: &Intersection<f64>, other: &Intersection<f64>, room: f64) -> bool {
    let pairs = found.centroid.iter().chain(&found.depths).zip(other.centroid.iter().chain(&other.depths));
    pairs.into_iter().all(|(x, y)| (x - y).abs() <= room)
}

#[test]
fn sums_over_the_boundary_and_sweeps_find_the_same_centroid() {
    let mut draw = RandomBodies(5);
    let (mut met, mut apart) = (0, 0);
    for case in 0..20_000 {
        let (p, q) = (polygon(&mut draw, 3 + case % 29), polygon(&mut draw, 3 + case / 29 % 29));
        let by_pairs = intersection(&p, &q, 4.0);
        let by_sweep = intersection_of_chains(&p, &q);
        let depth = by_pairs.depths[0].min(by_pairs.depths[1]);
        if depth > 1e-3 {
            met += 1;
            assert!(
                is_near(&by_pairs, &by_sweep, 1e-11),
                "case {case}: {:?} {:?}",
                by_pairs.centroid,
                by_sweep.centroid
            );
        } else {
            apart += 1;
            let other = by_sweep.depths[0].min(by_sweep.depths[1]);
            assert!(other.partial_cmp(&2e-3) != Some(std::cmp::Ordering::Greater), "case {case}: {other}");
        }
    }
    assert!(met > 10_000 && apart > 1000, "{met} met, {apart} did not");
}

#[test]
fn sides_that_coincide_count_once() {
    let rectangle = |[x, y]: PlanePoint<f64>, [u, v]: PlanePoint<f64>| outline(&[[x, y], [u, y], [u, v], [x, v]]);
    let p = rectangle([0.0, 0.0], [1.0, 1.0]);
    for ulps in -3..=3 {
        let off = f64::from(ulps) * f64::EPSILON;
        for (q, centroid) in [
            (rectangle([0.0, off], [1.0, 1.0 + off]), [0.5, 0.5]),
            (rectangle([0.5, off], [1.5, 1.0]), [0.75, 0.5]),
            (rectangle([-1.0, 0.25], [1.0 + off, 1.0 + off]), [0.5, 0.625]),
            (rectangle([0.25, -1.0], [0.5, 1.0 - off]), [0.375, 0.5]),
        ] {
            let by_pairs = intersection(&p, &q, 4.0);
            let by_sweep = intersection_of_chains(&p, &q);
            for found in [by_pairs, by_sweep] {
                let error = (found.centroid[0] - centroid[0]).hypot(found.centroid[1] - centroid[1]);
                assert!(error < 1e-13, "{ulps} ulps: {:?} is not {centroid:?}", found.centroid);
            }
        }
    }
}
