//! Lower bounds of the distances of a point from eight boxes, or from the eight triangles of a
//! leaf, side by side.

use super::eight_pairs::load;
use clearsweep_base::simd::{Simd, V, dispatch};
use clearsweep_geometry::Vec3;
use clearsweep_geometry::mesh::{MeshNode, TriangleMesh, WIDTH};

/// Bound on the turn of a box's axes by rounding its sides to single precision, as a share of the
/// distance from its middle.
const TURNED: f64 = 4.0 * f32::EPSILON as f64;

/// Corners of triangles: by corner, coordinate and lane.
type CornerLanes = [[[f64; WIDTH]; 3]; 3];

/// Lower bounds of the distances of `p` from the boxes of the children, metres; infinite where
/// there is none. Rounding in double precision is left aside.
pub(super) fn of_boxes(node: &MeshNode, p: Vec3<f64>) -> [f64; WIDTH] {
    let mut bounds = [f64::INFINITY; WIDTH];
    boxes(node, p - node.origin, &mut bounds);
    bounds[node.count.into()..].fill(f64::INFINITY);
    bounds
}

/// Lower bounds of the distances of `p` from the triangles of a leaf, metres: the gap across the
/// line to the nearest point. Infinite where there is none. Rounding in double precision is left
/// aside.
pub(super) fn of_triangles(mesh: &TriangleMesh, leaf: u32, p: Vec3<f64>) -> [f64; WIDTH] {
    let mut corners: CornerLanes = [[[0.0; WIDTH]; 3]; 3];
    let triangles = mesh.leaf(leaf);
    let count = triangles.len();
    for (lane, t) in triangles.enumerate() {
        for (of, corner) in corners.iter_mut().zip(mesh.corners(t)) {
            (of[0][lane], of[1][lane], of[2][lane]) = (p.x - corner.x, p.y - corner.y, p.z - corner.z);
        }
    }
    let mut bounds = [f64::INFINITY; WIDTH];
    gaps(&corners, &mut bounds);
    bounds[count..].fill(f64::INFINITY);
    bounds
}

dispatch!(loops boxes, boxes_in, (node: &MeshNode, p: Vec3<f64>, to: &mut [f64; WIDTH]) -> ());

#[inline(always)] // into code for wider registers
fn boxes_in(node: &MeshNode, p: Vec3<f64>, to: &mut [f64; WIDTH]) {
    let (mut from, mut far, mut sum) = ([[0.0; WIDTH]; 3], [0.0; WIDTH], [0.0; WIDTH]);
    for (k, x) in p.to_array().into_iter().enumerate() {
        for i in 0..WIDTH {
            from[k][i] = x - f64::from(node.centers[k][i]);
            far[i] += from[k][i].abs();
        }
    }
    for half in &node.halves {
        for i in 0..WIDTH {
            let [x, y, z] = [0, 1, 2].map(|k: usize| f64::from(half[k][i]));
            let along = (x * from[0][i] + y * from[1][i] + z * from[2][i]).abs();
            let length = (x * x + y * y + z * z).sqrt();
            let gap = along / length - length * (1.0 + TURNED) - TURNED * far[i];
            // No length: no direction.
            let gap = if gap > 0.0 && length > 0.0 { gap } else { 0.0 };
            sum[i] += gap * gap;
        }
    }
    for i in 0..WIDTH {
        to[i] = sum[i].sqrt();
    }
}

dispatch!(gaps, gaps_in, (corners: &CornerLanes, to: &mut [f64; WIDTH]) -> ());

/// Vectors from the corners of triangles to the point.
#[inline(always)] // into code for wider registers
fn gaps_in<S: Simd>(corners: &CornerLanes, to: &mut [f64; WIDTH]) {
    let (a, b, c): (Vec3<V<S>>, _, _) = (load(&corners[0]), load(&corners[1]), load(&corners[2]));
    let best = shorter(shorter(across(a, b), across(b, c)), across(c, a));
    let (zero, normal) = (V::splat(0.0), (a - b).cross(a - c));
    let area2 = normal.length2();
    // The foot on the plane is inside if it lies on the inner side of each edge.
    let sides = [a.cross(b).dot(normal), b.cross(c).dot(normal), c.cross(a).dot(normal)];
    let is_inside = sides[0].ge(zero) & sides[1].ge(zero) & sides[2].ge(zero) & area2.gt(zero);
    let line = Vec3::select(is_inside, normal.scale(a.dot(normal) / area2), best);
    let length = line.length2().sqrt();
    let least = a.dot(line).smaller(b.dot(line)).smaller(c.dot(line));
    (least.gt(zero) & length.gt(zero)).pick(least / length, zero).store(to);
}

