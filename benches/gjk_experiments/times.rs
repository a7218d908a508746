//! Computing time, section 5.2 of the paper: polygonal spheres that are distant, close or
//! overlapping.

use crate::Effort;
use crate::bodies;
use crate::clock::quartiles;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_narrow::gjk::{self, GjkOptions, GjkStep, Simplex, SubAlgorithm};
use clearsweep_narrow::pair::{Pair, SupportSearch};
use clearsweep_scene::Shape;
use clearsweep_testing::random::Random;
use std::fmt::Write;

/// Vertices of a sphere.
pub(crate) const VERTICES: [usize; 8] = [12, 25, 50, 100, 200, 400, 800, 1600];
/// The tolerances of the paper, and rounding.
const TOLERANCES: [(&str, Option<f64>); 3] = [("1e-8", Some(1e-8)), ("1e-14", Some(1e-14)), ("rounding", None)];

/// How the spheres of radius 1 lie.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Regime {
    /// A gap of about 1.
    Distant,
    /// A gap of 1e-9.
    Close,
    /// A depth of about 0.2.
    Overlapping,
}

pub(crate) const REGIMES: [(&str, Regime); 3] =
    [("distant", Regime::Distant), ("close", Regime::Close), ("overlapping", Regime::Overlapping)];

/// Poses of B.
pub(crate) fn poses(a: &Shape, b: &Shape, regime: Regime, count: usize, random: &mut Random) -> Vec<Pose> {
    let distance = match regime {
        Regime::Distant => 3.0,
        Regime::Close => 2.2,
        Regime::Overlapping => 1.8,
    };
    let mut pose = || {
        let at = Pose::new(random.direction().map(|c| c * distance), random.turn());
        if regime == Regime::Close { bodies::at_distance(a, b, &at, 1e-9) } else { at }
    };
    (0..count).map(|_| pose()).collect()
}

/// The simplices that a search hands to its sub-algorithm.
type Recorded = Vec<([Vec3<f64>; 4], usize)>;

/// Counts of a variant on the pairs.
#[derive(Default)]
struct Counted {
    iterations: u64,
    dot_products: u64,
    nothing: u64,
    recorded: Vec<Recorded>,
}

fn count(pairs: &[Pair<'_, f64>], options: &GjkOptions) -> Counted {
    let mut counted = Counted::default();
    for pair in pairs {
        let mut recorded = Vec::new();
        let (mut dot_products, mut nothing) = (0, 0);
        let found = gjk::search_observed(pair, &Simplex::default(), f64::INFINITY, options, |step| match step {
            GjkStep::Simplex { points, found } => {
                let mut all = [Vec3::ZERO; 4];
                all[..points.len()].copy_from_slice(points);
                recorded.push((all, points.len()));
                nothing += u64::from(found.is_none());
            }
            GjkStep::Support { direction, start } => {
                dot_products += u64::from(pair.dot_products(options.supports, *direction, *start));
            }
        });
        counted.iterations += u64::from(found.iterations);
        counted.dot_products += dot_products;
        counted.nothing += nothing;
        counted.recorded.push(recorded);
    }
    counted
}

/// Nanoseconds a query that its sub-algorithm takes: the recorded simplices of each variant, again.
fn sub_algorithm_times(variants: &[GjkOptions], counted: &[Counted], queries: usize, calls: usize) -> Vec<f64> {
    let ways: Vec<usize> = (0..variants.len()).collect();
    quartiles(&ways, calls, |&way, call| {
        let recorded = &counted[way].recorded[call % queries];
        let mut sum = 0.0;
        for (points, count) in recorded {
            sum += gjk::nearest_point(variants[way].sub_algorithm, points, *count).map_or(0.0, |found| found.point.x);
        }
        sum
    })
}

/// Lines of the table for one set of pairs.
fn case(name: &str, vertices: usize, pairs: &[Pair<'_, f64>], calls: usize, csv: &mut String) {
    for (supports_name, supports) in [("scan", SupportSearch::Scan), ("climb", SupportSearch::Climb)] {
        for (tolerance_name, tolerance) in TOLERANCES {
            let variants =
                SubAlgorithm::ALL.map(|sub_algorithm| GjkOptions { sub_algorithm, supports, warm: false, tolerance });
            let counted = variants.map(|options| count(pairs, &options));
            let queries = pairs.len();
            let sub = sub_algorithm_times(&variants, &counted, queries, calls);
            let whole = quartiles(&variants, calls, |options, call| {
                gjk::search_by(&pairs[call % queries], &Simplex::default(), f64::INFINITY, options)
            });
            for (k, options) in variants.iter().enumerate() {
                let mean = |total: u64| total as f64 / queries as f64;
                writeln!(
                    csv,
                    "{name},{vertices},{supports_name},{tolerance_name},{},{:.1},{:.1},{:.3},{:.1},{}",
                    options.sub_algorithm.abbreviation(),
                    sub[k],
                    whole[k],
                    mean(counted[k].iterations),
                    mean(counted[k].dot_products),
                    counted[k].nothing
                )
                .unwrap();
            }
            if tolerance_name != "1e-8" {
                println!(
                    "{name:11} {vertices:5} {supports_name:5} {tolerance_name:8}: sub-algorithm SV {:6.0} JH {:6.0} JB {:6.0} BK {:6.0}, GJK SV {:7.0} JH {:7.0} JB {:7.0} BK {:7.0}",
                    sub[0], sub[1], sub[2], sub[3], whole[0], whole[1], whole[2], whole[3]
                );
            }
        }
    }
}

pub(crate) fn run(effort: Effort) -> String {
    let mut csv =
        "regime,vertices,supports,tolerance,algorithm,sub_ns,gjk_ns,iterations,dot_products,nothing\n".to_owned();
    println!("polygonal spheres, nanoseconds a query:");
    for vertices in VERTICES {
        let sphere = bodies::sphere(vertices);
        let mut random = Random(vertices as u64);
        for (name, regime) in REGIMES {
            let poses = poses(&sphere, &sphere, regime, effort.of(8, 64), &mut random);
            let pairs: Vec<_> = poses.iter().map(|at| bodies::pair(&sphere, &sphere, at)).collect();
            case(name, vertices, &pairs, effort.of(64, 1024), &mut csv);
        }
    }
    csv
}
