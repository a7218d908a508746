//! A weakly convex triangulation of the boundary of the hull of points that span space: quickhull
//! by exact tests. Why it is sound: see the parent module.

use super::exact::side;
use super::inexact::Inexact;
use crate::vec3::Vec3;
use std::collections::VecDeque;

/// Facets for which memory is reserved, at most.
const USUAL_FACETS: usize = 512;

/// A triangle of the boundary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Triangle {
    /// Indices of points, counter-clockwise seen from outside.
    pub(super) v: [u32; 3],
    /// The triangle across the side from `v[i]` to the next.
    pub(super) across: [u32; 3],
}

/// The boundary of the hull of `points`, which has `tetrahedron` (the last point below the plane of
/// the others) to begin with. Vertices may lie inside faces or edges, but no triangle is
/// degenerate.
///
/// Among equal points only the first can be a vertex (if it is so in `tetrahedron`): they see the
/// same facets, so they are always in one list, in their order, and the first of those ranked
/// highest is taken; after that the others see none.
pub(super) fn triangulate(points: &[Vec3<f64>], tetrahedron: [u32; 4]) -> Result<Vec<Triangle>, Inexact> {
    let mut hull = Quickhull::new(points, tetrahedron);
    while let Some(f) = hull.pending.pop_front() {
        // A place may have been given to another triangle since; then this entry stands for that
        // one, or for none.
        if hull.facets[f as usize].alive && !hull.facets[f as usize].outside.is_empty() {
            hull.insert_farthest_of(f)?;
        }
    }
    Ok(hull.into_triangles())
}

/// A triangle with its plane, rounded, and the points that are known to see it.
#[derive(Debug)]
struct Facet {
    triangle: Triangle,
    /// Rounded vector product of two sides.
    normal: Vec3<f64>,
    /// Rounded heights beyond this (in units of `normal`) have the right sign.
    certain: f64,
    /// Points strictly above the plane; each point of the input is in at most one such list.
    outside: Vec<u32>,
    /// The point of `outside` with the largest rounded height, then the largest distance from the
    /// first vertex: an end of its level, so that of coplanar points the corners come first.
    farthest: (f64, f64, u32),
    alive: bool,
    /// The insertion that last asked whether its point sees this facet, and the answer.
    asked: u32,
    seen: bool,
}

/// A side of the border of what a point sees: from one vertex to the next, the unseen facet beyond
/// it.
#[derive(Debug, Clone, Copy)]
struct HorizonSide {
    from: u32,
    to: u32,
    beyond: u32,
}

struct Quickhull<'a> {
    points: &'a [Vec3<f64>],
    /// Rounded-up largest difference of two coordinates.
    extent: f64,
    facets: Vec<Facet>,
    /// Places of dead facets.
    free: Vec<u32>,
    /// Facets that may have points outside, first come, first served.
    pending: VecDeque<u32>,
    /// For each point: the new facet whose horizon side starts there, as far as the current
    /// insertion set it.
    new_at: Vec<u32>,
    insertions: u32,
    seen: Vec<u32>,
    horizon: Vec<HorizonSide>,
    orphans: Vec<u32>,
}

impl<'a> Quickhull<'a> {
    fn new(points: &'a [Vec3<f64>], [a, b, c, d]: [u32; 4]) -> Self {
        let mut hull = Self {
            points,
            extent: extent(points),
            // A hull has fewer than two triangles for each point, and places are used again.
            facets: Vec::with_capacity((2 * points.len()).min(USUAL_FACETS)),
            free: Vec::new(),
            pending: VecDeque::with_capacity(points.len().min(USUAL_FACETS)),
            new_at: vec![u32::MAX; points.len()],
            insertions: 0,
            seen: Vec::new(),
            horizon: Vec::new(),
            orphans: (0..points.len() as u32).filter(|p| ![a, b, c, d].contains(p)).collect(),
        };
        let first = [
            Triangle { v: [a, b, c], across: [1, 2, 3] },
            Triangle { v: [a, d, b], across: [3, 2, 0] },
            Triangle { v: [b, d, c], across: [1, 3, 0] },
            Triangle { v: [c, d, a], across: [2, 1, 0] },
        ];
        for triangle in first {
            hull.add_facet(triangle);
        }
        hull.adopt_orphans(&[0, 1, 2, 3]);
        hull
    }

