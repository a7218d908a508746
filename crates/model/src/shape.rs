//! Shapes: the geometry of bodies, in metres.

use crate::between::Pivot;
use clearsweep_geometry::lazy::Lazy;
use clearsweep_geometry::pose::Recentring;
use clearsweep_geometry::triangle_tree::bounds;
use clearsweep_geometry::{Inside, LazyPieceTree, LazySurface, PieceTree, Polyhedron, TriangleMesh, Vec3};
use std::sync::Arc;

/// How the geometry of a body is understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Model {
    /// One convex hull.
    Hull,
    /// Several pieces, each of them convex as it is.
    Pieces,
    /// Several pieces, each of them replaced by its convex hull.
    PieceHulls,
    /// Convex pieces found by a decomposition of a solid mesh, with their proven deviation from it.
    Decomposition,
    /// The exact triangles.
    Mesh,
}

impl Model {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Hull, Self::Pieces, Self::PieceHulls, Self::Decomposition, Self::Mesh];

    /// The word of the scene file and of `bodies.parquet`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hull => "hull",
            Self::Pieces => "pieces",
            Self::PieceHulls => "piece-hulls",
            Self::Decomposition => "decomposition",
            Self::Mesh => "mesh",
        }
    }
}

/// A convex piece: a core, and a radius by which it is inflated (metres; spheres, capsules,
/// `offset`).
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// The polyhedron, in the body's recentred frame.
    pub core: Polyhedron,
    /// Growth, metres.
    pub radius: f64,
}

/// How the convex hull of a mesh fits the mesh; of several pieces, their hulls the pieces. `offset`
/// is left aside.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HullFit {
    /// No point of the surface of the hull is farther from the triangles, metres: a proven upper
    /// bound, rounding included. Of pieces, the largest.
    pub excess: f64,
    /// Whether the mesh is convex: the triangles and the surface of the hull are within 1e-6 of the
    /// size (the diagonal of the box of the body) from each other. Of pieces, whether all are.
    pub convex: bool,
    /// Volume of the hull, cubic metres. Of pieces, the sum.
    pub hull_volume: f64,
    /// Volume that the triangles enclose, cubic metres; `None` where they do not close up. Of
    /// pieces, the sum.
    pub mesh_volume: Option<f64>,
}

/// The defects found in the triangles of a mesh body, and the changes made to them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MeshCondition {
    /// Vertices of the file at the position of an earlier one, or so near to it that this closes a
    /// crack, of which that one is used instead.
    pub welded_vertices: u64,
    /// How far vertices were moved to close cracks, at most, metres; 0 where none was. A part of
    /// the deviation of the body.
    pub weld_shift: f64,
    /// Triangles of polygons that are not flat.
    pub warped_triangles: u64,
    /// How far any other way to cut these polygons may be off, at most, metres. A part of the
    /// deviation of the body.
    pub polygon_warp: f64,
    /// Positions that no triangle with an area uses, and that are no part of the body.
    pub unused_vertices: u64,
    /// Triangles without an area, left out: equal or collinear corners.
    pub degenerate_triangles: u64,
    /// Triangles with the vertices of an earlier one in the same direction, left out.
    pub duplicate_triangles: u64,
    /// Triangles that were turned so that all of a solid mesh are oriented outward.
    pub turned_triangles: u64,
    /// Edges of one triangle only.
    pub boundary_edges: u64,
    /// Edges of more than two triangles.
    pub nonmanifold_edges: u64,
    /// Connected components: triangles are connected where they share an edge.
    pub components: u64,
    /// Pairs of triangles that touch or cross each other: they have a point in common that is no
    /// common vertex and on no common edge. Decided exactly, of the triangles that are left.
    pub self_contacts: u64,
    /// Counting them ended early, at a bound of its work: there are at least so many.
    pub self_contacts_at_least: bool,
    /// The volume that the triangles enclose, cubic metres. `None`: inside and outside are not
    /// known, as the triangles do not close up, do not agree on a direction, or enclose nothing.
    pub volume: Option<f64>,
}

impl MeshCondition {
    /// Whether inside and outside are known.
    pub fn is_solid(&self) -> bool {
        self.volume.is_some()
    }
}

