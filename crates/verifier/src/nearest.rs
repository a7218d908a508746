//! The nearest points of two convex cores: the point of their difference that is nearest to the
//! origin, by Wolfe's method ("Finding the nearest point in a polytope", 1976), first in `f64`,
//! then in [`Wide`].
//!
//! The method only finds candidates. Any means of vertices are points of the cores, so that their
//! distance is an upper end; any direction gives a lower end by the supports over all vertices.

use crate::number::{Number, Vector, Wide, cross, dot, norm, sub, times};
use crate::place::{FINE, Pair};

/// Rounds of the search in `f64`, and in [`Wide`].
const ROUNDS: [usize; 2] = [96, 24];

/// Nearest points of two cores.
pub struct Nearest {
    /// Proven ends of the distance of the cores, metres; the lower end is 0 or less where they may
    /// meet.
    pub lower: Wide,
    /// See `lower`.
    pub upper: Wide,
    /// The vector from A's point to B's in A's frame, metres.
    pub between: Vector<Wide>,
}

/// A point of the difference that is a mean of some of its vertices.
struct Closest<T> {
    point: Vector<T>,
    square: T,
    /// Places in the list of vertices, and weights.
    weights: Vec<(usize, T)>,
}

/// Finds the nearest points. `hint`: a direction from A to B in A's frame.
pub fn nearest(pair: &Pair<'_>, hint: Option<Vector<f64>>) -> Nearest {
    let simplex = rough(pair, hint);
    fine(pair, simplex)
}

/// The distance in `f64`: ends that hold with their rounding, metres.
pub fn rough_distance(pair: &Pair<'_>, hint: Option<Vector<f64>>) -> [f64; 2] {
    let vertices = rough(pair, hint);
    let doubt = crate::place::FILTER * pair.size;
    let points: Vec<_> = vertices.iter().map(|&at| rough_point(pair, at)).collect();
    let found = closest(&points);
    let length = found.square.sqrt();
    let lower = match length > 0.0 {
        true => pair.rough_gap(times(found.point, 1.0 / length)) - doubt,
        false => 0.0,
    };
    [lower, length + doubt]
}

fn rough_point(pair: &Pair<'_>, [i, j]: [usize; 2]) -> Vector<f64> {
    sub(pair.place.rough(pair.b.points[j]), pair.a.points[i])
}

fn fine_point(pair: &Pair<'_>, [i, j]: [usize; 2]) -> Vector<Wide> {
    sub(pair.place.point(pair.b.points[j]), crate::number::wide(pair.a.points[i]))
}

/// The vertices whose hull holds the nearest point, as far as `f64` tells.
fn rough(pair: &Pair<'_>, hint: Option<Vector<f64>>) -> Vec<[usize; 2]> {
    let along = hint.filter(|n| norm(*n) > 0.5).unwrap_or_else(|| {
        let [i, j] = [0, 0];
        let d = rough_point(pair, [i, j]);
        let length = norm(d);
        if length > 0.0 { times(d, 1.0 / length) } else { [1.0, 0.0, 0.0] }
    });
    let mut vertices = vec![pair.rough_supports(along)];
    let mut least = f64::INFINITY;
    for _ in 0..ROUNDS[0] {
        let points: Vec<_> = vertices.iter().map(|&at| rough_point(pair, at)).collect();
        let found = closest(&points);
        vertices = found.weights.iter().map(|&(k, _)| vertices[k]).collect();
        let length = found.square.sqrt();
        // Rounding may end the descent.
        if length <= 1e-14 * pair.size || length >= least {
            break;
        }
        least = length;
        let n = times(found.point, 1.0 / length);
        let next = pair.rough_supports(n);
        let gain = length - dot(n, rough_point(pair, next));
        if gain <= 1e-15 * pair.size || vertices.contains(&next) || vertices.len() == 4 {
            break;
        }
        vertices.push(next);
    }
    vertices
}

