//! Triangles on a grid of samples: the nearest face of each, and the outlines between faces.
//!
//! Arithmetic is `+ - * /` and square roots of `f64` in a fixed order: the same samples on every
//! platform.

use super::projection::{Corner, Projection, first_from};
use crate::data::{DisplayMesh, Placement};
use clearsweep_geometry::Vec3;
use std::ops::Range;

/// Returns the vector turned by a unit quaternion.
pub(super) fn rotated([w, x, y, z]: [f64; 4], v: Vec3<f64>) -> Vec3<f64> {
    let axis = Vec3::new(x, y, z);
    let twice = axis.cross(v).scale(2.0);
    v + twice.scale(w) + axis.cross(twice)
}

/// Buffers for the vertices of a mesh.
#[derive(Default)]
pub(super) struct Scratch {
    points: Vec<Vec3<f64>>,
    corners: Vec<Corner>,
}

/// Calls `triangle` for each triangle of a mesh that may be seen: its corners in the camera frame,
/// and on the grid. Triangles are cut at the least depth.
pub(super) fn for_triangles(
    projection: &Projection,
    placement: &Placement,
    mesh: &DisplayMesh,
    scratch: &mut Scratch,
    mut triangle: impl FnMut([Vec3<f64>; 3], [Corner; 3]),
) {
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let [x, y, z] = axes.map(|axis| projection.turned(rotated(placement.q, axis.into())));
    let origin = projection.point(placement.position.into());
    let place = |[a, b, c]: [f64; 3]| origin + x.scale(a) + y.scale(b) + z.scale(c);
    let (middle, radius) = bounding_sphere(mesh);
    if projection.misses(place(middle), radius) {
        return;
    }
    scratch.points.clear();
    scratch.points.extend(mesh.vertices.iter().map(|v| place(v.map(f64::from))));
    scratch.corners.clear();
    let corner = |&p: &Vec3<f64>| if p.z >= projection.near { projection.corner(p) } else { Corner::TOO_NEAR };
    scratch.corners.extend(scratch.points.iter().map(corner));
    for &[a, b, c] in &mesh.triangles {
        let corners = [&scratch.corners[a as usize], &scratch.corners[b as usize], &scratch.corners[c as usize]];
        if is_missed(corners) {
            continue;
        }
        let points = [a, b, c].map(|v| scratch.points[v as usize]);
        if corners.iter().all(|corner| corner.row != Corner::TOO_NEAR.row) {
            triangle(points, corners.map(|&corner| corner));
        } else {
            projection.cut(points, &mut triangle);
        }
    }
}

/// The centre and the radius of a sphere around a mesh, in its frame, metres.
fn bounding_sphere(mesh: &DisplayMesh) -> ([f64; 3], f64) {
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for v in &mesh.vertices {
        for axis in 0..3 {
            low[axis] = low[axis].min(v[axis]);
            high[axis] = high[axis].max(v[axis]);
        }
    }
    let (low, high) = (Vec3::from(low.map(f64::from)), Vec3::from(high.map(f64::from)));
    // A little more than half the diagonal: sums are rounded.
    ((low + high).scale(0.5).to_array(), (high - low).length() * 0.500_001)
}

/// The nearest face at each sample.
#[derive(Default)]
pub(super) struct Layer {
    size: [usize; 2],
    /// One over the depth; 0 where there is no face.
    pub nearness: Vec<f32>,
    /// Number of the face; 0: none.
    pub face: Vec<u32>,
    /// Strength of the outline, from none to [`SILHOUETTE`]: see [`Layer::find_outlines`].
    pub outline: Vec<u8>,
    /// The columns of each row outside of which there is no face.
    pub drawn: Vec<Range<usize>>,
}

impl Layer {
    /// Removes all faces, and gives it a size.
    pub(super) fn clear(&mut self, size: [usize; 2]) {
        self.size = size;
        refill(&mut self.nearness, size[0] * size[1], 0.0);
        refill(&mut self.face, size[0] * size[1], 0);
        refill(&mut self.outline, size[0] * size[1], 0);
        refill(&mut self.drawn, size[1], NOWHERE);
    }

