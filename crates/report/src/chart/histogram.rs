//! The least distances of a pair over all runs.

use super::axis::Axis;
use super::svg::{self, BLUE, GREY, PLOT, RED, label, line, rectangle};
use crate::data::Histogram;
use crate::words::{Lengths, count, counted, percent};

/// Pixels at the right for runs that are farther than the last bin.
const BEYOND: f64 = 46.0;

/// The histogram as SVG. Bars below the requirement are red; one that the requirement divides is
/// hatched by its dashes.
pub(crate) fn histogram_svg(histogram: &Histogram, lengths: Lengths) -> String {
    let [left, top, right, bottom] = PLOT;
    let end = if histogram.beyond > 0 { right - BEYOND } else { right };
    let edges = || histogram.edges_m.iter().copied().chain([histogram.required_m]).filter(|metres| metres.is_finite());
    let low = edges().reduce(f64::min).unwrap_or(0.0);
    let high = edges().reduce(f64::max).unwrap_or(0.0);
    let x = Axis::new(lengths.value(low), lengths.value(high), [left, end]).padded(0.02);
    // The runs that are farther may be nearly all: their bar is cut off, so that the others are
    // seen.
    let most = histogram.counts.iter().copied().max().filter(|&most| most > 0).unwrap_or(histogram.beyond.max(1));
    let y = Axis::new(0.0, 1.08 * most as f64, [bottom, top]);
    let ticks = [x.ticks(6, false), y.ticks(4, true)];
    let names = [format!("least distance of a run, {}", lengths.word()), "runs".to_owned()];
    let body = [
        svg::frame(&x, &y, [&ticks[0], &ticks[1]], [&names[0], &names[1]]),
        bars(histogram, &x, &y, lengths),
        beyond(histogram, &y, most),
        requirement(histogram, &x, lengths),
    ]
    .concat();
    svg::chart("histogram", &probability(histogram), "", &body)
}

/// `12.3 % of 1,000 runs violate (95 %: 10.4 % .. 14.5 %)`; `123 of 1,000 runs violate` of runs
/// that are no draws.
pub(crate) fn probability(histogram: &Histogram) -> String {
    let [violated, runs] = histogram.violated;
    let Some([share, lower, upper]) = histogram.share else {
        return format!("{} of {} violate", count(violated), counted(runs, "run"));
    };
    format!(
        "{} of {} violate (95 %: {} .. {})",
        percent(share, 0),
        counted(runs, "run"),
        percent(lower, -1),
        percent(upper, 1)
    )
}

/// Three paths: the bars below the requirement, the one that it divides, and those beyond.
fn bars(histogram: &Histogram, x: &Axis, y: &Axis, lengths: Lengths) -> String {
    let required = histogram.required_m;
    let [mut below, mut divided, mut above] = [String::new(), String::new(), String::new()];
    for (edges, &count) in histogram.edges_m.windows(2).zip(&histogram.counts) {
        if count == 0 || !edges[0].is_finite() || !edges[1].is_finite() {
            continue;
        }
        let slack = 1e-9 * (edges[1] - edges[0]).abs();
        let path = if edges[1] <= required + slack {
            &mut below
        } else if edges[0] < required - slack {
            &mut divided
        } else {
            &mut above
        };
        let [from, to] = [edges[0], edges[1]].map(|metres| x.at(lengths.value(metres)));
        let [from, to] = if to - from > 4.0 { [from + 0.5, to - 0.5] } else { [from, to.max(from + 1.0)] };
        let [top, bottom] = [y.at(count as f64).min(y.at(0.0) - 1.0), y.at(0.0)];
        path.push_str(&svg::steps([[from, bottom], [from, top], [to, top], [to, bottom]]));
    }
    let styled = [
        (below, format!(r#"class="bar violation" fill="{RED}""#)),
        (
            divided,
            format!(r#"class="bar divided" fill="{RED}" fill-opacity=".45" stroke="{RED}" stroke-dasharray="3 2""#),
        ),
        (above, format!(r#"class="bar" fill="{BLUE}""#)),
    ];
    let drawn = styled.into_iter().filter(|(path, _)| !path.is_empty());
    drawn.map(|(path, style)| format!(r#"<path {style} d="{path}"/>"#)).collect()
}

/// The bar of the runs that stayed farther apart than the tables tell; broken if it is higher than
/// the plot.
fn beyond(histogram: &Histogram, y: &Axis, most: u64) -> String {
    if histogram.beyond == 0 {
        return String::new();
    }
    let [_, top, right, _] = PLOT;
    let left = right - 0.7 * BEYOND;
    let corners = [[left, y.at(histogram.beyond.min(most) as f64)], [right, y.at(0.0)]];
    let text = format!("farther: {}", count(histogram.beyond));
    let broken = match histogram.beyond > most {
        true => line(
            [[left - 3.0, top + 34.0], [right + 3.0, top + 22.0]],
            r##"class="break" stroke="#fff" stroke-width="5""##,
        ),
        false => String::new(),
    };
    rectangle(corners, [1.0, 1.0], &format!(r#"class="bar beyond" fill="{GREY}" fill-opacity=".5""#))
        + &broken
        + &label([right, top - 4.0], "end", GREY, "name", &text)
}

fn requirement(histogram: &Histogram, x: &Axis, lengths: Lengths) -> String {
    if !histogram.required_m.is_finite() {
        return String::new();
    }
    let [left, top, right, bottom] = PLOT;
    let at = x.at(lengths.value(histogram.required_m));
    // Above the plot, between the name of the axis and that of the last bar.
    let above = at.clamp(left + 90.0, right - 150.0);
    let dashed = format!(r#"class="required" stroke="{RED}" stroke-width="1.5" stroke-dasharray="6 4""#);
    let text = format!("required {}", lengths.required(histogram.required_m));
    line([[at, top], [at, bottom]], &dashed) + &label([above, top - 4.0], "middle", RED, "halo red", &text)
}
