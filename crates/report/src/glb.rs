//! Scenes as binary glTF 2.0 (`.glb`), at a moment or as an animation.
//!
//! Numbers of glTF are `f32`, so everything is relative to a world point near the bodies,
//! [`GlbScene::origin`]. The file names it (`origin_m` in the extras of the asset and of the root
//! node) and does *not* apply it: far from the world's origin, viewers would lose millimetres. The
//! root node turns the z-up frame of a scene into the y-up frame of glTF.

use crate::data::{DisplayMesh, Placement};
use clearsweep_base::error::{Error, Result};
use gltf_json::accessor::{ComponentType, GenericComponentType, Type};
use gltf_json::animation::{Channel, Interpolation, Property, Sampler, Target};
use gltf_json::buffer::{self, View};
use gltf_json::extras::{Extras, RawValue};
use gltf_json::material::{AlphaMode, PbrBaseColorFactor, PbrMetallicRoughness, StrengthFactor};
use gltf_json::mesh::{Primitive, Semantic};
use gltf_json::scene::UnitQuaternion;
use gltf_json::validation::Checked::Valid;
use gltf_json::{Accessor, Animation, Asset, Index, Material, Mesh, Node, Root, Scene, Value};
use rustc_hash::FxHashMap;
use serde_json::json;
use std::f32::consts::FRAC_1_SQRT_2;

/// A scene of bodies.
#[derive(Debug, Clone, Default)]
pub(crate) struct GlbScene {
    /// The bodies.
    pub(crate) bodies: Vec<GlbBody>,
    /// Their shapes; those that no body names are not written.
    pub(crate) meshes: Vec<DisplayMesh>,
    /// The world point that all placements are relative to, metres.
    pub(crate) origin: [f64; 3],
    /// Motions, at most one of each body; none: a moment.
    pub(crate) tracks: Vec<GlbTrack>,
    /// The program that wrote the file.
    pub(crate) generator: String,
    /// Further extras of the asset.
    pub(crate) extras: serde_json::Map<String, Value>,
}

/// A body.
#[derive(Debug, Clone)]
pub(crate) struct GlbBody {
    /// Its name.
    pub(crate) name: String,
    /// Index into [`GlbScene::meshes`].
    pub(crate) mesh: usize,
    /// Its colour.
    pub(crate) color: GlbColor,
    /// Its place, relative to the origin; at the beginning if it moves.
    pub(crate) placement: Placement,
}

/// The colour of a body, by what is known of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum GlbColor {
    /// Nothing: grey, and translucent beside bodies of a pair or with violations.
    Neutral,
    /// Its own colour in sRGB, likewise translucent.
    Own([u8; 3]),
    /// The first body of a pair: blue.
    A,
    /// The second body of a pair: orange.
    B,
    /// It has an open violation: red.
    Violating,
    /// All its violations are accepted: ochre.
    Accepted,
}

impl GlbColor {
    /// Whether nothing is known of the body that the file is about.
    fn is_beside(self) -> bool {
        matches!(self, Self::Neutral | Self::Own(_))
    }
}

/// The motion of a body.
#[derive(Debug, Clone)]
pub(crate) struct GlbTrack {
    /// Index into [`GlbScene::bodies`].
    pub(crate) body: usize,
    /// Times, seconds, ascending.
    pub(crate) times_s: Vec<f64>,
    /// Placements at these times; `None`: absent.
    pub(crate) placements: Vec<Option<Placement>>,
}

/// A file.
#[derive(Debug, Clone)]
pub(crate) struct Glb {
    /// Its bytes.
    pub(crate) bytes: Vec<u8>,
    /// Number of bodies that are absent for part of their track: glTF cannot hide them, and they
    /// keep their last place.
    pub(crate) held: usize,
}

