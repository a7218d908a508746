//! Counts the memory that the triangles of a geometry file take: at the peak while they are read
//! and indexed, and as they stay.
//!
//! ```text
//! cargo run --release -p xtask --bin mesh_memory -- torus.stl [THREADS]
//! ```
//!
//! Bytes are those that were asked of the allocator, counted one by one; what the allocator keeps
//! beside them is not counted.
#![allow(
    unsafe_code,
    reason = "an allocator that counts is unsafe to write; it hands everything on to that of the system"
)]
#![allow(clippy::print_stdout, reason = "the program prints what it counts")]

use clearsweep::{Model, SceneOverrides};
use std::alloc::{GlobalAlloc, Layout, System};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Bytes that are taken, and the most that were.
static TAKEN: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

struct Counting;

fn add(bytes: usize) {
    let taken = TAKEN.fetch_add(bytes, Ordering::Relaxed) + bytes;
    MOST.fetch_max(taken, Ordering::Relaxed);
}

// Safety: all calls are those of the system's allocator, with the same arguments.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        TAKEN.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        TAKEN.fetch_sub(layout.size(), Ordering::Relaxed);
        add(size);
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("give a geometry file, and the number of threads")?;
    let threads = arguments.next().map(|text| text.parse()).transpose()?;
    let folder = tempfile::tempdir()?;
    let scene = folder.path().join("s.toml");
    let path = Path::new(&file).canonicalize()?;
    let text = format!(
        "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 1\n[[body]]\nname = \"a\"\ngeometry = {:?}\nmodel = \"{}\"\nstatic = true\n",
        path.display().to_string(),
        Model::Mesh.name()
    );
    std::fs::write(&scene, text)?;
    let (before, start) = (TAKEN.load(Ordering::Relaxed), Instant::now());
    MOST.store(before, Ordering::Relaxed);
    let loaded = clearsweep::SceneBuilder::load(&scene, &SceneOverrides { threads, ..SceneOverrides::default() })?;
    let seconds = start.elapsed().as_secs_f64();
    let (stay, most) = (TAKEN.load(Ordering::Relaxed) - before, MOST.load(Ordering::Relaxed) - before);
    let triangles = loaded.bodies[0].shape.triangles;
    let each = |bytes: usize| bytes as f64 / triangles as f64;
    println!(
        "{file}: {triangles} triangles in {seconds:.2} s; {:.1} bytes a triangle stay, {:.0} at the peak",
        each(stay),
        each(most)
    );
    Ok(())
}
