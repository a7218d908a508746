//! Jobs whose input or output is in an object store: the same bytes as on a disk, whatever fails on
//! the way.

use super::memory_store::{Fault, MemoryStore, bucket};
use super::shards::{Case, Format, RunKind, load, merge, one_machine, shard, write};
use clearsweep::Result;
use clearsweep_engine::{
    CancelToken, Job, JobOptions, MergeOptions, RemoteResult, StoodOrWritten, fetch_results, verify,
};
use clearsweep_scene::{Scene, SceneOverrides};
use clearsweep_tables::ParquetTables;
use clearsweep_testing::folder::tables;
use clearsweep_testing::random::Random;
use clearsweep_trajectory::ReadOptions;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const CASE: Case =
    Case { runs: RunKind::Short, format: Format::Parquet(64), between: "linear", missing: "error", rules: "uniform" };

/// A scene, and the tables of one machine in `one`.
fn made(seed: u64) -> (tempfile::TempDir, Scene) {
    let dir = tempfile::tempdir().expect("scratch");
    write(dir.path(), CASE, seed);
    let scene = load(dir.path());
    one_machine(&scene, &dir.path().join("one"));
    (dir, scene)
}

/// Copies the result at an address, and asserts that its tables are those of one machine, and its
/// rows those that its manifest tells.
fn assert_is_one(address: &Path, one: &Path) {
    let fetched = fetch_results(address, true).expect("a result").expect("an address");
    let [(_, dir)] = fetched.results.as_slice() else { panic!("{} results", fetched.results.len()) };
    assert_eq!(tables(dir), tables(one));
    assert_eq!(verify(dir, None).expect("digests"), []);
}

/// Runs a job of one machine, whose result goes to an address.
fn run_to(scene: &Scene, out: &Path, force: bool) -> Result<()> {
    let remote = RemoteResult::prepare(out, None, force)?.expect("an address");
    Job::new(scene).run(&mut ParquetTables::new(remote.dir()))?;
    remote.publish(&CancelToken::new())
}

/// Removes the results that are kept on this machine when an address cannot be written, as the
/// error says.
fn remove_kept(error: &clearsweep::Error) {
    if let Some((_, rest)) = error.remedy.split_once("whole in ") {
        let dir = Path::new(rest.split_once(": copy").expect("a path").0);
        assert!(dir.join("manifest.json").is_file(), "what was computed is kept: {}", error.remedy);
        fs::remove_dir_all(dir.parent().expect("a folder")).expect("removed");
    }
}

#[test]
fn shards_in_a_store_give_the_tables_of_one_machine() {
    let (dir, scene) = made(1);
    let (store, root) = bucket("shards-plain");
    let mut random = Random(5);
    for count in [1, 3, 7] {
        let into = root.join(format!("s{count}"));
        let mut order: Vec<u32> = (0..count).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, random.below(at + 1));
        }
        for &index in &order {
            assert!(matches!(shard(&scene, (index, count), &into).expect("a shard"), StoodOrWritten::Written(_)));
        }
        let before = store.keys();
        assert!(matches!(shard(&scene, (0, count), &into).expect("a shard"), StoodOrWritten::Stood(_)));
        assert_eq!(store.keys(), before);
        for fast in [false, true] {
            let local = dir.path().join(format!("merged-{count}-{fast}"));
            merge(&into, None, &MergeOptions { fast, ..MergeOptions::new(&local) }).expect("merged");
            assert_eq!(verify(&local, None).expect("digests"), []);
            if !fast {
                assert_eq!(tables(&local), tables(&dir.path().join("one")));
                let remote = root.join(format!("merged-{count}"));
                merge(&into, None, &MergeOptions::new(&remote)).expect("merged");
                assert_is_one(&remote, &dir.path().join("one"));
            }
        }
    }
    let error =
        merge(&root.join("s0"), None, &MergeOptions::new(dir.path().join("m"))).expect_err("nothing").to_string();
    assert!(error.contains("holds no shard"), "{error}");
}

