//! The nearest triangles of two meshes: both trees are descended together, nearest boxes first, and what is farther than the best
//! pair so far is left out (Lin's survey, section on PQP; Larsen, Gottschalk, Lin, Manocha 1999).
//!
//! The answer is the least of a number that each pair of triangles has for itself, so it does not depend on the order of the search,
//! on what is remembered, or on the axes that boxes are compared along.

use super::bounds::{Bounds2, IntervalCache, bounds};
use super::place::MeshPlace;
use super::triangle_pair::{self, ClosestPoints};
use crate::geometry::mesh::{Child, Intervals, NodeId, SearchFrame, WIDTH};
use crate::geometry::{Real, Scalar, Vec3};
use std::collections::BinaryHeap;

/// How much nearer, as a cosine, the normal of the best pair is to an axis of the frame than the frame is turned to it.
const ALIGNED: f64 = 0.999;

/// How often a search turns its frame.
const TURNS: usize = 6;

/// Descents before the search, while the normal changes.
const DESCENTS: usize = 6;

/// How many times as large a box is before it alone is descended.
const LARGER: f64 = 4.0;

/// The nearest triangles, and the proof.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NearestTriangles {
    /// Of A and of B, in the order of their trees.
    pub(crate) triangles: [u32; 2],
    /// Their closest points, in A's frame.
    pub(crate) closest: ClosestPoints<f64>,
    /// Unit, from A to B.
    pub(crate) normal: Vec3<f64>,
    /// Of the surfaces, metres.
    pub(crate) distance: f64,
    /// Proven: no two points are nearer, metres.
    pub(crate) lower: f64,
    /// Proven: some are as near, metres.
    pub(crate) upper: f64,
}

/// What a search finds.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SurfaceDistance {
    /// The surfaces are farther apart than the cut-off, at least by this, metres.
    Beyond(f64),
    /// They are apart.
    Apart(NearestTriangles),
    /// They cross, or are nearer than what rounding leaves; and a pair of triangles that shows it.
    Touching([u32; 2]),
}

/// Working memory of searches.
#[derive(Debug, Default)]
pub(crate) struct MeshSearchMemory {
    intervals: [IntervalCache; 2],
    open: BinaryHeap<OpenPair>,
    bounds: Bounds2,
    near: Vec<NearChildren>,
    /// The direction that the last search looked along.
    axis: Option<Vec3<f64>>,
    /// Pairs of triangles looked at, and pairs of nodes: by the last search.
    pub(crate) counts: [usize; 2],
}

/// Two children, or the nodes themselves.
#[derive(Debug, Clone, Copy)]
struct NearChildren {
    /// Their boxes are at least this far apart, squared, square metres.
    bound2: f64,
    lanes: [u8; 2],
}

/// Two nodes whose triangles are to be compared, or two triangles.
#[derive(Debug, Clone, Copy)]
struct OpenPair {
    /// Their boxes are at least this far apart, squared, square metres.
    bound2: f64,
    pair: Opened,
}

/// What is to be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Opened {
    Nodes([NodeId; 2]),
    Triangles([u32; 2]),
}

impl MeshSearchMemory {
    /// The direction that the last search looked along, in A's frame: if the bodies are far apart, likely along it.
    pub(crate) fn axis(&self) -> Vec3<f64> {
        self.axis.unwrap_or(Vec3::ZERO)
    }
}

impl PartialEq for OpenPair {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for OpenPair {}

impl PartialOrd for OpenPair {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for OpenPair {
    /// Nearer boxes are greater; of equally near ones triangles.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.bound2.total_cmp(&self.bound2).then(self.pair.cmp(&other.pair))
    }
}

/// A search under way.
struct MeshSearch<'a> {
    place: &'a MeshPlace<'a>,
    memory: &'a mut MeshSearchMemory,
    frames: [SearchFrame; 2],
    /// Pairs farther apart are of no interest, metres.
    limit: f64,
    best: Option<NearestTriangles>,
    /// All that was left out is at least this far apart, metres.
    gap: f64,
    /// The least lower end of a pair that even double-double did not settle, metres.
    unsettled: f64,
    touching: Option<[u32; 2]>,
}

