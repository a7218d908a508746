//! What a new vertex sees of a surface, and the sides around that.

use super::facets::{Block, WIDTH};
use super::polytope::{BLOCKS, VERTICES};

/// Sides of a hole above which a surface is given up.
const SIDES: usize = 512;

/// Triangles seen are taken four at a time: fixed counts cost less than loops whose ends are guessed wrong.
const FOUR: usize = 4;

/// What a vertex sees, and the sides around that.
#[derive(Debug, Clone)]
pub(super) struct Rim {
    /// Bit by bit, which triangles are seen; 64 of them in each entry.
    pub(super) seen: [u64; BLOCKS / 8],
    /// The sides around, of which the first `count` are meant: their numbers as sides of the triangle that stays, and
    /// their vertices as seen from within the hole.
    pub(super) count: usize,
    pub(super) twin: [u16; SIDES + 3 * FOUR],
    pub(super) from: [u8; SIDES + 3 * FOUR],
    pub(super) to: [u8; SIDES + 3 * FOUR],
    /// The sides before and after.
    pub(super) before: [u16; SIDES],
    pub(super) after: [u16; SIDES],
    /// For a vertex, the side that starts there.
    at: [u16; VERTICES],
}

impl Rim {
    pub(super) fn new() -> Self {
        Self {
            seen: [0; BLOCKS / 8],
            count: 0,
            twin: [0; SIDES + 3 * FOUR],
            from: [0; SIDES + 3 * FOUR],
            to: [0; SIDES + 3 * FOUR],
            before: [0; SIDES],
            after: [0; SIDES],
            at: [0; VERTICES],
        }
    }

    /// Lists the sides between what is seen and the rest; false where they do not pass each vertex once.
    #[inline(always)]
    pub(super) fn find(&mut self, blocks: &[Block]) -> bool {
        let mut count = 0;
        for group in 0..blocks.len().div_ceil(8) {
            let mut seen = self.seen[group];
            while seen != 0 && count < SIDES {
                for _ in 0..FOUR {
                    let t = 64 * group + seen.trailing_zeros() as usize % 64;
                    let (block, i) = (&blocks[t / WIDTH], t % WIDTH);
                    for k in 0..3 {
                        let twin = block.twin[k][i];
                        self.twin[count] = twin;
                        self.from[count] = block.corner[k][i];
                        self.to[count] = block.corner[(k + 1) % 3][i];
                        count += usize::from((seen != 0) & !self.sees(usize::from(twin) / 4));
                    }
                    seen &= seen.wrapping_sub(1);
                }
            }
        }
        self.count = count;
        if count > WIDTH { self.link_many() } else { count >= 3 && self.link_few() }
    }

    /// As [`Rim::find`], of what is seen only what hangs together with `triangle`: where a surface was placed at
    /// another pose and is no longer convex.
    #[cold]
    pub(super) fn find_around(&mut self, blocks: &[Block], triangle: usize) -> bool {
        let mut found = [0; BLOCKS / 8];
        let mut open = vec![triangle];
        while let Some(t) = open.pop() {
            if self.sees(t) && found[t / 64] >> (t % 64) & 1 == 0 {
                found[t / 64] |= 1 << (t % 64);
                open.extend(blocks[t / WIDTH].twin.map(|twin| usize::from(twin[t % WIDTH]) / 4));
            }
        }
        self.seen = found;
        self.find(blocks)
    }

    #[inline(always)]
    fn sees(&self, triangle: usize) -> bool {
        self.seen[triangle / 64] >> (triangle % 64) & 1 == 1
    }

    /// Finds the sides before and after each; false where they do not pass each vertex once. Of at most eight sides.
    #[inline(always)]
    fn link_few(&mut self) -> bool {
        let (mut from, mut to) = ([0; WIDTH], [0; WIDTH]);
        from.copy_from_slice(&self.from[..WIDTH]);
        to.copy_from_slice(&self.to[..WIDTH]);
        let count = self.count;
        let (mut before, mut after, mut met) = ([0_u8; WIDTH], [0_u8; WIDTH], [0_u8; WIDTH]);
        for j in 0..WIDTH {
            let meant = j < count;
            for k in 0..WIDTH {
                let (follows, leads) = ((from[j] == to[k]) & meant, (to[j] == from[k]) & meant);
                after[k] = if follows { j as u8 } else { after[k] };
                before[k] = if leads { j as u8 } else { before[k] };
                met[k] += u8::from(follows) + 16 * u8::from(leads);
            }
        }
        let mut good = true;
        for k in 0..WIDTH {
            good &= (met[k] == 17) | (k >= count);
            (self.before[k], self.after[k]) = (u16::from(before[k]), u16::from(after[k]));
        }
        good
    }

    /// As [`Rim::link_few`], of more sides.
    #[inline(never)]
    fn link_many(&mut self) -> bool {
        let count = self.count;
        if count > SIDES - WIDTH {
            return false;
        }
        for k in 0..count {
            self.at[usize::from(self.from[k])] = k as u16;
        }
        let mut good = true;
        for k in 0..count {
            let after = usize::from(self.at[usize::from(self.to[k])]) % SIDES;
            good &= usize::from(self.at[usize::from(self.from[k])]) == k;
            good &= after < count && self.from[after] == self.to[k];
            self.after[k] = after as u16;
            self.before[after] = k as u16;
        }
        good
    }
}
