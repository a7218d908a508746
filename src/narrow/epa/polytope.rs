//! A closed surface of triangles around the origin, with vertices in the Minkowski difference.

use crate::geometry::Vec3;
use crate::narrow::pair::{Pair, VertexPair};

/// Triangles above which a surface is given up: the search is not converging.
const TRIANGLE_LIMIT: usize = 1024;

/// The shape of a surface without coordinates: what a pair remembers of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surface {
    /// Vertices, as vertex pairs.
    pub pairs: Vec<VertexPair>,
    /// Triangles, as indices into `pairs`, counter-clockwise seen from outside. Closed: every side is used once in
    /// each direction.
    pub triangles: Vec<[u16; 3]>,
    /// For each triangle, the one across the side from its `i`-th to its next vertex.
    pub across: Vec<[u16; 3]>,
}

/// A triangle of a growing surface.
#[derive(Debug, Clone, Copy)]
struct Triangle {
    v: [u16; 3],
    /// The triangle across the side from `v[i]` to `v[i + 1]`.
    across: [u16; 3],
    /// Outward normal, not normalised.
    normal: Vec3<f64>,
    /// Signed distance of the plane from the origin; infinite where the triangle has no area or is dead.
    distance: f64,
    alive: bool,
}

/// A surface at a pose, growing towards the boundary of the Minkowski difference (expanding polytope algorithm:
/// van den Bergen 2001; here grown from any start around the origin, also a remembered one).
#[derive(Debug, Clone, Default)]
pub struct Polytope {
    pairs: Vec<VertexPair>,
    points: Vec<Vec3<f64>>,
    triangles: Vec<Triangle>,
    alive: usize,
    stack: Vec<(u16, u8)>,
    rim: Vec<(u16, u8)>,
    renumber: Vec<u16>,
}

/// Whether `d` lies above the plane of (a, b, c), on the side that `(b - a) x (c - a)` points to, by more than
/// rounding: enough for a search, which the certificate checks.
#[inline]
fn clearly_above(a: Vec3<f64>, b: Vec3<f64>, c: Vec3<f64>, d: Vec3<f64>) -> bool {
    let (u, v, w) = (b - a, c - a, d - a);
    let sum = |p: Vec3<f64>| p.x.abs() + p.y.abs() + p.z.abs();
    u.cross(v).dot(w) > 4e-15 * (sum(u) * sum(v) * sum(w))
}

/// The sign of the volume of (a, b, c, d): positive where `d` lies on the side that `(b - a) x (c - a)` points to.
/// Exact for the coordinates given.
#[inline]
fn side(a: Vec3<f64>, b: Vec3<f64>, c: Vec3<f64>, d: Vec3<f64>) -> f64 {
    let (u, v, w) = (b - a, c - a, d - a);
    let volume = u.cross(v).dot(w);
    // A static filter decides nearly always: rounding is below 10 units of the product of the lengths (here of the
    // sums of the components, which are longer).
    let sum = |p: Vec3<f64>| p.x.abs() + p.y.abs() + p.z.abs();
    if volume.abs() > 4e-15 * (sum(u) * sum(v) * sum(w)) {
        return volume;
    }
    let coord = |p: Vec3<f64>| robust::Coord3D { x: p.x, y: p.y, z: p.z };
    // `robust` is positive where d lies below the plane of a, b, c seen counter-clockwise from above.
    -robust::orient3d(coord(a), coord(b), coord(c), coord(d))
}