/// Every operation of a worker fails once, before and after its effect, and all after it: as if it
/// were killed there.
#[test]
fn a_worker_that_dies_anywhere_leaves_nothing_that_counts() {
    let (dir, scene) = made(2);
    let (store, root) = bucket("shards-killed");
    let mut deaths = [0, 0];
    for kind in [Fault::Before as fn(u64) -> Fault, Fault::After] {
        for at in 0.. {
            let into = root.join(format!("{:?}", kind(at)).replace(['(', ')'], "-"));
            store.fail(Some(kind(at)));
            let died = shard(&scene, (1, 2), &into);
            let has_failed = store.has_failed();
            store.fail(None);
            if let Err(error) = &died {
                assert!(error.to_string().contains("the network is gone"), "{error}");
                let prefix =
                    into.strip_prefix("s3://shards-killed").expect("below").join("shard-00001-of-00002/manifest.json");
                let whole = store.keys().contains(&prefix.to_string_lossy().into_owned());
                assert!(!whole || matches!(kind(at), Fault::After(_)), "{at}");
                deaths[usize::from(whole)] += 1;
            }
            // Another worker, and then the merge.
            for index in [1, 0] {
                shard(&scene, (index, 2), &into).expect("a shard");
            }
            let merged = dir.path().join("merged");
            merge(&into, None, &MergeOptions::new(&merged)).expect("merged");
            assert_eq!(tables(&merged), tables(&dir.path().join("one")), "{:?}", kind(at));
            fs::remove_dir_all(&merged).expect("removed");
            // What the dead worker left is gone: one attempt a shard.
            let prefix = into.strip_prefix("s3://shards-killed").expect("below").to_string_lossy().into_owned() + "/";
            let left: BTreeSet<String> =
                store.keys().into_iter().filter_map(|key| Some(attempt(key.strip_prefix(&prefix)?))).collect();
            assert_eq!(left.len(), 4, "{left:?}");
            if died.is_ok() && !has_failed {
                break;
            }
        }
    }
    assert!(deaths[0] >= 20 && deaths[1] >= 1, "{deaths:?}");
}

/// The shard and the attempt of a key, or its manifest.
fn attempt(key: &str) -> String {
    key.split('/').take(2).collect::<Vec<_>>().join("/")
}

#[test]
fn of_several_workers_on_a_shard_the_first_wins() {
    let (dir, scene) = made(3);
    let (store, root) = bucket("shards-racing");
    for round in 0..5 {
        let into = root.join(format!("r{round}"));
        let written: usize = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| matches!(shard(&scene, (0, 2), &into).expect("a shard"), StoodOrWritten::Written(_)))
                })
                .collect();
            workers.into_iter().map(|worker| usize::from(worker.join().expect("no panic"))).sum()
        });
        assert_eq!(written, 1);
        shard(&scene, (1, 2), &into).expect("a shard");
        // A late one removes what another left.
        shard(&scene, (0, 2), &into).expect("a shard");
        let prefix = format!("r{round}/");
        let left: BTreeSet<String> =
            store.keys().into_iter().filter_map(|key| Some(attempt(key.strip_prefix(&prefix)?))).collect();
        assert_eq!(left.len(), 4, "{left:?}");
        let merged = dir.path().join(format!("merged-{round}"));
        merge(&into, None, &MergeOptions::new(&merged)).expect("merged");
        assert_eq!(tables(&merged), tables(&dir.path().join("one")));
    }
}

