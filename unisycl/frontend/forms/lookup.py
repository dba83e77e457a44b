"""The forms of all functions that kernels may call: the modules that register them, and a question.

Non-goals: registering (``form_registry``). Invariant: whoever can ask has every form, for this
module imports each that has one.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from unisycl.frontend.captures import GETTERS
from unisycl.frontend.form_registry import Lower, registered
from unisycl.frontend.forms import (
    arrays,
    atomic_places,
    enqueue,
    fragments,
    geometric,
    group_products,
    groups,
    hardware,
    iterations,
    math_functions,
    matrices,
    numpy_functions,
    object_functions,
    output,
    row_functions,
    special,
    targets,
    textures,
    tiles,
)
from unisycl.frontend.syntax import chosen_functions
from unisycl.frontend.values import pointers, vector_operators

MODULES: tuple[ModuleType, ...] = (
    atomic_places, enqueue, fragments, geometric, group_products, groups, hardware, iterations,
    math_functions,
    matrices, numpy_functions, object_functions, output, row_functions, special, targets, textures,
    tiles, arrays,
    chosen_functions, pointers, vector_operators)
"""Every module with a form; one more is one more line."""


def form_of(function: Any) -> Lower | None:
    """Return the lowering of calls of a function that has a meaning of its own in kernels."""
    return iterations.got if isinstance(function, GETTERS) else registered(function)


__all__ = ["MODULES", "form_of"]
