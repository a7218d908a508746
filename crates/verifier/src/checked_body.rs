//! A body of the scene as the verifier understands it: by its stored vertices, triangles and
//! parameters of round shapes.

use clearsweep_geometry::round::{Cap, Section as StoredSection, Sector};
use clearsweep_geometry::{Inside, Polyhedron, RoundBody, Vec3};
use clearsweep_model::Shape;

use crate::ConvexCore;
use crate::oracle::number::{Number, Vector, dot, norm};
use crate::oracle::round::sets::{Affine, Convex, Set};
use crate::oracle::round::sweep::{Section, Sweep};
use crate::oracle::round::union::{Piece, Union};
use crate::oracle::soup::Body as Soup;
use crate::placement::Placement;

/// Most triangles of a mesh beside a round body: branch and bound compares them one by one.
const MOST_BESIDE_ROUND: usize = 2_000;

/// The kind of geometry of a body.
pub enum Parts {
    /// Convex cores with their radii.
    Cores(Vec<ConvexCore>),
    /// Triangles.
    Mesh,
    /// Round pieces, and cores beside them.
    Round,
}

/// A body, in the frame in which the scene stores it.
pub struct CheckedBody {
    /// Its kind of geometry.
    pub parts: Parts,
    /// Radius by which triangles are inflated, metres.
    pub growth: f64,
    /// Bound on the distance between the true and the stored surface, metres.
    pub deviation: f64,
    /// Whether pieces stand for a solid that they may fill.
    pub is_decomposition: bool,
    /// Whether the winding number decides what is inside.
    pub is_open: bool,
    /// Largest distance of a point of the inflated body from the origin, metres.
    pub reach: f64,
    /// Least and greatest coordinates, without growth, metres.
    pub bounds: [Vector<f64>; 2],
    /// The largest radius of a piece, metres.
    pub radius: f64,
    /// A convex core around all of the body.
    pub hull: ConvexCore,
    /// Triangles with their radii: one surface for a mesh, one for each core.
    surfaces: std::sync::OnceLock<Option<Vec<Soup>>>,
    /// The body beside a round one.
    union: std::sync::OnceLock<Option<Union>>,
    shape: std::sync::Arc<Shape>,
}

/// A middle in the world, and how far a body reaches from it, metres.
pub type Ball = (Vector<f64>, f64);

/// Lower bound on the distance of two bodies by the balls around them, metres.
pub fn gap_of_balls([(p, r), (q, s)]: [&Ball; 2]) -> f64 {
    let square: f64 = (0..3).map(|k: usize| (p[k] - q[k]).powi(2)).sum();
    square.sqrt() * (1.0 - 1e-12) - r - s
}

fn points(core: &Polyhedron) -> Vec<Vector<f64>> {
    (0..core.count).map(|k| [core.x[k], core.y[k], core.z[k]]).collect()
}

impl CheckedBody {
    /// Creates the body of a shape.
    pub fn new(shape: &std::sync::Arc<Shape>) -> Self {
        let cores = || shape.pieces.iter().map(|piece| ConvexCore::new(points(&piece.core), piece.radius)).collect();
        let parts = match () {
            () if shape.mesh.is_some() => Parts::Mesh,
            () if shape.pieces.iter().any(|piece| piece.core.round.is_some()) => Parts::Round,
            () => Parts::Cores(cores()),
        };
        let all: Vec<Vector<f64>> = match &shape.mesh {
            Some(mesh) => mesh.vertices().iter().map(|v| v.to_array()).collect(),
            // The polyhedra of round bodies lie around them.
            None => shape.pieces.iter().flat_map(|piece| points(&piece.core)).collect(),
        };
        let radius = shape.pieces.iter().fold(0.0_f64, |most, piece| most.max(piece.radius));
        let end = |k: usize, sign: f64| all.iter().map(|p| sign * p[k]).fold(f64::NEG_INFINITY, f64::max) * sign;
        Self {
            parts,
            growth: shape.hull().radius,
            deviation: shape.deviation,
            is_decomposition: shape.decomposition_deviation.is_some(),
            is_open: shape.inside() == Inside::Winding,
            reach: all.iter().map(|&p| norm(p)).fold(0.0, f64::max) + radius,
            bounds: [[0, 1, 2].map(|k| end(k, -1.0)), [0, 1, 2].map(|k| end(k, 1.0))],
            radius,
            hull: ConvexCore::new(all, radius),
            surfaces: std::sync::OnceLock::new(),
            union: std::sync::OnceLock::new(),
            shape: std::sync::Arc::clone(shape),
        }
    }

