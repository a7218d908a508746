//! Ctrl-C and requests to end leave nothing behind, and end with the exit code that shells give an
//! interrupt.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// All entries of a directory, hidden ones too; none if it is not there.
fn listing(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Runs the program, sends it a signal as soon as something lies in `out`, and waits for its end.
fn interrupted(dir: &Path, args: &[&str], out: &Path, signal: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_clearsweep"))
        .current_dir(dir)
        .args(args)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    while child.try_wait().expect("asked").is_none() && listing(out).is_empty() {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(child.try_wait().expect("asked").is_none(), "it ended before the signal");
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill");
    let done = child.wait_with_output().expect("it ends");
    assert!(sent.success() && done.status.signal().is_none(), "the signal came while it worked: {done:?}");
    done
}

/// A data set whose run takes seconds on one thread.
fn crowd(dir: &Path) {
    let done = Command::new(env!("CARGO_BIN_EXE_clearsweep"))
        .current_dir(dir)
        .args(["generate", "crowd", "--bodies", "300", "--frames", "12000", "--out", "crowd"])
        .output()
        .expect("it runs");
    assert!(done.status.success(), "{done:?}");
}

#[test]
fn an_interrupted_run_leaves_nothing() {
    let dir = tempfile::tempdir().expect("scratch");
    crowd(dir.path());
    for signal in ["-INT", "-TERM"] {
        let out = dir.path().join("tables");
        let args = ["run", "crowd/scene.toml", "--out", "tables", "--threads", "1", "--progress", "none"];
        let done = interrupted(dir.path(), &args, &out, signal);
        assert_eq!(done.status.code(), Some(130), "{done:?}");
        assert!(String::from_utf8_lossy(&done.stderr).contains("nothing was left behind"), "{done:?}");
        assert_eq!(listing(&out), Vec::<String>::new(), "after {signal}");
    }
}

#[test]
fn an_interrupted_generator_leaves_nothing() {
    for signal in ["-INT", "-TERM"] {
        let dir = tempfile::tempdir().expect("scratch");
        let args = ["generate", "crowd", "--bodies", "200", "--frames", "4000", "--out", "crowd"];
        let done = interrupted(dir.path(), &args, &dir.path().join("crowd"), signal);
        assert_eq!(done.status.code(), Some(130), "{done:?}");
        assert!(String::from_utf8_lossy(&done.stderr).contains("nothing was left behind"), "{done:?}");
        assert_eq!(listing(dir.path()), Vec::<String>::new(), "after {signal}");
    }
}
