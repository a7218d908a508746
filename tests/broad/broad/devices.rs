//! The broad phase on devices: the CPU reference of the kernels, and a GPU where there is one, each
//! also with limits so small that everything is split.

use super::{BASE, Candidate, FrameBlock, Recipe, Setup, generate};
use clearsweep_broad::BroadPhase;
use clearsweep_broad::BroadScene;
use clearsweep_broad::internals::{AdapterDescription, DeviceFaults, DeviceLimits, adapters, cpu_reference, open_with};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Boxes of a few samples of a body at a time, a few pairs at a time, and trees where possible.
fn narrow() -> DeviceLimits {
    DeviceLimits { most_bytes: 1 << 18, window: 100, brute_slots: 20, searches: 2, ..DeviceLimits::default() }
}

/// The first adapter, software too; a variable makes it a failure that there is none.
pub(super) fn adapter() -> Option<AdapterDescription> {
    let first = adapters().into_iter().next();
    let required = std::env::var_os("CLEARSWEEP_REQUIRE_GPU").is_some();
    assert!(first.is_some() || !required, "CLEARSWEEP_REQUIRE_GPU is set, and there is no adapter");
    first
}

/// A broad phase that goes through all tests, whatever the job, as opening a device takes long.
type Kept = (&'static str, Box<dyn BroadPhase>);

static DEVICES: OnceLock<Mutex<Vec<Kept>>> = OnceLock::new();

fn devices() -> Vec<Kept> {
    let whole = DeviceFaults::default();
    let mut all = vec![
        ("CPU reference", cpu_reference(DeviceLimits::default(), &whole)),
        ("CPU reference with small limits", cpu_reference(narrow(), &whole)),
    ];
    match adapter() {
        Some(found) => {
            let open = |limits, groups| {
                let faults = DeviceFaults { groups, ..DeviceFaults::default() };
                open_with(Some(&found.name), limits, &faults).expect("it opens").0
            };
            all.push(("GPU", open(DeviceLimits::default(), None)));
            all.push(("GPU with small limits", open(narrow(), Some(3))));
        }
        None => eprintln!("skipped: the GPU, as this machine has no graphics adapter"),
    }
    all
}

/// Compares the devices with what is expected, twice, since they learn how to split blocks.
pub(super) fn check(what: &str, setup: &Setup, job: &BroadScene, block: &FrameBlock, expected: &[Candidate]) {
    let devices = DEVICES.get_or_init(|| Mutex::new(devices()));
    for (name, device) in &mut *devices.lock().unwrap_or_else(PoisonError::into_inner) {
        for round in 0..2 {
            let found = device.candidates(job, &setup.scene, block);
            let count = (found.len(), expected.len());
            assert!(found == expected, "{what}: {name} finds {count:?} in round {round}");
            assert_eq!(device.device_report().expect("a device").failure, None, "{what}: {name}");
        }
    }
}

/// Compares the devices with what is expected of intervals.
pub(super) fn check_intervals(what: &str, setup: &Setup, job: &BroadScene, block: &FrameBlock, expected: &[Candidate]) {
    let devices = DEVICES.get_or_init(|| Mutex::new(devices()));
    for (name, device) in &mut *devices.lock().unwrap_or_else(PoisonError::into_inner) {
        let found = device.interval_candidates(job, &setup.scene, block);
        assert!(found == expected, "{what}: {name} finds {} instead of {}", found.len(), expected.len());
    }
}

/// How often a device was waited for.
fn fetches(device: &dyn BroadPhase) -> u64 {
    device.device_report().expect("a device").fetches
}

#[test]
fn a_block_of_many_pairs_is_waited_for_once() {
    let recipe = Recipe { bodies: 340, fixed: 0.0, space: [4.0; 3], step: 0.01, ..BASE };
    let (setup, block) = generate(&recipe);
    let job = setup.job();
    for (name, mut device) in devices() {
        if name.ends_with("small limits") {
            continue;
        }
        // The first blocks show how many pairs there are.
        (0..2).for_each(|_| drop(device.candidates(&job, &setup.scene, &block)));
        let before = fetches(device.as_ref());
        for _ in 0..3 {
            let found = device.candidates(&job, &setup.scene, &block).len();
            assert!(found > 8192, "{name}: {found} candidates");
        }
        assert_eq!(fetches(device.as_ref()) - before, 3, "{name}");
    }
}

#[test]
fn what_stays_on_the_device_is_all_windows() {
    let (setup, block) = generate(&Recipe { bodies: 220, fixed: 0.0, space: [4.0; 3], step: 0.01, ..BASE });
    let job = setup.job();
    let mut device = cpu_reference(DeviceLimits { window: 300, ..DeviceLimits::default() }, &DeviceFaults::default());
    (0..5).for_each(|_| drop(device.candidates(&job, &setup.scene, &block)));
    let mut waits = |rounds| {
        let before = fetches(device.as_ref());
        assert!(device.resident_seconds(&job, &setup.scene, &[&block], rounds).is_some());
        fetches(device.as_ref()) - before
    };
    // A search before the rounds finds how many windows there are, each of which is waited for
    // once.
    let (one, three) = (waits(1), waits(3));
    assert!(one > 20, "{one} windows and those of one round");
    assert_eq!(three, 2 * one);
}
