//! Note of a run on the device that searched: on stderr, and only if the user may have expected another one.

use super::color::{Tone, paint};
use super::text::{count, visible};
use super::wrap::{width_of_stderr, wrapped};
use clearsweep_records::manifest::{Device, Fallback, Manifest};
use std::io::Write;

/// Prints what a manifest says of its device.
pub(crate) fn say(manifest: &Manifest) {
    for note in notes(&manifest.device) {
        let text = wrapped(&format!("{} {note}", paint(Tone::Title, "note:")), width_of_stderr(), 0);
        // If stderr is gone, there is nobody left to tell.
        let _ = anstream::stderr().lock().write_all(format!("{text}\n").as_bytes());
    }
}

/// One line for a choice that was measured, and one for a device that failed.
fn notes(device: &Device) -> Vec<String> {
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    fn notes(device: Value) -> Vec<String> {
        super::notes(&serde_json::from_value(device).expect("a device"))
    }

    #[test]
    fn a_choice_without_a_measurement_is_no_news() {
        assert!(notes(json!({ "kind": "cpu", "reason": "small", "auto": null, "gpu": null })).is_empty());
        assert!(notes(json!({})).is_empty());
    }

    #[test]
    fn a_measured_choice_says_which_device_searched_and_why() {
        let auto = json!({ "blocks": 16, "cpu_s": 0.9, "gpu_s": 0.2 });
        let device = json!({ "reason": "the GPU goes on", "auto": auto, "adapter": { "name": "Card" } });
        assert_eq!(notes(device), ["broad phase on Card: the GPU goes on"]);
        let device = json!({ "reason": "the CPU goes on", "auto": auto, "adapter": null });
        assert_eq!(notes(device), ["broad phase on the CPU: the CPU goes on"]);
    }

    #[test]
    fn a_device_that_failed_is_named() {
        let device = json!({ "gpu": { "fallback": { "blocks": 1200, "reason": "the device was lost" } } });
        let expected = "broad phase of 1,200 blocks of frames on the CPU instead of the GPU: the device was lost";
        assert_eq!(notes(device), [expected]);
    }
}
