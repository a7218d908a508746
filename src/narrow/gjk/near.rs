//! The distance sub-algorithm in eight lanes, without a branch.
//!
//! Every sub-simplex whose foot of the origin lies inside of it is a candidate; the nearest candidate is the answer. The
//! conditions are those of the signed volumes (Montanari et al. 2017, section 4), for
//! all sub-simplices at once instead of one after the other.

use crate::narrow::simd::{Lane, Mask, P3, Poses, Simd, V};

/// A vertex of the Minkowski difference in each lane.
#[derive(Clone, Copy)]
pub(super) struct Vertex<S: Simd> {
    /// Which it is.
    pub(super) key: V<S>,
    /// Of A, in A's frame.
    pub(super) a: P3<S>,
    /// Of B, in B's frame.
    pub(super) b: P3<S>,
    /// Their difference, in A's frame.
    pub(super) point: P3<S>,
}

impl<S: Simd> Vertex<S> {
    #[inline(always)]
    fn pick(lanes: Mask<S>, this: Self, other: Self) -> Self {
        Self {
            key: lanes.pick(this.key, other.key),
            a: lanes.pick3(this.a, other.a),
            b: lanes.pick3(this.b, other.b),
            point: lanes.pick3(this.point, other.point),
        }
    }

    /// The same vertices at new poses, in some lanes.
    #[inline(always)]
    pub(super) fn moved(self, lanes: Mask<S>, pose: &Poses<S>) -> Self {
        Self { point: lanes.pick3(self.a - pose.point(self.b), self.point), ..self }
    }
}

/// A simplex in each lane: three slots that may be empty, and the newest vertex.
pub(super) struct Slots<S: Simd> {
    /// The newest last.
    pub(super) vertex: [Vertex<S>; 4],
    pub(super) valid: [Mask<S>; 4],
}

/// The nearest point in each lane.
pub(super) struct Near<S: Simd> {
    pub(super) point: P3<S>,
    /// Which slots carry it.
    pub(super) kept: [Mask<S>; 4],
    /// The origin is inside the tetrahedron.
    pub(super) inside: Mask<S>,
}

const NEWEST: usize = 3;

impl<S: Simd> Slots<S> {
    /// Adds a vertex in some lanes: the newest so far moves into the first empty slot, of which there is one unless the
    /// lane holds a tetrahedron, and such a lane is done.
    #[inline(always)]
    pub(super) fn newest(&mut self, lanes: Mask<S>, vertex: Vertex<S>) {
        let mut open = self.valid[NEWEST] & lanes;
        for slot in 0..NEWEST {
            let here = open & !self.valid[slot];
            open = open & self.valid[slot];
            self.vertex[slot] = Vertex::pick(here, self.vertex[NEWEST], self.vertex[slot]);
            self.valid[slot] = self.valid[slot] | here;
        }
        self.vertex[NEWEST] = Vertex::pick(lanes, vertex, self.vertex[NEWEST]);
        self.valid[NEWEST] = self.valid[NEWEST] | lanes;
    }

    /// Looks at the vertices of some lanes at new poses.
    #[inline(always)]
    pub(super) fn look_again(&mut self, lanes: Mask<S>, pose: &Poses<S>) {
        // Of an ended search the newest slot may be empty: the first that is not takes its place.
        for slot in 0..NEWEST {
            let here = lanes & self.valid[slot] & !self.valid[NEWEST];
            self.vertex[NEWEST] = Vertex::pick(here, self.vertex[slot], self.vertex[NEWEST]);
            self.valid[NEWEST] = self.valid[NEWEST] | here;
            self.valid[slot] = self.valid[slot] & !here;
        }
        for vertex in &mut self.vertex {
            *vertex = vertex.moved(lanes, pose);
        }
    }

    /// The vertices by number.
    #[inline(always)]
    pub(super) fn keys(&self) -> [Lane; 4] {
        [self.vertex[0].key.lanes(), self.vertex[1].key.lanes(), self.vertex[2].key.lanes(), self.vertex[3].key.lanes()]
    }

    /// Where a vertex is held already.
    #[inline(always)]
    pub(super) fn contains(&self, key: V<S>) -> Mask<S> {
        (self.holds(0, key) | self.holds(1, key)) | (self.holds(2, key) | self.holds(3, key))
    }

    #[inline(always)]
    fn holds(&self, slot: usize, key: V<S>) -> Mask<S> {
        self.valid[slot] & self.vertex[slot].key.equals(key)
    }
}

/// A candidate: its squared distance and its point as fractions of one denominator, so that only the best is ever divided,
/// and the slots that carry it as the low bits of a number that is never computed with.
#[derive(Clone, Copy)]
struct Candidate<S: Simd> {
    numerator: V<S>,
    denominator: V<S>,
    point: P3<S>,
    slots: V<S>,
}

impl<S: Simd> Candidate<S> {
    /// A candidate where `is`, infinitely far elsewhere.
    #[inline(always)]
    fn new(is: Mask<S>, [numerator, denominator]: [V<S>; 2], point: P3<S>, slots: u64) -> Self {
        Self {
            numerator: is.pick(numerator, V::splat(f64::INFINITY)),
            denominator: is.pick(denominator, V::splat(1.0)),
            point,
            slots: V::splat(f64::from_bits(slots)),
        }
    }

