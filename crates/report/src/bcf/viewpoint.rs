//! `viewpoint.bcfv`: both bodies, a camera, the witness segment. The order of elements is that of `visinfo.xsd`.

use super::BcfVersion;
use super::topic::viewpoint_guid;
use super::xml::{Attributes, Xml, document, element, empty, leaf};
use crate::data::{Camera, Issue, View};
use std::io;

/// Colours of A and of B: alpha, red, green, blue.
const COLORS: [&str; 2] = ["FF2F6FD0", "FFE07B1A"];

/// The system that the ids of components without an IFC GUID belong to.
const SYSTEM: &str = "clearsweep";

/// Width by height of a view without a picture.
const ASPECT: f64 = 1.5;

/// A camera in the world frame.
#[derive(Debug, Clone, Copy, PartialEq)]
struct WorldCamera {
    /// Position, metres.
    eye: [f64; 3],
    forward: [f64; 3],
    up: [f64; 3],
    /// Vertical field of view, degrees.
    view_degrees: f64,
}

/// Returns the file of an issue with a pair; `None` in 3.0 without a place: each viewpoint of 3.0
/// has a camera.
pub(super) fn file(issue: &Issue, picture: Option<&[u8]>, version: BcfVersion) -> Option<Vec<u8>> {
    let names = issue.names()?;
    let camera = camera(issue, version);
    if camera.is_none() && version == BcfVersion::V3_0 {
        return None;
    }
    let guid = viewpoint_guid(&issue.id, names).to_string();
    Some(document(|xml| {
        element(xml, "VisualizationInfo", &[("Guid", &guid)], |xml| {
            components(xml, names, version)?;
            if let Some(camera) = camera {
                let aspect = picture.and_then(aspect).unwrap_or(ASPECT);
                write_camera(xml, &camera, (version == BcfVersion::V3_0).then_some(aspect))?;
            }
            lines(xml, issue.view())
        })
    }))
}

/// Both bodies: selected, visible as everything is, and coloured.
fn components(xml: &mut Xml, [a, b]: &[String; 2], version: BcfVersion) -> io::Result<()> {
    element(xml, "Components", &[], |xml| {
        element(xml, "Selection", &[], |xml| [a, b].into_iter().try_for_each(|name| component(xml, name)))?;
        empty(xml, "Visibility", &[("DefaultVisibility", "true")])?;
        element(xml, "Coloring", &[], |xml| {
            for (name, color) in [a, b].into_iter().zip(COLORS) {
                element(xml, "Color", &[("Color", color)], |xml| match version {
                    BcfVersion::V2_1 => component(xml, name),
                    BcfVersion::V3_0 => element(xml, "Components", &[], |xml| component(xml, name)),
                })?;
            }
            Ok(())
        })
    })
}

fn component(xml: &mut Xml, name: &str) -> io::Result<()> {
    if let Some(guid) = ifc_guid(name) {
        return empty(xml, "Component", &[("IfcGuid", guid)]);
    }
    let blank = |c: char| matches!(c, ' ' | '\t' | '\r' | '\n'); // XML Schema, 4.3.6: such a text is empty
    let id = if name.chars().all(blank) { "(no name)" } else { name };
    element(xml, "Component", NO_ATTRIBUTES, |xml| {
        leaf(xml, "OriginatingSystem", SYSTEM)?;
        leaf(xml, "AuthoringToolId", id)
    })
}

const NO_ATTRIBUTES: Attributes<'static> = &[];

/// The IFC GUID in the name of a body: the last node of its path, or what stands before `#`.
fn ifc_guid(name: &str) -> Option<&str> {
    let last = |path: &str| path.rfind('/').map_or(0, |slash| slash + 1);
    let before = name.split('#').next().unwrap_or(name);
    let node = &name[last(name)..];
    let candidates = [node, node.split('#').next().unwrap_or(node), before, &before[last(before)..]];
    candidates.into_iter().find(|text| is_ifc_guid(text))
}

