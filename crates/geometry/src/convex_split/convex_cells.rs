//! The convex cells of a solid mesh with few planes, exactly as its vertices are stored.
//!
//! The box of the mesh is cut by the planes of all its triangles, so that each cell lies inside of
//! the solid or outside as a whole: its winding number tells. Cells inside are joined where two of
//! them make a convex one. All signs are exact; a solid is left whole if a cut meets an edge at a
//! point that `f64` numbers cannot state.

use crate::hull::{collinear, convex_hull, side};
use crate::{Polyhedron, TriangleMesh, Vec3};

/// Planes of a mesh, at most.
const MOST_PLANES: usize = 24;

/// Cells of the box, and cells inside of the solid, at most.
const MOST_CELLS: usize = 512;
const MOST_PARTS: usize = 64;

/// Triangles of a mesh, at most.
const MOST_TRIANGLES: usize = 4096;

type Point = Vec3<f64>;

/// Three points of a plane, counter-clockwise seen from its outside.
type Plane = [Point; 3];

/// The vertices of convex solids that are the mesh together and have no inside in common, in a
/// fixed order. `None`: the mesh is not solid, has too many planes or cells, or a cut is not exact.
pub fn convex_cells(mesh: &TriangleMesh) -> Option<Vec<Vec<Point>>> {
    if !mesh.is_solid() || mesh.triangles().len() > MOST_TRIANGLES {
        return None;
    }
    let planes = planes(mesh)?;
    let (low, high) = bounds(mesh);
    let corner = |k: usize| Vec3::from([0, 1, 2].map(|i| if k >> i & 1 == 1 { high[i] } else { low[i] }));
    let mut cells = vec![convex_hull(&(0..8).map(corner).collect::<Vec<_>>()).ok()?];
    for plane in &planes {
        let mut next = Vec::with_capacity(2 * cells.len());
        for cell in cells {
            match cut(&cell, plane)? {
                Cut::Beside => next.push(cell),
                Cut::Through(parts) => next.extend(*parts),
            }
        }
        cells = next;
        if cells.len() > MOST_CELLS {
            return None;
        }
    }
    let mut inside = Vec::new();
    for cell in cells {
        if is_inside(mesh, &cell)? {
            inside.push(cell);
        }
    }
    if inside.len() > MOST_PARTS {
        return None;
    }
    join(&mut inside, &planes);
    Some(inside.iter().map(points).collect())
}

/// The least and the greatest coordinates of the vertices.
fn bounds(mesh: &TriangleMesh) -> ([f64; 3], [f64; 3]) {
    let mut ends = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for v in mesh.vertices().iter().map(|v| v.to_array()) {
        for k in 0..3 {
            (ends.0[k], ends.1[k]) = (ends.0[k].min(v[k]), ends.1[k].max(v[k]));
        }
    }
    ends
}

/// The distinct planes of the triangles; `None` if there are too many.
fn planes(mesh: &TriangleMesh) -> Option<Vec<Plane>> {
    let mut found: Vec<Plane> = Vec::new();
    for t in 0..mesh.triangles().len() as u32 {
        let corners = mesh.corners(t);
        let lies_in = |[a, b, c]: &Plane| corners.iter().all(|&p| side(*a, *b, *c, p) == 0.0);
        if !found.iter().any(lies_in) {
            if found.len() == MOST_PLANES {
                return None;
            }
            found.push(corners);
        }
    }
    Some(found)
}

/// The vertices of a cell.
fn points(cell: &Polyhedron) -> Vec<Point> {
    (0..cell.count as u32).map(|v| cell.vertex(v)).collect()
}

/// Position of a plane relative to a cell.
enum Cut {
    /// All of the cell lies on one side.
    Beside,
    /// The part below the plane, and the part above it.
    Through(Box<[Polyhedron; 2]>),
}

