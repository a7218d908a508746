//! The program `clearsweep`.

fn main() -> std::process::ExitCode {
    #[cfg(feature = "object-store")]
    clearsweep_object_stores::install();
    clearsweep::cli::main(std::env::args_os()).into()
}
