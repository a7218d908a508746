//! The parts of a search: two nodes of the trees over both surfaces, over a part of the interval.

use super::acceleration_bounds::PairBends;
use super::body_poses::{FixedDirection, MetMoments, PairMoment};
use super::bound::{BoundedNode, VolumePair, is_proof};
use super::eight_parts::EightParts;
use super::facing::{FacingMemory, MetTriangle, SweptPairs};
use super::volume::SurfaceNode;
use crate::branch_and_bound::Part;
use crate::interval::node::Node;
use crate::interval::pair_path::PairPath;
use crate::interval::relative_motion::{FixedIn, GapBound};
use crate::mesh::{FEW, LeafTriangles, MeshMemory, MeshPairMemory, NearPairs, NodeCache, triangles_within};
use crate::pair::bound_of;
use clearsweep_geometry::Vec3;
use clearsweep_geometry::mesh::{TriangleMesh, WIDTH};
use smallvec::SmallVec;
use std::cmp::Ordering;

/// How many times as large a volume is before it alone is divided.
const LARGER: f64 = 4.0;

/// A motion up to which pairs of triangles are found beforehand, in sizes of the smaller body.
const SLOW: f64 = 0.25;

/// The parts of a node.
type BoundedNodes = SmallVec<[BoundedNode; WIDTH]>;

/// Bound on the error of a direction that was turned into another frame, in sizes of the pair.
const TURNED: f64 = 64.0 * f64::EPSILON;

/// Bound on the distance of a volume's corners from the recentred origin, in radii of the body.
const CORNERS: f64 = 4.0;

/// Two nodes over a part of the interval.
#[derive(Debug, Clone, Copy)]
pub(super) struct SurfacePart {
    pub(super) nodes: [SurfaceNode; 2],
    /// Start and end, as shares of the interval.
    pub(super) span: [f64; 2],
    /// Proven lower bound of the signed distance while the bodies are apart, metres.
    pub(super) lower: f64,
    /// A bound over the part.
    pub(super) bound: GapBound,
    /// The direction of that bound.
    direction: Option<FixedDirection>,
    /// Whether it is to be divided in time.
    pub(super) by_time: bool,
    /// Time at which two triangles are likely nearest, as a share of the interval.
    pub(super) near: f64,
    /// Upper signed distance at that time, but for slivers, metres; only for two triangles.
    pub(super) likely_upper: f64,
    /// Upper end at that time if the triangles stay on the chords of their corners, metres.
    likely_contact: f64,
    /// Its place in the order in which parts are found.
    number: usize,
}

impl Part for SurfacePart {
    /// The part that starts earliest comes first, and of equal ones the latest found.
    fn order(&self, other: &Self) -> Ordering {
        other.span[0].total_cmp(&self.span[0]).then(self.number.cmp(&other.number))
    }
}

impl SurfacePart {
    pub(super) fn numbered(self, number: usize) -> Self {
        Self { number, ..self }
    }

    /// Whether it is of two triangles.
    pub(super) fn is_leaf(&self) -> bool {
        self.nodes.iter().all(|node| node.is_triangle())
    }
}

/// Two triangles that no direction proves to be beyond what is of interest.
struct FacingPair {
    /// Places of both among the triangles that were met.
    met: [u32; 2],
    /// The best bound over the part, with its direction.
    along: Option<(GapBound, FixedDirection)>,
}

/// Bounds that the search through parts aims at, metres.
#[derive(Debug, Clone, Copy)]
pub(super) struct SurfaceAim {
    /// A bound of at least this is good enough.
    pub(super) needed: f64,
    /// Parts farther apart than this are of no interest.
    pub(super) beyond: f64,
}