/// Cuts a cell by a plane; `None` if an edge meets it at a point that `f64` numbers cannot state.
fn cut(cell: &Polyhedron, plane: &Plane) -> Option<Cut> {
    let [a, b, c] = *plane;
    let heights: Vec<f64> = points(cell).into_iter().map(|p| side(a, b, c, p)).collect();
    if heights.iter().all(|&h| h <= 0.0) || heights.iter().all(|&h| h >= 0.0) {
        return Some(Cut::Beside);
    }
    let is_met = |[from, to]: [f64; 2]| from < 0.0 && to > 0.0 || from > 0.0 && to < 0.0;
    let met = cell.edges.iter().filter(|edge| is_met(edge.v.map(|v| heights[v as usize])));
    let on_plane: Vec<Point> = met
        .map(|edge| {
            let [from, to] = edge.v.map(|v| (cell.vertex(v), heights[v as usize]));
            crossing(plane, from, to)
        })
        .collect::<Option<_>>()?;
    let part = |sign: f64| {
        let own = (0..cell.count as u32).filter(|&v| heights[v as usize] * sign >= 0.0).map(|v| cell.vertex(v));
        convex_hull(&own.chain(on_plane.iter().copied()).collect::<Vec<_>>()).ok().filter(|part| part.dimension == 3)
    };
    Some(Cut::Through(Box::new([part(-1.0)?, part(1.0)?])))
}

/// Finds the point at which an edge crosses a plane, if it is exactly one of `f64` numbers. Each
/// end comes with its `side` of the plane.
fn crossing(plane: &Plane, (from, below): (Point, f64), (to, above): (Point, f64)) -> Option<Point> {
    let [a, b, c] = *plane;
    let share = below / (below - above);
    let along = to - from;
    let near = from + along.scale(share);
    let is_exact = |p: &Point| {
        let [at, from, to] = [*p, from, to].map(|p| p.to_array());
        let is_between = (0..3).all(|k| from[k].min(to[k]) <= at[k] && at[k] <= from[k].max(to[k]));
        is_between && side(a, b, c, *p) == 0.0 && collinear(from.into(), to.into(), *p)
    };
    // An edge along an axis meets a plane across it at the coordinate of that plane.
    let snapped = (0..3).map(|axis| {
        let mut at = from.to_array();
        at[axis] = a.to_array()[axis];
        Point::from(at)
    });
    std::iter::once(near).chain(snapped).find(is_exact)
}

/// Whether a cell lies inside of the solid; `None` if its middle is not known to lie within it, or
/// its winding number is not known.
fn is_inside(mesh: &TriangleMesh, cell: &Polyhedron) -> Option<bool> {
    let is_within = |f: usize| {
        let [a, b, c] = [0, 1, 2].map(|k| cell.vertex(cell.face(f as u32)[k]));
        side(a, b, c, cell.mean) < 0.0
    };
    if !(0..cell.face_count()).all(is_within) {
        return None;
    }
    Some(mesh.winding_of_all(cell.mean).whole()? > 0)
}

/// Joins pairs of cells that are one convex solid together, as long as there are any.
fn join(cells: &mut Vec<Polyhedron>, planes: &[Plane]) {
    let mut i = 0;
    while i < cells.len() {
        let joined = (i + 1..cells.len()).find_map(|j| Some((j, joined(&cells[i], &cells[j], planes)?)));
        match joined {
            Some((j, cell)) => {
                cells[i] = cell;
                cells.remove(j);
                // The larger cell may fit an earlier one.
                i = 0;
            }
            None => i += 1,
        }
    }
}

/// The convex solid that two cells are together: a plane cuts its hull into just these.
fn joined(one: &Polyhedron, other: &Polyhedron, planes: &[Plane]) -> Option<Polyhedron> {
    let lists = [points(one), points(other)];
    let common = lists[0].iter().filter(|p| lists[1].contains(p)).count();
    if common < 3 {
        return None;
    }
    let hull = convex_hull(&lists.concat()).ok()?;
    let is_side = |cell: &[Point], part: &Polyhedron| {
        let own = points(part);
        own.len() == cell.len() && own.iter().all(|p| cell.contains(p))
    };
    planes
        .iter()
        .any(|plane| match cut(&hull, plane) {
            Some(Cut::Through(parts)) => {
                let [below, above] = &*parts;
                (is_side(&lists[0], below) && is_side(&lists[1], above))
                    || (is_side(&lists[0], above) && is_side(&lists[1], below))
            }
            _ => false,
        })
        .then_some(hull)
}
