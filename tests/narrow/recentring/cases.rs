//! Pairs of bodies of 1e-3 m to 1e3 m whose geometry lies up to 1e6 m from its own origin.

use super::oracle::{Body, Place};
use clearsweep_testing::random::Random;

const STILL: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

fn sign(random: &mut Random) -> f64 {
    if random.below(2) == 0 { 1.0 } else { -1.0 }
}

/// Identity, a quarter turn that is exact or rounded, or any.
fn any_turn(random: &mut Random) -> [f64; 4] {
    let half = 0.5_f64.sqrt();
    match random.below(6) {
        0 | 1 => STILL,
        2 => [0.5, 0.5, -0.5, 0.5],
        3 => [half, 0.0, 0.0, half],
        _ => random.turn(),
    }
}

/// Returns the place of a body of a size in its own frame: far along each of the axes, or beside
/// its origin along some.
fn offset(random: &mut Random, size: f64) -> [f64; 3] {
    let far = random.scale(1e-2, 1e6);
    [0; 3].map(|_| match random.below(3) {
        0 => random.between(-3.0, 3.0) * size,
        _ => sign(random) * random.between(0.1, 1.0) * far,
    })
}

/// A box between two corners.
pub fn cuboid(low: [f64; 3], high: [f64; 3]) -> Body {
    let vertices = (0..8_usize).map(|i| [0, 1, 2].map(|k: usize| if i >> k & 1 == 0 { low[k] } else { high[k] }));
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let edge = |i: usize, k: usize| (i >> k & 1 == 0).then_some([i, i | 1 << k]);
    Body {
        vertices: vertices.collect(),
        planes: vec![[0, 2, 1], [0, 1, 4], [0, 4, 2]],
        ways: vec![[0, 1], [0, 2], [0, 4]],
        triangles: quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect(),
        edges: (0..8).flat_map(|i| (0..3).filter_map(move |k| edge(i, k))).collect(),
        growth: 0.0,
    }
}

