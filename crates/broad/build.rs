//! Tells the compiler which folder holds the kernels, `kernels/` of the package or of the
//! repository.
#![allow(clippy::print_stdout)] // a build script answers Cargo on stdout

use std::path::Path;

fn main() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut kernels = package.join("kernels");
    // A symbolic link in the repository, which Git on Windows may check out as a text file.
    if !kernels.is_dir() {
        kernels = package.join("../../kernels");
    }
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=kernels");
    println!("cargo::rustc-env=CLEARSWEEP_KERNELS={}", kernels.display());
}
