"""Kernels from strings of OpenCL C (sycl_ext_oneapi_kernel_compiler)."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.refusals import code_of, refusal
from unisycl.ext.oneapi import experimental as ext

OPENCL = ext.source_language.opencl
SOURCE = """
__kernel void iota(__global int *out, int start)
{ out[get_global_id(0)] = start + get_global_id(0); }
#ifdef TWICE
__kernel void twice(__global int *out) { out[get_global_id(0)] *= 2; }
#endif
"""


@pytest.fixture
def compiling(queue: sycl.queue) -> sycl.queue:
    """The queue, if its device compiles OpenCL C."""
    if not ext.is_source_kernel_bundle_supported(queue.get_device(), OPENCL):
        assert code_of(ext.create_kernel_bundle_from_source, queue.get_context(), OPENCL,
                       SOURCE) == sycl.errc.invalid
        pytest.skip("refused: the device compiles no OpenCL C")
    return queue


@pytest.mark.row("M-10")
@pytest.mark.parametrize("text", ["", "// nothing\n", "int helper(int x) { return x; }\n"])
def test_a_text_without_kernels_is_a_bundle_without_kernels(
        compiling: sycl.queue, text: str) -> None:
    source = ext.create_kernel_bundle_from_source(compiling.get_context(), OPENCL, text)
    built = None
    with contextlib.suppress(sycl.exception):  # a driver may refuse to build what has none
        built = ext.build(source)
    if built is None:
        assert sycl.errc.build == code_of(ext.build, source)
        return
    assert not built.ext_oneapi_has_kernel("iota")
    with pytest.raises(sycl.exception) as caught:
        built.ext_oneapi_get_kernel("iota")
    assert sycl.errc.invalid == caught.value.code()


@pytest.mark.row("M-10")
def test_a_text_with_a_nul_is_refused(compiling: sycl.queue) -> None:
    assert sycl.errc.invalid == code_of(ext.create_kernel_bundle_from_source,
                                        compiling.get_context(), OPENCL, SOURCE + "\0" + SOURCE)


@pytest.mark.row("M-10")
def test_a_text_may_lie_in_a_file(compiling: sycl.queue, tmp_path: Path) -> None:
    path, context = tmp_path / "kernels.cl", compiling.get_context()
    path.write_text(SOURCE)
    built = ext.build(ext.create_kernel_bundle_from_source(context, OPENCL, path))
    assert built.ext_oneapi_has_kernel("iota")
    absent = tmp_path / "absent.cl"
    path.write_bytes(b"\xff\xfe")
    for wrong, text in ((absent, "absent.cl"), (tmp_path, "cannot be read"),
                        (path, "cannot be read"), (3, "expected text, bytes or a path")):
        assert text in refusal(ext.create_kernel_bundle_from_source, context, OPENCL, wrong)
    assert "queue.get_context()" in refusal(
        ext.create_kernel_bundle_from_source, compiling, OPENCL, SOURCE)


@pytest.mark.row("M-10", "I-6")
def test_a_string_of_opencl_c_becomes_kernels(compiling: sycl.queue) -> None:
    q, log = compiling, []
    source = ext.create_kernel_bundle_from_source(q.get_context(), OPENCL, SOURCE)
    assert source.get_context() == q.get_context()
    bundle = ext.build(source, [q.get_device()], ext.build_options("-DTWICE"), ext.save_log(log))
    assert len(log) == 1
    assert bundle.get_devices() == [q.get_device()]
    assert bundle.ext_oneapi_has_kernel("twice")
    iota, twice = (bundle.ext_oneapi_get_kernel(n) for n in ("iota", "twice"))
    assert iota.name == "iota"
    out = np.zeros(32, np.int32)
    with sycl.buffer(out) as b:
        def first(h: sycl.handler) -> None:
            h.set_args(sycl.accessor(b, h, sycl.write_only, sycl.no_init), np.int32(5))
            h.parallel_for(32, iota)

        def then(h: sycl.handler) -> None:
            h.set_args(sycl.accessor(b, h))
            h.parallel_for(sycl.nd_range(32, 8), twice)
        q.submit(first)
        q.submit(then)
    assert out.tolist() == [2 * (5 + k) for k in range(32)]


@pytest.mark.row("M-10", "I-6")
def test_what_does_not_compile_shows_the_log(compiling: sycl.queue) -> None:
    owner = compiling.get_context()
    plain = ext.build(ext.create_kernel_bundle_from_source(owner, OPENCL, SOURCE))
    assert not plain.ext_oneapi_has_kernel("twice")
    assert code_of(plain.ext_oneapi_get_kernel, "twice") == sycl.errc.invalid
    wrong = ext.create_kernel_bundle_from_source(owner, OPENCL, "__kernel void f() { nonsense; }")
    with pytest.raises(sycl.exception, match="nonsense") as caught:
        ext.build(wrong)
    assert caught.value.code() == sycl.errc.build
    assert code_of(ext.build, wrong, 3) == sycl.errc.invalid
    made = ext.create_kernel_bundle_from_source
    assert code_of(made, owner, "opencl", SOURCE) == sycl.errc.invalid
    assert ext.is_source_kernel_bundle_supported(owner, ext.source_language.sycl)


def word_string(text: str) -> list[int]:
    raw = text.encode() + b"\0"
    raw += b"\0" * (-len(raw) % 4)
    return [int.from_bytes(raw[k:k + 4], "little") for k in range(0, len(raw), 4)]


def iota_in_spirv() -> bytes:
    """Return the kernel ``iota`` of ``SOURCE`` as a module of SPIR-V 1.0."""
    (void, ulong, uint, vector, place, pointer, kind, where, kernel, out, start, entry, ids, index,
     number, value, cell) = range(1, 18)
    instructions = [
        (17, 4), (17, 6), (17, 11),  # capabilities: Addresses, Kernel, Int64
        (14, 2, 2),  # Physical64, OpenCL
        (15, 6, kernel, *word_string("iota"), where),
        (71, where, 11, 28),  # where is BuiltIn GlobalInvocationId
        (19, void), (21, ulong, 64, 0), (21, uint, 32, 0), (23, vector, ulong, 3),
        (32, place, 1, vector), (32, pointer, 5, uint), (33, kind, void, pointer, uint),
        (59, place, where, 1),
        (54, void, kernel, 0, kind), (55, pointer, out), (55, uint, start), (248, entry),
        (61, vector, ids, where), (81, ulong, index, ids, 0), (113, uint, number, index),
        (128, uint, value, number, start), (70, pointer, cell, out, index),
        (62, cell, value, 2, 4), (253,), (56,),
    ]
    words = [0x07230203, 0x00010000, 0, cell + 1, 0]
    for code, *operands in instructions:
        words += [(len(operands) + 1) << 16 | code, *operands]
    return np.array(words, "<u4").tobytes()


@pytest.mark.row("M-10", "I-6")
def test_a_module_of_spirv_becomes_kernels(queue: sycl.queue) -> None:
    spirv = ext.source_language.spirv
    owner = queue.get_context()
    if not ext.is_source_kernel_bundle_supported(queue.get_device(), spirv):
        assert code_of(ext.create_kernel_bundle_from_source, owner, spirv,
                       iota_in_spirv()) == sycl.errc.invalid
        pytest.skip("refused: the device takes no SPIR-V")
    bundle = ext.build(ext.create_kernel_bundle_from_source(owner, spirv, iota_in_spirv()))
    iota = bundle.ext_oneapi_get_kernel("iota")
    out = np.zeros(32, np.int32)
    with sycl.buffer(out) as b:
        @queue.submit
        def group(h: sycl.handler) -> None:
            h.set_args(sycl.accessor(b, h, sycl.write_only, sycl.no_init), np.int32(5))
            h.parallel_for(32, iota)
    assert out.tolist() == list(range(5, 37))


@pytest.mark.row("M-10", "I-6")
def test_what_is_no_spirv_is_refused(queue: sycl.queue) -> None:
    spirv = ext.source_language.spirv
    if not ext.is_source_kernel_bundle_supported(queue.get_device(), spirv):
        pytest.skip("refused: the device takes no SPIR-V")
    broken = ext.create_kernel_bundle_from_source(queue.get_context(), spirv, b"not a module")
    assert code_of(ext.build, broken) == sycl.errc.build


@pytest.mark.row("M-10")
def test_bundles_and_handles_say_what_they_are(compiling: sycl.queue) -> None:
    source = ext.create_kernel_bundle_from_source(compiling.get_context(), OPENCL, SOURCE)
    assert f"<source_bundle: {len(SOURCE)} characters of opencl>" == repr(source)
    assert "<built_bundle, executable: iota>" == repr(ext.build(source))
    assert "save_log([])" == repr(ext.save_log([]))
    seen: list[str] = []
    compiling.submit(lambda h: h.host_task(lambda handle: seen.append(repr(handle)))).wait()
    assert [f"<interop_handle on {compiling.get_device().state.name}>"] == seen
