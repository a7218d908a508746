//! The signed distance of two convex bodies at their poses, from the numbers of the input, in exact
//! arithmetic.
//!
//! The bodies know their planes and edges by construction: nothing is searched for, and nothing is
//! recentred. All points are those of the world times a common weight, so that no rotation needs a
//! division. Candidates are found in `f64`, relative to a point of A, with a generous tolerance,
//! and measured exactly.

use std::cmp::Ordering;

use crate::exact::{Exact, Root, Vector, cross, dot, minus, plus, times, values, vector};

/// Candidates in `f64` within this of the best one, in sizes of the pair, are measured exactly.
const NEAR: f64 = 1e-9;

/// A convex body of at least one vertex, before anyone made a hull of it.
#[derive(Clone, Debug)]
pub struct Body {
    pub vertices: Vec<[f64; 3]>,
    /// Three corners of each plane that carries a face; one of each bundle of parallel ones.
    pub planes: Vec<[usize; 3]>,
    /// Edges, one of each bundle of parallel ones.
    pub ways: Vec<[usize; 2]>,
    /// The surface; of a body without faces none.
    pub triangles: Vec<[usize; 3]>,
    pub edges: Vec<[usize; 2]>,
    /// Metres.
    pub growth: f64,
}

/// A position (metres) and a quaternion w, x, y, z of any norm.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub position: [f64; 3],
    pub q: [f64; 4],
}

/// `|q|^2 R(q) v = (w^2 - u.u) v + 2 (u.v) u + 2 w (u x v)`, `u` the vector part.
fn turned(q: &[Exact; 4], v: &Vector) -> Vector {
    let (w, u) = (&q[0], [q[1].clone(), q[2].clone(), q[3].clone()]);
    let twice = |a: &Exact| a.add(a);
    let straight = times(v, &w.square().sub(&dot(&u, &u)));
    plus(&plus(&straight, &times(&u, &twice(&dot(&u, v)))), &times(&cross(&u, v), &twice(w)))
}

fn square(q: &[Exact; 4]) -> Exact {
    q.iter().map(Exact::square).reduce(|a, b| a.add(&b)).expect("four components")
}

/// Two cores in the world.
struct Cores<'a> {
    bodies: [&'a Body; 2],
    weight: Exact,
    exact: [Vec<Vector>; 2],
    /// Metres, relative to the first vertex of A.
    rough: [Vec<[f64; 3]>; 2],
    /// The largest distance of a vertex from the first one of A, metres.
    size: f64,
}

/// The signed distance of the cores of two bodies, one of which has to be a solid: growth is left
/// aside. Metres.
pub fn signed_distance(a: &Body, at_a: &Place, b: &Body, at_b: &Place) -> Root {
    let cores = Cores::new([a, b], [at_a, at_b]);
    let separation = cores.separation();
    if separation.sign > 0 { cores.distance() } else { separation }
}

