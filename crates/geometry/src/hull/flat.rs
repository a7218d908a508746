//! The hull of coplanar points: Andrew's monotone chain (1979) on a projection, by exact tests.

use super::exact::turn;
use super::merge::Rings;
use crate::vec3::Vec3;
use std::cmp::Ordering;

/// The two faces, front and back, of the hull of `points`, which all lie in the plane of
/// `triangle`.
pub(super) fn polygon(points: &[Vec3<f64>], triangle: [u32; 3]) -> Rings {
    let [a, b, c] = triangle.map(|v| points[v as usize]);
    // Along an axis that is not in the plane the projection is one to one, and lines stay lines: so
    // is any axis with a turn that is not zero, and there is one as the three points are not
    // collinear.
    let axis = (0..3).find(|&axis| turn(a, b, c, axis) != 0.0).unwrap_or(2);
    let front = chain(points, axis);
    let count = front.len() as u32;
    let vertices = front.iter().chain(front.iter().rev()).copied().collect();
    Rings { start: vec![0, count, 2 * count], vertices }
}

/// The extreme points, counter-clockwise seen from the far end of `axis`.
fn chain(points: &[Vec3<f64>], axis: usize) -> Vec<u32> {
    let at = |i: u32| points[i as usize];
    let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
    let order = |a: f64, b: f64| a.partial_cmp(&b).unwrap_or(Ordering::Equal); // finite: never unordered
    let mut sorted: Vec<u32> = (0..points.len() as u32).collect();
    sorted.sort_unstable_by(|&a, &b| {
        order(at(a)[j], at(b)[j]).then_with(|| order(at(a)[k], at(b)[k])).then_with(|| a.cmp(&b))
    });
    sorted.dedup_by(|b, a| at(*a) == at(*b)); // the first of equal points stays
    let mut ring: Vec<u32> = Vec::new();
    let mut half = |order: &mut dyn Iterator<Item = u32>| {
        let base = ring.len();
        for p in order {
            while ring.len() >= base + 2 && turn(at(ring[ring.len() - 2]), at(ring[ring.len() - 1]), at(p), axis) <= 0.0
            {
                ring.pop();
            }
            ring.push(p);
        }
        ring.pop(); // the other half begins with it
    };
    half(&mut sorted.iter().copied());
    half(&mut sorted.iter().rev().copied());
    ring
}
