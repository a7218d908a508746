//! The intersection of two convex polygons of many sides, in time proportional to the number of
//! their vertices together.
//!
//! Each polygon lies between a lower and an upper chain over the first axis. The intersection lies
//! between the larger of the lower chains and the smaller of the upper ones. A sweep along the axis
//! adds up the trapezoids between neighbouring vertices of all four chains.

use super::outline::{Intersection, PlaneOutline, PlanePoint};

/// A chain of vertices, ascending along the first axis.
struct Chain<'a> {
    vertices: &'a [PlanePoint<f64>],
    /// The first vertex beyond the sweep.
    next: usize,
}

impl Chain<'_> {
    /// The height over `x`, which does not descend from call to call, and lies within the chain up
    /// to rounding.
    fn height(&mut self, x: f64) -> f64 {
        while self.next + 1 < self.vertices.len() && self.vertices[self.next][0] <= x {
            self.next += 1;
        }
        let ([x0, y0], [x1, y1]) = (self.vertices[self.next - 1], self.vertices[self.next]);
        let width = x1 - x0;
        if width > 0.0 { y0 + (y1 - y0) * ((x - x0) / width).clamp(0.0, 1.0) } else { y0 }
    }
}

/// The lower and the upper chain of a polygon, both from left to right.
fn chains<const N: usize>(p: &PlaneOutline<f64, N>) -> [Vec<PlanePoint<f64>>; 2] {
    let ring = &p.vertices[..p.count];
    let extreme = |less: fn(f64, f64) -> bool| {
        (1..ring.len()).fold(0, |best, i| if less(ring[i][0], ring[best][0]) { i } else { best })
    };
    let (left, right) = (extreme(|x, y| x < y), extreme(|x, y| x > y));
    let walk = |from: usize, to: usize, step: usize| {
        let mut at = from;
        let mut chain = vec![ring[at]];
        while at != to {
            at = (at + step) % ring.len();
            chain.push(ring[at]);
        }
        chain
    };
    [walk(left, right, 1), walk(left, right, ring.len() - 1)]
}

/// Sums over trapezoids: the area, and its moments.
#[derive(Default)]
struct Moments {
    area: f64,
    x: f64,
    y: f64,
}

impl Moments {
    /// Adds the trapezoid between two verticals, each with its lower and upper end; nothing where
    /// they are crossed.
    fn add(&mut self, x: [f64; 2], [lower, upper]: [[f64; 2]; 2]) {
        let width = x[1] - x[0];
        let (h0, h1) = (upper[0] - lower[0], upper[1] - lower[1]);
        let area = 0.5 * width * (h0 + h1);
        if area.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater) {
            return;
        }
        self.area += area;
        self.x += x[0] * area + width * width * (h0 + 2.0 * h1) / 6.0;
        // The integral of (upper^2 - lower^2) / 2, both linear.
        let square = |[a, b]: [f64; 2]| (a * a + a * b + b * b) / 3.0;
        self.y += 0.5 * width * (square(upper) - square(lower));
    }
}

/// Finds the parameter at which two functions that are linear between 0 and 1 cross, if they do.
fn crossing(f: [f64; 2], g: [f64; 2]) -> Option<f64> {
    let (from, to) = (f[0] - g[0], f[1] - g[1]);
    ((from < 0.0) != (to < 0.0) && from != to).then(|| from / (from - to))
}

/// The intersection of two polygons.
pub(super) fn intersection_of_chains<const N: usize>(
    p: &PlaneOutline<f64, N>,
    q: &PlaneOutline<f64, N>,
) -> Intersection<f64> {
    let [[lower_p, upper_p], [lower_q, upper_q]] = [chains(p), chains(q)];
    let nothing = Intersection { centroid: [f64::NAN; 2], depths: [f64::NAN; 2] };
    if [&lower_p, &upper_p, &lower_q, &upper_q].iter().any(|chain| chain.len() < 2) {
        // Seen along its plane a polygon has no width.
        return nothing;
    }
    let mut stops: Vec<f64> =
        [&lower_p, &upper_p, &lower_q, &upper_q].into_iter().flatten().map(|vertex| vertex[0]).collect();
    // Four ascending runs: the sort finds and merges them.
    stops.sort_by(f64::total_cmp);
    let ends = |chain: &[PlanePoint<f64>]| (chain[0][0], chain[chain.len() - 1][0]);
    let ((from_p, to_p), (from_q, to_q)) = (ends(&lower_p), ends(&lower_q));
    let (from, to) = (from_p.max(from_q), to_p.min(to_q));
    stops.retain(|x| (from..=to).contains(x));
    stops.dedup();
    // Near the intersection, so that the moments do not cancel.
    let middle = [0.5 * (from + to), 0.5 * (lower_p[0][1] + lower_q[0][1])];
    let mut sweep = [&lower_p, &lower_q, &upper_p, &upper_q].map(|vertices| Chain { vertices, next: 1 });
    let mut moments = Moments::default();
    let heights = |sweep: &mut [Chain<'_>; 4], x: f64| sweep.each_mut().map(|chain| chain.height(x) - middle[1]);
    let Some((&first, rest)) = stops.split_first() else { return nothing };
    let (mut x, mut here) = (first, heights(&mut sweep, first));
    for &stop in rest {
        let next = heights(&mut sweep, stop);
        add_slab(&mut moments, [x - middle[0], stop - middle[0]], here, next);
        (x, here) = (stop, next);
    }
    let centroid = [middle[0] + moments.x / moments.area, middle[1] + moments.y / moments.area];
    Intersection { centroid, depths: [p.depth(centroid), q.depth(centroid)] }
}

/// Adds what lies between two verticals with no vertex between them; heights: lower of p and of q,
/// upper of p and of q.
fn add_slab(moments: &mut Moments, x: [f64; 2], here: [f64; 4], next: [f64; 4]) {
    let line = |k: usize| [here[k], next[k]];
    let at = |k: usize, s: f64| here[k] + (next[k] - here[k]) * s;
    let lower = |s: f64| at(0, s).max(at(1, s));
    let upper = |s: f64| at(2, s).min(at(3, s));
    // Both bounds are broken at most once each, and they meet at most twice.
    let mut breaks = vec![0.0, 1.0];
    for (f, g) in [(0, 1), (2, 3), (0, 2), (0, 3), (1, 2), (1, 3)] {
        breaks.extend(crossing(line(f), line(g)));
    }
    breaks.sort_by(f64::total_cmp);
    let place = |s: f64| x[0] + (x[1] - x[0]) * s;
    for s in breaks.windows(2) {
        let [s, t] = [s[0], s[1]];
        moments.add([place(s), place(t)], [[lower(s), lower(t)], [upper(s), upper(t)]]);
    }
}