impl<'a> Cores<'a> {
    fn new(bodies: [&'a Body; 2], places: [&Place; 2]) -> Self {
        let q = places.map(|place| place.q.map(Exact::of));
        let squares = q.each_ref().map(square);
        let weight = squares[0].mul(&squares[1]);
        let exact = [0, 1].map(|k: usize| {
            let shift = times(&vector(places[k].position), &weight);
            let point = |v: &[f64; 3]| plus(&times(&turned(&q[k], &vector(*v)), &squares[1 - k]), &shift);
            bodies[k].vertices.iter().map(point).collect::<Vec<_>>()
        });
        let origin = exact[0][0].clone();
        let rough =
            exact.each_ref().map(|list| list.iter().map(|p| values(&minus(p, &origin), &weight)).collect::<Vec<_>>());
        let size = rough.iter().flatten().map(|p| length(*p)).fold(0.0, f64::max);
        Self { bodies, weight, exact, rough, size }
    }

    /// The widest gap over all directions that can carry a facet of the Minkowski difference.
    fn separation(&self) -> Root {
        let mut measured: Vec<(f64, Vector)> = Vec::new();
        for (body, points) in self.bodies.iter().zip(&self.exact) {
            for &[o, p, q] in &body.planes {
                let n = cross(&minus(&points[p], &points[o]), &minus(&points[q], &points[o]));
                measured.push((self.rough_gap(rough(&n)), n));
            }
        }
        let way = |k: usize, e: &[usize; 2]| minus(&self.exact[k][e[1]], &self.exact[k][e[0]]);
        let far = |k: usize, e: &[usize; 2]| difference(self.rough[k][e[1]], self.rough[k][e[0]]);
        for d in &self.bodies[0].ways {
            for e in &self.bodies[1].ways {
                let (u, v) = (far(0, d), far(1, e));
                let n = product(u, v);
                // Rounding leaves no direction of edges that are all but parallel.
                let sharp = length(n) > 1e-6 * length(u) * length(v);
                let gap = if sharp { self.rough_gap(n) } else { f64::INFINITY };
                let n = cross(&way(0, d), &way(1, e));
                if n.iter().any(|c| c.sign() != 0) {
                    measured.push((gap, n));
                }
            }
        }
        let finite = measured.iter().map(|m| m.0).filter(|gap| gap.is_finite());
        let floor = finite.fold(f64::NEG_INFINITY, f64::max) - NEAR * self.size;
        let near = measured.iter().filter(|m| m.0 >= floor);
        near.map(|(_, n)| self.gap(n)).reduce(|x, y| if y.compare(&x).is_gt() { y } else { x }).expect("a solid")
    }

    /// The wider one of the gaps along a direction and against it, exactly.
    fn gap(&self, n: &Vector) -> Root {
        let span = |k: usize| {
            let heights: Vec<Exact> = self.exact[k].iter().map(|p| dot(n, p)).collect();
            let pick = |order: Ordering| {
                let best = |x: Exact, y: &Exact| if y.compare(&x) == order { y.clone() } else { x };
                heights[1..].iter().fold(heights[0].clone(), best)
            };
            [pick(Ordering::Less), pick(Ordering::Greater)]
        };
        let ([low_a, high_a], [low_b, high_b]) = (span(0), span(1));
        let (along, against) = (low_b.sub(&high_a), low_a.sub(&high_b));
        let wider = if along.compare(&against).is_ge() { along } else { against };
        Root::ratio(&wider, &dot(n, n).mul(&self.weight.square()))
    }

    fn rough_gap(&self, n: [f64; 3]) -> f64 {
        let n = unit(n);
        let span = |k: usize| {
            let heights = self.rough[k].iter().map(|p| inner(n, *p));
            heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], h| [low.min(h), high.max(h)])
        };
        let ([low_a, high_a], [low_b, high_b]) = (span(0), span(1));
        (low_b - high_a).max(low_a - high_b)
    }

    /// The distance of cores that are apart: the least one of any two features.
    fn distance(&self) -> Root {
        let mut found: Vec<(f64, Nearest)> = Vec::new();
        for k in [0, 1] {
            for v in 0..self.bodies[k].vertices.len() {
                for t in &self.bodies[1 - k].triangles {
                    let corners = t.map(|c| self.rough[1 - k][c]);
                    found.push((to_triangle(self.rough[k][v], corners), Nearest::Corner(k, v, *t)));
                }
            }
        }
        for d in &self.bodies[0].edges {
            for e in &self.bodies[1].edges {
                let (s, t) = (d.map(|v| self.rough[0][v]), e.map(|v| self.rough[1][v]));
                found.push((between_segments(s, t), Nearest::Edges(*d, *e)));
            }
        }
        let least = found.iter().map(|f| f.0).fold(f64::INFINITY, f64::min);
        let near = found.iter().filter(|f| f.0 <= least * (1.0 + NEAR) + NEAR * self.size);
        let mut measured: Vec<Root> = Vec::new();
        for (_, features) in near {
            match features {
                Nearest::Corner(k, v, t) => {
                    let corners = t.map(|c| &self.exact[1 - *k][c]);
                    self.measure_to_triangle(&self.exact[*k][*v], corners, &mut measured);
                }
                Nearest::Edges(d, e) => {
                    self.measure_edges(d.map(|v| &self.exact[0][v]), e.map(|v| &self.exact[1][v]), &mut measured);
                }
            }
        }
        measured.into_iter().reduce(|x, y| if y.compare(&x).is_lt() { y } else { x }).expect("features")
    }

    fn root(&self, numerator: Exact, denominator: &Exact) -> Root {
        Root { sign: numerator.sign(), numerator, denominator: denominator.mul(&self.weight.square()) }
    }

    fn measure_to_triangle(&self, x: &Vector, [p, q, r]: [&Vector; 3], measured: &mut Vec<Root>) {
        let sides = [(p, q), (q, r), (r, p)];
        let n = cross(&minus(q, p), &minus(r, p));
        let over = |&(from, to): &(&Vector, &Vector)| dot(&cross(&minus(to, from), &minus(x, from)), &n).sign() >= 0;
        if sides.iter().all(over) {
            measured.push(self.root(dot(&minus(x, p), &n).square(), &dot(&n, &n)));
        }
        measured.extend(sides.map(|(from, to)| self.to_segment_exactly(x, [from, to])));
    }

    fn to_segment_exactly(&self, x: &Vector, [p, q]: [&Vector; 2]) -> Root {
        let (u, d) = (minus(q, p), minus(x, p));
        let (along, uu) = (dot(&d, &u), dot(&u, &u));
        let one = Exact::of(1.0);
        if along.sign() <= 0 {
            self.root(dot(&d, &d), &one)
        } else if along.compare(&uu).is_ge() {
            let d = minus(x, q);
            self.root(dot(&d, &d), &one)
        } else {
            let across = cross(&d, &u);
            self.root(dot(&across, &across), &uu)
        }
    }

    fn measure_edges(&self, [p, q]: [&Vector; 2], [r, s]: [&Vector; 2], measured: &mut Vec<Root>) {
        let (u, v, d) = (minus(q, p), minus(s, r), minus(r, p));
        let n = cross(&u, &v);
        let nn = dot(&n, &n);
        let inside = |share: Exact| share.sign() >= 0 && share.compare(&nn).is_le();
        if nn.sign() > 0 && inside(dot(&cross(&d, &v), &n)) && inside(dot(&cross(&d, &u), &n)) {
            measured.push(self.root(dot(&d, &n).square(), &nn));
        }
        measured.extend([p, q].map(|x| self.to_segment_exactly(x, [r, s])));
        measured.extend([r, s].map(|x| self.to_segment_exactly(x, [p, q])));
    }
}

