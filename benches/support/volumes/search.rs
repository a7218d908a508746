//! The distance of two trees: nearest volumes first, as the library does it, with the volumes of
//! `V`.
//!
//! All that is not the volume is the same for all of them: the nodes, the first descents, the boxes
//! of the triangles of two leaves along the axes of the search, and what is asked of two triangles.

use super::tree::{Corners, LEAF, Motion, Node, Tree, Volumes};
use super::triangles;
use clearsweep_geometry::Vec3;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// How near to the first axis the normal of the best pair is, as a cosine, where the axes stay.
const ALIGNED: f64 = 0.999;

/// How often the axes are turned.
const TURNS: usize = 6;

/// How many times as large a node is before it alone is descended.
const LARGER: f64 = 4.0;

/// How much farther than the best pair another one has to be to be left out, in sizes of the pair:
/// rounding.
const SLACK: f64 = 1e-12;

/// A node: a child of another.
#[derive(Debug, Clone, Copy)]
struct Child {
    parent: u32,
    lane: u8,
}

#[derive(Debug, Clone, Copy)]
enum Pair {
    Nodes([Child; 2]),
    Triangles([u32; 2]),
}

#[derive(Debug, Clone, Copy)]
struct Open {
    bound2: f64,
    pair: Pair,
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Open {}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        other.bound2.total_cmp(&self.bound2)
    }
}

/// Volumes of nodes that were computed in a search.
struct Known<P> {
    place: Vec<u32>,
    met: Vec<u32>,
    known: Vec<P>,
}

impl<P> Known<P> {
    fn new(nodes: usize) -> Self {
        Self { place: vec![0; nodes], met: Vec::new(), known: Vec::new() }
    }

    fn clear(&mut self) {
        self.met.iter().for_each(|&node| self.place[node as usize] = 0);
        self.met.clear();
        self.known.clear();
    }

    #[inline(always)]
    fn meet(&mut self, node: u32, make: impl FnOnce() -> P) {
        if self.place[node as usize] == 0 {
            self.known.push(make());
            self.met.push(node);
            self.place[node as usize] = self.known.len() as u32;
        }
    }

    #[inline(always)]
    fn at(&self, node: u32) -> &P {
        &self.known[self.place[node as usize] as usize - 1]
    }
}

/// Intervals of the triangles of a leaf.
type Leaf = [[[f64; LEAF]; 3]; 2];

/// Counts of searches.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Counts {
    /// Volumes compared.
    pub(crate) volumes: u64,
    /// Pairs of leaves whose triangles are compared by boxes.
    pub(crate) leaves: u64,
    /// Pairs of triangles whose distance is computed.
    pub(crate) triangles: u64,
}

/// Working memory of searches in two trees.
pub(crate) struct Memory<V: Volumes<W>, const W: usize> {
    placed: [Known<V::Placed>; 2],
    leaves: [Known<Leaf>; 2],
    open: BinaryHeap<Open>,
    pub(crate) counts: Counts,
}

impl<V: Volumes<W>, const W: usize> Memory<V, W> {
    pub(crate) fn new(trees: [&Tree<V, W>; 2]) -> Self {
        Self {
            placed: trees.map(|tree| Known::new(tree.inner.len())),
            leaves: trees.map(|tree| Known::new(tree.leaves.len())),
            open: BinaryHeap::new(),
            counts: Counts::default(),
        }
    }
}

struct Search<'a, V: Volumes<W>, const W: usize> {
    trees: [&'a Tree<V, W>; 2],
    motions: [Motion; 2],
    axes: [Vec3<f64>; 3],
    views: [V::View; 2],
    memory: &'a mut Memory<V, W>,
    limit: f64,
    slack: f64,
    /// Normal of the best pair.
    normal: Option<Vec3<f64>>,
}

/// The distance of two meshes, B moved by `motion`: 0 where they cross; infinite where it is above
/// `cutoff` (metres).
pub(crate) fn distance<V: Volumes<W>, const W: usize>(
    trees: [&Tree<V, W>; 2],
    motion: &Motion,
    cutoff: f64,
    memory: &mut Memory<V, W>,
) -> f64 {
    let motions = [Motion::NONE, *motion];
    let middle = |k: usize| motions[k].point(trees[k].inner[0].centers[0]);
    let axes = along((middle(1) - middle(0)).normalized());
    memory.placed.iter_mut().for_each(Known::clear);
    memory.leaves.iter_mut().for_each(Known::clear);
    let slack = SLACK * (trees[0].radius + trees[1].radius + motion.t.length());
    let views = motions.map(|m| V::view(&m, &axes));
    let mut search = Search { trees, motions, axes, views, memory, limit: cutoff, slack, normal: None };
    // Without a cut-off that says enough, a first pair along whose normal boxes are told apart.
    for _ in 0..TURNS {
        if cutoff == 0.0 {
            break;
        }
        search.descend();
        if search.limit == 0.0 || !search.turn() {
            break;
        }
    }
    search.run();
    if search.normal.is_some() || search.limit < cutoff { search.limit } else { f64::INFINITY }
}

