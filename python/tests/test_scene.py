"""Scenes in Python mean what scene files mean."""

from __future__ import annotations

import pathlib
import struct

from typing import Any, cast

import clearsweep as cs
import numpy as np
import pytest
from conftest import NAMES, apart, spheres
from polars.testing import assert_frame_equal

FILE = """
[scene]
length_unit = "mm"
name = "cell"

[query]
within = 500
require = "5 cm"
touch = "0.001 mm"

[[body]]
name = "floor"
shape = { box = [4000, 4000, 200] }
static = true
position = [0, 0, "-10 cm"]
orientation = { rpy = [0, 0, 30] }

[[body]]
name = "post"
shape = { cylinder = [50, "1 m", 16] }
static = true
group = ["steel", "tall"]

[[body]]
name = "wedge"
shape = { points = [[0, 0, 0], [100, 0, 0], [0, 100, 0], [0, 0, 100]] }
static = true
position = [300, 0, 50]
offset = 2.5

[[ignore]]
a = "group:steel"
b = "floor"
reason = "bolted"

[[rule]]
name = "posts"
a = "post"
require = "-1 mm"
severity = "minor"
note = "they stand in the floor"

[[rule]]
name = "head-room"
a = "wedge"
b = "floor"
require = "20 mm"
direction = [0.0, 0.0, -1.0]
footprint = "2 mm"

[[rule]]
name = "others"
a = "*"
require = 10
baseline = "rest"
worse_by = "1 mm"
"""


def test_keys_mean_what_they_mean_in_a_file(tmp_path: pathlib.Path) -> None:
    (tmp_path / "scene.toml").write_text(FILE)
    scene = cs.Scene("mm", name="cell", within=500, require="5 cm", touch="0.001 mm")
    scene.add("floor", box=[4000, 4000, 200], static=True, position=[0, 0, "-10 cm"], orientation={"rpy": [0, 0, 30]})
    scene.add("post", cylinder=(50, "1 m", 16), static=True, group=["steel", "tall"])
    points = np.array([[0, 0, 0], [100, 0, 0], [0, 100, 0], [0, 0, 100]])
    scene.add("wedge", points=points, static=True, position=np.array([300.0, 0, 50]), offset=np.float64(2.5))
    scene.ignore("group:steel", "floor", reason="bolted")
    scene.rule("posts", "post", require="-1 mm", severity="minor", note="they stand in the floor")
    scene.rule("head-room", "wedge", "floor", require="20 mm", direction=[0, 0, -1], footprint="2 mm")
    scene.rule("others", "*", require=10, baseline="rest", worse_by="1 mm")
    mine, file = (cs.run(one, progress=False) for one in (scene, tmp_path / "scene.toml"))
    for name in ("distances", "pairs", "runs", "bodies"):
        assert_frame_equal(getattr(mine, name).to_polars(), getattr(file, name).to_polars())
    assert mine.summary["require_m"] == 0.05 and mine.verdict == file.verdict
    assert mine.summary["rules"] == file.summary["rules"] and mine.summary["rules"][0]["rule"] == "posts"
    assert mine.summary["rules"][1]["footprint_m"] == 0.002 and mine.summary["rules"][2]["worse_by_m"] == 0.001
    assert (scene.name, scene.unit, scene.bodies, scene.moving) == ("cell", "mm", ["floor", "post", "wedge"], [])
    # And its text is a scene file.
    (tmp_path / "again.toml").write_text(scene.to_toml())
    again = cs.run(tmp_path / "again.toml", progress=False)
    assert_frame_equal(again.distances.to_polars(), mine.distances.to_polars())


def error(scene: cs.Scene, **options: Any) -> cs.Error:
    with pytest.raises(cs.Error) as caught:
        cs.run(scene, apart(1, 1.0), bodies=NAMES, progress=False, **options)
    return caught.value


def test_faults_are_named_as_in_a_file() -> None:
    two = spheres()
    assert "unknown key `bax` in body `c`" in str(error(spheres().add("c", bax=[1, 1, 1])))
    assert "neither a `geometry` nor a `shape`" in error(spheres().add("c")).problem
    assert "2 kinds of shape" in error(spheres().add("c", sphere=1, box=[1, 1, 1])).problem
    assert "furlong" in error(spheres().add("c", sphere="1 furlong")).problem
    wrong = error(spheres().add("c", sphere=-1))
    assert "`sphere`" in wrong.place and "`c`" in wrong.place and wrong.kind == "input" and wrong.file is None
    assert "string" in error(spheres().add("c", box="big")).problem
    assert "used before" in error(spheres().add("ball-0", sphere=1)).problem
    assert "type" in error(spheres().add("c", sphere=cast(Any, object()))).problem
    assert "finite" in error(spheres().add("c", sphere=float("nan"))).problem
    assert "none.stl" in str(error(spheres().add("c", geometry="none.stl")))
    assert "larger than `within`" in error(two, require=11).problem
    assert "within=" in error(two, within="far").place
    assert "threads" in str(error(two, threads=0))
    assert "nonsense" in str(error(two, nonsense=1))
    assert "`within` is missing" in error(cs.Scene().add("ball-0", sphere=1).add("ball-1", sphere=1)).problem
    assert "no body" in str(error(spheres().ignore("group:none"))) or "none" in str(error(spheres().ignore("group:none")))


