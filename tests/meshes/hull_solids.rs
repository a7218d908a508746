//! Triangle meshes for the tests of hulls, and the files that programs export of them.

use clearsweep_testing::random::Random;
use std::f64::consts::TAU;
use std::fmt::Write;

/// Vertices and triangles, counter-clockwise from outside.
#[derive(Debug, Clone, Default)]
pub(crate) struct Solid {
    pub(crate) vertices: Vec<[f64; 3]>,
    pub(crate) triangles: Vec<[usize; 3]>,
}

impl Solid {
    pub(crate) fn of_polygons(vertices: Vec<[f64; 3]>, polygons: &[Vec<usize>]) -> Self {
        let fan = |p: &Vec<usize>| p[1..].windows(2).map(|w| [p[0], w[0], w[1]]).collect::<Vec<_>>();
        Self { vertices, triangles: polygons.iter().flat_map(fan).collect() }
    }

    /// A box about the origin.
    pub(crate) fn cuboid(sides: [f64; 3]) -> Self {
        let corner = |k: usize| [0, 1, 2].map(|axis| if k >> axis & 1 == 1 { 0.5 } else { -0.5 } * sides[axis]);
        let polygons = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        Self::of_polygons((0..8).map(corner).collect(), &polygons.map(Vec::from))
    }

    /// A surface of revolution about z: the profile (radius, z) from top to bottom; radius 0 is a
    /// pole.
    pub(crate) fn turned(profile: &[(f64, f64)], sides: usize) -> Self {
        let mut solid = Self::default();
        let mut rings: Vec<Vec<usize>> = Vec::new();
        for &(r, z) in profile {
            let count = if r == 0.0 { 1 } else { sides };
            let first = solid.vertices.len();
            let angle = |k: usize| TAU * k as f64 / sides as f64;
            solid.vertices.extend((0..count).map(|k| [r * angle(k).cos(), r * angle(k).sin(), z]));
            rings.push((0..sides).map(|k| first + k % count).collect());
        }
        for pair in rings.windows(2) {
            for k in 0..sides {
                let next = (k + 1) % sides;
                let [a, b, c, d] = [pair[0][k], pair[0][next], pair[1][next], pair[1][k]];
                solid.triangles.extend(
                    [[a, d, c], [a, c, b]].into_iter().filter(|t| t[0] != t[1] && t[1] != t[2] && t[2] != t[0]),
                );
            }
        }
        solid
    }

    pub(crate) fn cylinder(radius: f64, height: f64, sides: usize) -> Self {
        let h = 0.5 * height;
        Self::turned(&[(0.0, h), (radius, h), (radius, -h), (0.0, -h)], sides)
    }

    pub(crate) fn cone(radius: f64, height: f64, sides: usize) -> Self {
        Self::turned(&[(0.0, height), (radius, 0.0), (0.0, 0.0)], sides)
    }

    pub(crate) fn capsule(radius: f64, length: f64, sides: usize) -> Self {
        let quarter = sides / 4;
        let arc = |k: usize, top: bool| {
            let angle = 0.25 * TAU * k as f64 / quarter as f64;
            let (r, z) = (radius * angle.sin(), radius * angle.cos() + 0.5 * length);
            (if k == 0 { 0.0 } else { r }, if top { z } else { -z })
        };
        let top = (0..=quarter).map(|k| arc(k, true));
        let bottom = (0..=quarter).rev().map(|k| arc(k, false));
        Self::turned(&top.chain(bottom).collect::<Vec<_>>(), sides)
    }

    /// A round plate of this thickness with a round hole through it: an annulus, extruded.
    pub(crate) fn ring(hole: f64, radius: f64, thickness: f64, sides: usize) -> Self {
        let h = 0.5 * thickness;
        let profile = [(hole, h), (radius, h), (radius, -h), (hole, -h), (hole, h)];
        let mut solid = Self::turned(&profile, sides);
        // The last ring is the first one.
        let (last, count) = (4 * sides, 4 * sides);
        solid.triangles.iter_mut().flatten().filter(|v| **v >= last).for_each(|v| *v -= last);
        solid.vertices.truncate(count);
        solid
    }

