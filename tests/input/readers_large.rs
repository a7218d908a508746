//! Files that are unusual only in how much there is of something: reading takes time in proportion
//! to their size.
//!
//! No time is measured: with work that grows as the square of the size, these tests would run for
//! hours.

use arrow_array::RecordBatch;
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{IpcWriteOptions, StreamWriter};
use clearsweep_base::error::{Error, ErrorKind};
use clearsweep_scene::readers::read_mesh;
use clearsweep_testing::trajectories::{Row, Shaping, batch, scene};
use clearsweep_trajectory::{ReadOptions, Trajectory};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::Path;

#[test]
fn an_obj_line_goes_on_over_millions_of_others() {
    let mut text = String::from("v 1 2 \\\n");
    (0..3_000_000).for_each(|_| text.push_str("\\\n"));
    text += "3\nv 4 5 6\n";
    let mesh = read_mesh(Path::new("long.obj"), text.into_bytes()).expect("a mesh");
    assert_eq!(mesh.vertices, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
}

#[test]
fn a_gltf_file_has_a_buffer_for_each_of_its_meshes() {
    const COUNT: usize = 60_000;
    let (mut buffers, mut views, mut accessors) = (String::new(), String::new(), String::new());
    let (mut meshes, mut nodes) = (String::new(), String::new());
    for index in 0..COUNT {
        let comma = if index > 0 { "," } else { "" };
        // Three corners, the first of which has an x of its own: an integer of single precision, in
        // base 64.
        let mut bytes = (index as f32).to_le_bytes().to_vec();
        bytes.resize(36, 0);
        let uri: String = bytes.chunks(3).map(base64_of).collect();
        let _ =
            write!(buffers, "{comma}{{\"byteLength\": 36, \"uri\": \"data:application/octet-stream;base64,{uri}\"}}");
        let _ = write!(views, "{comma}{{\"buffer\": {index}, \"byteLength\": 36}}");
        let _ = write!(
            accessors,
            "{comma}{{\"bufferView\": {index}, \"componentType\": 5126, \"count\": 3, \"type\": \"VEC3\"}}"
        );
        let _ = write!(meshes, "{comma}{{\"primitives\": [{{\"attributes\": {{\"POSITION\": {index}}}}}]}}");
        let _ = write!(nodes, "{comma}{{\"mesh\": {index}}}");
    }
    let text = format!(
        "{{\"asset\": {{\"version\": \"2.0\"}}, \"nodes\": [{nodes}], \"meshes\": [{meshes}], \
         \"accessors\": [{accessors}], \"bufferViews\": [{views}], \"buffers\": [{buffers}]}}"
    );
    let mesh = read_mesh(Path::new("many.gltf"), text.into_bytes()).expect("a mesh");
    assert_eq!((mesh.pieces, mesh.triangles.len()), (COUNT, COUNT));
    assert!((0..COUNT).all(|index| mesh.vertices[3 * index] == [index as f64, 0.0, 0.0]));
}

/// Three bytes in base 64 (RFC 4648).
fn base64_of(three: &[u8]) -> String {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let word = three.iter().fold(0_u32, |word, &byte| word << 8 | u32::from(byte));
    (0..4).map(|k| char::from(letters[(word >> (18 - 6 * k) & 63) as usize])).collect()
}

/// The codecs of Parquet that are read.
fn codecs() -> Vec<Compression> {
    let zstd = |level: i32| Compression::ZSTD(ZstdLevel::try_new(level).expect("a level"));
    let gzip = Compression::GZIP(GzipLevel::try_new(9).expect("a level"));
    vec![Compression::SNAPPY, gzip, Compression::LZ4, Compression::LZ4_RAW, zstd(1), zstd(19)]
}

const FRAMES: i64 = 200_000;

/// A body that rests for many frames: whole columns of zeros.
fn rest() -> RecordBatch {
    let pose = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let rows: Vec<Row> = (0..FRAMES).map(|frame| Row { run: 0, frame, time: 0.0, body: "a".into(), pose }).collect();
    batch(&rows, &Shaping::default())
}

/// Writes them as Parquet, each column in one page.
fn write_rest(path: &Path, compression: Compression) {
    let batch = rest();
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_dictionary_enabled(false)
        .set_data_page_size_limit(1 << 30)
        .set_data_page_row_count_limit(usize::MAX)
        .set_write_batch_size(FRAMES as usize)
        .build();
    let mut writer =
        ArrowWriter::try_new(File::create(path).expect("a file"), batch.schema(), Some(properties)).expect("a writer");
    writer.write(&batch).expect("written");
    writer.close().expect("closed");
}

fn samples(path: &Path) -> Result<usize, Error> {
    let options = ReadOptions { path: Some(path.to_path_buf()), ..ReadOptions::default() };
    Trajectory::open(&scene(&["a"]), &options)?.blocks().map(|block| Ok(block?.samples.len())).sum()
}

#[test]
fn pages_that_compress_as_far_as_they_can_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rest.parquet");
    for codec in codecs() {
        write_rest(&path, codec);
        assert!(fs::metadata(&path).expect("a file").len() < 2_000_000, "{codec:?} does not compress");
        assert_eq!(samples(&path).unwrap_or_else(|error| panic!("{codec:?}: {error}")), FRAMES as usize, "{codec:?}");
    }
}

