//! Round shapes that are none.

use super::Row;

pub(super) const ROUND_SHAPES: &[Row] = &[
    (
        "cylinder two",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { cylinder = [1, -1] }\n",
        &[":8", "`cylinder`", "positive"],
    ),
    (
        "cylinder one",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { cylinder = [1] }\n",
        &[":8", "1 value instead of 2", "[radius, height]"],
    ),
    ("cone", "+[[body]]\nname = \"a\"\nstatic = true\nshape = { cone = [0, 0, 1] }\n", &[":8", "both radii are 0"]),
    (
        "cone ends",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { cone = [1, 1, 0.5], top_shear = [\"45deg\", 0] }\n",
        &[":8", "meet inside of the body"],
    ),
    (
        "cone shear",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { cone = [1, 1, 5], bottom_shear = [\"90deg\", 0] }\n",
        &[":8", "a shear is 90 degrees"],
    ),
    (
        "cone angle",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { cone = [1, 1, 5], bottom_shear = [\"much\", 0] }\n",
        &[":8", "`much` is not an angle"],
    ),
    (
        "beside",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { cylinder = [1, 2], angle = 90 }\n",
        &[":8", "`angle`", "unknown key"],
    ),
    ("dish", "+[[body]]\nname = \"a\"\nstatic = true\nshape = { dish = [1, 1] }\n", &[":8", "`kind`", "spherical"]),
    (
        "dish kind",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { dish = [1, 1], kind = \"sperical\" }\n",
        &[":8", "`sperical`", "did you mean `spherical`"],
    ),
    (
        "torus",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { torus = [1, 2] }\n",
        &[":8", "the radius of the tube", "larger"],
    ),
    (
        "torus angle",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { torus = [2, 1], angle = \"361deg\" }\n",
        &[":8", "361 degrees", "360deg"],
    ),
    (
        "torus no angle",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { torus = [2, 1], angle = 0 }\n",
        &[":8", "0 degrees"],
    ),
    (
        "duct",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { rectangular_torus = [2, 1, 1] }\n",
        &[":8", "inner radius", "not less"],
    ),
    (
        "ellipsoid",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { ellipsoid = [1, 0, 1] }\n",
        &[":8", "`ellipsoid`", "positive"],
    ),
    (
        "thin",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { ellipsoid = [1e-300, 1, 1] }\n",
        &[":8", "small", "unit"],
    ),
    (
        "matrix",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { sphere = 1 }\nmatrix = [[1, 0, 0], [0, 1, 0], [1, 1, 0]]\n",
        &[":9", "singular"],
    ),
    (
        "matrix rows",
        "+[[body]]\nname = \"a\"\nstatic = true\nshape = { sphere = 1 }\nmatrix = [[1, 0, 0], [0, 1, 0]]\n",
        &[":9", "2 values instead of 3"],
    ),
    (
        "matrix file",
        "+[[body]]\nname = \"a\"\nstatic = true\ngeometry = \"x.obj\"\nmatrix = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\n",
        &["`matrix`", "geometry"],
    ),
    (
        "matrix parts",
        "+[[body]]\nname = \"a\"\nstatic = true\nparts = [{ sphere = 1 }]\nmatrix = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\n",
        &[":9", "each part"],
    ),
];
