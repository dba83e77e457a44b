"""Memory that host and kernels share on devices that do not reach all of the host's: SVM.

Fine-grained memory is used by both at any time. Coarse-grained memory belongs to the host (it is
mapped) or to the devices of its context: the first command that uses an allocation takes it from
the host, and once no command uses it any more it is given back, before any of these commands counts
as ended. A kernel that follows pointers in memory uses all allocations. Non-goals: which kinds a
device has (``levels``), memory objects (``objects``). Invariants: whoever has seen a command end
may read what it used; an allocation lives until the last command that uses it has ended.
"""

from __future__ import annotations

import collections
import contextlib
import ctypes
import functools
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from unisycl.backends.base import BoundView, Launch
from unisycl.backends.opencl.api import Api
from unisycl.backends.opencl.discovery.traits import SVM_ATOMICS, Traits
from unisycl.backends.opencl.errors import FAILED_BEFORE, device_error, is_shortage, translated
from unisycl.backends.opencl.launch.failed_calls import flush, is_native, status_of
from unisycl.backends.opencl.memory.levels import Level
from unisycl.backends.opencl.memory.objects import DeviceArray
from unisycl.backends.opencl.session import Session
from unisycl.base.enums import usm_kind
from unisycl.base.errors import NativeError, UnsupportedError, errc
from unisycl.ir import visit
from unisycl.ir.nodes import ALLOCATIONS, Address, Kernel, Param

_READ_WRITE, _FINE, _ATOMICS = 1, 1 << 10, 1 << 11
_SVM_POINTERS = 0x11B6
_RUNNING, _LOST = 1, -36
_LARGEST_ALIGNMENT = 128
_KERNELS = 1024
_addressed: dict[int, tuple[Kernel, frozenset[int]]] = {}
NO_ADDRESS = ("the address of a device allocation cannot be kept in memory on this device, where "
              "it is a memory object; use malloc_shared for what pointers in memory lead to")
_freed: collections.deque[Any] = collections.deque(maxlen=1024)
"""The lists that drivers may still read from."""


class SharedArray(np.ndarray[Any, Any]):
    """Elements of an allocation that host and kernels share."""

    allocation: Allocation

    def __array_finalize__(self, whole: Any) -> None:
        if whole is not None:
            self.allocation = getattr(whole, "allocation", None)  # type: ignore[assignment]

    @property
    def before_access(self) -> Any:
        """What the host calls before it looks; None where it may look at any time."""
        return self.allocation.await_host if self.allocation.coarse else None


class Use:
    """One command that uses coarse-grained allocations; ``event`` is its own end once it began."""

    __slots__ = ("_ended", "event")

    def __init__(self) -> None:
        self.event: Any = None
        self._ended = False

    def drop(self) -> None:
        """Note that the command never began."""
        self._ended = True

    def ended(self) -> bool:
        """Say whether the device is done with the command."""
        if not self._ended and self.event is not None and _status(self.event) <= 0:
            self._ended, self.event = True, None
        return self._ended


