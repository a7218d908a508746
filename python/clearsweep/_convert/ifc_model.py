"""Facts of an IFC file about its products: places, storeys, systems, layers, openings, ports. No geometry."""

from __future__ import annotations

import collections
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from .._errors import Error
from .meshes import F64
from .part21 import Exchange, Ref, Typed

#: Products that are no things: they are no bodies.
LEFT_OUT = {
    "IFCSPACE",
    "IFCSPATIALZONE",
    "IFCEXTERNALSPATIALELEMENT",
    "IFCOPENINGELEMENT",
    "IFCOPENINGSTANDARDCASE",
    "IFCVOIDINGFEATURE",
    "IFCEARTHWORKSCUT",
    "IFCPROJECTIONELEMENT",
    "IFCVIRTUALELEMENT",
    "IFCANNOTATION",
    "IFCGRID",
    "IFCDISTRIBUTIONPORT",
}

_PREFIXES = dict(
    zip(
        "EXA PETA TERA GIGA MEGA KILO HECTO DECA DECI CENTI MILLI MICRO NANO PICO FEMTO ATTO".split(),
        (1e18, 1e15, 1e12, 1e9, 1e6, 1e3, 1e2, 1e1, 1e-1, 1e-2, 1e-3, 1e-6, 1e-9, 1e-12, 1e-15, 1e-18),
        strict=True,
    )
)


def _refs(value: Any) -> list[Ref]:
    """The references of an attribute that holds one or several."""
    items: list[Any] = value if isinstance(value, list) else [value]  # pyright: ignore[reportUnknownVariableType]
    return [item for item in items if isinstance(item, Ref)]


