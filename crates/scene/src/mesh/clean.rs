//! The mesh of a body: triangles that have an area, once each, over different vertices, turned
//! outward.

use super::outside::{EnclosedVolume, turned_alike, turned_outward};
use super::weld::cracks;
use clearsweep_base::workers::Workers;
use clearsweep_geometry::convex_split::edges::{Closure, EdgeUse, by_edge, components, edge_uses, repeats_a_vertex};
use clearsweep_geometry::hull::collinear;
use clearsweep_geometry::mesh::{InsideOf, self_contacts};
use clearsweep_geometry::{TriangleMesh, Vec3};
use clearsweep_model::MeshCondition;

/// Triangles that are looked through in one part, about.
const PART: usize = 1 << 15;

/// Parts that look for equal triangles, at most: each looks at all of them.
const PARTS: usize = 16;

/// A mesh for a body.
pub(crate) struct MeshMade {
    pub(crate) mesh: TriangleMesh,
    pub(crate) condition: MeshCondition,
    /// The points that it uses, ascending.
    pub(crate) points: Vec<u32>,
    /// Closure of all triangles of the file but the ones with a repeated vertex.
    pub(crate) closure: Closure,
}

/// Triangles that take part in how the mesh closes up.
struct ProperTriangles {
    /// Vertices of each, and its number in the file.
    proper: Vec<([u32; 3], u32)>,
    /// Whether each triangle of `proper` has no area. The neighbours of such a triangle meet
    /// through it, as if it were an edge.
    flat: Vec<bool>,
    degenerate: u64,
    duplicates: u64,
}

/// The mesh of triangles over different points (recentred, metres; `first`: the first vertex of the
/// file at each, of `vertices` in all; `is_sheet`: nothing lies inside of it). `None`: no triangle
/// has an area. Predicates of the points have to be exact
/// ([`check_range`](clearsweep_geometry::hull::check_range)).
pub(crate) fn clean(
    points: &[Vec3<f64>],
    first: &[u32],
    triangles: &[[u32; 3]],
    vertices: usize,
    is_sheet: bool,
    workers: &Workers,
) -> Option<MeshMade> {
    let mut found = proper_triangles(points, triangles, workers);
    if found.flat.iter().all(|&flat| flat) {
        return None;
    }
    let corners = |found: &ProperTriangles| found.proper.iter().map(|(corners, _)| *corners).collect::<Vec<_>>();
    let mut all = corners(&found);
    let mut uses = edge_uses(&all, workers);
    let weld = cracks(points, &all, &uses);
    let welded: Vec<[u32; 3]>;
    let mut triangles = triangles;
    let (mut moved, mut shift) = (0, 0.0);
    if let Some(weld) = weld {
        welded = triangles.iter().map(|t| t.map(|v| weld.stands_for[v as usize])).collect();
        (triangles, moved, shift) = (&welded, weld.moved, weld.shift);
        found = proper_triangles(points, triangles, workers);
        all = corners(&found);
        uses = edge_uses(&all, workers);
    }
    let ProperTriangles { proper, flat, degenerate, duplicates } = found;
    let corners = all;
    let (turned, components) =
        workers.both(|| turned_outward(points, &corners, &uses), || components_with_area(&uses, &flat));
    let alike = turned.is_none().then(|| turned_alike(corners.len(), &uses));
    let (edges, closure) = (edge_counts(&uses), (duplicates == 0).then(|| Closure::of_uses(&uses)));
    drop((uses, corners)); // as large as all that stays
    let is_solid = turned.is_some();
    let turns = |t: usize| turned.as_ref().is_some_and(|turned| turned[t]);
    let kept = || (0..proper.len()).filter(|&t| !flat[t]);
    let (used, renamed) = used(points.len(), kept().map(|t| proper[t].0));
    let outward = |t: usize| {
        let [a, b, c] = proper[t].0.map(|v| renamed[v as usize]);
        if turns(t) { [a, c, b] } else { [a, b, c] }
    };
    let list: Vec<Vec3<f64>> = used.iter().map(|&point| points[point as usize]).collect();
    let kept_triangles: Vec<[u32; 3]> = kept().map(outward).collect();
    let volume = is_solid
        .then(|| EnclosedVolume::of(kept_triangles.iter().map(|t| t.map(|v| list[v as usize])), list[0]).signed);
    let numbers = |of: &[u32]| used.iter().map(|&point| of[point as usize]).collect();
    let of_file = kept().map(|t| proper[t].1).collect();
    let inside = match alike {
        _ if is_sheet => InsideOf::Surface,
        Some(alike) => InsideOf::Open(kept().map(|t| alike[t]).collect()),
        None => InsideOf::Solid,
    };
    let mesh = TriangleMesh::new(list, kept_triangles, numbers(first), of_file, inside, workers);
    let contacts = self_contacts(&mesh, workers);
    let condition = MeshCondition {
        welded_vertices: (vertices - points.len()) as u64 + moved,
        weld_shift: shift,
        unused_vertices: (points.len() - used.len()) as u64 - moved,
        degenerate_triangles: degenerate,
        duplicate_triangles: duplicates,
        turned_triangles: kept().filter(|&t| turns(t)).count() as u64,
        components,
        self_contacts: contacts.count,
        self_contacts_at_least: contacts.at_least,
        volume,
        ..edges
    };
    let closure = closure.unwrap_or_else(|| Closure::of(triangles, workers));
    Some(MeshMade { mesh, condition, points: used, closure })
}

