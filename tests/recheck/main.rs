//! The verifier of rows, on a small scale.
#![allow(clippy::print_stderr)] // tables for whoever runs the tests

mod falsified;
mod joints;
mod recheck;
mod recheck_kinds;
mod recheck_round;
mod trials;
