//! The least distance over an interval by sampling with a bound of the speed; shares no code with
//! the engine but the hulls.
//!
//! Distances are enumerated in `f64`: all axes that may separate two polytopes, then all pairs of
//! vertex and face and of edges.

use clearsweep_geometry::Polyhedron;

pub(crate) type V = [f64; 3];

pub(crate) fn add(a: V, b: V) -> V {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}
pub(crate) fn sub(a: V, b: V) -> V {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}
pub(crate) fn scale(a: V, s: f64) -> V {
    a.map(|c| c * s)
}
pub(crate) fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
pub(crate) fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
pub(crate) fn norm(a: V) -> f64 {
    dot(a, a).sqrt()
}

/// A convex body in its own frame: vertices, edges, faces with their normals; grown by a radius.
#[derive(Clone)]
pub(crate) struct Solid {
    pub(crate) vertices: Vec<V>,
    edges: Vec<[usize; 2]>,
    faces: Vec<Vec<usize>>,
    normals: Vec<V>,
    directions: Vec<V>,
    pub(crate) radius: f64,
    pub(crate) reach: f64,
}

impl Solid {
    /// Makes the solid of a core whose recentred frame lies at `center` of the body's own.
    pub(crate) fn new(core: &Polyhedron, center: V, radius: f64) -> Self {
        let at = |v: u32| add(core.vertex(v).to_array(), center);
        let vertices: Vec<V> = (0..core.count as u32).map(at).collect();
        let edges: Vec<[usize; 2]> = core.edges.iter().map(|edge| edge.v.map(|v| v as usize)).collect();
        let faces: Vec<Vec<usize>> = (0..core.face_start.len().saturating_sub(1))
            .map(|f| {
                let range = core.face_start[f] as usize..core.face_start[f + 1] as usize;
                core.face_vertices[range].iter().map(|&v| v as usize).collect()
            })
            .collect();
        let normals = faces.iter().map(|face| normal_of(&vertices, face)).collect();
        let directions = distinct(edges.iter().map(|&[v, w]| sub(vertices[w], vertices[v])));
        let reach = vertices.iter().map(|&v| norm(v)).fold(0.0, f64::max);
        Self { vertices, edges, faces, normals, directions, radius, reach }
    }

    fn placed(&self, pose: &Placed) -> Self {
        let turn = |v: &V| pose.turn(*v);
        Self {
            vertices: self.vertices.iter().map(|&v| add(pose.turn(v), pose.position)).collect(),
            normals: self.normals.iter().map(turn).collect(),
            directions: self.directions.iter().map(turn).collect(),
            ..self.clone()
        }
    }
}

fn normal_of(vertices: &[V], face: &[usize]) -> V {
    let mut sum = [0.0; 3];
    for i in 1..face.len() - 1 {
        let [a, b, c] = [face[0], face[i], face[i + 1]].map(|v| vertices[v]);
        sum = add(sum, cross(sub(b, a), sub(c, a)));
    }
    scale(sum, 1.0 / norm(sum))
}

fn distinct(all: impl Iterator<Item = V>) -> Vec<V> {
    let mut kept: Vec<V> = Vec::new();
    for v in all {
        let v = scale(v, 1.0 / norm(v));
        if kept.iter().all(|w| norm(cross(v, *w)) > 1e-12) {
            kept.push(v);
        }
    }
    kept
}

/// A pose of a body's own frame.
pub(crate) struct Placed {
    pub(crate) position: V,
    pub(crate) q: [f64; 4],
}

impl Placed {
    pub(crate) fn turn(&self, v: V) -> V {
        let u = [self.q[1], self.q[2], self.q[3]];
        let t = scale(cross(u, v), 2.0);
        add(add(v, scale(t, self.q[0])), cross(u, t))
    }
}

/// Motion from one pose to another: linear and slerp.
#[derive(Debug, Clone)]
pub(crate) struct Move {
    pub(crate) positions: [V; 2],
    pub(crate) q: [[f64; 4]; 2],
}

impl Move {
    pub(crate) fn at(&self, t: f64) -> Placed {
        let [p, r] = self.positions;
        let unit = |q: [f64; 4]| {
            let n = q.iter().map(|c| c * c).sum::<f64>().sqrt();
            q.map(|c| c / n)
        };
        let (a, mut b) = (unit(self.q[0]), unit(self.q[1]));
        let mut cosine: f64 = (0..4).map(|k| a[k] * b[k]).sum();
        if cosine < 0.0 {
            b = b.map(|c| -c);
            cosine = -cosine;
        }
        let sine = (0..4).map(|k| (b[k] - a[k] * cosine).powi(2)).sum::<f64>().sqrt();
        let angle = sine.atan2(cosine);
        let (x, y) = if angle < 1e-9 {
            (1.0 - t, t)
        } else {
            (((1.0 - t) * angle).sin() / angle.sin(), (t * angle).sin() / angle.sin())
        };
        let q = unit(std::array::from_fn(|k| x * a[k] + y * b[k]));
        Placed { position: add(scale(p, 1.0 - t), scale(r, t)), q }
    }

