"""Relational functions (SYCL 2020 §4.17.10) on scalars: one row each, bool results.

Non-goals: Python's comparison operators. Invariant: NaN makes all false but isnotequal,
isunordered, isnan.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unisycl.ir.builtins.row import Builtin

_REL: dict[str, Any] = {"section": "4.17.10"}

ROWS = (
    Builtin("isnan", 1, "float_test", np.isnan, "expand:isnan", **_REL, numpy=("isnan",),
            math=("isnan",), doc="Not a number."),
    Builtin("isinf", 1, "float_test", np.isinf, "expand:isinf", **_REL, numpy=("isinf",),
            math=("isinf",), doc="Plus or minus infinity."),
    Builtin("isfinite", 1, "float_test", np.isfinite, "expand:isfinite", **_REL,
            numpy=("isfinite",), math=("isfinite",), doc="Neither infinite nor NaN."),
    Builtin("signbit", 1, "float_test", np.signbit, "expand:signbit", **_REL, numpy=("signbit",),
            doc="The sign bit is set."),
    Builtin("isequal", 2, "float_test", np.equal, "cmp:oeq", **_REL, doc="x == y."),
    Builtin("isnotequal", 2, "float_test", np.not_equal, "cmp:une", **_REL, doc="x != y."),
    Builtin("isgreater", 2, "float_test", np.greater, "cmp:ogt", **_REL, doc="x > y."),
    Builtin("isgreaterequal", 2, "float_test", np.greater_equal, "cmp:oge", **_REL, doc="x >= y."),
    Builtin("isless", 2, "float_test", np.less, "cmp:olt", **_REL, doc="x < y."),
    Builtin("islessequal", 2, "float_test", np.less_equal, "cmp:ole", **_REL, doc="x <= y."),
    Builtin("isordered", 2, "float_test", lambda x, y: ~(np.isnan(x) | np.isnan(y)), "cmp:ord",
            **_REL, doc="Neither is NaN."),
    Builtin("isunordered", 2, "float_test", lambda x, y: np.isnan(x) | np.isnan(y), "cmp:uno",
            **_REL, doc="One is NaN."),
)
