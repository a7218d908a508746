"""The triangles of IFC products, by ifclite-geom or by IfcOpenShell, and where both differ."""

from __future__ import annotations

import dataclasses
import importlib.metadata
from typing import Any

import numpy as np

from .._errors import Error
from .glb import hex_of
from .meshes import F64, Mesh, half_ulp_f32
from .messages import captured
from .packages import package

#: Types of items whose surfaces are curved, wherever they occur below a product.
CURVED = (
    "CIRCLE",
    "ELLIPSE",
    "SWEPTDISK",
    "REVOLVED",
    "BSPLINE",
    "CYLIND",
    "CONE",
    "SPHERE",
    "TOROID",
    "TRIMMEDCURVE",
    "ROUND",
)

#: Deviation that is declared of curved faces by ifclite-geom: a share of the second largest side of
#: the product's box. The kernel cuts a turn into 36 chords or more: a chord of an arc of radius r
#: is 0.0038 r off, and 2 r is mostly that side.
CURVED_SHARE = 0.002

#: The linear deflection that IfcOpenShell is asked for, metres.
DEFLECTION = 1e-3


@dataclasses.dataclass
class Product:
    """Triangles of a product: vertices in single precision would be ``mesh.vertices``, about ``origin``."""

    number: int
    guid: str
    kind: str
    mesh: Mesh
    origin: F64
    colour: str | None
    rounding: float

    def world(self) -> Mesh:
        """The mesh in the coordinates of the file, metres."""
        return Mesh(self.mesh.vertices + self.origin, self.mesh.triangles)


@dataclasses.dataclass
class Kernel:
    """A file as one kernel reads it."""

    name: str
    version: str
    products: dict[int, Product]
    #: Names of classes by instance, in the spelling of the standard.
    classes: dict[int, str]
    #: Lines that it printed while it read the file.
    printed: list[str]

    def declared(self, product: Product, is_curved: bool) -> float:
        """The deviation that its faces are taken to have."""
        if not is_curved:
            return product.rounding
        size = float(np.sort(np.ptp(product.mesh.box(), axis=0))[1])
        return product.rounding + (DEFLECTION if self.name == "ifcopenshell" else CURVED_SHARE * size)


def ifclite(path: str, data: bytes) -> Kernel:
    """ifclite-geom: each coordinate is one of single precision about `rtc_offset`."""
    module = package("ifclite_geom", "ifc")
    try:
        with captured() as printed:
            made = module.geometry_data_buffers(data)
            told = module.entity_data(data, type_properties=False, attributes=False)
    except (KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException as error:  # A panic of the kernel is no Exception.
        raise _failed(path, "ifclite-geom", error) from None
    origin = np.array(made["rtc_offset"], dtype=np.float64)
    products: dict[int, Product] = {}
    for number, element in made["elements"].items():
        absolute = np.frombuffer(element["vertices"], dtype="<f8").reshape(-1, 3)
        triangles = np.frombuffer(element["faces"], dtype="<u4").reshape(-1, 3).astype(np.int64)
        if len(triangles) == 0:
            continue
        local = absolute - origin
        single = local.astype(np.float32).astype(np.float64)
        # The kernel rounds to single precision; the sum with the origin is rounded, too.
        far = float(np.spacing(np.max(np.abs(absolute))))
        rounding = np.sqrt(3.0) * (half_ulp_f32(local) + far + float(np.max(np.abs(local - single))))
        mesh, colour = Mesh(single, triangles), hex_of(element["color"])
        products[number] = Product(
            number, element["global_id"], element["ifc_type"], mesh, origin, colour, float(rounding)
        )
    classes = {number: entity["ifc_type"] for number, entity in told["entities"].items()}
    classes |= {number: product.kind for number, product in products.items()}
    return Kernel("ifclite", importlib.metadata.version("ifclite-geom"), products, classes, printed)


def ifcopenshell(path: str) -> Kernel:
    """IfcOpenShell: double precision about the placement of each product, which is rounded to single
    precision here."""
    module, geometry = package("ifcopenshell", "ifc-both"), package("ifcopenshell.geom", "ifc-both")
    try:
        model = module.open(path)
        settings = geometry.settings()
        settings.set("mesher-linear-deflection", DEFLECTION)
        products: dict[int, Product] = {}
        with captured() as printed:
            shapes = geometry.iterator(settings, model, 1)
            goes_on = shapes.initialize()
            while goes_on:
                product = _of_ifcopenshell(shapes.get())
                if product is not None:
                    products[product.number] = product
                goes_on = bool(shapes.next())
        classes = {entity.id(): entity.is_a() for entity in model.by_type("IfcObject")}
    except Exception as error:
        raise _failed(path, "ifcopenshell", error) from None
    return Kernel("ifcopenshell", importlib.metadata.version("ifcopenshell"), products, classes, printed)


def _of_ifcopenshell(shape: Any) -> Product | None:
    placed = np.array(shape.transformation.matrix, dtype=np.float64).reshape(4, 4).T
    local = np.array(shape.geometry.verts, dtype=np.float64).reshape(-1, 3)
    triangles = np.array(shape.geometry.faces, dtype=np.int64).reshape(-1, 3)
    if len(triangles) == 0:
        return None
    turned = local @ placed[:3, :3].T
    middle = (turned.min(axis=0) + turned.max(axis=0)) / 2
    single = (turned - middle).astype(np.float32).astype(np.float64)
    origin = placed[:3, 3] + middle
    far = 4 * float(np.spacing(np.max(np.abs(origin)) + np.max(np.abs(single))))
    materials: Any = shape.geometry.materials
    colour = None
    if materials:
        diffuse = materials[0].diffuse
        colour = hex_of([diffuse.r(), diffuse.g(), diffuse.b()])
    rounding = float(np.sqrt(3.0) * (half_ulp_f32(single) + far))
    return Product(shape.id, shape.guid, shape.type, Mesh(single, triangles), origin, colour, rounding)


def _failed(path: str, kernel: str, error: BaseException) -> Error:
    problem = f"{kernel} cannot read it: {str(error).strip() or type(error).__name__}"
    return Error("input", path, path, problem, "try the other one by --kernel, or export the file again")


def difference(one: Product, other: Product, deviation: float) -> str | None:
    """The difference of two meshes of a product beyond the sum of their deviations, if any: its box, its volume,
    or whether it is closed."""
    found: list[str] = []
    a, b = one.world(), other.world()
    boxes = float(np.max(np.abs(a.box() - b.box())))
    if boxes > deviation:
        found.append(f"boxes differ by {boxes:.3g} m")
    closed = a.is_closed(), b.is_closed()
    if closed[0] != closed[1]:
        found.append("one mesh is closed, the other is not")
    elif closed[0]:
        volumes = abs(a.volume() - b.volume())
        if volumes > a.area() * deviation:
            found.append(f"volumes differ by {volumes:.3g} m3")
    return "; ".join(found) or None
