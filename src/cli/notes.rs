//! Warnings and notes of a run: on stderr, once.

use super::color::{Tone, paint};
use super::diagnostics;
use super::stdout::print_to_stderr;
use super::text::{bytes, count, visible};
use super::wrap::{width_of_stderr, wrapped};
use clearsweep_records::manifest::{Device, Fallback, Manifest, Warning};

/// Names that are listed before the rest is counted.
const LISTED: usize = 5;

/// Prints the warnings of a manifest.
pub(super) fn warnings(manifest: &Manifest) {
    let tell = |one: &Warning| match diagnostics::are_json() {
        true => diagnostics::warning(one),
        false => print_to_stderr(&warning(one)),
    };
    manifest.warnings.iter().for_each(tell);
}

/// Prints the warnings of a run, then the notes on its device and on streams that were copied.
pub(super) fn of_run(manifest: &Manifest) {
    warnings(manifest);
    for note in of_device(&manifest.device).into_iter().chain(of_copies(manifest)) {
        self::note(&note);
    }
}

/// Prints a note.
pub(super) fn note(note: &str) {
    if diagnostics::are_json() {
        return diagnostics::note(note);
    }
    let text = format!("{} {note}", paint(Tone::Title, "note:"));
    print_to_stderr(&format!("{}\n", wrapped(&text, width_of_stderr(), 0)));
}

fn warning(Warning { kind, bodies, bodies_count, problem, help }: &Warning) -> String {
    let names: Vec<_> = bodies.iter().take(LISTED).map(|name| visible(name)).collect();
    let more = bodies_count.saturating_sub(names.len() as u64);
    let more = if more > 0 { format!(" and {} more", count(more)) } else { String::new() };
    // A problem of sizes names its bodies itself.
    let who = match names.is_empty() || kind == "size" {
        true => String::new(),
        false => format!("{}{more}: ", names.join(", ")),
    };
    let columns = width_of_stderr();
    let problem = format!("{} {who}{}", paint(Tone::Doubtful, "warning:"), visible(problem));
    let help = format!("  help: {}", visible(help));
    format!("{}\n{}\n", wrapped(&problem, columns, 0), wrapped(&help, columns, 2))
}

/// Returns a note on a choice that was measured, and one on a device that failed.
fn of_device(device: &Device) -> Vec<String> {
    let mut notes = Vec::new();
    if device.auto.is_some() {
        let on = device.adapter.as_ref().map_or("the CPU".into(), |adapter| visible(&adapter.name));
        notes.push(format!("broad phase on {on}: {}", visible(&device.reason)));
    }
    if let Some(Fallback { blocks, reason, .. }) = device.gpu.as_ref().and_then(|gpu| gpu.fallback.as_ref()) {
        let blocks = if *blocks == 1 { "1 block".to_owned() } else { format!("{} blocks", count(*blocks)) };
        let reason = visible(reason);
        notes.push(format!("broad phase of {blocks} of frames on the CPU instead of the GPU: {reason}"));
    }
    notes
}

/// Returns a note on streams that were copied to be read twice.
fn of_copies(manifest: &Manifest) -> Option<String> {
    let copied = manifest.spooled_bytes.filter(|&copied| copied > 0)?;
    Some(format!("a stream of {} was copied to a temporary file: bounds are read before poses", bytes(copied)))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    fn of_device(device: Value) -> Vec<String> {
        super::of_device(&serde_json::from_value(device).expect("a device"))
    }

    #[test]
    fn a_choice_without_a_measurement_is_no_news() {
        assert!(of_device(json!({ "kind": "cpu", "reason": "small", "auto": null, "gpu": null })).is_empty());
        assert!(of_device(json!({})).is_empty());
    }

    #[test]
    fn a_measured_choice_says_which_device_searched_and_why() {
        let auto = json!({ "blocks": 16, "cpu_s": 0.9, "gpu_s": 0.2 });
        let device = json!({ "reason": "the GPU goes on", "auto": auto, "adapter": { "name": "Card" } });
        assert_eq!(of_device(device), ["broad phase on Card: the GPU goes on"]);
        let device = json!({ "reason": "the CPU goes on", "auto": auto, "adapter": null });
        assert_eq!(of_device(device), ["broad phase on the CPU: the CPU goes on"]);
    }

    #[test]
    fn a_device_that_failed_is_named() {
        let device = json!({ "gpu": { "fallback": { "blocks": 1200, "reason": "the device was lost" } } });
        let expected = "broad phase of 1,200 blocks of frames on the CPU instead of the GPU: the device was lost";
        assert_eq!(of_device(device), [expected]);
    }
}
