//! The verifier of `examples/recheck`, on a small scale.
#![allow(dead_code, clippy::print_stdout, clippy::print_stderr)] // the example uses the rest, and prints tables

#[path = "../oracle/bridge.rs"]
mod bridge;
#[path = "../../examples/recheck/campaign.rs"]
mod campaign;
#[path = "../../examples/recheck/depth.rs"]
mod depth;
#[path = "../../examples/recheck/drawings.rs"]
mod drawings;
#[path = "../../examples/recheck/families.rs"]
mod families;
#[path = "../../examples/recheck/features.rs"]
mod features;
#[path = "../../examples/recheck/hull.rs"]
mod hull;
#[path = "../../examples/recheck/kinds/mod.rs"]
mod kinds;
#[path = "../oracle/mod.rs"]
mod oracle;
#[path = "../../examples/recheck/place.rs"]
mod place;
#[path = "../../examples/recheck/plant.rs"]
mod plant;
#[path = "../../examples/recheck/record.rs"]
mod record;
#[path = "../../examples/recheck/run.rs"]
mod run;
#[path = "../../examples/recheck/solid.rs"]
mod solid;
#[path = "../../examples/recheck/tally.rs"]
mod tally;
#[path = "../../examples/recheck/verify.rs"]
mod verify;
#[path = "../../examples/recheck/ways.rs"]
mod ways;

mod recheck;
mod recheck_kinds;
