//! Lower bounds of the distance of two volumes over a part of the interval: balls whose middles leave their chords by an eighth of their
//! acceleration, and the supporting planes of a direction (`support_gap.rs`).

use super::bends::{PairBends, TurningReach};
use super::moment::{FixedDirection, PairMoment};
use super::volume::{ConvexVolume, SurfaceNode};
use crate::geometry::Vec3;
use crate::geometry::mesh::TriangleMesh;
use crate::narrow::interval::relative_motion::GapBound;
use crate::narrow::mesh::triangle_pair::{self, TriangleCorners};
use smallvec::SmallVec;

/// A part of a surface with what bounds it.
#[derive(Debug, Clone, Copy)]
pub(super) struct BoundedNode {
    pub(super) node: SurfaceNode,
    pub(super) volume: ConvexVolume,
    reach: TurningReach,
}

impl BoundedNode {
    /// Of a body's surface.
    pub(super) fn new(body: usize, mesh: &TriangleMesh, node: SurfaceNode, bends: &PairBends) -> Self {
        let volume = node.volume(mesh);
        Self { node, volume, reach: bends.reach(body, &volume) }
    }
}

/// What a part of the interval proves of two volumes.
#[derive(Debug, Clone, Copy)]
pub(super) struct VolumeGap {
    /// Proven lower bound of the signed distance, metres.
    pub(super) lower: f64,
    /// The best bound of a direction; none if no direction bounds anything.
    pub(super) bound: GapBound,
    /// That direction.
    pub(super) direction: Option<FixedDirection>,
    /// Of two triangles in the middle of the part, as computed, metres.
    pub(super) distance: Option<f64>,
}

/// Two volumes over a part of the interval.
pub(super) struct VolumePair<'s> {
    pub(super) bends: &'s PairBends,
    /// At the ends of the part.
    pub(super) ends: [&'s PairMoment; 2],
    pub(super) middle: &'s PairMoment,
    pub(super) nodes: [&'s BoundedNode; 2],
    /// What is taken off each gap: growth, deviation and rounding, metres.
    pub(super) off: f64,
}

impl VolumePair<'_> {
    /// The best bound of balls and directions, those of `known` first; `None` where the volumes are proven to be farther apart than `beyond`.
    /// What reaches `needed` is good enough, metres.
    pub(super) fn gap(&self, known: &[FixedDirection], needed: f64, beyond: f64) -> Option<VolumeGap> {
        let (balls, line) = self.of_balls();
        if balls > beyond {
            return None;
        }
        let mut best = VolumeGap { lower: balls, bound: GapBound::NONE, direction: None, distance: None };
        if known.iter().any(|direction| self.improve(&mut best, direction) >= needed) {
            return Some(best);
        }
        for world in self.directions(line, &mut best.distance) {
            let fixed = self.bends.least(world, self.reaches());
            let direction = FixedDirection::new(fixed, world, self.middle);
            if direction.is_some_and(|direction| self.improve(&mut best, &direction) >= needed) {
                break;
            }
        }
        Some(best)
    }

    fn reaches(&self) -> [&TurningReach; 2] {
        self.nodes.map(|node| &node.reach)
    }

    fn share(&self) -> f64 {
        self.ends[1].share - self.ends[0].share
    }

    /// From the middle of A's volume to that of B's, world, metres.
    fn between_middles(&self, at: &PairMoment) -> Vec3<f64> {
        let [a, b] = [0, 1].map(|body| at.to_world(body, self.nodes[body].volume.middle));
        at.between + (b - a)
    }

    /// The balls around the volumes are at least this far apart, metres; and the line between them where their chords are nearest.
    fn of_balls(&self) -> (f64, Vec3<f64>) {
        let [from, to] = self.ends.map(|at| self.between_middles(at));
        let along = to - from;
        let length2 = along.length2();
        let share = if length2 > 0.0 { (-from.dot(along) / length2).clamp(0.0, 1.0) } else { 0.0 };
        let line = from + along.scale(share);
        let bend = self.bends.of_middles(self.reaches()) * (self.share() * self.share());
        let radii = self.nodes[0].volume.radius + self.nodes[1].volume.radius;
        (line.length() - 0.125 * bend - radii - self.off, line)
    }

    /// Directions of the world along which the volumes may be apart throughout: of two triangles that of their distance in the middle of the
    /// part, of others the line between them, and those in which each of them is thinnest. `distance`: that of the triangles.
    fn directions(&self, line: Vec3<f64>, distance: &mut Option<f64>) -> SmallVec<[Vec3<f64>; 3]> {
        let mut found = SmallVec::new();
        if let [Some(a), Some(b)] = self.nodes.map(|node| node.volume.corners()) {
            let b: TriangleCorners<f64> = b.map(|corner| self.middle.relative.point(corner));
            let closest = triangle_pair::closest_points(a, &b);
            *distance = Some(closest.distance2.sqrt());
            if let Some(normal) = triangle_pair::direction(a, &b, &closest) {
                found.push(self.middle.to_world(0, normal));
                return found;
            }
        }
        found.push(line);
        for body in [0, 1] {
            let thin = self.middle.to_world(body, self.nodes[body].volume.thin());
            found.push(if thin.dot(line) < 0.0 { -thin } else { thin });
        }
        found
    }

    /// The gap of the supporting planes along a direction of the world at a moment, metres.
    fn gap_at(&self, at: &PairMoment, world: Vec3<f64>) -> f64 {
        let [a, b] = [at.to_body(0, world), -at.to_body(1, world)];
        world.dot(at.between) - self.nodes[1].volume.height(b) - self.nodes[0].volume.height(a)
    }

    /// Takes the bound of a direction if it is better; returns the best lower bound, metres.
    fn improve(&self, best: &mut VolumeGap, direction: &FixedDirection) -> f64 {
        let worlds = self.ends.map(|at| direction.in_world(at));
        let bend = self.bends.along(direction.fixed, worlds[0], self.reaches()) * (self.share() * self.share());
        let [first, last] = [0, 1].map(|end| self.gap_at(self.ends[end], worlds[end]) - self.off);
        let bound = GapBound { first, last, bend };
        let least = bound.least();
        // Where numbers overflow nothing is proven.
        let is_proof = (first + last + bend).is_finite();
        if is_proof && (best.direction.is_none() || least > best.bound.least()) {
            (best.bound, best.direction) = (bound, Some(*direction));
            best.lower = if least > best.lower { least } else { best.lower };
        }
        best.lower
    }

    /// Whether the motion takes more from a bound than the size of the volumes does, so that the part is to be divided in time.
    pub(super) fn bends_more(&self, gap: &VolumeGap) -> bool {
        gap.direction.is_some_and(|direction| {
            let world = direction.in_world(self.ends[0]);
            let width = |body: usize| self.nodes[body].volume.width(self.ends[0].to_body(body, world));
            0.125 * gap.bound.bend > width(0) + width(1)
        })
    }
}