/// The vector to the point from the nearest point of an edge; given those from both ends.
#[inline(always)]
fn across<S: Simd>(p: Vec3<V<S>>, q: Vec3<V<S>>) -> Vec3<V<S>> {
    let (zero, edge) = (V::splat(0.0), p - q);
    let length2 = edge.length2();
    let share = length2.gt(zero).pick(p.dot(edge) / length2, zero);
    p - edge.scale(zero.larger(share).smaller(V::splat(1.0)))
}

#[inline(always)]
fn shorter<S: Simd>(u: Vec3<V<S>>, v: Vec3<V<S>>) -> Vec3<V<S>> {
    Vec3::select(v.length2().lt(u.length2()), v, u)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use clearsweep_base::workers::Workers;
    use clearsweep_geometry::mesh::{Child, InsideOf, NodeId};
    use clearsweep_geometry::triangle_tree::distance2;

    /// Random numbers between -1 and 1.
    pub(in super::super) struct Draw(pub(in super::super) u64);

    impl Draw {
        pub(in super::super) fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        }

        pub(in super::super) fn point(&mut self, size: f64) -> Vec3<f64> {
            Vec3::new(size * self.next(), size * self.next(), size * self.next())
        }
    }

    /// Triangles anywhere, some of them slivers or flat on a plane.
    pub(in super::super) fn soup(draw: &mut Draw, count: u32) -> TriangleMesh {
        let mut vertices = Vec::new();
        for k in 0..count {
            let (at, size) = (draw.point(1.0), 0.3 * draw.next().abs() + 0.01);
            let at = if k % 4 == 0 { Vec3::new(at.x, at.y, 0.25) } else { at };
            let flat = |p: Vec3<f64>| if k % 4 == 0 { Vec3::new(p.x, p.y, 0.0) } else { p };
            let (u, v) = (flat(draw.point(size)), flat(draw.point(size)));
            let v = if k % 7 == 1 { u.scale(0.5) + v.scale(1e-6) } else { v };
            vertices.extend([at, at + u, at + v]);
        }
        let triangles = (0..count).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        TriangleMesh::new(
            vertices,
            triangles,
            (0..3 * count).collect(),
            (0..count).collect(),
            InsideOf::Surface,
            &Workers::none(),
        )
    }

    /// The least distance of a point from the triangles below a node.
    fn least_below(mesh: &TriangleMesh, node: NodeId, p: Vec3<f64>) -> f64 {
        match node.get() {
            Child::Leaf(leaf) => {
                mesh.leaf(leaf).map(|t| distance2(p, &mesh.corners(t)).sqrt()).fold(f64::INFINITY, f64::min)
            }
            Child::Inner(index) => {
                let node = mesh.node(index);
                let children = &node.children[..node.count.into()];
                children.iter().map(|&child| least_below(mesh, child, p)).fold(f64::INFINITY, f64::min)
            }
        }
    }

    #[test]
    fn no_bound_is_above_a_distance_and_most_are_near_it() {
        let mut draw = Draw(5);
        let mesh = soup(&mut draw, 200);
        let (mut positive, mut sharp, mut all) = (0, 0, 0);
        for number in 0..300 {
            let p = draw.point(if number % 3 == 0 { 8.0 } else { 1.2 });
            let mut open = vec![mesh.root()];
            while let Some(node) = open.pop() {
                match node.get() {
                    Child::Inner(index) => {
                        let node = mesh.node(index);
                        let bounds = of_boxes(node, p);
                        for (lane, &child) in node.children[..node.count.into()].iter().enumerate() {
                            assert!(bounds[lane] <= least_below(&mesh, child, p) + 1e-13, "{number} {lane}");
                            positive += usize::from(bounds[lane] > 0.01);
                            open.push(child);
                        }
                        assert!(bounds[node.count.into()..].iter().all(|bound| bound.is_infinite()));
                    }
                    Child::Leaf(leaf) => {
                        for (t, bound) in mesh.leaf(leaf).zip(of_triangles(&mesh, leaf, p)) {
                            let distance = distance2(p, &mesh.corners(t)).sqrt();
                            assert!(bound <= distance + 1e-13, "{number} {t}: {bound} {distance}");
                            sharp += usize::from(distance - bound < 1e-9);
                            all += 1;
                        }
                    }
                }
            }
        }
        assert!(
            positive > 5_000 && sharp * 10 > 9 * all && all == 60_000,
            "not representative: {positive} {sharp} {all}"
        );
    }
}
