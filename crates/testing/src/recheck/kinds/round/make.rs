//! Round bodies, for the engine as keys of a scene, for the oracle as parametrized sets.

use std::f64::consts::PI;
use std::fmt::Write;
use std::sync::Arc;

use clearsweep_model::{SceneOverrides, Shape};

use crate::oracle::Placement;
use crate::oracle::families::Random;
use crate::oracle::number::{Vector, add};
use crate::oracle::round::sets::{Affine, Convex, Set};
use crate::oracle::round::sweep::{Section, Sweep};
use crate::oracle::round::union::{Piece, Union};
use crate::recheck::kinds::body::Body;
use crate::recheck::kinds::make::Subject;
use crate::recheck::place::Place;
use crate::solids::Solid;

/// Shapes that are round.
pub const CONVEX: [&str; 8] = ["cylinder", "cone", "skew", "ellipsoid", "spherical", "elliptical", "ball", "pill"];
/// Shapes that are not convex.
pub const TORI: [&str; 2] = ["torus", "duct"];

/// A part of a body: keys of the scene, and what they mean.
struct Part {
    keys: String,
    piece: Piece,
}

/// A length of a shape, in units: a few are much shorter than others.
fn length(random: &mut Random) -> f64 {
    let length = (8 + random.below(56)) as f64 / 64.0;
    if random.chance(0.06) { length * random.scale(1e-6, 0.1) } else { length }
}

fn slope(degrees: f64) -> f64 {
    libm::tan(degrees * (PI / 180.0))
}

/// A shape about its own origin.
fn shape(name: &str, random: &mut Random, scale: f64) -> Part {
    let [r, h, other] = [0; 3].map(|_| scale * length(random));
    let along = |v: [f64; 3]| [[v[0], 0.0, 0.0], [0.0, v[1], 0.0], [0.0, 0.0, v[2]]];
    let disc = |middle: Vector<f64>, radius: f64, shear: [f64; 2]| Set::Ellipse {
        middle,
        half: [[radius, 0.0, radius * slope(shear[0])], [0.0, radius, radius * slope(shear[1])]],
    };
    let hull = |sets: Vec<Set>| Piece::Convex(Convex::new(sets, 0.0));
    let ball = |z: f64| Set::Ellipsoid { middle: [0.0, 0.0, z], half: along([r; 3]) };
    let (keys, piece) = match name {
        "cylinder" => {
            let ends = [-0.5 * h, 0.5 * h].map(|z| disc([0.0, 0.0, z], r, [0.0; 2]));
            (format!("cylinder = [{r:?}, {h:?}]"), hull(ends.to_vec()))
        }
        "cone" => {
            let top = if random.chance(0.3) { 0.0 } else { other };
            let ends = [disc([0.0, 0.0, -0.5 * h], r, [0.0; 2]), disc([0.0, 0.0, 0.5 * h], top, [0.0; 2])];
            (format!("cone = [{r:?}, {top:?}, {h:?}]"), hull(ends.to_vec()))
        }
        "skew" => {
            let h = h.max(0.5 * (r + other));
            let offset = if random.chance(0.5) { [0.0; 2] } else { [0.5 * r, -0.25 * other] };
            let shear = |random: &mut Random| [0; 2].map(|_| [0.0, 10.0, -7.5, 15.0][random.below(4)]);
            let (low, high) = (shear(random), shear(random));
            let middle = |share: f64| [share * offset[0], share * offset[1], share * h];
            let ends = [disc(middle(-0.5), r, low), disc(middle(0.5), other, high)];
            let keys = format!(
                "cone = [{r:?}, {other:?}, {h:?}], offset_xy = {offset:?}, bottom_shear = {low:?}, top_shear = {high:?}"
            );
            (keys, hull(ends.to_vec()))
        }
        "ellipsoid" => {
            let half = if random.chance(0.3) { [r, r, h] } else { [r, other, h] };
            let set = Set::Ellipsoid { middle: [0.0; 3], half: along(half) };
            (format!("ellipsoid = {half:?}"), hull(vec![set]))
        }
        "spherical" => {
            // Pressure vessels have shallow ones.
            let h = if random.chance(0.3) { r * random.scale(1e-6, 0.3) } else { h };
            let set = Set::Dome { radius: r, height: h, map: Affine::IDENTITY };
            (format!("dish = [{r:?}, {h:?}], kind = \"spherical\""), hull(vec![set]))
        }
        "elliptical" => {
            let set = Set::Bowl { radius: r, height: h, map: Affine::IDENTITY };
            (format!("dish = [{r:?}, {h:?}], kind = \"elliptical\""), hull(vec![set]))
        }
        "ball" => (format!("sphere = {r:?}"), hull(vec![ball(0.0)])),
        "pill" => (format!("capsule = [{r:?}, {h:?}]"), hull(vec![ball(-0.5 * h), ball(0.5 * h)])),
        _ => {
            let degrees = [360.0, 360.0, 90.0, 45.0, 180.0, random.between(5.0, 350.0)][random.below(6)];
            let (keys, section) = if name == "torus" {
                let tube = if random.chance(0.1) { r } else { r * random.between(0.1, 0.7) };
                (format!("torus = [{r:?}, {tube:?}]"), Section::Disc { arc: r, radius: tube })
            } else {
                let inner = if random.chance(0.1) { 0.0 } else { r * random.between(0.2, 0.9) };
                let section = Section::Rectangle { inner, outer: r, half_height: 0.5 * h };
                (format!("rectangular_torus = [{inner:?}, {r:?}, {h:?}]"), section)
            };
            let sweep = Sweep { section, angle: degrees * (PI / 180.0), map: Affine::IDENTITY };
            (format!("{keys}, angle = {degrees:?}"), Piece::Sweep(sweep))
        }
    };
    Part { keys, piece }
}

