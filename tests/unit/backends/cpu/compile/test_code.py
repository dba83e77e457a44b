"""Objects are linked into blocks that run wherever they are put."""

from __future__ import annotations

import ctypes
import math
import platform

import pytest

from unisycl.backends.cpu.compile import jit
from unisycl.backends.cpu.compile.code import Code, symbol_address
from unisycl.backends.cpu.compile.elf import Image, LinkError, link

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64",
                                reason="our own linker is for x86-64; elsewhere LLVM links")

TEXT = """
@table = internal constant [4 x double] [double 1.0, double 2.0, double 3.0, double 4.0]
declare double @cos(double)
define double @pick(i64 %k) {
  %p = getelementptr [4 x double], ptr @table, i64 0, i64 %k
  %x = load double, ptr %p
  ret double %x
}
define double @twice(double %x) {
  %a = call double @cos(double %x)
  %b = call double @pick(i64 1)
  %c = fmul double %a, %b
  ret double %c
}
"""


def linked() -> Image:
    return link(jit._to_object(TEXT, loops=False, level=0))


def test_constants_calls_inside_and_calls_to_libraries_work() -> None:
    code = Code(linked())
    twice = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(code.addresses["twice"])
    pick = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64)(code.addresses["pick"])
    assert 2 * math.cos(0.5) == twice(0.5)
    assert [1.0, 2.0, 3.0, 4.0] == [pick(k) for k in range(4)]


def test_a_block_survives_the_way_to_disk_and_back() -> None:
    image = linked()
    again = Image.from_bytes(image.to_bytes())
    assert image == again
    code = Code(again)
    twice = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(code.addresses["twice"])
    assert 2.0 == twice(0.0)


def test_what_is_no_object_is_refused() -> None:
    with pytest.raises(LinkError):
        link(b"\x7fELF" + bytes(100))


def test_a_symbol_no_library_has_is_named() -> None:
    with pytest.raises(Exception, match="no_such_function_anywhere"):
        symbol_address("no_such_function_anywhere")
