//! Tests of a device that is out of memory, that refuses a command, or that does not answer.

use super::super::super::kernel::DeviceFailure;
use super::super::machine::GpuBuffer;
use super::*;
use std::time::Duration;

/// Returns the failure of a fetch beyond the end of a buffer of 1,024 bytes, which the driver
/// refuses.
fn fetch_too_much(gpu: &mut GpuMachine, buffer: &GpuBuffer) -> DeviceFailure {
    let fetch = gpu.fetch(&[Region { buffer, from: 0, bytes: 4096 }]);
    gpu.receive(fetch).expect_err("it is refused")
}

/// Whether a device still writes and fetches.
fn works(gpu: &mut GpuMachine) -> bool {
    let Ok(buffer) = gpu.buffer(1024) else { return false };
    gpu.write(&buffer, 512, &[7; 16]);
    let fetch = gpu.fetch(&[Region { buffer: &buffer, from: 512, bytes: 16 }]);
    gpu.receive(fetch).is_ok_and(|words| words == [0x0707_0707; 4])
}

#[test]
fn a_device_out_of_memory_is_not_lost_by_what_follows() {
    let Some(mut gpu) = machine() else { return };
    let out_of_memory = DeviceFailure::OutOfMemory("as a driver reports".to_owned());
    let buffer = gpu.buffer(1024).expect("memory");
    gpu.failure.report(out_of_memory.clone());
    // Commands on a buffer that could not be had are refused.
    let failure = fetch_too_much(&mut gpu, &buffer);
    assert_eq!(failure, out_of_memory);
    gpu.recover();
    assert!(works(&mut gpu), "half as much is had");
}

#[test]
fn a_refused_command_is_no_lost_device() {
    let Some(mut gpu) = machine() else { return };
    let buffer = gpu.buffer(1024).expect("memory");
    let failure = fetch_too_much(&mut gpu, &buffer);
    assert!(matches!(failure, DeviceFailure::Refused(_)), "{failure}");
    gpu.recover();
    assert!(!works(&mut gpu), "what it refused is not forgotten");
}

#[test]
fn a_device_that_does_not_answer_is_lost() {
    let Some(mut gpu) = machine() else { return };
    assert!(works(&mut gpu));
    gpu.simulate(&DeviceFaults { patience: Some(Duration::ZERO), ..DeviceFaults::default() });
    let r = &mut Random(23);
    let params = BruteParams::new(10_000, 1, 0, 0);
    let given = [words(&r.boxes(10_000)), vec![0; 10_000], vec![0; 2]];
    let buffers = given.each_ref().map(|words| gpu.buffer(4 * words.len() as u64).expect("memory"));
    gpu.write(&buffers[0], 0, bytemuck::cast_slice(&given[0]));
    let bound = buffers.each_ref();
    (0..20).for_each(|_| gpu.run(Kernel::CountBrute, &params, &bound, params.groups()));
    let fetch = gpu.fetch(&[Region { buffer: &buffers[1], from: 0, bytes: 4 }]);
    let failure = gpu.receive(fetch).expect_err("a thousand million tests take a while");
    assert!(matches!(&failure, DeviceFailure::Lost(why) if why.contains("answer")), "{failure}");
    gpu.recover();
    assert!(!works(&mut gpu), "it stays lost");
}
