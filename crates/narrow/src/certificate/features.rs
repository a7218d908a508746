//! The features of one body that a certificate is about: one for all numbers of a register, or one
//! for each.

use super::clearance;
use super::margins::margin;
use super::scan::{SupportPlane, scan, scan_wide};
use crate::closest_points::{Operand, inside_face};
use crate::feature::Feature;
use crate::feature::FeatureKind::{self, Edge, Face, Vertex};
use crate::float::Float;
use crate::pair::bound_of;
use clearsweep_base::simd::{Lane, Mask, Simd, V, WIDTH};
use clearsweep_geometry::planes::Planes;
use clearsweep_geometry::{Polyhedron, Vec3};

/// The features of one side of a certificate, all of one kind, in the frames of their bodies.
pub(crate) trait Features<T: Float> {
    /// Returns the operand of the formula for the closest points.
    fn operand(&self) -> Operand<T>;
    /// Number of vertices that [`Features::vertex`] knows, at least 1.
    fn count(&self) -> usize;
    /// Vertex `i` of the feature, from 1 on; vertex 0 is the operand's point.
    fn vertex(&self, i: usize) -> Vec3<T>;
    /// Returns the lanes in which stored planes prove that other vertices are clear: below the
    /// supporting plane along `d` by more than `margin`, metres. The vertices of
    /// [`Features::vertex`] do not count.
    fn clear(&self, d: Vec3<T>, margin: T) -> T::Mask;
    /// Returns how far a foot lies inside the face, metres, exactly or at least; nothing if not
    /// `wanted`. `size`: of the pair, metres. Faces only.
    fn inside(&self, foot: Vec3<T>, size: T, wanted: T::Mask) -> T;
    /// The body and the feature of a lane.
    fn lane(&self, k: usize) -> (&Polyhedron, Feature);
    /// The height of the supporting plane of lane `k`, metres, if a scan of the body finds that the
    /// feature alone reaches it. Out of line, since stored planes answer for most lanes.
    #[inline(always)]
    fn scan(&self, k: usize, plane: &SupportPlane<f64>) -> Option<f64> {
        let (p, feature) = self.lane(k);
        scan_wide(p, feature, plane.normal, plane.margin, plane.bound)
    }
}

/// Returns how far a foot lies inside of one face, at least if stored planes say more than the
/// margin in all lanes, else exactly.
#[inline(always)]
fn inside_one<T: Float>(p: &Polyhedron, face: u32, foot: Vec3<T>, size: T) -> T {
    if let Some(planes) = p.formed_planes() {
        let depth = clearance::depth(planes, face, foot, size);
        let open = depth.le(margin(bound_of::<T>(size), T::one()));
        if T::bits(open) == 0 {
            return depth;
        }
    }
    inside_face(p, face, Vec3::from_f64(p.normals[face as usize]), foot)
}

/// The operand of one feature.
#[inline(always)]
fn operand<T: Float>(p: &Polyhedron, feature: Feature) -> Operand<T> {
    let (point, direction) = match feature.kind {
        Vertex => (p.vertex(feature.index), Vec3::ZERO),
        Edge => {
            let [v, w] = p.edges[feature.index as usize].v;
            (p.vertex(v), p.vertex(w) - p.vertex(v))
        }
        Face => (p.vertex(p.face(feature.index)[0]), p.normals[feature.index as usize]),
    };
    Operand { point: Vec3::from_f64(point), direction: Vec3::from_f64(direction), mean: Vec3::from_f64(p.mean) }
}

/// One feature, the same in all lanes.
#[derive(Clone, Copy)]
pub(crate) struct OneFeature<'a> {
    p: &'a Polyhedron,
    feature: Feature,
    /// The vertices of a vertex or an edge.
    ends: [u32; 2],
}

impl<'a> OneFeature<'a> {
    #[inline(always)]
    pub(crate) fn new(p: &'a Polyhedron, feature: Feature) -> Self {
        let ends = if feature.kind == Edge { p.edges[feature.index as usize].v } else { [feature.index; 2] };
        Self { p, feature, ends }
    }
}

