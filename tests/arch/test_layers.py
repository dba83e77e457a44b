"""Who may import whom: the rooms of docs/dev/architecture.md, and what they take from outside."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable

from tests.arch.budget import BUDGET
from tests.arch.cycles import circles
from tests.arch.sources import PACKAGE, ROOT, Import, imports_of, package_sources

# room -> what it may import besides itself. "" is the public package itself (unisycl/__init__.py).
ROOMS: dict[str, set[str]] = {
    "base": set(),
    "process": {"base"},
    "ir": {"base"},
    "lang": {"base", "process", "ir"},
    "passes": {"base", "ir"},
    "frontend": {"base", "process", "ir", "lang", "passes.pipeline", "passes.looking"},
    "backends.native_objects": {"base"},
    "backends.base": {"base", "ir", "backends.native_objects"},
    "backends.registry": {"base", "process", "ir", "backends.base"},
    "backends.*": {"base", "process", "ir", "passes", "backends.base", "backends.native_objects",
                   "backends.strided", "backends.reports", "backends.footprints"},
    "backends.device": {"base", "process", "ir", "passes", "backends.base", "backends.reports",
                        "backends.cfamily"},
    "backends.opencl": {"base", "process", "ir", "passes", "backends.base",
                        "backends.native_objects", "backends.strided", "backends.reports",
                        "backends.cfamily", "backends.device"},
    "backends.cuda": {"base", "process", "ir", "passes", "backends.base",
                      "backends.native_objects", "backends.strided", "backends.reports",
                      "backends.children", "backends.cfamily", "backends.device"},
    "backends.host": {"base", "process", "ir", "passes", "backends.base",
                      "backends.native_objects", "backends.footprints", "lang", "frontend.source"},
    "runtime": {"base", "process", "ir", "frontend.specialize", "frontend.specialized",
                "passes.pipeline", "passes.looking", "backends.base",
                "backends.registry", "backends.footprints", "backends.children"},
    "observe": {"base", "ir", "frontend.specialize", "backends.base", "runtime"},
    "api": {"base", "process", "ir.types", "lang", "runtime", "observe"},
    "public_names": set(),
    "ranks": {"base", "process", "lang", "runtime", "observe", "api"},
    "ext": {"base", "api", "lang", "ranks", "frontend.results"},
    "khr": {"base", "api", "lang", "public_names"},
    "compat12": {"base", "ir.types", "lang", "api", "runtime"},
    "oneapi": {"", "base.tracebacks", "ranks.links"},
    "testing": {""},
    "examples": {"", "ext", "oneapi"},
}
# room -> its folders, from the lowest up: each imports itself and those before it
FOLDERS: dict[str, tuple[str, ...]] = {
    "lang": ("index", "numbers", "groups", "memory", "kernels", "library"),
    "passes": ("simd", "shared", "interior", "checks", "clike"),
    "frontend": ("values", "syntax", "forms"),
    "backends.cpu": ("compile", "checks", "emit", "maths", "pool", "explain"),
    "backends.cuda": ("discovery", "text", "commands", "memory", "interop", "launch"),
    "backends.opencl": ("discovery", "text", "memory", "launch", "interop"),
    "runtime": ("threads", "devices", "graph", "memory", "launch", "recorded"),
    "api": ("devices", "bundles", "memory", "images", "queue", "graphs", "interop", "pipes"),
    "oneapi": ("frame", "ccl", "dpl", "mkl", "dnn", "tbb", "dal", "vpl"),
    "ranks": ("links", "graph", "network", "queue"),
}
FLAT = ("ir", "ext", "examples")  # their folders do not know one another
LAZY = ("", "backends.registry")  # load by their nature what is asked for
FREE = {"", "__main__", "tools"}  # may import any room; nothing imports tools

# third-party package -> the only places that may import it
OUTSIDE: dict[str, tuple[str, ...]] = {
    "numpy": ("",),
    "pyopencl": ("backends.opencl",),
    "llvmlite": ("backends.cpu", "tools"),
    "matplotlib": ("examples",),
    "PIL": ("examples",),
    "scipy": ("examples", "oneapi.mkl.providers"),
    "pytest": ("testing",),
    "av": ("oneapi.vpl",),
    "sklearn": ("oneapi.dal.estimators", "oneapi.dal.providers"),
    "dask": ("examples",),
    "ray": ("examples",),
    "mpi4py": ("ranks.links.mpi_calls",),
    "h5py": ("ranks.queue.files",),
    "zarr": ("ranks.queue.files",),
}
STANDARD = sys.stdlib_module_names | {"annotationlib"}  # of Python 3.14
# ctypes and other doors out of Python; capsules are C, and so is the mode of its arithmetic
NATIVE = ("backends", "tools", "api.memory.dlpack", "process.float_mode", "oneapi.frame.library",
          "oneapi.frame.native", "oneapi.mkl.providers", "oneapi.dnn.providers", "ranks.links.nccl",
          "ranks.links.oneccl", "ranks.links.gpu_aware")

# names that appear only in the folder of the backend they belong to, and where else by its nature:
# the registry that lists backends, and enumerations and constants that specifications define
VENDOR_WORDS = {"cuda": ("backends.cuda", "backends.opencl"), "opencl": ("backends.opencl",),
                "pocl": ("backends.opencl",), "nvidia": ("backends.cuda", "backends.opencl")}
VENDOR_PLACES = ("backends.registry", "base.enums", "base.features", "lang.kernels.opencl",
                 "api.interop.opencl", "public_names", "oneapi.frame.table",
                 "oneapi.frame.native", "oneapi.mkl.providers", "oneapi.dnn.providers.cudnn",
                 "ranks.links.nccl", "ranks.links.gpu_aware")


def room_of(module: str) -> str:
    """Return the room that a module of the package belongs to."""
    first, _, rest = module.partition(".")
    if first != "backends" or not rest:
        return first
    return f"backends.{rest.split('.')[0]}"


def allowed(room: str) -> set[str] | None:
    """Return what a room may import; None if it is unknown."""
    if room in ROOMS:
        return ROOMS[room]
    return ROOMS["backends.*"] if room.startswith("backends.") else None


def inside(module: str, places: Iterable[str]) -> bool:
    """Say whether a module lies in one of the places."""
    return any(p == "" or module == p or module.startswith(f"{p}.") for p in places)


def ours(found: Import) -> str | None:
    """Return the imported module's name below the package; None if it is not ours."""
    if found.target == PACKAGE:
        return ""
    prefix = f"{PACKAGE}."
    return found.target.removeprefix(prefix) if found.target.startswith(prefix) else None


