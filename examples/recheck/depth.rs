//! The upper end of an overlap: a complete list of the directions that can carry a facet of the Minkowski difference.
//!
//! Bodies overlap by the least overlap along the normals of the facets of `A - B`: faces of A, faces of B, and products
//! of edges whose arcs cross on the Gauss map. The depth is as large as a row says iff along *none* of them the bodies
//! overlap by less. Arcs are compared with a margin far above rounding, so that no crossing is left out; a direction
//! that carries no facet does no harm, since the bodies overlap along it by the depth at least.
//!
//! Products of edges closer to parallel than [`PARALLEL`] are left out: such a facet is a strip no wider than the sine
//! times the edge, and the facets along its sides come as near to the origin but for that width.

use crate::hull::NONE;
use crate::oracle::number::{Number, Vector, Wide, cross, dot, norm, sub, times};
use crate::place::{FILTER, FINE, Pair};

/// Room in the comparison of arcs, sines.
const ROOM: f64 = 1e-9;

/// Sine of edges that count as parallel.
const PARALLEL: f64 = 1e-24;

/// The edges of one body for the Gauss map, in A's frame.
struct Arcs {
    /// Unit directions.
    along: Vec<Vector<f64>>,
    /// A point of each.
    start: Vec<Vector<f64>>,
    /// The normals beside each, from A to B; the same one twice and opposite for the edge of a segment.
    beside: Vec<[usize; 2]>,
    normals: Vec<Vector<f64>>,
}

/// Whether along every facet normal the cores are apart by `upper` metres at most (overlap by `-upper` at least).
/// The error is a direction along which they overlap by less, with the gap in metres.
pub(crate) fn reaches(pair: &Pair<'_>, upper: Wide) -> Result<(), (Vector<f64>, f64)> {
    let enough = Enough { pair, upper, rough: upper.value() - FILTER * pair.size };
    let (a, b) = (arcs_a(pair), arcs_b(pair));
    for (i, facet) in pair.a.hull.facets.iter().enumerate() {
        enough.test(a.normals[i], 0.0, || facet.normal)?;
    }
    for (i, &n) in b.normals.iter().enumerate() {
        enough.test(n, 0.0, || pair.facet_b(i))?;
    }
    let sides = [across(&a, &b), across(&b, &a)];
    for i in 0..a.along.len() {
        for j in 0..b.along.len() {
            if crosses(&a, &b, &sides, i, j) {
                enough.test_edges(&a, &b, i, j)?;
            }
        }
    }
    Ok(())
}

fn arcs_a(pair: &Pair<'_>) -> Arcs {
    let hull = &pair.a.hull;
    let mut arcs = Arcs::new(hull.facets.iter().map(|f| f.rough).collect());
    for edge in &hull.edges {
        let [p, q] = edge.ends.map(|k| pair.a.points[k]);
        arcs.push(p, q, edge.facets);
    }
    arcs
}

fn arcs_b(pair: &Pair<'_>) -> Arcs {
    let hull = &pair.b.hull;
    let normal = |n: Vector<f64>| pair.place.rough_vector(n).map(|c| -c);
    let mut arcs = Arcs::new(hull.facets.iter().map(|f| normal(f.rough)).collect());
    for edge in &hull.edges {
        let [p, q] = edge.ends.map(|k| pair.place.rough(pair.b.points[k]));
        arcs.push(p, q, edge.facets);
    }
    arcs
}

impl Arcs {
    fn new(normals: Vec<Vector<f64>>) -> Self {
        Self { along: Vec::new(), start: Vec::new(), beside: Vec::new(), normals }
    }

    fn push(&mut self, p: Vector<f64>, q: Vector<f64>, facets: [usize; 2]) {
        let d = sub(q, p);
        self.along.push(times(d, 1.0 / norm(d)));
        self.start.push(p);
        self.beside.push(facets);
    }

