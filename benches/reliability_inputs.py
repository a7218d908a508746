"""Hostile inputs of benches/reliability.py: small sound inputs in each form, and damaged copies of them."""

import shutil
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "datasets"

SCENE = """[scene]
name = "small"
length_unit = "m"
{trajectories}
[query]
within = 5.0
{bodies}"""

BODY = """
[[body]]
name = "{name}"
geometry = "{file}"
model = "hull"
static = true
position = [{x}, 0.0, 0.0]
"""

TABLE = """
[[bodies]]
table = "parts.csv"
model = "hull"
static = true
"""

PLY = """ply
format ascii 1.0
element vertex 4
property double x
property double y
property double z
element face 4
property list uchar int vertex_indices
end_header
0 0 0
1 0 0
0 1 0
0 0 1
3 0 2 1
3 0 1 3
3 0 3 2
3 1 2 3
"""

# The form of the input that is damaged: file of a data set, or what is written here.
FORMS = {
    "scene": None,
    "parquet": None,
    "obj": DATA / "pipe-rack/geometry/strut.obj",
    "stl": DATA / "pipe-rack/geometry/tee-dn80.stl",
    "glb": DATA / "pipe-rack/geometry/tube-bundle.glb",
    "ply": None,
    "csv": None,
}


def write(program, folder, form, run):
    """Writes a sound scene; returns the file to be damaged."""
    (folder / "r").mkdir()
    if form in ("scene", "parquet"):
        shutil.copytree(DATA / "coherence", folder, dirs_exist_ok=True)
        shutil.rmtree(folder / "golden")
        found = folder / ("scene.toml" if form == "scene" else "trajectories.parquet")
    elif form == "csv":
        shutil.copy(DATA / "pipe-rack/geometry/strut.obj", folder / "strut.obj")
        (folder / "scene.toml").write_text(SCENE.format(trajectories="", bodies=TABLE))
        rows = [f"part-{k},strut.obj,{k}.5,0,0,1,0,0,0\n" for k in range(8)]
        found = folder / "parts.csv"
        found.write_text("body,geometry,x,y,z,qw,qx,qy,qz\n" + "".join(rows))
    else:
        found = folder / f"part.{form}"
        if FORMS[form]:
            shutil.copy(FORMS[form], found)
        else:
            found.write_text(PLY)
        bodies = "".join(BODY.format(name=f"b{k}", file=found.name, x=0.3 * k) for k in range(2))
        (folder / "scene.toml").write_text(SCENE.format(trajectories="", bodies=bodies))
    ended = run(program, "run scene.toml --out r/o".split(), folder)
    assert ended.code in (0, 3), f"the sound input of {form}: {ended.text}"
    shutil.rmtree(folder / "r/o")
    return found


WORDS = [b"nan", b"inf", b"-1", b"1e400", b"1e-400", b"4294967295", b"-9223372036854775808", b"\0", b"\xff\xfe", b"\xf0\x28"]
WORDS += [b"../../../etc/passwd", b"/dev/zero", b'"', b"[[body]]", b"\n" * 50, b"9" * 400, b"a" * 70_000, b"\x1b[2J", b"{", b"}}"]


def damaged(whole, draw):
    """One to four changes at random places: bytes flipped, cut, repeated, zeroed, moved, or a hostile word put in."""
    data = bytearray(whole)
    for _ in range(draw.randint(1, 4)):
        at, length = draw.randrange(len(data) + 1), draw.choice([1, 2, 4, 8, 64, 1024])
        kind = draw.randrange(7)
        if kind == 0 and data:
            for _ in range(draw.choice([1, 1, 8])):
                data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        elif kind == 1:
            del data[at:]
        elif kind == 2:
            del data[at : at + length]
        elif kind == 3:
            data[at:at] = data[at : at + length] * draw.choice([1, 2, 100])
        elif kind == 4:
            data[at : at + length] = bytes(len(data[at : at + length]))
        elif kind == 5:
            data[at : at + length] = draw.randbytes(length)
        else:
            data[at:at] = draw.choice(WORDS)
    return bytes(data)
