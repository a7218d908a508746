//! Triangles under a bounding volume tree, for the nearest triangle of a point.

use super::vec3::Vec3;

/// The corners of a triangle; equal or collinear corners make it a segment or a point.
pub type Corners = [Vec3<f64>; 3];

/// Triangles of a leaf, at most.
const LEAF: usize = 4;

/// A box around triangles.
#[derive(Debug, Clone, Copy)]
struct TriangleNode {
    low: Vec3<f64>,
    high: Vec3<f64>,
    /// First index in `order` of a leaf's triangles. For an inner node: the second child; the first
    /// one follows this node.
    at: u32,
    /// Triangles of a leaf; 0: it has children.
    count: u32,
}

/// The answer of [`TriangleTree::nearest`].
#[derive(Debug, Clone, Copy)]
pub struct NearestTriangle {
    /// The square of the distance from the point to the triangle ([`distance2`]).
    pub d2: f64,
    /// The triangle.
    pub triangle: u32,
    /// Number of boxes visited.
    pub visits: usize,
    /// Whether no triangle is nearer; else the search was cut short.
    pub is_nearest: bool,
}

/// Triangles, and a binary tree of boxes around them.
#[derive(Debug)]
pub struct TriangleTree {
    triangles: Vec<Corners>,
    order: Vec<u32>,
    nodes: Vec<TriangleNode>,
}

impl TriangleTree {
    /// Builds the tree over these triangles: finite, at least one, fewer than 2^32.
    pub fn new(triangles: Vec<Corners>) -> Self {
        let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
        let mut nodes = Vec::with_capacity(triangles.len());
        split(&triangles, &mut order, 0, &mut nodes);
        Self { triangles, order, nodes }
    }

    /// Triangle `index`.
    pub fn triangle(&self, index: u32) -> &Corners {
        &self.triangles[index as usize]
    }

    /// Number of triangles: never 0.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.triangles.len()
    }

    /// The triangle nearest to a point. If boxes overlap, a search may have to visit all of them:
    /// it ends after `most` boxes, as soon as it has any triangle.
    pub fn nearest(&self, p: Vec3<f64>, most: usize) -> NearestTriangle {
        let mut best = (f64::INFINITY, 0);
        let mut visits = 0;
        let mut open = vec![(0.0, 0_u32)];
        while let Some((bound, index)) = open.pop() {
            if bound >= best.0 {
                continue;
            }
            if visits >= most && best.0 < f64::INFINITY {
                return NearestTriangle { d2: best.0, triangle: best.1, visits, is_nearest: false };
            }
            visits += 1;
            let node = &self.nodes[index as usize];
            if node.count > 0 {
                for &triangle in &self.order[node.at as usize..(node.at + node.count) as usize] {
                    let d2 = distance2(p, &self.triangles[triangle as usize]);
                    if d2 < best.0 {
                        best = (d2, triangle);
                    }
                }
                continue;
            }
            let [first, second] = [index + 1, node.at].map(|child| (self.box_distance2(child, p), child));
            // The nearer one is popped first.
            let (near, far) = if first.0 <= second.0 { (first, second) } else { (second, first) };
            open.extend([far, near]);
        }
        NearestTriangle { d2: best.0, triangle: best.1, visits, is_nearest: true }
    }

    /// Hands `meet` every triangle that a ray from a point along +z may meet, and others; ends
    /// after `most` boxes. Returns the number of boxes visited: fewer than `most`, if all were.
    pub fn above(&self, p: Vec3<f64>, most: usize, mut meet: impl FnMut(u32)) -> usize {
        let mut visits = 0;
        let mut open = vec![0_u32];
        while let Some(index) = open.pop() {
            if visits == most {
                break;
            }
            visits += 1;
            let node = &self.nodes[index as usize];
            let is_beside = p.x < node.low.x || p.x > node.high.x || p.y < node.low.y || p.y > node.high.y;
            if is_beside || p.z > node.high.z {
                continue;
            }
            if node.count > 0 {
                self.order[node.at as usize..(node.at + node.count) as usize].iter().for_each(|&t| meet(t));
            } else {
                open.extend([node.at, index + 1]);
            }
        }
        visits
    }

    /// Hands `meet` every triangle whose box meets that from `low` to `high`, and others, until it
    /// returns false; ends after `most` boxes. Returns the number of boxes visited, and whether the
    /// search came to its end.
    pub fn in_box(
        &self,
        (low, high): (Vec3<f64>, Vec3<f64>),
        most: usize,
        mut meet: impl FnMut(u32) -> bool,
    ) -> (usize, bool) {
        let mut visits = 0;
        let mut open = vec![0_u32];
        while let Some(index) = open.pop() {
            if visits == most {
                return (visits, false);
            }
            visits += 1;
            let node = &self.nodes[index as usize];
            if (0..3).any(|k| node.low[k] > high[k] || node.high[k] < low[k]) {
                continue;
            }
            if node.count > 0 {
                if !self.order[node.at as usize..(node.at + node.count) as usize].iter().all(|&t| meet(t)) {
                    return (visits, false);
                }
            } else {
                open.extend([node.at, index + 1]);
            }
        }
        (visits, true)
    }

    fn box_distance2(&self, node: u32, p: Vec3<f64>) -> f64 {
        let TriangleNode { low, high, .. } = self.nodes[node as usize];
        let outside = |low: f64, high: f64, c: f64| (low - c).max(c - high).max(0.0);
        Vec3::new(outside(low.x, high.x, p.x), outside(low.y, high.y, p.y), outside(low.z, high.z, p.z)).length2()
    }
}

