//! How triangles meet at their edges: whether they close up, and which of them hang together.

use super::sets::ParitySets;

/// A side of a triangle: one use of an edge. Uses of the same edge are neighbours when sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::scene) struct EdgeUse {
    /// The two vertices, the lower one in the upper half.
    edge: u64,
    /// Twice the triangle, and 1 more if it runs from the lower vertex to the higher one.
    side: u32,
}

impl EdgeUse {
    /// The triangle.
    pub(super) fn triangle(self) -> u32 {
        self.side >> 1
    }

    /// Whether the triangle runs from the lower vertex to the higher one.
    pub(super) fn is_forward(self) -> bool {
        self.side & 1 == 1
    }
}

/// The sides of all triangles (fewer than 2^31, with their numbers), sorted: vertices of equal positions have equal indices.
pub(in crate::scene) fn edge_uses(triangles: impl Iterator<Item = (u32, [u32; 3])>) -> Vec<EdgeUse> {
    let mut uses = Vec::with_capacity(3 * triangles.size_hint().0);
    for (triangle, [a, b, c]) in triangles {
        let side = |(p, q): (u32, u32)| EdgeUse {
            edge: u64::from(p.min(q)) << 32 | u64::from(p.max(q)),
            side: triangle << 1 | u32::from(p < q),
        };
        uses.extend([(a, b), (b, c), (c, a)].map(side));
    }
    uses.sort_unstable();
    uses
}

/// The uses of each edge, from all sorted uses.
pub(in crate::scene) fn by_edge(uses: &[EdgeUse]) -> impl Iterator<Item = &[EdgeUse]> {
    uses.chunk_by(|one, next| one.edge == next.edge)
}

/// Whether a triangle has a vertex twice: it has no inside, and two of its sides cancel.
pub(super) fn repeats_a_vertex(&[a, b, c]: &[u32; 3]) -> bool {
    a == b || b == c || c == a
}

/// How the triangles of a mesh meet at their edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::scene) struct Closure {
    /// Every edge belongs to two triangles; or to four, six, ... where solids touch along it.
    pub(in crate::scene) closed: bool,
    /// And as many of them run through it in one direction as in the other.
    pub(in crate::scene) oriented: bool,
}

impl Closure {
    /// Of triangles over vertices of which equal positions have equal indices. Triangles with a repeated vertex are left
    /// out.
    pub(in crate::scene) fn of(triangles: &[[u32; 3]]) -> Self {
        let proper = triangles.iter().filter(|triangle| !repeats_a_vertex(triangle));
        Self::of_uses(&edge_uses((0..).zip(proper.copied())))
    }

    /// Of all uses of all edges.
    pub(super) fn of_uses(uses: &[EdgeUse]) -> Self {
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

/// For each of `count` triangles the number of its connected component, in order of their first triangles. Triangles are
/// connected where they share an edge.
pub(in crate::scene) fn components(count: usize, uses: &[EdgeUse]) -> Vec<u32> {
    let mut sets = ParitySets::new(count);
    for pair in uses.windows(2).filter(|pair| pair[0].edge == pair[1].edge) {
        sets.join(pair[0].triangle(), pair[1].triangle(), false);
    }
    sets.numbered().0
}

#[cfg(test)]
mod tests {
    use super::Closure;

    #[test]
    fn closure_counts_edges_and_directions() {
        let tetrahedron = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        assert_eq!(Closure::of(&tetrahedron), Closure { closed: true, oriented: true });
        let mut flipped = tetrahedron;
        flipped[0].swap(0, 1);
        assert_eq!(Closure::of(&flipped), Closure { closed: true, oriented: false });
        assert_eq!(Closure::of(&tetrahedron[1..]), Closure { closed: false, oriented: false });
        let with_sliver = [&tetrahedron[..], &[[1, 1, 2]]].concat();
        assert_eq!(Closure::of(&with_sliver), Closure { closed: true, oriented: true });
        assert!(!Closure::of(&[[0, 0, 0]]).closed);
        // Two tetrahedra that touch along the edge 0-1 close up, each on its own.
        let other = tetrahedron.map(|t| t.map(|v: u32| if v < 2 { v } else { v + 2 }));
        assert_eq!(Closure::of(&[tetrahedron, other].concat()), Closure { closed: true, oriented: true });
    }
}