    /// Whether it is one convex core.
    pub fn is_convex(&self) -> bool {
        match &self.parts {
            Parts::Cores(cores) => cores.len() == 1,
            Parts::Mesh => false,
            Parts::Round => self.union().is_some_and(Union::is_convex),
        }
    }

    /// The ball around the body at a placement: about the middle of its box.
    pub fn ball(&self, place: &Placement) -> Ball {
        let [low, high] = self.bounds;
        let own: [f64; 3] = [0, 1, 2].map(|k: usize| 0.5 * (low[k] + high[k]));
        let half: f64 = (0..3).map(|k: usize| (0.5 * (high[k] - low[k])).powi(2)).sum::<f64>().sqrt();
        let columns = place.columns();
        let middle = [0, 1, 2].map(|k: usize| {
            place.position[k] + (0..3).map(|m| columns[m][k].value() * own[m]).sum::<f64>() + place.rest[k]
        });
        let far = place.position.iter().fold(0.0_f64, |most, c| most.max(c.abs()));
        (middle, (half + self.radius + self.deviation) * (1.0 + 1e-12) + 1e-14 * (far + self.reach))
    }

    /// Height of the inflated body along a unit direction, metres, in `f64`.
    pub fn height(&self, d: Vector<f64>) -> f64 {
        let top = |points: &[Vector<f64>]| points.iter().map(|&p| dot(d, p)).fold(f64::NEG_INFINITY, f64::max);
        match &self.parts {
            Parts::Cores(cores) => {
                cores.iter().map(|core| top(&core.points) + core.growth).fold(f64::NEG_INFINITY, f64::max)
            }
            Parts::Mesh => {
                let mesh = self.shape.mesh.as_ref();
                let heights = mesh.iter().flat_map(|mesh| mesh.vertices()).map(|v| dot(d, v.to_array()));
                heights.fold(f64::NEG_INFINITY, f64::max) + self.growth
            }
            Parts::Round => self.union().map_or(self.reach, |union| union.height(d)),
        }
    }

    /// Triangles; `None` for a round body, or if the hull of a piece is not found.
    pub fn surfaces(&self) -> Option<&[Soup]> {
        self.surfaces.get_or_init(|| self.find_surfaces()).as_deref()
    }

    fn find_surfaces(&self) -> Option<Vec<Soup>> {
        match &self.parts {
            Parts::Round => None,
            Parts::Mesh => {
                let mesh = self.shape.mesh.as_ref()?;
                let points = mesh.vertices().iter().map(|v| v.to_array()).collect();
                let triangles = mesh.triangles().iter().map(|t| t.map(|v| v as usize)).collect();
                let soup = Soup::surface(points, triangles, mesh.is_solid());
                Some(vec![Soup { growth: self.growth, ..soup }])
            }
            Parts::Cores(cores) => {
                let soup = |core: &ConvexCore| {
                    let hull = core.try_hull()?;
                    let fan = |c: &[usize]| (1..c.len() - 1).map(|k| [c[0], c[k], c[k + 1]]).collect::<Vec<_>>();
                    let soup = match hull.facets.len() {
                        0 => match hull.edges.first() {
                            Some(edge) => Soup::flat(edge.ends.map(|k| core.points[k]).to_vec()),
                            None => Soup::flat(core.points[..1].to_vec()),
                        },
                        2 => Soup::surface(core.points.clone(), fan(&hull.facets[0].corners), false),
                        _ => {
                            let triangles = hull.facets.iter().flat_map(|f| fan(&f.corners)).collect();
                            Soup::surface(core.points.clone(), triangles, true)
                        }
                    };
                    Some(Soup { growth: core.growth, is_convex: true, ..soup })
                };
                cores.iter().map(soup).collect()
            }
        }
    }

