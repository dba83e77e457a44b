"""What launches by turns that differ in numbers leave behind: forms, not one for each launch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.executed import execute
from unisycl.backends.cpu.driver import CpuDriver
from unisycl.frontend import captures
from unisycl.runtime.launch import args, program, varied

N = 16


def put(i: Any, out: Any, x: Any) -> None:
    out[i] = x


def put_member(i: Any, out: Any, p: Any) -> None:
    out[i] = p.x


def grow(i: Any, out: Any, by: Any) -> None:
    out[i] += by


def test_kernels_and_memories_by_turns_have_forms_of_their_own(
        monkeypatch: pytest.MonkeyPatch) -> None:
    q, made, prepared = sycl.queue(sycl.cpu_selector_v), [], []
    outs = [sycl.malloc_shared(N, np.float32, q) for _ in range(2)]
    points, form, find = np.zeros(1, [("x", "f4"), ("n", "i4")]), CpuDriver.varied, program._find
    monkeypatch.setattr(CpuDriver, "varied", staticmethod(
        lambda *given: made.append(given) or form(*given)))
    monkeypatch.setattr(program, "_find", lambda *given: prepared.append(given) or find(*given))

    def turn(k: int) -> None:
        points["x"] = k
        for out in outs:
            q.parallel_for(N, put, out, float(k)).wait()
            q.parallel_for(N, grow, out, k).wait()
            assert out[N - 1] == 2 * k
            q.parallel_for(N, put_member, out, points[0]).wait()
            assert out[0] == k
    for k in range(80):
        turn(k)
    before = len(made), len(prepared)
    assert before[0] <= 16
    for k in range(30):
        turn(k)
    assert (len(made), len(prepared)) == before
    assert len(q.channel.varied) == 3


def test_what_is_kept_of_a_queue_has_an_end() -> None:
    q, out = sycl.queue(sycl.cpu_selector_v), np.zeros(N, np.float32)
    for k in range(varied._CODES + 3):
        found: dict[str, Any] = {}
        execute(f"def put(i, out, x):\n    out[i] = x + {k}\n", found, f"<text {k}>")
        for x in range(12):
            q.parallel_for(N, found["put"], out, x).wait()
            assert (out == x + k).all()
    assert len(q.channel.varied) <= varied._CODES


def test_parts_of_arrays_are_neither_prepared_nor_bound_again(
        monkeypatch: pytest.MonkeyPatch) -> None:
    q, bound, find = sycl.queue(sycl.cpu_selector_v), [], args.bind_array
    monkeypatch.setattr(args, "bind_array", lambda *given: bound.append(given) or find(*given))
    whole = np.zeros((N, N), np.float32)
    for k in range(20):
        q.parallel_for(N, grow, whole[k % N], 1).wait()
    before = len(bound)
    for k in range(30):
        q.parallel_for(N, grow, whole[k % N], 1).wait()
        q.parallel_for(N, grow, np.zeros(N, np.float32), k).wait()
    assert len(bound) <= before + 10
    assert whole.sum() == 50 * N


class Adds:
    def __init__(self, out: Any, by: float) -> None:
        self.out, self.by = out, by

    def __call__(self, i: Any) -> None:
        self.out[i] += self.by


def test_objects_and_kernels_with_attributes_are_known_as_functions_are(
        monkeypatch: pytest.MonkeyPatch) -> None:
    q, prepared, find = sycl.queue(sycl.cpu_selector_v), [], program._find
    monkeypatch.setattr(program, "_find", lambda *given: prepared.append(given) or find(*given))
    out = sycl.malloc_shared(N, np.float32, q)
    out[...] = 0
    marked = sycl.kernel(reqd_sub_group_size=8)(grow)
    for k in range(40):
        q.parallel_for(N, Adds(out, 1.0)).wait()
        q.parallel_for(N, Adds(out, float(k + 2))).wait()
        q.parallel_for(N, marked, out, 2).wait()
        q.submit(lambda h: h.parallel_for(N, marked, out, 3)).wait()
    assert len(prepared) == 2
    assert (np.asarray(out) == 40 * 8 + 39 * 20).all()


def test_a_kernel_of_pointers_and_arrays_asks_for_the_last_kind_first(
        monkeypatch: pytest.MonkeyPatch) -> None:
    q, asked, find = sycl.queue(sycl.cpu_selector_v), [], captures.array_type
    monkeypatch.setattr(captures, "array_type", lambda one: asked.append(one) or find(one))
    pointer, whole = sycl.malloc_shared(N, np.float32, q), np.zeros((2, N), np.float32)
    for k in range(20):
        q.parallel_for(N, grow, whole[k % 2], float(k)).wait()
    for k in range(20):
        q.parallel_for(N, grow, pointer, float(k)).wait()
    for k in range(3):
        q.parallel_for(N, grow, whole[k % 2], float(k)).wait()
    before = len(asked)
    for k in range(20):
        q.parallel_for(N, grow, whole[k % 2], float(k)).wait()
    assert len(asked) <= before + 4