impl<T: Float> Features<T> for OneFeature<'_> {
    #[inline(always)] // as everything below: into code for wider registers
    fn operand(&self) -> Operand<T> {
        operand(self.p, self.feature)
    }
    #[inline(always)]
    fn count(&self) -> usize {
        self.feature.vertex_count(self.p)
    }
    #[inline(always)]
    fn vertex(&self, i: usize) -> Vec3<T> {
        let v = if self.feature.kind == Face { self.p.face(self.feature.index)[i] } else { self.ends[i % 2] };
        Vec3::from_f64(self.p.vertex(v))
    }
    #[inline(always)]
    fn clear(&self, d: Vec3<T>, margin: T) -> T::Mask {
        // A single vertex's neighbours are as quickly scanned themselves.
        if T::LANES == 1 && self.feature.kind == Vertex {
            return T::from_bits(0);
        }
        clearance::of_feature(self.p, self.feature, d, margin)
    }
    #[inline(always)]
    fn inside(&self, foot: Vec3<T>, size: T, _: T::Mask) -> T {
        inside_one(self.p, self.feature.index, foot, size)
    }
    #[inline(always)]
    fn lane(&self, _: usize) -> (&Polyhedron, Feature) {
        (self.p, self.feature)
    }
}

/// Returns how far each foot lies inside its face, by lane.
#[inline(always)]
fn inside_each<S: Simd, F: Features<V<S>>>(of: &F, foot: Vec3<V<S>>, size: V<S>, wanted: Mask<S>) -> V<S> {
    let ([x, y, z], size) = ([foot.x.lanes(), foot.y.lanes(), foot.z.lanes()], size.lanes());
    let (mut inside, mut left) = ([0.0; WIDTH], wanted.bits());
    while left != 0 {
        let k = left.trailing_zeros() as usize % WIDTH;
        left &= left - 1;
        let (p, face) = of.lane(k);
        inside[k] = inside_one(p, face.index, Vec3 { x: x[k], y: y[k], z: z[k] }, size[k]);
    }
    V::load(&inside)
}

/// Sides of a face, at most, whose vertices lie in registers.
const SIDES: usize = 4;

/// A feature in each lane, of one body whose planes are formed. Stored rows of four numbers become
/// columns in registers: element-wise stores followed by a wide load defeat store forwarding.
pub(crate) struct FeaturePerLane<'a, S: Simd> {
    p: &'a Polyhedron,
    planes: &'a Planes,
    kind: FeatureKind,
    features: &'a [Feature; WIDTH],
    /// Their vertices, and the first again where one has fewer.
    vertices: [Vec3<V<S>>; SIDES],
    /// Largest number of vertices of a feature in a lane.
    count: usize,
    /// Lanes in which `vertices` has all vertices of the feature.
    all: u8,
    direction: Vec3<V<S>>,
    /// Clearance of a vertex, see [`Planes::point`]; only if the features are vertices.
    clearance: V<S>,
}

impl<'a, S: Simd> FeaturePerLane<'a, S> {
    /// Reads the features, all of the same kind.
    #[inline(always)] // as everything below: into code for wider registers
    pub(crate) fn new(
        p: &'a Polyhedron,
        planes: &'a Planes,
        kind: FeatureKind,
        features: &'a [Feature; WIDTH],
    ) -> Self {
        let zero = V::<S>::splat(0.0);
        let none = Vec3 { x: zero, y: zero, z: zero };
        let (vertices, all) = ([none; SIDES], u8::MAX);
        let mut own = Self { p, planes, kind, features, vertices, count: 1, all, direction: none, clearance: zero };
        match kind {
            Vertex => own.read_vertices(),
            Edge => own.read_edges(),
            Face => own.read_faces(),
        }
        own
    }

    #[inline(always)]
    fn read_vertices(&mut self) {
        let mut index = [0; WIDTH];
        for k in 0..WIDTH {
            index[k] = self.features[k].index;
        }
        self.read(0, &index);
    }

    #[inline(always)]
    fn read_edges(&mut self) {
        let (mut tail, mut head) = ([0; WIDTH], [0; WIDTH]);
        for k in 0..WIDTH {
            [tail[k], head[k]] = self.p.edges[self.features[k].index as usize].v;
        }
        self.count = 2;
        self.read(0, &tail);
        self.read(1, &head);
        self.direction = self.vertices[1] - self.vertices[0];
    }

