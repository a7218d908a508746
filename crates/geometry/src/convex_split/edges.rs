//! How triangles meet at their edges: whether they close up, and which of them hang together.

use super::sets::ParitySets;
use clearsweep_base::workers::Workers;

/// A side of a triangle: one use of an edge. Uses of the same edge are neighbours when sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EdgeUse {
    /// The two vertices, the lower one in the upper half.
    edge: u64,
    /// Twice the triangle, and 1 more if it runs from the lower vertex to the higher one.
    side: u32,
}

impl EdgeUse {
    /// The two vertices, the lower one first.
    pub fn vertices(self) -> [u32; 2] {
        [(self.edge >> 32) as u32, self.edge as u32]
    }

    /// The triangle.
    pub fn triangle(self) -> u32 {
        self.side >> 1
    }

    /// Whether the triangle runs from the lower vertex to the higher one.
    pub fn is_forward(self) -> bool {
        self.side & 1 == 1
    }
}

/// Number of triangles, about, whose sides are sorted in one part.
const PART: usize = 1 << 15;

/// Parts in which sides are sorted, at most: each looks at all triangles.
const PARTS: usize = 16;

/// The sides of all triangles (fewer than 2^31, with their numbers), sorted: vertices of equal
/// positions have equal indices. Each range of lower vertices is sorted alone, and the ranges
/// follow each other.
pub fn edge_uses(triangles: &[[u32; 3]], workers: &Workers) -> Vec<EdgeUse> {
    let numbered = || (0..).zip(triangles);
    let parts = triangles.len().div_ceil(PART).clamp(1, PARTS);
    let vertices = if parts > 1 { triangles.iter().flatten().max().map_or(1, |&most| most as usize + 1) } else { 1 };
    let part_of = |lower: u32| if parts > 1 { lower as usize * parts / vertices } else { 0 };
    let mut sizes = vec![0; parts];
    for (_, &[a, b, c]) in numbered() {
        [a.min(b), b.min(c), c.min(a)].into_iter().for_each(|lower| sizes[part_of(lower)] += 1);
    }
    let mut uses = vec![EdgeUse { edge: 0, side: 0 }; sizes.iter().sum()];
    let mut slices = Vec::with_capacity(parts);
    let mut rest = &mut uses[..];
    for (part, &size) in sizes.iter().enumerate() {
        let (own, behind) = rest.split_at_mut(size);
        slices.push((part, own));
        rest = behind;
    }
    workers.map(slices, |(part, own): (usize, &mut [EdgeUse])| {
        let mut places = own.iter_mut();
        for (triangle, &[a, b, c]) in numbered() {
            for (p, q) in [(a, b), (b, c), (c, a)] {
                if part_of(p.min(q)) == part
                    && let Some(place) = places.next()
                {
                    let edge = u64::from(p.min(q)) << 32 | u64::from(p.max(q));
                    *place = EdgeUse { edge, side: triangle << 1 | u32::from(p < q) };
                }
            }
        }
        own.sort_unstable();
    });
    uses
}

/// The uses of each edge, from all sorted uses.
pub fn by_edge(uses: &[EdgeUse]) -> impl Iterator<Item = &[EdgeUse]> {
    uses.chunk_by(|one, next| one.edge == next.edge)
}

/// Whether a triangle has a vertex twice: it has no inside, and two of its sides cancel.
pub fn repeats_a_vertex(&[a, b, c]: &[u32; 3]) -> bool {
    a == b || b == c || c == a
}

/// Closure of a mesh: the way in which its triangles meet at their edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closure {
    /// Whether every edge belongs to two triangles, or to four, six, ... if solids touch along it.
    pub closed: bool,
    /// Whether, in addition, equally many triangles run through each edge in both directions.
    pub oriented: bool,
}

impl Closure {
    /// Returns the closure of triangles over vertices; equal positions have equal indices.
    /// Triangles with a repeated vertex are left out.
    pub fn of(triangles: &[[u32; 3]], workers: &Workers) -> Self {
        if !triangles.iter().any(repeats_a_vertex) {
            return Self::of_uses(&edge_uses(triangles, workers));
        }
        let proper: Vec<[u32; 3]> = triangles.iter().filter(|triangle| !repeats_a_vertex(triangle)).copied().collect();
        Self::of_uses(&edge_uses(&proper, workers))
    }

    /// Returns the closure from all uses of all edges.
    pub fn of_uses(uses: &[EdgeUse]) -> Self {
        let mut found = Self { closed: !uses.is_empty(), oriented: true };
        for same in by_edge(uses) {
            let forward = same.iter().filter(|one| one.is_forward()).count();
            found.closed &= same.len() % 2 == 0;
            found.oriented &= 2 * forward == same.len();
        }
        found.oriented &= found.closed;
        found
    }
}

/// For each of `count` triangles the number of its connected component, in order of their first
/// triangles. Triangles are connected if they share an edge.
pub fn components(count: usize, uses: &[EdgeUse]) -> Vec<u32> {
    let mut sets = ParitySets::new(count);
    for pair in uses.windows(2).filter(|pair| pair[0].edge == pair[1].edge) {
        sets.join(pair[0].triangle(), pair[1].triangle(), false);
    }
    sets.numbered().0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_sorted_as_a_whole() {
        let mut state = 1_u64;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 53) as u32
        };
        for count in [0, 1, 100, 3 * PART + 5] {
            let triangles: Vec<[u32; 3]> = (0..count).map(|_| [next(), next() / 7, next()]).collect();
            let mut expected = Vec::new();
            for (t, &[a, b, c]) in (0..).zip(&triangles) {
                for (p, q) in [(a, b), (b, c), (c, a)] {
                    expected.push((p.min(q), p.max(q), t, p < q));
                }
            }
            expected.sort_unstable();
            for threads in [1, 2, 5] {
                let uses = edge_uses(&triangles, &Workers::new(Some(threads)));
                let told = |one: &EdgeUse| ((one.edge >> 32) as u32, one.edge as u32, one.triangle(), one.is_forward());
                assert!(uses.iter().map(told).eq(expected.iter().copied()), "{count} {threads}");
            }
        }
    }

    #[test]
    fn closure_counts_edges_and_directions() {
        let of = |triangles: &[[u32; 3]]| Closure::of(triangles, &Workers::none());
        let tetrahedron = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        assert_eq!(of(&tetrahedron), Closure { closed: true, oriented: true });
        let mut flipped = tetrahedron;
        flipped[0].swap(0, 1);
        assert_eq!(of(&flipped), Closure { closed: true, oriented: false });
        assert_eq!(of(&tetrahedron[1..]), Closure { closed: false, oriented: false });
        let with_sliver = [&tetrahedron[..], &[[1, 1, 2]]].concat();
        assert_eq!(of(&with_sliver), Closure { closed: true, oriented: true });
        assert!(!of(&[[0, 0, 0]]).closed);
        // Two tetrahedra that touch along the edge 0-1 close up, each on its own.
        let other = tetrahedron.map(|t| t.map(|v: u32| if v < 2 { v } else { v + 2 }));
        assert_eq!(of(&[tetrahedron, other].concat()), Closure { closed: true, oriented: true });
    }
}
