"""Runs in shards: what :mod:`clearsweep.ray` and :mod:`clearsweep.spark` share.

The engine schedules tasks, one a shard. A task calls :func:`clearsweep.run_shard`, which commits the shard by one rename,
and returns one row of counts. No engine writes a table: retries and duplicates of a task cannot lose or double rows.
"""

from __future__ import annotations

import collections
import contextlib
import importlib
import os
import socket
import threading
import uuid
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from . import _options
from ._divided import merge, plan, run_shard
from ._errors import Error, Kind, Warning
from ._result import Result, is_remote, local
from ._scene import Scene
from ._types import ArrowStream
from ._work import WorkPlace

#: Columns that describe a task and its shard, with their Arrow types.
_COUNTS = {
    "shard": "int64",
    "stood": "bool",
    "frames": "int64",
    "rows": "int64",
    "seconds": "double",
    "attempt": "int64",
    "node": "string",
    "pid": "int64",
}

#: Columns of a task's error, null without one.
_FAULT = {"kind": "string", "file": "string", "place": "string", "problem": "string", "help": "string"}

#: The columns of the row that a task returns.
COLUMNS = {**_COUNTS, **_FAULT}

#: Scenes that a worker process keeps loaded.
_SCENES_KEPT = 2

#: Rows of a row group of poses. A shard reads whole row groups, so they are short.
_POSE_ROWS = 1 << 16

#: Keys of a scene that name a file.
_FILE_KEYS = frozenset(("file", "geometry", "table", "trajectories"))


class ShardedResult(Result):
    """The merged result of a run in shards, with counts of its tasks."""

    def __init__(self, merged: Result, tasks: Sequence[Mapping[str, Any]], attempts: Mapping[int, int]) -> None:
        super().__init__(merged.manifest, merged._tables, merged.path, merged._owner)
        #: A dict for each shard, from the attempt that answered: ``shard``, ``stood`` (the shard was there already),
        #: ``frames``, ``rows``, ``seconds``, ``attempt`` (from 1), ``node``, ``pid``.
        self.tasks = [dict(task) for task in tasks]
        #: Attempts of this call, by shard. A process that dies before the task begins is not counted.
        self.attempts = dict(attempts)

    @property
    def retries(self) -> int:
        """Attempts beyond the first of each shard: lost workers, and duplicates that the engine started."""
        return sum(self.attempts.values()) - len(self.attempts)


@dataclass(frozen=True)
class SceneSource:
    """A scene that can be pickled. Its paths are absolute."""

    #: The scene file; None for a scene in code.
    path: str | None
    #: The sections of a scene in code.
    document: Mapping[str, Any]
    #: Options of `Scene.load`, as words of the command line.
    preset: Sequence[str]

    @classmethod
    def of(cls, scene: Scene | str | os.PathLike[str]) -> SceneSource:
        if not isinstance(scene, Scene):
            return cls(absolute(scene), {}, ())
        preset = [_absolute_word(word) for word in scene._preset]
        if scene._path is not None:
            return cls(absolute(scene._path), {}, preset)
        return cls(None, _absolute_files(scene._document), preset)

    def scene(self) -> Scene:
        """The scene, not yet loaded."""
        scene = Scene()
        scene._path, scene._document, scene._preset = self.path, dict(self.document), self.preset
        return scene


@dataclass(frozen=True)
class Job:
    """The arguments of a task. They can be pickled, and their paths are absolute."""

    #: A unique name of the call of `run`.
    call: str
    scene: SceneSource
    poses: str | None
    #: The place of the shards.
    work: WorkPlace
    shards: int
    #: Most attempts of one shard beyond the first.
    retries: int
    #: Options of `run_shard`.
    options: Mapping[str, Any]

    def marks(self, shard: int) -> str:
        """The folder with one mark for each attempt of a shard."""
        return f"{self.call}/shard-{shard:05}"

    def stop(self) -> None:
        """Makes tasks that have not begun return at once. If the mark cannot be written, they run to their ends."""
        with contextlib.suppress(OSError, Error):
            self.work.mark(self.call, "stop")

    def is_stopped(self) -> bool:
        """Whether `stop` was called, in any process."""
        return "stop" in self.work.marks(self.call)


