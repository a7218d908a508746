"""STEP files as scenes: trees, places, and deviations that are proven."""

from __future__ import annotations

import collections
import csv
import itertools
import math
import pathlib
import subprocess
import sys
import tomllib
from typing import Any

import clearsweep as cs
import numpy as np
import numpy.typing as npt
import pytest
from conftest import ROOT, shared
from step_text import frustum

pytest.importorskip("cascadio")
parquet: Any = pytest.importorskip("pyarrow.parquet")

from clearsweep._convert.glb import Glb  # noqa: E402 - needs numpy
from clearsweep._convert.meshes import Mesh  # noqa: E402
from clearsweep._convert.packages import EXTRAS  # noqa: E402
from clearsweep._convert.proof import prove  # noqa: E402
from clearsweep._convert.step import brep  # noqa: E402
from clearsweep._convert.surfaces import Surface  # noqa: E402

F64 = npt.NDArray[np.float64]


def data(name: str) -> pathlib.Path:
    """A file of the shared data."""
    return shared("step", name)


def rows(path: pathlib.Path) -> list[dict[str, Any]]:
    return parquet.read_table(path).to_pylist()


def places(folder: pathlib.Path) -> dict[str, F64]:
    """The matrices of the nodes of a scene's GLB that have meshes, by path."""
    document = Glb((folder / "geometry.glb").read_bytes(), "").document
    found: dict[str, F64] = {}

    def walk(number: int, names: tuple[str, ...], above: F64) -> None:
        node = document["nodes"][number]
        here = above @ np.array(node.get("matrix", np.eye(4)), dtype=np.float64).reshape(4, 4).T
        if "mesh" in node:
            found["/".join((*names, node["name"]))] = here
        for child in node.get("children", []):
            walk(child, (*names, node["name"]), here)

    for root in document["scenes"][0]["nodes"]:
        walk(root, (), np.eye(4))
    return found


def test_the_parts_of_the_assembly_are_where_the_file_has_them(tmp_path: pathlib.Path) -> None:
    done = cs.convert(data("as1-oc-214.stp"), tmp_path / "as1")
    assert done["bodies"] == 18 and done["left_out"] == {}
    found = places(tmp_path / "as1")
    with open(data("as1-oc-214_poses.csv"), encoding="utf-8") as file:
        expected = list(csv.DictReader(file))
    assert list(found) == [row["body"] for row in expected]
    for row in expected:
        at = np.array([float(row[f"{axis}_mm"]) for axis in "xyz"]) / 1e3
        w, x, y, z = (float(row[name]) for name in ("qw", "qx", "qy", "qz"))
        column = np.array([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)])
        assert np.abs(found[row["body"]][:3, 3] - at).max() < 3e-8
        assert np.abs(found[row["body"]][:3, 0] - column).max() < 1e-6
    table = rows(tmp_path / "as1" / "bodies.parquet")
    assert collections.Counter(row["class"] for row in table) == {
        "nut": 8,
        "bolt": 6,
        "l-bracket": 2,
        "plate": 1,
        "rod": 1,
    }
    assert {row["colour"] for row in table if row["class"] == "nut"} == {"#ff0000"}
    # Its cylinders are splines: the tolerance is believed, and said to be.
    assert {row["deviation_source"] for row in table} == {"declared"}
    assert all(1e-4 <= row["deviation"] < 1.01e-4 for row in table)
    # 8 nuts are one mesh.
    assert len(Glb((tmp_path / "as1" / "geometry.glb").read_bytes(), "").document["meshes"]) == 5


def test_parts_that_touch_by_design_touch(tmp_path: pathlib.Path) -> None:
    scene = cs.Scene.from_step(data("as1-oc-214.stp"), within="10mm")
    pairs = cs.run(scene, progress=False, answer="distance").pairs.to_arrow().to_pylist()
    with open(data("as1-oc-214_contacts.csv"), encoding="utf-8") as file:
        designed = {frozenset((row["body_a"], row["body_b"])) for row in csv.DictReader(file)}
    touching = {frozenset((row["body_a"], row["body_b"])) for row in pairs if row["lower_m"] < 1e-6}
    assert touching == designed and len(designed) == 32
    apart = sorted((row["lower_m"], row["upper_m"]) for row in pairs if row["lower_m"] >= 1e-6)
    assert all(lower <= 2.5e-3 <= upper for lower, upper in apart[:4])
    assert all(upper > 5e-3 for _, upper in apart[4:])


