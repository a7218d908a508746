//! Ties: parallel faces and edges. The witness points are the centroids of the sets of closest
//! points.
//!
//! Random ties are asked of the engine and of an oracle in exact arithmetic.
//! `CLEARSWEEP_TIES=100000` asks for more of them.

#![allow(clippy::print_stderr)] // the statistics are for whoever runs the tests
#![allow(dead_code, missing_docs, unreachable_pub)]

mod bodies;
mod brute;
mod cases;
mod checks;
mod closest;
mod hard;
mod polygon;
mod rows;
mod same_solid;
mod survey;

use checks::Aspect;
use survey::{none_wrong, survey};

#[test]
fn brackets_hold_the_exact_distance() {
    none_wrong(Aspect::Bracket);
}

#[test]
fn every_bracket_is_narrow() {
    none_wrong(Aspect::Promise);
}

#[test]
fn statuses_are_those_of_the_bracket_and_of_the_case() {
    none_wrong(Aspect::Status);
}

#[test]
fn witnesses_are_the_centroids() {
    none_wrong(Aspect::Witness);
}

#[test]
fn features_are_those_of_the_tie() {
    none_wrong(Aspect::Features);
}

#[test]
fn normals_are_those_of_the_tie() {
    none_wrong(Aspect::Normal);
}

#[test]
fn methods_are_tie() {
    none_wrong(Aspect::Method);
}

#[test]
fn rows_do_not_depend_on_the_way() {
    none_wrong(Aspect::Way);
}

#[test]
fn the_cases_are_representative() {
    survey().assert_representative();
}
