//! `clearsweep accept` by several at once, through links, and killed: no decision is lost.

use super::program::expect;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// Boxes in a row, each 3 cm into the next: this many violations.
const PAIRS: usize = 8;

/// The result of a run over the boxes, in `o`.
fn violated() -> TempDir {
    let dir = tempfile::tempdir().expect("scratch");
    let mut scene = "[query]\nwithin = 1\nrequire = 0.05\n".to_owned();
    for k in 0..=PAIRS {
        let x = 0.97 * k as f64;
        scene += &format!(
            "[[body]]\nname = \"b{k}\"\nshape = {{ box = [1, 1, 1] }}\nstatic = true\nposition = [{x:?}, 0, 0]\n"
        );
    }
    fs::write(dir.path().join("scene.toml"), format!("[scene]\nlength_unit = \"m\"\n{scene}")).expect("written");
    expect(dir.path(), "run scene.toml --out o", 3);
    dir
}

/// Starts the acceptance of pair `k`.
fn accepting(dir: &Path, k: usize, to: &str) -> Child {
    let args = format!("accept o --to {to} --reason r{k} --pair b{k} b{}", k + 1);
    let mut command = Command::new(env!("CARGO_BIN_EXE_clearsweep"));
    command.current_dir(dir).args(args.split_whitespace()).stdout(Stdio::null()).spawn().expect("it starts")
}

#[test]
fn pairs_are_chosen_by_globs_in_either_order() {
    let dir = violated();
    let dir = dir.path();
    let json = |args: &str| -> serde_json::Value {
        serde_json::from_str(&expect(dir, args, 0).0).unwrap_or_else(|error| panic!("{args}: {error}"))
    };
    for (pair, pairs) in [("b0 b1", 1), ("b1 b0", 1), ("b? b?", 8), ("b* b3", 2), ("b3 *", 2), ("* b[3]", 0)] {
        let args = format!("accept o --to a.csv --reason r --json --pair {pair}");
        if pairs == 0 {
            let (_, error) = expect(dir, &args, 1);
            let says = "--pair `*` `b[3]` matches none of 8 pairs that have one";
            assert!(error.contains(says) && error.contains("--pair 'b0' 'b1'"), "{error}");
            continue;
        }
        let found = json(&args);
        assert_eq!((&found["pairs"], &found["pairs_open"]), (&pairs.into(), &PAIRS.into()), "{pair}");
    }
    let (text, _) = expect(dir, "accept o --to b.csv --reason r --pair b* b3", 0);
    assert_eq!(text, "2 pairs accepted in b.csv: --pair matches 2 of 8 pairs with an open violation\n");
    assert_eq!(rows(&dir.join("b.csv")), 2);
    expect(dir, "run scene.toml --out p --accepted a.csv", 0);
    let (_, error) = expect(dir, "accept p --to c.csv --reason r --all", 1);
    assert!(error.contains("no open violation is chosen: the result has none"), "{error}");
}

fn rows(path: &Path) -> usize {
    fs::read_to_string(path).expect("read").lines().skip(1).count()
}

#[test]
fn no_decision_of_several_at_once_is_lost() {
    let dir = violated();
    let file = dir.path().join("a.csv");
    for round in 0..100 {
        let started: Vec<Child> = (0..PAIRS).map(|k| accepting(dir.path(), k, "a.csv")).collect();
        for mut child in started {
            assert_eq!(child.wait().expect("ended").code(), Some(0));
        }
        assert_eq!(rows(&file), PAIRS, "round {round}: {}", fs::read_to_string(&file).expect("read"));
        fs::remove_file(&file).expect("removed");
    }
    let hidden = fs::read_dir(dir.path())
        .expect("listed")
        .filter(|entry| entry.as_ref().is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with('.')));
    assert_eq!(hidden.count(), 0, "locks are removed");
}

#[test]
fn a_killed_acceptance_leaves_the_old_file_or_the_new_one() {
    let dir = violated();
    let file = dir.path().join("a.csv");
    let (mut old, mut new) = (0, 0);
    for round in 0..60 {
        expect(dir.path(), "accept o --to a.csv --reason first --pair b0 b1", 0);
        let mut child = accepting(dir.path(), 1, "a.csv");
        std::thread::sleep(std::time::Duration::from_micros(500 * round));
        let _ = child.kill();
        child.wait().expect("ended");
        match rows(&file) {
            1 => old += 1,
            2 => new += 1,
            other => panic!("{other} rows in round {round}"),
        }
        // The lock of a killed program is free.
        expect(dir.path(), "accept o --to a.csv --reason last --all", 0);
        assert_eq!(rows(&file), PAIRS);
        fs::remove_file(&file).expect("removed");
    }
    assert!(old > 0 && new > 0, "{old} old, {new} new: killed too early or too late each time");
}

#[cfg(unix)]
#[test]
fn the_file_behind_a_link_is_changed_and_keeps_its_permissions() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let dir = violated();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("shared")).expect("made");
    // The file need not exist yet.
    symlink("shared/real.csv", at("link.csv")).expect("linked");
    symlink(at("link.csv"), at("link-of-link.csv")).expect("linked");
    expect(dir.path(), "accept o --to link-of-link.csv --reason r --pair b0 b1", 0);
    let mode = |name: &str| fs::metadata(at(name)).expect("there").permissions().mode() & 0o777;
    fs::write(at("usual"), "").expect("written");
    assert_eq!(mode("shared/real.csv"), mode("usual"), "a new file has the mode of any new file");
    fs::set_permissions(at("shared/real.csv"), fs::Permissions::from_mode(0o664)).expect("set");
    expect(dir.path(), "accept o --to link.csv --reason r --pair b1 b2", 0);
    assert!(at("link.csv").is_symlink() && at("link-of-link.csv").is_symlink());
    assert_eq!((rows(&at("shared/real.csv")), mode("shared/real.csv")), (2, 0o664));
    symlink("loop.csv", at("loop.csv")).expect("linked");
    expect(dir.path(), "accept o --to loop.csv --reason r --all", 1);
}
