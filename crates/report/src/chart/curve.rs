//! The distance of a pair over the samples of a run, with its proven band.

use super::axis::Axis;
use super::svg::{self, BLUE, GREY, PLOT, RED, label, line, polyline, rectangle};
use crate::data::{Curve, CurveBetween, CurvePoint, Moment};
use crate::words::{Clock, Lengths, Scale, counted};
use std::fmt::Write;

/// Points up to this number are drawn as dots, too.
const MOST_DOTS: usize = 60;
/// A band narrower than this, pixels, is drawn as the line of the distance.
const LINE_WIDTH: f64 = 2.0;

/// The distance over time as SVG.
///
/// The root carries what a script needs to place `<line class="cursor">`: `data-axis` (`s` or
/// `frame`), the values at both ends (`data-from`, `data-to`) and their pixels (`data-left`,
/// `data-right`). If values are no seconds or frames, `data-zero` and `data-step` convert those to
/// values.
pub(crate) fn curve_svg(curve: &Curve, least: &RunMoment, clock: &Clock, lengths: Lengths) -> String {
    let drawing = Drawing::new(curve, least, clock, lengths);
    let least = &least.moment;
    let [left, top, right, bottom] = PLOT;
    let inside = [
        drawing.between(),
        drawing.bands(),
        drawing.violations(),
        drawing.lines(),
        drawing.reference_lines(),
        drawing.violation_strip(),
        line([[drawing.x.at(drawing.now(*least)), top], [drawing.x.at(drawing.now(*least)), bottom]], CURSOR),
    ]
    .concat();
    let scale = &drawing.scale;
    let names = [&*scale.name, &format!("distance, {}", lengths.word())];
    let ticks = [drawing.x.ticks(7, scale.is_whole), drawing.y.ticks(5, false)];
    let body = [
        svg::frame(&drawing.x, &drawing.y, [&ticks[0], &ticks[1]], names),
        svg::within_plot(&inside),
        drawing.labels(),
        drawing.least_mark(),
    ]
    .concat();
    let [from, to] = drawing.x.range();
    let axis = if scale.in_seconds { "s" } else { "frame" };
    let convert = match (scale.zero, scale.step) {
        (0.0, 1.0) => String::new(),
        (zero, step) => format!(r#" data-zero="{zero}" data-step="{step}""#),
    };
    let attributes = format!(
        r#" data-axis="{axis}" data-from="{from}" data-to="{to}" data-left="{}" data-right="{}"{convert}"#,
        svg::number(left),
        svg::number(right)
    );
    svg::chart("curve", &drawing.description(), &attributes, &body)
}

/// The line that scripts move; a style sheet shows it.
const CURSOR: &str = r##"class="cursor" display="none" stroke="#1b1f24" stroke-width="1.5""##;

/// A moment of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunMoment {
    pub(crate) run: i64,
    pub(crate) moment: Moment,
}

struct Drawing<'a> {
    curve: &'a Curve,
    least: Moment,
    lengths: Lengths,
    scale: Scale,
    /// The moment of the least distance in words.
    when: String,
    x: Axis,
    y: Axis,
    /// The points without gaps between them.
    stretches: Vec<&'a [CurvePoint]>,
}

impl<'a> Drawing<'a> {
    fn new(curve: &'a Curve, least: &RunMoment, clock: &Clock, lengths: Lengths) -> Self {
        let &RunMoment { run, moment: ref least } = least;
        let [left, top, right, bottom] = PLOT;
        let points = curve.points.iter().map(|point| point.moment);
        let ends = curve.between.iter().flat_map(|between| between.ends);
        let moments: Vec<Moment> = points.chain(ends).chain(curve.span.into_iter().flatten()).chain([*least]).collect();
        let in_seconds = moments.iter().all(|moment| moment.time_s.is_some_and(f64::is_finite));
        let earliest = moments.iter().min_by_key(|moment| moment.frame).copied().unwrap_or(*least);
        let scale = clock.scale(run, earliest, in_seconds);
        let times: Vec<f64> = moments.iter().map(|&moment| value(moment, &scale)).collect();
        let first = times.iter().copied().fold(f64::INFINITY, f64::min);
        let last = times.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let [first, last] = if first < last { [first, last] } else { [first - 0.5, first + 0.5] };
        let [low, high] = vertical_range(curve).map(|metres| lengths.value(metres));
        Self {
            curve,
            least: *least,
            lengths,
            scale,
            when: clock.moment(run, *least),
            x: Axis::new(first, last, [left, right]),
            y: Axis::new(low, high, [bottom, top]).padded(0.04),
            stretches: stretches(curve),
        }
    }

