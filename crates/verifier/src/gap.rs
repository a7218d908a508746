//! The distance of two triangle soups by brute force, as a bracket, and whether one lies in a solid
//! of the other.
//!
//! Pairs of triangles are compared feature by feature in `f64`. The plane across the nearest points
//! proves the lower end. [`Wide`] decides what `f64` leaves open; exact signs decide crossings and
//! what lies inside.

use robust::{Coord3D, orient3d};

use crate::number::{Number, Vector, Wide, add, cross, dot, norm, sub, times, values, wide};
use crate::place::{FILTER, Place};
use crate::soup::Body;

/// The unsigned distance of two cores, metres; 0 if they meet.
#[derive(Clone, Copy, Debug)]
pub struct Gap {
    pub lower: f64,
    pub upper: f64,
    /// One lies inside of a solid of the other, and the surfaces do not meet.
    pub is_inside: bool,
    pub crosses: bool,
}

type Box3 = [Vector<f64>; 2];

/// Two cores in A's frame.
pub struct Soups<'a> {
    pub a: &'a Body,
    pub b: &'a Body,
    place: Place,
    /// B's points.
    pub moved: Vec<Vector<f64>>,
    boxes: [Vec<Box3>; 2],
    /// Both reaches and the distance of the origins, metres.
    pub size: f64,
}

impl<'a> Soups<'a> {
    pub fn new(a: &'a Body, b: &'a Body, place: Place) -> Self {
        let moved: Vec<_> = b.points.iter().map(|&p| values(place.point(p))).collect();
        let boxes = [(a, &a.points), (b, &moved)].map(|(body, points)| {
            let of = |t: &[usize; 3]| {
                let axis = |k: usize| t.map(|v| points[v][k]);
                let fold = |from: f64, f: fn(f64, f64) -> f64| [0, 1, 2].map(|k| axis(k).into_iter().fold(from, f));
                [fold(f64::INFINITY, f64::min), fold(f64::NEG_INFINITY, f64::max)]
            };
            body.triangles.iter().map(of).collect()
        });
        let size = a.reach + a.growth + b.reach + b.growth + norm(place.rough_shift);
        Self { a, b, place, moved, boxes, size }
    }

    /// Bound on the error of `f64`, metres.
    pub fn doubt(&self) -> f64 {
        FILTER * self.size
    }

    /// The bracket in `f64`, with B moved by `by`, but for [`Self::doubt`].
    pub fn gap(&self, by: Vector<f64>) -> Gap {
        let mut gap = Gap { lower: f64::INFINITY, upper: f64::INFINITY, is_inside: false, crosses: false };
        let mut open = f64::INFINITY;
        self.each_near(by, |[p, q], gap_so_far| {
            let (lower, upper, crosses) = compare(p, q);
            open = open.min(lower);
            gap.upper = gap.upper.min(upper);
            gap.crosses |= crosses;
            *gap_so_far = gap.upper;
        });
        gap.lower = open.clamp(0.0, gap.upper);
        gap.is_inside = !gap.crosses && self.is_inside(by);
        if gap.is_inside || gap.crosses {
            (gap.lower, gap.upper) = (0.0, 0.0);
        }
        gap
    }

    /// The bracket in `f64` where B is; where `f64` hardly tells the surfaces apart, that of
    /// [`Wide`].
    pub fn sharp_gap(&self) -> Gap {
        let gap = self.gap([0.0; 3]);
        if gap.crosses || gap.is_inside || gap.upper - gap.lower <= self.doubt() {
            return gap;
        }
        let (distance, off) = (self.fine(), Wide::of(1e-26 * self.size));
        Gap { lower: (distance - off).value().max(0.0), upper: (distance + off).value(), ..gap }
    }

