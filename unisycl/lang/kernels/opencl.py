"""Types by the names that OpenCL C has for them, and what only that interface has (App. C.7).

Non-goals: making objects of native ones. Invariant: each is the type of its size.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from unisycl.base.enums import EXTERN_LANGUAGES, backend
from unisycl.base.tracebacks import ends_at_call
from unisycl.lang.kernels.foreign_functions import declared, extern_function
from unisycl.lang.numbers.vec import SCALARS, vec_of


class opencl:
    """SYCL's ``sycl::opencl`` namespace: ``cl_float`` is np.float32, ``cl_float4`` float4.

    Example:
        >>> opencl.cl_ushort is np.uint16
        True
    """

    @staticmethod
    def get_error_code(error: Any) -> int:
        """Return the status behind an exception; 0 (CL_SUCCESS) if there is none (App. C.7.4)."""
        return int(getattr(error, "native_code", 0))

    @staticmethod
    def has_extension(thing: Any, name: str) -> bool:
        """Say whether a platform or a device has an extension, by its name (App. C.7.2)."""
        return bool(thing.has_extension(name))

    @staticmethod
    @ends_at_call
    def extern(source: str | os.PathLike[str]) -> Callable[[Callable[..., Any]], extern_function]:
        """Let kernels call functions written in OpenCL C (App. C.8.1); a decorator.

        The function it is put on has the name of one in the text, and as many parameters. Its body
        is what runs on the host and on devices of other backends; with ``...`` for a body it is
        refused there (``errc.kernel_not_supported`` for kernels). Where a kernel calls it, numbers
        are converted as a call in C converts them, but floats not to integers; a pointer takes an
        accessor, local memory, USM, an array, a private array or a ``multi_ptr`` of its address
        space and element type. Types are read from the text; those that it defines itself have to
        be annotated, and other annotations must agree.

        Args:
            source: OpenCL C, or the path of a file of it. All of the text is compiled with each
                kernel that calls one of its functions, before the kernel.

        Raises ``errc.invalid`` where the text has no such function, where its parameters are not
        those of the Python function, or where a type is not known.

        Example:
            >>> @opencl.extern("float half_of(float x) { return x / 2; }")
            ... def half_of(x):
            ...     return x / np.float32(2)
            >>> half_of(3)
            np.float32(1.5)
        """
        return declared(source, *EXTERN_LANGUAGES[backend.opencl], backend.opencl)


def _fill() -> None:
    opencl.cl_bool = np.bool_  # type: ignore[attr-defined]
    for name, kind in SCALARS.items():
        setattr(opencl, f"cl_{name}", kind)
        for count in (2, 3, 4, 8, 16):
            setattr(opencl, f"cl_{name}{count}", vec_of(kind, count))


_fill()
