//! Two bodies that hold a body between them that grows by a disk: of one the disk is a regular
//! polygon around it, of the other one inside it.

use super::super::line::{LineOfMotion, UNIT};
use clearsweep_geometry::hull::convex_hull;
use clearsweep_geometry::{LazyPieceTree, LazySurface, Vec3};
use clearsweep_model::{LazyParts, Model, Piece, Shape};
use std::f64::consts::{PI, TAU};

/// Corners of the polygons; a multiple of 4. The outer one reaches 0.5 % of the radius farther than
/// the inner one.
pub(super) const CORNERS: usize = 32;

/// Units of the radius by which a corner may be off its place (docs/reference/numerics.md).
const CORNER: f64 = 128.0;

/// Units of the size of a body by which the sum of a vertex and a corner may be off.
const SUM: f64 = 4.0;

/// The direction that a disk lies across, in the frame of the body that grows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Across {
    /// Unit, computed.
    along: Vec3<f64>,
    /// The axis of the frame that the exact direction is parallel to, if it is to one.
    axis: Option<usize>,
}

impl Across {
    /// The direction in A's frame, against that of B on the line. `direction`: of the world, of any
    /// length.
    pub(super) fn new(line: &LineOfMotion, direction: Vec3<f64>) -> Self {
        match kept_axis(line.pose_a.q, direction.to_array()) {
            Some(axis) => {
                Self { along: Vec3::from([0, 1, 2].map(|k| f64::from(u8::from(k == axis)))), axis: Some(axis) }
            }
            None => Self { along: -line.along, axis: None },
        }
    }

    /// Two unit vectors across the direction, orthogonal to each other.
    fn sides(&self) -> [Vec3<f64>; 2] {
        let unit = |axis: usize| Vec3::from([0, 1, 2].map(|k| f64::from(u8::from(k == axis % 3))));
        if let Some(axis) = self.axis {
            return [unit(axis + 1), unit(axis + 2)];
        }
        let sizes = self.along.to_array().map(f64::abs);
        let least = (0..3).fold(0, |least, k| if sizes[k] < sizes[least] { k } else { least });
        let side = self.along.cross(unit(least)).normalized();
        [side, self.along.cross(side)]
    }

    /// The corners of a regular polygon around the origin across the direction, moved by `forward`
    /// along it, metres.
    fn polygon(&self, radius: f64, forward: f64) -> [Vec3<f64>; CORNERS] {
        let [u, v] = self.sides();
        let middle = if forward == 0.0 { Vec3::ZERO } else { self.along.scale(forward) };
        std::array::from_fn(|k| {
            let [cosine, sine] = on_circle(k);
            u.scale(radius * cosine) + v.scale(radius * sine) + middle
        })
    }
}

/// The axis of the world that a direction is parallel to, if a rotation leaves it parallel to the
/// same axis of the body: exactly.
fn kept_axis([w, x, y, z]: [f64; 4], direction: [f64; 3]) -> Option<usize> {
    let is_only = |list: [f64; 3], axis: usize| (0..3).all(|k| k == axis || list[k] == 0.0);
    let axis = (0..3).find(|&axis| direction[axis] != 0.0 && is_only(direction, axis))?;
    let turn = [x, y, z];
    // A turn about the axis, or half a turn about an axis across it.
    (is_only(turn, axis) || (w == 0.0 && turn[axis] == 0.0)).then_some(axis)
}

/// Cosine and sine of `k` parts of a full turn, symmetric in all octants.
fn on_circle(k: usize) -> [f64; 2] {
    let quarter = CORNERS / 4;
    let part = |k: usize| libm::sincos(TAU * (k as f64 / CORNERS as f64));
    let rest = k % quarter;
    let [cosine, sine] = if 2 * rest > quarter {
        let (sine, cosine) = part(quarter - rest);
        [sine, cosine]
    } else {
        let (sine, cosine) = part(rest);
        [cosine, sine]
    };
    match k / quarter {
        0 => [cosine, sine],
        1 => [-sine, cosine],
        2 => [-cosine, -sine],
        _ => [sine, -cosine],
    }
}

/// A body that grew by a disk, held between two.
#[derive(Debug)]
pub(super) struct GrownBody {
    key: Key,
    /// Bodies whose union contains the grown body.
    pub(super) outer: Vec<Shape>,
    /// Bodies whose union is contained in the grown body, but for `forward`.
    pub(super) inner: Vec<Shape>,
    /// Each point of the inner body is a point of the grown body moved by up to this along the
    /// direction, metres.
    pub(super) forward: f64,
}

/// The terms of a grown body, but for the radius of the disk.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Key {
    /// Numbers of the hull, of the first piece and of the mesh.
    identities: [u64; 3],
    pieces: usize,
    growth: f64,
    deviation: f64,
    across: Across,
}

