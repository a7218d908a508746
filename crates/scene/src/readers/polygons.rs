//! Polygons of OBJ, PLY, COLLADA and RVM to triangles.
//!
//! Readers cut a polygon into the fan from its first corner. A fan that covers the polygon once
//! stays, as of every convex polygon. Any other polygon is cut anew by a constrained Delaunay
//! triangulation (the crate `spade`) of its corners in a coordinate plane, and what lies inside is
//! decided by the winding number of its outline. So a polygon may have holes (its outline runs
//! along a bridge and back, or it has several contours) and touch itself; one that crosses or
//! overlaps itself is refused. All signs are exact: dropping a coordinate rounds nothing.

use super::mesh::Mesh;
use clearsweep_geometry::hull::{LARGEST_COORDINATE, SMALLEST_COORDINATE, collinear, side, turn};
use clearsweep_geometry::{Dd, Real, Scalar, Vec3};
use clearsweep_input_guard::guarded;
use spade::handles::{FixedDirectedEdgeHandle, FixedVertexHandle};
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation};
use std::collections::HashMap;

/// The remedy for a polygon that cannot be cut.
pub(super) const REMEDY: &str = "cut the face into triangles in the program that wrote it, or mend it";

/// Most corners of a polygon whose fan is not right: inserting edges may take a time quadratic in
/// their number.
const MAX_CORNERS: usize = 100_000;

/// A polygon is flat if the heights of its corners above a plane differ by no more than this part
/// of its largest coordinate: so far rounding moves the corners of a turned one.
const FLAT: f64 = 1.0 / (1_u64 << 48) as f64;

/// Normals below this part of the square of the size are rounding.
const CANCELLED: f64 = 1.0 / (1_u64 << 30) as f64;

const CROSSES: &str = "crosses or overlaps itself";
const FOLDS: &str = "is not flat: it has corners above each other";
const NO_AREA: &str = "encloses no area: it runs back over itself";
const TOO_LONG: &str = "has more than 100000 corners and is not convex";
const OUT_OF_RANGE: &str = "has a coordinate that is so large or so small that it cannot be cut";

/// A polygon of more than three corners, cut into the fan from its first one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fan {
    /// First triangle, and how many it has.
    pub(super) first: u32,
    pub(super) count: u32,
    /// Line or number of the face.
    pub(super) place: usize,
}

/// A polygon that cannot be cut.
#[derive(Debug)]
pub(super) struct BadPolygon {
    pub(super) place: usize,
    /// Predicate of the message: what the face is or does.
    pub(super) problem: String,
}

/// Cuts polygons with wrong fans anew, and notes polygons that are not flat. If triangles were
/// renumbered, returns for each the former number of one of the same polygon; `piece` is renumbered
/// already.
///
/// # Errors
/// The first polygon that crosses or overlaps itself, encloses nothing, or is too long.
pub(super) fn cut(mesh: &mut Mesh, fans: &[Fan]) -> Result<Option<Vec<u32>>, BadPolygon> {
    let mut anew: Vec<(Fan, Vec<[u32; 3]>)> = Vec::new();
    let mut heights: Vec<(usize, Fan, f64)> = Vec::new(); // with the number of polygons cut anew before
    let (mut corners, mut points) = (Vec::new(), Vec::new());
    for &fan in fans {
        let (first, count) = (fan.first as usize, fan.count as usize);
        let triangles = &mesh.triangles[first..first + count];
        corners.clear();
        corners.extend(triangles[0]);
        corners.extend(triangles[1..].iter().map(|triangle| triangle[2]));
        points.clear();
        points.extend(corners.iter().map(|&corner| Vec3::from(mesh.vertices[corner as usize])));
        let fault = |problem: &str| BadPolygon {
            place: fan.place,
            problem: format!("a face of {} vertices {problem}", corners.len()),
        };
        let (found, height) = cut_one(&points, &[points.len()]).map_err(fault)?;
        if height > 0.0 {
            heights.push((anew.len(), fan, height));
        }
        if let Some(found) = found {
            anew.push((fan, found.into_iter().map(|t| t.map(|corner| corners[corner as usize])).collect()));
        }
    }
    let former = (!anew.is_empty()).then(|| renumbered(mesh, &anew));
    // Places by which the triangles behind a polygon moved up in the list.
    let mut shift = vec![0_i64];
    for (fan, triangles) in &anew {
        shift.push(shift[shift.len() - 1] + triangles.len() as i64 - i64::from(fan.count));
    }
    for (before, fan, height) in heights {
        let own = anew.get(before).filter(|(other, _)| other.first == fan.first).map(|(_, triangles)| triangles.len());
        let first = (i64::from(fan.first) + shift[before]) as u32;
        let count = own.map_or(fan.count, |count| count as u32);
        mesh.warped.extend((first..first + count).map(|triangle| (triangle, height)));
    }
    Ok(former)
}

