//! What the verifier proves about two bodies at their poses: both ends of their signed distance.

use crate::checked_body::{CheckedBody, Parts};
use crate::convex_core::ConvexCore;
use crate::depth;
use crate::gap::{Gap, Soups, inside};
use crate::nearest::{nearest, rough_distance};
use crate::number::{Number, Vector, Wide, add, dot, norm, sub, times, values, wide};
use crate::place::{FILTER, FINE, Pair, Place};
use crate::placement::Placement;
use crate::round::search::{Until, signed_distance};
use crate::round::sets::{Affine, Convex};
use crate::round::union::{CELLS, Piece, Union, bracket, distance_of_point, of_hulls};
use crate::round::{Bracket, local};
use crate::soup::Body as Soup;

/// Points of a core beyond which its hull is not searched for: that takes the square of them.
const MOST_OF_HULL: usize = 1_500;

/// Bound on the error of the distance of surfaces in [`Wide`], in sizes of the pair.
const OF_SURFACES: f64 = 1e-26;

/// Stands for an end that is not known, metres: infinite numbers have no differences.
const UNKNOWN: f64 = 1e300;

/// Width at which the search for the depth of round bodies ends, in sizes of the pair.
const DEPTH_WIDTH: f64 = 1e-9;

/// What a row says of a pair, as far as it helps to prove it: nothing of it is believed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hint {
    /// Unit normal from A to B in A's frame.
    pub normal: Option<Vector<f64>>,
    /// Ends of the bracket, metres.
    pub lower: Option<f64>,
    /// See `lower`.
    pub upper: Option<f64>,
}

/// What is proven about two bodies.
#[derive(Clone, Copy, Debug)]
pub struct Truth {
    /// The signed distance of all true bodies lies between these ends, metres.
    pub all: [Wide; 2],
    /// Some true bodies are no farther apart than this, metres.
    pub least: Wide,
    /// Some true bodies are no nearer than this, metres.
    pub most: Wide,
    /// Why an end may be open, if one is.
    pub open: Option<&'static str>,
}

impl Truth {
    /// Both ends in `f64`, metres; infinite where they are not known.
    pub fn ends(&self) -> [f64; 2] {
        let [lower, upper] = self.all.map(Number::value);
        let is_known = |end: f64| end.abs() < 0.5 * UNKNOWN;
        [if is_known(lower) { lower } else { f64::NEG_INFINITY }, if is_known(upper) { upper } else { f64::INFINITY }]
    }
}

/// Two bodies at their poses.
pub struct PairAt<'a> {
    /// A and B.
    pub bodies: [&'a CheckedBody; 2],
    /// B in A's frame.
    pub place: Place,
    /// Both reaches and the distance of the origins, metres.
    pub size: f64,
}

/// Ends of the signed distance of the stored bodies, metres.
#[derive(Clone, Copy)]
struct Stored {
    lower: Wide,
    upper: Wide,
}

impl Stored {
    /// The ends of the lesser distance.
    fn with(self, other: Self) -> Self {
        Self {
            lower: if other.lower < self.lower { other.lower } else { self.lower },
            upper: if other.upper < self.upper { other.upper } else { self.upper },
        }
    }
}

