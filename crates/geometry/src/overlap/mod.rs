//! Box and volume of the overlap of two solid bodies at one moment, as proven bounds.
//!
//! ```text
//! frame.rs      the frames of a pair, and the unit of rounding
//! pairs.rs      unions of convex pieces without radius, pair by pair; clip.rs: one of them clipped by another
//! cells.rs      the octree for all other bodies; regions.rs: a body in a cell; half_cell.rs: a cell below a plane
//! containment.rs one body inside of another
//! separation.rs two hulls that are apart; aabb.rs: boxes
//! ```
//!
//! Every bound includes rounding; each file derives its part.

mod aabb;
mod cells;
mod clip;
mod containment;
mod frame;
mod half_cell;
mod pairs;
mod regions;
mod separation;
#[cfg(test)]
mod tests;

use super::{Polyhedron, Pose, TriangleMesh, Vec3};
use aabb::Aabb;
pub use containment::is_inside;
use frame::Frames;
use regions::Region;

/// A bracket of the pairs of pieces that is wider than this share of its upper end is tightened by
/// the octree.
const WIDE: f64 = 1e-3;

/// Gap that proves hulls apart, in units: both are off by `MOVED`, and a product by less than 8.
const SEPARATED: f64 = 1024.0;

/// A body in its recentred frame, metres.
#[derive(Debug, Clone, Copy)]
pub enum Solid<'a> {
    /// The union of convex polyhedra, as [`crate::hull::convex_hull`] builds them, each grown by a
    /// radius (metres, at least 0).
    Pieces(&'a [(&'a Polyhedron, f64)]),
    /// The points that a closed mesh winds around.
    Mesh(&'a TriangleMesh),
}

/// Bounds of the overlap of two bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overlap {
    /// Low and high corner of a box along the axes of the world that contains the whole overlap,
    /// metres; `None`: the bodies are proven to have no point in common.
    pub bounds: Option<[Vec3<f64>; 2]>,
    /// Proven lower and upper bound of the volume, cubic metres.
    pub volume: [f64; 2],
}

impl Overlap {
    /// No point in common.
    const NONE: Self = Self { bounds: None, volume: [0.0; 2] };

    /// Nothing is known.
    const UNKNOWN: Self = {
        let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
        let space = [Vec3 { x: low, y: low, z: low }, Vec3 { x: high, y: high, z: high }];
        Self { bounds: Some(space), volume: [0.0, f64::INFINITY] }
    };
}

impl Solid<'_> {
    /// No point is farther from the origin of the frame, metres; NaN if a radius is negative.
    fn radius(&self) -> f64 {
        match self {
            Self::Mesh(mesh) => mesh.radius(),
            Self::Pieces(pieces) if pieces.iter().all(|piece| piece.1 >= 0.0) => {
                pieces.iter().map(|&(core, growth)| core.radius + growth).fold(0.0, f64::max)
            }
            Self::Pieces(_) => f64::NAN,
        }
    }

    /// Contains the body `body` of the pair, in the near frame; `None`: it has no points.
    fn bounds(&self, frames: &Frames, body: usize) -> Option<Aabb> {
        let pieces = |&(core, growth): &(&Polyhedron, f64)| frames.bounds(body, core, growth);
        match self {
            Self::Mesh(_) => Some(Aabb::around(self.hulls(frames, body).concat(), frame::MOVED * frames.unit)),
            Self::Pieces(all) => all.iter().map(pieces).reduce(|all, piece| all.with(&piece)),
        }
    }

    /// Sets of points whose hulls, grown by [`Solid::growth`], contain the body `body` of the pair,
    /// in the near frame.
    fn hulls(&self, frames: &Frames, body: usize) -> Vec<Vec<Vec3<f64>>> {
        let pose = &frames.near_from[body];
        match self {
            Self::Mesh(mesh) => {
                vec![mesh.triangles().iter().flatten().map(|&v| pose.point(mesh.vertices()[v as usize])).collect()]
            }
            Self::Pieces(pieces) => {
                let of_core = |core: &Polyhedron| (0..core.count as u32).map(|v| pose.point(core.vertex(v))).collect();
                pieces.iter().map(|&(core, _)| of_core(core)).collect()
            }
        }
    }

    /// The radius of a hull, metres.
    fn growth(&self, hull: usize) -> f64 {
        match self {
            Self::Mesh(_) => 0.0,
            Self::Pieces(pieces) => pieces[hull].1,
        }
    }

    /// The body `body` of the pair, for the octree; `None`: its inside is not known.
    fn region(&self, frames: &Frames, body: usize) -> Option<Region> {
        match self {
            Self::Mesh(mesh) => mesh.is_solid().then(|| Region::of_mesh(frames, body, mesh)),
            Self::Pieces(pieces) => Some(Region::of_pieces(frames, body, pieces)),
        }
    }

    /// The pieces, if the volume of their intersections with others can be computed by clipping.
    fn sharp_pieces(&self) -> Option<&[(&Polyhedron, f64)]> {
        let is_sharp =
            |&(core, growth): &(&Polyhedron, f64)| growth == 0.0 && (core.dimension < 3 || core.face_count() > 0);
        match self {
            Self::Pieces(pieces) if pieces.iter().all(is_sharp) => Some(pieces),
            _ => None,
        }
    }
}

