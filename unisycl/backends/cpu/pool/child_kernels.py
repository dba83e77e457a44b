"""Kernels that enqueue kernels, natively: the tables that ``offspring.ll`` works from.

Non-goals: kernels with texts, checks, progress of their own or reductions, whose trees the runtime
starts (``runtime.launch.child_kernels``). Invariant: no thread needs the GIL from the parent's
beginning to the end of its last child.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from unisycl.backends.base import BoundView, DeviceInfo, Launch
from unisycl.backends.cpu.abi import BLOCK_AT
from unisycl.backends.cpu.compile import jit
from unisycl.backends.cpu.compile.target import threads
from unisycl.backends.cpu.executable import CpuExecutable
from unisycl.backends.cpu.pool.job import NativeJob
from unisycl.backends.cpu.pool.pool import NativePool, addresses
from unisycl.base.errors import DeviceError, errc
from unisycl.ir.enqueue_records import CAPACITY, MOST_GENERATIONS, WORDS

_THREADS = 2
_HELP_NS = 200_000
_CONTEXT, _KIN = 128 // 8 + 64, 256 // 8
_KINDS = {"range": 1, "nd_range": 2}
_CODES = {
    1: "it waits for a user event whose status its parent never set",
    2: "the user event it waits for was set to {status}",
    3: "it waits for event {status}, which its parent did not make",
    4: "",
    5: "its index space has 2**31 or more work-items in a dimension; enqueue parts of it",
}


class Trees:
    """Runs trees on a pool of the driver's, from a thread or two beside it."""

    def __init__(self, pool: NativePool, info: DeviceInfo) -> None:
        self._pool = pool
        self._facts = (info.details["preferred_work_group_size_multiple"] << 32
                       | info.max_work_group_size)
        self._own = NativePool(_THREADS)

    def submit(self, launch: Launch, deps: Any) -> NativeJob | None:
        """Start a tree; None if a kernel of it is not for this."""
        kin = launch.tree.kin
        if launch.reductions or not all(_fit(k.launch.executable) for k in kin):
            return None
        submit, wait = addresses()
        state = self._pool.address()
        if not state:
            return None
        context = (ctypes.c_int64 * _CONTEXT)()
        kept: list[Any] = [context, launch]
        tables = (ctypes.c_int64 * (_KIN * len(kin)))()
        for number, one in enumerate(kin):
            row: Any = _row(one, one.launch if number else launch, number, kept)
            tables[_KIN * number:_KIN * number + len(row)] = row
        context[1:6] = [submit, wait, state, ctypes.addressof(tables), _HELP_NS]
        context[13] = self._facts
        kept += [tables, [k.launch for k in kin], self._pool]
        return self._own.submit(_code(), ctypes.addressof(context), 1, 1, deps, kept, error_at=0,
                                on_error=_explain(context, [k.name for k in kin]), assisted=False)


def _fit(executable: CpuExecutable) -> bool:
    kernel = executable.kernel
    return not (executable.sites or kernel.progress or kernel.waits or kernel.apart
                or kernel.reducers)


def _row(kin: Any, launch: Launch, number: int, kept: list[Any]) -> list[int]:
    """Return the table of one kernel, as offspring.ll has it."""
    executable: CpuExecutable = launch.executable  # type: ignore[assignment]
    plan = executable.plan(launch.geometry)
    slots = executable.layout.params
    values = list(launch.values)
    for index, _, kind in kin.numbers:
        values[index] = kind.type(0)
    for index, what in kin.memory:
        values[index] = _nowhere(what.dtype.name, what.count)
    block = executable.packer.pack(plan.head, values)[BLOCK_AT:]
    template = ctypes.create_string_buffer(block, len(block))
    numbers = _pairs((8 * slots[i], 8 * word) for i, word, _ in kin.numbers)
    memory = _pairs((8 * slots[i], what.counts) for i, what in kin.memory)
    children = (ctypes.c_int64 * max(1, len(kin.children)))(*kin.children)
    kept += [template, numbers, memory, children, executable]
    local = (*kin.local, 1, 1, 1)[:3]
    fixed = number == 0 or kin.kind == "single"
    return [executable.entry, 0 if fixed else _KINDS[kin.kind], kin.ndim, len(block),
            ctypes.addressof(template), len(kin.numbers), ctypes.addressof(numbers),
            len(kin.memory), ctypes.addressof(memory), *local, executable.lanes,
            executable.least_share, threads() * 16, ctypes.addressof(children), plan.units,
            plan.grain, number]


def _pairs(pairs: Any) -> Any:
    flat = [int(x) for pair in pairs for x in pair]
    return (ctypes.c_int64 * max(2, len(flat)))(*flat)


@functools.cache
def _nowhere(dtype: str, count: int) -> BoundView:
    """Return a view of as many elements whose address is filled in natively."""
    return BoundView(np.empty(1, dtype), 0, (count,), (1,))


def _explain(context: Any, names: Sequence[str]) -> Callable[[int], BaseException]:
    """Return what makes the error of a failed tree."""
    def explain(code: int) -> BaseException:
        name = names[context[6]] if context[6] >= 0 else ""
        what = f"kernel '{name}'" if name else "a marker"
        if code == 4:
            return DeviceError(errc.kernel, f"{what} was enqueued in generation "
                               f"{MOST_GENERATIONS}, and enqueues still more; does the recursion "
                               "end?")
        why = _CODES[code].format(status=context[7])
        return DeviceError(errc.kernel, f"{what}, enqueued by a kernel, did not run: {why}")
    return explain


@functools.cache
def _code() -> int:
    """Compile offspring.ll; return the address of its entry."""
    return _loaded().addresses["tree_run"]


@functools.cache
def _loaded() -> jit.Loaded:
    source, level = text()
    return jit.load(source, ("tree_run",), level=level)


def text() -> tuple[str, int]:
    """Return what runs enqueued kernels as LLVM IR, and LLVM's level for it."""
    text = Path(__file__).with_name("child_kernels.ll").read_text(encoding="utf-8")
    for name, value in (("MEMORY_BYTES", 64 + 8 * WORDS * CAPACITY), ("CAPACITY", CAPACITY),
                        ("GENERATIONS", MOST_GENERATIONS)):
        text = text.replace(f"i64 {name}", f"i64 {value}").replace(f", {name}\n", f", {value}\n")
    return text, 2
