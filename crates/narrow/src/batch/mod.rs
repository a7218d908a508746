//! Batches that the driver tries before the pair solver: many samples of one pair, and few samples
//! of many pairs, eight at a time.
//!
//! ```text
//! at_rest.rs     samples in which nothing moves
//! many_pairs.rs  the first samples of many pairs: poses and starts side by side, V-Clip, proofs
//! one_pair.rs    the samples of one pair: verification, or V-Clip from sample to sample, and proofs
//! verify.rs      one feature pair in eight samples
//! proofs.rs      eight answers, each with features of its own
//! pair_block.rs  one pair in the samples of a block
//! ```

pub(super) mod at_rest;
pub(super) mod many_pairs;
mod memory;
pub(super) mod one_pair;
mod pair_block;
mod proofs;
mod verify;

pub(super) use memory::BatchMemory;
