"""Primitives of oneDNN beside libdnnl called directly, and our kernels.

``python -m bench.dnn [--rounds N] [--kernels]``: interleaved; of each the least time and the least
processor time of all rounds. ``--winograd`` compares our kernels' two ways to one convolution
instead, and both with float64. ``OMP_NUM_THREADS=1`` compares on one thread. PyTorch is a peer of
the float cases where it is installed.
"""

from __future__ import annotations

import argparse
import ctypes
import functools
import importlib
import importlib.util
from collections.abc import Sequence
from typing import Any

import numpy as np

import unisycl as sycl
from bench.mkl import Run, least
from unisycl.oneapi import dnn
from unisycl.oneapi.dnn import arg, memory

TYPES = {"f32": memory.data_type.f32, "bf16": memory.data_type.bf16,
         "int8": memory.data_type.u8}


def product(e: Any, n: int, name: str = "f32") -> Any:
    """Return the descriptor of a product of matrices."""
    md = memory.desc((n, n), TYPES[name], "ab")
    return dnn.matmul.primitive_desc(e, md, md, md)


def convolution(e: Any, name: str, batch: int,
                way: Any = dnn.algorithm.convolution_direct) -> Any:
    """Return the descriptor of a convolution of 3 x 3, 64 to 64 channels, 56 x 56."""
    kind, tag = TYPES[name], memory.format_tag.any
    weights = memory.data_type.s8 if name == "int8" else kind
    mds = [memory.desc((batch, 64, 56, 56), kind, tag), memory.desc((64, 64, 3, 3), weights, tag),
           memory.desc((batch, 64, 56, 56), kind, tag)]
    attr = dnn.primitive_attr()
    if name == "int8":  # else libdnnl is not asked where products of bytes may not fit its sums
        attr.set_accumulation_mode(dnn.accumulation_mode.relaxed)
    return dnn.convolution_forward.primitive_desc(
        e, dnn.prop_kind.forward_inference, way, *mds, (1, 1), (1, 1), (1, 1), attr)


def through_us(queue: sycl.queue, kind: Any, pd: Any) -> Run:
    """Return a run by the library that is measured."""
    given = {a: memory(pd.exec_arg_desc(a), dnn.engine(queue))
             for a in (arg.SRC, arg.WEIGHTS, arg.DST)}
    made = kind(pd)
    return lambda: made.execute(queue, given).wait()


def directly(pd: Any) -> Run:
    """Return a run by libdnnl's C interface, with memory of its own."""
    capi = importlib.import_module("unisycl.oneapi.dnn.providers.capi")
    library, does = capi.dnnl(), pd.implementation
    made, stream = ctypes.c_void_p(), ctypes.c_void_p()
    library.call("primitive_create", ctypes.byref(made), does.handle)
    library.call("stream_create", ctypes.byref(stream), library.engine, 1)
    kept: list[Any] = [pd]
    pairs: list[Any] = []
    for number in (arg.SRC, arg.WEIGHTS, arg.DST, arg.SCRATCHPAD):
        at = does.described(int(number))
        md = library.description(at) if at else memory.desc()
        if md.is_zero():
            continue
        x = memory(md, pd.get_engine())
        mine = ctypes.c_void_p()
        library.call("memory_create", ctypes.byref(mine), ctypes.c_void_p(at), library.engine,
                     ctypes.c_void_p(x.get_data_handle().ctypes.data))
        kept.append(x)
        pairs.append((int(number), mine))

    class Pair(ctypes.Structure):
        _fields_ = (("number", ctypes.c_int), ("memory", ctypes.c_void_p))

    given = (Pair * len(pairs))(*(Pair(*p) for p in pairs))
    run = library.function("primitive_execute", [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int,
                                                 ctypes.c_void_p])

    wait = library.function("stream_wait", [ctypes.c_void_p]) if library.waits else None

    def call() -> Any:
        found = run(made, stream, len(kept) - 1, given)
        return found if wait is None else wait(stream)

    return call


def by_torch(name: str, batch: int) -> dict[str, Run]:
    """Return PyTorch's run of a convolution, or with no images of a product; or none."""
    if importlib.util.find_spec("torch") is None or name == "int8":
        return {}
    torch = importlib.import_module("torch")
    kind = {"f32": torch.float32, "bf16": torch.bfloat16}[name]
    if not batch:
        a, b, c = (torch.zeros(1024, 1024, dtype=kind) for _ in range(3))
        return {"torch": lambda: torch.matmul(a, b, out=c)}
    x = torch.zeros(batch, 64, 56, 56, dtype=kind).to(memory_format=torch.channels_last)
    w = torch.zeros(64, 64, 3, 3, dtype=kind).to(memory_format=torch.channels_last)
    return {"torch": lambda: torch.nn.functional.conv2d(x, w, padding=1)}


