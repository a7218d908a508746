//! Running the program.

use std::path::Path;
use std::process::Command;

/// Runs the program, checks its exit code, and returns stdout and stderr.
pub(crate) fn expect(dir: &Path, args: &str, code: i32) -> (String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clearsweep"));
    let done = command.current_dir(dir).args(args.split_whitespace()).output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&done.stdout), text(&done.stderr));
    assert_eq!(done.status.code(), Some(code), "clearsweep {args}\nstdout: {out}\nstderr: {err}");
    (out, err)
}
