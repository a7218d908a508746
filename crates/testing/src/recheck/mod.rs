//! The verifier of rows: proves each again, and asks for it in other ways. `cargo xtask recheck`
//! runs campaigns of it.

pub mod campaign;
pub mod drawings;
pub mod families;
pub mod features;
pub mod kinds;
pub mod plant;
pub mod record;
pub mod run;
pub mod solid;
pub mod tally;
pub mod verify;
pub mod ways;

pub use clearsweep_verifier::{depth, hull, place};
