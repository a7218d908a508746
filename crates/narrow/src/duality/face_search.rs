//! SEARCH-FV and SEARCH-VF: the faces of one body, each with the vertex of the other one that
//! supports the difference (Choi et al., sections 3.3.1 and 3.3.2), and where the search starts
//! (section 4.2).
//!
//! Both are one procedure, with the roles of the bodies exchanged.

use super::difference::{DifferenceFace, FaceOwner, support_near};
use super::walk::{OverlapTest, Phase};
use clearsweep_base::simd::Simd;
use clearsweep_geometry::polyhedron::NO_FACE;
use clearsweep_geometry::{Polyhedron, Vec3};

impl<'a> OverlapTest<'a> {
    /// Goes from a face of a body to the adjacent face with the largest signed distance, until none
    /// is better.
    #[inline(always)]
    pub(super) fn search_faces<S: Simd>(&mut self, home: FaceOwner, start: DifferenceFace) -> DifferenceFace {
        let [own, _] = self.difference.bodies(home);
        let phase = if home == FaceOwner::A { Phase::FaceVertex } else { Phase::VertexFace };
        let (mut best, mut from) = (start, NO_FACE);
        loop {
            if self.is_decided(&best) {
                return best;
            }
            let [face, vertex] = own_indices(home, &best);
            let mut next = best;
            for adjacent in adjacent_faces(own, face) {
                if adjacent == from {
                    continue;
                }
                self.counts[phase as usize] += 1;
                let found = self.difference.of_face::<S>(home, adjacent, vertex);
                if found.signed_distance > next.signed_distance {
                    next = found;
                }
            }
            if next.signed_distance <= best.signed_distance {
                return best;
            }
            (best, from) = (next, face);
        }
    }

    /// The first face of SEARCH-FV, or of SEARCH-VF where A is a point: at the vertex of the body
    /// that is farthest along the direction that the face looked for is turned to, the face turned
    /// to it most.
    #[inline(always)]
    pub(super) fn first_face<S: Simd>(&mut self, home: FaceOwner) -> DifferenceFace {
        let [own, _] = self.difference.bodies(home);
        let along = self.difference.along(home);
        let near = own.near(along).unwrap_or(0);
        let (vertex, _) = support_near::<S>(own, along, near);
        self.face_at::<S>(home, vertex, along, None)
    }

    /// At a vertex of a body, the face turned most to a direction (the body's frame; of B
    /// mirrored). `near`: a vertex of the other body from which its support is looked for, if one
    /// is known.
    #[inline(always)]
    pub(super) fn face_at<S: Simd>(
        &mut self,
        home: FaceOwner,
        vertex: u32,
        along: Vec3<f64>,
        near: Option<u32>,
    ) -> DifferenceFace {
        let [own, other] = self.difference.bodies(home);
        let phase = if home == FaceOwner::A { Phase::FaceVertex } else { Phase::VertexFace };
        self.counts[phase as usize] += 1;
        let face = turned_most(own, own.faces_of(vertex), along);
        let near = near.unwrap_or_else(|| self.far_start(other, home, own.normals[face as usize]));
        self.difference.of_face::<S>(home, face, near)
    }

    /// A vertex of the other body from which to look for its support against a normal of this one.
    #[inline(always)]
    fn far_start(&self, other: &Polyhedron, home: FaceOwner, outward: Vec3<f64>) -> u32 {
        let down = match home {
            FaceOwner::A => -self.difference.pair.pose.inverse_vector(outward),
            FaceOwner::B => -self.difference.pair.pose.vector(outward),
        };
        other.near(down).unwrap_or(0)
    }
}

/// Returns the features of a face of the difference as indices: the face of this body, and the
/// vertex of the other one.
#[inline(always)]
pub(super) fn own_indices(home: FaceOwner, face: &DifferenceFace) -> [u32; 2] {
    let [a, b] = [face.features.a.index, face.features.b.index];
    if home == FaceOwner::A { [a, b] } else { [b, a] }
}

/// Finds the face, among some of a solid, whose normal is turned most to a direction of its frame.
#[inline(always)]
fn turned_most(p: &Polyhedron, faces: impl Iterator<Item = u32>, along: Vec3<f64>) -> u32 {
    let mut best = (0, f64::NEG_INFINITY);
    for face in faces {
        let turned = p.normals[face as usize].dot(along);
        if turned > best.1 {
            best = (face, turned);
        }
    }
    best.0
}

/// The faces that share an edge with a face.
#[inline(always)]
fn adjacent_faces(p: &Polyhedron, face: u32) -> impl Iterator<Item = u32> + '_ {
    let ring = p.face_start[face as usize] as usize..p.face_start[face as usize + 1] as usize;
    p.face_edges[ring].iter().map(move |&e| {
        let [left, right] = p.edges[e as usize].f;
        if left == face { right } else { left }
    })
}
