//! Shares of counted things, with their confidence.

/// The share of `count` in `all`, and its 95 % interval after Wilson ("Probable inference, the law
/// of succession, and statistical inference", 1927), which holds for small shares too.
pub fn share_with_interval(count: u64, all: u64) -> (f64, [f64; 2]) {
    /// The 97.5 % quantile of the normal distribution.
    const Z: f64 = 1.959_963_984_540_054;
    let (share, n) = (count as f64 / all as f64, all as f64);
    let middle = share + Z * Z / (2.0 * n);
    let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let bound = |value: f64| (value / (1.0 + Z * Z / n)).clamp(0.0, 1.0);
    // The ends are exact if none or all are counted; rounding would miss them.
    let low = if count == 0 { 0.0 } else { bound(middle - half) };
    let high = if count == all { 1.0 } else { bound(middle + half) };
    (share, [low, high])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_a_share_is_wilsons() {
        let rounded = |count, all| {
            let (share, [low, high]) = share_with_interval(count, all);
            [share, low, high].map(|x| (x * 1000.0).round() / 10.0)
        };
        assert_eq!(rounded(1450, 2000), [72.5, 70.5, 74.4]);
        assert_eq!(rounded(4, 200), [2.0, 0.8, 5.0]);
        assert_eq!(rounded(0, 200), [0.0, 0.0, 1.9]);
        assert_eq!(rounded(7, 7), [100.0, 64.6, 100.0]);
    }
}
