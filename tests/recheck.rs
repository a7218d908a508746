//! The verifier of `examples/recheck`, on a small scale: every family is asked a few thousand queries, and every row proven
//! again; and its own hull against the oracle's, which tries all triples.
#![allow(dead_code, clippy::print_stderr)] // the example prints tables; statistics for whoever runs the tests

#[path = "oracle/bridge.rs"]
mod bridge;
#[path = "../examples/recheck/depth.rs"]
mod depth;
#[path = "../examples/recheck/drawings.rs"]
mod drawings;
#[path = "../examples/recheck/families.rs"]
mod families;
#[path = "../examples/recheck/features.rs"]
mod features;
#[path = "../examples/recheck/hull.rs"]
mod hull;
#[path = "oracle/mod.rs"]
mod oracle;
#[path = "../examples/recheck/place.rs"]
mod place;
#[path = "../examples/recheck/run.rs"]
mod run;
#[path = "../examples/recheck/solid.rs"]
mod solid;
#[path = "../examples/recheck/tally.rs"]
#[allow(clippy::print_stdout)]
mod tally;
#[path = "../examples/recheck/verify.rs"]
mod verify;
#[path = "../examples/recheck/ways.rs"]
mod ways;

use hull::Hull;
use oracle::Body;
use oracle::families::{self as bodies, Random};
use oracle::number::{Number, Wide, dot};
use run::Run;
use tally::Tally;

#[test]
fn every_row_is_proven_again() {
    let mut all = Tally::default();
    for family in families::own() {
        let name = family.name;
        let queries = if name.starts_with("large") { 300 } else { 3_000 };
        let tally = Run::new(family, 2, 200).ask(queries);
        eprintln!("{name}: {} rows, {} misses", tally.rows, tally.misses);
        assert!(!tally.failed(), "{name}: misses, uncertified rows, other bits, or a verifier that believes anything");
        all.add(&tally);
    }
    // Representative: all of what a row can be, proven by all of the means but the last resort.
    assert!(all.statuses[..3].iter().all(|&n| n > 1_000), "{:?}", all.statuses);
    assert!(all.methods[..3].iter().all(|&n| n > 1_000), "{:?}", all.methods);
    assert!(all.lower[..3].iter().all(|&n| n > 500), "{:?}", all.lower);
    assert!([0, 1, 3].iter().all(|&by| all.upper[by] > 500), "{:?}", all.upper);
    assert!(all.known > 1_000 && all.false_ends > 2_000 && all.ways.rows > 5_000, "{} {}", all.known, all.false_ends);
    assert!(all.absent > 50, "{}", all.absent);
}

#[test]
fn its_hull_is_the_oracles() {
    let mut random = Random(3);
    let makers = [bodies::compact, bodies::tied, bodies::sliver, bodies::disks, bodies::flat, bodies::round];
    let mut facets = 0;
    for i in 0..300 {
        let points = makers[i % makers.len()](&mut random, i / makers.len()).points;
        let (own, other) = (Hull::new(&points), Body::new(&points, 0.0));
        // The oracle drops equal points, and keeps those on a facet that are no corner.
        let at = |k: usize| points.iter().position(|p| *p == other.vertices[k]).expect("a point");
        assert_eq!(own.facets.len(), other.facets.len(), "case {i}: {points:?}");
        for facet in &own.facets {
            let same = other.facets.iter().find(|o| {
                let on: Vec<usize> = o.vertices.iter().map(|&k| at(k)).collect();
                let near = (dot(facet.normal, o.normal) - Wide::of(1.0)).value().abs() < 1e-20;
                near && facet.corners.iter().all(|k| on.contains(k))
            });
            assert!(same.is_some(), "case {i}: {:?} of {points:?}", facet.corners);
            facets += 1;
        }
        let corners: usize = own.facets.iter().map(|f| f.corners.len()).sum();
        assert!(own.facets.is_empty() || corners == 2 * own.edges.len(), "case {i}: two facets beside each edge");
    }
    assert!(facets > 2_000, "not representative: {facets}");
}
