//! Convex bodies and bodies of pieces: brackets, directions and ties against oracles, by every
//! method of the narrow phase.

mod exact;

mod adversarial;
mod certificate;
mod directional;
mod duality;
mod exact_rung;
mod gjk_sub_algorithms;
mod gjk_variants;
mod hard_cases;
mod hull_brute_force;
mod lin_canny;
mod narrow_smoke;
mod near_ties;
mod oracle_itself;
mod path_independence;
mod piece_trees;
mod pieces;
mod random_pairs;
mod recentring;
mod round_bodies;
mod ties;
mod vclip;