@pytest.mark.parametrize("tolerance", [1e-4, 5e-5])
def test_the_deviation_of_cylinders_is_proven(tmp_path: pathlib.Path, tolerance: float) -> None:
    done = cs.convert(data("as1_pe_203.stp"), tmp_path / "as1", tolerance=tolerance)
    assert done["bodies"] == 18 and list(done["deviations"]) == ["proven"]
    # Each part has curves beside its solid.
    assert list(done["left_out"].values()) == [{"nodes of curves and points": 18}]
    table = rows(tmp_path / "as1" / "bodies.parquet")
    # The file is in inches: the assembly is 8 m long, and coordinates have steps of some 1e-7 m.
    assert all(0.35 * tolerance < row["deviation"] < 0.5 * tolerance + 3e-6 for row in table)
    assert collections.Counter(row["class"] for row in table) == {
        "NUT": 8,
        "BOLT": 6,
        "L-BRACKET": 2,
        "PLATE": 1,
        "ROD": 1,
    }
    assert "AS1_PE_ASM/L_BRACKET_ASSEMBLY#2/NUT_BOLT_ASSEMBLY#3/BOLT" in {row["body"] for row in table}


def test_the_same_file_makes_the_same_bytes(tmp_path: pathlib.Path) -> None:
    path = data("as1_pe_203.stp")
    for name in ("a", "b"):
        cs.convert(path, tmp_path / name)
    for file in ("scene.toml", "geometry.glb", "bodies.parquet"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes(), file


def bolt() -> tuple[Mesh, list[Surface | None], npt.NDArray[np.int64]]:
    import cascadio  # pyright: ignore[reportMissingImports, reportUnknownVariableType]

    load: Any = cascadio.load  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    glb = Glb(load(data("as1_pe_203.stp").read_bytes(), tol_linear=0.1, include_brep=True), "")
    meshes = [mesh["primitives"] for mesh in glb.document["meshes"] if mesh["primitives"][0]["mode"] == 4]
    return brep(glb, meshes[2])


def test_a_vertex_that_was_moved_is_noticed() -> None:
    mesh, surfaces, faces = bolt()
    good = prove(mesh, surfaces, faces)
    assert good.deviation is not None and good.deviation < 6e-5
    positions = np.unique(mesh.vertices, axis=0)
    for position in positions[:: len(positions) // 12]:
        copies = (mesh.vertices == position).all(axis=1)
        around = {int(face) for face, corners in zip(faces, mesh.triangles, strict=True) if copies[corners].any()}
        normals = [surface.normals(position[None])[0] for face in around if (surface := surfaces[face])]
        moved = mesh.vertices.copy()
        moved[copies] += 1e-3 * np.array(normals[0])
        found = prove(Mesh(moved, mesh.triangles), surfaces, faces)
        assert found.deviation is None or found.deviation >= 1e-3 - 1e-6
        assert found.measured >= 1e-3 - 1e-6
        # A copy alone opens the mesh.
        moved = mesh.vertices.copy()
        moved[np.flatnonzero(copies)[0]] += 1e-3 * np.array(normals[0])
        assert prove(Mesh(moved, mesh.triangles), surfaces, faces).deviation is None


def test_a_face_without_triangles_and_a_spline_prove_nothing() -> None:
    mesh, surfaces, faces = bolt()
    kept = faces != 0
    without = prove(Mesh(mesh.vertices, mesh.triangles[kept]), surfaces, faces[kept])
    assert without.deviation is None and "without triangles" in without.why
    spline = prove(mesh, [None, *surfaces[1:]], faces)
    assert spline.deviation is None and "no planes" in spline.why


SURFACES = [
    Surface("plane", np.array([0, 0, 1.0]), np.array([0, 1.0, 2.0])),
    Surface("cylinder", np.array([1.0, 0, 0]), np.array([0, 1.0, 1.0]), 2.0),
    Surface("cone", np.array([0, 0, 1.0]), np.array([1.0, 0, 1.0]), angle=0.4),
    Surface("sphere", np.array([0, 1.0, 0]), np.array([0, 0, 1.0]), 2.0),
    Surface("torus", np.array([0, 0, 1.0]), np.array([0, 1.0, 3.0]), 0.5, 2.0),
]


@pytest.mark.parametrize("surface", SURFACES, ids=lambda surface: surface.kind)
def test_triangles_are_bounded_from_their_surface(surface: Surface) -> None:
    random = np.random.default_rng(7)
    # Points on the surface: from random ones along the normal, again and again.
    on = random.normal(size=(400, 3)) * 2
    if surface.kind == "cone":
        on += 9 * surface.axis
    for spread in (0.02, 0.3):
        corners = on[:, None] + spread * random.normal(size=(400, 3, 3))
        for _ in range(50):
            corners -= surface.off(corners)[..., None] * surface.normals(corners)
        corners = corners[np.max(np.abs(surface.off(corners)), axis=1) < 1e-9]
        weights = random.dirichlet(np.ones(3), 500)
        sampled = np.max(np.abs(surface.off(np.einsum("pv,mvi->mpi", weights, corners))), axis=1)
        bound = surface.most_off(corners)
        assert len(corners) > 200 and (bound >= sampled - 1e-12).all()
        # Small triangles are bounded by what their chords are off, nearly.
        if spread < 0.1:
            assert (bound <= 1.5 * sampled + 1e-9).mean() > 0.9


def prism(sides: int, bottom: float, top: float) -> tuple[Mesh, list[Surface], npt.NDArray[np.int64]]:
    """A frustum of many sides in one that is round, 2 m high."""
    angles = 2 * math.pi * np.arange(sides) / sides
    circle = np.stack([np.cos(angles), np.sin(angles), np.zeros(sides)], axis=1)
    rings = [bottom * circle, top * circle + [0, 0, 2.0], np.array([[0, 0, 0], [0, 0, 2.0]])]
    low, high = 2 * sides, 2 * sides + 1
    triangles: list[list[int]] = []
    for a, b in itertools.pairwise([*range(sides), 0]):
        triangles += [[low, b, a], [high, sides + a, sides + b], [a, b, sides + b], [a, sides + b, sides + a]]
    if bottom == top:
        side = Surface("cylinder", np.zeros(3), np.array([0, 0, 1.0]), bottom)
    else:
        apex = np.array([0, 0, 2 * bottom / (bottom - top)])
        side = Surface("cone", apex, np.array([0, 0, -1.0]), angle=math.atan2(bottom - top, 2))
    ends = [Surface("plane", np.array([0, 0, z]), np.array([0, 0, 1.0])) for z in (0.0, 2.0)]
    faces = np.tile([0, 1, 2, 2], sides).astype(np.int64)
    return Mesh(np.concatenate(rings), np.array(triangles)), [*ends, side], faces


@pytest.mark.parametrize(("bottom", "top"), [(1.0, 1.0), (1.0, 0.4)])
@pytest.mark.parametrize("sides", [8, 36])
def test_a_prism_is_a_sagitta_off(sides: int, bottom: float, top: float) -> None:
    proof = prove(*prism(sides, bottom, top))
    assert proof.deviation == pytest.approx(bottom * (1 - math.cos(math.pi / sides)), rel=1e-8)


@pytest.mark.parametrize("top", [10.0, 12.0])
def test_a_frustum_of_a_file(tmp_path: pathlib.Path, top: float) -> None:
    done = cs.convert(frustum(tmp_path / "f.step", 10, top, 30), tmp_path / "f", tolerance="0.02mm")
    assert done["deviations"]["proven"]["bodies"] == 1
    assert 5e-6 < done["deviations"]["proven"]["most_m"] < 2e-5
    scene = cs.Scene.load(tmp_path / "f" / "scene.toml")
    assert scene.bodies == ["frustum"] and scene.unit == "mm"


def test_files_that_are_none_are_refused(tmp_path: pathlib.Path) -> None:
    bad = tmp_path / "bad.step"
    bad.write_bytes(b"solid ascii\n")
    for path, word in (
        (bad, "no STEP file"),
        (tmp_path / "none.stp", "cannot be read"),
        (tmp_path / "a.obj", "converted"),
    ):
        with pytest.raises(cs.Error, match=word) as told:
            cs.convert(path, tmp_path / "out")
        assert told.value.help and not (tmp_path / "out").exists()
    frustum(bad, 10, 10, 30)
    bad.write_text(bad.read_text().replace("MANIFOLD_SOLID_BREP", "GEOMETRIC_CURVE_SET"))
    with pytest.raises(cs.Error, match="cascadio makes no GLB|no part with faces"):
        cs.convert(bad, tmp_path / "out")
    for tolerance in ("0mm", "1 parsec", -1.0):
        with pytest.raises(cs.Error, match="--tolerance"):
            cs.convert(bad, tmp_path / "out", tolerance=tolerance)


def test_what_the_reader_says_is_passed_on(tmp_path: pathlib.Path) -> None:
    path = frustum(tmp_path / "f.step", 10, 10, 30)
    text = path.read_text()
    # The solid is there, a name of it leads nowhere.
    path.write_text(text.replace("DATA;", "DATA;\n#900=SHAPE_ASPECT('','',#901,.T.);"))
    done = cs.convert(path, tmp_path / "f")
    assert done["bodies"] == 1 and any("Unresolved Reference" in note for note in done["notes"])


def test_extras_install_what_the_errors_name() -> None:
    project = tomllib.loads((ROOT / "python" / "pyproject.toml").read_text())["project"]
    assert {name: project["optional-dependencies"][name] for name in EXTRAS} == EXTRAS


def test_numpy_is_named_if_it_is_missing(tmp_path: pathlib.Path) -> None:
    frustum(tmp_path / "f.step", 10, 10, 30)
    words = "sys.argv[1:] = ['convert', 'f.step', '--out', 'o']"
    code = f"import sys; sys.modules['numpy'] = None; {words}; from clearsweep._commands import main; main()"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert (
        done.returncode == 2
        and "the package numpy is not installed" in done.stderr
        and "help: pip install" in done.stderr
    )


def test_a_missing_package_is_named(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cascadio", None)
    with pytest.raises(cs.Error, match="cascadio is not installed") as told:
        cs.convert(frustum(tmp_path / "f.step", 10, 10, 30), tmp_path / "f")
    assert told.value.help.startswith('pip install "cascadio>=0.1.1,<0.3" "numpy') and "`step`" in told.value.help
