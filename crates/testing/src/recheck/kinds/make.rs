//! Bodies of all kinds, for the engine and for the verifier.

use clearsweep_model::{Model, Shape};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use clearsweep_scene::Geometry;

use super::body::Body;
use super::judge::Place;
use super::round::make as round;
use super::solids::Solid;
use crate::oracle::families::Random;
use crate::oracle::number::{Vector, add, times};
use crate::oracle::round::union::Union;

/// The kinds of bodies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Hull,
    Pieces,
    Decomposition,
    MeshSolid,
    MeshOpen,
    RoundedHull,
    RoundedMesh,
    Sphere,
    Capsule,
    Flat,
    Round,
    Torus,
    RoundParts,
}

impl Kind {
    pub const ALL: [Self; 13] = [
        Self::Hull,
        Self::Pieces,
        Self::Decomposition,
        Self::MeshSolid,
        Self::MeshOpen,
        Self::RoundedHull,
        Self::RoundedMesh,
        Self::Sphere,
        Self::Capsule,
        Self::Flat,
        Self::Round,
        Self::Torus,
        Self::RoundParts,
    ];

    /// Whether a body of this kind has an inside.
    pub fn is_solid(self) -> bool {
        !matches!(self, Self::MeshOpen | Self::Flat)
    }

    /// Whether a body of this kind may enclose a cavity.
    pub fn is_hollow(self) -> bool {
        matches!(self, Self::Pieces | Self::MeshSolid | Self::MeshOpen | Self::RoundedMesh)
    }
}

/// A body for the engine and for the verifier.
#[derive(Clone)]
pub struct Subject {
    pub body: Body,
    pub shape: Arc<Shape>,
    pub recipe: String,
    /// Exact, of round bodies; the triangles say roughly where they are.
    pub round: Option<Arc<Union>>,
}

/// A length on a grid of 1/64 of the unit.
fn grid(random: &mut Random, low: usize, high: usize) -> f64 {
    (low + random.below(high - low)) as f64 / 64.0
}

fn box_points(half: Vector<f64>) -> Vec<Vector<f64>> {
    let sign = |k: usize, axis: usize| if k >> axis & 1 == 1 { half[axis] } else { -half[axis] };
    (0..8).map(|k| [sign(k, 0), sign(k, 1), sign(k, 2)]).collect()
}

fn chamfered(half: Vector<f64>, cut: f64) -> Vec<Vector<f64>> {
    let mut points = Vec::new();
    for p in box_points(half) {
        for axis in 0..3 {
            let shorter = |k: usize| if k == axis { p[k] } else { p[k] - cut.copysign(p[k]) };
            points.push([shorter(0), shorter(1), shorter(2)]);
        }
    }
    points
}

/// Points whose hull has an inside: boxes, chamfered boxes, needles, prisms and points of a sphere.
fn convex(random: &mut Random) -> Vec<Vector<f64>> {
    let half = [0; 3].map(|_| grid(random, 8, 64));
    match random.below(5) {
        0 => box_points(half),
        1 => chamfered(half, 5.0 / 64.0),
        2 => box_points([half[0], half[1] / 16.0, half[2] / 32.0]),
        3 => {
            let (sides, height) = (3 + random.below(4), half[0]);
            let corner = |k: usize| (std::f64::consts::TAU * k as f64 / sides as f64).sin_cos();
            (0..sides)
                .flat_map(|k| [-height, height].map(|z| [half[1] * corner(k).1, half[1] * corner(k).0, z]))
                .collect()
        }
        _ => (0..10).map(|_| times(random.direction(), half[0])).collect(),
    }
}

/// A row of columns of cells, each of a height, extruded: an L, a U, stairs.
fn stairs(heights: &[usize], depth: usize, cell: Vector<f64>) -> Solid {
    let filled = |i: isize, j: isize, k: isize| {
        let column = usize::try_from(i).ok().and_then(|i| heights.get(i));
        column.is_some_and(|&h| (0..h as isize).contains(&k)) && (0..depth as isize).contains(&j)
    };
    let mut solid = Solid::default();
    let highest = heights.iter().copied().max().unwrap_or(0);
    let middle = [heights.len() as f64 / 2.0, depth as f64 / 2.0, highest as f64 / 2.0];
    let cells = (0..heights.len() as isize)
        .flat_map(|i| (0..depth as isize).flat_map(move |j| (0..highest as isize).map(move |k| [i, j, k])));
    for at in cells.filter(|&[i, j, k]| filled(i, j, k)) {
        for axis in 0..3 {
            for side in [0, 1] {
                let mut next = at;
                next[axis] += 2 * side - 1;
                if filled(next[0], next[1], next[2]) {
                    continue;
                }
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let mut corner = |i: isize, j: isize| {
                    let mut p = at;
                    (p[axis], p[u], p[v]) = (at[axis] + side, at[u] + i, at[v] + j);
                    let p = [0, 1, 2].map(|k: usize| (p[k] as f64 - middle[k]) * cell[k]);
                    let known = solid.vertices.iter().position(|q| *q == p);
                    known.unwrap_or_else(|| {
                        solid.vertices.push(p);
                        solid.vertices.len() - 1
                    })
                };
                let [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                solid.triangles.extend(if side == 1 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] });
            }
        }
    }
    solid
}

