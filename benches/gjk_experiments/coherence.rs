//! Savings of hill climbing and a warm start: a sphere passes another one, turning, in small steps.

use crate::Effort;
use crate::bodies;
use crate::clock::quartiles;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_narrow::gjk::{self, GjkOptions, GjkStep, Simplex};
use clearsweep_narrow::pair::{Pair, SupportSearch};
use clearsweep_testing::random::Random;
use std::fmt::Write;

const VERTICES: [usize; 10] = [12, 25, 50, 100, 200, 400, 800, 1600, 6400, 25_600];
const SUPPORTS: [(&str, SupportSearch); 3] =
    [("scan", SupportSearch::Scan), ("climb", SupportSearch::Climb), ("by size", SupportSearch::BySize)];

/// A variant and its name in the table.
struct Variant {
    name: &'static str,
    options: GjkOptions,
}

/// Signed volumes with every search for supports, cold and warm; and enhanced GJK with the
/// sub-algorithm that it was published with.
fn variants() -> Vec<Variant> {
    let mut all = Vec::new();
    for warm in [false, true] {
        for (name, supports) in SUPPORTS {
            all.push(Variant { name, options: GjkOptions { supports, warm, ..GjkOptions::DEFAULT } });
        }
    }
    all.push(Variant { name: "enhanced", options: GjkOptions::ENHANCED });
    all
}

/// Poses of B that turn by `step` radians each and go by at a gap of about a tenth of the radius.
fn passing(count: usize, step: f64, random: &mut Random) -> Vec<Pose> {
    let axis = Vec3::from(random.direction());
    let pose = |k: usize| {
        let share = k as f64 / count as f64 - 0.5;
        let (s, c) = (0.5 * step * k as f64).sin_cos();
        let [x, y, z] = axis.scale(s).to_array();
        Pose::new([2.1, 2.0 * share, 0.3 * share], [c, x, y, z])
    };
    (0..count).map(pose).collect()
}

/// Iterations and dot products of a walk through all pairs.
fn count(pairs: &[Pair<'_, f64>], options: &GjkOptions) -> (u64, u64) {
    let (mut iterations, mut dot_products) = (0, 0);
    let mut start = Simplex::default();
    for pair in pairs {
        let found = gjk::search_observed(pair, &start, f64::INFINITY, options, |step| {
            if let GjkStep::Support { direction, start } = step {
                dot_products += u64::from(pair.dot_products(options.supports, *direction, *start));
            }
        });
        start = found.simplex;
        iterations += u64::from(found.iterations);
    }
    (iterations, dot_products)
}

pub(crate) fn run(effort: Effort) -> String {
    let mut csv = "vertices,step,supports,warm,ns,iterations,dot_products\n".to_owned();
    println!("a sphere passes another one, a query: nanoseconds, iterations, dot products");
    let variants = variants();
    let samples = effort.of(64, 512);
    for vertices in VERTICES {
        let sphere = bodies::sphere(vertices);
        for step in [1e-3, 1e-1] {
            let poses = passing(samples, step, &mut Random(7));
            let pairs: Vec<_> = poses.iter().map(|at| bodies::pair(&sphere, &sphere, at)).collect();
            let mut start = Simplex::default();
            let times = quartiles(&variants, samples, |variant, call| {
                if call == 0 {
                    start = Simplex::default();
                }
                let found = gjk::search_by(&pairs[call], &start, f64::INFINITY, &variant.options);
                start = found.simplex;
                found.point
            });
            for (Variant { name, options }, ns) in variants.iter().zip(times) {
                let (iterations, dot_products) = count(&pairs, options);
                let mean = |total: u64| total as f64 / samples as f64;
                let (iterations, dot_products) = (mean(iterations), mean(dot_products));
                writeln!(csv, "{vertices},{step},{name},{},{ns:.1},{iterations:.3},{dot_products:.1}", options.warm)
                    .unwrap();
                println!(
                    "{vertices:6} step {step:5} {name:8} warm {:5}: {ns:8.0} {iterations:6.2} {dot_products:9.1}",
                    options.warm
                );
            }
        }
    }
    csv
}
