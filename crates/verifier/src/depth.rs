//! The upper end of an overlap: a complete list of the directions that can carry a facet of the
//! Minkowski difference.
//!
//! Bodies overlap by the least overlap along the normals of the facets of `A - B`: faces of A,
//! faces of B, and products of edges whose arcs cross on the Gauss map. The depth is as large as a
//! row says iff along *none* of them the bodies overlap by less. Arcs are compared with a margin
//! far above rounding, so that no crossing is left out; a direction that carries no facet does no
//! harm, since the bodies overlap along it by the depth at least.
//!
//! Most directions are excluded without being made: see `Arcs::exclude`.
//!
//! Products of edges closer to parallel than `PARALLEL` are left out: such a facet is a strip no
//! wider than the sine times the edge, and the facets along its sides come as near to the origin
//! but for that width.

use crate::hull::NONE;
use crate::number::{Number, Vector, Wide, add, cross, dot, norm, sub, times};
use crate::place::{FILTER, FINE, Pair};

/// Room in the comparison of arcs, sines.
const ROOM: f64 = 1e-9;

/// Sine of edges that count as parallel.
const PARALLEL: f64 = 1e-24;

/// No point of the other body excludes a facet.
const OPEN: usize = usize::MAX;

/// The edges of one body for the Gauss map, and its points, in A's frame.
struct Arcs {
    points: Vec<Vector<f64>>,
    /// 1 for A, -1 for B: `normals` times this point out of the body.
    outward: f64,
    /// A point of each facet.
    feet: Vec<Vector<f64>>,
    /// Unit directions.
    along: Vec<Vector<f64>>,
    /// A point of each.
    start: Vec<Vector<f64>>,
    /// The normals beside each, from A to B; the same one twice and opposite for the edge of a
    /// segment.
    beside: Vec<[usize; 2]>,
    normals: Vec<Vector<f64>>,
}

