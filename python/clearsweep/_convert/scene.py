"""A converted model: its bodies, and the folder that holds them as a scene."""

from __future__ import annotations

import collections
import dataclasses
import math
import os
import pathlib
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import _clearsweep
from .._errors import Error
from .folder import check_folder
from .glb import GlbWriter
from .meshes import F64, Ints

#: Least overlap that counts, as in the scenes of `clearsweep init`: each with the least median size
#: of bodies, metres.
_OVERLAPS = (("-1mm", 0.1), ("-0.1mm", 0.01), ("-0.01mm", 1e-3), ("-0.001mm", 0.0))


@dataclasses.dataclass
class Body:
    """A body of the scene. It has triangles, which a node of the GLB holds, or ``shapes``: the keys of its
    exact parts."""

    name: str
    label: str | None
    kind: str | None
    #: None: it is unknown.
    deviation: float | None
    source: str
    kernel: str
    size: float
    #: Spacing of the coordinates of the triangles.
    step: float = 0.0
    level: str | None = None
    groups: Sequence[str] = ()
    layer: str | None = None
    colour: str | None = None
    check: str | None = None
    shapes: Sequence[Mapping[str, Any]] = ()
    #: Vertices in single precision, triangles, and where the origin of the vertices is. None: a
    #: node has them already.
    triangles: tuple[F64, Ints, F64] | None = None


@dataclasses.dataclass
class Converted:
    """Model files as bodies of a scene."""

    #: The files, and the kernels with their versions that read each.
    sources: list[tuple[str, str]] = dataclasses.field(default_factory=list[tuple[str, str]])
    bodies: list[Body] = dataclasses.field(default_factory=list[Body])
    glb: GlbWriter = dataclasses.field(default_factory=GlbWriter)
    #: How often names were asked for that have to be unique.
    taken: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter[str])
    #: Numbers of left out products by class, by the reason.
    left_out: dict[str, collections.Counter[str]] = dataclasses.field(
        default_factory=dict[str, collections.Counter[str]]
    )
    #: Sentences for the user.
    notes: list[str] = dataclasses.field(default_factory=list[str])
    ignore: list[dict[str, Any]] = dataclasses.field(default_factory=list[dict[str, Any]])

    def unique(self, name: str) -> str:
        """The name, with `#2` and so on behind it if it is taken."""
        self.taken[name] += 1
        return name if self.taken[name] == 1 else f"{name}#{self.taken[name]}"

    def leave_out(self, reason: str, kind: str) -> None:
        """Counts something that is no body."""
        self.left_out.setdefault(reason, collections.Counter())[kind] += 1

    def meshes(self) -> list[Body]:
        """The bodies of triangles."""
        return [body for body in self.bodies if not body.shapes]

    def rows(self) -> list[Body]:
        """The bodies of one exact shape, which are rows of a table."""
        return [body for body in self.bodies if len(body.shapes) == 1]

    def lines(self) -> list[str]:
        """Lines that say what was converted."""
        sources = collections.Counter(body.source for body in self.bodies)
        exact = sum(1 for body in self.bodies if body.shapes)
        of_files = "; ".join(f"{os.path.basename(path)} by {kernels}" for path, kernels in self.sources)
        told = [f"{len(self.bodies):,} bodies of {of_files}"]
        told.append("deviation: " + ", ".join(f"{_most(self.bodies, word)}" for word in sorted(sources)))
        if exact:
            told.append(f"{exact:,} bodies are exact shapes, {len(self.bodies) - exact:,} are triangles")
        for reason, counts in self.left_out.items():
            listed = ", ".join(f"{count:,} {kind}" for kind, count in sorted(counts.items()))
            told.append(f"left out, {reason}: {listed}")
        return told + self.notes

    def document(self, folder: str = "") -> list[tuple[str, dict[str, Any]]]:
        """The sections of the scene file. ``folder``: what stands before the names of files."""
        name = " and ".join(pathlib.Path(path).stem for path, _ in self.sources[:3])
        head = {"name": name + (" and more" if len(self.sources) > 3 else ""), "length_unit": "mm"}
        sections: list[tuple[str, dict[str, Any]]] = [("scene", head), ("query", self._query())]
        if self.meshes():
            keys = {"geometry": os.path.join(folder, "geometry.glb"), "each": "node"}
            sections.append(
                ("bodies", keys | {"table": os.path.join(folder, "bodies.parquet"), "columns": _columns([])})
            )
        if self.rows():
            table = os.path.join(folder, "shapes.parquet")
            sections.append(("bodies", {"table": table, "static": True, "columns": _columns(["x", "y", "z"])}))
        sections += [("body", _keys(body)) for body in self.bodies if len(body.shapes) > 1]
        sections += [("ignore", keys) for keys in self.ignore]
        return sections

    def _query(self) -> dict[str, Any]:
        """The key ``require``, and ``touch`` if coordinates are coarser than its default, a micrometre."""
        median = float(np.median([body.size for body in self.bodies]))
        query = {"require": next(overlap for overlap, least in _OVERLAPS if median >= least)}
        step = max((body.step for body in self.meshes()), default=0.0)
        if step > 1e-6:
            query["touch"] = f"{10.0 ** np.ceil(np.log10(step)):g}m"
        return query

    def summary(self) -> dict[str, Any]:
        """Counts, and what the user has to know."""
        deviations: dict[str, dict[str, Any]] = {}
        for source in ("exact", "proven", "declared", "unknown"):
            found = [body.deviation for body in self.bodies if body.source == source]
            if found:
                most = max((one for one in found if one is not None), default=None)
                deviations[source] = {"bodies": len(found), "most_m": most}
        left_out = {reason: dict(sorted(counts.items())) for reason, counts in self.left_out.items()}
        return {"bodies": len(self.bodies), "deviations": deviations, "left_out": left_out, "notes": self.notes}

    def write(self, folder: pathlib.Path, force: bool) -> None:
        """Writes the folder: all of it, or nothing."""
        check_folder(folder, force)
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as beside:
                new, old = pathlib.Path(beside, "new"), pathlib.Path(beside, "old")
                new.mkdir()
                self._write_files(new)
                if folder.exists():
                    os.rename(folder, old)
                os.rename(new, folder)
        except OSError as error:
            help = "free the disk, or choose another --out"
            raise Error("output", None, str(folder), f"cannot be written: {error}", help) from None

    def _write_files(self, folder: pathlib.Path) -> None:
        if self.meshes():
            (folder / "geometry.glb").write_bytes(self.glb.bytes())
            _write_table(folder / "bodies.parquet", self.meshes(), has_shapes=False)
        if self.rows():
            _write_table(folder / "shapes.parquet", self.rows(), has_shapes=True)
        (folder / "scene.toml").write_text(self._text(), encoding="utf-8", newline="\n")

    def _text(self) -> str:
        head = [f"# {line}" for line in self.lines()]
        head += ["# clearsweep check scene.toml", "# clearsweep run scene.toml --out out"]
        parts: list[str] = []
        for section, keys in self.document():
            lists = section not in ("scene", "query")
            parts.append(_clearsweep.document_text({section: [keys] if lists else keys}).strip())
        return "\n".join(head) + "\n\n" + "\n\n".join(parts) + "\n"


