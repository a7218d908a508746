"""Results: verdict, summary, and tables that can be read any number of times."""

from __future__ import annotations

import html
import importlib.util
import json
import math
import os
import shutil
import statistics
import tempfile
import weakref
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from . import _clearsweep, _options
from ._errors import Error

if TYPE_CHECKING:
    import arro3.core
    import pandas
    import polars

#: The exit code of the program for each verdict.
_EXIT_CODES = {
    "clear": 0,
    "nothing required": 0,
    "undecided": 0,
    "accepted": 0,
    "nothing-checked": 2,
    "violated": 3,
    "uncertified": 4,
}


class Table:
    """A table of a result, in Parquet on disk or in memory.

    Whatever reads Arrow data reads it, as often as wanted, row group by row group: ``polars.DataFrame(table)``,
    ``duckdb.sql("from table")``, ``pyarrow.table(table)``, ``pandas.DataFrame.from_arrow(table)``,
    ``arro3.core.Table.from_arrow(table)``. (``polars.from_arrow`` takes streams that it does not know for a single column.)
    """

    def __init__(self, name: str, files: _clearsweep.TableFiles, path: str | None) -> None:
        self.name = name
        #: The file or folder of Parquet; None if the table is in memory.
        self.path = path
        self._files = files

    def __arrow_c_schema__(self) -> object:
        return self._files.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._files.__arrow_c_stream__(requested_schema)

    @property
    def schema(self) -> arro3.core.Schema:
        """Its columns."""
        from arro3.core import Schema

        return Schema.from_arrow(self)

    def __len__(self) -> int:
        return self._files.rows

    def to_polars(self) -> polars.DataFrame:
        """The table as a data frame of Polars."""
        try:
            import polars
        except ImportError:
            raise _missing("polars", "polars") from None
        return polars.DataFrame(self)

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a data frame of pandas (needs pyarrow, too)."""
        if importlib.util.find_spec("pandas") is None:
            raise _missing("pandas", "pandas")
        return self.to_arrow().to_pandas()

    def to_arrow(self) -> Any:
        """The table as a ``pyarrow.Table`` (pyarrow has no types)."""
        try:
            pyarrow: Any = importlib.import_module("pyarrow")
        except ImportError:
            raise _missing("pyarrow", "pyarrow") from None
        return pyarrow.table(self)

    def __repr__(self) -> str:
        return f"<clearsweep.Table {self.name}: {len(self):,} rows, {self.path or 'in memory'}>"


def _missing(what: str, extra: str) -> Error:
    return Error("usage", None, what, "is not installed", f"pip install 'clearsweep[{extra}]'")


class Probability(NamedTuple):
    """The share of runs that violate ``require``, with an interval of confidence."""

    share: float
    low: float
    high: float
    violating: int
    runs: int


class Result:
    """What a run found.

    >>> import clearsweep as cs
    >>> result = cs.run("datasets/contact/scene.toml", progress=False)
    >>> result
    <clearsweep.Result violated: 17 rows of 17 pairs in 1 run>
    >>> result.pairs.to_polars().height
    17
    """

    def __init__(
        self,
        manifest: Mapping[str, Any],
        tables: Mapping[str, Table],
        path: str | None,
        owner: TemporaryFolder | None,
    ) -> None:
        #: The whole manifest: inputs, options, times.
        self.manifest = manifest
        #: The directory of the tables; None if they are in memory.
        self.path = path
        self._tables = tables
        self._owner = owner

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Result:
        """Opens the output directory of an earlier run, of the program or of Python. A result in an object store is copied to a
        temporary directory.

        Raises
        ------
        Error
            It holds no finished run.
        """
        folder = local(path)
        if is_remote(folder):
            owner = fetched(folder)
            with open(os.path.join(owner.name, "manifest.json"), encoding="utf-8") as file:
                return of_run(owner.name, file.read(), owner, 0, folder)
        # Only the program's own reader says whether the run is finished.
        json.loads(_clearsweep.command(["summary", folder]))
        with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
            return of_run(folder, file.read(), None, 0)

    @property
    def summary(self) -> dict[str, Any]:
        """The summary of the manifest: counts, times, ``violating_pairs``, ..."""
        return self.manifest["summary"]

    @property
    def verdict(self) -> str:
        """One word: clear, nothing required, undecided, accepted, nothing-checked, violated or uncertified."""
        return self.summary["verdict"]

    @property
    def exit_code(self) -> int:
        """The exit code of the program for this verdict."""
        return _EXIT_CODES[self.verdict]

    @property
    def worst(self) -> dict[str, Any] | None:
        """The row of least distance: ``distance_m``, ``run``, ``frame``, ``body_a``, ``body_b``; None without a row."""
        return self.summary["worst"]

    @property
    def distances(self) -> Table:
        """A row for each frame and pair nearer than ``within``."""
        return self._tables["distances"]

    @property
    def penetrations(self) -> Table:
        """A row for each frame and pair that overlaps: depth and direction."""
        return self._tables["penetrations"]

    @property
    def intervals(self) -> Table | None:
        """A row for each pair between two frames; None if the scene does not say how bodies move there."""
        return self._tables.get("intervals")

    @property
    def contacts(self) -> Table | None:
        """A row for each region in which a pair touches or overlaps in a frame; None unless the scene says ``contacts = "all"``."""
        return self._tables.get("contacts")

    @property
    def pairs(self) -> Table:
        """A row for each run and pair that came near: when, where and how near."""
        return self._tables["pairs"]

    @property
    def runs(self) -> Table:
        """A row for each run."""
        return self._tables["runs"]

    @property
    def events(self) -> Table | None:
        """A row for each stretch of time in which a pair violates its rule; None if nothing is required."""
        return self._tables.get("events")

    @property
    def issues(self) -> Table | None:
        """The events gathered into what somebody works off; None if nothing is required."""
        return self._tables.get("issues")

    @property
    def bodies(self) -> Table:
        """A row for each body."""
        return self._tables["bodies"]

    def probability(
        self, confidence: float = 0.95, method: Literal["wilson", "clopper-pearson"] = "wilson"
    ) -> Probability:
        """The share of runs that violate ``require``, with its interval.

        ``"wilson"`` is the interval that the program prints; ``"clopper-pearson"`` never covers less than ``confidence``.

        Raises
        ------
        Error
            Nothing is required, or there is no run.
        """
        if not 0.0 < confidence < 1.0:
            raise Error("usage", None, "confidence=", f"{confidence} is no confidence", "give a number between 0 and 1")
        count, runs = self.summary["runs_violated"], self.summary["runs"]
        if self.summary["require_m"] is None or not runs:
            problem = "nothing is required" if runs else "there is no run"
            raise Error("usage", None, "probability", f"{problem}, so no run violates it", "give `require=` to the run")
        bounds = {"wilson": _wilson, "clopper-pearson": _clopper_pearson}.get(method)
        if bounds is None:
            problem = f"`{method}` is no method"
            raise Error("usage", None, "method=", problem, 'give "wilson" or "clopper-pearson"')
        low, high = bounds(count, runs, confidence)
        return Probability(count / runs, low, high, count, runs)

    def report(
        self,
        html: str | os.PathLike[str] | None = None,
        *,
        bcf: str | os.PathLike[str] | None = None,
        bcf_version: Literal["2.1", "3.0"] = "2.1",
        author: str | None = None,
        glb: str | os.PathLike[str] | None = None,
        issue: str | None = None,
        run: int | None = None,
        png: str | os.PathLike[str] | None = None,
        csv: str | os.PathLike[str] | None = None,
        xlsx: str | os.PathLike[str] | None = None,
        max_issues: int = 200,
        views: bool = True,
        force: bool = False,
    ) -> list[dict[str, Any]]:
        """Writes files for people: a page (``html``), topics for coordination tools (``bcf``, raised by ``author``), the bodies at the
        worst moment of an ``issue`` or over a ``run`` (``glb``), a folder of pictures (``png``), and tables (``csv``, ``xlsx``).

        The tables must be in a directory (``out=`` of the run). Geometry and poses are read again from their files: ``views=False``
        leaves them out. Returns format, path and bytes of each file.

        Raises
        ------
        Error
            No file is asked for, a file exists and ``force`` is not set, or an input has changed since the run.
        """
        if self.path is None or self._owner is not None:
            problem = "the tables are in memory or in a temporary directory"
            raise Error("usage", None, "report", problem, "give `out=` to the run")
        words = ["report", self.path, "--max-issues", str(max_issues)]
        values = {"html": html, "bcf": bcf, "glb": glb, "png": png, "csv": csv, "xlsx": xlsx, "author": author}
        values |= {"issue": issue, "run": None if run is None else str(run)}
        values["bcf-version"] = None if bcf is None else bcf_version
        for name, value in values.items():
            if value is not None:
                words.append(f"--{name}={os.fspath(value)}")
        words += ["--no-views"] * (not views) + ["--force"] * force
        return json.loads(_clearsweep.command(words))["files"]

    def recheck(
        self,
        *,
        pair: tuple[str, str] | None = None,
        rows: int | None = None,
        all: bool = False,  # noqa: A002 - the name of the program's option
        seconds: float | None = None,
        seed: int | None = None,
        out: str | os.PathLike[str] | None = None,
        threads: int | None = None,
        force: bool = False,
    ) -> dict[str, Any]:
        """Proves rows again, by code that shares nothing with the engine: ``clearsweep recheck``.

        A sample takes ``seconds`` (10), and ``seed`` draws it; ``all`` looks at everything. ``pair`` names the only two bodies, ``rows``
        the most rows of distances. ``out`` is a directory for ``recheck.parquet``. Returns ``outcome`` (``proven_again``,
        ``not_decided`` or ``wrong``), ``counts`` by table and statement, ``reasons`` for what is only bounded or was not looked at, and
        ``wrong``, the wrong statements.

        The tables must be in a directory (``out=`` of the run). Geometry and poses are read again from their files.

        Raises
        ------
        Error
            The result is in memory, the scene was built in code, or an input has changed since the run.
        """
        if self.path is None or self._owner is not None:
            problem = "the tables are in memory or in a temporary directory"
            raise Error("usage", None, "recheck", problem, "give `out=` to the run")
        options = {"rows": rows, "all": all, "seconds": seconds, "seed": seed, "out": out, "threads": threads}
        words = ["recheck", *_options.words({**options, "force": force, "progress": "none"})]
        words += [] if pair is None else ["--pair", *pair]
        return json.loads(_clearsweep.command([*words, self.path]))

    def __repr__(self) -> str:
        rows, pairs, runs = (self.summary[key] for key in ("rows", "pairs_within", "runs"))
        counts = f"{_counted(rows, 'row')} of {_counted(pairs, 'pair')} in {_counted(runs, 'run')}"
        return f"<clearsweep.Result {self.verdict}: {counts}>"

    def _repr_html_(self) -> str:
        required = self.summary["require_m"]
        head = f"<b>{html.escape(self.verdict)}</b>"
        if required is not None:
            head += f", {required:g} m required"
        pairs: list[dict[str, Any]] = self.summary.get("violating_pairs") or []
        title = "Pairs that violate it, the worst first"
        if not pairs and self.worst is not None:
            pairs, title = [self.worst], "Least distance"
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in _cells(pair)) + "</tr>" for pair in pairs
        )
        table = f"<table><caption>{title}</caption><tr><th>a</th><th>b</th><th>distance, m</th><th>run</th></tr>"
        return f"<p>{head}</p>" + (f"{table}{rows}</table>" if rows else "")


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def _cells(pair: Mapping[str, Any]) -> list[object]:
    distance = pair.get("distance_m", pair.get("min_distance_m"))
    shown = "" if distance is None else f"{distance:.6g}"
    return [pair["body_a"], pair["body_b"], shown, pair.get("run", "")]


class TemporaryFolder:
    """A directory that is removed with the last object that keeps it."""

    def __init__(self) -> None:
        self.name = tempfile.mkdtemp(prefix="clearsweep-")
        self.remove = weakref.finalize(self, _remove, self.name, os.getpid())


def _remove(path: str, process: int) -> None:
    # A process that was forked keeps its hands off.
    if os.getpid() == process:
        shutil.rmtree(path, ignore_errors=True)


def is_remote(path: str) -> bool:
    """Whether a path is the address of an object store."""
    return "://" in path


def local(path: str | os.PathLike[str]) -> str:
    """A path as text; ``file:///PATH`` is that path."""
    return os.fspath(path).removeprefix("file://")


