//! The lines of the rack, their branches, and the equipment that these lead to. Millimetres.

use super::catalogue::{DN80, DN100, DN150, DN200, SHOE, Size};
use super::parts::{Form, Mm, PlantPart};
use super::piping::{End, PipeLine, PipelineItem};
use super::structure::{LEVELS, shoes};
use crate::random::Random;
use crate::space::Point3;

/// First and last x of the lines along the rack.
const SPAN: [Mm; 2] = [-1200.0, 25_200.0];
/// Thicknesses of insulation that hot lines have.
const INSULATIONS: [Mm; 4] = [30.0, 40.0, 50.0, 60.0];
/// Middles of the pump bays.
pub(super) const PUMPS: [(&str, Mm); 3] = [("A", 3000.0), ("B", 9000.0), ("C", 15_000.0)];
/// Place of a pump along y: the middle of its skid.
pub(super) const PUMP_Y: Mm = 2200.0;

/// A line along the rack.
struct PipeHeader {
    name: &'static str,
    size: Size,
    level: usize,
    y: Mm,
}

const fn header(name: &'static str, size: Size, level: usize, y: Mm) -> PipeHeader {
    PipeHeader { name, size, level, y }
}

/// Services whose lines are insulated: hot oil, process, pump discharge and suction, steam.
const HOT: [&str; 5] = ["HO", "PL", "PD", "PS", "ST"];

static HEADERS: [PipeHeader; 11] = [
    header("UA-101", DN80, 0, 700.0),
    header("PL-102", DN200, 0, 1600.0),
    header("PD-103", DN100, 0, 2550.0),
    header("CW-104", DN200, 0, 3250.0),
    header("PS-105", DN150, 0, 4200.0),
    header("ST-201", DN200, 1, 750.0),
    header("PL-203", DN150, 1, 2150.0),
    header("PL-204", DN150, 1, 2900.0),
    header("NI-205", DN80, 1, 3550.0),
    header("HO-206", DN200, 1, 4300.0),
    header("FL-301", DN200, 2, 800.0),
];

/// A branch of a header: the way from a tee in its centre line on, with items on its legs.
struct Branch {
    header: &'static PipeHeader,
    way: Vec<Point3>,
    items: Vec<(usize, Mm, PipelineItem)>,
}

impl PipeHeader {
    /// Height of the centre line.
    fn z(&self) -> Mm {
        LEVELS[self.level] + SHOE + self.size.outside / 2.0
    }

    fn point(&self, x: Mm) -> Point3 {
        [x, self.y, self.z()]
    }
}

/// The branch of a header at x, over these corners.
fn branch(header: &'static PipeHeader, x: Mm, corners: &[Point3], items: &[(usize, Mm, PipelineItem)]) -> Branch {
    let way = std::iter::once(header.point(x)).chain(corners.iter().copied()).collect();
    Branch { header, way, items: items.to_vec() }
}

fn named(name: &str) -> &'static PipeHeader {
    HEADERS.iter().find(|header| header.name == name).expect("branches name headers of the list")
}

const EAST: Point3 = [1.0, 0.0, 0.0];
const WEST: Point3 = [-1.0, 0.0, 0.0];
const NORTH: Point3 = [0.0, 1.0, 0.0];
const SOUTH: Point3 = [0.0, -1.0, 0.0];

/// All branches.
fn branches() -> Vec<Branch> {
    let mut all: Vec<Branch> = PUMPS.into_iter().flat_map(|(pump, x)| of_pump(pump, x)).collect();
    // A utility station: its hand wheel looks into the way of pump B.
    let x = 8133.0;
    all.push(branch(
        named("UA-101"),
        x,
        &[[x, 700.0, 300.0], [x - 900.0, 700.0, 300.0]],
        &[(0, 2000.0, PipelineItem::Joint), (0, 4210.0, PipelineItem::Valve(EAST))],
    ));
    all.push(to_tank(named("PL-203"), -500.0, 1200.0, 7700.0));
    all.push(to_tank(named("PL-204"), -600.0, 4800.0, 7900.0));
    all.push(to_drum(named("HO-206"), 10_000.0, 7600.0));
    all.push(to_drum(named("NI-205"), 12_900.0, 7900.0));
    // Cooling water to the exchanger under the last bay.
    all.extend([19_600.0, 22_400.0].map(|x| {
        let header = named("CW-104");
        branch(
            header,
            x,
            &[[x, header.y, 3600.0], [x, 1000.0, 3600.0], [x, 1000.0, 2150.0]],
            &[(1, 1000.0, PipelineItem::Joint), (2, 700.0, PipelineItem::Valve(SOUTH))],
        )
    }));
    all
}

