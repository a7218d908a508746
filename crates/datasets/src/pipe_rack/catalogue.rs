//! Piping components by nominal size, and the geometry files that bodies share. Millimetres.
//!
//! Sources of the dimensions: ASME B36.10 (outside diameters), ASME B16.9 (centre to end of
//! long-radius elbows and straight tees), EN 1092-1 PN 16 (flanges), EN 558 series 3 and makers'
//! sheets (valves), rounded.

use super::parts::Mm;
use crate::models::{Loft, SolidModel, ring};
use crate::space::{Point3, scale};
use std::f64::consts::PI;

/// A nominal size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Size {
    pub(super) dn: u32,
    /// Outside diameter of the pipe.
    pub(super) outside: Mm,
    /// Centre to end of a 90 degree elbow: the radius of its bend.
    pub(super) elbow: Mm,
    /// Centre to end of a tee.
    pub(super) tee: Mm,
    /// Outside diameter of a flange, and its thickness.
    pub(super) flange: [Mm; 2],
    /// Face to face of a gate valve, centre to the top of its hand wheel, diameter of that.
    pub(super) valve: [Mm; 3],
}

pub(super) const DN80: Size =
    Size { dn: 80, outside: 88.9, elbow: 114.3, tee: 85.7, flange: [200.0, 20.0], valve: [180.0, 330.0, 200.0] };
pub(super) const DN100: Size =
    Size { dn: 100, outside: 114.3, elbow: 152.4, tee: 104.8, flange: [220.0, 20.0], valve: [190.0, 370.0, 250.0] };
pub(super) const DN150: Size =
    Size { dn: 150, outside: 168.3, elbow: 228.6, tee: 142.9, flange: [285.0, 22.0], valve: [210.0, 470.0, 300.0] };
pub(super) const DN200: Size =
    Size { dn: 200, outside: 219.1, elbow: 304.8, tee: 177.8, flange: [340.0, 24.0], valve: [230.0, 570.0, 350.0] };

/// Sizes of elbows, tees and valves.
pub(super) const SIZES: [Size; 4] = [DN80, DN100, DN150, DN200];

/// Thickness of a hand wheel's rim.
pub(super) const RIM: Mm = 24.0;
/// Height of a pipe shoe: of the underside of a pipe above the steel.
pub(super) const SHOE: Mm = 120.0;

const X: Point3 = [1.0, 0.0, 0.0];
const Y: Point3 = [0.0, 1.0, 0.0];
const Z: Point3 = [0.0, 0.0, 1.0];
/// Sides of round components.
const SIDES: u32 = 16;

impl Size {
    /// The name of a component's file.
    pub(super) fn file(&self, kind: &str) -> String {
        let extension = if kind == "tee" { "stl" } else { "obj" };
        format!("{kind}-dn{}.{extension}", self.dn)
    }

    /// A 90 degree elbow: comes in along +x, its centre lines meet at the origin, goes out along
    /// +y.
    pub(super) fn elbow_model(&self) -> SolidModel {
        const SEGMENTS: u32 = 6;
        let radius = self.elbow;
        let section = |k: u32| {
            let angle = PI / 2.0 * f64::from(k) / f64::from(SEGMENTS);
            let (sin, cos) = (libm::sin(angle), libm::cos(angle));
            // The bend is about (-radius, radius, 0).
            let center = [-radius + radius * sin, radius - radius * cos, 0.0];
            ring(center, [cos, sin, 0.0], Z, self.outside / 2.0, SIDES)
        };
        (0..SEGMENTS).fold(SolidModel::default(), |model, k| {
            model.with(format!("segment-{}", k + 1), Loft::between(section(k), section(k + 1)))
        })
    }

    /// A tee: its run along x, its branch along +z.
    pub(super) fn tee_model(&self) -> SolidModel {
        let run = Loft::cylinder(scale(X, -self.tee), scale(X, self.tee), self.outside / 2.0, SIDES);
        let branch = Loft::cylinder([0.0; 3], scale(Z, self.tee), self.outside / 2.0, SIDES);
        SolidModel::default().with("run", run).with("branch", branch)
    }

