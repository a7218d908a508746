//! Numbers, lengths, times and names for people.

mod clock;
mod lengths;
mod names;

#[cfg(test)]
pub(crate) use clearsweep_base::text::visible;
pub use clock::outward;
pub(crate) use clock::{Clock, Scale};
pub use lengths::Lengths;
pub(crate) use names::{Name, clipped};

use crate::data::{Decision, Moment};
use clearsweep_records::manifest::{Intervals, MaxGap, Named};
use serde_json::Value;

/// A count with separators: 1,234,567.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 run`, `2 runs`.
pub fn counted(n: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(n), if n == 1 { "" } else { "s" })
}

/// Pairs by the weaker source of both bodies' deviations, in words; `None`: all geometry is exact.
pub fn resting_on(pairs: &Named<u64>) -> Option<String> {
    let words = [
        ("proven", "a proven tolerance"),
        ("declared", "a declared tolerance"),
        ("unknown", "triangles of unknown deviation"),
    ];
    let counts = words.map(|(source, what)| (pairs.get(source).copied().unwrap_or(0), what));
    let mut weak = counts.into_iter().filter(|&(pairs, _)| pairs > 0);
    let (first, what) = weak.next()?;
    let text = match pairs.into_iter().map(|(_, pairs)| pairs).sum() {
        1 => format!("the pair rests on {what}"),
        all if all == first => format!("all {} pairs rest on {what}", count(all)),
        all => format!("{} of {} pairs rest on {what}", count(first), count(all)),
    };
    Some(weak.fold(text, |text, (pairs, what)| format!("{text}, {} on {what}", count(pairs))))
}

/// The limits beyond which an interval of a summary is a gap, as in its manifest.
pub fn longest_step(intervals: &Intervals) -> String {
    let frames = intervals.max_gap;
    match &intervals.max_gap_s {
        Some(None) => format!("max_gap = {frames}, or 100 times longer than the steps beside"),
        Some(Some(MaxGap::Seconds(seconds))) => format!("max_gap = {frames} or max_gap_s = {}", Value::from(*seconds)),
        _ => format!("max_gap = {frames}"),
    }
}

/// A number without the zeros at the end of its decimals, and without the sign of a zero.
pub(crate) fn trimmed(number: &str) -> &str {
    if !number.contains('.') || number.contains('e') {
        return if number == "-0" { "0" } else { number };
    }
    match number.trim_end_matches('0').trim_end_matches('.') {
        "-0" => "0",
        shorter => shorter,
    }
}

/// A point in time, down to the millisecond: `44.25 s`.
pub(crate) fn time(seconds: f64) -> String {
    if seconds != 0.0 && seconds.abs() < 0.5e-3 {
        return format!("{seconds:.2e} s");
    }
    format!("{} s", trimmed(&format!("{seconds:.3}")))
}

/// `frame 176 (44 s)`.
pub(crate) fn moment(moment: Moment) -> String {
    match moment.time_s {
        Some(seconds) if seconds.is_finite() => format!("frame {} ({})", moment.frame, time(seconds)),
        _ => format!("frame {}", moment.frame),
    }
}

/// `frames 176 to 177 (44 s to 44.25 s)`, or one moment.
pub(crate) fn span(ends: [Moment; 2]) -> String {
    let [first, last] = ends;
    if first.frame == last.frame {
        return moment(first);
    }
    let frames = format!("frames {} to {}", first.frame, last.frame);
    match (first.time_s, last.time_s) {
        (Some(from), Some(to)) if from.is_finite() && to.is_finite() => {
            format!("{frames} ({} to {})", time(from), time(to))
        }
        _ => frames,
    }
}

/// `Decision by anna, until 2026-03-31: seal`; `None`: there is none.
pub(crate) fn decision(of: &Decision) -> Option<String> {
    let Decision { until, by, reason } = of;
    let by = by.as_ref().map(|by| format!(" by {by}"));
    let until = until.as_ref().map(|until| format!("until {until}"));
    let about = match (by, until) {
        (Some(by), Some(until)) => format!("{by}, {until}"),
        (by, until) => by.or(until.map(|until| format!(" {until}"))).unwrap_or_default(),
    };
    let reason = reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    (about.len() + reason.len() > 0).then(|| format!("Decision{about}{reason}"))
}

/// A share of runs, in percent. The ends of an interval are rounded outward (`towards` -1 or 1), a
/// share to the nearest (0).
pub(crate) fn percent(share: f64, towards: i8) -> String {
    let value = if share.is_finite() { 100.0 * share.clamp(0.0, 1.0) } else { 0.0 };
    let decimals = if value > 0.0 && value < 0.1 { 4 } else { 1 };
    let scale = 10_f64.powi(decimals);
    // A share such as 0.145 is 14.500000000000002 %: rounding outward must not take that for more.
    let scaled = value * scale;
    let rounded = match towards {
        _ if (scaled - scaled.round()).abs() < 1e-6 => scaled.round(),
        ..=-1 => scaled.floor(),
        0 => scaled.round(),
        _ => scaled.ceil(),
    };
    format!("{} %", trimmed(&format!("{:.4}", rounded / scale)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(frame: i64, time_s: Option<f64>) -> Moment {
        Moment { frame, time_s }
    }

    #[test]
    fn times_read_well() {
        assert_eq!(moment(at(176, Some(44.0))), "frame 176 (44 s)");
        assert_eq!(moment(at(-3, None)), "frame -3");
        assert_eq!(moment(at(1, Some(f64::NAN))), "frame 1");
        assert_eq!(span([at(176, Some(44.0)), at(177, Some(44.25))]), "frames 176 to 177 (44 s to 44.25 s)");
        assert_eq!(span([at(5, Some(1.0)), at(5, Some(1.0))]), "frame 5 (1 s)");
        assert_eq!(span([at(5, None), at(9, None)]), "frames 5 to 9");
        assert_eq!([time(0.0), time(-0.0), time(2e-5), time(1.0004)], ["0 s", "0 s", "2.00e-5 s", "1 s"]);
    }

    #[test]
    fn decisions_read_well() {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let of = |by: &str, until: &str, reason: &str| {
            decision(&Decision { until: text(until), by: text(by), reason: text(reason) })
        };
        assert_eq!(of("anna", "2026-03-31", "seal").expect("one"), "Decision by anna, until 2026-03-31: seal");
        assert_eq!(of("", "2026-03-31", "").expect("one"), "Decision until 2026-03-31");
        assert_eq!((of("", "", "seal").expect("one").as_str(), of("", "", "")), ("Decision: seal", None));
    }

    #[test]
    fn intervals_of_shares_are_rounded_outward() {
        assert_eq!([percent(0.123, 0), percent(0.10449, -1), percent(0.14409, 1)], ["12.3 %", "10.4 %", "14.5 %"]);
        assert_eq!([percent(0.145, 1), percent(0.145, -1), percent(1.0, 1)], ["14.5 %", "14.5 %", "100 %"]);
        assert_eq!([percent(0.0, 0), percent(f64::NAN, 0), percent(0.000_001, 0)], ["0 %", "0 %", "0.0001 %"]);
    }
}
