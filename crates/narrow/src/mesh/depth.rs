//! The depth of two overlapping meshes, as a bracket: no translation shorter than its lower end
//! separates them, and one of the length of its upper end was checked to.

use super::overlap::{Containment, OverlapQueries, Protrusion};
use super::pair_distance::{NearestTriangles, contact_upper};
use super::place::MeshPlace;
use super::points::PointMemory;
use super::search::{self, MeshSearchMemory, SurfaceDistance};
use super::sweep::{MeetingOrder, SharedPoint, Sweep, SweepMemory};
use super::tree_order;
use super::triangle_pair::TriangleCorners;
use crate::support::max_dot;
use clearsweep_geometry::mesh::TriangleMesh;
use clearsweep_geometry::{Polyhedron, Vec3};

/// Pairs of triangles that cross whose normals are tried.
const CROSSINGS: usize = 8;

/// Starts of pattern searches for a point deep inside both.
const STARTS: usize = 2;

/// Triangles of each body whose centroids are tested if nothing else shows a depth, about.
const CENTROIDS: usize = 256;

/// Further directions tried: across the triangles that part last.
const REFINEMENTS: usize = 6;

/// Amounts added, in turn, to an unproven length, in widths of a sharp bracket.
const LENGTHENINGS: [f64; 4] = [0.0, 4.0, 16.0, 256.0];

/// Triangles that were in the way that are kept, at most: those found last.
const IN_WAY: usize = 128;

/// Cosine above which two directions are one.
const SAME: f64 = 1.0 - 1e-12;

/// The middle of the corners of a triangle.
fn centroid(t: &TriangleCorners<f64>) -> Vec3<f64> {
    (t[0] + t[1] + t[2]).scale(1.0 / 3.0)
}

/// The width of a bracket of a depth, in sizes of the pair, that no search is made to narrow.
const SHARP_DEPTH: f64 = 1e-10;

/// The bracket of a depth.
#[derive(Debug, Clone, Copy)]
pub(super) struct DepthBracket {
    /// Proven: no shorter translation separates the bodies, metres; below 0: a possible gap.
    pub lower: f64,
    /// Bound like `lower`, from points deep inside of both or near to both alone: surfaces that
    /// deviate by `d` lower it by `d`. Crossing triangles prove nothing about surfaces near to
    /// them.
    pub of_balls: f64,
    /// Proven: moving B so far along `normal` separates them, metres.
    pub upper: f64,
    /// Unit, A's frame.
    pub normal: Vec3<f64>,
    /// How far the innermost vertex of one body lies from the surface of the other, metres; NaN
    /// where none lies inside, or no body is solid.
    pub protrusion: f64,
    /// A vertex of A deep inside of B, and one of B inside of A, in A's frame.
    pub inside: [Option<Vec3<f64>>; 2],
    /// Triangles that cross or touch.
    pub crossing: Option<[u32; 2]>,
    /// A point near the overlap, in A's frame.
    pub middle: Vec3<f64>,
    /// Triangles there.
    pub triangles: [u32; 2],
    /// The surfaces are apart, and one body is inside of an open one by its winding number.
    pub by_winding: bool,
}

/// Working memory of queries of meshes.
#[derive(Debug, Default)]
pub(crate) struct MeshMemory {
    pub(super) search: MeshSearchMemory,
    pub(super) points: [PointMemory; 2],
    pub(super) sweep: SweepMemory,
}

/// A bracket of a depth by another proof.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownDepth {
    /// Proven: no shorter translation separates the bodies, metres.
    pub(crate) lower: f64,
    /// Proven: moving B so far along `normal` separates them, metres.
    pub(crate) upper: f64,
    /// Unit, A's frame.
    pub(crate) normal: Vec3<f64>,
}

impl KnownDepth {
    /// Whether a search could narrow the bracket by rounding alone.
    fn is_sharp(&self, place: &MeshPlace<'_>) -> bool {
        self.upper - self.lower <= SHARP_DEPTH * place.size
    }
}

/// A search for the depth.
struct DepthSearch<'a> {
    place: &'a MeshPlace<'a>,
    /// Convex hulls of both cores.
    hulls: [&'a Polyhedron; 2],
    overlap: OverlapQueries<'a>,
    memory: &'a mut MeshSearchMemory,
    sweep: &'a mut SweepMemory,
    /// Points of both bodies.
    shared: Vec<SharedPoint>,
    /// Triangles that were in the way in some direction, which are likely so in the next.
    in_way: Vec<[u32; 2]>,
}