/// Puts the triangles of polygons that were cut anew in place of their fans.
fn renumbered(mesh: &mut Mesh, anew: &[(Fan, Vec<[u32; 3]>)]) -> Vec<u32> {
    let mut former: Vec<u32> = Vec::with_capacity(mesh.triangles.len());
    let mut triangles = Vec::with_capacity(mesh.triangles.len());
    let mut done = 0;
    for (fan, own) in anew {
        triangles.extend_from_slice(&mesh.triangles[done as usize..fan.first as usize]);
        former.extend(done..fan.first);
        triangles.extend_from_slice(own);
        former.extend(own.iter().map(|_| fan.first));
        done = fan.first + fan.count;
    }
    triangles.extend_from_slice(&mesh.triangles[done as usize..]);
    former.extend(done..mesh.triangles.len() as u32);
    mesh.triangles = triangles;
    mesh.piece =
        if mesh.piece.is_empty() { Vec::new() } else { former.iter().map(|&t| mesh.piece[t as usize]).collect() };
    former
}

/// The triangles of a polygon over its corners, if they are not the fan, and how far any other way
/// to cut it may be off, in units of the file.
type CutPolygon = (Option<Vec<[u32; 3]>>, f64);

/// Cuts a polygon with holes into triangles over its corners, and returns them with the bound on how
/// far any other way to cut it may be off. `ends`: where each contour ends among the corners; the
/// first one is the outline, holes run against it.
///
/// # Errors
/// Contours cross or overlap, or enclose nothing; the message is a predicate.
pub(super) fn cut_contours(points: &[Vec3<f64>], ends: &[usize]) -> Result<(Vec<[u32; 3]>, f64), &'static str> {
    let (found, height) = cut_one(points, ends)?;
    let fan = || (1..ends[0] as u32 - 1).map(|corner| [0, corner, corner + 1]).collect();
    Ok((found.unwrap_or_else(fan), height))
}

/// The triangles of a polygon over its corners (`None`: the fan from the first one), and how far
/// any other way to cut it may be off: 0 of a polygon that is flat. `ends`: where each of its
/// contours ends.
fn cut_one(points: &[Vec3<f64>], ends: &[usize]) -> Result<CutPolygon, &'static str> {
    let is_exact = |c: f64| c == 0.0 || (SMALLEST_COORDINATE..=LARGEST_COORDINATE).contains(&c.abs());
    if !points.iter().all(|p| p.to_array().into_iter().all(is_exact)) {
        return Err(OUT_OF_RANGE);
    }
    let far = farthest(points);
    if points.iter().all(|&p| collinear(points[0], far, p)) {
        return Ok((None, 0.0)); // triangles without area, as any others
    }
    let (size, outline) = (extent(points), &points[..ends[0]]);
    let mut normal = newell::<f64>(outline, size).to_array();
    let is_known = normal.iter().any(|c| c.abs() > CANCELLED);
    if !is_known {
        normal = newell::<Dd>(outline, size).to_f64().to_array();
    }
    let mut axes = [0, 1, 2];
    axes.sort_by(|&j, &k| normal[k].abs().total_cmp(&normal[j].abs()));
    // The view along the largest component is the right one, unless that is rounding.
    let mut failed = FOLDS;
    for &axis in axes.iter().take(if is_known { 1 } else { 3 }) {
        let is_fan = ends.len() == 1 && is_fan(points, axis);
        match if is_fan { Ok(None) } else { triangulated(points, ends, axis).map(Some) } {
            Ok(found) => return Ok((found, height(points, outline, size, axis))),
            // Seen from the side, it may seem to fold.
            Err(why) if failed == FOLDS || why == CROSSES => failed = why,
            Err(_) => {}
        }
    }
    Err(failed)
}

