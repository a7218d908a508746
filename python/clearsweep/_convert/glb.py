"""GLB files: the one that cascadio makes is read, the one of a scene is written."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .._errors import Error

_TYPES: dict[int, npt.DTypeLike] = {5121: np.uint8, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}


#: What to do about a file of which there is no GLB.
NO_GLB = "open the file in a CAD program, and export it as STEP AP214 or AP242"


class Glb:
    """A GLB in memory: ``document`` is its JSON."""

    def __init__(self, data: bytes, path: str, printed: Sequence[str] = ()) -> None:
        """``printed``: what the reader said about the file."""
        if len(data) < 20 or data[:4] != b"glTF":
            said = f" ({'; '.join(printed[:3])})" if printed else ""
            problem = f"cascadio makes no GLB of the file{said}"
            raise Error("input", path, path, problem, NO_GLB)
        length = struct.unpack("<I", data[12:16])[0]
        self.document: dict[str, Any] = json.loads(data[20 : 20 + length])
        self._binary = data[20 + length + 8 :]

    def array(self, number: int) -> npt.NDArray[Any]:
        """The values of an accessor, as they are stored."""
        accessor = self.document["accessors"][number]
        view = self.document["bufferViews"][accessor["bufferView"]]
        kind, width = np.dtype(_TYPES[accessor["componentType"]]), _WIDTHS[accessor["type"]]
        begin = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        stride = view.get("byteStride", kind.itemsize * width)
        values = np.ndarray((accessor["count"], width), kind, self._binary, begin, (stride, kind.itemsize))
        return values[:, 0].copy() if width == 1 else values.copy()


class GlbWriter:
    """Collects nodes and meshes. The same calls make the same bytes."""

    def __init__(self) -> None:
        self.nodes: list[dict[str, Any]] = []
        self._meshes: list[dict[str, Any]] = []
        self._materials: dict[str, int] = {}
        self._accessors: list[dict[str, Any]] = []
        self._views: list[dict[str, Any]] = []
        self._binary = bytearray()

    def mesh(
        self, name: str, vertices: npt.NDArray[np.float32], triangles: npt.NDArray[Any], colour: str | None
    ) -> int:
        """Adds a mesh, and returns its number. ``colour``: as ``#rrggbb``."""
        box = {"min": vertices.min(axis=0).astype(float).tolist(), "max": vertices.max(axis=0).astype(float).tolist()}
        at = self._accessor(vertices.astype("<f4"), {"componentType": 5126, "type": "VEC3", **box}, 34962)
        corners = triangles.astype("<u4").reshape(-1)
        index = self._accessor(corners, {"componentType": 5125, "type": "SCALAR"}, 34963)
        part: dict[str, Any] = {"attributes": {"POSITION": at}, "indices": index}
        if colour:
            part["material"] = self._materials.setdefault(colour, len(self._materials))
        self._meshes.append({"name": name, "primitives": [part]})
        return len(self._meshes) - 1

    def node(self, name: str, keys: dict[str, Any], above: int | None = None) -> int:
        """Adds a node, and returns its number."""
        self.nodes.append({"name": name, **keys})
        if above is not None:
            self.nodes[above].setdefault("children", []).append(len(self.nodes) - 1)
        return len(self.nodes) - 1

    def _accessor(self, values: npt.NDArray[Any], keys: dict[str, Any], target: int) -> int:
        data = values.tobytes()
        self._views.append({"buffer": 0, "byteOffset": len(self._binary), "byteLength": len(data), "target": target})
        self._binary += data
        self._accessors.append({"bufferView": len(self._views) - 1, "count": len(values), **keys})
        return len(self._accessors) - 1

    def bytes(self) -> bytes:
        """The file."""
        below = {child for node in self.nodes for child in node.get("children", [])}
        document: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": "clearsweep convert"},
            "scene": 0,
            "scenes": [{"nodes": [number for number in range(len(self.nodes)) if number not in below]}],
            "nodes": self.nodes,
            "meshes": self._meshes,
            "accessors": self._accessors,
            "bufferViews": self._views,
            "buffers": [{"byteLength": len(self._binary)}],
        }
        if self._materials:
            document["materials"] = [_material(colour) for colour in self._materials]
        text = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        binary = bytes(self._binary) + b"\0" * (-len(self._binary) % 4)
        parts: Sequence[bytes] = (
            struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(binary)),
            struct.pack("<I4s", len(text), b"JSON"),
            text,
            struct.pack("<I4s", len(binary), b"BIN\0"),
            binary,
        )
        return b"".join(parts)


def _material(colour: str) -> dict[str, Any]:
    """A material of a colour; glTF has linear values."""
    shares = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [round(share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4, 6) for share in shares]
    look = {"baseColorFactor": [*linear, 1.0], "metallicFactor": 0.0, "roughnessFactor": 1.0}
    return {"name": colour, "pbrMetallicRoughness": look, "doubleSided": True}


def hex_of_linear(shares: Sequence[float]) -> str:
    """The colour ``#rrggbb`` of linear values, as glTF has them."""
    shown = [12.92 * share if share <= 0.0031308 else 1.055 * share ** (1 / 2.4) - 0.055 for share in shares[:3]]
    return hex_of(shown)


def hex_of(shares: Sequence[float]) -> str:
    """The colour ``#rrggbb`` of values between 0 and 1."""
    return "#" + "".join(f"{round(255 * min(max(share, 0.0), 1.0)):02x}" for share in shares[:3])
