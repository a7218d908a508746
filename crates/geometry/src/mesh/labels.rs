//! Published numbers of triangles: parts, and the numbers of vertices, edges and faces.

use std::sync::OnceLock;

/// Published numbers of the features of triangles.
#[derive(Debug, Clone)]
pub struct FeatureLabels {
    /// Index of each vertex in the file as read.
    vertices: Vec<u32>,
    parts: LabelledParts,
}

#[derive(Debug, Clone)]
enum LabelledParts {
    /// Labels of a mesh: the number in the file of each triangle; edges and faces are numbered when
    /// the first is asked for.
    Triangles { numbers: Vec<u32>, ranks: OnceLock<Ranks> },
    /// Labels of convex pieces: piece and face of each triangle; first vertex and edges, in order,
    /// of each piece.
    Pieces { of_triangle: Vec<[u32; 2]>, edges: Vec<(u32, Vec<[u32; 2]>)> },
}

/// Edges ordered by their (low, high) vertices, and the ranks of triangles by their sorted
/// vertices.
#[derive(Debug, Clone)]
struct Ranks {
    edges: Vec<[u32; 2]>,
    faces: Vec<u32>,
}

/// The published feature of an edge of a triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeLabel {
    /// An edge of the body.
    Edge(u32),
    /// It lies inside this face.
    Face(u32),
}

impl PartialEq for FeatureLabels {
    /// Numbers that are made when asked for are not compared.
    fn eq(&self, other: &Self) -> bool {
        let same = match (&self.parts, &other.parts) {
            (LabelledParts::Triangles { numbers: a, .. }, LabelledParts::Triangles { numbers: b, .. }) => a == b,
            (
                LabelledParts::Pieces { of_triangle: a, edges: c },
                LabelledParts::Pieces { of_triangle: b, edges: d },
            ) => a == b && c == d,
            _ => false,
        };
        same && self.vertices == other.vertices
    }
}

impl FeatureLabels {
    /// Creates the labels of a mesh from the numbers of its vertices, ascending, and of its
    /// triangles.
    pub(super) fn of_mesh(triangles: &[[u32; 3]], vertices: Vec<u32>, numbers: Vec<u32>) -> Self {
        debug_assert_eq!(triangles.len(), numbers.len());
        Self { vertices, parts: LabelledParts::Triangles { numbers, ranks: OnceLock::new() } }
    }

    /// Creates the labels of convex pieces.
    pub(super) fn of_pieces(vertices: Vec<u32>, of_triangle: Vec<[u32; 2]>, edges: Vec<(u32, Vec<[u32; 2]>)>) -> Self {
        Self { vertices, parts: LabelledParts::Pieces { of_triangle, edges } }
    }

    /// The number of each vertex.
    pub(super) fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// The number of a vertex.
    pub fn vertex(&self, v: u32) -> u32 {
        self.vertices[v as usize]
    }

    /// The published part of triangle `t`: its number in the file, or the piece it belongs to.
    pub fn part(&self, t: u32) -> u32 {
        match &self.parts {
            LabelledParts::Triangles { numbers, .. } => numbers[t as usize],
            LabelledParts::Pieces { of_triangle, .. } => of_triangle[t as usize][0],
        }
    }

    /// The number of the face that triangle `t` is, or belongs to. `triangles`: the triangles of
    /// the mesh.
    pub fn face(&self, triangles: &[[u32; 3]], t: u32) -> u32 {
        match &self.parts {
            LabelledParts::Triangles { ranks, .. } => ranks.get_or_init(|| Ranks::new(triangles)).faces[t as usize],
            LabelledParts::Pieces { of_triangle, .. } => of_triangle[t as usize][1],
        }
    }

    /// The number of the edge between two vertices of triangle `t`. `triangles`: the triangles of
    /// the mesh.
    pub fn edge(&self, triangles: &[[u32; 3]], t: u32, [u, v]: [u32; 2]) -> EdgeLabel {
        let key = [u.min(v), u.max(v)];
        let place = |edges: &[[u32; 2]]| edges.binary_search(&key).ok().map(|edge| EdgeLabel::Edge(edge as u32));
        match &self.parts {
            LabelledParts::Triangles { ranks, .. } => {
                place(&ranks.get_or_init(|| Ranks::new(triangles)).edges).expect("an edge of the mesh")
            }
            LabelledParts::Pieces { of_triangle, edges } => {
                let [piece, face] = of_triangle[t as usize];
                place(&edges[piece as usize].1).unwrap_or(EdgeLabel::Face(face))
            }
        }
    }
}

impl Ranks {
    /// Vertices are numbered in ascending order, so that their order is that of their numbers.
    fn new(triangles: &[[u32; 3]]) -> Self {
        let mut edges: Vec<[u32; 2]> = Vec::with_capacity(3 * triangles.len());
        for &[a, b, c] in triangles {
            edges.extend([[a, b], [b, c], [c, a]].map(|[p, q]| [p.min(q), p.max(q)]));
        }
        edges.sort_unstable();
        edges.dedup();
        edges.shrink_to_fit();
        let mut order: Vec<([u32; 3], u32)> = (0..)
            .zip(triangles)
            .map(|(index, &(mut t))| {
                t.sort_unstable();
                (t, index)
            })
            .collect();
        order.sort_unstable();
        let mut faces = vec![0; triangles.len()];
        for (rank, &(_, t)) in order.iter().enumerate() {
            faces[t as usize] = rank as u32;
        }
        Self { edges, faces }
    }
}
