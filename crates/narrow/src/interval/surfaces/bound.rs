//! Lower bounds of the distance of two volumes over a part of the interval: balls whose middles
//! leave their chords by an eighth of their acceleration, and the supporting planes of a direction
//! (`support_gap.rs`).

use super::acceleration_bounds::{PairBends, VolumeReach};
use super::body_poses::{FixedDirection, PairMoment};
use super::volume::{ConvexVolume, SurfaceNode};
use crate::interval::relative_motion::{FixedIn, GapBound};
use crate::mesh::triangle_pair::{self, TriangleCorners};
use clearsweep_geometry::Vec3;
use clearsweep_geometry::mesh::{TriangleMesh, WIDTH};
use smallvec::SmallVec;

/// A part of a surface with what bounds it.
#[derive(Debug, Clone, Copy)]
pub(super) struct BoundedNode {
    pub(super) node: SurfaceNode,
    pub(super) volume: ConvexVolume,
    pub(super) reach: VolumeReach,
}

impl BoundedNode {
    /// Creates a node of a body's surface, with its bounds.
    pub(super) fn new(body: usize, mesh: &TriangleMesh, node: SurfaceNode, bends: &PairBends) -> Self {
        let volume = node.volume(mesh);
        Self { node, volume, reach: bends.reach(body, &volume) }
    }
}

/// Up to which share of the smaller triangle's radius its way off its chord counts as little.
const SHARP: f64 = 0.25;

/// Share of the size of flat volumes up to which the motion costs little: along the normal of flat
/// ones division gains nothing, but along other directions it does.
const FLAT: f64 = 1.0 / 64.0;

/// Most times at which the direction between triangles is tried: next that of the least bound.
const DIRECTIONS: usize = 3;

/// Times so near are one, as shares of a part.
const SAME_TIME: f64 = 0.05;

/// Heights of volumes at both ends of a part, metres.
pub(super) type PartHeights = SmallVec<[[f64; 2]; WIDTH]>;

/// Bounds of two volumes over a part of the interval.
#[derive(Debug, Clone, Copy)]
pub(super) struct VolumeGap {
    /// Proven lower bound of the signed distance, metres.
    pub(super) lower: f64,
    /// The best bound of a direction; none if no direction bounds anything.
    pub(super) bound: GapBound,
    /// Direction of that bound.
    pub(super) direction: Option<FixedDirection>,
    /// The triangles where they are likely nearest, if both volumes are triangles.
    pub(super) nearest: Option<NearTriangles>,
}

/// Two triangles where they are likely nearest, their corners on their chords.
#[derive(Debug, Clone, Copy)]
pub(super) struct NearTriangles {
    /// The time, as a share of the interval.
    pub(super) share: f64,
    /// Their distance, metres.
    pub(super) distance: f64,
    /// Bound on the distance of both together from their chords, metres.
    pub(super) off_chord: f64,
    /// Whether that is little beside the triangles: crossing chords then likely mean contact.
    pub(super) is_sharp: bool,
}

/// The chords of the middles of two volumes over a part.
#[derive(Debug, Clone, Copy)]
struct MiddleChord {
    /// Time at which they are nearest, as a share of the part.
    share: f64,
    /// Vector from A's middle to B's there, world, metres.
    line: Vec3<f64>,
    /// How that changes over the part.
    along: Vec3<f64>,
}

impl MiddleChord {
    fn new([from, to]: [Vec3<f64>; 2]) -> Self {
        let along = to - from;
        let length2 = along.length2();
        let share = if length2 > 0.0 { (-from.dot(along) / length2).clamp(0.0, 1.0) } else { 0.0 };
        Self { share, line: from + along.scale(share), along }
    }

    /// A direction turned towards B, and across the motion if the middles pass each other.
    fn facing(&self, direction: Vec3<f64>) -> Vec3<f64> {
        let passes = self.share > 0.0 && self.share < 1.0;
        let along = self.along.scale(direction.dot(self.along) / self.along.length2());
        let across = if passes { direction - along } else { direction };
        if across.dot(self.line) < 0.0 { -across } else { across }
    }
}

