//! Slabs along fixed directions of the body (k-DOPs: Klosowski, Held, Mitchell, Sowizral, Zikan
//! 1998).
//!
//! B is turned: its slabs along A's directions are bounded by its own. For a direction that is a
//! sum of B's directions with weights of 0 and more, the sum of their ends with the same weights is
//! an end. Two such sums are tried: of the three directions around it, and of the axes.

use super::tree::{Corners, Motion, Volumes, down, ends, up};
use clearsweep_geometry::Vec3;
use std::sync::OnceLock;

/// Directions: the axes, then the four diagonals of a cube (14-DOP), or the six of its faces
/// (18-DOP), or both (26-DOP).
const DIAGONALS: [[f64; 3]; 4] = [[1.0, 1.0, 1.0], [1.0, 1.0, -1.0], [1.0, -1.0, 1.0], [1.0, -1.0, -1.0]];
const FACE_DIAGONALS: [[f64; 3]; 6] =
    [[1.0, 1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 0.0, 1.0], [1.0, 0.0, -1.0], [0.0, 1.0, 1.0], [0.0, 1.0, -1.0]];

/// Unit directions of `D` slabs, and the triples of directions (with signs) that the sphere is
/// divided into.
struct Directions<const D: usize> {
    unit: [Vec3<f64>; D],
    triples: Vec<[(usize, f64); 3]>,
}

fn directions<const D: usize>() -> &'static Directions<D> {
    static ALL: [OnceLock<Box<dyn std::any::Any + Send + Sync>>; 3] = [const { OnceLock::new() }; 3];
    let slot = match D {
        7 => 0,
        9 => 1,
        _ => 2,
    };
    let any = ALL[slot].get_or_init(|| Box::new(Directions::<D>::new()));
    any.downcast_ref().expect("one type a slot")
}

impl<const D: usize> Directions<D> {
    fn new() -> Self {
        let mut all: Vec<[f64; 3]> = vec![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        if D != 9 {
            all.extend(DIAGONALS);
        }
        if D != 7 {
            all.extend(FACE_DIAGONALS);
        }
        let unit: [Vec3<f64>; D] = std::array::from_fn(|k| Vec3::from(all[k]).normalized());
        let signed: Vec<(usize, f64)> = (0..D).flat_map(|k| [(k, 1.0), (k, -1.0)]).collect();
        let at = |(k, s): (usize, f64)| unit[k] * s;
        let mut triples = Vec::new();
        for i in 0..signed.len() {
            for j in i + 1..signed.len() {
                for k in j + 1..signed.len() {
                    let [p, q, r] = [signed[i], signed[j], signed[k]].map(at);
                    let n = (q - p).cross(r - p);
                    // A face of the hull of the directions, or a part of one.
                    let n = if n.dot(p) < 0.0 { -n } else { n };
                    if n.dot(p) > 1e-9 && signed.iter().all(|&s| (at(s) - p).dot(n) < 1e-9) {
                        triples.push([signed[i], signed[j], signed[k]]);
                    }
                }
            }
        }
        Self { unit, triples }
    }
}

/// A direction as a sum of three directions of the body; weights are not negative.
#[derive(Debug, Clone, Copy)]
struct Sum {
    parts: [(usize, f64); 3],
    weights: [f64; 3],
}

impl Sum {
    /// `f` in three directions, if it lies between them.
    fn of(f: Vec3<f64>, parts: [(usize, f64); 3], unit: &[Vec3<f64>]) -> Option<Self> {
        let [p, q, r] = parts.map(|(k, s)| unit[k] * s);
        let volume = p.dot(q.cross(r));
        let weights = [f.dot(q.cross(r)), f.dot(r.cross(p)), f.dot(p.cross(q))].map(|w| w / volume);
        weights.iter().all(|&w| w >= -1e-12).then(|| Self { parts, weights: weights.map(|w| w.max(0.0)) })
    }
}

/// How B's slabs become slabs along A's directions; `None`: they are.
pub(crate) struct View<const D: usize> {
    sums: Option<[([Sum; 2], f64); D]>,
}

/// Ends of the slabs.
pub(crate) struct Stored<const D: usize, const W: usize> {
    low: [[f32; W]; D],
    high: [[f32; W]; D],
}

/// The same in A's frame.
pub(crate) struct Placed<const D: usize, const W: usize> {
    low: [[f64; W]; D],
    high: [[f64; W]; D],
}

/// Volumes of `D` slabs: a 2D-DOP.
pub(crate) struct Slabs<const D: usize>;

impl<const D: usize, const W: usize> Volumes<W> for Slabs<D> {
    const NAME: &'static str = match D {
        7 => "14-DOPs",
        9 => "18-DOPs",
        _ => "26-DOPs",
    };
    const TURNS: bool = false;
    type Stored = Stored<D, W>;
    type Placed = Placed<D, W>;
    type View = View<D>;