impl<'a> PairAt<'a> {
    /// Places two bodies.
    pub fn new(bodies: [&'a CheckedBody; 2], places: [&Placement; 2]) -> Self {
        let place = Place::new(places[0], places[1]);
        let size = bodies[0].reach + bodies[1].reach + norm(place.rough_shift);
        Self { bodies, place, size }
    }

    /// The deviations of both bodies together, metres.
    pub fn deviation(&self) -> f64 {
        match self.bodies.map(|body| body.deviation) {
            [0.0, alone] | [alone, 0.0] => alone,
            [a, b] => (a + b).next_up(),
        }
    }

    /// Proves both ends.
    pub fn truth(&self, hint: &Hint) -> Truth {
        let by = Wide::of(self.deviation());
        let (mut stored, mut open) = match self.stored(hint) {
            Ok(stored) => (stored, None),
            Err(why) => (Stored { lower: Wide::of(-UNKNOWN), upper: Wide::of(UNKNOWN) }, Some(why)),
        };
        let is_convex = self.bodies.iter().all(|body| body.is_convex());
        if stored.lower.value() < by.value() && !is_convex && open.is_none() {
            // A translation that leaves the deviations between the stored bodies.
            let way = self.way_out(hint, by);
            open = way.is_none().then_some("the way out is not proven as short as the row says");
            let lower = way.unwrap_or_else(|| self.hull_gap(hint) - by);
            let all = [lower, self.proven_upper(stored.upper) + by];
            return Truth { all, least: stored.upper, most: all[0], open };
        }
        if stored.lower > stored.upper {
            stored.lower = stored.upper;
        }
        let all = [stored.lower - by, self.proven_upper(stored.upper) + by];
        // Bodies grown by their deviations are true bodies, as long as they stay apart.
        let least = if stored.lower.value() > by.value() { stored.upper - by } else { stored.upper };
        Truth { all, least, most: stored.lower, open }
    }

    /// Pieces that were found may fill a hole of their solid: only their growth proves an overlap.
    fn proven_upper(&self, upper: Wide) -> Wide {
        if self.bodies.iter().all(|body| !body.is_decomposition) {
            return upper;
        }
        let growth = -(self.bodies[0].growth + self.bodies[1].growth);
        if upper.value() < growth { Wide::of(growth) } else { upper }
    }

    fn stored(&self, hint: &Hint) -> Result<Stored, &'static str> {
        match (&self.bodies[0].parts, &self.bodies[1].parts) {
            (Parts::Round, _) | (_, Parts::Round) => self.of_unions(hint),
            (Parts::Cores(a), Parts::Cores(b)) => self.of_cores([a, b], hint),
            _ => self.of_surfaces(),
        }
    }

