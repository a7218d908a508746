//! Between the oracle and the engine: the same body for both, and the checks that every answer must
//! pass.

use clearsweep_geometry::hull::convex_hull;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_model::{Model, Piece, QueryOptions, Shape};
use clearsweep_narrow::{Method, Proximity, Status, query_one};

use crate::oracle::families::{Recipe, cuboid};
use crate::oracle::number::{Number, Vector, Wide, add, dot, norm, sub, times, unit, values, wide};
use crate::oracle::{self, Body, Placement, Truth};

/// Options if nothing else is said: every pair has a row.
pub const EVERYTHING: QueryOptions = QueryOptions::EVERYTHING;

/// A body for the oracle and for the engine.
pub struct Solid {
    pub name: String,
    pub body: Body,
    pub shape: Shape,
    pub points: Vec<Vector<f64>>,
    pub growth: f64,
}

impl Solid {
    pub fn new(name: &str, points: Vec<Vector<f64>>, growth: f64) -> Self {
        let body = Body::new(&points, growth);
        Self { name: name.to_string(), body, shape: shape(&points, growth), points, growth }
    }

    pub fn from_recipe(recipe: Recipe) -> Self {
        Self::new(recipe.name, recipe.points, recipe.growth)
    }

    /// A box by its half sides.
    pub fn cuboid(half: [f64; 3]) -> Self {
        Self::new("box", cuboid(half), 0.0)
    }

    pub fn sphere(growth: f64) -> Self {
        Self::new("sphere", vec![[0.0; 3]], growth)
    }

    pub fn capsule(growth: f64, half: f64) -> Self {
        Self::new("capsule", vec![[0.0, 0.0, -half], [0.0, 0.0, half]], growth)
    }

    /// All that is needed to bring the case back.
    pub fn recipe(&self) -> String {
        format!("{} growth {:?} points {:?}", self.name, self.growth, self.points)
    }
}

/// The engine's shape: the hull of the points, not recentred.
pub fn shape(points: &[Vector<f64>], growth: f64) -> Shape {
    let points: Vec<Vec3<f64>> = points.iter().map(|&p| p.into()).collect();
    let core = convex_hull(&points).expect("finite points have a hull");
    let radius = if growth > 0.0 { (core.radius + growth).next_up() } else { core.radius };
    Shape {
        model: Model::Hull,
        pieces: vec![Piece { core, radius: growth }],
        hull: None,
        center: Vec3::ZERO,
        middle: Vec3::ZERO,
        radius,
        vertices: points.len() as u64,
        triangles: 0,
        watertight: None,
        fit: None,
        deviation: 0.0,
        decomposition_deviation: None,
        uneven: None,
        coordinate_step: 0.0,
        mesh: None,
        faces: Default::default(),
        tree: Default::default(),
        parts: Default::default(),
        condition: None,
    }
}

/// The engine's pose.
pub fn pose(p: &Placement) -> Pose {
    Pose { position: p.position.into(), rest: p.rest.into(), q: p.q }
}

/// All bits of a row but its sample.
pub fn bits(row: &Proximity) -> Vec<u64> {
    let mut bits = vec![row.status as u64, row.method as u64];
    bits.extend(row.feature_kind.map(|k| k as u64));
    bits.extend(row.feature.map(|f| f as u64));
    bits.extend(row.part.map(|p| p as u64));
    bits.extend([row.distance, row.lower, row.upper].map(f64::to_bits));
    for v in [row.point_a, row.point_b, row.normal] {
        bits.extend(v.to_array().map(f64::to_bits));
    }
    bits
}

/// A checked answer.
#[derive(Clone, Copy, Debug)]
pub struct Checked {
    pub row: Proximity,
    /// The oracle's signed distance, metres, and its normal (world).
    pub truth: f64,
    pub normal: Vector<f64>,
    /// Size of the pair, metres.
    pub size: f64,
    /// |distance - truth| / size.
    pub error: f64,
    /// (upper - lower) / size.
    pub bracket: f64,
}

/// Asks the engine and the oracle, and checks all that one answer can be checked for. The error
/// says what is wrong.
pub fn check(a: &Solid, pa: &Placement, b: &Solid, pb: &Placement) -> Result<Checked, String> {
    let row = query_one(&a.shape, &b.shape, &pose(pa), &pose(pb), &EVERYTHING);
    let truth = oracle::signed_distance(&a.body, pa, &b.body, pb);
    let size = oracle::size(&a.body, pa, &b.body, pb);
    let mut wrong = Vec::new();
    if truth.gap.is_nan() || truth.gap > 1e-15 * size {
        wrong.push(format!("the ORACLE is not certified: {truth:?}"));
    }
    check_bracket(&row, &truth, size, &mut wrong);
    check_status(&row, &mut wrong);
    check_witnesses(a, pa, b, pb, &row, size, &mut wrong);
    check_swap(a, pa, b, pb, &row, size, &mut wrong);
    if !wrong.is_empty() {
        let report = wrong.join("; ");
        return Err(format!("{report}\n  truth {:?}\n  row {row:?}\n{}", truth, recipe(a, pa, b, pb)));
    }
    let error = (Wide::of(row.distance) - truth.distance).value().abs() / size;
    let bracket = (row.upper - row.lower) / size;
    Ok(Checked { row, truth: truth.distance.value(), normal: truth.normal, size, error, bracket })
}

