//! The free length of a body along a direction, within a footprint: how far it moves until it,
//! grown across the direction, touches another.
//!
//! The grown body is `A + D`, `D` the disk of the footprint's radius across the direction. It is
//! held between two bodies of convex pieces, of which the disk is a regular polygon (`grown.rs`).
//! The outer one gives the lower end, the inner one the upper end. The proofs are derived in
//! docs/reference/numerics.md, "Free length within a footprint".

mod grown;
#[cfg(test)]
mod tests;

use self::grown::{Across, GrownBody};
use super::convex::StartOfLine;
use super::line::{LineMemory, LineOfMotion};
use super::pieces::{self, FirstMeeting};
use super::{directional_distance, meshes};
use crate::deviation::Deviation;
use crate::way_out::NoProof;
use crate::workspace::Workspace;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_model::{DirectionalDistance, DirectionalRelation, QueryOptions, Shape, convex_parts};

/// A disk across a direction by which a body grows, and the grown body that was built last.
///
/// The grown body depends on the body, on the direction in the body's frame and on the radius. It
/// is kept while these are equal, so that a body at rest is built once. It is also kept while a
/// body turns about an axis of the world along which it moves. Building costs about 4 ms for a
/// convex body of 20 vertices, and grows with the number of vertices; the answers do not depend on
/// whether it was kept.
#[derive(Debug, Default)]
pub struct Footprint {
    radius: f64,
    kept: Option<GrownBody>,
}

impl Footprint {
    /// Creates a footprint of a radius, metres: 0 or more. Any other number leaves all free lengths
    /// unproven.
    pub fn new(radius: f64) -> Self {
        Self { radius, kept: None }
    }

    /// The radius of the disk, metres.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The grown body; `None` if there is none: numbers are not finite, or too large or too small
    /// for a hull.
    fn grown(&mut self, body: &Shape, across: Across) -> Option<&GrownBody> {
        if self.kept.as_ref().is_none_or(|kept| !kept.is_of(body, across)) {
            self.kept = GrownBody::new(body, across, self.radius);
        }
        self.kept.as_ref()
    }
}

/// The free length of A along a direction of the world, of any length but zero: the least `t >= 0`
/// such that A, grown by the footprint across the direction and moved by `t` along it, touches B.
///
/// [`DirectionalRelation::Touches`], `Misses` and `Unproven` are as in [`directional_distance`], in
/// which B moves the other way. Grown bodies that overlap or touch before the motion are
/// `InContact`, with the value 0: `Leaves` does not occur. If they are proven to overlap, `upper`
/// is 0; if one of them is a mesh, or they hardly overlap, it may be the rounding of the grown
/// body. `Undecided`: the lower end is proven, and the upper one may be; it is not known whether
/// they touch before the motion, or whether they ever do. B at the edge of the footprint is
/// undecided within 0.5 % of its radius.
///
/// Without growth a mesh is moved as it is. A mesh that is not exactly a few convex solids grows
/// triangle by triangle: each takes about 1 ms to build, and two hulls of up to 96 vertices in
/// memory. `options`: those of a query; the cut-off does not count.
pub fn free_length(
    a: &Shape,
    b: &Shape,
    pose_a: &Pose,
    pose_b: &Pose,
    direction: Vec3<f64>,
    footprint: &mut Footprint,
    options: &QueryOptions,
    work: &mut Workspace,
) -> DirectionalDistance {
    if footprint.radius == 0.0 {
        return until_contact(directional_distance(a, b, pose_a, pose_b, -direction, options, work));
    }
    let bodies = [exact_parts(a), exact_parts(b)];
    let found = LineOfMotion::new(pose_a, pose_b, -direction)
        .and_then(|line| of_grown(&line, bodies, direction, footprint, options, work));
    found.unwrap_or(DirectionalDistance::UNPROVEN)
}

/// The free length without growth, from the distance: bodies that overlap have none.
fn until_contact(found: DirectionalDistance) -> DirectionalDistance {
    if found.relation == DirectionalRelation::Leaves { contact(0.0) } else { found }
}

/// The answer if the grown bodies touch or overlap before the motion. `upper`: the free length is
/// at most this, metres.
fn contact(upper: f64) -> DirectionalDistance {
    DirectionalDistance { relation: DirectionalRelation::InContact, value: Some(0.0), lower: 0.0, upper }
}

/// The convex pieces that a body is exactly, if its surface is known exactly; else the body itself.
fn exact_parts(body: &Shape) -> &Shape {
    if body.deviation == 0.0 { convex_parts(body).unwrap_or(body) } else { body }
}

