"""Every function that kernels may name has a meaning there, or is refused with a way out."""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import unisycl
from tests.unit.frontend.lowering import lower
from unisycl import lang, public_names
from unisycl.api.pipes.pipe import pipe
from unisycl.base.errors import KernelError
from unisycl.frontend.form_registry import FORMS, form, in_kernel_language
from unisycl.frontend.forms.builtins import builtin_row
from unisycl.frontend.forms.lookup import MODULES, form_of
from unisycl.lang.groups.group_functions import group_barrier
from unisycl.lang.kernels.foreign_functions import extern_function
from unisycl.lang.khr import khr
from unisycl.lang.memory.pointer import pointer_type
from unisycl.lang.memory.stored_pointers import pointer_class
from unisycl.lang.numbers.elements import elements_type
from unisycl.lang.numbers.function_objects import function_object

_VALUES = (elements_type, extern_function, function_object, pointer_class, pointer_type)
a = np.zeros(8, np.float32)


def _modules() -> list[ModuleType]:
    return [importlib.import_module(m.name) for m in pkgutil.walk_packages(
        lang.__path__, "unisycl.lang.") if not m.ispkg]


def _public() -> dict[str, Any]:
    """Return what programs can name of ``lang``: public names, and those that extensions have."""
    found = {name: getattr(unisycl, name) for name, home in public_names.homes().items()
             if home.startswith("lang.")}
    found |= {f"khr.{name}": getattr(khr, name) for name in dir(khr) if name[0] != "_"}
    for room in ("ext", "khr"):
        for m in pkgutil.walk_packages(
                importlib.import_module(f"unisycl.{room}").__path__, f"unisycl.{room}."):
            module = importlib.import_module(m.name)
            for name, thing in vars(module).items():
                if (getattr(thing, "__module__", "") or "").startswith("unisycl.lang."):
                    found[f"{m.name}.{name}"] = thing
    return {name: thing for name, thing in found.items() if callable(thing)}


def _has_meaning(thing: Any) -> bool:
    """Say whether calls of something are lowered, or compiled as those of the user's own."""
    return form_of(thing) is not None or builtin_row(thing) is not None \
        or isinstance(thing, _VALUES) \
        or "__kernel_language__" in vars(sys.modules[thing.__module__])


def test_each_public_function_has_a_meaning_or_is_refused_with_a_way_out() -> None:
    wrong, refused = [], []
    for name, thing in sorted(_public().items()):
        if _has_meaning(thing):
            continue

        def kernel(i, thing=thing):
            a[i] = thing()
        refused.append(name)
        try:
            lower(kernel)
        except KernelError as error:
            wrong += [f"{name}: {d.id} has no help" for d in error.diagnostics if not d.help]
        else:
            wrong.append(f"{name} is accepted, nobody knows why")
    assert wrong == []
    assert {"kernel", "SYCL_EXTERNAL", "is_device_copyable", "reducer", "nd_item"} <= set(refused)


def test_the_modules_with_forms_are_those_that_the_lookup_imports() -> None:
    known = {m.__name__ for m in MODULES}
    root = Path(unisycl.__file__).parent
    assert known == {".".join(("unisycl", *path.relative_to(root).with_suffix("").parts))
                     for path in root.rglob("*.py")
                     if re.search(r"^@?form\(", path.read_text(encoding="utf-8"), re.MULTILINE)}
    makers = {lower.__module__ for _, lower in FORMS.values()}
    assert makers == known


def test_a_function_has_one_form() -> None:
    with pytest.raises(AssertionError, match="has a form"):
        form(min)(lambda ctx, node: ctx.value(node))


def test_a_form_is_found_by_the_function_and_not_by_its_name() -> None:
    @functools.wraps(min)
    def smallest(x: Any, y: Any) -> Any:
        return min(x, y)
    assert form_of(min) is not None
    assert form_of(smallest) is None
    assert form_of(np.bitwise_not) is form_of(np.invert) is not None
    assert form_of(list[int]) is form_of(list) is not None
    assert form_of([]) is None


def test_functions_of_marked_modules_are_written_in_the_kernel_language() -> None:
    marked = [m for m in _modules() if hasattr(m, "__kernel_language__")]
    assert {m.__name__ for m in marked} >= {
        "unisycl.lang.library.sorting", "unisycl.lang.groups.masks", "unisycl.lang.khr"}
    for module in marked:
        own = [f for _, f in inspect.getmembers(module, inspect.isfunction)
               if f.__module__ == module.__name__]
        assert own or inspect.getmembers(module, inspect.isclass), module
        assert all(map(in_kernel_language, own)), module
    assert in_kernel_language(pipe.read)
    assert not in_kernel_language(group_barrier)
    assert not in_kernel_language(_modules)
    assert not in_kernel_language(inspect.isfunction)