/// Returns the scene as a file. Its animation begins at 0 s: `start_s` in its extras is the time of
/// the track there.
///
/// # Errors
/// The file would be larger than 4 GiB.
pub(crate) fn glb(scene: &GlbScene) -> Result<Glb> {
    let mut writer = GlbWriter::default();
    let extras = json!({ "origin_m": scene.origin });
    let mut of_asset = scene.extras.clone();
    of_asset.insert("origin_m".to_owned(), json!(scene.origin));
    writer.root.asset =
        Asset { generator: Some(scene.generator.clone()), extras: raw(&Value::Object(of_asset)), ..Asset::default() };
    let root = writer.root.push(Node {
        name: Some("z-up, metres, relative to origin_m".to_owned()),
        rotation: Some(UnitQuaternion([-FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2])),
        extras: raw(&extras),
        ..Node::default()
    });
    writer.add_bodies(scene, root)?;
    let held = writer.add_tracks(scene)?;
    let nodes = vec![root];
    let shown = writer.root.push(Scene { extensions: None, extras: None, name: None, nodes });
    writer.root.scene = Some(shown);
    Ok(Glb { bytes: writer.finish()?, held })
}

/// The color of a material as light (glTF 2.0, section 3.9.2), and its name. The comments have it
/// in sRGB.
fn color_of(color: GlbColor) -> ([f32; 3], String) {
    let (light, name) = match color {
        GlbColor::Own([red, green, blue]) => {
            return ([red, green, blue].map(light), format!("#{red:02x}{green:02x}{blue:02x}"));
        }
        GlbColor::Neutral => ([0.3231, 0.3663, 0.4179], "neutral"), // #9aa3ad
        GlbColor::A => ([0.0284, 0.159, 0.6308], "A"),              // #2f6fd0
        GlbColor::B => ([0.7454, 0.1981, 0.0103], "B"),             // #e07b1a
        GlbColor::Violating => ([0.6308, 0.0343, 0.0252], "violating"), // #d0342c
        GlbColor::Accepted => ([0.5841, 0.3613, 0.0203], "accepted"), // #c9a227
    };
    (light, name.to_owned())
}

/// The light of a component of sRGB (IEC 61966-2-1).
fn light(component: u8) -> f32 {
    let share = f64::from(component) / 255.0;
    if share <= 0.04045 {
        return (share / 12.92) as f32;
    }
    libm::pow((share + 0.055) / 1.055, 2.4) as f32
}

/// A file that is being written: the JSON, and the one buffer.
#[derive(Default)]
struct GlbWriter {
    root: Root,
    buffer: Vec<u8>,
}

/// The accessors of a mesh; `None`: it has no triangle.
type MeshAccessors = Option<[Index<Accessor>; 2]>;

impl GlbWriter {
    /// Adds a node for every body, below `parent`.
    fn add_bodies(&mut self, scene: &GlbScene, parent: Index<Node>) -> Result<()> {
        let is_ghost = scene.bodies.iter().any(|body| !body.color.is_beside());
        let mut materials = FxHashMap::default();
        let mut shapes: FxHashMap<usize, MeshAccessors> = FxHashMap::default();
        let mut meshes: FxHashMap<(usize, GlbColor), Index<Mesh>> = FxHashMap::default();
        let mut nodes = Vec::with_capacity(scene.bodies.len());
        for body in &scene.bodies {
            let shape = match shapes.get(&body.mesh) {
                Some(&known) => known,
                None => *shapes.entry(body.mesh).or_insert(self.add_shape(mesh_of(scene, body)?)?),
            };
            let mesh = shape.map(|shape| {
                let material =
                    *materials.entry(body.color).or_insert_with(|| self.root.push(material(body.color, is_ghost)));
                *meshes.entry((body.mesh, body.color)).or_insert_with(|| self.root.push(mesh(shape, material)))
            });
            nodes.push(self.root.push(node(body, mesh)));
        }
        self.root.nodes[parent.value()].children = (!nodes.is_empty()).then_some(nodes);
        Ok(())
    }

