//! Tests that uploads arrive, in memory that is counted and used again.

use super::super::super::kernel::DeviceFailure;
use super::super::machine::GpuBuffer;
use super::*;

/// Words of an upload that several threads copy.
const WORDS: u32 = 700_002;

/// Fetches the first `words` words of a buffer.
fn fetched(gpu: &mut GpuMachine, buffer: &GpuBuffer, words: u32) -> Result<Vec<u32>, DeviceFailure> {
    let fetch = gpu.fetch(&[Region { buffer, from: 0, bytes: 4 * u64::from(words) }]);
    gpu.receive(fetch)
}

#[test]
fn large_uploads_arrive_whole() {
    let Some(mut gpu) = machine() else { return };
    let given = Random(31).words(WORDS, 1 << 32);
    let bytes: &[u8] = bytemuck::cast_slice(&given);
    let whole = gpu.buffer(bytes.len() as u64).expect("memory");
    gpu.write(&whole, 0, bytes);
    let in_pieces = gpu.buffer(bytes.len() as u64).expect("memory");
    gpu.write_with(&in_pieces, bytes.len() as u64, &mut |append| {
        append(&bytes[..24]);
        append(&bytes[24..2_000_000]);
        append(&bytes[2_000_000..]);
    });
    for buffer in [whole, in_pieces] {
        assert!(fetched(&mut gpu, &buffer, WORDS).expect("fetched") == given);
    }
}

#[test]
fn uploads_are_counted_and_their_memory_is_used_again() {
    let Some(mut gpu) = machine() else { return };
    let size = 4 * u64::from(WORDS);
    let buffer = gpu.buffer(size).expect("memory");
    let before = gpu.memory().taken();
    let mut round = |value: u32| {
        let given = vec![value; WORDS as usize];
        gpu.write(&buffer, 0, bytemuck::cast_slice(&given));
        gpu.write(&buffer, 0, &[7; 8]);
        let found = fetched(&mut gpu, &buffer, 3).expect("fetched");
        assert_eq!(found, [0x0707_0707, 0x0707_0707, value], "in the order in which they were written");
        gpu.memory().taken() - before
    };
    let first = round(1);
    assert!(first >= size, "{first} bytes for {size}");
    for value in 2..9 {
        assert_eq!(round(value), first);
    }
    // The memory that is taken, and half of a buffer more.
    let more = gpu.buffer(2 * size).expect("memory");
    gpu.memory().limit(gpu.memory().taken() + size / 2);
    gpu.write(&more, 0, &vec![3; 2 * size as usize]);
    let failure = fetched(&mut gpu, &more, 1).expect_err("no memory to upload from");
    assert!(matches!(failure, DeviceFailure::OutOfMemory(_)), "{failure}");
    gpu.recover();
    gpu.write(&more, 0, &[9; 8]);
    assert_eq!(fetched(&mut gpu, &more, 1).expect("fetched"), [0x0909_0909]);
}