def test_errors_name_file_place_and_help(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "scene.toml"
    path.write_text(FILE.replace("within = 500", "wthin = 500"))
    with pytest.raises(cs.Error) as caught:
        cs.Scene.load(path)
    found = caught.value
    assert found.kind == "input" and found.file == str(path) and found.place == f"{path}:7"
    assert "wthin" in found.problem and "within" in found.help
    assert str(found) == f"{found.place}: {found.problem}\n  help: {found.help}"
    path.write_text(FILE)
    with pytest.raises(cs.Error, match="is not changed"):
        cs.Scene.load(path).add("c", sphere=1)


def test_a_scene_of_a_file_of_parts() -> None:
    plant = cs.Scene.from_file("datasets/first-clash-check/plant.glb", up="y", unit="mm", within=200)
    assert len(plant.bodies) == 10 and plant.moving == []
    moving = cs.Scene.from_file("datasets/first-clash-check/plant.glb", up="y", moving=["plant/equipment"], within=0.2)
    assert moving.moving and all(name.startswith("plant/equipment") for name in moving.moving)
    with pytest.raises(cs.Error, match="no/such"):
        cs.Scene.from_file("datasets/first-clash-check/plant.glb", moving=["no/such"], within=1).bodies  # noqa: B018


def test_a_scene_of_a_plant(tmp_path: pathlib.Path) -> None:
    def word(*numbers: int) -> bytes:
        return struct.pack(f">{len(numbers)}I", *numbers)

    data = b""
    matrix = struct.pack(">12f", 0.001, 0, 0, 0, 0.001, 0, 0, 0, 0.001, 5, 0, 0)
    cylinder = word(1, 8) + matrix + struct.pack(">6f", -1, -1, -1, 1, 1, 1) + struct.pack(">2f", 50, 400)
    volume = word(1, 8) + matrix + struct.pack(">6f", -1, -1, -1, 1, 1, 1) + word(0) + struct.pack(">2f", 80, 400)
    group = word(2, 1) + b"/A\0\0" + struct.pack(">3f", 0, 0, 0) + word(1)
    chunks = [("HEAD", word(1) + bytes(16)), ("CNTB", group), ("PRIM", cylinder), ("INSU", volume), ("CNTE", word(2))]
    for name, body in [*chunks, ("END:", word(1))]:
        data += word(*name.encode(), len(data) + 24 + len(body), 1) + body
    path = tmp_path / "plant.rvm"
    path.write_bytes(data)
    assert cs.Scene.from_rvm(path, within=0.1).bodies == ["A"]
    attributes = tmp_path / "other.att"
    attributes.write_text("CADC_Attributes_File v1.0 , start: NEW , end: END\nNEW /A\nType:= PIPE\nEND\n")
    whole = cs.Scene.from_rvm(path, attributes=attributes, classes=["prim", "insu"], each="primitive", within=0.1)
    assert whole.bodies == ["A/cylinder-1", "A/cylinder-2"]


def test_options_replace_keys_and_a_scene_can_grow() -> None:
    scene = spheres()
    poses = apart(1, 5.0)
    assert len(cs.run(scene, poses, bodies=NAMES, progress=False).distances) == 1
    assert len(cs.run(scene, poses, bodies=NAMES, within=1, progress=False).distances) == 0
    assert len(cs.run(scene, poses, bodies=NAMES, within="7 m", progress=False).distances) == 1
    scene.add("floor", box=[20, 20, 2], static=True)
    assert len(cs.run(scene, poses, bodies=NAMES, progress=False).distances) == 3


def test_pieces_and_motion_in_code() -> None:
    cube = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    pieces = [cube, [[x + 2, y, z] for x, y, z in cube]]
    scene = cs.Scene(within=10, between="linear").add("a", pieces=pieces, static=True).add("b", sphere=0.25)
    poses = np.array([[[1.5, 0.5, 3.0, 1, 0, 0, 0]], [[1.5, 0.5, -2.0, 1, 0, 0, 0]]])
    result = cs.run(scene, poses, bodies=["b"], progress=False)
    assert result.intervals is not None and len(result.intervals) == 1
    # The ball flies through the gap of 1 m between the pieces: 0.25 m on either side.
    found = result.intervals.to_polars()
    assert 0.2499 < found["lower_m"][0] <= 0.25 <= found["upper_m"][0] < 0.2501


def test_check_says_what_the_program_says() -> None:
    found = cs.check("datasets/separation/scene.toml")
    assert found["bodies"] == len(cs.Scene.load("datasets/separation/scene.toml").bodies)
    scene = cs.Scene(within=1).add("a", sphere=1, static=True).add("b", sphere=1, static=True, position=[50, 0, 0])
    assert any(warning["kind"] == "far" for warning in cs.check(scene)["warnings"])
