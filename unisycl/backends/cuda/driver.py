"""One card (``backends.base.Driver``): kernels, copies and fills in streams of its context.

The context is made on the first use. Non-goals: finding cards (``discovery``), text (``cfamily``
and ``text``). Invariants: a command's order is that of its stream and the events it waits for;
nothing here waits but ``compile``.
"""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import threading
from collections.abc import Callable, Hashable, Sequence
from typing import Any, ClassVar

import numpy as np

from unisycl.backends.base import (
    BoundView,
    Completion,
    DeviceInfo,
    Geometry,
    Launch,
    Tentative,
)
from unisycl.backends.cuda.api import Api
from unisycl.backends.cuda.commands.commands import Commands
from unisycl.backends.cuda.commands.completion import CuCompletion, RepeatedCompletion
from unisycl.backends.cuda.commands.lanes import Lane
from unisycl.backends.cuda.commands.threads import Workers
from unisycl.backends.cuda.discovery import library
from unisycl.backends.cuda.discovery.card import Card, cards
from unisycl.backends.cuda.discovery.info import device_info
from unisycl.backends.cuda.interop.arrays import await_ready, register, streams_of
from unisycl.backends.cuda.interop.handles import CuAdoption, CuObjects
from unisycl.backends.cuda.launch import linking, sources
from unisycl.backends.cuda.launch.batching import Batching
from unisycl.backends.cuda.launch.controls import Decider
from unisycl.backends.cuda.launch.executable import FINISH_SIZES, CuExecutable, make_executable
from unisycl.backends.cuda.launch.joined import Joining
from unisycl.backends.cuda.launch.offspring import Offspring, Starting
from unisycl.backends.cuda.launch.prepared import Prepared
from unisycl.backends.cuda.launch.repeating import Repeating
from unisycl.backends.cuda.launch.scratch import CuScratch
from unisycl.backends.cuda.launch.sources import CuProgram
from unisycl.backends.cuda.memory.arrays import UnifiedArray, address_of
from unisycl.backends.cuda.memory.heap import Heap
from unisycl.backends.cuda.memory.mapped import Mapped
from unisycl.backends.cuda.memory.peers import Peers
from unisycl.backends.cuda.memory.reaching import Reaching
from unisycl.backends.cuda.memory.sharing import CuSharing
from unisycl.backends.cuda.memory.textures import CuTextures
from unisycl.backends.cuda.memory.transfers import Transfers
from unisycl.backends.cuda.memory.virtual import CuVirtual
from unisycl.backends.cuda.session import Session
from unisycl.backends.cuda.text import compile as compiler
from unisycl.backends.cuda.text.dialect import make_dialect
from unisycl.backends.cuda.text.target import Target
from unisycl.backends.device import printing
from unisycl.backends.device.scratch import Call
from unisycl.backends.device.shapes import groups_of
from unisycl.backends.device.texts import (
    PLAIN,
    Texts,
    Variant,
    key_of,
    source_of,
    variant_of,
    watched,
)
from unisycl.base.enums import backend, usm_kind
from unisycl.base.errors import DeviceError, UnsupportedError, errc
from unisycl.ir.nodes import Kernel
from unisycl.passes import looking

_STAGES = ("source", "cuda")
_HOST = -1  # CU_DEVICE_CPU
_ADVICE = {0: (2, 4, 6), **{number: (number,) for number in range(1, 7)}}
"""CUDA's numbers of advice; 0 takes back what was advised, and others mean nothing here."""

__all__ = ["CudaDriver", "make_drivers", "problems"]


class _Opened:
    """What a driver has once its context is made."""

    def __init__(self, driver: CudaDriver, session: Session, stream: int | None) -> None:
        self.session = session
        self.commands = Commands(session, stream)
        self.heap = Heap(session)
        self.mapped = Mapped(session)
        self.peers = Peers(session)
        self.sharing = CuSharing(session, self.heap)
        self.textures = CuTextures(session)
        self.virtual = CuVirtual(session)
        self.workers = Workers()
        self.transfers = Transfers(self.commands, self.heap, self.workers, driver.move)
        self.scratch = CuScratch(self.heap)
        self.decider: Decider | None = None
        self.joining = Joining(driver.target)
        self.offspring = Offspring(driver.target)
        self.kept: list[object] = []
        """What commands use that never end."""
        self._target = driver.target

    def program(self, text: str, words: Sequence[str], name: str) -> CuProgram:
        """Return a program of the user's own text; messages call the device ``name``."""
        code, found, log = sources.compiled(text, words, self._target, name)
        if linking.wanted(text, words):
            code = linking.linked(self.session, code, name)
        return CuProgram(self.session, (code, found, log))


