//! Bodies of which one is a triangle mesh, node by node: pairs of convex volumes around parts of
//! both surfaces, over parts of the interval.
//!
//! While the bodies are apart their distance is that of their surfaces. Bodies that are apart at
//! the start, and whose surfaces do not meet throughout, are apart throughout: so bounds of the
//! distance of the surfaces above 0 bound that of the bodies. If bodies are not proven apart at the
//! start, one may lie within the other: they are not searched in this way.

mod acceleration_bounds;
mod body_poses;
mod bound;
mod division;
mod eight_parts;
mod facing;
mod first_contact;
mod node_pairs;
mod volume;

pub(crate) use self::facing::FacingMemory;
pub(super) use self::node_pairs::SurfaceParts;
