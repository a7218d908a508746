//! A table, printed as it grows and written as CSV at the end.

use std::path::Path;
use std::time::Instant;

pub struct Report {
    text: String,
    width: usize,
}

impl Report {
    pub fn new(columns: &[&str]) -> Self {
        println!("{}", columns.join(" | "));
        Self { text: columns.join(",") + "\n", width: columns.len() }
    }

    pub fn row(&mut self, cells: &[String]) {
        assert_eq!(cells.len(), self.width, "a cell for each column");
        println!("{}", cells.join(" | "));
        self.text.push_str(&cells.join(","));
        self.text.push('\n');
    }

    pub fn finish(self, path: &Path) {
        std::fs::write(path, self.text).unwrap();
        println!("written {}", path.display());
    }
}

/// The time of work that is done again and again, in parts: of each part the least of all rounds.
/// Other work on the machine disturbs a part, which takes a millisecond or so, far less often than
/// the whole.
#[derive(Default, Clone)]
pub struct Parts(Vec<f64>);

impl Parts {
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Takes note of the time of a part since `start`.
    pub fn note(&mut self, part: usize, start: Instant) {
        let seconds = start.elapsed().as_secs_f64();
        if self.0.len() <= part {
            self.0.resize(part + 1, f64::INFINITY);
        }
        self.0[part] = self.0[part].min(seconds);
    }

    /// Nanoseconds a call, given the number of calls of all parts.
    pub fn nanoseconds(&self, calls: usize) -> f64 {
        self.0.iter().sum::<f64>() * 1e9 / calls as f64
    }
}
