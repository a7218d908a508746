//! Geometry files: bytes to a mesh, and the mesh to the hulls of a body.

use crate::memory;
use clearsweep_geometry::{Polyhedron, Vec3};
use clearsweep_scene::readers::rvm::count_parts;
use clearsweep_scene::readers::{Mesh, read_mesh};
use clearsweep_scene::{Scene, SceneOverrides, Shape};
use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Memory that a reader may take for an input of so many bytes: a few times a mesh of its size, and
/// the copies of shared meshes that glTF and 3MF may ask for.
fn warranted(bytes: usize) -> usize {
    (8 << 20) + 256 * bytes
}

/// Copies of a shared mesh are bounded by a number of its own.
const WARRANTED_GLTF: usize = 4 << 30;

/// Meshes of more vertices are read, but no hull is made of them: that is the business of other
/// tests.
const MOST_VERTICES: usize = 600;

/// Ways to read a file: without a model, as one hull, as convex pieces, as hulls of pieces and
/// turned, as triangles.
const BODIES: [&str; 5] = [
    "",
    "model = \"hull\"\noffset = 0.5\n",
    "model = \"pieces\"\n",
    "model = \"piece-hulls\"\nup = \"y\"\nscale = 0.001\n",
    "model = \"mesh\"\noffset = 0.1\ndeviation = \"1mm\"\n",
];

/// Relationships of a package whose model is its part `m`.
const RELATIONSHIPS: &str = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel" Target="/m"/></Relationships>"#;

/// Reads bytes as a 3MF file: as they are if they begin like an archive, else as its model.
pub fn check_3mf(bytes: &[u8]) {
    if bytes.starts_with(b"PK") {
        return check("3mf", bytes);
    }
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, part) in [("_rels/.rels", RELATIONSHIPS.as_bytes()), ("m", bytes)] {
        archive.start_file(name, options).expect("a name");
        archive.write_all(part).expect("memory");
    }
    check("3mf", &archive.finish().expect("memory").into_inner());
}

/// Reads bytes as a file of this extension, twice, and checks what comes out.
pub fn check(extension: &str, bytes: &[u8]) {
    let name = PathBuf::from(format!("no-such-folder/input.{extension}"));
    let most = if ["gltf", "3mf"].contains(&extension) { WARRANTED_GLTF } else { warranted(bytes.len()) };
    let first = memory::within(most, || read_mesh(&name, bytes.to_vec()));
    let mesh = match first {
        Ok(mesh) => mesh,
        Err(fault) => {
            assert!(!fault.problem.is_empty() && !fault.remedy.is_empty(), "a fault without words: {fault:?}");
            assert!(fault.line.is_none_or(|line| line > 0), "lines count from 1: {fault:?}");
            return;
        }
    };
    sound(&mesh);
    assert_eq!(read_mesh(&name, bytes.to_vec()).as_ref(), Ok(&mesh), "a second read gives another mesh");
    if mesh.vertices.len() <= MOST_VERTICES {
        bodies(extension, bytes, &mesh);
    }
}

/// Plants of more bytes are read, but no shapes are made of them.
const MOST_BYTES: usize = 4096;

/// Reads bytes as an RVM file, twice, and makes bodies of it; bytes behind a mark are its
/// attributes.
pub fn check_plant(bytes: &[u8]) {
    let mark = b"CADC_Attributes_File";
    let at = bytes.windows(mark.len()).position(|window| window == mark);
    let (plant, attributes) = at.map_or((bytes, None), |at| (&bytes[..at], Some(&bytes[at..])));
    for by_primitive in [false, true] {
        let read = || memory::within(warranted(bytes.len()), || count_parts(plant, attributes, by_primitive));
        let first = read();
        match &first {
            Ok((count, _)) => assert!(*count > 0, "a plant without a body"),
            Err(fault) => assert!(!fault.problem.is_empty() && !fault.remedy.is_empty(), "{fault:?}"),
        }
        assert_eq!(read(), first, "a second read gives another plant");
        if first.is_ok() && plant.len() <= MOST_BYTES {
            bodies_of_plant(plant, attributes, by_primitive);
        }
    }
}

fn bodies_of_plant(plant: &[u8], attributes: Option<&[u8]>, by_primitive: bool) {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(crate::scratch);
    fs::write(folder.join("p.rvm"), plant).expect("a scratch file");
    fs::write(folder.join("p.att"), attributes.unwrap_or(b"CADC_Attributes_File")).expect("a scratch file");
    let each = if by_primitive { "primitive" } else { "group" };
    let path = folder.join(format!("{each}.toml"));
    if !path.exists() {
        let head = "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 1\n[[bodies]]\ngeometry = \"p.rvm\"\n";
        fs::write(&path, format!("{head}each = \"{each}\"\nclasses = [\"prim\", \"obst\", \"insu\"]\n"))
            .expect("a scratch file");
    }
    match load(&path) {
        Ok(scene) => scene.bodies.iter().for_each(|body| check_shape(&body.shape)),
        Err(error) => assert!(!error.problem.is_empty() && !error.remedy.is_empty(), "{error:?}"),
    }
}

