"""Audits of states of MuJoCo with the model that they belong to.

::

    import clearsweep.mujoco

    found = clearsweep.mujoco.audit("robot.xml", qpos, times=times, allow="1 mm")
    found["tunnels"]["count"], found["overlaps"]["worst"]

Needs ``pip install 'clearsweep[mujoco]'``. MuJoCo compiles the model itself, with its includes, defaults and options.
"""

from __future__ import annotations

import os
import tempfile
import warnings
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any, cast

from . import _commands, _scale_out
from ._errors import Error, Warning
from ._mujoco_model import World, listed, product

__all__ = ["audit"]

#: Rows of poses that are written together.
_ROWS = 1 << 18

#: Lengths of quaternions may be off by this much without a warning.
_NORM = 1e-3

#: MuJoCo takes larger numbers in a state for a fault (`mjMAXVAL`).
_LARGEST = 1e10

#: MuJoCo takes shorter quaternions for no turn.
_NO_NORM = 1e-15


def audit(
    model: Any,
    qpos: Any,
    *,
    times: Any = None,
    mocap_pos: Any = None,
    mocap_quat: Any = None,
    allow: float | str = "0",
    temp: str | os.PathLike[str] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Finds what MuJoCo let pass: contacts between frames, and overlaps deeper than ``allow``.

    ``mujoco.mj_kinematics`` places the geoms in each frame, in double precision. :func:`clearsweep.audit` then checks
    the pairs that MuJoCo collides. Each geom is a body, with its name or ``BODY/geom-K``: the geom K of a body, from 0.

    Parameters
    ----------
    model
        The path of an MJCF file, of a URDF file or of a compiled model (``.mjb``), or a ``mujoco.MjModel``. It is not
        changed.
    qpos
        The states: an array ``(frames, nq)`` or ``(runs, frames, nq)``, or the path of a ``.npy`` file or of a ``.npz``
        file with one array or one named ``qpos``. Quaternions of free and ball joints are normalised as MuJoCo does it.
        One that is longer or shorter than 1 by more than 0.001 is a :class:`clearsweep.Warning`.
    times
        Seconds of each frame: ``(frames,)``, or ``(runs, frames)``.
    mocap_pos, mocap_quat
        Poses of the mocap bodies, which are no part of ``qpos``: ``data.mocap_pos``, ``(..., frames, nmocap, 3)``, and
        ``data.mocap_quat``, ``(..., frames, nmocap, 4)``. Left out: they stand where the model has them.
    allow
        Overlaps up to this depth are none: metres, or a text with a unit.
    temp
        The folder of temporary files: poses, some 60 bytes for each geom that moves and frame, and tables.
    options
        The other options of :func:`clearsweep.audit`: ``between``, ``runs``, ``frames``, ``top``, ``out``, ``csv``,
        ``accepted``, ``threads``, ``memory``, ``force``.

    Returns
    -------
    dict
        What :func:`clearsweep.audit` returns.

    Notes
    -----
    A mesh is the convex hull that MuJoCo collides. A plane is a half space: a box below it that reaches beyond all
    states. Height fields, signed distance fields and flexes are left out: a :class:`clearsweep.Warning` says so.

    All pairs of ``<pair>`` are checked. Other pairs are ignored if they are one rigid body, if neither has a degree of
    freedom, or if ``contype`` and ``conaffinity``, an ``<exclude>`` or the filter of parent and child leaves them out.
    Two geoms that do not move are no pair. A geom that no other one can collide with, by its bits, is no body. Margins
    and gaps of geoms do not matter.

    Raises
    ------
    Error
        The model, the states or an argument do not fit, or MuJoCo is not installed.
    """
    numpy = _scale_out.module("numpy", "mujoco")
    world = World(model, moves_mocap=mocap_pos is not None or mocap_quat is not None)
    states = _States(numpy, world, qpos, times, mocap_pos, mocap_quat)
    for problem, remedy in world.remarks:
        warnings.warn(f"{problem}\n  help: {remedy}", Warning, stacklevel=2)
    try:
        folder = tempfile.TemporaryDirectory(prefix="clearsweep-mujoco-", dir=temp, ignore_cleanup_errors=True)
    except OSError as error:
        raise _unwritable(os.fspath(temp) if temp is not None else tempfile.gettempdir(), error) from None
    with folder as path:
        scene, poses = os.path.join(path, "scene.toml"), os.path.join(path, "poses.parquet")
        try:
            reach = _write_poses(world, states, poses)
            with open(scene, "w", encoding="utf-8") as file:
                file.write(world.scene(reach).to_toml())
        except OSError as error:
            raise _unwritable(path, error) from None
        if states.odd_norms:
            named = listed([f"{joint} ({norm:.6g})" for joint, norm in states.odd_norms])
            problem = f"{named}: quaternions that are not of length 1 are normalised as MuJoCo does it"
            warnings.warn(f"{problem}\n  help: look at the order of `qpos`", Warning, stacklevel=2)
        try:
            return _commands.audit(scene, trajectories=poses, allow=allow, temp=temp, **options)
        except Error as error:
            if error.file is None or not error.file.startswith(path):
                raise
            # The files are gone when the message is read.
            place = error.place.replace(scene, world.label).replace(poses, "qpos")
            raise Error(error.kind, None, place, error.problem, error.help) from None


def _unwritable(path: str, error: OSError) -> Error:
    remedy = "free some space, or give another folder: `temp=`"
    return Error("output", path, path, f"cannot be written: {error.strerror}", remedy)


def _wrong(place: str, problem: str, help: str) -> Error:
    return Error("input", None, place, problem, help)


class _States:
    """States of a model, checked as they are read."""

    def __init__(self, numpy: Any, world: World, qpos: Any, times: Any, mocap_pos: Any, mocap_quat: Any) -> None:
        m = world.model
        self._numpy, self._world = numpy, world
        array = _array(numpy, qpos, "qpos")
        if array.ndim not in (2, 3):
            remedy = f"give (frames, {m.nq}) or (runs, frames, {m.nq})"
            raise _wrong("qpos", f"an array of the shape {array.shape}", remedy)
        if array.shape[-1] != m.nq:
            problem = f"{array.shape[-1]} coordinates a frame, where the model has nq = {m.nq}"
            remedy = f"give states of {world.label}, or the model that they belong to"
            raise _wrong("qpos", problem, remedy)
        if 0 in array.shape:
            raise _wrong("qpos", f"an array of the shape {array.shape}, without a frame", "give at least one")
        lead = array.shape[:-1]
        self._has_runs = len(lead) == 2
        self.qpos = array if self._has_runs else array[None]
        self.runs, self.frames = self.qpos.shape[:2]
        self.times = self._times(times)
        mocap = {"mocap_pos": (mocap_pos, 3), "mocap_quat": (mocap_quat, 4)}
        #: Poses of mocap bodies, by the names of the fields of `MjData`.
        self.mocap: dict[str, Any] = {}
        for name, (given, numbers) in mocap.items():
            if given is None:
                continue
            array = _array(numpy, given, name)
            shape = (*lead, m.nmocap, numbers)
            if array.shape != shape:
                remedy = f"give {shape}, as `qpos` and the model have it"
                raise _wrong(name, f"an array of the shape {array.shape}", remedy)
            self.mocap[name] = array if self._has_runs else array[None]
        #: Starts of quaternions in `qpos`, with their joints.
        self._turns: list[tuple[int, int]] = []
        offsets = {int(world.mujoco.mjtJoint.mjJNT_FREE): 3, int(world.mujoco.mjtJoint.mjJNT_BALL): 0}
        for joint in range(m.njnt):
            if (offset := offsets.get(int(m.jnt_type[joint]))) is not None:
                self._turns.append((int(m.jnt_qposadr[joint]) + offset, joint))
        #: Joints with quaternions that are not of length 1, each with a length.
        self._odd: dict[int, float] = {}

    @property
    def odd_norms(self) -> list[tuple[str, float]]:
        """Names of joints with quaternions that are not of length 1, each with a length."""
        return [(self._world.joint_name(joint), norm) for joint, norm in sorted(self._odd.items())]

    def _times(self, times: Any) -> Any:
        if times is None:
            return None
        numpy = self._numpy
        array = _array(numpy, times, "times")
        full = (self.runs, self.frames)
        if array.shape not in (full[1:], full if self._has_runs else full[1:]):
            given = f"({self.frames},)" + (f" or {full}" if self._has_runs else "")
            remedy = f"give {given}: seconds of each frame"
            raise _wrong("times", f"an array of the shape {array.shape}", remedy)
        array = array.astype("float64")
        if not numpy.isfinite(array).all():
            frame = int(numpy.argwhere(~numpy.isfinite(array))[0][-1])
            raise _wrong(f"times, frame {frame}", "a number that is not finite", "give seconds")
        return numpy.broadcast_to(array, full)

    def place(self, name: str, run: int, frame: int) -> str:
        """The place of a frame in messages."""
        return f"{name}, run {run}, frame {frame}" if self._has_runs else f"{name}, frame {frame}"

    def block(self, run: int, first: int, end: int) -> tuple[Any, dict[str, Any]]:
        """The coordinates of frames of a run, and the poses of mocap bodies, in double precision."""
        numpy, world = self._numpy, self._world
        block = self.qpos[run, first:end].astype("float64")
        mocap = {name: array[run, first:end].astype("float64") for name, array in self.mocap.items()}
        for name, numbers in {"qpos": block, **mocap}.items():
            # Not a number, either.
            is_bad = ~(abs(numbers) <= _LARGEST)
            if is_bad.any():
                frame, *index = numpy.argwhere(is_bad)[0].tolist()
                what = f"coordinate {index[0]} ({self._joint(index[0])})" if name == "qpos" else f"body {index[0]}"
                problem = f"{what} is {numbers[frame, *index]}, which is a fault for MuJoCo"
                remedy = "leave out frames without a sound state, and give `times=`"
                raise _wrong(self.place(name, run, first + frame), problem, remedy)
        for start, joint in self._turns:
            norms = numpy.linalg.norm(block[:, start : start + 4], axis=1)
            if norms.min() < _NO_NORM:
                place = self.place("qpos", run, first + int(norms.argmin()))
                problem = f"the quaternion of {world.joint_name(joint)} is 0"
                raise _wrong(place, problem, "give 1, 0, 0, 0 (w, x, y, z) for no turn")
            worst = int(abs(norms - 1.0).argmax())
            if abs(norms[worst] - 1.0) > _NORM:
                self._odd.setdefault(joint, float(norms[worst]))
        return block, mocap

    def _joint(self, coordinate: int) -> str:
        """The name of the joint that has a coordinate."""
        joint = int(self._numpy.searchsorted(self._world.model.jnt_qposadr, coordinate, side="right")) - 1
        return self._world.joint_name(joint)

    def blocks(self, rows: int) -> Iterator[tuple[int, int, int]]:
        """Runs with ranges of frames, each of about so many rows of poses."""
        step = max(1, rows // max(1, len(self._world.moving)))
        for run in range(self.runs):
            for first in range(0, self.frames, step):
                yield run, first, min(self.frames, first + step)


def _write_poses(world: World, states: _States, path: str) -> tuple[Any, Any]:
    """Writes the poses of all geoms that move, and returns a box that they do not leave, between frames neither."""
    numpy = world.numpy
    arrow, parquet = (_scale_out.module(name, "mujoco") for name in ("pyarrow", "pyarrow.parquet"))
    text = arrow.dictionary(arrow.int32(), arrow.string())
    kinds = {"run": arrow.int64(), "frame": arrow.int64(), "body": text}
    kinds |= dict.fromkeys(("x", "y", "z", "qw", "qx", "qy", "qz"), arrow.float64())
    # A time is there or the column is not.
    kinds |= {} if states.times is None else {"time_s": arrow.float64()}
    schema = arrow.schema(list(kinds.items()))
    names = arrow.array([world.names[geom] for geom in world.moving.tolist()])
    count = len(world.moving)
    radii = world.model.geom_rbound[world.moving][:, None]
    low, high, step = numpy.full(3, numpy.inf), numpy.full(3, -numpy.inf), 0.0
    dictionary = ["run", "frame", "time_s", "body"]
    with parquet.ParquetWriter(path, schema, compression="zstd", use_dictionary=dictionary) as file:
        last: Any = None
        for run, first, end in states.blocks(_ROWS):
            positions, turns = _kinematics(world, *states.block(run, first, end))
            low = numpy.minimum(low, (positions - radii).min(axis=(0, 1)))
            high = numpy.maximum(high, (positions + radii).max(axis=(0, 1)))
            chain = positions if first == 0 else numpy.concatenate([last[None], positions])
            if len(chain) > 1:
                step = max(step, float(numpy.linalg.norm(numpy.diff(chain, axis=0), axis=2).max()))
            last = positions[-1]
            frames = end - first
            numbers = numpy.concatenate([positions, turns], axis=2).reshape(frames * count, 7)
            bodies = arrow.array(numpy.tile(numpy.arange(count, dtype="int32"), frames))
            columns = [
                arrow.array(numpy.full(frames * count, run)),
                arrow.array(numpy.repeat(numpy.arange(first, end), count)),
                arrow.DictionaryArray.from_arrays(bodies, names),
                *(arrow.array(numpy.ascontiguousarray(numbers[:, k])) for k in range(7)),
            ]
            if states.times is not None:
                columns.append(arrow.array(numpy.repeat(states.times[run, first:end], count)))
            file.write_table(arrow.table(columns, schema=schema))
    # An arc of at most half a turn leaves its chord by half of its length at most.
    return low - step, high + step


def _kinematics(world: World, qpos: Any, mocap: Mapping[str, Any]) -> tuple[Any, Any]:
    """Positions `(frames, geoms, 3)` and quaternions `(frames, geoms, 4)` of the geoms that move."""
    numpy, mujoco, m, data = world.numpy, world.mujoco, world.model, world.data
    positions = numpy.empty((len(qpos), len(world.moving), 3))
    turns = numpy.empty((len(qpos), len(world.moving), 4))
    for frame, state in enumerate(qpos):
        data.qpos[:] = state
        for name, poses in mocap.items():
            getattr(data, name)[:] = poses[frame]
        mujoco.mj_kinematics(m, data)
        positions[frame], turns[frame] = world.poses(world.moving)
    return positions, product(numpy, turns, m.geom_quat[world.moving])


def _array(numpy: Any, given: Any, name: str) -> Any:
    """An array of numbers, of the file at a path if it is one."""
    place = name
    if isinstance(given, (str, os.PathLike)):
        place = os.fspath(cast("str | os.PathLike[str]", given))
        given = _array_of_file(numpy, place, name)
    try:
        array = numpy.asarray(given)
    except ValueError:
        raise _wrong(place, "lists of different lengths", "give an array of numbers") from None
    if array.dtype.kind not in "fiu":
        raise _wrong(place, f"values of type {array.dtype}", "give an array of numbers")
    return array


def _array_of_file(numpy: Any, path: str, name: str) -> Any:
    remedy = f"give a `.npy` file, or a `.npz` file with one array or one named `{name}`"
    try:
        read = numpy.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError:
        raise Error("input", path, path, "does not exist", remedy) from None
    except OSError as error:
        raise Error("input", path, path, f"cannot be read: {error.strerror or error}", remedy) from None
    except (ValueError, EOFError, zipfile.BadZipFile):
        raise Error("input", path, path, "is no file of an array of numpy", remedy) from None
    if not hasattr(read, "files"):
        return read
    with read as archive:
        arrays: list[str] = archive.files
        key = name if name in arrays else arrays[0] if len(arrays) == 1 else None
        if key is None:
            raise Error("input", path, path, f"holds {len(arrays)} arrays: {listed(arrays)}", remedy)
        try:
            return archive[key]
        except (ValueError, EOFError, zipfile.BadZipFile):
            raise Error("input", path, path, f"`{key}` is no array of numbers", remedy) from None
