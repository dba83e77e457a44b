"""Code for packages: a kernel's variants, and the code that the CPU itself runs on.

It is made for a level of x86-64 rather than for this processor, and may be made where the level is
lacking. Non-goals: files (``tools.build``). Invariant: nothing made here is run here, and code that
would need LLVM to be linked is refused.
"""

from __future__ import annotations

import dataclasses
import platform
from collections.abc import Iterator

from unisycl.backends.base import DeviceInfo, Geometry
from unisycl.backends.cpu.compile import jit, options
from unisycl.backends.cpu.compile.target import LEVELS, Machine, machine, of_level
from unisycl.backends.cpu.driver import FEWEST, SIZES, make_driver
from unisycl.backends.cpu.emit.widths import is_scalar
from unisycl.backends.cpu.making import find_facts, text_of
from unisycl.backends.cpu.pool import atomic_words, batch, child_kernels, crash, pool
from unisycl.backends.cpu.variants import ANY, Carried, Key, Parts
from unisycl.base.errors import UnsupportedError, UsageError, errc
from unisycl.ir import pickles
from unisycl.ir.nodes import Kernel


def facts() -> list[str]:
    """Return the triple and the layout of code for packages."""
    mine = machine()
    if platform.machine() != "x86_64":
        raise UnsupportedError(errc.feature_not_supported, "kernels are compiled into packages "
                               f"for x86-64 only so far, and this machine is {platform.machine()}")
    return [mine.triple, mine.layout]


def info(what: str) -> DeviceInfo:
    """Return what kernels may ask about all processors of a level."""
    sizes = tuple(s for s in SIZES if s * 32 <= 4 * _level(what).vector_bits)
    return dataclasses.replace(make_driver().devices()[0], sub_group_sizes=sizes)


def _level(name: str) -> Machine:
    """Return the machine of a level; ``errc.invalid`` names those there are."""
    if name not in LEVELS:
        raise UsageError(errc.invalid, f"there is no processor '{name}' for packages; there are "
                         f"{', '.join(LEVELS)}")
    return of_level(name, *facts())


def make(kernel: Kernel, geometry: Geometry, what: str) -> bytes:
    """Return the variants of a kernel for launches of a kind, for one level of processors."""
    with options.compiling_for(_level(what)):
        found = find_facts(kernel)
        return pickles.dumped(Carried(tuple(found), {
            key: _made(kernel, key) for key in _keys(kernel, geometry, *found[:2])}))


def _made(kernel: Kernel, key: Key) -> tuple[bytes, Parts]:
    module, parts = text_of(kernel, key)
    code = jit.made(module.text(), loops=is_scalar(kernel, parts.lanes), level=parts.level,
                    on=options.of(kernel).machine)
    if code[:1] != jit.LINKED:
        raise UnsupportedError(errc.build, f"kernel '{kernel.name}' makes code that LLVM has to "
                               "link when it runs; it cannot be compiled into a package")
    return code, parts


def _keys(kernel: Kernel, geometry: Geometry, lanes: int, size: int) -> Iterator[Key]:
    """Yield the variants of a kernel; the last one is right for every launch."""
    if kernel.index_kind != "range":
        if kernel.index_kind != "work_group":
            yield Key(edge=False, small=True, stream=False)
        yield Key(edge=False, small=False, stream=False)
        return
    for edge in (False, True):
        for units in range(len(geometry.global_)):
            yield Key(edge, small=True, stream=False, units=units)
        if size:
            yield Key(edge, small=True, stream=True)
        most = lanes
        while most > FEWEST and not kernel.sub_group:
            most //= 2
            yield Key(edge, small=True, stream=False, most=most)
    yield ANY


def runtime() -> dict[str, bytes]:
    """Return the code that the CPU runs on for every level, by the keys that processes ask with."""
    found = {}
    for target in map(_level, LEVELS):
        for text, opts in (pool.text(), crash.text(), batch.text(), child_kernels.text(),
                           atomic_words.text(target)):
            key = jit.entry_of(text, level=opts, on=target, shipped=True)
            found[key] = jit.made(text, level=opts, on=target)
    return found
