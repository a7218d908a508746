//! Every way in which a scene can be wrong gives one error that names the place, the problem and
//! the remedy.

use clearsweep::{Error, ErrorKind};
use clearsweep_scene::{Scene, SceneOverrides};
use clearsweep_testing::random::Random;
use std::fs;

mod round_shapes;

/// A wrong scene: a name, the scene's text, what the error must contain.
type Row = (&'static str, &'static str, &'static [&'static str]);

/// Put before a row's text that begins with `+`: a good beginning of three lines.
const HEAD: &str = "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 0.2\n";

/// Put behind the text of a row that ends in `+`: a good static body.
const BODY: &str = "[[body]]\nname = \"good\"\nstatic = true\nshape = { sphere = 1.0 }\n";

const SYNTAX: &[Row] = &[
    ("empty", "", &["scene.toml", "empty", "[scene]"]),
    ("blank", " \n\t\n", &["scene.toml", "empty"]),
    ("not toml", "[scene]\nlength_unit = \n", &["scene.toml:2", "not valid TOML"]),
    ("twice", "[scene]\nlength_unit = \"m\"\nlength_unit = \"mm\"\n", &["scene.toml:3", "duplicate key"]),
    ("unclosed", "[scene\n", &["scene.toml:1", "TOML"]),
    ("no scene", "[query]\nwithin = 1\n", &["scene.toml:1", "`scene` is missing", "[scene]"]),
    ("scene is a number", "scene = 3\n", &["scene.toml:1", "key `scene`", "a integer instead of a table"]),
    ("no unit", "[scene]\nname = \"x\"\n", &["scene.toml:1", "`length_unit` is missing", "length_unit = \"m\""]),
    ("unknown unit", "[scene]\nlength_unit = \"yd\"\n", &["scene.toml:2", "`yd`", "m, mm, cm, km, in, ft"]),
    ("unit is no text", "[scene]\nlength_unit = 1\n", &["scene.toml:2", "`length_unit` of [scene]", "text"]),
    ("top key", "+\n[quarry]\nwithin = 1\n", &["scene.toml:6", "`quarry`", "known here: scene, "]),
    ("scene key", "[scene]\nlength_unit = \"m\"\nframerate = 5\n", &["scene.toml:3", "`frame_rate`"]),
    ("query key", "[scene]\nlength_unit = \"m\"\n[query]\nwithn = 5\n", &["scene.toml:4", "did you mean `within`"]),
    ("missing word", "[scene]\nlength_unit = \"m\"\nmissing = \"held\"\n", &[":3", "`held`", "did you mean `hold`"]),
    ("rest word", "[scene]\nlength_unit = \"m\"\nrest = \"files\"\n", &[":3", "`files`", "did you mean `file`"]),
    ("nothing at rest", "[scene]\nlength_unit = \"m\"\nrest = \"file\"\n[query]\nwithin = 1\n+", &[":3", "`moving"]),
    (
        "rest and joints",
        "[scene]\nlength_unit = \"m\"\nrest = \"file\"\n[[joint]]\nname = \"j\"\ntype = \"continuous\"\naxis = [0, 0, 1]\nchild = \"good\"\n+",
        &[":3", "joints give the poses"],
    ),
    ("name empty", "[scene]\nlength_unit = \"m\"\nname = \"\"\n", &[":3", "key `name` of [scene]", "empty"]),
    ("frame rate 0", "[scene]\nlength_unit = \"m\"\nframe_rate = 0\n", &[":3", "`frame_rate`", "above 0"]),
    (
        "frame rate tiny",
        "[scene]\nlength_unit = \"m\"\nframe_rate = 1e-320\n",
        &[":3", "`frame_rate`", "1e-12 to 1e12"],
    ),
    ("frame rate huge", "[scene]\nlength_unit = \"m\"\nframe_rate = 1e300\n", &[":3", "`frame_rate`", "1e-12 to 1e12"]),
    ("frame rate nan", "[scene]\nlength_unit = \"m\"\nframe_rate = nan\n", &[":3", "NaN", "finite"]),
    ("no bodies", "+", &["scene.toml:1", "no bodies", "[[body]]"]),
    ("one body table", "+[body]\nname = \"a\"\n", &["scene.toml:5", "array of tables", "[[body]]"]),
    ("body of numbers", "body = [1, 2]\n[scene]\nlength_unit = \"m\"\n[query]\nwithin = 1\n", &[":1", "[[body]]"]),
];

