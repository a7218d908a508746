"""clearsweep: clashes and clearances of many moving bodies, with proven distances.

>>> import clearsweep as cs
>>> result = cs.run("datasets/contact/scene.toml", progress=False)
>>> result.verdict
'violated'

`run` computes, `stream` hands rows on as they come, `pair` and `distance` answer two bodies, `check` looks for faults of the input.
The program ``clearsweep`` comes with the module: ``python -m clearsweep``.
"""

from ._clearsweep import VERSION as __version__
from ._commands import accept, audit, convert, diff, export, generate, sort, summary
from ._divided import merge, plan, run_shard, verify
from ._errors import Error, Warning
from ._pair import Pair, distance, pair
from ._result import Probability, Result, Table
from ._run import RowStream, check, run, stream
from ._scene import Scene
from ._splines import spline_pieces

__all__ = [
    "Error",
    "Pair",
    "Probability",
    "Result",
    "RowStream",
    "Scene",
    "Table",
    "Warning",
    "__version__",
    "accept",
    "audit",
    "check",
    "convert",
    "diff",
    "distance",
    "export",
    "generate",
    "merge",
    "pair",
    "plan",
    "run",
    "run_shard",
    "sort",
    "spline_pieces",
    "stream",
    "summary",
    "verify",
]
