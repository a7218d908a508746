//! Proof that two cores meet while B moves along a line: a vertex goes through the inside of a
//! face, or an edge through an edge.
//!
//! Neither feature needs to support its body: whatever meets of two bodies, the bodies meet. So
//! rounding decides nothing but the bracket of the length. In the terms of the Minkowski
//! difference, the line pierces the face that the features span, inside of its outline.

use super::line::{COSINE, UNIT};
use crate::closest_points::inside_face;
use crate::feature::FeatureKind::{Edge, Face, Vertex};
use crate::feature::FeaturePair;
use crate::pair::{Pair, bound_of};
use clearsweep_geometry::{Polyhedron, RelativePose, Vec3};

/// Below this cosine of the normal and the direction nothing is claimed.
const GRAZING: f64 = 1e-6;

/// Below this sine of their angle nothing is claimed of two edges.
const PARALLEL_EDGES: f64 = 1e-3;

/// Meeting of two features, as computed.
struct Meeting {
    /// Metres.
    length: f64,
    /// Cosine of the unit normal and the direction.
    cosine: f64,
    /// Depth inside of both features at which they meet, metres.
    inside: f64,
    /// Factor by which an error of places counts more along the features: 1, or 1 / sine of two
    /// edges' angle.
    amplification: f64,
}

/// Lengths between which the features of two cores are proven to meet while B moves along `along`
/// (unit, A's frame), metres.
pub(super) fn lengths(pair: &Pair<'_, f64>, along: Vec3<f64>, features: &FeaturePair) -> Option<[f64; 2]> {
    let FeaturePair { a, b } = features;
    let found = match (a.kind, b.kind) {
        (Face, Vertex) => {
            let vertex = pair.vertex_b(b.index);
            through_face(pair.a, a.index, vertex, along)
        }
        (Vertex, Face) => {
            let RelativePose { t, .. } = pair.pose;
            let vertex = pair.pose.inverse_vector(pair.vertex_a(a.index) - t);
            through_face(pair.b, b.index, vertex, -pair.pose.inverse_vector(along))
        }
        (Edge, Edge) => through_edge(pair, [a.index, b.index], along)?,
        _ => return None,
    };
    let cosine = found.cosine.abs();
    let bound = bound_of::<f64>(pair.size + found.length.abs());
    let off = 2.0 * found.amplification * (bound + COSINE * UNIT * found.length.abs()) / cosine;
    let is_proven = cosine > GRAZING && found.inside > 4.0 * found.amplification * (bound + off);
    is_proven.then_some([(found.length - off).next_down(), (found.length + off).next_up()])
}

/// A point that moves along `along` through a face, all in the frame of the face's body.
fn through_face(p: &Polyhedron, face: u32, point: Vec3<f64>, along: Vec3<f64>) -> Meeting {
    let normal = p.normals[face as usize];
    let cosine = normal.dot(along);
    let length = normal.dot(p.vertex(p.face(face)[0]) - point) / cosine;
    let inside = inside_face(p, face, normal, point + along.scale(length));
    Meeting { length, cosine, inside, amplification: 1.0 }
}

/// An edge of B that moves through an edge of A.
fn through_edge(pair: &Pair<'_, f64>, edges: [u32; 2], along: Vec3<f64>) -> Option<Meeting> {
    let ends_a = pair.a.edges[edges[0] as usize].v.map(|v| pair.vertex_a(v));
    let ends_b = pair.b.edges[edges[1] as usize].v.map(|v| pair.vertex_b(v));
    let (u, w) = (ends_a[1] - ends_a[0], ends_b[1] - ends_b[0]);
    let across = u.cross(w);
    let (across2, lengths) = (across.length2(), [u.length(), w.length()]);
    let sine = across2.sqrt() / (lengths[0] * lengths[1]);
    let cosine = across.dot(along) / across2.sqrt();
    let length = across.dot(ends_a[0] - ends_b[0]) / across.dot(along);
    let between = ends_b[0] + along.scale(length) - ends_a[0];
    let share = [between.cross(w).dot(across) / across2, between.cross(u).dot(across) / across2];
    let depth = |k: usize| share[k].min(1.0 - share[k]) * lengths[k];
    (sine > PARALLEL_EDGES).then(|| Meeting {
        length,
        cosine,
        inside: depth(0).min(depth(1)),
        amplification: 1.0 / sine,
    })
}