fn of_body(body: &Body) -> Solid {
    Solid { vertices: body.points.clone(), triangles: body.triangles.clone() }
}

/// A closed mesh and, if it encloses a cavity, how many of its triangles are the outer shell.
fn closed(random: &mut Random) -> (Solid, usize) {
    let cell = [0; 3].map(|_| grid(random, 8, 32));
    let solid = match random.below(8) {
        0 => Solid::cuboid([0; 3].map(|_| grid(random, 8, 64)), 1),
        1 => of_body(&Body::hull(chamfered([0; 3].map(|_| grid(random, 16, 64)), 5.0 / 64.0))),
        2 => of_body(&Body::hull(convex(random))),
        3 => stairs(&[2, 1, 2], 1, cell),
        4 => stairs(&[2, 1], 1, cell),
        5 => Solid::ring(grid(random, 40, 64), grid(random, 8, 24), 6, 4),
        6 => {
            let (k, size) = (random.between(1.0, 4.0), grid(random, 16, 64));
            Solid::ball(size, 4, 6, move |d| 0.3 * (k * d[0]).sin() * (k * d[1] + 1.0).cos())
        }
        _ => return hollow(random),
    };
    (solid, 0)
}

fn hollow(random: &mut Random) -> (Solid, usize) {
    let half = [0; 3].map(|_| grid(random, 40, 64));
    let outer = Solid::cuboid(half, 1);
    let shell = outer.triangles.len();
    (outer.and(&Solid::cuboid(half.map(|h| h - 8.0 / 64.0), 1).flipped()), shell)
}

fn mesh(solid: &Solid, shell: usize, is_closed: bool) -> Body {
    let mut body = Body::surface(solid.vertices.clone(), solid.triangles.clone(), is_closed);
    body.filled = solid.triangles[..shell].to_vec();
    body
}

fn scaled(points: &[Vector<f64>], scale: f64) -> Vec<Vector<f64>> {
    points.iter().map(|&p| times(p, scale)).collect()
}

/// A convex polygon across an axis, or a segment along it.
fn flat_piece(random: &mut Random) -> Vec<Vector<f64>> {
    let [x, y, z] = [0; 3].map(|_| grid(random, 8, 64));
    match random.below(3) {
        0 => vec![[0.0, 0.0, -z], [0.0, 0.0, z]],
        1 => vec![[-x, -y, z], [x, -y, z], [x, y, z], [-x, y, z]],
        _ => vec![[x, -y, -z], [x, y, -z], [x, 0.0, z]],
    }
}