class CudaDriver(Repeating, Batching, Reaching, Starting):
    """The driver of one card. Its methods may be called from any thread."""

    backend = backend.cuda
    repeats = joins_again = True
    chains = True
    takes_commands = True
    messages = "nccl"
    device_memory = "cuda"

    def __init__(self, api: Api, card: Card, *, alone: bool = True, session: Session | None = None,
                 stream: int | None = None) -> None:
        self.card = card
        self.facts = card.facts()
        self.memory = f"cuda {card.ordinal} {card.identity}"
        self._api = api
        self._alone = alone
        self._session = session
        self._stream = stream
        self._info = device_info(card)
        self.target = Target(card.capability)
        self._dialect = make_dialect(self.target)
        self._lock = threading.RLock()
        self._open: _Opened | None = None
        self._timed = False
        self.controls = api.has("cuGraphConditionalHandleCreate")
        self._texts = Texts()
        self._moves: dict[Any, CuExecutable] = {}

    # ------------------------------------------------------------------ the device
    def devices(self) -> Sequence[DeviceInfo]:
        """Return the one device."""
        return (self._info,)

    def part(self, units: tuple[int, ...]) -> CudaDriver:
        """Refuse: the driver splits no card, but by MIG, before the process starts."""
        raise UnsupportedError(errc.feature_not_supported, f"'{self._info.name}' cannot be split "
                               "by a program; parts of it, which MIG makes, are devices")

    def opened(self) -> _Opened:
        """Return the context and what works in it, made on the first use."""
        found = self._open
        if found is None or not found.session.is_mine():
            with self._lock:
                if self._open is None:
                    session = self._session or Session(self._api, self.card, alone=self._alone)
                    made = _Opened(self, session, self._stream)
                    if self._timed:
                        made.commands.time()
                    self._open = made
                found = self._open
            if not found.session.is_mine():
                raise UnsupportedError(errc.feature_not_supported, f"'{self._info.name}' cannot be "
                                       f"used in this process: {library.FORKED}")
        return found

    def timed(self) -> None:
        """Have later commands timed: two events each instead of none or one."""
        with self._lock:
            self._timed = True
            if self._open is not None:
                self._open.commands.time()

    def leave(self) -> None:
        """Have no thread inside the driver any more."""
        if self._open is not None:
            self._open.workers.leave()

    def outlast(self, keep: object) -> None:
        """Keep what a command uses that Ctrl-C cut off, begun or not, to the end of all."""
        found = self._open
        if found is not None:
            def wait() -> None:
                with found.session as api:
                    api.call("cuCtxSynchronize")

            found.workers.begin(wait, keep)

    def abandon(self, keep: object) -> None:
        """Leave what does not end to the end of the process, which does not wait for it."""
        if self._open is not None:
            self._open.kept.append(keep)
            library.leave_at_once()

    # ------------------------------------------------------------------ kernels
    def geometry_key(self, kernel: Kernel, geometry: Geometry) -> Hashable:
        """Return what of a geometry the kernel's text depends on."""
        return key_of(kernel, geometry, self.facts)

    def compile(self, kernel: Kernel, geometry: Geometry) -> CuExecutable:
        """Build a kernel for launches of this geometry."""
        made = self._compile(kernel, geometry, PLAIN)
        made.watched = watched(kernel, made.source, self.facts)
        if not made.watched.locals:  # else launches take variants, and look at those
            made.loaded()
            made.check(geometry, self.card)
        return made

    def _compile(self, kernel: Kernel, geometry: Geometry, variant: Variant) -> CuExecutable:
        if kernel.sub_group not in (0, *self._info.sub_group_sizes):
            raise UnsupportedError(errc.kernel_not_supported, f"kernel '{kernel.name}' requires "
                                   f"sub-groups of {kernel.sub_group}; those of "
                                   f"'{self._info.name}' are of {self._info.sub_group_sizes[0]}")
        key = key_of(kernel, geometry, self.facts)
        source = self._texts.note(kernel, key, source_of(
            kernel, key, self._dialect, self.facts, variant))
        return make_executable(self.opened().session, kernel, source, lambda: (
            compiler.compile_kernel(source, kernel, self.target)))

    def _variant(self, executable: CuExecutable, launch: Launch) -> CuExecutable:
        """Return a kernel compiled for the views of a launch."""
        def compiled(known: Variant) -> CuExecutable:
            made = self._compile(executable.kernel, launch.geometry, known)
            made.check(launch.geometry, self.card)
            return made

        return variant_of(executable, launch, compiled)

    def text(self, kernel: Kernel, geometry: Geometry, stage: str) -> str:
        """Return a kernel's CUDA C++ ('source' or 'cuda'), as it was compiled last."""
        if stage not in _STAGES:
            raise UnsupportedError(errc.feature_not_supported,
                                   f"this device has the stage source, not {stage}")
        key = key_of(kernel, geometry, self.facts)
        known = None if looking.is_seen() else self._texts.of(kernel, key)
        return known or source_of(kernel, key, self._dialect, self.facts).text

    def launch(self, launch: Launch, deps: Sequence[Completion]) -> Completion:
        """Launch a kernel, and behind it the one that joins the results of its reductions."""
        ready = launch.packed
        if type(ready) is not Prepared:
            return self._launch_unprepared(launch, deps)
        here = self._open or self.opened()
        session, ends = here.session, here.commands.ends
        lane = None
        if not deps or (len(deps) == 1 and isinstance(deps[0], CuCompletion)
                         and not isinstance(deps[0], Tentative)):
            lane = here.commands.lanes.behind(deps, launch.urgency)
        if lane is None or ends.timed or session.lost is not None or (
                not hasattr(session.mine, "current")):
            return here.commands.begin(
                lambda lane: session.launch(*ready.arguments(lane)), deps,
                ready.told, ready, urgency=launch.urgency)
        call = ready.arguments(lane)
        result = session.launch(*call)
        if result:
            raise session.failed(result, ready.told[0])
        made = lane.last = RepeatedCompletion(ends, lane, ready, call)
        return made

    def _launch_unprepared(self, launch: Launch, deps: Sequence[Completion]) -> CuCompletion:
        here = self._open or self.opened()
        ready = self.prepared(launch)
        if ready is None:
            return self._launch_parts(self._suited(launch), launch, deps)
        executable = ready.executable
        api = here.session.api
        if executable.together:
            return here.commands.begin(
                lambda lane: api.try_launch_together(*ready.spread(lane)), deps,
                ready.told, ready, urgency=launch.urgency)
        if launch.packed is None:
            launch.packed = executable
        elif launch.packed is executable and ready.small:  # there will be a third
            launch.packed = ready
        return here.commands.begin(
            lambda lane: api.try_launch_prepared(*ready.arguments(lane)), deps,
            ready.told, ready, urgency=launch.urgency)

    def _suited(self, launch: Launch) -> CuExecutable:
        """Return the kernel that a launch takes, compiled for its views where they matter."""
        executable: CuExecutable = launch.executable  # type: ignore[assignment]
        return self._variant(executable, launch) if executable.watched.any() else executable

    def prepared(self, launch: Launch) -> Prepared | None:
        """Return a launch as the driver's function takes it; None where that is not all of it."""
        executable = self._suited(launch)
        plan = executable.plan(launch.geometry, self.facts, self.card)
        if not executable.simple:
            return None
        with self.opened().session:
            executable.main.allow(executable.launch_sizes(launch), executable.what, self.card)
        scratch = functools.partial(
            self.opened().scratch.call, executable.kernel, executable.source,
            shape=plan.shape) if launch.reductions else None
        return Prepared(executable, launch, plan, (executable.what, launch.where), scratch)

    def _launch_parts(self, executable: CuExecutable, launch: Launch,
                      deps: Sequence[Completion]) -> CuCompletion:
        """Launch a kernel with reductions or reports."""
        here = self.opened()
        plan = executable.plan(launch.geometry, self.facts, self.card)
        call = here.scratch.call(executable.kernel, executable.source, launch, plan.shape)
        api, shown = here.session.api, call.report
        main, finish = executable.main, executable.finish
        dynamic, lenders = executable.launch_sizes(launch), streams_of(launch.values)
        pack, held = main.signature.pack(launch, call), list[Any]()
        second: Any = None
        if finish is not None:
            second = finish.signature.pack(launch, _finishing(call, groups_of(plan.shape)))

        def give(lane: Lane) -> int:
            start = api.try_launch_together if executable.together else api.try_launch
            more = () if executable.together else (None,)
            main.allow(dynamic, executable.what, self.card)
            here.commands.follow(lane, lenders)
            held.extend(await_ready(launch.values, lane.value))
            result = start(main.handle, *plan.sizes, _unsigned(dynamic), lane.stream,
                           pack.pointers, *more)
            if not result and finish is not None:
                result = api.try_launch(finish.handle, *FINISH_SIZES, _unsigned(0), lane.stream,
                                        second.pointers, None)
            if not result:
                here.commands.precede(lane, lenders)
            return int(result)

        after = None if shown is None else functools.partial(
            printing.take, shown, executable.kernel.name, executable.source.sites)
        keep = executable, launch.values, launch.reductions, call, pack, second, held
        return here.commands.begin(give, deps, (executable.what, launch.where), keep, after,
                                   urgency=launch.urgency)

    def move(self, make: Any, dst: BoundView, source: Any, deps: Sequence[Completion],
             ) -> CuCompletion:
        """Run a copy or fill kernel over a view whose rows do not follow one another."""
        kernel = make(dst.memory.dtype.name, len(dst.shape))
        geometry = Geometry("range", dst.shape, (), (0,) * len(dst.shape))
        key = (kernel.name, dst.memory.dtype.name, kernel.ndim,
               self.geometry_key(kernel, geometry))
        known = self._moves.get(key)
        if known is None:
            known = self._moves[key] = self.compile(kernel, geometry)
        return self._launch_unprepared(Launch(known, geometry, (dst, source)), deps)

    # ------------------------------------------------------------------ objects of CUDA's own
    @property
    def native(self) -> CuObjects:
        """CUDA's handles."""
        return CuObjects(self)

    @property
    def adopt(self) -> CuAdoption:
        """What CUDA's handles are here."""
        return CuAdoption(self)

    def within(self, stream: int | None, keep: object = None) -> CudaDriver:
        """Return a driver of the same context, whose commands go to a program's own stream."""
        session = self.opened().session
        made = CudaDriver(self._api, self.card, alone=self._alone, session=session, stream=stream)
        made.opened().kept.append(keep)
        return made

    def shared_stream(self) -> int:
        """Return the stream for commands of a program's own, which come behind all submitted."""
        return self.opened().commands.share()

    # ------------------------------------------------------------------ memory
    def allocate(self, nbytes: int, kind: usm_kind | None = None, alignment: int = 1, *,
                 addressed: bool = False) -> Any:
        """Return bytes of the card's own memory, the host's in place, or shared."""
        return self.opened().heap.allocate(nbytes, kind, alignment)

    def reach(self, memory: Any) -> Any:
        """Return other libraries' memory of the host for kernels in place (``Driver.reach``)."""
        return self.opened().mapped.take(memory)

    def hint(self, view: BoundView, advice: int | None = None, *, to_host: bool = False,
             ) -> Callable[[Sequence[Completion]], Completion] | None:
        """Return what gives a hint about managed memory (``Driver.hint``)."""
        memory = view.memory
        if not isinstance(memory, UnifiedArray) or not memory.allocation.managed or (
                0 in view.shape):
            return None
        at, nbytes = address_of(view), int(np.prod(view.shape)) * memory.dtype.itemsize
        here = self.opened()
        api, device = here.session.api, _HOST if to_host else self.card.ordinal

        def give(lane: Lane) -> int:
            for number in () if advice is None else _ADVICE.get(advice, ()):
                result = api.attempt("cuMemAdvise", at, nbytes, number, device)
                if result:
                    return result
            if advice is not None:
                return 0
            return api.attempt("cuMemPrefetchAsync", at, nbytes, device, lane.value)

        return lambda deps: here.commands.begin(give, deps, ("a hint", None), view)

    def copy(self, dst: BoundView, src: BoundView, deps: Sequence[Completion]) -> Completion:
        """Copy equal shapes."""
        return (self._open or self.opened()).transfers.copy(dst, src, deps)

    def fill(self, dst: BoundView, pattern: Any, deps: Sequence[Completion]) -> Completion:
        """Write one value everywhere in a view."""
        value = np.asarray(pattern, dst.memory.dtype)
        return (self._open or self.opened()).transfers.fill(dst, value, deps)

    def __repr__(self) -> str:
        return f"<CUDA driver of {self._info.name}>"


