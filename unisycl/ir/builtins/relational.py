"""Relational functions (SYCL 2020 §4.17.10) on scalars: one row each.

Non-goals: Python's comparison operators. Invariant: NaN makes all tests false but isnotequal,
isunordered, isnan.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unisycl.ir.builtins.row import Builtin

_ROW: dict[str, Any] = {"section": "4.17.10"}


def _is_normal(x: Any) -> Any:
    return np.isfinite(x) & (np.abs(x) >= np.finfo(x.dtype).tiny)


def _bits(x: Any) -> Any:
    return np.asarray(x).view(f"u{x.itemsize}")


def _bitselect(a: Any, b: Any, c: Any) -> Any:
    return ((_bits(a) & ~_bits(c)) | (_bits(b) & _bits(c))).view(np.result_type(a))[()]


def _top_bit(x: Any) -> Any:
    return np.bool_(int(x) >> (8 * x.itemsize - 1) & 1)


def _test(name: str, arity: int, host: Any, llvm: str, doc: str, **more: Any) -> Builtin:
    return Builtin(name, "f" * arity + ">b", host, llvm, doc=doc, **_ROW, **more)


ROWS = (
    _test("isnan", 1, np.isnan, "expand:isnan", "Not a number.", numpy=("isnan",),
          math=("isnan",)),
    _test("isinf", 1, np.isinf, "expand:isinf", "Plus or minus infinity.", numpy=("isinf",),
          math=("isinf",)),
    _test("isfinite", 1, np.isfinite, "expand:isfinite", "Neither infinite nor NaN.",
          numpy=("isfinite",), math=("isfinite",)),
    _test("isnormal", 1, _is_normal, "expand:isnormal",
          "Finite, not 0 and not below the least normal number."),
    _test("signbit", 1, np.signbit, "expand:signbit", "The sign bit is set.", numpy=("signbit",)),
    _test("isequal", 2, np.equal, "cmp:oeq", "x == y."),
    _test("isnotequal", 2, np.not_equal, "cmp:une", "x != y."),
    _test("isgreater", 2, np.greater, "cmp:ogt", "x > y."),
    _test("isgreaterequal", 2, np.greater_equal, "cmp:oge", "x >= y."),
    _test("isless", 2, np.less, "cmp:olt", "x < y."),
    _test("islessequal", 2, np.less_equal, "cmp:ole", "x <= y."),
    _test("islessgreater", 2, lambda x, y: (x < y) | (x > y), "cmp:one", "x < y or x > y."),
    _test("isordered", 2, lambda x, y: ~(np.isnan(x) | np.isnan(y)), "cmp:ord",
          "Neither is NaN."),
    _test("isunordered", 2, lambda x, y: np.isnan(x) | np.isnan(y), "cmp:uno", "One is NaN."),
    Builtin("any", "i>b", _top_bit, "expand:top_bit", **_ROW,
            doc="The highest bit is set; of a vector: of any element."),
    Builtin("all", "i>b", _top_bit, "expand:top_bit", **_ROW,
            doc="The highest bit is set; of a vector: of all elements."),
    Builtin("bitselect", "nnn>n", _bitselect, "expand:bitselect", **_ROW,
            doc="The bits of b where c's are set, else those of a."),
    Builtin("select", "nnb>n", lambda a, b, c: b if c else a, "expand:select", **_ROW,
            doc="b where c is true, else a."),
)
