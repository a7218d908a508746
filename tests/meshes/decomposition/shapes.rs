//! Solids that are not convex: blocks on a grid, gears and pipes.

use clearsweep_testing::solids::Solid;
use std::collections::HashMap;
use std::f64::consts::TAU;

/// The cells of a grid (its lines along each axis) of which `filled` is true.
pub(crate) fn blocks(lines: [&[f64]; 3], filled: impl Fn([usize; 3]) -> bool) -> Solid {
    let counts = lines.map(|list| list.len() - 1);
    let is_filled = |cell: [usize; 3], axis: usize, up: bool| {
        let mut at = cell;
        match (up, at[axis]) {
            (true, i) if i + 1 < counts[axis] => at[axis] += 1,
            (false, i) if i > 0 => at[axis] -= 1,
            _ => return false,
        }
        filled(at)
    };
    let mut solid = Solid::default();
    let mut known: HashMap<[usize; 3], usize> = HashMap::new();
    for i in 0..counts.iter().product() {
        let cell = [i % counts[0], i / counts[0] % counts[1], i / counts[0] / counts[1]];
        for (axis, up) in (0..3).flat_map(|axis| [(axis, false), (axis, true)]) {
            if !filled(cell) || is_filled(cell, axis, up) {
                continue;
            }
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let mut corner = |along_u: usize, along_v: usize| {
                let mut at = cell;
                (at[axis], at[u], at[v]) = (at[axis] + usize::from(up), at[u] + along_u, at[v] + along_v);
                *known.entry(at).or_insert_with(|| {
                    solid.vertices.push([0, 1, 2].map(|k| lines[k][at[k]]));
                    solid.vertices.len() - 1
                })
            };
            let [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
            solid.triangles.extend(if up { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] });
        }
    }
    solid
}

/// A wheel with teeth: star-shaped about its axis.
pub(crate) fn gear(teeth: usize, [inner, outer]: [f64; 2], half: f64) -> Solid {
    let n = 4 * teeth;
    let mut solid = Solid::default();
    for z in [-half, half] {
        for i in 0..n {
            let (s, c) = (TAU * i as f64 / n as f64).sin_cos();
            let r = if i % 4 < 2 { inner } else { outer };
            solid.vertices.push([r * c, r * s, z]);
        }
        solid.vertices.push([0.0, 0.0, z]);
    }
    let m = n + 1;
    for i in 0..n {
        let j = (i + 1) % n;
        solid.triangles.extend([[n, j, i], [m + n, m + i, m + j], [i, j, m + j], [i, m + j, m + i]]);
    }
    solid
}

/// A quarter of a hollow ring: a pipe that turns, with its ends open.
pub(crate) fn elbow(radius: f64, [inner, outer]: [f64; 2], steps: usize, across: usize) -> Solid {
    let mut solid = Solid::default();
    for tube in [inner, outer] {
        for i in 0..=steps {
            let (s, c) = (0.25 * TAU * i as f64 / steps as f64).sin_cos();
            for j in 0..across {
                let (z, r) = (TAU * j as f64 / across as f64).sin_cos();
                solid.vertices.push([(radius + tube * r) * c, (radius + tube * r) * s, tube * z]);
            }
        }
    }
    let wall = (steps + 1) * across;
    let at = |wall_of: usize, i: usize, j: usize| wall_of * wall + i * across + j % across;
    for j in 0..across {
        for i in 0..steps {
            for side in 0..2 {
                let [a, b, c, d] = [at(side, i, j), at(side, i + 1, j), at(side, i + 1, j + 1), at(side, i, j + 1)];
                solid.triangles.extend(if side == 1 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] });
            }
        }
        for (i, swapped) in [(0, false), (steps, true)] {
            let [a, b, c, d] = [at(0, i, j), at(1, i, j), at(1, i, j + 1), at(0, i, j + 1)];
            solid.triangles.extend(if swapped { [[a, c, b], [a, d, c]] } else { [[a, b, c], [a, c, d]] });
        }
    }
    solid
}

/// Turned about an axis, by degrees.
pub(crate) fn turned(mut solid: Solid, axis: [f64; 3], degrees: f64) -> Solid {
    let n = axis.iter().map(|c| c * c).sum::<f64>().sqrt();
    let [x, y, z] = axis.map(|c| c / n);
    let (s, c) = degrees.to_radians().sin_cos();
    for v in &mut solid.vertices {
        let along = x * v[0] + y * v[1] + z * v[2];
        let cross = [y * v[2] - z * v[1], z * v[0] - x * v[2], x * v[1] - y * v[0]];
        let axis = [x, y, z];
        *v = [0, 1, 2].map(|k| c * v[k] + s * cross[k] + (1.0 - c) * along * axis[k]);
    }
    solid
}

/// Scaled.
pub(crate) fn scaled(mut solid: Solid, by: f64) -> Solid {
    solid.vertices.iter_mut().flatten().for_each(|c| *c *= by);
    solid
}

pub(crate) fn ell() -> Solid {
    blocks([&[0.0, 0.3, 1.0], &[0.0, 0.4, 1.3], &[0.0, 0.5]], |[i, j, _]| i == 0 || j == 0)
}

/// A plate with a square hole of this half side.
pub(crate) fn plate_with_hole(half: f64) -> Solid {
    let lines = [-0.5, -half, half, 0.5];
    blocks([&lines, &lines, &[-0.1, 0.1]], |[i, j, _]| i != 1 || j != 1)
}

/// Solids of some kinds with their names.
pub(crate) fn all() -> Vec<(&'static str, Solid)> {
    let thirds = [0.0, 0.35, 0.8, 1.2];
    let u = blocks([&thirds, &[0.0, 0.4, 1.0], &[0.0, 0.5]], |[i, j, _]| i != 1 || j == 0);
    let t = blocks([&thirds, &[0.0, 0.4, 1.0], &[0.0, 0.5]], |[i, j, _]| i == 1 || j == 1);
    let cross = blocks([&thirds, &thirds, &thirds], |cell| cell.iter().filter(|&&i| i == 1).count() >= 2);
    let walls = [0.0, 0.1, 0.45, 0.55, 0.9, 1.0];
    let hollow = blocks([&walls, &walls, &walls], |[i, j, k]| {
        let inner = |i: usize| (1..4).contains(&i);
        let is_cavity = inner(i) && inner(j) && inner(k);
        let is_mouth = i == 2 && j == 2 && k == 4;
        !is_cavity && !is_mouth
    });
    vec![
        ("L", ell()),
        ("L turned", turned(ell(), [1.0, 2.0, 3.0], 30.0)),
        ("U", u.clone()),
        ("U turned", turned(u, [0.0, 0.0, 1.0], 30.0)),
        ("T", t),
        ("cross", cross),
        ("ring", Solid::ring(0.4, 0.1, 32, 12)),
        ("plate with a hole", plate_with_hole(0.2)),
        ("hollow box with a mouth", hollow),
        ("elbow", elbow(0.6, [0.15, 0.2], 10, 16)),
        ("gear", gear(12, [0.4, 0.5], 0.1)),
    ]
}
