"""What a backend owes the rest: ``Driver``, ``DeviceInfo``, ``Executable`` and ``Completion``.

Non-goals: any particular backend. Invariant: nothing outside a backend's folder asks which one it
talks to; differences are fields of ``DeviceInfo``.
"""

from __future__ import annotations

import ctypes
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np

from unisycl.backends.native_objects import Adoption, NativeObjects
from unisycl.base.dataclass import dataclass, field
from unisycl.base.enums import aspect, backend, memory_order, memory_scope, usm_kind
from unisycl.base.errors import DeviceError, UnsupportedError, errc
from unisycl.base.forward_progress import WEAKEST, Levels
from unisycl.base.shared_words import Words
from unisycl.base.spans import Span
from unisycl.ir.enqueue_records import CAPACITY
from unisycl.ir.function_uses import FunctionUse
from unisycl.ir.nodes import Kernel

HOST = "host"
"""The memory space of NumPy arrays: what a driver's kernels address if they share it."""

_start = ctypes.c_char.from_buffer
_address = ctypes.addressof


def address_of(array: np.ndarray[Any, Any]) -> int:
    """Return where the elements of a C-contiguous array begin; asked for every launch."""
    try:
        return _address(_start(array))  # type: ignore[arg-type]  # a fifth of the other's time
    except (TypeError, ValueError, BufferError):  # read-only, empty, of a type that others know
        found: int = array.__array_interface__["data"][0]
        return found


