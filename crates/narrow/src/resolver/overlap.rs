//! Extended precision for cores that touch or overlap: the depth is the best gap over a complete
//! list of directions.

use super::closest_sets;
use super::directions::{self, Direction, DirectionOrigin};
use crate::answer::Answer;
use crate::certificate;
use crate::closest_points::{Closest, closest_points, distance_to_edge};
use crate::feature::{Feature, FeaturePair};
use crate::pair::Pair;
use crate::parallel_features::equal_depths::EqualDepths;
use crate::support_planes::SupportPlanes;
use clearsweep_geometry::{Dd, Polyhedron, Real, Scalar, Vec3};
use clearsweep_model::Method;

/// Directions within this many bounds E of the best in `f64` are evaluated in double-double.
const NEAR: f64 = 64.0;

/// Directions within this many bounds E of the best in `f64` are ties: more than the difference of
/// depths that count as equal.
pub(super) const EQUAL: f64 = 2.0;

/// A direction in double-double.
struct WideDirection {
    direction: Direction,
    normal: Vec3<Dd>,
    gap: Dd,
}

/// The answer by the tie rule. `reach`: the length of the nearest point that GJK found, an upper
/// bound of the distance where the cores only touch; `off`: bound on the pose error, metres.
pub(super) fn resolve(pair: &Pair<'_, f64>, wide: &Pair<'_, Dd>, reach: Dd, off: f64) -> Option<Answer> {
    let (near, slack) = directions::best_directions(pair, NEAR);
    let mut tied: Vec<WideDirection> = near.iter().filter_map(|d| widen(wide, d)).collect();
    let best = tied.iter().map(|t| t.gap).reduce(|x, y| x.larger(y))?;
    // In the order of the rule: by kind of direction, then by index. Kept are those as good as the
    // best.
    tied.sort_by_key(|t| t.direction.origin);
    let bound = wide.bound();
    let equal = best - Dd::from_f64(pair.size * 1e-24);
    tied.retain(|t| t.gap >= equal);
    let depth_upper = best + Dd::from_f64(64.0 * bound + slack);
    let upper = if best < Dd::ZERO { depth_upper } else { depth_upper.larger(reach + Dd::from_f64(64.0 * bound)) };
    let preferred = closest_sets::preferred(pair, tied.iter().map(|t| t.normal.to_f64()))?;
    let of_preferred = witnesses(pair, wide, &tied[preferred..=preferred]);
    let (features, chosen, point_a, residual) = of_preferred.or_else(|| witnesses(pair, wide, &tied))?;
    let closest = Closest {
        normal: chosen.normal,
        distance: chosen.gap,
        point_a,
        point_b: point_a + chosen.normal.scale(chosen.gap),
        residual,
        interior: Dd::ZERO,
        amplification: 1.0,
    };
    let lower = chosen.gap - Dd::from_f64(bound);
    if let Some(answer) = equal_depths_in_f64(pair, &near, upper) {
        return Some(answer);
    }
    let upper = upper + residual;
    if let Some(answer) = strict_in_f64(pair, &features, upper) {
        return Some(answer);
    }
    if (upper - lower).to_f64() > 1e-12 * pair.size {
        return None;
    }
    let mut answer = Answer::wide(&features, &closest, lower, upper).opened(off);
    if tied.len() > 1 {
        answer.method = Method::Tie;
    }
    Some(answer)
}

/// The `f64` answer if the best direction's features are strict in `f64`: a warm route that proves
/// the depth from a surface can only end at these features, and the complete list of directions
/// proves the same depth.
fn strict_in_f64(pair: &Pair<'_, f64>, features: &FeaturePair, upper: Dd) -> Option<Answer> {
    let answer = Answer::certified(&certificate::local(pair, features)?);
    (upper.to_f64() <= answer.upper).then_some(answer)
}

/// The `f64` answer if the best directions are two of equal depths: see [`strict_in_f64`].
fn equal_depths_in_f64(pair: &Pair<'_, f64>, near: &[Direction], upper: Dd) -> Option<Answer> {
    let best = near.iter().map(|d| d.gap).reduce(f64::max)?;
    let nearest = near.iter().filter(|d| d.gap >= best - EQUAL * pair.bound());
    let answer = Answer::certified(&EqualDepths::along(pair, nearest.map(|d| d.normal))?.preferred);
    (upper.to_f64() <= answer.upper).then_some(answer)
}

