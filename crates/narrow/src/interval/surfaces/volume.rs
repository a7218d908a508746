//! Nodes of the tree over a surface, and the convex volumes around them: oriented boxes, and
//! triangles at the leaves.

use clearsweep_geometry::Vec3;
use clearsweep_geometry::mesh::{Child, NodeId, TriangleMesh, WIDTH};
use smallvec::SmallVec;

/// A part of a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SurfaceNode {
    /// The surface as a whole.
    Whole,
    /// The child of an inner node in a lane.
    Child { node: u32, lane: u8 },
    /// A triangle.
    Triangle(u32),
}

/// The parts of a node.
pub(super) type SurfaceNodes = SmallVec<[SurfaceNode; WIDTH]>;

impl SurfaceNode {
    /// That of a whole surface: of a point, a segment or another single triangle that itself.
    pub(super) fn of(mesh: &TriangleMesh) -> Self {
        if mesh.triangles().len() == 1 { Self::Triangle(0) } else { Self::Whole }
    }

    /// Whether it has no parts.
    pub(super) fn is_triangle(self) -> bool {
        matches!(self, Self::Triangle(_))
    }

    /// Its parts; none of a triangle.
    pub(super) fn parts(self, mesh: &TriangleMesh) -> SurfaceNodes {
        match self {
            Self::Whole => parts_of(mesh, mesh.root()),
            Self::Child { node, lane } => parts_of(mesh, mesh.node(node).children[usize::from(lane)]),
            Self::Triangle(_) => SurfaceNodes::new(),
        }
    }

    /// The volume around it, in the mesh's frame.
    pub(super) fn volume(self, mesh: &TriangleMesh) -> ConvexVolume {
        match self {
            Self::Whole => {
                let half = mesh.extent();
                let sides = [Vec3::new(half.x, 0.0, 0.0), Vec3::new(0.0, half.y, 0.0), Vec3::new(0.0, 0.0, half.z)];
                ConvexVolume::of_box(mesh.middle(), sides, half.length())
            }
            Self::Child { node, lane } => {
                let (node, lane) = (mesh.node(node), usize::from(lane));
                let (middle, sides) = node.oriented_box(lane);
                ConvexVolume::of_box(middle, sides, node.ball(lane).1)
            }
            Self::Triangle(triangle) => ConvexVolume::of_triangle(mesh.corners(triangle)),
        }
    }
}

fn parts_of(mesh: &TriangleMesh, node: NodeId) -> SurfaceNodes {
    match node.get() {
        Child::Inner(node) => (0..mesh.node(node).count).map(|lane| SurfaceNode::Child { node, lane }).collect(),
        Child::Leaf(leaf) => mesh.leaf(leaf).map(SurfaceNode::Triangle).collect(),
    }
}

#[derive(Debug, Clone, Copy)]
enum VolumeShape {
    /// Vectors from the middle to the middles of three sides, metres.
    Sides([Vec3<f64>; 3]),
    /// The corners.
    Corners([Vec3<f64>; 3]),
}

/// A box or a triangle, in the frame of its mesh, metres.
#[derive(Debug, Clone, Copy)]
pub(super) struct ConvexVolume {
    pub(super) middle: Vec3<f64>,
    /// Radius of a ball around the middle, metres.
    pub(super) radius: f64,
    shape: VolumeShape,
}

impl ConvexVolume {
    fn of_box(middle: Vec3<f64>, sides: [Vec3<f64>; 3], radius: f64) -> Self {
        Self { middle, radius, shape: VolumeShape::Sides(sides) }
    }

    pub(super) fn of_triangle(corners: [Vec3<f64>; 3]) -> Self {
        let middle = (corners[0] + corners[1] + corners[2]).scale(1.0 / 3.0);
        let radius = corners.iter().map(|&corner| (corner - middle).length()).fold(0.0, f64::max);
        Self { middle, radius, shape: VolumeShape::Corners(corners) }
    }

    /// The corners, if it is a triangle.
    pub(super) fn corners(&self) -> Option<&[Vec3<f64>; 3]> {
        match &self.shape {
            VolumeShape::Corners(corners) => Some(corners),
            VolumeShape::Sides(_) => None,
        }
    }

    /// Returns its largest height along a direction, metres from the origin of the frame.
    #[inline]
    pub(super) fn height(&self, along: Vec3<f64>) -> f64 {
        match &self.shape {
            VolumeShape::Sides([x, y, z]) => {
                self.middle.dot(along) + (x.dot(along).abs() + y.dot(along).abs() + z.dot(along).abs())
            }
            VolumeShape::Corners([p, q, r]) => p.dot(along).max(q.dot(along)).max(r.dot(along)),
        }
    }

    /// Returns its width along a direction, metres.
    pub(super) fn width(&self, along: Vec3<f64>) -> f64 {
        self.height(along) + self.height(-along)
    }

    /// The direction in which it is thinnest, not of unit length; zero if it has none.
    pub(super) fn thin(&self) -> Vec3<f64> {
        match &self.shape {
            VolumeShape::Corners([p, q, r]) => (*q - *p).cross(*r - *p),
            VolumeShape::Sides(sides) => {
                let lengths = sides.map(|side| side.length2());
                // At right angles to the others, since a side may have no length.
                let least = (0..3).fold(0, |least, k| if lengths[k] < lengths[least] { k } else { least });
                sides[(least + 1) % 3].cross(sides[(least + 2) % 3])
            }
        }
    }
}
