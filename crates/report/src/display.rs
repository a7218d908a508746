//! Surfaces of bodies for a screen: few triangles, growth included.

use crate::data::DisplayMesh;
use clearsweep_geometry::hull::convex_hull;
use clearsweep_geometry::mesh::fans;
use clearsweep_geometry::{Polyhedron, Vec3};
use clearsweep_model::{Piece, Shape};
use rustc_hash::{FxHashMap, FxHashSet};

/// Triangles up to which all spheres of a body are fine.
const FEW_TRIANGLES: usize = 2_000;

/// Largest number of vertices of a core that is shown with its growth.
const MOST_GROWN_VERTICES: usize = 400;

/// Triangles of a sphere of 162 vertices, and about those of a capsule.
const FINE_TRIANGLES: usize = 400;

/// Half the size of a point on the screen, metres.
const POINT_RADIUS: f64 = 0.5e-3;

/// Half the thickness of a segment on the screen, in lengths of the segment.
const SEGMENT_RADIUS: f64 = 1.0 / 400.0;

/// Largest number of cells along the longest side of a clustering grid.
const FINEST_GRID: u64 = 1 << 20;

/// Differences between a body and its display mesh.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Simplified {
    /// Whether the body is shown without its growth, or some of its pieces are.
    pub without_growth: bool,
    /// Number of triangles before the reduction; `None` if there was none.
    pub reduced_from: Option<usize>,
}

/// A surface in a body's recentred frame, metres.
#[derive(Default)]
struct Surface {
    vertices: Vec<Vec3<f64>>,
    triangles: Vec<[u32; 3]>,
}

/// Returns the surface of a body in its recentred frame, metres: at least one triangle, at most
/// `most`.
///
/// A grown piece is the hull of spheres of few facets around the vertices of its core. It lies
/// inside the true surface, by at most 7 % of the radius. A segment becomes a thin prism and a
/// point a small octahedron. A mesh is shown without growth.
pub(crate) fn display_mesh(shape: &Shape, most: usize) -> (DisplayMesh, Simplified) {
    let (surface, without_growth) = match &shape.mesh {
        Some(mesh) => {
            let surface = Surface { vertices: mesh.vertices().to_vec(), triangles: mesh.triangles().to_vec() };
            (surface, shape.hull().radius > 0.0)
        }
        None => surface_of_pieces(&shape.pieces),
    };
    let count = surface.triangles.len();
    if count <= most {
        return (surface.to_display(), Simplified { without_growth, reduced_from: None });
    }
    (surface.reduced(most).to_display(), Simplified { without_growth, reduced_from: Some(count) })
}

/// Returns the surfaces of all pieces together, and whether the growth of one of them is left out.
fn surface_of_pieces(pieces: &[Piece]) -> (Surface, bool) {
    let coarse = refined(&icosahedron(), 1.1);
    let fine = refined(&coarse, 0.75);
    let has_few = pieces.len() * FINE_TRIANGLES <= FEW_TRIANGLES;
    let (mut surface, mut without_growth) = (Surface::default(), false);
    for Piece { core, radius } in pieces {
        if *radius > 0.0 {
            let sphere = if core.count <= 2 && has_few { &fine } else { &coarse };
            if let Some(hull) = grown(core, *radius, sphere) {
                surface.push_polyhedron(&hull);
                continue;
            }
            without_growth = true;
        }
        surface.push_polyhedron(core);
    }
    (surface, without_growth)
}

/// Returns the hull of spheres around the vertices of a core; `None` if there are too many
/// vertices.
fn grown(core: &Polyhedron, radius: f64, sphere: &[Vec3<f64>]) -> Option<Polyhedron> {
    if core.count > MOST_GROWN_VERTICES {
        return None;
    }
    let vertices = (0..core.count as u32).map(|v| core.vertex(v));
    let points: Vec<_> = vertices.flat_map(|v| sphere.iter().map(move |d| v + d.scale(radius))).collect();
    convex_hull(&points).ok()
}

/// The vertices of the icosahedron on the unit sphere.
fn icosahedron() -> Vec<Vec3<f64>> {
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    let mut points = Vec::with_capacity(12);
    for (a, b) in [(1.0, golden), (-1.0, golden), (1.0, -golden), (-1.0, -golden)] {
        points.extend([Vec3::new(0.0, a, b), Vec3::new(a, b, 0.0), Vec3::new(b, 0.0, a)].map(unit));
    }
    points
}

