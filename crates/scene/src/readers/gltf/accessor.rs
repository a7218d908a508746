//! Accessors: typed arrays in a buffer, packed or strided, whole or sparse, checked before anything
//! is read.

use super::buffers::Buffers;
use super::limits::{MAX_INSTANCED, fault};
use super::schema::{GltfAccessor, SparseElements};
use crate::readers::mesh::Fault;
use clearsweep_model::single_step;
use std::collections::HashMap;

/// The type in which a number of an accessor is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    /// By its number in the file.
    fn of(code: u64) -> Option<Self> {
        let known = [(5120, Self::I8), (5121, Self::U8), (5122, Self::I16), (5123, Self::U16), (5125, Self::U32)];
        known.into_iter().chain([(5126, Self::F32)]).find(|(number, _)| *number == code).map(|(_, kind)| kind)
    }

    /// Bytes.
    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// The largest integer.
    fn most(self) -> f64 {
        match self {
            Self::I8 => 127.0,
            Self::U8 => 255.0,
            Self::I16 => 32767.0,
            Self::U16 => 65535.0,
            Self::U32 => f64::from(u32::MAX),
            Self::F32 => f64::INFINITY,
        }
    }
}

/// Elements of a fixed size, one every `stride` bytes; all of them lie in `bytes`.
struct Elements<'b> {
    bytes: &'b [u8],
    stride: usize,
    size: usize,
}

impl<'b> Elements<'b> {
    /// Finds `count` elements of `size` bytes behind `offset` of a buffer view.
    fn of(buffers: &'b Buffers<'_>, view: usize, offset: u64, count: usize, size: usize) -> Result<Self, Fault> {
        let views = &buffers.root.buffer_views;
        let Some(about) = views.get(view) else {
            return Err(fault(format!("buffer view {view} is named, but there are {}", views.len())));
        };
        let stride = about.byte_stride.filter(|&stride| stride > 0).unwrap_or(size);
        if stride < size {
            return Err(fault(format!("buffer view {view} has a stride of {stride} bytes for elements of {size}")));
        }
        let buffer = buffers.get(about.buffer).map_err(|fault| match about.extensions.compression() {
            Some(extension) => Fault {
                problem: format!("buffer view {view} is compressed by {extension}, which is not supported"),
                remedy: "export it uncompressed".to_owned(),
                ..fault
            },
            None => fault,
        })?;
        let within = |bytes: &'b [u8], start: u64, length: Option<u64>| {
            let bytes = bytes.get(usize::try_from(start).ok()?..)?;
            length.map_or(Some(bytes), |length| bytes.get(..usize::try_from(length).ok()?))
        };
        let bytes = within(buffer, about.byte_offset, Some(about.byte_length));
        let bytes = bytes.ok_or_else(|| fault(format!("buffer view {view} reaches beyond the end of its buffer")))?;
        let needed = count.checked_sub(1).map_or(Some(0), |gaps| gaps.checked_mul(stride)?.checked_add(size));
        let bytes = needed.and_then(|needed| within(bytes, offset, Some(needed as u64)));
        let beyond = || fault(format!("{count} elements of an accessor reach beyond the end of buffer view {view}"));
        Ok(Self { bytes: bytes.ok_or_else(beyond)?, stride, size })
    }

    fn get(&self, index: usize) -> &'b [u8] {
        &self.bytes[index * self.stride..][..self.size]
    }
}

fn accessor<'a>(buffers: &Buffers<'a>, index: usize) -> Result<(&'a GltfAccessor, usize), Fault> {
    let accessors = &buffers.root.accessors;
    let Some(accessor) = accessors.get(index) else {
        return Err(fault(format!("accessor {index} is named, but there are {}", accessors.len())));
    };
    let count = usize::try_from(accessor.count).ok().filter(|&count| count <= MAX_INSTANCED);
    Ok((accessor, count.ok_or_else(|| fault(format!("accessor {index} has {} elements", accessor.count)))?))
}

/// A component as a number; integers in -1 to 1 or 0 to 1 if they are normalised (glTF 2.0, section
/// 3.11).
fn number(bytes: &[u8], kind: Component, normalised: bool) -> f64 {
    let two = || [bytes[0], bytes[1]];
    let four = || [bytes[0], bytes[1], bytes[2], bytes[3]];
    let value = match kind {
        Component::I8 => f64::from(bytes[0].cast_signed()),
        Component::U8 => f64::from(bytes[0]),
        Component::I16 => f64::from(i16::from_le_bytes(two())),
        Component::U16 => f64::from(u16::from_le_bytes(two())),
        Component::U32 => f64::from(u32::from_le_bytes(four())),
        Component::F32 => return f64::from(f32::from_le_bytes(four())),
    };
    if normalised { (value / kind.most()).max(-1.0) } else { value }
}

fn numbers<const N: usize>(bytes: &[u8], kind: Component, normalised: bool) -> [f64; N] {
    std::array::from_fn(|axis| number(&bytes[axis * kind.size()..], kind, normalised))
}

/// The format that an accessor must have to be of use.
pub(super) struct VectorFormat {
    /// Type.
    kind: &'static str,
    /// Statement of the required vector, for a message.
    words: &'static str,
    /// Whether it may be stored so, normalised or not.
    fits: fn(Component, bool) -> bool,
    /// Statement of the storage that does not fit, for a message.
    misfit: &'static str,
}

/// Positions, and what morph targets add to them. Integers: KHR_mesh_quantization.
pub(super) const POSITIONS: VectorFormat = VectorFormat {
    kind: "VEC3",
    words: "positions are vectors of three numbers",
    fits: |kind, _| kind != Component::U32,
    misfit: "positions cannot be 32-bit integers",
};

