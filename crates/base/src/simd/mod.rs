//! Eight numbers side by side, in the widest registers the processor has: chosen once at run time,
//! the same bits on each.
//!
//! A search or a check in eight lanes is written once, generic over [`Simd`], and compiled for each
//! level; `dispatch!` enters the copy for this processor. Every operation is one IEEE operation in
//! each lane, nothing is contracted, and no sum runs across lanes, so that all levels agree in
//! every bit.

mod level;
mod portable;
mod registers;
mod vector;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(test)]
mod tests;

pub use level::{Level, Registers, dispatch, features, level, limit};
pub use portable::Portable;
pub use registers::{Lane, Simd, TABLE, WIDTH};
pub use vector::{Mask, V};
#[cfg(target_arch = "x86_64")]
pub use x86::{Avx2, Avx512};
