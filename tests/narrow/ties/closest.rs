//! The oracle of ties: the set of closest points of two parallel parts, its centroid, and the
//! signed distance, in exact arithmetic. The parts are known: nothing is searched for.
//!
//! Points are those of A's frame times a common weight, so that no rotation needs a division. The
//! engine's numbers, rotation and features are not used. Lengths are measured for cores: growth is
//! added by whoever compares.

use super::bodies::{Body, Part};
use super::polygon::{self, Flat};
use crate::exact::{Exact, Root, Vector, cross, dot, minus, plus, times, values, vector};
use clearsweep_testing::oracle::Placement;

/// Directions whose overlap in `f64` is this near the least one, in sizes, are measured exactly.
const NEAR: f64 = 1e-9;

/// Two cores in A's frame.
pub struct Placed {
    /// By how much all points are multiplied.
    pub weight: Exact,
    pub a: Vec<Vector>,
    pub b: Vec<Vector>,
    /// Columns of `a_from_b` times the weight.
    columns: [Vector; 3],
}

/// The columns of `M(q)`.
fn columns(q: [f64; 4]) -> [Vector; 3] {
    let [w, x, y, z] = q.map(Exact::of);
    let (ww, xx, yy, zz) = (w.square(), x.square(), y.square(), z.square());
    let twice = |a: Exact| a.add(&a);
    let (xy, xz, yz) = (x.mul(&y), x.mul(&z), y.mul(&z));
    let (wx, wy, wz) = (w.mul(&x), w.mul(&y), w.mul(&z));
    [
        [ww.add(&xx).sub(&yy.add(&zz)), twice(xy.add(&wz)), twice(xz.sub(&wy))],
        [twice(xy.sub(&wz)), ww.add(&yy).sub(&xx.add(&zz)), twice(yz.add(&wx))],
        [twice(xz.add(&wy)), twice(yz.sub(&wx)), ww.add(&zz).sub(&xx.add(&yy))],
    ]
}

fn square(q: [f64; 4]) -> Exact {
    q.map(Exact::of).iter().map(Exact::square).reduce(|a, b| a.add(&b)).expect("four components")
}

fn turned(columns: &[Vector; 3], v: &Vector) -> Vector {
    plus(&plus(&times(&columns[0], &v[0]), &times(&columns[1], &v[1])), &times(&columns[2], &v[2]))
}

impl Placed {
    pub fn new(a: &[[f64; 3]], pa: &Placement, b: &[[f64; 3]], pb: &Placement) -> Self {
        let (of_a, of_b) = (columns(pa.q), columns(pb.q));
        let back = |v: &Vector| [0, 1, 2].map(|k: usize| dot(&of_a[k], v));
        let shift = minus(&plus(&vector(pb.position), &vector(pb.rest)), &plus(&vector(pa.position), &vector(pa.rest)));
        let same = pa.q == pb.q; // the rotations cancel: smaller numbers
        let (unit, scale) = if same { (Exact::of(1.0), square(pa.q)) } else { (square(pb.q), Exact::of(1.0)) };
        let weight = unit.mul(&square(pa.q));
        let shift = times(&back(&shift), &unit);
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(vector);
        let columns = if same { axes.map(|e| times(&e, &scale)) } else { of_b.each_ref().map(back) };
        Self {
            a: a.iter().map(|&v| times(&vector(v), &weight)).collect(),
            b: b.iter().map(|&v| plus(&turned(&columns, &vector(v)), &shift)).collect(),
            weight,
            columns,
        }
    }

    /// The gap of the supporting planes across a direction (any length): `min over B - max over A`,
    /// times its length and the weight.
    pub fn gap(&self, n: &Vector) -> Exact {
        let heights = |points: &[Vector]| points.iter().map(|x| dot(n, x)).collect::<Vec<_>>();
        let top = heights(&self.a).into_iter().max_by(Exact::compare).expect("a vertex");
        let low = heights(&self.b).into_iter().min_by(Exact::compare).expect("a vertex");
        low.sub(&top)
    }

    /// A length of this frame, times the length of `n`, as a length of the world.
    fn length(&self, gap: &Exact, n: &Vector) -> Root {
        Root::ratio(gap, &dot(n, n).mul(&self.weight.square()))
    }

