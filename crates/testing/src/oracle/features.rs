//! The least distance over all pairs of features.

use super::Placed;
use super::number::{Number, Vector, Wide, add, cross, dot, norm, sub, times, unit, values};

/// A pair of features whose distance may be the least.
#[derive(Clone, Copy)]
enum Pair {
    /// Vertices of A, of B.
    Vertices(usize, usize),
    /// A vertex of one body over an edge of the other; `true`: the vertex is A's.
    VertexEdge(bool, usize, usize),
    /// Edges of A, of B.
    Edges(usize, usize),
    /// A vertex of one body over a facet of the other; `true`: the vertex is A's.
    VertexFacet(bool, usize, usize),
}

/// Candidates with their rough distance; the best rough distance of a pair that surely counts.
struct Search {
    best: f64,
    slack: f64,
    found: Vec<(f64, Pair)>,
}

impl Search {
    /// `sure`: the feet lie within both features beyond doubt, so `rough` bounds the answer.
    fn offer(&mut self, rough: f64, sure: bool, pair: Pair) {
        if rough <= self.best + self.slack {
            self.found.push((rough, pair));
            if sure {
                self.best = self.best.min(rough);
            }
        }
    }
}

/// The vector from A's foot to B's, and its direction where the features tell it better than the
/// vector itself: the normal of the facet, the cross product of the edges.
#[derive(Clone, Copy)]
pub struct Between {
    pub vector: Vector<Wide>,
    axis: Option<Vector<Wide>>,
    /// The edge that the direction must be perpendicular to, if there is only one.
    edge: Option<Vector<Wide>>,
}

impl Between {
    fn only(vector: Vector<Wide>) -> Self {
        Self { vector, axis: None, edge: None }
    }

    fn reversed(self) -> Self {
        Self { vector: self.vector.map(|x| -x), ..self }
    }

    /// Unit, from A to B; `None` where the feet coincide.
    pub fn direction(&self, s: f64) -> Option<Vector<Wide>> {
        let length = norm(self.vector).0;
        match self.axis {
            _ if length <= 1e-29 * s => None,
            Some(axis) if dot(axis, self.vector).0 < 0.0 => Some(unit(axis.map(|x| -x))),
            Some(axis) => Some(unit(axis)),
            None => {
                // Near contact the rounding of the feet tilts the direction; what it tilts along
                // the edge is taken out.
                let rough = unit(self.vector);
                let along = |e: Vector<Wide>| unit(sub(rough, times(e, dot(rough, e) / dot(e, e))));
                Some(self.edge.map_or(rough, along))
            }
        }
    }
}

/// The least distance of two features, and the vector between their feet.
pub fn least_distance(a: &Placed<'_>, b: &Placed<'_>, s: f64) -> (Wide, Between) {
    let mut search = Search { best: f64::INFINITY, slack: 1e-10 * s, found: Vec::new() };
    vertices(&mut search, a, b);
    vertex_edges(&mut search, a, b, true, s);
    vertex_edges(&mut search, b, a, false, s);
    vertex_facets(&mut search, a, b, true, s);
    vertex_facets(&mut search, b, a, false, s);
    edges(&mut search, a, b, s);
    let limit = search.best + search.slack;
    let mut least: Option<(Wide, Between)> = None;
    for &(_, pair) in search.found.iter().filter(|(rough, _)| *rough <= limit) {
        if let Some(between) = measure(pair, a, b) {
            let square = dot(between.vector, between.vector);
            if least.is_none_or(|(best, _)| square < best) {
                least = Some((square, between));
            }
        }
    }
    let (square, between) = least.expect("two vertices always have a distance");
    (square.root(), between)
}

fn vertices(search: &mut Search, a: &Placed<'_>, b: &Placed<'_>) {
    for i in 0..a.rough.len() {
        for j in 0..b.rough.len() {
            search.offer(norm(sub(b.rough[j], a.rough[i])), true, Pair::Vertices(i, j));
        }
    }
}

