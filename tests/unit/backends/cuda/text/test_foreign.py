"""Calls of functions in CUDA C++, compiled without a GPU; warnings are errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests import cuda_texts
from tests.conformance.interop import test_cuda_functions as functions
from tests.cuda_fake.library import FakeCuda
from unisycl.backends.base import Geometry
from unisycl.backends.cuda.text import compile
from unisycl.backends.cuda.text.target import Target
from unisycl.frontend import specialize

RANGE = Geometry("range", (1000,), (), (0,))


def test_they_are_called_by_name_with_their_types(fake: FakeCuda) -> None:
    if why := compile.problem():
        pytest.skip(why)
    queue = sycl.queue("cuda")
    a, tops = (sycl.malloc_device(16, t, queue) for t in (np.float32, np.uint64))
    v = sycl.malloc_device(16, sycl.float4, queue)

    def kernel(i: Any, a: Any, v: Any, tops: Any) -> None:
        a[i] = functions.scale(sycl.multi_ptr(a) + i, 1) + functions.bare(a[i])
        v[i] = functions.turned(v[i], 2)
        tops[i] = functions.high(7, i[0])

    info = queue.get_device().state.info  # type: ignore[attr-defined]
    found = specialize.find(kernel, "range", 1, (a, v, tops), (), (), info)[0].kernel
    text = cuda_texts.text_of(found, RANGE, Target((9, 0))).text
    assert "" == cuda_texts.refusal(found, text, 90)
    assert "const float4 result = turned(make_float4(" in text
    assert "scale((float *)&" in text
