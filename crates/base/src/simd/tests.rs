//! All levels against plain arrays, bit by bit.

use super::*;

/// Every operation once, and what came of it.
#[inline(always)]
fn all<S: Simd>(a: &Lane, b: &Lane) -> Vec<u64> {
    let (x, y) = (V::<S>::load(a), V::<S>::load(b));
    let masks = [x.lt(y), x.le(y), x.gt(y), x.ge(y), x.equals(y), x.lt(y) & x.le(y), x.lt(y) | x.equals(y), !x.lt(y)];
    let at = x.lt(y).pick(V::splat(2.0), V::splat(11.0));
    let mut numbers = vec![x + y, x - y, x * y, x / y, x.sqrt(), x.larger(y), x.smaller(y), x.scaled(3.0), -x];
    let (four, others) = ([a[3], a[2], a[1], a[0]], [b[3], b[2], b[1], b[0]]);
    numbers.extend([V::twice(&four), V::join(&four, &others), V::quad(four), x.low(), x.high()]);
    let rows: [[f64; 4]; WIDTH] = std::array::from_fn(|k| [a[k], b[k], a[k] - b[k], a[k] + 2.0 * b[7 - k]]);
    numbers.extend(V::columns(rows.each_ref()));
    let mut back = [[0.0; 4]; WIDTH];
    V::rows([x, y, x - y, x * y], &mut back);
    let table: [f64; TABLE] = std::array::from_fn(|i| a[i % WIDTH] + b[i / 4]);
    let index: [u8; WIDTH] = std::array::from_fn(|i| (i * 13 + 5) as u8 % TABLE as u8);
    numbers.extend([V::look_up(&table, &index), x.abs()]);
    numbers.extend(x.spread_lanes());
    numbers.push(V::splat(y.first()));
    numbers.extend([V::gather(&[0.5, 1.5, 2.5, 3.5], at), masks[1].pick(x, y), Mask::from_bits(0x5a).pick(x, y)]);
    let mut out: Vec<u64> = numbers.into_iter().flat_map(|n| n.lanes().map(f64::to_bits)).collect();
    out.extend(back.as_flattened().iter().map(|n| n.to_bits()));
    out.extend(masks.map(|m| u64::from(m.bits())));
    out.extend([x.max_lane().to_bits(), x.min_lane().to_bits()]);
    out
}

dispatch!(at by_level, all, (a: &Lane, b: &Lane) -> Vec<u64>);

#[test]
fn all_levels_agree_in_every_bit() {
    let mut state = 17_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 0.25
    };
    for case in 0..500 {
        let a: Lane = std::array::from_fn(|_| next());
        let b: Lane = std::array::from_fn(|k| if k == case % 11 { a[k] } else { next() });
        let plain = all::<Portable>(&a, &b);
        for level in Level::available() {
            assert_eq!(by_level(level, &a, &b), plain, "{level:?}");
        }
    }
}