/// Vertices of `v` over edges of `e`.
fn vertex_edges(search: &mut Search, v: &Placed<'_>, e: &Placed<'_>, vertex_is_a: bool, s: f64) {
    for (j, edge) in e.body.edges.iter().enumerate() {
        let [p, q] = edge.ends.map(|i| e.rough[i]);
        let along = sub(q, p);
        let square = dot(along, along);
        // Rough places are off by a share of both bodies' size, which may be many lengths of this
        // edge.
        let doubt = 1e-9 + 1e-14 * s / square.sqrt();
        for i in 0..v.rough.len() {
            let d = sub(v.rough[i], p);
            let share = dot(d, along) / square;
            if (-doubt..=1.0 + doubt).contains(&share) {
                let sure = (0.0..=1.0).contains(&share);
                search.offer(norm(sub(d, times(along, share))), sure, Pair::VertexEdge(vertex_is_a, i, j));
            }
        }
    }
}

/// Vertices of `v` over facets of `f`.
fn vertex_facets(search: &mut Search, v: &Placed<'_>, f: &Placed<'_>, vertex_is_a: bool, s: f64) {
    for (j, facet) in f.body.facets.iter().enumerate() {
        let (normal, foot) = (f.normals[j], f.rough[facet.vertices[0]]);
        for i in 0..v.rough.len() {
            let height = dot(normal, sub(v.rough[i], foot));
            if height < -search.slack || height > search.best + search.slack {
                continue; // below the facet, or too far above it
            }
            let mut inside = f64::INFINITY;
            for &[p, q] in &facet.sides {
                let along = sub(f.rough[q], f.rough[p]);
                inside = inside.min(dot(cross(normal, along), sub(v.rough[i], f.rough[p])) / norm(along));
            }
            if inside >= -1e-9 * s {
                search.offer(height.abs(), inside >= 0.0, Pair::VertexFacet(vertex_is_a, i, j));
            }
        }
    }
}

fn edges(search: &mut Search, a: &Placed<'_>, b: &Placed<'_>, s: f64) {
    for (i, edge_a) in a.body.edges.iter().enumerate() {
        let [p, p1] = edge_a.ends.map(|k| a.rough[k]);
        let u = sub(p1, p);
        for (j, edge_b) in b.body.edges.iter().enumerate() {
            let [q, q1] = edge_b.ends.map(|k| b.rough[k]);
            let (v, d) = (sub(q1, q), sub(q, p));
            let normal = cross(u, v);
            let (square, lengths) = (dot(normal, normal), dot(u, u) * dot(v, v));
            if square < 1e-12 * lengths {
                // Nearly parallel: the ends are looked at elsewhere; points between them are nearer
                // by at most `drop`.
                let nearest = ends_to_edges(p, p1, q, q1);
                let drop = 2e-6 * norm(u).max(norm(v)) + 1e-9 * s;
                search.offer((nearest - drop).max(0.0), false, Pair::Edges(i, j));
                continue;
            }
            let height = dot(d, normal);
            let reach = search.best + search.slack;
            if height * height > reach * reach * square {
                continue;
            }
            let (share_a, share_b) = (dot(cross(d, v), normal) / square, dot(cross(d, u), normal) / square);
            let doubt = 1e-9 + 1e-14 * s * s / square.sqrt();
            let within = |x: f64, e: f64| (-e..=1.0 + e).contains(&x);
            if within(share_a, doubt) && within(share_b, doubt) {
                let sure = within(share_a, -1e-9) && within(share_b, -1e-9);
                search.offer(height.abs() / square.sqrt(), sure, Pair::Edges(i, j));
            }
        }
    }
}

/// The least distance of the ends of two segments from the other one.
fn ends_to_edges(p: Vector<f64>, p1: Vector<f64>, q: Vector<f64>, q1: Vector<f64>) -> f64 {
    let to = |x: Vector<f64>, a: Vector<f64>, b: Vector<f64>| {
        let along = sub(b, a);
        let share = (dot(sub(x, a), along) / dot(along, along)).clamp(0.0, 1.0);
        norm(sub(sub(x, a), times(along, share)))
    };
    to(p, q, q1).min(to(p1, q, q1)).min(to(q, p, p1)).min(to(q1, p, p1))
}

