//! Transformations of nodes as linear maps with a translation.

use super::schema::GltfNode;

/// A linear map, by columns, and what is added to its result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::readers) struct Affine {
    pub(in crate::readers) columns: [[f64; 3]; 3],
    pub(in crate::readers) translation: [f64; 3],
}

impl Affine {
    pub(in crate::readers) const IDENTITY: Self =
        Self { columns: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], translation: [0.0; 3] };

    fn linear(&self, v: [f64; 3]) -> [f64; 3] {
        let [a, b, c] = self.columns;
        [0, 1, 2].map(|i| a[i] * v[0] + b[i] * v[1] + c[i] * v[2])
    }

    pub(in crate::readers) fn apply(&self, v: [f64; 3]) -> [f64; 3] {
        // The identity must not touch a bit.
        if *self == Self::IDENTITY {
            return v;
        }
        let turned = self.linear(v);
        [0, 1, 2].map(|i| turned[i] + self.translation[i])
    }

    /// First `child`, then `self`.
    pub(in crate::readers) fn after(&self, child: &Self) -> Self {
        Self { columns: child.columns.map(|c| self.linear(c)), translation: self.apply(child.translation) }
    }

    /// Whether it turns the inside out.
    pub(in crate::readers) fn mirrors(&self) -> bool {
        self.determinant() < 0.0
    }

    /// The volume to which it maps the unit cube, negative if it mirrors.
    pub(in crate::readers) fn determinant(&self) -> f64 {
        let [a, b, c] = self.columns;
        let cross = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
        a[0] * cross[0] + a[1] * cross[1] + a[2] * cross[2]
    }

    /// Whether everything comes to lie at one point: glTF hides meshes so (2.0, section 3.5.3, note
    /// on scale).
    pub(in crate::readers) fn hides(&self) -> bool {
        self.columns.as_flattened().iter().all(|&c| c == 0.0)
    }

    /// The largest length of a column: its scale, if it has no shear.
    pub(in crate::readers) fn scale(&self) -> f64 {
        if self.columns == Self::IDENTITY.columns {
            return 1.0;
        }
        self.columns.iter().map(|c| c[0].hypot(c[1]).hypot(c[2])).fold(0.0, f64::max)
    }

    /// A matrix by its columns, if its last row is 0 0 0 1.
    pub(in crate::readers) fn of_matrix(m: &[f64; 16]) -> Option<Self> {
        let column = |c: usize| [0, 1, 2].map(|r| m[4 * c + r]);
        let fits = [m[3], m[7], m[11], m[15]] == [0.0, 0.0, 0.0, 1.0];
        fits.then(|| Self { columns: [0, 1, 2].map(column), translation: column(3) })
    }

    /// The matrix of a node, or its translation, rotation and scale.
    pub(in crate::readers::gltf) fn of(node: &GltfNode) -> Result<Self, &'static str> {
        if let Some(matrix) = &node.matrix {
            if node.translation.is_some() || node.rotation.is_some() || node.scale.is_some() {
                return Err("has a matrix and a translation, rotation or scale");
            }
            return Self::of_matrix(matrix).ok_or("has a matrix whose last row is not 0 0 0 1");
        }
        let rotation = rotation(node.rotation()).ok_or("has a rotation that is no unit quaternion")?;
        let scale = node.scale.unwrap_or([1.0; 3]);
        let columns = [0, 1, 2].map(|c| rotation[c].map(|r: f64| r * scale[c]));
        Ok(Self { columns, translation: node.translation.unwrap_or_default() })
    }
}

/// The columns of the rotation of a quaternion x, y, z, w: its norm is divided out.
pub(super) fn rotation([x, y, z, w]: [f64; 4]) -> Option<[[f64; 3]; 3]> {
    let n = x * x + y * y + z * z + w * w;
    if !(0.99..=1.01).contains(&n) {
        return None;
    }
    let s = 2.0 / n;
    Some([
        [1.0 - s * (y * y + z * z), s * (x * y + z * w), s * (x * z - y * w)],
        [s * (x * y - z * w), 1.0 - s * (x * x + z * z), s * (y * z + x * w)],
        [s * (x * z + y * w), s * (y * z - x * w), 1.0 - s * (x * x + y * y)],
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transformations_compose_and_mirror() {
        let node = |text: &str| serde_json::from_str::<GltfNode>(text).expect("a node");
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let turned =
            format!("{{\"rotation\": [0, 0, {half}, {half}], \"translation\": [1, 2, 3], \"scale\": [2, 1, -1]}}");
        let affine = Affine::of(&node(&turned)).expect("fits");
        let close = |a: [f64; 3], b: [f64; 3]| (0..3).all(|i| (a[i] - b[i]).abs() < 1e-15);
        assert!(close(affine.apply([1.0, 0.0, 0.0]), [1.0, 4.0, 3.0]), "{affine:?}");
        assert!(close(affine.apply([0.0, 1.0, 1.0]), [0.0, 2.0, 2.0]), "{affine:?}");
        assert!(affine.mirrors() && !affine.after(&affine).mirrors());
        let matrix = node("{\"matrix\": [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1]}");
        let both = Affine::of(&matrix).expect("fits").after(&affine);
        assert!(close(both.apply([1.0, 0.0, 0.0]), [1.0, 7.0, 10.0]), "{both:?}");
        assert!(Affine::of(&node("{\"rotation\": [0, 0, 0, 0]}")).is_err());
        assert!(Affine::of(&node("{\"matrix\": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 5, 6, 7, 1]}")).is_err());
    }
}
