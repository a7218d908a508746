//! The supporting planes of eight answers about one body at once, each with a feature of its own, all of one kind.
//!
//! [`super::alone`] in lanes: what it accepts is accepted here with the same bits. Of edges and of faces of up to four
//! sides the stored planes mostly prove that all other vertices stay below; a lane in which they do not is asked alone,
//! vertex by vertex. What is stored comes in rows of four numbers, which registers turn into columns: lanes that are put
//! together in memory, number by number, are waited for.

use super::clear::{Around, HEIGHTS, NORMAL};
use super::scans;
use crate::geometry::planes::Planes;
use crate::geometry::{Polyhedron, Vec3};
use crate::narrow::feature::Feature;
use crate::narrow::proximity::FeatureKind::{self, Edge, Face, Vertex};
use crate::simd::{Lane, Mask, P3, Simd, V, WIDTH};

/// Sides of a face, at most, that go side by side.
const SIDES: usize = 4;

const ZERO: [Lane; 3] = [[0.0; WIDTH]; 3];

/// The features of a body in eight answers, all of one kind.
pub(super) struct Own<'a> {
    p: &'a Polyhedron,
    planes: &'a Planes,
    kind: FeatureKind,
    features: &'a [Feature; WIDTH],
    /// Their vertices, and the first again where one has fewer.
    vertices: [[Lane; 3]; SIDES],
    /// How many of them there are, at most.
    count: usize,
    /// In which lanes that is all of them, bit by bit.
    all: u8,
    /// From an edge's tail to its head; a face's normal.
    pub(super) along: [Lane; 3],
    /// Around vertices: see [`Planes::point`].
    room: Lane,
}

/// What the planes are held against.
pub(super) struct Directions<'a> {
    /// Out of each body, unit.
    pub(super) d: &'a [Lane; 3],
    /// Metres.
    pub(super) margin: &'a Lane,
    /// Metres.
    pub(super) bound: &'a Lane,
}

impl<'a> Own<'a> {
    #[inline(always)] // as everything below: into code for wider registers
    pub(super) fn new(
        p: &'a Polyhedron,
        planes: &'a Planes,
        kind: FeatureKind,
        features: &'a [Feature; WIDTH],
    ) -> Self {
        let vertices = [ZERO; SIDES];
        Self { p, planes, kind, features, vertices, count: 1, all: u8::MAX, along: ZERO, room: [0.0; WIDTH] }
    }

    /// Reads vertices, edges or normals.
    #[inline(always)]
    pub(super) fn read<S: Simd>(&mut self) {
        let mut index = [0; WIDTH];
        match self.kind {
            Vertex => {
                for k in 0..WIDTH {
                    index[k] = self.features[k].index;
                }
                self.set::<S>(0, &index);
            }
            Edge => {
                let mut head = [0; WIDTH];
                for k in 0..WIDTH {
                    [index[k], head[k]] = self.p.edges[self.features[k].index as usize].v;
                }
                self.count = 2;
                self.set::<S>(0, &index);
                self.set::<S>(1, &head);
                (self.vertex::<S>(1) - self.vertex(0)).store(&mut self.along);
            }
            Face => self.faces::<S>(),
        }
    }

    #[inline(always)]
    fn faces<S: Simd>(&mut self) {
        let mut rings: [&[u32]; WIDTH] = [&[]; WIDTH];
        let mut rows = [self.planes.support_row(self.features[0].index); WIDTH];
        for k in 0..WIDTH {
            let f = self.features[k].index;
            (rings[k], rows[k]) = (self.p.face(f), self.planes.support_row(f));
            self.count = self.count.max(rings[k].len().min(SIDES));
        }
        P3::<S>::of_rows(rows).store(&mut self.along);
        for i in 0..self.count {
            let mut corner = [0; WIDTH];
            for k in 0..WIDTH {
                corner[k] = rings[k][if i < rings[k].len() { i } else { 0 }];
            }
            self.set::<S>(i, &corner);
        }
        self.all = (0..WIDTH).fold(0, |all, k| all | u8::from(rings[k].len() <= SIDES) << k);
    }

