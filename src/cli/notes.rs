//! Warnings and notes of a run: on stderr, once.

use super::color::{Tone, paint};
use super::stdout::print_to_stderr;
use super::text::{bytes, count, visible};
use super::wrap::{width_of_stderr, wrapped};
use serde_json::Value;

/// Names that are listed before the rest is counted.
const LISTED: usize = 5;

/// Prints the warnings of a manifest.
pub(super) fn warnings(manifest: &Value) {
    manifest["warnings"].as_array().into_iter().flatten().for_each(|one| print_to_stderr(&warning(one)));
}

/// Prints the warnings of a run, then the notes on its device and on streams that were copied.
pub(super) fn of_run(manifest: &Value) {
    warnings(manifest);
    for note in of_device(&manifest["device"]).into_iter().chain(of_copies(manifest)) {
        let text = format!("{} {note}", paint(Tone::Title, "note:"));
        print_to_stderr(&format!("{}\n", wrapped(&text, width_of_stderr(), 0)));
    }
}

fn warning(warning: &Value) -> String {
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

/// Returns a note on a choice that was measured, and one on a device that failed.
fn of_device(device: &Value) -> Vec<String> {
    let text = |value: &Value| visible(value.as_str().unwrap_or_default()).into_owned();
    let mut notes = Vec::new();
    if device["auto"].is_object() {
        let on = match device["adapter"]["name"].as_str() {
            Some(name) => visible(name).into_owned(),
            None => "the CPU".to_owned(),
        };
        notes.push(format!("broad phase on {on}: {}", text(&device["reason"])));
    }
    let fallback = &device["gpu"]["fallback"];
    if let Some(blocks) = fallback["blocks"].as_u64() {
        let blocks = if blocks == 1 { "1 block".to_owned() } else { format!("{} blocks", count(blocks)) };
        notes.push(format!(
            "broad phase of {blocks} of frames on the CPU instead of the GPU: {}",
            text(&fallback["reason"])
        ));
    }
    notes
}

/// Returns a note on streams that were copied to be read twice.
fn of_copies(manifest: &Value) -> Option<String> {
    let copied = manifest["spooled_bytes"].as_u64().filter(|&copied| copied > 0)?;
    Some(format!("a stream of {} was copied to a temporary file: bounds are read before poses", bytes(copied)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_choice_without_a_measurement_is_no_news() {
        assert!(of_device(&json!({ "kind": "cpu", "reason": "small", "auto": null, "gpu": null })).is_empty());
        assert!(of_device(&Value::Null).is_empty());
    }

    #[test]
    fn a_measured_choice_says_which_device_searched_and_why() {
        let auto = json!({ "blocks": 16, "cpu_s": 0.9, "gpu_s": 0.2 });
        let device = json!({ "reason": "the GPU goes on", "auto": auto, "adapter": { "name": "Card" } });
        assert_eq!(of_device(&device), ["broad phase on Card: the GPU goes on"]);
        let device = json!({ "reason": "the CPU goes on", "auto": auto, "adapter": null });
        assert_eq!(of_device(&device), ["broad phase on the CPU: the CPU goes on"]);
    }

    #[test]
    fn a_device_that_failed_is_named() {
        let device = json!({ "gpu": { "fallback": { "blocks": 1200, "reason": "the device was lost" } } });
        let expected = "broad phase of 1,200 blocks of frames on the CPU instead of the GPU: the device was lost";
        assert_eq!(of_device(&device), [expected]);
    }
}
