"""IFC files as scenes: what is a body, what is exact, what the kernels agree about, and which pairs are connected."""

from __future__ import annotations

import collections
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import tomllib
from typing import Any

import clearsweep as cs
import numpy as np
import pytest
from conftest import shared
from ifc_text import IfcText

pytest.importorskip("ifclite_geom")
parquet: Any = pytest.importorskip("pyarrow.parquet")

from clearsweep._convert.ifc_kernels import ifclite  # noqa: E402 - needs numpy
from clearsweep._convert.meshes import Mesh  # noqa: E402
from clearsweep._convert.part21 import Exchange  # noqa: E402

WALL = ",$,.STANDARD."


def data(name: str) -> pathlib.Path:
    """A file of the shared data."""
    return shared("ifc", name)


def needs_both() -> None:
    pytest.importorskip("ifcopenshell")


def bodies(folder: pathlib.Path) -> dict[str, dict[str, Any]]:
    """The rows of both tables of a scene, by body."""
    files = [folder / f"{name}.parquet" for name in ("bodies", "shapes")]
    return {row["body"]: row for file in files if file.exists() for row in parquet.read_table(file).to_pylist()}


def pairs(scene: cs.Scene, **options: Any) -> dict[frozenset[str], dict[str, Any]]:
    found = cs.run(scene, progress=False, **options).pairs.to_arrow().to_pylist()
    return {frozenset((row["body_a"], row["body_b"])): row for row in found}


def test_one_clash_among_ducts_that_are_connected(tmp_path: pathlib.Path) -> None:
    done = cs.convert(data("MEP.ifc"), tmp_path / "mep")
    assert done["bodies"] == 8 and "ignored: 6 pairs whose ports are connected" in done["notes"]
    result = cs.run(tmp_path / "mep" / "scene.toml", progress=False)
    assert result.verdict == "violated" and result.summary["pairs_violated"] == 1
    worst: dict[str, Any] = result.worst or {}
    assert {worst["body_a"], worst["body_b"]} == {"3D9pjHJ0HCnggyepvsht8s", "2pn6mN4yn3lgTn1Z$mKSlD"}
    table = bodies(tmp_path / "mep")
    ducts = [row for row in table.values() if row["class"] == "IfcFlowSegment"]
    assert len(ducts) == 5 and {row["deviation_source"] for row in ducts} == {"exact"}
    assert {row["layer"] for row in table.values()} == {"Supply air"}
    # ifclite-geom fills the bends. The file says what they enclose: that is noticed without a
    # second kernel.
    assert sum("undecided" in note for note in done["notes"]) == 3
    bends = [row for row in table.values() if row["class"] == "IfcFlowFitting"]
    assert all(row["kernel_check"].startswith("undecided") and row["deviation"] is None for row in bends)
    assert done["deviations"]["unknown"] == {"bodies": 3, "most_m": None}
    # Pairs that rest on them are counted by every run.
    assert result.summary["deviation"]["unknown"] == 12