def may_import(room: str, target: str) -> bool:
    """Say whether a room may import a module of ours."""
    if room in FREE or room_of(target) == room:
        return True
    places = allowed(room) or set()
    if target == "":
        return "" in places
    return inside(target, places - {""})


def test_every_room_is_in_the_table() -> None:
    wrong = [f"{s.name}: '{room}'" for s in package_sources() if (room := room_of(s.module))
             not in FREE and s.module != "backends" and allowed(room) is None]
    assert wrong == []


def test_a_room_imports_only_what_it_may() -> None:
    wrong = [f"{s.name}:{i.line} imports {i.target}" for s in package_sources()
             for i in imports_of(s)
             if (target := ours(i)) is not None and not may_import(room_of(s.module), target)]
    assert wrong == []


def test_foreign_modules_are_imported_where_they_may() -> None:
    wrong = []
    for source in package_sources():
        for found in imports_of(source):
            top = found.target.split(".")[0]
            if top == "ctypes" and not inside(source.module, NATIVE):
                wrong.append(f"{source.name}:{found.line} imports ctypes")
            if top == PACKAGE or top in STANDARD:
                continue
            if top not in OUTSIDE or not inside(source.module, OUTSIDE[top]):
                wrong.append(f"{source.name}:{found.line} imports {top}")
    assert wrong == []


def test_no_import_inside_a_function() -> None:
    wrong = [f"{s.name}:{i.line} imports {i.target}" for s in package_sources()
             if s.module not in LAZY for i in imports_of(s)
             if i.late and i.target.split(".")[0] not in OUTSIDE]
    assert wrong == []


def edges_between_modules(*, typing_only: bool) -> dict[str, set[str]]:
    """Return which module imports which of ours; those for types only where they are asked for."""
    return {s.module: {t for i in imports_of(s) if not i.late and (typing_only or not i.typing_only)
                       and (t := ours(i)) is not None and t != s.module}
            for s in package_sources()}


def test_imports_have_no_cycles() -> None:
    assert circles(edges_between_modules(typing_only=False)) == []


def test_imports_for_types_have_no_cycles_but_those_that_are_known() -> None:
    known = sorted(tuple(e["modules"]) for e in BUDGET.get("cycle", ()))
    assert circles(edges_between_modules(typing_only=True)) == known


def sub_room(module: str) -> tuple[str, str] | None:
    """Return the room and the folder in it that a module lies in; None of one in no folder."""
    parts = module.split(".")
    depth = 2 if parts[0] == "backends" else 1
    inner = ROOT.joinpath(PACKAGE, *parts[:depth + 1])
    return (".".join(parts[:depth]), parts[depth]) if inner.is_dir() and parts[depth:] else None


def test_the_folders_of_a_room_import_downwards() -> None:
    against: dict[str, int] = {}
    for module, targets in edges_between_modules(typing_only=True).items():
        at = sub_room(module)
        for target in targets:
            to = sub_room(target)
            if at and to and at[0] == to[0] and at[0] in FOLDERS:
                order = FOLDERS[at[0]]
                if order.index(at[1]) < order.index(to[1]):
                    way = f"{at[0]}: {at[1]} -> {to[1]}"
                    against[way] = against.get(way, 0) + 1
    assert against == {e["way"]: e["imports"] for e in BUDGET["against"]}


def test_every_folder_of_a_room_has_its_place() -> None:
    found: dict[str, set[str]] = {}
    for source in package_sources():
        at = sub_room(source.module)
        if at and at[0] not in FLAT:
            found.setdefault(at[0], set()).add(at[1])
    assert found == {room: set(order) for room, order in FOLDERS.items()}


def words_of(tree: ast.Module) -> Iterable[tuple[str, int]]:
    """Yield the identifiers and string constants of a file that are not docstrings."""
    docstrings = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Name | ast.Attribute):
            yield (node.id if isinstance(node, ast.Name) else node.attr), line
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name, line
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) not in docstrings:
                yield node.value, line


def test_no_vendor_word_outside_its_folder() -> None:
    wrong = [f"{s.name}:{line} says '{vendor}'" for s in package_sources()
             if s.module != "" and not inside(s.module, VENDOR_PLACES)
             for word, line in words_of(s.tree) for vendor, places in VENDOR_WORDS.items()
             if vendor in word.lower() and not inside(s.module, places)]
    assert wrong == []


def test_every_module_says_what_it_is() -> None:
    assert [s.name for s in package_sources() if not ast.get_docstring(s.tree)] == []