/// Whether all numbers of a bound are finite: where they overflow nothing is proven.
pub(super) fn is_proof(bound: &GapBound) -> bool {
    (bound.first + bound.last + bound.bend).is_finite()
}

/// Two volumes over a part of the interval.
pub(super) struct VolumePair<'s> {
    pub(super) bends: &'s PairBends,
    /// Moments of both ends of the part.
    pub(super) ends: [&'s PairMoment; 2],
    pub(super) middle: &'s PairMoment,
    pub(super) nodes: [&'s BoundedNode; 2],
    /// Amount taken off each gap: growth, deviation and rounding, metres.
    pub(super) off: f64,
    /// Bound on the rounding of a height, metres.
    pub(super) rounding: f64,
}

impl VolumePair<'_> {
    /// The best bound of balls and directions; `None` where the balls are farther apart than
    /// `beyond`. A bound of at least `needed` (metres) is good enough. Directions are those of
    /// `known`, the line between the volumes, and of two triangles their normals and that of their
    /// distance where they are likely nearest, of others those in which each of them is thinnest.
    /// `along`: the bound of the normals, if that is known.
    pub(super) fn gap(
        &self,
        along: Option<(GapBound, FixedDirection)>,
        known: &[FixedDirection],
        needed: f64,
        beyond: f64,
    ) -> Option<VolumeGap> {
        let chord = MiddleChord::new(self.ends.map(|at| self.between_middles(at)));
        let balls = self.of_balls(&chord);
        if balls > beyond {
            return None;
        }
        let mut best = VolumeGap { lower: balls, bound: GapBound::NONE, direction: None, nearest: None };
        if let Some((bound, direction)) = along {
            let least = bound.least();
            best = VolumeGap { lower: best.lower.max(least), bound, direction: Some(direction), nearest: None };
            if best.lower >= needed || self.improve(&mut best, &direction) >= needed {
                return Some(best);
            }
        }
        if known.iter().any(|direction| self.improve(&mut best, direction) >= needed)
            || self.along(chord.line, &mut best) >= needed
        {
            return Some(best);
        }
        if let [Some(a), Some(b)] = self.nodes.map(|node| node.volume.corners()) {
            if along.is_none() && !self.turns_away() && self.along_normals(chord.line, needed, &mut best) >= needed {
                return Some(best);
            }
            let mut share = chord.share;
            for _ in 0..DIRECTIONS {
                self.along_triangles([a, b], share, needed, &mut best);
                let least = best.bound.least_share();
                if best.lower >= needed || best.direction.is_none() || (least - share).abs() < SAME_TIME {
                    break;
                }
                share = least;
            }
            return Some(best);
        }
        for body in [0, 1] {
            let thin = self.middle.to_world(body, self.nodes[body].volume.thin());
            if self.along(chord.facing(thin), &mut best) >= needed {
                break;
            }
        }
        Some(best)
    }

    /// Takes the bound of a direction of the world in the middle of the part, in the frame of the
    /// least bend, if it is better; returns the best lower bound, metres.
    fn along(&self, world: Vec3<f64>, best: &mut VolumeGap) -> f64 {
        let fixed = self.bends.least(world, self.reaches());
        let direction = FixedDirection::new(fixed, world, self.middle);
        direction.map_or(best.lower, |direction| self.improve(best, &direction))
    }

    /// Takes the bound of a direction of the world at a share of the part, if it is better: in the
    /// frame of the least bend and, if `in_all`, in the others as long as less than `needed` is
    /// proven.
    fn along_at(&self, world: Vec3<f64>, share: f64, needed: f64, in_all: bool, best: &mut VolumeGap) -> f64 {
        let least = self.bends.least(world, self.reaches());
        let others = FixedIn::ALL.into_iter().filter(|&fixed| fixed != least && in_all);
        for fixed in std::iter::once(least).chain(others) {
            if let Some(direction) = FixedDirection::between(fixed, world, self.ends, share)
                && self.improve(best, &direction) >= needed
            {
                break;
            }
        }
        best.lower
    }

    /// Whether the motion takes more from the bounds of normals than two triangles are large.
    fn turns_away(&self) -> bool {
        let smaller = self.nodes[0].volume.radius.min(self.nodes[1].volume.radius);
        let bend = |body: usize| self.bends.in_frame(body, &self.nodes[1 - body].reach);
        0.125 * bend(0).min(bend(1)) * self.share() * self.share() > SHARP * smaller
    }

    /// Takes the bounds of the normals of two triangles, each in the frame of its body, if they are
    /// better. A face that turns is bounded well in its own frame alone: in any other one the
    /// height of its corners changes with the turn, and not with its square.
    fn along_normals(&self, line: Vec3<f64>, needed: f64, best: &mut VolumeGap) -> f64 {
        for body in [0, 1] {
            let Some(normal) = FixedDirection::of_body(body, self.nodes[body].volume.thin()) else { continue };
            let is_away = normal.in_world(self.middle).dot(line) < 0.0;
            if self.improve(best, &if is_away { normal.reversed() } else { normal }) >= needed {
                break;
            }
        }
        best.lower
    }

    /// Takes the bound of the direction between two triangles at a share of the part, with their
    /// corners on their chords, if it is better.
    fn along_triangles(&self, corners: [&TriangleCorners<f64>; 2], share: f64, needed: f64, best: &mut VolumeGap) {
        let [from, to] = self.ends;
        let on_chord = |body: usize| -> TriangleCorners<f64> {
            corners[body].map(|corner| {
                let (first, last) = (from.to_world(body, corner), to.to_world(body, corner));
                first.scale(1.0 - share) + last.scale(share)
            })
        };
        let between = from.between.scale(1.0 - share) + to.between.scale(share);
        let (a, b) = (on_chord(0), on_chord(1).map(|corner| between + corner));
        let closest = triangle_pair::closest_points(&a, &b);
        let off_chord = 0.125 * self.bends.of_points(self.reaches()) * (self.share() * self.share());
        let smaller = self.nodes[0].volume.radius.min(self.nodes[1].volume.radius);
        let distance = closest.distance2.sqrt();
        // If the triangles are nearer than needed, no direction proves more.
        let in_all = distance + off_chord - self.off >= needed && !self.bends.is_still();
        best.nearest = Some(NearTriangles {
            share: from.share + share * self.share(),
            distance,
            off_chord,
            is_sharp: off_chord <= SHARP * smaller,
        });
        let normal = triangle_pair::direction(&a, &b, &closest);
        let along_normal =
            normal.map_or(f64::NEG_INFINITY, |normal| self.along_at(normal, share, needed, in_all, best));
        // Edges that are nearly parallel have no normal.
        if along_normal < needed && !closest.crosses {
            self.along_at(closest.point_b - closest.point_a, share, needed, in_all, best);
        }
    }

    fn reaches(&self) -> [&VolumeReach; 2] {
        self.nodes.map(|node| &node.reach)
    }

    fn share(&self) -> f64 {
        self.ends[1].share - self.ends[0].share
    }

    /// Returns the vector from the middle of A's volume to that of B's, world, metres.
    fn between_middles(&self, at: &PairMoment) -> Vec3<f64> {
        let [a, b] = [0, 1].map(|body| at.to_world(body, self.nodes[body].volume.middle));
        at.between + (b - a)
    }

    /// The balls around the volumes are at least this far apart, metres.
    fn of_balls(&self, chord: &MiddleChord) -> f64 {
        let bend = self.bends.of_middles(self.reaches()) * (self.share() * self.share());
        let radii = self.nodes[0].volume.radius + self.nodes[1].volume.radius;
        chord.line.length() - 0.125 * bend - radii - self.off
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
        let bend = self.bend_of_corners(direction, worlds).map_or(bend, |own| if own < bend { own } else { bend });
        let [first, last] = [0, 1].map(|end| self.gap_at(self.ends[end], worlds[end]) - self.off);
        let bound = GapBound { first, last, bend };
        let least = bound.least();
        if is_proof(&bound) && (best.direction.is_none() || least > best.bound.least()) {
            (best.bound, best.direction) = (bound, Some(*direction));
            best.lower = if least > best.lower { least } else { best.lower };
        }
        best.lower
    }

    /// A bound of the second derivative of the gap of two triangles along a direction over the
    /// part, such that a parabola of this bend through the gaps at both ends is nowhere above the
    /// gap: each corner's height is nearly the parabola through its heights at both ends and in the
    /// middle, and leaves it by no more than its third derivative allows
    /// (docs/reference/numerics.md, "Between the frames"). `None`: of other volumes, and where
    /// numbers overflow.
    fn bend_of_corners(&self, direction: &FixedDirection, [from, to]: [Vec3<f64>; 2]) -> Option<f64> {
        let [Some(a), Some(b)] = self.nodes.map(|node| node.volume.corners()) else { return None };
        let (at, [first, last]) = (self.middle, self.ends);
        let middle = direction.in_world(at);
        // Second differences, over the two halves of the part.
        let turned = |body: usize| {
            let [p, q, r] = [first.to_body(body, from), at.to_body(body, middle), last.to_body(body, to)];
            (p - q) + (r - q)
        };
        let (of_a, of_b) = (turned(0), turned(1));
        let height = middle.dot(at.between);
        let between = (from.dot(first.between) - height) + (to.dot(last.between) - height);
        let most = |corners: &TriangleCorners<f64>, n: Vec3<f64>| {
            corners[0].dot(n).max(corners[1].dot(n)).max(corners[2].dot(n))
        };
        let bend = 4.0 * (between + most(b, of_b) + most(a, -of_a));
        let share = self.share();
        let jerk = self.bends.jerk(direction.fixed, self.reaches()) * (share * share * share);
        let bend = bend + jerk / 6.0 + 64.0 * self.rounding;
        bend.is_finite().then_some(bend.max(0.0))
    }

    /// Returns heights of a body's volumes along a direction at both ends, B's towards A, metres.
    pub(super) fn heights(&self, body: usize, direction: &FixedDirection, of: &[BoundedNode]) -> PartHeights {
        let along = self.ends.map(|at| {
            let own = at.to_body(body, direction.in_world(at));
            if body == 0 { own } else { -own }
        });
        of.iter().map(|node| along.map(|along| node.volume.height(along))).collect()
    }

    /// The bound of a direction for volumes within these that reach so high; `bend`: of these.
    pub(super) fn bound_of_heights(&self, direction: &FixedDirection, heights: [[f64; 2]; 2], bend: f64) -> GapBound {
        let [first, last] = [0, 1].map(|end| {
            let at = self.ends[end];
            direction.in_world(at).dot(at.between) - heights[1][end] - heights[0][end] - self.off
        });
        GapBound { first, last, bend }
    }

    /// Whether the motion costs more than the size of the volumes: then time is divided.
    pub(super) fn bends_more(&self, gap: &VolumeGap) -> bool {
        gap.direction.is_some_and(|direction| {
            let world = direction.in_world(self.ends[0]);
            let width = |body: usize| self.nodes[body].volume.width(self.ends[0].to_body(body, world));
            let divisible = self.nodes.iter().filter(|node| !node.node.is_triangle());
            let size = divisible.fold(0.0, |size: f64, node| size.max(node.volume.radius));
            0.125 * gap.bound.bend > width(0) + width(1) + FLAT * size
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::body_poses::MetMoments;
    use super::*;
    use crate::interval::options::BodyMotion;
    use crate::interval::pair_path::PairPath;
    use crate::interval::path::BodyPath;
    use clearsweep_geometry::Pose;
    use clearsweep_model::BetweenFrames;
    use clearsweep_scene::{BodyBuilder, Geometry, SceneBuilder};

    pub(in super::super) struct Random(pub(in super::super) u64);

    impl Random {
        pub(in super::super) fn signed(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        }
    }

    pub(in super::super) fn vector(random: &mut Random, size: f64) -> Vec3<f64> {
        Vec3::new(random.signed(), random.signed(), random.signed()).scale(size)
    }

    /// A path of a body that turns by up to about `turn` radians; some do not turn, some fall.
    pub(in super::super) fn path(random: &mut Random, number: usize, turn: f64) -> BodyPath {
        let turn = if number.is_multiple_of(4) { 0.0 } else { turn };
        let quaternion = |v: Vec3<f64>| [1.0, v.x, v.y, v.z];
        let (q, by) = (vector(random, 1.0), vector(random, 0.3 * turn));
        let start = Pose::new(vector(random, 2.0).to_array(), quaternion(q));
        let end = Pose::new((start.position + vector(random, 0.4)).to_array(), quaternion(q + by));
        let body = BodyBuilder::new("a", Geometry::Box([1.0; 3])).fixed([0.0; 3], [1.0, 0.0, 0.0, 0.0]);
        let scene = SceneBuilder::new(1.0).body(body).build().expect("a scene");
        let shape = &scene.bodies[0].shape;
        let between = [BetweenFrames::Linear, BetweenFrames::Screw, BetweenFrames::Ballistic][number % 3];
        let fall = if between == BetweenFrames::Ballistic { vector(random, 0.5) } else { Vec3::ZERO };
        let motion = BodyMotion { shape, ends: [start, end], pivot: vector(random, 1.0), fall, departure: 0.0 };
        BodyPath::new(&motion, between).expect("no half turn")
    }

    #[test]
    fn a_parabola_is_below_the_gap_of_triangles_throughout_and_near_it() {
        let mut random = Random(91);
        let (mut all, mut narrower, mut sharp) = ([0; 3], [0; 3], [0; 3]);
        for number in 0..600 {
            let turn = [0.02, 0.2, 1.5][number / 6 % 3];
            let paths = PairPath::Free([path(&mut random, number, turn), path(&mut random, number / 2 + 1, turn)]);
            let start = random.signed().abs();
            let span = if number % 4 == 0 { [0.0, 1.0] } else { [0.5 * start, 0.5 * start + 0.4] };
            let mut moments = MetMoments::default();
            let at_start = moments.meet(0.0, &paths);
            let bends = PairBends::new(&paths, moments.at(at_start));
            let nodes = [0, 1].map(|body| {
                let volume = ConvexVolume::of_triangle([0; 3].map(|_| vector(&mut random, 0.6)));
                BoundedNode { node: SurfaceNode::Triangle(0), volume, reach: bends.reach(body, &volume) }
            });
            let shares: Vec<f64> = (0..=64).map(|k| span[0] + (span[1] - span[0]) * f64::from(k) / 64.0).collect();
            let places: Vec<u32> = shares.iter().map(|&share| moments.meet(share, &paths)).collect();
            let at = |k: usize| moments.at(places[k]);
            let rounding = 1e-14;
            let pair = VolumePair {
                bends: &bends,
                ends: [at(0), at(64)],
                middle: at(32),
                nodes: [&nodes[0], &nodes[1]],
                off: 0.0,
                rounding,
            };
            for (kind, fixed) in FixedIn::ALL.into_iter().enumerate() {
                let direction = FixedDirection::new(fixed, vector(&mut random, 1.0), at(32)).expect("a direction");
                let mut found =
                    VolumeGap { lower: f64::NEG_INFINITY, bound: GapBound::NONE, direction: None, nearest: None };
                pair.improve(&mut found, &direction);
                let GapBound { first, last, bend } = found.bound;
                let mut least = f64::INFINITY;
                for k in 0..=64 {
                    let (gap, t) = (pair.gap_at(at(k), direction.in_world(at(k))), k as f64 / 64.0);
                    let below = (1.0 - t) * first + t * last - 0.5 * bend * t * (1.0 - t);
                    assert!(gap >= below - 1e-12, "{number} {fixed:?} at {t}: {gap} {below}");
                    least = if gap < least { gap } else { least };
                }
                let of_motion =
                    bends.along(direction.fixed, direction.in_world(at(0)), pair.reaches()) * pair.share().powi(2);
                all[kind] += 1;
                narrower[kind] += usize::from(bend < 0.5 * of_motion);
                sharp[kind] += usize::from(least - found.bound.least() < 0.02 * of_motion);
            }
        }
        assert!(narrower.iter().all(|&count| count > 300), "{narrower:?} of {all:?}");
        assert!(sharp.iter().all(|&count| count > 300), "{sharp:?} of {all:?}");
    }
}