/// A direction of the list in double-double, with its gap over all vertices.
fn widen(wide: &Pair<'_, Dd>, d: &Direction) -> Option<WideDirection> {
    let normal = match d.origin {
        DirectionOrigin::FaceA(f) => {
            let any = FeaturePair { a: Feature::face(f), b: Feature::vertex(0) };
            normal_of(wide, &any)?
        }
        DirectionOrigin::FaceB(f) => {
            let any = FeaturePair { a: Feature::vertex(0), b: Feature::face(f) };
            normal_of(wide, &any)?
        }
        DirectionOrigin::Edges(i, j, _) => {
            let n = normal_of(wide, &FeaturePair { a: Feature::edge(i), b: Feature::edge(j) })?;
            if n.to_f64().dot(d.normal) < 0.0 { -n } else { n }
        }
        DirectionOrigin::Free(_) => {
            let n = across_edges(wide, Vec3::from_f64(d.normal));
            n.normalized()
        }
    };
    Some(WideDirection { direction: *d, normal, gap: wide.gap(normal) })
}

fn normal_of(wide: &Pair<'_, Dd>, features: &FeaturePair) -> Option<Vec3<Dd>> {
    closest_points(wide, features).map(|c| c.normal)
}

/// `n` less its component along the edge of the body that has one.
fn across_edges(wide: &Pair<'_, Dd>, n: Vec3<Dd>) -> Vec3<Dd> {
    let edge = |p: &Polyhedron| {
        p.edges.first().map(|e| Vec3::<Dd>::from_f64(p.vertex(e.v[1])) - Vec3::from_f64(p.vertex(e.v[0])))
    };
    let along = edge(wide.a).or_else(|| edge(wide.b).map(|e| wide.pose.vector(e)));
    match along {
        Some(e) => n - e.scale(n.dot(e) / e.length2()),
        None => n,
    }
}

/// The first feature pair, in the order of the rule, that carries witness points of a tied
/// direction: the features, the direction, the point on A, and the distance between the points
/// across the direction, metres.
fn witnesses<'t>(
    pair: &Pair<'_, f64>,
    wide: &Pair<'_, Dd>,
    tied: &'t [WideDirection],
) -> Option<(FeaturePair, &'t WideDirection, Vec3<Dd>, Dd)> {
    let planes: Vec<SupportPlanes> =
        tied.iter().map(|t| SupportPlanes::new(pair, t.normal.to_f64(), 1e-13 * pair.size)).collect();
    for kinds in 0..6 {
        for (t, plane) in tied.iter().zip(&planes) {
            for features in plane.candidates(kinds) {
                if let Some((point, residual)) = common_point(wide, &features, t) {
                    return Some((features, t, point, residual));
                }
            }
        }
    }
    None
}

/// The point of A's feature that lies over B's feature along the direction, and how far it is off
/// either feature, metres.
fn common_point(wide: &Pair<'_, Dd>, features: &FeaturePair, t: &WideDirection) -> Option<(Vec3<Dd>, Dd)> {
    use crate::feature::FeatureKind::{Edge, Face, Vertex};
    let inside = Dd::from_f64(-1e-22 * wide.size);
    let shift = t.normal.scale(t.gap);
    let (i, j) = (features.a.index, features.b.index);
    let closest = || closest_points(wide, features).filter(|c| c.interior >= inside);
    let edge = |p: &Polyhedron, e: u32| p.edges[e as usize].v;
    // The point, and its distance from A's feature. The direction need not be the feature pair's
    // own normal.
    let (point, off_a) = match (features.a.kind, features.b.kind) {
        (Face, Vertex) => {
            let point = wide.vertex_b(j) - shift;
            (point, (point - closest()?.point_a).length())
        }
        (Vertex, _) => (wide.vertex_a(i), Dd::ZERO),
        (Edge, Vertex) => {
            let point = wide.vertex_b(j) - shift;
            (point, distance_to_edge(point, edge(wide.a, i).map(|v| wide.vertex_a(v))))
        }
        _ => {
            let point = closest()?.point_a;
            (point, distance_to_edge(point, edge(wide.a, i).map(|v| wide.vertex_a(v))))
        }
    };
    let partner = point + shift;
    let off_b = match features.b.kind {
        Vertex => (partner - wide.vertex_b(j)).length(),
        Edge => distance_to_edge(partner, edge(wide.b, j).map(|v| wide.vertex_b(v))),
        Face => (partner - closest()?.point_b).length(),
    };
    let off = off_a.larger(off_b);
    (off.to_f64() <= 2e-13 * wide.size).then_some((point, off))
}