/// Six walls around a void, or an L, a U, or two hulls through each other, or a hull with a fin or
/// a rod without a volume.
fn pieces(random: &mut Random, scale: f64) -> Subject {
    let mut parts: Vec<(Vec<Vector<f64>>, Vector<f64>)> = Vec::new();
    let (mut walls, mut flat) = (false, None);
    match random.below(4) {
        0 => {
            walls = true;
            let (h, t) = (grid(random, 40, 64), 5.0 / 64.0);
            for axis in 0..3 {
                for side in [-1.0, 1.0] {
                    let mut half = [h; 3];
                    let mut middle = [0.0; 3];
                    (half[axis], middle[axis]) = (t, side * (h - t));
                    parts.push((box_points(half), middle));
                }
            }
        }
        1 => {
            let (h, t) = (grid(random, 24, 64), 8.0 / 64.0);
            parts.push((box_points([h, h, t]), [0.0; 3]));
            parts.push((box_points([t, h, h]), [h - t, 0.0, h - t]));
            if random.chance(0.5) {
                parts.push((box_points([t, h, h]), [t - h, 0.0, h - t]));
            }
        }
        2 => {
            parts.push((convex(random), [0.0; 3]));
            flat = Some(parts.len());
            parts.push((flat_piece(random), [0; 3].map(|_| grid(random, 0, 32))));
        }
        _ => {
            parts.push((convex(random), [0.0; 3]));
            parts.push((convex(random), [0; 3].map(|_| grid(random, 0, 32))));
        }
    }
    let parts: Vec<Vec<Vector<f64>>> =
        parts.iter().map(|(p, m)| p.iter().map(|&v| times(add(v, *m), scale)).collect()).collect();
    let of_part = |(k, p): (usize, &Vec<Vector<f64>>)| match flat == Some(k) {
        true => Body::flat(p.clone()),
        false => Body::hull(p.clone()),
    };
    let bodies: Vec<Body> = parts.iter().enumerate().map(of_part).collect();
    let mut body = Body::union(&bodies);
    if walls {
        // The outer box: the outer corners of the walls.
        let h = body.points.iter().map(|p| p[0]).fold(0.0, f64::max);
        let first = body.points.len();
        body.points.extend(box_points([h; 3]));
        let outer = Body::hull(box_points([h; 3]));
        body.filled = outer.triangles.iter().map(|t| t.map(|v| v + first)).collect();
    }
    let recipe = format!("pieces {parts:?}");
    Subject { body, shape: Geometry::Pieces(parts).shape(0.0).expect("a body"), recipe, round: None }
}

fn convex_subject(body: Body, growth: f64) -> Subject {
    let recipe = format!("points {:?} growth {growth:?}", body.points);
    let shape = Geometry::Points(body.points.clone()).shape(growth).expect("a body");
    Subject { body: Body { growth, ..body }, shape, recipe, round: None }
}

fn mesh_subject(solid: Solid, shell: usize, is_closed: bool, model: Model, growth: f64, scale: f64) -> Subject {
    let solid = Solid { vertices: scaled(&solid.vertices, scale), ..solid };
    let recipe = format!("{model:?} {:?} {:?} growth {growth:?}", solid.vertices, solid.triangles);
    let body = Body { growth, ..mesh(&solid, shell, is_closed) };
    let shape = if model == Model::Decomposition { decomposed(&solid, &recipe) } else { solid.shape(model, growth) };
    Subject { body, shape, recipe, round: None }
}

/// The decomposition of a solid, which is slow to find, once for each recipe.
fn decomposed(solid: &Solid, recipe: &str) -> Arc<Shape> {
    static FOUND: Mutex<BTreeMap<String, Arc<Shape>>> = Mutex::new(BTreeMap::new());
    let known = FOUND.lock().expect("nothing panics with it").get(recipe).cloned();
    known.unwrap_or_else(|| {
        let shape = solid.shape(Model::Decomposition, 0.0);
        FOUND.lock().expect("nothing panics with it").insert(recipe.to_string(), shape.clone());
        shape
    })
}

/// A mesh with triangles missing, or a sheet.
fn open(random: &mut Random) -> (Solid, usize, Solid) {
    match random.below(4) {
        0 => {
            let (half, n) = ([0; 3].map(|_| grid(random, 8, 64)), 2);
            let whole = Solid::cuboid(half, n);
            let h = half[2];
            let sheet = whole.clone().without(move |t| t.iter().any(|v| v[2] != h));
            (used(&sheet), 0, whole)
        }
        1 => {
            let (solid, _) = closed(random);
            let mut open = solid.clone();
            open.triangles.truncate(solid.triangles.len() - 2);
            (used(&open), 0, solid)
        }
        _ => {
            // A shell: an open box around a void.
            let whole = Solid::cuboid([0; 3].map(|_| grid(random, 40, 64)), 1);
            let mut open = whole.clone();
            open.triangles.truncate(whole.triangles.len() - 1);
            let shell = whole.triangles.len();
            (open, shell, whole)
        }
    }
}

/// Without the vertices that no triangle uses.
fn used(solid: &Solid) -> Solid {
    let mut out = Solid::default();
    let mut at = vec![usize::MAX; solid.vertices.len()];
    for t in &solid.triangles {
        let t = t.map(|v| {
            if at[v] == usize::MAX {
                at[v] = out.vertices.len();
                out.vertices.push(solid.vertices[v]);
            }
            at[v]
        });
        out.triangles.push(t);
    }
    out
}

/// Sizes of the bodies of a pool, units of length: small ones have their place inside of others.
const SIZES: [f64; 6] = [1.0, 0.125, 1.0, 0.125, 1.0, 1.0 / 64.0];

