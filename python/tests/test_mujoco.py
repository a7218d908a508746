"""Audits of states of MuJoCo: poses, shapes and pairs are those of MuJoCo itself."""

from __future__ import annotations

import math
import os
import pathlib
import random
import runpy
import sys
import warnings
from collections.abc import Callable
from typing import Any

import clearsweep as cs
import clearsweep.mujoco
import numpy as np
import polars as pl
import pytest
from clearsweep._mujoco_model import World
from clearsweep.mujoco import _States, _write_poses
from conftest import F64

# Both come without types.
mujoco: Any = pytest.importorskip("mujoco")
pa = pytest.importorskip("pyarrow")

ARM = """
<mujoco model="arm">
  <compiler angle="degree" eulerseq="ZYX"/>
  <option><flag sleep="enable"/></option>
  <default><geom condim="1"/><default class="thin"><geom type="capsule" size="0.03 0.2"/></default></default>
  <asset><mesh name="wedge" scale="0.3 0.2 0.1" vertex="
    0 0 0  1 0 0  0 1 0  0 0 1  1 1 0  0.1 0.1 0.1  1 0 1  0 1 1  0.3 0.3 0.2  0.9 0.9 0.9  0.5 0.5 0.5"/></asset>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" euler="5 10 20"/>
    <body pos="0.1 0 1" euler="30 0 10">
      <joint name="turn" type="hinge" axis="1 2 3" pos="0.1 0 0" ref="20"/>
      <geom class="thin" pos="0 0.1 0" euler="0 90 0"/>
      <geom type="box" size="0.1 0.2 0.05" euler="10 20 30"/>
      <body name="fore" pos="0.4 0 0">
        <joint type="slide" axis="0 0 1"/><joint type="ball"/>
        <geom name="disc" type="cylinder" size="0.1 0.02" pos="0.2 0 0" euler="0 45 0"/>
        <geom type="ellipsoid" size="0.1 0.05 0.07" pos="0.5 0 0" euler="0 45 0"/>
        <body pos="0.1 0.2 0.3" quat="1 2 3 4"><geom type="mesh" mesh="wedge" pos="0.1 0.2 0.3" euler="15 0 0"/></body>
      </body>
    </body>
    <body name="ball" pos="3 0 0" sleep="init"><freejoint/><geom size="0.1" pos="0.2 0 0"/></body>
    <body name="hand" mocap="true"><geom name="palm" type="box" size="0.1 0.1 0.02" pos="0.1 0 0"/></body>
    <body name="stand" pos="2 0 0" euler="0 0 30"><geom name="stand" type="box" size="0.1 0.1 0.4"/></body>
  </worldbody>
</mujoco>
"""

BALL = '<body name="ball-{0}" pos="{1}"><freejoint/><geom name="ball-{0}" size="{2}"/></body>'


def model_of(text: str) -> Any:
    return mujoco.MjModel.from_xml_string(text)


def world_of(bodies: str, more: str = "", options: str = "") -> Any:
    return model_of(f"<mujoco>{options}<worldbody>{bodies}</worldbody>{more}</mujoco>")


def states_of(model: Any, frames: int, seed: int = 0) -> F64:
    """Random states."""
    generator = np.random.default_rng(seed)
    states = np.tile(model.qpos0, (frames, 1)) + generator.uniform(-1.0, 1.0, (frames, model.nq))
    data = mujoco.MjData(model)
    for state in states:
        data.qpos[:] = state
        mujoco.mj_normalizeQuat(model, data.qpos)
        state[:] = data.qpos
    return states


def mocap_of(model: Any, *lead: int, seed: int = 9) -> dict[str, F64]:
    """Random poses of the mocap bodies, as arguments of `audit`."""
    generator = np.random.default_rng(seed)
    turns = generator.normal(size=(*lead, model.nmocap, 4))
    turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
    return {"mocap_pos": generator.uniform(-1.0, 1.0, (*lead, model.nmocap, 3)), "mocap_quat": turns}


