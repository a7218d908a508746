//! The three searches behind one trait, each with what it remembers from call to call.

use clearsweep_narrow::closest_points::closest_points;
use clearsweep_narrow::feature::FeaturePair;
use clearsweep_narrow::gjk::{self, GjkOptions, Simplex};
use clearsweep_narrow::lin_canny;
use clearsweep_narrow::pair::Pair;
use clearsweep_narrow::search::SearchEnd;
use clearsweep_narrow::vclip;

/// Answer of a search.
#[derive(Clone, Copy)]
pub struct Found {
    pub end: SearchEnd,
    /// Distance of its own closest points, metres; 0 for an overlap, no number if it gave up.
    pub distance: f64,
    /// Pairs of features or simplices visited.
    pub steps: u32,
}

/// Features or a simplex: what Algorithm 10 compares.
#[derive(Clone, Copy, PartialEq)]
pub enum Device {
    Features(FeaturePair),
    Simplex([[u32; 2]; 4], u8),
}

pub trait Search {
    fn name(&self) -> String;
    /// Answers, from what the last call left.
    fn ask(&mut self, pair: &Pair<'_, f64>) -> Found;
    /// Returns the features or the simplex that the last call left.
    fn device(&self) -> Option<Device>;
    fn forget(&mut self);
}

#[derive(Default)]
pub struct ByVClip(Option<FeaturePair>);

impl Search for ByVClip {
    fn name(&self) -> String {
        "vclip".to_owned()
    }

    fn ask(&mut self, pair: &Pair<'_, f64>) -> Found {
        let found = vclip::search(pair, self.0.unwrap_or_else(|| vclip::cold_start(pair)));
        self.0 = Some(found.features);
        let distance = match found.end {
            SearchEnd::Converged => feature_distance(pair, &found.features),
            SearchEnd::Overlap => 0.0,
            _ => f64::NAN,
        };
        Found { end: found.end, distance, steps: found.iterations }
    }

    fn device(&self) -> Option<Device> {
        self.0.map(Device::Features)
    }

    fn forget(&mut self) {
        self.0 = None;
    }
}

pub struct ByLinCanny {
    last: Option<FeaturePair>,
    /// Shares of the size of the pair.
    tolerance: f64,
}

impl ByLinCanny {
    pub fn new(tolerance: f64) -> Self {
        Self { last: None, tolerance }
    }
}

impl Search for ByLinCanny {
    fn name(&self) -> String {
        "lin-canny".to_owned()
    }

    fn ask(&mut self, pair: &Pair<'_, f64>) -> Found {
        let start = self.last.unwrap_or_else(|| vclip::cold_start(pair));
        let found = lin_canny::search_observed(pair, start, self.tolerance, |_| {});
        self.last = Some(found.features);
        let distance = if found.end == SearchEnd::Overlap { 0.0 } else { found.distance };
        Found { end: found.end, distance, steps: found.iterations }
    }

    fn device(&self) -> Option<Device> {
        self.last.map(Device::Features)
    }

    fn forget(&mut self) {
        self.last = None;
    }
}

/// GJK, from the last simplex.
pub struct ByGjk {
    name: &'static str,
    options: GjkOptions,
    last: Simplex,
}

impl ByGjk {
    /// Cameron's: supports by hill climbing from the last ones, Johnson's sub-algorithm with
    /// Backup.
    pub fn enhanced() -> Self {
        Self { name: "enhanced-gjk", options: GjkOptions::ENHANCED, last: Simplex::default() }
    }

    /// The same with a tolerance of its exit tests.
    pub fn within(self, tolerance: f64) -> Self {
        Self { options: GjkOptions { tolerance: Some(tolerance), ..self.options }, ..self }
    }

    pub fn options(&self) -> GjkOptions {
        self.options
    }

    /// Creates the search of `--narrow gjk`: signed volumes.
    pub fn signed_volumes() -> Self {
        Self { name: "gjk", options: GjkOptions::DEFAULT, last: Simplex::default() }
    }
}

impl Search for ByGjk {
    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn ask(&mut self, pair: &Pair<'_, f64>) -> Found {
        let found = gjk::search_by(pair, &self.last, f64::INFINITY, &self.options);
        self.last = found.simplex;
        let distance = if found.end == SearchEnd::Overlap { 0.0 } else { found.point.length() };
        Found { end: found.end, distance, steps: found.iterations }
    }

    fn device(&self) -> Option<Device> {
        let mut pairs = [[u32::MAX; 2]; 4];
        let simplex = self.last.as_slice();
        pairs[..simplex.len()].copy_from_slice(simplex);
        // Sets of vertices: their order says nothing.
        pairs.sort_unstable();
        Some(Device::Simplex(pairs, simplex.len() as u8))
    }

    fn forget(&mut self) {
        self.last = Simplex::default();
    }
}

/// The distance of two features, metres: V-Clip's closest points are computed from the features at
/// the end. Parallel edges have no formula of their own; there an end of one edge is as near as any
/// other point.
fn feature_distance(pair: &Pair<'_, f64>, features: &FeaturePair) -> f64 {
    if let Some(closest) = closest_points(pair, features) {
        return closest.distance.abs();
    }
    let [a, b] = [features.a, features.b].map(|f| f.index);
    let a = pair.a.edges[a as usize].v.map(|v| pair.vertex_a(v));
    let b = pair.b.edges[b as usize].v.map(|v| pair.vertex_b(v));
    let mut least = f64::INFINITY;
    for (ends, [tail, head]) in [(a, b), (b, a)] {
        for end in ends {
            let along = head - tail;
            let at = ((end - tail).dot(along) / along.length2()).clamp(0.0, 1.0);
            least = least.min((tail + along.scale(at) - end).length());
        }
    }
    least
}