/// Features that may hold the closest points: a vertex of body 0 or 1 and a triangle of the other
/// one, or two edges.
enum Nearest {
    Corner(usize, usize, [usize; 3]),
    Edges([usize; 2], [usize; 2]),
}

fn inner(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn difference(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn product(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn length(a: [f64; 3]) -> f64 {
    inner(a, a).sqrt()
}

fn unit(a: [f64; 3]) -> [f64; 3] {
    let length = length(a);
    a.map(|c| c / length)
}

/// A vector times a power of two, in `f64`: its direction.
fn rough(v: &Vector) -> [f64; 3] {
    let v = v.each_ref().map(Exact::value);
    let most = v.iter().fold(0.0_f64, |most, c| most.max(c.abs()));
    v.map(|c| c / most)
}

fn to_segment(x: [f64; 3], [p, q]: [[f64; 3]; 2]) -> f64 {
    let (u, d) = (difference(q, p), difference(x, p));
    let uu = inner(u, u);
    let s = if uu > 0.0 { (inner(d, u) / uu).clamp(0.0, 1.0) } else { 0.0 };
    length(difference(d, u.map(|c| c * s)))
}

fn to_triangle(x: [f64; 3], [p, q, r]: [[f64; 3]; 3]) -> f64 {
    let n = unit(product(difference(q, p), difference(r, p)));
    let sides = [[p, q], [q, r], [r, p]];
    let over = |&[from, to]: &[[f64; 3]; 2]| inner(product(difference(to, from), difference(x, from)), n) >= 0.0;
    if sides.iter().all(over) {
        return inner(difference(x, p), n).abs();
    }
    sides.map(|side| to_segment(x, side)).into_iter().fold(f64::INFINITY, f64::min)
}

fn between_segments([p, q]: [[f64; 3]; 2], [r, s]: [[f64; 3]; 2]) -> f64 {
    let (u, v, d) = (difference(q, p), difference(s, r), difference(r, p));
    let n = product(u, v);
    let nn = inner(n, n);
    let ends = [to_segment(p, [r, s]), to_segment(q, [r, s]), to_segment(r, [p, q]), to_segment(s, [p, q])];
    let least = ends.into_iter().fold(f64::INFINITY, f64::min);
    let inside = |share: f64| (-NEAR * nn..=(1.0 + NEAR) * nn).contains(&share);
    if nn > 0.0 && inside(inner(product(d, v), n)) && inside(inner(product(d, u), n)) {
        return least.min(inner(d, n).abs() / nn.sqrt());
    }
    least
}

/// Against closed forms: what judges the engine must itself be judged.
#[test]
fn known_distances() {
    let cube = super::cases::cuboid([0.0; 3], [1.0; 3]);
    let at = |position: [f64; 3]| Place { position, q: [0.5; 4] };
    let here = at([0.0; 3]);
    for (t, expected) in [([1.0, 0.0, 0.0], 0.0), ([2.0, 0.5, 0.0], 1.0), ([0.25, 0.5, 0.125], -0.5)] {
        let found = signed_distance(&cube, &here, &cube, &at(t));
        assert!(found.compare_with(&Exact::of(expected)).is_eq(), "{t:?}: {}", found.value());
    }
    let corner = signed_distance(&cube, &here, &cube, &at([3.0, 3.0, 2.0]));
    assert_eq!(corner.value(), 3.0);
    // Turned by 45 degrees about z, but for rounding: edge to face.
    let turn = Place {
        position: [3.0, -0.25, 0.0],
        q: [libm::cos(0.125 * std::f64::consts::PI), 0.0, 0.0, libm::sin(0.125 * std::f64::consts::PI)],
    };
    let still = Place { position: [0.0; 3], q: [1.0, 0.0, 0.0, 0.0] };
    let found = signed_distance(&cube, &still, &cube, &turn).value();
    assert!((found - (2.0 - 0.5_f64.sqrt())).abs() < 1e-15, "{found}");
    // Two crossed edges of tetrahedra, one over the other.
    let lower = super::cases::tetrahedron([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, -1.0], [0.0, -1.0, -1.0]]);
    let upper = super::cases::tetrahedron([[0.0, -1.0, 0.5], [0.0, 1.0, 0.5], [1.0, 0.0, 2.0], [-1.0, 0.0, 2.0]]);
    for (z, expected) in [(0.0, 0.5), (-0.5, 0.0), (-0.625, -0.125)] {
        let found = signed_distance(&lower, &still, &upper, &Place { position: [0.0, 0.0, z], ..still });
        assert!(found.compare_with(&Exact::of(expected)).is_eq(), "{z}: {}", found.value());
    }
}
