"""Storage objects: users' own memory behind buffers and images (S12 §3.6.3).

Non-goals: the runtime's own memory. Invariants: ``in_use`` and ``completed`` alternate strictly;
``destroy`` runs once; final data are asked for and written once, after both ``destroy`` and
``completed``.
"""

from __future__ import annotations

import contextlib
import threading
from typing import Any

import numpy as np

from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.runtime.memory.buffers import BufferMemory
from unisycl.runtime.memory.usage import Usage


@ends_at_call
class storage:
    """Base class of storage objects; SYCL calls its methods from threads of its own (§3.6.3).

    The methods that return memory return a NumPy array, or None.
    """

    _attached: Attachment | None = None

    def get_size(self) -> int:
        """Return the number of elements."""
        raise NotImplementedError

    def get_host_data(self) -> Any:
        """Return memory to use directly, or None."""
        return None

    def get_initial_data(self) -> Any:
        """Return the initial contents, or None if there are none."""
        return None

    def get_final_data(self) -> Any:
        """Return where the contents go at the end, or None."""
        return None

    def destroy(self) -> None:
        """Called once, when the last copy of the buffer is gone."""

    def in_use(self) -> None:
        """Called when a command group needs the data; ``completed`` follows."""

    def completed(self) -> None:
        """Called when the last command has completed."""


class Attachment:
    """What joins one storage object to the memory of one buffer."""

    def __init__(self, owner: storage, memory: BufferMemory) -> None:
        if owner._attached is not None:
            raise UsageError(errc.invalid, "storage: this object is attached to a buffer already; "
                             "make one for each buffer")
        owner._attached = self
        self.owner = owner
        self.memory = memory
        self.lock = threading.Lock()
        self.destroyed = self.finished = False
        self.usage = Usage(owner.in_use, self.completed, self.settle)
        memory.usage = self.usage
        memory.at_end = self.end

    def completed(self) -> None:
        """Tell the storage that nothing uses the data, which are on the host by then."""
        self.memory.come_home()
        self.owner.completed()

    def end(self) -> None:
        """The buffer is gone: tell the storage; ignore what it raises (§3.6.3)."""
        with contextlib.suppress(Exception):
            self.owner.destroy()
        with self.lock:
            self.destroyed = True
        self.settle()

    def settle(self) -> None:
        """Write the final data, once the buffer is gone and nothing uses it."""
        with self.lock:
            if self.finished or not self.destroyed or not self.usage.idle():
                return
            self.finished = True
        target = self.owner.get_final_data()
        if target is None or not self.memory.allocated():
            return
        self.memory.come_home()
        contents = self.memory.storage()
        array = np.asarray(target)
        if not np.may_share_memory(array, contents):
            array.reshape(-1).view(np.uint8)[:] = contents[:array.nbytes]

    def wait(self) -> None:
        """Block until nothing uses the data."""
        last = self.usage.last()
        if last is not None:
            last.wait()


@ends_at_call
class async_storage(storage):
    """Storage that outlives its buffer, which never blocks at its end (SYCL 1.2 §3.6.3.1).

    Args:
        data: the memory to use; or, alone, the number of elements, for memory of its own.
        size: the number of elements.

    Closing it blocks until the work on ``data`` is done, unless ``release`` was called before.
    """

    def __init__(self, data: Any, size: int | None = None) -> None:
        own = hasattr(data, "__index__") and not isinstance(data, np.ndarray)
        held = None if own else np.asarray(data)
        self._data: Any = held
        self._size = int(data) if held is None else held.size if size is None else int(size)
        self._blocks = not own

    def get_size(self) -> int:
        """Return the number of elements."""
        return self._size

    def get_host_data(self) -> Any:
        """Return the memory given, or None."""
        return self._data

    get_initial_data = get_host_data

    def data(self) -> Any:
        """Return the memory given, or None."""
        return self._data

    def release(self) -> None:
        """Let ``close`` return at once."""
        self._blocks = False

    def close(self) -> None:
        """End the storage: block until the work is done, unless it was released."""
        if self._blocks and self._attached is not None:
            self._attached.wait()
        self._data = None

    def __enter__(self) -> async_storage:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
