//! Time of GJK over tolerance and number of vertices: figures 20 and 21 of the paper.

use crate::Effort;
use crate::bodies;
use crate::clock::quartiles;
use crate::times::{REGIMES, VERTICES, poses};
use clearsweep_narrow::gjk::{self, GjkOptions, Simplex, SubAlgorithm};
use clearsweep_narrow::pair::SupportSearch;
use clearsweep_testing::random::Random;
use std::fmt::Write;

/// Powers of ten of the tolerance.
const TOLERANCES: [i32; 8] = [-2, -4, -6, -8, -10, -12, -14, -15];

/// The sub-algorithms of both figures.
const ALGORITHMS: [SubAlgorithm; 2] = [SubAlgorithm::JohnsonWithBackup, SubAlgorithm::SignedVolumes];

pub(crate) fn run(effort: Effort) -> String {
    let mut csv = "regime,vertices,tolerance,algorithm,ns,iterations\n".to_owned();
    let (queries, calls) = (effort.of(8, 64), effort.of(64, 512));
    for vertices in VERTICES {
        let sphere = bodies::sphere(vertices);
        let mut random = Random(vertices as u64);
        for (name, regime) in REGIMES {
            let poses = poses(&sphere, &sphere, regime, queries, &mut random);
            let pairs: Vec<_> = poses.iter().map(|at| bodies::pair(&sphere, &sphere, at)).collect();
            for power in TOLERANCES {
                let variants = ALGORITHMS.map(|sub_algorithm| GjkOptions {
                    sub_algorithm,
                    supports: SupportSearch::Climb,
                    warm: false,
                    tolerance: Some(10.0_f64.powi(power)),
                });
                let asked =
                    |options: &GjkOptions, pair| gjk::search_by(pair, &Simplex::default(), f64::INFINITY, options);
                let times = quartiles(&variants, calls, |options, call| asked(options, &pairs[call % queries]));
                for (options, ns) in variants.iter().zip(times) {
                    let iterations: u32 = pairs.iter().map(|pair| asked(options, pair).iterations).sum();
                    let (algorithm, mean) =
                        (options.sub_algorithm.abbreviation(), f64::from(iterations) / queries as f64);
                    writeln!(csv, "{name},{vertices},1e{power},{algorithm},{ns:.1},{mean:.3}").unwrap();
                }
            }
        }
    }
    println!("maps of tolerance and vertices: {} lines", csv.lines().count() - 1);
    csv
}