#[test]
fn what_is_wrong_with_shards_in_a_store_is_named() {
    let (dir, scene) = made(4);
    let (store, root) = bucket("shards-wrong");
    let into = root.join("s");
    for index in 0..3 {
        shard(&scene, (index, 3), &into).expect("a shard");
    }
    let other = SceneOverrides { require: Some("10 mm".to_owned()), ..SceneOverrides::default() };
    let other = clearsweep_scene::load_scene(&dir.path().join("scene.toml"), &other).expect("a scene");
    let error = shard(&other, (1, 3), &into).expect_err("another job").to_string();
    assert!(error.contains("shard-00001-of-00003") && error.contains("differs in require"), "{error}");
    let told = |name: &str| {
        let out = dir.path().join(name);
        merge(&into, None, &MergeOptions::new(out)).expect_err(name).to_string()
    };
    let key = |end: &str| {
        store.keys().into_iter().find(|key| key.starts_with("s/shard-00001") && key.ends_with(end)).expect(end)
    };
    for (end, words) in [
        ("distances/part-00000.parquet", vec!["shard-00001-of-00003", "is missing, or has another size"]),
        ("shard.state", vec!["shard-00001-of-00003", "is missing, or has another size"]),
        ("00003/manifest.json", vec!["lacks 1 of 3 shards: 1/3"]),
    ] {
        let (key, bytes) = (key(end), store.get(&key(end)));
        store.delete(&key);
        let error = told("gone");
        assert!(words.iter().all(|word| error.contains(word)), "{end}: {error}");
        store.set(&key, bytes);
    }
    // Flipped bits: named, or of no effect.
    let mut random = Random(9);
    let (mut named, files) =
        (0, ["distances/part-00000.parquet", "shard.state", "pairs.parquet", "00003/manifest.json"]);
    for number in 0..40 {
        let (key, out) = (key(files[number % 4]), dir.path().join(format!("flipped-{number}")));
        let whole = store.get(&key);
        let mut bytes = whole.clone();
        let at = random.below(bytes.len());
        bytes[at] ^= 1 << random.below(8);
        store.set(&key, bytes);
        match merge(&into, None, &MergeOptions::new(&out)) {
            Ok(_) => assert_eq!(tables(&out), tables(&dir.path().join("one")), "{key} at {at}"),
            Err(error) => {
                assert!(
                    error.to_string().contains("shard-00001") || error.to_string().contains("shard-00000"),
                    "{error}"
                );
                named += 1;
            }
        }
        store.set(&key, whole);
    }
    assert!(named >= 15, "{named}");
}

/// Every operation of a publication fails once, before and after its effect: there is a whole
/// result, or none.
#[test]
fn a_result_at_an_address_is_whole_or_is_none() {
    let (dir, scene) = made(5);
    let (store, root) = bucket("results");
    let (mut whole, mut none) = (0, 0);
    for kind in [Fault::Before as fn(u64) -> Fault, Fault::After] {
        for at in 0.. {
            let out = root.join(format!("{:?}", kind(at)).replace(['(', ')'], "-"));
            store.fail(Some(kind(at)));
            let died = run_to(&scene, &out, false);
            let has_failed = store.has_failed();
            store.fail(None);
            let Err(error) = died else {
                assert_is_one(&out, &dir.path().join("one"));
                if has_failed {
                    continue;
                }
                break;
            };
            remove_kept(&error);
            match fetch_results(&out, true) {
                Ok(_) => {
                    whole += 1;
                    assert_is_one(&out, &dir.path().join("one"));
                }
                Err(error) => {
                    none += 1;
                    assert!(error.to_string().contains("holds no finished result"), "{error}");
                }
            }
            run_to(&scene, &out, true).expect("it is taken over");
            assert_is_one(&out, &dir.path().join("one"));
            let prefix = out.strip_prefix("s3://results").expect("below").to_string_lossy().into_owned() + "/";
            let files = store.keys().iter().filter(|key| key.starts_with(&prefix)).count();
            assert_eq!(files, tables(&dir.path().join("one")).len() + 1, "no claim is left: {:?}", kind(at));
        }
    }
    assert!(none >= 20 && whole >= 1, "{none} {whole}");
}

