//! Writes small valid files for every target to begin from: `seeds DIR`, one folder for each
//! target.

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float32Array, Float64Array, Int64Array, RecordBatch, StringArray,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

type Done = Result<(), Box<dyn Error>>;

fn main() -> Done {
    let root = PathBuf::from(std::env::args_os().nth(1).ok_or("usage: seeds DIR")?);
    let put = |target: &str, name: &str, bytes: &[u8]| -> Done {
        let folder = root.join(target);
        fs::create_dir_all(&folder)?;
        Ok(fs::write(folder.join(name), bytes)?)
    };
    for (name, bytes) in geometry() {
        let target = name.split('.').next_back().unwrap_or_default().replace("glb", "gltf").replace("3mf", "threemf");
        put(&target, name, &bytes)?;
    }
    for (number, body) in BODIES.iter().enumerate() {
        put("scene", &format!("{number}.toml"), format!("{HEAD}{body}").as_bytes())?;
    }
    for (number, table) in TABLES.iter().enumerate() {
        put("table_csv", &format!("{number}.csv"), table.as_bytes())?;
    }
    for number in 0..64_u8 {
        put("engine", &number.to_string(), &scrambled(number))?;
    }
    for (name, bytes) in tables()? {
        put("table_parquet", name, &bytes)?;
    }
    for (name, bytes) in trajectories()? {
        put(if name.ends_with("parquet") { "trajectory_parquet" } else { "trajectory_ipc" }, &name, &bytes)?;
    }
    copy_small(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../datasets")), &root.join("scene"))
}

/// Bytes without an order: a scene of bodies of some kinds (`clearsweep_testing::trial`).
fn scrambled(number: u8) -> Vec<u8> {
    let mut state = u32::from(number) + 1;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..160).map(next).collect()
}

/// The scenes of the data sets that the repository keeps.
fn copy_small(from: &Path, to: &Path) -> Done {
    for entry in fs::read_dir(from)? {
        let scene = entry?.path().join("scene.toml");
        if fs::metadata(&scene).is_ok_and(|about| about.len() < 8192) {
            let name = scene.parent().and_then(Path::file_name).unwrap_or_default().to_owned();
            fs::copy(&scene, to.join(name))?;
        }
    }
    Ok(())
}

const HEAD: &str = "[scene]\nname = \"s\"\nlength_unit = \"m\"\n[query]\nwithin = 0.2\nrequire = \"50mm\"\ntouch = 0.0\n\
                    static_pairs = true\n";

const BODIES: [&str; 4] = [
    "[[body]]\nname = \"a\"\ngeometry = \"g.obj\"\nmodel = \"hull\"\nunit = \"mm\"\nscale = 2.0\nup = \"y\"\noffset = 0.03\n\
     group = [\"x\", \"y\"]\nstatic = true\nposition = [0.0, 1.0, 0.0]\norientation = { qw = 1, qx = 0, qy = 0, qz = 0 }\n\
     [[ignore]]\na = \"group:x\"\nb = \"a*\"\nreason = \"r\"\n",
    "[[body]]\nname = \"b\"\nshape = { box = [0.4, 0.4, 0.2] }\nstatic = true\n[[body]]\nname = \"s\"\nshape = { sphere = 1 }\n\
     static = true\n[[body]]\nname = \"c\"\nshape = { capsule = [1, 2] }\nstatic = true\n[[ignore]]\na = \"?\"\n",
    "[[body]]\nname = \"c\"\nshape = { cylinder = [1, 2, 5] }\nstatic = true\n[[body]]\nname = \"p\"\n\
     shape = { points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.5e0]] }\nstatic = true\n",
    "[[bodies]]\ntable = \"t.csv\"\nmodel = \"pieces\"\nshape = { sphere = 0.5 }\n",
];

const TABLES: [&str; 3] = [
    "body,geometry,model,unit,scale,up,offset,group,static,x,y,z,qw,qx,qy,qz\n\
     a,g.obj,hull,mm,2,y,0.1,g,true,1,2,3,1,0,0,0\nb,g.obj,,,,,,\"g;h\",1,,,,,,,\n",
    "name,shape,static,colour\na,{ sphere = 1 },0,red\n\"b, c\",\"{ box = [1, 2, 3] }\",false,\n",
    "\u{feff}body,shape,group,static\r\na,\"{ points = [[0,0,0],[1,1,1]] }\",\"[\"\"g\"\", \"\"h\"\"]\",TRUE\r\n",
];

