"""Kernels and what belongs to them as bytes: rows of tables by their names, and no source text.

Non-goals: where bytes come from, which whoever reads them answers for. Invariant: what is read is
equal to what was written, and rows are the very objects of their tables.
"""

from __future__ import annotations

import io
import pickle
from pathlib import Path
from typing import Any

from unisycl.base import dtypes
from unisycl.base.dtypes import DType
from unisycl.base.enums import access_mode
from unisycl.base.spans import SourceFile
from unisycl.ir.builtins import BUILTINS
from unisycl.ir.builtins.row import Builtin
from unisycl.ir.types import Scalar, View, global_view


class Pickler(pickle.Pickler):
    """Writes rows by their names, and of a file its name alone."""

    def reducer_override(self, obj: Any) -> Any:
        """Return how an object is made again."""
        kind = type(obj)
        if kind is View and isinstance(obj.elem, Scalar) and obj == global_view(
                obj.elem.dtype.numpy, obj.ndim, obj.mode):
            return _view, (obj.elem.dtype.name, obj.ndim, obj.mode)
        if isinstance(obj, Builtin) and BUILTINS.get(obj.name) is obj:
            return _builtin, (obj.name,)
        if isinstance(obj, DType) and dtypes.find_dtype(obj.name) is obj:
            return _dtype, (obj.name,)
        if isinstance(obj, SourceFile):
            return SourceFile, (Path(obj.name).name, ())
        return NotImplemented


def _view(name: str, ndim: int, mode: access_mode) -> View | None:
    """Return the very object that memory of this type has, which guards compare quickly."""
    return global_view(_dtype(name).numpy, ndim, mode)


def _builtin(name: str) -> Builtin:
    return BUILTINS[name]


def _dtype(name: str) -> DType:
    found = dtypes.find_dtype(name)
    if found is None:
        raise pickle.UnpicklingError(name)
    return found


def dumped(obj: Any) -> bytes:
    """Return an object as bytes."""
    out = io.BytesIO()
    Pickler(out, 5).dump(obj)
    return out.getvalue()


def loaded(raw: bytes) -> Any:
    """Return what was written; only for bytes that are as sound as a module's own code."""
    return pickle.loads(raw)
