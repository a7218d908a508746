//! Geometry of several convex pieces, as OBJ, STL and binary glTF files.

use super::space::{Point3, add, cross, scale, sub, unit};
use clearsweep_geometry::Vec3;
use clearsweep_geometry::hull::convex_hull;
use serde_json::json;
use std::f64::consts::PI;
use std::fmt::Write;

/// Points of a polygon, in order.
pub(super) type Ring = Vec<Point3>;

/// A convex piece between two polygons of the same number of corners.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Loft {
    /// Counter-clockwise seen from `to`.
    from: Ring,
    to: Ring,
}

/// A body of named convex pieces; the unit of length is that of whoever writes it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct SolidModel {
    pieces: Vec<(String, Loft)>,
}

/// The corners of a regular polygon that contains the circle of `radius` around `center`, normal to
/// `axis`; counter-clockwise seen from where `axis` points, the first corner in the direction of
/// `first`.
pub(super) fn ring(center: Point3, axis: Point3, first: Point3, radius: f64, sides: u32) -> Ring {
    let second = cross(axis, first);
    let outer = radius / libm::cos(PI / f64::from(sides));
    (0..sides)
        .map(|k| {
            let angle = 2.0 * PI * f64::from(k) / f64::from(sides);
            let flat = add(scale(first, libm::cos(angle)), scale(second, libm::sin(angle)));
            add(center, scale(flat, outer))
        })
        .collect()
}

impl Loft {
    pub(super) fn between(from: Ring, to: Ring) -> Self {
        Self { from, to }
    }

    /// A box with sides along the axes.
    pub(super) fn cuboid(center: Point3, sides: Point3) -> Self {
        let [x, y, z] = scale(sides, 0.5);
        let level = |z: f64| {
            [[-x, -y, z], [x, -y, z], [x, y, z], [-x, y, z]].iter().map(|&corner| add(center, corner)).collect()
        };
        Self { from: level(-z), to: level(z) }
    }

    /// A prism that contains the cylinder of `radius` between two points.
    pub(super) fn cylinder(from: Point3, to: Point3, radius: f64, sides: u32) -> Self {
        let axis = unit(sub(to, from));
        let other = if axis[2].abs() > 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] };
        let first = unit(cross(cross(axis, other), axis));
        Self { from: ring(from, axis, first, radius, sides), to: ring(to, axis, first, radius, sides) }
    }

    /// The same piece elsewhere.
    pub(super) fn moved(self, by: Point3) -> Self {
        let [from, to] = [self.from, self.to].map(|ring| ring.into_iter().map(|corner| add(corner, by)).collect());
        Self { from, to }
    }

    /// All corners: those of the first polygon, then those of the second.
    fn corners(&self) -> impl Iterator<Item = &Point3> {
        self.from.iter().chain(&self.to)
    }

    /// Faces by their corners, counter-clockwise from outside.
    fn faces(&self) -> Vec<Vec<usize>> {
        let n = self.from.len();
        let mut faces = vec![(0..n).rev().collect::<Vec<_>>(), (n..2 * n).collect()];
        faces.extend((0..n).map(|k| vec![k, (k + 1) % n, n + (k + 1) % n, n + k]));
        faces
    }

    /// The faces of the piece with its corners rounded to a thousandth, which bends a polygon of
    /// four corners or more: those of the hull, so that the piece stays convex.
    fn rounded_faces(&self) -> Vec<Vec<usize>> {
        let corners: Vec<Vec3<f64>> = self.corners().map(|corner| corner.map(thousandth).into()).collect();
        let Ok(hull) = convex_hull(&corners) else { return self.faces() };
        let face = |f: usize| hull.face(f as u32).iter().map(|&v| hull.source[v as usize] as usize).collect();
        (0..hull.face_count()).map(face).collect()
    }

    /// The faces cut into triangles.
    fn triangles(&self) -> Vec<[usize; 3]> {
        let fan = |face: Vec<usize>| (1..face.len() - 1).map(move |k| [face[0], face[k], face[k + 1]]);
        self.faces().into_iter().flat_map(fan).collect()
    }
}

impl SolidModel {
    pub(super) fn with(mut self, name: impl Into<String>, piece: Loft) -> Self {
        self.pieces.push((name.into(), piece));
        self
    }

    pub(super) fn add(&mut self, name: impl Into<String>, piece: Loft) {
        self.pieces.push((name.into(), piece));
    }

    /// Every point of every piece.
    #[cfg(test)]
    pub(super) fn points(&self) -> Vec<Point3> {
        self.pieces.iter().flat_map(|(_, piece)| piece.corners().copied()).collect()
    }

