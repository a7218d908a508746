//! The bodies of a separation: metres, z along the axis of separation, z = 0 the separation plane.

use crate::models::{Loft, SolidModel, ring};
use std::f64::consts::PI;

/// Inner and outer radius of the clamp band, and half its height.
const BAND: [f64; 3] = [0.47, 0.5, 0.03];
/// Convex segments of a half of the band.
const SEGMENTS: u32 = 9;

/// The geometry files, in millimetres: name and content.
pub(super) fn geometry() -> Vec<(String, Vec<u8>)> {
    let obj = |name: &str, model: &SolidModel, comment: &str| (name.to_owned(), model.to_obj(comment).into_bytes());
    vec![
        obj("payload-1.obj", &payload(), "payload-1: separation ring, bus, folded panels, antenna; mm"),
        obj("adapter.obj", &adapter(), "adapter under payload-1; mm"),
        obj("band-half.obj", &band_half(), "half of the clamp band, at +y; mm"),
        obj("neighbour.obj", &neighbour(), "neighbour with its own adapter, its front at -x; mm"),
    ]
}

fn cuboid(x: [f64; 2], y: [f64; 2], z: [f64; 2]) -> Loft {
    let middle = [x, y, z].map(|[low, high]| 500.0 * (low + high));
    Loft::cuboid(middle, [x, y, z].map(|[low, high]| 1000.0 * (high - low)))
}

fn round(z: [f64; 2], radius: [f64; 2], sides: u32) -> Loft {
    let [from, to] =
        [0, 1].map(|k| ring([0.0, 0.0, z[k] * 1e3], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], radius[k] * 1e3, sides));
    Loft::between(from, to)
}

fn payload() -> SolidModel {
    SolidModel::default()
        .with("ring", round([0.0, 0.08], [0.46, 0.46], 32))
        .with("bus", cuboid([-0.45, 0.45], [-0.45, 0.45], [0.08, 1.4]))
        .with("panel-east", cuboid([0.47, 0.53], [-0.4, 0.4], [0.2, 1.3]))
        .with("panel-west", cuboid([-0.53, -0.47], [-0.4, 0.4], [0.2, 1.3]))
        .with("antenna", round([1.4, 1.7], [0.12, 0.4], 24))
}

fn adapter() -> SolidModel {
    SolidModel::default()
        .with("ring", round([-0.06, 0.0], [0.46, 0.46], 32))
        .with("cone", round([-0.5, -0.06], [0.6, 0.44], 32))
        .with("deck", cuboid([-1.0, 2.0], [-2.0, 1.0], [-0.56, -0.5]))
}

/// Segments from angle 0 to pi.
fn band_half() -> SolidModel {
    let [inner, outer, half] = BAND.map(|x| x * 1e3);
    let section = |k: u32| {
        let angle = PI * f64::from(k) / f64::from(SEGMENTS);
        let (sin, cos) = (libm::sin(angle), libm::cos(angle));
        let corner = |r: f64, z: f64| [r * cos, r * sin, z];
        vec![corner(inner, -half), corner(inner, half), corner(outer, half), corner(outer, -half)]
    };
    (0..SEGMENTS).fold(SolidModel::default(), |model, k| {
        model.with(format!("segment-{}", k + 1), Loft::between(section(k), section(k + 1)))
    })
}

/// Front is the plane x = 0 of its own frame.
fn neighbour() -> SolidModel {
    SolidModel::default()
        .with("bus", cuboid([0.05, 0.85], [-0.4, 0.4], [0.2, 1.5]))
        .with("panel", cuboid([0.0, 0.05], [-0.38, 0.38], [0.3, 1.45]))
        .with("adapter", round([-0.5, 0.2], [0.378, 0.378], 24).moved([450.0, 0.0, 0.0]))
        .with("thruster", round([0.1, 0.2], [0.06, 0.03], 12).moved([150.0, 0.0, 0.0]))
}

/// The bodies and rules of the scene file.
pub(super) const SCENE_BODIES: &str = r#"
[[body]]
name = "payload-1"
geometry = "geometry/payload-1.obj"
unit = "mm"
model = "pieces"
group = ["clamped"]

[[body]]
name = "band-half-a"
geometry = "geometry/band-half.obj"
unit = "mm"
model = "pieces"
group = ["clamped", "band"]

[[body]]          # the same half, turned
name = "band-half-b"
geometry = "geometry/band-half.obj"
unit = "mm"
model = "pieces"
group = ["clamped", "band"]

[[body]]
name = "adapter"
geometry = "geometry/adapter.obj"
unit = "mm"
model = "pieces"
group = ["clamped", "stage"]
static = true

[[body]]
name = "payload-2"
geometry = "geometry/neighbour.obj"
unit = "mm"
model = "pieces"
group = ["stage"]
static = true
position = [0.635, 0, 0]

[[body]]
name = "payload-3"
geometry = "geometry/neighbour.obj"
unit = "mm"
model = "pieces"
offset = 0.01     # its blanket
group = ["stage"]
static = true
position = [0, -0.59, 0]
orientation = { qw = 0.7071067811865476, qx = 0, qy = 0, qz = -0.7071067811865476 }

[[ignore]]
a = "group:clamped"
b = "group:clamped"
reason = "clamped together until the release: their contact is what the band holds"
"#;
