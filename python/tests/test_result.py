"""Results and their tables."""

from __future__ import annotations

import gc
import os
import pathlib
import sys
import threading
from typing import Any, cast

import arro3.core
import clearsweep as cs
import numpy as np
import polars as pl
import pytest
from conftest import NAMES, Motion, apart, spheres
from polars.testing import assert_frame_equal

# They come without types.
pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
duckdb = pytest.importorskip("duckdb")


def test_a_report_is_made_of_tables_in_a_directory(motion: Motion, tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"
    result = cs.run(motion.scene, require="50mm", out=out, progress=False)
    page, table = tmp_path / "page.html", tmp_path / "pairs.csv"
    files = result.report(page, csv=table)
    assert [file["format"] for file in files] == ["html", "csv"]
    assert page.stat().st_size == files[0]["bytes"] and table.read_bytes()
    with pytest.raises(cs.Error, match="exists already"):
        result.report(page)
    cs.Result.open(out).report(page, force=True, views=False, max_issues=1)
    with pytest.raises(cs.Error, match="no file is asked for"):
        result.report()


def test_a_report_of_tables_in_memory_is_refused(result: cs.Result, tmp_path: pathlib.Path) -> None:
    with pytest.raises(cs.Error, match="in memory"):
        result.report(tmp_path / "page.html")


def test_a_report_of_a_scene_in_code_has_no_views(tmp_path: pathlib.Path) -> None:
    result = cs.run(spheres(), apart(2, 0.3, 0.01), bodies=NAMES, require=0.05, out=tmp_path / "out", progress=False)
    with pytest.raises(cs.Error, match=r"\(views=False\)"):
        result.report(tmp_path / "page.html")
    assert result.report(tmp_path / "page.html", views=False)[0]["format"] == "html"


def test_a_result_is_proven_again(motion: Motion, tmp_path: pathlib.Path) -> None:
    result = cs.run(motion.scene, require="50mm", between="linear", out=tmp_path / "out", progress=False)
    again = result.recheck(all=True, out=tmp_path / "proof")
    assert again["outcome"] in ("proven_again", "not_decided") and again["wrong"] == []
    assert again["rows"] == {"looked_at": result.summary["rows"], "all": result.summary["rows"]}
    table = pl.read_parquet(tmp_path / "proof" / "recheck.parquet")
    assert table.filter(pl.col("what") == "bracket").height == result.summary["rows"]
    with pytest.raises(cs.Error, match="exists already"):
        result.recheck(rows=1, out=tmp_path / "proof")
    # The same seed draws the same rows.
    few = [result.recheck(rows=10, seconds=60, seed=3, pair=None)["rows"] for _ in range(2)]
    assert few[0] == few[1] and few[0]["looked_at"] == 10


def test_a_result_in_memory_is_not_proven_again(result: cs.Result) -> None:
    with pytest.raises(cs.Error, match="in memory"):
        result.recheck()

TABLES = ["distances", "penetrations", "pairs", "runs", "bodies"]


@pytest.fixture(scope="module")
def result(motion: Motion) -> cs.Result:
    return cs.run(motion.scene, require="50mm", between="linear", progress=False)


@pytest.mark.parametrize("name", [*TABLES, "intervals"])
def test_every_library_reads_every_table_again_and_again(result: cs.Result, name: str) -> None:
    table: cs.Table = getattr(result, name)
    frame = table.to_polars()
    assert frame.height == len(table) and table.schema.names == frame.columns
    for _ in range(2):
        assert_frame_equal(pl.DataFrame(table), frame)
        assert pa.table(table).num_rows == frame.height
        assert arro3.core.Table.from_arrow(table).num_rows == frame.height
        assert len(pd.DataFrame.from_arrow(table)) == frame.height
        assert len(table.to_pandas()) == frame.height
        assert pa.table(table).equals(table.to_arrow())


def test_duckdb_opens_the_stream_of_a_relation_several_times(result: cs.Result) -> None:
    pairs = result.pairs
    relation = duckdb.sql("select body_a, min(min_distance_m) as m from pairs group by body_a order by m")
    first = relation.fetchall()
    assert relation.fetchall() == first or relation.execute().fetchall() == first
    assert duckdb.sql("select count(*) from pairs a join pairs b using (run, a_index, b_index)").fetchall() == [(len(pairs),)]
    assert first[0][1] == pairs.to_polars()["min_distance_m"].min()


def test_polars_from_arrow_takes_a_table_for_a_column(result: cs.Result) -> None:
    # The trap that the page names: the constructor of the data frame is right, `from_arrow` is not.
    tables: Any = result.pairs
    found = cast(Any, pl).from_arrow(tables)
    assert isinstance(found, (pl.Series, pl.DataFrame))
    if isinstance(found, pl.Series):
        assert_frame_equal(found.struct.unnest(), pl.DataFrame(result.pairs))


def test_a_result_is_that_of_its_files(motion: Motion, result: cs.Result, tmp_path: pathlib.Path) -> None:
    written = cs.run(motion.scene, out=tmp_path / "out", require="50mm", between="linear", progress=False)
    opened = cs.Result.open(tmp_path / "out")
    assert result.path is None and written.path == opened.path == str(tmp_path / "out")
    for name in [*TABLES, "intervals"]:
        frames = [getattr(one, name).to_polars() for one in (result, written, opened)]
        if name == "bodies":
            frames = [frame.drop("coordinate_step_m", strict=False) for frame in frames]
        assert_frame_equal(frames[0], frames[1])
        assert_frame_equal(frames[1], frames[2])
    assert pl.read_parquet(f"{written.distances.path}/*.parquet").height == len(written.distances)
    assert opened.verdict == result.verdict == "violated" and opened.exit_code == 3
    assert cs.summary(tmp_path / "out")["worst_pairs"][0]["body_a"] == opened.worst["body_a"]  # pyright: ignore[reportOptionalSubscript]


def test_large_results_stay_in_a_directory_of_their_own(motion: Motion) -> None:
    result = cs.run(motion.scene, progress=False, keep=0)
    path = result.path
    assert path is not None and os.path.exists(path)
    table = result.distances
    expected = table.to_polars()
    del result
    gc.collect()
    assert_frame_equal(table.to_polars(), expected)  # a table keeps the directory
    del table
    gc.collect()
    assert not os.path.exists(path)


def test_verdicts_have_the_exit_codes_of_the_program(motion: Motion) -> None:
    poses, names = apart(3, 0.5), NAMES
    codes = {
        "clear": cs.run(spheres(require=0.4), poses, bodies=names, progress=False),
        "nothing required": cs.run(spheres(), poses, bodies=names, progress=False),
        "violated": cs.run(spheres(require=0.6), poses, bodies=names, progress=False),
        "undecided": cs.run(spheres(require=0.5), poses, bodies=names, progress=False),
        "nothing-checked": cs.run(spheres(require=0.4).ignore("*"), poses, bodies=names, progress=False),
    }
    found = {verdict: (result.verdict, result.exit_code) for verdict, result in codes.items()}
    expected = {"clear": 0, "nothing required": 0, "violated": 3, "undecided": 0, "nothing-checked": 2}
    assert found == {verdict: (verdict, code) for verdict, code in expected.items()}


def test_what_is_accepted_counts_no_more(tmp_path: pathlib.Path) -> None:
    first = cs.run(spheres(require=0.6), apart(3, 0.5), bodies=NAMES, out=tmp_path / "a", progress=False)
    assert first.events is not None and first.issues is not None
    events = first.events.to_polars()
    assert len(events) == 1 and events["state"][0] == "new" and events["samples"][0] == 3
    assert first.issues.to_polars()["issue"].to_list() == events["issue"].to_list()
    accepted, bodies = tmp_path / "accepted.csv", (events["body_a"][0], events["body_b"][0])
    assert cs.accept(tmp_path / "a", to=accepted, reason="by design", pair=bodies)["pairs"] == 1
    again = cs.run(
        spheres(require=0.6), apart(3, 0.5), bodies=NAMES, out=tmp_path / "b", accepted=accepted, progress=False
    )
    assert (again.verdict, again.exit_code, again.summary["issues"]["approved"]) == ("accepted", 0, 1)
    found = cs.diff(tmp_path / "a", tmp_path / "b")
    assert found["counts"] == {"new": 0, "worse": 0, "same": 1, "better": 0, "resolved": 0}
    assert cs.run(spheres(), apart(3, 0.5), bodies=NAMES, progress=False).events is None


def test_an_audit_finds_what_tunnels(tmp_path: pathlib.Path) -> None:
    found = cs.audit("datasets/simulator-log/scene.toml", allow="1mm", csv=tmp_path / "list.csv")
    assert (found["verdict"], found["tunnels"]["count"], found["overlaps"]["count"]) == ("found", 2, 6)
    assert sorted(tunnel["body_b"] for tunnel in found["tunnels"]["worst"]) == ["ball-3", "ball-4"]
    assert len((tmp_path / "list.csv").read_text().splitlines()) == 9


def test_the_probability_is_that_of_the_program(motion: Motion) -> None:
    result = cs.run(motion.scene, require="20mm", progress=False)
    found = result.probability()
    assert found.share == result.summary["runs_violated_share"]
    assert np.allclose([found.low, found.high], result.summary["runs_violated_interval"], rtol=0, atol=1e-9)
    with pytest.raises(cs.Error, match="nothing is required"):
        cs.run(motion.scene, progress=False).probability()
    with pytest.raises(cs.Error):
        result.probability(1.5)


def test_the_exact_interval_is_that_of_tables() -> None:
    from clearsweep._result import _clopper_pearson

    # Clopper and Pearson (1934); for count 0 and count n the bounds are known in closed form.
    assert np.allclose(_clopper_pearson(0, 10, 0.95), (0.0, 1 - 0.025 ** (1 / 10)))
    assert np.allclose(_clopper_pearson(10, 10, 0.95), (0.025 ** (1 / 10), 1.0))
    assert np.allclose(_clopper_pearson(4, 200, 0.95), (0.005475, 0.050414), atol=1e-5)
    low, high = _clopper_pearson(1000, 2000, 0.9)
    assert low < 0.5 < high and high - low < 0.04


def test_names_are_escaped_in_notebooks() -> None:
    scene = cs.Scene(within=10, require=1).add("<script>alert(1)</script>", sphere=1).add("b&b", sphere=1)
    result = cs.run(scene, apart(2, 0.5), bodies=["<script>alert(1)</script>", "b&b"], progress=False)
    shown = result._repr_html_()
    assert "<script>" not in shown and "&lt;script&gt;" in shown and "b&amp;b" in shown and "violated" in shown
    assert result.pairs.to_polars()["body_b"].to_list() == ["b&b"]


def test_a_directory_that_is_no_result_is_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(cs.Error) as caught:
        cs.Result.open(tmp_path)
    assert caught.value.kind == "input"
    (tmp_path / "file").write_text("mine")
    with pytest.raises(cs.Error) as caught:
        cs.run("datasets/contact/scene.toml", out=tmp_path, progress=False)
    assert caught.value.kind in ("usage", "output") and "file" in str(caught.value)
    assert (tmp_path / "file").read_text() == "mine"


def test_an_earlier_result_is_replaced_only_by_force(tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"
    cs.run("datasets/contact/scene.toml", out=out, progress=False)
    with pytest.raises(cs.Error) as caught:
        cs.run("datasets/contact/scene.toml", out=out, progress=False)
    assert "force=True" in caught.value.help
    cs.run("datasets/contact/scene.toml", out=out, force=True, progress=False)


def test_optional_libraries_are_named_if_they_are_missing(
    result: cs.Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, method in (("polars", "to_polars"), ("pandas", "to_pandas"), ("pyarrow", "to_arrow")):
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(cs.Error, match=rf"clearsweep\[{module}\]"):
            getattr(result.pairs, method)()


def test_threads_read_one_table_at_once(result: cs.Result) -> None:
    expected = result.distances.to_polars()
    found: list[bool] = []

    def read() -> None:
        found.append(pl.DataFrame(result.distances).equals(expected))

    threads = [threading.Thread(target=read) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 20