    /// A flanged gate valve: its run along x, its stem along +z.
    pub(super) fn valve_model(&self) -> SolidModel {
        let [face, height, wheel] = self.valve;
        let [flange, thickness] = self.flange;
        let disc = |x: Mm| Loft::cylinder([x, 0.0, 0.0], [x + thickness, 0.0, 0.0], flange / 2.0, SIDES);
        let mut model = SolidModel::default()
            .with("body", Loft::cylinder([-face / 2.0, 0.0, 0.0], [face / 2.0, 0.0, 0.0], 0.6 * self.outside, SIDES))
            .with("flange-1", disc(-face / 2.0))
            .with("flange-2", disc(face / 2.0 - thickness))
            .with("bonnet", Loft::cylinder([0.0; 3], [0.0, 0.0, 0.7 * height], 0.42 * self.outside, SIDES))
            .with("stem", Loft::cylinder([0.0; 3], [0.0, 0.0, height], 14.0, 8))
            .with("spoke", Loft::cuboid([0.0, 0.0, height - RIM / 2.0], [wheel - RIM, 20.0, RIM / 2.0]));
        for (number, segment) in (1..).zip(rim(wheel / 2.0, height - RIM, 12)) {
            model.add(format!("rim-{number}"), segment);
        }
        model
    }

    /// The shoe that carries a pipe along x: a web under the pipe and a base plate on the steel,
    /// the origin on the centre line.
    pub(super) fn shoe_model(&self) -> SolidModel {
        let (r, bottom) = (self.outside / 2.0, -self.outside / 2.0 - SHOE);
        let plate = Loft::cuboid([0.0, 0.0, bottom + 6.0], [300.0, 1.2 * r + 60.0, 12.0]);
        let web = Loft::cuboid([0.0, 0.0, (bottom + 12.0 - 0.95 * r) / 2.0], [300.0, 12.0, SHOE - 12.0 + 0.05 * r]);
        SolidModel::default().with("plate", plate).with("web", web)
    }
}

/// A rim about the z axis, as convex segments: its outer radius, its lower side.
fn rim(radius: Mm, low: Mm, segments: u32) -> Vec<Loft> {
    let section = |k: u32| {
        let angle = 2.0 * PI * f64::from(k % segments) / f64::from(segments);
        let (sin, cos) = (libm::sin(angle), libm::cos(angle));
        let corner = |r: Mm, z: Mm| [r * cos, r * sin, z];
        vec![corner(radius - RIM, low), corner(radius - RIM, low + RIM), corner(radius, low + RIM), corner(radius, low)]
    };
    (0..segments).map(|k| Loft::between(section(k), section(k + 1))).collect()
}

/// An I section along z, from the origin: height and width of the section, thickness of web and
/// flange, length.
pub(super) fn i_section([height, width]: [Mm; 2], [web, flange]: [Mm; 2], length: Mm) -> SolidModel {
    let middle = length / 2.0;
    let at = (height - flange) / 2.0;
    SolidModel::default()
        .with("web", Loft::cuboid([0.0, 0.0, middle], [web, height - 2.0 * flange, length]))
        .with("flange-1", Loft::cuboid([0.0, -at, middle], [width, flange, length]))
        .with("flange-2", Loft::cuboid([0.0, at, middle], [width, flange, length]))
}

/// A cable tray along x, from the origin, open above.
pub(super) fn tray(width: Mm, height: Mm, length: Mm) -> SolidModel {
    let side = |y: Mm| Loft::cuboid([length / 2.0, y, height / 2.0], [length, 3.0, height]);
    let half = (width - 3.0) / 2.0;
    SolidModel::default()
        .with("floor", Loft::cuboid([length / 2.0, 0.0, 1.5], [length, width, 3.0]))
        .with("side-1", side(-half))
        .with("side-2", side(half))
}

