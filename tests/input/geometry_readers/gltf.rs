//! glTF files written by hand: trees of nodes, shared meshes, and buffers wherever the format lets
//! them lie.

use super::*;

/// Base 64 (RFC 4648), written anew here.
fn base64(bytes: &[u8]) -> String {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let word = three.iter().fold(0_u32, |word, &b| word << 8 | u32::from(b)) << (8 * (3 - three.len()));
        for k in 0..4 {
            let letter = char::from(letters[(word >> (18 - 6 * k) & 63) as usize]);
            text.push(if k <= three.len() { letter } else { '=' });
        }
    }
    text
}

/// A file in the making: one buffer, and the lists that name parts of it.
#[derive(Default)]
pub(crate) struct Writer {
    pub(crate) buffer: Vec<u8>,
    pub(crate) views: Vec<String>,
    pub(crate) accessors: Vec<String>,
    pub(crate) meshes: Vec<String>,
    pub(crate) skins: Vec<String>,
    pub(crate) nodes: Vec<String>,
    pub(crate) roots: Vec<usize>,
}

impl Writer {
    pub(crate) fn view(&mut self, bytes: &[u8], stride: usize) -> usize {
        self.buffer.resize(self.buffer.len().next_multiple_of(4), 0xee);
        let stride = if stride > 0 { format!(", \"byteStride\": {stride}") } else { String::new() };
        self.views.push(format!(
            "{{\"buffer\": 0, \"byteOffset\": {}, \"byteLength\": {}{stride}}}",
            self.buffer.len(),
            bytes.len()
        ));
        self.buffer.extend(bytes);
        self.views.len() - 1
    }

    pub(crate) fn accessor(&mut self, text: String) -> usize {
        self.accessors.push(text);
        self.accessors.len() - 1
    }

    /// Positions, packed or with a gap behind each, after some bytes of something else.
    pub(crate) fn positions(&mut self, random: &mut Random, positions: &[[f32; 3]]) -> usize {
        let (gap, before) = (4 * random.below(3), 4 * random.below(3));
        let mut bytes = vec![0xcc; before];
        for (number, position) in positions.iter().enumerate() {
            bytes.extend(position.iter().flat_map(|c| c.to_le_bytes()));
            // Nothing need follow the last one.
            bytes.resize(bytes.len() + if number + 1 < positions.len() { gap } else { 0 }, 0xdd);
        }
        let view = self.view(&bytes, if gap > 0 { 12 + gap } else { 0 });
        let count = positions.len();
        self.accessor(format!(
            "{{\"bufferView\": {view}, \"byteOffset\": {before}, \"componentType\": 5126, \"count\": {count}, \"type\": \"VEC3\"}}"
        ))
    }

    fn indices(&mut self, random: &mut Random, indices: &[u32]) -> usize {
        let (code, size) = [(5121, 1), (5123, 2), (5125, 4)][random.below(3)];
        let bytes: Vec<u8> = indices.iter().flat_map(|i| i.to_le_bytes()[..size].to_vec()).collect();
        let view = self.view(&bytes, 0);
        let count = indices.len();
        self.accessor(format!(
            "{{\"bufferView\": {view}, \"componentType\": {code}, \"count\": {count}, \"type\": \"SCALAR\"}}"
        ))
    }

    fn json(&self, uri: Option<&str>) -> String {
        let uri = uri.map(|uri| format!(", \"uri\": \"{uri}\"")).unwrap_or_default();
        let skins = match self.skins.is_empty() {
            true => String::new(),
            false => format!("\n\"skins\": [{}],", self.skins.join(",\n")),
        };
        format!(
            "{{\"asset\": {{\"version\": \"2.0\"}}, \"extensionsRequired\": [\"KHR_mesh_quantization\"], \"scene\": 0,\n\
             \"scenes\": [{{\"nodes\": {:?}}}],\n\"nodes\": [{}],\n\"meshes\": [{}],{skins}\n\"accessors\": [{}],\n\
             \"bufferViews\": [{}],\n\"buffers\": [{{\"byteLength\": {}{uri}}}]}}",
            self.roots,
            self.nodes.join(",\n"),
            self.meshes.join(",\n"),
            self.accessors.join(",\n"),
            self.views.join(",\n"),
            self.buffer.len()
        )
    }

    pub(crate) fn embedded(&self) -> Vec<u8> {
        self.json(Some(&format!("data:application/octet-stream;base64,{}", base64(&self.buffer)))).into_bytes()
    }