/// The corner that is farthest from the first one, about.
fn farthest(points: &[Vec3<f64>]) -> Vec3<f64> {
    let distance = |p: &Vec3<f64>| {
        p.to_array().into_iter().zip(points[0].to_array()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    points.iter().fold((points[0], 0.0), |best, p| if distance(p) > best.1 { (*p, distance(p)) } else { best }).0
}

/// The normal of a polygon by the cross products of its fan (Newell's method), over the square of
/// its size.
fn newell<T: Scalar>(points: &[Vec3<f64>], size: f64) -> Vec3<T> {
    let crosses = points[1..].windows(2).map(|pair| offset(points, pair[0], size).cross(offset(points, pair[1], size)));
    crosses.reduce(|sum, cross| sum + cross).unwrap_or_else(|| Vec3::from_f64(Vec3::ZERO))
}

/// A point less the first corner, over the size.
fn offset<T: Scalar>(points: &[Vec3<f64>], p: Vec3<f64>, size: f64) -> Vec3<T> {
    (Vec3::from_f64(p) - Vec3::from_f64(points[0])).scale(T::from_f64(1.0 / size))
}

/// The largest difference of a coordinate from that of the first corner.
fn extent(points: &[Vec3<f64>]) -> f64 {
    let p = points[0];
    points.iter().flat_map(|&q| (q - p).to_array()).fold(0.0, |most, c| c.abs().max(most))
}

/// Bound on the distance of two surfaces that the polygon spans, each inside of the hull of its
/// corners and over its outline seen along the axis: the spread of the heights of the corners above
/// a plane, along the axis. Rounded up. `outline`: the corners of the first contour.
fn height(points: &[Vec3<f64>], outline: &[Vec3<f64>], size: f64, axis: usize) -> f64 {
    if let [a, b, c, d] = *points
        && side(a, b, c, d) == 0.0
        && !collinear(a, b, c)
    {
        return 0.0;
    }
    // The plane of three corners far from each other is the better one of a long outline, on which
    // roundings add up.
    let spread = [newell::<Dd>(outline, size), widest(points, size)].map(|normal| spread(points, (normal, axis), size));
    let spread = spread[0].min(spread[1]);
    let largest = points.iter().flat_map(|p| p.to_array()).fold(0.0_f64, |most, c| most.max(c.abs()));
    // Without a plane all corners lie on a line, but for far less than rounding.
    if spread <= FLAT * largest || spread.is_infinite() { 0.0 } else { spread * (1.0 + 1e-9) }
}

/// Spread of the heights of the corners above a plane, along the axis.
fn spread(points: &[Vec3<f64>], (normal, axis): (Vec3<Dd>, usize), size: f64) -> f64 {
    let along = normal[axis];
    if along.to_f64().abs() < f64::EPSILON * f64::EPSILON {
        return f64::INFINITY;
    }
    let heights = points.iter().map(|&p| (normal.dot(offset(points, p, size)) / along).to_f64() * size);
    let (low, high) = heights.fold((0.0_f64, 0.0_f64), |(low, high), h| (low.min(h), high.max(h)));
    high - low
}

/// The normal of a plane through three corners far from each other, over the square of the size.
fn widest(points: &[Vec3<f64>], size: f64) -> Vec3<Dd> {
    let far = offset::<Dd>(points, farthest(points), size);
    let normals = points.iter().map(|&p| far.cross(offset(points, p, size)));
    let length = |normal: &Vec3<Dd>| normal.to_f64().length2();
    normals.fold(Vec3::from_f64(Vec3::ZERO), |best, normal| if length(&normal) > length(&best) { normal } else { best })
}

/// Whether the fan from the first corner covers the polygon once, seen along an axis.
fn is_fan(points: &[Vec3<f64>], axis: usize) -> bool {
    let p = points[0];
    let seen = [(axis + 1) % 3, (axis + 2) % 3];
    let is_between =
        |a: Vec3<f64>, b: Vec3<f64>| seen.iter().any(|&c| a[c] < p[c] && p[c] < b[c] || b[c] < p[c] && p[c] < a[c]);
    let mut direction = 0.0;
    for pair in points[1..].windows(2) {
        let sign = turn(p, pair[0], pair[1], axis);
        if sign == 0.0 {
            if is_between(pair[0], pair[1]) {
                return false;
            }
        } else if direction == 0.0 {
            direction = sign.signum();
        } else if sign * direction < 0.0 {
            return false;
        }
    }
    // No more than once around the corner, and not through it.
    let is_away = |q: &Vec3<f64>| seen.iter().any(|&c| q[c] != p[c]);
    let Some(begin) = points.iter().position(is_away) else { return false };
    let Some(end) = points.iter().rposition(is_away) else { return false };
    let start = points[begin];
    if !points[begin..=end].iter().all(is_away) {
        return false;
    }
    let mut is_past_half = false;
    for &q in &points[1..] {
        let side = turn(p, start, q, axis) * direction;
        if is_past_half && side > 0.0 {
            return false;
        }
        is_past_half |= side < 0.0;
    }
    direction != 0.0
}

type FlatTriangulation = ConstrainedDelaunayTriangulation<Point2<f64>>;

/// The corners of a polygon as seen along an axis, each place once.
struct SeenCorners<'a> {
    /// The first corner at each place.
    first: Vec<u32>,
    /// The place of each corner.
    of_corner: Vec<usize>,
    /// Ends of the contours among the corners.
    ends: &'a [usize],
}

impl<'a> SeenCorners<'a> {
    fn of(points: &[Vec3<f64>], ends: &'a [usize], axis: usize) -> Result<Self, &'static str> {
        let mut known: HashMap<[u64; 2], usize> = HashMap::with_capacity(points.len());
        let mut seen = Self { first: Vec::new(), of_corner: Vec::with_capacity(points.len()), ends };
        for (corner, p) in points.iter().enumerate() {
            let key = [p[(axis + 1) % 3], p[(axis + 2) % 3]].map(|c| (c + 0.0).to_bits()); // -0 is 0
            let place = *known.entry(key).or_insert(seen.first.len());
            if place == seen.first.len() {
                seen.first.push(corner as u32); // at most MAX_CORNERS
            } else if points[seen.first[place] as usize] != *p {
                return Err(FOLDS);
            }
            seen.of_corner.push(place);
        }
        Ok(seen)
    }

    /// The edges of the contours between different places.
    fn outline(&self) -> impl Iterator<Item = [usize; 2]> + '_ {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        let contours = begins.zip(self.ends).map(|(begin, &end)| &self.of_corner[begin..end]);
        let edges = contours.flat_map(|contour| contour.iter().zip(contour.iter().cycle().skip(1)));
        edges.map(|(&from, &to)| [from, to]).filter(|[from, to]| from != to)
    }
}

/// The triangles of a polygon, seen along an axis. Triangles without area fill the edges on which
/// other corners lie, and stand for stretches that the outline runs forth and back outside of the
/// polygon.
fn triangulated(points: &[Vec3<f64>], ends: &[usize], axis: usize) -> Result<Vec<[u32; 3]>, &'static str> {
    if points.len() > MAX_CORNERS {
        return Err(TOO_LONG);
    }
    let seen = SeenCorners::of(points, ends, axis)?;
    // A defect of the library must not take the program down.
    guarded(|| by_winding(points, &seen, axis)).unwrap_or(Err(CROSSES))
}