/// A pump on its skid: base plate on z = 0, motor towards -y, suction towards +y at 600 above the
/// ground, discharge upwards at y = 350. In metres, as glTF is.
pub(super) fn pump_skid() -> SolidModel {
    let m = |v: Point3| scale(v, 1e-3);
    let cuboid = |center: Point3, sides: Point3| Loft::cuboid(m(center), m(sides));
    let round = |from: Point3, to: Point3, radius: Mm| Loft::cylinder(m(from), m(to), radius * 1e-3, SIDES);
    let flange = |at: Point3, axis: Point3, size: Size| {
        let [diameter, thickness] = size.flange;
        let from = [0, 1, 2].map(|k| at[k] - thickness * axis[k]);
        round(from, at, diameter / 2.0)
    };
    SolidModel::default()
        .with("base-plate", cuboid([0.0, 0.0, 125.0], [1000.0, 2400.0, 250.0]))
        .with("motor", round([0.0, -1050.0, 600.0], [0.0, -150.0, 600.0], 280.0))
        .with("motor-feet", cuboid([0.0, -600.0, 300.0], [500.0, 700.0, 120.0]))
        .with("terminal-box", cuboid([-390.0, -600.0, 720.0], [220.0, 300.0, 300.0]))
        .with("coupling-guard", cuboid([0.0, 0.0, 600.0], [240.0, 320.0, 260.0]))
        .with("casing", round([0.0, 140.0, 600.0], [0.0, 560.0, 600.0], 300.0))
        .with("casing-feet", cuboid([0.0, 350.0, 275.0], [450.0, 300.0, 70.0]))
        .with("suction", round([0.0, 500.0, 600.0], [0.0, 950.0, 600.0], DN150.outside / 2.0))
        .with("suction-flange", flange([0.0, 950.0, 600.0], Y, DN150))
        .with("discharge", round([0.0, 350.0, 600.0], [0.0, 350.0, 1150.0], DN100.outside / 2.0))
        .with("discharge-flange", flange([0.0, 350.0, 1150.0], Z, DN100))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(model: &SolidModel, axis: usize) -> [f64; 2] {
        let values: Vec<f64> = model.points().iter().map(|point| point[axis]).collect();
        [values.iter().copied().fold(f64::INFINITY, f64::min), values.iter().copied().fold(f64::NEG_INFINITY, f64::max)]
    }

    #[test]
    fn components_have_their_dimensions() {
        for size in SIZES {
            let elbow = size.elbow_model();
            assert!(
                (extent(&elbow, 0)[0] + size.elbow).abs() < 1e-9 && (extent(&elbow, 1)[1] - size.elbow).abs() < 1e-9
            );
            let tee = size.tee_model();
            assert!((extent(&tee, 2)[1] - size.tee).abs() < 1e-9 && (extent(&tee, 0)[1] - size.tee).abs() < 1e-9);
            let valve = size.valve_model();
            assert!((extent(&valve, 2)[1] - size.valve[1]).abs() < 1e-9);
            let [face, _, wheel] = size.valve; // the wheel of a small valve is wider than its body is long
            assert!((extent(&valve, 0)[1] - face.max(wheel) / 2.0).abs() < 1e-9);
            let shoe = size.shoe_model();
            assert!((extent(&shoe, 2)[0] + size.outside / 2.0 + SHOE).abs() < 1e-9);
        }
        assert!((extent(&pump_skid(), 2)[1] - 1.15).abs() < 1e-12 && extent(&pump_skid(), 2)[0] == 0.0);
    }

    #[test]
    fn a_rim_is_a_ring() {
        let segments = rim(100.0, 0.0, 12);
        assert_eq!(segments.len(), 12);
        let model = segments.into_iter().fold(SolidModel::default(), |model, segment| model.with("s", segment));
        for [x, y, _] in model.points() {
            let r = (x * x + y * y).sqrt();
            assert!((r - 100.0).abs() < 1e-9 || (r - (100.0 - RIM)).abs() < 1e-9);
        }
    }
}
