//! The experiments of the V-Clip paper, with V-Clip, Lin-Canny and enhanced GJK on this
//! implementation.
//!
//! `cargo bench --bench vclip_experiments -- OUT [--quick] [coherence] [degeneracy] [tessellation]
//! [rows]`: prints tables and writes OUT/*.csv; `docs/plots/vclip_experiments.py OUT` makes the
//! tables and plots of `docs/papers/features.md` of them. Without a name, all experiments.
//! `--quick`: small sizes, to try the program. One thread.
//!
//! ```text
//! support/vclip_experiments/
//!   searches.rs      the three searches behind one trait, each with its memory
//!   bodies.rs        the bodies, and tessellated spheres of any fineness
//!   coherence.rs     Mirtich 1997 (V-Clip), Algorithm 9: Figures 9 to 12, and the accuracy of section 6.2
//!   degeneracy.rs    Algorithm 10: cycles and wrong distances
//!   tessellation.rs  Mirtich 1997 (two-phase), Figure 10: a sphere turns before a cube
//!   rows.rs          whole answers of the engine by each method
//!   report.rs        tables on paper and on disk
//! ```

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs, unreachable_pub, reason = "a program for developers")]

#[path = "support/vclip_experiments/mod.rs"]
mod experiments;

use std::path::PathBuf;

fn main() {
    // Cargo hands `--bench` to programs without a harness.
    let (flags, names): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|arg| arg.starts_with("--"));
    let quick = flags.iter().any(|flag| flag == "--quick");
    let Some((out, asked)) = names.split_first() else {
        println!("usage: vclip_experiments OUT [--quick] [coherence] [degeneracy] [tessellation] [rows]");
        return;
    };
    let out = PathBuf::from(out);
    std::fs::create_dir_all(&out).unwrap();
    let wants = |name: &str| asked.is_empty() || asked.iter().any(|a| a == name);
    if wants("coherence") {
        experiments::coherence::run(quick).finish(&out.join("coherence.csv"));
    }
    if wants("degeneracy") {
        experiments::degeneracy::run(quick).finish(&out.join("degeneracy.csv"));
    }
    if wants("tessellation") {
        experiments::tessellation::run(quick).finish(&out.join("tessellation.csv"));
    }
    if wants("rows") {
        experiments::rows::run(quick).finish(&out.join("rows.csv"));
    }
}