    fn point(&self, i: u32) -> Vec3<f64> {
        self.points[i as usize]
    }

    fn add_facet(&mut self, triangle: Triangle) -> u32 {
        let [a, b, c] = triangle.v.map(|v| self.point(v));
        let (u, v) = (b - a, c - a);
        let size = |w: Vec3<f64>| w.x.abs().max(w.y.abs()).max(w.z.abs());
        let facet = Facet {
            triangle,
            normal: u.cross(v),
            // The height is a sum of six products of three differences, each at most size(u)
            // size(v) extent, and each off by less than 9 roundings of 2^-53: 54 units; 64 leave
            // clearance for the roundings of this bound.
            certain: 64.0 * (f64::EPSILON / 2.0) * (size(u) * size(v) * self.extent),
            outside: Vec::new(),
            farthest: (0.0, 0.0, u32::MAX),
            alive: true,
            asked: 0,
            seen: false,
        };
        match self.free.pop() {
            Some(place) => {
                // The list of a dead facet is empty, and its memory serves the next one.
                let dead = &mut self.facets[place as usize];
                let outside = std::mem::take(&mut dead.outside);
                *dead = Facet { outside, ..facet };
                place
            }
            None => {
                self.facets.push(facet);
                (self.facets.len() - 1) as u32
            }
        }
    }

    /// Whether point `p` lies strictly above a facet, exactly; and its rounded height.
    #[inline]
    fn sees(&self, p: u32, facet: &Facet) -> (bool, f64) {
        let [a, b, c] = facet.triangle.v;
        let height = facet.normal.dot(self.point(p) - self.point(a));
        let above = if height.abs() > facet.certain {
            height > 0.0
        } else {
            side(self.point(a), self.point(b), self.point(c), self.point(p)) > 0.0
        };
        (above, height)
    }

    /// Gives each orphan to the first of `facets` that it sees; those that see none are inside for
    /// good.
    fn adopt_orphans(&mut self, facets: &[u32]) {
        let orphans = std::mem::take(&mut self.orphans);
        for &p in &orphans {
            for &f in facets {
                let (above, height) = self.sees(p, &self.facets[f as usize]);
                if above {
                    let start = self.point(self.facets[f as usize].triangle.v[0]);
                    let rank = (height, (self.point(p) - start).length2());
                    let facet = &mut self.facets[f as usize];
                    if facet.outside.is_empty() || rank > (facet.farthest.0, facet.farthest.1) {
                        facet.farthest = (rank.0, rank.1, p);
                    }
                    facet.outside.push(p);
                    break;
                }
            }
        }
        self.orphans = orphans;
        self.orphans.clear();
        self.pending.extend(facets.iter().filter(|f| !self.facets[**f as usize].outside.is_empty()));
    }

    /// Makes the farthest point outside facet `f` a vertex.
    fn insert_farthest_of(&mut self, f: u32) -> Result<(), Inexact> {
        let apex = self.facets[f as usize].farthest.2;
        self.insertions += 1;
        if self.insertions as usize > self.points.len() {
            return Err(Inexact { point: apex }); // each point can be inserted once
        }
        self.look_from(apex, f);
        for i in 0..self.seen.len() {
            let place = self.seen[i];
            let facet = &mut self.facets[place as usize];
            facet.alive = false;
            self.orphans.append(&mut facet.outside);
            self.free.push(place);
        }
        // The apex lies in the plane of every new facet, and an exact zero is the most expensive
        // sign.
        self.orphans.retain(|&p| p != apex);
        let cone = self.close_with(apex)?;
        self.adopt_orphans(&cone);
        Ok(())
    }

