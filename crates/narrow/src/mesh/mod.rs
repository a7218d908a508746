//! Pairs of bodies of which one is a triangle mesh: the nearest triangles under two trees, and where the bodies overlap a bracket of the
//! depth.
//!
//! ```text
//! place.rs          two meshes at their poses, and what rounding may do
//! search.rs         both trees descended together; bounds.rs: boxes against boxes, eight by eight
//! best_pair.rs      the nearest pair of triangles so far; pair_distance.rs: the distance of one pair, settled
//! open_pair.rs      the order of a search; line_gap.rs: gaps along lines between middles
//! supports.rs       what the supporting planes along one direction leave of both meshes; turning.rs: which direction
//! front.rs          what a search leaves to the next one: bounds that outlast a motion; collecting.rs: the search for them
//! triangle_pair.rs  the distance of two triangles, and a direction that proves it
//! points.rs         points against one mesh: the nearest triangle, inside or outside; point_bounds.rs: bounds, eight by eight
//! overlap.rs        points deep inside of both bodies; crossing.rs: triangles that cross
//! sweep.rs          the ways out along one direction
//! depth.rs          the bracket of the depth
//! along.rs          which triangles meet when while one body moves along a line
//! surface_bracket.rs  the distance of the surfaces alone
//! witnesses.rs      points of both surfaces where bodies overlap
//! ```
//!
//! A convex body beside a mesh is the mesh of its faces; a point or a segment is a triangle without area. A row depends on the meshes
//! and the poses alone: the nearest triangles are the least of a number that each pair has for itself, and depths are searched for from
//! the same starts always.

mod along;
mod best_pair;
mod bounds;
mod collecting;
mod crossing;
mod depth;
mod front;
mod line_gap;
mod memory;
mod open_pair;
mod overlap;
mod pair_distance;
mod place;
mod point_bounds;
mod points;
mod search;
mod supports;
mod surface_bracket;
mod sweep;
pub(super) mod triangle_pair;
mod turning;
mod witnesses;

pub(super) use self::along::MeshesOnLine;
use self::depth::DepthBracket;
pub(super) use self::memory::MeshMemory;
use self::pair_distance::NearestTriangles;
use self::place::MeshPlace;
pub(super) use self::search::MeshPairMemory;
use self::search::SurfaceDistance;
pub(super) use self::surface_bracket::{SurfaceBracket, surface_bracket};
use self::triangle_pair::TriangleFeature;
use self::witnesses::OverlapHints;
use super::answer::{status, with_bracket};
use super::bodies::Bodies;
use super::deviation::{deviation_of, proven_upper, widened};
use super::pose_rounding::placing_error;
use super::solve_outcome::SolveOutcome;
use super::solver_stats::SolverStats;
use clearsweep_geometry::Vec3;
use clearsweep_geometry::mesh::{EdgeLabel, TriangleMesh};
use clearsweep_model::QueryOptions;
use clearsweep_model::{FeatureKind, Method, Proximity, Status};

/// Far beyond every length, and still finite, so that no bound computed from it is infinite or NaN.
const ANY_DISTANCE: f64 = 1e300;