def fetched(address: str) -> TemporaryFolder:
    """The result at an address, copied to this machine."""
    folder = TemporaryFolder()
    try:
        _clearsweep.fetch_result(address, folder.name)
    except BaseException:
        folder.remove()
        raise
    return folder


def of_run(
    path: str | os.PathLike[str], manifest: str, owner: TemporaryFolder | None, keep: int, address: str | None = None
) -> Result:
    """The result in a directory; `owner`: it is temporary, and tables of at most `keep` bytes are taken into memory. `address`: it is the
    copy of the result there."""
    folder = local(path)
    if is_remote(folder):
        owner = fetched(folder)
        return of_run(owner.name, manifest, owner, 0, folder)
    in_memory = owner is not None and address is None and _size(folder) <= keep
    tables: dict[str, Table] = {}
    kept = None if in_memory else owner
    for name, file, files in _clearsweep.open_tables(folder, in_memory, kept):
        tables[name] = Table(name, files, None if in_memory else os.path.join(folder, file))
    if in_memory and owner is not None:
        owner.remove()
    return Result(json.loads(manifest), tables, address or (None if in_memory else folder), kept)


def _size(folder: str) -> int:
    return sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names)


def _wilson(count: int, runs: int, confidence: float) -> tuple[float, float]:
    """Wilson, "Probable inference, the law of succession, and statistical inference" (1927)."""
    z = statistics.NormalDist().inv_cdf(0.5 + confidence / 2)
    share, square = count / runs, z * z / runs
    middle = (share + square / 2) / (1 + square)
    half = z * math.sqrt(share * (1 - share) / runs + square / (4 * runs)) / (1 + square)
    return (0.0 if count == 0 else middle - half), (1.0 if count == runs else middle + half)


def _clopper_pearson(count: int, runs: int, confidence: float) -> tuple[float, float]:
    """Clopper and Pearson, "The use of confidence or fiducial limits" (1934), by bisection on the binomial tails."""
    tail = (1 - confidence) / 2

    def at_most(k: int, p: float) -> float:
        log_choose = math.lgamma(runs + 1)
        terms = (
            log_choose - math.lgamma(i + 1) - math.lgamma(runs - i + 1) + i * math.log(p) + (runs - i) * math.log1p(-p)
            for i in range(k + 1)
        )
        return math.fsum(math.exp(term) for term in terms)

    def solve(too_low: Callable[[float], bool]) -> float:
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if too_low(middle) else (low, middle)
        return (low + high) / 2

    low = 0.0 if count == 0 else solve(lambda p: 1 - at_most(count - 1, p) < tail)
    high = 1.0 if count == runs else solve(lambda p: at_most(count, p) > tail)
    return low, high