/// Axes at right angles, the first one given.
fn along(n: Vec3<f64>) -> [Vec3<f64>; 3] {
    if !n.is_finite() {
        return Motion::NONE.r;
    }
    let least = (0..3).min_by(|&i, &j| n[i].abs().total_cmp(&n[j].abs())).expect("three");
    let second = n.cross(Motion::NONE.r[least]).normalized();
    [n, second, n.cross(second)]
}

impl<V: Volumes<W>, const W: usize> Search<'_, V, W> {
    fn node(&self, k: usize, child: Child) -> Node {
        self.trees[k].inner[child.parent as usize].children[child.lane as usize]
    }

    fn size(&self, k: usize, child: Child) -> f64 {
        self.trees[k].inner[child.parent as usize].sizes[child.lane as usize]
    }

    /// Turns the axes to the normal of the best pair; returns whether they were turned.
    fn turn(&mut self) -> bool {
        let Some(n) = self.normal.filter(|n| n.dot(self.axes[0]).abs() < ALIGNED) else { return false };
        self.axes = along(n);
        self.memory.leaves.iter_mut().for_each(Known::clear);
        if V::TURNS {
            self.views = self.motions.map(|m| V::view(&m, &self.axes));
            self.memory.placed.iter_mut().for_each(Known::clear);
        }
        true
    }

    /// Children of A and of B that are to be compared: inner node and lanes. `None`: both are
    /// leaves.
    fn sides(&self, pair: [Child; 2]) -> Option<[(u32, std::ops::Range<usize>); 2]> {
        let nodes = [self.node(0, pair[0]), self.node(1, pair[1])];
        let leaf = nodes.map(|n| matches!(n, Node::Leaf(_)));
        if leaf == [true; 2] {
            return None;
        }
        let size = [self.size(0, pair[0]), self.size(1, pair[1])];
        let whole = [0, 1].map(|k: usize| leaf[k] || (!leaf[1 - k] && LARGER * size[k] < size[1 - k]));
        Some([0, 1].map(|k: usize| match nodes[k] {
            Node::Inner(index) if !whole[k] => (index, 0..self.trees[k].inner[index as usize].count),
            _ => (pair[k].parent, pair[k].lane as usize..pair[k].lane as usize + 1),
        }))
    }

    /// From the roots to the nodes whose middles are nearest, and triangles likewise.
    fn descend(&mut self) {
        let mut pair = [Child { parent: 0, lane: 0 }; 2];
        while let Some(sides) = self.sides(pair) {
            let mut least = f64::INFINITY;
            let middle =
                |k: usize, i: usize| self.motions[k].point(self.trees[k].inner[sides[k].0 as usize].centers[i]);
            let others: Vec<Vec3<f64>> = sides[1].1.clone().map(|j| middle(1, j)).collect();
            let mut next = pair;
            for i in sides[0].1.clone() {
                let p = middle(0, i);
                for (j, q) in sides[1].1.clone().zip(&others) {
                    if (*q - p).length2() < least {
                        least = (*q - p).length2();
                        next = [(0, i), (1, j)].map(|(k, lane)| Child { parent: sides[k].0, lane: lane as u8 });
                    }
                }
            }
            pair = next;
        }
        let runs = [0, 1].map(|k| self.leaf(k, pair[k]).1);
        let middle = |k: usize, t: usize| {
            let [p, q, r] = self.trees[k].corners[t];
            self.motions[k].point((p + q + r) * (1.0 / 3.0))
        };
        let (mut least, mut best) = (f64::INFINITY, [0; 2]);
        for i in runs[0].0..runs[0].1 {
            for j in runs[1].0..runs[1].1 {
                let far = (middle(1, j) - middle(0, i)).length2();
                if far < least {
                    (least, best) = (far, [i as u32, j as u32]);
                }
            }
        }
        self.compare(best);
    }

    fn leaf(&self, k: usize, child: Child) -> (u32, (usize, usize)) {
        match self.node(k, child) {
            Node::Leaf(leaf) => (leaf, self.trees[k].leaves[leaf as usize]),
            Node::Inner(_) => unreachable!("both are leaves"),
        }
    }

    fn run(&mut self) {
        let mut open = std::mem::take(&mut self.memory.open);
        open.clear();
        open.push(Open { bound2: 0.0, pair: Pair::Nodes([Child { parent: 0, lane: 0 }; 2]) });
        let mut turns = TURNS;
        while let Some(Open { bound2, pair }) = open.pop() {
            if bound2 > self.reach2() {
                break;
            }
            match pair {
                Pair::Nodes(pair) => match self.sides(pair) {
                    Some(sides) => self.open_nodes(sides, &mut open),
                    None => self.open_leaves(pair, &mut open),
                },
                Pair::Triangles(pair) => {
                    self.compare(pair);
                    if self.limit == 0.0 && self.normal.is_some() {
                        break;
                    }
                    turns -= usize::from(turns > 0 && self.turn());
                }
            }
        }
        self.memory.open = open;
    }

    fn reach2(&self) -> f64 {
        let reach = self.limit + self.slack;
        reach * reach
    }

    fn open_nodes(&mut self, [a, b]: [(u32, std::ops::Range<usize>); 2], open: &mut BinaryHeap<Open>) {
        let reach2 = self.reach2();
        for (k, side) in [&a, &b].into_iter().enumerate() {
            let (stored, view) = (&self.trees[k].stored[side.0 as usize], &self.views[k]);
            self.memory.placed[k].meet(side.0, || wide::place::<V, W>(stored, view));
        }
        self.memory.counts.volumes += (a.1.len() * b.1.len()) as u64;
        let placed = [self.memory.placed[0].at(a.0), self.memory.placed[1].at(b.0)];
        let mut bounds = [[0.0; W]; W];
        // The rows belong to the side of which there are several children, if of the other there is
        // one.
        let flip = b.1.len() == 1 && a.1.len() > 1;
        let (one, lanes, all) =
            if flip { (placed[1], b.1.clone(), placed[0]) } else { (placed[0], a.1.clone(), placed[1]) };
        wide::rows::<V, W>(one, lanes.clone(), all, &mut bounds);
        let across = if flip { a.1.clone() } else { b.1.clone() };
        for i in lanes {
            for j in across.clone() {
                let bound2 = bounds[i][j];
                if bound2 <= reach2 {
                    let lanes = if flip { [j, i] } else { [i, j] };
                    let pair =
                        [Child { parent: a.0, lane: lanes[0] as u8 }, Child { parent: b.0, lane: lanes[1] as u8 }];
                    open.push(Open { bound2, pair: Pair::Nodes(pair) });
                }
            }
        }
    }

    fn open_leaves(&mut self, pair: [Child; 2], open: &mut BinaryHeap<Open>) {
        let reach2 = self.reach2();
        let leaves = [0, 1].map(|k| self.leaf(k, pair[k]));
        for k in 0..2 {
            let (leaf, (from, to)) = leaves[k];
            let (corners, motion, axes) = (&self.trees[k].corners[from..to], &self.motions[k], &self.axes);
            self.memory.leaves[k].meet(leaf, || intervals(corners, motion, axes));
        }
        self.memory.counts.leaves += 1;
        let [a, b] = [0, 1].map(|k: usize| self.memory.leaves[k].at(leaves[k].0));
        let mut bounds = [[0.0; LEAF]; LEAF];
        wide::leaves(a, b, &mut bounds);
        let runs = leaves.map(|l| l.1);
        for i in runs[0].0..runs[0].1 {
            for j in runs[1].0..runs[1].1 {
                let bound2 = bounds[i - runs[0].0][j - runs[1].0];
                if bound2 <= reach2 {
                    open.push(Open { bound2, pair: Pair::Triangles([i as u32, j as u32]) });
                }
            }
        }
    }

    fn compare(&mut self, [i, j]: [u32; 2]) {
        let a = self.trees[0].corners[i as usize];
        let b = self.trees[1].corners[j as usize].map(|p| self.motions[1].point(p));
        let reach = self.limit + self.slack;
        if let Some(n) = self.normal {
            let low = b.iter().map(|p| p.dot(n)).fold(f64::INFINITY, f64::min);
            let high = a.iter().map(|p| p.dot(n)).fold(f64::NEG_INFINITY, f64::max);
            if low - high > reach {
                return;
            }
        }
        self.memory.counts.triangles += 1;
        let (distance2, line) = triangles::between(&a, &b);
        let distance = distance2.sqrt();
        if distance < self.limit || (distance == 0.0 && self.normal.is_none()) {
            self.limit = distance;
            let n = line * (1.0 / distance);
            self.normal = Some(if n.is_finite() { n } else { self.axes[0] });
        }
    }
}

