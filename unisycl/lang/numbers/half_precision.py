"""``unisycl.half_precision``: float32 functions within 8192 last places (SYCL 2020 §4.17.6).

Non-goals: meanings; the rows of the table of builtins have them.
"""

from __future__ import annotations

from unisycl.ir.builtins.native import NAMES
from unisycl.lang.numbers.math import FUNCTIONS, builtin_function


def __getattr__(name: str) -> builtin_function:
    if name in NAMES:
        return FUNCTIONS[f"half_{name}"]
    raise AttributeError(f"unisycl.half_precision has no function '{name}'")


def __dir__() -> list[str]:
    return sorted(NAMES)
