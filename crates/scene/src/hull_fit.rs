//! How the hull of a mesh fits the mesh: whether it is its surface, and how far it reaches beyond.

use super::mesh::{Closure, EnclosedVolume};
use super::readers::Fault;
use clearsweep_base::workers::Workers;
use clearsweep_geometry::hausdorff::{ReachLimits, SurfaceReach, reach};
use clearsweep_geometry::triangle_tree::{Corners, TriangleTree, bounds};
use clearsweep_geometry::{Polyhedron, Vec3};
use clearsweep_model::HullFit;

/// A mesh is convex if it and the surface of its hull are within this part of its size from each
/// other. Rounding to single precision moves vertices by 1e-7 of it.
const CONVEX_TOLERANCE: f64 = 1e-6;

/// Distances below this part of the size are not told apart.
const RESOLUTION: f64 = 1e-9;

/// Triangles of a large mesh that are asked before all of them whether it is convex.
const SAMPLED: usize = 4096;

/// Most pairs of a triangle and a face that are compared one by one.
const MOST_COMPARED: usize = 1 << 16;

/// A mesh, or an object of one, and its hull.
pub(super) struct MeshAndHull<'a> {
    /// Recentred points.
    pub(super) points: &'a [Vec3<f64>],
    /// Indices into the points.
    pub(super) triangles: &'a [[u32; 3]],
    /// The hull of the points that count.
    pub(super) hull: &'a Polyhedron,
    /// The size of the whole body ([`size`]): rounding moves the vertices of a small object of it
    /// as far as all others.
    pub(super) size: f64,
    /// Bound on the distance of its surface from the triangles, since polygons that are not flat
    /// can be cut in several ways.
    pub(super) warp: f64,
    /// Threads that may help.
    pub(super) workers: &'a Workers,
}

/// Why a mesh is not convex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct NotConvex {
    /// Reach of the hull beyond the mesh.
    excess: SurfaceReach,
    /// Depth of the mesh inside the hull, and the triangle there.
    depth: SurfaceReach,
    /// The length up to which both would count as rounding.
    tolerance: f64,
    warp: f64,
    closed: bool,
}

impl MeshAndHull<'_> {
    /// The fit of a mesh that is convex; `None`: it is not. Ends as soon as that is known.
    pub(super) fn if_convex(&self) -> Option<HullFit> {
        let tolerance = self.tolerance();
        let limits = ReachLimits { settled: RESOLUTION * self.size, enough: tolerance };
        // For most meshes that are not convex, a few triangles decide.
        let step = self.triangles.len().div_ceil(SAMPLED);
        if step > 1 && self.depth_of(self.triangles.iter().step_by(step), limits).lower > tolerance {
            return None;
        }
        let is_on_hull = || self.lies_on_faces(tolerance) || self.depth(limits).upper <= tolerance;
        let excess = if step > 1 {
            // Both are nearly certainly needed.
            let (is_on_hull, excess) = self.workers.both(is_on_hull, || self.excess(limits));
            is_on_hull.then_some(excess)?
        } else {
            is_on_hull().then(|| self.excess(limits))?
        };
        (excess.upper <= tolerance).then(|| self.fit(excess, true))
    }

    /// The fit of a mesh that has to be convex.
    ///
    /// # Errors
    /// It is not, and by how much.
    pub(super) fn convex(&self) -> Result<HullFit, NotConvex> {
        let limits = ReachLimits { settled: RESOLUTION * self.size, enough: f64::INFINITY };
        self.if_convex().ok_or_else(|| {
            let (excess, depth, tolerance) = (self.excess(limits), self.depth(limits), self.tolerance());
            NotConvex {
                excess,
                depth,
                tolerance,
                warp: self.warp,
                closed: Closure::of(self.triangles, self.workers).closed,
            }
        })
    }

    /// The length up to which the triangles and the hull are the same, so that the surface is.
    /// Never zero: bounds of distances are rounded up, and a mesh that is scaled to a point is its
    /// hull.
    fn tolerance(&self) -> f64 {
        (CONVEX_TOLERANCE * self.size - self.warp).max(f64::MIN_POSITIVE)
    }

    /// The fit of any mesh.
    pub(super) fn any(&self) -> HullFit {
        let tolerance = self.tolerance();
        let excess = self.excess(ReachLimits { settled: RESOLUTION * self.size, enough: f64::INFINITY });
        let limits = ReachLimits { settled: tolerance, enough: tolerance };
        let on_hull = || self.lies_on_faces(tolerance) || self.depth(limits).upper <= tolerance;
        self.fit(excess, excess.upper <= tolerance && on_hull())
    }

    fn fit(&self, excess: SurfaceReach, convex: bool) -> HullFit {
        let mesh_volume = Closure::of(self.triangles, self.workers).oriented.then(|| {
            let corners = self.triangles.iter().map(|t| self.corners(t));
            EnclosedVolume::of(corners, self.hull.mean).signed.abs()
        });
        let hull_volume = EnclosedVolume::of(surface(self.hull), self.hull.mean).signed.abs();
        HullFit { excess: excess.upper, convex, hull_volume, mesh_volume }
    }

    /// Largest distance of the hull's surface from the mesh.
    fn excess(&self, limits: ReachLimits) -> SurfaceReach {
        let tree = TriangleTree::new(self.triangles.iter().map(|t| self.corners(t)).collect());
        let vertices = |list: &[u32]| list.iter().map(|&v| self.hull.vertex(v)).collect::<Vec<_>>();
        let faces: Vec<Vec<Vec3<f64>>> = match self.hull.dimension {
            2 | 3 => (0..self.hull.face_count()).map(|f| vertices(self.hull.face(f as u32))).collect(),
            _ => vec![vertices(&(0..self.hull.count as u32).collect::<Vec<_>>())],
        };
        reach(faces.iter().map(Vec::as_slice), &tree, limits)
    }

    /// Whether each triangle of a small mesh lies along a face of the hull, well within the
    /// tolerance. Then no point of it is farther from the surface of the hull: it lies in the
    /// hull, which ends at the plane of the face.
    fn lies_on_faces(&self, tolerance: f64) -> bool {
        let hull = self.hull;
        let within = 0.5 * tolerance;
        let is_along = |triangle: &[u32; 3], f: usize| {
            let (normal, on_face) = (hull.normals[f], hull.vertex(hull.face(f as u32)[0]));
            triangle.iter().all(|&v| normal.dot(self.points[v as usize] - on_face).abs() <= within)
        };
        let is_small = self.triangles.len().saturating_mul(hull.face_count()) <= MOST_COMPARED;
        is_small && self.triangles.iter().all(|triangle| (0..hull.face_count()).any(|f| is_along(triangle, f)))
    }

    /// Largest distance of the mesh from the hull's surface; all of the mesh lies in the hull.
    fn depth(&self, limits: ReachLimits) -> SurfaceReach {
        self.depth_of(self.triangles.iter(), limits)
    }

    /// As [`Self::depth`], of some of the triangles.
    fn depth_of<'t>(&self, triangles: impl Iterator<Item = &'t [u32; 3]>, limits: ReachLimits) -> SurfaceReach {
        let tree = TriangleTree::new(surface(self.hull).collect());
        let triangles: Vec<Corners> = triangles.map(|t| self.corners(t)).collect();
        reach(triangles.iter().map(|t| &t[..]), &tree, limits)
    }

    fn corners(&self, triangle: &[u32; 3]) -> Corners {
        triangle.map(|v| self.points[v as usize])
    }
}

