//! The batch driver: queries of many samples of one pair, and queries of few samples of many pairs, eight at a time.
//!
//! ```text
//! at_rest.rs     samples in which nothing moves
//! driver.rs      the driver: culled, settled by a batch, or handed to the pair solver, sample by sample
//! many_pairs.rs  the first samples of many pairs: poses and starts side by side, V-Clip, proofs
//! one_pair.rs    the samples of one pair: verification, or V-Clip from sample to sample, and proofs
//! verify.rs      one feature pair in eight samples
//! proofs.rs      eight answers, each with features of its own
//! pair_block.rs  one pair in the samples of a block
//! ```

mod at_rest;
mod driver;
mod many_pairs;
mod memory;
mod one_pair;
mod pair_block;
mod proofs;
mod verify;

pub(super) use driver::answer;
pub(super) use memory::BatchMemory;
