"""A small STEP file, written by the tests that convert it."""

from __future__ import annotations

import math
import pathlib


def frustum(path: pathlib.Path, bottom: float, top: float, height: float, name: str = "frustum") -> pathlib.Path:
    """A frustum about z that is no narrower above, millimetres: two planes, and a cylinder or a cone with a seam."""
    lines: list[str] = []

    def add(text: str) -> str:
        lines.append(text)
        return f"#{len(lines)}"

    def point(*numbers: float) -> str:
        return add(f"CARTESIAN_POINT('',({','.join(map(repr, map(float, numbers)))}))")

    def direction(*numbers: float) -> str:
        return add(f"DIRECTION('',({','.join(map(repr, map(float, numbers)))}))")

    def axes(z: float) -> str:
        return add(f"AXIS2_PLACEMENT_3D('',{point(0, 0, z)},{direction(0, 0, 1)},{direction(1, 0, 0)})")

    def ring(radius: float, z: float) -> tuple[str, str]:
        corner = add(f"VERTEX_POINT('',{point(radius, 0, z)})")
        circle = add(f"CIRCLE('',{axes(z)},{float(radius)!r})")
        return corner, add(f"EDGE_CURVE('',{corner},{corner},{circle},.T.)")

    def face(surface: str, sense: str, *edges: tuple[str, str]) -> str:
        listed = ",".join(add(f"ORIENTED_EDGE('',*,*,{edge},.{turn}.)") for edge, turn in edges)
        loop = add(f"EDGE_LOOP('',({listed}))")
        bound = add(f"FACE_OUTER_BOUND('',{loop},.T.)")
        return add(f"ADVANCED_FACE('',({bound}),{surface},.{sense}.)")

    (low, lower), (high, upper) = ring(bottom, 0), ring(top, height)
    slant = math.hypot(top - bottom, height)
    way = add(f"VECTOR('',{direction((top - bottom) / slant, 0, height / slant)},1.)")
    line = add(f"LINE('',{point(bottom, 0, 0)},{way})")
    seam = add(f"EDGE_CURVE('',{low},{high},{line},.T.)")
    angle = math.atan2(top - bottom, height)
    kind, more = ("CONICAL", f",{angle!r}") if angle else ("CYLINDRICAL", "")
    faces = [
        face(add(f"PLANE('',{axes(0)})"), "F", (lower, "F")),
        face(add(f"PLANE('',{axes(height)})"), "T", (upper, "T")),
        face(
            add(f"{kind}_SURFACE('',{axes(0)},{float(bottom)!r}{more})"),
            "T",
            (lower, "T"),
            (seam, "T"),
            (upper, "F"),
            (seam, "F"),
        ),
    ]
    shell = add(f"CLOSED_SHELL('',({','.join(faces)}))")
    solid = add(f"MANIFOLD_SOLID_BREP('',{shell})")
    length = add("(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.))")
    turn = add("(NAMED_UNIT(*)PLANE_ANGLE_UNIT()SI_UNIT($,.RADIAN.))")
    steradian = add("(NAMED_UNIT(*)SI_UNIT($,.STERADIAN.)SOLID_ANGLE_UNIT())")
    near = add(f"UNCERTAINTY_MEASURE_WITH_UNIT(LENGTH_MEASURE(1.E-07),{length},'distance_accuracy_value','')")
    context = add(
        "(GEOMETRIC_REPRESENTATION_CONTEXT(3)"
        f"GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT(({near}))"
        f"GLOBAL_UNIT_ASSIGNED_CONTEXT(({length},{turn},{steradian}))REPRESENTATION_CONTEXT('',''))"
    )
    shape = add(f"ADVANCED_BREP_SHAPE_REPRESENTATION('',({axes(0)},{solid}),{context})")
    application = add("APPLICATION_CONTEXT('automotive_design')")
    mechanical = add(f"PRODUCT_CONTEXT('',{application},'mechanical')")
    product = add(f"PRODUCT('{name}','{name}','',({mechanical}))")
    formation = add(f"PRODUCT_DEFINITION_FORMATION('','',{product})")
    design = add(f"PRODUCT_DEFINITION_CONTEXT('part definition',{application},'design')")
    definition = add(f"PRODUCT_DEFINITION('','',{formation},{design})")
    whole = add(f"PRODUCT_DEFINITION_SHAPE('','',{definition})")
    add(f"SHAPE_DEFINITION_REPRESENTATION({whole},{shape})")
    about = "FILE_DESCRIPTION((''),'2;1');\nFILE_NAME('','',(''),(''),'','','');\nFILE_SCHEMA(('AUTOMOTIVE_DESIGN'));"
    head = f"ISO-10303-21;\nHEADER;\n{about}\nENDSEC;\nDATA;\n"
    data = "".join(f"#{number}={line};\n" for number, line in enumerate(lines, 1))
    path.write_text(f"{head}{data}ENDSEC;\nEND-ISO-10303-21;\n", encoding="utf-8")
    return path
