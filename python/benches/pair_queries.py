"""Nanoseconds a query: one call of `Pair.query` for many poses, and a loop over coal and python-fcl with the same boxes and poses.

    RAYON_NUM_THREADS=1 python python/benches/pair_queries.py [--poses 1000000]

Peers that are not installed are left out: `pip install coal python-fcl`. Each figure is the CPU time of the least of three passes. Poses
are arrays before the clock starts; the loop of a peer makes the peer's own pose and reads the distance.
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Callable
from typing import Any

import clearsweep as cs
import numpy as np
import numpy.typing as npt

A, B = (1.0, 2.0, 3.0), (0.5, 0.7, 0.9)


def least(passes: int, work: Callable[[], float], count: int) -> tuple[float, float]:
    """Nanoseconds a query, and a checksum of the distances."""
    best, found = float("inf"), 0.0
    for _ in range(passes):
        begun = time.process_time()
        found = work()
        best = min(best, time.process_time() - begun)
    return 1e9 * best / count, found


def coal_loop(poses: npt.NDArray[np.float64]) -> Callable[[], float]:
    coal: Any = importlib.import_module("coal")
    a, b, still = coal.Box(*A), coal.Box(*B), coal.Transform3s.Identity()
    request, result = coal.DistanceRequest(), coal.DistanceResult()

    def work() -> float:
        total = 0.0
        for pose in poses:
            result.clear()
            total += coal.distance(a, still, b, coal.Transform3s(coal.Quaternion(*pose[3:]), pose[:3]), request, result)
        return total

    return work


def fcl_loop(poses: npt.NDArray[np.float64]) -> Callable[[], float]:
    fcl: Any = importlib.import_module("fcl")
    a, b = fcl.CollisionObject(fcl.Box(*A)), fcl.CollisionObject(fcl.Box(*B))
    request = fcl.DistanceRequest(enable_signed_distance=True)

    def work() -> float:
        total = 0.0
        for pose in poses:
            b.setTransform(fcl.Transform(pose[3:], pose[:3]))
            total += fcl.distance(a, b, request, fcl.DistanceResult())
        return total

    return work


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--poses", type=int, default=1_000_000)
    count: int = parser.parse_args().poses

    # A motion: neighbours are near each other, all are apart.
    t = np.linspace(0, 200, count)
    poses = np.zeros((count, 7))
    poses[:, :3] = np.stack([3 * np.cos(t), 3 * np.sin(t), np.sin(0.3 * t)], -1)
    poses[:, 3:] = np.stack([np.cos(t / 7), np.sin(t / 7), 0 * t, 0 * t], -1)

    pair = cs.pair({"box": list(A)}, {"box": list(B)})
    ours = least(3, lambda: float(pair.query(b_poses=poses)["distance_m"].to_numpy().sum()), count)
    print(f"clearsweep  {ours[0]:8.0f} ns a query  mean {ours[1] / count:.9f} m")
    some = poses[:: max(1, count // 100_000)]
    for name, loop in (("coal", coal_loop), ("fcl", fcl_loop)):
        try:
            peer = least(3, loop(some), len(some))
        except ImportError:
            print(f"{name:11} is not installed")
            continue
        print(f"{name:11} {peer[0]:8.0f} ns a query  mean {peer[1] / len(some):.9f} m")


if __name__ == "__main__":
    main()
