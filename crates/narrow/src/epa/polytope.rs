//! The polytope of the expansion: a handle on working memory that the thread lends.

use super::mesh::{self, PolytopeMesh, Verdict};
use super::surface::Surface;
use crate::certificate::{Certificate, Claim};
use crate::pair::{Pair, VertexPair};
use clearsweep_base::simd::{Portable, WIDTH};
use clearsweep_geometry::Vec3;
use std::cell::RefCell;

/// A closed surface at a pose, expanding towards the boundary of the Minkowski difference.
///
/// The expanding polytope algorithm of van den Bergen 2001, from any start around the origin, a
/// remembered surface included. An empty polytope holds no memory; its working memory is lent by
/// the thread, and goes back when the polytope is dropped.
#[derive(Debug, Clone, Default)]
pub struct Polytope(Option<Box<PolytopeMesh>>);

thread_local! {
    /// Idle working memory: as many pieces as were ever in use at once, by a walk and by the cold
    /// resolver that it calls.
    static IDLE: RefCell<Vec<Box<PolytopeMesh>>> = const { RefCell::new(Vec::new()) };
}

impl Drop for Polytope {
    fn drop(&mut self) {
        if let Some(mesh) = self.0.take() {
            let _ = IDLE.try_with(|idle| idle.borrow_mut().push(mesh));
        }
    }
}

impl Polytope {
    /// The surface; its memory is borrowed from the thread at the first call.
    pub(super) fn mesh(&mut self) -> &mut PolytopeMesh {
        self.0.get_or_insert_with(|| {
            IDLE.try_with(|idle| idle.borrow_mut().pop()).ok().flatten().unwrap_or_else(PolytopeMesh::new)
        })
    }

    /// Restarts from a tetrahedron of vertices; false if its volume is exactly zero.
    pub fn start(&mut self, pair: &Pair<'_, f64>, pairs: [VertexPair; 4]) -> bool {
        let mesh = self.mesh();
        mesh.clear(pair.size);
        mesh.start_from_tetrahedron(pairs.map(|vertex| (vertex, pair.difference(vertex))))
    }

    /// Restarts from a remembered surface at a new pose.
    pub(crate) fn restore(&mut self, pair: &Pair<'_, f64>, surface: &Surface) {
        mesh::restore(self.mesh(), pair, surface);
    }

    /// Restarts from a remembered surface at a new pose; whether it proves the depth of a locally
    /// strict answer there.
    pub(crate) fn verifies(&mut self, pair: &Pair<'_, f64>, surface: &Surface, answer: &Certificate) -> bool {
        mesh::verifies(self.mesh(), pair, surface, answer)
    }

    /// Writes the surface without coordinates, unused vertices and dead triangles to `surface`;
    /// false if it has more vertices or triangles than a [`Surface`] holds.
    pub fn remember(&mut self, surface: &mut Surface) -> bool {
        let mesh = self.mesh();
        let count = mesh.blocks().iter().map(|block| block.alive.count_ones() as usize).sum();
        // Euler's formula for a closed surface of genus 0: if it holds for all vertices, none is
        // unused.
        let all_used = count + 4 == 2 * mesh.count;
        surface.assign(&mesh.keys[..mesh.count], all_used, mesh.blocks(), count, !mesh.broken)
    }

    /// The live triangle nearest to the origin among those for which `skip` is false, and the
    /// signed distance of its plane, metres.
    pub(super) fn nearest(&self, mut skip: impl FnMut(&[VertexPair; 3]) -> bool) -> Option<(usize, f64)> {
        let mesh = self.0.as_ref().filter(|mesh| !mesh.broken)?;
        let mut best: Option<(usize, f64)> = None;
        for (k, block) in mesh.blocks().iter().enumerate() {
            for (i, &square) in block.square.iter().enumerate() {
                let nearer = square < best.map_or(f64::INFINITY, |(_, least)| least);
                if nearer && !skip(&mesh.vertex_pairs(k * WIDTH + i)) {
                    best = Some((k * WIDTH + i, square));
                }
            }
        }
        best.map(|(triangle, square)| (triangle, square.abs().sqrt().copysign(square)))
    }

    /// The vertex pairs of a triangle.
    pub(super) fn vertex_pairs(&self, triangle: usize) -> [VertexPair; 3] {
        self.0.as_ref().map_or([[0; 2]; 3], |mesh| mesh.vertex_pairs(triangle))
    }

    /// The outward unit normal of a triangle.
    pub(super) fn normal(&self, triangle: usize) -> Vec3<f64> {
        self.0.as_ref().map_or(Vec3::ZERO, |mesh| mesh.normal(triangle).normalized())
    }

    /// Adds a vertex that lies beyond `triangle`: the triangles that it sees are replaced by a fan.
    /// False if the surface would break, by rounding or at its limits.
    pub(super) fn expand(&mut self, pair: &Pair<'_, f64>, triangle: usize, vertex: VertexPair) -> bool {
        mesh::expand(self.mesh(), triangle, vertex, pair.difference(vertex))
    }

    /// Whether the live triangles prove the claim (`holds` in `triangle.rs` has the argument).
    pub fn proves(&self, claim: &Claim, mut in_facet: impl FnMut(&[VertexPair; 3]) -> bool) -> bool {
        let proves = |mesh: &PolytopeMesh| {
            let in_facet = |t: [u8; 3]| in_facet(&t.map(|v| mesh.pair(v)));
            matches!(mesh.verdict::<Portable>(claim, None, in_facet), Verdict::Proven)
        };
        self.0.as_deref().is_some_and(proves)
    }
}