/// Leaves out triangles with a repeated vertex, and all but the first of those with the same
/// vertices in the same direction. Two that run in opposite directions are the two sides of a
/// sheet, or of solids that touch: both stay.
fn proper_triangles(points: &[Vec3<f64>], triangles: &[[u32; 3]], workers: &Workers) -> ProperTriangles {
    // Each part handles the triangles whose lowest vertex lies in its range.
    let parts = triangles.len().div_ceil(PART).clamp(1, PARTS);
    let lowest = |triangle: &[u32; 3]| triangle[0].min(triangle[1]).min(triangle[2]) as usize;
    let of_parts = workers.each(parts, 1, |part| {
        let is_own = |triangle: &[u32; 3]| parts == 1 || lowest(triangle) * parts / points.len() == part;
        let mut order: Vec<(u64, u32, u32)> = (0..)
            .zip(triangles)
            .filter(|(_, triangle)| is_own(triangle) && !repeats_a_vertex(triangle))
            .map(|(number, &triangle)| {
                let [a, b, c] = from_lowest(triangle);
                (u64::from(a) << 32 | u64::from(b), c, number)
            })
            .collect();
        let all = order.len();
        order.sort_unstable();
        order.dedup_by_key(|&mut (ab, c, _)| (ab, c));
        (all, order.into_iter().map(|(.., number)| number).collect::<Vec<u32>>())
    });
    let all: usize = of_parts.iter().map(|(all, _)| all).sum();
    let mut is_kept = vec![false; triangles.len()];
    of_parts.iter().flat_map(|(_, numbers)| numbers).for_each(|&number| is_kept[number as usize] = true);
    let kept = (0..).zip(triangles).zip(&is_kept).filter(|(_, is_kept)| **is_kept);
    let proper: Vec<([u32; 3], u32)> = kept.map(|((number, &triangle), _)| (triangle, number)).collect();
    let (repeated, duplicates) = (triangles.len() - all, all - proper.len());
    let is_flat = |[a, b, c]: [Vec3<f64>; 3]| collinear(a, b, c);
    let flat = workers.map(proper.chunks(PART).collect(), |proper: &[([u32; 3], u32)]| {
        proper.iter().map(|(corners, _)| is_flat(corners.map(|v| points[v as usize]))).collect::<Vec<bool>>()
    });
    let flat = flat.concat();
    let degenerate = repeated + flat.iter().filter(|&&flat| flat).count();
    ProperTriangles { proper, flat, degenerate: degenerate as u64, duplicates: duplicates as u64 }
}

/// The same triangle, its lowest vertex first.
fn from_lowest([a, b, c]: [u32; 3]) -> [u32; 3] {
    match a.min(b).min(c) {
        least if least == a => [a, b, c],
        least if least == b => [b, c, a],
        _ => [c, a, b],
    }
}

/// The points of triangles, ascending, and the place of each in that list.
fn used(count: usize, triangles: impl Iterator<Item = [u32; 3]>) -> (Vec<u32>, Vec<u32>) {
    let mut renamed = vec![u32::MAX; count];
    triangles.flatten().for_each(|v| renamed[v as usize] = 0);
    let used: Vec<u32> = (0..).zip(&renamed).filter(|(_, name)| **name == 0).map(|(point, _)| point).collect();
    (0..).zip(&used).for_each(|(name, &point)| renamed[point as usize] = name);
    (used, renamed)
}

/// Counts the connected components that are more than edges.
fn components_with_area(uses: &[EdgeUse], flat: &[bool]) -> u64 {
    let component = components(flat.len(), uses);
    let mut numbers: Vec<u32> = component.into_iter().zip(flat).filter(|(_, flat)| !**flat).map(|(n, _)| n).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers.len() as u64
}

/// Counts the edges with one triangle, and the edges with more than two.
fn edge_counts(uses: &[EdgeUse]) -> MeshCondition {
    let mut counts = MeshCondition::default();
    for same in by_edge(uses) {
        counts.boundary_edges += u64::from(same.len() == 1);
        counts.nonmanifold_edges += u64::from(same.len() > 2);
    }
    counts
}
