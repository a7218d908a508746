//! Pipe lines: straight lengths, elbows, tees, flanges and valves along a way of right angles.

use super::catalogue::Size;
use super::parts::{Form, Mm, PlantPart};
use crate::space::{Point3, Quaternion, add, cross, from_axes, length, scale, sub, unit};

/// An item of a pipeline.
#[derive(Debug, Clone, Copy)]
pub(super) enum PipelineItem {
    /// A weld: the pipe is cut in two parts.
    Weld,
    /// Two flanges, face to face.
    Joint,
    /// A tee with its branch in this direction.
    Tee(Point3),
    /// A flanged valve between two flanges, its stem in this direction.
    Valve(Point3),
}

/// End of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum End {
    /// In the branch of a tee of the same size.
    Branch,
    /// With a flange.
    Flange,
}

/// A line of one size.
pub(super) struct PipeLine {
    pub(super) name: String,
    pub(super) size: Size,
    /// Thickness of the insulation; 0: none.
    pub(super) insulation: Mm,
    pipes: u32,
    elbows: u32,
    tees: u32,
    flanges: u32,
    valves: u32,
}

impl PipeLine {
    pub(super) fn new(name: impl Into<String>, size: Size, insulation: Mm) -> Self {
        Self { name: name.into(), size, insulation, pipes: 0, elbows: 0, tees: 0, flanges: 0, valves: 0 }
    }

    /// Lays the line along `way`, with items on its legs: (leg, distance from the leg's first
    /// point, item), in order.
    pub(super) fn lay(
        &mut self,
        parts: &mut Vec<PlantPart>,
        way: &[Point3],
        items: &[(usize, Mm, PipelineItem)],
        [first, last]: [End; 2],
    ) {
        let legs = way.len() - 1;
        for leg in 0..legs {
            let (from, to) = (way[leg], way[leg + 1]);
            let direction = unit(sub(to, from));
            let total = length(sub(to, from));
            let mut at = match first {
                _ if leg > 0 => self.size.elbow,
                End::Branch => self.size.tee,
                End::Flange => self.flange(parts, from, direction),
            };
            for &(_, distance, item) in items.iter().filter(|item| item.0 == leg) {
                let half = self.half(item);
                self.pipe(parts, from, direction, [at, distance - half]);
                self.item(parts, add(from, scale(direction, distance)), direction, item);
                at = distance + half;
            }
            let end = match last {
                _ if leg + 1 < legs => total - self.size.elbow,
                End::Branch => total - self.size.tee,
                End::Flange => total - self.flange(parts, to, scale(direction, -1.0)),
            };
            self.pipe(parts, from, direction, [at, end]);
            if leg + 1 < legs {
                self.elbow(parts, to, direction, unit(sub(way[leg + 2], to)));
            }
        }
    }

    /// Half the length that an item takes of the line.
    fn half(&self, item: PipelineItem) -> Mm {
        match item {
            PipelineItem::Weld => 0.0,
            PipelineItem::Joint => self.size.flange[1],
            PipelineItem::Tee(_) => self.size.tee,
            PipelineItem::Valve(_) => self.size.valve[0] / 2.0 + self.size.flange[1],
        }
    }

    fn item(&mut self, parts: &mut Vec<PlantPart>, at: Point3, direction: Point3, item: PipelineItem) {
        let back = scale(direction, -1.0);
        match item {
            PipelineItem::Weld => {}
            PipelineItem::Joint => {
                self.flange(parts, at, back);
                self.flange(parts, at, direction);
            }
            PipelineItem::Tee(branch) => {
                self.tees += 1;
                let part = self.part("T", self.tees, self.size.file("tee"), "tees", at, axes(direction, branch));
                parts.push(part.insulated(self.insulation));
            }
            PipelineItem::Valve(stem) => {
                self.valves += 1;
                parts.push(self.part("V", self.valves, self.size.file("valve"), "valves", at, axes(direction, stem)));
                let half = self.size.valve[0] / 2.0;
                self.flange(parts, sub(at, scale(direction, half)), back);
                self.flange(parts, add(at, scale(direction, half)), direction);
            }
        }
    }

    /// A flange whose face is at a point, behind it in this direction. Returns its thickness.
    fn flange(&mut self, parts: &mut Vec<PlantPart>, face: Point3, behind: Point3) -> Mm {
        self.flanges += 1;
        let [diameter, thickness] = self.size.flange;
        let name = format!("{}-F{}", self.name, self.flanges);
        let ends = [face, add(face, scale(behind, thickness))];
        parts.push(PlantPart::cylinder(name, &["piping", "flanges", &self.name], ends, diameter / 2.0, 24));
        thickness
    }

    fn pipe(&mut self, parts: &mut Vec<PlantPart>, from: Point3, direction: Point3, [start, end]: [Mm; 2]) {
        if end - start < 1.0 {
            return;
        }
        self.pipes += 1;
        let name = format!("{}-P{}", self.name, self.pipes);
        let ends = [start, end].map(|at| add(from, scale(direction, at)));
        let part = PlantPart::cylinder(name, &["piping", "pipes", &self.name], ends, self.size.outside / 2.0, 16);
        parts.push(part.insulated(self.insulation));
    }

    fn elbow(&mut self, parts: &mut Vec<PlantPart>, at: Point3, from: Point3, to: Point3) {
        self.elbows += 1;
        let q = from_axes(from, to, cross(from, to));
        let part = self.part("E", self.elbows, self.size.file("elbow"), "elbows", at, q);
        parts.push(part.insulated(self.insulation));
    }

    fn part(&self, letter: &str, number: u32, file: String, group: &str, at: Point3, q: Quaternion) -> PlantPart {
        let name = format!("{}-{letter}{number}", self.name);
        PlantPart::new(name, Form::Pieces(file), &["piping", group, &self.name], at).turned(q)
    }
}

/// The rotation that takes +x to `run` and +z to `up`, which are at right angles.
fn axes(run: Point3, up: Point3) -> Quaternion {
    from_axes(run, cross(up, run), up)
}

#[cfg(test)]
mod tests {
    use super::super::catalogue::DN100;
    use super::*;

    #[test]
    fn a_line_leaves_no_gap() {
        let mut parts = Vec::new();
        let mut line = PipeLine::new("L", DN100, 30.0);
        let way = [[0.0, 0.0, 0.0], [3000.0, 0.0, 0.0], [3000.0, 0.0, 2000.0], [3000.0, 1500.0, 2000.0]];
        let items = [
            (0, 1000.0, PipelineItem::Weld),
            (0, 2000.0, PipelineItem::Tee([0.0, 0.0, 1.0])),
            (1, 900.0, PipelineItem::Joint),
        ];
        line.lay(&mut parts, &way, &items, [End::Flange, End::Flange]);
        let count = |letter: &str| parts.iter().filter(|part| part.name.starts_with(&format!("L-{letter}"))).count();
        assert_eq!([count("P"), count("E"), count("T"), count("F"), count("V")], [6, 2, 1, 4, 0]);
        // The lengths of pipes, elbows, tees and flanges add up to the way.
        let cylinders = parts.iter().filter_map(|part| match &part.form {
            Form::Shape(shape) => shape.split(", ").nth(1).map(|x| x.parse::<f64>().expect("a length")),
            _ => None,
        });
        let taken = cylinders.sum::<f64>() + 2.0 * 2.0 * DN100.elbow + 2.0 * DN100.tee;
        assert!((taken - 6500.0).abs() < 0.01, "{taken}");
        assert!(parts.iter().filter(|part| part.offset > 0.0).count() == 9, "flanges are bare");
    }
}
