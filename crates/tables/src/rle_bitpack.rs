//! Parquet's encoding of dictionary indices and definition levels (Parquet format, Encodings.md,
//! "Run Length Encoding / Bit-Packing Hybrid").

/// Values of a bit-packed group. A bit-packed run consists of whole groups.
const GROUP: usize = 8;
/// Least number of bits in the values of an RLE run. Shorter repetitions are bit-packed: an RLE run
/// between two bit-packed runs costs two additional headers.
const LEAST_RUN_BITS: usize = 64;

/// The number of bits that hold every value up to `largest`.
pub(super) fn bit_width(largest: u32) -> u32 {
    u32::BITS - largest.leading_zeros()
}

/// Appends the encoding of `values`, each of at most `width` bits (0 to 32).
pub(super) fn encode(values: &[u32], width: u32, out: &mut Vec<u8>) {
    debug_assert!(values.iter().all(|&value| bit_width(value) <= width));
    let least_run = LEAST_RUN_BITS.div_ceil(width.max(1) as usize).max(GROUP);
    let (mut packed, mut at) = (0, 0);
    while at < values.len() {
        let count = run_length(&values[at..], least_run);
        if count >= least_run || width == 0 {
            bit_packed_run(&values[packed..at], width, out);
            rle_run(values[at], count, width, out);
            at += count;
            packed = at;
        } else {
            at = (at + GROUP).min(values.len());
        }
    }
    bit_packed_run(&values[packed..], width, out);
}

/// Appends an RLE run: `value`, `count` times.
pub(super) fn rle_run(value: u32, count: usize, width: u32, out: &mut Vec<u8>) {
    varint((count as u64) << 1, out);
    out.extend_from_slice(&value.to_le_bytes()[..width.div_ceil(8) as usize]);
}

/// The number of equal values at the front of `values`. A run shorter than `least` may be reported
/// with any length below `least`. With fewer than `least` values the result is their number.
fn run_length(values: &[u32], least: usize) -> usize {
    if values.len() < least {
        return values.len();
    }
    let first = values[0];
    if values[least - 1] != first || values[1] != first {
        return 0;
    }
    values.iter().take_while(|&&value| value == first).count()
}

/// Appends a bit-packed run. Zeros fill its last group.
fn bit_packed_run(values: &[u32], width: u32, out: &mut Vec<u8>) {
    if values.is_empty() {
        return;
    }
    let groups = values.len().div_ceil(GROUP);
    varint((groups as u64) << 1 | 1, out);
    out.reserve(groups * width as usize);
    let (whole, rest) = values.as_chunks::<GROUP>();
    if width == 8 {
        out.extend(whole.as_flattened().iter().map(|&value| value as u8));
    } else {
        whole.iter().for_each(|group| pack_group(group, width, out));
    }
    if !rest.is_empty() {
        let mut last = [0; GROUP];
        last[..rest.len()].copy_from_slice(rest);
        pack_group(&last, width, out);
    }
}

/// Appends a bit-packed group: 8 values of `width` bits take `width` bytes, least significant bit
/// first.
fn pack_group(group: &[u32; GROUP], width: u32, out: &mut Vec<u8>) {
    if width <= 8 {
        let word = (0..).zip(group).fold(0, |word, (i, &value)| word | u64::from(value) << (i * width));
        out.extend_from_slice(&word.to_le_bytes()[..width as usize]);
        return;
    }
    let (mut word, mut bits) = (0_u64, 0);
    for &value in group {
        word |= u64::from(value) << bits;
        bits += width;
        while bits >= 8 {
            out.push(word as u8);
            word >>= 8;
            bits -= 8;
        }
    }
}

/// Appends an unsigned LEB128 integer.
fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decodes the format by its specification.
    fn decode(mut bytes: &[u8], width: u32, count: usize) -> Vec<u32> {
        let mut values = Vec::new();
        while values.len() < count {
            let (mut header, mut shift) = (0_u64, 0);
            loop {
                let byte = bytes[0];
                bytes = &bytes[1..];
                header |= u64::from(byte & 0x7f) << shift;
                shift += 7;
                if byte < 0x80 {
                    break;
                }
            }
            if header & 1 == 0 {
                let size = width.div_ceil(8) as usize;
                let value = bytes[..size].iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte));
                values.extend(std::iter::repeat_n(value, (header >> 1) as usize));
                bytes = &bytes[size..];
            } else {
                let size = (header >> 1) as usize * width as usize;
                let bit = |at: usize| u32::from(bytes[at / 8] >> (at % 8) & 1);
                for value in 0..(header >> 1) as usize * GROUP {
                    let start = value * width as usize;
                    values.push((0..width as usize).fold(0, |v, i| v | bit(start + i) << i));
                }
                bytes = &bytes[size..];
            }
        }
        assert!(bytes.is_empty(), "nothing follows");
        assert!(values.len() < count + GROUP && values[count..].iter().all(|&value| value == 0));
        values.truncate(count);
        values
    }

    #[test]
    fn values_of_every_width_round_trip() {
        let mut state = 5_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32
        };
        let (mut runs, mut short) = (0, 0);
        for bits in 0..=32_u32 {
            for count in [1, 7, 8, 9, 63, 64, 1000] {
                let mut values = Vec::new();
                while values.len() < count {
                    let value = if bits == 0 { 0 } else { (random() << 1 ^ random()) >> (32 - bits) };
                    let times = [1, 1, 1, 5, 8, 40, 200][random() as usize % 7];
                    values.extend(std::iter::repeat_n(value, times.min(count - values.len())));
                }
                let mut bytes = Vec::new();
                encode(&values, bits, &mut bytes);
                assert_eq!(decode(&bytes, bits, count), values, "{bits} bits, {count} values");
                let packed = count.div_ceil(GROUP) * bits as usize;
                short += usize::from(bytes.len() <= packed);
                runs += usize::from(bytes.len() < packed / 2);
                assert!(bytes.len() <= packed + 8, "{bits} bits, {count} values: {} bytes", bytes.len());
            }
        }
        assert!(runs > 30 && short > 60, "runs are to matter: {runs}, {short}");
    }

    #[test]
    fn widths_are_those_of_the_largest_value() {
        assert_eq!([0, 1, 2, 3, 255, 256, u32::MAX].map(bit_width), [0, 1, 2, 2, 8, 9, 32]);
    }
}
