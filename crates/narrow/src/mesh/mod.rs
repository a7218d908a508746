//! Pairs of bodies of which one is a triangle mesh: the nearest triangles under two trees, and a
//! bracket of the depth if the bodies overlap.
//!
//! A convex body beside a mesh is the mesh of its faces; a point or a segment is a triangle without
//! area. A row depends on the meshes and the poses alone: each pair of triangles has one distance,
//! and the search for a depth always has the same starts.

mod along;
mod best_pair;
mod bounds;
mod collecting;
mod contacts;
mod crossing;
mod curves;
mod depth;
mod disjoint_sets;
pub(super) mod eight_pairs;
mod front;
mod leaf_gaps;
mod leaves;
mod line_gap;
mod overlap;
mod pair_distance;
mod place;
mod point_bounds;
mod points;
mod search;
mod supports;
mod surface_bracket;
mod sweep;
mod tree_order;
pub(super) mod triangle_pair;
mod turning;
mod within;
mod witnesses;

pub(super) use self::along::MeshesOnLine;
pub(super) use self::bounds::NodeCache;
pub(super) use self::contacts::contacts;
use self::depth::DepthBracket;
pub(super) use self::depth::{KnownDepth, MeshMemory};
pub(super) use self::leaf_gaps::{LeafTriangles, rule_out_moving};
use self::pair_distance::NearestTriangles;
use self::place::MeshPlace;
pub(super) use self::search::MeshPairMemory;
use self::search::SurfaceDistance;
pub(super) use self::surface_bracket::{SurfaceBracket, surface_bracket};
pub(super) use self::tree_order::{MeshBall, NearPairs};
pub(super) use self::triangle_pair::TriangleFeature;
pub(super) use self::within::{FEW, triangles_within};
use self::witnesses::OverlapHints;
use super::answer::status;
use super::bodies::Bodies;
use super::deviation::{StoredRow, deviation_of};
use super::overlap_proof::OverlapDepths;
use super::pose_rounding::pose_error;
use super::solve_outcome::SolveOutcome;
use super::solver_stats::SolverStats;
use clearsweep_geometry::mesh::{EdgeLabel, TriangleMesh};
use clearsweep_geometry::{Polyhedron, Vec3};
use clearsweep_model::QueryOptions;
use clearsweep_model::{FeatureKind, Method, Proximity, Status};

/// Far beyond every length, and still finite, so that no bound computed from it is infinite or NaN.
const ANY_DISTANCE: f64 = 1e300;

