//! On which faces of both bodies, and of their difference, the nearest points lie: table I of the
//! paper, counted.

use crate::Effort;
use crate::bodies;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_narrow::gjk::{self, Simplex};
use clearsweep_narrow::search::SearchEnd;
use clearsweep_scene::Shape;
use clearsweep_testing::random::Random;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The hull of 40 random points of a ball.
fn cloud(random: &mut Random) -> Shape {
    let points: Vec<Vec3<f64>> = (0..40).map(|_| Vec3::from(random.direction()).scale(random.unit())).collect();
    bodies::shape(&points)
}

/// A box, whose faces are far from being triangles of one size.
fn cuboid(random: &mut Random) -> Shape {
    let half = [0; 3].map(|_| random.between(0.1, 1.0));
    let corner =
        |k: usize| Vec3::from([0, 1, 2].map(|axis: usize| if k >> axis & 1 == 1 { half[axis] } else { -half[axis] }));
    bodies::shape(&(0..8).map(corner).collect::<Vec<_>>())
}

/// How many different vertices of a body carry its nearest point.
fn distinct(simplex: &Simplex, body: usize) -> usize {
    let mut vertices: Vec<u32> = simplex.as_slice().iter().map(|pair| pair[body]).collect();
    vertices.sort_unstable();
    vertices.dedup();
    vertices.len()
}

pub(crate) fn run(effort: Effort) -> String {
    type Make = fn(&mut Random) -> Shape;
    let kinds: [(&str, Make); 3] =
        [("spheres of 400 vertices", |_| bodies::sphere(400)), ("random hulls", cloud), ("boxes", cuboid)];
    let mut csv = "bodies,gap,a,b,difference,count\n".to_owned();
    for (name, make) in kinds {
        for gap in [1e-3, 1.0] {
            let mut random = Random(20);
            let mut counts = BTreeMap::<[usize; 3], usize>::new();
            for _ in 0..effort.of(100, 4000) {
                let (a, b) = (make(&mut random), make(&mut random));
                let at = Pose::new(random.direction().map(|c| 4.0 * c), random.turn());
                let pose = bodies::at_distance(&a, &b, &at, gap);
                let found = gjk::search(&bodies::pair(&a, &b, &pose), &Simplex::default(), f64::INFINITY);
                if found.end != SearchEnd::Converged {
                    continue;
                }
                let mut of_bodies = [0, 1].map(|body| distinct(&found.simplex, body));
                of_bodies.sort_unstable();
                let [fewer, more] = of_bodies;
                *counts.entry([fewer, more, usize::from(found.simplex.count)]).or_default() += 1;
            }
            let all: usize = counts.values().sum();
            println!(
                "{name}, {gap} apart: {all} nearest points, by vertices of the bodies and of the difference: {counts:?}"
            );
            for ([a, b, difference], count) in counts {
                writeln!(csv, "{name},{gap},{a},{b},{difference},{count}").unwrap();
            }
        }
    }
    csv
}
