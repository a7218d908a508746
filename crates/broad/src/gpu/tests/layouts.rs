//! Tests of what the kernels declare: the layout of records, the bindings, and that every device of
//! WebGPU can execute them.

use super::*;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Module, Scalar, TypeInner};

/// Limits that WebGPU guarantees on every device.
const WORKGROUP_BYTES: u32 = 16_384;
const INVOCATIONS: u32 = 256;
const STORAGE_BUFFERS: usize = 8;
const UNIFORM_BYTES: u32 = 65_536;

/// A kernel, parsed and validated as for a device without any optional feature: uniformity of
/// barriers included.
fn module(kernel: Kernel) -> (Module, ModuleInfo) {
    let source = kernel.source();
    let module = naga::front::wgsl::parse_str(&source).unwrap_or_else(|e| panic!("{}", e.emit_to_string(&source)));
    let info = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module);
    let info = info.unwrap_or_else(|e| panic!("{kernel:?}: {}", e.emit_to_string(&source)));
    (module, info)
}

/// Layout of a member: its name, its offset, and its bytes.
type Member<N = &'static str> = (N, usize, usize);

/// The members of a record, in order, and its size. The compiler refuses a list that lacks one.
macro_rules! record {
    ($record:ident { $($member:ident),* }) => {{
        let $record { $($member: _),* } = <$record as bytemuck::Zeroable>::zeroed();
        let own: $record = bytemuck::Zeroable::zeroed();
        let members = vec![$((stringify!($member), std::mem::offset_of!($record, $member), size_of_val(&own.$member))),*];
        (members, size_of::<$record>())
    }};
}

/// The records that kernels share.
fn shared_records() -> [(&'static str, (Vec<Member>, usize)); 5] {
    [
        ("LatticeBox", record!(DeviceBox { min, max })),
        ("World", record!(World { part, first, samples, unused })),
        ("ItemPair", record!(ItemPair { item, other })),
        ("FoundPair", record!(FoundPair { pair, samples })),
        ("Tree", record!(Tree { leaves, top, unused, starts })),
    ]
}

/// The parameters of a kernel.
fn params_of(kernel: Kernel) -> (Vec<Member>, usize) {
    match kernel {
        Kernel::SweepBoxes => record!(SweepParams { slots, items, stride, measures, lanes }),
        Kernel::RadixCount | Kernel::RadixScatter => record!(RadixParams { items, groups, shift }),
        Kernel::BuildLevel => record!(LevelParams { child_start, children, start, count }),
        Kernel::CountBrute | Kernel::FillBrute => {
            record!(BruteParams { slots, worlds, worlds_per_group, groups_per_world, window_start, window_size })
        }
        Kernel::CountTree | Kernel::FillTree => record!(TreeParams { tree, first, count, window_start, window_size }),
        Kernel::CountFixed | Kernel::FillFixed => {
            record!(FixedParams { tree, first, count, window_start, window_size, base, slots, unused })
        }
        Kernel::MaskPairs => {
            record!(MaskParams { slots, stride, total_at, window_start, window_size, classes, lanes })
        }
        _ => record!(ItemParams { items }),
    }
}

/// The members of a record of a module, and its size.
fn members(module: &Module, name: &str) -> Option<(Vec<Member<String>>, usize)> {
    let (_, found) = module.types.iter().find(|(_, own)| own.name.as_deref() == Some(name))?;
    let TypeInner::Struct { members, span } = &found.inner else { return None };
    let bytes = |ty| module.types[ty].inner.size(module.to_ctx()) as usize;
    let member = |own: &naga::StructMember| (own.name.clone().unwrap_or_default(), own.offset as usize, bytes(own.ty));
    Some((members.iter().map(member).collect(), *span as usize))
}

/// Whether a type is made of words without a sign, as our records are.
fn is_words(module: &Module, own: naga::Handle<naga::Type>) -> bool {
    match &module.types[own].inner {
        TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) | TypeInner::Vector { scalar, .. } => {
            *scalar == Scalar::U32
        }
        TypeInner::Array { base, .. } => is_words(module, *base),
        TypeInner::Struct { members, .. } => members.iter().all(|member| is_words(module, member.ty)),
        _ => false,
    }
}

