//! What a new vertex sees of a surface, and the sides around that.

use super::facets::Block;
use super::polytope::{BLOCKS, VERTICES};
use crate::simd::WIDTH;

/// Triangles and vertices are taken two at a time: fixed counts cost less than loops whose ends are guessed wrong.
const TWO: usize = 2;

/// Vertices are numbered in so many words of bits.
const WORDS: usize = VERTICES / 64;

/// What a vertex sees, and the sides around that.
#[derive(Debug, Clone)]
pub(super) struct Horizon {
    /// Bit by bit, which triangles are seen; 64 of them in each entry.
    pub(super) seen: [u64; BLOCKS / 8],
    /// The sides around, of which the first `count` are meant: their vertices as seen from within the hole.
    pub(super) count: usize,
    from: [u8; VERTICES + TWO],
    to: [u8; VERTICES + TWO],
    /// The first eight of them.
    few: [[u8; WIDTH]; 2],
    /// Bit `w` of `out[..][v]` (64 of them in each word): the side from `v` to `w` is one of a triangle that is seen. All
    /// 0 between searches.
    out: [[u64; VERTICES]; WORDS],
    /// Bit `v` of `into[..][w]`: the same.
    into: [[u64; VERTICES]; WORDS],
    /// Triangles that are seen: what is found to hang together, and the others; kept for their memory.
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
            seen: [0; BLOCKS / 8],
            count: 0,
            from: [0; VERTICES + TWO],
            to: [0; VERTICES + TWO],
            few: [[0; WIDTH]; 2],
            out: [[0; VERTICES]; WORDS],
            into: [[0; VERTICES]; WORDS],
            found: Vec::new(),
            rest: Vec::new(),
        }
    }

    /// Lists the sides between what is seen and the rest of a surface with so many vertices; false where they do not pass
    /// each vertex once.
    #[inline(always)]
    pub(super) fn find(&mut self, blocks: &[Block], vertices: usize) -> bool {
        if vertices <= 64 { self.find_in::<1>(blocks) } else { self.find_in_many(blocks) }
    }

    #[inline(never)]
    fn find_in_many(&mut self, blocks: &[Block]) -> bool {
        self.find_in::<WORDS>(blocks)
    }

    /// Of vertices whose numbers fill `N` words.
    #[inline(always)]
    fn find_in<const N: usize>(&mut self, blocks: &[Block]) -> bool {
        let mut met = [0; N];
        for group in 0..blocks.len().div_ceil(8) {
            let mut seen = self.seen[group];
            while seen != 0 {
                for _ in 0..TWO {
                    let (t, one) = (64 * group + seen.trailing_zeros() as usize % 64, u64::from(seen != 0));
                    for [v, w] in sides(blocks[t / WIDTH].vertices(t % WIDTH)) {
                        self.out[usize::from(w) / 64 % N][usize::from(v)] |= one << (w % 64);
                        self.into[usize::from(v) / 64 % N][usize::from(w)] |= one << (v % 64);
                        met[usize::from(v) / 64 % N] |= one << (v % 64);
                    }
                    seen &= seen.wrapping_sub(1);
                }
            }
        }
        let (mut count, mut good, mut few) = (0, true, [0_u64; 2]);
        for high in 0..N {
            while met[high] != 0 {
                for _ in 0..TWO {
                    let v = 64 * high + met[high].trailing_zeros() as usize % 64;
                    let (mut w, mut ways) = (0, 0);
                    for k in 0..N {
                        // A side that only one triangle seen has.
                        let row = self.out[k][v] & !self.into[k][v];
                        (self.out[k][v], self.into[k][v]) = (0, 0);
                        ways += row.count_ones();
                        w = if row != 0 { 64 * k + row.trailing_zeros() as usize } else { w };
                    }
                    good &= ways < 2;
                    // In a register as well as in memory: eight bytes just written one by one are slow to read as one.
                    let (shift, open) = (8 * (count % WIDTH), u64::from(ways != 0));
                    few[0] |= (v as u64 * open) << shift;
                    few[1] |= (w as u64 * open) << shift;
                    (self.from[count % VERTICES], self.to[count % VERTICES]) = (v as u8, w as u8);
                    count += open as usize;
                    met[high] &= met[high].wrapping_sub(1);
                }
            }
        }
        (self.count, self.few) = (count, few.map(u64::to_le_bytes));
        good && count >= 3
    }

    /// The vertices of eight sides from number `first` on, a multiple of eight: where they start and where they end.
    #[inline(always)]
    pub(super) fn eight(&self, first: usize) -> [[u8; WIDTH]; 2] {
        if self.count <= WIDTH {
            return self.few;
        }
        let (mut from, mut to) = ([0; WIDTH], [0; WIDTH]);
        from.copy_from_slice(&self.from[first..first + WIDTH]);
        to.copy_from_slice(&self.to[first..first + WIDTH]);
        [from, to]
    }

    /// As [`Horizon::find`], of what is seen only what hangs together with `triangle`: where a surface was placed at
    /// another pose and is no longer convex.
    #[cold]
    pub(super) fn find_around(&mut self, blocks: &[Block], vertices: usize, triangle: usize) -> bool {
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
                let beside = of(u).iter().any(|side| across.contains(side));
                if beside {
                    found.push(u);
                }
                !beside
            });
            next += 1;
        }
        found.iter().for_each(|t| seen[t / 64] |= 1 << (t % 64));
        self.find(blocks, vertices)
    }
}