/// Bounds of an overlap in the near frame.
#[derive(Debug, Clone, Copy)]
struct Local {
    bounds: Option<Aabb>,
    volume: [f64; 2],
}

impl Local {
    const NONE: Self = Self { bounds: None, volume: [0.0; 2] };

    /// Both hold.
    fn and(self, other: &Self) -> Self {
        let Some(bounds) = self.bounds.zip(other.bounds).and_then(|(a, b)| a.meet(&b)) else { return Self::NONE };
        let [lower, upper] = [self.volume[0].max(other.volume[0]), self.volume[1].min(other.volume[1])];
        Self { bounds: Some(bounds), volume: [lower, upper] }
    }

    fn in_world(self, frames: &Frames) -> Overlap {
        let Some(bounds) = self.bounds else { return Overlap::NONE };
        let placed = bounds.moved(frames.origin);
        Overlap { bounds: Some([placed.low, placed.high]), volume: self.volume }
    }
}

/// Bounds the overlap of two bodies, each at the pose of its recentred frame. `budget`: most cells
/// of an octree that are tested.
///
/// - *Convex pieces without radius* are clipped by each other. For two pieces the bracket is narrow
///   to rounding. For unions the upper end is the sum over all pairs of pieces, and the lower end
///   is the larger of the largest pair and the sum less all triple intersections (Bonferroni). A
///   bracket that is wider than a thousandth is tightened by the octree.
/// - *Other bodies* are bounded by an octree. The width falls with the square of the side of the
///   cells, which is about the inverse of `budget`; where pieces with radii abut, and at edges of
///   meshes, it falls more slowly.
/// - *Meshes that are not solid* have a volume between 0 and the volume of the common box.
///
/// A body without volume (points, segments and polygons without radius) has an overlap of volume 0.
/// Nothing is known if a pose is not finite, its quaternion is 0, a radius is negative or not a
/// number, or a length overflows: the box is then the whole space, and the volume `[0, inf]`. A
/// pair whose size is not between 2^-240 m and 2^240 m has a volume between 0 and the volume of the
/// common box.
///
/// Cost: clipping takes time proportional to the faces of one piece times those of the other, and
/// more for the cuts (1 to 3 ms for 50 vertices each); the octree takes 2 to 20 microseconds a
/// cell.
pub fn overlap(a: Solid<'_>, b: Solid<'_>, pose_a: &Pose, pose_b: &Pose, budget: usize) -> Overlap {
    let Some(frames) = Frames::new([&a, &b], [pose_a, pose_b]) else { return Overlap::UNKNOWN };
    let Some(common) = a.bounds(&frames, 0).zip(b.bounds(&frames, 1)).and_then(|(a, b)| a.meet(&b)) else {
        return Overlap::NONE;
    };
    let by_box = Local { bounds: Some(common), volume: [0.0, common.volume()] };
    if !frames.has_range {
        return by_box.in_world(&frames);
    }
    let sharp = a.sharp_pieces().zip(b.sharp_pieces()).map(|(a, b)| by_box.and(&pairs::of_unions(&frames, [a, b])));
    if let Some(found) = sharp {
        return tightened(found, [a, b], &frames, budget).in_world(&frames);
    }
    if hulls_are_apart([&a, &b], &frames) {
        return Overlap::NONE;
    }
    let Some((region_a, region_b)) = a.region(&frames, 0).zip(b.region(&frames, 1)) else {
        return by_box.in_world(&frames);
    };
    cells::search([&region_a, &region_b], &common, frames.unit, budget).in_world(&frames)
}

/// Tightens a bracket of unions of pieces by the octree, if it is wide.
fn tightened(found: Local, bodies: [Solid<'_>; 2], frames: &Frames, budget: usize) -> Local {
    let Some(root) = found.bounds else { return found };
    let is_wide = found.volume[1] - found.volume[0] > WIDE * found.volume[1] && found.volume[1] > WIDE * root.volume();
    let are_convex = bodies.iter().all(|body| matches!(body, Solid::Pieces([_])));
    if !is_wide || are_convex || budget == 0 {
        return found;
    }
    match bodies[0].region(frames, 0).zip(bodies[1].region(frames, 1)) {
        Some((a, b)) => found.and(&cells::search([&a, &b], &root, frames.unit, budget)),
        None => found,
    }
}

/// Whether all hulls of A are proven apart from all hulls of B.
fn hulls_are_apart([a, b]: [&Solid<'_>; 2], frames: &Frames) -> bool {
    let (of_a, of_b) = (a.hulls(frames, 0), b.hulls(frames, 1));
    let margin = SEPARATED * frames.unit;
    let around = |hull: &[Vec3<f64>], growth: f64| Aabb::around(hull.iter().copied(), growth + margin);
    of_a.iter().enumerate().all(|(i, hull)| {
        let bounds = around(hull, a.growth(i));
        of_b.iter().enumerate().all(|(j, other)| {
            let is_beside = bounds.meet(&around(other, b.growth(j))).is_none();
            is_beside || separation::are_apart(hull, other, a.growth(i) + b.growth(j), margin)
        })
    })
}