    fn binary(&self) -> Vec<u8> {
        let chunk = |kind: &[u8; 4], data: &[u8], fill: u8| {
            let mut data = data.to_vec();
            data.resize(data.len().next_multiple_of(4), fill);
            [&(data.len() as u32).to_le_bytes(), &kind[..], &data].concat()
        };
        let chunks = [chunk(b"JSON", self.json(None).as_bytes(), b' '), chunk(b"BIN\0", &self.buffer, 0)].concat();
        [b"glTF", &2_u32.to_le_bytes()[..], &(12 + chunks.len() as u32).to_le_bytes(), &chunks].concat()
    }
}

pub(crate) fn tetrahedron(uri: &str) -> (String, Vec<u8>) {
    let mut writer = Writer::default();
    let (vertices, triangles) = TETRAHEDRON;
    let positions = writer.positions(&mut Random(1), &vertices);
    let indices = writer.indices(&mut Random(2), triangles.as_flattened());
    writer.meshes.push(format!(
        "{{\"primitives\": [{{\"attributes\": {{\"POSITION\": {positions}}}, \"indices\": {indices}}}]}}"
    ));
    writer.nodes.push("{\"mesh\": 0}".to_owned());
    writer.roots.push(0);
    (writer.json(Some(uri)), writer.buffer)
}

pub(crate) type Matrix = [[f64; 4]; 4];

pub(crate) fn product(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..4).map(|k| a[i][k] * b[k][j]).sum()))
}

/// A number as its decimals say: those of single precision are not quite those of the number that
/// they were made of.
fn written(number: f32) -> f64 {
    format!("{number:?}").parse().expect("decimals")
}

/// A node's transformation, as text and as rows of a matrix.
fn transformation(random: &mut Random) -> (String, Matrix) {
    let identity: Matrix = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
    match random.below(4) {
        0 => (String::new(), identity),
        1 => {
            let mut m = identity;
            let values: Vec<f32> = (0..12).map(|_| single(random)).collect();
            (0..3).for_each(|i| (0..4).for_each(|j| m[i][j] = written(values[3 * j + i])));
            let text: Vec<String> = (0..16)
                .map(|k| {
                    if k % 4 == 3 {
                        if k == 15 { "1".into() } else { "0".into() }
                    } else {
                        format!("{:?}", values[3 * (k / 4) + k % 4])
                    }
                })
                .collect();
            (format!(", \"matrix\": [{}]", text.join(", ")), m)
        }
        _ => {
            let t = [0; 3].map(|_| single(random) * 8.0);
            let s = [0; 3].map(|_| single(random) * 2.0 + 0.1);
            let raw = [0; 4].map(|_| f64::from(single(random)) + 0.01);
            let norm = raw.iter().map(|c| c * c).sum::<f64>().sqrt();
            let q = raw.map(|c| (c / norm) as f32);
            let [x, y, z, w] = q.map(written);
            // The sandwich product v -> q v q*, column by column, over the norm: another way than
            // the reader's.
            let n = x * x + y * y + z * z + w * w;
            let turn = |v: [f64; 3]| {
                let cross = |a: [f64; 3], b: [f64; 3]| {
                    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
                };
                let inner = cross([x, y, z], v);
                let inner = [0, 1, 2].map(|i| inner[i] + w * v[i]);
                let outer = cross([x, y, z], inner);
                [0, 1, 2].map(|i| v[i] + 2.0 * outer[i] / n)
            };
            let mut m = identity;
            for j in 0..3 {
                let column = turn([0, 1, 2].map(|i| f64::from(u8::from(i == j))));
                (0..3).for_each(|i| m[i][j] = column[i] * written(s[j]));
            }
            (0..3).for_each(|i| m[i][3] = written(t[i]));
            (format!(", \"translation\": {t:?}, \"rotation\": {q:?}, \"scale\": {s:?}"), m)
        }
    }
}

/// A mesh as written: for each primitive, its positions and triangles (none for lines).
type Primitives = Vec<(Vec<[f32; 3]>, Vec<[u32; 3]>)>;

