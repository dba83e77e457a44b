"""Loops that may never end: compiled code asks whether somebody wants to know where it is.

A spin (``passes.checks.spins``) asks now and then, all loops of a kernel that has a time ask in
each turn. Who waits for the command writes the question into a word of its job. Non-goals: the
answer (``asking``). Invariant: loops that count nothing and have no time are as without this.
"""

from __future__ import annotations

from unisycl.backends.cpu.checks.asking import TURNS
from unisycl.backends.cpu.emit import printing
from unisycl.backends.cpu.emit.emitter import Emitter
from unisycl.backends.cpu.emit.lanes import UNIFORM, Val
from unisycl.backends.reports import Site
from unisycl.base.dtypes import INT64
from unisycl.ir import nodes as n
from unisycl.ir.watch_statements import Asked
from unisycl.passes.checks import spins

QUESTION_AT = -16
"""Where the question lies, from the job's error on."""

def begin(e: Emitter, loop: n.Stmt) -> str:
    """Before a loop: start to count its turns if it is a spin; '' for others."""
    if not isinstance(loop, n.While) or not spins.polled(e.kernel) or not (
            spins.alone(e.kernel) and spins.spins(loop)):
        return ""
    turns = e.f.alloca("i64")
    e.f.store("i64", "0", turns)
    return turns


def asks(e: Emitter) -> bool:
    """Say whether all loops of the kernel ask."""
    return spins.timed(e.kernel) and spins.polled(e.kernel)


def turn(e: Emitter, loop: n.Stmt) -> n.Block:
    """Return what stands at the start of a turn of a loop that a work-group takes together."""
    return (Asked(span=loop.span),) if asks(e) else ()


def asked(e: Emitter, stmt: Asked) -> None:
    """At the start of a turn of a loop that a work-group takes together: as ``poll``."""
    poll(e, stmt, "")


def poll(e: Emitter, loop: n.Stmt, turns: str) -> None:
    """At the start of a turn: see whether somebody asks."""
    if not turns and not asks(e):
        return
    f = e.f
    ask, told, on = f.label("ask"), f.label("asked"), f.label("on")
    count = "0"
    if turns:
        count = f.op(f"add i64 {f.load('i64', turns)}, 1")
        f.store("i64", count, turns)
        if not spins.timed(e.kernel):
            some = f.op(f"and i64 {count}, {TURNS - 1}")
            f.branch(f.op(f"icmp eq i64 {some}, 0"), ask, on, unlikely=True)
            f.start(ask)
    where = f.gep("i8", e.slot(e.layout.reports + 2, "ptr"), str(QUESTION_AT))
    question = f.op(f"load atomic i64, ptr {where} monotonic, align 8")
    f.branch(f.op(f"icmp ne i64 {question}, 0"), told, on, unlikely=True)
    f.start(told)
    lane = "0" if e.mask is None else e.lowest(e.bits(e.mask))
    whose, counts = printing.ids(e)
    kind = "loop"
    if turns:
        assert isinstance(loop, n.While)
        kind = "spin" if not spins.unwritten(loop, e.kernel) else "lonely"
    site = Site(kind, (), (), loop.span, counts, e.in_group)
    printing.tell(e, site, [*whose, Val(UNIFORM, INT64, count),
                              Val(UNIFORM, INT64, "%worker")], lane)
    error = f.op(f"load atomic i64, ptr {e.slot(e.layout.reports + 2, 'ptr')} monotonic, align 8")
    f.branch(f.op(f"icmp ne i64 {error}, 0"), e.abort, on, unlikely=True)
    f.start(on)
