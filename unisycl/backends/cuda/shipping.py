"""Code for packages: a kernel's texts for one architecture, compiled where no card need be.

Which texts a launch asks for depends on its geometry, so all that ranges of a kernel's dimensions
lead to are made. Non-goals: files (``tools.build``). Invariant: code is found by the very text it
was made of, so that a text that is not here is compiled at run time.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from unisycl.backends.base import DeviceInfo, Geometry
from unisycl.backends.cuda.discovery.card import Card
from unisycl.backends.cuda.discovery.info import device_info
from unisycl.backends.cuda.text import carried
from unisycl.backends.cuda.text import compile as compiler
from unisycl.backends.cuda.text.dialect import make_dialect
from unisycl.backends.cuda.text.target import Target
from unisycl.backends.device.texts import Key, Variant, key_of, source_of, watched
from unisycl.base.errors import UsageError, errc
from unisycl.ir import pickles
from unisycl.ir.nodes import Kernel

_LARGE = 1 << 28
_UNITS = 144  # as large cards have; a range large for these is large for any
_MOST_GROUPS = (1 << 31) - 1


def card(name: str) -> Card:
    """Return what is known of all cards of an architecture (``sm_90``) without one."""
    number = name.removeprefix("sm_")
    if not number.isdigit() or not name.startswith("sm_"):
        raise UsageError(errc.invalid, f"there is no architecture '{name}'; write sm_90, say")
    major, minor = divmod(int(number), 10)
    return Card(0, name, "", 0, "", {"major": major, "minor": minor, "units": _UNITS,
                                     "grid_x": _MOST_GROUPS})


def info(name: str) -> DeviceInfo:
    """Return what kernels may ask about a device of an architecture."""
    return device_info(card(name))


def runtime() -> dict[str, bytes]:
    """Return nothing: the driver has all it runs on."""
    return {}


def facts() -> list[str]:
    """Return nothing to be said of the whole archive."""
    return []


def make(kernel: Kernel, geometry: Geometry, name: str) -> bytes:
    """Return the code of a kernel for launches of a kind on one architecture."""
    made = card(name)
    target, facts = Target(made.capability), made.facts()
    dialect, found = make_dialect(target), {}
    for key in _keys(kernel, geometry, made):
        plain = source_of(kernel, key, dialect, facts)
        alike = watched(kernel, plain, facts).alike
        same = Variant(same=tuple((i, alike[0]) for i in alike[1:]))
        for source in (plain, *([source_of(kernel, key, dialect, facts, same)] if alike else [])):
            found[carried.key(source, kernel, name)] = compiler.compile_for(source, kernel, name)
    return pickles.dumped(found)


def _keys(kernel: Kernel, geometry: Geometry, made: Card) -> Iterator[Key]:
    """Yield what launches of a kind differ in; each of ids below 2**30, and of others."""
    if kernel.index_kind != "range" or kernel.reducers:
        base = key_of(kernel, geometry, made.facts())
        yield from {base, base._replace(small=False)}
        return
    dimensions = range(len(geometry.global_))
    items = {key_of(kernel, Geometry("range", (extent, *geometry.global_[1:]), (),
                                     geometry.offset), made.facts()).items
             for extent in (1, _LARGE)}
    for small in (True, False):
        for count in range(len(dimensions) + 1):
            for guards in itertools.combinations(dimensions, count):
                yield Key(guards, small)
        yield Key((), small, flat=True)
        for each in items - {1}:
            yield Key((), small, each)