    /// Finds the facets that `apex` sees, `f` among them, and their border.
    fn look_from(&mut self, apex: u32, f: u32) {
        self.seen.clear();
        self.horizon.clear();
        (self.facets[f as usize].asked, self.facets[f as usize].seen) = (self.insertions, true);
        self.seen.push(f);
        let mut next = 0;
        while let Some(&at) = self.seen.get(next) {
            next += 1;
            let Triangle { v, across } = self.facets[at as usize].triangle;
            for i in 0..3 {
                let other = across[i];
                if self.facets[other as usize].asked != self.insertions {
                    let (above, _) = self.sees(apex, &self.facets[other as usize]);
                    let facet = &mut self.facets[other as usize];
                    (facet.asked, facet.seen) = (self.insertions, above);
                    if above {
                        self.seen.push(other);
                    }
                }
                if !self.facets[other as usize].seen {
                    self.horizon.push(HorizonSide { from: v[i], to: v[(i + 1) % 3], beyond: other });
                }
            }
        }
    }

    /// Joins each side of the horizon to `apex` by a new facet, and these to each other.
    fn close_with(&mut self, apex: u32) -> Result<Vec<u32>, Inexact> {
        let broken = Inexact { point: apex };
        let horizon = std::mem::take(&mut self.horizon);
        let mut cone = Vec::with_capacity(horizon.len());
        for side in &horizon {
            let unset = u32::MAX;
            let f = self.add_facet(Triangle { v: [side.from, side.to, apex], across: [side.beyond, unset, unset] });
            if self.new_facet_at(side.from, apex).is_some_and(|other| other != f) {
                return Err(broken); // the horizon passes a vertex twice
            }
            self.new_at[side.from as usize] = f;
            cone.push(f);
        }
        for (side, &f) in horizon.iter().zip(&cone) {
            let Some(next) = self.new_facet_at(side.to, apex) else { return Err(broken) };
            self.facets[f as usize].triangle.across[1] = next;
            self.facets[next as usize].triangle.across[2] = f;
            let beyond = &mut self.facets[side.beyond as usize].triangle;
            let Some(i) = (0..3).find(|&i| beyond.v[i] == side.to && beyond.v[(i + 1) % 3] == side.from) else {
                return Err(broken);
            };
            beyond.across[i] = f;
        }
        self.horizon = horizon;
        Ok(cone)
    }

    /// The facet from `vertex` over a horizon side to `apex`, if there is one already.
    fn new_facet_at(&self, vertex: u32, apex: u32) -> Option<u32> {
        let f = self.new_at[vertex as usize];
        let facet = self.facets.get(f as usize)?;
        // Before this insertion no facet had the apex.
        (facet.alive && facet.triangle.v[0] == vertex && facet.triangle.v[2] == apex).then_some(f)
    }

    /// The facets that are left, numbered without gaps.
    fn into_triangles(self) -> Vec<Triangle> {
        let mut number = vec![u32::MAX; self.facets.len()];
        let alive = || self.facets.iter().enumerate().filter(|(_, facet)| facet.alive);
        for (count, (place, _)) in alive().enumerate() {
            number[place] = count as u32;
        }
        let renumbered = |t: Triangle| Triangle { v: t.v, across: t.across.map(|f| number[f as usize]) };
        alive().map(|(_, facet)| renumbered(facet.triangle)).collect()
    }
}

/// The largest difference of two coordinates of one axis, rounded up.
fn extent(points: &[Vec3<f64>]) -> f64 {
    (0..3).fold(0.0_f64, |extent, axis| {
        let low = points.iter().fold(f64::INFINITY, |low, p| low.min(p[axis]));
        let high = points.iter().fold(f64::NEG_INFINITY, |high, p| high.max(p[axis]));
        extent.max((high - low).next_up())
    })
}