/// The row of two bodies, with the bracket of the true ones, deviations included, or the proof that the stored ones are farther apart than
/// `options.within`; never open. `ahead`: how far B moves in A's frame to the next sample, and at most in all that are to come, metres.
pub(super) fn query(
    bodies: &Bodies<'_>,
    options: &QueryOptions,
    remembered: &mut Option<Box<MeshPairMemory>>,
    memory: &mut MeshMemory,
    stats: &mut SolverStats,
    ahead: impl Fn() -> [f64; 2],
) -> SolveOutcome<Proximity> {
    let meshes = [bodies.a.surface(), bodies.b.surface()];
    let radii = [bodies.a.hull().radius, bodies.b.hull().radius];
    let poses = [bodies.pose_a, bodies.pose_b];
    let place = MeshPlace::new(meshes, poses, bodies.relative, radii[0] + radii[1]);
    stats.queries += 1;
    stats.meshes += 1;
    // What the poses of recentred frames may be off.
    let off = placing_error(&bodies.a.hull().core, &poses[0]) + placing_error(&bodies.b.hull().core, &poses[1]);
    if !(place.size + off).is_finite() {
        stats.uncertified += 1;
        return SolveOutcome::Answered(uncertified());
    }
    let cutoff = options.within + place.growth + off + place.slack();
    let mut fresh = MeshPairMemory::default();
    let pair = remembered.as_deref_mut().unwrap_or(&mut fresh);
    let found = search::nearest_again(&place, cutoff, pair, &mut memory.search, ahead);
    if fresh.is_useful() {
        *remembered = Some(Box::new(fresh));
    }
    let axis = memory.search.axis();
    stats.triangle_pairs += memory.search.counts[0] as u64;
    // How far beyond a cut-off surfaces are known to be depends on what is remembered; that they are beyond it does not.
    let surfaces = match found {
        SurfaceDistance::Beyond(_) => SurfaceDistance::Beyond(cutoff),
        SurfaceDistance::Apart(_) | SurfaceDistance::Touching(_) => found,
    };
    let row = MeshRow { place: &place, radii, off, options };
    let hulls = [&bodies.a.hull().core, &bodies.b.hull().core];
    let bracket = |place: &MeshPlace<'_>, memory: &mut MeshMemory| {
        let may_overlap = surfaces.lower() <= place.growth || place.may_contain();
        may_overlap.then(|| depth::bracket(place, hulls, &surfaces, &mut memory.search, &mut memory.depth)).flatten()
    };
    let depth = bracket(&place, memory);
    stats.mesh_depths += u64::from(depth.is_some());
    let nearest = found.nearest();
    let by_winding = depth.is_some_and(|depth| depth.by_winding);
    let mut found = match (&depth, nearest) {
        (Some(depth), nearest) if by_winding => {
            let surfaces = nearest.or_else(|| match search::nearest(&place, ANY_DISTANCE, None, &mut memory.search) {
                SurfaceDistance::Apart(nearest) => Some(nearest),
                SurfaceDistance::Touching(_) | SurfaceDistance::Beyond(_) => None,
            });
            row.inside_by_winding(depth, surfaces.as_ref())
        }
        (Some(depth), _) => {
            let hints = row.hints(depth, &surfaces);
            row.overlapping(depth, witnesses::witnesses(&place, radii, &hints, &mut memory.depth.points))
        }
        (None, Some(nearest)) => row.apart(&nearest),
        (None, None) => {
            return SolveOutcome::Beyond { gap: found.lower() - place.growth - off, normal: Some(axis) };
        }
    };
    let deviation = deviation_of(bodies.a, bodies.b);
    if deviation > 0.0 {
        if let Some(depth) = depth.filter(|_| !by_winding) {
            found.upper = row.upper_end(depth.of_balls);
        }
        let upper = proven_upper(bodies.a, bodies.b, found.upper);
        [found.lower, found.upper] = widened([found.lower, upper], deviation);
        if found.lower < 0.0 {
            // What separates the stored bodies may press the grown ones together elsewhere.
            let grown = MeshPlace { growth: (place.growth + deviation).next_up(), ..place };
            if let Some(depth) = bracket(&grown, memory) {
                found.lower = row.lower_end(depth.upper);
                // It may be found along another, better direction.
                if found.distance < found.lower {
                    (found.distance, found.normal) = (found.lower, depth.normal);
                }
            }
        }
        found = with_bracket(found, [found.lower, found.upper], options);
    }
    if let Some(depth) = depth.filter(|_| found.status == Status::Touching) {
        // Of a depth that is hardly proven, or not at all, the value is the end of the bracket near 0.
        found.distance = 0.0 - depth.lower.max(0.0);
    }
    SolveOutcome::Answered(found)
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