/// The nearest triangles of two meshes, if they are not beyond `cutoff` (metres). `hint`: triangles that are likely near.
pub(crate) fn nearest(
    place: &MeshPlace<'_>,
    cutoff: f64,
    hint: Option<[u32; 2]>,
    memory: &mut MeshSearchMemory,
) -> SurfaceDistance {
    let mut search = MeshSearch::new(place, cutoff, SearchFrame::along(place.line()), memory);
    let hint =
        hint.filter(|&[a, b]| (a as usize) < place.a.triangles().len() && (b as usize) < place.b.triangles().len());
    if let Some([a, b]) = hint {
        search.compare(a, b);
        search.turn();
    }
    // Along the normal of a pair boxes tell apart what is near from what is nearest.
    for _ in 0..DESCENTS {
        search.descend();
        if !search.turn() {
            break;
        }
    }
    search.run();
    search.finish(cutoff)
}

impl<'a> MeshSearch<'a> {
    /// Nothing is known.
    fn new(place: &'a MeshPlace<'a>, cutoff: f64, axes: SearchFrame, memory: &'a mut MeshSearchMemory) -> Self {
        memory.counts = [0; 2];
        let mut search = Self {
            place,
            memory,
            frames: [axes, axes.in_b(&place.pose)],
            limit: cutoff,
            best: None,
            gap: f64::INFINITY,
            unsettled: f64::INFINITY,
            touching: None,
        };
        search.forget();
        search
    }

    /// What is known along other axes is forgotten.
    fn forget(&mut self) {
        let meshes = [self.place.a, self.place.b];
        self.memory.intervals.iter_mut().zip(meshes).for_each(|(cache, mesh)| cache.clear(mesh));
    }

    /// Turns the frame to the normal of the best pair; returns whether it was turned.
    fn turn(&mut self) -> bool {
        let Some(best) = &self.best else { return false };
        if best.normal.dot(self.frames[0].axes[0]).abs() >= ALIGNED {
            return false;
        }
        let axes = SearchFrame::along(best.normal);
        self.frames = [axes, axes.in_b(&self.place.pose)];
        self.forget();
        true
    }

    /// From the roots to the boxes whose middles are nearest, level by level, and triangles likewise: a first best pair.
    fn descend(&mut self) {
        let mut pair = Opened::Nodes(self.roots());
        while let Opened::Nodes(nodes) = pair {
            let (whole, lanes) = self.nearest_middles(nodes);
            pair = self.children(nodes, whole, lanes);
        }
        if let Opened::Triangles([a, b]) = pair {
            self.compare(a, b);
        }
    }

    /// Of two nodes, the children whose middles are nearest; and which of the nodes are taken whole.
    fn nearest_middles(&mut self, nodes: [NodeId; 2]) -> ([bool; 2], [u8; 2]) {
        let ([a, b], whole) = Self::intervals(&mut self.memory.intervals, self.place, &self.frames, nodes);
        let mut least = (f64::INFINITY, [0; 2]);
        for i in 0..a.count() {
            for j in 0..b.count() {
                let between = Vec3::from([0, 1, 2].map(|k: usize| a.middle(k, i) - b.middle(k, j)));
                if between.length2() < least.0 {
                    least = (between.length2(), [i as u8, j as u8]);
                }
            }
        }
        (whole, least.1)
    }