    /// The direction or its opposite: the one across which the gap is wider.
    fn facing(&self, n: Vector) -> Vector {
        let other = n.each_ref().map(Exact::negative);
        if self.gap(&n).compare(&self.gap(&other)).is_ge() { n } else { other }
    }
}

/// Everything that is known of a tie.
pub struct Tie {
    /// Whether the parts are exactly parallel.
    pub exact: bool,
    /// Centroid of the closest points of A's core, A's frame, metres.
    pub centroid: [f64; 3],
    /// Corners of the set of closest points of A's core, A's frame, metres: 1, 2 (a segment) or
    /// more.
    pub corners: Vec<[f64; 3]>,
    /// Unit, from A to B, A's frame.
    pub normal: [f64; 3],
    /// Signed distance of the cores across the normal. The signed distance itself, if the tie is
    /// exact and the cores are apart.
    pub across: Root,
    /// How far the parts lie behind the supporting planes, metres: 0 but for rounding, unless other
    /// parts are the outermost.
    pub hidden: f64,
    /// Least width of the set (length of a segment), metres. 0 of a point.
    pub width: f64,
    /// By how much the ends of the set move if a rim moves by 1: 1 for sets with an area.
    pub condition: f64,
}

/// The tie of two parts; `None` where no closest points lie in both.
pub fn tie(a: &Body, pa: &Placement, b: &Body, pb: &Placement) -> Option<Tie> {
    let placed = Placed::new(&a.vertices, pa, &b.vertices, pb);
    match (&a.part, &b.part) {
        (Part::Edge(on_a), Part::Edge(on_b)) => edges(&placed, a, *on_a, *on_b),
        (Part::Face(face), _) => {
            let corners = [0, face.len() / 3, 2 * face.len() / 3].map(|k: usize| vector(a.vertices[face[k]]));
            plane(&placed, a, b, corners)
        }
        (_, Part::Face(face)) => {
            let corners = [0, face.len() / 3, 2 * face.len() / 3].map(|k: usize| vector(b.vertices[face[k]]));
            plane(&placed, a, b, corners.map(|c| turned(&placed.columns, &c)))
        }
    }
}

/// Whether all heights are the same.
fn level(n: &Vector, points: &[&Vector]) -> bool {
    points.iter().all(|p| dot(n, p).compare(&dot(n, points[0])).is_eq())
}

/// A face with a face or an edge; `corners` span the plane.
fn plane(placed: &Placed, a: &Body, b: &Body, corners: [Vector; 3]) -> Option<Tie> {
    let u = minus(&corners[1], &corners[0]);
    let n = placed.facing(cross(&u, &minus(&corners[2], &corners[0])));
    let v = cross(&n, &u);
    let on_a: Vec<&Vector> = a.part.corners().iter().map(|&c| &placed.a[c]).collect();
    let on_b: Vec<&Vector> = b.part.corners().iter().map(|&c| &placed.b[c]).collect();
    let origin = on_a[0];
    let flat = |points: &[&Vector]| -> Vec<Flat> {
        let from = |p: &&Vector| minus(p, origin);
        points.iter().map(from).map(|d| [dot(&u, &d), dot(&v, &d)]).collect()
    };
    let (uu, vv) = (dot(&u, &u), dot(&v, &v));
    let space = |p: &Flat| {
        let along = times(&u, &p[0].quotient(&uu));
        let across = times(&v, &p[1].quotient(&vv));
        values(&plus(&plus(&along, &across), origin), &placed.weight)
    };
    let (flat_a, flat_b) = (flat(&on_a), flat(&on_b));
    let common = polygon::common(flat_a, flat_b);
    let corners: Vec<[f64; 3]> = common.iter().map(space).collect();
    let (normal, gap) = (unit(rough_of(&n)), placed.gap(&n));
    Some(Tie {
        exact: level(&n, &on_a) && level(&n, &on_b),
        centroid: space(&polygon::centroid(&common)?),
        normal,
        across: placed.length(&gap, &n),
        hidden: placed.length(&dot(&n, &minus(on_b[0], origin)).sub(&gap), &n).value(),
        width: width(&corners, normal),
        condition: condition(placed, a, b, normal),
        corners,
    })
}

