"""The CPU's code for a kernel, by way of its text: what is decided on the way, and LLVM.

It is loaded where the cache has nothing. Non-goals: running code (``driver``), its arguments
(``executable``).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial

from unisycl.backends.cpu.checks import watching
from unisycl.backends.cpu.compile import decision_cache, jit, options
from unisycl.backends.cpu.compile.plain import plain
from unisycl.backends.cpu.emit import entry, queries
from unisycl.backends.cpu.emit.lines import Lines
from unisycl.backends.cpu.emit.memory import STREAM_ALIGN
from unisycl.backends.cpu.emit.text import LOOSE, Module
from unisycl.backends.cpu.emit.widths import (
    choose_lanes,
    is_scalar,
    other_lanes,
    shapes_of,
    widest_element,
)
from unisycl.backends.cpu.pool import direct_code
from unisycl.backends.cpu.variants import SMALL, SYMBOL, Key, Parts
from unisycl.base.dataclass import dataclass
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import View
from unisycl.passes import pipeline
from unisycl.passes.interior import interior
from unisycl.passes.shared import long_chains
from unisycl.passes.simd import columns, flat_rows, streams

_DEEP = 24  # branches one inside the other
_VERY_DEEP = 100
_GATHERS = 512  # bits of vectors of processors whose gathers are fast
_LINE = 512  # bits of a line of a cache


@dataclass(frozen=True, slots=True)
class Prepared:
    """A kernel as it is before its bodies are made, and what was decided until then."""

    kernel: n.Kernel
    lanes: int
    level: int
    ids_below: int


def prepared(kernel: n.Kernel, key: Key) -> Prepared:
    """Return a kernel behind the passes that come before its bodies."""
    asked = options.of(kernel)
    level = _level(kernel, asked.level)
    kernel = plain(kernel)
    facts = pipeline.Facts(ids_below=SMALL if key.small else 1 << 63,
                           deepest=-1 if level == jit.LIGHTEST else 1 << 63)
    kernel = pipeline.run(kernel, "simd", "depth", facts)
    lanes = key.most or choose_lanes(kernel, asked.machine.vector_bits)
    kernel = pipeline.run(kernel, "simd", "rows", pipeline.Facts(
        lanes=lanes, units=key.units, paired=asked.machine.vector_bits < _GATHERS,
        shapes=partial(shapes_of, lanes=lanes, units=key.units)))
    kernel = pipeline.run(kernel, "simd", "launch", facts)
    return Prepared(kernel, lanes, level, facts.ids_below)


def text_of(kernel: n.Kernel, key: Key) -> tuple[Module, Parts]:
    """Return the LLVM module of a kernel before optimisation, and what else was decided."""
    asked, written = options.of(kernel), kernel
    found = asked.machine
    ready = prepared(kernel, key)
    kernel, lanes = ready.kernel, ready.lanes
    module = Module(found.triple, found.layout, LOOSE if asked.fast else "contract")
    module.lacks_wide = found.triple.startswith("x86_64") and found.vector_bits < 512
    module.fuses = found.fuses
    if asked.lines and kernel.span is not None:
        module.lines = Lines(kernel.name, kernel.span)
    layout, sites = entry.build(kernel, module, SYMBOL + ".rows" if key.flat else SYMBOL, lanes,
                                found.vector_bits, edge=key.edge or key.stream or key.lines,
                                stream=key.stream, lines=key.lines, ids_below=ready.ids_below,
                                units=key.units)
    if key.flat:
        lanes = _flat(written, key, module)
    direct_code.emit(module, SYMBOL, layout.reducer(0) if kernel.reducers else None)
    loops = {type(s) for s in visit.statements(written.body)} & {n.While, n.For}
    pairs = max(1, lanes * widest_element(written) // (2 * found.vector_bits))
    return module, Parts(lanes, ready.level, layout, sites, watching.plan(kernel),
                         direct_code.steps(plain(written), lanes, written.params, pairs,
                                           max(1, 2 * found.vector_bits // _LINE)),
                         bool(loops), loops == {n.For},
                         0 if key.most or key.flat or asked.fast else
                         other_lanes(plain(written), lanes, found.vector_bits),
                         not (key.units or key.flat) and _crossed(plain(written), lanes))


def _crossed(kernel: n.Kernel, lanes: int) -> bool:
    return lanes > 1 and columns.crossed(kernel, shapes_of(kernel, lanes))


def _flat(kernel: n.Kernel, key: Key, module: Module) -> int:
    """Write the entry of a kernel whose last dimensions are tried as one; return its lanes."""
    ready = prepared(kernel, key._replace(most=0))
    tests = flat_rows.conditions(plain(kernel), key.flat)
    assert tests is not None
    bits = options.of(kernel).machine.vector_bits
    entry.build(ready.kernel, module, SYMBOL + ".flat", ready.lanes, bits, edge=True,
                ids_below=ready.ids_below, flat=key.flat)
    entry.choose(ready.kernel, module, SYMBOL, bits, entry.Flat(
        key.flat, tests, ready.ids_below))
    return ready.lanes


def shown(kernel: n.Kernel, key: Key, show: Callable[..., str]) -> str:
    """Return what ``show`` makes of a kernel's text, for people."""
    module, parts = text_of(kernel, key)
    return show(module.text(), loops=is_scalar(kernel, parts.lanes), level=parts.level,
                on=options.of(kernel).machine)


