//! The element `geometry`: sources of numbers, and polygons that index them.

use super::{DaePolygon, DaeReader};
use crate::xml::Element;
use clearsweep_base::Result;

/// A mesh in its own units and axes.
#[derive(Default)]
pub(super) struct Geometry {
    pub(super) vertices: Vec<[f64; 3]>,
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) polygons: Vec<DaePolygon>,
}

/// Most numbers for one corner of a polygon.
const MAX_OFFSET: usize = 64;

const ANEW: &str = "export the mesh anew, as triangles";

impl<'d> DaeReader<'d> {
    pub(super) fn geometry(&mut self, element: Element<'d>) -> Result<Geometry> {
        let Some(mesh) = element.child("mesh")? else {
            return Err(element.fault("a geometry that is no `mesh` is not read", ANEW));
        };
        let vertices = mesh.required_child("vertices")?;
        let position = vertices.all("input").find(|input| input.attribute("semantic") == Some("POSITION"));
        let position = position.ok_or_else(|| vertices.fault("`vertices` has no input POSITION", ANEW))?;
        let mut geometry = Geometry { vertices: self.positions(position)?, ..Geometry::default() };
        for primitive in mesh.children() {
            match primitive.name() {
                "triangles" | "polylist" | "polygons" => geometry.polygons_of(primitive)?,
                "lines" | "linestrips" => {
                    let text = format!("`{}` are not read: they have no surface", primitive.name());
                    self.notes.add(primitive.line(), text);
                }
                name @ ("tristrips" | "trifans") => {
                    return Err(primitive.fault(format!("`{name}` are not read"), ANEW));
                }
                _ => {} // sources, vertices, vendors' extras
            }
        }
        Ok(geometry)
    }

    /// The points of an input.
    fn positions(&self, input: Element<'d>) -> Result<Vec<[f64; 3]>> {
        let source = self.target(input, "source", "source")?;
        let accessor = source.required_child("technique_common")?.required_child("accessor")?;
        let array = self.target(accessor, "source", "float_array")?;
        let text = array.text();
        let numbers = text.split_ascii_whitespace().map(|word| array.parse_word(word)).collect::<Result<Vec<_>>>()?;
        let index = |name, default: Option<usize>| match (accessor.attribute(name), default) {
            (None, Some(default)) => Ok(default),
            _ => accessor.required(name)?.parse().map_err(|_| accessor.fault(format!("`{name}` is not a count"), ANEW)),
        };
        let (count, stride, offset) = (index("count", None)?, index("stride", Some(1))?, index("offset", Some(0))?);
        let names: Vec<&str> = accessor.all("param").map(|param| param.attribute("name").unwrap_or_default()).collect();
        if stride < 3 || names.get(..3).is_some_and(|names| names != ["X", "Y", "Z"]) || names.len() < 3 {
            return Err(accessor.fault("the positions are not X, Y and Z", ANEW));
        }
        let needed = count.checked_mul(stride).and_then(|needed| needed.checked_add(offset));
        if needed.is_none_or(|needed| needed > numbers.len()) {
            let problem = format!("{count} points need more than the {} numbers of `float_array`", numbers.len());
            return Err(accessor.fault(problem, "check that the file is complete"));
        }
        let points = numbers[offset..].chunks(stride).take(count);
        Ok(points.map(|point| [point[0], point[1], point[2]]).collect())
    }
}

impl Geometry {
    /// Adds the polygons of `triangles`, `polylist` or `polygons`.
    fn polygons_of(&mut self, element: Element<'_>) -> Result<()> {
        let (stride, offset) = layout(element)?;
        if let Some(holes) = element.all("ph").next() {
            return Err(holes.fault("polygons with holes are not read", ANEW));
        }
        let mut corners = Vec::new();
        if element.name() == "polygons" {
            for polygon in element.all("p") {
                self.corners(polygon, stride, offset, &mut corners)?;
                self.polygon(polygon, &corners)?;
            }
            return Ok(());
        }
        let Some(list) = element.child("p")? else { return Ok(()) }; // an empty mesh
        self.corners(list, stride, offset, &mut corners)?;
        let counts = if element.name() == "polylist" {
            let counts = element.required_child("vcount")?;
            counts.text().split_ascii_whitespace().map(|word| index(counts, word)).collect::<Result<Vec<_>>>()?
        } else {
            vec![3; corners.len().div_ceil(3)]
        };
        let mut rest = &corners[..];
        for count in counts {
            let Some((polygon, others)) = rest.split_at_checked(count) else {
                return Err(list.fault("`p` ends within a polygon", "check that the file is complete"));
            };
            self.polygon(list, polygon)?;
            rest = others;
        }
        match rest {
            [] => Ok(()),
            _ => Err(list.fault(format!("`p` has {} corners too many", rest.len()), "check that the file is complete")),
        }
    }

    /// Reads the vertex indices of `p`.
    fn corners(&self, list: Element<'_>, stride: usize, offset: usize, corners: &mut Vec<u32>) -> Result<()> {
        corners.clear();
        let mut count = 0;
        for word in list.text().split_ascii_whitespace() {
            let value = index(list, word)?;
            if count % stride == offset {
                if value >= self.vertices.len() {
                    let problem = format!("a polygon refers to vertex {value}, but there are {}", self.vertices.len());
                    return Err(list.fault(problem, "vertices count from 0: check that the file is complete"));
                }
                corners.push(value as u32); // below the count of vertices, and the text is shorter than 2^32
            }
            count += 1;
        }
        match count % stride {
            0 => Ok(()),
            _ => Err(list.fault(format!("`p` has {count} numbers, {stride} for each corner"), ANEW)),
        }
    }

    fn polygon(&mut self, element: Element<'_>, corners: &[u32]) -> Result<()> {
        let [first, others @ ..] = corners else { return Err(element.fault("a polygon has no corners", ANEW)) };
        if others.len() < 2 {
            return Err(element.fault(format!("a polygon has {} corners instead of three", corners.len()), ANEW));
        }
        if others.len() > 2 {
            let (first, count) = (self.triangles.len(), others.len() - 1);
            self.polygons.push(DaePolygon { first, count, line: element.line() });
        }
        self.triangles.extend(others.windows(2).map(|pair| [*first, pair[0], pair[1]]));
        Ok(())
    }
}

/// Count of the numbers for a corner, and the place of the vertex index among them.
fn layout(element: Element<'_>) -> Result<(usize, usize)> {
    let (mut stride, mut vertex) = (0, None);
    for input in element.all("input") {
        let offset = index(input, input.required("offset")?)?;
        if offset > MAX_OFFSET {
            return Err(input.fault(format!("`offset` is more than {MAX_OFFSET} (`{offset}`)"), ANEW));
        }
        stride = stride.max(offset + 1);
        if input.attribute("semantic") == Some("VERTEX") {
            vertex = Some(offset);
        }
    }
    let missing = || element.fault(format!("`{}` has no input VERTEX", element.name()), ANEW);
    Ok((stride, vertex.ok_or_else(missing)?))
}

fn index(element: Element<'_>, word: &str) -> Result<usize> {
    word.parse().map_err(|_| element.fault(format!("`{}` holds no index (`{word}`)", element.name()), ANEW))
}
