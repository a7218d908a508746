//! Minimum and maximum of values, for the column statistics and the page index of Parquet.

use parquet::basic::Type;
use parquet::file::statistics::{Statistics, ValueStatistics};

/// Values that are compared in parallel; the compiler maps them to vector registers.
const LANES: usize = 8;

/// Least and greatest value of a page or of a column chunk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum MinMax {
    Int64([i64; 2]),
    Int32([i32; 2]),
    Float64([f64; 2]),
}

impl MinMax {
    /// Minimum and maximum of integers; `None` without values.
    pub(super) fn of_int64(values: &[i64]) -> Option<Self> {
        // A fold by value vectorises. `Iterator::min` compares through references, which does not.
        let range = values.iter().fold([i64::MAX, i64::MIN], |[low, high], &v| [low.min(v), high.max(v)]);
        (!values.is_empty()).then_some(Self::Int64(range))
    }

    /// Minimum and maximum of integers; `None` without values.
    pub(super) fn of_int32(values: &[i32]) -> Option<Self> {
        let range = values.iter().fold([i32::MAX, i32::MIN], |[low, high], &v| [low.min(v), high.max(v)]);
        (!values.is_empty()).then_some(Self::Int32(range))
    }

    /// Minimum and maximum of numbers; `None` without numbers. NaN is ignored. A minimum of zero is
    /// written as -0.0 and a maximum of zero as +0.0 (Parquet format, parquet.thrift,
    /// `ColumnOrder`).
    pub(super) fn of_float64(values: &[f64]) -> Option<Self> {
        let mut low = [f64::INFINITY; LANES];
        let mut high = [f64::NEG_INFINITY; LANES];
        let mut take = |part: &[f64]| {
            for ((low, high), &value) in low.iter_mut().zip(&mut high).zip(part) {
                *low = if value < *low { value } else { *low };
                *high = if value > *high { value } else { *high };
            }
        };
        let (whole, rest) = values.as_chunks::<LANES>();
        whole.iter().for_each(|part| take(part));
        take(rest);
        let low = low.into_iter().fold(f64::INFINITY, f64::min);
        let high = high.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let signed = |value: f64, zero: f64| if value == 0.0 { zero } else { value };
        (low <= high).then_some(Self::Float64([signed(low, -0.0), signed(high, 0.0)]))
    }

    /// Minimum and maximum of the union.
    pub(super) fn union(self, other: Self) -> Self {
        match (self, other) {
            (Self::Int64(a), Self::Int64(b)) => Self::Int64([a[0].min(b[0]), a[1].max(b[1])]),
            (Self::Int32(a), Self::Int32(b)) => Self::Int32([a[0].min(b[0]), a[1].max(b[1])]),
            (Self::Float64(a), Self::Float64(b)) => {
                let low = if b[0] < a[0] { b[0] } else { a[0] };
                let high = if b[1] > a[1] { b[1] } else { a[1] };
                Self::Float64([low, high])
            }
            _ => unreachable!("a column has one type"),
        }
    }

    /// Compares with the range of a later page. Returns whether both bounds are non-decreasing, and
    /// whether both are non-increasing (parquet.thrift, `BoundaryOrder`).
    pub(super) fn boundary_order(self, later: Self) -> (bool, bool) {
        fn compare<T: PartialOrd>(a: [T; 2], b: [T; 2]) -> (bool, bool) {
            (a[0] <= b[0] && a[1] <= b[1], a[0] >= b[0] && a[1] >= b[1])
        }
        match (self, later) {
            (Self::Int64(a), Self::Int64(b)) => compare(a, b),
            (Self::Int32(a), Self::Int32(b)) => compare(a, b),
            (Self::Float64(a), Self::Float64(b)) => compare(a, b),
            _ => unreachable!("a column has one type"),
        }
    }

    /// Both bounds in PLAIN encoding, as the page index stores them.
    pub(super) fn bytes(self) -> [Vec<u8>; 2] {
        match self {
            Self::Int64(range) => range.map(|bound| bound.to_le_bytes().to_vec()),
            Self::Int32(range) => range.map(|bound| bound.to_le_bytes().to_vec()),
            Self::Float64(range) => range.map(|bound| bound.to_le_bytes().to_vec()),
        }
    }
}

/// The statistics of a column chunk of the physical type `kind`.
pub(super) fn statistics(kind: Type, range: Option<MinMax>, nulls: u64) -> Statistics {
    macro_rules! of {
        ($variant:ident, $type:ty) => {{
            let range: Option<[$type; 2]> = match range {
                Some(MinMax::$variant(range)) => Some(range),
                _ => None,
            };
            let [low, high] = [range.map(|range| range[0]), range.map(|range| range[1])];
            // Older readers use the deprecated fields `min` and `max`. For signed numbers they hold
            // the same values.
            ValueStatistics::new(low, high, None, Some(nulls), false).with_backwards_compatible_min_max(true).into()
        }};
    }
    match kind {
        Type::INT64 => of!(Int64, i64),
        Type::INT32 => of!(Int32, i32),
        Type::BOOLEAN => ValueStatistics::<bool>::new(None, None, None, Some(nulls), false).into(),
        _ => of!(Float64, f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_is_ignored() {
        let nan = f64::NAN;
        assert_eq!(MinMax::of_float64(&[]), None);
        assert_eq!(MinMax::of_float64(&[nan; 20]), None);
        assert_eq!(MinMax::of_float64(&[f64::INFINITY; 9]), Some(MinMax::Float64([f64::INFINITY; 2])));
        let mut values = vec![nan; 37];
        (values[3], values[36], values[8]) = (2.0, -7.5, f64::NEG_INFINITY);
        assert_eq!(MinMax::of_float64(&values), Some(MinMax::Float64([f64::NEG_INFINITY, 2.0])));
        let Some(MinMax::Float64([low, high])) = MinMax::of_float64(&[0.0, -0.0]) else { panic!("two zeros") };
        assert!(low.is_sign_negative() && high.is_sign_positive());
    }

    #[test]
    fn unions_and_boundary_order() {
        let of = |values: &[f64]| MinMax::of_float64(values).expect("values");
        let (a, b) = (of(&[1.0, 3.0]), of(&[2.0, 3.0]));
        assert_eq!(a.union(b), of(&[1.0, 3.0]));
        assert_eq!((a.boundary_order(b), b.boundary_order(a)), ((true, false), (false, true)));
        assert_eq!(a.boundary_order(a), (true, true));
        let (low, high) = (MinMax::of_int64(&[5, -2]), MinMax::of_int64(&[i64::MAX]));
        assert_eq!(low.zip(high).map(|(low, high)| low.union(high)), Some(MinMax::Int64([-2, i64::MAX])));
        assert_eq!(MinMax::of_int32(&[4, 9]).map(MinMax::bytes), Some([vec![4, 0, 0, 0], vec![9, 0, 0, 0]]));
    }
}
