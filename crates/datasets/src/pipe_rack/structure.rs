//! The ground, the steel of the rack, cable trays, and what stands around. Millimetres; x along the
//! rack, z up.

use super::catalogue::{SIZES, Size, i_section, tray};
use super::crane::{JIB, TOWER};
use super::parts::{Form, Mm, PlantPart};
use crate::models::SolidModel;
use crate::space::{Point3, from_axes};

/// Places of the frames of the rack.
pub(super) const FRAMES: [Mm; 5] = [0.0, 6000.0, 12000.0, 18000.0, 24000.0];
/// Rows of columns.
pub(super) const ROWS: [(&str, Mm); 2] = [("A", 0.0), ("B", 6000.0)];
/// Top of steel of the levels.
pub(super) const LEVELS: [Mm; 3] = [4800.0, 6800.0, 8800.0];
/// Top of the foundations, and of the columns.
const COLUMN: [Mm; 2] = [300.0, 9200.0];
/// The trays of the top level: their middles and width.
const TRAYS: [Mm; 3] = [2500.0, 3500.0, 4500.0];
const TRAY_WIDTH: Mm = 600.0;
/// The cable tray outside row A, which the crane's load passes: its middle, width, height of its
/// floor.
const BRIDGE: [Mm; 3] = [-850.0, 400.0, 6000.0];
/// Bollards where the truck turns.
const BOLLARDS: [[Mm; 2]; 8] = [
    [24_501.0, -10_465.0],
    [22_810.0, -11_930.0],
    [25_750.0, -7550.0],
    [20_700.0, -13_150.0],
    [26_200.0, -4500.0],
    [26_500.0, -2500.0],
    [18_500.0, -13_700.0],
    [16_500.0, -13_900.0],
];

const X: Point3 = [1.0, 0.0, 0.0];
const Y: Point3 = [0.0, 1.0, 0.0];
const Z: Point3 = [0.0, 0.0, 1.0];

/// The geometry files of the steel, the trays and the shoes.
pub(super) fn models() -> Vec<(String, SolidModel, &'static str)> {
    let mut models = vec![
        ("column.obj".to_owned(), i_section([300.0, 300.0], [11.0, 19.0], COLUMN[1] - COLUMN[0]), "HEB 300 column, mm"),
        ("beam.obj".to_owned(), i_section([360.0, 170.0], [8.0, 12.7], 5700.0), "IPE 360 beam, mm"),
        ("strut.obj".to_owned(), i_section([200.0, 200.0], [9.0, 15.0], 5700.0), "HEB 200 strut, mm"),
        ("tray-600.obj".to_owned(), tray(TRAY_WIDTH, 100.0, 6000.0), "cable tray 600 x 100, mm"),
        ("tray-400.obj".to_owned(), tray(BRIDGE[1], 100.0, 4800.0), "cable tray 400 x 100, mm"),
    ];
    models.extend(SIZES.iter().map(|size| (size.file("shoe"), size.shoe_model(), "pipe shoe, mm")));
    models
}

/// Steel, ground and the rest.
pub(super) fn parts() -> Vec<PlantPart> {
    let mut parts =
        vec![PlantPart::cuboid("ground", &["ground"], [90_000.0, 70_000.0, 300.0], [8000.0, -3000.0, -150.0])];
    frames(&mut parts);
    struts(&mut parts);
    braces(&mut parts);
    trays(&mut parts);
    around(&mut parts);
    parts
}

/// Foundations, columns and cross beams.
fn frames(parts: &mut Vec<PlantPart>) {
    for (number, x) in (1..).zip(FRAMES) {
        for (row, y) in ROWS {
            let foundation = format!("foundation-{row}{number}");
            parts.push(PlantPart::cuboid(foundation, &["civil"], [600.0, 600.0, COLUMN[0]], [x, y, COLUMN[0] / 2.0]));
            let form = Form::Pieces("column.obj".into());
            parts.push(PlantPart::new(format!("column-{row}{number}"), form, &["steel"], [x, y, COLUMN[0]]));
        }
        for (level, top) in (1..).zip(LEVELS) {
            let form = Form::Pieces("beam.obj".into());
            let part = PlantPart::new(format!("beam-{number}-L{level}"), form, &["steel"], [x, 150.0, top - 180.0]);
            parts.push(part.turned(from_axes(X, [0.0, 0.0, -1.0], Y)));
        }
    }
}

