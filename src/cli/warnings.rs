//! Warnings of a run: on stderr, once.

use super::color::{Tone, paint};
use super::text::{count, visible};
use super::wrap::{width_of_stderr, wrapped};
use serde_json::Value;
use std::io::Write;

/// Names that are listed before the rest is counted.
const LISTED: usize = 5;

/// Prints the warnings of a manifest.
pub(crate) fn say(manifest: &Value) {
    for warning in manifest["warnings"].as_array().into_iter().flatten() {
        // If stderr is gone, there is nobody left to tell.
        let _ = anstream::stderr().lock().write_all(line(warning).as_bytes());
    }
}

fn line(warning: &Value) -> String {
    let text = |key: &str| visible(warning[key].as_str().unwrap_or_default()).into_owned();
    let names: Vec<String> = warning["bodies"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(|name| visible(name).into_owned())
        .collect();
    let more = (warning["bodies_count"].as_u64().unwrap_or(0)).saturating_sub(names.len().min(LISTED) as u64);
    let more = if more > 0 { format!(" and {} more", count(more)) } else { String::new() };
    // A problem of sizes names its bodies itself.
    let who = match names.is_empty() || warning["kind"] == "size" {
        true => String::new(),
        false => format!("{}{more}: ", names[..names.len().min(LISTED)].join(", ")),
    };
    let columns = width_of_stderr();
    let problem = format!("{} {who}{}", paint(Tone::Doubtful, "warning:"), text("problem"));
    let help = format!("  help: {}", text("help"));
    format!("{}\n{}\n", wrapped(&problem, columns, 0), wrapped(&help, columns, 2))
}
