//! The overview: all bodies as boxes in parallel projection, with the issues as marks.
//!
//! The drawing is SVG; `assets/overview.js` draws the same boxes on a canvas in its place once
//! somebody turns them, and moves the marks, which are links to the issues. Boxes stand in the
//! order of the painter, far ones first; large ones, such as a floor, come before all others and
//! hide nothing.

use crate::data::{Issue, Plant, Report};
use crate::words::{Clock, Lengths, clipped, counted};
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Fewer boxes need no overview.
const LEAST_BOXES: usize = 8;
/// Issues with a mark.
const MOST_MARKS: usize = 2_000;
/// Width and height of the drawing.
const SIZE: [f64; 2] = [720.0, 480.0];
/// Margin around the boxes.
const MARGIN: f64 = 18.0;
/// Turn about the vertical, and tilt, radians.
const VIEW: [f64; 2] = [0.6, 0.5];
/// Steps of a position within the radius of all boxes.
const STEPS: f64 = 8_192.0;
/// Steps of a component of a quaternion.
const STEPS_OF_ROTATION: f64 = 10_000.0;
/// Share of the radius from which a box is large.
const LARGE: f64 = 0.5;
/// Units of the drawing below which a box is drawn as its outline.
const SMALL: f64 = 4.0;
/// Characters of a tooltip.
const TOOLTIP: usize = 160;

/// The overview of a page.
pub(super) struct Overview {
    /// The boxes and marks, SVG.
    pub(super) svg: String,
    /// Positions for the script, JSON for an element `script`.
    pub(super) json: String,
    /// The moment that is shown, and what is left out.
    pub(super) note: String,
}

