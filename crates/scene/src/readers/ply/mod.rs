//! PLY (the Stanford polygon format), ASCII and binary of either byte order: positions, faces and
//! triangle strips.
//!
//! A reader of our own, for the reasons of the OBJ reader, and because the general ones build a map
//! of values for every vertex and reserve what the header claims. The header (`header`) says which
//! elements follow with which properties; `values` reads them one after the other from either
//! encoding; what is neither a coordinate nor a list of vertices is skipped. Decimals of an ASCII
//! file are read in double precision, even if the header declares single.

mod header;
mod values;

use super::mesh::{Fault, MAX_ELEMENTS, Mesh, check_finite};
use super::polygons::{self, Fan};
use header::REMEDY;
use header::{Element, PlyHeader, Property};
use values::Values;

/// Names that lists of vertices go by.
const LISTS: [&str; 2] = ["vertex_indices", "vertex_index"];

/// Reads a PLY file from memory.
///
/// # Errors
/// A header that is malformed or promises more than the file holds; values that are cut off or make
/// no sense.
pub(super) fn read(bytes: &[u8]) -> Result<Mesh, Fault> {
    let (header, body) = PlyHeader::parse(bytes)?;
    let mut values = Values::new(header.encoding, &bytes[body..], header.lines);
    let mut reader = PlyReader::default();
    for element in &header.elements {
        let read = match element.name.as_str() {
            "vertex" => reader.vertices(element, &mut values),
            "face" => reader.faces(element, &mut values),
            "tristrips" => reader.strips(element, &mut values),
            _ => skip(element, &mut values),
        };
        read.map_err(|problem| values.fault(problem))?;
    }
    if let Some(problem) = values.rest() {
        return Err(values.fault(problem));
    }
    reader.finish()
}

#[derive(Default)]
struct PlyReader {
    mesh: Mesh,
    /// The highest vertex that a face or strip names, and which of them does.
    highest: Option<(u32, String)>,
    corners: Vec<Option<u32>>,
    /// Polygons of more than three corners; `place` is the number of the face.
    fans: Vec<Fan>,
}

impl PlyReader {
    fn vertices(&mut self, element: &Element, values: &mut Values<'_>) -> Result<(), String> {
        let mut axes = [0; 3];
        for (at, name) in axes.iter_mut().zip(["x", "y", "z"]) {
            *at = element.scalar(name)?;
        }
        let count = values.fits(element)?;
        if count > MAX_ELEMENTS {
            return Err("there are more than 2^31 - 1 vertices".into());
        }
        self.mesh.vertices.reserve(count);
        let mut largest = [0.0_f64; 3];
        for _ in 0..count {
            let index = self.mesh.vertices.len();
            let mut position = [0.0; 3];
            for (at, property) in element.properties.iter().enumerate() {
                match axes.iter().position(|&axis| axis == at) {
                    Some(axis) => position[axis] = values.scalar(property.kind).map_err(|p| vertex(index, &p))?,
                    None => values.skip(property).map_err(|p| vertex(index, &p))?,
                }
            }
            check_finite(index, position)?;
            largest.iter_mut().zip(position).for_each(|(largest, c)| *largest = largest.max(c.abs()));
            self.mesh.vertices.push(position);
        }
        let steps = axes.iter().zip(largest).map(|(&at, largest)| values.step(element.properties[at].kind, largest));
        self.mesh.coordinate_step = steps.fold(0.0, f64::max);
        Ok(())
    }

    /// Polygons, cut into fans from their first vertex.
    fn faces(&mut self, element: &Element, values: &mut Values<'_>) -> Result<(), String> {
        let mut fans = Vec::new();
        let read = self.lists(element, values, |mesh, corners, place| {
            if corners.len() < 3 {
                return Err(format!("has {} vertices: it needs at least three", corners.len()));
            }
            let Some(all) = corners.iter().copied().collect::<Option<Vec<u32>>>() else {
                return Err("names a negative vertex".into());
            };
            if all.len() > 3 {
                let first = mesh.triangles.len() as u32; // at most MAX_ELEMENTS
                fans.push(Fan { first, count: all.len() as u32 - 2, place });
            }
            mesh.triangles.extend(all[1..].windows(2).map(|pair| [all[0], pair[0], pair[1]]));
            Ok(())
        });
        self.fans = fans;
        read
    }

    /// Triangle strips: a negative index begins a new strip; every other triangle is turned around.
    fn strips(&mut self, element: &Element, values: &mut Values<'_>) -> Result<(), String> {
        self.lists(element, values, |mesh, corners, _| {
            for strip in corners.split(Option::is_none) {
                for (number, three) in strip.windows(3).enumerate() {
                    let [Some(a), Some(b), Some(c)] = three else { continue };
                    mesh.triangles.push(if number % 2 == 0 { [*a, *b, *c] } else { [*b, *a, *c] });
                }
            }
            Ok(())
        })
    }

    /// Reads an element of lists of vertices; a negative index is `None`.
    fn lists(
        &mut self,
        element: &Element,
        values: &mut Values<'_>,
        mut add: impl FnMut(&mut Mesh, &[Option<u32>], usize) -> Result<(), String>,
    ) -> Result<(), String> {
        let list = element.list(&LISTS)?;
        for index in 0..values.fits(element)? {
            let fault = |problem: String| format!("{} {index} {problem}", element.name);
            for (at, property) in element.properties.iter().enumerate() {
                if at == list {
                    self.corners(property, values).map_err(fault)?;
                    if let Some(highest) = self.corners.iter().flatten().max().copied()
                        && self.highest.as_ref().is_none_or(|(known, _)| highest > *known)
                    {
                        self.highest = Some((highest, format!("{} {index}", element.name)));
                    }
                    add(&mut self.mesh, &self.corners, index).map_err(fault)?;
                } else {
                    values.skip(property).map_err(fault)?;
                }
            }
            if self.mesh.triangles.len() > MAX_ELEMENTS {
                return Err("there are more than 2^31 - 1 triangles".into());
            }
        }
        Ok(())
    }

