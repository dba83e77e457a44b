"""The options that programs of kernels are built with."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import unisycl as sycl
from tests.unit.backends.opencl.test_texts import OLD
from unisycl.backends.opencl.discovery.traits import ROUNDED_DIVISION
from unisycl.backends.opencl.launch.programs import _renamed, options
from unisycl.backends.opencl.text.quirks import Quirks
from unisycl.frontend.specialize import find
from unisycl.ir.nodes import Kernel
from unisycl.ir.types import element_type

ROUNDED = "-cl-fp32-correctly-rounded-divide-sqrt"
ROUNDS = replace(OLD, numbers=OLD.numbers | {"single_fp_config": ROUNDED_DIVISION})


def built_with(*words: str) -> Kernel:
    """Return a kernel that asks for these options."""
    kernel = sycl.kernel(lambda i, s: None)
    if words:
        asked = sycl.ext.oneapi.experimental.build_options(*words)
        kernel = sycl.kernel(properties=[asked])(lambda i, s: None)
    argument = element_type(np.dtype(np.float32))
    return find(kernel, "range", 1, (argument,), (), ())[0].kernel


def test_division_is_rounded_where_the_device_can() -> None:
    assert ROUNDED in options(ROUNDS, Quirks())
    assert ROUNDED in options(ROUNDS, Quirks(), built_with())
    assert ROUNDED in options(ROUNDS, Quirks(), built_with("-O3"))
    assert ROUNDED not in options(OLD, Quirks())


def test_fast_math_leaves_division_to_opencl() -> None:
    words = options(ROUNDS, Quirks(), built_with("-ffast-math"))
    assert ROUNDED not in words
    assert "-cl-unsafe-math-optimizations" in words


def test_a_log_that_heeds_no_line_directive_is_told_by_the_text() -> None:
    text = '// ours\n#line 1 "user.cl"\nfirst\nsecond\n#line 7\nseventh'
    log = ("<kernel>:4:12: error: x\n<kernel>:6:1: error: y\n<kernel>:1:1: z\nuser.cl:1: w\n"
           "input.cl:3: v")
    assert _renamed(text, log).splitlines() == [
        "user.cl:2:12: error: x", "user.cl:7:1: error: y", "<kernel>:1:1: z", "user.cl:1: w",
        "user.cl:1: v"]
