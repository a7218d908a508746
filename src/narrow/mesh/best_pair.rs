//! The nearest pair of triangles so far, and what is proven of the pairs that were left out.

use super::place::MeshPlace;
use super::triangle_pair::{self, ClosestPoints, TriangleCorners};
use crate::geometry::{Real, Scalar, Vec3};

/// The nearest triangles, and the proof.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NearestTriangles {
    /// Of A and of B, in the order of their trees.
    pub(crate) triangles: [u32; 2],
    /// Their closest points, in A's frame.
    pub(crate) closest: ClosestPoints<f64>,
    /// Unit, from A to B.
    pub(crate) normal: Vec3<f64>,
    /// Of the surfaces, metres.
    pub(crate) distance: f64,
    /// Proven: no two points are nearer, metres.
    pub(crate) lower: f64,
    /// Proven: some are as near, metres.
    pub(crate) upper: f64,
}

/// What a search finds.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SurfaceDistance {
    /// The surfaces are farther apart than the cut-off, at least by this, metres.
    Beyond(f64),
    /// They are apart.
    Apart(NearestTriangles),
    /// They cross, or are nearer than what rounding leaves; and a pair of triangles that shows it.
    Touching([u32; 2]),
}

/// The nearest pair of triangles of those compared.
pub(super) struct BestPair<'a> {
    place: &'a MeshPlace<'a>,
    /// Pairs farther apart are of no interest, metres.
    pub(super) limit: f64,
    pub(super) best: Option<NearestTriangles>,
    /// All that was left out is at least this far apart, metres.
    pub(super) gap: f64,
    /// The least lower end of a pair that even double-double did not settle, metres.
    unsettled: f64,
    pub(super) touching: Option<[u32; 2]>,
    /// How many pairs were compared.
    pub(super) compared: usize,
}

impl<'a> BestPair<'a> {
    /// None yet. `cutoff`: metres.
    pub(super) fn new(place: &'a MeshPlace<'a>, cutoff: f64) -> Self {
        let (gap, unsettled) = (f64::INFINITY, f64::INFINITY);
        Self { place, limit: cutoff, best: None, gap, unsettled, touching: None, compared: 0 }
    }

    /// The distance beyond which pairs are left out, metres.
    #[inline(always)]
    pub(super) fn reach(&self) -> f64 {
        self.limit + self.place.slack()
    }

    /// Takes note that pairs were left out which are at least `gap` apart, metres.
    #[inline(always)]
    pub(super) fn leave_out(&mut self, gap: f64) {
        self.gap = self.gap.min(gap);
    }

    /// Compares two triangles.
    pub(super) fn compare(&mut self, a: u32, b: u32) {
        let place = self.place;
        let (ta, tb) = (place.a.corners(a), place.corners_b(b));
        let far = self.reach();
        if let Some(best) = &self.best {
            let gap = triangle_pair::separation(&ta, &tb, best.normal);
            if gap > far {
                self.leave_out(gap);
                return;
            }
        }
        if let Some(gap) = between_middles(&ta, &tb).filter(|&gap| gap > far) {
            self.leave_out(gap);
            return;
        }
        self.compared += 1;
        let closest = triangle_pair::closest_points(&ta, &tb);
        let distance = closest.distance2.sqrt();
        if distance <= place.sharp() {
            self.touching = Some([a, b]);
            return;
        }
        let normal = triangle_pair::direction(&ta, &tb, &closest);
        let gap = normal.map_or(0.0, |n| triangle_pair::separation(&ta, &tb, n));
        if gap > far {
            self.leave_out(gap);
        } else if let Some(normal) = normal.filter(|_| distance - gap <= place.sharp()) {
            if distance <= far {
                self.take(NearestTriangles {
                    triangles: [a, b],
                    closest,
                    normal,
                    distance,
                    lower: gap,
                    upper: distance,
                });
            } else {
                self.leave_out(gap);
            }
        } else {
            self.compare_wide(a, b);
        }
    }

    /// Compares two triangles in double-double, where `f64` leaves too much open: edges that are nearly parallel, or slivers.
    #[cold]
    fn compare_wide(&mut self, a: u32, b: u32) {
        let [ta, tb] = self.place.wide(a, b);
        let wide = triangle_pair::closest_points(&ta, &tb);
        let distance = wide.distance2.sqrt().to_f64();
        if distance <= self.place.sharp() {
            self.touching = Some([a, b]);
            return;
        }
        let Some(n) = triangle_pair::direction(&ta, &tb, &wide) else {
            self.unsettled = 0.0;
            return;
        };
        let lower = triangle_pair::separation(&ta, &tb, n).to_f64();
        let closest = ClosestPoints {
            distance2: wide.distance2.to_f64(),
            point_a: wide.point_a.to_f64(),
            point_b: wide.point_b.to_f64(),
            features: wide.features,
            crosses: false,
        };
        if distance - lower > self.place.sharp() {
            self.unsettled = self.unsettled.min(lower);
        }
        if distance <= self.reach() {
            self.take(NearestTriangles {
                triangles: [a, b],
                closest,
                normal: n.to_f64(),
                distance,
                lower,
                upper: distance,
            });
        } else {
            self.leave_out(lower);
        }
    }

    /// Keeps the nearest; of equally near ones the first by parts.
    fn take(&mut self, found: NearestTriangles) {
        let parts = |[a, b]: [u32; 2]| [self.place.a.labels().part(a), self.place.b.labels().part(b)];
        let nearer = |best: &NearestTriangles| match found.distance.total_cmp(&best.distance) {
            std::cmp::Ordering::Equal => {
                (parts(found.triangles), found.triangles) < (parts(best.triangles), best.triangles)
            }
            order => order.is_lt(),
        };
        if found.distance <= self.limit && self.best.as_ref().is_none_or(nearer) {
            self.limit = found.distance;
            self.best = Some(found);
        }
    }

    /// The answer, its bracket as wide as a pair of triangles may leave it.
    pub(super) fn finish(&self, cutoff: f64) -> SurfaceDistance {
        let error = self.place.error();
        if let Some(triangles) = self.touching {
            return SurfaceDistance::Touching(triangles);
        }
        match self.best {
            None => SurfaceDistance::Beyond((self.gap - error).min(self.unsettled).max(0.0)),
            Some(best) => {
                debug_assert!(best.distance <= cutoff);
                let lower = (best.distance - self.place.sharp() - error).min(self.unsettled).max(0.0);
                SurfaceDistance::Apart(NearestTriangles { lower, upper: best.distance + error, ..best })
            }
        }
    }
}

/// The gap of two triangles along the line between their middles, metres: where they are small beside it, nearly their distance.
#[inline(always)]
fn between_middles(a: &TriangleCorners<f64>, b: &TriangleCorners<f64>) -> Option<f64> {
    let line = (b[0] + b[1] + b[2]) - (a[0] + a[1] + a[2]);
    let n = line.normalized();
    n.is_finite().then(|| triangle_pair::separation(a, b, n))
}
