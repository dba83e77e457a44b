"""Programs that a card has to show besides the suite: other libraries' arrays, and more.

``python -m tests.device.cuda --parts arrays`` runs those of a part. A library that is missing is
said to be. Non-goals: speed. Invariant: results are compared with NumPy's.
"""

from __future__ import annotations

import importlib
import time
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.device import algorithms, cuda_costs
from unisycl.oneapi import dpl
from unisycl.testing import find_device

N = 1 << 20
Program = Callable[[sycl.queue], None]


class Missing(Exception):
    """What a program needs is not there."""


def needed(name: str) -> Any:
    """Return a module; ``Missing`` where there is none."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Missing(str(error)) from error


def add(i: Any, p: Any, n: Any) -> None:
    p[i] = p[i] + n


def joined(i: Any, p: Any, a: Any) -> None:
    p[i] = p[i] + a[i]


# ------------------------------------------------------------------ other libraries' arrays
def cupy_arrays(q: sycl.queue) -> None:
    """Work before and behind a kernel in a stream of CuPy's own."""
    cupy = needed("cupy")
    with cupy.cuda.Stream(non_blocking=True):
        for turn in range(20):
            a = cupy.zeros(N, np.float32)
            a += turn
            q.parallel_for(N, add, a, np.float32(1))
            b = a * 2
            assert float(b.min()) == float(b.max()) == 2 * (turn + 1)


def cupy_parts(q: sycl.queue) -> None:
    """Strided parts of an array."""
    cupy = needed("cupy")
    a = cupy.zeros((64, 64), np.int32)
    part = a[::2, 1:60:3]
    q.parallel_for(part.shape, add, part, np.int32(5)).wait()
    q.parallel_for((64, 64), add, a.T, np.int32(1)).wait()
    want = np.zeros((64, 64), np.int32)
    want[::2, 1:60:3] += 5
    np.testing.assert_array_equal(cupy.asnumpy(a), want + 1)


def device_memory_out(q: sycl.queue) -> None:
    """Device allocations as arrays of CuPy's, PyTorch's and JAX's, without a copy."""
    cupy, torch, jax = needed("cupy"), needed("torch"), needed("jax")
    p = sycl.malloc_device((4, 8), np.float32, q)
    q.fill(p, np.float32(2), 32).wait()
    a, b, c, d = (cupy.asarray(p), cupy.from_dlpack(p), torch.as_tensor(p, device="cuda"),
                  torch.from_dlpack(p))
    assert p.address() == a.data.ptr == b.data.ptr == c.data_ptr() == d.data_ptr()
    e = jax.dlpack.from_dlpack(p)
    a += 1
    cupy.cuda.Device().synchronize()
    assert {3.0} == {float(x.min()) for x in (b, c, d, e)}
    q.parallel_for(p.shape, add, p, np.float32(1)).wait()
    assert 4.0 == float(a.max()) == float(d.min())


def cupy_algorithms(q: sycl.queue) -> None:
    """Algorithms of oneDPL over CuPy's arrays."""
    cupy = needed("cupy")
    given = np.random.default_rng(1).integers(0, 1 << 20, N, np.int32)
    a, b = cupy.asarray(given), cupy.zeros(N, np.int32)
    assert int(given.max()) == int(dpl.reduce(q, a, 0, sycl.maximum()))
    dpl.inclusive_scan(q, a, b)
    np.testing.assert_array_equal(cupy.asnumpy(b), np.cumsum(given, dtype=np.int32))
    dpl.sort(q, a)
    np.testing.assert_array_equal(cupy.asnumpy(a), np.sort(given))


def every_algorithm(q: sycl.queue) -> None:
    """Every algorithm of oneDPL over CuPy's and PyTorch's arrays, and memory of the card."""
    for name in ("cupy", "torch"):
        needed(name)
    found = list(algorithms.differences(q, ["cupy", "torch", "device", "usm"], 1000, []))
    assert not any(found), "\n".join(line for line in found if line)


def torch_tensors(q: sycl.queue) -> None:
    """Work before and behind a kernel in PyTorch's current stream; bfloat16."""
    torch = needed("torch")
    with torch.cuda.stream(torch.cuda.Stream()):
        for turn in range(20):
            a = torch.zeros(N, device="cuda")
            a += turn
            q.parallel_for(N, add, a, np.float32(1))
            b = a * 2
            assert b.min().item() == b.max().item() == 2 * (turn + 1)
    short = torch.ones(64, device="cuda", dtype=torch.bfloat16)
    q.parallel_for(64, add, short, np.float32(1)).wait()
    assert short.float().sum().item() == 128
    tracked = torch.zeros(4, device="cuda", requires_grad=True)
    with pytest.raises(sycl.exception, match="detach"):
        q.parallel_for(4, add, tracked, np.float32(1))