/// Rows of a linear map: along the axes, sheared, mirrored, or turned and stretched.
fn matrix(random: &mut Random) -> [Vector<f64>; 3] {
    let [x, y, z] = [0; 3].map(|_| random.between(0.4, 1.6));
    match random.below(4) {
        0 => [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]],
        1 => [[1.0, 0.0, 0.5], [0.0, 1.0, -0.25], [0.0, 0.0, 1.0]],
        2 => [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]],
        _ => {
            let rows = rotation(random.turn()).map(|row| [row[0] * x, row[1] * y, row[2] * z]);
            if random.chance(0.5) { rows } else { [rows[1], rows[0], rows[2]] }
        }
    }
}

/// Rows of the rotation of a quaternion.
fn rotation(q: [f64; 4]) -> [Vector<f64>; 3] {
    Place::new(&Placement::new([0.0; 3], [1.0, 0.0, 0.0, 0.0]), &Placement::new([0.0; 3], q)).rough_rows
}

/// A shape, mostly as it is, else under a linear map.
fn mapped_shape(name: &str, random: &mut Random, scale: f64) -> Part {
    let mut part = shape(name, random, scale);
    if matches!(name, "ball" | "pill") || random.chance(0.25) {
        let rows = matrix(random);
        part.piece = part.piece.mapped(&Affine::of_rows(rows, [0.0; 3]));
        write!(part.keys, ", matrix = {rows:?}").expect("a text");
    }
    part
}

/// The shape that the keys of a body make.
fn of_keys(keys: &str) -> Arc<Shape> {
    let text =
        format!("[scene]\nlength_unit = \"m\"\n[query]\nwithin = 1\n[[body]]\nname = \"a\"\nstatic = true\n{keys}\n");
    let scene = clearsweep_scene::scene_of_text(&text, &SceneOverrides::default());
    let scene = scene.unwrap_or_else(|error| panic!("{error}: {keys}"));
    Arc::clone(&scene.bodies[0].shape)
}

/// A body of one shape.
pub fn single(name: &str, random: &mut Random, scale: f64) -> Subject {
    let part = mapped_shape(name, random, scale);
    let keys = match part.keys.split_once(", matrix") {
        Some((shape, rows)) => format!("shape = {{ {shape} }}\nmatrix{rows}"),
        None => format!("shape = {{ {} }}", part.keys),
    };
    subject(&keys, vec![part.piece])
}

/// A run of pipe and the like: two or three shapes, one of them round.
pub fn parts(random: &mut Random, scale: f64) -> Subject {
    let (mut keys, mut pieces) = (Vec::new(), Vec::new());
    for k in 0..2 + random.below(2) {
        let name = match k {
            0 => CONVEX[random.below(CONVEX.len())],
            1 => TORI[random.below(2)],
            _ => "box",
        };
        let part = match name {
            "box" => {
                let sides = [0; 3].map(|_| scale * length(random));
                let corner = |i: usize| [0, 1, 2].map(|k: usize| if i >> k & 1 == 1 { 0.5 } else { -0.5 } * sides[k]);
                let set = Set::Points((0..8).map(corner).collect());
                Part { keys: format!("box = {sides:?}"), piece: Piece::Convex(Convex::new(vec![set], 0.0)) }
            }
            name => mapped_shape(name, random, scale),
        };
        let at = [0; 3].map(|_| scale * [0.0, 0.5, -0.25][random.below(3)]);
        let q = if random.chance(0.7) { random.quarter_turn() } else { random.turn() };
        let [w, x, y, z] = q;
        keys.push(format!(
            "{{ {}, position = {at:?}, orientation = {{ qw = {w:?}, qx = {x:?}, qy = {y:?}, qz = {z:?} }} }}",
            part.keys
        ));
        pieces.push(part.piece.mapped(&Affine::of_rows(rotation(q), at)));
    }
    subject(&format!("parts = [{}]", keys.join(", ")), pieces)
}

fn subject(keys: &str, pieces: Vec<Piece>) -> Subject {
    let union = Union::new(pieces);
    let inner: Vec<Body> = union.pieces.iter().flat_map(inscribed).collect();
    let mut body = match &inner[..] {
        [one] => one.clone(),
        several => Body::union(several),
    };
    body.reach = union.reach();
    Subject { body, shape: of_keys(keys), recipe: keys.to_owned(), round: Some(Arc::new(union)) }
}

/// Boxes that say roughly where a piece is.
fn inscribed(piece: &Piece) -> Vec<Body> {
    let sets: Vec<Convex> = match piece {
        Piece::Convex(convex) => vec![convex.clone()],
        Piece::Sweep(sweep) => {
            let count = (8.0 * sweep.angle / std::f64::consts::TAU).ceil();
            let at = |k: f64| sweep.angle * k / count;
            let ends = |k: u32| [at(f64::from(k)), at(f64::from(k + 1))];
            (0..count as u32).filter_map(|k| sweep.within(ends(k))).collect()
        }
    };
    let sets = if sets.is_empty() { vec![piece.around(piece.range()).into_owned()] } else { sets };
    sets.iter().map(block).collect()
}

/// A box in the middle of a set.
fn block(set: &Convex) -> Body {
    let along = |k: usize| [0, 1, 2].map(|m| if m == k { 1.0 } else { 0.0 });
    let half = [0, 1, 2].map(|k| 0.6 * (set.farthest(along(k))[k] - set.middle[k]));
    let solid = Solid::cuboid(half, 1);
    let points = solid.vertices.iter().map(|&p| add(p, set.middle)).collect();
    Body { is_convex: true, ..Body::surface(points, solid.triangles, true) }
}