def show(title: str, found: dict[str, tuple[float, float]]) -> None:
    """Print one comparison, each as times libdnnl called directly."""
    peer = found["libdnnl"]
    print(f"{title:24} " + "; ".join(
        f"{n} {wall / 1e3:.2f} ms (processor {spent / 1e3:.2f}), {wall / peer[0]:.3f}"
        for n, (wall, spent) in found.items()))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the comparisons from the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.dnn")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--kernels", action="store_true", help="our kernels, too")
    parser.add_argument("--winograd", action="store_true", help="our kernels' ways alone")
    options = parser.parse_args(arguments)
    if options.winograd:
        return _ways(sycl.queue("cpu"), options.rounds)
    if "onednn" not in dnn.available():
        print("libdnnl is not installed: pip install 'unisycl[dnn]'")
        return 2
    queue = sycl.queue("cpu")
    e = dnn.engine(queue)
    print("by", dnn.provider_of(queue))
    cases: list[tuple[str, Any, Any, dict[str, Run]]] = [
        (f"matmul 1024 {n}", dnn.matmul, functools.partial(product, e, 1024, n), by_torch(n, 0))
        for n in ("f32", "bf16")]
    cases += [(f"convolution {n}", dnn.convolution_forward, functools.partial(convolution, e, n, 8),
               by_torch(n, 8)) for n in TYPES]
    for title, kind, describe, more in cases:
        pd = describe()
        if not pd.impl_info_str().startswith("onednn"):
            print(f"{title:24} libdnnl does not compute it on this processor")
            continue
        runs = {"dnn": through_us(queue, kind, pd), "libdnnl": directly(pd), **more}
        if options.kernels:
            with dnn.using("kernels"):
                runs["kernels"] = through_us(queue, kind, describe())
        show(title, least(runs, options.rounds))
    _empty(queue, e, options.rounds)
    return 0


def _ways(queue: sycl.queue, rounds: int) -> int:
    """Print what Winograd's way takes beside direct sums, and how far both are off."""
    e, rng = dnn.engine(queue), np.random.default_rng(1)
    x, w = (rng.uniform(-1, 1, n).astype(np.float32) for n in ((8, 64, 56, 56), (64, 64, 3, 3)))
    wide = np.pad(x.astype(float), ((0, 0), (0, 0), (1, 1), (1, 1)))
    taps = [np.tensordot(w[:, :, r, c].astype(float), wide[:, :, r:r + 56, c:c + 56], (1, 1))
            for r in range(3) for c in range(3)]
    right = np.sum(taps, 0).swapaxes(0, 1)
    runs: dict[str, Run] = {}
    for name in ("direct", "winograd"):
        with dnn.using("kernels"):
            pd = convolution(e, "f32", 8, dnn.algorithm[f"convolution_{name}"])
        y, made = np.zeros(right.shape, np.float32), dnn.convolution_forward(pd)
        given = {arg.SRC: memory(x, e), arg.WEIGHTS: memory(w, e), arg.DST: memory(y, e)}
        runs[name] = functools.partial(lambda m, g: m.execute(queue, g).wait(), made, given)
        runs[name]()
        print(f"{name:9} largest error {abs(y - right).max():.1e} of {abs(right).max():.1f}")
    found = least(runs, rounds)
    for name, (wall, spent) in found.items():
        print(f"{name:9} {wall / 1e3:.1f} ms, {found['direct'][0] / wall:.2f} times as fast; "
              f"processor {spent / 1e3:.1f} ms, {found['direct'][1] / spent:.2f}")
    return 0


def _empty(queue: sycl.queue, e: Any, rounds: int) -> None:
    """Print what a call costs that computes next to nothing."""
    pd = product(e, 4)
    found = least({"dnn": through_us(queue, dnn.matmul, pd), "libdnnl": directly(pd)}, rounds, 200)
    ours, peer = found["dnn"][0], found["libdnnl"][0]
    print(f"a call more than libdnnl's {ours - peer:.1f} us ({np.round(ours, 1)} us)")


if __name__ == "__main__":
    raise SystemExit(main())
