"""Declarations of the functions that a text calls, taken from the header of PoCL."""

from __future__ import annotations

from pathlib import Path

import pytest

import unisycl as sycl
from unisycl.backends.opencl.text import declarations
from unisycl.backends.opencl.text.quirks import quirks_of
from unisycl.testing import device_names, find_device

TEXTS = Path(__file__).parents[1] / "texts"
HEADER = """// a header
#ifndef _OPENCL_H_
#define _OPENCL_H_
#include "opencl-c-base.h"
/**
 * float sin(int); is no declaration
 */
#define __ovld __attribute__((overloadable))
float __ovld sin(float x);
#if A && \\
    B
double __ovld sin(double); // of doubles
#if C
double __ovld cos(double);
#else
half __ovld cos(half);
#endif
#endif
/* one row */
void __ovld store(volatile __global int *,
                  int);
int printf(__constant const char *, ...) __attribute__((format(printf, 1, 2)));
int __attribute__((overloadable)) first(int);
#undef __ovld
#endif //_OPENCL_H_
"""


@pytest.fixture
def library(tmp_path: Path) -> str:
    """The library of an installation that has such a header."""
    folder = tmp_path / "share" / "pocl" / "include"
    folder.mkdir(parents=True)
    (folder / "opencl-c.h").write_text(HEADER)
    (tmp_path / "lib" / "machine").mkdir(parents=True)
    return str(tmp_path / "lib" / "machine" / "libpocl.so")


def told(library: str, text: str) -> list[str]:
    lines = declarations.head(library, text).splitlines()
    assert lines[0].endswith('/share/pocl/include/opencl-c-base.h"')
    assert lines[1:2] == ["#define __ovld __attribute__((overloadable))"]
    assert lines[-2:] == ["#undef __ovld", "#line 1"]
    return [" ".join(line.split()) for line in lines[2:-2]]


def test_all_of_a_name_is_declared_under_its_conditions(library: str) -> None:
    assert told(library, "y = sin(x);") == [
        "float __ovld sin(float x);", "#if A && B", "double __ovld sin(double);", "#endif"]
    assert told(library, "cos(1)") == [
        "#if A && B", "#if C", "double __ovld cos(double);", "#else", "half __ovld cos(half);",
        "#endif", "#endif"]
    assert told(library, "sinus(0)") == []
    assert told(library, "store(a, first(2))") == [
        "void __ovld store(volatile __global int *, int);",
        "int __attribute__((overloadable)) first(int);"]
    assert told(library, 'printf("%d", 1)') == [
        "int printf(__constant const char *, ...) __attribute__((format(printf, 1, 2)));"]


def test_a_header_of_another_kind_is_left_alone(library: str, tmp_path: Path) -> None:
    (tmp_path / "share" / "pocl" / "include" / "opencl-c.h").write_text("int f(int);\n")
    assert declarations.head(library, "f(1)") == ""
    assert declarations.head(str(tmp_path.parent / "nowhere" / "libpocl.so"), "f(1)") == ""


def pocl() -> sycl.device:
    for name in device_names():
        device = find_device(name)
        if name.startswith("opencl") and quirks_of(device.state.driver.traits).reads_all:
            return device
    pytest.skip("no PoCL 3 was found")


def test_texts_are_built_with_the_declarations_of_what_they_call() -> None:
    device = pocl()
    native = sycl.get_native(sycl.backend.opencl, device)
    library = device.state.driver.traits.library
    import pyopencl as cl
    context = cl.Context([native])

    def builds(text: str, *words: str) -> bool:
        try:
            cl._cl._Program(context, text)._build(
                " ".join(("-cl-std=CL3.0", *words)).encode(), [native])
        except cl.Error:
            return False
        return True
    built = []
    for file in sorted(TEXTS.glob("*.3.0.cl")):
        text = file.read_text(encoding="utf-8")
        head = declarations.head(library, text)
        assert 1 < len(head.splitlines()) < 5000
        if builds(text):  # not where an optional feature is missing
            assert builds(head + text, declarations.WITHOUT), file.name
            built.append(file.name)
    assert len(built) > 6


def test_an_error_is_told_with_the_line_of_the_text() -> None:
    device = pocl()
    native = sycl.get_native(sycl.backend.opencl, device)
    library = device.state.driver.traits.library
    import pyopencl as cl
    text = "__kernel void f(__global int *a)\n{\n    a[get_global_id(0)] = wrong_name;\n}\n"
    program = cl._cl._Program(cl.Context([native]), declarations.head(library, text) + text)
    with pytest.raises(cl.Error):
        program._build(declarations.WITHOUT.encode(), [native])
    log = program.get_build_info(native, cl.program_build_info.LOG)
    assert ":3:" in log
    assert "wrong_name" in log
