//! Numbers vertices, edges and faces in their published order and lays out the polyhedron.

use super::inexact::Inexact;
use super::merge::Rings;
use super::normals;
use crate::polyhedron::{Boundary, Edge, LANES, MAX_TABLED_VERTICES, NO_FACE};
use crate::real::Dd;
use crate::vec3::Vec3;

/// The boundary of points that are all equal, `a` the first of them.
pub(super) fn point(points: &[Vec3<f64>], a: u32) -> Boundary {
    vertices_only(points, 0, vec![a])
}

/// The boundary of the segment between the different points `a` and `b`.
pub(super) fn segment(points: &[Vec3<f64>], a: u32, b: u32) -> Boundary {
    let mut hull = vertices_only(points, 1, vec![a.min(b), a.max(b)]);
    hull.edges.push(Edge { v: [0, 1], f: [NO_FACE; 2] });
    set_neighbours(&mut hull);
    normals::set_distinct_edges(&mut hull);
    hull
}

/// The boundary with these faces, given as strictly convex polygons of `points`: of a solid, or
/// (`dimension` 2) the front and back of a polygon.
pub(super) fn solid_or_polygon(points: &[Vec3<f64>], dimension: u8, faces: &Rings) -> Result<Boundary, Inexact> {
    let mut source = faces.vertices.clone();
    source.sort_unstable();
    source.dedup();
    let mut number = vec![0; points.len()];
    for (v, &i) in source.iter().enumerate() {
        number[i as usize] = v as u32;
    }
    let mut hull = vertices_only(points, dimension, source);
    set_faces(&mut hull, faces, &number);
    set_edges(&mut hull)?;
    set_neighbours(&mut hull);
    normals::set_normals(&mut hull);
    if dimension < 3 {
        normals::set_distinct_edges(&mut hull);
    }
    Ok(hull)
}

/// A boundary with everything that depends on the vertices alone: the points `source`, ascending
/// and all different.
pub(super) fn vertices_only(points: &[Vec3<f64>], dimension: u8, source: Vec<u32>) -> Boundary {
    let vertices: Vec<Vec3<f64>> = source.iter().map(|&i| points[i as usize] + Vec3::ZERO).collect();
    let padded = |axis: usize| {
        let mut lane: Vec<f64> = vertices.iter().map(|p| p[axis]).collect();
        lane.resize(vertices.len().next_multiple_of(LANES), vertices[0][axis]);
        lane
    };
    Boundary {
        dimension,
        count: vertices.len(),
        x: padded(0),
        y: padded(1),
        z: padded(2),
        source,
        edges: Vec::new(),
        face_start: vec![0],
        face_vertices: Vec::new(),
        face_edges: Vec::new(),
        normals: Vec::new(),
        neighbour_start: vec![0; vertices.len() + 1],
        neighbours: Vec::new(),
        neighbour_edges: Vec::new(),
        neighbour_blocks: Vec::new(),
        neighbour_block_start: Vec::new(),
        starts: Vec::new(),
        start_side: 0,
        mean: mean(&vertices),
        distinct_edges: Vec::new(),
    }
}

/// The mean, summed in double-double in the order of the vertices.
fn mean(vertices: &[Vec3<f64>]) -> Vec3<f64> {
    let sum = vertices.iter().fold(Vec3::<Dd>::ZERO, |sum, p| sum + Vec3::from_f64(*p));
    let count = Dd { hi: vertices.len() as f64, lo: 0.0 };
    Vec3 { x: (sum.x / count).hi, y: (sum.y / count).hi, z: (sum.z / count).hi }
}

/// Fills in `face_start` and `face_vertices`; `number` has the vertex of each point that is one.
fn set_faces(hull: &mut Boundary, faces: &Rings, number: &[u32]) {
    let mut rings = Rings { start: faces.start.clone(), vertices: Vec::with_capacity(faces.vertices.len()) };
    rings.vertices.extend(faces.vertices.iter().map(|&i| number[i as usize]));
    let mut sorted = rings.clone();
    for f in 0..rings.len() {
        let range = rings.start[f] as usize..rings.start[f + 1] as usize;
        let ring = &mut rings.vertices[range.clone()];
        let lowest = (0..ring.len()).min_by_key(|&i| ring[i]).unwrap_or(0);
        ring.rotate_left(lowest);
        sorted.vertices[range].sort_unstable();
    }
    let mut order: Vec<usize> = (0..rings.len()).collect();
    // The front and the back of a polygon have the same vertices: their order decides.
    order.sort_unstable_by_key(|&f| (sorted.ring(f), rings.ring(f)));
    for f in order {
        hull.face_vertices.extend_from_slice(rings.ring(f));
        hull.face_start.push(hull.face_vertices.len() as u32);
    }
}

