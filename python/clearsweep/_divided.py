"""Jobs that are divided among machines: the plan, one shard, the merge."""

from __future__ import annotations

import json
import os
import warnings
from typing import Any

from . import _clearsweep, _options
from ._errors import Warning, warning_text
from ._result import Result, of_run
from ._run import ProgressCallback, about_poses, columns_word, loaded_scene, shown
from ._scene import Scene
from ._types import Columns


def plan(
    scene: Scene | str | os.PathLike[str],
    poses: str | os.PathLike[str] | None = None,
    *,
    shards: int,
    columns: Columns | None = None,
    **options: Any,
) -> list[dict[str, Any]]:
    """Divides a job into shards of about equal numbers of poses, as ``clearsweep plan`` does. Every machine makes the same plan.

    ``poses`` is a path, as for :func:`run`; so are ``options``. Returns a dict for each shard: ``shard`` (from 0), ``shards``,
    ``is_empty``, ``runs_from``, ``runs_to``, ``frames_from``, ``frames_to`` (None: an end that is open; ranges are half-open),
    ``poses`` and ``share``, its part of all poses.

    >>> import clearsweep as cs
    >>> [(part["runs_from"], part["runs_to"]) for part in cs.plan("datasets/separation/scene.toml", shards=3)]
    [(None, 67), (67, 133), (133, None)]
    """
    loaded = loaded_scene(scene, options, poses)
    about = about_poses(columns=columns)
    return json.loads(_clearsweep.plan(loaded, poses, about, _options.words(options), shards))["shards"]


def run_shard(
    scene: Scene | str | os.PathLike[str],
    poses: str | os.PathLike[str] | None = None,
    *,
    shard: tuple[int, int],
    out: str | os.PathLike[str],
    columns: str | Columns | None = None,
    progress: bool | ProgressCallback = False,
    **options: Any,
) -> dict[str, Any]:
    """Computes one shard of a job: ``shard`` is its number, from 0, and how many there are.

    Its tables go to the directory ``shard-IIIII-of-NNNNN`` in ``out``, which appears whole, by one rename; ``out`` may be the
    address of an object store, where the manifest, written last, does that. Where a whole shard of the same job stands there,
    nothing is computed; of several workers on one shard the first wins. A shard has no verdict: that is of the merged result.

    Returns a dict: ``shard``, ``shards``, ``path``, ``stood`` (whether it was there), ``frames``, ``rows``, ``seconds``.

    Raises
    ------
    Error
        A shard of another job stands there, or what :func:`run` raises.
    """
    loaded = loaded_scene(scene, options, poses)
    words = _options.words({**options, "columns": columns_word(columns)})
    about = about_poses(columns=columns)
    with shown(progress) as show:
        return json.loads(_clearsweep.run_shard(loaded, poses, about, words, shard, out, show))


def merge(
    shards: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    scene: Scene | str | os.PathLike[str] | None = None,
    fast: bool = False,
    force: bool = False,
    memory: int | str | None = None,
    threads: int | None = None,
    **options: Any,
) -> Result:
    """Puts the shards of a job together: the tables of one machine, byte for byte.

    ``scene``: where the scene file is, if it is not where the shards found it, or the scene itself if it was built in code; then
    ``options`` are those of :func:`run_shard` that change the scene (``within``, ``require``, ...). ``fast`` links or copies the
    parts of large tables instead of encoding their rows again: same rows, in other files.

    Raises
    ------
    Error
        A shard is missing, damaged or of another job, or the scene is not that of the shards.
    """
    in_code = scene if isinstance(scene, Scene) else None
    path = None if isinstance(scene, Scene) else scene
    loaded = None if in_code is None else loaded_scene(in_code, options)
    words = _options.words({"memory": memory, "threads": threads, "force": force})
    manifest = _clearsweep.merge_shards(shards, loaded, words, out, fast, path)
    result = of_run(out, manifest, None, 0)
    for warning in result.manifest.get("warnings", []):
        warnings.warn(warning_text(warning), Warning, stacklevel=2)
    return result


def verify(
    directory: str | os.PathLike[str], other: str | os.PathLike[str] | None = None, *, threads: int | None = None
) -> dict[str, Any]:
    """Checks that tables hold the rows that were written; with ``other``, that two results hold the same.

    Of two results only what their manifests tell is compared, in no time. Returns ``equal`` and ``differences``: ``table``,
    ``file`` (one whose bytes alone differ, or ``None``), ``rows`` on either side, and the ``runs`` within which they differ.
    """
    words = ["verify", *_options.words({"threads": threads}), *[os.fspath(path) for path in (directory, other) if path is not None]]
    return json.loads(_clearsweep.command(words))
