"""Reverse-mode differentiation of one kernel without branches, over the typed IR: a prototype.

``gradient`` returns the text of a kernel that, given the kernel's arguments and memory for
adjoints, adds to each input's adjoint what the outputs' adjoints make of it. Non-goals: branches,
loops, local memory, group functions, memory that is read after it was written; each is refused.
Invariant: what is returned was made of every statement.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unisycl.frontend import specialize
from unisycl.ir import nodes as n
from unisycl.ir.types import Scalar, View

CALLS: dict[str, Callable[[str, str], str]] = {
    "sin": lambda x, y: f"sycl.cos({x})", "cos": lambda x, y: f"-sycl.sin({x})",
    "exp": lambda x, y: y, "log": lambda x, y: f"1 / {x}", "sqrt": lambda x, y: f"0.5 / {y}",
    "tanh": lambda x, y: f"1 - {y} * {y}"}
"""The derivative of a function, by the texts of its operand and its value."""
BINARY: dict[str, tuple[str, str, str]] = {
    "add": ("{a} + {b}", "{g}", "{g}"), "sub": ("{a} - {b}", "{g}", "-{g}"),
    "mul": ("{a} * {b}", "{g} * {b}", "{g} * {a}"),
    "div": ("{a} / {b}", "{g} / {b}", "-{g} * {y} / {b}")}


class Refused(Exception):
    """What the prototype does not differentiate."""


class _Reverse:
    """Statements forwards, and what undoes them backwards."""

    def __init__(self, kernel: n.Kernel) -> None:
        self.ndim = kernel.ndim
        self.forward: list[str] = []
        self.backward: list[list[str]] = []
        self.adjoints: dict[str, str] = {}
        self.values: dict[int, str] = {}
        self.written: set[n.Param] = set()
        for statement in kernel.body:
            self.statement(statement)

    def statement(self, s: n.Stmt) -> None:
        """Take one statement."""
        if isinstance(s, n.Assign) and id(s.local) not in self.values:
            self.values[id(s.local)] = self.value(s.value)
        elif isinstance(s, n.Store) and isinstance(s.place.base, n.Param):
            name, where = s.place.base.name, self.where(s.place)
            value = self.value(s.value)
            if s.place.base in self.written:
                raise Refused(f"{name} is written twice")
            self.written.add(s.place.base)
            self.forward.append(f"{name}[{where}] = {value}")
            self.backward.append([f"g_{value} += d_{name}[{where}]"])
        else:
            raise Refused(type(s).__name__)

    def value(self, e: n.Expr) -> str:
        """Return the variable that holds a value; note how its adjoint goes to the operands."""
        if isinstance(e, n.Read):
            return self.values[id(e.local)]
        if isinstance(e, n.Binary) and e.op in BINARY and e.type.dtype.is_float:
            text, *ways = BINARY[e.op]
            names = {"a": self.value(e.a), "b": self.value(e.b)}
            return self.made(e.type, text.format(**names), [
                (names[k], way, names) for k, way in zip("ab", ways, strict=True)])
        if isinstance(e, n.Unary) and e.op == "neg":
            x = self.value(e.x)
            return self.made(e.type, f"-{x}", [(x, "-{g}", {})])
        if isinstance(e, n.Call) and e.builtin.name in CALLS:
            x = self.value(e.args[0])
            way = CALLS[e.builtin.name]
            return self.made(e.type, f"sycl.{e.builtin.name}({x})",
                             [(x, "{g} * (" + way(x, "{y}") + ")", {})])
        if isinstance(e, n.Cast) and e.type.dtype.is_float and e.x.type.dtype.is_float:
            x = self.value(e.x)
            return self.made(e.type, f"np.{e.type.dtype.name}({x})", [(x, "{g}", {})])
        if isinstance(e, n.Load) and isinstance(e.place.base, n.Param):
            if e.place.base in self.written:
                raise Refused(f"{e.place.base.name} is read after it was written")
            name, where = e.place.base.name, self.where(e.place)
            made = self.made(e.type, f"{name}[{where}]", [])
            self.backward.append([f"sycl.atomic_ref(d_{name}, {where}).fetch_add(g_{made})"])
            return made
        if isinstance(e, n.Const | n.ParamRead):
            return self.made(e.type, repr(e.value) if isinstance(e, n.Const) else e.param.name, [])
        raise Refused(f"{type(e).__name__} of {e.type}")

    def made(self, kind: Scalar, text: str, ways: list[tuple[str, str, dict[str, str]]]) -> str:
        """Return a new variable; ``ways``: operands, and what of its adjoint each is given."""
        name = f"t{len(self.forward)}"
        self.adjoints[name] = kind.dtype.name
        self.forward.append(f"{name} = np.{kind.dtype.name}({text})")
        self.backward.append([f"g_{operand} += " + way.format(g=f"g_{name}", y=name, **names)
                              for operand, way, names in ways])
        return name

    def where(self, place: n.Place) -> str:
        """Return an index, of which no derivative is asked."""
        found = []
        for e in place.index:
            if isinstance(e, n.Query) and e.name == "global_id":
                found.append(f"at[{e.dim}]" if self.ndim > 1 else "at")
            elif isinstance(e, n.Const):
                found.append(repr(e.value))
            else:
                raise Refused("an index that is computed")
        return found[0] if len(found) == 1 else f"({', '.join(found)})"


def gradient(function: Any, ndim: int, *arguments: Any) -> str:
    """Return the text of the kernel ``gradient``: ``(at, *arguments, *adjoints of memory)``."""
    kernel = specialize.specialize(function, "range", ndim, arguments).kernel
    made = _Reverse(kernel)
    memory = [p.name for p in kernel.params if isinstance(p.type, View)]
    names = [p.name for p in kernel.params] + [f"d_{name}" for name in memory]
    lines = [f"def gradient(at, {', '.join(names)}):", *made.forward]
    lines += [f"g_{name} = np.{kind}(0)" for name, kind in made.adjoints.items()]
    lines += [line for block in reversed(made.backward) for line in block]
    return "\n    ".join(lines) + "\n"
