"""Scenes: from a file, or key by key."""

from __future__ import annotations

import os
import shutil
import threading
import weakref
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from . import _clearsweep, _options
from ._errors import Error
from ._types import Length, Lengths

#: Keys of a body that are kinds of shape, and stand in `shape` in a scene file.
_SHAPES = ("box", "sphere", "capsule", "cylinder", "cone", "ellipsoid", "dish", "torus", "rectangular_torus", "points", "pieces")

#: Keys that stand beside one of these in `shape`.
_BESIDE = ("offset_xy", "bottom_shear", "top_shear", "kind", "angle")


class Scene:
    """Bodies, rules and requirements: what ``run`` checks.

    A scene is read from a file by :meth:`load`, or built here with the names of the scene file. Lengths are numbers in
    ``unit``, or texts with a unit of their own. Keys are checked when the scene is used, by the same checks as those of a file:

    >>> import clearsweep as cs
    >>> scene = cs.Scene(unit="mm", within=500, require="50 mm")
    >>> scene = scene.add("floor", box=[4000, 4000, 200], static=True)
    >>> scene = scene.add("ball", sphere="0.1 m", group="tools")
    >>> scene.bodies
    ['floor', 'ball']
    >>> scene.moving
    ['ball']
    """

    def __init__(
        self,
        unit: str = "m",
        *,
        within: Length | None = None,
        require: Length | None = None,
        touch: Length | None = None,
        direction: Lengths | None = None,
        static_pairs: bool | None = None,
        answer: str | None = None,
        contacts: str | None = None,
        between: str | None = None,
        pivot: str | None = None,
        tolerance: Length | None = None,
        work: int | None = None,
        max_gap: int | None = None,
        max_gap_s: float | str | None = None,
        wrap: str | None = None,
        step_s: float | None = None,
        samples: int | None = None,
        gravity: tuple[float, float, float] | None = None,
        name: str | None = None,
        trajectories: str | os.PathLike[str] | None = None,
        missing: str | None = None,
        rest: str | None = None,
        frame_rate: float | None = None,
        **sections: Any,
    ) -> None:
        """An empty scene.

        Parameters
        ----------
        unit
            The unit of lengths: ``"m"``, ``"mm"``, ``"cm"``, ``"km"``, ``"in"`` or ``"ft"``.
        within
            A row is written for every pair at most this far apart.
        require
            The clearance required, at most ``within``.
        touch
            Distances from ``-touch`` to ``touch`` count as touching; a micrometre if left out.
        direction
            A vector of the world: asks how far body b of each row is along it, too.
        static_pairs
            Whether two static bodies are a pair, too.
        answer
            What is computed of a pair: ``"overlap"``, ``"distance"`` or ``"depth"``, the default.
        contacts
            ``"all"`` lists every region in which two bodies touch or overlap, in the table ``contacts``.
        between, pivot, tolerance, work, max_gap, max_gap_s, wrap, step_s, samples, gravity
            The table ``[motion]``: how bodies move between frames (``"linear"``, ``"screw"``, ``"hold"``, ``"joint"``,
            ``"spline"``, ``"ballistic"``, ``"bounded"``).
        name, trajectories, missing, rest, frame_rate
            The table ``[scene]``.
        sections
            Further tables of the scene file, as dicts.
        """
        self._path: str | None = None
        self._document: dict[str, Any] = {
            "scene": {
                "length_unit": unit,
                "name": name,
                "trajectories": trajectories,
                "missing": missing,
                "rest": rest,
                "frame_rate": frame_rate,
            },
            "query": {
                "within": within,
                "require": require,
                "touch": touch,
                "direction": direction,
                "static_pairs": static_pairs,
                "answer": answer,
                "contacts": contacts,
            },
            **sections,
        }
        motion = {
            "between": between,
            "pivot": pivot,
            "tolerance": tolerance,
            "work": work,
            "max_gap": max_gap,
            "max_gap_s": max_gap_s,
            "wrap": wrap,
            "step_s": step_s,
            "samples": samples,
            "gravity": gravity,
        }
        if any(value is not None for value in motion.values()):
            self._document["motion"] = motion
        self._loaded: dict[tuple[str | bool, ...], _clearsweep.LoadedScene] = {}
        self._lock = threading.Lock()

    @classmethod
    def load(cls, path: str | os.PathLike[str], **options: Any) -> Scene:
        """Reads a scene file and the geometry that it names.

        ``options`` are those of :func:`run` that replace keys of the file: ``within``, ``require``, ``direction``,
        ``between``, ``answer``, ``contacts``, ``max_input``.

        Raises
        ------
        Error
            The file, or one that it names, is missing or wrong.
        """
        scene = cls()
        scene._path = os.fspath(path)
        scene._preset = _options.words(options)
        try:
            scene._load({}, has_poses=False)
        except Error:
            # Without trajectories it may be run with poses alone.
            scene._load({})
        return scene

    #: Options that hold unless `run` gives others.
    _preset: Sequence[str] = ()

    @classmethod
    def from_file(
        cls,
        path: str | os.PathLike[str],
        *,
        each: str = "node",
        moving: Sequence[str] | None = None,
        up: str | None = None,
        unit: str = "m",
        include: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        model: str | None = None,
        offset: Length | None = None,
        **options: Any,
    ) -> Scene:
        """A scene of the parts of a geometry file (GLB, glTF, OBJ, STL, PLY, COLLADA, 3MF; RVM: :meth:`from_rvm`), each of them a
        body.

        ``each`` is ``"node"``, ``"object"`` or ``"component"``; ``moving`` names nodes that poses move, with all that they
        carry; ``up="y"`` turns a file that is y up, as glTF is. Other ``options`` are those of :class:`Scene`.

        >>> import clearsweep as cs
        >>> plant = cs.Scene.from_file("datasets/first-clash-check/plant.glb", up="y", unit="mm", within=200)
        >>> len(plant.bodies)
        10
        """
        scene = cls(unit, **options)
        keys = {"include": include, "exclude": exclude, "moving": moving, "model": model, "offset": offset, "up": up}
        return scene.add_file(path, each=each, **keys)

    @classmethod
    def from_ifc(
        cls,
        path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        *,
        kernel: Literal["ifclite", "ifcopenshell", "both"] = "ifclite",
        out: str | os.PathLike[str] | None = None,
        force: bool = False,
        unit: str = "mm",
        **options: Any,
    ) -> Scene:
        """A scene of the products of an IFC file, named by their GUIDs, or of several files, each a group by its name.

        Needs ``clearsweep[ifc]``; ``kernel="both"`` compares two kernels and needs ``clearsweep[ifc-both]``. The files of the scene are
        written to ``out``; without it they go with the scene. Other ``options`` are those of :class:`Scene`; without ``require`` and
        ``within`` a small overlap is allowed. A :class:`Warning` names products of which it is undecided whether the triangles are right.
        """
        return cls._converted(path, {"kernel": kernel}, (out, force, unit), options)

    @classmethod
    def from_step(
        cls,
        path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        *,
        tolerance: Length | None = None,
        out: str | os.PathLike[str] | None = None,
        force: bool = False,
        unit: str = "mm",
        **options: Any,
    ) -> Scene:
        """A scene of the parts of a STEP file, named by their paths in the assembly. Needs ``clearsweep[step]``.

        ``tolerance`` is asked of the mesher: metres, or a text such as ``"0.1mm"``, the default. ``out``, ``force`` and ``options`` are those of
        :meth:`from_ifc`.
        """
        return cls._converted(path, {"tolerance": tolerance}, (out, force, unit), options)

    @classmethod
    def _converted(
        cls,
        path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        asked: Mapping[str, Any],
        place: tuple[str | os.PathLike[str] | None, bool, str],
        options: Mapping[str, Any],
    ) -> Scene:
        from ._convert import command

        out, force, unit = place
        paths = [path] if isinstance(path, (str, os.PathLike)) else path
        folder, is_kept = command.folder_of(out, force)
        try:
            sections = command.into_folder(paths, folder, force, asked)
        except BaseException:
            if not is_kept:
                shutil.rmtree(folder.parent, ignore_errors=True)
            raise
        query = {"name": sections[0][1]["name"], **sections[1][1]}
        for key in query:
            query[key] = options.get(key, query[key])
        if "require" not in options and {"within", "answer"} & set(options):
            del query["require"]
        scene = cls(unit, **query, **{key: value for key, value in options.items() if key not in query})
        if not is_kept:
            weakref.finalize(scene, shutil.rmtree, folder.parent, ignore_errors=True)
        for section, keys in sections[2:]:
            scene._add(section, keys)
        return scene

    @classmethod
    def from_rvm(
        cls,
        path: str | os.PathLike[str],
        *,
        each: str = "group",
        attributes: str | os.PathLike[str] | None = None,
        classes: Sequence[str] | None = None,
        moving: Sequence[str] | None = None,
        unit: str = "m",
        include: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        model: str | None = None,
        offset: Length | None = None,
        **options: Any,
    ) -> Scene:
        """A scene of the items of a plant in an RVM file of AVEVA, as exact shapes.

        ``each`` is ``"group"`` or ``"primitive"``; ``attributes`` is the attribute file (left out: the ``.att`` or ``.txt`` file of
        the same name, if there is one); ``classes`` are some of ``"prim"``, ``"obst-hard"``, ``"obst-soft"`` and ``"insu"`` (left out:
        the first two). The other arguments are those of :meth:`from_file`.
        """
        scene = cls(unit, **options)
        keys = {"include": include, "exclude": exclude, "moving": moving, "model": model, "offset": offset}
        return scene.add_file(path, each=each, attributes=attributes, classes=classes, **keys)

    def _add(self, section: str, keys: Mapping[str, Any]) -> Scene:
        if self._path is not None:
            problem = "the scene is that of a file, which is not changed"
            raise _usage(self._path, problem, "add it to the file, or build the scene by `Scene(...)`")
        with self._lock:
            self._document.setdefault(section, []).append(dict(keys))
            self._loaded.clear()
        return self

    def add(
        self,
        name: str,
        *,
        box: Lengths | None = None,
        sphere: Length | None = None,
        capsule: Lengths | None = None,
        cylinder: Lengths | None = None,
        cone: Lengths | None = None,
        ellipsoid: Lengths | None = None,
        dish: Lengths | None = None,
        torus: Lengths | None = None,
        rectangular_torus: Lengths | None = None,
        points: Any = None,
        pieces: Any = None,
        geometry: str | os.PathLike[str] | None = None,
        model: str | None = None,
        static: bool | None = None,
        position: Lengths | None = None,
        orientation: Mapping[str, Any] | None = None,
        group: str | Sequence[str] | None = None,
        offset: Length | None = None,
        **keys: Any,
    ) -> Scene:
        """Adds a body, and returns the scene.

        One of ``box`` (full sides), ``sphere`` (radius), ``capsule`` (radius, length), ``cylinder`` (radius, height; with a third
        number a prism of that many sides), ``cone`` (radius below, radius above, height), ``ellipsoid`` (half axes), ``dish`` (radius,
        height; with ``kind="spherical"`` or ``"elliptical"``), ``torus`` (radius of the arc, of the tube), ``rectangular_torus`` (inner
        radius, outer radius, height; both with an ``angle`` such as ``"90deg"``), ``points`` (their hull), ``pieces`` (lists of points) and
        ``geometry`` (a file) says its form. All other ``keys`` are those of ``[[body]]`` in a scene file: ``deviation``,
        ``deviation_source``, ``matrix``, ``inside``, ``unit``, ``scale``, ``up``, ...
        """
        straight = {"box": box, "sphere": sphere, "capsule": capsule, "points": points, "pieces": pieces}
        tori = {"torus": torus, "rectangular_torus": rectangular_torus}
        shapes = {**straight, "cylinder": cylinder, "cone": cone, "ellipsoid": ellipsoid, "dish": dish, **tori}
        shape = {kind: value for kind, value in shapes.items() if value is not None}
        shape.update({key: keys.pop(key) for key in _BESIDE if shape and key in keys})
        plain = {"geometry": geometry, "model": model, "static": static, "position": position}
        more = {"orientation": orientation, "group": group, "offset": offset, "shape": shape or None}
        return self._add("body", {"name": name, **plain, **more, **keys})

    def add_file(self, path: str | os.PathLike[str], *, each: str = "node", **keys: Any) -> Scene:
        """Adds a body for each part of a geometry file; ``keys`` are those of ``[[bodies]]`` in a scene file."""
        return self._add("bodies", {"geometry": path, "each": each, **keys})

    def add_table(self, path: str | os.PathLike[str], **keys: Any) -> Scene:
        """Adds a body for each row of a table (Parquet, CSV); ``keys`` hold for all of its rows."""
        return self._add("bodies", {"table": path, **keys})

    def ignore(
        self,
        a: str | Sequence[str] | None = None,
        b: str | Sequence[str] | None = None,
        reason: str | None = None,
        *,
        same: str | None = None,
    ) -> Scene:
        """Leaves out pairs of a body of ``a`` with one of ``b`` (left out: with any).

        A selector is a name, ``group:NAME``, a glob over names, or a list of these. ``same`` is ``"parent"``, ``"level:N"`` or
        ``"component"``: only bodies below one ancestor in the tree of a file; ``a`` may be left out then.
        """
        return self._add("ignore", {"a": a, "b": b, "same": same, "reason": reason})

    def rule(
        self,
        name: str,
        a: str | Sequence[str],
        b: str | Sequence[str] | None = None,
        *,
        require: Length,
        severity: str | None = None,
        direction: Sequence[float] | None = None,
        footprint: Length | None = None,
        baseline: str | None = None,
        worse_by: Length | None = None,
        note: str | None = None,
    ) -> Scene:
        """Requires another clearance of pairs of a body of ``a`` with one of ``b`` (left out: with any).

        The first rule that matches a pair counts; ``require`` of the scene holds for pairs that none matches. A negative
        clearance allows an overlap up to that depth. ``severity`` is "info", "minor", "major" or "critical".
        With a ``direction`` the length is required that bodies of ``a`` are free to move along it until they, grown by
        ``footprint`` across it, touch the others.
        ``baseline`` is "rest", "first" or "frame:N": a pair that is nearer than required there counts only where it is
        nearer than it was there by more than ``worse_by``.

        >>> import clearsweep as cs
        >>> scene = cs.Scene(unit="mm", require=10)
        >>> scene = scene.rule("pipes-steel", "group:pipes", "group:steel", require="25mm", severity="critical")
        """
        of_length = {"direction": direction, "footprint": footprint, "baseline": baseline, "worse_by": worse_by}
        keys = {"name": name, "a": a, "b": b, "require": require, "severity": severity, "note": note, **of_length}
        return self._add("rule", keys)

    def joint(self, name: str, type: str, child: str, **keys: Any) -> Scene:
        """Adds a joint: ``type`` is "revolute", "continuous", "prismatic", "screw" or "fixed", and ``child`` is the body that it moves.

        ``keys`` are those of ``[[joint]]`` in a scene file: ``parent``, ``axis``, ``origin``, ``range``, ``pitch``, ``mimic``. Angles are texts
        with their unit, such as "90deg".

        >>> import clearsweep as cs
        >>> scene = cs.Scene(unit="mm", within=50).add("wall", box=[10, 600, 600], position=[500, 0, 0], static=True)
        >>> scene = scene.add("door", box=[400, 20, 600], position=[200, 0, 0])
        >>> scene = scene.joint("hinge", "revolute", "door", axis=[0, 0, 1], range=["0deg", "90deg"]).sweep(steps=30)
        >>> cs.run(scene, progress=False).verdict
        'nothing required'
        """
        return self._add("joint", {"name": name, "type": type, "child": child, **keys})

    def sweep(self, joints: Sequence[str] | None = None, *, path: str | None = None, steps: int | None = None) -> Scene:
        """Moves joints (left out: all that have a range) over their ranges: ``path`` is "together", "one-by-one" or "grid"."""
        return self._add("sweep", {"joints": joints, "path": path, "steps": steps})

    def robot(
        self,
        *,
        urdf: str | os.PathLike[str] | None = None,
        mjcf: str | os.PathLike[str] | None = None,
        srdf: str | os.PathLike[str] | None = None,
        name: str | None = None,
        **keys: Any,
    ) -> Scene:
        """Adds the links of a robot as bodies ``NAME/LINK``, and its joints ``NAME/JOINT``.

        ``keys`` are those of ``[[robot]]`` in a scene file: ``position``, ``orientation``, ``packages``, ``model``, ``adjacent``, ``limits``.
        """
        return self._add("robot", {"urdf": urdf, "mjcf": mjcf, "srdf": srdf, "name": name, **keys})

    def to_toml(self) -> str:
        """The text of a scene file with the same contents."""
        if self._path is not None:
            with open(self._path, encoding="utf-8-sig") as file:
                return file.read()
        return _clearsweep.document_text(self._document)

    def _load(self, options: Mapping[str, object], *, has_poses: bool = True) -> _clearsweep.LoadedScene:
        """The scene, checked and built; kept for the next time. A scene file need not name trajectories if poses are handed over."""
        given = {name: options[name] for name in _options.SCENE if options.get(name) is not None}
        words = [word for word in self._preset if word[2:].partition("=")[0].replace("-", "_") not in given]
        words += _options.words(given)
        key = (*words, has_poses)
        with self._lock:
            # One that names them serves as well.
            loaded = self._loaded.get((*words, False)) or self._loaded.get(key)
        if loaded is None:
            if self._path is None:
                loaded = _clearsweep.build_scene(self._document, words)
            else:
                loaded = _clearsweep.load_scene(self._path, words, has_poses)
            with self._lock:
                self._loaded[key] = loaded
        return loaded

    @property
    def name(self) -> str:
        """Its name."""
        return self._load({}).name

    @property
    def unit(self) -> str:
        """The unit of its lengths."""
        return self._load({}).unit

    @property
    def bodies(self) -> list[str]:
        """The names of its bodies, in the order of their indices."""
        return self._load({}).bodies

    @property
    def moving(self) -> list[str]:
        """The names of the bodies that poses move."""
        return self._load({}).moving

    def __repr__(self) -> str:
        return f"<clearsweep.Scene {self._path or 'in code'}>"


def _usage(place: str, problem: str, help: str) -> Exception:
    from ._errors import Error

    return Error("usage", None, place, problem, help)