@dataclass(frozen=True, slots=True)
class Geometry:
    """The index space of a launch: three tuples of equal length; ``local`` is () if left open.

    ``kind`` is single, range, nd_range or work_group; for work_group ``global_`` counts groups.
    Only an nd_range asked for as non-uniform has a ``local`` that does not divide ``global_``; a
    driver is given parts of it, each uniform, that know the ``whole``. A part that is ``alone`` is
    all that this process launches of a range or an nd_range.
    """

    kind: str
    global_: tuple[int, ...]
    local: tuple[int, ...] = ()
    offset: tuple[int, ...] = ()
    whole: Geometry | None = None
    alone: bool = False

    @property
    def launched(self) -> Geometry:
        """The index space that the program asked for."""
        return self.whole or self

    def groups(self) -> tuple[int, ...]:
        """Return how many work-groups an nd_range has in each dimension."""
        if not self.local:
            return self.global_
        return tuple([-(-g // s) for g, s in zip(self.global_, self.local, strict=True)])

    def first_group(self) -> tuple[int, ...]:
        """Return the id of the first work-group among those of the whole nd_range."""
        if self.whole is None or not self.local:
            return (0,) * len(self.global_)
        return tuple([(o - w) // s for o, w, s in zip(
            self.offset, self.whole.offset, self.whole.local, strict=True)])


@dataclass(slots=True)
class BoundView:
    """A view argument of one launch: where its element [0, ...] lies and how it is laid out.

    ``memory`` is the backend's own allocation object (host and cpu: a C-contiguous 1-D NumPy array
    of the element's dtype that keeps the memory alive); ``offset`` and ``pitches`` count elements.
    ``packed`` is what ``slots`` returned, once asked; views are never changed.
    """

    memory: Any
    offset: int
    shape: tuple[int, ...]
    pitches: tuple[int, ...]
    packed: tuple[int, ...] | None = field(default=None, compare=False, repr=False)

    def slots(self) -> tuple[int, ...]:
        """Return address, extents and all pitches but the last; for backends of host memory."""
        found = self.packed
        if found is None:
            memory = self.memory
            base = address_of(memory)
            found = self.packed = (base + self.offset * int(memory.itemsize), *self.shape,
                                   *self.pitches[:-1])
        return found

    def array(self) -> np.ndarray[Any, Any]:
        """Return the elements as an array, without a copy; for backends of host memory."""
        memory = self.memory
        if not self.shape:
            return memory[self.offset:self.offset + 1].reshape(())  # type: ignore[no-any-return]
        if 0 in self.shape:
            return memory[:0].reshape(self.shape)  # type: ignore[no-any-return]
        strides = tuple(p * memory.itemsize for p in self.pitches)
        return np.ndarray(self.shape, memory.dtype, memory, self.offset * memory.itemsize, strides)


class StridedView(BoundView):
    """A view whose last dimension has a pitch of its own."""

    __slots__ = ()

    def slots(self) -> tuple[int, ...]:
        """Return address, extents and all pitches."""
        found = self.packed
        if found is None:
            memory = self.memory
            base = address_of(memory)
            found = self.packed = (base + self.offset * int(memory.itemsize), *self.shape,
                                   *self.pitches)
        return found


class PipeEnds(BoundView):
    """The ends of a pipe: its last element counts the work-items that wait for the other end."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class LocalSize:
    """A local_accessor argument of one launch: its extents, and the bytes of an element."""

    shape: tuple[int, ...]
    itemsize: int = 1


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """All that neutral code may ask about a device."""

    name: str
    backend: backend
    aspects: frozenset[aspect]
    vendor: str = ""
    driver_version: str = ""
    version: str = ""
    platform: str = ""
    """The name of the platform the device belongs to; the backend's own name if empty."""
    max_compute_units: int = 1
    max_work_group_size: int = 1024
    max_work_item_sizes: tuple[int, int, int] = (1024, 1024, 1024)
    sub_group_sizes: tuple[int, ...] = (1,)
    local_mem_size: int = 64 * 1024
    global_mem_size: int = 0
    max_mem_alloc_size: int = 0
    mem_base_addr_align: int = 512
    sub_buffers_anywhere: bool = False
    """Whether sub-buffers may begin at any element, whatever ``mem_base_addr_align`` says."""
    max_parameter_size: int = 4096
    atomic_orders: tuple[memory_order, ...] = tuple(memory_order)
    atomic_scopes: tuple[memory_scope, ...] = tuple(memory_scope)
    units: tuple[int, ...] = ()
    """The compute units ``Driver.part`` may be given; () where the device cannot be split."""
    domains: Mapping[str, tuple[tuple[int, ...], ...]] = field(default_factory=dict)
    """By affinity domain (numa, L3_cache, ...): the units of each part, where there are two."""
    progress: Levels = WEAKEST
    """The strongest guarantee that each level gives on request; none is stronger by default."""
    resident_groups: int = 0
    """How many work-groups run at the same time where they can be concurrent."""
    resident_items: int = 0
    """How many work-items at the same time may be in groups whose threads do not wait for one
    another; 0: no limit but that one."""
    concurrent_kernels: bool = False
    """Whether a kernel may wait for another one that was submitted beside it."""
    joined_kernels: bool = False
    """Whether kernels that wait for one another may be launched as one (``Joins``)."""
    built_in_kernels: tuple[str, ...] = ()
    device_queue_size: int = CAPACITY
    """How many commands one launch of a kernel may enqueue; 0 where kernels cannot enqueue any."""
    native_enqueue: bool = False
    """Whether the device starts what kernels enqueue itself; else the runtime does."""
    details: Mapping[str, Any] = field(default_factory=dict)


def kernel_error(kernel: str, whose: str, span: Span | None, what: str) -> DeviceError:
    """Return the error of a kernel that went wrong while it ran.

    Args:
        kernel: the kernel's name.
        whose: the work-item or group it happened in; "" if there is one only.
        span: the place in the user's source.
        what: what happened, as the user should read it.
    """
    where = f" in {whose}" if whose else ""
    place = f" at {span.file.name}:{span.line}" if span is not None else ""
    return DeviceError(errc.kernel, f"kernel '{kernel}' failed{where}{place}: {what}")


class Completion(Protocol):
    """The end of one command on a driver. Methods may be called from any thread."""

    def done(self) -> bool:
        """Say whether the command has ended; never blocks."""

    def wait(self, timeout: float | None = None) -> bool:
        """Block until the command ends or ``timeout`` seconds pass; releases the GIL."""

    def error(self) -> BaseException | None:
        """Return what the command failed with; only valid once done."""

    def profile(self) -> tuple[int, int]:
        """Return (start, end) in nanoseconds of ``time.monotonic_ns``; only valid once done."""


class Tentative:
    """Mixed into a ``Completion`` whose command may turn out to have failed only when it is asked.

    What depends on such a command is given to the driver after its end, not before.
    """

    __slots__ = ()


class Executable(Protocol):
    """A compiled kernel, loaded; immutable, reusable from any thread."""

    @property
    def kernel(self) -> Kernel:
        """What it was compiled from."""


@dataclass(slots=True)
class Launch:
    """One launch, never changed once made.

    ``values`` follow ``kernel.params`` (NumPy scalars, np.void, BoundView, LocalSize), ``raw`` are
    the user's own objects they came from.

    ``function`` is the user's callable, ``arguments`` what follows its index and reducers; only the
    host device needs these and ``uses``. ``reductions`` follow ``kernel.reducers``: a BoundView of
    one element each to combine into, and whether its old value is dropped; ``reduction_objects``
    are the user's own, with ``op``, ``identity``, ``dtype`` and ``initialize`` (host device only).
    ``packed`` is where a backend remembers the arguments as it passes them; ``staged`` is what the
    runtime copies to the device before the launch and back after it. ``rest`` are launches of the
    other parts of a non-uniform nd_range; the runtime starts them after this one. ``tree`` is the
    ``runtime.launch.enqueued_kernels.Tree`` of a kernel that enqueues kernels; in a launch of one
    kernel of a tree its ``Kin``, whose ``uses`` tell the host device what it may enqueue. ``where``
    is the place of the program's that submitted it (``process.callers``), ``words`` what a backend
    makes of that; ``timeout`` are the seconds that its queue gives it, 0 for ever; ``order`` is a
    ``runtime.graph.ordering.Order`` where races between commands are looked for; ``urgency`` is 1
    for a queue of high priority, -1 for one of low. ``ends`` are the ends of pipes that it moves
    (``runtime.launch.pipe_ends``), where kernels that wait for one another are launched as one.
    """

    executable: Executable
    geometry: Geometry
    values: tuple[Any, ...]
    raw: tuple[Any, ...] = ()
    function: Any = None
    arguments: tuple[Any, ...] = ()
    uses: tuple[FunctionUse, ...] = ()
    reductions: tuple[tuple[BoundView, bool], ...] = ()
    reduction_objects: tuple[Any, ...] = ()
    packed: Any = None
    staged: tuple[Any, ...] = ()
    rest: tuple[Launch, ...] = ()
    tree: Any = None
    where: Any = None
    words: int = 0
    timeout: float = 0.0
    order: Any = None
    urgency: int = 0
    ends: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Transfer:
    """A copy of equal shapes, or a fill with ``pattern`` where there is no source."""

    dst: BoundView
    src: BoundView | None = None
    pattern: Any = None


@dataclass(frozen=True, slots=True)
class Control:
    """Commands that memory decides about: a body while its first element is not zero, or if so.

    Each of ``bodies`` are commands, and for each the places of those that it runs after: one of a
    loop; of a condition that and what runs if it does not hold. ``most``: after how many turns a
    loop fails; None: never.
    """

    condition: BoundView
    bodies: tuple[tuple[Sequence[Part], Sequence[Sequence[int]]], ...]
    loops: bool
    most: int | None = None


Part = Launch | Transfer | Control


Varied: TypeAlias = Callable[[Geometry, Sequence[Any], Sequence[Any]],
                             Callable[[], object] | None]
"""What runs a launch over an index space with other numbers (``Driver.varied``)."""


class Batch(Protocol):
    """Several commands made ready once, to be run one after the other many times."""

    def immediate(self) -> bool:
        """Run all in the calling thread if that takes but a few microseconds, else do nothing."""

    def launch(self, deps: Sequence[Completion]) -> Completion:
        """Start them. Never blocks; called again only behind the completion before."""

    def update(self, launches: Sequence[Part], before: Sequence[Sequence[int]]) -> bool:
        """Take other launches in place of these, none under way; False: make another batch."""


Fetch = Callable[[BoundView, BoundView, Sequence[Completion]], Completion]


class Driver(ABC):
    """One backend. Commands given to ``launch``, ``copy`` and ``fill`` run asynchronously.

    ``deps`` are completions of this same driver; the driver orders the command after them. Every
    argument object stays referenced by the returned completion until the command has ended.

    What is not abstract is right for a driver whose kernels are Python over NumPy arrays.
    """

    backend: backend
    memory: str = HOST
    """The memory space the driver's kernels address; drivers of one space share allocations.

    In ``HOST`` kernels work on NumPy arrays in place. Elsewhere every view of a launch lies in what
    ``allocate`` gave, and the runtime has ``copy`` bring the data.
    """

    @property
    def native(self) -> NativeObjects:
        """The backend's own objects behind SYCL's."""
        return NativeObjects(self)

    @property
    def adopt(self) -> Adoption:
        """What native objects of a program's own are here."""
        return Adoption(self)

    @abstractmethod
    def devices(self) -> Sequence[DeviceInfo]:
        """Return the devices found, in a fixed order."""

    @abstractmethod
    def compile(self, kernel: Kernel, geometry: Geometry) -> Executable:
        """Compile for launches of this geometry; cached by the caller; raises ``BuildError``."""

    @abstractmethod
    def part(self, units: tuple[int, ...]) -> Driver:
        """Return a driver of one device that runs on these compute units only.

        Equal units give the same driver. Raises ``UnsupportedError`` where ``units`` are none.
        """

    def geometry_key(self, kernel: Kernel, geometry: Geometry) -> Hashable:
        """Return what of a geometry an executable depends on; equal keys share one executable.

        Asked on every launch, so it must be quick; None where one executable serves all.
        """
        return None

    def text(self, kernel: Kernel, geometry: Geometry, stage: str) -> str:
        """Return what became of a kernel: stage 'llvm', 'asm' or one of the backend's own.

        Raises ``UnsupportedError`` for a stage it does not have.
        """
        raise UnsupportedError(errc.feature_not_supported, f"the backend '{self.backend.name}' "
                               f"has no stage {stage}")

    def outlast(self, keep: object) -> None:  # noqa: B027 -- right as it is
        """Keep what a command uses until all that was begun has ended.

        Ctrl-C came while it began, so whether it did is unknown. Not to be waited for.
        """

    def abandon(self, keep: object) -> None:  # noqa: B027 -- right as it is
        """Leave what does not end to the end of the process; ``keep`` is what it may use."""

    def leave(self) -> None:  # noqa: B027 -- right as it is
        """Have no thread of Python's inside native code: the interpreter ends, and all work has."""

    def timed(self) -> None:  # noqa: B027 -- right as it is
        """Keep the times of commands from now on, for ``Completion.profile``.

        A driver for which they cost nothing always does.
        """

    quick: bool = False
    """Whether ``immediate`` ever says yes; never changes."""

    apart: bool = False
    """Whether each of its devices has a context of its own, which no other device is in."""

    repeats: bool = False
    joins_again: bool = False
    controls: bool = False
    """Whether ``launch`` needs no more than executable, geometry and values of a plain launch."""

    extends: bool = False
    """Whether ``again`` and ``extend`` ever start a launch."""

    chains: bool = False
    """Whether a command behind others is best given to the driver without asking for their ends."""

    takes_commands: bool = False
    """Whether ``native.take`` has other libraries give commands to a queue of the device's own."""

    messages: str = ""
    """The library by which such devices of several processes send elements to one another."""

    device_memory: str = ""
    """What MPI calls the memory of such devices; called while ``native.session`` is entered."""

    waits_inside: bool = False
    """Whether a thread that waits for a command does well to go into ``Completion.wait`` soon."""

    starter: Any = None
    """None, or what returns a ``children.Starter`` of a tree, or None, for it and its counters."""

    textures: Any = None
    """What makes samplers of the device's own (``aspect.ext_unisycl_coarse_sampling``), or None.

    ``make(address, pitch, image_descriptor, bindless_image_sampler)`` returns a number, 0 where the
    device has none for such an image; ``drop(number)`` gives it back.
    """

    varied: Callable[[Launch, tuple[int, ...]], Varied | None] | None = None
    """What makes what does as ``ready`` for a launch with other numbers, given by their places.

    That is called with an index space that has the launch's executable, with the launch's values
    and with arguments, and returns None where they do not fit or make the launch larger. It keeps
    nothing of the launch's memory. None: there is none.
    """

    virtual: Any = None
    """What reserves addresses and maps memory there (``aspect.ext_oneapi_virtual_mem``), or None:
    an object as ``backends.cuda.memory.virtual`` has it."""

    def follows(self, other: Any) -> bool:
        """Say whether commands may be given behind those of another driver, without a host."""
        return other is self

    @property
    def sharing(self) -> Any:
        """What makes, names and opens memory that processes share; None where there is none.

        ``allocate(nbytes)`` returns memory and its name, ``open(name, nbytes)`` memory of another
        process; ``of_host`` says whether it is the host's, ``alignment`` how it is aligned.
        """
        return None

    def immediate(self, launch: Part) -> bool:
        """Run a command to its end in the calling thread if that takes but a few microseconds.

        Returns False, having done nothing, where it may take longer: then ``launch`` is asked.
        Called only for commands that wait for nothing; those run here cannot fail.
        """
        return False

    def ready(self, launch: Launch, values: tuple[Any, ...] = (),
              ) -> Callable[[], object] | None:
        """Return what runs a kernel as ``immediate`` does, as often as it is called; None: never.

        It holds what it needs of the launch, but for the memory behind its values. ``values``: in
        place of the launch's own.
        """
        return None

    @abstractmethod
    def launch(self, launch: Launch, deps: Sequence[Completion]) -> Completion:
        """Start a kernel. Never blocks, but for the host device, which may run it at once."""

    def again(self, launch: Launch, before: Completion | None) -> Completion | None:
        """Start a launch that repeats behind one command of this driver, or none; None: ``launch``.

        What it raises is the command's error. Its completion has not ended yet.
        """
        return None

    def extend(self, launch: Launch, end: Completion) -> bool:
        """Start a launch behind the same one, whose end is then that of both.

        Returns False, having done nothing, where that end was asked for before, or a command
        follows it. What it raises is the command's error.
        """
        return False

    def tree(self, launch: Launch, deps: Sequence[Completion]) -> Completion | None:
        """Start a kernel that enqueues kernels, and these; None: the runtime is to start them."""
        return None

    def batch(self, launches: Sequence[Part], before: Sequence[Sequence[int]]) -> Batch | None:
        """Return commands that are better run by one call; None where each is run separately.

        ``before``: for each, which of them it has to come after; these stand before it.
        """
        return None

    def allocate(self, nbytes: int, kind: usm_kind | None = None, alignment: int = 1, *,
                 addressed: bool = False) -> Any:
        """Return bytes of the driver's memory space; None in ``HOST``, where an array will do.

        Without a kind, programs keep no addresses; those of kind device are kept if they are an
        array, which they are where ``addressed``. Of kind host or shared they are an array that
        the host uses, too, and looks at only once its ``before_access`` was called, if it has one
        that is not None. Raises ``MemoryError``.
        What is returned has ``dtype``, ``size``, ``itemsize``, ``nbytes``, an ``address`` that no
        other allocation has, ``view(dtype)`` and slices without a step, as a one-dimensional array
        has them; it frees the memory when the last of its views is gone.
        """
        return None

    def reach(self, memory: Any) -> Any:
        """Return bytes of the host's that others allocated, as kernels use them in place.

        What is returned keeps ``memory``. None where kernels use all of the host's, or none; raises
        ``UnsupportedError`` where these cannot be used.
        """
        return None

    def hint(self, view: BoundView, advice: int | None = None, *, to_host: bool = False,
             ) -> Callable[[Sequence[Completion]], Completion] | None:
        """Return a function that enqueues a hint of memory's use; None if that has no effect.

        ``advice``: how it will be used, a number of the device's own; ``to_host``: by the host.
        """
        return None

    def words(self) -> Words | None:
        """Return atomic access to this memory for Python's threads; None if the GIL will do."""
        return None

    @abstractmethod
    def copy(self, dst: BoundView, src: BoundView, deps: Sequence[Completion]) -> Completion:
        """Copy equal shapes element by element; either may lie in ``HOST`` (then without gaps)."""

    def fetch(self, source: Driver) -> Fetch | None:
        """Return what copies from another driver's memory to this one's; None: by the host.

        It is called as ``copy`` is, with views without gaps; its completion is of this driver.
        """
        return None

    def peers(self, owner: Driver) -> frozenset[str]:
        """Return the values of ``peer_access`` that kernels have to another driver's memory."""
        return frozenset()

    def grant(self, owner: Driver) -> None:  # noqa: B027 -- nobody who has no peers is asked
        """Let kernels use device allocations of another driver's, of which ``peers`` tells."""

    def revoke(self, owner: Driver) -> None:  # noqa: B027 -- the same
        """End what ``grant`` began."""

    @abstractmethod
    def fill(self, dst: BoundView, pattern: Any, deps: Sequence[Completion]) -> Completion:
        """Write one element value everywhere in a view."""


class Joins(Driver):
    """A driver that launches kernels which wait for one another as one."""

    @abstractmethod
    def together(self, launches: Sequence[Launch]) -> Launch:
        """Return one launch of several kernels, all of which then run at the same time.

        Raises ``UnsupportedError`` or ``UsageError`` where that cannot be.
        """
