//! A table, printed as it grows and written as CSV at the end.

use std::path::Path;

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

/// The least of several measurements: what other work on the machine disturbs least.
pub fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}
