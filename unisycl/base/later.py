"""Modules that are imported when something of them is first needed.

What compiles a kernel is most of unisycl, and a process whose kernels are in the cache needs none
of it. At such a seam a module names the other one for type checkers, under ``TYPE_CHECKING``, where
the rules about imports see it, and holds a ``Later`` when it runs. Non-goals: names that programs
use (``unisycl.__getattr__``). Invariant: a name that was asked for once is a plain attribute.
"""

from __future__ import annotations

import importlib
from typing import Any


class Later:
    """Stands for a module until one of its names is asked for."""

    def __init__(self, name: str) -> None:
        self._module = name

    def __getattr__(self, name: str) -> Any:
        """Import the module and return what it calls ``name``."""
        if name.startswith("__"):  # asked by tools that look at any object
            raise AttributeError(name)
        return getattr(importlib.import_module(self._module), name)