/// The surfaces of two bodies over an interval.
#[derive(Debug)]
pub(in crate::interval) struct SurfaceParts<'a> {
    pub(super) meshes: [&'a TriangleMesh; 2],
    pub(super) path: PairPath<'a>,
    bends: PairBends,
    moments: MetMoments,
    /// The growth of both bodies together, metres.
    pub(super) growth: f64,
    /// Deviation of the true surfaces from the stored ones, together, metres.
    pub(super) deviation: f64,
    /// Bound on the rounding, metres.
    pub(super) rounding: f64,
    /// Parts of the best-first search.
    pub(super) parts: Vec<SurfacePart>,
    /// Lower bound proven of both bodies before their surfaces were looked at, metres.
    pub(in crate::interval) begun_at: f64,
    /// Pairs of volumes looked at.
    pub(super) looked_at: u32,
    /// The first time at which contact is proven; infinite: none.
    pub(super) contact: f64,
    /// Times with upper ends of the signed distance there, metres: they prove nothing, but where
    /// the times of least distance need not be narrower.
    pub(super) measured: Vec<(f64, f64)>,
    /// Memory of the distances of the surfaces: it changes no answer.
    pub(super) memory: MeshPairMemory,
}

impl<'a> SurfaceParts<'a> {
    /// Nothing is looked at. `radii`: of both bodies, metres.
    pub(super) fn new(
        meshes: [&'a TriangleMesh; 2],
        path: PairPath<'a>,
        [growth, deviation]: [f64; 2],
        radii: f64,
    ) -> Self {
        let mut moments = MetMoments::default();
        let ends = [0.0, 1.0].map(|share| moments.meet(share, &path));
        let lengths = ends.map(|end| moments.at(end).between.length());
        let arcs = path.bend_of_points([Vec3::ZERO; 2]);
        let size = CORNERS * radii + lengths[0].max(lengths[1]) + 0.125 * arcs;
        let rounding = bound_of::<f64>(size) + TURNED * size + CORNERS * path.error();
        let bends = PairBends::new(&path, moments.at(ends[0]));
        Self {
            meshes,
            path,
            bends,
            moments,
            growth,
            deviation,
            rounding,
            parts: Vec::new(),
            begun_at: f64::NEG_INFINITY,
            looked_at: 0,
            contact: f64::INFINITY,
            measured: Vec::new(),
            memory: MeshPairMemory::default(),
        }
    }

    /// Returns the amount taken off each gap of the surfaces, metres.
    pub(super) fn off(&self) -> f64 {
        self.growth + self.deviation + self.rounding
    }

    /// Upper signed distance of the bodies, from the distance of two points of the surfaces,
    /// metres.
    pub(super) fn upper_end(&self, distance: f64) -> f64 {
        (distance - self.growth + self.deviation + self.rounding).next_up()
    }

    /// The times at which the distance is known to be at most this, metres.
    pub(in crate::interval) fn times_within(&self, distance: f64) -> impl Iterator<Item = f64> {
        self.measured.iter().filter(move |(_, upper)| *upper <= distance).map(|(share, _)| *share)
    }

    /// Whether the triangles of a part likely touch, but for rounding. `touch`: metres.
    pub(super) fn may_touch(&self, part: &SurfacePart, touch: f64) -> bool {
        part.likely_contact - 4.0 * self.rounding <= touch
    }

    /// The share of the interval at which the middles of both bodies are nearest, on their chords.
    pub(super) fn nearest_share(&mut self) -> f64 {
        let [from, to] = [0.0, 1.0].map(|share| {
            let at = self.moments.meet(share, &self.path);
            let at = self.moments.at(at);
            let [a, b] = [0, 1].map(|body| at.to_world(body, self.meshes[body].middle()));
            at.between + (b - a)
        });
        let along = to - from;
        let share = -from.dot(along) / along.length2();
        if share > 0.0 && share < 1.0 { share } else { 0.5 }
    }

    /// A direction of A's frame at a time, standing still in each of the frames.
    pub(super) fn fixed_directions(&mut self, share: f64, normal: Vec3<f64>) -> SmallVec<[FixedDirection; 3]> {
        let at = self.moments.meet(share, &self.path);
        let at = self.moments.at(at);
        let world = at.to_world(0, normal);
        FixedIn::ALL.iter().filter_map(|&fixed| FixedDirection::new(fixed, world, at)).collect()
    }

    /// The pairs of triangles that may be of interest over a part of the interval, if few.
    pub(super) fn pairs(
        &mut self,
        span: [f64; 2],
        aim: SurfaceAim,
        memory: &mut MeshMemory,
        facing: &mut FacingMemory,
    ) -> Option<Vec<SurfacePart>> {
        let FacingMemory { near, met, leaves } = facing;
        near.clear();
        if !self.near_triangles(span, aim, memory, leaves, near) {
            return None;
        }
        met.iter_mut().zip(self.meshes).for_each(|(met, mesh)| met.forget(mesh.triangles().len()));
        let places = self.places(span);
        let ends = [places[0], places[1]].map(|place| self.moments.at(place));
        let mut pairs = self.pairs_along_ways(near, met, ends, aim);
        self.look_along_planes(&mut pairs, met, ends, aim);
        let look = |pair: &FacingPair| {
            let [a, b] = [0, 1].map(|body: usize| &met[body].at(pair.met[body]).node);
            self.look_at([a, b], span, places, pair.along, &[], aim)
        };
        Some(pairs.iter().filter_map(look).collect())
    }

    /// The pairs of triangles that may be of interest in a part, if few: see [`SweptPairs`].
    fn near_triangles(
        &mut self,
        span: [f64; 2],
        aim: SurfaceAim,
        memory: &mut MeshMemory,
        leaves: &mut NodeCache<[LeafTriangles; 2]>,
        near: &mut Vec<[u32; 2]>,
    ) -> bool {
        let (places, errors) = (self.places(span), self.path.error());
        let [start, end, middle] = places.map(|place| self.moments.at(place));
        let mut swept = SweptPairs {
            meshes: self.meshes,
            bends: &self.bends,
            ends: [start, end],
            middle,
            leaves,
            beyond: aim.beyond + self.off(),
            slack: 2.0 * errors + 4.0 * self.rounding,
        };
        // In a fast motion nearly all pairs may come near.
        let [a, b] = self.meshes.map(|mesh| (mesh.middle(), mesh.extent().length()));
        if swept.reach([a, b]) - swept.beyond - swept.slack > SLOW * a.1.min(b.1) {
            return false;
        }
        swept.leaves.forget(self.meshes[1].node_counts()[1]);
        let node = Node::at(middle.share, &self.path);
        triangles_within(self.meshes, node.poses, node.relative, &mut swept, FEW, memory, near)
    }

    /// The pairs of triangles that the line between them in the middle of a part, standing still in
    /// the frame of a body, does not prove to be beyond what is of interest over the part, with its
    /// bound. `ends`: of the part.
    fn pairs_along_ways(
        &self,
        near: &[[u32; 2]],
        met: &mut [NodeCache<MetTriangle>; 2],
        ends: [&PairMoment; 2],
        aim: SurfaceAim,
    ) -> Vec<FacingPair> {
        let (off, share2) = (self.off(), (ends[1].share - ends[0].share).powi(2));
        // The frame in which the other body is bent less.
        let reaches = [0, 1].map(|body: usize| {
            self.bends.reach_of_ball(body, self.meshes[body].middle(), self.meshes[body].extent().length())
        });
        let frame = usize::from(self.bends.in_frame(1, &reaches[0]) < self.bends.in_frame(0, &reaches[1]));
        let (mut eight, mut left) = (EightParts::default(), Vec::new());
        for near in near.chunks(WIDTH) {
            eight.clear();
            let others = near.iter().map(|pair| {
                let place = self.meet(1 - frame, pair[1 - frame], ends, &mut met[1 - frame]);
                eight.push(&self.meshes[frame].corners(pair[frame]), met[1 - frame].at(place));
                place
            });
            let others: SmallVec<[u32; WIDTH]> = others.collect();
            let gaps = eight.gaps();
            for (lane, (pair, other)) in near.iter().zip(others).enumerate() {
                let [first, last] = gaps.ends.map(|gap| gap[lane] - off);
                let bend = share2 * self.bends.in_frame(frame, &met[1 - frame].at(other).node.reach);
                let bound = GapBound { first, last, bend };
                if is_proof(&bound) && bound.least() > aim.beyond {
                    continue;
                }
                let own = self.meet(frame, pair[frame], ends, &mut met[frame]);
                let direction = FixedDirection::of_body(frame, gaps.way(lane)).filter(|_| is_proof(&bound));
                let along = direction.map(|way| (bound, if frame == 0 { way } else { way.reversed() }));
                left.push(FacingPair { met: if frame == 0 { [own, other] } else { [other, own] }, along });
            }
        }
        left
    }

    /// Leaves out the pairs of triangles that their planes prove to be beyond what is of interest
    /// over a part, each in the frame of its body, in which the height of its corners does not
    /// change, and gives the others its bound where it is not worse. `ends`: of the part.
    fn look_along_planes(
        &self,
        pairs: &mut Vec<FacingPair>,
        met: &[NodeCache<MetTriangle>; 2],
        ends: [&PairMoment; 2],
        aim: SurfaceAim,
    ) {
        let (off, share2) = (self.off(), (ends[1].share - ends[0].share).powi(2));
        pairs.retain_mut(|pair| {
            let both = [0, 1].map(|body: usize| met[body].at(pair.met[body]));
            let mut best: Option<(f64, GapBound, usize, bool)> = None;
            for body in [0, 1] {
                let other = both[1 - body];
                let bend = share2 * self.bends.in_frame(body, &other.node.reach);
                let Some((bound, is_below)) = both[body].gap(other, bend, off) else { continue };
                let least = bound.least();
                if least > aim.beyond {
                    return false;
                }
                if best.is_none_or(|best| least > best.0) {
                    best = Some((least, bound, body, is_below));
                }
            }
            if let Some((least, bound, body, below)) = best
                && pair.along.is_none_or(|(known, _)| least >= known.least())
                && let Some(direction) = both[body].direction(body, below)
            {
                pair.along = Some((bound, direction));
            }
            true
        });
    }

    /// The place of a triangle of a body in memory. `ends`: of the part.
    fn meet(&self, body: usize, triangle: u32, ends: [&PairMoment; 2], met: &mut NodeCache<MetTriangle>) -> u32 {
        met.place(triangle as usize, || MetTriangle::new(body, self.meshes[body], triangle, ends, &self.bends))
    }

    /// The places of the moments of both ends of a part, and of its middle.
    fn places(&mut self, span: [f64; 2]) -> [u32; 3] {
        let shares = [span[0], span[1], 0.5 * (span[0] + span[1])];
        shares.map(|share| self.moments.meet(share, &self.path))
    }

    /// Both surfaces as a whole over a part of the interval.
    pub(super) fn whole(&mut self, span: [f64; 2], known: &[FixedDirection], aim: SurfaceAim) -> Option<SurfacePart> {
        let nodes = [0, 1].map(|body| self.bounded(body, SurfaceNode::of(self.meshes[body])));
        self.look([&nodes[0], &nodes[1]], span, known, aim)
    }

    /// The parts of a part that are of interest, greatest bounds first. Its time ends at `end`.
    pub(super) fn divided(&mut self, part: &SurfacePart, end: f64, aim: SurfaceAim) -> SmallVec<[SurfacePart; 8]> {
        let nodes = [0, 1].map(|body| self.bounded(body, part.nodes[body]));
        let (start, end) = (part.span[0], if part.span[1] < end { part.span[1] } else { end });
        let mut parts = SmallVec::new();
        if part.by_time {
            let middle = 0.5 * (start + end);
            for span in [[middle, end], [start, middle]] {
                parts.extend(self.look([&nodes[0], &nodes[1]], span, part.direction.as_slice(), aim));
            }
            return parts;
        }
        self.look_at_children(part, &nodes, [start, end], aim, &mut parts);
        // Stable: of equal bounds the order of the tree.
        parts.sort_by(|one, other| other.lower.total_cmp(&one.lower));
        for child in &mut parts {
            child.lower = child.lower.max(part.lower);
        }
        parts
    }

    /// Adds the pairs of parts of two nodes, of which one is no triangle, that are not beyond what
    /// is of interest. A node much smaller than the other is not divided. The direction that bounds
    /// both nodes sorts out most pairs: their points are those of the nodes, so that the bend is
    /// that of the nodes.
    fn look_at_children(
        &mut self,
        part: &SurfacePart,
        nodes: &[BoundedNode; 2],
        span: [f64; 2],
        aim: SurfaceAim,
        to: &mut SmallVec<[SurfacePart; 8]>,
    ) {
        let [a, b] = [0, 1].map(|body| {
            let (own, other) = (&nodes[body], &nodes[1 - body]);
            let is_small = LARGER * own.volume.radius < other.volume.radius && !other.node.is_triangle();
            if own.node.is_triangle() || is_small {
                return BoundedNodes::from_slice(&[*own]);
            }
            own.node.parts(self.meshes[body]).into_iter().map(|node| self.bounded(body, node)).collect()
        });
        self.looked_at += 1 + (a.len() + b.len()) as u32 / 4;
        let apart = part.direction.map(|direction| self.apart_along(part, &direction, [&a, &b], nodes, span, aim));
        for (i, own) in a.iter().enumerate() {
            for (j, other) in b.iter().enumerate() {
                if apart.is_none_or(|apart| apart[i] & (1 << j) == 0) {
                    to.extend(self.look([own, other], span, part.direction.as_slice(), aim));
                }
            }
        }
    }

    /// Finds the pairs of children that a direction rules out: bit `j` of row `i`.
    fn apart_along(
        &mut self,
        part: &SurfacePart,
        direction: &FixedDirection,
        children: [&[BoundedNode]; 2],
        nodes: &[BoundedNode; 2],
        span: [f64; 2],
        aim: SurfaceAim,
    ) -> [u8; WIDTH] {
        let places = span.map(|share| self.moments.meet(share, &self.path));
        let [from, to] = places.map(|place| self.moments.at(place));
        let nodes = [&nodes[0], &nodes[1]];
        let pair = VolumePair {
            bends: &self.bends,
            ends: [from, to],
            middle: from,
            nodes,
            off: self.off(),
            rounding: self.rounding,
        };
        let [a, b] = [0, 1].map(|body| pair.heights(body, direction, children[body]));
        let mut apart = [0; WIDTH];
        for (row, &own) in apart.iter_mut().zip(&a) {
            for (j, &other) in b.iter().enumerate().take(WIDTH) {
                let bound = pair.bound_of_heights(direction, [own, other], part.bound.bend);
                *row |= u8::from(is_proof(&bound) && bound.least() > aim.beyond) << j;
            }
        }
        apart
    }

    fn bounded(&self, body: usize, node: SurfaceNode) -> BoundedNode {
        BoundedNode::new(body, self.meshes[body], node, &self.bends)
    }

    /// Two nodes over a part of the interval; `None` if they are beyond what is of interest.
    fn look(
        &mut self,
        nodes: [&BoundedNode; 2],
        span: [f64; 2],
        known: &[FixedDirection],
        aim: SurfaceAim,
    ) -> Option<SurfacePart> {
        let places = self.places(span);
        self.look_at(nodes, span, places, None, known, aim)
    }

    /// [`Self::look`], with the places of the moments of the part, and a bound that is known with
    /// its direction: of triangles, that of their normals.
    fn look_at(
        &mut self,
        nodes: [&BoundedNode; 2],
        span: [f64; 2],
        places: [u32; 3],
        along: Option<(GapBound, FixedDirection)>,
        known: &[FixedDirection],
        aim: SurfaceAim,
    ) -> Option<SurfacePart> {
        self.looked_at += 1;
        let [from, to, middle] = places.map(|place| self.moments.at(place));
        let pair = VolumePair {
            bends: &self.bends,
            ends: [from, to],
            middle,
            nodes,
            off: self.off(),
            rounding: self.rounding,
        };
        let gap = pair.gap(along, known, aim.needed, aim.beyond).filter(|gap| gap.lower <= aim.beyond)?;
        let kinds = [nodes[0].node, nodes[1].node];
        let is_leaf = kinds.iter().all(|node| node.is_triangle());
        let (distance, off_chord, is_sharp) =
            gap.nearest.map_or((f64::INFINITY, 0.0, false), |near| (near.distance, near.off_chord, near.is_sharp));
        let likely_upper = self.upper_end(distance + off_chord);
        Some(SurfacePart {
            nodes: kinds,
            span,
            lower: gap.lower,
            bound: gap.bound,
            direction: gap.direction,
            by_time: is_leaf || pair.bends_more(&gap),
            near: gap.nearest.map_or(0.5 * (span[0] + span[1]), |near| near.share),
            likely_upper,
            likely_contact: if is_sharp { self.upper_end(distance) } else { likely_upper },
            number: 0,
        })
    }
}
