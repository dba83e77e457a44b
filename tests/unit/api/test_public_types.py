"""What type checkers are shown of memory and command groups is what programs get."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unisycl as sycl

TREE = ast.parse((Path(sycl.__file__).parent / "api" / "public_types.pyi").read_text("utf-8"))
CLASSES = {node.name: node for node in TREE.body if isinstance(node, ast.ClassDef)}
SHOWN = sorted(name for name in CLASSES if not name.startswith("_"))
IN_KERNELS = {("local_accessor", "get_multi_ptr"), ("local_accessor", "get_pointer")}
"""What only the object in a kernel has."""
INTERNAL = {
    "handler": "abandon add_access add_dependency alive blocks channel channels check_alive "
               "check_free command fences finish hint launch note_use recorded remember "
               "second set_command take turns used users",
    "buffer": "region", "host_accessor": "buffer",
    "accessor": "bind bound_window buffer from_start is_ranged join lasting on_host open rejoin "
                "shut still used_by whole",
    "local_accessor": "bind lasting still used_by",
    "usm_pointer": "bind block bound lasting offset still used_by",
}
"""Members of each class that are our own and shown to nobody."""


def members(name: str) -> dict[str, list[ast.stmt]]:
    """Return the members that a class is shown with, those of its bases, too."""
    node, found = CLASSES[name], {}
    for base in reversed(node.bases):
        known = base.value if isinstance(base, ast.Subscript) else base
        if isinstance(known, ast.Name) and known.id in CLASSES:
            found.update(members(known.id))
    own: dict[str, list[ast.stmt]] = {}
    for item in node.body:
        if isinstance(item, ast.FunctionDef):
            own.setdefault(item.name, []).append(item)
        elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            own[item.target.id] = [item]
    return {**found, **own}


@pytest.mark.parametrize("name", SHOWN)
def test_members_shown_are_those_that_exist(name: str) -> None:
    real = {n for n in dir(getattr(sycl, name)) if not n.startswith("_")}
    shown = {n for n in members(name) if not n.startswith("_") and (name, n) not in IN_KERNELS}
    assert shown == real - set(INTERNAL[name].split())


@pytest.mark.parametrize("name", SHOWN)
def test_documentation_shown_is_that_of_the_class(name: str) -> None:
    wrong = []
    for member, items in members(name).items():
        text = [ast.get_docstring(x) for x in items if isinstance(x, ast.FunctionDef)]
        said = next((x for x in text if x), None)
        real = inspect.getdoc(inspect.getattr_static(getattr(sycl, name), member, None))
        if said and real and not member.startswith("_") and (name, member) not in IN_KERNELS and \
                said.splitlines()[0] != real.splitlines()[0] and member not in (
                    "dtype", "shape", "size", "byte_size", "empty"):
            wrong.append((member, said, real))
    assert wrong == []


def parameters(items: list[Any]) -> set[str]:
    """Return the names of parameters that can be given by name."""
    return {a.arg for x in items for a in (*x.args.args, *x.args.kwonlyargs)} - {"self"}


@pytest.mark.parametrize("name", SHOWN)
def test_parameters_shown_are_those_that_exist(name: str) -> None:
    wrong = []
    for member, items in members(name).items():
        real = getattr(getattr(sycl, name), member, None)
        if member.startswith("__") or (name, member) in IN_KERNELS or not inspect.isfunction(real):
            continue
        have = set(inspect.signature(real).parameters)
        wrong += [(member, x) for x in parameters(items) - have]
    assert [x for x in wrong if x not in {("get_multi_ptr", "form"), ("get_pointer", "form")}] == []


def test_types_of_memory_can_be_written_in_annotations() -> None:
    for kind in (sycl.buffer, sycl.accessor, sycl.local_accessor, sycl.host_accessor,
                 sycl.usm_pointer):
        assert kind[np.float32].__origin__ is kind


def test_a_star_import_hides_no_name_of_python() -> None:
    names: dict[str, Any] = {}
    exec("from unisycl import *", names)  # noqa: S102 - the statement is what is tested
    assert {"range", "min", "max", "abs", "id", "property"} & names.keys() == set()
    assert {"queue", "buffer", "sqrt", "malloc_shared"} <= names.keys()