/// Pieces of different radii: their surface beside a mesh, which has one growth.
#[derive(Debug, Clone, PartialEq)]
pub struct UnevenGrowth {
    /// The least radius of a piece, metres.
    pub growth: f64,
    /// Polyhedra around the pieces, less that growth, in the body's recentred frame, and the hull
    /// of them all.
    pub outer: Vec<Polyhedron>,
    /// See `outer`.
    pub hull: Polyhedron,
    /// No point of them, grown, is farther from its piece than this, metres.
    pub excess: f64,
}

/// The geometry of a body, shared between bodies of the same file.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// How it is understood.
    pub model: Model,
    /// The convex pieces; at least one. Of a mesh one, its hull.
    #[doc(hidden)]
    pub pieces: Vec<Piece>,
    /// The hull of all pieces (its radius is the largest of theirs); `None` where there is one
    /// piece: it is the hull. In a box, as most bodies of a plant have none.
    #[doc(hidden)]
    pub hull: Option<Box<Piece>>,
    /// The recentred origin in the body's own frame, metres.
    pub center: Vec3<f64>,
    /// The centre of the box around the geometry along the axes of the body's own frame, in the
    /// recentred frame, metres: half the sum of the least and the greatest coordinate along each
    /// axis, rounded to `f64`.
    #[doc(hidden)]
    pub middle: Vec3<f64>,
    /// Largest distance of a point from the recentred origin, growth included, rounded up, metres.
    pub radius: f64,
    /// How far the true surface may lie from the geometry, inflated by `offset`, at most: 0 or
    /// more, metres.
    pub deviation: f64,
    /// Measured part of the `deviation` of a decomposition, metres; `None` for all others. No point
    /// of the solid is farther from the pieces than this, and no point of a piece farther from the
    /// solid.
    pub decomposition_deviation: Option<f64>,
    /// The surface of pieces of different radii; `None` of one radius, or of a mesh.
    #[doc(hidden)]
    pub uneven: Option<Arc<UnevenGrowth>>,
    /// Vertices of the file (or shape) as read.
    pub vertices: u64,
    /// Triangles of the file as read (of the hull, for shapes).
    pub triangles: u64,
    /// The largest rounding step of the coordinates as the file stores them, metres; 0 if they are
    /// `f64` or decimal text.
    pub coordinate_step: f64,
    /// Whether the triangles close up; `None` where there is no mesh.
    pub watertight: Option<bool>,
    /// How the hull fits the mesh; `None` where no hull stands for a mesh.
    pub fit: Option<HullFit>,
    /// The exact triangles of a mesh body, without growth; `None` for all others.
    #[doc(hidden)]
    pub mesh: Option<Arc<TriangleMesh>>,
    /// Faces of a body that is no mesh: see `Shape::surface`.
    #[doc(hidden)]
    pub faces: LazySurface,
    /// See `Shape::piece_tree`.
    #[doc(hidden)]
    pub tree: LazyPieceTree,
    /// See `convex_parts`.
    #[doc(hidden)]
    pub parts: LazyParts,
    /// The condition of the triangles of a mesh body or a decomposition; `None` for all others.
    #[doc(hidden)]
    pub condition: Option<MeshCondition>,
}

/// The convex pieces that a mesh is exactly, once they are asked for; `None` of a mesh that does
/// not split into few.
pub type LazyParts = Lazy<Option<Shape>>;

/// How far off a recentred body may be, in radii of its smallest piece: there the last place of an
/// `f64` is its diameter (docs/reference/numerics.md).
const FARTHEST: f64 = (1_u64 << 53) as f64;

impl Shape {
    /// Returns the place of the recentred frame in the body's own.
    #[doc(hidden)]
    pub fn recentring(&self) -> Recentring {
        let radii = self.pieces.iter().map(|piece| piece.core.radius + piece.radius);
        Recentring { center: self.center, reach: FARTHEST * radii.fold(f64::INFINITY, f64::min) }
    }

    /// The convex piece that contains the body: its hull, or its only piece.
    #[doc(hidden)]
    pub fn hull(&self) -> &Piece {
        self.hull.as_deref().unwrap_or(&self.pieces[0])
    }

    /// The convex piece that the body is; `None` of several pieces, or a mesh.
    #[inline(always)]
    #[doc(hidden)]
    pub fn only_piece(&self) -> Option<&Piece> {
        match &self.pieces[..] {
            [piece] if self.mesh.is_none() => Some(piece),
            _ => None,
        }
    }