/// Struts from frame to frame, at the rows.
fn struts(parts: &mut Vec<PlantPart>) {
    for (bay, x) in (1..).zip(&FRAMES[..4]) {
        for (row, y) in ROWS {
            for (level, top) in (1..).zip(LEVELS) {
                let form = Form::Pieces("strut.obj".into());
                let name = format!("strut-{row}{bay}-L{level}");
                let part = PlantPart::new(name, form, &["steel"], [x + 150.0, y, top - 100.0]);
                parts.push(part.turned(from_axes(Y, Z, X)));
            }
        }
    }
}

/// Crossed bracing of the last bay.
fn braces(parts: &mut Vec<PlantPart>) {
    let (left, right) = (FRAMES[3] + 180.0, FRAMES[4] - 180.0);
    for (row, y) in ROWS {
        for (number, low, high) in [(1, left, right), (2, right, left)] {
            let y = y + if number == 1 { -60.0 } else { 60.0 };
            let ends = [[low, y, 500.0], [high, y, 4300.0]];
            parts.push(PlantPart::cylinder(format!("brace-{row}{number}"), &["steel"], ends, 57.0, 12));
        }
    }
}

fn trays(parts: &mut Vec<PlantPart>) {
    for (line, y) in (1..).zip(TRAYS) {
        for (bay, x) in (1..).zip(&FRAMES[..4]) {
            let form = Form::Pieces("tray-600.obj".into());
            parts.push(PlantPart::new(format!("tray-{line}-{bay}"), form, &["trays"], [*x, y, LEVELS[2]]));
        }
    }
    let [y, width, z] = BRIDGE;
    for (number, x) in (1..).zip(FRAMES) {
        let arm = [100.0, 850.0, 100.0];
        parts.push(PlantPart::cuboid(format!("bracket-{number}"), &["trays"], arm, [x, -575.0, z - 50.0]));
        if number < 5 {
            let form = Form::Pieces("tray-400.obj".into());
            parts.push(PlantPart::new(format!("tray-4-{number}"), form, &["trays"], [x + 600.0, y, z]));
            let bundle = [[x + 50.0, y, z + 35.0], [x + 5950.0, y, z + 35.0]];
            parts.push(PlantPart::cylinder(format!("cables-{number}"), &["trays"], bundle, 0.07 * width, 8));
        }
    }
}

/// The crane's tower, bollards, lamp posts, and the barrier that guards row B from traffic.
fn around(parts: &mut Vec<PlantPart>) {
    let [x, y] = TOWER.map(|metres| metres * 1e3);
    let height = JIB * 1e3;
    parts.push(PlantPart::cuboid("crane-foot", &["crane"], [4000.0, 4000.0, 600.0], [x, y, 300.0]));
    parts.push(PlantPart::cuboid("crane-tower", &["crane"], [1600.0, 1600.0, height], [x, y, height / 2.0]));
    for (number, [x, y]) in (1..).zip(BOLLARDS) {
        let ends = [[x, y, 0.0], [x, y, 1000.0]];
        parts.push(PlantPart::cylinder(format!("bollard-{number}"), &["road"], ends, 80.0, 16));
    }
    for (number, x) in (1..).zip([-8000.0, 6000.0, 20_000.0]) {
        let ends = [[x, -19_500.0, 0.0], [x, -19_500.0, 8000.0]];
        parts.push(PlantPart::cylinder(format!("lamp-post-{number}"), &["road"], ends, 90.0, 12));
    }
    for (number, x) in (1..).zip(&FRAMES[..4]) {
        let rail = [4000.0, 120.0, 300.0];
        parts.push(PlantPart::cuboid(format!("barrier-{number}"), &["road"], rail, [x + 3000.0, 7000.0, 650.0]));
    }
}

/// The shoes of a line along the rack, on every other frame.
pub(super) fn shoes(parts: &mut Vec<PlantPart>, line: &str, size: Size, [y, z]: [Mm; 2]) {
    for (number, x) in (1..).zip(FRAMES.into_iter().step_by(2)) {
        let form = Form::Pieces(size.file("shoe"));
        parts.push(PlantPart::new(format!("{line}-S{number}"), form, &["supports", line], [x, y, z]));
    }
}