    fn now(&self, moment: Moment) -> f64 {
        value(moment, &self.scale)
    }

    fn height(&self, metres: f64) -> f64 {
        self.y.at(self.lengths.value(metres))
    }

    fn at(&self, point: &CurvePoint, metres: f64) -> [f64; 2] {
        [self.x.at(self.now(point.moment)), self.height(metres)]
    }

    /// The proven brackets between frames: lighter steps.
    fn between(&self) -> String {
        let step = |between: &CurveBetween| {
            (between.ends.map(|end| self.x.at(self.now(end))), self.bracket_heights(between.bracket_m))
        };
        let joined = self.curve.between.chunk_by(|a, b| a.ends[1].frame == b.ends[0].frame);
        let outline = |joined: &[CurveBetween]| {
            let steps: Vec<_> = joined.iter().map(step).collect();
            let above = steps.iter().flat_map(|&([from, to], [_, high])| [[from, high], [to, high]]);
            let below = steps.iter().rev().flat_map(|&([from, to], [low, _])| [[to, low], [from, low]]);
            // From the height of one step to that of the next the line is vertical: their ends
            // coincide.
            svg::steps(above.chain(below))
        };
        let steps: String = joined.map(outline).collect();
        if steps.is_empty() {
            return steps;
        }
        format!(
            r#"<path class="between" d="{steps}" fill="{BLUE}" fill-opacity=".16" stroke="{BLUE}" {}/>"#,
            r#"stroke-opacity=".3" stroke-width=".6""#
        )
    }

    /// Pixels of both ends of a bracket; an end that is not proven lies at the edge of the plot.
    fn bracket_heights(&self, bracket_m: [Option<f64>; 2]) -> [f64; 2] {
        let [_, top, _, bottom] = PLOT;
        [bracket_m[0].map_or(bottom, |low| self.height(low)), bracket_m[1].map_or(top, |high| self.height(high))]
    }

    /// The band from the lower to the upper end of all brackets, where it is wider than a line.
    fn bands(&self) -> String {
        let mut path = String::new();
        for stretch in &self.stretches {
            let ends = stretch.iter().map(|point| (point, self.bracket_heights(point.bracket_m)));
            let is_wide = ends.clone().any(|(_, [low, high])| (low - high).abs() > LINE_WIDTH);
            if !is_wide {
                continue;
            }
            let upper = ends.clone().map(|(point, [_, high])| [self.x.at(self.now(point.moment)), high]);
            let lower = ends.rev().map(|(point, [low, _])| [self.x.at(self.now(point.moment)), low]);
            path.push_str(&polyline(upper.chain(lower)));
            path.push('z');
        }
        if path.is_empty() {
            return path;
        }
        format!(
            r#"<path class="band" d="{path}" fill="{BLUE}" fill-opacity=".28" stroke="{BLUE}" {}/>"#,
            r#"stroke-opacity=".28" stroke-width="1.5""#
        )
    }

