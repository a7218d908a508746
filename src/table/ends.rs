//! The least and the greatest of some values, for the statistics and the page index.

use parquet::basic::Type;
use parquet::file::statistics::{Statistics, ValueStatistics};

/// Values that are compared side by side.
const LANES: usize = 8;

/// Least and greatest value of a page or of a column chunk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Ends {
    Int64([i64; 2]),
    Int32([i32; 2]),
    Float64([f64; 2]),
}

impl Ends {
    /// `None` where there is no value.
    pub(super) fn of_int64(values: &[i64]) -> Option<Self> {
        // By value: the iterators' own minimum follows references, one comparison after the other.
        let ends = values.iter().fold([i64::MAX, i64::MIN], |[low, high], &v| [low.min(v), high.max(v)]);
        (!values.is_empty()).then_some(Self::Int64(ends))
    }

    /// See [`Self::of_int64`].
    pub(super) fn of_int32(values: &[i32]) -> Option<Self> {
        let ends = values.iter().fold([i32::MAX, i32::MIN], |[low, high], &v| [low.min(v), high.max(v)]);
        (!values.is_empty()).then_some(Self::Int32(ends))
    }

    /// NaN is no value; a zero stands for both signs (Parquet format, `ColumnOrder`).
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

    /// The ends of both.
    pub(super) fn join(self, other: Self) -> Self {
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

    /// Whether neither end falls from `self` to `later`, and whether neither rises.
    pub(super) fn rises_and_falls(self, later: Self) -> (bool, bool) {
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

    /// Both as the page index holds them.
    pub(super) fn bytes(self) -> [Vec<u8>; 2] {
        match self {
            Self::Int64(ends) => ends.map(|end| end.to_le_bytes().to_vec()),
            Self::Int32(ends) => ends.map(|end| end.to_le_bytes().to_vec()),
            Self::Float64(ends) => ends.map(|end| end.to_le_bytes().to_vec()),
        }
    }
}

/// The statistics of a column chunk of this type.
pub(super) fn statistics(kind: Type, ends: Option<Ends>, nulls: u64) -> Statistics {
    macro_rules! of {
        ($variant:ident, $type:ty) => {{
            let ends: Option<[$type; 2]> = match ends {
                Some(Ends::$variant(ends)) => Some(ends),
                _ => None,
            };
            let [low, high] = [ends.map(|ends| ends[0]), ends.map(|ends| ends[1])];
            // Old readers know other fields for the same; for signed numbers they hold the same.
            ValueStatistics::new(low, high, None, Some(nulls), false).with_backwards_compatible_min_max(true).into()
        }};
    }
    match kind {
        Type::INT64 => of!(Int64, i64),
        Type::INT32 => of!(Int32, i32),
        _ => of!(Float64, f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_none_do_not_count() {
        let nan = f64::NAN;
        assert_eq!(Ends::of_float64(&[]), None);
        assert_eq!(Ends::of_float64(&[nan; 20]), None);
        assert_eq!(Ends::of_float64(&[f64::INFINITY; 9]), Some(Ends::Float64([f64::INFINITY; 2])));
        let mut values = vec![nan; 37];
        (values[3], values[36], values[8]) = (2.0, -7.5, f64::NEG_INFINITY);
        assert_eq!(Ends::of_float64(&values), Some(Ends::Float64([f64::NEG_INFINITY, 2.0])));
        let Some(Ends::Float64([low, high])) = Ends::of_float64(&[0.0, -0.0]) else { panic!("two zeros") };
        assert!(low.is_sign_negative() && high.is_sign_positive());
    }

    #[test]
    fn ends_of_both_and_their_order() {
        let of = |values: &[f64]| Ends::of_float64(values).expect("values");
        let (a, b) = (of(&[1.0, 3.0]), of(&[2.0, 3.0]));
        assert_eq!(a.join(b), of(&[1.0, 3.0]));
        assert_eq!((a.rises_and_falls(b), b.rises_and_falls(a)), ((true, false), (false, true)));
        assert_eq!(a.rises_and_falls(a), (true, true));
        let (low, high) = (Ends::of_int64(&[5, -2]), Ends::of_int64(&[i64::MAX]));
        assert_eq!(low.zip(high).map(|(low, high)| low.join(high)), Some(Ends::Int64([-2, i64::MAX])));
        assert_eq!(Ends::of_int32(&[4, 9]).map(Ends::bytes), Some([vec![4, 0, 0, 0], vec![9, 0, 0, 0]]));
    }
}