    /// Adds positions and triangles. Triangles that name a vertex twice are left out.
    fn add_shape(&mut self, mesh: &DisplayMesh) -> Result<MeshAccessors> {
        let corners: Vec<u32> =
            mesh.triangles.iter().filter(|[a, b, c]| a != b && b != c && c != a).flatten().copied().collect();
        let (low, high) = bounds(&mesh.vertices);
        let is_finite = mesh.vertices.as_flattened().iter().all(|number| number.is_finite());
        if !is_finite || corners.iter().any(|&corner| corner as usize >= mesh.vertices.len()) {
            return Err(Error::internal("GLB", "a mesh has a corner that is not finite, or none for a triangle"));
        }
        if corners.is_empty() {
            return Ok(None);
        }
        let target = Some(buffer::Target::ArrayBuffer);
        let positions = self.add_accessor(
            NumberKind { component: ComponentType::F32, dimensions: Type::Vec3, target },
            mesh.vertices.len(),
            mesh.vertices.as_flattened().iter().flat_map(|number| number.to_le_bytes()),
            Some([json!(low), json!(high)]),
        );
        let target = Some(buffer::Target::ElementArrayBuffer);
        let (count, dimensions) = (corners.len(), Type::Scalar);
        // 65,535 would restart a strip, and is no index (glTF 2.0, section 3.7.2.1).
        let triangles = if mesh.vertices.len() <= usize::from(u16::MAX) {
            let kind = NumberKind { component: ComponentType::U16, dimensions, target };
            self.add_accessor(kind, count, corners.into_iter().flat_map(|corner| (corner as u16).to_le_bytes()), None)
        } else {
            let kind = NumberKind { component: ComponentType::U32, dimensions, target };
            self.add_accessor(kind, count, corners.into_iter().flat_map(u32::to_le_bytes), None)
        };
        Ok(Some([positions, triangles]))
    }

    /// Adds one animation of all tracks; returns the number of bodies that are absent for a part.
    fn add_tracks(&mut self, scene: &GlbScene) -> Result<usize> {
        let times = scene.tracks.iter().flat_map(|track| &track.times_s).copied().filter(|time| time.is_finite());
        let start = times.fold(f64::INFINITY, f64::min);
        let (mut channels, mut samplers, mut inputs) = (Vec::new(), Vec::new(), FxHashMap::default());
        let mut held = 0;
        for track in &scene.tracks {
            if track.body >= scene.bodies.len() || track.times_s.len() != track.placements.len() {
                return Err(Error::internal(
                    "GLB",
                    "a track without a body, or with times and placements that differ in number",
                ));
            }
            held += usize::from(track.placements.iter().any(Option::is_none));
            let keys = Keys::of(track, start);
            if keys.times.is_empty() {
                continue;
            }
            let bits: Vec<u32> = keys.times.iter().map(|time| time.to_bits()).collect();
            let input = *inputs.entry(bits).or_insert_with(|| self.add_times(&keys.times));
            let node = Index::new(track.body as u32 + 1); // the root comes before the bodies
            let outputs = [
                (Property::Translation, self.add_outputs(Type::Vec3, &keys.translations)),
                (Property::Rotation, self.add_outputs(Type::Vec4, &keys.rotations)),
            ];
            for (property, output) in outputs {
                channels.push(channel(samplers.len() as u32, node, property));
                samplers.push(sampler(input, output));
            }
        }
        if !channels.is_empty() {
            let (name, extras) = (Some("run".to_owned()), raw(&json!({ "start_s": start })));
            self.root.push(Animation { extensions: None, extras, channels, name, samplers });
        }
        Ok(held)
    }

    fn add_times(&mut self, times: &[f32]) -> Index<Accessor> {
        let kind = NumberKind { component: ComponentType::F32, dimensions: Type::Scalar, target: None };
        let ends = [times[0], times[times.len() - 1]].map(|time| json!([time])); // they ascend
        self.add_accessor(kind, times.len(), times.iter().flat_map(|time| time.to_le_bytes()), Some(ends))
    }