fn add_mesh(writer: &mut Writer, random: &mut Random) -> Primitives {
    let mut primitives = Vec::new();
    let mut texts = Vec::new();
    for _ in 0..1 + random.below(3) {
        let count = 3 + random.below(30);
        let positions: Vec<[f32; 3]> = (0..count).map(|_| [0; 3].map(|_| single(random))).collect();
        let at = writer.positions(random, &positions);
        let mode = [4, 5, 6, 1, 0][random.below(5)];
        let corners: Option<Vec<u32>> =
            (random.below(3) > 0).then(|| (0..random.below(40)).map(|_| random.below(count) as u32).collect());
        let indices =
            corners.as_ref().map(|c| format!(", \"indices\": {}", writer.indices(random, c))).unwrap_or_default();
        let mode_text = if mode == 4 { String::new() } else { format!(", \"mode\": {mode}") };
        texts.push(format!("{{\"attributes\": {{\"NORMAL\": 99, \"POSITION\": {at}}}{indices}{mode_text}}}"));
        let c = corners.unwrap_or_else(|| (0..count as u32).collect());
        let triangles: Vec<[u32; 3]> = match mode {
            4 => (0..c.len() / 3).map(|k| [c[3 * k], c[3 * k + 1], c[3 * k + 2]]).collect(),
            5 => (0..c.len().saturating_sub(2)).map(|k| [c[k], c[k + 1 + k % 2], c[k + 2 - k % 2]]).collect(),
            6 => (0..c.len().saturating_sub(2)).map(|k| [c[k + 1], c[k + 2], c[0]]).collect(),
            _ => continue,
        };
        primitives.push((positions, triangles));
    }
    writer.meshes.push(format!("{{\"primitives\": [{}]}}", texts.join(", ")));
    primitives
}

/// Contents that a file should be read as; vertices to a tolerance.
#[derive(Default)]
struct Truth {
    vertices: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    piece: Vec<u32>,
}

/// Adds a tree of nodes below a parent, children after it, and what it shows.
fn add_node(
    writer: &mut Writer,
    random: &mut Random,
    meshes: &[Primitives],
    parent: &Matrix,
    depth: usize,
    truth: &mut Truth,
) -> usize {
    let node = writer.nodes.len();
    writer.nodes.push(String::new());
    let (mut text, own) = transformation(random);
    let m = product(parent, &own);
    if random.below(3) > 0 {
        let mesh = random.below(meshes.len());
        text += &format!(", \"mesh\": {mesh}");
        let det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
            + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
        let piece = truth.piece.last().map_or(0, |last| last + 1);
        for (positions, triangles) in &meshes[mesh] {
            let first = truth.vertices.len() as u32;
            for p in positions {
                let [x, y, z] = p.map(f64::from);
                truth.vertices.push([0, 1, 2].map(|i| m[i][0] * x + m[i][1] * y + m[i][2] * z + m[i][3]));
            }
            for &[a, b, c] in triangles {
                truth.triangles.push(if det < 0.0 { [a, c, b] } else { [a, b, c] }.map(|v| v + first));
                truth.piece.push(piece);
            }
        }
    }
    let children: Vec<usize> = (0..if depth > 3 { 0 } else { random.below(3) })
        .map(|_| add_node(writer, random, meshes, &m, depth + 1, truth))
        .collect();
    if !children.is_empty() {
        text += &format!(", \"children\": {children:?}");
    }
    writer.nodes[node] = format!("{{\"name\": \"n{node}\"{text}}}");
    node
}

fn random_file(random: &mut Random) -> (Writer, Truth) {
    let (mut writer, mut truth) = (Writer::default(), Truth::default());
    let meshes: Vec<Primitives> = (0..1 + random.below(3)).map(|_| add_mesh(&mut writer, random)).collect();
    let identity: Matrix = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
    for _ in 0..1 + random.below(3) {
        let root = add_node(&mut writer, random, &meshes, &identity, 0, &mut truth);
        writer.roots.push(root);
    }
    // A node that is in no scene.
    writer.nodes.push("{\"mesh\": 0}".to_owned());
    (writer, truth)
}