    #[inline(always)]
    fn read_faces(&mut self) {
        let mut rings: [&[u32]; WIDTH] = [&[]; WIDTH];
        let mut rows = [self.planes.support_row(self.features[0].index); WIDTH];
        for k in 0..WIDTH {
            let f = self.features[k].index;
            (rings[k], rows[k]) = (self.p.face(f), self.planes.support_row(f));
            self.count = self.count.max(rings[k].len().min(SIDES));
        }
        self.direction = Vec3::of_rows(rows);
        for i in 0..self.count {
            let mut corner = [0; WIDTH];
            for k in 0..WIDTH {
                corner[k] = rings[k][if i < rings[k].len() { i } else { 0 }];
            }
            self.read(i, &corner);
        }
        self.all = 0;
        for k in 0..WIDTH {
            self.all |= u8::from(rings[k].len() <= SIDES) << k;
        }
    }

    /// Reads vertex `i` of each lane.
    #[inline(always)]
    fn read(&mut self, i: usize, index: &[u32; WIDTH]) {
        let mut rows = [self.planes.point(index[0]); WIDTH];
        for k in 1..WIDTH {
            rows[k] = self.planes.point(index[k]);
        }
        let [x, y, z, clearance] = V::<S>::columns(rows);
        self.vertices[i] = Vec3 { x, y, z };
        self.clearance = clearance;
    }

    #[inline(always)]
    fn clear_vertices(&self, d: Vec3<V<S>>, margin: V<S>) -> Mask<S> {
        let least = clearance::least_slope(self.clearance, margin, self.p.radius).lanes();
        let [x, y, z] = [d.x.lanes(), d.y.lanes(), d.z.lanes()];
        let mut clear = 0_u8;
        for k in 0..WIDTH {
            let d = Vec3::<V<S>>::from_f64(Vec3 { x: x[k], y: y[k], z: z[k] });
            let mut below = true;
            for eight in self.planes.vertex_planes(self.features[k].index) {
                // What fills a block up is no neighbour.
                let none = V::load(&eight.offsets).equals(V::splat(f64::NEG_INFINITY));
                let steep = Vec3::load(&eight.normals).dot(d).gt(V::splat(least[k]));
                below &= (steep | none).bits() == u8::MAX;
            }
            clear |= u8::from(below) << k;
        }
        Mask::from_bits(clear)
    }

    #[inline(always)]
    fn clear_edges(&self, d: Vec3<V<S>>, margin: V<S>) -> Mask<S> {
        let mut rows = [[&self.planes.edge(self.features[0].index).normals[0]; WIDTH]; 3];
        let mut clearances = [[0.0; WIDTH]; 2];
        for k in 0..WIDTH {
            let normals = &self.planes.edge(self.features[k].index).normals;
            (rows[0][k], rows[1][k], rows[2][k]) = (&normals[0], &normals[1], &normals[2]);
            [clearances[0][k], clearances[1][k]] = *self.planes.edge_clearance(self.features[k].index);
        }
        let (x, y, z) = (V::<S>::columns(rows[0]), V::columns(rows[1]), V::columns(rows[2]));
        let along = Vec3 { x: x[0], y: y[0], z: z[0] };
        let sides = [Vec3 { x: x[2], y: y[2], z: z[2] }, Vec3 { x: x[3], y: y[3], z: z[3] }];
        let clearances = [V::load(&clearances[0]), V::load(&clearances[1])];
        clearance::beside_edge(d, along, sides, clearances, margin, self.p.radius)
    }

    #[inline(always)]
    fn clear_faces(&self, d: Vec3<V<S>>, margin: V<S>) -> Mask<S> {
        let mut clearances = [0.0; WIDTH];
        for k in 0..WIDTH {
            clearances[k] = self.planes.face_clearance(self.features[k].index);
        }
        clearance::below_face(d, self.direction, V::load(&clearances), margin, self.p.radius)
    }
}