const QUERY: &[Row] = &[
    ("no within", "[scene]\nlength_unit = \"m\"\n[query]\ntouch = 0\n+", &[":3", "`within` is missing", "--within"]),
    ("no query", "[scene]\nlength_unit = \"m\"\n+", &["scene.toml:1", "`within` is missing"]),
    ("negative", "[scene]\nlength_unit = \"m\"\n[query]\nwithin = -0.1\n+", &[":4", "`within` of [query]", "negative"]),
    ("nan", "[scene]\nlength_unit = \"m\"\n[query]\nwithin = nan\n+", &[":4", "NaN", "finite"]),
    ("inf", "[scene]\nlength_unit = \"m\"\n[query]\nwithin = inf\n+", &[":4", "inf", "finite"]),
    ("huge", "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 1e300\n+", &[":4", "beyond 1e18 m", "unit"]),
    ("too huge", "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 1e999\n+", &[":4", "`within`"]),
    ("integer", "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 99999999999999999999\n+", &[":4"]),
    ("text", "[scene]\nlength_unit = \"m\"\n[query]\nwithin = \"fast\"\n+", &[":4", "`fast` is not a length"]),
    ("truth", "[scene]\nlength_unit = \"m\"\n[query]\nwithin = true\n+", &[":4", "boolean instead of a length"]),
    ("require", "+require = 0.3\n+", &[":5", "`require`", "0.3 m", "0.2 m", "at least as large"]),
    (
        "require in mm",
        "+require = \"300mm\"\n+",
        &[":5", "`require` (300 mm)", "`within` (200 mm)", "at least as large"],
    ),
    ("binary glTF", "glTF\u{2}...", &["scene.toml", "is a binary glTF file, and no scene", "TOML"]),
    ("STEP", "\u{feff}ISO-10303-21;\n", &["scene.toml", "is a STEP or IFC file", "as `geometry`"]),
    ("touch", "+touch = -1e-9\n+", &[":5", "`touch`", "negative"]),
    ("static_pairs", "+static_pairs = 1\n+", &[":5", "`static_pairs`", "true or false"]),
    ("gjk option", "+gjk = { supports = \"scan\" }\n+", &[":5", "`supports`", "`support`"]),
    (
        "gjk sub-algorithm",
        "+gjk = { sub_algorithm = \"signed-volume\" }\n+",
        &[":5", "signed-volume", "did you mean `signed-volumes`"],
    ),
    ("gjk tolerance", "+gjk = { tolerance = 0 }\n+", &[":5", "0 is no tolerance", "1e-12"]),
    ("gjk no table", "+gjk = \"johnson\"\n+", &[":5", "`gjk`", "a table"]),
    ("hash beta", "+hash = { alpha = 0.5, beta = 2 }\n+", &[":5", "alpha = 0.5 and beta = 2", "powers of two"]),
    ("hash alpha", "+hash = { beta = 1 }\n+", &[":5", "`alpha` is missing", "give beta"]),
];