    /// The distance of the surfaces in [`Wide`]; 0 if they cross.
    pub fn fine(&self) -> Wide {
        let mut least = Wide::of(f64::MAX);
        let limit = self.gap_of_surfaces() + 4.0 * self.doubt();
        self.each_within([0.0; 3], limit, |[i, j], _| {
            let (t, u) = (self.a.triangles[i], self.b.triangles[j]);
            if compare(t.map(|v| self.a.points[v]), u.map(|v| self.moved[v])).0 > limit {
                return;
            }
            let (p, q) = (t.map(|v| wide(self.a.points[v])), u.map(|v| self.place.point(self.b.points[v])));
            let (square, ..) = nearest(p, q);
            let distance =
                if crosses(p, q, &|a, b, c, d| orientation(a, b, c, d)) { Wide::of(0.0) } else { square.root() };
            if distance < least {
                least = distance;
            }
        });
        least
    }

    fn gap_of_surfaces(&self) -> f64 {
        let mut upper = f64::INFINITY;
        self.each_near([0.0; 3], |[p, q], so_far| {
            let (_, u, _) = compare(p, q);
            upper = upper.min(u);
            *so_far = upper;
        });
        upper
    }

    /// Shows all pairs of triangles whose boxes are nearer than the distance known so far.
    fn each_near(&self, by: Vector<f64>, mut show: impl FnMut([[Vector<f64>; 3]; 2], &mut f64)) {
        let known = norm(sub(self.a.points[self.a.triangles[0][0]], add(self.moved[self.b.triangles[0][0]], by)));
        self.each_within(by, known, |[i, j], known| {
            let q = self.b.triangles[j].map(|v| add(self.moved[v], by));
            show([self.a.corners(self.a.triangles[i]), q], known);
        });
    }

    /// Shows the numbers of all pairs of triangles whose boxes are no farther apart than `known`,
    /// which may shrink meanwhile. Neighbours in the list share a box.
    fn each_within(&self, by: Vector<f64>, mut known: f64, mut show: impl FnMut([usize; 2], &mut f64)) {
        let groups = self.boxes.each_ref().map(|boxes| boxes.chunks(GROUP).map(whole).collect::<Vec<_>>());
        let all_b = whole(&groups[1]);
        let numbers = |group: usize, side: usize| group * GROUP..self.boxes[side].len().min((group + 1) * GROUP);
        for (g, own) in groups[0].iter().enumerate() {
            if between(own, &all_b, by) > known {
                continue;
            }
            for (h, other) in groups[1].iter().enumerate() {
                if between(own, other, by) > known {
                    continue;
                }
                for i in numbers(g, 0) {
                    if between(&self.boxes[0][i], other, by) > known {
                        continue;
                    }
                    for j in numbers(h, 1) {
                        if between(&self.boxes[0][i], &self.boxes[1][j], by) <= known {
                            show([i, j], &mut known);
                        }
                    }
                }
            }
        }
    }

    /// Whether a part of one surface starts inside of a solid of the other.
    fn is_inside(&self, by: Vector<f64>) -> bool {
        let back = times(by, -1.0);
        self.b.starts.iter().any(|&v| inside(self.a, &|t| self.a.corners(t), add(self.moved[v], by)))
            || self.a.starts.iter().any(|&v| inside(self.b, &|t| t.map(|v| self.moved[v]), add(self.a.points[v], back)))
    }

    /// Whether they overlap by more than `room` beyond doubt, with B moved by `by`: bodies that fit
    /// without play do not.
    pub fn overlap(&self, by: Vector<f64>, growth: f64, room: f64) -> bool {
        let gap = self.gap(by);
        if growth > 0.0 {
            return gap.upper + room < growth;
        }
        if gap.is_inside {
            return self.probed(by, room) || self.clear_inside(by, room);
        }
        gap.upper <= room && (self.probed(by, room) || self.pierced(by, room))
    }

    /// Whether the surfaces are more than `room` apart although one is inside the other.
    fn clear_inside(&self, by: Vector<f64>, room: f64) -> bool {
        let mut upper = f64::INFINITY;
        self.each_near(by, |[p, q], so_far| {
            upper = upper.min(compare(p, q).1);
            *so_far = upper;
        });
        upper > room
    }

