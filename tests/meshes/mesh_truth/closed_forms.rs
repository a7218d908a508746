//! Distances of boxes, balls and segments by formulas, with nothing of the engine's code.

/// A vector.
pub(crate) type Vector = [f64; 3];

pub(crate) fn norm(v: Vector) -> f64 {
    v.iter().map(|c| c * c).sum::<f64>().sqrt()
}

pub(crate) fn add(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|i| a[i] + b[i])
}

pub(crate) fn times(a: Vector, s: f64) -> Vector {
    a.map(|c| c * s)
}

/// The signed distance of two boxes of these half sides whose sides are parallel: the depth is the
/// least overlap.
pub(crate) fn boxes([a, b]: [Vector; 2], between: Vector) -> f64 {
    let gaps: Vector = std::array::from_fn(|i| between[i].abs() - a[i] - b[i]);
    if gaps.iter().all(|&gap| gap <= 0.0) {
        gaps.into_iter().fold(f64::NEG_INFINITY, f64::max)
    } else {
        norm(gaps.map(|gap| gap.max(0.0)))
    }
}

/// The signed distance of a point from a box about the origin.
pub(crate) fn point(half: Vector, p: Vector) -> f64 {
    boxes([half, [0.0; 3]], p)
}

/// The distance of a segment from a box about the origin, 0 where it passes through: a convex
/// function of the place on the segment, so that the interval that holds its least value shrinks by
/// thirds.
pub(crate) fn segment(half: Vector, from: Vector, to: Vector) -> f64 {
    let at = |t: f64| point(half, add(times(from, 1.0 - t), times(to, t))).max(0.0);
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..100 {
        let (s, t) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if at(s) <= at(t) {
            high = t;
        } else {
            low = s;
        }
    }
    at(low).min(at(high)).min(at(0.5 * (low + high)))
}
