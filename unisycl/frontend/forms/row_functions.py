"""NumPy's functions of a row of memory: ``np.sum(a[i])`` is ``a[i].sum()``.

Non-goals: what they compute (``values.row_functions``), of tuples and vectors.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

import numpy as np

from unisycl.frontend.context import Context
from unisycl.frontend.form_registry import form
from unisycl.frontend.parameters import parameters
from unisycl.frontend.values import row_functions
from unisycl.frontend.values.kind import Value


def _lowering(name: str) -> Callable[[Context, ast.Call], Value]:
    def lower(ctx: Context, node: ast.Call) -> Value:
        found = parameters(ctx, node, f"numpy.{name}", ("a",), ("axis", "dtype", "out"))
        return row_functions.call(ctx, name, found.pop("a"), [], found, node)
    return lower


for _name in row_functions.METHODS:
    form(getattr(np, _name))(_lowering(_name))
form(np.amax)(_lowering("max"))
form(np.amin)(_lowering("min"))
