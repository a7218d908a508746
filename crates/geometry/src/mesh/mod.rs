//! Triangles as a body's exact surface, under a tree of boxes.

mod build;
mod contacts;
mod eigen;
mod inside;
mod labels;
mod node;
mod project;

pub use contacts::self_contacts;
pub use inside::Inside;
pub use inside::WindingNumber;
pub use labels::{EdgeLabel, FeatureLabels};
pub use node::{Child, MeshNode, NodeId, WIDTH};
pub use project::{Intervals, SearchFrame, heights_of_leaf, heights_of_node};

use super::lazy::Lazy;
use super::polyhedron::Polyhedron;
use super::triangle_tree::bounds;
use super::vec3::Vec3;
use build::build;
use clearsweep_base::workers::Workers;
use inside::OpenSurface;
use std::sync::atomic::{AtomicU64, Ordering};

/// The triangles of a body in its recentred frame, metres, and a tree of boxes over them.
///
/// Corners that are equal have one index. Memory: 55 bytes a triangle of a closed mesh, counted by
/// `xtask/src/bin/mesh_memory.rs`.
#[derive(Debug, Clone, PartialEq)]
pub struct TriangleMesh {
    vertices: Vec<Vec3<f64>>,
    /// Leaf by leaf.
    triangles: Vec<[u32; 3]>,
    labels: FeatureLabels,
    nodes: Vec<MeshNode>,
    /// For each leaf: its triangles begin here; and where the last ends.
    leaf_start: Vec<u32>,
    /// A vertex of each connected component.
    component_vertices: Vec<u32>,
    inside: Inside,
    /// The open surface, if the winding number decides what is inside.
    open: Option<OpenSurface>,
    identity: MeshIdentity,
    /// No vertex is farther from the origin of the frame, metres.
    radius: f64,
    /// Centre of the box, metres.
    middle: Vec3<f64>,
    /// Half of its sides, metres.
    extent: Vec3<f64>,
}

/// The surface of convex pieces, once it is asked for.
pub type LazySurface = Lazy<TriangleMesh>;

/// The inside of a set of triangles, as given to a mesh.
#[derive(Debug, Clone, PartialEq)]
pub enum InsideOf {
    /// They close up and are oriented outward.
    Solid,
    /// They do not; which of them are to be turned so that neighbours agree.
    Open(Vec<bool>),
    /// They are a sheet.
    Surface,
}

/// Tells a mesh from all others, and plays no part in comparisons.
#[derive(Debug, Clone)]
struct MeshIdentity(u64);