#[test]
fn records_lie_as_the_kernels_say() {
    for kernel in Kernel::ALL {
        let (module, _) = module(kernel);
        for (name, (expected, size)) in shared_records().into_iter().chain([("Params", params_of(kernel))]) {
            let (found, span) = members(&module, name).unwrap_or_else(|| panic!("{kernel:?} has no record {name}"));
            // Bytes behind the last member of a kernel's record are padding, which Rust names.
            let expected: Vec<_> = expected.into_iter().map(|(name, at, bytes)| (name.to_owned(), at, bytes)).collect();
            let (named, padding) = expected.split_at(found.len().min(expected.len()));
            assert_eq!(found, named, "{kernel:?}, {name}");
            assert!(padding.iter().all(|own| own.0 == "unused"), "{kernel:?}, {name}: {padding:?}");
            assert_eq!(span, size, "{kernel:?}, {name}");
        }
        let buffers = module.global_variables.iter().filter(|(_, own)| own.binding.is_some());
        assert!(buffers.map(|(_, own)| own.ty).all(|own| is_words(&module, own)), "{kernel:?}");
    }
}

#[test]
fn kernels_bind_what_is_said_of_them() {
    for kernel in Kernel::ALL {
        let (module, _) = module(kernel);
        assert!(module.entry_points.iter().any(|entry| entry.name == kernel.entry()), "{kernel:?}");
        let mut bindings: Vec<(u32, Access)> = module
            .global_variables
            .iter()
            .filter_map(|(_, variable)| {
                let naga::AddressSpace::Storage { access } = variable.space else { return None };
                let writes = access.contains(naga::StorageAccess::STORE);
                Some((variable.binding?.binding, if writes { Access::Write } else { Access::Read }))
            })
            .collect();
        bindings.sort_unstable_by_key(|binding| binding.0);
        let expected: Vec<(u32, Access)> = (1..).zip(kernel.bindings().iter().copied()).collect();
        assert_eq!(bindings, expected, "{kernel:?}");
    }
}

#[test]
fn every_device_can_execute_the_kernels() {
    for kernel in Kernel::ALL {
        let (module, info) = module(kernel);
        let bytes = |space: naga::AddressSpace| {
            let own = module.global_variables.iter().filter(move |(_, own)| own.space == space);
            own.map(|(_, own)| module.types[own.ty].inner.size(module.to_ctx()).next_multiple_of(16)).sum::<u32>()
        };
        assert!(bytes(naga::AddressSpace::WorkGroup) <= WORKGROUP_BYTES, "{kernel:?}");
        assert!(bytes(naga::AddressSpace::Uniform) <= UNIFORM_BYTES, "{kernel:?}");
        for (at, entry) in module.entry_points.iter().enumerate() {
            let invocations: u32 = entry.workgroup_size.iter().product();
            assert!((1..=INVOCATIONS).contains(&invocations), "{kernel:?}: {invocations} invocations");
            let info = info.get_entry_point(at);
            let bound = module.global_variables.iter().filter(|(handle, own)| {
                matches!(own.space, naga::AddressSpace::Storage { .. }) && !info[*handle].is_empty()
            });
            let buffers = bound.count();
            assert!(buffers <= STORAGE_BUFFERS, "{kernel:?}: {buffers} buffers");
        }
    }
}

#[test]
fn kernels_translate_to_what_metal_and_dx12_compile() {
    for kernel in Kernel::ALL {
        let (module, info) = module(kernel);
        let translated = naga::back::msl::write_string(&module, &info, &Default::default(), &Default::default());
        let (metal, names) = translated.unwrap_or_else(|e| panic!("{kernel:?} in MSL: {e}"));
        assert!(names.entry_point_names.iter().all(Result::is_ok), "{kernel:?}: {:?}", names.entry_point_names);
        assert!(metal.contains("kernel void"), "{kernel:?}: {metal}");
        let (mut dx12, options, pipeline) = (String::new(), Default::default(), Default::default());
        let translated = naga::back::hlsl::Writer::new(&mut dx12, &options, &pipeline).write(&module, &info, None);
        let names = translated.unwrap_or_else(|e| panic!("{kernel:?} in HLSL: {e}")).entry_point_names;
        assert!(names.iter().all(Result::is_ok), "{kernel:?}: {names:?}");
        assert!(dx12.contains("numthreads"), "{kernel:?}: {dx12}");
    }
}
