"""Lowering for tests: from a function to its kernel, and to the ids of what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from unisycl.base.errors import KernelError
from unisycl.frontend.specialize import specialize
from unisycl.ir import nodes as n
from unisycl.ir import visit


def lower(function: Callable[..., Any], kind: str = "range", ndim: int = 1,
          arguments: tuple[Any, ...] = (), **more: Any) -> n.Kernel:
    """Return the kernel of a function."""
    return specialize(function, kind, ndim, arguments, **more).kernel


def problems(function: Callable[..., Any], kind: str = "range", ndim: int = 1,
             arguments: tuple[Any, ...] = (), **more: Any) -> list[str]:
    """Return the ids of a function's diagnostics."""
    with pytest.raises(KernelError) as caught:
        specialize(function, kind, ndim, arguments, **more)
    return [d.id for d in caught.value.diagnostics]


def found(kernel: n.Kernel, kind: type) -> list[Any]:
    """Return the statements or expressions of a class in a kernel, in order."""
    if issubclass(kind, n.Stmt):
        return [s for s in visit.statements(kernel.body) if isinstance(s, kind)]
    return [e for e in visit.all_expressions(kernel.body) if isinstance(e, kind)]
