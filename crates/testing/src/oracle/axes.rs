//! The greatest separation over the facet normals of the Minkowski difference.

use super::Placed;
use super::number::{Number, Vector, Wide, cross, dot, norm, sub, times, unit, values};

/// Origin of an axis.
#[derive(Clone, Copy)]
enum Axis {
    FacetA(usize),
    FacetB(usize),
    /// Edges of A and B; the cross product, or (`true`) minus it.
    Edges(usize, usize, bool),
}

/// `min over B of n.x - max over A of n.x`, `n` a unit vector.
pub fn separation(a: &Placed<'_>, b: &Placed<'_>, n: Vector<Wide>, s: f64) -> Wide {
    highest(b, times(n, Wide(-1.0, 0.0)), s) * Wide(-1.0, 0.0) - highest(a, n, s)
}

/// The largest `n.x` over the vertices: those that `f64` cannot exclude are measured.
fn highest(body: &Placed<'_>, n: Vector<Wide>, s: f64) -> Wide {
    let rough = values(n);
    let heights = || body.rough.iter().map(|&v| dot(rough, v));
    let top = heights().fold(f64::NEG_INFINITY, f64::max);
    let mut best: Option<Wide> = None;
    for (i, _) in heights().enumerate().filter(|(_, h)| *h >= top - 1e-12 * s) {
        let height = dot(n, body.fine[i]);
        if best.is_none_or(|b| height > b) {
            best = Some(height);
        }
    }
    best.expect("a body has a vertex")
}

/// The greatest separation with its axis; `None` where the Minkowski difference has no facet at
/// all.
pub fn greatest_separation(a: &Placed<'_>, b: &Placed<'_>, s: f64) -> Option<(Wide, Vector<Wide>)> {
    let mut found: Vec<(f64, Axis)> = Vec::new();
    let mut best = f64::NEG_INFINITY;
    let mut offer = |rough: f64, sure: bool, axis: Axis| {
        if rough >= best - 1e-10 * s {
            found.push((rough, axis));
            if sure {
                best = best.max(rough);
            }
        }
    };
    for (i, facet) in a.body.facets.iter().enumerate() {
        let (n, foot) = (a.normals[i], a.rough[facet.vertices[0]]);
        let low = b.rough.iter().map(|&v| dot(n, v)).fold(f64::INFINITY, f64::min);
        offer(low - dot(n, foot), true, Axis::FacetA(i));
    }
    for (i, facet) in b.body.facets.iter().enumerate() {
        let (n, foot) = (b.normals[i], b.rough[facet.vertices[0]]);
        let low = a.rough.iter().map(|&v| dot(n, v)).fold(f64::INFINITY, f64::min);
        offer(low - dot(n, foot), true, Axis::FacetB(i));
    }
    edge_axes(a, b, s, &mut offer);
    let mut greatest: Option<(Wide, Vector<Wide>)> = None;
    for &(rough, axis) in &found {
        if rough < best - 1e-10 * s {
            continue;
        }
        let Some(n) = direction(axis, a, b) else { continue };
        let value = separation(a, b, n, s);
        if greatest.is_none_or(|(best, _)| value > best) {
            greatest = Some((value, n));
        }
    }
    greatest
}

/// Cross products of edges that support both bodies, as far as the facets beside them tell.
fn edge_axes(a: &Placed<'_>, b: &Placed<'_>, s: f64, offer: &mut impl FnMut(f64, bool, Axis)) {
    for (i, edge_a) in a.body.edges.iter().enumerate() {
        let [p, p1] = edge_a.ends.map(|k| a.rough[k]);
        let u = sub(p1, p);
        for (j, edge_b) in b.body.edges.iter().enumerate() {
            let [q, q1] = edge_b.ends.map(|k| b.rough[k]);
            let v = sub(q1, q);
            let plus = cross(u, v);
            let length = norm(plus);
            if length < 1e-7 * norm(u) * norm(v) {
                // Nearly parallel: no trustworthy rough axis; measured in any case.
                offer(f64::INFINITY, false, Axis::Edges(i, j, false));
                offer(f64::INFINITY, false, Axis::Edges(i, j, true));
                continue;
            }
            let doubt = 1e-10 * s + 1e-15 * s * norm(u) * norm(v) / length;
            for flip in [false, true] {
                let n = times(plus, if flip { -1.0 } else { 1.0 } / length);
                let supports_a = edge_a.wings.iter().all(|&w| dot(n, sub(a.rough[w], p)) <= doubt);
                let supports_b = edge_b.wings.iter().all(|&w| dot(n, sub(b.rough[w], q)) >= -doubt);
                if supports_a && supports_b {
                    // Not sure: within the doubt the edges may support less than they seem to.
                    offer(dot(n, sub(q, p)), false, Axis::Edges(i, j, flip));
                }
            }
        }
    }
}

/// The axis, unit, from A to B.
fn direction(axis: Axis, a: &Placed<'_>, b: &Placed<'_>) -> Option<Vector<Wide>> {
    match axis {
        Axis::FacetA(i) => Some(a.turn(a.body.facets[i].normal)),
        Axis::FacetB(i) => Some(times(b.turn(b.body.facets[i].normal), Wide(-1.0, 0.0))),
        Axis::Edges(i, j, flip) => {
            let [p, p1] = a.body.edges[i].ends.map(|k| a.fine[k]);
            let [q, q1] = b.body.edges[j].ends.map(|k| b.fine[k]);
            let (u, v) = (sub(p1, p), sub(q1, q));
            let plus = cross(u, v);
            let parallel = norm(plus).value() <= 1e-24 * (norm(u) * norm(v)).value();
            (!parallel).then(|| times(unit(plus), Wide(if flip { -1.0 } else { 1.0 }, 0.0)))
        }
    }
}