    /// The angle of the rotation, radians.
    pub(crate) fn angle(&self) -> f64 {
        let n: f64 = self.q.iter().map(|q| q.iter().map(|c| c * c).sum::<f64>().sqrt()).product();
        let cosine: f64 = (0..4).map(|k| self.q[0][k] * self.q[1][k]).sum::<f64>() / n;
        2.0 * cosine.abs().min(1.0).acos()
    }
}

/// The signed distance of two bodies.
pub(crate) fn distance(a: &Solid, b: &Solid, pose_a: &Placed, pose_b: &Placed) -> f64 {
    let (a, b) = (a.placed(pose_a), b.placed(pose_b));
    let radii = a.radius + b.radius;
    let mut gap = f64::NEG_INFINITY;
    let mut look = |n: V| {
        let side =
            |s: &Solid, sign: f64| s.vertices.iter().map(|v| sign * dot(n, *v)).fold(f64::NEG_INFINITY, f64::max);
        gap = gap.max(-side(&a, 1.0) - side(&b, -1.0)).max(-side(&a, -1.0) - side(&b, 1.0));
    };
    a.normals.iter().chain(&b.normals).for_each(|n| look(*n));
    for d in &a.directions {
        for e in &b.directions {
            let n = cross(*d, *e);
            if norm(n) > 1e-9 {
                look(scale(n, 1.0 / norm(n)));
            }
        }
    }
    if gap <= 0.0 && gap.is_finite() {
        return gap - radii;
    }
    let mut least = f64::INFINITY;
    for (one, other) in [(&a, &b), (&b, &a)] {
        for v in &one.vertices {
            for w in &other.vertices {
                least = least.min(norm(sub(*v, *w)));
            }
            for (face, n) in other.faces.iter().zip(&other.normals) {
                least = least.min(to_face(other, face, *n, *v));
            }
            for &[i, j] in &other.edges {
                least = least.min(to_segment(*v, other.vertices[i], other.vertices[j]));
            }
        }
    }
    for &[i, j] in &a.edges {
        for &[k, l] in &b.edges {
            least = least.min(segments([a.vertices[i], a.vertices[j]], [b.vertices[k], b.vertices[l]]));
        }
    }
    least - radii
}

/// The distance of a point from a face if its foot lies inside, else infinite.
fn to_face(solid: &Solid, face: &[usize], n: V, p: V) -> f64 {
    let inside = (0..face.len()).all(|i| {
        let [v, w] = [face[i], face[(i + 1) % face.len()]].map(|v| solid.vertices[v]);
        dot(cross(n, sub(w, v)), sub(p, v)) >= 0.0
    });
    if inside { dot(n, sub(p, solid.vertices[face[0]])).abs() } else { f64::INFINITY }
}

fn to_segment(p: V, v: V, w: V) -> f64 {
    let d = sub(w, v);
    let t = (dot(sub(p, v), d) / dot(d, d)).clamp(0.0, 1.0);
    norm(sub(p, add(v, scale(d, t))))
}

/// The distance of two lines if both feet lie on the segments, else infinite.
fn segments([a, b]: [V; 2], [c, d]: [V; 2]) -> f64 {
    let (u, v, w) = (sub(b, a), sub(d, c), sub(a, c));
    let n = cross(u, v);
    let n2 = dot(n, n);
    if n2 <= 1e-18 * dot(u, u) * dot(v, v) {
        return f64::INFINITY;
    }
    let s = dot(cross(v, w), n) / n2;
    let t = dot(cross(u, w), n) / n2;
    let inside = (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t);
    if inside { dot(w, n).abs() / n2.sqrt() } else { f64::INFINITY }
}

/// A bracket of the least distance over the interval, no wider than `width` if that takes at most
/// `most` distances; and the time of the least distance seen.
pub(crate) fn least(a: (&Solid, &Move), b: (&Solid, &Move), width: f64, most: usize) -> ([f64; 2], f64) {
    let moved = |m: &Move| sub(m.positions[1], m.positions[0]);
    let turning = |s: &Solid, m: &Move| m.angle() * s.reach;
    let speed = norm(sub(moved(b.1), moved(a.1))) + turning(a.0, a.1) + turning(b.0, b.1) + 1e-12;
    let at = |t: f64| distance(a.0, b.0, &a.1.at(t), &b.1.at(t));
    let (first, last) = (at(0.0), at(1.0));
    let bound = |s: f64, t: f64, x: f64, y: f64| (0.5 * (x + y - speed * (t - s))).min(x.min(y));
    let mut parts = vec![(bound(0.0, 1.0, first, last), 0.0, 1.0, first, last)];
    let (mut upper, mut when) = if first <= last { (first, 0.0) } else { (last, 1.0) };
    for _ in 0..most {
        let least = (0..parts.len()).min_by(|&i, &j| parts[i].0.total_cmp(&parts[j].0)).expect("a part");
        let (lower, s, t, x, y) = parts[least];
        if upper - lower <= width {
            break;
        }
        let middle = 0.5 * (s + t);
        let z = at(middle);
        if z < upper {
            (upper, when) = (z, middle);
        }
        parts[least] = (bound(s, middle, x, z), s, middle, x, z);
        parts.push((bound(middle, t, z, y), middle, t, z, y));
    }
    let lower = parts.iter().map(|part| part.0).fold(f64::INFINITY, f64::min);
    ([lower, upper], when)
}
