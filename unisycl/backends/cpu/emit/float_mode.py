"""Kernels compute in one mode, whatever thread they run in: rounding to nearest, denormals kept.

Threads have a register that says so (MXCSR, FPCR), threads start with that of who started them, and
programs change it (``-ffast-math`` in any library does). Where native code of kernels is entered,
it is put right if need be, and put back. Non-goals: what kernels do in between. Invariant: a thread
that is in the usual mode only reads the register.
"""

from __future__ import annotations

from typing import NamedTuple

from unisycl.backends.cpu.emit.text import Function


class _Register(NamedTuple):
    """How to read and write it; ``mask`` leaves out flags that tell what has happened."""

    type: str
    declarations: tuple[str, ...]
    read: tuple[str, ...]
    write: tuple[str, ...]
    mask: int
    usual: int


_REGISTERS = {
    "x86_64": _Register(
        "i32", ("declare void @llvm.x86.sse.stmxcsr(ptr)",
                "declare void @llvm.x86.sse.ldmxcsr(ptr)"),
        ("call void @llvm.x86.sse.stmxcsr(ptr {place})", "{value} = load i32, ptr {place}"),
        ("store i32 {value}, ptr {place}", "call void @llvm.x86.sse.ldmxcsr(ptr {place})"),
        0xFFC0, 0x1F80),
    "aarch64": _Register(
        "i64", ("declare i64 @llvm.aarch64.get.fpcr()",
                "declare void @llvm.aarch64.set.fpcr(i64)"),
        ("{value} = call i64 @llvm.aarch64.get.fpcr()",),
        ("call void @llvm.aarch64.set.fpcr(i64 {value})",), 0xFFFFFFFF, 0),
}


def prelude(machine: str) -> str:
    """Return ``@mode_begin``, which gives what ``@mode_end`` is to be given, as LLVM IR."""
    r = _REGISTERS[machine]
    value, place = "%old", "%place"
    read = "\n  ".join(line.format(value=value, place=place) for line in r.read)
    test = (f"%control = and {r.type} %old, {r.mask}\n"
            f"  %usual = icmp eq {r.type} %control, {r.usual}")
    usual, old = ("\n  ".join(line.format(value=v, place=place) for line in r.write)
                  for v in (r.usual, value))
    declarations = "\n".join(r.declarations)
    return f"""
{declarations}
define internal {r.type} @mode_begin() nounwind alwaysinline {{
  %place = alloca {r.type}
  {read}
  {test}
  br i1 %usual, label %done, label %change
change:
  {usual}
  br label %done
done:
  ret {r.type} %old
}}
define internal void @mode_end({r.type} %old) nounwind alwaysinline {{
  %place = alloca {r.type}
  {test}
  br i1 %usual, label %done, label %change
change:
  {old}
  br label %done
done:
  ret void
}}
"""


def register_type(machine: str) -> str:
    """Return the LLVM type of the register's value."""
    return _REGISTERS[machine].type


def around(f: Function, call: str) -> None:
    """Append a call, which must not be inlined, in the usual mode of its machine."""
    r = _REGISTERS.get(f.module.triple.partition("-")[0])
    if r is None:
        f.do(call)
        return
    for line in r.declarations:
        kind, _, rest = line.removeprefix("declare ").partition(" @")
        name, _, parameters = rest.partition("(")
        f.module.declare(name, f"{kind} @({parameters}")
    place, old = f.alloca(r.type), f.name("old")
    for line in r.read:
        f.do(line.format(value=old, place=place))
    control = f.op(f"and {r.type} {old}, {r.mask}")
    usual, other, done = f.label("usual"), f.label("other"), f.label("called")
    f.branch(f.op(f"icmp ne {r.type} {control}, {r.usual}"), other, usual, unlikely=True)
    f.start(usual)
    f.do(call)
    f.jump(done)
    f.start(other)
    for line in r.write:
        f.do(line.format(value=r.usual, place=place))
    f.do(call)
    for line in r.write:
        f.do(line.format(value=old, place=place))
    f.jump(done)
    f.start(done)
