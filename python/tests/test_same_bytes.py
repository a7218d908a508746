"""Tables written by Python are those of the program, byte for byte."""

from __future__ import annotations

import pathlib

from typing import Any

import clearsweep as cs
import pytest
from conftest import ROOT, Motion, Program

GENERATED: dict[str, dict[str, int]] = {
    "crowd": {"bodies": 30, "frames": 30, "runs": 2},
    "coherence": {"frames": 50, "runs": 2},
    "pipe-rack": {"frames": 20},
    "separation": {"frames": 50, "runs": 3},
    "shop-floor": {"frames": 60},
    "box-grid": {"bodies": 27, "frames": 4},
}
# The bodies of the Duplex are written by a script, from files that the repository does not keep.
KEPT = sorted(path.parent.name for path in (ROOT / "datasets").glob("*/scene.toml") if path.parent.name != "duplex")


def files(folder: pathlib.Path) -> dict[str, bytes]:
    """All tables in a directory."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "manifest.json")
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def same(program: Program, scene: pathlib.Path, tmp_path: pathlib.Path, **options: Any) -> None:
    words = [f"--{name}={value}" for name, value in options.items()]
    done = program(["run", scene, "--out", tmp_path / "program", *words])
    result = cs.run(scene, out=tmp_path / "python", progress=False, **options)
    assert done.returncode == result.exit_code
    found = files(tmp_path / "python")
    assert len(found) >= 5 and found == files(tmp_path / "program")


@pytest.mark.parametrize("name", GENERATED)
@pytest.mark.filterwarnings("ignore::clearsweep.Warning")
def test_generated_data_sets(program: Program, tmp_path: pathlib.Path, name: str) -> None:
    made = cs.generate(name, tmp_path / "set", **GENERATED[name])
    same(program, pathlib.Path(made["scene"]), tmp_path)


@pytest.mark.parametrize("name", KEPT)
@pytest.mark.filterwarnings("ignore::clearsweep.Warning")
def test_kept_data_sets(program: Program, tmp_path: pathlib.Path, name: str) -> None:
    same(program, ROOT / "datasets" / name / "scene.toml", tmp_path)


def test_options_mean_the_same(program: Program, motion: Motion, tmp_path: pathlib.Path) -> None:
    options = {"within": "0.3", "require": "50mm", "between": "linear", "runs": "1..", "direction": "0,0,1"}
    same(program, motion.scene, tmp_path, **options)


def test_generate_writes_the_same_bytes(program: Program, tmp_path: pathlib.Path) -> None:
    cs.generate("coherence", tmp_path / "python", frames=20, runs=2, seed=5)
    program(["generate", "coherence", "--out", tmp_path / "program", "--frames=20", "--runs=2", "--seed=5"])
    assert files(tmp_path / "python") == files(tmp_path / "program")
