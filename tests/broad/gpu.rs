//! `--device gpu`: the tables are those of the CPU, byte for byte, and a missing or refused device
//! is one clear error.
#![allow(clippy::print_stderr)] // says which tests were skipped, and why

use clearsweep_testing::clone;
use serde_json::Value;
use std::path::Path;

use crate::program::expect;
use clearsweep_testing::folder::tables;

/// The name of the first adapter, software too; a variable makes it a failure that there is none.
fn adapter(dir: &Path) -> Option<String> {
    let (out, _) = expect(dir, "doctor --json", 0);
    let doctor: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(doctor["gpu"]["supported"], true);
    let first = doctor["gpu"]["adapters"].get(0).and_then(|own| own["name"].as_str()).map(str::to_owned);
    let required = std::env::var_os("CLEARSWEEP_REQUIRE_GPU").is_some();
    assert!(first.is_some() || !required, "CLEARSWEEP_REQUIRE_GPU is set, and there is no adapter");
    if first.is_none() {
        eprintln!("skipped: this machine has no graphics adapter");
    }
    first
}

/// The first word of a name: arguments are split at blanks.
fn word(name: &str) -> &str {
    name.split_whitespace().next().unwrap_or_default()
}

#[test]
fn tables_are_those_of_the_processor() {
    let dir = clone::clone();
    let dir = dir.path();
    let Some(adapter) = adapter(dir) else { return };
    let generated = [
        ("many", "generate crowd --bodies 300 --frames 150 --runs 2 --density 0.3 --seed 3"),
        ("short", "generate crowd --bodies 12 --frames 5 --runs 90 --density 0.4 --seed 4"),
    ];
    for (name, command) in generated {
        expect(dir, &format!("{command} --out datasets/{name} --progress none"), 0);
    }
    for set in ["coherence", "contact", "crowd", "pipe-rack", "separation", "many", "short"] {
        let run = |out: &str, device: &str| {
            let command = format!("run datasets/{set}/scene.toml --out {out} --device {device} --progress none");
            // Its requirement is violated.
            expect(dir, &command, if set == "contact" { 3 } else { 0 });
            let bytes = std::fs::read(dir.join(out).join("manifest.json")).expect("a manifest");
            serde_json::from_slice::<Value>(&bytes).expect("JSON")
        };
        let (cpu, gpu) = (format!("{set}-cpu"), format!("{set}-gpu"));
        let on_cpu = run(&cpu, "cpu");
        let on_gpu = run(&gpu, &format!("gpu --adapter {}", word(&adapter)));
        assert!(tables(&dir.join(&cpu)) == tables(&dir.join(&gpu)), "{set}");
        assert_eq!(on_cpu["counts"], on_gpu["counts"], "{set}");
        assert_eq!((&on_cpu["device"]["kind"], &on_cpu["device"]["gpu"]), (&"cpu".into(), &Value::Null));
        assert_eq!((&on_gpu["device"]["kind"], &on_gpu["device"]["gpu"]["fallback"]), (&"gpu".into(), &Value::Null));
        let moves = on_gpu["summary"]["bodies_dynamic"].as_u64() > Some(0);
        let (bytes, kernels) = (&on_gpu["device"]["gpu"]["memory_bytes"], &on_gpu["device"]["gpu"]["kernels_s"]);
        assert_eq!(bytes.as_u64() > Some(1 << 10), moves, "{set}");
        assert!(kernels.as_object().is_none_or(|times| times.contains_key("sweep_boxes") == moves), "{set}: {kernels}");
        assert_eq!(on_gpu["device"]["adapter"]["name"], adapter);
        assert_eq!(on_gpu["options"]["broad"], "gpu");
        assert!(on_gpu["counts"]["candidates"].as_u64() > Some(0), "{set} is to have candidates");
    }
}

#[test]
fn memory_and_threads_do_not_change_them() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    let Some(adapter) = adapter(dir) else { return };
    expect(dir, "generate crowd --bodies 90 --frames 200 --density 0.4 --seed 9 --out c --progress none", 0);
    expect(dir, "run c/scene.toml --out cpu --progress none", 0);
    for (out, options) in [("one", "--threads 1"), ("small", "--memory 1MB"), ("named", "--broad gpu --threads 3")] {
        let device = if out == "named" { String::new() } else { "--device gpu".to_owned() };
        let adapter = word(&adapter);
        expect(dir, &format!("run c/scene.toml --out {out} {device} --adapter {adapter} {options} --progress none"), 0);
        assert!(tables(&dir.join("cpu")) == tables(&dir.join(out)), "{out}");
    }
}

#[test]
fn software_is_used_only_when_it_is_asked_for() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    expect(dir, "generate crowd --bodies 9 --frames 9 --out c --progress none", 0);
    let (out, _) = expect(dir, "doctor --json", 0);
    let doctor: Value = serde_json::from_str(&out).expect("JSON");
    let adapters = doctor["gpu"]["adapters"].as_array().expect("a list");
    for own in adapters {
        assert!(own["is_used"] == false || own["kind"] != "software", "{own}");
    }
    let has_hardware = adapters.iter().any(|own| own["kind"] != "software");
    let code = if has_hardware { 0 } else { 2 };
    let (_, err) = expect(dir, "run c/scene.toml --out gpu --device gpu --progress none", code);
    assert_eq!(dir.join("gpu").exists(), has_hardware, "nothing is written before the device is open");
    assert!(has_hardware || err.contains("adapter") && err.contains("--device cpu"), "{err}");
    let command = "run c/scene.toml --out other --device gpu --adapter no-such-thing --progress none";
    let (_, err) = expect(dir, command, 2);
    assert!(err.contains("no-such-thing") && err.contains("clearsweep doctor"), "{err}");
    assert!(!dir.join("other").exists());
}