    /// Draws a triangle, and returns whether a sample shows it. The first of equally near faces
    /// stays.
    pub(super) fn draw(&mut self, corners: [Corner; 3], number: u32) -> bool {
        let mut seen = 0;
        let Self { size: [width, _], nearness: depths, face: faces, drawn, .. } = self;
        fill(corners, *width, |Span { row, columns, nearness }| {
            drawn[row] = union(&drawn[row], &columns);
            let samples = row * *width + columns.start..row * *width + columns.end;
            let (depths, faces) = (&mut depths[samples.clone()], &mut faces[samples]);
            for (step, (depth, face)) in depths.iter_mut().zip(faces).enumerate() {
                let nearness = nearness.at(step) as f32;
                // Masks instead of a branch: several samples at a time.
                let nearer = if nearness > *depth { u32::MAX } else { 0 };
                *depth = if nearness > *depth { nearness } else { *depth };
                *face = (number & nearer) | (*face & !nearer);
                seen |= nearer;
            }
        });
        seen != 0
    }
}

/// Gives a vector `count` equal items.
pub(super) fn refill<T: Clone>(items: &mut Vec<T>, count: usize, item: T) {
    items.clear();
    items.resize(count, item);
}

/// No columns.
pub(super) const NOWHERE: Range<usize> = Range { start: usize::MAX, end: 0 };

/// The least range that contains two ranges, either of which may be [`NOWHERE`].
#[inline(always)]
pub(super) fn union(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    a.start.min(b.start)..a.end.max(b.end)
}

/// The samples of a row that a triangle covers.
pub(super) struct Span {
    pub row: usize,
    /// Not empty.
    pub columns: Range<usize>,
    pub nearness: Slope,
}

/// One over the depth along a row.
#[derive(Clone, Copy)]
pub(super) struct Slope {
    first: f64,
    per_column: f64,
}

impl Slope {
    /// The value `step` columns after the first.
    #[inline(always)]
    pub(super) fn at(self, step: usize) -> f64 {
        // A conversion of 32 bits is one instruction everywhere.
        self.first + self.per_column * f64::from(step as i32)
    }
}

/// Strength of the outline of a sample: an edge between faces that both are seen.
pub(super) const CREASE: u8 = 1;
/// Strength of the outline of a sample: the end of a body, or of a part that hides another.
pub(super) const SILHOUETTE: u8 = 2;

/// Cosine of the least angle between faces that counts as an edge: 39 degrees, above that of
/// rounded edges of grown bodies.
const CREASE_COSINE: f64 = 0.777;

/// Least relative difference of depth between faces that hide each other.
const DEPTH_JUMP: f64 = 0.006;

/// A face in a picture.
pub(super) struct Face {
    part: usize,
    /// Unit normal towards the eye, camera frame.
    pub normal: Vec3<f64>,
    /// Change of the nearness to the next column and to the next row.
    slope: [f64; 2],
}

impl Face {
    /// The face of a triangle in the camera frame.
    pub(super) fn new(part: usize, [a, b, c]: [Vec3<f64>; 3], projection: &Projection) -> Self {
        let across = (b - a).cross(c - a);
        let length = across.length();
        let unit = if length > 0.0 { across.scale(1.0 / length) } else { Vec3::new(0.0, 0.0, -1.0) };
        let height = unit.dot(a);
        let normal = if height > 0.0 { -unit } else { unit };
        // The plane is normal . p = -|height|; divided by the depth it says how the nearness
        // changes on the grid.
        let per_sample = -1.0 / (height.abs() * projection.scale);
        Self { part, normal, slope: [normal.x * per_sample, -normal.y * per_sample] }
    }

    /// The strength of the outline between neighbouring samples of two faces; `axis` 0: of a row,
    /// 1: of a column.
    fn outline(&self, next: &Self, nearness: [f32; 2], axis: usize) -> u8 {
        if self.part != next.part {
            return SILHOUETTE;
        }
        let [here, there] = nearness.map(f64::from);
        let gap = (there - here - self.slope[axis]).abs().min((there - here - next.slope[axis]).abs());
        if gap > DEPTH_JUMP * here.max(there) {
            SILHOUETTE
        } else if self.normal.dot(next.normal) < CREASE_COSINE {
            CREASE
        } else {
            0
        }
    }
}

