//! EPA: the penetration depth, that is the facet of the Minkowski difference nearest to the origin
//! inside it.
//!
//! Source: the expanding polytope algorithm, van den Bergen 2001, "Proximity queries and
//! penetration depth computation on 3D game objects". A polytope with vertices in the difference is
//! expanded at its triangle nearest to the origin until that triangle lies on the boundary.
//!
//! ```text
//! tetrahedron.rs  the first polytope after GJK
//! bipyramid.rs    the first polytope without GJK
//! polytope.rs     the polytope: a handle on working memory
//! mesh.rs         its vertices and triangles, the steps of an expansion, what it proves
//! facets.rs       triangles, eight side by side        horizon.rs  the horizon of a new vertex
//! gather.rs       points of the difference, eight at once
//! surface.rs      a polytope without coordinates: what a pair remembers
//! triangle.rs     the contribution of one triangle to the proof of a depth
//! lanes.rs        that proof at eight relative poses at once
//! ```
//!
//! The result is a strict answer of the certificate, whose depth the polytope itself proves. It
//! also hands on a [`Surface`], which proves the depth or starts the expansion at the next pose.

mod bipyramid;
mod facets;
mod gather;
mod horizon;
pub(crate) mod lanes;
mod mesh;
mod polytope;
mod surface;
#[cfg(test)]
mod tests;
mod tetrahedron;
mod triangle;

use super::certificate::{self, Certificate};
use super::feature::FeaturePair;
use super::gjk::Simplex;
use super::pair::{Pair, VertexPair};
use super::parallel_features;
use super::parallel_features::equal_depths::EqualDepths;
use super::support::support;
use clearsweep_base::simd::{Simd, dispatch};
use clearsweep_geometry::{Polyhedron, Vec3};
use mesh::{PolytopeMesh, Verdict};
pub use polytope::Polytope;
pub use surface::Surface;
pub use tetrahedron::tetrahedron;

/// Expansions after which the algorithm gives up and the pair is handed down the pair solver.
const LIMIT: usize = 400;

/// A depth that a surface proves.
#[derive(Debug, Clone, Copy)]
pub struct ProvenDepth {
    /// The answer.
    pub answer: Certificate,
    /// The features of another facet at an equal depth (`EqualDepths`).
    pub rival: Option<FeaturePair>,
}

/// Expands `polytope` until its nearest triangle lies on the boundary of the Minkowski difference
/// and no other facet is as near, or one of an equal depth. `None` if the optimum is not strict, or
/// the surface broke.
pub fn penetration(pair: &Pair<'_, f64>, polytope: &mut Polytope) -> Option<ProvenDepth> {
    match expand_to_boundary(pair, polytope.mesh()) {
        ExpansionEnd::Depth(proven) => Some(proven),
        ExpansionEnd::Apart(_) | ExpansionEnd::Contact | ExpansionEnd::Undecided => None,
    }
}

/// Cores nearer than this, in bounds E, are in contact: no certificate of unique features holds.
pub(crate) const IN_CONTACT: f64 = 2.0;

/// [`penetration`] from a bipyramid of supports, without GJK: for cores that are likely to overlap,
/// with the least depth about along `axis` (from A to B). If they are apart, `simplex` becomes a
/// start for GJK.
pub(super) fn penetration_from_supports(
    pair: &Pair<'_, f64>,
    axis: Vec3<f64>,
    polytope: &mut Polytope,
    simplex: &mut Simplex,
) -> ExpansionEnd {
    let end = start_and_expand(pair, axis, polytope.mesh());
    if let ExpansionEnd::Apart([p, q, r]) = end {
        *simplex = Simplex { pairs: [p, q, r, p], count: 3 };
    }
    end
}

/// The result of an expansion.
pub(super) enum ExpansionEnd {
    /// The depth, strict and proven.
    Depth(ProvenDepth),
    /// The origin is outside of the Minkowski difference, which does not reach beyond this
    /// triangle.
    Apart([VertexPair; 3]),
    /// The origin is on the boundary up to rounding.
    Contact,
    /// A tie, a broken surface, or the limit.
    Undecided,
}