    /// Reads vertex `i` of each lane.
    #[inline(always)]
    fn set<S: Simd>(&mut self, i: usize, index: &[u32; WIDTH]) {
        let mut rows = [self.planes.point(index[0]); WIDTH];
        for k in 1..WIDTH {
            rows[k] = self.planes.point(index[k]);
        }
        let [x, y, z, room] = V::<S>::columns(rows);
        P3 { x, y, z }.store(&mut self.vertices[i]);
        room.store(&mut self.room);
    }

    #[inline(always)]
    fn vertex<S: Simd>(&self, i: usize) -> P3<S> {
        P3::load(&self.vertices[i])
    }

    /// A point of each.
    #[inline(always)]
    pub(super) fn point(&self) -> &[Lane; 3] {
        &self.vertices[0]
    }

    /// The heights of the supporting planes, metres, and in which of the lanes `wanted` (bit by bit) they are proven.
    #[inline(always)]
    pub(super) fn heights<S: Simd>(&self, by: &Directions<'_>, wanted: u8) -> (Lane, u8) {
        let clear = match self.kind {
            Vertex => self.around::<S>(by),
            Edge => self.beside::<S>(by),
            Face => self.below::<S>(by),
        };
        let (heights, level) = self.level::<S>(by);
        let (mut max, mut good) = (heights.lanes(), (level & clear).bits() & self.all & wanted);
        if good == wanted {
            return (max, good);
        }
        for k in 0..WIDTH {
            if (wanted & !good) >> k & 1 == 1 {
                let d = Vec3 { x: by.d[0][k], y: by.d[1][k], z: by.d[2][k] };
                if let Some(height) = alone::<S>(self.p, self.features[k], d, by.margin[k], by.bound[k]) {
                    max[k] = height;
                    good |= 1 << k;
                }
            }
        }
        (max, good)
    }

    /// The own vertices' largest heights, and the lanes in which all reach the margin and are level.
    #[inline(always)]
    fn level<S: Simd>(&self, by: &Directions<'_>) -> (V<S>, Mask<S>) {
        let d = P3::<S>::load(by.d);
        let at = d.dot(self.vertex(0));
        let least = at - V::load(by.margin);
        let (mut max, mut level) = (at, Mask::all(true));
        for i in 1..self.count {
            let height = d.dot(self.vertex(i));
            level = level & height.ge(least);
            max = height.larger(max);
        }
        (max, level & (max - at).le(V::load(by.bound)))
    }

    /// Whether all neighbours of a vertex are certain to stay below: each is as far away as the room at least, in a direction
    /// that is known.
    #[inline(always)]
    fn around<S: Simd>(&self, by: &Directions<'_>) -> Mask<S> {
        let radius = V::splat(self.p.radius);
        // Twice, which is far more than the rounding of this.
        let needed = V::<S>::splat(2.0) * (V::load(by.margin) + radius * V::splat(HEIGHTS));
        let least = (needed / V::load(&self.room) + V::splat(NORMAL)).lanes();
        let mut clear = 0_u8;
        for k in 0..WIDTH {
            let d = P3::<S>::splat(Vec3 { x: by.d[0][k], y: by.d[1][k], z: by.d[2][k] });
            let mut above = true;
            for star in self.planes.star(self.features[k].index) {
                // What fills a row up is no neighbour.
                let none = V::load(&star.offsets).equals(V::splat(f64::NEG_INFINITY));
                let steep = P3::load(&star.normals).dot(d).gt(V::splat(least[k]));
                above &= (steep | none).bits() == u8::MAX;
            }
            clear |= u8::from(above) << k;
        }
        Mask::from_bits(clear)
    }