#[test]
fn pages_that_claim_more_than_they_can_hold_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rest.parquet");
    for codec in codecs() {
        write_rest(&path, codec);
        let reader = SerializedFileReader::new(File::open(&path).expect("a file")).expect("a reader");
        let chunk = reader.metadata().row_group(0).columns().iter().find(|chunk| chunk.column_path().string() == "x");
        let at = chunk.expect("the column").data_page_offset() as usize;
        let mut bytes = fs::read(&path).expect("bytes");
        // A page's header begins with its type and its size: twice the number, in groups of seven
        // bits. Four of them for the 1.6 million here.
        let size = at + 3;
        assert!(bytes[at] == 0x15 && bytes[at + 2] == 0x15 && bytes[size + 3] < 0x80, "{:?}", &bytes[at..at + 8]);
        bytes[size..size + 4].copy_from_slice(&[0xfe, 0xff, 0xff, 0x7e]);
        fs::write(&path, bytes).expect("written");
        let error = samples(&path).expect_err("133 million bytes in a page of a few hundred");
        assert!(error.kind == ErrorKind::Input && error.place.contains("rest.parquet"), "{error}");
        assert!(error.problem.contains("that claims to hold 133169151"), "{codec:?}: {error}");
    }
}

#[test]
fn buffers_of_arrow_that_claim_more_than_they_can_hold_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rest.arrows");
    let batch = rest();
    for codec in [CompressionType::LZ4_FRAME, CompressionType::ZSTD] {
        let options = IpcWriteOptions::default().try_with_compression(Some(codec)).expect("an option");
        let mut writer = StreamWriter::try_new_with_options(Vec::new(), &batch.schema(), options).expect("a writer");
        writer.write(&batch).expect("written");
        let mut bytes = writer.into_inner().expect("the bytes");
        fs::write(&path, &bytes).expect("written");
        assert_eq!(samples(&path).unwrap_or_else(|error| panic!("{codec:?}: {error}")), FRAMES as usize, "{codec:?}");
        // Before each compressed buffer stands what it holds: the first of this size is the column
        // of runs.
        let held = (FRAMES * 8).to_le_bytes();
        let at = bytes.windows(8).position(|window| window == held).expect("a buffer");
        bytes[at..at + 8].copy_from_slice(&(3_i64 << 30).to_le_bytes());
        fs::write(&path, &bytes).expect("written");
        let error = samples(&path).expect_err("three gigabytes in a buffer of a few kilobytes");
        assert!(error.kind == ErrorKind::Input && error.problem.contains("claims to hold 3221225472"), "{error}");
    }
}