    /// Pairs of cores, the nearest balls first.
    fn core_pairs<'c>(&self, [a, b]: [&'c [ConvexCore]; 2], by: Vector<f64>) -> Vec<(f64, [&'c ConvexCore; 2])> {
        let gap = |a: &ConvexCore, b: &ConvexCore| {
            let middle = add(self.place.rough(b.ball.0), by);
            norm(sub(middle, a.ball.0)) - a.ball.1 - b.ball.1 - a.growth - b.growth - FILTER * self.size
        };
        let mut pairs: Vec<_> = a.iter().flat_map(|a| b.iter().map(move |b| (gap(a, b), [a, b]))).collect();
        pairs.sort_by(|x, y| x.0.total_cmp(&y.0));
        pairs
    }

    fn pair<'c>(&self, [a, b]: [&'c ConvexCore; 2], place: Place) -> Pair<'c> {
        Pair { a, b, place, size: self.size }
    }

    fn of_cores(&self, cores: [&[ConvexCore]; 2], hint: &Hint) -> Result<Stored, &'static str> {
        let mut least: Option<Stored> = None;
        for (gap, [a, b]) in self.core_pairs(cores, [0.0; 3]) {
            if least.is_some_and(|least| gap > least.upper.value()) {
                break;
            }
            let found = signed(&self.pair([a, b], self.place.moved([Wide::of(0.0); 3])), hint.normal);
            least = Some(least.map_or(found, |least| least.with(found)));
        }
        least.ok_or("a body has no piece")
    }

    fn surface_pairs(&self) -> Option<Vec<[&Soup; 2]>> {
        let [a, b] = [self.bodies[0].surfaces()?, self.bodies[1].surfaces()?];
        Some(a.iter().flat_map(|a| b.iter().map(move |b| [a, b])).collect())
    }

    fn of_surfaces(&self) -> Result<Stored, &'static str> {
        let pairs = self.surface_pairs().ok_or("the hull of a piece is not found")?;
        let mut least: Option<Stored> = None;
        let error = Wide::of(OF_SURFACES * self.size);
        for [a, b] in pairs {
            let growth = Wide::sum(a.growth, b.growth);
            let soups = Soups::new(a, b, self.place.moved([Wide::of(0.0); 3]));
            let gap = soups.gap([0.0; 3]);
            if least.is_some_and(|least| gap.lower - growth.value() - soups.doubt() > least.upper.value()) {
                continue;
            }
            let distance = soups.fine();
            let found = match gap.is_inside {
                // Every point of the inner surface has that much room in the solid.
                true => Stored { lower: Wide::of(-UNKNOWN), upper: -distance - growth + error },
                false => Stored { lower: distance - growth - error, upper: distance - growth + error },
            };
            least = Some(least.map_or(found, |least| least.with(found)));
        }
        least.ok_or("a body has no piece")
    }

    fn unions(&self, by: Vector<f64>) -> Option<[Union; 2]> {
        let moved = Affine::of_rows(self.place.rough_rows, add(self.place.rough_shift, by));
        Some([self.bodies[0].union()?.clone(), self.bodies[1].union()?.mapped(&moved)])
    }

    fn of_unions(&self, hint: &Hint) -> Result<Stored, &'static str> {
        const MANY: &str = "a mesh of many triangles, or an inflated torus, beside a round body";
        let [a, b] = self.unions([0.0; 3]).ok_or(MANY)?;
        let (mut found, room) = (bracket(&a, &b, self.size), 2.0 * FILTER * self.size);
        if found.upper < 0.0 && a.is_convex() && b.is_convex() {
            found = self.of_convex_round([a.hull(), b.hull()], found, hint);
        }
        if found.lower > 0.0 && self.is_in_solid([&a, &b]) {
            let lower = of_hulls(&a, &b, &[]) - room;
            return Ok(Stored { lower: Wide::of(lower), upper: Wide::of(room - found.lower) });
        }
        Ok(Stored { lower: Wide::of(found.lower - room), upper: Wide::of(found.upper + room) })
    }

    /// The signed distance of convex bodies that overlap: the normal of a row is the start of one more
    /// search, and branch and bound proves an upper end that is not as low as that of the row.
    fn of_convex_round(&self, [a, b]: [&Convex; 2], found: Bracket, hint: &Hint) -> Bracket {
        let growth = a.growth + b.growth;
        let along: Vec<Vector<f64>> = hint.normal.into_iter().collect();
        let lower = found.lower.max(local::from_inside(a, b, &along).gap - growth);
        let mut upper = found.upper;
        if hint.upper.is_some_and(|stated| upper > stated) {
            let until = Until { width: DEPTH_WIDTH * self.size, above: f64::INFINITY, cells: CELLS };
            upper = upper.min(signed_distance(a, b, until, hint.normal).bracket.upper);
        }
        Bracket { lower, upper: upper.max(lower) }
    }

    /// Whether a piece of one begins in the solid of the other, a mesh.
    fn is_in_solid(&self, unions: [&Union; 2]) -> bool {
        let holds = |k: usize, p: Vector<f64>| {
            let is_mesh = matches!(self.bodies[k].parts, Parts::Mesh);
            let surfaces = if is_mesh { self.bodies[k].surfaces() } else { None };
            surfaces.is_some_and(|all| all.iter().any(|body| inside(body, &|t| body.corners(t), p)))
        };
        let first = |k: usize| unions[k].pieces.iter().map(Piece::any_point);
        let to_b = |p: Vector<f64>| self.place.rough_back(sub(p, self.place.rough_shift));
        first(1).any(|p| holds(0, p)) || first(0).any(|p| holds(1, to_b(p)))
    }

    /// Minus the length of the translation that a row names, if it leaves `room` metres between the
    /// bodies; of it and a few slightly longer ones the shortest.
    fn way_out(&self, hint: &Hint, room: Wide) -> Option<Wide> {
        let (normal, lower) = (hint.normal?, hint.lower.filter(|lower| lower.is_finite())?);
        let doubt = FILTER * self.size;
        let lengths = [0.0, 1.0, 4.0, 1e3].map(|units| (units * doubt - lower).max(0.0));
        lengths.into_iter().find(|&length| self.is_free(times(normal, length), room)).map(|length| {
            // The normal is a unit vector but for its rounding.
            Wide::of(-length) * norm(wide(normal))
        })
    }

    /// Whether the bodies are at least `room` metres apart with B moved by a vector.
    fn is_free(&self, by: Vector<f64>, room: Wide) -> bool {
        match (&self.bodies[0].parts, &self.bodies[1].parts) {
            (Parts::Round, _) | (_, Parts::Round) => self.unions(by).is_some_and(|[a, b]| {
                bracket(&a, &b, self.size).lower - 2.0 * FILTER * self.size >= room.value()
                    && !self.is_in_solid([&a, &b])
            }),
            (Parts::Cores(a), Parts::Cores(b)) => {
                let is_free = |pair: [&ConvexCore; 2]| {
                    let pair = self.pair(pair, self.place.moved(wide(by)));
                    let holds = |gap: Wide| (gap - pair.growth() - room).value() >= -2.0 * FINE * self.size;
                    // Cores that touch have no distance to divide by.
                    holds(nearest(&pair, Some(by)).lower) || (norm(by) > 0.0 && holds(pair.gap(wide(by))))
                };
                let pairs = self.core_pairs([a, b], by);
                pairs.into_iter().take_while(|(gap, _)| *gap < room.value()).all(|(_, pair)| is_free(pair))
            }
            _ => self.surface_pairs().is_some_and(|pairs| {
                pairs.into_iter().all(|[a, b]| {
                    let soups = Soups::new(a, b, self.place.moved([Wide::of(0.0); 3]));
                    let Gap { lower, is_inside, crosses, .. } = soups.gap(by);
                    let clear = lower - soups.doubt() - a.growth - b.growth;
                    !is_inside && !crosses && clear >= room.value() && (clear > 0.0 || lower > soups.doubt())
                })
            }),
        }
    }

    /// The gap of the hulls of both bodies along a row's normal, growth included, metres: no
    /// signed distance is less.
    fn hull_gap(&self, hint: &Hint) -> Wide {
        let along = hint.normal.unwrap_or([1.0, 0.0, 0.0]);
        let n = times(along, 1.0 / norm(along));
        let back = self.place.rough_back(n).map(|c| -c);
        let high = |body: &CheckedBody, d: Vector<f64>| body.height(d);
        let gap = dot(n, self.place.rough_shift) - high(self.bodies[0], n) - high(self.bodies[1], back);
        Wide::of(gap - 2.0 * FILTER * self.size)
    }

    /// A unit direction in A's frame along which the bodies may be apart: that of the nearest points
    /// of their hulls, else that of their middles.
    pub fn direction(&self) -> Option<Vector<f64>> {
        let middle = |k: usize| {
            let [low, high] = self.bodies[k].bounds;
            times(add(low, high), 0.5)
        };
        let between = sub(self.place.rough(middle(1)), middle(0));
        if let Some(along) = self.direction_of_round() {
            return Some(along);
        }
        let pair = self.pair(self.bodies.map(|body| &body.hull), self.place.moved([Wide::of(0.0); 3]));
        let found = nearest(&pair, None);
        let is_single = |body: &CheckedBody| matches!(&body.parts, Parts::Cores(cores) if cores.len() == 1);
        let nearest = match found.lower.value() > 0.0 {
            true => Some(values(found.between)),
            false if self.bodies.into_iter().all(is_single) => way_of_depth(&pair),
            false => None,
        };
        let along = nearest.filter(|d| norm(*d) > 1e-12 * self.size).unwrap_or(between);
        let length = norm(along);
        (length > 0.0).then(|| times(along, 1.0 / length))
    }

    /// The direction of [`Self::direction`], if a body is round.
    fn direction_of_round(&self) -> Option<Vector<f64>> {
        let is_round = |body: &CheckedBody| matches!(body.parts, Parts::Round);
        let [a, b] = if self.bodies.into_iter().any(is_round) { self.unions([0.0; 3])? } else { return None };
        let found = local::from_outside(a.hull(), b.hull(), f64::INFINITY);
        let found = if found.gap > 0.0 { found } else { local::from_inside(a.hull(), b.hull(), &[found.normal]) };
        Some(found.normal)
    }

    /// The ends of the signed distance in `f64`, rounding included, metres: quick, and coarse where
    /// the bodies overlap.
    pub fn rough(&self) -> [f64; 2] {
        let doubt = FILTER * self.size;
        match (&self.bodies[0].parts, &self.bodies[1].parts) {
            (Parts::Cores(a), Parts::Cores(b)) => {
                let mut ends = [f64::INFINITY; 2];
                for (gap, [a, b]) in self.core_pairs([a, b], [0.0; 3]) {
                    if gap > ends[1] {
                        break;
                    }
                    let pair = self.pair([a, b], self.place.moved([Wide::of(0.0); 3]));
                    let [mut lower, upper] = rough_distance(&pair, None);
                    if lower <= 0.0 {
                        lower = lower.max(overlap_gap(&pair) - doubt);
                    }
                    let growth = a.growth + b.growth;
                    ends = [ends[0].min(lower - growth), ends[1].min(upper - growth)];
                }
                ends
            }
            (Parts::Round, _) | (_, Parts::Round) => match self.of_unions(&Hint::default()) {
                Ok(Stored { lower, upper }) => [lower.value(), upper.value()],
                Err(_) => [f64::NEG_INFINITY, f64::INFINITY],
            },
            _ => {
                let Some(pairs) = self.surface_pairs() else { return [f64::NEG_INFINITY, f64::INFINITY] };
                let mut ends = [f64::INFINITY; 2];
                for [a, b] in pairs {
                    let soups = Soups::new(a, b, self.place.moved([Wide::of(0.0); 3]));
                    let (gap, growth) = (soups.gap([0.0; 3]), a.growth + b.growth);
                    let lower = if gap.is_inside || gap.crosses { f64::NEG_INFINITY } else { gap.lower - doubt };
                    ends = [ends[0].min(lower - growth), ends[1].min(gap.upper + doubt - growth)];
                }
                ends
            }
        }
    }
}