impl Default for MeshIdentity {
    fn default() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl PartialEq for MeshIdentity {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl TriangleMesh {
    /// Builds the mesh of `vertices` (distinct, finite, metres in the recentred frame) and
    /// `triangles` (three distinct vertices and an area above 0, at least one). `vertex_numbers`:
    /// the published number of each vertex, ascending. `triangle_numbers`: the number of each
    /// triangle in the file. `inside`: what is known of their inside.
    pub fn new(
        vertices: Vec<Vec3<f64>>,
        triangles: Vec<[u32; 3]>,
        vertex_numbers: Vec<u32>,
        triangle_numbers: Vec<u32>,
        inside: InsideOf,
        workers: &Workers,
    ) -> Self {
        let (triangles, order, nodes, leaf_start) = build(&vertices, triangles, workers);
        let triangle_numbers = order.iter().map(|&t| triangle_numbers[t as usize]).collect();
        let labels = FeatureLabels::of_mesh(&triangles, vertex_numbers, triangle_numbers);
        let (inside, open) = match inside {
            InsideOf::Solid => (Inside::Solid, None),
            InsideOf::Surface => (Inside::Surface, None),
            InsideOf::Open(turned) => {
                let turned = order.iter().map(|&t| turned[t as usize]).collect();
                (Inside::Winding, Some(OpenSurface::new(turned)))
            }
        };
        Self { open, ..Self::assemble(vertices, triangles, labels, nodes, leaf_start, inside) }
    }

    /// The surfaces of convex pieces, as fans of their faces; of a piece without faces its segment
    /// or point. Solid if some piece is: flat polygons then have both of their sides, so that the
    /// surface winds around no point beside them.
    pub fn of_pieces<'a>(pieces: impl Iterator<Item = &'a Polyhedron> + Clone) -> Self {
        let (mut vertices, mut triangles, mut of_triangle, mut sources) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let is_solid = pieces.clone().any(|core| core.dimension == 3);
        let mut edges = Vec::new();
        for (piece, core) in pieces.enumerate() {
            let first = vertices.len() as u32;
            vertices.extend((0..core.count as u32).map(|v| core.vertex(v)));
            sources.extend_from_slice(&core.source);
            let backs =
                fans(core).filter(|_| is_solid && core.dimension == 2).map(|(face, [a, b, c])| (face, [a, c, b]));
            for (face, fan) in fans(core).chain(backs) {
                triangles.push(fan.map(|v| first + v));
                of_triangle.push([piece as u32, face]);
            }
            edges.push((first, core.edges.iter().map(|e| e.v.map(|v| first + v)).collect()));
        }
        let (triangles, order, nodes, leaf_start) = build(&vertices, triangles, &Workers::none());
        let of_triangle = order.iter().map(|&t| of_triangle[t as usize]).collect();
        let labels = FeatureLabels::of_pieces(sources, of_triangle, edges);
        let inside = if is_solid { Inside::Solid } else { Inside::Surface };
        Self::assemble(vertices, triangles, labels, nodes, leaf_start, inside)
    }

    fn assemble(
        vertices: Vec<Vec3<f64>>,
        triangles: Vec<[u32; 3]>,
        labels: FeatureLabels,
        nodes: Vec<MeshNode>,
        leaf_start: Vec<u32>,
        inside: Inside,
    ) -> Self {
        let component_vertices = component_vertices(vertices.len(), &triangles);
        let radius = triangles.iter().flatten().map(|&v| vertices[v as usize].length()).fold(0.0, f64::max);
        let radius = radius * (1.0 + 4.0 * f64::EPSILON);
        let (low, high) = bounds(triangles.iter().flatten().map(|&v| vertices[v as usize]));
        let (middle, extent) = ((low + high).scale(0.5), (high - low).scale(0.5 + f64::EPSILON));
        let identity = MeshIdentity::default();
        Self {
            vertices,
            triangles,
            labels,
            nodes,
            leaf_start,
            component_vertices,
            inside,
            open: None,
            identity,
            radius,
            middle,
            extent,
        }
    }

    /// The vertices.
    pub fn vertices(&self) -> &[Vec3<f64>] {
        &self.vertices
    }

    /// The triangles, in the order of the tree: indices of vertices, counter-clockwise seen from
    /// outside where the mesh is solid.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The published number of each vertex: its index in the file.
    pub fn vertex_numbers(&self) -> &[u32] {
        self.labels.vertices()
    }

    /// The published number of each triangle, in the order of [`TriangleMesh::triangles`]: of a
    /// mesh its index in the file.
    pub fn triangle_numbers(&self) -> Vec<u32> {
        (0..self.triangles.len() as u32).map(|t| self.labels.part(t)).collect()
    }

    /// Whether inside and outside are known.
    pub fn is_solid(&self) -> bool {
        self.inside == Inside::Solid
    }

    /// Returns how far its inside is known.
    pub fn inside(&self) -> Inside {
        self.inside
    }

    /// Winding number of an open surface around a point of its frame that may be off by `error`
    /// (metres); `None` for other surfaces.
    pub fn winding(&self, p: Vec3<f64>, error: f64) -> Option<WindingNumber> {
        self.open.as_ref().map(|open| open.winding(&self.vertices, &self.triangles, p, error))
    }

    /// The winding number of all triangles around a point that is not on the surface, metres.
    pub fn winding_of_all(&self, p: Vec3<f64>) -> WindingNumber {
        WindingNumber::of_triangles((0..self.triangles.len() as u32).map(|t| self.corners(t)), p)
    }

    /// A number that no other mesh of the process has but clones of this one, which are equal to
    /// it.
    pub fn identity(&self) -> u64 {
        self.identity.0
    }

    /// The corners of triangle `t`.
    #[inline(always)]
    pub fn corners(&self, t: u32) -> [Vec3<f64>; 3] {
        self.triangles[t as usize].map(|v| self.vertices[v as usize])
    }

    /// Returns the published numbers of triangles and their features.
    pub fn labels(&self) -> &FeatureLabels {
        &self.labels
    }

    /// A vertex of each connected component.
    pub fn component_vertices(&self) -> &[u32] {
        &self.component_vertices
    }

    /// No vertex is farther from the origin of the frame, metres.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The middle of the box around it.
    pub fn middle(&self) -> Vec3<f64> {
        self.middle
    }

    /// Half the sides of that box, metres.
    pub fn extent(&self) -> Vec3<f64> {
        self.extent
    }

    /// The root of the tree.
    pub fn root(&self) -> NodeId {
        if self.nodes.is_empty() { NodeId::leaf(0) } else { NodeId::inner(0) }
    }

    /// An inner node.
    #[inline(always)]
    pub fn node(&self, index: u32) -> &MeshNode {
        &self.nodes[index as usize]
    }

    /// The triangles of a leaf: at most `LEAF_TRIANGLES`.
    #[inline(always)]
    pub fn leaf(&self, index: u32) -> std::ops::Range<u32> {
        self.leaf_start[index as usize]..self.leaf_start[index as usize + 1]
    }

    /// Inner nodes and leaves.
    pub fn node_counts(&self) -> [usize; 2] {
        [self.nodes.len(), self.leaf_start.len() - 1]
    }
}

/// The faces of a polyhedron cut into fans: number of the face, and vertices. A segment or a point
/// is one triangle without area.
pub fn fans(core: &Polyhedron) -> impl Iterator<Item = (u32, [u32; 3])> + '_ {
    // The back of a flat polygon is its front once more.
    let faces = if core.dimension == 2 { 1 } else { core.face_count() as u32 };
    let fans = (0..faces.min(core.face_count() as u32)).flat_map(move |f| {
        let corners = core.face(f);
        corners[1..].windows(2).map(move |pair| (f, [corners[0], pair[0], pair[1]]))
    });
    let last = core.count as u32 - 1;
    fans.chain((core.dimension < 2).then_some((0, [0, last, last])))
}

/// A vertex of each connected component: the lowest one.
fn component_vertices(vertices: usize, triangles: &[[u32; 3]]) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..vertices as u32).collect();
    fn root(parent: &mut [u32], mut v: u32) -> u32 {
        while parent[v as usize] != v {
            parent[v as usize] = parent[parent[v as usize] as usize];
            v = parent[v as usize];
        }
        v
    }
    let mut used = vec![false; vertices];
    for t in triangles {
        t.iter().for_each(|&v| used[v as usize] = true);
        for other in [t[1], t[2]] {
            let (p, q) = (root(&mut parent, t[0]), root(&mut parent, other));
            parent[p.max(q) as usize] = p.min(q);
        }
    }
    (0..vertices as u32).filter(|&v| used[v as usize] && parent[v as usize] == v).collect()
}