/// False for NaN, too.
fn at_most(value: f64, limit: f64) -> bool {
    value <= limit
}

/// All that is needed to bring a case back; `{:?}` of an `f64` is exact.
pub fn recipe(a: &Solid, pa: &Placement, b: &Solid, pb: &Placement) -> String {
    format!("  A {}\n  at {pa:?}\n  B {}\n  at {pb:?}", a.recipe(), b.recipe())
}

fn check_bracket(row: &Proximity, truth: &Truth, size: f64, wrong: &mut Vec<String>) {
    let numbers = [row.distance, row.lower, row.upper].into_iter();
    let vectors = [row.point_a, row.point_b, row.normal].into_iter().flat_map(Vec3::to_array);
    if numbers.chain(vectors).any(|x| !x.is_finite()) {
        wrong.push("not finite".to_string());
    }
    if row.method == Method::None || row.status == Status::Uncertified {
        wrong.push("uncertified".to_string());
    }
    let (truth, doubt) = (truth.distance, 1e-18 * size);
    let below = (Wide::of(row.lower) - truth).value();
    let above = (truth - Wide::of(row.upper)).value();
    if !(at_most(below, doubt) && at_most(above, doubt)) {
        wrong.push(format!("the truth is outside the bracket (lower - truth {below:e}, truth - upper {above:e})"));
    }
    if !(row.lower <= row.distance && row.distance <= row.upper) {
        wrong.push("the distance is outside the bracket".to_string());
    }
    if !at_most(row.upper - row.lower, 1e-12 * size) {
        wrong.push(format!("the bracket is {:e} of the size wide", (row.upper - row.lower) / size));
    }
    let error = (Wide::of(row.distance) - truth).value().abs();
    if !at_most(error, 1e-12 * size) {
        wrong.push(format!("the distance is off by {error:e}"));
    }
}

fn check_status(row: &Proximity, wrong: &mut Vec<String>) {
    let expected = if row.lower > 0.0 {
        Status::Separated
    } else if row.upper < 0.0 {
        Status::Penetrating
    } else {
        Status::Touching
    };
    if row.status != expected {
        wrong.push(format!("the status should be {expected:?}"));
    }
}

fn check_witnesses(
    a: &Solid,
    pa: &Placement,
    b: &Solid,
    pb: &Placement,
    row: &Proximity,
    size: f64,
    wrong: &mut Vec<String>,
) {
    let (on_a, on_b, n) = (row.point_a.to_array(), row.point_b.to_array(), row.normal.to_array());
    let identity = norm(values(sub(wide(on_b), add(wide(on_a), times(wide(n), Wide::of(row.distance))))));
    if !at_most(identity, 1e-12 * size) {
        wrong.push(format!("b is {identity:e} away from a + d n"));
    }
    let length = norm(wide(n)).value();
    if !at_most((length - 1.0).abs(), 1e-15) {
        wrong.push(format!("|n| - 1 = {:e}", length - 1.0));
    }
    let off = oracle::off_surfaces(&a.body, pa, &b.body, pb, on_a, on_b);
    if !off.iter().all(|&off| at_most(off, 1e-9 * size)) {
        wrong.push(format!("the witnesses are {off:?} off their bodies"));
    }
    // The direction itself: along it the bodies are apart (or overlap) by the distance.
    let along = oracle::separation_along(&a.body, pa, &b.body, pb, oracle::out_of_frame(pa, n));
    let error = (along - Wide::of(row.distance)).value().abs();
    if !at_most(error, 1e-12 * size) {
        wrong.push(format!("along n the separation is {:e}, off by {error:e}", along.value()));
    }
}

fn check_swap(
    a: &Solid,
    pa: &Placement,
    b: &Solid,
    pb: &Placement,
    row: &Proximity,
    size: f64,
    wrong: &mut Vec<String>,
) {
    let other = query_one(&b.shape, &a.shape, &pose(pb), &pose(pa), &EVERYTHING);
    let meet = other.lower <= row.upper && row.lower <= other.upper;
    let error = (other.distance - row.distance).abs();
    if !(meet && at_most(error, 1e-12 * size)) {
        wrong.push(format!("swapped, the distance is {:?}, off by {error:e}", other.distance));
    }
}

/// Whether two rows of swapped bodies have opposite normals, in the world.
pub fn opposite(pa: &Placement, ab: &Proximity, pb: &Placement, ba: &Proximity) -> bool {
    let n = oracle::out_of_frame(pa, ab.normal.to_array());
    let m = oracle::out_of_frame(pb, ba.normal.to_array());
    dot(unit(n), unit(m)) < -1.0 + 1e-9
}
