//! Eight lanes in plain arrays: for processors without a level of their own, where the compiler
//! makes of them what it can.

use super::registers::{Lane, Simd, TABLE, WIDTH};

/// Plain arrays.
#[derive(Debug, Clone, Copy)]
pub struct Portable;

#[inline(always)]
fn each<T: Copy>(a: Lane, b: Lane, f: impl Fn(f64, f64) -> T) -> [T; WIDTH] {
    std::array::from_fn(|i| f(a[i], b[i]))
}

impl Simd for Portable {
    type F = Lane;
    type M = [bool; WIDTH];
    #[inline(always)]
    fn splat(x: f64) -> Lane {
        [x; WIDTH]
    }
    #[inline(always)]
    fn load(from: &Lane) -> Lane {
        *from
    }
    #[inline(always)]
    fn store(a: Lane, to: &mut Lane) {
        *to = a;
    }
    #[inline(always)]
    fn gather(from: &[f64], at: Lane) -> Lane {
        at.map(|at| from[(at as usize).min(from.len() - 1)])
    }
    #[inline(always)]
    fn look_up(table: &[f64; TABLE], at: &[u8; WIDTH]) -> Lane {
        at.map(|at| table[usize::from(at) % TABLE])
    }
    #[inline(always)]
    fn add(a: Lane, b: Lane) -> Lane {
        each(a, b, |x, y| x + y)
    }
    #[inline(always)]
    fn sub(a: Lane, b: Lane) -> Lane {
        each(a, b, |x, y| x - y)
    }
    #[inline(always)]
    fn mul(a: Lane, b: Lane) -> Lane {
        each(a, b, |x, y| x * y)
    }
    #[inline(always)]
    fn div(a: Lane, b: Lane) -> Lane {
        each(a, b, |x, y| x / y)
    }
    #[inline(always)]
    fn neg(a: Lane) -> Lane {
        a.map(|x| -x)
    }
    #[inline(always)]
    fn max(a: Lane, b: Lane) -> Lane {
        each(a, b, |x, y| if x > y { x } else { y })
    }
    #[inline(always)]
    fn min(a: Lane, b: Lane) -> Lane {
        each(a, b, |x, y| if x < y { x } else { y })
    }
    #[inline(always)]
    fn twice(from: &[f64; 4]) -> Lane {
        std::array::from_fn(|i| from[i % 4])
    }
    #[inline(always)]
    fn join(low: &[f64; 4], high: &[f64; 4]) -> Lane {
        std::array::from_fn(|i| if i < 4 { low[i] } else { high[i - 4] })
    }
    #[inline(always)]
    fn columns(rows: [&[f64; 4]; WIDTH]) -> [Lane; 4] {
        std::array::from_fn(|c| rows.map(|row| row[c]))
    }
    #[inline(always)]
    fn rows(columns: [Lane; 4], to: &mut [[f64; 4]; WIDTH]) {
        *to = std::array::from_fn(|k| columns.map(|column| column[k]));
    }
    #[inline(always)]
    fn quad(x: f64, y: f64, z: f64, w: f64) -> Lane {
        [x, y, z, w, x, y, z, w]
    }
    #[inline(always)]
    fn spread<const I: usize>(a: Lane) -> Lane {
        std::array::from_fn(|i| a[i / 4 * 4 + I])
    }
    #[inline(always)]
    fn low(a: Lane) -> Lane {
        std::array::from_fn(|i| a[i % 4])
    }
    #[inline(always)]
    fn high(a: Lane) -> Lane {
        std::array::from_fn(|i| a[4 + i % 4])
    }
    #[inline(always)]
    fn first(a: Lane) -> f64 {
        a[0]
    }
    #[inline(always)]
    fn sqrt(a: Lane) -> Lane {
        a.map(f64::sqrt)
    }
    #[inline(always)]
    fn lt(a: Lane, b: Lane) -> [bool; WIDTH] {
        each(a, b, |x, y| x < y)
    }
    #[inline(always)]
    fn le(a: Lane, b: Lane) -> [bool; WIDTH] {
        each(a, b, |x, y| x <= y)
    }
    #[inline(always)]
    fn eq(a: Lane, b: Lane) -> [bool; WIDTH] {
        each(a, b, |x, y| x == y)
    }
    #[inline(always)]
    fn pick(m: [bool; WIDTH], a: Lane, b: Lane) -> Lane {
        std::array::from_fn(|i| if m[i] { a[i] } else { b[i] })
    }
    #[inline(always)]
    fn and(a: [bool; WIDTH], b: [bool; WIDTH]) -> [bool; WIDTH] {
        std::array::from_fn(|i| a[i] & b[i])
    }
    #[inline(always)]
    fn or(a: [bool; WIDTH], b: [bool; WIDTH]) -> [bool; WIDTH] {
        std::array::from_fn(|i| a[i] | b[i])
    }
    #[inline(always)]
    fn bits(m: [bool; WIDTH]) -> u8 {
        (0..WIDTH).fold(0, |bits, i| bits | u8::from(m[i]) << i)
    }
    #[inline(always)]
    fn mask(bits: u8) -> [bool; WIDTH] {
        std::array::from_fn(|i| bits >> i & 1 == 1)
    }
    #[inline(always)]
    fn max_lane(a: Lane) -> f64 {
        let larger = |x: f64, y: f64| if y > x { y } else { x };
        let [a, b, c, d, e, f, g, h] = a;
        larger(larger(larger(a, e), larger(b, f)), larger(larger(c, g), larger(d, h)))
    }
    #[inline(always)]
    fn min_lane(a: Lane) -> f64 {
        let smaller = |x: f64, y: f64| if y < x { y } else { x };
        let [a, b, c, d, e, f, g, h] = a;
        smaller(smaller(smaller(a, e), smaller(b, f)), smaller(smaller(c, g), smaller(d, h)))
    }
}