def make(kernel: n.Kernel, key: Key, names: tuple[str, ...]) -> tuple[jit.Loaded, Parts]:
    """Return the code of a kernel through its text."""
    module, parts = text_of(kernel, key)
    text, loops, asked = module.text(), is_scalar(kernel, parts.lanes), options.of(kernel)
    level = parts.level
    loaded = jit.load(text, names, loops=loops, level=level, on=asked.machine)
    if not parts.sites and parts.watch is None:  # neither is kept with the code
        code = jit.entry_of(text, loops=loops, level=level, on=asked.machine)
        decision_cache.note(kernel, [
            code, parts.lanes, parts.steps, parts.heavy, parts.counted, parts.other,
            parts.crossed, *dataclasses.astuple(parts.layout)], repr(key))
    return loaded, parts


def _level(kernel: n.Kernel, asked: int) -> int:
    """Return how much LLVM is to do, for a kernel that asks for a level."""
    nested = long_chains.depth(kernel.body) if asked else 0
    if nested > _VERY_DEEP:
        return jit.LIGHTEST
    return jit.LIGHT if nested > _DEEP else asked


def find_facts(kernel: n.Kernel) -> list[int]:
    """Return a kernel's lanes and the element size of its output stream; 0 if it has none.

    The third is that of an output whose lines vectors may begin at; 0 if there is none. The last
    has a bit for each number of its last dimensions that may be one.
    """
    found, kernel = options.of(kernel).machine, plain(kernel)
    lanes = choose_lanes(kernel, found.vector_bits)
    flats = sum(1 << k for k in flat_rows.counts(kernel)) if lanes > 1 else 0
    if kernel.index_kind != "range" or visit.contains(kernel.body, n.While) \
            or _crossed(kernel, lanes):
        return [lanes, 0, 0, flats]  # neither is looked for there
    search = interior.Search(queries.shapes(kernel, lanes), lanes, SMALL)
    inner = interior.find(kernel, search)
    if inner is not None and inner.aligned:
        return [lanes, 0, 0, flats]
    past = found.triple.startswith("x86_64")
    stream = streams.output(kernel, inner.body if inner else None) if past else None
    kind = stream.param.type if stream is not None else None
    size = kind.elem.size if isinstance(kind, View) else 0
    lined = streams.lines(kernel, inner.body if inner else None)
    line = lined.type.size if lined is not None else 0
    return [lanes, 0 if lanes * size % STREAM_ALIGN else size,
            line if lanes * line >= STREAM_ALIGN // 2 else 0, flats]