impl Polytope {
    /// Restarts from a tetrahedron; false where its volume is exactly 0.
    pub fn start(&mut self, pair: &Pair<'_, f64>, pairs: [VertexPair; 4]) -> bool {
        self.clear();
        self.pairs.extend(pairs);
        self.points.extend(pairs.map(|p| pair.difference(p)));
        let [a, b, c, d] = [self.points[0], self.points[1], self.points[2], self.points[3]];
        let volume = side(a, b, c, d);
        if volume == 0.0 || volume.is_nan() {
            return false;
        }
        // Faces with the outside towards the eye: if d is above abc, abc faces down and must be turned.
        let faces = if volume > 0.0 {
            [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
        } else {
            [[0, 1, 2], [1, 0, 3], [2, 1, 3], [0, 2, 3]]
        };
        self.set_triangles(&faces)
    }

    /// Restarts from a remembered surface whose vertices were looked up by [`Polytope::place`].
    pub fn restore(&mut self, surface: &Surface) {
        for (&v, &across) in surface.triangles.iter().zip(&surface.across) {
            self.push(v, across);
        }
    }

    /// Looks up a remembered surface's vertices at a new pose; no triangles yet.
    pub fn place(&mut self, pair: &Pair<'_, f64>, surface: &Surface) -> &[Vec3<f64>] {
        self.clear();
        self.pairs.extend_from_slice(&surface.pairs);
        self.points.extend(surface.pairs.iter().map(|&p| pair.difference(p)));
        &self.points
    }

    /// The surface without coordinates, its unused vertices and dead triangles dropped.
    pub fn remember(&mut self, surface: &mut Surface) {
        surface.pairs.clear();
        surface.triangles.clear();
        surface.across.clear();
        let vertices = self.pairs.len();
        self.renumber.clear();
        self.renumber.resize(vertices + self.triangles.len(), u16::MAX);
        let (vertex, triangle) = self.renumber.split_at_mut(vertices);
        for (t, new) in self.triangles.iter().zip(triangle.iter_mut()).filter(|(t, _)| t.alive) {
            *new = surface.triangles.len() as u16;
            surface.triangles.push(t.v.map(|v| {
                let new = &mut vertex[usize::from(v)];
                if *new == u16::MAX {
                    *new = surface.pairs.len() as u16;
                    surface.pairs.push(self.pairs[usize::from(v)]);
                }
                *new
            }));
        }
        let alive = self.triangles.iter().filter(|t| t.alive);
        surface.across.extend(alive.map(|t| t.across.map(|u| triangle[usize::from(u)])));
    }

    fn clear(&mut self) {
        self.pairs.clear();
        self.points.clear();
        self.triangles.clear();
        self.alive = 0;
    }

    fn set_triangles(&mut self, faces: &[[u16; 3]]) -> bool {
        for &v in faces {
            self.push(v, [u16::MAX; 3]);
        }
        // Neighbours by their common sides; surfaces are small, so a search is cheaper than a map.
        for t in 0..faces.len() {
            for k in 0..3 {
                if self.triangles[t].across[k] != u16::MAX {
                    continue;
                }
                let (from, to) = (faces[t][k], faces[t][(k + 1) % 3]);
                let across = (t + 1..faces.len())
                    .find_map(|u| (0..3).find(|&m| faces[u][m] == to && faces[u][(m + 1) % 3] == from).map(|m| (u, m)));
                let Some((u, m)) = across else { return false };
                self.triangles[t].across[k] = u as u16;
                self.triangles[u].across[m] = t as u16;
            }
        }
        true
    }

    fn push(&mut self, v: [u16; 3], across: [u16; 3]) {
        let [a, b, c] = v.map(|i| self.points[usize::from(i)]);
        let normal = (b - a).cross(c - a);
        let length = normal.length();
        let distance = if length > 0.0 { normal.dot(a) / length } else { f64::INFINITY };
        self.triangles.push(Triangle { v, across, normal, distance, alive: true });
        self.alive += 1;
    }

    /// The living triangle nearest to the origin for which `skip` is false, and its plane's signed distance.
    pub fn nearest(&self, mut skip: impl FnMut(&[VertexPair; 3]) -> bool) -> Option<(usize, f64)> {
        let mut best: Option<(usize, f64)> = None;
        for (i, t) in self.triangles.iter().enumerate() {
            if t.alive && best.is_none_or(|(_, d)| t.distance < d) && !skip(&self.vertex_pairs(i)) {
                best = Some((i, t.distance));
            }
        }
        best
    }

    /// The vertex pairs of a triangle.
    pub fn vertex_pairs(&self, triangle: usize) -> [VertexPair; 3] {
        self.triangles[triangle].v.map(|v| self.pairs[usize::from(v)])
    }

    /// The outward unit normal of a triangle.
    pub fn normal(&self, triangle: usize) -> Vec3<f64> {
        self.triangles[triangle].normal.normalized()
    }

    /// Adds a vertex that lies beyond `triangle`: what it sees is replaced by a fan. False where the surface would
    /// break (rounding, or too many triangles).
    pub fn expand(&mut self, pair: &Pair<'_, f64>, triangle: usize, vertex: VertexPair) -> bool {
        if self.triangles.len() + 64 > TRIANGLE_LIMIT || self.pairs.contains(&vertex) {
            return false;
        }
        let point = pair.difference(vertex);
        let apex = self.points.len() as u16;
        self.pairs.push(vertex);
        self.points.push(point);
        if !self.find_rim(triangle, point) {
            return false;
        }
        // The rim runs once around the hole; one new triangle a side, neighbours in order.
        let first = self.triangles.len() as u16;
        let count = self.rim.len() as u16;
        for k in 0..self.rim.len() {
            let (t, s) = self.rim[k];
            let outside = self.triangles[usize::from(t)];
            let s = usize::from(s);
            let (from, to) = (outside.v[(s + 1) % 3], outside.v[s]);
            let k = k as u16;
            self.push([from, to, apex], [t, first + (k + 1) % count, first + (k + count - 1) % count]);
            self.triangles[usize::from(t)].across[s] = first + k;
        }
        // The sides of the fan must meet in order, or the hole was not a disk.
        (0..usize::from(count)).all(|k| {
            let here = self.triangles[usize::from(first) + k].v;
            let next = self.triangles[usize::from(first) + (k + 1) % usize::from(count)].v;
            here[1] == next[0]
        })
    }

    /// Kills the triangles that `point` sees, from `start` on, and lists the sides around them in order, as seen from
    /// the living side: (triangle, side).
    fn find_rim(&mut self, start: usize, point: Vec3<f64>) -> bool {
        self.rim.clear();
        self.stack.clear();
        self.kill(start);
        // Depth first, sides in reverse, so that the rim comes out in order.
        for k in (0..3).rev() {
            self.push_across(start as u16, k);
        }
        while let Some((t, s)) = self.stack.pop() {
            let triangle = self.triangles[usize::from(t)];
            if !triangle.alive {
                continue;
            }
            let [a, b, c] = triangle.v.map(|v| self.points[usize::from(v)]);
            if clearly_above(a, b, c, point) {
                self.kill(usize::from(t));
                self.push_across(t, (usize::from(s) + 2) % 3);
                self.push_across(t, (usize::from(s) + 1) % 3);
            } else {
                self.rim.push((t, s));
            }
        }
        self.rim.len() >= 3
    }

    fn kill(&mut self, t: usize) {
        self.triangles[t].alive = false;
        self.triangles[t].distance = f64::INFINITY;
        self.alive -= 1;
    }

    /// Stacks the triangle across side `k` of `t`, with the side by which it is entered.
    fn push_across(&mut self, t: u16, k: usize) {
        let across = self.triangles[usize::from(t)].across[k];
        let (from, to) = (self.triangles[usize::from(t)].v[k], self.triangles[usize::from(t)].v[(k + 1) % 3]);
        let v = self.triangles[usize::from(across)].v;
        if let Some(s) = (0..3).find(|&m| v[m] == to && v[(m + 1) % 3] == from) {
            self.stack.push((across, s as u8));
        }
    }

    /// Whether the living triangles prove the claim (see `proves` in this file for the argument).
    pub fn proves(&self, claim: &Claim, in_facet: impl FnMut(&[VertexPair; 3]) -> bool) -> bool {
        let alive = self.triangles.iter().filter(|t| t.alive).map(|t| t.v);
        proves(&self.pairs, &self.points, alive, claim, in_facet)
    }
}

impl Surface {
    /// Whether every side is shared by two triangles that agree about it.
    pub fn is_closed(&self) -> bool {
        let linked = |t: usize, k: usize| {
            let v = self.triangles[t];
            let u = usize::from(*self.across.get(t)?.get(k)?);
            let w = self.triangles.get(u)?;
            let m = (0..3).find(|&m| w[m] == v[(k + 1) % 3] && w[(m + 1) % 3] == v[k])?;
            (usize::from(self.across.get(u)?[m]) == t).then_some(())
        };
        (0..self.triangles.len()).all(|t| (0..3).all(|k| linked(t, k).is_some()))
            && self.triangles.iter().flatten().all(|&v| usize::from(v) < self.pairs.len())
    }

