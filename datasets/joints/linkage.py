"""Writes linkage.csv: values of the joints of linkage.toml over a turn of the crank that keep the loop closed.

    python datasets/joints/linkage.py [ROWS]

ROWS rows (361 if left out) are evenly spaced in the angle of the crank, from -180 to 180 degrees.
"""

import math
import pathlib
import sys

CRANK, COUPLER, ROCKER, BASE = 60.0, 150.0, 130.0, 200.0  # AB, BC, DC, AD, mm


def values(crank):
    """Returns the values of crank, pin and rocker at an angle of the crank, radians. All are 0 in the pose at rest."""
    bx, by = CRANK * math.cos(crank), CRANK * math.sin(crank)
    dx, dy = BASE - bx, -by
    span = math.hypot(dx, dy)
    # C from B: along the line to D, and across it on the side of the pose at rest.
    along = (span**2 + COUPLER**2 - ROCKER**2) / (2 * span)
    across = math.sqrt(COUPLER**2 - along**2)
    cx = bx + (along * dx - across * dy) / span
    cy = by + (along * dy + across * dx) / span
    coupler = math.atan2(cy - by, cx - bx) - math.atan2(120, 90)
    rocker = math.atan2(cy, cx - BASE) - math.atan2(120, -50)
    return crank, coupler - crank, rocker


def rows(count):
    """Returns `count` rows of values."""
    return [values(math.pi * (2 * k / (count - 1) - 1)) for k in range(count)]


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 361
    lines = [f"{frame},{crank!r},{pin!r},{rocker!r}\n" for frame, (crank, pin, rocker) in enumerate(rows(count))]
    path = pathlib.Path(__file__).with_name("linkage.csv")
    path.write_text("frame,crank,pin,rocker\n" + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