def _most(bodies: Iterable[Body], source: str) -> str:
    of_source = [body.deviation or 0.0 for body in bodies if body.source == source]
    most = max(of_source)
    return f"{len(of_source):,} {source}" + (f" (at most {_rounded_up(1e3 * most)} mm)" if most else "")


def _rounded_up(number: float) -> str:
    """A positive number with three digits, rounded up."""
    digit = 10.0 ** (math.floor(math.log10(number)) - 2)
    return f"{math.ceil(number / digit) * digit:.3g}"


def _columns(lengths: Sequence[str]) -> dict[str, Any]:
    """Names of columns: the label of a part is no name of a body. Lengths are in metres."""
    return {"body": "body"} | {name: {"name": name, "unit": "m"} for name in ["deviation", *lengths]}


def _keys(body: Body) -> dict[str, Any]:
    """A body of several parts as a section of the scene file."""
    keys = {"name": body.name, "parts": [dict(shape) for shape in body.shapes], "static": True, "class": body.kind}
    keys |= {"level": body.level, "group": list(body.groups) or None}
    keys |= {"deviation": f"{body.deviation!r}m", "deviation_source": body.source}
    return {key: value for key, value in keys.items() if value is not None}


def toml_value(value: Any) -> str:
    """A value of a shape as TOML in one line."""
    if isinstance(value, Mapping):
        items: Mapping[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
        return "{ " + ", ".join(f"{key} = {toml_value(item)}" for key, item in items.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(toml_value, value)) + "]"  # pyright: ignore[reportUnknownArgumentType]
    return f'"{value}"' if isinstance(value, str) else repr(float(value))


def _write_table(path: pathlib.Path, bodies: Sequence[Body], *, has_shapes: bool) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pyarrow: Any = pa
    parquet: Any = pq
    text, number = pyarrow.string(), pyarrow.float64()
    columns: list[tuple[str, Any, list[Any]]] = [
        ("body", text, [body.name for body in bodies]),
        ("name", text, [body.label for body in bodies]),
        ("class", text, [body.kind for body in bodies]),
        ("level", text, [body.level for body in bodies]),
        ("group", pyarrow.list_(text), [list(body.groups) for body in bodies]),
        ("layer", text, [body.layer for body in bodies]),
        ("colour", text, [body.colour for body in bodies]),
        ("deviation", number, [body.deviation for body in bodies]),
        # A body without a deviation has an unknown one.
        ("deviation_source", text, [body.source if body.deviation is not None else None for body in bodies]),
        ("kernel", text, [body.kernel for body in bodies]),
        ("kernel_check", text, [body.check for body in bodies]),
    ]
    if has_shapes:
        columns += _shape_columns([body.shapes[0] for body in bodies], text, number)
    arrays = [pyarrow.array(values, kind) for _, kind, values in columns]
    parquet.write_table(pyarrow.table(arrays, names=[name for name, _, _ in columns]), path)


def _shape_columns(shapes: Sequence[Mapping[str, Any]], text: Any, number: Any) -> list[tuple[str, Any, list[Any]]]:
    """The exact shapes, and their poses."""
    placing = ("matrix", "position", "orientation")
    plain = [toml_value({key: value for key, value in shape.items() if key not in placing}) for shape in shapes]
    matrices = [toml_value(shape["matrix"]) if "matrix" in shape else None for shape in shapes]
    columns: list[tuple[str, Any, list[Any]]] = [("shape", text, plain), ("matrix", text, matrices)]
    for axis, name in enumerate("xyz"):
        columns.append((name, number, [float(shape["position"][axis].removesuffix("m")) for shape in shapes]))
    for name in ("qw", "qx", "qy", "qz"):
        columns.append((name, number, [shape["orientation"][name] for shape in shapes]))
    return columns
