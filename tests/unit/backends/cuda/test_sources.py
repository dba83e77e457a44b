"""Programs in CUDA C++ on the driver that is none."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.interop.test_cuda_sources import CHILDREN, SOURCE
from tests.cuda_fake.library import FakeCuda
from unisycl.backends.cuda import errors
from unisycl.backends.cuda.launch import linking, sources
from unisycl.backends.cuda.text import compile as compiler
from unisycl.backends.cuda.text.target import Target
from unisycl.ext.oneapi import experimental as ext


def test_names_and_sizes_are_those_of_the_text() -> None:
    if isinstance(compiler._found(), str):
        pytest.skip("there is no compiler")
    code, found, log = sources.compiled(SOURCE, ("-DTURNED",), Target((9, 0)), "a card")
    assert (True, "") == (bool(code), log)
    assert {"iota": (8, 4), "mixed": (8, 16, 1, 8), "turned": (8,), "rows": (8,)} == {
        e.name: e.sizes for e in found}
    assert "_Z5mixedPf4pairhPKd" in {e.symbol for e in found}


def test_kernels_of_one_name_are_told_apart_by_the_codes() -> None:
    ptx = """.visible .entry _Z1kPi(
	.param .u64 .ptr .align 1 _Z1kPi_param_0
)
{}
.visible .entry _Z1kPf(
	.param .u64 a,
	.param .align 8 .b8 b[24]
)
.visible .entry nothing()
"""
    found = sources.entries(ptx)
    assert ["_Z1kPi", "_Z1kPf", "nothing"] == [e.name for e in found]
    assert [(8,), (8, 24), ()] == [e.sizes for e in found]


def iota(name: str, plain: Sequence[int], shared: int, params: Any) -> Callable[[], None]:
    """Do what the text says."""
    at = ctypes.cast(params[0], ctypes.POINTER(ctypes.c_uint64))[0]
    start = ctypes.cast(params[1], ctypes.POINTER(ctypes.c_int32))[0]
    count = plain[0] * plain[3]
    return lambda: np.copyto(np.ctypeslib.as_array(
        (ctypes.c_int32 * count).from_address(at)), start + np.arange(count, dtype=np.int32))


def test_a_kernel_is_launched_between_ours(
        fake: FakeCuda, queue: sycl.queue, monkeypatch: pytest.MonkeyPatch) -> None:
    fake.kernels[b"iota's"] = iota
    entry = sources.Entry("iota", "iota", (8, 4))
    monkeypatch.setattr(sources, "compiled", lambda *given: (b"iota's", (entry,), "well"))
    log: list[str] = []
    source = ext.create_kernel_bundle_from_source(
        queue.get_context(), ext.source_language.cuda, SOURCE)
    k = ext.build(source, ext.save_log(log)).ext_oneapi_get_kernel("iota")
    assert ["well"] == log
    out = np.zeros(1000, np.int32)
    with sycl.buffer(out) as b:
        def theirs(h: sycl.handler) -> None:
            h.set_args(sycl.accessor(b, h, sycl.write_only), np.int32(7))
            h.parallel_for(1000, k)

        def ours(h: sycl.handler) -> None:
            acc = sycl.accessor(b, h)

            def double(i: Any) -> None:
                acc[i] = 2 * acc[i]
            h.parallel_for(1000, double)
        for _ in range(3):
            queue.submit(theirs)
        queue.submit(ours)
    assert (2 * (np.arange(1000) + 7)).tolist() == out.tolist()
    assert (4, 1, 1, 250, 1, 1, 0) in fake.launches


def test_texts_that_launch_kernels_are_made_for_linking(
        fake: FakeCuda, queue: sycl.queue, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not linking.wanted('// a<<<1, 2>>>();\n const char *c = "<<<";', ())
    assert linking.wanted("", ("-rdc=true",))
    if isinstance(compiler._found(), str):
        pytest.skip("there is no compiler")
    code, found, log = sources.compiled(CHILDREN, (), Target((9, 0)), "a card")
    assert (True, "") == (bool(code), log)
    assert {"add", "last", "start"} == {e.name for e in found}

    source = ext.create_kernel_bundle_from_source(
        queue.get_context(), ext.source_language.cuda, CHILDREN)
    with pytest.raises(sycl.exception, match="links no code" if linking.archive() else "pip"):
        ext.build(source)
    monkeypatch.setattr(linking, "archive", lambda: None)
    with pytest.raises(sycl.exception, match="pip install nvidia-cuda-runtime") as caught:
        ext.build(source)
    assert caught.value.code() == sycl.errc.build
    assert "nvidia-cuda-nvrtc==12.4.*" in linking.newer(12040, (13, 0))
    assert "" == linking.newer(13000, (13, 0))
    assert "newer CUDA" in str(errors.device_error("cuModuleLoadData", 222))
