//! The common part of two convex polygons of a plane, and its centroid. Segments are polygons of
//! two corners.

use std::cmp::Ordering;

use crate::exact::Exact;

/// A point of the plane.
pub type Flat = [Exact; 2];

/// A point `(x / w, y / w)`, `w > 0`: a corner where two sides cross is a fraction.
#[derive(Clone)]
struct Corner {
    x: Exact,
    y: Exact,
    w: Exact,
}

impl Corner {
    fn order(&self, o: &Self) -> Ordering {
        let by = |a: &Exact, b: &Exact| a.mul(&o.w).compare(&b.mul(&self.w));
        by(&self.x, &o.x).then_with(|| by(&self.y, &o.y))
    }
}

/// Twice the area of a triangle: positive where its corners run counter-clockwise.
fn area(o: &Flat, p: &Flat, q: &Flat) -> Exact {
    let [px, py] = [0, 1].map(|k: usize| p[k].sub(&o[k]));
    let [qx, qy] = [0, 1].map(|k: usize| q[k].sub(&o[k]));
    px.mul(&qy).sub(&py.mul(&qx))
}

/// The sign of the area of a triangle of fractions.
fn turn(o: &Corner, p: &Corner, q: &Corner) -> i32 {
    let minor = |a: &Exact, b: &Exact, c: &Exact, d: &Exact| a.mul(d).sub(&b.mul(c));
    let x = o.x.mul(&minor(&p.y, &p.w, &q.y, &q.w));
    let y = o.y.mul(&minor(&p.x, &p.w, &q.x, &q.w));
    let w = o.w.mul(&minor(&p.x, &p.y, &q.x, &q.y));
    x.sub(&y).add(&w).sign()
}

/// The polygon counter-clockwise.
fn counter_clockwise(mut polygon: Vec<Flat>) -> Vec<Flat> {
    let clockwise = (2..polygon.len()).any(|k| area(&polygon[0], &polygon[1], &polygon[k]).sign() < 0);
    if clockwise {
        polygon.reverse();
    }
    polygon
}

/// `sides[i][j]`: on which side of side `i` of `of` the corner `j` of `points` lies.
fn sides(of: &[Flat], points: &[Flat]) -> Vec<Vec<Exact>> {
    let side = |i: usize| points.iter().map(|p| area(&of[i], &of[(i + 1) % of.len()], p)).collect();
    (0..of.len()).map(side).collect()
}

/// Whether the point lies in the closed polygon, from its sides.
fn inside(of: &[Flat], point: &Flat, sides: &[Vec<Exact>], j: usize) -> bool {
    if of.len() > 2 {
        return sides.iter().all(|s| s[j].sign() >= 0);
    }
    let along = |p: &Flat, q: &Flat| {
        let part = |k: usize| q[k].sub(&p[k]).mul(&point[k].sub(&p[k]));
        part(0).add(&part(1)).sign()
    };
    sides[0][j].sign() == 0 && along(&of[0], &of[1]) >= 0 && along(&of[1], &of[0]) >= 0
}

/// The corners of the common part counter-clockwise: none, one, two (a segment) or more.
pub fn common(p: Vec<Flat>, q: Vec<Flat>) -> Vec<Flat> {
    let (p, q) = (counter_clockwise(p), counter_clockwise(q));
    let (of_q, of_p) = (sides(&p, &q), sides(&q, &p)); // of_q[side of p][corner of q]
    let whole = |f: &Flat| Corner { x: f[0].clone(), y: f[1].clone(), w: Exact::of(1.0) };
    let mut found: Vec<Corner> = Vec::new();
    found.extend((0..p.len()).filter(|&j| inside(&q, &p[j], &of_p, j)).map(|j| whole(&p[j])));
    found.extend((0..q.len()).filter(|&j| inside(&p, &q[j], &of_q, j)).map(|j| whole(&q[j])));
    for i in 0..p.len() {
        for j in 0..q.len() {
            let (i1, j1) = ((i + 1) % p.len(), (j + 1) % q.len());
            let (s0, s1) = (&of_p[j][i], &of_p[j][i1]);
            let (t0, t1) = (&of_q[i][j], &of_q[i][j1]);
            if s0.sign() * s1.sign() < 0 && t0.sign() * t1.sign() < 0 {
                let (a, b) = (s0.absolute(), s1.absolute());
                let mix = |k: usize| p[i][k].mul(&b).add(&p[i1][k].mul(&a));
                found.push(Corner { x: mix(0), y: mix(1), w: a.add(&b) });
            }
        }
    }
    hull(found).iter().map(|c| [c.x.quotient(&c.w), c.y.quotient(&c.w)]).collect()
}

/// The corners of the hull of points, counter-clockwise: Andrew's monotone chain.
fn hull(mut points: Vec<Corner>) -> Vec<Corner> {
    points.sort_by(Corner::order);
    points.dedup_by(|a, b| a.order(b) == Ordering::Equal);
    if points.len() < 3 {
        return points;
    }
    let chain = |points: &mut dyn Iterator<Item = &Corner>| {
        let mut chain: Vec<Corner> = Vec::new();
        for point in points {
            while chain.len() > 1 && turn(&chain[chain.len() - 2], &chain[chain.len() - 1], point) <= 0 {
                chain.pop();
            }
            chain.push(point.clone());
        }
        chain.pop();
        chain
    };
    let mut lower = chain(&mut points.iter());
    lower.extend(chain(&mut points.iter().rev()));
    lower
}

/// The centroid: of the area, of the length where there is no area, or the point itself. `None` of
/// nothing.
pub fn centroid(corners: &[Flat]) -> Option<Flat> {
    match corners {
        [] => None,
        [p] => Some(p.clone()),
        [p, q] => Some([0, 1].map(|k: usize| p[k].add(&q[k]).half())),
        [o, rest @ ..] => {
            let zero = || Exact::of(0.0);
            let (mut total, mut sum) = (zero(), [zero(), zero()]);
            for pair in rest.windows(2) {
                let weight = area(o, &pair[0], &pair[1]);
                for k in 0..2 {
                    let middle = o[k].add(&pair[0][k]).add(&pair[1][k]);
                    sum[k] = sum[k].add(&middle.mul(&weight));
                }
                total = total.add(&weight);
            }
            let three = total.mul(&Exact::of(3.0));
            Some(sum.map(|s| s.quotient(&three)))
        }
    }
}
