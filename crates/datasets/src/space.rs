//! Vectors, rotations and smooth motions of generated scenes. Only sums, products, quotients,
//! square roots and the `libm` crate: the same bits on every platform.

pub(super) type Point3 = [f64; 3];
/// w, x, y, z.
pub(super) type Quaternion = [f64; 4];

pub(super) fn add(a: Point3, b: Point3) -> Point3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(super) fn sub(a: Point3, b: Point3) -> Point3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn scale(a: Point3, s: f64) -> Point3 {
    a.map(|x| x * s)
}

pub(super) fn dot(a: Point3, b: Point3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn cross(a: Point3, b: Point3) -> Point3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn length(a: Point3) -> f64 {
    dot(a, a).sqrt()
}

/// Scaled to length 1; `a` must not be zero.
pub(super) fn unit(a: Point3) -> Point3 {
    scale(a, 1.0 / length(a))
}

/// The product of two quaternions: first `b`, then `a`.
pub(super) fn product(a: Quaternion, b: Quaternion) -> Quaternion {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
}

/// The inverse of a unit quaternion.
pub(super) fn conjugate(q: Quaternion) -> Quaternion {
    [q[0], -q[1], -q[2], -q[3]]
}

/// Scaled to norm 1; `q` must not be zero.
pub(super) fn normalised(q: Quaternion) -> Quaternion {
    let norm = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    q.map(|c| c / norm)
}

/// A vector turned by a unit quaternion.
pub(super) fn rotate(q: Quaternion, v: Point3) -> Point3 {
    let axis = [q[1], q[2], q[3]];
    let t = scale(cross(axis, v), 2.0);
    add(add(v, scale(t, q[0])), cross(axis, t))
}

/// The rotation by `angle` (radians) about a unit vector.
pub(super) fn about(axis: Point3, angle: f64) -> Quaternion {
    let (sin, cos) = (libm::sin(angle / 2.0), libm::cos(angle / 2.0));
    [cos, axis[0] * sin, axis[1] * sin, axis[2] * sin]
}

/// The shortest rotation that takes +z to a unit vector, which must not be -z.
pub(super) fn tilt_to(n: Point3) -> Quaternion {
    normalised([1.0 + n[2], -n[1], n[0], 0.0])
}

/// The rotation that takes +x, +y, +z to three orthonormal vectors of a right-handed frame.
/// The largest component is computed first (Shepperd 1978, "Quaternion from rotation matrix").
pub(super) fn from_axes(x: Point3, y: Point3, z: Point3) -> Quaternion {
    let trace = x[0] + y[1] + z[2];
    let q = if trace > 0.0 {
        [1.0 + trace, y[2] - z[1], z[0] - x[2], x[1] - y[0]]
    } else if x[0] >= y[1] && x[0] >= z[2] {
        [y[2] - z[1], 1.0 + x[0] - y[1] - z[2], y[0] + x[1], z[0] + x[2]]
    } else if y[1] >= z[2] {
        [z[0] - x[2], y[0] + x[1], 1.0 + y[1] - x[0] - z[2], z[1] + y[2]]
    } else {
        [x[1] - y[0], z[0] + x[2], z[1] + y[2], 1.0 + z[2] - x[0] - y[1]]
    };
    normalised(q).map(|c| c + 0.0) // no negative zero
}

/// The rotation that takes +z to a unit vector and +x to a horizontal one.
pub(super) fn along(direction: Point3) -> Quaternion {
    let other = if direction[2].abs() > 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] };
    let y = unit(cross(direction, other));
    from_axes(cross(y, direction), y, direction)
}

/// A value that goes from one level to another and rests before and after; twice continuously
/// differentiable.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ease {
    /// When it starts and ends, seconds.
    pub(super) time: [f64; 2],
    /// Value before and after.
    pub(super) value: [f64; 2],
}

