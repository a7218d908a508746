//! GJK for eight queries at once: one in each lane of a register.
//!
//! A single search waits: for the support before the simplex, for the simplex before the next direction, and for the
//! branches of the sub-algorithm, which no processor can foretell. Eight searches side by side wait together. The
//! sub-algorithm is the same for all lanes, without a branch (`near.rs`); supports are looked up lane by lane.
//! It is only a search: what it finds is proven elsewhere, and what it leaves open is searched again alone.

use super::near::{Slots, Vertex, nearest};
use super::{End, Simplex};
use crate::geometry::{Polyhedron, Vec3};
use crate::narrow::pair::{CLIMB_ABOVE, Pair, VertexPair, bound_of};
use crate::narrow::relative::RelativeLanes;
use crate::narrow::simd::{Lane, Mask, P3, Poses, Simd, V, WIDTH, dispatch};
use crate::narrow::support::{farthest, farthest_of_all};
use crate::narrow::walk::{PROMISE, beyond};
use crate::scene::SAMPLES;

/// Iterations after which the lanes still searching are left to searches alone.
const LIMIT: u32 = 48;

/// The samples of a walk, to be searched by eight lanes: each takes a stretch of them, from one to the next, so that it starts
/// from the simplex of the sample before.
#[derive(Debug, Clone, Copy)]
pub struct Queries<'a> {
    /// Both cores.
    pub cores: [&'a Polyhedron; 2],
    /// `a_from_b` in each sample.
    pub poses: &'a RelativeLanes,
    /// The sum of both radii, metres.
    pub growth: f64,
    /// A search ends once the grown cores are farther apart than this, metres.
    pub within: f64,
    /// Where to start; empty: along the translation.
    pub start: Simplex,
    /// The size of the pair in each sample, metres.
    pub sizes: &'a [f64; SAMPLES],
    /// Bit `s`: search sample `s`, whose pose is finite.
    pub samples: u64,
}

/// What was found in the samples of a walk.
#[derive(Debug, Clone)]
pub struct Found {
    /// The samples that were searched: a stretch ends at an overlap, and leaves out what a gap rules out.
    pub samples: u64,
    /// How each ended. `Stalled` stands for all that a search alone should look at.
    pub end: [End; SAMPLES],
    /// The simplex at the end.
    pub simplex: [Simplex; SAMPLES],
    /// Where a search ended beyond the cut-off: the proven gap of the cores, metres.
    pub gap: [f64; SAMPLES],
    /// Iterations, of all samples together.
    pub iterations: u32,
}

impl Default for Found {
    fn default() -> Self {
        Self {
            samples: 0,
            end: [End::Stalled; SAMPLES],
            simplex: [Simplex::default(); SAMPLES],
            gap: [0.0; SAMPLES],
            iterations: 0,
        }
    }
}

/// What the number of a vertex pair counts A's vertex in: exact, as there are fewer than 2^26 vertices.
const KEY: f64 = (1_u64 << 26) as f64;

#[inline(always)]
fn unkey(key: f64) -> VertexPair {
    let key = key as u64;
    [(key >> 26) as u32, (key & ((1 << 26) - 1)) as u32]
}

/// Where each lane is.
struct State {
    /// The samples that a lane still has before it.
    left: [u64; WIDTH],
    sample: [usize; WIDTH],
    r: [Lane; 9],
    t: [Lane; 3],
    size: Lane,
    /// Where the next climb starts.
    last: [VertexPair; WIDTH],
}

/// The vertices farthest along a direction in each lane.
struct Support<S: Simd> {
    at: [V<S>; 2],
    reach: [V<S>; 2],
}

impl State {
    /// Cuts the samples into stretches.
    fn new(samples: u64) -> Self {
        let mut left = [0; WIDTH];
        let (mut rest, count) = (samples, samples.count_ones() as usize);
        for (k, stretch) in left.iter_mut().enumerate() {
            for _ in 0..count / WIDTH + usize::from(k < count % WIDTH) {
                *stretch |= rest & rest.wrapping_neg();
                rest &= rest - 1;
            }
        }
        let zero = [0.0; WIDTH];
        Self { left, sample: [0; WIDTH], r: [zero; 9], t: [zero; 3], size: zero, last: [[0, 0]; WIDTH] }
    }

    /// Moves a lane to its next sample; false where there is none.
    #[inline(always)]
    fn advance(&mut self, q: &Queries<'_>, k: usize) -> bool {
        if self.left[k] == 0 {
            return false;
        }
        let sample = self.left[k].trailing_zeros() as usize % SAMPLES;
        self.left[k] &= self.left[k] - 1;
        self.sample[k] = sample;
        q.poses.copy(sample, k, &mut self.r, &mut self.t);
        self.size[k] = q.sizes[sample];
        true
    }