/// Suction and discharge of a pump at x. The spools at pump B are taken out: it is about to be
/// pulled.
fn of_pump(pump: &str, x: Mm) -> [Branch; 2] {
    let gap = if pump == "B" { 120.0 } else { 0.0 };
    let (suction, discharge) = (PUMP_Y + 950.0 + gap, 1150.0 + gap);
    let header = named("PS-105");
    let corners = [[x, header.y, 600.0], [x, suction, 600.0]];
    [
        branch(header, x, &corners, &[(0, 3300.0, PipelineItem::Valve(EAST))]),
        branch(named("PD-103"), x, &[[x, PUMP_Y + 350.0, discharge]], &[(0, 2500.0, PipelineItem::Valve(WEST))]),
    ]
}

/// To a tank in the west at y, at a height over row A and down.
fn to_tank(header: &'static PipeHeader, x: Mm, y: Mm, z: Mm) -> Branch {
    let start = header.y;
    let corners = [
        [x, start, z],
        [-3300.0, start, z],
        [-3300.0, start, 5600.0],
        [-3300.0, y, 5600.0],
        [-3300.0, y, 2000.0],
        [-4550.0, y, 2000.0],
    ];
    branch(header, x, &corners, &[(4, 1800.0, PipelineItem::Valve(EAST)), (5, 700.0, PipelineItem::Joint)])
}

/// To the drum in the north, at a height over row B and down.
fn to_drum(header: &'static PipeHeader, x: Mm, z: Mm) -> Branch {
    let corners = [[x, header.y, z], [x, 11_500.0, z], [x, 11_500.0, 3950.0]];
    let items =
        [(1, 3600.0, PipelineItem::Joint), (2, 1500.0, PipelineItem::Valve(NORTH)), (2, 2800.0, PipelineItem::Joint)];
    branch(header, x, &corners, &items)
}

/// All lines, with their shoes.
pub(super) fn parts(random: &mut Random) -> Vec<PlantPart> {
    let mut parts = Vec::new();
    let branches = branches();
    for header in &HEADERS {
        let drawn = INSULATIONS[random.below(INSULATIONS.len() as u32) as usize];
        let insulation = if HOT.iter().any(|service| header.name.starts_with(service)) { drawn } else { 0.0 };
        let mut line = PipeLine::new(header.name, header.size, insulation);
        let own: Vec<&Branch> = branches.iter().filter(|branch| branch.header.name == header.name).collect();
        let mut items = vec![
            (0, 6900.0, PipelineItem::Weld),
            (0, 13_900.0, PipelineItem::Joint),
            (0, 20_300.0, PipelineItem::Weld),
        ];
        items.extend(own.iter().map(|branch| {
            let up = if branch.way[1][2] > header.z() { 1.0 } else { -1.0 };
            (0, branch.way[0][0] - SPAN[0], PipelineItem::Tee([0.0, 0.0, up]))
        }));
        items.sort_by(|a, b| a.1.total_cmp(&b.1));
        line.lay(&mut parts, &SPAN.map(|x| header.point(x)), &items, [End::Flange; 2]);
        shoes(&mut parts, header.name, header.size, [header.y, header.z()]);
        for (number, branch) in (1..).zip(own) {
            let mut line = PipeLine::new(format!("{}-{number}", header.name), header.size, insulation);
            line.lay(&mut parts, &branch.way, &branch.items, [End::Branch, End::Flange]);
        }
    }
    parts
}