#: Computes one shard of a job, and returns a row with `COLUMNS`.
Task: TypeAlias = Callable[[Job, int], dict[str, Any]]

#: Runs a task for each shard of a job, and yields their rows in any order.
Engine: TypeAlias = Callable[[Job], Iterable[Mapping[str, Any]]]


def run(
    engine: Engine,
    scene: Scene | str | os.PathLike[str],
    poses: ArrowStream | str | os.PathLike[str] | None,
    *,
    shards: int,
    out: str | os.PathLike[str],
    work: str | os.PathLike[str] | None,
    fast: bool,
    force: bool,
    retries: int,
    keep_shards: bool,
    threads: int,
    options: Mapping[str, Any],
) -> ShardedResult:
    """Plans the shards, computes them by tasks of the engine, and merges them.

    ``threads`` is the default of this option for a task.
    """
    out = absolute(out)
    place = _work_place(out, work, shards, force)
    source = SceneSource.of(scene)
    if source.path is None:
        # A job is known by a digest of its scene: this process has to use the paths that its tasks use.
        scene = source.scene()
    accepted = options.get("accepted")
    options = options if accepted is None else {**options, "accepted": absolute(accepted)}
    place.make()
    try:
        path = _pose_path(poses, place)
        planned = plan(scene, path, shards=shards, **options)
    except BaseException:
        if not any(name.startswith("shard-") for name in place.names()):
            place.remove()
        raise
    job = Job(uuid.uuid4().hex, source, path, place, len(planned), retries, {"threads": threads, **options})
    place.make_marks(job.call)
    tasks: list[dict[str, Any]] = []
    try:
        for row in engine(job):
            _raise_error(row, job)
            tasks.append({name: row[name] for name in _COUNTS})
    except BaseException as error:
        job.stop()
        if not isinstance(error, Error):
            error.add_note(f"Shards that are whole stay in {place.path}: the same call goes on with them.")
        raise
    tasks.sort(key=lambda task: task["shard"])
    in_code = scene if source.path is None else None
    of_scene = {name: options[name] for name in _options.SCENE if name in options}
    merged = merge(place.path, out, scene=in_code, fast=fast, force=force, memory=options.get("memory"), **of_scene)
    attempts = {task["shard"]: max(task["attempt"], _attempts(job, task["shard"])) for task in tasks}
    result = ShardedResult(merged, tasks, attempts)
    if not keep_shards:
        place.remove()
    if result.retries:
        again = [str(shard) for shard, count in attempts.items() if count > 1]
        named = ", ".join(again[:10]) + (", ..." if len(again) > 10 else "")
        problem = f"attempts beyond the first: {result.retries} (shards {named})"
        warnings.warn(f"{problem}\n  help: `attempts` of the result counts them by shard", Warning, stacklevel=3)
    return result


def run_task(job: Job, shard: int) -> dict[str, Any]:
    """Computes one shard in a worker process: a `Task`.

    An error of clearsweep is returned in columns, because engines retry or rewrite exceptions. If the process dies, the
    engine starts the task again in another one. After ``job.retries`` retries the task returns an error instead.
    """
    row: dict[str, Any] = dict.fromkeys(COLUMNS)
    row |= {"shard": shard, "attempt": 0, "node": socket.gethostname(), "pid": os.getpid()}
    threads: int | None = job.options["threads"]
    with _slots(threads):
        if job.is_stopped():
            return row
        try:
            row["attempt"] = attempt = _mark_attempt(job, shard)
            if attempt > job.retries + 1 and not job.work.has_shard(shard, job.shards):
                problem = f"the worker process ended without an answer in each of {attempt - 1} attempts"
                remedy = "look for the cause in the engine's log; if it is memory, give a task more, or cut more shards"
                raise Error("internal", None, f"shard {shard} of {job.shards}", problem, remedy)
            options: dict[str, Any] = {"memory": _memory_share(threads), **job.options}
            done = run_shard(_scene(job), job.poses, shard=(shard, job.shards), out=job.work.path, progress=False, **options)
        except Error as error:
            job.stop()
            return row | {name: getattr(error, name) for name in _FAULT}
    return row | {name: done[name] for name in ("stood", "frames", "rows", "seconds")}