fn sound(mesh: &Mesh) {
    assert!(!mesh.vertices.is_empty(), "a mesh without vertices");
    assert!(mesh.vertices.iter().flatten().all(|c| c.is_finite()), "a coordinate is not finite");
    let count = mesh.vertices.len();
    assert!(mesh.triangles.iter().flatten().all(|&v| (v as usize) < count), "a triangle names no vertex");
    assert_eq!(mesh.piece.len(), mesh.triangles.len(), "a piece for each triangle");
    let mut used = vec![false; mesh.pieces];
    mesh.piece.iter().for_each(|&piece| used[piece as usize] = true);
    assert!(used.iter().all(|&used| used), "a piece without a triangle");
}

/// Makes bodies of the file in every way there is.
fn bodies(extension: &str, bytes: &[u8], mesh: &Mesh) {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(crate::scratch);
    fs::write(folder.join(format!("g.{extension}")), bytes).expect("a scratch file");
    for (number, lines) in BODIES.iter().enumerate() {
        let path = folder.join(format!("{number}-{extension}.toml"));
        if !path.exists() {
            let head = "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 1\n[[body]]\nname = \"a\"\nstatic = true\n";
            fs::write(&path, format!("{head}geometry = \"g.{extension}\"\n{lines}")).expect("a scratch file");
        }
        match load(&path) {
            Ok(scene) => {
                let shape = &scene.bodies[0].shape;
                assert_eq!(shape.vertices, mesh.vertices.len() as u64, "vertices as read");
                assert_eq!(shape.triangles, mesh.triangles.len() as u64, "triangles as read");
                check_shape(shape);
            }
            Err(error) => assert!(!error.problem.is_empty() && !error.remedy.is_empty(), "{error:?}"),
        }
    }
}

/// Loads a scene, with memory for hulls of what these targets feed it.
pub fn load(path: &Path) -> clearsweep::Result<Scene> {
    memory::within(1 << 29, || clearsweep_scene::load_scene(path, &SceneOverrides::default()))
}

/// Checks a shape: pieces are convex, within the radius, and in the hull of all pieces; triangles
/// lie in their hull.
pub fn check_shape(shape: &Shape) {
    assert!(!shape.pieces.is_empty(), "a shape without pieces");
    assert!(shape.center.is_finite() && shape.radius.is_finite(), "{:?} {}", shape.center, shape.radius);
    for piece in shape.pieces.iter().chain(shape.hull.as_deref()) {
        check_polyhedron(&piece.core);
        assert!(piece.radius.is_finite() && piece.radius >= 0.0, "growth {}", piece.radius);
        assert!(shape.radius >= piece.core.radius + piece.radius, "the radius does not hold a piece");
    }
    let whole = &shape.hull().core;
    for piece in &shape.pieces {
        inside(whole, (0..piece.core.count as u32).map(|v| piece.core.vertex(v)));
    }
    assert_eq!(shape.mesh.is_some(), shape.condition.is_some(), "a mesh and what is known of it");
    if let Some(mesh) = &shape.mesh {
        let count = mesh.vertices().len();
        assert!(!mesh.triangles().is_empty() && shape.pieces.len() == 1, "a mesh has triangles and a hull");
        assert!(mesh.triangles().iter().flatten().all(|&v| (v as usize) < count), "a triangle names no vertex");
        let proper = |&[a, b, c]: &[u32; 3]| a != b && b != c && c != a;
        assert!(mesh.triangles().iter().all(proper), "a triangle has a vertex twice");
        assert!(mesh.vertex_numbers().is_sorted_by(|a, b| a < b), "vertices are ordered by their number in the file");
        let mut numbers = mesh.triangle_numbers().to_vec();
        numbers.sort_unstable();
        assert!(numbers.is_sorted_by(|a, b| a < b), "two triangles have one number");
        assert!(
            numbers.iter().all(|&number| u64::from(number) < shape.triangles),
            "a triangle that the file does not have"
        );
        inside(whole, mesh.vertices().iter().copied());
    }
}

fn check_polyhedron(core: &Polyhedron) {
    assert!(core.count > 0 && core.source.len() == core.count, "{} vertices", core.count);
    assert!(core.source.is_sorted_by(|a, b| a < b), "vertices are ordered by their number in the file");
    let vertices: Vec<Vec3<f64>> = (0..core.count as u32).map(|v| core.vertex(v)).collect();
    // The radius is the smallest number that is not below the exact length; the length here is
    // rounded a few times.
    let most = core.radius * (1.0 + 4.0 * f64::EPSILON);
    assert!(vertices.iter().all(|p| p.is_finite() && p.length() <= most), "a vertex beyond the radius");
    let named = core.face_vertices.iter().chain(core.edges.iter().flat_map(|edge| &edge.v));
    assert!(named.chain(&core.neighbours).all(|&v| (v as usize) < core.count), "a feature names no vertex");
    assert!(core.normals.len() == core.face_count() && core.normals.iter().all(|n| (n.length() - 1.0).abs() < 1e-12));
    if core.dimension == 3 {
        // Euler: the surface of a solid without holes.
        assert_eq!(core.count + core.face_count(), core.edges.len() + 2, "the faces are no sphere");
    }
    inside(core, vertices.into_iter());
}

/// Points lie below the plane of every face, but for the rounding of this test's own arithmetic.
fn inside(core: &Polyhedron, points: impl Iterator<Item = Vec3<f64>>) {
    let slack = 1e-12 * core.radius;
    for p in points {
        for face in 0..core.face_count() {
            let on_plane = core.vertex(core.face(face as u32)[0]);
            let above = core.normals[face].dot(p - on_plane);
            assert!(above <= slack, "{p:?} lies {above:e} above face {face}, of at most {slack:e}");
        }
    }
}