    /// Drops the samples to come that a gap proven here (of the cores, metres) rules out.
    fn rule_out(&mut self, q: &Queries<'_>, k: usize, gap: f64) {
        let here = q.poses.at(self.sample[k]);
        while self.left[k] != 0 {
            let sample = self.left[k].trailing_zeros() as usize;
            let next = q.poses.at(sample);
            let reach = q.cores[1].radius + q.growth;
            if gap - q.growth - next.motion(&here, reach) <= beyond(q.within, 2.0 * q.sizes[sample]) {
                return;
            }
            self.left[k] &= self.left[k] - 1;
        }
    }

    /// Looks up the vertices of A along `d`, of B (in its frame) along `m`.
    #[inline(always)]
    fn support<S: Simd>(&mut self, q: &Queries<'_>, d: P3<S>, m: P3<S>, lanes: u8) -> Support<S> {
        let [a, b] = q.cores;
        let count = a.count + b.count;
        // One pass over the vertices for all lanes, unless few are left.
        if a.count.max(b.count) <= CLIMB_ABOVE && lanes.count_ones() as usize * (count + 64) > WIDTH * count {
            let ((i, reach_a), (j, reach_b)) = (farthest_of_all(a, d), farthest_of_all(b, m));
            return Support { at: [i, j], reach: [reach_a, reach_b] };
        }
        let (mut da, mut db) = ([[0.0; WIDTH]; 3], [[0.0; WIDTH]; 3]);
        d.store(&mut da);
        m.store(&mut db);
        let (mut at, mut reach) = ([[0.0; WIDTH]; 2], [[0.0; WIDTH]; 2]);
        let mut left = lanes;
        while left != 0 {
            let k = left.trailing_zeros() as usize % WIDTH;
            left &= left - 1;
            let (i, reach_a) = farthest::<S>(a, [da[0][k], da[1][k], da[2][k]], self.last[k][0]);
            let (j, reach_b) = farthest::<S>(b, [db[0][k], db[1][k], db[2][k]], self.last[k][1]);
            (reach[0][k], reach[1][k]) = (reach_a, reach_b);
            (at[0][k], at[1][k]) = (f64::from(i), f64::from(j));
            self.last[k] = [i, j];
        }
        Support { at: [V::load(&at[0]), V::load(&at[1])], reach: [V::load(&reach[0]), V::load(&reach[1])] }
    }
}

/// The vertices at `at` of both cores.
#[inline(always)]
fn vertex<S: Simd>(q: &Queries<'_>, at: [V<S>; 2], pose: &Poses<S>) -> Vertex<S> {
    let [a, b] = q.cores;
    let a = P3 { x: V::gather(&a.x, at[0]), y: V::gather(&a.y, at[0]), z: V::gather(&a.z, at[0]) };
    let b = P3 { x: V::gather(&b.x, at[1]), y: V::gather(&b.y, at[1]), z: V::gather(&b.z, at[1]) };
    Vertex { key: key(at), a, b, point: a - pose.point(b) }
}

/// A vertex pair as a number.
#[inline(always)]
fn key<S: Simd>(at: [V<S>; 2]) -> V<S> {
    at[0].scaled(KEY) + at[1]
}