/// Points on the unit sphere, and the middles between those that are nearer to each other than
/// `edge`.
fn refined(points: &[Vec3<f64>], edge: f64) -> Vec<Vec3<f64>> {
    let mut all = points.to_vec();
    for (i, &a) in points.iter().enumerate() {
        let near = points[..i].iter().filter(|&&b| (a - b).length2() < edge * edge);
        all.extend(near.map(|&b| unit(a + b)));
    }
    all
}

/// Returns the vector divided by its length. Division keeps the axes exact, so that grown boxes
/// have flat sides.
fn unit(v: Vec3<f64>) -> Vec3<f64> {
    let length = v.length();
    Vec3::new(v.x / length, v.y / length, v.z / length)
}

impl Surface {
    /// Adds the faces of a polyhedron; a segment or a point gets a visible form.
    fn push_polyhedron(&mut self, core: &Polyhedron) {
        match core.dimension {
            0 => self.push_point(core.vertex(0)),
            1 => self.push_segment(core.vertex(0), core.vertex(1)),
            _ => self.push((0..core.count as u32).map(|v| core.vertex(v)), fans(core).map(|(_, triangle)| triangle)),
        }
    }

    fn push(&mut self, vertices: impl IntoIterator<Item = Vec3<f64>>, triangles: impl IntoIterator<Item = [u32; 3]>) {
        let first = self.vertices.len() as u32;
        self.vertices.extend(vertices);
        self.triangles.extend(triangles.into_iter().map(|t| t.map(|v| first + v)));
    }

    /// Adds an octahedron.
    fn push_point(&mut self, p: Vec3<f64>) {
        const TRIANGLES: [[u32; 3]; 8] =
            [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
        let r = POINT_RADIUS;
        let axes = [Vec3::new(r, 0.0, 0.0), Vec3::new(0.0, r, 0.0), Vec3::new(0.0, 0.0, r)];
        self.push(axes.into_iter().flat_map(|axis| [p + axis, p - axis]), TRIANGLES);
    }

    /// Adds a prism of four sides.
    fn push_segment(&mut self, a: Vec3<f64>, b: Vec3<f64>) {
        // Vertex k lies on the side of u, v and b that its three bits say.
        const TRIANGLES: [[u32; 3]; 12] = [
            [0, 2, 3],
            [0, 3, 1],
            [4, 5, 7],
            [4, 7, 6],
            [0, 1, 5],
            [0, 5, 4],
            [2, 6, 7],
            [2, 7, 3],
            [0, 4, 6],
            [0, 6, 2],
            [1, 3, 7],
            [1, 7, 5],
        ];
        let along = b - a;
        let length = along.length();
        if length == 0.0 {
            return self.push_point(a);
        }
        let direction = unit(along);
        let u = unit(direction.cross(least_axis(direction)));
        let v = direction.cross(u);
        let half = SEGMENT_RADIUS * length;
        let sign = |k: usize, bit: usize| if k >> bit & 1 == 1 { half } else { -half };
        let end = |k: usize| if k >> 2 == 1 { b } else { a };
        self.push((0..8).map(|k| end(k) + u.scale(sign(k, 0)) + v.scale(sign(k, 1))), TRIANGLES);
    }

    /// Returns the vertices that triangles use, and the triangles.
    fn to_display(&self) -> DisplayMesh {
        const UNUSED: u32 = u32::MAX;
        let mut number = vec![UNUSED; self.vertices.len()];
        self.triangles.iter().flatten().for_each(|&v| number[v as usize] = 0);
        let mut vertices = Vec::new();
        for (number, vertex) in number.iter_mut().zip(&self.vertices).filter(|(number, _)| **number != UNUSED) {
            *number = vertices.len() as u32;
            vertices.push(vertex.to_array().map(|c| c as f32));
        }
        let triangles = self.triangles.iter().map(|t| t.map(|v| number[v as usize])).collect();
        DisplayMesh { vertices, triangles }
    }
}

/// The axis that is farthest from a direction.
fn least_axis(d: Vec3<f64>) -> Vec3<f64> {
    let (x, y, z) = (d.x.abs(), d.y.abs(), d.z.abs());
    if x <= y && x <= z {
        Vec3::new(1.0, 0.0, 0.0)
    } else if y <= z {
        Vec3::new(0.0, 1.0, 0.0)
    } else {
        Vec3::new(0.0, 0.0, 1.0)
    }
}

/// Vertex clustering on a cubic grid (Rossignac and Borrel 1993): all vertices of a cell become one
/// of them.
impl Surface {
    /// Returns the surface on the finest grid found that leaves at most `most` triangles.
    fn reduced(&self, most: usize) -> Self {
        let (mut fits, mut exceeds) = (1, 2);
        while exceeds < FINEST_GRID && self.clustered(&self.cells(exceeds), most).is_some() {
            (fits, exceeds) = (exceeds, 2 * exceeds);
        }
        while exceeds - fits > 1 {
            let middle = fits + (exceeds - fits) / 2;
            match self.clustered(&self.cells(middle), most) {
                Some(_) => fits = middle,
                None => exceeds = middle,
            }
        }
        let cells = self.cells(fits);
        let triangles = match self.clustered(&cells, most) {
            Some(triangles) if !triangles.is_empty() => triangles,
            _ => return self.largest_triangles(most),
        };
        let representatives = self.representatives(&cells);
        let vertices = representatives.iter().map(|&v| self.vertices[v as usize]).collect();
        Self { vertices, triangles }
    }