    /// Whether a point inside of one solid lies in the other, more than `room` from its surface.
    fn probed(&self, by: Vector<f64>, room: f64) -> bool {
        let deep = |body: &Body, at: &dyn Fn([usize; 3]) -> [Vector<f64>; 3], p: Vector<f64>| {
            inside(body, at, p) && body.triangles.iter().all(|&t| norm(sub(on_triangle(p, at(t)), p)) > room)
        };
        let in_a = |p: &Vector<f64>| deep(self.a, &|t| self.a.corners(t), add(self.place.rough(*p), by));
        let in_b = |p: &Vector<f64>| deep(self.b, &|t| t.map(|v| add(self.moved[v], by)), *p);
        self.b.probes().iter().any(in_a) || self.a.probes().iter().any(in_b)
    }

    /// Whether an edge runs through a triangle with more than `room` on all sides.
    fn pierced(&self, by: Vector<f64>, room: f64) -> bool {
        let mut found = false;
        let mut near = |p: [Vector<f64>; 3], q: [Vector<f64>; 3]| {
            let n = cross(sub(q[1], q[0]), sub(q[2], q[0]));
            let area = norm(n);
            let n = times(n, 1.0 / area);
            for k in 0..3 {
                let (s, e) = (p[k], p[(k + 1) % 3]);
                let (hs, he) = (dot(n, sub(s, q[0])), dot(n, sub(e, q[0])));
                if area == 0.0 || hs * he >= 0.0 || hs.abs() <= room || he.abs() <= room {
                    continue;
                }
                let at = add(s, times(sub(e, s), hs / (hs - he)));
                let within = (0..3).all(|m| {
                    let along = sub(q[(m + 1) % 3], q[m]);
                    dot(n, cross(along, sub(at, q[m]))) > room * norm(along)
                });
                found |= within;
            }
        };
        self.each_near(by, |[p, q], known| {
            *known = 0.0;
            near(p, q);
            near(q, p);
        });
        found
    }

    /// Whether all of one core lies in the filled solid of the other, where that has a cavity.
    pub fn in_cavity(&self) -> bool {
        let holds = |body: &Body, points: &[Vector<f64>], v: Vector<f64>| {
            !body.filled.is_empty() && parity(body.filled.iter().map(|t| t.map(|k| points[k])), v)
        };
        self.b.starts.iter().all(|&v| holds(self.a, &self.a.points, self.moved[v]))
            || self.a.starts.iter().all(|&v| holds(self.b, &self.moved, self.a.points[v]))
    }

    /// Whether one inflated body lies in the other, also where it does so because of its growth:
    /// the corners of one core, and the middles of its edges and triangles, lie in the other core
    /// or near to it, or the balls around them do, as far as points of them show.
    pub fn is_swallowed(&self) -> bool {
        (0..2).any(|k| self.parts_of(k).iter().flatten().all(|&p| self.is_swallowed_at(k, p)))
    }

    /// Whether each connected part of inflated body `k` lies in the other one as a whole, or
    /// outside of it as a whole, by the points of [`Self::is_swallowed`], and one lies in it: then
    /// no point of the other one's surface is in body `k`.
    pub fn holds_parts_of(&self, k: usize) -> bool {
        let is_outside = |&p: &Vector<f64>| {
            let distance = self.distances_from_cores(p)[1 - k];
            !self.holds(p)[1 - k] && distance > self.a.growth + self.b.growth + 1e-11 * self.size
        };
        let parts = self.parts_of(k);
        let are_held: Vec<bool> =
            parts.iter().map(|points| points.iter().all(|&p| self.is_swallowed_at(k, p))).collect();
        let are_free = |(points, &is_held): (&Vec<_>, &bool)| is_held || points.iter().all(is_outside);
        are_held.contains(&true) && parts.iter().zip(&are_held).all(are_free)
    }

    /// The corners of the triangles of core `k`, the middles of their edges and their own, in A's
    /// frame, by connected part.
    fn parts_of(&self, k: usize) -> Vec<Vec<Vector<f64>>> {
        let (body, points) = [(self.a, &self.a.points), (self.b, &self.moved)][k];
        let mut parts = vec![Vec::new(); body.starts.len()];
        for (t, &part) in body.triangles.iter().zip(&body.parts) {
            let [p, q, r] = t.map(|v| points[v]);
            let middle = |x: Vector<f64>, y: Vector<f64>| times(add(x, y), 0.5);
            parts[part].extend([p, middle(p, q), middle(q, r), middle(r, p), times(add(p, add(q, r)), 1.0 / 3.0)]);
        }
        parts
    }