    /// The nearer of two (the first where they are equal).
    #[inline(always)]
    fn or(self, o: Self) -> Self {
        let other = (o.numerator * self.denominator).lt(self.numerator * o.denominator);
        Self {
            numerator: other.pick(o.numerator, self.numerator),
            denominator: other.pick(o.denominator, self.denominator),
            point: other.pick3(o.point, self.point),
            slots: other.pick(o.slots, self.slots),
        }
    }

    #[inline(always)]
    fn vertex(slots: &Slots<S>, i: usize) -> Self {
        let p = slots.vertex[i].point;
        Self::new(slots.valid[i], [p.dot(p), V::splat(1.0)], p, 1 << i)
    }

    /// The segment from slot `i` to slot `j`; `cross` is the product of the two points.
    #[inline(always)]
    fn segment(slots: &Slots<S>, i: usize, j: usize, cross: P3<S>) -> Self {
        let (a, b) = (slots.vertex[i].point, slots.vertex[j].point);
        let along = b - a;
        let zero = V::splat(0.0);
        // Signed lengths, along the segment itself, of the parts from the foot of the origin to each end.
        let (to_b, to_a) = (b.dot(along), zero - a.dot(along));
        let is = slots.valid[i] & slots.valid[j] & zero.lt(to_b) & zero.lt(to_a);
        let point = a.scale(to_b) + b.scale(to_a);
        Self::new(is, [cross.dot(cross), to_a + to_b], point, 1 << i | 1 << j)
    }

    /// The triangle of three slots, with the products of its points in turn; and its normal, and that times its height over
    /// the origin.
    #[inline(always)]
    fn triangle(slots: &Slots<S>, of: [usize; 3], cross: [P3<S>; 3]) -> (Self, P3<S>, V<S>) {
        let [i, j, k] = of;
        let (a, b, c) = (slots.vertex[i].point, slots.vertex[j].point, slots.vertex[k].point);
        let normal = (b - a).cross(c - a);
        let height = normal.dot(a);
        let zero = V::splat(0.0);
        // The origin's foot lies on the inner side of each side.
        let inside = zero.lt(normal.dot(cross[0])) & zero.lt(normal.dot(cross[1])) & zero.lt(normal.dot(cross[2]));
        let is = slots.valid[i] & slots.valid[j] & slots.valid[k] & inside;
        let fraction = [height * height, normal.dot(normal)];
        (Self::new(is, fraction, normal.scale(height), 1 << i | 1 << j | 1 << k), normal, height)
    }
}

/// The nearest point of each lane's simplex.
#[inline(always)]
pub(super) fn nearest<S: Simd>(slots: &Slots<S>) -> Near<S> {
    let [a, b, c, d] = [slots.vertex[0].point, slots.vertex[1].point, slots.vertex[2].point, slots.vertex[3].point];
    let (ab, bc, ca) = (a.cross(b), b.cross(c), c.cross(a));
    let (da, db, dc) = (d.cross(a), d.cross(b), d.cross(c));
    // Compared in pairs, not one after the other: a comparison waits for the one before it.
    let vertices = Candidate::vertex(slots, 0)
        .or(Candidate::vertex(slots, 1))
        .or(Candidate::vertex(slots, 2).or(Candidate::vertex(slots, NEWEST)));
    let base = Candidate::segment(slots, 0, 1, ab)
        .or(Candidate::segment(slots, 1, 2, bc))
        .or(Candidate::segment(slots, 2, 0, ca));
    let sides = Candidate::segment(slots, NEWEST, 0, da)
        .or(Candidate::segment(slots, NEWEST, 1, db))
        .or(Candidate::segment(slots, NEWEST, 2, dc));
    let (abc, _, _) = Candidate::triangle(slots, [0, 1, 2], [ab, bc, ca]);
    let (dab, normal, over_ab) = Candidate::triangle(slots, [NEWEST, 0, 1], [da, ab, db.opposite()]);
    let (dbc, _, over_bc) = Candidate::triangle(slots, [NEWEST, 1, 2], [db, bc, dc.opposite()]);
    let (dca, _, over_ca) = Candidate::triangle(slots, [NEWEST, 2, 0], [dc, ca, da.opposite()]);
    let best = vertices.or(base.or(sides)).or(abc.or(dab).or(dbc.or(dca)));
    // Six times the volume, and with the origin in place of each vertex: all of one sign where the origin is inside.
    let whole = normal.dot(c - d);
    let rest = whole + over_ab + over_bc + over_ca;
    let zero = V::splat(0.0);
    let full = slots.valid[0] & slots.valid[1] & slots.valid[2] & slots.valid[NEWEST];
    let beneath = (over_ab * whole).lt(zero) & (over_bc * whole).lt(zero) & (over_ca * whole).lt(zero);
    let inside = full & beneath & zero.lt(rest * whole);
    let kept = [
        inside | best.slots.has_bit::<1>(),
        inside | best.slots.has_bit::<2>(),
        inside | best.slots.has_bit::<4>(),
        inside | best.slots.has_bit::<8>(),
    ];
    Near { point: best.point.scale(V::splat(1.0) / best.denominator), kept, inside }
}
