//! The verifier of rows, on a small scale.

mod recheck;
mod recheck_kinds;
