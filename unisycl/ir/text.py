"""The IR as text a person can read, close to the Python it came from.

Non-goals: parsing it back. Invariant: equal kernels print equally; names that occur twice get a
number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unisycl.base.value_text import Shown
from unisycl.ir import nodes as n
from unisycl.ir.stack_statements import Begun, Ended, Popped, Pushed
from unisycl.ir.types import ImageView, View

_SYMBOL = {"add": "+", "sub": "-", "mul": "*", "div": "/", "floordiv": "//", "mod": "%",
           "and": "&", "or": "|", "xor": "^", "shl": "<<", "shr": ">>", "eq": "==", "ne": "!=",
           "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def kernel_text(kernel: n.Kernel) -> str:
    """Return a kernel as text."""
    return _Printer().kernel(kernel)


class _Printer:
    """Prints one kernel; gives every local and array a name of its own."""

    def __init__(self) -> None:
        self._names: dict[Any, str] = {}
        self._taken: set[str] = set()
        self._lines: list[str] = []

    def kernel(self, kernel: n.Kernel) -> str:
        space = f"{kernel.index_kind} {kernel.ndim}-d"
        local = f", local {kernel.local}" if kernel.local else ""
        params = ", ".join(f"{p.name}: {self.type(p)}" for p in kernel.params)
        self._lines.append(f"kernel {kernel.name}({params})  # {space}{local}")
        if kernel.aspects:
            self._lines.append(f"  needs {', '.join(sorted(kernel.aspects))}")
        for r in kernel.reducers:
            self._lines.append(f"  reducer {self.name(r.acc)}: {r.acc.type}")
        for array in kernel.arrays:
            self._lines.append(f"  {array.type.space.value} {self.name(array)}"
                               f"{list(array.shape)}: {array.type.elem}")
        self.block(kernel.body, 1)
        return "\n".join(self._lines)

    def type(self, param: n.Param) -> str:
        if isinstance(param.type, View) and not isinstance(param.type, ImageView):
            return (f"{param.type.space.value} {param.type.elem}"
                    f"[{', '.join(':' * param.type.ndim)}] {param.type.mode.value}")
        return str(param.type)

    def name(self, thing: n.Local | n.Array) -> str:
        known = self._names.get(thing)
        if known is None:
            known, k = thing.name, 1
            while known in self._taken:
                k += 1
                known = f"{thing.name}.{k}"
            self._taken.add(known)
            self._names[thing] = known
        return known

    # ---- statements
    def block(self, block: n.Block, depth: int) -> None:
        for stmt in block:
            self.stmt(stmt, depth)
        if not block:
            self.line(depth, "pass")

    def line(self, depth: int, text: str) -> None:
        self._lines.append("  " * depth + text)

    def stmt(self, stmt: n.Stmt, depth: int) -> None:
        match stmt:
            case n.If():
                self.line(depth, f"if {self.expr(stmt.cond)}:")
                self.block(stmt.then, depth + 1)
                if stmt.orelse:
                    self.line(depth, "else:")
                    self.block(stmt.orelse, depth + 1)
            case n.While():
                self.line(depth, "while:")
                if stmt.pre:
                    self.block(stmt.pre, depth + 1)
                self.line(depth + 1, f"stop unless {self.expr(stmt.cond)}")
                self.block(stmt.body, depth + 1)
            case n.For():
                bounds = ", ".join(self.expr(x) for x in (stmt.start, stmt.stop, stmt.step))
                asked = "".join(f"  # {name}({value})" for name, value in stmt.controls)
                self.line(depth, f"for {self.name(stmt.local)} in range({bounds}):{asked}")
                self.block(stmt.body, depth + 1)
            case n.Scope():
                self.line(depth, f"scope {stmt.number}:")
                self.block(stmt.body, depth + 1)
            case n.WorkItems():
                extent = ", ".join(self.expr(x) for x in stmt.extent)
                self.line(depth, f"work-items({extent}):")
                self.block(stmt.body, depth + 1)
            case _:
                self.line(depth, self.simple(stmt))

    def simple(self, stmt: n.Stmt) -> str:
        match stmt:
            case n.Assign():
                return f"{self.name(stmt.local)}: {stmt.local.type} = {self.expr(stmt.value)}"
            case n.Store():
                return f"{self.place(stmt.place)} = {self.expr(stmt.value)}"
            case n.LoadMany():
                return f"{self.names(stmt.results)} = from {self.place(stmt.place)}"
            case n.StoreMany():
                return f"from {self.place(stmt.place)} = {self.exprs(stmt.values)}"
            case n.ImageRead() | n.ImageWrite():
                return self.image(stmt)
            case n.Atomic():
                left = f"{self.name(stmt.result)} = " if stmt.result else ""
                args = ", ".join(self.expr(x) for x in stmt.operands)
                return (f"{left}atomic {stmt.op} {self.place(stmt.place)} ({args}) "
                        f"{stmt.order.value} {stmt.scope.name}")
            case n.GroupCall():
                args = ", ".join(self.expr(x) for x in stmt.args)
                return (f"{self.name(stmt.result)} = {stmt.scope.name} {stmt.op} {stmt.combine}"
                        f"({args})")
            case Begun():
                return f"lanes share the stack {stmt.stack.name}"
            case Pushed():
                return f"push {self.expr(stmt.value)} on {stmt.stack.name}"
            case Popped():
                names = self.names((stmt.value, stmt.mine, stmt.some))
                return f"{names} = pop {stmt.stack.name}"
            case Ended():
                return f"done with {stmt.stack.name}"
            case n.Foreign():
                left = f"{self.names(stmt.results)} = " if stmt.results else ""
                return f"{left}{stmt.function.name}({self.exprs(stmt.args)})"
            case n.Barrier():
                return f"barrier {stmt.scope.name}"
            case n.Leave():
                return f"leave {stmt.number}"
            case n.Print():
                where = f" to {self.expr(stmt.stream)}" if stmt.stream is not None else ""
                return f"print{where}{' at the end' * stmt.end} {self.pieces(stmt.pieces)}"
            case n.Check():
                return f"check {self.expr(stmt.cond)} else {self.pieces(stmt.pieces)}"
            case n.Fence():
                return f"fence {stmt.order.value} {stmt.scope.name}"
        return type(stmt).__name__.lower()

    def image(self, stmt: n.ImageRead | n.ImageWrite) -> str:
        layer = "" if stmt.layer is None else f", layer {self.expr(stmt.layer)}"
        where = f"{stmt.image.name}({self.exprs(stmt.coordinates)}{layer})"
        if isinstance(stmt, n.ImageWrite):
            return f"image {where} = {self.exprs(stmt.values)}"
        modes = stmt.sampler
        how = "" if modes is None else (f" {modes.addressing.name} {modes.coordinate.name} "
                                        f"{modes.filtering.name}")
        return f"{self.names(stmt.results)} = image {where}{how}"

    def pieces(self, pieces: tuple[str | Shown | n.Expr, ...]) -> str:
        return " ".join(repr(p) if isinstance(p, str) else self.expr(p) if isinstance(p, n.Expr)
                        else f"<{p.how}{' ' + p.spec if p.spec else ''}>" for p in pieces)

    def names(self, locals: tuple[n.Local, ...]) -> str:
        return ", ".join(self.name(x) for x in locals)

    def exprs(self, values: tuple[n.Expr, ...]) -> str:
        return ", ".join(self.expr(x) for x in values)

    # ---- expressions
    def place(self, place: n.Place) -> str:
        base = place.base
        name = self.name(base) if isinstance(base, n.Array) else base.name
        index = ", ".join(self.expr(x) for x in place.index)
        inner = "".join(f"[{self.expr(x)} * {step} bytes]" for x, step in place.inner)
        offset = f".byte{place.offset}" if place.offset else ""
        return f"{name}[{index}]{inner}{offset}"

    def expr(self, x: n.Expr) -> str:
        show = _EXPRESSIONS.get(type(x))
        return show(self, x) if show else type(x).__name__


_EXPRESSIONS: dict[type[n.Expr], Callable[[_Printer, Any], str]] = {
    n.Const: lambda p, x: repr(x.value),
    n.Read: lambda p, x: p.name(x.local),
    n.ParamRead: lambda p, x: x.param.name,
    n.Query: lambda p, x: f"{x.name}({x.dim})",
    n.Unary: lambda p, x: f"{ {'neg': '-', 'invert': '~', 'not': 'not '}[x.op]}({p.expr(x.x)})",
    n.Binary: lambda p, x: f"({p.expr(x.a)} {_SYMBOL[x.op]} {p.expr(x.b)})",
    n.Compare: lambda p, x: f"({p.expr(x.a)} {_SYMBOL[x.op]} {p.expr(x.b)})",
    n.Select: lambda p, x: f"({p.expr(x.a)} if {p.expr(x.cond)} else {p.expr(x.b)})",
    n.Cast: lambda p, x: f"{x.type.dtype}({p.expr(x.x)})",
    n.Narrow: lambda p, x: f"{x.type.dtype}({p.expr(x.x)})",
    n.Bitcast: lambda p, x: f"bits as {x.type.dtype}({p.expr(x.x)})",
    n.Complex: lambda p, x: f"complex({p.expr(x.re)}, {p.expr(x.im)})",
    n.Part: lambda p, x: f"{p.expr(x.x)}.{'imag' if x.imaginary else 'real'}",
    n.Call: lambda p, x: f"{x.builtin.name}({', '.join(p.expr(a) for a in x.args)})",
    n.Load: lambda p, x: p.place(x.place),
    n.Address: lambda p, x: f"address of {p.place(x.place)}",
    n.Extent: lambda p, x: f"extent({getattr(x.base, 'name', '')}, {x.dim})",
    n.Pitch: lambda p, x: f"pitch({getattr(x.base, 'name', '')}, {x.dim})",
}
