//! An allocator that knows how much is in use, and ends the process when a reader takes more than
//! its input warrants.
//!
//! The fuzzer's own limits see resident pages only: a reader that reserves two gigabytes because a
//! header says so, and touches none of them, passes there, and fails on a machine that does not
//! overcommit.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

static USED: AtomicUsize = AtomicUsize::new(0);
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);

/// The system's allocator, counted.
pub struct Bounded;

impl Bounded {
    fn take(size: usize) {
        let used = USED.fetch_add(size, Ordering::Relaxed) + size;
        let limit = LIMIT.load(Ordering::Relaxed);
        if used > limit {
            LIMIT.store(usize::MAX, Ordering::Relaxed); // the message allocates too
            let trace = std::backtrace::Backtrace::force_capture();
            eprintln!("an allocation of {size} bytes makes {used} in use, of at most {limit}\n{trace}");
            std::process::abort();
        }
    }
}

// SAFETY: every call is handed to the system's allocator unchanged; only numbers are kept beside
// it.
unsafe impl GlobalAlloc for Bounded {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::take(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::take(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        Self::take(size);
        USED.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Runs something that may have `bytes` more in use than there are now.
pub fn within<T>(bytes: usize, run: impl FnOnce() -> T) -> T {
    LIMIT.store(USED.load(Ordering::Relaxed).saturating_add(bytes), Ordering::Relaxed);
    let value = run();
    LIMIT.store(usize::MAX, Ordering::Relaxed);
    value
}
