//! Meshes made of arithmetic: boxes and balls of many triangles, shells, rings, pipes and open
//! ones.

use clearsweep_geometry::Vec3;
use clearsweep_model::{Model, Shape};
use clearsweep_scene::Geometry;
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

/// Vertices, and triangles that show themselves counter-clockwise from outside.
#[derive(Debug, Clone, Default)]
pub struct Solid {
    pub vertices: Vec<[f64; 3]>,
    pub triangles: Vec<[usize; 3]>,
}

impl Solid {
    /// A box of these half sides, each face of 2 n^2 triangles.
    pub fn cuboid(half: [f64; 3], n: usize) -> Self {
        let mut solid = Self::default();
        let mut known: HashMap<[u64; 3], usize> = HashMap::new();
        let at = |k: usize| 2.0 * k as f64 / n as f64 - 1.0;
        for axis in 0..3 {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            for side in [-1.0, 1.0] {
                let mut corner = |i: usize, j: usize| {
                    let mut p = [0.0; 3];
                    (p[axis], p[u], p[v]) = (side * half[axis], at(i) * half[u], at(j) * half[v]);
                    *known.entry(p.map(|c| (c + 0.0).to_bits())).or_insert_with(|| {
                        solid.vertices.push(p);
                        solid.vertices.len() - 1
                    })
                };
                for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                    let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
                    solid.triangles.extend(if side > 0.0 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] });
                }
            }
        }
        solid
    }

    /// A ball of rings and sectors, its radius times `1 + bumps(direction)`.
    pub fn ball(radius: f64, rings: usize, sectors: usize, bumps: impl Fn([f64; 3]) -> f64) -> Self {
        let mut solid = Self::default();
        let mut put = |d: [f64; 3]| {
            let r = radius * (1.0 + bumps(d));
            solid.vertices.push(d.map(|c| c * r));
        };
        put([0.0, 0.0, 1.0]);
        for ring in 1..rings {
            let (s, c) = (std::f64::consts::PI * ring as f64 / rings as f64).sin_cos();
            for sector in 0..sectors {
                let (y, x) = (2.0 * std::f64::consts::PI * sector as f64 / sectors as f64).sin_cos();
                put([s * x, s * y, c]);
            }
        }
        put([0.0, 0.0, -1.0]);
        let (at, last) =
            (|ring: usize, sector: usize| 1 + (ring - 1) * sectors + sector % sectors, solid.vertices.len() - 1);
        for k in 0..sectors {
            solid.triangles.push([0, at(1, k), at(1, k + 1)]);
            solid.triangles.push([last, at(rings - 1, k + 1), at(rings - 1, k)]);
            for ring in 1..rings - 1 {
                let [a, b, c, d] = [at(ring, k), at(ring + 1, k), at(ring + 1, k + 1), at(ring, k + 1)];
                solid.triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        solid
    }

    /// A torus around z.
    pub fn ring(radius: f64, tube: f64, around: usize, across: usize) -> Self {
        let mut solid = Self::default();
        for i in 0..around {
            let (s, c) = (2.0 * std::f64::consts::PI * i as f64 / around as f64).sin_cos();
            for j in 0..across {
                let (z, r) = (2.0 * std::f64::consts::PI * j as f64 / across as f64).sin_cos();
                let r = radius + tube * r;
                solid.vertices.push([r * c, r * s, tube * z]);
            }
        }
        let at = |i: usize, j: usize| (i % around) * across + j % across;
        for (i, j) in (0..around).flat_map(|i| (0..across).map(move |j| (i, j))) {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            solid.triangles.extend([[a, b, c], [a, c, d]]);
        }
        solid
    }

    /// Beside another solid.
    pub fn and(mut self, other: &Self) -> Self {
        let first = self.vertices.len();
        self.vertices.extend(&other.vertices);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|v| v + first)));
        self
    }

    /// Inside out.
    pub fn flipped(mut self) -> Self {
        self.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        self
    }

    pub fn moved(mut self, by: [f64; 3]) -> Self {
        self.vertices.iter_mut().for_each(|v| v.iter_mut().zip(by).for_each(|(c, b)| *c += b));
        self
    }

    /// Without the triangles for which a question about their corners is answered with yes.
    pub fn without(mut self, is_out: impl Fn([[f64; 3]; 3]) -> bool) -> Self {
        let vertices = &self.vertices;
        self.triangles.retain(|t| !is_out(t.map(|v| vertices[v])));
        self
    }

    pub fn obj(&self) -> String {
        let mut text = String::new();
        for [x, y, z] in &self.vertices {
            let _ = writeln!(text, "v {x:?} {y:?} {z:?}");
        }
        for [a, b, c] in &self.triangles {
            let _ = writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1);
        }
        text
    }

    /// Makes a body of it, through a file.
    pub fn shape(&self, model: Model, offset: f64) -> Arc<Shape> {
        let folder = tempfile::tempdir().expect("scratch");
        let path = folder.path().join("solid.obj");
        std::fs::write(&path, self.obj()).expect("a file");
        Geometry::file(path, Some(model)).shape(offset).expect("a body")
    }

    /// The corners of all triangles.
    pub fn corners(&self) -> Vec<[Vec3<f64>; 3]> {
        self.triangles.iter().map(|t| t.map(|v| self.vertices[v].into())).collect()
    }
}
