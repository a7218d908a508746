//! Writes trajectories in no order at all, to measure `clearsweep sort`:
//!
//! ```sh
//! cargo xtask shuffled shuffled.parquet 50000000
//! clearsweep sort shuffled.parquet sorted.parquet --memory 512MB --json
//! ```
//!
//! The rows are a pseudo-random permutation of 4 runs of 200 bodies, made one by one: this takes no
//! memory either.

use crate::support::Outcome;
use clearsweep_tables::trajectory_file::{TrajectoryFile, TrajectoryRow};
use std::path::Path;
use std::process::ExitCode;

const BODIES: u64 = 200;
const RUNS: u64 = 4;
/// Salt of the rounds of the permutation.
const SALT: [u64; 4] = [0x9e37_79b9_7f4a_7c15, 0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb, 0xd6e8_feb8_6659_fd93];

/// A permutation of 0..n: a Feistel network over the next even power of two, walked until the value
/// is below n.
struct Permutation {
    n: u64,
    half: u32,
}

impl Permutation {
    fn new(n: u64) -> Self {
        let bits = 64 - n.max(2).leading_zeros();
        Self { n, half: bits.div_ceil(2) }
    }

    fn at(&self, index: u64) -> u64 {
        let mask = (1_u64 << self.half) - 1;
        let mut value = index;
        loop {
            let (mut left, mut right) = (value >> self.half, value & mask);
            for round in 0..SALT.len() {
                (left, right) = (right, left ^ (mix(right ^ SALT[round]) & mask));
            }
            value = left << self.half | right;
            if value < self.n {
                return value;
            }
        }
    }
}

/// The finaliser of splitmix64.
fn mix(value: u64) -> u64 {
    let z = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

fn write(path: &Path, rows: u64) -> clearsweep::Result<()> {
    let names: Vec<String> = (0..BODIES).map(|body| format!("body-{body:05}")).collect();
    let mut file = TrajectoryFile::create(path, &names)?;
    let permutation = Permutation::new(rows);
    let frames = rows.div_ceil(BODIES * RUNS).max(1);
    for index in 0..rows {
        let place = permutation.at(index);
        let (sample, body) = (place / BODIES, place % BODIES);
        let unit = |k: u64| (mix(place * 3 + k) >> 11) as f64 / (1_u64 << 53) as f64;
        let angle = unit(0) * 3.0;
        let frame = (sample % frames) as i64;
        file.push(&TrajectoryRow {
            run: (sample / frames) as i64,
            frame,
            time_s: frame as f64 / 60.0,
            body: body as u32,
            position: [0, 1, 2].map(|k| unit(k) * 50.0),
            q: [angle.cos(), 0.0, 0.0, angle.sin()],
        })?;
    }
    file.finish()
}

pub(crate) fn main(arguments: &[String]) -> Outcome<ExitCode> {
    let (Some(path), Some(rows)) = (arguments.first(), arguments.get(1).and_then(|rows| rows.parse().ok())) else {
        return Err("usage: shuffled OUT.parquet ROWS".into());
    };
    write(Path::new(path), rows)?;
    Ok(ExitCode::SUCCESS)
}
