//! The distance along a direction: how far B has to be moved along it until it touches A, or leaves
//! it.
//!
//! Source: Choi et al., "Collision detection of convex polyhedra based on duality transformation",
//! section 6; the ray cast of van den Bergen (2004), "Ray casting against general convex objects
//! with application to continuous collision detection". The proofs are derived in
//! docs/reference/numerics.md, "Distance along a direction".
//!
//! Departures from the paper:
//!
//! - The line is not projected to find an inner point of the difference: the face that it pierces
//!   is found without one (`duality/guide.rs`), and whether it meets the difference at all is shown
//!   by the planes.
//! - A face is where Newton's steps start and not the answer: bodies are inflated by radii, and
//!   what rounding leaves of an answer is bracketed.

mod convex;
mod footprint;
mod line;
mod meshes;
mod pieces;
mod pierced;

use self::convex::StartOfLine;
pub use self::footprint::{Footprint, free_length};
use self::line::{LineMemory, LineOfMotion};
use super::deviation::Deviation;
use super::workspace::Workspace;
use clearsweep_geometry::{Pose, Vec3};
pub use clearsweep_model::{DirectionalDistance, DirectionalRelation};
use clearsweep_model::{QueryOptions, Shape};

/// The distance of two bodies along a direction of the world, of any length but zero.
///
/// If a body has several pieces or is a mesh, B leaves A when two conditions hold: no pair of
/// pieces overlaps any longer, and no surface crosses the other or lies inside of a solid. If the
/// true surfaces are known up to a deviation only, the bracket holds the distance of all bodies
/// within it. `options`: those of a query; the cut-off does not count.
pub fn directional_distance(
    a: &Shape,
    b: &Shape,
    pose_a: &Pose,
    pose_b: &Pose,
    direction: Vec3<f64>,
    options: &QueryOptions,
    work: &mut Workspace,
) -> DirectionalDistance {
    let Some(line) = LineOfMotion::new(pose_a, pose_b, direction) else { return DirectionalDistance::UNPROVEN };
    let size = a.radius + b.radius + line.relative.t.length();
    if !size.is_finite() {
        return DirectionalDistance::UNPROVEN;
    }
    if a.mesh.is_some() || b.mesh.is_some() {
        return meshes::distance(&line, [a, b], options, work);
    }
    let mut memory = LineMemory::default();
    std::mem::swap(&mut memory.polytope, &mut work.polytope);
    let deviation = Deviation::of(a, b);
    let are_convex = a.only_piece().is_some() && b.only_piece().is_some();
    let found = pieces::union(&line, [a, b], deviation.margins(are_convex), &mut memory);
    std::mem::swap(&mut memory.polytope, &mut work.polytope);
    found.map_or(DirectionalDistance::UNPROVEN, |found| of_lengths(found.start, found.first, found.chain, deviation.by))
}

/// Forms the answer from the lengths at which the bodies meet. `first`: not before, and by then.
/// `chain`: they overlap from 0 to the first end, and no longer than to the second, metres.
/// `deviation`: of both surfaces, metres.
fn of_lengths(start: StartOfLine, first: [f64; 2], chain: [f64; 2], deviation: f64) -> DirectionalDistance {
    match start {
        StartOfLine::Apart => DirectionalDistance::apart(first),
        StartOfLine::Overlap => DirectionalDistance::valued(DirectionalRelation::Leaves, chain[0].max(0.0), chain[1]),
        // They may be apart, and then touch later or never.
        StartOfLine::Contact => {
            let upper = chain[1].max(first[1]);
            if deviation > 0.0 {
                return DirectionalDistance::undecided(upper);
            }
            DirectionalDistance { relation: DirectionalRelation::InContact, value: Some(0.0), lower: 0.0, upper }
        }
    }
}
