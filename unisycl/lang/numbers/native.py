"""``unisycl.native``: float32 functions that are fast and rough (SYCL 2020 §4.17.6).

Non-goals: meanings; the rows of the table of builtins have them.
"""

from __future__ import annotations

from unisycl.ir.builtins.native import NAMES
from unisycl.lang.numbers.math import FUNCTIONS, builtin_function


def __getattr__(name: str) -> builtin_function:
    if name in NAMES:
        return FUNCTIONS[f"native_{name}"]
    raise AttributeError(f"unisycl.native has no function '{name}'")


def __dir__() -> list[str]:
    return sorted(NAMES)