    fn store(children: &[&[Corners]]) -> Stored<D, W> {
        let mut to = Stored { low: [[0.0; W]; D], high: [[0.0; W]; D] };
        for (lane, triangles) in children.iter().enumerate() {
            let (low, high) = ends(triangles.iter().flatten().copied(), &directions::<D>().unit);
            for k in 0..D {
                (to.low[k][lane], to.high[k][lane]) = (down(low[k]), up(high[k]));
            }
        }
        to
    }

    fn view(motion: &Motion, _: &[Vec3<f64>; 3]) -> View<D> {
        let known = directions::<D>();
        let of_axes = |f: Vec3<f64>| {
            let parts = [0, 1, 2].map(|k: usize| (k, f[k].signum()));
            Sum { parts, weights: f.to_array().map(f64::abs) }
        };
        let is_still = motion.r == Motion::NONE.r && motion.t == Vec3::ZERO;
        let sums = (!is_still).then(|| {
            known.unit.map(|d| {
                let f = motion.back(d);
                let around = known.triples.iter().find_map(|&parts| Sum::of(f, parts, &known.unit));
                ([around.unwrap_or_else(|| of_axes(f)), of_axes(f)], d.dot(motion.t))
            })
        });
        View { sums }
    }

    #[inline(always)]
    fn place(stored: &Stored<D, W>, view: &View<D>) -> Placed<D, W> {
        let Some(sums) = &view.sums else {
            return Placed { low: stored.low.map(|l| l.map(f64::from)), high: stored.high.map(|h| h.map(f64::from)) };
        };
        let mut to = Placed { low: [[f64::NEG_INFINITY; W]; D], high: [[f64::INFINITY; W]; D] };
        for (k, (sums, shift)) in sums.iter().enumerate() {
            for sum in sums {
                let (mut low, mut high) = ([*shift; W], [*shift; W]);
                for ((part, sign), weight) in sum.parts.iter().zip(sum.weights) {
                    let (from, to) = if *sign > 0.0 {
                        (&stored.low[*part], &stored.high[*part])
                    } else {
                        (&stored.high[*part], &stored.low[*part])
                    };
                    let weight = weight * sign;
                    for j in 0..W {
                        low[j] += weight * f64::from(from[j]);
                        high[j] += weight * f64::from(to[j]);
                    }
                }
                for j in 0..W {
                    to.low[k][j] = if low[j] > to.low[k][j] { low[j] } else { to.low[k][j] };
                    to.high[k][j] = if high[j] < to.high[k][j] { high[j] } else { to.high[k][j] };
                }
            }
        }
        to
    }

    #[inline(always)]
    fn row(one: &Placed<D, W>, lane: usize, all: &Placed<D, W>, to: &mut [f64; W]) {
        let (mut axes, mut widest) = ([0.0; W], [0.0; W]);
        for k in 0..D {
            let (low, high) = (one.low[k][lane], one.high[k][lane]);
            for j in 0..W {
                let (after, before) = (all.low[k][j] - high, low - all.high[k][j]);
                let gap = if after > before { after } else { before };
                let gap = if gap > 0.0 { gap } else { 0.0 };
                // The axes are at right angles; of the others the widest gap counts.
                let gap2 = gap * gap;
                if k < 3 {
                    axes[j] += gap2;
                } else {
                    widest[j] = if gap2 > widest[j] { gap2 } else { widest[j] };
                }
            }
        }
        for j in 0..W {
            to[j] = if axes[j] > widest[j] { axes[j] } else { widest[j] };
        }
    }
}
