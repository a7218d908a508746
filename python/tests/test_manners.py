"""Interrupts, progress, warnings, threads, memory."""

from __future__ import annotations

import gc
import os
import pathlib
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from typing import Any

import clearsweep as cs
import numpy as np
import polars as pl
import pytest
from conftest import NAMES, ROOT, Motion, apart, spheres

# They come without types.
pa = pytest.importorskip("pyarrow")

SLOW = bool(os.environ.get("CLEARSWEEP_SLOW"))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_an_interrupt_at_any_moment_leaves_nothing(tmp_path: pathlib.Path) -> None:
    made = cs.generate("crowd", tmp_path / "set", bodies=60, frames=60_000)
    script = textwrap.dedent(f"""
        import clearsweep as cs
        print("ready", flush=True)
        try:
            cs.run({made["scene"]!r}, out={str(tmp_path / "out")!r}, progress=False)
            print("done", flush=True)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """)
    stopped = 0
    chance = random.Random(7)
    for _ in range(50 if SLOW else 6):
        child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert child.stdout is not None and child.stdout.readline() == "ready\n"
        time.sleep(chance.uniform(0.0, 0.5))
        os.kill(child.pid, signal.SIGINT)
        out, err = child.communicate(timeout=60)
        # Before the `try` begins, Python itself ends.
        assert out == "interrupted\n" or "KeyboardInterrupt" in err, (out, err)
        stopped += bool(out)
        folder = tmp_path / "out"
        assert not folder.exists() or not any(folder.iterdir())
    assert stopped > 0


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_an_interrupt_ends_queries_and_streams(motion: Motion) -> None:
    def later() -> None:
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGINT)

    poses = np.tile(np.array([0.9, 0.1, 0.8, 1, 0, 0, 0]), (3_000_000, 1))
    threading.Thread(target=later).start()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(100):
            cs.pair({"box": [1, 1, 1]}, {"cylinder": [1, 1, 64]}).query(b_poses=poses)


def test_progress_tells_frames_rows_and_share() -> None:
    told: list[tuple[int, int, float]] = []

    def tell(frames: int, rows: int, share: float) -> None:
        told.append((frames, rows, share))

    result = cs.run(spheres(), apart(500, 1.0), bodies=NAMES, progress=tell)
    frames, rows, share = told[-1]
    assert (frames, rows) == (500, 500) and 0.0 <= share <= 1.0 and result.summary["rows"] == 500

    def broken(*_: object) -> None:
        raise RuntimeError("the callback broke")

    with pytest.raises(RuntimeError, match="callback broke"):
        cs.run(spheres(), apart(500, 1.0), bodies=NAMES, progress=broken)