/// Two edges: the middle of their overlap.
fn edges(placed: &Placed, a: &Body, on_a: [usize; 2], on_b: [usize; 2]) -> Option<Tie> {
    let u = minus(&vector(a.vertices[on_a[1]]), &vector(a.vertices[on_a[0]]));
    let uu = dot(&u, &u);
    let origin = &placed.a[on_a[0]];
    let interval = |points: [&Vector; 2]| {
        let [from, to] = points.map(|p| dot(&u, &minus(p, origin)));
        if from.compare(&to).is_le() { [from, to] } else { [to, from] }
    };
    let [a0, a1] = interval(on_a.map(|k| &placed.a[k]));
    let [b0, b1] = interval(on_b.map(|k| &placed.b[k]));
    let from = if a0.compare(&b0).is_ge() { a0 } else { b0 };
    let to = if a1.compare(&b1).is_le() { a1 } else { b1 };
    if from.compare(&to).is_gt() {
        return None;
    }
    let at = |s: &Exact| values(&plus(&times(&u, &s.quotient(&uu)), origin), &placed.weight);
    let between = minus(&placed.b[on_b[0]], origin);
    let across = cross(&u, &between);
    let along = minus(&placed.b[on_b[1]], &placed.b[on_b[0]]);
    let apart = minus(&times(&between, &uu), &times(&u, &dot(&u, &between)));
    let corners = vec![at(&from), at(&to)];
    let square = dot(&across, &across);
    Some(Tie {
        exact: cross(&u, &along).iter().all(|c| c.sign() == 0),
        centroid: at(&from.add(&to).half()),
        normal: unit(rough_of(&apart)),
        across: Root { sign: square.sign(), numerator: square, denominator: uu.mul(&placed.weight.square()) },
        hidden: 0.0,
        width: length(difference(corners[0], corners[1])),
        condition: 1.0,
        corners,
    })
}

/// The signed distance of cores that touch or overlap: the widest gap over all directions that can
/// carry a facet of the Minkowski difference. `None` where there is no such direction. The gap
/// across any other direction is less.
pub fn depth(a: &Body, pa: &Placement, b: &Body, pb: &Placement) -> Option<Root> {
    let placed = Placed::new(&a.vertices, pa, &b.vertices, pb);
    let rough = Rough::new(&placed);
    let directions = directions(&placed, a, b);
    let gaps: Vec<f64> = directions.iter().map(|n| rough.gap(unit(rough_of(n)))).collect();
    let best = gaps.iter().copied().filter(|g| g.is_finite()).reduce(f64::max)?;
    let near = |g: &f64| g.is_nan() || *g >= best - NEAR * rough.size;
    let measured = directions.iter().zip(&gaps).filter(|(_, g)| near(g)).map(|(n, _)| placed.length(&placed.gap(n), n));
    measured.reduce(|x, y| if y.compare(&x).is_gt() { y } else { x })
}

/// The two widest gaps in `f64`, in metres: across the normal, and across any other direction.
pub fn runner_up(a: &Body, pa: &Placement, b: &Body, pb: &Placement, normal: [f64; 3]) -> [f64; 2] {
    let placed = Placed::new(&a.vertices, pa, &b.vertices, pb);
    let rough = Rough::new(&placed);
    let others = directions(&placed, a, b).into_iter().map(|n| unit(rough_of(&n)));
    let others = others.filter(|n| length(difference(*n, normal)) > 1e-6);
    [rough.gap(normal), others.map(|n| rough.gap(n)).fold(f64::NEG_INFINITY, f64::max)]
}

/// Normals of all faces and products of all edges, both ways; one of each bundle of exactly
/// parallel ones at least.
fn directions(placed: &Placed, a: &Body, b: &Body) -> Vec<Vector> {
    let normal = |vertices: &[[f64; 3]], p: &[usize; 3]| {
        let [o, x, y] = p.map(|k| vector(vertices[k]));
        cross(&minus(&x, &o), &minus(&y, &o))
    };
    let ways = |body: &Body| {
        let way = |e: &[usize; 2]| minus(&vector(body.vertices[e[1]]), &vector(body.vertices[e[0]]));
        distinct(body.edges.iter().map(way).collect())
    };
    let mut found: Vec<Vector> = a.planes.iter().map(|p| normal(&a.vertices, p)).collect();
    found.extend(b.planes.iter().map(|p| turned(&placed.columns, &normal(&b.vertices, p))));
    let of_b: Vec<Vector> = ways(b).iter().map(|v| turned(&placed.columns, v)).collect();
    for u in ways(a) {
        found.extend(of_b.iter().map(|v| cross(&u, v)).filter(|n| n.iter().any(|c| c.sign() != 0)));
    }
    let back: Vec<Vector> = found.iter().map(|n| n.each_ref().map(Exact::negative)).collect();
    found.extend(back);
    found
}

