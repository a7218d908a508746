"""IFC files: their products as bodies, with what the file says about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._errors import Error
from .ifc_disks import disks
from .ifc_kernels import CURVED, Kernel, Product, difference, ifclite, ifcopenshell
from .ifc_model import LEFT_OUT, Model
from .ifc_solids import Solid, metres, solids
from .meshes import Mesh, half_ulp_f32
from .part21 import Ref
from .scene import Body, Converted

#: Rounding of an exact shape, in units in the last place of its largest coordinate: products of a few matrices.
_ULPS = 64

#: A shape whose rounding is larger, metres, is exact no more, and has it as its deviation.
_EXACT = 1e-9

#: Beyond this, metres, the rounding of a kernel's coordinates is told.
_COARSE = 1e-3


def convert_ifc(path: str, data: bytes, kernel: str, result: Converted, group: str | None = None) -> None:
    """Adds the bodies of an IFC file, to a group if one is given. ``kernel`` is ``ifclite``, ``ifcopenshell`` or ``both``."""
    model = Model(path, data)
    first = ifcopenshell(path) if kernel == "ifcopenshell" else ifclite(path, data)
    other = ifcopenshell(path) if kernel == "both" else None
    kernels = " and ".join(f"{kernel.name} {kernel.version}" for kernel in (first, other) if kernel)
    result.sources.append((path, kernels))
    _Conversion(model, data, (first, other), result, group).convert()


class _Conversion:
    def __init__(
        self, model: Model, data: bytes, kernels: tuple[Kernel, Kernel | None], result: Converted, group: str | None
    ) -> None:
        self.model, (self.first, self.other) = model, kernels
        self.result, self.group = result, group
        self.names: dict[int, str] = {}
        first = self.first
        has_disks = first.name == "ifclite" and any(model.file.of("IFCSWEPTDISKSOLID"))
        self.disks = disks(data, {number: product.origin for number, product in first.products.items()}) if has_disks else {}
        self.undecided: list[str] = []
        self.coarse: list[str] = []
        self.connected = 0

    def convert(self) -> None:
        """Adds the bodies, in the order of the file."""
        for number in self.model.products():
            reason = self._reason_to_leave_out(number)
            if reason:
                self.result.leave_out(reason, self.first.classes.get(number, self.model.file.types[number]))
                continue
            self.names[number] = self.result.unique(self.model.file[number][0])
            self.result.bodies.append(self._body(number, self.first.products[number]))
        if not self.names:
            path = self.model.file.path
            raise Error("input", path, path, "has no product with a body", "export the model with its geometry")
        self._ignore_connected()
        self._tell()

    def _reason_to_leave_out(self, number: int) -> str | None:
        if self.model.file.types[number] in LEFT_OUT:
            return "since they are no physical things"
        if number in self.first.products:
            return None
        if self.other and number in self.other.products:
            return f"since {self.first.name} makes no triangles of them, though {self.other.name} does"
        return "since they have no body of their own" if not self.model.items(number) else "since their bodies have no triangles"

    def _body(self, number: int, product: Product) -> Body:
        mesh, declared = product.mesh, self.first.declared(product, self._is_curved(number))
        # The solids of the product, if all of them are known exactly.
        known = solids(self.model, number, product.origin)
        proven = known[0].deviation(mesh) if known and len(known) == 1 else None
        deviation, source = (declared, "declared") if proven is None else (proven + product.rounding, "proven")
        unlike = _unlike(mesh, known, declared) if known and proven is None else None
        shapes = self._shapes(number, product, known) if unlike is None else []
        if shapes:
            far = np.abs(product.origin).max() + np.abs(mesh.vertices).max()
            rounding = float(_ULPS * np.spacing(far))
            deviation, source = (0.0, "exact") if rounding <= _EXACT else (rounding, "proven")
            _move(shapes, product)
        elif half_ulp_f32(mesh.vertices) > _COARSE:
            self.coarse.append(self.names[number])
        body = Body(
            self.names[number],
            self.model.name(number),
            product.kind,
            float(deviation),
            source,
            self.first.name,
            float(np.linalg.norm(np.ptp(mesh.box(), axis=0))),
            2 * half_ulp_f32(mesh.vertices),
            self.model.storey(number),
            self._groups(number),
            self.model.layer(number),
            product.colour,
            self._check(number, product, unlike),
            shapes,
        )
        if not shapes:
            part = self.result.glb.mesh(product.kind, mesh.vertices.astype(np.float32), mesh.triangles, product.colour)
            at = {"translation": product.origin.tolist()} if product.origin.any() else {}
            self.result.glb.node(body.name, {"mesh": part, **at})
        return body

    def _shapes(self, number: int, product: Product, known: Sequence[Solid] | None) -> list[dict[str, Any]]:
        """Exact shapes about the origin of the product; empty if it is not convex in each of its parts."""
        parts = self.disks.get(number, [])
        if parts:
            is_like = len(parts) > 1 or parts[0].is_like(product.mesh)
            return [shape for disk in parts for shape in disk.shapes] if is_like else []
        shapes = [shape for solid in known or [] for shape in solid.shapes or [None]]
        whole = [shape for shape in shapes if shape is not None]
        return whole if len(whole) == len(shapes) else []

    def _is_curved(self, number: int) -> bool:
        """Whether anything in the shape of a product, or in its openings, is curved."""
        holes = [hole for whole, hole in self.model.voids if whole == number]
        stack, seen = [ref for part in (number, *holes) for ref in self.model.shapes(part)], set[int]()
        while stack:
            ref = stack.pop()
            if ref in seen:
                continue
            seen.add(ref)
            if any(word in self.model.file.types.get(ref, "") for word in CURVED):
                return True
            stack += _references(self.model.file[ref])
        return False

    def _groups(self, number: int) -> list[str]:
        """The systems of a product, or of what it is a part of."""
        whose = (number, *self.model.ancestors(number))
        names = [name for one in whose for name in self.model.systems.get(one, [])]
        return list(dict.fromkeys([*names, *([self.group] if self.group else [])]))

    def _check(self, number: int, product: Product, unlike: str | None) -> str | None:
        """Whether the triangles are like the exact solids and those of the other kernel: `agrees`, or where they differ."""
        found = [unlike] if unlike else []
        if self.other is not None:
            second, is_curved = self.other.products.get(number), self._is_curved(number)
            limit = self.first.declared(product, is_curved)
            difference_of_both: str | None = f"{self.other.name} makes no triangles"
            if second is not None:
                limit += self.other.declared(second, is_curved)
                difference_of_both = difference(product, second, limit)
            found += [difference_of_both] if difference_of_both else []
        if found:
            self.undecided.append(f"{self.names[number]} ({product.kind}): {'; '.join(found)}")
            return f"undecided: {'; '.join(found)}"
        return "agrees" if self.other else None

    def _ignore_connected(self) -> None:
        for first, others in self.model.connected().items():
            partners = [self.names[second] for second in others if second in self.names]
            if first in self.names and partners:
                self.connected += len(partners)
                b = partners[0] if len(partners) == 1 else partners
                self.result.ignore.append({"a": self.names[first], "b": b, "reason": "ports are connected"})

    def _tell(self) -> None:
        """Adds what the user has to know."""
        notes = self.result.notes
        if self.connected:
            notes.append(f"ignored: {self.connected:,} pairs whose ports are connected")
        repeated = [name for name in self.names.values() if "#" in name]
        if repeated:
            notes.append(f"GUIDs stand for several products: {_some(repeated)} were numbered")
        if self.other:
            notes.append(f"{len(self.names) - len(self.undecided):,} bodies are alike by both kernels")
        notes += [f"undecided: {line}" for line in self.undecided]
        if self.undecided and not self.other:
            notes.append("--kernel ifcopenshell, or both, may have the triangles of these bodies right")
        if self.coarse:
            notes.append(f"coordinates of {_some(self.coarse)} are rounded by more than 1 mm: they are far from the model's origin")


def _move(shapes: Sequence[dict[str, Any]], product: Product) -> None:
    """Moves shapes from the origin of the product to the world."""
    for shape in shapes:
        at = [float(text.removesuffix("m")) for text in shape["position"]]
        shape["position"] = [metres(value) for value in np.array(at) + product.origin]


def _unlike(mesh: Mesh, known: Sequence[Solid], limit: float) -> str | None:
    """Where triangles differ from solids: they have another volume, by more than a layer as thick as the limit."""
    volume, made = sum(solid.volume for solid in known), abs(mesh.volume())
    if abs(made - volume) <= 2 * mesh.area() * limit + 1e-6 * volume:
        return None
    return f"the triangles enclose {made:.3g} m3, the solid of the file {volume:.3g} m3"


def _some(names: Sequence[str]) -> str:
    """A few names, and how many there are."""
    more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more


def _references(attributes: Sequence[Any]) -> list[Ref]:
    """All references in attributes."""
    found: list[Ref] = []
    for value in attributes:
        if isinstance(value, Ref):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found += _references(value)  # pyright: ignore[reportUnknownArgumentType]
    return found