    /// Whether the ball of the growth of body `k` around a point of its core lies in the other
    /// inflated body, as far as points of it show.
    fn is_swallowed_at(&self, k: usize, p: Vector<f64>) -> bool {
        let (growth, room) = ([self.a.growth, self.b.growth], 1e-11 * self.size);
        let (own, other) = (growth[k], 1 - k);
        let play = growth[other] - own;
        let depth = self.distances_from_cores(p)[other];
        if !self.holds(p)[other] {
            // In a notch the ball around a point may lie inside although the point is farther off.
            let is_within = |q| self.holds(q)[other] || self.distances_from_cores(q)[other] <= growth[other] + room;
            let ball = || fine_directions().all(|d| is_within(add(p, times(d, own))));
            return depth <= play + room || (depth <= growth[other] && ball());
        }
        // Triangles inside of a union of solids are no surface: then points around tell.
        let around = || directions().all(|d| self.holds(add(p, times(d, -play - room)))[other]);
        depth >= -play - room || around()
    }

    /// Whether a point of A's frame lies in a solid of A's core, and of B's.
    pub fn holds(&self, p: Vector<f64>) -> [bool; 2] {
        [inside(self.a, &|t| self.a.corners(t), p), inside(self.b, &|t| t.map(|v| self.moved[v]), p)]
    }

    /// The greatest winding number, in absolute terms, of an open surface of one around a core's
    /// point of the other; 0 if none is open.
    pub fn winding(&self) -> f64 {
        let around = |of: &Body, surface: &[Vector<f64>], points: &[Vector<f64>]| {
            let numbers = points.iter().map(|&p| winding(&of.triangles, surface, p).abs());
            if of.is_open() { numbers.fold(0.0, f64::max) } else { 0.0 }
        };
        around(self.a, &self.a.points, &self.moved).max(around(self.b, &self.moved, &self.a.points))
    }

    /// The largest distance of a vertex of one mesh inside of the other from its surface, metres; 0
    /// if there is none.
    pub fn innermost(&self) -> f64 {
        let of_b = self.moved.iter().filter(|&&p| self.holds(p)[0]).map(|&p| self.distances_from_cores(p)[0]);
        let of_a = self.a.points.iter().filter(|&&p| self.holds(p)[1]).map(|&p| self.distances_from_cores(p)[1]);
        of_b.chain(of_a).fold(0.0, f64::max)
    }

    /// Distance of a point of A's frame from the core of A and of B, metres.
    pub fn distances_from_cores(&self, p: Vector<f64>) -> [f64; 2] {
        let least = |body: &Body, points: &[Vector<f64>]| {
            let of = |t: &[usize; 3]| norm(sub(on_triangle(p, t.map(|v| points[v])), p));
            body.triangles.iter().map(of).fold(f64::INFINITY, f64::min)
        };
        [least(self.a, &self.a.points), least(self.b, &self.moved)]
    }
}

/// Triangles that share a box.
const GROUP: usize = 32;

/// The box around boxes.
fn whole(boxes: &[Box3]) -> Box3 {
    boxes.iter().skip(1).fold(boxes[0], |[l, h], [lo, hi]| {
        [[0, 1, 2].map(|k: usize| l[k].min(lo[k])), [0, 1, 2].map(|k: usize| h[k].max(hi[k]))]
    })
}

/// Directions of [`fine_directions`].
const FINE: u32 = 400;

/// Unit vectors that are spread evenly over the sphere (a Fibonacci lattice).
fn fine_directions() -> impl Iterator<Item = Vector<f64>> {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    (0..FINE).map(move |k| {
        let z = 1.0 - (2.0 * f64::from(k) + 1.0) / f64::from(FINE);
        let (angle, radius) = (golden * f64::from(k), (1.0 - z * z).sqrt());
        [radius * libm::cos(angle), radius * libm::sin(angle), z]
    })
}