    /// Every triangle in four, about the middles of its sides; each triangle with vertices of its
    /// own.
    pub(crate) fn subdivided(&self) -> Self {
        let mut solid = Self::default();
        let middle = |a: [f64; 3], b: [f64; 3]| [0, 1, 2].map(|k| 0.5 * (a[k] + b[k]));
        for t in &self.triangles {
            let [a, b, c] = t.map(|v| self.vertices[v]);
            let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
            for triangle in [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]] {
                let first = solid.vertices.len();
                solid.vertices.extend(triangle);
                solid.triangles.push([first, first + 1, first + 2]);
            }
        }
        solid
    }

    pub(crate) fn moved(&self, place: impl Fn([f64; 3]) -> [f64; 3]) -> Self {
        Self { vertices: self.vertices.iter().map(|&v| place(v)).collect(), triangles: self.triangles.clone() }
    }

    pub(crate) fn with(&self, other: &Self) -> Self {
        let first = self.vertices.len();
        let mut solid = self.clone();
        solid.vertices.extend(&other.vertices);
        solid.triangles.extend(other.triangles.iter().map(|t| t.map(|v| v + first)));
        solid
    }

    /// The diagonal of its box.
    pub(crate) fn size(&self) -> f64 {
        let side = |axis: usize| {
            let values = self.vertices.iter().map(|v| v[axis]);
            values.clone().fold(f64::NEG_INFINITY, f64::max) - values.fold(f64::INFINITY, f64::min)
        };
        (side(0).powi(2) + side(1).powi(2) + side(2).powi(2)).sqrt()
    }

    /// Binary STL, in single precision.
    pub(crate) fn stl(&self) -> Vec<u8> {
        let mut bytes = [&[b' '; 80][..], &(self.triangles.len() as u32).to_le_bytes()].concat();
        for t in &self.triangles {
            bytes.extend([0; 12]);
            bytes.extend(t.iter().flat_map(|&v| self.vertices[v]).flat_map(|c| (c as f32).to_le_bytes()));
            bytes.extend([0; 2]);
        }
        bytes
    }

    /// OBJ with eight digits after the point, without names.
    pub(crate) fn obj(&self) -> String {
        self.object("", 0)
    }

    /// An object of an OBJ file, behind so many vertices.
    pub(crate) fn object(&self, name: &str, before: usize) -> String {
        let mut text = if name.is_empty() { String::new() } else { format!("o {name}\n") };
        for [x, y, z] in &self.vertices {
            let _ = writeln!(text, "v {x:.8} {y:.8} {z:.8}");
        }
        for [a, b, c] in self.triangles.iter().map(|t| t.map(|v| v + before + 1)) {
            let _ = writeln!(text, "f {a} {b} {c}");
        }
        text
    }

    /// Binary glTF of one node, in single precision.
    pub(crate) fn glb(&self) -> Vec<u8> {
        let positions: Vec<u8> = self.vertices.iter().flatten().flat_map(|&c| (c as f32).to_le_bytes()).collect();
        let indices: Vec<u8> = self.triangles.iter().flatten().flat_map(|&v| (v as u32).to_le_bytes()).collect();
        let json = serde_json::json!({
            "asset": { "version": "2.0" },
            "scenes": [{ "nodes": [0] }],
            "nodes": [{ "mesh": 0 }],
            "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1 }] }],
            "buffers": [{ "byteLength": positions.len() + indices.len() }],
            "bufferViews": [
                { "buffer": 0, "byteOffset": 0, "byteLength": positions.len() },
                { "buffer": 0, "byteOffset": positions.len(), "byteLength": indices.len() },
            ],
            "accessors": [
                { "bufferView": 0, "componentType": 5126, "count": self.vertices.len(), "type": "VEC3" },
                { "bufferView": 1, "componentType": 5125, "count": 3 * self.triangles.len(), "type": "SCALAR" },
            ],
        });
        let mut text = json.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let data = [positions, indices].concat();
        let chunk = |kind: &[u8; 4], data: &[u8]| [&(data.len() as u32).to_le_bytes()[..], kind, data].concat();
        let body = [chunk(b"JSON", &text), chunk(b"BIN\0", &data)].concat();
        [&b"glTF"[..], &2_u32.to_le_bytes(), &(12 + body.len() as u32).to_le_bytes(), &body].concat()
    }
}

/// A rotation by a quaternion that a seed chooses, and a shift.
pub(crate) fn placed(seed: u64, shift: f64) -> impl Fn([f64; 3]) -> [f64; 3] {
    let mut random = Random(seed);
    let q = random.turn();
    let n: f64 = q.iter().map(|c| c * c).sum();
    let [w, x, y, z] = q;
    let m = [
        [w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ];
    let t = random.in_cube(shift);
    move |p| [0, 1, 2].map(|r| (m[r][0] * p[0] + m[r][1] * p[1] + m[r][2] * p[2]) / n + t[r])
}