    /// The cell of each vertex, on a grid of `side` cells along the longest side of the box; cells
    /// are numbered in the order of their first vertices.
    fn cells(&self, side: u64) -> Vec<u32> {
        let mut low = Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY);
        let mut high = -low;
        for v in &self.vertices {
            low = Vec3::new(low.x.min(v.x), low.y.min(v.y), low.z.min(v.z));
            high = Vec3::new(high.x.max(v.x), high.y.max(v.y), high.z.max(v.z));
        }
        let longest = (high - low).to_array().into_iter().fold(0.0, f64::max);
        let place = |c: f64| ((c / longest * side as f64) as u64).min(side - 1);
        let mut numbers = FxHashMap::default();
        let number = |v: &Vec3<f64>| {
            let [x, y, z] = (*v - low).to_array().map(place);
            let next = numbers.len() as u32;
            *numbers.entry((x * side + y) * side + z).or_insert(next)
        };
        self.vertices.iter().map(number).collect()
    }

    /// The triangles between three cells, each once; `None` if there are more than `most`.
    fn clustered(&self, cells: &[u32], most: usize) -> Option<Vec<[u32; 3]>> {
        let (mut seen, mut triangles) = (FxHashSet::default(), Vec::new());
        for t in &self.triangles {
            let t = t.map(|v| cells[v as usize]);
            let mut sorted = t;
            sorted.sort_unstable();
            if sorted[0] == sorted[1] || sorted[1] == sorted[2] || !seen.insert(sorted) {
                continue;
            }
            if triangles.len() == most {
                return None;
            }
            triangles.push(t);
        }
        Some(triangles)
    }

    /// The vertex nearest to the mean of each cell.
    fn representatives(&self, cells: &[u32]) -> Vec<u32> {
        let count = cells.iter().max().map_or(0, |&last| last as usize + 1);
        let mut sums = vec![(Vec3::ZERO, 0.0); count];
        for (&cell, &v) in cells.iter().zip(&self.vertices) {
            let (sum, members) = &mut sums[cell as usize];
            *sum = *sum + v;
            *members += 1.0;
        }
        let mut nearest = vec![(f64::INFINITY, 0); count];
        for (i, (&cell, &v)) in cells.iter().zip(&self.vertices).enumerate() {
            let (sum, members) = sums[cell as usize];
            let distance = (v - sum.scale(1.0 / members)).length2();
            if distance < nearest[cell as usize].0 {
                nearest[cell as usize] = (distance, i as u32);
            }
        }
        nearest.into_iter().map(|(_, v)| v).collect()
    }