    /// The surface as triangles, without growth: the mesh, or the faces of all pieces, which are
    /// cut into triangles when first asked for.
    #[doc(hidden)]
    pub fn surface(&self) -> &TriangleMesh {
        match &self.mesh {
            Some(mesh) => mesh,
            None => self.faces.get_or_build(|| match &self.uneven {
                Some(uneven) => TriangleMesh::of_pieces(uneven.outer.iter()),
                None => TriangleMesh::of_pieces(self.pieces.iter().map(|piece| &piece.core)),
            }),
        }
    }

    /// Growth of [`Self::surface`], metres.
    #[doc(hidden)]
    pub fn surface_growth(&self) -> f64 {
        self.uneven.as_ref().map_or_else(|| self.hull().radius, |uneven| uneven.growth)
    }

    /// The hull of [`Self::surface`], without growth.
    #[doc(hidden)]
    pub fn surface_hull(&self) -> &Polyhedron {
        self.uneven.as_ref().map_or_else(|| &self.hull().core, |uneven| &uneven.hull)
    }

    /// How far the surface, grown, may lie outside of the body beside another one, metres: that of
    /// a mesh is compared with it.
    #[doc(hidden)]
    pub fn surface_excess(&self, other: &Self) -> f64 {
        if other.mesh.is_none() {
            return 0.0;
        }
        let uneven = self.uneven.as_ref().map_or(0.0, |uneven| uneven.excess);
        match self.core_excess() {
            0.0 => uneven,
            excess => (uneven + excess).next_up(),
        }
    }

    /// How far the polyhedra of round cores may lie outside of these, metres; 0 without such.
    #[doc(hidden)]
    pub fn core_excess(&self) -> f64 {
        self.pieces.iter().fold(0.0, |most, piece| most.max(piece.core.excess()))
    }

    /// The tree over the pieces, which is built when first asked for.
    #[doc(hidden)]
    pub fn piece_tree(&self) -> &PieceTree {
        self.tree.get_or_build(|| {
            let pieces: Vec<_> = self.pieces.iter().map(|piece| (&piece.core, piece.radius)).collect();
            PieceTree::new(&pieces)
        })
    }

    /// How deep the body may at most be taken to overlap another by the overlap of their stored
    /// geometries, metres. The pieces of a decomposition may fill a hole of the solid, so that only
    /// points within the growth of its surface prove anything.
    #[doc(hidden)]
    pub fn proven_depth(&self, other: &Self) -> f64 {
        match self.decomposition_deviation.or(other.decomposition_deviation) {
            Some(_) => self.hull().radius + other.hull().radius,
            None => f64::INFINITY,
        }
    }

    /// No point of the true surface is farther from the recentred origin, metres: growth and
    /// deviation included, rounded up.
    #[doc(hidden)]
    pub fn reach(&self) -> f64 {
        if self.deviation > 0.0 { (self.radius + self.deviation).next_up() } else { self.radius }
    }

    /// Returns how far the inside of the body is known: convex bodies and pieces are solid.
    pub fn inside(&self) -> Inside {
        self.mesh.as_ref().map_or(Inside::Solid, |mesh| mesh.inside())
    }

    /// Whether a hull stands for a mesh that is not convex: figures of it are of its hull, or of
    /// the hulls of its pieces.
    pub fn is_filled(&self) -> bool {
        self.fit.is_some_and(|fit| !fit.convex)
    }

    /// Side lengths of the box around the body along the axes of its own frame, growth included,
    /// metres.
    pub fn extent(&self) -> [f64; 3] {
        let (low, high) = bounds(self.pieces.iter().flat_map(|piece| piece.core.bounds()));
        [0, 1, 2].map(|k| high[k] - low[k] + 2.0 * self.hull().radius)
    }

    /// The size of the body: the longest side of its box ([`Shape::extent`]), metres.
    pub fn size(&self) -> f64 {
        self.extent().into_iter().fold(0.0, f64::max)
    }
}

impl Pivot {
    /// The pivot of a body of this shape, in its recentred frame, metres.
    pub fn of(self, shape: &Shape) -> Vec3<f64> {
        match self {
            Self::Origin => -shape.center,
            Self::Centre => shape.middle,
        }
    }
}