#[test]
fn trees_of_nodes_are_walked_depth_first() {
    let mut random = Random(31);
    let (mut pieces, mut shared, mut empty) = (0, 0, 0);
    for round in 0..300 {
        let (writer, truth) = random_file(&mut random);
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("b.bin"), &writer.buffer).expect("written");
        let files = [
            ("a.glb", writer.binary()),
            ("a.gltf", writer.embedded()),
            ("b.gltf", writer.json(Some("b.bin")).into_bytes()),
        ];
        let mut seen: Option<Mesh> = None;
        for (name, bytes) in files {
            let read = read_mesh(&folder.path().join(name), bytes);
            if truth.vertices.is_empty() {
                assert!(read.expect_err("nothing to show").problem.contains("no vertices"));
                empty += 1;
                continue;
            }
            let mesh = read.unwrap_or_else(|fault| panic!("round {round}, {name}: {fault:?}"));
            assert_sound(&mesh);
            assert_eq!((&mesh.triangles, &mesh.piece), (&truth.triangles, &truth.piece), "round {round}, {name}");
            assert_eq!(mesh.vertices.len(), truth.vertices.len());
            for (a, b) in mesh.vertices.iter().zip(&truth.vertices) {
                let size = b.iter().fold(1.0_f64, |size, c| size.max(c.abs()));
                assert!((0..3).all(|i| (a[i] - b[i]).abs() < 1e-12 * size), "round {round}, {name}: {a:?} {b:?}");
            }
            // The same bits wherever the buffer lies.
            assert_eq!(seen.get_or_insert_with(|| mesh.clone()), &mesh);
        }
        pieces += truth.piece.last().map_or(0, |last| last + 1);
        shared += usize::from(writer.nodes.len() > writer.meshes.len() + 2);
    }
    assert!(pieces > 400 && shared > 80 && empty < 200, "{pieces} {shared} {empty}");
}