pub fn tetrahedron(corners: [[f64; 3]; 4]) -> Body {
    let faces = vec![[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]];
    let edges = vec![[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    Body {
        vertices: corners.to_vec(),
        planes: faces.clone(),
        ways: edges.clone(),
        triangles: faces,
        edges,
        growth: 0.0,
    }
}

fn sum(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|k: usize| a[k] + b[k])
}

fn rotated([w, x, y, z]: [f64; 4], v: [f64; 3]) -> [f64; 3] {
    let cross =
        |a: [f64; 3], b: [f64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let once = cross([x, y, z], v).map(|c| 2.0 * c);
    sum(sum(v, once.map(|c| w * c)), cross([x, y, z], once))
}

/// A pair, and what the case is called.
#[derive(Debug)]
pub struct Case {
    pub kind: &'static str,
    pub bodies: [Body; 2],
    pub places: [Place; 2],
}

/// Case `number` of the survey.
pub fn case(number: usize) -> Case {
    let mut random = Random(number as u64 ^ 0x5EED_0000);
    match number % 5 {
        0 => shared(&mut random),
        1 => joined(&mut random),
        2 => side_by_side(&mut random),
        3 => tetrahedra(&mut random),
        _ => grown(&mut random),
    }
}

/// A box at an offset, each side of its own length about `size`.
fn any_box(random: &mut Random, low: [f64; 3], size: f64) -> ([f64; 3], [f64; 3]) {
    (low, low.map(|c| c + size * random.scale(0.1, 1.0)))
}

/// Both bodies of one drawing, at one pose: they share a face, an edge or a corner.
fn shared(random: &mut Random) -> Case {
    let size = random.scale(1e-3, 1e3);
    let offset = offset(random, size);
    let (low, high) = any_box(random, offset, size);
    let other = size * random.scale(0.1, 10.0);
    let beside = 1 + random.below(3);
    let first = random.below(3);
    let (mut from, mut to) = (low, high);
    for k in 0..3 {
        if (k + 3 - first) % 3 < beside {
            (from[k], to[k]) = (high[k], high[k] + other);
        } else {
            from[k] += random.between(-0.9, 0.9) * (high[k] - low[k]);
            to[k] = from[k] + other;
        }
    }
    let place = Place { position: any_position(random), q: any_turn(random) };
    Case {
        kind: ["face", "edge", "corner"][beside - 1],
        bodies: [cuboid(low, high), cuboid(from, to)],
        places: [place; 2],
    }
}

/// Tetrahedra of one drawing, at one pose, which have one, two or three corners in common, bit for
/// bit or but for the last places of one of them. The others are on either side.
fn joined(random: &mut Random) -> Case {
    let size = random.scale(1e-3, 1e3);
    let offset = offset(random, size);
    let common = 1 + random.below(3);
    let turn = any_turn(random);
    // Before the turn: the common corners at height 0, those of A below and those of B above.
    let corner = |random: &mut Random, side: f64| {
        let [x, y, z] = [random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.between(0.3, 1.0)];
        sum(offset, rotated(turn, [x, y, side * z].map(|c| c * size)))
    };
    let flat = [[0.0, 0.0], [0.9, 0.1], [0.2, 0.8]].map(|[x, y]| [x + random.between(-0.1, 0.1), y]);
    let joint = flat.map(|[x, y]| sum(offset, rotated(turn, [x * size, y * size, 0.0])));
    let [a, mut b] = [-1.0, 1.0].map(|side| {
        let own = [0, 1, 2].map(|k: usize| if k < common { joint[k] } else { corner(random, side) });
        [own[0], own[1], own[2], corner(random, side)]
    });
    if random.below(2) == 0 {
        let (k, axis) = (random.below(common), random.below(3));
        let up = random.below(2) == 0;
        for _ in 0..=random.below(3) {
            b[k][axis] = if up { b[k][axis].next_up() } else { b[k][axis].next_down() };
        }
    }
    let place = Place { position: any_position(random), q: any_turn(random) };
    let kind = ["common corner", "common edge", "common face"][common - 1];
    Case { kind, bodies: [tetrahedron(a), tetrahedron(b)], places: [place; 2] }
}

/// Nothing, something of the size of a plant, or far away.
fn any_position(random: &mut Random) -> [f64; 3] {
    match random.below(3) {
        0 => [0.0; 3],
        1 => random.in_cube(1e2),
        _ => random.in_cube(1e6),
    }
}

/// How far apart two bodies of a size are: from its rounding up, and the same overlap; or by a part
/// of it.
fn gap(random: &mut Random, size: f64) -> f64 {
    match random.below(4) {
        0 => random.scale(1e-16, 1e-6) * size,
        1 => -random.scale(1e-16, 1e-6) * size,
        2 => random.between(0.0, 2.0) * size,
        _ => -random.between(0.0, 0.5) * size,
    }
}

/// Boxes of one drawing, at one pose, with a gap or an overlap.
fn side_by_side(random: &mut Random) -> Case {
    let size = random.scale(1e-3, 1e3);
    let offset = offset(random, size);
    let (low, high) = any_box(random, offset, size);
    let (mut from, _) = any_box(random, low, size);
    for k in 0..3 {
        from[k] = low[k] + random.between(-0.05, 0.05) * size;
    }
    let axis = random.below(3);
    from[axis] = high[axis] + gap(random, size);
    let (from, to) = any_box(random, from, size);
    let place = Place { position: any_position(random), q: any_turn(random) };
    Case { kind: "boxes", bodies: [cuboid(low, high), cuboid(from, to)], places: [place; 2] }
}

fn any_tetrahedron(random: &mut Random, offset: [f64; 3], size: f64) -> Body {
    loop {
        let corners = [0; 4].map(|_| random.in_cube(size));
        let [u, v, w] = [1, 2, 3].map(|k: usize| [0, 1, 2].map(|c: usize| corners[k][c] - corners[0][c]));
        let volume = u[0] * (v[1] * w[2] - v[2] * w[1])
            + u[1] * (v[2] * w[0] - v[0] * w[2])
            + u[2] * (v[0] * w[1] - v[1] * w[0]);
        if volume.abs() > 0.2 * size * size * size {
            return tetrahedron(corners.map(|c| sum(c, offset)));
        }
    }
}

/// Places that bring the middles of two bodies to within a distance of each other, somewhere.
fn meeting(random: &mut Random, offsets: [[f64; 3]; 2], apart: f64) -> [Place; 2] {
    let at = any_position(random);
    let direction = random.vector();
    let long = direction.iter().map(|c| c * c).sum::<f64>().sqrt().max(1e-3);
    let same = random.below(2) == 0;
    let turns = [any_turn(random), any_turn(random)];
    [0, 1].map(|k: usize| {
        let q = if same { turns[0] } else { turns[k] };
        let away = rotated(q, offsets[k]);
        let position =
            [0, 1, 2].map(|c: usize| at[c] - away[c] + if k == 1 { direction[c] / long * apart } else { 0.0 });
        Place { position, q }
    })
}

/// Tetrahedra of different drawings, each far from its own origin, brought together.
fn tetrahedra(random: &mut Random) -> Case {
    let size = random.scale(1e-3, 1e3);
    let sizes = [size, (size * random.scale(0.1, 10.0)).clamp(1e-3, 1e3)];
    let offsets = sizes.map(|size| offset(random, size));
    let bodies = [0, 1].map(|k: usize| any_tetrahedron(random, offsets[k], sizes[k]));
    let apart = random.between(0.0, 1.6) * (sizes[0] + sizes[1]);
    Case { kind: "tetrahedra", bodies, places: meeting(random, offsets, apart) }
}

/// A solid and a ball or a capsule, both far from their own origins.
fn grown(random: &mut Random) -> Case {
    let size = random.scale(1e-3, 1e3);
    let other = (size * random.scale(0.1, 10.0)).clamp(1e-3, 1e3);
    let offsets = [size, other].map(|size| offset(random, size));
    let solid = any_tetrahedron(random, offsets[0], size);
    let ends = [offsets[1], sum(offsets[1], random.in_cube(other))];
    let is_ball = random.below(2) == 0;
    let grown = Body {
        vertices: if is_ball { vec![ends[0]] } else { ends.to_vec() },
        planes: Vec::new(),
        ways: if is_ball { Vec::new() } else { vec![[0, 1]] },
        triangles: Vec::new(),
        edges: if is_ball { Vec::new() } else { vec![[0, 1]] },
        growth: other * random.scale(0.01, 1.0),
    };
    let apart = random.between(0.0, 1.6) * (size + other);
    let places = meeting(random, offsets, apart);
    let (mut bodies, mut places) = ([solid, grown], places);
    if random.below(2) == 0 {
        bodies.reverse();
        places.reverse();
    }
    Case { kind: if is_ball { "ball" } else { "capsule" }, bodies, places }
}
