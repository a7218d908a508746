//! A transformation as a rigid motion behind a stretch: the motion is a body's place, the stretch
//! is part of its shape.

use super::affine::{Affine, rotation};
use super::schema::GltfNode;
use clearsweep_geometry::Pose;

/// Numbers of a matrix of single precision that differ by this part of the largest are taken for
/// equal: four units in the last place.
const NOISE: f64 = 4.0 * f32::EPSILON as f64;

/// First a stretch, then a rotation, then a translation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::readers) struct Rigid {
    /// The rotation and the translation.
    pub(in crate::readers) place: Pose,
    /// The columns of the stretch: upper triangular; diagonal unless the file shears. Negative
    /// where it mirrors.
    pub(in crate::readers) stretch: [[f64; 3]; 3],
}

impl Rigid {
    pub(in crate::readers) const IDENTITY: Self = Self { place: Pose::IDENTITY, stretch: Affine::IDENTITY.columns };

    /// The transformation of a matrix, by orthogonalising its columns in order. If it mirrors, the
    /// third axis is turned round.
    pub(in crate::readers) fn of_matrix(affine: &Affine) -> Self {
        if *affine == Affine::IDENTITY {
            return Self::IDENTITY;
        }
        let (q, stretch) = orthogonal(affine.columns);
        Self { place: Pose::new(affine.translation, q), stretch: cleaned(stretch) }
    }

    /// The transformation of a node: as its rotation and its scale say, or as its matrix does.
    pub(in crate::readers::gltf) fn of(node: &GltfNode) -> Result<Self, &'static str> {
        let affine = Affine::of(node)?;
        if node.matrix.is_some() {
            return Ok(Self::of_matrix(&affine));
        }
        let [x, y, z, w] = node.rotation();
        let norm = (w * w + x * x + (y * y + z * z)).sqrt();
        // A quaternion of single precision stays as it is written.
        let q = if (norm - 1.0).abs() > 1e-6 { [w, x, y, z].map(|c| c / norm) } else { [w, x, y, z] };
        let [a, b, c] = node.scale.unwrap_or([1.0; 3]);
        let stretch = [[a, 0.0, 0.0], [0.0, b, 0.0], [0.0, 0.0, c]];
        Ok(Self { place: Pose::new(affine.translation, q), stretch })
    }

    /// First `child`, then `self`.
    pub(in crate::readers) fn after(&self, child: &Self) -> Self {
        let own = Affine { columns: self.stretch, translation: [0.0; 3] };
        let moved = Pose::new(own.apply(child.place.position.to_array()), child.place.q);
        let product = |columns: [[f64; 3]; 3]| columns.map(|column| own.apply(column));
        // A uniform stretch and a rotation commute; behind no rotation a stretch is followed by
        // another.
        if let Some(factor) = uniform(self.stretch) {
            let stretch = if factor == 1.0 { child.stretch } else { product(child.stretch) };
            return Self { place: self.place.after(&moved), stretch };
        }
        if child.place.q == Pose::IDENTITY.q {
            return Self { place: self.place.after(&moved), stretch: product(child.stretch) };
        }
        let [w, x, y, z] = child.place.q;
        let turned = rotation([x, y, z, w]).unwrap_or(Affine::IDENTITY.columns);
        let turn = Affine { columns: turned, translation: [0.0; 3] };
        let (q, stretch) = orthogonal(product(child.stretch.map(|column| turn.apply(column))));
        let place = self.place.after(&Pose::new(moved.position.to_array(), q));
        Self { place, stretch: without_noise(stretch, 8.0 * f64::EPSILON) }
    }
}

/// The factor of a stretch that is the same in all directions.
fn uniform([a, b, c]: [[f64; 3]; 3]) -> Option<f64> {
    let factor = a[0];
    let scaled = Affine::IDENTITY.columns.map(|column| column.map(|e| e * factor));
    ([a, b, c] == scaled).then_some(factor)
}

