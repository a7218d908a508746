//! The operations of a level on eight lanes.

/// Numbers side by side.
pub const WIDTH: usize = 8;

/// One number in each lane, in memory.
pub type Lane = [f64; WIDTH];

/// Entries of a table that fits registers.
pub const TABLE: usize = 32;

/// The operations of a level on eight lanes.
///
/// The types behind the levels are to be used only in code that [`dispatch!`](crate::dispatch) has
/// entered: the processor must have their instructions.
pub trait Simd: Copy + 'static {
    /// Eight numbers.
    type F: Copy;
    /// Eight truth values.
    type M: Copy;
    /// The same number in each lane.
    fn splat(x: f64) -> Self::F;
    /// From memory.
    fn load(from: &Lane) -> Self::F;
    /// To memory.
    fn store(a: Self::F, to: &mut Lane);
    /// `a + b`.
    fn add(a: Self::F, b: Self::F) -> Self::F;
    /// `a - b`.
    fn sub(a: Self::F, b: Self::F) -> Self::F;
    /// `a * b`.
    fn mul(a: Self::F, b: Self::F) -> Self::F;
    /// `a / b`.
    fn div(a: Self::F, b: Self::F) -> Self::F;
    /// The same number with the other sign.
    fn neg(a: Self::F) -> Self::F;
    /// Square root.
    fn sqrt(a: Self::F) -> Self::F;
    /// `from[at]` in each lane, `at` as whole numbers; one out of range reads some other entry.
    fn gather(from: &[f64], at: Self::F) -> Self::F;
    /// `table[at[i]]` in lane `i`, `at` below [`TABLE`] (else some other entry).
    fn look_up(table: &[f64; TABLE], at: &[u8; WIDTH]) -> Self::F;
    /// The larger (`b` if they are equal or one is NaN).
    fn max(a: Self::F, b: Self::F) -> Self::F;
    /// The smaller (`b` if they are equal or one is NaN).
    fn min(a: Self::F, b: Self::F) -> Self::F;
    /// The same four numbers in lanes 0 to 3 and in lanes 4 to 7.
    fn twice(from: &[f64; 4]) -> Self::F;
    /// Four numbers in lanes 0 to 3, four others in lanes 4 to 7.
    fn join(low: &[f64; 4], high: &[f64; 4]) -> Self::F;
    /// The columns of eight rows of four: column `c` has `rows[k][c]` in lane `k`.
    fn columns(rows: [&[f64; 4]; WIDTH]) -> [Self::F; 4];
    /// The other way round: row `k` is lane `k` of each column.
    fn rows(columns: [Self::F; 4], to: &mut [[f64; 4]; WIDTH]);
    /// Four numbers in lanes 0 to 3 and in lanes 4 to 7, from registers.
    fn quad(x: f64, y: f64, z: f64, w: f64) -> Self::F;
    /// Copies lane `I` of each half to all four lanes of that half.
    fn spread<const I: usize>(a: Self::F) -> Self::F;
    /// SampleColumn 0 to 3 in both halves.
    fn low(a: Self::F) -> Self::F;
    /// SampleColumn 4 to 7 in both halves.
    fn high(a: Self::F) -> Self::F;
    /// Lane 0.
    fn first(a: Self::F) -> f64;
    /// `a < b`.
    fn lt(a: Self::F, b: Self::F) -> Self::M;
    /// `a <= b`.
    fn le(a: Self::F, b: Self::F) -> Self::M;
    /// `a == b`.
    fn eq(a: Self::F, b: Self::F) -> Self::M;
    /// `a` where the mask is true, else `b`.
    fn pick(m: Self::M, a: Self::F, b: Self::F) -> Self::F;
    /// Both.
    fn and(a: Self::M, b: Self::M) -> Self::M;
    /// Either.
    fn or(a: Self::M, b: Self::M) -> Self::M;
    /// Bit `i` for lane `i`.
    fn bits(m: Self::M) -> u8;
    /// The mask of such bits.
    fn mask(bits: u8) -> Self::M;
    /// The largest of the lanes (none may be NaN).
    fn max_lane(a: Self::F) -> f64;
    /// The smallest of the lanes (none may be NaN).
    fn min_lane(a: Self::F) -> f64;
}
