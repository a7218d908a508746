//! Tables that are printed in Markdown and written as CSV for the plots.

use super::Measured as Outcome;
use std::path::Path;

/// Rows under a header.
pub(crate) struct Table {
    title: String,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    notes: Vec<String>,
}

impl Table {
    /// An empty table. `header` has the names of the columns, separated by commas.
    pub(crate) fn new(title: &str, header: &str) -> Self {
        let header = header.split(',').map(str::to_owned).collect();
        Self { title: title.to_owned(), header, rows: Vec::new(), notes: Vec::new() }
    }

    pub(crate) fn row(&mut self, row: Vec<String>) {
        assert_eq!(row.len(), self.header.len());
        self.rows.push(row);
    }

    fn column(&self, name: &str) -> usize {
        self.header.iter().position(|h| h == name).expect("a column")
    }

    /// The points (x, y) of each method, both above zero.
    fn points(&self, x: &str, y: &str) -> Vec<(String, Vec<(f64, f64)>)> {
        let (m, x, y) = (self.column("method"), self.column(x), self.column(y));
        let mut all: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
        for row in &self.rows {
            let number = |k: usize| row[k].parse::<f64>().expect("a number");
            if !all.iter().any(|(name, _)| *name == row[m]) {
                all.push((row[m].clone(), Vec::new()));
            }
            let (_, points) = all.iter_mut().find(|(name, _)| *name == row[m]).expect("pushed above");
            if number(x) > 0.0 && number(y) > 0.0 {
                points.push((number(x), number(y)));
            }
        }
        all.retain(|(_, points)| points.len() > 1);
        all
    }

    /// Adds a note with the exponent p of y ~ x^p for each method, by least squares on logarithms.
    pub(crate) fn slopes(&mut self, x: &str, y: &str) {
        for (name, points) in self.points(x, y) {
            let logs: Vec<_> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
            let (_, slope, _) = fit(&logs);
            self.notes.push(format!("{name}: {y} ~ {x}^{slope:.2}"));
        }
    }

    /// Adds a note with the fit y = a + b x for each method and the share of the variance that it
    /// explains.
    pub(crate) fn lines(&mut self, x: &str, y: &str) {
        for (name, points) in self.points(x, y) {
            let (a, b, r2) = fit(&points);
            self.notes.push(format!("{name}: {y} = {a:.1} + {b:.5} {x}, R^2 = {r2:.4}"));
        }
    }

    /// Prints the table in Markdown and writes it.
    pub(crate) fn finish(self, path: &Path) -> Outcome<()> {
        println!("### {}\n", self.title);
        println!("| {} |", self.header.join(" | "));
        println!("|{}", " --- |".repeat(self.header.len()));
        for row in &self.rows {
            println!("| {} |", row.join(" | "));
        }
        println!();
        self.notes.iter().for_each(|note| println!("- {note}"));
        println!();
        let lines: Vec<String> =
            std::iter::once(&self.header).chain(&self.rows).map(|row| row.join(",") + "\n").collect();
        std::fs::write(path, lines.concat())?;
        Ok(())
    }
}

/// Least squares: a, b of y = a + b x, and R squared.
fn fit(points: &[(f64, f64)]) -> (f64, f64, f64) {
    let n = points.len() as f64;
    let mean = |f: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / n;
    let (x, y) = (mean(&|p| p.0), mean(&|p| p.1));
    let (xx, xy) = (mean(&|p| (p.0 - x) * (p.0 - x)), mean(&|p| (p.0 - x) * (p.1 - y)));
    let yy = mean(&|p| (p.1 - y) * (p.1 - y));
    let b = xy / xx;
    (y - b * x, b, xy * xy / (xx * yy).max(f64::MIN_POSITIVE))
}
