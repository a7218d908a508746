"""Writes a folder of parts from IFC files: an OBJ file for each product (metres, z up, in coordinates of the
building), and parts.csv with its file, guid, ifc_type, name and box. It needs `pip install ifcopenshell`.

    python3 parts.py OUT FILE.ifc ...
"""

import csv
import pathlib
import sys

import ifcopenshell
import ifcopenshell.geom

LEFT_OUT = ["IfcSpace", "IfcOpeningElement", "IfcSite"]  # no parts that could clash


def main(out, *files):
    out = pathlib.Path(out)
    out.mkdir(parents=True)
    settings = ifcopenshell.geom.settings()
    settings.set("use-world-coords", True)
    rows = []
    for model in map(ifcopenshell.open, files):
        left_out = [product for kind in LEFT_OUT for product in model.by_type(kind)]
        iterator = ifcopenshell.geom.iterator(settings, model, exclude=left_out or None)
        shapes = iterator if iterator.initialize() else []
        for shape in shapes:
            points = [shape.geometry.verts[k : k + 3] for k in range(0, len(shape.geometry.verts), 3)]
            corners = [corner + 1 for corner in shape.geometry.faces]
            if not corners:
                continue
            file = f"p{len(rows):04}.obj"
            lines = ["v {:.6f} {:.6f} {:.6f}".format(*point) for point in points]
            lines += ["f {} {} {}".format(*corners[k : k + 3]) for k in range(0, len(corners), 3)]
            (out / file).write_text("\n".join(lines) + "\n")
            box = [f"{end(axis):.4f}" for end in (min, max) for axis in zip(*points)]
            product = model.by_guid(shape.guid)
            rows.append([file, shape.guid, product.is_a(), product.Name or product.is_a(), *box])
    rows.sort()
    with open(out / "parts.csv", "w", newline="", encoding="utf-8") as table:
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow("file guid ifc_type name xmin ymin zmin xmax ymax zmax".split())
        writer.writerows(rows)


if __name__ == "__main__":
    main(*sys.argv[1:]) if len(sys.argv) > 2 else sys.exit(__doc__)
