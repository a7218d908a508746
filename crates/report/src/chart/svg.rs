//! Pieces of SVG: numbers, paths, texts, and the box of a plot.

use super::axis::{Axis, Tick};
use std::fmt::Write;

/// Width of a chart, pixels.
pub(super) const WIDTH: f64 = 640.0;
/// Height of a chart, pixels.
pub(super) const HEIGHT: f64 = 220.0;
/// The box of the plot within the chart: left, top, right, bottom.
pub(super) const PLOT: [f64; 4] = [62.0, 16.0, 630.0, 184.0];

/// The colour of what keeps the requirement.
pub(super) const BLUE: &str = "#2f6fd0";
/// The colour of what violates it.
pub(super) const RED: &str = "#c2271d";
/// Lines and letters beside the data.
pub(super) const GREY: &str = "#5b6570";

/// A coordinate to a tenth of a pixel. A number that is not finite becomes 0: no attribute ever
/// holds NaN.
pub(super) fn number(pixels: f64) -> String {
    tenths(rounded(pixels))
}

/// A coordinate in tenths of a pixel.
fn rounded(pixels: f64) -> i64 {
    if pixels.is_finite() { (pixels.clamp(-1e5, 1e5) * 10.0).round() as i64 } else { 0 }
}

fn tenths(value: i64) -> String {
    let (whole, tenth) = (value.abs() / 10, value.abs() % 10);
    let sign = if value < 0 { "-" } else { "" };
    match (whole, tenth) {
        (_, 0) => format!("{sign}{whole}"),
        (0, _) => format!("{sign}.{tenth}"),
        _ => format!("{sign}{whole}.{tenth}"),
    }
}

/// Path data from one number to the next: a sign separates them as well as a blank does.
fn push_number(path: &mut String, number: &str) {
    if path.ends_with(|c: char| c.is_ascii_digit()) && !number.starts_with('-') {
        path.push(' ');
    }
    path.push_str(number);
}

/// Path data of a polyline, with relative coordinates: half as long as absolute ones.
pub(super) fn polyline(points: impl IntoIterator<Item = [f64; 2]>) -> String {
    let mut path = String::new();
    let mut last: Option<[i64; 2]> = None;
    for point in points {
        let [x, y] = point.map(rounded);
        match last {
            None => path.push_str(&format!("M{} {}l", tenths(x), tenths(y))),
            Some([x_before, y_before]) => {
                push_number(&mut path, &tenths(x - x_before));
                push_number(&mut path, &tenths(y - y_before));
            }
        }
        last = Some([x, y]);
    }
    path.trim_end_matches('l').to_owned()
}

/// Path data of a closed line with horizontal and vertical pieces only: `corners[i]` is the end of
/// a horizontal piece, which begins at the height of the one before.
pub(super) fn steps(corners: impl IntoIterator<Item = [f64; 2]>) -> String {
    let mut path = String::new();
    let mut last: Option<[i64; 2]> = None;
    for corner in corners {
        let [x, y] = corner.map(rounded);
        match last {
            None => path.push_str(&format!("M{} {}", tenths(x), tenths(y))),
            Some([x_before, y_before]) => {
                if x != x_before {
                    path.push_str(&format!("h{}", tenths(x - x_before)));
                }
                if y != y_before {
                    path.push_str(&format!("v{}", tenths(y - y_before)));
                }
            }
        }
        last = Some([x, y]);
    }
    path + "z"
}

/// A text with `<`, `>`, `&` and quotes escaped.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// A rectangle from one corner to the opposite one, at least `least` pixels wide and high.
pub(super) fn rectangle(corners: [[f64; 2]; 2], least: [f64; 2], attributes: &str) -> String {
    let side = |axis: usize| {
        let (low, high) = (corners[0][axis].min(corners[1][axis]), corners[0][axis].max(corners[1][axis]));
        let lacking = (least[axis] - (high - low)).max(0.0);
        (low - 0.5 * lacking, high - low + lacking)
    };
    let ((x, width), (y, height)) = (side(0), side(1));
    let [x, y, width, height] = [x, y, width, height].map(number);
    format!(r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" {attributes}/>"#)
}

/// A straight line.
pub(super) fn line(ends: [[f64; 2]; 2], attributes: &str) -> String {
    let [x1, y1, x2, y2] = [ends[0][0], ends[0][1], ends[1][0], ends[1][1]].map(number);
    format!(r#"<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" {attributes}/>"#)
}

/// A text at a point; `anchor` is `start`, `middle` or `end`. A halo keeps it legible on top of
/// lines.
pub(super) fn label(at: [f64; 2], anchor: &str, fill: &str, class: &str, text: &str) -> String {
    let [x, y] = at.map(number);
    let text = escaped(text);
    format!(r#"<text class="{class}" x="{x}" y="{y}" text-anchor="{anchor}" fill="{fill}">{text}</text>"#)
}

/// The element `svg` around a chart: `name` is what a screen reader says, `attributes` are those
/// for scripts.
pub(super) fn chart(class: &str, name: &str, attributes: &str, body: &str) -> String {
    let name = escaped(name);
    let font = r#"font-family="system-ui,-apple-system,'Segoe UI',sans-serif" font-size="12""#;
    format!(
        r#"<svg class="chart {class}" viewBox="0 0 {} {}" role="img" aria-label="{name}" {font}{attributes}>{}</svg>"#,
        number(WIDTH),
        number(HEIGHT),
        format_args!("<title>{name}</title>{body}")
    )
}

/// The frame of the plot with ticks and names of both axes.
pub(super) fn frame(x: &Axis, y: &Axis, ticks: [&[Tick]; 2], names: [&str; 2]) -> String {
    let [left, top, right, bottom] = PLOT;
    let [mut grid, mut axes] = [String::new(), format!("M{left} {top}V{bottom}H{right}")];
    let [mut beside, mut below] = [String::new(), String::new()];
    let text = |at: [f64; 2], text: &str| {
        let [x, y] = at.map(number);
        format!(r#"<text x="{x}" y="{y}">{}</text>"#, escaped(text))
    };
    for tick in ticks[1] {
        let at = y.at(tick.value);
        let _ = write!(grid, "M{left} {}H{right}", number(at));
        beside.push_str(&text([left - 6.0, at + 4.0], &tick.text));
    }
    for tick in ticks[0] {
        let at = x.at(tick.value);
        let _ = write!(axes, "M{} {bottom}v4", number(at));
        below.push_str(&text([at, bottom + 17.0], &tick.text));
    }
    let grid = format!(r##"<path class="grid" d="{grid}" stroke="#d9dee4"/>"##);
    let axes = format!(r#"<path class="axis" d="{axes}" fill="none" stroke="{GREY}"/>"#);
    let ticks = format!(
        r#"<g class="tick" fill="{GREY}"><g text-anchor="end">{beside}</g><g text-anchor="middle">{below}</g></g>"#
    );
    let [across, up] = [
        label([right, HEIGHT - 4.0], "end", GREY, "name", names[0]),
        label([4.0, top - 5.0], "start", GREY, "name", names[1]),
    ];
    [grid, axes, ticks, across, up].concat()
}

/// Clips its content to the plot, by a nested `svg`.
pub(super) fn within_plot(body: &str) -> String {
    let [left, top, right, bottom] = PLOT;
    let (width, height) = (right - left, bottom - top);
    let place = format!(r#"x="{left}" y="{top}" width="{width}" height="{height}""#);
    format!(r#"<svg {place} viewBox="{left} {top} {width} {height}" overflow="hidden">{body}</svg>"#)
}
