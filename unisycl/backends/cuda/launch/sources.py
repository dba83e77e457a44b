"""Programs of the user's own in CUDA C++: compiled at run time, their kernels launched by position.

What a kernel takes is read from the PTX that the compiler makes beside the code. A range is cut
into work-groups that divide it, since such a kernel need not know where it ends; local memory is
the launch's dynamic shared memory, and no parameter. Non-goals: kernels that are Python functions.
Invariants: a text that does not compile raises ``BuildError`` with the log; an argument has the
size of its parameter.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from unisycl.backends.base import BoundView, Geometry, Launch, LocalSize
from unisycl.backends.cuda.discovery.card import Card
from unisycl.backends.cuda.launch import linking
from unisycl.backends.cuda.launch.arguments import Pack
from unisycl.backends.cuda.launch.executable import Function, Module, Plan, grid_sizes
from unisycl.backends.cuda.memory.arrays import address_of
from unisycl.backends.cuda.session import Session
from unisycl.backends.cuda.text import compile as compiler
from unisycl.backends.cuda.text.target import Target
from unisycl.backends.device.facts import Facts
from unisycl.backends.device.shapes import Shape
from unisycl.backends.device.texts import UNWATCHED
from unisycl.base.errors import BuildError, UsageError, errc

_ENTRY = re.compile(r"^\.(?:visible|weak) \.entry (\w+)\(([^)]*)\)", re.MULTILINE)
_PARAM = re.compile(r"\.param (?:\.align \d+ )?\.[bsuf](\d+)[^,\[]*(?:\[(\d+)\])?")
_MANGLED = re.compile(r"_Z(\d+)(\w+)")
_GROUP = 256
_APART = 16  # bytes: where parameters begin


class Entry(NamedTuple):
    """A kernel of a text: its name there and in the code, and the bytes of each parameter."""

    name: str
    symbol: str
    sizes: tuple[int, ...]


def entries(ptx: str) -> tuple[Entry, ...]:
    """Return the kernels of a program: by C++'s name where no other has it, else by the code's."""
    found = []
    for symbol, text in _ENTRY.findall(ptx):
        sizes = tuple(int(bits) // 8 * int(count or 1) for bits, count in _PARAM.findall(text))
        found.append(Entry(_plain(symbol), symbol, sizes))
    names = [e.name for e in found]
    return tuple(e if names.count(e.name) == 1 else e._replace(name=e.symbol) for e in found)


def _plain(symbol: str) -> str:
    """Return the name of a function that C++ adds its parameters to."""
    match = _MANGLED.match(symbol)
    return symbol if match is None else match[2][:int(match[1])]


def compiled(text: str, words: Sequence[str], target: Target, name: str) -> (
        tuple[bytes, tuple[Entry, ...], str]):
    """Return code, the kernels in it, and the log; ``name`` is the device's."""
    tool = compiler.compiler()
    arch, kind = compiler.architecture(target, tool.architectures)
    more = [f"--include-path={x}" for x in compiler.headers()]
    options = [f"--gpu-architecture={arch}", "--std=c++17", *more, *words]
    if linking.wanted(text, words) and not linking.asked(words):
        options.append(linking.RELOCATABLE)
    ptx, log = tool.compile(text, options, "PTX")
    code = ptx if kind == "PTX" or not ptx else tool.compile(text, options, kind)[0]
    if not code:
        raise BuildError(errc.build, f"the source was refused by the compiler of '{name}'. Its "
                         f"log:\n{log}")
    return code, entries(ptx.decode(errors="replace")), log


class CuProgram:
    """A program for one card: the names of its kernels, its log, and the kernels."""

    def __init__(self, session: Session, made: tuple[bytes, tuple[Entry, ...], str]) -> None:
        code, found, self.log = made
        self._session = session
        self._entries = {e.name: e for e in found}
        self.names = tuple(self._entries)
        with session:
            self._module = Module(session, code)
        self.native = self._module.value

    def kernel(self, name: str) -> CuNativeKernel:
        """Return a kernel by its name."""
        return CuNativeKernel(self._session, self._module, self._entries[name])


