"""``clearsweep convert``: its words, and the same as a function."""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import re
import sys
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from .._errors import Error, Warning
from .folder import check_folder
from .packages import package
from .said import Said

if TYPE_CHECKING:
    from .scene import Converted

#: Metres of the units that a tolerance may have.
_UNITS = {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "km": 1e3, "in": 0.0254, "ft": 0.3048}

#: The mesher's tolerance unless another one is asked for.
TOLERANCE = "0.1mm"

_KERNELS = ("ifclite", "ifcopenshell", "both")

_HELP = """\
Makes a scene of IFC or STEP files: scene.toml, geometry.glb, bodies.parquet, and, of exact shapes, shapes.parquet.

  clearsweep convert building.ifc --out building
  clearsweep run building/scene.toml --out building/out
"""


def read(
    paths: Sequence[str | os.PathLike[str]], *, kernel: str | None = None, tolerance: float | str | None = None
) -> Converted:
    """Reads IFC and STEP files. Numbers of ``tolerance`` are metres."""
    files = [os.fspath(path) for path in paths]
    endings = [os.path.splitext(path)[1].lower() for path in files]
    for path, ending in zip(files, endings, strict=True):
        if ending not in (".ifc", ".step", ".stp"):
            help = "give an .ifc, .step or .stp file" + (
                ": extract it from the archive first" if ending == ".ifczip" else ""
            )
            raise Error("usage", None, path, "is no file that can be converted", help)
    if kernel is not None and ".ifc" not in endings:
        raise Error("usage", None, "--kernel", "is about IFC files, and none is given", "leave it out")
    if tolerance is not None and set(endings) == {".ifc"}:
        raise Error("usage", None, "--tolerance", "is about STEP files, and none is given", "leave it out")
    metres = _metres(TOLERANCE if tolerance is None else tolerance)
    for name in ("numpy", "pyarrow"):
        package(name, "ifc" if ".ifc" in endings else "step")
    from .ifc import convert_ifc
    from .scene import Converted
    from .step import convert_step

    result = Converted()
    for path, ending in zip(files, endings, strict=True):
        data = _bytes(path)
        try:
            if ending == ".ifc":
                group = pathlib.Path(path).stem if len(files) > 1 else None
                convert_ifc(path, data, kernel or "ifclite", result, group)
            else:
                convert_step(path, data, metres, result)
        except (Error, MemoryError):
            raise
        except Exception as error:
            # Attributes that are missing or of another type than the standard says.
            problem = f"cannot be understood ({type(error).__name__}: {error})"
            raise Error(
                "input", path, path, problem, "export the model again: it is damaged, or no valid file"
            ) from error
    return result


def _metres(tolerance: float | str) -> float:
    """A length in metres, which is positive."""
    found = re.fullmatch(r"\s*([0-9.eE+-]+)\s*([a-z]*)\s*", str(tolerance))
    try:
        value = float(found[1]) if found else -1.0
    except ValueError:
        value = -1.0
    unit = (found[2] if found else "") or ("m" if isinstance(tolerance, (int, float)) else "")
    if unit not in _UNITS or not 0 < value * _UNITS[unit] < 1e3:
        raise Error("usage", None, "--tolerance", f"is `{tolerance}`", "give a length with its unit, such as 0.1mm")
    return value * _UNITS[unit]


def _bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise Error("input", path, path, f"cannot be read: {error.strerror}", "check the path") from None


def write(
    paths: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    kernel: str | None = None,
    tolerance: float | str | None = None,
    force: bool = False,
) -> dict[str, Any]:
    """Converts files into a folder, and returns what became of them."""
    folder = pathlib.Path(out)
    check_folder(folder, force)
    converted = read(paths, kernel=kernel, tolerance=tolerance)
    converted.write(folder, force)
    return {"scene": str(folder / "scene.toml"), **converted.summary(), "text": converted.lines()}


def folder_of(out: str | os.PathLike[str] | None, force: bool) -> tuple[pathlib.Path, bool]:
    """The folder of a scene, and whether it stays; a temporary one if there is no `out`."""
    if out is None:
        return pathlib.Path(tempfile.mkdtemp(prefix="clearsweep-")) / "scene", False
    folder = pathlib.Path(out).absolute()
    check_folder(folder, force)
    return folder, True


def into_folder(
    paths: Sequence[str | os.PathLike[str]], folder: pathlib.Path, force: bool, asked: Mapping[str, Any]
) -> list[tuple[str, dict[str, Any]]]:
    """Converts files into a folder, and returns the sections of the scene."""
    converted = read(paths, **asked)
    converted.write(folder, force)
    for note in converted.notes:
        if note.startswith("undecided"):
            warnings.warn(Warning(note), stacklevel=4)
    return converted.document(str(folder))


def main(words: Sequence[str]) -> int:
    """Converts what the words of the command line ask for, and returns the exit code."""
    said = Said(words)
    parser = _Parser(
        "clearsweep convert",
        description=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="an .ifc, .step or .stp file; several make one scene")
    parser.add_argument("--out", required=True, metavar="DIR", help="folder of the scene, which is made")
    parser.add_argument(
        "--kernel", choices=_KERNELS, help="what makes triangles of IFC; both: compares them (default: ifclite)"
    )
    parser.add_argument("--tolerance", metavar="LENGTH", help=f"asked of the mesher of STEP (default: {TOLERANCE})")
    parser.add_argument("--force", action="store_true", help="replace an earlier scene in the folder")
    parser.add_argument("--json", action="store_true", help="print what became of the files as JSON")
    parser.add_argument("--errors", choices=("text", "json"), help="form of messages on stderr (default: text)")
    parser.add_argument("--color", choices=("auto", "always", "never"), help="colours of messages (default: auto)")
    try:
        options = parser.parse_args(words)
        done = write(
            options.files, options.out, kernel=options.kernel, tolerance=options.tolerance, force=options.force
        )
        lines: list[str] = done.pop("text")
        for line in [*lines, f"written to {options.out}; next: clearsweep check {done['scene']}"]:
            said.note(line)
        if options.json:
            _print(json.dumps(done, ensure_ascii=False))
    except Error as error:
        return said.error(error)
    except KeyboardInterrupt:
        return said.error(Error("cancelled", None, "the job", "interrupted: nothing was left behind", ""))
    except Exception as error:
        # A person reads the traceback; a program that reads objects gets one.
        if not said.is_json:
            raise
        problem = f"an error that was not expected ({type(error).__name__}: {error})"
        return said.error(Error("internal", None, "convert", problem, "report it with the file that is converted"))
    return 0


def words_of(words: Sequence[str]) -> list[str] | None:
    """The words of a command line without `convert`; `None` if it is about another command.

    Flags of all commands may stand before the command.
    """
    index = 0
    while index < len(words) and words[index].partition("=")[0] in ("--errors", "--color"):
        index += 1 if "=" in words[index] else 2
    return [*words[:index], *words[index + 1 :]] if words[index : index + 1] == ["convert"] else None


class _Parser(argparse.ArgumentParser):
    """Words that do not fit are an error as any other."""

    def error(self, message: str) -> NoReturn:
        raise Error("usage", None, "arguments", message, "see `clearsweep convert --help`")


def _print(text: str) -> None:
    """Prints a line on stdout. A reader that closes the pipe early is no error."""
    try:
        print(text, flush=True)
    except OSError as error:
        # What is left in the buffer would fail again at the end of the program.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise Error("output", None, "stdout", f"cannot be written: {error.strerror}", "check the disk") from None