fn fine(pair: &Pair<'_>, mut vertices: Vec<[usize; 2]>) -> Nearest {
    let error = Wide::of(FINE * pair.size);
    let mut best: Option<Nearest> = None;
    let mut lower = Wide::of(-f64::MAX);
    for _ in 0..ROUNDS[1] {
        let points: Vec<_> = vertices.iter().map(|&at| fine_point(pair, at)).collect();
        let found = closest(&points);
        let length = found.square.root();
        if best.as_ref().is_some_and(|best| length + error >= best.upper) {
            break;
        }
        let meets = length.value() <= 4.0 * FINE * pair.size;
        let supports = (!meets).then(|| pair.supports(found.point));
        if let Some(supports) = &supports
            && supports.gap - error > lower
        {
            lower = supports.gap - error;
        }
        best = Some(Nearest { lower, upper: length + error, between: found.point });
        let Some(supports) = supports.filter(|s| length - s.gap > error && !vertices.contains(&s.points)) else {
            break;
        };
        vertices = found.weights.iter().map(|&(k, _)| vertices[k]).collect();
        if vertices.len() == 4 {
            break;
        }
        vertices.push(supports.points);
    }
    let best = best.expect("a round was done");
    Nearest { lower: if lower > best.upper { best.upper } else { lower }, ..best }
}

/// The point of the hull of at most four points that is nearest to the origin: of all their
/// subsets, the nearest point of the plane through one whose weights are not negative.
fn closest<T: Number>(points: &[Vector<T>]) -> Closest<T> {
    let mut best: Option<Closest<T>> = None;
    for mask in 1_u32..1 << points.len() {
        let chosen: Vec<usize> = (0..points.len()).filter(|k| mask >> k & 1 == 1).collect();
        let Some(weights) = weights(&chosen.iter().map(|&k| points[k]).collect::<Vec<_>>()) else { continue };
        let mut point = [T::of(0.0); 3];
        for (&k, &weight) in chosen.iter().zip(&weights) {
            point = crate::number::add(point, times(points[k], weight));
        }
        let square = dot(point, point);
        if best.as_ref().is_none_or(|best| square < best.square) {
            best = Some(Closest { point, square, weights: chosen.into_iter().zip(weights).collect() });
        }
    }
    best.expect("a single point is nearest to itself")
}

/// The weights of the point nearest to the origin on the plane (line, point) through all points, by
/// barycentric coordinates; `None` if one is negative, or the points do not span it.
fn weights<T: Number>(points: &[Vector<T>]) -> Option<Vec<T>> {
    let zero = T::of(0.0);
    let raw: Vec<T> = match *points {
        [_] => return Some(vec![T::of(1.0)]),
        [p, q] => {
            let along = sub(q, p);
            vec![dot(q, along), -dot(p, along)]
        }
        [p, q, r] => {
            let n = cross(sub(q, p), sub(r, p));
            vec![dot(n, cross(q, r)), dot(n, cross(r, p)), dot(n, cross(p, q))]
        }
        [p, q, r, s] => {
            let volume = |a, b, c| dot(a, cross(b, c));
            vec![volume(q, r, s), -volume(p, r, s), volume(p, q, s), -volume(p, q, r)]
        }
        _ => return None,
    };
    let sum = raw.iter().fold(zero, |sum, &w| sum + w);
    if sum.value() == 0.0 {
        return None;
    }
    let mut weights: Vec<T> = raw.into_iter().map(|w| w / sum).collect();
    let are_weights = weights.iter().all(|w| *w >= zero);
    if !are_weights {
        return None;
    }
    // They sum to 1 but for rounding: the largest takes what is left.
    let largest = (0..weights.len()).max_by(|&i, &j| weights[i].value().total_cmp(&weights[j].value()))?;
    let others = weights.iter().enumerate().filter(|(k, _)| *k != largest).fold(zero, |sum, (_, &w)| sum + w);
    weights[largest] = T::of(1.0) - others;
    Some(weights)
}