/// The directions of faces, edges and corners of a cube, unit.
fn directions() -> impl Iterator<Item = Vector<f64>> {
    let step = |digit: u32| [0.0, 1.0, -1.0][digit as usize % 3];
    (1..27).map(move |k| [step(k), step(k / 3), step(k / 9)]).map(|d| times(d, 1.0 / norm(d)))
}

fn between(a: &Box3, b: &Box3, by: Vector<f64>) -> f64 {
    let axis = |k: usize| (b[0][k] + by[k] - a[1][k]).max(a[0][k] - b[1][k] - by[k]).max(0.0);
    norm([axis(0), axis(1), axis(2)]) * (1.0 - 1e-14)
}

/// Lower end (below 0: not proven apart), upper end, and whether they cross.
fn compare(p: [Vector<f64>; 3], q: [Vector<f64>; 3]) -> (f64, f64, bool) {
    let (square, on_p, on_q) = nearest(p, q);
    let distance = square.sqrt();
    if distance > 0.0 {
        let n = times(sub(on_q, on_p), 1.0 / distance);
        let low = q.iter().map(|&v| dot(n, sub(v, on_p))).fold(f64::INFINITY, f64::min);
        let high = p.iter().map(|&v| dot(n, sub(v, on_p))).fold(f64::NEG_INFINITY, f64::max);
        if low - high > 0.0 {
            return ((low - high).min(distance), distance, false);
        }
    }
    let crossing = crosses(p, q, &|a, b, c, d| {
        let [a, b, c, d] = [a, b, c, d].map(|v| Coord3D { x: v[0], y: v[1], z: v[2] });
        orient3d(a, b, c, d)
    });
    (0.0, if crossing { 0.0 } else { distance }, crossing)
}

fn orientation(a: Vector<Wide>, b: Vector<Wide>, c: Vector<Wide>, d: Vector<Wide>) -> f64 {
    dot(sub(a, d), cross(sub(b, d), sub(c, d))).value()
}

/// Whether an edge of one runs through the other's inside.
fn crosses<T: Number>(
    p: [Vector<T>; 3],
    q: [Vector<T>; 3],
    side: &impl Fn(Vector<T>, Vector<T>, Vector<T>, Vector<T>) -> f64,
) -> bool {
    let through = |s: Vector<T>, e: Vector<T>, [a, b, c]: [Vector<T>; 3]| {
        side(a, b, c, s) * side(a, b, c, e) < 0.0 && {
            let around = [side(s, e, a, b), side(s, e, b, c), side(s, e, c, a)];
            around.iter().all(|&x| x > 0.0) || around.iter().all(|&x| x < 0.0)
        }
    };
    (0..3).any(|k| through(p[k], p[(k + 1) % 3], q) || through(q[k], q[(k + 1) % 3], p))
}

/// The least squared distance of the features of two triangles, and the points.
fn nearest<T: Number>(p: [Vector<T>; 3], q: [Vector<T>; 3]) -> (T, Vector<T>, Vector<T>) {
    let mut best = (dot(sub(p[0], q[0]), sub(p[0], q[0])), p[0], q[0]);
    let mut take = |x: Vector<T>, y: Vector<T>| {
        let d = sub(x, y);
        let square = dot(d, d);
        if square < best.0 {
            best = (square, x, y);
        }
    };
    for k in 0..3 {
        take(p[k], on_triangle(p[k], q));
        take(on_triangle(q[k], p), q[k]);
        for m in 0..3 {
            if let Some((x, y)) = edges(p[k], p[(k + 1) % 3], q[m], q[(m + 1) % 3]) {
                take(x, y);
            }
        }
    }
    best
}

/// The nearest points of two lines, where both lie within the segments.
fn edges<T: Number>(a: Vector<T>, b: Vector<T>, c: Vector<T>, d: Vector<T>) -> Option<(Vector<T>, Vector<T>)> {
    let (u, v, r) = (sub(b, a), sub(d, c), sub(a, c));
    let n = cross(u, v);
    let square = dot(n, n);
    if square.value() <= 0.0 {
        return None;
    }
    let (s, t) = (dot(cross(v, r), n) / square, dot(cross(u, r), n) / square);
    let within = |x: T| x.value() >= 0.0 && x.value() <= 1.0;
    (within(s) && within(t)).then(|| (add(a, times(u, s)), add(c, times(v, t))))
}