def test_distances_of_services_and_building(tmp_path: pathlib.Path) -> None:
    with pytest.warns(cs.Warning, match="IfcFlowFitting"):
        scene = cs.Scene.from_ifc([data("MEP.ifc"), data("Architectural.ifc")], out=tmp_path / "all", within="0.5m")
    table = bodies(tmp_path / "all")
    classes = collections.Counter(row["class"] for row in table.values())
    assert classes == {
        "IfcFlowSegment": 5, "IfcFlowFitting": 3, "IfcMember": 25, "IfcCovering": 20, "IfcWallStandardCase": 14,
        "IfcPlate": 12, "IfcSlab": 1, "IfcDoor": 1, "IfcWindow": 1, "IfcBuildingElementProxy": 1}  # fmt: skip
    assert {row["group"][-1] for row in table.values()} == {"MEP", "Architectural"}
    assert "3.Nadzemní podlaží" in {row["level"] for row in table.values()}
    found = pairs(scene, answer="distance")
    with open(data("pairs.csv"), encoding="utf-8") as file:
        expected = [row for row in csv.DictReader(file) if {row["guid_a"], row["guid_b"]} <= set(table)]
    clear = [row for row in expected if row["what"] == "clear"]
    assert len(clear) == 9
    for row in clear:
        pair = found[frozenset((row["guid_a"], row["guid_b"]))]
        # Their gaps are those of chords of 39 a turn.
        assert pair["lower_m"] - 1e-6 <= float(row["gap_m"]) <= pair["upper_m"] + 2 * 5e-4
    connected = {frozenset((row["guid_a"], row["guid_b"])) for row in expected if "ports" in row["what"]}
    assert len(connected) == 6 and not connected & set(found)
    services = {name for name, row in table.items() if "MEP" in row["group"]}
    near = {pair for pair, row in found.items() if pair & services and row["lower_m"] < 0.15}
    assert near == {frozenset(("3D9pjHJ0HCnggyepvsht8s", "2pn6mN4yn3lgTn1Z$mKSlD"))}


def test_both_kernels_agree_but_for_the_bends(tmp_path: pathlib.Path) -> None:
    needs_both()
    done = cs.convert([data("MEP.ifc"), data("Architectural.ifc")], tmp_path / "all", kernel="both")
    left_out = done["left_out"]["since they are no physical things"]
    assert done["bodies"] + left_out["IfcOpeningElement"] + left_out["IfcSpace"] == 88
    table = bodies(tmp_path / "all").values()
    checks = collections.Counter((row["kernel_check"].partition(":")[0], row["kernel"]) for row in table)
    # The solids of the file say that the second kernel has the bends right.
    assert checks == {("agrees", "ifclite"): 80, ("settled", "ifcopenshell"): 3}
    bends = [row for row in table if row["class"] == "IfcFlowFitting"]
    assert all(row["deviation_source"] == "proven" and row["deviation"] < 2e-3 for row in bends)
    second = cs.convert(data("MEP.ifc"), tmp_path / "second", kernel="ifcopenshell")
    assert "proven" in second["deviations"] and not any("undecided" in note for note in second["notes"])
    # The mesher was asked for 1 mm.
    assert second["deviations"]["proven"]["most_m"] > 1e-3