    /// The intervals of the children of two nodes, or of a node that is taken whole: of a leaf, unless both are, and of what is much
    /// smaller than the other.
    #[inline(always)]
    fn intervals<'m>(
        places: &'m mut [IntervalCache; 2],
        place: &MeshPlace<'_>,
        frames: &[SearchFrame; 2],
        nodes: [NodeId; 2],
    ) -> ([&'m Intervals; 2], [bool; 2]) {
        let meshes = [place.a, place.b];
        let at = [0, 1].map(|k: usize| places[k].meet(meshes[k], nodes[k], &frames[k]));
        let [a, b] = [places[0].at(at[0]), places[1].at(at[1])];
        let leaves = nodes.map(NodeId::is_leaf);
        let whole = if leaves == [true; 2] {
            [false; 2]
        } else {
            [
                leaves[0] || (!leaves[1] && LARGER * a.extent < b.extent),
                leaves[1] || (!leaves[0] && LARGER * b.extent < a.extent),
            ]
        };
        ([if whole[0] { &a.whole } else { &a.lanes }, if whole[1] { &b.whole } else { &b.lanes }], whole)
    }

    fn roots(&self) -> [NodeId; 2] {
        [self.place.a.root(), self.place.b.root()]
    }

    /// Compares what is nearest, until nothing can be nearer than the best pair.
    fn run(&mut self) {
        let mut open = std::mem::take(&mut self.memory.open);
        open.clear();
        open.push(OpenPair { bound2: 0.0, pair: Opened::Nodes(self.roots()) });
        let mut turns = TURNS;
        while let Some(OpenPair { bound2, pair }) = open.pop() {
            if bound2 > self.reach2() {
                // All that are left are farther.
                self.gap = self.gap.min(bound2.sqrt());
                break;
            }
            match pair {
                Opened::Nodes(nodes) => {
                    let whole = self.compare_boxes(nodes, self.reach2());
                    let near = std::mem::take(&mut self.memory.near);
                    open.extend(
                        near.iter().map(|n| OpenPair { bound2: n.bound2, pair: self.children(nodes, whole, n.lanes) }),
                    );
                    self.memory.near = near;
                }
                Opened::Triangles([a, b]) => {
                    self.compare(a, b);
                    if self.touching.is_some() {
                        break;
                    }
                    turns -= usize::from(turns > 0 && self.turn());
                }
            }
        }
        self.memory.open = open;
    }

    /// The square of the distance beyond which pairs are left out.
    #[inline(always)]
    fn reach2(&self) -> f64 {
        let reach = self.limit + self.place.slack();
        reach * reach
    }

    /// Compares the children of two nodes, or those of one with the whole other: `near` gets those within `reach2`.
    /// Returns which of the nodes are taken whole.
    fn compare_boxes(&mut self, nodes: [NodeId; 2], reach2: f64) -> [bool; 2] {
        let ([a, b], whole) = Self::intervals(&mut self.memory.intervals, self.place, &self.frames, nodes);
        let rows = if whole[0] { 1 } else { WIDTH };
        bounds(a, b, rows, &mut self.memory.bounds);
        let (near, mut out) = (&mut self.memory.near, f64::INFINITY);
        near.clear();
        for (i, row) in self.memory.bounds.iter().enumerate().take(rows) {
            for (j, &bound2) in row.iter().enumerate() {
                if bound2 <= reach2 && bound2 < f64::INFINITY {
                    near.push(NearChildren { bound2, lanes: [i as u8, j as u8] });
                } else if bound2 < out {
                    out = bound2;
                }
            }
        }
        self.gap = self.gap.min(out.sqrt());
        self.memory.counts[1] += 1;
        whole
    }

    /// The children in two lanes, the triangles of two leaves, or the nodes that are taken whole.
    #[inline(always)]
    fn children(&self, nodes: [NodeId; 2], whole: [bool; 2], lanes: [u8; 2]) -> Opened {
        let meshes = [self.place.a, self.place.b];
        if let [Child::Leaf(a), Child::Leaf(b)] = nodes.map(NodeId::get) {
            let [a, b] = [meshes[0].leaf(a).start, meshes[1].leaf(b).start];
            return Opened::Triangles([a + u32::from(lanes[0]), b + u32::from(lanes[1])]);
        }
        Opened::Nodes([0, 1].map(|k: usize| match nodes[k].get() {
            Child::Inner(index) if !whole[k] => meshes[k].node(index).children[lanes[k] as usize],
            _ => nodes[k],
        }))
    }

    /// Compares two triangles.
    fn compare(&mut self, a: u32, b: u32) {
        let place = self.place;
        let (ta, tb) = (place.a.corners(a), place.corners_b(b));
        let far = self.limit + place.slack();
        if let Some(best) = &self.best {
            let gap = triangle_pair::separation(&ta, &tb, best.normal);
            if gap > far {
                self.gap = self.gap.min(gap);
                return;
            }
        }
        self.memory.counts[0] += 1;
        let closest = triangle_pair::closest_points(&ta, &tb);
        let distance = closest.distance2.sqrt();
        if distance <= place.sharp() {
            self.touching = Some([a, b]);
            return;
        }
        let normal = triangle_pair::direction(&ta, &tb, &closest);
        let gap = normal.map_or(0.0, |n| triangle_pair::separation(&ta, &tb, n));
        if gap > far {
            self.gap = self.gap.min(gap);
        } else if let Some(normal) = normal.filter(|_| distance - gap <= place.sharp()) {
            if distance <= far {
                self.take(NearestTriangles {
                    triangles: [a, b],
                    closest,
                    normal,
                    distance,
                    lower: gap,
                    upper: distance,
                });
            } else {
                self.gap = self.gap.min(gap);
            }
        } else {
            self.compare_wide(a, b);
        }
    }

    /// Compares two triangles in double-double, where `f64` leaves too much open: edges that are nearly parallel, or slivers.
    #[cold]
    fn compare_wide(&mut self, a: u32, b: u32) {
        let [ta, tb] = self.place.wide(a, b);
        let wide = triangle_pair::closest_points(&ta, &tb);
        let distance = wide.distance2.sqrt().to_f64();
        if distance <= self.place.sharp() {
            self.touching = Some([a, b]);
            return;
        }
        let Some(n) = triangle_pair::direction(&ta, &tb, &wide) else {
            self.unsettled = 0.0;
            return;
        };
        let lower = triangle_pair::separation(&ta, &tb, n).to_f64();
        let closest = ClosestPoints {
            distance2: wide.distance2.to_f64(),
            point_a: wide.point_a.to_f64(),
            point_b: wide.point_b.to_f64(),
            features: wide.features,
            crosses: false,
        };
        if distance - lower > self.place.sharp() {
            self.unsettled = self.unsettled.min(lower);
        }
        if distance <= self.limit + self.place.slack() {
            self.take(NearestTriangles {
                triangles: [a, b],
                closest,
                normal: n.to_f64(),
                distance,
                lower,
                upper: distance,
            });
        } else {
            self.gap = self.gap.min(lower);
        }
    }

    /// Keeps the nearest; of equally near ones the first by parts.
    fn take(&mut self, found: NearestTriangles) {
        let parts = |[a, b]: [u32; 2]| [self.place.a.labels().part(a), self.place.b.labels().part(b)];
        let nearer = |best: &NearestTriangles| match found.distance.total_cmp(&best.distance) {
            std::cmp::Ordering::Equal => {
                (parts(found.triangles), found.triangles) < (parts(best.triangles), best.triangles)
            }
            order => order.is_lt(),
        };
        if found.distance <= self.limit && self.best.as_ref().is_none_or(nearer) {
            self.limit = found.distance;
            self.best = Some(found);
        }
    }

    /// The answer, its bracket as wide as a pair of triangles may leave it.
    fn finish(self, cutoff: f64) -> SurfaceDistance {
        let error = self.place.error();
        self.memory.axis = Some(self.frames[0].axes[0]);
        if let Some(triangles) = self.touching {
            return SurfaceDistance::Touching(triangles);
        }
        match self.best {
            None => SurfaceDistance::Beyond((self.gap - error).min(self.unsettled).max(0.0)),
            Some(best) => {
                debug_assert!(best.distance <= cutoff);
                let lower = (best.distance - self.place.sharp() - error).min(self.unsettled).max(0.0);
                SurfaceDistance::Apart(NearestTriangles { lower, upper: best.distance + error, ..best })
            }
        }
    }
}

/// The first pairs of triangles that cross or touch, at most `most`, in the order of the trees: the same for the same poses, always.
pub(crate) fn crossings(place: &MeshPlace<'_>, most: usize, memory: &mut MeshSearchMemory) -> Vec<[u32; 2]> {
    let axes = SearchFrame::along(Vec3::new(1.0, 0.0, 0.0));
    let mut search = MeshSearch::new(place, 0.0, axes, memory);
    let (mut found, mut open) = (Vec::new(), vec![Opened::Nodes(search.roots())]);
    while let Some(pair) = open.pop() {
        match pair {
            Opened::Nodes(nodes) => {
                let whole = search.compare_boxes(nodes, search.reach2());
                let from = open.len();
                open.extend(search.memory.near.iter().map(|n| search.children(nodes, whole, n.lanes)));
                open[from..].reverse();
            }
            Opened::Triangles([a, b]) => {
                let closest = triangle_pair::closest_points(&place.a.corners(a), &place.corners_b(b));
                if closest.distance2.sqrt() <= place.sharp() {
                    found.push([a, b]);
                }
            }
        }
        if found.len() == most {
            break;
        }
    }
    found
}