#[test]
fn sparse_and_quantised_positions() {
    let (mut text, buffer) = tetrahedron("b.bin");
    assert!(text.contains("5126"));
    // Two sparse positions over zeros: (0, 5, 6, 7) and (3, 1, 2, 3).
    let mut data = vec![1_u8, 3, 0, 0];
    data.extend([5.0_f32, 6.0, 7.0, 1.0, 2.0, 3.0].iter().flat_map(|c| c.to_le_bytes()));
    data.extend([127_i8, -128, 64, 0].map(|c| c.cast_unsigned()));
    data.extend([1_i8, -1, 0, 0].map(|c| c.cast_unsigned()));
    let accessors = "\"accessors\": [
        {\"componentType\": 5126, \"count\": 4, \"type\": \"VEC3\", \"sparse\": {\"count\": 2,
          \"indices\": {\"bufferView\": 0, \"componentType\": 5121}, \"values\": {\"bufferView\": 0, \"byteOffset\": 4}}},
        {\"bufferView\": 1, \"componentType\": 5120, \"normalized\": true, \"count\": 2, \"type\": \"VEC3\"},
        {\"bufferView\": 1, \"componentType\": 5120, \"count\": 2, \"type\": \"VEC3\"}]";
    text = format!(
        "{{\"asset\": {{\"version\": \"2.0\"}}, {accessors}, \"nodes\": [{{\"mesh\": 0}}], \"meshes\": [{{\"primitives\": [
          {{\"attributes\": {{\"POSITION\": 0}}}}, {{\"attributes\": {{\"POSITION\": 1}}}}, {{\"attributes\": {{\"POSITION\": 2}}}}]}}],
         \"bufferViews\": [{{\"buffer\": 0, \"byteLength\": 28}}, {{\"buffer\": 0, \"byteOffset\": 28, \"byteLength\": 8, \"byteStride\": 4}}],
         \"buffers\": [{{\"byteLength\": 36, \"uri\": \"data:;base64,{}\"}}]}}",
        base64(&data).trim_end_matches('=')
    );
    assert!(!buffer.is_empty());
    let beyond = text.replacen("\"count\": 4", "\"count\": 3", 1);
    let fault = read_mesh(Path::new("a.gltf"), beyond.into_bytes()).expect_err("a sparse index beyond the end");
    assert!(fault.problem.contains("accessor 0: a sparse index names element 3 of 3"), "{fault:?}");
    let mesh = read_mesh(Path::new("a.gltf"), text.into_bytes()).unwrap_or_else(|fault| panic!("{fault:?}"));
    let third = 64.0 / 127.0;
    assert_eq!(
        mesh.vertices,
        [
            [0.0; 3],
            [5.0, 6.0, 7.0],
            [0.0; 3],
            [1.0, 2.0, 3.0],
            [1.0, -1.0, third],
            [1.0 / 127.0, -1.0 / 127.0, 0.0],
            [127.0, -128.0, 64.0],
            [1.0, -1.0, 0.0],
        ]
    );
    assert_eq!((mesh.triangles, mesh.pieces), (vec![[0, 1, 2]], 1));
}

#[test]
fn volumes_and_bounds() {
    let folder = tempfile::tempdir().expect("a folder");
    let (text, buffer) = tetrahedron("b.bin");
    fs::write(folder.path().join("b.bin"), buffer).expect("written");
    let read = |text: String| read_mesh(&folder.path().join("a.gltf"), text.into_bytes()).expect("a mesh");
    let mesh = read(text.clone());
    assert_eq!((six_volumes(&mesh), bounds(&mesh)), (1.0, [[0.0; 3], [1.0; 3]]));
    // Mirrored and stretched: the volume is positive still.
    let mesh =
        read(text.replace("{\"mesh\": 0}", "{\"mesh\": 0, \"scale\": [-2, 3, 0.5], \"translation\": [10, 0, 0]}"));
    assert_eq!((six_volumes(&mesh), bounds(&mesh)), (3.0, [[8.0, 0.0, 0.0], [10.0, 3.0, 0.5]]));
}

#[test]
fn no_bytes_make_the_reader_panic() {
    let mut random = Random(8);
    let mut originals = Vec::new();
    while originals.len() < 8 {
        let (writer, truth) = random_file(&mut random);
        if !truth.triangles.is_empty() && writer.buffer.len() < 6000 {
            originals.push(writer.binary());
            originals.push(writer.embedded());
        }
    }
    damage("p.glb", &originals, 78);
}

/// A wrong file: what is replaced in a good one, by what, and what the message says.
const WRONG: &[(&str, &str, &[&str])] = &[
    ("{\"asset\"", "\"asset\"", &["not valid glTF"]),
    ("\"nodes\": [0]", "\"nodes\": [7]", &["node 7 is named, but there are 1"]),
    ("\"nodes\": [0]", "\"nodes\": [0, 0]", &["node 0 has two parents"]),
    ("{\"mesh\": 0}", "{\"mesh\": 0, \"children\": [0]}", &["node 0", "its own ancestor"]),
    ("{\"mesh\": 0}", "{\"mesh\": 1}", &["node 0: mesh 1 is named, but there are 1"]),
    ("{\"mesh\": 0}", "{\"mesh\": 0, \"rotation\": [1, 1, 0, 0]}", &["node 0", "no unit quaternion"]),
    ("{\"mesh\": 0}", "{\"mesh\": 0, \"matrix\": [1,0,0,1,0,1,0,0,0,0,1,0,0,0,0,1]}", &["last row"]),
    ("{\"mesh\": 0}", "{\"mesh\": 0, \"scale\": [1e400, 1, 1]}", &["not valid glTF", "number out of range"]),
    (
        "{\"mesh\": 0}",
        "{\"mesh\": 0, \"scale\": [1.7e308, 1, 1], \"translation\": [1.7e308, 0, 0]}",
        &["node 0: primitive 0: vertex", "inf"],
    ),
    (
        "{\"mesh\": 0}",
        "{\"mesh\": 0, \"scale\": [1, 1, 1], \"matrix\": [1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}",
        &["node 0", "a matrix and a translation, rotation or scale"],
    ),
    ("{\"mesh\": 0}", "{\"mesh\": 4294967296}", &["mesh 4294967296 is named"]),
    ("{\"mesh\": 0}", "{\"mesh\": 0, \"skin\": 0}", &["node 0: skin 0 is named, but there are 0"]),
    (
        "{\"mesh\": 0}",
        "{\"mesh\": 0, \"extensions\": {\"EXT_mesh_gpu_instancing\": {\"attributes\": {}}}}",
        &["EXT_mesh_gpu_instancing"],
    ),
    ("\"attributes\": {", "\"mode\": 7, \"attributes\": {", &["primitive 0: has an unknown mode"]),
    ("KHR_mesh_quantization", "CESIUM_RTC", &["CESIUM_RTC"]),
    ("\"scene\": 0", "\"scene\": 3", &["scene 3 is to be shown, but there are 1"]),
    ("KHR_mesh_quantization", "KHR_draco_mesh_compression", &["KHR_draco_mesh_compression", "without that extension"]),
    (
        "\"extensionsRequired\": [\"KHR_mesh_quantization\"",
        "\"extensionsUsed\": [\"EXT_mesh_gpu_instancing\"",
        &["gpu_instancing"],
    ),
    ("\"POSITION\": 0", "\"POSITION\": 5", &["primitive 0: accessor 5 is named, but there are 2"]),
    ("\"POSITION\": 0", "\"POSITION\": 1", &["accessor 1: positions are vectors"]),
    ("\"version\": \"2.0\"", "\"version\": \"3.0\"", &["version `3.0`", "glTF 2.0"]),
    ("\"version\": \"2.0\"", "\"version\": \"2.1\", \"minVersion\": \"2.1\"", &["version `2.1`", "glTF 2.0"]),
    ("\"byteStride\": 20", "\"byteStride\": 4", &["a stride of 4 bytes for elements of 12"]),
    ("\"indices\": 1", "\"indices\": 0", &["accessor 0: indices are single integers"]),
    ("\"count\": 4", "\"count\": 5", &["5 elements of an accessor reach beyond the end of buffer view 0"]),
    ("\"count\": 4", "\"count\": 3", &["an index names vertex 3, but there are 3"]),
    ("\"count\": 4", "\"count\": 99999999999", &["accessor 0 has 99999999999 elements"]),
    ("\"count\": 4", "\"count\": -4", &["not valid glTF"]),
    ("\"buffer\": 0", "\"buffer\": 9", &["buffer 9 is named, but there are 1"]),
    ("\"byteOffset\": 0", "\"byteOffset\": 4000000000", &["buffer view 0 reaches beyond the end"]),
    ("\"uri\": \"b.bin\"", "\"uri\": \"gone.bin\"", &["gone.bin", "cannot be read", "beside it"]),
    ("\"uri\": \"b.bin\"", "\"uri\": \"https://a.example/b.bin\"", &["https://a.example/b.bin", "no path relative"]),
    ("\"uri\": \"b.bin\"", "\"uri\": \"/b.bin\"", &["no path relative"]),
    ("\"uri\": \"b.bin\"", "\"uri\": \"data:text/plain,abc\"", &["not base64"]),
    ("\"uri\": \"b.bin\"", "\"uri\": \"data:;base64,@@@\"", &["bad base64"]),
    ("\"uri\": \"b.bin\"", "\"uri\": \"data:;base64,AAAA\"", &["buffer 0 is truncated: it has 3 bytes"]),
    (", \"uri\": \"b.bin\"", "", &["buffer 0 has no bytes"]),
];

#[test]
fn every_wrong_file_has_its_message() {
    let folder = tempfile::tempdir().expect("a folder");
    let (text, buffer) = tetrahedron("b.bin");
    fs::write(folder.path().join("b.bin"), &buffer).expect("written");
    let read = |text: String| read_mesh(&folder.path().join("a.gltf"), text.into_bytes());
    read(text.clone()).expect("the file is good");
    for (old, new, parts) in WRONG {
        assert!(text.contains(old), "{old} is not in the file: {text}");
        let fault = read(text.replacen(old, new, 1)).expect_err(new);
        assert!(!fault.remedy.is_empty());
        let message = format!("{} ({})", fault.problem, fault.remedy);
        assert!(parts.iter().all(|part| message.contains(part)), "{new}: {message}");
    }
}

/// A few bytes that name one mesh very often are refused before the memory is asked for.
#[test]
fn copies_of_copies_are_bounded() {
    let nodes: Vec<String> = (0..3000).map(|_| "{\"mesh\": 0}".to_owned()).collect();
    let text = format!(
        "{{\"asset\": {{\"version\": \"2.0\"}}, \"nodes\": [{}], \"meshes\": [{{\"primitives\": [{{\"attributes\": {{\"POSITION\": 0}}}}]}}],
          \"accessors\": [{{\"componentType\": 5126, \"count\": 60000000, \"type\": \"VEC3\", \"sparse\": {{\"count\": 0,
           \"indices\": {{\"bufferView\": 0, \"componentType\": 5121}}, \"values\": {{\"bufferView\": 0}}}}}}],
          \"bufferViews\": [{{\"buffer\": 0, \"byteLength\": 1}}], \"buffers\": [{{\"byteLength\": 1, \"uri\": \"data:;base64,AAAA\"}}]}}",
        nodes.join(",")
    );
    let fault =
        read_mesh(Path::new("a.gltf"), text.replace("60000000", "70000000").into_bytes()).expect_err("too many");
    assert!(fault.problem.contains("70000000 elements"), "{fault:?}");
    let fault = read_mesh(Path::new("a.gltf"), text.replace("60000000", "1000000").into_bytes()).expect_err("too many");
    assert!(fault.problem.contains("copies of shared meshes included"), "{fault:?}");
}