class Parameters:
    """How such a kernel is called (``launch.arguments.Signature``)."""

    def __init__(self, entry: Entry) -> None:
        self._entry = entry

    def check(self, values: Sequence[Any]) -> None:
        """Refuse arguments that are not the parameters'."""
        given, sizes = [v for v in values if not isinstance(v, LocalSize)], self._entry.sizes
        if len(given) != len(sizes):
            raise UsageError(errc.kernel_argument, f"kernel '{self._entry.name}' takes "
                             f"{len(sizes)} argument(s) and is given {len(given)}; a "
                             "local_accessor is its dynamic shared memory, and none of them")
        for k, (value, size) in enumerate(zip(given, sizes, strict=True)):
            own = np.asarray(value).nbytes if isinstance(value, np.generic | np.ndarray) else 8
            if value is None or own != size:
                raise UsageError(errc.kernel_argument, f"kernel '{self._entry.name}': argument {k} "
                                 f"has {size} bytes in the text, and "
                                 f"{'none was' if value is None else f'{own} are'} given")

    def layout(self, launch: Launch) -> tuple[dict[int, int], int]:
        """Return nothing, and the bytes of a group's dynamic memory."""
        return {}, sum(math.prod(v.shape) * v.itemsize for v in launch.values
                       if isinstance(v, LocalSize))

    def pack(self, launch: Launch, call: object) -> Pack:
        """Return the arguments of a launch."""
        raw, offsets = b"", []
        for value in launch.values:
            if isinstance(value, LocalSize):
                continue
            offsets.append(len(raw))
            one = (address_of(value).to_bytes(8, "little") if isinstance(value, BoundView)
                   else np.asarray(value).tobytes())
            raw += one + bytes(-len(one) % _APART)
        return Pack(raw, offsets, max(_APART, len(raw)))


class CuNativeKernel:
    """What a launch of such a kernel is given to the driver with, as ``CuExecutable`` of ours."""

    kernel = None
    simple, together = True, False
    watched = UNWATCHED

    def __init__(self, session: Session, module: Module, entry: Entry) -> None:
        self.name = entry.name
        self.what = f"kernel '{entry.name}'"
        self.module = module
        self._card = session.card
        self._parameters = Parameters(entry)
        with session:
            self.main = Function(session, module.value, entry.symbol, self._parameters)
        self.native = self.main.handle.value

    def check(self, geometry: Geometry, values: Sequence[Any]) -> None:
        """Refuse what cannot be launched."""
        self._parameters.check(values)
        if any(geometry.offset):
            raise UsageError(errc.invalid, f"{self.what} is written in CUDA C++, where ids begin "
                             "at 0; give it the offset as an argument")
        items = math.prod(geometry.local) if geometry.local else 1
        if items > self.main.most:
            raise UsageError(errc.nd_range, f"{self.what}: a work-group of {items} work-items "
                             f"exceeds the {self.main.most} that '{self._card.name}' runs of this "
                             "kernel; use a smaller local range")

    def plan(self, geometry: Geometry, facts: Facts, card: Card) -> Plan:
        """Return how a geometry is launched."""
        local = geometry.local or _cut(geometry.global_, min(_GROUP, self.main.most))
        shape = Shape(geometry.global_[::-1], local[::-1], None)
        return Plan(geometry, shape, grid_sizes(self.what, shape, card))

    def launch_sizes(self, launch: Launch) -> int:
        """Return the bytes of a group's dynamic memory."""
        return self._parameters.layout(launch)[1]


def _cut(extents: tuple[int, ...], most: int) -> tuple[int, ...]:
    """Return the largest work-group of a range that divides it, along its last dimension."""
    last = max(1, extents[-1] if extents else 1)
    best = next(size for size in range(min(most, last), 0, -1) if last % size == 0)
    return (*(1,) * (len(extents) - 1), best)