class Written:
    """The scene and the poses that an audit reads, in a folder."""

    def __init__(self, folder: pathlib.Path, model: Any, qpos: F64, **mocap: F64) -> None:
        world = World(model, moves_mocap=bool(mocap))
        given = {"mocap_pos": None, "mocap_quat": None, **mocap}
        states = _States(np, world, qpos, None, *given.values())
        self.scene, self.poses = folder / "scene.toml", folder / "poses.parquet"
        reach = _write_poses(world, states, str(self.poses))
        self.scene.write_text(world.scene(reach).to_toml())

    def run(self, **options: Any) -> pl.DataFrame:
        """The distances of all pairs that are looked at."""
        found = cs.run(self.scene, self.poses, answer="distance", progress=False, **options)
        return found.distances.to_polars().with_columns(pl.col("body_a", "body_b").cast(pl.String))


def audit(model: Any, qpos: Any, **options: Any) -> dict[str, Any]:
    """An audit without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", cs.Warning)
        return clearsweep.mujoco.audit(model, qpos, **options)


def turned(quaternions: F64) -> F64:
    """Rotation matrices, row by row."""
    matrices = np.empty((len(quaternions), 9))
    for matrix, quaternion in zip(matrices, quaternions, strict=True):
        mujoco.mju_quat2Mat(matrix, quaternion)
    return matrices


def test_poses_are_those_of_mujoco(tmp_path: pathlib.Path) -> None:
    """Those of bodies that sleep, too."""
    model = model_of(ARM)
    qpos = np.stack([states_of(model, 7, seed) for seed in (1, 2)])
    mocap = mocap_of(model, 2, 7)
    written = Written(tmp_path, model, qpos, **mocap)
    names = ["body_1/geom-0", "body_1/geom-1", "disc", "fore/geom-1", "body_3/geom-0", "ball/geom-0", "palm"]
    table = pl.read_parquet(written.poses)
    assert table["body"].cast(pl.String).to_list() == names * 14
    assert table.select("run", "frame").unique(maintain_order=True).rows() == [
        (run, frame) for run in (0, 1) for frame in range(7)
    ]
    columns = table.select("x", "y", "z", "qw", "qx", "qy", "qz").to_numpy().reshape(2, 7, len(names), 7)
    data = mujoco.MjData(model)
    for run in range(2):
        for frame in range(7):
            data.qpos[:] = qpos[run, frame]
            data.mocap_pos[:], data.mocap_quat[:] = mocap["mocap_pos"][run, frame], mocap["mocap_quat"][run, frame]
            mujoco.mj_forward(model, data)
            poses = columns[run, frame]
            assert np.array_equal(poses[:, :3], data.geom_xpos[1:-1])
            assert np.abs(turned(poses[:, 3:]) - data.geom_xmat[1:-1]).max() < 1e-14


def test_shapes_are_those_of_mujoco(tmp_path: pathlib.Path) -> None:
    """Distances of small balls from each geom."""
    probes = "".join(BALL.format(index, f"{index} 9 9", 0.01) for index in range(20))
    model = model_of(ARM.replace("</worldbody>", probes + "</worldbody>"))
    qpos = states_of(model, 1)
    data = mujoco.MjData(model)
    generator = np.random.default_rng(3)
    qpos[0, -140:] = np.concatenate(
        [generator.uniform(-1.5, 2.0, (20, 3)), np.tile([1, 0, 0, 0], (20, 1))], axis=1
    ).ravel()
    data.qpos[:] = qpos[0]
    mujoco.mj_forward(model, data)
    rows = Written(tmp_path, model, qpos).run(within=10)
    checked = set[str]()
    numbers = {name: index for index, name in enumerate(World(model, moves_mocap=False).names)}
    for a, b, lower, upper in rows.select("body_a", "body_b", "lower_m", "upper_m").rows():
        if not b.startswith("ball-") or a.startswith("ball-"):
            continue
        theirs = mujoco.mj_geomDistance(model, data, numbers[a], numbers[b], 20.0, None)
        if lower > 0.0:
            checked.add(a)
            # The tolerance of its iterations is 1e-6.
            assert lower - 2e-6 <= theirs <= upper + 2e-6 and upper - lower < 1e-8, (a, b, lower, theirs, upper)
    shapes = {
        "body_1/geom-0",
        "body_1/geom-1",
        "disc",
        "fore/geom-1",
        "body_3/geom-0",
        "ball/geom-0",
        "stand",
        "palm",
        "floor",
    }
    assert checked == shapes


def test_a_half_space_has_no_end(tmp_path: pathlib.Path) -> None:
    """The way out is that through the surface, however deep a body is."""
    model = world_of(
        '<geom name="floor" type="plane" size="1 1 1" euler="10 0 0" pos="0 0 1"/>' + BALL.format(0, "0 0 3", 0.1)
    )
    qpos = np.array([[5.0, 0, 5, 1, 0, 0, 0], [5, -7, -300, 1, 0, 0, 0]])
    (found,) = audit(model, qpos, allow=0.5)["overlaps"]["worst"]
    normal = np.array([0, -math.sin(math.radians(10)), math.cos(math.radians(10))])
    depth = 0.1 - normal @ (qpos[1, :3] - [0, 0, 1])
    assert (found["body_a"], found["body_b"], found["frame"]) == ("floor", "ball-0", 1)
    assert found["depth_lower_m"] <= depth + 1e-9 and depth - 1e-9 <= found["depth_upper_m"]
    assert found["depth_upper_m"] - found["depth_lower_m"] < 1e-7


def test_balls_that_pass_a_plate_between_two_steps_are_found() -> None:
    """MuJoCo lets a ball pass if no step shows it in the plate: nothing acts on it, so its way is known."""
    step, radius, half = 0.01, 0.02, 0.002
    speeds = np.array([2.0, 9.0, 15.0, 23.0, 47.0])
    balls = "".join(BALL.format(index, f"{0.2 * index} -1 0", radius) for index in range(len(speeds)))
    plate = f'<geom name="plate" type="box" size="2 {half} 0.3"/>'
    model = world_of(plate + balls, options=f'<option timestep="{step}" gravity="0 0 0"/>')
    data = mujoco.MjData(model)
    data.qvel.reshape(-1, 6)[:, 1] = speeds
    qpos, touching = np.empty((100, model.nq)), set[int]()
    for frame in range(100):
        qpos[frame] = data.qpos
        mujoco.mj_step(model, data)
        # Geom 0 is the plate, geom 1 the first ball.
        touching |= {int(max(contact.geom)) - 1 for contact in data.contact}
    y = -1 + step * np.outer(np.arange(100), speeds)
    reach = radius + half
    free = np.flatnonzero((np.abs(y) > reach).all(axis=0)).tolist()
    assert free == [2, 3, 4] and touching == {0, 1}
    last = (y < -reach).sum(axis=0) - 1
    expected = {
        f"ball-{index}": (last[index], -(reach + y[last[index], index]) / (step * speeds[index])) for index in free
    }
    found = audit(model, qpos, times=step * np.arange(100), allow="1 mm")
    tunnels = {one["body_b"]: one for one in found["tunnels"]["worst"] if one["body_b"] in expected}
    assert tunnels.keys() == expected.keys() and found["verdict"] == "found"
    for name, (frame, share) in expected.items():
        one = tunnels[name]
        assert (one["body_a"], one["frame"]) == ("plate", frame) and one["time_s"] == pytest.approx(step * frame)
        assert [one["contact_lo"], one["contact_hi"]] == pytest.approx([share] * 2, abs=2e-5)


def depths(found: dict[str, Any], kind: str) -> dict[tuple[Any, ...], float]:
    """The depths of findings, by bodies and time."""
    worst: list[dict[str, Any]] = found[kind]["worst"]
    names = [[one[key].removesuffix("/geom-0") for key in ("body_a", "body_b")] for one in worst]
    keys = [(*pair, one["frame"], one["time_s"]) for pair, one in zip(names, worst, strict=True)]
    return dict(zip(keys, [one["depth_upper_m"] for one in worst], strict=True))


def test_a_log_of_states_and_a_log_of_poses_say_the_same() -> None:
    """The data set of `clearsweep audit`, with its scene and with its model."""
    folder = pathlib.Path("datasets/simulator-log")
    model = runpy.run_path(str(folder / "simulate.py"))["model"]()
    log = pl.read_csv(folder / "log.csv")
    bodies = log["name"].n_unique()
    poses = log.select("pos_x", "pos_y", "pos_z", "quat_w", "quat_x", "quat_y", "quat_z").to_numpy()
    times = log["time"].to_numpy().reshape(-1, bodies)[:, 0]
    expected = cs.audit(folder / "scene.toml", allow="1mm", top=1000)
    found = audit(model, poses.reshape(-1, 7 * bodies), times=times, allow="1mm", top=1000)
    assert (found["frames"], found["verdict"], found["undecided"]) == (100, "found", expected["undecided"])
    for kind in ("tunnels", "overlaps"):
        assert found[kind]["count"] == expected[kind]["count"] > 0
        assert depths(found, kind) == pytest.approx(depths(expected, kind), abs=1e-8)


def door(more: str = "") -> Any:
    """A door on a hinge about z, closed along x, and a post at 45 degrees."""
    post = f'<geom name="post" type="capsule" size="0.05 1" pos="{0.7 * math.sqrt(0.5)} {0.7 * math.sqrt(0.5)} 0"/>'
    leaf = '<geom name="leaf" type="box" size="0.45 0.02 0.9" pos="0.45 0 0"/>'
    return world_of(f'{post}<body name="door"><joint name="hinge"/>{leaf}</body>{more}')


def test_a_door_sweeps_through_a_post_between_two_frames() -> None:
    angles = np.radians([-30, 10, 80, 120])[:, None]
    found = audit(door(), angles)
    (tunnel,) = found["tunnels"]["worst"]
    assert (found["verdict"], tunnel["body_a"], tunnel["body_b"], tunnel["frame"]) == ("found", "post", "leaf", 1)
    # A point at 0.7 m from the hinge is as far from the middle of the leaf as half of it is thick, and the post.
    first = 45 - math.degrees(math.asin((0.02 + 0.05) / 0.7))
    # Within what counts as touching.
    assert [tunnel["contact_lo"], tunnel["contact_hi"]] == pytest.approx([(first - 10) / 70] * 2, abs=1e-5)
    assert tunnel["time_s"] is None
    assert audit(door(), angles, frames="0..2")["verdict"] == "clear"


def random_world(seed: int) -> Any:
    """Balls on a tree of bodies with random joints, bits, exclusions and explicit pairs."""
    chance = random.Random(seed)
    count = 0
    bodies: list[str] = []

    def geoms() -> str:
        nonlocal count
        texts: list[str] = []
        for _ in range(chance.choice((0, 1, 1, 2))):
            bits = [chance.choice((0, 1, 1, 1, 2, 3)) for _ in range(2)]
            texts.append(f'<geom name="g{count}" size="0.1" contype="{bits[0]}" conaffinity="{bits[1]}"/>')
            count += 1
        return "".join(texts)

    def body(depth: int) -> str:
        name = f"b{len(bodies)}"
        bodies.append(name)
        kind = chance.choice(("free", "mocap", "hinge", "none") if depth == 0 else ("hinge", "slide", "none"))
        joint = {"free": "<freejoint/>", "hinge": "<joint/>", "slide": '<joint type="slide"/>'}.get(kind, "")
        inner = "".join(body(depth + 1) for _ in range(chance.choice((0, 1, 2)) if depth < 3 else 0))
        mass = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>' if joint else ""
        mocap = ' mocap="true"' if kind == "mocap" else ""
        return f'<body name="{name}" pos="0.01 0.02 0.03"{mocap}>{joint}{mass}{geoms()}{inner}</body>'

    tree = (
        '<geom name="first" size="0.1"/>'
        + BALL.format("x", "0 0 0", 0.1)
        + geoms()
        + "".join(body(0) for _ in range(4))
    )
    contacts: dict[tuple[str, ...], str] = {}
    for _ in range(chance.choice((0, 3))):
        a, b = chance.sample(bodies, 2)
        contacts[tuple(sorted((a, b)))] = f'<exclude body1="{a}" body2="{b}"/>'
    for _ in range(chance.choice((0, 6)) if count > 1 else 0):
        a, b = chance.sample(range(count), 2)
        contacts[min(a, b), max(a, b)] = f'<pair geom1="g{a}" geom2="g{b}"/>'  # type: ignore[index]
    flag = chance.choice(("", '<option><flag filterparent="disable"/></option>'))
    # Margins make contacts of all pairs that are looked at.
    margins = '<default><geom margin="100"/><pair margin="100"/></default>'
    return world_of(tree, f"<contact>{''.join(contacts.values())}</contact>", flag + margins)


def pairs_of_mujoco(model: Any, qpos: F64, mocap: dict[str, F64]) -> set[tuple[str, str]]:
    """The pairs of `data.contact`, but for explicit ones of which neither moves."""
    data = mujoco.MjData(model)
    moves = World(model, moves_mocap=True).moves[model.geom_bodyid]
    found = set[tuple[str, str]]()
    for frame, state in enumerate(qpos):
        data.qpos[:] = state
        data.mocap_pos[:], data.mocap_quat[:] = mocap["mocap_pos"][frame], mocap["mocap_quat"][frame]
        mujoco.mj_fwdPosition(model, data)
        for ends in (contact.geom.tolist() for contact in data.contact):
            if moves[ends].any():
                a, b = sorted(model.geom(geom).name for geom in ends)
                found.add((a, b))
    return found


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_pairs_are_those_that_mujoco_collides(tmp_path: pathlib.Path, first: int) -> None:
    seen = 0
    for seed in range(first, first + 10):
        model = random_world(seed)
        qpos, mocap = states_of(model, 2, seed), mocap_of(model, 2)
        theirs = pairs_of_mujoco(model, qpos, mocap)
        rows = Written(tmp_path, model, qpos, **mocap).run(within=1000)
        ours = {(min(row), max(row)) for row in rows.select("body_a", "body_b").rows()}
        assert ours == theirs, (seed, ours ^ theirs)
        seen += len(theirs)
    assert seen > 100


def test_ignored_pairs_have_no_finding_and_a_reason(tmp_path: pathlib.Path) -> None:
    """Balls at one point overlap, each pair for a reason of its own."""
    bits = 'contype="2" conaffinity="2"'
    tree = f"""
      <geom name="static" size="0.1"/>
      <body name="root"><freejoint/><geom name="a" size="0.1"/><geom name="b" size="0.1"/>
        <body name="child"><joint/><geom name="c" size="0.1"/></body></body>
      <body name="other"><freejoint/><geom name="d" size="0.1"/></body>
      <body name="third"><freejoint/><geom name="e" size="0.1" {bits}/>
        <geom name="seen" size="0.1" contype="0" conaffinity="0"/></body>
      <body name="fourth"><freejoint/><geom name="f" size="0.1" {bits}/></body>"""
    contact = '<contact><exclude name="friends" body1="root" body2="other"/><pair geom1="e" geom2="d"/></contact>'
    model = world_of(tree, contact)
    qpos = model.qpos0[None]
    found = audit(model, qpos, top=100, out=tmp_path / "tables")
    pairs = {(one["body_a"], one["body_b"]) for one in found["overlaps"]["worst"]}
    assert pairs == {
        ("static", "a"),
        ("static", "b"),
        ("static", "c"),
        ("static", "d"),
        ("c", "d"),
        ("d", "e"),
        ("e", "f"),
    }
    assert found["frames"] == 1 and cs.Result.open(tmp_path / "tables").summary["bodies"] == 7
    reasons = set(cs.Scene.to_toml(World(model, moves_mocap=False).scene((np.zeros(3), np.ones(3)))).split('"'))
    assert {
        "one rigid body",
        "parent and child",
        "excluded by the model: friends",
        "contype/conaffinity 1/1 and 2/2",
    } <= reasons


def test_paths_arrays_runs_and_times_say_the_same(tmp_path: pathlib.Path) -> None:
    angles = np.radians([[-30, 10, 80], [0, 10, 20], [80, 10, 0]])[..., None]
    model, file = tmp_path / "door.xml", tmp_path / "qpos.npy"
    mujoco.mj_saveLastXML(str(model), door())
    np.save(file, angles)
    np.savez(tmp_path / "one.npz", angles)
    np.savez(tmp_path / "more.npz", time=np.arange(3), qpos=angles)
    times = np.array([[0, 1, 2], [10, 11, 12], [20, 21, 22.5]])
    expected = audit(model, angles, times=times)
    tunnels = [(one["run"], one["frame"], one["time_s"], one["time_last_s"]) for one in expected["tunnels"]["worst"]]
    assert sorted(tunnels) == [(0, 1, 1.0, 2.0), (2, 0, 20.0, 21.0)]
    for states in (
        file,
        str(file),
        tmp_path / "one.npz",
        tmp_path / "more.npz",
        angles.tolist(),
        angles[:, ::-1][:, ::-1],
    ):
        assert audit(model, states, times=times)["tunnels"] == expected["tunnels"]
    assert audit(str(model), angles, runs=1)["verdict"] == "clear"
    single = audit(model, angles[2].astype("float32"), times=[20, 21, 22.5])["tunnels"]
    assert [one["time_last_s"] for one in single["worst"]] == [21.0]


def test_temporary_files_are_gone(tmp_path: pathlib.Path) -> None:
    (tmp_path / "temp").mkdir()
    csv = tmp_path / "findings.csv"
    audit(door(), np.radians([[10], [80]]), temp=tmp_path / "temp", csv=csv)
    assert csv.read_text().count("tunnel") == 1
    with pytest.raises(cs.Error):
        audit(door(), np.array([[0.0], [np.nan]]), temp=tmp_path / "temp")
    with pytest.raises(cs.Error, match="nonsense"):
        audit(door(), np.zeros((2, 1)), temp=tmp_path / "temp", allow="nonsense")
    assert os.listdir(tmp_path / "temp") == []


def test_suspicious_models_and_states_are_warnings() -> None:
    def said(model: Any, qpos: Any, **options: Any) -> list[str]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            clearsweep.mujoco.audit(model, qpos, **options)
        ours = [one for one in caught if one.category is cs.Warning]
        assert all(one.filename == __file__ for one in ours)
        return [str(one.message) for one in ours]

    assert said(door(), np.zeros((2, 1))) == []
    asset = '<asset><hfield name="h" nrow="3" ncol="3" size="1 1 1 1"/></asset>'
    hills = '<geom name="hills" type="hfield" hfield="h"/>' + BALL.format(0, "0 0 3", 1) + BALL.format(1, "0 5 3", 1)
    model = model_of(f"<mujoco>{asset}<worldbody>{hills}</worldbody></mujoco>")
    (text,) = said(model, np.tile([0, 0, 9, 1, 0, 0, 0], (1, 2)))
    assert "hills: height fields are left out" in text and "help:" in text
    grid = 'type="grid" count="3 3 1" spacing="0.1 0.1 0.1" radius="0.01" mass="1" dim="2"'
    cloth = f'<flexcomp name="cloth" {grid}><edge equality="true"/></flexcomp>'
    model = door(cloth + BALL.format(0, "0 0 3", 1))
    texts = said(model, model.qpos0[None])
    assert any("cloth: flexes are left out" in text for text in texts)
    hand = '<body name="hand" mocap="true" pos="9 9 9"><geom size="0.1"/></body>'
    (text,) = said(door(hand), np.zeros((1, 1)))
    assert "hand: mocap bodies stand where the model has them" in text and "mocap_pos=" in text
    model = door()
    model.opt.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    (text,) = said(model, np.zeros((1, 1)))
    assert "the model disables contacts" in text
    ball = world_of('<geom name="plate" type="box" size="1 1 0.1"/>' + BALL.format(0, "0 0 3", 1))
    (text,) = said(ball, [[0, 0, 3, 2, 0, 0, 0]])
    assert "ball-0/joint1 (2): quaternions that are not of length 1" in text


def test_quaternions_are_normalised_as_mujoco_does(tmp_path: pathlib.Path) -> None:
    stick = '<body><freejoint/><geom name="stick" type="box" size="1 0.1 0.1"/></body>'
    model = world_of('<geom name="plate" type="box" size="1 1 0.1"/>' + stick)
    Written(tmp_path, model, np.array([[0, 0, 3, 3, 0, 4, 0.0]]))
    row = pl.read_parquet(tmp_path / "poses.parquet").select("qw", "qx", "qy", "qz").row(0)
    assert row == pytest.approx((0.6, 0.0, 0.8, 0.0), abs=1e-15)


def test_a_body_that_mocap_moves_is_found() -> None:
    hand = '<body name="hand" mocap="true"><geom name="palm" size="0.01"/></body>'
    leaf = np.zeros((3, 1))
    poses = np.array([[[0.5, -1, 0]], [[0.5, 1, 0]], [[0.5, 1, 0]]], dtype="float64")
    (tunnel,) = audit(door(hand), leaf, mocap_pos=poses)["tunnels"]["worst"]
    assert (tunnel["body_a"], tunnel["body_b"], tunnel["frame"]) == ("leaf", "palm", 0)


Wrong = Callable[[pathlib.Path], Any]


#: Calls, with the place and the problem of their errors.
FAULTS: list[tuple[Wrong, str, str]] = [
    (lambda at: audit(door(), np.zeros(3)), "qpos", "shape (3,)"),
    (lambda at: audit(door(), np.zeros((3, 2))), "qpos", "nq = 1"),
    (lambda at: audit(door(), np.zeros((0, 1))), "qpos", "without a frame"),
    (lambda at: audit(door(), [[0.0], [0.0, 1.0]]), "qpos", "different lengths"),
    (lambda at: audit(door(), np.zeros((3, 1), dtype="complex128")), "qpos", "complex128"),
    (lambda at: audit(door(), np.array([[0.0], [np.nan]])), "qpos, frame 1", "(hinge) is nan"),
    (lambda at: audit(door(), np.array([[[0.0]], [[np.inf]]])), "qpos, run 1, frame 0", "(hinge) is inf"),
    (lambda at: audit(door(), np.array([[0.0], [-2e10]])), "qpos, frame 1", "(hinge) is -20000000000.0"),
    (lambda at: audit(door(), np.zeros((3, 1)), times=[0, 1]), "times", "shape (2,)"),
    (lambda at: audit(door(), np.zeros((2, 1)), times=[0, np.nan]), "times, frame 1", "not finite"),
    (lambda at: audit(door(), np.zeros((2, 1)), mocap_pos=np.zeros((2, 1, 3))), "mocap_pos", "shape (2, 1, 3)"),
    (lambda at: audit(door(), at / "none.npy"), "none.npy", "does not exist"),
    (lambda at: audit(door(), at / "text.npy"), "text.npy", "no file of an array"),
    (lambda at: audit(door(), at / "cut.npz"), "cut.npz", "no file of an array"),
    (lambda at: audit(door(), at / "two.npz"), "two.npz", "2 arrays: a, b"),
    (lambda at: audit(at / "none.xml", np.zeros((2, 1))), "none.xml", "does not exist"),
    (lambda at: audit(at, np.zeros((2, 1))), "", "is no file"),
    (lambda at: audit(at / "wrong.xml", np.zeros((2, 1))), "wrong.xml", "unrecognized element"),
    (lambda at: audit(17, np.zeros((2, 1))), "model", "type int"),
    (lambda at: audit(world_of('<geom size="1"/>'), np.zeros((2, 0))), "the model", "no geom moves"),
    (lambda at: audit(door(BALL.format(0, "0 0 9", 1)), np.zeros((1, 8))), "qpos, frame 0", "of ball-0/joint1 is 0"),
    (lambda at: audit(door(), np.zeros((2, 1)), temp=at / "none"), "none", "cannot be written"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "place", "problem"), FAULTS)
def test_faults_are_said_with_place_and_help(tmp_path: pathlib.Path, call: Wrong, place: str, problem: str) -> None:
    (tmp_path / "text.npy").write_text("0, 1")
    (tmp_path / "wrong.xml").write_text("<mujoco><bad/></mujoco>")
    np.savez(tmp_path / "two.npz", a=np.zeros(1), b=np.zeros(1))
    (tmp_path / "cut.npz").write_bytes((tmp_path / "two.npz").read_bytes()[:99])
    with pytest.raises(cs.Error) as caught:
        call(tmp_path)
    error = caught.value
    assert place in error.place and problem in error.problem and error.help, error
    assert error.kind in ("input", "usage", "output") and "\n" not in error.problem


@pytest.mark.parametrize("name", ["mujoco", "pyarrow"])
def test_a_library_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    model = door()
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(cs.Error, match=f"{name}: is not installed") as caught:
        clearsweep.mujoco.audit("door.xml" if name == "mujoco" else model, np.zeros((2, 1)))
    assert caught.value.help == "pip install 'clearsweep[mujoco]'"