/// Indices of vertices.
const INDICES: VectorFormat = VectorFormat {
    kind: "SCALAR",
    words: "indices are single integers",
    fits: |kind, normalised| matches!(kind, Component::U8 | Component::U16 | Component::U32) && !normalised,
    misfit: "indices are unsigned integers",
};

/// Numbers of joints (glTF 2.0, section 3.7.3.3).
pub(super) const JOINTS: VectorFormat = VectorFormat {
    kind: "VEC4",
    words: "joints are vectors of four integers",
    fits: |kind, normalised| matches!(kind, Component::U8 | Component::U16) && !normalised,
    misfit: "joints are unsigned integers of 8 or 16 bits",
};

/// Weights of joints.
pub(super) const WEIGHTS: VectorFormat = VectorFormat {
    kind: "VEC4",
    words: "weights are vectors of four numbers",
    fits: |kind, normalised| kind == Component::F32 || (matches!(kind, Component::U8 | Component::U16) && normalised),
    misfit: "weights are floats, or normalised unsigned integers of 8 or 16 bits",
};

/// Inverse bind matrices.
pub(super) const MATRICES: VectorFormat = VectorFormat {
    kind: "MAT4",
    words: "inverse bind matrices are matrices of 4 by 4",
    fits: |kind, _| kind == Component::F32,
    misfit: "inverse bind matrices are floats",
};

/// Vectors or matrices of `N` numbers.
pub(super) struct Vectors<'b, const N: usize> {
    pub(super) count: usize,
    kind: Component,
    normalised: bool,
    /// `None`: all are zero but for the sparse ones.
    dense: Option<Elements<'b>>,
    /// By index, the vector instead. Only looked up.
    sparse: HashMap<u32, [f64; N]>,
}

impl<'b, const N: usize> Vectors<'b, N> {
    pub(super) fn of(buffers: &'b Buffers<'_>, index: usize, format: &VectorFormat) -> Result<Self, Fault> {
        let (accessor, count) = accessor(buffers, index)?;
        let kind = Component::of(accessor.component_type).filter(|_| accessor.kind == format.kind);
        let wrong = |words: &str| fault(format!("accessor {index}: {words}"));
        let kind = kind.ok_or_else(|| wrong(format.words))?;
        let normalised = accessor.normalized;
        if !(format.fits)(kind, normalised) {
            return Err(wrong(format.misfit));
        }
        let size = N * kind.size();
        let sparse = match &accessor.sparse {
            None => HashMap::new(),
            Some(about) => {
                let (keys, values) = sparse(buffers, about, (index, count), size)?;
                let vector = |(i, key)| (key, numbers(values.get(i), kind, normalised));
                keys.into_iter().enumerate().map(vector).collect()
            }
        };
        let dense = accessor.buffer_view.map(|view| Elements::of(buffers, view, accessor.byte_offset, count, size));
        Ok(Self { count, kind, normalised, dense: dense.transpose()?, sparse })
    }

    /// A vector by its number, which is less than `count`.
    pub(super) fn get(&self, index: usize) -> [f64; N] {
        if !self.sparse.is_empty()
            && let Some(instead) = self.sparse.get(&(index as u32))
        {
            return *instead;
        }
        self.dense.as_ref().map_or([0.0; N], |found| numbers(found.get(index), self.kind, self.normalised))
    }

    /// The step between numbers as they are stored, next to a number of this size.
    pub(super) fn step(&self, size: f64) -> f64 {
        match (self.kind, self.normalised) {
            (Component::F32, _) => single_step(size),
            (kind, true) => 1.0 / kind.most(),
            (_, false) => 1.0,
        }
    }
}

/// The indices and the values of the elements that are given one by one; `whole`: the accessor and
/// its number of elements.
fn sparse<'b>(
    buffers: &'b Buffers<'_>,
    about: &SparseElements,
    (index, count): (usize, usize),
    size: usize,
) -> Result<(Vec<u32>, Elements<'b>), Fault> {
    let (at, values) = (&about.indices, &about.values);
    let at_kind = Component::of(at.component_type)
        .filter(|kind| matches!(kind, Component::U8 | Component::U16 | Component::U32))
        .ok_or_else(|| fault(format!("accessor {index}: its sparse indices have an unknown type")))?;
    let some = usize::try_from(about.count).ok().filter(|&some| some <= count);
    let some = some.ok_or_else(|| fault(format!("accessor {index} has more sparse elements than elements")))?;
    let found = Elements::of(buffers, at.buffer_view, at.byte_offset, some, at_kind.size())?;
    let keys: Vec<u32> = (0..some).map(|i| number(found.get(i), at_kind, false) as u32).collect();
    if let Some(key) = keys.iter().find(|&&key| key as usize >= count) {
        return Err(fault(format!("accessor {index}: a sparse index names element {key} of {count}")));
    }
    Ok((keys, Elements::of(buffers, values.buffer_view, values.byte_offset, some, size)?))
}

/// The indices of a primitive.
pub(super) fn read_indices(buffers: &Buffers<'_>, index: usize) -> Result<Vec<u32>, Fault> {
    let found = Vectors::<1>::of(buffers, index, &INDICES)?;
    let corners = (0..found.count).map(|number| found.get(number)[0]);
    let corner = |corner: f64| {
        let is_reserved = corner == found.kind.most();
        let problem = || format!("accessor {index}: the index {corner} is reserved for a restart of the primitive");
        if is_reserved { Err(fault(problem())) } else { Ok(corner as u32) }
    };
    corners.map(corner).collect()
}
