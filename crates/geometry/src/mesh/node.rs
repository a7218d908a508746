//! The nodes of the tree: eight boxes in the axes of their node.

use crate::Vec3;

/// Children of a node, and triangles of a leaf, at most.
pub const WIDTH: usize = 8;

/// Triangles of a leaf, at most.
pub(super) const LEAF_TRIANGLES: usize = WIDTH;

/// An inner node or a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

/// The node or leaf that a [`NodeId`] names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Child {
    /// An inner node.
    Inner(u32),
    /// A leaf.
    Leaf(u32),
}

/// The bit that tells leaves from inner nodes.
const LEAF: u32 = 1 << 31;

impl NodeId {
    /// An inner node.
    pub fn inner(index: u32) -> Self {
        Self(index)
    }

    /// A leaf.
    pub fn leaf(index: u32) -> Self {
        Self(index | LEAF)
    }

    /// Returns the inner node or the leaf.
    #[inline(always)]
    pub fn get(self) -> Child {
        if self.0 & LEAF == 0 { Child::Inner(self.0) } else { Child::Leaf(self.0 & !LEAF) }
    }

    /// Returns its number in a list in which `nodes` other nodes and `leaves` other leaves come
    /// before it.
    pub fn moved(self, nodes: u32, leaves: u32) -> Self {
        match self.get() {
            Child::Inner(index) => Self::inner(index + nodes),
            Child::Leaf(index) => Self::leaf(index + leaves),
        }
    }

    /// Whether it is a leaf.
    #[inline(always)]
    pub fn is_leaf(self) -> bool {
        self.0 & LEAF != 0
    }
}

/// Oriented boxes around the triangles of up to eight children, side by side (Gottschalk, Lin,
/// Manocha 1996).
#[derive(Debug, Clone, PartialEq)]
pub struct MeshNode {
    /// Point that the centres are measured from, metres in the mesh's frame.
    pub origin: Vec3<f64>,
    /// Centre of each child's box less `origin`, by coordinate, metres.
    pub centers: [[f32; WIDTH]; 3],
    /// By axis of the boxes and coordinate: from the centre of each child's box to the middle of a
    /// side, metres. Long enough to cover what rounding to `f32` takes from them and from the
    /// centre.
    pub halves: [[[f32; WIDTH]; 3]; 3],
    /// The children.
    pub children: [NodeId; WIDTH],
    /// Number of children.
    pub count: u8,
}

impl MeshNode {
    /// The box of child `lane`: its centre in the mesh's frame, and from there to the middles of
    /// three sides, metres.
    #[inline(always)]
    pub fn oriented_box(&self, lane: usize) -> (Vec3<f64>, [Vec3<f64>; 3]) {
        let at = |of: &[[f32; WIDTH]; 3]| Vec3::new(of[0][lane].into(), of[1][lane].into(), of[2][lane].into());
        let [x, y, z] = &self.halves;
        (self.origin + at(&self.centers), [at(x), at(y), at(z)])
    }

    /// A ball around the box of child `lane`: its centre in the mesh's frame, and its radius,
    /// metres.
    pub fn ball(&self, lane: usize) -> (Vec3<f64>, f64) {
        let at = |of: &[[f32; WIDTH]; 3]| Vec3::new(of[0][lane].into(), of[1][lane].into(), of[2][lane].into());
        let radius2: f64 = self.halves.iter().map(|half| at(half).length2()).sum();
        // The axes are at right angles but for the rounding of the sides to `f32`.
        (self.origin + at(&self.centers), radius2.sqrt() * (1.0 + 4.0 * f64::from(f32::EPSILON)))
    }
}