/// The vector from A's foot to B's, if the feet lie within both features.
fn measure(pair: Pair, a: &Placed<'_>, b: &Placed<'_>) -> Option<Between> {
    match pair {
        Pair::Vertices(i, j) => Some(Between::only(sub(b.fine[j], a.fine[i]))),
        Pair::VertexEdge(true, i, j) => over_edge(a.fine[i], b, j),
        Pair::VertexEdge(false, i, j) => over_edge(b.fine[i], a, j).map(Between::reversed),
        Pair::VertexFacet(true, i, j) => over_facet(a.fine[i], b, j),
        Pair::VertexFacet(false, i, j) => over_facet(b.fine[i], a, j).map(Between::reversed),
        Pair::Edges(i, j) => between_edges(a, i, b, j),
    }
}

/// Whether a share of an edge lies on it.
fn on_edge(share: Wide) -> bool {
    share.value() >= -1e-27 && (share - Wide(1.0, 0.0)).value() <= 1e-27
}

fn over_edge(x: Vector<Wide>, e: &Placed<'_>, j: usize) -> Option<Between> {
    let [p, q] = e.body.edges[j].ends.map(|k| e.fine[k]);
    let (along, d) = (sub(q, p), sub(x, p));
    let share = dot(d, along) / dot(along, along);
    on_edge(share).then(|| Between { edge: Some(along), ..Between::only(sub(times(along, share), d)) })
}

fn over_facet(x: Vector<Wide>, f: &Placed<'_>, j: usize) -> Option<Between> {
    let facet = &f.body.facets[j];
    let normal = f.turn(facet.normal);
    let inside = facet.sides.iter().all(|&[p, q]| {
        let along = sub(f.fine[q], f.fine[p]);
        dot(cross(normal, along), sub(x, f.fine[p])).value() >= -1e-27 * norm(values(along)) * f.body.reach
    });
    let height = dot(normal, sub(x, f.fine[facet.vertices[0]]));
    inside.then(|| Between { vector: times(normal, -height), axis: Some(normal), edge: None })
}

fn between_edges(a: &Placed<'_>, i: usize, b: &Placed<'_>, j: usize) -> Option<Between> {
    let [p, p1] = a.body.edges[i].ends.map(|k| a.fine[k]);
    let [q, q1] = b.body.edges[j].ends.map(|k| b.fine[k]);
    let (u, v, d) = (sub(p1, p), sub(q1, q), sub(q, p));
    let normal = cross(u, v);
    let square = dot(normal, normal);
    let parallel = square.value() / (dot(u, u) * dot(v, v)).value();
    if parallel <= 1e-48 {
        return None; // an end is as near
    }
    let (share_a, share_b) = (dot(cross(d, v), normal) / square, dot(cross(d, u), normal) / square);
    if parallel > 1e-12 {
        let vector = times(normal, dot(d, normal) / square);
        return (on_edge(share_a) && on_edge(share_b))
            .then_some(Between { axis: Some(normal), ..Between::only(vector) });
    }
    // Badly conditioned: clamped feet are points of both edges anyhow, so that the distance is
    // never too small; and what it is too large by is of second order.
    let share_b = clamped(share_b);
    let share_a = clamped(dot(add(d, times(v, share_b)), u) / dot(u, u));
    let share_b = clamped(dot(sub(times(u, share_a), d), v) / dot(v, v));
    Some(Between::only(sub(add(d, times(v, share_b)), times(u, share_a))))
}

fn clamped(share: Wide) -> Wide {
    let (zero, one) = (Wide(0.0, 0.0), Wide(1.0, 0.0));
    if share < zero {
        zero
    } else if share > one {
        one
    } else {
        share
    }
}