/// Columns as a rotation (a quaternion w, x, y, z) behind an upper triangular matrix (Gram-Schmidt,
/// twice, so that nearly parallel columns lose nothing). The rotation of columns that are zero or
/// dependent is some rotation.
fn orthogonal(columns: [[f64; 3]; 3]) -> ([f64; 4], [[f64; 3]; 3]) {
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let cross =
        |a: [f64; 3], b: [f64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let unit = |v: [f64; 3]| {
        // In two steps, so that squares neither overflow nor vanish.
        let most = v.iter().fold(0.0_f64, |most, c| most.max(c.abs()));
        let v = v.map(|c| c / most);
        let length = dot(v, v).sqrt();
        (most > 0.0 && length.is_finite()).then(|| v.map(|c| c / length))
    };
    let less = |v: [f64; 3], axis: [f64; 3]| {
        let part = dot(v, axis);
        [0, 1, 2].map(|i| v[i] - part * axis[i])
    };
    // Some axis across another.
    let across = |axis: [f64; 3]| {
        let least = (0..3).min_by(|&i, &j| axis[i].abs().total_cmp(&axis[j].abs())).unwrap_or(0);
        let mut other = [0.0; 3];
        other[least] = 1.0;
        unit(less(other, axis)).unwrap_or([0.0, 1.0, 0.0])
    };
    let x = unit(columns[0]).unwrap_or_else(|| {
        // Across what the other columns span.
        unit(cross(columns[1], columns[2])).unwrap_or_else(|| unit(columns[1]).map_or([1.0, 0.0, 0.0], across))
    });
    let y = unit(less(less(columns[1], x), x)).unwrap_or_else(|| {
        let rest = unit(less(less(columns[2], x), x));
        rest.map_or_else(|| across(x), |rest| cross(rest, x))
    });
    let z = cross(x, y);
    let stretch = columns.map(|column| [dot(column, x), dot(column, y), dot(column, z)]);
    let [a, b, c] = stretch;
    (quaternion([x, y, z]), [[a[0], 0.0, 0.0], [b[0], b[1], 0.0], c])
}

/// The quaternion w, x, y, z of a rotation by its columns (Shepperd's method).
fn quaternion([a, b, c]: [[f64; 3]; 3]) -> [f64; 4] {
    let squares =
        [1.0 + a[0] + b[1] + c[2], 1.0 + a[0] - b[1] - c[2], 1.0 - a[0] + b[1] - c[2], 1.0 - a[0] - b[1] + c[2]];
    let largest = (1..4).fold(0, |best, i| if squares[i] > squares[best] { i } else { best });
    let q = match largest {
        0 => [squares[0], b[2] - c[1], c[0] - a[2], a[1] - b[0]],
        1 => [b[2] - c[1], squares[1], b[0] + a[1], c[0] + a[2]],
        2 => [c[0] - a[2], b[0] + a[1], squares[2], c[1] + b[2]],
        _ => [a[1] - b[0], c[0] + a[2], c[1] + b[2], squares[3]],
    };
    let norm = q.iter().map(|e| e * e).sum::<f64>().sqrt();
    q.map(|e| e / norm)
}

/// The stretch of a matrix of single precision without its rounding, so that instances have equal
/// ones: what is nearly no shear is none, what is nearly uniform is, and a factor that is nearly
/// one of six digits is that.
fn cleaned(stretch: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let mut stretch = without_noise(stretch, NOISE);
    let factors = [0, 1, 2].map(|i| stretch[i][i]);
    let mean = factors[0].abs();
    let nearly = |a: f64, b: f64| (a - b).abs() <= NOISE * b.abs();
    let round = |factor: f64| {
        let rounded = format!("{factor:.5e}").parse().unwrap_or(factor);
        if nearly(factor, rounded) { rounded } else { factor }
    };
    let is_uniform = factors.iter().all(|factor| nearly(factor.abs(), mean));
    for (i, factor) in factors.into_iter().enumerate() {
        stretch[i][i] = round(if is_uniform { mean.copysign(factor) } else { factor });
    }
    stretch
}

/// A stretch in which shears below a part of its size are zero.
fn without_noise(mut stretch: [[f64; 3]; 3], part: f64) -> [[f64; 3]; 3] {
    let most = stretch.as_flattened().iter().fold(0.0_f64, |most, e| most.max(e.abs()));
    for (column, row) in [(1, 0), (2, 0), (2, 1)] {
        if stretch[column][row].abs() <= part * most {
            stretch[column][row] = 0.0;
        }
    }
    stretch
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(text: &str) -> GltfNode {
        serde_json::from_str(text).expect("a node")
    }

    /// Returns the moved point.
    fn apply(rigid: &Rigid, point: [f64; 3]) -> [f64; 3] {
        let stretch = Affine { columns: rigid.stretch, translation: [0.0; 3] };
        rigid.place.apply(stretch.apply(point).into()).to_array()
    }

    #[test]
    fn chains_of_nodes_map_points_as_their_matrices_do() {
        let texts = [
            r#"{"rotation": [0.1, 0.7, 0.1, 0.7], "translation": [1, 2, 3], "scale": [2, 2, 2]}"#,
            r#"{"rotation": [0.5, 0.5, 0.5, 0.5], "translation": [-1, 0, 3], "scale": [1, 2, -1]}"#,
            r#"{"rotation": [0.6, 0, 0, 0.8], "scale": [3, 1, 0.5]}"#,
            r#"{"matrix": [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1]}"#,
            r#"{"matrix": [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, -2, 0, 5, 6, 7, 1]}"#,
            r#"{"matrix": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 5, 6, 7, 1]}"#,
            r#"{"scale": [0, 1, 1], "rotation": [0.6, 0, 0, 0.8]}"#,
            "{}",
        ];
        let nodes: Vec<GltfNode> = texts.iter().map(|text| node(text)).collect();
        for (i, j, k) in (0..512).map(|n| (n % 8, n / 8 % 8, n / 64)) {
            let chain = [&nodes[i], &nodes[j], &nodes[k]];
            let affine = chain.iter().fold(Affine::IDENTITY, |done, node| done.after(&Affine::of(node).expect("fits")));
            let rigid = chain.iter().fold(Rigid::IDENTITY, |done, node| done.after(&Rigid::of(node).expect("fits")));
            for point in [[0.3, -1.0, 2.0], [1.0, 1.0, 1.0], [-2.0, 0.1, 0.0]] {
                let (found, expected) = (apply(&rigid, point), affine.apply(point));
                let off = (0..3).map(|axis| (found[axis] - expected[axis]).abs()).fold(0.0, f64::max);
                assert!(off < 1e-5, "{i} {j} {k}: {found:?} {expected:?}");
            }
        }
    }

    #[test]
    fn rotations_of_single_precision_stretch_nothing() {
        for degrees in 0..360 {
            let (sin, cos) = f64::from(degrees).to_radians().sin_cos();
            let (s, c) = (0.001 * sin, 0.001 * cos);
            let text = format!(
                "{{\"matrix\": [{}, {}, 0, 0, {}, {}, 0, 0, 0, 0, 0.001, 0, 5, 6, 7, 1]}}",
                c as f32, s as f32, -s as f32, c as f32
            );
            let rigid = Rigid::of(&node(&text)).expect("fits");
            assert_eq!(uniform(rigid.stretch), Some(0.001), "{degrees}: {:?}", rigid.stretch);
        }
        let sheared = Rigid::of(&node(r#"{"matrix": [1, 0, 0, 0, 0.001, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]}"#));
        assert_eq!(sheared.expect("fits").stretch[1][0], 0.001);
    }
}
