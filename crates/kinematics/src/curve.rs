//! The values of a joint over an interval, as a polynomial in Bernstein form.
//!
//! The polynomial lies between the least and the greatest of its control values, and so do its
//! derivatives between those of theirs, which are differences of control values (Farin 2002,
//! "Curves and Surfaces for CAGD", sections 4.3 and 5.3). Control values of a part of the interval
//! come from the same averages that evaluate it (de Casteljau), so that bounds of a part tighten
//! with it.

use smallvec::SmallVec;

/// Largest degree of a polynomial.
pub const MOST_DEGREE: usize = 10;

/// Control values of a polynomial.
pub(crate) type Controls = SmallVec<[f64; MOST_DEGREE + 1]>;

/// A joint's value over an interval; times are shares of the interval, derivatives are by them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ValueCurve {
    degree: u8,
    control: [f64; MOST_DEGREE + 1],
    /// Bounds of the magnitude of the value and of its first three derivatives.
    pub(crate) most: [f64; 4],
    /// Bound on the difference of the value as [`Self::at`] computes it from that of the motion
    /// that is meant, at any time.
    pub(crate) error: f64,
}

impl Default for ValueCurve {
    fn default() -> Self {
        Self::new(&[0.0], 0.0)
    }
}

impl ValueCurve {
    /// Creates the polynomial of these control values, at most [`MOST_DEGREE`] and one, and at
    /// least one. `error`: how far it may be from the motion that is meant.
    pub fn new(values: &[f64], error: f64) -> Self {
        let degree = values.len().saturating_sub(1).min(MOST_DEGREE);
        let mut control = [0.0; MOST_DEGREE + 1];
        control.iter_mut().zip(values).for_each(|(to, &value)| *to = value);
        let most = bounds(&control[..=degree]);
        // Each average of `at` rounds by at most three halves of an epsilon.
        let rounding = 2.0 * degree as f64 * f64::EPSILON * most[0];
        Self { degree: degree as u8, control, most, error: error + rounding }
    }

    /// Widens the error.
    #[must_use]
    pub fn with_error(self, error: f64) -> Self {
        Self { error: self.error + error, ..self }
    }

    /// The control values.
    pub fn controls(&self) -> &[f64] {
        &self.control[..=usize::from(self.degree)]
    }

    /// The value at the start, and at the end.
    pub fn ends(&self) -> [f64; 2] {
        [self.control[0], self.control[usize::from(self.degree)]]
    }

    /// Bounds of the magnitude of the value and of its first three derivatives.
    pub fn most(&self) -> [f64; 4] {
        self.most
    }

    /// See [`ValueCurve::new`]: rounding included.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// Whether the value changes.
    pub fn moves(&self) -> bool {
        self.most[1] > 0.0
    }

    /// The value at a share of the interval: at the ends exactly the first and the last control
    /// value.
    pub fn at(&self, share: f64) -> f64 {
        let [from, to] = self.ends();
        match share {
            ..=0.0 => from,
            1.0.. => to,
            // As of joints whose values move on lines.
            _ if self.degree < 2 => from + share * (to - from),
            _ => self.divided(share)[1][0],
        }
    }

    /// The control values of both parts of the interval about a share.
    fn divided(&self, share: f64) -> [Controls; 2] {
        let mut later = Controls::from_slice(self.controls());
        let mut earlier = Controls::new();
        for count in (1..=later.len()).rev() {
            earlier.push(later[0]);
            for k in 0..count - 1 {
                later[k] = (1.0 - share) * later[k] + share * later[k + 1];
            }
        }
        [earlier, later]
    }

    /// Bounds of the magnitude of the value and of its first three derivatives from one share to
    /// another one.
    pub fn most_over(&self, [start, end]: [f64; 2]) -> [f64; 4] {
        if self.degree < 2 || (start <= 0.0 && end >= 1.0) {
            return self.most;
        }
        let mut part = *self;
        if end < 1.0 {
            let [earlier, _] = part.divided(end);
            part.control[..earlier.len()].copy_from_slice(&earlier);
        }
        if start > 0.0 {
            let [_, later] = part.divided(start / end);
            part.control[..later.len()].copy_from_slice(&later);
        }
        // Control values of a part are off by their rounding, and so are the differences.
        let width = end - start;
        let off = 4.0 * self.error;
        let mut scale = 1.0;
        let mut most = bounds(part.controls());
        for (order, most) in most.iter_mut().enumerate() {
            *most = (*most + off * 2_f64.powi(order as i32) * falling(self.degree, order)) * scale;
            scale /= width;
        }
        std::array::from_fn(|order| most[order].min(self.most[order]))
    }

    /// Least and greatest control value: the value lies between them, but for [`Self::error`].
    pub fn range(&self) -> [f64; 2] {
        let least = self.controls().iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = self.controls().iter().copied().fold(f64::NEG_INFINITY, f64::max);
        [least, greatest]
    }

    /// Both halves, each within the rounding of its control values.
    pub fn halves(&self) -> [Self; 2] {
        self.divided(0.5).map(|half| Self::new(&half, self.error))
    }
}

/// `degree (degree - 1) ...`, with this number of factors.
fn falling(degree: u8, factors: usize) -> f64 {
    (0..factors).map(|k| f64::from(degree) - k as f64).product::<f64>().max(0.0)
}

/// Bounds of the magnitude of a polynomial and of its first three derivatives over the interval of
/// its control values, rounded up.
fn bounds(control: &[f64]) -> [f64; 4] {
    let degree = (control.len() - 1) as u8;
    let mut differences = Controls::from_slice(control);
    // Bound on the rounding of the differences of this order; the control values are exact.
    let mut rounding = 0.0;
    std::array::from_fn(|order| {
        if order > 0 {
            let largest = differences.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
            for k in 1..differences.len() {
                differences[k - 1] = differences[k] - differences[k - 1];
            }
            differences.pop();
            // The first difference of neighbours rounds relative to itself.
            rounding = if order == 1 { 0.0 } else { 2.0 * rounding + f64::EPSILON * 2.0 * largest };
        }
        let largest = differences.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        let off = if differences.is_empty() { 0.0 } else { rounding };
        falling(degree, order) * (largest + off) * (1.0 + 16.0 * f64::EPSILON)
    })
}