    /// A Wavefront OBJ file, an object for each piece; coordinates to a thousandth of the unit.
    pub(super) fn to_obj(&self, comment: &str) -> String {
        let mut text = format!("# {comment}\n");
        let mut first = 1;
        for (name, piece) in &self.pieces {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "o {name}");
            for [x, y, z] in piece.corners().map(|corner| corner.map(thousandth)) {
                let _ = writeln!(text, "v {x} {y} {z}");
            }
            for face in piece.rounded_faces() {
                let corners: Vec<String> = face.iter().map(|corner| (first + corner).to_string()).collect();
                let _ = writeln!(text, "f {}", corners.join(" "));
            }
            first += piece.corners().count();
        }
        text
    }

    /// An ASCII STL file, a solid for each piece; single precision, as STL is.
    pub(super) fn to_stl(&self) -> String {
        let mut text = String::new();
        for (name, piece) in &self.pieces {
            let corners: Vec<Point3> = piece.corners().map(|corner| corner.map(thousandth)).collect();
            let _ = writeln!(text, "solid {name}");
            for [i, j, k] in piece.triangles() {
                let [a, b, c] = [corners[i], corners[j], corners[k]];
                let [x, y, z] = unit(cross(sub(b, a), sub(c, a))).map(thousandth);
                let _ = writeln!(text, "facet normal {x} {y} {z}\nouter loop");
                for [x, y, z] in [a, b, c].map(|corner| corner.map(|x| x as f32)) {
                    let _ = writeln!(text, "vertex {x} {y} {z}");
                }
                text.push_str("endloop\nendfacet\n");
            }
            let _ = writeln!(text, "endsolid {name}");
        }
        text
    }

    /// A binary glTF file, a node for each piece: single precision, y up as the standard has it (z
    /// of the model becomes y of the file). The model's unit is taken for metres.
    pub(super) fn to_glb(&self) -> Vec<u8> {
        let (mut binary, mut views, mut accessors) = (Vec::new(), Vec::new(), Vec::new());
        let (mut meshes, mut nodes) = (Vec::new(), Vec::new());
        for (number, (name, piece)) in self.pieces.iter().enumerate() {
            let corners: Vec<[f32; 3]> = piece.corners().map(|&[x, y, z]| [x as f32, z as f32, -y as f32]).collect();
            let triangles = piece.triangles();
            views.push(json!({"buffer": 0, "byteOffset": binary.len(), "byteLength": corners.len() * 12}));
            binary.extend(corners.iter().flatten().flat_map(|c| c.to_le_bytes()));
            views.push(json!({"buffer": 0, "byteOffset": binary.len(), "byteLength": triangles.len() * 6}));
            binary.extend(triangles.iter().flatten().flat_map(|&index| (index as u16).to_le_bytes()));
            binary.resize(binary.len().next_multiple_of(4), 0);
            let bound = |pick: fn(f32, f32) -> f32| {
                [0, 1, 2].map(|axis| corners.iter().map(|corner| corner[axis]).reduce(pick).unwrap_or_default())
            };
            accessors.push(json!({"bufferView": 2 * number, "componentType": 5126, "count": corners.len(),
                "type": "VEC3", "min": bound(f32::min), "max": bound(f32::max)}));
            accessors.push(json!({"bufferView": 2 * number + 1, "componentType": 5123,
                "count": triangles.len() * 3, "type": "SCALAR"}));
            let primitive = json!({"attributes": {"POSITION": 2 * number}, "indices": 2 * number + 1});
            meshes.push(json!({"name": name, "primitives": [primitive]}));
            nodes.push(json!({"name": name, "mesh": number}));
        }
        let indices: Vec<usize> = (0..nodes.len()).collect();
        let document = json!({
            "asset": {"version": "2.0", "generator": "clearsweep generate"},
            "scene": 0, "scenes": [{"nodes": indices}], "nodes": nodes, "meshes": meshes,
            "accessors": accessors, "bufferViews": views, "buffers": [{"byteLength": binary.len()}],
        });
        container(document.to_string().into_bytes(), binary)
    }
}

