//! Warnings of a run: on stderr, once.

use super::color::{Tone, paint};
use super::text::{count, visible};
use super::wrap::{width_of_stderr, wrapped};
use clearsweep_records::manifest::{Manifest, Warning};
use std::io::Write;

/// Names that are listed before the rest is counted.
const LISTED: usize = 5;

/// Prints the warnings of a manifest.
pub(crate) fn say(manifest: &Manifest) {
    for warning in &manifest.warnings {
        // If stderr is gone, there is nobody left to tell.
        let _ = anstream::stderr().lock().write_all(line(warning).as_bytes());
    }
}

fn line(Warning { kind, bodies, bodies_count, problem, help }: &Warning) -> String {
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