def jax_arrays(q: sycl.queue) -> None:
    """Arrays that are still being computed, and that kernels may only read."""
    jnp = needed("jax.numpy")
    p, out = sycl.malloc_device(N, np.float32, q), np.zeros(N, np.float32)
    for turn in range(10):
        q.fill(p, 1).wait()
        a = jnp.sin(jnp.full(N, turn, np.float32)) ** 2
        q.parallel_for(N, joined, p, a).wait()
        q.memcpy(out, p, out.nbytes).wait()
        np.testing.assert_allclose(out, 1 + np.sin(turn) ** 2, rtol=1e-5)
    with pytest.raises(sycl.exception, match="read"):
        q.parallel_for(N, add, a, np.float32(1))


# ------------------------------------------------------------------ priorities
def spun(i: Any, p: Any, n: Any) -> None:
    x = p[i]
    for _ in range(n):
        x = x * np.float32(0.999) + np.float32(1)
    p[i] = x


def priorities(q: sycl.queue) -> None:
    """A kernel of an urgent queue behind much work of another: it should end long before that."""
    kinds = sycl.property.queue
    device = q.get_device()
    slow = sycl.queue(device, kinds.priority_low(), kinds.enable_profiling())
    about = sycl.info.event_profiling
    for kind in (kinds.priority_low, kinds.priority_high):
        urgent = sycl.queue(device, kind(), kinds.enable_profiling())
        p, small = (sycl.malloc_device(n, np.float32, slow) for n in (1 << 24, 1 << 10))
        slow.fill(p, 0)
        urgent.fill(small, 0)
        slow.wait()
        for queue in (slow, urgent):
            queue.parallel_for(1 << 10, spun, small, np.int32(1)).wait()
        work = [slow.parallel_for(1 << 24, spun, p, np.int32(2000)) for _ in range(4)]
        one = urgent.parallel_for(1 << 10, spun, small, np.int32(1))
        one.wait()
        slow.wait()
        end = one.get_profiling_info(about.command_end)
        begin = work[0].get_profiling_info(about.command_start)
        last = work[-1].get_profiling_info(about.command_end)
        print(f"{kind.__name__}: ended after {(end - begin) / 1e3:.0f} us of "
              f"{(last - begin) / 1e3:.0f} us of other work")


# ------------------------------------------------------------------ graphs
def graph_of_all(q: sycl.queue) -> None:
    """A graph with a fill, a copy of rows, a copy and kernels, replayed with other operands."""
    extension = sycl.ext.oneapi.experimental
    queue = sycl.queue(q.get_device(), sycl.property.queue.in_order())
    p, other, r = (sycl.malloc_device(N, np.float32, queue) for _ in range(3))
    out = np.zeros(N, np.float32)
    queue.fill(other, 7).wait()
    graph: Any = extension.command_graph(queue)
    source: Any = extension.dynamic_parameter(graph, p)
    first = graph.add(lambda h: h.fill(p, np.float32(1)))
    second = graph.add(lambda h: h.parallel_for(N, add, p, np.float32(2)), depends_on=[first])
    third = graph.add(lambda h: h.memcpy(r, source, out.nbytes), depends_on=[second])
    fourth = graph.add(lambda h: h.ext_oneapi_memcpy2d(r, 64, p.pointer_to(16), 128, 32, 100),
                       depends_on=[third])
    graph.add(lambda h: h.parallel_for(N, add, r, np.float32(1)), depends_on=[fourth])
    ready: Any = graph.finalize(extension.property.graph.updatable())
    for want in (4, 4):
        queue.ext_oneapi_graph(ready)
        queue.memcpy(out, r, out.nbytes).wait()
        assert (out == want).all(), out[:8]
    source.update(other)
    ready.update(third)
    queue.ext_oneapi_graph(ready)
    queue.memcpy(out, r, out.nbytes).wait()
    part = np.full(N, 8, np.float32)
    part[:1600].reshape(100, 16)[:, :8] = 4
    np.testing.assert_array_equal(out, part)


# ------------------------------------------------------------------ several cards
def cards() -> list[sycl.device]:
    """Return the cards; ``Missing`` where there is one only."""
    found = [d for d in sycl.device.get_devices() if d.get_backend() is sycl.backend.cuda]
    if len(found) < 2:
        raise Missing("there is one card only")
    return found


