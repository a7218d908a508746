"""IFC files: their products as bodies, with what the file says about them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._errors import Error
from .ifc_disks import disks, disks_unlike
from .ifc_kernels import CURVED, Kernel, Product, difference, ifclite, ifcopenshell
from .ifc_model import LEFT_OUT, Model
from .ifc_solids import metres, solids, unlike
from .meshes import half_ulp_f32
from .part21 import Ref
from .scene import Body, Converted

#: Rounding of an exact shape, in units in the last place of its largest coordinate: products of a
#: few matrices.
_ULPS = 64

#: A shape whose rounding is larger, metres, is exact no more, and has it as its deviation.
_EXACT = 1e-9

#: Lines of one kind that are passed on.
_TOLD = 20

#: Beyond this, metres, the rounding of a kernel's coordinates is told.
_COARSE = 1e-3


def convert_ifc(path: str, data: bytes, kernel: str, result: Converted, group: str | None = None) -> None:
    """Adds the bodies of an IFC file, to a group if one is given. ``kernel`` is ``ifclite``, ``ifcopenshell``
    or ``both``."""
    model = Model(path, data)
    first = ifcopenshell(path) if kernel == "ifcopenshell" else ifclite(path, data)
    other = ifcopenshell(path) if kernel == "both" else None
    kernels = " and ".join(f"{kernel.name} {kernel.version}" for kernel in (first, other) if kernel)
    result.sources.append((path, kernels))
    for made in (first, other):
        result.notes += [f"{path}: {made.name} says: {line}" for line in made.printed[:_TOLD]] if made else []
    _Conversion(model, data, (first, other), result, group).convert()


@dataclasses.dataclass
class _Made:
    """A product by a kernel, and how it compares with the solids of the file."""

    kernel: Kernel
    product: Product
    deviation: float = 0.0
    #: The deviation without any proof.
    declared: float = 0.0
    source: str = "declared"
    #: Its difference from the solids, in words.
    unlike: str | None = None
    #: The solids as shapes, in the world.
    shapes: Sequence[dict[str, Any]] = ()


class _Conversion:
    def __init__(
        self, model: Model, data: bytes, kernels: tuple[Kernel, Kernel | None], result: Converted, group: str | None
    ) -> None:
        self.model, (self.first, self.other) = model, kernels
        self.result, self.group = result, group
        self.names: dict[int, str] = {}
        first = self.first
        has_disks = first.name == "ifclite" and any(model.file.of("IFCSWEPTDISKSOLID"))
        self.disks = (
            disks(data, {number: product.origin for number, product in first.products.items()}) if has_disks else {}
        )
        self.undecided: list[str] = []
        self.settled: list[str] = []
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
            self.result.bodies.append(self._body(number))
        if not self.names:
            path = self.model.file.path
            raise Error("input", path, path, "has no product with a body", "export the model with its geometry")
        self._ignore_connected()
        self._tell()

    def _reason_to_leave_out(self, number: int) -> str | None:
        if self.model.file.types[number] in LEFT_OUT:
            return "since they are no physical things"
        if any(number in kernel.products for kernel in self._kernels()):
            return None
        return (
            "since they have no body of their own"
            if not self.model.items(number)
            else "since their bodies have no triangles"
        )

    def _kernels(self) -> list[Kernel]:
        return [self.first, self.other] if self.other else [self.first]

    def _body(self, number: int) -> Body:
        made = [_Made(kernel, product) for kernel in self._kernels() if (product := kernel.products.get(number))]
        is_curved = self._is_curved(number)
        for one in made:
            self._hold(number, one, is_curved)
        # The solids of the file decide between kernels.
        taken = next((one for one in made if one.unlike is None), made[0])
        mesh, product, shapes = taken.product.mesh, taken.product, taken.shapes
        check = self._check(number, made, taken)
        # Nobody knows how far triangles are off that may be wrong.
        is_known = bool(shapes) or not (check or "").startswith("undecided")
        if not shapes and half_ulp_f32(mesh.vertices) > _COARSE:
            self.coarse.append(self.names[number])
        body = Body(
            self.names[number],
            self.model.name(number),
            product.kind,
            float(taken.deviation) if is_known else None,
            taken.source if is_known else "unknown",
            taken.kernel.name,
            float(np.linalg.norm(np.ptp(mesh.box(), axis=0))),
            2 * half_ulp_f32(mesh.vertices),
            self.model.storey(number),
            self._groups(number),
            self.model.layer(number),
            product.colour,
            check,
            shapes,
        )
        if not shapes:
            part = self.result.glb.mesh(product.kind, mesh.vertices.astype(np.float32), mesh.triangles, product.colour)
            at = {"translation": product.origin.tolist()} if product.origin.any() else {}
            self.result.glb.node(body.name, {"mesh": part, **at})
        return body

    def _hold(self, number: int, made: _Made, is_curved: bool) -> None:
        """Holds the triangles of a product against the solids of the file, if all of them are known exactly."""
        product, mesh = made.product, made.product.mesh
        made.deviation = made.declared = made.kernel.declared(product, is_curved)
        parts = self.disks.get(number, []) if made.kernel is self.first and self._are_disks(number) else []
        if parts:
            made.unlike = disks_unlike(parts, mesh)
            shapes = [shape for disk in parts for shape in disk.shapes]
        else:
            known = solids(self.model, number, product.origin) or []
            proven = known[0].deviation(mesh) if len(known) == 1 else None
            made.unlike = unlike(known, mesh, made.declared) if known and proven is None else None
            if proven is not None:
                made.deviation, made.source = proven + product.rounding, "proven"
            listed = [shape for solid in known for shape in solid.shapes or [None]]
            shapes = [shape for shape in listed if shape is not None]
            shapes = shapes if len(shapes) == len(listed) else []
        if shapes and made.unlike is None:
            rounding = float(_ULPS * np.spacing(np.abs(product.origin).max() + np.abs(mesh.vertices).max()))
            made.deviation, made.source = (0.0, "exact") if rounding <= _EXACT else (rounding, "proven")
            made.shapes = [_moved(shape, product) for shape in shapes]

    def _are_disks(self, number: int) -> bool:
        """Whether a product is nothing but the swept disks that are known of it."""
        leaves = self.model.leaves(self.model.items(number))
        are_disks = all(self.model.file.type(leaf) == "IFCSWEPTDISKSOLID" for leaf in leaves)
        return are_disks and len(leaves) == len(self.disks.get(number, [])) and not self.model.is_cut(number)

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

    def _check(self, number: int, made: Sequence[_Made], taken: _Made) -> str | None:
        """Whether the triangles are like the exact solids and those of the other kernel: `agrees`, `settled`
        by the solids of the file, or where they differ."""
        who = f"{self.names[number]} ({taken.product.kind})"
        wrong = [one for one in made if one.unlike is not None]
        if wrong and taken.unlike is None:
            text = f"{wrong[0].kernel.name}: {wrong[0].unlike}"
            self.settled.append(f"{who}: {text}")
            return f"settled: {text}"
        found = [taken.unlike] if taken.unlike else []
        if self.other and len(made) < 2:
            found.append(f"{self.first.name if taken.kernel is self.other else self.other.name} makes no triangles")
        elif self.other and taken.unlike is None:
            found += (
                [text]
                if (text := difference(made[0].product, made[1].product, made[0].declared + made[1].declared))
                else []
            )
        if found:
            self.undecided.append(f"{who}: {'; '.join(found)}")
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
            alike = len(self.names) - len(self.undecided) - len(self.settled)
            notes.append(f"{alike:,} bodies are alike by both kernels")
        notes += _listed("settled by the solid of the file", self.settled)
        notes += _listed("undecided", self.undecided)
        if self.undecided and not self.other:
            notes.append("--kernel ifcopenshell, or both, may have the triangles of these bodies right")
        if self.coarse:
            notes.append(
                f"coordinates of {_some(self.coarse)}, which are far from the origin, are rounded by more than 1 mm"
            )


def _moved(shape: dict[str, Any], product: Product) -> dict[str, Any]:
    """A shape, moved from the origin of the product to the world."""
    at = [float(text.removesuffix("m")) for text in shape["position"]]
    return shape | {"position": [metres(value) for value in np.array(at) + product.origin]}


def _listed(title: str, lines: Sequence[str]) -> list[str]:
    """Lines under a title, the first ones alone if there are many."""
    more = len(lines) - _TOLD
    return [f"{title}: {line}" for line in lines[:_TOLD]] + (
        [f"{title}: {more:,} more; the column kernel_check has them all"] if more > 0 else []
    )


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
