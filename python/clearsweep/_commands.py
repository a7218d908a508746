"""Subcommands of the program as functions."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from . import _clearsweep, _options


def _call(
    command: str,
    arguments: Sequence[str | os.PathLike[str]],
    options: Mapping[str, object],
    more: Sequence[str] = (),
) -> dict[str, Any]:
    # A path that begins with a hyphen is no option.
    paths = [os.fspath(argument) for argument in arguments]
    paths = [os.path.join(os.curdir, path) if path.startswith("-") else path for path in paths]
    return json.loads(_clearsweep.command([command, *_options.words(options), *more, *paths]))


def generate(name: str, out: str | os.PathLike[str], **options: object) -> dict[str, Any]:
    """Writes a data set to try things on: a scene and its trajectories. The same options give the same bytes.

    ``name`` is crowd, coherence, pipe-rack, separation, shop-floor or box-grid; ``options`` are those of
    ``clearsweep generate NAME``: ``bodies``, ``frames``, ``runs``, ``seed``, ... Returns ``files`` and ``scene``, their paths.
    """
    words = [name, *_options.words({"out": out, **options})]
    return json.loads(_clearsweep.command(["generate", *words]))


def summary(directory: str | os.PathLike[str]) -> dict[str, Any]:
    """The summary of the run that wrote a directory, with the nearest pairs and the worst runs."""
    return _call("summary", [directory], {})


def sort(
    input: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    memory: int | str | None = None,
    temp: str | os.PathLike[str] | None = None,
    force: bool = False,
) -> dict[str, Any]:
    """Sorts trajectories by run, then frame, into one Parquet file, whatever their size."""
    return _call("sort", [input, out], {"memory": memory, "temp": temp, "force": force})


def export(
    directory: str | os.PathLike[str],
    *,
    to: str | os.PathLike[str] | None = None,
    format: Literal["csv", "ndjson"] = "csv",  # noqa: A002 - what else is it
    gzip: bool = False,
    raw: bool = False,
    force: bool = False,
) -> dict[str, Any]:
    """Writes the tables of a run as CSV or NDJSON, into a folder; with ``gzip`` compressed."""
    return _call("export", [directory], {format: True, "to": to, "gzip": gzip, "raw": raw, "force": force})


def accept(
    directory: str | os.PathLike[str],
    *,
    to: str | os.PathLike[str],
    reason: str,
    by: str | None = None,
    until: str | None = None,
    rule: str | None = None,
    pair: tuple[str, str] | None = None,
    issue: str | None = None,
    all: bool = False,  # noqa: A002 - the name of the program's option
) -> dict[str, Any]:
    """Writes open violations of a run to a file of accepted pairs, which later runs read (``accepted=``).

    ``rule``, ``pair`` and ``issue`` choose together; ``all`` takes all. ``until`` is the last day, such as "2026-03-31".
    """
    options = {"to": to, "reason": reason, "by": by, "until": until, "rule": rule, "issue": issue, "all": all}
    return _call("accept", [directory], options, [] if pair is None else ["--pair", *pair])


def diff(old: str | os.PathLike[str], new: str | os.PathLike[str]) -> dict[str, Any]:
    """Compares the violating pairs of two runs: ``counts`` (new, worse, same, better, resolved) and ``pairs``."""
    return _call("diff", [old, new], {})


def audit(
    scene: str | os.PathLike[str],
    *,
    trajectories: str | os.PathLike[str] | None = None,
    allow: float | str | None = None,
    between: str | None = None,
    runs: str | int | None = None,
    frames: str | int | None = None,
    top: int | None = None,
    out: str | os.PathLike[str] | None = None,
    csv: str | os.PathLike[str] | None = None,
    accepted: str | os.PathLike[str] | None = None,
    temp: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    force: bool = False,
) -> dict[str, Any]:
    """Finds what a simulator let pass: contacts between frames, and overlaps deeper than ``allow``.

    Returns ``verdict`` (found, clear, undecided, nothing-checked), ``undecided``, and for ``tunnels`` and ``overlaps`` each
    ``count`` and the ``top`` ones as ``worst``. ``csv`` names a file for all findings.
    """
    options = {
        "trajectories": trajectories,
        "allow": allow,
        "between": between,
        "runs": runs,
        "frames": frames,
        "top": top,
        "out": out,
        "csv": csv,
        "accepted": accepted,
        "temp": temp,
        "threads": threads,
        "memory": memory,
        "force": force,
        "progress": "none",
    }
    return _call("audit", [scene], options)


def convert(
    files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    kernel: Literal["ifclite", "ifcopenshell", "both"] | None = None,
    tolerance: float | str | None = None,
    force: bool = False,
) -> dict[str, Any]:
    """Makes a scene of IFC or STEP files (one or several) in the folder ``out``.

    IFC needs ``clearsweep[ifc]``, with IfcOpenShell ``clearsweep[ifc-both]``, and STEP ``clearsweep[step]``. ``kernel`` is about IFC,
    ``tolerance`` about STEP: metres, or a text such as ``"0.1mm"``. Returns ``scene``, its path, ``bodies``, ``deviations``,
    ``left_out`` and ``notes``.
    """
    from ._convert import command

    paths = [files] if isinstance(files, (str, os.PathLike)) else files
    return command.write(paths, out, kernel=kernel, tolerance=tolerance, force=force)


def main() -> None:
    """The program ``clearsweep``."""
    import signal

    if "convert" in sys.argv:
        from ._convert import command

        words = command.words_of(sys.argv[1:])
        if words is not None:
            sys.exit(command.main(words))
    # The program answers Ctrl-C itself; until it does, Ctrl-C ends it, as it ends every program.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_clearsweep.main(["clearsweep", *sys.argv[1:]]))