    /// Whether a direction (of that length) may lie on the arc of an edge across whose plane it was found.
    fn may_hold(&self, edge: usize, n: Vector<f64>, doubt: f64) -> bool {
        let [f, g] = self.beside[edge];
        f == NONE || dot(n, self.normals[f]) + dot(n, self.normals[g]) >= -doubt
    }
}

/// On which sides of the plane across each edge of `of` the normals of `to` lie: 1 above, -1 below, 0 too near to tell.
fn across(of: &Arcs, to: &Arcs) -> Vec<Vec<i8>> {
    let side = |u: Vector<f64>, n: &Vector<f64>| {
        let x = dot(u, *n);
        i8::from(x > ROOM) - i8::from(x < -ROOM)
    };
    of.along.iter().map(|&u| to.normals.iter().map(|n| side(u, n)).collect()).collect()
}

/// Whether the arcs of two edges may cross.
fn crosses(a: &Arcs, b: &Arcs, sides: &[Vec<Vec<i8>>; 2], i: usize, j: usize) -> bool {
    let same_side = |sides: &[i8], [f, g]: [usize; 2]| f != NONE && sides[f] * sides[g] > 0;
    !same_side(&sides[0][i], b.beside[j]) && !same_side(&sides[1][j], a.beside[i])
}

/// What the directions are tested for.
struct Enough<'a, 'b> {
    pair: &'b Pair<'a>,
    upper: Wide,
    /// What `f64` must show so that there is no doubt.
    rough: f64,
}

impl Enough<'_, '_> {
    /// One direction, known to `doubt` radians in `f64`.
    fn test(&self, n: Vector<f64>, doubt: f64, fine: impl Fn() -> Vector<Wide>) -> Result<(), (Vector<f64>, f64)> {
        if self.pair.rough_gap(n) + doubt * self.pair.size <= self.rough {
            return Ok(());
        }
        let gap = self.pair.gap(fine());
        if (gap - self.upper).value() <= FINE * self.pair.size { Ok(()) } else { Err((n, gap.value())) }
    }

    /// Both products of two edges.
    fn test_edges(&self, a: &Arcs, b: &Arcs, i: usize, j: usize) -> Result<(), (Vector<f64>, f64)> {
        let product = cross(a.along[i], b.along[j]);
        let sine = norm(product);
        let doubt = 8.0 * f64::EPSILON / sine;
        if sine < 1e-12 {
            return self.test_nearly_parallel(i, j);
        }
        let away = sub(b.start[j], a.start[i]);
        for sign in [1.0, -1.0] {
            let n = times(product, sign / sine);
            // No support reaches less far than a point of the edge: cheap, and mostly enough.
            if dot(n, away) + doubt * self.pair.size <= self.rough {
                continue;
            }
            if a.may_hold(i, n, ROOM + doubt) && b.may_hold(j, n, ROOM + doubt) {
                self.test(n, doubt, || times(self.product(i, j), Wide::of(sign)))?;
            }
        }
        Ok(())
    }

    fn product(&self, i: usize, j: usize) -> Vector<Wide> {
        let ends = [self.pair.a.hull.edges[i].ends, self.pair.b.hull.edges[j].ends];
        cross(self.pair.edge_a(ends[0]), self.pair.edge_b(ends[1]))
    }

    fn test_nearly_parallel(&self, i: usize, j: usize) -> Result<(), (Vector<f64>, f64)> {
        let ends = [self.pair.a.hull.edges[i].ends, self.pair.b.hull.edges[j].ends];
        let (u, v) = (self.pair.edge_a(ends[0]), self.pair.edge_b(ends[1]));
        let n = cross(u, v);
        let lengths = norm(u).0 * norm(v).0;
        let length = norm(n).0;
        if length <= PARALLEL * lengths {
            return Ok(());
        }
        for n in [n, n.map(|c| -c)] {
            let rough = n.map(|c| c.value() / length);
            self.test(rough, 1e-15, || n)?;
        }
        Ok(())
    }
}