    /// The body as pieces beside a round one; `None` for a mesh of many triangles.
    pub fn union(&self) -> Option<&Union> {
        self.union.get_or_init(|| self.find_union()).as_ref()
    }

    fn find_union(&self) -> Option<Union> {
        let of = |points: Vec<Vector<f64>>, growth| Piece::Convex(Convex::new(vec![Set::Points(points)], growth));
        if let Some(mesh) = &self.shape.mesh {
            let corners = |t: &[u32; 3]| t.map(|v| mesh.vertices()[v as usize].to_array()).to_vec();
            let pieces = || mesh.triangles().iter().map(|t| of(corners(t), self.growth)).collect();
            return (mesh.triangles().len() <= MOST_BESIDE_ROUND).then(|| Union::new(pieces()));
        }
        let pieces = self.shape.pieces.iter().map(|piece| match &piece.core.round {
            Some(round) => of_round(&round.body, piece.radius),
            None => Some(of(points(&piece.core), piece.radius)),
        });
        Some(Union::new(pieces.collect::<Option<_>>()?))
    }
}

/// A round body by its declared parameters; `None` for an inflated torus: it has no such set.
fn of_round(body: &RoundBody, growth: f64) -> Option<Piece> {
    match body {
        RoundBody::Caps { caps, .. } => Some(Piece::Convex(Convex::new(caps.iter().map(of_cap).collect(), growth))),
        RoundBody::Sector(sector) => (growth == 0.0).then(|| Piece::Sweep(of_sector(sector))),
    }
}

fn affine(middle: Vec3<f64>, axes: [Vec3<f64>; 3]) -> Affine {
    Affine { columns: axes.map(Vec3::to_array), shift: middle.to_array() }
}

/// The part of the unit ball with `z >= 1 - height`; z counts from the plane of the rim up to half
/// a ball, from the middle of the ball beyond.
fn of_cap(cap: &Cap) -> Set {
    let map = affine(cap.middle, cap.axes);
    let [x, y, z] = cap.axes.map(Vec3::to_array);
    let rim = (cap.height * (2.0 - cap.height)).max(0.0).sqrt();
    match () {
        () if cap.height >= 2.0 => Set::Ellipsoid { middle: map.shift, half: [x, y, z] },
        () if cap.is_flat() => Set::Ellipse { middle: map.shift, half: [x, y] },
        () if cap.height == 1.0 => Set::Bowl { radius: 1.0, height: 1.0, map },
        () if cap.height < 1.0 => Set::Dome { radius: rim, height: cap.height, map },
        () => Set::Dome {
            radius: rim,
            height: cap.height,
            map: Affine { shift: map.point([0.0, 0.0, 1.0 - cap.height]), ..map },
        },
    }
}

/// The sector turned back by the angle at which it begins.
fn of_sector(sector: &Sector) -> Sweep {
    let [cos, sin] = sector.from;
    let [x, y, z] = sector.axes.map(Vec3::to_array);
    let mix = |p: f64, q: f64| [0, 1, 2].map(|k: usize| p * x[k] + q * y[k]);
    let map = Affine { columns: [mix(cos, sin), mix(-sin, cos), z], shift: sector.middle.to_array() };
    let turn = |a: [f64; 2], b: [f64; 2]| libm::atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]);
    let section = match sector.section {
        StoredSection::Disc { arc, radius } => Section::Disc { arc, radius },
        StoredSection::Rectangle { inner, outer, half_height } => Section::Rectangle { inner, outer, half_height },
    };
    Sweep { section, angle: turn(sector.from, sector.to), map }
}
