"""Runs on a cluster of Ray: each shard is a task of Ray Data.

::

    import clearsweep.ray

    result = clearsweep.ray.run("scene.toml", "poses/*.parquet", shards=1000, out="/shared/result")

Needs ``pip install 'clearsweep[ray]'``, on workers too, and a file system that all nodes share or an object store.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from . import _scale_out
from ._scale_out import ShardedResult
from ._scene import Scene
from ._types import ArrowStream

__all__ = ["ShardedResult", "run"]


def run(
    scene: Scene | str | os.PathLike[str],
    poses: ArrowStream | str | os.PathLike[str] | None = None,
    *,
    shards: int,
    out: str | os.PathLike[str],
    work: str | os.PathLike[str] | None = None,
    cpus: float = 1,
    fast: bool = False,
    force: bool = False,
    retries: int = 3,
    keep_shards: bool = False,
    progress: bool = True,
    **options: Any,
) -> ShardedResult:
    """Computes as :func:`clearsweep.run` does, in shards on a cluster of Ray: the same tables, byte for byte.

    Ray Data starts a task for each shard. A worker process loads the geometry once and keeps it for its next tasks. A task
    writes its shard to ``work`` by one rename: a task that is repeated, or runs twice at once, changes nothing. This process
    then merges the shards. If it fails, the same call goes on with the shards that are whole.

    Parameters
    ----------
    scene
        A :class:`clearsweep.Scene`, or the path of a scene file that all nodes can read. Relative paths of files in a scene
        in code begin at the working directory of this process; those inside a table of bodies must be absolute.
    poses
        A path, a directory or a glob that all nodes can read. Left out: those that the scene names. A table or a stream of
        Arrow data is written to ``work`` first. Arrays are refused: write them to Parquet.
    shards
        The number of tasks, of about equal numbers of poses: a few for each core of the cluster.
    out
        The directory of the tables, new or empty.
    work
        The folder of the shards, on a file system that all nodes share or in an object store. Left out: ``out`` with the suffix ``.shards``. At
        the end this function removes what it wrote there.
    cpus
        Cores of a task, as Ray counts them. ``threads`` is the same number, at least 1, unless it is given.
    fast
        Links or copies parts of large tables instead of encoding their rows again: the same rows in other files.
    force
        Replaces an earlier result in ``out`` once the new one is whole.
    retries
        Retries of one shard whose worker process has died, at most. Errors of clearsweep are not retried.
    keep_shards
        Leaves ``work`` as it is at the end.
    progress
        Whether Ray Data shows its progress.
    options
        Those of :func:`clearsweep.run_shard`: ``within``, ``require``, ``runs``, ``memory``, ... ``memory`` is that of one
        task. Left out: a quarter of the memory of its node, divided among the cores, and at most 2 GiB.

    Returns
    -------
    ShardedResult
        The merged :class:`clearsweep.Result`. ``attempts`` counts the attempts of each shard, and ``retries`` those beyond
        the first, which are also a :class:`clearsweep.Warning`. ``tasks`` says where each shard was computed.

    Raises
    ------
    Error
        The scene, the poses or an argument do not fit, a file cannot be written, or the ``retries`` are used up. If it comes
        from a task, a note of the error names the shard and the node. Ray's own errors pass through.
    """

    data: Any = _scale_out.module("ray.data", "ray")

    def engine(job: _scale_out.Job) -> Iterator[Mapping[str, Any]]:
        blocks = data.from_items([{"shard": shard} for shard in range(job.shards)], override_num_blocks=job.shards)
        # A batch is a block, and a block is one row. Ray Data retries without bound; `run_task` bounds it.
        arguments = {"task": _scale_out.run_task, "job": job}
        told = blocks.map_batches(_tasks, batch_size=None, batch_format="pyarrow", fn_kwargs=arguments, num_cpus=cpus)
        told.context.enable_progress_bars = progress
        told.context.print_on_execution_start = progress
        return told.iter_rows()

    return _scale_out.run(
        engine, scene, poses, shards=shards, out=out, work=work, fast=fast, force=force, retries=retries,
        keep_shards=keep_shards, threads=max(1, int(cpus)), options=options,
    )  # fmt: skip


def _tasks(batch: Any, task: _scale_out.Task, job: _scale_out.Job) -> Any:
    """Runs the tasks of a batch, a ``pyarrow.Table`` with the column ``shard``."""
    return _scale_out.table([task(job, shard) for shard in batch["shard"].to_pylist()])
