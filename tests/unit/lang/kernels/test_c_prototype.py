"""Heads of functions in C are read as a compiler reads them."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from unisycl.base.enums import address_space
from unisycl.ir.types import element_type
from unisycl.lang.kernels.c_prototype import known_type, prototype


@pytest.mark.parametrize(("words", "expected"), [
    ("int", np.int32), ("unsigned", np.uint32), ("unsigned char", np.uint8), ("char", np.int8),
    ("long unsigned int", np.uint64), ("long long", np.int64),
    ("unsigned long long", np.uint64), ("short int", np.int16), ("signed", np.int32),
    ("size_t", np.uint64), ("ptrdiff_t", np.int64), ("half", np.float16), ("bool", np.bool_),
    ("double", np.float64), ("ushort", np.uint16), ("float4", sycl.float4), ("uchar16",
                                                                              sycl.uchar16)])
def test_types_of_the_language(words: str, expected: type) -> None:
    kind = getattr(expected, "dtype", None)
    wanted = element_type(kind if isinstance(kind, np.dtype) else np.dtype(expected))
    assert known_type(words.split()) == wanted


@pytest.mark.parametrize("words", ["real", "float5", "struct node", "", "float int",
                                   "image2d_t", "float1"])
def test_other_types_are_not_known(words: str) -> None:
    assert known_type(words.split()) is None


@pytest.mark.parametrize(("text", "name", "space", "const", "spelt"), [
    ("__global const float * restrict p", "p", "global", True, "__global const float *"),
    ("const global float*p", "p", "global", True, "const global float *"),
    ("float __local *const cells", "cells", "local", False, "float __local *"),
    ("__constant float *", "", "constant", False, "__constant float *"),
    ("float *q", "q", "generic", False, "float *"),
    ("__private float q[4]", "q", "private", False, "__private float *"),
    ("global struct node *n", "n", "global", False, "global struct node *"),
])
def test_pointers(text: str, name: str, space: str, const: bool, spelt: str) -> None:
    (found,) = prototype(f"void f({text});", "f").parameters
    assert (found.name, found.pointer, found.const, found.spelt) == (name, True, const, spelt)
    assert found.space is getattr(address_space, f"{space}_space")


@pytest.mark.parametrize(("text", "name", "spelt"), [
    ("int n", "n", "int"), ("const unsigned int", "", "const unsigned int"),
    ("unsigned n", "n", "unsigned"), ("float4 v", "v", "float4"), ("float", "", "float"),
    ("struct node n", "n", "struct node"), ("struct node", "", "struct node"),
    ("long", "", "long")])
def test_values(text: str, name: str, spelt: str) -> None:
    (found,) = prototype(f"void f({text});", "f").parameters
    assert (found.name, found.spelt, found.pointer) == (name, spelt, False)


def test_comments_directives_bodies_and_attributes_are_no_heads() -> None:
    text = """
    // int f(int a);
    /* int f(int b); */
    #define MORE int f(int c); \\
                 int f(int d);
    __constant char *words = "int f(int e);";
    int g(int x) { if (x) { return f(x); } return 'f'; }
    struct pair { int f; };
    __attribute__((always_inline)) static inline __attribute__((overloadable))
    float f(float only,
            int two) { return only; }
    """
    found = prototype(text, "f")
    assert [p.name for p in found.parameters] == ["only", "two"]
    assert found.result.type == element_type(np.dtype(np.float32))
    assert prototype("void f(void) {}", "f").parameters == prototype("void f() {}", "f").parameters
    with pytest.raises(sycl.exception, match="no function 'h'.*it has f, g"):
        prototype(text, "h")