const BODIES: &[Row] = &[
    ("no name", "+[[body]]\nshape = { sphere = 1 }\n", &[":5", "`name` is missing", "[[body]] number 1"]),
    ("name empty", "+[[body]]\nname = \"\"\n", &[":6", "empty"]),
    ("same name", "++[[body]]\nname = \"good\"\nshape = { sphere = 1 }\n", &[":9", "`good`", "line 5"]),
    ("nothing", "+[[body]]\nname = \"a\"\n", &[":5", "[[body]] `a`", "neither", "geometry = "]),
    ("both", "+[[body]]\nname = \"a\"\nshape = { sphere = 1 }\ngeometry = \"a.obj\"\n", &[":7", "both", "remove one"]),
    ("key", "+[[body]]\nname = \"a\"\nofset = 1\n", &[":7", "`ofset` in [[body]] `a`", "did you mean `offset`"]),
    ("odd key", "+[[body]]\nname = \"a\"\nwavelength = 1\n", &[":7", "`wavelength`", "known here: name, geometry"]),
    (
        "offset",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { sphere = 1 }\noffset = -1\n",
        &[":9", "`offset`", "negative"],
    ),
    (
        "group type",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { sphere = 1 }\ngroup = 5\n",
        &[":9", "`group`", "list of texts"],
    ),
    (
        "group empty",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { sphere = 1 }\ngroup = [\"x\", \"\"]\n",
        &[":9", "empty"],
    ),
    (
        "static word",
        "+[[body]]\nname = \"a\"\nstatic = \"yes\"\nshape = { sphere = 1 }\n",
        &[":7", "`static`", "true or false"],
    ),
    (
        "dynamic pose",
        "+[[body]]\nname = \"a\"\nshape = { sphere = 1 }\nposition = [0, 0, 0]\n",
        &[":8", "`position`", "static = true"],
    ),
    (
        "dynamic turn",
        "+[[body]]\nname = \"a\"\nshape = { sphere = 1 }\norientation = { qw = 1 }\n",
        &[":8", "`orientation`", "dynamic"],
    ),
    (
        "position",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { sphere = 1 }\nposition = [0, 0]\n",
        &[":9", "2 values instead of 3"],
    ),
    (
        "position nan",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { sphere = 1 }\nposition = [0, nan, 0]\n",
        &[":9", "`position`", "NaN"],
    ),
    (
        "position far",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { sphere = 1 }\nposition = [0, 1e19, 0]\n",
        &[":9", "1e18"],
    ),
    (
        "norm",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { sphere = 1 }\norientation = { qw = 0.9, qx = 0, qy = 0, qz = 0 }\n",
        &[":9", "`orientation`", "norm 0.9", "unit quaternion"],
    ),
    (
        "component",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { sphere = 1 }\norientation = { qw = 1, qx = 0, qz = 0 }\n",
        &[":9", "`qy` is missing", "qw, qx, qy, qz"],
    ),
    (
        "component name",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { sphere = 1 }\norientation = { w = 1, qx = 0, qy = 0, qz = 0 }\n",
        &[":9", "`w`", "known here: qw, qx"],
    ),
    (
        "no trajectories",
        "+[[body]]\nname = \"a\"\nshape = { sphere = 1 }\n",
        &[":5", "`a` is dynamic", "trajectories = ", "--trajectories"],
    ),
    (
        "nothing moves",
        "[scene]\nlength_unit = \"m\"\ntrajectories = \"t\"\n[query]\nwithin = 1\n+",
        &[":3", "`trajectories`", "nothing moves"],
    ),
    ("trajectories type", "[scene]\nlength_unit = \"m\"\ntrajectories = [\"t\"]\n", &[":3", "`trajectories`", "text"]),
];

const SHAPES: &[Row] = &[
    ("no kind", "+[[body]]\nname = \"a\"\nstatic = true\nshape = {}\n", &[":8", "0 kinds", "box, sphere"]),
    (
        "two kinds",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { sphere = 1, box = [1,1,1] }\n",
        &[":8", "2 kinds"],
    ),
    (
        "kind",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { shere = 1 }\n",
        &[":8", "`shere`", "did you mean `sphere`"],
    ),
    ("not a table", "+[[body]]\nname = \"a\"\nstatic = true\nshape = \"box\"\n", &[":8", "`shape`", "a table"]),
    (
        "box zero",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { box = [1, 0, 1] }\n",
        &[":8", "`box`", "must be positive"],
    ),
    ("box two", "+[[body]]\nname = \"a\"\nstatic = true\nshape = { box = [1, 1] }\n", &[":8", "2 values instead of 3"]),
    (
        "box text",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { box = [1, \"one\", 1] }\n",
        &[":8", "`box`", "`one` is not a length"],
    ),
    ("box inf", "+[[body]]\nname = \"a\"\nstatic = true\nshape = { box = [1, inf, 1] }\n", &[":8", "`box`", "finite"]),
    ("sphere", "+[[body]]\nname = \"a\"\nstatic = true\nshape = { sphere = 0 }\n", &[":8", "`sphere`", "positive"]),
    (
        "sphere tiny",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { box = [1e-300, 1, 1] }\n",
        &[":8", "vertex 0", "small", "unit"],
    ),
    (
        "capsule",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { capsule = [0.1, -1] }\n",
        &[":8", "`capsule`", "negative"],
    ),
    (
        "capsule r",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { capsule = [-0.1, 1] }\n",
        &[":8", "`capsule`", "positive"],
    ),
    (
        "sides",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { cylinder = [1, 1, 2] }\n",
        &[":8", "`cylinder`", "3 to 4096"],
    ),
    (
        "sides",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { cylinder = [1, 1, 7.5] }\n",
        &[":8", "7.5", "3 to 4096"],
    ),
    ("many sides", "+[[body]]\nname = \"a\"\nstatic = true\nshape = { cylinder = [1, 1, 5000] }\n", &[":8", "5000"]),
    ("no points", "+[[body]]\nname = \"a\"\nstatic = true\nshape = { points = [] }\n", &[":8", "no points"]),
    (
        "flat points",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { points = [1, 2, 3] }\n",
        &[":8", "point 0", "[x, y, z]"],
    ),
    (
        "a point",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { points = [[1, 2, 3],\n[1, 2]] }\n",
        &[":9", "point 1", "2 values"],
    ),
    (
        "unit",
        "+[[body]]\nname = \"a\"\nstatic = true\nunit = \"mm\"\nshape = { sphere = 1 }\n",
        &[":8", "`unit`", "remove `unit`"],
    ),
    (
        "model",
        "+[[body]]\nname = \"a\"\nstatic = true\nmodel = \"mesh\"\nshape = { sphere = 1 }\n",
        &[":8", "`model`", "convex"],
    ),
];

const IGNORES: &[Row] = &[
    ("no a", "++[[ignore]]\nb = \"good\"\n", &[":9", "`a` is missing", "group:NAME"]),
    ("key", "++[[ignore]]\na = \"good\"\nc = \"good\"\n", &[":11", "`c`", "known here: a, b, same, reason"]),
    (
        "body",
        "++[[ignore]]\na = \"godo\"\n",
        &[":10", "`a` of [[ignore]] number 1", "`godo` matches no body", "`good`"],
    ),
    (
        "group",
        "++[[ignore]]\na = \"good\"\nb = \"group:hvac\"\n",
        &[":11", "key `b`", "group `hvac`", "no body has a `group`"],
    ),
    (
        "near group",
        "++[[body]]\nname = \"b\"\nstatic = true\ngroup = \"hvac\"\nshape = { sphere = 1 }\n[[ignore]]\na = \"group:hvca\"\n",
        &[":15", "group `hvca`", "did you mean `group:hvac`"],
    ),
    ("glob", "++[[ignore]]\na = \"duct*\"\n", &[":10", "`duct*` matches no body", "glob"]),
    ("itself", "++[[ignore]]\na = \"good\"\nb = \"good\"\n", &[":9", "covers no pair", "remove the rule"]),
    (
        "several",
        "++[[ignore]]\na = \"godo\"\nb = \"group:hvac\"\n",
        &["2 things are wrong", ":10, key `a` of [[ignore]] number 1", "`good`", ":11, key `b`", "group `hvac`"],
    ),
    ("type", "++[[ignore]]\na = 5\n", &[":10", "`a` of", "a text, or a list of texts"]),
    ("item", "++[[ignore]]\na = [\"good\", 5]\n", &[":10", "`a` of", "text in quotes"]),
    ("no item", "++[[ignore]]\na = []\n", &[":10", "`a` of", "list of selectors is empty", "group:NAME"]),
    (
        "one of a list",
        "++[[ignore]]\na = [\"good\", \"godo\", \"group:hvac\"]\n",
        &["2 things are wrong", ":10, key `a`", "`godo` matches no body", "group `hvac`"],
    ),
    (
        "glob of groups",
        "++[[body]]\nname = \"b\"\nstatic = true\nclass = \"IfcWall\"\nshape = { sphere = 1 }\n[[ignore]]\na = \"class:IfcS*\"\n",
        &[":15", "no class of a body fits `IfcS*`", "groups of the scene: class:IfcWall"],
    ),
    (
        "no glob of groups",
        "++[[body]]\nname = \"b\"\nstatic = true\nlevel = \"1\"\nshape = { sphere = 1 }\n[[ignore]]\na = \"group:l*\"\n",
        &[":15", "no group of a body fits `l*`", "groups of the scene"],
    ),
    ("reason", "++[[ignore]]\na = \"good\"\nreason = 5\n", &[":11", "`reason`"]),
];

const RULES: &[Row] = &[
    ("no name", "++[[rule]]\na = \"good\"\nrequire = 1\n", &[":9", "`name` is missing in [[rule]] number 1", "unique"]),
    ("no a", "++[[rule]]\nname = \"r\"\nrequire = 1\n", &[":9", "`a` is missing", "group:NAME"]),
    ("no length", "++[[rule]]\nname = \"r\"\na = \"good\"\n", &[":9", "`require` is missing", "25mm"]),
    ("key", "++[[rule]]\nname = \"r\"\na = \"good\"\nrequires = 1\n", &[":12", "`requires`", "did you mean `require`"]),
    ("blank", "++[[rule]]\nname = \" \"\na = \"good\"\nrequire = 1\n", &[":10", "name of the rule is empty"]),
    (
        "default",
        "++[[rule]]\nname = \"default\"\na = \"good\"\nrequire = 1\n",
        &[":10", "`default`", "[query]", "another"],
    ),
    (
        "twice",
        "++[[rule]]\nname = \"r\"\na = \"good\"\nrequire = 1\n[[rule]]\nname = \"r\"\na = \"*\"\nrequire = 1\n",
        &[":14", "`r` was used before, on line 10", "name of its own"],
    ),
    (
        "word",
        "++[[rule]]\nname = \"r\"\na = \"*\"\nrequire = 1\nseverity = \"majr\"\n",
        &[":13", "did you mean `major`"],
    ),
    ("length", "++[[rule]]\nname = \"r\"\na = \"*\"\nrequire = \"1 inch\"\n", &[":12", "`require`", "inch"]),
    ("note", "++[[rule]]\nname = \"r\"\na = \"*\"\nrequire = 1\nnote = 7\n", &[":13", "`note`"]),
    (
        "itself",
        "++[[rule]]\nname = \"r\"\na = \"good\"\nb = \"good\"\nrequire = 0.1\n",
        &[":9", "[[rule]] `r` covers no pair"],
    ),
    (
        "large",
        "++[[rule]]\nname = \"r\"\na = \"*\"\nrequire = \"5.5m\"\n",
        &[":12", "`require` of [[rule]] `r`", "5.5 m", "larger than `within`"],
    ),
];

/// Bodies of a geometry file: the lines behind `geometry`, what the file's name is, its bytes, and
/// the error.
type FileRow = (&'static str, &'static str, &'static [u8], &'static [&'static str]);

const TETRAHEDRON: &[u8] = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
const DENTED: &[u8] =
    b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv .1 .1 .1\nf 1 3 2\nf 1 2 4\nf 3 1 4\nf 2 3 5\nf 3 4 5\nf 4 2 5\n";
const OPEN: &[u8] = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n";
/// A triangle along a line, and one whose corners coincide.
const NO_AREA: &[u8] = b"v 0 0 0\nv 1 1 1\nv 3 3 3\nv 0 0 0\nf 1 2 3\nf 1 4 2\n";
const HALF_STL: &[u8] = b"solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n";

const FILES: &[FileRow] = &[
    (
        "",
        "part.ply",
        b"plx\n",
        &["part.ply:1", "`geometry` of [[body]] `a`", "scene.toml:8", "does not begin with `ply`"],
    ),
    ("", "part.GLB", b"glTF", &["part.GLB", "truncated"]),
    ("", "part.step", b"ISO", &["`.step`", "convert"]),
    ("", "part", b"", &["no extension"]),
    ("", "part.obj", b"", &["part.obj", "no vertices"]),
    ("", "part.obj", b"v 0 0 0\nv 1 2\n", &["part.obj:2", "2 coordinates"]),
    ("", "part.obj", b"v 0 0 0\nf 1 2 3\n", &["part.obj:2", "vertex 3", "1 vertices"]),
    ("", "part.obj", b"v 0 0 inf\n", &["part.obj:1", "vertex 1", "z coordinate inf"]),
    ("", "part.obj", b"v 0 0 1e999\n", &["part.obj:1", "vertex 1"]),
    ("", "part.obj", b"v 0 0 \xff\n", &["part.obj:1", "not a number"]),
    ("", "part.obj", b"v 0 0 0\0", &["part.obj", "not text"]),
    ("scale = 1e18\n", "part.obj", b"v 0 0 7\n", &["vertex 0", "1e18 m", "`scale`"]),
    ("", "part.obj", b"v 0 0 1e-300\n", &["vertex 0", "small", "scale"]),
    ("", "part.stl", b"", &["part.stl", "too few"]),
    ("", "part.stl", HALF_STL, &["part.stl:5", "file ends", "`endsolid`"]),
    ("", "part.stl", b"solid s\nendsolid s\n", &["no triangles"]),
    ("", "part.stl", &[7; 84], &["truncated", "84"]),
    ("model = \"pieces\"\n", "part.obj", DENTED, &["not convex", "triangle 3", "\"mesh\"", "\"piece-hulls\""]),
    ("model = \"pieces\"\n", "part.obj", OPEN, &["not convex", "close up", "\"mesh\""]),
    ("", "part.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n", &["part.obj", "no triangles", "\"hull\""]),
    ("model = \"mesh\"\n", "part.obj", b"v 0 0 0\nv 1 0 0\n", &["part.obj", "no triangles", "\"hull\""]),
    ("model = \"mesh\"\n", "part.obj", NO_AREA, &["part.obj", "none of its 2 triangles has an area", "`scale`"]),
    ("model = \"mesh\"\n", "part.obj", b"v 0 0 0\nv 1 0 0\nv 0 1e-300 0\nf 1 2 3\n", &["vertex 2", "small", "scale"]),
    ("deviation = -0.1\n", "part.obj", TETRAHEDRON, &["scene.toml:9", "`deviation`", "0 or more"]),
    ("deviation_source = \"proven\"\n", "part.obj", TETRAHEDRON, &["scene.toml:9", "no `deviation`", "\"0.1mm\""]),
    ("deviation_source = \"declared\"\n", "part.obj", TETRAHEDRON, &["scene.toml:9", "no `deviation`", "\"0.1mm\""]),
    ("deviation = 1\ndeviation_source = \"exact\"\n", "part.obj", TETRAHEDRON, &["scene.toml:10", "has a `deviation`"]),
    ("deviation_source = \"unknown\"\n", "part.obj", TETRAHEDRON, &["scene.toml:9", "exact, proven, declared"]),
    ("deviation = nan\n", "part.obj", TETRAHEDRON, &["scene.toml:9", "`deviation`", "finite"]),
    ("deviation = \"1 inch\"\n", "part.obj", TETRAHEDRON, &["scene.toml:9", "`deviation`", "inch"]),
    ("model = \"pieces\"\n", "part.obj", b"v 0 0 0\n", &["no faces", "model = \"hull\""]),
    ("model = \"hul\"\n", "part.obj", TETRAHEDRON, &["scene.toml:9", "did you mean `hull`"]),
    ("scale = 0\n", "part.obj", TETRAHEDRON, &["scene.toml:9", "`scale`", "above 0"]),
    ("scale = -1\n", "part.obj", TETRAHEDRON, &["scene.toml:9", "not positive"]),
    ("up = \"x\"\n", "part.obj", TETRAHEDRON, &["scene.toml:9", "`up`"]),
    ("unit = \"inch\"\n", "part.obj", TETRAHEDRON, &["scene.toml:9", "`unit`", "m, mm, cm, km, in, ft"]),
];

fn message(error: &Error) -> String {
    assert!(!error.place.is_empty() && !error.problem.is_empty() && !error.remedy.is_empty(), "{error:?}");
    format!("{} | {} | {}", error.place, error.problem, error.remedy)
}

fn expand(text: &str) -> String {
    let text = match text.strip_prefix("++") {
        Some(rest) => format!("{HEAD}{BODY}{rest}"),
        None => text.strip_prefix('+').map_or(text.to_owned(), |rest| format!("{HEAD}{rest}")),
    };
    text.strip_suffix('+').map_or(text.clone(), |head| format!("{head}{BODY}"))
}

/// Loads a scene of a fresh folder with some files in it.
fn load(text: &[u8], files: &[(&str, &[u8])], overrides: &SceneOverrides) -> Result<Scene, Error> {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).expect("a file");
    }
    let path = folder.path().join("scene.toml");
    fs::write(&path, text).expect("a scene");
    clearsweep_scene::load_scene(&path, overrides)
}

fn check(name: &str, result: Result<Scene, Error>, parts: &[&str]) {
    let error = result.expect_err(name);
    let text = message(&error);
    for part in parts {
        assert!(text.contains(part), "{name}: `{part}` is not in: {text}");
    }
}

#[test]
fn every_wrong_scene_has_its_message() {
    let rows = [SYNTAX, QUERY, BODIES, SHAPES, round_shapes::ROUND_SHAPES, IGNORES, RULES].concat();
    assert!(rows.len() + FILES.len() >= 100);
    for (name, text, parts) in rows {
        check(&format!("{name} {text}"), load(expand(text).as_bytes(), &[], &SceneOverrides::default()), parts);
    }
}

#[test]
fn every_wrong_geometry_file_has_its_message() {
    for &(keys, file, bytes, parts) in FILES {
        let body = format!("{HEAD}[[body]]\nname = \"a\"\nstatic = true\ngeometry = \"{file}\"\n{keys}");
        let result = load(body.as_bytes(), &[(file, bytes)], &SceneOverrides::default());
        check(&format!("{keys}{file} {}", String::from_utf8_lossy(bytes)), result, parts);
    }
}

#[test]
fn files_that_cannot_be_read_are_named_with_the_body() {
    let none = SceneOverrides::default();
    let body = |file: &str| format!("{HEAD}[[body]]\nname = \"a\"\nstatic = true\ngeometry = \"{file}\"\n");
    let parts = ["gone.obj", "[[body]] `a`", "scene.toml:8", "cannot be read", "relative to the scene file"];
    check("missing file", load(body("gone.obj").as_bytes(), &[], &none), &parts);
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("dir.obj")).expect("a directory");
    let path = folder.path().join("scene.toml");
    fs::write(&path, body("dir.obj")).expect("a scene");
    check(
        "a directory as geometry",
        clearsweep_scene::load_scene(&path, &none),
        &["dir.obj", "directory", "regular file"],
    );
    check("a directory as scene", clearsweep_scene::load_scene(folder.path(), &none), &["directory", "check the path"]);
    check(
        "no scene",
        clearsweep_scene::load_scene(&folder.path().join("no.toml"), &none),
        &["no.toml", "cannot be read"],
    );
    check("not UTF-8", load(b"[scene]\nname = \"\xff\"\n", &[], &none), &["scene.toml:2", "not UTF-8", "UTF-8"]);
}

#[test]
fn wrong_overrides_are_errors_of_usage() {
    let text = expand("+require = 0.1\n+");
    let within = |text: &str| SceneOverrides { within: Some(text.into()), ..SceneOverrides::default() };
    let require = |text: &str| SceneOverrides { require: Some(text.into()), ..SceneOverrides::default() };
    let moving = SceneOverrides { trajectories: Some("t.parquet".into()), ..SceneOverrides::default() };
    let rows: [(SceneOverrides, &[&str]); 7] = [
        (within("wide"), &["--within", "wide", "50mm"]),
        (within("5 parsec"), &["--within", "parsec", "m, mm, cm"]),
        (within("-1mm"), &["--within", "negative"]),
        (within("nan"), &["--within"]),
        (within("50mm"), &["key `require`", "0.1 m", "0.05 m"]),
        (require("1 ft"), &["--require", "(1 ft)", "(0.656167979003 ft)"]),
        (moving, &["--trajectories", "t.parquet", "nothing moves"]),
    ];
    for (overrides, parts) in rows {
        let error = load(text.as_bytes(), &[], &overrides).expect_err("a wrong override");
        assert_eq!(error.kind, ErrorKind::Usage);
        let text = message(&error);
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    }
}

#[test]
fn the_first_error_is_that_of_the_first_body_for_any_timing() {
    let mut text = HEAD.to_owned();
    for i in 0..40 {
        text += &format!("[[body]]\nname = \"b{i}\"\nstatic = true\ngeometry = \"p{}.obj\"\n", 39 - i);
    }
    let files: Vec<(String, &[u8])> =
        (0..40).map(|i| (format!("p{i}.obj"), if i < 30 { b"v 0 0\n" } else { TETRAHEDRON })).collect();
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (name.as_str(), *bytes)).collect();
    for _ in 0..20 {
        let result = load(text.as_bytes(), &files, &SceneOverrides::default());
        check("the tenth body is the first bad one", result, &["[[body]] `b10`", "p29.obj:1"]);
    }
}

/// Cuts the bytes off, overwrites some, or drops or repeats a stretch.
fn mutated(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len().max(1)).min(bytes.len());
        let end = (at + random.below(12)).min(bytes.len());
        match random.below(6) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => bytes = [&bytes[..end], &bytes[at..]].concat(),
            3 => bytes[at..end].iter_mut().for_each(|b| *b ^= 1 << random.below(8)),
            4 => bytes[at..end].iter_mut().for_each(|b| *b = b"0123456789.-enaifv /#\\\n\"[]{}="[random.below(29)]),
            _ => bytes[at..end].iter_mut().for_each(|b| *b = [0, 0xff, 0x7f, 0x80][random.below(4)]),
        }
    }
    bytes
}