/// Fills in `edges` and `face_edges` from the faces.
fn set_edges(hull: &mut Boundary) -> Result<(), Inexact> {
    // Low end, high end, whether it is walked from high to low, its place in face_edges; face.
    let mut sides: Vec<(u128, u32)> = Vec::with_capacity(hull.face_vertices.len());
    for f in 0..hull.face_start.len() as u32 - 1 {
        let ring = hull.face(f);
        let start = hull.face_start[f as usize];
        for (i, &from) in ring.iter().enumerate() {
            let to = ring[(i + 1) % ring.len()];
            let ends = u128::from(from.min(to)) << 32 | u128::from(from.max(to));
            sides.push((ends << 33 | u128::from(from > to) << 32 | u128::from(start + i as u32), f));
        }
    }
    sides.sort_unstable();
    hull.face_edges = vec![0; sides.len()];
    for pair in sides.chunks(2) {
        let ends = |side: u128| [(side >> 65) as u32, (side >> 33) as u32];
        let broken = Inexact { point: hull.source[ends(pair[0].0)[0] as usize] };
        let [(one, left), (other, right)] = *pair else { return Err(broken) };
        let [backward, other_backward] = [one, other].map(|side| side >> 32 & 1 == 1);
        if ends(one) != ends(other) || backward || !other_backward || left == right {
            return Err(broken);
        }
        hull.face_edges[one as u32 as usize] = hull.edges.len() as u32;
        hull.face_edges[other as u32 as usize] = hull.edges.len() as u32;
        hull.edges.push(Edge { v: ends(one), f: [left, right] });
    }
    Ok(())
}

/// Fills in the neighbours of the vertices, ascending, from the edges, which are sorted by their
/// ends.
fn set_neighbours(hull: &mut Boundary) {
    for v in hull.edges.iter().flat_map(|edge| edge.v) {
        hull.neighbour_start[v as usize + 1] += 1;
    }
    for v in 0..hull.count {
        hull.neighbour_start[v + 1] += hull.neighbour_start[v];
    }
    let mut next = hull.neighbour_start.clone();
    hull.neighbours = vec![0; 2 * hull.edges.len()];
    hull.neighbour_edges = vec![0; 2 * hull.edges.len()];
    // The lower neighbours of a vertex come first.
    for [own, neighbour] in [[1, 0], [0, 1]] {
        for (e, edge) in hull.edges.iter().enumerate() {
            let at = &mut next[edge.v[own] as usize];
            hull.neighbours[*at as usize] = edge.v[neighbour];
            hull.neighbour_edges[*at as usize] = e as u32;
            *at += 1;
        }
    }
    set_stars(hull);
    set_starts(hull);
}

/// Lays the neighbours' coordinates side by side.
fn set_stars(hull: &mut Boundary) {
    if hull.count > MAX_TABLED_VERTICES {
        return;
    }
    let (mut neighbour_blocks, mut start) = (Vec::new(), vec![0]);
    for v in 0..hull.count as u32 {
        for eight in hull.neighbours_of(v).chunks(LANES) {
            let at = |i: usize| hull.vertex(*eight.get(i).unwrap_or(&v)).to_array();
            neighbour_blocks.push(std::array::from_fn(|axis| std::array::from_fn(|i| at(i)[axis])));
        }
        start.push(neighbour_blocks.len() as u32);
    }
    (hull.neighbour_blocks, hull.neighbour_block_start) = (neighbour_blocks, start);
}

/// Vertices from which a table of starts pays.
const STARTS_FROM: usize = 64;

/// Most neighbours visited to fill the table.
const MOST_LOOKS: f64 = 5e7;

/// Fills in the starts of climbs, each by a climb from the cell before.
fn set_starts(hull: &mut Boundary) {
    if hull.count < STARTS_FROM || hull.neighbour_block_start.is_empty() || hull.dimension < 3 {
        return;
    }
    // About twice as many cells as vertices.
    let side = ((hull.count as f64 / 3.0).sqrt().ceil()).max(4.0);
    // At a vertex of very many neighbours (the tip of a cone) each cell would look at all of them.
    let widest = hull.neighbour_start.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0);
    if 6.0 * side * side * f64::from(widest) > MOST_LOOKS {
        return;
    }
    let mut starts = Vec::new();
    let mut at = 0;
    for face in 0..6 {
        for u in 0..side as u32 {
            for v in 0..side as u32 {
                let middle = |i: u32| (2.0 * f64::from(i) + 1.0) / side - 1.0;
                let (sign, u, v) = (if face % 2 == 0 { 1.0 } else { -1.0 }, middle(u), middle(v));
                let d = match face / 2 {
                    0 => Vec3 { x: sign, y: u, z: v },
                    1 => Vec3 { x: v, y: sign, z: u },
                    _ => Vec3 { x: u, y: v, z: sign },
                };
                at = climb(hull, d, at);
                starts.push(at);
            }
        }
    }
    (hull.starts, hull.start_side) = (starts, side as u32);
}

/// A vertex farthest along `d`, but for rounding.
fn climb(hull: &Boundary, d: Vec3<f64>, start: u32) -> u32 {
    let (mut at, mut height) = (start, hull.vertex(start).dot(d));
    loop {
        let from = at;
        for &n in hull.neighbours_of(from) {
            let next = hull.vertex(n).dot(d);
            if next > height {
                (at, height) = (n, next);
            }
        }
        if at == from {
            return at;
        }
    }
}