    fn add_outputs<const N: usize>(&mut self, dimensions: Type, values: &[[f32; N]]) -> Index<Accessor> {
        let kind = NumberKind { component: ComponentType::F32, dimensions, target: None };
        let bytes = values.as_flattened().iter().flat_map(|number| number.to_le_bytes());
        self.add_accessor(kind, values.len(), bytes, None)
    }

    /// Adds a view of the buffer and an accessor of all of it.
    fn add_accessor(
        &mut self,
        kind: NumberKind,
        count: usize,
        bytes: impl Iterator<Item = u8>,
        bounds: Option<[Value; 2]>,
    ) -> Index<Accessor> {
        self.buffer.resize(self.buffer.len().next_multiple_of(4), 0);
        let offset = self.buffer.len();
        self.buffer.extend(bytes);
        let view = self.root.push(View {
            buffer: Index::new(0),
            byte_length: (self.buffer.len() - offset).into(),
            byte_offset: Some(offset.into()),
            byte_stride: None,
            name: None,
            target: kind.target.map(Valid),
            extensions: None,
            extras: None,
        });
        let [min, max] = bounds.map_or([None, None], |bounds| bounds.map(Some));
        self.root.push(Accessor {
            buffer_view: Some(view),
            byte_offset: None,
            count: count.into(),
            component_type: Valid(GenericComponentType(kind.component)),
            extensions: None,
            extras: None,
            type_: Valid(kind.dimensions),
            min,
            max,
            name: None,
            normalized: false,
            sparse: None,
        })
    }

    /// Puts the header, the JSON and the buffer together (glTF 2.0, section 4.4).
    fn finish(mut self) -> Result<Vec<u8>> {
        self.buffer.resize(self.buffer.len().next_multiple_of(4), 0);
        if !self.buffer.is_empty() {
            let byte_length = self.buffer.len().into();
            self.root.push(gltf_json::Buffer { byte_length, name: None, uri: None, extensions: None, extras: None });
        }
        let mut json = self.root.to_vec().map_err(|error| Error::internal("GLB", error))?;
        json.resize(json.len().next_multiple_of(4), b' ');
        let chunks: [(&[u8; 4], &[u8]); 2] = [(b"JSON", &json), (b"BIN\0", &self.buffer)];
        let chunks = chunks.iter().filter(|(_, bytes)| !bytes.is_empty());
        let length = 12 + chunks.clone().map(|(_, bytes)| 8 + bytes.len()).sum::<usize>();
        let Ok(total) = u32::try_from(length) else {
            let problem = format!("would have {length} bytes, and a GLB holds 4 GiB");
            return Err(Error::output("the GLB", problem, "write one moment instead of the run, or fewer bodies"));
        };
        let mut bytes = Vec::with_capacity(length);
        bytes.extend(b"glTF");
        bytes.extend(2u32.to_le_bytes());
        bytes.extend(total.to_le_bytes());
        for (kind, chunk) in chunks {
            bytes.extend((chunk.len() as u32).to_le_bytes());
            bytes.extend(*kind);
            bytes.extend(*chunk);
        }
        Ok(bytes)
    }
}

/// The numbers of an accessor.
#[derive(Clone, Copy)]
struct NumberKind {
    component: ComponentType,
    dimensions: Type,
    target: Option<buffer::Target>,
}

/// Keyframes of a track: times that ascend strictly as `f32`, and where the body stands.
struct Keys {
    times: Vec<f32>,
    translations: Vec<[f32; 3]>,
    /// x, y, z, w.
    rotations: Vec<[f32; 4]>,
}

impl Keys {
    /// Times are relative to `start`. An absent body stands where it was last, or where it is
    /// first.
    fn of(track: &GlbTrack, start: f64) -> Self {
        let mut keys = Self { times: Vec::new(), translations: Vec::new(), rotations: Vec::new() };
        let Some(mut held) = track.placements.iter().copied().flatten().next() else { return keys };
        let mut last_q = held.q;
        for (&time, placement) in track.times_s.iter().zip(&track.placements) {
            held = placement.unwrap_or(held);
            let time = (time - start) as f32;
            if !time.is_finite() || keys.times.last().is_some_and(|&last| time <= last) {
                continue;
            }
            last_q = continued(last_q, held.q);
            keys.times.push(time);
            keys.translations.push(held.position.map(|number| number as f32));
            keys.rotations.push(rotation(last_q));
        }
        keys
    }
}