impl Key {
    fn new(body: &Shape, across: Across) -> Self {
        Self {
            identities: [
                body.hull().core.identity(),
                body.pieces[0].core.identity(),
                body.mesh.as_ref().map_or(0, |mesh| mesh.identity()),
            ],
            pieces: body.pieces.len(),
            growth: body.surface_growth(),
            deviation: body.deviation,
            across,
        }
    }
}

impl GrownBody {
    /// `radius`: of the disk, metres; `None` if it is not positive and finite, or coordinates are
    /// too large or too small for a hull.
    pub(super) fn new(body: &Shape, across: Across, radius: f64) -> Option<Self> {
        if !(radius > 0.0 && radius.is_finite()) {
            return None;
        }
        let key = Key::new(body, across);
        let around = radius / libm::cos(PI / CORNERS as f64);
        let off = UNIT * (CORNER * around + SUM * body.hull().core.radius);
        if radius <= off {
            // A ball contains the disk.
            let outer = grown(body, &[Vec3::ZERO], (off + off).next_up())?;
            return Some(Self { key, outer, inner: vec![body.clone()], forward: 0.0 });
        }
        let forward = if across.axis.is_some() { 0.0 } else { off };
        let outer = grown(body, &across.polygon(around, 0.0), off.next_up())?;
        let inner = grown(body, &across.polygon(radius - off, forward), 0.0)?;
        Some(Self { key, outer, inner, forward: 2.0 * forward })
    }

    /// Whether it is that of a body, across a direction.
    pub(super) fn is_of(&self, body: &Shape, across: Across) -> bool {
        self.key == Key::new(body, across)
    }
}

/// The body whose pieces are the hulls of the sums of vertices and corners, inflated by `by`
/// (metres) beyond their own growth. The pieces of a mesh are its triangles. Solid pieces and flat
/// ones are two bodies: a surface has an inside only if all of its pieces have one.
fn grown(body: &Shape, corners: &[Vec3<f64>], by: f64) -> Option<Vec<Shape>> {
    let piece = |vertices: &mut dyn Iterator<Item = Vec3<f64>>, growth: f64| {
        let points = vertices.flat_map(|vertex| corners.iter().map(move |&corner| vertex + corner)).collect();
        hull_of(points, body.center, if by > 0.0 { (growth + by).next_up() } else { growth })
    };
    let pieces: Vec<Piece> = match &body.mesh {
        Some(mesh) => {
            let growth = body.hull().radius;
            let triangles = 0..mesh.triangles().len() as u32;
            triangles.map(|t| piece(&mut mesh.corners(t).into_iter(), growth)).collect::<Option<_>>()?
        }
        None => body.pieces.iter().map(|old| piece(&mut vertices(old), old.radius)).collect::<Option<_>>()?,
    };
    let (solid, flat): (Vec<_>, Vec<_>) = pieces.into_iter().partition(|piece| piece.core.dimension == 3);
    [solid, flat].into_iter().filter(|pieces| !pieces.is_empty()).map(|pieces| of_pieces(body, pieces)).collect()
}

/// The vertices of a piece.
fn vertices(piece: &Piece) -> impl Iterator<Item = Vec3<f64>> + '_ {
    (0..piece.core.count as u32).map(|v| piece.core.vertex(v))
}

/// The hull of points, inflated by a radius, metres.
fn hull_of(points: Vec<Vec3<f64>>, center: Vec3<f64>, radius: f64) -> Option<Piece> {
    let core = convex_hull(&points).ok()?.recentred(center, radius);
    Some(Piece { core, radius })
}

/// A body of other pieces in the frame of one, known as well as it.
fn of_pieces(body: &Shape, pieces: Vec<Piece>) -> Option<Shape> {
    let growth = pieces.iter().fold(0.0, |most: f64, piece| most.max(piece.radius));
    let hull = match &pieces[..] {
        [_] => None,
        _ => Some(Box::new(hull_of(pieces.iter().flat_map(vertices).collect(), body.center, growth)?)),
    };
    let outermost = |most: f64, piece: &Piece| most.max((piece.core.radius + piece.radius).next_up());
    let radius = pieces.iter().chain(hull.as_deref()).fold(0.0, outermost);
    Some(Shape {
        model: if hull.is_some() { Model::Pieces } else { Model::Hull },
        pieces,
        hull,
        center: body.center,
        middle: body.middle,
        radius,
        // In place of a round core, the polyhedron around it is inflated.
        deviation: body.deviation + body.core_excess(),
        decomposition_deviation: body.decomposition_deviation,
        uneven: None,
        vertices: body.vertices,
        triangles: body.triangles,
        coordinate_step: body.coordinate_step,
        watertight: None,
        fit: None,
        mesh: None,
        faces: LazySurface::default(),
        tree: LazyPieceTree::default(),
        parts: LazyParts::default(),
        condition: None,
    })
}