/// A tetrahedron: four corners of single precision and its faces as 16-bit indices.
const CORNERS: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
const FACES: [[u8; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

fn geometry() -> Vec<(&'static str, Vec<u8>)> {
    let text = |text: &str| text.as_bytes().to_vec();
    let facet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 1e-1\nendloop\nendfacet\n";
    vec![
        ("plain.obj", text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")),
        (
            "rich.obj",
            text(
                "# c\nmtllib m.mtl\no one\ng left right\nv -1.5e-1 0 0 1.0\nv 1 0 0 0.1 0.2 0.3\nv 1 1 0\nv 0 1 \\\n0\n\
                  vt 0 0\nvn 0 0 1\nusemtl x\ns off\nf 1/1/1 2//1 3/1 4\no two\nf -4 -3 -2\nl 1 2\n",
            ),
        ),
        ("ascii.stl", text(&format!("solid a\n{facet}{facet}endsolid a\nsolid b\n{facet}endsolid b\n"))),
        ("binary.stl", binary_stl()),
        ("ascii.ply", ascii_ply()),
        ("little.ply", binary_ply(false)),
        ("big.ply", binary_ply(true)),
        (
            "strips.ply",
            text(
                "ply\nformat ascii 1.0\nelement tristrips 1\nproperty list int int vertex_indices\nelement vertex 4\n\
                  property float x\nproperty float y\nproperty float z\nend_header\n6 0 1 2 3 -1 0\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n",
            ),
        ),
        ("tree.glb", glb(TREE)),
        ("sparse.glb", glb(SPARSE)),
        ("embedded.gltf", text(EMBEDDED)),
        ("components.3mf", text(COMPONENTS)),
        ("plant.rvm", plant()),
    ]
}

/// A group of a primitive of each kind, and its attributes.
fn plant() -> Vec<u8> {
    let word = |word: u32| word.to_be_bytes().to_vec();
    let floats = |floats: &[f32]| floats.iter().flat_map(|float| float.to_be_bytes()).collect::<Vec<u8>>();
    let mut bytes = Vec::new();
    let mut chunk = |name: &[u8; 4], body: &[u8]| {
        let end = (bytes.len() + 24 + body.len()) as u32;
        bytes.extend(name.iter().flat_map(|&letter| u32::from(letter).to_be_bytes()));
        bytes.extend([word(end), word(1), body.to_vec()].concat());
    };
    chunk(b"HEAD", &[word(1), vec![0; 16]].concat());
    chunk(b"MODL", &[word(1), vec![0; 8]].concat());
    chunk(b"CNTB", &[word(2), word(1), b"/A\0\0".to_vec(), vec![0; 16]].concat());
    let matrix = floats(&[0.001, 0.0, 0.0, 0.0, 0.001, 0.0, 0.0, 0.0, 0.001, 1.0, 2.0, 3.0]);
    let extent = floats(&[-1.0, -1.0, -1.0, 1.0, 1.0, 1.0]);
    for (kind, count) in (1_u32..).zip([7, 3, 4, 3, 2, 2, 9, 2, 1, 2]) {
        let numbers = floats(&[8.0, 5.0, 3.0, 1.0, 0.0, 0.0, 0.5, 0.0, 0.1][..count]);
        chunk(b"PRIM", &[word(1), word(kind), matrix.clone(), extent.clone(), numbers].concat());
    }
    let faces = FACES.iter().flat_map(|face| {
        let corner = |&v: &u8| floats(&[CORNERS[v as usize], [0.0, 0.0, 1.0]].concat());
        [word(1), word(3)].into_iter().chain(face.iter().map(corner)).flatten()
    });
    chunk(b"PRIM", &[word(1), word(11), matrix.clone(), extent.clone(), word(4), faces.collect()].concat());
    chunk(b"OBST", &[word(1), word(9), word(0), matrix.clone(), extent.clone(), floats(&[2.0])].concat());
    chunk(b"INSU", &[word(1), word(9), matrix, extent, word(0), floats(&[2.0])].concat());
    chunk(b"CNTE", &word(2));
    chunk(b"COLR", &[word(1), word(1), vec![1, 2, 3, 0]].concat());
    chunk(b"END:", &word(1));
    bytes.extend(b"CADC_Attributes_File v1.0 , start: NEW , end: END\nNEW /A\nType:= PIPE\nObstruction:= 2\nEND\n");
    bytes
}

fn binary_stl() -> Vec<u8> {
    let mut bytes = vec![b' '; 80];
    bytes.extend((FACES.len() as u32).to_le_bytes());
    for face in FACES {
        bytes.extend([0; 12]);
        bytes.extend(face.iter().flat_map(|&v| CORNERS[v as usize]).flat_map(f32::to_le_bytes));
        bytes.extend([0, 0]);
    }
    bytes
}

const PLY_ELEMENTS: &str = "comment c\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
                            property uchar red\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n";

fn ascii_ply() -> Vec<u8> {
    let mut text = format!("ply\nformat ascii 1.0\n{PLY_ELEMENTS}");
    CORNERS.iter().for_each(|[x, y, z]| text += &format!("{x} {y} {z} 7\n"));
    FACES.iter().for_each(|[a, b, c]| text += &format!("3 {a} {b} {c}\n"));
    text.into_bytes()
}

fn binary_ply(big: bool) -> Vec<u8> {
    let order = if big { "big" } else { "little" };
    let mut bytes = format!("ply\nformat binary_{order}_endian 1.0\n{PLY_ELEMENTS}").into_bytes();
    let word = |word: [u8; 4]| if big { [word[3], word[2], word[1], word[0]] } else { word };
    for corner in CORNERS {
        bytes.extend(corner.iter().flat_map(|c| word(c.to_le_bytes())));
        bytes.push(7);
    }
    for face in FACES {
        bytes.push(3);
        bytes.extend(face.iter().flat_map(|&v| word(u32::from(v).to_le_bytes())));
    }
    bytes
}

const TREE: &str = r#"{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
"nodes": [{"children": [1, 2], "rotation": [0, 0, 0.70710678, 0.70710678], "translation": [1, 2, 3]},
{"mesh": 0, "scale": [1, 1, -1]}, {"mesh": 0, "matrix": [0,1,0,0, -1,0,0,0, 0,0,1,0, 5,6,7,1]}],
"meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1},
{"attributes": {"POSITION": 0}, "mode": 5}, {"attributes": {"POSITION": 0}, "mode": 6}]}],
"accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0,0,0], "max": [1,1,1]},
{"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}],
"bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
"buffers": [{"byteLength": 72}]}"#;

