"""Annotations of functions, read in every version of Python.

From 3.14 on they are evaluated when somebody asks (PEP 649), so a name that is not there, or not
yet, fails then and not where the function is defined. Non-goals: evaluating texts. Invariant:
nothing raises here because of what an annotation names.
"""

from __future__ import annotations

import inspect
import sys
from types import FunctionType
from typing import Any

if sys.version_info >= (3, 14):
    import annotationlib

    def annotations_of(function: Any) -> dict[str, Any]:
        """Return what each annotation says; what cannot be evaluated stands for its name."""
        if not callable(function):
            return {}
        return annotationlib.get_annotations(function, format=annotationlib.Format.FORWARDREF)

    def signature_of(function: Any) -> inspect.Signature:
        """Return the parameters of a function."""
        return inspect.signature(function, annotation_format=annotationlib.Format.FORWARDREF)

    def copy_annotations(source: FunctionType, target: FunctionType) -> None:
        """Give a function the annotations of another one, evaluating nothing."""
        if source.__annotate__ is None:
            target.__annotations__ = source.__annotations__
        else:
            target.__annotate__ = source.__annotate__
else:
    def annotations_of(function: Any) -> dict[str, Any]:
        """Return what each annotation says."""
        found: dict[str, Any] = getattr(function, "__annotations__", None) or {}
        return found

    def signature_of(function: Any) -> inspect.Signature:
        """Return the parameters of a function."""
        return inspect.signature(function)

    def copy_annotations(source: FunctionType, target: FunctionType) -> None:
        """Give a function the annotations of another one."""
        target.__annotations__ = source.__annotations__