#[inline(always)]
fn search_body<S: Simd>(q: &Queries<'_>, out: &mut Found) {
    let mut state = State::new(q.samples);
    let (zero, infinite) = (V::<S>::splat(0.0), V::<S>::splat(f64::INFINITY));
    let mut last = infinite;
    let mut steps = [0; WIDTH];
    let mut active = 0;
    for k in 0..WIDTH {
        active |= u8::from(state.advance(q, k)) << k;
    }
    let mut slots = start::<S>(q, &mut state, active);
    (out.samples, out.iterations) = (0, 0);
    // Lanes at a new sample, with a simplex from another.
    let mut fresh = active;
    while active != 0 {
        let pose = Poses::<S>::load(&state.r, &state.t);
        if fresh != 0 {
            slots.look_again(Mask::from_bits(fresh), &pose);
            last = Mask::from_bits(fresh).pick(infinite, last);
        }
        out.iterations += active.count_ones();
        let near = nearest(&slots);
        slots.valid = near.kept;
        let v = near.point;
        let v2 = v.dot(v);
        let size = V::<S>::load(&state.size);
        let bound = size.scaled(bound_of::<f64>(1.0));
        let touching = bound.scaled(0.0625) * bound.scaled(0.0625);
        let overlap = (near.inside | v2.le(touching)).bits() & active;
        let stalled = !v2.lt(last).bits() & active & !overlap;
        last = v2;
        let length = v2.sqrt();
        let going = active & !(overlap | stalled);
        let support = state.support(q, v.opposite(), pose.inverse_vector(v), going);
        let reach = support.reach[0] + support.reach[1] + v.dot(pose.t);
        // `beyond` of the grown cores, and the pair's bound.
        let least = V::splat(q.within + q.growth) + size.scaled(PROMISE) + bound;
        let beyond = (least * length).lt(zero - reach).bits() & going;
        let tolerance = (size * length).scaled(8.0 * f64::EPSILON / 2.0);
        let converged = (slots.contains(key(support.at)) | (v2 + reach).le(tolerance)).bits() & going & !beyond;
        let ended = overlap | stalled | beyond | converged;
        fresh = 0;
        if ended != 0 {
            let keys = slots.keys();
            let kept = [slots.valid[0].bits(), slots.valid[1].bits(), slots.valid[2].bits(), slots.valid[3].bits()];
            if beyond != 0 {
                let gap = ((zero - reach) / length).lanes();
                leave_beyond(q, &mut state, out, beyond, &gap, &[v.x.lanes(), v.y.lanes(), v.z.lanes()]);
            }
            let mut left = ended;
            while left != 0 {
                let k = left.trailing_zeros() as usize % WIDTH;
                left &= left - 1;
                let (bit, sample) = (1_u8 << k, state.sample[k] % SAMPLES);
                out.samples |= 1 << sample;
                out.simplex[sample] = simplex_of(&keys, &kept, k);
                if beyond & bit == 0 {
                    out.end[sample] = if converged & bit != 0 { End::Converged } else { End::Stalled };
                }
                if overlap & bit != 0 {
                    // What overlaps is another search's work, and so are most likely the samples after it.
                    (out.end[sample], state.left[k]) = (End::Overlap, 0);
                }
                steps[k] = 0;
                if state.advance(q, k) { fresh |= bit } else { active &= !bit }
            }
        }
        active &= !late(&mut steps);
        slots.newest(Mask::from_bits(active & !fresh), vertex(q, support.at, &pose));
    }
}

/// Counts a step of every lane; the lanes with too many.
#[inline(always)]
fn late(steps: &mut [u32; WIDTH]) -> u8 {
    let mut late = 0;
    for (k, steps) in steps.iter_mut().enumerate() {
        *steps += 1;
        late |= u8::from(*steps > LIMIT) << k;
    }
    late
}

/// Takes down the gaps of lanes that ended beyond the cut-off, and drops the samples that these rule out.
fn leave_beyond(q: &Queries<'_>, state: &mut State, out: &mut Found, lanes: u8, gap: &Lane, toward: &[Lane; 3]) {
    for k in (0..WIDTH).filter(|k| lanes >> k & 1 == 1) {
        let sample = state.sample[k];
        let gap = proven(q, sample, gap[k], Vec3 { x: toward[0][k], y: toward[1][k], z: toward[2][k] });
        let holds = gap > beyond(q.within, state.size[k]) + q.growth;
        out.gap[sample] = gap;
        out.end[sample] = if holds { End::Beyond } else { End::Stalled };
        if holds {
            state.rule_out(q, k, gap);
        }
    }
}

/// The first simplex of the lanes: remembered, or one vertex along the translation. Its points are not yet looked at.
#[inline(always)]
fn start<S: Simd>(q: &Queries<'_>, state: &mut State, lanes: u8) -> Slots<S> {
    let pose = Poses::<S>::load(&state.r, &state.t);
    let first = if q.start.count == 0 {
        state.support(q, pose.t, pose.inverse_vector(pose.t).opposite(), lanes).at
    } else {
        state.last = [q.start.pairs[0]; WIDTH];
        q.start.pairs[0].map(|v| V::splat(f64::from(v)))
    };
    let first = vertex(q, first, &pose);
    let mut slots = Slots { vertex: [first; 4], valid: [Mask::all(false); 4] };
    slots.valid[3] = Mask::all(true);
    for (slot, pair) in q.start.as_slice().iter().skip(1).enumerate() {
        slots.vertex[slot] = vertex(q, pair.map(|v| V::splat(f64::from(v))), &pose);
        slots.valid[slot] = Mask::all(true);
    }
    slots
}

/// A gap of the cores, proven over all vertices. `gap`: that of the supports found along `-toward`.
fn proven(q: &Queries<'_>, sample: usize, gap: f64, toward: Vec3<f64>) -> f64 {
    let [a, b] = q.cores;
    let pair = Pair::new(a, b, q.poses.at(sample), q.growth);
    // A support found by climbing is no proof: the gap over all vertices is.
    let gap = if pair.climbs() { pair.gap(-toward.normalized()) } else { gap };
    gap - pair.bound()
}