def table(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Rows of tasks as a ``pyarrow.Table``."""
    arrow = module("pyarrow", "pyarrow")
    return arrow.Table.from_pylist(rows, schema=arrow.schema(list(COLUMNS.items())))


def module(name: str, extra: str) -> Any:
    """A module of an optional library. Libraries without types are imported by name."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        remedy = f"pip install 'clearsweep[{extra}]'"
        raise Error("usage", None, error.name or name, "is not installed", remedy) from None


def plain_schema(schema: Any) -> Any:
    """A ``pyarrow.Schema`` with plain texts instead of dictionaries and views, which not all libraries read."""
    arrow = module("pyarrow", "pyarrow")

    def plain(field: Any) -> Any:
        kind = field.type.value_type if arrow.types.is_dictionary(field.type) else field.type
        return field.with_type(arrow.string() if arrow.types.is_string_view(kind) else kind)

    return arrow.schema([plain(field) for field in schema], schema.metadata)


def plain_batch(batch: Any, schema: Any) -> Any:
    """A ``pyarrow.RecordBatch`` with the types of its `plain_schema`."""
    arrow = module("pyarrow", "pyarrow")

    def plain(column: Any, kind: Any) -> Any:
        if not arrow.types.is_dictionary(column.type):
            return column.cast(kind)
        # pyarrow casts views, and it unpacks dictionaries, but not dictionaries of views.
        return plain(column.dictionary, kind).take(column.indices)

    columns = [plain(column, field.type) for column, field in zip(batch.columns, schema, strict=True)]
    return arrow.RecordBatch.from_arrays(columns, schema=schema)


def absolute(path: str | os.PathLike[str]) -> str:
    """Makes a path absolute, because other processes have other working directories. Addresses stay as they are."""
    text = local(path)
    return text if is_remote(text) else os.path.abspath(text)


def _absolute_files(section: Mapping[str, Any]) -> dict[str, Any]:
    """A section of a scene with absolute paths."""

    def portable(key: str, value: Any) -> Any:
        if key in _FILE_KEYS and isinstance(value, (str, os.PathLike)):
            return absolute(cast("str | os.PathLike[str]", value))
        if isinstance(value, Mapping):
            return _absolute_files(cast("Mapping[str, Any]", value))
        if isinstance(value, list):
            items = cast("list[Any]", value)
            return [_absolute_files(item) for item in items] if items and isinstance(items[0], Mapping) else items
        return value

    return {key: portable(key, value) for key, value in section.items()}


def _absolute_word(word: str) -> str:
    """An option of the command line with an absolute path."""
    name, _, value = word.partition("=")
    return f"{name}={absolute(value)}" if name == "--accepted" else word


def _work_place(out: str, work: str | os.PathLike[str] | None, shards: int, force: bool) -> WorkPlace:
    """The place of the shards. Fails if it does not fit, or if the merge could not write to ``out``."""
    place = WorkPlace(absolute(f"{out}.shards" if work is None else work))
    if place.path == out or place.path.startswith(os.path.join(out, "")):
        raise Error("usage", None, "work=", f"`{place.path}` lies in `out`", "give a folder beside it")
    held = WorkPlace(out).names()
    if held and not force:
        problem = f'the directory is not empty (it holds "{min(held)}")'
        remedy = "choose another directory, or replace an earlier result with force=True"
        raise Error("output", out, out, problem, remedy)
    others = place.plans() - {shards}
    if others:
        problem = f"the folder holds shards of another plan, of {min(others)}"
        raise Error("output", place.path, place.path, problem, f"give shards={min(others)} to go on with it, or remove it")
    return place


def _pose_path(poses: ArrowStream | str | os.PathLike[str] | None, work: WorkPlace) -> str | None:
    """The path of the poses. A table or a stream of Arrow data is written to a file beside the shards."""
    if poses is None:
        return None
    if isinstance(poses, (str, os.PathLike)):
        return absolute(poses)
    if hasattr(poses, "__arrow_c_stream__") and not work.is_remote:
        return _write_poses(poses, work.path)
    problem = f"an object of type {type(poses).__name__} cannot be shared by several machines"
    remedy = "write it to Parquet files that all machines can read, and give their path"
    raise Error("usage", None, "poses=", problem, remedy)


def _write_poses(poses: ArrowStream, work: str) -> str:
    """Writes poses to ``work``. Shards know them by their bytes, so those of an earlier call with the same poses stand."""
    arrow, parquet = module("pyarrow", "pyarrow"), module("pyarrow.parquet", "pyarrow")
    path = os.path.join(work, "poses.parquet")
    reader = arrow.RecordBatchReader.from_stream(poses)
    schema = plain_schema(reader.schema)

    def blocks() -> Iterator[Any]:
        batches: list[Any] = []
        rows = 0
        for batch in reader:
            batches.append(plain_batch(batch, schema))
            rows += batch.num_rows
            if rows >= _POSE_ROWS:
                yield arrow.Table.from_batches(batches, schema)
                batches, rows = [], 0
        if rows:
            yield arrow.Table.from_batches(batches, schema)

    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for block in blocks():
            writer.write_table(block, row_group_size=_POSE_ROWS)
    return path


def _mark_attempt(job: Job, shard: int) -> int:
    """Leaves a mark for an attempt that begins, and returns how many of this shard have begun."""
    marks = job.marks(shard)
    try:
        job.work.mark(marks, f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex}")
        return len(job.work.marks(marks))
    except FileNotFoundError:
        problem = f"the folder of the shards is not there on node {socket.gethostname()}"
        remedy = "give `work` and `out` on a file system that all nodes share, or in an object store"
    except OSError as error:
        problem = f"cannot be written on node {socket.gethostname()} ({error.strerror})"
        remedy = "give `work` in a folder that all nodes can write"
    raise Error("output", None, job.work.path, problem, remedy)


def _attempts(job: Job, shard: int) -> int:
    """Counts the marks of a shard's attempts."""
    try:
        return len(job.work.marks(job.marks(shard)))
    except (OSError, Error):
        return 0


#: Guards what tasks on threads of one process share.
_lock = threading.Lock()
_slots_by_count: dict[int, threading.Semaphore] = {}
_scenes: collections.OrderedDict[str, Scene] = collections.OrderedDict()


def _slots(threads: int | None) -> threading.Semaphore:
    """Limits the tasks that run at once in this process, by its cores.

    A process of Ray or Spark runs one task at a time. Sail starts all tasks of a stage at once, on threads of its server.
    """
    count = max(1, _cores() // threads) if threads else 1
    with _lock:
        return _slots_by_count.setdefault(count, threading.Semaphore(count))


def _scene(job: Job) -> Scene:
    """The loaded scene of a job, cached for the next task of this process.

    The key is the call, and not a digest of the scene file: geometry files may change between two calls.
    """
    # The first of several tasks loads, the others wait.
    with _lock:
        scene = _scenes.get(job.call)
        if scene is None:
            scene = job.scene.scene()
            scene._load(job.options, has_poses=False)
            _scenes[job.call] = scene
            while len(_scenes) > _SCENES_KEPT:
                _scenes.popitem(last=False)
    return scene


def _memory_share(threads: int | None) -> int | None:
    """Bytes for what grows with pairs in one of several tasks of a machine.

    All tasks together take a quarter of the memory, as one process does by default, and each at most 2 GiB.
    """
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None
    cores = _cores()
    return max(64 << 20, min(2 << 30, memory // 4 * min(threads, cores) // cores)) if threads else None


def _cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _raise_error(row: Mapping[str, Any], job: Job) -> None:
    """Raises the error of a row, if it has one."""
    if row["kind"] is None:
        return
    error = Error(cast(Kind, row["kind"]), row["file"], row["place"], row["problem"], row["help"])
    error.add_note(f"in shard {row['shard']} of {job.shards}, on node {row['node']}")
    raise error