/// Whether along every facet normal the cores are apart by `upper` metres at most (overlap by
/// `-upper` at least). The error is a direction along which they overlap by less, with the gap in
/// metres. A difference without any facet (of points and parallel segments) has no inside to
/// overlap in.
pub fn reaches(pair: &Pair<'_>, upper: Wide) -> Result<(), (Vector<f64>, f64)> {
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
pub fn shows(pair: &Pair<'_>, lower: Wide) -> bool {
    let mut found = false;
    above(pair, lower.value() - FILTER * pair.size, &mut |_, gap| {
        found = (gap - lower).value() >= -FINE * pair.size;
        !found
    });
    found
}

/// The largest gap along all facet normals, in [`Wide`]; it is at least `from`, a gap along some
/// direction. `None` if the difference has no facet.
pub fn largest_gap(pair: &Pair<'_>, from: Wide) -> Option<Largest> {
    let mut largest = Largest { gap: from, direction: None };
    let any = above(pair, from.value() - FILTER * pair.size, &mut |n, gap| {
        if gap > largest.gap {
            largest = Largest { gap, direction: Some(n) };
        }
        true
    });
    any.then_some(largest)
}

/// The largest gap, and its direction if it is not the one begun with.
pub struct Largest {
    /// Metres.
    pub gap: Wide,
    /// Unit direction in A's frame, in `f64`.
    pub direction: Option<Vector<f64>>,
}

/// Shows the directions that may have a gap above `floor` metres, with that gap, until told to
/// stop. Returns whether there is any direction, whatever its gap.
fn above(pair: &Pair<'_>, floor: f64, show: &mut dyn FnMut(Vector<f64>, Wide) -> bool) -> bool {
    let (a, b) = (arcs_a(pair), arcs_b(pair));
    let mut list = List { pair, floor, show, any: !a.normals.is_empty() || !b.normals.is_empty() };
    let (by_b, by_a) = (a.excluded_by(&b.points, floor), b.excluded_by(&a.points, floor));
    let open = |by: &[usize]| (0..by.len()).filter(|&f| by[f] == OPEN).collect::<Vec<_>>();
    let mut go_on = open(&by_b).into_iter().all(|f| list.test(a.normals[f], 0.0, || pair.a.hull().facets[f].normal))
        && open(&by_a).into_iter().all(|f| list.test(b.normals[f], 0.0, || pair.facet_b(f)));
    let (left, right) = (a.left(&b.points, &by_b, floor), b.left(&a.points, &by_a, floor));
    for &i in &left {
        for &j in &right {
            go_on = go_on && (!crosses(&a, &b, i, j) || list.test_edges(&a, &b, i, j));
            if !go_on {
                return true;
            }
        }
    }
    list.any
}

fn arcs_a(pair: &Pair<'_>) -> Arcs {
    let hull = pair.a.hull();
    let mut arcs = Arcs::new(pair.a.points.clone(), 1.0);
    for facet in &hull.facets {
        arcs.normals.push(facet.rough);
        arcs.feet.push(arcs.points[facet.corners[0]]);
    }
    for edge in &hull.edges {
        let [p, q] = edge.ends.map(|k| pair.a.points[k]);
        arcs.push(p, sub(q, p), edge.facets);
    }
    arcs
}

fn arcs_b(pair: &Pair<'_>) -> Arcs {
    let hull = pair.b.hull();
    let mut arcs = Arcs::new(pair.b.points.iter().map(|&p| pair.place.rough(p)).collect(), -1.0);
    for facet in &hull.facets {
        arcs.normals.push(pair.place.rough_vector(facet.rough).map(|c| -c));
        arcs.feet.push(arcs.points[facet.corners[0]]);
    }
    for edge in &hull.edges {
        let [p, q] = edge.ends.map(|k| pair.b.points[k]);
        // The difference is turned, not the points: it is off by a few units of itself, however
        // short it is.
        arcs.push(arcs.points[edge.ends[0]], pair.place.rough_vector(sub(q, p)), edge.facets);
    }
    arcs
}

impl Arcs {
    fn new(points: Vec<Vector<f64>>, outward: f64) -> Self {
        let (along, start, beside) = (Vec::new(), Vec::new(), Vec::new());
        Self { points, outward, feet: Vec::new(), along, start, beside, normals: Vec::new() }
    }

    /// An upper bound of the gap along the normal of a facet, metres: no support of the other body
    /// reaches less far than any of its points. `own`: a point of the facet.
    fn bound(&self, facet: usize, own: Vector<f64>, other: Vector<f64>) -> f64 {
        self.outward * dot(self.normals[facet], sub(other, own))
    }

    /// By facet: a point of the other body that shows a gap of `floor` at most along its normal, or
    /// [`OPEN`].
    fn excluded_by(&self, others: &[Vector<f64>], floor: f64) -> Vec<usize> {
        // Normals of one sector of the sphere mostly have one support: the last one found is tried
        // first.
        let mut last = [0; 64];
        let exclude = |f: usize| {
            let known = &mut last[sector(self.normals[f])];
            if self.bound(f, self.feet[f], others[*known]) <= floor {
                return *known;
            }
            *known = lowest(others, times(self.normals[f], self.outward));
            if self.bound(f, self.feet[f], others[*known]) <= floor { *known } else { OPEN }
        };
        (0..self.normals.len()).map(exclude).collect()
    }

    /// The edges whose arcs may hold a direction with a gap above `floor`.
    fn left(&self, others: &[Vector<f64>], by: &[usize], floor: f64) -> Vec<usize> {
        (0..self.along.len()).filter(|&e| !self.exclude(e, others, by, floor)).collect()
    }

    /// Whether no direction of an arc has a gap above `floor`.
    ///
    /// A direction of the arc is `n = (s f + t g) / l`, `f` and `g` the normals beside the edge,
    /// `s, t >= 0`, `s + t = 1`, `l <= 1`. For a point `y` of the other body and `x` of the edge
    /// the gap along `n` is at most `n.(y - x)`. Where this is below zero along both `f` and `g`,
    /// it is as far below zero along `n`, or farther. Not so for the half circles of flat bodies,
    /// and for floors above zero.
    fn exclude(&self, edge: usize, others: &[Vector<f64>], by: &[usize], floor: f64) -> bool {
        let [f, g] = self.beside[edge];
        if floor >= 0.0 || f == NONE || by[f] == OPEN || by[g] == OPEN || self.normals.len() < 4 {
            return false;
        }
        let start = self.start[edge];
        let holds = |k: usize| [f, g].into_iter().all(|h| self.bound(h, start, others[k]) <= floor);
        holds(by[f]) || holds(by[g]) || {
            let middle = add(self.normals[f], self.normals[g]);
            holds(lowest(others, times(middle, self.outward)))
        }
    }

    fn push(&mut self, start: Vector<f64>, along: Vector<f64>, facets: [usize; 2]) {
        self.along.push(times(along, 1.0 / norm(along)));
        self.start.push(start);
        self.beside.push(facets);
    }

    /// Whether a direction (of that length) may lie on the arc of an edge across whose plane it was
    /// found.
    fn may_hold(&self, edge: usize, n: Vector<f64>, doubt: f64) -> bool {
        let [f, g] = self.beside[edge];
        f == NONE || dot(n, self.normals[f]) + dot(n, self.normals[g]) >= -doubt
    }
}

/// One of 64 sectors of the sphere: by the signs of the coordinates, and by which of them are
/// larger.
fn sector([x, y, z]: Vector<f64>) -> usize {
    let (p, q, r) = (x.abs(), y.abs(), z.abs());
    let bits = [x > 0.0, y > 0.0, z > 0.0, p > q, q > r, p > r];
    bits.into_iter().fold(0, |all, bit| all << 1 | usize::from(bit))
}

/// The index of the point least far along a direction.
fn lowest(points: &[Vector<f64>], n: Vector<f64>) -> usize {
    let mut best = (f64::INFINITY, 0);
    for (k, p) in points.iter().enumerate() {
        let height = dot(n, *p);
        best = if height < best.0 { (height, k) } else { best };
    }
    best.1
}

/// Whether the arcs of two edges may cross: unless both ends of one lie clearly on one side of the
/// plane of the other.
fn crosses(a: &Arcs, b: &Arcs, i: usize, j: usize) -> bool {
    let one_side = |along: Vector<f64>, normals: &[Vector<f64>], [f, g]: [usize; 2]| {
        let side = |h: usize| dot(along, normals[h]);
        let (x, y) = if f == NONE { (0.0, 0.0) } else { (side(f), side(g)) };
        x > ROOM && y > ROOM || x < -ROOM && y < -ROOM
    };
    !one_side(a.along[i], &b.normals, b.beside[j]) && !one_side(b.along[j], &a.normals, a.beside[i])
}

/// Sink to which directions are shown. All of its functions say whether to go on.
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
        let ends = [self.pair.a.hull().edges[i].ends, self.pair.b.hull().edges[j].ends];
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
    cross(pair.edge_a(pair.a.hull().edges[i].ends), pair.edge_b(pair.b.hull().edges[j].ends))
}