#[inline(always)]
fn simplex_of(keys: &[Lane; 4], kept: &[u8; 4], k: usize) -> Simplex {
    let mut simplex = Simplex::default();
    // Without a branch: what is not kept is written over.
    let mut count = 0;
    for s in 0..4 {
        simplex.pairs[count % 4] = unkey(keys[s][k]);
        count += usize::from(kept[s] >> k & 1);
    }
    simplex.count = count as u8;
    simplex
}

dispatch!(search_wide, search_body, (q: &Queries<'_>, out: &mut Found) -> ());

/// Searches the samples.
pub fn search(q: &Queries<'_>, out: &mut Found) {
    search_wide(q, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Pose;
    use crate::geometry::hull::convex_hull;
    use crate::narrow::Poses as Given;
    use crate::narrow::gjk;
    use crate::narrow::relative::RelativePoses;
    use crate::scene::Lanes;

    struct Draw(u64);

    impl Draw {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        }
        fn body(&mut self, points: usize) -> Polyhedron {
            let points: Vec<_> = (0..points).map(|_| Vec3::new(self.next(), self.next(), self.next())).collect();
            // On a sphere, so that many are vertices.
            convex_hull(&points.iter().map(|p| p.normalized()).collect::<Vec<_>>()).expect("finite points")
        }
    }

    /// How far the plane of a search's point is from being a supporting plane, in metres.
    fn slack(pair: &Pair<'_, f64>, simplex: &Simplex) -> (f64, f64) {
        let mut points = [Vec3::ZERO; 4];
        for (p, &v) in points.iter_mut().zip(simplex.as_slice()) {
            *p = pair.difference(v);
        }
        let v = gjk::signed_volumes::nearest(&points, usize::from(simplex.count)).point;
        (v.length(), v.length() - pair.gap(-v.normalized()))
    }

    #[test]
    fn searches_side_by_side_end_where_one_alone_does() {
        let mut draw = Draw(3);
        let (mut converged, mut overlap, mut beyond, mut together, mut alone) = (0, 0, 0, 0, 0);
        for case in 0..300 {
            let cores = [draw.body([8, 30, 120, 400][case % 4]), draw.body([12, 300, 6, 60][case / 4 % 4])];
            let mut lanes = vec![Lanes([0.0; SAMPLES]); 10];
            for lane in lanes.iter_mut().take(7) {
                lane.0.iter_mut().for_each(|x| *x = 1.6 * draw.next());
            }
            let fixed = Pose::new([0.0; 3], [1.0, 0.3, 0.1, 0.2]);
            let mut room = RelativeLanes::default();
            let samples = (0..SAMPLES).fold(0, |s, i| s | u64::from(draw.next() > -0.8) << i);
            let relative = RelativePoses::new(Given::Fixed(&fixed), Given::Moving(&lanes), samples, &mut room);
            let poses = relative.lanes.expect("many samples");
            let sizes = std::array::from_fn(|s| poses.size(&cores[0], &cores[1], 0.0, s));
            let within = if case % 3 == 0 { 0.4 } else { f64::INFINITY };
            let start = Simplex::default();
            let q =
                Queries { cores: [&cores[0], &cores[1]], poses, growth: 0.0, within, start, sizes: &sizes, samples };
            let mut found = Found::default();
            search(&q, &mut found);
            assert_eq!(found.samples & !samples, 0);
            together += found.iterations;
            for s in (0..SAMPLES).filter(|s| found.samples >> s & 1 == 1) {
                let pair = Pair::new(&cores[0], &cores[1], poses.at(s), 0.0);
                let single = gjk::search(&pair, &start, beyond_cores(within, &pair));
                alone += single.iterations;
                match found.end[s] {
                    End::Converged => {
                        let (distance, slack) = slack(&pair, &found.simplex[s]);
                        assert!(slack.abs() <= 1e-12, "case {case}: {slack:e} off at {distance}");
                        assert!((distance - single.point.length()).abs() <= 1e-12 || single.end == End::Beyond);
                        converged += 1;
                    }
                    End::Beyond => {
                        assert!(found.gap[s] > within, "case {case}");
                        beyond += 1;
                    }
                    End::Overlap => {
                        assert_eq!(single.end, End::Overlap, "case {case}");
                        overlap += 1;
                    }
                    End::Stalled => {}
                }
            }
        }
        assert!(converged > 1000 && overlap > 1000 && beyond > 200, "{converged} {overlap} {beyond}");
        // Here no sample is near the one before: neither way starts ahead.
        assert!(together < alone + alone / 5, "{together} iterations, {alone} alone");
    }

    fn beyond_cores(within: f64, pair: &Pair<'_, f64>) -> f64 {
        beyond(within, pair.size)
    }
}