/// One vector of each bundle of exactly parallel ones.
fn distinct(vectors: Vec<Vector>) -> Vec<Vector> {
    let mut kept: Vec<(Vector, [f64; 3])> = Vec::new();
    for v in vectors {
        let rough = unit(rough_of(&v));
        let parallel = |(other, far): &(Vector, [f64; 3])| {
            length(product(rough, *far)) < 1e-12 && cross(&v, other).iter().all(|c| c.sign() == 0)
        };
        if !kept.iter().any(parallel) {
            kept.push((v, rough));
        }
    }
    kept.into_iter().map(|(v, _)| v).collect()
}

/// A vector in `f64`.
fn rough_of(v: &Vector) -> [f64; 3] {
    v.each_ref().map(Exact::value)
}

/// The points of a pair in `f64`.
struct Rough {
    a: Vec<[f64; 3]>,
    b: Vec<[f64; 3]>,
    size: f64,
}

impl Rough {
    fn new(placed: &Placed) -> Self {
        let rough = |points: &[Vector]| points.iter().map(|p| values(p, &placed.weight)).collect::<Vec<_>>();
        let (a, b) = (rough(&placed.a), rough(&placed.b));
        let size = a.iter().chain(&b).map(|p| length(*p)).fold(0.0, f64::max);
        Self { a, b, size }
    }

    fn gap(&self, n: [f64; 3]) -> f64 {
        let top = self.a.iter().map(|p| inner(n, *p)).fold(f64::NEG_INFINITY, f64::max);
        self.b.iter().map(|p| inner(n, *p)).fold(f64::INFINITY, f64::min) - top
    }
}

/// The least width of a polygon across its plane; of a segment its length. Sides that rounding made
/// have no direction.
fn width(corners: &[[f64; 3]], normal: [f64; 3]) -> f64 {
    let extent = corners.iter().map(|&c| length(difference(c, corners[0]))).fold(0.0, f64::max);
    if corners.len() < 3 {
        return extent;
    }
    let across = |i: usize| {
        let (p, q) = (corners[i], corners[(i + 1) % corners.len()]);
        let side = difference(q, p);
        let inward = unit(product(normal, side));
        let far = corners.iter().map(|&c| inner(inward, difference(c, p)).abs()).fold(0.0, f64::max);
        (length(side) > 1e-9 * extent).then_some(far)
    };
    (0..corners.len()).filter_map(across).fold(extent, f64::min)
}

/// Returns the condition of an edge over a face: one over the least sine of the angle with a side
/// that it crosses or meets.
fn condition(placed: &Placed, a: &Body, b: &Body, normal: [f64; 3]) -> f64 {
    let corners = |part: &Part, of: &[Vector]| -> Vec<[f64; 3]> {
        part.corners().iter().map(|&c| values(&of[c], &placed.weight)).collect()
    };
    let (on_a, on_b) = (corners(&a.part, &placed.a), corners(&b.part, &placed.b));
    let (edge, face) = match (a.part.is_face(), b.part.is_face()) {
        (true, true) => return 1.0,
        (true, false) => (on_b, on_a),
        _ => (on_a, on_b),
    };
    let across = unit(product(normal, difference(edge[1], edge[0])));
    let mut condition = 1.0_f64;
    for i in 0..face.len() {
        let (p, q) = (face[i], face[(i + 1) % face.len()]);
        let [s, t] = [p, q].map(|c| inner(across, difference(c, edge[0])));
        if s * t <= 0.0 {
            condition = condition.max(length(difference(q, p)) / (t - s).abs());
        }
    }
    condition
}

pub fn inner(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn difference(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub fn product(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub fn length(a: [f64; 3]) -> f64 {
    inner(a, a).sqrt()
}

/// Squares of components neither overflow nor vanish: powers of two are taken out first.
pub fn unit(a: [f64; 3]) -> [f64; 3] {
    let most = a.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
    if most == 0.0 {
        return [0.0; 3];
    }
    let (_, exponent) = libm::frexp(most);
    let a = a.map(|c| libm::scalbn(c, -exponent));
    let length = length(a);
    a.map(|c| c / length)
}