/// Relation of the surfaces of two cores.
enum Surfaces {
    /// They cross, or touch within rounding.
    Touching,
    /// They are apart, and one core holds a part of the other; with the nearest triangles, if
    /// known.
    Holding(Option<NearestTriangles>),
    /// The cores are apart, by less than the growth.
    Apart(NearestTriangles),
}

/// A translation that separates the bodies, as computed.
#[derive(Debug, Clone, Copy)]
struct WayOut {
    /// Metres.
    length: f64,
    /// Unit, A's frame.
    n: Vec3<f64>,
    /// The normal of the plane across which the last triangles part: unit, A's frame.
    parted: Option<Vec3<f64>>,
}

/// The depth of bodies that touch, cross, or hold one another; `None` if they are apart after all:
/// neither surface crosses the other, and none is inside. `surfaces`: of the cores; a gap beyond a
/// cut-off is the cut-off. `enough`: a depth beyond which no way out is searched for, metres; the
/// upper end is infinite then. `known`: asks for a bracket that other proofs give; it is not asked
/// of bodies that only the winding number says are inside.
pub(super) fn bracket<'a>(
    place: &'a MeshPlace<'a>,
    hulls: [&'a Polyhedron; 2],
    surfaces: &SurfaceDistance,
    enough: f64,
    known: &mut dyn FnMut() -> Option<KnownDepth>,
    memory: &'a mut MeshMemory,
) -> Option<DepthBracket> {
    let mut depth = DepthSearch::new(place, hulls, memory);
    let containment = match *surfaces {
        SurfaceDistance::Touching(_) => None,
        _ if !place.may_contain() => None,
        _ => depth.overlap.containment(place, surfaces.lower()),
    };
    let is_held = containment.is_some_and(|containment| !containment.by_winding);
    let lying = match *surfaces {
        SurfaceDistance::Touching(_) => Surfaces::Touching,
        _ if is_held => Surfaces::Holding(surfaces.nearest()),
        SurfaceDistance::Apart(nearest) if nearest.lower <= place.growth => Surfaces::Apart(nearest),
        SurfaceDistance::Apart(_) | SurfaceDistance::Beyond(_) if containment.is_some() => {
            Surfaces::Holding(surfaces.nearest())
        }
        SurfaceDistance::Apart(_) | SurfaceDistance::Beyond(_) => return None,
    };
    let is_by_winding = containment.is_some_and(|containment| containment.by_winding);
    let known = if is_by_winding { None } else { known() };
    let bracket = depth.bracket(&lying, enough, known);
    Some(match (containment, lying) {
        (Some(Containment { by_winding: true, vertex }), Surfaces::Holding(_)) => {
            DepthBracket { by_winding: true, middle: vertex, ..bracket }
        }
        _ => bracket,
    })
}

/// Whether a solid body holds a part of the other. `free`: gap of the surfaces, metres.
pub(super) fn holds_solid<'a>(
    place: &'a MeshPlace<'a>,
    hulls: [&'a Polyhedron; 2],
    free: f64,
    memory: &'a mut MeshMemory,
) -> bool {
    let containment = OverlapQueries::new(*place, hulls, &mut memory.points).containment(place, free);
    containment.is_some_and(|containment| !containment.by_winding)
}

/// A length that is proven to take the bodies apart when B moves along `n` (unit, A's frame),
/// metres: the first one found to do so, but for rounding. `None` if none is below the one that
/// parts the supporting planes of the hulls.
pub(super) fn way_out_along<'a>(
    place: &'a MeshPlace<'a>,
    hulls: [&'a Polyhedron; 2],
    n: Vec3<f64>,
    memory: &'a mut MeshMemory,
) -> Option<f64> {
    let mut depth = DepthSearch::new(place, hulls, memory);
    let beyond = depth.hull_overlap(n);
    let way = depth.way_out(n, [0.0, beyond])?;
    depth.proven(way, beyond)
}

