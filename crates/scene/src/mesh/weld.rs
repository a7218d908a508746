//! Cracks of rounding: corners of neighbouring triangles that differ by far less than the mesh is
//! exact.
//!
//! Only vertices of open edges are moved, so that a mesh that closes up stays as it is. Vertices
//! nearer to each other than a share of the size are one cluster, and become its first vertex, if
//! that closes an edge, and neither turns a triangle over nor lays two triangles on each other.

use clearsweep_geometry::Vec3;
use clearsweep_geometry::convex_split::edges::{EdgeUse, by_edge, repeats_a_vertex};
use clearsweep_geometry::convex_split::sets::ParitySets;
use clearsweep_geometry::hull::collinear;
use clearsweep_geometry::triangle_tree::bounds;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Vertices nearer than this part of the size of the mesh may be one.
const NEAR: f64 = 1e-9;

/// Clusters of a cell of the grid, at most: denser vertices are no cracks.
const LEADERS: usize = 8;

/// Times that clusters may be left out because of others that were.
const ROUNDS: usize = 16;

/// Points that take the place of others.
pub(super) struct Weld {
    /// For each point the one that stands for it.
    pub(super) stands_for: Vec<u32>,
    /// Number of points that another one replaces.
    pub(super) moved: u64,
    /// No point is farther from the one in its place, metres.
    pub(super) shift: f64,
}

/// The points that close cracks of triangles with an area; `uses`: the sides of all triangles.
/// `None`: there is nothing to close.
pub(super) fn cracks(points: &[Vec3<f64>], triangles: &[[u32; 3]], uses: &[EdgeUse]) -> Option<Weld> {
    let open: Vec<[u32; 2]> = by_edge(uses).filter(|same| same.len() % 2 == 1).map(|same| same[0].vertices()).collect();
    if open.is_empty() {
        return None;
    }
    let (low, high) = bounds(triangles.iter().flatten().map(|&v| points[v as usize]));
    let near = NEAR * (high - low).length();
    let mut rim: Vec<u32> = open.as_flattened().to_vec();
    rim.sort_unstable();
    rim.dedup();
    let mut search = CrackSearch { points, triangles, open: &open, leader: clusters(points, &rim, near) };
    for _ in 0..ROUNDS {
        if search.leader.is_empty() {
            break;
        }
        let bad = search.bad_clusters();
        if bad.is_empty() {
            return Some(search.weld());
        }
        search.leader.retain(|_, leader| !bad.contains(leader));
    }
    None
}

/// For each vertex of a cluster of several its first one.
fn clusters(points: &[Vec3<f64>], rim: &[u32], near: f64) -> BTreeMap<u32, u32> {
    let is_near = |a: u32, b: u32| (points[a as usize] - points[b as usize]).length() <= near;
    let cell = |v: u32| points[v as usize].to_array().map(|c| (c / near).floor() as i64);
    let mut sets = ParitySets::new(rim.len());
    // Places in `rim` of vertices that are not near an earlier one of their cell.
    let mut leaders: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    for (place, &vertex) in (0..).zip(rim) {
        let own = leaders.entry(cell(vertex)).or_default();
        match own.iter().find(|&&other| is_near(rim[other as usize], vertex)) {
            Some(&other) => drop(sets.join(other, place, false)),
            None if own.len() < LEADERS => own.push(place),
            None => {}
        }
    }
    for (place, &vertex) in (0..).zip(rim) {
        let [x, y, z] = cell(vertex);
        if !leaders.get(&[x, y, z]).is_some_and(|own| own.contains(&place)) {
            continue;
        }
        let around = (-1..2).flat_map(|i| (-1..2).flat_map(move |j| (-1..2).map(move |k| [i, j, k])));
        for other in around
            .filter_map(|[i, j, k]| leaders.get(&[x.saturating_add(i), y.saturating_add(j), z.saturating_add(k)]))
            .flatten()
        {
            if *other < place && is_near(rim[*other as usize], vertex) {
                sets.join(*other, place, false);
            }
        }
    }
    let (number, _) = sets.numbered();
    let mut members: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (&vertex, number) in rim.iter().zip(number) {
        members.entry(number).or_default().push(vertex);
    }
    // A chain of near vertices may be longer than any step of it.
    let fits = |list: &&Vec<u32>| list.len() > 1 && list.iter().all(|&v| is_near(list[0], v));
    members.values().filter(fits).flat_map(|list| list.iter().map(|&v| (v, list[0]))).collect()
}