class Allocation:
    """Memory at one address for host and kernels; it is freed with the last reference to it.

    ``cause``: the error with which it was last taken from the host, which what used it since
    then only reports as that of a command before it.
    """

    def __init__(self, session: Session, queue: Any, nbytes: int, reserve: Callable[[], int], *,
                 kind: usm_kind, coarse: bool) -> None:
        self.kind = kind
        self.address = 0
        self.session = session
        self.nbytes = nbytes
        self.coarse = coarse
        self.mapped = False
        self.cause = 0
        self._queue = queue
        self._lock = threading.RLock()
        self._uses: collections.deque[Use] = collections.deque()
        self._moving: Any = None
        with session.sharing:
            self.address = reserve()
            if coarse:
                session.api.map(queue, self.address, nbytes, (), blocking=True)
                self.mapped = True
        session.allocations[self.address] = self

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return {"data": (self.address, False), "shape": (self.nbytes,), "typestr": "|u1",
                "strides": None, "version": 3}

    def bytes(self) -> SharedArray:
        """Return the memory as an array that keeps it."""
        found = np.asarray(self).view(SharedArray)
        found.allocation = self
        return found

    def set_argument(self, kernel: Any, at: int, address: int) -> None:
        """Pass an address inside the allocation to a kernel."""
        status = self.session.api.set_pointer(kernel.int_ptr, at, address)
        if status:
            raise device_error(f"{self.session.api.pointer_setter}({at})", status)

    # ------------------------------------------------------------------ whose it is
    def take(self, use: Use, queue: Any) -> Any:
        """Have a command use it: from now on it is not the host's. Return what to wait for."""
        with self._lock:
            self._queue = queue
            if self.mapped:
                before = () if self._moving is None else (self._moving,)
                self.mapped = False
                try:
                    with self.session.sharing:
                        self._moving = self.session.api.unmap(queue, self.address, before)
                    self.cause = 0
                except Exception:
                    self.mapped = True
                    raise
            self._uses.append(use)
            return self._moving

    def status(self) -> int:
        """Give it to the host unless a command uses it; return 0 once it is there.

        More than 0: not yet; less: the error that the device came to meanwhile.
        """
        with self._lock:
            uses = self._uses
            while uses and uses[0].ended():
                uses.popleft()
            if uses:
                return _RUNNING
            try:
                if not self.mapped:
                    before = () if self._moving is None else (self._moving,)
                    self.cause = min([0, *map(_status, before)])
                    with self.session.sharing:
                        self._moving = self.session.api.map(self._queue, self.address, self.nbytes,
                                                            before)
                    self.mapped = True
                    flush(self._queue, self._moving, self, "giving memory back to the host")
                if self._moving is None:
                    return 0
                status = _status(self._moving)
            except Exception as error:  # noqa: BLE001 - the device was lost, or is short of memory
                status = _code(error)
            if status <= 0:
                self._moving = None
            return status

    def await_host(self) -> None:
        """Block until the host may look, as long as commands use it."""
        pause = 1e-5
        while self.status() > 0:
            time.sleep(pause)
            pause = min(2 * pause, 1e-3)

    def __del__(self, _ending: Any = sys.is_finalizing) -> None:  # modules may be gone by then
        if not self.address or _ending():
            return
        api: Api = self.session.api
        with contextlib.suppress(Exception), self.session.sharing:  # nobody is there to be told
            if not self.coarse:
                api.free(self.session.context.int_ptr, self.address)
                return
            waits = () if self._moving is None else (self._moving,)
            pointers = (ctypes.c_void_p * 1)(self.address)
            try:
                if self.mapped:
                    waits = (api.unmap(self._queue, self.address, waits),)
                api.free_after(self._queue, pointers, waits)
            except Exception:  # noqa: BLE001 - the device takes no commands; nor has it any of it
                api.free(self.session.context.int_ptr, self.address)
                return
            _freed.append(pointers)
            self._queue.flush()


def _status(event: Any) -> int:
    """Return what has become of a command: 0 complete, less than that its error."""
    return status_of(lambda: event.command_execution_status)


def _code(error: Exception) -> int:
    code = error.native_code if isinstance(error, NativeError) else getattr(error, "code", None)
    return -abs(code) if isinstance(code, int) and code else _LOST


def returned(used: Iterable[Allocation], status: int) -> int:
    """Return the status of a command that is over, with that of what it used being the host's."""
    for allocation in used:
        found = allocation.status()
        if found > 0:
            return found
        status = min(status, found)
    if status == FAILED_BEFORE:
        return min((a.cause for a in used if a.cause != FAILED_BEFORE and a.cause), default=status)
    return status


def held(deps: Sequence[Any]) -> tuple[Allocation, ...]:
    """Return what commands use that may not be the host's again, once their successor has ended."""
    found: dict[int, Allocation] = {a.address: a for d in deps for a in d.used}
    return tuple(found.values())


def follows_pointers(kernel: Kernel) -> bool:
    """Say whether a kernel may use any allocation of its context."""
    return any(p.name == ALLOCATIONS for p in kernel.params)