/// The row of two bodies, as they are stored, with the pair at its place; or the proof that they
/// are farther apart than `options.within`. `overlap`: depths that count as an overlap, if no depth
/// is asked for. `parts`: depth of the convex parts, if both bodies have convex parts and no
/// deviation; called at most one time, if the bodies overlap. `ahead`: how far B moves in A's frame
/// to the next sample, and at most in all samples to come, metres.
pub(super) fn query<'a>(
    bodies: &Bodies<'a>,
    options: &QueryOptions,
    overlap: Option<OverlapDepths>,
    parts: &mut dyn FnMut(&mut SolverStats) -> Option<KnownDepth>,
    remembered: &mut Option<Box<MeshPairMemory>>,
    memory: &mut MeshMemory,
    stats: &mut SolverStats,
    ahead: impl Fn() -> [f64; 2],
) -> SolveOutcome<(StoredRow, MeshPair<'a>)> {
    let mut pair = MeshPair::new(bodies, options);
    stats.queries += 1;
    stats.meshes += 1;
    let MeshPair { place, off, .. } = pair;
    if !(place.size + off).is_finite() {
        stats.uncertified += 1;
        return SolveOutcome::Answered((StoredRow::new(uncertified()), pair));
    }
    // A surface that holds another proves an overlap if it is farther than the depth that counts.
    let within = overlap.map_or(options.within, |depths| options.within.max(2.0 * depths.cores));
    let cutoff = within + place.growth + off + place.slack();
    let mut fresh = MeshPairMemory::default();
    let known = remembered.as_deref_mut().unwrap_or(&mut fresh);
    let surfaces = search::nearest_again(&place, cutoff, known, &mut memory.search, ahead);
    if fresh.is_useful() {
        *remembered = Some(Box::new(fresh));
    }
    let axis = memory.search.axis();
    stats.triangle_pairs += memory.search.counts[0] as u64;
    // The gap beyond a cut-off depends on the memory; the fact that it is beyond does not.
    pair.surfaces = match surfaces {
        SurfaceDistance::Beyond(_) => SurfaceDistance::Beyond(cutoff),
        SurfaceDistance::Apart(_) | SurfaceDistance::Touching(_) => surfaces,
    };
    if let Some(depths) = overlap.filter(|depths| pair.overlaps_by(depths, memory)) {
        return SolveOutcome::Answered((StoredRow::of_overlap(depths.row(bodies)), pair));
    }
    let enough = overlap.map_or(f64::INFINITY, |depths| depths.cores + 2.0 * (off + pair.rounding()));
    let depth = pair.depth(&place, enough, &mut || parts(stats), memory);
    if let (Some(depths), Some(depth)) = (overlap, &depth)
        && !depth.by_winding
        && pair.upper_end(depth.of_balls) < -depths.bodies
    {
        return SolveOutcome::Answered((StoredRow::of_overlap(depths.row(bodies)), pair));
    }
    stats.mesh_depths += u64::from(depth.is_some());
    let stored = match (&depth, surfaces.nearest()) {
        (Some(depth), nearest) if depth.by_winding => {
            let surfaces = nearest.or_else(|| match search::nearest(&place, ANY_DISTANCE, None, &mut memory.search) {
                SurfaceDistance::Apart(nearest) => Some(nearest),
                SurfaceDistance::Touching(_) | SurfaceDistance::Beyond(_) => None,
            });
            StoredRow::new(pair.inside_by_winding(depth, surfaces.as_ref()))
        }
        (Some(depth), _) => {
            let points = witnesses::witnesses(&place, pair.radii, &pair.hints(depth), &mut memory.points);
            StoredRow { upper: pair.upper_end(depth.of_balls), ..StoredRow::new(pair.overlapping(depth, points)) }
        }
        (None, Some(nearest)) => StoredRow::new(pair.apart(&nearest)),
        (None, None) => {
            return SolveOutcome::Beyond { gap: surfaces.lower() - place.growth - off, normal: Some(axis) };
        }
    };
    let near_zero = depth.map(|depth| 0.0 - depth.lower.max(0.0));
    SolveOutcome::Answered((StoredRow { near_zero, ..stored }, pair))
}

/// No number is finite: nothing is known.
fn uncertified() -> Proximity {
    let none = Vec3::new(f64::NAN, f64::NAN, f64::NAN);
    Proximity {
        sample: 0,
        status: Status::Uncertified,
        method: Method::None,
        feature_kind: [FeatureKind::Vertex; 2],
        feature: [0; 2],
        part: [0; 2],
        distance: f64::NAN,
        lower: f64::NAN,
        upper: f64::NAN,
        point_a: none,
        point_b: none,
        normal: none,
        protrusion: f64::NAN,
    }
}

/// Two bodies at their place, and the distance of their surfaces.
pub(super) struct MeshPair<'a> {
    place: MeshPlace<'a>,
    /// Convex hulls of both cores.
    hulls: [&'a Polyhedron; 2],
    /// Distance of the cores; a gap beyond the cut-off counts as the cut-off.
    surfaces: SurfaceDistance,
    /// Growth of each body, metres.
    radii: [f64; 2],
    /// Bound on the error of the poses of recentred frames, metres.
    off: f64,
    options: QueryOptions,
    /// Whether the surfaces have no deviation: only then crossing triangles prove an overlap.
    is_exact: bool,
}

impl<'a> MeshPair<'a> {
    /// Nothing is known of the surfaces.
    fn new(bodies: &Bodies<'a>, options: &QueryOptions) -> Self {
        let meshes = [bodies.a.surface(), bodies.b.surface()];
        let hulls = [bodies.a.surface_hull(), bodies.b.surface_hull()];
        let radii = [bodies.a.surface_growth(), bodies.b.surface_growth()];
        let poses = [bodies.pose_a, bodies.pose_b];
        Self {
            place: MeshPlace::new(meshes, poses, bodies.relative, radii[0] + radii[1]),
            hulls,
            surfaces: SurfaceDistance::Beyond(f64::NEG_INFINITY),
            radii,
            off: pose_error(hulls[0], &poses[0]) + pose_error(hulls[1], &poses[1]),
            options: *options,
            is_exact: deviation_of(bodies.a, bodies.b) == 0.0,
        }
    }

