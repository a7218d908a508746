//! The program `clearsweep`: see `cli` in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    clearsweep::cli::main()
}
