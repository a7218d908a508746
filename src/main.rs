//! The program `clearsweep`.

fn main() -> std::process::ExitCode {
    clearsweep::cli::main(std::env::args_os()).into()
}