impl<S: Simd> Features<V<S>> for FeaturePerLane<'_, S> {
    #[inline(always)]
    fn operand(&self) -> Operand<V<S>> {
        Operand { point: self.vertices[0], direction: self.direction, mean: Vec3::from_f64(self.p.mean) }
    }
    #[inline(always)]
    fn count(&self) -> usize {
        self.count
    }
    #[inline(always)]
    fn vertex(&self, i: usize) -> Vec3<V<S>> {
        self.vertices[i % SIDES]
    }
    #[inline(always)]
    fn clear(&self, d: Vec3<V<S>>, margin: V<S>) -> Mask<S> {
        let clear = match self.kind {
            Vertex => self.clear_vertices(d, margin),
            Edge => self.clear_edges(d, margin),
            Face => self.clear_faces(d, margin),
        };
        clear & Mask::from_bits(self.all)
    }
    #[inline(always)]
    fn inside(&self, foot: Vec3<V<S>>, size: V<S>, wanted: Mask<S>) -> V<S> {
        inside_each(self, foot, size, wanted)
    }
    #[inline(always)]
    fn lane(&self, k: usize) -> (&Polyhedron, Feature) {
        (self.p, self.features[k % WIDTH])
    }
}

/// A feature in each lane, each of a body of its own.
pub(crate) struct FeaturePerBody<'a> {
    bodies: [&'a Polyhedron; WIDTH],
    features: &'a [Feature; WIDTH],
    point: [Lane; 3],
    direction: [Lane; 3],
    mean: [Lane; 3],
}

impl<'a> FeaturePerBody<'a> {
    /// Reads the first `count` features, all of the same kind.
    #[inline(always)]
    pub(crate) fn new(
        bodies: [&'a Polyhedron; WIDTH],
        kind: FeatureKind,
        features: &'a [Feature; WIDTH],
        count: usize,
    ) -> Self {
        let zero = [[0.0; WIDTH]; 3];
        let (mut point, mut direction, mut mean) = (zero, zero, zero);
        for k in 0..count.min(WIDTH) {
            let of: Operand<f64> = operand(bodies[k], Feature { kind, ..features[k] });
            (point[0][k], point[1][k], point[2][k]) = (of.point.x, of.point.y, of.point.z);
            (direction[0][k], direction[1][k], direction[2][k]) = (of.direction.x, of.direction.y, of.direction.z);
            if kind == Edge {
                // Elsewhere nothing depends on the mean, and reading it is a cache miss.
                (mean[0][k], mean[1][k], mean[2][k]) = (of.mean.x, of.mean.y, of.mean.z);
            }
        }
        Self { bodies, features, point, direction, mean }
    }
}

impl<S: Simd> Features<V<S>> for FeaturePerBody<'_> {
    #[inline(always)]
    fn operand(&self) -> Operand<V<S>> {
        Operand { point: Vec3::load(&self.point), direction: Vec3::load(&self.direction), mean: Vec3::load(&self.mean) }
    }
    #[inline(always)]
    fn count(&self) -> usize {
        1
    }
    #[inline(always)]
    fn vertex(&self, _: usize) -> Vec3<V<S>> {
        Vec3::load(&self.point)
    }
    /// Lane by lane a scan asks the stored planes itself.
    #[inline(always)]
    fn clear(&self, _: Vec3<V<S>>, _: V<S>) -> Mask<S> {
        Mask::from_bits(0)
    }
    #[inline(always)]
    fn inside(&self, foot: Vec3<V<S>>, size: V<S>, wanted: Mask<S>) -> V<S> {
        inside_each(self, foot, size, wanted)
    }
    #[inline(always)]
    fn lane(&self, k: usize) -> (&Polyhedron, Feature) {
        (self.bodies[k % WIDTH], self.features[k % WIDTH])
    }
    /// In line: every lane is scanned.
    #[inline(always)]
    fn scan(&self, k: usize, plane: &SupportPlane<f64>) -> Option<f64> {
        let (p, feature) = (self.bodies[k % WIDTH], self.features[k % WIDTH]);
        scan::<S>(p, feature, plane.normal, plane.margin, plane.bound)
    }
}
