//! Merges a weakly convex triangulation into the faces of the hull: coplanar neighbours are joined,
//! exactly, and vertices that lie inside a face or an edge are dropped.

use super::exact::side;
use super::inexact::Inexact;
use super::quickhull::Triangle;
use crate::vec3::Vec3;

/// Polygons of points: ring `i` is `vertices[start[i]..start[i + 1]]`, counter-clockwise seen from
/// outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rings {
    /// One more than there are rings.
    pub(super) start: Vec<u32>,
    /// Indices of points.
    pub(super) vertices: Vec<u32>,
}

impl Rings {
    /// Number of rings.
    pub(super) fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// The vertices of ring `i`.
    pub(super) fn ring(&self, i: usize) -> &[u32] {
        &self.vertices[self.start[i] as usize..self.start[i + 1] as usize]
    }
}

/// A side of a triangle that lies on the border of its region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct BorderSide {
    region: u32,
    from: u32,
    to: u32,
}

/// The faces of the hull, with the extreme points only.
pub(super) fn faces(points: &[Vec3<f64>], triangles: &[Triangle]) -> Result<Rings, Inexact> {
    let region = coplanar_regions(points, triangles);
    let mut border = Vec::new();
    // As many regions meet at a vertex as border sides start there: none inside a face, two inside
    // an edge, three or more where the point is extreme.
    let mut regions_at = vec![0_u32; points.len()];
    for (t, triangle) in triangles.iter().enumerate() {
        for i in 0..3 {
            if region[triangle.across[i] as usize] != region[t] {
                border.push(BorderSide { region: region[t], from: triangle.v[i], to: triangle.v[(i + 1) % 3] });
                regions_at[triangle.v[i] as usize] += 1;
            }
        }
    }
    border.sort_unstable();
    let mut rings = Rings { start: vec![0], vertices: Vec::with_capacity(border.len()) };
    for sides in border.chunk_by(|a, b| a.region == b.region) {
        walk(sides, |v| {
            if regions_at[v as usize] > 2 {
                rings.vertices.push(v);
            }
        })?;
        rings.start.push(rings.vertices.len() as u32);
    }
    Ok(rings)
}

/// The region of each triangle: neighbours in one plane are of one region. As the surface is
/// convex, a region is a whole face of the hull.
fn coplanar_regions(points: &[Vec3<f64>], triangles: &[Triangle]) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let mut region = vec![NONE; triangles.len()];
    let mut open = Vec::new();
    let mut regions = 0;
    for seed in 0..triangles.len() {
        if region[seed] != NONE {
            continue;
        }
        region[seed] = regions;
        open.push(seed);
        while let Some(t) = open.pop() {
            for other in triangles[t].across.map(|other| other as usize) {
                if region[other] == NONE && coplanar(points, &triangles[t], &triangles[other]) {
                    region[other] = regions;
                    open.push(other);
                }
            }
        }
        regions += 1;
    }
    region
}

/// Whether two triangles with a common side lie in one plane.
fn coplanar(points: &[Vec3<f64>], t: &Triangle, other: &Triangle) -> bool {
    let [a, b, c] = t.v.map(|v| points[v as usize]);
    other.v.iter().filter(|v| !t.v.contains(v)).all(|v| side(a, b, c, points[*v as usize]) == 0.0)
}

/// Visits the vertices of the one ring that `sides`, sorted by `from`, form.
fn walk(sides: &[BorderSide], mut visit: impl FnMut(u32)) -> Result<(), Inexact> {
    let mut at = 0;
    for steps in 1..=sides.len() {
        visit(sides[at].from);
        let broken = Inexact { point: sides[at].to };
        at = sides.binary_search_by_key(&sides[at].to, |side| side.from).map_err(|_| broken)?;
        if at == 0 && steps < sides.len() {
            return Err(Inexact { point: sides[0].from }); // more than one ring
        }
    }
    if at == 0 { Ok(()) } else { Err(Inexact { point: sides[at].from }) }
}
