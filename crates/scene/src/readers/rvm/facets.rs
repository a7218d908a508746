//! Facet groups: polygons with holes to a mesh.

use super::place::Placement;
use super::plant::Fields;
use crate::length::check_length;
use crate::readers::mesh::{MAX_ELEMENTS, Mesh};
use crate::readers::polygons;
use clearsweep_geometry::Vec3;
use clearsweep_model::single_step;

/// Adds the polygons of a facet group to a mesh, as a piece of its own, metres. `origin`: that of
/// the frame of the mesh.
///
/// Contours lose corners that repeat the one before, and those without an area are left out.
///
/// # Errors
/// A polygon cannot be cut, or lies too far away; the reason. The mesh is then as before.
pub(super) fn add(
    mesh: &mut Mesh,
    fields: &mut Fields<'_>,
    placement: &Placement,
    origin: Vec3<f64>,
) -> Result<(), String> {
    let before = (mesh.vertices.len(), mesh.triangles.len(), mesh.warped.len());
    let mut facets = Facets { mesh, placement, shift: placement.origin() - origin, largest: [0.0; 3] };
    let added = facets.polygons(fields);
    let Facets { largest, .. } = facets;
    let is_empty = mesh.triangles.len() == before.1;
    if let Err(problem) = added.and_then(|()| if is_empty { Err("it has no polygon".to_owned()) } else { Ok(()) }) {
        mesh.vertices.truncate(before.0);
        mesh.triangles.truncate(before.1);
        mesh.warped.truncate(before.2);
        return Err(problem);
    }
    if placement.is_mirrored() {
        mesh.triangles[before.1..].iter_mut().for_each(|triangle| triangle.swap(1, 2));
    }
    mesh.piece.resize(mesh.triangles.len(), mesh.pieces as u32);
    mesh.pieces += 1;
    // A corner is off by the step of each of its numbers, times the column of the matrix.
    let columns = [0, 1, 2].map(|k| Vec3::from(placement.columns[k]).length());
    let own = columns.iter().zip(largest).map(|(length, most)| length * single_step(most)).fold(0.0, f64::max);
    let moved = placement.columns[3].iter().fold(0.0_f64, |most, c| most.max(c.abs()));
    mesh.coordinate_step = mesh.coordinate_step.max(own).max(single_step(moved));
    Ok(())
}

/// A facet group while it is read.
struct Facets<'a> {
    mesh: &'a mut Mesh,
    placement: &'a Placement,
    /// Image of its origin, in the frame of the mesh, metres.
    shift: Vec3<f64>,
    /// The largest coordinate along each axis, as stored.
    largest: [f64; 3],
}

impl Facets<'_> {
    fn polygons(&mut self, fields: &mut Fields<'_>) -> Result<(), String> {
        let cut_off = || "its polygons end too early".to_owned();
        let (mut corners, mut ends) = (Vec::new(), Vec::new());
        for number in 0..fields.word().ok_or_else(cut_off)? {
            corners.clear();
            ends.clear();
            let mut has_outline = true;
            for contour in 0..fields.word().ok_or_else(cut_off)? {
                let begin = corners.len();
                self.contour(fields, &mut corners).ok_or_else(cut_off)??;
                if corners.len() - begin >= 3 {
                    ends.push(corners.len());
                } else {
                    corners.truncate(begin);
                    has_outline &= contour > 0;
                }
            }
            let added = match ends.is_empty() {
                true => Ok(()),
                false if !has_outline => Err("has holes and no outline"),
                false => self.polygon(&corners, &ends),
            };
            added.map_err(|problem| format!("its polygon {number} (from 0) {problem}"))?;
        }
        Ok(())
    }

    /// Adds a polygon, whose contours end at `ends`.
    fn polygon(&mut self, corners: &[Vec3<f64>], ends: &[usize]) -> Result<(), &'static str> {
        let (triangles, height) = match corners.len() {
            3 => (vec![[0, 1, 2]], 0.0),
            _ => polygons::cut_contours(corners, ends)?,
        };
        let mesh = &mut *self.mesh;
        let last = mesh.vertices.len() + corners.len();
        if last.max(mesh.triangles.len() + triangles.len()) > MAX_ELEMENTS {
            return Err("is beyond 2^31 - 1 corners or triangles");
        }
        let first = mesh.vertices.len() as u32;
        mesh.vertices.extend(corners.iter().map(|corner| corner.to_array()));
        for triangle in triangles {
            if height > 0.0 {
                mesh.warped.push((mesh.triangles.len() as u32, height));
            }
            mesh.triangles.push(triangle.map(|corner| first + corner));
        }
        Ok(())
    }

    /// Reads a contour, corners that repeat the one before left out.
    fn contour(&mut self, fields: &mut Fields<'_>, corners: &mut Vec<Vec3<f64>>) -> Option<Result<(), String>> {
        let begin = corners.len();
        let rows = self.placement.rows().map(Vec3::from);
        for _ in 0..fields.word()? {
            let stored: [f64; 3] = fields.floats()?;
            let _normal: [f64; 3] = fields.floats()?;
            for (most, c) in self.largest.iter_mut().zip(stored) {
                *most = most.max(c.abs());
            }
            let stored = Vec3::from(stored);
            let corner = Vec3::from(rows.map(|row| row.dot(stored))) + self.shift;
            if let Some(problem) = corner.to_array().into_iter().find_map(|c| check_length(c).err()) {
                return Some(Err(format!("a corner has a coordinate that cannot be taken: {problem}")));
            }
            if corners.len() == begin || corners[corners.len() - 1] != corner {
                corners.push(corner);
            }
        }
        while corners.len() > begin + 1 && corners[begin] == corners[corners.len() - 1] {
            corners.pop();
        }
        Some(Ok(()))
    }
}