class Model:
    """An IFC file."""

    def __init__(self, path: str, data: bytes) -> None:
        self.file = Exchange(path, data)
        if not self.file.schema.startswith("IFC"):
            problem = f"has the schema `{self.file.schema}`, not IFC"
            raise Error("input", path, path, problem, "rename a STEP file to .step")
        #: Metres for a unit of length, radians for a unit of angle.
        self.length, self.angle = self._unit("LENGTHUNIT"), self._unit("PLANEANGLEUNIT")
        self.parts = {
            part: whole for kind in ("NESTS", "AGGREGATES") for whole, part in self._pairs(f"IFCREL{kind}", 4, 5)
        }
        self.above = self._containers()
        self.voids = self._pairs("IFCRELVOIDSELEMENT", 4, 5) + self._pairs("IFCRELPROJECTSELEMENT", 4, 5)
        self.cut = {whole for whole, _ in self.voids}
        self.systems = self._systems()
        self.layers = self._layers()

    # Attributes 0, 2, 5, 6 of every product: GUID, name, placement, shape.

    def products(self) -> Iterator[int]:
        """All products: what has a GUID and a placement or a shape."""
        for number, kind in self.file.types.items():
            if kind.startswith("IFCREL") or not self.file.begins_with_text(number):
                continue
            attributes = self.file[number]
            if len(attributes) < 7 or not isinstance(attributes[0], str) or len(attributes[0]) != 22:
                continue
            places = self.file.type(attributes[5]).endswith("PLACEMENT")
            if places or self.file.type(attributes[6]) == "IFCPRODUCTDEFINITIONSHAPE":
                yield number

    def name(self, number: int) -> str | None:
        """The name of a product."""
        name = self.file[number][2]
        return name if isinstance(name, str) and name.strip() else None

    def storey(self, number: int) -> str | None:
        """The name of the storey that a product is in."""
        for whole in self.ancestors(number):
            if self.file.types[whole] == "IFCBUILDINGSTOREY":
                attributes = self.file[whole]
                return next((text for text in (attributes[2], attributes[7]) if isinstance(text, str) and text), None)
        return None

    def ancestors(self, number: int) -> Iterator[int]:
        """Yields the places and assemblies that hold a product, by number, the nearest first."""
        seen = {number}
        while (whole := self.above.get(number)) is not None and whole not in seen:
            seen.add(whole)
            yield whole
            number = whole

    def is_cut(self, number: int) -> bool:
        """Whether a product, or what it is a part of, has openings or projections."""
        seen: set[int] = set()
        while number not in seen and number not in self.cut and number in self.parts:
            seen.add(number)
            number = self.parts[number]
        return number in self.cut

    def items(self, number: int) -> list[Ref]:
        """The items of the body of a product; empty if there is none."""
        bodies = [shape for shape in self.shapes(number) if self.file[shape][1] == "Body"]
        return [item for shape in bodies for item in _refs(self.file[shape][3])]

    def leaves(self, items: Iterable[Ref], depth: int = 0) -> list[Ref]:
        """The items, and in place of mapped ones what they map."""
        found: list[Ref] = []
        for item in items:
            if self.file.type(item) == "IFCMAPPEDITEM" and depth < 16:
                mapped = self.file[self.file[item][0]][1]
                found += self.leaves(_refs(self.file[mapped][3]), depth + 1)
            else:
                found.append(item)
        return found

    def shapes(self, number: int) -> list[Ref]:
        """The representations of a product."""
        shape = self.file[number][6]
        return _refs(self.file[shape][2]) if self.file.type(shape) == "IFCPRODUCTDEFINITIONSHAPE" else []

    def layer(self, number: int) -> str | None:
        """The layer of a product's representation, or of one of its items."""
        for shape in self.shapes(number):
            for assigned in (shape, *_refs(self.file[shape][3])):
                if assigned in self.layers:
                    return self.layers[assigned]
        return None

    def connected(self) -> dict[int, list[int]]:
        """The products whose ports are connected: the partners of each, which have larger numbers."""
        owner = dict(self._pairs("IFCRELCONNECTSPORTTOELEMENT", 4, 5))
        nested = self._pairs("IFCRELNESTS", 4, 5) + self._pairs("IFCRELAGGREGATES", 4, 5)
        ports = set(self.file.of("IFCDISTRIBUTIONPORT", "IFCPORT"))
        owner |= {part: whole for whole, part in nested if part in ports}
        found: dict[int, set[int]] = collections.defaultdict(set)
        for number in self.file.of("IFCRELCONNECTSPORTS"):
            attributes = self.file[number]
            ends = {owner[port] for port in _refs(attributes[4:6]) if port in owner} | set(_refs(attributes[6:7]))
            for first in ends:
                found[first] |= {second for second in ends if second > first}
        return {first: sorted(found[first]) for first in sorted(found) if found[first]}

    def _pairs(self, kind: str, first: int, second: int) -> list[tuple[int, int]]:
        """The pairs that relations of a kind connect, by the places of both attributes."""
        pairs: list[tuple[int, int]] = []
        for number in self.file.of(kind):
            attributes = self.file[number]
            pairs += [(a, b) for a in _refs(attributes[first]) for b in _refs(attributes[second])]
        return pairs

    def _containers(self) -> dict[int, int]:
        filled = dict(self._pairs("IFCRELFILLSELEMENT", 5, 4))
        walls = {opening: wall for wall, opening in self._pairs("IFCRELVOIDSELEMENT", 4, 5)}
        above = {filling: walls[opening] for filling, opening in filled.items() if opening in walls}
        return above | self.parts | dict(self._pairs("IFCRELCONTAINEDINSPATIALSTRUCTURE", 4, 5))

    def _systems(self) -> dict[int, list[str]]:
        systems: dict[int, list[str]] = collections.defaultdict(list)
        for member, group in self._pairs("IFCRELASSIGNSTOGROUP", 4, 6):
            name = self.name(group)
            if name and name not in systems[member]:
                systems[member].append(name)
        return systems

    def _layers(self) -> dict[int, str]:
        layers: dict[int, str] = {}
        for number in self.file.of("IFCPRESENTATIONLAYERASSIGNMENT", "IFCPRESENTATIONLAYERWITHSTYLE"):
            attributes = self.file[number]
            for item in _refs(attributes[2]):
                layers.setdefault(item, attributes[0])
        return layers

    def _unit(self, kind: str) -> float:
        """A unit of the project in SI."""
        for project in self.file.of("IFCPROJECT", "IFCPROJECTLIBRARY", "IFCCONTEXT"):
            for assignment in _refs(self.file[project][8:9]):
                for unit in _refs(self.file[assignment][0]):
                    if self.file.type(unit) in ("IFCSIUNIT", "IFCCONVERSIONBASEDUNIT") and self.file[unit][1] == kind:
                        return self._si(unit)
        return 1.0

    def _si(self, unit: Ref) -> float:
        attributes = self.file[unit]
        if self.file.type(unit) == "IFCSIUNIT":
            return _PREFIXES.get(attributes[2] or "", 1.0)
        measure = self.file[attributes[3]]
        value = measure[0][1] if isinstance(measure[0], Typed) else measure[0]
        return float(value) * (self._si(measure[1]) if self.file.type(measure[1]).endswith("UNIT") else 1.0)

    # Placements, in units of the file.

    def numbers(self, ref: Any) -> F64:
        """The coordinates of a point or a direction, with three components."""
        values = [float(value) for value in self.file[ref][0]]
        return np.array([*values, 0.0, 0.0][:3])

    def axes(self, ref: Any) -> F64:
        """An `IfcAxis2Placement3D` or `2D` as a matrix (4, 4)."""
        matrix = np.eye(4)
        if self.file.type(ref) == "":
            return matrix
        attributes = self.file[ref]
        if self.file.type(ref) == "IFCAXIS2PLACEMENT2D":
            z, x = np.array([0.0, 0.0, 1.0]), self._direction(attributes[1], (1, 0, 0))
        else:
            z, x = self._direction(attributes[1], (0, 0, 1)), self._direction(attributes[2], (1, 0, 0))
        x = x - np.dot(x, z) * z
        if np.linalg.norm(x) < 1e-9:
            raise self.file.error(ref, "has an axis and a reference direction that are parallel")
        x /= np.linalg.norm(x)
        matrix[:3, :3] = np.stack([x, np.cross(z, x), z], axis=1)
        matrix[:3, 3] = self.numbers(attributes[0])
        return matrix

    def _direction(self, ref: Any, default: Iterable[float]) -> F64:
        direction = self.numbers(ref) if self.file.type(ref) else np.array([*map(float, default)])
        length = np.linalg.norm(direction)
        return direction / length if length > 0 else np.array([*map(float, default)])

    def placement(self, ref: Any) -> F64 | None:
        """An object placement in the world; None: it is none of local placements."""
        matrix = np.eye(4)
        for _ in range(len(self.file.types) + 1):
            if not self.file.type(ref):
                return matrix
            if self.file.type(ref) != "IFCLOCALPLACEMENT" or not self.file.type(self.file[ref][1]).startswith(
                "IFCAXIS2"
            ):
                return None
            matrix = self.axes(self.file[ref][1]) @ matrix
            ref = self.file[ref][0]
        raise self.file.error(ref, "is a placement within itself")

    def target(self, ref: Any) -> F64 | None:
        """An `IfcCartesianTransformationOperator3D` as a matrix (4, 4); None: it is another one."""
        kind, attributes = self.file.type(ref), self.file[ref]
        if not kind.startswith("IFCCARTESIANTRANSFORMATIONOPERATOR3D"):
            return None
        x, y = self._direction(attributes[0], (1, 0, 0)), self._direction(attributes[1], (0, 1, 0))
        z = self._direction(attributes[4], np.cross(x, y).tolist())
        # The standard's base axes: z as it is, x across it, y across both.
        x = x - np.dot(x, z) * z
        x /= np.linalg.norm(x)
        y = y - np.dot(y, z) * z - np.dot(y, x) * x
        y /= np.linalg.norm(y)
        scale = float(attributes[3] if attributes[3] is not None else 1.0)
        scales = [scale, scale, scale]
        if kind.endswith("NONUNIFORM"):
            scales[1:] = [float(value) if value is not None else scale for value in attributes[5:7]]
        matrix = np.eye(4)
        matrix[:3, :3] = np.stack([x, y, z], axis=1) * np.array(scales)
        matrix[:3, 3] = self.numbers(attributes[2])
        return matrix