    /// The largest triangles: of a body whose triangles are all smaller than a cell.
    fn largest_triangles(&self, most: usize) -> Self {
        let area = |t: [u32; 3]| {
            let [a, b, c] = t.map(|v| self.vertices[v as usize]);
            (b - a).cross(c - a).length2()
        };
        let mut triangles = self.triangles.clone();
        triangles.sort_by(|&s, &t| area(t).total_cmp(&area(s)));
        triangles.truncate(most);
        Self { vertices: self.vertices.clone(), triangles }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST_TRIANGLES: usize = 2_000;
    use clearsweep_base::workers::Workers;
    use clearsweep_geometry::TriangleMesh;
    use clearsweep_geometry::mesh::InsideOf;
    use clearsweep_model::Model;
    use std::sync::Arc;

    fn body(points: &[Vec3<f64>], growth: f64) -> Shape {
        let core = convex_hull(points).expect("finite points");
        Shape {
            model: Model::Hull,
            radius: core.radius + growth,
            pieces: vec![Piece { core, radius: growth }],
            hull: None,
            center: Vec3::ZERO,
            middle: Vec3::ZERO,
            deviation: 0.0,
            decomposition_deviation: None,
            uneven: None,
            vertices: 0,
            triangles: 0,
            coordinate_step: 0.0,
            watertight: None,
            fit: None,
            mesh: None,
            faces: Default::default(),
            tree: Default::default(),
            parts: Default::default(),
            condition: None,
        }
    }

    fn mesh(vertices: Vec<Vec3<f64>>, triangles: Vec<[u32; 3]>, growth: f64) -> Shape {
        let whole = body(&vertices, growth);
        let numbers = |count: usize| (0..count as u32).collect();
        let (v, t) = (numbers(vertices.len()), numbers(triangles.len()));
        let mesh = TriangleMesh::new(vertices, triangles, v, t, InsideOf::Surface, &Workers::none());
        Shape { model: Model::Mesh, mesh: Some(Arc::new(mesh)), ..whole }
    }

    fn cube() -> Vec<Vec3<f64>> {
        let sign = |k: usize, bit: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
        (0..8).map(|k| Vec3::new(sign(k, 0), sign(k, 1), sign(k, 2))).collect()
    }

    /// A sphere of radius 1: four times refined, 2,562 vertices.
    fn sphere() -> Vec<Vec3<f64>> {
        [1.1, 0.75, 0.4, 0.2].iter().fold(icosahedron(), |points, &edge| refined(&points, edge))
    }

    fn sphere_mesh(growth: f64) -> Shape {
        let hull = convex_hull(&sphere()).expect("finite points");
        let vertices = (0..hull.count as u32).map(|v| hull.vertex(v)).collect();
        mesh(vertices, fans(&hull).map(|(_, triangle)| triangle).collect(), growth)
    }

    /// Separate triangles, each smaller than any cell that leaves few of them.
    fn dust(count: usize) -> Shape {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for k in 0..count {
            let at = Vec3::new(k as f64, (k * k % 17) as f64, 0.0);
            vertices.extend([at, at + Vec3::new(1e-9, 0.0, 0.0), at + Vec3::new(0.0, 1e-9, 0.0)]);
            triangles.push([0, 1, 2].map(|v| 3 * k as u32 + v));
        }
        mesh(vertices, triangles, 0.0)
    }

    fn checked(shape: &Shape) -> (DisplayMesh, Simplified) {
        let (display, simplified) = display_mesh(shape, MOST_TRIANGLES);
        assert!((1..=MOST_TRIANGLES).contains(&display.triangles.len()), "{}", display.triangles.len());
        assert!(display.triangles.iter().flatten().all(|&v| (v as usize) < display.vertices.len()));
        assert!(display.vertices.iter().flatten().all(|c| c.is_finite()));
        assert_eq!(display_mesh(shape, MOST_TRIANGLES), (display.clone(), simplified));
        (display, simplified)
    }

    fn length(v: &[f32; 3]) -> f64 {
        Vec3::from(v.map(f64::from)).length()
    }

    #[test]
    fn every_dimension_has_a_form_with_and_without_growth() {
        let forms = [(1, [8, 320]), (2, [12, 340]), (4, [2, 100]), (8, [12, 100])];
        for (count, [bare, grown_at_least]) in forms {
            let points: Vec<_> = cube().into_iter().take(count).collect();
            let (display, simplified) = checked(&body(&points, 0.0));
            assert_eq!((display.triangles.len(), simplified), (bare, Simplified::default()));
            let (display, simplified) = checked(&body(&points, 0.25));
            assert!(display.triangles.len() >= grown_at_least, "{count}: {}", display.triangles.len());
            assert_eq!(simplified, Simplified::default());
        }
    }

    #[test]
    fn growth_is_inscribed_and_nearly_whole() {
        let (display, _) = checked(&body(&[Vec3::ZERO], 2.0));
        assert_eq!((display.vertices.len(), display.triangles.len()), (162, 320));
        assert!(display.vertices.iter().all(|v| (length(v) - 2.0).abs() < 1e-6));
        for t in &display.triangles {
            let [a, b, c] = t.map(|v| Vec3::from(display.vertices[v as usize].map(f64::from)));
            assert!((b - a).cross(c - a).dot(a) > 0.0, "seen from outside");
            assert!((b - a).cross(c - a).normalized().dot(a) > 2.0 * 0.93);
        }
        let (display, _) = checked(&body(&cube(), 0.5));
        assert_eq!(display.vertices.iter().map(|v| v[2]).fold(0.0, f32::max), 1.5);
    }

    #[test]
    fn many_vertices_and_meshes_are_shown_without_growth() {
        let (bare, _) = checked(&body(&sphere()[..642], 0.0));
        let (display, simplified) = checked(&body(&sphere()[..642], 0.1));
        assert_eq!((display, simplified.without_growth), (bare, true));
        let hull = vec![[0, 1, 2], [1, 2, 3]];
        assert!(!checked(&mesh(cube()[..4].to_vec(), hull.clone(), 0.0)).1.without_growth);
        assert!(checked(&mesh(cube()[..4].to_vec(), hull, 0.1)).1.without_growth);
    }

    #[test]
    fn a_body_of_many_spheres_is_reduced() {
        let balls: Vec<_> = cube().iter().map(|&p| body(&[p.scale(9.0)], 1.0).pieces.remove(0)).collect();
        let whole = body(&[Vec3::ZERO], 20.0);
        let few = Shape {
            model: Model::Pieces,
            pieces: balls.clone(),
            hull: Some(Box::new(whole.pieces[0].clone())),
            ..whole
        };
        assert_eq!(checked(&few).1, Simplified::default());
        let moved = |by: f64| body(&[Vec3::new(by, 0.0, 0.0)], 1.0).pieces.remove(0);
        let many = Shape { pieces: (0..100).map(|k| moved(3.0 * f64::from(k))).collect(), ..few };
        assert_eq!(checked(&many).1, Simplified { without_growth: false, reduced_from: Some(8_000) });
    }

    #[test]
    fn a_reduced_sphere_stays_near_its_surface() {
        let shape = sphere_mesh(0.0);
        let (display, simplified) = checked(&shape);
        assert_eq!(simplified.reduced_from, Some(5_120));
        assert!(display.triangles.len() > MOST_TRIANGLES / 2, "{}", display.triangles.len());
        let original: FxHashSet<_> = sphere().iter().map(|v| v.to_array().map(|c| (c as f32).to_bits())).collect();
        assert!(display.vertices.iter().all(|v| original.contains(&v.map(f32::to_bits))), "vertices are real");
        for t in &display.triangles {
            let [a, b, c] = t.map(|v| Vec3::from(display.vertices[v as usize].map(f64::from)));
            assert!((a + b + c).length() / 3.0 > 0.95, "triangles are short chords");
        }
        let nearest = |p: &Vec3<f64>| {
            let distance = |v: &[f32; 3]| (Vec3::from(v.map(f64::from)) - *p).length();
            display.vertices.iter().map(distance).fold(f64::INFINITY, f64::min)
        };
        // The diagonal of a cell: at least 14 cells along the diameter.
        assert!(sphere().iter().all(|p| nearest(p) < 2.0 / 14.0 * 1.733));
    }

    #[test]
    fn dust_keeps_some_triangles() {
        assert_eq!(checked(&dust(10)).1.reduced_from, None);
        assert_eq!(checked(&dust(5_000)).1.reduced_from, Some(5_000));
    }

    #[test]
    fn extreme_sizes_have_forms() {
        for scale in [1e-12, 1e-6, 1e6, 1e12] {
            for count in [1, 2, 4, 8] {
                let points: Vec<_> = cube().iter().take(count).map(|p| p.scale(scale)).collect();
                checked(&body(&points, 0.0));
                checked(&body(&points, scale));
                checked(&body(&points, 1e-9 * scale));
            }
        }
    }
}