/// The direction of the depth of two cores that overlap; `None` where it is not found.
fn way_of_depth(pair: &Pair<'_>) -> Option<Vector<f64>> {
    let few = [pair.a, pair.b].iter().all(|core| core.points.len() <= MOST_OF_HULL && core.try_hull().is_some());
    let axis = [0.6, 0.48, 0.64];
    let largest = if few { depth::largest_gap(pair, pair.gap(wide(axis)))? } else { return None };
    Some(largest.direction.unwrap_or(axis))
}

/// The largest gap along some directions of cores that overlap, metres.
fn overlap_gap(pair: &Pair<'_>) -> f64 {
    let axes = (0..3).flat_map(|k| [-1.0, 1.0].map(|s| [0, 1, 2].map(|m| if m == k { s } else { 0.0 })));
    let between = sub(pair.place.rough(pair.b.ball.0), pair.a.ball.0);
    let length = norm(between);
    let along = (length > 0.0).then(|| times(between, 1.0 / length));
    axes.chain(along).map(|n| pair.rough_gap(n)).fold(f64::NEG_INFINITY, f64::max)
}

/// The signed distance of two inflated cores.
fn signed(pair: &Pair<'_>, hint: Option<Vector<f64>>) -> Stored {
    let (growth, error) = (pair.growth(), Wide::of(2.0 * FINE * pair.size));
    let found = nearest(pair, hint);
    if found.lower.value() > 0.0 {
        return Stored { lower: found.lower - growth, upper: found.upper - growth };
    }
    // The cores meet, as far as the search knows; any direction is a lower end.
    let mut lower = found.lower;
    for n in hint.into_iter().map(wide).chain((found.upper.value() > 0.0).then_some(found.between)) {
        if norm(values(n)) > 0.0 {
            let gap = pair.gap(n) - error;
            lower = if gap > lower { gap } else { lower };
        }
    }
    if lower.value() == -f64::MAX {
        lower = pair.gap(wide([0.6, 0.48, 0.64])) - error;
    }
    let few = [pair.a, pair.b].iter().all(|core| core.points.len() <= MOST_OF_HULL);
    let hulls = few && pair.a.try_hull().is_some() && pair.b.try_hull().is_some();
    // Without a facet the difference has no inside.
    let largest = if hulls { depth::largest_gap(pair, lower) } else { None };
    let (lower, upper) = match largest {
        Some(largest) => (largest.gap - error, largest.gap + error),
        None => (lower, found.upper),
    };
    let upper = if upper > found.upper { found.upper } else { upper };
    Stored { lower: if lower > upper { upper - growth } else { lower - growth }, upper: upper - growth }
}