    fn corners(&mut self, property: &Property, values: &mut Values<'_>) -> Result<(), String> {
        let length = values.length(property)?;
        self.corners.clear();
        self.corners.reserve(length);
        for _ in 0..length {
            let value = values.scalar(property.kind)?;
            // Every integer type of PLY fits a f64.
            let index = value as i64;
            if index as f64 != value || index > MAX_ELEMENTS as i64 {
                return Err(format!("names vertex {value}"));
            }
            self.corners.push(u32::try_from(index).ok());
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Mesh, Fault> {
        let count = self.mesh.vertices.len();
        if let Some((highest, who)) = self.highest.filter(|(highest, _)| *highest as usize >= count) {
            let problem = format!("{who} names vertex {highest} (from 0), but the file has {count} vertices");
            return Err(Fault::new(problem, REMEDY));
        }
        polygons::cut(&mut self.mesh, &self.fans).map_err(|bad| {
            let problem = format!("face {}: {}", bad.place, bad.problem);
            Fault::new(problem, polygons::REMEDY)
        })?;
        self.mesh.pieces = usize::from(!self.mesh.triangles.is_empty());
        self.mesh.piece = vec![0; self.mesh.triangles.len()];
        Ok(self.mesh)
    }
}

fn vertex(index: usize, problem: &str) -> String {
    format!("vertex {index} {problem}")
}

/// Reads past an element that is no geometry.
fn skip(element: &Element, values: &mut Values<'_>) -> Result<(), String> {
    for index in 0..values.fits(element)? {
        for property in &element.properties {
            values.skip(property).map_err(|problem| format!("{} {index} {problem}", element.name))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "ply\nformat ascii 1.0\ncomment by hand\nelement vertex 4\nproperty double x\nproperty uchar red\n\
                        property float y\nproperty int z\nelement face 2\nproperty list uchar int vertex_index\n";

    #[test]
    fn ascii_skips_what_is_no_geometry() {
        let text = format!(
            "{HEAD}element edge 1\nproperty list uint8 float32 w\nend_header\n0.1 1 0.1 0\n1 2 0 0\n0 3 1 0\n0 4 0 0\n\
             4 0 1 2 3\n3 0 2 1\n2 5 6\n"
        );
        let mesh = read(text.as_bytes()).expect("a mesh");
        assert_eq!((mesh.vertices[0], mesh.coordinate_step), ([0.1, 0.1, 0.0], 0.0));
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3], [0, 2, 1]]);
        assert_eq!((mesh.piece, mesh.pieces), (vec![0; 3], 1));
        assert_eq!(read(text.replace('\n', "\r\n").as_bytes()).expect("a mesh").triangles.len(), 3);
        assert_eq!(read(text.replace('\n', "\r").as_bytes()).expect("a mesh").triangles.len(), 3);
    }

    #[test]
    fn strips_turn_every_other_triangle_and_begin_anew() {
        let text = "ply\nformat ascii 1.0\nelement tristrips 1\nproperty list int int vertex_indices\nelement vertex 5\n\
                    property float x\nproperty float y\nproperty float z\nend_header\n9 0 1 2 3 -1 2 3 4 -1\n\
                    0 0 0\n1 0 0\n0 1 0\n1 1 0\n2 2 0\n";
        let mesh = read(text.as_bytes()).expect("a mesh");
        assert_eq!(mesh.triangles, [[0, 1, 2], [2, 1, 3], [2, 3, 4]]);
    }

    #[test]
    fn faults_say_where() {
        let body = "0 0 0 0\n1 0 0 0\n0 0 1 0\n0 0 0 1\n3 0 1 2\n3 0 1 3\n";
        let text = format!("{HEAD}end_header\n{body}");
        assert!(read(text.as_bytes()).is_ok());
        for (old, new, line, part) in [
            ("3 0 1 3", "3 0 1 4", None, "face 1 names vertex 4"),
            ("3 0 1 3", "2 0 1", Some(17), "face 1 has 2 vertices"),
            ("3 0 1 3", "3 0 1 -3", Some(17), "negative vertex"),
            ("3 0 1 3", "3 0 1", Some(17), "is cut off"),
            ("3 0 1 3", "3 0 1 3 7", Some(17), "does not end with its last element"),
            ("0 0 1 0", "0 0 x 0", Some(14), "vertex 2 has `x`"),
            ("0 0 1 0", "0 0 nan 0", Some(14), "vertex 2 has the y coordinate NaN"),
            ("vertex 4", "vertex 4000000000", Some(12), "4000000000"),
            ("property double x", "property double w", None, "no property `x`"),
            ("vertex_index", "corners", None, "vertex_indices"),
            ("ascii", "binary_middle_endian", Some(2), "binary_middle_endian"),
            ("end_header", "end", Some(11), "`end`"),
            ("ply", "plx", Some(1), "does not begin with `ply`"),
            ("uchar int", "float int", Some(10), "float"),
        ] {
            let fault = read(text.replacen(old, new, 1).as_bytes()).expect_err(new);
            assert!(fault.problem.contains(part), "{new}: {}", fault.problem);
            assert!(line.is_none() || fault.line == line, "{new}: {fault:?}");
        }
    }
}