type Vector = [f64; 3];

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The columns of the rotation of a unit quaternion.
fn axes([w, x, y, z]: [f64; 4]) -> [Vector; 3] {
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)],
        [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)],
        [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

/// A box on the drawing, before it is scaled.
struct Drawn {
    is_large: bool,
    is_hit: bool,
    depth: f64,
    /// Middle, and the ways to the faces that are seen.
    middle: [f64; 2],
    ways: [[f64; 2]; 3],
}

/// The directions of the drawing in the world: right, up, and into it.
fn camera([turn, tilt]: [f64; 2]) -> [Vector; 3] {
    let ([s, c], [st, ct]) = ([turn.sin(), turn.cos()], [tilt.sin(), tilt.cos()]);
    [[c, -s, 0.0], [st * s, st * c, ct], [ct * s, ct * c, -st]]
}

impl Overview {
    /// The overview of a report; `None`: it has few bodies, no geometry, or no issue in its place.
    pub(super) fn of(report: &Report) -> Option<Self> {
        let plant = report.plant.as_ref().filter(|plant| plant.boxes.len() >= LEAST_BOXES)?;
        let placed: Vec<(&Issue, Vector)> =
            report.issues.iter().filter_map(|issue| Some((issue, place(issue, plant)?))).collect();
        let marks: Vec<(&Issue, Vector)> = placed.iter().take(MOST_MARKS).copied().collect();
        let start = marks.first()?.1;
        let open = report.issues.iter().filter(|issue| issue.is_open).flat_map(|issue| &issue.findings);
        let hit: BTreeSet<u32> = open.flat_map(|finding| finding.bodies).collect();
        let places = plant.boxes.iter().map(|of| of.placement.position).chain(marks.iter().map(|mark| mark.1));
        let [low, high] = places.fold([start; 2], |[low, high], p| {
            [[0, 1, 2].map(|k: usize| low[k].min(p[k])), [0, 1, 2].map(|k: usize| high[k].max(p[k]))]
        });
        let middle = [0, 1, 2].map(|k| 0.5 * (low[k] + high[k]));
        let sides = [0, 1, 2].map(|k| high[k] - low[k]);
        let radius = (0.5 * dot(sides, sides).sqrt()).max(1e-6);
        let drawing = Drawing { plant, marks, hit, middle, radius };
        Some(Self {
            svg: drawing.svg(Lengths::to_five_digits(report.unit)),
            json: super::payload::for_script(&drawing.json()),
            note: note(report, plant, placed.len()),
        })
    }
}

/// The place of an issue relative to the origin of the plant, metres.
fn place(issue: &Issue, plant: &Plant) -> Option<Vector> {
    let finding = issue.findings.first()?;
    let world = finding.place.or_else(|| Some(finding.view.as_ref()?.origin))?;
    let local = [0, 1, 2].map(|k| world[k] - plant.origin[k]);
    local.iter().all(|x| x.is_finite()).then_some(local)
}

fn note(report: &Report, plant: &Plant, placed: usize) -> String {
    let clock = Clock::of(report);
    let mut notes = vec![format!("{} bodies as boxes", crate::words::count(plant.boxes.len() as u64))];
    if let Some((run, moment)) = plant.moment {
        let run_text = clock.run_of_several(run).map_or_else(String::new, |run| format!("{run}, "));
        notes.push(format!("bodies that move stand as at the first issue: {run_text}{}", clock.moment(run, moment)));
    }
    if plant.unlisted > 0 {
        notes.push(format!("{} smaller ones are left out", crate::words::count(plant.unlisted)));
    }
    let unplaced = report.issues.len().saturating_sub(placed) as u64;
    if unplaced > 0 {
        notes.push(format!("{} without a known place", counted(unplaced, "issue")));
    }
    if placed > MOST_MARKS {
        notes.push(format!("marks of the first {} issues only", crate::words::count(MOST_MARKS as u64)));
    }
    notes.join("; ")
}

struct Drawing<'a> {
    plant: &'a Plant,
    marks: Vec<(&'a Issue, Vector)>,
    /// Bodies of open violations.
    hit: BTreeSet<u32>,
    /// Middle and radius of all places.
    middle: Vector,
    radius: f64,
}

impl Drawing<'_> {
    fn local(&self, point: Vector) -> Vector {
        [0, 1, 2].map(|k| point[k] - self.middle[k])
    }

    fn boxes(&self, [right, up, into]: [Vector; 3]) -> Vec<Drawn> {
        let mut boxes: Vec<Drawn> = Vec::with_capacity(self.plant.boxes.len());
        for of in &self.plant.boxes {
            let axes = axes(of.placement.q);
            let ways = [0, 1, 2].map(|k| {
                // Towards the eye: the face at its end is seen.
                let side = if dot(axes[k], into) > 0.0 { -of.half_m[k] } else { of.half_m[k] };
                [side * dot(axes[k], right), side * dot(axes[k], up)]
            });
            let centre = self.local(of.placement.position);
            boxes.push(Drawn {
                is_large: of.half_m.iter().any(|half| *half > LARGE * self.radius),
                is_hit: self.hit.contains(&of.body),
                depth: dot(centre, into),
                middle: [dot(centre, right), dot(centre, up)],
                ways,
            });
        }
        boxes.sort_by(|a, b| b.is_large.cmp(&a.is_large).then(b.depth.total_cmp(&a.depth)));
        boxes
    }

    fn svg(&self, lengths: Lengths) -> String {
        let camera = camera(VIEW);
        let boxes = self.boxes(camera);
        let marks: Vec<[f64; 2]> = self
            .marks
            .iter()
            .map(|(_, place)| {
                let place = self.local(*place);
                [dot(place, camera[0]), dot(place, camera[1])]
            })
            .collect();
        let seen = boxes.iter().filter(|of| !of.is_large).flat_map(|of| {
            let reach = [0, 1].map(|k: usize| of.ways.iter().map(|way| way[k].abs()).sum::<f64>());
            [[of.middle[0] - reach[0], of.middle[1] - reach[1]], [of.middle[0] + reach[0], of.middle[1] + reach[1]]]
        });
        let all = seen.chain(marks.iter().copied());
        let [low, high] = all.fold([[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]], |[low, high], p| {
            [[0, 1].map(|k: usize| low[k].min(p[k])), [0, 1].map(|k: usize| high[k].max(p[k]))]
        });
        let scale =
            (0..2).map(|k| (SIZE[k] - 2.0 * MARGIN) / (high[k] - low[k]).max(1e-9)).fold(f64::INFINITY, f64::min);
        let at = |p: [f64; 2]| {
            let from = [0, 1].map(|k: usize| scale * (p[k] - 0.5 * (low[k] + high[k])));
            [0.5 * SIZE[0] + from[0], 0.5 * SIZE[1] - from[1]]
        };
        let mut svg = String::from(r#"<g class="boxes">"#);
        for of in &boxes {
            push_box(&mut svg, of, at(of.middle), scale);
        }
        svg.push_str(r#"</g><g class="spots">"#);
        // The first issue is drawn last: on top.
        for ((issue, _), mark) in self.marks.iter().zip(marks).rev() {
            push_mark(&mut svg, issue, at(mark), lengths);
        }
        svg.push_str("</g>");
        svg
    }

    /// Boxes: middle and half sides in steps, and the quaternion of one that is turned, in steps of
    /// its own. Marks: places in steps, in the order of the drawing.
    fn json(&self) -> String {
        let per_metre = STEPS / self.radius;
        let steps = |metres: f64| (metres * per_metre).clamp(-1e12, 1e12).round() as i64;
        let boxes = self.plant.boxes.iter().map(|of| {
            let mut numbers: Vec<i64> = self.local(of.placement.position).map(steps).to_vec();
            numbers.extend(of.half_m.map(|half| steps(half).max(1)));
            let q = of.placement.q.map(|c| (c * STEPS_OF_ROTATION).round() as i64);
            numbers.push(i64::from(self.hit.contains(&of.body)));
            if q[1..] != [0; 3] {
                numbers.extend(q);
            }
            numbers
        });
        let boxes: Vec<_> = boxes.collect();
        let marks: Vec<[i64; 3]> = self.marks.iter().rev().map(|(_, place)| self.local(*place).map(steps)).collect();
        json!({ "view": VIEW, "size": SIZE, "margin": MARGIN, "large": LARGE * STEPS, "boxes": boxes, "marks": marks })
            .to_string()
    }
}

/// Appends a box: its outline, and the three edges that meet in its nearest corner.
fn push_box(svg: &mut String, of: &Drawn, [x, y]: [f64; 2], scale: f64) {
    let tenth = |value: f64| (10.0 * value.clamp(-1e5, 1e5)).round() as i64;
    let corner = |signs: [f64; 3]| {
        let [dx, dy] = [0, 1].map(|k: usize| scale * (0..3).map(|way| signs[way] * of.ways[way][k]).sum::<f64>());
        [tenth(x + dx), tenth(y - dy)]
    };
    let outline =
        [[1., 1., -1.], [1., -1., -1.], [1., -1., 1.], [-1., -1., 1.], [-1., 1., 1.], [-1., 1., -1.]].map(corner);
    let nearest = corner([1.0; 3]);
    let class = if of.is_large {
        " class=\"l\""
    } else if of.is_hit {
        " class=\"h\""
    } else {
        ""
    };
    let _ = write!(svg, "<path{class} d=\"M{} {}L", outline[0][0], outline[0][1]);
    let numbers: Vec<String> = outline[1..].iter().map(|[x, y]| format!("{x} {y}")).collect();
    svg.push_str(&numbers.join(" "));
    svg.push('z');
    let extent = (0..2)
        .map(|k| outline.map(|corner| corner[k]))
        .map(|ends| ends.iter().max().copied().unwrap_or(0) - ends.iter().min().copied().unwrap_or(0));
    if extent.max().unwrap_or(0) as f64 > 10.0 * SMALL {
        let [[ax, ay], [bx, by], [cx, cy]] = [outline[0], outline[2], outline[4]];
        let [nx, ny] = nearest;
        let _ = write!(svg, "M{ax} {ay}L{nx} {ny} {bx} {by}M{nx} {ny}L{cx} {cy}");
    }
    svg.push_str("\"/>");
}

fn push_mark(svg: &mut String, issue: &Issue, [x, y]: [f64; 2], lengths: Lengths) {
    let tenth = |value: f64| (10.0 * value.clamp(-1e5, 1e5)).round() as i64;
    let names = issue.findings.first().map_or(String::new(), |finding| finding.names.join(" and "));
    let bracket = issue.findings.first().map_or(String::new(), |finding| {
        lengths.bracket(Some(finding.required_m), finding.bracket_m[0], finding.bracket_m[1])
    });
    let class = if issue.is_open { issue.severity.as_str() } else { "closed" };
    let class = if ["critical", "major", "minor", "info", "closed"].contains(&class) { class } else { "major" };
    let title = escaped(&format!("{}: {bracket}", clipped(&names, TOOLTIP)));
    let _ = write!(
        svg,
        r##"<a href="#issue-{}" tabindex="-1"><circle class="{class}" cx="{}" cy="{}" r="60"><title>{title}</title></circle></a>"##,
        escaped(&issue.id),
        tenth(x),
        tenth(y)
    );
}

/// A text for an element or an attribute in double quotes.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directions_of_the_drawing_are_a_right_handed_frame() {
        let [right, up, into] = camera(VIEW);
        for (a, b) in [(right, up), (up, into), (into, right)] {
            assert!(dot(a, b).abs() < 1e-12 && (dot(a, a) - 1.0).abs() < 1e-12);
        }
        assert!(up[2] > 0.0 && into[2] < 0.0, "seen from above");
    }

    #[test]
    fn an_outline_has_the_six_corners_beside_the_nearest_one() {
        let of = Drawn {
            is_large: false,
            is_hit: true,
            depth: 0.0,
            middle: [0.0; 2],
            ways: [[10.0, 0.0], [0.0, 10.0], [3.0, -4.0]],
        };
        let mut svg = String::new();
        push_box(&mut svg, &of, [0.0; 2], 1.0);
        assert_eq!(
            svg,
            "<path class=\"h\" d=\"M70 -140L70 60 130 140 -70 140 -70 -60 -130 -140zM70 -140L130 -60 130 140M130 -60L-70 -60\"/>"
        );
    }
}