#[test]
fn no_bytes_make_the_loader_panic() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = format!(
        "{HEAD}require = 0.1\ntouch = 1e-6\n{BODY}[[body]]\nname = \"b\"\nstatic = true\ngeometry = \"p.obj\"\nscale = 2.5\n\
         position = [1, 2.5, 3]\norientation = {{ qw = 0.5, qx = 0.5, qy = 0.5, qz = 0.5 }}\ngroup = [\"g\", \"h\"]\n\
         [[body]]\nname = \"c\"\nstatic = true\nshape = {{ cylinder = [1, 2, 12] }}\n[[body]]\nname = \"d\"\nstatic = true\n\
         geometry = \"p.stl\"\nmodel = \"pieces\"\n[[body]]\nname = \"e\"\nstatic = true\ngeometry = \"q.stl\"\nmodel = \"hull\"\n\
         [[ignore]]\na = \"group:g\"\nb = \"?\"\nreason = \"r\"\n"
    );
    let triangle = [0.0_f32, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.5];
    let mut binary = [&[b' '; 80][..], &2_u32.to_le_bytes()].concat();
    for _ in 0..2 {
        binary.extend(triangle.iter().flat_map(|c| c.to_le_bytes()));
        binary.extend([0, 0]);
    }
    let ascii = "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0.5\nendloop\nendfacet\nendsolid\n";
    let files: [(&str, &[u8]); 4] =
        [("scene.toml", scene.as_bytes()), ("p.obj", TETRAHEDRON), ("p.stl", ascii.as_bytes()), ("q.stl", &binary)];
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        let _ = fs::remove_file(&path); // a file system may flush one that is overwritten, which takes milliseconds
        fs::write(path, bytes).expect("a file");
    };
    files.iter().for_each(|(name, bytes)| write(name, bytes));
    let path = folder.path().join("scene.toml");
    clearsweep_scene::load_scene(&path, &SceneOverrides::default()).expect("the unchanged scene is good");
    let mut random = Random(20_260_601);
    let (mut good, mut bad) = (0, 0);
    for (name, bytes) in files {
        for _ in 0..1500 {
            write(name, &mutated(&mut random, bytes));
            match clearsweep_scene::load_scene(&path, &SceneOverrides::default()) {
                Ok(scene) => {
                    good += 1;
                    assert!(scene.bodies.iter().all(|body| body.shape.radius.is_finite()));
                }
                Err(error) => {
                    bad += 1;
                    message(&error);
                }
            }
        }
        write(name, bytes);
    }
    assert!(good > 300 && bad > 1500, "the cases are not representative: {good} good, {bad} bad");
}
