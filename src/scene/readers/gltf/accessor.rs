//! Accessors: typed arrays in a buffer, packed or strided, whole or sparse, checked before anything is read.

use super::buffers::Buffers;
use super::limits::{MAX_INSTANCED, fault};
use crate::scene::readers::mesh::Fault;
use gltf_json::Root;
use gltf_json::accessor::{Accessor, ComponentType, GenericComponentType, IndexComponentType, Type};
use gltf_json::validation::Checked;
use std::collections::HashMap;

fn size(kind: ComponentType) -> usize {
    match kind {
        ComponentType::I8 | ComponentType::U8 => 1,
        ComponentType::I16 | ComponentType::U16 => 2,
        ComponentType::U32 | ComponentType::F32 => 4,
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
    fn of(
        root: &Root,
        buffers: &'b mut Buffers<'_>,
        view: usize,
        offset: u64,
        count: usize,
        size: usize,
    ) -> Result<Self, Fault> {
        let Some(about) = root.buffer_views.get(view) else {
            return Err(fault(format!("buffer view {view} is named, but there are {}", root.buffer_views.len())));
        };
        let stride = about.byte_stride.map_or(0, |stride| stride.0);
        let stride = if stride == 0 { size } else { stride };
        if stride < size {
            return Err(fault(format!("buffer view {view} has a stride of {stride} bytes for elements of {size}")));
        }
        let buffer = buffers.get(about.buffer.value())?;
        let within = |bytes: &'b [u8], start: u64, length: Option<u64>| {
            let bytes = bytes.get(usize::try_from(start).ok()?..)?;
            length.map_or(Some(bytes), |length| bytes.get(..usize::try_from(length).ok()?))
        };
        let bytes = within(buffer, about.byte_offset.unwrap_or_default().0, Some(about.byte_length.0));
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

fn accessor(root: &Root, index: usize) -> Result<(&Accessor, usize), Fault> {
    let Some(accessor) = root.accessors.get(index) else {
        return Err(fault(format!("accessor {index} is named, but there are {}", root.accessors.len())));
    };
    let count = usize::try_from(accessor.count.0).ok().filter(|&count| count <= MAX_INSTANCED);
    Ok((accessor, count.ok_or_else(|| fault(format!("accessor {index} has {} elements", accessor.count.0)))?))
}

/// A component as a number; integers in -1 to 1 or 0 to 1 if they are normalised (KHR_mesh_quantization).
fn number(bytes: &[u8], kind: ComponentType, normalised: bool) -> f64 {
    let two = || [bytes[0], bytes[1]];
    let four = || [bytes[0], bytes[1], bytes[2], bytes[3]];
    let (value, most) = match kind {
        ComponentType::I8 => (f64::from(bytes[0].cast_signed()), 127.0),
        ComponentType::U8 => (f64::from(bytes[0]), 255.0),
        ComponentType::I16 => (f64::from(i16::from_le_bytes(two())), 32767.0),
        ComponentType::U16 => (f64::from(u16::from_le_bytes(two())), 65535.0),
        ComponentType::U32 => return f64::from(u32::from_le_bytes(four())),
        ComponentType::F32 => return f64::from(f32::from_le_bytes(four())),
    };
    if normalised { (value / most).max(-1.0) } else { value }
}

/// The positions of a primitive.
pub(super) struct Positions<'b> {
    pub(super) count: usize,
    kind: ComponentType,
    normalised: bool,
    /// `None`: all are zero but for the sparse ones.
    dense: Option<Elements<'b>>,
    /// By index, the position instead. Only looked up.
    sparse: HashMap<u32, [f64; 3]>,
}

impl<'b> Positions<'b> {
    pub(super) fn of(root: &Root, buffers: &'b mut Buffers<'_>, index: usize) -> Result<Self, Fault> {
        let (accessor, count) = accessor(root, index)?;
        let (Checked::Valid(Type::Vec3), Checked::Valid(GenericComponentType(kind))) =
            (accessor.type_, accessor.component_type)
        else {
            return Err(fault(format!("accessor {index}: positions are vectors of three numbers")));
        };
        if kind == ComponentType::U32 {
            return Err(fault(format!("accessor {index}: positions cannot be 32-bit integers")));
        }
        let normalised = accessor.normalized;
        let mut sparse = HashMap::new();
        if let Some(about) = &accessor.sparse {
            let (at, values) = (&about.indices, &about.values);
            let Checked::Valid(IndexComponentType(at_kind)) = at.component_type else {
                return Err(fault(format!("accessor {index}: its sparse indices have an unknown type")));
            };
            let some = usize::try_from(about.count.0).ok().filter(|&some| some <= count);
            let some = some.ok_or_else(|| fault(format!("accessor {index} has more sparse elements than elements")))?;
            let view = at.buffer_view.value();
            let found = Elements::of(root, buffers, view, at.byte_offset.0, some, size(at_kind))?;
            let keys: Vec<u32> = (0..some).map(|i| number(found.get(i), at_kind, false) as u32).collect();
            if let Some(key) = keys.iter().find(|&&key| key as usize >= count) {
                return Err(fault(format!("accessor {index}: a sparse index names element {key} of {count}")));
            }
            let view = values.buffer_view.value();
            let found = Elements::of(root, buffers, view, values.byte_offset.0, some, 3 * size(kind))?;
            sparse =
                keys.into_iter().enumerate().map(|(i, key)| (key, vector(found.get(i), kind, normalised))).collect();
        }
        let dense = match accessor.buffer_view {
            None => None,
            Some(view) => {
                let offset = accessor.byte_offset.unwrap_or_default().0;
                Some(Elements::of(root, buffers, view.value(), offset, count, 3 * size(kind))?)
            }
        };
        Ok(Self { count, kind, normalised, dense, sparse })
    }

    /// Calls `take` with every position, in order.
    pub(super) fn each(&self, mut take: impl FnMut([f64; 3]) -> Result<(), Fault>) -> Result<(), Fault> {
        (0..self.count).try_for_each(|index| {
            let instead = if self.sparse.is_empty() { None } else { self.sparse.get(&(index as u32)) };
            let dense =
                || self.dense.as_ref().map_or([0.0; 3], |found| vector(found.get(index), self.kind, self.normalised));
            take(instead.copied().unwrap_or_else(dense))
        })
    }
}

fn vector(bytes: &[u8], kind: ComponentType, normalised: bool) -> [f64; 3] {
    [0, 1, 2].map(|axis| number(&bytes[axis * size(kind)..], kind, normalised))
}

/// The indices of a primitive.
pub(super) struct Indices;

impl Indices {
    pub(super) fn read(root: &Root, buffers: &mut Buffers<'_>, index: usize) -> Result<Vec<u32>, Fault> {
        let (accessor, count) = accessor(root, index)?;
        let kind = match (accessor.type_, accessor.component_type) {
            (Checked::Valid(Type::Scalar), Checked::Valid(GenericComponentType(kind))) => kind,
            _ => return Err(fault(format!("accessor {index}: indices are single integers"))),
        };
        if !matches!(kind, ComponentType::U8 | ComponentType::U16 | ComponentType::U32) || accessor.sparse.is_some() {
            return Err(fault(format!("accessor {index}: indices are unsigned integers, and not sparse")));
        }
        let Some(view) = accessor.buffer_view else {
            return Err(fault(format!("accessor {index}: indices need a buffer view")));
        };
        let offset = accessor.byte_offset.unwrap_or_default().0;
        let found = Elements::of(root, buffers, view.value(), offset, count, size(kind))?;
        Ok((0..count).map(|i| number(found.get(i), kind, false) as u32).collect())
    }
}