    /// Whether the remembered triangles prove the claim, with the vertices at `points` (one for each of `pairs`). A surface
    /// with a hole proves nothing.
    pub fn proves(&self, points: &[Vec3<f64>], claim: &Claim, in_facet: impl FnMut(&[VertexPair; 3]) -> bool) -> bool {
        points.len() == self.pairs.len() && self.is_closed() && self.proves_closed(points, claim, in_facet)
    }

    /// As [`Surface::proves`], of a surface that a polytope remembered: it is closed by construction.
    pub(crate) fn proves_closed(
        &self,
        points: &[Vec3<f64>],
        claim: &Claim,
        in_facet: impl FnMut(&[VertexPair; 3]) -> bool,
    ) -> bool {
        proves(&self.pairs, points, self.triangles.iter().copied(), claim, in_facet)
    }
}

/// What a surface is to prove, metres.
#[derive(Debug, Clone, Copy)]
pub struct Claim {
    /// Triangles of the facet are at least so far from the origin.
    pub facet: f64,
    /// All others at least so far.
    pub others: f64,
}

/// Whether a closed surface proves that the Minkowski difference contains the ball of radius `claim.facet` about the
/// origin, and that all but the facet's triangles stay beyond `claim.others`.
///
/// The argument: every side is shared by two triangles, so the surface is closed; if the origin lies strictly inside
/// each triangle's plane (an exact sign), the radial projection of the surface covers the sphere of directions, so in
/// every direction the difference, which is convex, reaches at least as far as the surface does.
fn proves(
    pairs: &[VertexPair],
    points: &[Vec3<f64>],
    triangles: impl Iterator<Item = [u16; 3]>,
    claim: &Claim,
    mut in_facet: impl FnMut(&[VertexPair; 3]) -> bool,
) -> bool {
    let mut solid = false;
    for v in triangles {
        let [a, b, c] = v.map(|i| points[usize::from(i)]);
        let normal = (b - a).cross(c - a);
        let n2 = normal.length2();
        if n2 == 0.0 {
            // No area: its radial projection has no measure.
            continue;
        }
        let reach = normal.dot(a).min(normal.dot(b)).min(normal.dot(c));
        let length = n2.sqrt();
        let reaches = |d: f64| reach > 0.0 && reach >= d * length;
        let far = reaches(claim.others) || (in_facet(&v.map(|i| pairs[usize::from(i)])) && reaches(claim.facet));
        if !far || side(a, b, c, Vec3::ZERO) >= 0.0 {
            return false;
        }
        solid = true;
    }
    solid
}