#[test]
fn what_stands_at_an_address_is_replaced_only_on_demand() {
    let (dir, scene) = made(6);
    let (store, root) = bucket("results-forced");
    let out = root.join("a");
    run_to(&scene, &out, false).expect("written");
    let told = |force: bool| run_to(&scene, &out, force).expect_err("something stands there").to_string();
    assert!(told(false).contains("holds a result already"));
    run_to(&scene, &out, true).expect("replaced");
    assert_is_one(&out, &dir.path().join("one"));
    store.set("a/notes.txt", b"mine".to_vec());
    assert!(
        [false, true].into_iter().all(|force| told(force).contains("holds `notes.txt`, which is no part of a result"))
    );
    assert_eq!(store.get("a/notes.txt"), b"mine");
    // Somebody else writes there.
    store.set("b/_writing", b"another".to_vec());
    let error = run_to(&scene, &root.join("b"), false).expect_err("a claim");
    assert!(error.to_string().contains("is being written by another job"), "{error}");
    // Two at once: one wins, the other says so.
    for round in 0..4 {
        let out = root.join(format!("c{round}"));
        let ended: Vec<Result<()>> = std::thread::scope(|scope| {
            let both: Vec<_> = (0..2).map(|_| scope.spawn(|| run_to(&scene, &out, false))).collect();
            both.into_iter().map(|one| one.join().expect("no panic")).collect()
        });
        assert_eq!(ended.iter().filter(|end| end.is_ok()).count(), 1, "{ended:?}");
        ended.iter().filter_map(|end| end.as_ref().err()).for_each(remove_kept);
        assert_is_one(&out, &dir.path().join("one"));
    }
}

/// Puts the files of a folder into a bucket.
fn put(store: &MemoryStore, from: &Path, key: &str) {
    store.set(key, fs::read(from).expect("a file"));
}

fn run_with(scene: &Scene, poses: &Path, out: &Path) -> Result<()> {
    let read = ReadOptions { path: Some(poses.to_owned()), ..ReadOptions::default() };
    Job::new(scene).options(JobOptions { read, ..JobOptions::default() }).run(&mut ParquetTables::new(out)).map(drop)
}

#[test]
fn poses_in_a_store_give_the_same_tables() {
    let (store, root) = bucket("poses");
    for (number, format) in [Format::Csv, Format::Parquet(64), Format::Parquet(100_000)].into_iter().enumerate() {
        let dir = tempfile::tempdir().expect("scratch");
        write(dir.path(), Case { format, ..CASE }, 7);
        let scene = load(dir.path());
        let (one, out) = (dir.path().join("one"), dir.path().join("out"));
        one_machine(&scene, &one);
        let file = if format == Format::Csv { "poses.csv" } else { "poses.parquet" };
        put(&store, &dir.path().join(file), &format!("{number}/in/{file}"));
        for (name, bytes) in [("_SUCCESS", "x"), (".hidden/a.csv", "x"), ("in/", "")] {
            store.set(&format!("{number}/in/{name}"), bytes.into());
        }
        for end in [format!("in/{file}"), "in".to_owned(), "in/".to_owned(), "*/poses.*".to_owned(), "**/p*".to_owned()]
        {
            run_with(&scene, &root.join(format!("{number}/{end}")), &out).expect("a result");
            assert_eq!(tables(&out), tables(&one), "{end}");
            fs::remove_dir_all(&out).expect("removed");
        }
    }
}