    /// The distance of the samples.
    fn lines(&self) -> String {
        let path: String = self
            .stretches
            .iter()
            .map(|stretch| match stretch {
                // A zero line with round ends is a dot.
                [one] => polyline([self.at(one, one.distance_m), self.at(one, one.distance_m)]),
                _ => polyline(stretch.iter().map(|point| self.at(point, point.distance_m))),
            })
            .collect();
        let mut out = String::new();
        if !path.is_empty() {
            let round = r#"stroke-linejoin="round" stroke-linecap="round""#;
            let _ = write!(
                out,
                r#"<path class="distance" d="{path}" fill="none" stroke="{BLUE}" stroke-width="{LINE_WIDTH}" {round}/>"#
            );
        }
        if self.curve.points.len() <= MOST_DOTS {
            for point in &self.curve.points {
                let [x, y] = self.at(point, point.distance_m).map(svg::number);
                let fill = if self.violates(point) { RED } else { BLUE };
                let _ = write!(out, r#"<circle cx="{x}" cy="{y}" r="2.2" fill="{fill}"/>"#);
            }
        }
        out
    }

    /// Whether a sample is proven to be nearer than required.
    fn violates(&self, point: &CurvePoint) -> bool {
        point.bracket_m[1].unwrap_or(point.distance_m) < self.curve.required_m
    }

    /// The areas between the requirement and the distance of samples below it.
    fn violations(&self) -> String {
        let mut path = String::new();
        for stretch in &self.stretches {
            for run in stretch_runs(stretch, |point| self.violates(point)) {
                let outline = self.below_required(stretch, run);
                path.push_str(&polyline(outline));
                path.push('z');
            }
        }
        if path.is_empty() {
            return path;
        }
        format!(
            r#"<path class="violation" d="{path}" fill="{RED}" fill-opacity=".3" stroke="{RED}" stroke-width="1"/>"#
        )
    }

    /// The outline of one such area: the samples `run` of a stretch, from the crossing before them
    /// to the one behind.
    fn below_required(&self, stretch: &[CurvePoint], run: [usize; 2]) -> Vec<[f64; 2]> {
        let level = self.height(self.curve.required_m);
        let [first, last] = run;
        let mut outline: Vec<[f64; 2]> = Vec::new();
        let crossing = |outside: &CurvePoint, inside: &CurvePoint| {
            let [a, b] = [self.at(outside, outside.distance_m), self.at(inside, inside.distance_m)];
            let share = if a[1] < level && b[1] > level { (level - a[1]) / (b[1] - a[1]) } else { 0.5 };
            a[0] + share * (b[0] - a[0])
        };
        let start = self.at(&stretch[first], 0.0)[0];
        let end = self.at(&stretch[last], 0.0)[0];
        let from = if first > 0 { crossing(&stretch[first - 1], &stretch[first]) } else { start - 1.0 };
        let to = stretch.get(last + 1).map_or(end + 1.0, |next| crossing(next, &stretch[last]));
        outline.push([from, level]);
        outline.extend(stretch[first..=last].iter().map(|point| self.at(point, point.distance_m)));
        outline.push([to, level]);
        outline
    }

    /// Marks at the lower edge: the time that violates is seen even where the area is thin.
    fn violation_strip(&self) -> String {
        let [_, _, _, bottom] = PLOT;
        let mut marks: Vec<[f64; 2]> = Vec::new();
        for stretch in &self.stretches {
            let runs = stretch_runs(stretch, |point| self.violates(point));
            marks.extend(runs.iter().map(|run| run.map(|index| self.at(&stretch[index], 0.0)[0])));
        }
        for between in &self.curve.between {
            if between.bracket_m[1].is_some_and(|upper| upper < self.curve.required_m) {
                marks.push(between.ends.map(|end| self.x.at(self.now(end))));
            }
        }
        marks.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let mut joined: Vec<[f64; 2]> = Vec::new();
        for [from, to] in marks {
            match joined.last_mut() {
                Some([_, end]) if from <= *end + 0.5 => *end = end.max(to),
                _ => joined.push([from, to]),
            }
        }
        let attributes = format!(r#"class="violation-strip" fill="{RED}""#);
        let mark = |&[from, to]: &[f64; 2]| rectangle([[from, bottom - 4.0], [to, bottom]], [3.0, 4.0], &attributes);
        joined.iter().map(mark).collect()
    }

    /// The lines of contact and of the requirement.
    fn reference_lines(&self) -> String {
        let [left, _, right, _] = PLOT;
        let [contact, required] = [0.0, self.curve.required_m].map(|metres| self.height(metres));
        let solid = format!(r#"class="contact" stroke="{GREY}" stroke-width="1""#);
        let dashed = format!(r#"class="required" stroke="{RED}" stroke-width="1.5" stroke-dasharray="6 4""#);
        line([[left, contact], [right, contact]], &solid) + &line([[left, required], [right, required]], &dashed)
    }

    /// Names of both lines: the requirement at the right, contact at the left.
    fn labels(&self) -> String {
        let [left, top, right, bottom] = PLOT;
        let beside = |height: f64| if height - top < 14.0 { height + 13.0 } else { height - 4.0 };
        let (contact, required) = (self.height(0.0), self.height(self.curve.required_m));
        let mut out = String::new();
        if (top..=bottom).contains(&contact) {
            out.push_str(&label([left + 6.0, beside(contact)], "start", GREY, "halo", "contact"));
        }
        if self.curve.required_m.is_finite() && (top - 1.0..=bottom + 1.0).contains(&required) {
            let text = format!("required {}", self.lengths.required(self.curve.required_m));
            out.push_str(&label([right - 4.0, beside(required)], "end", RED, "halo red", &text));
        }
        out
    }

    /// The sample of the least distance, or the interval that begins there.
    fn least_distance(&self) -> Option<f64> {
        let sample = self.curve.points.iter().find(|point| point.moment.frame == self.least.frame);
        let between = self.curve.between.iter().find(|between| between.ends[0].frame == self.least.frame);
        let distances = [sample.map(|point| point.distance_m), between.and_then(|between| between.bracket_m[1])];
        distances.into_iter().flatten().filter(|metres| metres.is_finite()).reduce(f64::min)
    }

    /// A ring around the least distance, with its length.
    fn least_mark(&self) -> String {
        let Some(metres) = self.least_distance() else {
            return String::new();
        };
        let [left, top, right, bottom] = PLOT;
        let (x, y) = (self.x.at(self.now(self.least)), self.height(metres).clamp(top, bottom));
        let ring = format!(
            r#"<circle class="least" cx="{}" cy="{}" r="4.5" fill="none" stroke="{RED}" stroke-width="2"/>"#,
            svg::number(x),
            svg::number(y)
        );
        let (anchor, beside) = if x > left + 0.7 * (right - left) { ("end", -9.0) } else { ("start", 9.0) };
        let height = if y + 16.0 > bottom { y - 8.0 } else { y + 16.0 };
        ring + &label(
            [x + beside, height],
            anchor,
            RED,
            "halo red strong",
            &self.lengths.beside(metres, self.curve.required_m),
        )
    }

    /// The chart in a sentence.
    fn description(&self) -> String {
        let least = self.least_distance().map_or_else(String::new, |metres| {
            format!("least {} at {}; ", self.lengths.beside(metres, self.curve.required_m), self.when)
        });
        let required = self.lengths.required(self.curve.required_m);
        format!("Distance over time: {least}required {required}; {}", counted(self.curve.samples, "sample"))
    }
}

/// The place of a moment on the axis.
fn value(moment: Moment, scale: &Scale) -> f64 {
    let x = match moment.time_s {
        Some(seconds) if scale.in_seconds => seconds,
        _ => moment.frame as f64,
    };
    scale.zero + scale.step * x
}

/// Lowest and highest distance to draw, metres: contact, the requirement and the data, as far up as
/// the violation stays legible.
fn vertical_range(curve: &Curve) -> [f64; 2] {
    let sample = |point: &CurvePoint| [Some(point.distance_m), point.bracket_m[0], point.bracket_m[1]];
    let samples = curve.points.iter().flat_map(sample);
    let between = curve.between.iter().flat_map(|between| between.bracket_m);
    let drawn: Vec<f64> = samples.chain(between).flatten().filter(|metres| metres.is_finite()).collect();
    let required = if curve.required_m.is_finite() { curve.required_m } else { 0.0 };
    let within = if curve.within_m.is_finite() { curve.within_m } else { 0.0 };
    let low = drawn.iter().copied().fold(required.min(0.0), f64::min);
    // A loose lower end would flatten all that is known: it runs out of the plot.
    let known = curve.points.iter().map(|point| point.distance_m);
    let known = known.chain(curve.between.iter().filter_map(|between| between.bracket_m[1])).filter(|m| m.is_finite());
    let least = known.fold(required.min(0.0), f64::min);
    let low = low.max(least - 2.0 * (required.max(0.0) - least).max(0.1 * within));
    let highest = drawn.iter().copied().fold(required.max(0.0), f64::max);
    let legible = (3.0 * required.abs()).max(required + 4.0 * (required - low)).max(0.25 * within);
    [low, if legible > 0.0 { highest.min(legible.max(required)) } else { highest }]
}

/// The points in stretches without a gap: in a gap the pair was beyond `within`.
///
/// The table has no row of such a frame, and the frames of a run need not be consecutive. A gap is
/// a step of more than one and a half times the usual one (three times, where the points are a
/// selection), unless an interval bridges it.
fn stretches(curve: &Curve) -> Vec<&[CurvePoint]> {
    let step = |pair: &[CurvePoint]| pair[1].moment.frame as f64 - pair[0].moment.frame as f64;
    let mut steps: Vec<f64> = curve.points.windows(2).map(step).collect();
    steps.sort_by(f64::total_cmp);
    let usual = steps.get(steps.len() / 2).copied().unwrap_or(1.0);
    let limit = usual * if curve.samples > curve.points.len() as u64 { 3.0 } else { 1.5 };
    let bridged = |pair: &[CurvePoint]| {
        let at = curve.between.partition_point(|between| between.ends[0].frame < pair[0].moment.frame);
        curve
            .between
            .get(at)
            .is_some_and(|between| between.ends.map(|end| end.frame) == [pair[0].moment.frame, pair[1].moment.frame])
    };
    curve
        .points
        .chunk_by(|a, b| {
            let pair = [*a, *b];
            step(&pair) <= limit || bridged(&pair)
        })
        .collect()
}

/// First and last index of each run of points that `holds` is true of.
fn stretch_runs(points: &[CurvePoint], holds: impl Fn(&CurvePoint) -> bool) -> Vec<[usize; 2]> {
    let mut runs: Vec<[usize; 2]> = Vec::new();
    for index in 0..points.len() {
        if !holds(&points[index]) {
            continue;
        }
        match runs.last_mut() {
            Some([_, last]) if *last + 1 == index => *last = index,
            _ => runs.push([index, index]),
        }
    }
    runs
}
