"""Small IFC files, written by the tests that convert them."""

from __future__ import annotations

import pathlib
from collections.abc import Sequence


class IfcText:
    """An IFC 4 file with one storey; lengths are in ``unit``, a prefix of metres such as ``"MILLI"``,
    ``"FOOT"`` or ``None``."""

    def __init__(self, unit: str | None = None, site: Sequence[float] = (0, 0, 0)) -> None:
        self.lines: list[str] = []
        self.guids = 0
        self.members: list[int] = []
        prefix = f".{unit}." if unit and unit != "FOOT" else "$"
        length = self.add(f"IFCSIUNIT(*,.LENGTHUNIT.,{prefix},.METRE.)")
        if unit == "FOOT":
            measure = self.add(f"IFCMEASUREWITHUNIT(IFCLENGTHMEASURE(0.3048),#{length})")
            exponents = self.add("IFCDIMENSIONALEXPONENTS(1,0,0,0,0,0,0)")
            length = self.add(f"IFCCONVERSIONBASEDUNIT(#{exponents},.LENGTHUNIT.,'FOOT',#{measure})")
        angle = self.add("IFCSIUNIT(*,.PLANEANGLEUNIT.,$,.RADIAN.)")
        units = self.add(f"IFCUNITASSIGNMENT((#{length},#{angle}))")
        self.context = self.add(f"IFCGEOMETRICREPRESENTATIONCONTEXT($,'Model',3,1.E-05,#{self.axes()},$)")
        project = self.add(f"IFCPROJECT('{self.guid()}',$,'P',$,$,$,$,(#{self.context}),#{units})")
        self.site = self.add(f"IFCLOCALPLACEMENT($,#{self.axes(site)})")
        place = self.add(f"IFCSITE('{self.guid()}',$,'Site',$,$,#{self.site},$,$,.ELEMENT.,$,$,$,$,$)")
        house = self.add(f"IFCBUILDING('{self.guid()}',$,'House',$,$,#{self.site},$,$,.ELEMENT.,$,$,$)")
        self.storey = self.add(f"IFCBUILDINGSTOREY('{self.guid()}',$,'Level 1',$,$,#{self.site},$,$,.ELEMENT.,0.)")
        for whole, part in ((project, place), (place, house), (house, self.storey)):
            self.add(f"IFCRELAGGREGATES('{self.guid()}',$,$,$,#{whole},(#{part}))")

    def add(self, text: str) -> int:
        self.lines.append(text)
        return len(self.lines)

    def guid(self) -> str:
        self.guids += 1
        return f"{self.guids:022d}"

    def point(self, *numbers: float) -> int:
        return self.add(f"IFCCARTESIANPOINT(({','.join(repr(float(number)) for number in numbers)}))")

    def direction(self, *numbers: float) -> int:
        return self.add(f"IFCDIRECTION(({','.join(repr(float(number)) for number in numbers)}))")

    def axes(
        self, at: Sequence[float] = (0, 0, 0), z: Sequence[float] = (0, 0, 1), x: Sequence[float] = (1, 0, 0)
    ) -> int:
        return self.add(f"IFCAXIS2PLACEMENT3D(#{self.point(*at)},#{self.direction(*z)},#{self.direction(*x)})")

    def rectangle(self, x: float, y: float) -> int:
        return self.add(f"IFCRECTANGLEPROFILEDEF(.AREA.,$,$,{float(x)!r},{float(y)!r})")

    def circle(self, radius: float, wall: float | None = None) -> int:
        if wall is None:
            return self.add(f"IFCCIRCLEPROFILEDEF(.AREA.,$,$,{float(radius)!r})")
        return self.add(f"IFCCIRCLEHOLLOWPROFILEDEF(.AREA.,$,$,{float(radius)!r},{float(wall)!r})")

    def polygon(self, *corners: Sequence[float]) -> int:
        points = ",".join(f"#{self.point(*corner)}" for corner in [*corners, corners[0]])
        line = self.add(f"IFCPOLYLINE(({points}))")
        return self.add(f"IFCARBITRARYCLOSEDPROFILEDEF(.AREA.,$,#{line})")

    def extruded(self, profile: int, depth: float, axis: Sequence[float] = (0, 0, 1)) -> int:
        return self.add(f"IFCEXTRUDEDAREASOLID(#{profile},#{self.axes()},#{self.direction(*axis)},{float(depth)!r})")

    def swept(self, radius: float, *points: Sequence[float]) -> int:
        """A disk along a line through points."""
        line = self.add(f"IFCPOLYLINE(({','.join(f'#{self.point(*point)}' for point in points)}))")
        return self.add(f"IFCSWEPTDISKSOLID(#{line},{float(radius)!r},$,$,$)")

    def bar(self, radius: float, points: Sequence[Sequence[float]], segments: str) -> int:
        """A disk along lines and arcs through points: ``segments`` are those of an indexed curve."""
        listed = ",".join(f"({','.join(repr(float(value)) for value in point)})" for point in points)
        line = self.add(f"IFCINDEXEDPOLYCURVE(#{self.add(f'IFCCARTESIANPOINTLIST3D(({listed}))')},({segments}),$)")
        return self.add(f"IFCSWEPTDISKSOLID(#{line},{float(radius)!r},$,$,$)")

    def connect(self, first: str, second: str) -> None:
        """Connects products, by their GUIDs, with ports of their own."""
        ports: list[int] = []
        for guid in (first, second):
            owner = next(number for number, line in enumerate(self.lines, 1) if f"('{guid}'" in line)
            ports.append(self.add(f"IFCDISTRIBUTIONPORT('{self.guid()}',$,$,$,$,$,$,$,$,$)"))
            self.add(f"IFCRELNESTS('{self.guid()}',$,$,$,#{owner},(#{ports[-1]}))")
        self.add(f"IFCRELCONNECTSPORTS('{self.guid()}',$,$,$,#{ports[0]},#{ports[1]},$)")

    def system(self, name: str, *numbers: int) -> None:
        """A system of products."""
        group = self.add(f"IFCDISTRIBUTIONSYSTEM('{self.guid()}',$,'{name}',$,$,$,$)")
        listed = ",".join(f"#{number}" for number in numbers)
        self.add(f"IFCRELASSIGNSTOGROUP('{self.guid()}',$,$,$,({listed}),$,#{group})")

    def turned(self, profile: int, arc: float, angle: float) -> int:
        """The profile, turned about a parallel of y that is ``arc`` away."""
        axis = self.add(f"IFCAXIS1PLACEMENT(#{self.point(arc, 0, 0)},#{self.direction(0, 1, 0)})")
        return self.add(f"IFCREVOLVEDAREASOLID(#{profile},#{self.axes()},#{axis},{float(angle)!r})")

    def mapped(
        self,
        item: int,
        at: Sequence[float],
        scale: float = 1.0,
        axes: Sequence[Sequence[float]] = (),
        more: Sequence[float] = (),
    ) -> int:
        """The item, mapped: it moves to ``at``, with other axes x, y and z, and with other scales along y and z."""
        source = self.add(f"IFCREPRESENTATIONMAP(#{self.axes()},#{self.body(item)})")
        x, y, z = (f"#{self.direction(*axis)}" for axis in axes) if axes else "$$$"
        kind, scales = ("NONUNIFORM", f",{float(more[0])!r},{float(more[1])!r}") if more else ("", "")
        target = f"IFCCARTESIANTRANSFORMATIONOPERATOR3D{kind}({x},{y},#{self.point(*at)},{float(scale)!r},{z}{scales})"
        return self.add(f"IFCMAPPEDITEM(#{source},#{self.add(target)})")

    def body(self, *items: int) -> int:
        listed = ",".join(f"#{item}" for item in items)
        return self.add(f"IFCSHAPEREPRESENTATION(#{self.context},'Body','SweptSolid',({listed}))")

    def product(
        self,
        kind: str,
        *items: int,
        at: Sequence[float] = (0, 0, 0),
        turn: Sequence[Sequence[float]] = (),
        more: str = ",$,$",
    ) -> str:
        """A product in the storey, which is returned as its GUID. ``turn``: its axes z and x; ``more``:
        attributes after the shape."""
        place = self.add(f"IFCLOCALPLACEMENT(#{self.site},#{self.axes(at, *turn)})")
        shape = "$"
        if items:
            shape = f"#{self.add(f'IFCPRODUCTDEFINITIONSHAPE($,$,(#{self.body(*items)}))')}"
        guid = self.guid()
        self.members.append(self.add(f"{kind}('{guid}',$,'part',$,$,#{place},{shape}{more})"))
        return guid

    def opening(self, item: int, at: Sequence[float], wall: int) -> str:
        guid = self.product("IFCOPENINGELEMENT", item, at=at)
        self.add(f"IFCRELVOIDSELEMENT('{self.guid()}',$,$,$,#{wall},#{self.members.pop()})")
        return guid

    def write(self, path: pathlib.Path) -> pathlib.Path:
        members = ",".join(f"#{member}" for member in self.members)
        self.add(f"IFCRELCONTAINEDINSPATIALSTRUCTURE('{self.guid()}',$,$,$,({members}),#{self.storey})")
        about = "FILE_DESCRIPTION((''),'2;1');\nFILE_NAME('','',(''),(''),'','','');\nFILE_SCHEMA(('IFC4'));"
        head = f"ISO-10303-21;\nHEADER;\n{about}\nENDSEC;\nDATA;\n"
        data = "".join(f"#{number}={line};\n" for number, line in enumerate(self.lines, 1))
        path.write_text(f"{head}{data}ENDSEC;\nEND-ISO-10303-21;\n", encoding="utf-8")
        return path
