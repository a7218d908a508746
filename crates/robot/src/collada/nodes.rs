//! The nodes of a scene, and their transforms.

use super::{DaePolygon, DaeReader};
use crate::rotation;
use crate::xml::Element;
use clearsweep_base::Result;

/// Most levels of nodes.
const MAX_DEPTH: usize = 256;

/// Most nodes, with all their instances.
const MAX_NODES: usize = 1_000_000;

/// Most vertices, and most triangles, with all their instances.
const MAX_ELEMENTS: usize = 20_000_000;

/// An affine map: three rows of four numbers.
#[derive(Clone, Copy)]
struct Affine([[f64; 4]; 3]);

impl Affine {
    const IDENTITY: Self = Self([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]);

    /// The map with these columns: the images of the axes, and of the origin.
    fn from_columns(x: [f64; 3], y: [f64; 3], z: [f64; 3], origin: [f64; 3]) -> Self {
        Self(std::array::from_fn(|row| [x[row], y[row], z[row], origin[row]]))
    }

    /// The map `other`, then this one.
    fn after(&self, other: &Self) -> Self {
        let entry = |row: &[f64; 4], column: usize| {
            let turned: f64 = (0..3).map(|k| row[k] * other.0[k][column]).sum();
            if column == 3 { turned + row[3] } else { turned }
        };
        Self(self.0.map(|row| std::array::from_fn(|column| entry(&row, column))))
    }

    fn apply(&self, p: [f64; 3]) -> [f64; 3] {
        self.0.map(|row| row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3])
    }

    fn determinant(&self) -> f64 {
        let [a, b, c] = self.0.map(|row| [row[0], row[1], row[2]]);
        rotation::dot(a, rotation::cross(b, c))
    }
}

impl<'d> DaeReader<'d> {
    /// Reads all nodes of the scene; no recursion.
    pub(super) fn scene(&mut self, root: Element<'d>) -> Result<()> {
        let instance = root.required_child("scene")?.required_child("instance_visual_scene")?;
        let scene = self.target(instance, "url", "visual_scene")?;
        let mut stack: Vec<_> = scene.all("node").map(|node| (node, Affine::IDENTITY, 1)).collect();
        stack.reverse();
        let mut count = 0;
        while let Some((node, above, depth)) = stack.pop() {
            count += 1;
            if depth > MAX_DEPTH || count > MAX_NODES {
                let problem = format!("more than {MAX_DEPTH} levels of nodes, or {MAX_NODES} nodes");
                return Err(node.fault(problem, "export the mesh without instances of nodes"));
            }
            let (map, first) = (above.after(&transform(node)?), stack.len());
            for child in node.children() {
                match child.name() {
                    "node" => stack.push((child, map, depth + 1)),
                    "instance_node" => stack.push((self.target(child, "url", "node")?, map, depth + 1)),
                    "instance_geometry" => self.instance(child, &map)?,
                    "instance_controller" => {
                        let problem = "skins and morphs (`instance_controller`) are not read";
                        return Err(child.fault(problem, "apply the modifiers and export the mesh anew"));
                    }
                    _ => {} // transforms, cameras, lights
                }
            }
            stack[first..].reverse();
        }
        if self.mesh.triangles.is_empty() {
            return Err(scene.fault("the scene has no triangles", "check that the file is complete"));
        }
        Ok(())
    }

    /// Adds a geometry, moved.
    fn instance(&mut self, element: Element<'d>, map: &Affine) -> Result<()> {
        let target = self.target(element, "url", "geometry")?;
        let id = target.required("id")?;
        if !self.geometries.contains_key(id) {
            let geometry = self.geometry(target)?;
            self.geometries.insert(id, geometry);
        }
        let geometry = &self.geometries[id];
        let determinant = map.determinant();
        if determinant == 0.0 || !determinant.is_finite() {
            let problem = format!("the transforms above the geometry `{id}` have the determinant {determinant}");
            return Err(element.fault(problem, "correct `scale` or `matrix`"));
        }
        let mesh = &mut self.mesh;
        let (vertices, triangles) = (mesh.vertices.len(), mesh.triangles.len());
        let largest = (vertices + geometry.vertices.len()).max(triangles + geometry.triangles.len());
        if largest > MAX_ELEMENTS {
            let problem = format!("more than {MAX_ELEMENTS} vertices or triangles");
            return Err(element.fault(problem, "give a coarser mesh"));
        }
        let base = vertices as u32; // at most MAX_ELEMENTS
        for &vertex in &geometry.vertices {
            let moved = map.apply(vertex).map(|x| self.unit * x);
            if !moved.iter().all(|x| x.is_finite()) {
                return Err(element.fault(format!("a vertex of `{id}` is not finite"), "correct `scale` or `matrix`"));
            }
            mesh.vertices.push(moved);
        }
        let is_mirrored = determinant < 0.0;
        mesh.triangles.extend(geometry.triangles.iter().map(|&[a, b, c]| {
            let [b, c] = if is_mirrored { [c, b] } else { [b, c] };
            [base + a, base + b, base + c]
        }));
        mesh.polygons.extend(geometry.polygons.iter().map(|&polygon| {
            // The triangles of a mirrored fan stand in reverse, so that they are a fan of the
            // reversed polygon.
            DaePolygon { first: triangles + polygon.first, ..polygon }
        }));
        if is_mirrored {
            for polygon in &geometry.polygons {
                mesh.triangles[triangles + polygon.first..][..polygon.count].reverse();
            }
        }
        Ok(())
    }
}

/// The product of the transforms of a node, in their order (COLLADA 1.4.1, `node`).
fn transform(node: Element<'_>) -> Result<Affine> {
    let mut map = Affine::IDENTITY;
    for element in node.children() {
        let own = match element.name() {
            "matrix" => {
                let m: [f64; 16] = element.content()?;
                if m[12..] != [0.0, 0.0, 0.0, 1.0] {
                    return Err(element.fault("the last row of `matrix` is not `0 0 0 1`", "export the mesh anew"));
                }
                Affine(std::array::from_fn(|row| std::array::from_fn(|column| m[4 * row + column])))
            }
            "translate" => {
                let axes = Affine::IDENTITY.0.map(|row| [row[0], row[1], row[2]]);
                Affine::from_columns(axes[0], axes[1], axes[2], element.content()?)
            }
            "rotate" => {
                let [x, y, z, degrees] = element.content()?;
                // Exporters write an axis of length 0 with the angle 0.
                let q = match rotation::unit([x, y, z]) {
                    Some(axis) => rotation::about(axis, degrees * (std::f64::consts::PI / 180.0)),
                    None if degrees == 0.0 => [1.0, 0.0, 0.0, 0.0],
                    None => {
                        return Err(element.fault("the axis of `rotate` has length 0", "give one such as `0 0 1 90`"));
                    }
                };
                let axis = |axis| rotation::rotate(q, axis);
                Affine::from_columns(axis([1.0, 0.0, 0.0]), axis([0.0, 1.0, 0.0]), axis([0.0, 0.0, 1.0]), [0.0; 3])
            }
            "scale" => {
                let [x, y, z] = element.content()?;
                Affine::from_columns([x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z], [0.0; 3])
            }
            name @ ("lookat" | "skew") => {
                return Err(element.fault(format!("`{name}` is not read"), "write it as `matrix`"));
            }
            _ => continue,
        };
        map = map.after(&own);
    }
    Ok(map)
}