/// The diagonal of the box of a hull.
pub(super) fn size(hull: &Polyhedron) -> f64 {
    let (low, high) = bounds((0..hull.count as u32).map(|v| hull.vertex(v)));
    (high - low).length()
}

impl NotConvex {
    /// Returns the words of a message, with the triangle (its index among those of the mesh) as the
    /// file counts it.
    pub(super) fn words(&self, triangle_of_file: impl Fn(usize) -> usize) -> String {
        let Self { excess, depth, tolerance, warp, closed } = self;
        let reaches = format!("its hull reaches {} beyond its surface", metric(excess.lower));
        let text = if depth.lower > *tolerance {
            let triangle = triangle_of_file(depth.polygon);
            let beyond = if excess.lower > *tolerance { format!("; {reaches}") } else { String::new() };
            format!("triangle {triangle} lies {} inside its hull{beyond}", metric(depth.lower))
        } else if excess.lower > *tolerance {
            reaches
        } else if *warp >= *tolerance {
            format!("it has faces that are not flat, by {}", metric(*warp))
        } else {
            format!(
                "it could not be told apart from its hull within {}, only within {}",
                metric(*tolerance),
                metric(excess.upper.max(depth.upper))
            )
        };
        if *closed { text } else { format!("{text}; its triangles do not close up") }
    }
}

/// The fit of several objects together.
pub(super) fn together(fits: &[HullFit]) -> HullFit {
    HullFit {
        excess: fits.iter().map(|fit| fit.excess).fold(0.0, f64::max),
        convex: fits.iter().all(|fit| fit.convex),
        hull_volume: fits.iter().map(|fit| fit.hull_volume).sum(),
        mesh_volume: fits.iter().map(|fit| fit.mesh_volume).sum(),
    }
}

/// The fault of an `object` of a mesh that is not convex.
pub(super) fn fault(object: &str, why: &str, remedy: &str) -> Fault {
    Fault::new(format!("{object} of the geometry is not convex ({why})"), remedy)
}

/// The triangles of the surface of a hull, fans of its faces; of a hull without faces, what there
/// is of it.
fn surface(hull: &Polyhedron) -> impl Iterator<Item = Corners> + '_ {
    let fans = (0..hull.face_count()).flat_map(move |f| {
        let corners = hull.face(f as u32);
        corners[1..].windows(2).map(move |pair| [corners[0], pair[0], pair[1]].map(|v| hull.vertex(v)))
    });
    let last = hull.count as u32 - 1;
    let flat = (hull.dimension < 2).then(|| [0, last, last].map(|v| hull.vertex(v)));
    fans.chain(flat)
}

/// A length with its unit, to three digits or so.
fn metric(metres: f64) -> String {
    let trimmed = |text: String| text.trim_end_matches('0').trim_end_matches('.').to_owned();
    match metres {
        m if m >= 1.0 => format!("{} m", trimmed(format!("{m:.3}"))),
        m if m >= 1e-5 => format!("{} mm", trimmed(format!("{:.3}", m * 1e3))),
        m if m >= 1e-9 => format!("{} um", trimmed(format!("{:.4}", m * 1e6))),
        m => format!("{m:.1e} m"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_read_well() {
        assert_eq!(
            [3.2e-3, 0.025, 12.5, 1.5e-7, 1e-12, 1e-5].map(metric),
            ["3.2 mm", "25 mm", "12.5 m", "0.15 um", "1.0e-12 m", "0.01 mm"]
        );
    }
}