def _unsigned(value: int) -> Any:
    return ctypes.c_uint(value)


def _finishing(call: Call, groups: int) -> Call:
    """Return what the second kernel of a reduction is given."""
    return dataclasses.replace(call, count=groups)


class _Found:
    """Why cards that there are cannot be used."""

    problems: ClassVar[dict[str, str]] = {}


def make_drivers() -> Sequence[CudaDriver]:
    """Return a driver for each card; no context is made yet.

    Raises ``UnsupportedError`` saying what is missing where there is none, and ``DeviceError``
    saying what is wrong where there is one that cannot be used.
    """
    api = library.load()
    register()
    found, _Found.problems = cards(api)
    why = compiler.problem()
    if found and why:
        raise DeviceError(errc.platform, f"'{found[0].name}' is there, but {why}")
    if not found:
        kind = UnsupportedError if set(_Found.problems) <= {""} else DeviceError
        raise kind(errc.platform, "; ".join(_Found.problems.values()))
    return drivers_of(api, found)


def drivers_of(api: Api, found: Sequence[Card]) -> list[CudaDriver]:
    """Return a driver for each of the cards that can be used."""
    return [CudaDriver(api, card, alone=len(found) == 1) for card in found]


def problems() -> dict[str, str]:
    """Return why cards that there are cannot be used, by their numbers."""
    return dict(_Found.problems)