/// The quaternion or its negative: both are the same rotation, and the nearer one to the last is
/// the short way.
fn continued(last: [f64; 4], q: [f64; 4]) -> [f64; 4] {
    let dot: f64 = last.iter().zip(&q).map(|(a, b)| a * b).sum();
    if dot < 0.0 { q.map(|number| -number) } else { q }
}

/// A quaternion w, x, y, z as the unit quaternion x, y, z, w of glTF.
fn rotation([w, x, y, z]: [f64; 4]) -> [f32; 4] {
    let norm = (w * w + x * x + y * y + z * z).sqrt();
    if !norm.is_normal() {
        return UnitQuaternion::default().0;
    }
    [x, y, z, w].map(|number| (number / norm) as f32)
}

/// Least and largest coordinates.
fn bounds(vertices: &[[f32; 3]]) -> ([f32; 3], [f32; 3]) {
    let ends = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    vertices.iter().fold(ends, |(low, high), vertex| {
        let axes = [0, 1, 2];
        (axes.map(|axis| low[axis].min(vertex[axis])), axes.map(|axis| high[axis].max(vertex[axis])))
    })
}

fn mesh_of<'a>(scene: &'a GlbScene, body: &GlbBody) -> Result<&'a DisplayMesh> {
    scene.meshes.get(body.mesh).ok_or_else(|| Error::internal("GLB", "a body without a mesh"))
}

fn node(body: &GlbBody, mesh: Option<Index<Mesh>>) -> Node {
    Node {
        name: Some(body.name.clone()),
        mesh,
        translation: Some(body.placement.position.map(|number| number as f32)),
        rotation: Some(UnitQuaternion(rotation(body.placement.q))),
        ..Node::default()
    }
}

fn mesh([positions, triangles]: [Index<Accessor>; 2], material: Index<Material>) -> Mesh {
    let primitive = Primitive {
        attributes: std::iter::once((Valid(Semantic::Positions), positions)).collect(),
        extensions: None,
        extras: None,
        indices: Some(triangles),
        material: Some(material),
        mode: Valid(gltf_json::mesh::Mode::Triangles),
        targets: None,
    };
    Mesh { extensions: None, extras: None, name: None, primitives: vec![primitive], weights: None }
}

fn material(color: GlbColor, is_ghost: bool) -> Material {
    /// Opacity of bodies that are beside the point.
    const OPACITY: f32 = 0.35;
    let ([red, green, blue], name) = color_of(color);
    let is_ghost = is_ghost && color.is_beside();
    Material {
        name: Some(name),
        double_sided: true,
        alpha_mode: Valid(if is_ghost { AlphaMode::Blend } else { AlphaMode::Opaque }),
        pbr_metallic_roughness: PbrMetallicRoughness {
            base_color_factor: PbrBaseColorFactor([red, green, blue, if is_ghost { OPACITY } else { 1.0 }]),
            metallic_factor: StrengthFactor(0.0),
            roughness_factor: StrengthFactor(0.8),
            ..PbrMetallicRoughness::default()
        },
        ..Material::default()
    }
}

fn channel(sampler: u32, node: Index<Node>, property: Property) -> Channel {
    let target = Target { extensions: None, extras: None, node, path: Valid(property) };
    Channel { sampler: Index::new(sampler), target, extensions: None, extras: None }
}

fn sampler(input: Index<Accessor>, output: Index<Accessor>) -> Sampler {
    Sampler { extensions: None, extras: None, input, interpolation: Valid(Interpolation::Linear), output }
}

fn raw(value: &Value) -> Extras {
    RawValue::from_string(value.to_string()).ok()
}

#[cfg(test)]
pub(crate) mod tests;
