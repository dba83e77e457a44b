"""Kernels from texts of Python, with include files and registered names; headers of OpenCL C."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from unisycl.ext.oneapi import experimental as ext

SYCL, OPENCL = ext.source_language.sycl, ext.source_language.opencl
SOURCE = """
from __future__ import annotations
import numpy as np
import unisycl as sycl
from shapes.round import area
from weights import Weights

@sycl.kernel
def areas(i, radius, out):
    out[i] = area(radius[i]) * Weights(np.float32(0.5)).half

@sycl.ext.oneapi.experimental.nd_range_kernel(1)
def iota(start, out):
    k = sycl.this_nd_item().get_global_linear_id()
    out[k] = start + k

def scaled(dtype, factor):
    def scale(i, data):
        data[i] = dtype(factor) * data[i]
    return scale

def helper(x):
    return x
"""
FILES = {"shapes/round.py": "from weights import THREE\ndef area(r):\n    return THREE * r * r\n",
         "weights.py": "from __future__ import annotations\nimport dataclasses\n\nTHREE = 3\n\n"
                       "@dataclasses.dataclass\nclass Weights:\n    half: float\n"}


def made(queue, source, *options, files=None):  # type: ignore[no-untyped-def]
    return ext.build(ext.create_kernel_bundle_from_source(
        queue.get_context(), SYCL, source, files), *options)


@pytest.mark.row("P-14")
def test_kernels_from_a_string_with_headers_from_a_dict(queue: sycl.queue) -> None:
    assert queue.get_device().ext_oneapi_can_compile(SYCL)
    names = ext.registered_kernel_names("scaled(np.float32, 10)", ["scaled(np.int32, 3)"])
    bundle = made(queue, SOURCE, [queue.get_device()], names, files=ext.include_files(FILES))
    assert bundle.get_context() == queue.get_context()
    assert bundle.get_devices() == [queue.get_device()]
    assert bundle.get_kernel_ids() == []
    assert [bundle.ext_oneapi_has_kernel(n) for n in ("areas", "iota", "helper", "scaled")] == [
        True, True, False, False]
    r, out = (sycl.malloc_shared(8, np.float32, queue) for _ in range(2))
    r[:] = np.arange(8)
    queue.parallel_for(8, bundle.ext_oneapi_get_kernel("areas"), r, out).wait()
    assert out[:].tolist() == [1.5 * k * k for k in range(8)]

    def command(h: sycl.handler) -> None:
        h.set_args(np.float32(3), out)
        h.parallel_for(sycl.nd_range(8, 4), bundle.ext_oneapi_get_kernel("iota"))
    queue.submit(command).wait()

    def with_a_gap(h: sycl.handler) -> None:
        h.set_arg(1, out)
        h.parallel_for(sycl.nd_range(8, 4), bundle.ext_oneapi_get_kernel("iota"))
    with pytest.raises(sycl.exception, match="argument 0 was not set") as caught:
        queue.submit(with_a_gap)
    assert caught.value.code() == sycl.errc.kernel_argument
    with pytest.raises(sycl.exception, match="one of these ways"):
        queue.submit(lambda h: (h.set_args(out), h.parallel_for(
            8, bundle.ext_oneapi_get_kernel("areas"), r, out)))
    ints = sycl.malloc_shared(8, np.int32, queue)
    ints[:] = np.arange(8)
    raw = bundle.ext_oneapi_get_raw_kernel_name("scaled(np.float32, 10)")
    assert raw != bundle.ext_oneapi_get_raw_kernel_name("scaled(np.int32, 3)")
    assert bundle.ext_oneapi_get_raw_kernel_name("iota") == "iota"
    queue.parallel_for(8, bundle.ext_oneapi_get_kernel(raw), out)
    queue.parallel_for(8, bundle.ext_oneapi_get_kernel("scaled(np.int32, 3)"), ints)
    queue.wait()
    assert out[:].tolist() == [10.0 * (3 + k) for k in range(8)]
    assert ints[:].tolist() == [3 * k for k in range(8)]
    for ask in (bundle.ext_oneapi_get_kernel, bundle.ext_oneapi_get_raw_kernel_name):
        with pytest.raises(sycl.exception, match="areas, iota") as caught:
            ask("helper")
        assert caught.value.code() == sycl.errc.invalid


@pytest.mark.row("P-14")
def test_what_cannot_be_built_says_why(queue: sycl.queue) -> None:
    for text, say in (("def f(:\n", "SyntaxError"), ("import not_there_at_all\n", "not_there_at"),
                      ("x = 1 / 0\n", "ZeroDivisionError")):
        with pytest.raises(sycl.BuildError, match=say) as caught:
            made(queue, text)
        assert caught.value.code() == sycl.errc.build
    with pytest.raises(sycl.BuildError, match="nothing"):
        made(queue, "", ext.registered_kernel_names("nothing"))
    with pytest.raises(sycl.BuildError, match="no function"):
        made(queue, "number = 3", ext.registered_kernel_names("number"))
    wrong = made(queue, "import unisycl\n@unisycl.kernel\ndef f(i, out):\n    out[i] = wrong\n")
    with pytest.raises(sycl.KernelError, match="source.py.*:4") as caught:
        queue.parallel_for(4, wrong.ext_oneapi_get_kernel("f"), np.zeros(4))
    assert "out[i] = wrong" in str(caught.value)
    for names, contents in ((["a.py"], []), (["a.py", "a.py"], ["", ""]), (["a.py"], [3])):
        with pytest.raises(sycl.exception, match="include_files") as refused:
            ext.include_files(names, contents)
        assert refused.value.code() == sycl.errc.invalid
    with pytest.raises(sycl.exception, match="build_options"):
        made(queue, "", ext.build_options("-O3"))


@pytest.mark.row("P-14")
def test_texts_of_opencl_c_include_files_by_name(queue: sycl.queue) -> None:
    files = ext.include_files(["deep/one.h", "two.h"], [
        "#pragma once\n#include \"two.h\"\nint one(int x) { return two(x) + 1; }\n",
        "#pragma once\nint two(int x) { return 2 * x; }\n"])
    text = ("#include \"two.h\"\n #  include <deep/one.h> // both\n#include \"two.h\"\n"
            "__kernel void f(__global int *out)\n"
            "{ int k = get_global_id(0); out[k] = one(k) + 1000 * __LINE__; }\n")
    if not queue.get_device().ext_oneapi_can_compile(OPENCL):
        with pytest.raises(sycl.exception) as caught:
            ext.create_kernel_bundle_from_source(queue.get_context(), OPENCL, text, files)
        assert caught.value.code() == sycl.errc.invalid
        return
    source = ext.create_kernel_bundle_from_source(queue.get_context(), OPENCL, text, files)
    bundle = ext.build(source, ext.registered_kernel_names("f"))
    assert bundle.ext_oneapi_get_raw_kernel_name("f") == "f"
    out = sycl.malloc_shared(8, np.int32, queue)
    queue.submit(lambda h: (h.set_args(out), h.parallel_for(
        8, bundle.ext_oneapi_get_kernel("f")))).wait()
    assert out[:].tolist() == [5001 + 2 * k for k in range(8)]
    queue.fill(out, 0).wait()
    sycl.khr.launch(queue, 8, bundle.ext_oneapi_get_kernel("f"), out)
    queue.wait()
    assert out[7] == 5015
    with pytest.raises(sycl.BuildError, match="no kernel 'g'"):
        ext.build(source, ext.registered_kernel_names("g"))
    endless = ext.include_files({"a.h": "#include \"a.h\"\n"})
    with pytest.raises(sycl.BuildError, match="include one another"):
        ext.build(ext.create_kernel_bundle_from_source(
            queue.get_context(), OPENCL, "#include \"a.h\"\n", endless))
