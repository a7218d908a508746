"""Jobs: run, stream, check."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any

from . import _clearsweep, _options
from ._errors import Error, Warning, warning_text
from ._poses import normalised
from ._result import Result, TemporaryFolder, of_run
from ._scene import Scene
from ._types import Columns, Length, Lengths, PoseArray, Poses

#: A function that is told how far a run is: frames done, rows found, share of the input read (0 to 1).
ProgressCallback = Callable[[int, int, float], object]

#: Bytes of tables that a result without `out` keeps in memory.
_IN_MEMORY = 256 << 20


def loaded_scene(
    scene: Scene | str | os.PathLike[str], options: Mapping[str, object], poses: object = None
) -> _clearsweep.LoadedScene:
    """The scene, which need not name trajectories if poses are handed over."""
    if isinstance(scene, (str, os.PathLike)):
        words = _options.words({name: options.get(name) for name in _options.SCENE})
        return _clearsweep.load_scene(scene, words, poses is not None)
    return scene._load(options, has_poses=poses is not None)


def about_poses(
    *,
    bodies: Sequence[str] | None = None,
    joints: Sequence[str] | None = None,
    order: str | None = None,
    times: Sequence[float] | PoseArray | None = None,
    bounds: object = None,
    columns: str | Columns | None = None,
) -> dict[str, object]:
    named = None if columns is None or isinstance(columns, str) else [_named(*item) for item in columns.items()]
    bodies, joints = [names if names is None else list(names) for names in (bodies, joints)]
    return {"bodies": bodies, "joints": joints, "order": order, "times": times, "bounds": bounds, "columns": named}


def _named(role: str, given: str | Mapping[str, str]) -> tuple[str, str, str | None]:
    """The name of a column and its unit, as the table ``[columns]`` of a scene file has them."""
    if isinstance(given, str):
        return role, given, None
    if set(given) != {"name", "unit"}:
        problem = f"`{role}` has the keys {', '.join(sorted(given))}"
        raise Error("usage", None, "columns=", problem, 'give a name, or {"name": ..., "unit": ...}')
    return role, given["name"], given["unit"]


def columns_word(columns: str | Columns | None) -> str | None:
    """The option ``--columns``."""
    return columns if isinstance(columns, str) else None


def run(
    scene: Scene | str | os.PathLike[str],
    poses: Poses | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    within: Length | None = None,
    require: Length | None = None,
    accepted: str | os.PathLike[str] | None = None,
    between: str | None = None,
    direction: Lengths | None = None,
    answer: str | None = None,
    contacts: str | None = None,
    bodies: Sequence[str] | None = None,
    joints: Sequence[str] | None = None,
    order: str | None = None,
    times: Sequence[float] | PoseArray | None = None,
    bounds: Sequence[Sequence[float]] | None = None,
    runs: range | slice | int | str | None = None,
    frames: range | slice | int | str | None = None,
    progress: bool | ProgressCallback = True,
    threads: int | None = None,
    memory: int | str | None = None,
    max_input: int | str | None = None,
    columns: str | Columns | None = None,
    allow_empty: bool = False,
    force: bool = False,
    resume: bool = False,
    previous: str | os.PathLike[str] | None = None,
    keep: int = _IN_MEMORY,
    **options: Any,
) -> Result:
    """Computes the distances of all pairs of bodies that come near, in all frames of all runs.

    >>> import clearsweep as cs
    >>> scene = cs.Scene(unit="mm", within=500, require=50).add("floor", box=[4000, 4000, 200], static=True)
    >>> scene = scene.add("ball", sphere=100)
    >>> import numpy as np
    >>> poses = np.zeros((3, 1, 7))                     # (frames, bodies, 7): x, y, z, qw, qx, qy, qz
    >>> poses[:, 0, 2] = [400, 300, 240]                # z in mm, as the scene says
    >>> poses[:, 0, 3] = 1                              # no turning
    >>> result = cs.run(scene, poses, bodies=["ball"], progress=False)
    >>> result.verdict, result.exit_code
    ('violated', 3)
    >>> result.distances.to_polars()["distance_m"].round(9).to_list()
    [0.2, 0.1, 0.04]

    Parameters
    ----------
    scene
        A :class:`Scene`, or the path of a scene file.
    poses
        The poses of the bodies that move. Left out: those that the scene names.

        - a path, a directory or a glob of Parquet, Arrow IPC or CSV files, or their address in an object store (``s3://``, ``az://``,
          ``gs://``);
        - a table or a stream of Arrow data (DuckDB, Polars, pyarrow, pandas, arro3) with the columns ``frame``, ``body``, ``x``,
          ``y``, ``z``, ``qw``, ``qx``, ``qy``, ``qz``, and ``run``, ``time_s`` if wanted, in order of run and frame. Lengths are in
          the scene's unit unless a field says otherwise. 64 MiB of it are kept in memory;
        - a lazy frame of Polars with these columns, whose batches are taken as they come;
        - an array of float64 or float32, ``(frames, bodies, 7)`` or ``(runs, frames, bodies, 7)``, or of matrices
          ``(frames, bodies, 4, 4)`` or ``(runs, frames, bodies, 4, 4)``, with ``bodies``. Positions are in the scene's unit. It
          is read where it lies, whatever its strides; only numbers in a foreign byte order or at odd addresses are copied. It must
          not be written to meanwhile: what is computed then is not defined;
        - if joints carry the bodies: a table or a file of joint values, or an array of them, ``(frames, joints)`` or
          ``(runs, frames, joints)``, with ``joints``. Radians and metres, unless the scene's ``[columns]`` or ``columns`` say otherwise.
    out
        A directory for the tables, or its address in an object store, new or empty: the same files as the program writes. Left out:
        tables stay in memory up to ``keep`` bytes of Parquet (256 MiB); larger ones stay in a temporary directory that the result
        owns.
    within, require, between, direction, answer, contacts
        Replace the keys of the scene. Lengths are numbers in its unit, or texts such as ``"50 mm"``.
    accepted
        A file of accepted pairs, as :func:`accept` writes it, in place of that of the scene.
    bodies
        The names along the axis of bodies of an array.
    joints
        The names along the axis of joints of an array. A joint that is not named needs a value in ``[posture]``.
    order
        Components of an array: ``"xyz_wxyz"`` (x, y, z, qw, qx, qy, qz; the default) or ``"xyz_xyzw"``.
    times
        Seconds of each frame of an array.
    bounds
        ``[[x, y, z], [x, y, z]]`` in metres, within which all positions of a stream lie; only the speed depends on it.
    runs, frames
        Which of them are taken: ``range(3, 7)``, ``5``, or a text such as ``"..10"``.
    progress
        True: a bar of tqdm, if that is installed. Else a function that is told frames, rows and the share that is read.
    columns
        Names of the columns of files and streams, and their units, as the table ``[columns]`` of a scene file has them:
        ``{"body": "entity_id", "time_s": {"name": "stamp", "unit": "ns"}, "yaw": {"name": "heading", "unit": "deg"}}``. A text,
        ``"all"`` or ``"distance"``, chooses the columns of the table ``distances``.
    previous
        The directory of an earlier result: its issues keep their ids as long as one of their pairs violates.
    threads, memory, max_input, allow_empty, force, resume
        The options of the program of these names; so are all others: ``device``, ``broad``, ``narrow``, ...

    Returns
    -------
    Result
        Verdict, summary and tables. Lengths in tables are in metres.

    Raises
    ------
    Error
        The scene, the poses or an argument do not fit, or a file cannot be written.
    KeyboardInterrupt
        Ctrl-C. What was written is removed, unless ``resume`` can go on with it.
    """
    named = {
        "within": within, "require": require, "accepted": accepted, "between": between, "direction": direction, "answer": answer, "contacts": contacts,
        "runs": runs, "frames": frames,
        "threads": threads, "memory": memory, "max_input": max_input, "columns": columns_word(columns), "allow_empty": allow_empty,
        "force": force, "resume": resume, "previous": previous,
    }  # fmt: skip
    every = {**named, **options}
    words = _options.words(every)
    loaded = loaded_scene(scene, every, poses)
    about = about_poses(bodies=bodies, joints=joints, order=order, times=times, bounds=bounds, columns=columns)
    taken = normalised(poses)
    if out is not None:
        with shown(progress) as show:
            manifest = _clearsweep.run_tables(loaded, taken, about, words, out, show)
        result = of_run(out, manifest, None, keep)
    else:
        if force or resume:
            raise Error("usage", None, "out=", "`force` and `resume` need a directory", "give `out=`")
        folder = TemporaryFolder()
        try:
            with shown(progress) as show:
                target = os.path.join(folder.name, "tables")
                manifest = _clearsweep.run_tables(loaded, taken, about, words, target, show)
            result = of_run(target, manifest, folder, keep)
        except BaseException:
            folder.remove()
            raise
    for warning in result.manifest.get("warnings", []):
        warnings.warn(warning_text(warning), Warning, stacklevel=2)
    return result


def stream(
    scene: Scene | str | os.PathLike[str],
    poses: Poses | None = None,
    *,
    bodies: Sequence[str] | None = None,
    joints: Sequence[str] | None = None,
    order: str | None = None,
    times: Sequence[float] | PoseArray | None = None,
    bounds: Sequence[Sequence[float]] | None = None,
    columns: str | Columns | None = None,
    batch_rows: int = 65_536,
    **options: Any,
) -> RowStream:
    """Computes as :func:`run` does, and gives the rows of ``distances`` as they come: nothing is written or kept.

    Batches have about ``batch_rows`` rows. The job waits for whoever takes them, so memory stays bounded. ``options`` are
    those of :func:`run`.

    >>> import clearsweep as cs
    >>> with cs.stream("datasets/contact/scene.toml") as rows:
    ...     print(sum(batch.num_rows for batch in rows))
    17
    """
    loaded = loaded_scene(scene, options, poses)
    words = _options.words({**options, "columns": columns_word(columns)})
    about = about_poses(bodies=bodies, joints=joints, order=order, times=times, bounds=bounds, columns=columns)
    rows = _clearsweep.stream_rows(loaded, normalised(poses), about, words, batch_rows)
    return RowStream(rows)


class RowStream:
    """Rows of a job as they come: an iterator of ``arro3.core.RecordBatch``, or a stream that Arrow libraries read once.

    Closing it, or dropping it, cancels the job.
    """

    def __init__(self, rows: _clearsweep.RowStream) -> None:
        self._rows = rows

    def __iter__(self) -> Iterator[Any]:
        from arro3.core import RecordBatch

        for batch in self._rows:
            yield RecordBatch.from_arrow(batch)

    def __arrow_c_schema__(self) -> object:
        return self._rows.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._rows.__arrow_c_stream__(requested_schema)

    @property
    def summary(self) -> dict[str, Any] | None:
        """The summary of the job, once all rows are taken."""
        manifest = self._rows.manifest
        return None if manifest is None else json.loads(manifest)["summary"]

    def close(self) -> None:
        """Cancels the job, and waits for its end."""
        self._rows.close()

    def __enter__(self) -> RowStream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def check(
    scene: Scene | str | os.PathLike[str],
    poses: str | os.PathLike[str] | None = None,
    *,
    columns: Columns | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Checks a scene and its trajectories without running, as ``clearsweep check --json`` does.

    Returns the object of ``--json``: ``warnings``, ``lasting_contacts``, ``ignore_rules``, ``never_near``, ``sizes``, ...

    >>> import clearsweep as cs
    >>> cs.check("datasets/contact/scene.toml")["pairs_possible"]
    55
    """
    loaded = loaded_scene(scene, options, poses)
    return json.loads(_clearsweep.check(loaded, poses, about_poses(columns=columns), _options.words(options)))


class shown:
    """Shows the progress of a run."""

    def __init__(self, progress: bool | ProgressCallback) -> None:
        self._progress = progress
        self._bar: Any = None

    def __enter__(self) -> ProgressCallback | None:
        if callable(self._progress):
            return self._progress
        if not self._progress:
            return None
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return None
        form = "{percentage:3.0f} %|{bar}| {postfix} [{elapsed}<{remaining}]"
        bar: Any = tqdm(total=1.0, bar_format=form, leave=False, delay=0.5)  # pyright: ignore[reportUnknownVariableType]
        self._bar = bar

        def show(frames: int, rows: int, share: float) -> None:
            bar.set_postfix_str(f"{frames:,} frames, {rows:,} rows", refresh=False)
            bar.update(share - bar.n)

        return show

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()