def test_the_same_file_makes_the_same_bytes(tmp_path: pathlib.Path) -> None:
    path = data("Architectural.ifc")
    for name in ("a", "b"):
        cs.convert(path, tmp_path / name)
    for file in ("scene.toml", "geometry.glb", "bodies.parquet", "shapes.parquet"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes(), file


def test_solids_that_are_lifted_are_those_of_the_file(tmp_path: pathlib.Path) -> None:
    text = IfcText("MILLI")
    box = text.product("IFCWALL", text.extruded(text.rectangle(4000, 200), 2500), at=(0, 0, 100), more=WALL)
    rod = text.product("IFCPIPESEGMENT", text.extruded(text.circle(50), 1000, (0, 0, 1)), at=(0, 5000, 0))
    pipe = text.product("IFCPIPESEGMENT", text.extruded(text.circle(50, 5), 1000), at=(0, 6000, 0))
    skew = text.product("IFCMEMBER", text.extruded(text.circle(50), 1000, (1, 0, 1)), at=(0, 7000, 0), more=",$,$")
    roof = text.product(
        "IFCROOF", text.extruded(text.polygon((0, 0), (3000, 0), (0, 1000)), 500), at=(0, 8000, 0), more=",$,$"
    )
    angle = [(0, 0), (2000, 0), (2000, 500), (500, 500), (500, 2000), (0, 2000)]
    ell = text.product("IFCSLAB", text.extruded(text.polygon(*angle), 200), at=(0, 9000, 0), more=",$,$")
    line = text.product(
        "IFCREINFORCINGBAR", text.swept(8, (0, 0, 0), (500, 0, 0)), at=(0, 12000, 0), more=",$,$,$,$,$,$,$,$,$"
    )
    middle = 200 * math.sqrt(0.5)
    bent = text.bar(8, [(0, 0, 0), (500, 0, 0), (500 + middle, 200 - middle, 0), (700, 200, 0), (700, 600, 0)],
                    "IFCLINEINDEX((1,2)),IFCARCINDEX((2,3,4)),IFCLINEINDEX((4,5))")  # fmt: skip
    bar = text.product("IFCREINFORCINGBAR", bent, at=(0, 13000, 0), more=",$,$,$,$,$,$,$,$,$")
    kinked = text.swept(8, (0, 0, 0), (500, 0, 0), (500, 500, 0))
    kink = text.product("IFCREINFORCINGBAR", kinked, at=(0, 15000, 0), more=",$,$,$,$,$,$,$,$,$")
    done = cs.convert(text.write(tmp_path / "a.ifc"), tmp_path / "a")
    table, scene = bodies(tmp_path / "a"), tomllib.loads((tmp_path / "a" / "scene.toml").read_text())
    assert json.loads(table[box]["shape"].split("=")[1].split("}")[0]) == ["4.0m", "0.2m", "2.5m"]
    assert table[box]["z"] == 1.35 and table[box]["level"] == "Level 1" and table[box]["class"] == "IfcWall"
    assert table[rod]["shape"].startswith('{ cylinder = ["0.05m", "1.0m"] }')
    assert "rectangular_torus" in table[pipe]["shape"] and table[skew]["matrix"] and "points" in table[roof]["shape"]
    assert "cylinder" in table[line]["shape"]
    assert {table[name]["deviation_source"] for name in (box, rod, pipe, skew, roof, line)} == {"exact"}
    # One line of two cylinders and a part of a torus is a body of parts.
    (parts,) = [body["parts"] for body in scene["body"] if body["name"] == bar]
    assert [next(iter(part)) for part in parts] == ["cylinder", "angle", "cylinder"] and bar not in table
    assert float(parts[1]["angle"].removesuffix("deg")) == pytest.approx(90, abs=1e-9)
    # Triangles of an L are held against its faces; a line with a kink says not what the disk does
    # there.
    assert table[ell]["deviation_source"] == "proven" and table[ell]["deviation"] < 1e-5
    assert table[kink]["deviation_source"] == "declared"
    assert done["deviations"]["exact"]["bodies"] == 7
    # Exact distances: the rod is 4.85 m from the wall, and the pipe 0.9 m from the rod.
    found = pairs(cs.Scene.load(tmp_path / "a" / "scene.toml"), within="5m")
    for pair, distance in ((frozenset((box, rod)), 4.85), (frozenset((rod, pipe)), 0.9)):
        assert found[pair]["lower_m"] - 1e-9 <= distance <= found[pair]["upper_m"] + 1e-9
        assert found[pair]["upper_m"] - found[pair]["lower_m"] < 1e-7


def test_solids_in_any_place_are_those_of_both_kernels(tmp_path: pathlib.Path) -> None:
    needs_both()
    random, one = np.random.default_rng(3), 1 / 0.3048
    text = IfcText("FOOT")

    def axes(count: int) -> list[list[float]]:
        """Random axes at right angles, mirrored half of the time."""
        found, _ = np.linalg.qr(random.normal(size=(3, 3)))
        return [column.tolist() for column in found.T[:count]]

    for index in range(24):
        a, b, c = random.uniform(0.2, 1, 3) * one
        corners = [(0, 0), (a, 0), (a + b, b), (0, c)], [(0, 0), (a, 0), (a / 3, b / 3), (0, b)]
        profile = [text.rectangle(a, b), text.circle(a), text.circle(a, a / 3), text.polygon(*corners[index // 6 % 2])][
            index % 4
        ]
        if index % 4 in (1, 2) and index % 3 == 0:
            item = text.turned(profile, 2 * a, random.uniform(0.5, 2))
        else:
            item = text.extruded(profile, c, (0, 0, 1) if index % 5 else (0.3, 0.2, 1))
        if index % 2:
            stretch: list[float] = [*map(float, random.uniform(0.5, 2, 2))] if index % 8 == 1 else []
            item = text.mapped(item, (random.normal(size=3) * one).tolist(), random.uniform(0.5, 2), axes(3), stretch)
        text.product("IFCMEMBER", item, at=(random.normal(size=3) * 9 * one).tolist(), turn=axes(2)[:2], more=",$,$")
    done = cs.convert(text.write(tmp_path / "a.ifc"), tmp_path / "a", kernel="both")
    assert "unknown" not in done["deviations"], done["notes"]
    # Oblique rings and turned solids under a stretch are the only ones of which nothing is known.
    assert done["deviations"]["exact"]["bodies"] >= 16
    assert done["deviations"]["exact"]["bodies"] + done["deviations"]["proven"]["bodies"] >= 22
    assert cs.Scene.load(tmp_path / "a" / "scene.toml").unit == "mm"


def test_an_opening_is_cut(tmp_path: pathlib.Path) -> None:
    text = IfcText()
    wall = text.product("IFCWALL", text.extruded(text.rectangle(4, 0.2), 2.5), more=WALL)
    opening = text.opening(text.extruded(text.rectangle(1, 0.4), 2), (0, 0, 0.25), text.members[-1])
    door = text.product("IFCDOOR", text.extruded(text.rectangle(0.9, 0.1), 1.9), at=(0, 0, 0.3), more=",$,$,$,$,$,$")
    done = cs.convert(text.write(tmp_path / "a.ifc"), tmp_path / "a")
    table = bodies(tmp_path / "a")
    assert done["left_out"]["since they are no physical things"] == {"IfcOpeningElement": 1} and opening not in table
    assert table[wall]["deviation_source"] == "declared" and table[door]["deviation_source"] == "exact"
    row = pairs(cs.Scene.load(tmp_path / "a" / "scene.toml"), within="1m")[frozenset((wall, door))]
    assert row["lower_m"] - 1e-6 <= 0.05 <= row["upper_m"] + 1e-6
    # The volume of the wall is that with a hole.
    product = next(iter(ifclite("a.ifc", (tmp_path / "a.ifc").read_bytes()).products.values()))
    assert product.mesh.volume() == pytest.approx(2.0 - 0.4, abs=1e-5)


@pytest.mark.parametrize("kernel", ["ifclite", "ifcopenshell"])
def test_a_site_far_from_the_origin(tmp_path: pathlib.Path, kernel: Any) -> None:
    if kernel == "ifcopenshell":
        needs_both()
    text = IfcText("MILLI", (7e9, 1e8, 0))
    angle = [(0, 0), (2000, 0), (2000, 500), (500, 500), (500, 2000), (0, 2000)]
    first = text.product("IFCSLAB", text.extruded(text.polygon(*angle), 200), more=",$,$")
    second = text.product("IFCSLAB", text.extruded(text.polygon(*angle), 200), at=(0, 2003, 0), more=",$,$")
    box = text.product("IFCWALL", text.extruded(text.rectangle(100, 100), 200), at=(1000, 1000, 0), more=WALL)
    cs.convert(text.write(tmp_path / "far.ifc"), tmp_path / "far", kernel=kernel)
    table = bodies(tmp_path / "far")
    assert all(row["deviation"] < 5e-6 for row in table.values())
    # 64-bit numbers are 1e-9 m apart there: the box is known to less than 1e-6 m, and is not called
    # exact.
    assert table[box]["deviation_source"] == "proven" and 1e-9 < table[box]["deviation"] < 1e-6
    found = pairs(cs.Scene.load(tmp_path / "far" / "scene.toml"), within="1m")
    for pair, distance in ((frozenset((first, second)), 3e-3), (frozenset((first, box)), 0.45)):
        assert found[pair]["lower_m"] <= distance <= found[pair]["upper_m"] < distance + 2e-5


def test_a_mapped_item_within_a_mapped_item(tmp_path: pathlib.Path) -> None:
    text = IfcText()
    inner = text.mapped(text.extruded(text.circle(0.1), 1), (1, 0, 0))
    pipe = text.product("IFCPIPESEGMENT", text.mapped(inner, (0, 2, 0), 2.0), at=(0, 0, 3))
    path = text.write(tmp_path / "a.ifc")
    cs.convert(path, tmp_path / "a", kernel="both") if _has("ifcopenshell") else cs.convert(path, tmp_path / "a")
    row = bodies(tmp_path / "a")[pipe]
    assert row["shape"].startswith('{ cylinder = ["0.2m", "2.0m"] }') and row["kernel_check"] in (None, "agrees")
    assert (row["x"], row["y"], row["z"]) == (2.0, 2.0, 4.0)


def test_walls_in_one_plane_touch_or_clash(tmp_path: pathlib.Path) -> None:
    text = IfcText("MILLI")
    walls = [
        text.product("IFCWALL", text.extruded(text.rectangle(1000, 200), 2500), at=(x, 0, 0), more=WALL)
        for x in (0, 1000, 1950)
    ]
    cs.convert(text.write(tmp_path / "a.ifc"), tmp_path / "a")
    found = pairs(cs.Scene.load(tmp_path / "a" / "scene.toml"), within="1m")
    assert abs(found[frozenset(walls[:2])]["min_distance_m"]) < 1e-9
    assert found[frozenset(walls[1:])]["min_distance_m"] == pytest.approx(-0.05, abs=1e-9)


def test_systems_ports_and_repeated_guids(tmp_path: pathlib.Path) -> None:
    text = IfcText()
    segments = [
        text.product("IFCPIPESEGMENT", text.extruded(text.circle(0.1, 0.01), 1), at=(0, 0, z)) for z in (0, 1, 2)
    ]
    text.system("Cold water", *text.members)
    text.connect(segments[0], segments[1])
    cs.convert(text.write(tmp_path / "a.ifc"), tmp_path / "a")
    table = bodies(tmp_path / "a")
    assert all(row["group"] == ["Cold water"] for row in table.values())
    touching = pairs(cs.Scene.load(tmp_path / "a" / "scene.toml"))
    assert set(touching) == {frozenset(segments[1:])}
    twice = (tmp_path / "a.ifc").read_text().replace(f"('{segments[2]}'", f"('{segments[1]}'")
    (tmp_path / "b.ifc").write_text(twice)
    done = cs.convert(tmp_path / "b.ifc", tmp_path / "b")
    assert f"{segments[1]}#2" in bodies(tmp_path / "b") and any("#2" in note for note in done["notes"])


def test_numbers_and_texts_of_exchange_files() -> None:
    lines = [
        "#1=IFCA('it''s; #7=IFCB(','\\X2\\00E9\\X0\\\\X\\DF\\S\\d\\\\',.T.,*,$,-1.5E-3,7,(#2,(#3)),IFCREAL(2.),\"0F\");",
        "/* #8=IFCNONE(1); */ #9 = IFCB ( #1 , () ) ;",
    ]
    file = Exchange("a.ifc", ("ISO-10303-21;HEADER;FILE_SCHEMA(('IFC4'));ENDSEC;DATA;" + "\n".join(lines)).encode())
    assert file.types == {1: "IFCA", 9: "IFCB"} and file.schema == "IFC4"
    assert file[1] == ["it's; #7=IFCB(", "éßä\\", "T", "*", None, -1.5e-3, 7, [2, [3]], ("IFCREAL", 2.0), "0F"]
    assert file[9] == [1, []]


def test_what_cannot_be_converted_is_refused(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = IfcText()
    text.product("IFCWALL", text.extruded(text.rectangle(1, 1), 1), more=WALL)
    good = text.write(tmp_path / "good.ifc")
    (tmp_path / "zip.ifc").write_bytes(b"PK\3\4")
    (tmp_path / "step.ifc").write_text(good.read_text().replace("IFC4", "AUTOMOTIVE_DESIGN"))
    (tmp_path / "empty.ifc").write_text(good.read_text().replace("IFCWALL(", "IFCSPACE("))
    cut = good.read_text()
    (tmp_path / "cut.ifc").write_text(cut[: cut.index("IFCWALL(") + 40])
    for name, word in (
        ("zip", "ZIP"),
        ("step", "schema"),
        ("empty", "no product with a body"),
        ("cut", "#"),
        ("none", "cannot be read"),
    ):
        with pytest.raises(cs.Error) as told:
            cs.convert(tmp_path / f"{name}.ifc", tmp_path / "out")
        assert word in str(told.value) and told.value.help and not (tmp_path / "out").exists(), name
    with pytest.raises(cs.Error, match="--tolerance"):
        cs.convert(good, tmp_path / "out", tolerance="1mm")
    with pytest.raises(cs.Error, match="extract it"):
        cs.convert(tmp_path / "good.ifczip", tmp_path / "out")
    monkeypatch.setitem(sys.modules, "ifclite_geom", None)
    with pytest.raises(cs.Error, match="ifclite-geom is not installed") as told:
        cs.convert(good, tmp_path / "out")
    assert told.value.help.startswith('pip install "ifclite-geom>=4.15,<5" "numpy') and "`ifc`" in told.value.help


def test_the_program_converts_and_never_replaces(tmp_path: pathlib.Path) -> None:
    text = IfcText()
    text.product("IFCWALL", text.extruded(text.rectangle(1, 1), 1), more=WALL)
    path = text.write(tmp_path / "a.ifc")

    def program(*words: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "clearsweep", *map(str, words)], capture_output=True, text=True)

    out = tmp_path / "made" / "a"
    done = program("convert", path, "--out", out, "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["bodies"] == 1 and "1 exact" in done.stderr
    assert sorted(entry.name for entry in out.iterdir()) == ["scene.toml", "shapes.parquet"]
    assert program("check", out / "scene.toml").returncode == 0
    again = program("convert", path, "--out", out)
    assert again.returncode == 2 and "--force" in again.stderr
    assert program("convert", path, "--out", out, "--force").returncode == 0
    (out / "notes.txt").write_text("mine")
    foreign = program("convert", path, "--out", out, "--force")
    assert foreign.returncode == 2 and (out / "notes.txt").exists()
    assert [entry.name for entry in out.parent.iterdir()] == ["a"]


def test_messages_of_convert_are_those_of_the_program(tmp_path: pathlib.Path) -> None:
    text = IfcText()
    text.product("IFCWALL", text.extruded(text.rectangle(1, 1), 1), more=WALL)
    path, out = text.write(tmp_path / "a.ifc"), tmp_path / "out"

    def program(*words: object, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {name: value for name, value in os.environ.items() if "COLOR" not in name} | variables
        command = [sys.executable, "-m", "clearsweep", *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, env=environment)

    def objects(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
        return [json.loads(line) for line in done.stderr.splitlines()]

    # Every line is an object with the keys of the program's, in any place of the command line.
    for words in (
        ["convert", tmp_path / "none.ifc", "--out", out, "--errors", "json"],
        ["--errors=json", "convert", tmp_path / "none.ifc", "--out", out],
    ):
        done = program(*words)
        [told] = objects(done)
        assert done.returncode == told["exit_code"] == 1 and not done.stdout and told["level"] == "error"
        assert told["kind"] == "input" and told["file"] == told["place"] == str(tmp_path / "none.ifc")
        assert "cannot be read" in told["message"] and told["help"] == "check the path"
    [of_program] = objects(program("check", tmp_path / "none.toml", "--errors", "json"))
    assert list(of_program) == list(told)
    for words in (["--out", out], [path], [path, "--out", out, "--kernel", "none"], [path, "--ou", out]):
        done = program("convert", *words, "--errors", "json")
        [told] = objects(done)
        assert done.returncode == told["exit_code"] == 2 and told["kind"] == "usage" and told["help"], words
        assert told["place"] == "arguments" and told["file"] is None
    done = program("convert", path, "--out", out, "--json", "--errors", "json")
    assert done.returncode == 0 and json.loads(done.stdout)["bodies"] == 1
    assert len(objects(done)) > 1 and all(list(told) == ["level", "message"] for told in objects(done))
    # Without objects, a text; red where it is wanted.
    plain = f"error: {tmp_path / 'none.ifc'}: cannot be read: No such file or directory\n  help: check the path\n"
    red = plain.replace("error:", "\x1b[1m\x1b[31merror:\x1b[0m")
    other = tmp_path / "other"
    wrong = ["convert", tmp_path / "none.ifc", "--out", other]
    assert program(*wrong).stderr == program(*wrong, "--color", "never", CLICOLOR_FORCE="1").stderr == plain
    assert program(*wrong, "--color=always", NO_COLOR="1").stderr == red
    assert program(*wrong, CLICOLOR_FORCE="1").stderr == program("--color", "always", *wrong).stderr == red
    done = program("check", tmp_path / "none.toml", "--color", "always")
    assert done.stderr.startswith("\x1b[1m\x1b[31merror:\x1b[0m ")
    # Behind `--`, a flag is the name of a file.
    assert program("convert", "--out", other, "--", "--errors=json").stderr.startswith("error: --errors=json")


def test_a_reader_that_closes_the_pipe_is_no_error(tmp_path: pathlib.Path) -> None:
    text = IfcText()
    text.product("IFCWALL", text.extruded(text.rectangle(1, 1), 1), more=WALL)
    path = text.write(tmp_path / "a.ifc")
    command = [sys.executable, "-m", "clearsweep", "convert", path, "--out", tmp_path / "out", "--json"]
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(list(map(str, command)), stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert done.returncode == 0 and "Traceback" not in done.stderr and "Exception" not in done.stderr


def test_a_scene_without_a_folder_goes_with_its_files(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (scratch := tmp_path / "scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    text = IfcText()
    walls = [
        text.product("IFCWALL", text.extruded(text.rectangle(1, 0.2), 1), at=(0, y, 0), more=WALL) for y in (0, 0.25)
    ]
    scene = cs.Scene.from_ifc(text.write(tmp_path / "a.ifc"), require="100mm").rule(
        "walls", "class:IfcWall", require="60mm"
    )
    assert scene.bodies == walls and scene.unit == "mm"
    assert cs.run(scene, progress=False).summary["pairs_violated"] == 1
    folder = next(line.split('"')[1] for line in scene.to_toml().splitlines() if line.startswith("table"))
    assert os.path.exists(folder) and folder.startswith(str(scratch))
    del scene
    assert list(scratch.iterdir()) == []
    with pytest.raises(cs.Error):
        cs.Scene.from_ifc(tmp_path / "none.ifc")
    assert list(scratch.iterdir()) == []


def test_a_mesh_knows_what_it_encloses() -> None:
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 2) for z in (0, 3)], dtype=np.float64) + 100
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])
    box = Mesh(corners, triangles)
    assert box.volume() == pytest.approx(6) and box.area() == pytest.approx(22) and box.is_closed()
    assert not Mesh(corners, triangles[1:]).is_closed()


def _has(name: str) -> bool:
    try:
        __import__(name)
    except ImportError:
        return False
    return True
