//! The experiments of Montanari, Petrinic, Barbieri 2017 with the library's GJK, and what hill
//! climbing and a warm start save.
//!
//! `cargo bench --bench gjk_experiments -- OUT [--quick]` writes `gear.csv`, `times.csv`,
//! `maps.csv`, `carriers.csv` and `coherence.csv` to the folder OUT and prints a summary of each.
//! One thread. Variants are timed in turns, so that whatever else the machine does meets all of
//! them; a figure is the lower quartile of the turns. `docs/plots/gjk_experiments.py OUT` brings
//! the page up to date.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for developers")]

mod bodies;
mod carriers;
mod clock;
mod coherence;
mod gear;
mod maps;
mod times;

use std::path::PathBuf;

/// How much is run.
#[derive(Clone, Copy)]
struct Effort {
    quick: bool,
}

impl Effort {
    fn of(self, quick: usize, full: usize) -> usize {
        if self.quick { quick } else { full }
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let effort = Effort { quick: words.iter().any(|word| word == "--quick") };
    let Some(out) = words.iter().find(|word| !word.starts_with("--")).map(PathBuf::from) else {
        println!("usage: cargo bench --bench gjk_experiments -- OUT [--quick]");
        return;
    };
    std::fs::create_dir_all(&out).unwrap();
    std::fs::write(out.join("gear.csv"), gear::run(effort)).unwrap();
    std::fs::write(out.join("times.csv"), times::run(effort)).unwrap();
    std::fs::write(out.join("maps.csv"), maps::run(effort)).unwrap();
    std::fs::write(out.join("carriers.csv"), carriers::run(effort)).unwrap();
    std::fs::write(out.join("coherence.csv"), coherence::run(effort)).unwrap();
}
