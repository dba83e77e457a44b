"""Functions of a text under Python's: what is refused when they are declared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import unisycl as sycl


def one(a: np.float32) -> np.float32: ...  # type: ignore[empty-body]


def pointed(a: sycl.global_ptr[np.float32]) -> None: ...  # type: ignore[valid-type]


def shared(a: sycl.local_ptr) -> None: ...  # type: ignore[valid-type]


def plain(a: Any) -> Any: ...


@pytest.mark.parametrize(("stub", "text"), [
    (one, "float {}(float a);"), (one, "real {}(const real a);"), (plain, "void {}(int a);"),
    (pointed, "void {}(__global float *a);"), (pointed, "void {}(float *a);"),
    (pointed, "void {}(__global const real *a);"), (shared, "void {}(__local int *a);"),
    (plain, "void {}(__global void *a);"), (plain, "uchar {}(bool a);")])
def test_what_agrees(stub: Callable[..., Any], text: str) -> None:
    made = sycl.opencl.extern(text.format(stub.__name__))(stub)
    assert made.__name__ == stub.__name__
    assert made.body is None
    assert [p.name for p in made.signature.parameters] == ["a"]


@pytest.mark.parametrize(("stub", "text", "said"), [
    (one, "float {}(int a);", "parameter 'a' is 'int' in OpenCL C, and np.float32 in Python"),
    (one, "float {}(__global float *a);", r"is '__global float \*' in OpenCL C, and np.float32"),
    (one, "double {}(float a);", "returns 'double' in OpenCL C, and np.float32 in Python"),
    (one, "void {}(float a);", "returns 'void' in OpenCL C, and np.float32 in Python"),
    (pointed, "void {}(float a);", "is 'float' in OpenCL C, and unisycl.global_ptr"),
    (pointed, "void {}(__local float *a);", "in OpenCL C, and unisycl.global_ptr"),
    (pointed, "void {}(__global int *a);", "in OpenCL C, and unisycl.global_ptr"),
    (shared, "void {}(__global int *a);", "in OpenCL C, and unisycl.local_ptr"),
    (plain, "void {}(real a);", "which says nothing of it to Python; annotate it"),
    (plain, "void {}(__global float **a);", "which says nothing of it to Python"),
    (plain, "real {}(int a);", "returns 'real' in OpenCL C, which says nothing of it"),
    (plain, "int *{}(int a);", r"returns 'int \*' in OpenCL C; kernels take numbers"),
    (pointed, "void {}(__constant float *a);", "declare the parameter '__global const'"),
    (plain, "int {}(image2d_t a);", "of which kernels in Python have no values"),
    (plain, "int {}(int a, int b);", r"has 2 parameter\(s\) in OpenCL C and 1 in Python"),
    (plain, "kernel void {}(int a);", "is a kernel in this text"),
    (plain, "int other(int a);", "no function 'plain' at its outer level; it has other"),
])
def test_what_does_not(stub: Callable[..., Any], text: str, said: str) -> None:
    with pytest.raises(sycl.exception, match=said) as caught:
        sycl.opencl.extern(text.format(stub.__name__))(stub)
    assert caught.value.code() == sycl.errc.invalid


def test_a_body_is_one_that_does_something() -> None:
    def nothing(x: Any) -> Any:
        """Only a text."""

    def passing(x: Any) -> Any:
        pass

    def doing(x: Any) -> Any:
        return 0
    bodies = [sycl.opencl.extern(f"int {f.__name__}(int x);")(f).body
              for f in (nothing, passing, doing)]
    assert bodies == [None, None, doing]
