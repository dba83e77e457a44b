"""Waiting in compiled code: for the sub-groups of a work-group, for what other threads write.

A thread that waits tries for a moment and then lets other threads have its processor, for the one
it waits for may need it. Non-goals: the pool's own waiting (``pool.ll``). Invariants: kernels that
wait for nobody have no trace of this; where a kernel may fail, those that wait for it end, too.
"""

from __future__ import annotations

from unisycl.backends.cpu.compile.target import threads
from unisycl.backends.cpu.emit import slots
from unisycl.backends.cpu.emit.emitter import Emitter
from unisycl.backends.cpu.processors import futex_number
from unisycl.base.enums import memory_scope
from unisycl.ir import nodes as n
from unisycl.ir import visit

_TURNS = 8192
"""Turns of a waiting loop before it offers its processor to others: about ten microseconds.

Less would cost more than it gives where both threads run: one that offers it on a busy machine is
away for milliseconds.
"""
_AGAIN = 256
"""Turns between two offers."""

# Word 0 counts those that are here, word 1 the meetings that were, word 2 those asleep.
# It sleeps 5 ms at most, to see whether the launch has failed.
_MEET = """
define internal i1 @meet(ptr %at, i32 %count, ptr %error) noinline nounwind {{
entry:
  %turn = getelementptr i8, ptr %at, i64 4
  %asleep = getelementptr i8, ptr %at, i64 8
  %time = alloca {{ i64, i64 }}
  store {{ i64, i64 }} {{ i64 0, i64 5000000 }}, ptr %time
  %seen = load atomic i32, ptr %turn monotonic, align 4
  %before = atomicrmw add ptr %at, i32 1 acq_rel
  %here = add i32 %before, 1
  %last = icmp eq i32 %here, %count
  br i1 %last, label %open, label %wait
open:
  store atomic i32 0, ptr %at monotonic, align 4
  %o = atomicrmw add ptr %turn, i32 1 seq_cst
  %sleepers = load atomic i32, ptr %asleep seq_cst, align 4
  %any = icmp ne i32 %sleepers, 0
  br i1 %any, label %wake, label %met
wake:
  %w = call i64 (i64, ...) @syscall(i64 {futex}, ptr %turn, i32 129, i32 2147483647, ptr null,
                                    ptr null, i32 0)
  br label %met
wait:
  %k = phi i32 [ 0, %entry ], [ %k1, %again ], [ %k1, %slept ]
  %now = load atomic i32, ptr %turn acquire, align 4
  %done = icmp ne i32 %now, %seen
  br i1 %done, label %met, label %more
more:
  %k1 = add i32 %k, 1
  %soon = icmp ult i32 %k, {turns}
  br i1 %soon, label %again, label %sleep
again:
  br label %wait
sleep:
  %s1 = atomicrmw add ptr %asleep, i32 1 seq_cst
  %s = call i64 (i64, ...) @syscall(i64 {futex}, ptr %turn, i32 128, i32 %seen, ptr %time,
                                    ptr null, i32 0)
  %s2 = atomicrmw sub ptr %asleep, i32 1 seq_cst
  %told = icmp ne ptr %error, null
  br i1 %told, label %look, label %slept
look:
  %code = load atomic i64, ptr %error monotonic, align 8
  %failed = icmp ne i64 %code, 0
  br i1 %failed, label %given.up, label %slept
slept:
  br label %wait
met:
  ret i1 false
given.up:
  ret i1 true
}}
"""


def emit_meeting(e: Emitter, at: str, count: int) -> None:
    """Wait until ``count`` threads are here, which the words at an address count."""
    if count == 1:
        return
    f = e.f
    turns = _TURNS if count <= threads() else _AGAIN  # else some of them have no processor
    text = _MEET.format(futex=futex_number(), turns=turns)
    if text not in f.module.functions:
        f.module.functions.append(text)
        f.module.declare("syscall", "i64 @(i64, ...)")
    failed = f.op(f"call i1 @meet(ptr {at}, i32 {count}, ptr {_error(e) or 'null'})")
    if _error(e):
        _end_if(e, failed)


def begin_wait(e: Emitter, loop: n.While) -> str:
    """Before a loop that waits: start to count its turns; '' for other loops."""
    if not _waits(e.kernel, loop):
        return ""
    turns = e.f.alloca("i32")
    e.f.store("i32", "0", turns)
    return turns


def emit_pause(e: Emitter, turns: str) -> None:
    """At the end of a turn of a loop that waits: let others have the processor now and then."""
    if not turns:
        return
    f = e.f
    count = f.op(f"add i32 {f.load('i32', turns)}, 1")
    f.store("i32", count, turns)
    look, offer, on = f.label("look"), f.label("offer"), f.label("on")
    f.branch(f.op(f"icmp eq i32 {f.op(f'and i32 {count}, {_AGAIN - 1}')}, 0"), look, on,
             unlikely=True)
    f.start(look)
    f.branch(f.op(f"icmp ugt i32 {count}, {_TURNS}"), offer, on)
    f.start(offer)
    f.module.declare("sched_yield", "i32 @()")
    f.op("call i32 @sched_yield()")
    if _error(e):
        code = f.op(f"load atomic i64, ptr {_error(e)} monotonic, align 8")
        _end_if(e, f.op(f"icmp ne i64 {code}, 0"))
    f.jump(on)
    f.start(on)


def _waits(kernel: n.Kernel, loop: n.While) -> bool:
    """Say whether a loop may wait for another thread.

    It does nothing but look at memory, or kernels like this one wait and it looks at memory.
    """
    inside = list(visit.statements((loop,)))
    looks = any(isinstance(s, n.Atomic) and s.op in ("load", "compare_exchange")
                and s.scope > memory_scope.sub_group for s in inside)
    if not looks or kernel.progress or kernel.waits:
        return looks
    return all(isinstance(s, n.While | n.Assign | n.If | n.Break | n.Continue)
               or (isinstance(s, n.Atomic) and s.op == "load") for s in inside)


def _error(e: Emitter) -> str:
    """Return where a kernel of which a part may fail finds whether one has; '' for others."""
    return e.slot(e.layout.reports + 2, "ptr") if slots.reports(e.kernel) else ""


def _end_if(e: Emitter, failed: str) -> None:
    f, on = e.f, e.f.label("going")
    f.branch(failed, e.abort, on, unlikely=True)
    f.start(on)