/// Whether a text is a GUID of IFC: 128 bits in 22 digits of base 64, of which the first has two bits.
fn is_ifc_guid(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
    text.len() == 22 && text.bytes().all(is_digit) && matches!(text.as_bytes()[0], b'0'..=b'3')
}

fn camera(issue: &Issue, version: BcfVersion) -> Option<WorldCamera> {
    let camera = match issue.view() {
        Some(view) => of_view(view, version),
        None => around(issue.findings.first()?.place?, shown_around(issue), version),
    };
    let numbers = [camera.eye, camera.forward, camera.up];
    numbers.as_flattened().iter().all(|number| number.is_finite()).then_some(camera)
}

/// The camera of a view, in the world frame.
fn of_view(view: &View, version: BcfVersion) -> WorldCamera {
    let Camera { eye, forward, up } = view.camera;
    let (distance, view_degrees) = allowed(-dot(eye, forward), version);
    let step = -dot(eye, forward) - distance;
    let eye = [0, 1, 2].map(|axis| view.origin[axis] + eye[axis] + step * forward[axis]);
    WorldCamera { eye, forward, up, view_degrees }
}

/// A camera that looks at a ball from the front, from the right and from above.
fn around(center: [f64; 3], radius: f64, version: BcfVersion) -> WorldCamera {
    let (distance, view_degrees) = allowed(radius / Camera::TAN_HALF_VIEW, version);
    let forward = [-0.48, 0.64, -0.6];
    let up = [-0.36, 0.48, 0.8];
    let eye = [0, 1, 2].map(|axis| center[axis] - distance * forward[axis]);
    WorldCamera { eye, forward, up, view_degrees }
}

/// Distance of the camera and field of view (degrees) that show the same as [`Camera::VIEW_DEGREES`] does at `distance`.
/// The schema of 2.1 allows 45 to 60 degrees only.
fn allowed(distance: f64, version: BcfVersion) -> (f64, f64) {
    /// Tangent of 22.5 degrees: half of 45.
    const TAN: f64 = std::f64::consts::SQRT_2 - 1.0;
    match version {
        BcfVersion::V2_1 => (distance * Camera::TAN_HALF_VIEW / TAN, 45.0),
        BcfVersion::V3_0 => (distance, Camera::VIEW_DEGREES),
    }
}

/// The radius of what a camera shows if the shape of the bodies is not known, metres.
fn shown_around(issue: &Issue) -> f64 {
    /// Radius in units of the largest known length.
    const TIMES: f64 = 4.0;
    const LEAST_M: f64 = 0.1;
    let overlap =
        issue.overlap_m.map_or(0.0, |[low, high]| (0..3).map(|axis| high[axis] - low[axis]).fold(0.0, f64::max));
    let bracket = issue.worst_m().into_iter().flatten().map(f64::abs);
    let required = issue.findings.first().map(|finding| finding.required_m);
    let known = bracket.chain(required).chain([overlap]).filter(|length| length.is_finite());
    (TIMES * known.fold(0.0, f64::max)).max(LEAST_M)
}

fn write_camera(xml: &mut Xml, camera: &WorldCamera, aspect: Option<f64>) -> io::Result<()> {
    element(xml, "PerspectiveCamera", &[], |xml| {
        vector(xml, "CameraViewPoint", camera.eye)?;
        vector(xml, "CameraDirection", camera.forward)?;
        vector(xml, "CameraUpVector", camera.up)?;
        number(xml, "FieldOfView", camera.view_degrees)?;
        aspect.map_or(Ok(()), |aspect| number(xml, "AspectRatio", aspect))
    })
}