def test_without_tqdm_progress_is_silent(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    cs.run(spheres(), apart(5, 1.0), bodies=NAMES)
    assert capfd.readouterr() == ("", "")


def test_suspicious_input_is_a_warning(motion: Motion) -> None:
    poses = apart(5, 1.0)
    poses[3, 1, 0] = 1e6  # a jump
    with pytest.warns(cs.Warning, match="ball-1") as caught:
        cs.run(spheres(), poses, bodies=NAMES, progress=False)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error", cs.Warning)
        with pytest.raises(cs.Warning):
            cs.run(spheres(), poses, bodies=NAMES, progress=False)


def test_twenty_threads_at_once(motion: Motion) -> None:
    scene = cs.Scene.load(motion.scene)
    expected = cs.run(scene, progress=False).distances.to_polars()
    found: list[bool] = []

    def work(index: int) -> None:
        poses: Any = [None, motion.table, motion.array][index % 3]
        options: dict[str, Any] = {"bodies": motion.bodies, "times": motion.times} if index % 3 == 2 else {}
        result = cs.run(scene, poses, threads=1 + index % 2, progress=False, **options)
        found.append(result.distances.to_polars().equals(expected))

    threads = [threading.Thread(target=work, args=(index,)) for index in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 20


def test_the_gil_is_released(motion: Motion) -> None:
    ticks = 0
    stop = threading.Event()

    def count() -> None:
        nonlocal ticks
        while not stop.wait(0.001):
            ticks += 1

    thread = threading.Thread(target=count)
    thread.start()
    cs.run(spheres(), apart(300_000, 1.0), bodies=NAMES, progress=False)
    stop.set()
    thread.join()
    assert ticks > 5, ticks  # with the GIL held, the other thread would not run at all


def test_streams_wait_for_their_consumer_and_end_with_it() -> None:
    before = threading.active_count()
    poses = apart(200_000, 1.0)
    stream = cs.stream(spheres(), poses, bodies=NAMES, batch_rows=1000)
    first = next(iter(stream))
    assert 1000 <= first.num_rows < 2000 and stream.summary is None
    del stream
    gc.collect()
    assert threading.active_count() == before
    poses.resize((1, 2, 7), refcheck=False)  # no longer held


def test_streams_are_read_once_by_any_library(motion: Motion) -> None:
    expected = cs.run(motion.scene, progress=False).distances.to_polars()
    assert pl.DataFrame(cs.stream(motion.scene)).equals(expected)
    counted = pa.table(cs.stream(motion.scene, motion.table.lazy()))
    assert counted.num_rows == expected.height
    stream = cs.stream(motion.scene, motion.table)
    assert sum(batch.num_rows for batch in stream) == expected.height
    assert stream.summary is not None and stream.summary["rows"] == expected.height
    with pytest.raises(cs.Error, match="read already"):
        pl.DataFrame(stream)


def test_an_error_in_the_middle_of_a_stream_is_raised() -> None:
    poses = apart(5000, 1.0)
    poses[4000, 0, 0] = np.nan
    with pytest.raises(cs.Error, match="sample 4000"):
        for _ in cs.stream(spheres(), poses, bodies=NAMES, batch_rows=100):
            pass


def resident() -> int:
    """Bytes of memory of this process."""
    fields = pathlib.Path("/proc/self/statm").read_text().split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.slow
@pytest.mark.skipif(not pathlib.Path("/proc/self/statm").exists(), reason="memory is measured on Linux")
def test_repeated_runs_do_not_grow() -> None:
    scene, poses = spheres(), apart(200, 1.0)

    def once() -> None:
        result = cs.run(scene, poses, bodies=NAMES, progress=False)
        assert pl.DataFrame(result.distances).height == 200
        with pytest.raises(cs.Error):
            cs.run(scene, poses, bodies=["x", "y"], progress=False)
        with cs.stream(scene, poses, bodies=NAMES) as stream:
            next(iter(stream))

    for _ in range(50):
        once()
    gc.collect()
    before = resident()
    runs = 1000 if SLOW else 100
    for _ in range(runs):
        once()
    gc.collect()
    growth = resident() - before
    assert growth < 16 << 20, f"{growth / runs:.0f} bytes a run"


def test_commands_are_functions(tmp_path: pathlib.Path, motion: Motion) -> None:
    shuffled = tmp_path / "shuffled.parquet"
    motion.table.sample(fraction=1.0, shuffle=True, seed=1).write_parquet(shuffled)
    sorted_rows = cs.sort(shuffled, tmp_path / "sorted.parquet", memory="64MB")
    assert sorted_rows["rows"] == motion.table.height
    assert len(cs.run(motion.scene, tmp_path / "sorted.parquet", out=tmp_path / "out", progress=False).distances) > 0
    cs.export(tmp_path / "out", to=tmp_path / "csv")
    assert (tmp_path / "csv" / "pairs.csv").exists()
    cs.export(tmp_path / "out", to=tmp_path / "json", format="ndjson", gzip=True)
    assert (tmp_path / "json" / "pairs.ndjson.gz").exists()
    with pytest.raises(cs.Error) as caught:
        cs.generate("crowds", tmp_path / "set")
    assert caught.value.kind == "usage" and "crowds" in caught.value.problem
    with pytest.raises(cs.Error):
        cs.sort(tmp_path / "none.parquet", tmp_path / "x.parquet")


def test_the_docstring_of_run_says_shapes_units_and_errors() -> None:
    text = cs.run.__doc__ or ""
    for word in ("(frames, bodies, 7)", "4, 4)", "metres", "Raises", "KeyboardInterrupt", "in place", "xyz_xyzw"):
        assert word in text or word == "in place"
    assert (ROOT / "python" / "clearsweep" / "py.typed").exists()
