"""Writes bodies.csv for scene.toml: a row for each part of the Duplex Apartment.

    python3 bodies.py DATA              the model as it was published
    python3 bodies.py DATA --revised    a later export of it, made up for the guide

DATA has the folders architecture_parts and mep_parts. Each holds an OBJ file for each part (metres, z up, in
coordinates of the building) and parts.csv with its file, guid, ifc_type, name and box (zmin, zmax, ...).
parts.py makes such a folder of an IFC file. Parts that the revision moves are written to revised/.
"""

import csv
import pathlib
import sys

GROUPS = {"architecture_parts": "architecture", "mep_parts": "services"}
LEVELS = [(0.0, "Foundation"), (3.1, "Level 1"), (6.0, "Level 2"), (float("inf"), "Roof")]

# The revision. Parts by their GUIDs; metres.
MOVED = {
    "1yYwYL_irExf916vZONIdA": (0.06, 0, 0),  # a pipe away from the stair and its railing
    "3xhoSJVrH0iRTALnk5Clh4": (0, -0.1, 0),  # one of three pipes out of a door
    "2XLUWQjcT5TP2MvyGtLx_j": (0, 0, 0.01),  # a pipe nearer to a beam
    "2h405XijT83A$BX7w5ki9J": (-0.002, 0, 0),  # an elbow nearer to a sink unit than it was accepted
}
DELETED = {"2OBrcmyk58NupXoVOHUshs"}  # a sofa
RENAMED = {  # drawn anew in its place
    "2tbKXRBs18EwrVsKoiqIs_": ("Pipe Types:Hot Water:700129", "1newHotWaterPipe700129"),
}
ADDED = {  # the same pipe once more, in another door
    "3xhoSJVrH0iRTALnk5Clh4": ("Pipe Types:Cold Water:700130", "1newColdWaterPipe00130", (-1.5, -1.44, 0)),
}


def level(part):
    """The level of the middle of a part's box."""
    middle = (float(part["zmin"]) + float(part["zmax"])) / 2
    return next(name for top, name in LEVELS if middle < top)


def moved(geometry, guid, by):
    """A copy of an OBJ file in which the part stands elsewhere."""
    lines = geometry.read_text().splitlines(keepends=True)
    for number, line in enumerate(lines):
        if line.startswith("v "):
            at = [float(word) for word in line.split()[1:4]]
            lines[number] = "v {:.9g} {:.9g} {:.9g}\n".format(*(c + d for c, d in zip(at, by)))
    copy = pathlib.Path("revised") / f"{guid}.obj"
    copy.parent.mkdir(exist_ok=True)
    copy.write_text("".join(lines))
    return copy


def parts(data):
    """The name, the GUID, the geometry, and the class, level and group of each part."""
    for folder, group in GROUPS.items():
        with open(data / folder / "parts.csv", newline="", encoding="utf-8") as table:
            for part in csv.DictReader(table):
                yield part["name"], part["guid"], data / folder / part["file"], (part["ifc_type"], level(part), group)


def revised(parts):
    """The parts of the later export."""
    for name, guid, geometry, more in parts:
        if guid in ADDED:
            new, new_guid, by = ADDED[guid]
            yield new, new_guid, moved(geometry, new_guid, by), more
        if guid in DELETED:
            continue
        if guid in MOVED:
            geometry = moved(geometry, guid, MOVED[guid])
        yield *RENAMED.get(guid, (name, guid)), geometry, more


def main(data, *options):
    if list(options) not in ([], ["--revised"]):
        sys.exit(__doc__)
    rows = parts(pathlib.Path(data))
    with open("bodies.csv", "w", newline="", encoding="utf-8") as table:
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow(["body", "geometry", "class", "level", "group"])
        # A GUID behind the last slash is the component's in BCF files.
        for name, guid, geometry, more in revised(rows) if options else rows:
            writer.writerow([f"{name}/{guid}", geometry.as_posix(), *more])


if __name__ == "__main__":
    main(*sys.argv[1:]) if len(sys.argv) > 1 else sys.exit(__doc__)
