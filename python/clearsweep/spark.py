"""Runs on Spark, Spark Connect and Sail, and tables of results as a data source.

::

    import clearsweep.spark

    result = clearsweep.spark.run(spark, "scene.toml", "poses/*.parquet", shards=1000, out="/shared/result")

    clearsweep.spark.register(spark)
    near = spark.read.format("clearsweep").option("table", "pairs").load("/shared/result").where("upper_m < 0.05")

Needs ``pip install 'clearsweep[spark]'``, on executors too, and a file system that all nodes share or an object store.
"""

from __future__ import annotations

import glob
import importlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from . import _scale_out
from ._errors import Error
from ._result import Result, is_remote, local
from ._scale_out import ShardedResult
from ._scene import Scene
from ._types import ArrowStream

__all__ = ["ClearsweepDataSource", "ShardedResult", "register", "run"]

try:
    _datasource: Any = importlib.import_module("pyspark.sql.datasource")
except ModuleNotFoundError:
    # The module can be imported for its documentation; `register` says what is missing.
    _datasource = None

_DataSource: Any = object if _datasource is None else _datasource.DataSource
_DataSourceReader: Any = object if _datasource is None else _datasource.DataSourceReader
_InputPartition: Any = object if _datasource is None else _datasource.InputPartition

#: Types of Spark by Arrow types.
_SPARK_TYPES = {
    "bool": "boolean",
    "int8": "byte",
    "int16": "short",
    "int32": "integer",
    "int64": "long",
    "float": "float",
    "double": "double",
    "string": "string",
}

#: Bytes of Parquet that one partition reads, about.
_PARTITION_BYTES = 64 << 20


def run(
    spark: Any,
    scene: Scene | str | os.PathLike[str],
    poses: ArrowStream | str | os.PathLike[str] | None = None,
    *,
    shards: int,
    out: str | os.PathLike[str],
    work: str | os.PathLike[str] | None = None,
    fast: bool = False,
    force: bool = False,
    retries: int = 3,
    keep_shards: bool = False,
    **options: Any,
) -> ShardedResult:
    """Computes as :func:`clearsweep.run` does, in shards on Spark: the same tables, byte for byte.

    ``spark`` is a session of Spark, Spark Connect or Sail. Spark starts a task for each shard (``mapInArrow``) and shows
    their progress. A Python worker loads the geometry once and keeps it for its next tasks. ``threads`` is
    ``spark.task.cpus`` unless it is given. All else is as in :func:`clearsweep.ray.run`: parameters, result and errors.

    Spark retries a task whose worker process has died up to ``spark.task.maxFailures``, and this function up to ``retries``.
    Spark in the mode ``local[N]`` retries nothing; ``local[N,4]`` does. Sail in the mode ``local`` runs tasks in the process
    of its server: if one dies, the call fails. The same call on a new server goes on with the shards that are whole.
    """

    def engine(job: _scale_out.Job) -> Iterator[Mapping[str, Any]]:
        task = _scale_out.run_task

        def tasks(batches: Iterable[Any]) -> Iterator[Any]:
            for batch in batches:
                for shard in batch.column("id").to_pylist():
                    yield from _scale_out.table([task(job, shard)]).to_batches()

        types = _scale_out.module("pyspark.sql.types", "spark")
        schema = types.StructType()
        for name, kind in _scale_out.COLUMNS.items():
            schema.add(name, _SPARK_TYPES[kind])
        told = spark.range(0, job.shards, 1, numPartitions=job.shards).mapInArrow(tasks, schema)
        return (row.asDict() for row in told.collect())

    return _scale_out.run(
        engine, scene, poses, shards=shards, out=out, work=work, fast=fast, force=force, retries=retries,
        keep_shards=keep_shards, threads=int(spark.conf.get("spark.task.cpus", "1")), options=options,
    )  # fmt: skip


def register(spark: Any) -> None:
    """Registers the data source ``clearsweep`` with a session.

    Raises
    ------
    Error
        PySpark is older than 4.0.
    """
    if _datasource is None:
        raise Error("usage", None, "pyspark", "version 4 or newer is not installed", "pip install 'clearsweep[spark]'")
    spark.dataSource.register(ClearsweepDataSource)