/// Data that rows are made of.
struct MeshRow<'a> {
    place: &'a MeshPlace<'a>,
    /// Growth of each body, metres.
    radii: [f64; 2],
    /// Bound on the error of the poses, metres.
    off: f64,
    options: &'a QueryOptions,
}

impl MeshRow<'_> {
    /// The row of bodies apart.
    fn apart(&self, found: &NearestTriangles) -> Proximity {
        let growth = self.place.growth;
        let (distance, normal) = (found.distance - growth, found.normal);
        let point_a = found.closest.point_a + normal.scale(self.radii[0]);
        let [a, b] = [0, 1].map(|k: usize| {
            let mesh = [self.place.a, self.place.b][k];
            published(mesh, found.triangles[k], found.closest.features[k])
        });
        let lower = (found.lower - growth - self.off - self.rounding()).next_down();
        let upper = (found.upper - growth + self.off + self.rounding()).next_up();
        Proximity {
            status: status(lower, upper, self.options),
            method: Method::Mesh,
            feature_kind: [a.0, b.0],
            feature: [a.1, b.1],
            part: self.parts(found.triangles),
            distance,
            lower,
            upper,
            point_a,
            point_b: point_a + normal.scale(distance),
            normal,
            ..uncertified()
        }
    }

    /// Returns hints of the place at which bodies overlap, from their depth and their nearest triangles.
    fn hints(&self, depth: &DepthBracket, surfaces: &SurfaceDistance) -> OverlapHints {
        let DepthBracket { normal, crossing, inside, middle, .. } = *depth;
        let (nearest, are_apart) = (surfaces.nearest(), surfaces.lower() > 0.0);
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
        let distance = -depth.upper;
        let (lower, upper) = (self.lower_end(depth.upper), self.upper_end(depth.lower));
        let triangles = depth.triangles;
        let [a, b] =
            [0, 1].map(|k: usize| published([self.place.a, self.place.b][k], triangles[k], TriangleFeature::Face));
        Proximity {
            status: status(lower, upper, self.options),
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

    /// The row of a body that lies inside of an open one by its winding number: the bracket holds both answers. `nearest`: of the surfaces,
    /// whose nearest points are the witness points.
    fn inside_by_winding(&self, depth: &DepthBracket, nearest: Option<&NearestTriangles>) -> Proximity {
        let apart = nearest.map(|nearest| self.apart(nearest));
        let upper = apart.map_or(f64::INFINITY, |apart| apart.upper);
        let inside = self.overlapping(depth, apart.map_or([depth.middle; 2], |apart| [apart.point_a, apart.point_b]));
        Proximity { status: Status::Penetrating, method: Method::Winding, upper, ..inside }
    }

    /// The lower end of the signed distance where a translation of this length (metres) was checked to separate the bodies.
    fn lower_end(&self, length: f64) -> f64 {
        // The bodies were moved by the length, but for rounding.
        (-length - self.place.error() - self.off - self.rounding()).next_down()
    }

    /// The upper end of the signed distance of bodies that no translation below this length (metres) separates.
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
fn published(mesh: &TriangleMesh, triangle: u32, feature: TriangleFeature) -> (FeatureKind, i32) {
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

/// Witness points of bodies of pieces that overlap, in A's frame, metres. `normal`: unit, A's frame, along it B leaves A; `likely`: points of
/// that frame that likely are in both.
pub(super) fn overlap_witnesses(
    bodies: &Bodies<'_>,
    normal: Vec3<f64>,
    likely: &[Vec3<f64>],
    memory: &mut MeshMemory,
) -> [Vec3<f64>; 2] {
    let radii = [bodies.a.hull().radius, bodies.b.hull().radius];
    let meshes = [bodies.a.surface(), bodies.b.surface()];
    let place = MeshPlace::new(meshes, [bodies.pose_a, bodies.pose_b], bodies.relative, radii[0] + radii[1]);
    let MeshMemory { search, depth } = memory;
    witnesses::of_pieces(&place, radii, (normal, likely), search, &mut depth.points)
}
