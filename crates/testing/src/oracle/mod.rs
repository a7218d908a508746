//! The oracle: the signed distance of two convex bodies by enumeration of all their features, in
//! ~104 bits.
//!
//! It shares no code with the engine: not the numbers, not the rotation, not the hull. It is slow
//! and plain.
//! - A *distance* between any two features is an upper bound of the distance; the least one is the
//!   distance of bodies that are apart (vertex and edge pairs, vertex over facet).
//! - The *separation* along any unit axis, `min over B of n.x - max over A of n.x`, is a lower
//!   bound of the signed distance; the greatest one over the facet normals of the Minkowski
//!   difference (facet normals of both bodies and cross products of edges) is minus the depth of
//!   bodies that overlap.
//!
//! Candidates are found in `f64` with generous tolerances and measured in [`Wide`].

pub mod axes;
pub mod body;
pub mod families;
pub mod features;

pub use body::Body;
pub use clearsweep_verifier::{Placement, number, round};
use number::{Number, Vector, Wide, add, dot, norm, sub, unit, values, wide};

/// A body in the frame with the world's axes and its origin in A's position.
pub struct Placed<'a> {
    pub body: &'a Body,
    pub columns: [Vector<Wide>; 3],
    pub shift: Vector<Wide>,
    pub fine: Vec<Vector<Wide>>,
    pub rough: Vec<Vector<f64>>,
    /// Facet normals, rough.
    pub normals: Vec<Vector<f64>>,
}

impl<'a> Placed<'a> {
    fn new(body: &'a Body, placement: &Placement, origin: &Placement) -> Self {
        let columns = placement.columns();
        let shift = [0, 1, 2].map(|k: usize| {
            Wide::sum(placement.position[k], -origin.position[k]) + Wide::sum(placement.rest[k], -origin.rest[k])
        });
        let mut placed = Self { body, columns, shift, fine: Vec::new(), rough: Vec::new(), normals: Vec::new() };
        placed.fine = body.vertices.iter().map(|&v| add(placed.turn(wide(v)), shift)).collect();
        placed.rough = placed.fine.iter().map(|&v| values(v)).collect();
        placed.normals = body.facets.iter().map(|f| values(placed.turn(f.normal))).collect();
        placed
    }

    /// A direction of the body in the world.
    pub fn turn(&self, v: Vector<Wide>) -> Vector<Wide> {
        let part = |k: usize| number::times(self.columns[k], v[k]);
        add(add(part(0), part(1)), part(2))
    }

    /// A point of the world (relative to A's position) in the body's own frame, in `f64`.
    pub fn own(&self, p: Vector<Wide>) -> Vector<f64> {
        let d = sub(p, self.shift);
        self.columns.map(|c| dot(c, d).value())
    }
}

/// Answer of the oracle.
#[derive(Clone, Copy, Debug)]
pub struct Truth {
    /// Signed distance.
    pub distance: Wide,
    /// Unit, from A to B, world axes: moving B along it increases the distance.
    pub normal: Vector<f64>,
    /// Part of the answer that duality does not certify (0 if bodies overlap: then enumeration is
    /// the proof). If edges are parallel but for 1e-16 the direction is known no better than that;
    /// the distance is.
    pub gap: f64,
}

/// The size of a pair: both reaches about the origins, and the distance of the origins.
pub fn size(a: &Body, pa: &Placement, b: &Body, pb: &Placement) -> f64 {
    let t = [0, 1, 2]
        .map(|k: usize| (Wide::sum(pb.position[k], -pa.position[k]) + Wide::sum(pb.rest[k], -pa.rest[k])).value());
    a.reach + b.reach + norm(t)
}

/// The signed distance of two bodies.
pub fn signed_distance(a: &Body, pa: &Placement, b: &Body, pb: &Placement) -> Truth {
    let s = size(a, pa, b, pb);
    let (placed_a, placed_b) = (Placed::new(a, pa, pa), Placed::new(b, pb, pa));
    let core = core_distance(&placed_a, &placed_b, s);
    Truth { distance: core.distance - Wide::sum(a.radius, b.radius), ..core }
}

fn core_distance(a: &Placed<'_>, b: &Placed<'_>, s: f64) -> Truth {
    let (least, between) = features::least_distance(a, b, s);
    let direction = between.direction(s);
    let along = direction.map(|n| axes::separation(a, b, n, s));
    if let (Some(n), Some(along)) = (direction, along)
        && least.0 > 1e-6 * s
        && along.0 > 0.0
    {
        return Truth { distance: least, normal: values(n), gap: (least - along).0 };
    }
    let fallback = direction.map_or([0.0, 0.0, 1.0], values);
    match axes::greatest_separation(a, b, s) {
        // A Minkowski difference that is a segment or a point has no facet: features say all.
        None => Truth { distance: least, normal: fallback, gap: 0.0 },
        Some((greatest, axis)) => {
            let apart = greatest.0 > 0.0 || along.is_some_and(|along| along.0 > 0.0);
            if apart {
                let normal = if least.0 > 1e-12 * s { fallback } else { values(axis) };
                let gap = along.map_or(least, |along| least - if along > greatest { along } else { greatest });
                Truth { distance: least, normal, gap: gap.0 }
            } else {
                Truth { distance: greatest, normal: values(axis), gap: 0.0 }
            }
        }
    }
}

/// Distances of the points `on_a`, `on_b` (in A's own frame) from the surfaces of their bodies.
pub fn off_surfaces(
    a: &Body,
    pa: &Placement,
    b: &Body,
    pb: &Placement,
    on_a: Vector<f64>,
    on_b: Vector<f64>,
) -> [f64; 2] {
    let (placed_a, placed_b) = (Placed::new(a, pa, pa), Placed::new(b, pb, pa));
    [a.off_surface(on_a), b.off_surface(placed_b.own(placed_a.turn(wide(on_b))))]
}

/// The separation of the bodies (radii included) along a direction of the world.
pub fn separation_along(a: &Body, pa: &Placement, b: &Body, pb: &Placement, n: Vector<f64>) -> Wide {
    let (placed_a, placed_b) = (Placed::new(a, pa, pa), Placed::new(b, pb, pa));
    axes::separation(&placed_a, &placed_b, unit(wide(n)), size(a, pa, b, pb)) - Wide::sum(a.radius, b.radius)
}

/// A direction of the world in A's own frame.
pub fn into_frame(pa: &Placement, v: Vector<f64>) -> Vector<f64> {
    pa.columns().map(|c| dot(c, wide(v)).value())
}

/// A direction of A's own frame in the world.
pub fn out_of_frame(pa: &Placement, v: Vector<f64>) -> Vector<f64> {
    let columns = pa.columns();
    let part = |k: usize| number::times(columns[k], Wide(v[k], 0.0));
    values(add(add(part(0), part(1)), part(2)))
}