impl Layer {
    /// Marks the outlines of bodies, and the edges between faces.
    pub(super) fn find_outlines(&mut self, faces: &[Face]) {
        let [width, height] = self.size;
        for row in 0..height {
            let below = (row + 1).min(height - 1);
            for column in widened(&union(&self.drawn[row], &self.drawn[below]), width) {
                let at = row * width + column;
                if column + 1 < width && self.face[at] != self.face[at + 1] {
                    self.mark_outline(faces, [at, at + 1], 0);
                }
                if self.face[at] != self.face[below * width + column] {
                    self.mark_outline(faces, [at, at + width], 1);
                }
            }
        }
    }

    /// Marks the outline between neighbouring samples of different faces. Creases are half as wide
    /// as silhouettes.
    fn mark_outline(&mut self, faces: &[Face], [at, next]: [usize; 2], axis: usize) {
        let strength = match [self.face[at], self.face[next]] {
            [0, _] | [_, 0] => SILHOUETTE,
            [a, b] => {
                let nearness = [self.nearness[at], self.nearness[next]];
                faces[a as usize - 1].outline(&faces[b as usize - 1], nearness, axis)
            }
        };
        self.outline[at] = self.outline[at].max(strength);
        if strength == SILHOUETTE {
            self.outline[next] = SILHOUETTE;
        }
    }
}

/// A range of columns and one more on both sides; none of [`NOWHERE`].
pub(super) fn widened(columns: &Range<usize>, width: usize) -> Range<usize> {
    if columns.is_empty() { 0..0 } else { columns.start.saturating_sub(1)..(columns.end + 1).min(width) }
}

/// Calls `draw` for the rows of a triangle: it covers the samples whose middle lies inside.
/// Triangles that share an edge have no sample in common, and none lies between them.
#[inline(always)]
pub(super) fn fill([mut a, mut b, mut c]: [Corner; 3], width: usize, mut draw: impl FnMut(Span)) {
    if is_missed([&a, &b, &c]) {
        return;
    }
    sort(&mut a, &mut b);
    sort(&mut b, &mut c);
    sort(&mut a, &mut b);
    let ([p, q], [r, s]) = ([b.x - a.x, b.y - a.y], [c.x - a.x, c.y - a.y]);
    let area = p * s - r * q;
    if area == 0.0 || !area.is_finite() {
        return;
    }
    let plane = Plane::new([a, b, c], area);
    let long = Edge::new(a, c);
    for (upper, lower) in [(a, b), (b, c)] {
        let short = Edge::new(upper, lower);
        let (left, right) = if area > 0.0 { (&long, &short) } else { (&short, &long) };
        for row in upper.row..lower.row {
            let y = f64::from(row) + 0.5;
            let [from, to] = [left, right].map(|edge| first_from(edge.at(y), width as u32));
            if from < to {
                let nearness = plane.row([f64::from(from) + 0.5, y], (to - from) as usize);
                draw(Span { row: row as usize, columns: from as usize..to as usize, nearness });
            }
        }
    }
}

/// The nearness on a triangle.
struct Plane {
    corner: Corner,
    per_column: f64,
    per_row: f64,
    /// Least and greatest, with a margin for rounding.
    range: [f64; 2],
}

impl Plane {
    /// `area`: twice that of the triangle on the grid.
    #[inline(always)]
    fn new([a, b, c]: [Corner; 3], area: f64) -> Self {
        let ([p, q], [r, s]) = ([b.x - a.x, b.y - a.y], [c.x - a.x, c.y - a.y]);
        let [v, w] = [b.nearness - a.nearness, c.nearness - a.nearness];
        let least = a.nearness.min(b.nearness).min(c.nearness) * (1.0 - 1e-9);
        let greatest = a.nearness.max(b.nearness).max(c.nearness) * (1.0 + 1e-9);
        let (per_column, per_row) = ((v * s - w * q) / area, (p * w - r * v) / area);
        Self { corner: a, per_column, per_row, range: [least, greatest] }
    }

    /// The nearness of `count` samples of a row from a place on.
    #[inline(always)]
    fn row(&self, [x, y]: [f64; 2], count: usize) -> Slope {
        let Self { corner, per_column, per_row, range: [least, greatest] } = *self;
        let first = corner.nearness + per_row * (y - corner.y) + per_column * (x - corner.x);
        let slope = Slope { first, per_column };
        let is_inside = |value: f64| value >= least && value <= greatest;
        if is_inside(first) && is_inside(slope.at(count - 1)) {
            return slope;
        }
        // A triangle that is seen from its side has large slopes, which are rounded.
        Slope { first: first.max(least).min(greatest), per_column: 0.0 }
    }
}