def peers(q: sycl.queue) -> None:
    """Buffers that go from card to card, and kernels that use a peer's memory in place."""
    first, second = cards()[:2]
    queues = [sycl.queue(d) for d in (first, second)]
    given = np.arange(N, dtype=np.float32)
    with sycl.buffer(given) as b:
        def group(h: sycl.handler) -> None:
            h.parallel_for(N, add, sycl.accessor(b, h), np.float32(1))
        for turn in range(10):
            queues[turn % 2].submit(group)
    np.testing.assert_array_equal(given, np.arange(N, dtype=np.float32) + 10)
    if not first.ext_oneapi_can_access_peer(second):
        print("the cards do not reach each other's memory")
        return
    first.ext_oneapi_enable_peer_access(second)
    both = sycl.context([first, second])
    here, there = (sycl.queue(both, d) for d in (first, second))
    p = sycl.malloc_device(N, np.float32, second, both)
    there.fill(p, 4).wait()
    here.parallel_for(N, add, p, np.float32(1)).wait()
    there.memcpy(given, p, given.nbytes).wait()
    assert (given == 5).all()
    first.ext_oneapi_disable_peer_access(second)


def split(q: sycl.queue) -> None:
    """One buffer, worked on by one card, and by two in halves: sub-buffers, and ranged accessors.

    A ranged accessor requires the whole buffer, so such halves go to and fro.
    """
    for size in (1 << 27, 1 << 29):
        for used, halves in ((cards()[:1], True), (cards()[:2], True), (cards()[:2], False)):
            _split(size, used, halves=halves)


def _split(size: int, used: list[sycl.device], *, halves: bool, rounds: int = 20) -> None:
    """Print what a round takes on some cards, and what of it goes on giving the commands."""
    queues, part = [sycl.queue(d) for d in used], size // len(used)
    with sycl.buffer(np.zeros(size, np.float32)) as b:
        b.set_write_back(False)
        parts = [sycl.buffer(b, sycl.id(part * k), sycl.range(part)) for k in range(len(used))]

        def group(h: sycl.handler, k: int) -> None:
            acc = sycl.accessor(parts[k], h) if halves else sycl.accessor(
                b, h, sycl.range(part), sycl.id(part * k))
            h.parallel_for(part, spun, acc, np.int32(20))
        work = list(enumerate(queues)) * rounds
        for _ in range(3):
            begin = time.perf_counter()
            for k, queue in work:
                queue.submit(lambda h, k=k: group(h, k))
            given = time.perf_counter() - begin
            for queue in queues:
                queue.wait()
            spent = time.perf_counter() - begin
        print(f"{len(used)} cards, {size >> 18} MiB by "
              f"{'sub-buffers' if halves else 'ranged accessors'}: {spent / rounds * 1e6:.0f} "
              f"us a round, of which {given / rounds * 1e6:.0f} us to give the commands")


def fetched(q: sycl.queue) -> None:
    """How fast a buffer goes from one card to another."""
    queues = [sycl.queue(d) for d in cards()[:2]]
    size = 1 << 28
    with sycl.buffer(np.zeros(size, np.float32)) as b:
        b.set_write_back(False)

        def group(h: sycl.handler) -> None:
            acc = sycl.accessor(b, h)
            h.single_task(lambda: touched(acc))
        for turn in range(9):
            begin = time.perf_counter()
            queues[turn % 2].submit(group).wait()
            spent = time.perf_counter() - begin
            if turn > 2:
                print(f"{4 * size / spent / 1e9:.0f} GB/s")


def touched(p: Any) -> None:
    p[0] = p[0] + 1


PARTS: dict[str, tuple[Program, ...]] = {
    "arrays": (cupy_arrays, cupy_parts, device_memory_out, cupy_algorithms, torch_tensors,
               jax_arrays, every_algorithm),
    "priorities": (priorities,), "graphs": (graph_of_all,),
    "cards": (peers, split, fetched), **cuda_costs.PARTS}


def run(part: str, device: str) -> None:
    """Run the programs of a part; print what went wrong."""
    q = sycl.queue(find_device(device))
    for program in PARTS[part]:
        begin = time.perf_counter()
        try:
            program(q)
        except Missing as error:
            print(f"{program.__name__}: not run, {error}", flush=True)
        except Exception:  # noqa: BLE001 - the next one may work
            print(f"{program.__name__}: FAILED\n{traceback.format_exc()}", flush=True)
        else:
            print(f"{program.__name__}: well, {time.perf_counter() - begin:.2f} s", flush=True)