impl<'a> DepthSearch<'a> {
    fn new(place: &'a MeshPlace<'a>, hulls: [&'a Polyhedron; 2], memory: &'a mut MeshMemory) -> Self {
        let MeshMemory { search: memory, points, sweep } = memory;
        let overlap = OverlapQueries::new(*place, hulls, points);
        Self { place, hulls, overlap, memory, sweep, shared: Vec::new(), in_way: Vec::new() }
    }

    fn bracket(&mut self, surfaces: &Surfaces, enough: f64, known: Option<KnownDepth>) -> DepthBracket {
        let place = self.place;
        let line = place.line();
        let near = match surfaces {
            Surfaces::Apart(nearest) => Some(nearest),
            Surfaces::Touching | Surfaces::Holding(_) => None,
        };
        let ends = self.hull_ends(line);
        self.overlap.slab = Some((line, ends));
        let protrusions = if near.is_some() { [vec![], vec![]] } else { self.overlap.protrusions(line, ends) };
        let innermost = [0, 1].map(|side: usize| protrusions[side].last().copied());
        let crossings = match surfaces {
            Surfaces::Touching => tree_order::crossings(place, CROSSINGS, self.memory),
            Surfaces::Holding(_) | Surfaces::Apart(_) => Vec::new(),
        };
        let mut local: Vec<Vec3<f64>> = near.map(|nearest| nearest.normal).into_iter().collect();
        local.extend(self.local_normals(&innermost, &crossings));
        self.in_way = near.map(|nearest| nearest.triangles).into_iter().chain(crossings.iter().copied()).collect();
        let hulls = self.hull_overlaps(&local);
        let best = innermost.iter().flatten().reduce(|x, y| if y.depth[0] > x.depth[0] { y } else { x });
        let crossing = crossings.first().copied();
        let of_others = best.map(|p| p.triangles).or(near.map(|nearest| nearest.triangles));
        let basis = DepthBracket {
            lower: f64::NEG_INFINITY,
            of_balls: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            normal: hulls[0].0,
            protrusion: best.map_or(f64::NAN, |p| p.depth[1]),
            inside: innermost.map(|p| p.map(|p| p.vertex)),
            crossing,
            middle: place.a.middle(),
            triangles: crossing.or(of_others).unwrap_or([0, 0]),
            by_winding: false,
        };
        if let Some(KnownDepth { lower, upper, normal }) = known.filter(|known| known.is_sharp(place)) {
            let middle = best.map(|p| p.vertex).or(near.map(|nearest| nearest.closest.point_a));
            let middle = middle.or_else(|| crossing.map(|[a, _]| centroid(&place.a.corners(a))));
            let middle = middle.unwrap_or(basis.middle);
            return DepthBracket { lower, of_balls: lower, upper, normal, middle, ..basis };
        }
        // A point that lies so deep in both, and points of both that are as near as `within`.
        let (core, deepest) = match near {
            Some(nearest) => (-nearest.upper, nearest.closest.point_a),
            None => self.lower(&innermost, &crossings, hulls[0].1, known),
        };
        self.shared = self.shared_points(&protrusions, core, deepest);
        let least = core + place.growth - place.error();
        let within = match surfaces {
            _ if least >= place.growth => 0.0,
            Surfaces::Apart(nearest) | Surfaces::Holding(Some(nearest)) => nearest.upper,
            Surfaces::Touching => crossings.iter().map(|&pair| contact_upper(place, pair)).fold(place.size, f64::min),
            Surfaces::Holding(None) if core > 0.0 => place.size,
            // Containment is shallower than any sampled point can show.
            Surfaces::Holding(None) => {
                let surfaces = search::nearest(place, place.size, None, self.memory);
                surfaces.nearest().map_or(place.size, |nearest| nearest.upper)
            }
        };
        let of_balls = least.max(place.growth - within);
        let of_balls = known.map_or(of_balls, |known| of_balls.max(known.lower));
        let lower = of_balls.max(self.pierced(&crossings));
        let (upper, normal) =
            if of_balls > enough { (f64::INFINITY, hulls[0].0) } else { self.upper(lower, &hulls, known) };
        // The surfaces around round cores are deeper than these, whose planes are those of the
        // hulls.
        let excess: f64 = self.hulls.iter().map(|hull| hull.excess()).sum();
        debug_assert!(lower <= upper + 2.0 * place.sharp() + excess, "a depth has ends in order: {lower} {upper}");
        DepthBracket { lower: lower.min(upper), of_balls: of_balls.min(upper), upper, normal, middle: deepest, ..basis }
    }

    /// A lower bound of the depth of the cores by a point deep inside of both, and that point.
    fn lower(
        &mut self,
        protrusions: &[Option<Protrusion>; 2],
        crossings: &[[u32; 2]],
        hull_overlap: f64,
        parts: Option<KnownDepth>,
    ) -> (f64, Vec3<f64>) {
        let place = self.place;
        let mut starts: Vec<Vec3<f64>> = protrusions.iter().flatten().map(|p| p.vertex).collect();
        starts.extend(self.overlap.middles());
        starts.extend(crossings.first().map(|&[a, _]| centroid(&place.a.corners(a))));
        let known = protrusions.iter().flatten().map(|p| p.depth[0]).fold(f64::NEG_INFINITY, f64::max);
        let vertex = protrusions.iter().flatten().find(|p| p.depth[0] == known).map(|p| p.vertex);
        let mut best = (known, vertex.unwrap_or(starts[0]));
        if place.a.is_solid() && place.b.is_solid() {
            let step = 0.25 * hull_overlap.min(place.a.radius()).min(place.b.radius());
            let most = if parts.is_some() { 1 } else { STARTS };
            // A search hardly ever finds four times what it starts from.
            let is_hopeful = |start: f64| parts.is_none_or(|parts| parts.lower <= 4.0 * start);
            let starts = self.deepest(&starts).into_iter().take(most);
            best = starts.clone().fold(best, |best, start| if start.0 > best.0 { start } else { best });
            for start in starts.filter(|start| is_hopeful(start.0)) {
                let deepened = self.overlap.deepen(start, step);
                best = if deepened.0 > best.0 { deepened } else { best };
            }
        }
        // If all vertices of one body lie on the other's surface, a triangle may run inside of it.
        if best.0 <= 0.0 && (place.a.is_solid() || place.b.is_solid()) {
            let centroids = self.centroids(crossings);
            best = self.deepest(&centroids).first().copied().filter(|deepened| deepened.0 > best.0).unwrap_or(best);
        }
        best
    }

    /// Returns centroids of triangles that cross, and of some others, in A's frame.
    fn centroids(&self, crossings: &[[u32; 2]]) -> Vec<Vec3<f64>> {
        let place = self.place;
        let some = |mesh: &TriangleMesh| {
            let count = mesh.triangles().len();
            (0..count as u32).step_by(count.div_ceil(CENTROIDS))
        };
        let of_a = crossings.iter().map(|pair| pair[0]).chain(some(place.a)).map(|t| place.a.corners(t));
        let of_b = crossings.iter().map(|pair| pair[1]).chain(some(place.b)).map(|t| place.corners_b(t));
        of_a.chain(of_b).map(|t| centroid(&t)).collect()
    }

    /// The points that show the greatest depths, at most [`STARTS`], the deepest first.
    fn deepest(&mut self, points: &[Vec3<f64>]) -> Vec<(f64, Vec3<f64>)> {
        let mut deepest: Vec<(f64, Vec3<f64>)> = Vec::new();
        for &p in points {
            let floor = if deepest.len() < STARTS { f64::NEG_INFINITY } else { deepest[STARTS - 1].0 };
            if let Some(depth) = self.overlap.both_above(p, floor) {
                let at = deepest.partition_point(|other| other.0 >= depth);
                deepest.insert(at, (depth, p));
                deepest.truncate(STARTS);
            }
        }
        deepest
    }

    /// A lower bound of the depth from pairs of triangles that cross, metres: translations that are
    /// too short to take the edge of one out of the other.
    fn pierced(&self, crossings: &[[u32; 2]]) -> f64 {
        let place = self.place;
        let depth = |&[a, b]: &[u32; 2]| super::crossing::least_translation(&place.a.corners(a), &place.corners_b(b));
        crossings.iter().map(depth).filter(|&depth| depth > 0.0).fold(f64::NEG_INFINITY, f64::max) - place.error()
    }

    /// Directions in which B leaves A where they overlap: outward normals of A, inward ones of B.
    fn local_normals(&self, protrusions: &[Option<Protrusion>; 2], crossings: &[[u32; 2]]) -> Vec<Vec3<f64>> {
        let place = self.place;
        let mut normals = Vec::new();
        let [of_a, of_b] = protrusions;
        normals.extend(of_b.map(|p| p.outward));
        normals.extend(of_a.map(|p| -p.outward));
        let normal = |t: [Vec3<f64>; 3]| (t[1] - t[0]).cross(t[2] - t[0]).normalized();
        for &[a, b] in crossings {
            normals.extend([normal(place.a.corners(a)), -normal(place.corners_b(b))]);
        }
        if !place.a.is_solid() || !place.b.is_solid() {
            normals.extend(normals.clone().iter().map(|&n| -n));
        }
        normals.retain(|n| n.is_finite());
        normals
    }

    /// The directions to be tried, and how far the hulls overlap along each, metres: the one in
    /// which they do least, then `local`, then the axes of both frames.
    fn hull_overlaps(&self, local: &[Vec3<f64>]) -> Vec<(Vec3<f64>, f64)> {
        let axes = [0, 1, 2].map(|k| Vec3::from(std::array::from_fn(|i| f64::from(u8::from(i == k)))));
        let of_b = axes.map(|axis| self.place.pose.vector(axis));
        let both_ways = axes.iter().chain(&of_b).flat_map(|&n| [n, -n]);
        let mut overlaps: Vec<(Vec3<f64>, f64)> = Vec::new();
        for n in local.iter().copied().chain(both_ways) {
            if overlaps.iter().all(|(other, _)| other.dot(n) < SAME) {
                overlaps.push((n, self.hull_overlap(n).max(0.0)));
            }
        }
        let least = (0..overlaps.len()).min_by(|&x, &y| overlaps[x].1.total_cmp(&overlaps[y].1)).expect("axes");
        overlaps[..=least].rotate_right(1);
        overlaps
    }

    /// The shortest translation found to separate the bodies: its length, metres, and its
    /// direction. `hulls`: directions, and lengths that take the hulls apart, the shortest first;
    /// `known`: another one.
    fn upper(&mut self, lower: f64, hulls: &[(Vec3<f64>, f64)], known: Option<KnownDepth>) -> (f64, Vec3<f64>) {
        let least = lower.max(0.0) + 4.0 * self.place.sharp();
        // Beyond the supporting planes of the hulls the bodies are apart for certain.
        let of_hulls = (hulls[0].1, hulls[0].0);
        let beyond =
            known.filter(|known| known.upper < of_hulls.0).map_or(of_hulls, |known| (known.upper, known.normal));
        let Some(way) = self.shortest_way(hulls, [least, beyond.0]) else { return beyond };
        let mut ways = vec![way];
        for _ in 0..REFINEMENTS {
            let Some(WayOut { length, parted: Some(n), .. }) = ways.last().copied() else { break };
            let way = self.way_out(n, [least, length]);
            let Some(way) = way.filter(|way| way.length < length - self.tie()) else { break };
            ways.push(way);
        }
        let proven = |way: WayOut| self.proven(way, beyond.0).map(|length| (length, way.n));
        ways.into_iter().rev().find_map(proven).unwrap_or(beyond)
    }

    /// Ways out whose lengths differ by less are equal, metres: far above the rounding of each.
    fn tie(&self) -> f64 {
        8.0 * self.place.sharp()
    }

    /// Points of both bodies: the one that lies deepest in both, if its depth (metres) is above 0,
    /// and vertices of one inside of the other, the innermost first.
    fn shared_points(
        &mut self,
        protrusions: &[Vec<Protrusion>; 2],
        depth: f64,
        deepest: Vec3<f64>,
    ) -> Vec<SharedPoint> {
        let is_inside = if depth > 0.0 { self.overlap.are_around(deepest) } else { [false; 2] };
        let inner = (is_inside == [true; 2]).then_some(SharedPoint { point: deepest, is_inside });
        let of_vertex = |of_b: bool| move |p: &Protrusion| SharedPoint { point: p.vertex, is_inside: [of_b, !of_b] };
        let [of_a, of_b] = protrusions;
        let vertices = of_a.iter().rev().map(of_vertex(false)).chain(of_b.iter().rev().map(of_vertex(true)));
        inner.into_iter().chain(vertices).collect()
    }

    /// The shortest way out along one of the directions, by lengths from `from` to below `limit`,
    /// metres; of equal ones the first. They are tried in the order of the lengths up to which a
    /// point of both bodies shows that they overlap.
    fn shortest_way(&mut self, hulls: &[(Vec3<f64>, f64)], [from, limit]: [f64; 2]) -> Option<WayOut> {
        let (tie, likely) = (self.tie(), hulls[0].0);
        let mut order: Vec<(f64, usize)> =
            hulls.iter().enumerate().map(|(index, &(n, _))| (self.overlap_along(n, [from, limit]), index)).collect();
        let nearness = |index: usize| hulls[index].0.dot(likely);
        order.sort_by(|x, y| x.0.total_cmp(&y.0).then(nearness(y.1).total_cmp(&nearness(x.1))).then(x.1.cmp(&y.1)));
        let (mut ways, mut shortest): (Vec<(usize, WayOut)>, f64) = (Vec::new(), limit);
        for (overlap, index) in order {
            let most = limit.min(shortest + 2.0 * tie);
            if overlap >= most {
                break;
            }
            if let Some(way) = self.way_out(hulls[index].0, [overlap, most]) {
                shortest = shortest.min(way.length);
                ways.push((index, way));
            }
        }
        let equal = ways.into_iter().filter(|(_, way)| way.length <= shortest + tie);
        equal.min_by_key(|&(index, _)| index).map(|(_, way)| way)
    }

    /// A length from `from` to about `limit` below which nothing separates the bodies, metres.
    fn overlap_along(&mut self, n: Vec3<f64>, [from, limit]: [f64; 2]) -> f64 {
        if self.shared.is_empty() {
            return from;
        }
        let mut sweep = Sweep::new(self.place, n, [from, limit], MeetingOrder::SmallestFirst, self.sweep);
        sweep.skip_overlap(&self.shared)
    }

    /// The shortest way out along `n`, by lengths from `from` to below `limit` (metres), as
    /// computed. Triangles that were in the way in other directions are followed first.
    fn way_out(&mut self, n: Vec3<f64>, [from, limit]: [f64; 2]) -> Option<WayOut> {
        let way = self.first_way_out(n, [from, limit]);
        for met in self.sweep.met() {
            if !self.in_way.contains(met) {
                self.in_way.push(*met);
            }
        }
        let old = self.in_way.len().saturating_sub(IN_WAY);
        self.in_way.drain(..old);
        way
    }

    fn first_way_out(&mut self, n: Vec3<f64>, [from, limit]: [f64; 2]) -> Option<WayOut> {
        let beyond = self.place.has_open().then(|| self.hull_overlap(n));
        let mut sweep = Sweep::new(self.place, n, [from, limit], MeetingOrder::SmallestFirst, self.sweep);
        sweep.try_first(&self.in_way);
        loop {
            let Some(free) = sweep.next_free() else { break None };
            let is_last = free.to.is_infinite();
            // An unbounded free range is outside. Within a bounded one, a single containment test
            // is enough. A body may pass holes of open meshes: it is outside beyond the hulls.
            let is_out = (is_last && beyond.is_none())
                || self.overlap.holds_nothing(self.place, n, free.from, self.place.sharp());
            match beyond {
                _ if is_out => break Some(WayOut { length: free.from, n, parted: sweep.parted() }),
                Some(length) if is_last => {
                    break (length < limit).then(|| WayOut { length, n, parted: sweep.parted() });
                }
                _ => {}
            }
            sweep.skip_to(free.to);
        }
    }

    /// A proven separating length below `limit`, metres: that of a way out, or little more.
    fn proven(&mut self, way: WayOut, limit: f64) -> Option<f64> {
        let lengths = LENGTHENINGS.map(|by| way.length + by * self.place.sharp());
        lengths.into_iter().find(|&length| length < limit && self.is_separated_by(way.n, length))
    }

    /// Returns the overlap of the hulls' supporting planes along `n`, with growth and rounding,
    /// metres.
    fn hull_overlap(&self, n: Vec3<f64>) -> f64 {
        let [end_a, start_b] = self.hull_ends(n);
        self.place.growth + (end_a - start_b) + self.place.slack()
    }

    /// Returns the heights along `n` at which the hull of A ends and that of B begins, metres.
    fn hull_ends(&self, n: Vec3<f64>) -> [f64; 2] {
        let [a, b] = self.hulls;
        [max_dot(a, n), n.dot(self.place.pose.t) - max_dot(b, -self.place.pose.inverse_vector(n))]
    }

    /// Whether moving B by `length` (metres) along `n` is proven to separate the bodies.
    fn is_separated_by(&mut self, n: Vec3<f64>, length: f64) -> bool {
        let moved = self.place.shifted(n.scale(length));
        match search::nearest(&moved, moved.growth, None, self.memory) {
            SurfaceDistance::Beyond(gap) => {
                gap > moved.growth && self.overlap.holds_nothing(self.place, n, length, gap)
            }
            SurfaceDistance::Apart(_) | SurfaceDistance::Touching(_) => false,
        }
    }
}