fn by_winding(points: &[Vec3<f64>], seen: &SeenCorners<'_>, axis: usize) -> Result<Vec<[u32; 3]>, &'static str> {
    let mut flat = FlatTriangulation::new();
    for &corner in &seen.first {
        let p = points[corner as usize];
        flat.insert(Point2::new(p[(axis + 1) % 3], p[(axis + 2) % 3])).map_err(|_| OUT_OF_RANGE)?;
    }
    let handle = FixedVertexHandle::from_index;
    for [from, to] in seen.outline() {
        if flat.try_add_constraint(handle(from), handle(to)).is_empty() {
            return Err(CROSSES);
        }
    }
    // Runs of the outline along each edge, less the runs against it; and whether it runs there at
    // all.
    let mut runs = vec![(0_i32, false); flat.num_undirected_edges()];
    let mut triangles = Vec::new();
    for [from, to] in seen.outline() {
        // No change, as all edges are there.
        let chain = flat.try_add_constraint(handle(from), handle(to));
        for &edge in &chain {
            let (net, is_used) = &mut runs[edge.as_undirected().index()];
            *net += sign(edge);
            *is_used = true;
        }
        let passed =
            chain.iter().map(|&edge| seen.first[flat.directed_edge(edge).to().fix().index()]).collect::<Vec<_>>();
        triangles.extend(passed.windows(2).map(|pair| [seen.first[from], pair[1], pair[0]]));
    }
    let winding = windings(&flat, &runs);
    let inside = winding.iter().copied().find(|&w| w != 0).ok_or(NO_AREA)?;
    if inside.abs() > 1 || winding.iter().any(|&w| w != 0 && w != inside) {
        return Err(CROSSES);
    }
    for face in flat.inner_faces().filter(|face| winding[face.fix().index()] != 0) {
        let [a, b, c] = face.vertices().map(|vertex| seen.first[vertex.fix().index()]);
        triangles.push(if inside > 0 { [a, b, c] } else { [a, c, b] });
    }
    for edge in flat.undirected_edges() {
        let directed = edge.as_directed();
        let is_outside = [directed, directed.rev()].iter().all(|side| winding[side.face().fix().index()] == 0);
        if is_outside && runs[edge.fix().index()].1 {
            let [from, to] = directed.vertices().map(|vertex| seen.first[vertex.fix().index()]);
            triangles.push([from, to, to]);
        }
    }
    Ok(triangles)
}

/// 1 if an edge has the direction that its undirected edge goes by, else -1.
fn sign(edge: FixedDirectedEdgeHandle) -> i32 {
    if edge.as_undirected().as_directed() == edge { 1 } else { -1 }
}

/// Winding number of the outline around each face, counter-clockwise.
fn windings(flat: &FlatTriangulation, runs: &[(i32, bool)]) -> Vec<i32> {
    let mut winding: Vec<Option<i32>> = vec![None; flat.num_all_faces()];
    winding[flat.outer_face().fix().index()] = Some(0);
    // Each side of an edge, with the winding number on the other one.
    let mut open: Vec<(FixedDirectedEdgeHandle, i32)> =
        flat.convex_hull().flat_map(|edge| [edge.fix(), edge.rev().fix()]).map(|edge| (edge, 0)).collect();
    while let Some((edge, behind)) = open.pop() {
        let face = flat.directed_edge(edge).face();
        let Some(inner) = face.as_inner() else { continue };
        let own = &mut winding[face.fix().index()];
        if own.is_some() {
            continue;
        }
        let number = behind + sign(edge) * runs[edge.as_undirected().index()].0;
        *own = Some(number);
        open.extend(inner.adjacent_edges().into_iter().map(|side| (side.rev().fix(), number)));
    }
    winding.into_iter().map(Option::unwrap_or_default).collect()
}