dispatch!(expand_to_boundary, expand_to_boundary_body, (pair: &Pair<'_, f64>, mesh: &mut PolytopeMesh) -> ExpansionEnd);

dispatch!(start_and_expand, start_and_expand_body, (pair: &Pair<'_, f64>, axis: Vec3<f64>, mesh: &mut PolytopeMesh) -> ExpansionEnd);

#[inline(always)]
fn start_and_expand_body<S: Simd>(pair: &Pair<'_, f64>, axis: Vec3<f64>, mesh: &mut PolytopeMesh) -> ExpansionEnd {
    mesh.start_from_supports::<S>(pair, axis);
    expand_to_boundary_body::<S>(pair, mesh)
}

#[inline(always)]
fn expand_to_boundary_body<S: Simd>(pair: &Pair<'_, f64>, mesh: &mut PolytopeMesh) -> ExpansionEnd {
    for _ in 0..LIMIT {
        let Some(triangle) = mesh.nearest::<S>() else { return ExpansionEnd::Undecided };
        let beyond = SupportBeyond::of::<S>(pair, mesh, triangle);
        if beyond.is_apart {
            return ExpansionEnd::Apart(beyond.corners);
        }
        if beyond.is_beyond && !beyond.corners.contains(&beyond.vertex) {
            if !mesh.expand::<S>(triangle, beyond.vertex, beyond.point) {
                return ExpansionEnd::Undecided;
            }
            continue;
        }
        let (normal, reach) = mesh.plane(triangle);
        if reach.abs() <= IN_CONTACT * pair.bound() * normal.length() {
            return ExpansionEnd::Contact;
        }
        let answer = FeaturePair::of_simplex(pair.a, pair.b, &beyond.corners)
            .and_then(|features| certificate::local(pair, &features))
            .or_else(|| parallel_features::near(pair, normal.normalized()));
        let Some(answer) = answer else { return ExpansionEnd::Undecided };
        if answer.in_contact_band() {
            return ExpansionEnd::Depth(ProvenDepth { answer, rival: None });
        }
        let own = Some(triangle).filter(|_| !answer.is_parallel());
        return match expand_rivals::<S>(pair, mesh, own, &answer, None) {
            RivalsEnd::None => ExpansionEnd::Depth(ProvenDepth { answer, rival: None }),
            RivalsEnd::Facet(rival) => equal_depths::<S>(pair, mesh, &answer, rival),
            RivalsEnd::Undecided => ExpansionEnd::Undecided,
        };
    }
    ExpansionEnd::Undecided
}

/// Whether a facet and the one of another triangle have equal depths, and are the only nearest
/// ones.
#[inline(always)]
fn equal_depths<S: Simd>(
    pair: &Pair<'_, f64>,
    mesh: &mut PolytopeMesh,
    answer: &Certificate,
    rival: usize,
) -> ExpansionEnd {
    let rival = answer.is_parallel().then(|| parallel_features::near(pair, mesh.plane(rival).0.normalized())).flatten();
    let Some(depths) = rival.and_then(|rival| EqualDepths::new(pair, answer, &rival)) else {
        return ExpansionEnd::Undecided;
    };
    let EqualDepths { preferred: answer, rival } = depths;
    match expand_rivals::<S>(pair, mesh, None, &answer, Some(&rival)) {
        RivalsEnd::None => ExpansionEnd::Depth(ProvenDepth { answer, rival: Some(rival) }),
        RivalsEnd::Facet(_) | RivalsEnd::Undecided => ExpansionEnd::Undecided,
    }
}

/// The support along the normal of a triangle.
struct SupportBeyond {
    /// The corners of the triangle.
    corners: [VertexPair; 3],
    vertex: VertexPair,
    point: Vec3<f64>,
    /// Whether it lies farther out than the triangle, by more than rounding.
    is_beyond: bool,
    /// Whether the origin lies farther out than the support, by more than the tolerance of contact.
    is_apart: bool,
}

impl SupportBeyond {
    #[inline(always)]
    fn of<S: Simd>(pair: &Pair<'_, f64>, mesh: &PolytopeMesh, triangle: usize) -> Self {
        let ((normal, reach), corners) = (mesh.plane(triangle), mesh.vertex_pairs(triangle));
        let m = -pair.pose.inverse_vector(normal);
        // A climb starts at the last corner, which is the newest vertex.
        let [i, j] = corners[2];
        let vertex = [support::<S>(pair.a, normal, i).0, support::<S>(pair.b, m, j).0];
        let point = pair.difference(vertex);
        let (height, doubt) = (normal.dot(point), pair.bound() * normal.length());
        Self { corners, vertex, point, is_beyond: height - reach > 0.25 * doubt, is_apart: height < -16.0 * doubt }
    }
}

/// Whether a locally strict answer about overlapping cores is the only one: the polytope is
/// expanded until it proves that, or cannot.
pub(super) fn proves_depth(pair: &Pair<'_, f64>, polytope: &mut Polytope, answer: &Certificate) -> bool {
    proves_depth_wide(pair, polytope.mesh(), answer)
}

#[inline(always)]
fn proves_depth_body<S: Simd>(pair: &Pair<'_, f64>, mesh: &mut PolytopeMesh, answer: &Certificate) -> bool {
    matches!(expand_rivals::<S>(pair, mesh, None, answer, None), RivalsEnd::None)
}

dispatch!(proves_depth_wide, proves_depth_body, (pair: &Pair<'_, f64>, mesh: &mut PolytopeMesh, answer: &Certificate) -> bool);

/// The result of a search for facets as near as the answer's.
enum RivalsEnd {
    /// None is.
    None,
    /// The one of this triangle is: a tie.
    Facet(usize),
    /// A broken surface, or the limit.
    Undecided,
}

/// Expands every triangle outside of the answer's facet that is as near as the facet, until none is
/// left. `own`: a triangle of the answer's facet, where it is known; `rival`: the features of a
/// second facet that may be as near.
#[inline(always)]
fn expand_rivals<S: Simd>(
    pair: &Pair<'_, f64>,
    mesh: &mut PolytopeMesh,
    own: Option<usize>,
    answer: &Certificate,
    rival: Option<&FeaturePair>,
) -> RivalsEnd {
    let claim = certificate::claim(answer);
    for _ in 0..LIMIT {
        let verdict = mesh.verdict::<S>(&claim, own, |t| {
            let triangle = t.map(|v| mesh.pair(v));
            let is_of = |features: &FeaturePair| is_of_facet([pair.a, pair.b], features, &triangle);
            is_of(&answer.features) || rival.is_some_and(is_of)
        });
        match verdict {
            Verdict::Proven => return RivalsEnd::None,
            Verdict::Undecided => return RivalsEnd::Undecided,
            Verdict::Rival(triangle) => {
                let beyond = SupportBeyond::of::<S>(pair, mesh, triangle);
                if !beyond.is_beyond {
                    return RivalsEnd::Facet(triangle);
                }
                if !mesh.expand::<S>(triangle, beyond.vertex, beyond.point) {
                    return RivalsEnd::Undecided;
                }
            }
        }
    }
    RivalsEnd::Undecided
}

/// Expands `polytope` until every triangle within `margin` (metres) of the nearest lies on the
/// boundary of the Minkowski difference, and returns those triangles: all facets that are as near,
/// ties included. `None` if the surface broke.
pub(super) fn nearest_facets(
    pair: &Pair<'_, f64>,
    polytope: &mut Polytope,
    margin: f64,
) -> Option<Vec<[VertexPair; 3]>> {
    let mut facets: Vec<[VertexPair; 3]> = Vec::new();
    let mut least = f64::INFINITY;
    for _ in 0..LIMIT {
        let open = polytope.nearest(|t| facets.contains(t)).filter(|&(_, d)| d <= least + margin);
        let Some((triangle, distance)) = open else { return Some(facets) };
        let vertices = polytope.vertex_pairs(triangle);
        let (vertex, _) = pair.support(polytope.normal(triangle), vertices[2]);
        let reach = polytope.normal(triangle).dot(pair.difference(vertex));
        if reach - distance > 0.25 * pair.bound() && !vertices.contains(&vertex) {
            if !polytope.expand(pair, triangle, vertex) {
                return None;
            }
        } else {
            least = least.min(distance);
            facets.push(vertices);
        }
    }
    None
}

/// Whether all three corners of a triangle of the difference belong to the facet of a feature pair.
pub fn is_of_facet([a, b]: [&Polyhedron; 2], features: &FeaturePair, triangle: &[VertexPair; 3]) -> bool {
    triangle.iter().all(|&[i, j]| features.a.has_vertex(a, i) && features.b.has_vertex(b, j))
}
