//! The horizon of a new vertex: the sides between the triangles that it sees and the rest of the
//! surface.

use super::facets::{MAX_BLOCKS, MAX_VERTICES, TriangleBlock};
use clearsweep_base::simd::WIDTH;

/// Triangles and vertices are processed two at a time: fixed counts cost less than mispredicted
/// loop ends.
const UNROLL: usize = 2;

/// Words of a bit set of vertices.
const WORDS: usize = MAX_VERTICES / 64;

/// The triangles that a vertex sees, and their horizon.
#[derive(Debug, Clone)]
pub(super) struct Horizon {
    /// Bit `i` of entry `k`: triangle `64 k + i` is seen.
    pub(super) seen: [u64; MAX_BLOCKS / 8],
    /// The number of sides of the horizon.
    pub(super) count: usize,
    /// Their vertices, each side directed as in the seen triangle beside it.
    from: [u8; MAX_VERTICES + UNROLL],
    to: [u8; MAX_VERTICES + UNROLL],
    /// The vertices of the first eight sides: from, to.
    few: [[u8; WIDTH]; 2],
    /// Bit `w` of `out[..][v]` (64 vertices in each word): a seen triangle has the side from `v` to
    /// `w`. All zero between searches.
    out: [[u64; MAX_VERTICES]; WORDS],
    /// Bit `v` of `into[..][w]`: the same side.
    into: [[u64; MAX_VERTICES]; WORDS],
    /// Scratch memory of [`Horizon::find_connected`]: the seen triangles that are connected, and
    /// the others.
    found: Vec<usize>,
    rest: Vec<usize>,
}

/// The sides of a triangle.
#[inline(always)]
pub(super) fn sides([a, b, c]: [u8; 3]) -> [[u8; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

impl Horizon {
    pub(super) fn new() -> Self {
        Self {
            seen: [0; MAX_BLOCKS / 8],
            count: 0,
            from: [0; MAX_VERTICES + UNROLL],
            to: [0; MAX_VERTICES + UNROLL],
            few: [[0; WIDTH]; 2],
            out: [[0; MAX_VERTICES]; WORDS],
            into: [[0; MAX_VERTICES]; WORDS],
            found: Vec::new(),
            rest: Vec::new(),
        }
    }

    /// Lists the sides of the horizon on a surface with this number of vertices. False unless they
    /// form closed loops that pass each vertex at most once.
    #[inline(always)]
    pub(super) fn find(&mut self, blocks: &[TriangleBlock], vertices: usize) -> bool {
        if vertices <= 64 { self.find_in::<1>(blocks) } else { self.find_in_many(blocks) }
    }

    #[inline(never)]
    fn find_in_many(&mut self, blocks: &[TriangleBlock]) -> bool {
        self.find_in::<WORDS>(blocks)
    }

    /// [`Horizon::find`] for vertex numbers of `N` words.
    #[inline(always)]
    fn find_in<const N: usize>(&mut self, blocks: &[TriangleBlock]) -> bool {
        let mut used = [0; N];
        for group in 0..blocks.len().div_ceil(8) {
            let mut seen = self.seen[group];
            while seen != 0 {
                for _ in 0..UNROLL {
                    let (t, one) = (64 * group + seen.trailing_zeros() as usize % 64, u64::from(seen != 0));
                    for [v, w] in sides(blocks[t / WIDTH].vertices(t % WIDTH)) {
                        self.out[usize::from(w) / 64 % N][usize::from(v)] |= one << (w % 64);
                        self.into[usize::from(v) / 64 % N][usize::from(w)] |= one << (v % 64);
                        used[usize::from(v) / 64 % N] |= one << (v % 64);
                    }
                    seen &= seen.wrapping_sub(1);
                }
            }
        }
        let (mut count, mut good, mut few) = (0, true, [0_u64; 2]);
        for high in 0..N {
            while used[high] != 0 {
                for _ in 0..UNROLL {
                    let v = 64 * high + used[high].trailing_zeros() as usize % 64;
                    let (mut w, mut ways) = (0, 0);
                    for k in 0..N {
                        // Sides that no second seen triangle shares.
                        let row = self.out[k][v] & !self.into[k][v];
                        (self.out[k][v], self.into[k][v]) = (0, 0);
                        ways += row.count_ones();
                        w = if row != 0 { 64 * k + row.trailing_zeros() as usize } else { w };
                    }
                    good &= ways < 2;
                    // Also collected in a register: a wide load right after narrow stores defeats
                    // store forwarding.
                    let (shift, open) = (8 * (count % WIDTH), u64::from(ways != 0));
                    few[0] |= (v as u64 * open) << shift;
                    few[1] |= (w as u64 * open) << shift;
                    (self.from[count % MAX_VERTICES], self.to[count % MAX_VERTICES]) = (v as u8, w as u8);
                    count += open as usize;
                    used[high] &= used[high].wrapping_sub(1);
                }
            }
        }
        (self.count, self.few) = (count, few.map(u64::to_le_bytes));
        good && count >= 3
    }

    /// The vertices of eight sides from number `first` on, a multiple of eight: from, to.
    #[inline(always)]
    pub(super) fn eight_sides(&self, first: usize) -> [[u8; WIDTH]; 2] {
        debug_assert!(first.is_multiple_of(WIDTH) && first < self.count);
        if self.count <= WIDTH {
            return self.few;
        }
        let (mut from, mut to) = ([0; WIDTH], [0; WIDTH]);
        from.copy_from_slice(&self.from[first..first + WIDTH]);
        to.copy_from_slice(&self.to[first..first + WIDTH]);
        [from, to]
    }

    /// [`Horizon::find`] for those seen triangles that are connected to `triangle`: a surface
    /// placed at another pose need not be convex, and then the seen triangles may form several
    /// patches.
    #[cold]
    pub(super) fn find_connected(&mut self, blocks: &[TriangleBlock], vertices: usize, triangle: usize) -> bool {
        let of = |t: usize| sides(blocks[t / WIDTH].vertices(t % WIDTH));
        let Self { seen, found, rest, .. } = self;
        rest.clear();
        for (group, seen) in seen[..blocks.len().div_ceil(8)].iter_mut().enumerate() {
            while *seen != 0 {
                rest.push(64 * group + seen.trailing_zeros() as usize);
                *seen &= *seen - 1;
            }
        }
        rest.retain(|&t| t != triangle);
        found.clear();
        found.push(triangle);
        let mut next = 0;
        while let Some(&t) = found.get(next) {
            let across = of(t).map(|[v, w]| [w, v]);
            rest.retain(|&u| {
                let adjacent = of(u).iter().any(|side| across.contains(side));
                if adjacent {
                    found.push(u);
                }
                !adjacent
            });
            next += 1;
        }
        found.iter().for_each(|t| seen[t / 64] |= 1 << (t % 64));
        self.find(blocks, vertices)
    }
}