impl Ease {
    /// Value, velocity and acceleration at a time, by the polynomial `10 u^3 - 15 u^4 + 6 u^5`.
    pub(super) fn at(&self, t: f64) -> [f64; 3] {
        let span = self.time[1] - self.time[0];
        let rise = self.value[1] - self.value[0];
        let u = ((t - self.time[0]) / span).clamp(0.0, 1.0);
        let v = 1.0 - u;
        let place = u * u * u * (10.0 - 15.0 * u + 6.0 * u * u);
        let speed = 30.0 * u * u * v * v / span;
        let acceleration = 60.0 * u * v * (v - u) / (span * span);
        [self.value[0] + rise * place, rise * speed, rise * acceleration]
    }
}

/// One step of the classical Runge-Kutta method of order 4.
pub(super) fn runge_kutta<const N: usize>(
    state: [f64; N],
    t: f64,
    step: f64,
    derivative: impl Fn(f64, &[f64; N]) -> [f64; N],
) -> [f64; N] {
    let moved = |k: &[f64; N], h: f64| -> [f64; N] { std::array::from_fn(|i| state[i] + h * k[i]) };
    let k1 = derivative(t, &state);
    let k2 = derivative(t + step / 2.0, &moved(&k1, step / 2.0));
    let k3 = derivative(t + step / 2.0, &moved(&k2, step / 2.0));
    let k4 = derivative(t + step, &moved(&k3, step));
    std::array::from_fn(|i| state[i] + step / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]))
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;

    fn near(a: &[f64], b: &[f64], tolerance: f64) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance)
    }

    #[test]
    fn rotations_agree_with_each_other() {
        let mut random = Random::new(3, 0);
        let mut branches = [0; 4];
        for _ in 0..400 {
            let q = random.rotation();
            branches[(0..4).max_by(|&i, &j| q[i].abs().total_cmp(&q[j].abs())).expect("four")] += 1;
            let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|axis| rotate(q, axis));
            let back = from_axes(axes[0], axes[1], axes[2]);
            let sign = if back[0] * q[0] + back[1] * q[1] + back[2] * q[2] + back[3] * q[3] < 0.0 { -1.0 } else { 1.0 };
            assert!(near(&back.map(|c| c * sign), &q, 1e-14), "{q:?} {back:?}");
            let v = random.direction();
            let p = random.rotation();
            assert!(near(&rotate(product(p, q), v), &rotate(p, rotate(q, v)), 1e-14));
            assert!(near(&rotate(conjugate(q), rotate(q, v)), &v, 1e-14));
            let n = random.direction();
            assert!(near(&rotate(along(n), [0.0, 0.0, 1.0]), &n, 1e-14));
            if n[2] > -0.99 {
                assert!(near(&rotate(tilt_to(n), [0.0, 0.0, 1.0]), &n, 1e-12), "{n:?}");
            }
        }
        assert!(branches.iter().all(|&count| count > 40), "every way of from_axes is to be taken: {branches:?}");
        let quarter = about([0.0, 0.0, 1.0], std::f64::consts::FRAC_PI_2);
        assert!(near(&rotate(quarter, [1.0, 0.0, 0.0]), &[0.0, 1.0, 0.0], 1e-15));
    }

    #[test]
    fn easing_has_the_derivatives_it_says() {
        let ease = Ease { time: [2.0, 7.0], value: [-1.0, 4.0] };
        assert_eq!((ease.at(0.0), ease.at(9.0)), ([-1.0, 0.0, 0.0], [4.0, 0.0, 0.0]));
        for k in 1..100 {
            let (t, h) = (1.5 + 0.06 * f64::from(k), 1e-5);
            let [before, now, after] = [ease.at(t - h), ease.at(t), ease.at(t + h)];
            assert!(((after[0] - before[0]) / (2.0 * h) - now[1]).abs() < 1e-7);
            assert!(((after[1] - before[1]) / (2.0 * h) - now[2]).abs() < 1e-6);
        }
    }

    #[test]
    fn runge_kutta_is_of_order_four() {
        let error = |steps: u32| {
            let h = 1.0 / f64::from(steps);
            let mut state = [1.0, 0.0];
            for k in 0..steps {
                state = runge_kutta(state, f64::from(k) * h, h, |_, s| [s[1], -s[0]]);
            }
            (state[0] - libm::cos(1.0)).abs()
        };
        let ratio = error(10) / error(20);
        assert!((12.0..40.0).contains(&ratio), "halving the step divides the error by about 16: {ratio}");
    }
}