    /// Whether the surfaces prove an overlap beyond these depths: by triangles that cross, by
    /// nearest triangles within the growth, or by a part of one body inside of the other. All
    /// crossing triangles are tested, so the answer does not depend on the first one found.
    fn overlaps_by(&self, depths: &OverlapDepths, memory: &mut MeshMemory) -> bool {
        let place = &self.place;
        if !self.is_exact {
            return false;
        }
        let is_deep = |depth: f64| depth - self.off - 2.0 * place.error() > depths.cores;
        let cross_deep =
            |[a, b]: [u32; 2]| is_deep(crossing::least_translation(&place.a.corners(a), &place.corners_b(b)));
        let free = self.surfaces.lower();
        match &self.surfaces {
            &SurfaceDistance::Touching(triangles) => {
                cross_deep(triangles) || tree_order::any_crossing(place, &mut memory.search, cross_deep)
            }
            SurfaceDistance::Apart(nearest) if is_deep(place.growth - nearest.upper) => true,
            // A body holds a part of the other until its surface is passed.
            SurfaceDistance::Apart(_) | SurfaceDistance::Beyond(_) => {
                is_deep(free) && place.may_contain() && depth::holds_solid(place, self.hulls, free, memory)
            }
        }
    }

    /// The bracket of the depth at a place that differs by its growth; `None` if the bodies are
    /// apart. `enough`, `known`: see [`depth::bracket`].
    fn depth(
        &self,
        place: &MeshPlace<'_>,
        enough: f64,
        known: &mut dyn FnMut() -> Option<KnownDepth>,
        memory: &mut MeshMemory,
    ) -> Option<DepthBracket> {
        let may_overlap = self.surfaces.lower() <= place.growth || place.may_contain();
        may_overlap.then(|| depth::bracket(place, self.hulls, &self.surfaces, enough, known, memory)).flatten()
    }

    /// The lower end of the bodies inflated by `by` together, metres, and its direction, if any.
    pub(super) fn lower_end_inflated(&self, by: f64, memory: &mut MeshMemory) -> Option<(f64, Vec3<f64>)> {
        let inflated = MeshPlace { growth: (self.place.growth + by).next_up(), ..self.place };
        let depth = self.depth(&inflated, f64::INFINITY, &mut || None, memory)?;
        Some((self.lower_end(depth.upper), depth.normal))
    }

    /// The row of bodies apart.
    fn apart(&self, nearest: &NearestTriangles) -> Proximity {
        let growth = self.place.growth;
        let (distance, normal) = (nearest.distance - growth, nearest.normal);
        let point_a = nearest.closest.point_a + normal.scale(self.radii[0]);
        let [a, b] = [0, 1].map(|k: usize| {
            let mesh = [self.place.a, self.place.b][k];
            published(mesh, nearest.triangles[k], nearest.closest.features[k])
        });
        let lower = (nearest.lower - growth - self.off - self.rounding()).next_down();
        let upper = (nearest.upper - growth + self.off + self.rounding()).next_up();
        Proximity {
            status: status(lower, upper, &self.options),
            method: Method::Mesh,
            feature_kind: [a.0, b.0],
            feature: [a.1, b.1],
            part: self.parts(nearest.triangles),
            distance,
            lower,
            upper,
            point_a,
            point_b: point_a + normal.scale(distance),
            normal,
            ..uncertified()
        }
    }

    /// Returns hints to the overlap, from the depth and the nearest triangles.
    fn hints(&self, depth: &DepthBracket) -> OverlapHints {
        let DepthBracket { normal, crossing, inside, middle, .. } = *depth;
        let (nearest, are_apart) = (self.surfaces.nearest(), self.surfaces.lower() > 0.0);
        OverlapHints {
            normal,
            crossing,
            inside,
            nearest: nearest.as_ref().map(witnesses::nearest_points),
            middle,
            are_apart,
        }
    }

