//! A question about a triangle mesh: does it close up?

/// How the triangles of a mesh meet at their edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Closure {
    /// Every edge belongs to two triangles; or to four, six, ... where solids touch along it.
    pub(super) closed: bool,
    /// And as many of them run through it in one direction as in the other.
    pub(super) oriented: bool,
}

impl Closure {
    /// Of triangles over vertices of which equal positions have equal indices. A triangle with a repeated vertex has
    /// no inside and two edges that cancel: it is left out.
    pub(super) fn of(triangles: &[[u32; 3]]) -> Self {
        let mut edges: Vec<(u32, u32, bool)> = Vec::with_capacity(3 * triangles.len());
        for &[a, b, c] in triangles {
            if a != b && b != c && c != a {
                edges.extend([(a, b), (b, c), (c, a)].map(|(p, q)| (p.min(q), p.max(q), p < q)));
            }
        }
        edges.sort_unstable();
        let mut found = Self { closed: !edges.is_empty(), oriented: true };
        for same in edges.chunk_by(|e, f| (e.0, e.1) == (f.0, f.1)) {
            let forward = same.iter().filter(|edge| edge.2).count();
            found.closed &= same.len() % 2 == 0;
            found.oriented &= 2 * forward == same.len();
        }
        found.oriented &= found.closed;
        found
    }
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
