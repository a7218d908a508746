"""Draws the pictures of docs/guide/between-frames.md: python3 docs/plots/between_frames.py (needs matplotlib)."""

import math
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

matplotlib.rcParams["svg.hashsalt"] = "clearsweep"
IMAGES = Path(__file__).resolve().parent.parent / "images"


def box(axes, angle, length, width, **style):
    c, s = math.cos(angle), math.sin(angle)
    corners = [(x * length / 2, y * width / 2) for x, y in [(-1, -1), (1, -1), (1, 1), (-1, 1)]]
    axes.fill([x * c - y * s for x, y in corners], [x * s + y * c for x, y in corners], **style)


def save(figure, name):
    figure.savefig(IMAGES / name, metadata={"Date": None}, bbox_inches="tight")


def blade():
    figure, axes = plt.subplots(figsize=(5, 3.2))
    for step in range(1, 12):
        box(axes, math.radians(30 + 10 * step), 2, 0.08, color="0.85")
    box(axes, math.radians(30), 2, 0.08, color="tab:blue", label="frame 1")
    box(axes, math.radians(150), 2, 0.08, color="tab:green", label="frame 2")
    axes.add_patch(plt.Circle((0, 0.8), 0.08, color="tab:red", label="post"))
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.legend(loc="lower center", ncol=3, frameon=False)
    save(figure, "between_blade.svg")


def gap():
    times = [i / 200 for i in range(201)]
    bend, first, last = 2.4, 0.5, 0.9
    chord = [(1 - t) * first + t * last for t in times]
    bound = [g - bend * t * (1 - t) / 2 for g, t in zip(chord, times)]
    true = [g - 0.55 * bend * t * (1 - t) / 2 * (1 + 0.3 * math.sin(5 * t)) for g, t in zip(chord, times)]
    figure, axes = plt.subplots(figsize=(5, 3))
    axes.plot(times, chord, "0.6", label="chord")
    axes.plot(times, true, "tab:blue", label="gap of the planes")
    axes.plot(times, bound, "tab:red", label="proven: chord less K t (1 - t) / 2")
    axes.axhline(min(bound), color="tab:red", linestyle=":", linewidth=1)
    axes.set(xlabel="share of the interval", ylabel="gap, m", ylim=(0, 1))
    axes.legend(frameon=False)
    save(figure, "between_gap.svg")


if __name__ == "__main__":
    blade()
    gap()
