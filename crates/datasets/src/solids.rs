//! Solids of the generated scenes.

use std::f64::consts::PI;
use std::fmt::Write;

/// A closed surface of convex polygons, counter-clockwise seen from outside; metres.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Solid {
    pub(super) vertices: Vec<[f64; 3]>,
    pub(super) faces: Vec<Vec<usize>>,
}

/// Scaled to length 1.
fn on_sphere(v: [f64; 3]) -> [f64; 3] {
    let length = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    v.map(|x| x / length)
}

/// A cube of circumradius 1.
pub(super) fn cube() -> Solid {
    let h = 1.0 / 3.0_f64.sqrt();
    let sign = |bit: usize| if bit == 1 { h } else { -h };
    let vertices = (0..8).map(|i| [sign(i & 1), sign(i >> 1 & 1), sign(i >> 2)]).collect();
    let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    Solid { vertices, faces: faces.iter().map(|face| face.to_vec()).collect() }
}

/// A regular icosahedron of circumradius 1.
pub(super) fn icosahedron() -> Solid {
    let phi = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let mut vertices = Vec::with_capacity(12);
    for axis in 0..3 {
        for (one, golden) in [(1.0, phi), (-1.0, phi), (1.0, -phi), (-1.0, -phi)] {
            let mut v = [0.0; 3];
            v[(axis + 1) % 3] = one;
            v[(axis + 2) % 3] = golden;
            vertices.push(on_sphere(v));
        }
    }
    let faces = triangles_of_nearest(&vertices);
    Solid { vertices, faces }
}

/// The triangles between vertices that are all neighbours of each other (at the smallest distance,
/// within 1 %).
fn triangles_of_nearest(vertices: &[[f64; 3]]) -> Vec<Vec<usize>> {
    let d2 = |i: usize, j: usize| (0..3).map(|k| (vertices[i][k] - vertices[j][k]).powi(2)).sum::<f64>();
    let n = vertices.len();
    let least = (1..n).map(|j| d2(0, j)).fold(f64::INFINITY, f64::min);
    let near = |i, j| d2(i, j) < least * 1.02;
    let mut faces = Vec::new();
    for i in 0..n {
        for j in i + 1..n {
            for k in j + 1..n {
                if near(i, j) && near(j, k) && near(i, k) {
                    faces.push(outward(vertices, [i, j, k]));
                }
            }
        }
    }
    faces
}

/// The triangle turned so that it is counter-clockwise seen from outside; the origin is inside.
fn outward(vertices: &[[f64; 3]], [i, j, k]: [usize; 3]) -> Vec<usize> {
    let [a, b, c] = [vertices[i], vertices[j], vertices[k]];
    let det =
        a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
    if det > 0.0 { vec![i, j, k] } else { vec![i, k, j] }
}

/// The icosahedron with every triangle cut into four, three times, on the unit sphere: 642
/// vertices.
pub(super) fn sphere642() -> Solid {
    let mut solid = icosahedron();
    for _ in 0..3 {
        solid = quartered(&solid);
    }
    solid
}

fn quartered(solid: &Solid) -> Solid {
    let mut vertices = solid.vertices.clone();
    let mut middles = std::collections::BTreeMap::new();
    let mut faces = Vec::with_capacity(solid.faces.len() * 4);
    for face in &solid.faces {
        let middle = |k: usize, middles: &mut std::collections::BTreeMap<_, _>, vertices: &mut Vec<[f64; 3]>| {
            let (i, j) = (face[k], face[(k + 1) % 3]);
            *middles.entry((i.min(j), i.max(j))).or_insert_with(|| {
                let (a, b) = (vertices[i], vertices[j]);
                vertices.push(on_sphere([a[0] + b[0], a[1] + b[1], a[2] + b[2]]));
                vertices.len() - 1
            })
        };
        let m = [0, 1, 2].map(|k| middle(k, &mut middles, &mut vertices));
        faces.push(vec![face[0], m[0], m[2]]);
        faces.push(vec![face[1], m[1], m[0]]);
        faces.push(vec![face[2], m[2], m[1]]);
        faces.push(m.to_vec());
    }
    Solid { vertices, faces }
}

/// A prism of 60 sides and circumradius 1; its radius is ten times its thickness.
pub(super) fn disk() -> Solid {
    const SIDES: usize = 60;
    let r = 1.0 / (1.0 + 1.0 / 400.0_f64).sqrt(); // r^2 + (r / 20)^2 = 1
    let h = r / 20.0;
    let mut vertices = Vec::with_capacity(2 * SIDES);
    for z in [-h, h] {
        for k in 0..SIDES {
            let angle = 2.0 * PI * k as f64 / SIDES as f64;
            vertices.push([r * libm::cos(angle), r * libm::sin(angle), z]);
        }
    }
    let mut faces = vec![(0..SIDES).rev().collect::<Vec<_>>(), (SIDES..2 * SIDES).collect()];
    for k in 0..SIDES {
        let next = (k + 1) % SIDES;
        faces.push(vec![k, next, SIDES + next, SIDES + k]);
    }
    Solid { vertices, faces }
}

impl Solid {
    /// The solid as a Wavefront OBJ file; numbers are written so that they read back exactly.
    pub(super) fn to_obj(&self, name: &str) -> String {
        let mut text = format!("# {} vertices, {} faces; metres\no {name}\n", self.vertices.len(), self.faces.len());
        for [x, y, z] in &self.vertices {
            let _ = writeln!(text, "v {x:?} {y:?} {z:?}"); // writing to a String cannot fail
        }
        for face in &self.faces {
            text.push('f');
            for vertex in face {
                let _ = write!(text, " {}", vertex + 1);
            }
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solids_are_closed_and_of_circumradius_one() {
        for (solid, v, e, f) in
            [(cube(), 8, 12, 6), (icosahedron(), 12, 30, 20), (disk(), 120, 180, 62), (sphere642(), 642, 1920, 1280)]
        {
            assert_eq!((solid.vertices.len(), solid.faces.len()), (v, f));
            let mut edges = std::collections::BTreeMap::new();
            for face in &solid.faces {
                for k in 0..face.len() {
                    let (i, j) = (face[k], face[(k + 1) % face.len()]);
                    assert!(edges.insert((i, j), ()).is_none(), "a directed edge twice");
                }
            }
            assert_eq!(edges.len(), 2 * e);
            assert!(edges.keys().all(|&(i, j)| edges.contains_key(&(j, i))), "closed");
            for vertex in &solid.vertices {
                let r2: f64 = vertex.iter().map(|x| x * x).sum();
                assert!((r2 - 1.0).abs() < 1e-15, "{r2}");
            }
        }
    }

    #[test]
    fn faces_turn_outwards() {
        for solid in [cube(), icosahedron(), disk(), sphere642()] {
            for face in &solid.faces {
                let turned = outward(&solid.vertices, [face[0], face[1], face[2]]);
                assert_eq!(turned[1], face[1]);
            }
        }
    }

    #[test]
    fn obj_numbers_read_back_exactly() {
        let solid = sphere642();
        let text = solid.to_obj("sphere");
        let read: Vec<Vec<f64>> = text
            .lines()
            .filter_map(|line| line.strip_prefix("v "))
            .map(|line| line.split(' ').map(|x| x.parse().expect("a number")).collect())
            .collect();
        assert!(solid.vertices.iter().zip(&read).all(|(a, b)| a.as_slice() == b.as_slice()));
        assert_eq!(read.len(), 642);
    }
}
