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
/// The error is a direction along which they overlap by less, with the gap in metres. A difference without any facet (of
/// points and parallel segments) has no inside to overlap in.
pub(crate) fn reaches(pair: &Pair<'_>, upper: Wide) -> Result<(), (Vector<f64>, f64)> {
    let mut beyond = None;
    let any = above(pair, upper.value() - FILTER * pair.size, &mut |n, gap| {
        let holds = (gap - upper).value() <= FINE * pair.size;
        beyond = (!holds).then_some((n, gap.value()));
        holds
    });
    if !any {
        return Err(([f64::NAN; 3], f64::NAN));
    }
    beyond.map_or(Ok(()), Err)
}

/// Whether along some facet normal the cores are apart by `lower` metres at least.
pub(crate) fn shows(pair: &Pair<'_>, lower: Wide) -> bool {
    let mut found = false;
    above(pair, lower.value() - FILTER * pair.size, &mut |_, gap| {
        found = (gap - lower).value() >= -FINE * pair.size;
        !found
    });
    found
}

/// Shows the directions that may have a gap above `floor` metres, with that gap, until told to stop. Returns whether there
/// is any direction, whatever its gap.
fn above(pair: &Pair<'_>, floor: f64, show: &mut dyn FnMut(Vector<f64>, Wide) -> bool) -> bool {
    let (a, b) = (arcs_a(pair), arcs_b(pair));
    let mut list = List { pair, floor, show, any: false };
    let mut go_on = (0..a.normals.len()).all(|i| list.test(a.normals[i], 0.0, || pair.a.hull.facets[i].normal))
        && (0..b.normals.len()).all(|i| list.test(b.normals[i], 0.0, || pair.facet_b(i)));
    let sides = [across(&a, &b), across(&b, &a)];
    for i in 0..a.along.len() {
        for j in 0..b.along.len() {
            go_on = go_on && (!crosses(&a, &b, &sides, i, j) || list.test_edges(&a, &b, i, j));
            if !go_on {
                return true;
            }
        }
    }
    list.any
}

fn arcs_a(pair: &Pair<'_>) -> Arcs {
    let hull = &pair.a.hull;
    let mut arcs = Arcs::new(hull.facets.iter().map(|f| f.rough).collect());
    for edge in &hull.edges {
        let [p, q] = edge.ends.map(|k| pair.a.points[k]);
        arcs.push(p, sub(q, p), edge.facets);
    }
    arcs
}

fn arcs_b(pair: &Pair<'_>) -> Arcs {
    let hull = &pair.b.hull;
    let normal = |n: Vector<f64>| pair.place.rough_vector(n).map(|c| -c);
    let mut arcs = Arcs::new(hull.facets.iter().map(|f| normal(f.rough)).collect());
    for edge in &hull.edges {
        let [p, q] = edge.ends.map(|k| pair.b.points[k]);
        // The difference is turned, not the points: it is off by a few units of itself, however short it is.
        arcs.push(pair.place.rough(p), pair.place.rough_vector(sub(q, p)), edge.facets);
    }
    arcs
}

impl Arcs {
    fn new(normals: Vec<Vector<f64>>) -> Self {
        Self { along: Vec::new(), start: Vec::new(), beside: Vec::new(), normals }
    }

    fn push(&mut self, start: Vector<f64>, along: Vector<f64>, facets: [usize; 2]) {
        self.along.push(times(along, 1.0 / norm(along)));
        self.start.push(start);
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

/// What the directions are shown to. All of its functions say whether to go on.
struct List<'a, 'b> {
    pair: &'b Pair<'a>,
    floor: f64,
    show: &'b mut dyn FnMut(Vector<f64>, Wide) -> bool,
    any: bool,
}

impl List<'_, '_> {
    /// One direction, known to `doubt` radians in `f64`.
    fn test(&mut self, n: Vector<f64>, doubt: f64, fine: impl Fn() -> Vector<Wide>) -> bool {
        self.any = true;
        if self.pair.rough_gap(n) + doubt * self.pair.size <= self.floor {
            return true;
        }
        (self.show)(n, self.pair.gap(fine()))
    }

    /// Both products of two edges.
    fn test_edges(&mut self, a: &Arcs, b: &Arcs, i: usize, j: usize) -> bool {
        let product = cross(a.along[i], b.along[j]);
        let sine = norm(product);
        if sine < 1e-12 {
            return self.test_nearly_parallel(i, j);
        }
        self.any = true;
        let doubt = 16.0 * f64::EPSILON / sine;
        let away = sub(b.start[j], a.start[i]);
        [1.0, -1.0].into_iter().all(|sign| {
            let n = times(product, sign / sine);
            // No support reaches less far than a point of the edge: cheap, and mostly enough.
            dot(n, away) + doubt * self.pair.size <= self.floor
                || !(a.may_hold(i, n, ROOM + doubt) && b.may_hold(j, n, ROOM + doubt))
                || self.test(n, doubt, || times(product_of(self.pair, i, j), Wide::of(sign)))
        })
    }

    fn test_nearly_parallel(&mut self, i: usize, j: usize) -> bool {
        let n = product_of(self.pair, i, j);
        let length = norm(n).0;
        let ends = [self.pair.a.hull.edges[i].ends, self.pair.b.hull.edges[j].ends];
        let lengths = norm(self.pair.edge_a(ends[0])).0 * norm(self.pair.edge_b(ends[1])).0;
        if length <= PARALLEL * lengths {
            return true;
        }
        [1.0, -1.0].into_iter().all(|sign| {
            let rough = n.map(|c| sign * c.value() / length);
            self.test(rough, 1e-15, || times(n, Wide::of(sign)))
        })
    }
}

/// The product of an edge of A and one of B.
fn product_of(pair: &Pair<'_>, i: usize, j: usize) -> Vector<Wide> {
    cross(pair.edge_a(pair.a.hull.edges[i].ends), pair.edge_b(pair.b.hull.edges[j].ends))
}
