"""Monte Carlo of a robot arm with play in its joints, as one array of numpy: the probability that it comes too near to a post,
the distribution of the least distance, and the joints that drive it.

    python monte_carlo.py [--runs 2000] [--frames 200]
"""

from __future__ import annotations

import argparse
import time
from typing import Any, cast

import clearsweep as cs
import numpy as np
import numpy.typing as npt

LINKS = 11
LENGTH = 0.2  # of a link, metres
PLAY = 0.02  # standard deviation of a joint, radians


def turns(angles: npt.NDArray[np.float64], axis: int) -> npt.NDArray[np.float64]:
    """Rigid transforms that turn about an axis."""
    matrix = np.zeros((*angles.shape, 4, 4))
    one, two = (axis + 1) % 3, (axis + 2) % 3
    cos, sin = np.cos(angles), np.sin(angles)
    matrix[..., axis, axis] = matrix[..., 3, 3] = 1
    matrix[..., one, one], matrix[..., one, two] = cos, -sin
    matrix[..., two, one], matrix[..., two, two] = sin, cos
    return matrix


def arm(runs: int, frames: int, play: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Forward kinematics: rigid transforms `(runs, frames, links, 4, 4)` of the middles of the links."""
    time_s = np.linspace(0, 1, frames)
    up = np.eye(4)
    up[2, 3] = LENGTH / 2
    at = np.broadcast_to(np.eye(4), (runs, frames, 4, 4))
    poses = np.empty((runs, frames, LINKS, 4, 4))
    for link in range(LINKS):
        swing = 0.28 * np.sin(np.pi * (time_s - 0.1 * link)) if link else 1.2 * time_s
        angles = swing + play[:, link, None]
        at = at @ turns(angles, 2 if link == 0 else 1) @ up
        poses[:, :, link] = at
        at = at @ up
    return poses


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--frames", type=int, default=200)
    arguments = parser.parse_args()
    runs, frames = arguments.runs, arguments.frames

    scene = cs.Scene(within="0.3 m", require="100 mm")
    names = [f"link-{link}" for link in range(LINKS)]
    for name in names:
        scene.add(name, capsule=[0.04, LENGTH - 0.08], group="arm")
    scene.add("post", cylinder=[0.1, 3, 16], static=True, position=[1.23, 1.33, 0.5])
    scene.ignore("group:arm", "group:arm", reason="links of one arm")

    begun = time.perf_counter()
    play = np.random.default_rng(1).normal(0, PLAY, (runs, LINKS))
    poses = arm(runs, frames, play)
    moved = time.perf_counter()
    result = cs.run(scene, poses, bodies=names, times=np.linspace(0, 1, frames).tolist(), progress=False)
    computed = time.perf_counter()

    found = result.probability(0.95)
    print(f"{found.violating} of {runs} runs come nearer than 100 mm: {found.share:.1%}, "
          f"95 %: {found.low:.1%} to {found.high:.1%}")  # fmt: skip
    table = result.runs.to_polars().drop_nulls("min_distance_m")
    least = table["min_distance_m"].to_numpy()
    counts, edges = np.histogram(1e3 * least, bins=10)
    for count, low, high in zip(counts, edges[:-1], edges[1:], strict=True):
        print(f"{low:7.1f} .. {high:6.1f} mm {'#' * round(60 * count / counts.max())} {count}")
    rows = play[table["run"].to_numpy()]
    slopes: list[float] = cast(Any, np.linalg).lstsq(rows, least - least.mean(), rcond=None)[0].tolist()
    order = sorted(range(LINKS), key=lambda joint: -abs(slopes[joint]))[:3]
    print("drivers: " + ", ".join(f"joint {k} ({1e3 * slopes[k] * PLAY:+.1f} mm a standard deviation)" for k in order))
    print(f"forward kinematics {moved - begun:.2f} s, run {computed - moved:.2f} s")


if __name__ == "__main__":
    main()