    /// As `clear::BesideEdge::is_clear`.
    #[inline(always)]
    fn beside<S: Simd>(&self, by: &Directions<'_>) -> Mask<S> {
        let mut rows = [[&self.planes.edge(self.features[0].index).normals[0]; WIDTH]; 3];
        for k in 0..WIDTH {
            let normals = &self.planes.edge(self.features[k].index).normals;
            (rows[0][k], rows[1][k], rows[2][k]) = (&normals[0], &normals[1], &normals[2]);
        }
        let (x, y, z) = (V::<S>::columns(rows[0]), V::columns(rows[1]), V::columns(rows[2]));
        let mut rooms = [[0.0; WIDTH]; 2];
        for k in 0..WIDTH {
            [rooms[0][k], rooms[1][k]] = *self.planes.edge_room(self.features[k].index);
        }
        let radius = V::splat(self.p.radius);
        let (d, margin, normal, two) = (P3::load(by.d), V::load(by.margin), V::splat(NORMAL), V::splat(2.0));
        let along = d.dot(P3 { x: x[0], y: y[0], z: z[0] }).abs() + normal;
        let needed = two * (margin + radius * (two * along + V::splat(HEIGHTS)));
        let left = (d.dot(P3 { x: x[2], y: y[2], z: z[2] }) - normal) * V::load(&rooms[0]);
        let right = (d.dot(P3 { x: x[3], y: y[3], z: z[3] }) - normal) * V::load(&rooms[1]);
        left.gt(needed) & right.gt(needed)
    }

    /// As `clear::BelowFace::is_clear`.
    #[inline(always)]
    fn below<S: Simd>(&self, by: &Directions<'_>) -> Mask<S> {
        let mut room = [0.0; WIDTH];
        for k in 0..WIDTH {
            room[k] = self.planes.face_room(self.features[k].index);
        }
        let radius = V::splat(self.p.radius);
        let off = P3::load(by.d) - P3::load(&self.along);
        let off = off.x.abs() + off.y.abs() + off.z.abs();
        let rise = radius * (V::splat(2.0) * off + V::splat(HEIGHTS));
        V::load(&room).gt(V::load(by.margin) + rise)
    }
}

/// [`super::alone`] of one lane, eight vertices at a time.
#[inline(always)]
pub(super) fn alone<S: Simd>(p: &Polyhedron, feature: Feature, d: Vec3<f64>, margin: f64, bound: f64) -> Option<f64> {
    let mut few = [0; 2];
    let own = feature.vertices(p, &mut few);
    let at = d.dot(p.vertex(own[0]));
    let least = at - margin;
    let mut max = at;
    for &v in &own[1..] {
        let height = d.dot(p.vertex(v));
        if height < least {
            return None;
        }
        max = if height > max { height } else { max };
    }
    // A vertex's neighbours are as quickly asked themselves.
    if feature.kind != Vertex && Around::of(p, feature).is_clear(d, margin, p.radius) {
        return (max - at <= bound).then_some(max);
    }
    let (lanes, line) = (P3::<S>::splat(d), V::<S>::splat(least));
    let mut near = 0;
    let expected = if scans(p, feature) {
        let blocks = p.x.as_chunks().0.iter().zip(p.y.as_chunks().0).zip(p.z.as_chunks().0);
        for (i, ((x, y), z)) in blocks.enumerate() {
            let height = P3 { x: V::load(x), y: V::load(y), z: V::load(z) }.dot(lanes);
            near += reaching(height.ge(line).bits(), p.count - i * WIDTH);
        }
        own.len() as u32
    } else if p.star_start.is_empty() {
        return super::alone(p, feature, d, margin, bound);
    } else {
        for &v in own {
            let count = p.neighbours_of(v).len();
            for (i, star) in p.star(v).iter().enumerate() {
                near += reaching(P3::<S>::load(star).dot(lanes).ge(line).bits(), count - i * WIDTH);
            }
        }
        // Each vertex has that many neighbours within the feature, and those were seen to reach.
        own.len() as u32 * [0, 1, 2][feature.kind as usize]
    };
    (near == expected && max - at <= bound).then_some(max)
}

/// How many of the first `count` lanes are set.
#[inline(always)]
fn reaching(bits: u8, count: usize) -> u32 {
    (u32::from(bits) & ((1 << count.min(WIDTH)) - 1)).count_ones()
}

#[cfg(test)]
mod tests;