/// The free length with growth; `None` without a proof.
fn of_grown(
    line: &LineOfMotion,
    [a, b]: [&Shape; 2],
    direction: Vec3<f64>,
    footprint: &mut Footprint,
    options: &QueryOptions,
    work: &mut Workspace,
) -> Option<DirectionalDistance> {
    let grown = footprint.grown(a, Across::new(line, direction))?;
    let radius = grown.outer.iter().fold(b.radius, |most, outer| most.max(outer.radius));
    let size = 2.0 * radius + line.relative.t.length();
    if !size.is_finite() {
        return None;
    }
    let begins = without_growth(line, [a, b], options, work)?;
    if begins.start == StartOfLine::Overlap {
        return Some(contact(0.0));
    }
    let mut outer = first_of_all(line, (&grown.outer, b), SoughtEnd::LowerEnd, options, work)?;
    if begins.start == StartOfLine::Contact {
        outer = FirstMeeting::OPEN;
    }
    if outer.start == StartOfLine::Apart && outer.first[0].is_infinite() {
        return Some(DirectionalDistance::apart(outer.first));
    }
    let deviation = Deviation::of(a, b).by;
    // Triangles prove nothing of true surfaces near to them.
    let mut inner = if a.mesh.is_some() && deviation > 0.0 {
        FirstMeeting::OPEN
    } else {
        first_of_all(line, (&grown.inner, b), SoughtEnd::UpperEnd { depth: grown.forward }, options, work)?
    };
    inner.is_vague |= deviation > 0.0 || begins.is_vague;
    Some(between(&outer, &inner, grown.forward))
}

/// How the bodies begin if A does not grow; of convex pieces only whether they overlap. `None`
/// without a proof. The grown triangles of a mesh leave out its inside, and a body with few faces
/// shows an overlap sooner than a grown one.
fn without_growth(
    line: &LineOfMotion,
    [a, b]: [&Shape; 2],
    options: &QueryOptions,
    work: &mut Workspace,
) -> Option<FirstMeeting> {
    if a.mesh.is_some() {
        return meshes::begin(line, [a, b], options, work);
    }
    let overlap = FirstMeeting { start: StartOfLine::Overlap, ..FirstMeeting::NEVER };
    let is_overlap = b.mesh.is_none() && {
        let margins = Deviation::of(a, b).margins(are_convex([a, b]));
        with_memory(work, |memory| pieces::overlap(line, [a, b], margins, memory))?
    };
    Some(if is_overlap { overlap } else { FirstMeeting::NEVER })
}

/// Whether both bodies are convex.
fn are_convex(bodies: [&Shape; 2]) -> bool {
    bodies.iter().all(|body| body.only_piece().is_some())
}

/// The result of a query of pieces, which gets working memory.
fn with_memory<T>(work: &mut Workspace, query: impl FnOnce(&mut LineMemory) -> Result<T, NoProof>) -> Option<T> {
    let mut memory = LineMemory::default();
    std::mem::swap(&mut memory.polytope, &mut work.polytope);
    let found = query(&mut memory);
    std::mem::swap(&mut memory.polytope, &mut work.polytope);
    found.ok()
}

/// The answer from the first meetings of the outer and of the inner body. Each point of the inner
/// one is a point of the grown body moved by up to `forward` along the direction, metres.
fn between(outer: &FirstMeeting, inner: &FirstMeeting, forward: f64) -> DirectionalDistance {
    let upper = if inner.is_deep {
        0.0
    } else if forward > 0.0 {
        (inner.first[1] + forward).next_up()
    } else {
        inner.first[1]
    };
    let undecided = DirectionalDistance::undecided(upper);
    match (inner.start, outer.start) {
        (StartOfLine::Overlap, _) => contact(upper),
        (_, StartOfLine::Apart) => DirectionalDistance::apart([outer.first[0], upper]),
        (StartOfLine::Contact, _) if !inner.is_vague => contact(upper),
        _ => undecided,
    }
}

/// The end of the bracket that is looked for.
#[derive(Debug, Clone, Copy)]
enum SoughtEnd {
    LowerEnd,
    /// `depth`: bodies are deep if they overlap by more, metres.
    UpperEnd {
        depth: f64,
    },
}

/// How several bodies together begin with B, and when one of them meets it first; `None` without a
/// proof.
fn first_of_all(
    line: &LineOfMotion,
    (bodies, b): (&[Shape], &Shape),
    sought: SoughtEnd,
    options: &QueryOptions,
    work: &mut Workspace,
) -> Option<FirstMeeting> {
    bodies
        .iter()
        .try_fold(FirstMeeting::NEVER, |all, body| Some(all.or(first_meeting(line, [body, b], sought, options, work)?)))
}

/// How two bodies begin, and when they meet first; `None` without a proof.
fn first_meeting(
    line: &LineOfMotion,
    bodies: [&Shape; 2],
    sought: SoughtEnd,
    options: &QueryOptions,
    work: &mut Workspace,
) -> Option<FirstMeeting> {
    if bodies.iter().any(|body| body.mesh.is_some()) {
        return meshes::first_meeting(line, bodies, options, work);
    }
    let [most, least] = Deviation::of(bodies[0], bodies[1]).margins(are_convex(bodies));
    let (least, depth) = match sought {
        SoughtEnd::LowerEnd => (f64::NEG_INFINITY, 0.0),
        SoughtEnd::UpperEnd { depth } => (least, depth),
    };
    with_memory(work, |memory| pieces::first_meeting(line, bodies, [most, least], depth, memory))
}
