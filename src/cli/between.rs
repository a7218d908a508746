//! `clearsweep query --between`: one pair while B moves from one pose to another.

use super::args::QueryArgs;
use super::exit::{self, ProgramEnd};
use super::stdout;
use super::text::{Lengths, table};
use clearsweep::Result;
use clearsweep_engine::{MotionQuery, PairOptions};
use clearsweep_geometry::Pose;
use clearsweep_model::{BetweenFrames, Scene};
use clearsweep_narrow::interval::{IntervalMethod, IntervalProximity, IntervalStatus};
use serde_json::{Value, json};

/// Answers the pair, and prints the least distance, when it is, and the first contact.
pub(super) fn query(args: &QueryArgs, scene: &Scene, ends: [Pose; 2], lengths: Lengths) -> Result<ProgramEnd> {
    let between = if args.motion == "screw" { BetweenFrames::Screw } else { BetweenFrames::Linear };
    let [a, b] = [&scene.bodies[0].shape, &scene.bodies[1].shape];
    let mut query = MotionQuery::new(a, b, between, &PairOptions::default())?;
    let found = query.least_distance([&Pose::IDENTITY, &Pose::IDENTITY], [&ends[0], &ends[1]])?;
    let printed = match args.json {
        true => stdout::print_json(&as_json(&found)),
        false => stdout::print(&as_text(&found, between, lengths)),
    };
    let end = if found.status == IntervalStatus::Undecided { ProgramEnd::Uncertified } else { ProgramEnd::Clear };
    exit::printed(printed, end)
}

fn as_text(found: &IntervalProximity, between: BetweenFrames, lengths: Lengths) -> String {
    let in_unit = if lengths.is_in_metres() { String::new() } else { format!(" ({})", lengths.text(found.upper)) };
    let lower = if found.lower.is_finite() { format!("{:?}", found.lower) } else { "none proven".to_owned() };
    let [first, last] = found.closest;
    let contact = match found.contact {
        [clear, touching] if touching.is_finite() => format!("clear before {clear:?}, in contact at {touching:?}"),
        _ => "none proven".to_owned(),
    };
    let rows = [
        ("status", IntervalStatus::NAMES[found.status as usize].to_owned()),
        ("least", format!("{lower} .. {:?} m{in_unit}", found.upper)),
        ("when", format!("{first:?} .. {last:?} of the way")),
        ("contact", contact),
        ("proof", IntervalMethod::NAMES[found.method as usize].to_owned()),
        ("motion", between.name().to_owned()),
    ];
    table(&rows)
}

/// The columns of `intervals`; what is not proven is null.
fn as_json(found: &IntervalProximity) -> Value {
    let finite = |value: f64| value.is_finite().then_some(value);
    json!({
        "lower_m": finite(found.lower),
        "upper_m": finite(found.upper),
        "closest_lo": found.closest[0],
        "closest_hi": found.closest[1],
        "contact_lo": finite(found.contact[0]),
        "contact_hi": finite(found.contact[1]),
        "status": IntervalStatus::NAMES[found.status as usize],
        "method": IntervalMethod::NAMES[found.method as usize],
    })
}