/// Bodies of a kind, large and small: the first encloses a cavity, if the kind can.
pub fn pool(kind: Kind, random: &mut Random, scale: f64) -> Vec<Subject> {
    let is_round = matches!(kind, Kind::Round | Kind::Torus | Kind::RoundParts);
    let mut subject = |k: usize| loop {
        let tiny = if is_round && k == 5 && random.chance(0.3) { random.scale(1e-6, 1.0) } else { 1.0 };
        let subject = make(kind, random, scale * SIZES[k] * tiny);
        if k > 0 || !kind.is_hollow() || !subject.body.filled.is_empty() {
            return subject;
        }
    };
    // Decompositions are slow to find: each size has one.
    let distinct = if kind == Kind::Decomposition { [0, 1, 0, 1, 0, 5] } else { [0, 1, 2, 3, 4, 5] };
    let mut pool: Vec<Subject> = Vec::with_capacity(SIZES.len());
    for (k, of) in distinct.into_iter().enumerate() {
        let next = if of < k { pool[of].clone() } else { subject(k) };
        pool.push(next);
    }
    pool
}

/// Numbers in pools of bodies that can be in a place to each other.
pub fn choose(random: &mut Random, kinds: [Kind; 2], aim: Place) -> [usize; 2] {
    let is_holder = |kind: Kind| match aim {
        Place::Cavity => kind.is_hollow(),
        Place::Inside => kind.is_solid(),
        _ => false,
    };
    let holders: Vec<usize> = (0..2).filter(|&k| is_holder(kinds[k])).collect();
    if holders.is_empty() {
        return [0; 2].map(|_| random.below(SIZES.len()));
    }
    let holder = holders[random.below(holders.len())];
    let large = if aim == Place::Cavity { 0 } else { 2 * random.below(3) };
    let small = [1, 3, 5][random.below(3)];
    if holder == 0 { [large, small] } else { [small, large] }
}

/// Returns a body of a kind, with lengths multiplied by `scale`.
pub fn make(kind: Kind, random: &mut Random, scale: f64) -> Subject {
    let growth = scale * grid(random, 2, 24);
    match kind {
        Kind::Hull => convex_subject(Body::hull(scaled(&convex(random), scale)), 0.0),
        Kind::RoundedHull => convex_subject(Body::hull(scaled(&convex(random), scale)), growth),
        Kind::Pieces => pieces(random, scale),
        Kind::Decomposition => {
            // Decompositions are slow to find: few proportions, so that many bodies share one.
            let cell = [[8.0, 17.0, 31.0], [17.0; 3], [31.0, 8.0, 17.0]][random.below(3)].map(|c: f64| c / 64.0);
            let solid = if random.chance(0.5) { stairs(&[2, 1, 2], 1, cell) } else { stairs(&[2, 1], 1, cell) };
            mesh_subject(solid, 0, true, Model::Decomposition, 0.0, scale)
        }
        Kind::MeshSolid => {
            let (solid, shell) = closed(random);
            mesh_subject(solid, shell, true, Model::Mesh, 0.0, scale)
        }
        Kind::RoundedMesh => {
            let (solid, shell) = closed(random);
            mesh_subject(solid, shell, true, Model::Mesh, scale * 3.0 / 64.0, scale)
        }
        Kind::MeshOpen => {
            let (solid, shell, whole) = open(random);
            let mut subject = mesh_subject(solid, 0, false, Model::Mesh, 0.0, scale);
            if shell > 0 {
                subject.body.filled = whole.triangles;
            }
            subject
        }
        Kind::Round => round::single(round::CONVEX[random.below(round::CONVEX.len())], random, scale),
        Kind::Torus => round::single(round::TORI[random.below(2)], random, scale),
        Kind::RoundParts => round::parts(random, scale),
        Kind::Sphere => convex_subject(Body::flat(vec![[0.0; 3]]), 2.0 * growth),
        Kind::Capsule => {
            let half = scale * grid(random, 4, 64);
            convex_subject(Body::flat(vec![[0.0, 0.0, -half], [0.0, 0.0, half]]), growth)
        }
        Kind::Flat => {
            let [x, y] = [0; 2].map(|_| scale * grid(random, 8, 64));
            let corner = |k: usize| (std::f64::consts::TAU * k as f64 / 5.0).sin_cos();
            let points = if random.chance(0.5) {
                vec![[-x, -y, 0.0], [x, -y, 0.0], [x, y, 0.0], [-x, y, 0.0]]
            } else {
                (0..5).map(|k| [x * corner(k).1, x * corner(k).0, 0.0]).collect()
            };
            convex_subject(Body::flat(points), 0.0)
        }
    }
}
