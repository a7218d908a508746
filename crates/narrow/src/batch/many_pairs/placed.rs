//! Eight pairs side by side, a lane each: relative poses, and where their searches start.

use crate::cold_start::{likely_apart, second_direction};
use crate::pair::{Pair, VertexPair, bound_of, size_of};
use crate::relative::pose_of;
use crate::solve_outcome::beyond;
use crate::support::CLIMB_ABOVE;
use crate::support::support;
use clearsweep_base::simd::{Lane, Mask, Simd, V, WIDTH, dispatch};
use clearsweep_geometry::{Polyhedron, Pose, RelativePose, Vec3};

/// Eight pairs of cores at a pose each. SampleColumn not in use hold anything.
pub(super) struct PlacedPairs<'a> {
    cores: [[&'a Polyhedron; 2]; WIDTH],
    /// The sum of both radii, metres.
    growth: Lane,
    /// Poses in the world, as the components of a slot.
    world: [[Lane; 10]; 2],
    /// `a_from_b`: the rotation by rows.
    r: [Lane; 9],
    t: [Lane; 3],
    /// The lengths of the translations, metres.
    pub(super) reach: Lane,
    /// The sizes of the pairs, metres.
    pub(super) size: Lane,
    /// Bit `k`: nothing is remembered of the pair in lane `k`.
    cold: u8,
    /// Bit `k`: all numbers of the pose are finite.
    pub(super) finite: u8,
    /// Start vertices of cold pairs: `first` are those farthest along the line between the origins,
    /// `start` those to start from.
    pub(super) first: [VertexPair; WIDTH],
    pub(super) start: [VertexPair; WIDTH],
    /// Bit `k`: a direction shows a gap above the cut-off.
    pub(super) beyond: u8,
    /// Proven gap of the cores along that direction, metres.
    pub(super) gap: Lane,
    /// Bit `k`: more likely apart than not.
    pub(super) apart: u8,
}

const ZERO: Lane = [0.0; WIDTH];

impl<'a> PlacedPairs<'a> {
    /// `cores`: of any pair.
    pub(super) fn new(cores: [&'a Polyhedron; 2]) -> Self {
        Self {
            cores: [cores; WIDTH],
            growth: ZERO,
            world: [[ZERO; 10]; 2],
            r: [ZERO; 9],
            t: [ZERO; 3],
            reach: ZERO,
            size: ZERO,
            cold: 0,
            finite: 0,
            first: [[0; 2]; WIDTH],
            start: [[0; 2]; WIDTH],
            beyond: 0,
            gap: ZERO,
            apart: 0,
        }
    }

    /// Puts a pair into a lane.
    #[inline(always)]
    pub(super) fn set(&mut self, k: usize, cores: [&'a Polyhedron; 2], growth: f64, world: [&Pose; 2], cold: bool) {
        (self.cores[k], self.growth[k]) = (cores, growth);
        self.cold = self.cold & !(1 << k) | u8::from(cold) << k;
        for (lanes, pose) in self.world.iter_mut().zip(world) {
            let ([x, y, z], [u, v, w]) = (pose.position.to_array(), pose.rest.to_array());
            let [q, r, s, t] = pose.q;
            for (lane, value) in lanes.iter_mut().zip([x, y, z, q, r, s, t, u, v, w]) {
                lane[k] = value;
            }
        }
    }

    /// The pair of a lane.
    #[inline(always)]
    pub(super) fn pair(&self, k: usize) -> Pair<'a, f64> {
        let row = |i: usize| Vec3 { x: self.r[i][k], y: self.r[i + 1][k], z: self.r[i + 2][k] };
        let t = Vec3 { x: self.t[0][k], y: self.t[1][k], z: self.t[2][k] };
        let [a, b] = self.cores[k];
        Pair { a, b, pose: RelativePose { r: [row(0), row(3), row(6)], t }, size: self.size[k] }
    }

    /// Poses and sizes of the first `lanes` pairs; of cold ones, where to start and what to expect.
    pub(super) fn look(&mut self, lanes: usize, within: f64) {
        self.cold &= (0xff_u32 >> (WIDTH - lanes)) as u8;
        look(self, within);
    }

    /// The relative poses, bit for bit those of [`RelativePose::between`], and what depends on
    /// nothing else.
    #[inline(always)]
    fn place(&mut self) {
        for k in 0..WIDTH {
            let [a, b] = [pose_of(&self.world[0], k), pose_of(&self.world[1], k)];
            let RelativePose { r, t } = RelativePose::<f64>::between(&a, &b);
            for (row, r) in r.iter().enumerate() {
                (self.r[3 * row][k], self.r[3 * row + 1][k], self.r[3 * row + 2][k]) = (r.x, r.y, r.z);
            }
            (self.t[0][k], self.t[1][k], self.t[2][k]) = (t.x, t.y, t.z);
            self.reach[k] = t.length();
        }
        // Zero times a number that is not finite is not zero.
        let mut zero = ZERO;
        for row in self.r.iter().chain(&self.t) {
            for k in 0..WIDTH {
                zero[k] += 0.0 * row[k];
            }
        }
        self.finite = 0;
        for k in 0..WIDTH {
            let [a, b] = self.cores[k];
            self.size[k] = size_of(a, b, self.growth[k], self.reach[k]);
            self.finite |= u8::from(zero[k] + 0.0 * self.size[k] == 0.0) << k;
        }
    }

    /// The vertices farthest along `d` of A less B, in some lanes; and how far that is, and the
    /// points.
    #[inline(always)]
    fn support<S: Simd>(&mut self, d: Vec3<V<S>>, pose: &RelativePose<V<S>>, lanes: u8) -> (V<S>, Vec3<V<S>>) {
        let (mut da, mut db) = ([ZERO; 3], [ZERO; 3]);
        d.store(&mut da);
        (-pose.inverse_vector(d)).store(&mut db);
        let (mut far, mut a, mut b) = ([ZERO; 2], [ZERO; 3], [ZERO; 3]);
        let mut left = lanes;
        while left != 0 {
            let k = left.trailing_zeros() as usize % WIDTH;
            left &= left - 1;
            let cores = self.cores[k];
            let (i, far_a) = support::<S>(cores[0], Vec3 { x: da[0][k], y: da[1][k], z: da[2][k] }, self.start[k][0]);
            let (j, far_b) = support::<S>(cores[1], Vec3 { x: db[0][k], y: db[1][k], z: db[2][k] }, self.start[k][1]);
            let (p, q) = (cores[0].vertex(i), cores[1].vertex(j));
            (a[0][k], a[1][k], a[2][k]) = (p.x, p.y, p.z);
            (b[0][k], b[1][k], b[2][k]) = (q.x, q.y, q.z);
            (far[0][k], far[1][k], self.start[k]) = (far_a, far_b, [i, j]);
        }
        let reach = V::load(&far[0]) + V::load(&far[1]) - d.dot(pose.t);
        (reach, Vec3::load(&a) - pose.point(Vec3::load(&b)))
    }

    /// Returns the lanes in which direction `d` proves a gap above the cut-off, and the gap,
    /// metres. `reach`: how far A less B reaches along `d`.
    #[inline(always)]
    fn gap<S: Simd>(&self, d: Vec3<V<S>>, reach: V<S>, within: f64) -> (Mask<S>, V<S>) {
        let size = V::load(&self.size);
        let gap = -reach / d.length() - bound_of::<V<S>>(size);
        ((beyond(within, size) + V::load(&self.growth)).lt(gap), gap)
    }
}

#[inline(always)]
fn look_body<S: Simd>(e: &mut PlacedPairs<'_>, within: f64) {
    e.place();
    (e.beyond, e.apart) = (0, 0);
    let lanes = e.cold & e.finite;
    let (mut scanned, mut vertices) = (0, ZERO);
    for k in 0..WIDTH {
        e.start[k] = [0, 0];
        let [a, b] = e.cores[k];
        vertices[k] = (a.count + b.count) as f64;
        scanned |= u8::from(a.count.max(b.count) <= CLIMB_ABOVE) << k;
    }
    if lanes == 0 {
        return;
    }
    let pose = RelativePose::<V<S>>::load(&e.r, &e.t);
    let (reach, difference) = e.support(pose.t, &pose, lanes);
    // A support found by climbing is no proof.
    let (first, gap) = e.gap(pose.t, reach, within);
    let first = first.bits() & lanes & scanned;
    e.first = e.start;
    let d = second_direction(pose.t, difference);
    let (reach, _) = e.support(d, &pose, lanes & !first);
    let (second, better) = e.gap(d, reach, within);
    e.beyond = first | second.bits() & lanes & scanned;
    Mask::from_bits(first).pick(gap, better).store(&mut e.gap);
    e.apart = likely_apart(reach, d.length2(), V::load(&vertices)).bits() & lanes & !e.beyond;
}

dispatch!(look, look_body, (e: &mut PlacedPairs<'_>, within: f64) -> ());
