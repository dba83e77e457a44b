"""Options of the compiler for a kernel, a launch, or a bundle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl.runtime.launch import compiled_kernels

x = sycl.ext.oneapi.experimental
pytestmark = pytest.mark.row("K-10")


def series(i, p, out):
    total = np.float32(0)
    for k in range(8):
        total += p[i * 8 + k] / np.float32(3)
    out[i] = total


def made(*words: str) -> Any:
    return sycl.kernel(properties=[x.build_options(*words)])(series)


def texts(queue: sycl.queue, kernel: Any, stage: str) -> str:
    with compiled_kernels.kernels() as seen:
        queue.parallel_for(4, kernel, np.zeros(32, np.float32), np.zeros(4, np.float32)).wait()
    return str(getattr(seen[0], f"{stage}_text")())


@pytest.mark.parametrize("words", [(), ("-O0",), ("-O1",), ("-O2",), ("-O3",), ("-g",),
                                   ("-march=native",), ("-ffast-math",), ("-O3", "-g")])
def test_options_change_no_more_than_the_last_digits(queue: sycl.queue,
                                                     words: tuple[str, ...]) -> None:
    given = np.random.default_rng(3).random(800, dtype=np.float32)
    out = np.zeros(100, np.float32)
    kernel = made(*words)
    queue.parallel_for(100, kernel, given, out).wait()
    np.testing.assert_allclose(out, given.reshape(100, 8).sum(1) / 3, rtol=3e-6)
    report = kernel.report(queue, 100, given, out)
    assert f"options: {' '.join(sorted(words, key=lambda w: w[:2])) or 'none'}" in report
    assert "build: " in report


def test_each_option_is_in_the_code(queue: sycl.queue) -> None:
    if queue.get_device().get_backend() is not sycl.backend.cpu:
        assert texts_are_refused(queue)
        return
    plain, fast = texts(queue, made(), "llvm"), texts(queue, made("-ffast-math"), "llvm")
    assert "reassoc" in fast
    assert "reassoc" not in plain
    slow = texts(queue, made("-O0"), "llvm")  # every variable has its place in memory there
    assert "= alloca float" in slow or slow.count("alloca") > plain.count("alloca") + 2
    assert plain.count("alloca") <= 2  # of who looks at the mode of arithmetic, and a mask's copy
    lines = texts(queue, made("-g"), "asm")
    assert ".loc" in lines
    assert "test_build_options.py" in lines
    assert ".loc" not in texts(queue, made(), "asm")


def texts_are_refused(queue: sycl.queue) -> bool:
    with pytest.raises(sycl.exception):
        texts(queue, made(), "llvm")
    return True


def test_a_processor_is_compiled_for_only_if_it_can_run(queue: sycl.queue) -> None:
    out = np.zeros(4, np.float32)
    given = np.ones(32, np.float32)
    kind = queue.get_device().get_backend()
    if kind is sycl.backend.host:
        queue.parallel_for(4, made("-march=z80"), given, out).wait()
        assert "no effect" in made("-march=z80").report(queue, 4, given, out)
        return
    with pytest.raises(sycl.exception, match="-march=z80") as caught:
        queue.parallel_for(4, made("-march=z80"), given, out)
    assert caught.value.code() == sycl.errc.build
    if kind is sycl.backend.cpu and "x86-64," in caught.value.what() + ",":
        queue.parallel_for(4, made("-march=x86-64"), given, out).wait()
        np.testing.assert_allclose(out, 8 / 3, rtol=1e-6)
        assert "vectors of 128 bits" in made("-march=x86-64").report(queue, 4, given, out)
        assert "zmm" not in texts(queue, made("-march=x86-64"), "asm")


@pytest.mark.parametrize("words", [("-funroll-loops",), ("-O4",), ("-march=",), ("fast",),
                                   ("-O1", "-O2")])
def test_unknown_options_are_refused_by_name(queue: sycl.queue, words: tuple[str, ...]) -> None:
    with pytest.raises(sycl.exception) as caught:
        sycl.kernel(properties=[x.build_options(*words)])(series)
    assert caught.value.code() == sycl.errc.invalid
    assert words[-1] in caught.value.what()
    assert "-ffast-math" in caught.value.what() or "contradict" in caught.value.what()


def test_options_of_a_launch_and_of_a_kernel_join(queue: sycl.queue) -> None:
    out, given = np.zeros(4, np.float32), np.ones(32, np.float32)
    queue.parallel_for(4, x.properties(x.build_options("-O1")), series, given, out).wait()
    np.testing.assert_allclose(out, 8 / 3, rtol=1e-6)
    with pytest.raises(sycl.exception, match="options is given twice"):
        queue.parallel_for(4, x.properties(x.build_options("-O1")), made("-O3"), given, out)


def test_fast_math_is_that_of_the_kernel(queue: sycl.queue) -> None:
    def ask(i, out):
        out[i] = 1 if sycl.fast_relaxed_math() else 0

    out = np.zeros(2, np.int32)
    kernel = sycl.kernel(properties=[x.build_options("-ffast-math")])(ask)
    queue.parallel_for(2, kernel, out).wait()
    assert out.tolist() == [1, 1]


@sycl.kernel
def bundled(i, p):
    p[i] = 3 * p[i]


def test_a_bundle_has_options_for_all_its_kernels(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(5, np.float32, queue)
    p[:] = 2
    bundled.declare(5, p)
    where = queue.get_context()
    source = sycl.get_kernel_bundle(where, [queue.get_device()], [bundled],
                                    state=sycl.bundle_state.input)
    with pytest.raises(sycl.exception) as caught:
        sycl.build(source, x.build_options("-Os"))
    assert caught.value.code() == sycl.errc.invalid
    with pytest.raises(sycl.exception, match="expected devices and build_options"):
        sycl.compile(source, None, "-O2")
    built = sycl.build(source, x.build_options("-O1", "-g"))
    assert "options: -O1 -g" in built.get_kernel(bundled).report()
    assert "options: none" in sycl.build(source).get_kernel(bundled).report()

    def run(h: sycl.handler) -> None:
        h.use_kernel_bundle(built)
        h.parallel_for(5, bundled, p)

    with compiled_kernels.kernels() as seen:
        queue.submit(run).wait()
    assert dict(seen[0].kernel.traits)["options"] == ("-O1", "-g")
    assert p[:5].tolist() == [6] * 5
    sycl.free(p, queue)