/// Whether no middle of a row or none of a column lies between three corners.
#[inline(always)]
fn is_missed([a, b, c]: [&Corner; 3]) -> bool {
    (a.row == b.row && b.row == c.row) || (a.column == b.column && b.column == c.column)
}

/// Puts the upper one of two corners first.
#[inline(always)]
fn sort(upper: &mut Corner, lower: &mut Corner) {
    if lower.y < upper.y {
        std::mem::swap(upper, lower);
    }
}

/// An edge of a triangle on the grid, the same for both triangles beside it.
struct Edge {
    upper: Corner,
    per_row: f64,
}

impl Edge {
    #[inline(always)]
    fn new(upper: Corner, lower: Corner) -> Self {
        Self { upper, per_row: (lower.x - upper.x) / (lower.y - upper.y) }
    }

    /// The column at which it crosses a row.
    #[inline(always)]
    fn at(&self, y: f64) -> f64 {
        self.upper.x + (y - self.upper.y) * self.per_row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Camera;

    const CAMERA: Camera = Camera { eye: [0.0, -5.0, 0.0], forward: [0.0, 1.0, 0.0], up: [0.0, 0.0, 1.0] };
    const REST: Placement = Placement { position: [0.0; 3], q: [1.0, 0.0, 0.0, 0.0] };

    /// Numbers from 0 to 1 (Knuth's linear congruential generator).
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1_u64 << 53) as f64
        }

        fn point(&mut self, size: f64) -> [f32; 3] {
            std::array::from_fn(|_| ((self.next() - 0.5) * size) as f32)
        }
    }

    /// The nearness at which the ray through a sample meets a triangle of the camera frame (Möller
    /// and Trumbore 1997), and how far inside it passes, as the least barycentric coordinate.
    fn met(projection: &Projection, at: usize, [a, b, c]: [Vec3<f64>; 3]) -> Option<(f64, f64)> {
        let [width, height] = projection.size;
        let (column, row) = ((at % width) as f64 + 0.5, (at / width) as f64 + 0.5);
        let x = (column - 0.5 * width as f64) / projection.scale;
        let ray = Vec3::new(x, (0.5 * height as f64 - row) / projection.scale, 1.0);
        let (e, f) = (b - a, c - a);
        let determinant = e.dot(ray.cross(f));
        let u = -a.dot(ray.cross(f)) / determinant;
        let v = ray.dot((-a).cross(e)) / determinant;
        let depth = f.dot((-a).cross(e)) / determinant;
        let inside = u.min(v).min(1.0 - u - v);
        (inside > -1e-6 && depth >= projection.near * (1.0 - 1e-9)).then_some((1.0 / depth, inside))
    }

    /// The drawn layer agrees with rays at all samples but those that pass within rounding of an
    /// edge.
    fn assert_agrees_with_rays(projection: &Projection, mesh: &DisplayMesh, random: &mut Random) -> usize {
        let mut layer = Layer::default();
        layer.clear(projection.size);
        let mut scratch = Scratch::default();
        for_triangles(projection, &REST, mesh, &mut scratch, |_, corners| {
            layer.draw(corners, 1);
        });
        let corner = |v: u32| projection.point(Vec3::from(mesh.vertices[v as usize].map(f64::from)));
        let triangles: Vec<_> = mesh.triangles.iter().map(|t| t.map(corner)).collect();
        let mut hits = 0;
        for _ in 0..400 {
            let at = (random.next() * layer.face.len() as f64) as usize;
            let met: Vec<_> = triangles.iter().filter_map(|&t| met(projection, at, t)).collect();
            if met.iter().any(|(_, inside)| inside.abs() < 1e-6) {
                continue;
            }
            let nearest = met.iter().map(|(nearness, _)| *nearness).fold(0.0, f64::max);
            let drawn = f64::from(layer.nearness[at]);
            assert!((drawn - nearest).abs() <= 1e-5 * nearest, "{at}: {drawn} instead of {nearest}");
            assert_eq!(layer.face[at] != 0, nearest > 0.0);
            hits += usize::from(nearest > 0.0);
        }
        hits
    }

    #[test]
    fn nearest_faces_are_those_of_rays() {
        let mut random = Random(7);
        // Within the picture; then around the eye, so that most triangles cross the least depth.
        for (size, near) in [(3.0, 0.1), (30.0, 0.5)] {
            let projection = Projection::new(&CAMERA, [160, 100], near);
            let mut hits = 0;
            for _ in 0..20 {
                let vertices = (0..60).map(|_| random.point(size)).collect();
                let mesh =
                    DisplayMesh { vertices, triangles: (0..20).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect() };
                hits += assert_agrees_with_rays(&projection, &mesh, &mut random);
            }
            assert!(hits > 1_000, "{hits}");
        }
    }

    #[test]
    fn triangles_of_a_fan_cover_each_sample_once() {
        let mut random = Random(3);
        let size = [50, 40];
        for _ in 0..200 {
            let mut corner = |x: f64, y: f64| Corner::new([x + random.next(), y + random.next()], 1.0, size);
            let rim = [corner(-9.0, -9.0), corner(60.0, -9.0), corner(60.0, 50.0), corner(-9.0, 50.0)];
            let middle = corner(20.0, 20.0);
            let mut covered = vec![0; size[0] * size[1]];
            for k in 0..4 {
                let triangle = [rim[k], middle, rim[(k + 1) % 4]];
                fill(triangle, size[0], |span| span.columns.for_each(|x| covered[span.row * size[0] + x] += 1));
            }
            assert!(covered.iter().all(|&count| count == 1));
        }
    }

    #[test]
    fn degenerate_and_huge_triangles_are_harmless() {
        let corner = |x: f64, y: f64| Corner::new([x, y], 1.0, [20, 10]);
        let count = |corners| {
            let mut samples = 0;
            fill(corners, 20, |span| samples += span.columns.len());
            samples
        };
        assert_eq!(count([corner(5.0, 5.0); 3]), 0);
        assert_eq!(count([corner(1.0, 1.0), corner(5.0, 5.0), corner(9.0, 9.0)]), 0);
        assert_eq!(count([corner(-1e12, -1e12), corner(1e12, -1e12), corner(0.0, 1e12)]), 200);
        assert_eq!(count([corner(-1e200, -1e200), corner(1e200, -1e200), corner(0.0, 1e200)]), 0, "not finite");
        assert_eq!(count([corner(30.0, 0.0), corner(40.0, 0.0), corner(30.0, 9.0)]), 0);
    }

    /// The outline between two triangles: depths beyond the origin in the middle and 9 m beside it,
    /// metres.
    fn outline_between(depths: [[f64; 2]; 2], parts: [usize; 2]) -> u8 {
        let projection = Projection::new(&CAMERA, [400, 300], 0.1);
        let mut layer = Layer::default();
        layer.clear(projection.size);
        let mut faces = Vec::new();
        for (k, [inner, outer]) in depths.into_iter().enumerate() {
            let side = if k == 0 { -1.0 } else { 1.0 };
            let points = [[0.0, inner, 9.0], [0.0, inner, -9.0], [9.0 * side, outer, 0.0]];
            let points = points.map(|p: [f64; 3]| projection.point(p.into()));
            layer.draw(points.map(|p| projection.corner(p)), k as u32 + 1);
            layer.draw(points.map(|p| projection.corner(p)), 99);
            faces.push(Face::new(parts[k], points, &projection));
        }
        layer.find_outlines(&faces);
        assert_eq!(layer.face[150 * 400..151 * 400], [[1; 200], [2; 200]].concat(), "the first of equal faces stays");
        layer.outline[150 * 400 + 199]
    }

    #[test]
    fn outlines_lie_where_bodies_depths_or_directions_differ() {
        assert_eq!(outline_between([[0.0, 0.0], [0.0, 0.0]], [0, 0]), 0, "one plane");
        assert_eq!(outline_between([[0.0, 9.0], [0.0, -4.0]], [0, 0]), 0, "nearly one plane");
        assert_eq!(outline_between([[0.0, 9.0], [0.0, 9.0]], [0, 0]), CREASE);
        assert_eq!(outline_between([[0.0, 0.0], [0.5, 0.5]], [0, 0]), SILHOUETTE, "one behind the other");
        assert_eq!(outline_between([[0.0, 0.0], [0.0, 0.0]], [0, 1]), SILHOUETTE, "two bodies");
    }
}
