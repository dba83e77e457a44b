"""unisycl: SYCL for Python.

Kernels are ordinary Python functions; they run on the CPU at SIMD speed, and unchanged as plain
Python on a host device where a debugger can step. Names are SYCL 2020's.

Importing this package does no work: each name is loaded when it is first used, and no compiler or
driver is opened before a device is asked for. ``from unisycl import *`` leaves out what would hide
Python's own names, such as ``range`` and ``min``: write ``import unisycl as sycl`` for these.
"""

from __future__ import annotations

import builtins
import importlib
from typing import Any

from unisycl import public_names
from unisycl.base import start_folder as _start  # noqa: F401 - notes the folder we are in
from unisycl.process import forking

__version__ = "0.1.0"

_HOMES: dict[str, str] = {
    name: home for home, names in public_names.NAMES.items() for name in names.split()}


def _load(name: str) -> Any:
    """Load a public name on its first use."""
    if name == "__all__":
        return sorted(public_names.homes().keys() - vars(builtins).keys())
    if name.startswith("_"):
        raise AttributeError(f"module 'unisycl' has no attribute '{name}'")
    if name in public_names.PACKAGES:
        return importlib.import_module(f"unisycl.{name}")
    home = _HOMES.get(name) or public_names.homes().get(name)
    if home is None and _is_backend(name):
        return 1
    if home is None:
        raise AttributeError(f"module 'unisycl' has no attribute '{name}'{_hint(name)}")
    value = getattr(importlib.import_module(f"unisycl.{home}"), name)
    globals()[name] = value
    return value


def _is_backend(name: str) -> bool:
    """Say whether a name is SYCL's constant of a backend there is (SYCL 2020 §4.1)."""
    word = name.removeprefix("SYCL_BACKEND_")
    if word == name or not word.isupper():
        return False
    return word.lower() in importlib.import_module("unisycl.backends.registry").BACKENDS


forking.watch()

__getattr__ = _load  # type checkers read __init__.pyi, which knows no other names


def _hint(name: str) -> str:
    """Return the public name a misspelt one may mean."""
    other = importlib.import_module("unisycl.base.other_names").advice(name)
    if other:
        return f"; {other}"
    difflib = importlib.import_module("difflib")
    close = difflib.get_close_matches(name, public_names.homes(), n=1)
    return f"; did you mean '{close[0]}'?" if close else ""


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted([*public_names.homes(), *public_names.PACKAGES, "__version__"])