const SPARSE: &str = r#"{"asset": {"version": "2.0"}, "nodes": [{"mesh": 0}],
"meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
"accessors": [{"componentType": 5126, "count": 4, "type": "VEC3", "sparse": {"count": 2,
"indices": {"bufferView": 1, "byteOffset": 6, "componentType": 5123}, "values": {"bufferView": 0, "byteOffset": 12}}},
{"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"}],
"bufferViews": [{"buffer": 0, "byteLength": 48, "byteStride": 12}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
"buffers": [{"byteLength": 72}]}"#;

const EMBEDDED: &str = r#"{"asset": {"version": "2.0"}, "nodes": [{"mesh": 0}],
"meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
"accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
{"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}],
"bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
"buffers": [{"byteLength": 72, "uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAACAAEAAAABAAMAAQACAAMAAgAAAAMA"}]}"#;

const COMPONENTS: &str = r#"<model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02" unit="inch"><resources>
<basematerials id="7"><base name="steel"/></basematerials>
<object id="1" name="a" type="surface" pid="7" pindex="0"><mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1.5" y="0" z="0"/>
<vertex x="0" y="2e0" z="0"/><vertex x="0" y="0" z="+0.1"/></vertices><triangles><triangle v1="0" v2="2" v3="1"/>
<triangle v1="0" v2="1" v3="3"/><triangle v1="1" v2="2" v3="3"/><triangle v1="2" v2="0" v3="3"/></triangles></mesh></object>
<object id="2"><components><component objectid="1" transform="0 1 0 -1 0 0 0 0 1 1 2 3"/><component objectid="1"/></components></object>
</resources><build><item objectid="2" transform="2 0 0 0 2 0 0 0 -2 1 2 3" partnumber="n"/><item objectid="1"/></build></model>"#;