class ClearsweepDataSource(_DataSource):
    """Tables of a result: ``spark.read.format("clearsweep").option("table", "distances").load(DIR)``.

    The option ``table`` names a table of :class:`clearsweep.Result`; left out: ``distances``. The metadata of a field has the
    ``unit`` of its column. All executors must be able to read the directory. Spark drops columns and rows after they are
    read. For large tables ``spark.read.parquet(DIR + "/distances")`` is faster: it skips them in the files.
    """

    options: Mapping[str, str]

    @classmethod
    def name(cls) -> str:
        """The name of the format."""
        return "clearsweep"

    def schema(self) -> Any:
        """The columns of the table, as a ``StructType``.

        Raises
        ------
        Error
            The directory holds no finished result, or no such table.
        """
        types: Any = importlib.import_module("pyspark.sql.types")
        parquet: Any = importlib.import_module("pyarrow.parquet")
        struct = types.StructType()
        for field in _scale_out.plain_schema(parquet.read_schema(self._files()[0])):
            metadata: dict[bytes, bytes] = field.metadata or {}
            units = {"unit": metadata[b"unit"].decode()} if b"unit" in metadata else None
            struct.add(field.name, _spark_type(field.type), field.nullable, units)
        return struct

    def reader(self, schema: Any) -> Any:
        """A reader of the table's files."""
        return _Reader(self._files())

    def _files(self) -> list[str]:
        """The Parquet files of the table, in order of rows."""
        folder, name = self.options.get("path"), self.options.get("table", "distances")
        if folder is None:
            raise Error("usage", None, "load", "no directory is given", 'give that of a result: `.load("DIR")`')
        if is_remote(local(folder)):
            remedy = 'read its files by Spark itself: spark.read.parquet("s3a://.../distances")'
            raise Error("usage", None, folder, "is in an object store, which the executors read by themselves", remedy)
        result = Result.open(os.path.abspath(local(folder)))
        table = result._tables.get(name)
        if table is None or table.path is None:
            remedy = f"give one of {', '.join(sorted(result._tables))}"
            raise Error("usage", None, "option table", f"the result has no table `{name}`", remedy)
        if not os.path.isdir(table.path):
            return [table.path]
        return sorted(glob.glob(os.path.join(glob.escape(table.path), "*.parquet")))


class _Partition(_InputPartition):
    """Files and row groups that one task reads, in order of rows."""

    def __init__(self, pieces: Sequence[tuple[str, Sequence[int] | None]]) -> None:
        #: Paths, each with its row groups (None: all of them).
        self.pieces = pieces


class _Reader(_DataSourceReader):
    """Reads files of one table as batches of Arrow data."""

    def __init__(self, files: Sequence[str]) -> None:
        self._files = files

    def partitions(self) -> list[_Partition]:
        """Row groups of large files, and small files together, by bytes."""
        parquet: Any = importlib.import_module("pyarrow.parquet")
        found: list[_Partition] = []
        pieces: list[tuple[str, Sequence[int] | None]] = []
        taken = 0
        for path in self._files:
            size = os.path.getsize(path)
            groups = parquet.ParquetFile(path).num_row_groups if size > _PARTITION_BYTES else 1
            for group in range(groups):
                pieces.append((path, [group] if groups > 1 else None))
                taken += size // groups
                if taken >= _PARTITION_BYTES:
                    found.append(_Partition(pieces))
                    pieces, taken = [], 0
        return [*found, _Partition(pieces)] if pieces else found

    def read(self, partition: _Partition) -> Iterator[Any]:
        """The batches of a partition."""
        parquet: Any = importlib.import_module("pyarrow.parquet")
        for path, groups in partition.pieces:
            with parquet.ParquetFile(path) as file:
                schema = _scale_out.plain_schema(file.schema_arrow)
                for batch in file.iter_batches(row_groups=groups):
                    yield _scale_out.plain_batch(batch, schema)


def _spark_type(kind: Any) -> Any:
    """The type of Spark for an Arrow type."""
    types: Any = importlib.import_module("pyspark.sql.types")
    arrow: Any = importlib.import_module("pyarrow")
    if arrow.types.is_list(kind):
        return types.ArrayType(_spark_type(kind.value_type), kind.value_field.nullable)
    return types.StructType().add("value", _SPARK_TYPES[str(kind)])[0].dataType