/// Tanks, the drum, the exchanger and the pumps that stay.
pub(super) fn equipment() -> Vec<PlantPart> {
    let mut parts = Vec::new();
    for (name, y) in [("T-201", 1200.0), ("T-202", 4800.0)] {
        tank(&mut parts, name, [-5800.0, y]);
    }
    drum(&mut parts);
    exchanger(&mut parts);
    for (pump, x) in PUMPS.iter().filter(|(pump, _)| *pump != "B") {
        let form = Form::Gltf("pump-skid.glb".into());
        parts.push(PlantPart::new(format!("P-101{pump}"), form, &["pumps"], [*x, PUMP_Y, 0.0]));
    }
    parts
}

/// A vertical tank on four legs, with a nozzle towards the rack.
fn tank(parts: &mut Vec<PlantPart>, name: &str, [x, y]: [Mm; 2]) {
    let (radius, low, high) = (1200.0, 1200.0, 5200.0);
    let groups: [&str; 2] = ["equipment", name];
    parts.push(PlantPart::cylinder(format!("{name}-shell"), &groups, [[x, y, low], [x, y, high]], radius, 32));
    let head = Form::DishedEnd(2.0 * radius);
    parts.push(PlantPart::new(format!("{name}-head-top"), head.clone(), &groups, [x, y, high]));
    let bottom = PlantPart::new(format!("{name}-head-bottom"), head, &groups, [x, y, low]);
    parts.push(bottom.turned([0.0, 1.0, 0.0, 0.0]));
    for (number, [dx, dy]) in (1..).zip([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]]) {
        let center = [x + 800.0 * dx, y + 800.0 * dy, 700.0];
        parts.push(PlantPart::cuboid(format!("{name}-leg-{number}"), &groups, [160.0, 160.0, 1400.0], center));
    }
    let nozzle = [[x + 1100.0, y, 2000.0], [-4550.0, y, 2000.0]];
    parts.push(PlantPart::cylinder(format!("{name}-nozzle"), &groups, nozzle, DN150.outside / 2.0, 16));
}

/// A horizontal drum on two saddles, north of the rack.
fn drum(parts: &mut Vec<PlantPart>) {
    let (y, z, radius) = (11_500.0, 2700.0, 1000.0);
    let groups = ["equipment", "V-301"];
    parts.push(PlantPart::cylinder("V-301-shell", &groups, [[9000.0, y, z], [14_000.0, y, z]], radius, 32));
    for (name, x, side) in [("west", 9000.0, -1.0), ("east", 14_000.0, 1.0)] {
        let head = PlantPart::new(format!("V-301-head-{name}"), Form::DishedEnd(2.0 * radius), &groups, [x, y, z]);
        parts.push(head.turned(crate::space::along([side, 0.0, 0.0])));
    }
    for (number, x) in (1..).zip([10_000.0, 13_000.0]) {
        let center = [x, y, 900.0];
        parts.push(PlantPart::cuboid(format!("V-301-saddle-{number}"), &groups, [300.0, 1500.0, 1800.0], center));
    }
    for (number, x, size) in [(1, 10_000.0, DN200), (2, 12_900.0, DN80)] {
        let ends = [[x, y, z + 900.0], [x, y, 3950.0]];
        parts.push(PlantPart::cylinder(format!("V-301-nozzle-{number}"), &groups, ends, size.outside / 2.0, 16));
    }
}

/// A heat exchanger under the last bay.
fn exchanger(parts: &mut Vec<PlantPart>) {
    let groups = ["equipment", "E-401"];
    let (y, z) = (1000.0, 1500.0);
    parts.push(PlantPart::cylinder("E-401-shell", &groups, [[19_000.0, y, z], [23_000.0, y, z]], 450.0, 24));
    for (number, x) in (1..).zip([19_600.0, 22_400.0]) {
        parts.push(PlantPart::cuboid(format!("E-401-saddle-{number}"), &groups, [250.0, 800.0, 1100.0], [x, y, 550.0]));
        let nozzle = [[x, y, 1900.0], [x, y, 2150.0]];
        parts.push(PlantPart::cylinder(format!("E-401-nozzle-{number}"), &groups, nozzle, DN200.outside / 2.0, 16));
    }
}