/// Builds the subtree over `order`, which begins at `start` of the whole list: halves by centroids
/// along the longest side of their box, so that the depth is logarithmic whatever the triangles
/// are.
fn split(triangles: &[Corners], order: &mut [u32], start: u32, nodes: &mut Vec<TriangleNode>) {
    let corners = order.iter().flat_map(|&t| triangles[t as usize]);
    let (low, high) = bounds(corners);
    let index = nodes.len();
    nodes.push(TriangleNode { low, high, at: start, count: order.len() as u32 });
    if order.len() <= LEAF {
        return;
    }
    let center = |t: u32, axis: usize| triangles[t as usize].iter().map(|corner| corner[axis]).sum::<f64>();
    let axis = (high - low).longest_axis();
    let middle = order.len() / 2;
    order.select_nth_unstable_by(middle, |&a, &b| {
        center(a, axis).total_cmp(&center(b, axis)).then(a.cmp(&b)) // no ties: the tree is the same for every run
    });
    let (first, second) = order.split_at_mut(middle);
    split(triangles, first, start, nodes);
    (nodes[index].at, nodes[index].count) = (nodes.len() as u32, 0);
    split(triangles, second, start + middle as u32, nodes);
}

/// Returns the lowest and the highest coordinates; infinite without points.
pub fn bounds(points: impl Iterator<Item = Vec3<f64>>) -> (Vec3<f64>, Vec3<f64>) {
    let none = f64::INFINITY;
    points.fold((Vec3::new(none, none, none), Vec3::new(-none, -none, -none)), |(low, high), p| {
        (
            Vec3::new(low.x.min(p.x), low.y.min(p.y), low.z.min(p.z)),
            Vec3::new(high.x.max(p.x), high.y.max(p.y), high.z.max(p.z)),
        )
    })
}

/// The square of the distance from a point to a triangle: the length of its [`offset`].
pub fn distance2(p: Vec3<f64>, triangle: &Corners) -> f64 {
    offset(p, triangle).length2()
}

/// The vector to a point from a point of the triangle: the nearest one, but for rounding. As that
/// point lies on the triangle whatever the rounding, the vector is never too short by more than the
/// rounding of the point.
pub fn offset(p: Vec3<f64>, &[a, b, c]: &Corners) -> Vec3<f64> {
    let shorter = |u: Vec3<f64>, v: Vec3<f64>| if v.length2() < u.length2() { v } else { u };
    let border = shorter(shorter(from_segment(p, a, b), from_segment(p, b, c)), from_segment(p, c, a));
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let normal = ab.cross(ac);
    let area2 = normal.length2();
    if area2 > 0.0 {
        // Barycentric coordinates of the foot on the plane.
        let (beta, gamma) = (ap.cross(ac).dot(normal) / area2, ab.cross(ap).dot(normal) / area2);
        if beta >= 0.0 && gamma >= 0.0 && beta + gamma <= 1.0 {
            return shorter(border, ap - (ab.scale(beta) + ac.scale(gamma)));
        }
    }
    border
}

fn from_segment(p: Vec3<f64>, a: Vec3<f64>, b: Vec3<f64>) -> Vec3<f64> {
    let (ab, ap) = (b - a, p - a);
    let length2 = ab.length2();
    let share = if length2 > 0.0 { (ap.dot(ab) / length2).clamp(0.0, 1.0) } else { 0.0 };
    ap - ab.scale(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(count: usize) -> Vec<Corners> {
        let mut state = 5_u64;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let mut point = move |scale: f64| Vec3::new(scale * next(), scale * next(), scale * next());
        (0..count)
            .map(|_| {
                let at = point(1.0);
                [at, at + point(0.2), at + point(0.2)]
            })
            .collect()
    }

    #[test]
    fn the_nearest_triangle_is_that_of_a_scan() {
        let triangles = random(500);
        let tree = TriangleTree::new(triangles.clone());
        for [p, ..] in random(300) {
            let scan = triangles.iter().map(|t| distance2(p, t)).fold(f64::INFINITY, f64::min);
            let found = tree.nearest(p, usize::MAX);
            assert_eq!((found.d2, found.is_nearest), (scan, true));
            assert_eq!(found.d2, distance2(p, tree.triangle(found.triangle)));
            let short = tree.nearest(p, 1);
            assert!(short.visits < 20, "no more than the depth of the tree: {short:?}");
            assert!(short.d2 == distance2(p, tree.triangle(short.triangle)) && short.d2 >= scan);
        }
    }

    #[test]
    fn distances_to_corners_sides_faces_and_degenerate_triangles() {
        let v = |x: f64, y: f64, z: f64| Vec3::new(x, y, z);
        let triangle = [v(0.0, 0.0, 0.0), v(4.0, 0.0, 0.0), v(0.0, 4.0, 0.0)];
        assert_eq!(distance2(v(1.0, 1.0, 3.0), &triangle), 9.0);
        assert_eq!(distance2(v(-3.0, -4.0, 0.0), &triangle), 25.0);
        assert_eq!(distance2(v(1.0, -2.0, 0.0), &triangle), 4.0);
        assert_eq!(distance2(v(4.0, 4.0, 0.0), &triangle), 8.0);
        let segment = [v(0.0, 0.0, 0.0), v(2.0, 0.0, 0.0), v(1.0, 0.0, 0.0)];
        assert_eq!(distance2(v(1.0, 0.0, 2.0), &segment), 4.0);
        assert_eq!(distance2(v(1.0, 0.0, 2.0), &[v(1.0, 0.0, 0.0); 3]), 4.0);
    }
}