/// The witness segment, unless it is a point.
fn lines(xml: &mut Xml, view: Option<&View>) -> io::Result<()> {
    let segment = view.and_then(|view| Some((view.witness?, view.origin)));
    let Some((witness, origin)) = segment else { return Ok(()) };
    let ends = witness.map(|point| [0, 1, 2].map(|axis| origin[axis] + point[axis]));
    if ends[0] == ends[1] || !ends.as_flattened().iter().all(|number| number.is_finite()) {
        return Ok(());
    }
    element(xml, "Lines", &[], |xml| {
        element(xml, "Line", &[], |xml| {
            vector(xml, "StartPoint", ends[0])?;
            vector(xml, "EndPoint", ends[1])
        })
    })
}

fn vector(xml: &mut Xml, name: &str, components: [f64; 3]) -> io::Result<()> {
    element(xml, name, &[], |xml| {
        ["X", "Y", "Z"].into_iter().zip(components).try_for_each(|(axis, component)| number(xml, axis, component))
    })
}

/// A number as the shortest text that reads back as the same.
fn number(xml: &mut Xml, name: &str, number: f64) -> io::Result<()> {
    leaf(xml, name, &format!("{number:?}"))
}

/// Width by height of a PNG (PNG specification, 11.2.1: both follow the name of the first chunk).
fn aspect(png: &[u8]) -> Option<f64> {
    let sizes: [u8; 8] = png.get(16..24)?.try_into().ok()?;
    let [width, height] =
        [&sizes[..4], &sizes[4..]].map(|size| size.iter().fold(0.0, |sum, &b| sum * 256.0 + f64::from(b)));
    (png.starts_with(b"\x89PNG") && width > 0.0 && height > 0.0).then(|| width / height)
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[cfg(test)]
mod tests {
    use super::{BcfVersion, Camera, around, aspect, dot, ifc_guid};

    #[test]
    fn guids_are_found_in_names() {
        let guid = "3LIQL2UvjC6xkGKOQxhhVW";
        for name in ["{}", "site/hall/{}", "{}#2", "site/{}#2", "{}#part/1", "hall/{}#part/1"] {
            assert_eq!(ifc_guid(&name.replace("{}", guid)), Some(guid), "{name}");
        }
        let long = format!("{guid}a");
        for name in ["", "#", "/", "pump-1", "4LIQL2UvjC6xkGKOQxhhVW", "3LIQL2UvjC6xkGKOQxhhV-", &long, "é"] {
            assert_eq!(ifc_guid(name), None, "{name}");
        }
        let nested = format!("{guid}/bolt");
        assert_eq!(ifc_guid(&nested), None, "a part is not its product");
    }

    #[test]
    fn both_versions_show_the_same_ball() {
        let shown = |version| {
            let camera = around([1.0, 2.0, 3.0], 0.5, version);
            let to_center = [0, 1, 2].map(|axis| [1.0, 2.0, 3.0][axis] - camera.eye[axis]);
            let distance = dot(to_center, camera.forward);
            assert!((dot(to_center, to_center).sqrt() - distance).abs() < 1e-12);
            distance * (camera.view_degrees / 2.0).to_radians().tan()
        };
        assert!((shown(BcfVersion::V2_1) - 0.5).abs() < 1e-12);
        assert!((shown(BcfVersion::V3_0) - 0.5).abs() < 1e-12);
        let camera = around([0.0; 3], 1.0, BcfVersion::V3_0);
        let products = [dot(camera.forward, camera.up), dot(camera.forward, camera.forward), dot(camera.up, camera.up)];
        for (product, expected) in products.into_iter().zip([0.0, 1.0, 1.0]) {
            assert!((product - expected).abs() < 1e-12);
        }
        assert_eq!(camera.view_degrees, Camera::VIEW_DEGREES);
    }

    #[test]
    fn the_size_of_a_picture_is_read() {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
        png.extend([0, 0, 1, 104, 0, 0, 0, 240, 8, 6]);
        assert_eq!(aspect(&png), Some(1.5));
        assert_eq!((aspect(&png[..20]), aspect(b"")), (None, None));
    }
}