    /// The row of bodies that overlap, or touch, with their witness points.
    fn overlapping(&self, depth: &DepthBracket, [point_a, point_b]: [Vec3<f64>; 2]) -> Proximity {
        let (lower, upper) = (self.lower_end(depth.upper), self.upper_end(depth.lower));
        // A depth and a shorter translation may both be proven, within rounding.
        let distance = (-depth.upper).min(upper);
        let triangles = depth.triangles;
        let [a, b] =
            [0, 1].map(|k: usize| published([self.place.a, self.place.b][k], triangles[k], TriangleFeature::Face));
        Proximity {
            status: status(lower, upper, &self.options),
            method: Method::Bound,
            feature_kind: [a.0, b.0],
            feature: [a.1, b.1],
            part: self.parts(triangles),
            distance,
            lower,
            upper,
            point_a,
            point_b,
            normal: depth.normal,
            protrusion: depth.protrusion,
            ..uncertified()
        }
    }

    /// The row of a body that lies inside of an open one by its winding number: the bracket holds
    /// both answers. `nearest`: of the surfaces, whose nearest points are the witness points.
    fn inside_by_winding(&self, depth: &DepthBracket, nearest: Option<&NearestTriangles>) -> Proximity {
        let apart = nearest.map(|nearest| self.apart(nearest));
        let upper = apart.map_or(f64::INFINITY, |apart| apart.upper);
        let inside = self.overlapping(depth, apart.map_or([depth.middle; 2], |apart| [apart.point_a, apart.point_b]));
        Proximity { status: Status::Penetrating, method: Method::Winding, upper, ..inside }
    }

    /// The lower signed distance if a translation of this length separates the bodies, metres.
    fn lower_end(&self, length: f64) -> f64 {
        // The bodies were moved by the length, but for rounding.
        (-length - self.place.error() - self.off - self.rounding()).next_down()
    }

    /// The upper signed distance if no translation below this length separates the bodies, metres.
    fn upper_end(&self, depth: f64) -> f64 {
        (-depth + self.off + self.rounding()).next_up()
    }

    /// Returns a bound on the rounding of sums of lengths of the size of the pair, metres.
    fn rounding(&self) -> f64 {
        2.0 * f64::EPSILON * (self.place.growth + self.off)
    }

    fn parts(&self, [a, b]: [u32; 2]) -> [i32; 2] {
        [self.place.a.labels().part(a) as i32, self.place.b.labels().part(b) as i32]
    }
}

/// The published kind and number of a feature of a triangle.
pub(super) fn published(mesh: &TriangleMesh, triangle: u32, feature: TriangleFeature) -> (FeatureKind, i32) {
    let (labels, triangles) = (mesh.labels(), mesh.triangles());
    let corner = |i: u8| triangles[triangle as usize][i as usize % 3];
    match feature {
        TriangleFeature::Vertex(i) => (FeatureKind::Vertex, labels.vertex(corner(i)) as i32),
        TriangleFeature::Edge(i) => match labels.edge(triangles, triangle, [corner(i), corner(i + 1)]) {
            EdgeLabel::Edge(edge) => (FeatureKind::Edge, edge as i32),
            EdgeLabel::Face(face) => (FeatureKind::Face, face as i32),
        },
        TriangleFeature::Face => (FeatureKind::Face, labels.face(triangles, triangle) as i32),
    }
}

/// Witness points of bodies of pieces that overlap, in A's frame, metres. `normal`: unit, A's
/// frame, along it B leaves A; `likely`: points of that frame that likely are in both.
pub(super) fn overlap_witnesses(
    bodies: &Bodies<'_>,
    normal: Vec3<f64>,
    likely: &[Vec3<f64>],
    memory: &mut MeshMemory,
) -> [Vec3<f64>; 2] {
    let radii = [bodies.a.surface_growth(), bodies.b.surface_growth()];
    let meshes = [bodies.a.surface(), bodies.b.surface()];
    let place = MeshPlace::new(meshes, [bodies.pose_a, bodies.pose_b], bodies.relative, radii[0] + radii[1]);
    witnesses::of_pieces(&place, radii, normal, likely, memory)
}
