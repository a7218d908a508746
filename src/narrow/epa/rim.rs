//! What a new vertex sees of a surface, and the sides around that.

use super::facets::Block;
use super::polytope::{BLOCKS, VERTICES};
use crate::narrow::simd::WIDTH;

/// Sides of a hole above which a surface is given up.
const SIDES: usize = VERTICES;

/// Triangles seen are taken four at a time: fixed counts cost less than loops whose ends are guessed wrong.
const FOUR: usize = 4;

/// Vertices are numbered in so many words of bits.
const WORDS: usize = VERTICES / 64;

/// What a vertex sees, and the sides around that.
#[derive(Debug, Clone)]
pub(super) struct Rim {
    /// Bit by bit, which triangles are seen; 64 of them in each entry.
    pub(super) seen: [u64; BLOCKS / 8],
    /// The sides around, of which the first `count` are meant: their vertices as seen from within the hole.
    pub(super) count: usize,
    from: [u8; SIDES + 3 * FOUR],
    to: [u8; SIDES + 3 * FOUR],
    /// The first eight of them.
    few: [[u8; WIDTH]; 2],
    /// Bit `w` of `sides[..][v]` (64 of them in each word): the side from `v` to `w` is one of a triangle that is seen.
    sides: [[u64; VERTICES]; WORDS],
}

/// The sides of a triangle.
#[inline(always)]
pub(super) fn sides([a, b, c]: [u8; 3]) -> [[u8; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

impl Rim {
    pub(super) fn new() -> Self {
        Self {
            seen: [0; BLOCKS / 8],
            count: 0,
            from: [0; SIDES + 3 * FOUR],
            to: [0; SIDES + 3 * FOUR],
            few: [[0; WIDTH]; 2],
            sides: [[0; VERTICES]; WORDS],
        }
    }

    /// Forgets the sides between the first `vertices`.
    #[inline(always)]
    pub(super) fn clear(&mut self, vertices: usize) {
        let vertices = vertices.next_multiple_of(WIDTH).min(VERTICES);
        for word in &mut self.sides[..vertices.div_ceil(64)] {
            for eight in word[..vertices].as_chunks_mut::<WIDTH>().0 {
                *eight = [0; WIDTH];
            }
        }
    }

    /// Notes a side, if `meant`; false where it was noted before.
    #[inline(always)]
    pub(super) fn note(&mut self, [v, w]: [u8; 2], meant: bool) -> bool {
        let word = &mut self.sides[usize::from(w) / 64][usize::from(v)];
        let bit = u64::from(meant) << (w % 64);
        let fresh = *word & bit == 0;
        *word |= bit;
        fresh
    }

    /// Whether a side was noted.
    #[inline(always)]
    pub(super) fn knows(&self, [v, w]: [u8; 2]) -> bool {
        self.sides[usize::from(w) / 64][usize::from(v)] >> (w % 64) & 1 == 1
    }

    /// Lists the sides between what is seen and the rest of a surface with so many vertices; false where they do not pass
    /// each vertex once.
    #[inline(always)]
    pub(super) fn find(&mut self, blocks: &[Block], vertices: usize) -> bool {
        self.clear(vertices);
        let groups = blocks.len().div_ceil(8);
        for group in 0..groups {
            let mut seen = self.seen[group];
            while seen != 0 {
                for _ in 0..FOUR {
                    let t = 64 * group + seen.trailing_zeros() as usize % 64;
                    for side in sides(blocks[t / WIDTH].vertices(t % WIDTH)) {
                        self.note(side, seen != 0);
                    }
                    seen &= seen.wrapping_sub(1);
                }
            }
        }
        let (mut count, mut good) = (0, true);
        let (mut few, mut passed) = ([0_u64; 2], [0_u64; WORDS]);
        for group in 0..groups {
            let mut seen = self.seen[group];
            while seen != 0 && count < SIDES {
                for _ in 0..FOUR {
                    let t = 64 * group + seen.trailing_zeros() as usize % 64;
                    for [v, w] in sides(blocks[t / WIDTH].vertices(t % WIDTH)) {
                        let open = (seen != 0) & !self.knows([w, v]);
                        // In a register as well as in memory: eight bytes just written one by one are slow to read as one.
                        let shift = 8 * (count % WIDTH);
                        few[0] |= u64::from(v) * u64::from(open) << shift;
                        few[1] |= u64::from(w) * u64::from(open) << shift;
                        (self.from[count], self.to[count]) = (v, w);
                        let (word, bit) = (&mut passed[usize::from(v) / 64], u64::from(open) << (v % 64));
                        good &= *word & bit == 0;
                        *word |= bit;
                        count += usize::from(open);
                    }
                    seen &= seen.wrapping_sub(1);
                }
            }
        }
        (self.count, self.few) = (count, few.map(u64::to_le_bytes));
        good && (3..SIDES).contains(&count)
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

    /// As [`Rim::find`], of what is seen only what hangs together with `triangle`: where a surface was placed at
    /// another pose and is no longer convex.
    #[cold]
    pub(super) fn find_around(&mut self, blocks: &[Block], vertices: usize, triangle: usize) -> bool {
        let of = |t: usize| sides(blocks[t / WIDTH].vertices(t % WIDTH));
        let mut rest: Vec<usize> = (0..64 * blocks.len().div_ceil(8)).filter(|&t| t != triangle && self.sees(t)).collect();
        let mut found = vec![triangle];
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
        self.seen = [0; BLOCKS / 8];
        found.iter().for_each(|t| self.seen[t / 64] |= 1 << (t % 64));
        self.find(blocks, vertices)
    }

    #[inline(always)]
    fn sees(&self, triangle: usize) -> bool {
        self.seen[triangle / 64] >> (triangle % 64) & 1 == 1
    }
}
