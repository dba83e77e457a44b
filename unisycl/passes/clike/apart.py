"""Which views of a kernel a text may declare to overlap no other memory that the launch changes.

Compilers then keep what was read over stores to other views, and read what is never stored through
caches that know nothing of stores. So a view counts only if nobody can follow what the kernel does
with it otherwise: by a pointer kept as a number, by a function in another language, by atomic
operations or fences that order it for other kernels, by a promise that work-items wait for each
other. Where items of a group meet, others' stores to a view may be read behind that, so those that
are stored to do not count. Non-goals: whether views overlap, which launches know
(``backends.device.texts``). Invariant: a view that is not plainly apart is left out.
"""

from __future__ import annotations

from collections.abc import Sequence

from unisycl.base.enums import address_space, memory_order
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.stored_parameters import stored, used
from unisycl.ir.types import LentView, PointerType, View

_KINDS = (View, LentView)
_MEETINGS = n.Barrier | n.GroupCall | n.WorkItems


def views(kernel: n.Kernel) -> tuple[int, ...]:
    """Return the parameters that may count as apart, where the launch's memory is."""
    found = _memories(kernel)
    if len(found) < 2 or _is_open(kernel):
        return ()
    written = stored(kernel)
    if not written & set(found):
        return ()
    if any(isinstance(s, _MEETINGS) for s in visit.statements(kernel.body)):
        return tuple(i for i in found if i not in written)
    return found


def pairs(kernel: n.Kernel, apart: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Return the parameters that must not overlap where ``apart`` are to be so."""
    written, every = stored(kernel), _memories(kernel)
    return tuple((i, k) for i in apart for k in every if i != k and (
        i in written or k in written) and (k not in apart or i < k))


def _memories(kernel: n.Kernel) -> tuple[int, ...]:
    """Return the parameters that are views of global memory and stand in the kernel."""
    there = used(kernel)
    return tuple(p.index for p in kernel.params if isinstance(p.type, View)
                 and p.type.space is not address_space.local_space and p.index in there)


def _is_open(kernel: n.Kernel) -> bool:
    """Say whether others may follow, or change, what a kernel reads and stores."""
    if kernel.progress or kernel.waits or kernel.pointed or kernel.enqueues:
        return True
    for p in kernel.params:
        if isinstance(p.type, PointerType) or (
                isinstance(p.type, View) and type(p.type) not in _KINDS):
            return True
    for stmt in visit.statements(kernel.body):
        match stmt:
            case n.Foreign() | n.Fence() | n.ImageRead() | n.ImageWrite():
                return True
            case n.Atomic() if stmt.order is not memory_order.relaxed:
                return True
            case n.Store() | n.StoreMany() | n.LoadMany() | n.Atomic():
                if isinstance(stmt.place.base, n.Heap):
                    return True
    return any(isinstance(x, n.Address) or (
        isinstance(x, n.Load) and isinstance(x.place.base, n.Heap))
        for x in visit.all_expressions(kernel.body))
