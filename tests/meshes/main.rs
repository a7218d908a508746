//! Bodies of triangles: what of them is read, and what is answered of them, against all pairs of
//! triangles and closed forms.

mod brute_force;
mod hull_solids;
#[cfg(feature = "cli")]
#[path = "../support/program.rs"]
mod program;

mod contacts;
#[cfg(all(feature = "cli", feature = "decomposition"))]
mod decomposition;
#[cfg(feature = "cli")]
mod deviation;
mod deviation_nonconvex;
#[cfg(feature = "cli")]
mod hulls;
mod mesh_coherence;
mod mesh_exact;
mod mesh_pairs;
mod mesh_truth;
#[cfg(feature = "cli")]
mod meshes;
mod open_meshes;
mod ordered_ends;
mod self_contacts;
mod witness_points;
