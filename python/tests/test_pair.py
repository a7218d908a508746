"""Pairs of bodies at many poses."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import clearsweep as cs
import numpy as np
import pytest
from conftest import Program



def column(table: Any, name: str) -> list[Any]:
    """The values of a column."""
    return table[name].to_pylist()


CUBE, BALL = {"box": [1, 1, 1]}, {"sphere": 0.25}


def test_answers_are_those_of_the_program(program: Program) -> None:
    pose = [0.7, -0.2, 0.9, 0.5, 0.5, -0.5, 0.5]
    theirs = json.loads(program(["query", "box:1,2,3", "cylinder:0.3,1,12", "--pose", ",".join(map(str, pose)), "--json"]).stdout)
    ours = cs.distance({"box": [1, 2, 3]}, {"cylinder": [0.3, 1, 12]}, b_pose=pose)
    for key in ("distance_m", "lower_m", "upper_m", "status"):
        assert ours[key] == theirs[key], key


def test_distances_of_spheres_are_those_of_their_centres() -> None:
    random = np.random.default_rng(5)
    poses = np.zeros((5000, 7))
    poses[:, :3] = random.normal(size=(5000, 3))
    poses[:, 3] = 1
    found = cs.pair({"sphere": 0.5}, {"sphere": 0.25}).query(b_poses=poses)
    distances = np.linalg.norm(poses[:, :3], axis=1) - 0.75
    assert np.allclose(column(found, "distance_m"), distances, rtol=0, atol=1e-12)
    assert np.all(np.array(column(found, "lower_m")) <= distances + 1e-15)
    assert np.all(np.array(column(found, "upper_m")) >= distances - 1e-15)


def test_shapes_of_poses_and_orders() -> None:
    pair = cs.pair(CUBE, BALL)
    poses = np.array([[2.0, 0, 0, 1, 0, 0, 0], [3.0, 0, 0, 1, 0, 0, 0]])
    expected = [1.25, 2.25]
    assert column(pair.query(b_poses=poses), "distance_m") == expected
    assert column(pair.query(b_poses=poses.astype("float32")), "distance_m") == expected
    assert column(pair.query(b_poses=poses[:, [0, 1, 2, 4, 5, 6, 3]], order="xyz_xyzw"), "distance_m") == expected
    assert column(pair.query(a_poses=poses[0], b_poses=poses), "distance_m") == [-0.75, 0.25]
    matrices = np.tile(np.eye(4), (2, 1, 1))
    matrices[:, 0, 3] = [2, 3]
    assert column(pair.query(b_poses=matrices), "distance_m") == expected
    assert column(pair.query(b_poses=matrices[0]), "distance_m") == expected[:1]
    assert pair.query(b_poses=np.zeros((0, 7))).num_rows == 0
    assert column(pair.query(), "status") == ["penetrating"]


def test_units_and_lengths_with_units() -> None:
    assert cs.distance({"sphere": 100}, {"sphere": "1 cm"}, b_pose=[200, 0, 0, 1, 0, 0, 0], unit="mm")["distance_m"] == pytest.approx(0.09)
    near = cs.pair({"sphere": 1}, {"sphere": 1}, unit="mm", within=5)
    poses = np.array([[6.0, 0, 0, 1, 0, 0, 0], [60.0, 0, 0, 1, 0, 0, 0]])
    assert column(near.query(b_poses=poses), "distance_m") == [pytest.approx(0.004), None]


def test_bodies_of_scenes_and_files() -> None:
    scene = cs.Scene(within=1).add("a", box=[1, 1, 1]).add("b", sphere=0.25)
    pair = cs.Pair.of_scene(scene, "a", "b")
    assert column(pair.query(b_poses=np.array([1.0, 0, 0, 1, 0, 0, 0])), "distance_m") == [0.25]
    with pytest.raises(cs.Error, match="no body `c`"):
        cs.Pair.of_scene(scene, "a", "c")
    mesh = cs.pair(pathlib.Path("datasets/coherence/object.obj"), BALL)
    assert column(mesh.query(b_poses=np.array([100.0, 0, 0, 1, 0, 0, 0])), "status") == ["separated"]


def test_wrong_poses_are_refused() -> None:
    pair = cs.pair(CUBE, BALL)
    one = np.array([[2.0, 0, 0, 1, 0, 0, 0]] * 3)
    bad = one.copy()
    bad[2, 3] = 2
    for poses, word in ((bad, "pose 2"), (one[:, :6], "components"), (one[None, None], "shape"), (one.astype(int), "int64")):
        with pytest.raises(cs.Error, match=word):
            pair.query(b_poses=poses)
    with pytest.raises(cs.Error, match="3 poses of A, but 2 of B"):
        pair.query(one, one[:2])
    with pytest.raises(cs.Error, match="seven numbers"):
        pair.query(b_poses=[1.0, 2.0])
    with pytest.raises(cs.Error):
        cs.pair({"box": [1, 1]}, BALL)
