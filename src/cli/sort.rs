//! `clearsweep sort`: trajectories in the order that a run wants.

use super::args::SortArgs;
use super::exit::ProgramEnd;
use super::text::{bytes, count, counted, rate, seconds, table};
use super::{interrupt, machine, progress, stdout};
use clearsweep::Result;
use clearsweep_trajectory::{SortOptions, SortPhase, SortStep, Sorted};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Sorts, and prints what was done.
pub(crate) fn sort(args: &SortArgs) -> Result<ProgramEnd> {
    let columns = args.scene.as_deref().map(clearsweep_scene::load::columns_of).transpose()?;
    let options = SortOptions {
        memory: args.memory.map_or_else(machine::default_memory, |bytes| bytes.0),
        temp: args.temp.clone(),
        force: args.force,
        columns: columns.unwrap_or_default(),
    };
    let begun = Instant::now();
    let stop = stop_at_interrupt();
    let shown = progress::meter(args.progress);
    let mut phase = None;
    let sorted = clearsweep_trajectory::sort(&args.input, &args.out, &options, &mut |step| {
        if phase.replace(step.phase) != Some(step.phase) {
            shown.begin();
        }
        let share = if step.total == 0 { 1.0 } else { step.rows as f64 / step.total as f64 };
        shown.show(share, &|| state(step));
        !stop.load(Ordering::Relaxed)
    });
    drop(shown); // takes the bar away before anything else is printed
    let sorted = match sorted {
        Err(_) if stop.load(Ordering::Relaxed) => return Ok(ProgramEnd::Interrupted),
        sorted => sorted?,
    };
    if args.json {
        stdout::print_json(&as_json(&sorted, args, begun.elapsed()))?;
    } else {
        stdout::print(&text(&sorted, &args.out, begun.elapsed()))?;
    }
    Ok(ProgramEnd::Clear)
}

/// Set by the first interrupt.
fn stop_at_interrupt() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stop);
    interrupt::at_first(move || asked.store(true, Ordering::Relaxed));
    stop
}

fn state(step: &SortStep) -> String {
    let what = match step.phase {
        SortPhase::Checking => "looking at the order",
        SortPhase::Sorting => "sorting",
        SortPhase::Merging => "merging",
        SortPhase::Writing => "writing",
    };
    format!("{what}  {} of {}", count(step.rows), counted(step.total, "row"))
}

fn text(sorted: &Sorted, out: &Path, spent: Duration) -> String {
    let spent = spent.as_secs_f64();
    let how = match sorted.stretches {
        _ if sorted.was_sorted => "they were in order already".to_owned(),
        0 => "in memory".to_owned(),
        n => format!(
            "{} of temporary files, {}",
            bytes(sorted.spilled_bytes),
            if n == 1 { "1 stretch".to_owned() } else { format!("{} stretches", count(n)) }
        ),
    };
    table(&[
        ("read", format!("{} in {}", counted(sorted.rows, "row"), counted(sorted.files as u64, "file"))),
        ("sorted", how),
        ("holds", format!("{}, {}", counted(sorted.runs, "run"), counted(sorted.samples, "frame"))),
        ("time", format!("{}, {}", seconds(spent), rate(sorted.rows as f64 / spent.max(1e-3), "rows"))),
        ("written", format!("{} to {}", bytes(sorted.bytes), out.display())),
    ])
}

fn as_json(sorted: &Sorted, args: &SortArgs, spent: Duration) -> Value {
    json!({
        "in": args.input.display().to_string(),
        "out": args.out.display().to_string(),
        "rows": sorted.rows,
        "files": sorted.files,
        "runs": sorted.runs,
        "frames": sorted.samples,
        "was_sorted": sorted.was_sorted,
        "stretches": sorted.stretches,
        "spilled_bytes": sorted.spilled_bytes,
        "bytes": sorted.bytes,
        "seconds": spent.as_secs_f64(),
        "peak_memory_bytes": machine::peak_memory(),
    })
}