/// The JSON with the corners and faces as its buffer.
fn glb(json: &str) -> Vec<u8> {
    let mut json = json.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut buffer: Vec<u8> = CORNERS.iter().flatten().flat_map(|c| c.to_le_bytes()).collect();
    buffer.extend(FACES.iter().flatten().flat_map(|&v| u16::from(v).to_le_bytes()));
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((12 + 8 + json.len() as u32 + 8 + buffer.len() as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", &json), (b"BIN\0", &buffer)] {
        bytes.extend((chunk.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(chunk);
    }
    bytes
}

fn parquet_of(
    batch: &RecordBatch,
    compression: Compression,
    statistics: bool,
    group: usize,
) -> Result<Vec<u8>, Box<dyn Error>> {
    let statistics = if statistics { EnabledStatistics::Chunk } else { EnabledStatistics::None };
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_statistics_enabled(statistics)
        .set_max_row_group_row_count(Some(group))
        .build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties))?;
    writer.write(batch)?;
    writer.close()?;
    Ok(bytes)
}

fn tables() -> Result<Vec<(&'static str, Vec<u8>)>, Box<dyn Error>> {
    let texts = |values: &[&str]| -> ArrayRef { Arc::new(StringArray::from(values.to_vec())) };
    let numbers = |values: &[f64]| -> ArrayRef { Arc::new(Float64Array::from(values.to_vec())) };
    let whole = RecordBatch::try_from_iter([
        ("body", texts(&["a", "b"])),
        ("geometry", texts(&["g.obj", "g.obj"])),
        ("static", Arc::new(BooleanArray::from(vec![true, true])) as ArrayRef),
        ("x", numbers(&[1.0, 2.0])),
        ("y", numbers(&[1.0, 2.0])),
        ("z", numbers(&[1.0, 2.0])),
    ])?;
    let shapes = RecordBatch::try_from_iter([
        ("body", Arc::new(["a", "b"].into_iter().collect::<DictionaryArray<Int32Type>>()) as ArrayRef),
        ("shape", texts(&["{ sphere = 1 }", "{ box = [1, 2, 3] }"])),
        ("static", Arc::new(Int64Array::from(vec![0, 0]))),
    ])?;
    Ok(vec![
        ("whole.parquet", parquet_of(&whole, Compression::UNCOMPRESSED, false, 1 << 20)?),
        ("shapes.parquet", parquet_of(&shapes, Compression::UNCOMPRESSED, true, 1)?),
        ("packed.parquet", parquet_of(&whole, Compression::ZSTD(ZstdLevel::default()), true, 1 << 20)?),
    ])
}

/// A few samples of three bodies; `small` without runs and times, of single precision, names as a
/// dictionary.
fn rows(small: bool) -> Result<RecordBatch, Box<dyn Error>> {
    let names = ["a", "b", "box-3"];
    let keys: Vec<(i64, i64, usize)> =
        (0..2).flat_map(|run| (0..3).flat_map(move |frame| (0..3).map(move |body| (run, frame, body)))).collect();
    let keys: Vec<_> =
        keys.into_iter().filter(|&(run, frame, body)| (!small || run == 0) && frame + body as i64 != 3).collect();
    let mut columns: Vec<(&str, ArrayRef)> = Vec::new();
    if !small {
        columns.push(("run", Arc::new(Int64Array::from_iter_values(keys.iter().map(|key| key.0)))));
    }
    columns.push(("frame", Arc::new(Int64Array::from_iter_values(keys.iter().map(|key| key.1)))));
    let bodies = keys.iter().map(|key| names[key.2]);
    if small {
        columns.push(("body_id", Arc::new(bodies.collect::<DictionaryArray<Int32Type>>())));
    } else {
        columns.push(("time_s", Arc::new(Float64Array::from_iter_values(keys.iter().map(|key| key.1 as f64 * 0.5)))));
        columns.push(("body", Arc::new(StringArray::from_iter_values(bodies))));
    }
    for (axis, name) in ["x", "y", "z", "qw", "qx", "qy", "qz"].into_iter().enumerate() {
        let value = move |key: &(i64, i64, usize)| match axis {
            0..3 => (key.1 + key.0) as f64 * 0.25 + axis as f64,
            axis => f64::from(u8::from(axis == 3)),
        };
        columns.push((
            name,
            match small {
                true => Arc::new(Float32Array::from_iter_values(keys.iter().map(|key| value(key) as f32))),
                false => Arc::new(Float64Array::from_iter_values(keys.iter().map(value))),
            },
        ));
    }
    Ok(RecordBatch::try_from_iter(columns)?)
}

fn trajectories() -> Result<Vec<(String, Vec<u8>)>, Box<dyn Error>> {
    let mut files = Vec::new();
    for small in [false, true] {
        let batch = rows(small)?;
        for (number, compression) in
            [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::LZ4_RAW].into_iter().enumerate()
        {
            for statistics in [false, true] {
                let bytes = parquet_of(&batch, compression, statistics, if number == 0 { 5 } else { 1 << 20 })?;
                files.push((format!("{number}-{small}-{statistics}.parquet"), bytes));
            }
        }
        for (name, compression) in
            [("plain", None), ("lz4", Some(CompressionType::LZ4_FRAME)), ("zstd", Some(CompressionType::ZSTD))]
        {
            let options = || IpcWriteOptions::default().try_with_compression(compression);
            let (mut file, mut stream) = (Vec::new(), Vec::new());
            let mut writer = FileWriter::try_new_with_options(&mut file, &batch.schema(), options()?)?;
            writer.write(&batch.slice(0, 4))?;
            writer.write(&batch.slice(4, batch.num_rows() - 4))?;
            writer.finish()?;
            drop(writer);
            let mut writer = StreamWriter::try_new_with_options(&mut stream, &batch.schema(), options()?)?;
            writer.write(&batch)?;
            writer.finish()?;
            drop(writer);
            files.push((format!("{name}-{small}.arrow"), file));
            files.push((format!("{name}-{small}.arrows"), stream));
        }
    }
    Ok(files)
}