class Shared:
    """The shared memory of one device; allocations are known to all devices of its context."""

    def __init__(self, session: Session, queue: Any, traits: Traits, level: Level) -> None:
        self.session = session
        self._queue = queue
        self.known = session.allocations
        self.coarse = level is Level.coarse
        self._flags = _READ_WRITE
        if level is Level.fine:
            atomics = traits.number_of("svm_capabilities") & SVM_ATOMICS
            self._flags |= _FINE | (_ATOMICS if atomics else 0)

    def allocate(self, nbytes: int, alignment: int, kind: usm_kind) -> SharedArray:
        """Return bytes with addresses that hold; raises ``MemoryError``."""
        size = nbytes + (alignment if alignment > _LARGEST_ALIGNMENT else 0)
        made = Allocation(
            self.session, self._queue, size,
            functools.partial(self._reserve, size, min(alignment, _LARGEST_ALIGNMENT), kind),
            kind=kind, coarse=self.coarse and kind is not usm_kind.device)
        skip = -made.address % alignment
        found: SharedArray = made.bytes()[skip:skip + nbytes]  # type: ignore[assignment]
        return found

    def _reserve(self, nbytes: int, alignment: int, kind: usm_kind) -> int:
        """Return the address of new memory."""
        flags = _READ_WRITE if kind is usm_kind.device else self._flags
        found = self.session.api.allocate(self.session.context.int_ptr, flags, nbytes, alignment)
        if not found:
            self._check_context()
            raise MemoryError(f"{nbytes} bytes")
        return int(found)

    def _check_context(self) -> None:
        """Raise what is wrong with the context; an allocation that fails has no status."""
        try:
            _ = self.session.context.num_devices
        except Exception as error:
            if is_native(error) and not is_shortage(_code(error)):
                raise translated("allocating shared memory", error) from error

    def seen(self, view: BoundView) -> BoundView:
        """Return a view of the host's memory as one of an allocation, if it lies in one."""
        memory = view.memory
        if type(memory) is not np.ndarray or not self.known:
            return view
        at = memory.__array_interface__["data"][0]
        found = self._at(at)
        if found is None:
            return view
        low = at - found.address
        return BoundView(found.bytes()[low:low + memory.nbytes].view(memory.dtype), view.offset,
                         view.shape, view.pitches)

    def _at(self, address: int) -> Allocation | None:
        for start, found in list(self.known.items()):
            if start <= address < start + found.nbytes:
                return found  # type: ignore[no-any-return]
        return None

    def used_by(self, launch: Launch) -> tuple[Allocation, ...]:
        """Return the allocations that a launch may use."""
        kernel: Kernel | None = launch.executable.kernel
        if kernel is not None and follows_pointers(kernel):
            return tuple(self.known.values())
        views = [*launch.values, *[view for view, _ in launch.reductions]]
        return allocations_of(views)

    def take(self, used: Sequence[Allocation]) -> tuple[Use, list[Any]]:
        """Have a command use allocations; return its use, and the events that it waits for."""
        use = Use()
        try:
            found = [a.take(use, self._queue) for a in used]
        except BaseException:
            use.drop()
            raise
        return use, [event for event in found if event is not None]

    def reach(self, executable: Any, launch: Launch) -> None:
        """Tell a kernel object that it may use any allocation, before it is enqueued.

        Raises ``UnsupportedError`` where the kernel takes the address of a memory object.
        """
        for index in addressed(executable.kernel):
            if isinstance(launch.values[index].memory, DeviceArray):
                raise UnsupportedError(errc.feature_not_supported, NO_ADDRESS)
        self._announce(executable.main)

    def _announce(self, kernel: Any) -> None:
        """Tell a kernel object what there is."""
        known = list(self.known)
        if known:
            pointers = (ctypes.c_void_p * len(known))(*known)
            self.tell(kernel, _SVM_POINTERS, pointers)

    def tell(self, kernel: Any, what: int, value: Any) -> None:
        """Tell a kernel object about memory that it uses besides its arguments."""
        status = self.session.api.exec_info(kernel.int_ptr, what, ctypes.sizeof(value), value)
        if status:
            raise device_error("clSetKernelExecInfo", status)


def addressed(kernel: Kernel) -> frozenset[int]:
    """Return the parameters whose addresses a kernel takes; asked on every launch of such ones."""
    known = _addressed.get(id(kernel))
    if known is None or known[0] is not kernel:
        if len(_addressed) >= _KERNELS:
            _addressed.clear()
        found = frozenset(e.place.base.index for e in visit.all_expressions(kernel.body)
                          if isinstance(e, Address) and isinstance(e.place.base, Param))
        known = _addressed[id(kernel)] = kernel, found
    return known[1]


def allocations_of(views: Iterable[Any]) -> tuple[Allocation, ...]:
    """Return the allocations that views lie in, each once."""
    found: dict[int, Allocation] = {}
    for view in views:
        if isinstance(view, BoundView) and isinstance(view.memory, SharedArray):
            found[view.memory.allocation.address] = view.memory.allocation
    return tuple(found.values())