/// Returns the intervals of the triangles of a leaf along three axes; nothing beyond the last
/// triangle.
fn intervals(corners: &[Corners], motion: &Motion, axes: &[Vec3<f64>; 3]) -> Leaf {
    let mut to = [[[f64::INFINITY; LEAF]; 3], [[f64::NEG_INFINITY; LEAF]; 3]];
    for k in 0..3 {
        let (f, shift) = (motion.back(axes[k]), axes[k].dot(motion.t));
        for (lane, t) in corners.iter().enumerate() {
            let at = t.map(|p| p.dot(f) + shift);
            to[0][k][lane] = at[0].min(at[1]).min(at[2]);
            to[1][k][lane] = at[0].max(at[1]).max(at[2]);
        }
    }
    to
}

/// Loops compiled for the widest registers of this processor, as the library's are.
mod wide {
    use super::{LEAF, Leaf, Volumes};
    use std::ops::Range;

    macro_rules! widest {
        ($(#[$note:meta])* $name:ident, $body:ident, [$($generic:tt)*], [$($pass:tt)*], ($($arg:ident: $ty:ty),*) -> $ret:ty) => {
            $(#[$note])*
            #[inline]
            pub(super) fn $name<$($generic)*>($($arg: $ty),*) -> $ret {
                #[cfg(target_arch = "x86_64")]
                #[allow(unsafe_code, reason = "code for wider registers may run only where the processor has them")]
                {
                    #[target_feature(enable = "avx512f,avx512vl,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
                    unsafe fn avx512<$($generic)*>($($arg: $ty),*) -> $ret {
                        $body::<$($pass)*>($($arg),*)
                    }
                    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
                    unsafe fn avx2<$($generic)*>($($arg: $ty),*) -> $ret {
                        $body::<$($pass)*>($($arg),*)
                    }
                    if is_x86_feature_detected!("avx512dq") && is_x86_feature_detected!("avx512vl") {
                        // SAFETY: the processor has the instructions.
                        return unsafe { avx512::<$($pass)*>($($arg),*) };
                    }
                    if is_x86_feature_detected!("avx2") {
                        // SAFETY: likewise.
                        return unsafe { avx2::<$($pass)*>($($arg),*) };
                    }
                }
                $body::<$($pass)*>($($arg),*)
            }
        };
    }

    widest!(
        /// A node's volumes in A's frame.
        place, place_in, [V: Volumes<W>, const W: usize], [V, W], (stored: &V::Stored, view: &V::View) -> V::Placed);
    widest!(
        /// Bounds of some children of one node against all of another.
        rows, rows_in, [V: Volumes<W>, const W: usize], [V, W],
        (one: &V::Placed, lanes: Range<usize>, all: &V::Placed, to: &mut [[f64; W]; W]) -> ());
    widest!(
        /// Bounds of the triangles of two leaves.
        leaves, leaves_in, [], [], (a: &Leaf, b: &Leaf, to: &mut [[f64; LEAF]; LEAF]) -> ());

    #[inline(always)]
    fn place_in<V: Volumes<W>, const W: usize>(stored: &V::Stored, view: &V::View) -> V::Placed {
        V::place(stored, view)
    }

    #[inline(always)]
    fn rows_in<V: Volumes<W>, const W: usize>(
        one: &V::Placed,
        lanes: Range<usize>,
        all: &V::Placed,
        to: &mut [[f64; W]; W],
    ) {
        for i in lanes {
            V::row(one, i, all, &mut to[i]);
        }
    }

    #[inline(always)]
    fn leaves_in(a: &Leaf, b: &Leaf, to: &mut [[f64; LEAF]; LEAF]) {
        for (i, row) in to.iter_mut().enumerate() {
            let mut sum = [0.0; LEAF];
            for k in 0..3 {
                let (low, high) = (a[0][k][i], a[1][k][i]);
                for j in 0..LEAF {
                    let (after, before) = (b[0][k][j] - high, low - b[1][k][j]);
                    let gap = if after > before { after } else { before };
                    let gap = if gap > 0.0 { gap } else { 0.0 };
                    sum[j] += gap * gap;
                }
            }
            *row = sum;
        }
    }
}