/// The nearest point of a triangle: inside, or on its edges.
pub fn on_triangle<T: Number>(p: Vector<T>, t: [Vector<T>; 3]) -> Vector<T> {
    let n = cross(sub(t[1], t[0]), sub(t[2], t[0]));
    let square = dot(n, n);
    if square.value() > 0.0 {
        let is_left = |k: usize| dot(n, cross(sub(t[(k + 1) % 3], t[k]), sub(p, t[k]))).value() >= 0.0;
        if (0..3).all(is_left) {
            return sub(p, times(n, dot(n, sub(p, t[0])) / square));
        }
    }
    let mut best: Option<(T, Vector<T>)> = None;
    for k in 0..3 {
        let (a, along) = (t[k], sub(t[(k + 1) % 3], t[k]));
        let length = dot(along, along);
        let s = if length.value() > 0.0 { dot(sub(p, a), along) / length } else { T::of(0.0) };
        let on = match () {
            () if s.value() <= 0.0 => a,
            () if s.value() >= 1.0 => t[(k + 1) % 3],
            () => add(a, times(along, s)),
        };
        let away = sub(p, on);
        let square = dot(away, away);
        if best.is_none_or(|(least, _)| square < least) {
            best = Some((square, on));
        }
    }
    best.expect("a triangle has edges").1
}

/// Whether a point lies in any solid of a body.
pub fn inside(body: &Body, at: &dyn Fn([usize; 3]) -> [Vector<f64>; 3], p: Vector<f64>) -> bool {
    body.solids.iter().any(|r| parity(body.triangles[r.clone()].iter().map(|&t| at(t)), p))
}

/// The winding number of a surface around a point: the sum of the solid angles of its triangles
/// (Van Oosterom and Strackee 1983), in full spheres.
fn winding(triangles: &[[usize; 3]], points: &[Vector<f64>], p: Vector<f64>) -> f64 {
    let angle = |t: &[usize; 3]| {
        let [a, b, c] = t.map(|v| sub(points[v], p));
        let [u, v, w] = [a, b, c].map(norm);
        2.0 * libm::atan2(dot(a, cross(b, c)), u * v * w + dot(a, b) * w + dot(b, c) * u + dot(c, a) * v)
    };
    triangles.iter().map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}

/// Whether a ray from a point crosses an odd number of triangles, by exact signs.
fn parity(triangles: impl Iterator<Item = [Vector<f64>; 3]> + Clone, p: Vector<f64>) -> bool {
    let coord = |v: Vector<f64>| Coord3D { x: v[0], y: v[1], z: v[2] };
    let reach = triangles.clone().flatten().map(|v| norm(sub(v, p))).fold(0.0, f64::max);
    'ray: for k in 1..20 {
        let angle = f64::from(k);
        let direction = [(1.3 * angle).cos(), (0.7 * angle + 0.1).sin(), (2.1 * angle).cos() + 0.01];
        let far = coord(add(p, times(direction, 3.0 * reach / norm(direction))));
        let from = coord(p);
        let mut odd = false;
        for [a, b, c] in triangles.clone() {
            let [a, b, c] = [a, b, c].map(coord);
            let (near_side, far_side) = (orient3d(a, b, c, from), orient3d(a, b, c, far));
            let around = [orient3d(from, far, a, b), orient3d(from, far, b, c), orient3d(from, far, c, a)];
            // In the plane of a triangle and not on it: a ray leaves the plane there.
            if near_side == 0.0 {
                continue;
            }
            if far_side == 0.0 || around.contains(&0.0) {
                continue 'ray;
            }
            let same = around.iter().all(|&x| x > 0.0) || around.iter().all(|&x| x < 0.0);
            odd ^= same && (near_side > 0.0) != (far_side > 0.0);
        }
        return odd;
    }
    false
}
