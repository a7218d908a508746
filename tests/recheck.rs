//! The verifier of `examples/recheck`, on a small scale: every family is asked a few thousand queries, and every row proven
//! again; and its own hull against the oracle's, which tries all triples.
#![allow(dead_code, clippy::print_stderr)] // the example prints tables; statistics for whoever runs the tests

#[path = "oracle/bridge.rs"]
mod bridge;
#[path = "../examples/recheck/campaign.rs"]
#[allow(clippy::print_stdout)]
mod campaign;
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
#[path = "../examples/recheck/plant.rs"]
mod plant;
#[path = "../examples/recheck/record.rs"]
mod record;
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

use std::fs;
use std::path::Path;

use campaign::Plan;
use hull::Hull;
use oracle::Body;
use oracle::families::{self as bodies, Random};
use oracle::number::{Number, Wide, dot};
use record::{Record, Terms};
use run::{Effort, Run};
use tally::Tally;

const EFFORT: Effort = Effort { ways: 200, known: 25, deception: 25 };

#[test]
fn every_row_is_proven_again() {
    let mut all = Tally::default();
    for family in campaign::families() {
        let name = family.name;
        let queries = if name.starts_with("large") { 300 } else { 3_000 };
        let tally = Run::new(family, 2, EFFORT).ask(queries);
        eprintln!("{name}: {} rows, {} misses", tally.rows, tally.misses);
        assert!(!tally.failed(), "{name}: misses, uncertified rows, other bits, or a verifier that believes anything");
        all.add(&tally);
    }
    // Representative: all of what a row can be, proven by all of the means but the last resort.
    assert!(all.statuses[..3].iter().all(|&n| n > 1_000), "{:?}", all.statuses);
    assert!(all.methods[..3].iter().all(|&n| n > 1_000), "{:?}", all.methods);
    assert!(all.lower[..3].iter().all(|&n| n > 500), "{:?}", all.lower);
    assert!([0, 1, 2, 3].iter().all(|&by| all.upper[by] > 200), "{:?}", all.upper);
    assert!(all.known > 1_000 && all.false_ends > 2_000 && all.ways.rows > 5_000, "{} {}", all.known, all.false_ends);
    assert!(all.absent > 50, "{}", all.absent);
}

fn plan(queries: u64, commit: &str) -> Plan {
    let terms = Terms { seed: 5, chunk: 150, commit: commit.to_string() };
    Plan { terms, queries, from: 0, threads: 2, hours: f64::INFINITY, effort: EFFORT }
}

/// The lines of a record without their seconds, which differ, in order of their chunks.
fn lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).expect("a record");
    let mut lines: Vec<serde_json::Value> = text.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    lines.iter_mut().for_each(|line| line["seconds"] = 0.into());
    lines.sort_by_key(|line| line["chunk"].as_u64());
    lines.iter().map(ToString::to_string).collect()
}

#[test]
fn a_campaign_that_was_killed_goes_on() {
    let dir = tempfile::tempdir().expect("a folder");
    let (whole, cut) = (dir.path().join("whole"), dir.path().join("cut"));
    let done = campaign::run(&plan(3_000, "a"), &whole).expect("it runs");
    assert!(done.done.len() == 20 && campaign::summary(&done).is_empty());
    // As a kill in the middle of a line leaves it.
    let text = fs::read_to_string(&whole).expect("a record");
    let end = text.match_indices('\n').nth(6).expect("twenty lines").0 + 40;
    fs::write(&cut, &text[..end]).expect("written");
    assert_eq!(Record::read(&cut).expect("whole lines are read").done.len(), 7);
    drop(done);
    campaign::run(&plan(1_500, "a"), &cut).expect("it goes on");
    let longer = campaign::run(&plan(3_000, "a"), &cut).expect("it goes on, longer");
    assert!(longer.done.len() == 20 && lines(&cut) == lines(&whole), "the same chunks, once each");
    let rest = dir.path().join("rest");
    campaign::run(&Plan { from: 12, ..plan(3_000, "a") }, &rest).expect("it runs");
    assert_eq!(lines(&rest), lines(&whole)[12..], "the chunks that another record lacks");
    // While it is open no other campaign writes it.
    let refused = campaign::run(&plan(3_000, "a"), &cut).err().expect("it is locked");
    assert!(refused.contains("another campaign"), "{refused}");
    drop(longer);
    let refused = campaign::run(&plan(3_000, "b"), &cut).err().expect("another commit");
    assert!(refused.contains("line 1") && refused.contains("--commit a, not"), "{refused}");
    fs::write(&cut, "what is this\n").expect("written");
    let refused = campaign::run(&plan(3_000, "a"), &cut).err().expect("no record");
    assert!(refused.contains("line 1: no chunk"), "{refused}");
}

#[test]
fn any_beginning_of_a_campaign_is_representative() {
    let shares: Vec<f64> = campaign::families().iter().map(|f| f.share).collect();
    let whole: f64 = shares.iter().sum();
    let order = campaign::order(&shares, 4_000);
    assert_eq!(order[..100], campaign::order(&shares, 100));
    for chunks in [200, 1_000, 4_000] {
        for (family, share) in shares.iter().enumerate() {
            let count = order[..chunks].iter().filter(|&&f| f == family).count() as f64;
            assert!((count - chunks as f64 * share / whole).abs() <= 2.0, "family {family} of {chunks}: {count}");
        }
    }
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

/// A prism over a polygon in the plane z = 0, `height` to both sides.
fn prism(polygon: &[[f64; 2]], height: f64) -> solid::Solid {
    solid::Solid::new(polygon.iter().flat_map(|&[x, y]| [[x, y, height], [x, y, -height]]).collect(), 0.0)
}

/// Two edges 6.8e-13 m apart differ by 1.4e-16 rad, and a corner of one is nearest to the other: the direction between them
/// has no part along the edge in which the corner has its foot.
#[test]
fn edges_that_are_hardly_parallel_are_proven_by_their_features() {
    let a = prism(
        &[
            [0.035457535037839986, 0.10912707185477483],
            [-0.03545753503783997, 0.10912707185477484],
            [-0.09282903188635534, 0.06744423949900288],
            [-0.11474299369703075, 1.4051963995565364e-17],
            [0.0, -0.1],
        ],
        0.008423035607249756,
    );
    let b = prism(
        &[
            [0.1471858071946028, -0.1634663994755627],
            [0.16850353075455937, -0.14139125050822032],
            [0.18654152475830366, -0.11656408167989925],
            [0.20094870017046723, -0.08946812559135633],
            [0.0, 0.2],
        ],
        0.09498174888684713,
    );
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let place = |position, q| oracle::Placement { position, rest: [0.0; 3], q };
    let from_a = place([0.027137288962847176, -0.014870010737422005, -0.11223203195324011], [0.0, 0.0, half, half]);
    let from_b = place([0.19124382982316834, -0.11827479523215711, 0.17465635332280902], [0.5, 0.5, 0.5, -0.5]);
    let row = verify::cold(&a, &from_a, &b, &from_b);
    assert!((6e-13..8e-13).contains(&row.lower), "{row:?}");
    let pair = place::Pair::new(&a, &from_a, &b, &from_b);
    let claim = verify::Claim { pair, places: [&from_a, &from_b], row: &row, last_resort: true };
    let proof = claim.verify().unwrap_or_else(|what| panic!("{what}: {row:?}"));
    assert_eq!(proof.lower, verify::By::Features, "{row:?}");
}