/// The chunks of a binary glTF file: JSON padded with blanks, then the buffer.
fn container(mut json: Vec<u8>, binary: Vec<u8>) -> Vec<u8> {
    json.resize(json.len().next_multiple_of(4), b' ');
    let total = 12 + 8 + json.len() + 8 + binary.len();
    let mut bytes = Vec::with_capacity(total);
    bytes.extend(b"glTF");
    bytes.extend([2_u32, total as u32].into_iter().flat_map(u32::to_le_bytes));
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(b"JSON");
    bytes.extend(json);
    bytes.extend((binary.len() as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(binary);
    bytes
}

/// Rounded to a thousandth, without a negative zero: short to write, and the same on every
/// platform.
pub(super) fn thousandth(x: f64) -> f64 {
    (x * 1000.0).round() / 1000.0 + 0.0
}

/// Two triangles that cover a quadrilateral, seen counterclockwise from outside, and whose common
/// edge is convex: a corner that rounding has left off the plane of the others must not make a
/// dent.
fn convex_halves([a, b, c, d]: [Point3; 4]) -> [[Point3; 3]; 2] {
    let normal = cross(sub(b, a), sub(c, a));
    let beyond = (0..3).map(|k| normal[k] * sub(d, a)[k]).sum::<f64>();
    if beyond <= 0.0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
}

/// The dished end of a vessel: half an ellipsoid of diameter 1 and height 1/4 above the origin, as
/// rings of an STL that is one convex piece.
pub(super) fn dished_end() -> String {
    const SIDES: u32 = 24;
    const RINGS: u32 = 4;
    let level = |k: u32| {
        let angle = PI / 2.0 * f64::from(k) / f64::from(RINGS);
        let center = [0.0, 0.0, 0.25 * libm::sin(angle)];
        let radius = 0.5 * libm::cos(angle) * libm::cos(PI / f64::from(SIDES));
        let exact = ring(center, [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], radius, SIDES);
        exact.into_iter().map(|corner| corner.map(|x| (x * 1e5).round() / 1e5 + 0.0)).collect::<Ring>()
    };
    let mut triangles: Vec<[Point3; 3]> = Vec::new();
    let base = level(0);
    triangles.extend((1..base.len() - 1).map(|k| [base[0], base[k + 1], base[k]]));
    for k in 0..RINGS - 1 {
        let (low, high) = (level(k), level(k + 1));
        for i in 0..low.len() {
            let j = (i + 1) % low.len();
            triangles.extend(convex_halves([low[i], low[j], high[j], high[i]]));
        }
    }
    let (last, top) = (level(RINGS - 1), [0.0, 0.0, 0.25]);
    triangles.extend((0..last.len()).map(|i| [last[i], last[(i + 1) % last.len()], top]));
    let mut text = String::from("solid dished-end\n");
    for [a, b, c] in triangles {
        text.push_str("facet normal 0 0 0\nouter loop\n");
        for [x, y, z] in [a, b, c] {
            let _ = writeln!(text, "vertex {x} {y} {z}"); // cannot fail
        }
        text.push_str("endloop\nendfacet\n");
    }
    text.push_str("endsolid dished-end\n");
    text
}

#[cfg(test)]
mod tests {
    use super::super::space::dot;
    use super::*;

    fn model() -> SolidModel {
        let bar = Loft::cylinder([0.0, 0.0, 0.0], [0.0, 30.0, 0.0], 5.0, 8);
        SolidModel::default().with("block", Loft::cuboid([1.0, 2.0, 3.0], [4.0, 6.0, 8.0])).with("bar", bar)
    }

    #[test]
    fn pieces_are_closed_and_turn_outwards() {
        for (name, piece) in model().pieces {
            let corners: Vec<Point3> = piece.corners().copied().collect();
            let middle = scale(corners.iter().fold([0.0; 3], |sum, &c| add(sum, c)), 1.0 / corners.len() as f64);
            let mut edges = std::collections::BTreeSet::new();
            for [i, j, k] in piece.triangles() {
                let normal = cross(sub(corners[j], corners[i]), sub(corners[k], corners[i]));
                assert!(dot(normal, sub(corners[i], middle)) > 0.0, "{name}: a face turns inwards");
                for side in [(i, j), (j, k), (k, i)] {
                    assert!(edges.insert(side), "{name}: a side twice");
                }
            }
            assert!(edges.iter().all(|&(i, j)| edges.contains(&(j, i))), "{name}: closed");
        }
    }

    #[test]
    fn prisms_contain_their_cylinder() {
        let corners = ring([0.0; 3], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], 2.0, 12);
        for k in 0..12 {
            let middle = scale(add(corners[k], corners[(k + 1) % 12]), 0.5);
            assert!((dot(middle, middle).sqrt() - 2.0).abs() < 1e-14);
        }
    }

    #[test]
    fn files_hold_all_pieces() {
        let obj = model().to_obj("two");
        assert_eq!(
            (obj.matches("\no ").count(), obj.matches("\nv ").count(), obj.matches("\nf ").count()),
            (2, 24, 16)
        );
        let stl = model().to_stl();
        assert_eq!((stl.matches("endsolid").count(), stl.matches("endfacet").count()), (2, 12 + 28));
        let glb = model().to_glb();
        let word = |at: usize| u32::from_le_bytes([glb[at], glb[at + 1], glb[at + 2], glb[at + 3]]) as usize;
        assert_eq!((&glb[..4], word(4), word(8)), (&b"glTF"[..], 2, glb.len()));
        let json: serde_json::Value = serde_json::from_slice(&glb[20..20 + word(12)]).expect("JSON");
        assert_eq!(json["nodes"].as_array().map(Vec::len), Some(2));
        assert_eq!(json["buffers"][0]["byteLength"], word(20 + word(12)));
    }
}
