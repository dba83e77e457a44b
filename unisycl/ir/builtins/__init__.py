"""The table of builtins: every pure function a kernel may call, by name.

Non-goals: group functions, atomics, index queries. Adding one is a row in a family's file.
"""

from __future__ import annotations

from unisycl.ir.builtins import common, integer, mathematics, native, relational
from unisycl.ir.builtins.row import Bound, Builtin

BUILTINS: dict[str, Builtin] = {
    row.name: row for rows in (mathematics.ROWS, integer.ROWS, common.ROWS, relational.ROWS,
                               native.ROWS) for row in rows
}
BY_NUMPY: dict[str, Builtin] = {name: row for row in BUILTINS.values() for name in row.numpy}
BY_MATH: dict[str, Builtin] = {name: row for row in BUILTINS.values() for name in row.math}

__all__ = ["BUILTINS", "BY_MATH", "BY_NUMPY", "Bound", "Builtin"]