/// Both ends of how far a point of the world is outside of a body (inside: below 0, and of meshes
/// unsigned), metres, in `f64`; `None` where it is not known.
pub fn distance_of(body: &CheckedBody, place: &Placement, p: Vector<f64>) -> Option<[f64; 2]> {
    let away = [0, 1, 2].map(|k: usize| Wide::sum(p[k], -place.position[k]) - Wide::of(place.rest[k]));
    let own = values(place.columns().map(|column| dot(column, away)));
    let still = Placement::new([0.0; 3], [1.0, 0.0, 0.0, 0.0]);
    match &body.parts {
        Parts::Cores(cores) => {
            let point = ConvexCore::new(vec![own], 0.0);
            let distance = |core: &ConvexCore| {
                let Stored { lower, upper } = signed(&Pair::new(core, &still, &point, &still), None);
                (upper - lower <= Wide::of(1e-13 * core.radius())).then(|| upper.value())
            };
            let found = cores.iter().map(distance).try_fold(f64::INFINITY, |least, found| Some(least.min(found?)));
            found.map(|off| [off; 2])
        }
        Parts::Mesh => {
            let surface = body.surfaces()?.first()?;
            let to = |t: &[usize; 3]| norm(sub(crate::gap::on_triangle(own, surface.corners(*t)), own));
            Some([surface.triangles.iter().map(to).fold(f64::INFINITY, f64::min) - surface.growth; 2])
        }
        Parts::Round => {
            let found = distance_of_point(body.union()?, own, body.reach + norm(own));
            Some([found.lower, found.upper])
        }
    }
}