/// A search for clusters of vertices that close cracks.
struct CrackSearch<'a> {
    points: &'a [Vec3<f64>],
    triangles: &'a [[u32; 3]],
    /// The edges of an odd number of triangles.
    open: &'a [[u32; 2]],
    /// For each vertex of a cluster its first one.
    leader: BTreeMap<u32, u32>,
}

impl CrackSearch<'_> {
    fn of(&self, vertex: u32) -> u32 {
        self.leader.get(&vertex).copied().unwrap_or(vertex)
    }

    /// The clusters that close no edge, turn a triangle over, or lay two triangles on each other.
    fn bad_clusters(&self) -> HashSet<u32> {
        let mut bad: HashSet<u32> = self.leader.values().copied().collect();
        let welded = |&[a, b]: &[u32; 2]| {
            let (a, b) = (self.of(a), self.of(b));
            (a.min(b), a.max(b))
        };
        let mut met: HashMap<(u32, u32), u32> = HashMap::new();
        self.open.iter().for_each(|edge| *met.entry(welded(edge)).or_default() += 1);
        for edge in self.open.iter().map(welded).filter(|edge| edge.0 != edge.1 && met[edge].is_multiple_of(2)) {
            bad.remove(&edge.0);
            bad.remove(&edge.1);
        }
        let mut known: HashMap<[u32; 3], [u32; 3]> = HashMap::new();
        for &triangle in self.triangles {
            let after = triangle.map(|v| self.of(v));
            let is_touched = triangle.iter().any(|v| self.leader.contains_key(v));
            if !is_touched || repeats_a_vertex(&after) {
                continue;
            }
            let mut sorted = after;
            sorted.sort_unstable();
            let other = known.insert(sorted, triangle);
            if self.is_turned_over(triangle, after) || other.is_some_and(|other| !is_same(other, triangle)) {
                bad.extend(after);
            }
        }
        bad.retain(|leader| self.leader.contains_key(leader));
        bad
    }

    /// Whether a triangle has another direction after its corners moved, or lost its area.
    fn is_turned_over(&self, before: [u32; 3], after: [u32; 3]) -> bool {
        let corners = |triangle: [u32; 3]| triangle.map(|v| self.points[v as usize]);
        let normal = |[a, b, c]: [Vec3<f64>; 3]| (b - a).cross(c - a);
        let ([a, b, c], [p, q, r]) = (corners(before), corners(after));
        before != after
            && !collinear(a, b, c)
            && (collinear(p, q, r) || normal([a, b, c]).dot(normal([p, q, r])) <= 0.0)
    }

    fn weld(&self) -> Weld {
        let mut stands_for: Vec<u32> = (0..self.points.len() as u32).collect();
        let (mut moved, mut shift) = (0, 0.0_f64);
        for (&vertex, &leader) in self.leader.iter().filter(|(vertex, leader)| vertex != leader) {
            stands_for[vertex as usize] = leader;
            moved += 1;
            shift = shift.max((self.points[vertex as usize] - self.points[leader as usize]).length());
        }
        Weld { stands_for, moved, shift: shift * (1.0 + 8.0 * f64::EPSILON) }
    }
}

/// Whether two triangles have the same vertices.
fn is_same(mut one: [u32; 3], mut other: [u32; 3]) -> bool {
    one.sort_unstable();
    other.sort_unstable();
    one == other
}