#[test]
fn directory_levels_of_keys_supply_runs() {
    let (dir, scene) = made(8);
    let (store, root) = bucket("poses-hive");
    for run in [3, 4] {
        let text = "frame,body,x,y,z,qw,qx,qy,qz\n".to_owned()
            + &["a", "b", "c", "d", "e"]
                .map(|name| format!("0,{name},{},0,1,1,0,0,0\n", 0.1 * f64::from(run)))
                .concat();
        let place = dir.path().join(format!("data/run={run}"));
        fs::create_dir_all(&place).expect("made");
        fs::write(place.join("t.csv"), &text).expect("written");
        store.set(&format!("data/run={run}/t.csv"), text.into_bytes());
    }
    for (number, end) in ["data", "data/*/t.csv", "data/run=3/t.csv", "data/run=3"].into_iter().enumerate() {
        let [here, there] = ["here", "there"].map(|name| dir.path().join(format!("{name}{number}")));
        run_with(&scene, &dir.path().join(end), &here).expect("a result");
        run_with(&scene, &root.join(end), &there).expect("a result");
        assert_eq!(tables(&here), tables(&there), "{end}");
    }
}

#[test]
fn a_shard_reads_the_row_groups_of_its_runs() {
    let dir = tempfile::tempdir().expect("scratch");
    write(dir.path(), CASE, 9);
    // Positions without a pattern, so that the file is large enough to be read in parts.
    let mut random = Random(11);
    let mut csv = "run,frame,time_s,body,x,y,z,qw,qx,qy,qz\n".to_owned();
    for run in 0..24_000 {
        for body in ["a", "b", "c", "d", "e"] {
            let [x, y, z]: [f64; 3] = std::array::from_fn(|_| random.between(-20.0, 20.0));
            csv += &format!("{run},0,0,{body},{x},{y},{z},1,0,0,0\n");
        }
    }
    super::shards::parquet(&dir.path().join("poses.parquet"), &csv, 2_000);
    let (store, root) = bucket("poses-large");
    put(&store, &dir.path().join("poses.parquet"), "t.parquet");
    let size = store.get("t.parquet").len() as u64;
    let overrides = SceneOverrides { trajectories: Some(root.join("t.parquet")), ..SceneOverrides::default() };
    let scene = clearsweep_scene::load_scene(&dir.path().join("scene.toml"), &overrides).expect("a scene");
    let shards = dir.path().join("shards");
    for index in 0..4 {
        let before = store.bytes_read();
        shard(&scene, (index, 4), &shards).expect("a shard");
        let read = store.bytes_read() - before;
        // Its quarter, and some blocks of 256 KiB for the footer, which is read twice, and at both
        // ends.
        assert!(read < size / 4 + 6 * (256 << 10), "shard {index} reads {read} of {size} bytes");
    }
    assert!(size > 5 * (6 * (256 << 10)) / 4, "{size} bytes are too few to tell");
    merge(&shards, Some(&scene), &MergeOptions::new(dir.path().join("merged"))).expect("merged");
    let before = store.bytes_read();
    one_machine(&scene, &dir.path().join("one"));
    assert_eq!(store.bytes_read() - before, size, "no byte is read twice");
    assert_eq!(tables(&dir.path().join("merged")), tables(&dir.path().join("one")));
}

/// A poses file that changes, or a network that fails, at each operation of the reader.
#[test]
fn poses_that_cannot_be_read_to_their_end_are_named() {
    let (dir, scene) = made(10);
    let (store, root) = bucket("poses-failing");
    put(&store, &dir.path().join("poses.parquet"), "t.parquet");
    let mut failures = 0;
    for at in 0.. {
        store.fail(Some(Fault::Before(at)));
        let out = dir.path().join(format!("out{at}"));
        let ended = run_with(&scene, &root.join("t.parquet"), &out);
        let has_failed = store.has_failed();
        store.fail(None);
        match ended {
            Ok(()) => assert_eq!(tables(&out), tables(&dir.path().join("one"))),
            Err(error) => {
                failures += 1;
                assert!(error.to_string().contains("s3://poses-failing/t.parquet"), "{error}");
                assert!(!out.join("manifest.json").exists());
            }
        }
        if !has_failed {
            break;
        }
    }
    assert!(failures >= 2, "{failures}");
    let missing = run_with(&scene, &PathBuf::from("s3://poses-failing/none"), &dir.path().join("x"));
    assert!(missing.expect_err("nothing there").to_string().contains("names no object"));
}
