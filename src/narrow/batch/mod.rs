//! Batches of queries: many samples of one pair, or the first samples of many pairs, eight at a time.

pub(super) mod many_pairs;
pub(super) mod one_pair;
