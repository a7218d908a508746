//! The way out along a line: the first length that lies in none of a union of intervals.
//!
//! Two convex parts of which one moves along a line meet at an interval of lengths, as their signed
//! distance is a convex function of the length. From a length on, the end of an interval that holds
//! it is gone to, until none does: one search finds the first free length, where a bisection would
//! search at each length that it tries. An end is approached from beyond by supporting planes:
//! Newton's steps on a convex function, as in the ray cast of van den Bergen (2004) and in
//! conservative advancement (Mirtich 1996).

/// There is no proof.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NoProof;

/// Finds the first length from `length` on that no interval holds. `end_at`: the end of the
/// intervals that hold a length; the length itself if none holds it.
///
/// # Errors
/// Those of `end_at`.
pub(crate) fn first_gap(mut length: f64, mut end_at: impl FnMut(f64) -> Result<f64, NoProof>) -> Result<f64, NoProof> {
    loop {
        let end = end_at(length)?;
        if end.is_nan() || end <= length {
            return Ok(length);
        }
        length = end;
    }
}

/// Approaches the end of an interval that holds the length `from`. `beyond`: a length after the
/// end. `step_at`: by how much a supporting plane allows to go back from a length; `None`, or below
/// 0, if no plane does. A step of at most `short` is the last, or number `most`.
pub(crate) fn interval_end(
    beyond: f64,
    from: f64,
    short: f64,
    most: usize,
    mut step_at: impl FnMut(f64) -> Option<f64>,
) -> f64 {
    let mut end = beyond;
    for _ in 0..most {
        let Some(step) = step_at(end).filter(|&step| step >= 0.0) else { break };
        end = (end - step).max(from);
        if step <= short || end <= from {
            break;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_gap_is_that_of_intervals_in_any_order() {
        let intervals = [[3.0, 4.0], [0.5, 2.0], [-1.0, 1.0], [1.5, 2.5], [2.6, 2.8]];
        let end_at = |length: f64| {
            let holding = intervals.iter().filter(|[begin, end]| *begin <= length && length < *end);
            Ok(holding.fold(length, |last, [_, end]| last.max(*end)))
        };
        assert_eq!([0.0, 2.55, 2.7].map(|from| first_gap(from, end_at).ok()), [2.5, 2.55, 2.8].map(Some));
        assert!(first_gap(0.0, |length| if length < 2.0 { end_at(length) } else { Err(NoProof) }).is_err());
    }

    #[test]
    fn ends_are_approached_from_beyond() {
        // The function is `length^2 - 1`: the tangent at a length has its root at `(length^2 + 1) /
        // (2 length)`.
        let step_at = |length: f64| Some((length * length - 1.0) / (2.0 * length));
        let end = interval_end(50.0, 0.0, 1e-9, 60, step_at);
        assert!((1.0..1.0 + 1e-9).contains(&end), "{end}");
        assert!(interval_end(50.0, 0.0, 1e-9, 3, step_at) > 1.0 + 1e-9);
        assert_eq!(interval_end(50.0, 7.0, 1e-9, 60, step_at), 7.0);
        assert_eq!(interval_end(50.0, 0.0, 1e-9, 60, |_| None), 50.0);
    }
}
